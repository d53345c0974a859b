"""Error bars: how far the numbers of a summary are from what infinitely fine steps and quadratures would give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import InputError, SimulationError
from limbless.robots import Chain, Rod
from limbless.scenarios.scenario import Scenario
from limbless.simulation.analysis.actuator_limits import peak_rise_by_axis
from limbless.simulation.result import Result
from limbless.simulation.simulate import run_scenario

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from limbless.simulation.simulate import Progress

NUMBERS = (
    "com_displacement",
    "path_length",
    "mean_speed",
    "progress",
    "period_speed",
    "steady",
    "peak_torque",
    "positive_work",
    "cost_of_transport",
    "statics",
)
"""What of a summary gets an error bar; the rest is given, counted or a measure of error itself."""
SPACING_ORDER = 2
"""Order to which quadratures are taken to converge: the lowest of those in use (a trapezium; Simpson's and Gauss' rules
of smooth laws are better, those of a drag |v| v with a sign change are not much)."""
MORE_STEPS = (1.2, 1.5, 2.0)
"""Where velocities jump, a run is repeated with so many times its steps: one repeat could not
tell convergence from chance.
"""
STUDENT = 2.92
"""Standard errors around the end of a line through four points that hold the truth in nine of ten cases (Student's t,
two left over).
"""

Watch = Callable[[str], "AbstractContextManager[Progress | None]"]
"""watch(what is repeated) -> a context that gives the progress callback of that run."""


def watching(watch: Watch | None, label: str) -> AbstractContextManager[Progress | None]:
    """Around runs that are watched, if anybody does."""
    return nullcontext() if watch is None else watch(label)


def watched(scenario: Scenario, label: str, watch: Watch | None) -> Result:
    """A run that is watched, if anybody does."""
    with watching(watch, label) as progress:
        return run_scenario(scenario, progress=progress)


@dataclass
class ErrorBars:
    """Estimated numerical errors of a run, in the shape and units of its summary.

    `total` is the sum of the sizes of all `sources` (`step`, `quadrature`), or None for a number whose repeat had none
    or failed; then `notes` says why. `repeats` are the runs behind them by source, `order` that of the step.
    """

    result: Result
    total: dict[str, Any]
    sources: dict[str, dict[str, Any]]
    notes: list[str] = field(default_factory=list)
    repeats: dict[str, list[Result]] = field(default_factory=dict, repr=False)
    order: float = 1.0

    def of(self, curves: Callable[[Result], dict[str, Any]]) -> dict[str, Any]:
        """The same for other numbers of the run, or for curves: arrays that the repeats have at the same times. Of the
        repeats with shorter steps only the shortest counts, which has the records of the run."""
        own = curves(self.result)
        shares = [
            richardson(own, curves(found[-1]), self.order)
            if source == "step"
            else _of_spacing([own, *map(curves, found)])
            for source, found in self.repeats.items()
        ]
        return {key: _summed(own[key], [one[key] for one in shares], bool(self.notes)) for key in own}

    def as_dict(self) -> dict[str, Any]:
        """What `summary.json` holds under `numerical_error`."""
        return {"total": self.total, "sources": self.sources, "notes": self.notes}


def error_bars(
    source: str | Path | Mapping[str, Any] | Scenario,
    changes: Mapping[str, Any] | None = None,
    *,
    result: Result | None = None,
    watch: Watch | None = None,
) -> ErrorBars:
    """Estimate the numerical error of every number in the summary of a run.

    The run is repeated with shorter steps, and at half the spacing of its quadratures. If a number Q converges with
    order p, Q(h) - Q(h/2) = (1 - 2^-p) x (error of Q(h)), which is Richardson's estimate. p is the order of the model
    in time (`ModelSettings.time_order`), and 2 for quadratures (cells, Gauss points, points of a path).

    With impacts (p at most 1) numbers also scatter with the step. The run is then repeated with `MORE_STEPS`, and a
    straight line Q0 + c h^p is fitted to the four numbers. The error is the distance of Q(h) from Q0, plus `STUDENT`
    standard errors of Q0.

    Parameters
    ----------
    source, changes : the scenario, as for `run`.
    result : the run itself, if it exists already.
    watch : a function that limbless calls before each repeat with its description.

    Returns
    -------
    ErrorBars : its `result.summary()` has them as `numerical_error`.
    """
    scenario = Scenario.load(source, changes)
    if result is None:
        result = watched(scenario, "the run", watch)
    if result.status != "completed":
        raise InputError(f"only a completed run has error bars; this one is {result.status!r}")
    bars = ErrorBars(result, {}, {})
    if scenario.task is None:
        order = bars.order = scenario.model.time_order(scenario.environment)
        steps, label = ((2.0,), "half the step") if order > 1 else (MORE_STEPS, "shorter steps")
        compare = _of_smooth_step if order > 1 else _of_jumps
        finer = [with_steps(scenario, times) for times in steps]
        _repeat(bars, "step", finer, label, watch, lambda others: compare(scenario, [result, *others], order))
    half = refined(scenario)
    if half != scenario:
        seen = scenario.robot.build().refined() is not scenario.robot.build()
        _repeat(
            bars,
            "quadrature",
            [half, refined(half)] if seen else [half],
            "half the spacing of the quadratures",
            watch,
            lambda others: _of_spacing([_numbers(one) for one in (result, *others)]),
        )
    bars.total = _summed(_numbers(result), list(bars.sources.values()), bool(bars.notes))
    result.numerical_error = bars.as_dict()
    return bars


def _of_spacing(found: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Share of the spacing in the error of the first of two or three runs, each at half the spacing of the one before.

    Two runs: Richardson's estimate. Few links or vertebrae are too coarse for an order: with three runs the error is
    the way from the first to the second, and twice that from the second to the third, as if the rest converged with
    order 1.
    """
    if len(found) == 2:
        return dict(richardson(found[0], found[1], SPACING_ORDER))
    return dict(each_number(lambda a, b, c: abs(a - b) + 2.0 * abs(b - c), *found))


