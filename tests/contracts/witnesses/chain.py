"""Chains: three links of which every number is written here, moved by their joints; for newton-euler
and non-smooth.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import limbless as ll
from limbless.robots.joints import Joint
from limbless.robots.links import BodyShape, Link, Sphere
from tests.contracts.witnesses import INNER, Array, Case, back, case_of, integral, matrix, rate, spin, turned, witness

MODELS = ("newton-euler", "non-smooth")
SMOOTH = ("newton-euler",)
GRAVITY = np.array([0.0, 0.0, -9.81])
STEP, RECORDS = 2e-3, 41
CLOSES = 0.02  # s: when the clamp of the last link closes

LENGTH = np.array([0.10, 0.12, 0.09])
# origin of each link in the frame before it
OFFSET = np.array([[0.0, 0.0, 0.0], [0.10, 0.0, 0.0], [0.12, 0.0, 0.0]])
AXIS = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0]])  # of the two joints
MASS = np.array([0.8, 0.5, 0.4])
CENTRE = np.array([[0.05, 0.01, -0.005], [0.06, -0.01, 0.004], [0.045, 0.005, 0.008]])
INERTIA = np.array(
    [
        [[3e-4, 2e-5, 0], [2e-5, 9e-4, -3e-5], [0, -3e-5, 1.0e-3]],
        [[2e-4, 0, 1e-5], [0, 8e-4, 2e-5], [1e-5, 2e-5, 7e-4]],
        [[1e-4, 1e-5, 0], [1e-5, 4e-4, 0], [0, 0, 5e-4]],
    ]
)  # about the centres of mass
ROTOR, STIFFNESS, REST, DAMPING = (
    np.array([2e-3, 1e-3]),
    np.array([0.6, 0.4]),
    np.array([0.1, -0.2]),
    np.array([0.05, 0.03]),
)
SWING, RATE, PHASE = np.array([0.5, 0.4]), np.array([9.0, 7.0]), np.array([0.3, 1.1])
POSE = {
    "position": (0.3, -0.2, 0.5),
    "orientation": tuple(np.roll(Rotation.from_rotvec([0.3, -0.5, 0.7]).as_quat(), 1)),
    "twist": (0.4, -0.3, 0.2, 0.6, -0.5, 0.8),
}
LIMIT = (0.24, None)  # N m, of the joints
SPAN = ((-0.2, 0.4), (0.37, None))  # rad, where they have a range
PULLS = (ll.Gravity(acceleration=(2.0, 1.0, -4.0)), ll.Gravity(acceleration=(-2.0, -1.0, -5.81)))  # together GRAVITY
STREAM = ({"kind": "shear", "velocity": (0.1, -0.2, 0.05), "rate": 0.7, "along": "z", "across": "x"},)
STILL = {**POSE, "twist": (0.0,) * 6}
MOTORS = {
    "kind": "motor",
    "stall_torque": (2.0, 1.5),
    "stall_current": 2.5,
    "no_load_speed": 9.0,
    "voltage": 11.0,
    "gain": 3.0,
    "series_stiffness": 12.0,
}
SPHERE = 0.02  # m, radius of the two spheres under each link


def chain(base: str = "free", span: tuple = ((None, None), (None, None))) -> ll.Chain:
    """`span`: lowest and highest position of each joint."""
    links = []
    for k in range(3):
        about = INERTIA[k] + MASS[k] * (CENTRE[k] @ CENTRE[k] * np.eye(3) - np.outer(CENTRE[k], CENTRE[k]))
        joint = (
            None
            if k == 0
            else Joint(
                axis=tuple(AXIS[k - 1]),
                rotor_inertia=ROTOR[k - 1],
                stiffness=STIFFNESS[k - 1],
                rest=REST[k - 1],
                damping=DAMPING[k - 1],
                torque_limit=LIMIT[k - 1],
                lower=span[k - 1][0],
                upper=span[k - 1][1],
            )
        )
        links.append(
            Link(
                joint=joint,
                position=tuple(OFFSET[k]),
                mass=MASS[k],
                first_moment=tuple(MASS[k] * CENTRE[k]),
                inertia=tuple(about[np.triu_indices(3)]),
                body=BodyShape(length=LENGTH[k], half_width=0.02, half_height=0.015),
                contact_shapes=tuple(Sphere(centre=(x * LENGTH[k], 0.0, 0.0), radius=SPHERE) for x in (0.2, 0.8)),
            )
        )
    return ll.Chain(base=base, links=tuple(links))


def swinging(t: Array, s: Array) -> Array:
    return SWING * np.sin(RATE * t[:, None] + PHASE)


def moved(
    model: Any,
    robot: ll.Chain,
    environment: Any = (),
    step: float = STEP,
    every: float = STEP,
    records: int = RECORDS,
    **options: Any,
) -> Any:
    gait = options.pop("gait", None) or ll.FunctionGait(function=swinging, drives="joint")
    return ll.simulate(
        robot,
        gait,
        environment,
        model=model,
        duration=(records - 1) * every,
        step=step,
        record_every=every,
        initial=options.pop("initial", POSE),
        **options,
    ).dataset


@case_of("newton-euler")
@cache
def newton_euler() -> Case:
    return Case(
        {
            "free": lambda: moved("newton-euler", chain(), PULLS),
            "held": lambda: moved("newton-euler", chain("fixed"), ll.Gravity(), initial=STILL),
            "wet": lambda: moved("newton-euler", chain(), ll.Water()),
            "ranged": lambda: moved("newton-euler", chain(span=SPAN), PULLS),
            "clamped": lambda: moved(
                "newton-euler", chain(), (ll.Clamp(module=-1, active=((CLOSES, 9.0),)), ll.Gravity())
            ),
            "afloat": lambda: moved(
                "newton-euler", chain(), (ll.Water(surface=0.5, flow=STREAM), ll.Gravity()), records=9
            ),
            "driven": lambda: moved("newton-euler", chain(), PULLS, step=STEP / 4, actuation=MOTORS),
        },
        2e-5,
    )


class Bodies(NamedTuple):
    """The links as the recorded joints place them, by hand; (records, links, ..), world."""

    R: Array
    origin: Array
    centre: Array
    velocity: Array  # of the centres, by differences
    spin: Array
    angular: Array  # momentum about the own centre


def bodies(data: dict[str, Array]) -> Bodies:
    R, origin = [matrix(data["base_orientation"])], [data["base_position"]]
    for k in (1, 2):
        angle = data["joint_position"][:, k - 1, None] * AXIS[k - 1]
        origin.append(origin[-1] + turned(R[-1], np.broadcast_to(OFFSET[k], origin[-1].shape)))
        R.append(R[-1] @ Rotation.from_rotvec(angle).as_matrix())
    turns, places = np.stack(R, axis=1), np.stack(origin, axis=1)
    centre = places + turned(turns, np.broadcast_to(CENTRE, places.shape))
    w = spin(turns, rate(data["time"], turns))
    return Bodies(
        turns, places, centre, rate(data["time"], centre), w, turned(turns @ INERTIA @ np.swapaxes(turns, -1, -2), w)
    )


def beyond(data: dict[str, Array], first: int, about: Array) -> tuple[Array, Array]:
    """Force and moment about `about` (records, 3) that the links from `first` on need beside their weight."""
    b = bodies(data)
    push = MASS[first:, None] * (rate(data["time"], b.velocity[:, first:]) - GRAVITY)
    turn = rate(data["time"], b.angular[:, first:]) + np.cross(b.centre[:, first:] - about[:, None], push)
    return push.sum(axis=1), turn.sum(axis=1)


def spring(data: dict[str, Array]) -> Array:
    """Torque of springs and dampers (records, joints)."""
    return -(STIFFNESS * (data["joint_position"] - REST) + DAMPING * data["joint_velocity"])


# Where things are


@witness(MODELS, "base_position", "base_orientation", "base_twist")
def twist_is_the_rate_of_the_pose(case: Case) -> None:
    data = case.of("free")
    R, time = matrix(data["base_orientation"]), data["time"]
    assert np.allclose(data["base_position"][0], POSE["position"]) and np.allclose(
        data["base_orientation"][0], POSE["orientation"]
    )
    assert np.allclose(data["base_twist"][0], POSE["twist"])
    case.same(back(R, rate(time, data["base_position"]))[INNER], data["base_twist"][INNER, :3])
    case.same(back(R, spin(R, rate(time, R)))[INNER], data["base_twist"][INNER, 3:])
    case.same(np.linalg.norm(data["base_orientation"], axis=1), np.ones(len(time)), 1e-9)


@witness(SMOOTH, "base_acceleration")
def acceleration_is_the_second_rate_of_the_position(case: Case) -> None:
    data = case.of("free")
    R, time = matrix(data["base_orientation"]), data["time"]
    case.same(data["base_acceleration"][INNER, :3], back(R, rate(time, rate(time, data["base_position"])))[INNER])
    case.same(data["base_acceleration"][INNER, 3:], back(R, rate(time, spin(R, rate(time, R))))[INNER])


@witness(MODELS, "joint_position")
def joints_do_what_the_gait_says(case: Case) -> None:
    data = case.of("free")
    case.same(data["joint_position"], swinging(data["time"], AXIS), max(case.tolerance, 1e-9))


@witness(MODELS, "joint_velocity")
def joint_rates(case: Case) -> None:
    data = case.of("free")
    case.same(data["joint_velocity"], SWING * RATE * np.cos(RATE * data["time"][:, None] + PHASE))


@witness(SMOOTH, "joint_acceleration")
def joint_accelerations(case: Case) -> None:
    data = case.of("free")
    case.same(data["joint_acceleration"], -SWING * RATE**2 * np.sin(RATE * data["time"][:, None] + PHASE))


@witness(MODELS, "position", "orientation")
def sections_are_where_the_joints_put_them(case: Case) -> None:
    data = case.of("free")
    b, half = bodies(data), 0.5 * LENGTH[:, None] * [1.0, 0.0, 0.0]
    case.same(data["position"], b.origin + turned(b.R, np.broadcast_to(half, b.origin.shape)))
    case.same(matrix(data["orientation"]), b.R)
    along = np.einsum("rki,rki->rk", data["orientation"][:, 0, None], data["orientation"])
    assert (along[0] > 0.0).all() and (
        np.einsum("rki,rki->rk", data["orientation"][1:], data["orientation"][:-1]) > 0.9
    ).all()
    assert np.allclose(data["orientation"][:, 0], data["base_orientation"])


@witness(MODELS, "head_position")
def the_head_is_the_front_of_the_base(case: Case) -> None:
    data = case.of("free")
    case.same(data["head_position"], data["base_position"], 1e-12)


@witness(MODELS, "com_position", "com_velocity")
def centre_of_mass(case: Case) -> None:
    data = case.of("free")
    b = bodies(data)
    case.same(data["com_position"], np.einsum("k,rki->ri", MASS, b.centre) / MASS.sum())
    case.same(data["com_velocity"][INNER], rate(data["time"], data["com_position"])[INNER])


# Forces


@witness(MODELS, "joint_torque")
def torque_moves_everything_beyond_the_joint(case: Case) -> None:
    """Along the axis: what the links beyond need about the joint, the rotor, and what spring and damper give."""
    data = case.of("free")
    b, wanted = bodies(data), []
    turning = rate(data["time"], data["joint_velocity"])
    for j in range(2):
        _, moment = beyond(data, j + 1, b.origin[:, j + 1])
        axis = turned(b.R[:, j + 1], np.broadcast_to(AXIS[j], moment.shape))
        wanted.append((axis * moment).sum(axis=1) + ROTOR[j] * turning[:, j] - spring(data)[:, j])
    case.same(data["joint_torque"][INNER], np.stack(wanted, axis=1)[INNER])


@witness(MODELS, "internal_wrench")
def internal_wrench_carries_what_lies_beyond(case: Case) -> None:
    data = case.of("free")
    b = bodies(data)
    for k in (1, 2):
        force, moment = beyond(data, k, b.origin[:, k])
        case.same(data["internal_wrench"][INNER, k, :3], -back(b.R[:, k], force)[INNER], 2.0 * case.tolerance)
        case.same(data["internal_wrench"][INNER, k, 3:], -back(b.R[:, k], moment)[INNER], 2.0 * case.tolerance)


@witness(MODELS, "fluid_force")
def the_environment_pulls_at_each_section(case: Case) -> None:
    """In air its weight; in water, all together, what changes the momentum of the bodies."""
    data = case.of("free")
    b = bodies(data)
    case.same(data["fluid_force"][1:], back(b.R, np.broadcast_to(MASS[:, None] * GRAVITY, b.origin.shape))[1:])
    if "wet" in case.runs:
        data = case.of("wet")
        b = bodies(data)
        push = (MASS[:, None] * rate(data["time"], b.velocity)).sum(axis=1)
        case.same(turned(b.R, data["fluid_force"]).sum(axis=1)[INNER], push[INNER])


@witness(SMOOTH, "base_reaction")
def what_holds_the_base_moves_the_rest(case: Case) -> None:
    data = case.of("held")
    b = bodies(data)
    force, moment = beyond(data, 0, data["base_position"])
    case.same(
        data["base_reaction"][INNER], np.concatenate([back(b.R[:, 0], force), back(b.R[:, 0], moment)], axis=1)[INNER]
    )
    free = case.of("free")["base_reaction"]
    assert np.abs(free).max() < 1e-6


# Energy and momentum


@witness(MODELS, "kinetic_energy")
def kinetic_energy(case: Case) -> None:
    data = case.of("free")
    b = bodies(data)
    of_links = 0.5 * (MASS * (b.velocity**2).sum(axis=2)).sum(axis=1) + 0.5 * (b.spin * b.angular).sum(axis=(1, 2))
    case.same(
        data["kinetic_energy"][INNER], (of_links + 0.5 * (ROTOR * data["joint_velocity"] ** 2).sum(axis=1))[INNER]
    )


@witness(MODELS, "potential_energy")
def potential_energy(case: Case) -> None:
    data = case.of("free")
    weight = -(MASS[:, None] * bodies(data).centre @ GRAVITY[:, None]).sum(axis=(1, 2))
    case.same(data["potential_energy"], weight + 0.5 * (STIFFNESS * (data["joint_position"] - REST) ** 2).sum(axis=1))


@witness(MODELS, "momentum")
def momentum(case: Case) -> None:
    data = case.of("free")
    b = bodies(data)
    linear = MASS[:, None] * b.velocity
    angular = b.angular + np.cross(b.centre, linear)
    case.same(data["momentum"][INNER, :3], linear.sum(axis=1)[INNER])
    case.same(data["momentum"][INNER, 3:], angular.sum(axis=1)[INNER])


@witness(MODELS, "impulse")
def impulse_of_the_weight(case: Case) -> None:
    data = case.of("free")
    weight = MASS.sum() * GRAVITY
    turning = np.cross(np.einsum("k,rki->ri", MASS, bodies(data).centre) / MASS.sum(), weight)
    case.same(data["impulse"][:, :3], data["time"][:, None] * weight)
    case.same(data["impulse"][:, 3:], integral(data["time"], turning))
    for run in case.runs:  # whatever else pushes: it changes the momentum
        data = case.of(run)
        case.same(data["impulse"], data["momentum"] - data["momentum"][0], 5e-3)


def hand_powers(data: dict[str, Array]) -> dict[str, Array]:
    """Of actuators, weight and springs; from torques, rates and the motion of the centre of mass, each of
    which has its own witness.
    """
    return {
        "actuator": (data["joint_torque"] * data["joint_velocity"]).sum(axis=1),
        "environment": MASS.sum() * data["com_velocity"] @ GRAVITY,
        "passive": (spring(data) * data["joint_velocity"]).sum(axis=1),
    }


@witness(SMOOTH, "actuator_power", "environment_power", "passive_power")
def powers(case: Case) -> None:
    data = case.of("free")
    for name, power in hand_powers(data).items():
        case.same(data[f"{name}_power"], power)
    if "wheels" in case.runs:
        mean_powers(case.of("wheels"), case)


@witness("non-smooth", "actuator_power", "environment_power", "passive_power")
def powers_are_means_since_the_record_before(case: Case) -> None:
    """Forces are means over the step that ended, so that there is none at the first record."""
    data = case.of("free")
    for name, power in hand_powers(data).items():
        work = integral(data["time"][1:], power[1:])
        case.same(data[f"{name}_power"][2:], np.diff(work) / np.diff(data["time"][1:]))
        assert data[f"{name}_power"][0] == 0.0


def mean_powers(data: dict[str, Array], case: Case) -> None:
    """Where every step is recorded and its forces are constant, with those of the step that begins at the record."""
    way, force = np.diff(data["joint_position"], axis=0), data["joint_torque"][:-1]
    h = data["time"][1] - data["time"][0]
    middle = {name: 0.5 * (data[name][1:] + data[name][:-1]) for name in ("joint_position", "joint_velocity")}
    slid = np.einsum("rki,rki->r", data["contact_force"][:-1], np.diff(data["position"], axis=0))
    works = {"actuator": (force * way).sum(axis=1), "environment": slid, "passive": (spring(middle) * way).sum(axis=1)}
    for name, work in works.items():
        case.same(data[f"{name}_power"][1:], work / h, 5e-3)
        assert data[f"{name}_power"][0] == 0.0


@witness(MODELS, "actuator_work", "environment_work", "passive_work")
def works_are_integrals_of_powers(case: Case) -> None:
    """From the second record on: where forces are means over the step that ended, there is none at the first."""
    data = case.of("free")
    for name, power in hand_powers(data).items():
        work = data[f"{name}_work"]
        case.same((work - work[1])[1:], integral(data["time"][1:], power[1:]), max(case.tolerance, 1e-4))
        assert work[0] == 0.0


@witness(MODELS, "power_residual")
def power_residual_is_the_drift_of_energy(case: Case) -> None:
    data = case.of("free")
    work = data["actuator_work"] + data["environment_work"] + data["passive_work"]
    drift = np.diff(data["kinetic_energy"]) - np.diff(work)
    case.same(data["power_residual"][1:], drift / STEP, 0.01)


@witness(MODELS, "motor_position")
def a_motor_stretches_its_spring(case: Case) -> None:
    data = case.of("driven")
    case.same(data["motor_position"], data["joint_position"] + data["joint_torque"] / MOTORS["series_stiffness"], 5e-3)


@witness(MODELS, "joint_voltage")
def a_voltage_follows_the_error_of_the_motor(case: Case) -> None:
    data = case.of("driven")
    wanted = MOTORS["gain"] * (swinging(data["time"], np.zeros(1)) - data["motor_position"])
    case.same(data["joint_voltage"][1:], MOTORS["voltage"] * np.clip(wanted, -1.0, 1.0)[1:], 1e-2)


@witness(MODELS, "joint_current")
def a_current_turns_the_rotor_and_the_spring(case: Case) -> None:
    """Its torque, by k = stall torque over stall current: what accelerates the rotor, and what the joint feels."""
    data = case.of("driven")
    constant = np.array(MOTORS["stall_torque"]) / MOTORS["stall_current"]
    torque = ROTOR * rate(data["time"], rate(data["time"], data["motor_position"])) + data["joint_torque"]
    inner = slice(8, -8)
    case.same(constant * data["joint_current"][inner], torque[inner], 1e-2)
