"""What a step of cells did: works, impulse, and the record of a knot. Every force works along the velocity of the
stage; what the step rule itself takes is a work of its own.

For springs that are linear and masses that do not change the change of all energy is the work of the rest less

    N = (θ - 1/2) (Σ Δuᵀ B Δu + h² vᵀ K v) >= 0

with the rotors of winches among the masses, and taut tendons among the springs.
"""

from __future__ import annotations

from limbless.mechanics.algebra import Vector, Wrench, carry_wrench, copy, copy_part, power, twist_at
from limbless.mechanics.chain import (
    AxisRecord,
    BaseRecord,
    Body,
    BodyRecord,
    ChainMemory,
    ChainTables,
    ElasticTendon,
    ElasticTendons,
    IntegralSums,
    LinkRow,
    TendonState,
    WinchState,
    account,
    account_tendons,
    power_of,
    put_efforts,
)
from limbless.mechanics.compiled import Array, Rows, Scalar, func, noinline_func
from limbless.mechanics.contact import (
    BaseStep,
    BodyOutcome,
    BodyStep,
    CellRecord,
    SoftContactProblem,
    StationStep,
    Step,
    StepCounters,
    add_sums,
    end_objects,
    finish_contacts,
    given_efforts,
    keep_step,
    spend_step,
)
from limbless.mechanics.integrate.running_totals import add_work, compare, record_totals


@noinline_func
def stage_velocities(step: Step, bodies: int, theta: Scalar) -> Scalar:
    """`Body.velocity` of all bodies at the stage, from those at both ends of the step. Returns Σ Δuᵀ B Δu."""
    spent = 0.0
    for k in range(bodies):
        start, own = StationStep(step.cells.stations, k).start, BodyStep(step.bodies, k)
        change = own.twist - start
        Body(step.places, k).velocity = start + theta * change
        spent += power(change, own.equation.matrix @ change)
    return spent


@noinline_func
def spring_loss(robot: ChainTables, chain: ChainMemory, h: Scalar) -> Scalar:
    """h² vᵀ K v of all free freedoms: what springs at the stage give less than they store."""
    cells, total = chain.cells, 0.0
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        for v in range(link.column, link.column + link.freedoms):
            for i in range(link.freedoms):
                total += cells.strain_rate[v] * cells.elastic[v, i] * cells.strain_rate[link.column + i]
    return h * h * total


@noinline_func
def tendon_loss(ropes: ElasticTendons, pulls: Rows[TendonState], h: Scalar) -> tuple[Scalar, Scalar]:
    """Δω² J of the rotors of all winches, and h² v² k of all taut tendons, which stretch with v."""
    turned, stretched = 0.0, 0.0
    for c in range(pulls.shape[0]):
        rope, pull, spin = ElasticTendon(ropes.rows, c), TendonState(pulls, c), WinchState(ropes.windings, c).spin
        turned += rope.rotor * (h * spin) * (h * spin)
        if pull.tension > 0.0:
            way = h * (pull.rate - pull.wound_rate)
            stretched += rope.stiffness * way * way
    return turned, stretched


@noinline_func
def works_along(chain: ChainMemory) -> tuple[Scalar, Scalar]:
    """Powers of actuators and of what is passive along all freedoms, at the stage."""
    driven, passive = 0.0, 0.0
    for v in range(chain.torque.shape[0]):
        driven += chain.torque[v] * chain.cells.strain_rate[v]
        passive += chain.passive[v] * chain.cells.strain_rate[v]
    return account_tendons(chain.cells, driven, passive)


@noinline_func
def count_actuators(chain: ChainMemory, t: Scalar, h: Scalar) -> None:
    """Works and efforts of tendons, or of all freedoms."""
    put_efforts(chain)
    for c in range(chain.cells.efforts.shape[0]):
        add_work(chain.tally, c, h * power_of(chain, c, chain.cells.strain_rate, 0))
        compare(chain.tally, c, t + h, chain.cells.efforts[c])


