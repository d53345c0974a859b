"""What `limbless bench` does."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import time
from collections.abc import Callable, Sequence

from benchmarks import report, timing
from benchmarks.table import Section, markdown
from limbless.core.errors import InputError, nearest

PARTS = (
    "dynamics",
    "rollouts",
    "searches",
    "water",
    "rods",
    "soft",
    "snakes",
    "surroundings",
    "geometric",
    "statics",
    "controllers",
    "growth",
    "memory",
    "startup",
)
"""Modules of this folder, in the order of the document."""
QUICK = 0.1
"""Share of the repetitions that a quick measurement makes."""


def bench(only: Sequence[str], quick: bool, tell: Callable[[str], object]) -> None:
    """Measure all parts or some, and print their tables; a whole measurement that is not quick is written to
    docs/benchmark.md.
    """
    parts = [name for name in PARTS if importlib.util.find_spec(f"benchmarks.{name}")]
    for name in only:
        if name not in parts:
            raise InputError(f"no part of the benchmark is called {name!r}; {nearest(name, parts)}")
    timing.effort = QUICK if quick else 1.0
    began, sections = time.perf_counter(), []
    for name in [part for part in parts if not only or part in only]:
        tell(f"{time.perf_counter() - began:5.0f} s  {name} ...")
        sections.append(measured(name))
        tell(f"\n## {sections[-1].title}\n\n{markdown(sections[-1].rows)}\n")
    tell(f"{time.perf_counter() - began:5.0f} s  done: {report.verdict(sections)}")
    if not only and not quick:
        tell(f"written: {report.write(sections).relative_to(report.ROOT)}")


def measured(name: str) -> Section:
    """One part."""
    module = importlib.import_module(f"benchmarks.{name}")
    section: Section = module.section() if hasattr(module, "section") else Section(module.rows())
    section.title = section.title or (inspect.getdoc(module) or name).partition("\n")[0].rstrip(".")
    return section
