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
    articulated_matrix6,
    carry_inertia,
    carry_matrix6,
    carry_twist,
    carry_wrench,
    cross,
    dot,
    lu_factorise,
    lu_solve,
    matrix6_of,
    no_matrix6,
    power,
    product,
    rotate_diagonal,
    transpose,
    transposed_product,
    twist_at,
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
from limbless.mechanics.compiled import Array, Scalar, align_stack, as_lane_array, func, noinline_func
from limbless.mechanics.contact import (
    BaseStep,
    BodyStep,
    CellFreedom,
    CellSolve,
    CellStep,
    ContactRow,
    JointStep,
    PointLaw,
    RollLaw,
    StationStep,
    Step,
    is_fixed,
    last_of_robot,
    law_about,
    law_matrix6,
    law_point,
    law_roll,
    roll_scale,
)


@func
def column(solve: CellSolve, lever: int, j: int) -> Twist:
    return JacobianColumn(solve.cells.columns, lever + j).screw


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
        freedom = CellFreedom(solve.freedoms, v)
        freedom.own = Wrench(Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0))
        freedom.push = 0.0
        effort, free = 0.0, cells.given[v] == 0
        for i in range(m):
            share = gh * (cells.viscous[v, i] + gh * cells.elastic[v, i]) if free else 0.0
            if i == j and free:
                share += ActuatorLimit(chain.bounds, v).leading
            solve.ahead[v, i] = share
            solve.matrix[v, i] = share
            effort += share * CellFreedom(solve.freedoms, link.column + i).before
        if free:
            effort += h * (chain.torque[v] + chain.passive[v])
        freedom.effort = effort


@func
def momentum_of(B: Inertia, body: Body, start: Twist, h: Scalar) -> Wrench:
    """f = B (V_A - h A) - h V x* B V + h F"""
    V = body.velocity
    return B @ (start - h * body.known) - h * wrench_cross(V, B @ V) + h * body.wrench


@noinline_func
def prepare_stations(robot: ChainTables, step: Step, chain: ChainMemory, gh: Scalar, h: Scalar) -> None:
    """Matrices and momenta of all bodies at the stage, and their sums over each cell."""
    solve = step.cells
    base = BodyStep(step.bodies, 0)
    base.matrix = no_matrix6(0.0)
    base.momentum = h * Body(step.places, 0).wrench
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        take_ahead(link, solve, chain, gh, h)
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
                for j in range(link.freedoms):
                    pulled = apply_inertia(M, J, column(solve, station.lever, j))
                    add_station(link, solve, j, station.lever, pulled, p, arm)
                I, f = I + carry_inertia(Inertia(M, o, J), arm), f + carry_wrench(p, arm)
        row = CellStep(solve.rows, k - 1)
        row.inertia = I
        row.momentum = f
        mirror(link, solve)
        body, own = Body(step.places, k), BodyStep(step.bodies, k)
        if link.massless:
            own.matrix = no_matrix6(0.0)
            own.momentum = h * body.wrench
        else:
            B = rigid_body_inertia(link, body.rotation)
            own.matrix = matrix6_of(B)
            own.momentum = momentum_of(B, body, StationStep(solve.stations, k).start, h)


@func
def add_station(link: LinkRow, solve: CellSolve, j: int, lever: int, pulled: Wrench, p: Wrench, arm: Vector) -> None:
    """One station moved by freedom j: `pulled` = B J_j; D below its diagonal only."""
    freedom = CellFreedom(solve.freedoms, link.column + j)
    freedom.own = freedom.own + carry_wrench(pulled, arm)
    freedom.push = freedom.push + power(column(solve, lever, j), p)
    for i in range(j + 1):
        solve.matrix[link.column + j, i] += power(column(solve, lever, i), pulled)


@func
def mirror(link: LinkRow, solve: CellSolve) -> None:
    """The part of D above its diagonal. What is taken ahead of a given freedom was left out: its row has none."""
    for j in range(link.freedoms):
        for i in range(j):
            v, u = link.column + j, link.column + i
            solve.matrix[u, j] = solve.matrix[v, i] - solve.ahead[v, i] + solve.ahead[u, j]


