"""Whether the parts of a scenario go together: which model takes which robot, environment, actuation
and gait; steps and records.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from limbless.core import InputError, Refusal, registry
from limbless.scenarios.one_animal import seen_by

TIMES = ("duration", "step", "record_every", "control_period")
"""Fields of a scenario that speak of time, and have no meaning for a task."""
_WHOLE = 1e-9
"""How far from a whole number of steps (relative) a record interval may be: more than
rounding, less than any intention.
"""
_ASIDE = 1e-6
"""Of its length: as near does the lift of a link act to the centre of its volume."""


def disagreements(parts: Mapping[str, Any]) -> list[Refusal]:
    """Everything about these parts that does not go together; parts that are absent (they may be wrong themselves) are
    passed over.

    Parameters
    ----------
    parts : field of the scenario -> its checked value; `environment` maps the place in the list to the environment.
    """
    return [
        *_pairs(parts),
        *_beside(parts),
        *_drive(parts),
        *_loop(parts),
        *(_task(parts) if parts.get("task") is not None else _times(parts)),
    ]


def _pairs(parts: Mapping[str, Any]) -> Iterator[Refusal]:
    model = parts.get("model")
    if model is None:
        return
    if "task" in parts and (parts["task"] is None) == bool(model.tasks):
        told = (
            f"has no time: give a `task`: {', '.join(model.tasks)}"
            if model.tasks
            else "moves through time: leave it out"
        )
        yield Refusal(("task",), f"model {model.kind!r} {told}")
    if (robot := parts.get("robot")) is not None and not _seen(model, robot):
        yield from _pair(model, ("robot",), "robots of kind", "takes_robots", robot.kind, repr(robot.kind))
    if (actuation := parts.get("actuation")) is not None:
        yield from _pair(
            model, ("actuation",), "actuations of kind", "takes_actuations", actuation.kind, repr(actuation.kind)
        )
    if (gait := parts.get("gait")) is not None:
        drives = getattr(gait, "drives", "an unknown thing (its class needs `drives`)")
        yield from _pair(model, ("gait",), "gaits that drive", "takes_drives", drives, f"{drives} ({gait.kind!r})")
    if (posture := getattr(parts.get("initial"), "posture", None)) is not None:
        yield from _pair(model, ("initial", "posture"), "postures", "takes_postures", posture.kind, repr(posture.kind))
    for index, item in parts.get("environment", {}).items():
        role = next((role for role in (item.role, *item.also) if role in model.takes_roles), item.role)
        yield from _pair(
            model, ("environment", index), "environments of role", "takes_roles", role, f"{item.role} ({item.kind!r})"
        )


def _seen(model: Any, robot: Any) -> bool:
    """Whether a model sees a robot of another kind as one that it takes."""
    try:
        return seen_by(model, robot) is not None
    except InputError:  # said where the scenario is seen so
        return True


def _beside(parts: Mapping[str, Any]) -> Iterator[Refusal]:
    """What environments take from each other, and what they ask of the robot's base."""
    environment, robot = parts.get("environment", {}), parts.get("robot")
    for index, item in environment.items():
        try:
            item.among(tuple(environment.values()))
        except InputError as error:
            yield Refusal(("environment", index), str(error))
    given = any(item.kind == "wheels" and item.load != "solved" for item in environment.values())
    if robot is not None and given and robot.build().base == "free":
        yield Refusal(
            ("robot", "base"),
            "wheels rub under loads that are given, and hold nothing up: a free base would fall through the "
            "ground; choose 'planar' or 'fixed', wheels with `load: solved`, or spheres on a `ground`, which "
            "bear the robot",
            "free",
        )


