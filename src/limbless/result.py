"""`Result`: what a run produced, with its scenario, its final state and its own proof; saved, loaded, summed up, drawn."""
from __future__ import annotations

import importlib.util
import json
import logging
import math
import re
import shutil
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from html import escape
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from limbless.analysis import energy, limits, speed, statics
from limbless.analysis.balances import PROOF, Balance, balances, orientation_drift, power_residual
from limbless.errors import InputError, nearest
from limbless.files import below, write_table, write_text
from limbless.storage import read_netcdf, write_netcdf

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from limbless.models.base import Block, Recording, State, Variable
    from limbless.scenarios.scenario import Scenario
    from limbless.view.notebook import Replay

Array = NDArray[np.float64]

FILE_NAME = "result.nc"
FORMAT = "limbless result 1"
CHECKPOINT = "checkpoint"
"""Folder, within that of a run, of what a long run leaves while it is on its way."""
LABELS = {
    "axis": ("x", "y", "z"),
    "screw": ("x", "y", "z", "rx", "ry", "rz"),
    "quaternion": ("w", "x", "y", "z"),
    "transverse": ("lateral", "vertical"),
}
"""Dimensions whose labels are the same in every result."""
RECORDED, LOOKED = "recorded", "looked"
"""In a block: 1 for rows that the user asked for, and for those at which the run is looked at, whatever is recorded."""
LOOK = "look_"
"""Before the names of what the looks found."""

_log = logging.getLogger("limbless")


