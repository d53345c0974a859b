"""`snake-soft` beside PyElastica's own program."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
import validation.engines  # noqa: F401

PERIODS, ELEMENTS = 4, 50
PROGRAM = {0.002: 0.02758046433, 0.001: 0.02787908358}  # m/s by step: an independent program, 10 cells of degree 1


def check(case: Any, sheet: Any) -> dict[str, float]:
    from elastica_snake import PERIOD, Snake, touching

    axes = sheet.subplots()
    ours, theirs = {}, {}
    for step in PROGRAM:
        path = ll.run(touching(10, step, PERIODS * PERIOD)).dataset["com_position"].values[:, :2]
        ours[step] = path - path[0]
    path = Snake(ELEMENTS, plane=True).run(PERIODS * PERIOD, PERIOD).center
    theirs[ELEMENTS] = path - path[0]
    axes.plot(*theirs[ELEMENTS].T, "--", label=f"PyElastica, {ELEMENTS} elements")
    axes.plot(*ours[0.001].T, "o-", label="limbless, 10 cells, 1 ms")
    axes.set(xlabel="x (m)", ylabel="y (m)")
    axes.legend()
    last = {key: path[-1] - path[-2] for key, path in (ours | theirs).items()}
    speed = {key: float(np.linalg.norm(way)) / PERIOD for key, way in last.items()}
    return {
        "coarse": speed[0.002] / PROGRAM[0.002],
        "fine": speed[0.001] / PROGRAM[0.001],
        "beside": speed[0.001] / speed[ELEMENTS],
        "limit": (2.0 * speed[0.001] - speed[0.002]) / speed[ELEMENTS],
    }
