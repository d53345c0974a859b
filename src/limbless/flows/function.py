"""`function`: a flow written as a plain Python (or compiled) function of time and place."""
from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import numpy as np
from pydantic import Field

from limbless.callables import Function, call, name_of
from limbless.errors import InputError
from limbless.flows.base import Array, Flow, filled
from limbless.mechanics.compiled.function_slot import PythonSlot
from limbless.mechanics.compiled.tables import Rows
from limbless.mechanics.forces.stream import FUNCTION, StreamBuffer

STEP = 1e-4
"""m and s: of the central differences that find rate and gradient."""


class FunctionFlow(Flow):
    """Your own flow: `function(t, place)` of the time (s) and a place (3, m, world) returns the velocity (3, m/s).

    Its rate in time is taken by central differences of 1e-4 s, and its gradient by differences of 1e-4 m unless
    `gradient(t, place)` returns it (3 x 3: row i has the changes of component i along x, y, z). Plain Python is called
    some times for every point of every stage.
    """

    kind: Literal["function"] = "function"
    function: Function = Field(description="the velocity: the function, or `package.module:name`, or `file.py:name`")
    gradient: Function | None = Field(None, description="its gradient; central differences if absent")

    @cached_property
    def slot(self) -> Any:
        return PythonSlot(self._answer, StreamBuffer.width)

    def _ask(self, function: Any, what: str, t: float, place: Array, shape: tuple[int, ...]) -> Array:
        where = f"at t = {t:g} s, place ({', '.join(f'{x:.3g}' for x in place)}) m"
        answer = call(function, what, "(t, place)", where, t, place)
        try:
            found = np.asarray(answer, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"{what} {name_of(function)} must return numbers; it returned {answer!r:.60} {where}") \
                from None
        if found.shape != shape:
            raise InputError(f"{what} {name_of(function)} must return shape {shape}; it returned {found.shape} {where}")
        if not np.isfinite(found).all():
            raise InputError(f"{what} {name_of(function)} returned a number that is not finite {where}")
        return found

    def _velocity(self, t: float, place: Array) -> Array:
        return self._ask(self.function, "flow function", t, place, (3,))

    def _answer(self, buffer: Array) -> None:
        given = StreamBuffer.of(buffer)
        t, place = float(given.time), np.array(given.place)
        given.velocity[:] = self._velocity(t, place)
        given.rate[:] = (self._velocity(t + STEP, place) - self._velocity(t - STEP, place)) / (2.0 * STEP)
        if self.gradient is not None:
            gradient = self._ask(self.gradient, "flow gradient", t, place, (3, 3))
        else:
            steps = STEP * np.eye(3)
            gradient = np.column_stack([self._velocity(t, place + step) - self._velocity(t, place - step)
                                        for step in steps]) / (2.0 * STEP)
        given.gradient[:] = gradient.ravel()

    def rows(self, level: float) -> Rows:
        return filled(1, FUNCTION, address=self.slot.address)

    def at(self, time: Array, place: Array, level: float = 0.0) -> Array:
        times = np.broadcast_to(time, np.shape(place)[:-1])
        flat = [self._velocity(float(t), x) for t, x in zip(times.ravel(), place.reshape(-1, 3), strict=True)]
        return np.array(flat).reshape(np.shape(place))
