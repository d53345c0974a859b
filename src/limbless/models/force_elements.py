"""Force laws as elements of a problem: from the tables that environments pack to what kernels push with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count as numbers_from
from typing import Any

import numpy as np

from limbless.core.errors import InputError
from limbless.environments.base import Pack
from limbless.mechanics.chain.tables import AddedMassState, Body, ConstantAddedMass, VaryingAddedMass
from limbless.mechanics.compiled.arrays import aligned_zeros
from limbless.mechanics.compiled.batching import map_arrays
from limbless.mechanics.compiled.lanes import LANES
from limbless.mechanics.compiled.tables import Rows, is_code
from limbless.mechanics.forces.flow import StreamBuffer, UserFlows
from limbless.mechanics.forces.free_surface import FreeSurfaceLaws, OpenWakeLaw
from limbless.mechanics.forces.laws import LawBands, Laws, LawWrench, RowLaws, law_slice
from limbless.mechanics.forces.open_water import NoFreeSurface, OpenWaterLaw
from limbless.mechanics.forces.station_laws import AtStation, FreeSurfaceStations
from limbless.mechanics.forces.user_slice import Buffer
from limbless.mechanics.forces.weight import Weight, WeightLaw
from limbless.mechanics.rod.rod_free_surface import FreeSurfaceSlices
from limbless.mechanics.rod.slice_forces import NodeRows, SliceBands, SliceRows


def bands_of(kind: Any, rows: Rows) -> tuple[Rows, Any, Any]:
    """Laws of one kind in bands of eight where codes and window are the same: their table in lanes, the bodies (bands,
    8) and the numbers of the rows (bands, 8), -1 in the empty places of a band, where any coefficients will do."""
    columns, width = kind.table.of(rows), kind.table.width
    codes = [name for name, field in kind.table.fields.items() if is_code(field.kind) and name != "body"]
    groups: dict[tuple, list[int]] = {}
    for i in range(len(rows.codes)):
        key = (columns.since[i], columns.until[i], *(getattr(columns, name)[i] for name in codes))
        groups.setdefault(key, []).append(i)
    bands = [found[i : i + LANES] for found in groups.values() for i in range(0, len(found), LANES)]
    numbers, which = aligned_zeros((len(bands), width, LANES)), np.full((len(bands), LANES), -1)
    members = np.zeros((len(bands), LANES), dtype=np.int64)
    for b, band in enumerate(bands):
        full = [*band, *[band[0]] * (LANES - len(band))]
        numbers[b], members[b], which[b, : len(band)] = rows.numbers[full, :width].T, columns.body[full], band
    return Rows(numbers, np.ascontiguousarray(rows.codes[[band[0] for band in bands]])), members, which


def banded(owner: int, kind: Any, rows: Rows, nodes: Any, weights: Any, bodies: int) -> Laws | FreeSurfaceLaws:
    """Laws of one kind in bands of eight, among so many bodies; `side_by_side` gives them memory for these."""
    bands, members, which = bands_of(kind, rows)
    share, none = aligned_zeros(which.shape), aligned_zeros(0)
    share[:] = which >= 0
    pushed = LawWrench.zeros(len(which), words=(LANES,))
    if not has_surface(kind):
        return Laws(owner, kind, rows, bands, members, share, none, pushed, nodes, weights)
    return FreeSurfaceLaws(
        owner,
        kind,
        rows,
        bands,
        members,
        share,
        none,
        pushed,
        nodes,
        weights,
        which,
        AddedMassState.zeros(bodies),
        aligned_zeros(1),
    )


def side_by_side(laws: Sequence[Any]) -> list[LawBands]:
    """Laws in bands, those on the same bodies together, with memory for the motion of these."""
    groups: dict[bytes, list[Any]] = {}
    for law in laws:
        groups.setdefault(law.members.tobytes(), []).append(law)
    found = []
    for same in groups.values():
        members = same[0].members
        slab = Body.zeros(len(members), words=(LANES,))
        found.append(LawBands(tuple(law._replace(slab=slab) for law in same), members, slab))
    return found


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


def fresh_element(element: Any) -> Any:
    """The same element with working memory of its own."""
    if isinstance(element, LawBands):
        return side_by_side([fresh_element(law) for law in element.laws])[0]
    own: dict[str, Any] = {}
    if isinstance(element, Laws | FreeSurfaceLaws | SliceBands):
        own["pushed"] = LawWrench.zeros(len(element.share), words=(LANES,))
    elif isinstance(element, RowLaws | SliceRows | NodeRows | FreeSurfaceSlices | FreeSurfaceStations):
        own["pushed"] = LawWrench.zeros(len(element.rows.codes))
    else:
        return map_arrays(np.copy, element)
    if isinstance(element, FreeSurfaceLaws | FreeSurfaceStations):
        own["floating"] = AddedMassState.zeros(len(element.floating))
    if isinstance(element, FreeSurfaceLaws):
        own["submerged"] = aligned_zeros(1)
    return element._replace(kind=_fresh_kind(element.kind), **own)


def _fresh_kind(kind: Any) -> Any:
    """The same kind of law with buffers of its own, where it asks a user's function."""
    if isinstance(kind, AtStation):
        return AtStation(_fresh_kind(kind.law))
    if hasattr(kind, "buffer"):
        return kind._replace(buffer=Buffer.zeros(1))
    if isinstance(kind, (OpenWaterLaw, OpenWakeLaw)) and isinstance(getattr(kind.flows, "asked", None), UserFlows):
        return kind._replace(flows=kind.flows._replace(asked=UserFlows(StreamBuffer.zeros(1))))
    return kind


