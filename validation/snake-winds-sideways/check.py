"""Sidewinding, and what friction makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.ground import SCENARIOS, behind, draw_path, link_six, measured

FRICTION = (
    *((mu, mu) for mu in (0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7)),
    (0.1, 0.5),
    (0.5, 0.1),
    (0.05, 0.5),
    (0.5, 0.05),
    (0.2, 0.6),
    (0.6, 0.2),
    (0.1, 0.2),
)
"""Along and across the body."""


def check(case: Any, sheet: Any) -> dict[str, float]:
    run, values = measured(case, "side")
    draw_path(sheet.subplots(), run, case.numbers["link6"]["side"])
    end, state = link_six(run)[-1], run.dataset["contact_state"].values[1:]
    back = []
    for along, across in FRICTION:
        ground = {"environment.0.forward": along, "environment.0.lateral": across}
        other = ll.run(SCENARIOS["side"], {**ground, "step": 0.001, "model.theta": 1.0})
        places = other.dataset["com_position"].values[:, 1], link_six(other)[:, 1]
        back.append([behind(other.dataset["time"].values, y)[1].max() for y in places])
    time, way = behind(run.dataset["time"].values, link_six(run)[:, 1])
    apart = [np.abs(time[way > 1e-3] - printed).min() for printed in (5.0, 9.0, 14.0)]
    return {
        **values,
        "stribeck": stribeck(),
        "straight": float(abs(end[0]) / end[1]),
        "lifted": float((state == 0).mean()),
        "sticking": float((state == 1).sum(axis=1).mean()),
        "com back": float(max(whole for whole, _ in back)),
        "back": float(min(link for _, link in back)),
        "back times": float(max(apart)),
    }


def stribeck() -> float:
    """How much farther the snake comes where friction at rest is twice that of sliding, relative."""
    ways = []
    for breakaway in (1.0, 2.0):
        run = ll.run(
            SCENARIOS["side"],
            {
                "environment.0.breakaway": breakaway,
                "environment.0.stribeck_speed": 0.01,
                "step": 0.001,
                "model.theta": 1.0,
            },
        )
        ways.append(np.linalg.norm(np.diff(run.dataset["com_position"].values[[0, -1]], axis=0)))
    return float(ways[1] / ways[0] - 1.0)
