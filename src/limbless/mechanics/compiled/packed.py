"""How Python hands a problem to a kernel: as one row of addresses and sizes.

numba takes an array out of a Python object by thirty instructions, each with its way out on failure; for a problem of
forty arrays that is a tenth of what its kernel costs to compile, and most of what a call of it costs. `pack(problem)`
writes the addresses and shapes down once, `unpack` reads them (see there).

What is packed must stay where it is: write into its arrays, never put others into their places. A problem that runs
many times is packed once; one of which some parts are others from block to block is given what was packed before: the
parts that it still has are not written down again.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import NativeValue, models, typeof_impl, unbox

from limbless.mechanics.compiled import lay_out


class PackedType(types.Type):
    """A packed problem, by the type of what was packed."""

    def __init__(self, inner: types.Type) -> None:
        self.inner, self.types = inner, (inner,)
        super().__init__(name=f"Packed({inner})")


lay_out(PackedType, models.PrimitiveModel, lambda ty: ir.IntType(64).as_pointer())


class Packed:
    """A problem with the row of words that stands for it: of an array its address and shape, of a number itself,
    of None nothing."""

    __slots__ = ("_numba_type_", "_words", "address", "parts", "problem")

    def __init__(self, problem: Any, before: Packed | None = None) -> None:
        self.parts: dict[int, _Written] = {}  # by their identity
        whole = _write(problem, before.parts if before else {}, self.parts)
        self._numba_type_ = _type_of(whole.kind, problem)
        self.problem, self._words = problem, np.array(whole.words, dtype=np.int64)  # kept: what addresses point at
        self.address = self._words.ctypes.data


class _Written(NamedTuple):
    """A part of a problem."""

    value: Any
    words: list[int]
    kind: Any  # what its type depends on


_types: dict[Any, PackedType] = {}


def _type_of(kind: Any, problem: Any) -> PackedType:
    if kind not in _types:
        _types[kind] = PackedType(typeof_impl(problem, None))
    return _types[kind]


def _write(value: Any, before: dict[int, _Written], parts: dict[int, _Written]) -> _Written:
    """Write a value down, and all its parts; those that were written `before` are taken from there."""
    found = before.get(id(value))
    if found is None or found.value is not value:
        if isinstance(value, tuple):
            own = [_write(part, before, parts) for part in value]
            found = _Written(
                value, [word for part in own for word in part.words], (type(value), tuple(part.kind for part in own))
            )
        elif isinstance(value, np.ndarray):
            found = _write_array(value)
        elif value is None:
            found = _Written(value, [], type(value))
        else:
            word = int(np.float64(value).view(np.int64)) if isinstance(value, float) else int(value)
            found = _Written(value, [word], type(value))
    parts[id(value)] = found
    return found


def _write_array(value: Any) -> _Written:
    flags = value.flags
    if not flags.c_contiguous:
        raise TypingError(f"kernels take C-ordered arrays; got one of strides {value.strides}")
    return _Written(value, [value.ctypes.data, *value.shape], (value.dtype, value.ndim, flags.writeable))


@unbox(PackedType)
def _unbox(typ, packed, c):
    number = c.pyapi.object_getattr_string(packed, "address")
    address = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    return NativeValue(c.builder.inttoptr(address, ir.IntType(64).as_pointer()))


def pack(problem: Any, before: Any = None) -> Any:
    """A problem (named tuples of arrays and numbers, `None` for what it does not have) as a kernel takes it; as it is
    where nothing is compiled.

    `before`: what `pack` gave for a problem that has some parts of this one.
    """
    return problem if numba.config.DISABLE_JIT else Packed(problem, before)  # type: ignore[attr-defined]
