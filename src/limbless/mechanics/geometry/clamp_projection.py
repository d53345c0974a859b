"""A clamped module put back exactly where its clamp holds it: the base follows, since the joints say where it is from
there.

Integration keeps the module still to the order of the method; without this the rest would add up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from limbless.mechanics.algebra import Twist, Vector, product, rotation_from_quaternion, rotation_log, transpose
from limbless.mechanics.chain import Body, ChainTables, Spatial
from limbless.mechanics.compiled import Array, noinline_func
from limbless.mechanics.geometry.base_charts import add_to_base, home_rotation, shift_base
from limbless.mechanics.geometry.screws import place

if TYPE_CHECKING:
    from limbless.mechanics.geometry.tables import Clamped, Geometry


@noinline_func
def reseat(robot: ChainTables, frame: Any, clamp: Clamped, x: Array, speeds: Array, geometry: Geometry) -> None:
    """Move the base so that the clamped body has the pose of its seat and no velocity."""
    seat, H = clamp.seat, home_rotation(frame)
    for _ in range(2):  # the second time removes what the first, linear, left: nothing but rounding
        place(robot, frame, x, speeds, geometry)
        start, body = Body(geometry.bodies, 0).origin, Body(geometry.bodies, clamp.body)
        E = product(rotation_from_quaternion(seat[3], seat[4], seat[5], seat[6]), transpose(body.rotation))
        shift = Vector(seat[0], seat[1], seat[2]) + E @ (start - body.origin) - start
        shift_base(frame, H, geometry.screws, Twist(shift, rotation_log(E)), x)
    place(robot, frame, x, speeds, geometry)
    add_to_base(frame, geometry.screws, -1.0 * Spatial(geometry.spatial, clamp.body).twist, speeds)
