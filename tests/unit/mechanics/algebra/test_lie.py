"""Rotations, poses and quaternions: the identities that define them, at every angle from 0 to
π, in Python and compiled.
"""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings, strategies as st
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from limbless.mechanics.algebra import array_rotations
from limbless.mechanics.algebra.flat_vectors import put_vector_at, vector_at
from limbless.mechanics.algebra.lie import (
    Pose,
    Quaternion,
    adjoint,
    compose,
    left_jacobian,
    normalised,
    pose_exp,
    quaternion_conjugate,
    quaternion_from_rotation,
    quaternion_log,
    quaternion_product,
    rotation_exp,
    stumpff,
)
from limbless.mechanics.algebra.spatial import Twist, skew, twist_cross
from limbless.mechanics.algebra.vectors import (
    Matrix,
    Vector,
    product,
    rotation_about,
    rotation_from_quaternion,
    transpose,
)
from limbless.mechanics.compiled.arrays import dual_array, tangents, values
from limbless.mechanics.compiled.decorators import array_kernel, func
from limbless.mechanics.compiled.flat_array import unpack_duals

SPECIAL_ANGLES = [
    0.0,
    1e-300,
    1e-160,
    1e-12,
    1e-8,
    1e-4,
    0.999999,
    1.0,
    1.000001,
    3.0,
    math.pi - 1e-4,
    math.pi - 1e-8,
    math.pi,
]
ROUNDING = {"rtol": 1e-13, "atol": 1e-14}
examples = settings(max_examples=60)


@func
def rotation_log(R):
    """The rotation vector v, |v| <= π, with exp [v] = R."""
    return quaternion_log(quaternion_from_rotation(R))


def quaternion_exp(v):
    return Quaternion(*array_rotations.rotation_vector_to_quaternion(v).tolist())


@st.composite
def directions(draw):
    """Unit vectors, the axes among them (there the four cases of a quaternion change places)."""
    v = np.array(draw(st.tuples(*[st.floats(-1.0, 1.0)] * 3)))
    length = np.linalg.norm(v)
    return v / length if length > 0.1 else np.eye(3)[draw(st.integers(0, 2))]


@st.composite
def rotation_vectors(draw, largest=math.pi):
    angle = draw(st.one_of(st.sampled_from([a for a in SPECIAL_ANGLES if a <= largest]), st.floats(0.0, largest)))
    return Vector(*(float(c) for c in angle * draw(directions())))


def vectors():
    return st.builds(Vector, *[st.floats(-2.0, 2.0)] * 3)


def twists(largest=math.pi):
    return st.builds(Twist, vectors(), rotation_vectors(largest))


def poses():
    return st.builds(lambda v, p: Pose(rotation_exp(v), p), rotation_vectors(), vectors())


def same(actual, expected, **tolerance):
    np.testing.assert_allclose(np.array(actual), np.array(expected), **(tolerance or ROUNDING))


def six_by_six(linear_map):
    """The matrix of a map of twists."""
    return np.array([np.ravel(linear_map(Twist(Vector(*e[:3]), Vector(*e[3:])))) for e in np.eye(6)]).T


def four_by_four(g):
    return np.block([[np.array(g.rotation), np.array([g.position]).T], [np.zeros((1, 3)), 1.0]])


def hat(V):
    """The 4 x 4 matrix of a twist."""
    return np.block([[np.array(skew(V.angular)), np.array([V.linear]).T], [np.zeros((1, 4))]])


# ------------------------------------------------------------------------------------------------------------ rotations


@pytest.mark.parametrize("x", [0.0, 1e-12, 1e-3, 0.5, 0.9999999, 1.0, 1.0000001, 9.0, math.pi**2, 30.0])
def test_stumpff_functions_against_their_series(x):
    for k, c in enumerate(stumpff(x), start=1):
        series = math.fsum((-x) ** j / math.factorial(2 * j + k) for j in range(40))
        assert c == pytest.approx(series, rel=2e-14, abs=1e-16)


@given(rotation_vectors(6.0))
@examples
def test_rotation_exp_is_the_matrix_exponential(v):
    # expm itself errs by 2e-14 at an angle of 4
    same(rotation_exp(v), expm(np.array(skew(v))), rtol=1e-12, atol=1e-13)
    same(rotation_exp(v), Rotation.from_rotvec(v).as_matrix())


@given(directions(), st.floats(-6.0, 6.0))
@examples
def test_rotation_exp_turns_about_its_axis(axis, angle):
    e = Vector(*axis.tolist())
    same(rotation_exp(angle * e), rotation_about(e, angle))


