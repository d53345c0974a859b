"""A controller with state as a part of a chain's problem: its tables, its numbers in a state, its variables."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.control.controllers.base import ClosedLoop, LoopLayout
from limbless.core import InputError
from limbless.mechanics.chain import ChainTables, LinkRow
from limbless.mechanics.compiled import map_arrays
from limbless.models.base import Variable
from limbless.models.chain.chain_problem import control_start
from limbless.models.step_limit import StepLimit
from limbless.models.variables import choose
from limbless.robots.chain import Chain

Array = NDArray[np.float64]
NAMES = "controller"
"""Of a state's memory: what the numbers of its controller are."""


def layout_of(chain: Chain, robot: ChainTables) -> LoopLayout:
    """Where a controller finds the joints and bodies of a chain."""
    link = LinkRow.of(robot.links)
    columns: list[tuple[int, ...]] = []
    for row in range(1, len(link.kind)):
        behind = next((k for k in range(row, len(link.kind)) if link.has_body[k]), row)
        before = next((k for k in range(row - 1, -1, -1) if link.has_body[k]), 0)
        for c in range(link.freedoms[row]):
            if link.positions[row] != link.freedoms[row]:
                raise InputError("controller: spherical joints take none; describe them as three revolute joints")
            columns.append((link.position[row] + c, link.velocity[row] + c, behind, before))
    position, velocity, behind_of, before_of = np.array(columns, dtype=np.int64).reshape(-1, 4).T
    return LoopLayout(chain, position, velocity, behind_of, before_of, control_start(robot))


class ChainLoop:
    """A controller and the chain that it drives."""

    def __init__(self, controller: ClosedLoop, chain: Chain, robot: ChainTables) -> None:
        self.controller, self.layout = controller, layout_of(chain, robot)
        self.packed = controller.pack(self.layout)
        self.count = len(self.packed.start)
        self.columns = slice(self.layout.first, self.layout.first + self.count)
        self.memory = {NAMES: np.frombuffer("\n".join(self.packed.names).encode(), dtype=np.uint8)}
        self._neurons = controller.neurons(self.layout)

    def tables(self) -> tuple[Any, ...]:
        """With memory of their own: two runs of one model are two problems."""
        return (map_arrays(np.copy, self.packed.tables),)

    def step_limit(self, interval: float) -> StepLimit:
        """The longest step with which an explicit scheme follows the controller."""
        return StepLimit(interval / max(self.packed.fastest, 1e-300), self.packed.why)

    def variables(self, x: Array) -> dict[str, Array]:
        state = x[:, self.columns]
        return {"controller_state": state, "activity": self.controller.activity(state, len(self._neurons))}

    def schema(self) -> dict[str, Variable]:
        return choose("controller_state", "activity")

    def coordinates(self) -> dict[str, Any]:
        return {
            "controller_number": (("controller_number",), list(self.packed.names), {}),
            "neuron": (("neuron",), self._neurons, {}),
        }
