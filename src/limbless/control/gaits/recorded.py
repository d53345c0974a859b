"""`recorded`: joint angles from a table or a log: held, in straight lines, or as a quintic spline; or the shape of a
body from an earlier result.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.control.gaits.gait_table import is_plain, read_rows, refuse_outside
from limbless.control.gaits.recorded_motion import RecordedMotion
from limbless.core import Field, FileName, InputError, Listed, Quantity, checked, quantity
from limbless.interop.log_files.joint_log import rows_of_log


class RecordedGait(Gait):
    """Joint positions from a table or from a robot's log.

    The first column of a table is the time (s), and each joint has one further column. Give `table`, or the `file` of a
    text table (comma- or space-separated, `#` for comments) or of a log (CSV with names, .mat, .xlsx, a ROS bag, .npz).
    `result` is the folder of an earlier run of any model: the gait then follows its shape along the body.

    `between: spline` passes through every row with a spline of degree 5, whose derivatives are velocity and
    acceleration. `straight` joins rows by lines. `hold` keeps each row until the next, as a bus does that sends a few
    references per second. The last two need actuators that yield (pd, servo). limbless refuses a run that leaves the
    table.
    """

    kind: Literal["recorded"] = "recorded"
    table: Listed[tuple[tuple[float, ...], ...]] = quantity((), "s; rad or m", "rows of time and joint positions")
    file: FileName = Field(None, description="path of a text file with the same columns")
    result: FileName = Field(None, description="folder of an earlier run, whose shape is followed by abscissa")
    between: Literal["spline", "straight", "hold"] = Field("spline", description="what happens between two rows")
    column: Literal["position", "command"] = Field("position", description="of a log: what is followed")
    rate: Quantity[float | None] = quantity(None, "1/s", "of a log without times: samples a second", gt=0)
    period: Quantity[float | None] = quantity(
        None, "s", "period of the motion, for period averages; none if absent", gt=0
    )

    @property
    def drives(self) -> str:  # type: ignore[override]
        """Joints; of a result, headings and elevations along the body."""
        return "joint" if self.result is None else "shape"

    @checked
    def _readable(self) -> None:
        if self.result is None:
            self._rows  # noqa: B018  reading them is the check
            return
        for name in self.given("table", "file", "between", "column", "rate"):
            raise ValueError(f"{name}: `result` takes its place; give one of both")
        self._motion  # noqa: B018

    @cached_property
    def _motion(self) -> RecordedMotion:
        return RecordedMotion(self.result or "")

    @property
    def length(self) -> float:
        """m, of the body that was recorded."""
        return float(self._motion.X[-1])

    def slope(self, times: Array, stations: Array) -> Drive:
        return self._motion.sample(times, stations, 1) if self.result else super().slope(times, stations)

    @cached_property
    def _rows(self) -> Array:
        least = {"spline": 6, "straight": 2, "hold": 1}[self.between]
        if self.file is None or self.table or is_plain(self.file):
            if self.rate is not None or self.column != "position":
                raise ValueError("rate and column are for logs; a table has times, and positions alone: leave them out")
            return read_rows(self.table, self.file, "a recorded gait", "joint positions", least=least)
        rows = rows_of_log(self.file, self.column, self.rate)
        return read_rows(tuple(map(tuple, rows.tolist())), None, "a recorded gait", "joint positions", least=least)

    @property
    def is_smooth(self) -> bool:
        """Whether it can be imposed: it has velocities and accelerations."""
        return self.result is not None or self.between == "spline"

    def breakpoints(self, start: float, end: float) -> list[float]:
        return [] if self.is_smooth else [float(t) for t in self._rows[:, 0] if start < t < end]

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import make_interp_spline

        return make_interp_spline(self._rows[:, 0], self._rows[:, 1:], k=5)

    def sample(self, times: Array, stations: Array) -> Drive:
        """Joint positions (T, joints) and their derivatives; of a result heading and elevation (T, S, 2)."""
        if self.result is not None:
            return self._motion.sample(times, stations, 0)
        refuse_outside(times, self._rows[:, 0], "the recorded gait", "shorten `duration` or record more")
        if self._rows.shape[1] - 1 != len(stations):
            raise InputError(
                f"the recorded gait has {self._rows.shape[1] - 1} joint columns, but the robot has "
                f"{len(stations)} joints"
            )
        if not self.is_smooth:
            return self._piecewise(times)
        return Drive(*(np.ascontiguousarray(self._spline(times, nu=order)) for order in range(3)))

    def _piecewise(self, times: Array) -> Drive:
        """Rows held, or joined by lines."""
        t, values = self._rows[:, 0], self._rows[:, 1:]
        row = np.clip(np.searchsorted(t, times + 1e-9 * max(t[-1] - t[0], 1e-9), side="right") - 1, 0, len(t) - 1)
        found, rate = values[row].copy(), np.zeros((len(times), values.shape[1]))
        if self.between == "straight":
            row = np.minimum(row, len(t) - 2)
            rate = (values[row + 1] - values[row]) / (t[row + 1] - t[row])[:, None]
            found = values[row] + rate * (times - t[row])[:, None]
        return Drive(found, rate, np.zeros_like(rate))
