"""`identify`: fields of a scenario from measured runs, with intervals, what they do not determine, and a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from limbless.core import Array, InputError, SimulationError
from limbless.interop.identification.free_parameters import FreeParameter, free_parameters, value_of
from limbless.interop.identification.identified import Identified, short
from limbless.interop.identification.least_squares import (
    Fit,
    alike,
    bootstrapped,
    linearised,
    solve,
    solve_from,
    student,
    uncertainty,
)
from limbless.interop.identification.measured_run import SIGMAS, MeasuredRun, RunData, runs_of
from limbless.interop.identification.trial_runs import FEWEST_RUNS, TrialRuns
from limbless.scenarios.scenario import Scenario
from limbless.search.optimisation.optimisers import needed_cma

PROBE, ROUGH_PROBE = 1e-3, 0.1  # change of a logarithm for derivatives; with contacts runs are rough
ROUGH_TURNS, ROUGH_ROUNDS = 2, 6  # turns from every start, and from the best of them
NEAR, NEARBY = 2e-3, 8  # by which parameters are moved to see how rough runs are, and how often
STARTS = 3
EVOLVED = 50  # evaluations of CMA-ES for each parameter
FARTHEST_PROFILE = 3.0  # by which a profile may widen an interval
FLAGGED = 2.0  # reduced sum of squares above which the model does not explain the data
AT_BOUND = 1e-6
WITHOUT_EFFECT = 1e-6  # sigmas, for e times the parameter


def identify(
    source: Any,
    runs: Sequence[Any],
    fit: Mapping[str, Any] | None = None,
    *,
    test: Sequence[Any] = (),
    changes: Mapping[str, Any] | None = None,
    allow_code: bool = False,
    folder: str | Path | None = None,
    **film: Any,
) -> Identified:
    """Fit fields of a scenario to measurements.

    Parameters
    ----------
    source : the scenario, as for `run`; or a `Film`, with names of its medium's coefficients as `runs`.
    runs : measured runs: `MeasuredRun`s, mappings, or YAML files of them (names may contain *).
    fit : path -> (low, high), or {between: (low, high), prior: (mean, sd)}; paths with a comma between them have one
        value.
    test : runs that are not fitted, to compare the fitted and the original scenario.
    folder : where runs are kept, so that a fit that was ended goes on where it was.

    Returns
    -------
    Identified : values with intervals, and what the runs do not determine.
    """
    if hasattr(source, "midline"):
        from limbless.interop.films.identification import identify as identify_film

        return identify_film(source, runs, changes=changes, **film)
    scenario = Scenario.load(source, changes, allow_code=allow_code)
    parameters = free_parameters(fit or {}, scenario)
    measured, apart = ([run.among(scenario) for run in runs_of(given)] for given in (runs, test))
    if not measured:
        raise InputError("runs: name one or more measured runs")
    rough = any(run.scenario.model.kind == "non-smooth" for run in measured)
    store = None if folder is None else Path(folder) / "runs.jsonl"
    if store is not None:
        store.parent.mkdir(parents=True, exist_ok=True)
    data, starts = TrialRuns(measured, parameters, store), _starts(scenario, parameters)
    best, others, told = _fitted(data, starts, rough)
    found = _judged(data, best)
    about = (
        *found.about,
        *told,
        *_at_bounds(parameters, best.parameters),
        *_without_effect(parameters, best),
        *_tested(apart, parameters, starts[0], best.parameters),
    )
    more = {
        **found.more,
        "bounds": {each.path: [each.low, each.high] for each in parameters},
        "runs": data.count,
        "slopes": "exact" if data.exact else "differences",
        "fitted": data.changes(best.parameters),
        "sigmas": [{word: data.sigma(run, word).tolist() for word in run.counts} for run in measured],
        "residuals": [
            {"run": run.name, **{word: values.tolist() for word, values in each.items()}}
            for run, each in zip(measured, data.compared(best.parameters), strict=True)
        ],
    }
    also = tuple(_values(parameters, other.parameters) for other in others)
    return replace(found, also=also, about=about, more=more, runs=tuple(measured))


def _values(parameters: list[FreeParameter], coordinates: Array) -> Array:
    return np.array([each.value(x) for each, x in zip(parameters, coordinates, strict=True)])


def _starts(scenario: Scenario, parameters: list[FreeParameter]) -> list[Array]:
    """The scenario's own values where they lie within the bounds, and points spread between these."""
    from scipy.stats import qmc

    low, high = (np.array([each.coordinate(getattr(each, end)) for each in parameters]) for end in ("low", "high"))
    own = 0.5 * (low + high)
    for k, each in enumerate(parameters):
        here = value_of(scenario, next(iter(each.changes(0.0))))
        if isinstance(here, float | int) and each.low <= here <= each.high:
            own[k] = each.coordinate(float(here))
    spread = qmc.Sobol(len(parameters), scramble=False).random(4)[1:STARTS]
    return [own, *(low + (0.1 + 0.8 * point) * (high - low) for point in spread)]


