"""Tendons that stretch or rub, and their winches: tensions that follow from the motion, taken ahead exactly in an
implicit stage.

A tendon of unstretched length w has the tension T = max(0, k (ℓ - w) + c (ℓ̇ - ẇ)) while it is stretched; w is given,
or its winch leaves it: w = ℓ0 - r θ, J θ̈ = M - b θ̇ - r T. In a stage with v = v* + γh a a tension changes with the
accelerations a by κ z·a, z = ∂ℓ/∂q and κ = (γh)² k + γh c. That couples all freedoms that a tendon crosses, and a
diagonal bound of it makes stages that do not come to rest. It is taken exactly (Woodbury): one sweep with the factors
of the recursion answers each tendon's pull, and a system as large as the number of tendons gives the changes s of all
tensions:

    (1 + K G) s = K (Zᵀ (a0 - a_before) + ...),   G = Zᵀ (M + Â)⁻¹ Z,   a = a0 - (M + Â)⁻¹ Z s

A winch only makes its tendon softer: κ becomes κ / (1 + κ r² / (J + γh b)). One without inertia follows its motor at
once: T = M / r. Friction at a hole is a term of the same form, with z the slopes of all chords beyond it, and κ = γh T
μ |turn| e² / (b² + e²)^1.5 (see `rubbing`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra import Twist, Wrench, carry_twist, carry_wrench, fill, gauss_solve, power, transpose
from limbless.mechanics.chain import (
    BASES,
    INTEGRALS,
    Axis,
    Base,
    Body,
    ChainMemory,
    ChainTables,
    JacobianColumn,
    LinkRow,
    Station,
    TendonState,
    base_acceleration,
)
from limbless.mechanics.compiled import (
    Array,
    Rows,
    Scalar,
    Table,
    constants,
    func,
    maximum,
    noinline_func,
    table,
    where_positive,
)


class TendonCommands(NamedTuple):
    """What a tendon is told."""

    tension: int = 0
    length: int = 1
    torque: int = 2


COMMANDS = TendonCommands()
"""What a command of a tendon is."""


@constants
class ElasticTendon(Table):
    """A tendon that stretches, and its winch."""

    stiffness: float  # N/m
    damping: float  # N s/m
    straight: float  # m: unstretched length at zero angle of its winch
    radius: float  # of its winch, m
    rotor: float  # inertia of its winch, kg m2; 0: it follows its motor at once
    drag: float  # damping of its winch, N m s/rad


@table
class WinchState(Table):
    """A tendon that stretches, at one instant."""

    angle: float  # of its winch, rad, rad/s, rad/s2
    rate: float
    spin: float
    before: float  # angular acceleration before, in an implicit stage
    motor: float  # torque of its motor, N m


@table
class TensionTerm(Table):
    """A tension that changes with the accelerations: of a tendon at its pulley, or behind a hole in which it rubs."""

    slope: float  # κ, kg: how much it grows with z·a
    lead: float  # how much z·a its winch is ahead of what was before, m/s2


@table
class BaseResponse(Table):
    """How the base answers a unit of a term, with a minus."""

    acceleration: Twist  # rate of the components of its twist, base axes
    held: Wrench


class ElasticTendons(NamedTuple):
    """All tendons of a robot, where they stretch or rub. Terms are those of all tendons, then, where they rub, those of
    all their pieces.
    """

    rows: Rows[ElasticTendon]  # (tendons,)
    windings: Rows[WinchState]  # (tendons,)
    terms: Rows[TensionTerm]
    replies: Rows[BaseResponse]  # (terms,)
    how: Array  # (1,) one of COMMANDS
    winches: Array  # (winches,) numbers of the tendons with a winch: all of them, or none
    slopes: Array  # (terms, freedoms) z: ∂ℓ/∂q
    pulls: Array  # (terms, freedoms) what a unit of it does, with a minus
    answers: Array  # (terms, freedoms) accelerations that answer that, with a minus
    system: Array  # (terms, terms + 1)
    half: Array  # (freedoms,) of a sweep


# --------------------------------------------------------------------------------------------------- winches in a state
# A state has their angles and then their rates, before its sums.


@noinline_func
def take_winches(ropes: ElasticTendons, x: Array) -> None:
    """Angles and rates of all winches from a state."""
    m = ropes.winches.shape[0]
    first = x.shape[0] - INTEGRALS - 2 * m
    for c in range(m):
        winding = WinchState(ropes.windings, c)
        winding.angle = x[first + c]
        winding.rate = x[first + m + c]


@noinline_func
def put_winch_rates(ropes: ElasticTendons, x: Array, out: Array) -> None:
    """Their rates into one."""
    m = ropes.winches.shape[0]
    first = x.shape[0] - INTEGRALS - 2 * m
    turns = 1.0 if ropes.how[0] == COMMANDS.torque else 0.0
    for c in range(m):
        out[first + c] = turns * x[first + m + c]
        out[first + m + c] = turns * WinchState(ropes.windings, c).spin


@noinline_func
def remember_winches(ropes: ElasticTendons, before: Array) -> None:
    """Their accelerations before, in an implicit stage."""
    first = before.shape[0] - INTEGRALS - ropes.winches.shape[0]
    for c in range(ropes.winches.shape[0]):
        WinchState(ropes.windings, c).before = before[first + c]


@func
def occupy_winches(first: int, last: int, start: Array, gh: Scalar, slope: Array, x: Array) -> None:
    """X = X* + γh slope of the winches, whose numbers in a state go from `first` to `last`: rates, then angles."""
    m = (last - first) // 2
    for c in range(first, first + m):
        x[c + m] = start[c + m] + gh * slope[c + m]
        slope[c] = x[c + m]
        x[c] = start[c] + gh * x[c + m]


# ------------------------------------------------------------------------------------------------------------- tensions


@func
def pull_at(pull: TendonState, tension: Any, wound: Any, wound_rate: Any) -> None:
    """A tension at a pulley that winds up so; no damper takes part."""
    pull.tension = tension
    pull.wound = wound
    pull.wound_rate = wound_rate
    pull.fed = -tension * wound_rate
    pull.power = pull.fed
    pull.damped = 0.0
    pull.braked = 0.0


@noinline_func
def draw_tensions(command: Array, pulls: Rows[TendonState]) -> None:
    for c in range(pulls.shape[0]):
        pull = TendonState(pulls, c)
        tension = where_positive(-command[c], 0.0 * command[c], command[c])  # at 0 with its slope: it begins
        pull_at(pull, tension, pull.length, pull.rate)


@func
def tendon_tensions(ropes: ElasticTendons, memory: ChainMemory) -> None:
    """Tensions of all tendons, once their lengths are measured, and the powers at their pulleys."""
    if ropes is None:
        draw_tensions(memory.cells.present.command, memory.cells.pulls)
    elif ropes.how[0] == COMMANDS.tension:
        draw_tensions(memory.cells.present.command, memory.cells.pulls)
        for c in range(ropes.windings.shape[0]):
            TensionTerm(ropes.terms, c).slope = 0.0
    else:
        tension_from_length(ropes, memory)


@noinline_func
def tension_from_length(ropes: ElasticTendons, memory: ChainMemory) -> None:
    """Tensions from lengths."""
    cells = memory.cells
    gh, torque = cells.span[0], ropes.how[0] == COMMANDS.torque
    for c in range(cells.pulls.shape[0]):
        pull, rope, winding = TendonState(cells.pulls, c), ElasticTendon(ropes.rows, c), WinchState(ropes.windings, c)
        term, command = TensionTerm(ropes.terms, c), cells.present.command[c]
        if torque and rope.rotor == 0.0:
            follow_motor(pull, rope, term, command, cells.present.command_rate[c])
            continue
        wound, wound_rate = command, cells.present.command_rate[c]
        if torque:
            wound, wound_rate = rope.straight - rope.radius * winding.angle, -rope.radius * winding.rate
        longer, rate = max(pull.length - wound, 0.0), pull.rate - wound_rate
        spring = rope.stiffness * longer
        tension = max(spring + rope.damping * rate, 0.0) if longer > 0.0 else 0.0 * spring
        pull_at(pull, tension, wound, wound_rate)
        pull.damped = (spring - tension) * rate
        slope = gh * (gh * rope.stiffness + rope.damping) if tension > 0.0 else 0.0 * gh
        term.slope = slope
        term.lead = 0.0 * gh
        if torque:
            winding.motor = command
            pull.power = command * winding.rate
            pull.braked = -rope.drag * winding.rate * winding.rate
            spin = turn_winch(rope, winding, gh, tension)
            winding.spin = spin
            term.slope = slope / (1.0 + slope * rope.radius * rope.radius / (rope.rotor + gh * rope.drag))
            term.lead = rope.radius * (spin - winding.before)


@func
def follow_motor(pull: TendonState, rope: ElasticTendon, term: TensionTerm, torque: Any, torque_rate: Any) -> None:
    """A winch without inertia: its tension is what its motor holds, whatever its angle."""
    tension = maximum(torque, 0.0 * torque) / rope.radius
    wound_rate = pull.rate - torque_rate / (rope.radius * rope.stiffness)
    pull_at(pull, tension, pull.length - tension / rope.stiffness, wound_rate)
    term.slope = 0.0
    term.lead = 0.0


@func
def turn_winch(rope: ElasticTendon, winding: WinchState, gh: Scalar, tension: Any):
    """Angular acceleration of a winch, with its damper taken ahead."""
    left = winding.motor - rope.drag * (winding.rate - gh * winding.before) - rope.radius * tension
    return left / (rope.rotor + gh * rope.drag)


# --------------------------------------------------------------------------------------------------- exact rank-m terms


@func
def solve_tensions(ropes: ElasticTendons, robot: ChainTables, how: int, memory: ChainMemory) -> None:
    """After the dynamics of an implicit stage: accelerations with the tensions that they themselves
    make; `how` the base moves.
    """
    if memory.cells.span[0] > 0.0:
        for c in range(ropes.terms.shape[0]):
            if TensionTerm(ropes.terms, c).slope > 0.0:
                reply(c, robot, how, memory)
        set_up(ropes, memory)
        gauss_solve(ropes.system, ropes.system.shape[0])
        take_changes(ropes, memory)


@noinline_func
def reply(c: int, robot: ChainTables, how: int, memory: ChainMemory) -> None:
    """What a unit of term c accelerates, by the factors that the recursion left: tip to base, and back."""
    cells, links = memory.cells, robot.links
    ropes, L = cells.ropes, cells.matrix
    P = 0.0 * Base(memory.base, 0).held
    for k in range(len(links.codes) - 1, 0, -1):
        link, body = LinkRow(links, k), Body(memory.bodies, k)
        first, lever = link.column, Station(cells.stations, link.station + link.stations - 1).lever
        inner = carry_wrench(P, body.arm)
        for j in range(link.freedoms):
            v = first + j
            if cells.given[v] == 0:
                y = ropes.pulls[c, v] - power(JacobianColumn(cells.columns, lever + j).screw, P)
                for i in range(j):
                    if cells.given[first + i] == 0:
                        y -= L[v, i] * ropes.half[first + i]
                ropes.half[v] = y
                inner = inner + (y * L[v, j]) * Axis(memory.axes, v).answer
        P = inner
    base, R, told = Base(memory.base, 0), Body(memory.bodies, 0).rotation, BaseResponse(ropes.replies, c)
    I = base.answer
    delta = base_acceleration(how, I, P, R)
    told.held = 0.0 * P if how == BASES.free else I @ delta + P
    told.acceleration = Twist(transpose(R) @ delta.linear, transpose(R) @ delta.angular)
    for k in range(1, len(links.codes)):
        link = LinkRow(links, k)
        first, lever = link.column, Station(cells.stations, link.station + link.stations - 1).lever
        beyond = carry_twist(delta, Body(memory.bodies, k).arm)
        for j in range(link.freedoms - 1, -1, -1):
            v = first + j
            ropes.answers[c, v] = 0.0
            if cells.given[v] == 0:
                found = L[v, j] * (ropes.half[v] - power(delta, Axis(memory.axes, v).answer))
                for i in range(j + 1, link.freedoms):
                    if cells.given[first + i] == 0:
                        found -= L[first + i, j] * ropes.answers[c, first + i]
                ropes.answers[c, v] = found
                beyond = beyond + found * JacobianColumn(cells.columns, lever + j).screw
        delta = beyond


@noinline_func
def set_up(ropes: ElasticTendons, memory: ChainMemory) -> None:
    """(1 + K G) s = K (Zᵀ (a0 - before) + lead), the right side in the last column."""
    cells, m = memory.cells, ropes.system.shape[0]
    for c in range(m):
        term = TensionTerm(ropes.terms, c)
        ahead = term.lead
        fill(ropes.system[c], 0.0)
        ropes.system[c, c] = 1.0
        if term.slope > 0.0:
            for v in range(cells.given.shape[0]):
                if cells.given[v] == 0:
                    ahead += ropes.slopes[c, v] * (memory.acceleration[v] - cells.before[v])
            ropes.system[c, m] = term.slope * ahead
            for d in range(m):
                if TensionTerm(ropes.terms, d).slope > 0.0:
                    for v in range(cells.given.shape[0]):
                        ropes.system[c, d] += term.slope * ropes.slopes[c, v] * ropes.answers[d, v]


@noinline_func
def take_changes(ropes: ElasticTendons, memory: ChainMemory) -> None:
    """Accelerations of freedoms, base and winches with the changes of all tensions."""
    cells, base, m = memory.cells, Base(memory.base, 0), ropes.system.shape[0]
    gh = cells.span[0]
    for c in range(m):
        change = ropes.system[c, m]
        if TensionTerm(ropes.terms, c).slope > 0.0:
            told = BaseResponse(ropes.replies, c)
            base.acceleration = base.acceleration + (-change) * told.acceleration
            base.held = base.held + (-change) * told.held
            for v in range(cells.given.shape[0]):
                if cells.given[v] == 0:
                    memory.acceleration[v] -= change * ropes.answers[c, v]
    if ropes.how[0] == COMMANDS.torque:
        for c in range(ropes.winches.shape[0]):
            rope, winding = ElasticTendon(ropes.rows, c), WinchState(ropes.windings, c)
            if rope.rotor > 0.0:
                winding.spin = turn_winch(rope, winding, gh, TendonState(cells.pulls, c).tension + ropes.system[c, m])
