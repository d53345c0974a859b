"""The planar snake of 10 s and the forces at 2 s."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

import limbless as ll
from validation.rods import along_sections, rotation_matrices


def heading(quaternion: np.ndarray) -> float:
    return float(2.0 * np.arctan2(quaternion[3], quaternion[0]))


def check(case: Any, sheet: Any) -> dict[str, float]:
    data = ll.run("snake-turn-2d", {"model.cells": 256, "record_every": 0.02, "step": 0.02}).dataset
    known, forces = case.numbers["snake2d"]["outputs"]["head"], case.numbers["snake2d"]["outputs"]["forces"]
    listed = data.sel(time=[head["t"] for head in known], method="nearest")
    turned = np.abs(np.einsum("ti,ti->t", listed.base_orientation.values, [head["q"] for head in known]))
    now = data.sel(time=2.0, method="nearest")
    here = now.contact_state.values > 0
    order = np.argsort(now.support_abscissa.values[here])
    shares = now.support_wrench.values[here, 1][order]
    rows = np.array(forces["Lambda"])[:, 5]
    inside = np.interp(forces["X"], data.abscissa.values, now.internal_wrench.values[:, 5])
    track = make_interp_spline(data.time.values, data.base_position.values, k=5)
    late = data.time.values > 2.5  # when even the tail is where the head has been
    earlier = data.time.values[late, None] - data.abscissa.values / 0.5
    followed = data.position.values[late] - track(earlier)
    later = data.sel(time=4.0, method="nearest")  # the tail is now as the head was at 2 s
    R, before = (rotation_matrices(instant.base_orientation.values) for instant in (later, now))
    push = 1000.0 * np.pi * 0.03**2 * 0.25 * (before[:, 0] - R[:, 0])
    V = along_sections(data)
    path, bars = sheet.subplots(1, 2)
    path.plot(data.base_position[:, 0], data.base_position[:, 1])
    path.plot(*np.array([head["r"] for head in known]).T[:2], "o", markersize=3)
    path.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
    bars.bar(np.arange(5), shares)
    bars.plot(np.arange(5), forces["T"], "o", markersize=4, color="k")
    bars.set(xlabel="support", ylabel="lateral force at 2 s (N)")
    return {
        "head": float(np.abs(listed.base_position.values - [head["r"] for head in known]).max()),
        "orientation": float(1.0 - turned.min()),
        "resultant": float(np.abs(now.contact_wrench.values - forces["F_c"]).max()),
        "shares": float(np.abs(shares - forces["T"]).max()),
        "profile": float(np.abs(inside - rows).max() / np.abs(rows).max()),
        "closed form": float(np.abs(R @ later.contact_wrench.values[:3] - push).max()),
        "follows": float(np.linalg.norm(followed, axis=-1).max()),
        "speed": float(np.abs(V[..., 0] + 0.5).max()),
        "slip": float(np.abs(V[..., 1:]).max()),
        "turn": heading(data.base_orientation.values[int(np.searchsorted(data.time.values, 8.4 - 1e-9))])
        - heading(data.base_orientation.values[int(np.searchsorted(data.time.values, 2.4 - 1e-9))]),
        "power": float(now.actuator_power),
    }
