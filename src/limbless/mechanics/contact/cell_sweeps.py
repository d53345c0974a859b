"""Sweeps over strain cells with contacts: one solve with the linearised laws, O(cells).

Station k of a cell has the columns J_k (inner node at rest) and lies at X_k from the inner node; the end
carries I and f of all beyond. With the sums over the stations within, made once per pass (`prepare_stations`),

    D = Σ Jᵀ B J + A + J_eᵀ I J_e + Σ_c Jᵀ Q J,   U = Σ Xᵀ B J + ..,   V = Uᵀ but for Q,   y = Σ Jᵀ f + e + ..
    I' = Σ Xᵀ B X + .. - U D⁻¹ V,   f' = Σ Xᵀ f + .. - U D⁻¹ y,   outward q̇ = D⁻¹ y - D⁻¹ V u

A contact is a 6 x 6 matrix Q, not symmetric while it slips, and a wrench at its station.
"""

from __future__ import annotations

from limbless.mechanics.algebra import (
    Inertia,
    Matrix6,
    Twist,
    Vector,
    Wrench,
    carry_inertia,
    carry_twist,
    carry_wrench,
    lu_factorise,
    lu_solve,
    matrix6_of,
    no_matrix6,
    power,
    product,
    put_matrix6,
    rotate_diagonal,
    twist_at,
    wrench_at,
    wrench_cross,
)
from limbless.mechanics.chain import (
    ActuatorLimit,
    Body,
    ChainMemory,
    ChainTables,
    JacobianColumn,
    LinkRow,
    Station,
    apply_inertia,
    nothing,
    rigid_body_inertia,
)
from limbless.mechanics.compiled import (
    LANES,
    Array,
    Scalar,
    align_stack,
    as_lane_array,
    func,
    noinline_func,
    with_lane,
)
from limbless.mechanics.contact import (
    BaseStep,
    BodyStep,
    CellFreedom,
    CellSolve,
    ContactRow,
    Equation,
    JointStep,
    Lanes,
    StationStep,
    Step,
    answer_of,
    carry_row,
    carry_rows,
    cell_contact_law,
    columns_at,
    is_fixed,
    last_of_robot,
    matrix_and_wrench,
    put_wrench_in,
    rates_of,
    rows_of,
    rows_times,
    sum_of,
    unit_wrenches,
    wrench_in,
)


@func
def column(solve: CellSolve, lever: int, j: int) -> Twist:
    return JacobianColumn(solve.cells.columns, lever + j).screw


@func
def groups_of(link: LinkRow) -> int:
    """In how many groups of lanes the freedoms of a cell stand side by side."""
    return (link.freedoms + LANES - 1) // LANES


@func
def columns_in(solve: CellSolve, s: int, g: int) -> Twist:
    """The columns of station s, those of a group of freedoms side by side."""
    rows = as_lane_array(solve.screws)
    return Twist(
        Vector(rows[s, g, 0], rows[s, g, 1], rows[s, g, 2]), Vector(rows[s, g, 3], rows[s, g, 4], rows[s, g, 5])
    )


@func
def answer_at(solve: CellSolve, k: int, j: int) -> Wrench:
    """U of freedom j of cell k: what it passes on to the inner node."""
    rows, g, i = solve.answers, j // LANES, j % LANES
    return Wrench(
        Vector(rows[k - 1, g, 0, i], rows[k - 1, g, 1, i], rows[k - 1, g, 2, i]),
        Vector(rows[k - 1, g, 3, i], rows[k - 1, g, 4, i], rows[k - 1, g, 5, i]),
    )


# ------------------------------------------------------------------------------------------------------- once per pass


@noinline_func
def start_twists(robot: ChainTables, step: Step, x: Array) -> None:
    """V_A of all bodies: the rates with which the step starts, by the columns of the stage."""
    solve, R, velocity = step.cells, Body(step.places, 0).rotation, LinkRow(robot.links, 0).velocity
    twist = twist_at(x, velocity)
    u = Twist(R @ twist.linear, R @ twist.angular)
    StationStep(solve.stations, 0).start = u
    for k in range(1, len(robot.links.codes)):
        link, inner = LinkRow(robot.links, k), u
        for s in range(link.station, link.station + link.stations):
            station = Station(solve.cells.stations, s)
            u = carry_twist(inner, Body(step.places, station.body).arm)
            for j in range(link.freedoms):
                u = u + x[link.velocity + j] * column(solve, station.lever, j)
            StationStep(solve.stations, station.body).start = u


