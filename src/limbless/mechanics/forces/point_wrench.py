"""A given force and torque at a point of a body, constant or a function of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from limbless.mechanics.algebra import Matrix, Vector, Wrench, cross
from limbless.mechanics.compiled import Rows, Scalar, call_pointer, constants, func, version_for
from limbless.mechanics.forces import Buffer, OnBody, law, law_wrench, plain_law

if TYPE_CHECKING:
    from limbless.mechanics.chain import Body


class AtPoint(OnBody):
    """What acts at one point of a body."""

    start: Vector  # the point, in its body, m
    in_world: bool  # force and torque keep their direction in the world; else in the body


@constants
class Point(AtPoint):
    force: Vector  # N
    torque: Vector  # N m


PointLaw = plain_law("PointLaw", Point)


@constants
class TimedPoint(AtPoint):
    address: int  # of the function of time that gives force and torque: see `user.Buffer`


class TimedPointLaw(NamedTuple):
    """Marks `RowLaws` of the table `TimedPoint`."""

    buffer: Rows[Buffer]  # one row


law(TimedPointLaw, TimedPoint)


@func
def wrench_at_point(point: Any, force: Vector, torque: Vector, R: Matrix) -> Wrench:
    """About the origin of the body whose axes are R, along the world axes."""
    one = 1.0 + 0.0 * R.x.x
    F = Wrench(one * force, one * torque) if point.in_world else Wrench(R @ force, R @ torque)
    return Wrench(F.force, F.torque + cross(R @ point.start, F.force))


@version_for(law_wrench, PointLaw)
@func
def point_wrench(kind: TimedPointLaw, point: Point, laws: Any, t: Scalar, body: Body):
    return wrench_at_point(point, point.force, point.torque, body.rotation)


@version_for(law_wrench, TimedPointLaw)
@func
def timed_wrench(kind: TimedPointLaw, point: TimedPoint, laws: Any, t: Scalar, body: Body):
    buffer = Buffer(kind.buffer, 0)
    buffer.time = t
    call_pointer(point.address, kind.buffer)
    return wrench_at_point(point, buffer.force, buffer.moment, body.rotation)
