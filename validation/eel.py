"""What is measured of a swimming eel: shared by its cases and by the golden tests."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import xarray as xr

import limbless as ll

PERIOD = 2.0
"""Of the gait, s."""


def swim(
    duration: float, robot: dict | None = None, gait: dict | None = None, water: dict | None = None, **options: Any
) -> ll.Result:
    """An eel in water, with the values of the paper unless changed."""
    fluid = ll.Water(**{"model": "morison", **(water or {})})
    return ll.simulate(
        ll.KhalilEel(**(robot or {})), ll.BodyWave(**(gait or {})), [fluid], duration=duration, **options
    )


def as_the_reference(numbers: dict, duration: float) -> xr.Dataset:
    """A run as the reference was made: 32 Gauss points, steps of 5 ms, each step recorded (its peaks
    were taken over all steps).
    """
    return swim(duration, gait={"dive": numbers["off2"]}, water={"points": 32}, step=numbers["dt"]).dataset


def turned_to_world(data: xr.Dataset) -> tuple[np.ndarray, np.ndarray]:
    """Velocity and angular velocity of the base along the world axes."""
    w, v = data.base_orientation.values[:, :1], data.base_orientation.values[:, 1:]

    def turn(a: np.ndarray) -> np.ndarray:
        return a + 2.0 * np.cross(v, np.cross(v, a) + w * a)

    return turn(data.base_twist.values[:, :3]), turn(data.base_twist.values[:, 3:])


def head_turns(data: xr.Dataset) -> float:
    """How often the nose has turned in pitch: whole angle of the base's x axis in the x-z plane."""
    w, x, y, z = data.base_orientation.values.T
    angle = np.unwrap(np.arctan2(2 * (x * z - w * y), 1 - 2 * (y * y + z * z)))
    return float(angle[-1] - angle[0]) / (2 * math.pi)


def mean_speed(data: xr.Dataset, start: float, end: float) -> float:
    """Mean velocity of the nose over whole periods, along the direction of travel."""
    moved = data.base_position.sel(time=end, method="nearest") - data.base_position.sel(time=start, method="nearest")
    return float(np.linalg.norm(moved)) / (end - start)


def at_listed_times(data: xr.Dataset, listed: dict) -> tuple[xr.Dataset, np.ndarray]:
    """The records at the times that the reference lists, and its numbers; every listed time must have been recorded."""
    times = np.array([float(text) for text in listed])
    chosen = data.sel(time=times, method="nearest")
    np.testing.assert_allclose(chosen.time.values, times, rtol=0, atol=1e-9)
    return chosen, np.array(list(listed.values()))


def state_errors(data: xr.Dataset, numbers: dict) -> dict[str, float]:
    """Largest differences from the listed states and torques: position (m), quaternion, velocities
    (m/s, rad/s), torque (N m).
    """
    chosen, state = at_listed_times(data, numbers["state"])
    quaternion = chosen.base_orientation.values
    sign = np.sign(np.einsum("ti,ti->t", quaternion, state[:, 3:7]))  # q and -q are one orientation
    linear, angular = turned_to_world(chosen)
    _, torque = at_listed_times(data, numbers["torque"])
    joints = np.array(numbers["torque_joints"]) - 1
    differences = {
        "position": chosen.base_position.values - state[:, :3],
        "orientation": sign[:, None] * quaternion - state[:, 3:7],
        "velocity": np.hstack([linear, angular]) - state[:, 7:],
        "torque": chosen.joint_torque.values[:, joints] - torque,
    }
    return {name: float(np.abs(difference).max()) for name, difference in differences.items()}


def circle(x: np.ndarray, z: np.ndarray) -> tuple[float, float, float, float]:
    """Centre, radius and largest distance of points from the circle that fits them best."""
    (center_x, center_z, rest), *_ = np.linalg.lstsq(
        np.column_stack([2 * x, 2 * z, np.ones_like(x)]), x**2 + z**2, rcond=None
    )
    radius = math.sqrt(rest + center_x**2 + center_z**2)
    return center_x, center_z, radius, float(np.abs(np.hypot(x - center_x, z - center_z) - radius).max())


def peaks(data: xr.Dataset) -> Any:
    """Largest torque of every joint over the run, N m."""
    return np.abs(data.joint_torque.values).max(axis=0)
