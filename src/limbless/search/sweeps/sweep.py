"""`sweep`: a scenario at many points, in a folder that survives anything; `Sweep`: what it holds."""

from __future__ import annotations

import contextlib
import logging
import math
import os
import time as clock
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr

from limbless.core import InputError, fresh_folder, write_text
from limbless.scenarios.document import read_file, written
from limbless.scenarios.scenario import Scenario
from limbless.search import measures
from limbless.search.sweeps import (
    GUARD,
    PLAN,
    STAMP,
    Bounds,
    InProcess,
    LocalTeam,
    Store,
    StoredRow,
    SweepPlan,
    files_of,
    inside_a_worker,
    kernels,
    read_plan,
    read_rows,
)
from limbless.simulation.result.storage import write_netcdf

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FINISHED = "sweep.nc"
COMPLETED = "completed"
_log = logging.getLogger("limbless")


@dataclass(frozen=True)
class SweepProgress:
    """How far a sweep is: what `progress` is called with after every chunk."""

    done: int
    total: int
    failed: int
    rate: float  # runs per second in this session
    left: float  # s, until the end


Progress = Callable[[SweepProgress], None]


def sweep(
    scenario: str | Path | Mapping[str, Any] | Scenario | SweepPlan,
    over: Mapping[str, Any] | None = None,
    *,
    measure: Any = "progress",
    changes: Mapping[str, Any] | None = None,
    samples: Mapping[str, Any] | None = None,
    out: str | Path | None = None,
    workers: int | None = None,
    share: tuple[int, int] | None = None,
    dask: Any = None,
    retry_failed: bool = False,
    mixed: bool = False,
    progress: Progress | None = None,
    allow_code: bool = False,
) -> Sweep:
    """Run a scenario at many points and keep some numbers of each run.

    Ctrl-C waits for the present runs and returns what is there; a second Ctrl-C does not wait. A failed run is a row.

    Parameters
    ----------
    scenario, changes : the scenario, as for `run`.
    over : path -> values: a list, an array, or `{"from": .., "to": .., "count": ..}` (and `"scale": "log"`). All
        combinations are run. With `samples`, path -> bounds (low, high).
    measure : names of measures (`limbless list measures`), or functions `f(result) -> float | dict`.
    samples : `{"kind": "sobol" or "latin", "count": .., "seed": ..}`: points between bounds instead of a grid.
    out : folder; by default a new one in `sweeps/`. If it holds the same plan, missing rows are run.
    workers : number of processes; by default one per core. 0 means this process.
    share : (i, n): run only the rows whose number has remainder i modulo n, into their own file (batch arrays).
    dask : a `distributed.Client`, or the address of a scheduler, instead of `workers`.
    retry_failed : run failed rows again.
    mixed : resume even if another version of the library made the existing rows.
    progress : a function that limbless calls after every chunk with a `SweepProgress`.

    Returns
    -------
    Sweep : the folder with its rows.
    """
    if inside_a_worker():
        raise InputError(GUARD)
    plan = (
        scenario
        if isinstance(scenario, SweepPlan)
        else SweepPlan.make(scenario, over or {}, measure, changes, samples, allow_code)
    )
    engine = _engine(plan, workers, dask)
    folder = Path(out) if out is not None else fresh_folder(Path("sweeps") / plan.scenario.name)
    if share is not None and not 0 <= share[0] < share[1]:
        raise InputError(f"share: {share[0]}/{share[1]}: shares are numbered 0 to {share[1] - 1}")
    keep_plan(folder, plan, mixed)
    with Store(folder, None if share is None else share[0]) as store:
        filling = _Filling(plan, store, progress)
        todo = filling.begin(folder, share, retry_failed)
        try:
            engine.fill(todo, filling.take)
        except KeyboardInterrupt:
            _log.warning(
                "interrupted: %d of %d runs are kept in %s; the same command goes on with the rest",
                filling.done,
                plan.runs,
                folder,
            )
    found = Sweep(folder, plan)
    if found.is_complete:
        found.save()
    return found


