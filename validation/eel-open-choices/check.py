"""Variants of the eel that the paper leaves open."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from validation.eel import head_turns, mean_speed, peaks, swim

VARIANTS = {
    "no caps": ({"robot": {"head_cap": 0.0, "tail_cap": 0.0}}, 0.440, 0.981),
    "tail cap 0.14 m": ({"robot": {"tail_cap": 0.14}}, 0.466, 1.051),
    "full perimeter": ({"water": {"perimeter": "full"}}, 0.367, 0.946),
    "axes exchanged": ({"robot": {"half_width": 0.09, "half_height": 0.065}}, 0.307, 0.817),
    "consistent added mass": ({"water": {"added_mass": "consistent"}}, 0.177, 0.51),
}
ORIGINS = {0.0: (0.85, 5.22, 1.02), 0.14: (0.91, 5.94, 1.24), 0.4: (0.98, 8.87, 1.73)}
"""x_first (m) -> share of the final speed, largest planar yaw torque (N m), turns of the loop."""
DIVE = math.pi / 40


def check(case: Any, sheet: Any) -> dict[str, float]:
    found = {}
    for name, (change, *_) in VARIANTS.items():
        planar, loop = (
            swim(30.0, record_every=0.5, **change),
            swim(60.0, record_every=0.1, gait={"dive": DIVE}, **change),
        )
        found[name] = mean_speed(planar.dataset, 28, 30), head_turns(loop.dataset)
    wanted = np.array([numbers for _, *numbers in VARIANTS.values()])
    off = np.abs(np.array(list(found.values())) - wanted)
    share, yaw, turns = [], [], []
    for x_first, known in ORIGINS.items():
        planar = swim(100.0, gait={"x_first": x_first}, record_every=0.01).dataset
        loop = swim(60.0, gait={"x_first": x_first, "dive": DIVE}, record_every=0.1).dataset
        share.append(abs(mean_speed(planar, 28, 30) / mean_speed(planar, 98, 100) - known[0]))
        yaw.append(abs(peaks(planar.sel(time=slice(0.0, 30.0))).max() - known[1]))
        turns.append(abs(head_turns(loop) - known[2]))
    axes = sheet.subplots()
    for (name, point), mark in zip(found.items(), wanted, strict=True):
        (dot,) = axes.plot(*point, "o", markersize=4, label=name)
        axes.plot(*mark, "x", color=dot.get_color())
    axes.set(xlabel="planar speed (m/s)", ylabel="turns of the loop in 60 s")
    axes.margins(0.1)
    axes.legend()
    return {
        "speed": float(off[:, 0].max()),
        "turns": float(max(off[:, 1].max(), *turns)),
        "share": float(max(share)),
        "yaw": float(max(yaw)),
    }
