"""A uniform field on a mass distribution: gravity on mass, buoyancy on displaced mass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from limbless.mechanics.algebra import Vector, Wrench, cross, transpose
from limbless.mechanics.compiled import Scalar, constants, func, version_for
from limbless.mechanics.forces.laws import Laws, OnBody, Slice, law_slice, law_wrench, plain_law

if TYPE_CHECKING:
    from limbless.mechanics.chain import Body


@constants
class Weight(OnBody):
    field: Vector  # m/s2, world axes
    mass: float  # kg; of a slice, per length
    moment: Vector  # its first moment in the body, kg m


WeightLaw = plain_law("WeightLaw", Weight, bands=True)


@version_for(law_wrench, WeightLaw)
@func
def weight_wrench(kind: Any, weight: Weight, laws: Laws, t: Scalar, body: Body) -> Wrench:
    return Wrench(weight.mass * weight.field, cross(body.rotation @ weight.moment, weight.field))


@version_for(law_slice, WeightLaw)
@func
def weight_slice(kind: Any, weight: Weight, t: Scalar, piece: Slice) -> Wrench:
    return Wrench(transpose(piece.axes) @ (weight.mass * weight.field), 0.0 * piece.rate)
