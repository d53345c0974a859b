"""Strain cells among hard things as a problem for Moreau's engine: one implicit stage per step, and contact impulses
that obey their laws at the velocities of its end.

    stage   v = v_A + θh a,   q = q_A + θh v        end   v_E = v_A + h a,   q_E = q_A + h v
    M(q) a + bias(q, v) = τ(q, v) + (1/h) Σ Jᵀ P,   P obeys the laws at γ = J(q) v_E, gaps at q_A + (1 - θ) h v_A

From where gaps are measured every coordinate goes exactly h v_E until they are measured again, for any θ. Without
contacts and with θ = 1/2 this is the implicit midpoint rule (`dirk.midpoint`): the same stage, found by the same fixed
point. A *pass* is one evaluation of the body at the present stage; within it Newton's method on the contact laws
(`semismooth_newton`) iterates with all else held. Contact frames and arms are found once per step, and held.

The state holds that of a chain, and what `SoftLayout` says.
"""

from __future__ import annotations

from limbless.mechanics.algebra import (
    Twist,
    copy,
    copy_part,
    fill,
    normalised,
    put_pair_at,
    put_quaternion_at,
    quaternion_at,
    transpose,
    twist_at,
)
from limbless.mechanics.chain import (
    Body,
    Cells,
    ChainMemory,
    ChainTables,
    LinkRow,
    add_span,
    bend_pieces,
    drive_to,
    forward_kinematics,
    occupy_free,
    overbent_cell,
    put_winch_rates,
    set_cell_implicit_terms,
    stage_change,
    strain_freedoms,
    winch_start,
)
from limbless.mechanics.compiled import Array, Scalar, func, kernel, noinline_func, unpack, version_for
from limbless.mechanics.contact import (
    DEEPEST,
    ENDS,
    BaseStep,
    CellFreedom,
    ContactMemory,
    Scene,
    SoftContactProblem,
    SoftLayout,
    Step,
    StepCounters,
    gather_touch,
    go_to_gaps,
    measure_gaps,
    place_objects,
    prepare_stations,
    solve_contacts,
    start_twists,
    store_warm_start,
    turn_winches,
)
from limbless.mechanics.contact.cell_outcome import finish_cells, keep_cell_knot
from limbless.mechanics.control.closed_loop import command_all, put_all_control_rates, sample_all
from limbless.mechanics.forces import push_all
from limbless.mechanics.integrate.dirk import PATIENCE as STAGE, remaining_error
from limbless.mechanics.integrate.problem import midpoint_step, record_knot

SINGULAR = 16  # added to what `overbent_cell` found: what ends a run beside `ENDS`


@noinline_func
def take_strains(robot: ChainTables, x: Array, cells: Cells) -> None:
    """Freedoms as a state has them; all pieces bent."""
    base = LinkRow(robot.links, 0)
    position, velocity = base.position + base.positions, base.velocity + base.freedoms
    copy_part(x, position, cells.strain, 0, cells.strain.shape[0])
    copy_part(x, velocity, cells.strain_rate, 0, cells.strain.shape[0])
    fill(cells.strain_push, 0.0)
    bend_pieces(cells.columns, cells)


@func
def drive_ends(problem: SoftContactProblem, n: int, share: Scalar, part: Scalar, x: Array) -> None:
    """What is given: values and rates at both ends of a part of a step, and the drive at its stage, whose rates are
    those that the rule has there.
    """
    robot, theta, solve = problem.robot, problem.rule.theta, problem.memory.step.cells
    cells, base = solve.cells, LinkRow(robot.links, 0)
    present, position, velocity = cells.present, base.position + base.positions, base.velocity + base.freedoms
    if cells.driven.shape[0] > 0:
        drive_to(problem.drive, n, share, present)
        for i in range(cells.driven.shape[0]):
            x[position + cells.driven[i]] = present.position[i]
            x[velocity + cells.driven[i]] = present.velocity[i]
        drive_to(problem.drive, n, share + part, present)
        for i in range(cells.driven.shape[0]):
            solve.ends[0, i] = present.position[i]
            solve.ends[1, i] = present.velocity[i]
    drive_to(problem.drive, n, share + theta * part, present)
    for i in range(cells.driven.shape[0]):
        before = x[velocity + cells.driven[i]]
        present.velocity[i] = before + theta * (solve.ends[1, i] - before)
        present.acceleration[i] = 0.0


