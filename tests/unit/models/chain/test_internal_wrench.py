"""Signs of what is recorded inside the body: `internal_wrench`, `joint_torque`, `fluid_force` and powers
(docs/conventions.md).
"""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import ProportionalDerivative


def swimmer(joint: str = "revolute", base: str = "free", **fields: float) -> ll.Chain:
    return ll.UniformChain(
        links=6, length=0.12, half_width=0.02, half_height=0.03, joint=joint, base=base, **fields
    ).build()


@pytest.mark.parametrize(
    "environment", [[], [ll.Water()], [ll.Water(added_mass="consistent"), ll.Gravity()]], ids=["dry", "wet", "heavy"]
)
def test_joint_torque_is_minus_the_moment_on_the_part_before(environment: list) -> None:
    """A positive torque drives the part beyond the joint, so the part before feels its opposite: internal wrench about
    z = -torque.

    Joints are at the front ends of the links, where the internal wrench is given, and no friction comes between.
    """
    data = ll.simulate(swimmer(), ll.BodyWave(), environment, duration=2.0, step=0.01, record_every=0.1).dataset
    moment = data.internal_wrench.sel(screw="rz").values[:, 1:]
    torque = data.joint_torque.values
    assert np.abs(torque).max() > 1e-3
    np.testing.assert_allclose(
        moment, -torque, rtol=0, atol=1e-11 * max(1.0, np.abs(data.internal_wrench.values).max())
    )


def test_spherical_torques_are_minus_the_moment() -> None:
    """A ball joint's torque is along the child's axes, and so is the wrench at the front of its
    section (both straight at rest).
    """
    data = ll.simulate(
        swimmer("spherical"), ll.BodyWave(dive=0.1), ll.Water(), duration=2.0, step=0.01, record_every=0.1
    ).dataset
    moment = data.internal_wrench.values[:, 1:, 3:]
    np.testing.assert_allclose(moment.reshape(len(moment), -1), -data.joint_torque.values, rtol=0, atol=1e-12)


def test_nothing_beyond_a_free_end() -> None:
    """Before the nose of a free robot there is nothing: the internal wrench at the front of section 0 is zero."""
    data = ll.simulate(
        ll.KhalilEel(), ll.BodyWave(dive=0.05), ll.Water(), duration=2.0, step=0.01, record_every=0.1
    ).dataset
    inside, end = np.abs(data.internal_wrench.values[:, 1:]).max(), np.abs(data.internal_wrench.values[:, 0]).max()
    assert end < 1e-12 * inside


def test_eel_joint_torques_from_the_internal_wrench() -> None:
    """Yaw torque of each triple from the wrench at the front of the link behind it: all three joints are there."""
    data = ll.simulate(
        ll.KhalilEel(), ll.BodyWave(dive=0.05), ll.Water(), duration=2.0, step=0.01, record_every=0.1
    ).dataset
    moment, torque = -data.internal_wrench.values[:, 1:, 3:], data.joint_torque.values.reshape(-1, 12, 3)
    # no roll: yaw's axis seen from the link is (-sin, 0, cos)
    pitch = data.joint_position.values.reshape(-1, 12, 3)[:, :, 1]
    np.testing.assert_allclose(moment[..., 0], torque[..., 2], rtol=0, atol=1e-11)
    np.testing.assert_allclose(moment[..., 1], torque[..., 1], rtol=0, atol=1e-11)
    np.testing.assert_allclose(
        moment[..., 2] * np.cos(pitch) - moment[..., 0] * np.sin(pitch), torque[..., 0], rtol=0, atol=1e-11
    )


def test_a_fixed_base_gives_what_the_body_takes() -> None:
    """What the part from the nose on does to what is before it, the clamp, is minus what the clamp gives."""
    data = ll.simulate(
        swimmer(base="fixed"), ll.BodyWave(), [ll.Water(), ll.Gravity()], duration=1.0, step=0.01, record_every=0.1
    ).dataset
    np.testing.assert_allclose(data.internal_wrench.values[:, 0], -data.base_reaction.values, rtol=0, atol=1e-11)


def test_hanging_chain_carries_the_weight_below() -> None:
    """A chain hanging from its base (x down), at rest: each front end pulls the part before it
    down by the weight beyond.
    """
    half = np.sqrt(0.5)
    chain = swimmer(base="fixed")
    data = ll.simulate(
        chain,
        ll.BodyWave(amplitude=0.0),
        ll.Gravity(),
        duration=0.1,
        step=0.05,
        # x of the base points to -z
        initial={"orientation": (half, 0.0, half, 0.0)},
    ).dataset
    weight = 9.81 * chain.total_mass * (6 - np.arange(6)) / 6
    expected = np.zeros((6, 6))
    # along x of the sections, downwards
    expected[:, 0] = weight
    np.testing.assert_allclose(data.internal_wrench.values[-1], expected, rtol=0, atol=1e-12)


def test_fluid_force_accounts_for_the_motion_of_the_centre_of_mass() -> None:
    """All forces of the water together are mass times acceleration of the centre of mass (second
    differences of its path).
    """
    result = ll.simulate(ll.KhalilEel(), ll.BodyWave(dive=0.05), ll.Water(), duration=2.0, step=0.005)
    data = result.dataset
    w, v = data.orientation.values[..., :1], data.orientation.values[..., 1:]
    force = data.fluid_force.values
    total = (force + 2.0 * np.cross(v, np.cross(v, force) + w * force)).sum(axis=1)
    h, velocity = 0.005, data.com_velocity.values
    # fourth order
    acceleration = (8 * (velocity[3:-1] - velocity[1:-3]) - (velocity[4:] - velocity[:-4])) / (12 * h)
    smooth = np.abs(data.time.values[2:-2] - 2.0) > 0.05  # the third derivative of the gait jumps at the ramp's end
    # 0.1 N is the whole force early in the ramp; differences at 5 ms are good to 1e-5 of the 10 N that act later
    np.testing.assert_allclose((result.mass * acceleration)[smooth], total[2:-2][smooth], rtol=0, atol=1e-4)


