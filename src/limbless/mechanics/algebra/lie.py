"""Rotations SO(3), poses SE(3) and unit quaternions: exponentials, logarithms, Jacobians, adjoints.

A rotation R takes body axes to world axes; a rotation vector v turns by |v| about its own direction. Quaternions are
scalar first. Twists are (linear, angular). Every function takes any scalar, and floats in plain Python;
`array_rotations` serves NumPy arrays. Already elsewhere: ad is `spatial.twist_cross`, [v] is `vectors.skew`, the matrix
of a quaternion `vectors.rotation_from_quaternion`.
"""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra.spatial import Twist, carry_twist, skew
from limbless.mechanics.algebra.vectors import Matrix, Vector, dot, outer, product
from limbless.mechanics.compiled import (
    LANES,
    Scalar,
    arctangent2,
    eight,
    func,
    func_overload,
    lane,
    sincos,
    sqrt,
    value_of,
    with_lane,
)


class Quaternion(NamedTuple):
    """Scalar first; a rotation if its length is 1."""

    w: float
    x: float
    y: float
    z: float


class Pose(NamedTuple):
    """Body frame in the world: rotation (body to world) and position of the origin (m)."""

    rotation: Matrix
    position: Vector


# --------------------------------------------------------------------------------------- functions of a rotation vector


class Stumpff(NamedTuple):
    """sin θ / θ, (1 - cos θ) / θ², (θ - sin θ) / θ³, (cos θ - 1 + θ²/2) / θ⁴."""

    c1: float
    c2: float
    c3: float
    c4: float


@func
def stumpff(x: Scalar) -> Stumpff:
    """c1 to c4 of x = θ², where ck(x) = 1/k! - x/(k+2)! + x²/(k+4)! - ... (Stumpff functions; c0 = cos θ).

    All that exponentials of rotations are made of. They are smooth in θ², so that derivatives at v = 0 are right too.
    By their definition ck = 1/k! - x c(k+2), which gives c0, c1 and c2 from c3 and c4, and back.
    """
    if value_of(x) < 1.0:  # the closed forms lose digits here; eight terms are exact to rounding
        c3 = 1.0 / 6.0 - x * (
            1.0 / 120.0
            - x
            * (
                1.0 / 5040.0
                - x
                * (
                    1.0 / 362880.0
                    - x
                    * (
                        1.0 / 39916800.0
                        - x * (1.0 / 6227020800.0 - x * (1.0 / 1307674368000.0 - x * (1.0 / 355687428096000.0)))
                    )
                )
            )
        )
        c4 = 1.0 / 24.0 - x * (
            1.0 / 720.0
            - x
            * (
                1.0 / 40320.0
                - x
                * (
                    1.0 / 3628800.0
                    - x
                    * (
                        1.0 / 479001600.0
                        - x * (1.0 / 87178291200.0 - x * (1.0 / 20922789888000.0 - x * (1.0 / 6402373705728000.0)))
                    )
                )
            )
        )
        return Stumpff(1.0 - x * c3, 0.5 - x * c4, c3, c4)
    return stumpff_closed(x)


def stumpff_closed(x: Scalar) -> Stumpff:
    """Their closed forms, for angles that are not small."""
    angle = sqrt(x)
    sine, cosine = sincos(angle)
    c1, c2 = sine / angle, (1.0 - cosine) / x
    return Stumpff(c1, c2, (1.0 - c1) / x, (0.5 - c2) / x)


@func_overload(stumpff_closed)
def _stumpff_closed(x: Scalar):
    return _stumpff_of_lanes if x == eight else stumpff_closed


def _stumpff_of_lanes(x: Scalar) -> Stumpff:
    """One lane after the other: some angles may be small, and others not."""
    c1, c2, c3, c4 = x, x, x, x
    for i in range(LANES):
        c = stumpff(lane(x, i))
        c1, c2, c3, c4 = with_lane(c1, i, c.c1), with_lane(c2, i, c.c2), with_lane(c3, i, c.c3), with_lane(c4, i, c.c4)
    return Stumpff(c1, c2, c3, c4)


@func
def axial(v: Vector, a: Scalar, b: Scalar, c: Scalar) -> Matrix:
    """a 1 + b [v] + c v vᵀ: the form of every matrix that is a function of [v] alone."""
    o = 0.0 * a
    return Matrix(Vector(a, o, o), Vector(o, a, o), Vector(o, o, a)) + skew(b * v) + outer(c * v, v)


@func
def rotation_exp(v: Vector) -> Matrix:
    """R = exp [v] = cos θ 1 + c1 [v] + c2 v vᵀ (Rodrigues)."""
    x = dot(v, v)
    c = stumpff(x)
    return axial(v, 1.0 - x * c.c2, c.c1, c.c2)