@given(rotation_vectors(1000.0))
@examples
def test_rotations_are_orthogonal(v):
    R = np.array(rotation_exp(v))
    same(R @ R.T, np.eye(3), rtol=0.0, atol=5e-15)
    assert np.linalg.det(R) == pytest.approx(1.0, abs=5e-15)


@given(rotation_vectors())
@examples
def test_exp_of_log(v):
    R = rotation_exp(v)
    same(rotation_exp(rotation_log(R)), R)


@given(rotation_vectors(math.pi - 1e-8))
@examples
def test_log_of_exp(v):
    """Relative to the angle: a turn of 1e-12 rad is known to as many digits as one of 1 rad."""
    same(
        rotation_log(rotation_exp(v)),
        v,
        rtol=0.0,
        atol=1e-14 * max(math.hypot(*v), 1e-290) + 1e-15 * math.hypot(*v) ** 2,
    )


@given(directions())
@examples
def test_log_of_half_a_turn(axis):
    """At π both signs are right; R = 2 n nᵀ - 1 is exact there."""
    v = np.array(rotation_log(Matrix(*(Vector(*row) for row in (2.0 * np.outer(axis, axis) - np.eye(3)).tolist()))))
    same(v * np.sign(v @ axis), math.pi * axis)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-8, 1e-4, math.pi - 1e-8, math.pi])
def test_log_gives_the_angle(angle):
    v = angle * Vector(0.48, -0.6, 0.64)
    assert math.hypot(*rotation_log(rotation_exp(v))) == pytest.approx(angle, rel=1e-15, abs=1e-300)


@given(rotation_vectors(), rotation_vectors())
@examples
def test_composition_of_turns_about_one_axis(v, w):
    along = (np.array(v) @ np.array(w)) / max(np.array(v) @ np.array(v), 1e-300)
    u = float(np.clip(along, -3.0, 3.0)) * v
    same(product(rotation_exp(v), rotation_exp(u)), rotation_exp(v + u))
    same(transpose(rotation_exp(v)), rotation_exp(-v))


@given(rotation_vectors(5.0), vectors())
@examples
def test_left_jacobian_against_central_differences(v, dv):
    """exp[v + h dv] = exp[h J dv] exp[v]."""
    h = 1e-5
    step = product(rotation_exp(v + h * dv), transpose(rotation_exp(v - h * dv)))
    same(0.5 / h * rotation_log(step), left_jacobian(v) @ dv, rtol=1e-8, atol=2e-9)


@given(rotation_vectors(5.0))
@examples
def test_left_jacobian_against_its_series(v):
    """J = Σ [v]ᵏ / (k + 1)!"""
    V, term, total = np.array(skew(v)), np.eye(3), np.eye(3)
    for k in range(1, 60):
        term = term @ V / (k + 1)
        total = total + term
    same(left_jacobian(v), total, rtol=1e-12, atol=1e-13)


# ---------------------------------------------------------------------------------------------------------- quaternions


@given(rotation_vectors(6.0), rotation_vectors(6.0), vectors())
@examples
def test_quaternions_compose_and_rotate_like_matrices(v, w, x):
    p, q = quaternion_exp(v), quaternion_exp(w)
    same(rotation_from_quaternion(*p), rotation_exp(v))
    pq = quaternion_product(p, q)
    same(rotation_from_quaternion(*pq), product(rotation_exp(v), rotation_exp(w)))
    same(rotation_from_quaternion(*p) @ x, rotation_exp(v) @ x)
    same(quaternion_product(pq, quaternion_conjugate(pq)), [1.0, 0.0, 0.0, 0.0])


@given(rotation_vectors(6.0))
@example(Vector(math.pi, 0.0, 0.0))
@example(Vector(0.0, math.pi, 0.0))
@example(Vector(0.0, 0.0, math.pi))
@examples
def test_quaternion_of_a_matrix(v):
    q = np.array(quaternion_from_rotation(rotation_exp(v)))
    exact = np.array(quaternion_exp(v))
    same(q * np.sign(q @ exact), exact)
    assert np.linalg.norm(q) == pytest.approx(1.0, abs=1e-15)


@given(rotation_vectors(math.pi - 1e-8), st.floats(0.2, 5.0))
@examples
def test_double_cover(v, length):
    """q and -q are one rotation, and the logarithm does not mind the length of a quaternion."""
    q = np.array(quaternion_exp(v))
    same(rotation_from_quaternion(*-q), rotation_from_quaternion(*q))
    same(quaternion_log(Quaternion(*(length * q).tolist())), v)
    same(quaternion_log(Quaternion(*(-length * q).tolist())), v)
    same(normalised(Quaternion(*(length * q).tolist())), q)


