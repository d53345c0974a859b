"""Cylinders at the surface of water."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import limbless as ll

G, RHO = 9.81, 1000.0
STILL = ll.BodyWave(amplitude=0.0, growth=0.0)
NO_DRAG = (0.0, 0.0, 0.0, 0.0)
ACROSS = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))


def cylinder(radius: float, length: float, density: float = 500.0, **fields: Any) -> ll.UniformChain:
    return ll.UniformChain(
        links=1,
        length=length,
        half_width=radius,
        half_height=fields.pop("half_height", radius),
        density=density,
        **fields,
    )


def floats(robot: Any, initial: dict, **options: Any) -> Any:
    """A run at the surface at height 0."""
    water = ll.Water(**{"surface": 0.0, "wake": "none", "drag": NO_DRAG, **options.pop("water", {})})
    timing = {"duration": 1.2, "step": 0.002, "record_every": 0.01, **options}
    return ll.simulate(robot, STILL, [water, ll.Gravity()], initial=initial, **timing).dataset


def period(time: np.ndarray, values: np.ndarray) -> float:
    """Mean distance of zeros in one direction: those in the other lie a little aside, since what is carried along
    differs above and below."""
    zeros = [
        time[i] + (time[i + 1] - time[i]) * values[i] / (values[i] - values[i + 1])
        for i in range(len(time) - 1)
        if values[i] * values[i + 1] < 0.0
    ]
    return float(np.mean(np.array(zeros[2:]) - zeros[:-2]))


def righting() -> float:
    """Worst relative difference of the moment of a rolled ellipse from the closed form."""
    a, b, worst = 0.09, 0.065, 0.0
    model = ll.NewtonEuler(cylinder(a, 1.0, half_height=b, base="fixed"), [ll.Water(surface=0.0), ll.Gravity()])
    for roll in (0.05, 0.3, 0.8):
        held = model.inverse([], [], [], base_orientation=(math.cos(roll / 2), math.sin(roll / 2), 0.0, 0.0))
        s, c = math.sin(roll), math.cos(roll)
        wanted = -2.0 / 3.0 * RHO * G * a * b * (a**2 - b**2) * s * c / math.hypot(a * s, b * c)
        worst = max(worst, abs(-float(held.base_reaction[3]) / wanted - 1.0))
    return worst


def beach() -> float:
    """Worst relative difference of the loads of a link on a beach."""
    slope, length, radius, at = 0.1, 0.122, 0.0525, 0.061
    s, c, height = math.sin(slope), math.cos(slope), at * math.sin(slope)
    ground = ll.Ground(slope=(-slope, 0.0), height=height - radius / c, forward=0.5, lateral=0.5, rolling=0.0)
    start = {"position": (0.0, 0.0, height), "orientation": (math.cos(slope / 2), 0.0, math.sin(slope / 2), 0.0)}
    data = ll.simulate(
        cylinder(radius, length, 650.0, contact_radius=radius),
        STILL,
        [ll.Water(surface=0.0), ll.Gravity(), ground],
        model="non-smooth",
        duration=0.1,
        step=0.001,
        record_every=0.01,
        initial=start,
    ).dataset
    force = data.contact_force.values[-1]
    found = [*(force @ [s, 0.0, c]), force.sum(axis=0) @ [c, 0.0, -s]]
    return float(np.abs(np.array(found) / [0.7401170719734398, 0.8066092466188599, -0.1551902779818945] - 1.0).max())


def drifts() -> tuple[float, float]:
    """Of a small neutral body under waves, and of a float on them, m/s."""
    found = []
    for wave, robot, z, drag in (
        (ll.WavesFlow(amplitude=0.05, length=4.0), cylinder(0.01, 0.02, 1000.0), -0.3, NO_DRAG),
        (ll.WavesFlow(amplitude=0.02, length=4.0), cylinder(0.02, 0.1), 0.02, (0.01, 1, 1, 1)),
    ):
        T, u = 2.0 * math.pi / wave.rate, wave.at(np.array(0.0), np.array([0.0, 0.0, z]))
        middle = 0.5 * robot.length
        data = floats(
            robot,
            {"position": (0.0, -middle, z), "orientation": ACROSS, "twist": (u[1], -u[0], u[2], 0.0, 0.0, 0.0)},
            water={"flow": [wave], "drag": drag},
            duration=10.0 * T,
            step=T / 400.0,
            record_every=T,
        )
        x = data.position.values[:, 0, 0]
        found.append((x[5] - x[0]) / (5.0 * T) if z < 0.0 else (x[10] - x[5]) / (5.0 * T))
    return float(found[0]), float(found[1])


def check(case: Any, sheet: Any) -> dict[str, float]:
    body, angle = cylinder(0.05, 0.5), 1e-3
    small = floats(body, {"position": (0.0, 0.0, 0.001)})
    tilted = floats(
        body,
        {
            "position": (-0.25 * math.cos(angle), 0.0, 0.25 * math.sin(angle)),
            "orientation": (math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0),
        },
    )
    large = floats(body, {"position": (0.0, 0.0, 0.03)}, duration=2.0)
    rod = ll.Rod(strains="universal", length=0.5, half_width=0.05, half_height=0.05, density=500.0)
    bent = floats(rod, {"position": (0.0, 0.0, 0.03)}, duration=2.0, model="macro-continuous")
    energy = large.kinetic_energy - large.environment_work
    stokes, float_drift = drifts()
    axes = sheet.subplots()
    for data, style, name in ((large, "-", "a link"), (bent, "--", "a rod")):
        axes.plot(data.time, data.base_position[:, 2], style, label=name)
    axes.plot([1.0, 2.0], [-0.005292, -0.029998], "o", markersize=4, label="independent")
    axes.set(xlabel="time (s)", ylabel="height (m)")
    axes.legend()
    return {
        "heave": period(small.time.values, small.base_position.values[:, 2]),
        "pitch": period(tilted.time.values, tilted.base_orientation.values[:, 2]),
        "bob": float(large.base_position.values[100, 2]),
        "rod": float(bent.base_position.values[100, 2]),
        "energy": float(np.abs(energy - energy[0]).max() / np.abs(large.environment_work).max()),
        "righting": righting(),
        "beach": beach(),
        "stokes": stokes,
        "float": float_drift,
    }