@func
def go_ahead(problem: SoftContactProblem, h: Scalar, x: Array) -> None:
    """To where the old velocity leads in (1 - θ) h."""
    robot, chain, ahead = problem.robot, problem.memory.chain, (1.0 - problem.rule.theta) * h
    cells, velocity = chain.cells, LinkRow(robot.links, 0).velocity
    fill(chain.total, 0.0)
    occupy_free(robot, cells.given, winch_start(cells, chain.state), x, ahead, chain.total, chain.state)
    first = LinkRow(robot.links, 0).position + LinkRow(robot.links, 0).positions
    for i in range(cells.driven.shape[0]):
        v = cells.driven[i]
        chain.state[velocity + 6 + v] = x[velocity + 6 + v]
        chain.state[first + v] = x[first + v] + ahead * x[velocity + 6 + v]
    take_strains(robot, chain.state, cells)
    forward_kinematics(robot, chain.state, chain)


@func
def first_slopes(problem: SoftContactProblem, h: Scalar, x: Array) -> None:
    """The guess: velocities go on in a straight line, and given rates to those at the end."""
    chain, solve, earlier = problem.memory.chain, problem.memory.step.cells, problem.where.earlier
    velocity = LinkRow(problem.robot.links, 0).velocity
    fill(chain.slope, 0.0)
    for c in range(6 + chain.torque.shape[0]):
        chain.slope[velocity + c] = (x[velocity + c] - x[earlier + c]) / h
    for i in range(solve.cells.driven.shape[0]):
        v = velocity + 6 + solve.cells.driven[i]
        chain.slope[v] = (solve.ends[1, i] - x[v]) / h


@func
def put_guess(robot: ChainTables, step: Step, h: Scalar, x: Array, slope: Array) -> None:
    """Velocities at the end of the step from their slopes, where the solver finds them."""
    velocity, R, base = LinkRow(robot.links, 0).velocity, Body(step.places, 0).rotation, BaseStep(step.base, 0)
    end = twist_at(x, velocity) + h * twist_at(slope, velocity)
    base.twist = Twist(R @ end.linear, R @ end.angular)
    for v in range(step.rates.shape[0]):
        step.rates[v] = x[velocity + 6 + v] + h * slope[velocity + 6 + v]
        CellFreedom(step.cells.freedoms, v).before = step.rates[v]


@func
def take_slopes(robot: ChainTables, step: Step, chain: ChainMemory, h: Scalar, x: Array) -> None:
    """Slopes of velocities from those that the solver found."""
    velocity, R, base = LinkRow(robot.links, 0).velocity, Body(step.places, 0).rotation, BaseStep(step.base, 0)
    end = Twist(transpose(R) @ base.twist.linear, transpose(R) @ base.twist.angular)
    put_pair_at(chain.slope, velocity, (1.0 / h) * (end - twist_at(x, velocity)))
    for v in range(step.rates.shape[0]):
        chain.slope[velocity + 6 + v] = (step.rates[v] - x[velocity + 6 + v]) / h