@func
def finish_cells(problem: SoftContactProblem, t: Scalar, h: Scalar, x: Array) -> None:
    """After the solve, before the state moves: works, impulse, mean forces."""
    robot, forces = problem.robot, problem.forces
    where, memory = problem.where, problem.memory
    chain, step, theta = memory.chain, memory.step, problem.rule.theta
    base, bodies = LinkRow(robot.links, 0), chain.cells.weigh.shape[0]
    given_efforts(robot, step, chain, h)
    kinetic = stage_velocities(step, bodies, theta)
    finish_contacts(
        problem.solids, step, int(StepCounters(memory.counts, 0).active), h, x, where.speeds, chain.tally.contacts
    )
    for v in range(step.rates.shape[0]):
        before = x[base.velocity + 6 + v]
        chain.cells.strain_rate[v] = before + theta * (step.rates[v] - before)
    elastic = spring_loss(robot, chain, h)
    if chain.cells.ropes is not None:
        turned, stretched = tendon_loss(chain.cells.ropes, chain.cells.pulls, h)
        kinetic, elastic = kinetic + turned, elastic + stretched
    driven, passive = works_along(chain)
    environment, push, way = 0.0, Wrench(Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0)), Vector(0.0, 0.0, 0.0)
    for k in range(bodies):
        body, outcome = Body(step.places, k), BodyOutcome(memory.outcomes, k)
        F, environment = account(chain.water, k, body.velocity, body.wrench, 0.0 * push, environment)
        push, way = push + carry_wrench(F, body.origin), way + (h * chain.cells.weigh[k]) * body.velocity.linear
        outcome.wrench = body.wrench
        change = BodyStep(step.bodies, k).twist - StationStep(step.cells.stations, k).start
        outcome.rates = (1.0 / h) * change + body.known
    hold = carry_wrench(BaseStep(step.base, 0).hold, Body(step.places, 0).origin)
    if step.moving_bodies is not None:
        end_objects(problem.solids, step, memory.outcomes, x, where, t, h, 1.0 - theta)
    stored = (theta - 0.5) * elastic
    passive = h * passive + stored
    spend_step(forces, chain, t, h, h * driven, h * environment, passive, way, 1.0)
    count_actuators(chain, t, h)
    add_sums(IntegralSums(x, where.sums), h * driven, h * environment, passive, h * push + hold)
    x[where.numerical] -= (theta - 0.5) * kinetic + stored
    copy_part(chain.torque, 0, x, where.torque, chain.torque.shape[0])


@noinline_func
def keep_cell_knot(problem: SoftContactProblem, x: Array, h: Scalar, r: int) -> None:
    """Everything of this knot in record r; forces and accelerations are means over the step that ended here."""
    records, where, memory = problem.records, problem.where, problem.memory
    chain, step, kept = memory.chain, memory.step, records.chain
    base, cells = LinkRow(problem.robot.links, 0), chain.cells
    h = step.cells.clock[3] if step.cells.clock[3] > 0.0 else h  # of the last part of the step
    copy(x, kept.x[r])
    for v in range(chain.torque.shape[0]):
        axis = AxisRecord(kept.axes, r, v)
        axis.acceleration = (x[base.velocity + 6 + v] - x[where.earlier + 6 + v]) / h
        axis.torque = x[where.torque + v]
    own = BaseRecord(kept.base, r)
    own.acceleration = (1.0 / h) * (twist_at(x, base.velocity) - twist_at(x, where.earlier))
    own.held = (1.0 / h) * BaseStep(step.base, 0).hold
    for k in range(cells.weigh.shape[0]):
        body, outcome, record = Body(chain.bodies, k), BodyOutcome(memory.outcomes, k), BodyRecord(kept.bodies, r, k)
        record.rotation = body.rotation
        record.origin = body.origin
        record.twist = body.velocity
        record.twist_rate = outcome.rates
        record.wrench = outcome.wrench
    for c in range(cells.pulls.shape[0]):
        copy(cells.pulls[c], cells.kept[r, c])
    keep_step(problem.solids, where, memory, records, kept.bodies, x, h, r)
    more = CellRecord(records.own, r)
    more.numerical = x[where.numerical]
    more.passes = step.cells.counts[0]
    more.iterations = step.cells.counts[1]
    record_totals(chain.tally, kept.tally, r)
