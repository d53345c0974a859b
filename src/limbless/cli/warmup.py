"""Filling the compile cache before the first run: two steps of some scenarios, and what else has kernels of its own."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any, NamedTuple

import numpy as np

from limbless.environments.water import Water
from limbless.models.chain.geometry.geometric_equations import Geometric
from limbless.models.chain.newton_euler_model import NewtonEuler
from limbless.robots.presets.uniform_chain import UniformChain
from limbless.robots.presets.wang_snake import WangSnake
from limbless.scenarios.scenario import Scenario
from limbless.search.steady_motion.steady import Families
from limbless.search.studies.sensitivity import sensitivity
from limbless.search.sweeps.rollout import rollout
from limbless.simulation.simulate import run_scenario


class Start(NamedTuple):
    """A scenario that is run for two steps (a task of statics: as a whole), with some fields changed."""

    name: str
    changes: Mapping[str, Any] = {}

    def load(self) -> Scenario:
        """The scenario, two steps long."""
        whole = Scenario.load(self.name)
        short = {} if whole.task else {"duration": 2.0 * whole.step, "record_every": whole.step}
        return Scenario.load(self.name, {**short, **self.changes})


def states_of_a_chain() -> None:
    """Inverse and direct dynamics of one state."""
    model = NewtonEuler(UniformChain(links=3), Water())
    rest = np.zeros(model.chain.freedoms)
    model.inverse(rest, rest, rest)
    model.forward(rest, rest, rest)


def symbols_of_a_snake() -> None:
    """Christoffel symbols of one state."""
    model = Geometric(WangSnake(modules=3))
    rest = np.zeros(model.freedoms)
    model.christoffel(rest)
    model.coriolis(rest, rest)


def derivatives() -> None:
    """Two steps with derivatives along a field of the gait."""
    sensitivity(Start("eel-planar").load(), ["gait.amplitude"])


def searches() -> None:
    """Steady motion with derivatives, and eight gaits at a time."""
    families, scenario = Families(8), Scenario.load("eel-planar")
    families.steady(scenario, ["gait.amplitude"])
    families.side_by_side([scenario])
    rollout(Start("eel-planar").load(), {"gait.amplitude": [0.05, 0.06]})


_SOON = {"environment.clamp.active": [[0.001, 1.0]], "actuation": {"kind": "motion"}}
"""The clamp closes within the two steps."""
_SMOOTH = {"environment.wheels.law": "regularised", "step": 0.0005, "duration": 0.0015, "record_every": 0.0005}
PARTS: dict[str, tuple[Start | Callable[[], None], ...]] = {
    "newton-euler: motion and one-state dynamics": (Start("eel-planar"), states_of_a_chain),
    "newton-euler: derivatives": (derivatives,),
    "newton-euler: steady motion and lanes": (searches,),
    "geometric: clamps and geometry": (Start("wheeled-snake-switch", _SOON | _SMOOTH), symbols_of_a_snake),
    "geometric: set-valued wheels": (Start("wheeled-snake-crawl"), Start("wheeled-snake-switch", _SOON)),
    "macro-continuous: swimming rod": (Start("rod-swim"),),
    "macro-continuous: rod on contacts": (Start("snake-turn-2d"),),
    "non-smooth: motion with contact": (Start("snake-undulate-isotropic"), Start("snake-lift")),
    "soft: spines and rods": (Start("neck-swing-air"), Start("rod-hangs")),
    "tendon-statics: equilibria and workspace": (
        Start("neck-workspace", {"gait.count": 2}),
        Start("neck-planar", {"gait.points": 2}),
    ),
    "tendon-statics: friction": (Start("neck-friction", {"gait.points": 2}),),
}
"""What is compiled, one process each: numba compiles under a global lock, so that processes
help where threads would not.
"""


def warm_all(report: Callable[[str], None]) -> float:
    """Compile the kernels of every part; returns the seconds it took."""
    began = time.perf_counter()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=min(len(PARTS), multiprocessing.cpu_count()), mp_context=context) as pool:
        for future in as_completed([pool.submit(warm, part) for part in PARTS]):
            report(future.result())
    return time.perf_counter() - began


def warm(part: str) -> str:
    """Use the kernels of a part once; returns its name."""
    for item in PARTS[part]:
        if isinstance(item, Start):
            run_scenario(item.load())
        else:
            item()
    return part
