"""Speed of travelling waves in linear drag."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import j0

import limbless as ll
from validation.runner.convergence_orders import draw_order, extrapolated, fitted_order

LISTED = {1: 0.0761, 2: 0.0978, 4: 0.1032, 8: 0.1046, 16: 0.1049}


def wave(theta: float, waves: int) -> ll.FunctionGait:
    """Curvature of theta(s) = t0 sin(2 pi n s - 2 pi t) on a body of length 1; the wave advances by
    one wavelength per second.
    """
    k = 2.0 * np.pi * waves

    def travelling(t: np.ndarray, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        parts = np.zeros((3, len(t), len(X), 6))
        angle = k * X - 2.0 * np.pi * t[:, None]
        parts[0, ..., 0] = 1.0
        parts[0, ..., 5], parts[1, ..., 5] = theta * k * np.cos(angle), 2.0 * np.pi * theta * k * np.sin(angle)
        parts[2, ..., 5] = -((2.0 * np.pi) ** 2) * theta * k * np.cos(angle)
        return parts[0], parts[1], parts[2]

    return ll.FunctionGait(function=travelling, drives="strain")


def speed(theta: float, waves: int, ratio: float, **other: Any) -> float:
    """U/V of a free planar body over one period, as a rod or as another model sees it."""
    model = {"kind": "macro-continuous", "inertia": False, "cells": 64 * waves}
    model = {"inertia": False, **other} if other else model
    rod = ll.Rod(base="planar", strains="planar")
    data = ll.simulate(
        rod,
        wave(theta, waves),
        ll.Drag(along=1.0, lateral=ratio),
        model=model,
        duration=1.0,
        step=0.01,
        record_every=0.5,
    ).dataset
    moved = data.com_position.values[-1] - data.com_position.values[0]
    return float(np.linalg.norm(moved) / (j0(theta) / waves))


def many_links(waves: int) -> float:
    """U/V of the rod as links, extrapolated from 16 and 32 for each wave."""
    found = (speed(0.5, waves, 2.0, kind="newton-euler", links=count * waves) for count in (16, 32))
    return float(extrapolated(*found))


def formula(theta: float, ratio: float) -> float:
    e = 0.5 * (1.0 - j0(2.0 * theta))
    return float((ratio - 1.0) * e / (1.0 + (ratio - 1.0) * e))


def check(case: Any, sheet: Any) -> dict[str, float]:
    found = {waves: speed(0.5, waves, 2.0) for waves in LISTED}
    counts = [2, 4, 8, 16]
    errors = [abs(found[waves] - formula(0.5, 2.0)) for waves in counts]
    axes = sheet.subplots()
    draw_order(axes, counts, errors, "free body, t0 = 0.5, g = 2", "waves along the body")
    axes.set_ylabel("difference of U/V from the formula")
    small = extrapolated(speed(0.05, 8, 2.0), speed(0.05, 16, 2.0)) / (0.5 * 0.05**2)
    links = {n: abs(speed(0.5, 2, 2.0, kind="newton-euler", links=n) - found[2]) for n in (32, 64, 128)}
    soft = [abs(speed(0.5, 2, 2.0, kind="soft", cells=n, degree=2) - found[2]) for n in (8, 16)]
    draw_order(axes, list(links), list(links.values()), "as links, from the rod of 2 waves", "waves, or links")
    axes.set_xticks([*counts, *links], [str(n) for n in (*counts, *links)])
    return {
        "links order": fitted_order(list(links), list(links.values())),
        "links limit": float(extrapolated(many_links(4), many_links(8))),
        "soft": soft[1],
        "limit": float(extrapolated(found[8], found[16])),
        "small": float(small),
        "no slip": speed(0.5, 2, 1e6),
        "free": max(abs(found[waves] - LISTED[waves]) for waves in LISTED),
        "order": fitted_order(counts, errors),
    }
