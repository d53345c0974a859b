"""How long a step may be for dry friction that was made smooth: its slope at rest against the inertia that it brakes.

Friction μ N u / sqrt(u² + v²) is a damper C = μ N / v near rest, and a damper of rate λ (the largest of C x = λ M x) is followed by an
explicit scheme only while h λ stays within its stability interval on the negative real axis. Beyond it the friction does not grow without
bound, because it saturates: bodies chatter about rest with a plausible motion that is wrong. Hence the refusal.

Velocities that constraints allow are some of all velocities, so that x'C x / x'M x of a chain with free joints is at most the largest one
of its bodies alone; a chain whose joints follow a motion moves as one rigid body, whose C and M are summed at its posture.
"""
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh

from limbless.mechanics.chain.tables import Body, Robot
from limbless.mechanics.forces import rows as columns
from limbless.mechanics.forces.rows import Laws
from limbless.models.chain_evaluation import Evaluation
from limbless.models.chain_tables import BASES
from limbless.robots.chain import Chain

Array = NDArray[np.float64]
RUNGE_KUTTA, MOREAU = 2.7, 1.9
"""Largest h λ that is taken: just inside 2.785 of the classical Runge-Kutta scheme, and 2 of forces taken at the start of a step."""
_INERT = 1e-12                         # of the largest inertia of a body: a direction with less has none
_PLANE = [0, 1, 5]


class StepLimit(NamedTuple):
    """The longest step (s) with which a model solves a scenario, and what of the scenario asks for it."""

    longest: float
    why: str


def _across(arm: Array) -> Array:
    """[p] with [p] v = p x v."""
    x, y, z = arm
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _friction_rows(laws: Laws) -> Array:
    """The rows of smooth dry friction, those of one law in several windows once."""
    rows = laws.rows[laws.rows[:, columns.CODE] == columns.FRICTION].copy()
    rows[:, [columns.FROM, columns.UNTIL]] = 0.0
    return np.unique(rows, axis=0)


def _slope(row: Array) -> Array:
    """Largest damping per length along the segment and across it, N s/m2."""
    grip = row[columns.GRIP:columns.GRIP + 3]
    return np.array([grip[:2].max(), grip[2], 0.0]) / row[columns.SLIP_SPEED]


def _dampers(laws: Laws, bodies: int) -> Array:
    """(bodies, 6, 6): damping of each body at rest, force and torque about its origin in its own axes."""
    found = np.zeros((bodies, 6, 6))
    for row in _friction_rows(laws):
        E, first = row[columns.FRAME:columns.FRAME + 9].reshape(3, 3), int(row[columns.FIRST])
        D = E @ np.diag(_slope(row)) @ E.T
        for j in range(first, first + int(row[columns.COUNT])):
            place = E @ (row[columns.START:columns.START + 3] + np.array([laws.nodes[j] * row[columns.LENGTH], 0.0, 0.0]))
            J = np.hstack([np.eye(3), -_across(place)])
            found[int(row[columns.BODY])] += laws.weights[j] * row[columns.LENGTH] * J.T @ D @ J
    return found


def _inertias(chain: Chain) -> Array:
    """(bodies, 6, 6): inertia of each body about its origin in its own axes."""
    own = chain.bodies()
    made = np.zeros((len(own.mass), 6, 6))
    for k, (mass, moment) in enumerate(zip(own.mass, own.moment, strict=True)):
        made[k, :3, :3], made[k, 3:, 3:] = mass * np.eye(3), own.inertia[k]
        made[k, 3:, :3], made[k, :3, 3:] = _across(moment), -_across(moment)
    return made


def _largest_rate(damping: Array, inertia: Array) -> float:
    """Largest λ of C x = λ M x, 1/s, over the directions that have inertia."""
    sizes, axes = np.linalg.eigh(inertia)
    inert = sizes > _INERT * max(sizes[-1], 0.0)
    if not damping.any() or not inert.any():
        return 0.0
    Q = axes[:, inert]
    return float(eigh(Q.T @ damping @ Q, Q.T @ inertia @ Q, eigvals_only=True)[-1])


def _as_one(matrices: Array, bodies: Array) -> Array:
    """The sum of the bodies' matrices for a motion of all as one rigid body, about the base's origin, along its axes."""
    total = np.zeros((6, 6))
    body = Body.of(bodies)
    for matrix, R, p in zip(matrices, body.rotation.reshape(-1, 3, 3), body.origin, strict=True):
        X = np.block([[R.T, -R.T @ _across(p)], [np.zeros((3, 3)), R.T]])
        total += X.T @ matrix @ X
    return total


def chain_rate(chain: Chain, robot: Robot, any_free: bool, laws: Laws, joint_position: Array) -> float:
    """Rate λ at which smooth dry friction brakes a chain near rest, 1/s; 0 without such friction."""
    if not (laws.rows[:, columns.CODE] == columns.FRICTION).any():
        return 0.0
    C, M = _dampers(laws, len(robot.links.codes)), _inertias(chain)
    if any_free:
        return max(_largest_rate(c, m) for c, m in zip(C, M, strict=True))
    if chain.base == "fixed":
        return 0.0
    now = Evaluation(robot, BASES[chain.base], ())
    now.position[7:] = joint_position
    now()
    free = _PLANE if chain.base == "planar" else list(range(6))
    return _largest_rate(_as_one(C, now.bodies)[np.ix_(free, free)], _as_one(M, now.bodies)[np.ix_(free, free)])


def rod_rate(laws: Laws, mass: Array) -> float:
    """The same of a rod with `mass` (nodes,) per length: friction and inertia lie at the same places, so that the worst node decides."""
    rows = _friction_rows(laws)
    return max((float(_slope(row).max() / mass[int(row[columns.BODY])]) for row in rows), default=0.0)


def friction_limit(rate: float, interval: float, laws: Laws) -> StepLimit | None:
    """The limit for friction of a rate, in a scheme that is stable for h λ up to `interval`."""
    if rate <= 0.0 or not math.isfinite(rate):
        return None
    speed = laws.rows[laws.rows[:, columns.CODE] == columns.FRICTION, columns.SLIP_SPEED].min()
    return StepLimit(interval / rate, f"regularised friction that fades below {speed:g} m/s (it brakes at {rate:.3g} 1/s near rest)")
