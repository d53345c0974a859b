"""The dynamics of random chains against Pinocchio, through the public interface.

External forces are computed here, see `pinocchio_peer`. With added mass they hold the accelerations that limbless
found, which Pinocchio must then confirm: an anisotropic added mass does not fit into Pinocchio's inertias.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray
from pinocchio_peer import Peer, environment_wrenches, passive_torque
from random_chains import random_chain, random_instant, random_mass

import limbless as ll

Array = NDArray[np.float64]

TOLERANCE = 1e-12
FIELD = np.array([1.3, -2.1, -9.0])  # m/s2: not along any axis
CURRENT = np.array([0.3, -0.2, 0.1])
WATER = {"density": 400.0, "drag": (0.4, 1.1, 0.9, 1.3), "inertia": (0.8, 1.2, 1.1), "current": tuple(CURRENT)}
POINTS = 3
SETTINGS = {
    "dry": (),
    "gravity": (ll.Gravity(acceleration=tuple(FIELD)),),
    "drag": (ll.Water(added_mass="none", perimeter="full", points=POINTS, **WATER),),
    "water": (
        ll.Water(added_mass="paper", points=POINTS, **WATER),
        ll.Gravity(acceleration=tuple(FIELD)),
        ll.Buoyancy(density=700.0, acceleration=tuple(FIELD), immersed=0.6),
    ),
    "consistent": (
        ll.Water(added_mass="consistent", points=POINTS, **WATER),
        ll.Drag(along=0.7, lateral=2.0, vertical=3.0, roll=0.02, current=tuple(-CURRENT), points=POINTS),
    ),
}
BASES = ("free", "planar", "fixed")


def relative(found: Array, expected: Array) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


class Case:
    """A chain in an environment at one instant, here and in Pinocchio."""

    def __init__(
        self,
        chain: ll.Chain,
        environment: Any,
        rng: np.random.Generator,
        bend: float = 1.2,
        tolerance: float = TOLERANCE,
    ) -> None:
        self.chain, self.environment, self.rng, self.tolerance = chain, environment, rng, tolerance
        self.instant, self.model = random_instant(chain, rng, bend), ll.NewtonEuler(chain, environment)
        self.free, self.peer = Peer(chain, self.instant, "free"), Peer(chain, self.instant, chain.base)
        for peer in (self.free, self.peer):
            if any(isinstance(item, ll.Gravity) for item in environment):
                peer.model.gravity = pin.Motion(FIELD, np.zeros(3))
        self.passive = passive_torque(chain, self.instant)
        self.imposed, self.torque = rng.normal(size=chain.freedoms), rng.normal(size=chain.freedoms)

    def solve(self, given: Array) -> Any:
        state = self.instant
        return self.model.hybrid(
            given,
            state.joint_position,
            state.joint_velocity,
            self.imposed,
            self.torque,
            state.base_twist,
            **state.pose(),
        )

    def wrenches(self, solution: Any) -> list[pin.Force]:
        return environment_wrenches(self.free, self.environment, self.free.acceleration(solution))

    def check_newton(self, solution: Any) -> None:
        """`pin.rnea` of the free chain at the accelerations found: joint torques, and the wrench that holds the base
        (none if free).
        """
        free, forces = self.free, self.free.forces(self.wrenches(solution))
        needed = pin.rnea(
            free.model, free.data, free.configuration(), free.velocity(), free.acceleration(solution), forces
        )
        assert (
            relative(np.concatenate([solution.base_reaction, solution.joint_torque + self.passive]), needed)
            < self.tolerance
        )

    def check_partition(self, given: Array, solution: Any) -> None:
        """M a + h = torque, split into the accelerations that are given and those that are found."""
        peer, q, v = self.peer, self.peer.configuration(), self.peer.velocity()
        forces = peer.forces(self.wrenches(solution))
        M = pin.crba(peer.model, peer.data, q)
        h = pin.rnea(peer.model, peer.data, q, v, np.zeros(peer.model.nv), forces)
        base = peer.model.nv - self.chain.freedoms
        held = np.concatenate([np.zeros(base, dtype=bool), given])
        a, effort = (
            np.concatenate([np.zeros(base), self.imposed]),
            np.concatenate([np.zeros(base), self.torque + self.passive]),
        )
        found = ~held
        a[found] = np.linalg.solve(M[np.ix_(found, found)], (effort - h)[found] - M[np.ix_(found, held)] @ a[held])
        assert relative(peer.acceleration(solution), a) < self.tolerance
        if given.any():
            assert relative((solution.joint_torque + self.passive)[given], (M @ a + h)[base:][given]) < self.tolerance


def check_inverse(case: Case) -> None:
    state = case.instant
    solution = case.model.inverse(
        state.joint_position, state.joint_velocity, case.imposed, state.base_twist, **state.pose()
    )
    assert np.array_equal(solution.joint_acceleration, case.imposed)
    case.check_newton(solution)


def check_forward(case: Case) -> None:
    state, peer = case.instant, case.peer
    solution = case.model.forward(
        state.joint_position, state.joint_velocity, case.torque, state.base_twist, **state.pose()
    )
    base = peer.model.nv - case.chain.freedoms
    effort = np.concatenate([np.zeros(base), case.torque + case.passive])
    expected = pin.aba(
        peer.model, peer.data, peer.configuration(), peer.velocity(), effort, peer.forces(case.wrenches(solution))
    )
    assert relative(peer.acceleration(solution), expected) < case.tolerance
    case.check_newton(solution)


def check_hybrid(case: Case) -> None:
    """A random choice of given joints; the three degrees of freedom of a spherical joint go together."""
    given = np.concatenate(
        [
            np.full(joint.freedoms, case.rng.random() < 0.5)
            if joint.kind == "spherical"
            else case.rng.random(joint.freedoms) < 0.5
            for joint in (link.joint for link in case.chain.links[1:])
        ]
    )
    solution = case.solve(given)
    assert np.array_equal(solution.joint_acceleration[given], case.imposed[given])
    assert np.array_equal(solution.joint_torque[~given], case.torque[~given])
    case.check_newton(solution)
    case.check_partition(given, solution)


@pytest.fixture(
    params=[(base, setting, seed) for base in BASES for setting in SETTINGS for seed in range(3)],
    ids=lambda param: "-".join(map(str, param)),
)
def case(request: pytest.FixtureRequest) -> Case:
    base, setting, seed = request.param
    rng = np.random.default_rng([BASES.index(base), seed])
    return Case(random_chain(rng, base), SETTINGS[setting], rng)


def test_inverse_is_rnea(case: Case) -> None:
    check_inverse(case)


def test_forward_is_aba(case: Case) -> None:
    check_forward(case)


def test_hybrid_is_the_partitioned_equation(case: Case) -> None:
    check_hybrid(case)


@pytest.fixture(
    params=[(base, setting, seed) for base in BASES for setting in ("dry", "gravity", "drag") for seed in range(2)],
    ids=lambda param: "-".join(map(str, param)),
)
def plain_case(request: pytest.FixtureRequest) -> Case:
    """Without added mass, which does not fit into Pinocchio's inertias: its matrices then are ours."""
    base, setting, seed = request.param
    rng = np.random.default_rng([7, BASES.index(base), seed])
    return Case(random_chain(rng, base), SETTINGS[setting], rng)


