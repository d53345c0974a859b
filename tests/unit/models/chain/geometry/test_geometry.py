"""Metric, Christoffel symbols and Coriolis matrix against their definitions; zero patterns,
independence and tables of paper 003.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.models.chain.geometry.geometric_equations import Geometric
from limbless.models.geometric import GeometricSettings
from limbless.robots.presets.wang_snake import WangSnake

SEEDS = (0, 1)
Array = np.ndarray


def unequal_snake() -> Geometric:
    """Five unequal modules in a row: the paper's robot, none of its symmetry."""
    chain = WangSnake().build()
    rng = np.random.default_rng(3)
    links = []
    for number, link in enumerate(chain.links):
        length, mass, inertia = rng.uniform(0.05, 0.15), rng.uniform(0.3, 0.9), rng.uniform(0.005, 0.02)
        across = inertia + mass * (0.5 * length) ** 2
        links.append(
            link.changed(
                mass=mass,
                first_moment=(mass * 0.5 * length, 0, 0),
                inertia=(inertia, 0, 0, across, 0, across),
                position=(links[-1].body.length if number else 0.0, 0, 0),
                body=link.body.changed(length=length),
            )
        )
    return Geometric(ll.Chain(base="planar", links=tuple(links)))


@pytest.mark.parametrize("base", ["planar", "free", "fixed"])
@pytest.mark.parametrize("seed", SEEDS)
def test_metric_and_symbols_are_those_of_the_definitions(tools: Any, base: str, seed: int) -> None:
    """(9)-(10) and (13): products of exponentials and complex steps, written apart from the library."""
    model = Geometric(tools.chain(seed, base))
    x, v = tools.state(model, seed + 10)
    M, symbols, exact = model.metric(x), model.christoffel(x), tools.definition(model.chain)
    assert np.abs(M - exact.metric(x).real).max() < 1e-13 * np.abs(M).max()
    assert np.abs(symbols - exact.christoffel(x)).max() < 1e-13 * np.abs(symbols).max() + 1e-14
    assert np.array_equal(M, M.T) and np.linalg.eigvalsh(M)[0] > 0.0
    assert np.array_equal(symbols, symbols.transpose(1, 0, 2))
    assert model.coriolis(x, v) == pytest.approx(np.einsum("ijk,i->kj", symbols, v), abs=1e-13)
    assert model.bias(x, v) == pytest.approx(np.einsum("ijk,i,j->k", symbols, v, v), abs=1e-12)


@pytest.mark.parametrize("base", ["planar", "free"])
def test_symbols_are_brackets_of_body_columns(base: str) -> None:
    """(14)-(16) module by module: the derivative of column k of J_l along x^i is the bracket [ξ_lk,
    ξ_li] for k < i, else zero.
    """
    robot = WangSnake(base=base, inertia=0.011, roll_inertia=0.004, pitch_joints=(1, 3) if base == "free" else ())
    model = Geometric(robot)
    x, N = np.random.default_rng(6).uniform(-0.7, 0.7, model.freedoms), model.freedoms
    weight = np.diag([0.5, 0.5, 0.5, 0.004, 0.011, 0.011])
    rate = np.zeros((N, N, N))  # rate[i] = dM / dx^i
    for module in range(5):
        J = model.body_jacobian(x, module)
        v, w = J[:3].T, J[3:].T
        for i in range(N):
            bracket = np.concatenate([np.cross(w, v[i]) + np.cross(v, w[i]), np.cross(w, w[i])], axis=1).T * (
                np.arange(N) < i
            )
            half = bracket.T @ weight @ J
            rate[i] += half + half.T
    symbols = 0.5 * (rate.transpose(0, 2, 1) + rate.transpose(2, 0, 1) - rate.transpose(1, 2, 0))
    assert np.abs(model.christoffel(x) - symbols).max() < 1e-14


@pytest.mark.parametrize("seed", SEEDS)
def test_planar_form_is_exact(tools: Any, seed: int) -> None:
    model = Geometric(tools.chain(seed, "planar", planar=True))
    x, _ = tools.state(model, seed)
    assert np.abs(model.christoffel(x, "planar") - model.christoffel(x)).max() < 1e-14


