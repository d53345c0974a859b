"""Spherical joints: equal to three revolute ones, without gimbal lock, and stable over a hundred of them."""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from limbless.robots.joints import Joint
from limbless.robots.links import Link

DIVE = np.pi / 40


def turn(axis: int, angle: float) -> np.ndarray:
    a, b = [(1, 2), (2, 0), (0, 1)][axis]
    R = np.eye(3)
    R[a, a] = R[b, b] = np.cos(angle)
    R[a, b], R[b, a] = -np.sin(angle), np.sin(angle)
    return R


def spherical_from_triple(
    q: np.ndarray, qd: np.ndarray, qdd: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Yaw, pitch and roll with their rates as rotation vector, angular velocity and acceleration in the child's axes,
    and S.

    R = Rz(yaw) Ry(pitch) Rx(roll); ω = S q̇ along the child's axes; torque of the revolute joints = Sᵀ torque of the
    spherical one.
    """
    _, pitch, roll = q
    to_child = turn(0, roll).T @ turn(1, pitch).T
    S = np.column_stack([to_child @ [0, 0, 1], turn(0, roll).T @ [0, 1, 0], [1, 0, 0]])
    x, y = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])
    # dS/dt: the axes are carried back by the rates of the joints behind them
    yaw_axis_rate = -np.cross(qd[1] * (turn(0, roll).T @ y) + qd[2] * x, S[:, 0])
    pitch_axis_rate = -np.cross(qd[2] * x, S[:, 1])
    omega, alpha = S @ qd, S @ qdd + yaw_axis_rate * qd[0] + pitch_axis_rate * qd[1]
    R = turn(2, q[0]) @ turn(1, pitch) @ turn(0, roll)
    angle = np.arccos((np.trace(R) - 1) / 2)
    vector = angle / (2 * np.sin(angle)) * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return vector, omega, alpha, S


@pytest.mark.parametrize("count", [1, 4, 12])
def test_instant_equals_three_revolutes(count: int) -> None:
    """One state told in both ways: the same base acceleration and torques, for inverse and direct dynamics."""
    rng = np.random.default_rng(count)
    q, qd, qdd = 0.3 * rng.normal(size=(3, count, 3))
    told = [spherical_from_triple(*triple) for triple in zip(q, qd, qdd, strict=True)]
    vector, omega, alpha = (np.concatenate([joint[i] for joint in told]) for i in range(3))
    twist = rng.normal(size=6)
    one, other = (
        ll.NewtonEuler(ll.KhalilEel(joints=kind, spherical_joints=count), ll.Water())
        for kind in ("revolute", "spherical")
    )
    a, b = one.inverse(q.ravel(), qd.ravel(), qdd.ravel(), twist), other.inverse(vector, omega, alpha, twist)
    torque = np.concatenate(
        [joint[3].T @ part for joint, part in zip(told, b.joint_torque.reshape(-1, 3), strict=True)]
    )
    tolerance = 1e-11 * max(1.0, np.abs(a.joint_torque).max())
    np.testing.assert_allclose(b.base_acceleration, a.base_acceleration, rtol=0, atol=tolerance)
    np.testing.assert_allclose(torque, a.joint_torque, rtol=0, atol=tolerance)
    forward = other.forward(vector, omega, b.joint_torque, twist)
    np.testing.assert_allclose(forward.joint_acceleration, alpha, rtol=0, atol=tolerance)


@pytest.mark.parametrize("dive", [0.0, DIVE], ids=["planar", "loop"])
def test_swim_equals_three_revolutes(dive: float) -> None:
    """The same swim, with torques about the child's axes. Both take the gait exactly; what is left (1e-11 m) comes from
    the quaternion of the base, which is not of unit length inside a step: three revolutes and a spherical joint are
    then turned in slightly other ways.
    """
    three, one = (
        ll.simulate(
            ll.KhalilEel(joints=kind), ll.BodyWave(dive=dive), ll.Water(), duration=4.0, record_every=0.1
        ).dataset
        for kind in ("revolute", "spherical")
    )
    np.testing.assert_allclose(one.base_position.values, three.base_position.values, rtol=0, atol=1e-10)
    np.testing.assert_allclose(one.base_orientation.values, three.base_orientation.values, rtol=0, atol=1e-10)
    np.testing.assert_allclose(one.kinetic_energy.values, three.kinetic_energy.values, rtol=0, atol=1e-10)
    np.testing.assert_allclose(one.actuator_power.values, three.actuator_power.values, rtol=0, atol=1e-9)
    # q_roll = 0: pitch turns about the child's y, roll about its x, and yaw about z of the parent, seen from the child
    pitch = three.joint_position.values[:, 1::3]
    x, y, z = (one.joint_torque.values[:, i::3] for i in range(3))
    np.testing.assert_allclose(y, three.joint_torque.values[:, 1::3], rtol=0, atol=1e-9)
    np.testing.assert_allclose(x, three.joint_torque.values[:, 2::3], rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        z * np.cos(pitch) - x * np.sin(pitch), three.joint_torque.values[:, 0::3], rtol=0, atol=1e-9
    )


def test_torque_driven_spherical_equals_torque_driven_revolutes() -> None:
    """Passive joints (no torque) thrown into water: the quaternions of the one against the angles of the other."""
    start = {"twist": (0.5, 0.2, 0.1, 0.3, 0.8, -0.5)}
    quiet = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="torque")
    three, one = (
        ll.simulate(
            ll.KhalilEel(joints=kind, spherical_joints=2),
            quiet,
            ll.Water(),
            duration=0.5,
            step=0.001,
            record_every=0.1,
            actuation="torque",
            initial=start,
        ).dataset
        for kind in ("revolute", "spherical")
    )
    # Quaternions and angles are integrated with errors of their own: fourth order at 1 ms
    np.testing.assert_allclose(one.base_position.values, three.base_position.values, rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.orientation.values, three.orientation.values, rtol=0, atol=1e-8)
    assert np.abs(three.joint_position.values[-1]).max() > 0.05


# Long chains


def relative_error(model: ll.NewtonEuler, freedoms: int, scale: float = 0.05) -> float:
    """How far direct dynamics are from the motion whose torques inverse dynamics gave, relative to the
    largest base acceleration.
    """
    rng = np.random.default_rng(12)
    q, qd, qdd = scale * rng.normal(size=(3, freedoms))
    twist = 0.1 * rng.normal(size=6)
    inverse = model.inverse(q, qd, qdd, twist)
    forward = model.forward(q, qd, inverse.joint_torque, twist)
    return float(
        np.abs(forward.base_acceleration - inverse.base_acceleration).max() / np.abs(inverse.base_acceleration).max()
    )


@pytest.mark.parametrize("environment", [[], [ll.Water()]], ids=["dry", "wet"])
@pytest.mark.parametrize(("count", "tolerance"), [(12, 1e-11), (100, 1e-9)])
def test_a_hundred_spherical_joints(count: int, tolerance: float, environment: list) -> None:
    """An unsymmetric K would lose a digit per joint: 6e-10 at 12 joints and everything at 25. The
    spec asks for 1e-9 at 100.
    """
    eel = ll.KhalilEel(joints="spherical", spherical_joints=count)
    assert relative_error(ll.NewtonEuler(eel, environment), 3 * count) < tolerance


def test_a_hundred_spherical_joints_against_three_hundred_revolutes() -> None:
    """Direct dynamics of both descriptions of one motion: heads agree to 1e-9."""
    rng, count = np.random.default_rng(3), 100
    q, qd, qdd = 0.05 * rng.normal(size=(3, count, 3))
    told = [spherical_from_triple(*triple) for triple in zip(q, qd, qdd, strict=True)]
    vector, omega = (np.concatenate([joint[i] for joint in told]) for i in range(2))
    twist = 0.1 * rng.normal(size=6)
    three, one = (
        ll.NewtonEuler(ll.KhalilEel(joints=kind, spherical_joints=count), ll.Water())
        for kind in ("revolute", "spherical")
    )
    torque = three.inverse(q.ravel(), qd.ravel(), qdd.ravel(), twist).joint_torque
    turned = np.concatenate(
        [np.linalg.solve(joint[3].T, part) for joint, part in zip(told, torque.reshape(-1, 3), strict=True)]
    )
    a, b = three.forward(q.ravel(), qd.ravel(), torque, twist), one.forward(vector, omega, turned, twist)
    np.testing.assert_allclose(
        b.base_acceleration, a.base_acceleration, rtol=0, atol=1e-9 * np.abs(a.base_acceleration).max()
    )


# Joints that cannot move


def test_gimbal_lock_names_the_joint() -> None:
    """At pitch pi/2 the yaw axis of a massless triple has no inertia left: H = H(0) cos² pitch."""
    model = ll.NewtonEuler(ll.KhalilEel(), ll.Water())
    q = np.zeros(36)
    q[3 * 4 + 1] = np.pi / 2
    with pytest.raises(ll.SimulationError, match=r"'yaw 5'.*rotor_inertia.*spherical") as caught:
        model.forward(q, np.zeros(36), np.zeros(36))
    assert caught.value.place == "yaw 5"


@pytest.mark.parametrize("pitch", [1.0, 1.55])
def test_no_lock_before(pitch: float) -> None:
    """Errors of the reference: 1e-11 up to 1 rad, 1e-9 at 1.55 rad."""
    model = ll.NewtonEuler(ll.KhalilEel(), ll.Water())
    rng = np.random.default_rng(2)
    q, qd, qdd = 0.1 * rng.normal(size=(3, 36))
    q[3 * 4 + 1] = pitch
    torque = model.inverse(q, qd, qdd).joint_torque
    np.testing.assert_allclose(
        model.forward(q, qd, torque).joint_acceleration, qdd, rtol=0, atol=1e-11 if pitch < 1.5 else 1e-8
    )


def test_rotor_inertia_removes_the_lock() -> None:
    """4e-11 at exactly pi/2 with 1e-4 kg m2 on every joint."""
    assert error_at_the_lock(ll.KhalilEel(rotor_inertia=1e-4)) < 4e-10


def error_at_the_lock(robot: ll.KhalilEel) -> float:
    """Of accelerations from torques that were found from them, rad/s2, with the pitch of one triple at pi/2."""
    model = ll.NewtonEuler(robot, ll.Water())
    q, qd, qdd = 0.1 * np.random.default_rng(2).normal(size=(3, 36))
    q[3 * 4 + 1] = np.pi / 2
    torque = model.inverse(q, qd, qdd).joint_torque
    return float(np.abs(model.forward(q, qd, torque).joint_acceleration - qdd).max())


def test_imposed_motion_passes_through_the_lock() -> None:
    """Motion-given joints need no inertia: the inverse model has no lock, and hybrid dynamics none
    while the triple is given.
    """
    model = ll.NewtonEuler(ll.KhalilEel(), ll.Water())
    q, given = np.zeros(36), np.zeros(36, dtype=bool)
    q[13], given[12:15] = np.pi / 2, True
    assert np.isfinite(model.inverse(q, np.zeros(36), np.ones(36)).joint_torque).all()
    assert np.isfinite(model.hybrid(given, q, np.zeros(36), np.zeros(36), np.ones(36)).joint_acceleration).all()


def test_spherical_joints_have_no_lock() -> None:
    assert error_at_the_lock(ll.KhalilEel(joints="spherical")) < 1e-10


def test_lock_in_a_run_keeps_what_was_computed() -> None:
    """A triple whose pitch is wound up by a torque: the run stops at the lock, names joint and
    time, and keeps its records.
    """

    def wind(t: np.ndarray, s: np.ndarray) -> np.ndarray:
        return np.where(s == 1, 0.5, 0.0) * np.ones((len(t), 1))

    gait = ll.FunctionGait(function=wind, drives="torque")
    start = {"joint_position": (0.0, np.pi / 2 - 2e-7, 0.0)}
    with pytest.raises(ll.SimulationError, match="'yaw 1'") as caught:
        ll.simulate(
            ll.KhalilEel(spherical_joints=1), gait, [], duration=1.0, step=0.01, actuation="torque", initial=start
        )
    assert caught.value.place == "yaw 1"
    assert caught.value.result.status.startswith("failed")


@pytest.mark.parametrize("joint", ["revolute", "prismatic"])
def test_a_link_without_inertia(joint: str) -> None:
    """A massless end link on a torque-given joint is refused by name, as long as it has no rotor."""
    heavy = {"mass": 1.0, "inertia": (0.1, 0, 0, 0.1, 0, 0.1)}
    idle = Link(joint=Joint(kind=joint, name="idle"), position=(1.0, 0, 0))
    links = (Link(**heavy), Link(joint=Joint(), position=(1.0, 0, 0), **heavy), idle)
    with pytest.raises(ll.SimulationError, match="'idle'"):
        ll.NewtonEuler(ll.Chain(links=links)).forward(np.zeros(2), np.zeros(2), np.zeros(2))
    links = (*links[:2], idle.changed(joint=Joint(kind=joint, name="idle", rotor_inertia=1e-3)))
    found = ll.NewtonEuler(ll.Chain(links=links)).forward(np.zeros(2), np.zeros(2), np.array([0.0, 1.0]))
    assert found.joint_acceleration[1] == pytest.approx(1e3)


@pytest.mark.parametrize("inertia", [(0.0, 0, 0, 0.4, 0, 0.4), (0.0,) * 6], ids=["thin rod", "nothing"])
def test_a_ball_joint_without_inertia(inertia: tuple) -> None:
    """A rod without inertia about itself on a ball joint: refused in words, never as numbers that are not numbers."""
    mass = {"mass": 1.0, "first_moment": (0.5, 0.0, 0.0)} if any(inertia) else {}
    rod = Link(joint=Joint(kind="spherical", name="ball"), position=(1.0, 0.0, 0.0), inertia=inertia, **mass)
    chain = ll.Chain(links=(Link(mass=1.0, inertia=(0.1, 0, 0, 0.1, 0, 0.1)), rod))
    with pytest.raises(ll.SimulationError, match="no inertia to move"):
        ll.NewtonEuler(chain).forward(np.zeros(3), np.zeros(3), np.ones(3))
    # imposed, it can be moved
    given = ll.NewtonEuler(chain).inverse(np.zeros(3), np.zeros(3), np.ones(3))
    assert np.isfinite(given.joint_torque).all()
    with_rotor = chain.changed(links=(chain.links[0], rod.changed(joint=Joint(kind="spherical", rotor_inertia=1e-3))))
    assert np.isfinite(
        ll.NewtonEuler(with_rotor).forward(np.zeros(3), np.zeros(3), np.ones(3)).joint_acceleration
    ).all()


def test_a_base_without_inertia() -> None:
    """A free thin rod has no inertia about itself; a planar base needs none there."""
    rod = Link(mass=1.0, first_moment=(0.5, 0.0, 0.0), inertia=(0.0, 0, 0, 0.4, 0, 0.4))
    with pytest.raises(ll.SimulationError, match="base or a spherical joint has no inertia"):
        ll.NewtonEuler(ll.Chain(links=(rod,))).inverse([], [], [])
    with pytest.raises(ll.SimulationError, match="no inertia") as caught:
        ll.simulate(ll.Chain(links=(rod,)), ll.BodyWave(), ll.Gravity(), duration=0.5)
    assert caught.value.time == 0.0
    held = ll.NewtonEuler(ll.Chain(base="planar", links=(rod,)), ll.Gravity(acceleration=(0.0, -9.81, 0.0))).inverse(
        [], [], []
    )
    np.testing.assert_allclose(held.base_acceleration, [0, -9.81, 0, 0, 0, 0], rtol=0, atol=1e-13)
