"""How the base of a chain is described, one class each: on virtual joints (a chart) or on a group.

    PlanarChart   virtual joints PX PY RZ               PlanarGroup   X, Y, yaw with the body twist, SE(2)
    SpaceChart    virtual joints PX PY PZ RZ RY RX      SpaceGroup    position, quaternion with the body twist, SE(3)
    FixedBase     none

Coordinates stand first in a state x. Screws are taken at the reference point of `screws`, where the base origin is at
this instant: every rotation axis of the base passes through it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra.lie import Quaternion, normalised, quaternion_exp, quaternion_product
from limbless.mechanics.algebra.spatial import Twist, twist_cross
from limbless.mechanics.algebra.vectors import Vector, dot, product, rotation_about, rotation_from_quaternion, transpose
from limbless.mechanics.chain.joints import put_quaternion_rate, sliding, turning
from limbless.mechanics.chain.tables import JointScrew
from limbless.mechanics.compiled.generic import constant_version, generic, no_op, version_for
from limbless.mechanics.compiled.kernel import func
from limbless.mechanics.compiled.scalars import sincos

NEAR_LOCK = 1e-3  # cosine of the pitch at which the virtual joints of a base in space count as locked


class Frame(NamedTuple):
    """What every description has."""

    speeds: int  # how many the base has,
    coordinates: int  # and how many numbers say where it is
    home: Any  # (7,) position and quaternion of what these count from


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
def base_quaternion(frame, x):
    """Orientation of the base, continuous in its coordinates."""


@generic
def base_origin(frame, H, x):
    """Position of the base in the world; H is the rotation of its home."""


@generic
def put_base_screws(frame, H, R, x, screws):
    """The screws of the base at the reference point; R is its rotation."""


@generic
def move_base(frame, speeds, screws, zero):
    """Twist of the base, and the part of its acceleration that velocities make; the rates of its screws."""


@generic
def put_base_rates(frame, x, speeds, out):
    """Rates of the coordinates."""


@generic
def resolve(frame, screws, S):
    """Speeds of the base that make the twist S at the reference point, as far as it can: translations and rotations
    (two Vectors).
    """


@generic
def shift_base(frame, H, screws, step, x):
    """Move the base by a small twist `step` (m, rad) at its own origin."""


@generic
def component(frame, i, screws, S):
    """The i-th of the components of a twist that a clamp holds: three in the plane of a planar base, else six along the
    world axes.
    """


@generic
def is_near_lock(frame, x):
    """Whether the virtual joints are all but locked."""


@generic
def settle_base(frame, x):
    """After a step: a unit quaternion again."""


# ---------------------------------------------------------------------------------------------------------- where it is


@func
def home_quaternion(frame):
    home = frame.home
    return Quaternion(home[3], home[4], home[5], home[6])


@func
def home_rotation(frame):
    h = home_quaternion(frame)
    return rotation_from_quaternion(h.w, h.x, h.y, h.z)


@func
def home_origin(frame):
    home = frame.home
    return Vector(home[0], home[1], home[2])


@version_for(base_quaternion, FixedBase)
@func
def fixed_quaternion(frame, x):
    return home_quaternion(frame)


@version_for(base_quaternion, PlanarChart, PlanarGroup)
@func
def planar_quaternion(frame, x):
    s, k = sincos(0.5 * x[2])
    return quaternion_product(home_quaternion(frame), Quaternion(k, 0.0, 0.0, s))


@version_for(base_quaternion, SpaceChart)
@func
def chart_quaternion(frame, x):
    sz, cz = sincos(0.5 * x[3])
    sy, cy = sincos(0.5 * x[4])
    sx, cx = sincos(0.5 * x[5])
    yaw_pitch = quaternion_product(Quaternion(cz, 0.0, 0.0, sz), Quaternion(cy, 0.0, sy, 0.0))
    return quaternion_product(home_quaternion(frame), quaternion_product(yaw_pitch, Quaternion(cx, sx, 0.0, 0.0)))


@version_for(base_quaternion, SpaceGroup)
@func
def group_quaternion(frame, x):
    return Quaternion(x[3], x[4], x[5], x[6])


@version_for(base_origin, FixedBase)
@func
def fixed_origin(frame, H, x):
    return home_origin(frame)


@version_for(base_origin, PlanarChart, PlanarGroup)
@func
def planar_origin(frame, H, x):
    return home_origin(frame) + H @ Vector(x[0], x[1], 0.0)


@version_for(base_origin, SpaceChart)
@func
def chart_origin(frame, H, x):
    return home_origin(frame) + H @ Vector(x[0], x[1], x[2])


@version_for(base_origin, SpaceGroup)
@func
def group_origin(frame, H, x):
    return Vector(x[0], x[1], x[2])


# --------------------------------------------------------------------------------------------------------- how it moves


@func
def put_planar_screws(A, screws):
    """Along the columns x and y of a rotation (here its rows), and about its z."""
    JointScrew(screws, 0).twist = sliding(A.x)
    JointScrew(screws, 1).twist = sliding(A.y)
    JointScrew(screws, 2).twist = turning(A.z)


@func
def put_sliding_screws(A, screws):
    JointScrew(screws, 0).twist = sliding(A.x)
    JointScrew(screws, 1).twist = sliding(A.y)
    JointScrew(screws, 2).twist = sliding(A.z)


no_op(put_base_screws, FixedBase)


@version_for(put_base_screws, PlanarChart)
@func
def put_planar_chart(frame, H, R, x, screws):
    put_planar_screws(transpose(H), screws)


@version_for(put_base_screws, PlanarGroup)
@func
def put_planar_group(frame, H, R, x, screws):
    put_planar_screws(transpose(R), screws)


@version_for(put_base_screws, SpaceChart)
@func
def put_space_chart(frame, H, R, x, screws):
    A = transpose(H)
    turned = transpose(product(H, rotation_about(Vector(0.0, 0.0, 1.0), x[3])))
    put_sliding_screws(A, screws)
    JointScrew(screws, 3).twist = turning(A.z)
    JointScrew(screws, 4).twist = turning(turned.y)
    JointScrew(screws, 5).twist = turning(transpose(R).x)


@version_for(put_base_screws, SpaceGroup)
@func
def put_space_group(frame, H, R, x, screws):
    A = transpose(R)
    put_sliding_screws(A, screws)
    JointScrew(screws, 3).twist = turning(A.x)
    JointScrew(screws, 4).twist = turning(A.y)
    JointScrew(screws, 5).twist = turning(A.z)


@version_for(move_base, FixedBase, PlanarChart, SpaceChart)
@func
def move_chart(frame, speeds, screws, zero):
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
def move_group(frame, speeds, screws, zero):
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
def put_chart_rates(frame, x, speeds, out):
    for a in range(frame.speeds):
        out[a] = speeds[a]


@version_for(put_base_rates, PlanarGroup)
@func
def put_planar_rates(frame, x, speeds, out):
    s, k = sincos(x[2])
    out[0] = k * speeds[0] - s * speeds[1]
    out[1] = s * speeds[0] + k * speeds[1]
    out[2] = speeds[2]


@version_for(put_base_rates, SpaceGroup)
@func
def put_space_rates(frame, x, speeds, out):
    R = rotation_from_quaternion(x[3], x[4], x[5], x[6])
    velocity = R @ Vector(speeds[0], speeds[1], speeds[2])
    out[0] = velocity.x
    out[1] = velocity.y
    out[2] = velocity.z
    put_quaternion_rate(x, 3, Vector(speeds[3], speeds[4], speeds[5]), out)


# ------------------------------------------------------------------------------------------- a twist as its coordinates


@version_for(resolve, FixedBase)
@func
def resolve_nothing(frame, screws, S):
    return 0.0 * S.linear, 0.0 * S.linear


@version_for(resolve, PlanarChart, PlanarGroup)
@func
def resolve_in_plane(frame, screws, S):
    """The third speed turns: it stands where a translation would."""
    x, y, z = JointScrew(screws, 0).twist, JointScrew(screws, 1).twist, JointScrew(screws, 2).twist
    return Vector(dot(x.linear, S.linear), dot(y.linear, S.linear), dot(z.angular, S.angular)), 0.0 * S.linear


@version_for(resolve, SpaceChart, SpaceGroup)
@func
def resolve_in_space(frame, screws, S):
    along = Vector(
        dot(JointScrew(screws, 0).twist.linear, S.linear),
        dot(JointScrew(screws, 1).twist.linear, S.linear),
        dot(JointScrew(screws, 2).twist.linear, S.linear),
    )
    x, y, z = (
        JointScrew(screws, 3).twist.angular,
        JointScrew(screws, 4).twist.angular,
        JointScrew(screws, 5).twist.angular,
    )
    slant = dot(x, z)  # not zero for the virtual joints: RZ and RX are not at right
    # angles
    first, last = dot(x, S.angular), dot(z, S.angular)
    bulk = 1.0 - slant * slant
    return along, Vector((first - slant * last) / bulk, dot(y, S.angular), (last - slant * first) / bulk)


@func
def add_to_base(frame, screws, S, speeds):
    """Speeds of the base that make the twist S, added."""
    first, second = resolve(frame, screws, S)
    for a in range(frame.speeds):
        speeds[a] += first[a] if a < 3 else second[a - 3]


no_op(shift_base, FixedBase)


@version_for(shift_base, PlanarChart, PlanarGroup)
@func
def shift_in_plane(frame, H, screws, step, x):
    along = transpose(H) @ step.linear
    x[0] += along.x
    x[1] += along.y
    x[2] += dot(JointScrew(screws, 2).twist.angular, step.angular)


@version_for(shift_base, SpaceChart)
@func
def shift_chart(frame, H, screws, step, x):
    along = transpose(H) @ step.linear
    _, turns = resolve(frame, screws, step)
    for a in range(3):
        x[a] += along[a]
        x[3 + a] += turns[a]


@version_for(shift_base, SpaceGroup)
@func
def shift_group(frame, H, screws, step, x):
    q = normalised(quaternion_product(quaternion_exp(step.angular), Quaternion(x[3], x[4], x[5], x[6])))
    for a in range(3):
        x[a] += step.linear[a]
    for a in range(4):
        x[3 + a] = q[a]


@version_for(component, PlanarChart, PlanarGroup)
@func
def component_in_plane(frame, i, screws, S):
    direction = JointScrew(screws, i).twist
    return dot(direction.angular, S.angular) if i == 2 else dot(direction.linear, S.linear)


@version_for(component, FixedBase, SpaceChart, SpaceGroup)
@func
def component_in_space(frame, i, screws, S):
    return S.linear[i] if i < 3 else S.angular[i - 3]


# ---------------------------------------------------------------------------------------------------- what can go wrong

constant_version(is_near_lock, False, FixedBase, PlanarChart, PlanarGroup, SpaceGroup)


@version_for(is_near_lock, SpaceChart)
@func
def is_chart_near_lock(frame, x):
    """Gimbal lock of the virtual joints RZ RY RX: the first and the last axis are parallel at a pitch of 90 degrees."""
    _, cosine = sincos(x[4])
    return abs(cosine) < NEAR_LOCK


no_op(settle_base, FixedBase, PlanarChart, SpaceChart, PlanarGroup)


@version_for(settle_base, SpaceGroup)
@func
def settle_quaternion(frame, x):
    q = normalised(Quaternion(x[3], x[4], x[5], x[6]))
    for a in range(4):
        x[3 + a] = q[a]
