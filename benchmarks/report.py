"""docs/performance.md, written from what was just measured."""
from __future__ import annotations

import datetime
import platform
from importlib.metadata import version
from pathlib import Path

from benchmarks.rollouts import SHOWN, Curve, curve_table, draw
from benchmarks.table import Row, markdown

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "performance.md"
FIGURE = "images/work-precision.png"

TEXT = """# Performance

Written by `make bench` (`python -m benchmarks`), which measures on your machine. These numbers: {date}, {machine}; {versions}.

Times are thread CPU time, so that other work on the machine does not count. Competitors take turns in one process and the smallest of
many short chunks is kept; expect ±10 % between runs. Both engines must first give the same answer. Rows without a target are for
information.

{rows}

- The eel has a free head and 36 revolute joints, in threes without mass between them, in a random posture, dry. Pinocchio has it with
  its specialised joints about x, y and z; MuJoCo with three hinges per body.
- "From Python" is one call of a compiled function on plain arrays that were allocated once (`benchmarks/dynamics.py`, `evaluate`: the
  kernels `move` and `hybrid_dynamics` of `limbless.mechanics.chain`). `NewtonEuler.forward` and its sisters check their input and
  allocate their answer, and take about {public} µs.
- "rnea + 6x6 solve + rnea" has the 6x6 inertia of the whole body as a gift; with `pin.crba` to compute it, it takes {with_crba}.
- The targets of the first two start-up rows are a wish of the performance study that came before the code, not of any requirement.
- "Time loop" is gait sampling, stepping, divergence checks and recording, as seen by `progress`; what happens once (loading a scenario,
  packing arrays, making the result) is left out there and is in the rows that say "all of `ll.run`".

## Work and precision

Error of the head's position after {shown:g} s, against a run at a quarter of the smallest step, and speed of the time loop with a record
every second. The steps are of fourth order, down to errors of about 1e-10 m.

![error against real-time factor]({figure})

{curves}
"""


def machine() -> str:
    """Processor and system."""
    name = platform.processor() or platform.machine()
    listing = Path("/proc/cpuinfo")
    if listing.exists():
        named = [line.split(":", 1)[1].strip() for line in listing.read_text().splitlines() if line.startswith("model name")]
        name = f"{len(named)} x {named[0]}" if named else name
    return f"{name}, {platform.system()}"


def versions() -> str:
    """Of everything that takes part."""
    packages = ("numpy", "numba", "pin", "mujoco")
    return f"Python {platform.python_version()}, " + ", ".join(f"{name} {version(name)}" for name in packages)


def text(rows: list[Row], curves: list[Curve], public: float, with_crba: str) -> str:
    """The document."""
    return TEXT.format(date=datetime.date.today().isoformat(), machine=machine(), versions=versions(), rows=markdown(rows),
                       public=f"{public * 1e6:.0f}", with_crba=with_crba, shown=SHOWN, figure=FIGURE, curves=curve_table(curves))


def write(rows: list[Row], curves: list[Curve], public: float, with_crba: str) -> None:
    """The document and its figure."""
    draw(curves, DOCUMENT.parent / FIGURE)
    DOCUMENT.write_text(text(rows, curves, public, with_crba), encoding="utf-8")
