"""The continuous body: one evaluation, whole runs, growth with the cells, and PyElastica's snake."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import numpy as np

import limbless as ll
from benchmarks.rollouts import loop_factor
from benchmarks.table import Row, microseconds
from benchmarks.timing import each, race

KINEMATIC = (
    "worm-burrow",
    "worm-accelerate",
    "inchworm-climb",
    "snake-turn-2d",
    "snake-turn-3d",
    "snake-shear",
    "rod-arm",
)
CELLS = (32, 64, 128, 256)
PEERS = Path(__file__).parents[1] / "tests" / "cross"  # where the other engines are prepared, for tests too


def evaluation_time(cells: int, duration: float, repeats: int) -> float:
    """CPU time (s) of one evaluation of the swimming rod's rate: the time loop of `rod-swim`, RK4 at 1 ms, gait
    sampling included.
    """
    changes = {"model.cells": cells, "step": 0.001, "duration": duration}
    return 0.001 / (4.0 * loop_factor(ll.Scenario.load("rod-swim", changes), repeats))


def swim_rows(duration: float = 4.0, repeats: int = 5, cells: tuple[int, ...] = CELLS) -> list[Row]:
    """`rod-swim` with Runge-Kutta steps of 1 ms."""
    evaluation_time(cells[0], 0.1, 1)
    took = {count: evaluation_time(count, duration, repeats) for count in sorted({64, *cells})}
    factor = 0.001 / (4.0 * took[64])
    slope = np.polyfit(np.log(cells), np.log([took[count] for count in cells]), 1)[0]
    table = ", ".join(f"{count}: {microseconds(took[count])}" for count in cells)
    return [
        Row(
            "`rod-swim`, 64 cells, RK4, 1 ms: one evaluation, gait sampling and recording included",
            microseconds(took[64]),
            "",
            took[64] * 1e6,
            microseconds(took[64]),
            5.0,
            "at most",
            " µs",
        ),
        Row("the same: time loop, times real time", f"{factor:.0f} x", "real time", factor, f"{factor:.0f}", target=50),
        Row(
            f"one evaluation with {table} (cells): slope",
            f"{slope:.2f}",
            "",
            float(slope),
            f"{slope:.2f}",
            1.05,
            "at most",
        ),
    ]


def kinematic_rows(repeats: int = 5, changes: dict[str, float] | None = None) -> list[Row]:
    """The scenarios in which contacts decide the motion, as they stand."""
    rows = []
    for name in KINEMATIC:
        factor = loop_factor(ll.Scenario.load(name, changes), repeats)
        rows.append(
            Row(
                f"`{name}` as it stands: time loop, times real time",
                f"{factor:.0f} x",
                "real time",
                factor,
                f"{factor:.0f}",
                target=100,
                reason="Half of it are the shapes of the body and the forces along it, eight "
                "instants at a time; "
                "the rest is NumPy on whole blocks: sampling the gait, finding the contacts, recording.",
            )
        )
    return rows


def elastica_rows(
    duration: float = 4.0, chunks: int = 10, elements: int = 50, cells: int = 32, step: float = 0.005
) -> list[Row]:
    """PyElastica's snake and the rod that bends alike on the same ground, where the rod is at least as accurate.

    Both are held to PyElastica's own limit: the extrapolation from `elements` and twice as many, at half the step.
    """
    sys.path.insert(0, str(PEERS))
    try:
        peer = importlib.import_module("elastica_snake")
    except ImportError:
        return [Row("PyElastica's snake (not measured: PyElastica is not installed)", "")]
    finally:
        sys.path.remove(str(PEERS))
    coarse, fine = (
        peer.Snake(elements).run(duration, 0.02),
        peer.Snake(2 * elements, 0.5 * peer.STEP).run(duration, 0.02),
    )
    limit = (4.0 * fine.center[-1] - coarse.center[-1]) / 3.0
    ours = peer.motion(fine, cells, step).dataset["com_position"].values[-1, :2]
    errors = [float(np.linalg.norm(end - limit)) for end in (ours, coarse.center[-1])]
    if errors[0] > errors[1]:
        raise RuntimeError(
            f"the rod is off by {errors[0]:.2g} m, PyElastica by {errors[1]:.2g} m: nothing to compare; use more cells"
        )
    snake, bent = peer.Snake(elements), peer.gait(fine)
    steps = 200

    settings = ll.MacroContinuousSettings(cells=cells)
    best = race(
        {
            "rod": each(
                lambda: ll.simulate(
                    peer.rod(),
                    bent,
                    peer.environment(),
                    model=settings,
                    duration=duration,
                    step=step,
                    record_every=0.02,
                )
            ),
            "peer": each(lambda: snake.advance(steps)),
        },
        chunks,
        0.05,
    )
    rod, other = duration / best["rod"], steps * peer.STEP / best["peer"]
    return [
        Row(
            f"snake on friction, {cells} cells, RK4, {step * 1e3:g} ms (error {errors[0]:.1e} m): `ll.simulate`, "
            f"times real time",
            f"{rod:.0f} x",
            f"PyElastica, {elements} elements, 0.1 ms (error {errors[1]:.1e} m): {other:.1f} x",
            rod / other,
            f"{rod / other:.0f}",
            target=25,
        )
    ]


def rows() -> list[Row]:
    return swim_rows() + kinematic_rows() + elastica_rows()
