"""Arrays as kernels want them: an address and a shape, nothing to count and nothing to stride over.

A NumPy array is nine numbers to numba (owner, parent, sizes, strides); a problem of thirty arrays is then 270 arguments
of every call, and most of what a kernel's compilation costs. `unpack(problem)`, once at the entry of a kernel, makes
three numbers of each.

The same call decides the scalar: `unpack_duals` and `unpack_lanes` find in *every* float64 array of the problem duals
(16 words, last axis) or lanes (8 words). So a parameter of the body or of the fluid is a dual as soon as its table is
one: no second code path. In plain Python these functions return what they are given.
"""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    infer,
    infer_getattr,
    infer_global,
    signature,
)
from numba.extending import intrinsic, lower_builtin, lower_getattr, models

from limbless.mechanics.compiled import LANES, WORDS, PackedType, dual8, eight, lay_out

ALIGNED = 8  # bytes: what NumPy promises for a float64; wide scalars are loaded without more


class FlatArray(types.Type):
    """A C-ordered array in a kernel: an address and a shape."""

    def __init__(self, dtype: types.Type, ndim: int) -> None:
        self.dtype, self.ndim = dtype, ndim
        super().__init__(name=f"Flat({dtype}, {ndim})")


lay_out(
    FlatArray,
    models.StructModel,
    lambda ty: [("data", types.CPointer(ty.dtype)), ("shape", types.UniTuple(types.intp, ty.ndim))],
)


def _flat_type(ty: Any, scalar: types.Type, words: int) -> types.Type:
    """What a tuple, an array or anything else becomes."""
    if isinstance(ty, types.BaseTuple):
        return types.BaseTuple.from_types(
            [_flat_type(item, scalar, words) for item in ty.types], getattr(ty, "instance_class", tuple)
        )
    if not isinstance(ty, types.Array):
        return ty
    if ty.layout != "C":
        raise TypingError(f"kernels take C-ordered arrays; got {ty}")
    return FlatArray(scalar, ty.ndim - 1) if words and ty.dtype == types.float64 else FlatArray(ty.dtype, ty.ndim)


def _part(context: Any, builder: Any, target: FlatArray, data: Any, source: Any, sizes: slice) -> Any:
    """A flat array of this type that begins at `data`, with some of the sizes of its source."""
    part = cgutils.create_struct_proxy(target)(context, builder)
    part.data = builder.bitcast(data, context.get_value_type(types.CPointer(target.dtype)))
    part.shape = cgutils.pack_array(builder, cgutils.unpack_tuple(builder, source.shape)[sizes])
    return part._getvalue()


def _flat_value(context: Any, builder: Any, ty: Any, target: Any, value: Any) -> Any:
    if isinstance(ty, types.BaseTuple):
        parts = zip(ty.types, target.types, cgutils.unpack_tuple(builder, value), strict=True)
        return context.make_tuple(builder, target, [_flat_value(context, builder, *each) for each in parts])
    if not isinstance(ty, types.Array):
        return value
    source = context.make_array(ty)(context, builder, value)
    return _part(context, builder, target, source.data, source, slice(target.ndim))


def _unpacking(name: str, scalar: types.Type, words: int) -> Any:
    def typed(typing, value):
        packed = isinstance(value, PackedType)
        source = value.inner if packed else value
        target = _flat_type(source, scalar, words)
        make = _unpacked_value if packed else _flat_value
        return target(value), lambda context, builder, sig, args: make(context, builder, source, target, args[0])

    typed.__name__ = typed.__qualname__ = name
    return intrinsic(typed)


def _unpacked_value(context: Any, builder: Any, ty: Any, target: Any, words: Any) -> Any:
    """What `Packed` wrote down, word by word in the same order."""
    places = iter(range(2**31))

    def read() -> Any:
        return builder.load(builder.gep(words, [ir.Constant(ir.IntType(64), next(places))]))

    def build(ty: Any, target: Any) -> Any:
        if isinstance(ty, types.BaseTuple):
            parts = [build(*each) for each in zip(ty.types, target.types, strict=True)]
            return context.make_tuple(builder, target, parts)
        if isinstance(ty, types.Array):
            flat_array = cgutils.create_struct_proxy(target)(context, builder)
            flat_array.data = builder.inttoptr(read(), context.get_value_type(types.CPointer(target.dtype)))
            flat_array.shape = cgutils.pack_array(builder, [read() for _ in range(ty.ndim)][: target.ndim])
            return flat_array._getvalue()
        if isinstance(ty, types.NoneType):
            return context.get_dummy_value()
        if isinstance(ty, types.Float):
            return builder.bitcast(read(), ir.DoubleType())
        return context.cast(builder, read(), types.int64, ty)

    return build(ty, target)


unpack = _unpacking("unpack", types.float64, 0)
unpack_duals = _unpacking("unpack_duals", dual8, WORDS)
unpack_lanes = _unpacking("unpack_lanes", eight, LANES)


