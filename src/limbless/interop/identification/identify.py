"""`identify`: fields of a scenario from measured runs, with intervals, what they do not determine, and a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.core import InputError, SimulationError
from limbless.interop.identification.identified import Identified
from limbless.interop.identification.least_squares import (
    Fit,
    alike,
    inverse,
    seen,
    solve,
    solve_from,
    student,
    unseen,
)
from limbless.interop.identification.measured_run import SIGMAS, MeasuredRun, RunData, runs_of
from limbless.scenarios.scenario import Scenario
from limbless.search.sweeps.parameter_ranges import Bounds, bounds_of
from limbless.simulation.simulate import run_scenario

Array = NDArray[np.float64]

PROBE, ROUGH_PROBE = 1e-3, 0.1  # change of a logarithm for derivatives; with contacts runs are rough
ROUGH_ROUNDS = 6
NEAR = 2e-3  # by which a parameter is moved to see how rough runs are
STARTS = 3
MOST_KEPT = 64  # runs that are remembered
FLAGGED = 2.0  # reduced sum of squares above which the model does not explain the data
BOOTSTRAPS = 400
FEWEST_RUNS = 4  # of a bootstrap over runs
AT_BOUND = 1e-6


class FreeParameter(NamedTuple):
    """One that is fitted: between bounds, by its logarithm where they are positive."""

    path: str
    low: float
    high: float
    prior: tuple[float, float] | None = None

    @property
    def is_log(self) -> bool:
        return self.low > 0.0

    def coordinate(self, value: float) -> float:
        return float(np.log(value)) if self.is_log else (value - self.low) / (self.high - self.low)

    def value(self, coordinate: float) -> float:
        return float(np.exp(coordinate)) if self.is_log else self.low + coordinate * (self.high - self.low)

    def slope(self, value: float) -> float:
        """Of the coordinate in the value."""
        return 1.0 / value if self.is_log else 1.0 / (self.high - self.low)


def free_parameters(fit: Mapping[str, Any], scenario: Scenario) -> list[FreeParameter]:
    """From path -> (low, high), or {between: [low, high], prior: [mean, sd]}; refused before anything runs."""
    if not fit:
        raise InputError(
            "fit: name one or more parameters with their bounds, such as {environment.ground.lateral: (0.2, 1)}"
        )
    found = []
    for path, given in fit.items():
        prior = None
        if isinstance(given, Mapping) and "between" in given:
            mean, sd = given.get("prior") or (0.0, 0.0)
            prior = (float(mean), float(sd)) if given.get("prior") else None
            if prior is not None and not sd > 0.0:
                raise InputError(
                    f"fit.{path}: prior: mean and standard deviation, which is positive; got {given['prior']}"
                )
            given = given["between"]
        bounds = given if isinstance(given, Bounds) else bounds_of(path, given, scenario)
        for end in (bounds.low, bounds.high):
            Scenario.load(scenario, {path: end})  # a path that is none, or a value that cannot be, is refused here
        found.append(FreeParameter(path, bounds.low, bounds.high, prior))
    return found


class _Runs:
    """All measured runs, and residuals of them over their sigmas for any coordinates of the parameters."""

    def __init__(self, runs: list[RunData], parameters: list[FreeParameter]) -> None:
        self.runs, self.parameters = runs, parameters
        self.priors = [(k, each) for k, each in enumerate(parameters) if each.prior is not None]
        self.own = [np.zeros(0) for _ in range(len(runs) + bool(self.priors))]
        self.sigmas = {word: np.array(size) for word, size in SIGMAS.items()}
        self._kept: dict[bytes, list[dict[str, Array]]] = {}
        self.count = 0

    def changes(self, coordinates: Array) -> dict[str, float]:
        return {each.path: each.value(x) for each, x in zip(self.parameters, coordinates, strict=True)}

    def compared(self, coordinates: Array) -> list[dict[str, Array]]:
        key = coordinates.tobytes()
        if key not in self._kept:
            while len(self._kept) > MOST_KEPT:
                self._kept.pop(next(iter(self._kept)))
            changes = self.changes(coordinates)
            made = []
            for run in self.runs:
                try:
                    result = run_scenario(Scenario.load(run.scenario, changes))
                except SimulationError as error:
                    raise SimulationError(f"identify: {run.name} could not be run with {changes}: {error}") from None
                self.count += 1
                made.append(run.compared(result))
            self._kept[key] = made
        return self._kept[key]

    def sigma(self, run: RunData, word: str) -> Array:
        stated = run.sigmas[word]
        return self.sigmas[word] if stated is None else stated

    def residuals(self, several: Sequence[Array]) -> list[list[Array]]:
        found = []
        for coordinates in several:
            blocks = [
                np.concatenate([(values / self.sigma(run, word)).ravel() for word, values in each.items()])
                for run, each in zip(self.runs, self.compared(coordinates), strict=True)
            ]
            if self.priors:
                values = [(each, each.value(coordinates[k])) for k, each in self.priors]
                blocks.append(
                    np.array([(value - each.prior[0]) / each.prior[1] for each, value in values if each.prior])
                )
            found.append(blocks)
        return found

    def own_slopes(self, parameters: Array, residuals: list[Array]) -> list[Array]:
        return [np.zeros((len(r), 0)) for r in residuals]

    def scaled(self, coordinates: Array) -> list[str]:
        """Sigmas that nobody stated, from the residuals themselves where there are enough; what was done, in words."""
        told = []
        for word in dict.fromkeys(word for run in self.runs for word in run.counts if run.sigmas[word] is None):
            several = [
                each[word]
                for run, each in zip(self.runs, self.compared(coordinates), strict=True)
                if word in run.counts and run.sigmas[word] is None
            ]
            values = np.concatenate([each.reshape(-1, len(SIGMAS[word])) for each in several])
            if len(values) < 3 * len(self.parameters) + 3:
                told.append(f"sigma of {word}: {', '.join(f'{size:g}' for size in SIGMAS[word])} assumed; state it")
                continue
            self.sigmas[word] = np.maximum(np.sqrt((values**2).mean(axis=0)), 1e-12)
            told.append(
                f"sigma of {word}: {', '.join(f'{size:.3g}' for size in self.sigmas[word])}, from the residual itself"
            )
        return told


def identify(
    source: Any,
    runs: Sequence[Any],
    fit: Mapping[str, Any] | None = None,
    *,
    test: Sequence[Any] = (),
    changes: Mapping[str, Any] | None = None,
    allow_code: bool = False,
    **film: Any,
) -> Identified:
    """Fit fields of a scenario to measurements.

    Parameters
    ----------
    source : the scenario, as for `run`; or a `Film`, with names of its medium's coefficients as `runs`.
    runs : measured runs: `MeasuredRun`s, mappings, or YAML files of them (names may contain *).
    fit : path -> (low, high), or {between: (low, high), prior: (mean, sd)}.
    test : runs that are not fitted, to compare the fitted and the original scenario.

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
    data = _Runs(measured, parameters)
    best, others, told = _fitted(data, _starts(scenario, parameters), rough)
    found = replace(_judged(data, best, rough), also=tuple(_values(parameters, other.parameters) for other in others))
    first = _starts(scenario, parameters)[0]
    about = [
        *found.about,
        *told,
        *_at_bounds(parameters, best.parameters),
        *_tested(apart, parameters, first, best.parameters),
    ]
    more = {**found.more, "bounds": {each.path: [each.low, each.high] for each in parameters}, "runs": data.count}
    more["fitted"] = data.changes(best.parameters)
    more["residuals"] = [
        {"run": run.name, **{word: values.tolist() for word, values in each.items()}}
        for run, each in zip(measured, data.compared(best.parameters), strict=True)
    ]
    return replace(found, about=tuple(about), more=more)


