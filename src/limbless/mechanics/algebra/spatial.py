"""Twists, wrenches and spatial inertias as named tuples: (linear, angular) and (force, torque), in any one frame.

A twist is a velocity or a spatial acceleration, whose linear part is a - ω x v. Works with any scalar, as `vectors`.
"""

from __future__ import annotations

from limbless.mechanics.algebra.vectors import (
    Matrix,
    Symmetric,
    Vector,
    cross,
    dot,
    inverse,
    outer,
    product,
    rows,
    skew,
    transpose,
    upper,
)
from limbless.mechanics.compiled import Components, Scalar, func, with_operators


@with_operators
class Twist(Components):
    """Velocity or spatial acceleration."""

    linear: Vector
    angular: Vector


@with_operators
class Wrench(Components):
    force: Vector
    torque: Vector


@with_operators
class Inertia(Components):
    """Any symmetric 6 x 6 spatial inertia: force = M a + Hᵀ α, torque = H a + J α.

    A rigid body has M = m 1 and H = [h] (h: first moment); added mass, composite and articulated bodies fill all three
    blocks.
    """

    M: Symmetric
    H: Matrix
    J: Symmetric

    def __matmul__(a: Inertia, b: Twist) -> Wrench:
        return Wrench(a.M @ b.linear + transpose(a.H) @ b.angular, a.H @ b.linear + a.J @ b.angular)


@func
def power(S: Twist, F: Wrench) -> Scalar:
    """Sᵀ F"""
    return dot(S.linear, F.force) + dot(S.angular, F.torque)


@func
def twist_cross(V: Twist, S: Twist) -> Twist:
    """V x S: rate of change of a twist S carried along by V."""
    return Twist(cross(V.angular, S.linear) + cross(V.linear, S.angular), cross(V.angular, S.angular))


@func
def wrench_cross(V: Twist, F: Wrench) -> Wrench:
    """V x* F: rate of change of a momentum F carried along by V."""
    return Wrench(cross(V.angular, F.force), cross(V.angular, F.torque) + cross(V.linear, F.force))


@func
def carry_twist(V: Twist, arm: Vector) -> Twist:
    """The twist at p + arm of a body whose twist at p is V."""
    return Twist(V.linear + cross(V.angular, arm), V.angular)


@func
def carry_wrench(F: Wrench, arm: Vector) -> Wrench:
    """The wrench about p of a wrench F about p + arm."""
    return Wrench(F.force, F.torque + cross(arm, F.force))


@func
def carry_inertia(I: Inertia, arm: Vector) -> Inertia:
    """The inertia about p of an inertia I about p + arm: H' = H + [d] M, J' = J + [d] Hᵀ - H' [d]."""
    D = skew(arm)
    H = I.H + product(D, rows(I.M))
    return Inertia(I.M, H, I.J + upper(product(D, transpose(I.H)) - product(H, D)))


@func
def diagonal(S: Symmetric) -> Symmetric:
    """A symmetric matrix of which nothing but the diagonal is not zero: LLVM then multiplies nothing else."""
    o = 0.0 * S.xx
    return Symmetric(S.xx, o, o, S.yy, o, S.zz)


@func
def even_inertia(I: Inertia) -> Inertia:
    """An inertia that is the same on either side of the x-y and x-z planes: what is zero in it is not multiplied."""
    o = 0.0 * I.M.xx
    H = Matrix(Vector(o, o, o), Vector(o, o, I.H.y.z), Vector(o, I.H.z.y, o))
    return Inertia(diagonal(I.M), H, diagonal(I.J))


@func
def rigid_inertia(mass: Scalar, moment: Vector, inertia: Symmetric) -> Inertia:
    o = 0.0 * moment.x
    m = mass + o
    return Inertia(Symmetric(m, o, o, m, o, m), skew(moment), inertia)


@func
def rotate_symmetric(R: Matrix, S: Symmetric) -> Symmetric:
    """R S Rᵀ"""
    return upper(product(product(R, rows(S)), transpose(R)))


@func
def rotate_inertia(R: Matrix, I: Inertia) -> Inertia:
    return Inertia(rotate_symmetric(R, I.M), product(product(R, I.H), transpose(R)), rotate_symmetric(R, I.J))


@func
def articulated_inertia(I: Inertia, U: Wrench, D: Scalar) -> Inertia:
    """I - U Uᵀ / D: what remains of an inertia along a free joint."""
    f, n = (1.0 / D) * U.force, (1.0 / D) * U.torque
    return I - Inertia(upper(outer(f, U.force)), outer(n, U.force), upper(outer(n, U.torque)))


@func
def solve(I: Inertia, F: Wrench) -> Twist:
    """The acceleration A such that I A = F (elimination by halves)."""
    W = rows(inverse(I.M))
    HW = product(I.H, W)
    schur = I.J - upper(product(HW, transpose(I.H)))
    angular = inverse(schur) @ (F.torque - HW @ F.force)
    return Twist(W @ (F.force - transpose(I.H) @ angular), angular)
