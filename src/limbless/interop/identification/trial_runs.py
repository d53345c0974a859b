"""Measured runs beside what a scenario gives for trial values of its fields; each trial is run once and kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from limbless.core import Array, InputError, SimulationError
from limbless.interop.identification.free_parameters import FreeParameter
from limbless.interop.identification.least_squares import Fit, differences
from limbless.interop.identification.measured_run import SAMPLED, SIGMAS, RunData
from limbless.search.studies.sensitivity import moved_records
from limbless.simulation.simulate import run_scenario

FEWEST_RUNS = 4  # of a bootstrap over runs, or over blocks of two periods where there are fewer
FEWEST_REPEATS = 6  # differences between repeats of a run that make a sigma
MOVED = 1e-6  # of a coordinate, by which records are moved along their slopes
SAME_SLOPES = 1e-2  # of a column of slopes: exact ones and differences that differ by more are not of one motion


def _whole(value: Any) -> str:
    """All numbers of an array, where its text has a few."""
    return sha256(value.tobytes()).hexdigest() if isinstance(value, np.ndarray) else repr(value)


class Recorded:
    """Recorded variables in place of the result of a run."""

    def __init__(self, variables: dict[str, Array]) -> None:
        self.dataset = {name: SimpleNamespace(values=values) for name, values in variables.items()}


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
        self._sloped: dict[bytes, list[dict[str, Array]]] = {}
        self.exact = False  # whether runs carry their slopes along
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
            texts += [_whole(value) for data in run.measured.held for value in vars(data).values()]
        return sha256("\n".join(texts).encode()).hexdigest()[:16]

    def _read(self, store: Path) -> None:
        for line in store.read_text(encoding="utf-8").splitlines():
            try:
                row = json.loads(line)
            except ValueError:
                continue  # the last line of a fit that was killed while it wrote
            if row["of"] == self._mark:
                for name, kept in (("compared", self._kept), ("slopes", self._sloped)):
                    if name in row:
                        values = [{word: np.array(each) for word, each in run.items()} for run in row[name]]
                        kept[np.array(row["at"]).tobytes()] = values

    def _keep(self, name: str, coordinates: Array, made: list[dict[str, Array]]) -> None:
        if self.store is not None:
            values = [{word: each.tolist() for word, each in run.items()} for run in made]
            with self.store.open("a", encoding="utf-8") as file:
                file.write(json.dumps({"of": self._mark, "at": coordinates.tolist(), name: values}) + "\n")

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
            self._keep("compared", coordinates, made)
        return self._kept[key]

    def prove_slopes(self, start: Array, probe: Array) -> str:
        """Take exact slopes from here on, if runs have them and they are those of differences near the start; what was
        found, in words."""
        if any("windows" in run.counts for run in self.runs):
            return "slopes come from differences: windows begin anew from the log"
        low, high = self.ends
        start = np.clip(start, low + probe, high - probe)  # where differences are central
        try:
            self.exact = True
            mine = np.concatenate(self.slopes(start) or [])
        except (InputError, SimulationError) as error:
            self.exact = False
            return f"slopes come from differences: {str(error).split('; ')[0]}"
        other = np.concatenate(differences(self, start, self.residuals([start])[0], probe, self.ends))
        size = np.maximum(np.abs(other).max(axis=0), 1e-6 * max(float(np.abs(other).max()), 1e-300))
        off = np.abs(mine - other).max(axis=0) / size
        worst = int(off.argmax())
        self.exact = bool(off[worst] < SAME_SLOPES)
        if self.exact:
            return f"slopes are exact: runs carry them along (differences agree to {off[worst]:.1g})"
        return f"slopes come from differences: those carried along are not the same for {self.parameters[worst].path}"

    def slopes(self, coordinates: Array) -> list[Array] | None:
        """(N, p) of every block of residuals: exact derivatives in the coordinates; None where runs have none."""
        if not self.exact:
            return None
        key = coordinates.tobytes()
        if key not in self._sloped:
            self._sloped[key] = self._carried(coordinates)
            self._keep("slopes", coordinates, self._sloped[key])
        rates = np.array([each.rate(each.value(x)) for each, x in zip(self.parameters, coordinates, strict=True)])
        blocks = [
            np.concatenate([(each / self.sigma(run, w)[:, None]).reshape(-1, len(rates)) for w, each in made.items()])
            for run, made in zip(self.runs, self._sloped[key], strict=True)
        ]
        if self.priors:
            own = np.eye(len(rates))[[k for k, _ in self.priors]] * rates
            blocks.append(own / np.array([[each.prior[1]] for _, each in self.priors if each.prior]))
        return blocks

    def _carried(self, coordinates: Array) -> list[dict[str, Array]]:
        """(rows, columns, p) of what is compared, by runs moved along their slopes."""
        pairs = zip(self.parameters, coordinates, strict=True)
        shares = [each.changes(each.rate(each.value(x))) for each, x in pairs]
        changes, moved = self.changes(coordinates), {}
        for number in sorted(set(self.alike)):
            moved[number] = moved_records(self.runs[number].changed(changes), shares, MOVED)
            self.count += 1
        made: list[dict[str, Array]] = []
        for run, number in zip(self.runs, self.alike, strict=True):
            ends = [[run.compared(Recorded(each)) for each in pair] for pair in moved[number]]  # type: ignore[arg-type]
            made.append(
                {w: np.stack([(more[w] - less[w]) / (2.0 * MOVED) for less, more in ends], axis=-1) for w in ends[0][0]}
            )
        return made

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
        return [
            values / self.sigma(run, word)
            for run, each in zip(self.runs, self.compared(coordinates), strict=True)
            for word, values in each.items()
            if word in (*SAMPLED, "windows", "path")
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
