"""The serpenoid curve in joints, and turning by an offset."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.wheels import tail

A, B, N = 0.6, 2.0 * np.pi, 8
PERIOD = 2.0 * np.pi


def turned(offset: float) -> float:
    """Change of the heading of the tail over the third period, rad."""
    data = ll.simulate(
        ll.WangSnake(),
        ll.Serpenoid(offset=offset),
        ll.Wheels(),
        model="geometric",
        duration=3.0 * PERIOD,
        step=1e-3 * PERIOD,
        record_every=PERIOD,
    ).dataset
    heading = np.unwrap(tail(data)[:, 2])
    return float(heading[-1] - heading[1])


def check(case: Any, sheet: Any) -> dict[str, float]:
    gait = ll.Serpenoid.from_curve(A, B, N)
    middles = (np.arange(N) + 0.5) / N
    heading = A * np.cos(B * middles)
    times = np.linspace(0.0, 0.9 * PERIOD, 7)
    angles = gait.sample(times, np.arange(N - 1.0)).value
    # the curve, moved on along the body
    wave = np.array([A * np.cos(B * middles + gait.frequency * t) for t in times])
    joints = angles[0]
    axes, s = sheet.subplots(), np.linspace(0.0, 1.0, 200)
    axes.plot(s, A * np.cos(B * s), label="curve")
    axes.step(np.arange(N + 1) / N, [*heading, heading[-1]], where="post", label="links")
    axes.plot(np.arange(1, N) / N, -joints, "o", markersize=4, label="joints")
    axes.set(xlabel="s", ylabel="heading, joint angle (rad)")
    axes.legend()
    left, right = turned(0.2), turned(-0.2)
    return {
        "amplitude": abs(gait.amplitude - 2.0 * A * np.sin(B / (2 * N))),
        "phase": abs(gait.phase_step - B / N),
        "angles": float(np.abs(angles + np.diff(wave, axis=1)).max()),
        "turning": min(left, -right),
        "straight": abs(turned(0.0)),
    }
