"""Seven steps of an inchworm."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.special import j0

import limbless as ll


def check(case: Any, sheet: Any) -> dict[str, float]:
    run = ll.run("inchworm-climb", {"record_every": 0.05, "model.cells": 128})
    data, known = run.dataset, case.numbers["inchworm_climb"]["outputs"]
    steps = data.sel(time=np.arange(0.0, 14.1, 2.0), method="nearest")
    climbed = np.diff(steps.head_position.values[:, 2])
    anchor = 0.0
    for snapshot in known["snapshots"]:
        now = data.sel(time=snapshot["t"], method="nearest")
        held = int(snapshot["anchor"] == "tail")
        anchor = max(anchor, float(np.abs(now.support_wrench.values[held] - snapshot["anchor_wrench_local"]).max()))
    drawn = next(snapshot for snapshot in known["snapshots"] if snapshot["t"] == 4.5)
    rows, now = np.array(drawn["Lambda"])[1:-1, 5], data.sel(time=4.5, method="nearest")
    inside = np.interp(drawn["X"][1:-1], data.abscissa.values, now.internal_wrench.values[:, 5])
    along = make_interp_spline(data.abscissa.values, data.position.values, k=5, axis=1)
    tail = along(0.3)  # half a section beyond the last place
    chord = np.linalg.norm(tail - data.head_position.values, axis=1)
    whole, odd = (np.searchsorted(data.time.values, np.arange(start, 14.1, 2.0) - 1e-9) for start in (0.0, 1.0))
    changes = data.time.values[1:][(np.diff(data.contact_state.values, axis=0) != 0).any(axis=1)]
    height, torque = sheet.subplots(1, 2)
    height.plot(data.time, data.head_position[:, 2], label="head")
    height.plot(data.time, data.position[:, -1, 2], label="tail")
    height.set(xlabel="time (s)", ylabel="height (m)")
    height.legend()
    torque.plot(data.abscissa, now.internal_wrench.values[:, 5])
    torque.plot(drawn["X"][1:-1], rows, "o", markersize=3)
    torque.set(xlabel="X (m)", ylabel="torque at 4.5 s (N m)")
    work = np.diff(data.actuator_work.sel(time=np.arange(2.0, 14.1, 2.0), method="nearest").values)
    return {
        "head": float(np.abs(data.head_position.values[-1] - known["head_at_end"]["r"]).max()),
        "step": float(np.abs(climbed - 0.3 * (1.0 - j0(1.8))).max()),
        "height": float(climbed.sum()),
        "straight": float(np.abs(chord[whole] - 0.3).max()),
        "bent": float(np.abs(chord[odd] - 0.3 * j0(1.8)).max()),
        "rest": float(np.abs(changes - np.round(changes)).max()) if len(changes) == 13 else float("nan"),
        "anchor": anchor,
        "profile": float(np.abs(inside - rows).max() / np.abs(rows).max()),
        "work": float(np.abs(work / (run.mass * 9.81 * known["step_length"]) - 1.0).max()),
        "weight": float(np.abs(data.support_wrench.values[0, 0, 0])),
    }
