"""The same rods as strain cells, as a given curve and as rigid links."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.runner.convergence_orders import draw_order, fitted_order
from validation.spines import sprung

LENGTH, RADIUS, BENDING, DENSITY, LAG = 0.4, 0.01, 0.02, 1000.0, 0.02
LINKS, CELLS, FEW = (10, 20, 40), (8, 16, 32), (2, 4, 8)
UNTIL, DOWN = 0.3, (0.0, -9.81, 0.0)


def swims(model: Any, form: str) -> np.ndarray:
    """The centre of mass after one and a half periods."""
    rod = ll.Rod(base="planar", strains="planar", length=0.6, half_width=0.01, half_height=0.02)
    gait = ll.CurvatureWave(curvature=6.0, period=1.0, wavelength=0.5, ramp=0.5)
    water = ll.Water(model="morison", added_mass=form)
    data = ll.simulate(rod, gait, water, model=model, duration=1.5, step=0.005, record_every=0.5).dataset
    return np.asarray(data["com_position"].values[-1])


def swings(cells: int, degree: int) -> np.ndarray:
    """The tip of the rod that is let go."""
    rod = ll.Rod(
        base="fixed",
        strains="planar",
        length=LENGTH,
        half_width=RADIUS,
        density=DENSITY,
        stiffness=BENDING,
        damping_time=LAG,
        passive={},
    )
    data = ll.simulate(
        rod,
        ll.Still(),
        ll.Gravity(acceleration=DOWN),
        duration=UNTIL,
        step=0.0025,
        record_every=UNTIL,
        model=ll.SoftSettings(cells=cells, degree=degree, tolerance=1e-8),
    ).dataset
    return np.asarray(data["tip_position"].values[-1, :2])


def links_swing(links: int) -> np.ndarray:
    """The same as rigid links with springs between: half a link is clamped, and half a link is the tip."""
    chain = sprung(links, DENSITY * np.pi * RADIUS**2 * LENGTH, LENGTH, BENDING, RADIUS, LAG)
    free = ll.FunctionGait(function=lambda t, s: 0.0 * np.add.outer(t, s), drives="torque")
    implicit = {"kind": "newton-euler", "integrator": "sdirk4"}
    data = ll.simulate(
        chain,
        free,
        ll.Gravity(acceleration=DOWN),
        model=implicit,
        actuation="torque",
        duration=UNTIL,
        step=0.0025,
        record_every=UNTIL,
    ).dataset
    angles = np.concatenate([[0.0], np.cumsum(data["joint_position"].values[-1])])
    spans = LENGTH / links * np.array([0.5, *[1.0] * (links - 1), 0.5])
    return np.array([(spans * np.cos(angles)).sum(), (spans * np.sin(angles)).sum()])


def check(case: Any, sheet: Any) -> dict[str, float]:
    found = {}
    for form in ("consistent", "paper"):
        ours = swims(ll.SoftSettings(cells=12, degree=2), form)
        found[form] = float(np.linalg.norm(ours - swims({"kind": "macro-continuous", "cells": 240}, form)))
    fine = swings(8, 2)
    chains = [float(np.linalg.norm(links_swing(links) - fine)) for links in LINKS]
    constant = [float(np.linalg.norm(swings(cells, 0) - fine)) for cells in CELLS]
    straight = [float(np.linalg.norm(swings(cells, 1) - fine)) for cells in FEW]
    axes = sheet.subplots()
    draw_order(axes, LINKS, chains, "rigid links", "links or cells")
    draw_order(axes, CELLS, constant, "cells of degree 0", "links or cells")
    draw_order(axes, FEW, straight, "cells of degree 1", "links or cells")
    both = sorted({*LINKS, *CELLS, *FEW})
    axes.set_xticks(both, [str(count) for count in both])
    axes.set_ylabel("distance of the tip (m)")
    return {
        **found,
        "chain": chains[-1],
        "chain order": fitted_order(LINKS, chains),
        "cell order": fitted_order(CELLS, constant),
        "degree 1 order": fitted_order(FEW, straight),
    }
