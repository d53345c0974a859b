"""The snake in space."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

import limbless as ll
from validation.rods import along_sections, section_axes, twist_between_sections


def check(case: Any, sheet: Any) -> dict[str, float]:
    data = ll.run("snake-turn-3d", {"model.cells": 256, "record_every": 0.02, "step": 0.02}).dataset
    known, force = case.numbers["snake3d"]["outputs"]["head"], case.numbers["snake3d"]["outputs"]["F_c"]
    listed = data.sel(time=[head["t"] for head in known], method="nearest")
    places = np.array([head["r"] for head in known])
    turned = np.abs(np.einsum("ti,ti->t", listed.base_orientation.values, [head["q"] for head in known]))
    for axes, other in zip(sheet.subplots(1, 2), (1, 2), strict=True):
        axes.plot(data.base_position[:, 0], data.base_position[:, other])
        axes.plot(places[:, 0], places[:, other], "o", markersize=3)
        axes.set(xlabel="x (m)", ylabel="y (m)" if other == 1 else "z (m)", aspect="equal")
    V, R = along_sections(data), section_axes(data)
    back, on = R[:-2], R[2:]
    turned_by = np.einsum("tsji,tsjk->tsik", back, on)  # over two records
    lasted = (data.time.values[2:] - data.time.values[:-2])[:, None]
    rolls = 0.5 * (turned_by[..., 2, 1] - turned_by[..., 1, 2]) / lasted
    way = make_interp_spline(data.time.values, data.base_position.values, k=5).derivative()
    return {
        "head": float(np.abs(listed.base_position.values - places).max()),
        "orientation": float(1.0 - turned.min()),
        "slip": float(np.abs(V[..., 1:]).max()),
        "roll": float(np.abs(rolls).max()),
        "way": float(np.linalg.norm(way(np.linspace(0.0, 10.0, 2001)), axis=1)[:-1].mean() * 10.0),
        "twist": float(np.abs(twist_between_sections(data)).max()),
        "resultant": float(
            np.abs(data.sel(time=force["t"], method="nearest").contact_wrench.values - force["value"]).max()
        ),
        "height": float(data.base_position.values[-1, 2]),
    }
