"""All that moves in a run, as instances of shapes: the robot, or the meshes of its file, objects, and what holds it.
Studio, replay, movies and exported files draw the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.view.scene import arrows
from limbless.view.scene.body_shapes import Body, Placed
from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.robot_meshes import meshes_of
from limbless.view.scene.shapes import Shape, bevelled_box, capsule, painted, sphere

if TYPE_CHECKING:
    from limbless.view.scene.palette import Theme

HELD = 1.25  # radius of a ball where a body is held, over that of the body
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


class MovingParts:
    """Shapes, and where their instances are in a frame.

    Parameters
    ----------
    smooth : a skin instead of the modules of a chain.
    meshes : those of the robot's file in place of both, where all that it names were found.
    """

    def __init__(self, frames: Frames, theme: Theme, smooth: bool = False, meshes: bool = True) -> None:
        self.body, self.meshes = Body(frames, theme, smooth), meshes_of(frames) if meshes else []
        self.shapes = dict(self.body.shapes)
        if self.meshes:
            self.shapes = {
                f"mesh {number}": painted(mesh.vertices, mesh.faces, theme.shell)
                for number, mesh in enumerate(self.meshes)
            }
        self.take(frames)
        self.shapes |= {f"object {number}": item.shape for number, item in enumerate(self.objects)}
        if self.holds is not None:
            self.shapes["holds"] = sphere((0.0, 0.0, 0.0), 1.0, theme.holds)

    def take(self, frames: Frames) -> None:
        """Other frames of the same robot."""
        self.frames = self.body.frames = frames
        self.objects, self.holds = objects_of(frames), arrows.holds(frames)

    def at(self, frame: int) -> dict[str, Placed]:
        """Every shape's instances in a frame; what holds nothing has no size."""
        f = self.frames
        found = {} if self.meshes else self.body.at(frame)
        for number, mesh in enumerate(self.meshes):
            R = f.rotation[frame, mesh.section]
            where = f.position[frame, mesh.section] + R @ mesh.position
            found[f"mesh {number}"] = Placed(where[None], (R @ mesh.rotation)[None], np.ones((1, 3)))
        now = slice(frame, frame + 1)
        found |= {
            f"object {number}": Placed(item.position[now], quaternion_to_matrix(item.turn[now]), np.ones((1, 3)))
            for number, item in enumerate(self.objects)
        }
        if self.holds is not None:
            place, there = (values[frame] for values in self.holds)
            size = np.where(there, HELD * float(np.median(f.radius[frame])), 1e-6)
            axes = np.broadcast_to(np.eye(3), (len(place), 3, 3))
            found["holds"] = Placed(place, axes, np.repeat(size[:, None], 3, axis=1))
        return found
