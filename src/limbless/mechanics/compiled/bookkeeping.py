"""numba's bookkeeping, made cheap: a tenth of a kernel's compile time.

It asks for the variables of every instruction a dozen times, and finds them by asking everything in it five times what
it is; it tells five clocks whenever LLVM is called; and it sets sentences in bold that nobody will read: one for every
meaning of an operator that it tries in vain.

All three replace parts of numba and llvmlite that are not of their interfaces, under the same switch as `inlining`.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite.binding import ffi
from numba.core import config, errors, ir

_readers: dict[type, Callable] = {}
"""How the variables of a thing are found, by its class."""


def _none(thing: Any) -> list:
    return []


def _own(thing: Any) -> list:
    return thing.list_vars()


def _of_each(things: Any) -> list:
    return [variable for thing in things for variable in _variables(thing)]


def _reader(kind: type) -> Callable:
    if issubclass(kind, ir.Var):
        return lambda variable: [variable]
    if issubclass(kind, ir.Inst):
        return _own
    if issubclass(kind, list | tuple):
        return _of_each
    return (lambda things: _of_each(things.values())) if issubclass(kind, dict) else _none


def _variables(thing: Any) -> list:
    kind = thing.__class__
    read = _readers.get(kind)
    if read is None:
        read = _readers[kind] = _reader(kind)
    return read(thing)


def sort_by_class() -> bool:
    """Change numba, once. Returns whether it was possible; if not, kernels only take longer to compile."""
    if not hasattr(ir.Inst, "_rec_list_vars"):
        return False
    ir.Inst._rec_list_vars = lambda self, thing: _variables(thing)         # type: ignore[method-assign]
    return True


class _Unset:
    """Words as they are."""

    def __getattr__(self, style: str) -> Callable[[str], str]:
        return str


@contextmanager
def unwatched() -> Iterator[None]:
    """Inside, nobody is told of calls of LLVM, and error messages are not set in bold."""
    lock, style = ffi.lib._lock, errors._termcolor_inst
    told, lock._cblist = lock._cblist, []
    if config.COLOR_SCHEME == "no_color":
        errors._termcolor_inst = _Unset()
    try:
        yield
    finally:
        errors._termcolor_inst = style
        lock._cblist = told


def is_watched() -> bool:
    """Whether this numba and llvmlite have what `unwatched` switches off."""
    return hasattr(ffi.lib, "_lock") and hasattr(ffi.lib._lock, "_cblist") and hasattr(errors, "_termcolor_inst")
