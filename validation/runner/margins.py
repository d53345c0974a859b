"""A pytest plugin for the scorecard: notes for every test how near its comparisons come to their tolerances.

Three ways in which the tests compare are watched: `pytest.approx`, `numpy.testing.assert_allclose` and `assert number <
number` (through pytest's own report of assertions that hold). Comparisons with a tolerance of zero or with no number in
them are left out.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

import numpy as np
import pytest

BELOW = re.compile(r"^(.+?) <=? (.+)$")
BETWEEN = re.compile(r"^([\d.]+) <=? .+ <=? ([\d.]+)$")
ARITHMETIC = re.compile(r"^[-+*/() .\deE]+$")
LARGEST = 0.01
"""Of `a < b` only what has a small b is a tolerance; the others compare quantities."""
notes: dict[str, dict[str, Any]] = {}
running: list[str] = []


def note(difference: Any, tolerance: Any) -> None:
    """Keep the comparison of the running test that uses the largest share of its tolerance."""
    difference, tolerance = np.broadcast_arrays(np.asarray(difference, dtype=float), np.asarray(tolerance, dtype=float))
    useful = (tolerance > 0.0) & np.isfinite(difference) & np.isfinite(tolerance)
    if not running or not useful.any():
        return
    share = np.where(useful, difference / np.where(useful, tolerance, 1.0), -1.0).ravel()
    place, entry = (
        int(share.argmax()),
        notes.setdefault(running[-1], {"passed": True, "difference": 0.0, "tolerance": 0.0}),
    )
    if not entry["tolerance"] or share[place] > entry["difference"] / entry["tolerance"]:
        entry["difference"], entry["tolerance"] = float(difference.ravel()[place]), float(tolerance.ravel()[place])


plain_approx, plain_allclose = pytest.approx, np.testing.assert_allclose


def watched_approx(expected: Any, rel: float | None = None, abs: float | None = None, nan_ok: bool = False) -> Any:
    made = plain_approx(expected, rel=rel, abs=abs, nan_ok=nan_ok)
    compare = type(made).__eq__

    class Watched(type(made)):  # type: ignore[misc]
        def __eq__(self, actual: Any) -> bool:
            try:
                wanted, found = np.asarray(expected, dtype=float), np.asarray(actual, dtype=float)
                absolute = (0.0 if rel is not None else 1e-12) if abs is None else abs
                relative = (0.0 if abs is not None else 1e-6) if rel is None else rel
                note(np.abs(found - wanted), np.maximum(absolute, relative * np.abs(wanted)))
            except (TypeError, ValueError):  # mappings, texts: not numbers
                pass
            return bool(compare(self, actual))

        __hash__ = None

    made.__class__ = Watched
    return made


def watched_allclose(actual: Any, desired: Any, rtol: float = 1e-7, atol: float = 0.0, **options: Any) -> None:
    note(
        np.abs(np.asarray(actual, dtype=float) - np.asarray(desired, dtype=float)),
        atol + rtol * np.abs(np.asarray(desired, dtype=float)),
    )
    plain_allclose(actual, desired, rtol=rtol, atol=atol, **options)


def pytest_configure(config: pytest.Config) -> None:
    pytest.approx, np.testing.assert_allclose = watched_approx, watched_allclose
    # the ini file does not ask for it: it costs time
    config._inicache["enable_assertion_pass_hook"] = True


def pytest_runtest_setup(item: pytest.Item) -> None:
    running[:] = [item.nodeid]


def number(text: str) -> float | None:
    """The value of a text that holds numbers and operators only, as pytest prints the sides of a comparison."""
    plain = re.sub(r"np\.(float64|int64)\(|array\(", "(", text.strip())
    plain += ")" * (plain.count("(") - plain.count(")"))
    try:
        return float(eval(plain, {"__builtins__": {}})) if ARITHMETIC.match(plain) else None
    except (SyntaxError, TypeError, ZeroDivisionError, ValueError):
        return None


def pytest_assertion_pass(item: pytest.Item, lineno: int, orig: str, expl: str) -> None:
    """`a < b`, several of them joined by `and`, and `low < a < high`, which is a distance from the middle."""
    shown = expl.splitlines()[0]
    parts = re.sub(r"^\((.*)\)$", r"\1", shown).split(" and ") if " and " in orig else [shown]
    for text in parts:
        sides = BELOW.match(text.strip().removeprefix("(").removesuffix(")") if " and " in orig else text)
        found, bound = (number(side) for side in sides.groups()) if sides else (None, None)
        if found is None or bound is None:
            continue
        if both := BETWEEN.match(orig):
            low, high = float(both[1]), float(both[2])
            note(abs(found - 0.5 * (low + high)), 0.5 * (high - low))
        elif 0.0 < bound <= LARGEST:
            note(abs(found), bound)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    entry = notes.setdefault(report.nodeid, {"passed": True, "difference": 0.0, "tolerance": 0.0})
    entry["passed"] = entry["passed"] and report.passed


def pytest_sessionfinish() -> None:
    with open(os.environ["LIMBLESS_MARGINS"], "w", encoding="utf-8") as file:
        json.dump(notes, file)
