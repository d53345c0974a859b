"""`rate-neurons`: neurons with graded voltages, coupled by gap junctions and by what they sense of the body's bend."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from limbless.control.controllers.base import Array, LoopLayout
from limbless.control.controllers.neuron_units import NeuronUnits, row, summed
from limbless.control.controllers.recorded_law import Instant, Outcome
from limbless.core import Quantity, quantity


class RateNeurons(NeuronUnits):
    """Neurons of a worm (Johnson, Lewis and Guy 2021): τ_n V' = V - a V³ + I - w s + w' s' + gap junctions.

    s is how a unit bends to the neuron's own side, and s' how the next one towards the base does. Muscles follow the
    difference of both sides, τ_m A' = V - V_other - A, and are activated by (1 + tanh(weight A - 2)) / 2.
    """

    kind: Literal["rate-neurons"] = "rate-neurons"
    neuron_time: Quantity[float] = quantity(0.01, "s", "τ_n", gt=0)
    cubic: Quantity[float] = quantity(1.0, "1", "a", gt=0)
    current: Quantity[float] = quantity(0.0, "1", "I, of all neurons")
    proprioception: Quantity[float] = quantity(1.0, "1/rad", "w: of the bend of its own unit, mean of its joints")
    neighbour: Quantity[float] = quantity(0.05, "1/rad", "w': of that of the next unit towards the base, the other way")
    gap_junction: Quantity[float] = quantity(0.0134, "1", "conductance between neurons of one side, unit to unit")
    start_voltage: Quantity[float] = quantity(1.0, "1", "of left neurons at the start; right ones have the opposite")

    def fastest(self, layout: LoopLayout) -> tuple[float, str]:
        return 2.0 / self.neuron_time, "the neurons (controller.neuron_time)"

    def start(self, layout: LoopLayout) -> dict[str, Array]:
        voltage = np.full(self.units, self.start_voltage)
        return {
            "left": voltage,
            "right": -voltage,
            "left muscle": np.zeros(self.units),
            "right muscle": np.zeros(self.units),
        }

    def answer(self, now: Instant) -> Outcome:
        n, cut = self.units, self.lesion.cut("couplings", max(self.units - 1, 0), "couplings")
        bend = [summed(now.senses[0][j] for j in joints) / float(len(joints)) for joints in self._joints(now.layout)]
        own = np.full(n, self.proprioception)
        own[self.lesion.cut("senses", n, "units")] = 0.0
        felt = [
            bend[k] * own[k] - (bend[k - 1] * self.neighbour * float(own[k] != 0.0) if k else 0.0) for k in range(n)
        ]
        alive = row(float(unit not in self.lesion.cut("oscillators", n, "units")) for unit in range(n))
        left, right, first, second = now.z.values()
        joined = [0.0 if k in cut else self.gap_junction for k in range(n - 1)]

        def rates(v: Any, sense: Any) -> Any:
            gaps: list[Any] = [0.0] * n
            for k, weight in enumerate(joined):
                flow = (v[k + 1] - v[k]) * weight
                gaps[k], gaps[k + 1] = gaps[k] + flow, gaps[k + 1] - flow
            return (alive * (v - v * v * v * self.cubic + self.current) - sense + row(gaps)) / self.neuron_time

        found = {"left": rates(left, row(felt)), "right": rates(right, -row(felt))}
        outputs = self._activated(now.layout, (first, second), lambda a: (a - 2.0).tanh() * 0.5 + 0.5)
        return Outcome({**found, **self._followed(left, right, first, second)}, outputs)
