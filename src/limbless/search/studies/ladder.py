"""The ladder: one scenario through every model that takes it; what differs by the model, and what by numerics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.control.actuation.seen_gait import SeenGait
from limbless.core import Array, InputError, SimulationError, nearest, write_table, write_text
from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.scenarios.one_animal import base_shift
from limbless.scenarios.scenario import Initial, Scenario
from limbless.search.studies.error_bars import Watch, error_bars
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
_PLACES = 41  # abscissae at which moments along the body are compared
_INSTANTS = 41  # instants of a motion at which statics has its equilibria


@dataclass
class Rung:
    """One model of a ladder: its result with error bars, or why there is none."""

    model: str
    label: str
    result: Result | None = None
    refused: str = ""


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

    def numbers(self) -> list[ComparedNumber]:
        """The numbers of `limbless compare`, with their numerical errors."""
        return [line for line in comparison.lines(self.results) if line.label not in _NO_NUMBER]

    def verdict(self, line: ComparedNumber, number: int) -> str:
        """Why a number of a rung differs from that of the first: `model form` where it differs by more than both
        numerical errors, `numerical error` where it does not, nothing where an error is not known."""
        found = line.difference(number)
        if found is None or found[1] is None:
            return ""
        return "model form" if abs(found[0]) > found[1] else "numerical error"

    def rows(self) -> list[tuple[str, ...]]:
        """The table in words: each number ± its error, then why each rung differs from the first, and the spread."""
        count = len(self.results)
        lines = [line for line in comparison.lines(self.results) if line.label not in _NO_NUMBER[:2]]
        told = [("model", *comparison.models_of(self.results), *[""] * count)]
        for line, row in zip(lines, comparison.rows(lines, count), strict=True):
            values = [value for value in line.values if value is not None]
            largest = max(map(abs, values), default=0.0)
            spread = f"{100.0 * (max(values) - min(values)) / largest:.2g} %" if largest else ""
            verdicts = (self.verdict(line, number) for number in range(1, count))
            told.append((*row[: count + 1], *verdicts, spread))
        return told

    @property
    def heads(self) -> tuple[str, ...]:
        labels = [rung.label for rung in self.ran]
        return ("number", *labels, *(f"{label} differs by" for label in labels[1:]), "spread")

    def curves(self) -> list[str]:
        """How far each rung is from the first along two curves: the path of the centre of mass, and the moment inside
        the body, where both rungs have it. Largest and rms difference, and where the largest is."""
        first, *others = self.ran
        told = []
        for rung in others:
            for name, at, one, other in _matched(first.result, rung.result):
                apart = np.linalg.norm(other - one, axis=-1)
                worst = np.unravel_index(apart.argmax(), apart.shape)
                where = ", ".join(f"{axis[k]:.3g} {unit}" for (axis, unit), k in zip(at, worst, strict=True))
                told.append(
                    f"{rung.label}: {name} differs from {first.label} by {apart.max():.3g} at most (at {where}), "
                    f"{np.sqrt((apart**2).mean()):.3g} rms"
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
                along = _moment(now.dataset)
                if along is not None:
                    found[rung.label] = _spread(*along, np.linspace(0.0, 1.0, _PLACES))[0]
        if len(found) < 2:
            raise InputError("ladder.at: fewer than two rungs have a moment inside the body")
        X = np.linspace(0.0, 1.0, _PLACES) * _length(first.dataset)
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
        lines = comparison.lines(self.results)
        write_table(folder / "ladder.csv", comparison.columns(lines, labels))
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
) -> Ladder:
    """Run a scenario through several models, each with its error bars (step, quadrature, number of links).

    Where the gait pulls tendons or muscles, the shape is what the body answers with: the first rung that ran gives its
    motion to models that follow a shape (`gait: {kind: recorded, result: ..}`).

    Parameters
    ----------
    source, changes : as for `run`.
    models : kinds of models, that with the most physics first; all that there are if absent. One that does not take
        the scenario is a rung with the reason.
    watch : as for `error_bars`.
    """
    wanted = list(RUNGS if models is None else models)
    for kind in wanted:
        if kind not in RUNGS:
            raise InputError(f"models: unknown model {kind!r}; {nearest(kind, RUNGS)}")
        if wanted.count(kind) > 1:
            raise InputError(f"models: {kind!r} is named twice; name each model once")
    animal, found = Scenario.load(source, changes), Ladder([])
    with TemporaryDirectory(prefix="limbless-") as folder:

        def rung(kind: str) -> Rung:
            try:
                seen = {} if animal.model.kind == kind else _seen(animal, kind, found, Path(folder))
                timed = not seen.get("task")
                scenario = Scenario.load(animal if timed else _timeless(animal), seen) if seen else animal
                return Rung(kind, comparison.label_of(scenario), error_bars(scenario, watch=watch).result)
            except (InputError, SimulationError) as error:
                return Rung(kind, kind, refused=" ".join(str(error).split()))

        for kind in wanted:
            found.rungs.append(rung(kind))
            first = Path(folder) / FILE_NAME
            if found.ran and animal.gait.drives in ANSWERING and not first.exists():  # the others follow it
                found.results[0].save(first)
    if len(found.ran) < 2:
        told = "; ".join(f"{rung.model}: {rung.refused}" for rung in found.refused)
        raise InputError(f"a ladder needs at least two models that take the scenario; refused: {told}")
    return found


def _seen(animal: Scenario, kind: str, found: Ladder, folder: Path) -> dict[str, Any]:
    """What changes for another model: its kind, what it follows, and no figures of the scenario's own model."""
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


