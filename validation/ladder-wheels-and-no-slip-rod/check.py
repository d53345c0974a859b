"""Chains on wheels and the rod that follows its head."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.runner.convergence_orders import draw_order, fitted_order

COUNTS = (8, 16, 32, 64)
AMPLITUDE, WAVELENGTH, SPEED, DURATION = 5.0, 0.6, -0.3, 2.0  # 1/m, m, m/s, s
WAVE = 2.0 * np.pi / WAVELENGTH


def chain_track(rod: ll.Rod, links: int) -> np.ndarray:
    """Head of a chain of links, each pointing as the rod does at its middle, m (records, 3)."""
    inner = np.arange(1, links)

    def turned(X: Any, t: Any, derivative: int) -> Any:
        """Heading of the body at X and its time derivatives."""
        phase = WAVE * (X + SPEED * t) + 0.5 * np.pi * derivative
        return AMPLITUDE / WAVE * (WAVE * SPEED) ** derivative * np.sin(phase)

    def joints(t: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, ...]:
        return tuple(
            turned((inner + 0.5) / links, t[:, None], n) - turned((inner - 0.5) / links, t[:, None], n)
            for n in range(3)
        )

    start = turned(0.5 / links, 0.0, 0) - turned(0.0, 0.0, 0)
    initial = {
        "orientation": (np.cos(start / 2), 0.0, 0.0, np.sin(start / 2)),
        "twist": (SPEED, 0.0, 0.0, 0.0, 0.0, SPEED * AMPLITUDE * np.cos(WAVE * 0.5 / links)),
    }
    data = ll.simulate(
        rod.to_chain(links),
        ll.FunctionGait(function=joints, drives="joint"),
        ll.Wheels(tangential=0.0, normal=0.5),
        model="geometric",
        duration=DURATION,
        step=DURATION / (1000 * (links // 8) ** 2),
        record_every=DURATION / 10,
        initial=initial,
    ).dataset
    return data.base_position.values


def check(case: Any, sheet: Any) -> dict[str, float]:
    rod = ll.Rod(base="planar", strains="planar", length=1.0, half_width=0.03)
    gait = ll.TravellingCurvature(amplitude=AMPLITUDE, wavelength=WAVELENGTH, speed=SPEED)
    smooth = ll.simulate(
        rod,
        gait,
        ll.Support(travel=False),
        model={"kind": "macro-continuous", "cells": 256},
        duration=DURATION,
        step=0.01,
        record_every=DURATION / 10,
    ).dataset.base_position.values
    tracks = [chain_track(rod, links) for links in COUNTS]
    errors = [float(np.linalg.norm(track[-1] - smooth[-1])) for track in tracks]
    axes, order = sheet.subplots(1, 2)
    axes.plot(*smooth.T[:2], "k-", label="rod")
    for links, track in zip(COUNTS[:3], tracks[:3], strict=True):
        axes.plot(*track.T[:2], "--", label=f"{links} links")
    axes.set(xlabel="x (m)", ylabel="y (m)")
    axes.legend()
    draw_order(order, COUNTS, errors, "heads (m)", "links")
    order.set_ylabel("distance after 2 s")
    return {"order": fitted_order(COUNTS, errors), "near": errors[-1] / errors[0]}
