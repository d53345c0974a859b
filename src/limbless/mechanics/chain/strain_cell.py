"""A strain cell: a piece of soft body between two nodes, a joint with a block of freedoms whose own mass sits inside.

The pose along it obeys g' = g [ξ]; the strain ξ is linear in the freedoms. A cell is cut at its stations (Gauss
points, which carry mass, weight and water, and its end); what lies between two of them is a *piece* (see `pieces`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from limbless.mechanics.algebra import (
    Inertia,
    Matrix,
    Symmetric,
    Twist,
    Vector,
    Wrench,
    articulated_inertia,
    carry_inertia,
    carry_twist,
    carry_wrench,
    copy,
    copy_part,
    power,
    product,
    rotate_diagonal,
    twist_cross,
    wrench_cross,
)
from limbless.mechanics.chain import (
    ActuatorLimit,
    Axis,
    Body,
    CellPiece,
    ChainMemory,
    ChainTables,
    DofRow,
    FrameMotion,
    JacobianColumn,
    LinkRow,
    PieceBands,
    PieceScratch,
    SinglePieces,
    StrainBasis,
    StrainMotion,
    TendonState,
    aba_inward,
    aba_outward,
    add_force_jacobian,
    carried,
    forward_joint,
    joint_arm,
    keep_cells,
    nothing,
    piece_kinematics,
    piece_of,
    put_place,
    screw_of,
)
from limbless.mechanics.chain.joints import normalise_joint, put_rate, settle_one, turn_reach
from limbless.mechanics.compiled import (
    Array,
    IntArray,
    Rows,
    Scalar,
    Table,
    align_stack,
    constants,
    func,
    maximum,
    minimum,
    noinline_func,
    switch_scalar,
    table,
    version_for,
    where_positive,
)

if TYPE_CHECKING:
    from limbless.mechanics.chain import ElasticTendons, Material


class StrainCell(NamedTuple):
    """A strain cell. It is not among the kinds that a chain of rigid links mixes: its tables are `Memory.cells`."""

    code = 4
    reaches = False


@table
class Station(CellPiece):
    """A place in a cell, and the piece that leads to it from the one before (from the inner
    node, if it is the first).
    """

    mass: Vector  # inertia with added mass, along its own axes, kg
    turn: Vector  # kg m2
    body: int  # its row among the bodies
    lever: int  # where its freedoms begin among levers and columns
    band: int  # its place among the pieces that are bent eight at a time: see `PieceBands`
    lane: int
    screw: int  # and where its freedoms begin there
    kind: int  # its number among the pieces of its cell that differ
    has_mass: bool


@constants
class Stop(Table):
    """Where a freedom meets a stop: a stiff spring with a damper beyond."""

    low: float
    high: float
    stiffness: float  # 0: no stop
    damping: float


class DriveSample(NamedTuple):
    """The drive at the instant at hand."""

    position: Array  # (given,) of the freedoms that are given
    velocity: Array
    acceleration: Array
    effort: Array  # (freedoms,) of muscles, or none
    asked: Array  # (tendons,) by the gait: tension, N, length, m, or torque of the winch, N m
    asked_rate: Array
    command: Array  # (tendons,) by gait and controllers
    command_rate: Array


class Cells(NamedTuple):
    """All cells of a robot, and what holds at the instant that was evaluated last."""

    stations: Rows[Station]
    levers: Rows[StrainBasis]
    elastic: Array  # (freedoms, most) stiffness of a freedom against those of its own cell
    viscous: Array  # (freedoms, most)
    rest: Array  # (freedoms,)
    stops: Rows[Stop]  # (freedoms,)
    given: IntArray  # (freedoms,) 1 where the motion is given
    driven: IntArray  # (given,) numbers of these freedoms
    scale: Array  # (freedoms,) m: way of a unit of the freedom
    present: DriveSample
    pulls: Rows[TendonState]  # (tendons,)
    kept: Array  # Pull (R, tendons): what is recorded of them
    ropes: ElasticTendons | None  # Ropes (see `ropes`), or NoRopes: tensions are given
    # Material (see `material_law`); None: stiffness and damping are numbers
    material: Material | None
    bands: PieceBands  # (see `pieces`), and
    loose: SinglePieces
    efforts: Array  # (actuators,) what is tallied: tensions, or efforts along all freedoms
    # (freedoms, degree + 1) of a rod, (0, 0) elsewhere: efforts at the Gauss points of a cell from those along its
    # modes, N m or N, which are then tallied; and rates there, times the length that each point stands for
    effort_at: Array
    rate_at: Array
    weigh: Array  # (bodies,) share of each body in the mass
    columns: Rows[JacobianColumn]
    # (freedoms, most) D of each cell; of the free ones its factor L, and 1 / d on the diagonal
    matrix: Array
    strain: Array  # (freedoms,) their values,
    strain_rate: Array  # (freedoms,) and rates,
    strain_push: Array  # (freedoms,) and accelerations where they are given, 0 elsewhere
    before: Array  # (freedoms,) accelerations before, and
    span: Array  # (1,) γ h of an implicit stage: see `implicit`; 0 outside


# ---------------------------------------------------------------------------------------------------------- base to tip


@func
def turned(R: Matrix, V: Twist) -> Twist:
    """A twist into other axes."""
    return Twist(R @ V.linear, R @ V.angular)


@func
def bent_before(columns: Rows[JacobianColumn], cells: Cells, link: LinkRow):
    return None


@noinline_func
def bend_cell(columns: Rows[JacobianColumn], cells: Cells, link: LinkRow) -> None:
    """The pieces of a cell that differ."""
    align_stack()
    motion, most, bent = StrainMotion(cells.strain, cells.strain_rate, cells.strain_push), cells.elastic.shape[1], 0
    for s in range(link.station, link.station + link.stations):
        station = Station(cells.stations, s)
        if station.kind == bent:
            PieceScratch(cells.loose.bent, bent).relative = piece_kinematics(
                station,
                link.freedoms,
                cells.levers,
                station.lever,
                motion,
                link.column,
                cells.loose.screws,
                most * bent,
            )
            bent += 1


bend_own = switch_scalar(bent_before, bend_cell)
"""Before a cell is put together, where its pieces have not been bent yet."""


@version_for(forward_joint, StrainCell)
@func
def cell_place(link: LinkRow, x: Array, memory: ChainMemory, here: FrameMotion) -> FrameMotion:
    """All stations of a cell, with the columns of its freedoms; the last one is the node beyond
    it, the body of the link.
    """
    cells = memory.cells
    bend_own(cells.columns, cells, link)
    start, before, widest = here.origin, -1, 0.0 * here.origin.x
    shortest = widest + 1.0
    for s in range(link.station, link.station + link.stations):
        station = Station(cells.stations, s)
        piece = piece_of(cells.columns, cells, station, link)
        arm, R = here.R @ piece.arm, product(here.R, piece.turn)
        widest, shortest = maximum(widest, piece.angle), minimum(shortest, piece.stretch)
        for j in range(link.freedoms):
            column = turned(R, screw_of(cells.columns, cells, station, j))
            if before >= 0:
                column = column + carry_twist(JacobianColumn(cells.columns, before + j).screw, arm)
            JacobianColumn(cells.columns, station.lever + j).screw = column
        V = turned(R, piece.velocity)
        there = carried(here, arm)
        A = there.A + twist_cross(there.V, V) + turned(R, piece.pushed)
        here = FrameMotion(R, there.origin, there.V + V, A)
        before = station.lever
        body = Body(memory.bodies, station.body)
        body.arm = here.origin - start
        if s < link.station + link.stations - 1:
            put_place(body, here)
    Axis(memory.axes, link.column).mobility = where_positive(shortest, widest, 0.0 * widest - 1.0)
    return here


# ---------------------------------------------------------------------------------------------------------- tip to base


@func
def apply_inertia(M: Symmetric, J: Symmetric, a: Twist) -> Wrench:
    """Inertia of a station, along the world axes, times a twist."""
    return Wrench(M @ a.linear, J @ a.angular)


@func
def begin_block(link: LinkRow, robot: ChainTables, memory: ChainMemory) -> None:
    """D, U and u of a cell without what it moves: rotors, springs and dampers of an implicit stage, and what acts."""
    cells, m = memory.cells, link.freedoms
    gh = cells.span[0]
    for j in range(m):
        v = link.column + j
        axis, held = Axis(memory.axes, v), 0.0 * gh
        for i in range(m):
            ahead = gh * cells.viscous[v, i] + gh * gh * cells.elastic[v, i]
            cells.matrix[v, i] = ahead
            held += ahead * cells.before[link.column + i]
        extra = ActuatorLimit(memory.bounds, v).leading
        cells.matrix[v, j] += DofRow(robot.freedoms, v).rotor + extra
        axis.answer = Wrench(Vector(0.0 * gh, 0.0 * gh, 0.0 * gh), Vector(0.0 * gh, 0.0 * gh, 0.0 * gh))
        axis.force = 0.0 * gh
        if cells.given[v] == 0:
            axis.force = memory.torque[v] + memory.passive[v] + held + extra * cells.before[v]


@func
def add_all_to_block(link: LinkRow, memory: ChainMemory, lever: int, B: Inertia, F: Wrench, arm: Vector) -> None:
    """A station with the inertia B, moved by all freedoms."""
    for j in range(link.freedoms):
        add_to_block(link, memory, j, lever, B @ JacobianColumn(memory.cells.columns, lever + j).screw, F, arm)


@func
def add_to_block(
    link: LinkRow, memory: ChainMemory, j: int, lever: int, pulled: Wrench, F: Wrench, arm: Vector
) -> None:
    """One station moved by freedom j: `pulled` = B J_j; F: what it needs without accelerations."""
    cells, v = memory.cells, link.column + j
    J, axis = JacobianColumn(cells.columns, lever + j).screw, Axis(memory.axes, v)
    axis.answer = axis.answer + carry_wrench(pulled, arm)
    need = power(J, F)
    axis.force = axis.force + (need if cells.given[v] > 0 else -need)
    for i in range(j + 1):
        cells.matrix[v, i] += power(JacobianColumn(cells.columns, lever + i).screw, pulled)


@func
def factorise_block(link: LinkRow, memory: ChainMemory, I: Inertia, P: Wrench) -> tuple[Inertia, Wrench]:
    """The accelerations of the free freedoms eliminated: D = L d Lᵀ, Y = L⁻¹ Uᵀ, y = L⁻¹ u."""
    cells, first = memory.cells, link.column
    D = cells.matrix
    for j in range(link.freedoms):
        v = first + j
        if cells.given[v] > 0:
            continue
        axis = Axis(memory.axes, v)
        axis.around = D[v, j]
        Y, y = axis.answer, axis.force
        for i in range(j):
            if cells.given[first + i] == 0:
                share, other = left_over(memory, first, j, i) * D[first + i, i], Axis(memory.axes, first + i)
                D[v, i] = share
                Y, y = Y - share * other.answer, y - share * other.force
        own = left_over(memory, first, j, j)
        axis.own = own
        axis.answer = Y
        axis.force = y
        D[v, j] = 1.0 / own
        I, P = articulated_inertia(I, Y, own), P + (y / own) * Y
    return I, P


@func
def left_over(memory: ChainMemory, first: int, j: int, i: int) -> Scalar:
    """D_ji - Σ L_jk d_k L_ik over the free freedoms k < i: L_ji d_i."""
    cells = memory.cells
    total = cells.matrix[first + j, i]
    for k in range(i):
        if cells.given[first + k] == 0:
            total -= cells.matrix[first + j, k] * Axis(memory.axes, first + k).own * cells.matrix[first + i, k]
    return total


@version_for(aba_inward, StrainCell)
@func
def cell_transmit(
    link: LinkRow, robot: ChainTables, memory: ChainMemory, I: Inertia, P: Wrench
) -> tuple[Inertia, Wrench]:
    """D = Σ Jᵀ B J, U = Σ Xᵀ B J and u over the stations; I and P of all beyond sit at the last one."""
    cells = memory.cells
    begin_block(link, robot, memory)
    last = Station(cells.stations, link.station + link.stations - 1)
    arm = Body(memory.bodies, last.body).arm
    add_all_to_block(link, memory, last.lever, I, P, arm)
    I, P = carry_inertia(I, arm), carry_wrench(P, arm)
    for s in range(link.station, link.station + link.stations):
        station = Station(cells.stations, s)
        if station.has_mass:
            body = Body(memory.bodies, station.body)
            R, V, arm = body.rotation, body.velocity, body.arm
            M, J = rotate_diagonal(R, station.mass), rotate_diagonal(R, station.turn)
            F = apply_inertia(M, J, body.known) + wrench_cross(V, apply_inertia(M, J, V)) - body.wrench
            for j in range(link.freedoms):
                pulled = apply_inertia(M, J, JacobianColumn(cells.columns, station.lever + j).screw)
                add_to_block(link, memory, j, station.lever, pulled, F, arm)
            o = 0.0 * product(R, R)
            I, P = I + carry_inertia(Inertia(M, o, J), arm), P + carry_wrench(F, arm)
            if memory.ahead is not None:
                C, F = add_force_jacobian(memory.ahead, station.body, *nothing(0.0 * V.linear.x))
                add_all_to_block(link, memory, station.lever, C, F, arm)
                I, P = I + carry_inertia(C, arm), P + carry_wrench(F, arm)
    return factorise_block(link, memory, I, P)


# ------------------------------------------------------------------------------------------------------------- and back


@version_for(aba_outward, StrainCell)
@func
def cell_respond(link: LinkRow, robot: ChainTables, memory: ChainMemory, delta: Twist) -> Twist:
    """q̈ = L⁻ᵀ d⁻¹ (y - Y δ) of what is free, the efforts of what is given, and δ of the node beyond."""
    cells, first = memory.cells, link.column
    L = cells.matrix
    for j in range(link.freedoms - 1, -1, -1):
        v = first + j
        if cells.given[v] == 0:
            axis = Axis(memory.axes, v)
            found = L[v, j] * (axis.force - power(delta, axis.answer))
            for i in range(j + 1, link.freedoms):
                if cells.given[first + i] == 0:
                    found -= L[first + i, j] * memory.acceleration[first + i]
            memory.acceleration[v] = found
    for j in range(link.freedoms):
        v = first + j
        if cells.given[v] > 0:
            axis = Axis(memory.axes, v)
            effort = axis.force + power(delta, axis.answer) + (DofRow(robot.freedoms, v).rotor * memory.acceleration[v])
            for i in range(link.freedoms):
                if cells.given[first + i] == 0:
                    effort += (L[v, i] if i < j else L[first + i, j]) * memory.acceleration[first + i]
            memory.torque[v] = effort - memory.passive[v]
    return beyond_station(link, memory, link.station + link.stations - 1, delta)


@func
def beyond_station(link: LinkRow, memory: ChainMemory, s: int, delta: Twist) -> Twist:
    """δ of a station, from that of the inner node and the accelerations of what is free."""
    cells, station = memory.cells, Station(memory.cells.stations, s)
    beyond = carry_twist(delta, Body(memory.bodies, station.body).arm)
    for j in range(link.freedoms):
        if cells.given[link.column + j] == 0:
            beyond = (
                beyond + memory.acceleration[link.column + j] * JacobianColumn(cells.columns, station.lever + j).screw
            )
    return beyond


# ------------------------------------------------------------------------------------------------------------ its state


@version_for(keep_cells, Cells)
@noinline_func
def keep_pulls(cells: Cells, robot: ChainTables, memory: ChainMemory, r: int) -> None:
    """Tendons; and δ of the stations within cells, which nothing but a record asks for."""
    for k in range(1, len(robot.links.codes)):
        link, delta = LinkRow(robot.links, k), Body(memory.bodies, k - 1).delta
        for s in range(link.station, link.station + link.stations - 1):
            Body(memory.bodies, Station(cells.stations, s).body).delta = beyond_station(link, memory, s, delta)
    for c in range(cells.pulls.shape[0]):
        copy(cells.pulls[c], cells.kept[r, c])


version_for(normalise_joint, StrainCell)(settle_one)
version_for(joint_arm, StrainCell)(turn_reach)


@version_for(put_rate, StrainCell)
@func
def put_cell_rate(link: LinkRow, x: Array, out: Array) -> None:
    copy_part(x, link.velocity, out, link.position, link.freedoms)