@func
def evaluate(
    problem: SoftContactProblem, t: Scalar, h: Scalar, x: Array, tolerance: Scalar
) -> tuple[Scalar, Scalar, Scalar, int]:
    """One pass: the body at the present stage, and velocities and impulses under its forces, which obey the laws to
    `tolerance`. Returns by how much the stage changes, how fast it moves, the natural map (m/s), and what cannot be
    evaluated.
    """
    robot, options = problem.robot, problem.options
    memory, gh = problem.memory, problem.rule.theta * h
    chain, step, counts = memory.chain, memory.step, StepCounters(memory.counts, 0)
    solve, stage = step.cells, t + problem.rule.theta * h
    copy(chain.slope, solve.before)
    last = winch_start(solve.cells, chain.state)
    occupy_free(robot, solve.cells.given, last, x, gh, solve.before, chain.state)
    first = LinkRow(robot.links, 0).velocity
    add_span(first + 6 + chain.torque.shape[0], last, x, gh, solve.before, chain.state)
    set_cell_implicit_terms(robot, gh, solve.before, chain)
    strain_freedoms(robot, chain.state, chain)
    forward_kinematics(robot, chain.state, chain)
    if options.controllers is not None:
        command_all(options.controllers, stage, robot, chain.state, chain)
    push_all(problem.forces, stage, t + 0.5 * h, robot, chain)
    put_guess(robot, step, h, x, solve.before)
    start_twists(robot, step, x)
    prepare_stations(robot, step, chain, gh, h)
    more, worst, fell = solve_contacts(robot, options, step, memory.request, int(counts.active), t, tolerance)
    take_slopes(robot, step, chain, h, x)
    if solve.cells.ropes is not None:
        turn_winches(solve, gh)
        put_winch_rates(solve.cells.ropes, chain.state, chain.slope)
    if options.controllers is not None:
        put_all_control_rates(options.controllers, stage, robot, chain.state, chain, chain.slope)
    solve.cells.span[0] = 0.0
    solve.counts[0] += 1.0
    solve.counts[1] += more
    if fell:
        counts.fallbacks = counts.fallbacks + 1.0
    change, speed = stage_change(first, last, solve.cells.scale, gh, solve.before, chain.slope, chain.state)
    return change, speed, worst, int(overbent_cell(robot, chain))


@func
def solve_cells(problem: SoftContactProblem, t: Scalar, h: Scalar, x: Array) -> tuple[int, Scalar]:
    """Passes until the stage rests; the first one, which another follows, may leave 100 times as much of the laws.
    Returns 0, or what cannot be solved, and the natural map.
    """
    rule, step = problem.rule, problem.memory.step
    first_slopes(problem, h, x)
    last, worst, wanted = 0.0, 0.0, problem.options.tolerance
    for n in range(rule.most):
        change, speed, worst, singular = evaluate(problem, t, h, x, wanted if n > 0 else 100.0 * wanted)
        if step.moving_bodies is not None and step.moving_bodies.crowded[0] > 0:
            return ENDS.crowded, worst
        if singular > 0:
            return SINGULAR + singular, worst
        if not change < STAGE.lost:
            return ENDS.unsolved, worst
        if (n > 0 or worst < wanted) and remaining_error(change, last) <= rule.tolerance * speed:
            return 0 if worst <= problem.options.bound else ENDS.unsolved, worst
        last = change
    return ENDS.unsolved, worst


@func
def take_part(
    problem: SoftContactProblem, n: int, share: Scalar, part: Scalar, t: Scalar, h: Scalar, watched: bool, x: Array
) -> int:
    """A step of length h at time t that is `part` of the one from knot n, from `share` of it on."""
    memory, solve = problem.memory, problem.memory.step.cells
    counts = StepCounters(memory.counts, 0)
    drive_ends(problem, n, share, part, x)
    go_ahead(problem, h, x)
    go_to_gaps(problem, t, h, 1.0 - problem.rule.theta, watched, x)
    found, worst = solve_cells(problem, t, h, x)
    counts.last = worst
    if found > 0:
        return found
    if counts.depth > DEEPEST:
        return ENDS.sunk
    counts.residual = max(counts.residual, worst)
    counts.steps = counts.steps + 1.0
    counts.iterations = counts.iterations + solve.counts[1]
    finish_cells(problem, t, h, x)
    store_warm_start(problem.scene, memory.rest, memory.step.contacts, x, problem.where.impulses)
    if problem.options.controllers is not None:
        gather_touch(memory.step, h, memory.chain)
    go_to_end(problem, h, x)
    solve.clock[0] = n + 0.0
    solve.clock[1] = share + part
    solve.clock[2] = t + h
    return 0


