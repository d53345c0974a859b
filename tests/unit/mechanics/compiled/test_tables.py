"""Tables: the same text reads and writes rows in plain Python, compiled, on duals and on lanes;
NumPy sees the same numbers.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from limbless.mechanics.algebra.spatial import Wrench
from limbless.mechanics.algebra.vectors import Vector, cross
from limbless.mechanics.compiled.arrays import dual_array, tangents, values
from limbless.mechanics.compiled.decorators import kernel
from limbless.mechanics.compiled.flat_array import unpack, unpack_duals, unpack_lanes
from limbless.mechanics.compiled.scalars import TANGENTS
from limbless.mechanics.compiled.tables import Rows, Table, constants, table


@table
class Place(Table):
    push: Wrench
    mass: float
    at: Vector
    number: int
    heavy: bool


@constants
class Fixed(Table):
    factor: float


class Two(NamedTuple):
    places: Rows
    fixed: np.ndarray


def swap(places, fixed):
    """Reads and writes every kind of field, and branches on codes."""
    for k in range(len(places.codes)):
        place = Place(places, k)
        force = place.push.force
        if place.heavy:
            force = Fixed(fixed, 0).factor * force
        place.push = Wrench(place.at, force)
        place.at = cross(force, place.at)
        place.mass = place.mass * place.number + place.at.x


@kernel
def swap_floats(two):
    places, fixed = unpack(two)
    compiled_swap(places, fixed)


@kernel
def swap_duals(two):
    places, fixed = unpack_duals(two)
    compiled_swap(places, fixed)


@kernel
def swap_lanes(two):
    places, fixed = unpack_lanes(two)
    compiled_swap(places, fixed)


compiled_swap = kernel(swap)


def spread(array):
    """The first of three parts to the second, and a number to all of the third."""
    array[1][:] = array[0]
    array[2][:] = 2.5


@kernel
def spread_floats(array):
    compiled_spread(unpack(array))


@kernel
def spread_duals(array):
    compiled_spread(unpack_duals(array))


@kernel
def spread_lanes(array):
    compiled_spread(unpack_lanes(array))


@kernel
def spread_some(array):
    unpack(array)[1:] = 0.0


compiled_spread = kernel(spread)


def random_places(seed: int = 0) -> Two:
    rng, places, fixed = np.random.default_rng(seed), Place.zeros(3), Fixed.zeros(1)
    column = Place.of(places)
    column.push[:], column.mass[:], column.at[:] = rng.normal(size=(3, 6)), rng.normal(size=3), rng.normal(size=(3, 3))
    column.number[:], column.heavy[:] = [2, 3, 5], [1, 0, 1]
    Fixed.of(fixed).factor[:] = rng.normal()
    return Two(places, fixed)


def expected(two: Two) -> np.ndarray:
    """The same in NumPy, without rows."""
    old = Place.of(two.places)
    force = np.where(old.heavy[:, None] == 1, Fixed.of(two.fixed).factor[0], 1.0) * old.push[:, :3]
    at = np.cross(force, old.at)
    return np.column_stack([old.at, force, old.mass * old.number + at[:, 0], at])


def numbers(two: Two) -> np.ndarray:
    column = Place.of(two.places)
    return np.column_stack([column.push, column.mass, column.at])


@pytest.mark.parametrize("run", [swap_floats, lambda two: swap(*two)], ids=["compiled", "plain Python"])
def test_rows_are_read_and_written(run) -> None:
    two = random_places()
    wanted = expected(two)
    run(two)
    assert numbers(two) == pytest.approx(wanted, abs=1e-15)
    assert Place.of(two.places).number.tolist() == [2, 3, 5]


def test_long_rows_begin_on_a_cache_line() -> None:
    places = Place.zeros(3)
    assert Place.width == 10 and Place.columns == 16 and places.numbers.shape == (3, 16)
    assert places.numbers.ctypes.data % 64 == 0 and places.codes.shape == (3, 2)
    assert Fixed.zeros(2).shape == (2, 1)


def test_rows_of_duals_carry_derivatives() -> None:
    two, step = random_places(), 1e-6
    direction = np.random.default_rng(1).normal(size=two.places.numbers.shape)
    wide = Two(Rows(dual_array(two.places.numbers, direction[..., None]), two.places.codes), dual_array(two.fixed))
    swap_duals(wide)
    ends = []
    for sign in (-1.0, 1.0):
        moved = random_places()
        moved.places.numbers[:] += sign * step * direction
        swap(*moved)
        ends.append(moved.places.numbers)
    assert values(wide.places.numbers)[:, :10] == pytest.approx(0.5 * (ends[0] + ends[1])[:, :10], abs=1e-9)
    assert tangents(wide.places.numbers)[:, :10, 0] == pytest.approx((ends[1] - ends[0])[:, :10] / (2 * step), abs=1e-8)


def test_rows_of_lanes_are_eight_tables() -> None:
    all_eight = [random_places(seed) for seed in range(TANGENTS)]
    stacked = Two(
        Rows(
            np.ascontiguousarray(np.stack([two.places.numbers for two in all_eight], axis=-1)),
            all_eight[0].places.codes,
        ),
        np.ascontiguousarray(np.stack([two.fixed for two in all_eight], axis=-1)),
    )
    swap_lanes(stacked)
    for lane, two in enumerate(all_eight):
        swap(*two)
        assert stacked.places.numbers[..., lane] == pytest.approx(two.places.numbers, abs=1e-15)


def test_constants_and_codes_are_not_written_by_kernels() -> None:
    @kernel
    def write_constant(rows):
        Fixed(unpack(rows), 0).factor = 1.0

    @kernel
    def write_code(rows):
        Place(unpack(rows), 0).number = 1

    with pytest.raises(TypingError, match=r"Fixed\.factor is constant in kernels"):
        write_constant(Fixed.zeros(1))
    with pytest.raises(TypingError, match=r"Place\.number is constant in kernels"):
        write_code(Place.zeros(1))


def test_a_row_inside_a_flat_array() -> None:
    flat = np.arange(10.0)
    assert Fixed(flat, 3).factor == 3.0


@pytest.mark.parametrize(("compiled", "words"), [(spread_floats, ()), (spread_duals, (16,)), (spread_lanes, (8,))])
def test_arrays_are_filled_and_copied_whole(compiled, words):
    array = np.random.default_rng(1).normal(size=(3, 2, 5, *words))
    expected = array.copy()
    expected[1], expected[2] = array[0], 2.5
    if words == (16,):
        array[..., 1:8], expected[..., 1:8], expected[2, ..., 8:] = 0.0, 0.0, 0.0  # unused words, and no derivatives
    compiled(array)
    used = np.r_[0, 8:16] if words == (16,) else slice(None)
    np.testing.assert_array_equal(array[..., used], expected[..., used])


def test_a_part_of_an_array_is_not_filled():
    with pytest.raises(TypingError):
        spread_some(np.zeros(3))
