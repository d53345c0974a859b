"""Motions that can be written down: free fall, pendulums, springs, dampers, a slider, a body held in a plane.

Where a run is compared with a formula, the tolerance is the error of RK4 at that step, (ω h)⁴ ω t / 120 for an
oscillation.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import ProportionalDerivative
from limbless.control.actuation.gait_to_joints import joint_motion
from limbless.environments.point_wrench import PointWrench
from limbless.robots.joints import Joint
from limbless.robots.links import Link

G = 9.81
NO_TORQUE = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="torque")


def hanging(joint: Joint, mass: float = 2.0, center: float = 0.3, inertia: float = 0.25) -> ll.Chain:
    """A fixed base and one link; its centre of mass hangs `center` below the joint, its inertia about the joint is
    `inertia` (x, y).
    """
    bob = Link(
        joint=joint, mass=mass, first_moment=(0.0, 0.0, -mass * center), inertia=(inertia, 0, 0, inertia, 0, 0.01)
    )
    return ll.Chain(base="fixed", links=(Link(mass=1.0), bob))


def swing(
    chain: ll.Chain, angle: float, rate: float = 0.0, environment: list | None = None, **timing: float
) -> ll.Result:
    options = {"duration": 2.0, "step": 0.005, "record_every": 0.1, **timing}
    return ll.simulate(
        chain,
        NO_TORQUE,
        [ll.Gravity()] if environment is None else environment,
        actuation="torque",
        initial={"joint_position": (angle,), "joint_velocity": (rate,)},
        **options,
    )


# Falling and flying


def test_free_fall() -> None:
    """All bodies fall alike: z = v t - g t²/2 (exact for RK4), and the joints feel nothing."""
    chain = ll.UniformChain(links=4, joint="spherical")
    start = {"twist": (0.2, 0.0, 3.0, 0.0, 0.0, 0.0)}
    result = ll.simulate(chain, ll.BodyWave(amplitude=0.0), ll.Gravity(), duration=1.0, step=0.05, initial=start)
    t = result.dataset.time.values
    expected = np.column_stack([0.2 * t, 0 * t, 3.0 * t - G * t**2 / 2])
    np.testing.assert_allclose(result.dataset.base_position.values, expected, rtol=0, atol=1e-13)
    assert np.abs(result.dataset.joint_torque.values).max() < 1e-12
    energy = result.dataset.kinetic_energy + result.dataset.potential_energy
    np.testing.assert_allclose(energy.values, energy.values[0], rtol=1e-12)


def test_tumbling_body_keeps_energy_and_momentum() -> None:
    """Spin about the middle axis of inertia (unstable), falling: the centre of mass still follows a parabola."""
    body = Link(mass=1.5, first_moment=(0.15, -0.3, 0.45), inertia=np.diag([0.4, 0.55, 0.7]) + 0.0)
    chain = ll.Chain(links=(body,))
    data = ll.simulate(
        chain,
        ll.BodyWave(),
        ll.Gravity(),
        duration=1.0,
        step=0.002,
        record_every=0.1,
        initial={"twist": (1.0, 0.5, 4.0, 0.05, 3.0, 0.02)},
    ).dataset
    t = data.time.values[:, None]
    expected = data.com_position.values[0] + t * data.com_velocity.values[0] - [0, 0, G / 2] * t**2
    np.testing.assert_allclose(data.com_position.values, expected, rtol=0, atol=1e-9)
    energy = (data.kinetic_energy + data.potential_energy).values
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9)


def test_orientation_follows_body_rates() -> None:
    """A round body that starts turned and spins steadily: q(t) = q0 exp(ω t), with ω in its own axes (30)."""
    start, omega = np.array([0.8, 0.0, 0.6, 0.0]), np.array([0.3, -0.4, 1.2])
    body = ll.Chain(links=(Link(mass=1.0, inertia=(0.1, 0, 0, 0.1, 0, 0.1)),))
    initial = {"orientation": tuple(start), "twist": (0.0, 0.0, 0.0, *omega)}
    data = ll.simulate(body, ll.BodyWave(), [], duration=0.5, step=0.02, initial=initial).dataset
    rate = np.linalg.norm(omega)
    for t, quaternion in zip(data.time.values, data.base_orientation.values, strict=True):
        w, v = math.cos(rate * t / 2), math.sin(rate * t / 2) * omega / rate
        expected = np.concatenate(
            [[start[0] * w - start[1:] @ v], start[0] * v + w * start[1:] + np.cross(start[1:], v)]
        )
        # (1.3 rad/s x 20 ms / 2)⁵ / 120 for each step
        np.testing.assert_allclose(quaternion, expected, rtol=0, atol=1e-9)


def test_gravity_and_deep_buoyancy_cancel_for_a_neutral_body() -> None:
    data = ll.simulate(ll.KhalilEel(), ll.BodyWave(), [ll.Gravity(), ll.Buoyancy()], duration=1.0, step=0.02).dataset
    free = ll.simulate(ll.KhalilEel(), ll.BodyWave(), [], duration=1.0, step=0.02).dataset
    np.testing.assert_allclose(data.base_position.values, free.base_position.values, rtol=0, atol=1e-12)
    np.testing.assert_allclose(data.joint_torque.values, free.joint_torque.values, rtol=0, atol=1e-11)


# Pendulums


def test_small_pendulum_has_its_period() -> None:
    """θ = θ0 cos(ω t), ω² = m g l / I; the amplitude of 1e-4 rad lengthens the period by 6e-10."""
    omega = math.sqrt(2.0 * G * 0.3 / 0.25)
    data = swing(hanging(Joint(axis=(0, 1, 0))), 1e-4).dataset
    np.testing.assert_allclose(
        data.joint_position.values[:, 0], 1e-4 * np.cos(omega * data.time.values), rtol=0, atol=1e-4 * 1e-7
    )


def test_large_pendulum_keeps_its_energy_and_period() -> None:
    """A swing of 2 rad: the period is 4 K(sin²(θ0/2)) / ω, found here by the return to the start."""
    from scipy.special import ellipk

    omega = math.sqrt(2.0 * G * 0.3 / 0.25)
    period = 4.0 * ellipk(math.sin(1.0) ** 2) / omega
    result = swing(hanging(Joint(axis=(1, 0, 0))), 2.0, duration=period, step=0.002, record_every=0.002)
    last = result.dataset.isel(time=-1)
    assert last.time.values == pytest.approx(period, abs=1e-12)
    assert last.joint_position.values[0] == pytest.approx(2.0, abs=1e-8)
    assert last.joint_velocity.values[0] == pytest.approx(0.0, abs=1e-7)
    energy = (result.dataset.kinetic_energy + result.dataset.potential_energy).values
    np.testing.assert_allclose(energy, energy[0], rtol=0, atol=1e-8)


def test_fixed_base_carries_weight_and_centripetal_force() -> None:
    """A pendulum passing its lowest point: the base gives m g + m l θ̇², and m l θ̈ = 0 sideways."""
    rate = 2.0
    found = ll.NewtonEuler(hanging(Joint(axis=(0, 1, 0))), ll.Gravity()).forward([0.0], [rate], [0.0])
    # the base weighs 1 kg itself
    weight = (2.0 + 1.0) * G
    np.testing.assert_allclose(found.base_reaction, [0, 0, weight + 2.0 * 0.3 * rate**2, 0, 0, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.base_acceleration, np.zeros(6), rtol=0, atol=0)
    held = ll.NewtonEuler(hanging(Joint(axis=(0, 1, 0))), ll.Gravity()).inverse([0.5], [0.0], [0.0])
    # holding torque, against the weight
    assert held.joint_torque[0] == pytest.approx(2.0 * G * 0.3 * math.sin(0.5), rel=1e-13)
    assert held.base_reaction[4] == pytest.approx(held.joint_torque[0], rel=1e-13)  # and the base holds it


def test_spherical_pendulum_precesses() -> None:
    """Conical motion: at angle θ it goes round at Ω² = m g l / (I cos θ) for a slender bob, keeping its height."""
    theta, mass, length = 0.5, 2.0, 0.3
    inertia = mass * length**2
    bob = Link(
        joint=Joint(kind="spherical"),
        mass=mass,
        first_moment=(0, 0, -mass * length),
        inertia=(inertia, 0, 0, inertia, 0, 1e-6),
    )
    chain = ll.Chain(base="fixed", links=(Link(mass=1.0), bob))
    around = math.sqrt(G / (length * math.cos(theta)))
    # Turned by θ about y; the bob's angular velocity is Ω z without the spin about its own axis, in its own axes
    axis = np.array([-math.sin(theta), 0.0, math.cos(theta)])
    omega = around * axis * [1, 1, 0]
    data = ll.simulate(
        chain,
        NO_TORQUE,
        ll.Gravity(),
        actuation="torque",
        duration=1.0,
        step=0.001,
        record_every=0.1,
        initial={"joint_position": (0.0, theta, 0.0), "joint_velocity": tuple(omega)},
    ).dataset
    bob_position = (data.com_position.values * 3.0) / mass  # the base's mass is at the origin
    angle = math.pi + around * data.time.values  # it starts at -x: turned by +θ about y
    expected = length * np.column_stack(
        [math.sin(theta) * np.cos(angle), math.sin(theta) * np.sin(angle), -math.cos(theta) + 0 * angle]
    )
    # the 1e-6 kg m2 of its own spin changes Ω by 3e-6 at most
    np.testing.assert_allclose(bob_position, expected, rtol=0, atol=1e-6)


# Springs, dampers, friction, rotors


def test_spring_and_rotor() -> None:
    """(I + Ia) θ̈ = -k (θ - θ_rest): the rotor counts in H (34), the spring acts about its rest."""
    joint = Joint(axis=(0, 0, 1), stiffness=3.0, rest=0.2, rotor_inertia=0.05)
    omega = math.sqrt(3.0 / (0.01 + 0.05))
    data = swing(hanging(joint), 0.5, environment=[], step=0.002).dataset
    np.testing.assert_allclose(
        data.joint_position.values[:, 0], 0.2 + 0.3 * np.cos(omega * data.time.values), rtol=0, atol=1e-8
    )
    energy = (data.kinetic_energy + data.potential_energy).values
    np.testing.assert_allclose(energy, 0.5 * 3.0 * 0.3**2, rtol=1e-8)
    assert (
        np.abs(data.passive_work.values + data.potential_energy.values - data.potential_energy.values[0]).max() < 1e-8
    )


@pytest.mark.parametrize("field", ["damping", "viscous_friction"])
def test_damper(field: str) -> None:
    """I θ̈ = -c θ̇: θ̇ = θ̇0 exp(-c t / I), and the damper takes all the energy."""
    data = swing(hanging(Joint(axis=(0, 0, 1), **{field: 0.02})), 0.0, 2.0, environment=[], step=0.01).dataset
    np.testing.assert_allclose(data.joint_velocity.values[:, 0], 2.0 * np.exp(-2.0 * data.time.values), rtol=1e-7)
    lost = 0.5 * 0.01 * (2.0**2 - data.joint_velocity.values[:, 0] ** 2)
    np.testing.assert_allclose(data.passive_work.values, -lost, rtol=0, atol=1e-9)


def test_damped_oscillation() -> None:
    """Underdamped: θ = θ0 exp(-δ t) (cos ω t + δ/ω sin ω t)."""
    inertia, k, c = 0.01, 1.0, 0.04
    delta, omega = c / (2 * inertia), math.sqrt(k / inertia - (c / (2 * inertia)) ** 2)
    data = swing(hanging(Joint(axis=(0, 0, 1), stiffness=k, damping=c)), 0.3, environment=[], step=0.005).dataset
    t = data.time.values
    expected = 0.3 * np.exp(-delta * t) * (np.cos(omega * t) + delta / omega * np.sin(omega * t))
    np.testing.assert_allclose(data.joint_position.values[:, 0], expected, rtol=0, atol=1e-6)


def test_coulomb_friction_slows_in_both_directions() -> None:
    """I θ̈ = -Fs sign θ̇: constant deceleration until rest; sign(0) = 0, so a joint at rest stays there."""
    for rate in (0.5, -0.5):
        data = swing(
            hanging(Joint(axis=(0, 0, 1), coulomb_friction=0.002)), 0.0, rate, environment=[], duration=2.0, step=0.01
        ).dataset
        np.testing.assert_allclose(
            data.joint_velocity.values[:, 0], rate - np.sign(rate) * 0.2 * data.time.values, rtol=0, atol=1e-13
        )
    model = ll.NewtonEuler(hanging(Joint(axis=(0, 0, 1), coulomb_friction=0.002)))
    assert model.forward([0.0], [0.0], [0.0]).joint_acceleration[0] == 0.0
    # driving on takes torque along the motion
    assert model.inverse([0.0], [1.0], [0.0]).joint_torque[0] == pytest.approx(0.002)
    assert model.inverse([0.0], [-1.0], [0.0]).joint_torque[0] == pytest.approx(-0.002)


def test_spherical_spring_and_rotor() -> None:
    """A ball joint with stiffness and rotor per axis, turning about one of them, is the revolute one."""
    ball = Joint(kind="spherical", stiffness=(1.0, 2.0, 3.0), rotor_inertia=(0.01, 0.02, 0.05))
    bob = Link(joint=ball, mass=2.0, inertia=(0.01, 0, 0, 0.01, 0, 0.01))
    chain = ll.Chain(base="fixed", links=(Link(mass=1.0), bob))
    for axis, (k, rotor) in enumerate([(1.0, 0.01), (2.0, 0.02), (3.0, 0.05)]):
        start = [0.0, 0.0, 0.0]
        start[axis] = 0.4
        data = ll.simulate(
            chain,
            NO_TORQUE,
            [],
            actuation="torque",
            duration=1.0,
            step=0.002,
            record_every=0.1,
            initial={"joint_position": tuple(start)},
        ).dataset
        omega = math.sqrt(k / (0.01 + rotor))
        np.testing.assert_allclose(
            data.joint_position.values[:, axis], 0.4 * np.cos(omega * data.time.values), rtol=0, atol=1e-8
        )
        np.testing.assert_allclose(np.delete(data.joint_position.values, axis, axis=1), 0.0, rtol=0, atol=1e-12)


# A slider


def test_slider_on_an_incline() -> None:
    """A prismatic joint along (0, 0.6, 0.8), driven by gravity, its own force and a rotor: constant acceleration."""
    load = Link(
        joint=Joint(kind="prismatic", axis=(0.0, 0.6, 0.8), rotor_inertia=0.5),
        mass=2.0,
        inertia=(0.1, 0, 0, 0.1, 0, 0.1),
    )
    chain = ll.Chain(base="fixed", links=(Link(mass=1.0), load))
    push = ll.FunctionGait(function=lambda t, s: np.full((len(t), 1), 30.0), drives="torque")
    data = ll.simulate(chain, push, ll.Gravity(), actuation="torque", duration=1.0, step=0.1).dataset
    acceleration = (30.0 - 2.0 * G * 0.8) / 2.5
    np.testing.assert_allclose(
        data.joint_position.values[:, 0], acceleration * data.time.values**2 / 2, rtol=0, atol=1e-13
    )
    held = ll.NewtonEuler(chain, ll.Gravity()).inverse([0.7], [0.0], [0.0])
    assert held.joint_torque[0] == pytest.approx(2.0 * G * 0.8, rel=1e-13)
    np.testing.assert_allclose(held.base_reaction, [0, 0, 3.0 * G, 0.7 * 0.6 * 2.0 * G, 0, 0], rtol=0, atol=1e-12)


def test_slider_on_a_turning_arm() -> None:
    """A bead on a rod turned at Ω flies out: r = r0 cosh(Ω t); the turning takes the Coriolis torque 2 m r ṙ Ω."""
    rate, mass = 2.0, 0.3
    arm = Link(joint=Joint(axis=(0, 0, 1)), inertia=(0.01, 0, 0, 0.01, 0, 0.01), mass=0.1)
    bead = Link(joint=Joint(kind="prismatic", axis=(1, 0, 0)), mass=mass, inertia=(1e-3, 0, 0, 1e-3, 0, 1e-3))
    chain = ll.Chain(base="fixed", links=(Link(mass=1.0), arm, bead))
    turning = ll.FunctionGait(function=lambda t, s: np.column_stack([rate * t, 0 * t]), drives="joint")
    hybrid = ProportionalDerivative(stiffness=0.0, damping=0.0, motion_joints=(0,))
    data = ll.simulate(
        chain,
        turning,
        [],
        actuation=hybrid,
        duration=1.0,
        step=0.005,
        record_every=0.1,
        initial={"joint_position": (0.0, 0.2)},
    ).dataset
    t = data.time.values
    r, speed = 0.2 * np.cosh(rate * t), 0.2 * rate * np.sinh(rate * t)
    np.testing.assert_allclose(data.joint_position.values, np.column_stack([rate * t, r]), rtol=0, atol=1e-9)
    np.testing.assert_allclose(data.joint_torque.values[:, 0], 2.0 * mass * r * speed * rate, rtol=0, atol=1e-7)
    np.testing.assert_array_equal(data.joint_torque.values[:, 1], 0.0)


# A base in a plane


def test_planar_base_keeps_to_its_tilted_plane_and_gives_the_reaction() -> None:
    """Weight drives a body down a frictionless tilted plane; what the plane gives is the weight's part across it."""
    tilt = 0.4
    # about x: y points uphill
    quaternion = (math.cos(tilt / 2), math.sin(tilt / 2), 0.0, 0.0)
    body = Link(mass=2.0, inertia=(0.1, 0, 0, 0.1, 0, 0.1))
    data = ll.simulate(
        ll.Chain(base="planar", links=(body,)),
        ll.BodyWave(),
        ll.Gravity(),
        duration=1.0,
        step=0.01,
        record_every=0.1,
        initial={"orientation": quaternion, "twist": (0.5, 0.0, 0.0, 0.0, 0.0, 1.0)},
    ).dataset
    t = data.time.values
    slid = -G * math.sin(tilt) * t**2 / 2
    expected = np.column_stack([0.5 * t, slid * math.cos(tilt), slid * math.sin(tilt)])
    # The spin turns the body's axes under a constant velocity: RK4 at 10 ms and 1 rad/s has an error of 2e-9
    np.testing.assert_allclose(data.base_position.values, expected, rtol=0, atol=1e-8)
    reaction = data.base_reaction.values
    np.testing.assert_allclose(
        reaction, np.tile([0, 0, 2.0 * G * math.cos(tilt), 0, 0, 0], (len(t), 1)), rtol=0, atol=1e-7
    )
    normal = [0.0, -math.sin(tilt), math.cos(tilt)]
    # Not zero, because quaternions inside a step are not of unit length; of the order of the step's error, as above
    assert np.abs(data.base_position.values @ normal).max() < 1e-9
    assert np.abs(data.base_twist.values[:, 2:5]).max() < 1e-9


