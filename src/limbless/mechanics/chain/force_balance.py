"""A body without inertia: the twist of its base at which all outer forces balance, at every instant.

Newton's method with differences, from the last twist. For a law linear in the speed the difference is exact and one
step suffices. Dry friction that fades at 1e-5 m/s is nearly a step: there Newton's method alone goes to and fro, and
each of its steps ends where the power along it vanishes. That is the least of a convex function where the forces have
one (viscous drag, friction in an ellipse or a box), and is found from anywhere. Where that does not end, the laws are
first asked at a ten-thousandth of all velocities: friction that only knows the direction of slip then fades at ten
thousand times its speed. The pace goes up from there, and the balance follows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra import (
    Twist,
    Wrench,
    carry_wrench,
    directional_slope,
    gauss_solve,
    line_search,
    power,
    put_pair_at,
    transpose,
    twist_at,
)
from limbless.mechanics.chain import Body, ChainMemory, ChainTables, LinkRow, forward_kinematics
from limbless.mechanics.compiled import Array, Scalar, func, generic, noinline_func, version_for
from limbless.mechanics.forces import push_all


class BalanceLimits(NamedTuple):
    """Of the search for a balance."""

    tolerance: float = 1e-12  # relative to the wrench of unit speed
    trials: int = 40
    enough: float = 0.1  # of the power along a step, at its end
    contracted: float = 1e-3  # of the push before: with so little left, old slopes serve
    slowest: float = 1e-4  # of the velocities,
    paces: int = 33  # and how many paces lead from there to 1


PATIENCE = BalanceLimits()


class BalanceScratch(NamedTuple):
    """Working memory."""

    free: Array  # (6,) 1 for each component of the twist that is free
    matrix: Array  # (6, 6)
    system: Array  # (6, 7)
    unknown: Array  # (6,)


@generic
def total_wrench(floating: Any, twist: Any) -> Wrench:
    """The wrench of all outer forces about the base, along its own axes, where it has this twist along them and all
    velocities are multiplied by the pace.
    """


@generic
def at_scaled_speed(floating: Any, pace: Any) -> Any:
    """The same at another pace."""


@noinline_func
def solve_free(matrix: Array, right: Array, free: Array, system: Array) -> bool:
    """Solve matrix x = right among the components where `free`; the others are 0. x replaces `right`; `system` (6, 7)
    is working memory.

    Returns False where there is no unique answer.
    """
    largest, moving = 0.0, 0.0
    for i in range(6):
        moving += free[i]
        for j in range(6):
            system[i, j] = matrix[i, j] if free[i] > 0.0 and free[j] > 0.0 else 0.0
            largest = max(largest, abs(system[i, j]))
        system[i, 6] = right[i] if free[i] > 0.0 else 0.0
    for i in range(6):
        if free[i] == 0.0:
            system[i, i] = largest
    gauss_solve(system, 6)
    sound = True
    for i in range(6):
        right[i] = system[i, 6] if free[i] > 0.0 else 0.0
        sound &= abs(system[i, i]) > 1e-14 * largest
    return sound or moving == 0.0


class BalanceStep(NamedTuple):
    """A step of Newton's method: from a twist along another."""

    floating: Any
    twist: Twist
    way: Twist


@version_for(directional_slope, BalanceStep)
@func
def power_along(descent: BalanceStep, share: Scalar):
    """What the step costs per share: minus the power of all forces along it."""
    return -power(descent.way, total_wrench(descent.floating, descent.twist + share * descent.way))


@func
def put_slopes(floating: FloatingChain, desk: BalanceScratch, twist: Any, push: Any):
    """How the push changes with each free component of the twist, in the columns of the matrix. Returns the largest
    slope."""
    size, unknown = 0.0, desk.unknown
    for j in range(6):
        if desk.free[j] > 0.0:
            put_pair_at(unknown, 0, twist)
            step = 1e-6 * (1e-2 + abs(unknown[j]))
            unknown[j] += step
            put_pair_at(unknown, 0, (1.0 / step) * (total_wrench(floating, twist_at(unknown, 0)) - push))
            for c in range(6):
                desk.matrix[c, j] = unknown[c]
                size = max(size, abs(unknown[c]))
    return size


