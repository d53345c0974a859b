"""Winches, elastic tendons and friction in holes."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll

DOWN = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
TIP = np.array([0.0, -0.0107173088, -0.1588985581])  # of neck-winch at 0.6 s, by another program
LEGS = {"pulled": (0.0, 14.0), "released": (14.0, 24.0)}


def swing_of_a_winch() -> float:
    """Frequency of a winch on its tendon over r sqrt(k/J), the body being stiff."""
    rigid = ll.TendonSpine(
        vertebrae=(ll.Vertebra(lateral_stiffness=1e7, vertical_stiffness=1e7),),
        tendons=(ll.Tendon(holes=((0.01, 0.0),), stiffness=400.0, winch={"rotor_inertia": 1e-6}),),
    )
    found = ll.simulate(
        rigid,
        ll.WinchStep(after=(0.002,), ramp=0.0),
        model=ll.SoftSettings(tolerance=1e-9),
        duration=0.1,
        step=1e-4,
        record_every=1e-4,
    ).dataset
    away, time = found["winch_angle"].values[:, 0] - 0.002 / (400.0 * 1e-4), found["time"].values
    there = np.flatnonzero(np.diff(np.sign(away)))
    crossing = time[there] - away[there] * np.diff(time)[there] / np.diff(away)[there]
    return float(np.pi * (len(crossing) - 1) / (crossing[-1] - crossing[0]) / (0.01 * np.sqrt(400.0 / 1e-6)))


def residual() -> float:
    """Accelerations at the equilibrium that statics finds for given lengths, over those a little beside it."""
    neck = ll.Soft(ll.SnakeNeck(tendon_stiffness=2000.0), ll.Gravity())
    length = 0.16 - np.array([3e-3, 4e-4, 2e-4, -1e-3])
    x = neck.flat(neck.equilibrium(length=length, base_orientation=DOWN), base_orientation=DOWN)
    beside = x.copy()
    beside[7] += 1e-4
    here, there = (np.abs(neck.forward(state, length=length).strain_acceleration).max() for state in (x, beside))
    return float(here / there)


def rubbing(axes: Any) -> dict[str, float]:
    """A hanging neck whose right tendon is pulled from 0 to 0.7, to 0.2 and to 0.7 N."""
    table = [[0.0] * 5, [14.0, 0.7, 0.0, 0.0, 0.0], [24.0, 0.2, 0.0, 0.0, 0.0], [34.0, 0.7, 0.0, 0.0, 0.0]]
    data = ll.run(
        "neck-swing-air",
        {
            "robot.damping_time": 0.05,
            "robot.friction": 0.2,
            "robot.slip_speed": 1e-3,  # as in the other program; the default follows the winch
            "duration": 34.0,
            "step": 0.01,
            "gait": {"kind": "tendon-path", "table": table},
        },
    ).dataset
    time, pull, tip = data["time"].values, data["tension"].values[:, 0], -1e3 * data["tip_position"].values[:, 1]
    axes.plot(pull, tip)
    axes.set(xlabel="tension (N)", ylabel="lateral tip (mm)")
    found = {}
    for name, (first, last) in LEGS.items():
        leg = (time >= first) & (time <= last)
        order = np.argsort(pull[leg])
        found[name] = float(np.interp(0.5, pull[leg][order], tip[leg][order]))
    cycle = time >= 14.0
    return {**found, "loop": float(1e3 * np.trapezoid(-pull[cycle], data["tendon_length"].values[cycle, 0]))}


def check(case: Any, sheet: Any) -> dict[str, float]:
    elastic, plain = ll.Soft(ll.SnakeNeck(tendon_stiffness=2000.0), ll.Gravity()), ll.Soft(ll.SnakeNeck(), ll.Gravity())
    x = plain.flat(base_orientation=DOWN)
    wound = ll.run("neck-winch", {"duration": 0.6, "model.tolerance": 1e-9}).dataset["tip_position"].values[-1]
    return {
        "held": float(elastic.linearise(x, length=0.16 - 0.5 / 2000.0).frequency[0]),
        "loose": float(plain.linearise(x, 0.5).frequency[0]),
        "wound": float(np.linalg.norm(wound - TIP)),
        "winch": swing_of_a_winch(),
        "still": residual(),
        **rubbing(sheet.subplots()),
    }
