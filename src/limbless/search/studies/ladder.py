"""The ladder: one scenario through every model that takes it; what differs by the model, and what by numerics."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.control.actuation.seen_gait import SeenGait
from limbless.core import InputError, SimulationError, html_table, nearest, spawned, write_table, write_text
from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.scenarios.one_animal import base_shift
from limbless.scenarios.scenario import Initial, Scenario
from limbless.search.measures import known, measured
from limbless.search.measures.measure_registry import STEADY
from limbless.search.studies.error_bars import Watch, error_bars, watching
from limbless.search.studies.ladder_curves import (
    PLACES,
    between,
    clock_of,
    curves_of,
    length_of,
    matched,
    moment_of,
    spread,
)
from limbless.simulation import comparison
from limbless.simulation.comparison import ComparedNumber
from limbless.simulation.result import FILE_NAME, Result
from limbless.simulation.simulate import run_scenario

if TYPE_CHECKING:
    import xarray as xr

RUNGS = ("soft", "non-smooth", "macro-continuous", "newton-euler", "geometric", "tendon-statics")
"""All models, that with the most physics first."""
ANSWERING = ("tension", "tendon-length", "winch-torque", "effort")
"""What gaits drive where the shape is what the body answers with: other models follow the shape of the first run."""
_NO_NUMBER = ("simulated", "computed in", "cost")
"""What says nothing about the animal, or has no error bar ("cost" is a row, and "cost of transport" is kept)."""
_INSTANTS = 41  # instants of a motion at which statics has its equilibria


@dataclass
class Rung:
    """One model of a ladder: its result with error bars, or why there is none."""

    model: str
    label: str
    result: Result | None = None
    refused: str = ""
    measures: dict[str, float | None] = field(default_factory=dict)
    # of measures, and the largest of every curve
    errors: dict[str, Any] = field(default_factory=dict)


@dataclass
class Ladder:
    """One scenario through several models; the first rung that ran is what the others are compared with."""

    rungs: list[Rung]

    @property
    def ran(self) -> list[Rung]:
        return [rung for rung in self.rungs if rung.result is not None]

    @property
    def refused(self) -> list[Rung]:
        return [rung for rung in self.rungs if rung.result is None]

    @property
    def results(self) -> list[Result]:
        return [rung.result for rung in self.rungs if rung.result is not None]

    def lines(self) -> list[ComparedNumber]:
        """The numbers of `limbless compare`, then other measures that a rung has, with their numerical errors."""
        found, ran = comparison.lines(self.results), self.ran
        for name in dict.fromkeys(name for rung in ran for name, value in rung.measures.items() if value is not None):
            values, errors = zip(*((rung.measures.get(name), rung.errors.get(name)) for rung in ran), strict=True)
            found.append(ComparedNumber(name.replace("_", " "), known()[name].unit.strip("1"), values, errors))
        return found

    def numbers(self) -> list[ComparedNumber]:
        """Those of them that say something about the animal."""
        return [line for line in self.lines() if line.label not in _NO_NUMBER]

    def verdict(self, line: ComparedNumber, number: int) -> str:
        """Why a number of a rung differs from that of the first: `model form` where it differs by more than both
        numerical errors, `numerical error` where it does not, nothing where an error is not known."""
        found = line.difference(number)
        if found is None or found[1] is None:
            return ""
        return "model form" if abs(found[0]) > found[1] else "numerical error"

    def rows(self) -> list[tuple[str, ...]]:
        """The table in words: each number ± its error, how far each rung is from the first and why, and the spread."""
        count = len(self.results)
        lines = [line for line in self.lines() if line.label not in _NO_NUMBER[:2]]
        told = [("model", *comparison.models_of(self.results), *[""] * count)]
        for line, row in zip(lines, comparison.rows(lines, count), strict=True):
            values = [value for value in line.values if value is not None]
            largest = max(map(abs, values), default=0.0)
            spread = f"{100.0 * (max(values) - min(values)) / largest:.2g} %" if largest else ""
            apart = ((comparison.difference(line, n, bars=False), self.verdict(line, n)) for n in range(1, count))
            told.append((*row[: count + 1], *(", ".join(filter(None, pair)) for pair in apart), spread))
        return told

    @property
    def heads(self) -> tuple[str, ...]:
        labels = [rung.label for rung in self.ran]
        return ("number", *labels, *(f"{label} differs by" for label in labels[1:]), "spread")

    def _repr_html_(self) -> str:
        """Its table, and the models that refused, for notebooks."""
        return html_table([self.heads, *self.rows(), *((rung.label, rung.refused) for rung in self.refused)])

    def curves(self) -> list[str]:
        """How far each rung is from the first along curves: the paths of the centre of mass and of the tip, and the
        moment inside the body, where both rungs have them. Largest and rms difference, where the largest is, and
        whether it is larger than the largest numerical errors of both curves."""
        first, *others = self.ran
        told = []
        for rung in others:
            for name, at, one, other in matched(first.result, rung.result):
                apart = np.linalg.norm(other - one, axis=-1)
                worst = np.unravel_index(apart.argmax(), apart.shape)
                where = ", ".join(f"{axis[k]:.3g} {unit}" for (axis, unit), k in zip(at, worst, strict=True))
                line = ComparedNumber(name, "", (0.0, apart.max()), (first.errors.get(name), rung.errors.get(name)))
                found, why = line.difference(1), self.verdict(line, 1)
                bar = f" ± {found[1]:.1e}" if found and found[1] is not None else ""
                told.append(
                    f"{rung.label}: {name} differs from {first.label} by {apart.max():.3g}{bar} at most (at {where}), "
                    f"{np.sqrt((apart**2).mean()):.3g} rms{': ' if why else ''}{why}"
                )
        return told

    def told(self) -> list[str]:
        """How far curves are apart, what each rung is to know of itself alone, and in words why models refused."""
        notes = [rung.result.scenario.notes() if rung.result and rung.result.scenario else () for rung in self.ran]
        own = [
            f"{rung.label}: {note}"
            for rung, said in zip(self.ran, notes, strict=True)
            for note in said
            if sum(note in others for others in notes) < len(notes)
        ]
        return [*self.curves(), *own, *(f"{rung.model}: refused: {rung.refused}" for rung in self.refused)]

    def at(self, time: float) -> xr.Dataset:
        """Every model at one instant, in the posture of the first rung, with its velocities and the accelerations of
        its shape: `internal_moment` (rung, abscissa, axis), N m, along the axes of the sections. Nothing accumulates
        here, so that models must agree best. Rungs without moments inside the body are left out.
        """
        import xarray

        first = self.results[0]
        times = first.dataset["time"].values
        if not times[0] <= time <= times[-1]:
            raise InputError(f"time: the ladder covers {times[0]:g} to {times[-1]:g} s; got {time:g} s")
        with TemporaryDirectory(prefix="limbless-") as folder:
            first.save(Path(folder) / FILE_NAME)
            found = {}
            for rung in self.ran:
                assert rung.result is not None
                now = run_scenario(_instant(rung.result.scenario, first, folder, time))
                along = moment_of(now)
                if along is not None:
                    found[rung.label] = between(along[0], spread(*along[1:]), np.zeros(1))[0]
        if len(found) < 2:
            raise InputError("ladder.at: fewer than two rungs have a moment inside the body")
        X = np.linspace(0.0, 1.0, PLACES) * length_of(first.dataset)
        return xarray.Dataset(
            {"internal_moment": (("rung", "abscissa", "axis"), np.array([*found.values()]), {"units": "N m"})},
            {"rung": [*found], "abscissa": X, "axis": list("xyz")},
            {"time": time},
        )

    def to_markdown(self) -> str:
        """The table, and what there is to know beside it."""
        lines = [self.heads, ("---",) * len(self.heads), *self.rows()]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return table + "\n" + "".join(f"\n- {line}" for line in self.told()) + "\n"

    def write(self, folder: str | Path) -> Path:
        """`ladder.csv`, `ladder.md`, `ladder.tex` and a folder for each run."""
        folder, labels = Path(folder), [rung.label for rung in self.ran]
        lines = self.lines()
        table = comparison.columns(lines, labels)
        for number, label in enumerate(labels[1:], 1):
            apart = [line.difference(number) for line in lines]
            table[f"{label} - {labels[0]}"] = ["" if one is None else one[0] for one in apart]
            table[f"{label} differs by"] = [self.verdict(line, number) for line in lines]
        write_table(folder / "ladder.csv", table)
        write_text(folder / "ladder.md", self.to_markdown())
        write_text(folder / "ladder.tex", comparison.latex(lines, labels, comparison.models_of(self.results)))
        first = (folder / self.ran[0].model).resolve()
        for rung in self.ran:
            assert rung.result is not None
            _follow(rung.result, str(first))
            rung.result.write(folder / rung.model)
        return folder


def ladder(
    source: str | Path | Mapping[str, Any] | Scenario,
    changes: Mapping[str, Any] | None = None,
    *,
    models: Sequence[str] | None = None,
    watch: Watch | None = None,
    workers: int | None = None,
) -> Ladder:
    """Run a scenario through several models, each with its error bars (step, quadrature, number of links).

    Where the gait pulls tendons or muscles, the shape is what the body answers with: the first rung that ran gives its
    motion to models that follow a shape (`gait: {kind: recorded, result: ..}`).

    Parameters
    ----------
    source, changes : as for `run`.
    models : kinds of models, that with the most physics first; all that there are if absent. One that does not take
        the scenario is a rung with the reason.
    watch : as for `error_bars`; of rungs that run side by side, one for all of them.
    workers : processes, one rung each; one per core if absent, and 0 runs all in this process.
    """
    wanted = list(RUNGS if models is None else models)
    for kind in wanted:
        if kind not in RUNGS:
            raise InputError(f"models: unknown model {kind!r}; {nearest(kind, RUNGS)}")
        if wanted.count(kind) > 1:
            raise InputError(f"models: {kind!r} is named twice; name each model once")
    animal, found = Scenario.load(source, changes), Ladder([])
    with TemporaryDirectory(prefix="limbless-") as folder:
        while animal.gait.drives in ANSWERING and wanted and not found.ran:  # the others follow the first that runs
            kind = wanted.pop(0)
            found.rungs.append(_rung(kind, animal, _seen(animal, kind, found, Path(folder)), watch))
        if found.ran:
            found.results[0].save(Path(folder) / FILE_NAME)
        tasks = [(kind, animal, _seen(animal, kind, found, Path(folder))) for kind in wanted]
        found.rungs += _side_by_side(tasks, os.cpu_count() or 1 if workers is None else workers, watch)
    if len(found.ran) < 2:
        told = "; ".join(f"{rung.model}: {rung.refused}" for rung in found.refused)
        raise InputError(f"a ladder needs at least two models that take the scenario; refused: {told}")
    return found


def _rung(kind: str, animal: Scenario, seen: dict[str, Any], watch: Watch | None = None) -> Rung:
    """A scenario through one model, with error bars."""
    try:
        told: Any = animal
        if seen.get("task"):  # what was said of the scenario, without its times
            times = {"duration", "step", "record_every", "control_period"}
            told = animal.model_dump(exclude_unset=True, exclude=times)
        scenario = Scenario.load(told, seen) if seen else animal
        bars = error_bars(scenario, watch=watch)
        off = bars.of(_measures)
        if "time" in bars.result.dataset.dims:
            curves = bars.of(lambda one: curves_of(one, clock_of(bars.result)))
            off |= {name: None if e is None else float(np.linalg.norm(e, axis=-1).max()) for name, e in curves.items()}
        return Rung(kind, comparison.label_of(scenario), bars.result, measures=_measures(bars.result), errors=off)
    except (InputError, SimulationError) as error:
        lines = str(error).splitlines()
        return Rung(kind, kind, refused="; ".join(" ".join(line.split()) for line in lines[len(lines) > 1 :]))


def _side_by_side(
    tasks: Sequence[tuple[str, Scenario, dict[str, Any]]], workers: int, watch: Watch | None
) -> list[Rung]:
    """Rungs in processes of their own, where cores allow and the scenario can travel. Not in threads: most of a short
    rung is loading its kernels, which threads do one after the other."""
    workers = min(workers, len(tasks))
    try:
        here = workers < 2 or b"__main__" in pickle.dumps(tasks)
    except Exception:  # what a user's object says when it cannot travel
        here = True
    if here:
        return [_rung(kind, animal, seen, watch) for kind, animal, seen in tasks]
    with (
        spawned(),
        watching(watch, f"{len(tasks)} models side by side") as progress,
        ProcessPoolExecutor(workers, get_context("spawn"), signal.signal, (signal.SIGINT, signal.SIG_DFL)) as pool,
    ):
        ways = [pool.submit(_rung, *task) for task in tasks]
        for done, _ in enumerate(as_completed(ways), 1):
            if progress is not None:
                progress(done / len(ways), 0.0, 0.0)
    ended = "its process ended before it had a result; try --workers 0"
    return [
        Rung(kind, kind, refused=ended) if isinstance(way.exception(), BrokenProcessPool) else way.result()
        for (kind, *_), way in zip(tasks, ways, strict=True)
    ]


def _measures(result: Result) -> dict[str, float | None]:
    """Measures of a run that its summary does not compare."""
    known_already = {key for key, *_ in comparison.NUMBERS} | {"proven"}
    found: dict[str, float] = {}
    for name, one in known().items():
        if one.needs != STEADY and name not in known_already:
            with suppress(KeyError):  # a user's own, of a variable that this model does not record
                found |= measured([one], result)
    return {name: None if np.isnan(value) else value for name, value in found.items()}


def _seen(animal: Scenario, kind: str, found: Ladder, folder: Path) -> dict[str, Any]:
    """What changes for another model: its kind, what it follows, and no figures of the scenario's own model."""
    if animal.model.kind == kind:
        return {}
    if animal.gait.drives not in ANSWERING or kind == "soft" or not found.results:
        return {"model.kind": kind, "figures": ()}
    if kind == "tendon-statics":
        return _at_rest(found.results[0].dataset)
    return {"model.kind": kind, "figures": (), "gait": {"kind": "recorded", "result": str(folder)}}