class Result:
    """What a run produced.

    Parameters
    ----------
    dataset : everything recorded, time first; units, meaning and frame are attributes of each variable. The attributes of the dataset
        itself hold what the summary needs beside it: `scenario_name`, `model`, `step` (s), `gait_period` (s), `total_mass` (kg).
    scenario : what was run, or None if it was made of Python objects that no file can express.
    status : how the run ended: `completed`, `interrupted`, or `failed: ` and the reason. Whether it is to be believed is another
        question: see `proven`, and `outcome`, which is what everything shows.
    state : where the run ended; `simulate(initial=result)` goes on from it bit for bit.
    wall_time : how long the run took (s). It is in `summary.json` only: the same scenario gives the same data file.

    `numerical_error`, empty until `limbless.error_bars` has found it, goes with the summary in the same way.
    """

    numerical_error: Mapping[str, Any] | None = None
    notes: tuple[str, ...] = ()
    """What the run's user should know: see `Description.notes`."""
    found: tuple[str, ...] = ()
    """What the run's model found against it: see `Recording.doubts`."""

    def __init__(self, dataset: xr.Dataset, scenario: Scenario | None = None, status: str = "completed", state: State | None = None,
                 wall_time: float | None = None) -> None:
        self.dataset, self.scenario, self.status, self.state, self.wall_time = dataset, scenario, status, state, wall_time

    @classmethod
    def from_blocks(cls, blocks: Sequence[Block], model: Recording, scenario: Scenario | None, status: str, state: State | None,
                    wall_time: float | None, facts: Mapping[str, Any] | None = None) -> Result:
        """Join the blocks that a model returned, in order, under the names, units and labels that it declares.

        `facts` adds to, or replaces, attributes of the dataset (`step`, `gait_period`, ..); needed only where there is no scenario.
        """
        raw = {name: np.concatenate([block[name] for block in blocks]) for name in blocks[0]} if blocks else {}
        kept, looked = raw.pop(RECORDED, None), raw.pop(LOOKED, None)
        block = model.variables(raw if kept is None else _rows(raw, kept > 0.5, model.worst))
        dataset = _dataset([block] if block else [], model.schema(), model.coordinates(), model.records)
        if looked is not None and looked.any():
            dataset = dataset.assign(_looks(model.variables(_rows(raw, looked > 0.5, model.worst)), model.schema()))
        residual = power_residual(dataset)
        if residual is not None and "power_residual" not in dataset:
            dataset["power_residual"] = ("time", residual, {
                "units": "W", "long_name": "rate of the mismatch between kinetic energy and work since the record before"})
        known = {**_facts(scenario, model), **(facts or {})}
        dataset.attrs.update({name: value for name, value in known.items() if value is not None})
        result = cls(dataset, scenario, status, state, wall_time)
        result.notes = tuple(dict.fromkeys([*(() if scenario is None else scenario.notes()), *model.notes]))
        result.found = tuple(model.doubts(dataset))
        return result

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """Why the run is not to be believed, one sentence each: what its model found, and the balances that fail."""
        return (*self.found, *(balance.sentence() for balance in self.balances() if balance.verdict != "pass"))

    @property
    def proven(self) -> bool:
        """Whether nothing speaks against believing the run."""
        return not self.doubts

    @property
    def outcome(self) -> str:
        """The status as it is shown: with `, not proven` where a run that did not fail has doubts."""
        return self.status if self.proven or self.status.startswith("failed") else f"{self.status}, not proven"

    @property
    def warning(self) -> str:
        """The first thing to say of a run that is not proven: `completed, not proven: ` and the reasons; empty for one that is."""
        return "" if self.proven else f"{self.outcome}: {'; '.join(self.doubts)}"

    @property
    def name(self) -> str | None:
        """Name of the scenario, if there was one."""
        return self.dataset.attrs.get("scenario_name")

    @property
    def period(self) -> float | None:
        """Period of the gait (s), if it has one."""
        return self.dataset.attrs.get("gait_period")

    @property
    def mass(self) -> float | None:
        """Mass of the whole robot (kg), where known."""
        return self.dataset.attrs.get("total_mass")

    def balances(self) -> list[Balance]:
        """The run's own proof: see `limbless.analysis.balances`."""
        return balances(self.looks, self.mass)

    @property
    def looks(self) -> xr.Dataset:
        """What balances and periods are found from: the run at instants that do not depend on what is recorded (or else its records)."""
        found = [str(name) for name in self.dataset.data_vars if str(name).startswith(LOOK)]
        if not found:
            return self.dataset
        names = {name: name.removeprefix(LOOK) for name in found}
        alone = self.dataset[[*found, *(name for name in ("section_length",) if name in self.dataset)]].drop_vars("time", errors="ignore")
        return alone.rename({**names, "look": "time"})

    def summary(self) -> dict[str, Any]:
        """The numbers one asks for first, in plain types and SI units; None where a number makes no sense for this run."""
        data, attributes = self.dataset, self.dataset.attrs
        lasted = speed.duration(data)
        moved, static = speed.displacement(data), statics.summary(data)
        return _plain({
            "scenario": self.name,
            "model": attributes.get("model"),
            "status": self.outcome,
            "proven": self.proven,
            "doubts": list(self.doubts),
            "notes": list(self.notes),
            "duration": lasted if static is None else None,
            "step": attributes.get("step"),
            "wall_time": self.wall_time,
            "realtime_factor": lasted / self.wall_time if self.wall_time and static is None else None,
            "com_displacement": moved,
            "path_length": speed.path_length(data),
            "mean_speed": speed.mean_speed(data),
            "period_speed": speed.period_speed(self.looks, self.period),
            "steady": speed.steady(self.looks, self.period),
            "peak_torque": limits.peak_torque_by_axis(data),
            "limits_exceeded": [vars(excess) for excess in limits.limits_exceeded(data)],
            "positive_work": energy.positive_work(data),
            "cost_of_transport": energy.cost_of_transport(data, self.mass),
            **({} if static is None else {"statics": static}),
            **({} if self.numerical_error is None else {"numerical_error": self.numerical_error}),
            "balances": {balance.name: balance.as_dict() for balance in self.balances()},
        })

    def save(self, path: str | Path) -> Path:
        """Write the dataset, the scenario, the status and the final state to one NetCDF file. Nothing in it depends on the clock."""
        whole = self.dataset.assign_attrs(limbless=FORMAT, status=self.status, notes=json.dumps(self.notes), doubts=json.dumps(self.found))
        text = self._scenario_text()
        if text is not None:
            whole = whole.assign_attrs(scenario=text)
        return write_netcdf(path, whole, self.state)

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """Read a result: the data file, or the folder that `write` made (then with its wall time and error bars)."""
        path = Path(path)
        file = path / FILE_NAME if path.is_dir() else path
        if not file.is_file():
            where = f"folder {str(path)!r} has no {FILE_NAME}" if path.is_dir() else f"no file {str(path)!r}"
            hint = (f"; it holds an unfinished run, with which `limbless run --resume {path}` goes on" if (path / CHECKPOINT).is_dir() else
                    f"; give the folder that a run wrote, or its {FILE_NAME}")
            raise InputError(f"cannot load a result: {where}{hint}")
        dataset, state = read_netcdf(file)
        if dataset.attrs.get("limbless") != FORMAT:
            raise InputError(f"cannot load a result: {str(file)!r} is a NetCDF file but not a result of this version of limbless "
                             f"(its attribute 'limbless' is {dataset.attrs.get('limbless')!r}, not {FORMAT!r})")
        attributes = dict(dataset.attrs)
        attributes.pop("limbless")
        status, text = str(attributes.pop("status", "completed")), _as(str, attributes.pop("scenario", None))
        said = {name: _sentences(attributes.pop(name, "[]")) for name in ("notes", "doubts")}
        facts = {name: _as(sort, attributes.get(name)) for name, sort in _SORTS.items() if name in attributes}
        dataset.attrs = {name: value for name, value in {**attributes, **facts}.items() if value is not None}
        beside = _read_summary(file.with_name("summary.json"))
        result = cls(dataset, _scenario(text), status, state, _as(float, beside.get("wall_time")))
        result.numerical_error, result.notes, result.found = _bars(beside.get("numerical_error")), said["notes"], said["doubts"]
        result._kept_scenario_text = text
        return result

    _kept_scenario_text: str | None = None

    def _scenario_text(self) -> str | None:
        """The scenario as YAML: as it is now, or as it was in the file this result came from."""
        return self.scenario.to_yaml() if self.scenario is not None else self._kept_scenario_text

    def to_csv(self, path: str | Path, variables: Iterable[str] | None = None) -> Path:
        """Write recorded variables as one wide table: `time`, then columns like `base_position_x` or `joint_torque_yaw_3`.

        Columns are named by the labels of the dataset. The second line starts with `#`; it holds the units.
        """
        record = "time" if "time" in self.dataset.dims else "point"
        if record not in self.dataset.dims:
            raise InputError("a result on a grid is no table; take what you need from `dataset`")
        changing = [str(name) for name in self.dataset.data_vars if record in self.dataset[name].dims]
        chosen = changing if variables is None else list(variables)
        for name in chosen:
            if name not in changing:
                raise InputError(f"no recorded variable {name!r}; {nearest(name, changing)}")
        columns: dict[str, Array] = {"time": self.dataset["time"].values}
        units = ["s"]
        for name in chosen:
            for column, unit, values in components(self.dataset[name], (record,)):
                columns[column] = values
                units.append(unit)
        return write_table(path, columns, units)

    def plot(self, name: str | None = None) -> Figure | dict[str, Figure]:
        """One figure by name, or all figures of this run by their names."""
        from limbless.view import figures

        if name is not None:
            return figures.draw(self, name)[0]
        return {name: figures.draw(self, name)[0] for name in figures.names_for(self)}

    def view(self, browser: bool = True) -> Replay | None:
        """Look at the motion: in a notebook the replay appears below the cell; elsewhere the studio opens in the browser.

        It ends when the page is closed.
        """
        from limbless.view import notebook

        if notebook.in_notebook():
            return notebook.Replay(self)
        from limbless.view.studio import Studio, serve

        serve(Studio(self), browser, None if browser else lambda url: _log.warning("the studio is at %s", url))
        return None

    def report(self, folder: str | Path | None = None) -> str | Path:
        """The report as one page of HTML: its text, or the file `report.html` in a folder."""
        from limbless.view.report import report, write_report

        return report(self) if folder is None else write_report(self, folder)

    def write(self, directory: str | Path, figures: bool = True, replay: bool | None = None) -> list[Path]:
        """Write `scenario.yaml`, `result.nc`, `summary.json` and `figures/*.png` with the arrays each drew as `.csv`; returns the paths.

        `replay.html` is written too where the extra `view` is installed; `replay` false leaves it out, absent it goes with the figures.

        A figure that this run cannot fill (a joint that it does not have, too few records) is left out, with a line in the log.
        """
        folder = Path(directory)
        written = []
        text = self._scenario_text()
        if text is not None:
            written.append(write_text(folder / "scenario.yaml", text))
        written.append(self.save(folder / FILE_NAME))
        written.append(write_text(folder / "summary.json", json.dumps(self.summary(), indent=2, allow_nan=False) + "\n"))
        if figures:
            from limbless.view.figures import names_for, save

            for name in names_for(self):
                try:
                    written += save(self, name, below(folder, "figures"))
                except InputError as error:
                    _log.warning("figure %s is not drawn: %s", name, error)
        if (figures if replay is None else replay) and can_replay():
            written += self._replay_in(folder)
        if self.status != "interrupted":                 # an interrupted run can go on from what its checkpoint holds
            shutil.rmtree(folder / CHECKPOINT, ignore_errors=True)
        return written

    def _replay_in(self, folder: Path) -> list[Path]:
        """A run that cannot be drawn has no replay, with a line in the log; it is kept all the same."""
        from limbless.view.replay import write_replay

        try:
            return [write_replay(self, folder)]
        except (InputError, OSError) as error:
            _log.warning("no replay is written: %s", error)
            return []

    def _facts(self) -> list[tuple[str, str]]:
        """What `print(result)` says, line by line."""
        head = speed.displacement(self.dataset, "head_position")
        summary = self.summary()
        lines = [("NOT PROVEN", doubt) for doubt in self.doubts]
        lines += [("scenario", self.name or "none (made in Python)"), ("status", self.outcome)]
        lines += [("duration", f"{summary['duration']:g} s")] if summary["duration"] is not None else statics.lines(summary["statics"])
        if head is not None:
            lines.append(("head displacement", f"({', '.join(f'{round(part, 4) + 0.0:g}' for part in head)}) m"))
        if summary["mean_speed"] is not None:
            last = "" if summary["period_speed"] is None else f", {summary['period_speed']:.4g} m/s in the last period"
            lines.append(("speed", f"{summary['mean_speed']:.4g} m/s on average{last}"))
        proof = self.balances()
        if proof:
            worst = max(proof, key=lambda balance: balance.relative / balance.threshold)
            verdict = f"{worst.verdict} (at most {worst.threshold:g})"
            lines.append(("worst balance", f"{worst.name}: {worst.relative:.1e} of its scale, {verdict}"))
        return lines + [("note", note) for note in self.notes]

    def __repr__(self) -> str:
        return "\n".join(["Result", *(f"  {label:<18} {value}" for label, value in self._facts())])

    def _repr_html_(self) -> str:
        shown = [(label, value) for label, value in self._facts() if label != "NOT PROVEN"]
        rows = "".join(f"<tr><th style='text-align:left'>{escape(label)}</th><td style='text-align:left'>{escape(value)}</td></tr>"
                       for label, value in shown)
        return f"{red_line(self.warning)}<table>{rows}</table><details><summary>dataset</summary>{self.dataset._repr_html_()}</details>"


