"""`function`: a flow written as a plain Python (or compiled) function of time and place."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Literal

import numpy as np

from limbless.core import Field, Function, Nested, call, checked, name_of, numbers_of
from limbless.environments.flows.base import Array, Flow, filled
from limbless.mechanics.compiled import PythonCallback, Rows, compiled_pointer, njit
from limbless.mechanics.forces import FLOW_KINDS, StreamBuffer

STEP = 1e-4
"""m and s: of the central differences that find rate and gradient."""


class CompiledFlow:
    """What `compiled_flow` makes: a flow behind an address, which can also be called as `flow(t, place)`."""

    error = None
    time = 0.0

    def __init__(self, function: Any, law: Any) -> None:
        self.function, self._law, self.address = function, law, law.address
        self.__name__ = getattr(function, "__name__", "compiled flow")

    def __call__(self, t: float, place: Array) -> Any:
        return self.function(t, place[0], place[1], place[2])


def compiled_flow(function: Any) -> CompiledFlow:
    """Compile a flow `function(t, x, y, z)` that returns three numbers (m/s), for use in `FunctionFlow`: it must be
    such that numba can compile it. Its rate and gradient are found by the same differences, in compiled code.
    """
    inner = njit(function)
    velocity, rate, gradient = (StreamBuffer.fields[name].column for name in ("velocity", "rate", "gradient"))

    def answer(buffer):
        t, x, y, z = buffer[0], buffer[1], buffer[2], buffer[3]
        u, later, before = inner(t, x, y, z), inner(t + STEP, x, y, z), inner(t - STEP, x, y, z)
        ahead = (inner(t, x + STEP, y, z), inner(t, x, y + STEP, z), inner(t, x, y, z + STEP))
        behind = (inner(t, x - STEP, y, z), inner(t, x, y - STEP, z), inner(t, x, y, z - STEP))
        for i in range(3):
            buffer[velocity + i] = u[i]
            buffer[rate + i] = (later[i] - before[i]) / (2.0 * STEP)
            for j in range(3):
                buffer[gradient + 3 * i + j] = (ahead[j][i] - behind[j][i]) / (2.0 * STEP)

    return CompiledFlow(inner, compiled_pointer(answer, StreamBuffer.width, velocity, 3))


class FunctionFlow(Flow):
    """Your own flow, as a function of time and position.

    `function(t, place)` takes the time (s) and a position (3, m, world) and returns the velocity (3, m/s). Its time
    derivative is a central difference of 1e-4 s, and its gradient one of 1e-4 m, unless `gradient(t, place)` returns
    the gradient (3 x 3: row i has the changes of component i along x, y, z). limbless calls plain Python several times
    for every point of every stage. `compiled_flow` in `limbless.environments.flows.user_flow` compiles a function of
    four numbers (t, x, y, z) that returns three.
    """

    kind: Literal["function"] = "function"
    function: Nested[Function] = Field(
        description="the velocity: the function, or `package.module:name`, or `file.py:name`"
    )
    gradient: Nested[Function | None] = Field(None, description="its gradient; central differences if absent")

    @checked
    def _compiled_alone(self) -> None:
        if isinstance(self.function, CompiledFlow) and self.gradient is not None:
            raise ValueError("gradient: a compiled flow finds its own, by differences; leave it out")

    @cached_property
    def slot(self) -> Any:
        if isinstance(self.function, CompiledFlow):
            return self.function
        return PythonCallback(self._answer, StreamBuffer.width)

    def _ask(self, function: Any, what: str, t: float, place: Array, shape: tuple[int, ...]) -> Array:
        where = f"at t = {t:g} s, place ({', '.join(f'{x:.3g}' for x in place)}) m"
        answer = call(function, what, "(t, place)", where, t, place)
        return numbers_of(answer, f"{what} {name_of(function)}", where, shape)

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
            gradient = np.column_stack(
                [self._velocity(t, place + step) - self._velocity(t, place - step) for step in steps]
            ) / (2.0 * STEP)
        given.gradient[:] = gradient.ravel()

    def rows(self, level: float) -> Rows:
        return filled(1, FLOW_KINDS.function, address=self.slot.address)

    def at(self, time: Array, place: Array, level: float = 0.0) -> Array:
        times = np.broadcast_to(time, np.shape(place)[:-1])
        flat = [self._velocity(float(t), x) for t, x in zip(times.ravel(), place.reshape(-1, 3), strict=True)]
        return np.array(flat).reshape(np.shape(place))
