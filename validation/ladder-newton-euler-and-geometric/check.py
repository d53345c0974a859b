"""Chains of four sizes through two models."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll

COUNTS = (5, 10, 20, 40)


def along(run: Any, equations: ll.Geometric, own: Any) -> tuple[float, float]:
    """What the geometric equations say at every record of a run by Newton and Euler: accelerations of the base and
    torques beside the recorded ones, each over the largest."""
    data, joints = run.dataset, slice(equations.freedoms - run.dataset.sizes["joint"], None)
    wrong: list[tuple[float, float]] = []
    for now in (data.isel(time=k) for k in range(data.sizes["time"])):
        twist = now.base_twist.values
        place = np.concatenate([now.base_position.values, now.base_orientation.values])
        if equations.chain.base == "planar":
            place = np.array([*place[:2], 2.0 * np.arctan2(place[6], place[3])])
        found = equations.solve(
            np.concatenate([place, now.joint_position.values]),
            np.concatenate([twist[own], now.joint_velocity.values]),
            acceleration=now.joint_acceleration.values,
        )
        rate = now.base_acceleration.values.copy()
        rate[:3] -= np.cross(twist[3:], twist[:3])  # the equations have the rate of the components
        wrong.append(
            (
                float(np.abs(found.acceleration[: joints.start] - rate[own]).max()),
                float(np.abs(found.force[joints] - now.joint_torque.values).max()),
            )
        )
    scale = np.abs(data.base_acceleration.values).max(), np.abs(data.joint_torque.values).max()
    return tuple(np.max(wrong, axis=0) / scale)


def apart(links: int) -> tuple[float, float]:
    """A chain that is thrown into water and swims for 0.5 s."""
    chain = ll.Chain.uniform(links=links, length=0.5 / links, half_width=0.015, half_height=0.03)
    gait = ll.BodyWave(amplitude=0.35, growth=0.0, wavelength=0.5, period=1.0, ramp=0.25)
    run = ll.simulate(
        chain,
        gait,
        ll.Water(),
        model="newton-euler",
        duration=0.5,
        step=0.01,
        record_every=0.05,
        initial={"twist": (0.3, 0.2, -0.1, 1.0, 0.5, -0.8)},
    )
    group = ll.GeometricSettings(coordinates="group")
    return along(run, ll.Geometric(chain, ll.Water(), settings=group), slice(6))


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


def wet() -> tuple[float, float]:
    """Torques of the wheeled snake that crawls for 2 s in water, and what the water is in them."""
    snake, wheels, water = (
        ll.WangSnake(),
        ll.Wheels(law="regularised", slip_speed=0.01),
        ll.Water(added_mass="consistent"),
    )
    run = ll.simulate(
        snake,
        ll.Serpenoid(),
        [wheels, water],
        model="newton-euler",
        duration=2.0,
        step=1e-3,
        record_every=0.1,
    )
    group, plane = ll.GeometricSettings(coordinates="group"), [0, 1, 5]
    both, dry = (ll.Geometric(snake, laws, settings=group) for laws in ([wheels, water], [wheels]))
    return along(run, both, plane)[1], along(run, dry, plane)[1]


def check(case: Any, sheet: Any) -> dict[str, float]:
    found = np.array([apart(links) for links in COUNTS])
    axes = sheet.subplots()
    axes.loglog(COUNTS, np.maximum(found[:, 0], 1e-18), "o-", label="acceleration of the base")
    axes.loglog(COUNTS, np.maximum(found[:, 1], 1e-18), "o-", label="torque")
    axes.set(xlabel="links", ylabel="difference over the largest")
    axes.set_xticks(COUNTS, [str(count) for count in COUNTS])
    axes.minorticks_off()
    axes.legend()
    wheels, effect = wet()
    return {
        "wet wheels": wheels,
        "wet effect": effect,
        "motion": float(found[:, 0].max()),
        "torque": float(found[:, 1].max()),
        "state": one_state(),
    }
