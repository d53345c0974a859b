"""Where a motion can be steady: a medium that is the same everywhere; and by which way it is found."""

from __future__ import annotations

from typing import Any

from limbless.core.errors import InputError
from limbless.robots.chain_arrays import SPHERICAL
from limbless.scenarios.scenario import Scenario
from limbless.search.steady_motion.period_map import has_free_joints
from limbless.search.studies.soft_gradients import has_slopes

_SETTLING = ("contact", "friction", "constraint", "clamp")
_PLACES = {
    "boxes": "obstacles stand in one place",
    "pegs": "obstacles stand in one place",
    "objects": "free objects lie in one place until they are met",
    "terrain": "the ground differs from place to place",
}

_ONCE = {
    "stop": "the wave ends there",
    "turn": "the turn passes along the body once",
    "climb": "the turn passes along the body once",
}


def refuse_medium(scenario: Scenario) -> str:
    """`duals`, `differences` or `settled`: how the steady motion of a scenario is found. Refused where pose or time
    matter beside the gait.
    """
    if scenario.task is not None:
        raise InputError("statics has no time, and so no steady motion")
    robot: Any = scenario.robot.build()
    if getattr(robot, "base", "") in ("fixed", "pinned"):
        raise InputError(f"robot.base: a {robot.base} base goes nowhere; steady motion needs one that moves")
    if not scenario.gait.cycle:
        raise InputError(f"gait {scenario.gait.kind!r} has no period: steady motion is what repeats with the gait")
    for field, once in _ONCE.items():
        if getattr(scenario.gait, field, None) and scenario.gait.kind in ("serpenoid", "travelling-curvature"):
            raise InputError(f"gait.{field}: {once}, so that the motion does not repeat itself; leave it out")
    settling = scenario.model.kind in ("non-smooth", "geometric") or any(
        item.role in _SETTLING for item in scenario.environment
    )
    planar = getattr(robot, "base", "") == "planar"
    for item in scenario.environment:
        why = _why_not(item, settling or planar)
        if why:
            raise InputError(
                f"environment.{item.kind}: {why}, so that no motion repeats itself; steady motion needs a "
                "medium that is the same everywhere: leave it out, or run long enough and take the last "
                "period"
            )
    if settling:
        return "settled"
    if scenario.model.kind == "soft":
        return "duals" if has_slopes(scenario) else "settled"
    explicit = getattr(scenario.model, "integrator", "rk4") == "rk4"  # derivatives go through no other steps
    exact = (
        scenario.model.kind == "newton-euler"
        and explicit
        and not _has_spherical(robot)
        and not any(getattr(item, "slot", None) is not None for item in scenario.environment)
    )
    if scenario.model.kind == "newton-euler" and not exact and has_free_joints(scenario):
        return "settled"  # differences know the twist alone
    return "duals" if exact else "differences"


def kinks_of(scenario: Scenario) -> str:
    """What a motion has that is `settled`."""
    if scenario.model.kind == "soft":
        return "kinks (tendons that stretch or rub), or a law of a user's own"
    return (
        "joints that forces move, in steps without derivatives"
        if scenario.model.kind == "newton-euler" and not any(item.role in _SETTLING for item in scenario.environment)
        else "kinks and jumps of contacts"
    )


def _why_not(item: Any, level: bool) -> str | None:
    """Why pose or time matter in an environment; `level`: the robot keeps to a plane, or ground bears it."""
    if item.active is not None:
        return "it acts in time windows (`active`)"
    if any(getattr(item, "current", None) or ()):
        return "a `current` has a direction in the world"
    if item.kind == "water" and (item.surface is not None or item.flow):
        return "a surface or a `flow` of the water has a place and a direction in the world"
    if item.kind == "water" and item.lifts and not level:
        return "what lifts has a direction in the world"
    if item.kind in _PLACES:
        return _PLACES[item.kind]
    if item.kind == "pipe" and len(item.axis) > 2:
        return "its elbows are in one place"
    if item.kind == "point-wrench":
        return "it pushes with a direction of its own"
    if item.kind == "buoyancy" and (item.surface is not None or not level):
        return "a surface, or what lifts, has a direction in the world"
    if item.kind == "gravity" and not level:
        return "gravity has a direction in the world, and a free base may pitch"
    if item.kind == "force-law":
        return "a user's law may depend on place and time"
    return None


def _has_spherical(chain: Any) -> bool:
    return bool((chain.arrays().joint_kind == SPHERICAL).any())
