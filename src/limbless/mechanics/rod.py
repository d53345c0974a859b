"""The continuous body (paper 000): its shape on SE(3) by a fourth-order Magnus step, all else as quadratures in the head frame.

With h(X) the pose of section X in the head frame, a section's twist η, its rate η̇ and a wrench Λ are carried to the head frame as
u = Ad_h η, a = Ad_h η̇ and L = Ad_h⁻ᵀ Λ. The ordinary differential equations along X then become plain integrals (spec, section 5):

    u = η_o + J,   J' = s = Ad_h ξ̇                                        (7)
    a = η̇_o + ad_{η_o} J + A,   A' = Ad_h ξ̈ + ad_J s                      (8)
    L' = I a + u x* (I u) - f,   I = Ad_h⁻ᵀ M Ad_h⁻¹, f = Ad_h⁻ᵀ F̄       (13), (24)

J, A and I depend on the shape alone. Nodes come in panels of three (start, middle, end; panels share their end nodes); an integral
to the end of a panel is Simpson's, to its middle the one of the same parabola. A panel of no length holds a jump.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.columns import get_matrix, get_twist, get_vector, get_wrench, put_matrix, put_pair, put_vector
from limbless.mechanics.inertia import Twist, Wrench, carry_wrench, power, twist_cross, wrench_cross
from limbless.mechanics.kernel import align_stack, inline, kernel
from limbless.mechanics.laws import BODY as NODE
from limbless.mechanics.laws import (
    CODE,
    CURRENT,
    FIELD,
    FIELD_MASS,
    FLUID,
    FRICTION,
    FROM,
    HAS_ADDED,
    POINT,
    SURFACE,
    UNTIL,
    WEIGHT,
    added_slice,
    drag_slice,
    friction_slice,
    get_fluid,
    point_wrench,
    scaled,
    surface_slice,
    user_slice,
)
from limbless.mechanics.lie import Pose, adjoint, compose, pose_exp
from limbless.mechanics.vectors import Matrix, Vector, cross, product, transpose

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


class Sums(NamedTuple):
    """Integrals over the rod, in the head frame and about its origin."""

    inertia: NDArray[np.float64]       # (6, 6) M_o (19)
    swing: NDArray[np.float64]         # (6,) momentum of the shape's motion alone: ∫ I J
    bias: NDArray[np.float64]          # (6,) -F_in (21): what accelerates the body apart from η̇_o
    push: NDArray[np.float64]          # (6,) external wrench
    work: NDArray[np.float64]          # (2,) ∫ (inertial force - push) . J without η̇_o, and the power of the push


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
def add_matrix(A, w, B):
    return Matrix(A.x + w * B.x, A.y + w * B.y, A.z + w * B.z)


@inline
def moment_of(p, M):
    """[p] M"""
    x, y, z = M.x, M.y, M.z
    return Matrix(p.y * z - p.z * y, p.z * x - p.x * z, p.x * y - p.y * x)


@kernel
def gather_inertia(weight, inertia, work, total, swing):
    """M_o (19) as a full matrix, and the momentum ∫ I J of the shape's motion with the head held."""
    align_stack()
    zero = 0.0 * work[0, 0]
    still = Vector(zero, zero, zero)
    empty = Matrix(still, still, still)
    M, H, J, force, torque = empty, empty, empty, still, still
    for k in range(weight.shape[0]):
        R, p, w = get_matrix(work, k, ROTATION), get_vector(work, k, PLACE), weight[k]
        mass, turn = get_vector(inertia, k, FIRST), get_vector(inertia, k, LAST)
        m = axes_sum(R, mass)
        arm = moment_of(p, m)                                     # [p] M
        M, H = add_matrix(M, w, m), add_matrix(H, w, arm)
        J = add_matrix(J, w, axes_sum(R, turn))
        J = add_matrix(J, w, moment_of(p, transpose(arm)))        # -[p] M [p] = [p] ([p] M)ᵀ
        V = to_section(R, p, get_twist(work, k, SWING))
        P = to_head(R, p, Wrench(scaled(mass, V.linear), scaled(turn, V.angular)))
        force, torque = force + w * P.force, torque + w * P.torque
    put_block(total, 0, 0, M)
    put_block(total, 3, 0, H)
    put_block(total, 0, 3, transpose(H))
    put_block(total, 3, 3, J)
    for c in range(3):
        swing[c], swing[3 + c] = force[c], torque[c]


