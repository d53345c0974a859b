"""What cases of kind `experiment` share: verdicts, the band of what is assumed, and the picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from validation.runner.cases import Case, CaseRow

WIDE = 0.5
"""Share of the value above which a band decides nothing."""
POINTS = 32


def reach(row: CaseRow, value: float) -> tuple[float, float]:
    """Lowest and highest value of the run: its numerical error, and what is assumed."""
    low, high = row.band or (value, value)
    error = row.tolerance or 0.0
    return min(low, value) - error, max(high, value) + error


def verdict(row: CaseRow, value: float) -> str:
    """`inside`, `outside by 26 %`, or `not decidable`."""
    if row.scatter is None:
        return row.verdict or ""
    mean, sd = row.scatter
    if row.band is not None and row.band[1] - row.band[0] > WIDE * abs(value):
        return "not decidable"
    low, high = reach(row, value)
    apart = max(low - (mean + 2.0 * sd), (mean - 2.0 * sd) - high)
    if apart <= 0.0:
        return "inside"
    return f"outside by {100.0 * apart / abs(mean):.0f} %"


def band_of(
    case: Case, values: Callable[[Case, Mapping[str, Any]], Mapping[str, float]], points: int = POINTS
) -> dict[str, tuple[float, float]]:
    """Lowest and highest of every value at Sobol points of what is assumed; its result is written into case.yaml by
    hand, because it takes minutes."""
    from scipy.stats import qmc

    paths = list(case.assumed)
    low = [case.assumed[path].between[0] for path in paths]
    high = [case.assumed[path].between[1] for path in paths]
    places = qmc.scale(qmc.Sobol(len(paths), scramble=False).random(points), low, high)
    several = [values(case, dict(zip(paths, map(float, place), strict=True))) for place in places]
    return {name: (min(each[name] for each in several), max(each[name] for each in several)) for name in several[0]}


def drawn(case: Case, sheet: Any, values: Mapping[str, float]) -> dict[str, float]:
    """Draw value over measured mean, one line for each row: grey for the scatter with trials as dots, a square for the
    run, a thick bar for its numerical error and a thin one for what is assumed; returns the values."""
    rows = [row for row in case.rows if row.value]
    axes = sheet.subplots()
    for place, row in enumerate(rows):
        mean, sd = row.scatter or (1.0, 0.0)
        value, y = values[row.value] / mean, -place
        axes.barh(y, 4.0 * sd / mean, left=1.0 - 2.0 * sd / mean, height=0.6, color="0.8")
        axes.plot([trial / mean for trial in row.trials], [y] * len(row.trials), ".", color="0.35", markersize=4)
        low, high = row.band or (values[row.value],) * 2
        axes.plot([low / mean, high / mean], [y, y], color="black", linewidth=0.8)
        error = (row.tolerance or 0.0) / mean
        axes.plot([value - error, value + error], [y, y], color="black", linewidth=3.0)
        axes.plot([value], [y], "s", color="black", markersize=5)
    axes.axvline(1.0, color="0.5", linewidth=0.6)
    axes.set_yticks([-place for place in range(len(rows))], [row.value for row in rows])
    axes.set_xlabel("run / experiment")
    axes.margins(x=0.1)
    return dict(values)
