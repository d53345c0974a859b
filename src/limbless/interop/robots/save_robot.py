"""Robots out: a chain into a file of another tool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from limbless.core import InputError, write_text
from limbless.interop.robots.write_mjcf import mjcf_text
from limbless.interop.robots.write_urdf import urdf_text
from limbless.robots import Chain, Preset, Robot

FORMATS = {".xml": "mjcf", ".mjcf": "mjcf", ".urdf": "urdf"}


def save_robot(
    robot: Robot | Preset,
    path: str | Path,
    environment: Sequence[Any] = (),
    step: float = 0.01,
    form: str | None = None,
    initial: Any = None,
) -> Path:
    """Write a chain as MJCF or URDF.

    Parameters
    ----------
    robot : a `Chain`, or a preset that builds one.
    path : the file; .xml and .mjcf are MJCF, .urdf is URDF.
    environment, step, initial : of a scenario; MJCF takes gravity, level ground, pegs, body-drag, the step and the
        pose of the base with it.
    form : `mjcf` or `urdf`, where the name of the file does not say it.
    """
    chain, target = robot.build(), Path(path)
    if not isinstance(chain, Chain):
        raise InputError(f"only chains are written as MJCF and URDF; this robot is of kind {robot.kind!r}")
    if chain.tendons:
        raise InputError("robot.tendons: files of robots are written without tendons; leave them out")
    chosen = form or FORMATS.get(target.suffix.lower())
    if chosen not in ("mjcf", "urdf"):
        raise InputError(f"{target.name}: the name of a robot file ends in {', '.join(FORMATS)}; or say mjcf or urdf")
    return write_text(target, mjcf_text(chain, environment, step, initial) if chosen == "mjcf" else urdf_text(chain))
