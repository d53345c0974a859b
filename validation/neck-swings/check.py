"""The planar swing in air and in water."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.necks import EIGHT, neck, signed, spent, work_steps


def check(case: Any, sheet: Any) -> dict[str, float]:
    worst, largest = 0.0, {}
    for load in EIGHT.values():
        known = next(run for run in case.numbers["inverse"]["runs"] if run["load"] == load)["planar_extrema"]
        u = signed(neck(case.numbers, load).inverse(-np.array(known["targets"])).tension)
        worst, largest[load] = max(worst, float(np.abs(u - known["u"]).max())), float(np.abs(u[:, 0]).max())
    runs = {"air": ll.run("neck-planar"), "water": ll.run("neck-planar-water")}
    axes, positive = sheet.subplots(), {}
    for name, run in runs.items():
        axes.plot(run.dataset["time"], signed(run.dataset["tension"].values)[:, 0], label=name)
        steps = -work_steps(run.dataset["tension"], run.dataset["tendon_length"])
        time = run.dataset["time"].values
        positive[name] = spent(steps)
        if name == "air":
            straight, far = (int(np.abs(time - moment).argmin()) for moment in (1.0, 1.5))
            energy = run.dataset["potential_energy"].values
            transition = float(steps[straight:far].sum() / (energy[far] - energy[straight]))
            stored = np.concatenate([[0.0], np.cumsum(steps)])
            rest = float(abs(stored[int(np.abs(time - 1.0).argmin())]) / np.abs(stored).max())
    axes.set(xlabel="time (s)", ylabel="signed tension of the lateral pair (N)")
    axes.legend()
    return {
        "extrema": worst,
        "air": largest["hanging_air"],
        "water": largest["hanging_water"],
        "ratio": largest["hanging_water"] / largest["hanging_air"],
        "resting": rest,
        "transition": transition,
        "work ratio": positive["water"] / positive["air"],
        "largest": float(max(run.dataset["tension"].max() for run in runs.values())),
    }
