"""Water that moves by itself, or that has a surface: drag, added mass and pressure on a slice.

With D in the inertia of the body, the law of a slice that moves with V and turns with w through water of velocity u
leaves (per length, P = D W, W = V - u, T = (W.P + c1 w1²)/2, φ the immersed share)

    force   φ [w x D u - D (w x u) + D (∂u/∂t + (V.∇) u) - (P.∇) u + ρA (Du/Dt - g) + drag] - φ̇ P + T ∂φ/∂r
    moment  φ [V x D u + u x (D V - D u) + drag] + ρA s x (Du/Dt - g) - φ̇ c1 w1 e1 + T ∂φ/∂θ

to push. (P.∇) u has the components Σ P_j ∂u_i/∂x_j (Taylor 1928; Auton, Hunt and Prud'homme 1988). The terms in T keep
energy: without them and φ̇, a body that bobs gains it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from limbless.mechanics.algebra import Matrix, Vector, Wrench, cross, product, transpose
from limbless.mechanics.compiled import (
    Scalar,
    absolute,
    constants,
    func,
    generic,
    power_of,
    sqrt,
    version_for,
    where_positive,
)
from limbless.mechanics.forces import (
    EllipticSection,
    Flows,
    FlowState,
    Laws,
    OnSegment,
    Slice,
    WithAddedMass,
    about_body,
    at,
    flow_at,
    law,
    law_wrench,
    scaled,
    segment_motion,
    sliced_wrench,
    sum_slice,
)

if TYPE_CHECKING:
    from limbless.mechanics.chain import Body
    from limbless.mechanics.forces.free_surface import FreeSurfaceLaws

TURBULENT = 5e5  # Reynolds' number along the body from which on a skin is turbulent


class ReynoldsDrag(NamedTuple):
    """Drag by Reynolds' number: a laminar skin, which may become turbulent; White's fit across."""

    turbulent: bool


class TaylorDrag(NamedTuple):
    """Drag on a yawed round cylinder with a laminar layer, Taylor 1952."""


@constants
class OpenWater(EllipticSection, WithAddedMass, OnSegment):
    """A straight segment in open water; coefficients per length."""

    quadratic: Vector  # drag: axial, lateral, vertical; of a skin half of ρ times its perimeter
    quadratic_roll: float
    displaced: float  # ρA: mass of the displaced water
    gravity: Vector  # g of the water's pressure, world, m/s2
    viscosity: float  # of a skin: over the length of the whole body, m/s
    # cross flow along e2; of Taylor's drag ρ b 4 sqrt(ν / 2b)
    slow_width: float  # of a skin: 10 (ν / 2b)^(2/3)
    # cross flow along e3; ρ a 4 sqrt(ν / 2a)
    slow_height: float  # 10 (ν / 2a)^(2/3)
    begins: bool  # the first segment of its body


class OpenWaterLaw(NamedTuple):
    """Marks laws of the table `OpenWater`."""

    flows: Flows | None  # Flows; None: the water rests
    surface: Any  # WaterSurface of `waterline`; None: all of the body is under water
    drag: ReynoldsDrag | TaylorDrag | None  # None: constant coefficients


# a flow that is a user's function is asked for one place at a time
law(OpenWaterLaw, OpenWater, bands=property(lambda kind: getattr(kind.flows, "asked", None) is None))


# ----------------------------------------------------------------------------------------------------------------- drag


@generic
def open_drag(drag: Any, row: Any, W: Vector, rate: Vector) -> Wrench:
    """Drag per length on a slice that moves with W through the water."""


@version_for(open_drag, None)
@func
def rough_drag(drag: ReynoldsDrag, row: OpenWater, W: Vector, rate: Vector) -> Wrench:
    """With constant coefficients, (46)-(47) of paper 001."""
    normal, o = sqrt(W.y * W.y + W.z * W.z), 0.0 * W.x
    force = Vector(
        -row.quadratic.x * absolute(W.x) * W.x, -row.quadratic.y * normal * W.y, -row.quadratic.z * normal * W.z
    )
    return Wrench(force, Vector(-row.quadratic_roll * absolute(rate.x) * rate.x, o, o))


@version_for(open_drag, ReynoldsDrag)
@func
def skin_drag(drag: ReynoldsDrag, row: OpenWater, W: Vector, rate: Vector) -> Wrench:
    """Along 1.328 / sqrt(Re) or, above 5e5, 0.074 Re^-0.2 - 1742.65 / Re, which joins it; across times
    1 + 10 Re^(-2/3).
    """
    speed, normal, o = absolute(W.x), sqrt(W.y * W.y + W.z * W.z), 0.0 * W.x
    bound = row.viscosity
    rub = 1.328 * sqrt(bound * speed)
    if drag.turbulent:
        rough = 0.074 * power_of(bound, 0.2) * power_of(speed, 0.8) - 1742.65 * bound
        rub = where_positive(speed - TURBULENT * bound, rough, rub)
    slow = power_of(normal, 1.0 / 3.0)
    force = Vector(
        -row.quadratic.x * rub * W.x,
        -row.quadratic.y * (normal + row.slow_width * slow) * W.y,
        -row.quadratic.z * (normal + row.slow_height * slow) * W.z,
    )
    return Wrench(force, Vector(-row.quadratic_roll * absolute(rate.x) * rate.x, o, o))


@version_for(open_drag, TaylorDrag)
@func
def yawed_drag(drag: TaylorDrag, row: OpenWater, W: Vector, rate: Vector) -> Wrench:
    """With n the speed across, R = n d / ν: across ρ d n² / 2 (C + 4 R^(-1/2)), along ρ d n W1 / 2 times
    5.4 R^(-1/2); nothing where the water flows along the body alone.
    """
    normal, o = sqrt(W.y * W.y + W.z * W.z), 0.0 * W.x
    slow = power_of(normal, 0.5)
    force = Vector(
        -row.quadratic.x * slow * W.x,
        -(row.quadratic.y * normal + row.slow_width * slow) * W.y,
        -(row.quadratic.z * normal + row.slow_height * slow) * W.z,
    )
    return Wrench(force, Vector(-row.quadratic_roll * absolute(rate.x) * rate.x, o, o))


# -------------------------------------------------------------------------------------------------------- in deep water


@func
def in_slice(E: Matrix, water: FlowState) -> FlowState:
    """A stream along the axes of a slice."""
    Et = transpose(E)
    return FlowState(Et @ water.velocity, Et @ water.rate, product(product(Et, water.gradient), E))


@func
def immersed_slice(kind: Any, row: Any, V: Vector, w: Vector, water: FlowState, gravity: Vector) -> Wrench:
    """All of the law for φ = 1, along the slice's axes; `gravity` too."""
    u, D = water.velocity, row.added
    W, drifting = V - u, scaled(D, u)
    P, carried = scaled(D, W), water.gradient @ u
    force = (
        cross(w, drifting)
        - scaled(D, cross(w, u))
        + scaled(D, water.rate + water.gradient @ V)
        - water.gradient @ P
        + row.displaced * (water.rate + carried - gravity)
    )
    moment = cross(V, drifting) + cross(u, P)
    return Wrench(force, moment) + open_drag(kind.drag, row, W, w)


