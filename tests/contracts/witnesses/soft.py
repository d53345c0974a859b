"""Soft bodies in motion: a free spine of three vertebrae and a free rod, put together by hand from recorded bends and
strains; rates are differences in time.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import limbless as ll
from limbless.control.gaits.muscle_wave import MuscleWave
from limbless.models.soft import SoftSettings
from limbless.robots.rod import Rod
from tests.contracts.witnesses import (
    INNER,
    Array,
    Case,
    back,
    case_of,
    chords,
    extremes,
    fine_integral,
    integral,
    matrix,
    rate,
    same_instants,
    spin,
    turned,
    witness,
)
from tests.contracts.witnesses.soft_contact import crawling, landed
from tests.contracts.witnesses.spine import DISK, HEAD, HOLES, JOINT, LENGTH, PULLEY, STIFFNESS, posture
from tests.contracts.witnesses.water import into_waves

MODEL = "soft"
STEP, RECORDS = 1e-4, 401
RADIUS, LAG, STOP = 0.015, 1e-4, np.radians([3.0, 8.0])
STOP_STIFFNESS, RISE = 0.4, 0.03
PULLS = (ll.Gravity(acceleration=(2.0, 1.0, -4.0)), ll.Gravity(acceleration=(-2.0, -1.0, -5.81)))
GRAVITY = np.array([0.0, 0.0, -9.81])
TWIST = (0.3, -0.2, 0.4, 0.5, -0.7, 0.6)
START = {"position": (0.3, -0.2, 0.5), "orientation": (0.5, 0.5, -0.5, 0.5), "twist": TWIST}
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
NODES, WEIGHTS = 0.5 * (NODES + 1.0), 0.5 * WEIGHTS
DISKS = DISK + HEAD
STRETCH, LOSS, WINCH = 400.0, 0.3, {"radius": 0.008, "rotor_inertia": 3e-6, "damping": 2e-5}
RUB, SLIP = 0.3, 0.01
LINK = {"length": 0.1, "half_width": 0.02, "half_height": 0.03}
LONG, THICK, BEND, COUPLE = 0.3, 0.01, 0.005, 2e-3  # rod: length, radius (m), EI (N m2), N m


def run(robot: Any, gait: Any, environment: Any, **options: Any) -> Any:
    return ll.simulate(
        robot,
        gait,
        environment,
        model=SoftSettings(integrator="rk4", cells=4),
        step=STEP,
        duration=(RECORDS - 1) * STEP,
        record_every=STEP,
        **options,
    ).dataset


@case_of(MODEL)
@cache
def soft() -> Case:
    spine = ll.SnakeNeck(count=3, base="free", damping_time=LAG, stop_lateral=None, stop_vertical=None)
    narrow = spine.changed(stop_lateral=STOP[0], stop_vertical=STOP[1], stop_stiffness=STOP_STIFFNESS)
    pulls = ll.TensionStep(before=(0.05, 0.02, 0.03, 0.01), after=(0.9, 0.5, 0.1, 0.05), ramp=RISE)
    rod = Rod(
        base="planar", strains="planar", length=LONG, half_width=THICK, stiffness=BEND, damping_time=LAG, passive={}
    )
    link = {"solids": ({"shape": "elliptic-cylinder", **LINK},), "body": LINK}
    joint = {"axis": (0.0, 0.0, 1.0), "stiffness": 0.5, "damping": 1e-3}
    chain = ll.Chain(
        base="fixed",
        links=({**link}, {**link, "position": (0.1, 0.0, 0.0), "joint": joint}),
        tendons=({"through": ((0, (0.08, 0.02, 0.0)), (1, (0.02, 0.02, 0.0)))},),
    )
    return Case(
        {
            "landed": landed,
            "careless": lambda: landed(tolerance=0.09, contact_tolerance=1e-2, bound=1e-2),
            "crawling": crawling,
            "spine": lambda: run(spine, pulls, PULLS, initial=START),
            "stops": lambda: run(narrow, pulls, PULLS, initial=START),
            "fixed": lambda: run(spine.changed(base="fixed"), pulls, PULLS),
            "winch": lambda: run(
                spine.changed(tendon_stiffness=STRETCH, tendon_damping=LOSS, winch=WINCH),
                ll.WinchStep(after=(4e-3, 3e-3, 2e-3, 1e-3), ramp=RISE),
                PULLS,
                initial=START,
            ),
            "rubbing": lambda: run(spine.changed(friction=RUB, slip_speed=SLIP), pulls, PULLS, initial=START),
            "chain": lambda: run(chain, ll.TensionStep(after=(5.0,), ramp=RISE), PULLS),
            "rod": lambda: run(
                rod, MuscleWave(couple=COUPLE, ramp=0.03, period=0.1), ll.Gravity(acceleration=(0.5, 0.3, 0.0))
            ),
            # what holds given strains is held in tests/unit/models/chain/soft/test_soft.py, against free ones
            "waves": lambda: into_waves(SoftSettings(cells=4)).drop_vars(["joint_torque", "peak_torque", "peak_time"]),
        },
        5e-4,
    )


class Body(NamedTuple):
    """Disks and slices of all joints: masses, inertias along their axes, places and motion, (records, parts, ..)."""

    mass: Array
    turning: Array
    R: Array
    place: Array
    velocity: Array
    spin: Array


def slices(bend: Array) -> tuple[Array, Array]:
    """Places (3, 8, 3) and axes (3, 8, 3, 3) inside the arcs of one posture, axes of disk 0."""
    place, turns, _ = posture(bend)
    found, axes = [], []
    for v in range(3):
        whole = np.array([0.0, -bend[v, 1], bend[v, 0]])
        for s in NODES:  # the arc up to s is an arc too: Gauss once more
            inner = Rotation.from_rotvec(np.outer(s * NODES, whole)).as_matrix()[:, :, 0]
            found.append(place[v] + turns[v] @ (s * LENGTH[v] * WEIGHTS @ inner))
            axes.append(turns[v] @ Rotation.from_rotvec(s * whole).as_matrix())
    return np.array(found), np.array(axes)


_KNOWN: dict[bytes, Body] = {}


def body(data: dict[str, Array]) -> Body:
    key = b"".join(data[name].tobytes() for name in ("base_position", "base_orientation", "bend"))
    if key in _KNOWN:
        return _KNOWN[key]
    R0, p0 = matrix(data["base_orientation"]), data["base_position"]
    inner = [slices(bend) for bend in data["bend"]]
    outer = [posture(bend)[:2] for bend in data["bend"]]
    place = np.array([np.concatenate([disks[0][1:], parts[0]]) for disks, parts in zip(outer, inner, strict=True)])
    axes = np.array([np.concatenate([disks[1][1:], parts[1]]) for disks, parts in zip(outer, inner, strict=True)])
    mass = np.concatenate([DISKS, *[JOINT * WEIGHTS] * 3])
    turning = mass[:, None] * RADIUS**2 * np.array([0.5, 0.25, 0.25])
    place, R = p0[:, None] + np.einsum("rij,rkj->rki", R0, place), R0[:, None] @ axes
    made = Body(mass, turning, R, place, rate(data["time"], place), spin(R, rate(data["time"], R)))
    return _KNOWN.setdefault(key, made)


def momenta(data: dict[str, Array]) -> tuple[Array, Array]:
    """Linear and angular momentum of every part, the latter about the world origin."""
    b = body(data)
    linear = b.mass[:, None] * b.velocity
    return linear, turned(b.R, b.turning * back(b.R, b.spin)) + np.cross(b.place, linear)


@witness(MODEL, "base_position", "base_orientation", "base_twist", "base_acceleration")
def twist_is_the_rate_of_the_pose(case: Case) -> None:
    data = case.of("spine")
    R, time = matrix(data["base_orientation"]), data["time"]
    assert np.allclose(data["base_position"][0], START["position"])
    assert np.allclose(data["base_orientation"][0], START["orientation"]) and np.allclose(data["base_twist"][0], TWIST)
    case.same(np.linalg.norm(data["base_orientation"], axis=1), np.ones(len(time)), 1e-9)
    case.same(back(R, rate(time, data["base_position"]))[INNER], data["base_twist"][INNER, :3])
    case.same(back(R, spin(R, rate(time, R)))[INNER], data["base_twist"][INNER, 3:])
    case.same(data["base_acceleration"][INNER, :3], back(R, rate(time, rate(time, data["base_position"])))[INNER], 2e-3)
    case.same(data["base_acceleration"][INNER, 3:], back(R, rate(time, spin(R, rate(time, R))))[INNER], 2e-3)


@witness(MODEL, "position", "orientation", "tip_position", "head_position")
def disks_are_where_the_bends_put_them(case: Case) -> None:
    data = case.of("spine")
    b = body(data)
    case.same(data["position"][:, 1:], b.place[:, :3], 1e-9)
    case.same(data["position"][:, 0], data["base_position"], 1e-12)
    case.same(matrix(data["orientation"])[:, 1:], b.R[:, :3], 1e-9)
    case.same(data["tip_position"], b.place[:, 2], 1e-9)
    case.same(data["head_position"], b.place[:, 2], 1e-9)
    case.same(np.linalg.norm(data["orientation"], axis=-1), np.ones(data["orientation"].shape[:2]), 1e-9)
    near = np.einsum("rki,rki->rk", data["orientation"][:, 1:], data["orientation"][:, :-1])
    assert (near > 0.9).all() and (
        np.einsum("ri,ri->r", data["orientation"][:, 0], data["base_orientation"]) > 0.9
    ).all()


@witness(MODEL, "com_position", "com_velocity")
def centre_of_mass(case: Case) -> None:
    data = case.of("spine")
    b = body(data)
    case.same(data["com_position"], np.einsum("k,rki->ri", b.mass, b.place) / b.mass.sum(), 1e-7)
    case.same(data["com_velocity"][INNER], rate(data["time"], data["com_position"])[INNER])


@witness(MODEL, "bend", "stop_moment")
def bends_place_the_disks_and_stops_hold_them(case: Case) -> None:
    """Stops push back beyond their angle, and nowhere else."""
    data = case.of("stops")
    over = data["bend"] - np.clip(data["bend"], -STOP, STOP)
    speed = rate(data["time"], data["bend"])
    assert (over[..., 0] != 0.0).any() and (over == 0.0).any()
    moment = -STOP_STIFFNESS * over - 1e-4 * STOP_STIFFNESS * speed * (over != 0.0)
    # no stop is met or left here
    steady = np.abs(np.diff((over != 0.0).astype(int), axis=0, prepend=0)).max(axis=(1, 2)) == 0
    case.same(data["stop_moment"][INNER][steady[INNER]], moment[INNER][steady[INNER]], 2e-3)
    for run in ("spine", "stops"):
        disks_follow(case, case.of(run))
        springs_store(case, case.of(run), run == "stops")


def disks_follow(case: Case, data: dict[str, Array]) -> None:
    """Each disk stands where the bends have it."""
    case.same(data["position"][:, 1:], body(data).place[:, :3], 1e-9)


def springs_store(case: Case, data: dict[str, Array], stops: bool) -> None:
    over = data["bend"] - np.clip(data["bend"], -STOP, STOP) if stops else 0.0 * data["bend"]
    spring = 0.5 * (STIFFNESS * data["bend"] ** 2 + STOP_STIFFNESS * over**2).sum(axis=(1, 2))
    case.same(data["elastic_energy"], spring, 1e-9)


@witness(MODEL, "tension", "peak_tension")
def tensions_are_those_of_the_gait(case: Case) -> None:
    data = case.of("spine")
    u = np.clip(data["time"] / RISE, 0.0, 1.0)[:, None]
    share = u**3 * (10.0 + u * (6.0 * u - 15.0))
    first, last = np.array([0.05, 0.02, 0.03, 0.01]), np.array([0.9, 0.5, 0.1, 0.05])
    case.same(data["tension"], first + share * (last - first), 1e-9)
    case.same(data["peak_tension"], extremes(data, data["tension"], np.array(np.inf))[0], 1e-9)


@witness(MODEL, "peak_time")
def peaks_are_those_of_the_records(case: Case) -> None:
    data = case.of("spine")
    same_instants(data["peak_time"], extremes(data, data["tension"], np.array(np.inf))[1])
    data = case.of("rod")
    same_instants(data["peak_time"], extremes(data, muscles(data)[0], np.array(np.inf))[1])


@witness(MODEL, "tendon_length", "tendon_rate", "pulley_angle")
def tendons_run_from_hole_to_hole(case: Case) -> None:
    data = case.of("spine")
    places, axes = data["position"], matrix(data["orientation"])
    holes = places[:, :, None] + np.einsum("rdij,cj->rdci", axes, np.concatenate([np.zeros((4, 1)), HOLES], axis=1))
    length = np.linalg.norm(np.diff(holes, axis=1), axis=-1).sum(axis=1)
    case.same(data["tendon_length"], length, 1e-9)
    case.same(data["tendon_rate"][INNER], rate(data["time"], length)[INNER])
    case.same(data["pulley_angle"], (LENGTH.sum() - length) / PULLEY, 1e-9)


@witness(MODEL, "fluid_force")
def weight_pulls_at_each_vertebra(case: Case) -> None:
    data = case.of("spine")
    force = np.concatenate([[0.0], DISKS + JOINT])[:, None] * GRAVITY
    case.same(
        data["fluid_force"], back(matrix(data["orientation"]), np.broadcast_to(force, data["position"].shape)), 1e-9
    )


@witness(MODEL, "base_reaction")
def the_clamp_carries_what_moves(case: Case) -> None:
    data = case.of("fixed")
    b, (linear, angular) = body(data), momenta(data)
    force = rate(data["time"], linear).sum(axis=1) - b.mass.sum() * GRAVITY
    weight = np.einsum("k,rki->ri", b.mass, np.cross(b.place, GRAVITY))
    moment = rate(data["time"], angular).sum(axis=1) - weight
    case.same(data["base_reaction"][INNER, :3], force[INNER], 5e-3)
    case.same(data["base_reaction"][INNER, 3:], moment[INNER], 5e-3)
    assert np.abs(case.of("spine")["base_reaction"]).max() < 1e-9


@witness(MODEL, "kinetic_energy", "momentum")
def energy_and_momentum(case: Case) -> None:
    data = case.of("spine")
    b, (linear, angular) = body(data), momenta(data)
    spinning = (b.turning * back(b.R, b.spin) ** 2).sum(axis=-1)
    energy = 0.5 * (b.mass * (b.velocity**2).sum(axis=-1) + spinning).sum(axis=1)
    case.same(data["kinetic_energy"][INNER], energy[INNER])
    case.same(data["momentum"][INNER, :3], linear.sum(axis=1)[INNER])
    case.same(data["momentum"][INNER, 3:], angular.sum(axis=1)[INNER])


@witness(MODEL, "elastic_energy", "potential_energy")
def stored_energy(case: Case) -> None:
    for run in ("spine", "stops"):
        springs_store(case, case.of(run), run == "stops")
    data = case.of("spine")
    b = body(data)
    weight = -np.einsum("k,rki,i->r", b.mass, b.place, GRAVITY)
    case.same(data["potential_energy"] - data["elastic_energy"], weight, 1e-7)


@witness(MODEL, "impulse")
def the_impulse_of_the_weight(case: Case) -> None:
    data = case.of("spine")
    b = body(data)
    moment = np.einsum("k,rki->ri", b.mass, np.cross(b.place, GRAVITY))
    case.same(
        data["impulse"],
        np.concatenate([data["time"][:, None] * b.mass.sum() * GRAVITY, integral(data["time"], moment)], axis=1),
        1e-6,
    )
    data, weight = case.of("rod"), 1000.0 * np.pi * THICK**2 * LONG * np.array([0.5, 0.3, 0.0])
    case.same(data["impulse"][:, :2], data["time"][:, None] * weight[:2], 1e-9)
    case.same(data["impulse"][:, 5], integral(data["time"], np.cross(data["com_position"], weight)[:, 2]), 1e-6)


@witness(MODEL, "pulley_power", "actuator_power", "environment_power", "passive_power", "damping_power")
def powers(case: Case) -> None:
    data = case.of("spine")
    b, speed, time = body(data), rate(data["time"], data["bend"]), data["time"]
    case.same(data["pulley_power"], -data["tension"] * data["tendon_rate"], 1e-9)
    case.same(data["actuator_power"], data["pulley_power"].sum(axis=1), 1e-9)
    falling = (b.mass[:, None] * b.velocity).sum(axis=1) @ GRAVITY
    case.same(data["environment_power"][INNER], falling[INNER])
    damped = -(LAG * STIFFNESS * speed**2).sum(axis=(1, 2))
    case.same(data["damping_power"][INNER], damped[INNER], 2e-3)
    case.same(data["passive_power"][INNER], (damped - rate(time, data["elastic_energy"]))[INNER], 2e-3)


@witness(MODEL, "actuator_work", "environment_work", "passive_work", "pulley_work", "work_exchanged")
def works_are_integrals_of_powers(case: Case) -> None:
    data = case.of("spine")
    time = data["time"]
    for name in ("actuator", "environment", "passive"):
        case.same(data[f"{name}_work"], integral(time, data[f"{name}_power"]), 2e-3)
    case.same(data["pulley_work"], integral(time, data["pulley_power"]), 2e-3)
    sizes = sum(np.abs(data[f"{name}_power"]) for name in ("actuator", "environment", "passive"))
    case.same(data["work_exchanged"], np.concatenate([[0.0], np.cumsum(0.5 * STEP * (sizes[1:] + sizes[:-1]))]), 5e-3)


@witness(MODEL, "positive_work")
def works_while_pulleys_drive(case: Case) -> None:
    data = case.of("spine")
    wanted = fine_integral(data["time"], lambda p: np.maximum(p, 0.0), data["pulley_power"])
    case.same(data["positive_work"][-1], wanted, 5e-3)
    rod = case.of("rod")
    power = np.prod(muscles(rod), axis=0)
    case.same(rod["positive_work"][-1], fine_integral(rod["time"], lambda p: np.maximum(p, 0.0), power), 5e-3)
    crawls = case.of("crawling")  # step by step, along the rates of their ends
    works = 5e-4 * np.prod(muscles(crawls), axis=0)[1:]
    case.same(crawls["positive_work"][1:], np.cumsum(np.maximum(works, 0.0), axis=0), 1e-4)
    assert not data["positive_work"][0].any() and (np.diff(data["positive_work"], axis=0) >= 0.0).all()


@witness(MODEL, "law_work")
def works_of_both_pulls(case: Case) -> None:
    data = case.of("spine")
    fallen = body(data).mass.sum() * (data["com_position"] - data["com_position"][0])
    for number, pull in enumerate(PULLS):
        case.same(data["law_work"][:, number], fallen @ np.array(pull.acceleration), 1e-6)


@witness(MODEL, "com_path")
def path_of_the_centre(case: Case) -> None:
    data = case.of("spine")
    case.same(data["com_path"], chords(data["com_position"]), 2e-3)


@witness(MODEL, "power_residual")
def power_residual_is_the_drift_of_energy(case: Case) -> None:
    data = case.of("spine")
    work = data["actuator_work"] + data["environment_work"] + data["passive_work"]
    drift = (np.diff(data["kinetic_energy"]) - np.diff(work)) / STEP
    case.same(data["power_residual"][1:], drift, 0.01)


@witness(MODEL, "iterations")
def explicit_steps_evaluate_four_times(case: Case) -> None:
    contacts = {"landed", "careless", "crawling"}
    for name in set(case.runs) - {"waves", *contacts}:
        case.same(case.of(name)["iterations"], np.full(RECORDS, 4.0), 1e-12)
    for name in contacts:  # whole passes, two at least where the body bends
        found = case.of(name)["iterations"][1:]
        assert (found == np.round(found)).all() and found.min() >= 1.0 and found.max() <= 15.0 and found.max() > 1.0


@witness(MODEL, "strain", "strain_rate")
def strains_place_the_stations(case: Case) -> None:
    """A planar rod: its heading is the integral of its yaw curvature, known at three Gauss points of each cell."""
    data = case.of("rod")
    case.same(data["strain"][..., 0], np.ones(data["strain"].shape[:2]), 1e-12)
    assert not data["strain"][..., 1:5].any()
    X, bent = data["abscissa"].reshape(4, 3), data["strain"][..., 5].reshape(RECORDS, 4, 3)
    heading = 2.0 * np.arctan2(data["orientation"][..., 3], data["orientation"][..., 0]).reshape(RECORDS, 4, 3)
    start = 2.0 * np.arctan2(data["base_orientation"][:, 3], data["base_orientation"][:, 0])
    for cell in range(4):
        line = np.polynomial.polynomial.polyfit(X[cell], bent[:, cell].T, 1)  # straight within a cell
        whole = [
            line[0] * (x - 0.075 * cell) + 0.5 * line[1] * (x**2 - (0.075 * cell) ** 2)
            for x in (*X[cell], 0.075 * (cell + 1))
        ]
        case.same(heading[:, cell].T, start + np.array(whole[:3]), 1e-6)
        start = start + whole[3]
    case.same(data["strain_rate"][INNER, :, 5], rate(data["time"], data["strain"][..., 5])[INNER])
    landed_rod(case)


def landed_rod(case: Case) -> None:
    """A rod of two cells with two bends: turns from the base to each station, in many short pieces; of θ = 1 every step
    goes at the rate of its end.
    """
    data, half = case.of("landed"), 0.15
    R = matrix(data["base_orientation"])
    found = np.swapaxes(R, -1, -2)[:, None] @ matrix(data["orientation"])
    here, expected = np.eye(3)[None].repeat(len(R), axis=0), []
    for cell in range(2):
        X, bent = data["abscissa"][3 * cell :][:3] - half * cell, data["strain"][:, 3 * cell :][:, :3, 3:]
        slope = (bent[:, 2] - bent[:, 0]) / (X[2] - X[0])
        place = 0.0
        for x in (*X, half):
            for middle in place + (x - place) * (np.arange(20) + 0.5) / 20.0:
                turn = (bent[:, 0] + slope * (middle - X[0])) * (x - place) / 20.0
                here = here @ Rotation.from_rotvec(turn).as_matrix()
            expected.append(here)
            place = x
        expected.pop()
    turns = [Rotation.from_matrix(many.reshape(-1, 3, 3)).as_rotvec() for many in (found, np.stack(expected, axis=1))]
    for axis in (1, 2):
        case.same(turns[0][:, axis], turns[1][:, axis], 1e-5)
    for axis in (4, 5):
        case.same(np.diff(data["strain"][..., axis], axis=0) / 2e-4, data["strain_rate"][1:, :, axis], 1e-4)


def muscles(data: dict[str, Array]) -> tuple[Array, Array]:
    """Couples of the gait at 1/2 -+ 1/sqrt(12) of each cell, by the straight line through it, and rates of the
    curvature there, each times the half cell that it stands for.
    """
    time, X = data["time"], data["abscissa"].reshape(4, 3)
    u = np.clip(time / 0.03, 0.0, 1.0)[:, None]
    swell = COUPLE * u**3 * (10.0 + u * (6.0 * u - 15.0))
    weight = np.polynomial.legendre.leggauss(3)[1] * 0.5 * 0.075
    couple = (swell * np.sin(2.0 * np.pi * (time[:, None] / 0.1 - data["abscissa"] / 0.3))).reshape(-1, 4, 3)
    at = (X - 0.075 * (np.arange(4)[:, None] + 0.5)) / 0.0375
    effort = np.stack([(couple * weight).sum(axis=-1), (couple * weight * at).sum(axis=-1)], axis=-1)
    speed = data["strain_rate"][..., 5].reshape(-1, 4, 3)
    modes = np.stack([speed @ weight / 0.075, 3.0 * (speed * at) @ weight / 0.075], axis=-1)
    ends = np.array([-1.0, 1.0]) / np.sqrt(3.0)
    there = (effort[..., :1] + 3.0 * effort[..., 1:] * ends) / 0.075
    rates = 0.0375 * (modes[..., :1] + modes[..., 1:] * ends)
    return there.reshape(-1, 8), rates.reshape(-1, 8)


@witness(MODEL, "joint_work", "joint_torque", "peak_torque")
def muscles_work_along_the_strains(case: Case) -> None:
    data = case.of("rod")
    effort, speed = muscles(data)
    case.same(data["joint_work"], integral(data["time"], effort * speed), 2e-3)
    case.same(data["joint_torque"], effort, 1e-9)
    case.same(data["peak_torque"], extremes(data, effort, np.array(np.inf))[0], 1e-9)
    data = case.of("crawling")
    effort, speed = muscles(data)
    case.same(data["joint_work"][1:], np.cumsum(5e-4 * (effort * speed)[1:], axis=0), 1e-4)
    case.same(data["joint_torque"][1:], effort[1:], 1e-9)
    assert np.abs(data["joint_work"][-1].sum()) > 1e-5


def chords_of(data: dict[str, Array]) -> tuple[Array, Array]:
    """Every chord of every tendon, from hole to hole (records, chords, tendons, 3), and the axes of the disks."""
    axes = matrix(data["orientation"])
    places = np.concatenate([np.zeros((4, 1)), HOLES], axis=1)
    holes = data["position"][:, :, None] + np.einsum("rdij,cj->rdci", axes, places)
    return np.diff(holes, axis=1), axes


@witness(MODEL, "command_length", "winch_angle", "winch_rate", "tendon_energy")
def winches_wind_and_tendons_stretch(case: Case) -> None:
    """Lengths that the drums leave, energy of the springs, and the motion of rotors under motor, damper and tendon."""
    data = case.of("winch")
    time, angle, turning = data["time"], data["winch_angle"], data["winch_rate"]
    case.same(turning[INNER], rate(time, angle)[INNER])
    case.same(data["command_length"], LENGTH.sum() - WINCH["radius"] * angle, 1e-9)
    case.same(data["command_length"] - LENGTH.sum(), -WINCH["radius"] * angle, 1e-9)
    stretch = np.maximum(data["tendon_length"] - data["command_length"], 0.0)
    case.same(data["tendon_energy"], 0.5 * STRETCH * (stretch**2).sum(axis=1), 1e-9)
    pull = np.maximum(STRETCH * stretch + LOSS * (data["tendon_rate"] + WINCH["radius"] * turning), 0.0) * (stretch > 0)
    case.same(data["tension"], pull, 1e-9)
    u = np.clip(time / RISE, 0.0, 1.0)[:, None]
    motor = u**3 * (10.0 + u * (6.0 * u - 15.0)) * np.array([4e-3, 3e-3, 2e-3, 1e-3])
    left = motor - WINCH["damping"] * turning - WINCH["radius"] * pull
    case.same(WINCH["rotor_inertia"] * rate(time, turning)[INNER], left[INNER], 1e-2)


@witness(MODEL, "distal_tension", "friction_power")
def tendons_rub_in_their_holes(case: Case) -> None:
    """What is lost at a hole is its coefficient times the force on it: T - T' = μ s |T a + T' c|, by iteration."""
    data = case.of("rubbing")
    chord, axes = chords_of(data)
    length = np.linalg.norm(chord, axis=-1)
    speed, along = rate(data["time"], length), chord / length[..., None]
    tension = [data["tension"]]
    for hole in range(1, chord.shape[1]):
        inner, outer = (
            np.einsum("rji,rcj->rci", axes[:, hole], part)[..., 1:] for part in (-along[:, hole - 1], along[:, hole])
        )
        b, after = speed[:, hole:].sum(axis=1), tension[-1].copy()
        for _ in range(60):
            pressed = np.linalg.norm(tension[-1][..., None] * inner + after[..., None] * outer, axis=-1)
            after = tension[-1] + RUB * b / np.hypot(b, SLIP) * pressed
        tension.append(after)
    case.same(data["distal_tension"][INNER], tension[-1][INNER], 2e-3)
    lost = sum(data["tension"] * speed[:, k] - pull * speed[:, k] for k, pull in enumerate(tension)).sum(axis=1)
    case.same(data["friction_power"][INNER], lost[INNER], 5e-3)


@witness(MODEL, "joint_position", "joint_velocity")
def a_joint_turns_its_link(case: Case) -> None:
    """The middle of the second link stands half its length beyond the joint, to the side of the tendon."""
    data = case.of("chain")
    q = data["joint_position"][:, 0]
    middle = np.column_stack([0.1 + 0.05 * np.cos(q), 0.05 * np.sin(q), np.zeros(len(q))])
    case.same(data["position"][:, 1], middle, 1e-9)
    case.same(data["position"][:, 1, 1], middle[:, 1], 1e-9)
    case.same(data["tip_position"][:, 1], 2.0 * middle[:, 1], 1e-9)
    case.same(data["joint_velocity"][INNER], rate(data["time"], data["joint_position"])[INNER])
    hole = np.column_stack([0.02 * np.cos(q) - 0.02 * np.sin(q) + 0.02, 0.02 * np.sin(q) + 0.02 * np.cos(q) - 0.02])
    case.same(data["tendon_length"][:, 0], np.linalg.norm(hole, axis=1), 1e-9)
