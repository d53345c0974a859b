"""(22) as printed against the full equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from validation.wheels import Exterior, glide, tail


def without_friction(numbers: dict) -> tuple[float, float]:
    """Tail after 10 s from zero momentum: error of the full model, and X by (22) as printed."""
    start, full = glide()
    printed, _ = Exterior("none").run(True, (0.0, 0.0, 0.0, *start), 10.0)
    return float(np.abs(tail(full)[-1] - numbers["x123"]).max()), float(printed[-1, 0])


def check(case: Any, sheet: Any) -> dict[str, float]:
    exterior, known = Exterior("eps_1e-2"), case.numbers["cross_terms_dropped"]["eps_1e-2"]
    (_, right), (_, torques) = exterior.run(False), exterior.run(True)
    error = 100.0 * np.abs(torques - right).mean(axis=0) / np.abs(right).mean(axis=0)
    wanted, times = np.array(known["mean_abs_error_over_mean_abs_tau_percent"]), np.linspace(0.0, 14.0, len(right))
    kept, printed = without_friction(case.numbers["zero_momentum"])
    axes = sheet.subplots()
    axes.plot(times, right[:, 0], label="full")
    axes.plot(times, torques[:, 0], "--", label="(22) as printed")
    axes.set(xlabel="time (s)", ylabel="torque of joint 4 (N m)")
    axes.legend()
    return {
        "full": kept,
        "printed": printed,
        "errors": float(np.abs(error / wanted - 1.0).max()),
        "tau 4": float(error[0]),
    }