def _fitted(data: TrialRuns, starts: list[Array], rough: bool) -> tuple[Fit, list[Fit], list[str]]:
    """The best minimum from all starts; once more where sigmas came from the residuals."""
    low, high = data.ends
    probe, gain, told = np.full(len(low), PROBE), 1e-9, []
    if rough:
        roughness, probe = _roughness(data, starts[0])
        size = float(np.sqrt(np.mean(np.concatenate(data.residuals([starts[0]])[0]) ** 2)))
        gain = min(roughness / max(size, 1e-12), 0.1)
        told.append(
            f"contacts make runs rough: residuals change by {roughness:.2g} sigma for 0.2 % of the parameters; slopes "
            f"come from changes of {', '.join(f'{100.0 * h:.0f}' for h in probe)} %"
        )
    else:
        told.append(data.prove_slopes(starts[0], probe))

    def solver(rounds: int) -> Any:
        return lambda data, start, probe, bounds: solve(data, start, probe, bounds, rounds, gain)

    best, others = solve_from(data, starts, probe, (low, high), STARTS, solver(ROUGH_TURNS if rough else 20))
    if rough:
        if min(data.cost(start) for start in starts) * (1.0 - gain) <= best.cost:
            told.append("two turns of least squares changed no more than roughness does: CMA-ES was taken")
            best = best._replace(parameters=_evolved(data, best.parameters))
        best, _ = solve_from(data, [best.parameters], probe, (low, high), solver=solver(ROUGH_ROUNDS))
    words = data.scaled(best.parameters)
    if words:
        best, _ = solve_from(data, [best.parameters], probe, (low, high), solver=solver(ROUGH_ROUNDS if rough else 20))
    return best, others, [*told, *words]


def _roughness(data: TrialRuns, start: Array) -> tuple[float, Array]:
    """Change of the residuals, root mean square, in eight runs nearby; and changes of the parameters that are ten times
    that, between a tenth and three."""
    signs = np.sign(np.random.default_rng(0).normal(size=(NEARBY, len(start))))
    nearby = np.clip(start + NEAR * signs, *data.ends)
    here, *beside = (np.concatenate(each) for each in data.residuals([start, *nearby]))
    roughness = float(np.sqrt(np.mean((np.array(beside) - here) ** 2)))
    J = np.concatenate(linearised(data, start, np.full(len(start), ROUGH_PROBE), data.ends).J)
    slopes = np.sqrt((J**2).mean(axis=0))
    return roughness, np.clip(10.0 * roughness / np.maximum(slopes, 1e-12), ROUGH_PROBE, 3.0 * ROUGH_PROBE)


def _evolved(data: TrialRuns, start: Array) -> Array:
    """The best parameters that CMA-ES finds between the bounds."""
    low, high = data.ends
    engine = needed_cma().CMAEvolutionStrategy(
        np.clip((start - low) / (high - low), 0.0, 1.0),
        0.2,
        {"bounds": [0.0, 1.0], "seed": 1, "verbose": -9, "verb_log": 0, "maxfevals": EVOLVED * len(start)},
    )
    while not engine.stop():
        points = engine.ask()
        engine.tell(points, [data.cost(low + point * (high - low)) for point in points])
    return np.asarray(low + engine.result.xbest * (high - low))