def _engine(plan: SweepPlan, workers: int | None, dask: Any) -> Any:
    if dask is not None:
        from limbless.search.sweeps.dask_cluster import Cluster

        return Cluster(plan, dask)
    count = os.cpu_count() or 1 if workers is None else workers
    if count < 0:
        raise InputError(f"workers: must be 0 (in this process) or more; got {count}")
    return InProcess(plan) if count == 0 else LocalTeam(plan, count)


def keep_plan(folder: Path, plan: SweepPlan, mixed: bool = False) -> None:
    """The folder's own plan is this one, made by the same version; a fresh folder gets it."""
    path = folder / PLAN
    if not path.is_file():
        if folder.is_dir() and any(folder.iterdir()):
            raise InputError(f"the folder {folder} holds something that is no sweep; give another")
        folder.mkdir(parents=True, exist_ok=True)
        write_text(path, plan.to_yaml())
        return
    kept = read_file(path).data
    if written({name: value for name, value in kept.items() if name not in STAMP}) != written(plan.data()):
        raise InputError(
            f"the folder {folder} holds another sweep ({_difference(kept, plan.data())}); give a new "
            "folder, or the plan it was begun with"
        )
    if kept.get("kernels") != kernels() and files_of(folder) and not mixed:
        raise InputError(
            f"the rows in {folder} were made by another version of the library ({kept.get('kernels')}, "
            f"now {kernels()}): give a new folder, or allow a mixture with mixed=True (--mixed)"
        )


