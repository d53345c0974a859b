"""The skin of a body: one closed mesh over all sections, bent smoothly where they meet.

Every vertex is held by one section or, where two meet, by both: v = sum of w (c + R p), with the section's centre c,
axes R, and the vertex p in its frame. The ends are rounded. Sections without length (disks) are joined by a thinner
backbone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from limbless.view.scene.frames import Array, Frames

Faces = NDArray[np.uint32]

AROUND = 16  # vertices of a ring
_CAP = np.radians([3.0, 20.0, 42.0, 66.0])  # where the rings of a rounded end stand, from its tip
_MANY = 24  # a body of more sections bends smoothly with a ring only where they meet
_BACKBONE = 0.28  # radius of the backbone between disks, over that of the disks


@dataclass(frozen=True)
class Ring:
    """Where a ring stands: on one section or between two, `at` along each half length (-1 to
    1), narrowed by `shrink`.
    """

    sections: tuple[int, int]
    at: tuple[float, float]
    shrink: float = 1.0
    shift: float = 0.0  # along the body, in units of the cap's length


class Skin:
    """The mesh of a body, ready to be asked for its vertices in any frame."""

    def __init__(self, frames: Frames, around: int = AROUND) -> None:
        self.frames, self.around = frames, around
        self.disks = frames.position.shape[1] > 1 and not frames.length.any()
        rings = _rings(frames.position.shape[1], self.disks)
        self._owner = np.array([ring.sections for ring in rings])  # (rings, 2)
        self._at = np.array([ring.at for ring in rings])
        self._shrink = np.array([ring.shrink for ring in rings])
        self._shift = np.array([ring.shift for ring in rings])
        angle = 2.0 * np.pi * np.arange(around) / around
        self._circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        self.faces = _faces(len(rings), around)

    def vertices(self, frame: int) -> Array:
        """Vertices of the mesh (rings * around, 3) in the world, m."""
        f = self.frames
        owner, radius, length = self._owner, f.radius[frame] * (_BACKBONE if self.disks else 1.0), f.length[frame]
        # (rings, 2): where two sections meet, between both
        size = radius[owner].mean(axis=1)
        cap = np.minimum(size.max(axis=1), 0.9 * np.where(length[owner[:, 0]] > 0.0, length[owner[:, 0]], np.inf))
        across = size[:, None, :] * self._shrink[:, None, None] * self._circle  # (rings, around, 2)
        total = np.zeros((len(owner), self.around, 3))
        for side in range(2):
            section = owner[:, side]
            R, c = f.rotation[frame][section], f.position[frame][section]
            along = 0.5 * self._at[:, side] * length[section] + self._shift * cap
            local = np.concatenate([np.broadcast_to(along[:, None, None], (*across.shape[:2], 1)), across], axis=2)
            total += 0.5 * (c[:, None] + np.einsum("rij,raj->rai", R, local))
        return np.asarray(total.reshape(-1, 3))

    def straight(self) -> tuple[Array, Array]:
        """Abscissae of the sections (m), and the vertices, of the body of the first record laid straight along x."""
        f = self.frames
        apart = np.linalg.norm(np.diff(f.position[0], axis=0), axis=1) if self.disks else 0.0
        steps = apart if self.disks else 0.5 * (f.length[0, 1:] + f.length[0, :-1])
        places = np.concatenate([[0.0], np.cumsum(steps)])
        laid = np.stack([places, 0.0 * places, 0.0 * places], axis=1)
        upright = np.broadcast_to(np.eye(3), (1, len(places), 3, 3))
        first = replace(f, position=laid[None], rotation=upright, radius=f.radius[:1], length=f.length[:1])
        return places, Skin(first, self.around).vertices(0)

    def held(self) -> tuple[NDArray[np.int64], Array]:
        """Sections that hold each vertex, and their shares: (vertices, 4) both."""
        owner = np.repeat(np.pad(self._owner, ((0, 0), (0, 2))), self.around, axis=0)
        return owner, np.tile([0.5, 0.5, 0.0, 0.0], (len(owner), 1))


def _rings(sections: int, disks: bool) -> list[Ring]:
    """Rings from base to tip: rounded end, middles and meeting places, rounded end."""
    last = sections - 1
    # a cap lies inside its section, or outside a disk
    outward = 0.0 if not disks and sections >= 1 else 1.0
    rings = [Ring((0, 0), (-1.0, -1.0), np.sin(a), 1.0 - np.cos(a) - outward) for a in _CAP]
    for section in range(sections):
        if sections <= _MANY or disks or section in (0, last):
            rings.append(Ring((section, section), (0.0, 0.0)))
        if section < last:
            rings.append(Ring((section, section + 1), (1.0, -1.0)))
    rings += [Ring((last, last), (1.0, 1.0), np.sin(a), outward - 1.0 + np.cos(a)) for a in _CAP[::-1]]
    return rings


def _faces(rings: int, around: int) -> Faces:
    """Two triangles between neighbours on neighbouring rings, and a fan over each end; seen
    from outside they turn left.
    """
    here = np.arange(around)
    after = (here + 1) % around
    row = np.stack(
        [np.stack([here, after, here + around], 1), np.stack([after, after + around, here + around], 1)], 1
    ).reshape(-1, 3)
    sides = (row[None] + around * np.arange(rings - 1)[:, None, None]).reshape(-1, 3)
    fan = np.stack([np.zeros(around - 2, int), here[1:-1], here[2:]], 1)
    return np.concatenate([fan[:, ::-1], sides, fan + around * (rings - 1)]).astype(np.uint32)


def disk(around: int = 28) -> tuple[Array, Faces]:
    """A flat round plate of radius 1 and thickness 1 about x: to be scaled and placed."""
    angle = 2.0 * np.pi * np.arange(around) / around
    ring = np.stack([np.zeros(around), np.cos(angle), np.sin(angle)], axis=1)
    half = np.array([0.5, 0.0, 0.0])
    points = np.concatenate([ring - half, ring + half])
    return points, _faces(2, around)


def ball(across: int = 12, around: int = 18) -> tuple[Array, Faces]:
    """A sphere of radius 1."""
    polar = np.linspace(0.03, np.pi - 0.03, across)
    angle = 2.0 * np.pi * np.arange(around) / around
    points = np.stack(
        [
            np.repeat(-np.cos(polar), around),
            (np.sin(polar)[:, None] * np.cos(angle)).ravel(),
            (np.sin(polar)[:, None] * np.sin(angle)).ravel(),
        ],
        axis=1,
    )
    return points, _faces(across, around)