def test_drag_takes_power_from_the_body() -> None:
    """Power of pure drag is never positive."""
    data = ll.simulate(ll.KhalilEel(), ll.BodyWave(), ll.Water(added_mass="none"), duration=2.0, step=0.01).dataset
    assert (data.environment_power.values <= 1e-15).all()
    assert data.environment_power.values.min() < -1e-3


@pytest.mark.parametrize(
    "actuation", ["motion", ProportionalDerivative(stiffness=200.0, damping=4.0)], ids=["motion", "feedback"]
)
def test_effort_times_rate(actuation: str | ProportionalDerivative) -> None:
    """Positive when it drives: effort times rate, summed, is the recorded power, whatever gives the effort."""
    data = ll.simulate(
        swimmer(rotor_inertia=0.01, damping=0.02, stiffness=0.3),
        ll.BodyWave(),
        ll.Water(),
        duration=1.0,
        step=0.002,
        record_every=0.05,
        actuation=actuation,
    ).dataset
    power = (data.joint_torque * data.joint_velocity).sum("joint").values
    np.testing.assert_allclose(data.actuator_power.values, power, rtol=0, atol=1e-12)
    passive = ((-0.02 * data.joint_velocity - 0.3 * data.joint_position) * data.joint_velocity).sum("joint").values
    np.testing.assert_allclose(data.passive_power.values, passive, rtol=0, atol=1e-12)


def test_friction_lies_between_actuator_and_body() -> None:
    """With friction, damping and rotor the actuator gives more than the body takes: torque =
    body's moment + losses + rotor.
    """
    chain = swimmer(rotor_inertia=0.01, viscous_friction=0.02, coulomb_friction=0.03)
    data = ll.simulate(chain, ll.BodyWave(), ll.Water(), duration=1.0, step=0.01, record_every=0.1).dataset
    body = -data.internal_wrench.sel(screw="rz").values[:, 1:]
    rate, acceleration = data.joint_velocity.values, data.joint_acceleration.values
    expected = body + 0.02 * rate + 0.03 * np.sign(rate) + 0.01 * acceleration
    np.testing.assert_allclose(data.joint_torque.values, expected, rtol=0, atol=1e-12)


def test_poses_of_sections() -> None:
    """Sections touch each other: the end of one is the front of the next; the head is the nose; quaternions turn x
    along the body.
    """
    data = ll.simulate(
        ll.KhalilEel(), ll.BodyWave(dive=0.05), ll.Water(), duration=1.0, step=0.01, record_every=0.1
    ).dataset
    w, v = data.orientation.values[..., :1], data.orientation.values[..., 1:]
    x = np.broadcast_to([1.0, 0.0, 0.0], v.shape)
    along = x + 2.0 * np.cross(v, np.cross(v, x) + w * x)
    half = 0.5 * data.section_length.values[:, None]
    front, rear = data.position.values - half * along, data.position.values + half * along
    np.testing.assert_allclose(front[:, 1:], rear[:, :-1], rtol=0, atol=1e-13)
    np.testing.assert_allclose(front[:, 0], data.head_position.values, rtol=0, atol=1e-14)
    np.testing.assert_allclose(front[:, 0], data.base_position.values, rtol=0, atol=1e-14)
    np.testing.assert_allclose(data.orientation.values[:, 0], data.base_orientation.values, rtol=0, atol=1e-13)


def test_the_head_at_the_tip() -> None:
    """A robot whose head is its last link: the head is the far end of the chain."""
    data = ll.simulate(
        ll.UniformChain(links=3, head="tip"), ll.BodyWave(), ll.Water(), duration=0.5, step=0.01, record_every=0.1
    ).dataset
    np.testing.assert_allclose(data.head_position.values[0], [0.3, 0.0, 0.0], rtol=0, atol=1e-15)


def test_a_base_without_mass() -> None:
    """A fixed base may be left without mass: reaction and head are recorded about it and in its axes all the same."""
    from limbless.robots.joints import Joint
    from limbless.robots.links import Link

    heavy = {"mass": 2.0, "first_moment": (0.0, 0.0, -0.6), "inertia": (0.25, 0, 0, 0.25, 0, 0.01)}
    bob = Link(joint=Joint(axis=(0, 1, 0)), position=(0.1, 0.2, 0.3), **heavy)
    chain = ll.Chain(base="fixed", links=(Link(), bob))
    place = {"position": (1.0, 2.0, 3.0), "orientation": (0.8, 0.0, 0.6, 0.0)}
    quiet = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), 1)), drives="torque")
    data = ll.simulate(
        chain,
        quiet,
        ll.Gravity(),
        duration=0.1,
        actuation="torque",
        initial={**place, "joint_position": (0.7,), "joint_velocity": (0.5,)},
    ).dataset
    now = ll.NewtonEuler(chain, ll.Gravity()).forward(
        [0.7], [0.5], [0.0], base_position=place["position"], base_orientation=place["orientation"]
    )
    np.testing.assert_allclose(data.base_reaction.values[0], now.base_reaction, rtol=0, atol=1e-13)
    np.testing.assert_array_equal(data.head_position.values[0], place["position"])
