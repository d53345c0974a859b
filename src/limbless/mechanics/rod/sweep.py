"""The continuous body (paper 000): its shape on SE(3) by a fourth-order Magnus step, all else as quadratures in the head frame.

With h(X) the pose of section X in the head frame, a section's twist η, its rate η̇ and a wrench Λ are carried to the head frame as
u = Ad_h η, a = Ad_h η̇ and L = Ad_h⁻ᵀ Λ. The ordinary differential equations along X then become plain integrals (spec, section 5):

    u = η_o + J,   J' = s = Ad_h ξ̇                                        (7)
    a = η̇_o + ad_{η_o} J + A,   A' = Ad_h ξ̈ + ad_J s                      (8)
    L' = I a + u x* (I u) - f,   I = Ad_h⁻ᵀ M Ad_h⁻¹, f = Ad_h⁻ᵀ F̄       (13), (24)

J, A and I depend on the shape alone, so that the sums over the rod that its inertia needs (`gather_shape`) do not wait for the motion
of the head. Nodes come in panels of three (start, middle, end; panels share their end nodes); an integral
to the end of a panel is Simpson's, to its middle the one of the same parabola. A panel of no length holds a jump.

Every function takes any scalar: with lanes, eight instants are computed at once (`rod_shapes`).
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.columns import (
    get_matrix,
    get_twist,
    get_vector,
    get_wrench,
    inertia_at,
    put_inertia_at,
    put_matrix,
    put_pair,
    put_pair_at,
    put_vector,
    wrench_at,
)
from limbless.mechanics.algebra.inertia import Inertia, Twist, Wrench, carry_wrench, power, twist_cross, wrench_cross
from limbless.mechanics.algebra.lie import Pose, adjoint, compose, pose_exp
from limbless.mechanics.algebra.vectors import Matrix, Symmetric, Vector, cross, transpose, upper
from limbless.mechanics.compiled.kernel import align_stack, inline, kernel

# Columns of a node in a work array: pose in the head frame, then J, A, and what the environment does to the slice along its own axes:
# per unit length, and at the node alone
ROTATION, PLACE, SWING, SURGE, PUSH, POKE = np.array([0, 9, 12, 18, 24, 30])
NODE_COLUMNS = 36
FIRST, LAST = np.array([0, 3])                # columns of the linear and the angular part of a pair


class Body(NamedTuple):
    """A rod in arrays. The inertia is per reference length and along the section's axes; `inertia` counts added mass."""

    half: NDArray[np.float64]          # (panels,) half the length of each panel, m
    weight: NDArray[np.float64]        # (nodes,) of the quadrature over the whole rod, m
    inertia: NDArray[np.float64]       # (nodes, 6) diagonal of M + Ma: kg/m and kg m


# Columns of a row of sums over the rod, in the head frame and about its origin; a dot is a rate in time with the head held
INERTIA = np.int64(0)                  # M_o = ∫ I (19), as 21 numbers
INERTIA_RATE = np.int64(21)            # Ṁ_o
SHAPE_MOMENTUM = np.int64(42)          # S = ∫ I J: of the shape's motion alone
SHAPE_FORCE = np.int64(48)             # Ṡ = ∫ I A + J x* (I J)
SHAPE_POWER = np.int64(54)             # ∫ J . (I A)
SUMS = 55


@inline
def bracket(a, b):
    """[a, b] = ad_a b of two twists."""
    return twist_cross(a, b)


@inline
def first_half(a, b, c, d):
    """Integral from the start of a panel to its middle (at d) of the parabola through a, b, c."""
    return (d / 12.0) * (5.0 * a + 8.0 * b + (-1.0) * c)


@inline
def second_half(a, b, c, d):
    """Integral from the middle of a panel to its end."""
    return (d / 12.0) * ((-1.0) * a + 8.0 * b + 5.0 * c)


@inline
def magnus_first(a, b, c, d):
    """Fourth-order Magnus exponent of g' = g ξ from the start of a panel to its middle: ∫ ξ + d²/12 [ξ0, ξ1]."""
    return first_half(a, b, c, d) + (d * d / 12.0) * bracket(a, b)


@inline
def magnus_second(a, b, c, d):
    return second_half(a, b, c, d) + (d * d / 12.0) * bracket(b, c)


