"""Controllers: functions that are asked in every period, and kinds with state in the motion, one file each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import model_validator

from limbless.core import Field, Function, Nested, call
from limbless.core.functions.function_arguments import WithArguments


class Controller(Protocol):
    """What closes a loop: a function, or an object that is called like one, in every control period."""

    def __call__(
        self, time: float, observation: dict[str, NDArray[np.float64]], /
    ) -> Mapping[str, Any] | ArrayLike | None:
        """From the time (s) and what is observed: fields of the gait to change, or `joint_position`, which a feedback
        is to follow; joint torques to add until the next call; or None.
        """


class AskedFunction(WithArguments):
    """A Python function that is asked in every control period, saved where it is found again, or with its source."""

    function: Nested[Function] = Field(description="the function, or `package.module:name`, or `file.py:name`")
    arguments: dict[str, Any] = Field(
        {}, description="numbers for further arguments of the function, by their names; its defaults if absent"
    )

    takes: ClassVar[tuple[str, int]] = ("function", 2)

    @model_validator(mode="before")
    @classmethod
    def _named(cls, data: Any) -> Any:
        return {"function": data, "arguments": {}} if isinstance(data, str) or callable(data) else data

    def ask(self, time: float, observation: dict[str, NDArray[np.float64]]) -> Any:
        """What it answers; whatever it raises becomes an `InputError` that names it and the time."""
        return call(self.function, "controller", "(time, observation)", time, time, observation, **self.arguments)
