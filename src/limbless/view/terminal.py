"""What the commands print: lists of kinds, fields of a description, the progress of a run, its summary.

Nothing is printed through rich's markup, which would swallow units such as [rad/s].
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from limbless.core import (
    PAPERS,
    Description,
    InputError,
    fields,
    functions_in,
    in_words,
    nearest,
    printable,
    registry,
    text_of,
)
from limbless.interop.robots.robot_file import is_robot_file, read_robot
from limbless.scenarios import document, loader
from limbless.scenarios.scenario import Scenario
from limbless.search import measures
from limbless.simulation.analysis import statics_work
from limbless.simulation.analysis.balances import PROVES
from limbless.simulation.analysis.motor_load import CURVE
from limbless.simulation.comparison import NUMBERS

if TYPE_CHECKING:
    from limbless.search.sweeps.sweep import SweepProgress
    from limbless.simulation.result import Result

FAMILIES = {
    "robots": "robot",
    "presets": "preset",
    "gaits": "gait",
    "environments": "environment",
    "flows": "flow",
    "actuations": "actuation",
    "controllers": "controller",
    "models": "model",
}
"""Headings of `limbless list`, and the family of the registry that each shows."""
_WIDE = 160
"""Columns where the output is a file or a pipe: wide enough that no cell is broken."""

_NUMBERS = NUMBERS[2:]
"""Numbers of the summary that the table after a run shows: key, label, unit; its times have a line of their own."""

Callback = Callable[[float, float, float], None]


def console(stderr: bool = False) -> Console:
    terminal = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    wide = Console(stderr=stderr, highlight=False, markup=False, emoji=False, width=_WIDE)
    return terminal if terminal.is_terminal else wide


def table(rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> Table:
    """Rows of plain text in aligned columns."""
    made = Table(box=box.SIMPLE_HEAD if heads else None, show_header=bool(heads), pad_edge=False, padding=(0, 2, 0, 0))
    rows = list(rows)
    for number in range(max([len(heads), *(len(row) for row in rows)])):
        made.add_column(Text(printable(heads[number]) if heads else ""), overflow="fold", no_wrap=number == 0)
    for row in rows:
        made.add_row(*(Text(printable(cell)) for cell in row))
    return made


def first_line(cls: type) -> str:
    """What a class says of itself first: the first sentence of its docstring, on however many lines."""
    paragraph = " ".join((inspect.getdoc(cls) or "").partition("\n\n")[0].split())
    ends = re.search(r"(?<!\.)\.(?= [A-Z`]|$)", paragraph)
    return paragraph[: ends.end()] if ends else paragraph


def listing(only: str | None = None) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """(heading, [(name, one line)]) of everything there is, or of one heading."""
    headings = ["scenarios", *FAMILIES, "measures"]
    if only is not None and only not in headings:
        raise InputError(f"unknown list {only!r}; {nearest(only, headings)}")
    for heading in headings if only is None else [only]:
        if heading == "scenarios":
            yield heading, [(name, title_of(name)) for name in loader.names()]
        elif heading == "measures":
            yield heading, [(name, f"{item.meaning} [{item.unit}]") for name, item in measures.known().items()]
        else:
            yield heading, [(kind, first_line(cls)) for kind, cls in registry.kinds(FAMILIES[heading]).items()]


def title_of(name: str) -> str:
    """The title of a built-in scenario, read without checking the rest."""
    return str(document.read_file(loader.path_of(name)).data.get("title", ""))


def describe(name: str, out: Console) -> None:
    """A scenario (its file, its paper) or every description of that kind (its fields)."""
    found = [
        (heading, kinds[name])
        for heading, kinds in ((family, registry.kinds(family)) for family in FAMILIES.values())
        if name in kinds
    ]
    if name == "scenario":
        found = [("file format", Scenario)]
    for family, cls in found:
        _describe_class(f"{name} ({family})", cls, out)
    if found:
        return
    names = {*loader.names(), *(kind for family in FAMILIES.values() for kind in registry.kinds(family))}
    if is_robot_file(name) and name not in names:
        out.print(Text(printable(read_robot(name))), soft_wrap=True)
        out.print()
    elif name not in names and Path(name).suffix not in (".yaml", ".yml"):
        raise InputError(f"nothing is called {name!r}; {nearest(name, names, 'list')}")
    _describe_scenario(Scenario.load(name), out)


def _describe_scenario(scenario: Scenario, out: Console) -> None:
    out.print(Text(printable(f"{scenario.name}: {scenario.title or 'no title'}"), style="bold"))
    if scenario.paper:
        out.print(
            Text(PAPERS[scenario.paper].text() if scenario.paper in PAPERS else printable(f"paper: {scenario.paper}"))
        )
    code = functions_in(scenario)
    if code:
        told = ", ".join(f"{path} is {text_of(function)}" for path, function in code.items())
        out.print(Text(printable(f"Running it executes Python code: {told}; `limbless run` asks for --allow-code.")))
    out.print(Text("\nThe complete file; any field can be changed with --set path=value:\n"))
    out.print(Text(printable(scenario.to_yaml().rstrip())), soft_wrap=True)
    parts = (scenario.robot, scenario.gait, *scenario.environment, scenario.actuation, *scenario.loops, scenario.model)
    kinds = [getattr(part, "preset", part.kind) for part in parts]
    out.print(Text(f"\nWhat the fields mean: limbless describe scenario, {', '.join(dict.fromkeys(kinds))}"))


def _describe_class(heading: str, cls: type[Description], out: Console) -> None:
    nested = [(part, part.__name__, first_line(part)) for part in fields.nested(cls)]
    for part, name, words in [(cls, heading, inspect.getdoc(cls) or ""), *nested]:
        out.print(Text(name, style="bold"))
        out.print(Text(words))
        out.print(table(fields.rows(part), ("field", "type", "unit", "default", "meaning")))


@contextmanager
def progress_bar(name: str, duration: float, quiet: bool) -> Iterator[Callback | None]:
    """A bar on the terminal (standard error), moved by `callback(fraction, simulated time, real-time
    factor)`; none elsewhere.
    """
    with _bar(name, quiet) as move:
        if move is None:
            yield None
            return

        def callback(fraction: float, time: float, factor: float) -> None:
            # statics and movies have no such factor
            told = f"{time:.4g} of {duration:g} s, {factor:.3g} x real time" if factor else ""
            move(fraction, told)

        yield callback


@contextmanager
def _bar(name: str, quiet: bool) -> Iterator[Callable[[float, str], None] | None]:
    """A bar on the terminal, moved by (fraction, words)."""
    err = console(stderr=True)
    if quiet or not err.is_terminal:
        yield None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %", markup=False),
        TextColumn("{task.fields[told]}", markup=False),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task(printable(name), total=1.0, told="")
        yield lambda fraction, told: bar.update(task, completed=fraction, told=told)


@contextmanager
def sweep_bar(name: str, quiet: bool) -> Iterator[Callable[[SweepProgress], None] | None]:
    """A bar for many runs: how many, how fast, how long still, how many failed."""
    with _bar(name, quiet) as move:
        yield None if move is None else lambda now: move(now.done / max(now.total, 1), sweep_words(now))


def sweep_words(now: SweepProgress) -> str:
    """How far a sweep is, in words."""
    left = f", {in_words(now.left)} left" if math.isfinite(now.left) and now.done < now.total else ""
    failed = f", {now.failed} failed" if now.failed else ""
    return f"{now.done} of {now.total} runs, {now.rate:.3g} per second{left}{failed}"


def summary_rows(summary: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The short table after a run; what the run has no number for is left out."""
    get, error = summary.get, summary.get("numerical_error") or {}
    errors = error.get("total", {})
    took = (
        f" in {get('wall_time'):.3g} s ({get('realtime_factor'):.3g} x real time)"
        if get("wall_time") and get("realtime_factor")
        else ""
    )
    rows = [
        ("status", str(get("status"))),
        ("proven", PROVES if get("proven") and get("balances") else ""),
        ("simulated", f"{get('duration'):g} s{took}" if get("duration") is not None else ""),
    ]
    if "statics" in summary:
        rows += [
            ("solved in", f"{get('wall_time'):.3g} s" if get("wall_time") else ""),
            *statics_work.lines(summary["statics"], errors.get("statics")),
        ]
    rows += [(label, _shown(get(key), unit, errors.get(key))) for key, label, unit in _NUMBERS]
    for part in get("phases") or ():
        work, spent = _shown(part["work"], "J"), _shown(part["positive_work"], "J")
        rows.append((f"pulleys, {part['phase']}", f"{work}, positive {spent}, {part['start']:g} to {part['end']:g} s"))
    for label, beyond in (("torque limits", False), ("joint limits", True)):
        exceeded = [item for item in get("limits_exceeded") or () if ("worst_position" in item) == beyond]
        if exceeded:
            rows.append(
                (label, f"exceeded by {len(exceeded)} joint{'s' if len(exceeded) > 1 else ''}: {_joints(exceeded)}")
            )
    rows += [
        (f"balance: {name}", f"{balance['verdict']}, {balance['relative']:.1e} of its scale")
        for name, balance in (get("balances") or {}).items()
    ]
    if error:
        rows.append(("numerical error", "; ".join(error["notes"]) or f"± above; from: {', '.join(error['sources'])}"))
    rows += [("robust", str((get("robustness") or {}).get("told", ""))), *(("note", one) for one in get("notes") or ())]
    return [row for row in rows if row[1]]


