"""One body of a chain held fast by a clamp, exactly, in O(n): crawl, then clamp, then reach (paper 003, (25)-(26)).

The clamp's wrench λ on body k is such that the body has the acceleration a* (none while it is held). Its motion is
affine in λ: a = a0 + G λ. Passes between tip and base without a clamp give a0, those with a unit of each component of λ
the columns of G; then λ = G⁻¹ (a* - a0), and once more with what that leaves. Joints may be motion-given or
torque-given, contacts may stick or slide under their linearised laws, and the clamp may be on any body.

In the plane of a planar base three components are held, those along the base's x and y and about its z; otherwise six.
"""

from __future__ import annotations

from limbless.mechanics.algebra import (
    Matrix,
    Quaternion,
    Twist,
    Vector,
    Wrench,
    carry_twist,
    copy_part,
    fill,
    gauss_solve,
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
from limbless.mechanics.chain import Body, ChainMemory, ChainTables, HeldBody, LinkRow, forward_kinematics
from limbless.mechanics.compiled import Array, Scalar, func, noinline_func


@func
def clamp_passes(clamp: HeldBody) -> int:
    """How many passes there are: without λ, with a unit of each component, with what is found, and corrected."""
    return clamp.body[1] + 3 if clamp.body[0] >= 0 else 1


@func
def held_component(clamp: HeldBody, i: int, R: Matrix, V: Twist) -> Scalar:
    """The i-th component of a twist that the clamp holds; R is the rotation of the base."""
    linear, angular = transpose(R) @ V.linear, transpose(R) @ V.angular
    if i < 2:
        return linear[i]
    if clamp.body[1] == 3:
        return angular.z
    return linear.z if i == 2 else angular[i - 3]


@func
def add_component(clamp: HeldBody, i: int, R: Matrix, size: Scalar) -> None:
    """Add so much along the i-th component to what the clamp does."""
    axes, turns = transpose(R), clamp.body[1] == 3 and i == 2
    start = 3 if turns or i > 2 else 0
    along = axes.x if i % 3 == 0 else axes.y if i % 3 == 1 else axes.z
    put_vector_at(clamp.hold, start, vector_at(clamp.hold, start) + size * along)


@noinline_func
def next_hold(clamp: HeldBody, turn: int, R: Matrix, V: Twist) -> None:
    """What the clamp does after pass `turn`, in which the body moved by V; R is the rotation of the base."""
    count, system, V = clamp.body[1], clamp.system, V - twist_at(clamp.target, 0)
    if turn > count + 1 or clamp.body[0] < 0:
        return
    if turn <= count:
        for i in range(count):
            value = held_component(clamp, i, R, V)
            if turn == 0:
                clamp.free[i] = value
            else:
                clamp.answers[i, turn - 1] = value - clamp.free[i]
        clear_hold(clamp)
        if turn < count:
            add_component(clamp, turn, R, 1.0)
            return
    for i in range(count):
        copy_part(clamp.answers[i], 0, system[i], 0, count)
        system[i, count] = -(clamp.free[i] if turn == count else held_component(clamp, i, R, V))
    gauss_solve(system, count)
    for i in range(count):
        add_component(clamp, i, R, system[i, count])


@func
def without_held(clamp: HeldBody, R: Matrix, V: Twist) -> Twist:
    """A twist of the held body without the components that are held."""
    if clamp.body[0] < 0:
        return V
    if clamp.body[1] == 6:
        return 0.0 * V
    linear, angular = transpose(R) @ V.linear, transpose(R) @ V.angular
    return Twist(R @ Vector(0.0, 0.0, linear.z), R @ Vector(angular.x, angular.y, 0.0))


@func
def wrench_of(clamp: HeldBody, k: int) -> Wrench:
    """What the clamp does to body k."""
    on = 1.0 if clamp.body[0] == k else 0.0
    return on * wrench_at(clamp.hold, 0)


@func
def clear_hold(clamp: HeldBody) -> None:
    fill(clamp.hold, 0.0)


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
    E = quaternion_product(seat, quaternion_conjugate(quaternion_from_rotation(body.rotation)))
    if E.w < 0.0:  # of its two quaternions the base keeps the one that follows the motion
        E = Quaternion(-E.w, -E.x, -E.y, -E.z)
    put_quaternion_at(x, turned, normalised(quaternion_product(E, quaternion_at(x, turned))))
    back = product(rotation_from_quaternion(seat.w, seat.x, seat.y, seat.z), transpose(body.rotation))
    put_vector_at(x, place, vector_at(clamp.seat, 0) + back @ (base.origin - body.origin))