def _dataset(blocks: Sequence[Block], schema: Mapping[str, Variable], coordinates: Mapping[str, Any],
             records: tuple[str, ...]) -> xr.Dataset:
    """The Dataset of all blocks; a variable that the schema declares and no block holds is left out."""
    coords: dict[str, Any] = {}
    if records == ("time",):
        coords["time"] = ("time", _joined(blocks, "time", 1), {"units": "s", "long_name": "time"})
    variables: dict[str, Any] = {}
    sizes: dict[str, int] = {dim: len(labels) for dim, labels in LABELS.items()}
    used = {dim for variable in schema.values() for dim in variable.dims}
    for name, (dims, values, attributes) in coordinates.items():
        values = np.asarray(values)
        label = (isinstance(dims, str) or len(dims) == 1) and (name == dims or name in dims or name == "time" or values.dtype.kind in "UO")
        (coords if label else variables)[name] = (dims, values, attributes)
        dims = (dims,) if isinstance(dims, str) else tuple(dims)
        sizes |= dict(zip(dims, values.shape, strict=True))
        used |= set(dims)
    # In the order of LABELS: that of a set changes from process to process, and with it the bytes of the file.
    coords |= {dim: np.array(labels) for dim, labels in LABELS.items() if dim in used}
    for name, variable in schema.items():
        if name == "time" or (blocks and name not in blocks[0]):
            continue
        dims = (*records, *variable.dims)
        values = _joined(blocks, name, len(dims), tuple(sizes.get(dim, 0) for dim in variable.dims))
        if variable.final:
            if not len(values):
                continue
            dims, values = variable.dims, values[-1]
        attributes = {"units": variable.units, "long_name": variable.long_name, "frame": variable.frame}
        variables[name] = (dims, values, {key: text for key, text in attributes.items() if text})
    return xr.Dataset(variables, coords)


