"""The smallest run that uses every kernel of the non-smooth model once, so that they are compiled and cached."""
from __future__ import annotations

from limbless.actuation import ProportionalDerivative
from limbless.environments.gravity import Gravity
from limbless.environments.ground import Ground
from limbless.gaits.joint_wave import JointWave
from limbless.robots.aiko import Aiko
from limbless.simulation import simulate


def run() -> None:
    """A few steps of a short snake."""
    simulate(Aiko(links=2), JointWave(), (Ground(), Gravity()), model="non-smooth", duration=0.005, step=0.001,
             actuation=ProportionalDerivative(stiffness=(40.0, 800.0), damping=0.2), initial={"position": (0.0, 0.0, 0.0525)})