def test_planar_eel_is_the_free_eel_in_the_plane() -> None:
    """The planar swim needs no help to stay in its plane, so that holding it there changes
    nothing and takes no force.
    """
    free, planar = (
        ll.simulate(ll.KhalilEel(base=base), ll.BodyWave(), ll.Water(), duration=2.0, record_every=0.1).dataset
        for base in ("free", "planar")
    )
    np.testing.assert_allclose(planar.base_position.values, free.base_position.values, rtol=0, atol=1e-12)
    np.testing.assert_allclose(planar.joint_torque.values, free.joint_torque.values, rtol=0, atol=1e-11)
    assert np.abs(planar.base_reaction.values).max() < 1e-11


def test_planar_eel_that_pitches_is_held_by_its_base() -> None:
    """With a diving gait the base must be held: across its plane, and against tipping over;
    along it there is no reaction.
    """
    data = ll.simulate(
        ll.KhalilEel(base="planar"), ll.BodyWave(dive=0.05), ll.Water(), duration=2.0, record_every=0.1
    ).dataset
    assert np.abs(data.base_position.values[:, 2]).max() == 0.0
    reaction = np.abs(data.base_reaction.values).max(axis=0)
    assert (reaction[[2, 3, 4]] > 1e-2).all()
    assert (reaction[[0, 1, 5]] < 1e-10).all()