def _rows(raw: Block, chosen: NDArray[np.bool_], worst: Sequence[str]) -> Block:
    """Some rows of a block; what is the worst since the row before is, of rows that are left out, kept by the next one that is not."""
    rows = np.flatnonzero(chosen)
    found = {name: values[rows] for name, values in raw.items()}
    for name in set(worst) & raw.keys() if len(rows) else ():
        found[name] = np.maximum.reduceat(raw[name][:rows[-1] + 1], [0, *(rows[:-1] + 1)])
    return found


def _looks(block: Block, schema: Mapping[str, Variable]) -> dict[str, Any]:
    """What balances and periods need of the rows at which a run was looked at, along `look`."""
    found: dict[str, Any] = {}
    for name in (*PROOF, "com_position"):
        if name in block:
            variable = schema[name]
            attributes = {"units": variable.units, "long_name": variable.long_name, "frame": variable.frame}
            found[LOOK + name] = (("look", *variable.dims), block[name], {key: text for key, text in attributes.items() if text})
    drift = orientation_drift(block)
    if drift is not None:
        found[f"{LOOK}orientation_drift"] = ("look", drift, {"units": "1", "long_name": "largest distance of a quaternion's norm from 1"})
    seen = {"units": "s", "long_name": "when the run is looked at for its balances, whatever is recorded"}
    return {**found, "look": ("look", block["time"], seen)} if found else {}


