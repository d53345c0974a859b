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
    bootstrapped,
    linearised,
    solve,
    solve_from,
    student,
    uncertainty,
)
from limbless.interop.identification.measured_run import SIGMAS, MeasuredRun, RunData, runs_of
from limbless.scenarios.changes import Changes
from limbless.scenarios.scenario import Scenario
from limbless.search.optimisation.optimisers import needed_cma
from limbless.search.sweeps.parameter_ranges import Bounds, bounds_of
from limbless.simulation.simulate import run_scenario

Array = NDArray[np.float64]

PROBE, ROUGH_PROBE = 1e-3, 0.1  # change of a logarithm for derivatives; with contacts runs are rough
ROUGH_TURNS, ROUGH_ROUNDS = 2, 6  # turns from every start, and from the best of them
NEAR, NEARBY = 2e-3, 8  # by which parameters are moved to see how rough runs are, and how often
STARTS = 3
EVOLVED = 50  # evaluations of CMA-ES for each parameter
FARTHEST_PROFILE = 3.0  # by which a profile may widen an interval
MOST_KEPT = 64  # runs that are remembered
FLAGGED = 2.0  # reduced sum of squares above which the model does not explain the data
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


def value_of(scenario: Scenario, path: str) -> Any:
    """What a scenario has at a path at which a number may stand; a path that is none is refused."""
    try:
        Scenario.load(scenario, {path: 1.0})
    except InputError as error:
        raise InputError(str(error).replace(f"--set {path}=1.0: ", "identify: ")) from None
    here: Any = scenario.model_dump()
    for part in next(iter(Changes(Scenario, here, {path: 1.0}).made)):
        here = here[part]
    return here


class _Runs:
    """All measured runs, and residuals of them over their sigmas for any coordinates of the parameters."""

    def __init__(self, runs: list[RunData], parameters: list[FreeParameter]) -> None:
        self.runs, self.parameters = runs, parameters
        self.priors = [(k, each) for k, each in enumerate(parameters) if each.prior is not None]
        self.own = [np.zeros(0) for _ in range(len(runs) + bool(self.priors))]
        self.sigmas = {word: np.array(size) for word, size in SIGMAS.items()}
        self._kept: dict[bytes, list[dict[str, Array]]] = {}
        self.count = 0
        self.ends = (
            np.array([each.coordinate(each.low) for each in parameters]),
            np.array([each.coordinate(each.high) for each in parameters]),
        )

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

    def cost(self, coordinates: Array) -> float:
        """Sum of squares."""
        return sum(float(r @ r) for r in self.residuals([coordinates])[0])

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

    low, high = (np.array([each.coordinate(getattr(each, end)) for each in parameters]) for end in ("low", "high"))
    own = 0.5 * (low + high)
    for k, each in enumerate(parameters):
        here = value_of(scenario, each.path)
        if isinstance(here, float | int) and each.low <= here <= each.high:
            own[k] = each.coordinate(float(here))
    spread = qmc.Sobol(len(parameters), scramble=False).random(4)[1:STARTS]
    return [own, *(low + (0.1 + 0.8 * point) * (high - low) for point in spread)]


def _fitted(data: _Runs, starts: list[Array], rough: bool) -> tuple[Fit, list[Fit], list[str]]:
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

    def solver(rounds: int) -> Any:
        return lambda data, start, probe, bounds: solve(data, start, probe, bounds, rounds, gain)

    first = solver(ROUGH_TURNS if rough else 20)
    best, others = solve_from(data, starts, probe, (low, high), STARTS, first)
    if rough:
        if min(data.cost(start) for start in starts) * (1.0 - gain) <= best.cost:
            told.append("two turns of least squares changed no more than roughness does: CMA-ES was taken")
            starts = [_evolved(data, best.parameters)]
        else:
            starts = [best.parameters]
        best, _ = solve_from(data, starts, probe, (low, high), solver=solver(ROUGH_ROUNDS))
    words = data.scaled(best.parameters)
    if words:
        best, _ = solve_from(data, [best.parameters], probe, (low, high), solver=solver(ROUGH_ROUNDS if rough else 20))
    return best, others, [*told, *words]


def _roughness(data: _Runs, start: Array) -> tuple[float, Array]:
    """Change of the residuals, root mean square, in eight runs nearby; and changes of the parameters that are ten times
    that, between a tenth and three."""
    signs = np.sign(np.random.default_rng(0).normal(size=(NEARBY, len(start))))
    here, *beside = (np.concatenate(each) for each in data.residuals([start, *(start + NEAR * sign for sign in signs)]))
    roughness = float(np.sqrt(np.mean((np.array(beside) - here) ** 2)))
    J = np.concatenate(linearised(data, start, np.full(len(start), ROUGH_PROBE)).J)
    slopes = np.sqrt((J**2).mean(axis=0))
    return roughness, np.clip(10.0 * roughness / np.maximum(slopes, 1e-12), ROUGH_PROBE, 3.0 * ROUGH_PROBE)


def _evolved(data: _Runs, start: Array) -> Array:
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


def _judged(data: _Runs, fit: Fit, rough: bool) -> Identified:
    """Intervals: curvature of the sum of squares, a bootstrap over runs (or over blocks of them), and the profile at
    their ends; the widest."""
    parameters, number = data.parameters, sum(len(r) for r in fit.residuals)
    same = alike([r.reshape(-1, 1) for r in fit.residuals], number**0.5) if not rough else 1.0
    covariance, freedom, variance = uncertainty(fit, same, least=1.0)
    reduced = fit.cost / max(number - len(parameters), 1)
    quantile = student(freedom)
    covariance = bootstrapped(fit, covariance, FEWEST_RUNS)
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


def _profiled(data: _Runs, fit: Fit, covariance: Array, quantile: float, rise: float) -> Array:
    """(p, 2) factors by which the interval reaches farther down and up than the covariance says: where the sum of
    squares rises less than its curvature has it, with one parameter at the end and the others where they fit best."""
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
    return grow


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