def test_fixed_eel_does_not_move() -> None:
    start = {"position": (1.0, 2.0, 3.0), "orientation": (0.6, 0.0, 0.0, 0.8)}
    data = ll.simulate(
        ll.KhalilEel(base="fixed"), ll.BodyWave(), ll.Water(), duration=1.0, initial=start, record_every=0.1
    ).dataset
    np.testing.assert_array_equal(data.base_position.values, np.tile([1.0, 2.0, 3.0], (11, 1)))
    np.testing.assert_array_equal(data.base_twist.values, 0.0)
    # Impulse with the holding wrench accounts for the momentum of the waving body
    momentum, impulse = data.momentum.values, data.impulse.values
    np.testing.assert_allclose(momentum - momentum[0], impulse, rtol=0, atol=1e-6)


# Forces at a point


@pytest.mark.parametrize("frame", ["world", "body"])
def test_point_wrench(frame: str) -> None:
    """A force at a point and a torque on a free body at rest, in the axes of the world or of the turned body."""
    half = math.sqrt(0.5)
    # +90 degrees about z: body x is world y
    turned = (half, 0.0, 0.0, half)
    body = Link(mass=2.0, inertia=(0.2, 0, 0, 0.3, 0, 0.4))
    push = PointWrench(point=(0.5, 0.0, 0.0), force=(0.0, 4.0, 0.0), torque=(0.0, 0.0, 0.1), frame=frame)
    found = ll.NewtonEuler(ll.Chain(links=(body,)), push).inverse([], [], [], base_orientation=turned).base_acceleration
    expected = [2.0, 0, 0, 0, 0, 0.1 / 0.4] if frame == "world" else [0, 2.0, 0, 0, 0, (0.1 + 0.5 * 4.0) / 0.4]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14)


