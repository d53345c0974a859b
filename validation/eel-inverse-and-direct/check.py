"""Direct dynamics at every record of both examples, with the torques that inverse dynamics gave."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline

import limbless as ll


def back(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Differences of joint and head accelerations at every record (T,)."""
    data = ll.run(name, {"record_every": 0.1}).dataset
    model = ll.NewtonEuler(ll.KhalilEel(), ll.Water(model="morison"))
    joints, heads = [], []
    for record in range(len(data.time)):
        now = data.isel(time=record)
        found = model.forward(
            now.joint_position.values,
            now.joint_velocity.values,
            now.joint_torque.values,
            now.base_twist.values,
            base_orientation=now.base_orientation.values,
        )
        joints.append(np.abs(found.joint_acceleration - now.joint_acceleration.values).max())
        heads.append(np.abs(found.base_acceleration - now.base_acceleration.values).max())
    return np.array(joints), np.array(heads)


def open_loop(duration: float, step: float) -> float:
    """Largest distance of a joint from the gait when only torques are given, interpolated by a spline between steps."""
    given = ll.run("eel-loop", {"duration": duration, "step": step / 2, "record_every": step / 2}).dataset
    torque = make_interp_spline(given.time.values, given.joint_torque.values, k=5)
    gait = ll.FunctionGait(function=lambda t, s: torque(t), drives="torque")
    start = {
        "joint_position": tuple(given.joint_position.values[0]),
        "joint_velocity": tuple(given.joint_velocity.values[0]),
    }
    free = ll.simulate(
        ll.KhalilEel(), gait, ll.Water(model="morison"), actuation="torque", duration=duration, step=step, initial=start
    ).dataset
    wanted = given.joint_position.sel(time=free.time, method="nearest").values
    return float(np.abs(free.joint_position.values - wanted).max())


def check(case: Any, sheet: Any) -> dict[str, float]:
    axes, values = sheet.subplots(), {}
    for name in ("planar", "loop"):
        joints, heads = back(f"eel-{name}")
        time = 0.1 * np.arange(len(joints))
        axes.semilogy(time, np.maximum(joints, 1e-16), label=f"{name}, joints")
        axes.semilogy(time, np.maximum(heads, 1e-16), label=f"{name}, head")
        values |= {f"{name} joints": float(joints.max()), f"{name} head": float(heads.max())}
    axes.set(xlabel="time (s)", ylabel="difference of accelerations")
    axes.legend()
    return {**values, "open loop": open_loop(1.0, 0.01)}
