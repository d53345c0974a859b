"""The lift of water with a free surface: the part of a section that is below it counts."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from limbless.mechanics.algebra.inertia import Wrench
from limbless.mechanics.algebra.vectors import Vector, transpose
from limbless.mechanics.compiled.generic import version_for
from limbless.mechanics.compiled.kernel import inline
from limbless.mechanics.compiled.scalars import arctangent2, sqrt
from limbless.mechanics.compiled.tables import constants
from limbless.mechanics.forces.laws import OnSegment, law, law_slice, law_wrench, sliced_wrench


@constants
class Surface(OnSegment):
    lift: Vector                          # weight of displaced fluid per length of full section, upward, world, N/m
    height: float                         # of the surface, m
    half_width: float
    half_height: float


class SurfaceLaw(NamedTuple):
    """Marks `RowLaws` of the table `Surface`."""


law(SurfaceLaw, Surface)
version_for(law_wrench, SurfaceLaw)(sliced_wrench)


@inline
def immersed_fraction(surface, E, height):
    """Of an elliptic section whose centre is at `height`; exact for one that stands upright."""
    across, upright = surface.half_width * E.z.y, surface.half_height * E.z.z
    extent = sqrt(across * across + upright * upright) + 1e-12
    depth = (surface.height - height) / extent
    if depth >= 1.0:
        fraction = 0.0 * depth + 1.0
    elif depth <= -1.0:
        fraction = 0.0 * depth
    else:
        chord = sqrt(1.0 - depth * depth)
        fraction = (arctangent2(chord, -depth) + depth * chord) / np.pi
    return fraction


@version_for(law_slice, SurfaceLaw)
@inline
def surface_slice(kind, surface, t, piece):
    """The shift of the centre of lift inside a cut section is neglected."""
    lift = immersed_fraction(surface, piece.axes, piece.place.z) * surface.lift
    return Wrench(transpose(piece.axes) @ lift, 0.0 * lift)