def test_mass_matrix_and_bias(plain_case: Case) -> None:
    """`crba` and `nonLinearEffects` with the forces of the environment; friction and springs in the
    joints are part of our bias.
    """
    case, state, peer = plain_case, plain_case.instant, plain_case.peer
    M = case.model.mass_matrix(state.joint_position)
    expected = pin.crba(peer.model, peer.data, peer.configuration())
    assert relative(M, np.triu(expected) + np.triu(expected, 1).T) < TOLERANCE
    h = case.model.bias(state.joint_position, state.joint_velocity, state.base_twist, **state.pose())
    forces = peer.forces(environment_wrenches(case.free, case.environment, np.zeros(case.free.model.nv)))
    needed = pin.rnea(peer.model, peer.data, peer.configuration(), peer.velocity(), np.zeros(peer.model.nv), forces)
    needed[peer.model.nv - case.chain.freedoms :] -= case.passive
    assert relative(h, needed) < TOLERANCE


def test_joint_wrenches(plain_case: Case) -> None:
    """What `rnea` leaves in `data.f`: force and moment across every joint, here about the
    links' origins in their axes.
    """
    case, state, free = plain_case, plain_case.instant, plain_case.free
    arguments = state.joint_position, state.joint_velocity, case.imposed, state.base_twist
    found, solution = (
        case.model.joint_wrenches(*arguments, **state.pose()),
        case.model.inverse(*arguments, **state.pose()),
    )
    forces = free.forces(case.wrenches(solution))
    pin.rnea(free.model, free.data, free.configuration(), free.velocity(), free.acceleration(solution), forces)
    expected = [
        mount.actInv(free.data.f[joint]).vector for joint, mount in zip(free.joints[1:], free.mounts[1:], strict=True)
    ]
    assert relative(found, np.array(expected)) < TOLERANCE


