"""Error bars: how far the numbers of a summary are from what infinitely fine steps, quadratures and records would give."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.analysis.limits import peak_rise_by_axis
from limbless.errors import InputError, SimulationError
from limbless.result import Result
from limbless.scenarios.scenario import Scenario
from limbless.simulation import run_scenario

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from limbless.simulation import Progress

NUMBERS = ("com_displacement", "path_length", "mean_speed", "period_speed", "steady", "peak_torque", "positive_work",
           "cost_of_transport", "statics")
"""What of a summary gets an error bar; the rest is given, counted or a measure of error itself."""
SPACING_ORDER = 2
"""Order to which quadratures and sums over records are taken to converge: the lowest of those in use (a trapezium; Simpson's and
Gauss' rules of smooth laws are better, those of a drag |v| v with a sign change are not much)."""

Watch = Callable[[str], "AbstractContextManager[Progress | None]"]
"""watch(what is repeated) -> a context that gives the progress callback of that run."""


@dataclass
class ErrorBars:
    """Estimated numerical errors of a run, in the shape and units of its summary.

    `total` is the sum of the sizes of all `sources` (`step`, `quadrature`, `records`), or None for a number whose repeat had none or
    failed; then `notes` says why.
    """

    result: Result
    total: dict[str, Any]
    sources: dict[str, dict[str, Any]]
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """What `summary.json` holds under `numerical_error`."""
        return {"total": self.total, "sources": self.sources, "notes": self.notes}


def error_bars(source: str | Path | Scenario, changes: Mapping[str, Any] | None = None, *, result: Result | None = None,
               watch: Watch | None = None) -> ErrorBars:
    """Run a scenario, again at half the step, and again at half the spacing of its quadratures; compare the summaries.

    Where a number Q converges with order p, Q(h) - Q(h/2) = (1 - 2^-p) x (error of Q(h)): Richardson's estimate. p is the order of
    the model in time (`ModelSettings.time_order`), and 2 for quadratures (cells, Gauss points, points of a path) and records. The run
    at half the step records twice as often; leaving out every second of its records tells the two apart.

    Parameters
    ----------
    source, changes : as for `run`.
    result : the run itself, if it was made already.
    watch : called before each repeat with what it repeats.

    Returns
    -------
    ErrorBars : its `result.summary()` has them as `numerical_error`.
    """
    scenario = Scenario.load(source, changes)
    watch = watch or (lambda label: nullcontext())
    if result is None:
        with watch("the run") as progress:
            result = run_scenario(scenario, progress=progress)
    if result.status != "completed":
        raise InputError(f"only a completed run has error bars; this one is {result.status!r}")
    bars = ErrorBars(result, {}, {})
    if scenario.task is None:
        _repeat(bars, scenario.model_copy(update={"step": scenario.step / 2, "record_every": scenario.record_every / 2}),
                "half the step", watch, lambda finer: _of_step(scenario, result, finer))
    finer = refined(scenario)
    if finer != scenario:
        _repeat(bars, finer, "half the spacing of the quadratures", watch,
                lambda other: {"quadrature": richardson(_numbers(result), _numbers(other), SPACING_ORDER)})
    bars.total = _summed(_numbers(result), list(bars.sources.values()), bool(bars.notes))
    result.numerical_error = bars.as_dict()
    return bars


def refined(scenario: Scenario) -> Scenario:
    """The scenario with every part that stands in for an integral at half its spacing; equal where there is none."""
    return scenario.model_copy(update={
        "model": scenario.model.refined(), "environment": scenario.model.refined_environment(scenario.environment),
        **({} if scenario.task is None else {"gait": scenario.gait.refined()})})


def _repeat(bars: ErrorBars, scenario: Scenario, label: str, watch: Watch, compare: Callable[[Result], dict[str, Any]]) -> None:
    """One repeat, compared; a repeat that does not come to its end leaves a note in place of its share."""
    try:
        with watch(label) as progress:
            repeated = run_scenario(scenario, progress=progress)
        if repeated.status != "completed":
            raise SimulationError(f"it was {repeated.status}")
    except (SimulationError, InputError) as error:
        bars.notes.append(f"no error bars: the repeat at {label} did not end well: {error}")
        return
    bars.sources |= compare(repeated)


def _of_step(scenario: Scenario, result: Result, finer: Result) -> dict[str, Any]:
    """Shares of the step and of the records in the error, from a run with half of both."""
    wanted, times = result.dataset["time"].values, finer.dataset["time"].values
    same = np.searchsorted(times, wanted - 0.25 * scenario.step)
    thinned = Result(finer.dataset.isel(time=same), finer.scenario, finer.status)
    records = richardson(_numbers(thinned), _numbers(finer), SPACING_ORDER)
    for axis, rise in peak_rise_by_axis(finer.dataset).items():       # a largest value converges without order: records may just meet it
        records["peak_torque"][axis] += rise
    order = scenario.model.time_order(scenario.environment)
    return {"step": richardson(_numbers(result), _numbers(thinned), order), "records": records}


def richardson(coarse: Any, fine: Any, order: int) -> Any:
    """Size of the error of `coarse`, found with twice the spacing of `fine`, number by number; None where either has none."""
    if isinstance(coarse, Mapping):
        return {key: richardson(value, (fine or {}).get(key), order) for key, value in coarse.items()}
    if isinstance(coarse, list):
        return [richardson(one, other, order) for one, other in zip(coarse, fine or [None] * len(coarse), strict=True)]
    return None if coarse is None or fine is None else abs(coarse - fine) / (1.0 - 0.5**order)


def _numbers(result: Result) -> dict[str, Any]:
    """The part of a summary that has errors: numbers, and lists and mappings of numbers. Counts have none."""
    def kept(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: kept(part) for key, part in value.items() if not isinstance(part, int)}
        return value
    return kept({name: value for name, value in result.summary().items() if name in NUMBERS})


def _summed(value: Any, parts: list[Any], incomplete: bool) -> Any:
    """The sum of all shares, at least the spacing of floating-point numbers there; None if one of them is not known."""
    if isinstance(value, Mapping):
        return {key: _summed(item, [part.get(key) for part in parts], incomplete) for key, item in value.items()}
    if isinstance(value, list):
        return [_summed(item, [part[number] if part else None for part in parts], incomplete) for number, item in enumerate(value)]
    if value is None or incomplete or any(part is None for part in parts):
        return None
    return max(sum(parts), float(np.finfo(np.float64).eps) * abs(value))
