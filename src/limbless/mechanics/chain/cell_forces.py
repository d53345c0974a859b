"""What acts along the freedoms of soft bodies, each of them given or free: springs, dampers, muscles, tendons."""

from __future__ import annotations

from typing import Any

from limbless.mechanics.algebra import carry_wrench, copy, copy_part, dot, fill
from limbless.mechanics.chain import (
    ActuatorLimit,
    Axis,
    Base,
    Body,
    ChainMemory,
    ChainOptions,
    ChainTables,
    DriveSample,
    LinkRow,
    Stop,
    StrainActuation,
    TendonState,
    account,
    actuate,
    bend_pieces,
    efforts,
    find_accelerations,
    find_locked,
    flow_speed,
    hybrid_dynamics,
    material_forces,
    put_joint_rates,
    put_powers,
    put_winch_rates,
    solve_tensions,
    spring_forces,
    take_winches,
)
from limbless.mechanics.compiled import (
    Array,
    Scalar,
    absolute,
    func,
    maximum,
    minimum,
    noinline_func,
    primal,
    sqrt,
    strict_kernel,
    value_of,
    version_for,
    where_positive,
)

NODES = 4  # samples of the drive per step: quarters of it
NOTHING = 1e-300  # so little that none is as much
SINGULAR = 1e-13  # a pivot this much smaller than what it is made of


@func
def lagrange(share: Scalar, k: int) -> Scalar:
    """Weight of sample k, at k / 4 of a step, in the parabola of fourth degree through all five, at `share` of it."""
    weight, s = 1.0, 4.0 * share
    for j in range(5):
        if j != k:
            weight *= (s - j) / (k - j)
    return weight


@func
def weights_at(share: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar, Scalar]:
    """Of all five samples."""
    return lagrange(share, 0), lagrange(share, 1), lagrange(share, 2), lagrange(share, 3), lagrange(share, 4)


@func
def blend(samples: Array, row: int, weights: tuple[Scalar, Scalar, Scalar, Scalar, Scalar], out: Array) -> None:
    """A row of the drive, with these `weights` of the samples from `row` on."""
    fill(out, 0.0)
    last = samples.shape[0] - 1
    for k in range(5):
        if weights[k] != 0.0:
            for c in range(out.shape[0]):
                out[c] += weights[k] * samples[min(row + k, last), c]


@noinline_func
def drive_to(drive: Any, n: int, share: Scalar, present: DriveSample) -> None:
    """The drive at `share` (0 to 1) of step n."""
    row, weights = NODES * n, weights_at(share)
    for samples, out in (
        (drive.position, present.position),
        (drive.velocity, present.velocity),
        (drive.acceleration, present.acceleration),
        (drive.torque, present.effort),
        (drive.command, present.asked),
        (drive.command_rate, present.asked_rate),
    ):
        blend(samples, row, weights, out)