@func
def deep_slice(kind: OpenWaterLaw, row: OpenWater, t: Scalar, piece: Slice):
    """`law_slice` of a slice all of which is under water."""
    water = in_slice(piece.axes, flow_at(kind.flows, t, piece.place))
    return immersed_slice(kind, row, piece.velocity, piece.rate, water, transpose(piece.axes) @ row.gravity)


@version_for(law_wrench, OpenWaterLaw)
@func
def deep_wrench(kind: OpenWaterLaw, row: OpenWater, laws: FreeSurfaceLaws | Laws, t: Scalar, body: Body):
    """On a segment all of which is under water."""
    if kind.flows is None:
        return wrench_at_rest(kind, row, laws, body)
    return sliced_wrench(OpenWaterLaw(kind.flows, None, kind.drag), row, laws, t, body)


@func
def wrench_at_rest(kind: OpenWaterLaw, row: OpenWater, laws: FreeSurfaceLaws | Laws, body: Body):
    """Nothing but drag differs from slice to slice, and the lift acts at the middle."""
    E, velocity, rate = segment_motion(row, body)
    force = (-row.length * row.displaced) * (transpose(E) @ row.gravity)
    torque = (0.5 * row.length) * Vector(0.0 * force.x, -force.z, force.y)
    for j in range(row.first, row.first + row.count):
        s, ds = laws.nodes[j] * row.length, laws.weights[j] * row.length
        force, torque = sum_slice(open_drag(kind.drag, row, at(velocity, rate, s), rate), s, ds, force, torque)
    return about_body(row, E, force, torque)
