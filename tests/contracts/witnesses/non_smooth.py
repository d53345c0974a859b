"""What the non-smooth model records of contacts: three links that slide over the ground, and fall on it."""

from __future__ import annotations

from functools import cache

import numpy as np

import limbless as ll
from limbless.models.nonsmooth import NonSmoothSettings
from tests.contracts.witnesses import Array, Case, back, case_of, matrix, turned, witness
from tests.contracts.witnesses.chain import GRAVITY, LENGTH, MASS, MOTORS, PULLS, SPHERE, STEP, bodies, chain, moved
from tests.contracts.witnesses.objects import landing
from tests.contracts.witnesses.switching import ACROSS, ALONG, LEVEL

FRICTION = 0.3
FINE = STEP / 40  # s: forces are means over the step that ended
DOWN = np.array([0.0, 0.0, -SPHERE])


def flat(t: Array, s: Array) -> Array:
    """The yaw joint swings; the pitch joint keeps still, so that all links stay near the ground."""
    return np.stack([0.5 * np.sin(6.0 * t), 0.0 * t], axis=1)


@case_of("non-smooth")
@cache
def non_smooth() -> Case:
    ground = ll.Ground(forward=FRICTION, lateral=FRICTION, rolling=0.0)
    over = {"position": (0.1, -0.2, SPHERE + 1e-4), "twist": (0.2, 0.1, 0.0, 0.0, 0.0, 0.5)}
    gait = ll.FunctionGait(function=flat, drives="joint")
    return Case(
        {
            "free": lambda: moved("non-smooth", chain(), PULLS, step=FINE),
            "sliding": lambda: moved("non-smooth", chain(), (ground, ll.Gravity()), initial=over, gait=gait),
            "resting": lambda: moved(
                "non-smooth",
                chain(),
                (ground, ll.Gravity()),
                initial={"position": over["position"]},
                gait=ll.FunctionGait(function=lambda t, s: np.zeros((len(t), 2)), drives="joint"),
            ),
            "landing": landing,
            "driven": lambda: moved("non-smooth", chain(), PULLS, step=FINE, actuation=MOTORS),
            "wheels": lambda: moved(
                "newton-euler",
                chain("planar"),
                ll.Wheels(tangential=ALONG, normal=ACROSS),
                step=STEP / 4,
                every=STEP / 4,
                records=161,
                initial=LEVEL,
            ),
            "careless": lambda: moved(
                NonSmoothSettings(tolerance=1e-3), chain(), (ground, ll.Gravity()), initial=over, gait=gait
            ),
        },
        5e-3,
    )


def spheres(data: dict[str, Array], middle: bool = True) -> Array:
    """Centres of all spheres in the order of the contacts, at the middle of the step that ended at each record but the
    first; or at each record.
    """
    b = bodies(data)
    # (links, 2, 3)
    local = np.stack([np.stack([x * LENGTH, 0.0 * LENGTH, 0.0 * LENGTH], axis=1) for x in (0.2, 0.8)], axis=1)
    place = b.origin[:, :, None] + turned(b.R[:, :, None], np.broadcast_to(local, (len(b.R), *local.shape)))
    ended = place.reshape(len(place), 6, 3)
    return 0.5 * (ended[1:] + ended[:-1]) if middle else ended


def closed(data: dict[str, Array]) -> Array:
    """Which contacts push, (records - 1, contacts)."""
    return np.linalg.norm(data["contact_force"][1:], axis=-1) > 0.0


@witness("non-smooth", "contact_gap")
def the_gap_is_the_height_of_the_sphere(case: Case) -> None:
    data = case.of("sliding")
    case.same(data["contact_gap"][1:], spheres(data)[..., 2] - SPHERE, 0.01)
    assert data["contact_gap"].max() > 1e-3


@witness("non-smooth", "contact_depth")
def the_depth_is_the_worst_overlap_of_any_sphere(case: Case) -> None:
    """As a share of its radius, where every step is recorded; the gaps have a witness of their own."""
    data = case.of("sliding")
    case.same(data["contact_depth"][1:], np.maximum(-data["contact_gap"][1:], 0.0).max(axis=1) / SPHERE, 1e-6)


@witness("non-smooth", "contact_position")
def contacts_lie_under_their_spheres(case: Case) -> None:
    data = case.of("sliding")
    there = closed(data)
    case.same(data["contact_position"][1:][there], (spheres(data) + DOWN)[there], 3e-3)
    assert not data["contact_position"][1:][~there].any() and there.any(axis=0).sum() >= 2
    data = case.of("wheels")  # under the middle of their modules
    case.same(data["contact_position"][1:], data["position"][1:], 3e-3)


@witness("non-smooth", "contact_force")
def contacts_change_the_momentum(case: Case) -> None:
    """Step by step: their impulse and that of the weight; they push up, and rub no harder than they may."""
    data = case.of("sliding")
    change, weight = np.diff(data["momentum"][:, :3], axis=0) / STEP, MASS.sum() * GRAVITY
    case.same(data["contact_force"][1:].sum(axis=1), change - weight, 5e-3)
    force = data["contact_force"]
    assert (force[..., 2] >= 0.0).all()
    assert (np.hypot(force[..., 0], force[..., 1]) <= FRICTION * force[..., 2] + 1e-6).all()


@witness("non-smooth", "contact_state")
def contacts_are_open_stick_or_slip(case: Case) -> None:
    data = case.of("sliding")
    force = data["contact_force"]
    rub, load = np.hypot(force[..., 0], force[..., 1]), force[..., 2]
    case.same(
        data["contact_state"], np.where(load == 0.0, 0.0, np.where(rub > (1.0 - 1e-4) * FRICTION * load, 2.0, 1.0))
    )
    resting = case.of("resting")
    assert (resting["contact_state"][-1] == (np.linalg.norm(resting["contact_force"][-1], axis=-1) > 0.0)).all()


@witness("non-smooth", "contact_wrench")
def the_resultant_of_all_contacts(case: Case) -> None:
    data = case.of("sliding")
    R, force = matrix(data["base_orientation"]), data["contact_force"]
    moment = np.cross(data["contact_position"] - data["base_position"][:, None], force).sum(axis=1)
    whole = np.concatenate([back(R, force.sum(axis=1)), back(R, moment)], axis=1)
    case.same(data["contact_wrench"][1:, :3], whole[1:, :3])
    case.same(data["contact_wrench"][1:, 3:], whole[1:, 3:], 0.01)


@witness("non-smooth", "contact_residual")
def the_contact_laws_are_kept(case: Case) -> None:
    """No more than the solver's bound, where the forces obey the laws (`contacts_change_the_momentum`, and for whole
    runs the golden test `test_snake_residual`); more where the solver is told to be content with less.
    """
    data = case.of("sliding")
    assert data["contact_residual"].min() >= 0.0 and data["contact_residual"].max() < 1e-7
    assert case.of("careless")["contact_residual"].max() > 1e-7
