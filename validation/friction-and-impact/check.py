"""Links that slide, stick, roll and bounce."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import limbless as ll

G, RADIUS = 9.81, 0.0525
STILL = ll.JointWave(yaw_amplitude=0.0)
FREE = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="torque")
STIFF = ll.ProportionalDerivative(stiffness=(40.0, 800.0), damping=0.2)


def move(links: int, ground: ll.Ground, duration: float, step: float, every: float, **initial: Any) -> Any:
    """Links held straight, on ground."""
    return ll.simulate(
        ll.Aiko(links=links),
        STILL,
        (ground, ll.Gravity()),
        model=ll.NonSmoothSettings(theta=1.0),
        duration=duration,
        step=step,
        actuation=STIFF,
        record_every=every,
        initial=initial,
    ).dataset


def slope(angle: float, mu: float, duration: float, step: float, every: float) -> Any:
    """Three links on a plane that rises along x, lying along the slope."""
    pose = {
        "position": (-RADIUS * math.sin(angle), 0.0, RADIUS * math.cos(angle)),
        "orientation": (math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0),
    }
    return move(3, ll.Ground(forward=mu, lateral=mu, slope=(angle, 0.0)), duration, step, every, **pose)


def bounce(restitution: float) -> Any:
    return ll.simulate(
        ll.Aiko(links=1),
        FREE,
        (ll.Ground(restitution=restitution), ll.Gravity()),
        model="non-smooth",
        duration=0.8,
        step=0.0005,
        actuation="torque",
        initial={"position": (0.0, 0.0, RADIUS + 0.2)},
    ).dataset


def check(case: Any, sheet: Any) -> dict[str, float]:
    mu, speed = 0.3, 1.0
    slides = [
        move(
            n,
            ll.Ground(forward=mu, lateral=mu),
            0.5,
            0.00025,
            0.001,
            position=(0.0, 0.0, RADIUS),
            twist=(speed, 0, 0, 0, 0, 0),
        )
        for n in (1, 3)
    ]
    distances = [float(data.com_position[-1, 0] - data.com_position[0, 0]) for data in slides]
    stopped = float(slides[0].time[int(np.argmax(np.abs(slides[0].com_velocity.values[:, 0]) < 1e-4))])
    puck = ll.simulate(
        ll.WangSnake(modules=1),
        ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="joint"),
        ll.Wheels(),
        model="geometric",
        duration=0.1,
        step=1e-3,
        initial={"twist": (0.0, 0.5, 0, 0, 0, 0)},
    ).dataset
    wheels = puck.com_velocity.values[:, 1] - (0.5 - 0.5 * G * puck.time.values)
    held = slope(0.9 * math.atan(0.4), 0.4, 60.0, 0.001, 3.0).com_position.values
    angle = 1.1 * math.atan(0.4)
    along = np.array([math.cos(angle), 0.0, math.sin(angle)])
    coarse, fine = (
        (data.com_position.values[-1] - data.com_position.values[0]) @ along
        for data in (slope(angle, 0.4, 1.0, step, 1.0) for step in (0.0005, 0.00025))
    )
    wanted = -0.5 * G * (math.sin(angle) - 0.4 * math.cos(angle))
    lands, heights = math.sqrt(0.4 / G), {}
    way, height = sheet.subplots(1, 2)
    for restitution in (0.0, 0.8):
        data = bounce(restitution)
        z = data.position.values[:, 0, 2] - RADIUS
        height.plot(data.time, z, label=f"restitution {restitution:g}")
        heights[restitution] = float(z[data.time.values > lands + 0.005].max())
    height.axhline(0.128, linewidth=0.5, color="k")
    height.set(xlabel="time (s)", ylabel="height (m)")
    height.legend()
    time = slides[0].time.values
    way.plot(time, slides[0].com_position.values[:, 0] - slides[0].com_position.values[0, 0], label="simulated")
    until = np.minimum(time, speed / (mu * G))
    way.plot(time[::25], (speed * until - 0.5 * mu * G * until**2)[::25], "o", markersize=3, label="closed form")
    way.set(xlabel="time (s)", ylabel="way (m)")
    way.legend()
    rolled = move(
        1,
        ll.Ground(forward=0.3, lateral=0.3, rolling=0.01),
        1.0,
        0.00025,
        1.0,
        position=(0.0, 0.0, RADIUS),
        twist=(0, 1, 0, 0, 0, 0),
    )
    return {
        "distance": max(abs(distance - speed**2 / (2.0 * mu * G)) for distance in distances),
        "time": abs(stopped - speed / (mu * G)),
        "wheels": float(np.abs(wheels).max()),
        "creep": float(np.linalg.norm(held[-1] - held[0])),
        "late creep": float(np.linalg.norm(held[-1] - held[10])),
        "slides": float(abs((2.0 * fine - coarse) / wanted - 1.0)),
        "rebound": heights[0.0],
        "bounce": abs(heights[0.8] / 0.128 - 1.0),
        "rolls": float(rolled.com_velocity[-1, 1]),
    }
