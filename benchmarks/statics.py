"""A tendon-driven spine at rest: one load, a trajectory, a workspace."""

from __future__ import annotations

import math

import numpy as np

import limbless as ll
from benchmarks.table import Row, microseconds
from benchmarks.timing import each, race
from limbless.control.gaits.tendon_paths import TipEight

TENSION = np.array([0.5, 0.4, 0.0, 0.0])  # N
HANGING = (math.sqrt(0.5), 0.0, math.sqrt(0.5), 0.0)


def neck(count: int = 8) -> ll.TendonStatics:
    """The neck hanging in air; with more vertebrae of the same total length and compliance."""
    share = count / 8
    robot = ll.SnakeNeck(
        count=count,
        first_length=0.022 / share,
        last_length=0.018 / share,
        first_stiffness=0.045 * share,
        last_stiffness=0.035 * share,
        joint_mass=0.001 / share,
        first_disk_mass=0.003 / share,
        last_disk_mass=0.002 / share,
        stop_lateral=math.radians(15.0) / share,
        stop_vertical=math.radians(8.0) / share,
    )
    return ll.TendonStatics(robot, ll.Gravity(), base_orientation=HANGING)


def rows(chunks: int = 30, points: int = 241, grid: int = 13) -> list[Row]:
    """The targets of the model."""
    model, tension, gait = neck(), TENSION, TipEight(points=points)
    targets = gait.sample(gait.instants(), np.zeros(0)).value[:, 1:]
    best = race(
        {
            "one load": each(lambda: model.solve(tension)),
            "trajectory": each(lambda: model.inverse(targets)),
            "workspace": each(lambda: model.workspace(1.2, grid)),
        },
        chunks,
    )
    return [
        Row(
            "tendon neck, 8 vertebrae: `solve` from rest, from Python",
            microseconds(best["one load"]),
            "",
            best["one load"] * 1e6,
            microseconds(best["one load"]),
            60.0,
            "at most",
            " µs",
        ),
        Row(
            f"the same: `inverse` of {points} points (the paper: 50 to 90 hours)",
            f"{best['trajectory'] * 1e3:.1f} ms",
            "",
            best["trajectory"] * 1e3,
            f"{best['trajectory'] * 1e3:.1f} ms",
            30.0,
            "at most",
            " ms",
        ),
        Row(
            f"the same: `workspace` of {grid} x {grid} postures with stops",
            f"{best['workspace'] * 1e3:.1f} ms",
            "",
            best["workspace"] * 1e3,
            f"{best['workspace'] * 1e3:.1f} ms",
            50.0,
            "at most",
            " ms",
        ),
    ]