@func
def left_jacobian(v: Vector) -> Matrix:
    """J(v) = 1 + c2 [v] + c3 [v]²: a change dv turns the body by J dv, in world axes. In body
    axes it is J(-v) dv = Jᵀ dv.
    """
    c = stumpff(dot(v, v))
    return axial(v, c.c1, c.c2, c.c3)


# ---------------------------------------------------------------------------------------------------------- quaternions


@func
def quaternion_product(p: Quaternion, q: Quaternion) -> Quaternion:
    """p q: first the rotation q, then p."""
    return Quaternion(
        p.w * q.w - p.x * q.x - p.y * q.y - p.z * q.z,
        p.w * q.x + p.x * q.w + p.y * q.z - p.z * q.y,
        p.w * q.y - p.x * q.z + p.y * q.w + p.z * q.x,
        p.w * q.z + p.x * q.y - p.y * q.x + p.z * q.w,
    )


@func
def quaternion_conjugate(q: Quaternion) -> Quaternion:
    """The inverse rotation."""
    return Quaternion(q.w, -q.x, -q.y, -q.z)


@func
def normalised(q: Quaternion) -> Quaternion:
    """q / |q|"""
    scale = 1.0 / sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z)
    return Quaternion(scale * q.w, scale * q.x, scale * q.y, scale * q.z)


@func
def quaternion_log(q: Quaternion) -> Vector:
    """The rotation vector, |v| <= π, of a quaternion of any length; q and -q are the same rotation.

    2 atan2(|u|, w) u / |u| with u = (x, y, z) is accurate both near 0 (small u) and near π (small w).
    """
    w, u = q.w, Vector(q.x, q.y, q.z)
    if w < 0.0:
        w, u = -w, -u
    sine = sqrt(dot(u, u))
    half = arctangent2(sine, w) / sine if sine > 0.0 else 1.0 / w
    return 2.0 * half * u


@func
def quaternion_from_rotation(R: Matrix) -> Quaternion:
    """The unit quaternion of a rotation matrix, up to its sign.

    The rows of 4 q qᵀ are linear in R, and each is q times four of its numbers; the row of the largest number is
    accurate at every angle (Shepperd's choice).
    """
    trace = R.x.x + R.y.y + R.z.z
    a, b, c = R.z.y - R.y.z, R.x.z - R.z.x, R.y.x - R.x.y
    if trace > R.x.x and trace > R.y.y and trace > R.z.z:
        q = Quaternion(1.0 + trace, a, b, c)
    elif R.x.x >= R.y.y and R.x.x >= R.z.z:
        q = Quaternion(a, 1.0 + R.x.x - R.y.y - R.z.z, R.x.y + R.y.x, R.x.z + R.z.x)
    elif R.y.y >= R.z.z:
        q = Quaternion(b, R.x.y + R.y.x, 1.0 - R.x.x + R.y.y - R.z.z, R.y.z + R.z.y)
    else:
        q = Quaternion(c, R.x.z + R.z.x, R.y.z + R.z.y, 1.0 - R.x.x - R.y.y + R.z.z)
    return normalised(q)


# ---------------------------------------------------------------------------------------------------------------- poses


@func
def compose(g: Pose, h: Pose) -> Pose:
    """g h: the pose h, given in the frame g."""
    return Pose(product(g.rotation, h.rotation), g.position + g.rotation @ h.position)


@func
def pose_exp(V: Twist) -> Pose:
    """The pose reached from the identity in unit time with a constant body twist V."""
    return Pose(rotation_exp(V.angular), left_jacobian(V.angular) @ V.linear)


@func
def adjoint(g: Pose, V: Twist) -> Twist:
    """Ad_g V: a twist V in the body frame g, expressed in the world frame and taken at its
    origin: (R u + p x R ω, R ω).
    """
    turned = Twist(g.rotation @ V.linear, g.rotation @ V.angular)
    return carry_twist(turned, -g.position)


@func
def quaternion_rate(q: Quaternion, w: Vector) -> Quaternion:
    """½ q ω (8), as a quaternion."""
    return quaternion_product(q, Quaternion(0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z))


@func
def half_turn(q: Quaternion, w: Vector, a: Scalar) -> Quaternion:
    """The quaternion a time `a` on, by the closed form of the implicit (72)."""
    d = quaternion_rate(q, w)
    scale = 1.0 / (1.0 + 0.25 * a * a * (w.x * w.x + w.y * w.y + w.z * w.z))
    return Quaternion(
        scale * (q.w + a * d.w), scale * (q.x + a * d.x), scale * (q.y + a * d.y), scale * (q.z + a * d.z)
    )
