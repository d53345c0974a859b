"""A chain by its screws: poses, Jacobians, metric and bias of all bodies, from spatial columns and composite inertias (paper 003).

Every twist, wrench and inertia here is taken along the world axes at one point, where the base origin is at this instant: far from
the world's origin nothing is lost, and the metric does not change. Column a of the Jacobian is the spatial screw s_a (5)-(6). The
first columns are the base's: virtual joints PX PY RZ or PX PY PZ RZ RY RX (a chart, as in the paper), or the left-invariant fields
of SE(2) or SE(3) (a group); then one per joint.
"""
from __future__ import annotations

import numpy as np

from limbless.mechanics.algebra.columns import (
    BODY_ORIGIN,
    BODY_ROTATION,
    BODY_VELOCITY,
    get_inertia,
    get_matrix,
    get_twist,
    get_vector,
    get_wrench,
    put_matrix,
    put_pair,
    put_symmetric,
    put_vector,
    put_vector_at,
    quaternion_at,
    vector_at,
)
from limbless.mechanics.algebra.inertia import (
    Twist,
    carry_inertia,
    carry_twist,
    carry_wrench,
    power,
    rotate_inertia,
    twist_cross,
    wrench_cross,
)
from limbless.mechanics.algebra.lie import Quaternion, quaternion_product
from limbless.mechanics.algebra.vectors import Vector, cross, product, rotation_about, rotation_from_quaternion, transpose
from limbless.mechanics.chain.rows import (
    COLUMN,
    HAS_ARM,
    HAS_BODY,
    KIND,
    LEADING,
    LINK_ARM,
    LINK_AXIS,
    LINK_WET,
    PRISMATIC,
    ROTOR,
    WET,
    body_inertia,
    nothing,
    sliding,
    turning,
)
from limbless.mechanics.compiled.kernel import align_stack, inline, kernel
from limbless.mechanics.compiled.scalars import sincos

FIXED_BASE, PLANAR_CHART, SPACE_CHART, PLANAR_GROUP, SPACE_GROUP = np.arange(5)
SCREW, SCREW_RATE, PULL = np.array([0, 6, 12])           # columns of `columns`: s_a, its rate, and K_a s_a
TWIST, RATE, COMPOSITE, LOAD = np.array([18, 24, 30, 51])  # of `work`, after rotation, origin and velocity: at the reference point
SCREW_COLUMNS, WORK_COLUMNS = 18, 64
ORIGIN_OF_ALL = np.int64(0)
FIRST = np.int64(0)
HALF = np.int64(3)


@inline
def base_quaternion(base, home, c):
    """Orientation of the base, continuous in its coordinates."""
    H = quaternion_at(home, HALF)
    if base == SPACE_GROUP:
        q = quaternion_at(c, HALF)
    elif base == SPACE_CHART:
        (sz, cz), (sy, cy), (sx, cx) = sincos(0.5 * c[3]), sincos(0.5 * c[4]), sincos(0.5 * c[5])
        q = quaternion_product(H, quaternion_product(quaternion_product(
            Quaternion(cz, 0.0, 0.0, sz), Quaternion(cy, 0.0, sy, 0.0)), Quaternion(cx, sx, 0.0, 0.0)))
    elif base == FIXED_BASE:
        q = H
    else:
        s, k = sincos(0.5 * c[2])
        q = quaternion_product(H, Quaternion(k, 0.0, 0.0, s))
    return q


@inline
def base_origin(base, home, H, c):
    """Position of the base frame in the world."""
    o = vector_at(home, FIRST)
    if base == SPACE_GROUP:
        return vector_at(c, FIRST)
    if base == SPACE_CHART:
        return o + H @ vector_at(c, FIRST)
    if base == FIXED_BASE:
        return o
    return o + H @ Vector(c[0], c[1], 0.0)


