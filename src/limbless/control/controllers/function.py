"""`function`: a law of your own, with numbers of its own, as a Python function."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from limbless.control.controllers.base import Array, Lesion, LoopLayout, chosen_joints, chosen_tendons
from limbless.control.controllers.recorded_law import Instant, Outcome, RecordedLaw
from limbless.control.controllers.senses import Sense
from limbless.control.controllers.signals import Signal, SignalTape, signals
from limbless.core import Field, Function, InputError, Listed, Nested, Quantity, call, name_of, quantity
from limbless.core.functions.function_arguments import WithArguments
from limbless.mechanics.compiled import PythonCallback


class FunctionController(RecordedLaw, WithArguments):
    """Your own law: `law(t, s, z)` of NumPy arrays returns the rates of z and the command u, one for each output.

    z holds all numbers of `state` in their order, s all that is sensed. The law is called once, and its arithmetic
    recorded: it runs compiled, side by side and with derivatives, and `if` on a number of the motion is refused
    (`np.where` chooses). A `plain` law may do whatever Python can, and is called at every stage. Further arguments with
    numbers as their defaults are its `arguments`.
    """

    kind: Literal["function"] = "function"
    cuts: ClassVar[tuple[str, ...]] = ("outputs",)
    law: Nested[Function] = Field(description="the function, or `package.module:name`, or `file.py:name`")
    arguments: dict[str, Any] = Field(
        {}, description="numbers for further arguments of the law, by their names; its defaults if absent"
    )
    state: dict[str, float | Sequence[float]] = Field(
        {}, description="own numbers at the start, by name: one number or a list each"
    )
    joints: Listed[Literal["all"] | tuple[int, ...]] = Field("all", description="joints that it moves, from 0")
    tendons: Listed[tuple[int, ...]] = Field(
        (), description="tendons that it pulls, for `output: tendon`; all if empty"
    )
    senses: Listed[tuple[Sense, ...]] = Field((), description="what is sensed")
    output: Literal["torque", "target", "activation", "tendon", "effort", "signal"] = Field(
        "torque",
        description="what u is; of `activation` all left sides, then all right ones; of `signal` nothing: later "
        "controllers sense its numbers",
    )
    plain: bool = Field(
        False, description="call it in Python at every stage, some 7 µs each: one robot at a time, no derivatives"
    )
    rate: Quantity[float] = quantity(0.0, "1/s", "how fast its numbers answer: steps must follow it", ge=0)
    period: Quantity[float | None] = quantity(
        None,
        "s",
        "what it gives is held so long, whole steps, from 0 at the start on; at every instant if absent",
        gt=0,
    )
    seed: int = Field(0, description="of the noise of its senses", ge=0)
    lesion: Nested[Lesion] = Field(Lesion(), description="what is cut: `outputs`, by their numbers")

    takes: ClassVar[tuple[str, int]] = ("law", 3)

    def of_joints(self, layout: LoopLayout) -> Any:
        return chosen_joints(self.joints, layout.freedoms)

    def fastest(self, layout: LoopLayout) -> tuple[float, str]:
        return self.rate, "the numbers of the law (controller.rate)"

    def start(self, layout: LoopLayout) -> dict[str, Array]:
        return {name: np.atleast_1d(np.asarray(values, dtype=np.float64)) for name, values in self.state.items()}

    def answer(self, now: Instant) -> Outcome:
        z, s = _joined(now.z.values()), _joined(now.senses)
        places = self._places(now.layout)
        found = self._asked("while it was recorded", now.t, s, z, len(places))
        if any(not isinstance(one, Signal) and not math.isfinite(one) for one in found):
            raise InputError(f"controller.law: {name_of(self.law)} gave NaN or infinity, no number, whatever is sensed")
        cut, given = self._cut(places), zip(places, found[len(z) :], strict=True)
        outputs = [(*place, u * float(k not in cut)) for k, (place, u) in enumerate(given)]
        return Outcome(_parted(now, found), outputs)

    def _answered(self, tape: SignalTape, now: Instant) -> tuple[Outcome, Any]:
        if not self.plain:
            return super()._answered(tape, now)
        places, read = self._places(now.layout), [_joined(now.senses), _joined(now.z.values())]
        s, z = (np.array([self._early(signal).place for signal in part], dtype=np.int64) for part in read)
        rates, given = ([tape.new(1) for _ in part] for part in (z, places))
        told = np.array([signal.place for signal in (*rates, *given)])
        kept = np.ones(len(told))
        kept[[len(z) + k for k in self._cut(places)]] = 0.0

        def ask(values: Array) -> None:
            t = float(values[0])
            values[told] = answer = kept * np.array(self._asked(t, t, values[s], values[z], len(places)), dtype=float)
            if not math.isfinite(answer.dot(answer)):
                raise InputError(f"controller.law: {name_of(self.law)} gave {answer.sum()} at t = {t:g} s, no number")

        outputs = [(*place, u) for place, u in zip(places, given, strict=True)]
        return Outcome(_parted(now, rates), outputs), PythonCallback(ask, len(tape.values))

    def _cut(self, places: Sequence[Any]) -> list[int]:
        return self.lesion.cut("outputs", len(places), "outputs")

    def _places(self, layout: LoopLayout) -> list[tuple[str, int]]:
        """What each number of the command is, and of which joint or tendon."""
        if self.output == "signal":
            return []
        sides = ("left", "right") if self.output == "activation" else (self.gives,)
        rows = chosen_tendons(self.tendons, layout) if self.output == "tendon" else self.of_joints(layout)
        return [(side, int(row)) for side in sides for row in rows]

    def _asked(self, when: Any, t: Any, s: Any, z: Any, count: int) -> list[Any]:
        """The rates and then the command that the law gives, of so many outputs."""
        found = call(self.law, "controller law", "(t, s, z)", when, t, s, z, **self.arguments)
        if not isinstance(found, tuple) or len(found) != 2:
            raise InputError(
                f"controller.law: {name_of(self.law)} must return the rates of z and the command, two things"
            )
        rates, given = (np.asarray(part).ravel().tolist() for part in found)
        if len(rates) != len(z):
            raise InputError(
                f"controller.law: {name_of(self.law)} returned {len(rates)} rates for {len(z)} numbers of state"
            )
        if len(given) != count:
            raise InputError(f"controller.law: {name_of(self.law)} returned {len(given)} commands for {count} outputs")
        return rates + given


def _parted(now: Instant, rates: list[Any]) -> dict[str, Any]:
    """Rates by the names of the numbers that they are of."""
    ends = np.cumsum([len(part) for part in now.z.values()])
    return {name: rates[end - len(part) : end] for (name, part), end in zip(now.z.items(), ends, strict=True)}


def _joined(parts: Iterable[Any]) -> Any:
    """Signals of several arrays in one."""
    return signals(np.concatenate([np.zeros(0), *(np.asarray(part) for part in parts)]))
