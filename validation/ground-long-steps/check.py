"""Balances of all snakes on ground at four steps."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.ground import link_six

STEPS = (0.0005, 0.001, 0.002, 0.005)
FLAT = ("snake-undulate-orthotropic", "snake-undulate-isotropic", "snake-turn", "snake-pegs", "snake-slope")
LIFTED = ("snake-sidewind", "snake-lift", "snake-stairs", "snake-roll")


def run(name: str, step: float) -> ll.Result:
    return ll.run(name, {"step": step, "model.theta": 1.0})


def largest(name: str, step: float) -> float:
    """The worst balance over its threshold."""
    return max(balance.relative / balance.threshold for balance in run(name, step).balances())


def check(case: Any, sheet: Any) -> dict[str, float]:
    worst = {(name, step): largest(name, step) for name in (*FLAT, *LIFTED) for step in STEPS}
    axes = sheet.subplots()
    for name in (*FLAT, *LIFTED):
        drawn = [worst[name, step] for step in STEPS]
        axes.loglog([1e3 * step for step in STEPS], drawn, "o-", markersize=3, label=name.removeprefix("snake-"))
    axes.axhline(1.0, color="k", linewidth=0.8)
    axes.set(xlabel="step (ms)", ylabel="worst balance / threshold")
    axes.set_xticks([1e3 * step for step in STEPS], [f"{1e3 * step:g}" for step in STEPS])
    axes.minorticks_off()
    axes.margins(x=0.05)
    axes.legend(fontsize=6, loc="center left", bbox_to_anchor=(1.0, 0.5))
    fine, coarse = (link_six(run("snake-sidewind", step))[-1] for step in (0.00025, 0.002))
    return {
        "at 2 ms": max(worst[name, 0.002] for name in (*FLAT, *LIFTED) if name != "snake-roll"),
        "rolling at 0.25 ms": largest("snake-roll", 0.00025),
        "rolling at 1 ms": worst["snake-roll", 0.001],
        "sidewinding at 5 ms": worst["snake-sidewind", 0.005],
        "flat at 5 ms": max(worst[name, 0.005] for name in FLAT),
        "path at 2 ms": float(np.linalg.norm(coarse - fine)),
    }
