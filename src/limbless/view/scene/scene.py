"""A result on a display: body, trail and arrows as nodes of a viser scene, on a `Stage`. Studio and replay share it.

Everything that moves has its place in its own data (instances, vertices, points), in the world, and never as a pose of
its node: a page takes a new pose into the picture that it draws next, new data only into the one after that. Parts that
are moved in both ways come apart, the more the slower the page draws. Only the roots, which hold robot and surroundings
together, have a pose, and water that flows past.

Everything is drawn `DRAWN` units long, whatever the robot's length: shadows of a page are made for that. What a `World`
and `Frames` say in metres is scaled here, by `World.k`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.view.figures.style import colour_of
from limbless.view.scene import arrows, tendon_lines, textures
from limbless.view.scene.arrows import HEAD, SHAFT
from limbless.view.scene.body_shapes import Placed
from limbless.view.scene.cameras import behind
from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.glb import one_mesh
from limbless.view.scene.legend import Row
from limbless.view.scene.moving_parts import MovingParts
from limbless.view.scene.palette import GHOST, GHOSTLY, RUNG, SURFACE, linear, rgb
from limbless.view.scene.shapes import upright
from limbless.view.scene.surroundings import round_step
from limbless.view.scene.trail import PIECES, fading, trail_at
from limbless.view.scene.world import DRAWN, World, metres

if TYPE_CHECKING:
    from viser import SceneApi

FINE = 2.0**-13  # places are rounded to this share of the body's length, and turns: fewer bytes, and not to be seen
_OUT_OF_SIGHT = -1e4  # in units of the scene
_TENDON = 0.0022  # width, in body lengths
_ROUGH = {"joints": 0.8, "slices": 0.28, "tail": 0.28}
_LANE = 0.25  # between runs side by side, in body lengths
SIDE_BY_SIDE = "runs side by side"
_SPOT = 1.7, 6.0  # size of a soft shadow over that of its section; how fast it shrinks with height, per body length


class Display:
    """One robot in a scene. `show(frame)` moves it; the switches say what else is drawn.

    Parameters
    ----------
    scene : of a server or of one client.
    frames : what to draw.
    world : what is around it: its colours, its ground, how large it is drawn.
    name : root node of everything that belongs to this robot.
    ghost : drawn pale and see-through, for comparison; a colour of its own if that is named.
    fine : places and turns are rounded to this share.
    """

    def __init__(
        self,
        scene: SceneApi,
        frames: Frames,
        world: World,
        name: str = "/robot",
        ghost: bool | str = False,
        fine: float = FINE,
    ) -> None:
        self.scene, self.frames, self.world, self.name, self.ghost = scene, frames, world, name, bool(ghost)
        self.pale, self._opacity = (ghost, RUNG) if isinstance(ghost, str) else (GHOST, GHOSTLY)
        self.theme, self.k, self._fine = world.theme, world.k, fine
        self._recorded = frames
        self.arrows = [] if ghost else [arrows.in_theme(one, self.theme) for one in arrows.families(frames)]
        self.torque = None if ghost else arrows.torque_along(frames)
        self.coloured = ("internal torque", "N m")
        if self.torque is None and not ghost and (pull := arrows.tension_along(frames)) is not None:
            self.torque, self.coloured = pull, ("internal force", "N")  # a body along a line has no torque
        self.tendons = None if ghost else tendon_lines.lines_of(frames, self.theme.dark)
        self.frame = 0
        self._nodes: dict[str, Any] = {}
        self._body: dict[str, Any] = {}  # the nodes of its parts
        self._sent: dict[tuple[str, str], Any] = {}
        self._on = {"modules": True, "meshes": True, "torque": False}
        self.parts = MovingParts(frames, self.theme)
        meshed, modular = bool(self.parts.meshes), self.parts.body.kind == "modules"
        self._dresses = {"meshes": meshed, "modules": modular, "torque": self.torque is not None}  # what it has
        self._dress()
        if not ghost:
            self._add_lines()
            self._add_spots()
        self.show(0)

    # What there is

    def _dress(self) -> None:
        """The robot's parts: as it is built or as a skin, in its own colours or in those of its torque."""
        for node in self._body.values():
            node.remove()
        self._body, self._sent, colours = {}, {}, self._on["torque"]
        self.parts = MovingParts(
            self.frames,
            self.theme,
            smooth=self._dresses["modules"] and not self._on["modules"],
            meshes=self._on["meshes"] and not colours,
        )
        placed = self.parts.at(self.frame)
        shell = next(iter(self.parts.body.shapes))
        for key, shape in self.parts.shapes.items():
            name, put, vertices = f"{self.name}/{key}", self._coordinates(placed[key]), self.k * shape.vertices
            if not self.ghost and not (colours and key == shell):
                data = one_mesh(vertices, shape.faces, colours=shape.colours, roughness=_ROUGH.get(key, 0.4))
                self._body[key] = self.scene.add_batched_glb(name, data, lod="off", **put)
            else:
                self._body[key] = self.scene.add_batched_meshes_simple(
                    name,
                    vertices.astype(np.float32),
                    shape.faces.astype(np.uint32),
                    batched_colors=linear(rgb(self.pale)) if self.ghost else self._torque_colours(self.frame),
                    opacity=self._opacity if self.ghost else None,
                    lod="off",
                    **put,
                )

    def _add_lines(self) -> None:
        """The way of the head, tendons, arrows, waves."""
        scene, name, thin = self.scene, self.name, SHAFT * DRAWN
        self._nodes["trail"] = scene.add_line_segments(
            f"{name}/trail",
            np.zeros((PIECES, 2, 3), np.float32),
            linear(fading(self.theme)),
            thickness=2.6,
            thickness_units="screen",
        )
        if self.tendons is not None:
            points, colour = self.tendons.at(0)
            self._nodes["tendons"] = scene.add_line_segments(
                f"{name}/tendons",
                (self.k * points).astype(np.float32),
                linear(colour),
                thickness=_TENDON * DRAWN,
                thickness_units="world",
            )
        for family in self.arrows:
            points, colour = family.at(0)
            self._nodes[family.key] = scene.add_arrows(
                f"{name}/{family.key}",
                self._in_sight(points),
                linear(colour),
                shaft_radius=thin,
                head_radius=HEAD[0] * thin,
                head_length=HEAD[1] * thin,
                visible=False,
            )
        if self.world.wavy:
            self._nodes["waves"] = scene.add_mesh_simple(
                f"{name}/waves",
                self._wave(0),
                self.world.wave_faces,
                color=rgb(SURFACE),
                side="double",
                opacity=0.5,
                receive_shadow=False,
                cast_shadow=False,
            )

    def _add_spots(self) -> None:
        """Soft dark spots on the ground below the body: without shadows it stands there too."""
        if self.theme.deep:
            return
        corners = np.array([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]])
        places, faces = 0.5 + 0.5 * corners[:, :2], np.array([[0, 1, 2], [0, 2, 3]])
        data = one_mesh(corners, faces, places=places, picture=textures.spot(), lit=False, clear=True)
        put = self._coordinates(self._spots(0))
        self._nodes["spots"] = self.scene.add_batched_glb(
            f"{self.name}/spots", data, lod="off", cast_shadow=False, receive_shadow=False, **put
        )

    def _spots(self, frame: int) -> Placed:
        f = self.frames
        place, radius = f.position[frame], f.radius[frame]
        level = self.world.height(place[:, 0], place[:, 1])
        above = np.clip((place[:, 2] - radius[:, 1] - level) / f.size, 0.0, None)
        left = np.clip(1.0 - _SPOT[1] * above, 0.0, 1.0)
        ahead = f.rotation[frame][:, :, 0] * [1.0, 1.0, 0.0] + [1e-9, 0.0, 0.0]  # one that stands may turn as it likes
        level_part = np.linalg.norm(ahead, axis=1)
        long = _SPOT[0] * np.maximum(0.55 * f.length[frame] * level_part, radius[:, 0])
        scale = self.k * np.stack([long * (left > 0.0), long * left, long], axis=1)
        where = np.stack([place[:, 0], place[:, 1], level + 1.2e-3 * f.size], axis=1)
        turned = upright(ahead / level_part[:, None], np.array([0.0, 0.0, 1.0]))
        return Placed(where, turned, np.maximum(scale, 1e-6))

    # Moving

    def show(self, frame: int) -> None:
        """Put everything where it is in a frame."""
        self.frame = frame = int(np.clip(frame, 0, self.frames.count - 1))
        for key, where in self.parts.at(frame).items():
            if self._body[key].visible:
                self._move(self._body[key], key, where)
        if "spots" in self._nodes:
            self._move(self._nodes["spots"], "spots", self._spots(frame))
        if self._on["torque"]:
            self._body[next(iter(self.parts.body.shapes))].batched_colors = self._torque_colours(frame)
        for family in self.arrows:
            if self.shows(family.key):
                node = self._nodes[family.key]
                points, colours = family.at(frame)
                node.colors = linear(colours)
                # a posture that was not computed with them has no forces
                node.points = self._in_sight(points if self.frames is self._recorded else np.zeros_like(points))
        if self.shows("waves"):
            self._nodes["waves"].vertices = self._wave(frame)
        if self.shows("trail"):
            self._nodes["trail"].points = (self.k * trail_at(self.frames, self.world, frame)).astype(np.float32)
        if self.shows("tendons") and self.tendons is not None:
            node = self._nodes["tendons"]
            points, colour = self.tendons.at(frame)
            node.points, node.colors = (self.k * points).astype(np.float32), linear(colour)

    def _move(self, node: Any, key: str, where: Placed) -> None:
        """Tell what has changed."""
        for name, values in self._coordinates(where).items():
            if not np.array_equal(self._sent.get((key, name), ()), values):
                self._sent[key, name] = values
                setattr(node, name, values)

    def _coordinates(self, where: Placed) -> dict[str, Any]:
        rounded = (
            ("batched_wxyzs", where.turn, self._fine),
            ("batched_positions", self.k * where.position, self._fine * DRAWN),
            ("batched_scales", where.scale, 2.0**-20),
        )
        return {name: (np.round(values / step) * step).astype(np.float32) for name, values, step in rounded}

    def _wave(self, frame: int) -> Any:
        return (self.k * self.world.waves_at(frame)).astype(np.float32)

    def _in_sight(self, points: Array) -> Any:
        """Arrows shorter than a head and a fifth out of sight: the page would draw a cone for them."""
        short = np.linalg.norm(points[:, 1] - points[:, 0], axis=1) < 1.2 * HEAD[1] * SHAFT * self.frames.size
        return np.where(short[:, None, None], _OUT_OF_SIGHT, self.k * points).astype(np.float32)

    def pose(self, frames: Frames) -> None:
        """Show other frames of the same robot."""
        self.frames = frames
        self.parts.take(frames)
        self.tendons = None if self.tendons is None else tendon_lines.lines_of(frames, self.theme.dark)
        self.show(0)

    # Switches

    def shows(self, key: str) -> bool:
        """Whether a switchable part is there and on."""
        if key in self._dresses:
            return self._dresses[key] and self._on[key]
        nodes = self._body if key == "holds" else self._nodes
        return key in nodes and bool(nodes[key].visible)

    def switch(self, key: str, on: bool) -> None:
        """Show or hide a part: `modules` (in place of a skin), `meshes` (of its file, in place of both), `trail`,
        `torque`, `tendons`, or a kind of arrow.
        """
        nodes = self._body if key == "holds" else self._nodes
        if self.shows(key) == on:
            return
        if self._dresses.get(key):
            self._on[key] = on
            self._dress()
        elif key in nodes:
            nodes[key].visible = on
        self.show(self.frame)

    def switches(self) -> list[tuple[str, str, bool]]:
        """(key, label, whether it is on at first) of what can be switched."""
        meshed = self._dresses["meshes"]
        parts = (
            (meshed, "meshes", "meshes of its file", True),
            (self._dresses["modules"] and not meshed, "modules", "modules and joints", True),
            (True, "trail", "path of the head", True),
            *((True, family.key, family.label, False) for family in self.arrows),
            ("holds" in self._body, "holds", "where it is held (green)", True),
            ("waves" in self._nodes, "waves", "waves on the water", True),
            (self._dresses["torque"], "torque", f"{self.coloured[0]} as colour", False),
            ("tendons" in self._nodes, "tendons", "tendons (bright: high tension)", True),
        )
        return [(key, label, first) for there, key, label, first in parts if there]

    def remove(self) -> None:
        for node in (*self._nodes.values(), *self._body.values()):
            node.remove()
        self._nodes.clear()
        self._body.clear()

    @property
    def numbers(self) -> int:
        """How many numbers a frame moves: what it costs in a file."""
        instances = sum(len(where.position) for where in self.parts.at(0).values())
        pieces = 0 if self.tendons is None else len(self.tendons.inner)
        return 7 * instances + 6 * pieces + 6 * PIECES + 3 * len(self._wave(0) if self.world.wavy else ())

    def _torque_colours(self, frame: int) -> Any:
        if self.torque is None:
            raise LookupError("this result has no internal torque")
        largest = float(self.torque.max(initial=0.0))
        return linear(arrows.colours_of(self.parts.body.along(self.torque[frame]), largest, self.theme.dark))


