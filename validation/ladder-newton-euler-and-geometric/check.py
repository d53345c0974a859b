"""Chains of four sizes through two models."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll

COUNTS = (5, 10, 20, 40)


def apart(links: int) -> tuple[float, float]:
    """Centre of mass (m) and relative torque at the end of 0.5 s."""
    chain = ll.Chain.uniform(links=links, length=0.5 / links, half_width=0.015, half_height=0.03)
    gait = ll.BodyWave(amplitude=0.35, growth=0.0, wavelength=0.5, period=1.0, ramp=0.25)
    thrown = {"twist": (0.3, 0.2, -0.1, 1.0, 0.5, -0.8)}
    runs = [
        ll.simulate(
            chain, gait, ll.Water(), model=model, duration=0.5, step=0.01, record_every=0.5, initial=thrown
        ).dataset.isel(time=-1)
        for model in ("newton-euler", {"kind": "geometric", "coordinates": "group"})
    ]
    torque = [run.joint_torque.values for run in runs]
    return (
        float(np.linalg.norm(runs[0].com_position.values - runs[1].com_position.values)),
        float(np.abs(torque[0] - torque[1]).max() / np.abs(torque[0]).max()),
    )


def one_state() -> float:
    """Torques of a planar snake with gravity, regularised wheels and a push on its head."""
    snake, rng = ll.WangSnake(), np.random.default_rng(1)
    laws = [
        ll.Wheels(law="regularised", slip_speed=0.01),
        ll.Gravity(acceleration=(0.3, -0.2, 0.0)),
        ll.PointWrench(body=-1, force=(0.5, -0.3, 0.0)),
    ]
    q, qd, qdd = rng.normal(size=(3, 4))
    found = ll.Geometric(snake, laws).solve([0, 0, 0, *q], [0.3, -0.2, 0.5, *qd], "manipulation", acceleration=qdd)
    arm = ll.NewtonEuler(snake, laws)
    given = arm.inverse(q, qd, qdd, [0.3, -0.2, 0.0, 0.0, 0.0, 0.5])
    free = ll.Geometric(snake, laws).solve([0, 0, 0, *q], [0.3, -0.2, 0.5, *qd], acceleration=qdd)
    return float(np.abs(given.joint_torque - free.force[3:]).max() / np.abs(found.force).max())


def wet(model: str, step: float, *water: ll.Water) -> np.ndarray:
    """Tail of the wheeled snake after 2 s on set-valued wheels, m."""
    return ll.simulate(
        ll.WangSnake(), ll.Serpenoid(), [ll.Wheels(), *water], model=model, duration=2.0, step=step, record_every=2.0
    ).dataset.base_position.values[-1]


def check(case: Any, sheet: Any) -> dict[str, float]:
    found = np.array([apart(links) for links in COUNTS])
    axes = sheet.subplots()
    axes.loglog(COUNTS, np.maximum(found[:, 0], 1e-18), "o-", label="centre of mass (m)")
    axes.loglog(COUNTS, np.maximum(found[:, 1], 1e-18), "o-", label="torque (relative)")
    axes.set(xlabel="links", ylabel="difference")
    axes.set_xticks(COUNTS, [str(count) for count in COUNTS])
    axes.minorticks_off()
    axes.legend()
    water = ll.Water(added_mass="consistent")
    between = [
        float(np.linalg.norm(wet("newton-euler", step, water) - wet("geometric", step, water))) for step in (1e-3, 5e-4)
    ]
    return {
        "wet wheels": between[0],
        "wet order": between[0] / between[1],
        "wet effect": float(np.linalg.norm(wet("newton-euler", 1e-3, water) - wet("newton-euler", 1e-3))),
        "motion": float(found[:, 0].max()),
        "torque": float(found[:, 1].max()),
        "state": one_state(),
    }
