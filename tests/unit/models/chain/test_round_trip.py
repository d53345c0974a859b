"""Direct dynamics undo inverse dynamics: at random states, at recorded ones, and along a whole swim
(section 8 and 9 of the spec).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation.gait_to_joints import joint_motion

DIVE = np.pi / 40


def rounding(inverse: Any) -> float:
    """1e-11 absolute, as the reference found, at the torques of a swim (5 N m); it grows with them, to 29 N m here."""
    return 1e-11 * max(1.0, float(np.abs(inverse.joint_torque).max()) / 5.0)


@pytest.mark.parametrize(
    "environment", [[], [ll.Water()], [ll.Water(added_mass="consistent")]], ids=["dry", "wet", "consistent"]
)
@pytest.mark.parametrize("seed", range(5))
def test_eel(environment: list, seed: int, random_state: Any) -> None:
    model = ll.NewtonEuler(ll.KhalilEel(), environment)
    q, qd, qdd, twist, _ = random_state(seed, 36, 0.1)
    inverse = model.inverse(q, qd, qdd, twist)
    forward = model.forward(q, qd, inverse.joint_torque, twist)
    tolerance = rounding(inverse)
    np.testing.assert_allclose(forward.joint_acceleration, qdd, rtol=0, atol=tolerance)
    np.testing.assert_allclose(forward.base_acceleration, inverse.base_acceleration, rtol=0, atol=tolerance)


@pytest.mark.parametrize("environment", [[], [ll.Water()]], ids=["dry", "wet"])
@pytest.mark.parametrize("joint", ["revolute", "universal", "spherical"])
@pytest.mark.parametrize("base", ["free", "planar", "fixed"])
def test_short_chains(base: str, joint: str, environment: list, random_state: Any) -> None:
    """Chains of up to 20 joints: 2e-13 in the reference; here relative to the largest
    acceleration, with a margin of 5.
    """
    chain = ll.UniformChain(links=6, joint=joint, base=base, half_height=0.03).build()
    model = ll.NewtonEuler(chain, environment)
    q, qd, qdd, twist, _ = random_state(3, chain.freedoms)
    twist = {"free": twist, "planar": twist * [1, 1, 0, 0, 0, 1], "fixed": 0.0 * twist}[base]
    inverse = model.inverse(q, qd, qdd, twist)
    forward = model.forward(q, qd, inverse.joint_torque, twist)
    scale = max(1.0, np.abs(inverse.base_acceleration).max())
    np.testing.assert_allclose(forward.joint_acceleration, qdd, rtol=0, atol=1e-12 * scale)
    np.testing.assert_allclose(forward.base_acceleration, inverse.base_acceleration, rtol=0, atol=1e-12 * scale)
    held = max(1.0, np.abs(inverse.base_reaction).max())
    np.testing.assert_allclose(forward.base_reaction, inverse.base_reaction, rtol=0, atol=1e-12 * held)


def test_hybrid_masks_agree(random_state: Any) -> None:
    """Whatever is given, one motion and one set of torques belong together."""
    model = ll.NewtonEuler(ll.KhalilEel(), ll.Water())
    q, qd, qdd, twist, _ = random_state(9, 36, 0.1)
    inverse = model.inverse(q, qd, qdd, twist)
    rng = np.random.default_rng(4)
    for share in (0.1, 0.5, 0.9):
        given = rng.random(36) < share
        hybrid = model.hybrid(
            given, q, qd, np.where(given, qdd, 99.0), np.where(given, 99.0, inverse.joint_torque), twist
        )
        tolerance = rounding(inverse)
        np.testing.assert_allclose(hybrid.joint_acceleration, qdd, rtol=0, atol=tolerance)
        np.testing.assert_allclose(hybrid.joint_torque, inverse.joint_torque, rtol=0, atol=tolerance)
        np.testing.assert_allclose(hybrid.base_acceleration, inverse.base_acceleration, rtol=0, atol=tolerance)


@pytest.mark.parametrize("dive", [0.0, DIVE], ids=["planar", "loop"])
def test_recorded_torques_give_recorded_accelerations(dive: float) -> None:
    """Every record of a run holds one instant of the dynamics: the direct model must find its
    accelerations (spec: 1e-9).
    """
    data = ll.simulate(
        ll.KhalilEel(), ll.BodyWave(dive=dive), ll.Water(), duration=4.0, step=0.01, record_every=0.1
    ).dataset
    model = ll.NewtonEuler(ll.KhalilEel(), ll.Water())
    for i in range(data.sizes["time"]):
        now = data.isel(time=i)
        found = model.forward(
            now.joint_position.values,
            now.joint_velocity.values,
            now.joint_torque.values,
            now.base_twist.values,
            base_position=now.base_position.values,
            base_orientation=now.base_orientation.values,
        )
        np.testing.assert_allclose(found.joint_acceleration, now.joint_acceleration.values, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.base_acceleration, now.base_acceleration.values, rtol=0, atol=1e-9)


def integrate_head(accelerations: Any, duration: float, step: float) -> np.ndarray:
    """RK4 of the head alone; `accelerations(t, twist)` is classical, in base axes. Returns position, quaternion and
    twist at the end.
    """

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        w, v, linear, angular = y[3], y[4:7], y[7:10], y[10:]
        acceleration = accelerations(t, y[7:])
        velocity = linear + 2.0 * np.cross(v, np.cross(v, linear) + w * linear)
        spin = 0.5 * np.concatenate([[-v @ angular], w * angular + np.cross(v, angular)])
        return np.concatenate([velocity, spin, acceleration[:3] - np.cross(angular, linear), acceleration[3:]])

    y = np.array([0.0, 0.0, 0.0, 1.0, *[0.0] * 9])
    for i in range(round(duration / step)):
        t = i * step
        k1 = rates(t, y)
        k2 = rates(t + step / 2, y + step / 2 * k1)
        k3 = rates(t + step / 2, y + step / 2 * k2)
        k4 = rates(t + step, y + step * k3)
        y = y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        y[3:7] /= np.linalg.norm(y[3:7])
    return y


@pytest.mark.parametrize("dive", [0.0, DIVE], ids=["planar", "loop"])
def test_swim_by_inverse_and_by_direct_model(dive: float) -> None:
    """As the paper validates its direct model: q(t), q̇(t) and the torques of the inverse model are fed to it; the head
    must not notice.

    The head is integrated here, by a loop of its own, and must also be where `simulate` brings it.
    """
    chain, gait = ll.KhalilEel().build(), ll.BodyWave(dive=dive)
    model, step, duration = ll.NewtonEuler(chain, ll.Water()), 0.02, 3.0

    def by_inverse(t: float, twist: np.ndarray) -> np.ndarray:
        motion = joint_motion(chain, gait, np.array([t]))
        return model.inverse(motion.position[0], motion.velocity[0], motion.acceleration[0], twist).base_acceleration

    def by_direct(t: float, twist: np.ndarray) -> np.ndarray:
        motion = joint_motion(chain, gait, np.array([t]))
        torque = model.inverse(motion.position[0], motion.velocity[0], motion.acceleration[0], twist).joint_torque
        found = model.forward(motion.position[0], motion.velocity[0], torque, twist)
        np.testing.assert_allclose(found.joint_acceleration, motion.acceleration[0], rtol=0, atol=1e-9)
        return found.base_acceleration

    ours, theirs = integrate_head(by_inverse, duration, step), integrate_head(by_direct, duration, step)
    np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-9)
    data = ll.simulate(chain, gait, ll.Water(), duration=duration, step=step, record_every=duration).dataset.isel(
        time=-1
    )
    # Inside a step quaternions are not of unit length; this loop stays in the base frame and `simulate`
    # turns the body by them. That is a difference of fourth order, 2e-9 for the loop at this step,
    # whose own error is 9e-7.
    tolerance = 1e-8 if dive else 1e-11
    np.testing.assert_allclose(data.base_position.values, ours[:3], rtol=0, atol=tolerance)
    np.testing.assert_allclose(data.base_orientation.values, ours[3:7], rtol=0, atol=tolerance)
    np.testing.assert_allclose(data.base_twist.values, ours[7:], rtol=0, atol=tolerance)


def test_torques_replayed_reproduce_the_motion_for_a_while() -> None:
    """Torques alone (open loop), played back through a torque gait: the planar swim is followed for 2 s.

    The torques are a table every 5 ms, given between its rows by a spline; the error grows like exp(0.6 t) in the
    plane, so that after 2 s it is that of the table.
    """
    from scipy.interpolate import make_interp_spline

    base = ll.simulate(ll.KhalilEel(), ll.BodyWave(), ll.Water(), duration=2.0, step=0.005)
    table = make_interp_spline(base.dataset.time.values, base.dataset.joint_torque.values, k=5)
    gait = ll.FunctionGait(function=lambda t, s: table(t), drives="torque")
    replay = ll.simulate(ll.KhalilEel(), gait, ll.Water(), duration=2.0, step=0.005, actuation="torque")
    np.testing.assert_allclose(
        replay.dataset.joint_position.values, base.dataset.joint_position.values, rtol=0, atol=1e-5
    )
    np.testing.assert_allclose(
        replay.dataset.base_position.values, base.dataset.base_position.values, rtol=0, atol=1e-6
    )
