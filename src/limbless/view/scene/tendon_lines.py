"""Tendons as lines from hole to hole, bright where they are taut."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.view.scene.arrows import Colours, colours_of
from limbless.view.scene.frames import Array, Frames

Hole = tuple[int, Any]
"""Number of a section, and a place in its frame (3,), m."""


@dataclass(frozen=True)
class TendonLines:
    """Pieces of all tendons.

    Attributes
    ----------
    frames : the robot.
    inner, outer : (pieces,) numbers of the sections where each begins and ends.
    start, end : (pieces, 3) places in the frames of those, m.
    tension : (frames, pieces) N.
    """

    frames: Frames
    inner: NDArray[np.int64]
    outer: NDArray[np.int64]
    start: Array
    end: Array
    tension: Array
    dark: bool = False  # on dark ground the darkest colours are left out

    def at(self, frame: int) -> tuple[Array, Colours]:
        """Both ends of every piece (pieces, 2, 3) in the world, m, and colours of both ends (pieces, 2, 3)."""
        R, c = self.frames.rotation[frame], self.frames.position[frame]
        ends = [
            c[place] + np.einsum("pij,pj->pi", R[place], hole)
            for place, hole in ((self.inner, self.start), (self.outer, self.end))
        ]
        colour = colours_of(self.tension[frame], float(self.tension.max(initial=0.0)), self.dark)
        return np.stack(ends, axis=1), np.repeat(colour[:, None], 2, axis=1)


def lines_of(frames: Frames, dark: bool = False) -> TendonLines | None:
    """The tendons of a result's robot, or None if it has none or their tensions were not recorded."""
    tension = frames.values("tension")
    robot: Any = getattr(frames.result.scenario, "robot", None)
    robot = robot.build() if robot is not None else None
    if tension is None or not getattr(robot, "tendons", None):
        return None
    ways = {"tendon-spine": _through_disks, "rod": _along_rod, "chain": _on_links}[robot.kind](robot, frames)
    pieces = [(number, *one, *two) for number, way in enumerate(ways) for one, two in itertools.pairwise(way)]
    owner, inner, start, outer, end = map(np.array, zip(*pieces, strict=True))
    of_piece = tension[..., owner] if tension.ndim == 2 else tension[:, inner, owner]
    return TendonLines(frames, inner, outer, start, end, of_piece, dark)


def _through_disks(robot: Any, frames: Frames) -> list[list[Hole]]:
    disks = frames.position.shape[1]
    found = []
    for tendon in robot.tendons:
        holes = list(tendon.holes) * (disks if len(tendon.holes) == 1 else 1)
        last = min(tendon.anchor or disks - 1, disks - 1, len(holes) - 1)
        found.append([(disk, (0.0, *holes[disk])) for disk in range(tendon.start, last + 1)])
    return found


def _along_rod(robot: Any, frames: Frames) -> list[list[Hole]]:
    """From station to station."""
    along = frames.result.dataset["abscissa"].values
    return [
        [
            (int(k), (0.0, *tendon.place))
            for k in np.flatnonzero((along >= tendon.start) & (along <= (tendon.anchor or robot.length)))
        ]
        for tendon in robot.tendons
    ]


def _on_links(robot: Any, frames: Frames) -> list[list[Hole]]:
    """From point to point; a section is the middle of a link."""
    section = {
        piece.body: (k, piece.start + 0.5 * piece.length * piece.frame[:, 0])
        for k, piece in enumerate(robot.segments())
    }
    rows = {row.link: (number, row.home) for number, row in enumerate(robot.rows) if row.carries}
    found: list[list[Hole]] = []
    for tendon in robot.tendons:
        there = [(rows[link], point) for link, point in tendon.through if rows[link][0] in section]
        found.append([(section[row][0], home @ np.array(point) - section[row][1]) for (row, home), point in there])
    return found
