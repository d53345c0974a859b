"""Python collects no cycles while modules are imported, while kernels are compiled, and when it leaves.

Nothing that is made then goes away, and there is much of it: looking through it all takes a sixth of an import and of a
compilation, and half a second (after compiling a whole one) at the end of every program, for memory that the system
takes back anyway.
"""

from __future__ import annotations

import atexit
import gc
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_WRITTEN = {io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom}


@contextmanager
def gc_paused() -> Iterator[None]:
    """No collection of cycles inside; one that was switched off before stays off."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


@atexit.register
def skip_last_collection() -> None:
    """The last thing before the interpreter ends: files that somebody left open are written out, for the collection
    that would have closed them finds nothing more to do.
    """
    if "numba" not in sys.modules:
        return
    for item in gc.get_objects():
        if type(item) in _WRITTEN:
            with suppress(ValueError, OSError):  # it is closed, or its other end is
                item.flush()
    gc.freeze()
