"""The scalars that kernels compute with: float64, and `Dual8`, a value with its derivatives along 8 directions at once.

A kernel is written once. Called with plain arrays it computes one run; called with dual arrays it computes the same run
together with its exact derivatives (forward mode: every operation carries ẋ along by the chain rule). `Dual8` exists
only inside compiled code; Python holds it as a float64 array whose last axis has 16 words: the value, 7 unused words, 8
tangents.

The functions below (`sincos`, `sqrt`, ...) take either scalar in compiled code, and floats in plain Python. `lanes` has
a third one: eight numbers side by side. Only files of this folder touch numba's extension interface.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

from limbless.mechanics.compiled import define_binary, define_constants, define_negative, func, func_overload

TANGENTS = 8  # one AVX-512 register, or two AVX2 registers
# LLVM places a vector of 8 doubles on a multiple of its size: 7 words stay empty
WORDS = 2 * TANGENTS
BEYOND = 1e300  # farther than any number of a motion: fast math knows no infinity


# ------------------------------------------------------------------------------------------------------- the numba type


class Eight(types.Type):
    """Eight doubles in one vector register."""


class Dual8(types.Type):
    """A float64 and its derivatives along eight directions."""


eight, dual8 = Eight("Eight"), Dual8("Dual8")
vector_type = ir.VectorType(ir.DoubleType(), TANGENTS)
zero_vector = ir.Constant(vector_type, [0.0] * TANGENTS)
_one = ir.Constant(ir.DoubleType(), 1.0)


def lay_out(kind: type[types.Type], model: Any, content: Callable[[Any], Any]) -> None:
    """Teach numba how values of a type of ours lie in memory: as LLVM's `content`, or as a struct with such members."""

    @register_model(kind)
    class _Model(model):
        def __init__(self, manager, numba_type):
            super().__init__(manager, numba_type, content(numba_type))


lay_out(Eight, models.PrimitiveModel, lambda ty: vector_type)
lay_out(Dual8, models.StructModel, lambda ty: [("value", types.float64), ("tangents", eight)])


def splat(builder, number):
    """A vector that holds `number` eight times."""
    index = ir.IntType(32)
    first = builder.insert_element(ir.Constant(vector_type, ir.Undefined), number, index(0))
    return builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(index, TANGENTS), [0] * TANGENTS))


def _pack(context, builder, value, tangents):
    dual = cgutils.create_struct_proxy(dual8)(context, builder)
    dual.value, dual.tangents = value, tangents
    return dual._getvalue()


def _unpack(context, builder, numba_type, number):
    """Value and tangents; a plain number has no tangents (None), so that nothing is computed with zeros."""
    if numba_type != dual8:
        return number, None
    dual = cgutils.create_struct_proxy(dual8)(context, builder, value=number)
    return dual.value, dual.tangents


# ---------------------------------------------------------------------------------------------------------- arithmetic
# Written at the level of LLVM: a compiled function per operator would cost seconds of compilation in every kernel.
# Instructions carry no fast-math flags here: numba gives them those of the kernel that they are used in.


def _sum(builder, x, dx, y, dy):
    tangents = dx if dy is None else dy if dx is None else builder.fadd(dx, dy)
    return builder.fadd(x, y), tangents


def _difference(builder, x, dx, y, dy):
    tangents = dx if dy is None else builder.fsub(zero_vector if dx is None else dx, dy)
    return builder.fsub(x, y), tangents


def _product(builder, x, dx, y, dy):
    first = None if dx is None else builder.fmul(dx, splat(builder, y))
    second = None if dy is None else builder.fmul(dy, splat(builder, x))
    tangents = first if second is None else second if first is None else builder.fadd(first, second)
    return builder.fmul(x, y), tangents


def _quotient(builder, x, dx, y, dy):
    """d(x / y) = (dx - (x / y) dy) / y, with one division."""
    inverse = builder.fdiv(_one, y)
    value = builder.fmul(x, inverse)
    less = None if dy is None else builder.fmul(dy, splat(builder, value))
    rate = dx if less is None else builder.fsub(zero_vector if dx is None else dx, less)
    return value, builder.fmul(rate, splat(builder, inverse))


def _define_arithmetic(symbol: Callable, in_place: Callable, rule: Callable) -> None:
    def lower(context, builder, signature, args):
        x, dx = _unpack(context, builder, signature.args[0], args[0])
        y, dy = _unpack(context, builder, signature.args[1], args[1])
        return _pack(context, builder, *rule(builder, x, dx, y, dy))

    define_binary(dual8, symbol, dual8, lower)
    define_binary(dual8, in_place, dual8, lower)


