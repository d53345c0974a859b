"""Python collects no cycles while modules are imported and while kernels are compiled.

Nothing that is made then goes away, and there is much of it: looking through it all takes a sixth of an import and of a
compilation. The command line does without the collection as it leaves, too: half a second (after compiling a whole one)
for memory that the system takes back anyway.
"""

from __future__ import annotations

import gc
import io
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


def skip_last_collection() -> None:
    """The last thing that a program of ours does: files that somebody left open are written out, for the collection
    that would have closed them finds nothing more to do.
    """
    for item in gc.get_objects():
        if type(item) in _WRITTEN:
            with suppress(ValueError, OSError):  # it is closed, or its other end is
                item.flush()
    gc.freeze()
