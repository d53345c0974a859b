"""A user's own law on a slice, behind an address; it knows plain numbers only, so that no
derivative passes through it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from limbless.mechanics.algebra import Matrix, Vector, Wrench, transpose
from limbless.mechanics.compiled import (
    Rows,
    Scalar,
    Table,
    call_pointer,
    compiled_for,
    constants,
    func,
    njit,
    table,
    value_of,
    version_for,
)
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


def law_on_buffer(law: Callable, asks_where: bool, numbers: Mapping[str, float]) -> Any:
    """A user's law of (t, position, axes, velocity, rotation_rate), with `asks_where` also of link and abscissa, and of
    these numbers, compiled as a function of the buffer; numba's errors where it cannot be.
    """
    more = tuple(map(float, numbers.values()))
    example = (0.0, np.zeros(3), np.zeros((3, 3)), np.zeros(3), np.zeros(3), *((0, 0.0) if asks_where else ()), *more)
    inner, vectors = compiled_for(law, example)
    both = vectors == 2
    t, p, v, w, a, f, m, link, X = (field.column for field in Buffer.fields.values())

    @njit
    def ask(buffer):
        position, velocity, rate = buffer[p : p + 3], buffer[v : v + 3], buffer[w : w + 3]
        axes = buffer[a : a + 9].reshape(3, 3)
        if asks_where:
            return inner(buffer[t], position, axes, velocity, rate, int(buffer[link]), buffer[X], *more)
        return inner(buffer[t], position, axes, velocity, rate, *more)

    @njit
    def answer(buffer):
        if both:
            force, moment = ask(buffer)
        else:
            force, moment = ask(buffer), (0.0, 0.0, 0.0)
        if len(force) != 3 or len(moment) != 3:
            raise ValueError
        for c in range(3):
            buffer[f + c], buffer[m + c] = force[c], moment[c]

    return answer


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
