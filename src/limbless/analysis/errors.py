"""Error bars: how far the numbers of a summary are from what infinitely fine steps, quadratures and records would give."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
"""Order to which quadratures are taken to converge: the lowest of those in use (a trapezium; Simpson's and Gauss' rules of smooth laws
are better, those of a drag |v| v with a sign change are not much)."""
SUMMED = ("path_length", "peak_torque", "positive_work", "cost_of_transport")
"""Numbers that are summed or compared from step to step: of second order in the step, however well the motion is integrated."""
OTHER_STEPS = (1.04, 1.08, 1.12, 1.16)
"""Where velocities jump: a run is repeated with so many times its steps, to see how far its numbers scatter."""
SCATTER = 2.13
"""Standard deviations that hold nine of ten such runs, where the deviation is known from five of them (Student's t)."""

Watch = Callable[[str], "AbstractContextManager[Progress | None]"]
"""watch(what is repeated) -> a context that gives the progress callback of that run."""


@dataclass
class ErrorBars:
    """Estimated numerical errors of a run, in the shape and units of its summary.

    `total` is the sum of the sizes of all `sources` (`step`, `scatter`, `quadrature`), or None for a number whose repeat had none or
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
    the model in time (`ModelSettings.time_order`), and 2 for quadratures (cells, Gauss points, points of a path) and for what is
    summed from step to step. Where velocities jump (p = 1) numbers scatter with the step as much as they converge: four more runs with
    steps up to 14 % shorter show by how much, and the bar holds the truth in nine of ten runs.

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
        order = scenario.model.time_order(scenario.environment)
        if order > 1:
            _repeat(
                bars,
                [_with_steps(scenario, 2.0)],
                "half the step",
                watch,
                lambda finer: {"step": _of_step(scenario, result, finer[0], order)},
            )
        else:
            _repeat(bars, [_with_steps(scenario, share) for share in (*OTHER_STEPS, 2.0)], "other steps", watch,
                    lambda others: _of_scatter(result, others))
    finer = refined(scenario)
    if finer != scenario:
        _repeat(bars, [finer], "half the spacing of the quadratures", watch,
                lambda other: {"quadrature": richardson(_numbers(result), _numbers(other[0]), SPACING_ORDER)})
    bars.total = _summed(_numbers(result), list(bars.sources.values()), bool(bars.notes))
    result.numerical_error = bars.as_dict()
    return bars


def refined(scenario: Scenario) -> Scenario:
    """The scenario with every part that stands in for an integral at half its spacing; equal where there is none."""
    return scenario.model_copy(update={
        "model": scenario.model.refined(), "environment": scenario.model.refined_environment(scenario.environment),
        **({} if scenario.task is None else {"gait": scenario.gait.refined()})})


def _with_steps(scenario: Scenario, times: float) -> Scenario:
    """The scenario with so many times its steps, a whole number of them, recorded at the same instants or at its ends."""
    steps = max(round(times * scenario.duration / scenario.step), 1)
    return scenario.model_copy(update={"step": scenario.duration / steps} if times != 2.0 else {"step": 0.5 * scenario.step})


def _repeat(bars: ErrorBars, scenarios: Sequence[Scenario], label: str, watch: Watch,
            compare: Callable[[list[Result]], dict[str, Any]]) -> None:
    """Repeats, compared; one that does not come to its end leaves a note in place of its share."""
    found = []
    try:
        for scenario in scenarios:
            with watch(label) as progress:
                found.append(run_scenario(scenario, progress=progress))
            if found[-1].status != "completed":
                raise SimulationError(f"it was {found[-1].status}")
    except (SimulationError, InputError) as error:
        bars.notes.append(f"no error bars: the repeat at {label} did not end well: {error}")
        return
    bars.sources |= compare(found)


def _of_step(scenario: Scenario, result: Result, finer: Result, order: int) -> dict[str, Any]:
    """Share of the step in the error, from a run with half of it."""
    coarse, fine = _numbers(result), _numbers(finer)
    shares = {name: richardson(value, fine.get(name), min(order, 2) if name in SUMMED else order) for name, value in coarse.items()}
    for axis, rise in peak_rise_by_axis(finer.dataset, scenario.step).items():       # both runs may just miss the peak, or just meet it
        shares["peak_torque"][axis] += rise
    return shares


def _of_scatter(result: Result, others: Sequence[Result]) -> dict[str, Any]:
    """Shares of the error where velocities jump: how far the mean of runs with like steps is from one with half the step (of first
    order), and how far these runs scatter about their mean."""
    alike, finer = [_numbers(found) for found in (result, *others[:-1])], _numbers(others[-1])
    mean = _each(lambda *values: float(np.mean(values)), *alike)
    return {"step": _each(lambda middle, fine: abs(middle - fine), mean, finer),
            "scatter": _each(lambda *values: SCATTER * float(np.std(values, ddof=1)), *alike)}


def _each(function: Callable[..., float], *parts: Any) -> Any:
    """A function of the same number in several summaries, number by number; None where one of them has none."""
    first = parts[0]
    if isinstance(first, Mapping):
        return {key: _each(function, *((part or {}).get(key) for part in parts)) for key in first}
    if isinstance(first, list):
        return [_each(function, *(part[number] if part else None for part in parts)) for number in range(len(first))]
    return None if any(part is None for part in parts) else function(*parts)


def richardson(coarse: Any, fine: Any, order: int) -> Any:
    """Size of the error of `coarse`, found with twice the spacing of `fine`, number by number; None where either has none."""
    return _each(lambda one, other: abs(one - other) / (1.0 - 0.5**order), coarse, fine)


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