def _joined(blocks: Sequence[Block], name: str, rank: int, rest: tuple[int, ...] = ()) -> Array:
    values = np.concatenate([block[name] for block in blocks]) if blocks else np.zeros((0, *rest))
    if values.ndim != rank:
        raise ValueError(f"recorded variable {name!r} has {values.ndim} dimensions, its schema says {rank}")
    return values


def _facts(scenario: Scenario | None, model: Recording) -> dict[str, Any]:
    """What the summary needs beside the dataset, from the scenario or, without one, from the model."""
    robot = getattr(model, "robot", None) or getattr(scenario, "robot", None)
    facts: dict[str, Any] = {"total_mass": float(robot.build().total_mass) if robot is not None else None}
    if scenario is not None:
        task = getattr(scenario, "task", None)
        facts |= {"scenario_name": scenario.name, "model": getattr(scenario.model, "kind", None), "task": task,
                  "step": scenario.step if task is None else None, "gait_period": getattr(scenario.gait, "cycle", None),
                  **speed.transport_facts(scenario)}
    return facts


def red_line(warning: str) -> str:
    """The warning of a run that is not proven as a line of HTML, red on any page; nothing without one."""
    look = "color:#a32100;background:#fdeee7;border-left:6px solid #D55E00;padding:6px 10px;margin:4px 0;font-weight:600"
    return f"<div class='not-proven' role='alert' style='{look}'>{escape(warning)}</div>" if warning else ""


