"""A 6 x 6 matrix and a wrench as one [I | f], six rows in lanes: what is carried inward along strain cells, and what a
linearised contact adds to it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra import Matrix, Matrix6, Twist, Vector, Wrench, cross, power, transpose
from limbless.mechanics.compiled import Array, Scalar, func, lane, with_lane
from limbless.mechanics.contact import AffineLaw, ContactRow, Impulse, Pair, along, roll_scale, slip_scales

Lanes = Any  # eight numbers side by side


@func
def wrench_in(rows: Array, k: int, g: int) -> Wrench:
    """Of six rows: [I | f] at a place, or wrenches of a group of freedoms of cell k."""
    return Wrench(
        Vector(rows[k, g, 0], rows[k, g, 1], rows[k, g, 2]), Vector(rows[k, g, 3], rows[k, g, 4], rows[k, g, 5])
    )


@func
def put_wrench_in(rows: Array, k: int, g: int, W: Wrench) -> None:
    rows[k, g, 0], rows[k, g, 1], rows[k, g, 2] = W.force
    rows[k, g, 3], rows[k, g, 4], rows[k, g, 5] = W.torque


@func
def columns_at(zero: Lanes, arm: Vector) -> Vector:
    """What `carry_row` adds for each of the first three numbers of a row."""
    return Vector(
        with_lane(with_lane(zero, 4, arm.z), 5, -arm.y),
        with_lane(with_lane(zero, 3, -arm.z), 5, arm.x),
        with_lane(with_lane(zero, 3, arm.y), 4, -arm.x),
    )


@func
def carry_row(row: Lanes, columns: Vector) -> Lanes:
    """The row about p of one about p + arm: its last three numbers with the moment of its first."""
    return row + lane(row, 0) * columns.x + lane(row, 1) * columns.y + lane(row, 2) * columns.z


@func
def carry_rows(v: Vector, columns: Vector) -> Vector:
    return Vector(carry_row(v.x, columns), carry_row(v.y, columns), carry_row(v.z, columns))


@func
def row_times(row: Lanes, J: Twist) -> Lanes:
    """The first six numbers of a row with a twist of lanes."""
    a, b = J
    return (
        lane(row, 0) * a.x
        + lane(row, 1) * a.y
        + lane(row, 2) * a.z
        + lane(row, 3) * b.x
        + lane(row, 4) * b.y
        + lane(row, 5) * b.z
    )


@func
def rows_times(v: Vector, J: Twist) -> Vector:
    return Vector(row_times(v.x, J), row_times(v.y, J), row_times(v.z, J))


@func
def matrix_and_wrench(G: Wrench) -> tuple[Matrix6, Wrench]:
    """I and f as numbers."""
    I = Matrix6(block_of(G.force, 0), block_of(G.force, 3), block_of(G.torque, 0), block_of(G.torque, 3))
    return I, Wrench(vector_of(G.force, 6), vector_of(G.torque, 6))


@func
def vector_of(v: Vector, c: int) -> Vector:
    return Vector(lane(v.x, c), lane(v.y, c), lane(v.z, c))


@func
def block_of(v: Vector, c: int) -> Matrix:
    """Three columns of three rows in lanes."""
    return transpose(Matrix(vector_of(v, c), vector_of(v, c + 1), vector_of(v, c + 2)))


class CellContactLaw(NamedTuple):
    """A linearised contact: impulse = constant - P rates, along its normal, its tangents, and rolling."""

    constant: Impulse
    load: float  # P: of the load along the normal,
    lean: Pair  # of friction along the normal
    along: Pair  # and along either tangent,
    across: Pair
    roll_lean: Pair  # and of rolling friction
    roll: AffineLaw


@func
def cell_contact_law(contact: ContactRow) -> CellContactLaw:
    load, law, roll, scales = contact.load_law, contact.shear_law, contact.twist_law, slip_scales(contact)
    push, side = along(contact, -contact.shear.along), contact.friction.lateral
    constant = Pair(push * law.constant.along, side * law.constant.across)
    return CellContactLaw(
        Impulse(load.constant, constant, roll.constant),
        -load.slope,
        Pair(-push * law.lean.along, -side * law.lean.across),
        Pair(-push * law.own * scales.along, -push * law.mixed * scales.across),
        Pair(-side * law.mixed * scales.along, -side * law.other * scales.across),
        -roll.lean,
        roll,
    )


@func
def answer_of(law: CellContactLaw, rates: Impulse) -> Impulse:
    """P rates; these are numbers, or rows in lanes."""
    g, slip, roll = rates
    return Impulse(
        law.load * g,
        Pair(
            law.lean.along * g + law.along.along * slip.along + law.along.across * slip.across,
            law.lean.across * g + law.across.along * slip.along + law.across.across * slip.across,
        ),
        Pair(
            law.roll_lean.along * g - law.roll.own * roll.along - law.roll.mixed * roll.across,
            law.roll_lean.across * g - law.roll.mixed * roll.along - law.roll.other * roll.across,
        ),
    )


@func
def unit_wrenches(contact: ContactRow, at: Vector) -> Any:
    """What unit impulses of a contact are about a point from which it is `at`; their powers are its rates."""
    n, t1, scale = contact.normal, contact.tangent, roll_scale(contact)
    t2 = cross(n, t1)
    return Impulse(
        Wrench(n, cross(at, n)),  # type: ignore[arg-type]
        Pair(Wrench(t1, cross(at, t1)), Wrench(t2, cross(at, t2))),  # type: ignore[arg-type]
        Pair(Wrench(0.0 * n, -scale * t2), Wrench(0.0 * n, scale * t1)),  # type: ignore[arg-type]
    )


@func
def rates_of(units: Impulse, J: Twist) -> Impulse:
    return Impulse(
        power(J, units.load),
        Pair(power(J, units.shear.along), power(J, units.shear.across)),
        Pair(power(J, units.twist.along), power(J, units.twist.across)),
    )


@func
def sum_of(a: Impulse, b: Impulse) -> Any:
    """Σ a b over what an impulse is made of: numbers or lanes with numbers, lanes or wrenches."""
    return (
        a.load * b.load
        + a.shear.along * b.shear.along
        + a.shear.across * b.shear.across
        + a.twist.along * b.twist.along
        + a.twist.across * b.twist.across
    )


@func
def lanes_of(zero: Lanes, W: Any, last: Scalar) -> Lanes:
    """Six numbers and a seventh, side by side."""
    a, b = W
    row = with_lane(with_lane(with_lane(zero, 0, a.x), 1, a.y), 2, a.z)
    return with_lane(with_lane(with_lane(with_lane(row, 3, b.x), 4, b.y), 5, b.z), 6, last)


@func
def rows_of(zero: Lanes, law: CellContactLaw, units: Impulse) -> Impulse:
    """[P units | constant], in lanes."""
    answer = answer_of(
        law,
        Impulse(
            lanes_of(zero, units.load, 0.0),
            Pair(lanes_of(zero, units.shear.along, 0.0), lanes_of(zero, units.shear.across, 0.0)),
            Pair(lanes_of(zero, units.twist.along, 0.0), lanes_of(zero, units.twist.across, 0.0)),
        ),
    )
    slip, roll = law.constant.shear, law.constant.twist
    return Impulse(
        with_lane(answer.load, 6, law.constant.load),
        Pair(with_lane(answer.shear.along, 6, slip.along), with_lane(answer.shear.across, 6, slip.across)),
        Pair(with_lane(answer.twist.along, 6, roll.along), with_lane(answer.twist.across, 6, roll.across)),
    )