@func
def balance(floating: FloatingChain, desk: Any, guess: Any):
    """Whether there is a twist at which the push vanishes, and that twist, from a guess."""
    found, twist = balance_at(at_scaled_speed(floating, 1.0), desk, guess)
    if found:
        return found, twist
    twist = guess
    for n in range(PATIENCE.paces):
        pace = PATIENCE.slowest ** (1.0 - n / (PATIENCE.paces - 1.0))
        found, twist = balance_at(at_scaled_speed(floating, pace), desk, twist)
    return found, twist


@noinline_func
def balance_at(floating: FloatingChain, desk: BalanceScratch, twist: Any):
    """Whether there is a twist at which the push vanishes, and that twist, from a guess."""
    found, size, before = False, 0.0, 0.0
    push = total_wrench(floating, twist)
    for _trial in range(PATIENCE.trials):
        put_pair_at(desk.unknown, 0, -1.0 * push)
        left = 0.0
        for c in range(6):
            left = max(left, abs(desk.unknown[c]) if desk.free[c] > 0.0 else 0.0)
        if size == 0.0 or left > PATIENCE.tolerance * size or left > PATIENCE.contracted * before:
            size = put_slopes(floating, desk, twist, push)
            put_pair_at(desk.unknown, 0, -1.0 * push)
        if not solve_free(desk.matrix, desk.unknown, desk.free, desk.system):
            break
        way, before = twist_at(desk.unknown, 0), left
        if left <= PATIENCE.tolerance * size:
            twist, found = twist + way, True
            break
        pushed = power(way, push)
        if pushed < 0.0:  # where resistance falls with speed: the forces know which way is down
            way, pushed = -1.0 * way, -pushed
        push = total_wrench(floating, twist + way)
        if power(way, push) >= -PATIENCE.enough * pushed:
            twist = twist + way
        else:
            twist = twist + line_search(BalanceStep(floating, twist, way), PATIENCE.enough) * way
            push = total_wrench(floating, twist)
    return found, twist


# ----------------------------------------------------------------------------------------------------------- of a chain


class FloatingChain(NamedTuple):
    """A chain whose joints are where the state x has them, at an instant."""

    robot: Any
    forces: tuple
    t: float
    window_time: float
    x: Any
    memory: Any
    pace: float


@version_for(at_scaled_speed, FloatingChain)
@func
def chain_at_pace(floating: FloatingChain, pace: Any) -> FloatingChain:
    robot, forces, t, window_time, x, memory, _ = floating
    return FloatingChain(robot, forces, t, window_time, x, memory, pace)


@version_for(total_wrench, FloatingChain)
@noinline_func
def push_chain(floating: FloatingChain, twist: Any) -> Wrench:
    robot, forces, t, window_time, x, memory, pace = floating
    first = LinkRow(robot.links, 0).velocity
    put_pair_at(x, first, pace * twist)
    for v in range(len(memory.torque)):
        x[first + 6 + v] *= pace
    forward_kinematics(robot, x, memory)
    for v in range(len(memory.torque)):
        x[first + 6 + v] /= pace
    push_all(forces, t, window_time, robot, memory)
    base = Body(memory.bodies, 0)
    total = Wrench(0.0 * base.origin, 0.0 * base.origin)
    for k in range(len(robot.links.codes)):
        if LinkRow(robot.links, k).has_body:
            body = Body(memory.bodies, k)
            total = total + carry_wrench(body.wrench, body.origin - base.origin)
    turned = transpose(base.rotation)
    return Wrench(turned @ total.force, turned @ total.torque)


@noinline_func
def balance_chain(
    robot: ChainTables, forces: Any, t: Scalar, window_time: Scalar, x: Array, desk: Any, memory: ChainMemory
):
    """Put the twist at which a chain's outer forces balance into its state. Returns whether there is one."""
    first = LinkRow(robot.links, 0).velocity
    found, twist = balance(FloatingChain(robot, forces, t, window_time, x, memory, 1.0), desk, twist_at(x, first))
    put_pair_at(x, first, twist)
    return found
