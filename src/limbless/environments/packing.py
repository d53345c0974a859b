"""Filling rows of `mechanics.forces.rows`: one row per segment, body or point and per time window."""
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import Array, Environment
from limbless.mechanics.compiled.lanes import LANES
from limbless.mechanics.compiled.scalars import aligned_zeros
from limbless.mechanics.forces import rows as laws
from limbless.robots.base import Bodies, Segment

WORTH = 3
"""Laws that a band holds at least: fewer are faster one by one."""


def law_row(code: int, body: int, coefficients: Array | list[float]) -> Array:
    """A law on a whole body, always active."""
    row = np.zeros(laws.LAW_COLUMNS)
    row[laws.CODE], row[laws.BODY], row[laws.FROM], row[laws.UNTIL] = code, body, -np.inf, np.inf
    row[laws.COEFFICIENTS:laws.COEFFICIENTS + len(coefficients)] = coefficients
    row[laws.FRAME:laws.FRAME + 9] = np.eye(3).ravel()
    return row


def segment_row(code: int, segment: Segment, points: int, coefficients: Array | list[float]) -> Array:
    """A law on the slices of a segment, at `points` Gauss points; its start is kept along the segment's own axes."""
    row = law_row(code, segment.body, coefficients)
    row[laws.START:laws.START + 3] = segment.frame.T @ segment.start
    row[laws.FRAME:laws.FRAME + 9] = segment.frame.ravel()
    row[laws.TURNED] = not np.array_equal(segment.frame, np.eye(3))
    row[laws.LENGTH], row[laws.COUNT] = segment.length, points
    return row


def field_rows(bodies: Bodies, mass: Array, moment: Array, field: Array) -> list[Array]:
    """A uniform field (m/s2, world) on a mass distribution of each body: gravity on mass, buoyancy on displaced mass."""
    return [law_row(int(laws.WEIGHT), body, [*field, mass[body], *moment[body]])
            for body in range(len(bodies.mass)) if mass[body] != 0.0]


def in_windows(environment: Environment, rows: list[Array]) -> Array:
    """Repeat the rows for every time window in which the environment acts."""
    stacked = np.array(rows).reshape(-1, laws.LAW_COLUMNS)
    copies = []
    for start, end in environment.windows():
        copy = stacked.copy()
        copy[:, laws.FROM], copy[:, laws.UNTIL] = start, end
        copies.append(copy)
    return np.concatenate(copies)


def added_inertia(segment: Segment, coefficients: Array) -> Array:
    """Added inertia (21 numbers: M, H, J) of a segment about its body's origin, in the body's axes: (61) as an integral over slices.

    `coefficients` are the added mass per length along e1, e2, e3 and the added roll inertia per length. Two Gauss points are exact:
    the integrand is of second degree in s.
    """
    nodes, weights = np.polynomial.legendre.leggauss(2)
    E, full = segment.frame, np.zeros((6, 6))
    D = E @ np.diag(coefficients[:3]) @ E.T
    for node, weight in zip(nodes, weights, strict=True):
        x, y, z = segment.start + 0.5 * (node + 1.0) * segment.length * E[:, 0]
        arm = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        ds = 0.5 * weight * segment.length
        full[:3, :3] += ds * D
        full[3:, :3] += ds * arm @ D
        full[3:, 3:] += ds * (coefficients[3] * np.outer(E[:, 0], E[:, 0]) - arm @ D @ arm)
    upper = np.triu_indices(3)
    return np.concatenate([full[:3, :3][upper], full[3:, :3].ravel(), full[3:, 3:][upper]])


def assemble_laws(packs: list[Array]) -> laws.Laws:
    """All rows of all environments, sorted by body, with the Gauss rules that they use."""
    rows = np.concatenate([np.zeros((0, laws.LAW_COLUMNS)), *packs])
    rows[:, laws.OWNER] = np.repeat(np.arange(len(packs)), [len(pack) for pack in packs])
    rows = np.ascontiguousarray(rows[np.argsort(rows[:, laws.BODY], kind="stable")])
    nodes: list[float] = []
    weights: list[float] = []
    first: dict[int, int] = {}
    for count in dict.fromkeys([2, *rows[:, laws.COUNT].astype(int)]):          # two points come first: `fluid_segment` counts on it
        if count:
            x, w = np.polynomial.legendre.leggauss(count)
            first[count] = len(nodes)
            nodes.extend(0.5 * (x + 1.0))
            weights.extend(0.5 * w)
    rows[:, laws.FIRST] = [first.get(int(count), 0) for count in rows[:, laws.COUNT]]
    acted = np.unique(rows[:, laws.BODY]).astype(np.int64)
    return laws.Laws(rows, np.array(nodes), np.array(weights), np.zeros(laws.USER_BUFFER), acted, *bands_of(rows),
                     np.zeros((len(rows), 6)), np.zeros(len(packs)))


BRANCHES = {float(laws.WEIGHT): (), float(laws.FLUID): (laws.HAS_ADDED, laws.CONSISTENT), float(laws.FRICTION): (laws.JOINED,)}
"""Laws that are one formula on every slice, with the columns that their formula branches on."""


def band_kind(row: Array) -> tuple[float, ...] | None:
    """What laws that stand in one band have in common: formula, window, Gauss rule and environment; None for a law that comes one by
    one.
    """
    code = float(row[laws.CODE])
    if code not in BRANCHES:
        return None
    return tuple(row[[laws.CODE, laws.FROM, laws.UNTIL, laws.FIRST, laws.COUNT, laws.OWNER, *BRANCHES[code]]])


def bands_of(rows: Array) -> tuple[NDArray[np.int64], laws.Bands]:
    """The rows that come one by one, and the others in bands of eight; for the empty places of a band any coefficients will do."""
    kinds: dict[tuple[float, ...] | None, list[int]] = {}
    for i, row in enumerate(rows):
        kinds.setdefault(band_kind(row), []).append(i)
    single = kinds.pop(None, [])
    groups = [found[i:i + LANES] for found in kinds.values() for i in range(0, len(found), LANES)]
    for few in (group for group in groups if len(group) < WORTH):
        single += few
    groups = [group for group in groups if len(group) >= WORTH]
    table, share = aligned_zeros((len(groups), laws.LAW_COLUMNS, LANES)), aligned_zeros((len(groups), LANES))
    for b, group in enumerate(groups):
        table[b] = rows[[*group, *[group[0]] * (LANES - len(group))]].T
        share[b, :len(group)] = 1.0
    members = table[:, laws.BODY].astype(np.int64)
    return np.array(sorted(single), dtype=np.int64), laws.Bands(
        table, share, members, aligned_zeros((len(groups), laws.SLAB_COLUMNS, LANES)), aligned_zeros((len(groups), 6, LANES)))