# -------------------------------------------------------------------------------------------------- once per iteration


@func
def contacts_at(step: Step, row: int, a: int, I: Matrix6, f: Wrench) -> tuple[Matrix6, Wrench, int]:
    """I and f with all linearised contacts of a body, from the active one `a` down; the next one."""
    while a >= 0 and step.owner[step.active[a]] == row:
        contact = ContactRow(step.contacts, step.active[a])
        if contact.acts > 0.0 and is_fixed(step, step.active[a]):
            matrix, wrench = law_matrix6(contact)
            I, f = I + matrix, f + wrench
        a -= 1
    return I, f, a


@func
def put_wrench(target: Array, j: int, W: Wrench) -> None:
    target[j, 0], target[j, 1], target[j, 2] = W.force
    target[j, 3], target[j, 4], target[j, 5] = W.torque


@func
def wrench_in(source: Array, j: int) -> Wrench:
    return Wrench(Vector(source[j, 0], source[j, 1], source[j, 2]), Vector(source[j, 3], source[j, 4], source[j, 5]))


@func
def add_wrench(target: Array, j: int, W: Wrench) -> None:
    put_wrench(target, j, wrench_in(target, j) + W)


@func
def load_cell(link: LinkRow, solve: CellSolve, station: Station, arm: Vector, I: Matrix6, f: Wrench) -> None:
    """D, U, V and y of a cell: what its own stations sum to, and a matrix I and a wrench f at its end."""
    first, m, right = link.column, link.freedoms, solve.right
    for j in range(m):
        freedom, J = CellFreedom(solve.freedoms, first + j), column(solve, station.lever, j)
        U = I @ J
        freedom.answer = freedom.own + carry_wrench(U, arm)
        put_wrench(right, j, freedom.own + carry_wrench(transposed_product(I, J), arm))
        right[j, 6] = freedom.push + freedom.effort + power(J, f)
        for i in range(m):
            solve.whole[first + i, j] = solve.matrix[first + i, j] + power(column(solve, station.lever, i), U)


@func
def load_contact(
    link: LinkRow, solve: CellSolve, station: Station, at: Vector, contact: ContactRow, law: PointLaw
) -> None:
    """The same with a linearised contact within the cell, its place `at` from the inner node: of rank three, or five
    where it rubs as it rolls.
    """
    first, m, right, scale, n = link.column, link.freedoms, solve.right, roll_scale(contact), contact.normal
    Qt = transpose(law.Q)
    for j in range(m):
        J = column(solve, station.lever, j)
        v = J.linear + cross(J.angular, contact.arm)
        put_velocity(solve.found, j, v)
        freedom, F, G = CellFreedom(solve.freedoms, first + j), law.Q @ v, Qt @ v
        freedom.answer = freedom.answer + Wrench(F, cross(at, F))
        add_wrench(right, j, Wrench(G, cross(at, G)))
        right[j, 6] += dot(v, law.force)
        for i in range(j + 1):
            w = velocity_in(solve.found, i)
            solve.whole[first + i, j] += dot(w, F)
            if i < j:
                solve.whole[first + j, i] += dot(w, G)
    if scale > 0.0:
        load_roll(link, solve, station, at, contact, law_roll(contact, scale), n)


@func
def load_roll(
    link: LinkRow, solve: CellSolve, station: Station, at: Vector, contact: ContactRow, roll: RollLaw, n: Vector
) -> None:
    """The part of it that rolls."""
    for j in range(link.freedoms):
        J, freedom = column(solve, station.lever, j), CellFreedom(solve.freedoms, link.column + j)
        H, w = dot(roll.lean, J.angular) * n, velocity_in(solve.found, j)
        couple = dot(n, w) * roll.lean + roll.Z @ J.angular
        freedom.answer = freedom.answer + Wrench(0.0 * n, couple)
        add_wrench(solve.right, j, Wrench(H, cross(at, H) + transpose(roll.Z) @ J.angular))
        solve.right[j, 6] += dot(J.angular, roll.couple)
        for i in range(link.freedoms):
            solve.whole[link.column + i, j] += dot(column(solve, station.lever, i).angular, couple)


