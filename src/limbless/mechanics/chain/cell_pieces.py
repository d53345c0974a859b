"""A piece of a strain cell, from one station to the next: how its end stands and moves against its beginning.

Over a piece of length d, with the strains ξa and ξb at its two Gauss points, Magnus' expansion of fourth order (Blanes
et al. 2009) has

    Ω = d/2 (ξa + ξb) + √3/12 d² [ξa, ξb],   h = exp Ω,   w = T(Ω) Ω̇,   T(x) = Σ (-1)^k ad_x^k / (k + 1)!

with w the twist of its end against its beginning, along the axes of the end. Where the strain is constant the
bracket vanishes, and the piece is exact: an arc, a hinge, a twist. No piece knows of another: on plain
numbers eight are bent side by side (`PieceBands`); the recursion then only puts them together. On duals, or
with eight robots in lanes, those of one cell are bent before it is put together (`SinglePieces`). Pieces of a
cell that are alike are bent once.
"""

from __future__ import annotations

from math import factorial
from typing import TYPE_CHECKING, NamedTuple

from limbless.mechanics.algebra import Matrix, Twist, Vector, axial, cross, dot, twist_cross
from limbless.mechanics.compiled import (
    LANES,
    Array,
    IntArray,
    Rows,
    Scalar,
    Table,
    align_stack,
    as_lane_array,
    constants,
    func,
    lane,
    noinline_func,
    switch_scalar,
    table,
    where_positive,
)

if TYPE_CHECKING:
    from limbless.mechanics.chain import Cells, LinkRow, Station

BRACKET = 3.0**0.5 / 12.0  # of Magnus' expansion


@constants
class StrainBasis(Table):
    """How one freedom of a cell strains one piece: ξ at its two Gauss points per unit of the freedom."""

    first: Twist
    second: Twist


@table
class JacobianColumn(Table):
    """What a unit velocity of one freedom does to one station, the inner node at rest: world axes, at the station."""

    screw: Twist


class Relative(NamedTuple):
    """The end of a piece against its beginning."""

    arm: Vector  # m, along the axes of its beginning
    turn: Matrix  # axes of its end, in those of its beginning
    velocity: Twist  # w, along the axes of its end
    pushed: Twist  # Ṫ Ω̇ + T Ω̈, of Ω̈ what does not come from free freedoms
    angle: float  # by which it turns, squared, rad2
    stretch: float  # its smallest; 1 where it has no length


@constants
class CellPiece(Table):
    """What a piece is made of: it is part of a `Station` (see `strain_cell`)."""

    length: float  # d, m; 1 where the piece only turns
    natural: Twist  # ξ when all freedoms are zero
    bends: bool  # the strain changes along it
    freedoms: int  # in bands of eight


@table
class PieceScratch(Table):
    """Memory for a piece."""

    relative: Relative


class StrainMotion(NamedTuple):
    """Freedoms by their numbers: values, rates, and accelerations where they are given."""

    strain: Array
    rate: Array
    push: Array


class PieceBands(NamedTuple):
    """All pieces in bands of eight neighbours with as many freedoms; the rows of a band's freedoms are `most` apart."""

    rows: Rows[CellPiece]  # (bands,), eight side by side
    levers: Rows[StrainBasis]  # (bands * most,)
    firsts: IntArray  # (bands, 8) the first freedom of each piece
    motion: StrainMotion  # (bands * most, 8)
    bent: Rows[PieceScratch]  # (bands,)
    screws: Rows[JacobianColumn]  # (bands * most,)


class SinglePieces(NamedTuple):
    """The pieces of one cell that differ, one after the other."""

    bent: Rows[PieceScratch]  # (pieces,)
    screws: Rows[JacobianColumn]  # (pieces * most,), those of a piece `most` apart from the next


class Growths(NamedTuple):
    """f1, f2, f3 of t = θ² (sin θ/θ, (1 - cos θ)/θ², (θ - sin θ)/θ³), f2' and f3', f2'' and f3''."""

    f1: float
    f2: float
    f3: float
    d2: float
    d3: float
    c2: float
    c3: float


EVEN, ODD = (tuple((-1.0) ** k / factorial(first + 2 * k) for k in range(10)) for first in (6, 7))