@version_for(actuate, StrainActuation)
@func
def actuate_cells(
    actuation: StrainActuation,
    robot: ChainTables,
    options: ChainOptions,
    drive: Any,
    i: int,
    x: Array,
    memory: ChainMemory,
) -> None:
    """Row i of the halves of steps."""
    drive_to(drive, i // 2, 0.5 * (i % 2), memory.cells.present)
    strain_freedoms(robot, x, memory)


@noinline_func
def strain_freedoms(robot: ChainTables, x: Array, memory: ChainMemory) -> None:
    """Given freedoms take the present drive; elastic and viscous forces along all, those of
    muscles; all pieces bent.
    """
    cells, base = memory.cells, LinkRow(robot.links, 0)
    present = cells.present
    position, velocity = base.position + base.positions, base.velocity + base.freedoms
    for i in range(cells.driven.shape[0]):
        v = cells.driven[i]
        x[position + v] = present.position[i]
        x[velocity + v] = present.velocity[i]
        memory.acceleration[v] = present.acceleration[i]
        cells.strain_push[v] = present.acceleration[i]
    copy(present.asked, present.command)
    copy(present.asked_rate, present.command_rate)
    fill(memory.torque, 0.0)
    copy_part(present.effort, 0, memory.torque, 0, present.effort.shape[0])
    copy_part(x, position, cells.strain, 0, memory.torque.shape[0])
    copy_part(x, velocity, cells.strain_rate, 0, memory.torque.shape[0])
    if cells.ropes is not None:
        take_winches(cells.ropes, x)
    if cells.material is None:
        spring_forces(robot, memory)
    else:
        material_forces(cells.material, robot, memory)
    for v in range(memory.torque.shape[0]):
        stop = Stop(cells.stops, v)
        if value_of(stop.stiffness) > 0.0:
            stop_force(stop, cells.span[0], cells.strain[v], cells.strain_rate[v], memory, v)
    bend_pieces(cells.columns, cells)


@func
def stop_force(stop: Stop, gh: Scalar, q: Scalar, rate: Scalar, memory: ChainMemory, v: int) -> None:
    """A spring with a damper beyond a stop, and what an implicit stage takes ahead of it."""
    over = q - minimum(maximum(q, stop.low), stop.high)
    meets = where_positive(absolute(primal(over)), 1.0, 0.0)
    memory.passive[v] -= stop.stiffness * over + meets * stop.damping * rate
    ActuatorLimit(memory.bounds, v).leading = meets * (gh * stop.damping + gh * gh * stop.stiffness)


@version_for(find_accelerations, StrainActuation)
@func
def find_and_sum(actuation: StrainActuation, robot: ChainTables, base: int, memory: ChainMemory) -> None:
    hybrid_dynamics(robot, base, memory)
    if memory.cells.ropes is not None:
        solve_tensions(memory.cells.ropes, robot, base, memory)
    sum_pushes(len(robot.links.codes), memory)


@noinline_func
def sum_pushes(nodes: int, memory: ChainMemory) -> None:
    """Power and resultant of what pushes the stations within cells, added to those of the nodes (see `spread`)."""
    base, origin = Base(memory.base, 0), Body(memory.bodies, 0).origin
    total, spent = base.pushed, base.power
    for k in range(nodes, memory.bodies.shape[0]):
        body = Body(memory.bodies, k)
        F, spent = account(memory.water, k, body.velocity, body.wrench, 0.0 * total, spent)
        total = total + carry_wrench(F, body.origin - origin)
    base.pushed = total
    base.power = spent


@version_for(put_joint_rates, StrainActuation)
@noinline_func
def put_cell_rates(actuation: StrainActuation, robot: ChainTables, x: Array, memory: ChainMemory, out: Array) -> None:
    base = LinkRow(robot.links, 0)
    position, velocity = base.position + base.positions, base.velocity + base.freedoms
    for v in range(memory.torque.shape[0]):
        free = memory.cells.given[v] == 0
        out[position + v] = x[velocity + v] if free else 0.0
        out[velocity + v] = memory.acceleration[v] if free else 0.0
    if memory.cells.ropes is not None:
        put_winch_rates(memory.cells.ropes, x, out)


@version_for(find_locked, StrainActuation)
@func
def some_singular(actuation: StrainActuation, robot: ChainTables, memory: ChainMemory) -> Scalar:
    return singular_cell(robot, memory)


@strict_kernel
def singular_cell(robot: ChainTables, memory: ChainMemory) -> Scalar:
    """Row of a cell with a free strain that has no inertia to move; as many rows more where one of its pieces turns too
    far, and twice as many where one is stretched to nothing; or 0. Of several the outermost.
    """
    rows = len(robot.links.codes)
    found = 0.0 * primal(memory.cells.span[0])
    for k in range(1, rows):
        link = LinkRow(robot.links, k)
        for v in range(link.column, link.column + link.freedoms):
            if memory.cells.given[v] == 0:
                axis = Axis(memory.axes, v)
                lacks = SINGULAR * primal(axis.around) - primal(axis.own) + NOTHING
                found = where_positive(lacks, 1.0 * k, found)
        found = overbent(link, k, rows, memory, found)
    return found


@func
def overbent(link: LinkRow, k: int, rows: int, memory: ChainMemory, found: Scalar) -> Scalar:
    """The part of it that asks how far the pieces of cell k turn and are stretched; else what was `found`."""
    widest = primal(Axis(memory.axes, link.column).mobility)
    found = where_positive(-widest, 1.0 * (k + 2 * rows), found)
    return where_positive(widest - primal(link.size), 1.0 * (k + rows), found)


@strict_kernel
def overbent_cell(robot: ChainTables, memory: ChainMemory) -> Scalar:
    """Row of a cell with a piece that turns too far or is stretched to nothing, as `singular_cell` counts it, or 0."""
    rows = len(robot.links.codes)
    found = 0.0 * primal(memory.cells.span[0])
    for k in range(1, rows):
        found = overbent(LinkRow(robot.links, k), k, rows, memory, found)
    return found


# ------------------------------------------------------------------------------------------------------ what is counted


@version_for(efforts, StrainActuation)
@func
def cell_efforts(actuation: StrainActuation, memory: ChainMemory) -> Array:
    put_efforts(memory)
    return memory.cells.efforts


@noinline_func
def put_efforts(memory: ChainMemory) -> None:
    cells = memory.cells
    tendons = cells.pulls.shape[0] if cells.efforts.shape[0] == cells.pulls.shape[0] else 0
    for c in range(tendons):
        cells.efforts[c] = TendonState(cells.pulls, c).tension
    modes = cells.effort_at.shape[1]
    for v in range(tendons, cells.efforts.shape[0]):
        cells.efforts[v] = at_point(cells.effort_at, v, modes, memory.torque, 0) if modes > 0 else memory.torque[v]


@func
def at_point(table: Array, v: int, modes: int, values: Array, start: int) -> Scalar:
    """Row v of a table times the modes of the strain that it belongs to."""
    first = start + v - v % modes
    found = table[v, 0] * values[first]
    for j in range(1, modes):
        found += table[v, j] * values[first + j]
    return found


@version_for(put_powers, StrainActuation)
@noinline_func
def put_cell_powers(
    actuation: StrainActuation, memory: ChainMemory, powers: Array, stage: int, x: Array, velocity: int
) -> None:
    for c in range(powers.shape[1]):
        powers[stage, c] = power_of(memory, c, x, velocity)


@func
def power_of(memory: ChainMemory, c: int, rates: Array, start: int) -> Scalar:
    """Of actuator c: a tendon, or an effort that is tallied; rates of all freedoms stand in `rates` from `start` on.
    An effort at a point of a rod works along the rate at that point, not along that of a mode.
    """
    cells = memory.cells
    modes = cells.effort_at.shape[1]
    if cells.efforts.shape[0] == cells.pulls.shape[0]:
        return TendonState(cells.pulls, c).power
    if modes > 0:
        effort = at_point(cells.effort_at, c, modes, memory.torque, 0)
        return effort * at_point(cells.rate_at, c, modes, rates, start)
    return memory.torque[c] * rates[start + c]


@version_for(flow_speed, StrainActuation)
@noinline_func
def cell_speed(actuation: StrainActuation, robot: ChainTables, memory: ChainMemory) -> Scalar:
    flow = 0.0 * Body(memory.bodies, 0).origin
    for k in range(memory.bodies.shape[0]):
        flow = flow + memory.cells.weigh[k] * Body(memory.bodies, k).velocity.linear
    return sqrt(dot(flow, flow))