@inline
def put_block(matrix, i, j, A):
    for r in range(3):
        for c in range(3):
            matrix[i + r, j + c] = A[r][c]


@inline
def slice_push(rows, buffer, i, t, base, h, V):
    """What one law does to a slice, along the slice's axes: per unit length, or in all for a wrench at a point."""
    code = rows[i, CODE]
    E = product(base.rotation, h.rotation)
    if code == WEIGHT:
        F = Wrench(transpose(E) @ (rows[i, FIELD_MASS] * get_vector(rows, i, FIELD)), 0.0 * V.angular)
    elif code == FLUID:
        fluid, current = get_fluid(rows, i), transpose(E) @ get_vector(rows, i, CURRENT)
        F = drag_slice(fluid, V.linear - current, V.angular)
        if rows[i, HAS_ADDED] > 0.0:
            F = F + added_slice(fluid, V.linear, V.angular, current)
    elif code == POINT:
        about_world = point_wrench(rows, i, E)
        F = Wrench(transpose(E) @ about_world.force, transpose(E) @ about_world.torque)
    else:
        place = base.position + base.rotation @ h.position
        if code == SURFACE:
            F = surface_slice(rows, i, E, place.z)
        elif code == FRICTION:
            F = friction_slice(rows, i, V.linear)
        else:
            F = user_slice(rows, i, buffer, t, E, place, V.linear, V.angular)
    return F


@kernel
def push_slices(laws, t, inside, base, twist, work):
    """Sum all laws on each slice into the columns PUSH of `work`. `inside` (in the step) decides which windows are open."""
    rows, _, _, buffer = laws
    align_stack()
    for k in range(work.shape[0]):
        for c in range(12):
            work[k, PUSH + c] = 0.0
    for i in range(rows.shape[0]):
        if inside < rows[i, FROM] or inside > rows[i, UNTIL]:
            continue
        k = int(rows[i, NODE])
        h = get_pose(work, k)
        V = to_section(h.rotation, h.position, twist + get_twist(work, k, SWING))
        column = POKE if rows[i, CODE] == POINT else PUSH
        put_pair(work, k, column, get_wrench(work, k, column) + slice_push(rows, buffer, i, t, base, h, V))


@inline
def inertial_slice(mass, turn, V, rate):
    """M η̇ + η x* (M η): what a slice needs per unit length."""
    momentum = Wrench(scaled(mass, V.linear), scaled(turn, V.angular))
    return Wrench(scaled(mass, rate.linear), scaled(turn, rate.angular)) + wrench_cross(V, momentum)


@kernel
def gather_forces(weight, inertia, twist, work, bias, push, works):
    """The inertial wrench without η̇_o, the external wrench, and their powers: see `Sums`."""
    align_stack()
    zero = 0.0 * work[0, 0]
    still = Vector(zero, zero, zero)
    need, outer, along, given = Wrench(still, still), Wrench(still, still), zero, zero
    for k in range(weight.shape[0]):
        R, p, w = get_matrix(work, k, ROTATION), get_vector(work, k, PLACE), weight[k]
        swing, F = get_twist(work, k, SWING), w * get_wrench(work, k, PUSH) + get_wrench(work, k, POKE)
        V = to_section(R, p, twist + swing)
        rate = to_section(R, p, get_twist(work, k, SURGE) + bracket(twist, swing))
        q = w * to_head(R, p, inertial_slice(get_vector(inertia, k, FIRST), get_vector(inertia, k, LAST), V, rate))
        f = to_head(R, p, F)
        need, outer = need + q, outer + f
        along += power(swing, q - f)
        given += power(V, F)
    for c in range(3):
        bias[c], bias[3 + c], push[c], push[3 + c] = need.force[c], need.torque[c], outer.force[c], outer.torque[c]
    works[0], works[1] = along, given


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
def sweep_many(body, strain, rate, acceleration, work, inertia, swing):
    """`sweep` and `gather_inertia` at T instants: strain tables (T, nodes, 6) in, work (T, nodes, ..), M_o (T, 6, 6), ∫ I J (T, 6) out."""
    half, weight, own = body
    for i in range(strain.shape[0]):
        sweep(half, strain[i], rate[i], acceleration[i], work[i])
        gather_inertia(weight, own, work[i], inertia[i], swing[i])


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

