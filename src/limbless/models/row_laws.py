"""The tables that environments pack as rows of `mechanics.forces.rows`, for models that read those."""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import Array, Pack
from limbless.mechanics.compiled.lanes import LANES
from limbless.mechanics.compiled.scalars import aligned_zeros
from limbless.mechanics.compiled.tables import _flat
from limbless.mechanics.forces import rows as laws
from limbless.mechanics.forces.fluid import FluidLaw
from limbless.mechanics.forces.friction import FrictionLaw
from limbless.mechanics.forces.laws import LawRows
from limbless.mechanics.forces.point import PointLaw, TimedPointLaw
from limbless.mechanics.forces.rows import Laws
from limbless.mechanics.forces.surface import SurfaceLaw
from limbless.mechanics.forces.user import UserLaw
from limbless.mechanics.forces.weight import WeightLaw

WORTH = 3
"""Laws that a band holds at least: fewer are faster one by one."""


def law_row(code: int, body: int, coefficients: Array | list[float]) -> Array:
    """A law on a whole body, always active."""
    row = np.zeros(laws.LAW_COLUMNS)
    row[laws.CODE], row[laws.BODY], row[laws.FROM], row[laws.UNTIL] = code, body, -np.inf, np.inf
    row[laws.COEFFICIENTS:laws.COEFFICIENTS + len(coefficients)] = coefficients
    row[laws.FRAME:laws.FRAME + 9] = np.eye(3).ravel()
    return row


def row_of(kind: Any, row: Any) -> Array:
    """One law as a row of numbers."""
    code, fields = CODES[type(kind)]
    coefficients: list[float] = []
    for name in fields:
        coefficients.extend(_flat(getattr(row, name) if name != "nothing" else (0.0,) * 6))
    made = law_row(int(code), int(row.body), coefficients)
    made[laws.FROM], made[laws.UNTIL] = row.since, row.until
    if hasattr(row, "length"):
        made[laws.START:laws.START + 3], made[laws.FRAME:laws.FRAME + 9] = _flat(row.start), _flat(row.frame)
        made[laws.LENGTH], made[laws.COUNT], made[laws.TURNED] = row.length, row.count, row.turned
    elif hasattr(row, "start"):
        made[laws.START:laws.START + 3] = _flat(row.start)
    return made


CODES: dict[Any, tuple[Any, tuple[str, ...]]] = {
    WeightLaw: (laws.WEIGHT, ("field", "mass", "moment")),
    FluidLaw: (laws.FLUID, ("quadratic", "quadratic_roll", "linear", "linear_roll", "added", "added_roll", "consistent", "current",
                            "has_added")),
    FrictionLaw: (laws.FRICTION, ("forward", "backward", "across", "fading", "joined")),
    SurfaceLaw: (laws.SURFACE, ("lift", "height", "half_width", "half_height")),
    PointLaw: (laws.POINT, ("force", "torque", "in_world")),
    TimedPointLaw: (laws.POINT, ("nothing", "in_world", "address")),
    UserLaw: (laws.USER, ("address",)),
}


def packed_rows(laws: Any, kind: Any) -> list[Any]:
    """The laws of one kind in the packs of environments, one row each."""
    if isinstance(laws, Laws):
        laws = laws_as_packs(laws)
    return [kind.table(law.rows, i) for pack in laws for law in pack.laws if isinstance(law.kind, kind) for i in range(len(law.rows.codes))]


def laws_as_packs(old: Laws) -> list[Pack]:
    """Rows of numbers as the tables that they came from."""
    made = []
    for kind, (code, fields) in CODES.items():
        found = old.rows[old.rows[:, laws.CODE] == code]
        if kind in (TimedPointLaw, UserLaw) or not len(found):
            continue
        table = kind.table.zeros(len(found))
        columns = kind.table.of(table)
        columns.body[:], columns.since[:], columns.until[:] = (found[:, c] for c in (laws.BODY, laws.FROM, laws.UNTIL))
        place = int(laws.COEFFICIENTS)
        for name in fields:
            target = getattr(columns, name)
            width = target.shape[1] if target.ndim > 1 else 1
            target[:] = found[:, place:place + width].reshape(target.shape)
            place += width
        if "length" in kind.table.fields:
            columns.start[:], columns.frame[:] = found[:, laws.START:laws.START + 3], found[:, laws.FRAME:laws.FRAME + 9]
            columns.length[:], columns.count[:], columns.first[:] = found[:, [laws.LENGTH, laws.COUNT, laws.FIRST]].T
        made.append(LawRows(kind(), table, old.nodes, old.weights))
    return [Pack(tuple(made))]


def rows_of(law: LawRows) -> Array:
    """All laws of one kind."""
    return np.array([row_of(law.kind, law.kind.table(law.rows, i)) for i in range(len(law.rows.codes))]).reshape(-1, laws.LAW_COLUMNS)


def assemble_laws(packs: list[Any]) -> laws.Laws:
    """All rows of all environments, sorted by body, with the Gauss rules that they use."""
    packs = [pack if isinstance(pack, np.ndarray) else np.concatenate([np.zeros((0, laws.LAW_COLUMNS)), *map(rows_of, pack)])
             for pack in packs]
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
