"""Hybrid dynamics of a serial chain in three passes, O(n): each joint is either motion-given or torque-given.

Conventions: twists and wrenches are (linear, angular). Inside a kernel every vector is expressed along the world axes, and every
twist, wrench and inertia of body k is taken at the origin of body k. Accelerations are spatial: their linear part is a - ω x v.

The accelerations are split: A is what the bodies would have if the base and the torque-given joints did not accelerate (it holds
all velocity terms and the given joint accelerations), δ is the rest. Then one pass from tip to base (I, P: the body beyond and
with k answers a δ with the wrench I δ + P) and one back (δ, torques, accelerations) serve inverse, direct and hybrid dynamics
alike: with every joint motion-given I is the composite inertia of paper 001, (23)-(28); with every joint torque-given it is the
articulated one, (34)-(43).
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.columns import (
    BODY_ORIGIN,
    BODY_ROTATION,
    BODY_VELOCITY,
    get_inertia,
    get_matrix,
    get_symmetric,
    get_twist,
    get_vector,
    get_wrench,
    put_matrix,
    put_pair,
    put_symmetric,
    put_vector,
    put_vector_at,
    vector_at,
)
from limbless.mechanics.algebra.inertia import (
    Inertia,
    Twist,
    Wrench,
    carry_inertia,
    carry_twist,
    carry_wrench,
    power,
    release,
    rigid_inertia,
    rotate_inertia,
    rotate_symmetric,
    solve,
    twist_cross,
    wrench_cross,
)
from limbless.mechanics.algebra.vectors import (
    Matrix,
    Symmetric,
    Vector,
    cross,
    determinant,
    dot,
    inverse,
    product,
    rotation_by,
    rotation_from_quaternion,
    rows,
    transpose,
    upper,
)
from limbless.mechanics.compiled.kernel import align_stack, inline, lean_kernel
from limbless.mechanics.compiled.scalars import sincos

# chain       `ChainTable`: the robot, a row per body (row 0: the base) with the joint that carries it
# position    base position (3), base quaternion (4, scalar first), joint positions (spherical: quaternion)
# velocity    base twist in the base frame (6), joint velocities (spherical: child's axes)
# acceleration  same layout: rate of the base twist, joint accelerations; those of motion-given joints are input, the rest output
# torque      joint torques along the joint axes: input where torque-given, output where motion-given
# wrench      (n + 1, 6) external wrench on each body, about its origin, along the world axes
# work        (n + 1, WORK_COLUMNS) scratch

BASE_JOINT, REVOLUTE, PRISMATIC, SPHERICAL = np.arange(4)
FREE, PLANAR, FIXED = np.arange(3)
LINK_AXIS, LINK_ARM, LINK_MASS, LINK_MOMENT, LINK_INERTIA, LINK_WET = np.array([0, 3, 6, 7, 10, 16])
KIND, POSITION, COLUMN, HAS_ARM, HAS_BODY, WET, GIVEN, ALIGNED = np.arange(8)
LAYOUT_POSITIONS = np.int64(1)                # in row 0, which has no joint, this column holds the number of joint position columns
(ROTOR, COULOMB, VISCOUS, STIFFNESS, REST, DAMPING, GAIN, RATE_GAIN, BREAKAWAY, STRIBECK, SATURATION, INERTIA_GAIN,
 LEADING) = np.arange(13)                      # the last three, from SATURATION on, are what `mechanics.chain.row_saturation` takes
ROTATION, ORIGIN, VELOCITY = BODY_ROTATION, BODY_ORIGIN, BODY_VELOCITY
ACCELERATION, AXIS, ARM, EFFORT, FORCE, MOBILITY, OWN, AROUND, TURN, TURN_MOBILITY = np.array([18, 24, 27, 30, 36, 37, 38, 39, 40, 58])
BASE, START, SECOND = np.array([0, 0, 3])
WORK_COLUMNS, LINK_COLUMNS, LAYOUT_COLUMNS, JOINT_COLUMNS = 64, 40, 8, 13


class ChainTable(NamedTuple):
    """A chain in three arrays (few arrays: each one costs a call from Python a tenth of a microsecond).

    Body frames are parallel to the base frame at zero joint positions; axis and arm are in the frame of the previous body.
    """

    links: NDArray[np.float64]     # (n + 1, LINK_COLUMNS)  axis, arm, mass, first moment, inertia (6); where wet, inertia with added
    #                                mass (M 6, H 9, J 6)
    layout: NDArray[np.int64]      # (n + 1, LAYOUT_COLUMNS) joint kind, first column of position and of velocity; arm, body, added
    #                                mass present; motion-given; axis x, y, z (1, 2, 3)
    joints: NDArray[np.float64]    # (freedoms, JOINT_COLUMNS) rotor inertia, frictions, spring, damper, feedback gains, breakaway
    #                                friction and the rate at which it fades, saturation, gain on the acceleration, and how much of it
    #                                acts now (none while the actuator saturates): written by the loops


@inline
def nothing(zero):
    """A null inertia and a null wrench, in the scalar type of `zero`."""
    o = Vector(zero, zero, zero)
    S = Symmetric(zero, zero, zero, zero, zero, zero)
    return Inertia(S, Matrix(o, o, o), S), Wrench(o, o)


@inline
def turning(axis):
    """S of a revolute joint."""
    return Twist(0.0 * axis, axis)


@inline
def sliding(axis):
    """S of a prismatic joint."""
    return Twist(axis, 0.0 * axis)


@inline
def turn(R, axis, aligned, angle):
    """R rotated by `angle` about an axis of its own frame, and that axis in the world; short where the axis is x, y or z (1, 2, 3)."""
    s, c = sincos(angle)
    Rt = transpose(R)
    if aligned == 3:
        return transpose(Matrix(c * Rt.x + s * Rt.y, c * Rt.y - s * Rt.x, Rt.z)), Rt.z
    if aligned == 2:
        return transpose(Matrix(c * Rt.x - s * Rt.z, Rt.y, c * Rt.z + s * Rt.x)), Rt.y
    if aligned == 1:
        return transpose(Matrix(Rt.x, c * Rt.y + s * Rt.z, c * Rt.z - s * Rt.y)), Rt.x
    return product(R, rotation_by(axis, s, c)), R @ axis


@inline
def put_body(work, k, R, origin, V, A):
    put_matrix(work, k, ROTATION, R)
    put_vector(work, k, ORIGIN, origin)
    put_pair(work, k, VELOCITY, V)
    put_pair(work, k, ACCELERATION, A)


@lean_kernel
def move(chain, position, velocity, acceleration, work):
    """From base to tip: rotation R, origin, velocity V (4) and known part A of the acceleration (5)-(6) of each body."""
    align_stack()
    links, layout, _ = chain                             # once: taking an array out of a tuple counts its references
    R = rotation_from_quaternion(position[3], position[4], position[5], position[6])
    origin = vector_at(position, START)
    V = Twist(R @ vector_at(velocity, START), R @ vector_at(velocity, SECOND))
    A = 0.0 * V
    put_body(work, BASE, R, origin, V, A)
    for k in range(1, layout.shape[0]):
        kind, p, v = layout[k, KIND], 7 + layout[k, POSITION], 6 + layout[k, COLUMN]
        axis, offset = get_vector(links, k, LINK_AXIS), get_vector(links, k, LINK_ARM)
        if kind == PRISMATIC or layout[k, HAS_ARM]:
            arm = R @ (offset + position[p] * axis) if kind == PRISMATIC else R @ offset
            put_vector(work, k, ARM, arm)
            origin = origin + arm
            V, A = carry_twist(V, arm), carry_twist(A, arm)
        if kind == REVOLUTE:
            R, direction = turn(R, axis, layout[k, ALIGNED], position[p])
            put_vector(work, k, AXIS, direction)
            S = turning(direction)
            A = A + twist_cross(V, velocity[v] * S)
            if layout[k, GIVEN]:
                A = A + acceleration[v] * S
            V = V + velocity[v] * S
        elif kind == PRISMATIC:
            put_vector(work, k, AXIS, R @ axis)
            S = sliding(get_vector(work, k, AXIS))
            A = A + twist_cross(V, velocity[v] * S)
            if layout[k, GIVEN]:
                A = A + acceleration[v] * S
            V = V + velocity[v] * S
        else:
            R = product(R, rotation_from_quaternion(position[p], position[p + 1], position[p + 2], position[p + 3]))
            put_matrix(work, k, ROTATION, R)
            spin = turning(R @ vector_at(velocity, v))
            A = A + twist_cross(V, spin)
            if layout[k, GIVEN]:
                A = A + turning(R @ vector_at(acceleration, v))
            V = V + spin
        if layout[k, HAS_BODY]:
            put_body(work, k, R, origin, V, A)


@inline
def body_inertia(links, k, R):
    """Inertia of the rigid body k along the world axes (16)."""
    return rigid_inertia(links[k, LINK_MASS], R @ get_vector(links, k, LINK_MOMENT),
                         rotate_symmetric(R, get_symmetric(links, k, LINK_INERTIA)))


@inline
def transmit(I, P, S, U, around, is_given, rotor, torque, k, work):
    """Across joint k towards the base. Torque-given: (34)-(39); motion-given: the body beyond is carried rigidly, (23)-(24).

    `around` is the block of I in which the joint moves: beside its size (AROUND) a joint without inertia of its OWN stands out.
    """
    put_pair(work, k, EFFORT, U)
    if is_given:
        work[k, FORCE] = power(S, P)
    else:
        D = power(S, U) + rotor
        u = torque - power(S, P)
        work[k, FORCE], work[k, MOBILITY] = u, 1.0 / D
        work[k, OWN], work[k, AROUND] = D, around.xx + around.yy + around.zz
        I = release(I, U, D)
        P = P + (u / D) * U
    return I, P


@inline
def three_rotors(joints, v):
    """Rotor inertias of the three degrees of freedom of a spherical joint."""
    return Vector(joints[v, ROTOR], joints[v + 1, ROTOR], joints[v + 2, ROTOR])


@inline
def resists(joints, v):
    """What resists the acceleration of a joint beside the bodies: its rotor, and a feedback that answers to accelerations."""
    return joints[v, ROTOR] + joints[v, LEADING]


@inline
def transmit_turn(I, P, is_given, rotor, torque, k, work):
    """`transmit` for a spherical joint, whose S is all rotations: U = (Hᵀ, J), D = J + rotor, so that I - U D⁻¹ Uᵀ stays symmetric.

    `rotor` (diagonal) and `torque` are along the child's axes.
    """
    R = get_matrix(work, k, ROTATION)
    put_matrix(work, k, TURN, I.H)
    put_symmetric(work, k, TURN + 9, I.J)
    if is_given:
        put_vector(work, k, TURN + 15, P.torque)
    else:
        o = 0.0 * R.x.x
        D = I.J + rotate_symmetric(R, Symmetric(rotor.x + o, o, o, rotor.y + o, o, rotor.z + o))
        mobility, mean = inverse(D), (D.xx + D.yy + D.zz) / 3.0
        u = R @ torque - P.torque
        put_symmetric(work, k, TURN_MOBILITY, mobility)
        work[k, OWN], work[k, AROUND] = determinant(D), mean * mean * mean
        put_vector(work, k, TURN + 15, u)
        W = rows(mobility)
        HtW, JW = product(transpose(I.H), W), product(rows(I.J), W)
        P = P + Wrench(HtW @ u, JW @ u)
        I = I - Inertia(upper(product(HtW, I.H)), product(JW, I.H), upper(product(JW, rows(I.J))))
    return I, P


@lean_kernel
def gather(chain, torque, wrench, work, push):
    """From tip to base: inertia I and wrench P with which the whole body answers an acceleration δ of the base.

    `push[0]` becomes the power of the external wrenches, `push[1:7]` their sum about the base origin.
    """
    align_stack()
    links, layout, joints = chain
    I, P = nothing(0.0 * work[0, 0])
    total, rate_of_work = 0.0 * P, 0.0 * work[0, 0]
    for k in range(layout.shape[0] - 1, -1, -1):
        if layout[k, HAS_BODY]:
            R, V, A = get_matrix(work, k, ROTATION), get_twist(work, k, VELOCITY), get_twist(work, k, ACCELERATION)
            F = get_wrench(wrench, k, START)
            if layout[k, WET]:
                body = rotate_inertia(R, get_inertia(links, k, LINK_WET))
            else:
                body = body_inertia(links, k, R)
            I = I + body
            P = P + body @ A + wrench_cross(V, body @ V) - F
            total = total + F
            rate_of_work = rate_of_work + power(V, F)
        if k == 0:
            break
        kind, v = layout[k, KIND], layout[k, COLUMN]
        if kind == REVOLUTE:
            S = turning(get_vector(work, k, AXIS))
            I, P = transmit(I, P, S, I @ S, I.J, layout[k, GIVEN], resists(joints, v), torque[v], k, work)
        elif kind == PRISMATIC:
            S = sliding(get_vector(work, k, AXIS))
            I, P = transmit(I, P, S, I @ S, I.M, layout[k, GIVEN], resists(joints, v), torque[v], k, work)
        else:
            rotor = Vector(resists(joints, v), resists(joints, v + 1), resists(joints, v + 2))
            I, P = transmit_turn(I, P, layout[k, GIVEN], rotor, vector_at(torque, v), k, work)
        if kind == PRISMATIC or layout[k, HAS_ARM]:
            arm = get_vector(work, k, ARM)
            I, P, total = carry_inertia(I, arm), carry_wrench(P, arm), carry_wrench(total, arm)
    push[0] = rate_of_work
    put_vector_at(push, np.int64(1), total.force)
    put_vector_at(push, np.int64(4), total.torque)
    return I, P


@inline
def solve_in_plane(I, P, R):
    """δ of a base that keeps to its own x-y plane: three of the six equations, in the base frame."""
    Rt = transpose(R)
    M, H, J = rotate_symmetric(Rt, I.M), product(product(Rt, I.H), R), rotate_symmetric(Rt, I.J)
    f, n = Rt @ P.force, Rt @ P.torque
    a = inverse(Symmetric(M.xx, M.xy, H.z.x, M.yy, H.z.y, J.zz)) @ Vector(-f.x, -f.y, -n.z)
    o = 0.0 * a.x
    return Twist(R @ Vector(a.x, a.y, o), R @ Vector(o, o, a.z))


@inline
def base_acceleration(base, I, P, R):
    """δ of the base: free (25), (40), in its plane, or none."""
    if base == FREE:
        delta = solve(I, -P)
    elif base == PLANAR:
        delta = solve_in_plane(I, P, R)
    else:
        delta = Twist(0.0 * P.force, 0.0 * P.force)
    return delta


@lean_kernel
def spread(chain, delta, torque, acceleration, work):
    """From base to tip: joint accelerations (41) and torques (28), rotor inertia included.

    The δ of each body is left in EFFORT: with A it is the acceleration of the body.
    """
    align_stack()
    _, layout, joints = chain
    for k in range(1, layout.shape[0]):
        kind, v = layout[k, KIND], layout[k, COLUMN]
        if kind == PRISMATIC or layout[k, HAS_ARM]:
            delta = carry_twist(delta, get_vector(work, k, ARM))
        if kind == SPHERICAL:
            R = get_matrix(work, k, ROTATION)
            reaction = get_matrix(work, k, TURN) @ delta.linear + get_symmetric(work, k, TURN + 9) @ delta.angular
            if layout[k, GIVEN]:
                effort = transpose(R) @ (get_vector(work, k, TURN + 15) + reaction)
                rotor, imposed = three_rotors(joints, v), vector_at(acceleration, 6 + v)
                put_vector_at(torque, v, effort + Vector(rotor.x * imposed.x, rotor.y * imposed.y, rotor.z * imposed.z))
            else:
                joint = get_symmetric(work, k, TURN_MOBILITY) @ (get_vector(work, k, TURN + 15) - reaction)
                put_vector_at(acceleration, 6 + v, transpose(R) @ joint)
                delta = delta + turning(joint)
        else:
            reaction = power(delta, get_wrench(work, k, EFFORT))
            if layout[k, GIVEN]:
                torque[v] = work[k, FORCE] + reaction + joints[v, ROTOR] * acceleration[6 + v]
            else:
                joint = work[k, MOBILITY] * (work[k, FORCE] - reaction)
                acceleration[6 + v] = joint
                axis = get_vector(work, k, AXIS)
                if kind == REVOLUTE:
                    delta = delta + joint * turning(axis)
                else:
                    delta = delta + joint * sliding(axis)
        if layout[k, HAS_BODY]:
            put_pair(work, k, EFFORT, delta)


@lean_kernel
def hybrid_dynamics(chain, base, torque, wrench, work, push, acceleration):
    """The rest of the dynamics once `move` has run and `wrench` is known; `push[7:13]` becomes the wrench that holds the base."""
    align_stack()
    I, P = gather(chain, torque, wrench, work, push)
    R = get_matrix(work, BASE, ROTATION)
    delta = base_acceleration(base, I, P, R)
    put_pair(work, BASE, EFFORT, delta)
    put_vector_at(acceleration, START, transpose(R) @ delta.linear)
    put_vector_at(acceleration, SECOND, transpose(R) @ delta.angular)
    hold = 0.0 * P if base == FREE else I @ delta + P
    put_vector_at(push, np.int64(7), hold.force)
    put_vector_at(push, np.int64(10), hold.torque)
    spread(chain, delta, torque, acceleration, work)


@inline
def mass_flow(chain, work):
    """Mass of a chain times the velocity of its centre, from the poses and velocities of its bodies; and the mass."""
    mass, total = 0.0, Vector(0.0, 0.0, 0.0)
    for k in range(chain.layout.shape[0]):
        if chain.layout[k, HAS_BODY]:
            m, c = chain.links[k, LINK_MASS], get_matrix(work, k, BODY_ROTATION) @ get_vector(chain.links, k, LINK_MOMENT)
            V = get_twist(work, k, BODY_VELOCITY)
            total = total + m * V.linear + cross(V.angular, c)
            mass += m
    return total, mass


@lean_kernel
def mass_speed(chain, work):
    """Speed of the centre of mass of a chain."""
    flow, mass = mass_flow(chain, work)
    return np.sqrt(dot(flow, flow)) / mass if mass > 0.0 else 0.0
