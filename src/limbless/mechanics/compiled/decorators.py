"""What kernels need from numba, in one place: decorators and the compile cache.

`func` is for the small functions that equations are made of. They remain plain Python functions (tests call
them with floats), are compiled without a Python entry point (half the compile time) and are always inlined by
LLVM (a dual number would otherwise pass its tuples through memory). `array_kernel` is for passes over bodies
and for the functions that Python calls.

Numbers that select a column are NumPy integers: numba would compile an inlined function once more for every Python
integer. Full fast math assumes that nothing is NaN or infinite, so no kernel can test for it: divergence is checked in
`simulate`.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import caching, cgutils, event
from numba.extending import intrinsic, overload, register_jitable
from numpy.typing import NDArray
from platformdirs import user_cache_dir

from limbless.core import __version__
from limbless.mechanics.compiled.none_pruning import PlainPipeline
from limbless.mechanics.compiled.numba_patches import (
    PATCHED,
    KernelPipeline,
    OtherCode,
    note_code,
    note_kernel,
    patched_numba,
)

_log = logging.getLogger("limbless")
_OURS: Any = {"pipeline_class": KernelPipeline if PATCHED else PlainPipeline}

# `forceinline` is said, because a kernel would take it over from an inlined function that calls it: it would then stand
# a second and a third time in its entries
FAST: Any = {"fastmath": True, "error_model": "numpy", "forceinline": False, "no_cfunc_wrapper": True, **_OURS}
INLINE: Any = {**FAST, "forceinline": True, "no_cpython_wrapper": True}
func = register_jitable(**INLINE)
func_overload = partial(overload, jit_options=INLINE, strict=False)
"""Decorator: chooses, by the types of its arguments, what a function is in kernels."""


def _cache_directory() -> Path:
    """A directory named by the version and by a hash of every kernel source.

    Numba stamps a cached kernel with its own file only: an edited function in another file would go unnoticed.
    """
    root = Path(__file__).parents[2]
    stamp = hashlib.sha256(numba.__version__.encode())
    for room in ("mechanics", "control/gaits"):
        for file in sorted((root / room).rglob("*.py")):
            stamp.update(file.read_bytes())
    home = os.environ.get("LIMBLESS_CACHE_DIR") or user_cache_dir("limbless", appauthor=False)
    return Path(home) / f"kernels-{__version__}-{stamp.hexdigest()[:16]}"


CACHE_DIRECTORY = _cache_directory()


def _writable(directory: Path) -> bool:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    with contextlib.suppress(OSError):
        os.utime(directory)  # used now: what nobody uses any more is let go one day
    return os.access(directory, os.W_OK)


_keeps = _writable(CACHE_DIRECTORY)
KEPT = 30 * 24 * 3600.0
"""s: compiled code of other sources that nobody has used for as long is let go."""


def prune_cache(unused: float = KEPT) -> list[Path]:
    """Remove compiled code of other versions that has not been used for so many seconds; returns the folders."""
    now = time.time()
    old = [
        path
        for path in CACHE_DIRECTORY.parent.glob("kernels-*")
        if path != CACHE_DIRECTORY and path.is_dir() and now - path.stat().st_mtime > unused
    ]
    for path in old:
        shutil.rmtree(path, ignore_errors=True)
    return old


def array_kernel(function: Callable) -> Any:
    """Compile on first call, and keep the result on disk in `CACHE_DIRECTORY` (a read-only
    home compiles every time).
    """
    return _compiled(function, FAST)


def kernel(function: Callable) -> Any:
    """A kernel that counts no references: taking an array out of a named tuple is then free (it costs two locked
    additions otherwise).

    It may not allocate, nor return an array: the caller owns all memory. Other threads of Python go on while it runs.
    """
    return _compiled(function, {**FAST, "_nrt": False, "nogil": True})


def noinline_func(function: Callable) -> Any:
    """A `kernel` that only kernels call: it is compiled without a way in for Python (a tenth of a kernel's time)."""
    return _compiled(function, {**FAST, "_nrt": False, "no_cpython_wrapper": True})


def strict_kernel(function: Callable) -> Any:
    """A kernel without fast math, in which a comparison with NaN is false: for checks."""
    return _compiled(function, {"error_model": "numpy", **_OURS})


def is_foreign(ty: Any) -> bool:
    """Whether a type is made of classes from outside this package: a joint, a force or a problem of a user."""
    own = getattr(ty, "instance_class", None) or getattr(ty, "table", None)
    if own is not None and not own.__module__.startswith("limbless."):
        return True
    parts = ty if isinstance(ty, tuple) else getattr(ty, "types", ())
    return any(is_foreign(part) for part in parts)


class _Locator(caching._SourceFileBackedLocatorMixin, caching._CacheLocator):
    """Finds the files of a kernel in `CACHE_DIRECTORY`: a user's own functions stay where the user wants them."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        self._py_file, self._lineno = py_file, py_func.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return str(CACHE_DIRECTORY / self.get_suitable_cache_subpath(self._py_file))


class _Files(caching.CompileResultCacheImpl):
    _locator_classes = (_Locator,)  # type: ignore[assignment]


_tell_once = cache(_log.warning)


class _OwnCache(caching.FunctionCache):
    """Keeps on disk what is compiled from this package alone: only its sources are in the name of the directory, so
    that an edited file of a user would go unnoticed, and other programs could not read what names its classes.
    """

    _impl_class = _Files

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        if is_foreign(sig):
            return None
        try:
            return super().load_overload(sig, target_context)
        except OtherCode:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        if is_foreign(sig):
            return
        try:
            super().save_overload(sig, data)
        except OSError as error:  # a full disk: the run does without
            _tell_once(f"{CACHE_DIRECTORY}: compiled code is not kept, and made again next time ({error.strerror})")


def _add_overload(dispatcher: Any, result: Any) -> None:
    note_code(dispatcher, result)
    type(dispatcher).add_overload(dispatcher, result)


class _Spent(threading.local):
    """Seconds that a thread has waited for kernels, compiled or read from disk; one inside another is part of it."""

    seconds = 0.0
    inside = False


_spent = _Spent()


def compile_seconds() -> float:
    """How long this thread has waited for kernels so far, s: a clock of runs leaves it out."""
    return _spent.seconds


def _compile_patched(dispatcher: Any, *given: Any) -> Any:
    outermost, began = not _spent.inside, time.perf_counter()
    _spent.inside = True
    try:
        with patched_numba():
            return type(dispatcher).compile(dispatcher, *given)
    finally:
        if outermost:
            _spent.inside = False
            _spent.seconds += time.perf_counter() - began


def _insert_nothing(*given: Any, **named: Any) -> None:
    """A pass has no entry for numba's table of what Python may call."""


def _refuse_python(dispatcher: Any, *given: Any, **named: Any) -> None:
    raise TypeError(
        f"{dispatcher.py_func.__name__} is a pass of a kernel (`noinline_func`): Python has no way into it; "
        "call the kernel, or make it a `kernel`"
    )


def _compiled(function: Callable, options: Any) -> Any:
    note_kernel(function)
    made = njit(**options)(function)
    if numba.config.DISABLE_JIT:
        return made
    if _keeps and Path(function.__code__.co_filename).is_file():
        made._cache = _OwnCache(function)
    made.compile = partial(_compile_patched, made)
    if options.get("no_cpython_wrapper"):
        made._compile_for_args = partial(_refuse_python, made)
        made._insert = _insert_nothing
    if PATCHED:
        made.add_overload = partial(_add_overload, made)
    return made


def kernel_array(values: Any) -> NDArray[np.float64]:
    """Values as the array that kernels take: float64, C-ordered and writable; a copy only where it is not.

    A kernel is compiled once more for an array of another kind, and what it rounds then depends on which version came
    first.
    """
    if type(values) is np.ndarray and values.dtype == np.float64 and values.flags.carray:  # nearly always
        return values
    return np.require(values, np.float64, ["C", "W"])


def is_cache_empty() -> bool:
    """Whether nothing has been compiled yet for these sources: the first run then takes some seconds more."""
    return not any(CACHE_DIRECTORY.rglob("*.nbi"))


@contextlib.contextmanager
def on_compile(told: Callable[[], None]) -> Iterator[None]:
    """Call `told` whenever this thread compiles a kernel inside: what comes from the disk cache is not compiled."""
    mine = threading.get_ident()

    class Ear(event.Listener):
        def on_start(self, event: Any) -> None:
            if threading.get_ident() == mine:
                told()

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Ear()):
        yield


_cache_line = ir.VectorType(ir.DoubleType(), 8)


@intrinsic
def align_stack(typing):
    """Align the stack of the calling kernel to 64 bytes: wide scalars that do not fit in registers then stay within one
    cache line.

    LLVM aligns the stack only if a function holds an aligned local variable: this makes one, and an empty instruction
    to keep it.
    """

    def codegen(context, builder, signature, args):
        local = cgutils.alloca_once(builder, _cache_line)
        local.align = 64
        builder.asm(ir.FunctionType(ir.VoidType(), [local.type]), "", "r", [local], True)
        return context.get_dummy_value()

    return types.void(), codegen