def _at_rest(data: xr.Dataset) -> dict[str, Any]:
    """What changes for statics: a path of equilibria under the tensions of the first run, at some of its instants."""
    if "tension" not in data:
        return {"model.kind": "tendon-statics"}
    some = np.unique(np.linspace(0, data.sizes["time"] - 1, _INSTANTS).astype(int))
    table = np.column_stack([data["time"].values[some], data["tension"].values[some]]).tolist()
    path = {"kind": "tendon-path", "table": table}
    return {"model": {"kind": "tendon-statics"}, "task": "path", "gait": path, "figures": ()}


def _follow(result: Result, folder: str) -> None:
    """Name the folder that now holds the motion which a run followed."""
    scenario = result.scenario
    given: Any = None if scenario is None else scenario._animal.get("gait", scenario.gait)
    if scenario is not None and getattr(given, "result", None) is not None and not Path(given.result).exists():
        result.scenario = scenario.model_copy()
        result.scenario._animal = {**scenario._animal, "gait": given.model_copy(update={"result": folder})}


def _instant(scenario: Scenario | None, first: Result, folder: str, time: float) -> Scenario:
    """A few steps of a rung from one instant of the first, whose shape it follows."""
    if scenario is None or first.scenario is None:
        raise InputError("ladder.at: a rung has lost its scenario; run the ladder again")
    changes = {"gait": {"kind": "recorded", "result": folder}, "duration": 2.0 * scenario.step, "initial": Initial()}
    still = Scenario.load(scenario, {**changes, "record_every": scenario.step})
    data = first.dataset
    place, turn, twist = (
        np.array([np.interp(time, data["time"].values, column) for column in data[f"base_{name}"].values.T])
        for name in ("position", "orientation", "twist")
    )
    turn /= np.linalg.norm(turn)
    # from the base frame of the first to that of this rung
    shift = base_shift(still.robot.build()) - base_shift(first.scenario.robot.build())
    place = place + quaternion_to_matrix(turn) @ shift
    twist[:3] += np.cross(twist[3:], shift)
    start = Initial(position=tuple(place), orientation=tuple(turn), twist=tuple(twist))
    made = still.model_copy(update={"gait": SeenGait(still.gait, later=time), "initial": start})
    made._animal = {"gait": still.gait, **still._animal}
    return made
