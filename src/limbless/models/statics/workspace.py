"""Where the tip can go: a scan of the tensions of all tendons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from limbless.core import Array, InputError, SimulationError
from limbless.mechanics.statics import equilibrium_solver
from limbless.mechanics.statics.tables import SolveStatus
from limbless.models.statics.spine_problem import FROM_PAPER

if TYPE_CHECKING:
    from limbless.models.statics.statics_model import TendonStatics


MOST_POSTURES = 1_000_000


@dataclass(frozen=True)
class Workspace:
    """Postures for all tensions. Of two antagonist pairs entry [i, j] has `values[i]` in the first and `values[j]` in
    the second.

    The dimensions n are one per group of tendons: an antagonist pair (as many entries as `values`), a triple (every
    combination of steps in which one of the three is slack), then every other tendon by itself (from 0 to the largest).

    Attributes
    ----------
    values : (n,) N; signed tensions of a pair, positive pulls its first tendon.
    tip : (*n, 3) tip, frame of the clamped disk, m.
    q : (*n, v, 2 or 3) postures as kernels hold them, rad.
    tension : (*n, tendons) N.
    """

    values: Array
    tip: Array = field(repr=False)
    q: Array = field(repr=False)
    tension: Array = field(repr=False)

    @property
    def hull_area(self) -> float:
        """Area of the convex hull of the tip seen along the body (y-z plane), m2."""
        from scipy.spatial import ConvexHull

        return float(ConvexHull(self.tip[..., 1:].reshape(-1, 2)).volume)

    @property
    def hull_volume(self) -> float:
        """Volume of the convex hull of all tip positions, m3."""
        from scipy.spatial import ConvexHull

        return float(ConvexHull(self.tip.reshape(-1, 3)).volume)

    @property
    def boundary(self) -> Array:
        """(points, 3) tip where the tensions are largest, in order around, m: the rim of the surface that the tip can
        reach.

        For two antagonist pairs or one triple; other tendons reach a volume, see `hull_volume`.
        """
        tip = self.tip
        if tip.ndim == 3 and tip.shape[0] == tip.shape[1] == len(self.values):
            return np.concatenate([tip[:-1, 0], tip[-1, :-1], tip[:0:-1, -1], tip[0, :0:-1]])
        if tip.ndim == 2 and self.tension.shape[1] == 3:
            rim = np.flatnonzero(np.isclose(self.tension.max(axis=1), self.values[-1], rtol=1e-9))
            # tensions as arrows at 120 degrees
            around = self.tension[rim] @ np.exp(2j * np.pi * np.arange(3) / 3.0)
            return np.asarray(tip[rim[np.argsort(np.angle(around))]])
        raise InputError(
            "a workspace has one rim for two antagonist pairs or for one triple of tendons; take its hull instead"
        )


def group_tensions(size: int, largest: float, count: int) -> Array:
    """(combinations, size) tensions of a group, N, in an order of small steps."""
    if size == 1:
        return np.linspace(0.0, largest, count)[:, None]
    if size == 2:
        u = np.linspace(-largest, largest, count)
        return np.stack([np.maximum(u, 0.0), np.maximum(-u, 0.0)], axis=1)
    steps = np.arange(1 - count, count)
    signed = [(i, j) for i in steps for j in (steps if i % 2 else steps[::-1]) if abs(i - j) < count]
    whole = np.array([(i, j, 0) for i, j in signed])
    return np.asarray((whole - whole.min(axis=1, keepdims=True)) * (largest / (count - 1)))


def scan(model: TendonStatics, largest: float, count: int) -> Workspace:
    """Every combination of the tensions of all groups."""
    if not largest > 0.0 or count < 2:
        raise InputError(
            f"a workspace needs a largest tension greater than 0 N and at least 2 tensions; got {largest} and {count}"
        )
    m, grouped = model.tendons, model.robot.antagonists
    groups = [*grouped, *((tendon,) for tendon in range(m) if not any(tendon in group for group in grouped))]
    tables = [group_tensions(len(group), largest, count) for group in groups]
    shape = tuple(len(table) for table in tables)
    if np.prod(shape, dtype=float) > MOST_POSTURES:
        raise InputError(
            f"a workspace of {m} tendons with {count} tensions each has {np.prod(shape, dtype=float):.3g} postures, "
            f"more than {MOST_POSTURES}: give a smaller `count`, or name antagonists (`pairs`, `triples`)"
        )
    order = np.indices(shape).reshape(len(shape), -1).T.copy()
    for axis in range(1, len(shape)):  # to and fro: small steps
        back = np.arange(len(order)) // int(np.prod(shape[axis:])) % 2 == 1
        order[back, axis] = shape[axis] - 1 - order[back, axis]
    commands = np.zeros((len(order), m))
    for place, group in enumerate(groups):
        commands[:, list(group)] = tables[place][order[:, place]]
    postures, tips = _postures(model, commands)
    tip, q, tension = np.zeros((*shape, 3)), np.zeros((*shape, *postures.shape[1:])), np.zeros((*shape, m))
    at = tuple(order.T)
    tip[at], q[at], tension[at] = tips, postures, commands
    return Workspace(np.linspace(-largest, largest, count), tip, q, tension)


def _postures(model: TendonStatics, commands: Array) -> tuple[Array, Array]:
    if model.form != "energy" or model.friction_law or model._dead[2].any():
        found = [model.solve(row) for row in commands]
        return np.array([one.q for one in found]), np.array([one.tip_in_base for one in found])
    q, tips, code = (
        np.zeros((len(commands), *model.spine.stiffness.shape)),
        np.zeros((len(commands), 3)),
        np.zeros(len(commands), dtype=np.int64),
    )
    q[0] = model.solve(commands[0]).q
    loads = model.loads(np.zeros(model.tendons))
    equilibrium_solver.scan_tensions(model.problem(loads), commands, q, tips, code)
    # a cold start leaves saddles and far postures behind
    for point in np.flatnonzero(code != SolveStatus.SOLVED):
        try:
            found_here = model.solve(commands[point])
        except SimulationError as error:
            raise SimulationError(f"at tensions {commands[point].tolist()} N: {error}", place=error.place) from None
        q[point], tips[point] = found_here.q, found_here.origin[-1]
    return q, tips @ FROM_PAPER.T
