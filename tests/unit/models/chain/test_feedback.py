"""Feedback: gains from the robot's inertia, feed-forward, and bounds that no actuator passes in any model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import RATE, ProportionalDerivative
from limbless.control.actuation.gait_to_joints import joint_motion
from limbless.core.errors import InputError
from limbless.mechanics.chain.tables import DofRow
from limbless.models.chain.chain_problem import joint_inertia, robot_of
from limbless.models.nonsmooth import NonSmoothSettings
from limbless.robots.joints import Joint
from limbless.robots.links import Link

BALANCES = ("power", "linear momentum", "angular momentum")


def off(run: ll.Result) -> np.ndarray:
    """Reference less position (time, joints)."""
    data = run.dataset
    wanted = joint_motion(run.scenario.robot.build(), run.scenario.gait, data["time"].values).position
    return np.asarray(wanted - data["joint_position"].values)


def passes(run: ll.Result) -> bool:
    found = run.summary()["balances"]
    return all(found[name]["verdict"] == "pass" for name in BALANCES)


def test_inertia_of_joints_in_closed_form() -> None:
    """Two free bars that hinge at their ends turn by half the angle each, about their own middles: J = I / 2."""
    chain = ll.UniformChain(links=2, length=0.3, half_width=0.01, half_height=0.01).build()
    mass = chain.total_mass / 2.0
    about_middle = mass * (0.3**2 / 12.0 + 0.01**2 / 4.0)
    table = robot_of(chain, np.zeros((2, 21)))
    assert joint_inertia(table, "free") == pytest.approx([about_middle / 2.0], rel=1e-12)
    assert joint_inertia(table, "fixed") == pytest.approx([about_middle + mass * 0.15**2], rel=1e-12)


@pytest.mark.parametrize("model", ["newton-euler", "geometric", "non-smooth"])
def test_a_joint_alone_is_critically_damped_at_the_stated_rate(model: str) -> None:
    bob = Link(joint=Joint(axis=(0, 0, 1)), mass=2.0, inertia=(0.02, 0, 0, 0.02, 0, 0.03))
    chain = ll.Chain(base="fixed", links=(Link(mass=1.0), bob))
    still = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), 1)), drives="joint")
    step = 0.0002 if model == "non-smooth" else 0.002
    data = ll.simulate(
        chain,
        still,
        (),
        model=model,
        actuation=ProportionalDerivative(rate=12.0),
        duration=0.3,
        step=step,
        record_every=0.02,
        initial={"joint_position": (0.2,), "joint_velocity": (0.0,)},
    ).dataset
    t = data["time"].values
    expected = 0.2 * (1.0 + 12.0 * t) * np.exp(-12.0 * t)
    np.testing.assert_allclose(
        data["joint_position"].values[:, 0], expected, rtol=0, atol=1e-3 if model == "non-smooth" else 2e-7
    )


@pytest.mark.parametrize(("name", "most"), [("eel-planar", 0.02), ("eel-loop", 0.04)])
def test_default_gains_follow_the_eel_at_its_own_step(name: str, most: float) -> None:
    """With 100 N m/rad for every joint the error was 0.13 rad on the first, and the second diverged."""
    run = ll.run(name, {"actuation": {"kind": "pd"}, "duration": 4.0})
    assert np.abs(off(run)).max() < most
    assert passes(run)


def test_feedforward_leaves_nothing_to_feedback() -> None:
    run = ll.run("eel-planar", {"actuation": {"kind": "pd", "feedforward": True}, "duration": 4.0})
    imposed = ll.run("eel-planar", {"duration": 4.0}).dataset
    assert np.abs(off(run)).max() < 1e-6 and passes(run)
    np.testing.assert_allclose(run.dataset["joint_torque"].values, imposed["joint_torque"].values, rtol=0, atol=1e-3)


def law(run: ll.Result, table: Any) -> np.ndarray:
    """J ë + 2J (2ω ė + ω² e) of a run, from its records."""
    data = run.dataset
    J = joint_inertia(table, run.scenario.robot.build().base)
    wanted = joint_motion(run.scenario.robot.build(), run.scenario.gait, data["time"].values)
    rate, bend = (
        wanted.velocity - data["joint_velocity"].values,
        wanted.acceleration - data["joint_acceleration"].values,
    )
    return np.asarray(J * (bend + 2.0 * (2.0 * RATE * rate + RATE**2 * off(run))))


@pytest.mark.parametrize("model", ["newton-euler", "geometric"])
def test_a_bound_for_each_joint_is_kept_and_the_law_within_it(model: str) -> None:
    """Every actuator gives what its law asks for, or its bound: found for all joints at once,
    since each moves the others.
    """
    most = (0.005, 0.004)
    robot = ll.UniformChain(links=5, half_width=0.02, half_height=0.03)
    gait = ll.BodyWave(amplitude=0.35, growth=0.0, wavelength=0.5, period=1.0, ramp=1.0)
    run = ll.simulate(
        robot,
        gait,
        ll.Drag(along=1.0, lateral=6.0, vertical=6.0),
        model=model,
        duration=2.0,
        step=0.005,
        actuation=ProportionalDerivative(saturation=most),
    )
    torque, bound = run.dataset["joint_torque"].values, np.tile(most, 2)
    assert (np.abs(torque) <= bound).all() and (np.abs(torque) == bound).any(axis=0).all()
    wanted = law(run, robot_of(robot.build(), np.zeros((5, 21))))
    np.testing.assert_allclose(torque, np.clip(wanted, -bound, bound), rtol=0, atol=1e-10)
    assert passes(run)


def test_bounds_hold_with_implicit_control_on_the_ground() -> None:
    """The bound was compared with what explicit control would give: 1.23 N m for a bound of 0.5."""
    stated = ProportionalDerivative(stiffness=(40.0, 800.0), damping=0.2, saturation=0.5)
    for actuation in (stated, ProportionalDerivative(saturation=0.5)):
        run = ll.simulate(
            ll.Aiko(),
            ll.JointWave(),
            (ll.Ground(forward=0.1, lateral=0.5), ll.Gravity()),
            model=NonSmoothSettings(theta=1.0),
            actuation=actuation,
            duration=1.0,
            step=0.002,
            initial={"position": (0.0, 0.0, 0.0525)},
        )
        largest = np.abs(run.dataset["joint_torque"].values).max()
        assert 0.499 < largest <= 0.5 * (1.0 + 1e-6) and passes(run)


def test_bounds_hold_on_set_valued_wheels() -> None:
    run = ll.run(
        "wheeled-snake-crawl", {"actuation": {"kind": "pd", "saturation": [0.05, 0.1, 0.1, 0.05]}, "duration": 2.0}
    )
    torque, bound = np.abs(run.dataset["joint_torque"].values), np.array([0.05, 0.1, 0.1, 0.05])
    assert (torque <= bound * (1.0 + 1e-9)).all() and (torque > 0.999 * bound).any() and passes(run)


def test_one_gain_makes_the_other_critical() -> None:
    bob = Link(joint=Joint(axis=(0, 0, 1)), mass=2.0, inertia=(0.02, 0, 0, 0.02, 0, 0.03))
    chain = ll.Chain(base="fixed", links=(Link(mass=1.0), bob))
    for given in ({"stiffness": 3.0}, {"damping": 0.6}):
        model = ll.NewtonEuler(chain, (), ProportionalDerivative(**given))
        freedom = DofRow.of(model._actuated.freedoms)
        K, D = freedom.gain[0], freedom.rate_gain[0]
        assert pytest.approx(D / 2.0) == math.sqrt(K * 0.03) and pytest.approx((3.0, 0.6)) == (K, D)


def test_a_controllers_torque_is_bounded_too() -> None:
    run = ll.simulate(
        ll.UniformChain(links=3),
        ll.BodyWave(amplitude=0.0),
        ll.Water(),
        duration=0.1,
        step=0.01,
        actuation=ProportionalDerivative(stiffness=1.0, damping=0.1, saturation=0.02),
        controller=lambda t, seen: np.full(2, 5.0),
    )
    assert np.abs(run.dataset["joint_torque"].values).max() == 0.02


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: ProportionalDerivative(stiffness=1.0, rate=5.0), "leave out `rate`"),
        (lambda: ProportionalDerivative(saturation=(1.0, 0.0)), "must be positive"),
        (
            lambda: ll.run("wheeled-snake-crawl", {"actuation": {"kind": "pd", "feedforward": True}}),
            "feedforward: the non-smooth model",
        ),
        (lambda: ll.run("snake-turn", {"actuation.feedforward": True}), "feedforward: the non-smooth model"),
        (lambda: ll.run("eel-planar", {"actuation": {"kind": "pd", "saturation": [1.0] * 5}}), "pattern that repeats"),
        (lambda: ll.run("wheeled-snake-switch", {"actuation.saturation": 1e-6}), "more than the actuators give"),
        (
            lambda: ll.run("snake-turn", {"actuation": {"kind": "pd", "rate": 800.0}, "model.theta": 0.0}),
            "too long for explicit control",
        ),
    ],
)
def test_refusals(make: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        make()
