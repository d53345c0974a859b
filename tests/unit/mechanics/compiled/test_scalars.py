"""The dual scalar against central differences and closed forms; the float path against `math`."""

import math

import numpy as np
import pytest

from limbless.core.errors import InputError
from limbless.mechanics.compiled.arrays import aligned_zeros, dual_array, tangents, values
from limbless.mechanics.compiled.decorators import array_kernel, func
from limbless.mechanics.compiled.flat_array import unpack_duals
from limbless.mechanics.compiled.scalars import (
    absolute,
    arctangent2,
    exponential,
    maximum,
    minimum,
    sincos,
    sincos_unbranched,
    sqrt,
    value_of,
)

# Points (x, y) away from the kinks of |x|, min and max; x > 0 for the square root.
POINTS = [(0.7, -1.3), (1.9, 0.4), (0.05, 2.2)]


@func
def expressions(x, y):
    """One of each operation, and one nested expression; plain Python computes it with floats,
    compiled code with both scalars.
    """
    sine, cosine = sincos(x * y)
    swapped = y
    swapped += x
    swapped *= x
    swapped -= 2.0
    swapped /= y
    return (
        x + y,
        x + 2,
        0.5 + x,
        x - y,
        x - 2,
        0.5 - x,
        x * y,
        3 * x,
        x * 0.5,
        x / y,
        x / 3,
        2.0 / y,
        -x,
        swapped,
        sine,
        cosine,
        sqrt(x),
        absolute(x),
        absolute(y),
        exponential(y),
        arctangent2(y, x),
        arctangent2(y, -x),
        arctangent2(y, 0.5),
        arctangent2(2.0, x),
        minimum(x, y),
        minimum(x, 1.0),
        minimum(1.0, x),
        maximum(x, y),
        maximum(x, 1.0),
        maximum(1, x),
        exponential(-0.5 * sqrt(x * x + y * y)) * sine / (1.0 + absolute(y * cosine))
        - arctangent2(x * sine, 2.0 + cosine),
    )


@array_kernel
def compiled_floats(point, out):
    results = expressions(point[0], point[1])
    for k in range(len(results)):
        out[k] = results[k]


@array_kernel
def compiled_duals(point, out):
    point, out = unpack_duals(point), unpack_duals(out)
    results = expressions(point[0], point[1])
    for k in range(len(results)):
        out[k] = results[k]


@array_kernel
def guarded(x, out):
    """The functions with a kink or a pole in their derivative, at zero."""
    x, out = unpack_duals(x), unpack_duals(out)
    out[0], out[1], out[2], out[3] = (
        sqrt(x[0]),
        absolute(x[0]),
        arctangent2(x[0], x[1]),
        sqrt(x[0] * x[0] + x[1] * x[1]) * x[0],
    )


@array_kernel
def comparisons(array, out):
    pair = unpack_duals(array)
    x, y = pair[0], pair[1]
    flags = (x < y, x <= y, x > y, x >= y, x == y, x != y)
    with_one = (x < 1.0, x <= 1, 1.0 > x, 1 >= x, x == 1.0, x != 1)  # noqa: SIM300
    for k in range(len(flags)):
        out[k] = 1.0 if flags[k] else 0.0
        out[len(flags) + k] = 1.0 if with_one[k] else 0.0


@array_kernel
def constants(array):
    """Plain numbers where duals are expected: stored, in a branch, and as the start of a loop variable."""
    x = unpack_duals(array)
    pair = (x[0], 1.5) if value_of(x[0]) > 0.0 else (2.5, x[0])
    total = 0.0
    for k in range(len(x)):
        total = total + x[k]
    x[0], x[1], x[2] = total, pair[1], 3


@array_kernel
def transposed_product(array, out):
    """Two axes: out = aᵀ a."""
    a, b = unpack_duals(array), unpack_duals(out)
    for i in range(a.shape[1]):
        for j in range(a.shape[1]):
            b[i, j] = 0.0
            for k in range(a.shape[0]):
                b[i, j] += a[k, i] * a[k, j]


def python_floats(point):
    return np.array(expressions(*(float(p) for p in point)))


