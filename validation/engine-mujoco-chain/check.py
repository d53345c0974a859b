"""The tumbling chain of the cross tests."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
import validation.engines  # noqa: F401


def check(case: Any, sheet: Any) -> dict[str, float]:
    import mujoco
    import test_mujoco as peer

    rng = np.random.default_rng(3)
    chain = peer.tumbling_chain(rng)
    initial = {
        "position": tuple(rng.normal(size=3)),
        "orientation": tuple(peer.unit_quaternion(rng)),
        "twist": tuple(rng.normal(size=6)),
        "joint_position": tuple(rng.uniform(-1.0, 1.0, peer.FREEDOMS)),
        "joint_velocity": tuple(rng.normal(size=peer.FREEDOMS)),
    }
    twin = peer.Twin(chain, initial)
    mujoco.set_mjcb_control(twin.push)
    try:
        for _ in range(peer.STEPS):
            mujoco.mj_step(twin.model, twin.data)
    finally:
        mujoco.set_mjcb_control(None)
    gait, duration = ll.FunctionGait(function=peer.torque, drives="torque"), peer.STEP * peer.STEPS
    data = ll.simulate(
        chain,
        gait,
        ll.Gravity(acceleration=peer.GRAVITY),
        actuation="torque",
        duration=duration,
        step=peer.STEP,
        record_every=duration,
        initial=initial,
    ).dataset
    apart = {}
    for name, theirs in twin.state().items():
        ours = data[name].values[-1]
        sign = np.sign(ours @ theirs) if name == "base_orientation" else 1.0
        apart[name] = float(np.abs(sign * ours - theirs).max())
    axes = sheet.subplots()
    axes.barh([name.replace("_", " ") for name in apart], [max(value, 1e-17) for value in apart.values()])
    axes.axvline(1e-9, color="k", linewidth=0.8)
    axes.set(xscale="log", xlabel="difference after 0.1 s")
    return {
        "pose": max(apart["base_position"], apart["base_orientation"]),
        "twist": apart["base_twist"],
        "joints": max(apart["joint_position"], apart["joint_velocity"]),
    }