def _judged(data: TrialRuns, fit: Fit) -> Identified:
    """Intervals: curvature of the sum of squares, a bootstrap over runs (or over blocks of them), and the profile at
    their ends; the widest."""
    parameters, number = data.parameters, sum(len(r) for r in fit.residuals)
    series = data.series(fit.parameters)
    same = alike(series, max(map(len, series)) ** 0.5) if series else 1.0
    covariance, freedom, variance = uncertainty(fit, same, least=1.0)
    reduced = fit.cost / max(number - len(parameters), 1)
    quantile = student(freedom)
    covariance = bootstrapped(data.drawn_from(fit), covariance, FEWEST_RUNS)
    profile = _profiled(data, fit, covariance, quantile, quantile**2 * variance * same)
    about = [f"{len(data.runs)} measured runs, {number} residuals, {reduced**0.5:.2g} times their sigma"]
    if reduced > FLAGGED:
        about.append(
            f"the model does not explain the data: residuals are {reduced**0.5:.2g} times their sigma; intervals were "
            "widened by that, and parameters may make up for what is missing"
        )
    more = {
        "reduced_sum": reduced,
        "sigma": {word: size.tolist() for word, size in data.sigmas.items()},
        "priors": {each.path: each.prior for each in parameters if each.prior},
    }
    return Identified(
        tuple(each.path for each in parameters),
        _values(parameters, fit.parameters),
        covariance,
        quantile,
        float(np.sqrt(reduced)),
        len(data.runs),
        "log",
        tuple(about),
        spans=tuple(0.0 if each.is_log else each.high - each.low for each in parameters),
        profile=profile,
        more=more,
    )


def _profiled(data: TrialRuns, fit: Fit, covariance: Array, quantile: float, rise: float) -> Array:
    """(p, 2) factors by which the interval reaches farther down and up than the covariance says: where the sum of
    squares rises less than its curvature has it, with one parameter at the end and the others where they fit best; and
    where something that was run far away fits as well."""
    low, high = data.ends
    grow = np.ones((len(covariance), 2))
    J = np.concatenate(fit.J)
    for k in range(len(grow)):
        half, others = quantile * covariance[k, k] ** 0.5, np.arange(len(grow)) != k
        for side, sign in enumerate((-1.0, 1.0)):
            at = np.clip(fit.parameters + sign * half * covariance[:, k] / covariance[k, k], low, high)
            if half > np.log(10.0) or not low[k] < at[k] < high[k]:
                continue  # not determined, or ends at a bound
            try:
                r = np.concatenate(data.residuals([at])[0])
                better = at.copy()
                better[others] -= np.linalg.lstsq(J[:, others], r, rcond=None)[0]
                rose = min(float(r @ r), data.cost(np.clip(better, low, high))) - fit.cost
            except SimulationError:
                continue
            grow[k, side] = np.clip((rise / max(rose, 1e-300)) ** 0.5, 1.0, FARTHEST_PROFILE)
    half = quantile * np.sqrt(np.diag(covariance))
    for there in data.tried():  # whatever was run and fits as well lies in it, too
        if data.cost(there) <= fit.cost + rise:
            off = (there - fit.parameters) / np.maximum(half, 1e-300)
            grow = np.maximum(grow, np.stack([-off, off], axis=1))
    return grow


def _at_bounds(parameters: list[FreeParameter], coordinates: Array) -> list[str]:
    return [
        f"{short(each.path)} ended on its {name} bound, {end:g}: its interval means nothing; widen --fit, or fix it"
        for each, x in zip(parameters, coordinates, strict=True)
        for end, name in ((each.low, "lower"), (each.high, "upper"))
        if abs(x - each.coordinate(end)) < AT_BOUND
    ]


def _without_effect(parameters: list[FreeParameter], fit: Fit) -> list[str]:
    moved = np.abs(np.concatenate(fit.J)).max(axis=0)
    return [
        f"{short(each.path)} changes nothing that was measured in these runs: leave it out of --fit"
        for each, size in zip(parameters, moved, strict=True)
        if size < WITHOUT_EFFECT
    ]


def _tested(apart: list[RunData], parameters: list[FreeParameter], before: Array, after: Array) -> list[str]:
    """How well runs that were not fitted to are met, before and after, in units of their own."""
    if not apart:
        return ["not tested on anything it was not fitted to (--test)"]
    data = TrialRuns(apart, parameters)
    told = []
    for word in dict.fromkeys(word for run in apart for word in run.counts):
        sizes = []
        for coordinates in (before, after):
            values = [each[word].reshape(-1, len(SIGMAS[word])) for each in data.compared(coordinates) if word in each]
            sizes.append(np.sqrt((np.concatenate(values) ** 2).mean(axis=0)))
        old, new = (", ".join(f"{size:.3g}" for size in each) for each in sizes)
        told.append(f"test: {word} off by {old} before the fit and {new} after ({len(apart)} runs not fitted to)")
    return told


__all__ = ["MeasuredRun", "identify"]