def test_planar_metric_and_bias_are_exact(tools: Any) -> None:
    """Table I: M_33 holds the modules' inertias I_i (printed L_i)."""
    from limbless.models.chain.geometry.planar_closed_form import levers, planar_rows

    model = Geometric(tools.chain(2, "planar", planar=True))
    x, v = tools.state(model, 5)
    bodies, constants, turned = model.chain.bodies(), levers(model.chain), np.exp(1j * np.cumsum(x[2:]))
    inertia = bodies.inertia[:, 2, 2] - (bodies.moment[:, :2] ** 2).sum(axis=1) / bodies.mass
    about = (constants.coupling * np.conj(turned)[:, None] * turned[None, :]).real + np.diag(inertia)
    outer = np.tri(len(turned)).T  # sums from a body to the last
    first = outer @ (constants.moment * turned)
    M = np.zeros((len(x), len(x)))
    M[2:, 2:] = outer @ about @ outer.T + np.diag([0.0, *model.chain.arrays().rotor_inertia])
    M[:2, 2:] = -first.imag, first.real
    M[2:, :2], M[:2, :2] = M[:2, 2:].T, bodies.mass.sum() * np.eye(2)
    assert np.abs(M - model.metric(x)).max() < 1e-14
    squares = np.diff(np.cumsum(v[2:]) ** 2, prepend=0.0)  # of the rates of heading
    assert squares @ planar_rows(constants, x) == pytest.approx(model.bias(x, v), abs=1e-13)


@pytest.mark.parametrize("base", ["planar", "free"])
@pytest.mark.parametrize("coordinates", ["virtual", "group"])
def test_rate_of_metric_less_twice_coriolis_is_skew(tools: Any, base: str, coordinates: str) -> None:
    """d/dt M = C + C^T; on a group the rate of M is that along the joints alone."""
    model = Geometric(tools.chain(4, base), settings=GeometricSettings(coordinates=coordinates))
    x, v = tools.state(model, 7)
    symbols, C = model.christoffel(x), model.coriolis(x, v)
    first = model.frame.speeds if coordinates == "group" else 0
    # Gamma_kij + Gamma_kji = d_k M_ij
    rate = np.einsum("kij,k->ij", (symbols + symbols.transpose(0, 2, 1))[first:], v[first:])
    assert np.abs(rate - C - C.T).max() < 1e-13
    assert pytest.approx(np.einsum("ijk,i->kj", symbols, v), abs=1e-13) == C


@pytest.mark.parametrize("seed", SEEDS)
def test_rate_of_metric_by_differences(tools: Any, seed: int) -> None:
    """The sum of two symbols is the derivative of the metric, here by central differences."""
    model = Geometric(tools.chain(seed, "free"))
    x, _ = tools.state(model, seed)
    symbols, step = model.christoffel(x), 1e-6
    for k in range(len(x)):
        ahead, behind = x.copy(), x.copy()
        ahead[k], behind[k] = x[k] + step, x[k] - step
        rate = (model.metric(ahead) - model.metric(behind)) / (2 * step)
        assert (symbols[k] + symbols[k].T) == pytest.approx(rate, abs=1e-8)


@pytest.mark.parametrize("base", ["planar", "free"])
def test_group_and_virtual_joints_have_the_same_kinetic_energy(tools: Any, base: str) -> None:
    chain = tools.chain(6, base)
    chart, group = Geometric(chain), Geometric(chain, settings=GeometricSettings(coordinates="group"))
    x, v = tools.state(chart, 1)
    twist, y = group_state(chart, x, v)
    assert twist @ group.metric(y) @ twist == pytest.approx(v @ chart.metric(x) @ v, rel=1e-13)


def group_state(chart: Geometric, x: Array, v: Array) -> tuple[Array, Array]:
    """The same state on a group: speeds, coordinates."""
    from limbless.mechanics.algebra.array_rotations import matrix_to_quaternion

    nb = chart.frame.speeds
    J = chart.body_jacobian(x, 0)
    poses = chart.forward_kinematics(x)
    arm = np.array([0.5 * chart.chain.segments()[0].length, 0.0, 0.0])
    R = poses.rotation[0]
    twist = J @ v
    twist[:3] -= np.cross(twist[3:], arm)  # from the module's centre to the base origin
    place = poses.position[0] - R @ arm
    if nb == 3:
        return np.concatenate([twist[[0, 1, 5]], v[3:]]), np.concatenate([place[:2], x[2:3], x[3:]])
    return np.concatenate([twist, v[6:]]), np.concatenate([place, matrix_to_quaternion(R), x[6:]])


def depends(function: Any, x: Array) -> Array:
    """[.., l]: whether each number of `function` changes with x_l, by differences."""
    here, found = function(x), []
    for l in range(len(x)):
        moved = x.copy()
        moved[l] += 0.3
        found.append(np.abs(function(moved) - here) > 1e-12)
    return np.array(found)