def _values(parameters: list[FreeParameter], coordinates: Array) -> Array:
    return np.array([each.value(x) for each, x in zip(parameters, coordinates, strict=True)])


def _starts(scenario: Scenario, parameters: list[FreeParameter]) -> list[Array]:
    """The scenario's own values where they lie within the bounds, and points spread between these."""
    from scipy.stats import qmc

    from limbless.scenarios.changes import Changes

    low = np.array([each.coordinate(each.low) for each in parameters])
    high = np.array([each.coordinate(each.high) for each in parameters])
    own = 0.5 * (low + high)
    data = scenario.model_dump()
    for k, each in enumerate(parameters):
        here: Any = data
        try:
            for part in next(iter(Changes(Scenario, data, {each.path: each.low}).made)):
                here = here[part]
        except (KeyError, IndexError, TypeError, StopIteration):
            here = None
        if isinstance(here, float | int) and each.low <= here <= each.high:
            own[k] = each.coordinate(float(here))
    spread = qmc.Sobol(len(parameters), scramble=False).random(4)[1:STARTS]
    return [own, *(low + (0.1 + 0.8 * point) * (high - low) for point in spread)]


def _fitted(data: _Runs, starts: list[Array], rough: bool) -> tuple[Fit, list[Fit], list[str]]:
    """The best minimum; once more where sigmas came from the residuals."""
    parameters = data.parameters
    low = np.array([each.coordinate(each.low) for each in parameters])
    high = np.array([each.coordinate(each.high) for each in parameters])
    probe = np.full(len(parameters), ROUGH_PROBE if rough else PROBE)
    told, gain = [], 1e-9
    if rough:
        base = np.concatenate(data.residuals([starts[0]])[0])
        beside = data.residuals([starts[0] + sign * NEAR for sign in (1.0, -1.0)])
        roughness = float(np.sqrt(np.mean([(np.concatenate(each) - base) ** 2 for each in beside])))
        gain = min(roughness / max(float(np.sqrt(np.mean(base**2))), 1e-12), 0.1)
        told.append(f"contacts make runs rough: residuals change by {roughness:.2g} sigma for 0.2 % of the parameters")

    def solver(data: Any, start: Array, probe: Array, bounds: Any) -> Fit:
        return solve(data, start, probe, bounds, ROUGH_ROUNDS if rough else 20, gain)

    best, others = solve_from(data, starts, probe, (low, high), tried=1 if rough else 2, solver=solver)
    words = data.scaled(best.parameters)
    if words:
        best, others = solve_from(data, [best.parameters], probe, (low, high), solver=solver)
    return best, others, [*told, *words]