def remarks(parts: Mapping[str, Any]) -> Iterator[str]:
    """What should be known of parts that go together, as notes: gravity that one environment has and another has not,
    friction that is said twice.
    """
    environment = parts.get("environment", ())
    fields = [item.pull for item in environment if item.pull is not None]
    size = math.hypot(*map(sum, zip(*fields, strict=True))) if fields else 0.0
    for item in environment:
        if item.kind == "buoyancy" and not fields:
            yield "environment.buoyancy: no `gravity` is listed: the robot is lifted and weighs nothing"
        if item.kind == "wheels" and item.load == "solved" and not fields:
            yield "environment.wheels: loads are solved for, and no `gravity` is listed: nothing presses on the wheels"
        given = isinstance(getattr(item, "gravity", None), float) and getattr(item, "load", "") != "solved"
        if given and fields and abs(item.gravity - size) > 1e-9 * size:
            yield (
                f"environment.{item.kind}.gravity: {item.gravity:g} m/s2 presses on the ground, while `gravity` has "
                f"{size:g} m/s2"
            )
        if (
            item.kind == "water"
            and item.model == "lighthill"
            and item.wake is None
            and parts["robot"].build().stretches
        ):
            yield (
                "environment.water.wake: this body stretches or shears, which Lighthill's wake is not for: it is "
                "left out"
            )
        if item.kind == "regularised-friction" and fields and parts["robot"].build().base == "free":
            yield (
                "environment.regularised-friction: it holds nothing up, and robot.base is 'free': under `gravity` "
                "the robot falls while the ground rubs; choose base 'planar'"
            )
        yield from _skin(parts["robot"], item)
    if any(item.lifts_slices for item in environment) and parts["robot"].kind == "chain":
        yield from _lift(parts["robot"].build())


def _lift(robot: Any) -> Iterator[str]:
    """Links that a surface lifts elsewhere than deep water does: along their body, which it can cut."""
    bodies, pieces = robot.bodies(), robot.segments()
    aside = {}
    for row in sorted({piece.body for piece in pieces if bodies.volume[piece.body] > 0.0}):
        own = [piece for piece in pieces if piece.body == row]
        whole = [piece.half_width * piece.half_height * piece.length for piece in own]
        middle = np.average(
            [piece.start + 0.5 * piece.length * piece.frame[:, 0] for piece in own], axis=0, weights=whole
        )
        away = float(np.linalg.norm(bodies.volume_moment[row] / bodies.volume[row] - middle))
        if away > _ASIDE * sum(piece.length for piece in own):
            aside[robot.link_names[robot.rows[row].link]] = away
    if aside:
        yield (
            f"robot.links: {', '.join(map(repr, aside))}: under a `surface`, or by water.gravity, the lift acts "
            f"along their `body`, up to {1e3 * max(aside.values()):.2g} mm from the centre of their volume, where "
            "`buoyancy` has it in deep water"
        )


def _skin(robot: Any, item: Any) -> Iterator[str]:
    """Friction of a robot's skin that an environment takes the place of. A preset's own
    skin is there to be replaced.
    """
    stated = [name for name in ("forward", "lateral", "backward") if getattr(item, name, None) is not None]
    skin = getattr(robot, "skin", None) if stated and item.role == "contact" else None
    if skin is not None and robot.given("skin"):
        if "forward" in stated and "backward" not in stated and skin.backward is not None:
            stated.append("backward")
        yield (
            f"robot.skin: its {' and '.join(stated)} {'has' if len(stated) == 1 else 'have'} no effect where the "
            f"robot touches environment.{item.kind}, whose own coefficients act; leave out one of the two"
        )


def _pair(
    model: Any, path: tuple[str | int, ...], what: str, attribute: str, value: str, shown: str
) -> Iterator[Refusal]:
    taken = getattr(model, attribute)
    if value in taken:
        return
    others = [kind for kind, settings in registry.kinds("model").items() if value in getattr(settings, attribute)]
    try_this = f"models that take it: {', '.join(others)}" if others else "no model takes it yet"
    yield Refusal(path, f"model {model.kind!r} takes {what} {_either(taken)}, not {shown}; {try_this}")


def _either(words: Sequence[str]) -> str:
    """`a, b or c`."""
    return " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:]))) or "(none)"


