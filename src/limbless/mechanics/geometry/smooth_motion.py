"""The geometric model with smooth forces, as `integrate.runge_kutta` asks for it."""

from __future__ import annotations

from typing import Any

from limbless.mechanics.algebra import (
    Quaternion,
    Twist,
    Wrench,
    carry_twist,
    carry_wrench,
    put_pair_at,
    put_quaternion_at,
    put_vector_at,
    transpose,
)
from limbless.mechanics.chain import (
    INTEGRALS,
    AccelerationFeedback,
    ActuatorLimit,
    AxisRecord,
    Base,
    BaseRecord,
    Body,
    BodyRecord,
    ChainDrive,
    ChainTables,
    IntegralSums,
    LinkRow,
    MixedActuation,
    PrescribedMotion,
    Spatial,
    active_set_step,
    actuate_joints,
    actuator_torques,
    chain_add,
    chain_work,
    check_limits,
    follow,
    put_joint_rates,
)
from limbless.mechanics.compiled import Array, Rows, Scalar, flat_slice, func, generic, noinline_func, version_for
from limbless.mechanics.geometry.base_charts import (
    PlanarChart,
    base_quaternion,
    is_near_lock,
    put_base_rates,
    settle_base,
)
from limbless.mechanics.geometry.clamp_projection import reseat
from limbless.mechanics.geometry.constrained_dynamics import Trouble, efforts, prepare, put_clamp_rows, solve_free
from limbless.mechanics.geometry.screws import accelerate, place, push_bodies, weigh
from limbless.mechanics.geometry.tables import (
    GeometricMemory,
    GeometricOptions,
    GeometricProblem,
    GeometricRecords,
    Geometry,
    geometry_of,
)
from limbless.mechanics.integrate.problem import (
    accumulate_work,
    add,
    failure_code,
    normalise,
    rate,
    record_instant,
)

version_for(add, GeometricProblem)(chain_add)
version_for(accumulate_work, GeometricProblem)(chain_work)


@generic
def drive_joints(
    actuation: Any,
    robot: ChainTables,
    options: GeometricOptions,
    drive: ChainDrive,
    i: int,
    x: Array,
    memory: GeometricMemory,
):
    """Row i of the drive: motion-given joints take it, torque-given ones get what their actuators give;
    `memory.passive`.
    """


version_for(drive_joints, PrescribedMotion)(follow)
version_for(drive_joints, MixedActuation, AccelerationFeedback)(actuate_joints)


@func
def speeds_in(robot: ChainTables, memory: GeometricMemory, x: Array) -> Array:
    """The speeds of all degrees of freedom in a state."""
    return flat_slice(x, LinkRow(robot.links, 0).velocity, len(memory.bias))


@func
def rest_base(options: GeometricOptions, speeds: Array, memory: GeometricMemory) -> None:
    """A motion-given base stands still."""
    for a in range(options.frame.speeds):
        if options.given[a]:
            speeds[a] = 0.0
            memory.rates[a] = 0.0


# ------------------------------------------------------------------------------------------ the equations at an instant


@noinline_func
def find_mixed_terms(
    mixed: Array, robot: ChainTables, frame: PlanarChart, x: Array, speeds: Array, memory: GeometricMemory
) -> None:
    """What (22) as printed leaves out: minus 2 Γ_ijk ẋ_i ẋ_j with i of the base and j of the joints.

    Γ(v, v) is quadratic: the mixed part is what all speeds have beyond those of the base and those of the joints alone.
    Wrenches that stand on the bodies fall out of the sum.
    """
    part = memory.forces
    for a in range(mixed.shape[0]):
        mixed[a] = 0.0
    for which in range(4):  # of the base, of the joints; less all and none
        for a in range(part.shape[0]):
            part[a] = speeds[a] if which == 2 or which == (0 if a < frame.speeds else 1) else 0.0
        place(robot, frame, x, part, geometry_of(memory))
        weigh(robot, frame.speeds, geometry_of(memory))
        for a in range(mixed.shape[0]):
            mixed[a] += memory.bias[a] if which < 2 else -memory.bias[a]


@func
def weigh_at(
    mixed: Array,
    robot: ChainTables,
    forces: tuple,
    frame: PlanarChart,
    t: Scalar,
    window_time: Scalar,
    x: Array,
    speeds: Array,
    memory: GeometricMemory,
) -> None:
    """Poses, wrenches, metric and bias of a state; without the `mixed` terms in the rows of the base, if there is
    memory for them.
    """
    if mixed is not None:
        find_mixed_terms(mixed, robot, frame, x, speeds, memory)
    geometry = geometry_of(memory)
    place(robot, frame, x, speeds, geometry)
    push_bodies(forces, t, window_time, robot, memory)
    weigh(robot, frame.speeds, geometry)
    if mixed is not None:
        for a in range(frame.speeds):
            memory.bias[a] += mixed[a]


