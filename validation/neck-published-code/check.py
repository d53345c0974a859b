"""Three cases of the published code."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.necks import TO_LIBRARY, in_paper, published_spine


def check(case: Any, sheet: Any) -> dict[str, float]:
    same, own, distances = 0.0, 0.0, {}
    for known in case.numbers["published_constant_curvature"]:
        force, robot = (
            ll.PointWrench(force=tuple(TO_LIBRARY @ np.array(known["f_tip"], dtype=float))),
            published_spine(known),
        )
        published = in_paper(
            ll.TendonStatics(robot, force, settings=ll.TendonStaticsSettings(form="moment", drop_axial=True)).solve(
                known["tension"]
            )
        )
        energy = in_paper(ll.TendonStatics(robot, force).solve(known["tension"]))
        same = max(same, float(np.abs(published - known["published_cc_tip"]).max()))
        own = max(own, float(np.abs(energy - known["ours_energy_form"]).max()))
        cosserat = np.array(known["published_subsegment_cosserat_tip"])
        distances[known["name"]] = [1e3 * float(np.linalg.norm(tip - cosserat)) for tip in (energy, published)]
    axes = sheet.subplots()
    places = np.arange(len(distances))
    for number, form in enumerate(("energy form", "moment form")):
        axes.bar(places + 0.4 * number, [pair[number] for pair in distances.values()], 0.38, label=form)
    axes.set_xticks(places + 0.2, [name.replace("_", " ") for name in distances])
    axes.set(ylabel="distance of the tip (mm)", yscale="log")
    axes.legend()
    return {"same": same, "energy": own, "nearer": max(near / far for near, far in distances.values())}
