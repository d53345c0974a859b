"""A user's function behind an address: compiled code calls it there, so that a law needs no recompilation of the loop.

The address belongs to a C function `void law(double *buffer)`: made by ctypes from a plain Python function (slow: a
Python call each time) or by `compiled_pointer` from one that numba compiles (fast). It reads its arguments from the
buffer and writes its answer there.
"""

from __future__ import annotations

import contextlib
import ctypes
import inspect
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import carray, cfunc, njit, types
from numba.core import cgutils
from numba.core.errors import NumbaError, TypingError
from numba.extending import intrinsic

_signature = types.void(types.CPointer(types.float64))
_c_function = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double))


@intrinsic
def call_pointer(typing, address, buffer):
    """Call the C function at `address` (int64) with a pointer to the float64 array `buffer`, flat or not."""

    def codegen(context, builder, signature, args):
        pointer = ir.DoubleType().as_pointer()
        function = builder.inttoptr(args[0], ir.FunctionType(ir.VoidType(), [pointer]).as_pointer())
        array = context.make_array(buffer) if isinstance(buffer, types.Array) else cgutils.create_struct_proxy(buffer)
        data = array(context, builder, value=args[1]).data  # of wide numbers, too, whose calls are refused before
        builder.call(function, [builder.bitcast(data, pointer)])
        return context.get_dummy_value()

    return types.void(types.int64, buffer), codegen


class PythonCallback:
    """A plain Python function behind an address. It gets the buffer as an array of `size` numbers.

    An exception cannot cross compiled code: it is kept in `error` with the `time` that the buffer held first, the
    answer becomes NaN, and the loop raises it after the block.
    """

    def __init__(self, function: Callable[[np.ndarray], None], size: int) -> None:
        self.error: BaseException | None = None
        self.time = 0.0

        seen: dict[int, np.ndarray] = {}  # to see the buffer as an array costs as much as a short function

        def law(pointer):
            place = ctypes.addressof(pointer.contents)
            if place not in seen:
                seen.clear()
                seen[place] = np.ctypeslib.as_array(pointer, shape=(size,))
            buffer = seen[place]
            try:
                if self.error is None:
                    function(buffer)
            except BaseException as error:
                # any failure of the user's code, and Ctrl-C: see the class docstring
                self.error, self.time = error, float(buffer[0])
            if self.error is not None:
                buffer[:] = np.nan

        self._keep_alive = _c_function(law)
        self.address = ctypes.cast(self._keep_alive, ctypes.c_void_p).value or 0


class CompiledCallback(PythonCallback):
    """The same with `answer(buffer)`, which numba has compiled and which does what the function does; what that cannot
    answer is asked of the function, so that an exception is the one that Python raises.
    """

    def __init__(self, function: Callable[[np.ndarray], None], size: int, answer: Callable) -> None:
        super().__init__(function, size)
        inner, plain = answer, self.address

        @cfunc(_signature)
        def law(pointer):
            buffer = carray(pointer, size)
            try:
                inner(buffer)
            except Exception:
                call_pointer(plain, buffer)

        self._compiled, self.address = law, law.address


def compiled_callback(
    function: Callable[[np.ndarray], None], size: int, asked: Callable | None, answer: Callable[[], Any]
) -> PythonCallback:
    """A function behind an address, compiled by `answer()`; as it is where `asked`, which it calls, takes from outside
    what may change, or does what numba does not know.
    """
    if not numba.config.DISABLE_JIT and is_frozen(asked):  # type: ignore[attr-defined]
        with contextlib.suppress(NumbaError):
            return CompiledCallback(function, size, answer())
    return PythonCallback(function, size)


def compiled_for(function: Callable, example: tuple[Any, ...]) -> tuple[Any, int]:
    """A function compiled for arguments of these kinds, and how many vectors it returns: one, or two in a tuple."""
    compiled, kinds = njit(function), tuple(map(numba.typeof, example))
    compiled.compile(kinds)
    found = compiled.overloads[kinds].signature.return_type
    parts = tuple(found) if isinstance(found, types.BaseTuple) else (found,)
    if len(parts) > 2 or any(not isinstance(part, types.Array) or part.ndim != 1 for part in parts):
        raise TypingError(f"neither a vector nor two; got {found}")
    return compiled, len(parts)


def is_frozen(function: Any) -> bool:
    """Whether a function takes from outside modules and numbers alone, and no chance: numba reads them once."""
    if not isinstance(function, FunctionType) or "random" in function.__code__.co_names:
        return False
    outside = inspect.getclosurevars(function)
    found = [*outside.nonlocals.values(), *outside.globals.values()]
    return all(isinstance(value, ModuleType | int | float) for value in found)


def compiled_pointer(answer: Callable, size: int, first: int, count: int) -> Any:
    """A C function with an `address`, from a function `answer(buffer)` of `size` numbers that numba compiles.

    No exception can leave compiled code: where it raises one, `count` numbers of the answer, from `first` on, are NaN.
    """
    inner, last = njit(answer), first + count

    @njit
    def guarded(buffer):
        try:
            inner(buffer)
        except Exception:
            buffer[first:last] = np.nan

    @cfunc(_signature)
    def law(pointer):
        guarded(carray(pointer, size))

    return law
