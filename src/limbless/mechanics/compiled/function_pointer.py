"""A function slot: compiled code calls back through an address, so that a user's law needs no recompilation of the
loop.

The address belongs to a C function `void law(double *buffer)`: made by ctypes from a plain Python function (slow: a
Python call each time) or by `numba.cfunc` from a compiled one (fast). It reads its arguments from the buffer and writes
its answer there.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

slot_signature = types.void(types.CPointer(types.float64))
_c_function = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double))


@intrinsic
def call_pointer(typing, address, buffer):
    """Call the C function at `address` (int64) with a pointer to the float64 array `buffer`, lean or not."""

    def codegen(context, builder, signature, args):
        pointer = ir.DoubleType().as_pointer()
        function = builder.inttoptr(args[0], ir.FunctionType(ir.VoidType(), [pointer]).as_pointer())
        array = context.make_array(buffer) if isinstance(buffer, types.Array) else cgutils.create_struct_proxy(buffer)
        builder.call(function, [array(context, builder, value=args[1]).data])
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

        def law(pointer):
            buffer = np.ctypeslib.as_array(pointer, shape=(size,))
            try:
                if self.error is None:
                    function(buffer)
            except BaseException as error:  # any failure of the user's code, and Ctrl-C: see the class
                # docstring
                self.error, self.time = error, float(buffer[0])
            if self.error is not None:
                buffer[:] = np.nan

        self._keep_alive = _c_function(law)
        self.address = ctypes.cast(self._keep_alive, ctypes.c_void_p).value or 0
