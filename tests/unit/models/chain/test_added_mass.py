"""The added mass of a link: closed form (61)-(62) about the mid-point of the segment, and the consistent form beside
the printed one.
"""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from limbless.robots.links import BodyShape, Link

A, B, RHO = 0.065, 0.09, 1000.0
CLM2, CLM3, CAM1 = RHO * np.pi * B**2, RHO * np.pi * A**2, RHO * np.pi * (B**2 - A**2) ** 2 / 8
HALF = np.array([0.2, 0.0, 0.0])  # from the front end to the middle of a segment of 0.4 m


def hat(v: np.ndarray) -> np.ndarray:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def single_link(start: tuple, length: float = 0.4, mass: float = 2.0, center: tuple = (0.1, 0.05, -0.02)) -> ll.Chain:
    """A free link whose centre of mass, wet segment and origin are three different places."""
    moment = mass * np.array(center)
    inertia = np.diag([0.03, 0.25, 0.24]) + mass * (np.dot(center, center) * np.eye(3) - np.outer(center, center))
    body = BodyShape(position=start, length=length, half_width=A, half_height=B)
    return ll.Chain(links=(Link(mass=mass, first_moment=tuple(moment), inertia=inertia, body=body),))


def rigid_inertia(chain: ll.Chain) -> np.ndarray:
    own = chain.links[0].mass_properties()
    return np.block([[own.mass * np.eye(3), -hat(own.moment)], [hat(own.moment), own.inertia]])