def _define_comparison(symbol: Callable, sign: str) -> None:
    """Comparisons look at values only: derivatives belong to the branch that the value takes."""

    def lower(context, builder, signature, args):
        x, y = (_unpack(context, builder, *operand)[0] for operand in zip(signature.args, args))
        compare = builder.fcmp_unordered if sign == "!=" else builder.fcmp_ordered  # NaN differs from everything
        return compare(sign, x, y)

    define_binary(dual8, symbol, types.boolean, lower)


for _operator in (
    (operator.add, operator.iadd, _sum),
    (operator.sub, operator.isub, _difference),
    (operator.mul, operator.imul, _product),
    (operator.truediv, operator.itruediv, _quotient),
):
    _define_arithmetic(*_operator)
for _comparison in (
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.gt, ">"),
    (operator.ge, ">="),
    (operator.eq, "=="),
    (operator.ne, "!="),
):
    _define_comparison(*_comparison)


def _negative(context, builder, signature, args):
    value, tangents = _unpack(context, builder, dual8, args[0])
    return _pack(context, builder, builder.fneg(value), builder.fneg(tangents))


define_negative(dual8, _negative)
define_constants(dual8, lambda context, builder, number: _pack(context, builder, number, zero_vector))


# ------------------------------------------------------------------------------------------------------------ functions


@intrinsic
def _value(typing, x):
    return types.float64(dual8), lambda context, builder, signature, args: _unpack(context, builder, dual8, args[0])[0]


@intrinsic
def _chain(typing, x, value, slope):
    """The dual f(x), from the number f and the number f': tangents f' dx."""

    def codegen(context, builder, signature, args):
        tangents = _unpack(context, builder, dual8, args[0])[1]
        return _pack(context, builder, args[1], builder.fmul(tangents, splat(builder, args[2])))

    return dual8(dual8, types.float64, types.float64), codegen


def _dual_version_of(function: Callable) -> Callable:
    """Decorator: compiled code uses the decorated version as soon as one argument is a dual, else `function` (lanes see
    to themselves).
    """

    def register(version: Callable) -> Callable:
        func_overload(function)(lambda *args: version if dual8 in args else None if eight in args else function)
        return version

    return register


def value_of(x):
    """The number itself, without its derivatives: for decisions, counts and indices. Of eight numbers, the largest."""
    return float(x)


@_dual_version_of(value_of)
def _value_of(x):
    return _value(x)


@func
def sine_and_cosine_near_zero(r):
    """Taylor's series of degree 15 and 16, exact to rounding for |r| <= π/4."""
    z = r * r
    sine = r + r * z * (
        -1 / 6
        + z
        * (
            1 / 120
            + z * (-1 / 5040 + z * (1 / 362880 + z * (-1 / 39916800 + z * (1 / 6227020800 - z / 1307674368000))))
        )
    )
    cosine = 1.0 - z * (
        0.5
        - z
        * (
            1 / 24
            - z
            * (
                1 / 720
                - z * (1 / 40320 - z * (1 / 3628800 - z * (1 / 479001600 - z * (1 / 87178291200 - z / 20922789888000))))
            )
        )
    )
    return sine, cosine


def sincos(x):
    """Sine and cosine of an angle (rad), to 2e-16; faster than the library's inside a loop, because it is inlined.

    The angle is brought to |r| <= π/4 by a multiple k of π/2, where Taylor's series of degree 15 and 16 are exact to
    rounding. Angles beyond a thousand turns, where that would lose digits, go to the library.
    """
    if x == 0.0:  # most joints of a robot that moves in a plane
        return x, 1.0
    if abs(x) > 6000.0:
        return math.sin(x), math.cos(x)
    k = math.floor(x * 0.6366197723675814 + 0.5)
    r = (x - k * 1.5707963267948966) - k * 6.123233995736766e-17
    sine, cosine = sine_and_cosine_near_zero(r)
    quarter = int(k) & 3
    if quarter == 0:
        return sine, cosine
    if quarter == 1:
        return cosine, -sine
    if quarter == 2:
        return -sine, -cosine
    return -cosine, sine


@_dual_version_of(sincos)
def _sincos(x):
    sine, cosine = sincos(_value(x))
    return _chain(x, sine, cosine), _chain(x, cosine, -sine)


