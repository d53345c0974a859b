"""One rigid link in water."""
from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from limbless.environments.point_wrench import PointWrench
from limbless.robots.links import BodyShape, Link
from limbless.robots.sections import EllipticCylinder

L, RHO, G = 1.0, 1000.0, 9.81


def cylinder(width: float, height: float, density: float = 1000.0) -> ll.Chain:
    """An elliptic cylinder along x, its origin at its middle."""
    size = {"length": L, "half_width": width, "half_height": height}
    solid = EllipticCylinder(**size, density=density, position=(-0.5 * L, 0.0, 0.0))
    return ll.Chain(links=(Link(solids=(solid,), body=BodyShape(**size, position=(-0.5 * L, 0.0, 0.0))),))


def added(width: float, height: float) -> float:
    """Added mass per length, from the acceleration under a lateral force with and without water."""
    chain, push = cylinder(width, height), PointWrench(force=(0.0, 1.0, 0.0))
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


def check(case: Any, sheet: Any) -> dict[str, float]:
    a, b, density = 0.05, 0.08, 1200.0
    chain = cylinder(a, b, density)
    data = ll.simulate(chain, ll.BodyWave(), [ll.Gravity(), ll.Buoyancy(), ll.Water(wake="none")], duration=20.0,
                       step=0.005, record_every=0.1).dataset
    volume = np.pi * a * b * L
    weight, drag, vertical = (density - RHO) * volume * G, 0.5 * RHO * 2.0 * a * L, RHO * np.pi * a * a * L
    terminal, pull = np.sqrt(weight / drag), weight / (density * volume + vertical)
    speed, wanted = -data.base_twist.values[:, 2], terminal * np.tanh(pull * data.time.values / terminal)
    axes = sheet.subplots()
    axes.plot(data.time, speed, label="simulated")
    axes.plot(data.time[::10], wanted[::10], "o", markersize=3, label="closed form")
    axes.set(xlabel="time (s)", ylabel="speed (m/s)", xlim=(0.0, 5.0))
    axes.legend()
    return {"circle": added(0.05, 0.05), "plate": added(1e-6, 0.05), "terminal": float(abs(speed[-1] / terminal - 1.0)),
            "falling": float(np.abs(speed - wanted).max() / terminal), "munk": abs(munk("consistent") - 1.0),
            "printed munk": abs(munk("paper"))}