def _timeless(animal: Scenario) -> dict[str, Any]:
    """What was said of a scenario, without its times."""
    return animal.model_dump(exclude_unset=True, exclude={"duration", "step", "record_every", "control_period"})


def _follow(result: Result, folder: str) -> None:
    """Name the folder that now holds the motion which a run followed."""
    scenario = result.scenario
    given: Any = None if scenario is None else scenario._animal.get("gait", scenario.gait)
    if scenario is not None and getattr(given, "result", None) is not None and not Path(given.result).exists():
        result.scenario = scenario.model_copy()
        result.scenario._animal = {**scenario._animal, "gait": given.model_copy(update={"result": folder})}


def _length(data: xr.Dataset) -> float:
    """m, of the straight body."""
    return float(data["vertebra_length" if "vertebra_length" in data else "section_length"].values.sum())


def _moment(data: xr.Dataset) -> tuple[Array, Array] | None:
    """Shares of the length and the moment inside the body there (time, place, 3), N m; None where it is not known.
    That of a link is at its joint."""
    if "internal_wrench" not in data:
        return None
    moment, length = data["internal_wrench"].values[..., 3:], _length(data)
    if "abscissa" in data:
        return data["abscissa"].values / length, moment
    ends = np.cumsum(data["section_length"].values)
    return ends[:-1] / length, moment[:, 1:]


def _spread(places: Array, values: Array, asked: Array) -> Array:
    """Values (time, place, 3) at other places; none at the free ends of the body."""
    known = np.concatenate([[0.0], places, [1.0]])
    padded = np.pad(values, ((0, 0), (1, 1), (0, 0)))
    from scipy.interpolate import make_interp_spline

    keep = np.concatenate([[True], np.diff(known) > 1e-9])
    return np.asarray(make_interp_spline(known[keep], padded[:, keep], k=1, axis=1)(asked))


def _clock(result: Any) -> Array:
    """Times of its records, s; of equilibria along a path, those of its points."""
    if "time" in result.dataset.dims:
        return np.asarray(result.dataset["time"].values)
    return np.asarray(result.scenario.gait.instants() if hasattr(result.scenario.gait, "instants") else ())


def _matched(one: Any, other: Any) -> Iterator[tuple[str, list[tuple[Array, str]], Array, Array]]:
    """Curves that both results have: name, axes, and both at the same times and abscissae."""
    a, b = one.dataset, other.dataset
    clocks = [_clock(result) for result in (one, other)]
    times = clocks[0][clocks[0] <= clocks[1][-1] * (1.0 + 1e-12)] if all(map(len, clocks)) else clocks[0][:0]
    if not len(times):
        return

    def at_times(known: Array, values: Array) -> Array:
        flat = values.reshape(len(values), -1)
        return np.stack([np.interp(times, known, column) for column in flat.T], axis=1).reshape(-1, *values.shape[1:])

    for name, what in (("com_position", "path of the centre of mass (m)"), ("tip_position", "path of the tip (m)")):
        if name in a and name in b:
            path = [at_times(known, data[name].values) for known, data in zip(clocks, (a, b), strict=True)]
            yield what, [(times, "s")], path[0], path[1]
    moments = [_moment(data) for data in (a, b)]
    if moments[0] is not None and moments[1] is not None:
        asked = np.linspace(0.0, 1.0, _PLACES)
        both = [at_times(known, _spread(*along, asked)) for known, along in zip(clocks, moments, strict=True) if along]
        yield "moment inside the body (N m)", [(times, "s"), (asked * _length(a), "m")], both[0], both[1]


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
