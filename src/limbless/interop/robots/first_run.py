"""A robot file as a scenario that simply runs: a wave along the body, in what the file says it is in,
in water, or on the ground.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from limbless.core import InputError, as_word
from limbless.interop.robots.robot_file import RobotFile, read_robot
from limbless.robots import Chain, Sphere

MEDIA = ("water", "ground", "nothing")
_WINDING = 0.7
"""rad: largest heading of the wave."""
_STEEPEST = 0.6
"""rad: of a joint."""
_NARROW = 0.05
"""rad: on either side of zero; joints that have less are driven about the middle of their range."""


def first_scenario(
    path: str | Path, options: Mapping[str, Any] | None = None, medium: str | None = None
) -> dict[str, Any]:
    """The data of a scenario for a robot file.

    `options` are those of `read_robot`; `medium` is water, ground or nothing, and if absent the fluid that the file
    itself describes, or water.
    """
    if medium is not None and medium not in MEDIA:
        raise InputError(f"medium: must be one of {', '.join(MEDIA)}; received {medium!r}")
    found = read_robot(path, **(options or {}))
    chain = found.chain()
    data: dict[str, Any] = {
        "name": as_word(Path(path).stem),
        "title": f"{chain.name}, read from {Path(path).name}",
        "robot": {"preset": "file", "file": str(Path(path).expanduser().absolute()), **(options or {})},
        "gait": _wave(chain),
        "environment": _surroundings(found, medium),
        "duration": 5.0,
        "step": 0.01,
    }
    if medium == "ground":
        wheels = next((item for item in data["environment"] if item["kind"] == "wheels"), None)
        balls = [ball for link in chain.links for ball in link.contact_shapes]
        radii = [ball.radius + ball.rim for ball in balls] if wheels is None else [wheels["wheel_radius"]]
        if not radii:
            raise InputError(f"{found.path.name}: no link has a shape that could touch a ground")
        # a small robot falls over its own height in a short time
        longest = min(5e-4, 0.02 * math.sqrt(min(radii) / 9.81))
        # gains of a file are made for rigid links: taken at the end of a step, none is too stiff for it
        implicit = {"theta": 1.0} if "stiffness" in found.servo else {}
        data |= {
            "model": {"kind": "non-smooth", **implicit},
            "actuation": found.servo,
            "duration": 2.0,
            "step": 0.02 / math.ceil(0.02 / longest),
            "record_every": 0.02,
            "initial": {"posture": {"kind": "lay"}} if wheels else {"position": [0.0, 0.0, max(map(_under, balls))]},
        }
    return data


def _under(ball: Sphere) -> float:
    """How far below the axis of the straight robot it reaches, m."""
    return ball.radius + ball.rim * math.sqrt(max(1.0 - ball.axis[2] ** 2, 0.0)) - ball.centre[2]


def medium_in(changes: Mapping[str, Any]) -> str | None:
    """`ground` where changes of a robot file's scenario ask for hard contact or name a ground: then it starts lying on
    it, and what else that needs is there."""
    model, items = changes.get("model", changes.get("model.kind")), changes.get("environment")
    kinds = [
        item.get("kind") if isinstance(item, Mapping) else item
        for item in (model, *(items if isinstance(items, list | tuple) else [items]))
    ]
    return "ground" if {"non-smooth", "ground"} & {kind for kind in kinds if isinstance(kind, str)} else None


def _surroundings(found: RobotFile, medium: str | None) -> list[dict[str, Any]]:
    own = {item["kind"]: item for item in found.environment}
    if medium is None and "body-drag" in own:
        return [own["body-drag"]]
    rests = own.get("wheels") or own.get("ground") or {"kind": "ground"}
    return {"ground": [{"kind": "gravity"}, rests], "nothing": []}.get(medium or "", [{"kind": "water"}])


def _wave(chain: Chain) -> dict[str, Any]:
    """One wave along the body, in the joints that yaw, or else in those that pitch or turn about axes between, within
    their ranges; it grows for a period, because a wave that is there at once throws the robot aside."""
    labels = chain.joint_labels
    turn = next((word for word in ("yaw", "pitch", "revolute") if word in labels), None)
    if turn is None:
        return {"kind": "joint-wave", "yaw_amplitude": 0.0}
    count = labels.count(turn)
    middle, reach = _room(chain, turn)
    amplitude = min(2 * _WINDING * math.sin(math.pi / (2 * count)), _STEEPEST, 0.8 * reach)
    word = "yaw" if turn == "revolute" else turn  # joints about axes between y and z take what yaw has along theirs
    wave = {
        f"{word}_amplitude": round(amplitude, 4),
        f"{word}_rate": round(2 * math.pi, 4),
        f"{word}_phase": round(-2 * math.pi / count, 4),
    }
    wave |= {f"{word}_offset": round(middle, 4)} if middle else {}
    return {"kind": "joint-wave", "yaw_amplitude": 0.0, **wave, "ramp": 1.0}


def _room(chain: Chain, turn: str) -> tuple[float, float]:
    """Middle of a wave and how far it may go from there in all joints that take part in it: about zero, or about the
    middle of ranges that begin or end near it; ranges that have nothing in common hold nobody back.
    """
    joints = [link.joint for link in chain.links if link.joint is not None]

    def own(field: str) -> list[float]:
        """An end of the ranges of the joints that take part, where they have one."""
        every = [end for joint in joints for end in joint.per_freedom(field)]
        return [end for end, label in zip(every, chain.joint_labels, strict=True) if label == turn and end is not None]

    low, high = max(own("lower"), default=-math.inf), min(own("upper"), default=math.inf)
    if min(-low, high) >= _NARROW:
        return 0.0, min(-low, high)
    if not low < high:
        return 0.0, math.inf
    reach = min((high - low) / 2, _STEEPEST)
    return (low + reach if abs(low) < abs(high) else high - reach), reach
