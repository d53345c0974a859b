"""A packed problem is the problem: the same numbers arrive in a kernel, in every form and at every depth."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

from limbless.mechanics.compiled.batching import stack_lanes, to_duals
from limbless.mechanics.compiled.decorators import func, kernel
from limbless.mechanics.compiled.dispatch import generic, version_for
from limbless.mechanics.compiled.flat_array import unpack, unpack_duals, unpack_lanes
from limbless.mechanics.compiled.packed import pack


class Inner(NamedTuple):
    codes: Any
    rate: Any
    count: Any


class Outer(NamedTuple):
    matrix: Any
    inner: Any
    flag: Any
    nothing: Any


@kernel
def read(problem, out):
    given = unpack(problem)
    out[0] = given.matrix[1, 2]
    out[1] = given.inner.codes[1]
    out[2] = given.inner.rate
    out[3] = given.inner.count
    out[4] = given.matrix.shape[0] + 10 * given.matrix.shape[1] + 100 * len(given.inner.codes)
    out[5] = 1.0 if given.flag else 0.0
    given.matrix[0, 0] = 7.0


@kernel
def add_lanes(problem, out):
    given, total = unpack_lanes(problem), unpack_lanes(out)
    total[0] = given.matrix[0] + given.matrix[1]


def problem() -> Outer:
    return Outer(np.arange(6.0).reshape(2, 3), Inner(np.array([4, -5, 6]), -0.25, -3), True, ())


def test_a_packed_problem_reads_and_writes_as_the_problem_itself() -> None:
    given, plain = problem(), problem()
    found, wanted = np.zeros(6), np.zeros(6)
    read(pack(given), found)
    read(plain, wanted)
    assert found.tolist() == wanted.tolist() == [5.0, -5.0, -0.25, -3.0, 332.0, 1.0]
    assert given.matrix[0, 0] == plain.matrix[0, 0] == 7.0


def test_what_is_written_into_its_arrays_later_is_seen() -> None:
    given, out = problem(), np.zeros(6)
    packed = pack(given)
    given.matrix[1, 2] = 11.0
    read(packed, out)
    assert out[0] == 11.0


def test_parts_that_were_packed_before_are_found_again_and_others_are_not_mistaken_for_them() -> None:
    first, out = problem(), np.zeros(6)
    packed = pack(first)
    for matrix, inner in (
        (np.ones((3, 4)), first.inner),
        (first.matrix, first.inner._replace(rate=0.5)),
        (first.matrix.copy(), first.inner._replace(codes=np.array([1, 2]))),
    ):
        other = first._replace(matrix=matrix, inner=inner)
        packed = pack(other, packed)
        read(packed, out)
        shape = matrix.shape[0] + 10 * matrix.shape[1] + 100 * len(inner.codes)
        assert out.tolist() == [matrix[1, 2], inner.codes[1], inner.rate, -3.0, shape, 1.0]
        assert matrix[0, 0] == 7.0


def test_lanes_are_found_in_a_packed_problem() -> None:
    given, out = problem()._replace(matrix=np.arange(16.0).reshape(2, 8)), np.zeros((1, 8))
    add_lanes(pack(given), out)
    assert out[0].tolist() == (np.arange(8.0) + np.arange(8.0, 16.0)).tolist()


def test_an_array_with_strides_is_refused() -> None:
    with pytest.raises(TypingError, match="C-ordered"):
        pack(problem()._replace(matrix=np.arange(12.0).reshape(2, 6)[:, ::2]))


def test_a_call_with_the_same_kinds_compiles_nothing_more() -> None:
    out = np.zeros(6)
    read(pack(problem()), out)
    before = len(read.signatures)
    read(pack(problem()._replace(matrix=np.ones((4, 5)))), out)
    assert len(read.signatures) == before


@generic
def weight(inner, matrix):
    """A number for each class of inner part."""


@version_for(weight, None)
@func
def weight_of_nothing(inner, matrix):
    return -1.0


@func
def matrix_sum(outer):
    """A branch that could not be typed where `inner` or `nothing` is absent."""
    if outer.inner is None:
        return outer.matrix[0, 0]
    parts = outer.inner
    if parts.rate is not None and outer.nothing is None:
        return outer.matrix[0, 0] + parts.codes[0] * parts.rate
    return outer.matrix[0, 0] + parts.codes[0] * outer.nothing.rate


@kernel
def sum_absent(problem, out):
    out[0] = matrix_sum(unpack(problem))
    out[1] = weight(None, out)


@kernel
def sum_absent_lanes(problem, out):
    unpack_lanes(out)[0] = matrix_sum(unpack_lanes(problem))


@kernel
def sum_absent_duals(problem, out):
    unpack_duals(out)[0] = matrix_sum(unpack_duals(problem))


def test_what_is_absent_is_none_and_the_branch_that_needs_it_is_not_compiled() -> None:
    codes, nothing = np.array([2]), Inner(np.array([1]), 4.0, 1)
    absent = Outer(np.array([[3.0]]), None, True, None)
    no_rate = absent._replace(inner=Inner(codes, None, 1), nothing=nothing)
    for given, wanted in ((absent, 3.0), (absent._replace(inner=Inner(codes, 0.5, 1)), 4.0), (no_rate, 11.0)):
        out = np.zeros(2)
        sum_absent(pack(given), out)
        assert out.tolist() == [wanted, -1.0] == [matrix_sum(given), weight(None, None)]
    wide = np.zeros((1, 8))
    sum_absent_lanes(pack(stack_lanes([absent, absent._replace(matrix=np.array([[5.0]]))])), wide)
    assert wide[0, :3].tolist() == [3.0, 5.0, 3.0]
    dual = np.zeros((1, 16))
    sum_absent_duals(pack(to_duals(absent)), dual)
    assert dual[0, 0] == 3.0