# Driven joints


def test_proportional_derivative_follows_the_gait() -> None:
    """Stiff feedback around a gait follows it; ten times the gains, a tenth of the error. (Of soft feedback it is not
    quite: from 1000 to 10000 N m/rad the error falls 12.2 times, from there on 10.2 times.)"""
    errors = []
    for gain in (4000.0, 40000.0):
        feedback = ProportionalDerivative(stiffness=gain, damping=gain / 50)
        data = ll.simulate(
            ll.KhalilEel(rotor_inertia=0.1),
            ll.BodyWave(),
            ll.Water(),
            duration=2.5,
            step=0.0002,
            record_every=0.05,
            actuation=feedback,
        ).dataset
        wanted = joint_motion(ll.KhalilEel().build(), ll.BodyWave(), data.time.values).position
        errors.append(np.abs(data.joint_position.values - wanted).max())
        applied = gain * (wanted - data.joint_position.values) + gain / 50 * (
            joint_motion(ll.KhalilEel().build(), ll.BodyWave(), data.time.values).velocity - data.joint_velocity.values
        )
        np.testing.assert_allclose(data.joint_torque.values, applied, rtol=0, atol=1e-9 * gain)
    assert errors[0] < 0.002
    assert errors[0] / errors[1] == pytest.approx(10.0, rel=0.08)


