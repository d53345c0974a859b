"""docs/benchmark.md, written from what was just measured."""

from __future__ import annotations

import datetime
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.table import Section, markdown
from limbless.core.files import wrapped, write_text

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "benchmark.md"
PACKAGES = ("numpy", "numba", "pin", "mujoco", "pyelastica")

TEXT = """# Benchmark

This page compares the speed of limbless with other engines and with real time. `limbless bench` writes it, with the
numbers of your machine. These numbers: {date}, {machine}; {versions}.

Times are thread CPU time, so that other work on the machine does not count. Competitors take turns in one process and
the smallest of many short chunks is kept; expect ±10 % between runs. Both engines must first give the same answer. Rows
without a target are for information. "Time loop" is gait sampling, stepping, divergence checks and recording, as seen
by `progress`; what happens once (loading a scenario, packing arrays, making the result) is left out there and is in the
rows that say "all of `ll.run`".

{verdict}
{missed}
"""
NEXT = """## Next steps

- [Validation](validation.md): whether the results are right.
- [Clusters](clusters.md): many runs on many machines.
- [Which model should I use?](choose.md): what each model costs."""


def machine() -> str:
    """Processor and system."""
    name = platform.processor() or platform.machine()
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        named = [
            line.split(":", 1)[1].strip() for line in listing.read_text().splitlines() if line.startswith("model name")
        ]
        name = f"{len(named)} x {named[0]}" if named else name
    return f"{name}, {platform.system()}"


def versions() -> str:
    """Of everything that takes part."""
    found = []
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"no {name}")
    return f"Python {platform.python_version()}, " + ", ".join(found)


def verdict(sections: list[Section]) -> str:
    """How many targets are met."""
    verdicts = [row.met for section in sections for row in section.rows if row.met is not None]
    return f"{sum(verdicts)} of {len(verdicts)} targets are met."


def missed(sections: list[Section]) -> str:
    """What falls short, each with its reason."""
    rows = [row for section in sections for row in section.rows if row.met is False]
    told = [
        f"- **{row.what}: {row.cells()[3]}, target {row.cells()[4]}.** {row.reason or 'The reason is not known yet.'}"
        for row in rows
    ]
    return "\n".join(["", "Not met, and why:", "", *told]) if told else ""


def text(sections: list[Section]) -> str:
    """The document."""
    head = TEXT.format(
        date=datetime.date.today().isoformat(),
        machine=machine(),
        versions=versions(),
        verdict=verdict(sections),
        missed=missed(sections),
    ).rstrip()
    parts = [f"## {section.title}\n\n{markdown(section.rows)}\n\n{section.text}".rstrip() for section in sections]
    return "\n\n".join([head, *parts, NEXT]) + "\n"


def write(sections: list[Section]) -> Path:
    """The document and its pictures."""
    for section in sections:
        for name, draw in section.pictures.items():
            draw(DOCUMENT.parent / name)
    return write_text(DOCUMENT, wrapped(text(sections)))
