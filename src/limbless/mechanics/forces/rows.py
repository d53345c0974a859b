"""Force laws on pieces of a body, in rows of numbers: what every wrench environment becomes.

ONE law serves a slice of any body: `drag_slice` (in its two parts) and `added_slice` act at the Gauss points of a chain's links
and at the nodes of a rod. A row of `laws` says on which body it acts, when, along which straight segment P(s) = start + s e1,
and with which coefficients. Wrenches are what the environment does to the body together with its added mass.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra.columns import BODY_VELOCITY, get_matrix, get_vector
from limbless.mechanics.algebra.inertia import Wrench
from limbless.mechanics.algebra.vectors import Vector, cross, product, transpose
from limbless.mechanics.compiled.function_slot import call_slot
from limbless.mechanics.compiled.kernel import inline
from limbless.mechanics.compiled.scalars import absolute, arctangent2, maximum, sqrt, value_of, where_positive

(BODY, CODE, FROM, UNTIL, START, FRAME, LENGTH, FIRST, COUNT, TURNED, COEFFICIENTS) = np.array([0, 1, 2, 3, 4, 7, 16, 17, 18, 19, 20])
OWNER = np.int64(39)                          # number of the environment that a law belongs to
LAW_COLUMNS = 40
SLAB_COLUMNS = int(BODY_VELOCITY) + 6          # rotation, origin and velocity of a body
WEIGHT, FLUID, SURFACE, USER, POINT, FRICTION = np.arange(6)

# Coefficients, as columns after COEFFICIENTS
# WEIGHT   field (3, m/s2, world), mass, first moment (3, body axes)
# FLUID    quadratic drag (axial, lateral, vertical, roll), linear drag (same four), added mass (axial, lateral, vertical, roll),
#          1 if the added mass is momentum-consistent, current (3, world), 1 if there is added mass
# SURFACE  weight of displaced fluid per length of full section (3, world, upward), surface height, half width, half height
# USER     address of the function
# POINT    force (3), torque (3), 1 if they keep their direction in the world (0: in the body), address of a function of
#          time that gives them (0: they are constant)
# FRICTION largest force per length of sliding towards the base, towards the tip and sideways, speed below which it
#          fades, 1 if the directions are joined by an ellipse (0: a box, which takes them apart)
QUADRATIC, LINEAR, ADDED, CONSISTENT, CURRENT, HAS_ADDED = COEFFICIENTS + np.array([0, 4, 8, 12, 13, 16])
FIELD, FIELD_MASS, FIELD_MOMENT = COEFFICIENTS + np.array([0, 3, 4])
LIFT, SURFACE_HEIGHT, HALF_WIDTH, HALF_HEIGHT = COEFFICIENTS + np.array([0, 3, 4, 5])
ADDRESS, POINT_FORCE, POINT_TORQUE, IN_WORLD, POINT_ADDRESS = COEFFICIENTS + np.array([0, 0, 3, 6, 7])
GRIP, SLIP_SPEED, JOINED = COEFFICIENTS + np.array([0, 3, 4])

# What a user's law finds in its buffer, and where it writes its answer
USER_TIME, USER_POSITION, USER_VELOCITY, USER_ROTATION_RATE, USER_AXES, USER_FORCE, USER_MOMENT = np.array([0, 1, 4, 7, 10, 19, 22])
USER_BUFFER = 25


class Bands(NamedTuple):
    """Laws that share their formula and their window, eight side by side, for `chain_forces`."""

    table: NDArray[np.float64]      # (bands, LAW_COLUMNS, 8)
    share: NDArray[np.float64]      # (bands, 8) 1, or 0 where a band has fewer than eight
    members: NDArray[np.int64]      # (bands, 8) the bodies they act on
    slab: NDArray[np.float64]       # (bands, SLAB_COLUMNS, 8) room for the motion of these bodies
    pushed: NDArray[np.float64]     # (bands, 6, 8) room for the wrenches


class Laws(NamedTuple):
    """All force laws on a robot."""

    rows: NDArray[np.float64]       # (laws, LAW_COLUMNS)
    nodes: NDArray[np.float64]      # Gauss abscissae in [0, 1], of all rules one after the other; the rule of two points first
    weights: NDArray[np.float64]    # their weights, of sum 1 for each rule
    buffer: NDArray[np.float64]     # for a user's law
    acted: NDArray[np.int64]        # the bodies on which a law acts
    single: NDArray[np.int64]       # the rows that are in no band
    bands: Bands
    pushed: NDArray[np.float64]     # (laws, 6) room for the wrenches of single rows
    power: NDArray[np.float64]      # (environments,) W, of the instant: see `chain_forces.put_powers`


class Fluid(NamedTuple):
    """Coefficients of a fluid on a slice: see the columns of FLUID."""

    quadratic: Vector
    quadratic_roll: float
    linear: Vector
    linear_roll: float
    added: Vector
    added_roll: float
    consistent: float


@inline
def get_fluid(laws, i):
    return Fluid(get_vector(laws, i, QUADRATIC), laws[i, QUADRATIC + 3], get_vector(laws, i, LINEAR), laws[i, LINEAR + 3],
                 get_vector(laws, i, ADDED), laws[i, ADDED + 3], laws[i, CONSISTENT])


@inline
def drag_along(fluid, U, rate):
    """Axial drag and roll moment per unit length (46)-(47) on a slice that moves with U through the fluid (e1 along the body)."""
    return (-(fluid.quadratic.x * absolute(U.x) + fluid.linear.x) * U.x,
            -(fluid.quadratic_roll * absolute(rate.x) + fluid.linear_roll) * rate.x)


@inline
def drag_across(fluid, U):
    """Drag per unit length across the body (46), along e2 and e3."""
    normal = sqrt(U.y * U.y + U.z * U.z)
    return (-(fluid.quadratic.y * normal + fluid.linear.y) * U.y,
            -(fluid.quadratic.z * normal + fluid.linear.z) * U.z)


@inline
def drag_slice(fluid, U, rate):
    """All of the drag per unit length on one slice."""
    along, roll = drag_along(fluid, U, rate)
    lateral, vertical = drag_across(fluid, U)
    return Wrench(Vector(along, lateral, vertical), Vector(roll, 0.0 * roll, 0.0 * roll))


@inline
def added_slice(fluid, velocity, rate, current):
    """What a law of added mass pushes per unit length beyond the inertia it adds, along the slice's axes, about its centre: (48)-(49).

    The added mass D = diag sits in the inertia; with it, the momentum D V of the slice at `velocity` V and `rate` ω changes by
    ω x D V and V x D V as it is carried along. This push balances what the law has otherwise.
    As printed, the force is D times the classical acceleration, which is the rate of the components of V plus ω x V.
    Momentum-consistent, it is the rate of D U, with U relative to the `current`: nothing remains in still water.
    """
    d, V, w = fluid.added, velocity, rate
    if value_of(fluid.consistent) > 0.0:
        drifting = scaled(d, current)
        force = cross(w, drifting) - scaled(d, cross(w, current))
        torque = cross(V, drifting) + cross(current, scaled(d, V) - drifting)
    else:
        x, y, z = d.z - d.y, d.x - d.z, d.y - d.x        # ω x D V - D (ω x V) and V x D V: only differences of D remain
        force = Vector(-(w.y * y) * V.z - (w.z * z) * V.y, -(w.z * z) * V.x - (w.x * x) * V.z, -(w.x * x) * V.y - (w.y * y) * V.x)
        spin = fluid.added_roll * w.x
        torque = Vector(x * V.y * V.z, y * V.z * V.x + w.z * spin, z * V.x * V.y - w.y * spin)
    return Wrench(force, torque)


@inline
def scaled(d, v):
    """diag(d) v"""
    return Vector(d.x * v.x, d.y * v.y, d.z * v.z)


@inline
def surface_slice(laws, i, E, height):
    """Lift per unit length on an elliptic section whose centre is at `height`: the part below the surface counts.

    Exact for a section that stands upright; the shift of the centre of lift inside a cut section is neglected.
    """
    across, upright = laws[i, HALF_WIDTH] * E.z.y, laws[i, HALF_HEIGHT] * E.z.z
    extent = sqrt(across * across + upright * upright) + 1e-12
    depth = (laws[i, SURFACE_HEIGHT] - height) / extent
    if depth >= 1.0:
        fraction = 0.0 * depth + 1.0
    elif depth <= -1.0:
        fraction = 0.0 * depth
    else:
        chord = sqrt(1.0 - depth * depth)
        fraction = (arctangent2(chord, -depth) + depth * chord) / np.pi
    lift = fraction * get_vector(laws, i, LIFT)
    return Wrench(transpose(E) @ lift, 0.0 * lift)


@inline
def friction_slice(laws, i, velocity):
    """Dry friction per unit length along and across the body, with sgn(u) -> u / sqrt(u² + ε²); e1 points to the tip.

    A box takes the two directions apart, as paper 003 does (19); an ellipse opposes the sliding as a whole with the largest power.
    """
    u, v, speed = velocity.x, velocity.y, laws[i, SLIP_SPEED]
    along, across = where_positive(u, laws[i, GRIP + 1], laws[i, GRIP]), laws[i, GRIP + 2]
    if value_of(laws[i, JOINED]) > 0.0:
        a, b, fading = along * u, across * v, maximum(along, across) * speed
        scale = 1.0 / sqrt(a * a + b * b + fading * fading)
        force = Vector(-along * (a * scale), -across * (b * scale), 0.0 * u)
    else:
        force = Vector(-along * (u / sqrt(u * u + speed * speed)), -across * (v / sqrt(v * v + speed * speed)), 0.0 * u)
    return Wrench(force, 0.0 * force)


@inline
def user_slice(laws, i, buffer, t, E, position, velocity, rate):
    """Ask a user's function; it knows floats only, so no derivative passes through it."""
    buffer[USER_TIME] = t
    put_floats(buffer, USER_POSITION, position)
    put_floats(buffer, USER_VELOCITY, velocity)
    put_floats(buffer, USER_ROTATION_RATE, rate)
    put_floats(buffer, USER_AXES, Vector(E.x.x, E.y.x, E.z.x))
    put_floats(buffer, USER_AXES + 3, Vector(E.x.y, E.y.y, E.z.y))
    put_floats(buffer, USER_AXES + 6, Vector(E.x.z, E.y.z, E.z.z))
    call_slot(np.int64(laws[i, ADDRESS]), buffer)
    o = 0.0 * velocity.x
    return Wrench(Vector(buffer[USER_FORCE] + o, buffer[USER_FORCE + 1] + o, buffer[USER_FORCE + 2] + o),
                  Vector(buffer[USER_MOMENT] + o, buffer[USER_MOMENT + 1] + o, buffer[USER_MOMENT + 2] + o))


