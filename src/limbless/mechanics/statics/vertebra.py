"""One vertebra of a tendon-driven spine: pose, centroid and tendon chords, with first and second derivatives (paper
004, (1)-(5)).

Frame i sits on disk i with z along the backbone from base to tip, as in the paper. The unknowns of a vertebra are b
(bend towards +x, a rotation about +y), g (bend towards +y, about -x) and, if the spine twists, e (about z; a share of
it before the bend, the rest behind it). With t = b² + g² everything is made of f_n(t) = sum over k of (-t)^k / (2k +
n)!: f1 = sin θ/θ, f2 = (1 - cos θ)/θ², f3 = (θ - sin θ)/θ³. They obey f_n = 1/n! - t f_(n+2) and f_n' = (n f_(n+2) -
f_(n+1)) / 2, so two series give all values and derivatives, without a branch and without 0/0 when straight.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from limbless.core import Array
from limbless.mechanics.algebra import Matrix, Vector, cross, dot, product, rotation_about
from limbless.mechanics.compiled import IntArray, Scalar, func, noinline_func


class Growth(NamedTuple):
    """A function of t = b² + g² at one bend: its value and its first two derivatives by t."""

    value: float
    slope: float
    curve: float


class Vertebrae(NamedTuple):
    """Geometry of all vertebrae at one posture; vectors along the axes of the inner disk i - 1 of each."""

    rotation: Array  # (v, 3, 3)     R: axes of disk i
    offset: Array  # (v, 3)        d: centre of disk i, m
    centroid: Array  # (v, 3)        c: centroid of the compliant joint, m
    offset_rate: Array  # (v, 3, 3)     D_k = dd/da_k (unknown first)
    centroid_rate: Array  # (v, 3, 3)     E_k = dc/da_k
    turn: Array  # (v, 3, 3)     w_k: dR/da_k = [w_k] R
    offset_second: Array  # (v, 6, 3)     D_km, in the order of `pair`
    centroid_second: Array  # (v, 6, 3)    E_km
    turn_second: Array  # (v, 3, 3, 3)  w_k,m = dw_k/da_m, not symmetric


def vertebrae(count: int) -> Vertebrae:
    """Memory for `count` vertebrae."""
    z = np.zeros
    return Vertebrae(
        z((count, 3, 3)),
        z((count, 3)),
        z((count, 3)),
        z((count, 3, 3)),
        z((count, 3, 3)),
        z((count, 3, 3)),
        z((count, 6, 3)),
        z((count, 6, 3)),
        z((count, 3, 3, 3)),
    )


@func
def pair(k: int, m: int) -> int:
    """Where the second derivative with respect to unknowns k <= m is kept: bb, bg, be, gg, ge, ee."""
    return m + k * (5 - k) // 2


@func
def vector_of(row: Array) -> Vector:
    """A vector from an array of three numbers."""
    return Vector(row[0], row[1], row[2])


@func
def store(row: Array, v: Vector) -> None:
    row[0], row[1], row[2] = v


@func
def matrix_of(table: Array) -> Matrix:
    return Matrix(vector_of(table[0]), vector_of(table[1]), vector_of(table[2]))


@func
def store_matrix(table: Array, M: Matrix) -> None:
    store(table[0], M.x)
    store(table[1], M.y)
    store(table[2], M.z)


@func
def bending_functions(t: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]:
    """f1 ... f7 at t = θ², θ up to π."""
    f6, f7 = 0.0 * t, 0.0 * t
    for k in range(12, -1, -1):  # next terms are below 1e-20 of the first at θ = π
        f6 = 1.0 - t * f6 / ((2.0 * k + 8.0) * (2.0 * k + 7.0))
        f7 = 1.0 - t * f7 / ((2.0 * k + 9.0) * (2.0 * k + 8.0))
    f6, f7 = f6 / 720.0, f7 / 5040.0
    f5, f4 = 1.0 / 120.0 - t * f7, 1.0 / 24.0 - t * f6
    f3, f2 = 1.0 / 6.0 - t * f5, 0.5 - t * f4
    return 1.0 - t * f3, f2, f3, f4, f5, f6, f7


@func
def in_arc(first: Array, second: Array, b: Scalar, g: Scalar, across: Growth, axial: Growth, l: Scalar) -> None:
    """Derivatives of l (b p(t), g p(t), a(t)): p `across` the arc, a `axial`."""
    bb, bg, gg = b * b, b * g, g * g
    p, rise, bow = across
    store(first[0], Vector(l * (p + 2.0 * bb * rise), l * 2.0 * bg * rise, l * 2.0 * b * axial.slope))
    store(first[1], Vector(l * 2.0 * bg * rise, l * (p + 2.0 * gg * rise), l * 2.0 * g * axial.slope))
    store(
        second[0],
        Vector(
            l * (6.0 * b * rise + 4.0 * b * bb * bow),
            l * (2.0 * g * rise + 4.0 * bb * g * bow),
            l * (2.0 * axial.slope + 4.0 * bb * axial.curve),
        ),
    )
    store(
        second[1],
        Vector(
            l * (2.0 * g * rise + 4.0 * bb * g * bow),
            l * (2.0 * b * rise + 4.0 * b * gg * bow),
            l * 4.0 * bg * axial.curve,
        ),
    )
    store(
        second[3],
        Vector(
            l * (2.0 * b * rise + 4.0 * b * gg * bow),
            l * (6.0 * g * rise + 4.0 * g * gg * bow),
            l * (2.0 * axial.slope + 4.0 * gg * axial.curve),
        ),
    )


@func
def bend(
    b: Scalar,
    g: Scalar,
    f1: Scalar,
    f2: Scalar,
    f3: Scalar,
    slope2: Scalar,
    slope3: Scalar,
    turn: Array,
    turn_second: Array,
) -> Matrix:
    """R = exp of (-g, b, 0); its rates w_b, w_g and their derivatives (`slope2`, `slope3`: f2', f3')."""
    bb, bg, gg, t = b * b, b * g, g * g, b * b + g * g
    store(turn[0], Vector(-bg * f3, 1.0 - gg * f3, -g * f2))
    store(turn[1], Vector(bb * f3 - 1.0, bg * f3, b * f2))
    store(turn_second[0, 0], Vector(-g * f3 - 2.0 * bb * g * slope3, -2.0 * b * gg * slope3, -2.0 * bg * slope2))
    store(
        turn_second[0, 1],
        Vector(-b * f3 - 2.0 * b * gg * slope3, -2.0 * g * f3 - 2.0 * g * gg * slope3, -f2 - 2.0 * gg * slope2),
    )
    store(
        turn_second[1, 0],
        Vector(2.0 * b * f3 + 2.0 * b * bb * slope3, g * f3 + 2.0 * bb * g * slope3, f2 + 2.0 * bb * slope2),
    )
    store(turn_second[1, 1], Vector(2.0 * bb * g * slope3, b * f3 + 2.0 * b * gg * slope3, 2.0 * bg * slope2))
    return Matrix(
        Vector(1.0 - bb * f2, -bg * f2, b * f1),
        Vector(-bg * f2, 1.0 - gg * f2, g * f1),
        Vector(-b * f1, -g * f1, 1.0 - t * f2),
    )


@func
def hinge(
    rest: Scalar, outer: Scalar, R: Matrix, first: Array, second: Array, turn: Array, turn_second: Array
) -> Vector:
    """Derivatives of a rigid piece of length `outer` beyond a universal joint: d = (0, 0, rest) + R (0, 0, outer)."""
    arm = outer * Vector(R.x.z, R.y.z, R.z.z)
    for k in range(2):
        w = vector_of(turn[k])
        store(first[k], cross(w, arm))
        for m in range(k, 2):
            store(
                second[pair(k, m)], cross(vector_of(turn_second[k, m]), arm) + cross(w, cross(vector_of(turn[m]), arm))
            )
    return Vector(arm.x, arm.y, arm.z + rest)


@func
def turn_place(share: Scalar, Z: Any, d: Any, first: Array, second: Array):
    """Z d for a point d of the bend, with derivatives: Z = Rz(share e) turns those by b and g, e itself swings with
    share z x (Z d).
    """
    z = Vector(0.0, 0.0, share)
    d = Z @ d
    for k in range(2):
        rate = Z @ vector_of(first[k])
        store(first[k], rate)
        store(second[pair(k, 2)], cross(z, rate))
        for m in range(k, 2):
            store(second[pair(k, m)], Z @ vector_of(second[pair(k, m)]))
    swing = cross(z, d)
    store(first[2], swing)
    store(second[pair(2, 2)], cross(z, swing))
    return d


@func
def twisted(share: Scalar, Z: Any, R: Matrix, outer: Scalar, turn: Array, turn_second: Array):
    """Z R Rz(`outer`) with its rates: e turns by its share about z of the inner disk (in Z) and by the rest about z of
    the outer one.
    """
    z, rest = Vector(0.0, 0.0, share), 1.0 - share
    # z of the outer disk; a turn about it leaves it where it is
    axis = Z @ Vector(R.x.z, R.y.z, R.z.z)
    store(turn[2], z + rest * axis)
    store(turn_second[2, 2], rest * cross(z, axis))
    for k in range(2):
        w = Z @ vector_of(turn[k])
        store(turn[k], w)
        store(turn_second[k, 2], cross(z, w))
        store(turn_second[2, k], rest * cross(w, axis))
        for m in range(2):
            store(turn_second[k, m], Z @ vector_of(turn_second[k, m]))
    return product(product(Z, R), rotation_about(Vector(0.0, 0.0, 1.0), outer))


@func
def put_arc(
    vertebrae: Vertebrae, i: int, b: Scalar, g: Scalar, l: Scalar, growths: tuple[Growth, Growth, Growth]
) -> None:
    """Places and rates of the outer disk and of the centroid of vertebra i, an arc; `growths`: of f1, f2 and f3."""
    f1, f2, f3 = growths
    store(vertebrae.offset[i], Vector(l * b * f2.value, l * g * f2.value, l * f1.value))
    store(vertebrae.centroid[i], Vector(l * b * f3.value, l * g * f3.value, l * f2.value))
    in_arc(vertebrae.offset_rate[i], vertebrae.offset_second[i], b, g, f2, f1, l)
    in_arc(vertebrae.centroid_rate[i], vertebrae.centroid_second[i], b, g, f3, f2, l)


@func
def put_hinge(at: Scalar, vertebrae: Vertebrae, i: int, l: Scalar, R: Matrix) -> None:
    """The same of one that bends at a hinge."""
    first, second = vertebrae.offset_rate[i], vertebrae.offset_second[i]
    end = hinge(at * l, (1.0 - at) * l, R, first, second, vertebrae.turn[i], vertebrae.turn_second[i])
    store(vertebrae.offset[i], end)
    # the compliant part is at the hinge; its rates stay zero
    store(vertebrae.centroid[i], Vector(0.0, 0.0, at * l))


@noinline_func
def place(vertebrae: Vertebrae, length: Array, hinge_at: Scalar | None, share: Scalar, q: Array) -> None:
    """Fill `vertebrae` at the posture q (v, 2 or 3); `hinge_at` as `Spine.hinge`, `share` that of the
    twist which comes before the bend.
    """
    offset, centroid, turn, turn_second = vertebrae.offset, vertebrae.centroid, vertebrae.turn, vertebrae.turn_second
    for i in range(len(length)):
        b, g, l = q[i, 0], q[i, 1], length[i]
        f1, f2, f3, f4, f5, f6, f7 = bending_functions(b * b + g * g)
        first = Growth(f1, 0.5 * (f3 - f2), 0.25 * (3.0 * f5 - 3.0 * f4 + f3))
        second = Growth(f2, 0.5 * (2.0 * f4 - f3), 0.25 * (8.0 * f6 - 5.0 * f5 + f4))
        third = Growth(f3, 0.5 * (3.0 * f5 - f4), 0.25 * (15.0 * f7 - 7.0 * f6 + f5))
        R = bend(b, g, f1, f2, f3, second.slope, third.slope, turn[i], turn_second[i])
        if hinge_at is None:
            put_arc(vertebrae, i, b, g, l, (first, second, third))
        else:
            put_hinge(hinge_at, vertebrae, i, l, R)
        if q.shape[1] == 3:
            e = q[i, 2]
            Z = rotation_about(Vector(0.0, 0.0, 1.0), share * e)
            store(
                offset[i],
                turn_place(share, Z, vector_of(offset[i]), vertebrae.offset_rate[i], vertebrae.offset_second[i]),
            )
            store(
                centroid[i],
                turn_place(share, Z, vector_of(centroid[i]), vertebrae.centroid_rate[i], vertebrae.centroid_second[i]),
            )
            R = twisted(share, Z, R, (1.0 - share) * e, turn[i], turn_second[i])
        store_matrix(vertebrae.rotation[i], R)


@noinline_func
def measure_chords(
    vertebrae: Vertebrae, holes: Array, end: IntArray, freedoms: int, chord: Array, slope: Array, curve: Array
) -> None:
    """Lengths of all tendon chords (v, tendons), their gradients (.., 3) and second derivatives (.., 6); zero beyond
    the anchor.

    `holes` (v + 1, tendons, 3): where tendons pass each disk, m, axes of that disk; `end`: the disk on which each is
    anchored.
    """
    rotation, offset, offset_rate = vertebrae.rotation, vertebrae.offset, vertebrae.offset_rate
    turn, offset_second, turn_second = vertebrae.turn, vertebrae.offset_second, vertebrae.turn_second
    for i in range(chord.shape[0]):
        R, d = matrix_of(rotation[i]), vector_of(offset[i])
        for c in range(chord.shape[1]):
            if i >= end[c]:
                continue
            arm = R @ vector_of(holes[i + 1, c])
            h = d + arm - vector_of(holes[i, c])
            size = np.sqrt(dot(h, h))
            u = (1.0 / size) * h
            chord[i, c] = size
            for k in range(freedoms):
                w = vector_of(turn[i, k])
                h_k = vector_of(offset_rate[i, k]) + cross(w, arm)
                slope[i, c, k] = dot(u, h_k)
                for m in range(k, freedoms):
                    w_m = vector_of(turn[i, m])
                    h_m = vector_of(offset_rate[i, m]) + cross(w_m, arm)
                    # d²R/da_k da_m = ([w_k,m] + [w_k][w_m]) R
                    second = vector_of(offset_second[i, pair(k, m)]) + cross(vector_of(turn_second[i, k, m]), arm)
                    second = second + cross(w, cross(w_m, arm))
                    curve[i, c, pair(k, m)] = dot(u, second) + (dot(h_k, h_m) - dot(u, h_k) * dot(u, h_m)) / size
