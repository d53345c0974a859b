"""A uniform field on a mass distribution: gravity on mass, buoyancy on displaced mass."""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra.spatial import Wrench
from limbless.mechanics.algebra.vectors import Vector, cross, transpose
from limbless.mechanics.compiled.generic import version_for
from limbless.mechanics.compiled.kernel import func
from limbless.mechanics.compiled.tables import constants
from limbless.mechanics.forces.laws import OnBody, law, law_slice, law_wrench


@constants
class Weight(OnBody):
    field: Vector  # m/s2, world axes
    mass: float  # kg; of a slice, per length
    moment: Vector  # its first moment in the body, kg m


class WeightLaw(NamedTuple):
    """Marks `Laws` of the table `Weight`."""


law(WeightLaw, Weight, bands=True)


@version_for(law_wrench, WeightLaw)
@func
def weight_wrench(kind, weight, laws, t, body):
    return Wrench(weight.mass * weight.field, cross(body.rotation @ weight.moment, weight.field))


@version_for(law_slice, WeightLaw)
@func
def weight_slice(kind, weight, t, piece):
    return Wrench(transpose(piece.axes) @ (weight.mass * weight.field), 0.0 * piece.rate)