@inline
def put_floats(buffer, column, v):
    buffer[column], buffer[column + 1], buffer[column + 2] = value_of(v.x), value_of(v.y), value_of(v.z)


@inline
def sum_slice(F, s, ds, force, torque):
    """Add a slice at s, of length ds, to the force and to the torque about the start of the segment."""
    return force + ds * F.force, torque + ds * (F.torque + Vector(0.0 * s, -s * F.force.z, s * F.force.y))


@inline
def at(velocity, rate, s):
    """Velocity at s e1 beyond the start: V + ω x s e1 (50)."""
    return Vector(velocity.x, velocity.y + s * rate.z, velocity.z - s * rate.y)


@inline
def slices(row, i):
    """Numbers of the Gauss points of a law."""
    first = int(value_of(row[i, FIRST]))
    return range(first, first + int(value_of(row[i, COUNT])))


@inline
def fluid_segment(row, nodes, weights, i, velocity, rate, current):
    """Force and torque about its start of a fluid on a whole segment, along the segment's axes (52)-(53)."""
    fluid, length = get_fluid(row, i), row[i, LENGTH]
    U = velocity - current
    along, roll = drag_along(fluid, U, rate)             # the same on every slice
    lateral, vertical, pitch, yaw = 0.0 * along, 0.0 * along, 0.0 * along, 0.0 * along
    for j in slices(row, i):
        s, ds = nodes[j] * length, weights[j] * length
        y, z = drag_across(fluid, at(U, rate, s))
        lateral, vertical = lateral + ds * y, vertical + ds * z
        pitch, yaw = pitch - (ds * s) * z, yaw + (ds * s) * y
    force, torque = Vector(length * along, lateral, vertical), Vector(length * roll, pitch, yaw)
    if value_of(row[i, HAS_ADDED]) > 0.0:                # of second degree in s: exact at two Gauss points
        for j in range(2):
            s = nodes[j] * length
            force, torque = sum_slice(added_slice(fluid, at(velocity, rate, s), rate, current), s, 0.5 * length, force, torque)
    return force, torque