def _drive(parts: Mapping[str, Any]) -> Iterator[Refusal]:
    """The gait speaks the language of the actuation, and imposed joints start where the gait has them."""
    actuation, gait, initial = (parts.get(name) for name in ("actuation", "gait", "initial"))
    if actuation is None:
        return
    kind = actuation.kind
    drives = getattr(gait, "drives", None)
    if drives is not None and actuation.takes_torques != (drives == "torque"):
        needs = "torque" if actuation.takes_torques else "shape or joint"
        yield Refusal(("actuation",), f"{kind!r} needs a gait that drives {needs}, not one that drives {drives}")
    if gait is not None and kind == "motion" and not getattr(gait, "is_smooth", True):
        told = f"{gait.between!r} has no velocities to impose; set actuation to pd or servo, or between to spline"
        yield Refusal(("gait", "between"), told)
    imposed = kind == "motion" and not getattr(parts.get("model"), "starts_bent", False)
    for name in ("joint_position", "joint_velocity") if initial is not None and imposed else ():
        if getattr(initial, name) is not None:
            told = (
                "the actuation 'motion' puts the joints where the gait has them; leave it out, or choose another "
                "actuation"
            )
            yield Refusal(("initial", name), told)


def _loop(parts: Mapping[str, Any]) -> Iterator[Refusal]:
    """A controller with state: which models have one, and which actuations take what it gives."""
    controller, model, actuation = (parts.get(name) for name in ("controller", "model", "actuation"))
    if controller is None and getattr(actuation, "kind", "") == "muscles":
        yield Refusal(
            ("actuation",), "muscles do what a controller tells them: give one (controller) that gives activation"
        )
    if controller is None or model is None or actuation is None:
        return
    if not model.takes_controllers:
        others = [kind for kind, settings in registry.kinds("model").items() if settings.takes_controllers]
        has = "has no time: it" if model.tasks else ""
        yield Refusal(
            ("controller",),
            f"model {model.kind!r} {has} takes no controller with state; models that do: {', '.join(others)}".replace(
                "  ", " "
            ),
        )
    posture = getattr(parts.get("initial"), "posture", None)
    if posture is not None and posture.settle:
        yield Refusal(("initial", "posture", "settle"), "a controller would move the robot meanwhile; leave it out")
    listed = isinstance(controller, tuple)
    for number, one in enumerate(controller if listed else (controller,)):
        takers = one.needs[one.output]
        if actuation.kind not in takers:
            yield Refusal(
                ("controller", *([number] if listed else []), "output"),
                f"{one.output} needs an actuation of kind {' or '.join(takers)}, and it is {actuation.kind!r} here",
                one.output,
            )


def _task(parts: Mapping[str, Any]) -> Iterator[Refusal]:
    """A task asks for a gait that speaks of it; it has no time, and its base does not move."""
    task, model, gait, initial = (parts.get(name) for name in ("task", "model", "gait", "initial"))
    drives = getattr(gait, "drives", None)
    wanted = getattr(model, "tasks", {}).get(task, ())
    if drives is not None and wanted and drives not in wanted:
        yield Refusal(
            ("task",), f"{task!r} needs a gait that drives {' or '.join(wanted)}, not one that drives {drives}", task
        )
    for name in parts.get("times_given", ()):
        yield Refusal((name,), "a task has no time: leave it out", parts[name])
    if initial is not None and any(initial.twist):
        yield Refusal(("initial", "twist"), "the base of a task does not move: leave it out")
    if initial is not None and initial.result is not None:
        yield Refusal(("initial", "result"), "a task continues no earlier run: leave it out")


def _times(parts: Mapping[str, Any]) -> Iterator[Refusal]:
    duration, step, every = (parts.get(name) for name in ("duration", "step", "record_every"))
    if step is None:
        return
    if duration is not None and step > duration:
        yield Refusal(("step",), f"must not be longer than the duration, {duration:g} s", step)
    if every is not None:
        count = max(1, round(every / step))
        if abs(every / step - count) > _WHOLE * count:
            yield Refusal(
                ("record_every",),
                f"must be a whole multiple of the step, {step:g} s; the nearest is {count * step:.12g}",
                every,
            )
