"""Implicit stages of a chain: springs, dampers and stops taken ahead in the recursion itself.

With v = v* + γh a and q = q* + γh v, a spring K and a damper C add Â = γh C + (γh)² K to what answers an acceleration.
The recursion with D + Â, and Â a of the accelerations before on the right, has the exact stage as its fixed point; what
Â leaves out (inertia, gravity, water) only sets how fast it is reached.
"""

from __future__ import annotations

from limbless.mechanics.algebra.flat_vectors import put_quaternion_at, put_vector_at, quaternion_at, twist_at, vector_at
from limbless.mechanics.algebra.lie import Quaternion, quaternion_product
from limbless.mechanics.algebra.vectors import dot, rotation_from_quaternion
from limbless.mechanics.chain.cell_forces import drive_to, strain_freedoms
from limbless.mechanics.chain.elastic_tendons import occupy_winches, remember_winches
from limbless.mechanics.chain.joint_actuation import find_accelerations, put_joint_rates
from limbless.mechanics.chain.kinematics import forward_kinematics
from limbless.mechanics.chain.problem import add_span, put_rates, spend_actuators, spend_laws
from limbless.mechanics.chain.tables import INTEGRALS, ChainProblem, IntegralSums, LinkRow, StrainActuation
from limbless.mechanics.compiled.generic import delegate, no_op, version_for
from limbless.mechanics.compiled.kernel import func, noinline_func, strict_kernel
from limbless.mechanics.compiled.scalars import absolute, maximum, minimum, primal, where_positive
from limbless.mechanics.forces.force_element import push_all
from limbless.mechanics.integrate.problem import (
    drive_at,
    linearise_forces,
    stage_rate,
    stage_residual,
    stage_state,
    store_stage,
    total_step,
)
from limbless.mechanics.integrate.runge_kutta import copy
from limbless.mechanics.integrate.running_totals import NoTotals, ObjectiveTotals, RunTotals, Totals, positive_of_step

TRAVEL = 1e-4  # share of the base's own way in the speed of a body
ENDLESS = 1e200  # a way that no motion goes
ROUNDING = 1e-7  # of its length in γh: as slow as it can be

brace_by, steer_by, occupy_by, stage_by, distance_by = (
    delegate(question, ChainProblem, "options.actuation")
    for question in (linearise_forces, drive_at, stage_state, stage_rate, stage_residual)
)
no_op(brace_by, StrainActuation)


@version_for(steer_by, StrainActuation)
@func
def steer_cells(actuation, problem, n, share):
    drive_to(problem.drive, n, share, problem.memory.cells.present)


@version_for(occupy_by, StrainActuation)
@func
def occupy_cells(actuation, problem, start, gh, slope, x):
    occupy_free(problem.robot, problem.memory.cells.given, start, gh, slope, x)


@noinline_func
def occupy_free(robot, given, start, gh, slope, x):
    """Freedoms that are given stay where the drive has them."""
    base = LinkRow(robot.links, 0)
    occupy_base(base, start, gh, slope, x)
    p, v = base.position + base.positions, base.velocity + base.freedoms
    occupy_winches(v + given.shape[0], len(x) - INTEGRALS, start, gh, slope, x)
    for k in range(given.shape[0]):
        if given[k] == 0:
            x[v + k] = start[v + k] + gh * slope[v + k]
            slope[p + k] = x[v + k]
            x[p + k] = start[p + k] + gh * x[v + k]


@func
def occupy_base(base, start, gh, slope, x):
    """The base, and the sums behind all coordinates."""
    p, v, last = base.position, base.velocity, len(x) - INTEGRALS
    add_span(v, v + base.freedoms, start, gh, slope, x)
    add_span(last, len(x), start, gh, slope, x)
    twist = twist_at(x, v)
    turn = turned_by(start, gh, p + 3, twist.angular, slope, x)
    along = rotation_from_quaternion(turn.w, turn.x, turn.y, turn.z) @ twist.linear
    put_vector_at(slope, p, along)
    put_vector_at(x, p, vector_at(start, p) + gh * along)


@func
def turned_by(start, gh, i, w, slope, x):
    """A quaternion at place i, turned as its own rule asks: q = q* + γh/2 q ω is linear in q."""
    u = (0.5 * gh) * w
    scale = 1.0 / (1.0 + dot(u, u))
    turn = quaternion_product(quaternion_at(start, i), Quaternion(scale, scale * u.x, scale * u.y, scale * u.z))
    put_quaternion_at(x, i, turn)
    put_quaternion_at(slope, i, quaternion_product(turn, Quaternion(0.0 * gh, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z)))
    return turn


@version_for(stage_by, StrainActuation)
@func
def cell_stage(actuation, problem, t, window_time, gh, before, x, slope):
    robot, forces, options, _, memory, _ = problem
    set_cell_implicit_terms(robot, gh, before, memory)
    strain_freedoms(robot, x, memory)
    forward_kinematics(robot, x, memory)
    push_all(forces, t, window_time, robot, memory)
    find_accelerations(actuation, robot, options.base, memory)
    put_rates(robot, x, memory, slope)
    put_joint_rates(actuation, robot, x, memory, slope)
    memory.cells.span[0] = 0.0