# ---------------------------------------------------------------------------------------------------------------- poses


@given(twists(5.0))
@examples
def test_pose_exp_is_the_matrix_exponential(V):
    same(four_by_four(pose_exp(V)), expm(hat(V)), rtol=1e-12, atol=1e-13)


@given(poses(), poses())
@examples
def test_poses_compose_like_matrices(g, h):
    same(four_by_four(compose(g, h)), four_by_four(g) @ four_by_four(h))


@given(poses(), poses(), twists())
@examples
def test_adjoint_is_conjugation(g, h, V):
    """Ad_g V is g V g⁻¹ as 4 x 4 matrices, and Ad_g Ad_h = Ad_gh."""
    same(hat(adjoint(g, V)), four_by_four(g) @ hat(V) @ np.linalg.inv(four_by_four(g)), rtol=1e-12, atol=1e-13)
    same(np.ravel(adjoint(g, adjoint(h, V))), np.ravel(adjoint(compose(g, h), V)), rtol=1e-12, atol=1e-13)


@given(twists(5.0))
@examples
def test_adjoint_of_exp_is_exp_of_ad(V):
    same(
        six_by_six(lambda S: adjoint(pose_exp(V), S)),
        expm(six_by_six(lambda S: twist_cross(V, S))),
        rtol=1e-11,
        atol=1e-12,
    )


# ------------------------------------------------------------------------------------------------------- compiled, dual


@array_kernel
def compiled_round_trip(v, out):
    """log(exp(v)) by matrices and by quaternions."""
    v, out = unpack_duals(v), unpack_duals(out)
    u = vector_at(v, np.int64(0))
    put_vector_at(out, np.int64(0), rotation_log(rotation_exp(u)))
    q = quaternion_from_rotation(rotation_exp(u))
    put_vector_at(out, np.int64(3), quaternion_log(Quaternion(-q.w, -q.x, -q.y, -q.z)))
    put_vector_at(out, np.int64(6), left_jacobian(u) @ u)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-8, 1e-4, 0.5, 2.0, math.pi - 1e-4])
def test_compiled_with_derivatives(angle):
    """What is compiled returns v, and its derivative is the identity, at zero and near π too. (J v = v.)"""
    v = angle * np.array([0.48, -0.6, 0.64])
    out = dual_array(np.zeros(9))
    compiled_round_trip(dual_array(v, np.eye(3)), out)
    same(values(out).reshape(3, 3), np.tile(v, (3, 1)), rtol=1e-13, atol=1e-300)
    same(tangents(out)[:, :3].reshape(3, 3, 3), np.tile(np.eye(3), (3, 1, 1)), rtol=0.0, atol=1e-11)


# ---------------------------------------------------------------------------------------------------------------- NumPy


def test_numpy_arrays_agree_with_kernels():
    rng = np.random.default_rng(0)
    v = rng.normal(size=(4, 5, 3)) * np.array([1e-12, 1e-6, 0.3, 1.0, 1.5])[:, None]
    q, R = (
        array_rotations.rotation_vector_to_quaternion(v),
        array_rotations.quaternion_to_matrix(array_rotations.rotation_vector_to_quaternion(v)),
    )
    x = rng.normal(size=3)
    for index in np.ndindex(v.shape[:2]):
        u = Vector(*v[index].tolist())
        same(rotation_from_quaternion(*q[index]), rotation_exp(u))
        same(R[index], rotation_exp(u))
        same(array_rotations.rotate(q, x)[index], R[index] @ x)
        same(array_rotations.matrix_to_quaternion(R)[index], np.sign(q[index][0]) * q[index])
        same(array_rotations.quaternion_to_rotation_vector(q)[index], rotation_log(rotation_exp(u)))
        same(array_rotations.quaternion_to_rotation_vector(-q)[index], rotation_log(rotation_exp(u)))


@pytest.mark.parametrize("axis", np.eye(3))
def test_numpy_quaternions_of_half_turns(axis):
    R = 2.0 * np.outer(axis, axis) - np.eye(3)
    same(array_rotations.matrix_to_quaternion(R), [0.0, *axis])
    same(array_rotations.quaternion_to_rotation_vector([0.0, *axis]), math.pi * axis)
    same(array_rotations.quaternion_to_rotation_vector([1.0, 0.0, 0.0, 0.0]), np.zeros(3))
