"""A kernel with its argument laid down once, and called through an address from then on.

A call of a kernel from Python takes every array of a problem out of its named tuples anew: some forty arrays, ten
microseconds, more than a small robot's step takes. Here a kernel of one argument gets it once; what numba made of it
stays in memory of its own (`room`), and a C function that reads it there is called by ctypes, in a quarter of a
microsecond.

    @lean_kernel
    def run(held): ...                                 # `held`: a tuple of lean arrays and problems
    lay_down = laying_down(run)

    @lean_kernel
    def lay_down_run(problem, x, room):
        return lay_down((lean(problem), lean(x)), lean(room))

    held = Held(lay_down_run, problem, x)              # compiles, and keeps all arrays alive
    held()                                             # run((problem, x)), again and again

What the kernel reads from arrays may change between two calls; the arrays themselves, and all numbers that stand in
named tuples, may not.
"""
from __future__ import annotations

import ctypes
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

_C_TYPE = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)     # it keeps the interpreter's lock, as numba's calls do
_WORD = ir.IntType(64)


def laying_down(kernel: Any) -> Any:
    """An intrinsic `lay_down(held, room)`: puts the argument of a kernel into a lean int64 array and returns the
    address of the C function `int64 run(void *room)`; where the room is too small, minus the words that it needs.
    """
    if numba.config.DISABLE_JIT:                                                      # type: ignore[attr-defined]
        return lambda held, room: 0

    @intrinsic
    def lay_down(typing, held, room):
        found = types.Dispatcher(kernel).get_call_type(typing, (held,), {})

        def codegen(context, builder, signature, args):
            code, layout = kernel.overloads[found.args], context.get_value_type(held)
            context.add_linking_libs([code.library])
            words = context.get_constant(types.int64, -(-context.get_abi_sizeof(layout) // 8))
            proxy = cgutils.create_struct_proxy(room)(context, builder, value=args[1])
            fits = builder.icmp_signed(">=", builder.extract_value(proxy.shape, 0), words)
            with builder.if_then(fits):
                kept = builder.store(args[0], builder.bitcast(proxy.data, layout.as_pointer()))
                kept.align = 8
            address = builder.ptrtoint(_c_function(context, builder.module, code, held, layout), _WORD)
            return builder.select(fits, address, builder.neg(words))

        return types.int64(held, room), codegen

    return lay_down


def _c_function(context: Any, module: Any, code: Any, held: Any, layout: Any) -> Any:
    """`int64 run(void *room)`, which calls a kernel with what lies in the room; kernels raise nothing."""
    kind = ir.FunctionType(_WORD, [ir.IntType(8).as_pointer()])
    function = ir.Function(module, kind, name=module.get_unique_name("held"))
    function.linkage = "internal"
    body = ir.IRBuilder(function.append_basic_block())
    value = body.load(body.bitcast(function.args[0], layout.as_pointer()))
    value.align = 8
    callee = context.declare_function(module, code.fndesc)
    _, answer = context.call_conv.call_function(body, callee, code.fndesc.restype, (held,), [value])
    body.ret(answer)
    return function


class Held:
    """A kernel that `lay_down(*arguments, room)` has laid down: calling it runs it, and gives the integer that it
    returns.

    Parameters
    ----------
    lay_down : kernel that lays down what it makes of its arguments.
    plain : the same in plain Python, for when nothing is compiled.
    """

    def __init__(self, lay_down: Any, plain: Any, *arguments: Any) -> None:
        self._alive = arguments
        if numba.config.DISABLE_JIT:                                                  # type: ignore[attr-defined]
            self._function, self._room = (lambda room: plain(arguments)), np.zeros(0, dtype=np.int64)
            self._place = 0
            return
        needed = -lay_down(*arguments, np.zeros(0, dtype=np.int64))
        self._room = np.zeros(needed, dtype=np.int64)
        self._function = _C_TYPE(lay_down(*arguments, self._room))
        self._place = self._room.ctypes.data

    def __call__(self) -> int:
        return self._function(self._place)
