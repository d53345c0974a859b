"""A rod and its environment as the tables of a `RodProblem`.

The standing problem of a rod that no contact holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count as numbers_from
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array, InputError
from limbless.environments.base import Environment, Pack
from limbless.mechanics.chain import BalanceScratch
from limbless.mechanics.compiled import LANES, Rows, aligned_zeros, is_code
from limbless.mechanics.forces import LawWrench, MorisonLaw, OpenWaterLaw, Weight, WeightLaw, law_slice
from limbless.mechanics.integrate import Totals, runge_kutta
from limbless.mechanics.rod import (
    AHEAD,
    FreeSurfaceSlices,
    HeadState,
    Instant,
    Load,
    NodeRows,
    RodDrive,
    RodMemory,
    RodRecords,
    RodShape,
    RodTables,
    Section,
    ShapeSums,
    SliceBands,
    SliceRows,
    Strains,
    make_desk,
)
from limbless.models import (
    Records,
    StandingProblem,
    Status,
    arrays_in,
    fresh_element,
    has_surface,
    law_failure,
    owners_of,
    with_arrays,
)
from limbless.models.rod.panel_mesh import PanelMesh, Slices
from limbless.models.rod.rod_recorder import instants_from, kept_arrays

if TYPE_CHECKING:
    from limbless.models.rod.rod_model import MacroContinuous


SIZE = HeadState.width


def pack_environment(slices: Slices, environment: Sequence[Environment]) -> tuple[tuple[Any, ...], list[Pack]]:
    """All forces, per unit length at each node (a wrench at a point stays whole), and what each environment packed."""
    seen: Any = slices  # as environments see a robot: its bodies and segments
    packs = [item.pack(seen) for item in environment if item.role == "wrench"]
    return rod_forces_of(packs, slices.mesh.weight), packs


def banded_on_rod(owner: int, kind: Any, rows: Rows, weight: Any) -> SliceBands:
    """Laws of one kind on the nodes of a rod in bands of eight neighbours where codes and window are the same.

    Nodes of a band that its law does not act on have its coefficients too (any finite ones will do) and a share of 0.
    """
    columns, width = kind.table.of(rows), kind.table.width
    codes = [name for name, field in kind.table.fields.items() if is_code(field.kind) and name != "body"]
    bands: dict[tuple, dict[int, int]] = {}
    for i, node in enumerate(columns.body):
        key = (columns.since[i], columns.until[i], *(getattr(columns, name)[i] for name in codes), node // LANES)
        again = next(n for n in numbers_from() if node not in bands.get((*key, n), ()))
        bands.setdefault((*key, again), {})[int(node)] = i
    numbers, share = aligned_zeros((len(bands), width, LANES)), aligned_zeros((len(bands), LANES))
    for b, members in enumerate(bands.values()):
        numbers[b] = rows.numbers[next(iter(members.values())), :width, None]
        for node, i in members.items():
            numbers[b, :, node % LANES], share[b, node % LANES] = rows.numbers[i, :width], weight[node]
    shared = np.ascontiguousarray(rows.codes[[next(iter(members.values())) for members in bands.values()]])
    octets = np.array([key[-2] for key in bands], dtype=np.int64)
    pushed = LawWrench.zeros(len(bands), words=(LANES,))
    return SliceBands(owner, kind, rows, Rows(numbers, shared), octets, share, pushed)


def rod_forces_of(packs: Sequence[Pack], weight: Any) -> tuple[Any, ...]:
    """The forces of all environments on the nodes of a rod, per length; slices are as long as their `weight` (nodes,).

    They come in the order of their kinds: the same laws of environments in another order need no kernels of their own.
    """
    made: list[Any] = []
    for owner, pack in zip(owners_of(packs), packs, strict=True):
        if pack.elements:
            raise InputError(
                f"{type(pack.elements[0]).__name__} pushes the bodies of a chain; a rod takes force laws on its slices"
            )
        for kind, rows, _, _, part in pack.laws:
            if not len(rows.codes):
                continue
            if isinstance(kind, WeightLaw):  # packed for a whole slice
                columns = Weight.of(rows)
                columns.mass[:] /= weight[columns.body]
            if has_surface(kind):  # the model fills in the inertia without water
                made.append(
                    FreeSurfaceSlices(
                        owner + part, kind, rows, LawWrench.zeros(len(rows.codes)), np.zeros((len(weight), 6))
                    )
                )
            elif kind.bands:
                made.append(banded_on_rod(owner + part, kind, rows, weight))
            else:
                rowwise = SliceRows if type(kind) in law_slice.versions else NodeRows
                made.append(rowwise(owner + part, kind, rows, LawWrench.zeros(len(rows.codes))))
    return tuple(sorted(made, key=lambda element: type(element.kind).__name__))


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
    laws = [element.kind.table.of(element.rows) for element in forces]
    found = [np.stack([columns.since, columns.until], axis=1) for columns in laws]
    return np.unique(np.concatenate([np.zeros((0, 2)), *found]), axis=0)


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
        balance=BalanceScratch(robot.free, np.zeros((6, 6)), np.zeros((6, 7)), np.zeros(6)),
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
        Instant.zeros(count),
        RodShape.zeros(count, nodes),
        Load.zeros(count, nodes),
        np.zeros(count, dtype=np.int64),
        tallied,
    )


class StandingRod(StandingProblem):
    model: MacroContinuous
    engine = staticmethod(runge_kutta.advance_part)
    redrives = False

    def __init__(self, model: MacroContinuous) -> None:
        super().__init__(model, model.tallies, HeadState.width)

    def _laid_out(self, drive: Any) -> RodDrive:
        return RodDrive(Strains(*drive), self.model.recorder.passive_power(drive.value, drive.rate))

    def _build(self, drive: RodDrive, records: int) -> tuple[Any, ...]:
        self.problem = self.model._problem(drive, self._tally, records)
        self._memory, self._kept = self.problem.memory, dict(enumerate(arrays_in(self.problem.records)))
        return (self.problem,)

    def go(self, last: int, torque: Any = None, closing: bool = True) -> int:
        super().go(last, torque, closing)
        self._closed = closing and bool(self._record[last])
        failed = int(self.problem.memory.failed[0])  # also within the last step, at whose end nothing was asked
        if failed:
            self._reached = (failed - 1) // 2
        return failed

    def _records(self, count: int, times: Array) -> Records:
        """Works of what is passive come from the gait; without inertia the twist is that of the last instant."""
        here, passive, last = self._here, self._asked.passive[: 2 * self._here + 1], HeadState.of(self._x)
        h = np.diff(self._knots[: here + 1])
        paid = np.concatenate([[0.0], np.cumsum(h / 6.0 * (passive[0:-2:2] + 4.0 * passive[1::2] + passive[2::2]))])
        kept = with_arrays(self.problem.records, (array[:count].copy() for array in self._kept.values()))
        HeadState.of(kept.x).passive[:] += paid[self._record[: here + 1]][:count]
        last.passive[...] += paid[-1]
        if self.model._options.inertialess and self._closed and not self.problem.memory.failed[0]:
            last.motion[:] = Instant.of(kept.instants).twist[-1]
        now = instants_from(times, kept, self._drive.strains)
        return Records({**kept_arrays(now, None), **self._totals.named(kept.tally)})

    def _status(self, found: int, done: float, records: Records) -> Status:
        status = law_failure(self.model.environment)
        if found and not status.failure:
            status = Status(
                "the forces leave the motion of the head undetermined (without inertia every direction "
                "needs a drag); add a drag, or set model.inertia: true",
                done,
                "the head",
            )
        return status
