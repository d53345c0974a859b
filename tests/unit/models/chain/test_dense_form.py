"""Inverse and direct dynamics against the dense form (8) of the equations, assembled independently (see `conftest.py`).

Tolerance 1e-10 of the largest entry: the dense matrices of the eel have condition numbers of 1e5, so both sides lose
about that many units of the last place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.robots.joints import Joint
from limbless.robots.links import BodyShape, Link
from limbless.robots.sections import EllipticCylinder

GRAVITY = (0.3, -0.2, -9.81)
CURRENT = (0.2, -0.1, 0.3)


def close(ours: np.ndarray, dense: np.ndarray) -> None:
    np.testing.assert_allclose(ours, dense, rtol=0, atol=1e-10 * np.abs(dense).max())


def mixed_chain() -> ll.Chain:
    """Revolute, prismatic, universal (with an offset) and spherical joints, tilted links, bodies
    away from their link origins.
    """

    def part(**fields: Any) -> Link:
        size = {"length": 0.3, "half_width": 0.04, "half_height": 0.07}
        solid = EllipticCylinder(position=(0.05, 0.02, -0.01), density=900.0, **size)
        return Link(solids=(solid,), body=BodyShape(position=(-0.1, 0.03, 0.02), **size), **fields)

    tilt = np.array([0.9, 0.2, -0.3, 0.1])
    return ll.Chain(
        links=(
            part(),
            part(joint=Joint(kind="spherical"), position=(0.3, 0.05, 0.0)),
            part(
                joint=Joint(axis=(0.6, 0.0, 0.8)),
                position=(0.3, 0.0, 0.1),
                orientation=tuple(tilt / np.linalg.norm(tilt)),
            ),
            part(joint=Joint(kind="prismatic", axis=(0.0, 0.6, 0.8)), position=(0.25, -0.1, 0.0)),
            part(
                joint=Joint(kind="universal", axis=(0, 0, 1), second_axis=(0, 1, 0), offset=(0.05, 0.01, 0.02)),
                position=(0.3, 0.0, 0.0),
            ),
            part(joint=Joint(axis=(0.0, 1.0, 0.0)), position=(0.3, 0.0, 0.0)),
        )
    )


ROBOTS = {
    "eel": lambda: ll.KhalilEel().build(),
    "eel with spherical joints": lambda: ll.KhalilEel(joints="spherical").build(),
    "mixed": mixed_chain,
}
FLUIDS = {
    "dry": ([], {}),
    "paper": ([ll.Water(model="morison")], {"density": 1000.0}),
    "current": ([ll.Water(model="morison", density=800.0, current=CURRENT)], {"density": 800.0, "current": CURRENT}),
    "consistent": (
        [ll.Water(added_mass="consistent", current=CURRENT)],
        {"density": 1000.0, "current": CURRENT, "consistent": True},
    ),
    "odd coefficients": (
        [ll.Water(model="morison", drag=(0.3, 1.2, 0.7, 2.0), inertia=(0.8, 1.3, 40.0))],
        {"density": 1000.0, "drag": (0.3, 1.2, 0.7, 2.0), "inertia": (0.8, 1.3, 40.0)},
    ),
}


@pytest.mark.parametrize("fluid", FLUIDS)
@pytest.mark.parametrize("robot", ROBOTS)
def test_inverse_and_direct_dynamics(robot: str, fluid: str, dense_form: type, random_state: Any) -> None:
    chain = ROBOTS[robot]()
    environment, wet = FLUIDS[fluid]
    model = ll.NewtonEuler(chain, [*environment, ll.Gravity(acceleration=GRAVITY)])
    dense = dense_form(chain, gravity=GRAVITY, **wet)
    q, qd, qdd, twist, pose = random_state(7, chain.freedoms)
    here = {"base_position": pose["position"], "base_orientation": pose["quaternion"]}
    ours, theirs = model.inverse(q, qd, qdd, twist, **here), dense.inverse(q, qd, qdd, twist, **pose)
    close(ours.base_acceleration, theirs.base_acceleration)
    close(ours.joint_torque, theirs.joint_torque)
    ours, theirs = model.forward(q, qd, 0.5 * qdd, twist, **here), dense.forward(q, qd, 0.5 * qdd, twist, **pose)
    close(ours.base_acceleration, theirs.base_acceleration)
    close(ours.joint_acceleration, theirs.joint_acceleration)


@pytest.mark.parametrize("fluid", ["dry", "paper"])
def test_hybrid_dynamics(fluid: str, dense_form: type, random_state: Any) -> None:
    """With some accelerations given, the dense equations are solved for the others."""
    chain = ROBOTS["eel"]()
    environment, wet = FLUIDS[fluid]
    q, qd, qdd, twist, _ = random_state(11, chain.freedoms)
    torque = np.random.default_rng(1).normal(size=chain.freedoms)
    given = np.random.default_rng(2).random(chain.freedoms) < 0.5
    ours = ll.NewtonEuler(chain, environment).hybrid(given, q, qd, qdd, torque, twist)
    A, C = dense_form(chain, **wet).matrices(q, qd, twist)
    known, unknown = np.concatenate([np.zeros(6, dtype=bool), given]), np.concatenate([np.ones(6, dtype=bool), ~given])
    rates = np.zeros(6 + chain.freedoms)
    rates[known] = qdd[given]
    right = np.concatenate([np.zeros(6), torque]) - C - A[:, known] @ rates[known]
    rates[unknown] = np.linalg.solve(A[np.ix_(unknown, unknown)], right[unknown])
    close(ours.base_acceleration, rates[:6])
    close(ours.joint_acceleration, rates[6:])
    close(ours.joint_torque[given], (A @ rates + C)[6:][given])
    np.testing.assert_array_equal(ours.joint_torque[~given], torque[~given])


def test_friction_and_rotors(dense_form: type, random_state: Any) -> None:
    """(28): Γ = aᵀ f + Fs sign q̇ + Fv q̇ + Ia q̈, and the direct model undoes it."""
    eel = {"coulomb_friction": 0.2, "viscous_friction": 0.3, "rotor_inertia": 0.05}
    model = ll.NewtonEuler(ll.KhalilEel(**eel), ll.Water(model="morison"))
    dense = dense_form(ll.KhalilEel().build(), 1000.0)
    q, qd, qdd, twist, _ = random_state(5, 36)
    ours, theirs = model.inverse(q, qd, qdd, twist), dense.inverse(q, qd, qdd, twist)
    close(ours.joint_torque, theirs.joint_torque + 0.2 * np.sign(qd) + 0.3 * qd + 0.05 * qdd)
    close(ours.base_acceleration, theirs.base_acceleration)
    back = model.forward(q, qd, ours.joint_torque, twist)
    close(back.joint_acceleration, qdd)