def test_feedback_on_a_single_joint_is_a_damped_oscillator() -> None:
    """Torque = k (0 - θ) + d (0 - θ̇), so the joint is a spring and a damper."""
    straight = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), 1)), drives="joint")
    chain = hanging(Joint(axis=(0, 0, 1)))
    data = ll.simulate(
        chain,
        straight,
        [],
        actuation=ProportionalDerivative(stiffness=1.0, damping=0.04),
        duration=1.0,
        step=0.005,
        record_every=0.1,
        initial={"joint_position": (0.3,)},
    ).dataset
    delta, omega, t = 2.0, math.sqrt(100.0 - 4.0), data.time.values
    expected = 0.3 * np.exp(-delta * t) * (np.cos(omega * t) + delta / omega * np.sin(omega * t))
    np.testing.assert_allclose(data.joint_position.values[:, 0], expected, rtol=0, atol=1e-6)
    feedback = -1.0 * data.joint_position.values - 0.04 * data.joint_velocity.values
    np.testing.assert_allclose(data.joint_torque.values, feedback, rtol=0, atol=1e-13)


def test_saturated_feedback_gives_no_more() -> None:
    """A far reference: the joint is driven by the saturation torque, α = τ / I."""
    far = ll.FunctionGait(function=lambda t, s: np.full((len(t), 1), 50.0), drives="joint")
    feedback = ProportionalDerivative(stiffness=5.0, damping=0.0, saturation=0.02)
    data = ll.simulate(
        hanging(Joint(axis=(0, 0, 1))),
        far,
        [],
        actuation=feedback,
        duration=1.0,
        step=0.1,
        initial={"joint_position": (0.0,), "joint_velocity": (0.0,)},
    ).dataset
    np.testing.assert_allclose(
        data.joint_position.values[:, 0], 0.02 / 0.01 * data.time.values**2 / 2, rtol=0, atol=1e-13
    )
    np.testing.assert_array_equal(data.joint_torque.values, 0.02)


