"""The smallest runs that use every kernel of the Newton-Euler model once, so that they are compiled and cached."""
from __future__ import annotations

import numpy as np

from limbless.analysis.sensitivity import sensitivity
from limbless.environments.water import Water
from limbless.gaits.body_wave import BodyWave
from limbless.models.newton_euler.model import NewtonEuler, NewtonEulerSettings
from limbless.robots.uniform_chain import UniformChain
from limbless.scenarios.scenario import Scenario
from limbless.simulation import simulate

_ROBOT = UniformChain(links=3)


def run_plain() -> None:
    """A few steps, and inverse and direct dynamics of one state."""
    simulate(_ROBOT, BodyWave(), Water(), duration=0.02)
    model = NewtonEuler(_ROBOT, Water())
    rest = np.zeros(model.chain.freedoms)
    model.inverse(rest, rest, rest)
    model.forward(rest, rest, rest)


def run_duals() -> None:
    """A few steps with derivatives."""
    scenario = Scenario(robot=_ROBOT, gait=BodyWave(), environment=(Water(),), model=NewtonEulerSettings(), duration=0.02)
    sensitivity(scenario, ["gait.amplitude"])