@noinline_func
def set_cell_implicit_terms(robot, gh, before, memory):
    """γh and the accelerations before, where the recursion finds them."""
    first = LinkRow(robot.links, 0).velocity + 6
    memory.cells.span[0] = gh
    for v in range(memory.torque.shape[0]):
        memory.cells.before[v] = before[first + v]
    remember_winches(memory.cells.ropes, before)


@version_for(distance_by, StrainActuation)
@func
def cell_distance(actuation, problem, gh, before, slope, x):
    return measure(LinkRow(problem.robot.links, 0).velocity, problem.memory.cells.scale, gh, before, slope, x)


@strict_kernel
def measure(first, scale, gh, before, slope, x):
    """Largest way per time, m/s, by which the rates differ after γh, and by which the body turns and bends; `scale` of
    the base comes last. How fast it goes as a whole hardly counts: a body that falls bends as one that rests. What
    rounding leaves is never asked for.
    """
    n, span = scale.shape[0] - 2, primal(gh)
    change, speed = 0.0 * span, ROUNDING * primal(scale[n + 1]) / span
    for c in range(6 + n):
        size = primal(scale[c - 6] if c >= 6 else scale[n] if c < 3 else scale[n + 1])
        new, moves = primal(slope[first + c]), (TRAVEL if c < 3 else 1.0) * absolute(primal(x[first + c]))
        way = span * size * absolute(new - primal(before[first + c]))
        change = maximum(change, where_positive(ENDLESS - way, way, ENDLESS + 0.0 * span))  # also of what is none
        speed = maximum(speed, size * maximum(moves, span * absolute(new)))
    return change, speed


# ------------------------------------------------------------------------------------------------------ what is counted

note_in = delegate(store_stage, ChainProblem, "memory.tally")
count_in = delegate(total_step, ChainProblem, "memory.tally")
for _question in (note_in, count_in):
    no_op(_question, NoTotals)


@version_for(note_in, Totals)
@func
def note_powers(tally, problem, scratch, stage, window_time, x, slope):
    note_actuators(problem, scratch, stage, x)
    spend_laws(problem, window_time)
    sums = IntegralSums(slope, len(x) - INTEGRALS)
    size = abs(sums.actuators) + abs(sums.environment) + abs(sums.passive)
    if stage < 0:
        scratch.sizes[0, 1] = size
        return None
    scratch.sizes[stage, 0] = size
    for i in range(scratch.laws.shape[1]):
        scratch.laws[stage, i] = problem.memory.law_powers[i]
    return None


@version_for(note_in, ObjectiveTotals)
@func
def note_efforts(score, problem, scratch, stage, window_time, x, slope):
    note_actuators(problem, scratch, stage, x)


@func
def note_actuators(problem, scratch, stage, x):
    spend_actuators(problem, scratch.powers, max(stage, 0), x)
    if stage < 0:  # the knot from which the first step begins
        copy(scratch.powers[0], scratch.last)


@version_for(count_in, Totals)
@func
def count_powers(tally, problem, scratch, method, h):
    count_stages(tally, scratch, method, h)


@version_for(count_in, ObjectiveTotals)
@func
def count_efforts(score, problem, scratch, method, h):
    score_stages(score, scratch, method, h)


@noinline_func
def score_stages(score, scratch, method, h):
    """Positive works alone, as `count_stages` has them."""
    for a in range(score.positive.shape[0]):
        score.positive[a] += positive_of_stages(scratch, method, h, a, work_of_stages(scratch, method, h, a))


@noinline_func
def count_stages(tally, scratch, method, h):
    """Works by the rule of the step itself; the positive part of a power from its parabola over the step."""
    stages = method.b.shape[0]
    whole = RunTotals(tally.whole, 0)
    for i in range(scratch.laws.shape[1]):
        for k in range(stages):
            tally.laws[i] += h * method.b[k] * scratch.laws[k, i]
    end = scratch.sizes[stages - 1, 0]
    if method.closes:
        whole.exchanged += h / 6.0 * (scratch.sizes[0, 1] + 4.0 * scratch.sizes[stages - 2, 0] + end)
        scratch.sizes[0, 1] = end
    else:
        whole.exchanged += h * end
    for a in range(tally.work.shape[0]):
        work = work_of_stages(scratch, method, h, a)
        tally.work[a] += work
        tally.positive[a] += positive_of_stages(scratch, method, h, a, work)


@func
def work_of_stages(scratch, method, h, a):
    """Of actuator a in a step of length h."""
    work = 0.0 * h
    for k in range(method.b.shape[0]):
        work += h * method.b[k] * scratch.powers[k, a]
    return work


@func
def positive_of_stages(scratch, method, h, a, work):
    """The positive part of that work, never less than all of it; without a branch on a power: eight robots at once."""
    zero = 0.0 * work
    if not method.closes:
        return maximum(work, zero)
    last = method.b.shape[0] - 1
    start, middle, end = scratch.last[a], scratch.powers[last - 1, a], scratch.powers[last, a]
    scratch.last[a] = end
    driven = maximum(maximum(positive_of_step(h, start, middle, end), work), zero)
    return where_positive(-minimum(minimum(start, middle), end), driven, work)
