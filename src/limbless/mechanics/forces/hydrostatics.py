"""The lift of still water with a free surface: exact for every elliptic section at any roll, and along a link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.mechanics.algebra import Matrix, Vector, Wrench, cross, transpose
from limbless.mechanics.compiled import Array, Scalar, constants, func, version_for
from limbless.mechanics.forces import (
    EllipticSection,
    OnSegment,
    RowLaws,
    Slice,
    about_body,
    cut_section,
    integrals_along,
    law_slice,
    law_wrench,
    plain_law,
    reach_of,
    segment_motion,
)

if TYPE_CHECKING:
    from limbless.mechanics.chain import Body
    from limbless.mechanics.forces.open_water import OpenWater


@constants
class Hydrostatic(EllipticSection, OnSegment):
    lift: Vector  # weight of displaced fluid per length of full section, upward, world, N/m
    height: float  # of the surface, m


HydrostaticLaw = plain_law("HydrostaticLaw", Hydrostatic)


@func
def hydrostatic(
    row: OpenWater, E: Matrix, depth: Scalar, lift: Vector, nodes: Array, weights: Array
) -> tuple[Vector, Vector]:
    """Force and torque about the start of a segment, along its axes, of a lift per length (its axes); `depth` of its
    start below the level.
    """
    n = Vector(E.z.x, E.z.y, E.z.z)
    e, pull = reach_of(row.half_width, row.half_height, n)
    whole = integrals_along(depth / e, -n.x / e, row.length, nodes, weights, row.first, row.count)
    aside = (-(2.0 / (3.0 * np.pi)) * whole.sag / e) * pull
    arm = Vector(aside.x + whole.lever, aside.y, aside.z)
    return whole.share * lift, cross(arm, lift)


@version_for(law_wrench, HydrostaticLaw)
@func
def surface_wrench(kind: Any, surface: Hydrostatic, laws: RowLaws, t: Scalar, body: Body) -> Wrench:
    E, _, _ = segment_motion(surface, body)
    start = body.origin.z + E.z.x * surface.start.x + E.z.y * surface.start.y + E.z.z * surface.start.z
    force, torque = hydrostatic(
        surface, E, surface.height - start, transpose(E) @ surface.lift, laws.nodes, laws.weights
    )
    return about_body(surface, E, force, torque)


@version_for(law_slice, HydrostaticLaw)
@func
def surface_slice(kind: Any, surface: Hydrostatic, t: Scalar, piece: Slice) -> Wrench:
    E = piece.axes
    cut = cut_section(
        surface.half_width, surface.half_height, Vector(E.z.x, E.z.y, E.z.z), surface.height - piece.place.z
    )
    lift = transpose(E) @ surface.lift
    return Wrench(cut.share * lift, cross(cut.moment, lift))
