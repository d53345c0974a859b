"""Free objects as meshes that move with a result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.skin import Faces, ball
from limbless.view.scene.surroundings import BOX_FACES, CORNERS

OBJECT = "#C08A3E"


@dataclass(frozen=True)
class ObjectMesh:
    """An object: its mesh along its own axes (m), and where it is in each frame."""

    name: str
    vertices: Array
    faces: Faces
    flat: bool  # with edges
    position: Array  # (frames, 3) m, world
    turn: Array  # (frames, 4) quaternions

    def at(self, frame: int) -> Array:
        """Its vertices in the world, m."""
        return np.asarray(self.vertices @ quaternion_to_matrix(self.turn[frame]).T + self.position[frame])


def objects_of(frames: Frames) -> list[ObjectMesh]:
    """All objects of a result; none where none were recorded."""
    position, turn = frames.values("object_position"), frames.values("object_orientation")
    bodies = [named for item in frames.result.environment for named in item.free_bodies()]
    if position is None or turn is None or len(bodies) != position.shape[1]:
        return []
    return [
        ObjectMesh(name, *mesh_of(body), body.shape == "box", position[:, number], turn[:, number])
        for number, (name, body) in enumerate(bodies)
    ]


def mesh_of(body: Any) -> tuple[Array, Faces]:
    """Vertices along the object's own axes, m, and faces."""
    if body.shape == "box":
        return CORNERS * np.array(body.sizes), BOX_FACES
    points, faces = ball()
    half = 0.5 * float(body.length or 0.0)
    return points * body.radius + np.sign(points[:, :1]) * [[half, 0.0, 0.0]], faces
