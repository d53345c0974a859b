"""Pegs, a slope, steps."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll


def check(case: Any, sheet: Any) -> dict[str, float]:
    runs = {name: ll.run(f"snake-{name}").dataset for name in ("pegs", "slope", "stairs")}
    way, height = sheet.subplots(1, 2)
    for name, data in runs.items():
        com = data.com_position.values - data.com_position.values[0]
        (height if name != "pegs" else way).plot(data.time, com[:, 2 if name != "pegs" else 0], label=name)
    way.set(xlabel="time (s)", ylabel="way along x (m)")
    height.set(xlabel="time (s)", ylabel="height won (m)")
    way.legend()
    height.legend()
    pegs, stairs = runs["pegs"], runs["stairs"]
    level = [{"kind": "ground", "forward": 0.4, "lateral": 0.4}, {"kind": "gravity"}]
    flat = ll.run("snake-stairs", {"environment": level}).dataset
    bare = ll.Scenario.load("snake-pegs")
    alone = ll.run(bare.changed(environment=tuple(item for item in bare.environment if item.kind != "pegs"))).dataset
    last = stairs.contact_force.values[stairs.time.values > 19.0, :, 2]
    on_pegs = pegs.contact_surface.values != 0
    won = {name: data.com_position.values[-1] - data.com_position.values[0] for name, data in runs.items()}
    return {
        "pegs": float(won["pegs"][0]),
        "push": float(pegs.contact_force.values[:, on_pegs, 0].sum(axis=1).mean()),
        "no pegs": float(alone.com_position[-1, 0] - alone.com_position[0, 0]),
        "slope": float(won["slope"][2]),
        "grade": float(won["slope"][2] / won["slope"][0]),
        "stairs": float(stairs.com_position[-1, 2] - flat.com_position[-1, 2]),
        "upper": float(last[:, stairs.contact_surface.values == 2].sum() / last.sum()),
        "depth": float(
            -min(np.where(data.contact_state.values > 0, data.contact_gap.values, 0.0).min() for data in runs.values())
        ),
        "residual": float(max(data.contact_residual.max() for data in runs.values())),
    }
