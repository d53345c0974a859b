"""`sampled-curvature`: curvatures known only through samples along the body and in time, such as a filmed midline."""
from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import Field, ValidationInfo, field_validator, model_validator

from limbless.callables import folder_of, located
from limbless.description import quantity
from limbless.errors import InputError
from limbless.gaits.base import Array, Drive, Gait

_LEAST = 6             # rows and columns that a spline of degree five needs


class SampledCurvature(Gait):
    """Yaw curvature that is known only through samples along the body and in time.

    The first row of the table has the abscissae (after a first number that is ignored), each later row a time and the curvatures.
    Between the samples it is a spline of degree five in both directions. The net motion of a body between supports then follows by least
    squares over the whole body, without dividing by the slope of the curvature; a gait that does not let every section follow the one
    before is refused there.
    """

    kind: Literal["sampled-curvature"] = "sampled-curvature"
    table: tuple[tuple[float, ...], ...] = quantity((), "s; m; 1/m", "rows: (0, abscissae..), then (time, curvatures..)")
    file: str | None = Field(None, description="path of a text file with the same rows")
    period: float | None = quantity(None, "s", "period of the motion, for period averages; none if absent", gt=0)
    drives: ClassVar[str] = "strain"

    @field_validator("file")
    @classmethod
    def _found(cls, value: str | None, info: ValidationInfo) -> str | None:
        return str(located(value, folder_of(info))) if value else value

    @model_validator(mode="after")
    def _readable(self) -> SampledCurvature:
        rows = self._rows
        if rows.ndim != 2 or rows.shape[0] <= _LEAST or rows.shape[1] <= _LEAST:
            raise ValueError(f"sampled curvature needs at least {_LEAST} times and {_LEAST} abscissae; got a table of shape {rows.shape}")
        if not np.isfinite(rows).all():
            raise ValueError("sampled curvature must be finite; found a missing or infinite number")
        if not ((np.diff(rows[1:, 0]) > 0).all() and (np.diff(rows[0, 1:]) > 0).all()):
            raise ValueError("times and abscissae of sampled curvature must increase")
        return self

    @cached_property
    def _rows(self) -> Array:
        if bool(self.table) == bool(self.file):
            raise ValueError("sampled curvature needs either `table` or `file`")
        if self.file is None:
            if len({len(row) for row in self.table}) != 1:
                raise ValueError("rows of sampled curvature must have one length")
            return np.array(self.table, dtype=np.float64)
        path = Path(self.file)
        if not path.is_file():
            raise ValueError(f"no file {self.file!r} with sampled curvature")
        try:
            return np.loadtxt(path, delimiter="," if "," in path.read_text() else None, ndmin=2)
        except (ValueError, UnicodeDecodeError) as error:
            raise ValueError(f"cannot read {self.file!r} as a table of numbers: {error}") from None

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import RectBivariateSpline
        return RectBivariateSpline(self._rows[1:, 0], self._rows[0, 1:], self._rows[1:, 1:], kx=5, ky=5)

    def sample(self, times: Array, stations: Array) -> Drive:
        """Strain (T, S, 6); stations (S,), or (T, S) where each time has its own."""
        for name, unit, wanted, known in (("times", "s", times, self._rows[1:, 0]), ("abscissae", "m", stations, self._rows[0, 1:])):
            slack = 1e-9 * (known[-1] - known[0])
            if wanted.min() < known[0] - slack or wanted.max() > known[-1] + slack:
                raise InputError(f"the sampled curvature covers {name} {known[0]:g} to {known[-1]:g} {unit}, but the run asks for "
                                 f"{wanted.min():g} to {wanted.max():g}; record more, or shorten the run or the body")
        X = np.broadcast_to(stations, (len(times), stations.shape[-1]))
        parts = []
        for order in range(3):
            strain = np.zeros((*X.shape, 6))
            if stations.ndim == 1:
                strain[..., 5] = self._spline(times, stations, dx=order)
            else:
                strain[..., 5] = self._spline.ev(np.broadcast_to(times[:, None], X.shape), X, dx=order)
            parts.append(strain)
        parts[0][..., 0] = 1.0
        return Drive(*parts)

    @property
    def cycle(self) -> float | None:
        return self.period
