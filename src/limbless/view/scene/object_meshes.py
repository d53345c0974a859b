"""Free objects as shapes that move with a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.shapes import Shape, bevelled_box, capsule

OBJECT, _EDGE = "#C08A3E", "#8A5F24"
_BEVEL = 0.03  # of an edge, over the shortest side


@dataclass(frozen=True)
class ObjectMesh:
    """An object: its shape along its own axes (m), and where it is in each frame."""

    name: str
    shape: Shape
    position: Array  # (frames, 3) m, world
    turn: Array  # (frames, 4) quaternions

    def at(self, frame: int) -> Array:
        """Its vertices in the world, m."""
        return np.asarray(self.shape.vertices @ quaternion_to_matrix(self.turn[frame]).T + self.position[frame])


def objects_of(frames: Frames) -> list[ObjectMesh]:
    """All objects of a result; none where none were recorded."""
    position, turn = frames.values("object_position"), frames.values("object_orientation")
    bodies = [named for item in frames.result.environment for named in item.free_bodies()]
    if position is None or turn is None or len(bodies) != position.shape[1]:
        return []
    return [
        ObjectMesh(name, shape_of(body), position[:, number], turn[:, number])
        for number, (name, body) in enumerate(bodies)
    ]


def shape_of(body: Any) -> Shape:
    """A box, ball or capsule along its own axes, m."""
    if body.shape == "box":
        return bevelled_box(body.sizes, OBJECT, _EDGE, _BEVEL * min(body.sizes))
    return capsule(float(body.length or 0.0), body.radius, OBJECT)
