"""What a run asks of the machine: memory for its records, time, processes."""

from __future__ import annotations

import contextlib
import math
import os
import sys
import types
from collections.abc import Iterator
from pathlib import Path

from limbless.core.errors import InputError

LIVES = 2.5
"""Times over that a record (what the model kept, and the variables made of it) lies in memory at the
end of a run, as measured.
"""
LONG = 600.0
"""Seconds that a run may still take without a word about it."""
_CGROUP = Path("/sys/fs/cgroup")


def free_memory() -> float:
    """Bytes that this process may still take, as far as the system tells; infinite where it does not."""
    return min(_free_of_machine(), _free_of_group(), _free_of_process())


def _free_of_machine() -> float:
    with contextlib.suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024.0 * float(line.split()[1])
    with contextlib.suppress(OSError, ValueError, AttributeError):
        # nothing says how much of it is taken
        return 0.5 * float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    return math.inf


def _free_of_group() -> float:
    """What a container leaves; files that the system keeps in memory can go."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        limit = (_CGROUP / "memory.max").read_text().strip()
        if limit != "max":
            cached = dict(line.split() for line in (_CGROUP / "memory.stat").read_text().splitlines()).get(
                "inactive_file", "0"
            )
            return float(limit) - float((_CGROUP / "memory.current").read_text()) + float(cached)
    return math.inf


def _free_of_process() -> float:
    """What `ulimit -v` leaves."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            return float(limit) - float(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    return math.inf


def refuse_too_many_records(
    count: float, size: float, step: float, every: float, free: float | None = None, constant: float = 1.0
) -> None:
    """Refuse records that would not fit into memory.

    Parameters
    ----------
    count, size : number of records, and bytes of one.
    step, every : s, of the integration and between records.
    free : bytes that may be taken; what the system tells if absent.
    constant : records of `count` that are made whatever `every` is.
    """
    free = free_memory() if free is None else free
    needed = LIVES * count * size
    if needed <= free:
        return
    most = free / (LIVES * size) - constant
    fitting = math.ceil(every * (count - constant) / most / step * (1.0 + 1e-9)) * step if most >= 1.0 else math.inf
    remedy = (
        f"set record_every to {fitting:g} (s) or more, or shorten the duration"
        if math.isfinite(fitting)
        else f"even the {constant + 1.0:.3g} that every run keeps do not fit: free some memory, or take a smaller robot"
    )
    raise InputError(
        f"record_every: {count:.3g} records of {size / 1e3:.3g} kB need about {needed / 1e9:.3g} GB of memory, and "
        f"{free / 1e9:.3g} GB are free; {remedy}"
    )


def in_words(seconds: float) -> str:
    """A length of time as one says it."""
    for size, name in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if seconds >= 2.0 * size:
            return f"{seconds / size:.0f} {name}" if seconds >= 10.0 * size else f"{seconds / size:.1f} {name}"
    return f"{seconds:.0f} seconds"


@contextlib.contextmanager
def spawned(needs_main: bool = False) -> Iterator[None]:
    """Processes that are started inside share the machine: each has one thread for linear algebra. They do not import
    the script that is running, unless it has a function that they need: it then needs no guard.
    """
    main, names = sys.modules["__main__"], ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    if not needs_main:
        sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
