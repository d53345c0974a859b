"""How water moves by itself: streams, vortices and waves, as a sum of rows of one table. Each gives the velocity u at a
place, its rate du/dt there and its gradient; waves also move the surface.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra.vectors import Matrix, Vector, cross, dot, outer, skew
from limbless.mechanics.compiled.function_pointer import call_pointer
from limbless.mechanics.compiled.generic import generic, version_for
from limbless.mechanics.compiled.kernel import func
from limbless.mechanics.compiled.scalars import exponential, maximum, minimum, sincos, where_positive
from limbless.mechanics.compiled.tables import Table, constants, table

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


class UserFlows(NamedTuple):
    """Some of the flows are users' functions."""

    buffer: Any  # StreamBuffer, one row


class NoUserFlows(NamedTuple):
    """None is."""


class Flows(NamedTuple):
    """All that moves the water."""

    rows: Any  # Flow
    asked: Any  # Asked or Unasked: by type, so that derivatives pass through all other flows


class StillWater(NamedTuple):
    """In place of `Flows`: the water rests."""


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
def linear_stream(flow, t, x):
    s, c = sincos(flow.rate * t + flow.phase)
    o = 0.0 * x.x
    velocity = flow.velocity + flow.gradient @ (x - flow.origin) + s * flow.swing
    steady = Matrix(Vector(o, o, o), Vector(o, o, o), Vector(o, o, o))
    return FlowState(velocity, (flow.rate * c + o) * flow.swing, flow.gradient + steady)


@func
def vortex_stream(flow, t, x):
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
def wave_phase(flow, t, x):
    return sincos(flow.size * dot(flow.axis, x - flow.origin) - flow.rate * t + flow.phase)


@func
def wave_stream(flow, t, x):
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


@generic
def user_stream(asked, flow, t, x):
    """The stream of a user's function."""


@version_for(user_stream, NoUserFlows)
@func
def no_stream(asked, flow, t, x):
    o = 0.0 * x
    return FlowState(o, o, Matrix(o, o, o))


@version_for(user_stream, UserFlows)
@func
def asked_stream(asked, flow, t, x):
    row = StreamBuffer(asked.buffer, 0)
    row.time = t
    row.place = x
    call_pointer(flow.address, asked.buffer)
    return FlowState(row.velocity, row.rate, row.gradient)


@func
def stream_of(flow, asked, t, x):
    if flow.kind == FLOW_KINDS.linear:
        found = linear_stream(flow, t, x)
    elif flow.kind == FLOW_KINDS.vortex:
        found = vortex_stream(flow, t, x)
    elif flow.kind == FLOW_KINDS.wave:
        found = wave_stream(flow, t, x)
    else:
        found = user_stream(asked, flow, t, x)
    return found


@generic
def flow_at(flows, t, x):
    """The water at x at time t."""


@version_for(flow_at, StillWater)
@func
def calm_stream(flows, t, x):
    o = 0.0 * x
    return FlowState(o, o, Matrix(o, o, o))


@version_for(flow_at, Flows)
@func
def sum_of_streams(flows, t, x):
    o = 0.0 * x
    velocity, rate, gradient = o, o, Matrix(o, o, o)
    for i in range(len(flows.rows.codes)):
        part = stream_of(FlowRow(flows.rows, i), flows.asked, t, x)
        velocity, rate, gradient = velocity + part.velocity, rate + part.rate, gradient + part.gradient
    return FlowState(velocity, rate, gradient)


@func
def height_at(flows, level, t, x, velocity):
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
