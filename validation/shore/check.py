"""The scenario `snake-shore`, and the same on elastic ground, against bands of an independent code."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import limbless as ll
from validation.elastic_ground import elastic_beach

SLOPE, PERIOD = math.radians(5.0), 1.5
OTHER = ((3.0, 0.9294), (6.0, 0.5791), (9.0, 0.0046))


def elastic(stiffness: float, speed: float, step: float) -> Any:
    """The same snake on ground that yields."""
    given = ll.Scenario.load("snake-shore")
    water = [item for item in given.environment if item.kind != "ground"]
    return ll.simulate(
        given.robot,
        given.gait,
        [*water, elastic_beach(stiffness, speed)],
        duration=12.0,
        step=step,
        record_every=0.05,
        initial=given.initial,
    ).dataset


def immersion(data: Any) -> np.ndarray:
    return np.asarray(data.immersion.values.mean(axis=1))


def half_dry(data: Any) -> float:
    return float(np.interp(-0.5, -immersion(data), data.time.values))


def check(case: Any, sheet: Any) -> dict[str, float]:
    soft, stiff = elastic(5000.0, 0.01, 0.001), elastic(40000.0, 0.00125, 0.0002)
    data = ll.run("snake-shore", {"duration": 12.0, "record_every": 0.05}).dataset
    t, immersed, com = data.time.values, immersion(data), data.com_position.values
    force = data.contact_force.values
    normal = force @ [math.sin(SLOPE), 0.0, math.cos(SLOPE)]
    last = t > t[-1] - PERIOD + 1e-9
    whole, along = sheet.subplots(2, 1, sharex=True)
    for run, style, name in ((data, "-", "hard"), (soft, "--", "5 kN/m"), (stiff, ":", "40 kN/m")):
        whole.plot(run.time, immersion(run), style, label=name)
        along.plot(run.time, run.com_position[:, 0], style)
    whole.plot(*zip(*OTHER, strict=True), "o", markersize=4)
    along.plot([3.0, 6.0, 9.0, 10.5, 12.0], [0.2461, -0.3595, -1.2915, -1.7647, -2.2379], "o", markersize=4)
    whole.set(ylabel="immersed")
    whole.legend()
    along.set(xlabel="time (s)", ylabel="x (m)")
    return {
        "touch": float(t[(np.linalg.norm(force, axis=2) > 1e-6).any(axis=1).argmax()]),
        "half": half_dry(data),
        "soft half": half_dry(soft),
        "stiff half": half_dry(stiff),
        "soft immersed": float(np.interp(6.0, soft.time.values, immersion(soft))),
        "dry": float(np.interp(-0.01, -immersed, t)),
        "x": float(com[-1, 0]),
        "crawl": float(np.linalg.norm(com[-1] - com[np.searchsorted(t, t[-1] - PERIOD)]) / PERIOD),
        "load": float(normal.sum(axis=1)[last].mean()),
    }
