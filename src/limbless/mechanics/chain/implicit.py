"""Implicit stages of a chain: springs, dampers and stops taken ahead in the recursion itself.

With v = v* + γh a and q = q* + γh v, a spring K and a damper C add Â = γh C + (γh)² K to what answers an acceleration.
The recursion with D + Â, and Â a of the accelerations before on the right, has the exact stage as its fixed point; what
Â leaves out (inertia, gravity, water) only sets how fast it is reached.
"""
from __future__ import annotations

from limbless.mechanics.algebra.columns import put_quaternion_at, put_vector_at, quaternion_at, twist_at, vector_at
from limbless.mechanics.algebra.lie import Quaternion, quaternion_product
from limbless.mechanics.algebra.vectors import dot, rotation_from_quaternion
from limbless.mechanics.chain.actuation import find_accelerations, put_joint_rates
from limbless.mechanics.chain.compliance import drive_to, strain_freedoms
from limbless.mechanics.chain.kinematics import move
from limbless.mechanics.chain.problem import put_powers, put_rates, spend_laws
from limbless.mechanics.chain.tables import INTEGRALS, ChainProblem, Link, Sums
from limbless.mechanics.compiled.generic import generic, version_for
from limbless.mechanics.compiled.kernel import careful_kernel, inline, lean_pass
from limbless.mechanics.forces.element import push_all
from limbless.mechanics.integrate.problem import count_step, distance, note_stage, occupy, stage_rate, steer
from limbless.mechanics.integrate.tally import Tally, Uncounted, Whole, positive_between


@version_for(steer, ChainProblem)
@inline
def steer_chain(problem, n, share):
    drive_to(problem.drive, n, share, problem.memory.cells.present)


@version_for(occupy, ChainProblem)
@inline
def occupy_chain(problem, start, gh, slope, x):
    occupy_state(problem.robot, problem.memory.cells.given, start, gh, slope, x)


@lean_pass
def occupy_state(robot, given, start, gh, slope, x):
    """Freedoms that are given stay where the drive has them. The quaternion of the base is turned as its own rule asks:
    q = q* + γh/2 q ω is linear in q.
    """
    base = Link(robot.links, 0)
    p, v, last = base.position, base.velocity, len(x) - INTEGRALS
    for c in range(v, v + 6):
        x[c] = start[c] + gh * slope[c]
    for c in range(last, len(x)):
        x[c] = start[c] + gh * slope[c]
    for k in range(given.shape[0]):
        if given[k] == 0:
            x[v + 6 + k] = start[v + 6 + k] + gh * slope[v + 6 + k]
            slope[p + 7 + k] = x[v + 6 + k]
            x[p + 7 + k] = start[p + 7 + k] + gh * x[v + 6 + k]
    twist = twist_at(x, v)
    u = (0.5 * gh) * twist.angular
    scale = 1.0 / (1.0 + dot(u, u))
    before = quaternion_at(start, p + 3)
    turn = quaternion_product(before, Quaternion(scale, scale * u.x, scale * u.y, scale * u.z))
    along = rotation_from_quaternion(turn.w, turn.x, turn.y, turn.z) @ twist.linear
    put_vector_at(slope, p, along)
    put_vector_at(x, p, vector_at(start, p) + gh * along)
    put_quaternion_at(x, p + 3, turn)
    half = Quaternion(0.0 * gh, 0.5 * twist.angular.x, 0.5 * twist.angular.y, 0.5 * twist.angular.z)
    put_quaternion_at(slope, p + 3, quaternion_product(turn, half))


@version_for(stage_rate, ChainProblem)
@inline
def chain_stage(problem, t, inside, gh, before, x, slope):
    robot, forces, options, _, memory, _ = problem
    look_ahead(robot, gh, before, memory)
    strain_freedoms(robot, x, memory)
    move(robot, x, memory)
    push_all(forces, t, inside, robot, memory)
    find_accelerations(options.actuation, robot, options.base, memory)
    put_rates(robot, x, memory, slope)
    put_joint_rates(options.actuation, robot, x, memory, slope)
    memory.cells.span[0] = 0.0


