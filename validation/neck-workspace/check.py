"""Grids of tensions up to 1.2 N."""

from __future__ import annotations

from typing import Any

import numpy as np

from validation.necks import TO_LIBRARY, neck


def check(case: Any, sheet: Any) -> dict[str, float]:
    extents, areas, lowest, air = 0.0, 0.0, {}, np.zeros(3)
    axes = sheet.subplots()
    for known in case.numbers["workspace"]:
        space = neck(case.numbers, known["load"], stops=known["stops"]).workspace(1.2, 13)
        tip = space.tip.reshape(-1, 3) @ TO_LIBRARY
        wanted = np.array([known[name] for name in "xyz"])
        extents = max(extents, float(np.abs(np.stack([tip.min(axis=0), tip.max(axis=0)], axis=1) - wanted).max()))
        areas = max(areas, abs(space.hull_area / known["xy_hull_area"] - 1.0))
        if known["load"] == "hanging_water":
            lowest[known["stops"]] = float(tip[:, 2].min())
            axes.plot(
                1e3 * tip[:, 0],
                1e3 * tip[:, 1],
                "o" if known["stops"] else "x",
                markersize=3,
                label="with stops" if known["stops"] else "without",
            )
        if known["load"] == "hanging_air" and not known["stops"]:
            air = tip.max(axis=0)
    axes.set(xlabel="lateral (mm)", ylabel="dorso-ventral (mm)", aspect="equal")
    axes.margins(0.05)
    axes.legend()
    return {"extents": extents, "areas": areas, "wider": float(air[0] / air[1]), "curl": lowest[True] / lowest[False]}
