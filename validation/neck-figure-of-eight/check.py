"""The inverse problem along 241 points under three loads."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.necks import EIGHT, TO_LIBRARY, neck, signed, spent, work_steps


def forwards(numbers: dict, load: str, data: Any) -> float:
    """Largest distance of the tip, sideways and up, from its target when tensions are solved
    for the posture, one by one.
    """
    model = neck(numbers, load)
    chosen = range(0, data.sizes["point"], 20)
    tips = np.array([model.solve(data["tension"].values[point]).tip_in_base for point in chosen])
    return float(np.abs(tips - data["target"].values[::20])[:, 1:].max())


def check(case: Any, sheet: Any) -> dict[str, float]:
    worst = dict.fromkeys(("tensions", "tips", "work", "equivalent", "followed", "largest", "touched", "closed"), 0.0)
    positive, bias, axes = {}, 0.0, sheet.subplots()
    for scenario, load in EIGHT.items():
        known, data = (
            next(run for run in case.numbers["inverse"]["runs"] if run["load"] == load),
            ll.run(scenario).dataset,
        )
        u, rows = signed(data["tension"].values), known["idx"]
        work = -work_steps(data["tension"], data["tendon_length"])
        equivalent = work_steps(data["equivalent_force"], data["tip_position"])
        positive[load] = spent(work)
        now = {
            "tensions": np.abs(u[rows] - known["u"]).max(),
            "tips": np.abs(data["tip_in_base"].values[rows] @ TO_LIBRARY - known["tip"]).max(),
            "work": abs(positive[load] - known["actuator_positive"]),
            "equivalent": abs(spent(equivalent) - known["W57_trapezoid_positive"]),
            "followed": forwards(case.numbers, load, data),
            "largest": np.abs(u).max(),
            "touched": np.abs(data["stop_moment"].values).max(),
            "closed": abs(work.sum()) if "hanging" in load else 0.0,
        }
        worst |= {name: max(worst[name], float(value)) for name, value in now.items()}
        if load == "hanging_air":
            for number, axis in enumerate("xy"):
                (line,) = axes.plot(u[:, number], label=f"u_{axis}")
                axes.plot(rows, np.array(known["u"])[:, number], "o", markersize=3, color=line.get_color())
        if load == "horizontal_water":
            bias = float(u[:, 1].mean())
    axes.set(xlabel="point of the path", ylabel="signed tension (N)")
    axes.legend()
    return {**worst, "bias": bias, "work ratio": positive["hanging_water"] / positive["hanging_air"]}
