"""Hybrid dynamics of a serial chain, O(n): each joint is either motion-given or torque-given.

Every vector is expressed along the world axes; every twist, wrench and inertia of body k is taken at the origin of body
k. Accelerations are spatial: their linear part is a - ω x v.

The accelerations are split: A is what the bodies would have if the base and the torque-given joints did not accelerate
(`kinematics`), δ is the rest. One pass from tip to base (I, P: the body beyond and with k answers a δ with the wrench I
δ + P) and one back (δ, torques, accelerations) serve inverse, direct and hybrid dynamics alike: with every joint
motion-given I is the composite inertia of paper 001, (23)-(28); with every joint torque-given it is the articulated
one, (34)-(43).
"""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra import (
    Inertia,
    Matrix,
    Symmetric,
    Twist,
    Vector,
    Wrench,
    carry_inertia,
    carry_twist,
    carry_wrench,
    diagonal,
    dot,
    even_inertia,
    inverse,
    power,
    product,
    rigid_inertia,
    rotate_inertia,
    rotate_symmetric,
    solve,
    transpose,
    wrench_at,
    wrench_cross,
)
from limbless.mechanics.chain import (
    AddedMassState,
    Axis,
    Base,
    Body,
    ChainMemory,
    ChainTables,
    ForceJacobian,
    ImplicitForces,
    LinkRow,
    VaryingAddedMass,
    clamp_passes,
    clear_hold,
    next_hold,
    respond_by,
    transmit_by,
    wrench_of,
)
from limbless.mechanics.compiled import Scalar, align_stack, func, has_tangents, noinline_func, strict_kernel, value_of


class Bases(NamedTuple):
    """How a base may move: see `base_acceleration`."""

    free: int = 0
    planar: int = 1
    fixed: int = 2
    line: int = 3
    pinned: int = 4


BASES = Bases()
# a torque-given joint with this many times less inertia than the body around it is singular
LOCKED = 1e12


@func
def nothing(zero: Scalar) -> tuple[Inertia, Wrench]:
    """A null inertia and a null wrench, in the scalar type of `zero`."""
    o = Vector(zero, zero, zero)
    S = Symmetric(zero, zero, zero, zero, zero, zero)
    return Inertia(S, Matrix(o, o, o), S), Wrench(o, o)


@func
def is_even(link: LinkRow) -> int:
    """Whether much of a body's inertia is zero, and stays so."""
    return link.even and not has_tangents(link.mass)


@func
def inertia_with_added_mass(link: LinkRow, R: Matrix) -> Inertia:
    """Inertia of a body with its added mass, along the world axes (16)."""
    if is_even(link):
        return rotate_inertia(R, even_inertia(link.whole))
    return rotate_inertia(R, link.whole)


@func
def rigid_body_inertia(link: LinkRow, R: Matrix) -> Inertia:
    """Without it."""
    if is_even(link):
        moment, inertia = link.moment.x * transpose(R).x, rotate_symmetric(R, diagonal(link.inertia))
    else:
        moment, inertia = R @ link.moment, rotate_symmetric(R, link.inertia)
    return rigid_inertia(link.mass, moment, inertia)


@func
def body_inertia(link: LinkRow, R: Matrix) -> Inertia:
    return inertia_with_added_mass(link, R) if link.wet else rigid_body_inertia(link, R)


@func
def joined(own: Inertia, body: Body, I: Inertia, P: Wrench) -> tuple[Inertia, Wrench]:
    """I and P with a body that has the inertia `own`."""
    V = body.velocity
    return I + own, P + own @ body.known + wrench_cross(V, own @ V) - body.wrench


@func
def add_body(
    water: VaryingAddedMass | None, k: int, link: LinkRow, body: Body, I: Inertia, P: Wrench
) -> tuple[Inertia, Wrench]:
    """I and P with body k and the water that it carries along.

    Branches end here, not at its inertia: what is zero in that of a rigid body is then never multiplied.
    """
    if water is None:
        if link.wet:
            return joined(inertia_with_added_mass(link, body.rotation), body, I, P)
        if link.massless and not has_tangents(link.mass):
            return I, P - body.wrench
        return joined(rigid_body_inertia(link, body.rotation), body, I, P)
    floating = AddedMassState(water.rows, k)
    state = value_of(floating.state)
    if link.wet and state > 0.5:
        return joined(inertia_with_added_mass(link, body.rotation), body, I, P)
    own = rigid_body_inertia(link, body.rotation)
    if link.wet and state > -0.5:
        return joined(own + floating.inertia, body, I, P)
    return joined(own, body, I, P)