@func
def halving_sum(t: Scalar, c: tuple) -> Scalar:
    """Σ c_k t^k of ten terms, in pairs: half as long a wait as one after the other."""
    s = t * t
    u = s * s
    return (
        (c[0] + c[1] * t)
        + (c[2] + c[3] * t) * s
        + u * ((c[4] + c[5] * t) + (c[6] + c[7] * t) * s)
        + (u * u) * (c[8] + c[9] * t)
    )


@func
def growths(t: Scalar) -> Growths:
    """By f_n = 1/n! - t f_(n+2) and f_n' = (n f_(n+2) - f_(n+1)) / 2 from two series; to rounding up to θ = 2."""
    f6, f7 = halving_sum(t, EVEN), halving_sum(t, ODD)
    f5, f4 = 1.0 / 120.0 - t * f7, 1.0 / 24.0 - t * f6
    f3, f2 = 1.0 / 6.0 - t * f5, 0.5 - t * f4
    return Growths(
        1.0 - t * f3,
        f2,
        f3,
        0.5 * (2.0 * f4 - f3),
        0.5 * (3.0 * f5 - f4),
        0.25 * (8.0 * f6 - 5.0 * f5 + f4),
        0.25 * (15.0 * f7 - 7.0 * f6 + f5),
    )


@func
def tangent(g: Growths, x: Twist, u: Twist) -> Twist:
    """T(x) u"""
    v, w, a, b = x.linear, x.angular, u.linear, u.angular
    s, wb, mixed = 2.0 * dot(w, v), cross(w, b), cross(w, a) + cross(v, b)
    wwb = cross(w, wb)
    return Twist(
        a - g.f2 * mixed + g.f3 * (cross(w, mixed) + cross(v, wb)) - (g.d2 * s) * wb + (g.d3 * s) * wwb,
        b - g.f2 * wb + g.f3 * wwb,
    )


@func
def tangent_rate(g: Growths, x: Twist, r: Twist) -> Twist:
    """Ṫ(x) r while x changes with ẋ = r: zero at rest, but not where the strain is constant."""
    v, w, a, b = x.linear, x.angular, r.linear, r.angular
    wb, mixed, s, ds, t = cross(w, b), cross(v, b) + cross(w, a), dot(w, b), dot(v, b) + dot(w, a), 2.0 * dot(w, v)
    bwb, wwb = cross(b, wb), cross(w, wb)
    angular = g.f3 * bwb - (2.0 * g.d2 * s) * wb + (2.0 * g.d3 * s) * wwb
    linear = (
        (g.d3 * t) * bwb
        + g.f3 * (cross(a, wb) + cross(b, mixed))
        - (2.0 * (g.c2 * t * s + g.d2 * ds)) * wb
        - (2.0 * g.d2 * s) * mixed
        + (2.0 * (g.c3 * t * s + g.d3 * ds)) * wwb
        + (2.0 * g.d3 * s) * (cross(v, wb) + cross(w, mixed))
    )
    return Twist(linear, angular)


@func
def piece_kinematics(
    piece: CellPiece,
    freedoms: int,
    levers: Rows[StrainBasis],
    first: int,
    motion: StrainMotion,
    place: int,
    screws: Rows[JacobianColumn],
    row: int,
) -> Relative:
    """A piece: its levers from row `first` on, its freedoms from number `place` on, its
    screws into rows from `row` on.
    """
    d, near, far = piece.length, piece.natural, piece.natural
    rate, later = 0.0 * near, 0.0 * near
    for j in range(freedoms):
        lever, q, v = StrainBasis(levers, first + j), motion.strain[place + j], motion.rate[place + j]
        near, rate = near + q * lever.first, rate + v * lever.first
        if piece.bends:
            far, later = far + q * lever.second, later + v * lever.second
    turn, swing = d * near, 0.0 * near
    if piece.bends:
        turn = (0.5 * d) * (near + far) + (BRACKET * d * d) * twist_cross(near, far)
        swing = (2.0 * BRACKET * d * d) * twist_cross(rate, later)
    v, w = turn.linear, turn.angular
    t = dot(w, w)
    g = growths(t)
    moved, relative, pushed = 0.0 * turn, 0.0 * turn, tangent(g, turn, swing) if piece.bends else 0.0 * turn
    for j in range(freedoms):
        lever, speed = StrainBasis(levers, first + j), motion.rate[place + j]
        slope = d * lever.first
        if piece.bends:
            slope = (0.5 * d) * (lever.first + lever.second) + (BRACKET * d * d) * (
                twist_cross(lever.first, far) + twist_cross(near, lever.second)
            )
        screw = tangent(g, turn, slope)
        JacobianColumn(screws, row + j).screw = screw
        moved, relative = moved + speed * slope, relative + speed * screw
        pushed = pushed + motion.push[place + j] * screw
    stretch = where_positive(piece.natural.linear.x, near.linear.x, 0.0 * t + 1.0)
    return Relative(
        v + g.f2 * cross(w, v) + g.f3 * cross(w, cross(w, v)),
        axial(w, 1.0 - t * g.f2, g.f1, g.f2),
        relative,
        pushed + tangent_rate(g, turn, moved),
        t,
        stretch,
    )


