"""Filling the compile cache before the first run: every model runs its smallest example once."""
from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed

from limbless import registry


def warm_all(report: Callable[[str], None]) -> float:
    """Compile the kernels of every model, one process per model and per scalar; returns the seconds it took.

    Numba compiles under a global lock: processes help where threads would not.
    """
    began = time.perf_counter()
    jobs = [(kind, part) for kind, settings in registry.kinds("model").items() for part in range(len(settings.warm_parts()))]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=min(len(jobs), multiprocessing.cpu_count()), mp_context=context) as pool:
        running = {pool.submit(warm, kind, part): (kind, part) for kind, part in jobs}
        for future in as_completed(running):
            report(f"{running[future][0]}: {future.result()}")
    return time.perf_counter() - began


def warm(kind: str, part: int) -> str:
    """Run one part of a model's warm-up; returns what it was."""
    name, function = registry.find("model", kind).warm_parts()[part]
    function()
    return name
