"""A scenario whose model does not take its kind of robot: robot, gait and start as the model sees them."""

from __future__ import annotations

from typing import Any

import numpy as np

from limbless.control.actuation.seen_gait import gait_on
from limbless.core import Array, InputError, registry
from limbless.environments import Environment, PointWrench
from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.robots import Chain, Robot, Rod, TendonSpine
from limbless.robots.views import without

_SEEN = {"rod": "a rod", "chain": "a chain", "tendon-spine": "a spine"}
_COUNTS = {"links": "chain", "vertebrae": "tendon-spine"}
_TOLD = "the shape of gait.result is followed, and nothing in the body is free"
_FOLLOWED = {"tendons": _TOLD, "passive": _TOLD, "material": _TOLD}
_NO_LIMITS = {"effort_limit": "the model 'soft' looks at no limits of efforts"}


def seen_by(model: Any, robot: Any, gait: Any = None) -> Robot | None:
    """The robot as a model sees it, or None where the model takes it as it is (or knows none of its views)."""
    if robot.kind not in _SEEN or not set(_SEEN) & set(model.takes_robots):
        return None
    built, takes = robot.build(), model.takes_robots
    follows = getattr(gait, "result", None) is not None and model.kind != "soft"
    passive = getattr(built, "passive", None) is not None and model.kind != "soft"
    if passive and not follows and getattr(gait, "drives", "") in ("shape", "strain"):
        raise InputError(
            f"robot.passive: the model {model.kind!r} knows no strains that follow from forces; run the model 'soft', "
            "and give its motion here: gait: {kind: recorded, result: folder of that run}"
        )
    seen = without(built, _FOLLOWED) if follows and robot.kind != "tendon-spine" else built
    if robot.kind not in takes:
        if "chain" in takes:
            seen = seen.as_chain(model.links)
        else:
            seen = seen.as_rod() if "rod" in takes else seen.as_spine(getattr(model, "vertebrae", None))
    elif model.kind == "soft" and isinstance(built, Chain) and not built.tendons:
        seen = built.as_rod()
    if follows and not isinstance(seen, TendonSpine):
        seen = without(seen, _FOLLOWED)
    if model.kind == "soft" and isinstance(seen, Rod):
        seen = without(seen, _NO_LIMITS)
    return None if seen is built else seen


def _homes(chain: Chain) -> tuple[Array, Array]:
    """Of the straight chain: where its bodies (rows, 3) are, and where each piece of it begins, base frame, m."""
    homes = np.cumsum(chain.arrays().arm, axis=0)
    return homes, np.array([homes[piece.body] + piece.start for piece in chain.segments()])


def base_shift(robot: Robot) -> Array:
    """(3,) m: where the base frame of a view is, in that of the robot that it is a view of."""
    source: Robot | None = robot
    while source is not None and not isinstance(source, Chain):
        source = source.seen_from
    return np.zeros(3) if source is None or isinstance(robot, Chain) else _homes(source)[1][0]


def _wrench_on(view: Robot, robot: Any, item: Environment) -> Environment:
    """A wrench at the same place of the body; anything else as it is."""
    if not isinstance(item, PointWrench):
        return item
    if isinstance(robot, Rod):
        if item.abscissa is None and item.body != -1:
            raise InputError(
                f"environment: point-wrench: body {item.body} of a rod depends on its cells, and this model sees the "
                "rod as something else; say where by `abscissa`"
            )
        place = np.array([robot.length if item.abscissa is None else item.abscissa, 0.0, 0.0])
    else:
        if isinstance(robot, Chain):
            homes, starts = _homes(robot)
            known = homes[robot.bodies().mass > 0.0] - starts[0]
        else:
            known = _disks(robot)
        if not -len(known) <= item.body < len(known):
            return item  # refused by its own name
        place = known[item.body]
    place = place + item.point
    if isinstance(view, Rod):
        x = float(np.clip(place[0], 0.0, view.length))
        return item.changed(body=-1, abscissa=x, point=tuple((place - [x, 0.0, 0.0]).tolist()))
    if isinstance(view, Chain):
        homes, starts = _homes(view)
        piece = int(np.searchsorted(starts[:, 0] - starts[0, 0], place[0] * (1.0 - 1e-12), "right")) - 1
        row = view.segments()[max(piece, 0)].body
        body, home = int((view.bodies().mass[:row] > 0.0).sum()), homes[row] - starts[0]
    else:
        body = int(np.abs(_disks(view)[:, 0] - place[0]).argmin())
        home = _disks(view)[body]
    return item.changed(body=body, abscissa=None, point=tuple((place - home).tolist()))


