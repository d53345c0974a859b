"""A result on a display: body, trail, arrows and surroundings as nodes of a viser scene. Studio and replay share it.

Everything that moves has its place in its own data (vertices, instances, points), in the world, and never as a pose of
its node: a page takes a new pose into the picture that it draws next, new data only into the one after that. Parts that
are moved in both ways come apart, the more the slower the page draws. Only the roots, which hold robot and surroundings
together, have a pose.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.environments.base import together
from limbless.view.figures import style
from limbless.view.scene import arrows, surroundings, tendon_lines
from limbless.view.scene.arrows import linear, rgb
from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.module_shapes import COLOUR as JOINT
from limbless.view.scene.module_shapes import has_modules, joint_places, joint_sizes, module_sizes
from limbless.view.scene.object_meshes import OBJECT, objects_of
from limbless.view.scene.robot_meshes import meshes_of
from limbless.view.scene.skin import AROUND, Skin, ball, disk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from viser import SceneApi

BODY, GHOST = style.SKY, "#B0B0B0"
FINE = 2.0**-13  # vertices are rounded to this share of the body's length: fewer bytes, and not to be seen
_OUT_OF_SIGHT = -1e4  # in body lengths


class Display:
    """One robot in a scene. `show(frame)` moves it; the switches say what else is drawn.

    Parameters
    ----------
    scene : of a server or of one client.
    frames : what to draw.
    name : root node of everything that belongs to this robot.
    ghost : drawn pale and see-through, for comparison.
    around : vertices of a ring of the skin.
    fine : vertices are rounded to this share of the body's length.
    """

    def __init__(
        self,
        scene: SceneApi,
        frames: Frames,
        name: str = "/robot",
        ghost: bool = False,
        around: int = AROUND,
        fine: float = FINE,
    ) -> None:
        self.scene, self.frames, self.name, self.ghost = scene, frames, name, ghost
        self._recorded = frames
        self.skin = Skin(frames, around)
        self.arrows = [] if ghost else arrows.families(frames)
        self.torque = None if ghost else arrows.torque_along(frames)
        self.coloured = ("internal torque", "N m")
        if self.torque is None and not ghost and (pull := arrows.tension_along(frames)) is not None:
            self.torque, self.coloured = pull, ("internal force", "N")  # a body along a line has no torque
        self.frame = 0
        self._step = fine * frames.size
        self._nodes: dict[str, Any] = {}
        self.tendons: tendon_lines.TendonLines | None = None
        self._holds: tuple[Array, Any] | None = None
        self._meshes = [] if ghost else meshes_of(frames)
        self._objects = [] if ghost else objects_of(frames)
        self._wavy: Any = None
        self._sheet: Array = np.zeros((0, 3))
        self._add_body()
        self._add_meshes()
        self._add_objects()
        self._add_trail()
        if not ghost:
            self._add_sleeves()
            self._add_arrows()
            self._holds = arrows.holds(frames)
            self._add_holds()
            self.tendons = tendon_lines.lines_of(frames)
            self._add_tendons()
            self._add_waves()
        self.show(0)

    def _add_body(self) -> None:
        colour, opacity = (rgb(GHOST), 0.4) if self.ghost else (rgb(BODY), None)
        self._nodes["body"] = self.scene.add_mesh_simple(
            f"{self.name}/body", self._vertices(0), self.skin.faces, color=colour, opacity=opacity
        )
        if self.skin.disks:
            points, faces = disk()
            self._nodes["disks"] = self.scene.add_batched_meshes_simple(
                f"{self.name}/disks",
                points,
                faces,
                batched_wxyzs=self._quaternions(0),
                batched_positions=self.frames.position[0],
                batched_scales=self._disk_sizes(),
                batched_colors=linear(colour),
                opacity=opacity,
                lod="off",
            )
        if has_modules(self.frames):
            self._add_modules(opacity)
        points, faces = ball()
        size = 1.15 * float(np.median(self.frames.radius[0])) * (0.35 if self.skin.disks else 0.45)
        self._nodes["head"] = self.scene.add_batched_meshes_simple(
            f"{self.name}/head",
            points * size,
            faces,
            batched_wxyzs=np.array([[1.0, 0.0, 0.0, 0.0]]),
            batched_positions=self.frames.head[:1],
            batched_colors=linear(rgb(GHOST if self.ghost else style.RED)),
            opacity=opacity,
            lod="off",
        )

    def _add_meshes(self) -> None:
        """Meshes of a robot file in place of the skin, where all that it names were found."""
        for number, mesh in enumerate(self._meshes):
            place, turn = mesh.at(self.frames, 0)
            self._nodes[f"mesh {number}"] = self.scene.add_batched_meshes_simple(
                f"{self.name}/mesh {number}",
                mesh.vertices,
                mesh.faces,
                batched_wxyzs=np.array([turn]),
                batched_positions=np.array([place]),
                batched_colors=linear(rgb(BODY)),
                flat_shading=True,
                lod="off",
            )
        if self._meshes:
            for key in ("body", "modules", "joints"):
                if key in self._nodes:
                    self._nodes[key].visible = False

    def _add_objects(self) -> None:
        """Things that the robot can push."""
        for number, item in enumerate(self._objects):
            self._nodes[f"object {number}"] = self.scene.add_batched_meshes_simple(
                f"{self.name}/object {number}",
                item.vertices,
                item.faces,
                batched_wxyzs=item.turn[:1],
                batched_positions=item.position[:1],
                batched_colors=rgb(OBJECT),
                flat_shading=item.flat,
                lod="off",
            )

    def _add_modules(self, opacity: float | None) -> None:
        """A module for every section and a joint between neighbours, in place of the smooth skin."""
        points, faces = disk()
        self._nodes["modules"] = self.scene.add_batched_meshes_simple(
            f"{self.name}/modules",
            points,
            faces,
            batched_wxyzs=self._quaternions(0),
            batched_positions=self.frames.position[0],
            batched_scales=module_sizes(self.frames, 0),
            batched_colors=linear(rgb(GHOST if self.ghost else BODY)),
            opacity=opacity,
            lod="off",
        )
        points, faces = ball(8, 12)
        places = joint_places(self.frames, 0)
        self._nodes["joints"] = self.scene.add_batched_meshes_simple(
            f"{self.name}/joints",
            points,
            faces,
            batched_wxyzs=np.tile([1.0, 0.0, 0.0, 0.0], (len(places), 1)),
            batched_positions=places,
            batched_scales=joint_sizes(self.frames, 0),
            batched_colors=linear(rgb(GHOST if self.ghost else JOINT)),
            opacity=opacity,
            lod="off",
        )
        self._nodes["body"].visible = False

    def _add_trail(self) -> None:
        """The way of the head over the whole run, in at most 2000 pieces."""
        every = max(1, self.frames.count // 2000)
        path = self.frames.head[::every]
        pieces = np.stack([path[:-1], path[1:]], axis=1) if len(path) > 1 else np.zeros((0, 2, 3))
        if len(pieces):
            self._nodes["trail"] = self.scene.add_line_segments(
                f"{self.name}/trail",
                pieces,
                rgb(GHOST if self.ghost else style.RED),
                thickness=2.0,
                thickness_units="screen",
            )

    def _add_sleeves(self) -> None:
        """A coloured sleeve on every section, for the torque; hidden at first."""
        if self.torque is None:
            return
        points, faces = disk()
        self._nodes["torque"] = self.scene.add_batched_meshes_simple(
            f"{self.name}/torque",
            points,
            faces,
            batched_wxyzs=self._quaternions(0),
            batched_positions=self.frames.position[0],
            batched_scales=self._sleeves(0),
            batched_colors=linear(self._torque_colours(0)),
            lod="off",
            visible=False,
        )

    def _add_arrows(self) -> None:
        thick = 0.006 * self.frames.size
        for family in self.arrows:
            points, colour = family.at(0)
            self._nodes[family.key] = self.scene.add_arrows(
                f"{self.name}/{family.key}",
                self._in_sight(points),
                linear(colour),
                shaft_radius=thick,
                head_radius=2.4 * thick,
                head_length=6.0 * thick,
                visible=False,
            )

    def _add_holds(self) -> None:
        """A ball wherever something holds the body."""
        if self._holds is None or not self._holds[1].any():
            return
        points, faces = ball()
        place, size = self._held(0)
        self._nodes["holds"] = self.scene.add_batched_meshes_simple(
            f"{self.name}/holds",
            points,
            faces,
            batched_wxyzs=np.tile([1.0, 0.0, 0.0, 0.0], (len(place), 1)),
            batched_positions=place,
            batched_scales=size,
            batched_colors=linear(rgb(style.GREEN)),
            lod="off",
        )

    def _held(self, frame: int) -> tuple[Any, Any]:
        """Places and sizes of the balls; one that holds nothing has no size."""
        if self._holds is None:
            raise LookupError("this result has no anchorages or supports")
        place, there = (values[frame] for values in self._holds)
        return place.astype(np.float32), np.where(
            there, 1.25 * float(np.median(self.frames.radius[frame])), 1e-9
        ).astype(np.float32)

    def _add_tendons(self) -> None:
        if self.tendons is None:
            return
        points, colour = self.tendons.at(0)
        self._nodes["tendons"] = self.scene.add_line_segments(
            f"{self.name}/tendons", points, linear(colour), thickness=3.0, thickness_units="screen"
        )

    def _add_waves(self) -> None:
        """The surface of water with waves, which moves."""
        self._wavy = next((item for item in together(self.frames.result.environment) if item.is_wavy), None)
        if self._wavy is None or self.frames.axis != "time":
            return
        self._sheet, faces = surroundings.wave_grid(surroundings.extent_of([self.frames]))
        self._nodes["waves"] = self.scene.add_mesh_simple(
            f"{self.name}/waves",
            self._wave(0),
            faces,
            color=rgb(surroundings.WATER),
            side="double",
            opacity=0.45,
            receive_shadow=False,
            cast_shadow=False,
        )

    def _wave(self, frame: int) -> Any:
        """The surface in a frame."""
        height = self._wavy.waves_at(float(self.frames.times[frame]), *self._sheet[:, :2].T)
        return np.concatenate([self._sheet[:, :2], height[:, None]], axis=1).astype(np.float32)

    # Moving

    def show(self, frame: int) -> None:
        """Put everything where it is in a frame."""
        self.frame = frame = int(np.clip(frame, 0, self.frames.count - 1))
        if self.shows("body"):
            self._nodes["body"].vertices = self._vertices(frame)
        if self.shows("modules"):
            self._put(self._nodes["modules"], frame)
            self._nodes["modules"].batched_scales = module_sizes(self.frames, frame).astype(np.float32)
            self._nodes["joints"].batched_positions = joint_places(self.frames, frame).astype(np.float32)
        self._nodes["head"].batched_positions = self.frames.head[frame : frame + 1].astype(np.float32)
        for number, mesh in enumerate(self._meshes):
            place, turn = mesh.at(self.frames, frame)
            node = self._nodes[f"mesh {number}"]
            node.batched_positions = np.array([place], dtype=np.float32)
            node.batched_wxyzs = np.array([turn], dtype=np.float32)
        for number, item in enumerate(self._objects):
            node = self._nodes[f"object {number}"]
            node.batched_positions = item.position[frame : frame + 1].astype(np.float32)
            node.batched_wxyzs = item.turn[frame : frame + 1].astype(np.float32)
        if "disks" in self._nodes:
            self._put(self._nodes["disks"], frame)
        if self.shows("torque"):
            sleeve = self._nodes["torque"]
            self._put(sleeve, frame)
            sleeve.batched_scales, sleeve.batched_colors = (
                self._sleeves(frame).astype(np.float32),
                linear(self._torque_colours(frame)),
            )
        if self.shows("holds"):
            self._nodes["holds"].batched_positions, self._nodes["holds"].batched_scales = self._held(frame)
        for family in self.arrows:
            if self.shows(family.key):
                node = self._nodes[family.key]
                points, colours = family.at(frame)
                node.colors = linear(colours)
                # a posture that was not computed with them has no forces
                node.points = self._in_sight(points if self.frames is self._recorded else np.zeros_like(points))
        if self.shows("waves"):
            self._nodes["waves"].vertices = self._wave(frame)
        if self.shows("tendons") and self.tendons is not None:
            node = self._nodes["tendons"]
            points, colour = self.tendons.at(frame)
            node.points, node.colors = points.astype(np.float32), linear(colour)

    def _in_sight(self, points: Array) -> Any:
        """Arrows without length out of sight: the page would draw a head for them."""
        nothing = (points[:, 0] == points[:, 1]).all(axis=-1)
        return np.where(nothing[:, None, None], _OUT_OF_SIGHT * self.frames.size, points).astype(np.float32)

    def pose(self, frames: Frames) -> None:
        """Show other frames of the same robot."""
        self.frames = self.skin.frames = frames
        self.tendons = None if self.tendons is None else tendon_lines.lines_of(frames)
        self._objects = self._objects and objects_of(frames)
        self.show(0)

    def spread(self, extent: surroundings.Extent) -> None:
        """Waves over another piece of the water; they are drawn with the next frame."""
        self._sheet, _ = surroundings.wave_grid(extent)

    def shows(self, key: str) -> bool:
        """Whether a switchable part is there and on."""
        return key in self._nodes and bool(self._nodes[key].visible)

    def switch(self, key: str, on: bool) -> None:
        """Show or hide a part: `modules` (in place of the skin), `meshes` (of its file, in place of both), `trail`,
        `torque`, `tendons`, or a kind of arrow."""
        if key in ("meshes", "modules") and self._meshes:
            if key == "meshes":
                self._show_meshes(on)
        elif key in self._nodes:
            self._nodes[key].visible = on
            if key == "modules":
                self._nodes["joints"].visible, self._nodes["body"].visible = on, not on
            if on or key == "modules":
                self.show(self.frame)

    def _show_meshes(self, on: bool) -> None:
        for name, node in self._nodes.items():
            if name.startswith("mesh "):
                node.visible = on
        for name in ("modules", "joints") if "modules" in self._nodes else ("body",):
            self._nodes[name].visible = not on
        self.show(self.frame)

    def remove(self) -> None:
        for node in self._nodes.values():
            node.remove()
        self._nodes.clear()

    @property
    def vertices(self) -> int:
        """How many points a frame moves: what it costs in a file."""
        sections = self.frames.position.shape[1]
        return 3 * sections if self.shows("modules") else len(self.skin.vertices(0))

    def switches(self) -> list[tuple[str, str]]:
        """(key, label) of what can be switched."""
        body = ("meshes", "meshes of its file") if self._meshes else ("modules", "modules and joints")
        parts = [body, ("trail", "path of the head")]
        parts += [(family.key, family.label) for family in self.arrows]
        parts += [("holds", "where it is held (green)"), ("waves", "waves on the water")]
        if self.torque is not None:
            largest = float(self.torque.max(initial=0.0))
            what, unit = self.coloured
            parts.append(("torque", f"{what} as colour (yellow: {largest:.3g} {unit})"))
        if "tendons" in self._nodes:
            parts.append(("tendons", "tendons (bright: high tension)"))
        return [(key, label) for key, label in parts if key in self._nodes or key == "meshes"]

    # Shapes

    def _vertices(self, frame: int) -> Any:
        return (np.round(self.skin.vertices(frame) / self._step) * self._step).astype(np.float32)

    def _quaternions(self, frame: int) -> Any:
        from limbless.mechanics.algebra import matrix_to_quaternion

        return matrix_to_quaternion(self.frames.rotation[frame]).astype(np.float32)

    def _put(self, node: Any, frame: int) -> None:
        node.batched_positions, node.batched_wxyzs = (
            self.frames.position[frame].astype(np.float32),
            self._quaternions(frame),
        )

    def _disk_sizes(self) -> Any:
        radius = self.frames.radius[0]
        return np.concatenate([np.full((len(radius), 1), 0.15 * radius.max()), radius], axis=1)

    def _sleeves(self, frame: int) -> Any:
        radius, length = self.frames.radius[frame], self.frames.length[frame]
        wide = np.where(length > 0.0, 0.62 * length, 0.3 * radius.max(axis=1))
        return np.concatenate([wide[:, None], 1.035 * radius], axis=1)

    def _torque_colours(self, frame: int) -> Any:
        if self.torque is None:
            raise LookupError("this result has no internal torque")
        return arrows.colours_of(self.torque[frame], float(self.torque.max(initial=0.0)))


def add_surroundings(
    scene: SceneApi, frames: Sequence[Frames], name: str = "/surroundings", extent: surroundings.Extent | None = None
) -> list[Any]:
    """Ground, obstacles and water of the first result, as far as the robots go or over an `extent`; where there is no
    ground, lines at the depth of the lowest point show the motion.
    """
    extent = extent or surroundings.extent_of(frames)
    environment = frames[0].result.environment
    # those that move: see `Display`
    solids = [solid for solid in surroundings.surroundings(environment, extent) if not solid.moves]
    nodes: list[Any] = []
    for solid in solids:
        opacity = None if solid.opacity == 1.0 else solid.opacity
        whole = opacity is None
        nodes.append(
            scene.add_mesh_simple(
                f"{name}/{solid.name}",
                solid.vertices,
                solid.faces,
                color=rgb(solid.colour),
                side="double",
                flat_shading=solid.flat,
                opacity=opacity,
                receive_shadow=whole,
                cast_shadow=whole and solid.flat,
            )
        )
    grids = [solid.lines for solid in solids if solid.lines is not None] or [surroundings.reference_lines(extent)]
    for number, lines in enumerate(grids):
        nodes.append(
            scene.add_line_segments(
                f"{name}/lines {number}", lines, (170, 170, 170), thickness=1.0, thickness_units="screen"
            )
        )
    for number, (text, place) in enumerate(surroundings.scale_marks(grids[0])):
        nodes.append(
            scene.add_label(
                f"{name}/scale {number}",
                text,
                position=place,
                font_screen_scale=0.7,
                depth_test=True,
                anchor="center-center",
            )
        )
    return nodes
