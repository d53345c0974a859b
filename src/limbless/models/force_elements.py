"""Force laws as elements of a problem: from the rows that environments pack to one table per kind."""
from __future__ import annotations

from collections.abc import Iterator
from itertools import count, product
from typing import Any

import numpy as np

from limbless.mechanics.chain.tables import Body
from limbless.mechanics.compiled.lanes import LANES
from limbless.mechanics.compiled.scalars import aligned_zeros
from limbless.mechanics.compiled.tables import Rows, is_code
from limbless.mechanics.forces import rows as old
from limbless.mechanics.forces.fluid import FluidLaw
from limbless.mechanics.forces.friction import FrictionLaw
from limbless.mechanics.forces.laws import Laws, Pushed, RowLaws
from limbless.mechanics.forces.point import PointLaw, TimedPointLaw
from limbless.mechanics.forces.surface import SurfaceLaw
from limbless.mechanics.forces.user import Buffer, UserLaw
from limbless.mechanics.forces.weight import Weight, WeightLaw
from limbless.mechanics.rod.forces import NodeRows, SliceBands, SliceRows

BANDED = (WeightLaw, FluidLaw, FrictionLaw)
"""Kinds that are one formula on every slice, without a branch on a number: they can stand in lanes."""


def banded(owner: int, kind: Any, rows: Rows, nodes: Any, weights: Any) -> Laws:
    """Laws of one kind in bands of eight where codes and window are the same; for the empty places of a band any
    coefficients will do."""
    columns, width = kind.table.of(rows), kind.table.width
    codes = [name for name, field in kind.table.fields.items() if is_code(field.kind) and name != "body"]
    groups: dict[tuple, list[int]] = {}
    for i in range(len(rows.codes)):
        key = (columns.since[i], columns.until[i], *(getattr(columns, name)[i] for name in codes))
        groups.setdefault(key, []).append(i)
    bands = [found[i:i + LANES] for found in groups.values() for i in range(0, len(found), LANES)]
    numbers, share = aligned_zeros((len(bands), width, LANES)), aligned_zeros((len(bands), LANES))
    members = np.zeros((len(bands), LANES), dtype=np.int64)
    for b, band in enumerate(bands):
        full = [*band, *[band[0]] * (LANES - len(band))]
        numbers[b], members[b], share[b, :len(band)] = rows.numbers[full, :width].T, columns.body[full], 1.0
    shared = np.ascontiguousarray(rows.codes[[band[0] for band in bands]])
    return Laws(owner, kind(), rows, Rows(numbers, shared), members, share, Body.zeros(len(bands), words=(LANES,)),
                Pushed.zeros(len(bands), words=(LANES,)), nodes, weights)


