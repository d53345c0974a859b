"""The geometric model with set-valued friction, as `integrate.moreau` asks for it: velocities jump as friction demands.

A step takes the metric and all smooth forces at its middle, and asks that the velocities at its end, with the impulses
of the step, obey Coulomb's law exactly. A wheel that sticks then does not creep, and the torques do not depend on a
slip speed.
"""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra import power
from limbless.mechanics.chain import (
    INTEGRALS,
    Base,
    Body,
    ChainDrive,
    ChainTables,
    IntegralSums,
    LinkRow,
    actuator_torques,
    mass_flow,
)
from limbless.mechanics.compiled import Array, Scalar, func, version_for
from limbless.mechanics.contact import ContactRow, find_contacts, solve_friction
from limbless.mechanics.forces import look_again_all, spend_all
from limbless.mechanics.geometry.base_charts import base_quaternion, is_near_lock, put_base_rates, settle_base
from limbless.mechanics.geometry.constrained_dynamics import Trouble, prepare, solve_free
from limbless.mechanics.geometry.screws import place
from limbless.mechanics.geometry.smooth_motion import (
    drive_joints,
    find_efforts,
    keep_all_forces,
    keep_pose,
    outer_wrench,
    powers_of,
    put_forces,
    relent_in_metric,
    rest_base,
    return_to_seat,
    speeds_in,
    weigh_among,
)
from limbless.mechanics.geometry.tables import (
    GeometricMemory,
    GeometricOptions,
    GeometricProblem,
    Solver,
    Touching,
    geometry_of,
)
from limbless.mechanics.geometry.wheel_rows import (
    count_contacts,
    couple,
    friction_impulse,
    keep_wheels,
    put_wheel_rows,
    rub,
)
from limbless.mechanics.integrate.problem import midpoint_step, post_step, record_knot
from limbless.mechanics.integrate.runge_kutta import copy
from limbless.mechanics.integrate.running_totals import add_step, add_work, check_ranges, compare
from limbless.mechanics.integrate.running_totals import record_totals as keep_tally


class Limits(NamedTuple):
    """How well a step is solved."""

    # m/s: natural map of the friction law; torques show first what is left
    tolerance: float = 1e-13
    unsolved: float = 1e-9  # m/s: a step that keeps more fails the run
    # rad/s: error of joint rates that friction solved to `tolerance` may leave
    slack: float = 1e-11


LIMITS = Limits()


# ---------------------------------------------------------------------------------------------- to the middle of a step


@version_for(midpoint_step, GeometricProblem)
@func
def geometric_step(problem: GeometricProblem, n: int, t: Scalar, h: Scalar, watched: bool, x: Array) -> int:
    found = geometric_halfway(problem, n, t, h, x)
    if found == 0:
        found = geometric_meet(problem, h, x)
    if found == 0:
        geometric_complete(problem, n, t, h, x)
    return found


@func
def geometric_halfway(problem: GeometricProblem, n: int, t: Scalar, h: Scalar, x: Array) -> int:
    """Metric, smooth forces, rows of a clamp and wheels that touch at the middle of the step.
    Returns 0, or the `Trouble`.
    """
    robot, options, drive, memory = problem.robot, problem.options, problem.drive, problem.memory
    begin_step(robot, options, drive, n, h, x, memory)
    drive_joints(options.actuation, robot, options, drive, 2 * n + 1, memory.state, memory)
    if is_near_lock(options.frame, memory.state):
        return Trouble.LOCK.value
    speeds, middle = speeds_in(robot, memory, x), speeds_in(robot, memory, memory.state)
    rows = weigh_among(problem, t + 0.5 * h, t + 0.5 * h, memory.state, middle)
    aim(rows, h, speeds, memory.solver)
    put_changes(robot, drive, n, memory)
    wheels = problem.wheels
    touching = wheels.touching
    touching.found[0] = find_contacts(
        wheels.scene, wheels.rest, memory.bodies, t + 0.5 * h, 1.0, touching.contact, touching.active
    )
    touching.found[2] = rows
    put_wheel_rows(robot, options.frame.speeds, h, geometry_of(memory), touching)
    return 0


