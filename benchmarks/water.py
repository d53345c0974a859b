"""Water: what wake, flows and a surface cost the eel's time loop (RK4, 1 ms), beside consistent added mass alone."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import limbless as ll
from benchmarks.peers import mujoco_model
from benchmarks.table import Row, microseconds
from benchmarks.timing import Repeated, each, race
from limbless.scenarios.scenario import Initial

STEPS = 100
_ROWS = (
    "Links that the surface may cut are taken one after the other, with their immersed share at every point; the "
    "law of still water takes eight links at once."
)
CASES: dict[str, tuple[str, dict[str, Any], float, str]] = {
    "lighthill": ("a wake at the tail", {}, 1.03, "The wake is one row of its own, read and pushed apart."),
    "current": ("wake and a uniform current", {"current": (0.1, 0.0, 0.0)}, 1.05, ""),
    "vortices": (
        "wake and two vortices",
        {"flow": [{"kind": "vortices", "places": [[0, 0, 0], [1, 0.2, 0]], "circulations": 0.1}]},
        2.0,
        _ROWS,
    ),
    "waves": (
        "wake and waves far above",
        {"surface": 5.0, "flow": [{"kind": "waves", "amplitude": 0.02, "length": 3.0}]},
        2.0,
        _ROWS,
    ),
    "none cut": (
        "a surface that cuts no link",
        {"surface": 5.0},
        1.1,
        "Weight and lift are part of it, which the other run does not have, and where each link is must be looked at.",
    ),
    "all cut": ("a surface that cuts every link", {"surface": 0.0}, 3.0, _ROWS),
}


def loop(water: ll.Water, gravity: bool, height: float) -> Repeated:
    """Steps of the eel's time loop, without recording."""
    flat = {"density": 900.0, "half_width": 0.09, "half_height": 0.065} if gravity else {}
    model, gait = ll.NewtonEuler(ll.KhalilEel(**flat), [water, ll.Gravity()] if gravity else [water]), ll.BodyWave()
    state = model.initial_state(Initial(position=(0.0, 0.0, height)), gait)
    knots, record = 0.001 * np.arange(STEPS + 1), np.zeros(STEPS + 1, dtype=bool)
    drive = model.drive(gait, 0.0005 * np.arange(2 * STEPS + 1))
    return each(lambda: model.advance(state, knots, record, drive))


def swimmer() -> Repeated:
    """Steps of MuJoCo (RK4, 1 ms) with its fluid on the eel's 36 joints, which swing freely from a bent start."""
    model = mujoco_model(ll.KhalilEel().build(), fluid=True)
    data = mujoco.MjData(model)
    data.qvel[6:] = 0.3 * np.sin(np.arange(model.nv - 6))
    start = data.qpos.copy(), data.qvel.copy()

    def steps() -> None:
        data.qpos[:], data.qvel[:] = start
        for _ in range(STEPS):
            mujoco.mj_step(model, data)

    return each(steps)


def rows(chunks: int = 60) -> list[Row]:
    runs = {"alone": loop(ll.Water(wake="none"), False, 0.0)}
    for name, (_, fields, _, _) in CASES.items():
        runs[name] = loop(ll.Water(**fields), "surface" in fields, -0.0447 if name == "all cut" else 0.0)
    runs["lifted"] = loop(ll.Water(gravity=(0.0, 0.0, -9.81)), True, 0.0)
    # MuJoCo apart: whoever comes after it finds the caches full of its code, and pays more than a wake costs
    best = race(runs, chunks) | race({"mujoco": swimmer()}, chunks)
    time = {name: microseconds(best[name] / STEPS) for name in best}
    beside = [
        Row(
            f"`eel-planar` with {CASES[name][0]}: MuJoCo's ellipsoid fluid on the same 36 joints / a step of it",
            time[name],
            time["mujoco"],
            best["mujoco"] / best[name],
            target=target,
            reason="MuJoCo's fluid knows no surface: it is the same row.",
        )
        for name, target in (("lighthill", 4.0), ("none cut", 2.0), ("all cut", 2.0))
    ]
    return [
        *(
            Row(
                f"`eel-planar` with {what} / with consistent added mass alone",
                time[name],
                time["alone"],
                best[name] / best["alone"],
                target=target,
                sense="at most",
                reason=reason,
            )
            for name, (what, _, target, reason) in CASES.items()
        ),
        Row(
            "`eel-planar` with a surface that cuts no link / in deep water with the same weight and lift",
            time["none cut"],
            time["lifted"],
            best["none cut"] / best["lifted"],
            target=1.1,
            sense="at most",
            reason="Where each link is must be looked at.",
        ),
        *beside,
    ]