_LOADS = (
    ("lasting", "torque that lasts 10 ms", "N m"),
    ("p99", "torque, 99 % of the time", "N m"),
    ("rms", "torque, root mean square", "N m"),
    ("peak", "peak of one step", "N m"),
    ("at_limit", "share of time at the limit", ""),
    ("speed", "peak speed", "rad/s"),
)


def motor_rows(axes: Mapping[str, Any], errors: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Loads of the motors of each axis, with their error bars; the speeds at shares of the torque that lasts."""
    bars: Mapping[str, Any] = errors or {label: {} for label in axes}
    rows = [
        (label, *(_shown(load[name], unit, bars[axis].get(name)) for axis, load in axes.items()))
        for name, label, unit in _LOADS
    ]
    for number, share in enumerate(CURVE[1:], 1):
        speeds = (
            _shown(load["curve"][number], "rad/s", (bars[axis].get("curve") or {number: None})[number])
            for axis, load in axes.items()
        )
        rows.append((f"peak speed at {share:.0%} of that torque or more", *speeds))
    return rows


def warn(result: Result, out: Console) -> None:
    """The first line after a run that is not proven, in red where the terminal has colours."""
    if result.warning:
        out.print(Text(result.warning, style="bold red"), soft_wrap=True)


def _joints(exceeded: Sequence[Mapping[str, Any]]) -> str:
    names = [str(item["joint"]) for item in exceeded]
    return ", ".join(names[:4]) + (", ..." if len(names) > 4 else "")


def _rounded(error: float) -> str:
    return f"{error:.1e}" if error else "0"


def _shown(value: Any, unit: str, error: Any = None) -> str:
    """A number, a list or a mapping of numbers, each with its numerical error where that is known."""
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(item, unit, (error or {}).get(key))}" for key, item in value.items())
    if isinstance(value, list | tuple):
        spread = f" ± ({', '.join(map(_rounded, error))})" if error and None not in error else ""
        return f"({', '.join(f'{round(item, 4) + 0.0:g}' for item in value)}){spread} {unit}".rstrip() if value else ""
    spread = f" ± {_rounded(error)}" if error is not None else ""
    return "" if value is None else f"{value:.4g}{spread} {unit}".rstrip()
