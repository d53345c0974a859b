"""Kernels are compiled when they are first used: who waits is told, once, with a bar where somebody looks."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_SAID = (
    "limbless compiles its kernels: this first run takes some seconds more (`limbless warmup` does it ahead, for "
    "all models)"
)


@contextmanager
def compile_notice() -> Iterator[None]:
    """Around the first call of a model's kernels: a line on standard error where nothing has been compiled yet."""
    from limbless.mechanics.compiled import kernel

    if not kernel.is_cache_empty():
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


@contextmanager
def on_compile(told: Callable[[], None]) -> Iterator[None]:
    """Call `told` whenever this thread compiles a kernel inside: what comes from the disk cache is not compiled."""
    from numba.core import event

    mine = threading.get_ident()

    class Ear(event.Listener):
        def on_start(self, event: Any) -> None:
            if threading.get_ident() == mine:
                told()

        def on_end(self, event: Any) -> None:
            pass

    with event.install_listener("numba:compile", Ear()):
        yield
