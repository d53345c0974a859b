"""A lamprey's wave in water and in ten times thicker water: how its speed falls, by two laws of drag."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import limbless as ll
from validation.experiments import drawn

PERIODS, WATER = 8, 1e-6
CHANGED = ("tail_amplitude", "width")


def speed(case: Any, times: str, law: str, tail_amplitude: float, width: float) -> float:
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
    """Speeds, and how they fall."""
    how = {"tail_amplitude": 0.1, "width": 0.05, **changes}
    found = {(law, times): speed(case, times, law, **how) for law in ("constant", "laminar") for times in ("1", "10")}
    return {
        "speed": found["laminar", "1"],
        "fall, laminar": found["laminar", "10"] / found["laminar", "1"],
        "fall, constant": found["constant", "10"] / found["constant", "1"],
    }


def check(case: Any, sheet: Any) -> dict[str, float]:
    return drawn(case, sheet, values(case, {}))
