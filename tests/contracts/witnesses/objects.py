"""What is recorded of free objects: a box that tumbles onto the ground, and a ball in flight."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from limbless.environments.objects import FreeObject
from tests.contracts.witnesses import INNER, Array, Case, back, matrix, rate, spin, turned, witness
from tests.contracts.witnesses.chain import GRAVITY, chain, moved

FINE = 5e-5  # s
SIZES, DENSITY = np.array([0.08, 0.06, 0.04]), 700.0
WEIGHT = DENSITY * SIZES.prod()
THETA = WEIGHT / 12.0 * ((SIZES**2).sum() - SIZES**2)
BOX = {
    "shape": "box",
    "sizes": tuple(SIZES),
    "density": DENSITY,
    "position": (0.4, -0.3, 0.0424),
    "yaw": 0.5,
    "pitch": 0.4,
    "roll": 0.3,
    "velocity": (0.6, -0.4, -0.7),
    "spin": (3.0, -4.0, 5.0),
    "friction": 0.4,
}
BALL = {"shape": "sphere", "radius": 0.03, "position": (2.0, 1.0, 3.0), "velocity": (0.3, 0.2, 0.1)}


def gentle(t: Array, s: Array) -> Array:
    return 1e-3 * np.sin(50.0 * np.asarray(t))[:, None] * np.array([1.0, -2.0])


def landing() -> Any:
    """The run of both; the robot is far above."""
    around = (
        ll.Ground(forward=0.3, lateral=0.3, rolling=0.0),
        ll.Gravity(),
        ll.Objects(bodies=(FreeObject(**BOX), FreeObject(**BALL))),
    )
    return moved(
        "non-smooth",
        chain(),
        around,
        step=FINE,
        every=FINE,
        records=81,
        gait=ll.FunctionGait(function=gentle, drives="torque"),
        actuation={"kind": "torque"},
        initial={"position": (0.0, 0.0, 2.0)},
    )


def box(data: dict[str, Array]) -> tuple[Array, Array, Array]:
    """Rotation, velocity and rotation rate of the box, world, by differences of its recorded poses."""
    R = matrix(data["object_orientation"][:, 0])
    return R, rate(data["time"], data["object_position"][:, 0]), spin(R, rate(data["time"], R))


def before_it_lands(data: dict[str, Array]) -> Array:
    """Records up to the last one at which nothing touches."""
    return np.arange(len(data["time"])) < np.argmax(np.abs(data["contact_force"]).sum(axis=(1, 2)) > 0.0)


@witness("non-smooth", "object_position")
def objects_fly_as_stones_do(case: Case) -> None:
    data = case.of("landing")
    t = data["time"][:, None]
    flown = np.array(BALL["position"]) + np.array(BALL["velocity"]) * t + 0.5 * GRAVITY * t**2
    case.same(data["object_position"][:, 1], flown, 1e-6)
    early = before_it_lands(data)
    fallen = np.array(BOX["position"]) + np.array(BOX["velocity"]) * t + 0.5 * GRAVITY * t**2
    case.same(data["object_position"][early, 0], fallen[early], 1e-6)


@witness("non-smooth", "object_orientation")
def the_box_turns_as_it_was_spun(case: Case) -> None:
    """Before it lands: by Euler's equations in small steps from the angles that it was given."""
    data = case.of("landing")
    angles = [BOX[name] for name in ("yaw", "pitch", "roll")]
    R, w = np.eye(3), np.array(BOX["spin"])
    for axis, angle in zip((2, 1, 0), angles, strict=True):
        R = R @ turn(np.eye(3)[axis] * angle)
    found = [R]
    for _ in range(len(data["time"]) - 1):
        w = w + FINE * np.cross(THETA * w, w) / THETA
        R = R @ turn(FINE * w)
        found.append(R)
    early = before_it_lands(data)
    quaternion = data["object_orientation"][early, 0]
    case.same(matrix(quaternion), np.array(found)[early], 1e-5)
    case.same(quaternion[:1], first_quaternion(found[0])[None], 1e-9)


def turn(v: Array) -> Array:
    """The rotation by a vector, as a series."""
    X = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    total, term = np.eye(3), np.eye(3)
    for n in range(1, 14):
        term = term @ X / n
        total = total + term
    return total


def first_quaternion(R: Array) -> Array:
    w = 0.5 * np.sqrt(1.0 + np.trace(R))
    return np.array([w, *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4.0 * w))])


@witness("non-smooth", "object_twist")
def the_twist_is_the_rate_of_the_pose(case: Case) -> None:
    data = case.of("landing")
    R, v, w = box(data)
    smooth = slice(4, int(before_it_lands(data).sum()) - 4)
    case.same(data["object_twist"][smooth, 0, :3], back(R, v)[smooth], 1e-3)
    case.same(data["object_twist"][smooth, 0, 3:], back(R, w)[smooth], 1e-3)


def momenta(data: dict[str, Array]) -> tuple[Array, Array]:
    """Linear momentum of the box, and angular momentum about the world's origin, from pose and twist."""
    R = matrix(data["object_orientation"][:, 0])
    p = WEIGHT * turned(R, data["object_twist"][:, 0, :3])
    return p, turned(R, THETA * data["object_twist"][:, 0, 3:]) + np.cross(data["object_position"][:, 0], p)


@witness("non-smooth", "object_momentum")
def momentum_is_mass_times_velocity(case: Case) -> None:
    data = case.of("landing")
    p, L = momenta(data)
    case.same(data["object_momentum"][:, 0], np.concatenate([p, L], axis=1), 1e-9)


@witness("non-smooth", "object_energy")
def energy_is_that_of_the_twist(case: Case) -> None:
    data = case.of("landing")
    twist = data["object_twist"][:, 0]
    case.same(
        data["object_energy"][:, 0],
        0.5 * (WEIGHT * (twist[:, :3] ** 2).sum(axis=1) + (THETA * twist[:, 3:] ** 2).sum(axis=1)),
        1e-9,
    )


@witness("non-smooth", "object_wrench")
def contacts_change_the_momentum_of_the_box(case: Case) -> None:
    """Step by step, with its weight; and about its centre."""
    data = case.of("landing")
    p, L = momenta(data)
    force = np.diff(p, axis=0) / FINE - WEIGHT * GRAVITY
    middle = 0.5 * (data["object_position"][1:, 0] + data["object_position"][:-1, 0])
    moment = np.diff(L, axis=0) / FINE - np.cross(middle, force + WEIGHT * GRAVITY)
    case.same(data["object_wrench"][1:, 0, :3], force, 1e-3)
    case.same(data["object_wrench"][1:, 0, 3:], moment, 1e-2)


@witness("non-smooth", "object_impulse", "object_work")
def impulse_and_work_are_what_momentum_and_energy_became(case: Case) -> None:
    data = case.of("landing")
    p, L = momenta(data)
    gained = np.concatenate([p, L], axis=1)
    case.same(data["object_impulse"][1:, 0], (gained - gained[:1])[1:], 5e-3)
    case.same(data["object_work"][INNER, 0], (data["object_energy"][:, 0] - data["object_energy"][0, 0])[INNER], 5e-3)
