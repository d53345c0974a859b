"""How water moves by itself: streams, vortices and waves, as a sum of rows of one table. Each gives the velocity u at a
place, its rate du/dt there and its gradient; waves also move the surface.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra import Matrix, Vector, cross, dot, outer, skew
from limbless.mechanics.compiled import (
    Rows,
    Scalar,
    Table,
    call_pointer,
    constants,
    exponential,
    func,
    maximum,
    minimum,
    sincos,
    table,
    where_positive,
)

NEAR = 1e-5  # of the square of the core: vortices are solid there
FAR = 50.0  # k z: eight lengths of a wave from the surface there is nothing more to tell


class FlowKinds(NamedTuple):
    """What a part of a flow is."""

    linear: int = 0
    vortex: int = 1
    wave: int = 2
    function: int = 3


FLOW_KINDS = FlowKinds()


@constants
class FlowRow(Table):
    """One part of a flow; what a kind does not use is 0."""

    velocity: Vector  # linear: at the origin; vortex: of its drift, m/s
    gradient: Matrix  # linear: du_i/dx_j, 1/s
    origin: Vector  # linear, vortex: place; wave: a point of the still level, m
    swing: Vector  # linear: amplitude that oscillates, m/s
    axis: Vector  # vortex: unit vector; wave: horizontal direction
    rate: float  # linear, wave: angular frequency, rad/s
    phase: float  # rad
    strength: float  # vortex: circulation / 2π, m2/s; wave: amplitude, m
    size: float  # vortex: radius of the core, m; wave: wave number, 1/m
    bottom: float  # wave: exp(-2 k depth)
    address: int  # function: see `StreamBuffer`
    kind: int


@table
class StreamBuffer(Table):
    """What a user's flow finds, and where it writes its answer."""

    time: float  # s
    place: Vector  # world, m
    velocity: Vector  # answer: m/s,
    rate: Vector  # m/s2,
    gradient: Matrix  # 1/s


class Flows(NamedTuple):
    """All that moves the water; water that rests has None."""

    rows: Rows[FlowRow]
    # one row; None: no flow is a user's function, and derivatives pass through
    asked: Rows[StreamBuffer] | None


class FlowState(NamedTuple):
    """The water at a place, world axes."""

    velocity: Vector
    rate: Vector  # du/dt at the place
    gradient: Matrix  # du_i/dx_j in row i


class Height(NamedTuple):
    """The surface above a place."""

    level: float  # m
    x: float  # its slopes
    y: float
    rate: float  # m/s
    turning: Vector  # how fast the slopes change for one who moves along


@func
def linear_stream(flow: FlowRow, t: Scalar, x: Vector) -> FlowState:
    s, c = sincos(flow.rate * t + flow.phase)
    o = 0.0 * x.x
    velocity = flow.velocity + flow.gradient @ (x - flow.origin) + s * flow.swing
    steady = Matrix(Vector(o, o, o), Vector(o, o, o), Vector(o, o, o))
    return FlowState(velocity, (flow.rate * c + o) * flow.swing, flow.gradient + steady)


@func
def vortex_stream(flow: FlowRow, t: Scalar, x: Vector) -> FlowState:
    """Γ/(2π r²) (1 - exp(-r²/core²)) k x r about an axis that drifts (Lamb and Oseen)."""
    apart = x - flow.origin - t * flow.velocity
    r = apart - dot(apart, flow.axis) * flow.axis
    square, core = dot(r, r) + 1e-30, flow.size * flow.size
    share, inner = square / core, flow.strength / core
    fading, near, o = exponential(-share), NEAR - share, 0.0 * share
    away = flow.strength * (1.0 - fading) / square
    turn = where_positive(near, inner * (1.0 - 0.5 * share), away)  # near: the series of what stands beside it
    slope = where_positive(near, o - inner / core, 2.0 * (inner * fading - away) / square)  # d turn / d(r²), twice
    across = cross(flow.axis, r)
    gradient = outer(across, slope * r) + turn * skew(flow.axis)
    return FlowState(turn * across, -1.0 * (gradient @ flow.velocity), gradient)


