"""Several runs side by side: the numbers of their summaries, with differences and error bars."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from limbless.core import InputError
from limbless.simulation.analysis import speed

if TYPE_CHECKING:
    from limbless.scenarios.scenario import Scenario
    from limbless.simulation.result import Result

NUMBERS = (
    ("duration", "simulated", "s"),
    ("wall_time", "computed in", "s"),
    ("cost", "cost", "ms/s"),
    ("mass", "mass", "kg"),
    ("com_displacement", "displacement", "m"),
    ("path_length", "path length", "m"),
    ("mean_speed", "mean speed", "m/s"),
    ("progress", "progress towards the head", "m/s"),
    ("period_speed", "speed, last period", "m/s"),
    ("peak_torque", "peak torque", "N m"),
    ("peak_tension", "peak tension", "N"),
    ("positive_work", "positive work", "J"),
    ("cost_of_transport", "cost of transport", ""),
    ("strouhal", "Strouhal number", ""),
)
"""Numbers of a summary that are compared: key, label, unit."""
ROUNDING = 1e-12
"""Of the largest number of a vector: no part of it is known better."""


class ComparedNumber(NamedTuple):
    """One number of all runs; None where a run has none. `errors` are its numerical errors, where they are known."""

    label: str
    unit: str
    values: tuple[float | None, ...]
    errors: tuple[float | None, ...]

    def difference(self, number: int) -> tuple[float, float | None] | None:
        """Of a run from the first, and its error bar: the two runs' errors together, where both are known."""
        one, other = self.values[0], self.values[number]
        if one is None or other is None:
            return None
        bars = (self.errors[0], self.errors[number])
        return other - one, None if bars[0] is None or bars[1] is None else abs(bars[0]) + abs(bars[1])


def lines(results: Sequence[Result]) -> list[ComparedNumber]:
    """All numbers that at least one of the runs has."""
    if len(results) < 2:
        raise InputError("give at least two runs to compare")
    summaries = [  # Strouhal's number is from records: no part of the summary, which does not depend on them
        {
            **(told := one.summary()),
            "strouhal": speed.strouhal(one.dataset, one.looks, one.period),
            "cost": 1e3 / told["realtime_factor"] if told.get("realtime_factor") else None,
        }
        for one in results
    ]
    totals = [(summary.get("numerical_error") or {}).get("total") for summary in summaries]
    bars = [{"mass": 0.0, **total} if total else {} for total in totals]
    found = []
    for key, label, unit in NUMBERS:
        values = [dict(_parts(summary.get(key))) for summary in summaries]
        errors = [dict(_parts(bar.get(key))) for bar in bars]
        largest = max((abs(value) for one in values for value in one.values() if value is not None), default=0.0)
        for part in dict.fromkeys(name for one in values for name in one):
            line = ComparedNumber(
                f"{label} {part}".strip(),
                unit,
                tuple(one.get(part) for one in values),
                tuple(None if (off := one.get(part)) is None else max(abs(off), ROUNDING * largest) for one in errors),
            )
            found += [line] if any(value is not None for value in line.values) else []
    return found


def _parts(value: Any) -> Iterator[tuple[str, float | None]]:
    """A number, a vector or numbers by name, as numbers by name."""
    if isinstance(value, Mapping):
        yield from ((str(name), item) for name, item in value.items())
    elif isinstance(value, list | tuple):
        yield from zip("xyz", value, strict=False)
    elif value is not None:
        yield "", value


def names_of(results: Sequence[Result], given: Sequence[str]) -> list[str]:
    """What each run is called: its scenario, its model where all have one scenario, or where it came from."""
    for own in ([result.name or "run" for result in results], [label_of(result.scenario) for result in results]):
        if len(set(own)) == len(own):
            return own
    return [str(name).rstrip("/") for name in given]


def label_of(scenario: Scenario | None) -> str:
    """The model, and how finely it sees the robot."""
    if scenario is None:
        return ""
    robot, cells = scenario.robot.build(), getattr(scenario.model, "cells", None)
    for name in ("links", "vertebrae"):
        if hasattr(robot, name):
            return f"{scenario.model.kind}, {len(getattr(robot, name))} {name}"
    return f"{scenario.model.kind}, {cells} cells"


def models_of(results: Sequence[Result]) -> list[str]:
    """The model of each run."""
    return [str(result.dataset.attrs.get("model", "not known")) for result in results]


def columns(found: Sequence[ComparedNumber], names: Sequence[str]) -> dict[str, list[Any]]:
    """The table for a file: number, unit, and value and numerical error of every run."""
    table: dict[str, list[Any]] = {"number": [line.label for line in found], "unit": [line.unit for line in found]}
    for place, name in enumerate(names):
        table[name] = ["" if line.values[place] is None else line.values[place] for line in found]
        errors = [line.errors[place] for line in found]
        if any(error is not None for error in errors):
            table[f"{name} ±"] = ["" if error is None else error for error in errors]
    return table


def rows(found: Sequence[ComparedNumber], count: int) -> list[tuple[str, ...]]:
    """A table in words: every number, and how far each run is from the first."""
    return [
        (
            line.label,
            *(_shown(value, error, line.unit) for value, error in zip(line.values, line.errors, strict=True)),
            *(told(line, number) for number in range(1, count)),
        )
        for line in found
    ]


def latex(found: Sequence[ComparedNumber], names: Sequence[str], models: Sequence[str]) -> str:
    """The table for a paper: a `tabular` of the package booktabs, units in the first column."""

    def number(value: float | None, error: float | None) -> str:
        if value is None:
            return "--"
        digits = f"{value:.4g}"
        base, _, power = digits.partition("e")
        shown = f"{base} \\times 10^{{{int(power)}}}" if power else digits
        return f"${shown}$" if error is None else f"${shown} \\pm {error:.1g}$"

    lines = [["", *(name.translate(_LATEX) for name in names)], ["model", *(one.translate(_LATEX) for one in models)]]
    lines += [
        [
            (f"{line.label} ({line.unit})" if line.unit else line.label).translate(_LATEX),
            *(number(*pair) for pair in zip(line.values, line.errors, strict=True)),
        ]
        for line in found
    ]
    head, *body = (" & ".join(line) + r" \\" for line in lines)
    begin = rf"\begin{{tabular}}{{l{'r' * len(names)}}}"
    return "\n".join([begin, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}", ""])


_LATEX = str.maketrans(
    {letter: rf"\{letter}" for letter in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)
"""Letters that mean something to LaTeX, and how they are written."""


def _shown(value: float | None, error: float | None, unit: str) -> str:
    bar = "" if error is None else f" ± {error:.1e}"
    return "" if value is None else f"{value:.4g}{bar} {unit}".rstrip()


def told(line: ComparedNumber, number: int) -> str:
    """`+0.012 (+5.3 %)`, and whether that is more than the error bars."""
    found = line.difference(number)
    within = found is not None and found[1] is not None and abs(found[0]) <= found[1]
    return f"{difference(line, number)}{', within the error bars' if within else ''}"


def difference(line: ComparedNumber, number: int, bars: bool = True) -> str:
    """`+0.012 ± 1e-3 (+5.3 %)`: how far a run is from the first."""
    found = line.difference(number)
    if found is None:
        return ""
    change, bar = found
    first = line.values[0] or 0.0
    share = f" ({100.0 * change / abs(first):+.1f} %)" if first and abs(change) < 100.0 * abs(first) else ""
    known = "" if bar is None or not bars else f" ± {bar:.1e}"
    return f"{change:+.3g}{known}{share}"