@lean_pass
def look_ahead(robot, gh, before, memory):
    """γh and the accelerations before, where the recursion finds them."""
    first = Link(robot.links, 0).velocity + 6
    memory.cells.span[0] = gh
    for v in range(memory.torque.shape[0]):
        memory.cells.before[v] = before[first + v]


@version_for(distance, ChainProblem)
@inline
def chain_distance(problem, gh, before, slope, x):
    return measure(Link(problem.robot.links, 0).velocity, problem.memory.cells.scale, gh, before, slope, x)


@careful_kernel
def measure(first, scale, gh, before, slope, x):
    """Largest way per time, m/s, by which the rates differ after γh, and by which the body moves; `scale` of the base
    comes last.
    """
    n = scale.shape[0] - 2
    change, speed = 0.0, 0.0
    for c in range(6 + n):
        size = scale[c - 6] if c >= 6 else scale[n] if c < 3 else scale[n + 1]
        change = max(change, gh * size * abs(slope[first + c] - before[first + c]))
        speed = max(speed, size * max(abs(x[first + c]), gh * abs(slope[first + c])))
        if not change < 1e200:
            return 1e200, 1.0
    return change, speed


# ------------------------------------------------------------------------------------------------- what is counted

@generic
def note_in(tally, problem, work, stage, inside, x, slope):
    """`note_stage`, by whether anything is counted."""


@generic
def count_in(tally, work, method, h):
    """`count_step`, by whether anything is counted."""


@version_for(note_stage, ChainProblem)
@inline
def note_chain(problem, work, stage, inside, x, slope):
    note_in(problem.memory.tally, problem, work, stage, inside, x, slope)


@version_for(count_step, ChainProblem)
@inline
def count_chain(problem, work, method, h):
    count_in(problem.memory.tally, work, method, h)


@version_for(note_in, Uncounted)
@inline
def note_nothing(tally, problem, work, stage, inside, x, slope):
    return None


@version_for(count_in, Uncounted)
@inline
def count_nothing(tally, work, method, h):
    return None


@version_for(note_in, Tally)
@inline
def note_powers(tally, problem, work, stage, inside, x, slope):
    memory, base = problem.memory, Link(problem.robot.links, 0)
    row = max(stage, 0)
    put_powers(problem.options.actuation, memory, work.powers, row, x, base.velocity + base.freedoms)
    spend_laws(problem, inside)
    sums = Sums(slope, len(x) - INTEGRALS)
    size = abs(sums.actuators) + abs(sums.environment) + abs(sums.passive)
    if stage < 0:                         # the knot from which the first step begins
        for a in range(work.last.shape[0]):
            work.last[a] = work.powers[0, a]
        work.sizes[0, 1] = size
        return None
    work.sizes[stage, 0] = size
    for i in range(work.laws.shape[1]):
        work.laws[stage, i] = memory.law_powers[i]
    return None


@version_for(count_in, Tally)
@lean_pass
def count_powers(tally, work, method, h):
    """Works by the rule of the step itself; the positive part of a power from its parabola over the step."""
    stages = method.b.shape[0]
    whole = Whole(tally.whole, 0)
    for i in range(work.laws.shape[1]):
        for k in range(stages):
            tally.laws[i] += h * method.b[k] * work.laws[k, i]
    end = work.sizes[stages - 1, 0]
    if method.closes:
        whole.exchanged += h / 6.0 * (work.sizes[0, 1] + 4.0 * work.sizes[stages - 2, 0] + end)
        work.sizes[0, 1] = end
    else:
        whole.exchanged += h * end
    for a in range(tally.work.shape[0]):
        work_done = 0.0
        for k in range(stages):
            work_done += h * method.b[k] * work.powers[k, a]
        tally.work[a] += work_done
        if method.closes:
            start, middle, after = work.last[a], work.powers[stages - 2, a], work.powers[stages - 1, a]
            driven = h * (positive_between(0.0, 0.5, start, middle, start, middle, after)
                          + positive_between(0.5, 1.0, middle, after, start, middle, after))
            drives = min(min(start, middle), after) >= 0.0
            tally.positive[a] += work_done if drives else max(max(driven, work_done), 0.0)
            work.last[a] = after
        else:
            tally.positive[a] += max(work_done, 0.0)
