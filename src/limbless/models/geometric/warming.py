"""The smallest runs that use every kernel of the geometric model once, so that they are compiled and cached."""
from __future__ import annotations

import numpy as np

from limbless.environments.clamp import Clamp
from limbless.environments.wheels import Wheels
from limbless.gaits.serpenoid import Serpenoid
from limbless.models.geometric.model import Geometric
from limbless.robots.wang_snake import WangSnake
from limbless.simulation import simulate

_ROBOT = WangSnake(modules=3)


def run_smooth() -> None:
    """Symbols of one state, and a few smooth steps with a clamp."""
    model = Geometric(_ROBOT)
    rest = np.zeros(model.freedoms)
    model.christoffel(rest)
    model.coriolis(rest, rest)
    simulate(_ROBOT, Serpenoid(), (Wheels(law="regularised"), Clamp(module=-1, active=((0.0015, 1.0),))), model="geometric",
             duration=0.003, step=0.0005)


def run_stepping() -> None:
    """A few steps with set-valued wheels."""
    simulate(_ROBOT, Serpenoid(), Wheels(), model="geometric", duration=0.002, step=0.001)