@inline
def to_section(R, p, V):
    """Ad_h⁻¹ V: a twist of the head frame in the frame of a section at p, with axes R."""
    Rt = transpose(R)
    return Twist(Rt @ (V.linear + cross(V.angular, p)), Rt @ V.angular)


@inline
def to_head(R, p, F):
    """Ad_h⁻ᵀ F: a wrench of a section in the head frame, about its origin."""
    return carry_wrench(Wrench(R @ F.force, R @ F.torque), p)


@inline
def put_node(work, k, h, swing, surge):
    put_matrix(work, k, ROTATION, h.rotation)
    put_vector(work, k, PLACE, h.position)
    put_pair(work, k, SWING, swing)
    put_pair(work, k, SURGE, surge)


@inline
def get_pose(work, k):
    return Pose(get_matrix(work, k, ROTATION), get_vector(work, k, PLACE))


@inline
def surge_source(h, swing, source, acceleration):
    """A' = Ad_h ξ̈ + ad_J s"""
    return adjoint(h, acceleration) + bracket(swing, source)


@inline
def cross_panel(strain, rate, acceleration, k, d, start, swing, surge, work, m):
    """From node k, the start of a panel, to its middle and end: rows m and m + 1 of `work`. Returns pose, J and A at the end."""
    a, b, c = get_twist(strain, k, FIRST), get_twist(strain, k + 1, FIRST), get_twist(strain, k + 2, FIRST)
    middle = compose(start, pose_exp(magnus_first(a, b, c, d)))
    end = compose(middle, pose_exp(magnus_second(a, b, c, d)))
    s0, s1 = adjoint(start, get_twist(rate, k, FIRST)), adjoint(middle, get_twist(rate, k + 1, FIRST))
    s2 = adjoint(end, get_twist(rate, k + 2, FIRST))
    swing1 = swing + first_half(s0, s1, s2, d)
    swing2 = swing1 + second_half(s0, s1, s2, d)
    b0 = surge_source(start, swing, s0, get_twist(acceleration, k, FIRST))
    b1 = surge_source(middle, swing1, s1, get_twist(acceleration, k + 1, FIRST))
    b2 = surge_source(end, swing2, s2, get_twist(acceleration, k + 2, FIRST))
    surge1 = surge + first_half(b0, b1, b2, d)
    surge2 = surge1 + second_half(b0, b1, b2, d)
    put_node(work, m, middle, swing1, surge1)
    put_node(work, m + 1, end, swing2, surge2)
    return end, swing2, surge2


@inline
def head_pose(zero):
    """The identity, in the scalar of `zero`."""
    one = 1.0 + zero
    return Pose(Matrix(Vector(one, zero, zero), Vector(zero, one, zero), Vector(zero, zero, one)), Vector(zero, zero, zero))


@kernel
def sweep(half, strain, rate, acceleration, work):
    """Shape, J and A at every node, from the strain and its two rates (nodes, 6) in time."""
    align_stack()
    zero = 0.0 * strain[0, 0]
    h, still = head_pose(zero), Vector(zero, zero, zero)
    swing, surge = Twist(still, still), Twist(still, still)
    put_node(work, np.int64(0), h, swing, surge)
    for j in range(half.shape[0]):
        h, swing, surge = cross_panel(strain, rate, acceleration, 2 * j, half[j], h, swing, surge, work, 2 * j + 1)


@inline
def axes_sum(R, d):
    """R diag(d) Rᵀ as a matrix: d3 1 + (d1 - d3) e1 e1ᵀ + (d2 - d3) e2 e2ᵀ."""
    a, b, o = d.x - d.z, d.y - d.z, 0.0 * d.x
    x, y = Vector(R.x.x, R.y.x, R.z.x), Vector(R.x.y, R.y.y, R.z.y)
    ax, by = a * x, b * y
    return Matrix(ax.x * x + by.x * y + Vector(d.z, o, o), ax.y * x + by.y * y + Vector(o, d.z, o),
                  ax.z * x + by.z * y + Vector(o, o, d.z))


@inline
def moment_of(p, M):
    """[p] M"""
    x, y, z = M.x, M.y, M.z
    return Matrix(p.y * z - p.z * y, p.z * x - p.x * z, p.x * y - p.y * x)


