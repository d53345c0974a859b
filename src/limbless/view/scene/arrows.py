"""Forces as arrows, and torques as colours along the body: whatever a result recorded of them.

All arrows of one kind are drawn to one scale: the force that 98 % of all recorded ones stay below is a quarter of the
body long.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import together
from limbless.view.figures import style
from limbless.view.scene.frames import Array, Frames
from limbless.view.scene.palette import Theme, rgb

Colours = NDArray[np.uint8]

_REACH = 0.25  # length of a large arrow over that of the body
_LARGE = 0.98  # share of the arrows that are not longer than that
_LONGEST = 2.0  # no arrow is longer than this many large ones
_NOTHING = 2e-2  # arrows shorter than this share of a large one are not drawn
_NOISE = 1e-6  # a kind of force below this share of the largest force in or on the body is rounding, and is not
# offered
SHAFT, HEAD = 0.0034, (2.6, 7.5)
"""Radius of a shaft in body lengths; radius and length of its head over that."""
OPEN, STICK, SLIP = 0, 1, 2
_MEDIA = {"drag": "medium", "sand": "sand"}  # what a fluid is called that need not be water
_FLOW_GRID = (14, 7)  # arrows of a flow along x and y


@dataclass(frozen=True)
class Arrows:
    """One kind of force in every frame.

    Attributes
    ----------
    key, label : its name in code, and in words beside its switch.
    foot, force : (frames, arrows, 3) where each acts (m) and what it is (N), world.
    colour : (frames, arrows, 3).
    scale : m of arrow per N.
    reach : length of a large arrow, m.
    """

    key: str
    label: str
    foot: Array
    force: Array
    colour: Colours
    scale: float
    reach: float

    def at(self, frame: int) -> tuple[Array, Colours]:
        """Feet and tips (arrows, 2, 3) in a frame, m, and their colours. Those too small to be seen have no length."""
        vector = self.scale * self.force[frame]
        size = np.linalg.norm(vector, axis=-1, keepdims=True)
        vector = vector * np.minimum(1.0, _LONGEST * self.reach / np.maximum(size, 1e-30))
        vector = np.where(size > _NOTHING * self.reach, vector, 0.0)
        return np.stack([self.foot[frame], self.foot[frame] + vector], axis=1), self.colour[frame]

    @property
    def largest(self) -> float:
        """The largest force of the run, N."""
        return float(np.linalg.norm(self.force, axis=-1).max(initial=0.0))


def families(frames: Frames) -> list[Arrows]:
    """All kinds of force that the result recorded and that are not always zero."""
    found = [arrows for make in _MAKERS if (arrows := make(frames)) is not None]
    inside = tension_along(frames)
    largest = max([0.0 if inside is None else float(inside.max()), *(arrows.largest for arrows in found)])
    return [arrows for arrows in found if arrows.largest > (0.0 if arrows.key == "flow" else _NOISE * largest)]


def in_theme(family: Arrows, theme: Theme) -> Arrows:
    """In colours that stand out from this theme's ground, in lightness too."""
    new = family.colour.copy()
    for old, now in ((style.GREEN, theme.holds), (style.RED, theme.slips), (style.PURPLE, theme.fluid)):
        new[(family.colour == rgb(old)).all(axis=-1)] = rgb(now)
    return replace(family, colour=new)


def holds(frames: Frames) -> tuple[Array, NDArray[np.bool_]] | None:
    """Where anchorages and supports hold the body (frames, holds, 3), m, and whether each
    is there; None without any.
    """
    place, state = frames.values("contact_position"), frames.values("contact_state")
    if place is None or state is None or frames.values("support_abscissa") is None:
        return None
    return place, np.rint(state) != OPEN


def _arrows(frames: Frames, key: str, label: str, foot: Array, force: Array, colour: Colours | str) -> Arrows:
    size = np.linalg.norm(force, axis=-1)
    large = float(np.quantile(size[size > 0.0], _LARGE)) if (size > 0.0).any() else 0.0
    reach = _REACH * frames.size
    tint = np.broadcast_to(np.array(rgb(colour), dtype=np.uint8), force.shape) if isinstance(colour, str) else colour
    return Arrows(key, label, foot, force, tint, reach / large if large > 0.0 else 0.0, reach)


def _contacts(frames: Frames) -> Arrows | None:
    force, place, state = (frames.values(f"contact_{name}") for name in ("force", "position", "state"))
    if force is None or place is None or force.ndim != 3:
        return None
    # wheels: in how many directions each sticks; one that rolls holds across
    held = frames.values("contact_held")
    state = np.full(force.shape[:2], STICK) if state is None else np.rint(state)
    state = state if held is None else np.where((state == SLIP) & (held > 0), STICK, state)
    in_world = np.where((state != OPEN)[..., None], force, 0.0)
    colour = np.where((state == SLIP)[..., None], np.array(rgb(style.RED)), np.array(rgb(style.GREEN))).astype(np.uint8)
    label = "contact forces (green holds, orange slips)" if (state == SLIP).any() else "contact forces"
    if frames.values("support_abscissa") is not None:
        label = "anchorages and supports"
    return _arrows(frames, "contacts", label, place, in_world, colour)


