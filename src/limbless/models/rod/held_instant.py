"""One instant of a rod that contacts hold, from strains that are known at the nodes alone: a step of no length of the
run's own algorithm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.control.gaits.base import Drive
from limbless.core import Array, InputError
from limbless.mechanics.rod import NOWHERE, inertia_matrices
from limbless.models.base import State
from limbless.models.rod.panel_mesh import PanelMesh
from limbless.models.rod.rod_recorder import RodSolution, instants_of

if TYPE_CHECKING:
    from limbless.models.rod.constrained_motion import Kinematic
    from limbless.models.rod.rod_model import MacroContinuous


@dataclass(frozen=True)
class Known:
    """Strains at the nodes (nodes, 6), and between them the polynomial through the five nodes of two panels: what a
    gait would be."""

    mesh: PanelMesh
    strains: Drive
    given: Array | None  # (3, P) places, speeds and accelerations of the crests

    kind: ClassVar[str] = "given strains"
    drives: ClassVar[str] = "strain"

    def sample(self, times: Array, stations: Array) -> Drive:
        """Strain (T, S, 6), the same at all times."""
        return self._joined(np.broadcast_to(stations, (len(times), stations.shape[-1])), 0)

    def slope(self, times: Array, stations: Array) -> Drive:
        """d/dX of `sample`."""
        return self._joined(stations, 1)

    def _joined(self, X: Array, order: int) -> Drive:
        nodes, weights = self._around(X.ravel(), order)
        found = (np.einsum("nk,nkc->nc", weights, part[nodes]) for part in self.strains)
        return Drive(*(part.reshape(*X.shape, 6) for part in found))

    def crests(self, times: Array, length: float) -> Drive:
        """Where sweeping anchorages hold."""
        if self.given is None:
            raise InputError(
                "crests: a sweeping anchorage holds where the gait has its crests; give their abscissae "
                "(P,), or (3, P) with their speeds and accelerations along the body"
            )
        return Drive(*(np.tile(row, (len(times), 1)) for row in self.given))

    def _around(self, X: Array, order: int) -> tuple[NDArray[np.int64], Array]:
        """Nodes (N, 5) around places (N,), and weights of their values (order 0) or of the slope there (order 1): no
        panel beyond a break."""
        panel = np.clip(np.searchsorted(self.mesh.X[::2], X, side="right") - 1, 0, len(self.mesh.half) - 1)
        nodes, weights = np.zeros((len(X), 5), dtype=np.int64), np.zeros((len(X), 5))
        for i, (x, j) in enumerate(zip(X, panel, strict=True)):
            near = [k for k in (j, j + 1, j - 1) if 0 <= k < len(self.mesh.half)]
            beside = [k for k in near if k == j or self.mesh.half[[j, k]].min() > 0.0]
            chosen = np.unique([2 * k + c for k in beside[:2] for c in range(3)])
            nodes[i, : len(chosen)], weights[i, : len(chosen)] = chosen, _weights(self.mesh.X[chosen], x, order)
        return nodes, weights


def _weights(nodes: Array, x: float, order: int) -> Array:
    """Weights of values at nodes in the polynomial through them at x, or in its slope there."""
    around, n = nodes - x, len(nodes)
    size = float(np.abs(around).max()) or 1.0
    powers = np.vander(around / size, n, increasing=True)
    return np.asarray(np.linalg.solve(powers.T, np.eye(n)[order]) / size**order)


def held_instant(
    model: MacroContinuous,
    kinematic: Kinematic,
    strains: Drive,
    x: Array,
    time: float,
    supports: ArrayLike | None,
    crests: ArrayLike | None,
) -> RodSolution:
    """The motion that the contacts allow at one instant, and the forces that it takes; x is the flat state with the
    pose of the head."""
    gait: Any = Known(model.mesh, strains, None if crests is None else _rows(crests))
    groups, before = model.contacts.groups(gait), kinematic.groups
    state = State(time, np.concatenate([x, _placed(model.contacts.start(groups), supports)]))
    course = kinematic.prepare(gait, Drive(*(np.repeat(part[None], 3, axis=0) for part in strains)))
    try:
        kinematic.groups = groups
        _, records, status = kinematic.advance(state, np.array([time, time]), np.array([True, False]), course)
    finally:
        kinematic.groups = before
    if status.failure:
        raise InputError(f"at t = {time:g} s {status.failure}") from status.cause
    now, touches = instants_of(records)
    wrench, tail = model.recorder.wrench_along(now, touches)
    held = np.zeros((0, 6)) if touches is None else np.where(touches.present[0, :, None], touches.wrench[0], 0.0)
    resultant = np.zeros(6) if touches is None else touches.resultant[0]
    return RodSolution(
        now.twist_rate[0],
        wrench[0],
        tail[0],
        now.hold[0],
        inertia_matrices(course.sums[:1])[0],
        now.shape[0, :, :12].copy(),
        float(now.powers[0, 0]),
        now.twist[0],
        resultant,
        held,
    )


def _rows(crests: ArrayLike) -> Array:
    given = np.array(crests, dtype=np.float64)
    rows = np.stack([given, np.zeros_like(given), np.zeros_like(given)]) if given.ndim == 1 else given
    if rows.ndim != 2 or len(rows) != 3 or not np.isfinite(rows).all():
        raise InputError(
            "crests: give finite abscissae (P,), or (3, P) with their speeds and accelerations; got shape "
            f"{given.shape}"
        )
    return rows


def _placed(places: Array, supports: ArrayLike | None) -> Array:
    if supports is None:
        return places
    given = np.array(supports, dtype=np.float64)
    if given.ndim != 1 or len(given) > len(places):
        raise InputError(
            f"supports: give at most {len(places)} abscissae, one for each contact of the environment; "
            f"got shape {given.shape}"
        )
    found = np.full(len(places), NOWHERE)
    found[: len(given)] = np.where(np.isfinite(given), given, NOWHERE)
    return found
