"""A run as an animated glTF file: Blender, three.js, PowerPoint and the file managers of most systems open it.

The body is one skin over its sections, which are the joints of glTF's skin. Each section is a node with keys for its
position and orientation, so that poses in the file are those of the result. glTF has y upwards: one root node turns the
world, which has z upwards, and everything below it is in the coordinates of the result.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import replacing
from limbless.mechanics.algebra import matrix_to_quaternion
from limbless.view.figures import style
from limbless.view.scene import tendon_lines, textures
from limbless.view.scene.frames import Array, Frames, frames_of
from limbless.view.scene.glb import Glb
from limbless.view.scene.moving_parts import MovingParts, objects_of
from limbless.view.scene.palette import linear, rgb, theme_of
from limbless.view.scene.shapes import Shape
from limbless.view.scene.world import World

if TYPE_CHECKING:
    from limbless.simulation.result import Result

RATE = 60.0  # keys per second at most
_UPRIGHT = [-np.sqrt(0.5), 0.0, 0.0, np.sqrt(0.5)]  # x, y, z, w: z of the world becomes y of glTF


def write_gltf(result: Result, path: Path) -> Path:
    """Write `name.glb`: the robot with its tendons, objects that it pushes, and what stands around it."""
    frames = frames_of(result)
    film = _Film(frames, _keys(frames))
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
        self._places = _laid(frames)

    def moves(self, node: int, what: str, values: Array) -> None:
        """Keys of a node's `translation`, `rotation` or `scale`; none where it keeps its first value."""
        if len(self.keys) > 1 and np.ptp(values, axis=0).max() > 0.0:
            self._samplers.append({"input": self._times, "output": self.file.add_array(values)})
            self._channels.append({"sampler": len(self._samplers) - 1, "target": {"node": node, "path": what}})

    def end_animation(self) -> None:
        if self._channels:
            self.file.add("animations", {"name": "motion", "samplers": self._samplers, "channels": self._channels})

    def node(self, name: str, position: Array, turn: Array, **more: Any) -> int:
        """A node that moves: places (keys, 3), m, and quaternions (keys, 4), scalar first."""
        turn = np.roll(_steady(turn), -1, axis=1)  # glTF has the scalar last
        told = {"name": name, "translation": position[0].tolist(), "rotation": turn[0].tolist(), **more}
        node = self.file.add("nodes", told)
        self.moves(node, "translation", position)
        self.moves(node, "rotation", turn)
        return node

    def body(self) -> int:
        """The robot as the studio draws it, as one skin on its sections."""
        f = self.frames
        sizes = np.concatenate([f.length[..., None], f.radius], axis=2)[self.keys]  # (keys, sections, 3)
        stretch = sizes / np.where(sizes[0] > 0.0, sizes[0], 1.0) + (sizes[0] == 0.0)
        turn = matrix_to_quaternion(f.rotation[self.keys])
        for number in range(f.position.shape[1]):
            node = self.node(f"section {number}", f.position[self.keys, number], turn[:, number])
            self.moves(node, "scale", stretch[:, number])
            self._sections.append(node)
        back = np.tile(np.eye(4), (len(self._places), 1, 1))
        back[:, 3, 0] = -self._places  # columns first, as glTF has its matrices
        self._skin = self.file.add(
            "skins", {"joints": self._sections, "inverseBindMatrices": self.file.add_array(back)}
        )
        shape, sections, weights = self._straight()
        surface, held = self.file.add_material(roughness=0.4), (sections, weights)
        mesh = self.file.add_mesh(shape.vertices, shape.faces, surface, held=held, colours=shape.colours)
        skin = self.file.add("nodes", {"name": "skin", "mesh": mesh, "skin": self._skin})
        return self.file.add("nodes", {"name": "robot", "children": [*self._sections, skin]})

    def _straight(self) -> tuple[Shape, Any, Array]:
        """All parts of the robot with its first record laid straight along x, and the sections that hold each vertex,
        with their shares (V, 4): a part between the middles of two sections is held by both.
        """
        f, parts = self.frames, MovingParts(self.frames, theme_of(self.frames))
        laid = np.outer(self._places, [1.0, 0.0, 0.0])
        upright = np.broadcast_to(np.eye(3), (1, len(laid), 3, 3))
        parts.body.frames = parts.frames = replace(
            f, position=laid[None], rotation=upright, radius=f.radius[:1], length=f.length[:1]
        )
        rise = np.argsort(self._places)
        shapes, sections, weights = list[Shape](), list[Any](), list[Any]()
        for key, placed in parts.at(0).items():
            if key.startswith("object") or key == "holds":
                continue
            shape = parts.shapes[key]
            for number in range(len(placed.position)):
                where, axes, scale = (values[number] for values in placed)
                shapes.append(replace(shape, vertices=shape.vertices * scale).moved(where, axes))
                at = np.interp(where[0], self._places[rise], np.arange(len(rise)))
                if parts.meshes:
                    at = float(np.flatnonzero(rise == parts.meshes[len(sections)].section)[0])
                low = min(int(at), max(len(rise) - 2, 0))
                high, share, whole = min(low + 1, len(rise) - 1), at - low, (len(shape.vertices), 1)
                sections.append(np.tile([rise[low], rise[high], 0, 0], whole))
                weights.append(np.tile([1.0 - share, share, 0.0, 0.0], whole))
        return sum(shapes[1:], shapes[0]), np.concatenate(sections), np.concatenate(weights)

    def tendons(self) -> list[int]:
        """Lines on the sections that they pass."""
        lines = tendon_lines.lines_of(self.frames)
        if lines is None:
            return []
        sections = np.stack([lines.inner, lines.outer], axis=1).ravel()
        along = np.outer(self._places[sections], [1.0, 0.0, 0.0])
        ends = np.stack([lines.start, lines.end], axis=1).reshape(-1, 3) + along
        held = np.pad(sections[:, None], ((0, 0), (0, 3))), np.tile([1.0, 0.0, 0.0, 0.0], (len(sections), 1))
        paint = self.file.add_material(tuple(np.asarray(linear(rgb(style.ORANGE)), float) / 255.0))
        mesh = self.file.add_mesh(ends, np.arange(len(sections)).reshape(-1, 2), paint, held=held, smooth=False)
        return [self.file.add("nodes", {"name": "tendons", "mesh": mesh, "skin": self._skin})]

    def objects(self) -> list[int]:
        return [
            self.node(
                item.name, item.position[self.keys], item.turn[self.keys], mesh=self._mesh(item.shape, roughness=0.6)
            )
            for item in objects_of(self.frames)
        ]

    def _mesh(self, shape: Shape, **material: Any) -> int:
        return self.file.add_mesh(
            shape.vertices, shape.faces, self.file.add_material(**material), colours=shape.colours
        )

    def surroundings(self) -> list[int]:
        """Obstacles, and the ground with its tiles; still water, and pipes that one sees through."""
        world = World([self.frames], theme_of(self.frames))
        found = {name: self._mesh(shape, roughness=0.6) for name, shape in world.still.items()}
        found |= {
            f"pipe {number}": self._mesh(shape, opacity=opacity) for number, (shape, opacity) in enumerate(world.clear)
        }
        picture = textures.encoded(textures.sand() if world.grain else textures.ground(world.theme))
        paved = self.file.add_material(roughness=0.9, picture=picture)
        points, faces, places, _ = world.ground_sheet()
        found["ground"] = self.file.add_mesh(points, faces, paved, places=places)
        found |= {
            f"terrain {number}": self.file.add_mesh(
                shape.vertices, shape.faces, paved, places=shape.vertices[:, :2] / world.period
            )
            for number, shape in enumerate(world.reliefs)
        }
        if world.surface is not None:
            points, faces, colours = world.water_sheet()
            surface = self.file.add_material(roughness=0.1, clear=True)
            found["water"] = self.file.add_mesh(points, faces, surface, colours=colours)
        return [self.file.add("nodes", {"name": name, "mesh": mesh}) for name, mesh in found.items()]


def _laid(frames: Frames) -> Array:
    """Where the middles of sections lie along x when the first record is laid straight, m: in the direction of the
    sections' own x axes.
    """
    apart = np.diff(frames.position[0], axis=0)
    steps = 0.5 * (frames.length[0, 1:] + frames.length[0, :-1])
    steps = np.where(steps > 0.0, steps, np.linalg.norm(apart, axis=1))
    along = np.einsum("si,si->s", apart, frames.rotation[0, :-1, :, 0]).sum()
    return np.asarray(np.concatenate([[0.0], np.cumsum(steps)]) * (1.0 if along >= 0.0 else -1.0))


def _steady(turn: Array) -> Array:
    """Quaternions (keys, 4) whose sign does not jump: what is drawn between two keys takes the short way."""
    flips = np.where((turn[1:] * turn[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
    return np.asarray(turn * np.concatenate([[1.0], np.cumprod(flips)])[:, None])
