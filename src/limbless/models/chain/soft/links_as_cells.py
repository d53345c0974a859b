"""A chain of rigid links as a row of cells: each joint is a cell of one freedom, a link's mass sits at its centre."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from limbless.core import Array, InputError
from limbless.mechanics.algebra import matrix_to_quaternion, quaternion_to_rotation_vector
from limbless.mechanics.chain import Prismatic, Revolute
from limbless.models.chain.soft.cell_plan import STILL, CellPlan, PlannedCell, PlannedPiece, Stations, gauss
from limbless.models.recording.water_recorder import across
from limbless.robots import Chain, Segment

FAR = 1e9
_TURN = 1.5  # rad: a piece that turns farther is cut in three


class LinkFrame(NamedTuple):
    """Where a row of rigid pieces stands, in the frame of a link."""

    place: Array
    axes: Array


HOME = LinkFrame(np.zeros(3), np.eye(3))


def refuse_of_chain(chain: Chain) -> None:
    """Refuse what joints that only tendons move do not have."""
    arrays = chain.arrays()
    if not chain.tendons:
        raise InputError(
            "robot.tendons: the model 'soft' moves a chain by tendons, and it has none; give it some, or "
            "set model.kind to newton-euler"
        )
    if len(chain.links) < 2:
        raise InputError("robot.links: a chain of one link has no joint that tendons could move; give it more links")
    kinds = set(arrays.joint_kind[1:].tolist())
    if not kinds <= {Revolute.code, Prismatic.code}:
        raise InputError(
            "robot.links: the model 'soft' takes revolute, prismatic and universal joints; describe a "
            "spherical joint as a universal and a revolute one"
        )
    without = {
        "coulomb_friction": 0.0,
        "breakaway_friction": 0.0,
        "rotor_inertia": 0.0,
        "torque_limit": np.inf,
        "lower": -np.inf,
        "upper": np.inf,
    }
    for name, nothing in without.items():
        if np.any(getattr(arrays, name) != nothing):
            raise InputError(
                f"robot.links: {name} of a joint has no effect in the model 'soft', where tendons, "
                "springs and dampers move it; leave it out"
            )


def chain_plan(chain: Chain, stations: int) -> CellPlan:
    """One cell per degree of freedom."""
    arm = chain.arrays().arm[1:]
    reach = sum(float(np.linalg.norm(part)) for part in arm) + max((s.length for s in chain.segments()), default=0.0)
    cells = [_cell(chain, row, stations, reach) for row in range(1, len(arm) + 1)]
    return CellPlan(chain.base, chain.head, reach, cells)


def _cell(chain: Chain, row: int, stations: int, reach: float) -> PlannedCell:
    """The cell of a joint: what stands on its link, and for the first one on the base before it."""
    arrays, v = chain.arrays(), int(chain.arrays().velocity_column[row])
    slides, lever = arrays.joint_kind[row] == Prismatic.code, np.zeros((1, 6))
    lever[0, slice(0, 3) if slides else slice(3, 6)] = arrays.axis[row]
    pieces = [
        *(_on_link(chain, 0, stations) if row == 1 else []),
        *_between(HOME, LinkFrame(arrays.arm[row], np.eye(3))),
        *(PlannedPiece(1.0, STILL, 0.5 * lever) for _ in range(2)),
        *_on_link(chain, row, stations),
    ]
    far = np.full(1, FAR)
    return PlannedCell(
        pieces,
        [chain.joint_names[v]],
        np.array([[arrays.stiffness[v]]]),
        np.array([[arrays.damping[v] + arrays.viscous_friction[v]]]),
        np.array([arrays.rest[v]]),
        np.full(1, 1.0 if slides else reach),
        -far,
        far,
        np.zeros((1, 2)),
        0.0,
        np.zeros(3),
        np.zeros(1, dtype=bool),
        widest=np.pi,
    )


def _on_link(chain: Chain, row: int, stations: int) -> list[PlannedPiece]:
    """From the origin of a link to its centre of mass, to that of its volume and along its pieces of body, and back."""
    bodies, places = chain.bodies(), list[tuple[LinkFrame, dict[str, Any]]]()  # where to go, and what sits there
    mass, volume = float(bodies.mass[row]), float(bodies.volume[row])
    if mass > 0.0:
        centre = bodies.moment[row] / mass
        turn = bodies.inertia[row] - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        values, axes = np.diag(turn), np.eye(3)
        if np.abs(turn - np.diag(values)).any():
            values, axes = np.linalg.eigh(turn)
            axes = axes if np.linalg.det(axes) > 0.0 else axes * np.array([1.0, 1.0, -1.0])
        places.append((LinkFrame(centre, axes), {"mass": mass, "turn": np.asarray(values, dtype=np.float64)}))
    if volume > 0.0:
        places.append((LinkFrame(bodies.volume_moment[row] / volume, np.eye(3)), {"volume": volume}))
    for segment, fill in zip(chain.segments(), chain.fills(), strict=True):
        own = {"axes": (segment.half_width, segment.half_height), "fill": float(fill)}
        for at, weight in zip(*gauss(stations), strict=True) if segment.body == row else ():
            place = segment.start + at * segment.length * segment.frame[:, 0]
            places.append((LinkFrame(place, segment.frame), {"span": float(weight * segment.length), **own}))
    found = list[PlannedPiece]()
    for before, (after, sits) in zip([HOME, *(place for place, _ in places)], places, strict=False):
        *way, end = _between(before, after)
        found += [*way, replace(end, **sits)]
    return [*found, *_between(places[-1][0], HOME)] if places else []


def _between(before: LinkFrame, after: LinkFrame) -> list[PlannedPiece]:
    """Rigid pieces, one or three, from one place to another: exp Ω is the pose of the second in the first."""
    arm, turn = before.axes.T @ (after.place - before.place), before.axes.T @ after.axes
    w = np.asarray(quaternion_to_rotation_vector(matrix_to_quaternion(turn)))
    angle = float(np.linalg.norm(w))
    W = across(w)
    if angle < 1e-9:
        spread = np.eye(3) + 0.5 * W
    else:
        spread = np.eye(3) + (1.0 - np.cos(angle)) / angle**2 * W + (angle - np.sin(angle)) / angle**3 * W @ W
    whole = np.concatenate([np.linalg.solve(spread, arm), w])
    parts = 1 if angle <= _TURN else 3
    return [PlannedPiece(1.0, whole / parts, np.zeros((1, 6))) for _ in range(parts)]


class ChainStations(Stations):
    """A planned chain as environments see it: its links, and the stations on them."""

    def __init__(self, plan: CellPlan, chain: Chain) -> None:
        super().__init__(plan)
        self.chain, self.stretches = chain, chain.stretches

    def edge(self, last: bool) -> Segment:
        piece = self.chain.segments()[-1 if last else 0]
        end = piece.start + (piece.length if last else 0.0) * piece.frame[:, 0]
        return Segment(piece.body, end, piece.frame, 0.0, piece.half_width, piece.half_height)

    def carriers(self) -> list[int]:
        """What a wrench at a point can act on: the links."""
        return [row for row, mass in enumerate(self.chain.bodies().mass) if mass > 0.0]
