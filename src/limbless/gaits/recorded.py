"""`recorded`: joint angles from a table of times, as a quintic spline."""
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


class RecordedGait(Gait):
    """Joint positions from a table (first column time in s, then one column per joint), as a spline of degree 5.

    The spline passes through every row; velocity and acceleration are its derivatives. Give `table`, or the `file` of a text table
    (comma- or space-separated, `#` for comments). Outside the table the run is refused.
    """

    kind: Literal["recorded"] = "recorded"
    table: tuple[tuple[float, ...], ...] = quantity((), "s; rad or m", "rows of time and joint positions")
    file: str | None = Field(None, description="path of a text file with the same columns")
    period: float | None = quantity(None, "s", "period of the motion, for period averages; none if absent", gt=0)
    drives: ClassVar[str] = "joint"

    @field_validator("file")
    @classmethod
    def _found(cls, value: str | None, info: ValidationInfo) -> str | None:
        """Where the file is, looked for beside the scenario first, so that the scenario may be saved anywhere."""
        return str(located(value, folder_of(info))) if value else value

    @model_validator(mode="after")
    def _readable(self) -> RecordedGait:
        rows = self._rows
        if rows.ndim != 2 or rows.shape[0] < 6 or rows.shape[1] < 2:
            raise ValueError(f"a recorded gait needs at least 6 rows of time and joint positions; got an array of shape {rows.shape}")
        if not np.isfinite(rows).all():
            raise ValueError("a recorded gait must be finite; found a missing or infinite number")
        if not (np.diff(rows[:, 0]) > 0).all():
            row = int(np.argmin(np.diff(rows[:, 0]) > 0)) + 1
            raise ValueError(f"times of a recorded gait must increase; row {row} has {rows[row, 0]} after {rows[row - 1, 0]}")
        return self

    @cached_property
    def _rows(self) -> Array:
        if bool(self.table) == bool(self.file):
            raise ValueError("a recorded gait needs either `table` or `file`")
        if self.file is None:
            lengths = {len(row) for row in self.table}
            if len(lengths) != 1:
                raise ValueError(f"rows of a recorded gait must have one length; got {sorted(lengths)}")
            return np.array(self.table, dtype=np.float64)
        path = Path(self.file)
        if not path.is_file():
            raise ValueError(f"no file {self.file!r} with recorded joint positions")
        try:
            numbers = "".join(line.partition("#")[0] for line in path.read_text().splitlines())      # a comment may hold commas
            return np.loadtxt(path, delimiter="," if "," in numbers else None, ndmin=2)
        except (ValueError, UnicodeDecodeError) as error:
            raise ValueError(f"cannot read {self.file!r} as a table of numbers: {error}") from None

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import make_interp_spline
        return make_interp_spline(self._rows[:, 0], self._rows[:, 1:], k=5)

    def sample(self, times: Array, stations: Array) -> Drive:
        """Joint positions (T, joints) and their derivatives."""
        first, last = self._rows[0, 0], self._rows[-1, 0]
        slack = 1e-9 * (last - first)
        if times[0] < first - slack or times[-1] > last + slack:
            raise InputError(f"the recorded gait covers {first:g} to {last:g} s, but the run asks for {times[0]:g} to {times[-1]:g} s; "
                             "shorten `duration` or record more")
        if self._rows.shape[1] - 1 != len(stations):
            raise InputError(f"the recorded gait has {self._rows.shape[1] - 1} joint columns, but the robot has {len(stations)} joints")
        return Drive(*(np.ascontiguousarray(self._spline(times, nu=order)) for order in range(3)))

    @property
    def cycle(self) -> float | None:
        return self.period
