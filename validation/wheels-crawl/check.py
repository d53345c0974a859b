"""The crawl with smoothed and with set-valued friction."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.wheels import crawl, drive, tail


def instants(numbers: dict, eps: float) -> tuple[float, float]:
    """Accelerations of the base against the reference's, and torques against those of the
    Newton-Euler model of the same chain.
    """
    wheels = ll.Wheels(law="regularised", slip_speed=eps)
    geometric, recursive = ll.Geometric(ll.WangSnake(), wheels), ll.NewtonEuler(ll.WangSnake(), wheels)
    apart, between = 0.0, 0.0
    for t, x, xd, xdd in zip(numbers["t"], numbers["x123"], numbers["xd123"], numbers["xdd123"], strict=True):
        q, qd, qdd = drive(t)
        found = geometric.solve([*x, *q], [*xd, *qd], acceleration=qdd)
        apart = max(apart, float(np.abs(found.acceleration[:3] - xdd).max()))
        c, s = np.cos(x[2]), np.sin(x[2])
        twist = [c * xd[0] + s * xd[1], -s * xd[0] + c * xd[1], 0.0, 0.0, 0.0, xd[2]]
        pose = {"base_position": [x[0], x[1], 0.0], "base_orientation": [np.cos(x[2] / 2), 0.0, 0.0, np.sin(x[2] / 2)]}
        other = recursive.inverse(q, qd, qdd, twist, **pose)
        between = max(between, float(np.abs(other.joint_torque - found.force[3:]).max()))
    return apart, between


def at(data: Any, times: Any) -> np.ndarray:
    return np.array([int(np.abs(data["time"].values - t).argmin()) for t in times])


def check(case: Any, sheet: Any) -> dict[str, float]:
    numbers = case.numbers
    found = {
        eps: instants(numbers[name], eps) for name, eps in (("eps_1e-2", 1e-2), ("eps_1e-3", 1e-3), ("eps_1e-4", 1e-4))
    }
    smooth, known = crawl("regularised", 2.5e-4, 6.0, 0.25).dataset, numbers["eps_1e-3"]
    early = [k for k, t in enumerate(known["t"]) if t <= 6.0]
    rows = at(smooth, [known["t"][k] for k in early])
    data, limit = crawl("set-valued", 1e-3, 20.0, 1e-3).dataset, numbers["set_valued"]
    track, listed = tail(data), at(data, limit["t"])
    inner = [k for k, t in enumerate(limit["t"]) if 0.0 < t < 20.0]
    torque = data["joint_torque"].values
    # the forces of a step are those of its middle
    between = 0.5 * (torque[listed[inner]] + torque[listed[inner] + 1])
    axes = sheet.subplots()
    axes.plot(track[:, 0], track[:, 1])
    axes.plot(*np.array(limit["moreau_1ms"]["x123"]).T[:2], "o", markersize=3)
    axes.set(xlabel="X (m)", ylabel="Y (m)")
    return {
        "accelerations": max(apart * eps for eps, (apart, _) in found.items()),
        "newton-euler": max(between for _, between in found.values()),
        "smooth track": float(np.abs(tail(smooth)[rows] - np.array(known["x123"])[early]).max()),
        "smooth torques": float(np.abs(smooth["joint_torque"].values[rows] - np.array(known["tau4_7"])[early]).max()),
        "track": float(np.abs(track[listed] - limit["moreau_1ms"]["x123"]).max()),
        "torques": float(np.abs(between - [limit["moreau_1ms"]["tau4_7"][k] for k in inner]).max()),
        "limit": float(np.abs(track[listed] - limit["eps_1e-6"]["x123"]).max()),
        "per period": float(track[8000 + round(2e3 * np.pi), 0] - track[8000, 0]),
        "reached": float(1e-3 * np.argmax(track[:, 0] >= 0.65)),
    }
