"""Undulation with isotropic friction."""

from __future__ import annotations

from typing import Any

import limbless as ll
from validation.ground import SCENARIOS, draw_path, link_six, measured


def check(case: Any, sheet: Any) -> dict[str, float]:
    run, values = measured(case, "iso")
    draw_path(sheet.subplots(), run, case.numbers["link6"]["iso"])
    way = link_six(run)[-1, 0]
    others = [
        link_six(
            ll.run(SCENARIOS["iso"], {"environment.0.forward": mu, "environment.0.lateral": mu, "record_every": 0.5})
        )[-1, 0]
        for mu in (0.1, 0.4)
    ]
    paper = ll.run(SCENARIOS["iso"], {"model.activation": "paper", "record_every": 0.5})
    # from link 1 to link 11, along the wave
    body = run.dataset["position"].values[0, -1] - run.dataset["position"].values[0, 0]
    moved = run.dataset["com_position"].values[-1] - run.dataset["com_position"].values[0]
    return {
        **values,
        "insensitive": float(max(abs(other - way) for other in others) / abs(way)),
        "with the wave": float(body @ moved / ((body @ body) * (moved @ moved)) ** 0.5),
        "paper activation": float(link_six(paper)[-1, 0]),
    }
