"""`function`: a gait written as a plain Python function of time and station."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.core import Field, Function, InputError, Nested, Quantity, call, differences, name_of, quantity, span
from limbless.core.functions.function_arguments import WithArguments
from limbless.mechanics.compiled import kernel_array

# of the largest rate or acceleration: above round-off of the differences, below any slip of a hand-written one
_TOLERANCE = 1e-5


class FunctionGait(Gait, WithArguments):
    """Your own gait, as a function `function(t, s)` of NumPy arrays.

    The times t have the shape (T,) and the stations s the shape (S,). The function returns the value, or (value, rate,
    acceleration). The shape of the value depends on `drives`:

    - `shape`: heading (T, S), or heading and elevation (T, S, 2), at the arc lengths s behind the first joint;
    - `joint` and `torque`: (T, joints), and s holds joint numbers;
    - `strain`: (T, S, 6) with stretch, shears, twist and curvatures of a rod at the arc lengths s from its head.

    limbless compares given derivatives with differences of the value and refuses them if they disagree. Without given
    derivatives it takes eighth-order differences. Further arguments with numbers as defaults are the gait's
    `arguments`: `def wave(t, s, amplitude: Annotated[float, "rad"] = 0.3)`.
    """

    kind: Literal["function"] = "function"
    function: Nested[Function] = Field(description="the function, or `package.module:name`, or `file.py:name`")
    arguments: dict[str, Any] = Field(
        {}, description="numbers for further arguments of the function, by their names; its defaults if absent"
    )
    drives: Literal["shape", "joint", "torque", "strain"] = Field(  # type: ignore[misc]
        "shape", description="what its value is"
    )
    period: Quantity[float | None] = quantity(
        None, "s", "period of the motion, for period averages; none if absent", gt=0
    )

    takes: ClassVar[tuple[str, int]] = ("function", 2)

    def sample(self, times: Array, stations: Array) -> Drive:
        """The function's value with its time derivatives; stations may be (T, S), each time with its own."""
        if stations.ndim == 2:
            rows = [self.sample(times[i : i + 1], stations[i]) for i in range(len(times))]
            return Drive(*(np.concatenate(parts) for parts in zip(*rows, strict=True)))
        answer = self._ask(times, stations)
        if self.drives == "torque":
            return Drive(answer[0], np.zeros_like(answer[0]), np.zeros_like(answer[0]))
        if len(answer) == 3:
            self._check(times, stations, answer)
            return Drive(*answer)
        return Drive(answer[0], *self._differences(times, stations))

    def _ask(self, times: Array, stations: Array) -> tuple[Array, ...]:
        """Call the user's function and bring its answer to the expected shape."""
        answer = call(self.function, "gait function", "(t, s)", span(times), times, stations, **self.arguments)
        if not isinstance(answer, tuple):
            answer = (answer,)
        if len(answer) not in (1, 3):
            raise InputError(
                f"gait function {self._name} must return the value or (value, rate, acceleration); "
                f"it returned {len(answer)} things"
            )
        return tuple(self._shaped(part, times, stations) for part in answer)

    def _shaped(self, part: Any, times: Array, stations: Array) -> Array:
        wanted = (len(times), len(stations))
        try:
            array = np.asarray(part, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"gait function {self._name} must return numbers; it returned {part!r:.60}") from None
        if self.drives == "shape" and array.shape == wanted:
            array = np.stack([array, np.zeros(wanted)], axis=-1)
        expected = {"shape": (*wanted, 2), "strain": (*wanted, 6)}.get(self.drives, wanted)
        if array.shape != expected:
            raise InputError(
                f"gait function {self._name} must return shape {expected} for {wanted[0]} times and {wanted[1]} "
                f"{'stations' if self.drives in ('shape', 'strain') else 'joints'}; it returned {array.shape}"
            )
        if not np.isfinite(array).all():
            raise InputError(
                f"gait function {self._name} returned a number that is not finite between {times[0]:g} "
                f"and {times[-1]:g} s"
            )
        return kernel_array(array)

    def _differences(self, times: Array, stations: Array) -> tuple[Array, Array]:
        """Rate and acceleration by central differences of the value."""
        return differences(lambda moments: self._ask(moments, stations)[0], times)

    def _check(self, times: Array, stations: Array, answer: tuple[Array, ...]) -> None:
        """Refuse given derivatives that are not those of the value (at the first and last time of each block)."""
        ends = times[[0, -1]]
        for name, mine, theirs in zip(
            ("rate", "acceleration"), self._differences(ends, stations), answer[1:], strict=True
        ):
            error, scale = np.abs(mine - theirs[[0, -1]]).max(), np.abs(theirs).max() + np.abs(mine).max()
            if error > _TOLERANCE * scale + 1e-7:
                raise InputError(
                    f"gait function {self._name}: its {name} differs from the differences of its value by {error:.3g} "
                    f"(largest {name} {scale:.3g}) near t = {ends[0]:g} or {ends[1]:g} s; correct it, or return the "
                    "value alone"
                )

    @property
    def _name(self) -> str:
        return name_of(self.function)
