"""How long a step may be for dry friction and sand that were made smooth: their slope at rest against the inertia that
they brake.

Friction μ N u / sqrt(u² + v²) is a damper C = μ N / v near rest, and a damper of rate λ (the largest of C x = λ M x) is
followed by an explicit scheme only while h λ stays within its stability interval on the negative real axis. Beyond it
the friction does not grow without bound, because it saturates: bodies chatter about rest with a plausible motion that
is wrong. Hence the refusal.

Velocities that constraints allow are some of all velocities, so that x'C x / x'M x of a chain with free joints is at
most the largest one of its bodies alone; a chain whose joints follow a motion moves as one rigid body, whose C and M
are summed at its posture.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from limbless.core import Array
from limbless.environments.base import Pack
from limbless.mechanics.chain import BASES, Body, ChainTables
from limbless.mechanics.forces import SlenderSandLaw, SmoothFrictionLaw, SurfaceSandLaw
from limbless.models.chain.chain_evaluation import ChainEvaluator
from limbless.models.chain.chain_problem import inertia_matrices, rigid_inertia
from limbless.models.force_elements import packed_rows
from limbless.models.recording.water_recorder import across
from limbless.robots import Chain, upper_triangle

RUNGE_KUTTA, MOREAU = 2.7, 1.9
"""Largest h λ that is taken: just inside 2.785 of the classical Runge-Kutta scheme, and 2 of forces taken at the
start of a step.
"""
_INERT = 1e-12  # of the largest inertia of a body: a direction with less has none
_PLANE = [0, 1, 5]


class StepLimit(NamedTuple):
    """The longest step (s) with which a model solves a scenario, and what of the scenario asks for it."""

    longest: float
    why: str


def _rows(packs: Sequence[Pack]) -> list[Any]:
    """All rows of smooth dry friction and of sand."""
    return [row for kind in (SmoothFrictionLaw, SlenderSandLaw, SurfaceSandLaw) for row in packed_rows(packs, kind)]


def _slope(row: Any, height: float) -> Array:
    """Largest damping per length along the segment and across it, N s/m2, of a body at a height (m)."""
    if "fading" in row.fields:
        return np.array([max(row.forward, row.backward), row.across, 0.0]) / row.fading
    a, b = row.half_width, row.half_height
    depth = row.depth if row.deep else max(row.surface - height, 0.0) + max(a, b)
    if "gamma" in row.fields:
        C = np.array([(a + b) * row.along, 2.0 * b * row.lateral * row.gamma, 2.0 * a * row.lateral * row.gamma])
    else:  # no face feels more than α_z of a flat plate that goes straight down
        most = row.vertical.x + row.vertical.y + row.vertical.z + row.vertical_more.x + row.vertical_more.y
        C = 2.0 * math.pi * max(a, b) * np.array([row.vertical_more.z, most, most])
    return np.asarray(C * depth / row.speed)


def _once(packs: Sequence[Pack]) -> list[Any]:
    """The rows of these laws, those of one law in several windows once."""
    found: dict[bytes, Any] = {}
    for row in _rows(packs):
        numbers = row.numbers.copy()
        numbers[[row.fields[window].column for window in ("since", "until")]] = 0.0
        found.setdefault(numbers.tobytes() + row.codes.tobytes(), row)
    return list(found.values())


def _dampers(packs: Sequence[Pack], bodies: int, height: float) -> Array:
    """(bodies, 6, 6): damping of each body at rest, force and torque about its origin in its own axes."""
    found = np.zeros((bodies, 6, 6))
    for friction in _once(packs):
        E, start = np.array(friction.frame), np.array(friction.start)
        D = E @ np.diag(_slope(friction, height)) @ E.T
        nodes, weights = np.polynomial.legendre.leggauss(int(friction.count))
        for node, weight in zip(0.5 * (nodes + 1.0), 0.5 * weights, strict=True):
            place = E @ (start + np.array([node * friction.length, 0.0, 0.0]))
            J = np.hstack([np.eye(3), -across(place)])
            found[int(friction.body)] += weight * friction.length * J.T @ D @ J
    return found


def _largest_rate(damping: Array, inertia: Array) -> float:
    """Largest λ of C x = λ M x, 1/s, over the directions that have inertia."""
    sizes, axes = np.linalg.eigh(inertia)
    inert = sizes > _INERT * max(sizes[-1], 0.0)
    if not damping.any() or not inert.any():
        return 0.0
    Q = axes[:, inert]
    from scipy.linalg import eigh  # imported here: few runs need it, and all would wait for it

    return float(eigh(Q.T @ damping @ Q, Q.T @ inertia @ Q, eigvals_only=True)[-1])


def _as_one(matrices: Array, bodies: Array) -> Array:
    """The sum of the bodies' matrices for a motion of all as one rigid body, about the
    base's origin, along its axes.
    """
    total = np.zeros((6, 6))
    body = Body.of(bodies)
    for matrix, R, p in zip(matrices, body.rotation.reshape(-1, 3, 3), body.origin, strict=True):
        X = np.block([[R.T, -R.T @ across(p)], [np.zeros((3, 3)), R.T]])
        total += X.T @ matrix @ X
    return total


def chain_rate(
    chain: Chain, robot: ChainTables, any_free: bool, packs: Sequence[Pack], joint_position: Array, height: float
) -> float:
    """Rate λ at which smooth dry friction or sand brakes a chain near rest, 1/s; `height` (m) is that of its base."""
    if not _rows(packs):
        return 0.0
    own = chain.bodies()
    C = _dampers(packs, len(robot.links.codes), height)
    M = inertia_matrices(rigid_inertia(own.mass, own.moment, upper_triangle(own.inertia)))
    if any_free:
        return max(_largest_rate(c, m) for c, m in zip(C, M, strict=True))
    if chain.base == "fixed":
        return 0.0
    now = ChainEvaluator(robot, getattr(BASES, chain.base), ())
    now.position[7:] = joint_position
    now()
    free = _PLANE if chain.base == "planar" else list(range(6))
    return _largest_rate(_as_one(C, now.bodies)[np.ix_(free, free)], _as_one(M, now.bodies)[np.ix_(free, free)])


def rod_rate(packs: Sequence[Pack], mass: Array, height: float) -> float:
    """The same of a rod with `mass` (nodes,) per length: friction and inertia lie at the same places, so that the
    worst node decides.
    """
    return max((float(_slope(row, height).max() / mass[int(row.body)]) for row in _rows(packs)), default=0.0)


def friction_limit(rate: float, interval: float, packs: Sequence[Pack]) -> StepLimit | None:
    """The limit for friction of a rate, in a scheme that is stable for h λ up to `interval`."""
    if rate <= 0.0 or not math.isfinite(rate):
        return None
    rows = _rows(packs)
    speed = min(float(row.fading if "fading" in row.fields else row.speed) for row in rows)
    what = "regularised friction" if any("fading" in row.fields for row in rows) else "sand"
    return StepLimit(interval / rate, f"{what} that fades below {speed:g} m/s (it brakes at {rate:.3g} 1/s near rest)")
