"""Kernels as plain Python, where coverage can see them and a mutant needs no compiler: `install()`, with
NUMBA_DISABLE_JIT=1.

NUMBA_DISABLE_JIT leaves out numba's compilation; what the kernels take from LLVM gets a Python twin here. Lanes are
NumPy arrays of eight numbers: their arithmetic is the same, so that the kernels that run on eight slices or instants at
once do so here as well.

Also a pytest plugin (`-p plain_kernels`): with LIMBLESS_PLAIN_SECONDS set, a test that takes longer than that is cut
off and skipped; what it reached until then counts.
"""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.extending import _Intrinsic

assert numba.config.DISABLE_JIT, "plain_kernels is of use with NUMBA_DISABLE_JIT=1 only"

_LAW = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double))
LIBRARY = Path(__file__).resolve().parents[2] / "src" / "limbless"
SECONDS = float(os.environ.get("LIMBLESS_PLAIN_SECONDS", 0.0))


def _call_pointer(address: int, buffer: np.ndarray) -> None:
    _LAW(int(address))(buffer.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))


class LaneArray:
    """What `unpack_lanes` makes of an array (.., 8): an array with one axis less. Eight numbers are copied out of it,
    as a number would be.
    """

    def __init__(self, array: np.ndarray) -> None:
        self.array, self.shape = array, array.shape[:-1]

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, index: Any) -> Any:
        part = self.array[index]
        return part.copy() if part.ndim == 1 else LaneArray(part)

    def __setitem__(self, index: Any, value: Any) -> None:
        self.array[index] = value


def _with_lane(x: np.ndarray, i: int, number: float) -> np.ndarray:
    changed = x.copy()
    changed[i] = number
    return changed


PLAIN: dict[str, Callable] = {
    "unpack": lambda value: value,
    "as_lane_array": LaneArray,
    "_floor": np.floor,
    "align_stack": lambda: None,
    "call_pointer": _call_pointer,
    "unpack_lanes": LaneArray,
    "total": lambda x: float(np.sum(x)),
    "lane": lambda x, i: float(x[i]),
    "with_lane": _with_lane,
    "_root": np.sqrt,
    "_size": np.abs,
    "_largest": lambda x: float(np.max(x)),
    "_some": lambda x: bool(np.any(x > 0.0)),
    "_choose": lambda x, a, b: np.where(x > 0.0, a, b),
}


def _plainly(self: _Intrinsic, *arguments: Any) -> Any:
    return PLAIN[self._name](*arguments)


def _by_scalar(of_numbers: Callable, of_lanes: Callable) -> Callable:
    """The choice that compiled code makes by type: the version for lanes where the first argument is eight numbers."""
    return lambda x, *more: of_lanes(x, *more) if isinstance(x, np.ndarray) and x.ndim else of_numbers(x, *more)


def install() -> None:
    """Before anything else of the library is imported: each module is changed before the
    next one takes names from it.
    """
    _Intrinsic.__call__ = _plainly
    lanes, scalars = (
        import_module("limbless.mechanics.compiled.lanes"),
        import_module("limbless.mechanics.compiled.scalars"),
    )
    for name in ("sqrt", "absolute", "value_of", "where_positive", "some_positive", "sincos"):
        setattr(scalars, name, _by_scalar(getattr(scalars, name), getattr(lanes, f"_{name}")))
    lie = import_module("limbless.mechanics.algebra.lie")
    lie.stumpff_closed = _by_scalar(lie.stumpff_closed, lie._stumpff_of_lanes)


def pytest_configure() -> None:
    install()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_setup() -> Iterator[None]:
    yield from _cut_off()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    yield from _cut_off()


def _cut_off() -> Iterator[None]:
    """Skip what takes too long line by line (0 s: no limit), from a line of the library: within coverage that would
    leave a lock behind.
    """

    def too_long(_: int, frame: Any) -> None:
        if LIBRARY in Path(frame.f_code.co_filename).parents:
            pytest.skip(f"takes more than {SECONDS} s in plain Python")
        signal.setitimer(signal.ITIMER_REAL, 0.001)

    signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0.0)