@inline
def turned_rate(w, S):
    """Rate of a symmetric matrix whose axes turn with w: [w] S - S [w]."""
    X = moment_of(w, S)
    return X + transpose(X)


@inline
def slice_inertia(R, p, mass, turn):
    """I of a slice at p with axes R: H = [p] M, J = J_c - [p] M [p]."""
    M = axes_sum(R, mass)
    H = moment_of(p, M)
    return M, H, axes_sum(R, turn) + moment_of(p, transpose(H))


@inline
def slice_inertia_rate(R, p, mass, turn, swing):
    """Rate of `slice_inertia` as the slice moves with the twist `swing` of the head frame."""
    M, w = axes_sum(R, mass), swing.angular
    velocity = swing.linear + cross(w, p)
    M_rate = turned_rate(w, M)
    H_rate = moment_of(velocity, M) + moment_of(p, M_rate)
    J_rate = turned_rate(w, axes_sum(R, turn)) + moment_of(velocity, transpose(moment_of(p, M))) + moment_of(p, transpose(H_rate))
    return M_rate, H_rate, J_rate


@inline
def as_inertia(M, H, J):
    return Inertia(upper(M), H, upper(J))


@kernel
def gather_shape(weight, inertia, work, sums):
    """All sums that the shape decides: see the columns of `sums`."""
    align_stack()
    o = 0.0 * work[0, 0]
    still = Vector(o, o, o)
    whole = Inertia(Symmetric(o, o, o, o, o, o), Matrix(still, still, still), Symmetric(o, o, o, o, o, o))
    rate, momentum, force, work_rate = whole, Wrench(still, still), Wrench(still, still), o
    for k in range(weight.shape[0]):
        R, p = get_matrix(work, k, ROTATION), get_vector(work, k, PLACE)
        mass, turn = weight[k] * get_vector(inertia, k, FIRST), weight[k] * get_vector(inertia, k, LAST)
        swing, surge = get_twist(work, k, SWING), get_twist(work, k, SURGE)
        M, H, J = slice_inertia(R, p, mass, turn)
        I = as_inertia(M, H, J)
        M, H, J = slice_inertia_rate(R, p, mass, turn, swing)
        P, F = I @ swing, I @ surge
        whole, rate = whole + I, rate + as_inertia(M, H, J)
        momentum, force = momentum + P, force + F + wrench_cross(swing, P)
        work_rate = work_rate + power(swing, F)
    put_inertia_at(sums, INERTIA, whole)
    put_inertia_at(sums, INERTIA_RATE, rate)
    put_pair_at(sums, SHAPE_MOMENTUM, momentum)
    put_pair_at(sums, SHAPE_FORCE, force)
    sums[SHAPE_POWER] = work_rate


@inline
def inertial_wrench(sums, twist):
    """-F_in (21): what accelerates the rod apart from η̇_o, Ṡ + Ṁ_o η_o + η_o x* (S + M_o η_o); and ∫ J . (that), as work."""
    turning = inertia_at(sums, INERTIA_RATE) @ twist
    momentum = wrench_at(sums, SHAPE_MOMENTUM) + inertia_at(sums, INERTIA) @ twist
    return wrench_at(sums, SHAPE_FORCE) + turning + wrench_cross(twist, momentum), sums[SHAPE_POWER] - 0.5 * power(twist, turning)


@kernel
def solve_six(matrix, right, free, table):
    """Solve matrix x = right among the components where `free`; the others are 0. Gauss with row exchange; x replaces `right`.

    Returns False where there is no unique answer. `table` (6, 6) is working memory.
    """
    largest, moving = 0.0, 0.0
    for i in range(6):
        moving += free[i]
        for j in range(6):
            table[i, j] = matrix[i, j] if free[i] > 0.0 and free[j] > 0.0 else 0.0
            largest = max(largest, abs(table[i, j]))
        if free[i] == 0.0:
            right[i] = 0.0
    if moving == 0.0:
        return True
    for i in range(6):
        if free[i] == 0.0:
            table[i, i] = largest
    for i in range(6):
        pivot = i
        for r in range(i + 1, 6):
            if abs(table[r, i]) > abs(table[pivot, i]):
                pivot = r
        if abs(table[pivot, i]) <= 1e-14 * largest:
            return False
        if pivot != i:
            for c in range(6):
                table[i, c], table[pivot, c] = table[pivot, c], table[i, c]
            right[i], right[pivot] = right[pivot], right[i]
        for r in range(i + 1, 6):
            factor = table[r, i] / table[i, i]
            for c in range(i, 6):
                table[r, c] -= factor * table[i, c]
            right[r] -= factor * right[i]
    for i in range(5, -1, -1):
        for c in range(i + 1, 6):
            right[i] -= table[i, c] * right[c]
        right[i] /= table[i, i]
    return True