@func
def go_to_end(problem: SoftContactProblem, h: Scalar, x: Array) -> None:
    """q_E = q_A + h v and v_E; the velocities before are kept."""
    robot, chain, solve = problem.robot, problem.memory.chain, problem.memory.step.cells
    base, earlier = LinkRow(robot.links, 0), problem.where.earlier
    velocity = base.velocity
    winches, ahead = winch_start(solve.cells, chain.state), problem.rule.theta * h
    occupy_free(robot, solve.cells.given, winches, x, ahead, chain.slope, chain.state)  # rates of positions
    copy_part(x, velocity, x, earlier, 6 + chain.torque.shape[0])
    for c in range(problem.where.sums):
        x[c] += h * chain.slope[c]
    put_quaternion_at(x, base.position + 3, normalised(quaternion_at(x, base.position + 3)))
    for i in range(solve.cells.driven.shape[0]):
        v = solve.cells.driven[i]
        x[base.position + base.positions + v] = solve.ends[0, i]
        x[velocity + 6 + v] = solve.ends[1, i]


@version_for(midpoint_step, SoftContactProblem)
@func
def cell_contact_step(problem: SoftContactProblem, n: int, t: Scalar, h: Scalar, watched: bool, x: Array) -> int:
    """A step, in as many parts as are needed: one whose stage does not rest, or whose laws are not met, is halved."""
    solve = problem.memory.step.cells
    share, part, depth, found = 0.0, 1.0, 0, 0
    solve.counts[1] = 0.0
    solve.counts[0] = 0.0
    while share < 1.0 - 1e-9:
        length = solve.clock[3]
        found = take_part(problem, n, share, part, t + share * h, part * h, watched, x)
        if found == 0:
            share += part
            continue
        solve.clock[3] = length
        depth += 1
        solve.counts[3] += 1.0
        if depth > problem.rule.halvings or found == ENDS.crowded:
            return found
        part *= 0.5
    solve.counts[2] += solve.counts[0]
    if problem.options.controllers is not None:
        take_strains(problem.robot, x, problem.memory.chain.cells)
        sample_all(problem.options.controllers, problem.robot, x, problem.memory.chain)
    return 0


@version_for(record_knot, SoftContactProblem)
@func
def keep_cell_contacts(problem: SoftContactProblem, x: Array, h: Scalar, r: int) -> None:
    """A knot: the body as it stands there, with its tendons; forces of contacts are means over the step that ended."""
    robot, chain, step = problem.robot, problem.memory.chain, problem.memory.step
    clock, present = step.cells.clock, step.cells.cells.present
    drive_to(problem.drive, int(clock[0]), clock[1], present)
    copy(x, chain.state)
    strain_freedoms(robot, chain.state, chain)
    fill(present.acceleration, 0.0)
    forward_kinematics(robot, chain.state, chain)
    if problem.options.controllers is not None:
        command_all(problem.options.controllers, clock[2], robot, chain.state, chain)
    push_all(problem.forces, clock[2], clock[2], robot, chain)
    if step.moving_bodies is not None:
        place_objects(step.moving_bodies, chain.bodies, x, problem.where.objects)
    keep_cell_knot(problem, x, h, r)


@kernel
def stand_cells(robot: ChainTables, scene: Scene, memory: ContactMemory, x: Array, where: SoftLayout) -> None:
    """At time 0: the gaps of all contacts."""
    tables, held, state = unpack(robot), unpack(memory), unpack(x)
    take_strains(tables, state, held.chain.cells)
    forward_kinematics(tables, state, held.chain)
    measure_gaps(unpack(scene), held, state, where.objects, 0.0)
