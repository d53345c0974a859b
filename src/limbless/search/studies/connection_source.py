"""From what a user names to a `Connection`: scenario, shapes and region, and motions as bends of the robot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from limbless.control.actuation.gait_to_joints import joint_motion
from limbless.control.actuation.gait_to_strains import rod_strain
from limbless.control.actuation.shape_map import turns
from limbless.control.gaits.base import Gait
from limbless.control.gaits.gait_table import rows_of
from limbless.control.gaits.shape_basis import Shapes
from limbless.core import Array, InputError
from limbless.environments.base import Environment
from limbless.models.rod.panel_mesh import make_mesh
from limbless.robots import Chain, Preset, Robot, Rod
from limbless.scenarios.scenario import Scenario

SAMPLES = 128
"""Postures of a period that stand for a motion."""


def points_of_file(path: Path, count: int) -> Array:
    """Points of a text file, one row each."""
    try:
        return rows_of((), str(path), "loop", "postures")[:, -count:]
    except ValueError as error:
        raise InputError(f"loop: {error}") from None


def _is_film(source: Any) -> bool:
    return hasattr(source, "midline") and hasattr(source, "scenario")


def bends_of(scenario: Scenario, source: Any) -> tuple[Array, float]:
    """Bends (N, stations) of a robot over one period of a gait, result or film, and the period (s)."""
    robot: Any = scenario.robot.build()
    source = source.scenario().gait if _is_film(source) else source
    if hasattr(source, "dataset") and hasattr(source, "scenario"):
        period = source.scenario.gait.cycle
        if not period or "joint_position" not in source.dataset:
            raise InputError("loop: this result has no joints that repeat themselves; give its gait, or points")
        time = source.dataset["time"].values
        wanted = time[-1] - period + period * np.arange(SAMPLES) / SAMPLES
        if wanted[0] < time[0] - 1e-9:
            raise InputError(
                f"loop: the result lasts {time[-1]:g} s, less than a period of {period:g} s; run it longer"
            )
        from scipy.interpolate import make_interp_spline

        return make_interp_spline(time, source.dataset["joint_position"].values, k=5)(wanted), period
    if not isinstance(source, Gait):
        raise InputError(
            f"loop: give gait, points (N, p), a Fourier table, a function of the phase, a result or a film; got "
            f"{source!r:.60}"
        )
    steady = source.changed(**{name: 0.0 for name in source.start_fields if getattr(source, name)})
    period = steady.cycle
    if not period:
        raise InputError(f"loop: the gait {steady.kind!r} does not repeat itself; give its period, or points of a loop")
    times = period * np.arange(SAMPLES + 1) / SAMPLES
    if isinstance(robot, Rod):
        bends = rod_strain(robot, steady, times, _nodes(scenario, robot)).value[..., 5]
    else:
        bends = joint_motion(robot, steady, times).position
    gap = float(np.abs(bends[-1] - bends[0]).max())
    if gap > 1e-6 * max(float(np.abs(bends).max()), 1e-9):
        raise InputError(
            f"loop: after one period of {period:g} s the gait {steady.kind!r} is elsewhere (by {gap:.2g}), so that it "
            "is no loop"
        )
    return bends[:-1], period


def _nodes(scenario: Scenario, rod: Rod) -> Array:
    cells = getattr(scenario.model, "cells", 64)
    return make_mesh(rod.length, cells, getattr(scenario.model, "breaks", ())).X


def scenario_of(source: Any, environment: Any, allow_code: bool) -> Scenario:
    if isinstance(source, Robot | Preset):
        items = () if environment is None else environment
        items = (items,) if isinstance(items, Environment) else tuple(items)
        rod = isinstance(source.build(), Rod)
        still = not items or any(item.role == "friction" for item in items)
        model = {"kind": "macro-continuous", "cells": 128} if rod else {"kind": "newton-euler"}
        return Scenario(
            name="map",
            robot=source,
            gait={"kind": "curvature-wave", "curvature": 0.0} if rod else {"kind": "serpenoid", "amplitude": 0.0},
            environment=items,
            model={**model, "inertia": still},
        )
    if environment is not None:
        raise InputError("environment: a scenario has its own; give it beside a robot alone")
    return Scenario.load(source.scenario() if _is_film(source) else source, allow_code=allow_code)


def refuse_model(scenario: Scenario, robot: Chain | Rod) -> None:
    if scenario.model.kind in ("soft", "tendon-statics"):
        raise InputError(
            f"model.kind: in {scenario.model.kind!r} forces bend the body, so that no gait gives its shapes; set it to "
            "newton-euler or macro-continuous, with inertia: false"
        )
    if robot.base not in ("planar", "free"):
        raise InputError(f"robot.base: {robot.base!r} holds the base, so that nothing moves it; set it to planar")


def shapes_of(scenario: Scenario, robot: Chain | Rod, shapes: Any, joints: Sequence[int] | None) -> Shapes:
    """The shapes that a user names, or those of the gait, for this robot."""
    own: Any = scenario.gait
    if joints is not None and shapes is None:
        shapes = "joints"
    if shapes is None:
        if getattr(own, "cycle", None) is None or scenario.name == "map":
            raise InputError(
                "shapes: there is no gait that repeats itself to take them from; write shapes: joints, waves 1, or "
                "give columns of your own"
            )
        shapes = Shapes.of(own.shapes) if own.kind == "shape-loop" else Shapes.principal(own)
    made = Shapes.of(shapes, joints)

    def postures(source: Any) -> Array:
        return np.asarray(source) if isinstance(source, np.ndarray | list) else bends_of(scenario, source)[0]

    if isinstance(robot, Rod):
        return made.resolved(_nodes(scenario, robot) / robot.length, "1/m", postures)
    count = robot.freedoms
    made = made.resolved(np.arange(1, count + 1) / (count + 1), "rad", postures)
    aside = [k for k, (turn, _) in enumerate(turns(robot)) if turn != "yaw"]
    bent = np.abs(np.asarray(made.basis)[aside]).sum() + np.abs(np.asarray(made.rest)[aside]).sum()
    if robot.base == "planar" and bent > 0.0:
        raise InputError(
            f"shapes: joint {robot.joint_names[aside[0]]!r} does not turn about the vertical, and a planar map has no "
            "place for it; leave it out of the shapes (joints=[..]), or set robot.base to free"
        )
    return made


def region_of(scenario: Scenario, shapes: Shapes, region: Any, length: float | None) -> Array:
    """(p, 2) as given, or about the gait's own loop; `length` (m) of a rod."""
    p = np.asarray(shapes.basis).shape[1]
    if region is None:
        try:
            points = shapes.coordinates(bends_of(scenario, scenario.gait)[0])[0]
            low, high = points.min(axis=0), points.max(axis=0)
            if (high - low).min() > 1e-9:
                return np.stack([0.5 * (low + high) + side * 0.625 * (high - low) for side in (-1.0, 1.0)], axis=1)
        except InputError:
            pass
        size = np.abs(np.asarray(shapes.basis)).max(axis=0)
        half = 0.5 * np.pi / size * (1.0 if length is None else 2.0 / length)
        return np.stack([-half, half], axis=1)
    try:
        given = np.asarray(region, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.zeros(3)
    if given.ndim == 0:
        given = np.tile([-given, given], (p, 1))
    if given.shape != (p, 2) or not np.isfinite(given).all() or (given[:, 1] <= given[:, 0]).any():
        raise InputError(
            f"region: give a half width above 0, or (low, high) for each of the {p} shapes ({shapes.unit}); got "
            f"{region!r:.60}"
        )
    return given
