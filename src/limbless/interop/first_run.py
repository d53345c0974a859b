"""A robot file as a scenario that simply runs: a wave along the body, in what the file says it is in, in water, or on
the ground.
"""
from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from limbless.errors import InputError
from limbless.files import as_word
from limbless.interop.robot_file import RobotFile, read_robot
from limbless.robots.chain import Chain

MEDIA = ("water", "ground", "nothing")
_WINDING = 0.7
"""rad: largest heading of the wave."""
_STEEPEST = 0.6
"""rad: of a joint."""


def first_scenario(path: str | Path, options: Mapping[str, Any] | None = None,
                   medium: str | None = None) -> dict[str, Any]:
    """The data of a scenario for a robot file.

    `options` are those of `read_robot`; `medium` is water, ground or nothing, and if absent the fluid that the file
    itself describes, or water.
    """
    if medium is not None and medium not in MEDIA:
        raise InputError(f"medium: must be one of {', '.join(MEDIA)}; received {medium!r}")
    found = read_robot(path, **(options or {}))
    chain, name = found.chain(), as_word(Path(path).stem)
    data: dict[str, Any] = {
        "name": name, "title": f"{found.chain().name}, read from {Path(path).name}",
        "robot": {"preset": "file", "file": str(Path(path).expanduser().absolute()), **(options or {})},
        "gait": _wave(chain), "environment": _surroundings(found, medium), "duration": 5.0, "step": 0.01}
    if medium == "ground":
        balls = [ball for link in chain.links for ball in link.contact_shapes]
        if not balls:
            raise InputError(f"{found.path.name}: no link has a shape that could touch a ground")
        # a small robot falls over its own height in a short time
        longest = min(5e-4, 0.02 * math.sqrt(min(ball.radius for ball in balls) / 9.81))
        data |= {"model": {"kind": "non-smooth"}, "actuation": {"kind": "pd"}, "duration": 2.0,
                 "step": 0.02 / math.ceil(0.02 / longest), "record_every": 0.02,
                 "initial": {"position": [0.0, 0.0, max(ball.radius - ball.centre[2] for ball in balls)]}}
    return data


def medium_in(changes: Mapping[str, Any]) -> str | None:
    """`ground` where changes of a robot file's scenario ask for hard contact or name a ground: then it starts lying on
    it, and what else that needs is there."""
    model, items = changes.get("model", changes.get("model.kind")), changes.get("environment")
    kinds = [item.get("kind") if isinstance(item, Mapping) else item
             for item in (model, *(items if isinstance(items, list | tuple) else [items]))]
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
    turn = "yaw" if "yaw" in labels else "pitch"
    count = max(labels.count(turn), 1)
    ranges = [(link.joint.lower, link.joint.upper) for link in chain.links if link.joint is not None]
    reach = [abs(bound) for ends in ranges for bound in ends if isinstance(bound, float)]
    amplitude = min([2 * _WINDING * math.sin(math.pi / (2 * count)), _STEEPEST, *(0.8 * bound for bound in reach)])
    wave = {f"{turn}_amplitude": round(amplitude, 4), f"{turn}_rate": round(2 * math.pi, 4),
            f"{turn}_phase": round(-2 * math.pi / count, 4)}
    return {"kind": "joint-wave", "yaw_amplitude": 0.0, **wave, "ramp": 1.0}
