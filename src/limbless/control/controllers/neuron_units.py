"""Units of neurons along a body, a left and a right one each, that sense how their joints bend and activate muscles."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import numpy as np

from limbless.control.controllers.base import Indices, Lesion, LoopLayout, one_for_each
from limbless.control.controllers.recorded_law import RecordedLaw
from limbless.control.controllers.senses import Sense
from limbless.control.controllers.signals import signals
from limbless.core import Field, InputError, Listed, Nested, Quantity, quantity

SIDES = ("left", "right")


class NeuronUnits(RecordedLaw):
    """What kinds of such neurons share. Units are numbered from the base; their joints are neighbours."""

    units: int = Field(12, description="units along the body, each with as many joints", ge=1)
    muscle_time: Quantity[float] = quantity(0.1, "s", "with which muscles follow their neurons", gt=0)
    muscle_weight: Listed[float | tuple[float, ...]] = quantity(
        1.0, "1", "of a neuron on its muscles; one for all, one for each unit, or one for each joint"
    )
    noise: Quantity[float] = quantity(0.0, "1", "standard deviation of the noise of what is sensed", ge=0)
    delay: Quantity[float] = quantity(0.0, "s", "by which it is late, whole steps", ge=0)
    seed: int = Field(0, description="of that noise", ge=0)
    output: Literal["activation"] = Field("activation", description="of the muscles of all joints of a unit")
    lesion: Nested[Lesion] = Field(
        Lesion(),
        description="what is cut: `oscillators` (neurons of both sides), `couplings`, `senses`, `outputs`, by units",
    )

    def sensed(self, layout: LoopLayout) -> list[Sense]:
        return [Sense(kind="joint_position", of="all", noise=self.noise, delay=self.delay)]

    def neurons(self, layout: LoopLayout) -> list[str]:
        return [f"unit {k} {side}" for side in SIDES for k in range(self.units)]

    def _joints(self, layout: LoopLayout) -> Indices:
        """(units, joints of a unit)"""
        if layout.freedoms % self.units:
            raise InputError(
                f"controller.units: {layout.freedoms} joints are no multiple of {self.units} units; choose a divisor"
            )
        return np.arange(layout.freedoms, dtype=np.int64).reshape(self.units, -1)

    def _followed(self, left: Any, right: Any, first: Any, second: Any) -> dict[str, Any]:
        """Rates of the muscles of both sides, which follow the difference of their neurons."""
        return {
            "left muscle": (left - right - first) / self.muscle_time,
            "right muscle": (right - left - second) / self.muscle_time,
        }

    def _activated(self, layout: LoopLayout, muscles: Any, law: Any) -> list[tuple[str, int, Any]]:
        """Outputs: the muscles of the joints of a unit, by the law of what they follow times their weight."""
        weights, joints = np.atleast_1d(np.asarray(self.muscle_weight, dtype=np.float64)), self._joints(layout)
        if weights.size == layout.freedoms:
            weights = weights.reshape(joints.shape)
        else:
            weights = np.broadcast_to(
                one_for_each(weights, self.units, "muscle_weight", "units")[:, None], joints.shape
            )
        dumb = self.lesion.cut("outputs", self.units, "units")

        @cache
        def pull(side: int, unit: int, weight: float) -> Any:
            return law(muscles[side][unit] * weight) * float(unit not in dumb)

        return [
            (name, int(joints[place]), pull(side, place[0], float(weights[place])))
            for side, name in enumerate(SIDES)
            for place in np.ndindex(joints.shape)
        ]


def summed(parts: Any) -> Any:
    """The sum of some signals."""
    total: Any = 0.0
    for part in parts:
        total = total + part
    return total


def row(parts: Any) -> Any:
    return signals(list(parts))
