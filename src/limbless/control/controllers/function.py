"""`function`: a law of your own, with numbers of its own, as a Python function."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from limbless.control.controllers.base import Array, Lesion, LoopLayout, chosen_joints
from limbless.control.controllers.recorded_law import Instant, Outcome, RecordedLaw
from limbless.control.controllers.senses import Sense
from limbless.control.controllers.signals import signals
from limbless.core import Field, InputError, Listed, Nested, Quantity, quantity
from limbless.core.functions.callables import Function, call, name_of
from limbless.core.functions.function_arguments import Argument, arguments_of, arguments_validator


class FunctionController(RecordedLaw):
    """Your own law: `law(t, s, z)` of NumPy arrays returns the rates of z and the command u, one for each output.

    z holds all numbers of `state` in their order, s all that is sensed. The law is called once, and its arithmetic
    recorded: it runs compiled, side by side and with derivatives, and `if` on a number of the motion is refused
    (`np.where` chooses). Further arguments with numbers as their defaults are its `arguments`.
    """

    kind: Literal["function"] = "function"
    cuts: ClassVar[tuple[str, ...]] = ("outputs",)
    law: Nested[Function] = Field(description="the function, or `package.module:name`, or `file.py:name`")
    arguments: dict[str, Any] = Field(
        {}, description="numbers for further arguments of the law, by their names; its defaults if absent"
    )
    state: dict[str, Any] = Field({}, description="own numbers at the start, by name: one number or a list each")
    joints: Listed[Literal["all"] | tuple[int, ...]] = Field("all", description="joints that it moves, from 0")
    tendons: Listed[tuple[int, ...]] = Field(
        (), description="tendons that it pulls, for `output: tendon`; all if empty"
    )
    senses: Listed[tuple[Sense, ...]] = Field((), description="what is sensed")
    output: Literal["torque", "target", "activation", "tendon"] = Field(
        "torque", description="what u is; of `activation` all left sides, then all right ones"
    )
    rate: Quantity[float] = quantity(0.0, "1/s", "how fast its numbers answer: steps must follow it", ge=0)
    seed: int = Field(0, description="of the noise of its senses", ge=0)
    lesion: Nested[Lesion] = Field(Lesion(), description="what is cut: `outputs`, by their numbers")

    _of_the_function = arguments_validator("law", 3)

    def declared(self) -> Mapping[str, Argument]:
        """The numbers that the law declares in its signature, which `arguments` sets."""
        return arguments_of(self.law, 3)

    def of_joints(self, layout: LoopLayout) -> Any:
        return chosen_joints(self.joints, layout.freedoms)

    def fastest(self, layout: LoopLayout) -> tuple[float, str]:
        return self.rate, "the numbers of the law (controller.rate)"

    def start(self, layout: LoopLayout) -> dict[str, Array]:
        return {name: np.atleast_1d(np.asarray(values, dtype=np.float64)) for name, values in self.state.items()}

    def answer(self, now: Instant) -> Outcome:
        z = signals(np.concatenate([np.zeros(0), *(np.asarray(part) for part in now.z.values())]))
        s = signals(np.concatenate([np.zeros(0), *(np.asarray(part) for part in now.senses)]))
        found = call(self.law, "controller law", "(t, s, z)", "while it was recorded", now.t, s, z, **self.arguments)
        if not isinstance(found, tuple) or len(found) != 2:
            raise InputError(
                f"controller.law: {name_of(self.law)} must return the rates of z and the command, two things"
            )
        rates, given = (list(np.atleast_1d(np.asarray(part, dtype=object)).ravel()) for part in found)
        if len(rates) != len(z):
            raise InputError(
                f"controller.law: {name_of(self.law)} returned {len(rates)} rates for {len(z)} numbers of state"
            )
        sides = ("left", "right") if self.output == "activation" else (self.output,)
        rows = self.tendons or range(now.layout.tendons) if self.output == "tendon" else self.of_joints(now.layout)
        places = [(side, int(row)) for side in sides for row in rows]
        if len(given) != len(places):
            raise InputError(
                f"controller.law: {name_of(self.law)} returned {len(given)} commands for {len(places)} outputs"
            )
        cut = self.lesion.cut("outputs", len(places), "outputs")
        outputs = [(*place, u * float(k not in cut)) for k, (place, u) in enumerate(zip(places, given, strict=True))]
        split = np.cumsum([len(part) for part in now.z.values()])[:-1]
        parts = np.split(np.array([*rates, None], dtype=object)[:-1], split)
        return Outcome(dict(zip(now.z, parts, strict=True)), outputs)
