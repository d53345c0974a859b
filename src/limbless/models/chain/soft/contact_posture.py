"""Where a soft body among hard things starts: laid down, wedged, wound around a pole, settled, or at rest."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.control.gaits.base import Gait
from limbless.core import Array, InputError
from limbless.mechanics.algebra import matrix_to_quaternion
from limbless.models import Pole, Posture, State, pole_of, pose_of
from limbless.models.chain.soft.cell_plan import gauss, legendre
from limbless.models.chain.soft.standing_touch import StandingTouch
from limbless.robots import ACTUATED, Rod, TendonSpine

if TYPE_CHECKING:
    from limbless.models.chain.soft.contact_model import SoftContact

SETTLING = 1e-3  # s: steps with which a posture settles
RELAXING, ROUNDS, EACH = 5e-3, 4000, 10  # s, at most so many rounds of so many steps: an equilibrium in contact
STILL = 1e-7  # m/s: at rest
OUTWARDS = 6  # times that a wound body is moved out, until it just touches
BESIDE = 1.25  # diameters: from turn to turn of a body that is wound


def take(model: SoftContact, posture: Posture, x: Array, gait: Gait) -> Array:
    """The state in a posture, from the state as given."""
    if posture.kind == "wrap":
        wind(model, posture, x)
    elif posture.kind in ("lay", "wedge"):
        robot: Any = model.robot
        model._put_pose(pose_of(posture, robot, gait, model.environment, x[:3].copy()), x)
    elif posture.kind == "equilibrium":
        relax(model, x, gait)
    if posture.settle > 0.0:
        steps = max(math.ceil(posture.settle / SETTLING), 1)
        x[:] = held_run(StandingTouch(model), x, gait, np.linspace(0.0, posture.settle, steps + 1))
        rest(model, x)
    return x


def rest(model: SoftContact, x: Array) -> None:
    """Velocities of the robot at zero, and nothing counted yet; objects stay where they have come to rest."""
    x[model.moving] = 0.0
    x[model._where.earlier : model._where.earlier + 6 + model.freedoms] = 0.0
    x[model._where.sums : model._where.earlier] = 0.0
    x[model._where.numerical] = 0.0


def held_run(problem: StandingTouch, x: Array, gait: Gait, knots: Array) -> Array:
    """The state after steps with the gait held where it starts."""
    drive = problem.model.drive(gait, np.zeros(2 * len(knots) - 1))
    still = drive._replace(
        velocity=0.0 * drive.velocity, acceleration=0.0 * drive.acceleration, command_rate=0.0 * drive.command_rate
    )
    problem.begin(State(0.0, x), knots, np.zeros(len(knots), dtype=bool), still)
    after, _, status = problem.leave(problem.go(len(knots) - 1))
    if status.failure:
        raise InputError(f"initial.posture: the robot does not settle: {status.failure}")
    return after.x


def relax(model: SoftContact, x: Array, gait: Gait) -> None:
    """Steps that damp all that they do not follow (θ = 1), stopped again and again, until nothing moves."""
    problem, knots = StandingTouch(model, 1.0), RELAXING * np.arange(EACH + 1.0)
    speed = np.inf
    for _ in range(ROUNDS):
        before = x[: model.moving.start].copy()
        x[:] = held_run(problem, x, gait, knots)
        rest(model, x)
        way = np.concatenate([x[:3] - before[:3], (x[7 : len(before)] - before[7:]) * model.cells().scale[:-2]])
        speed = float(np.abs(way).max(initial=0.0)) / knots[-1]
        if speed < STILL:
            return
    raise InputError(
        f"initial.posture: no equilibrium was found in contact: after {ROUNDS * EACH} steps the body still moves at "
        f"{speed:.2g} m/s; let it settle for a while instead (posture: given, settle)"
    )


def wind(model: SoftContact, posture: Posture, x: Array) -> None:
    """Base and strains of a helix that touches the pole all along, turn beside turn: constant curvature, whose
    direction turns about the body where it does not twist.
    """
    robot, pole = model.robot, pole_of(model.environment)
    radius = max(ball[3] for ball in model.touching.balls)
    around = pole.radius + radius
    turns = model.plan.length / (2.0 * np.pi * around)
    if not isinstance(robot, Rod | TendonSpine) or (isinstance(robot, Rod) and 5 not in ACTUATED[robot.strains]):
        raise InputError("initial.posture: a rod or a spine that yaws can be wound around a pole; this robot cannot")
    if turns > 1.0 and isinstance(robot, Rod) and 4 not in ACTUATED[robot.strains]:
        raise InputError(
            f"initial.posture: {turns:.3g} turns of the body around the pole need a rod that also pitches, for turns "
            "lie side by side; set robot.strains to universal, or make the body shorter"
        )
    for _ in range(OUTWARDS):
        put_helix(model, posture, x, pole, around, 2.0 * BESIDE * radius if turns > 1.0 else 0.0)
        gap = float(model.gaps(x)[model.outer].min())
        if gap >= 0.0:
            return
        around -= 1.1 * gap  # cells bend along their polynomials, not quite on the helix


def put_helix(model: SoftContact, posture: Posture, x: Array, pole: Pole, around: float, rise: float) -> None:
    """Base and strains on a helix of this radius that rises so much per turn."""
    slope = math.atan2(rise, 2.0 * np.pi * around)
    curvature, torsion = math.cos(slope) ** 2 / around, math.sin(slope) * math.cos(slope) / around
    bends = [_bend(model, k, name, curvature, torsion) for k, c in enumerate(model.plan.cells) for name in c.names]
    x[7 : 7 + len(bends)] = bends
    out, aside, up = pole.axes.T
    along = math.cos(slope) * aside + math.sin(slope) * up
    x[:3] = pole.foot + (posture.along or 0.0) * up + around * out
    x[3:7] = matrix_to_quaternion(np.stack([along, -out, np.cross(along, -out)], axis=1))


def _bend(model: SoftContact, number: int, name: str, curvature: float, torsion: float) -> float:
    """A freedom of a cell on the helix: a curvature of constant size, whose direction turns about the body."""
    cell, robot = model.plan.cells[number], model.robot
    end = cell.pieces[-1].place
    if isinstance(robot, TendonSpine):
        length = robot.vertebrae[number].length
        turned = torsion * (end - 0.5 * length)
        share = {"lateral": math.cos(turned), "vertical": math.sin(turned)}.get(name, 0.0)
        return length * curvature * share
    kind, _, degree = name.rpartition(" ")
    if kind not in ("pitch curvature", "yaw curvature"):
        return 0.0
    at, weights = gauss(int(degree) + 3)
    angles = torsion * (end - cell.length + cell.length * at)
    value = np.cos(angles) if kind == "yaw curvature" else -np.sin(angles)
    P = legendre(at, int(degree))[:, int(degree)]
    return float((2.0 * int(degree) + 1.0) * curvature * (weights * P) @ value)