class Rungs:
    """Further runs on the clock of a first one, such as the rungs of a ladder: a colour and a lane each.

    Parameters
    ----------
    runs : frames of the runs; the first run has the first of `COLOURS`, these have the next ones.
    names : of the first run and of these, for the legend; none where there are no further runs.
    """

    def __init__(self, scene: SceneApi, world: World, runs: Sequence[Frames], names: Sequence[str]) -> None:
        self.names, self.k = list(names), world.k
        self.lane = round_step(_LANE * world.size) * behind(world.frames)  # m
        self.roots = [scene.add_frame(f"/ghost/{number}", show_axes=False) for number in range(1, len(runs) + 1)]
        self.displays = [
            Display(scene, one, world, root.name, ghost=colour_of(number))
            for number, (one, root) in enumerate(zip(runs, self.roots, strict=True), 1)
        ]
        self.apart = self.free = not (world.still or world.reliefs or world.clear)  # lanes would miss obstacles
        shown = [(f"rung {number}", name, True) for number, name in enumerate(names)]
        self.switches = [("lanes", SIDE_BY_SIDE, self.free), *shown] if names else []

    def lay(self, apart: bool) -> None:
        """Each in its own lane, or all where they are."""
        self.apart = apart
        for number, root in enumerate(self.roots, 1):
            root.position = self.k * apart * number * self.lane

    def show(self, time: float) -> None:
        for display in self.displays:
            display.show(display.frames.at(time))

    def rows(self) -> list[Row]:
        """What a legend says of them: colour and name of each, and how far they are from where they are drawn."""
        far = metres(float(np.linalg.norm(self.lane)))
        told = f"side by side: each lane is {far} behind the one before" if self.apart else "all at their own places"
        rows = [Row(name, "line", (colour_of(n),)) for n, name in enumerate(self.names)]
        return [*rows, Row(told)] if rows else []

    def remove(self) -> None:
        for display, root in zip(self.displays, self.roots, strict=True):
            display.remove()
            root.remove()