def _clamp(frames: Frames) -> Arrows | None:
    """What a clamp does to the link it holds, about the link's origin: the inner end of a section."""
    wrench, section = frames.values("clamp_wrench"), _clamped(frames)
    if wrench is None or section is None:
        return None
    inner = frames.position[:, section] - 0.5 * frames.length[:, section, None] * frames.rotation[:, section, :, 0]
    return _arrows(frames, "clamp", "force of the clamp", inner[:, None], wrench[:, None, :3], style.BLUE)


def _clamped(frames: Frames) -> int | None:
    """The section that a clamp holds."""
    clamps: list[Any] = [item for item in frames.result.environment if item.role == "clamp"]
    return range(frames.position.shape[1])[clamps[0].module] if clamps else None


def _fluid(frames: Frames) -> Arrows | None:
    force = frames.values("fluid_force")
    if force is None or force.shape[:2] != frames.position.shape[:2]:
        return None
    framed = str(frames.result.dataset["fluid_force"].attrs.get("frame", "section"))
    fluids = {item.kind for item in frames.result.environment if item.is_fluid}
    label = f"forces of the {_MEDIA.get(min(fluids), 'water')}" if fluids else "all external forces on a section"
    world = force if framed == "world" else np.einsum("fsij,fsj->fsi", frames.rotation, force)
    return _arrows(frames, "fluid", label, frames.position, world, style.PURPLE)


def _base(frames: Frames) -> Arrows | None:
    """The wrench that holds a base; only its force is drawn. Where a clamp holds the base it is the clamp's."""
    reaction, place, turn = (frames.values(f"base_{name}") for name in ("reaction", "position", "orientation"))
    if reaction is None or place is None or turn is None or _clamped(frames) == 0:
        return None
    from limbless.mechanics.algebra import rotate

    return _arrows(
        frames,
        "base",
        "force that holds the base",
        place[:, None],
        rotate(turn, reaction[:, :3])[:, None],
        style.ORANGE,
    )


def _flow(frames: Frames) -> Arrows | None:
    """Velocity of the water on a level grid around the body's way, at the mean height of the body."""
    waters: list[Any] = [item for item in together(frames.result.environment) if item.moving]
    if not waters or frames.axis != "time" or any(flow.slot is not None for item in waters for flow in item.moving):
        return None
    low, high = frames.bounds()
    low, high = low - 0.4 * frames.size, high + 0.4 * frames.size
    X, Y = np.meshgrid(*map(np.linspace, low[:2], high[:2], _FLOW_GRID), indexing="ij")
    foot = np.stack([X, Y, np.full(X.shape, float(frames.position[..., 2].mean()))], axis=-1).reshape(-1, 3)
    places = np.broadcast_to(foot, (frames.count, *foot.shape))
    times = np.broadcast_to(frames.times[:, None], places.shape[:2])
    velocity = sum((item.velocity_at(times, places) for item in waters), np.zeros(places.shape))
    return _arrows(frames, "flow", "flow of the water", places, velocity, style.SKY)


_MAKERS: list[Callable[[Frames], Arrows | None]] = [_contacts, _clamp, _fluid, _base, _flow]


def torque_along(frames: Frames) -> Array | None:
    """Internal torque of every section (frames, sections), N m; None if it is not recorded or zero."""
    torque = _internal(frames, slice(3, 6))
    torque = _spine_moment(frames) if torque is None else torque
    return torque if torque is not None and torque.any() else None


def tension_along(frames: Frames) -> Array | None:
    """Size of the internal force of every section (frames, sections), N; None if it is not recorded or zero."""
    force = _internal(frames, slice(3))
    return force if force is not None and force.any() else None


def _internal(frames: Frames, part: slice) -> Array | None:
    """Size of a part of the internal wrench of every section, if it is recorded."""
    wrench = frames.values("internal_wrench")
    if wrench is None or wrench.shape[:2] != frames.position.shape[:2]:
        return None
    return np.asarray(np.linalg.norm(wrench[..., part], axis=-1))


def _spine_moment(frames: Frames) -> Array | None:
    """Moment of spring and stops of each vertebra of a spine, shown on its outer disk (frames, disks), N m."""
    bend, stiffness, stop = (frames.values(name) for name in ("bend", "bend_stiffness", "stop_moment"))
    if bend is None or stiffness is None or stop is None or bend.shape[1] != frames.position.shape[1] - 1:
        return None
    robot = getattr(frames.result.scenario, "robot", None)
    vertebrae: Any = () if robot is None else robot.build().vertebrae
    rest = np.array([(one.rest_lateral, one.rest_vertical) for one in vertebrae]).reshape(-1, 2) if vertebrae else 0.0
    moment = np.linalg.norm(stiffness * (bend - rest) - stop, axis=-1)
    return np.concatenate([np.zeros((frames.count, 1)), moment], axis=1)


def colours_of(values: Array, largest: float, dark: bool = False) -> Colours:
    """Colours (.., 3) from dark (nothing) to bright (the largest), told apart with any kind of colour vision; on `dark`
    ground without the darkest.
    """
    from matplotlib import colormaps

    share = np.clip(values / largest if largest > 0.0 else np.zeros_like(values), 0.0, 1.0)
    share = 0.2 + 0.8 * share if dark else share
    return (255.0 * colormaps[style.SEQUENTIAL](share)[..., :3]).astype(np.uint8)
