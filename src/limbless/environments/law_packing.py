"""Filling the tables of `mechanics.forces`: one row per segment, body or point and per time window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbless.core import InputError
from limbless.environments.base import Array, Environment
from limbless.mechanics.forces import PackedLaws, WeightLaw
from limbless.robots.base import Bodies, Segment

TWO_POINTS = np.polynomial.legendre.leggauss(2)
"""Nodes and weights of a Gauss rule that is exact up to third degree."""
NO_VOLUME = (
    "buoyancy needs a robot with volume: give its links `solids`, a `volume` or a `body`, its vertebrae a `volume`"
)


def body_rows(kind: Any, bodies: Sequence[int], **fields: Any) -> PackedLaws:
    """Laws of one kind (an instance of its marker) on whole bodies, always active; `fields` by the names of the kind's
    table, for all rows or one per row.
    """
    rows = kind.table.zeros(len(bodies))
    columns = kind.table.of(rows)
    columns.body[:], columns.since[:], columns.until[:] = bodies, -np.inf, np.inf
    for name, values in fields.items():
        getattr(columns, name)[:] = values
    return PackedLaws(kind, rows, *gauss_rules(2))


def segment_rows(kind: Any, pieces: Sequence[Segment], points: int, **fields: Any) -> PackedLaws:
    """Laws of one kind on the slices of segments, at `points` Gauss points; a start is kept
    along its segment's own axes.
    """
    law = body_rows(kind, [piece.body for piece in pieces], **fields)
    columns = kind.table.of(law.rows)
    columns.start[:] = np.array([piece.frame.T @ piece.start for piece in pieces]).reshape(-1, 3)
    columns.frame[:] = np.array([piece.frame for piece in pieces]).reshape(-1, 9)
    columns.length[:] = [piece.length for piece in pieces]
    columns.turned[:] = [not np.array_equal(piece.frame, np.eye(3)) for piece in pieces]
    columns.first[:], columns.count[:] = 0 if points == 2 else 2, points
    return PackedLaws(kind, law.rows, *gauss_rules(points))


def gauss_rules(points: int) -> tuple[Array, Array]:
    """Abscissae in [0, 1] and weights of sum 1: two points, which come first, and `points` of
    them if these are others.
    """
    rules = [np.polynomial.legendre.leggauss(count) for count in dict.fromkeys([2, points])]
    return np.concatenate([0.5 * (x + 1.0) for x, _ in rules]), np.concatenate([0.5 * w for _, w in rules])


def field_rows(bodies: Bodies, mass: Array, moment: Array, field: Array) -> PackedLaws:
    """A uniform field (m/s2, world) on a mass distribution of each body: gravity on mass,
    buoyancy on displaced mass.
    """
    heavy = np.flatnonzero(mass)
    return body_rows(WeightLaw(), heavy.tolist(), field=field, mass=mass[heavy], moment=moment[heavy])


def lifted_fills(robot: Any) -> Array:
    """`fills` of a robot that water lifts slice by slice; refused where there is no volume, or one without slices."""
    fills, described = robot.fills(), getattr(robot, "chain", robot)
    cut = {piece.body for piece in described.segments()}
    uncut = [row for row, volume in enumerate(described.bodies().volume) if volume > 0.0 and row not in cut]
    if uncut:
        names = ", ".join(repr(described.link_names[described.rows[row].link]) for row in uncut)
        raise InputError(
            f"robot.links: {names}: there is a volume and no `body`, so that water which lifts by "
            "itself (a `surface`, or its `gravity`) has nothing to cut and to lift; give it a `body`, or "
            "`volume: 0`"
        )
    if not fills.any():
        raise InputError(NO_VOLUME)
    return np.asarray(fills)


def stations(robot: Any, pieces: Sequence[Segment]) -> Array:
    """(pieces,) where each begins along the body, m from its base end; of a rod or a soft body, where its slice is."""
    if in_slices(robot):
        return np.asarray(robot.places)
    return np.concatenate([[0.0], np.cumsum([piece.length for piece in pieces])])[:-1]


def end_face(robot: Any, last: bool) -> tuple[Segment, Array]:
    """The piece of body at the tip, or at the base, and where it ends there: a place in its body."""
    piece = robot.edge(last) if hasattr(robot, "edge") else robot.segments()[-1 if last else 0]
    along = piece.length if last and not in_slices(robot) else 0.0  # a slice stands at its place
    return piece, piece.start + along * piece.frame[:, 0]


def in_slices(robot: Any) -> bool:
    """Whether its pieces are slices that stand at single places, those of a rod or of a soft body."""
    return hasattr(robot, "places")


def links_of(robot: Any, pieces: Sequence[Segment]) -> list[int]:
    """(pieces,) number of the link that each belongs to; 0 on a rod."""
    rows = getattr(robot, "rows", None)
    return [0 if rows is None else rows[piece.body].link for piece in pieces]


def put_force(asked: Any, answer: Any, teller: str, turning: str) -> None:
    """A user's force, or force and moment, into the row of the buffer that asked for it."""
    pair = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, np.zeros(3))
    force, moment = (np.asarray(part, dtype=np.float64) for part in pair)
    if force.shape != (3,) or moment.shape != (3,):
        raise InputError(
            f"{teller} must return a force of 3 numbers, or (force, {turning}); it returned shapes {force.shape} and "
            f"{moment.shape}"
        )
    asked.force[:], asked.moment[:] = force, moment


def in_windows(environment: Environment, *laws: PackedLaws) -> tuple[PackedLaws, ...]:
    """Repeat the rows for every time window in which the environment acts."""
    repeated = []
    for law in laws:
        windows, count = environment.windows(), len(law.rows.codes)
        numbers, codes = law.rows
        rows = law.kind.table.zeros(count * len(windows))
        rows.numbers[:], rows.codes[:] = np.tile(numbers, (len(windows), 1)), np.tile(codes, (len(windows), 1))
        columns = law.kind.table.of(rows)
        columns.since[:], columns.until[:] = np.repeat(windows, count, axis=0).reshape(-1, 2).T
        repeated.append(law._replace(rows=rows))
    return tuple(repeated)


def added_inertia(segment: Segment, coefficients: Array) -> Array:
    """Added inertia (21 numbers: M, H, J) of a segment about its body's origin, in the body's axes: (61) as an integral
    over slices.

    `coefficients` are the added mass per length along e1, e2, e3 and the added roll inertia per length. Two Gauss
    points are exact: the integrand is of second degree in s.
    """
    E, full = segment.frame, np.zeros((6, 6))
    D = E @ np.diag(coefficients[:3]) @ E.T
    for node, weight in zip(*TWO_POINTS, strict=True):
        x, y, z = segment.start + 0.5 * (node + 1.0) * segment.length * E[:, 0]
        arm = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        ds = 0.5 * weight * segment.length
        full[:3, :3] += ds * D
        full[3:, :3] += ds * arm @ D
        full[3:, 3:] += ds * (coefficients[3] * np.outer(E[:, 0], E[:, 0]) - arm @ D @ arm)
    upper = np.triu_indices(3)
    return np.concatenate([full[:3, :3][upper], full[3:, :3].ravel(), full[3:, 3:][upper]])