def whole(x):
    """The largest whole number that is not above x; its derivative is taken as zero."""
    return np.floor(x)


@_dual_version_of(whole)
def _whole(x):
    return _chain(x, np.floor(_value(x)), 0.0)


def sincos_unbranched(x):
    """The same without a branch, right to 4e-17 |x|: a loop over phases, whose quarters nobody foretells, takes several
    of them at once.
    """
    k = whole(x * 0.6366197723675814 + 0.5)
    r = (x - k * 1.5707963267948966) - k * 6.123233995736766e-17
    sine, cosine = sine_and_cosine_near_zero(r)
    quarter = k - 4.0 * whole(0.25 * k)  # 0, 1, 2, 3
    odd = quarter - 2.0 * whole(0.5 * quarter) - 0.5
    s, c = where_positive(odd, cosine, sine), where_positive(odd, sine, cosine)
    return where_positive(quarter - 1.5, -s, s), where_positive((quarter - 0.5) * (2.5 - quarter), -c, c)


@_dual_version_of(sincos_unbranched)
def _sincos_unbranched(x):
    sine, cosine = sincos_unbranched(_value(x))
    return _chain(x, sine, cosine), _chain(x, cosine, -sine)


def sqrt(x):
    """Square root; its derivative at zero is taken as zero, so that the speed of a body at
    rest can be differentiated.
    """
    return math.sqrt(x)


@_dual_version_of(sqrt)
def _sqrt(x):
    root = math.sqrt(_value(x))
    return _chain(x, root, 0.5 / root if root > 0.0 else 0.0)


def absolute(x):
    """|x|; its derivative at zero is taken as zero."""
    return abs(x)


@_dual_version_of(absolute)
def _absolute(x):
    value = _value(x)
    return _chain(x, abs(value), 1.0 if value > 0.0 else -1.0 if value < 0.0 else 0.0)


def exponential(x):
    """eˣ"""
    return math.exp(x)


@_dual_version_of(exponential)
def _exponential(x):
    power = math.exp(_value(x))
    return _chain(x, power, power)


def logarithm(x):
    """Natural logarithm of x above zero."""
    return math.log(x)


@_dual_version_of(logarithm)
def _logarithm(x):
    return _chain(x, math.log(_value(x)), 1.0 / _value(x))


def power_of(x, exponent):
    """x to a constant power, of x not below zero; at zero it is zero, and so is its derivative."""
    return math.pow(x, exponent) if x > 0.0 else 0.0


@_dual_version_of(power_of)
def _raised(x, exponent):
    value = _value(x)
    power = math.pow(value, exponent) if value > 0.0 else 0.0
    return _chain(x, power, exponent * power / value if value > 0.0 else 0.0)


def arctangent2(y, x):
    """Angle (rad) of the point (x, y), in [-π, π]; at the origin it is zero, and so is its derivative."""
    return math.atan2(y, x)


@_dual_version_of(arctangent2)
def _arctangent2(y, x):
    a, b = value_of(y), value_of(x)
    square = a * a + b * b
    # (x dy - y dx) / (x² + y²)
    return _chain(b * y - a * x, math.atan2(a, b), 1.0 / square if square > 0.0 else 0.0)


def where_positive(x, a, b):
    """a where x > 0, else b."""
    return a if x > 0.0 else b


_dual_version_of(where_positive)(where_positive)


def has_tangents(x):
    """Whether a scalar carries derivatives: of what is zero, they need not be."""
    return False


@func_overload(has_tangents)
def _carries_slopes(x):
    return (lambda x: True) if x == dual8 else (lambda x: False)


def primal(x):
    """A scalar without its derivatives: the number, or all eight of them, for what each decides for itself."""
    return float(x)


_dual_version_of(primal)(_value_of)


def is_single(x):
    """Whether a scalar is that of one robot, not of eight side by side."""
    return True


@func_overload(is_single)
def _stands_alone(x):
    return (lambda x: False) if x == eight else (lambda x: True)


def some_positive(x):
    """Whether x > 0; of eight numbers, whether one of them is: what is rare need not be computed every time."""
    return x > 0.0


_dual_version_of(some_positive)(some_positive)


@func
def minimum(a, b):
    """The smaller of two scalars, with its derivative (that of `b` where they are equal)."""
    return where_positive(b - a, a, b)


@func
def maximum(a, b):
    """The larger of two scalars, with its derivative (that of `b` where they are equal)."""
    return where_positive(a - b, a, b)
