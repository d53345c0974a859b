"""The planar swim, as the reference was made and as the scenario comes."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.eel import PERIOD, as_the_reference, at_listed_times, mean_speed, peaks, state_errors, swim
from validation.rods import rotation_matrices


def tilted() -> dict[str, float]:
    """The same swim for 10 s in a plane across all axes, from another place."""
    q, start = np.array([0.8, 0.3, -0.4, 0.2]) / np.linalg.norm([0.8, 0.3, -0.4, 0.2]), np.array([0.3, -0.2, 0.5])
    turn = rotation_matrices(q)
    flat, leant = (
        swim(10.0, record_every=0.1, initial=initial).dataset
        for initial in ({}, {"position": tuple(start), "orientation": tuple(q)})
    )
    there = (leant.base_position.values - start) @ turn  # back along the plane's own axes
    return {
        "other torques": float(np.abs(leant.joint_torque.values.reshape(-1, 12, 3)[..., 1:]).max()),
        "out of plane": float(np.abs(there[:, 2]).max()),
        "turned": float(np.abs(there - flat.base_position.values).max()),
    }


def check(case: Any, sheet: Any) -> dict[str, float]:
    numbers = case.numbers["planar_30s"]
    data = as_the_reference(numbers, 30.0)
    long = swim(100.0, record_every=0.5).dataset
    position, torque = data.base_position.values, peaks(data)
    means = position[:-1].reshape(-1, round(PERIOD / numbers["dt"]), 3).mean(axis=1)
    late = position[data.time.values > 20.0, 1]
    starts = np.arange(0.0, 30.0, PERIOD)
    speeds = [mean_speed(data, start, start + PERIOD) for start in starts]
    path, speed = sheet.subplots(2)
    path.plot(position[:, 0], position[:, 1])
    _, listed = at_listed_times(data, numbers["state"])
    path.plot(listed[:, 0], listed[:, 1], "o", markersize=3)
    path.set(xlabel="x (m)", ylabel="y (m)")
    speed.plot(starts + 0.5 * PERIOD, speeds)
    speed.plot(starts + 0.5 * PERIOD, np.linalg.norm(numbers["period_mean_velocity_world"], axis=1), "o", markersize=3)
    speed.set(xlabel="time (s)", ylabel="speed (m/s)")
    final = mean_speed(long, 98.0, 100.0)
    return {
        **state_errors(data, numbers),
        "as it comes": state_errors(ll.run("eel-planar").dataset, numbers)["position"],
        "side drift": float(np.ptp(means[1:, 1])),
        "oscillation": float(np.abs(late).max()),
        "travelled": float(position[-1, 0]),
        "speed": speeds[-1],
        "final speed": final,
        "share": speeds[-1] / final,
        "drawn yaw": float(torque[[0, 24, 33]].max()),
        "yaw": float(torque[0::3].max()),
        **tilted(),
    }
