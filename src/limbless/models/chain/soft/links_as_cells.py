"""A chain of rigid links as a row of cells: each joint is a cell of one freedom, a link's mass sits at its centre."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from limbless.core import Array, InputError
from limbless.mechanics.algebra import matrix_to_quaternion, quaternion_to_rotation_vector
from limbless.mechanics.chain import Prismatic, Revolute
from limbless.models.chain.soft.cell_plan import STILL, CellPlan, PlannedCell, PlannedPiece, Stations, gauss
from limbless.models.recording.water_recorder import across
from limbless.robots import Bodies, Chain, Segment

FAR = 1e9
_TURN = 1.5  # rad: a piece that turns farther is cut in three


@dataclass
class LinkFrame:
    """Where a row of rigid pieces stands, in the frame of a link."""

    place: Array
    axes: Array


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
    arrays, bodies = chain.arrays(), chain.bodies()
    cells, length = [], 0.0
    for row in range(1, len(arrays.joint_kind)):
        pieces = _on_link(chain, 0, bodies, stations) if row == 1 else []
        pieces += _between(LinkFrame(np.zeros(3), np.eye(3)), LinkFrame(arrays.arm[row], np.eye(3)))
        lever = np.zeros((1, 6))
        lever[0, slice(0, 3) if arrays.joint_kind[row] == Prismatic.code else slice(3, 6)] = arrays.axis[row]
        pieces += [*(PlannedPiece(1.0, STILL, 0.5 * lever) for _ in range(2)), *_on_link(chain, row, bodies, stations)]
        length += float(np.linalg.norm(arrays.arm[row]))
        cells.append(_cell(chain, row, pieces))
    reach = length + max((segment.length for segment in chain.segments()), default=0.0)
    for cell, kind in zip(cells, arrays.joint_kind[1:], strict=True):
        cell.scale = np.full(1, 1.0 if kind == Prismatic.code else reach)
    return CellPlan(chain.base, chain.head, reach, cells)


def _cell(chain: Chain, row: int, pieces: list[PlannedPiece]) -> PlannedCell:
    arrays = chain.arrays()
    v = int(arrays.velocity_column[row])
    spring, damper = np.array([[arrays.stiffness[v]]]), np.array([[arrays.damping[v] + arrays.viscous_friction[v]]])
    far, none = np.full(1, FAR), np.zeros((1, 2))
    return PlannedCell(
        pieces,
        [chain.joint_names[v]],
        spring,
        damper,
        np.array([arrays.rest[v]]),
        np.ones(1),
        -far,
        far,
        none,
        0.0,
        np.zeros(3),
        np.zeros(1, dtype=bool),
        widest=np.pi,
    )


def _on_link(chain: Chain, row: int, bodies: Bodies, stations: int) -> list[PlannedPiece]:
    """From the origin of a link to its centre of mass, to that of its volume and along its pieces of body, and back."""
    home = LinkFrame(np.zeros(3), np.eye(3))
    here, found = home, []
    mass, volume = float(bodies.mass[row]), float(bodies.volume[row])
    if mass > 0.0:
        centre = bodies.moment[row] / mass
        turn = bodies.inertia[row] - mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
        values, axes = np.diag(turn), np.eye(3)
        if np.abs(turn - np.diag(values)).any():
            values, axes = np.linalg.eigh(turn)
            axes = axes if np.linalg.det(axes) > 0.0 else axes * np.array([1.0, 1.0, -1.0])
        there = LinkFrame(centre, axes)
        found += _between(here, there)
        found[-1].mass, found[-1].turn, here = mass, np.asarray(values, dtype=np.float64), there
    if volume > 0.0:
        there = LinkFrame(bodies.volume_moment[row] / volume, np.eye(3))
        found += _between(here, there)
        found[-1].volume, here = volume, there
    for segment, fill in zip(chain.segments(), chain.fills(), strict=True):
        if segment.body != row:
            continue
        for at, weight in zip(*gauss(stations), strict=True):
            there = LinkFrame(segment.start + at * segment.length * segment.frame[:, 0], segment.frame)
            found += _between(here, there)
            found[-1].span, here = float(weight * segment.length), there
            found[-1].axes, found[-1].fill = (segment.half_width, segment.half_height), float(fill)
    return found + _between(here, home) if found else found


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