@pytest.mark.parametrize("setting", ["water", "consistent"])
def test_terms_with_added_mass_make_the_equation_of_motion(setting: str) -> None:
    """M a + h is what the actuators give, at the accelerations of `forward`; the added mass is in M
    and its velocity terms in h.
    """
    for number, base in enumerate(BASES):
        rng = np.random.default_rng([8, number])
        case = Case(random_chain(rng, base), SETTINGS[setting], rng)
        state = case.instant
        solution = case.model.forward(
            state.joint_position, state.joint_velocity, case.torque, state.base_twist, **state.pose()
        )
        M = case.model.mass_matrix(state.joint_position, **state.pose())
        h = case.model.bias(state.joint_position, state.joint_velocity, state.base_twist, **state.pose())
        left, joints = M @ case.peer.acceleration(solution) + h, case.chain.freedoms
        assert relative(left[len(h) - joints :], case.torque) < 1e-11
        assert np.abs(left[: len(h) - joints]).max(initial=0.0) < 1e-11 * np.abs(h).max()
        assert relative(M, M.T) < 1e-13 and np.linalg.eigvalsh(M).min() > 0.0


def typed_in_chain(rng: np.random.Generator, base: str) -> ll.Chain:
    """Modified Denavit-Hartenberg rows with sliding joints among them."""
    n = 7
    masses = [random_mass(rng) for _ in range(n + 1)]
    columns = {key: np.array([own[key] for own in masses]) for key in ("mass", "first_moment", "inertia")}
    alpha, d, r, offset = rng.uniform(-1.0, 1.0, size=(4, n))
    return ll.Chain.from_modified_dh(
        alpha,
        0.3 * d,
        0.3 * r,
        offset,
        **columns,
        base=base,
        prismatic=[k % 3 == 1 for k in range(n)],
        rotor_inertia=rng.uniform(0.0, 0.01, n),
    )


CHAINS = {
    "modified-dh": typed_in_chain,
    # 36 revolute joints, 24 links without mass
    "eel": lambda rng, base: ll.KhalilEel(base=base).build(),
    "spherical-eel": lambda rng, base: ll.KhalilEel(base=base, joints="spherical").build(),
}


@pytest.mark.parametrize("base", BASES)
@pytest.mark.parametrize(
    ("name", "setting"),
    [("modified-dh", "gravity"), ("eel", "gravity"), ("eel", "consistent"), ("spherical-eel", "gravity")],
)
@pytest.mark.parametrize("check", [check_inverse, check_forward, check_hybrid])
def test_described_chains(name: str, setting: str, base: str, check: Any) -> None:
    """The eels are not bent up to the gimbal lock of links without mass; with 36 joints one digit more is lost."""
    rng = np.random.default_rng(5)
    check(
        Case(
            CHAINS[name](rng, base),
            SETTINGS[setting],
            rng,
            bend=0.5,
            tolerance=TOLERANCE if name == "modified-dh" else 1e-11,
        )
    )


@pytest.mark.parametrize("base", BASES)
def test_rounding_does_not_grow_along_spherical_joints(base: str) -> None:
    """Against the dense equation: here `pin.aba` itself is wrong by 2e-8, as it does not keep the
    articulated inertia symmetric.
    """
    chain = ll.Chain.uniform(base=base, links=41, joint="spherical", length=0.14, half_width=0.065, half_height=0.09)
    case, given = Case(chain, (), np.random.default_rng(5), tolerance=1e-10), np.zeros(chain.freedoms, dtype=bool)
    case.check_partition(given, case.solve(given))
