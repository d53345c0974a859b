"""Operators of named tuples, component by component: a + b, a - b, -a and k * a, for vectors, twists, inertias and
whatever holds them.

Compiled code gets them without compiling a function each: numba is told the type of the result, and the operation is
written down for every number that the tuples hold. (As functions they were a sixth of all that a kernel compiles.)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Self, dataclass_transform

from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_cast
from numba.core.typeconv import Conversion
from numba.core.typeconv.rules import default_type_manager
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin

from limbless.mechanics.compiled.decorators import func_overload

_added: set[type] = set()

if TYPE_CHECKING:

    @dataclass_transform(frozen_default=True)
    class Components:
        """A named tuple as type checkers are to see it: its operators are not those of tuples."""

        def __iter__(self) -> Iterator[Any]: ...
        def __getitem__(self, index: int) -> Any: ...
        def __add__(self, other: Self) -> Self: ...
        def __sub__(self, other: Self) -> Self: ...
        def __neg__(self) -> Self: ...
        def __rmul__(self, k: float) -> Self: ...
else:
    Components = NamedTuple


def with_operators(cls: Any) -> Any:
    """Class decorator: componentwise operators, and in compiled code the `@` that the class defines."""

    def product(a, b):
        return cls.__matmul__ if isinstance(a, types.BaseNamedTuple) and a.instance_class is cls else None

    if "__matmul__" in cls.__dict__:
        func_overload(operator.matmul)(product)
    return componentwise(cls)


def componentwise(cls: Any) -> Any:
    """Class decorator for a named tuple."""
    _added.add(cls)
    # a NumPy number times a vector is then the vector's business, as in compiled code
    cls.__array_ufunc__ = None
    cls.__add__ = lambda a, b: cls(*map(operator.add, a, b))
    cls.__sub__ = lambda a, b: cls(*map(operator.sub, a, b))
    cls.__neg__ = lambda a: cls(*map(operator.neg, a))
    cls.__rmul__ = lambda a, k: cls(*(k * part for part in a))
    return cls


def _is_ours(ty: Any) -> bool:
    return isinstance(ty, types.BaseNamedTuple) and ty.instance_class in _added


def _pairs(symbol: Any, args: Any) -> list | None:
    """The operands of every component, or None if this is not ours to do."""
    if symbol is operator.mul:
        return (
            [(args[0], part) for part in args[1].types]
            if _is_ours(args[1]) and not isinstance(args[0], types.BaseTuple)
            else None
        )
    if not _is_ours(args[0]) or any(getattr(ty, "instance_class", None) is not args[0].instance_class for ty in args):
        return None
    return list(zip(*(ty.types for ty in args), strict=True))


def _result(context: Any, symbol: Any, args: Any) -> Any:
    pairs = _pairs(symbol, args)
    if pairs is None:
        return None
    found = [context.resolve_function_type(symbol, pair, {}) for pair in pairs]
    owner = args[-1].instance_class
    return (
        None
        if any(sig is None for sig in found)
        else types.BaseTuple.from_types([sig.return_type for sig in found], owner)
    )


def _define(symbol: Any, count: int) -> None:
    @infer_global(symbol)
    class _Typing(AbstractTemplate):
        def generic(self, args, keywords):
            result = _result(self.context, symbol, args) if len(args) == count else None
            return None if result is None else signature(result, *args)

    def lower(context, builder, sig, args):
        count = len(sig.return_type.types)
        columns = [
            cgutils.unpack_tuple(builder, value) if isinstance(ty, types.BaseTuple) else [value] * count
            for ty, value in zip(sig.args, args, strict=True)
        ]
        items = []
        for pair, operands in zip(_pairs(symbol, sig.args), zip(*columns, strict=True), strict=True):
            part = context.typing_context.resolve_function_type(symbol, pair, {})
            given = [context.cast(builder, *each) for each in zip(operands, pair, part.args, strict=True)]
            items.append(context.get_function(symbol, part)(builder, given))
        return context.make_tuple(builder, sig.return_type, items)

    kinds = [types.Any, types.BaseNamedTuple] if symbol is operator.mul else [types.BaseNamedTuple] * count
    lower_builtin(symbol, *kinds)(lower)


for _operator in ((operator.add, 2), (operator.sub, 2), (operator.neg, 1), (operator.mul, 2)):
    _define(*_operator)


# --------------------------------------------------------------------------------------------- operators of our scalars


def _operand_types(scalar, args):
    """The types in which two operands are handed over, or None if they are not a scalar of ours with its
    like or with a real number.
    """
    if (
        len(args) != 2
        or scalar not in args
        or not all(a == scalar or isinstance(a, (types.Float, types.Integer)) for a in args)
    ):
        return None
    return [scalar if a == scalar else types.float64 for a in args]


def define_binary(scalar: types.Type, symbol: Callable, result: types.Type, lower: Callable) -> None:
    """Teach numba `scalar symbol scalar`, `scalar symbol number` and `number symbol scalar`."""

    @infer_global(symbol)
    class _Typing(AbstractTemplate):
        def generic(self, args, keywords):
            operands = _operand_types(scalar, args)
            return signature(result, *operands) if operands else None

    for operands in ((scalar, scalar), (scalar, types.float64), (types.float64, scalar)):
        lower_builtin(symbol, *operands)(lower)


def define_negative(scalar: types.Type, lower: Callable) -> None:
    """Teach numba `-scalar`."""

    @infer_global(operator.neg)
    class _Typing(AbstractTemplate):
        def generic(self, args, keywords):
            return signature(scalar, scalar) if args == (scalar,) else None

    lower_builtin(operator.neg, scalar)(lower)


def define_constants(scalar: types.Type, lower: Callable) -> None:
    """A plain number may stand where a scalar of ours is expected: `lower(context, builder,
    double)` makes one of it.
    """

    def constant(context, builder, source, target, number):
        return lower(context, builder, context.cast(builder, number, source, types.float64))

    for number in (types.float64, types.int64):
        default_type_manager.set_compatible(number, scalar, Conversion.safe)
        lower_cast(number, scalar)(constant)
    lower_cast(types.IntegerLiteral, scalar)(constant)