def test_conclusions_of_the_paper() -> None:
    """1.2, 2.2, 2.3, Table II and the further zeros of the specification, indices from 1 as
    there; the generic ticks too.
    """
    model = unequal_snake()
    x = np.array([0.3, -0.2, 0.4, 0.5, -0.7, 0.6, 0.2])
    M, G = depends(model.metric, x), depends(model.christoffel, x)
    symbols, n = model.christoffel(x), 7
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            first = min(max(i + 1, 3), max(j + 1, 3))
            assert not M[: first - 1, i - 1, j - 1].any()
            for k in range(1, n + 1):
                last = min(max(i, 2), max(j, 2), max(k, 2))
                assert not G[:last, i - 1, j - 1, k - 1].any()
    assert not M[:3, 2:, 2:].any()
    assert np.abs(symbols[:2]).max() < 1e-15 and np.abs(symbols[:, :2]).max() < 1e-15  # 2.3, first part
    # 2.3, second part, in the plane
    assert not G[:3, :, :, 3:].any()
    metric = model.metric(x)
    table = np.zeros((3, 3, 3))
    table[2, 2, :2] = -metric[1, 2], metric[0, 2]
    assert np.abs(symbols[:3, :3, :3] - table).max() < 1e-15  # Table II
    for k in range(2, n):
        assert np.abs(symbols[k, : k + 1, k]).max() < 1e-15 and np.abs(symbols[: k + 1, k, k]).max() < 1e-15
    # the cross terms that (22) leaves out are generically there
    assert (np.abs(symbols[2, 3:, :3]) > 1e-6).all()


def test_conclusion_two_needs_more_care_in_three_dimensions(tools: Any) -> None:
    """2.3 in 3-D: symbols of joints alone do not see the base; with one index 4..6 they see pitch and roll of the
    virtual joints.
    """
    model = Geometric(tools.chain(8, "free"))
    x, _ = tools.state(model, 2)
    seen = depends(model.christoffel, x)
    assert not seen[:6, 6:, 6:, 6:].any()
    assert seen[4:6, 3:6, 6:, 6:].any() and not seen[:3].any()
    assert not depends(model.metric, x)[:6, 6:, 6:].any()


def test_table_three() -> None:
    """d b_i / d x_j: B, C and zero for the virtual joints, zero for joints beyond the module."""
    model = unequal_snake()
    x = np.array([0.3, -0.2, 0.4, 0.5, -0.7, 0.6, 0.2])
    poses = model.forward_kinematics(x)
    for module in range(5):
        J = model.body_jacobian(x, module)
        moved = poses.rotation[module] @ J[:3]
        assert moved[:, 0] == pytest.approx([1, 0, 0]) and moved[:, 1] == pytest.approx([0, 1, 0])
        assert not J[:, 3 + module :].any() and (np.abs(moved[:, 2 : 3 + module]).max(axis=0) > 1e-3).all()


def test_metric_does_not_suffer_far_from_the_origin() -> None:
    model = unequal_snake()
    x = np.array([0.0, 0.0, 0.4, 0.5, -0.7, 0.6, 0.2])
    far = x + np.array([1e6, -2e6, 0, 0, 0, 0, 0])
    assert np.abs(model.metric(far) - model.metric(x)).max() < 1e-9
    assert np.abs(model.christoffel(far) - model.christoffel(x)).max() < 1e-9


def test_determinant_of_the_base_block() -> None:
    """det M_1:3,1:3 = m^2 I_G; in 3-D the virtual joints bring cos^2 of the pitch."""
    model = unequal_snake()
    x = np.array([0.3, -0.2, 0.4, 0.5, -0.7, 0.6, 0.2])
    M = model.metric(x)
    bodies = model.chain.bodies()
    poses = model.forward_kinematics(x)
    mass, centre = bodies.mass, poses.position[:, :2]
    about = centre - mass @ centre / mass.sum()
    own = bodies.inertia[:, 2, 2] - bodies.moment[:, 0] ** 2 / mass
    assert np.linalg.det(M[:3, :3]) == pytest.approx(
        mass.sum() ** 2 * (own.sum() + mass @ (about**2).sum(axis=1)), rel=1e-12
    )


def test_spatial_and_body_jacobians_are_one_twist(tools: Any) -> None:
    """(5)-(6): V^s = Ad_g V^b, and both move the points of a module as differences do."""
    model = Geometric(tools.chain(9, "free"))
    x, v = tools.state(model, 3)
    poses, step = model.forward_kinematics(x), 1e-6
    R, p = poses.rotation[-1], poses.position[-1]
    body, spatial = model.body_jacobian(x, -1) @ v, model.spatial_jacobian(x) @ v
    assert spatial[3:] == pytest.approx(R @ body[3:], abs=1e-13)
    assert spatial[:3] == pytest.approx(R @ body[:3] + np.cross(p, R @ body[3:]), abs=1e-13)
    ahead, behind = model.forward_kinematics(x + step * v), model.forward_kinematics(x - step * v)
    assert R @ body[:3] == pytest.approx((ahead.position[-1] - behind.position[-1]) / (2 * step), abs=1e-8)
