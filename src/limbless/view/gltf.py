"""A run as an animated glTF file: Blender, three.js, PowerPoint and the file managers of most systems open it.

The body is one skin over its sections, which are the joints of glTF's skin. Each section is a node with keys for its
position and orientation, so that poses in the file are those of the result. glTF has y upwards: one root node turns the
world, which has z upwards, and everything below it is in the coordinates of the result.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import replacing
from limbless.mechanics.algebra import matrix_to_quaternion
from limbless.view.figures import style
from limbless.view.scene import tendon_lines
from limbless.view.scene.arrows import linear, rgb
from limbless.view.scene.frames import Array, Frames, frames_of
from limbless.view.scene.glb import Glb
from limbless.view.scene.object_meshes import OBJECT, objects_of
from limbless.view.scene.skin import Skin, ball, disk
from limbless.view.scene.surroundings import extent_of, surroundings

if TYPE_CHECKING:
    from limbless.simulation.result import Result

RATE = 60.0  # keys per second at most
_UPRIGHT = [-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]  # x, y, z, w: z of the world becomes y of glTF


def write_gltf(result: Result, path: Path) -> Path:
    """Write `name.glb`: the robot with its tendons, objects that it pushes, and what stands around it."""
    frames = frames_of(result)
    keys = _keys(frames)
    film = _Film(frames, keys)
    roots = [film.body(), *film.tendons(), *film.objects(), *film.surroundings()]
    film.end_animation()
    root = film.file.add("nodes", {"name": "world", "rotation": _UPRIGHT, "children": roots})
    name = getattr(result.scenario, "name", "a run")
    with replacing(path) as temporary:
        temporary.write_bytes(film.file.bytes([root], extras={"scenario": str(name), "lengths": "m"}))
    return path


def _keys(frames: Frames) -> Any:
    """Numbers of the records that become keys."""
    count = min(frames.count, int(RATE * (frames.times[-1] - frames.times[0])) + 2)
    wanted = np.linspace(frames.times[0], frames.times[-1], count)
    return np.unique(np.searchsorted(frames.times, wanted - 1e-9).clip(0, frames.count - 1))


class _Film:
    """Nodes and the one animation of a file that is being filled."""

    def __init__(self, frames: Frames, keys: Any) -> None:
        self.file, self.frames, self.keys = Glb(), frames, keys
        self._times = self.file.add_array((frames.times[keys] - frames.times[keys[0]])[:, None], bounds=True)
        self._samplers: list[dict[str, Any]] = []
        self._channels: list[dict[str, Any]] = []
        self._sections: list[int] = []
        self._skin = -1

    def colour(self, colour: str, opacity: float = 1.0, roughness: float = 0.6) -> int:
        return self.file.add_material(tuple(np.asarray(linear(rgb(colour)), float) / 255.0), opacity, roughness)

    def moves(self, node: int, what: str, values: Array) -> None:
        """Keys of a node's `translation`, `rotation` or `scale`; none where it keeps its first value."""
        if len(self.keys) > 1 and np.ptp(values, axis=0).max() > 0.0:
            self._samplers.append({"input": self._times, "output": self.file.add_array(values)})
            self._channels.append({"sampler": len(self._samplers) - 1, "target": {"node": node, "path": what}})

    def end_animation(self) -> None:
        if self._channels:
            told = {"name": "motion", "samplers": self._samplers, "channels": self._channels}
            self.file.add("animations", told)

    def node(self, name: str, position: Array, turn: Array, **more: Any) -> int:
        """A node that moves: places (keys, 3), m, and quaternions (keys, 4), scalar first."""
        turn = np.roll(_steady(turn), -1, axis=1)  # glTF has the scalar last
        told = {"name": name, "translation": position[0].tolist(), "rotation": turn[0].tolist(), **more}
        node = self.file.add("nodes", told)
        self.moves(node, "translation", position)
        self.moves(node, "rotation", turn)
        return node

    def body(self) -> int:
        """The skin on its sections, disks where it has some, and the head."""
        f, skin = self.frames, Skin(self.frames)
        sizes = np.concatenate([f.length[..., None], f.radius], axis=2)[self.keys]  # (keys, sections, 3)
        stretch = sizes / np.where(sizes[0] > 0.0, sizes[0], 1.0) + (sizes[0] == 0.0)
        turn = matrix_to_quaternion(f.rotation[self.keys])
        for number in range(f.position.shape[1]):
            node = self.node(f"section {number}", f.position[self.keys, number], turn[:, number])
            self.moves(node, "scale", stretch[:, number])
            self._sections.append(node)
        places, vertices = skin.straight()
        back = np.tile(np.eye(4), (len(places), 1, 1))
        back[:, 3, 0] = -places  # columns first, as glTF has its matrices
        told = {"joints": self._sections, "inverseBindMatrices": self.file.add_array(back)}
        self._skin = self.file.add("skins", told)
        mesh = self.file.add_mesh(vertices, skin.faces, self.colour(style.SKY), skin.held(), smooth=True)
        parts = [self.file.add("nodes", {"name": "skin", "mesh": mesh, "skin": self._skin})]
        if skin.disks:
            parts += self._disks()
        return self.file.add("nodes", {"name": "robot", "children": [*self._sections, *parts, self._head(skin.disks)]})

    def _disks(self) -> list[int]:
        points, faces = disk()
        mesh = self.file.add_mesh(points, faces, self.colour(style.SKY))
        f, turn = self.frames, matrix_to_quaternion(self.frames.rotation[self.keys])
        thick = 0.15 * float(np.median(f.radius[0]))
        return [
            self.node(
                f"disk {number}",
                f.position[self.keys, number],
                turn[:, number],
                mesh=mesh,
                scale=[thick, *f.radius[0, number].tolist()],
            )
            for number in range(f.position.shape[1])
        ]

    def _head(self, disks: bool) -> int:
        points, faces = ball()
        size = 1.15 * float(np.median(self.frames.radius[0])) * (0.35 if disks else 0.45)
        mesh = self.file.add_mesh(size * points, faces, self.colour(style.RED), smooth=True)
        still = np.tile([1.0, 0.0, 0.0, 0.0], (len(self.keys), 1))
        return self.node("head", self.frames.head[self.keys], still, mesh=mesh)

    def tendons(self) -> list[int]:
        """Lines between the holes, each end held by its section."""
        lines = tendon_lines.lines_of(self.frames)
        if lines is None or len(lines.inner) == 0:
            return []
        places, _ = Skin(self.frames).straight()
        sections = np.stack([lines.inner, lines.outer], axis=1).ravel()
        ends = np.stack([lines.start, lines.end], axis=1).reshape(-1, 3) + np.outer(places[sections], [1.0, 0.0, 0.0])
        held = np.pad(sections[:, None], ((0, 0), (0, 3))), np.tile([1.0, 0.0, 0.0, 0.0], (len(sections), 1))
        corners = np.arange(len(sections)).reshape(-1, 2)
        mesh = self.file.add_mesh(ends, corners, self.colour(style.ORANGE), held)
        return [self.file.add("nodes", {"name": "tendons", "mesh": mesh, "skin": self._skin})]

    def objects(self) -> list[int]:
        return [
            self.node(
                item.name,
                item.position[self.keys],
                item.turn[self.keys],
                mesh=self.file.add_mesh(item.vertices, item.faces, self.colour(OBJECT), smooth=not item.flat),
            )
            for item in objects_of(self.frames)
        ]

    def surroundings(self) -> list[int]:
        solids = surroundings(self.frames.result.environment, extent_of([self.frames]))
        return [
            self.file.add(
                "nodes",
                {
                    "name": solid.name,
                    "mesh": self.file.add_mesh(
                        solid.vertices,
                        solid.faces,
                        self.colour(solid.colour, solid.opacity, 0.9),
                        smooth=not solid.flat,
                    ),
                },
            )
            for solid in solids
        ]


def _steady(turn: Array) -> Array:
    """Quaternions (keys, 4) whose sign does not jump: what is drawn between two keys takes the short way."""
    flips = np.where((turn[1:] * turn[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
    return np.asarray(turn * np.concatenate([[1.0], np.cumprod(flips)])[:, None])
