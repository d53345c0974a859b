"""Worms with constant and growing wave speed, anchored in space and in the material."""
from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll

SCENARIOS = {"constant": "worm-burrow", "linear": "worm-accelerate"}


def check(case: Any, sheet: Any) -> dict[str, float]:
    runs, worst = {}, {"position": 0.0, "speed": 0.0, "anchor force": 0.0}
    axes = sheet.subplots(1, 2)
    for holds, panel in zip(("material", "spatial"), axes, strict=True):
        for wave, scenario in SCENARIOS.items():
            run = ll.run(scenario, {"environment.0.holds": holds, "record_every": 0.05, "model.cells": 128})
            data = runs[wave, holds] = run.dataset
            known = case.numbers[f"worm_{wave}_{holds}"]["outputs"]["snapshots"]
            now = data.sel(time=[snapshot["t"] for snapshot in known], method="nearest")
            scale = 1.2e-3 if (wave, holds) == ("linear", "spatial") else 8e-5
            pairs = {"position": (now.base_position.values[:, 0], "x_o", 1.0), "speed": (now.base_twist.values[:, 0], "xo_dot", 1.0),
                     "anchor force": (now.contact_wrench.values[:, 0], "n_c", scale)}
            for name, (found, key, unit) in pairs.items():
                worst[name] = max(worst[name], float(np.abs(found - [snapshot[key] for snapshot in known]).max()) / unit)
            panel.plot(data.time, data.base_position[:, 0], label=wave)
            panel.plot([snapshot["t"] for snapshot in known], [snapshot["x_o"] for snapshot in known], "o", markersize=3, color="k")
        panel.set(xlabel="time (s)", ylabel="head (m)", title=holds)
        panel.legend()
    constant, growing = runs["constant", "material"], runs["linear", "material"]
    scale = 0.0785398 * 0.3**2 * 0.004
    sections = np.concatenate([data.position.values[..., 1:].ravel() for data in runs.values()])
    return {
        **worst,
        "spatial head": float(runs["constant", "spatial"].base_position[-1, 0]), "material head": float(constant.base_position[-1, 0]),
        "constant force": float(np.abs(constant.contact_wrench.values[:, 0]).max()) / scale,
        "constant jump": float(np.abs(constant.support_wrench.values[..., 0]).max()) / scale,
        "growing force": float(runs["linear", "spatial"].contact_wrench[40, 0]),
        "material force": float(growing.contact_wrench[40, 0]),
        "sideways": float(np.abs(sections).max()),
        "anchor work": float(abs(growing.environment_work.values[-1]) / np.abs(growing.actuator_work.values).max()),
    }
