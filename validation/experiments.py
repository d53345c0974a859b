"""What cases of kind `experiment` share: verdicts, the band of what is assumed, and the picture."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validation.runner.cases import Case, CaseRow

Array = NDArray[np.float64]

WIDE = 0.5
"""Share of the value above which a band decides nothing."""
POINTS = 32
NEAR = (0.998, 0.999, 1.001, 1.002)
"""Factors of the first assumed parameter by which the roughness of runs is seen."""

Values = Callable[[Case, Mapping[str, Any]], Mapping[str, float]]


def reach(row: CaseRow, value: float) -> tuple[float, float]:
    """Lowest and highest value of the run: its numerical error, and what is assumed."""
    low, high = row.band or (value, value)
    error = row.tolerance or 0.0
    return min(low, value) - error, max(high, value) + error


def verdict(row: CaseRow, value: float) -> str:
    """`inside`, `outside by 26 %`, or `not decidable`."""
    if row.scatter is None:
        return "predicted, not measured" if row.predicted else row.verdict or ""
    if row.band is not None and row.band[1] - row.band[0] > WIDE * abs(value):
        return "not decidable"
    return _apart(row, *reach(row, value))


def fitted_verdict(row: CaseRow, value: float) -> str:
    """The same of the fitted arm, with the interval of what was fitted in place of the band."""
    if row.fitted is None or row.scatter is None:
        return ""
    if row.fitted.trained:
        return "not decidable (fitted to it)"
    low, high = row.fitted.interval
    error = row.fitted.tolerance
    return _apart(row, min(low, value) - error, max(high, value) + error)


def _apart(row: CaseRow, low: float, high: float) -> str:
    mean, sd = row.scatter or (0.0, 0.0)
    apart = max(low - (mean + 2.0 * sd), (mean - 2.0 * sd) - high)
    return "inside" if apart <= 0.0 else f"outside by {100.0 * apart / abs(mean):.0f} %"


def band_of(case: Case, values: Values, points: int = POINTS) -> dict[str, tuple[float, float]]:
    """Lowest and highest of every value at Sobol points of what is assumed; its result is written into case.yaml by
    hand, because it takes minutes."""
    return _ends([values(case, changes) for changes in points_of(case, points)])


def points_of(case: Case, points: int = POINTS) -> list[dict[str, float]]:
    """Sobol points of what is assumed."""
    from scipy.stats import qmc

    paths = list(case.assumed)
    low = [case.assumed[path].between[0] for path in paths]
    high = [case.assumed[path].between[1] for path in paths]
    places = qmc.scale(qmc.Sobol(len(paths), scramble=False).random(points), low, high)
    return [dict(zip(paths, map(float, place), strict=True)) for place in places]


def effects_of(case: Case, values: Values) -> dict[str, dict[str, tuple[float, float]]]:
    """Every value with one assumption alone at its lowest and at its highest, written into case.yaml as the band is."""
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for path, assumed in case.assumed.items():
        less, more = (values(case, {path: end}) for end in assumed.between)
        for name, value in less.items():
            found.setdefault(name, {})[path] = value, more[name]
    return found


def interval_of(case: Case, values: Values, found: Any, names: Sequence[str]) -> dict[str, tuple[float, float]]:
    """Lowest and highest of every value for parameters drawn from their joint distribution, as `identify` found it:
    those of 32 draws are about two standard deviations off. Stiffness and damping go together, which ends of their
    intervals would not know."""
    draws = np.random.default_rng(0).multivariate_normal(np.log(found.values), found.covariance, POINTS)
    ends = np.log([found.more["bounds"][path] for path in found.paths]).T
    drawn = np.exp(np.clip(draws, *ends))
    return _ends([values(case, dict(zip(names, map(float, each), strict=True))) for each in drawn])


def roughness_of(case: Case, values: Values, path: str, about: float) -> dict[str, float]:
    """Span of every value over five runs with one parameter moved by up to 0.2 %."""
    ends = _ends([values(case, {path: factor * about}) for factor in (*NEAR, 1.0)])
    return {name: high - low for name, (low, high) in ends.items()}


def _ends(several: Sequence[Mapping[str, float]]) -> dict[str, tuple[float, float]]:
    return {name: (min(each[name] for each in several), max(each[name] for each in several)) for name in several[0]}


def drawn(
    case: Case, sheet: Any, values: Mapping[str, float], curves: Mapping[str, Mapping[str, Any]] | None = None
) -> dict[str, float]:
    """Draw value over measured mean, one line for each row: grey for the scatter with trials as dots, a square for the
    run, a thick bar for its numerical error and a thin one for what is assumed; below it a circle for the fitted run
    with its interval, hollow where it was fitted to that row. Curves along the body stand beside. Returns the values.
    """
    rows = [row for row in case.rows if row.value and row.scatter is not None]
    wide = -(-len(curves or {}) // (2 if len(curves or {}) > 2 else 1))
    sheet.set_size_inches(
        sheet.get_figwidth() + 1.6 * max(wide - 1, 0), max(sheet.get_figheight(), 1.0 + 0.19 * len(rows))
    )
    grid = sheet.add_gridspec(2 if len(curves or {}) > 2 else 1, 1 + wide, width_ratios=[1.6, *[1.0] * wide])
    axes = sheet.add_subplot(grid[:, 0])
    panels = [sheet.add_subplot(grid[k // wide, 1 + k % wide]) for k in range(len(curves or {}))]
    for place, row in enumerate(rows):
        mean, sd = row.scatter or (1.0, 0.0)
        axes.barh(-place, 4.0 * sd / mean, left=1.0 - 2.0 * sd / mean, height=0.6, color="0.8")
        axes.plot([trial / mean for trial in row.trials], [-place] * len(row.trials), ".", color="0.35", markersize=4)
        low, high = row.band or (values[row.value],) * 2
        above = 0.15 if row.fitted else 0.0
        _bars(axes, -place + above, values[row.value] / mean, (low / mean, high / mean), (row.tolerance or 0.0) / mean)
        axes.plot([values[row.value] / mean], [-place + above], "s", color="black", markersize=4)
        if row.fitted is not None:
            value, ends = values[f"{row.value}, fitted"] / mean, [end / mean for end in row.fitted.interval]
            _bars(axes, -place - 0.2, value, (ends[0], ends[1]), row.fitted.tolerance / mean)
            inside = "white" if row.fitted.trained else "black"
            axes.plot([value], [-place - 0.2], "o", color="black", markerfacecolor=inside, markersize=4)
    axes.axvline(1.0, color="0.5", linewidth=0.6)
    axes.set_yticks([-place for place in range(len(rows))], [row.value for row in rows], fontsize=6)
    axes.set_xscale("log")
    axes.margins(x=0.08)
    ticks = [tick for tick in (0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0) if _within(axes, tick)]
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks], minor=False)
    axes.set_xticks([], minor=True)
    axes.set_xlabel("run / experiment")
    for panel, (title, curve) in zip(panels, (curves or {}).items(), strict=True):
        _curve(panel, curve)
        panel.set_title(title, fontsize=7)
    return dict(values)


def _curve(panel: Any, curve: Mapping[str, Any]) -> None:
    """A profile: grey for the scatter with the measured as dots, a line for the run with bars as in the rows, and
    dashes for the fitted run."""
    x, mean, sd, run = (np.asarray(curve[name], dtype=float) for name in ("at", "measured", "sd", "run"))
    low, high = (np.asarray(end, dtype=float) for end in curve.get("band", (run, run)))
    error, every = np.broadcast_to(curve.get("error", 0.0), run.shape), curve.get("every", 1)
    panel.vlines(x, np.minimum(low, run), np.maximum(high, run), color="black", linewidth=0.5)
    panel.vlines(x, run - error, run + error, color="black", linewidth=2.5)
    for begin in range(every):  # odd and even joints are lines of their own
        pick = slice(begin, None, every)
        panel.fill_between(x[pick], (mean - 2.0 * sd)[pick], (mean + 2.0 * sd)[pick], color="0.8")
        panel.plot(x[pick], mean[pick], ".", color="0.35", markersize=4)
        panel.plot(x[pick], run[pick], "-", color="black", linewidth=1.0)
        if "fitted" in curve:
            panel.plot(x[pick], np.asarray(curve["fitted"])[pick], "--", color="black", linewidth=1.0)
    panel.margins(x=0.06)
    panel.set_xlabel(curve["along"])


def _within(axes: Any, tick: float) -> bool:
    low, high = axes.get_xlim()
    return bool(low < tick < high)


def _bars(axes: Any, y: float, value: float, ends: tuple[float, float], error: float) -> None:
    axes.plot([min(*ends, value), max(*ends, value)], [y, y], color="black", linewidth=0.8)
    axes.plot([value - error, value + error], [y, y], color="black", linewidth=3.0)
