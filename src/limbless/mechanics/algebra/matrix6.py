"""General 6 x 6 matrices from twists to wrenches, symmetric or not, as named tuples of four 3 x 3 matrices.

An inertia is symmetric (`inertia`); an inertia together with linearised friction is not, because a friction force
follows the normal force and not the other way round.
"""

from __future__ import annotations

from limbless.mechanics.algebra import Inertia, Matrix, Twist, Vector, Wrench, outer, product, rows, skew, transpose
from limbless.mechanics.compiled import Array, Components, Scalar, func, with_operators


@with_operators
class Matrix6(Components):
    """force = A v + B ω, torque = C v + D ω."""

    A: Matrix
    B: Matrix
    C: Matrix
    D: Matrix

    def __matmul__(a: Matrix6, b: Twist) -> Wrench:
        return Wrench(a.A @ b.linear + a.B @ b.angular, a.C @ b.linear + a.D @ b.angular)


@func
def no_matrix6(zero: Scalar) -> Matrix6:
    """A null matrix in the scalar type of `zero`."""
    o = Vector(zero, zero, zero)
    O = Matrix(o, o, o)
    return Matrix6(O, O, O, O)


@func
def matrix6_of(I: Inertia) -> Matrix6:
    """A symmetric inertia as a matrix."""
    return Matrix6(rows(I.M), transpose(I.H), I.H, rows(I.J))


@func
def carry_matrix6(I: Matrix6, arm: Vector) -> Matrix6:
    """The matrix about p of a matrix I about p + arm: v(p + arm) = v + ω x arm, torque(p) = torque + arm x force."""
    X = skew(arm)
    B = I.B - product(I.A, X)
    D = I.D - product(I.C, X) + product(X, B)
    return Matrix6(I.A, B, I.C + product(X, I.A), D)


@func
def point_matrix6(Q: Matrix, arm: Vector) -> Matrix6:
    """The matrix about p of a force Q v at p + arm, where v is the velocity of that point."""
    X = skew(arm)
    XQ = product(X, Q)
    O = Q - Q
    return Matrix6(Q, O - product(Q, X), XQ, O - product(XQ, X))


@func
def transposed_product(I: Matrix6, S: Twist) -> Wrench:
    """Iᵀ S as a wrench: its force part meets linear velocities."""
    return Wrench(
        transpose(I.A) @ S.linear + transpose(I.C) @ S.angular, transpose(I.B) @ S.linear + transpose(I.D) @ S.angular
    )


@func
def articulated_matrix6(I: Matrix6, U: Wrench, V: Wrench, k: Scalar) -> Matrix6:
    """I - k U Vᵀ: what remains of a matrix along a free joint with U = I S, V = Iᵀ S."""
    f, n = k * U.force, k * U.torque
    return I - Matrix6(outer(f, V.force), outer(f, V.torque), outer(n, V.force), outer(n, V.torque))


@func
def turn_matrix6(I: Matrix6, R: Matrix) -> Matrix6:
    """The matrix along the axes of a body with the rotation R."""
    Rt = transpose(R)
    return Matrix6(
        product(product(Rt, I.A), R),
        product(product(Rt, I.B), R),
        product(product(Rt, I.C), R),
        product(product(Rt, I.D), R),
    )


@func
def put_matrix6(target: Array, I: Matrix6) -> None:
    """The matrix into the first six rows and columns of an array."""
    for i in range(3):
        put_row(target, i, I.A[i], I.B[i])
        put_row(target, 3 + i, I.C[i], I.D[i])


@func
def put_system(system: Array, I: Matrix6, R: Matrix, F: Wrench) -> None:
    """The 6 x 6 system in a body's own axes R, with its right side F in column 6."""
    put_matrix6(system, turn_matrix6(I, R))
    f, n = transpose(R) @ F.force, transpose(R) @ F.torque
    system[0, 6], system[1, 6], system[2, 6] = f
    system[3, 6], system[4, 6], system[5, 6] = n


@func
def put_row(target: Array, i: int, a: Vector, b: Vector) -> None:
    target[i, 0], target[i, 1], target[i, 2] = a
    target[i, 3], target[i, 4], target[i, 5] = b
