"""How strain cells answer to impulses on bodies and along freedoms under the linearised laws: eight cases in one sweep,
with the factors that `cell_sweeps` left. Contacts between bodies that both move ask for it, and tendons that stretch.

A tension changes with the velocities at the end of the step by κ z·(v_E - v_E(before)) (see `elastic_tendons`): a term
that couples all freedoms that a tendon crosses. It is taken exactly, as there, once per iteration:

    s = (1 + K G)⁻¹ K (Zᵀ (v - before) + ..)

D is not symmetric any more: impulses go inward with U, velocities outward with D⁻¹ V.
"""

from __future__ import annotations

from limbless.mechanics.algebra import (
    Matrix6,
    carry_twist,
    carry_wrench,
    fill,
    lu_factorise,
    lu_solve,
    power,
    twist_at,
    wrench_at,
)
from limbless.mechanics.chain import (
    BASES,
    COMMANDS,
    Body,
    ChainTables,
    ElasticTendon,
    LinkRow,
    Station,
    TendonState,
    TensionTerm,
    WinchState,
    turn_winch,
)
from limbless.mechanics.compiled import LANES, Rows, Scalar, align_stack, as_lane_array, func, noinline_func
from limbless.mechanics.contact import (
    TWIST,
    BaseStep,
    CellFreedom,
    CellSolve,
    Factors,
    ImpulseResponse,
    Step,
    accept_base,
    answer_at,
    answer_at_base,
    cell_forward_pass,
    clear,
    column,
    factorise_base,
)


@noinline_func
def sweep_response(robot: ChainTables, base: int, step: Step, answers: Rows[ImpulseResponse], factors: Factors) -> None:
    """Rates of all freedoms, and twist of the base, under impulses on bodies (`answers`) and along freedoms (`pulls`);
    tendons hold their tensions.
    """
    align_stack()
    solve, links = step.cells, robot.links
    told, pulls = as_lane_array(answers), as_lane_array(solve.response.pulls)
    rates, held = as_lane_array(solve.response.rates), as_lane_array(solve.response.held)
    right, found = as_lane_array(solve.right), as_lane_array(solve.found)
    p = ImpulseResponse(told, len(links.codes) - 1).push
    for k in range(len(links.codes) - 1, 0, -1):
        link = LinkRow(links, k)
        end = link.station + link.stations - 1
        inner = carry_wrench(p, Body(step.places, k).arm)
        for j in range(link.freedoms):
            lever = Station(solve.cells.stations, end).lever
            right[j] = pulls[link.column + j] + power(column(solve, lever, j), p)
        for s in range(link.station, end):
            station = Station(solve.cells.stations, s)
            push = ImpulseResponse(told, station.body).push
            inner = inner + carry_wrench(push, Body(step.places, station.body).arm)
            for j in range(link.freedoms):
                right[j] += power(column(solve, station.lever, j), push)
        for j in range(link.freedoms):
            v = link.column + j
            if solve.cells.given[v] > 0:
                held[v] = right[j]
                right[j] = 0.0 * right[j]
        lu_solve(solve.factor[k - 1], link.freedoms, solve.order[k - 1], right, found)
        for j in range(link.freedoms):
            rates[link.column + j] = found[j]
            inner = inner - found[j] * answer_at(solve, k, j)
        p = inner + ImpulseResponse(told, k - 1).push
    first = ImpulseResponse(told, 0)
    first.push = p
    u = answer_at_base(base, Body(step.places, 0).rotation, factors, p)
    first.twist = u
    for k in range(1, len(links.codes)):
        link = LinkRow(links, k)
        lever = Station(solve.cells.stations, link.station + link.stations - 1).lever
        beyond = carry_twist(u, Body(step.places, k).arm)
        for j in range(link.freedoms):
            rate = rates[link.column + j] - power(u, wrench_at(solve.gains[link.column + j], 0))
            rates[link.column + j] = rate
            beyond = beyond + rate * column(solve, lever, j)
        u = beyond


@noinline_func
def carry_response(robot: ChainTables, step: Step, answers: Rows[ImpulseResponse]) -> None:
    """Twists of all bodies from that of the base and the rates."""
    align_stack()
    solve, told, rates = step.cells, as_lane_array(answers), as_lane_array(step.cells.response.rates)
    u = ImpulseResponse(told, 0).twist
    for k in range(1, len(robot.links.codes)):
        link, inner = LinkRow(robot.links, k), u
        for s in range(link.station, link.station + link.stations):
            station = Station(solve.cells.stations, s)
            u = carry_twist(inner, Body(step.places, station.body).arm)
            for j in range(link.freedoms):
                u = u + rates[link.column + j] * column(solve, station.lever, j)
            ImpulseResponse(told, station.body).twist = u


@func
def respond_cells(robot: ChainTables, base: int, step: Step) -> None:
    """What impulses on all bodies add to twists and rates, tendons included: see `impulse_response`."""
    for v in range(step.cells.response.pulls.shape[0]):
        fill(step.cells.response.pulls[v], 0.0)
    sweep_response(robot, base, step, step.moving_bodies.answers, step.moving_bodies.factors)
    if step.cells.cells.ropes is not None:
        hold_back(step, step.moving_bodies.answers)
    carry_response(robot, step, step.moving_bodies.answers)


