"""How a robot answers at its base, along the components of its twist that the base leaves free."""

from __future__ import annotations

from limbless.mechanics.algebra import (
    Matrix,
    Matrix6,
    Twist,
    Vector,
    Wrench,
    fill,
    lu_factorise,
    lu_solve,
    put_matrix6,
    transpose,
    turn_matrix6,
)
from limbless.mechanics.chain import BASES
from limbless.mechanics.compiled import Array, as_lane_array, func
from limbless.mechanics.contact import BaseStep, Factors, ImpulseResponse

TWIST: int = ImpulseResponse.fields["twist"].column  # the push stands first


@func
def solve_by(factors: Factors, o: int, f: Wrench, right: Array, x: Array) -> Twist:
    """The twist that body o (0: the base) answers to a wrench with, world axes; numbers or lanes, as the memory is."""
    right[0], right[1], right[2] = f.force
    right[3], right[4], right[5] = f.torque
    lu_solve(factors.rows[o], 6, factors.order[o], right, x)
    return Twist(Vector(x[0], x[1], x[2]), Vector(x[3], x[4], x[5]))


@func
def clear(answers: Array) -> None:
    """No impulse on any body."""
    for k in range(answers.shape[0]):
        for c in range(TWIST):
            fill(answers[k, c], 0.0)


@func
def first_twist(answers: Array, k: int) -> Twist:
    """The twist that body k answers with in the first of eight cases."""
    row, c = answers[k], TWIST
    return Twist(Vector(row[c, 0], row[c + 1, 0], row[c + 2, 0]), Vector(row[c + 3, 0], row[c + 4, 0], row[c + 5, 0]))


@func
def accept_base(answers: Array, base: int, own: BaseStep, I: Matrix6) -> None:
    """The answer of the base in the first of eight cases, and what holds it. I is the matrix at the base."""
    row, u = answers[0], first_twist(answers, 0)
    own.twist = own.twist + u
    if base != BASES.free:
        arrived = Wrench(Vector(row[0, 0], row[1, 0], row[2, 0]), Vector(row[3, 0], row[4, 0], row[5, 0]))
        own.hold = own.hold + (I @ u - arrived)


@func
def holds(base: int, i: int) -> bool:
    """Whether a base holds component i of its twist, along its own axes, at zero."""
    if base == BASES.planar:
        return 2 <= i <= 4
    return base == BASES.fixed or (base == BASES.line and i > 0) or (base == BASES.pinned and i < 3)


@func
def hold_rows(base: int, system: Array, columns: int) -> None:
    """The equations of components that a base holds say that they are zero."""
    for i in range(6):
        if holds(base, i):
            for c in range(columns):
                system[i, c] = 0.0
            system[i, i] = 1.0


@func
def factorise_base(base: int, I: Matrix6, R: Matrix, factors: Factors) -> None:
    """Factors of the matrix with which the robot answers at its base: along its own axes R where not all are free."""
    rows = factors.rows[0]
    if base == BASES.fixed:
        return
    if base == BASES.free:
        put_matrix6(rows, I)
    else:
        put_matrix6(rows, turn_matrix6(I, R))
        hold_rows(base, rows, 6)
    lu_factorise(rows, 6, factors.order[0])


@func
def only_free(base: int, f: Vector, first: int) -> Vector:
    """Of three components of a wrench, from `first` on, those along which a base moves."""
    none = 0.0 * f.x
    return Vector(
        none if holds(base, first) else f.x,
        none if holds(base, first + 1) else f.y,
        none if holds(base, first + 2) else f.z,
    )


@func
def answer_at_base(base: int, R: Matrix, factors: Factors, f: Wrench) -> Twist:
    """Twist of the base under impulses that arrive there."""
    right, x, none = as_lane_array(factors.eight[0]), as_lane_array(factors.eight[1]), 0.0 * f.force.x
    u = Twist(Vector(none, none, none), Vector(none, none, none))
    if base == BASES.free:
        u = solve_by(factors, 0, f, right, x)
    elif base != BASES.fixed:
        F = Wrench(only_free(base, transpose(R) @ f.force, 0), only_free(base, transpose(R) @ f.torque, 3))
        u = solve_by(factors, 0, F, right, x)
        u = Twist(R @ u.linear, R @ u.angular)
    return u