def _difference(kept: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """The first part of two plans that differs."""

    def parts(data: Any, path: str = "") -> dict[str, Any]:
        if not isinstance(data, Mapping):
            return {path: data}
        return {
            key: value
            for name, part in data.items()
            for key, value in parts(part, f"{path}.{name}" if path else str(name)).items()
        }

    before, after = parts({key: kept[key] for key in kept if key in now}), parts(now)
    for path in [*after, *before]:
        if before.get(path) != after.get(path):
            return f"{path} is {before.get(path)!r:.40} there and {after.get(path)!r:.40} here"
    return "its samples differ"


class _Filling:
    """A store on its way: rows go in, progress is told."""

    def __init__(self, plan: SweepPlan, store: Store, progress: Progress | None) -> None:
        self.plan, self.store, self.progress = plan, store, progress

    def begin(self, folder: Path, share: tuple[int, int] | None, retry_failed: bool) -> list[int]:
        """The runs that are missing."""
        rows = read_rows(folder)
        own = range(self.plan.runs) if share is None else range(share[0], self.plan.runs, share[1])
        kept = {run for run, row in rows.items() if row.status == COMPLETED or not retry_failed}
        todo = [run for run in own if run not in kept]
        self.total, self.done = len(own), len(own) - len(todo)
        self.failed = sum(rows[run].status != COMPLETED for run in own if run in kept)
        self.began, self.fresh = clock.perf_counter(), 0
        self._tell()
        return todo

    def take(self, rows: list[StoredRow]) -> None:
        self.store.write(rows)
        self.done, self.fresh = self.done + len(rows), self.fresh + len(rows)
        self.failed += sum(row.status != COMPLETED for row in rows)
        self._tell()

    def _tell(self) -> None:
        if self.progress is not None:
            rate = self.fresh / max(clock.perf_counter() - self.began, 1e-9)
            left = (self.total - self.done) / rate if rate > 0.0 else math.inf
            self.progress(SweepProgress(self.done, self.total, self.failed, rate, left))


class Sweep:
    """A folder of runs, with `dataset`, `failures()` and `best(measure)`; you can read it while it is filled."""

    def __init__(self, folder: Path, plan: SweepPlan) -> None:
        self.folder, self.plan = Path(folder), plan

    @classmethod
    def load(cls, folder: str | Path, allow_code: bool = False) -> Sweep:
        """The sweep in a folder, as far as it is."""
        folder = Path(folder)
        if not (folder / PLAN).is_file():
            raise InputError(f"{folder} holds no sweep: there is no {PLAN} in it")
        known = read_file(folder / PLAN).data.get("measure", [])
        own = [item for item in known if isinstance(item, str) and ":" in item]
        measure = [_Stored(item.partition(":")[2]) if item in own else item for item in known] if own else None
        return cls(folder, read_plan(folder / PLAN, measure=measure, allow_code=allow_code))

    @cached_property
    def rows(self) -> dict[int, StoredRow]:
        """What is there, by the number of the run; as of the first look (`refresh` looks again)."""
        found = read_rows(self.folder)
        stray = next((run for run in found if not 0 <= run < self.plan.runs), None)
        if stray is not None:
            raise InputError(f"{self.folder} holds a run {stray}, and its plan has {self.plan.runs}: it is damaged")
        return found

    def stamp(self) -> tuple[Any, ...]:
        """Changes whenever somebody writes rows: a look at the files that costs nothing."""
        found = []
        for path in sorted(self.folder.glob("runs*.db*")):
            with contextlib.suppress(OSError):  # a journal comes and goes
                state = path.stat()
                found.append((path.name, state.st_size, state.st_mtime_ns))
        return tuple(found)

    def refresh(self) -> Sweep:
        """Look again."""
        self.__dict__.pop("rows", None)
        self.__dict__.pop("dataset", None)
        return self

    @property
    def is_complete(self) -> bool:
        return len(self.rows) == self.plan.runs

    def failures(self) -> list[dict[str, Any]]:
        """Every failed run: its number, its point, and the words of the failure."""
        return [
            {"run": run, **self.plan.point(run), "status": row.status}
            for run, row in sorted(self.rows.items())
            if row.status != COMPLETED
        ]

    def told(self) -> str:
        """One line: how many are there, how many failed, and of what most of them."""
        failed = [row.status.removeprefix("failed: ") for row in self.rows.values() if row.status != COMPLETED]
        unproven = sum(row.values.get("proven") == 0.0 for row in self.rows.values())
        line = f"{len(self.rows)} of {self.plan.runs} runs" + (f", {unproven} not proven" if unproven else "")
        if not failed:
            return line
        words, count = Counter(failed).most_common(1)[0]
        return f"{line}, {len(failed)} failed; {count} of them: {words}"

    @cached_property
    def dataset(self) -> xr.Dataset:
        """Measures over the axes of the plan (or over `run`, for samples), with `proven` (1 or 0; NaN for a run that
        went side by side with others, of which no balances are kept), `status` and `wall_time`; NaN and an empty status
        where a run is missing.
        """
        names = list(
            dict.fromkeys(
                [
                    item.name
                    for item in self.plan.measure
                    if not any(name.startswith(f"{item.name}.") for row in self.rows.values() for name in row.values)
                ]
                + [name for row in self.rows.values() for name in row.values]
                + ["proven"]
            )
        )
        count, units = self.plan.runs, {item.name: item for item in self.plan.measure}
        columns = {name: np.full(count, np.nan) for name in [*names, "wall_time"]}
        status = np.full(count, "", dtype=object)
        for run, row in self.rows.items():
            status[run], columns["wall_time"][run] = row.status, row.wall_time
            for name, value in row.values.items():
                columns[name][run] = value
        dims, shape, coords = self._axes()
        made = xr.Dataset(coords=coords)
        for name, values in columns.items():
            known = units.get(name) or (measures.find(name) if name == "proven" else None)
            attributes = (
                {"units": "s"}
                if name == "wall_time"
                else ({"units": known.unit, "long_name": known.meaning} if known is not None else {})
            )
            made[name] = (dims, values.reshape(shape), attributes)
        made["status"] = (dims, status.reshape(shape))
        made.attrs = {"scenario": self.plan.scenario.name, "runs": count}
        return made

    @property
    def measured(self) -> list[str]:
        """Names of what was measured, without what every row says of itself."""
        own = {"status", "wall_time", "proven"} - {item.name for item in self.plan.measure}
        return [str(name) for name in self.dataset.data_vars if name not in own]

    def _axes(self) -> tuple[tuple[str, ...], tuple[int, ...], dict[str, Any]]:
        plan = self.plan
        if plan.samples is None:
            coords = {path: _coordinate(path, values) for path, values in plan.over.items()}
            return tuple(plan.over), tuple(len(values) for values in plan.over.values()), coords
        points = [plan.point(run) for run in range(plan.runs)]
        return ("run",), (plan.runs,), {path: ("run", [point[path] for point in points]) for path in plan.over}

    def point(self, run: int) -> dict[str, Any]:
        """The changes of a run."""
        return self.plan.point(run)

    def scenario(self, run: int) -> Scenario:
        """The scenario of a run, to be run and looked at alone."""
        return self.plan.scenario_of(run)

    def best(self, measure: str, largest: bool = True, proven: bool = False) -> dict[str, Any]:
        """The best run by a measure: its number, its point and all its measures; `proven`: of those that are proven."""
        found = [
            (row.values[measure], run)
            for run, row in self.rows.items()
            if math.isfinite(row.values.get(measure, math.nan)) and (row.values.get("proven") == 1.0 or not proven)
        ]
        if not found:
            raise InputError(f"no {'proven ' if proven else ''}run of this sweep has the measure {measure!r}")
        run = (max if largest else min)(found)[1]
        return {"run": run, **self.plan.point(run), **self.rows[run].values}

    def save(self) -> Path:
        """Write `sweep.nc`. Nothing in it depends on the clock."""
        path = self.folder / FINISHED
        data = self.dataset.drop_vars("wall_time")
        data["status"] = data["status"].astype(str)
        return write_netcdf(path, data, None)

    def plot(self, name: str | None = None, **options: Any) -> Figure:
        """A picture: `heat-map`, `lines` or `scatter-matrix`; by default the one that fits."""
        from limbless.search.studies import figure_of

        return figure_of(self, name, **options)

    def __repr__(self) -> str:
        axes = ", ".join(
            f"{path} ({'samples' if isinstance(values, Bounds) else len(values)})"
            for path, values in self.plan.over.items()
        )
        return f"Sweep of {self.plan.scenario.name} over {axes}: {self.told()}; in {self.folder}"

    def _repr_html_(self) -> str:
        """What it is, its picture where a run has ended well, and its data to open, for notebooks."""
        picture = ""
        if any(np.isfinite(self.dataset[name]).any() for name in self.measured):
            file = BytesIO()
            self.plot().savefig(file, format="png", dpi=80)
            picture = f"<img alt='' src='data:image/png;base64,{b64encode(file.getvalue()).decode()}'>"
        data = f"<details><summary>dataset</summary>{self.dataset._repr_html_()}</details>"
        return f"<p>{escape(repr(self))}</p>{picture}{data}"


class _Stored:
    """A function of a user's whose rows are there already; it is not run again."""

    def __init__(self, name: str) -> None:
        self.__name__ = name.rpartition(".")[2]
        self.__module__, _, self.__qualname__ = "", "", name

    def __call__(self, result: Any) -> float:
        raise InputError(
            f"the measure {self.__name__!r} is a function of yours: go on with this sweep from Python, "
            "where it is given as an object"
        )


def _coordinate(path: str, values: Sequence[Any]) -> tuple[str, Any]:
    """Numbers as they are; anything else as its text."""
    plain = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return path, np.asarray(values, dtype=np.float64) if plain else np.array([str(value) for value in values])