@inline
def put_base_columns(base, H, R, c, columns):
    """The screws of the base: at the reference point every rotation axis of the base passes through it."""
    A = transpose(H) if base == PLANAR_CHART or base == SPACE_CHART else transpose(R)
    if base == PLANAR_CHART or base == PLANAR_GROUP:
        put_pair(columns, 0, SCREW, sliding(A.x))
        put_pair(columns, 1, SCREW, sliding(A.y))
        put_pair(columns, 2, SCREW, turning(A.z))
    elif base != FIXED_BASE:
        put_pair(columns, 0, SCREW, sliding(A.x))
        put_pair(columns, 1, SCREW, sliding(A.y))
        put_pair(columns, 2, SCREW, sliding(A.z))
        if base == SPACE_GROUP:
            put_pair(columns, 3, SCREW, turning(A.x))
            put_pair(columns, 4, SCREW, turning(A.y))
            put_pair(columns, 5, SCREW, turning(A.z))
        else:
            turned = transpose(product(H, rotation_about(Vector(0.0, 0.0, 1.0), c[3])))
            put_pair(columns, 3, SCREW, turning(A.z))
            put_pair(columns, 4, SCREW, turning(turned.y))
            put_pair(columns, 5, SCREW, turning(transpose(R).x))


@inline
def move_base(base, speeds, nb, columns, zero):
    """Twist of the base and the part of its acceleration that velocities make; a chart's joints carry each other, a group's move as one."""
    V = Twist(zero, zero)
    A = Twist(zero, zero)
    if base == PLANAR_GROUP or base == SPACE_GROUP:
        for a in range(nb):
            V = V + speeds[a] * get_twist(columns, a, SCREW)
        for a in range(nb):
            put_pair(columns, a, SCREW_RATE, twist_cross(V, get_twist(columns, a, SCREW)))
    else:
        for a in range(nb):
            s = get_twist(columns, a, SCREW)
            rate = twist_cross(V, s)
            put_pair(columns, a, SCREW_RATE, rate)
            A = A + speeds[a] * rate
            V = V + speeds[a] * s
    return V, A


@inline
def put_row(work, k, R, origin, arm, V, A):
    put_matrix(work, k, BODY_ROTATION, R)
    put_vector(work, k, BODY_ORIGIN, origin)
    put_pair(work, k, BODY_VELOCITY, carry_twist(V, arm))
    put_pair(work, k, TWIST, V)
    put_pair(work, k, RATE, A)


@kernel
def place(chain, base, nb, home, c, speeds, work, columns):
    """From base to tip: poses (1), spatial screws (6) with their rates [V, s], twists (5) and velocity part of the accelerations."""
    align_stack()
    links, layout, _ = chain
    q = base_quaternion(base, home, c)
    R = rotation_from_quaternion(q.w, q.x, q.y, q.z)
    h = quaternion_at(home, HALF)
    H = rotation_from_quaternion(h.w, h.x, h.y, h.z)
    start = base_origin(base, home, H, c)
    put_base_columns(base, H, R, c, columns)
    zero = 0.0 * start
    V, A = move_base(base, speeds, nb, columns, zero)
    arm = zero
    put_row(work, 0, R, start, arm, V, A)
    first = c.shape[0] - speeds.shape[0] + nb                # where the joint coordinates begin
    for k in range(1, layout.shape[0]):
        kind, v = layout[k, KIND], layout[k, COLUMN]
        axis, angle = get_vector(links, k, LINK_AXIS), c[first + v]
        if layout[k, HAS_ARM]:
            arm = arm + R @ get_vector(links, k, LINK_ARM)
        direction = R @ axis
        if kind == PRISMATIC:
            arm = arm + angle * direction
            s = sliding(direction)
        else:
            R = product(R, rotation_about(axis, angle))
            s = Twist(cross(arm, direction), direction)
        rate = twist_cross(V, s)
        put_pair(columns, nb + v, SCREW, s)
        put_pair(columns, nb + v, SCREW_RATE, rate)
        A = A + speeds[nb + v] * rate
        V = V + speeds[nb + v] * s
        put_row(work, k, R, start + arm, arm, V, A)


