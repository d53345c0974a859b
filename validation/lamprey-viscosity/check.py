"""A lamprey's wave in water and in ten times thicker water: how its speed falls, by three laws of drag."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import limbless as ll
from validation.experiments import drawn

PERIODS, WATER = 8, 1e-6
LAWS = ("constant", "laminar", "taylor")


def speed(case: Any, times: str, law: str, tail_amplitude: float, width: float, skin_factor: float) -> float:
    """m/s over the last two beats, with the frequency and the wavelength that were measured."""
    numbers = case.numbers["lamprey_viscosity"]["times"][times]
    period = round(1.0 / numbers["frequency_hz"] / 100.0, 5) * 100.0
    wavelength = 1e-3 * numbers["wavelength_mm"]
    length = 1e-3 * numbers["wavelength_mm"] * numbers["waves_on_body"]
    growth = np.log(3.0) / length  # the tail sways three times as far as the head
    heading = 2.0 * np.pi / wavelength * tail_amplitude * length
    water: dict[str, Any] = {"kind": "water"}
    if law != "constant":
        water |= {"drag_law": law, "viscosity": float(times) * WATER}
    if law == "laminar":
        water["skin_factor"] = skin_factor
    step = period / 80.0
    data = ll.run(
        {
            "name": "lamprey",
            "robot": {
                "kind": "rod",
                "strains": "planar",
                "base": "planar",
                "length": length,
                "half_width": 0.5 * width * length,
            },
            "gait": {
                "kind": "body-wave",
                "amplitude": float(heading / 3.0),
                "growth": float(growth),
                "wavelength": wavelength,
                "period": period,
                "ramp": period,
            },
            "environment": [water],
            "model": {"kind": "macro-continuous", "cells": 60},
            "duration": PERIODS * period,
            "step": step,
            "record_every": 8.0 * step,
        }
    ).dataset
    head = data.head_position.values[:, :2]
    return float(np.linalg.norm(head[-1] - head[-21])) / (2.0 * period)


def values(case: Any, changes: Mapping[str, Any]) -> dict[str, float]:
    """Speeds, and how they fall; the laminar law stands for all three, whose band is its own."""
    how = {"tail_amplitude": 0.1, "width": 0.05, "skin_factor": 1.0, **changes}
    found = {(law, times): speed(case, times, law, **how) for law in LAWS for times in ("1", "10")}
    falls = {f"fall, {law}": found[law, "10"] / found[law, "1"] for law in LAWS}
    speeds = {f"speed, {law}": found[law, "1"] for law in LAWS}
    return {**speeds, **falls, "fall": falls["fall, laminar"]}


def check(case: Any, sheet: Any) -> dict[str, float]:
    return drawn(case, sheet, values(case, {}))
