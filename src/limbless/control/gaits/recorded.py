"""`recorded`: joint angles from a table or a log: held, in straight lines, or as a quintic spline."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import ValidationInfo, field_validator, model_validator

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.control.gaits.gait_table import is_plain, read_rows
from limbless.core import Field, InputError, Listed, Quantity, quantity
from limbless.core.functions.callables import folder_of, located
from limbless.interop.log_files.joint_log import rows_of_log


class RecordedGait(Gait):
    """Joint positions from a table (first column time in s, then one column per joint) or a robot's log.

    `between: spline` passes through every row with a spline of degree 5; velocity and acceleration are its derivatives.
    `straight` joins rows by lines, `hold` keeps each until the next, as a bus does that sends a reference a few times a
    second: both are for actuators that give way (pd, servo). Give `table`, or the `file` of a text table (comma- or
    space-separated, `#` for comments) or of a log (CSV with names, .mat, .xlsx, a ROS bag, .npz). Outside the table the
    run is refused.
    """

    kind: Literal["recorded"] = "recorded"
    table: Listed[tuple[tuple[float, ...], ...]] = quantity((), "s; rad or m", "rows of time and joint positions")
    file: str | None = Field(None, description="path of a text file with the same columns")
    between: Literal["spline", "straight", "hold"] = Field("spline", description="what happens between two rows")
    column: Literal["position", "command"] = Field("position", description="of a log: what is followed")
    rate: Quantity[float | None] = quantity(None, "1/s", "of a log without times: samples a second", gt=0)
    period: Quantity[float | None] = quantity(
        None, "s", "period of the motion, for period averages; none if absent", gt=0
    )
    drives: ClassVar[str] = "joint"

    @field_validator("file")
    @classmethod
    def _found(cls, value: str | None, info: ValidationInfo) -> str | None:
        """Where the file is, looked for beside the scenario first, so that the scenario may be saved anywhere."""
        return str(located(value, folder_of(info))) if value else value

    @model_validator(mode="after")
    def _readable(self) -> RecordedGait:
        self._rows  # noqa: B018  reading them is the check
        return self

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
        return self.between == "spline"

    def breakpoints(self, start: float, end: float) -> list[float]:
        return [] if self.is_smooth else [float(t) for t in self._rows[:, 0] if start < t < end]

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import make_interp_spline

        return make_interp_spline(self._rows[:, 0], self._rows[:, 1:], k=5)

    def sample(self, times: Array, stations: Array) -> Drive:
        """Joint positions (T, joints) and their derivatives."""
        first, last = self._rows[0, 0], self._rows[-1, 0]
        slack = 1e-9 * (last - first)
        if times[0] < first - slack or times[-1] > last + slack:
            raise InputError(
                f"the recorded gait covers {first:g} to {last:g} s, but the run asks for {times[0]:g} to "
                f"{times[-1]:g} s; shorten `duration` or record more"
            )
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

    @property
    def cycle(self) -> float | None:
        return self.period