@func
def account(
    water: VaryingAddedMass | None, k: int, V: Twist, F: Wrench, total: Wrench, rate_of_work: Scalar
) -> tuple[Wrench, Scalar]:
    """Add what the environment does to body k to the sums of the base."""
    if water is None:
        return total + F, rate_of_work + power(V, F)
    floating = AddedMassState(water.rows, k)
    if value_of(floating.state) != 0.0:
        return total + F, rate_of_work + power(V, F)
    joined = floating.joining
    return total + F + joined, rate_of_work + power(V, F) + 0.5 * power(V, joined)


@func
def add_force_jacobian(ahead: ImplicitForces, k: int, I: Inertia, P: Wrench):
    """I and P with the forces on body k taken ahead: see `implicit_joints`."""
    taken = ForceJacobian(ahead.brakes, k)
    C = ahead.span[0] * taken.slope
    return I + C, P - C @ taken.before


@noinline_func
def backward_pass(robot: ChainTables, memory: ChainMemory) -> tuple[Inertia, Wrench]:
    """From tip to base: inertia I and wrench P with which the whole body answers an acceleration δ of the base."""
    align_stack()
    kinds, links, _ = robot
    I, P = nothing(0.0 * Base(memory.base, 0).power)
    for k in range(len(links.codes) - 1, -1, -1):
        link, body = LinkRow(links, k), Body(memory.bodies, k)
        if link.has_body:
            I, P = add_body(memory.water, k, link, body, I, P)
            if memory.ahead is not None:
                I, P = add_force_jacobian(memory.ahead, k, I, P)
            if memory.clamp is not None:
                P = P - wrench_of(memory.clamp, k)
        if k == 0:
            break
        I, P = transmit_by(kinds, link.kind, link, robot, memory, I, P)
        if link.has_arm:
            I, P = carry_inertia(I, body.arm), carry_wrench(P, body.arm)
    return I, P


@func
def solve_in_plane(I: Inertia, P: Wrench, R: Matrix) -> Twist:
    """δ of a base that keeps to its own x-y plane: three of the six equations, in the base frame."""
    Rt = transpose(R)
    M, H, J = rotate_symmetric(Rt, I.M), product(product(Rt, I.H), R), rotate_symmetric(Rt, I.J)
    f, n = Rt @ P.force, Rt @ P.torque
    a = inverse(Symmetric(M.xx, M.xy, H.z.x, M.yy, H.z.y, J.zz)) @ Vector(-f.x, -f.y, -n.z)
    o = 0.0 * a.x
    return Twist(R @ Vector(a.x, a.y, o), R @ Vector(o, o, a.z))


@func
def base_acceleration(base: int, I: Inertia, P: Wrench, R: Matrix) -> Twist:
    """δ of the base: free (25), (40), in its plane, along its x axis, about its origin, or none."""
    if base == BASES.free:
        return solve(I, -P)
    if base == BASES.planar:
        return solve_in_plane(I, P, R)
    if base == BASES.line:
        along = transpose(R).x
        return Twist((-dot(along, P.force) / dot(along, I.M @ along)) * along, 0.0 * along)
    if base == BASES.pinned:
        return Twist(0.0 * P.force, inverse(I.J) @ (-P.torque))
    return Twist(0.0 * P.force, 0.0 * P.force)