@kernel
def reach_many(strain, rate, acceleration, half, first, start, work, out):
    """Pose, J and A at points between nodes: from row `first[i]` of `start[i]`, over a panel of half length `half[i]` with its own samples.

    strain, rate, acceleration : (points, 3, 6) at the node, half way and at the point; start : (T, nodes, ..) with `work[i]` the instant.
    """
    buffer = np.empty((2, NODE_COLUMNS))
    for i in range(half.shape[0]):
        node = start[work[i]]
        k = first[i]
        cross_panel(strain[i], rate[i], acceleration[i], 0, half[i], get_pose(node, k), get_twist(node, k, SWING),
                    get_twist(node, k, SURGE), buffer, 0)
        for c in range(NODE_COLUMNS):
            out[i, c] = buffer[1, c]


@kernel
def twists_to_sections(work, twist, out):
    """Ad_h⁻¹ of twists (R, nodes, 6) given in the head frame, for the poses in `work` (R, nodes, ..)."""
    for r in range(work.shape[0]):
        for k in range(work.shape[1]):
            put_pair(out[r], k, FIRST,
                     to_section(get_matrix(work[r], k, ROTATION), get_vector(work[r], k, PLACE), get_twist(twist[r], k, FIRST)))


@kernel
def wrenches_to_head(work, wrench, out):
    """Ad_h⁻ᵀ of wrenches (R, nodes, 6) along section axes."""
    for r in range(work.shape[0]):
        for k in range(work.shape[1]):
            put_pair(out[r], k, FIRST,
                     to_head(get_matrix(work[r], k, ROTATION), get_vector(work[r], k, PLACE), get_wrench(wrench[r], k, FIRST)))


@kernel
def wrenches_to_sections(work, wrench, out):
    """Ad_hᵀ of wrenches (R, nodes, 6) about the head: the inverse of `wrenches_to_head`."""
    for r in range(work.shape[0]):
        for k in range(work.shape[1]):
            F, p = get_wrench(wrench[r], k, FIRST), get_vector(work[r], k, PLACE)
            Rt = transpose(get_matrix(work[r], k, ROTATION))
            put_pair(out[r], k, FIRST, Wrench(Rt @ F.force, Rt @ (F.torque - cross(p, F.force))))


def adjoint_matrices(pose: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ad_h⁻¹ as matrices (..., 6, 6), of poses (..., >= 12) laid out as in a work array: head-frame twist -> section twist."""
    Rt = np.swapaxes(pose[..., :9].reshape(*pose.shape[:-1], 3, 3), -1, -2)
    x, y, z = np.moveaxis(pose[..., 9:12], -1, 0)
    o = np.zeros_like(x)
    lever = np.stack([np.stack([o, z, -y], -1), np.stack([-z, o, x], -1), np.stack([y, -x, o], -1)], -2)       # -[p]
    out = np.zeros((*pose.shape[:-1], 6, 6))
    out[..., :3, :3] = out[..., 3:, 3:] = Rt
    out[..., :3, 3:] = Rt @ lever
    return out



def inertia_matrices(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """M_o as matrices (T, 6, 6), from rows of sums (T, SUMS)."""
    upper_three = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])
    out = np.empty((len(sums), 6, 6))
    out[:, :3, :3], out[:, 3:, 3:] = sums[:, INERTIA + upper_three], sums[:, INERTIA + 15 + upper_three]
    out[:, 3:, :3] = sums[:, INERTIA + 6:][:, :9].reshape(-1, 3, 3)
    out[:, :3, 3:] = out[:, 3:, :3].swapaxes(1, 2)
    return out
