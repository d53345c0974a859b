"""Tendons as lines from hole to hole, bright where they are taut."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.view.arrows import Colours, colours_of
from limbless.view.frames import Array, Frames


@dataclass(frozen=True)
class Tendons:
    """Pieces of all tendons.

    Attributes
    ----------
    frames : the robot.
    disk : (pieces,) number of the disk at which each begins; it ends at the next.
    start, end : (pieces, 3) holes in the frames of those disks, m.
    tension : (frames, pieces) N.
    """

    frames: Frames
    disk: NDArray[np.int64]
    start: Array
    end: Array
    tension: Array

    def at(self, frame: int) -> tuple[Array, Colours]:
        """Both ends of every piece (pieces, 2, 3) in the world, m, and colours of both ends (pieces, 2, 3)."""
        R, c = self.frames.rotation[frame], self.frames.position[frame]
        ends = [c[place] + np.einsum("pij,pj->pi", R[place], hole) for place, hole in ((self.disk, self.start),
                                                                                       (self.disk + 1, self.end))]
        colour = colours_of(self.tension[frame], float(self.tension.max(initial=0.0)))
        return np.stack(ends, axis=1), np.repeat(colour[:, None], 2, axis=1)


def lines_of(frames: Frames) -> Tendons | None:
    """The tendons of a result's robot, or None if it has none or their tensions were not recorded."""
    tension = frames.values("tension")
    robot: Any = getattr(frames.result.scenario, "robot", None)
    robot = robot.build() if robot is not None else None
    if tension is None or not getattr(robot, "tendons", None):
        return None
    disks = frames.position.shape[1]
    start, end, disk, owner = [], [], [], []
    for number, tendon in enumerate(robot.tendons):
        holes = list(tendon.holes) * (disks if len(tendon.holes) == 1 else 1)
        for piece in range(min(tendon.anchor or disks - 1, disks - 1, len(holes) - 1)):
            start.append((0.0, *holes[piece]))
            end.append((0.0, *holes[piece + 1]))
            disk.append(piece)
            owner.append(number)
    of_piece = tension[..., owner] if tension.ndim == 2 else tension[:, disk, owner]
    return Tendons(frames, np.array(disk), np.array(start), np.array(end), np.asarray(of_piece))