@intrinsic
def as_lane_array(typing, array):
    """A flat array of numbers (.., 8) as one of lanes, one axis less."""
    target = FlatArray(eight, array.ndim - 1)

    def codegen(context, builder, sig, args):
        source = cgutils.create_struct_proxy(array)(context, builder, value=args[0])
        return _part(context, builder, target, source.data, source, slice(-1))

    return target(array), codegen


# ------------------------------------------------------------------------------------------------------------- indexing


def address(context: Any, builder: Any, ty: Any, value: Any, index: list) -> Any:
    """Where element `index` (or the part that begins there) of an array, flat or not, lies."""
    proxy = context.make_array(ty) if isinstance(ty, types.Array) else cgutils.create_struct_proxy(ty)
    source = proxy(context, builder, value=value)
    shape, zero = cgutils.unpack_tuple(builder, source.shape), ir.Constant(ir.IntType(64), 0)
    place = zero
    # `nsw` and `inbounds`, as numba's own arrays: LLVM then knows how addresses grow
    for axis in range(ty.ndim):
        at = index[axis] if axis < len(index) else zero
        place = builder.add(builder.mul(place, shape[axis], flags=["nsw"]), at, flags=["nsw"])
    return builder.gep(source.data, [place], inbounds=True)


def indices(context: Any, builder: Any, ty: Any, value: Any) -> list:
    """An index or a tuple of them as integers of 64 bits."""
    if isinstance(ty, types.BaseTuple):
        items = zip(ty.types, cgutils.unpack_tuple(builder, value), strict=True)
        return [context.cast(builder, item, kind, types.intp) for kind, item in items]
    return [context.cast(builder, value, ty, types.intp)]


def _is_index(ty: Any) -> bool:
    parts = ty.types if isinstance(ty, types.BaseTuple) else (ty,)
    return all(isinstance(part, types.Integer) for part in parts)


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    def generic(self, args, keywords):
        if not (isinstance(args[0], FlatArray) and _is_index(args[1])):
            return None
        left = args[0].ndim - (len(args[1].types) if isinstance(args[1], types.BaseTuple) else 1)
        return signature(FlatArray(args[0].dtype, left) if left else args[0].dtype, *args)


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    def generic(self, args, keywords):
        ours = isinstance(args[0], FlatArray) and _is_index(args[1])
        return signature(types.none, args[0], args[1], args[0].dtype) if ours else None


@infer
class _Fill(AbstractTemplate):
    """`array[:] = number`, or `= another` of the same shape."""

    key = "static_setitem"

    def generic(self, args, keywords):
        if not (isinstance(args[0], FlatArray) and args[1] == slice(None)):
            return None
        given = args[2] if args[2] == args[0] else args[0].dtype
        return signature(types.none, args[0], types.literal(args[1]), given)


@infer_global(len)
class _Length(AbstractTemplate):
    def generic(self, args, keywords):
        return signature(types.intp, args[0]) if isinstance(args[0], FlatArray) else None


@lower_builtin(operator.getitem, FlatArray, types.Any)
def _get(context, builder, sig, args):
    pointer = address(context, builder, sig.args[0], args[0], indices(context, builder, sig.args[1], args[1]))
    if not isinstance(sig.return_type, FlatArray):
        return context.unpack_value(builder, sig.return_type, pointer, align=ALIGNED)
    whole = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
    return _part(context, builder, sig.return_type, pointer, whole, slice(-sig.return_type.ndim, None))


@lower_builtin(operator.setitem, FlatArray, types.Any, types.Any)
def _set(context, builder, sig, args):
    pointer = address(context, builder, sig.args[0], args[0], indices(context, builder, sig.args[1], args[1]))
    context.pack_value(builder, sig.args[0].dtype, args[2], pointer, align=ALIGNED)


@lower_builtin("static_setitem", FlatArray, types.SliceLiteral, types.Any)
def _fill(context, builder, sig, args):
    ty, number = sig.args[0], args[2]
    whole = cgutils.create_struct_proxy(ty)(context, builder, value=args[0])
    with cgutils.for_range(builder, reduce(builder.mul, cgutils.unpack_tuple(builder, whole.shape))) as loop:
        if sig.args[2] == ty:
            source = cgutils.create_struct_proxy(ty)(context, builder, value=args[2]).data
            number = context.unpack_value(builder, ty.dtype, builder.gep(source, [loop.index]), align=ALIGNED)
        context.pack_value(builder, ty.dtype, number, builder.gep(whole.data, [loop.index]), align=ALIGNED)


@lower_builtin(len, FlatArray)
def _len(context, builder, sig, args):
    return builder.extract_value(cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0]).shape, 0)


@infer_getattr
class _Attributes(AttributeTemplate):
    key = FlatArray

    def resolve_shape(self, array):
        return types.UniTuple(types.intp, array.ndim)


@lower_getattr(FlatArray, "shape")
def _shape(context, builder, ty, value):
    return cgutils.create_struct_proxy(ty)(context, builder, value=value).shape
