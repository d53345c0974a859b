"""Ranges of joints: reported in every model of a chain, stops in the non-smooth one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import ProportionalDerivative, Torque
from limbless.mechanics.contact.fallback import homotopy_kernel
from limbless.mechanics.contact.step import FallbackRequest, StepCounters
from limbless.models.chain.contact.nonsmooth_model import NonSmooth
from limbless.robots.joints import Joint
from limbless.view import terminal

MASS = 7.5 / 11
INERTIA = 9.63e-4 + MASS * 0.061**2  # of the second link of aiko about the joint
SWING = 0.5  # rad


def swinging(t: Any, s: Any) -> Any:
    return np.column_stack([SWING * np.sin(2.0 * np.pi * t), 0.3 * np.sin(2.0 * np.pi * t)])


def moved(model: str, **limits: Any) -> ll.Result:
    """Three links whose joints swing by 0.5 and 0.3 rad in a second."""
    robot = ll.WangSnake(modules=3, **limits)
    return ll.simulate(
        robot,
        ll.FunctionGait(function=swinging, drives="joint"),
        (),
        model=model,
        duration=1.0,
        step=1e-3,
        record_every=0.25,
    )


@pytest.mark.parametrize("model", ["newton-euler", "geometric"])
def test_a_joint_that_leaves_its_range_is_reported(model: str) -> None:
    """From every step, whatever is recorded: 0.5 sin(2 pi t) first passes 0.4 at asin(0.8) / 2 pi, and -0.45 beyond."""
    run = moved(model, lower=-0.45, upper=0.4)
    found = run.summary()["limits_exceeded"]
    assert [item["joint"] for item in found] == ["joint 1"]
    first, worst = math.asin(0.8) / (2.0 * math.pi), found[0]
    assert first <= worst["first_time"] <= first + 1.1e-3 and worst["limit"] == 0.4
    assert worst["worst_position"] == pytest.approx(SWING, abs=1e-6) and worst["worst_time"] == pytest.approx(0.25)
    assert ("joint limits", "exceeded by 1 joint: joint 1") in terminal.summary_rows(run.summary())
    assert run.dataset["joint_upper"].values.tolist() == [0.4, 0.4]
    assert math.isinf(run.dataset["range_time"].values[1]) and run.dataset["range_excess"].values[1] == 0.0


def test_a_joint_within_its_range_is_not() -> None:
    run = moved("newton-euler", lower=-0.51, upper=0.51)
    assert run.summary()["limits_exceeded"] == []
    assert "range_time" not in moved("newton-euler").dataset


def thrown(rate: float, torque: float, duration: float, step: float = 1e-3, **limits: Any) -> ll.Result:
    """One link on a fixed one, without gravity, thrown with a rate about z and pushed by a torque."""
    gait = ll.FunctionGait(function=lambda t, s: np.broadcast_to((torque, 0.0), (len(t), 2)), drives="torque")
    return ll.simulate(
        ll.Aiko(links=2, base="fixed", **limits),
        gait,
        (),
        model="non-smooth",
        duration=duration,
        step=step,
        actuation="torque",
        record_every=step,
        initial={"joint_position": (0.0, 0.0), "joint_velocity": (rate, 0.0)},
    )


@pytest.mark.parametrize("side", [1.0, -1.0])
def test_a_thrown_link_stops_at_the_end_of_its_range(side: float) -> None:
    """It flies freely until then, loses all its energy there, and stays."""
    limits = {"upper": 0.3} if side > 0 else {"lower": -0.3}
    run = thrown(2.0 * side, 0.0, 0.3, **limits)
    data = run.dataset
    time, angle, rate = data["time"].values, side * data["joint_position"].values[:, 0], data["joint_velocity"].values
    flying = time < 0.148
    np.testing.assert_allclose(angle[flying], 2.0 * time[flying], rtol=2e-4)  # the rule is of first order
    assert angle.max() < 0.3 + 1e-5 and angle[-1] == pytest.approx(0.3, abs=2e-4)  # it yields, and recovers
    assert abs(rate[-1, 0]) < 1e-3 * 2.0
    assert data["passive_work"].values[-1] == pytest.approx(-0.5 * INERTIA * 4.0, rel=1e-3)
    assert run.summary()["limits_exceeded"] == [] and run.proven


def test_a_stop_bears_a_torque_without_creep() -> None:
    run = thrown(0.0, 2.0, 10.0, 2e-3, upper=0.1)
    angle = run.dataset["joint_position"].values[:, 0]
    assert angle[-1] == pytest.approx(0.1, abs=1e-4) and abs(angle[-1] - angle[2500]) < 1e-13
    assert run.dataset["contact_residual"].values.max() < 1e-8


def test_feedback_presses_against_a_stop() -> None:
    """The servo wants 0.5 rad and gets 0.2: it gives K times what is missing, and the joint stays in its range."""
    gait = ll.FunctionGait(function=lambda t, s: np.column_stack([0.5 * np.minimum(t, 1.0), 0.0 * t]), drives="joint")
    run = ll.simulate(
        ll.Aiko(links=2, base="fixed", upper=(0.2, None)),
        gait,
        (),
        model="non-smooth",
        duration=2.0,
        step=1e-3,
        actuation=ProportionalDerivative(stiffness=10.0, damping=0.2),
    )
    assert run.dataset["joint_torque"].values[-1, 0] == pytest.approx(10.0 * 0.3, rel=1e-3)
    assert run.dataset["joint_position"].values[:, 0].max() < 0.2 + 1e-4
    assert run.summary()["limits_exceeded"] == []


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(ll.InputError, match=r"gait: 'joint 6 yaw' is taken to .* above its upper limit of 0.4"):
        ll.run("snake-undulate-orthotropic", {"robot.upper": 0.4, "duration": 1.0, "actuation": {"kind": "motion"}})
    with pytest.raises(ll.InputError, match=r"initial: .* below its lower limit of -0.1"):
        ll.simulate(
            ll.Aiko(links=2, lower=-0.1),
            ll.JointWave(yaw_amplitude=0.0, pitch_amplitude=0.0),
            (),
            model="non-smooth",
            actuation="pd",
            initial={"joint_position": (-0.2, 0.0)},
        )
    with pytest.raises(ValueError, match=r"lower 0.2 must be below upper 0.1"):
        Joint(lower=0.2, upper=0.1)
    with pytest.raises(ValueError, match="lower and upper belong to joints that turn or slide along axes"):
        Joint(kind="spherical", upper=1.0)
    with pytest.raises(ValueError, match="lower has 3 values"):
        Joint(kind="universal", second_axis=(0, 1, 0), lower=(0.0, 0.0, 0.0))


@pytest.mark.long
def test_a_path_meets_stops_and_friction_of_joints() -> None:
    """The dense path, from velocities that are wrong, comes to the same step as Newton's method."""
    robot = ll.Aiko(links=4, upper=(0.1, 0.05), coulomb_friction=0.05)
    gait = ll.FunctionGait(
        function=lambda t, s: np.broadcast_to([0.5, 0.2, 0.4, -0.3, 0.3, 0.2], (len(t), 6)), drives="torque"
    )
    model = NonSmooth(robot, (ll.Gravity(), ll.Ground(height=-0.0525, forward=0.6, lateral=0.9)), Torque())
    run = ll.simulate(robot, gait, model.environment, model="non-smooth", actuation="torque", duration=0.2, step=1e-3)
    state = run.state
    times = state.time + 1e-3 * np.array([0.0, 0.5, 1.0])
    standing = model.standing_problem()
    standing.begin(state, times[::2].copy(), np.zeros(2, dtype=bool), model.drive(gait, times))
    standing.go(1)
    problem = standing.problem
    memory, found = problem.memory, problem.memory.step.rates.copy()
    assert np.abs(run.dataset["joint_position"].values[-1] - [0.1, 0.05] * 3).min() < 1e-4, "no joint is at its stop"
    memory.step.rates[:] += 0.3
    FallbackRequest.of(memory.request).active[:] = StepCounters.of(memory.counts).active
    FallbackRequest.of(memory.request).residual[:] = 1.0
    homotopy_kernel(model._actuated, problem.options, memory.step, memory.path, memory.request)
    assert FallbackRequest.of(memory.request).residual[0] < 1e-8
    np.testing.assert_allclose(memory.step.rates, found, atol=1e-6)