@pytest.mark.parametrize("point", POINTS)
def test_float_kernel_equals_plain_python(point):
    out = np.zeros(len(python_floats(point)))
    compiled_floats(np.array(point), out)
    np.testing.assert_allclose(out, python_floats(point), rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("point", POINTS)
def test_every_operation_against_central_differences(point):
    seeds = np.random.default_rng(1).normal(size=(2, 8))
    reference = python_floats(point)
    out = dual_array(np.full(len(reference), 99.0))
    compiled_duals(dual_array(point, seeds), out)
    np.testing.assert_allclose(values(out), reference, rtol=1e-14, atol=1e-15)
    step = 1e-5
    jacobian = [(python_floats(point + step * e) - python_floats(point - step * e)) / (2 * step) for e in np.eye(2)]
    np.testing.assert_allclose(tangents(out), np.array(jacobian).T @ seeds, rtol=1e-7, atol=1e-8)


def test_nested_expression_against_its_closed_form():
    """d/dx atan2(x, 0.5) = 0.5 / (0.25 + x²), d/dx eˣ = eˣ, d/dx √x = 1 / (2 √x): exact to rounding."""
    x = 0.7
    out = dual_array(np.zeros(len(python_floats((x, x)))))
    compiled_duals(dual_array([x, x], [[0.0], [1.0]]), out)
    assert tangents(out)[22, 0] == pytest.approx(0.5 / (0.25 + x * x), rel=1e-14)
    assert tangents(out)[19, 0] == pytest.approx(math.exp(x), rel=1e-14)
    compiled_duals(dual_array([x, x], [[1.0], [0.0]]), out)
    assert tangents(out)[16, 0] == pytest.approx(0.5 / math.sqrt(x), rel=1e-14)


def test_derivatives_at_zero_are_finite():
    out = dual_array(np.full(4, 99.0), np.full((4, 8), 99.0))
    guarded(dual_array([0.0, 0.0], np.arange(1.0, 17.0).reshape(2, 8)), out)
    np.testing.assert_array_equal(values(out), 0.0)
    np.testing.assert_array_equal(tangents(out), 0.0)


@pytest.mark.parametrize(("x", "y"), [(0.5, 2.0), (2.0, 0.5), (1.0, 1.0)])
def test_comparisons_look_at_values(x, y):
    out = np.zeros(12)
    comparisons(dual_array([x, y], np.random.default_rng(0).normal(size=(2, 8))), out)
    expected = (x < y, x <= y, x > y, x >= y, x == y, x != y, x < 1, x <= 1, x < 1, x <= 1, x == 1, x != 1)
    np.testing.assert_array_equal(out, np.array(expected, dtype=float))


def test_plain_numbers_stand_for_constants():
    array = dual_array([0.25, -1.0, 4.0], [[1.0], [10.0], [100.0]])
    constants(array)
    np.testing.assert_array_equal(values(array), [3.25, 1.5, 3.0])
    np.testing.assert_array_equal(tangents(array)[:, 0], [111.0, 0.0, 0.0])


def test_arrays_of_two_axes():
    rng = np.random.default_rng(2)
    a, da = rng.normal(size=(4, 3)), rng.normal(size=(4, 3, 8))
    out = dual_array(np.zeros((3, 3)))
    transposed_product(dual_array(a, da), out)
    np.testing.assert_allclose(values(out), a.T @ a, rtol=1e-13)
    expected = np.einsum("kid,kj->ijd", da, a) + np.einsum("ki,kjd->ijd", a, da)
    np.testing.assert_allclose(tangents(out), expected, rtol=1e-12, atol=1e-14)


def test_array_that_is_not_aligned():
    memory = np.zeros(16 * 2 + 1)
    start = 1 if memory.ctypes.data % 64 == 0 else 0
    array = memory[start : start + 32].reshape(2, 16)
    array[:] = dual_array([2.0, 3.0], np.eye(2))
    out = dual_array(np.zeros((2, 2)))
    transposed_product(array[None], out)
    np.testing.assert_array_equal(values(out), [[4.0, 6.0], [6.0, 9.0]])
    np.testing.assert_array_equal(tangents(out)[0, :, :2], [[4.0, 0.0], [3.0, 2.0]])


def test_dual_array_layout():
    array = dual_array(np.arange(6.0).reshape(2, 3), np.arange(4.0))
    assert array.shape == (2, 3, 16) and array.flags.c_contiguous and array.ctypes.data % 64 == 0
    np.testing.assert_array_equal(values(array), [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    np.testing.assert_array_equal(tangents(array)[1, 2], [0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0])
    assert aligned_zeros(5).ctypes.data % 64 == 0 and aligned_zeros((2, 0)).shape == (2, 0)


def test_too_many_directions_are_refused():
    with pytest.raises(InputError, match="1 to 8"):
        dual_array(1.0, np.ones(9))


@array_kernel
def turned(angles, sine, cosine):
    for i in range(angles.shape[0]):
        sine[i], cosine[i] = sincos_unbranched(angles[i])


def test_phases_have_the_sine_and_cosine_of_the_library_in_every_quarter() -> None:
    angles = np.concatenate([np.linspace(-300.0, 300.0, 4001), 0.5 * np.pi * np.arange(-9, 10)])
    sine, cosine = np.zeros_like(angles), np.zeros_like(angles)
    turned(angles, sine, cosine)
    np.testing.assert_allclose(sine, np.sin(angles), atol=3e-14)
    np.testing.assert_allclose(cosine, np.cos(angles), atol=3e-14)
    assert sincos_unbranched(2.0) == pytest.approx((math.sin(2.0), math.cos(2.0)), abs=1e-15)
