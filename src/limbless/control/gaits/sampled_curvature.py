"""`sampled-curvature`: curvatures known only through samples along the body and in time, such as a filmed midline."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait, strain_drive
from limbless.control.gaits.gait_table import rows_of
from limbless.core import Field, FileName, InputError, Listed, Quantity, checked, quantity
from limbless.core.splines.smoothing import Smoothed, smooth_grid
from limbless.core.splines.tensor_spline import DEGREE as _DEGREE

_LEAST = _DEGREE + 1  # rows and columns that such a spline needs


class _Surface(NamedTuple):
    """A spline of degree five in time and along the body: coefficients (times, abscissae) and the knots of both."""

    coefficients: Array
    time_knots: Array
    place_knots: Array

    def along(self, stations: Array) -> Any:
        """The spline in time of the values at stations (S,)."""
        from scipy.interpolate import BSpline

        return BSpline(self.time_knots, BSpline(self.place_knots, self.coefficients.T, _DEGREE)(stations).T, _DEGREE)

    def at(self, times: Array, stations: Array, order: int) -> Array:
        """Values (T, S), differentiated `order` times in time, at stations (T, S) that differ from time to time."""
        from scipy.interpolate import BSpline

        basis = (
            BSpline.design_matrix(stations.ravel(), self.place_knots, _DEGREE).toarray().reshape(*stations.shape, -1)
        )
        rows = BSpline(self.time_knots, self.coefficients, _DEGREE)(times, nu=order)
        return np.asarray((basis @ rows[..., None])[..., 0])

    def rows(self, times: Array, stations: Array) -> list[Array]:
        """Values (T, S) and their two rates, beyond the samples as at their ends."""
        X, moments = np.clip(stations, *self.place_knots[[0, -1]]), np.clip(times, *self.time_knots[[0, -1]])
        if X.ndim == 2:
            return [self.at(moments, X, order) for order in range(3)]
        spline = self.along(X)
        return [spline(moments, nu=order) for order in range(3)]


class SampledCurvature(Gait):
    """Curvatures of a rod from samples along the body and in time.

    The first row of a table has the arc lengths, after a first number that is ignored. Each later row has a time and
    the curvatures. A midline in space has a second table for pitch. Between the samples the curvatures are splines of
    degree five in both directions.

    Forces follow second derivatives, which amplify measurement noise. The noise is therefore smoothed away first, as
    much as `noise` says or as the table shows, and a note gives the amount. A table without noise is met exactly. The
    net motion of a body between supports follows by least squares over the whole body, without division by the
    derivative of the curvature. limbless refuses a gait there that does not let every section follow the section before
    it.
    """

    kind: Literal["sampled-curvature"] = "sampled-curvature"
    table: Listed[tuple[tuple[float, ...], ...]] = quantity(
        (), "s; m; 1/m", "rows of yaw curvature: (0, abscissae..), then (time, curvatures..)"
    )
    file: FileName = Field(None, description="path of a text file with the same rows")
    pitch_table: Listed[tuple[tuple[float, ...], ...]] = quantity(
        (), "s; m; 1/m", "rows of pitch curvature, in the same form; none if absent"
    )
    pitch_file: FileName = Field(None, description="path of a text file with the rows of pitch curvature")
    noise: Quantity[float | None] = quantity(
        None, "1/m", "standard deviation of the noise in the tables; found in them if absent, 0: none", ge=0
    )
    period: Quantity[float | None] = quantity(
        None, "s", "period of the motion, for period averages; none if absent", gt=0
    )
    drives: ClassVar[str] = "strain"

    @checked
    def _readable(self) -> None:
        for what, rows in self._rows.items():
            if rows.ndim != 2 or rows.shape[0] <= _LEAST or rows.shape[1] <= _LEAST:
                raise ValueError(
                    f"{what} needs at least {_LEAST} times and {_LEAST} abscissae; got a table of shape {rows.shape}"
                )
            if not np.isfinite(rows).all():
                raise ValueError(f"{what} must be finite; found a missing or infinite number")
            if not ((np.diff(rows[1:, 0]) > 0).all() and (np.diff(rows[0, 1:]) > 0).all()):
                raise ValueError(f"times and abscissae of {what} must increase")
            spread = float(np.std(rows[1:, 1:]))
            if self.noise and self.noise >= spread:
                raise ValueError(
                    f"noise: {self.noise:g} 1/m is no less than the spread of the {what} itself, {spread:.3g} 1/m"
                )

    @cached_property
    def _rows(self) -> dict[str, Array]:
        """Tables of yaw and, where given, of pitch."""
        rows = {"sampled curvature": rows_of(self.table, self.file, "sampled curvature", "curvatures")}
        if self.pitch_table or self.pitch_file:
            rows["sampled pitch curvature"] = rows_of(
                self.pitch_table, self.pitch_file, "sampled pitch curvature", "curvatures"
            )
        return rows

    @cached_property
    def _smoothed(self) -> dict[str, Smoothed]:
        """The curvatures of each table without their noise."""
        return {
            what: smooth_grid(rows[1:, 0], rows[0, 1:], rows[1:, 1:], self.noise) for what, rows in self._rows.items()
        }

    def notes(self) -> tuple[str, ...]:
        """What was smoothed away, and by how much."""
        where, said = "stated" if self.noise is not None else "found in it", []
        for what, found in self._smoothed.items():
            if found.removed > 0.0:
                said.append(
                    f"gait.noise: the {what} was smoothed: {found.removed:.2g} 1/m were taken off (root mean square), "
                    f"as noise of {found.noise:.2g} 1/m ({where}) accounts for; state `noise` (0: none) to decide "
                    "otherwise"
                )
            elif found.noise > 0.0:
                said.append(
                    f"gait.noise: the {what} has noise of {found.noise:.2g} 1/m ({where}), but too few samples to "
                    "tell it from the motion; forces carry it many times over"
                )
        return (*super().notes(), *said)

    @cached_property
    def _surfaces(self) -> list[_Surface]:
        """The splines of yaw and, where given, of pitch."""
        from scipy.interpolate import make_interp_spline

        found = []
        for what, rows in self._rows.items():
            first = make_interp_spline(rows[1:, 0], self._smoothed[what].values, k=_DEGREE)
            second = make_interp_spline(rows[0, 1:], first.c.T, k=_DEGREE)
            found.append(_Surface(np.ascontiguousarray(second.c.T), first.t, second.t))
        return found

    def sample(self, times: Array, stations: Array) -> Drive:
        """Strain (T, S, 6); stations (S,), or (T, S) where each time has its own."""
        self._refuse_outside(times, stations)
        return strain_drive(*(surface.rows(times, stations) for surface in self._surfaces))

    def _refuse_outside(self, times: Array, stations: Array) -> None:
        for what, rows in self._rows.items():
            for name, unit, wanted, known in (
                ("times", "s", times, rows[1:, 0]),
                ("abscissae", "m", stations, rows[0, 1:]),
            ):
                slack = 1e-9 * (known[-1] - known[0])
                if wanted.min() < known[0] - slack or wanted.max() > known[-1] + slack:
                    raise InputError(
                        f"the {what} covers {name} {known[0]:g} to {known[-1]:g} {unit}, but the run asks for "
                        f"{wanted.min():g} to {wanted.max():g}; record more, or shorten the run or the body"
                    )