def _judged(data: _Runs, fit: Fit, rough: bool) -> Identified:
    """Intervals: curvature of the sum of squares, the profile at its ends, and a bootstrap over runs; the widest."""
    parameters, information = data.parameters, fit.information
    number, p = sum(len(r) for r in fit.residuals), len(parameters)
    same = alike([r.reshape(-1, 1) for r in fit.residuals], number**0.5) if not rough else 1.0
    freedom = max(number / same - p, 1.0)
    reduced = fit.cost / max(number - p, 1)
    scale = max(reduced, 1.0) * same
    covariance = inverse(information) * scale + unseen(information)
    quantile = student(freedom)
    covariance = _bootstrapped(fit, covariance)
    if not rough and p > 1:
        covariance = _profiled(data, fit, covariance, quantile**2 * scale, quantile)
    about = [f"{len(data.runs)} measured runs, {number} residuals, {reduced**0.5:.2g} times their sigma"]
    if reduced > FLAGGED:
        about.append(
            f"the model does not explain the data: residuals are {reduced**0.5:.2g} times their sigma; intervals were "
            "widened by that, and parameters may make up for what is missing"
        )
    spans = tuple(0.0 if each.is_log else each.high - each.low for each in parameters)
    values = _values(parameters, fit.parameters)
    paths = tuple(each.path for each in parameters)
    more = {
        "reduced_sum": reduced,
        "sigma": {word: size.tolist() for word, size in data.sigmas.items()},
        "priors": {each.path: each.prior for each in parameters if each.prior},
    }
    size = float(np.sqrt(reduced))
    return Identified(
        paths, values, covariance, quantile, size, len(data.runs), "log", tuple(about), spans=spans, more=more
    )


def _bootstrapped(fit: Fit, covariance: Array) -> Array:
    """The wider of a covariance and that of runs drawn again, each fit one step of Newton's method away."""
    count = len(fit.residuals)
    if count < FEWEST_RUNS:
        return covariance
    rng, V = np.random.default_rng(0), seen(fit.information)
    A = [V.T @ j.T @ j @ V for j in fit.reduced]
    g = [V.T @ j.T @ r for j, r in zip(fit.reduced, fit.free, strict=True)]
    steps = []
    for _ in range(BOOTSTRAPS):
        drawn = rng.integers(0, count, count)
        H = np.sum([A[i] for i in drawn], axis=0)
        if np.linalg.cond(H) < 1e12:
            steps.append(V @ np.linalg.solve(H, np.sum([g[i] for i in drawn], axis=0)))
    if len(steps) < BOOTSTRAPS // 2:
        return covariance
    other = np.atleast_2d(np.cov(np.array(steps).T))
    grow = np.sqrt(np.maximum(np.diag(other) / np.maximum(np.diag(covariance), 1e-300), 1.0))
    return np.asarray(covariance * np.outer(grow, grow))