@inline
def sliced_push(row, nodes, weights, i, E, velocity, rate):
    """Force and torque about its start, along the segment's axes, of the laws that are one formula on every slice: fluid and friction."""
    if value_of(row[i, CODE]) == FLUID:
        force, torque = fluid_segment(row, nodes, weights, i, velocity, rate, transpose(E) @ get_vector(row, i, CURRENT))
    else:
        force, torque = 0.0 * rate, 0.0 * rate
        for j in slices(row, i):
            s = nodes[j] * row[i, LENGTH]
            force, torque = sum_slice(friction_slice(row, i, at(velocity, rate, s)), s, weights[j] * row[i, LENGTH], force, torque)
    return force, torque


@inline
def single_push(row, nodes, weights, buffer, i, t, E, origin, velocity, rate):
    """The same of the laws that know where their slices are: a water surface and a user's function."""
    force, torque = 0.0 * rate, 0.0 * rate
    for j in slices(row, i):
        s = nodes[j] * row[i, LENGTH]
        start = get_vector(row, i, START)
        place = origin + E @ Vector(start.x + s, start.y, start.z)
        if row[i, CODE] == SURFACE:
            F = surface_slice(row, i, E, place.z)
        else:
            F = user_slice(row, i, buffer, t, E, place, at(velocity, rate, s), rate)
        force, torque = sum_slice(F, s, weights[j] * row[i, LENGTH], force, torque)
    return force, torque


