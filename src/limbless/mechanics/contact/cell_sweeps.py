"""Sweeps over strain cells with contacts: one solve with the linearised laws, O(cells).

Station k of a cell has the columns J_k (inner node at rest) and lies at X_k from the inner node; the end
carries I and f of all beyond. With the sums over the stations within, made once per pass (`prepare_stations`),

    D = Σ Jᵀ B J + A + J_eᵀ I J_e + Σ_c Jᵀ Q J,   U = Σ Xᵀ B J + ..,   V = Uᵀ but for Q,   y = Σ Jᵀ f + e + ..
    I' = Σ Xᵀ B X + .. - U D⁻¹ V,   f' = Σ Xᵀ f + .. - U D⁻¹ y,   outward q̇ = D⁻¹ y - D⁻¹ V u

A contact is a 6 x 6 matrix Q, not symmetric while it slips, and a wrench at its station.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra import (
    Inertia,
    Matrix,
    Matrix6,
    Twist,
    Vector,
    Wrench,
    carry_inertia,
    carry_twist,
    carry_wrench,
    cross,
    lu_factorise,
    lu_solve,
    matrix6_of,
    no_matrix6,
    power,
    product,
    put_matrix6,
    rotate_diagonal,
    transpose,
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
    lane,
    noinline_func,
    with_lane,
)
from limbless.mechanics.contact import (
    AffineLaw,
    BaseStep,
    BodyStep,
    CellFreedom,
    CellSolve,
    ContactRow,
    Impulse,
    JointStep,
    Pair,
    StationStep,
    Step,
    along,
    is_fixed,
    last_of_robot,
    roll_scale,
    slip_scales,
)

END, WITHIN = 0, 1  # of `CellSolve.loads`
Lanes = Any  # eight numbers side by side


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
def wrench_in(rows: Array, k: int, g: int) -> Wrench:
    """Of six rows: [I | f] at a place, or wrenches of a group of freedoms of cell k."""
    return Wrench(
        Vector(rows[k, g, 0], rows[k, g, 1], rows[k, g, 2]), Vector(rows[k, g, 3], rows[k, g, 4], rows[k, g, 5])
    )


@func
def put_wrench_in(rows: Array, k: int, g: int, W: Wrench) -> None:
    rows[k, g, 0], rows[k, g, 1], rows[k, g, 2] = W.force
    rows[k, g, 3], rows[k, g, 4], rows[k, g, 5] = W.torque


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
    base.matrix = no_matrix6(0.0)
    base.momentum = h * Body(step.places, 0).wrench
    put_rows(solve.loads, 0, END, base.matrix, base.momentum)
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        take_ahead(link, solve, chain, gh, h)
        lay_columns(link, solve, k)
        I, f = nothing(0.0)
        for s in range(link.station, link.station + link.stations - 1):
            station = Station(solve.cells.stations, s)
            if station.has_mass:
                body, own = Body(step.places, station.body), BodyStep(step.bodies, station.body)
                R, arm, o = body.rotation, body.arm, 0.0 * product(body.rotation, body.rotation)
                M, J = rotate_diagonal(R, station.mass), rotate_diagonal(R, station.turn)
                V, free = body.velocity, StationStep(solve.stations, station.body).start - h * body.known
                p = apply_inertia(M, J, free) - h * wrench_cross(V, apply_inertia(M, J, V)) + h * body.wrench
                own.matrix = matrix6_of(Inertia(M, o, J))
                own.momentum = p
                for g in range(groups_of(link)):
                    S = columns_in(solve, s, g)
                    add_station(link, solve, k, g, station.lever, apply_inertia(M, J, S), power(S, p), arm)
                I, f = I + carry_inertia(Inertia(M, o, J), arm), f + carry_wrench(p, arm)
        put_rows(solve.loads, k, WITHIN, matrix6_of(I), f)
        finish_sums(link, solve, k)
        body, own = Body(step.places, k), BodyStep(step.bodies, k)
        if link.massless:
            own.matrix = no_matrix6(0.0)
            own.momentum = h * body.wrench
        else:
            B = rigid_body_inertia(link, body.rotation)
            own.matrix = matrix6_of(B)
            own.momentum = momentum_of(B, body, StationStep(solve.stations, k).start, h)
        put_rows(solve.loads, k, END, own.matrix, own.momentum)


@func
def put_rows(loads: Array, k: int, place: int, I: Matrix6, f: Wrench) -> None:
    """[I | f] into six rows of eight."""
    rows = loads[k, place]
    put_matrix6(rows, I)
    rows[0, 6], rows[1, 6], rows[2, 6] = f.force
    rows[3, 6], rows[4, 6], rows[5, 6] = f.torque


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


class CellContactLaw(NamedTuple):
    """A linearised contact: impulse = constant - P rates, along its normal, its tangents, and rolling."""

    constant: Impulse
    load: float  # P: of the load along the normal,
    lean: Pair  # of friction along the normal
    along: Pair  # and along either tangent,
    across: Pair
    roll_lean: Pair  # and of rolling friction
    roll: AffineLaw


@func
def cell_contact_law(contact: ContactRow) -> CellContactLaw:
    load, law, roll, scales = contact.load_law, contact.shear_law, contact.twist_law, slip_scales(contact)
    push, side = along(contact, -contact.shear.along), contact.friction.lateral
    constant = Pair(push * law.constant.along, side * law.constant.across)
    return CellContactLaw(
        Impulse(load.constant, constant, roll.constant),
        -load.slope,
        Pair(-push * law.lean.along, -side * law.lean.across),
        Pair(-push * law.own * scales.along, -push * law.mixed * scales.across),
        Pair(-side * law.mixed * scales.along, -side * law.other * scales.across),
        -roll.lean,
        roll,
    )


@func
def answer_of(law: CellContactLaw, rates: Impulse) -> Impulse:
    """P rates; these are numbers, or rows in lanes."""
    g, slip, roll = rates
    return Impulse(
        law.load * g,
        Pair(
            law.lean.along * g + law.along.along * slip.along + law.along.across * slip.across,
            law.lean.across * g + law.across.along * slip.along + law.across.across * slip.across,
        ),
        Pair(
            law.roll_lean.along * g - law.roll.own * roll.along - law.roll.mixed * roll.across,
            law.roll_lean.across * g - law.roll.mixed * roll.along - law.roll.other * roll.across,
        ),
    )


@func
def unit_wrenches(contact: ContactRow, at: Vector) -> Impulse:
    """What unit impulses of a contact are about a point from which it is `at`; their powers are its rates."""
    n, t1, scale = contact.normal, contact.tangent, roll_scale(contact)
    t2 = cross(n, t1)
    return Impulse(
        Wrench(n, cross(at, n)),
        Pair(Wrench(t1, cross(at, t1)), Wrench(t2, cross(at, t2))),
        Pair(Wrench(0.0 * n, -scale * t2), Wrench(0.0 * n, scale * t1)),
    )


@func
def rates_of(units: Impulse, J: Twist) -> Impulse:
    return Impulse(
        power(J, units.load),
        Pair(power(J, units.shear.along), power(J, units.shear.across)),
        Pair(power(J, units.twist.along), power(J, units.twist.across)),
    )


@func
def sum_of(a: Impulse, b: Impulse) -> Any:
    """Σ a b over what an impulse is made of: numbers or lanes with numbers, lanes or wrenches."""
    return (
        a.load * b.load
        + a.shear.along * b.shear.along
        + a.shear.across * b.shear.across
        + a.twist.along * b.twist.along
        + a.twist.across * b.twist.across
    )


@func
def lanes_of(zero: Lanes, W: Any, last: Scalar) -> Lanes:
    """Six numbers and a seventh, side by side."""
    a, b = W
    row = with_lane(with_lane(with_lane(zero, 0, a.x), 1, a.y), 2, a.z)
    return with_lane(with_lane(with_lane(with_lane(row, 3, b.x), 4, b.y), 5, b.z), 6, last)


@func
def rows_of(zero: Lanes, law: CellContactLaw, units: Impulse) -> Impulse:
    """[P units | constant], in lanes."""
    answer = answer_of(
        law,
        Impulse(
            lanes_of(zero, units.load, 0.0),
            Pair(lanes_of(zero, units.shear.along, 0.0), lanes_of(zero, units.shear.across, 0.0)),
            Pair(lanes_of(zero, units.twist.along, 0.0), lanes_of(zero, units.twist.across, 0.0)),
        ),
    )
    slip, roll = law.constant.shear, law.constant.twist
    return Impulse(
        with_lane(answer.load, 6, law.constant.load),
        Pair(with_lane(answer.shear.along, 6, slip.along), with_lane(answer.shear.across, 6, slip.across)),
        Pair(with_lane(answer.twist.along, 6, roll.along), with_lane(answer.twist.across, 6, roll.across)),
    )


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
def columns_at(zero: Lanes, arm: Vector) -> Vector:
    """What `carry_row` adds for each of the first three numbers of a row."""
    return Vector(
        with_lane(with_lane(zero, 4, arm.z), 5, -arm.y),
        with_lane(with_lane(zero, 3, -arm.z), 5, arm.x),
        with_lane(with_lane(zero, 3, arm.y), 4, -arm.x),
    )


@func
def carry_row(row: Lanes, columns: Vector) -> Lanes:
    """The row about p of one about p + arm: its last three numbers with the moment of its first."""
    return row + lane(row, 0) * columns.x + lane(row, 1) * columns.y + lane(row, 2) * columns.z


@func
def carry_rows(v: Vector, columns: Vector) -> Vector:
    return Vector(carry_row(v.x, columns), carry_row(v.y, columns), carry_row(v.z, columns))


@func
def row_times(row: Lanes, J: Twist) -> Lanes:
    """The first six numbers of a row with a twist of lanes."""
    a, b = J
    return (
        lane(row, 0) * a.x
        + lane(row, 1) * a.y
        + lane(row, 2) * a.z
        + lane(row, 3) * b.x
        + lane(row, 4) * b.y
        + lane(row, 5) * b.z
    )


@func
def rows_times(v: Vector, J: Twist) -> Vector:
    return Vector(row_times(v.x, J), row_times(v.y, J), row_times(v.z, J))


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
        G, a = contacts_at(step, k, a, zero, G + wrench_in(loads, k, END))
        columns = columns_at(zero, arm)
        load_cell(link, solve, k, arm, columns, G)
        G = Wrench(carry_rows(G.force, columns), carry_rows(G.torque, columns))
        G = carry_wrench(G, arm) + wrench_in(loads, k, WITHIN)
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
    G, a = contacts_at(step, 0, a, zero, G + wrench_in(loads, 0, END))
    f = Wrench(vector_of(G.force, 6), vector_of(G.torque, 6))
    return Matrix6(block_of(G.force, 0), block_of(G.force, 3), block_of(G.torque, 0), block_of(G.torque, 3)), f


@func
def vector_of(v: Vector, c: int) -> Vector:
    return Vector(lane(v.x, c), lane(v.y, c), lane(v.z, c))


@func
def block_of(v: Vector, c: int) -> Matrix:
    """Three columns of three rows in lanes."""
    return transpose(Matrix(vector_of(v, c), vector_of(v, c + 1), vector_of(v, c + 2)))


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
