"""One rigid link in water."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll

L, RHO, G = 1.0, 1000.0, 9.81


def cylinder(width: float, height: float, density: float = 1000.0) -> ll.Chain:
    """An elliptic cylinder along x, its origin at its middle."""
    size = {"length": L, "half_width": width, "half_height": height}
    solid = ll.EllipticCylinder(**size, density=density, position=(-0.5 * L, 0.0, 0.0))
    return ll.Chain(links=(ll.Link(solids=(solid,), body=ll.BodyShape(**size, position=(-0.5 * L, 0.0, 0.0))),))


def added(width: float, height: float) -> float:
    """Added mass per length, from the acceleration under a lateral force with and without water."""
    chain, push = cylinder(width, height), ll.PointWrench(force=(0.0, 1.0, 0.0))
    water = ll.Water(model="morison", drag=(0.0, 0.0, 0.0, 0.0))
    wet = ll.NewtonEuler(chain, [push, water]).inverse([], [], []).base_acceleration[1]
    return float(1.0 / wet - chain.total_mass) / L


def munk(form: str, U: float = 0.7, V: float = 0.4) -> float:
    """Moment about the middle of a body that glides with (U, V), over (m_b - m_a) U V."""
    a, b = 0.05, 0.08
    chain = cylinder(a, b)
    water = ll.Water(drag=(0.0, 0.0, 0.0, 0.0), added_mass=form)
    found = ll.NewtonEuler(chain, water).inverse([], [], [], [U, V, 0.0, 0.0, 0.0, 0.0]).base_acceleration[5]
    m_b = RHO * np.pi * b * b * L
    inertia = chain.total_mass * (L * L / 12.0 + a * a / 4.0) + m_b * L * L / 12.0
    return float(-found * inertia / (m_b * U * V))


def wake_on(velocity: tuple[float, float], half: float) -> np.ndarray:
    """Force of the wake on a body that glides so, along its own axes: what it adds to the accelerations, by the
    inertia that unit forces and torques find.
    """
    chain = cylinder(half, half)
    glides = [*velocity, 0.0, 0.0, 0.0, 0.0]

    def answer(wake: str, twist: list[float], *more: Any) -> np.ndarray:
        water = ll.Water(drag=(0.0, 0.0, 0.0, 0.0), wake=wake)
        return ll.NewtonEuler(chain, [water, *more]).inverse([], [], [], twist).base_acceleration

    units = [ll.PointWrench(**{name: tuple(axis)}) for name in ("force", "torque") for axis in np.eye(3)]
    gained = np.column_stack([answer("none", [0.0] * 6, unit) for unit in units])
    return np.linalg.solve(gained, answer("tail", glides) - answer("none", glides))[:2]


def small_wave() -> tuple[float, float]:
    """How far thrust and efficiency of the wake of a small wave are from Lighthill's, relative: the tail swings as
    a cos(k s - ω t) while the body swims with U to -x.
    """
    half, k, omega, a, U = 0.09, 2 * np.pi / 1.8, np.pi, 1e-3, 0.45
    V, m = omega / k, RHO * np.pi * half**2
    thrust, wake = [], []
    for sine in np.sin(np.linspace(0.0, 2 * np.pi, 64, endpoint=False)):
        slope, velocity = -a * k * sine, np.array([-U, a * omega * sine])
        e1 = np.array([1.0, slope]) / np.hypot(1.0, slope)
        e2 = np.array([-e1[1], e1[0]])
        along, across = wake_on((velocity @ e1, velocity @ e2), half)
        force = along * e1 + across * e2
        thrust.append(-force[0])
        wake.append(-force @ velocity)
    expected = 0.25 * m * omega**2 * a**2 * (1.0 - U**2 / V**2)
    useful = np.mean(thrust) * U
    return (
        abs(float(np.mean(thrust) / expected) - 1.0),
        abs(float(useful / (useful + np.mean(wake)) / (0.5 * (1.0 + U / V))) - 1.0),
    )


def check(case: Any, sheet: Any) -> dict[str, float]:
    a, b, density = 0.05, 0.08, 1200.0
    chain = cylinder(a, b, density)
    data = ll.simulate(
        chain,
        ll.BodyWave(),
        [ll.Gravity(), ll.Buoyancy(), ll.Water(wake="none")],
        duration=20.0,
        step=0.005,
        record_every=0.1,
    ).dataset
    volume = np.pi * a * b * L
    weight, drag, vertical = (density - RHO) * volume * G, 0.5 * RHO * 2.0 * a * L, RHO * np.pi * a * a * L
    terminal, pull = np.sqrt(weight / drag), weight / (density * volume + vertical)
    speed, wanted = -data.base_twist.values[:, 2], terminal * np.tanh(pull * data.time.values / terminal)
    axes = sheet.subplots()
    axes.plot(data.time, speed, label="simulated")
    axes.plot(data.time[::10], wanted[::10], "o", markersize=3, label="closed form")
    axes.set(xlabel="time (s)", ylabel="speed (m/s)", xlim=(0.0, 5.0))
    axes.legend()
    return {
        "circle": added(0.05, 0.05),
        "plate": added(1e-6, 0.05),
        "terminal": float(abs(speed[-1] / terminal - 1.0)),
        "falling": float(np.abs(speed - wanted).max() / terminal),
        "munk": abs(munk("consistent") - 1.0),
        "printed munk": abs(munk("paper")),
        **dict(zip(("thrust", "efficiency"), small_wave(), strict=True)),
    }
