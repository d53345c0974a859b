"""What chains record of clamps, and of wheels with dry friction."""

from __future__ import annotations

import numpy as np

from tests.contracts.witnesses import Array, Case, back, matrix, witness
from tests.contracts.witnesses.chain import CLOSES, GRAVITY, MASS, STEP, beyond, bodies

LEVEL = {"position": (0.3, -0.2, 0.0), "twist": (0.4, -0.3, 0.0, 0.0, 0.0, 0.8)}
FINE = STEP / 4  # s, of the wheels
ALONG, ACROSS = 0.3, 0.6  # friction of the wheels


AFTER = slice(14, -4)  # records at which the clamp is closed and rates are known


def before_the_clamp(data: dict[str, Array], name: str) -> Array:
    """A variable at the instant at which the clamp closes, carried on from the records before:
    a polynomial of degree 4.
    """
    values = data[name].reshape(len(data["time"]), -1)
    last = round(CLOSES / STEP)
    powers = np.polyfit(data["time"][last - 6 : last] - CLOSES, values[last - 6 : last], 4)
    return powers[-1].reshape(data[name].shape[1:])


@witness("newton-euler", "clamp_wrench")
def the_clamp_carries_what_all_links_need(case: Case) -> None:
    data = case.of("clamped")
    force, moment = beyond(data, 0, bodies(data).origin[:, 2])
    case.same(data["clamp_wrench"][AFTER], np.concatenate([force, moment], axis=1)[AFTER])
    assert not data["clamp_wrench"][data["time"] < CLOSES - 1e-9].any()
    assert np.abs(data["base_reaction"]).max() < 1e-6


@witness("newton-euler", "clamp_impulse")
def the_clamp_changes_the_momentum_at_once(case: Case) -> None:
    data, last = case.of("clamped"), round(CLOSES / STEP)
    jump = data["momentum"][last] - before_the_clamp(data, "momentum")
    case.same(data["clamp_impulse"][last:], np.broadcast_to(jump, data["clamp_impulse"][last:].shape), 1e-4)
    assert not data["clamp_impulse"][:last].any()


@witness("newton-euler", "clamp_energy")
def the_clamp_takes_kinetic_energy_at_once(case: Case) -> None:
    data, last = case.of("clamped"), round(CLOSES / STEP)
    lost = before_the_clamp(data, "kinetic_energy") - data["kinetic_energy"][last]
    case.same(data["clamp_energy"][last:], np.full(len(data["time"]) - last, lost), 1e-4)
    assert not data["clamp_energy"][:last].any()


def rolled(data: dict[str, Array]) -> tuple[Array, Array, Array]:
    """Along and across every wheel: mean velocity and force in each step; and the bounds of the forces."""
    frames = matrix(data["orientation"][1:] + data["orientation"][:-1])  # at the middles of the steps
    speed = back(frames, np.diff(data["position"], axis=0) / FINE)[..., :2]
    force = back(frames, data["contact_force"][1:])[..., :2]
    return speed, force, (MASS * -GRAVITY[2])[:, None] * [ALONG, ACROSS]


@witness("non-smooth", "contact_held")
def wheels_are_held_where_friction_is_not_used_up(case: Case) -> None:
    """Where a wheel slides its friction is μ N against the motion; elsewhere less, and it is held."""
    data = case.of("wheels")
    speed, force, bound = rolled(data)
    fast = np.abs(speed) > 0.02
    case.same(force[fast], (-np.sign(speed) * bound)[fast], 2e-3)
    used, found = np.abs(force) / bound, data["contact_held"][1:]
    certain = (np.abs(used - 0.99) > 0.005).all(axis=-1)
    case.same(found[certain], (used < 0.99).sum(axis=-1)[certain])
    case.same(data["contact_state"][1:][certain], np.where((used < 0.99).all(axis=-1), 1.0, 2.0)[certain])