def _disks(spine: Any) -> Array:
    """(n + 1, 3) m: where the base and the disks of a straight spine are."""
    return np.concatenate([[0.0], np.cumsum(spine.values("length"))])[:, None] * np.array([1.0, 0.0, 0.0])


def one_animal(
    model: Any, robot: Any, gait: Any, initial: Any, environment: tuple[Environment, ...] = ()
) -> tuple[dict[str, Any], tuple[str, ...]] | None:
    """Fields of a scenario as its model sees them, and what is said of it; None where nothing changes."""
    view = seen_by(model, robot, gait)
    for name, kind in _COUNTS.items():
        if getattr(model, name, None) is not None and robot.kind == kind:
            own = len(getattr(robot.build(), name))
            raise InputError(
                f"model.{name}: the robot has {own} {name} of its own, and another number would have no effect; leave "
                "it out"
            )
    if view is None:
        played = gait_on(robot.build(), gait) if getattr(gait, "result", None) is not None else gait
        return None if played is gait else ({"gait": played}, ())
    shift = base_shift(view)
    if shift.any() and initial.posture is None:
        moved = np.array(initial.position) + quaternion_to_matrix(initial.orientation) @ shift
        arm = np.cross(initial.twist[3:], shift)
        twist = (*(np.array(initial.twist[:3]) + arm).tolist(), *initial.twist[3:])
        initial = initial.changed(position=tuple(moved.tolist()), twist=twist)
    count = getattr(view, "links", None) or getattr(view, "vertebrae", None)
    what = f"{len(count)} {'rigid links' if view.kind == 'chain' else 'vertebrae'}" if count else "a rod"
    seen = gait_on(view, gait)
    changed = [f"model.kind: {_SEEN[robot.kind].replace('a ', 'the ')} is seen as {what}"]
    notes = [*(changed if view.kind != robot.kind else ()), *view.lost]
    if getattr(seen, "joints", None) is not None:
        notes.append("gait: joint angles are spread along the body by a spline through their sums")
    around = tuple(_wrench_on(view, robot.build(), item) for item in environment)
    return {"robot": view, "gait": seen, "initial": initial, "environment": around}, tuple(notes)


def left_out(before: Any, data: dict[str, Any], given: set[str]) -> list[str]:
    """Take options of a former model out of the data of another, unless a change gives them; one note each."""
    now = data.get("model")
    kinds = [str(one.get("kind") if isinstance(one, dict) else one) for one in (before, now)]
    if not isinstance(now, dict) or not isinstance(before, dict) or kinds[0] == kinds[1]:
        return []
    found = registry.kinds("model")
    if kinds[0] not in found or kinds[1] not in found:
        return []
    fields, known = (found[kind].model_fields for kind in kinds)
    # one name may mean two things: an option stays where it says the same of both
    same = {name for name in known if name in fields and known[name].description == fields[name].description}
    old = [name for name in now if name not in same | given | {"kind"} and name in before]
    data["model"] = {name: value for name, value in now.items() if name not in old}
    told = {
        False: f"is an option of {kinds[0]!r}, which {kinds[1]!r} does not have; it is left out",
        True: f"means one thing in {kinds[0]!r} and another in {kinds[1]!r}; it is left out, so that the default holds",
    }
    wished = [name for name in old if name not in fields or before[name] != fields[name].default]
    return [f"model.{name}: {told[name in known]}" for name in wished]