def refined(scenario: Scenario) -> Scenario:
    """The scenario with every part that stands in for an integral at half its spacing; equal where there is none."""
    view = scenario.robot.build()
    if isinstance(view.seen_from, Rod) and view.refined() is not view:  # seen anew, with twice its links
        twice = view.refined()
        parts = "links" if isinstance(twice, Chain) else "vertebrae"
        scenario = scenario.changed(model=scenario.model.changed(**{parts: len(getattr(twice, parts))}))
    return scenario.model_copy(
        update={
            "model": scenario.model.refined_for(scenario.robot.build()),
            "environment": scenario.model.refined_environment(scenario.environment),
            **({} if scenario.task is None else {"gait": scenario.gait.refined()}),
        }
    )


def with_steps(scenario: Scenario, times: float) -> Scenario:
    """The scenario with so many times its steps, a whole number of them. No number comes from records: where the old
    times are no times of new steps, only the ends are recorded.
    """
    steps = max(round(times * scenario.duration / scenario.step), 2)
    step, often = scenario.duration / steps, scenario.record_every
    kept = abs(often / step - round(often / step)) < 1e-9 * (often / step)
    return scenario.model_copy(update={"step": step, "record_every": often if kept else scenario.duration})


def _repeat(
    bars: ErrorBars,
    source: str,
    scenarios: Sequence[Scenario],
    label: str,
    watch: Watch | None,
    compare: Callable[[list[Result]], dict[str, Any]],
) -> None:
    """Repeats, compared; one that does not come to its end leaves a note in place of their share."""
    found = []
    try:
        for scenario in scenarios:
            found.append(watched(scenario, label, watch))
            if found[-1].status != "completed":
                raise SimulationError(f"it was {found[-1].status}")
    except (SimulationError, InputError) as error:
        bars.notes.append(f"no error bars: the repeat at {label} did not end well: {error}")
        return
    bars.sources[source], bars.repeats[source] = compare(found), found


def _of_smooth_step(scenario: Scenario, results: Sequence[Result], order: float) -> dict[str, Any]:
    """Share of the step in the error of the first of two runs, the other one with half of it."""
    shares: dict[str, Any] = richardson(_numbers(results[0]), _numbers(results[1]), order)
    # both runs may miss a peak by as much
    for axis, rise in peak_rise_by_axis(results[0].dataset, 0.5 * scenario.step).items():
        shares["peak_torque"][axis] += rise
    return shares


def _of_jumps(scenario: Scenario, results: Sequence[Result], order: float) -> dict[str, Any]:
    """Share of the step in the error of the first of several runs, where velocities jump."""
    powers = np.array([result.dataset.attrs["step"] / scenario.step for result in results]) ** order
    return dict(each_number(lambda *values: distance_from_limit(powers, np.array(values)), *map(_numbers, results)))


def distance_from_limit(powers: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """How far the first value may be from the one at power 0, by a straight line through all: distance, and its
    standard errors.
    """
    about = powers - powers.mean()
    spread = about @ about
    slope = about @ values / spread
    limit = values.mean() - slope * powers.mean()
    left_over = values - limit - slope * powers
    variance = left_over @ left_over / (len(values) - 2) * (1.0 / len(values) + powers.mean() ** 2 / spread)
    return float(abs(values[0] - limit) + STUDENT * np.sqrt(variance))


def each_number(function: Callable[..., Any], *parts: Any) -> Any:
    """A function of the same number in several summaries, number by number; None where one of them has none."""
    first = parts[0]
    if isinstance(first, Mapping):
        return {key: each_number(function, *((part or {}).get(key) for part in parts)) for key in first}
    if isinstance(first, list):
        return [
            each_number(function, *(part[number] if part else None for part in parts)) for number in range(len(first))
        ]
    return None if any(part is None for part in parts) else function(*parts)


def richardson(coarse: Any, fine: Any, order: float) -> Any:
    """Size of the error of `coarse`, found with twice the spacing of `fine`, number by number;
    None where either has none.
    """
    return each_number(lambda one, other: abs(one - other) / (1.0 - 0.5**order), coarse, fine)


def _numbers(result: Result) -> dict[str, Any]:
    """The part of a summary that has errors: numbers, and lists and mappings of numbers. Counts have none."""

    def kept(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: kept(part) for key, part in value.items() if not isinstance(part, int)}
        return value

    return kept({name: value for name, value in result.summary().items() if name in NUMBERS})


def _summed(value: Any, parts: list[Any], incomplete: bool) -> Any:
    """The sum of all shares, at least the spacing of floating-point numbers there; None if one of them is not known."""

    def sum_of(value: Any, *parts: Any) -> Any:
        total = np.maximum(sum(parts), np.finfo(np.float64).eps * np.abs(value))
        return total if total.ndim else float(total)

    return each_number(lambda *one: None, value) if incomplete else each_number(sum_of, value, *parts)
