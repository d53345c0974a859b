"""Measured runs beside what a scenario gives for trial values of its fields; each trial is run once and kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import InputError, SimulationError
from limbless.interop.identification.free_parameters import FreeParameter
from limbless.interop.identification.least_squares import Fit
from limbless.interop.identification.measured_run import SAMPLED, SIGMAS, RunData
from limbless.simulation.simulate import run_scenario

Array = NDArray[np.float64]

FEWEST_RUNS = 4  # of a bootstrap over runs, or over blocks of two periods where there are fewer
FEWEST_REPEATS = 6  # differences between repeats of a run that make a sigma


def _whole(value: Any) -> str:
    """All numbers of an array, where its text has a few."""
    return sha256(value.tobytes()).hexdigest() if isinstance(value, np.ndarray) else repr(value)


class TrialRuns:
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