@func
def take_ahead(link: LinkRow, solve: CellSolve, chain: ChainMemory, gh: Scalar, h: Scalar) -> None:
    """A of a cell, and what acts along its freedoms: h τ + A v_E(before). A given one has neither."""
    cells, m = solve.cells, link.freedoms
    for j in range(m):
        v = link.column + j
        effort, free = 0.0, cells.given[v] == 0
        for i in range(m):
            share = gh * (cells.viscous[v, i] + gh * cells.elastic[v, i]) if free else 0.0
            if i == j and free:
                share += ActuatorLimit(chain.bounds, v).leading
            solve.ahead[v, i] = share
            solve.matrix[v, i // LANES, i % LANES] = share
            effort += share * CellFreedom(solve.freedoms, link.column + i).before
        if free:
            effort += h * (chain.torque[v] + chain.passive[v])
        CellFreedom(solve.freedoms, v).effort = effort


@func
def momentum_of(B: Inertia, body: Body, start: Twist, h: Scalar) -> Wrench:
    """f = B (V_A - h A) - h V x* B V + h F"""
    V = body.velocity
    return B @ (start - h * body.known) - h * wrench_cross(V, B @ V) + h * body.wrench


@noinline_func
def prepare_stations(robot: ChainTables, step: Step, chain: ChainMemory, gh: Scalar, h: Scalar) -> None:
    """Matrices and momenta of all bodies at the stage, and their sums over each cell."""
    align_stack()
    solve = step.cells
    base = BodyStep(step.bodies, 0)
    base.equation = Equation(no_matrix6(0.0), h * Body(step.places, 0).wrench)
    put_rows(solve.loads[0, 0], base.equation)
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        take_ahead(link, solve, chain, gh, h)
        lay_columns(link, solve, k)
        I, f = nothing(0.0)
        for s in range(link.station, link.station + link.stations - 1):
            station = Station(solve.cells.stations, s)
            if station.has_mass:
                body = Body(step.places, station.body)
                R, arm, o = body.rotation, body.arm, 0.0 * product(body.rotation, body.rotation)
                M, J = rotate_diagonal(R, station.mass), rotate_diagonal(R, station.turn)
                V, free = body.velocity, StationStep(solve.stations, station.body).start - h * body.known
                p = apply_inertia(M, J, free) - h * wrench_cross(V, apply_inertia(M, J, V)) + h * body.wrench
                BodyStep(step.bodies, station.body).equation = Equation(matrix6_of(Inertia(M, o, J)), p)
                for g in range(groups_of(link)):
                    S = columns_in(solve, s, g)
                    add_station(link, solve, k, g, station.lever, apply_inertia(M, J, S), power(S, p), arm)
                I, f = I + carry_inertia(Inertia(M, o, J), arm), f + carry_wrench(p, arm)
        put_rows(solve.loads[k, 1], Equation(matrix6_of(I), f))
        finish_sums(link, solve, k)
        body, own = Body(step.places, k), BodyStep(step.bodies, k)
        if link.massless:
            own.equation = Equation(no_matrix6(0.0), h * body.wrench)
        else:
            B = rigid_body_inertia(link, body.rotation)
            own.equation = Equation(matrix6_of(B), momentum_of(B, body, StationStep(solve.stations, k).start, h))
        put_rows(solve.loads[k, 0], own.equation)


@func
def put_rows(rows: Array, E: Equation) -> None:
    """[I | f] into six rows of eight."""
    put_matrix6(rows, E.matrix)
    rows[0, 6], rows[1, 6], rows[2, 6] = E.momentum.force
    rows[3, 6], rows[4, 6], rows[5, 6] = E.momentum.torque


@func
def lay_columns(link: LinkRow, solve: CellSolve, k: int) -> None:
    """The columns of the stations of a cell side by side; nothing of it is summed up yet."""
    sums = as_lane_array(solve.sums)
    for g in range(groups_of(link)):
        for c in range(7):
            sums[k - 1, g, c] = 0.0 * sums[k - 1, g, c]
    for s in range(link.station, link.station + link.stations):
        lever = Station(solve.cells.stations, s).lever
        for j in range(link.freedoms):
            J, rows, i = column(solve, lever, j), solve.screws[s, j // LANES], j % LANES
            rows[0, i], rows[1, i], rows[2, i] = J.linear
            rows[3, i], rows[4, i], rows[5, i] = J.angular


@func
def add_station(
    link: LinkRow, solve: CellSolve, k: int, g: int, lever: int, pulled: Wrench, pushed: Lanes, arm: Vector
) -> None:
    """One station moved by a group of freedoms: `pulled` = B J, `pushed` = Jᵀ f."""
    sums, matrix = as_lane_array(solve.sums), as_lane_array(solve.matrix)
    put_wrench_in(sums, k - 1, g, wrench_in(sums, k - 1, g) + carry_wrench(pulled, arm))
    sums[k - 1, g, 6] = sums[k - 1, g, 6] + pushed
    for i in range(link.freedoms):
        v = link.column + i
        matrix[v, g] = matrix[v, g] + power(column(solve, lever, i), pulled)


@func
def finish_sums(link: LinkRow, solve: CellSolve, k: int) -> None:
    """The same sums, freedom by freedom; what acts along each of them stands behind its row."""
    for j in range(link.freedoms):
        own, sums, i = solve.own[link.column + j], solve.sums[k - 1, j // LANES], j % LANES
        for c in range(7):
            own[c] = sums[c, i]
        own[6] += CellFreedom(solve.freedoms, link.column + j).effort


# -------------------------------------------------------------------------------------------------- once per iteration


@func
def contacts_at(step: Step, row: int, a: int, zero: Lanes, G: Wrench) -> tuple[Wrench, int]:
    """[I | f] with all linearised contacts of a body, from the active one `a` down; the next one."""
    while a >= 0 and step.owner[step.active[a]] == row:
        contact = ContactRow(step.contacts, step.active[a])
        if contact.acts > 0.0 and is_fixed(step, step.active[a]):
            units = unit_wrenches(contact, contact.arm)
            G = G + sum_of(rows_of(zero, cell_contact_law(contact), units), units)
        a -= 1
    return G, a


@func
def load_cell(link: LinkRow, solve: CellSolve, k: int, arm: Vector, columns: Vector, G: Wrench) -> None:
    """D, U, V and y of a cell: what its own stations sum to, and [I | f] at its end."""
    first, m, s = link.column, link.freedoms, link.station + link.stations - 1
    right, whole, matrix = as_lane_array(solve.right), as_lane_array(solve.whole), as_lane_array(solve.matrix)
    sums, answers, lever = (
        as_lane_array(solve.sums),
        as_lane_array(solve.answers),
        Station(solve.cells.stations, s).lever,
    )
    for g in range(groups_of(link)):
        J = columns_in(solve, s, g)
        U = Wrench(rows_times(G.force, J), rows_times(G.torque, J))
        put_wrench_in(answers, k - 1, g, wrench_in(sums, k - 1, g) + carry_wrench(U, arm))
        for i in range(m):
            whole[first + i, g] = matrix[first + i, g] + power(column(solve, lever, i), U)
    for j in range(m):
        right[j] = as_lane_array(solve.own)[first + j] + carry_row(power(column(solve, lever, j), G), columns)


@func
def load_contact(
    link: LinkRow, solve: CellSolve, k: int, s: int, zero: Lanes, arm: Vector, contact: ContactRow, G: Wrench
) -> Wrench:
    """The same with a linearised contact of station s, which is `arm` from the inner node; [I | f] there with it."""
    first, m, lever = link.column, link.freedoms, Station(solve.cells.stations, s).lever
    right, whole, answers = as_lane_array(solve.right), as_lane_array(solve.whole), as_lane_array(solve.answers)
    law, units = cell_contact_law(contact), unit_wrenches(contact, contact.arm)
    for g in range(groups_of(link)):
        U = sum_of(answer_of(law, rates_of(units, columns_in(solve, s, g))), units)
        put_wrench_in(answers, k - 1, g, wrench_in(answers, k - 1, g) + carry_wrench(U, arm))
        for i in range(m):
            whole[first + i, g] = whole[first + i, g] + power(column(solve, lever, i), U)
    rows = sum_of(rows_of(zero, law, unit_wrenches(contact, arm + contact.arm)), units)
    for j in range(m):
        right[j] = right[j] + power(column(solve, lever, j), rows)
    return G + carry_wrench(rows, arm)


@func
def eliminate_cell(link: LinkRow, k: int, step: Step) -> None:
    """D⁻¹ V and D⁻¹ y; the row of a given freedom says its rate, and what it needed is kept."""
    solve, first, m = step.cells, link.column, link.freedoms
    factor, right, found = solve.factor[k - 1], as_lane_array(solve.right), as_lane_array(solve.found)
    for j in range(m):
        v = first + j
        for i in range(m):
            factor[j, i] = solve.whole[v, i // LANES, i % LANES]
        if solve.cells.given[v] > 0:
            freedom = CellFreedom(solve.freedoms, v)
            freedom.need = wrench_at(solve.right[j], 0)
            freedom.needs = solve.right[j, 6]
            for i in range(m):
                factor[j, i] = 1.0 if i == j else 0.0
            right[j] = with_lane(0.0 * right[j], 6, step.rates[v])
    lu_factorise(factor, m, solve.order[k - 1])
    lu_solve(factor, m, solve.order[k - 1], right, found)


@noinline_func
def cell_backward_pass(robot: ChainTables, step: Step, count: int) -> tuple[Matrix6, Wrench]:
    """From tip to base: matrix and momentum with which the whole body answers the twist of its base. Both are carried
    as one [I | f], whose rows are lanes.
    """
    align_stack()
    solve, links = step.cells, robot.links
    loads, found, gains = as_lane_array(solve.loads), as_lane_array(solve.found), as_lane_array(solve.gains)
    zero = 0.0 * found[0]
    o = Vector(zero, zero, zero)
    G = Wrench(o, o)
    a, last = last_of_robot(step, count), len(links.codes) - 1
    for k in range(last, 0, -1):
        link, arm = LinkRow(links, k), Body(step.places, k).arm
        G, a = contacts_at(step, k, a, zero, G + wrench_in(loads, k, 0))
        columns = columns_at(zero, arm)
        load_cell(link, solve, k, arm, columns, G)
        G = Wrench(carry_rows(G.force, columns), carry_rows(G.torque, columns))
        G = carry_wrench(G, arm) + wrench_in(loads, k, 1)
        while a >= 0 and step.owner[step.active[a]] > last:  # within a cell: stations stand behind all ends
            contact, owner = ContactRow(step.contacts, step.active[a]), step.owner[step.active[a]]
            if solve.station[owner] < link.station:
                break
            if contact.acts > 0.0 and is_fixed(step, step.active[a]):
                G = load_contact(link, solve, k, solve.station[owner], zero, Body(step.places, owner).arm, contact, G)
            a -= 1
        eliminate_cell(link, k, step)
        for j in range(link.freedoms):
            G = G - found[j] * answer_at(solve, k, j)
            gains[link.column + j] = found[j]
    G, a = contacts_at(step, 0, a, zero, G + wrench_in(loads, 0, 0))
    return matrix_and_wrench(G)


@noinline_func
def cell_forward_pass(robot: ChainTables, step: Step, solved: Scalar) -> None:
    """From base to tip: rates and the twist of every body; where `solved` is 0 the rates are taken as they are."""
    solve, u = step.cells, BaseStep(step.base, 0).twist
    BodyStep(step.bodies, 0).twist = u
    for k in range(1, len(robot.links.codes)):
        link, inner = LinkRow(robot.links, k), u
        if solved > 0.0:
            for j in range(link.freedoms):
                gains = solve.gains[link.column + j]
                step.rates[link.column + j] = gains[6] - power(u, wrench_at(gains, 0))
        for s in range(link.station, link.station + link.stations):
            station = Station(solve.cells.stations, s)
            u = carry_twist(inner, Body(step.places, station.body).arm)
            for j in range(link.freedoms):
                u = u + step.rates[link.column + j] * column(solve, station.lever, j)
            BodyStep(step.bodies, station.body).twist = u


@noinline_func
def given_efforts(robot: ChainTables, step: Step, chain: ChainMemory, h: Scalar) -> None:
    """What gives the motion of given freedoms, mean over the step, beside springs: from their rows as they were."""
    solve = step.cells
    for k in range(1, len(robot.links.codes)):
        link, u = LinkRow(robot.links, k), BodyStep(step.bodies, k - 1).twist
        for j in range(link.freedoms):
            v = link.column + j
            if solve.cells.given[v] > 0:
                freedom = CellFreedom(solve.freedoms, v)
                total = power(u, freedom.need) - freedom.needs
                for i in range(link.freedoms):
                    total += solve.whole[v, i // LANES, i % LANES] * step.rates[link.column + i]
                chain.torque[v] = total / h - chain.passive[v]


@func
def cell_slope(step: Step, link: LinkRow) -> tuple[Scalar, Scalar]:
    """What the freedoms of a cell contribute to du . F at the remembered iterate, and its growth along du."""
    solve, straight, curve = step.cells, 0.0, 0.0
    for j in range(link.freedoms):
        v = link.column + j
        dq = step.rates[v] - JointStep(step.joints, v).before
        straight -= dq * CellFreedom(solve.freedoms, v).effort
        for i in range(link.freedoms):
            u = link.column + i
            old = JointStep(step.joints, u).before
            straight += dq * solve.ahead[v, i] * old
            curve += dq * solve.ahead[v, i] * (step.rates[u] - old)
    return straight, curve
