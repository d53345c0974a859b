"""What chains count at every step: works by parts, path, peaks and limits, against records of every step and the
weight's closed form.
"""

from __future__ import annotations

import numpy as np

from tests.contracts.witnesses import (
    Array,
    Case,
    chords,
    extremes,
    fine_integral,
    integral,
    same_instants,
    spin,
    witness,
)
from tests.contracts.witnesses.chain import LIMIT, MASS, MODELS, PHASE, PULLS, RATE, SPAN, SWING, bodies, hand_powers
from tests.contracts.witnesses.non_smooth import DOWN, closed, spheres


def driven(data: dict[str, Array]) -> Array:
    """Power of each actuator (records, joints)."""
    return data["joint_torque"] * data["joint_velocity"]


@witness(MODELS, "joint_work")
def works_of_the_joints(case: Case) -> None:
    """Each by its torque along its rate, from the second record on (the non-smooth model has no torque at the first);
    and all together.
    """
    data = case.of("free")
    for joint in range(2):
        work = data["joint_work"][:, joint]
        case.same((work - work[1])[1:], integral(data["time"][1:], driven(data)[1:, joint]), max(case.tolerance, 1e-4))
    for run in case.runs:
        data = case.of(run)
        assert not data["joint_work"][0].any()
        if data["actuator_work"].any():  # joints at rest do no work
            case.same(data["joint_work"].sum(axis=1), data["actuator_work"], 1e-9)
        else:
            assert not data["joint_work"].any()


@witness(MODELS, "positive_work")
def works_while_joints_drive(case: Case) -> None:
    data = case.of("free")
    power = driven(data)[1:]
    assert ((power.min(axis=0) < 0.0) & (power.max(axis=0) > 0.0)).any(), "no actuator both drives and brakes"
    gained = data["positive_work"][-1] - data["positive_work"][1]
    for joint in range(2):
        wanted = fine_integral(data["time"][1:], lambda p: np.maximum(p, 0.0), power[:, joint])
        case.same(gained[joint : joint + 1], np.array([wanted]), max(case.tolerance, 1e-4))
    assert not data["positive_work"][0].any() and (np.diff(data["positive_work"], axis=0) >= 0.0).all()


@witness(MODELS, "law_work")
def works_of_both_pulls(case: Case) -> None:
    """Each is its force times the way of the centre of mass."""
    data = case.of("free")
    centre = np.einsum("k,rki->ri", MASS, bodies(data).centre)
    for number, pull in enumerate(PULLS):
        case.same(data["law_work"][:, number], (centre - centre[0]) @ np.array(pull.acceleration))
    for run in case.runs:
        data = case.of(run)
        if "law_work" in data and "clamp_energy" not in data:
            touched = data["contact_work"].sum(axis=1) if "contact_work" in data else 0.0
            case.same(data["law_work"].sum(axis=1) + touched, data["environment_work"], 1e-9)


@witness("non-smooth", "contact_work")
def contacts_work_along_the_way_of_what_they_touch(case: Case) -> None:
    """The mean force of each step along the way of the point under the sphere: that of its centre, and the turn of its
    link.

    The model works along the mean of the velocities before and after a step, which is that way to first order in the
    step (2.6 % where sliding begins here); together with the laws' all works are the environment's to rounding.
    """
    data = case.of("sliding")
    b = bodies(data)
    local = spheres(data, middle=False)
    turn = spin(0.5 * (b.R[1:] + b.R[:-1]), np.diff(b.R, axis=0))  # ω h of every step
    way = np.diff(local, axis=0) + np.cross(np.repeat(turn, 2, axis=1), DOWN)
    slid = np.where(closed(data), np.einsum("rki,rki->rk", data["contact_force"][1:], way), 0.0)
    case.same(data["contact_work"][1:], np.cumsum(slid, axis=0), 0.05)
    case.same(data["contact_work"].sum(axis=1), data["environment_work"] - data["law_work"].sum(axis=1), 1e-9)
    assert not data["contact_work"][0].any()


