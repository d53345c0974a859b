"""Forces as arrows, and torques as colours along the body: whatever a result recorded of them.

All arrows of one kind are drawn to one scale: the force that 98 % of all recorded ones stay below is a quarter of the body long.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from limbless.view.figures import style
from limbless.view.frames import Array, Frames

Colours = NDArray[np.uint8]

_REACH = 0.25          # length of a large arrow over that of the body
_LARGE = 0.98          # share of the arrows that are not longer than that
_LONGEST = 2.0         # no arrow is longer than this many large ones
_NOTHING = 1e-3        # arrows shorter than this share of a large one are not drawn
OPEN, STICK, SLIP = 0, 1, 2


def rgb(colour: str) -> tuple[int, int, int]:
    """`#0072B2` -> (0, 114, 178)."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


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
    found = [make(frames) for make in _MAKERS]
    return [arrows for arrows in found if arrows is not None and arrows.largest > 0.0]


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
    in_world = _in_world(frames, force[..., :3], place, str(frames.result.dataset["contact_force"].attrs.get("frame", "world")))
    state = np.full(force.shape[:2], STICK) if state is None else np.rint(state)
    in_world = np.where((state != OPEN)[..., None], in_world, 0.0)
    colour = np.where((state == SLIP)[..., None], np.array(rgb(style.RED)), np.array(rgb(style.GREEN))).astype(np.uint8)
    both = bool((state == SLIP).any())
    held = "contact forces (green holds, orange slips)" if both else "contact forces"
    if frames.values("support_abscissa") is not None:
        held = "anchorages and supports"
    return _arrows(frames, "contacts", held, place, in_world, colour)


def _fluid(frames: Frames) -> Arrows | None:
    force = frames.values("fluid_force")
    if force is None or force.shape[:2] != frames.position.shape[:2]:
        return None
    framed = str(frames.result.dataset["fluid_force"].attrs.get("frame", "section"))
    wet = any(getattr(item, "kind", "") in ("water", "drag", "buoyancy") for item in getattr(frames.result.scenario, "environment", ()))
    label = "forces of the water" if wet else "forces of the environment"
    world = force if framed == "world" else np.einsum("fsij,fsj->fsi", frames.rotation, force)
    return _arrows(frames, "fluid", label, frames.position, world, style.PURPLE)


def _base(frames: Frames) -> Arrows | None:
    """The wrench that holds a base; only its force is drawn."""
    reaction, place, turn = (frames.values(f"base_{name}") for name in ("reaction", "position", "orientation"))
    if reaction is None or place is None or turn is None:
        return None
    from limbless.mechanics.rotations import rotate

    return _arrows(frames, "base", "force that holds the base", place[:, None], rotate(turn, reaction[:, :3])[:, None], style.ORANGE)


def _in_world(frames: Frames, force: Array, place: Array, framed: str) -> Array:
    """Forces given in the axes of the section that they touch, in world axes: the section nearest to the place."""
    if framed != "section":
        return force
    turned = np.empty_like(force)
    for frame in range(frames.count):
        apart = np.linalg.norm(frames.position[frame][None] - place[frame][:, None], axis=-1)
        turned[frame] = np.einsum("cij,cj->ci", frames.rotation[frame][apart.argmin(axis=1)], force[frame])
    return turned


_MAKERS: list[Callable[[Frames], Arrows | None]] = [_contacts, _fluid, _base]


def torque_along(frames: Frames) -> Array | None:
    """Internal torque of every section (frames, sections), N m, or that of the stops of a spine; None if it is not recorded or zero."""
    torque = _torque(frames)
    return torque if torque is not None and torque.any() else None


def _torque(frames: Frames) -> Array | None:
    wrench = frames.values("internal_wrench")
    if wrench is not None and wrench.shape[:2] == frames.position.shape[:2]:
        return np.asarray(np.linalg.norm(wrench[..., 3:], axis=-1))
    bend = frames.values("stop_moment")
    if bend is not None and bend.shape[1] == frames.position.shape[1] - 1:
        return np.concatenate([np.zeros((frames.count, 1)), np.linalg.norm(bend.reshape(*bend.shape[:2], -1), axis=-1)], axis=1)
    return None


def colours_of(values: Array, largest: float) -> Colours:
    """Colours (.., 3) from dark (nothing) to bright (the largest), told apart with any kind of colour vision."""
    from matplotlib import colormaps

    share = np.clip(values / largest if largest > 0.0 else np.zeros_like(values), 0.0, 1.0)
    return (255.0 * colormaps[style.SEQUENTIAL](share)[..., :3]).astype(np.uint8)
