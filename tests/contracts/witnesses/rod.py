"""Rods: a body whose strains are given in closed form, put together by hand, falling freely, held to a plane, on
anchors, on supports.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

import limbless as ll
from limbless.control.gaits.travelling_curvature import TravellingCurvature
from limbless.environments.anchorage import Anchorage
from limbless.environments.support import Support
from limbless.models.macro_continuous import MacroContinuousSettings
from limbless.robots.rod import Rod
from tests.contracts.witnesses import INNER, Array, Case, back, case_of, integral, matrix, rate, spin, turned, witness
from tests.contracts.witnesses.water import into_waves

MODEL = "macro-continuous"
LIMIT = (3.0, 1e6, 2.0, 0.3, 1e6, 0.3)  # N, N m
GRAVITY = np.array([0.0, 0.0, -9.81])
STEP, RECORDS, SECTIONS = 2e-3, 41, 40
LENGTH, WIDE, HIGH, DENSITY = 0.8, 0.03, 0.05, 1000.0  # m, half axes, kg/m3
MASS = DENSITY * np.pi * WIDE * HIGH  # per length
TURNING = MASS / 4.0 * np.array([WIDE**2 + HIGH**2, HIGH**2, WIDE**2])  # inertia per length, along the section's axes
STIFFNESS, DAMPING = np.array([40.0, 30.0, 20.0, 0.5, 0.4, 0.3]), np.array([0.6, 0.5, 0.4, 0.03, 0.02, 0.01])
AMPLITUDE, WAVE = np.array([0.10, 0.08, 0.06, 0.9, 1.1, 1.4]), np.array([3.0, 4.0, 2.0, 3.5, 2.5, 4.5])
OMEGA, PHASE = np.array([8.0, 7.5, 9.0, 8.2, 7.8, 6.7]), np.array([0.3, 1.0, 2.0, 0.7, 1.7, 0.1])
NATURAL = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 0.0])
TWIST = (0.3, -0.2, 0.4, 0.5, -0.7, 0.6)
PULLS = (ll.Gravity(acceleration=(2.0, 1.0, -4.0)), ll.Gravity(acceleration=(-2.0, -1.0, -5.81)))  # together GRAVITY
# m, rad, s: how anchors move the sections that they hold
SWAY, PERIOD = (0.01, 0.005, -0.008, 0.1, 0.05, -0.07), 0.3
FEET, HANDOVER = (0.2, 0.6), 20  # abscissae (m), and the record at which the second takes over
PLACES, WEIGHT = tuple((np.array([20, 60, 100, 140, 180]) + 0.5) * 0.005), (1.0, 4.0, 0.5, 2.0, 9.0)
FINE = 4 * SECTIONS  # cells of the body by hand; middles of sections: nodes 2, 6, ..
X = np.linspace(0.0, LENGTH, FINE + 1)
MIDDLES = np.arange(2, FINE, 4)
SIMPSON = LENGTH / FINE / 3.0 * np.array([1.0, *([4.0, 2.0] * (FINE // 2 - 1)), 4.0, 1.0])


def strains(t: Array, X: Array, moving: Array | None = None) -> tuple[Array, Array]:
    """Strain and its rate (T, S, 6)."""
    angle = WAVE * np.atleast_1d(X)[:, None] + OMEGA * t[:, None, None] + PHASE
    size = AMPLITUDE if moving is None else AMPLITUDE * moving
    return NATURAL + size * np.cos(angle), -size * OMEGA * np.sin(angle)


PLANAR = np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0])


def run(rod: Rod, environment: Any, moving: Array | None = None, **options: Any) -> Any:
    gait = ll.FunctionGait(function=lambda t, s: strains(t, s, moving)[0], drives="strain")
    return ll.simulate(
        rod,
        gait,
        environment,
        model=MacroContinuousSettings(cells=2 * SECTIONS),
        duration=(RECORDS - 1) * STEP,
        step=STEP,
        record_every=STEP,
        **options,
    ).dataset


@case_of(MODEL)
@cache
def macro_continuous() -> Case:
    size = {"length": LENGTH, "half_width": WIDE, "half_height": HIGH, "density": DENSITY}
    rod = Rod(strains="reissner", stiffness=tuple(STIFFNESS), damping=tuple(DAMPING), effort_limit=LIMIT, **size)
    feet = tuple(
        Anchorage(abscissa=x, active=(window,), sway=SWAY, period=PERIOD)
        for x, window in zip(FEET, ((0.0, HANDOVER * STEP), (HANDOVER * STEP, 9.0)), strict=True)
    )
    start = {"position": (0.3, -0.2, 0.5), "orientation": (0.5, 0.5, -0.5, 0.5)}
    snake, fine = Rod(base="planar", strains="planar"), MacroContinuousSettings(cells=400)
    return Case(
        {
            "free": lambda: run(rod, PULLS, initial={**start, "twist": TWIST}),
            "planar": lambda: run(Rod(base="planar", strains="planar", **size), ll.Gravity(), PLANAR),
            "anchored": lambda: run(rod, (ll.Gravity(), *feet), initial=start),
            "supported": lambda: (
                ll.simulate(
                    snake,
                    TravellingCurvature(),
                    Support(abscissae=PLACES, travel=False, weight=WEIGHT),
                    model=fine,
                    duration=0.06,
                    step=0.02,
                ).dataset
            ),
            "waves": lambda: into_waves(MacroContinuousSettings(cells=16)),
        },
        2e-4,
    )


class Body(NamedTuple):
    """The rod as its recorded head and its strains place it; (records, nodes, ..), world."""

    R: Array
    place: Array
    velocity: Array
    spin: Array
    angular: Array  # momentum per length about the own centre


_KNOWN: dict[tuple[bytes, ...], Body] = {}


def body(data: dict[str, Array], moving: Array | None = None) -> Body:
    """As placed by `placed`; each motion of the head once."""
    key = (
        *(data[name].tobytes() for name in ("time", "base_position", "base_orientation")),
        b"" if moving is None else b"some",
    )
    if key not in _KNOWN:
        _KNOWN[key] = placed(data["time"], matrix(data["base_orientation"]), data["base_position"], moving)
    return _KNOWN[key]


def placed(time: Array, R: Array, p: Array, moving: Array | None) -> Body:
    """Head to tail by Runge and Kutta's rule: R' = R K^, p' = R Γ; then rates by differences in time."""
    h = X[1] - X[0]

    def slope(R: Array, x: float) -> tuple[Array, Array]:
        xi = strains(time, np.array([x]), moving)[0][:, 0]
        return np.cross(R, xi[:, None, 3:]), turned(R, xi[:, :3])  # rows of R times [K]: r [K] = r x K

    turns, places = [R], [p]
    for x in X[:-1]:
        a, b = slope(R, x)
        c, d = slope(R + 0.5 * h * a, x + 0.5 * h)
        e, f = slope(R + 0.5 * h * c, x + 0.5 * h)
        g, k = slope(R + h * e, x + h)
        R, p = R + h / 6.0 * (a + 2 * c + 2 * e + g), p + h / 6.0 * (b + 2 * d + 2 * f + k)
        turns.append(R)
        places.append(p)
    R, place = np.stack(turns, axis=1), np.stack(places, axis=1)
    w = spin(R, rate(time, R))
    return Body(R, place, rate(time, place), w, turned(R, TURNING * back(R, w)))


