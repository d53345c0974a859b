"""Sums over the rod that the shape alone decides: inertia, momentum and what the motion of the shape takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra import (
    Inertia,
    Matrix,
    Symmetric,
    Twist,
    Vector,
    Wrench,
    cross,
    power,
    transpose,
    upper,
    wrench_cross,
)
from limbless.mechanics.compiled import Rows, Scalar, align_stack, func, kernel
from limbless.mechanics.rod.tables import RodShape, Section, ShapeSums


@func
def axes_sum(R: Matrix, d: Vector) -> Matrix:
    """R diag(d) Rᵀ as a matrix: d3 1 + (d1 - d3) e1 e1ᵀ + (d2 - d3) e2 e2ᵀ."""
    a, b, o = d.x - d.z, d.y - d.z, 0.0 * d.x
    x, y = Vector(R.x.x, R.y.x, R.z.x), Vector(R.x.y, R.y.y, R.z.y)
    ax, by = a * x, b * y
    return Matrix(
        ax.x * x + by.x * y + Vector(d.z, o, o),
        ax.y * x + by.y * y + Vector(o, d.z, o),
        ax.z * x + by.z * y + Vector(o, o, d.z),
    )


@func
def moment_of(p: Vector, M: Matrix) -> Matrix:
    """[p] M"""
    x, y, z = M.x, M.y, M.z
    return Matrix(p.y * z - p.z * y, p.z * x - p.x * z, p.x * y - p.y * x)


@func
def turned_rate(w: Vector, S: Matrix) -> Matrix:
    """Rate of a symmetric matrix whose axes turn with w: [w] S - S [w]."""
    X = moment_of(w, S)
    return X + transpose(X)


@func
def slice_inertia(R: Matrix, p: Vector, mass: Vector, turn: Vector) -> Inertia:
    """I of a slice at p with axes R: H = [p] M, J = J_c - [p] M [p]."""
    M = axes_sum(R, mass)
    H = moment_of(p, M)
    return as_inertia(M, H, axes_sum(R, turn) + moment_of(p, transpose(H)))


@func
def slice_inertia_rate(R: Matrix, p: Vector, mass: Vector, turn: Vector, swing: Twist) -> Inertia:
    """Rate of `slice_inertia` as the slice moves with the twist `swing` of the head frame."""
    M, w = axes_sum(R, mass), swing.angular
    velocity = swing.linear + cross(w, p)
    M_rate = turned_rate(w, M)
    H_rate = moment_of(velocity, M) + moment_of(p, M_rate)
    H = moment_of(p, M)
    J_rate = turned_rate(w, axes_sum(R, turn)) + moment_of(velocity, transpose(H)) + moment_of(p, transpose(H_rate))
    return as_inertia(M_rate, H_rate, J_rate)


@func
def as_inertia(M: Matrix, H: Matrix, J: Matrix) -> Inertia:
    return Inertia(upper(M), H, upper(J))


@kernel
def sum_composite_inertia(sections: Rows[Section], shapes: Rows[RodShape], sums: Rows[ShapeSums], r: int) -> None:
    """All sums of one instant; shapes : Shape (nodes,), into row r of sums : ShapeSums."""
    align_stack()
    o = 0.0 * shapes[0, 0]
    still = Vector(o, o, o)
    whole = Inertia(Symmetric(o, o, o, o, o, o), Matrix(still, still, still), Symmetric(o, o, o, o, o, o))
    rate, momentum, force, along = whole, Wrench(still, still), Wrench(still, still), o
    for k in range(sections.shape[0]):
        section, shape = Section(sections, k), RodShape(shapes, k)
        R, p, swing = shape.rotation, shape.place, shape.swing
        mass, turn = section.weight * section.mass, section.weight * section.turn
        I = slice_inertia(R, p, mass, turn)
        P, F = I @ swing, I @ shape.surge
        whole, rate = whole + I, rate + slice_inertia_rate(R, p, mass, turn, swing)
        momentum, force = momentum + P, force + F + wrench_cross(swing, P)
        along = along + power(swing, F)
    found = ShapeSums(sums, r)
    found.inertia = whole
    found.inertia_rate = rate
    found.momentum = momentum
    found.force = force
    found.power = along


@func
def inertial_wrench(sums: ShapeSums, twist: Twist) -> tuple[Wrench, Scalar]:
    """-F_in (21): what accelerates the rod apart from η̇_o, Ṡ + Ṁ_o η_o + η_o x* (S + M_o η_o); and ∫ J . (that), as
    work."""
    turning = sums.inertia_rate @ twist
    momentum = sums.momentum + sums.inertia @ twist
    return sums.force + turning + wrench_cross(twist, momentum), sums.power - 0.5 * power(twist, turning)


def inertia_matrices(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """M_o as matrices (T, 6, 6), from ShapeSums (T,)."""
    upper_three, numbers = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]]), ShapeSums.of(sums).inertia
    out = np.empty((len(sums), 6, 6))
    out[:, :3, :3], out[:, 3:, 3:] = numbers[:, upper_three], numbers[:, 15 + upper_three]
    out[:, 3:, :3] = numbers[:, 6:15].reshape(-1, 3, 3)
    out[:, :3, 3:] = out[:, 3:, :3].swapaxes(1, 2)
    return out
