"""One body of a chain held fast by a clamp, exactly, in O(n): crawl, then clamp, then reach (paper 003, (25)-(26)).

The clamp's wrench λ on body k is such that the body has the acceleration a* (none while it is held):

    λ ← λ - C (a - a*)

C is an inertia 1e4 times that of the whole robot, which the passes between tip and base take along with the body: a is
then smaller than without a clamp by that factor, and so is what remains of it with every repetition. Four of them
leave rounding. Joints may be motion-given or torque-given, and the clamp may be on any body. (Proximal iterations on
constrained articulated bodies: Carpentier, Budhiraja and Mansard 2021.)
"""

from __future__ import annotations

from limbless.mechanics.algebra import (
    Inertia,
    Matrix,
    Quaternion,
    Symmetric,
    Twist,
    Vector,
    Wrench,
    carry_twist,
    normalised,
    product,
    put_pair_at,
    put_quaternion_at,
    put_vector_at,
    quaternion_at,
    quaternion_conjugate,
    quaternion_from_rotation,
    quaternion_product,
    rotation_from_quaternion,
    transpose,
    twist_at,
    vector_at,
    wrench_at,
)
from limbless.mechanics.chain.kinematics import forward_kinematics
from limbless.mechanics.chain.tables import Body, ChainMemory, ChainTables, HeldBody, LinkRow
from limbless.mechanics.compiled import Array, func, noinline_func

CLAMP_PASSES = 4
HEAVIER = 1e4  # than the robot: the clamp's inertia; heavier would leave fewer digits of the rest


@func
def clamp_matrix(clamp: HeldBody) -> Inertia:
    """C."""
    m, J, o = clamp.weight[0], clamp.weight[1], 0.0 * clamp.weight[0]
    zero = Vector(o, o, o)
    return Inertia(Symmetric(m, o, o, m, o, m), Matrix(zero, zero, zero), Symmetric(J, o, o, J, o, J))


@func
def clamp_impulse(clamp: HeldBody) -> Wrench:
    """λ + C a*."""
    return wrench_at(clamp.hold, 0) + clamp_matrix(clamp) @ twist_at(clamp.target, 0)


@func
def clear_hold(clamp: HeldBody) -> None:
    for c in range(6):
        clamp.hold[c] = 0.0


@func
def pull_back(clamp: HeldBody, a: Twist) -> None:
    """The next λ, once the passes have found a."""
    put_pair_at(clamp.hold, 0, clamp_impulse(clamp) - clamp_matrix(clamp) @ a)


@noinline_func
def return_to_seat(robot: ChainTables, memory: ChainMemory, x: Array, moving: bool) -> None:
    """After a step: the clamped body exactly where its clamp holds it, the base with it, since the joints say where the
    base is from there; where it may be `moving`, without velocity.

    Integration keeps the body still to the order of the method; without this the rest would add up.
    """
    clamp = memory.clamp
    k = clamp.body[0]
    if k < 0:
        return
    forward_kinematics(robot, x, memory)
    link, base, body = LinkRow(robot.links, 0), Body(memory.bodies, 0), Body(memory.bodies, k)
    place, turned = link.position, link.position + 3
    if moving:
        Rt, arm = transpose(base.rotation), base.origin - body.origin
        V = base.velocity - carry_twist(body.velocity, arm)
        put_pair_at(x, link.velocity, Twist(Rt @ V.linear, Rt @ V.angular))
    seat = quaternion_at(clamp.seat, 3)
    R = rotation_from_quaternion(seat.w, seat.x, seat.y, seat.z)
    E = quaternion_product(seat, quaternion_conjugate(quaternion_from_rotation(body.rotation)))
    if E.w < 0.0:  # of its two quaternions the base keeps the one that follows the motion
        E = Quaternion(-E.w, -E.x, -E.y, -E.z)
    put_quaternion_at(x, turned, normalised(quaternion_product(E, quaternion_at(x, turned))))
    back = product(R, transpose(body.rotation))
    put_vector_at(x, place, vector_at(clamp.seat, 0) + back @ (base.origin - body.origin))