def needs(data: dict[str, Array], about: Array, first: int = 0, moving: Array | None = None) -> tuple[Array, Array]:
    """Force and moment about `about` (records, 3) that the body from node `first` on needs beside its weight."""
    b = body(data, moving)
    push = MASS * (rate(data["time"], b.velocity) - GRAVITY)
    turn = rate(data["time"], b.angular) + np.cross(b.place - about[:, None], push)
    weight = SIMPSON.copy()
    if first:
        weight = np.zeros(FINE + 1)
        rest = FINE - first  # an even number of cells: middles are even nodes
        weight[first:] = LENGTH / FINE / 3.0 * np.array([1.0, *([4.0, 2.0] * (rest // 2 - 1)), 4.0, 1.0])
    return np.einsum("k,rki->ri", weight, push), np.einsum("k,rki->ri", weight, turn)


def passive(data: dict[str, Array]) -> Array:
    """What springs and dampers oppose (records, nodes, 6)."""
    strain, speed = strains(data["time"], X)
    return STIFFNESS * (strain - NATURAL) + DAMPING * speed


# Where things are


@witness(MODEL, "base_position", "base_orientation", "base_twist")
def twist_is_the_rate_of_the_pose(case: Case) -> None:
    data = case.of("free")
    R, time = matrix(data["base_orientation"]), data["time"]
    assert np.allclose(data["base_position"][0], (0.3, -0.2, 0.5)) and np.allclose(
        data["base_orientation"][0], (0.5, 0.5, -0.5, 0.5)
    )
    assert np.allclose(data["base_twist"][0], TWIST)
    case.same(back(R, rate(time, data["base_position"]))[INNER], data["base_twist"][INNER, :3])
    case.same(back(R, spin(R, rate(time, R)))[INNER], data["base_twist"][INNER, 3:])
    case.same(np.linalg.norm(data["base_orientation"], axis=1), np.ones(len(time)), 1e-9)


@witness(MODEL, "base_acceleration")
def acceleration_is_the_second_rate_of_the_position(case: Case) -> None:
    data = case.of("free")
    R, time = matrix(data["base_orientation"]), data["time"]
    case.same(data["base_acceleration"][INNER, :3], back(R, rate(time, rate(time, data["base_position"])))[INNER])
    case.same(data["base_acceleration"][INNER, 3:], back(R, rate(time, spin(R, rate(time, R))))[INNER])


@witness(MODEL, "strain", "strain_rate", "radius")
def strains_are_those_of_the_gait(case: Case) -> None:
    data = case.of("free")
    strain, speed = strains(data["time"], X[MIDDLES])
    case.same(data["strain"], strain, 1e-9)
    case.same(data["strain_rate"], speed, 1e-6)
    case.same(data["radius"] * np.sqrt(strain[..., :1]), np.broadcast_to([WIDE, HIGH], data["radius"].shape), 1e-6)


@witness(MODEL, "position", "orientation", "head_position")
def sections_are_where_the_strains_put_them(case: Case) -> None:
    data = case.of("free")
    b = body(data)
    case.same(data["position"], b.place[:, MIDDLES], 1e-6)
    case.same(matrix(data["orientation"]), b.R[:, MIDDLES], 1e-6)
    case.same(data["head_position"], data["base_position"], 1e-12)
    near = np.einsum("rki,rki->rk", data["orientation"][:, 1:], data["orientation"][:, :-1])
    assert (near > 0.9).all() and (
        np.einsum("ri,ri->r", data["orientation"][:, 0], data["base_orientation"]) > 0.9
    ).all()
    case.same(np.linalg.norm(data["orientation"], axis=-1), np.ones(data["orientation"].shape[:2]), 1e-9)


@witness(MODEL, "com_position", "com_velocity")
def centre_of_mass(case: Case) -> None:
    data = case.of("free")
    case.same(data["com_position"], np.einsum("k,rki->ri", SIMPSON, body(data).place) / LENGTH)
    case.same(data["com_velocity"][INNER], rate(data["time"], data["com_position"])[INNER])


# Forces


@witness(MODEL, "internal_wrench", "effort")
def the_wrench_inside_carries_what_lies_beyond(case: Case) -> None:
    data = case.of("free")
    b = body(data)
    for section in (0, 11, 30):
        node = MIDDLES[section]
        force, moment = needs(data, b.place[:, node], int(node))
        inside = -np.concatenate([back(b.R[:, node], force), back(b.R[:, node], moment)], axis=1)
        case.same(data["internal_wrench"][INNER, section, :3], inside[INNER, :3], 2e-3)
        case.same(data["internal_wrench"][INNER, section, 3:], inside[INNER, 3:], 2e-3)
        effort = passive(data)[:, node] - inside
        case.same(data["effort"][INNER, section, :3], effort[INNER, :3], 2e-3)
        case.same(data["effort"][INNER, section, 3:], effort[INNER, 3:], 2e-3)


@witness(MODEL, "tail_wrench")
def nothing_is_left_beyond_the_tail(case: Case) -> None:
    for run in ("free", "anchored", "supported"):
        left = case.of(run)["tail_wrench"]
        assert left.min() >= 0.0 and left.max() < 1e-6


@witness(MODEL, "fluid_force")
def weight_pulls_at_each_section(case: Case) -> None:
    data = case.of("free")
    R = body(data).R[:, MIDDLES]
    case.same(data["fluid_force"], back(R, np.broadcast_to(MASS * LENGTH / SECTIONS * GRAVITY, R.shape[:-1])))


@witness(MODEL, "base_reaction")
def what_keeps_a_rod_in_its_plane(case: Case) -> None:
    data = case.of("planar")
    force, moment = needs(data, data["base_position"], moving=PLANAR)
    R = matrix(data["base_orientation"])
    held = np.concatenate([back(R, force), back(R, moment)], axis=1)[:, 2:5]
    case.same(data["base_reaction"][INNER, 2:5], held[INNER])
    assert (
        np.abs(data["base_reaction"][:, [0, 1, 5]]).max() < 1e-9
        and np.abs(case.of("free")["base_reaction"]).max() < 1e-9
    )


# Energy and momentum


@witness(MODEL, "kinetic_energy")
def kinetic_energy(case: Case) -> None:
    data = case.of("free")
    b = body(data)
    density = 0.5 * MASS * (b.velocity**2).sum(axis=-1) + 0.5 * (b.spin * b.angular).sum(axis=-1)
    case.same(data["kinetic_energy"][INNER], (density @ SIMPSON)[INNER])


@witness(MODEL, "potential_energy")
def potential_energy(case: Case) -> None:
    data = case.of("free")
    spring = 0.5 * (STIFFNESS * (strains(data["time"], X)[0] - NATURAL) ** 2).sum(axis=-1)
    density = spring - MASS * body(data).place @ GRAVITY
    case.same(data["potential_energy"], density @ SIMPSON)


@witness(MODEL, "momentum", "impulse")
def momentum_and_the_impulse_of_the_weight(case: Case) -> None:
    data = case.of("free")
    b = body(data)
    linear, angular = MASS * b.velocity, b.angular + np.cross(b.place, MASS * b.velocity)
    case.same(data["momentum"][INNER, :3], np.einsum("k,rki->ri", SIMPSON, linear)[INNER])
    case.same(data["momentum"][INNER, 3:], np.einsum("k,rki->ri", SIMPSON, angular)[INNER])
    weight = MASS * LENGTH * GRAVITY
    centre = np.einsum("k,rki->ri", SIMPSON, b.place) / LENGTH
    case.same(
        data["impulse"],
        np.concatenate([data["time"][:, None] * weight, integral(data["time"], np.cross(centre, weight))], axis=1),
    )
    data, held = case.of("anchored"), slice(0, HANDOVER)  # at a handover the momentum jumps
    case.same(data["impulse"][held], (data["momentum"] - data["momentum"][0])[held], 5e-3)


@witness(MODEL, "actuator_power", "environment_power", "passive_power")
def powers(case: Case) -> None:
    data = case.of("free")
    along = (data["effort"] * data["strain_rate"]).sum(axis=-1)
    case.same(data["actuator_power"], along.sum(axis=1) * LENGTH / SECTIONS, 5e-3)
    case.same(
        data["environment_power"][INNER], ((MASS * rate(data["time"], body(data).place) @ GRAVITY) @ SIMPSON)[INNER]
    )
    case.same(data["passive_power"], -(passive(data) * strains(data["time"], X)[1]).sum(axis=-1) @ SIMPSON)


@witness(MODEL, "actuator_work", "environment_work", "passive_work")
def works_are_integrals_of_powers(case: Case) -> None:
    data = case.of("free")
    for name in ("actuator", "environment", "passive"):
        case.same(data[f"{name}_work"], integral(data["time"], data[f"{name}_power"]))


@witness(MODEL, "power_residual")
def power_residual_is_the_drift_of_energy(case: Case) -> None:
    data = case.of("free")
    work = data["actuator_work"] + data["environment_work"] + data["passive_work"]
    case.same(data["power_residual"][1:], (np.diff(data["kinetic_energy"]) - np.diff(work)) / STEP, 0.01)


# Contacts


def holding(data: dict[str, Array]) -> list[tuple[int, int, slice]]:
    """Of each foot: its number, its node, and the records in the midst of its time."""
    nodes = [round(x / LENGTH * FINE) for x in FEET]
    return [(0, nodes[0], slice(4, HANDOVER - 4)), (1, nodes[1], slice(HANDOVER + 4, -4))]


def swayed(time: Array) -> Array:
    """Twist of a held section (records, 6), along its axes."""
    return np.array(SWAY) * 2.0 * np.pi / PERIOD * np.cos(2.0 * np.pi / PERIOD * time)[:, None]


@witness(MODEL, "contact_force", "contact_couple", "support_wrench", "contact_wrench")
def the_foot_carries_the_body(case: Case) -> None:
    data = case.of("anchored")
    b, R = body(data), matrix(data["base_orientation"])
    for foot, node, there in holding(data):
        force, moment = needs(data, b.place[:, node])
        case.same(data["contact_force"][there, foot], force[there], 2e-3)
        case.same(data["contact_couple"][there, foot], moment[there], 2e-3)
        case.same(data["support_wrench"][there, foot, :3], back(b.R[:, node], force)[there], 2e-3)
        case.same(data["support_wrench"][there, foot, 3:], back(b.R[:, node], moment)[there], 2e-3)
        assert not any(
            data[name][there, 1 - foot].any() for name in ("contact_force", "contact_couple", "support_wrench")
        )
        force, moment = needs(data, data["base_position"])
        whole = np.concatenate([back(R, force), back(R, moment)], axis=1)
        case.same(data["contact_wrench"][there, :3], whole[there, :3], 2e-3)
        case.same(data["contact_wrench"][there, 3:], whole[there, 3:], 2e-3)


@witness(MODEL, "contact_position", "contact_state", "support_abscissa")
def feet_are_where_they_hold(case: Case) -> None:
    data = case.of("anchored")
    b = body(data)
    for foot, node, there in holding(data):
        case.same(data["contact_position"][there, foot], b.place[there, node], 1e-5)
        case.same(data["contact_state"][there], np.broadcast_to(np.eye(2)[foot], data["contact_state"][there].shape))
        case.same(data["support_abscissa"][there, foot], np.full(len(b.place[there]), FEET[foot]), 1e-9)
        assert (
            not data["contact_position"][there, 1 - foot].any() and not data["support_abscissa"][there, 1 - foot].any()
        )


@witness(MODEL, "contact_residual")
def feet_do_not_slip(case: Case) -> None:
    """They move as their sway says: by its integral, from where they took hold."""
    data = case.of("anchored")
    b = body(data)
    for _, node, there in holding(data):
        case.same(back(b.R[there, node], b.velocity[there, node]), swayed(data["time"])[there, :3], 2e-3)
    assert data["contact_residual"].min() >= 0.0 and data["contact_residual"].max() < 1e-6


@witness(MODEL, "contact_speed")
def the_speed_that_slip_is_compared_with(case: Case) -> None:
    """The fastest of the head and of the sections at which there are contacts."""
    data = case.of("anchored")
    b = body(data)
    nodes = [0, *(node for _, node, _ in holding(data))]
    fastest = np.linalg.norm(b.velocity[:, nodes], axis=-1).max(axis=1)
    for _, _, there in holding(data):
        case.same(data["contact_speed"][there], fastest[there], 2e-3)


@witness(MODEL, "contact_singular_values", "contact_conditioning")
def supports_and_their_map_to_the_resultant(case: Case) -> None:
    """The map from lateral forces to the resultant in the plane, from recorded poses; a length of
    1 m makes moments forces.
    """
    data = case.of("supported")
    k = [int(np.abs(data["abscissa"] - x).argmin()) for x in PLACES]
    R = matrix(data["base_orientation"][-1])
    side = matrix(data["orientation"][-1, k])[:, :, 1] @ R
    arm = (data["position"][-1, k] - data["base_position"][-1]) @ R
    A = np.array([side[:, 0], side[:, 1], np.cross(arm, side)[:, 2]]) * np.sqrt(WEIGHT)
    singular = np.linalg.svd(A, compute_uv=False)
    case.same(data["contact_singular_values"][-1], singular, 1e-4)
    case.same(data["contact_conditioning"][-1:], singular[-1:] / singular[0], 1e-4)
