"""Kernels are compiled when they are first used: who waits is told, once, with a bar where somebody looks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

_SAID = (
    "limbless compiles its kernels: this first run takes some seconds more (`limbless warmup` does it ahead, for "
    "all models)"
)


@contextmanager
def compile_notice() -> Iterator[None]:
    """Around the first call of a model's kernels: a line on standard error where nothing has been compiled yet."""
    from limbless.mechanics.compiled import decorators

    if not decorators.is_cache_empty():
        yield
        return
    print(_SAID, file=sys.stderr, flush=True)
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("compiling", markup=False), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        bar.add_task("compiling", total=None)
        yield
