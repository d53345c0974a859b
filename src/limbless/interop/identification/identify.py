"""`identify`: fields of a scenario from measured runs, with intervals, what they do not determine, and a test."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import InputError, SimulationError
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
from limbless.interop.identification.measured_run import SAMPLED, SIGMAS, MeasuredRun, RunData, runs_of
from limbless.scenarios.scenario import Scenario
from limbless.search.optimisation.optimisers import needed_cma
from limbless.simulation.simulate import run_scenario

Array = NDArray[np.float64]

PROBE, ROUGH_PROBE = 1e-3, 0.1  # change of a logarithm for derivatives; with contacts runs are rough
ROUGH_TURNS, ROUGH_ROUNDS = 2, 6  # turns from every start, and from the best of them
NEAR, NEARBY = 2e-3, 8  # by which parameters are moved to see how rough runs are, and how often
STARTS = 3
EVOLVED = 50  # evaluations of CMA-ES for each parameter
FARTHEST_PROFILE = 3.0  # by which a profile may widen an interval
FLAGGED = 2.0  # reduced sum of squares above which the model does not explain the data
FEWEST_RUNS = 4  # of a bootstrap over runs, or over blocks of two periods where there are fewer
FEWEST_REPEATS = 6  # differences between repeats of a run that make a sigma
AT_BOUND = 1e-6
WITHOUT_EFFECT = 1e-6  # sigmas, for e times the parameter


def _whole(value: Any) -> str:
    """All numbers of an array, where its text has a few."""
    return sha256(value.tobytes()).hexdigest() if isinstance(value, np.ndarray) else repr(value)


class _Runs:
    """All measured runs, and residuals of them over their sigmas for any coordinates of the parameters."""

    def __init__(self, runs: list[RunData], parameters: list[FreeParameter], store: Path | None = None) -> None:
        self.runs, self.parameters = runs, parameters
        scenarios = [run.scenario for run in runs]
        self.alike = [scenarios.index(scenario) for scenario in scenarios]  # repeats: each is run once
        self.priors = [(k, each) for k, each in enumerate(parameters) if each.prior is not None]
        self.own = [np.zeros(0) for _ in range(len(runs) + bool(self.priors))]
        self.sigmas = {word: np.array(size) for word, size in SIGMAS.items()}
        self._kept: dict[bytes, list[dict[str, Array]]] = {}
        self.count = 0
        self.store = store
        if store is not None and store.is_file():
            self._read(store)
        self.ends = (
            np.array([each.coordinate(each.low) for each in parameters]),
            np.array([each.coordinate(each.high) for each in parameters]),
        )

    @cached_property
    def _mark(self) -> str:
        """Of what was measured and is fitted: runs that were kept for anything else are not taken."""
        texts = [repr(self.parameters)]
        for run in self.runs:
            texts += [run.scenario.to_yaml(), repr(run.counts), repr(run.measured.skip), repr(run.measured.delay)]
            held = [data for data in (run.measured.log, run.measured.track) if data is not None]
            texts += [str(value) for data in held for value in map(_whole, vars(data).values())]
        return sha256("\n".join(texts).encode()).hexdigest()[:16]

    def _read(self, store: Path) -> None:
        for line in store.read_text(encoding="utf-8").splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue  # the last line of a fit that was killed while it wrote
            if row["of"] == self._mark:
                values = [{word: np.array(each) for word, each in run.items()} for run in row["compared"]]
                self._kept[np.array(row["at"]).tobytes()] = values

    def changes(self, coordinates: Array) -> dict[str, float]:
        pairs = zip(self.parameters, coordinates, strict=True)
        return {path: value for each, x in pairs for path, value in each.changes(each.value(x)).items()}

    def compared(self, coordinates: Array) -> list[dict[str, Array]]:
        key = coordinates.tobytes()
        if key not in self._kept:
            changes = self.changes(coordinates)
            results = {}
            for number in sorted(set(self.alike)):
                run = self.runs[number]
                try:
                    results[number] = run_scenario(run.changed(changes))
                except (SimulationError, InputError) as error:  # a step may be too long for the gains of a trial
                    raise SimulationError(f"identify: {run.name} could not be run with {changes}: {error}") from None
                self.count += 1
            made = [run.compared(results[number]) for run, number in zip(self.runs, self.alike, strict=True)]
            self._kept[key] = made
            if self.store is not None:
                values = [{word: each.tolist() for word, each in run.items()} for run in made]
                with self.store.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"of": self._mark, "at": coordinates.tolist(), "compared": values}) + "\n")
        return self._kept[key]

    def tried(self) -> list[Array]:
        """Coordinates that were run."""
        return [np.frombuffer(key) for key in self._kept]

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
        """Sigmas that nobody stated: from repeats of a run, else from the residuals themselves, where there are enough;
        what was done, in words."""
        told = []
        for word in dict.fromkeys(word for run in self.runs for word in run.counts if run.sigmas[word] is None):
            repeats: dict[Any, list[Array]] = {}
            for run, number, each in zip(self.runs, self.alike, self.compared(coordinates), strict=True):
                if word in run.counts and run.sigmas[word] is None:
                    values = each[word].reshape(-1, len(SIGMAS[word]))
                    repeats.setdefault((number, len(values)), []).append(values)
            apart = np.concatenate([value - np.mean(each, axis=0) for each in repeats.values() for value in each])
            freedom = sum(len(each[0]) * (len(each) - 1) for each in repeats.values())
            values = np.concatenate([value for each in repeats.values() for value in each])
            if freedom >= FEWEST_REPEATS:
                square, origin = (apart**2).sum(axis=0) / freedom, "from repeats"
            elif len(values) >= 3 * len(self.parameters) + 3:
                square, origin = (values**2).mean(axis=0), "from the residual itself"
            else:
                square, origin = self.sigmas[word] ** 2, "assumed; state it"
            self.sigmas[word] = np.maximum(np.sqrt(square), 1e-12)
            told.append(f"sigma of {word}: {', '.join(f'{size:.3g}' for size in self.sigmas[word])}, {origin}")
        return told

    def series(self, coordinates: Array) -> list[Array]:
        """What is compared sample by sample, over its sigma: (T, columns) each."""
        pairs = zip(self.runs, self.compared(coordinates), strict=True)
        return [
            values / self.sigma(run, word)
            for run, each in pairs
            for word, values in each.items()
            if word in SAMPLED or word == "path"
        ]

    def drawn_from(self, fit: Fit) -> Fit:
        """What a bootstrap draws from: runs, or blocks of two periods where there are few runs."""
        if len(self.runs) >= FEWEST_RUNS:
            return fit
        residuals, J = list(fit.residuals[len(self.runs) :]), list(fit.J[len(self.runs) :])
        pairs = zip(self.runs, self.compared(fit.parameters), fit.residuals, fit.J, strict=False)
        for run, each, r, j in pairs:
            label = np.concatenate(
                [np.repeat(run.blocks(word, len(values)), values.shape[1]) for word, values in each.items()]
            )
            for block in np.unique(label):
                residuals.append(r[label == block])
                J.append(j[label == block])
        return fit._replace(residuals=residuals, J=J, Z=[np.zeros((len(r), 0)) for r in residuals])


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
    data = _Runs(measured, parameters, store)
    best, others, told = _fitted(data, _starts(scenario, parameters), rough)
    found = replace(_judged(data, best), also=tuple(_values(parameters, other.parameters) for other in others))
    first = _starts(scenario, parameters)[0]
    about = [
        *found.about,
        *told,
        *_at_bounds(parameters, best.parameters),
        *_without_effect(parameters, best),
        *_tested(apart, parameters, first, best.parameters),
    ]
    more = {**found.more, "bounds": {each.path: [each.low, each.high] for each in parameters}, "runs": data.count}
    more["fitted"] = data.changes(best.parameters)
    more["sigmas"] = [{word: data.sigma(run, word).tolist() for word in run.counts} for run in measured]
    more["residuals"] = [
        {"run": run.name, **{word: values.tolist() for word, values in each.items()}}
        for run, each in zip(measured, data.compared(best.parameters), strict=True)
    ]
    return replace(found, about=tuple(about), more=more, runs=tuple(measured))


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
    nearby = np.clip(start + NEAR * signs, *data.ends)
    here, *beside = (np.concatenate(each) for each in data.residuals([start, *nearby]))
    roughness = float(np.sqrt(np.mean((np.array(beside) - here) ** 2)))
    J = np.concatenate(linearised(data, start, np.full(len(start), ROUGH_PROBE), data.ends).J)
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


def _judged(data: _Runs, fit: Fit) -> Identified:
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


def _profiled(data: _Runs, fit: Fit, covariance: Array, quantile: float, rise: float) -> Array:
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
    told = []
    for each, x in zip(parameters, coordinates, strict=True):
        for end, name in ((each.low, "lower"), (each.high, "upper")):
            if abs(x - each.coordinate(end)) < AT_BOUND:
                told.append(
                    f"{short(each.path)} ended on its {name} bound, {end:g}: its interval means nothing; widen --fit, "
                    "or fix it"
                )
    return told


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


__all__ = ["MeasuredRun", "identify"]