@func
def wave_phase(flow: FlowRow, t: Scalar, x: Vector) -> tuple[Scalar, Scalar]:
    return sincos(flow.size * dot(flow.axis, x - flow.origin) - flow.rate * t + flow.phase)


@func
def wave_stream(flow: FlowRow, t: Scalar, x: Vector) -> FlowState:
    """Airy's wave, not stretched: above the still level the formula goes on."""
    s, c = wave_phase(flow, t, x)
    k, z = flow.size, x.z - flow.origin.z
    up = exponential(maximum(minimum(k * z, FAR + 0.0 * z), -FAR + 0.0 * z))
    down, bulk = flow.bottom / up, 1.0 / (1.0 - flow.bottom)
    C, S = (up + down) * bulk, (up - down) * bulk  # cosh k(z + h) and sinh k(z + h) / sinh kh
    speed = flow.strength * flow.rate
    o, d = 0.0 * x.x, flow.axis
    vertical = Vector(o, o, 1.0 + o)
    velocity = (speed * C * c) * d + (speed * S * s) * vertical
    rate = (speed * flow.rate) * ((C * s) * d - (S * c) * vertical)
    along = (-(speed * k) * C * s) * d + (speed * k * S * c) * vertical  # gradients of both parts
    rising = (speed * k * S * c) * d + (speed * k * C * s) * vertical
    return FlowState(velocity, rate, outer(d, along) + outer(vertical, rising))


@func
def user_stream(asked: Rows[StreamBuffer], flow: FlowRow, t: Scalar, x: Vector) -> FlowState:
    """The stream of a user's function."""
    if asked is None:
        o = 0.0 * x
        return FlowState(o, o, Matrix(o, o, o))
    row = StreamBuffer(asked, 0)
    row.time = t
    row.place = x
    call_pointer(flow.address, asked)
    return FlowState(row.velocity, row.rate, row.gradient)


@func
def stream_of(flow: FlowRow, asked: Any, t: Scalar, x: Vector) -> FlowState:
    if flow.kind == FLOW_KINDS.linear:
        return linear_stream(flow, t, x)
    if flow.kind == FLOW_KINDS.vortex:
        return vortex_stream(flow, t, x)
    if flow.kind == FLOW_KINDS.wave:
        return wave_stream(flow, t, x)
    return user_stream(asked, flow, t, x)


@func
def flow_at(flows: Flows, t: Scalar, x: Vector) -> FlowState:
    """The water at x at time t."""
    o = 0.0 * x
    if flows is None:
        return FlowState(o, o, Matrix(o, o, o))
    velocity, rate, gradient = o, o, Matrix(o, o, o)
    for i in range(len(flows.rows.codes)):
        part = stream_of(FlowRow(flows.rows, i), flows.asked, t, x)
        velocity, rate, gradient = velocity + part.velocity, rate + part.rate, gradient + part.gradient
    return FlowState(velocity, rate, gradient)


@func
def height_at(flows: Flows, level: Scalar, t: Scalar, x: Vector, velocity: Vector) -> Height:
    """The surface over x, which moves with `velocity`, at time t: waves add up on the still level."""
    o = 0.0 * x.x
    height = Height(level + o, o, o, o, 0.0 * velocity)
    for i in range(len(flows.rows.codes)):
        flow = FlowRow(flows.rows, i)
        if flow.kind == FLOW_KINDS.wave:
            s, c = wave_phase(flow, t, x)
            a, k, d = flow.strength, flow.size, flow.axis
            bend = -a * k * c * (k * dot(d, velocity) - flow.rate)
            height = Height(
                height.level + a * c,
                height.x - a * k * s * d.x,
                height.y - a * k * s * d.y,
                height.rate + a * flow.rate * s,
                height.turning + bend * d,
            )
    return height
