"""Force laws as elements of a problem: from the tables that environments pack to what kernels push with."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbless.environments.base import Pack
from limbless.mechanics.chain.tables import Body
from limbless.mechanics.compiled.lanes import LANES
from limbless.mechanics.compiled.scalars import aligned_zeros
from limbless.mechanics.compiled.tables import Rows, is_code
from limbless.mechanics.compiled.widening import mapped
from limbless.mechanics.forces.laws import Laws, Pushed, RowLaws
from limbless.mechanics.forces.user import Buffer


def banded(owner: int, kind: Any, rows: Rows, nodes: Any, weights: Any) -> Laws:
    """Laws of one kind in bands of eight where codes and window are the same; for the empty places of a band any coefficients will do."""
    columns, width = kind.table.of(rows), kind.table.width
    codes = [name for name, field in kind.table.fields.items() if is_code(field.kind) and name != "body"]
    groups: dict[tuple, list[int]] = {}
    for i in range(len(rows.codes)):
        groups.setdefault((columns.since[i], columns.until[i], *(getattr(columns, name)[i] for name in codes)), []).append(i)
    bands = [found[i:i + LANES] for found in groups.values() for i in range(0, len(found), LANES)]
    numbers, share = aligned_zeros((len(bands), width, LANES)), aligned_zeros((len(bands), LANES))
    members = np.zeros((len(bands), LANES), dtype=np.int64)
    for b, band in enumerate(bands):
        full = [*band, *[band[0]] * (LANES - len(band))]
        numbers[b], members[b], share[b, :len(band)] = rows.numbers[full, :width].T, columns.body[full], 1.0
    shared = np.ascontiguousarray(rows.codes[[band[0] for band in bands]])
    return Laws(owner, kind, rows, Rows(numbers, shared), members, share, Body.zeros(len(bands), words=(LANES,)),
                Pushed.zeros(len(bands), words=(LANES,)), nodes, weights)


def fresh_element(element: Any) -> Any:
    """The same element with working memory of its own."""
    if isinstance(element, RowLaws):
        own = {"buffer": Buffer.zeros(1)} if hasattr(element.kind, "buffer") else {}
        return element._replace(kind=element.kind._replace(**own), pushed=Pushed.zeros(len(element.rows.codes)))
    if not isinstance(element, Laws):
        return mapped(np.copy, element)
    bands = len(element.share)
    return element._replace(slab=Body.zeros(bands, words=(LANES,)), pushed=Pushed.zeros(bands, words=(LANES,)))


def forces_of(packs: Sequence[Pack]) -> tuple[Any, ...]:
    """The elements of all environments, each of which owns its laws."""
    made: list[Any] = []
    for owner, pack in enumerate(packs):
        for kind, rows, nodes, weights in pack.laws:
            if not len(rows.codes):
                continue
            if kind.bands:
                made.append(banded(owner, kind, rows, nodes, weights))
            else:
                made.append(RowLaws(owner, kind, rows, Pushed.zeros(len(rows.codes)), nodes, weights))
        made.extend(element._replace(owner=owner) for element in pack.elements)
    return tuple(made)