def can_replay() -> bool:
    """Whether the extra `view` is installed."""
    return importlib.util.find_spec("viser") is not None


def components(variable: xr.DataArray, along: Sequence[str] = ("time",)) -> Iterable[tuple[str, str, Array]]:
    """(name, unit, values along time or other dimensions) of every component of a variable."""
    variable = variable.transpose(*along, ...)
    dims = [str(dim) for dim in variable.dims[len(along):]]
    labels = [_short_labels(variable, dim) for dim in dims]
    units = re.split(r"\s*[;,]\s*|\s+and\s+", str(variable.attrs.get("units", "1")))   # a screw may have two: linear, angular
    flat = variable.values.reshape(math.prod(variable.sizes[dim] for dim in along), math.prod(variable.sizes[dim] for dim in dims))
    for number, parts in enumerate(product(*labels)):
        unit = units[-1] if dims[-1:] == ["screw"] and parts[-1].startswith("r") else units[0]
        yield "_".join([str(variable.name), *parts]), unit, flat[:, number]


def _short_labels(variable: xr.DataArray, dim: str) -> list[str]:
    """Labels for column names: `x`; `3` for `joint 3` of the dimension joint; numbers from 0 where labels are missing or not unique."""
    names = [re.sub(r"\W+", "_", str(label)) for label in variable[dim].values] if dim in variable.coords else []
    if len(set(names)) < variable.sizes[dim]:
        return [str(number) for number in range(variable.sizes[dim])]
    return [name.removeprefix(f"{dim}_") for name in names]


def _plain(value: Any) -> Any:
    """Only what JSON knows: numbers that are not finite become None."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _scenario(text: str | None) -> Scenario | None:
    """The scenario of a saved result, or None if this installation does not know all that it names (a user's own gait, say)."""
    if text is None:
        return None
    from limbless.scenarios.loader import from_text

    try:
        return from_text(text, "scenario", allow_code=False, saved=True)      # whoever looks at a result runs nothing
    except InputError as error:
        _log.warning("the scenario in the result cannot be built here: %s", error)
        return None


_SORTS: dict[str, type] = {"scenario_name": str, "model": str, "task": str, "step": float, "gait_period": float, "total_mass": float}
"""What the attributes of a data file are, beside those of its variables."""


def _as(sort: type, value: Any) -> Any:
    """A text, or a finite number, that a file holds; None for anything else: whoever wrote it may have meant no good."""
    if sort is str:
        return value if isinstance(value, str) else None
    good = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf
    return float(value) if good else None


def _sentences(text: Any) -> tuple[str, ...]:
    """The notes or doubts of a data file."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return ()
    return tuple(str(one) for one in found) if isinstance(found, list) else ()


def _bars(found: Any) -> dict[str, Any] | None:
    """Error bars of a summary; None where they are not as `limbless.error_bars` writes them."""
    def good(bar: Any) -> bool:
        inside = bar.values() if isinstance(bar, dict) else bar if isinstance(bar, list) else None
        return bar is None or _as(float, bar) is not None if inside is None else all(map(good, inside))

    sorts = {"total": dict, "sources": dict, "notes": list}
    whole = isinstance(found, dict) and all(isinstance(found.get(name), sort) for name, sort in sorts.items())
    return found if whole and good(found["total"]) else None


def _read_summary(summary: Path) -> dict[str, Any]:
    """The summary beside a data file, for what the data do not hold; empty where there is none."""
    try:
        found = json.loads(summary.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