@inline
def segment_motion(row, i, R, V):
    """Axes E of a segment in the world, and velocity of its start and rotation rate along them."""
    E = product(R, get_matrix(row, i, FRAME)) if value_of(row[i, TURNED]) > 0.0 else R
    rate = transpose(E) @ V.angular
    return E, transpose(E) @ V.linear + cross(rate, get_vector(row, i, START)), rate


@inline
def about_body(row, i, E, force, torque):
    """A wrench about the start of a segment, along its axes, as one about the origin of its body, along the world axes."""
    return Wrench(E @ force, E @ (torque + cross(get_vector(row, i, START), force)))


@inline
def field_wrench(laws, i, R):
    """A uniform field on a rigid body: mass times field, at the centre of that mass."""
    field = get_vector(laws, i, FIELD)
    return Wrench((1.0 + 0.0 * R.x.x) * (laws[i, FIELD_MASS] * field), cross(R @ get_vector(laws, i, FIELD_MOMENT), field))


@inline
def timed_wrench(laws, i, buffer, t):
    """Force and torque at a point at time t: constant, or what a user's function writes into the buffer."""
    force, torque = get_vector(laws, i, POINT_FORCE), get_vector(laws, i, POINT_TORQUE)
    if laws[i, POINT_ADDRESS] > 0.0:
        buffer[USER_TIME] = t
        call_slot(np.int64(laws[i, POINT_ADDRESS]), buffer)
        force = Vector(buffer[USER_FORCE], buffer[USER_FORCE + 1], buffer[USER_FORCE + 2])
        torque = Vector(buffer[USER_MOMENT], buffer[USER_MOMENT + 1], buffer[USER_MOMENT + 2])
    return force, torque


@inline
def point_wrench(laws, i, buffer, t, R):
    """A given force and torque at a point of the body, with directions kept in the world or in the body."""
    force, torque = timed_wrench(laws, i, buffer, t)
    if laws[i, IN_WORLD] > 0.0:
        F = Wrench((1.0 + 0.0 * R.x.x) * force, (1.0 + 0.0 * R.x.x) * torque)
    else:
        F = Wrench(R @ force, R @ torque)
    return Wrench(F.force, F.torque + cross(R @ get_vector(laws, i, START), F.force))
