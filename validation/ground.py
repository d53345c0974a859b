"""What cases and golden tests of snakes on the ground share."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll

SCENARIOS = {"ortho": "snake-undulate-orthotropic", "iso": "snake-undulate-isotropic", "side": "snake-sidewind"}
START_UP = 0.004
"""m: in the first seconds of the soft start the reference itself is no surer than this."""


def link_six(run: ll.Result) -> np.ndarray:
    """Path of the middle of link 6, m (T, 3)."""
    return run.dataset["position"].values[:, 5]


def off_the_path(run: ll.Result, known: dict) -> np.ndarray:
    """Distance in x and y from the listed places of link 6, m (times, 2)."""
    rows = np.searchsorted(run.dataset["time"].values, np.array(known["t"]) - 1e-9)
    return np.abs(link_six(run)[rows, :2] - np.array(known["xyz"])[:, :2])


def late_speed(run: ll.Result) -> float:
    """Speed of the centre of mass over the ground from 4.5 s on, m/s."""
    time, com = run.dataset["time"].values, run.dataset["com_position"].values
    start = int(np.searchsorted(time, 4.5))
    return float(np.linalg.norm((com[-1] - com[start])[:2]) / (time[-1] - time[start]))


def loaded(run: ll.Result) -> float:
    """Contacts that carry, of 22, on average."""
    return float((run.dataset["contact_state"].values[1:] > 0).sum(axis=1).mean())


def behind(time: np.ndarray, y: np.ndarray, start: float = 4.4) -> tuple[np.ndarray, np.ndarray]:
    """Times after the start-up, s, and how far y is behind what it had reached since, m."""
    late = time > start
    return time[late], np.maximum.accumulate(y[late]) - y[late]


def measured(case: Any, name: str) -> tuple[ll.Result, dict[str, float]]:
    """One of the three examples: numbers that all of them are held to."""
    run, known = ll.run(SCENARIOS[name]), case.numbers["link6"][name]
    off, band = off_the_path(run, known), np.array(case.numbers["bands"][name])
    return run, {
        "end x": float(link_six(run)[-1, 0]),
        "end y": float(link_six(run)[-1, 1]),
        "path": float((off / np.maximum(band, START_UP)).max()),
        "speed": late_speed(run),
        "loaded": loaded(run),
        "residual": float(run.dataset["contact_residual"].values.max()),
        "depth": float(-min(run.dataset["contact_gap"].values[run.dataset["contact_state"].values > 0].min(), 0.0)),
        "balances": float(max(balance.relative / balance.threshold for balance in run.balances())),
    }


def draw_path(axes: Any, run: ll.Result, known: dict) -> None:
    """The path of link 6 from above, with the listed places."""
    axes.plot(*link_six(run)[:, :2].T)
    axes.plot(*np.array(known["xyz"]).T[:2], "o", markersize=3)
    axes.set(xlabel="x (m)", ylabel="y (m)")
    axes.margins(x=0.05)
