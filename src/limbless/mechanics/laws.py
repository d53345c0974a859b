"""Force laws on pieces of a body, in rows of numbers: what every wrench environment becomes.

ONE law serves a slice of any body: `fluid_slice` is used at the Gauss points of a chain's links and at the nodes of a rod.
A row of `laws` says on which body it acts, when, along which straight segment P(s) = start + s e1, and with which coefficients.
Wrenches are what the environment does to the body.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.columns import get_matrix, get_twist, get_vector, put_pair
from limbless.mechanics.function_slot import call_slot
from limbless.mechanics.inertia import Wrench
from limbless.mechanics.kernel import inline, kernel
from limbless.mechanics.scalars import absolute, arctangent2, sqrt, value_of
from limbless.mechanics.vectors import Vector, cross, product, transpose

(BODY, CODE, FROM, UNTIL, START, FRAME, LENGTH, FIRST, COUNT, COEFFICIENTS) = np.array([0, 1, 2, 3, 4, 7, 16, 17, 18, 19])
LAW_COLUMNS = 40
WEIGHT, FLUID, SURFACE, USER, POINT = np.arange(5)

# Coefficients, as columns after COEFFICIENTS
# WEIGHT   field (3, m/s2, world), mass, first moment (3, body axes)
# FLUID    quadratic drag (axial, lateral, vertical, roll), linear drag (same four), added mass (axial, lateral, vertical, roll),
#          1 if the added mass is momentum-consistent, current (3, world)
# SURFACE  weight of displaced fluid per length of full section (3, world, upward), surface height, half width, half height
# USER     address of the function
# POINT    force (3), torque (3), 1 if they keep their direction in the world (0: in the body)
QUADRATIC, LINEAR, ADDED, CONSISTENT, CURRENT = COEFFICIENTS + np.array([0, 4, 8, 12, 13])
FIELD, FIELD_MASS, FIELD_MOMENT = COEFFICIENTS + np.array([0, 3, 4])
LIFT, SURFACE_HEIGHT, HALF_WIDTH, HALF_HEIGHT = COEFFICIENTS + np.array([0, 3, 4, 5])
ADDRESS, POINT_FORCE, POINT_TORQUE, IN_WORLD = COEFFICIENTS + np.array([0, 0, 3, 6])

# What a user's law finds in its buffer, and where it writes its answer
USER_TIME, USER_POSITION, USER_VELOCITY, USER_ROTATION_RATE, USER_AXES, USER_FORCE, USER_MOMENT = np.array([0, 1, 4, 7, 10, 19, 22])
USER_BUFFER = 25


class Laws(NamedTuple):
    """All force laws on a robot."""

    rows: NDArray[np.float64]       # (laws, LAW_COLUMNS)
    nodes: NDArray[np.float64]      # Gauss abscissae in [0, 1], of all rules one after the other
    weights: NDArray[np.float64]    # their weights, of sum 1 for each rule
    buffer: NDArray[np.float64]     # for a user's law


@inline
def fluid_slice(laws, i, velocity, rate, current):
    """Wrench per unit length on a slice, along its own axes (e1 along the body), about its centre: paper 001, (46)-(49).

    `velocity` and `rate` are those of the slice, `current` that of the fluid. The acceleration part of the added mass belongs to
    the inertia (of spatial accelerations); what remains of it here depends on velocities alone. As printed, D (ω x V) with
    D = diag(added mass): the classical acceleration is the spatial one plus ω x V. Momentum-consistent: the fluid's momentum
    p = D U is carried along by the body, ω x p, with the Munk moment U x p.
    """
    U = velocity - current
    normal = sqrt(U.y * U.y + U.z * U.z)
    force = Vector(-(laws[i, QUADRATIC] * absolute(U.x) + laws[i, LINEAR]) * U.x,
                   -(laws[i, QUADRATIC + 1] * normal + laws[i, LINEAR + 1]) * U.y,
                   -(laws[i, QUADRATIC + 2] * normal + laws[i, LINEAR + 2]) * U.z)
    roll = -(laws[i, QUADRATIC + 3] * absolute(rate.x) + laws[i, LINEAR + 3]) * rate.x
    torque = Vector(roll, 0.0 * roll, 0.0 * roll)
    if laws[i, CONSISTENT] > 0.0:
        momentum = added_momentum(laws, i, U)
        spin = Vector(laws[i, ADDED + 3] * rate.x, 0.0 * roll, 0.0 * roll)
        force = force - added_momentum(laws, i, cross(rate, current)) - cross(rate, momentum)
        torque = torque - cross(rate, spin) - cross(U, momentum)
    else:
        force = force - added_momentum(laws, i, cross(rate, velocity))
    return Wrench(force, torque)


@inline
def added_momentum(laws, i, v):
    """D v, with D the added mass per unit length."""
    return Vector(laws[i, ADDED] * v.x, laws[i, ADDED + 1] * v.y, laws[i, ADDED + 2] * v.z)


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
def segment_wrench(laws, i, t, R, V, origin):
    """Wrench of a sliced law on a whole segment, about the origin of its body, along the world axes (52)-(53)."""
    row, code = laws.rows, laws.rows[i, CODE]
    E = product(R, get_matrix(row, i, FRAME))
    Et = transpose(E)
    rate, start = Et @ V.angular, get_vector(row, i, START)
    velocity = Et @ V.linear + cross(rate, start)
    current = Et @ get_vector(row, i, CURRENT)
    force, torque = 0.0 * rate, 0.0 * rate
    for j in range(int(row[i, FIRST]), int(row[i, FIRST] + row[i, COUNT])):
        s = laws.nodes[j] * row[i, LENGTH]
        here = Vector(velocity.x, velocity.y + s * rate.z, velocity.z - s * rate.y)
        if code == FLUID:
            F = fluid_slice(row, i, here, rate, current)
        else:
            place = origin + E @ Vector(start.x + s, start.y, start.z)
            F = surface_slice(row, i, E, place.z) if code == SURFACE else user_slice(row, i, laws.buffer, t, E, place, here, rate)
        ds = laws.weights[j] * row[i, LENGTH]
        force = force + ds * F.force
        torque = torque + ds * (F.torque + Vector(0.0 * s, -s * F.force.z, s * F.force.y))
    return Wrench(E @ force, E @ (torque + cross(start, force)))


@inline
def field_wrench(laws, i, R):
    """A uniform field on a rigid body: mass times field, at the centre of that mass."""
    field = get_vector(laws, i, FIELD)
    return Wrench((1.0 + 0.0 * R.x.x) * (laws[i, FIELD_MASS] * field), cross(R @ get_vector(laws, i, FIELD_MOMENT), field))


@inline
def point_wrench(laws, i, R):
    """A given force and torque at a point of the body, with directions kept in the world or in the body."""
    force, torque = get_vector(laws, i, POINT_FORCE), get_vector(laws, i, POINT_TORQUE)
    if laws[i, IN_WORLD] > 0.0:
        F = Wrench((1.0 + 0.0 * R.x.x) * force, (1.0 + 0.0 * R.x.x) * torque)
    else:
        F = Wrench(R @ force, R @ torque)
    return Wrench(F.force, F.torque + cross(R @ get_vector(laws, i, START), F.force))


@kernel
def apply_laws(laws, t, step_time, rotation, velocity, origin, work, wrench):
    """Sum all laws on each body: wrench about its origin, along the world axes.

    `rotation`, `velocity`, `origin` are the columns of `work` that hold them. `step_time` (inside the step) decides which
    windows are open, so that a stage on the edge of a window counts for the step it belongs to.
    """
    row = laws.rows
    wrench[:, :] = 0.0 * work[0, 0]
    for i in range(row.shape[0]):
        if step_time < row[i, FROM] or step_time > row[i, UNTIL]:
            continue
        k, code = int(row[i, BODY]), row[i, CODE]
        R = get_matrix(work, k, rotation)
        if code == WEIGHT:
            F = field_wrench(row, i, R)
        elif code == POINT:
            F = point_wrench(row, i, R)
        else:
            F = segment_wrench(laws, i, t, R, get_twist(work, k, velocity), get_vector(work, k, origin))
        put_pair(wrench, k, np.int64(0), Wrench(get_vector(wrench, k, np.int64(0)) + F.force,
                                                get_vector(wrench, k, np.int64(3)) + F.torque))