def _profiled(data: _Runs, fit: Fit, covariance: Array, rise: float, quantile: float) -> Array:
    """Wider where the sum of squares rises less than its curvature says, with one parameter at the end of its interval
    and the others where they fit best then."""
    grow = np.ones(len(covariance))
    low = np.array([each.coordinate(each.low) for each in data.parameters])
    high = np.array([each.coordinate(each.high) for each in data.parameters])
    for k in range(len(grow)):
        half = quantile * covariance[k, k] ** 0.5
        others = np.arange(len(grow)) != k
        along = covariance[:, k] / covariance[k, k] if half < np.log(10.0) else None
        for sign in (1.0, -1.0) if along is not None else ():
            at = np.clip(fit.parameters + sign * half * along, low, high)
            if not low[k] < at[k] < high[k]:
                continue
            try:
                r, J = _slopes(data, at, others)
                step = -np.linalg.lstsq(J, r, rcond=None)[0]
                best = float(((r + J @ step) ** 2).sum())
            except SimulationError:
                continue
            rose = best - fit.cost
            if 0.0 < rose < rise:
                grow[k] = max(grow[k], min((rise / rose) ** 0.5, 3.0))
    return np.asarray(covariance * np.outer(grow, grow))


def _slopes(data: _Runs, at: Array, which: NDArray[np.bool_]) -> tuple[Array, Array]:
    axes = np.eye(len(at))[which]
    several = data.residuals([at, *(at + PROBE * axis for axis in axes)])
    here, *beside = (np.concatenate(each) for each in several)
    return here, np.stack([(other - here) / PROBE for other in beside], axis=1)


def _at_bounds(parameters: list[FreeParameter], coordinates: Array) -> list[str]:
    told = []
    for each, x in zip(parameters, coordinates, strict=True):
        for end, name in ((each.low, "lower"), (each.high, "upper")):
            if abs(x - each.coordinate(end)) < AT_BOUND:
                told.append(
                    f"{each.path} ended on its {name} bound, {end:g}: its interval means nothing; widen --fit, or "
                    "fix it"
                )
    return told


def _tested(apart: list[RunData], parameters: list[FreeParameter], before: Array, after: Array) -> list[str]:
    """How well runs that were not fitted to are met, before and after, in units of their own."""
    if not apart:
        return ["not tested on anything it was not fitted to (--test)"]
    data = _Runs(apart, parameters)
    told = []
    for word in dict.fromkeys(word for run in apart for word in run.counts):
        sizes = []
        for coordinates in (before, after):
            values = [each[word].reshape(-1, len(SIGMAS[word])) for each in data.compared(coordinates) if word in each]
            sizes.append(np.sqrt((np.concatenate(values) ** 2).mean(axis=0)))
        pair = [", ".join(f"{size:.3g}" for size in each) for each in sizes]
        told.append(
            f"test: {word} off by {pair[0]} before the fit and {pair[1]} after ({len(apart)} runs not fitted to)"
        )
    return told


def write_fit(
    found: Identified, source: Any, folder: str | Path, changes: Mapping[str, Any] | None = None
) -> list[Path]:
    """`fitted.yaml`, which runs; `fit.json` with everything; `residuals/RUN.csv`."""
    import json

    from limbless.core import __version__, below, write_table, write_text

    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    fitted = Scenario.load(Scenario.load(source, changes), found.more["fitted"])
    numbers = {**found.numbers(), "lines": found.lines(), "limbless": __version__}
    residuals = numbers.pop("residuals")
    header = "".join(f"# {line}\n" for line in found.lines())
    paths = [write_text(place / "fitted.yaml", header + fitted.to_yaml())]
    paths.append(write_text(place / "fit.json", json.dumps(numbers, indent=2, default=float) + "\n"))
    for number, each in enumerate(residuals):
        columns = {
            f"{word} {k}": column
            for word, values in each.items()
            if word != "run"
            for k, column in enumerate(np.asarray(values).T)
        }
        file = below(place, "residuals", f"{number}-{_word(each['run'])}.csv")
        file.parent.mkdir(exist_ok=True)
        paths.append(write_table(file, columns))
    return paths


def _word(text: str) -> str:
    from limbless.core import as_word

    return as_word(text)


__all__ = ["MeasuredRun", "identify", "write_fit"]