@func
def begin_step(
    robot: ChainTables,
    options: GeometricOptions,
    drive: ChainDrive,
    n: int,
    h: Scalar,
    x: Array,
    memory: GeometricMemory,
) -> None:
    """Coordinates at the middle of the step in `memory.state`; given speeds at its start."""
    speeds, state, slope = speeds_in(robot, memory, x), memory.state, memory.slope
    rest_base(options, speeds, memory)
    copy(x, state)
    put_base_rates(options.frame, x, speeds, slope)
    for i in range(options.frame.coordinates):
        state[i] = x[i] + 0.5 * h * slope[i]
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if link.given:
            x[link.velocity] = drive.velocity[2 * n, link.column]
        else:
            state[link.position] = x[link.position] + 0.5 * h * x[link.velocity]


@func
def put_changes(robot: ChainTables, drive: ChainDrive, n: int, memory: GeometricMemory) -> None:
    """Changes of the given speeds over the step."""
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if link.given:
            v = link.column
            memory.acceleration[v] = drive.velocity[2 * n + 2, v] - drive.velocity[2 * n, v]


@func
def aim(rows: int, h: Scalar, speeds: Array, solver: Solver) -> None:
    """The clamped module is still at the end of the step, where the rows have moved on."""
    for r in range(rows):
        total = -0.5 * h * solver.row_rates[r]
        for a in range(len(speeds)):
            total -= solver.rows[r, a] * speeds[a]
        solver.target[r] = total


# ---------------------------------------------------------------------------------------- velocities that obey the laws


@func
def overload(options: GeometricOptions, rounds: int, h: Scalar, touching: Touching, memory: GeometricMemory) -> bool:
    """With the friction that was found: whether some actuator gives what it should not, so that the
    step has to be solved again.
    """
    if options.rate_slack is None:
        return False
    free, change = memory.solver.free, memory.rates
    for c in range(touching.found[0]):
        impulse = friction_impulse(ContactRow(touching.contact, touching.active[c]))
        for j in range(touching.found[1]):
            change[free[j]] += touching.mobility[2 * c, j] * impulse.along
            change[free[j]] += touching.mobility[2 * c + 1, j] * impulse.across
    spread_over(h, change)
    again = relent_in_metric(options.frame.speeds, rounds, options.rate_slack / h, memory)
    for a in range(len(change)):
        change[a] *= h
    return again


@func
def spread_over(h: Scalar, change: Array) -> None:
    """Changes over a step of h seconds as rates."""
    for a in range(len(change)):
        change[a] /= h


@func
def geometric_meet(problem: GeometricProblem, h: Scalar, x: Array) -> int:
    """Dynamics over the step and friction at its end, as often as actuators reach their bounds."""
    robot, options, memory = problem.robot, problem.options, problem.memory
    wheels, touching, solver = problem.wheels, problem.wheels.touching, memory.solver
    nb, rows, speeds = options.frame.speeds, touching.found[2], speeds_in(robot, memory, x)
    again, rounds, worst = True, 0, 0.0
    while again:
        count, found = prepare(options.given, memory.metric, rows, solver)
        if found > 0:
            return found
        touching.found[1] = count
        put_forces(nb, h, memory)
        solve_free(memory.metric, memory.forces, rows, count, solver, memory.rates)
        couple(rows, speeds, memory.rates, solver, touching, wheels.dense)
        iterations, worst = solve_friction(
            touching.contact, touching.active, touching.found[0], wheels.dense, wheels.descent, LIMITS.tolerance
        )
        touching.counts[1] += iterations
        if not worst <= LIMITS.unsolved:
            return Trouble.FRICTION.value
        again = overload(options, rounds, h, touching, memory)
        rounds += 1
    touching.counts[0] += 1.0
    touching.counts[2] = max(touching.counts[2], worst)
    return 0


# ----------------------------------------------------------------------------------------------- to the end of the step


@func
def power_of_wrenches(robot: ChainTables, memory: GeometricMemory) -> Scalar:
    """Power of all outer wrenches at the present velocities."""
    total = 0.0
    for k in range(len(robot.links.codes)):
        if LinkRow(robot.links, k).has_body:
            body = Body(memory.bodies, k)
            total += power(body.velocity, body.wrench)
    return total


