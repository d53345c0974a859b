"""A rod and its environment as the arrays that `mechanics.rod.motion` takes."""
from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import Environment
from limbless.mechanics.compiled.lanes import LANES
from limbless.mechanics.compiled.scalars import aligned_zeros
from limbless.mechanics.forces import rows as law_columns
from limbless.mechanics.forces.rows import Laws
from limbless.mechanics.rod import motion as rod_motion
from limbless.mechanics.rod.efforts import Muscles
from limbless.mechanics.rod.forces import SLAB_COLUMNS, Forces
from limbless.mechanics.rod.shapes import make_desk
from limbless.mechanics.rod.sweep import NODE_COLUMNS, SUMS, Body
from limbless.models.macro_continuous.mesh import Mesh, Slices
from limbless.models.row_laws import assemble_laws, band_kind

Array = NDArray[np.float64]


def breaks_of(rod: object, environment: Sequence[Environment], more: tuple[float, ...]) -> tuple[float, ...]:
    """Where panels must end: at point wrenches, at the rows of a section law, and where the user says so."""
    length = rod.length                                                                                    # type: ignore[attr-defined]
    points = [item.abscissa for item in environment if getattr(item, "kind", "") == "point-wrench"         # type: ignore[attr-defined]
              and getattr(item, "abscissa", None) is not None]
    found = [*more, *(x for x in points if 0.0 < x < length)]        # one beyond the body is refused by its own name, in `Slices.node_at`
    for law in (rod.half_width, rod.half_height):                                                          # type: ignore[attr-defined]
        found += [x for x, _ in law if 0.0 < x < length] if isinstance(law, tuple) else []
    return tuple(sorted(set(found)))


def pack_environment(slices: Slices, environment: Sequence[Environment]) -> Laws:
    """All force laws, per unit length at each node (a wrench at a point stays whole)."""
    packs = [item.pack(slices) for item in environment if item.role == "wrench"]                           # type: ignore[arg-type]
    laws = assemble_laws([pack.laws for pack in packs])
    rows = laws.rows
    weight = slices.mesh.weight[rows[:, law_columns.BODY].astype(int)]
    heavy = rows[:, law_columns.CODE] == law_columns.WEIGHT
    rows[heavy, law_columns.FIELD_MASS] /= weight[heavy]
    return laws


def added_inertia(laws: Laws, nodes: int) -> Array:
    """Added mass per length of all fluids, on the diagonal of the section's inertia (nodes, 6)."""
    added = np.zeros((nodes, 6))
    for row in laws.rows:
        if row[law_columns.CODE] == law_columns.FLUID and row[law_columns.HAS_ADDED] > 0.0:
            added[int(row[law_columns.BODY]), :4] += row[law_columns.ADDED:][:4]
    return added


def pack_body(slices: Slices, laws: Laws, inertia: bool) -> tuple[Body, Array]:
    """The rod in arrays, and its own inertia per length without added mass."""
    mesh: Mesh = slices.mesh
    own = slices.rod.inertia(np.clip(mesh.X, 0.0, slices.rod.length))
    whole = own + added_inertia(laws, len(mesh.X)) if inertia else np.zeros_like(own)
    return Body(mesh.half, mesh.weight, np.ascontiguousarray(whole)), own


def pack_forces(laws: Laws, mesh: Mesh) -> Forces:
    """The laws as kernels take them: in bands of eight nodes where a law is one formula on every slice, else row by row.

    Nodes of a band that its law does not act on have its coefficients too (any finite ones will do) and a share of 0.
    """
    bands: dict[tuple[float, ...], dict[int, Array]] = {}
    single = []
    for row in laws.rows:
        node, shared = int(row[law_columns.BODY]), band_kind(row)
        if shared is None:
            single.append(row)
            continue
        kind = (*shared, node // LANES)
        again = next(n for n in itertools.count() if node not in bands.get((*kind, n), ()))
        bands.setdefault((*kind, again), {})[node] = row
    packed = aligned_zeros((len(bands), law_columns.LAW_COLUMNS, LANES))
    share = aligned_zeros((len(bands), LANES))
    for i, members in enumerate(bands.values()):
        packed[i] = next(iter(members.values()))[:, None]
        for node, row in members.items():
            packed[i, :, node % LANES], share[i, node % LANES] = row, mesh.weight[node]
    block = np.array([int(kind[-2]) for kind in bands], dtype=np.int64)
    return Forces(packed, share, block, np.array(single).reshape(-1, law_columns.LAW_COLUMNS), laws.buffer, laws.power)


def slab(nodes: int, columns: int) -> Array:
    """Room for numbers of all nodes, eight nodes side by side."""
    return aligned_zeros((-(-nodes // LANES), columns, LANES))


def in_lanes(values: Array) -> Array:
    """Numbers of all nodes (nodes, ..), eight nodes side by side (nodes / 8, .., 8), with zeros after the last."""
    nodes = len(values)
    padded = np.concatenate([values, np.zeros((-nodes % LANES, *values.shape[1:]))])
    packed = aligned_zeros((len(padded) // LANES, *values.shape[1:], LANES))
    packed[:] = np.moveaxis(padded.reshape(-1, LANES, *values.shape[1:]), 1, -1)
    return packed


def pack_muscles(mesh: Mesh, body: Body, own: Array, strains: Array) -> Muscles:
    """The actuators of a rod; `strains` are passive stiffness, damping, strain at rest, and 1 where actuated (4, 6)."""
    mass, sections = mesh.weight * own[:, 0], int((mesh.half > 0.0).sum())
    return Muscles(mesh.half, mesh.X, in_lanes(body.inertia), in_lanes(mass / max(float(mass.sum()), 1e-300)), strains,
                   slab(len(mesh.X), 18), np.zeros((sections, 6)), np.zeros(6 * sections), np.zeros(6 * sections), np.zeros(0),
                   np.zeros((0, 6)))


def scratch(nodes: int, size: int) -> rod_motion.Scratch:
    """Working memory."""
    ahead = rod_motion.AHEAD
    return rod_motion.Scratch(make_desk(nodes), aligned_zeros((ahead, nodes, NODE_COLUMNS)), aligned_zeros((ahead, SUMS)),
                              slab(nodes, SLAB_COLUMNS), slab(nodes, 6), np.zeros((6, 6)), np.zeros((6, 6)),
                              np.zeros((rod_motion.VECTORS, 6)), np.zeros(2), np.zeros(size), np.zeros(size), np.zeros(size))


def records(nodes: int, size: int, count: int) -> rod_motion.Records:
    """Room for `count` records."""
    return rod_motion.Records(np.zeros((count, size)), np.zeros((count, 6)), np.zeros((count, 6)), np.zeros((count, 6)),
                              np.zeros((count, 2)), np.zeros((count, nodes, NODE_COLUMNS)), np.zeros(count, dtype=np.int64))
