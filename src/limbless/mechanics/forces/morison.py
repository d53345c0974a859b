"""Morison's fluid on slices of body: drag, and what a law of added mass pushes beyond the
inertia it adds, (46)-(53).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from limbless.mechanics.algebra import Vector, Wrench, cross, transpose
from limbless.mechanics.compiled import Array, Scalar, absolute, constants, func, sqrt, value_of, version_for
from limbless.mechanics.forces.laws import (
    Laws,
    OnSegment,
    Slice,
    WithAddedMass,
    about_body,
    at,
    law_slice,
    law_wrench,
    plain_law,
    segment_motion,
    sum_slice,
)

if TYPE_CHECKING:
    from limbless.mechanics.chain import Body


@constants
class Morison(WithAddedMass, OnSegment):
    """A straight segment P(s) = start + s e1 in a fluid; coefficients per length."""

    quadratic: Vector  # drag: axial, lateral, vertical
    quadratic_roll: float
    linear: Vector
    linear_roll: float
    current: Vector  # of the fluid, world axes, m/s
    consistent: bool  # momentum-consistent added mass
    has_added: bool


MorisonLaw = plain_law("MorisonLaw", Morison, bands=True)


@func
def drag_along(fluid: Morison, U: Vector, rate: Vector) -> tuple[Array, Array]:
    """Axial drag and roll moment per unit length (46)-(47) on a slice that moves with U through the
    fluid (e1 along the body).
    """
    return (
        -(fluid.quadratic.x * absolute(U.x) + fluid.linear.x) * U.x,
        -(fluid.quadratic_roll * absolute(rate.x) + fluid.linear_roll) * rate.x,
    )


@func
def drag_across(fluid: Morison, U: Vector) -> tuple[Array, Array]:
    """Drag per unit length across the body (46), along e2 and e3."""
    normal = sqrt(U.y * U.y + U.z * U.z)
    return (-(fluid.quadratic.y * normal + fluid.linear.y) * U.y, -(fluid.quadratic.z * normal + fluid.linear.z) * U.z)


@func
def drag_slice(fluid: Morison, U: Vector, rate: Vector) -> Wrench:
    """All of the drag per unit length on one slice."""
    along, roll = drag_along(fluid, U, rate)
    lateral, vertical = drag_across(fluid, U)
    return Wrench(Vector(along, lateral, vertical), Vector(roll, 0.0 * roll, 0.0 * roll))


@func
def scaled(d: Vector, v: Vector) -> Vector:
    """diag(d) v"""
    return Vector(d.x * v.x, d.y * v.y, d.z * v.z)


@func
def added_slice(fluid: Morison, velocity: Vector, rate: Vector, current: Vector) -> Wrench:
    """What a law of added mass pushes per unit length beyond the inertia it adds, along the slice's axes, about its
    centre: (48)-(49).

    The added mass D = diag sits in the inertia; with it, the momentum D V of the slice at `velocity` V and `rate` ω
    changes by ω x D V and V x D V as it is carried along. This push balances what the law has otherwise. As printed,
    the force is D times the classical acceleration, which is the rate of the components of V plus ω x V.
    Momentum-consistent, it is the rate of D U, with U relative to the `current`: nothing remains in still water.
    """
    d, V, w = fluid.added, velocity, rate
    if value_of(fluid.consistent) > 0.0:
        drifting = scaled(d, current)
        force = cross(w, drifting) - scaled(d, cross(w, current))
        torque = cross(V, drifting) + cross(current, scaled(d, V) - drifting)
    else:
        x, y, z = d.z - d.y, d.x - d.z, d.y - d.x  # ω x D V - D (ω x V) and V x D V: only differences of D remain
        force = Vector(
            -(w.y * y) * V.z - (w.z * z) * V.y, -(w.z * z) * V.x - (w.x * x) * V.z, -(w.x * x) * V.y - (w.y * y) * V.x
        )
        roll = fluid.added_roll * w.x
        torque = Vector(x * V.y * V.z, y * V.z * V.x + w.z * roll, z * V.x * V.y - w.y * roll)
    return Wrench(force, torque)


@version_for(law_slice, MorisonLaw)
@func
def fluid_slice(kind: Any, fluid: Morison, t: Scalar, piece: Slice) -> Wrench:
    current = transpose(piece.axes) @ fluid.current
    F = drag_slice(fluid, piece.velocity - current, piece.rate)
    if fluid.has_added:
        F = F + added_slice(fluid, piece.velocity, piece.rate, current)
    return F


@version_for(law_wrench, MorisonLaw)
@func
def fluid_wrench(kind: Any, fluid: Morison, laws: Laws, t: Scalar, body: Body) -> Wrench:
    """As `sliced_wrench`, but what is the same on every slice is computed once."""
    E, velocity, rate = segment_motion(fluid, body)
    force, torque = fluid_segment(fluid, laws.nodes, laws.weights, velocity, rate, transpose(E) @ fluid.current)
    return about_body(fluid, E, force, torque)


@func
def fluid_segment(
    fluid: Morison, nodes: Array, weights: Array, velocity: Vector, rate: Vector, current: Vector
) -> tuple[Vector, Vector]:
    """Force and torque about its start on a whole segment, along the segment's axes (52)-(53)."""
    length, U = fluid.length, velocity - current
    along, roll = drag_along(fluid, U, rate)  # the same on every slice
    lateral, vertical, pitch, yaw = 0.0 * along, 0.0 * along, 0.0 * along, 0.0 * along
    for j in range(fluid.first, fluid.first + fluid.count):
        s, ds = nodes[j] * length, weights[j] * length
        y, z = drag_across(fluid, at(U, rate, s))
        lateral, vertical = lateral + ds * y, vertical + ds * z
        pitch, yaw = pitch - (ds * s) * z, yaw + (ds * s) * y
    force, torque = Vector(length * along, lateral, vertical), Vector(length * roll, pitch, yaw)
    if fluid.has_added:  # of second degree in s: exact at two Gauss points
        for j in range(2):
            s = nodes[j] * length
            F = added_slice(fluid, at(velocity, rate, s), rate, current)
            force, torque = sum_slice(F, s, 0.5 * length, force, torque)
    return force, torque