def test_spherical_feedback() -> None:
    """Feedback on a ball joint turns it the short way to its reference, whatever the axis."""
    wanted = np.array([0.3, -0.5, 0.4])
    gait = ll.FunctionGait(function=lambda t, s: np.tile(wanted, (len(t), 1)), drives="joint")
    bob = Link(joint=Joint(kind="spherical"), mass=2.0, inertia=(0.01, 0, 0, 0.01, 0, 0.01))
    chain = ll.Chain(base="fixed", links=(Link(mass=1.0), bob))
    feedback = ProportionalDerivative(stiffness=1.0, damping=0.2)
    data = ll.simulate(
        chain,
        gait,
        [],
        actuation=feedback,
        duration=4.0,
        step=0.005,
        record_every=0.5,
        initial={"joint_position": (0.0, 0.0, 0.0), "joint_velocity": (0.0, 0.0, 0.0)},
    ).dataset
    path = data.joint_position.values
    # With equal gains and a round inertia it turns about one axis: θ(t) is the critically damped response,
    # from 0 to the reference
    t = data.time.values
    share = 1.0 - (1.0 + 10.0 * t) * np.exp(-10.0 * t)
    np.testing.assert_allclose(path, share[:, None] * wanted, rtol=0, atol=1e-6)


def test_hybrid_run_follows_motion_joints_exactly() -> None:
    """Some joints imposed, the others under feedback: the imposed ones are the gait to the
    last bit, the balance closes.
    """
    motion_joints = tuple(range(0, 18))
    result = ll.simulate(
        ll.KhalilEel(rotor_inertia=0.05),
        ll.BodyWave(),
        ll.Water(),
        duration=2.5,
        step=0.001,
        record_every=0.1,
        actuation=ProportionalDerivative(stiffness=300.0, damping=6.0, motion_joints=motion_joints),
    )
    data = result.dataset
    wanted = joint_motion(ll.KhalilEel().build(), ll.BodyWave(), data.time.values)
    np.testing.assert_array_equal(data.joint_position.values[:, :18], wanted.position[:, :18])
    np.testing.assert_array_equal(data.joint_velocity.values[:, :18], wanted.velocity[:, :18])
    assert np.abs(data.joint_position.values[:, 18:] - wanted.position[:, 18:]).max() < 0.05
    assert result.summary()["balances"]["power"]["relative"] < 1e-8
    model = ll.NewtonEuler(ll.KhalilEel(rotor_inertia=0.05), ll.Water())
    now = data.isel(time=-1)
    again = model.inverse(
        now.joint_position.values, now.joint_velocity.values, now.joint_acceleration.values, now.base_twist.values
    )
    np.testing.assert_allclose(again.joint_torque, now.joint_torque.values, rtol=0, atol=1e-9)
