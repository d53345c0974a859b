"""`recorded`: joint angles from a table of times, as a quintic spline."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import ValidationInfo, field_validator, model_validator

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.control.gaits.gait_table import read_rows
from limbless.core import Field, InputError, Listed, Quantity, quantity
from limbless.core.functions.callables import folder_of, located


class RecordedGait(Gait):
    """Joint positions from a table (first column time in s, then one column per joint), as a spline of degree 5.

    The spline passes through every row; velocity and acceleration are its derivatives. Give `table`, or the `file` of a
    text table (comma- or space-separated, `#` for comments). Outside the table the run is refused.
    """

    kind: Literal["recorded"] = "recorded"
    table: Listed[tuple[tuple[float, ...], ...]] = quantity((), "s; rad or m", "rows of time and joint positions")
    file: str | None = Field(None, description="path of a text file with the same columns")
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
        return read_rows(self.table, self.file, "a recorded gait", "joint positions", least=6)

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
        return Drive(*(np.ascontiguousarray(self._spline(times, nu=order)) for order in range(3)))

    @property
    def cycle(self) -> float | None:
        return self.period
