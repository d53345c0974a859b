"""The list of measures, filled by a decorator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from limbless.simulation.analysis import speed

RESULT, STEADY = "result", "steady"
Function = TypeVar("Function", bound=Callable[[Any], Any])
Along = Callable[[float, float, float, float], float | None]
"""along(way (m) along a direction, duration (s), positive work (J), mass (kg)) -> a number, or None for none"""


class Lean(NamedTuple):
    """What is kept of a run that went side by side with others, of which there is no `Result`."""

    duration: float  # s
    moved: NDArray[np.float64]  # (3,) of the centre of mass, world, m
    positive_work: float  # J
    peak: NDArray[np.float64]  # (joints,) largest absolute torque at any step
    limit: NDArray[np.float64]  # (joints,) what the actuators give; infinite where nothing is said
    mass: float  # kg
    length: float  # of the body, m
    facts: Mapping[str, Any]  # what decides whether it is a run of getting somewhere


@dataclass(frozen=True)
class Measure:
    """A number of a run, with its unit, its meaning and whether it is differentiable.

    `function` takes a `Result` (`needs` is `result`) or a `SteadyMotion` (`steady`). It returns a number, None if there
    is none, or a mapping of numbers. `lean`, if given, computes the same number from a run with few records. `wants`
    are words of `search.optimisation.availability`: conditions that a scenario must meet. `along`, if given, is the
    signed number along a direction: `mean_speed@x`.
    """

    name: str
    unit: str
    meaning: str
    function: Callable[[Any], Any]
    needs: str = RESULT
    smooth: bool = False
    lean: Callable[[Lean], float | None] | None = None
    wants: tuple[str, ...] = ()
    along: Along | None = None

    @property
    def transport(self) -> bool:
        """Whether it means something only for a run of getting somewhere."""
        return self.name == "cost_of_transport"


def leanly(along: Along, transport: bool, vector: Any, run: Lean) -> float | None:
    """A measure along a direction, or without one (None) along the whole way, of a run that kept little."""
    if transport and speed.why_no_transport(run.moved, run.length, run.facts):
        return None
    way = np.linalg.norm(run.moved) if vector is None else run.moved @ vector
    return along(float(way), run.duration, run.positive_work, run.mass)


entries: dict[str, Measure] = {}


def measure(
    name: str,
    unit: str,
    meaning: str,
    needs: str = RESULT,
    smooth: bool = False,
    lean: Callable[[Lean], float | None] | None = None,
    wants: tuple[str, ...] = (),
    along: Along | None = None,
) -> Callable[[Function], Function]:
    """Register a function as a measure."""

    def register(function: Function) -> Function:
        entries[name] = Measure(name, unit, meaning, function, needs, smooth, lean, wants, along)
        return function

    return register
