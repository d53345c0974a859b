"""An eel of printed curvature, heights and widths swims in several waters; speed and torque beside CFD."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import limbless as ll
from validation.experiments import drawn

PERIODS = 12
PLACES = ("0.1", "0.3", "0.5", "0.7", "0.9")
FORMS: dict[str, dict[str, Any]] = {
    "constant": {"environment": [{"kind": "water"}]},
    "taylor": {"environment.water.drag_law": "taylor"},
}
"""Other laws of drag, whose speed and largest moment are shown."""


def scenario(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Lengths in L, times in T: 1 m and 1 s. The heading A exp(s) sin(..) has the printed curvature."""

    def half(table: Mapping[str, float]) -> list[list[float]]:
        rows = [[float(s), 0.5 * value] for s, value in table.items()]
        return [[0.0, rows[0][1]], *rows, [1.0, rows[-1][1]]]

    wavelength = 0.59
    amplitude = 11.41 * np.exp(-1.0) / np.hypot(1.0, 2.0 * np.pi / wavelength)
    return {
        "name": "eel-cfd",
        "robot": {
            "kind": "rod",
            "strains": "planar",
            "base": "planar",
            "length": 1.0,
            "half_width": half(numbers["width_L"]),
            "half_height": half(numbers["height_L"]),
        },
        "gait": {
            "kind": "body-wave",
            "amplitude": float(amplitude),
            "growth": 1.0,
            "wavelength": wavelength,
            "period": 1.0,
            "ramp": 1.0,
        },
        "environment": [{"kind": "water", "drag_law": "laminar", "viscosity": 1e-4}],
        "model": {"kind": "macro-continuous", "cells": 80},
        "duration": float(PERIODS),
        "step": 0.0125,
        "record_every": 0.025,
    }


def values(case: Any, changes: Mapping[str, Any]) -> dict[str, float]:
    """Speed in L/T over the last four periods, and torque in rho L^5/T^2 over the last."""
    found = swum(case, changes)
    for form, others in FORMS.items():
        held = {} if form == "constant" else changes
        other = swum(case, {**others, **held})
        found |= {f"speed, {form}": other["speed"], f"peak, {form}": other["peak"]}
    return found


def swum(case: Any, changes: Mapping[str, Any]) -> dict[str, float]:
    """Of one run."""
    data = ll.run(scenario(case.numbers["eel_cfd"]), dict(changes)).dataset
    each = round(1.0 / 0.025)
    head = data.head_position.values[:, :2]
    moment = data.effort.values[-each:, :, 5] / 1000.0
    places = np.cumsum(data.section_length.values) - 0.5 * data.section_length.values
    rms = np.sqrt((moment**2).mean(axis=0))
    found = {"speed": float(np.linalg.norm(head[-1] - head[-1 - 4 * each])) / 4.0, "peak": float(np.abs(moment).max())}
    return found | {f"rms {place}": float(np.interp(float(place), places, rms)) for place in PLACES}


def check(case: Any, sheet: Any) -> dict[str, float]:
    found, rms = values(case, {}), case.numbers["eel_cfd"]["rms_torque"]
    measured = np.array([rms[place] for place in PLACES])
    row = {each.value: each for each in case.rows}
    own = [row[f"rms {place}"] for place in PLACES]
    curve = {
        "band": 1e5 * np.array([each.band for each in own]).T,
        "error": 1e5 * np.array([each.tolerance for each in own]),
        "at": np.array(PLACES, dtype=float),
        "along": "place, L",
        "measured": 1e5 * measured,
        "sd": 0.05e5 * measured,
        "run": [1e5 * found[f"rms {place}"] for place in PLACES],
    }
    return drawn(case, sheet, found, {"rms moment, 1e-5 rho L5/T2": curve})
