"""A user's own law on a slice, behind an address; it knows plain numbers only, so that no
derivative passes through it.
"""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra import Matrix, Vector, Wrench, transpose
from limbless.mechanics.compiled import Rows, Scalar, Table, call_pointer, constants, func, table, value_of, version_for
from limbless.mechanics.forces.laws import OnSegment, Slice, law, law_slice, law_wrench, sliced_wrench


@constants
class UserSlice(OnSegment):
    behind: float  # of the segment's start from the base end of the body, m
    link: int  # number of the link; 0 on a rod
    address: int  # of the function, `void law(double *buffer)`


@table
class Buffer(Table):
    """What a user's law finds, and where it writes its answer."""

    time: float  # s
    position: Vector  # of the slice's centre, world, m
    velocity: Vector  # along the slice's own axes, m/s
    rotation_rate: Vector  # along them, rad/s
    # the slice's own axes in rows (along the body, lateral, vertical), world components
    axes: Matrix
    force: Vector  # answer: per length, along the slice's own axes, N/m
    moment: Vector  # N
    link: float  # number of the link that it belongs to; 0 on a rod
    abscissa: float  # along the body from its base end, m


class UserLaw(NamedTuple):
    """Marks `RowLaws` of the table `UserSlice`."""

    buffer: Rows[Buffer]  # one row


law(UserLaw, UserSlice)
version_for(law_wrench, UserLaw)(sliced_wrench)


@func
def plain(v: Vector) -> Vector:
    return Vector(value_of(v.x), value_of(v.y), value_of(v.z))


@version_for(law_slice, UserLaw)
@func
def user_slice(kind: UserLaw, user: UserSlice, t: Scalar, piece: Slice) -> Wrench:
    buffer, axes = Buffer(kind.buffer, 0), transpose(piece.axes)
    buffer.time = t
    buffer.position = plain(piece.place)
    buffer.velocity = plain(piece.velocity)
    buffer.rotation_rate = plain(piece.rate)
    buffer.axes = Matrix(plain(axes.x), plain(axes.y), plain(axes.z))
    buffer.link = user.link + 0.0
    buffer.abscissa = value_of(user.behind) + value_of(piece.along)
    call_pointer(user.address, kind.buffer)
    return Wrench(buffer.force + 0.0 * piece.rate, buffer.moment + 0.0 * piece.rate)
