"""Worms with constant and growing wave speed, anchored in space and in the material."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

import limbless as ll
from validation.rods import along_sections

TURNED = (0.82, 0.31, -0.41, 0.21)  # nearly a unit quaternion: a direction in none of the world's planes
SCENARIOS = {"constant": "worm-burrow", "linear": "worm-accelerate"}


def held_speed(data: Any) -> float:
    """Largest speed of the section where the anchor holds, by recorded places, over the largest of the head."""
    speed, X = along_sections(data)[..., 0], data.abscissa.values
    there = data.contact_state.values > 0
    held = [
        float(make_interp_spline(X, speed[record], k=3)(place))
        for record in range(2, len(data.time) - 2)
        for place in data.support_abscissa.values[record, there[record]]
        if X[2] < place < X[-3]
    ]
    return float(np.abs(held).max() / np.abs(speed[:, 0]).max())


def jump(data: Any, record: int) -> float:
    """By how much the recorded internal force jumps at the anchor, N: cubics through six sections on either side."""
    X, force = data.abscissa.values, data.internal_wrench.values[record, :, 0]
    (place,) = data.support_abscissa.values[record, data.contact_state.values[record] > 0]
    after = int(np.searchsorted(X, place))
    sides = (slice(after - 6, after), slice(after, after + 6))
    before, behind = (np.polynomial.Polynomial.fit(X[side], force[side], 3)(place) for side in sides)
    return float(behind - before)


def sideways() -> float:
    """Largest distance of a section from the line of a worm that begins turned, m."""
    orientation = tuple(np.array(TURNED) / np.linalg.norm(TURNED))
    turned = {"initial.orientation": orientation, "initial.position": (0.1, -0.2, 0.3), "record_every": 0.5}
    place = ll.run("worm-accelerate", turned).dataset.position
    away, line = place.values - place.values[0, 0], place.values[0, -1] - place.values[0, 0]
    line = line / np.linalg.norm(line)
    return float(np.abs(away - (away @ line)[..., None] * line).max())


def check(case: Any, sheet: Any) -> dict[str, float]:
    runs, worst = {}, {"position": 0.0, "speed": 0.0, "anchor force": 0.0}
    axes = sheet.subplots(1, 2)
    for holds, panel in zip(("material", "spatial"), axes, strict=True):
        for wave, scenario in SCENARIOS.items():
            run = ll.run(scenario, {"environment.0.holds": holds, "record_every": 0.02, "model.cells": 128})
            data = runs[wave, holds] = run.dataset
            known = case.numbers[f"worm_{wave}_{holds}"]["outputs"]["snapshots"]
            now = data.sel(time=[snapshot["t"] for snapshot in known], method="nearest")
            scale = 1.2e-3 if (wave, holds) == ("linear", "spatial") else 8e-5
            pairs = {
                "position": (now.base_position.values[:, 0], "x_o", 1.0),
                "speed": (now.base_twist.values[:, 0], "xo_dot", 1.0),
                "anchor force": (now.contact_wrench.values[:, 0], "n_c", scale),
            }
            for name, (found, key, unit) in pairs.items():
                worst[name] = max(
                    worst[name], float(np.abs(found - [snapshot[key] for snapshot in known]).max()) / unit
                )
            panel.plot(data.time, data.base_position[:, 0], label=wave)
            panel.plot(
                [snapshot["t"] for snapshot in known],
                [snapshot["x_o"] for snapshot in known],
                "o",
                markersize=3,
                color="k",
            )
        panel.set(xlabel="time (s)", ylabel="head (m)", title=holds)
        panel.legend()
    constant, growing = runs["constant", "material"], runs["linear", "material"]
    scale = 0.0785398 * 0.3**2 * 0.004
    early = int(np.abs(constant.time.values - 0.1).argmin())  # the anchor is at 0.1 m of 0.3 m
    return {
        **worst,
        "spatial head": float(runs["constant", "spatial"].base_position[-1, 0]),
        "material head": float(constant.base_position[-1, 0]),
        "constant force": float(np.abs(constant.contact_wrench.values[:, 0]).max()) / scale,
        "constant jump": abs(jump(constant, early)) / scale,
        "growing jump": jump(runs["linear", "spatial"], early),
        "growing force": float(runs["linear", "spatial"].contact_wrench[100, 0]),
        "material force": float(growing.contact_wrench[100, 0]),
        "sideways": sideways(),
        "held": held_speed(growing),
        "anchor work": float(runs["linear", "spatial"].environment_work.values[-1]),
    }
