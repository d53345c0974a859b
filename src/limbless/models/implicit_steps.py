"""Implicit steps of a model: the engine, what it remembers from block to block, and how it says that it failed."""

from __future__ import annotations

import numpy as np

from limbless.core import Array
from limbless.mechanics.integrate import dirk
from limbless.models.base import ModelSettings, refuse_unused

_REMEMBERED = ("past", "times", "numbers", "last", "sizes")
UNSOLVED = f"the step could not be solved, even in {2**dirk.PATIENCE.halvings} parts: its stages do not come to rest"


def quarters(times: Array) -> Array:
    """Knots and middles of steps (K + 1 and K of them) with the quarters between them: what stages interpolate."""
    if len(times) < 2:
        return times
    every = np.empty(2 * len(times) - 1)
    every[::2], every[1::2] = times, 0.5 * (times[1:] + times[:-1])
    return every


class ImplicitSteps:
    """One of `implicit.METHODS`, for states of so many numbers, so many actuators and laws whose work is counted."""

    def __init__(self, integrator: str, tolerance: float, size: int, actuators: int, laws: int) -> None:
        self.method = dirk.METHODS[integrator]()
        self.sizes, self.tolerance = (size, actuators, laws), tolerance

    def scratch(self) -> dirk.Scratch:
        """Memory of a run."""
        return dirk.scratch_for(self.method, *self.sizes, self.tolerance)

    @staticmethod
    def remembered(scratch: dirk.Scratch) -> dict[str, Array]:
        """What a state remembers of the stages before it, where it stands."""
        return {f"stage_{name}": getattr(scratch, name) for name in _REMEMBERED}


def steps_of(integrator: str, tolerance: float, size: int, actuators: int, laws: int) -> ImplicitSteps | None:
    """Those of an integrator; None of an explicit one."""
    return None if integrator == "rk4" else ImplicitSteps(integrator, tolerance, size, actuators, laws)


def refuse_explicit_tolerance(settings: ModelSettings, implicit: str) -> None:
    """Refuse to solve well what is not solved: rk4 has no tolerance; `implicit` are the integrators that have one."""
    if getattr(settings, "integrator", "") == "rk4":
        told = "it says how well an implicit step is solved, and rk4 is explicit; leave it out, or set model.integrator"
        refuse_unused(settings, ["tolerance"], f"{told} to {implicit}", "model.{}")
