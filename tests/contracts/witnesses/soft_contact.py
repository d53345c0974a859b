"""What the soft model records of contacts: a rod that falls on the ground, and slides over it while it turns."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import limbless as ll
from limbless.models.soft import SoftSettings
from tests.contracts.witnesses import Array, Case, back, matrix, witness

FRICTION, SPHERE, LONG, PER_LENGTH = 0.3, 0.01, 0.3, 0.3
STEP = 2e-4


@cache
def landed(**careless: float) -> Any:
    """Every step is recorded; θ = 1: what the step rule takes is as large as it can be. Settings that do not take care
    leave more of the laws."""
    rod = ll.Rod(
        length=LONG,
        half_width=SPHERE,
        density=PER_LENGTH / (np.pi * SPHERE**2),
        strains="universal",
        stiffness=0.05,
        damping_time=5e-3,
        passive={},
    )
    return ll.simulate(
        rod,
        ll.Still(),
        (ll.Ground(forward=FRICTION, lateral=FRICTION, rolling=0.0), ll.Gravity()),
        model=SoftSettings(cells=2, theta=1.0, **careless),
        step=STEP,
        duration=150 * STEP,
        record_every=STEP,
        initial={"position": (0.1, -0.2, SPHERE + 2e-4), "twist": (0.3, 0.1, -0.05, 0.0, 0.0, 1.0)},
    ).dataset


@cache
def crawling() -> Any:
    """Muscles bend a rod that lies on the ground. θ = 1: efforts and rates of a stage are those of the record."""
    rod = ll.Rod(
        length=LONG,
        half_width=SPHERE,
        strains="planar",
        stiffness=0.005,
        damping_time=1e-3,
        passive={},
    )
    return ll.simulate(
        rod,
        ll.MuscleWave(couple=2e-3, ramp=0.03, period=0.1),
        (ll.Ground(forward=FRICTION, lateral=FRICTION), ll.Gravity()),
        model=SoftSettings(cells=4, theta=1.0, tolerance=1e-9),
        step=5e-4,
        duration=0.1,
        record_every=5e-4,
        initial={"position": (0.0, 0.0, SPHERE)},
    ).dataset


def spheres(data: dict[str, Array]) -> Array:
    """Centres of all spheres where their gaps were measured: for θ = 1 at the start of the step that ended."""
    base, tip = data["base_position"][:, None], data["tip_position"][:, None]
    return np.concatenate([base, data["position"], tip], axis=1)[:-1]


@witness("soft", "contact_gap")
def the_gap_is_the_height_of_the_sphere(case: Case) -> None:
    data = case.of("landed")
    case.same(data["contact_gap"][1:], spheres(data)[..., 2] - SPHERE, 1e-6)


@witness("soft", "contact_depth")
def the_depth_is_the_worst_overlap_of_any_sphere(case: Case) -> None:
    data = case.of("landed")
    case.same(data["contact_depth"][1:], np.maximum(-data["contact_gap"][1:], 0.0).max(axis=1) / SPHERE, 1e-6)


@witness("soft", "contact_position")
def contacts_lie_under_their_spheres(case: Case) -> None:
    data = case.of("landed")
    there = np.linalg.norm(data["contact_force"][1:], axis=-1) > 0.0
    case.same(data["contact_position"][1:][there], (spheres(data) + np.array([0.0, 0.0, -SPHERE]))[there], 3e-3)
    assert not data["contact_position"][1:][~there].any() and there.any(axis=0).sum() >= 2


@witness("soft", "contact_force")
def contacts_change_the_momentum(case: Case) -> None:
    """Step by step: their impulse and that of the weight; they push up, and rub no harder than they may."""
    data = case.of("landed")
    weight = LONG * PER_LENGTH * np.array([0.0, 0.0, -9.81])
    change = np.diff(data["momentum"][:, :3], axis=0) / STEP
    case.same(data["contact_force"][1:].sum(axis=1), change - weight, 5e-3)
    force = data["contact_force"]
    assert (force[..., 2] >= 0.0).all()
    assert (np.hypot(force[..., 0], force[..., 1]) <= FRICTION * force[..., 2] + 1e-6).all()


@witness("soft", "contact_state")
def contacts_are_open_stick_or_slip(case: Case) -> None:
    data = case.of("landed")
    force = data["contact_force"]
    rub, load = np.hypot(force[..., 0], force[..., 1]), force[..., 2]
    case.same(
        data["contact_state"], np.where(load == 0.0, 0.0, np.where(rub > (1.0 - 1e-4) * FRICTION * load, 2.0, 1.0))
    )


@witness("soft", "contact_wrench")
def the_resultant_of_all_contacts(case: Case) -> None:
    data = case.of("landed")
    R, force = matrix(data["base_orientation"]), data["contact_force"]
    moment = np.cross(data["contact_position"] - data["base_position"][:, None], force).sum(axis=1)
    whole = np.concatenate([back(R, force.sum(axis=1)), back(R, moment)], axis=1)
    case.same(data["contact_wrench"][1:, :3], whole[1:, :3], 2e-3)
    case.same(data["contact_wrench"][1:, 3:], whole[1:, 3:], 0.01)


@witness("soft", "contact_residual")
def the_contact_laws_are_kept(case: Case) -> None:
    data = case.of("landed")
    assert data["contact_residual"].min() >= 0.0 and data["contact_residual"].max() < 1e-7
    assert case.of("careless")["contact_residual"].max() > 1e-7


@witness("soft", "contact_work")
def contacts_and_weight_are_all_that_works_from_outside(case: Case) -> None:
    data = case.of("landed")
    case.same(data["contact_work"].sum(axis=1), data["environment_work"] - data["law_work"].sum(axis=1), 1e-6)


@witness("soft", "numerical_work")
def the_step_rule_takes_what_is_left(case: Case) -> None:
    """Of the change of kinetic energy: most of it where the rod lands, (θ - 1/2) Σ Δu B Δu."""
    data = case.of("landed")
    others = sum(data[f"{name}_work"] for name in ("actuator", "environment", "passive"))
    case.same(data["numerical_work"], data["kinetic_energy"] - data["kinetic_energy"][:1] - others, 5e-3)
    assert data["numerical_work"][-1] < -1e-5


@witness("soft", "lasting_torque")
def torques_that_last_are_those_of_the_records(case: Case) -> None:
    """Of steps that end in the same hundredth of a second the smallest, of all whole hundredths the largest."""
    data = case.of("crawling")
    number, size = np.floor(data["time"][1:] / 0.01 + 1e-6), np.abs(data["joint_torque"][1:])
    least = [size[number == one].min(axis=0) for one in np.unique(number)[1:-1]]
    case.same(data["lasting_torque"], np.max(least, axis=0), 1e-9)
