"""All listed equilibria of the neck."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import limbless as ll
from validation.necks import in_paper, neck


def check(case: Any, sheet: Any) -> dict[str, float]:
    numbers = case.numbers
    model = cache(lambda load, form, stops: neck(numbers, load, form=form, stops=stops))
    worst = {"tip": 0.0, "lengths": 0.0, "bends": 0.0, "stops": 0.0}
    for known in numbers["default_cases"]:
        found = model(known["load"], known["form"], False).solve(known["T"])
        now = {
            "tip": in_paper(found) - known["tip"],
            "lengths": found.tendon_length - known["tendon_lengths"],
            "bends": -found.bend.T.ravel() - [*known["b"], *known["g"]],
        }
        worst |= {name: max(worst[name], float(np.abs(error).max())) for name, error in now.items()}
    for known in numbers["stop_cases"]:
        found = model(known["load"], "energy", True).solve(known["T"])
        apart = float(np.abs(-found.bend.T.ravel() - [*known["b"], *known["g"]]).max())
        worst["stops"] = max(worst["stops"], apart if int(found.held.sum()) == known["n_active"] else np.inf)
    axes, tensions = sheet.subplots(), np.linspace(0.0, 1.2, 25)
    for form in ("energy", "moment"):
        tips = np.array([in_paper(model("hanging_air", form, False).solve([T, 0, 0, 0])) for T in tensions])
        axes.plot(tensions, 1e3 * tips[:, 0], label=f"{form} form")
        listed = [
            known
            for known in numbers["default_cases"]
            if known["load"] == "hanging_air" and known["form"] == form and not any(known["T"][1:])
        ]
        axes.plot(
            [known["T"][0] for known in listed],
            [1e3 * known["tip"][0] for known in listed],
            "o",
            markersize=3,
            color="k",
        )
    axes.set(xlabel="tension (N)", ylabel="tip to the side (mm)")
    axes.legend()
    straight = model("hanging_air", "energy", False).solve([0.0] * 4)
    standing = ll.TendonStatics(
        ll.SnakeNeck(), [ll.Gravity(acceleration=(-9.81, 0.0, 0.0))], settings=ll.TendonStaticsSettings(stops=False)
    ).solve([0.0] * 4)
    sides = {
        form: float(1e3 * in_paper(model("hanging_air", form, False).solve([0.7, 0, 0, 0]))[0])
        for form in ("energy", "moment")
    }
    return {
        **worst,
        **sides,
        "stable": float(straight.min_eigenvalue),
        "fallen": float(np.linalg.norm(standing.tip_in_base[1:])),
    }
