"""A chain as a problem for an engine.

The state holds position (7 + joint positions), velocity (6 + freedoms), the numbers of controllers and `IntegralSums`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from limbless.mechanics.algebra import (
    carry_wrench,
    copy,
    copy_part,
    fill,
    normalised,
    put_pair_at,
    put_quaternion_at,
    put_vector_at,
    quaternion_at,
    twist_at,
    vector_at,
    wrench_at,
)
from limbless.mechanics.chain import (
    INTEGRALS,
    AccelerationFeedback,
    AxisRecord,
    Base,
    BaseRecord,
    Body,
    BodyRecord,
    ChainMemory,
    ChainProblem,
    ChainRecords,
    ChainTables,
    Inertialess,
    IntegralSums,
    LinkRow,
    MixedActuation,
    Motors,
    PrescribedMotion,
    TendonState,
    actuate,
    feedforward,
    find_accelerations,
    forward_kinematics,
    mass_speed,
    put_joint_rates,
    put_motor_rates,
    put_quaternion_rate,
    return_to_seat,
    saturate,
    settle_joints,
    singular_joint,
)
from limbless.mechanics.compiled import (
    Array,
    Scalar,
    constant_version,
    delegate,
    func,
    generic,
    noinline_func,
    version_for,
)
from limbless.mechanics.control.closed_loop import command_all, place_all_joints, put_all_control_rates, sample_all
from limbless.mechanics.forces import push_all, spend_all
from limbless.mechanics.integrate import (
    accumulate_work,
    add,
    add_laws,
    add_smooth_works,
    compare_and_record,
    failure_code,
    normalise,
    rate,
    record_instant,
    score_knot,
    score_stage,
    score_step,
)

if TYPE_CHECKING:
    from limbless.mechanics.chain.strain_cell import Cells


@generic
def slow_rate(slow: Any, problem: Any, i: int, t: Scalar, window_time: Scalar, x: Array, out: Array):
    """The rate of a robot without inertia, and the velocities in x: see `slow_motion`, which others never load."""


@version_for(rate, ChainProblem)
@func
def chain_rate(problem: ChainProblem, i: int, t: Scalar, window_time: Scalar, x: Array, out: Array) -> None:
    if problem.memory.slow is not None:
        slow_rate(problem.memory.slow, problem, i, t, window_time, x, out)
        return
    robot, options, memory = problem.robot, problem.options, problem.memory
    actuate(options.actuation, robot, options, problem.drive, i, x, memory)
    place_all_joints(options.controllers, robot, x, memory)
    feedforward(options.actuation, problem, i, t, window_time, x)
    command_and_push(problem, t, window_time, x)
    put_state_rates(problem, t, x, out)


@func
def command_and_push(problem: ChainProblem, t: Scalar, window_time: Scalar, x: Array) -> None:
    """Bodies where the state has them, what controllers command there, and all that pushes."""
    robot, options, memory = problem.robot, problem.options, problem.memory
    forward_kinematics(robot, x, memory)
    command_all(options.controllers, t, robot, x, memory)
    saturate(options.actuation, robot, options, x, memory)
    push_all(problem.forces, t, window_time, robot, memory)


@func
def put_state_rates(problem: ChainProblem, t: Scalar, x: Array, out: Array) -> None:
    """The dynamics of an instant whose forces are known, and the rates of all numbers of its state."""
    robot, options, memory = problem.robot, problem.options, problem.memory
    find_accelerations(options.actuation, robot, options.base, memory)
    put_rates(robot, x, memory, out)
    put_joint_rates(options.actuation, robot, x, memory, out)
    put_all_control_rates(options.controllers, t, robot, x, memory, out)
    if options.motors is not None:
        put_motor_rates(options.motors, memory.torque, x, out)


@func
def put_rates(robot: ChainTables, x: Array, memory: ChainMemory, out: Array) -> None:
    """Rates of the base and of the sums."""
    place, base, body = LinkRow(robot.links, 0), Base(memory.base, 0), Body(memory.bodies, 0)
    first, second, freedoms = place.position, place.velocity, len(memory.torque)
    twist = twist_at(x, second)
    put_vector_at(out, first, body.rotation @ twist.linear)
    put_quaternion_rate(x, first + 3, twist.angular, out)
    put_pair_at(out, second, base.acceleration)
    driven, passive = 0.0 * base.power, 0.0 * base.power
    for v in range(freedoms):
        driven += memory.torque[v] * x[second + 6 + v]
        passive += memory.passive[v] * x[second + 6 + v]
    driven, passive = account_tendons(memory.cells, driven, passive)
    sums = IntegralSums(out, len(out) - INTEGRALS)
    sums.actuators = driven
    sums.environment = base.power
    sums.passive = passive
    sums.impulse = carry_wrench(base.pushed + base.held, vector_at(x, first))


@func
def account_tendons(cells: Cells | None, driven: Scalar, passive: Scalar) -> tuple[Scalar, Scalar]:
    """Power of the actuators and of all that is passive, from that along all freedoms: what a tendon takes and does
    not give to the body it stores, or loses.
    """
    if cells is not None:
        for c in range(cells.pulls.shape[0]):
            pull = TendonState(cells.pulls, c)
            driven += pull.power - pull.given
            passive += pull.given - pull.fed + pull.braked
    return driven, passive


@func
def add_span(first: int, last: int, start: Array, step: Scalar, slope: Array, end: Array) -> None:
    for c in range(first, last):
        end[c] = start[c] + step * slope[c]


add_by = delegate(add, ChainProblem, "options.actuation")


@version_for(add_by, PrescribedMotion, Inertialess)
@func
def add_base(
    actuation: Inertialess | PrescribedMotion,
    problem: ChainProblem,
    start: Array,
    step: Scalar,
    slope: Array,
    end: Array,
) -> None:
    """The coordinates of joints that are all motion-given do not take part."""
    base, freedoms = LinkRow(problem.robot.links, 0), len(problem.memory.torque)
    add_span(base.position, base.position + base.positions, start, step, slope, end)
    add_span(base.velocity, base.velocity + base.freedoms, start, step, slope, end)
    add_span(base.velocity + base.freedoms + freedoms, len(start), start, step, slope, end)


@version_for(add_by, object)
@func
def add_all(actuation: Any, problem: ChainProblem, start: Array, step: Scalar, slope: Array, end: Array) -> None:
    add_span(LinkRow(problem.robot.links, 0).position, len(start), start, step, slope, end)


@version_for(normalise, ChainProblem)
@func
def chain_settle(problem: ChainProblem, x: Array) -> None:
    turned = LinkRow(problem.robot.links, 0).position + 3
    put_quaternion_at(x, turned, normalised(quaternion_at(x, turned)))
    settle_joints(problem.options.actuation, problem.robot, problem.memory.state, x)
    if problem.memory.clamp is not None:
        end_given(problem.robot, problem.memory.state, x)
        return_to_seat(problem.robot, problem.memory, x, True)
    place_all_joints(problem.options.controllers, problem.robot, x, problem.memory)
    sample_all(problem.options.controllers, problem.robot, x, problem.memory)


@func
def end_given(robot: ChainTables, state: Array, x: Array) -> None:
    """Motion-given joints at the end of the step, where the last stage stood."""
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if link.given:
            copy_part(state, link.position, x, link.position, link.positions)
            copy_part(state, link.velocity, x, link.velocity, link.freedoms)


@generic
def find_locked(actuation: Any, robot: ChainTables, memory: ChainMemory) -> Any:
    """Row of a joint that has no inertia to move, or 0."""


constant_version(find_locked, 0, PrescribedMotion)


@version_for(find_locked, Inertialess)
@func
def unbalanced(actuation: Inertialess, robot: ChainTables, memory: ChainMemory):
    return int(actuation.failed[0])


@version_for(find_locked, MixedActuation, AccelerationFeedback)
@func
def some_locked(actuation: AccelerationFeedback | MixedActuation, robot: ChainTables, memory: ChainMemory) -> int:
    return singular_joint(robot, memory)


@version_for(failure_code, ChainProblem)
@func
def chain_trouble(problem: ChainProblem) -> Scalar:
    if problem.memory.slow is not None:
        if problem.memory.slow.failed[0] > 0.0:
            return problem.memory.slow.failed[0]
    return find_locked(problem.options.actuation, problem.robot, problem.memory)


@version_for(record_instant, ChainProblem)
@func
def chain_record(problem: ChainProblem, t: Scalar, x: Array, slope: Array, r: int, recorded: bool, last: bool) -> None:
    check_limits(problem, t, x, r, recorded, last)
    if recorded:
        if problem.memory.cells is not None:
            keep_cells(problem.memory.cells, problem.robot, problem.memory, r)
        keep_instant(problem.robot, problem.options.motors, problem.memory, problem.records, x, slope, r)


@generic
def keep_cells(cells: Cells, robot: ChainTables, memory: ChainMemory, r: int):
    """Tendons and stations of this instant: see `strain_cell`, which a chain of rigid links never loads."""


@noinline_func
def keep_instant(
    robot: ChainTables,
    motors: Motors | None,
    memory: ChainMemory,
    records: ChainRecords,
    x: Array,
    slope: Array,
    r: int,
) -> None:
    copy(x, records.x[r])
    base, kept, sums = Base(memory.base, 0), BaseRecord(records.base, r), IntegralSums(slope, len(x) - INTEGRALS)
    kept.acceleration = base.acceleration
    kept.held = base.held
    kept.actuators = sums.actuators
    kept.environment = sums.environment
    kept.passive = sums.passive
    for v in range(len(memory.torque)):
        axis = AxisRecord(records.axes, r, v)
        axis.acceleration = memory.acceleration[v]
        axis.torque = memory.torque[v]
        if motors is not None:
            records.x[r, motors.place[0] + v] = motors.voltage[v]
    links = len(robot.links.codes)
    for k in range(memory.bodies.shape[0]):
        if k >= links or LinkRow(robot.links, k).has_body:  # behind the links: the stations of cells
            body, place = Body(memory.bodies, k), BodyRecord(records.bodies, r, k)
            place.rotation = body.rotation
            place.origin = body.origin
            place.twist = body.velocity
            place.twist_rate = body.known + body.delta
            place.wrench = body.wrench
    if memory.clamp is not None and memory.clamp.body[0] >= 0:
        held, place = wrench_at(memory.clamp.hold, 0), BodyRecord(records.bodies, r, memory.clamp.body[0])
        kept.clamp = held
        place.wrench = place.wrench + held


@generic
def efforts(actuation: Any, memory: ChainMemory) -> Array:
    """What the actuators give, one number each."""


@generic
def put_powers(actuation: Any, memory: ChainMemory, powers: Array, stage: int, x: Array, velocity: int):
    """Their powers into row `stage`; velocities of the joints begin at `velocity` in a state."""


@generic
def flow_speed(actuation: Any, robot: ChainTables, memory: ChainMemory) -> Scalar:
    """Speed of the centre of mass, m/s."""


@version_for(efforts, PrescribedMotion, MixedActuation, AccelerationFeedback, Inertialess)
@func
def joint_efforts(actuation: Any, memory: ChainMemory) -> Array:
    return memory.torque


@version_for(put_powers, PrescribedMotion, MixedActuation, AccelerationFeedback, Inertialess)
@func
def put_joint_powers(actuation: Any, memory: ChainMemory, powers: Array, stage: int, x: Array, velocity: int) -> None:
    for v in range(len(memory.torque)):
        powers[stage, v] = memory.torque[v] * x[velocity + v]


@version_for(flow_speed, PrescribedMotion, MixedActuation, AccelerationFeedback, Inertialess)
@func
def chain_speed(actuation: Any, robot: ChainTables, memory: ChainMemory) -> Scalar:
    return mass_speed(robot, memory.bodies)


@func
def check_limits(problem: ChainProblem, t: Scalar, x: Array, r: int, recorded: bool, last: bool) -> None:
    """At a knot: peaks and limits; where it is recorded, all totals so far."""
    memory, actuation = problem.memory, problem.options.actuation
    if memory.tally is None:
        return
    given = efforts(actuation, memory)
    if problem.records.tally is None:
        score_knot(memory.tally, given)
    else:
        speed = flow_speed(actuation, problem.robot, memory)
        compare_and_record(memory.tally, problem.records.tally, r, recorded, last, t, x, given, speed)


@func
def spend_laws(problem: ChainProblem, window_time: Scalar) -> None:
    """The powers of all laws, in `memory.law_powers`."""
    memory = problem.memory
    fill(memory.law_powers, 0.0)
    spend_all(problem.forces, window_time, memory)


@func
def spend_actuators(problem: ChainProblem, powers: Array, row: int, x: Array) -> None:
    """The powers of all actuators, into a row of `powers`."""
    base = LinkRow(problem.robot.links, 0)
    put_powers(problem.options.actuation, problem.memory, powers, row, x, base.velocity + base.freedoms)


@version_for(accumulate_work, ChainProblem)
@func
def chain_work(
    problem: ChainProblem, stage: int, h: Scalar, seconds: Scalar, window_time: Scalar, x: Array, slope: Array
) -> None:
    tally, memory = problem.memory.tally, problem.memory
    if tally is None:
        return
    spend_actuators(problem, memory.powers, stage, x)
    if problem.records.tally is None:
        score_stage(tally, seconds, efforts(problem.options.actuation, memory))
        if stage == 3:
            score_step(tally, h, memory.powers)
        return
    spend_laws(problem, window_time)
    sums = IntegralSums(slope, len(x) - INTEGRALS)
    add_laws(tally, seconds, memory.law_powers, sums.actuators, sums.environment, sums.passive)
    if stage == 3:
        add_smooth_works(tally, h, memory.powers)