def water_of(forces: Sequence[Any]) -> ConstantAddedMass | VaryingAddedMass:
    """Where the dynamics find added inertia that changes, if there is any among these forces."""
    laws = [law for element in forces for law in (element.laws if isinstance(element, LawBands) else (element,))]
    return next(
        (VaryingAddedMass(law.floating) for law in laws if isinstance(law, FreeSurfaceLaws | FreeSurfaceStations)),
        ConstantAddedMass(),
    )


def has_surface(kind: Any) -> bool:
    """Whether a kind of law is that of water with a surface."""
    return isinstance(kind, OpenWaterLaw) and not isinstance(kind.surface, NoFreeSurface)


def owners_of(packs: Sequence[Pack]) -> list[int]:
    """The number of each environment's own work among all works that a tally counts: its parts follow it."""
    return np.cumsum([0, *(1 + len(pack.parts) for pack in packs)])[:-1].tolist()


def forces_of(packs: Sequence[Pack], bodies: int) -> tuple[Any, ...]:
    """The elements of all environments on so many bodies, each of which owns its laws; by kind, so that their order in
    a scenario asks for no other compiled code. Single laws come first: while they wait for one number, bands go on.
    """
    made: list[Any] = []
    beside: list[Laws | FreeSurfaceLaws] = []
    for owner, pack in zip(owners_of(packs), packs, strict=True):
        for kind, rows, nodes, weights, part in pack.laws:
            if not len(rows.codes):
                continue
            count = len(rows.codes)
            if isinstance(kind, AtStation) and has_surface(kind.law):  # the model fills in stations and their inertia
                made.append(
                    FreeSurfaceStations(
                        owner + part,
                        kind.law,
                        rows,
                        LawWrench.zeros(count),
                        AddedMassState.zeros(bodies),
                        np.zeros(count, dtype=np.int64),
                        np.zeros((count, 6)),
                    )
                )
            elif has_surface(kind) or kind.bands:
                beside.append(banded(owner + part, kind, rows, nodes, weights, bodies))
            else:
                made.append(RowLaws(owner + part, kind, rows, LawWrench.zeros(count), nodes, weights))
        made.extend(element._replace(owner=owner) for element in pack.elements)
    groups = side_by_side(sorted(beside, key=_by_kind))
    return (*sorted(made, key=_by_kind), *sorted(groups, key=lambda group: [_by_kind(law) for law in group.laws]))


def _by_kind(element: Any) -> tuple[str, str]:
    return type(element).__name__, type(getattr(element, "kind", None)).__name__


def rod_forces_of(packs: Sequence[Pack], weight: Any) -> tuple[Any, ...]:
    """The same on the nodes of a rod, whose slices are as long as their `weight` (nodes,), m: laws per length.

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


def packed_rows(packs: Sequence[Pack], kind: Any) -> list[Any]:
    """The laws of one kind in what environments packed, one row each."""
    return [
        kind.table(law.rows, i)
        for pack in packs
        for law in pack.laws
        if isinstance(law.kind, kind)
        for i in range(len(law.rows.codes))
    ]
