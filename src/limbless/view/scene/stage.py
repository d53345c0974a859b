"""Light, sky, ground, obstacles and water around a robot, as nodes of a viser scene."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.view.scene import textures
from limbless.view.scene.frames import Array
from limbless.view.scene.glb import one_mesh
from limbless.view.scene.palette import SUN, linear, rgb
from limbless.view.scene.world import DRAWN, RIPPLES, World

if TYPE_CHECKING:
    from viser import SceneApi

SHADE = 0.38  # how dark a shadow on the ground is


def _put_sky(scene: SceneApi, picture: bytes, strength: float) -> None:
    """A picture of our own all around. viser takes only its own by its public way: this message is the one that is not
    public, and a test looks at the colour of the sky.
    """
    from viser import _messages

    upright = (1.0, 0.0, 0.0, 0.0)
    scene._websock_interface.queue_message(
        _messages.EnvironmentMapMessage(
            hdri_data=picture,
            background=True,
            background_blurriness=0.0,
            background_intensity=textures.BRIGHTEST,
            background_wxyz=upright,
            environment_intensity=0.32 * textures.BRIGHTEST * strength,
            environment_wxyz=upright,
        )
    )


class Stage:
    """Light, ground, obstacles and water of a `World` in a scene."""

    def __init__(self, scene: SceneApi, world: World, shadows: bool = True, name: str = "/surroundings") -> None:
        self.world, self._scene, self._name = world, scene, name
        self._nodes: list[Any] = []
        self._shaded: list[Any] = []  # what shadows fall on that is not lit
        self._light_up()
        self._carried: list[tuple[Any, float]] = []  # what flows with the water, and after how long a way it repeats
        self._add_ground()
        for key, shape in world.still.items():
            self._put(key, world.k * shape.vertices, shape.faces, colours=shape.colours, roughness=0.6)
        for number, (shape, opacity) in enumerate(world.clear):
            colours = np.pad(shape.colours, ((0, 0), (0, 1)), constant_values=opacity)
            self._put(f"pipe {number}", world.k * shape.vertices, shape.faces, colours=colours, clear=True, solid=False)
        self._add_marks()
        if world.surface is not None:
            self._add_water(world.surface)
        if world.theme.deep:
            dust = (world.k * world.dust()).astype(np.float32)
            node = scene.add_point_cloud(
                f"{name}/dust", dust, rgb(world.theme.line), point_size=0.0032 * DRAWN, point_shape="circle"
            )
            self._nodes.append(node)
            self._carried.append((node, DRAWN))
        self.cast_shadows(shadows)

    def _light_up(self) -> None:
        """Sun, sky and fog."""
        scene, theme = self._scene, self.world.theme
        scene.configure_default_lights(enabled=False)
        self._sun = scene.add_light_directional(
            "/sun", color=(255, 246, 230), intensity=theme.sun, position=(SUN[0], SUN[1], SUN[2])
        )
        fill = scene.add_light_directional(
            "/fill", color=(214, 230, 255), intensity=0.28 * theme.sun, position=(-1.0, -4.0, 2.0)
        )
        self._nodes += [self._sun, fill]
        self.lay_fog(self.world.fog)
        _put_sky(scene, textures.sky(theme), theme.fill)

    def lay_fog(self, reach: Array) -> None:
        """Between where it begins and where it hides everything, drawn."""
        near, far = map(float, reach)
        red, green, blue = map(int, linear(rgb(self.world.theme.horizon)))
        self._scene.configure_fog(near, far, color=(red, green, blue))

    def cast_shadows(self, on: bool) -> None:
        """With or without: software that draws them takes a processor for itself."""
        self._sun.cast_shadow = on
        for node in self._shaded:
            node.receive_shadow = SHADE if on else False

    def _put(self, name: str, points: Array, faces: Any, *, solid: bool = True, **mesh: Any) -> Any:
        """A mesh that throws shadows and has them on it, if it is `solid`."""
        data = one_mesh(points, faces, **mesh)
        node = self._scene.add_glb(f"{self._name}/{name}", data, cast_shadow=solid, receive_shadow=solid)
        self._nodes.append(node)
        return node

    def _add_ground(self) -> None:
        world = self.world
        picture = textures.ground_picture(None if world.grain else world.theme)
        points, faces, places, colours = world.ground_sheet()
        look: dict[str, Any] = {"picture": picture, "lit": False, "solid": False}
        self._shaded = [self._put("ground", world.k * points, faces, places=places, colours=colours, **look)]
        for number, shape in enumerate(world.reliefs):
            towards = shape.normals @ (SUN / np.linalg.norm(SUN))
            shade = np.repeat((0.45 + 0.67 * np.clip(towards, 0.0, 1.0))[:, None], 3, axis=1)
            places = shape.vertices[:, :2] / world.period
            relief = world.k * shape.vertices, shape.faces
            self._shaded.append(self._put(f"relief {number}", *relief, places=places, colours=shade, **look))

    def _add_marks(self) -> None:
        """Edges of boxes, heights of steps, a ruler."""
        world, name = self.world, self._name
        if world.edges:
            ends = (world.k * np.concatenate(world.edges)).astype(np.float32)
            self._nodes.append(
                self._scene.add_line_segments(
                    f"{name}/edges", ends, rgb(world.theme.sides), thickness=1.8, thickness_units="screen"
                )
            )
        for number, (text, place) in enumerate(world.heights):
            self._nodes.append(
                self._scene.add_label(f"{name}/height {number}", text, position=world.k * place, anchor="bottom-center")
            )
        if (laid := world.ruler()) is not None:
            corners, count = laid
            picture = textures.ruler_picture(world.theme, world.tile, count)
            places = np.array([[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
            faces = np.array([[0, 1, 2], [0, 2, 3]])
            look: dict[str, Any] = {"picture": picture, "lit": False, "clear": True, "solid": False}
            self._put("ruler", world.k * corners, faces, places=places, **look)

    def _add_water(self, level: float) -> None:
        world = self.world
        points, faces, colours = world.water_sheet()
        places = points[:, :2] / (RIPPLES * world.size)
        look: dict[str, Any] = {"clear": True, "solid": False}
        sheet = self._put(
            *("water", world.k * points, faces),
            **{"places": places, "colours": colours, "bumps": textures.ripples(), "roughness": 0.12, **look},
        )
        if not world.shore:  # colours that change with the distance from a shore do not flow
            self._carried.append((sheet, RIPPLES * DRAWN))
        else:
            points, faces, colours = world.foam()
            self._put("foam", world.k * points, faces, colours=colours, roughness=1.0, **look)

    def show(self, frame: int) -> None:
        """Let the water flow on."""
        if self.world.stream.any():
            gone = self.world.k * self.world.drift(frame)
            for node, period in self._carried:
                node.position = np.fmod(gone, period)

    def remove(self) -> None:
        for node in self._nodes:
            node.remove()
        self._nodes.clear()
        self._carried.clear()