@witness(MODELS, "com_path")
def path_of_the_centre_of_mass(case: Case) -> None:
    """Chords. The path is counted in trapezia of the speed: h²/12 times the change of its slope,
    here 20 m/s2, is 3e-4 of it.
    """
    data = case.of("free")
    case.same(
        data["com_path"],
        chords(np.einsum("k,rki->ri", MASS, bodies(data).centre) / MASS.sum()),
        max(case.tolerance, 6e-4),
    )


@witness(MODELS, "work_exchanged")
def sizes_of_all_powers(case: Case) -> None:
    data = case.of("free")
    wanted = sum(fine_integral(data["time"][1:], np.abs, power[1:]) for power in hand_powers(data).values())
    case.same(data["work_exchanged"][-1:] - data["work_exchanged"][1:2], np.array([wanted]), max(case.tolerance, 1e-4))
    assert data["work_exchanged"][0] == 0.0


def recorded(case: Case) -> list[dict[str, Array]]:
    """Runs of which every step is recorded: those with motors have finer steps."""
    finer = {"driven", *(("free",) if "sliding" in case.runs else ())}
    return [case.of(run) for run in case.runs if run not in finer]


@witness(MODELS, "peak_torque", "peak_time")
def peaks_are_those_of_the_records(case: Case) -> None:
    for data in recorded(case):
        torque, time, _ = extremes(data, data["joint_torque"], data["joint_limit"])
        case.same(data["peak_torque"], torque, 1e-9)
        same_instants(data["peak_time"], time)


@witness(("non-smooth",), "lasting_torque")
def torques_that_last_are_those_of_the_records(case: Case) -> None:
    """Of steps that end in the same hundredth of a second the smallest, of all whole hundredths the largest."""
    seen: list[tuple[Array, Array]] = []
    for data in recorded(case):
        if "lasting_torque" not in data:
            continue
        number = np.floor(data["time"][1:] / 0.01 + 1e-6)
        size = np.abs(data["joint_torque"][1:])
        least = [size[number == one].min(axis=0) for one in np.unique(number)[1:-1]]
        seen.append((data["lasting_torque"], np.max([*least, 0.0 * size[0]], axis=0)))
    case.same(*(np.concatenate(part) for part in zip(*seen, strict=True)), 1e-9)


@witness(MODELS, "limit_time")
def limits_are_passed_when_the_records_pass_them(case: Case) -> None:
    limit = np.array([np.inf if value is None else value for value in LIMIT])
    seen = [(data["limit_time"], extremes(data, data["joint_torque"], limit)[2]) for data in recorded(case)]
    same_instants(*(np.concatenate(part) for part in zip(*seen, strict=True)))


def beyond(data: dict[str, Array]) -> Array:
    """How far the joints are beyond their ranges at every step, negative below, as the gait has them."""
    t = data["time"]
    q = np.stack([SWING[j] * np.sin(RATE[j] * t + PHASE[j]) for j in range(2)], axis=1)
    lower, upper = (
        np.array([sign * np.inf if ends[i] is None else ends[i] for ends in SPAN]) for i, sign in enumerate((-1.0, 1.0))
    )
    return np.where(q > upper, q - upper, np.where(q < lower, q - lower, 0.0))


@witness("newton-euler", "range_excess", "excess_time", "range_time")
def ranges_are_left_as_the_gait_leaves_them(case: Case) -> None:
    data = case.of("ranged")
    far = beyond(data)
    worst = np.abs(far).argmax(axis=0)
    case.same(data["range_excess"], far[worst, range(2)], 1e-9)
    assert far[worst, range(2)].min() < 0.0 < far[worst, range(2)].max(), "not both sides are passed"
    same_instants(data["excess_time"], data["time"][worst])
    same_instants(data["range_time"], data["time"][(np.abs(far) >= 1e-4).argmax(axis=0)])
