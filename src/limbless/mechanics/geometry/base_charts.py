"""How the base of a chain is described, one class each: on virtual joints (a chart) or on a group.

    PlanarChart   virtual joints PX PY RZ               PlanarGroup   X, Y, yaw with the body twist, SE(2)
    SpaceChart    virtual joints PX PY PZ RZ RY RX      SpaceGroup    position, quaternion with the body twist, SE(3)
    FixedBase     none

Coordinates stand first in a state x. Screws are taken at the reference point of `screws`, where the base origin is at
this instant: every rotation axis of the base passes through it.

A chain on its manifold in tables: its screws, and the working memory of one state.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra import (
    Inertia,
    Matrix,
    Quaternion,
    Twist,
    Vector,
    Wrench,
    dot,
    product,
    quaternion_product,
    rotation_about,
    rotation_from_quaternion,
    transpose,
    twist_cross,
)
from limbless.mechanics.chain import Base, Body, put_quaternion_rate, sliding, turning
from limbless.mechanics.compiled import (
    Array,
    IntArray,
    Rows,
    Scalar,
    Table,
    func,
    generic,
    no_op,
    sincos,
    table,
    version_for,
)


@table
class JointScrew(Table):
    """One degree of freedom at one instant (base first), along the world axes, at one point for all: see `screws`."""

    twist: Twist  # s: of a unit speed
    rate: Twist  # ṡ = [V, s]
    pull: Wrench  # K s, K the inertia of all that it moves


@table
class Spatial(Table):
    """A body at one instant, along the world axes, at the same point."""

    twist: Twist
    known: Twist  # the part of its acceleration that velocities make
    composite: Inertia  # K: of it and of all beyond
    load: Wrench  # F: what it and all beyond need without accelerations, less what acts on them


class Solver(NamedTuple):
    """Working memory of the dense solution; N degrees of freedom, base first."""

    free: IntArray  # (N,) numbers of the force-given ones
    factor: Array  # (N, N) of their metric
    short: Array  # (N,)
    rows: Array  # (6, N) J of the clamp
    row_rates: Array  # (6,) J̇ ẋ
    target: Array  # (6,) what J times the answer must be
    mobility: Array  # (6, N) M⁻¹ Jᵀ
    held: Array  # (6, 6) factor of J M⁻¹ Jᵀ
    pull: Array  # (6,) λ


class GeometricMemory(NamedTuple):
    """What holds at the state that was evaluated last."""

    bodies: Rows[Body]
    spatial: Rows[Spatial]
    screws: Rows[JointScrew]  # (N,)
    base: Rows[Base]  # one row
    metric: Array  # (N, N)
    bias: Array  # (N,)
    rates: Array  # (N,) accelerations, or changes of the speeds
    forces: Array  # (N,) right-hand side
    effort: Array  # (N,) what acts along each degree of freedom
    solver: Solver


NEAR_LOCK = 1e-3  # cosine of the pitch at which the virtual joints of a base in space count as locked


class Frame(NamedTuple):
    """What every description has."""

    speeds: int  # how many the base has,
    coordinates: int  # and how many numbers say where it is
    home: Array  # (7,) position and quaternion of what these count from


class FixedBase(Frame):
    """A base that stays at its home."""


class PlanarChart(Frame):
    """Virtual joints PX PY RZ."""


class SpaceChart(Frame):
    """Virtual joints PX PY PZ RZ RY RX."""


class PlanarGroup(Frame):
    """SE(2): left-invariant fields."""


class SpaceGroup(Frame):
    """SE(3): left-invariant fields."""


# ------------------------------------------------------------------------------------------ what every description says


@generic
def base_quaternion(frame: Any, x: Array) -> Quaternion:
    """Orientation of the base, continuous in its coordinates."""


@generic
def base_origin(frame: Any, H: Matrix, x: Array) -> Vector:
    """Position of the base in the world; H is the rotation of its home."""


@generic
def put_base_screws(frame: Any, H: Matrix, R: Matrix, x: Array, screws: Rows[JointScrew]):
    """The screws of the base at the reference point; R is its rotation."""


@generic
def move_base(frame: Any, speeds: Array, screws: Rows[JointScrew], zero: Vector) -> tuple[Twist, Twist]:
    """Twist of the base, and the part of its acceleration that velocities make; the rates of its screws."""


@generic
def put_base_rates(frame: Any, x: Array, speeds: Array, out: Array):
    """Rates of the coordinates."""


@generic
def component(frame: Any, i: int, screws: Rows[JointScrew], S: Twist) -> Scalar:
    """The i-th of the components of a twist that a clamp holds: three in the plane of a planar base, else
    six along the world axes.
    """


# ---------------------------------------------------------------------------------------------------------- where it is


@func
def home_quaternion(frame: Frame) -> Quaternion:
    home = frame.home
    return Quaternion(home[3], home[4], home[5], home[6])


@func
def home_rotation(frame: Frame) -> Matrix:
    h = home_quaternion(frame)
    return rotation_from_quaternion(h.w, h.x, h.y, h.z)


@func
def home_origin(frame: Frame) -> Vector:
    home = frame.home
    return Vector(home[0], home[1], home[2])


@version_for(base_quaternion, FixedBase)
@func
def fixed_quaternion(frame: FixedBase, x: Array):
    return home_quaternion(frame)


@version_for(base_quaternion, PlanarChart, PlanarGroup)
@func
def planar_quaternion(frame: PlanarChart | PlanarGroup, x: Array) -> Quaternion:
    s, k = sincos(0.5 * x[2])
    return quaternion_product(home_quaternion(frame), Quaternion(k, 0.0, 0.0, s))


@version_for(base_quaternion, SpaceChart)
@func
def chart_quaternion(frame: SpaceChart, x: Array):
    sz, cz = sincos(0.5 * x[3])
    sy, cy = sincos(0.5 * x[4])
    sx, cx = sincos(0.5 * x[5])
    yaw_pitch = quaternion_product(Quaternion(cz, 0.0, 0.0, sz), Quaternion(cy, 0.0, sy, 0.0))
    return quaternion_product(home_quaternion(frame), quaternion_product(yaw_pitch, Quaternion(cx, sx, 0.0, 0.0)))


@version_for(base_quaternion, SpaceGroup)
@func
def group_quaternion(frame: SpaceGroup, x: Array) -> Quaternion:
    return Quaternion(x[3], x[4], x[5], x[6])


@version_for(base_origin, FixedBase)
@func
def fixed_origin(frame: FixedBase, H: Matrix, x: Array):
    return home_origin(frame)


@version_for(base_origin, PlanarChart, PlanarGroup)
@func
def planar_origin(frame: PlanarChart | PlanarGroup, H: Matrix, x: Array) -> Vector:
    return home_origin(frame) + H @ Vector(x[0], x[1], 0.0)


@version_for(base_origin, SpaceChart)
@func
def chart_origin(frame: SpaceChart, H: Matrix, x: Array):
    return home_origin(frame) + H @ Vector(x[0], x[1], x[2])


@version_for(base_origin, SpaceGroup)
@func
def group_origin(frame: SpaceGroup, H: Matrix, x: Array) -> Vector:
    return Vector(x[0], x[1], x[2])


# --------------------------------------------------------------------------------------------------------- how it moves


@func
def put_planar_screws(A: Matrix, screws: Rows[JointScrew]) -> None:
    """Along the columns x and y of a rotation (here its rows), and about its z."""
    JointScrew(screws, 0).twist = sliding(A.x)
    JointScrew(screws, 1).twist = sliding(A.y)
    JointScrew(screws, 2).twist = turning(A.z)


@func
def put_sliding_screws(A: Matrix, screws: Rows[JointScrew]) -> None:
    JointScrew(screws, 0).twist = sliding(A.x)
    JointScrew(screws, 1).twist = sliding(A.y)
    JointScrew(screws, 2).twist = sliding(A.z)


no_op(put_base_screws, FixedBase)


@version_for(put_base_screws, PlanarChart)
@func
def put_planar_chart(frame: PlanarChart, H: Matrix, R: Matrix, x: Array, screws: Rows[JointScrew]) -> None:
    put_planar_screws(transpose(H), screws)


@version_for(put_base_screws, PlanarGroup)
@func
def put_planar_group(frame: PlanarGroup, H: Matrix, R: Matrix, x: Array, screws: Rows[JointScrew]) -> None:
    put_planar_screws(transpose(R), screws)


@version_for(put_base_screws, SpaceChart)
@func
def put_space_chart(frame: SpaceChart, H: Matrix, R: Matrix, x: Array, screws: Rows[JointScrew]) -> None:
    A = transpose(H)
    turned = transpose(product(H, rotation_about(Vector(0.0, 0.0, 1.0), x[3])))
    put_sliding_screws(A, screws)
    JointScrew(screws, 3).twist = turning(A.z)
    JointScrew(screws, 4).twist = turning(turned.y)
    JointScrew(screws, 5).twist = turning(transpose(R).x)


@version_for(put_base_screws, SpaceGroup)
@func
def put_space_group(frame: SpaceGroup, H: Matrix, R: Matrix, x: Array, screws: Rows[JointScrew]) -> None:
    A = transpose(R)
    put_sliding_screws(A, screws)
    JointScrew(screws, 3).twist = turning(A.x)
    JointScrew(screws, 4).twist = turning(A.y)
    JointScrew(screws, 5).twist = turning(A.z)


@version_for(move_base, FixedBase, PlanarChart, SpaceChart)
@func
def move_chart(
    frame: FixedBase | PlanarChart | SpaceChart, speeds: Array, screws: Rows[JointScrew], zero: Vector
) -> tuple[Twist, Twist]:
    """The virtual joints carry each other."""
    V, A = Twist(zero, zero), Twist(zero, zero)
    for a in range(frame.speeds):
        screw = JointScrew(screws, a)
        rate = twist_cross(V, screw.twist)
        screw.rate = rate
        A = A + speeds[a] * rate
        V = V + speeds[a] * screw.twist
    return V, A


@version_for(move_base, PlanarGroup, SpaceGroup)
@func
def move_group(
    frame: PlanarGroup | SpaceGroup, speeds: Array, screws: Rows[JointScrew], zero: Vector
) -> tuple[Twist, Twist]:
    """The fields move as one."""
    V = Twist(zero, zero)
    for a in range(frame.speeds):
        V = V + speeds[a] * JointScrew(screws, a).twist
    for a in range(frame.speeds):
        screw = JointScrew(screws, a)
        screw.rate = twist_cross(V, screw.twist)
    return V, Twist(zero, zero)


@version_for(put_base_rates, FixedBase, PlanarChart, SpaceChart)
@func
def put_chart_rates(frame: FixedBase | PlanarChart | SpaceChart, x: Array, speeds: Array, out: Array) -> None:
    for a in range(frame.speeds):
        out[a] = speeds[a]


@version_for(put_base_rates, PlanarGroup)
@func
def put_planar_rates(frame: PlanarGroup, x: Array, speeds: Array, out: Array) -> None:
    s, k = sincos(x[2])
    out[0] = k * speeds[0] - s * speeds[1]
    out[1] = s * speeds[0] + k * speeds[1]
    out[2] = speeds[2]


@version_for(put_base_rates, SpaceGroup)
@func
def put_space_rates(frame: SpaceGroup, x: Array, speeds: Array, out: Array) -> None:
    R = rotation_from_quaternion(x[3], x[4], x[5], x[6])
    velocity = R @ Vector(speeds[0], speeds[1], speeds[2])
    out[0] = velocity.x
    out[1] = velocity.y
    out[2] = velocity.z
    put_quaternion_rate(x, 3, Vector(speeds[3], speeds[4], speeds[5]), out)


# --------------------------------------------------------------------------------------------------- what a clamp holds


@version_for(component, PlanarChart, PlanarGroup)
@func
def component_in_plane(frame: PlanarChart | PlanarGroup, i: int, screws: Rows[JointScrew], S: Twist) -> Scalar:
    direction = JointScrew(screws, i).twist
    return dot(direction.angular, S.angular) if i == 2 else dot(direction.linear, S.linear)


@version_for(component, FixedBase, SpaceChart, SpaceGroup)
@func
def component_in_space(frame: FixedBase | SpaceChart | SpaceGroup, i: int, screws: Rows[JointScrew], S: Twist):
    return S.linear[i] if i < 3 else S.angular[i - 3]


# ---------------------------------------------------------------------------------------------------- what can go wrong


@func
def is_near_lock(frame: PlanarChart, x: Array) -> bool:
    """Whether the virtual joints RZ RY RX of a `SpaceChart` are all but locked: the first and the last axis are
    parallel at a pitch of 90 degrees.
    """
    if frame.coordinates != 6:
        return False
    _, cosine = sincos(x[4])
    return abs(cosine) < NEAR_LOCK
