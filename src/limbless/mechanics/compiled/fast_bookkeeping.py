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


def _nothing(thing: Any) -> list:
    return []


def _itself(variable: Any) -> list:
    return [variable]


def _of_each(things: Any) -> list:
    found = []
    for thing in things:
        read = _readers.get(thing.__class__) or _reader(thing.__class__)
        if read is not _nothing:
            found += read(thing)
    return found


def _of_values(things: Any) -> list:
    return _of_each(things.values())


def _reader(kind: type) -> Callable:
    """How variables of such things are found, remembered."""
    known = (
        (ir.Var, _itself),
        (ir.Inst, getattr(kind, "list_vars", None)),
        (list | tuple, _of_each),
        (dict, _of_values),
        (object, _nothing),
    )
    _readers[kind] = next(read for base, read in known if read is not None and issubclass(kind, base))
    return _readers[kind]


def variables(thing: Any) -> list:
    """All variables in a thing, in the order in which numba finds them."""
    return _of_each((thing,))


def sort_by_class() -> bool:
    """Change numba, once. Returns whether it was possible; if not, kernels only take longer to compile."""
    if not hasattr(ir.Inst, "_rec_list_vars"):
        return False
    ir.Inst._rec_list_vars = lambda self, thing: variables(thing)  # type: ignore[method-assign]
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
