"""`Lanes`: eight numbers side by side in one vector register, as one more scalar for kernels.

A kernel that is given lanes in place of numbers does eight computations at the price of little more than one: eight
instants of a gait, or eight sections of a rod. Python holds lanes as a float64 array whose last axis has 8 words,
viewed once by `unpack_lanes`. There are no comparisons between lanes, since they may disagree: a branch asks for the
largest of them (`value_of`).
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from limbless.mechanics.compiled import (
    TANGENTS,
    absolute,
    arctangent2,
    define_binary,
    define_constants,
    define_negative,
    eight,
    exponential,
    func_overload,
    logarithm,
    maximum,
    minimum,
    power_of,
    primal,
    sincos,
    sincos_unbranched,
    some_positive,
    splat,
    sqrt,
    value_of,
    vector_type,
    where_positive,
    whole,
    zero_vector,
)

LANES = TANGENTS
_index_type = ir.IntType(32)


def _define_arithmetic(symbol: Callable, in_place: Callable, instruction: str) -> None:
    def lower(context, builder, signature, args):
        operands = [a if ty == eight else splat(builder, a) for a, ty in zip(args, signature.args)]
        return getattr(builder, instruction)(*operands)

    define_binary(eight, symbol, eight, lower)
    define_binary(eight, in_place, eight, lower)


for _operator in (
    (operator.add, operator.iadd, "fadd"),
    (operator.sub, operator.isub, "fsub"),
    (operator.mul, operator.imul, "fmul"),
    (operator.truediv, operator.itruediv, "fdiv"),
):
    _define_arithmetic(*_operator)
define_negative(eight, lambda context, builder, signature, args: builder.fneg(args[0]))
define_constants(eight, lambda context, builder, number: splat(builder, number))


@intrinsic
def _root(typing, x):
    return eight(eight), lambda context, builder, signature, args: _llvm(builder, "sqrt", vector_type, args)


@intrinsic
def _size(typing, x):
    return eight(eight), lambda context, builder, signature, args: _llvm(builder, "fabs", vector_type, args)


@intrinsic
def _largest(typing, x):
    return types.float64(eight), lambda context, builder, signature, args: _llvm(
        builder, "vector.reduce.fmax", ir.DoubleType(), args
    )


@intrinsic
def total(typing, x):
    """The sum of all eight."""

    def codegen(context, builder, signature, args):
        return _llvm(builder, "vector.reduce.fadd", ir.DoubleType(), [ir.Constant(ir.DoubleType(), 0.0), args[0]])

    return types.float64(eight), codegen


def _llvm(builder, name, result, args):
    """Call one of LLVM's own functions of a vector."""
    kind = ir.FunctionType(result, [a.type for a in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.{name}.v{LANES}f64"), args)


@intrinsic
def _choose(typing, x, a, b):
    def codegen(context, builder, signature, args):
        first, second = (
            given if ty == eight else splat(builder, given) for given, ty in zip(args[1:], signature.args[1:])
        )
        return builder.select(builder.fcmp_ordered(">", args[0], zero_vector), first, second)

    return eight(eight, *(ty if ty == eight else types.float64 for ty in (a, b))), codegen


def lane_version_of(function: Callable) -> Callable:
    """Decorator: compiled code uses the decorated version where the first argument is lanes."""

    def register(version: Callable) -> Callable:
        func_overload(function)(lambda *args: version if args[0] == eight else None)
        return version

    return register


@lane_version_of(sqrt)
def _sqrt(x):
    return _root(x)


@lane_version_of(absolute)
def _absolute(x):
    return _size(x)


@lane_version_of(value_of)
def _value_of(x):
    return _largest(x)


@lane_version_of(primal)
def _bare(x):
    return x


@lane_version_of(where_positive)
def _where_positive(x, a, b):
    return _choose(x, a, b)


@intrinsic
def lane(typing, x, i):
    """Number i of the eight."""

    def codegen(context, builder, signature, args):
        return builder.extract_element(args[0], builder.trunc(args[1], _index_type))

    return types.float64(eight, types.int64), codegen


@intrinsic
def with_lane(typing, x, i, number):
    """The same eight, but for `number` at i."""

    def codegen(context, builder, signature, args):
        return builder.insert_element(args[0], args[2], builder.trunc(args[1], _index_type))

    return eight(eight, types.int64, types.float64), codegen


@intrinsic
def _floor(typing, x):
    return eight(eight), lambda context, builder, signature, args: _llvm(builder, "floor", vector_type, args)


def _is_any(builder, found):
    """Whether a comparison holds in one lane or more."""
    return builder.icmp_unsigned("!=", builder.bitcast(found, ir.IntType(LANES)), ir.IntType(LANES)(0))


@intrinsic
def _all_zero(typing, x):
    def codegen(context, builder, signature, args):
        return builder.not_(_is_any(builder, builder.fcmp_unordered("!=", args[0], zero_vector)))

    return types.boolean(eight), codegen


@intrinsic
def _some(typing, x):
    def codegen(context, builder, signature, args):
        return _is_any(builder, builder.fcmp_ordered(">", args[0], zero_vector))

    return types.boolean(eight), codegen


@lane_version_of(some_positive)
def _some_positive(x):
    return _some(x)


lane_version_of(whole)(lambda x: _floor(x))
lane_version_of(sincos_unbranched)(sincos_unbranched)


@lane_version_of(sincos)
def _sincos(x):
    """As `scalars.sincos`, without branches but where all lanes are 0."""
    if _all_zero(x):
        return x, 1.0 + 0.0 * x
    return sincos_unbranched(x)


@intrinsic
def _power_of_two(typing, k):
    """2 to a whole number in [-1022, 1023]: its bits."""

    def codegen(context, builder, signature, args):
        whole = ir.VectorType(ir.IntType(64), LANES)
        bits = builder.fptosi(builder.fadd(args[0], splat(builder, ir.Constant(ir.DoubleType(), 1023.0))), whole)
        return builder.bitcast(builder.shl(bits, ir.Constant(whole, [52] * LANES)), vector_type)

    return eight(eight), codegen


@intrinsic
def _exponent(typing, x):
    """The whole number k with 2^k <= x < 2^(k + 1), of x above zero: from its bits."""

    def codegen(context, builder, signature, args):
        whole = ir.VectorType(ir.IntType(64), LANES)
        bits = builder.lshr(builder.bitcast(args[0], whole), ir.Constant(whole, [52] * LANES))
        return builder.sitofp(builder.sub(bits, ir.Constant(whole, [1023] * LANES)), vector_type)

    return eight(eight), codegen


@lane_version_of(exponential)
def _exponential(x):
    """2^k e^r with |r| <= ln(2) / 2, where Taylor's series of degree 13 is exact to rounding: right to 1e-16 |x|; 0
    below e^-700, and no more than e^700."""
    bound = minimum(maximum(x, -700.0 + 0.0 * x), 700.0 + 0.0 * x)
    k = _floor(bound * 1.4426950408889634 + 0.5)
    r = (bound - k * 0.6931471803691238) - k * 1.9082149292705877e-10
    series = 1.0 + r * (
        1.0
        + r
        * (
            1 / 2
            + r
            * (
                1 / 6
                + r
                * (
                    1 / 24
                    + r
                    * (
                        1 / 120
                        + r
                        * (
                            1 / 720
                            + r
                            * (
                                1 / 5040
                                + r
                                * (
                                    1 / 40320
                                    + r
                                    * (
                                        1 / 362880
                                        + r * (1 / 3628800 + r * (1 / 39916800 + r * (1 / 479001600 + r / 6227020800)))
                                    )
                                )
                            )
                        )
                    )
                )
            )
        )
    )
    return where_positive(x + 700.0, _power_of_two(k) * series, 0.0 * x)


@lane_version_of(logarithm)
def _logarithm(x):
    """k ln 2 + ln m with m between sqrt(1/2) and sqrt(2), by the series of 2 atanh((m - 1)/(m + 1)) to degree 21."""
    k = _exponent(x)
    m = x * _power_of_two(-k)
    large = m - 1.4142135623730951
    k, m = where_positive(large, k + 1.0, k), where_positive(large, 0.5 * m, m)
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    low = 1 / 9 + z * (1 / 11 + z * (1 / 13 + z * (1 / 15 + z * (1 / 17 + z * (1 / 19 + z / 21)))))
    series = z * (1 / 3 + z * (1 / 5 + z * (1 / 7 + z * low)))
    return k * 0.6931471803691238 + (2.0 * s + (2.0 * s * series + k * 1.9082149292705877e-10))


@lane_version_of(power_of)
def _raised(x, exponent):
    for i in range(LANES):
        x = with_lane(x, i, power_of(lane(x, i), exponent))
    return x


@lane_version_of(arctangent2)
def _arctangent2(y, x):
    for i in range(LANES):
        y = with_lane(y, i, arctangent2(lane(y, i), lane(x, i)))
    return y
