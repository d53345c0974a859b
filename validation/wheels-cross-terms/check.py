"""(22) as printed against the full equations."""
from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from limbless.environments.wheels import Wheels
from limbless.gaits.serpenoid import Serpenoid
from limbless.models.geometric import Geometric
from limbless.robots.wang_snake import WangSnake
from validation.wheels import drive, printed_acceleration, printed_run, tail


def without_friction(numbers: dict) -> tuple[float, float]:
    """Tail after 10 s from zero momentum: error of the full model, and X by (22) as printed."""
    model = Geometric(WangSnake())
    q, qd, _ = drive(0.0)
    M = model.metric([0, 0, 0, *q])
    start = -np.linalg.solve(M[:3, :3], M[:3, 3:] @ qd)
    twist = (start[0], start[1], 0, 0, 0, start[2])
    full = ll.simulate(WangSnake(), Serpenoid(), (), model="geometric", duration=10.0, step=0.01, initial={"twist": twist}).dataset
    base, h = np.concatenate([np.zeros(3), start]), 0.01

    def rate(t: float, state: np.ndarray) -> np.ndarray:
        return np.concatenate([state[3:], printed_acceleration(model, t, state)])

    for k in range(1000):
        t = k * h
        k1 = rate(t, base)
        k2 = rate(t + h / 2, base + h / 2 * k1)
        k3 = rate(t + h / 2, base + h / 2 * k2)
        base = base + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(t + h, base + h * k3))
    return float(np.abs(tail(full)[-1] - numbers["x123"]).max()), float(base[0])


def check(case: Any, sheet: Any) -> dict[str, float]:
    law, h = Wheels(law="regularised", slip_speed=1e-2), 4e-3
    torques, _ = printed_run(law, h, 3500, 5)
    full = ll.simulate(WangSnake(), Serpenoid(), law, model="geometric", duration=14.0, step=h, record_every=5 * h).dataset
    right = full["joint_torque"].values
    error = 100.0 * np.abs(torques - right).mean(axis=0) / np.abs(right).mean(axis=0)
    known = np.array(case.numbers["cross_terms_dropped"]["mean_abs_error_over_mean_abs_tau_percent"])
    kept, printed = without_friction(case.numbers["zero_momentum"])
    axes = sheet.subplots()
    axes.plot(full["time"], right[:, 0], label="full")
    axes.plot(full["time"], torques[:, 0], "--", label="(22) as printed")
    axes.set(xlabel="time (s)", ylabel="torque of joint 4 (N m)")
    axes.legend()
    return {"full": kept, "printed": printed, "errors": float(np.abs(error / known - 1.0).max()), "tau 4": float(error[0])}