@inline
def inertia_of(links, layout, k, R, arm):
    """Inertia of body k, added mass included, at the reference point."""
    if layout[k, WET]:
        body = rotate_inertia(R, get_inertia(links, k, LINK_WET))
    else:
        body = body_inertia(links, k, R)
    return carry_inertia(body, arm)


@inline
def put_column(a, K, F, columns, metric, bias):
    """Row and column a of the metric, M_ja = s_j . K_a s_a for j <= a (10), and the bias s_a . F."""
    s = get_twist(columns, a, SCREW)
    U = K @ s
    put_pair(columns, a, PULL, U)
    for j in range(a + 1):
        entry = power(get_twist(columns, j, SCREW), U)
        metric[a, j] = entry
        metric[j, a] = entry
    bias[a] = power(s, F)


@kernel
def weigh(chain, nb, wrench, work, columns, metric, bias, push):
    """From tip to base: metric M (10), and bias = Γ(ẋ, ẋ) less the generalised force of `wrench` (17).

    Leaves the composite inertia and the load of each row in `work`; push[0] becomes the power of the wrenches, push[1:7] their sum.
    """
    align_stack()
    links, layout, joints = chain
    K, F = nothing(0.0)
    total, rate_of_work = 0.0 * F, 0.0
    start = get_vector(work, ORIGIN_OF_ALL, BODY_ORIGIN)
    for k in range(layout.shape[0] - 1, -1, -1):
        if layout[k, HAS_BODY]:
            arm = get_vector(work, k, BODY_ORIGIN) - start
            V, A = get_twist(work, k, TWIST), get_twist(work, k, RATE)
            I = inertia_of(links, layout, k, get_matrix(work, k, BODY_ROTATION), arm)
            outside = get_wrench(wrench, k, FIRST)
            K = K + I
            at_reference = carry_wrench(outside, arm)
            F = F + I @ A + wrench_cross(V, I @ V) - at_reference
            total = total + at_reference
            rate_of_work += power(get_twist(work, k, BODY_VELOCITY), outside)
        put_symmetric(work, k, COMPOSITE, K.M)
        put_matrix(work, k, COMPOSITE + 6, K.H)
        put_symmetric(work, k, COMPOSITE + 15, K.J)
        put_pair(work, k, LOAD, F)
        if k > 0:
            v = layout[k, COLUMN]
            put_column(nb + v, K, F, columns, metric, bias)
            metric[nb + v, nb + v] += joints[v, ROTOR] + joints[v, LEADING]
    for a in range(nb):
        put_column(a, K, F, columns, metric, bias)
    push[0] = rate_of_work
    put_vector_at(push, np.int64(1), total.force)
    put_vector_at(push, np.int64(4), total.torque)


@kernel
def accelerate(chain, nb, acceleration, work, columns, push, rates):
    """With the accelerations known: spatial acceleration of every body at the reference point, in `rates`, and the wrench on the base.

    push[7:13] becomes what must hold the robot from outside: F + Σ K_a s_a a_a, nothing for one that is free.
    """
    layout = chain.layout
    need = get_wrench(work, ORIGIN_OF_ALL, LOAD)
    A = 0.0 * get_twist(work, ORIGIN_OF_ALL, RATE)
    for a in range(nb):
        A = A + acceleration[a] * get_twist(columns, a, SCREW)
        need = need + acceleration[a] * get_wrench(columns, a, PULL)
    put_pair(rates, 0, FIRST, A + get_twist(work, ORIGIN_OF_ALL, RATE))
    for k in range(1, layout.shape[0]):
        a = nb + layout[k, COLUMN]
        A = A + acceleration[a] * get_twist(columns, a, SCREW)
        need = need + acceleration[a] * get_wrench(columns, a, PULL)
        put_pair(rates, k, FIRST, A + get_twist(work, k, RATE))
    put_vector_at(push, np.int64(7), need.force)
    put_vector_at(push, np.int64(10), need.torque)
