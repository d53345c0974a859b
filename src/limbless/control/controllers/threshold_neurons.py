"""`threshold-neurons`: neurons that are on or off, and switch by what they sense of the body's stretch."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import numpy as np

from limbless.control.controllers.base import Array, LoopLayout, one_for_each
from limbless.control.controllers.neuron_units import NeuronUnits, row, summed
from limbless.control.controllers.recorded_law import Instant, Outcome, multiples
from limbless.control.controllers.signals import clip, where
from limbless.core import Field, InputError, Listed, Quantity, quantity


class ThresholdNeurons(NeuronUnits):
    """Bistable neurons of a worm (Boyle, Berri and Cohen 2012): one switches on where its current passes
    threshold + hysteresis / 2, and off below threshold - hysteresis / 2.

    The current of a neuron is that of a command neuron and the stretch of its side, summed over the joints of `reach`
    units from its own towards the tip. Left neurons inhibit right ones, which have a bias for it. Muscles follow both:
    τ V' = own - other - V, activated by weight V between 0 and 1.
    """

    kind: Literal["threshold-neurons"] = "threshold-neurons"
    ticks: ClassVar[bool] = True
    cuts: ClassVar[tuple[str, ...]] = ("oscillators", "senses", "outputs")
    period: Quantity[float] = quantity(0.001, "s", "of the switching, whole steps", gt=0)
    threshold: Quantity[float] = quantity(0.5, "1", "of a current")
    hysteresis: Quantity[float] = quantity(0.5, "1", "between switching on and off", ge=0)
    current: Quantity[float] = quantity(0.675, "1", "of the command neuron; without it nothing moves")
    bias: Quantity[float] = quantity(0.5, "1", "current of right neurons besides")
    inhibition: Quantity[float] = quantity(1.0, "1", "what a left neuron takes off the current of the right one")
    reach: int = Field(6, description="units whose stretch a neuron feels: its own and those behind it", ge=1)
    asymmetry: Quantity[float] = quantity(
        0.2, "1", "share by which left neurons feel their side more where it is shortened, and less where it is longer"
    )
    stretch_weight: Listed[float | tuple[float, ...]] = quantity(
        0.25, "1", "current per strain of a joint's side; one for all, or one for each unit"
    )

    def breakpoints(self, start: float, end: float) -> list[float]:
        return multiples(self.period, start, end) if end - start < 1e3 * self.period else []

    def fastest(self, layout: LoopLayout) -> tuple[float, str]:
        return 1.0 / self.muscle_time, "the muscles (controller.muscle_time)"

    def start(self, layout: LoopLayout) -> dict[str, Array]:
        return {name: np.zeros(self.units) for name in ("left", "right", "left muscle", "right muscle")}

    def answer(self, now: Instant) -> Outcome:
        layout, n = now.layout, self.units
        if not (layout.radius > 0.0).all():
            raise InputError("controller: threshold-neurons feel stretch, and need bodies (half_width)")
        strain = [q * float(layout.radius[j] / layout.spacing[j]) for j, q in enumerate(now.senses[0])]
        shortened = [-bent * where(bent, 1.0 + self.asymmetry, 1.0 - self.asymmetry) for bent in strain]
        felt = one_for_each(self.stretch_weight, n, "stretch_weight", "units")
        felt[self.lesion.cut("senses", n, "units")] = 0.0
        alive = [float(unit not in self.lesion.cut("oscillators", n, "units")) for unit in range(n)]
        left, right, first, second = now.z.values()
        on = [self.threshold + 0.5 * self.hysteresis - self.hysteresis * s for s in (*left, *right)]
        currents = [self.current + bent for bent in self._along(layout, shortened, felt)]
        along = self._along(layout, strain, felt)
        currents += [self.current + bent + self.bias - self.inhibition * s for bent, s in zip(along, left, strict=True)]
        after = [
            where(current - limit, 1.0, 0.0) * a for current, limit, a in zip(currents, on, alive * 2, strict=True)
        ]
        outputs = self._activated(layout, (first, second), lambda v: clip(v, 0.0, 1.0))
        return Outcome(
            self._followed(left, right, first, second), outputs, {"left": row(after[:n]), "right": row(after[n:])}
        )

    def _along(self, layout: LoopLayout, strain: Any, felt: Array) -> list[Any]:
        """What the units of a side feel: the strain of all joints in their reach."""
        own = [summed(strain[j] for j in joints) for joints in self._joints(layout)]
        return [summed(own[i : i + self.reach]) * felt[i] for i in range(self.units)]