def closed_form(start: np.ndarray, length: float, omega: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(61) and (62) for a segment along x: added inertia and velocity terms, by the link on the fluid."""
    e1 = np.array([1.0, 0.0, 0.0])
    D, S = np.diag([0.0, CLM2, CLM3]), start + 0.5 * length * e1
    m = length * D
    I = np.diag([CAM1 * length, CLM3 * length**3 / 12, CLM2 * length**3 / 12])
    J = np.block([[m, -m @ hat(S)], [hat(S) @ m, I - hat(S) @ m @ hat(S)]])

    def ww(x: np.ndarray) -> np.ndarray:
        return np.cross(omega, np.cross(omega, x))

    bias = np.concatenate([m @ ww(S), np.cross(S, m @ ww(S)) + length**3 / 12 * np.cross(e1, D @ ww(e1))])
    return J, bias


def base_acceleration(chain: ll.Chain, J: np.ndarray, bias: np.ndarray, omega: np.ndarray) -> np.ndarray:
    """(40) of a single link without drag."""
    own = chain.links[0].mass_properties()
    beta = np.concatenate([np.cross(omega, np.cross(omega, own.moment)), np.cross(omega, own.inertia @ omega)])
    return -np.linalg.solve(rigid_inertia(chain) + J, beta + bias)


WATER = ll.Water(model="morison", density=RHO, drag=(0.0, 0.0, 0.0, 0.0))
NOTHING: dict = {"joint_position": [], "joint_velocity": [], "joint_acceleration": []}


@pytest.mark.parametrize(
    "start", [(0.0, 0.0, 0.0), (-0.4, 0.0, 0.0), (-0.13, 0.04, 0.02)], ids=["front end", "rear end", "elsewhere"]
)
def test_closed_form(start: tuple) -> None:
    """The slices give (61)-(62) to rounding, wherever the origin of the link is."""
    chain, twist = single_link(start), np.array([0.3, -0.7, 0.5, 0.9, -1.1, 0.6])
    J, bias = closed_form(np.array(start), 0.4, twist[3:])
    expected = base_acceleration(chain, J, bias, twist[3:])
    ours = ll.NewtonEuler(chain, WATER).inverse(**NOTHING, base_twist=twist).base_acceleration
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


@pytest.mark.parametrize("start", [(0.0, 0.0, 0.0), (-0.4, 0.0, 0.0)], ids=["front end", "rear end"])
def test_four_thirds_is_the_case_of_an_origin_at_a_link_end(start: tuple) -> None:
    """(62) prints 4/3 S x m_a ww(S): right here, with S the mid-point of the segment, and wrong with the centre of mass
    or a factor 1.
    """
    chain, omega = single_link(start), np.array([0.9, -1.1, 0.6])
    J, bias = closed_form(np.array(start), 0.4, omega)
    m, S = 0.4 * np.diag([0.0, CLM2, CLM3]), np.array(start) + HALF
    centripetal = m @ np.cross(omega, np.cross(omega, S))
    printed = np.concatenate([centripetal, 4 / 3 * np.cross(S, centripetal)])
    np.testing.assert_allclose(printed, bias, rtol=0, atol=1e-14 * np.abs(bias).max())
    ours = ll.NewtonEuler(chain, WATER).inverse(**NOTHING, base_twist=[0, 0, 0, *omega]).base_acceleration
    expected = base_acceleration(chain, J, printed, omega)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-13 * np.abs(expected).max())
    for wrong in (
        np.concatenate([centripetal, np.cross(S, centripetal)]),
        closed_form(np.array([-0.1, 0.05, -0.02]), 0.4, omega)[1],
    ):
        assert np.abs(base_acceleration(chain, J, wrong, omega) - expected).max() > 1e-2 * np.abs(expected).max()


def test_four_thirds_is_wrong_elsewhere() -> None:
    omega, start = np.array([0.9, -1.1, 0.6]), np.array([-0.13, 0.04, 0.02])
    _, bias = closed_form(start, 0.4, omega)
    m, S = 0.4 * np.diag([0.0, CLM2, CLM3]), start + HALF
    centripetal = m @ np.cross(omega, np.cross(omega, S))
    assert np.abs(4 / 3 * np.cross(S, centripetal) - bias[3:]).max() > 0.1 * np.abs(bias[3:]).max()


def test_added_mass_is_that_of_the_mid_point_and_not_of_the_centre_of_mass() -> None:
    """At rest, a force through the mid-point of a massless wet segment does not turn it; through
    the centre of mass it would.
    """
    light = single_link((0.0, 0.0, 0.0), mass=1e-9, center=(0.3, 0.0, 0.0)).changed(
        links=(
            Link(
                mass=1e-9,
                first_moment=(3e-10, 0, 0),
                inertia=np.diag([1e-9] * 3),
                body=BodyShape(length=0.4, half_width=A, half_height=B),
            ),
        )
    )
    from limbless.environments.point_wrench import PointWrench

    push = PointWrench(point=(0.2, 0.0, 0.0), force=(0.0, 3.0, 0.0))
    acceleration = ll.NewtonEuler(light, [WATER, push]).inverse(**NOTHING).base_acceleration
    # the link has 1e-10 of that mass
    np.testing.assert_allclose(acceleration, [0, 3.0 / (0.4 * CLM2), 0, 0, 0, 0], rtol=0, atol=1e-8)


# Energy and momentum of body and fluid

START = {"twist": (1.0, 0.5, -0.5, 2.0, 1.0, -1.0)}
"""A single link, thrown spinning into water without drag."""


def thrown(water: ll.Water, step: float = 0.001, duration: float = 1.0) -> ll.Result:
    chain = single_link((-0.05, 0.0, 0.0), mass=2.0, center=(0.1, 0.0, 0.0))
    return ll.simulate(chain, ll.BodyWave(), water, duration=duration, step=step, record_every=0.1, initial=START)


def test_consistent_added_mass_conserves() -> None:
    """Without drag nothing acts on body and fluid together: energy, momentum and angular momentum stay
    (spec: 1e-10 on one link).
    """
    data = thrown(ll.Water(drag=(0, 0, 0, 0), added_mass="consistent")).dataset
    energy, momentum = data.kinetic_energy.values, data.momentum.values
    np.testing.assert_allclose(energy, energy[0], rtol=1e-9)
    np.testing.assert_allclose(
        momentum, np.broadcast_to(momentum[0], momentum.shape), rtol=0, atol=1e-9 * np.abs(momentum).max()
    )
    # it does move: this is not the trivial case
    assert np.abs(data.base_twist.values[-1] - data.base_twist.values[0]).max() > 0.1


def test_printed_added_mass_does_not() -> None:
    """The same link with the printed form gains energy, 1.91 -> 3.10 J in the spec's case; so does this one, and the
    run says so itself.
    """
    result = thrown(ll.Water(drag=(0, 0, 0, 0), added_mass="paper"))
    energy = result.dataset.kinetic_energy.values
    assert energy[-1] > 1.2 * energy[0]
    momentum = result.dataset.momentum.values
    assert np.abs(momentum - momentum[0]).max() > 0.1 * np.abs(momentum).max()
    # It is not an error of integration: the work and impulse of the velocity terms account for every bit of it
    assert result.summary()["balances"]["power"]["relative"] < 1e-9
    assert result.summary()["balances"]["linear momentum"]["relative"] < 1e-9
    assert result.summary()["balances"]["angular momentum"]["relative"] < 1e-9


@pytest.mark.parametrize("form", ["paper", "consistent"])
def test_equal_added_mass_in_all_directions_is_like_a_heavier_body(form: str) -> None:
    """A round section moving across itself, not turning: (M + m_a) V̇ = F for both forms."""
    from limbless.environments.point_wrench import PointWrench

    chain = ll.UniformChain(links=1, length=0.5, half_width=0.05, half_height=0.05).build()
    added = 0.5 * RHO * np.pi * 0.05**2
    push = PointWrench(point=(0.25, 0.0, 0.0), force=(0.0, 0.7, 0.3))
    model = ll.NewtonEuler(chain, [ll.Water(added_mass=form, drag=(0, 0, 0, 0)), push])
    found = model.inverse(**NOTHING, base_twist=[0.0, 0.2, 0, 0, 0, 0])
    np.testing.assert_allclose(
        found.base_acceleration, [0, 0.7 / (2 * added), 0.3 / (2 * added), 0, 0, 0], rtol=0, atol=1e-13
    )


# Galilean invariance


@pytest.mark.parametrize(
    "water",
    [
        ll.Water(drag=(0.01, 1, 1, 1), added_mass="none"),
        ll.Water(added_mass="paper"),
        ll.Water(added_mass="consistent"),
        ll.Drag(along=3.0, lateral=20.0, vertical=15.0, roll=0.2),
    ],
    ids=["drag", "paper", "consistent", "linear drag"],
)
def test_swimming_in_a_current_is_swimming_in_still_water_carried_along(water: ll.Water | ll.Drag) -> None:
    current = np.array([0.3, -0.2, 0.1])
    eel, gait = ll.KhalilEel(spherical_joints=4), ll.BodyWave(ramp=0.5, dive=0.05)
    still = ll.simulate(eel, gait, water, duration=1.5, step=0.005, record_every=0.1).dataset
    # Gait and base start straight and unturned: the base frame is the world's, so that the current is the base's
    # initial velocity
    carried = ll.simulate(
        eel,
        gait,
        water.changed(current=tuple(current)),
        duration=1.5,
        step=0.005,
        record_every=0.1,
        initial={"twist": (*current, 0.0, 0.0, 0.0)},
    ).dataset
    drift = still.time.values[:, None] * current
    # Rounding, and what a step makes of adding a constant to all velocities: body axes turn, so RK4 sees another
    # problem (1e-10)
    np.testing.assert_allclose(carried.base_position.values, still.base_position.values + drift, rtol=0, atol=2e-9)
    np.testing.assert_allclose(carried.base_orientation.values, still.base_orientation.values, rtol=0, atol=2e-9)
    np.testing.assert_allclose(carried.joint_torque.values, still.joint_torque.values, rtol=0, atol=2e-8)


@pytest.mark.parametrize("form", ["none", "paper", "consistent"])
def test_galilean_invariance_at_an_instant(form: str) -> None:
    """No integration: the same accelerations and torques, to rounding, for any posture."""
    rng, current = np.random.default_rng(6), np.array([0.4, -0.6, 0.2])
    chain = ll.KhalilEel(joints="spherical", spherical_joints=5).build()
    q, qd, qdd = 0.3 * rng.normal(size=(3, chain.freedoms))
    twist = rng.normal(size=6)
    still = ll.NewtonEuler(chain, ll.Water(added_mass=form)).inverse(q, qd, qdd, twist)
    moved = ll.NewtonEuler(chain, ll.Water(added_mass=form, current=tuple(current))).inverse(
        q, qd, qdd, twist + np.concatenate([current, np.zeros(3)])
    )
    # V̇ is the classical acceleration of the base origin, the same in both frames
    np.testing.assert_allclose(
        moved.base_acceleration, still.base_acceleration, rtol=0, atol=1e-11 * np.abs(still.base_acceleration).max()
    )
    np.testing.assert_allclose(
        moved.joint_torque, still.joint_torque, rtol=0, atol=1e-11 * np.abs(still.joint_torque).max()
    )