# ------------------------------------------------------------------------------------------------------ eight at a time


@noinline_func
def bend_bands(columns: Rows[JacobianColumn], cells: Cells) -> None:
    """All pieces of all cells, from the values and rates of their freedoms."""
    align_stack()
    bands = cells.bands
    most = bands.motion.strain.shape[0] // max(bands.firsts.shape[0], 1)
    rows, levers = Rows(as_lane_array(bands.rows.numbers), bands.rows.codes), as_lane_array(bands.levers)
    strain, rate, push = bands.motion
    motion = StrainMotion(as_lane_array(strain), as_lane_array(rate), as_lane_array(push))
    bent, screws = as_lane_array(bands.bent), as_lane_array(bands.screws)
    for b in range(bands.firsts.shape[0]):  # all of them first: eight numbers just written are slow to read as one
        for j in range(CellPiece(rows, b).freedoms):
            for i in range(LANES):
                v = bands.firsts[b, i] + j
                strain[b * most + j, i] = cells.strain[v]
                rate[b * most + j, i] = cells.strain_rate[v]
                push[b * most + j, i] = cells.strain_push[v]
    for b in range(bands.firsts.shape[0]):
        piece = CellPiece(rows, b)
        PieceScratch(bent, b).relative = piece_kinematics(
            piece, piece.freedoms, levers, b * most, motion, b * most, screws, b * most
        )


@func
def vector_in(v: Vector, i: int) -> Vector:
    """The i-th of eight vectors."""
    return Vector(lane(v.x, i), lane(v.y, i), lane(v.z, i))


@func
def twist_in(V: Twist, i: int) -> Twist:
    return Twist(vector_in(V.linear, i), vector_in(V.angular, i))


@func
def lane_piece(columns: Rows[JacobianColumn], cells: Cells, station: Station, link: LinkRow) -> Relative:
    bent, i = PieceScratch(as_lane_array(cells.bands.bent), station.band).relative, station.lane
    return Relative(
        vector_in(bent.arm, i),
        Matrix(vector_in(bent.turn.x, i), vector_in(bent.turn.y, i), vector_in(bent.turn.z, i)),
        twist_in(bent.velocity, i),
        twist_in(bent.pushed, i),
        lane(bent.angle, i),
        lane(bent.stretch, i),
    )


@func
def lane_screw(columns: Rows[JacobianColumn], cells: Cells, station: Station, j: int) -> Twist:
    return twist_in(JacobianColumn(as_lane_array(cells.bands.screws), station.screw + j).screw, station.lane)


# -------------------------------------------------------------------------------------------------- one after the other


@func
def bend_none(columns: Rows[JacobianColumn], cells: Cells):
    return None


@func
def one_piece(columns: Rows[JacobianColumn], cells: Cells, station: Station, link: LinkRow):
    return PieceScratch(cells.loose.bent, station.kind).relative


@func
def one_screw(columns: Rows[JacobianColumn], cells: Cells, station: Station, j: int):
    return JacobianColumn(cells.loose.screws, cells.elastic.shape[1] * station.kind + j).screw


bend_pieces = switch_scalar(bend_bands, bend_none)
"""Before the recursion."""
piece_of, screw_of = switch_scalar(lane_piece, one_piece), switch_scalar(lane_screw, one_screw)
"""In it: the piece that leads to a station, and then what its freedoms do to its end."""
