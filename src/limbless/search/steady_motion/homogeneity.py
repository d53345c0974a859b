"""Where a motion can be steady: a medium that is the same everywhere; and by which way it is found."""

from __future__ import annotations

from typing import Any

from limbless.core import InputError
from limbless.robots.chain_arrays import SPHERICAL
from limbless.scenarios.scenario import Scenario
from limbless.search.steady_motion.chain_period_map import has_free_joints
from limbless.search.steady_motion.period_map import period_of
from limbless.search.studies.soft_gradients import has_slopes

_SETTLING = ("contact", "friction", "constraint", "clamp")


def refuse_medium(scenario: Scenario) -> str:
    """`duals`, `differences` or `settled`: how the steady motion of a scenario is found. Refused where pose or time
    matter beside the gait.
    """
    if scenario.task is not None:
        raise InputError("statics has no time, and so no steady motion")
    robot: Any = scenario.robot.build()
    if robot.base in ("fixed", "pinned"):
        raise InputError(f"robot.base: a {robot.base} base goes nowhere; steady motion needs one that moves")
    if scenario.controller is not None and scenario.gait.cycle:
        raise InputError(
            f"controller: its rhythm is its own, and gait {scenario.gait.kind!r} has another; leave out one of the two"
        )
    if getattr(scenario.actuation, "refresh", None) is not None:
        raise InputError("actuation.refresh: a reference that is held has steps of its own; leave it out")
    if scenario.controller is None:
        period_of(scenario.gait)
    if passing := scenario.gait.passing():
        field, once = passing
        raise InputError(f"gait.{field}: {once}, so that the motion does not repeat itself; leave it out")
    settling = scenario.model.kind in ("non-smooth", "geometric") or any(
        item.role in _SETTLING for item in scenario.environment
    )
    for item in scenario.environment:
        why = (
            "it acts in time windows (`active`)"
            if item.active is not None
            else item.varies(settling or robot.base == "planar")
        )
        if why:
            raise InputError(
                f"environment.{item.kind}: {why}, so that no motion repeats itself; steady motion needs a "
                "medium that is the same everywhere: leave it out, or run long enough and take the last "
                "period"
            )
    if scenario.controller is not None:
        explicit = scenario.model.kind == "newton-euler" and getattr(scenario.model, "integrator", "") == "rk4"
        if settling or not explicit or [loop.kind for loop in scenario.loops] != ["oscillators"]:
            raise InputError(
                "controller: the period of its own rhythm is found for oscillators of chains in smooth motion "
                "(newton-euler, rk4); run it until it has settled, and ask for the measures `frequency` and "
                "`locking_time`"
            )
        return "rhythm"
    if settling:
        return "settled"
    if scenario.model.kind == "soft":
        return "duals" if has_slopes(scenario) else "settled"
    explicit = getattr(scenario.model, "integrator", "rk4") == "rk4"  # derivatives go through no other steps
    exact = (
        scenario.model.kind == "newton-euler"
        and explicit
        and (getattr(scenario.model, "inertia", True) or not has_free_joints(scenario))
        and not (robot.arrays().joint_kind == SPHERICAL).any()
        and not any(item.slot is not None for item in scenario.environment)
    )
    if scenario.model.kind == "newton-euler" and not exact and has_free_joints(scenario):
        return "settled"  # differences know the twist alone
    return "duals" if exact else "differences"


def kinks_of(scenario: Scenario) -> str:
    """What a motion has that is `settled`."""
    if scenario.model.kind == "soft" and not any(item.role in _SETTLING for item in scenario.environment):
        return "kinks (tendons that stretch or rub), or a law of a user's own"
    return (
        "joints that forces move, in steps without derivatives"
        if scenario.model.kind == "newton-euler" and not any(item.role in _SETTLING for item in scenario.environment)
        else "kinks and jumps of contacts"
    )
