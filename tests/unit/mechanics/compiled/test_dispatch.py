"""Versions by type: compiled code and plain Python choose the same version, and what a problem does
not hold is not compiled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from limbless.mechanics.compiled.decorators import func, kernel
from limbless.mechanics.compiled.dispatch import delegate, for_each, generic, no_op, switch, switch_scalar, version_for
from limbless.mechanics.compiled.flat_array import unpack, unpack_lanes


class Square(NamedTuple):
    side: float


class Disk(NamedTuple):
    radius: float


class Ghost(NamedTuple):
    """Its version cannot be compiled."""

    side: float


Square.code, Disk.code = 4, 9


@generic
def area(shape, scale):
    """Area of a shape, m2."""


@generic
def paint(shape, wall):
    """Add the area to a wall."""


@version_for(area, Square)
@func
def area_of_square(shape, scale):
    return scale * shape.side * shape.side


@version_for(area, Disk)
@kernel
def area_of_disk(shape, scale):
    return scale * np.pi * shape.radius * shape.radius


@version_for(area, Ghost)
@func
def area_of_ghost(shape, scale):
    return shape.no_such_field


@version_for(paint, Square, Disk)
@func
def paint_any(shape, wall):
    wall[0] += area(shape, 1.0)


@kernel
def compiled_area(shape, scale):
    return area(shape, scale)


paint_all = for_each(paint)


@kernel
def compiled_paint(shapes, wall):
    paint_all(shapes, unpack(wall))


@generic
def corners(x):
    """Corners of a kind, and what is given."""


version_for(corners, Square)(func(lambda x: 4.0 + x))
version_for(corners, Disk)(func(lambda x: 0.0 + x))
corners_by = switch(corners)


@kernel
def compiled_corners(kinds, code, x):
    return corners_by(kinds, code, x)


how_many = switch_scalar(func(lambda array: 1), func(lambda array: 8))


@kernel
def robots(array):
    return how_many(unpack(array))


@kernel
def robots_in_lanes(array):
    return how_many(unpack_lanes(array))


@pytest.mark.parametrize("call", [area, compiled_area], ids=["plain Python", "compiled"])
def test_the_class_of_the_first_argument_chooses(call) -> None:
    assert call(Square(3.0), 2.0) == 18.0
    assert call(Disk(1.0), 2.0) == pytest.approx(2.0 * np.pi)


def test_all_members_of_a_tuple_take_their_turn() -> None:
    for run in (paint_all, compiled_paint):
        wall = np.zeros(1)
        run((Square(2.0), Disk(1.0), Square(1.0)), wall)
        assert wall[0] == pytest.approx(5.0 + np.pi)


@pytest.mark.parametrize("call", [corners_by, compiled_corners], ids=["plain Python", "compiled"])
def test_a_code_chooses_among_the_kinds_that_are_there(call) -> None:
    assert call((Square(1.0), Disk(1.0)), 9, 0.5) == 0.5
    assert call((Square(1.0), Disk(1.0)), 4, 0.5) == 4.5
    assert call((Square(1.0),), 4, 0.5) == 4.5


def test_the_scalar_chooses() -> None:
    assert robots(np.zeros(3)) == 1
    assert robots_in_lanes(np.zeros((3, 8))) == 8


class Painted(NamedTuple):
    shape: Square | Disk


@generic
def shade(painted, by):
    """How dark a painted thing is."""


shade_of = delegate(shade, Painted, "shape")
no_op(shade_of, Disk)


@version_for(shade_of, Square)
@func
def shade_of_square(shape, painted, by):
    return by * shape.side


@kernel
def shade_it(painted):
    return shade(painted, 3.0)


def test_a_part_decides_and_what_is_idle_does_nothing() -> None:
    assert shade_it(Painted(Square(2.0))) == shade(Painted(Square(2.0)), 3.0) == 6.0
    assert shade_it(Painted(Disk(2.0))) is None and shade(Painted(Disk(2.0)), 3.0) is None
