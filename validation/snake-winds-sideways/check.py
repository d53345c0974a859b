"""Sidewinding."""
from __future__ import annotations

from typing import Any

from validation.ground import draw_path, link_six, measured


def check(case: Any, sheet: Any) -> dict[str, float]:
    run, values = measured(case, "side")
    draw_path(sheet.subplots(), run, case.numbers["link6"]["side"])
    end, state = link_six(run)[-1], run.dataset["contact_state"].values[1:]
    return {**values, "straight": float(abs(end[0]) / end[1]), "lifted": float((state == 0).mean()),
            "sticking": float((state == 1).sum(axis=1).mean())}