def banded_on_rod(owner: int, kind: Any, rows: Rows, weight: Any) -> SliceBands:
    """Laws of one kind on the nodes of a rod in bands of eight neighbours where codes and window are the same.

    Nodes of a band that its law does not act on have its coefficients too (any finite ones will do) and a share of 0.
    """
    columns, width = kind.table.of(rows), kind.table.width
    codes = [name for name, field in kind.table.fields.items() if is_code(field.kind) and name != "body"]
    bands: dict[tuple, dict[int, int]] = {}
    for i, node in enumerate(columns.body):
        key = (columns.since[i], columns.until[i], *(getattr(columns, name)[i] for name in codes), node // LANES)
        again = next(n for n in count() if node not in bands.get((*key, n), ()))
        bands.setdefault((*key, again), {})[int(node)] = i
    numbers, share = aligned_zeros((len(bands), width, LANES)), aligned_zeros((len(bands), LANES))
    for b, members in enumerate(bands.values()):
        numbers[b] = rows.numbers[next(iter(members.values())), :width, None]
        for node, i in members.items():
            numbers[b, :, node % LANES], share[b, node % LANES] = rows.numbers[i, :width], weight[node]
    shared = np.ascontiguousarray(rows.codes[[next(iter(members.values())) for members in bands.values()]])
    blocks = np.array([key[-2] for key in bands], dtype=np.int64)
    pushed = Pushed.zeros(len(bands), words=(LANES,))
    return SliceBands(owner, kind(), rows, Rows(numbers, shared), blocks, share, pushed)


def fresh_element(element: Any) -> Any:
    """The same element with working memory of its own."""
    if isinstance(element.kind, (UserLaw, TimedPointLaw)):
        element = element._replace(kind=_marker(type(element.kind)))
    if isinstance(element, (RowLaws, SliceRows, NodeRows)):
        return element._replace(pushed=Pushed.zeros(len(element.rows.codes)))
    if isinstance(element, SliceBands):
        return element._replace(pushed=Pushed.zeros(len(element.share), words=(LANES,)))
    bands = len(element.share)
    return element._replace(slab=Body.zeros(bands, words=(LANES,)), pushed=Pushed.zeros(bands, words=(LANES,)))


def _tables_of(laws: Any) -> Iterator[tuple[int, Any, Rows]]:
    """The packed rows as tables: of each environment, one per kind of law."""
    kinds: tuple[tuple[Any, Any, Any], ...] = (
        (old.WEIGHT, WeightLaw, _fill_weight), (old.FLUID, FluidLaw, _fill_fluid),
        (old.FRICTION, FrictionLaw, _fill_friction), (old.SURFACE, SurfaceLaw, _fill_surface),
        (old.POINT, PointLaw, _fill_point), (old.POINT, TimedPointLaw, _fill_timed), (old.USER, UserLaw, _fill_user))
    for owner, (code, kind, fill) in product(range(len(laws.power)), kinds):
        chosen = (laws.rows[:, old.CODE] == code) & (laws.rows[:, old.OWNER] == owner)
        if code == old.POINT:
            chosen &= (laws.rows[:, old.POINT_ADDRESS] > 0.0) == (kind is TimedPointLaw)
        found = laws.rows[chosen]
        if len(found):
            rows = kind.table.zeros(len(found))
            columns = kind.table.of(rows)
            columns.since[:], columns.until[:], columns.body[:] = (found[:, c] for c in (old.FROM, old.UNTIL, old.BODY))
            fill(columns, found)
            yield owner, kind, rows


def _marker(kind: Any) -> Any:
    return kind(Buffer.zeros(1)) if kind in (UserLaw, TimedPointLaw) else kind()


def forces_of(laws: Any) -> tuple:
    """All elements of the laws that a robot's environments have packed."""
    made: list[Any] = []
    for owner, kind, rows in _tables_of(laws):
        if kind in BANDED:
            made.append(banded(owner, kind, rows, laws.nodes, laws.weights))
        else:
            made.append(RowLaws(owner, _marker(kind), rows, Pushed.zeros(len(rows.codes)), laws.nodes, laws.weights))
    return tuple(made)


def rod_forces_of(laws: Any, weight: Any) -> tuple:
    """The same on the nodes of a rod, whose slices are as long as their `weight` (nodes,), m; the mass of a slice is
    per length."""
    made: list[Any] = []
    for owner, kind, rows in _tables_of(laws):
        if kind is WeightLaw:
            columns = Weight.of(rows)
            columns.mass[:] /= weight[columns.body]
        if kind in BANDED:
            made.append(banded_on_rod(owner, kind, rows, weight))
        else:
            at_node = kind in (PointLaw, TimedPointLaw)
            made.append((NodeRows if at_node else SliceRows)(owner, _marker(kind), rows, Pushed.zeros(len(rows.codes))))
    return tuple(made)


def _fill_weight(columns: Any, found: Any) -> None:
    columns.field[:], columns.mass[:], columns.moment[:] = found[:, 20:23], found[:, 23], found[:, 24:27]


def _fill_segment(columns: Any, found: Any) -> None:
    columns.start[:], columns.frame[:], columns.length[:] = found[:, 4:7], found[:, 7:16], found[:, 16]
    columns.first[:], columns.count[:], columns.turned[:] = found[:, 17], found[:, 18], found[:, 19]


def _fill_friction(columns: Any, found: Any) -> None:
    _fill_segment(columns, found)
    columns.forward[:], columns.backward[:], columns.across[:], columns.fading[:], columns.joined[:] = found[:, 20:25].T


def _fill_fluid(columns: Any, found: Any) -> None:
    _fill_segment(columns, found)
    columns.quadratic[:], columns.quadratic_roll[:] = found[:, 20:23], found[:, 23]
    columns.linear[:], columns.linear_roll[:] = found[:, 24:27], found[:, 27]
    columns.added[:], columns.added_roll[:] = found[:, 28:31], found[:, 31]
    columns.consistent[:], columns.current[:], columns.has_added[:] = found[:, 32], found[:, 33:36], found[:, 36]


def _fill_surface(columns: Any, found: Any) -> None:
    _fill_segment(columns, found)
    columns.lift[:], columns.height[:] = found[:, 20:23], found[:, 23]
    columns.half_width[:], columns.half_height[:] = found[:, 24], found[:, 25]


def _fill_point(columns: Any, found: Any) -> None:
    columns.start[:], columns.force[:], columns.torque[:] = found[:, 4:7], found[:, 20:23], found[:, 23:26]
    columns.in_world[:] = found[:, 26]


def _fill_timed(columns: Any, found: Any) -> None:
    columns.start[:], columns.in_world[:], columns.address[:] = found[:, 4:7], found[:, 26], found[:, old.POINT_ADDRESS]


def _fill_user(columns: Any, found: Any) -> None:
    _fill_segment(columns, found)
    columns.address[:] = found[:, 20]