@func
def weigh_among(problem: GeometricProblem, t: Scalar, window_time: Scalar, x: Array, speeds: Array) -> int:
    """The same of a problem, and the rows of a clamp. Returns how many these are."""
    robot, options, memory = problem.robot, problem.options, problem.memory
    weigh_at(options.mixed, robot, problem.forces, options.frame, t, window_time, x, speeds, memory)
    if options.clamp is None:
        return 0
    return put_clamp_rows(options.clamp, robot, options.frame, geometry_of(memory), memory.solver)


@func
def put_forces(nb: int, h: Scalar, memory: GeometricMemory) -> None:
    """Right-hand side of all degrees of freedom: force, or impulse over a step of h seconds."""
    for a in range(len(memory.bias)):
        acting = 0.0 if a < nb else memory.torque[a - nb] + memory.passive[a - nb]
        memory.forces[a] = h * (acting - memory.bias[a])


@func
def weigh_leads(nb: int, sign: Any, memory: GeometricMemory) -> None:
    """Put the inertia with which feedback answers to accelerations into the metric, or take it out."""
    for v in range(len(memory.torque)):
        memory.metric[nb + v, nb + v] += sign * ActuatorLimit(memory.bounds, v).leading


@func
def relent_in_metric(nb: int, rounds: int, slack: Any, memory: GeometricMemory):
    """Whether some actuator gives what it should not at the accelerations found; the metric follows the bounds."""
    weigh_leads(nb, -1.0, memory)
    again = active_set_step(memory.bounds, rounds, slack, memory.wishes, memory.acceleration, memory.torque)
    weigh_leads(nb, 1.0, memory)
    return again


@func
def solve_once(options: GeometricOptions, rows: int, memory: GeometricMemory) -> int:
    """Accelerations that are not given. Returns 0, or the `Trouble`."""
    count, found = prepare(options.given, memory.metric, rows, memory.solver)
    if found == 0:
        put_forces(options.frame.speeds, 1.0, memory)
        solve_free(memory.metric, memory.forces, rows, count, memory.solver, memory.rates)
    return found


@func
def find_rates(options: GeometricOptions, rows: int, memory: GeometricMemory) -> int:
    """Accelerations that are not given, with what the actuators can give. Returns 0, or the `Trouble`."""
    if options.rate_slack is None:
        return solve_once(options, rows, memory)
    again, rounds, found = True, 0, 0
    while again:
        found = solve_once(options, rows, memory)
        again = found == 0 and relent_in_metric(options.frame.speeds, rounds, options.rate_slack, memory)
        rounds += 1
    actuator_torques(memory.bounds, memory.wishes, memory.acceleration, memory.torque)
    return found


@func
def find_efforts(robot: ChainTables, options: GeometricOptions, rows: int, memory: GeometricMemory) -> None:
    """Torques along the given joints, accelerations of all bodies, and what holds the robot."""
    nb = options.frame.speeds
    efforts(memory.metric, memory.bias, memory.rates, rows, memory.solver, memory.effort)
    for v in range(len(memory.torque)):
        if options.given[nb + v]:
            memory.torque[v] = memory.effort[nb + v] - memory.passive[v]
    accelerate(robot, nb, memory.rates, geometry_of(memory))


# -------------------------------------------------------------------------------------------------- what an engine asks


@version_for(rate, GeometricProblem)
@func
def geometric_rate(problem: GeometricProblem, i: int, t: Scalar, window_time: Scalar, x: Array, out: Array) -> None:
    robot, options, drive, memory = problem.robot, problem.options, problem.drive, problem.memory
    speeds = speeds_in(robot, memory, x)
    rest_base(options, speeds, memory)
    drive_joints(options.actuation, robot, options, drive, i, x, memory)
    rows = weigh_among(problem, t, window_time, x, speeds)
    for r in range(rows):
        memory.solver.target[r] = -memory.solver.row_rates[r]
    found = Trouble.LOCK.value if is_near_lock(options.frame, x) else find_rates(options, rows, memory)
    if found == 0:
        find_efforts(robot, options, rows, memory)
        put_rates(robot, options, x, speeds, memory, out)
        put_joint_rates(options.actuation, robot, x, memory, out)
    elif memory.trouble[0] == 0:  # rates stay what they were: the engine stops at the next knot
        memory.trouble[0] = found


@func
def powers_of(nb: int, speeds: Array, memory: GeometricMemory) -> tuple[Scalar, Scalar]:
    """Power of the actuators, and of springs, dampers and friction in the joints."""
    driven, passive = 0.0, 0.0
    for v in range(len(memory.torque)):
        driven += memory.torque[v] * speeds[nb + v]
        passive += memory.passive[v] * speeds[nb + v]
    return driven, passive


@func
def outer_wrench(memory: GeometricMemory) -> Wrench:
    """All outer wrenches together, about the world's origin."""
    base = Base(memory.base, 0)
    return carry_wrench(base.pushed + base.held, Body(memory.bodies, 0).origin)


