"""Friction cases and the loop."""

from __future__ import annotations

from typing import Any

import numpy as np

from validation.necks import friction_of, in_paper, neck


def check(case: Any, sheet: Any) -> dict[str, float]:
    worst = 0.0
    for known in case.numbers["friction_cases"]:
        model = neck(case.numbers, known["load"], form=known["form"], friction=friction_of(known))
        found = model.solve(known["T"], slip=known["direction"])
        apart = np.concatenate([in_paper(found) - known["tip"], found.distal_tension - known["distal_tension"]])
        worst = max(worst, float(np.abs(apart).max()))
    given = case.numbers["hysteresis_mu02_hanging_air"]
    rows = np.array(given["rows"])
    pull = np.zeros((len(rows), 4))
    pull[:, 0] = rows[:, 0]
    found = neck(case.numbers, "hanging_air", friction=0.2).path(pull)
    side, length = np.array([in_paper(one)[0] for one in found]), np.array([one.tendon_length[0] for one in found])
    loop = slice(*(np.flatnonzero(np.abs(rows[:, 0] - 0.7) < 1e-9)[[0, -1]] + [0, 1]))
    tension, loop_length = rows[loop, 0], length[loop]
    lost = -(0.5 * (tension[1:] + tension[:-1]) * np.diff(loop_length)).sum()
    axes = sheet.subplots()
    axes.plot(rows[:, 0], 1e3 * side)
    axes.plot(rows[:, 0], 1e3 * rows[:, 2], "o", markersize=2)
    axes.set(xlabel="tension (N)", ylabel="tip to the side (mm)")
    rubbed, free = (
        neck(case.numbers, "hanging_air", friction=law).solve([0.7, 0, 0, 0]) for law in ("gautreau2024", None)
    )
    return {
        "cases": worst,
        "loop": float(np.abs(side - rows[:, 2]).max()),
        "lost": float(abs(lost / given["loop_work_0p7_0p2_0p7"] - 1.0)),
        "small": float(1.0 - rubbed.distal_tension[0] / 0.7),
        "tip change": float(1e3 * np.linalg.norm(in_paper(rubbed) - in_paper(free))),
    }
