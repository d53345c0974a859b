"""Force laws as elements of a problem: from the tables that environments pack to what kernels push with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from limbless.environments.base import Pack
from limbless.mechanics.chain import AddedMassState, Body, VaryingAddedMass
from limbless.mechanics.compiled import LANES, Rows, Table, aligned_zeros, is_code, map_arrays
from limbless.mechanics.forces import (
    Buffer,
    FreeSurfaceLaws,
    LawBands,
    Laws,
    LawWrench,
    OpenWakeLaw,
    OpenWaterLaw,
    RowLaws,
    StreamBuffer,
    WeightLaw,
)


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


def fresh_element(element: Any) -> Any:
    """The same element with working memory of its own."""
    if isinstance(element, LawBands):
        return side_by_side([fresh_element(law) for law in element.laws])[0]
    fields = set(element._fields)
    if not {"kind", "rows", "pushed"} <= fields:  # no laws in rows
        return map_arrays(np.copy, element)
    bands = "share" in fields
    own = {"pushed": LawWrench.zeros(len(element.share if bands else element.rows.codes), words=(LANES,) * bands)}
    own |= {"floating": AddedMassState.zeros(len(element.floating))} if "floating" in fields else {}
    own |= {"submerged": aligned_zeros(1)} if "submerged" in fields else {}
    return element._replace(kind=_fresh_kind(element.kind), **own)


def _fresh_kind(kind: Any) -> Any:
    """The same kind of law with buffers of its own, where it asks a user's function."""
    if hasattr(kind, "law"):  # of slices, at stations
        return kind._replace(law=_fresh_kind(kind.law))
    if hasattr(kind, "buffer"):
        return kind._replace(buffer=Buffer.zeros(1))
    if isinstance(kind, OpenWaterLaw | OpenWakeLaw) and kind.flows is not None and kind.flows.asked is not None:
        return kind._replace(flows=kind.flows._replace(asked=StreamBuffer.zeros(1)))
    return kind


def water_of(forces: Sequence[Any]) -> VaryingAddedMass | None:
    """Where the dynamics find added inertia that changes, if there is any among these forces."""
    laws = [law for element in forces for law in (element.laws if isinstance(element, LawBands) else (element,))]
    return next((VaryingAddedMass(law.floating) for law in laws if hasattr(law, "floating")), None)


def has_surface(kind: Any) -> bool:
    """Whether a kind of law is that of water with a surface."""
    return isinstance(kind, OpenWaterLaw) and kind.surface is not None


def owners_of(packs: Sequence[Pack]) -> list[int]:
    """The number of each environment's own work among all works that a tally counts: its parts follow it."""
    return np.cumsum([0, *(1 + len(pack.parts) for pack in packs)])[:-1].tolist()


def forces_of(
    packs: Sequence[Pack], bodies: int, element_of: Callable[[int, Any, Rows], Any] | None = None
) -> tuple[Any, ...]:
    """The elements of all environments on so many bodies, each of which owns its laws; by kind, so that their order in
    a scenario asks for no other compiled code. Single laws come first: while they wait for one number, bands go on.

    `element_of` may make an element of an owner's laws of one kind by itself; it answers None where it does not.
    """
    made: list[Any] = []
    beside: list[Laws | FreeSurfaceLaws] = []
    # weight alone is not worth the motion of eight bodies side by side
    bands = any(law.kind.bands and not isinstance(law.kind, WeightLaw) for pack in packs for law in pack.laws)
    for owner, pack in zip(owners_of(packs), packs, strict=True):
        for kind, rows, nodes, weights, part in pack.laws:
            count = len(rows.codes)
            whole = None if element_of is None or not count else element_of(owner + part, kind, rows)
            if whole is not None:
                made.append(whole)
            elif count and (has_surface(kind) or (bands and kind.bands)):
                beside.append(banded(owner + part, kind, rows, nodes, weights, bodies))
            elif count:
                made.append(RowLaws(owner + part, kind, rows, LawWrench.zeros(count), nodes, weights))
        made.extend(element._replace(owner=owner) for element in pack.elements)
    groups = side_by_side(sorted(beside, key=_by_kind))
    return (*sorted(made, key=_by_kind), *sorted(groups, key=lambda group: [_by_kind(law) for law in group.laws]))


def _by_kind(element: Any) -> tuple[str, str]:
    return type(element).__name__, type(getattr(element, "kind", None)).__name__


def filled(table: type[Table], rows: int, **columns: ArrayLike) -> Any:
    """So many rows of a table with these columns; the others are zero."""
    made = table.zeros(rows)
    for name, values in columns.items() if rows else ():
        getattr(table.of(made), name)[:] = values
    return made


def packed_rows(packs: Sequence[Pack], kind: Any) -> list[Any]:
    """The laws of one kind in what environments packed, one row each."""
    return [
        kind.table(law.rows, i)
        for pack in packs
        for law in pack.laws
        if isinstance(law.kind, kind)
        for i in range(len(law.rows.codes))
    ]
