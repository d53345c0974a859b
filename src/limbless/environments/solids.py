"""What there is to see of an environment: plain solids, which views make meshes of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np

from limbless.environments.base import Array

WAVE_CELLS = 48
"""Along each side of a sheet that is fine enough for waves."""


class DrawnSheet(NamedTuple):
    """A surface z = height(x, y), m, as far as a picture goes; without `height`, a level one under the robot."""

    name: str
    height: Callable[[Array, Array], Array] | None
    look: Literal["ground", "water"] = "ground"
    cells: int = 12
    moves: bool = False  # with time: what is drawn is its beginning


def level_water(surface: float | None) -> list[DrawnSheet]:
    """The level surface of water at this height, m; nothing of deep water."""
    return [] if surface is None else [DrawnSheet("water surface", lambda x, y: np.full(np.shape(x), surface), "water")]


class DrawnRelief(NamedTuple):
    """The top of a solid: heights (rows, columns) over x (rows,) and y (columns,), m."""

    name: str
    x: Array
    y: Array
    heights: Array


class DrawnBar(NamedTuple):
    """A round bar from `foot` along `span`, m."""

    name: str
    foot: Array
    span: Array
    radius: float


class DrawnBox(NamedTuple):
    """A box: its centre, its axes in columns, and its sizes along them, m."""

    name: str
    centre: Array
    axes: Array
    sizes: Array


class DrawnBall(NamedTuple):
    """A ball, m."""

    name: str
    centre: Array
    radius: float


class DrawnTube(NamedTuple):
    """A round wall around points (n, 3) of an axis, which goes along `ways` (n, 3) there."""

    name: str
    middles: Array
    ways: Array
    radius: float


Drawn = DrawnSheet | DrawnRelief | DrawnBar | DrawnBox | DrawnBall | DrawnTube
