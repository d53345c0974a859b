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
from limbless.robots.chain import Chain

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
    chain, name = found.chain(), as_word(Path(path).stem)
    data: dict[str, Any] = {
        "name": name,
        "title": f"{found.chain().name}, read from {Path(path).name}",
        "robot": {"preset": "file", "file": str(Path(path).expanduser().absolute()), **(options or {})},
        "gait": _wave(chain),
        "environment": _surroundings(found, medium),
        "duration": 5.0,
        "step": 0.01,
    }
    if medium == "ground":
        balls = [ball for link in chain.links for ball in link.contact_shapes]
        if not balls:
            raise InputError(f"{found.path.name}: no link has a shape that could touch a ground")
        # a small robot falls over its own height in a short time
        longest = min(5e-4, 0.02 * math.sqrt(min(ball.radius for ball in balls) / 9.81))
        data |= {
            "model": {"kind": "non-smooth"},
            "actuation": {"kind": "pd"},
            "duration": 2.0,
            "step": 0.02 / math.ceil(0.02 / longest),
            "record_every": 0.02,
            "initial": {"position": [0.0, 0.0, max(ball.radius - ball.centre[2] for ball in balls)]},
        }
    return data


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
    own = [item for item in found.environment if item["kind"] == "body-drag"]
    if medium is None and own:
        return own
    return {"ground": [{"kind": "gravity"}, {"kind": "ground"}], "nothing": []}.get(medium or "", [{"kind": "water"}])


def _wave(chain: Chain) -> dict[str, Any]:
    """One wave along the body, in the joints that yaw, or else in those that pitch, within their ranges; it grows for
    a period, because a wave that is there at once throws the robot aside."""
    labels = chain.joint_labels
    if not {"yaw", "pitch"} & set(labels):
        return {"kind": "joint-wave", "yaw_amplitude": 0.0}
    turn = "yaw" if "yaw" in labels else "pitch"
    count = labels.count(turn)
    middle, reach = _room(chain, turn)
    amplitude = min(2 * _WINDING * math.sin(math.pi / (2 * count)), _STEEPEST, 0.8 * reach)
    wave = {
        f"{turn}_amplitude": round(amplitude, 4),
        f"{turn}_rate": round(2 * math.pi, 4),
        f"{turn}_phase": round(-2 * math.pi / count, 4),
    }
    wave |= {f"{turn}_offset": round(middle, 4)} if middle else {}
    return {"kind": "joint-wave", "yaw_amplitude": 0.0, **wave, "ramp": 1.0}


def _room(chain: Chain, turn: str) -> tuple[float, float]:
    """Middle of a wave and how far it may go from there in all joints that take part in it: about zero, or about the
    middle of ranges that begin or end near it; ranges that have nothing in common hold nobody back.
    """
    joints = [link.joint for link in chain.links if link.joint is not None]
    bounds = [
        ends for joint in joints for ends in zip(joint.per_freedom("lower"), joint.per_freedom("upper"), strict=True)
    ]
    own = [ends for ends, label in zip(bounds, chain.joint_labels, strict=True) if label == turn]
    low = max((lower for lower, _ in own if lower is not None), default=-math.inf)
    high = min((upper for _, upper in own if upper is not None), default=math.inf)
    if min(-low, high) >= _NARROW:
        return 0.0, min(-low, high)
    if not low < high:
        return 0.0, math.inf
    reach = min((high - low) / 2, _STEEPEST)
    return (low + reach if abs(low) < abs(high) else high - reach), reach
