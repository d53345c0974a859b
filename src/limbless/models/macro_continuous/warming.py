"""The smallest runs that use every kernel of the macro-continuous model once, so that they are compiled and cached."""
from __future__ import annotations

from limbless.environments.support import Support
from limbless.environments.water import Water
from limbless.gaits.body_wave import BodyWave
from limbless.gaits.travelling_curvature import TravellingCurvature
from limbless.robots.rod import Rod
from limbless.simulation import simulate


def run_forward() -> None:
    """A few steps in water."""
    simulate(Rod(), BodyWave(), Water(), model="macro-continuous", duration=0.02)


def run_kinematic() -> None:
    """A few steps between supports."""
    simulate(Rod(base="planar"), TravellingCurvature(), Support(), model="macro-continuous", duration=0.02)