@func
def put_velocity(target: Array, j: int, v: Vector) -> None:
    target[j, 0], target[j, 1], target[j, 2] = v


@func
def velocity_in(source: Array, j: int) -> Vector:
    return Vector(source[j, 0], source[j, 1], source[j, 2])


@noinline_func
def eliminate_cell(link: LinkRow, k: int, step: Step) -> None:
    """D⁻¹ V and D⁻¹ y; the row of a given freedom says its rate, and what it needed is kept."""
    align_stack()
    solve, first, m = step.cells, link.column, link.freedoms
    factor, right = solve.factor[k - 1], solve.right
    for j in range(m):
        v = first + j
        given = solve.cells.given[v] > 0
        for i in range(m):
            factor[j, i] = solve.whole[v, i]
        if given:
            freedom = CellFreedom(solve.freedoms, v)
            freedom.need = wrench_in(right, j)
            freedom.needs = right[j, 6]
            for i in range(m):
                factor[j, i] = 1.0 if i == j else 0.0
            for c in range(6):
                right[j, c] = 0.0
            right[j, 6] = step.rates[v]
    lu_factorise(factor, m, solve.order[k - 1])
    lu_solve(factor, m, solve.order[k - 1], as_lane_array(right), as_lane_array(solve.found))
    for j in range(m):
        freedom = CellFreedom(solve.freedoms, first + j)
        freedom.reach = wrench_in(solve.found, j)
        freedom.pushed = solve.found[j, 6]


@noinline_func
def cell_backward_pass(robot: ChainTables, step: Step, count: int) -> tuple[Matrix6, Wrench]:
    """From tip to base: matrix and momentum with which the whole body answers the twist of its base."""
    solve, links = step.cells, robot.links
    I, f = no_matrix6(0.0), Wrench(Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0))
    a, last = last_of_robot(step, count), len(links.codes) - 1
    for k in range(last, 0, -1):
        link, own, arm = LinkRow(links, k), BodyStep(step.bodies, k), Body(step.places, k).arm
        I, f, a = contacts_at(step, k, a, I + own.matrix, f + own.momentum)
        end = link.station + link.stations - 1
        load_cell(link, solve, Station(solve.cells.stations, end), arm, I, f)
        row = CellStep(solve.rows, k - 1)
        I, f = carry_matrix6(I, arm) + matrix6_of(row.inertia), carry_wrench(f, arm) + row.momentum
        while a >= 0 and step.owner[step.active[a]] > last:  # within a cell: stations stand behind all ends
            contact, owner = ContactRow(step.contacts, step.active[a]), step.owner[step.active[a]]
            if solve.station[owner] < link.station:
                break
            if contact.acts > 0.0 and is_fixed(step, step.active[a]):
                at, law = Body(step.places, owner).arm + contact.arm, law_point(contact)
                matrix, wrench = law_about(contact, law, at)
                I, f = I + matrix, f + wrench
                load_contact(link, solve, Station(solve.cells.stations, solve.station[owner]), at, contact, law)
            a -= 1
        eliminate_cell(link, k, step)
        for j in range(link.freedoms):
            freedom = CellFreedom(solve.freedoms, link.column + j)
            U = freedom.answer
            I, f = articulated_matrix6(I, U, freedom.reach, 1.0), f - freedom.pushed * U
    I, f, a = contacts_at(step, 0, a, I, f + BodyStep(step.bodies, 0).momentum)
    return I, f


@noinline_func
def cell_forward_pass(robot: ChainTables, step: Step, solved: Scalar) -> None:
    """From base to tip: rates and the twist of every body; where `solved` is 0 the rates are taken as they are."""
    solve, u = step.cells, BaseStep(step.base, 0).twist
    BodyStep(step.bodies, 0).twist = u
    for k in range(1, len(robot.links.codes)):
        link, inner = LinkRow(robot.links, k), u
        if solved > 0.0:
            for j in range(link.freedoms):
                freedom = CellFreedom(solve.freedoms, link.column + j)
                step.rates[link.column + j] = freedom.pushed - power(u, freedom.reach)
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
                    total += solve.whole[v, i] * step.rates[link.column + i]
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
