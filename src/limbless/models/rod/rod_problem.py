"""A rod and its environment as the tables of a `RodProblem`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import Environment, Pack
from limbless.environments.point_wrench import PointWrench
from limbless.mechanics.compiled.arrays import aligned_zeros
from limbless.mechanics.compiled.lanes import LANES
from limbless.mechanics.forces.laws import LawWrench
from limbless.mechanics.forces.morison import MorisonLaw
from limbless.mechanics.forces.open_water import OpenWaterLaw
from limbless.mechanics.integrate.running_totals import Totals
from limbless.mechanics.rod.rod_free_surface import FreeSurfaceSlices
from limbless.mechanics.rod.shape_batch import make_desk
from limbless.mechanics.rod.tables import (
    AHEAD,
    HeadState,
    Instant,
    InstantRecord,
    Load,
    RodMemory,
    RodRecords,
    RodShape,
    RodTables,
    Section,
    ShapeSums,
)
from limbless.models.force_elements import fresh_element, rod_forces_of
from limbless.models.rod.panel_mesh import PanelMesh, Slices
from limbless.robots.rod import Rod

Array = NDArray[np.float64]
SIZE = HeadState.width


def breaks_of(rod: Rod, environment: Sequence[Environment], more: tuple[float, ...]) -> tuple[float, ...]:
    """Where panels must end: at point wrenches, at the rows of a section law, and where the user says so."""
    length = rod.length
    points = [item.abscissa for item in environment if isinstance(item, PointWrench) and item.abscissa is not None]
    # one beyond the body is refused by its own name, in `Slices.node_at`
    found = [*more, *(x for x in points if 0.0 < x < length)]
    for law in (rod.half_width, rod.half_height):
        found += [x for x, _ in law if 0.0 < x < length] if isinstance(law, tuple) else []
    return tuple(sorted(set(found)))


def pack_environment(slices: Slices, environment: Sequence[Environment]) -> tuple[tuple[Any, ...], list[Pack]]:
    """All forces, per unit length at each node (a wrench at a point stays whole), and what each environment packed."""
    seen: Any = slices  # as environments see a robot: its bodies and segments
    packs = [item.pack(seen) for item in environment if item.role == "wrench"]
    return rod_forces_of(packs, slices.mesh.weight), packs


def fresh(forces: tuple[Any, ...]) -> tuple[Any, ...]:
    """The same forces with working memory of their own."""
    return tuple(fresh_element(element) for element in forces)


def added_inertia(forces: tuple[Any, ...], nodes: int) -> Array:
    """Added mass per length of all fluids, on the diagonal of the section's inertia (nodes, 6)."""
    added = np.zeros((nodes, 6))
    for element in forces:
        if isinstance(element.kind, (MorisonLaw, OpenWaterLaw)):
            kind: Any = element.kind
            fluid = kind.table.of(element.rows)
            counts = getattr(fluid, "has_added", np.ones(len(fluid.body)))
            np.add.at(added[:, :3], fluid.body, fluid.added * counts[:, None])
            np.add.at(added[:, 3], fluid.body, fluid.added_roll * counts)
    return added


def set_afloat(forces: tuple[Any, ...], own: Array) -> bool:
    """Whether there is water with a surface; it is told the inertia per length (nodes, 6) of the rod alone."""
    floating = [element for element in forces if isinstance(element, FreeSurfaceSlices)]
    for element in floating:
        element.dry[:] = own
    return bool(floating)


def windows_of(forces: tuple[Any, ...]) -> Array:
    """(windows, 2): all different times since when and until when laws act."""
    found = [np.zeros((0, 2))]
    for element in forces:
        columns = element.kind.table.of(element.rows)
        found.append(np.stack([columns.since, columns.until], axis=1))
    return np.unique(np.concatenate(found), axis=0)


def inertia_of(slices: Slices, forces: tuple[Any, ...], inertia: bool) -> tuple[Array, Array]:
    """Inertia per length (nodes, 6) with added mass (zero for a rod without inertia), and the rod's own."""
    X = slices.mesh.X
    own = slices.rod.inertia(np.clip(X, 0.0, slices.rod.length))
    return own + added_inertia(forces, len(X)) if inertia else np.zeros_like(own), own


def in_lanes(values: Array) -> Array:
    """Rows of all nodes (nodes, ..), eight nodes side by side (nodes / 8, .., 8), with zeros after the last."""
    padded = np.concatenate([values, np.zeros((-len(values) % LANES, *values.shape[1:]))])
    packed = aligned_zeros((len(padded) // LANES, *values.shape[1:], LANES))
    packed[:] = np.moveaxis(padded.reshape(-1, LANES, *values.shape[1:]), 1, -1)
    return packed


def robot_of(mesh: PanelMesh, whole: Array, own: Array, muscles: Array, free: Array) -> RodTables:
    """The rod in tables, from its inertia per length with added mass and without."""
    sections = Section.zeros(len(mesh.X))
    section, mass = Section.of(sections), mesh.weight * own[:, 0]
    section.weight[:], section.share[:] = mesh.weight, mass / max(float(mass.sum()), 1e-300)
    section.mass[:], section.turn[:] = whole[:, :3], whole[:, 3:]
    return RodTables(sections, in_lanes(sections), mesh.half, mesh.X, muscles, free)


def memory_of(
    robot: RodTables, environments: int, tally: Totals, shapes: Array | None = None, sums: Array | None = None
) -> RodMemory:
    """Working memory of one run; shapes and sums of all instants where they are known before."""
    nodes, sections, words = len(robot.abscissae), int((robot.halves > 0.0).sum()), (LANES,)
    octets = len(robot.octets)
    return RodMemory(
        desk=make_desk(nodes),
        shapes=RodShape.zeros(AHEAD, nodes) if shapes is None else shapes,
        sums=ShapeSums.zeros(AHEAD) if sums is None else sums,
        now=np.full(1, -1),
        failed=np.zeros(1, dtype=np.int64),
        slab=RodShape.zeros(octets, words=words),
        pushes=LawWrench.zeros(octets, words=words),
        pokes=LawWrench.zeros(nodes),
        needs=LawWrench.zeros(octets, words=words),
        inner=LawWrench.zeros(sections),
        efforts=np.zeros(6 * sections),
        powers=np.zeros(6 * sections),
        instant=Instant.zeros(1),
        matrix=np.zeros((6, 6)),
        system=np.zeros((6, 7)),
        unknown=np.zeros(6),
        law_powers=np.zeros(environments),
        tally=tally,
        state=np.zeros(SIZE),
        slope=np.zeros(SIZE),
        total=np.zeros(SIZE),
    )


def records_of(nodes: int, count: int, tallied: Totals) -> RodRecords:
    """Memory for `count` records."""
    return RodRecords(
        np.zeros((count, SIZE)),
        InstantRecord.zeros(count),
        RodShape.zeros(count, nodes),
        Load.zeros(count, nodes),
        np.zeros(count, dtype=np.int64),
        tallied,
    )
