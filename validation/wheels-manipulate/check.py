"""Torques and the clamp's reaction with the tail held."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.wheels import drive


def compared(numbers: dict, wheels: Any) -> tuple[float, float, float]:
    """Torque, reaction, and what another place of the tail changes."""
    model, worst = ll.Geometric(ll.WangSnake(), wheels), np.zeros(3)
    for t, tau, reaction in zip(numbers["t"], numbers["tau4_7"], numbers["clamp_reaction_Fx_Fy_Mz"], strict=True):
        q, qd, qdd = drive(t)
        found = model.solve([0, 0, 0, *q], [0, 0, 0, *qd], "manipulation", acceleration=qdd)
        moved = model.solve([3.0, -2.0, 0.0, *q], [0, 0, 0, *qd], "manipulation", acceleration=qdd)
        now = [
            np.abs(found.force[3:] - tau).max(),
            np.abs(found.reaction[[0, 1, 5]] - reaction).max(),
            np.abs(moved.force - found.force).max(),
        ]
        worst = np.maximum(worst, now)
    return float(worst[0]), float(worst[1]), float(worst[2])


def check(case: Any, sheet: Any) -> dict[str, float]:
    numbers = case.numbers["manipulation"]
    found = {
        name: compared(
            numbers[name], () if name == "no_friction" else ll.Wheels(law="regularised", slip_speed=float(name[-4:]))
        )
        for name in ("no_friction", "coulomb_eps=1e-3", "coulomb_eps=1e-4")
    }
    arm = ll.NewtonEuler(ll.WangSnake(base="fixed"))
    geometric, free = ll.Geometric(ll.WangSnake()), numbers["no_friction"]
    times = np.linspace(0.0, 14.0, 141)
    torques = np.array(
        [
            geometric.solve([0, 0, 0, *q], [0, 0, 0, *qd], "manipulation", acceleration=qdd).force[3:]
            for q, qd, qdd in map(drive, times)
        ]
    )
    recursive = np.array([arm.inverse(*drive(t)).joint_torque for t in times])
    q = drive(1.3)[0]
    own = ll.Geometric(ll.WangSnake(base="fixed")).metric(q)
    axes = sheet.subplots()
    for joint in range(4):
        (line,) = axes.plot(times, torques[:, joint], label=f"joint {joint + 4}")
        axes.plot(free["t"], np.array(free["tau4_7"])[:, joint], "o", markersize=3, color=line.get_color())
    axes.set(xlabel="time (s)", ylabel="torque (N m)")
    axes.legend(ncols=4)
    return {
        "free": found["no_friction"][0],
        "rubbing": max(found[name][0] for name in list(found)[1:]),
        "reaction": max(entry[1] for entry in found.values()),
        "place": max(entry[2] for entry in found.values()),
        "sub-matrix": float(np.abs(geometric.metric([0.3, 0.2, 0.7, *q])[3:, 3:] - own).max()),
        "newton-euler": float(np.abs(torques - recursive).max()),
    }