@func
def geometric_complete(problem: GeometricProblem, n: int, t: Scalar, h: Scalar, x: Array) -> None:
    """The state at the end of the step, what acted over it, works and counts."""
    robot, forces, options, drive, memory = (
        problem.robot,
        problem.forces,
        problem.options,
        problem.drive,
        problem.memory,
    )
    solver, touching = memory.solver, problem.wheels.touching
    rows = touching.found[2]
    rub(h, geometry_of(memory), touching)
    put_forces(options.frame.speeds, h, memory)
    solve_free(memory.metric, memory.forces, rows, touching.found[1], solver, memory.rates)
    spread_over(h, memory.rates)
    for r in range(rows):
        solver.pull[r] /= h
    find_efforts(robot, options, rows, memory)
    if problem.options.rate_slack is not None:
        actuator_torques(memory.bounds, memory.wishes, memory.acceleration, memory.torque)
    end_step(robot, options, h, x, memory)
    look_again_all(forces, memory)
    for i in range(len(memory.law_powers)):
        memory.law_powers[i] = 0.0
    spend_all(forces, t + 0.5 * h, memory)
    count_contacts(memory.bodies, touching, memory.tally)
    count_step(robot, options.frame.speeds, t, h, memory)
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if link.given:
            x[link.position] = drive.position[2 * n + 2, link.wanted]
    check_ranges(memory.tally.ranges, t + h, x)


@func
def end_step(robot: ChainTables, options: GeometricOptions, h: Scalar, x: Array, memory: GeometricMemory) -> None:
    """Speeds at the end, coordinates from the middle on, and works and impulse with the mean of both speeds, left in
    `memory.state`.
    """
    frame, state, slope, base = options.frame, memory.state, memory.slope, Base(memory.base, 0)
    speeds, mean = speeds_in(robot, memory, x), speeds_in(robot, memory, state)
    for a in range(len(speeds)):
        mean[a] = speeds[a] + 0.5 * h * memory.rates[a]
        speeds[a] += h * memory.rates[a]
    put_base_rates(frame, state, speeds, slope)
    for i in range(frame.coordinates):
        x[i] = state[i] + 0.5 * h * slope[i]
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        x[link.position] = state[link.position] + (0.0 if link.given else 0.5 * h * x[link.velocity])
    place(robot, frame, state, mean, geometry_of(memory))
    base.power = power_of_wrenches(robot, memory)
    driven, passive = powers_of(frame.speeds, mean, memory)
    sums = IntegralSums(x, len(x) - INTEGRALS)
    sums.actuators = sums.actuators + h * driven
    sums.environment = sums.environment + h * base.power
    sums.passive = sums.passive + h * passive
    sums.impulse = sums.impulse + h * outer_wrench(memory)


@func
def count_step(robot: ChainTables, nb: int, t: Scalar, h: Scalar, memory: GeometricMemory) -> None:
    """A step in the tally: every force works along the mean velocities of bodies and joints."""
    tally, mean = memory.tally, speeds_in(robot, memory, memory.state)
    for v in range(len(memory.torque)):
        add_work(tally, v, h * memory.torque[v] * mean[nb + v])
        compare(tally, v, t, memory.torque[v])
    driven, passive = powers_of(nb, mean, memory)
    flow, mass = mass_flow(robot.links, memory.bodies)
    add_step(tally, h, memory.law_powers, h * driven, h * Base(memory.base, 0).power, h * passive, h * flow, mass)


# -------------------------------------------------------------------------------------------------------------- records


@version_for(record_knot, GeometricProblem)
@func
def geometric_keep_knot(problem: GeometricProblem, x: Array, h: Scalar, r: int) -> None:
    robot, options, memory, records = problem.robot, problem.options, problem.memory, problem.records
    place(robot, options.frame, x, speeds_in(robot, memory, x), geometry_of(memory))
    keep_pose(robot, base_quaternion(options.frame, x), x, memory.bodies, records, r)
    keep_tally(memory.tally, records.tally, r)


@version_for(post_step, GeometricProblem)
@func
def geometric_arrive(problem: GeometricProblem, n: int, x: Array, r: int, recorded: bool, last: bool) -> None:
    robot, options, drive = problem.robot, problem.options, problem.drive
    memory, records = problem.memory, problem.records
    if recorded:
        keep_all_forces(robot, options.frame.speeds, speeds_in(robot, memory, x), memory, records, r)
        keep_wheels(memory.bodies, problem.wheels.touching, records.wheels, r)
    if last:
        return
    settle_base(options.frame, x)
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if link.given:
            x[link.velocity] = drive.velocity[2 * n + 2, link.column]
    return_to_seat(problem, x)
