"""How time is taken: competitors in turns, smallest chunk of thread CPU time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

Repeated = Callable[[int], object]
"""f(times): do the work that many times."""


effort = 1.0
"""Share of the usual repetitions: below 1 for a measurement in a hurry."""


def rounds(usual: int) -> int:
    """How often to repeat what is usually repeated that often."""
    return max(1, round(effort * usual))


def each(call: Callable[[], object]) -> Repeated:
    """A Python call, repeated by a Python loop."""

    def repeat(times: int) -> None:
        for _ in range(times):
            call()

    return repeat


def chunk_time(repeated: Repeated, times: int) -> float:
    """Thread CPU time of a chunk, s."""
    start = time.thread_time()
    repeated(times)
    return time.thread_time() - start


def chunk_size(repeated: Repeated, duration: float) -> int:
    """How often the work fits into a chunk of that duration (s)."""
    repeated(1)
    times, spent = 1, chunk_time(repeated, 1)
    while spent < 0.2 * duration:
        times *= 2
        spent = chunk_time(repeated, times)
    return max(1, round(times * duration / spent))


def race(competitors: Mapping[str, Repeated], chunks: int = 150, duration: float = 1e-3) -> dict[str, float]:
    """Smallest time per repetition (s) of each competitor, all taking turns."""
    times = {name: chunk_size(repeated, duration) for name, repeated in competitors.items()}
    best = dict.fromkeys(competitors, float("inf"))
    for _ in range(rounds(chunks)):
        for name, repeated in competitors.items():
            best[name] = min(best[name], chunk_time(repeated, times[name]) / times[name])
    return best