@func
def put_rates(
    robot: ChainTables, options: GeometricOptions, x: Array, speeds: Array, memory: GeometricMemory, out: Array
) -> None:
    """Rates of the base and of the sums."""
    frame, start = options.frame, LinkRow(robot.links, 0).velocity
    put_base_rates(frame, x, speeds, out)
    for a in range(frame.speeds):
        out[start + a] = 0.0 if options.given[a] else memory.rates[a]
    sums = IntegralSums(out, len(x) - INTEGRALS)
    driven, passive = powers_of(frame.speeds, speeds, memory)
    sums.actuators = driven
    sums.environment = Base(memory.base, 0).power
    sums.passive = passive
    sums.impulse = outer_wrench(memory)


@version_for(failure_code, GeometricProblem)
@func
def geometric_trouble(problem: GeometricProblem) -> int:
    return problem.memory.trouble[0]


@func
def return_to_seat(problem: GeometricProblem, x: Array) -> None:
    """After a step: the clamped module back where it is held."""
    robot, options, memory = problem.robot, problem.options, problem.memory
    if options.clamp is not None:
        reseat(robot, options.frame, options.clamp, x, speeds_in(robot, memory, x), geometry_of(memory))


@func
def end_given(robot: ChainTables, state: Array, x: Array) -> None:
    """Motion-given joints at the end of the step, where the last stage stood."""
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if link.given:
            x[link.position] = state[link.position]
            x[link.velocity] = state[link.velocity]


@version_for(normalise, GeometricProblem)
@func
def geometric_settle(problem: GeometricProblem, x: Array) -> None:
    settle_base(problem.options.frame, x)
    if problem.options.clamp is not None:  # otherwise the next stage takes given joints from the drive
        end_given(problem.robot, problem.memory.state, x)
    return_to_seat(problem, x)


@version_for(record_instant, GeometricProblem)
@func
def geometric_record(problem: GeometricProblem, t: Scalar, x: Array, slope: Array, r: int, recorded: bool, last: bool):
    check_limits(problem, t, x, r, recorded, last)
    if not recorded:
        return None
    robot, options, memory, records = problem.robot, problem.options, problem.memory, problem.records
    speeds = speeds_in(robot, memory, x)
    keep_pose(robot, base_quaternion(options.frame, x), x, memory.bodies, records, r)
    keep_all_forces(robot, options.frame.speeds, speeds, memory, records, r)
    return None


@noinline_func
def keep_pose(
    robot: ChainTables, orientation: Quaternion, x: Array, bodies: Rows[Body], records: GeometricRecords, r: int
) -> None:
    """Coordinates, poses and twists of this instant."""
    base, body, kept, n = LinkRow(robot.links, 0), Body(bodies, 0), records.x[r], len(robot.freedoms)
    first, V, Rt = base.position, body.velocity, transpose(body.rotation)
    put_vector_at(kept, first, body.origin)
    put_quaternion_at(kept, first + 3, orientation)
    put_pair_at(kept, first + 7 + n, Twist(Rt @ V.linear, Rt @ V.angular))
    for v in range(n):
        kept[7 + v] = x[base.positions + v]
        kept[13 + n + v] = x[base.velocity + base.freedoms + v]
    for i in range(INTEGRALS):
        kept[13 + 2 * n + i] = x[len(x) - INTEGRALS + i]
    for k in range(len(robot.links.codes)):
        body, place_kept = Body(bodies, k), BodyRecord(records.bodies, r, k)
        place_kept.rotation = body.rotation
        place_kept.origin = body.origin
        place_kept.twist = body.velocity


@func
def keep_all_forces(
    robot: ChainTables, nb: int, speeds: Array, memory: GeometricMemory, records: GeometricRecords, r: int
) -> None:
    """Accelerations, torques, powers and wrenches of this instant (or of the step that begins there)."""
    kept = BaseRecord(records.base, r)
    kept.actuators, kept.passive = powers_of(nb, speeds, memory)
    for v in range(len(memory.torque)):
        axis = AxisRecord(records.axes, r, v)
        axis.acceleration = memory.acceleration[v]
        axis.torque = memory.torque[v]
    keep_forces(robot, geometry_of(memory), records, r)


@noinline_func
def keep_forces(robot: ChainTables, geometry: Geometry, records: GeometricRecords, r: int) -> None:
    """Accelerations and wrenches of base and bodies."""
    base, kept, body = Base(geometry.base, 0), BaseRecord(records.base, r), Body(geometry.bodies, 0)
    start, Rt, A = body.origin, transpose(body.rotation), Spatial(geometry.spatial, 0).acceleration
    kept.acceleration = Twist(Rt @ A.linear, Rt @ A.angular)
    kept.held = base.held
    kept.environment = base.power
    for k in range(len(robot.links.codes)):
        body, body_kept = Body(geometry.bodies, k), BodyRecord(records.bodies, r, k)
        body_kept.twist_rate = carry_twist(Spatial(geometry.spatial, k).acceleration, body.origin - start)
        body_kept.wrench = body.wrench
