"""Forces on bodies taken ahead, and motion without inertia: drag stands where inertia stood.

How a body's forces answer to its velocity, -∂F/∂V, is found by differences of all forces together, whatever their laws
are. An implicit stage adds γh times its symmetric part to the inertia of the body, and holds it against the
acceleration before (`implicit_joints`, `implicit_cells`).

With masses that are zero nothing else is left there, and the same recursion is Newton's method for the velocities at
which all forces balance,

    (L + C + γh K) Δv = F(q* + γh v, v)      Δv = γh (a - a_before)

so that a stage of q' = v(q, t) is solved by what solves one with inertia. At a knot the positions are given: γh is next
to nothing, and K does not count.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra import Inertia, Matrix, Symmetric, Twist, Vector, Wrench, fill, twist_at
from limbless.mechanics.chain import (
    Base,
    Body,
    ChainMemory,
    ChainProblem,
    ChainTables,
    ForceJacobian,
    LinkRow,
    SlowMotion,
    Station,
    add_span,
    beyond_station,
    forward_kinematics,
    slow_rate,
)
from limbless.mechanics.compiled import Array, Scalar, func, noinline_func, version_for
from limbless.mechanics.forces import push_all
from limbless.mechanics.integrate.problem import drive_at, linearise_forces, stage_rate


class SlowLimits(NamedTuple):
    nudge: float = 1e-7  # m/s and rad/s: of the differences that make -∂F/∂V
    instant: float = 1e-15  # s: γh where positions are given,
    passes: int = 60  # of Newton's method for velocities there,
    tolerance: float = 1e-11  # of the speed of the body, at which they end,
    unbalanced: float = 1e6  # and what is said where they do not, in the place of a row


SLOW = SlowLimits()


@func
def brace_bodies(actuation: Any, problem: ChainProblem, t: Scalar, window_time: Scalar, x: Array) -> None:
    """-∂F/∂V of all bodies: six directions, in each of which all of them are nudged at once."""
    robot, forces, memory = problem.robot, problem.forces, problem.memory
    forward_kinematics(robot, x, memory)
    push_all(forces, t, window_time, robot, memory)
    keep_pushes(memory)
    for c in range(6):
        perturb_velocity(c, SLOW.nudge, memory)
        push_all(forces, t, window_time, robot, memory)
        keep_slope(c, memory)
        perturb_velocity(c, -SLOW.nudge, memory)
    for k in range(memory.bodies.shape[0]):
        ForceJacobian(memory.ahead.brakes, k).slope = dissipative_part(memory.ahead.slopes[k])


@noinline_func
def keep_pushes(memory: ChainMemory) -> None:
    for k in range(memory.bodies.shape[0]):
        ForceJacobian(memory.ahead.brakes, k).start = Body(memory.bodies, k).wrench


@noinline_func
def perturb_velocity(c: tuple, by: Any, memory: ChainMemory) -> None:
    """All bodies faster along one direction, and nothing acts on them yet."""
    add = Twist(
        Vector(by if c == 0 else 0.0, by if c == 1 else 0.0, by if c == 2 else 0.0),
        Vector(by if c == 3 else 0.0, by if c == 4 else 0.0, by if c == 5 else 0.0),
    )
    for k in range(memory.bodies.shape[0]):
        body = Body(memory.bodies, k)
        body.velocity = body.velocity + add
        body.wrench = Wrench(0.0 * add.linear, 0.0 * add.linear)


@noinline_func
def keep_slope(c: tuple, memory: ChainMemory) -> None:
    for k in range(memory.bodies.shape[0]):
        change = (-1.0 / SLOW.nudge) * (Body(memory.bodies, k).wrench - ForceJacobian(memory.ahead.brakes, k).start)
        C = memory.ahead.slopes[k]
        C[0, c], C[1, c], C[2, c] = change.force
        C[3, c], C[4, c], C[5, c] = change.torque


@noinline_func
def dissipative_part(C: Array) -> Inertia:
    """The symmetric part of C, as far as it brakes: an entry is at most the mean of what
    brakes along both directions.
    """
    for i in range(6):
        C[i, i] = max(C[i, i], 0.0)
    for i in range(6):
        for j in range(i):
            most = (C[i, i] * C[j, j]) ** 0.5
            C[i, j] = min(max(0.5 * (C[i, j] + C[j, i]), -most), most)
            C[j, i] = C[i, j]
    return Inertia(
        Symmetric(C[0, 0], C[0, 1], C[0, 2], C[1, 1], C[1, 2], C[2, 2]),
        Matrix(Vector(C[3, 0], C[3, 1], C[3, 2]), Vector(C[4, 0], C[4, 1], C[4, 2]), Vector(C[5, 0], C[5, 1], C[5, 2])),
        Symmetric(C[3, 3], C[3, 4], C[3, 5], C[4, 4], C[4, 5], C[5, 5]),
    )


# ------------------------------------------------------------------------------------------------------ without inertia


@noinline_func
def hold_stations(robot: ChainTables, gh: Scalar, before: Array, memory: ChainMemory) -> None:
    """γh, and δ of every body of a soft one with the accelerations before."""
    brakes, R = memory.ahead.brakes, Body(memory.bodies, 0).rotation
    velocity, cells = LinkRow(robot.links, 0).velocity, memory.cells
    twist = twist_at(before, velocity)
    delta = Twist(R @ twist.linear, R @ twist.angular)
    memory.ahead.span[0] = gh
    ForceJacobian(brakes, 0).before = delta
    for v in range(memory.torque.shape[0]):
        if cells.given[v] == 0:
            memory.acceleration[v] = before[velocity + 6 + v]
    for k in range(1, len(robot.links.codes)):
        link, inner = LinkRow(robot.links, k), delta
        for s in range(link.station, link.station + link.stations):
            delta = beyond_station(link, memory, s, inner)
            ForceJacobian(brakes, Station(cells.stations, s).body).before = delta


@func
def brace_again(actuation: Any, problem: ChainProblem, t: Scalar, window_time: Scalar, x: Array) -> None:
    """-∂F/∂V at the present velocities, where it changes with them."""
    if problem.memory.slow is not None:
        if problem.memory.slow.curved[0] > 0.0:
            brace_bodies(actuation, problem, t, window_time, x)


@version_for(slow_rate, SlowMotion)
@func
def balanced_rate(
    slow: SlowMotion, problem: ChainProblem, i: int, t: Scalar, window_time: Scalar, x: Array, out: Array
) -> None:
    """Velocities at which all forces balance, into x, and the rate of x at them; nothing accelerates."""
    drive_at(problem, i // 2, 0.5 * (i % 2))
    solve_velocities(slow, problem, t, window_time, x, out)
    come_to_rest(problem.robot, problem.memory, out)


@noinline_func
def solve_velocities(
    slow: SlowMotion, problem: ChainProblem, t: Scalar, window_time: Scalar, x: Array, out: Array
) -> None:
    first, freedoms = LinkRow(problem.robot.links, 0).velocity, problem.memory.torque.shape[0]
    slow.failed[0] = SLOW.unbalanced
    linearise_forces(problem, t, window_time, x)
    for turn in range(SLOW.passes):
        if turn == SLOW.passes // 2:  # laws of friction are steepest at rest: from there Newton's method goes one way
            for c in range(first, first + 6 + freedoms):
                x[c] = 0.0
        change, speed = stage_rate(problem, t, window_time, SLOW.instant, slow.none, x, out)
        if change <= SLOW.tolerance * speed:
            slow.failed[0] = 0.0
            return
        add_span(first, first + 6 + freedoms, x, SLOW.instant, out, x)


@noinline_func
def come_to_rest(robot: ChainTables, memory: ChainMemory, out: Array) -> None:
    """Where velocities follow from a balance, there are no accelerations."""
    first = LinkRow(robot.links, 0).velocity
    fill(memory.acceleration, 0.0)
    for c in range(first, first + 6 + memory.torque.shape[0]):
        out[c] = 0.0
    none = 0.0 * Body(memory.bodies, 0).origin
    Base(memory.base, 0).acceleration = Twist(none, none)
    for k in range(memory.bodies.shape[0]):
        body = Body(memory.bodies, k)
        body.delta = Twist(none, none)
        body.known = Twist(none, none)
