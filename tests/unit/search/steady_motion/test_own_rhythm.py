"""Limit cycles of oscillators that feel what they move: their period is a result."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll

FEELS = {"sense": {"kind": "joint_position"}, "gain": 6.0, "times": "sine"}


def swimmer(**changes: Any) -> ll.Scenario:
    """Four links whose oscillators differ, are coupled and feel their joints: none of them has the final frequency."""
    return ll.Scenario.load(
        {
            "robot": {"preset": "uniform", "links": 4, "base": "planar", "stiffness": 0.5, "damping": 0.05},
            "environment": ["water"],
            "actuation": "torque",
            "controller": {
                "kind": "oscillators",
                "frequency": [1.0, 1.05, 0.97],
                "coupling": {"weight": 6.0, "lag": "40 deg"},
                "feedback": [FEELS],
                "strength": 0.1,
            },
            "duration": 10.0,
            "step": 0.004,
        },
        changes,
    )


def test_the_period_is_that_of_a_long_run() -> None:
    """By upward crossings of a joint in a run that has settled; two turns from the cycle end as they began."""
    motion = ll.steady(swimmer())
    data = ll.run(swimmer(duration=40.0)).dataset.isel(time=slice(5000, None))
    time, joint = data["time"].values, data["joint_position"].values[:, 1]
    joint = joint - joint.mean()
    up = np.flatnonzero((joint[:-1] < 0.0) & (joint[1:] >= 0.0))
    crossings = time[up] - joint[up] * np.diff(time)[up] / (joint[up + 1] - joint[up])
    assert motion.period == pytest.approx(np.diff(crossings).mean(), rel=2e-5)
    assert abs(1.0 / motion.period - 1.0) > 0.01 and motion.stable and len(motion.multipliers) == 3 + 6 + 6 - 1
    turns = motion.result(2)
    for name in ("base_twist", "joint_position", "joint_velocity"):
        first, last = turns.dataset[name].values[[0, -1]]
        np.testing.assert_allclose(last, first, atol=1e-8)
    phases = turns.dataset["controller_state"].values[:, :3]
    np.testing.assert_allclose(phases[-1] - phases[0], 4.0 * np.pi, atol=1e-8)
    way = np.linalg.norm(np.diff(turns.dataset["base_position"].values[[0, -1]], axis=0))
    assert motion.speed == pytest.approx(way / (2.0 * motion.period), rel=1e-2)


def test_its_slopes_are_those_of_differences() -> None:
    paths = {"controller.coupling.weight": 6.0, "controller.feedback.0.gain": 6.0, "controller.strength": 0.1}
    motion = ll.steady(swimmer(), slopes=[*paths, "environment.water.density"])
    for path, value in {**paths, "environment.water.density": 1000.0}.items():
        up, down = (ll.steady(swimmer(**{path: value * (1.0 + e)})) for e in (1e-4, -1e-4))
        for name in ("period", "speed", "power"):
            difference = (getattr(up, name) - getattr(down, name)) / (2e-4 * value)
            assert motion.slopes[name][path] == pytest.approx(difference, rel=1e-4, abs=1e-9), (path, name)


def test_motors_and_their_springs_are_a_part_of_the_cycle() -> None:
    motor = {"kind": "motor", "stall_torque": 1.0, "stall_current": 1.0, "no_load_speed": 10.0, "gain": 4.0}
    sprung = {**motor, "series_stiffness": 5.0, "electrical_time": 0.02}
    goal = {"controller.output": "target", "actuation": sprung, "robot.rotor_inertia": 0.01}
    motion = ll.steady(swimmer(**goal))
    turn = motion.result().dataset
    for name in ("motor_position", "joint_current"):
        first, last = turn[name].values[[0, -1]]
        np.testing.assert_allclose(last, first, atol=1e-7)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"controller.coupling.weight": 0.0, "controller.feedback": []}, r"different frequencies \(0.97 and 1.05 Hz\)"),
        (
            {"controller.drive": [[0, 1], [5, 2]], "controller.body": {}, "controller.frequency": 1.0},
            "controller.drive: it changes in time",
        ),
        (
            {"model": {"kind": "newton-euler", "integrator": "sdirk4"}},
            "its own rhythm is found for oscillators of chains",
        ),
        (
            {"actuation": "pd", "gait": {"kind": "joint-wave"}},
            "its rhythm is its own, and gait 'joint-wave' has another",
        ),
    ],
)
def test_what_has_no_period_is_answered(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ll.InputError, match=told):
        ll.steady(swimmer(**changes))


@pytest.mark.long
def test_the_lamprey_robot_keeps_its_stroke_with_a_cut_cord() -> None:
    """Speeds of an independent program (0.59800 and 0.59858 m/s); its periods come from windows of 8 s, to 1e-3."""
    for name, speed, period in (("agnathax", 0.59800, 0.54742), ("agnathax-cut", 0.59858, 0.52968)):
        motion = ll.steady(name)
        assert motion.speed == pytest.approx(speed, rel=2e-4) and motion.period == pytest.approx(period, rel=1e-3)
