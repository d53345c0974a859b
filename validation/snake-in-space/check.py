"""The snake in space."""
from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll


def check(case: Any, sheet: Any) -> dict[str, float]:
    data = ll.run("snake-turn-3d", {"model.cells": 256, "record_every": 0.1, "step": 0.02}).dataset
    known, force = case.numbers["snake3d"]["outputs"]["head"], case.numbers["snake3d"]["outputs"]["F_c"]
    listed = data.sel(time=[head["t"] for head in known], method="nearest")
    places = np.array([head["r"] for head in known])
    turned = np.abs(np.einsum("ti,ti->t", listed.base_orientation.values, [head["q"] for head in known]))
    for axes, other in zip(sheet.subplots(1, 2), (1, 2), strict=True):
        axes.plot(data.base_position[:, 0], data.base_position[:, other])
        axes.plot(places[:, 0], places[:, other], "o", markersize=3)
        axes.set(xlabel="x (m)", ylabel="y (m)" if other == 1 else "z (m)", aspect="equal")
    V = data.base_twist.values
    return {
        "head": float(np.abs(listed.base_position.values - places).max()), "orientation": float(1.0 - turned.min()),
        "slip": float(data.contact_residual.max()), "speed": float(V[np.abs(V[:, 0] + 0.5).argmax(), 0]),
        "twist": float(np.abs(data.strain.values[..., 3]).max()),
        "resultant": float(np.abs(data.sel(time=force["t"], method="nearest").contact_wrench.values - force["value"]).max()),
        "rise": float(np.abs(data.base_position.values[:, 2]).max()),
    }
