"""Where the tip can go: a scan of the tensions of two antagonist pairs."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from limbless.errors import InputError, SimulationError
from limbless.mechanics import spine_solver as solver
from limbless.models.tendon_statics.packing import FROM_PAPER

if TYPE_CHECKING:
    from limbless.models.tendon_statics.model import TendonStatics

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Workspace:
    """Postures on a grid of signed pair tensions: entry [i, j] has `values[i]` in the first pair and `values[j]` in the second.

    Attributes
    ----------
    values : (n,) N; positive pulls the first tendon of a pair.
    tip : (n, n, 3) tip, frame of the clamped disk, m.
    q : (n, n, v, 2 or 3) postures as kernels hold them, rad.
    tension : (n, n, tendons) N.
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
        """(points, 3) tip on the edge of the grid, in order around it, m: the rim of the surface that the tip can reach."""
        tip = self.tip
        return np.concatenate([tip[:-1, 0], tip[-1, :-1], tip[:0:-1, -1], tip[0, :0:-1]])


def scan(model: TendonStatics, largest: float, count: int) -> Workspace:
    """All combinations of `count` tensions from -largest to largest in both pairs."""
    if len(model.robot.pairs) != 2:
        raise InputError(f"a workspace needs two antagonist pairs; the robot has {len(model.robot.pairs)}")
    if not largest > 0.0 or count < 2:
        raise InputError(f"a workspace needs a largest tension greater than 0 N and at least 2 tensions; got {largest} and {count}")
    values, m = np.linspace(-largest, largest, count), model.tendons
    order = np.array([(i, j if i % 2 == 0 else count - 1 - j) for i in range(count) for j in range(count)])     # to and fro: small steps
    commands = np.zeros((len(order), m))
    for side, (first, second) in enumerate(model.robot.pairs):
        u = values[order[:, side]]
        commands[:, first], commands[:, second] = np.maximum(u, 0.0), np.maximum(-u, 0.0)
    postures, tips = _postures(model, commands)
    tip, q, tension = np.zeros((count, count, 3)), np.zeros((count, count, *postures.shape[1:])), np.zeros((count, count, m))
    at = (order[:, 0], order[:, 1])
    tip[at], q[at], tension[at] = tips, postures, commands
    return Workspace(values, tip, q, tension)


def _postures(model: TendonStatics, commands: Array) -> tuple[Array, Array]:
    shape = model.spine.stiffness.shape
    smooth = model.form == "energy" and not model.friction_law and not model._dead[2].any()
    if not smooth:
        found = [model.solve(row) for row in commands]
        return np.array([one.q for one in found]), np.array([one.tip_in_base for one in found])
    q, tips, code = np.zeros((len(commands), *shape)), np.zeros((len(commands), 3)), np.zeros(len(commands), dtype=np.int64)
    q[0] = model.solve(commands[0]).q
    loads = model.loads(np.zeros(model.tendons))
    solver.scan(model.spine, loads, model.stops, commands, q, tips, code, model.work, model._r, model._H, model._L, 200)
    for point in np.flatnonzero(code != solver.SOLVED):                 # a cold start leaves saddles and far postures behind
        try:
            found_here = model.solve(commands[point])
        except SimulationError as error:
            raise SimulationError(f"at tensions {commands[point].tolist()} N: {error}", place=error.place) from None
        q[point], tips[point] = found_here.q, found_here.origin[-1]
    return q, tips @ FROM_PAPER.T
