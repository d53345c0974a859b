"""How Python hands a problem to a kernel: as one row of addresses and sizes.

numba takes an array out of a Python object by thirty instructions, each with its way out on failure; for a problem of
forty arrays that is a tenth of what its kernel costs to compile, and most of what a call of it costs. `pack(problem)`
writes the addresses and shapes down once, `lean` reads them (see there).

What is packed must stay where it is: write into its arrays, never put others into their places. A problem that runs
many times is packed once.
"""
from __future__ import annotations

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core.errors import TypingError
from numba.extending import NativeValue, models, register_model, typeof_impl, unbox


class PackedType(types.Type):
    """A packed problem, by the type of what was packed."""

    def __init__(self, inner: types.Type) -> None:
        self.inner, self.types = inner, (inner,)
        super().__init__(name=f"Packed({inner})")


@register_model(PackedType)
class _PackedModel(models.PrimitiveModel):
    def __init__(self, manager, numba_type):
        super().__init__(manager, numba_type, ir.IntType(64).as_pointer())


class Packed:
    """A problem with the row of words that stands for it: of an array its address and shape, of a number itself."""

    __slots__ = ("_numba_type_", "_words", "address", "problem")

    def __init__(self, problem: Any) -> None:
        words: list[int] = []
        self._numba_type_ = _type_of(_write(problem, words), problem)
        self.problem, self._words = problem, np.array(words, dtype=np.int64)         # kept: what addresses point at
        self.address = self._words.ctypes.data


_types: dict[Any, PackedType] = {}


def _type_of(kind: Any, problem: Any) -> PackedType:
    if kind not in _types:
        _types[kind] = PackedType(typeof_impl(problem, None))
    return _types[kind]


def _write(value: Any, words: list[int]) -> Any:
    """Add the words of a value; returns what its type depends on."""
    if isinstance(value, tuple):
        return type(value), tuple(_write(part, words) for part in value)
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypingError(f"kernels take C-ordered arrays; got one of strides {value.strides}")
        words.append(value.ctypes.data)
        words.extend(value.shape)
        return value.dtype, value.ndim, value.flags.writeable
    words.append(int(np.float64(value).view(np.int64)) if isinstance(value, float) else int(value))
    return type(value)


@unbox(PackedType)
def _unbox(typ, packed, c):
    number = c.pyapi.object_getattr_string(packed, "address")
    address = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    return NativeValue(c.builder.inttoptr(address, ir.IntType(64).as_pointer()))


def pack(problem: Any) -> Any:
    """A problem (named tuples of arrays and numbers) as a kernel takes it; as it is where nothing is compiled."""
    return problem if numba.config.DISABLE_JIT else Packed(problem)          # type: ignore[attr-defined]