@noinline_func
def hold_back(step: Step, answers: Rows[ImpulseResponse]) -> None:
    """The answers with the tensions that they themselves change."""
    align_stack()
    solve, response, ropes = step.cells, step.cells.response, step.cells.cells.ropes
    rates, right = as_lane_array(response.rates), as_lane_array(response.rope_right)
    found = as_lane_array(response.rope_found)
    terms, first = ropes.terms.shape[0], ImpulseResponse(as_lane_array(answers), 0)
    for c in range(terms):
        total = 0.0 * rates[0]
        for v in range(rates.shape[0]):
            if solve.cells.given[v] == 0:
                total += ropes.slopes[c, v] * rates[v]
        right[c] = TensionTerm(ropes.terms, c).slope * total
    lu_solve(response.ropes, terms, response.rope_order, right, found)
    for c in range(terms):
        for v in range(rates.shape[0]):
            rates[v] -= ropes.answers[c, v] * found[c]
        first.twist = first.twist - found[c] * twist_at(response.rope_base[c], 0)
        first.push = first.push - found[c] * wrench_at(response.rope_base[c], 6)


@noinline_func
def accept_cells(robot: ChainTables, base: int, step: Step, I: Matrix6) -> None:
    """The answers in the first place, added to what the sweeps have found."""
    solve = step.cells
    for v in range(step.rates.shape[0]):
        if solve.cells.given[v] > 0:
            freedom = CellFreedom(solve.freedoms, v)
            freedom.needs = freedom.needs + solve.response.held[v, 0]
        else:
            step.rates[v] += solve.response.rates[v, 0]
    accept_base(step.moving_bodies.answers, base, BaseStep(step.base, 0), I)
    cell_forward_pass(robot, step, 0.0)


# --------------------------------------------------------------------------------------------------- elastic tendons


@noinline_func
def answer_ropes(robot: ChainTables, base: int, step: Step) -> None:
    """What a unit of each term moves, eight terms in a sweep; factors of 1 + K G."""
    solve, response, ropes = step.cells, step.cells.response, step.cells.cells.ropes
    terms, n = ropes.terms.shape[0], step.rates.shape[0]
    for first in range(0, terms, LANES):
        clear(response.answers)
        for v in range(n):
            for i in range(LANES):
                c = first + i
                acts = c < terms and solve.cells.given[v] == 0
                response.pulls[v, i] = ropes.pulls[min(c, terms - 1), v] if acts else 0.0
        sweep_response(robot, base, step, response.answers, response.factors)
        for i in range(min(LANES, terms - first)):
            for v in range(n):
                ropes.answers[first + i, v] = response.rates[v, i]
            for c in range(6):
                response.rope_base[first + i, c] = response.answers[0, TWIST + c, i]
                response.rope_base[first + i, 6 + c] = response.answers[0, c, i]
    for c in range(terms):
        slope = TensionTerm(ropes.terms, c).slope
        for d in range(terms):
            total = 0.0
            for v in range(n):
                if solve.cells.given[v] == 0:
                    total += ropes.slopes[c, v] * ropes.answers[d, v]
            response.ropes[c, d] = (1.0 if c == d else 0.0) + slope * total
    lu_factorise(response.ropes, terms, response.rope_order)


@noinline_func
def pull_ropes(robot: ChainTables, base: int, step: Step, I: Matrix6) -> None:
    """After the sweeps: velocities with the tensions that they themselves make. I is the matrix at the base."""
    align_stack()
    solve, response, ropes = step.cells, step.cells.response, step.cells.cells.ropes
    terms, h, own = ropes.terms.shape[0], solve.clock[3], BaseStep(step.base, 0)
    factorise_base(base, I, Body(step.places, 0).rotation, response.factors)
    answer_ropes(robot, base, step)
    for c in range(terms):
        term = TensionTerm(ropes.terms, c)
        ahead = h * term.lead
        for v in range(step.rates.shape[0]):
            if solve.cells.given[v] == 0:
                ahead += ropes.slopes[c, v] * (step.rates[v] - CellFreedom(solve.freedoms, v).before)
        fill(response.rope_right[c], term.slope * ahead)
    right, found = as_lane_array(response.rope_right), as_lane_array(response.rope_found)
    lu_solve(response.ropes, terms, response.rope_order, right, found)
    for c in range(terms):
        change, row = response.rope_found[c, 0], response.rope_base[c]
        ropes.system[c, terms] = change / h
        for v in range(step.rates.shape[0]):
            step.rates[v] -= change * ropes.answers[c, v]
        u = twist_at(row, 0)
        own.twist = own.twist - change * u
        if base != BASES.free:
            own.hold = own.hold - change * (I @ u - wrench_at(row, 6))
    cell_forward_pass(robot, step, 0.0)


@noinline_func
def turn_winches(solve: CellSolve, gh: Scalar) -> None:
    """Angular accelerations of all winches, with the changes of their tensions."""
    ropes = solve.cells.ropes
    last: int = ropes.terms.shape[0]
    if ropes.how[0] == COMMANDS.torque:
        for c in range(ropes.winches.shape[0]):
            rope, winding = ElasticTendon(ropes.rows, c), WinchState(ropes.windings, c)
            if rope.rotor > 0.0:
                tension = TendonState(solve.cells.pulls, c).tension + ropes.system[c, last]
                winding.spin = turn_winch(rope, winding, gh, tension)
