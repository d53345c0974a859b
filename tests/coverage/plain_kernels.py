"""pytest plugin (`-p plain_kernels`) for measuring coverage: kernels run as plain Python, where coverage can see them.

NUMBA_DISABLE_JIT leaves out numba's compilation; what the kernels take from LLVM gets a Python twin here.
"""
from __future__ import annotations

import ctypes
from typing import Any

import numba
import numpy as np
from numba.core.extending import _Intrinsic

from limbless.mechanics import kernel

assert numba.config.DISABLE_JIT, "plain_kernels is of use with NUMBA_DISABLE_JIT=1 only"

_LAW = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double))


def _call_slot(address: int, buffer: np.ndarray) -> None:
    _LAW(int(address))(buffer.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))


PLAIN = {"align_stack": lambda: None, "call_slot": _call_slot}


def _plainly(self: _Intrinsic, *arguments: Any) -> Any:
    return PLAIN[self._name](*arguments)


def _with_operators(cls: type, original: Any = kernel.with_operators) -> type:
    cls.__array_ufunc__ = None                            # a NumPy number times a vector is then the vector's business, as in numba
    return original(cls)


_Intrinsic.__call__ = _plainly
kernel.with_operators = _with_operators
