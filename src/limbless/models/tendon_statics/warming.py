"""The smallest runs that use every kernel of tendon statics once, so that they are compiled and cached."""
from __future__ import annotations

import numpy as np

from limbless.environments.gravity import Gravity
from limbless.models.tendon_statics.model import TendonStatics
from limbless.robots.snake_neck import SnakeNeck

_ROBOT = SnakeNeck(count=2)


def run_smooth() -> None:
    """A workspace and an inverse problem."""
    model = TendonStatics(_ROBOT, Gravity())
    model.workspace(0.1, 2)
    model.inverse([[0.0, 0.0]])


def run_friction() -> None:
    """A short path with stick and slip."""
    TendonStatics(_ROBOT, Gravity(), friction=0.1).path(np.array([[0.1, 0.0, 0.0, 0.0]]))