@noinline_func
def forward_pass(robot: ChainTables, memory: ChainMemory, delta: Twist) -> None:
    """From base to tip: joint accelerations (41) and torques (28); the δ of each body. On the way, the sum and the
    power of all that pushes: `backward_pass` has no register left for them.
    """
    align_stack()
    kinds, links, _ = robot
    base, first = Base(memory.base, 0), Body(memory.bodies, 0)
    start = first.origin
    total, rate_of_work = account(memory.water, 0, first.velocity, first.wrench, 0.0 * first.wrench, 0.0 * base.power)
    for k in range(1, len(links.codes)):
        link, body = LinkRow(links, k), Body(memory.bodies, k)
        if link.has_arm:
            delta = carry_twist(delta, body.arm)
        delta = respond_by(kinds, link.kind, link, robot, memory, delta)
        if link.has_body:
            body.delta = delta
            F, rate_of_work = account(memory.water, k, body.velocity, body.wrench, 0.0 * total, rate_of_work)
            total = total + carry_wrench(F, body.origin - start)
    base.power = rate_of_work
    base.pushed = total


@noinline_func
def hybrid_dynamics(robot: ChainTables, how: int, memory: ChainMemory) -> None:
    """All accelerations and torques, once `move` has run and the wrenches on all bodies are
    known; `how` the base moves.
    """
    if memory.clamp is None:
        solve_chain(robot, how, memory)
    else:
        solve_clamped(robot, how, memory)


@noinline_func
def solve_clamped(robot: ChainTables, how: int, memory: ChainMemory) -> None:
    """The same with a body that a clamp may hold."""
    clamp, k, R = memory.clamp, max(memory.clamp.body[0], 0), Body(memory.bodies, 0).rotation
    clear_hold(clamp)
    for turn in range(clamp_passes(clamp)):
        solve_chain(robot, how, memory)
        body = Body(memory.bodies, k)
        next_hold(clamp, turn, R, body.known + body.delta)
    base = Base(memory.base, 0)
    arm = Body(memory.bodies, k).origin - Body(memory.bodies, 0).origin
    base.pushed = base.pushed + carry_wrench(wrench_at(clamp.hold, 0), arm)


@func
def solve_chain(robot: ChainTables, how: int, memory: ChainMemory) -> None:
    """One pass from tip to base and one back."""
    align_stack()
    I, P = backward_pass(robot, memory)
    body, base = Body(memory.bodies, 0), Base(memory.base, 0)
    Rt = transpose(body.rotation)
    delta = base_acceleration(how, I, P, body.rotation)
    body.delta = delta
    base.answer = I
    base.acceleration = Twist(Rt @ delta.linear, Rt @ delta.angular)
    base.held = 0.0 * P if how == BASES.free else I @ delta + P
    forward_pass(robot, memory, delta)


@noinline_func
def balanced_torques(robot: ChainTables, how: int, memory: ChainMemory) -> None:
    """Torques of motion-given joints of a chain without inertia, once `move` has run and the wrenches on all bodies
    are known; nothing accelerates.
    """
    kinds, links, _ = robot
    base = Base(memory.base, 0)
    I, P = nothing(0.0 * base.power)
    rate_of_work = 0.0 * base.power
    for k in range(len(links.codes) - 1, -1, -1):
        link, body = LinkRow(links, k), Body(memory.bodies, k)
        if link.has_body:
            P = P - body.wrench
            rate_of_work = rate_of_work + power(body.velocity, body.wrench)
        if k == 0:
            break
        I, P = transmit_by(kinds, link.kind, link, robot, memory, I, P)
        if link.has_arm:
            P = carry_wrench(P, body.arm)
    still = Twist(0.0 * P.force, 0.0 * P.force)
    base.held = 0.0 * P if how == BASES.free else P
    base.acceleration = still
    Body(memory.bodies, 0).delta = still
    forward_pass(robot, memory, still)
    base.power = rate_of_work  # without what water that gets wet takes along: there is no inertia
    base.pushed = -P


@strict_kernel
def singular_joint(robot: ChainTables, memory: ChainMemory) -> int:
    """Row of the outermost torque-given joint that has no inertia to move (gimbal lock, a rod about
    itself, massless end), or 0.
    """
    for k in range(len(robot.links.codes) - 1, 0, -1):
        link = LinkRow(robot.links, k)
        if not link.given:
            for c in range(link.freedoms):
                axis = Axis(memory.axes, link.column + c)
                if LOCKED * abs(value_of(axis.own)) <= value_of(axis.around):
                    return k
    return 0
