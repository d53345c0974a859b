"""`Result`: what a run produced, with its scenario, its final state and its own proof; saved, loaded, drawn."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from limbless.core import InputError, __version__, undisturbed, write_table, write_text
from limbless.models.variables import CATALOGUE
from limbless.simulation.analysis import actuator_limits, energy_use, speed, statics_work
from limbless.simulation.analysis.balances import Balance, balances, power_residual
from limbless.simulation.analysis.reynolds import slow_notes
from limbless.simulation.result import show
from limbless.simulation.result.dataset import (
    LOOK,
    LOOKED,
    RECORDED,
    attributes_of,
    dataset_of,
    joined,
    looks_of,
    refuse_other_shapes,
    rows_of,
    wide_table,
)
from limbless.simulation.result.storage import (
    CHECKPOINT,
    FILE_NAME,
    SORTS,
    as_sort,
    data_file,
    error_bars_in,
    plain,
    read_netcdf,
    read_summary,
    refuse_damage,
    scenario_in,
    sentences,
    write_netcdf,
)

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

    from limbless.environments.base import Environment
    from limbless.models.base import Recording, Records, State, Variables
    from limbless.scenarios.scenario import Scenario
    from limbless.view.replay import Replay


FORMAT = "limbless result 1"
_Told = tuple["xr.Dataset", tuple[str, ...], tuple[str, ...]]
"""Dataset, notes, and what was found against the run."""


class Result:
    """The recorded motion of a run, its summary and its balances.

    Parameters
    ----------
    dataset : everything recorded, time first; units, meaning and frame are attributes of each variable. The attributes
        of the dataset itself hold what the summary needs beside it: `scenario_name`, `model`, `step` (s), `gait_period`
        (s), `total_mass` (kg).
    scenario : what was run, or None if it was made of Python objects that no file can express.
    status : how the run ended: `completed`, `interrupted`, or `failed: ` and the reason. Whether it is to be believed
        is another question: see `proven`, and `outcome`, which is what everything shows.
    state : where the run ended; `simulate(initial=result)` goes on from it bit for bit.
    wall_time : how long the run took (s). It is in `summary.json` only: the same scenario gives the same data file.

    `numerical_error` of `limbless.error_bars` and `robustness` (`run --robust`) go with the summary in the same way.
    """

    numerical_error: Mapping[str, Any] | None = None
    robustness: Mapping[str, Any] | None = None
    _later: Callable[[], _Told] | None = None
    written_by = f"limbless {__version__}"  # or what an older file says

    def __init__(
        self,
        dataset: xr.Dataset,
        scenario: Scenario | None = None,
        status: str = "completed",
        state: State | None = None,
        wall_time: float | None = None,
    ) -> None:
        self._told: _Told = dataset, (), ()
        self.scenario, self.state = scenario, state
        self.status, self.wall_time = status, wall_time

    def _all(self) -> _Told:
        """Dataset, notes and doubts; those of a run that has just ended are made when they are first asked for."""
        if self._later is not None:
            self._told, self._later = self._later(), None
        return self._told

    def __getstate__(self) -> dict[str, Any]:
        self._all()
        return self.__dict__

    @property
    def dataset(self) -> xr.Dataset:
        return self._all()[0]

    @dataset.setter
    def dataset(self, value: xr.Dataset) -> None:
        self._told = value, *self._all()[1:]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the run's user should know: see `Description.notes`."""
        return self._all()[1]

    @notes.setter
    def notes(self, value: tuple[str, ...]) -> None:
        self._told = self.dataset, value, self.found

    @property
    def found(self) -> tuple[str, ...]:
        """What the run's model found against it: see `Recording.doubts`."""
        return self._all()[2]

    @found.setter
    def found(self, value: tuple[str, ...]) -> None:
        self._told = *self._all()[:2], value

    @classmethod
    def from_records(
        cls,
        parts: Sequence[Records],
        model: Recording,
        scenario: Scenario | None,
        status: str,
        state: State | None,
        wall_time: float | None,
        facts: Mapping[str, Any] | None = None,
    ) -> Result:
        """Join the records that a model returned, block by block, in order, under the names, units and labels that it
        declares.

        `facts` adds to, or replaces, attributes of the dataset (`step`, `gait_period`, ..); needed only where there is
        no scenario.
        """
        raw = joined(parts)
        kept, looked = raw.pop(RECORDED, None), raw.pop(LOOKED, None)
        variables = model.variables(raw if kept is None else rows_of(raw, kept > 0.5, model.worst))
        refuse_other_shapes(variables, model)
        looks = None
        if looked is not None and looked.any():
            looks = model.variables(rows_of(raw, looked > 0.5, model.worst))
        result = cls(None, scenario, status, state, wall_time)  # type: ignore[arg-type]
        result._later = partial(_told_of, variables, looks, model, scenario, facts or {})
        return result

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """Why the run is not to be believed, one sentence each: what its model found, and the balances that fail."""
        own = self.scenario
        how: tuple[Any, ...] = ()
        if own is not None and not own.task:
            how = own.step, own.model.time_order(own.environment), own.model.momentum_cure(own.environment)
        return (*self.found, *(balance.sentence(*how) for balance in self.balances() if balance.verdict != "pass"))

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
        """The first thing to say of a run that is not proven: `completed, not proven: ` and the
        reasons; empty for one that is.
        """
        return "" if self.proven else f"{self.outcome}: {'; '.join(self.doubts)}"

    @property
    def environment(self) -> tuple[Environment, ...]:
        """What was around the robot; nothing where no scenario is known."""
        return () if self.scenario is None else self.scenario.environment

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
        """The run's own proof: see `limbless.simulation.analysis.balances`."""
        return balances(self.looks, self.mass)

    @property
    def looks(self) -> xr.Dataset:
        """What balances and periods are found from: the run at instants that do not depend on what is
        recorded (or else its records).
        """
        found = [str(name) for name in self.dataset.data_vars if str(name).startswith(LOOK)]
        if not found:
            return self.dataset
        names = {name: name.removeprefix(LOOK) for name in found}
        beside = ["section_length"] if "section_length" in self.dataset else []
        alone = self.dataset[[*found, *beside]].drop_vars("time", errors="ignore")
        return alone.rename({**names, "look": "time"})

    def summary(self) -> dict[str, Any]:
        """The numbers one asks for first, in plain types and SI units; None where a number
        makes no sense for this run.
        """
        data, attributes = self.dataset, self.dataset.attrs
        lasted = speed.duration(data)
        moved, static = speed.displacement(data), statics_work.summary(data)
        of_some = {
            "mean_pulley_power": energy_use.mean_pulley_power(self.looks, self.period),
            "towing_efficiency": energy_use.towing_efficiency(data, self.looks, self.period),
            "wake_share": energy_use.wake_share(data),
            "peak_tension": actuator_limits.peak_tension(data),
            "phases": None if self.scenario is None else energy_use.by_phase(data, self.scenario.gait.phases()),
            "statics": static,
            "numerical_error": self.numerical_error,
            "robustness": self.robustness,
        }
        return plain(
            {
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
                "mass": self.mass,
                "com_displacement": moved,
                "path_length": speed.path_length(data),
                "mean_speed": speed.mean_speed(data),
                "progress": speed.progress(self.looks),
                "period_speed": speed.period_speed(self.looks, self.period),
                "steady": speed.steady(self.looks, self.period),
                "peak_torque": actuator_limits.peak_torque_by_axis(data),
                "limits_exceeded": [vars(excess) for excess in actuator_limits.limits_exceeded(data)],
                "positive_work": energy_use.positive_work(data),
                "cost_of_transport": energy_use.cost_of_transport(data, self.mass),
                **{name: value for name, value in of_some.items() if value is not None},
                "balances": {balance.name: balance.as_dict() for balance in self.balances()},
            }
        )

    def save(self, path: str | Path) -> Path:
        """Write the dataset, the scenario, the status and the final state to one NetCDF file. Nothing
        in it depends on the clock.
        """
        said = {"notes": json.dumps(self.notes), "doubts": json.dumps(self.found)}
        whole = self.dataset.assign_attrs(limbless=FORMAT, written_by=self.written_by, status=self.status, **said)
        text = self._scenario_text()
        if text is not None:
            whole = whole.assign_attrs(scenario=text)
        return write_netcdf(path, whole, self.state)

    @classmethod
    def load(cls, path: str | Path) -> Result:
        """Read a result: the data file, or the folder that `write` made (then with its wall time and error bars)."""
        file = data_file(Path(path))
        dataset, state = read_netcdf(file)
        if dataset.attrs.get("limbless") != FORMAT:
            raise InputError(
                f"cannot load a result: {str(file)!r} is a NetCDF file but not a result of this version of limbless "
                f"(its attribute 'limbless' is {dataset.attrs.get('limbless')!r}, not {FORMAT!r})"
            )
        refuse_damage(dataset, file)
        attributes = dict(dataset.attrs)
        attributes.pop("limbless")
        status, text = str(attributes.pop("status", "completed")), as_sort(str, attributes.pop("scenario", None))
        version = str(attributes.pop("written_by", ""))
        said = {name: sentences(attributes.pop(name, "[]")) for name in ("notes", "doubts")}
        facts = {name: as_sort(sort, attributes.get(name)) for name, sort in SORTS.items() if name in attributes}
        dataset.attrs = {name: value for name, value in {**attributes, **facts}.items() if value is not None}
        beside = read_summary(file.with_name("summary.json"))
        result = cls(dataset, scenario_in(text), status, state, as_sort(float, beside.get("wall_time")))
        result.numerical_error = error_bars_in(beside.get("numerical_error"))
        result.notes, result.found = said["notes"], said["doubts"]
        result._kept_scenario_text, result.written_by = text, version
        return result

    _kept_scenario_text: str | None = None

    def _scenario_text(self) -> str | None:
        """The scenario as YAML: as it is now, or as it was in the file this result came from."""
        return self.scenario.to_yaml() if self.scenario is not None else self._kept_scenario_text

    def export(self, path: str | Path, form: str | None = None) -> Path:
        """Write the run for other tools: `name.mat` for MATLAB, `name.glb` for Blender and browsers, or a folder for a
        ROS 2 bag (`form`: mat, glb or rosbag).
        """
        from limbless.interop.logs import write_log

        return write_log(self, path, form)

    def to_csv(self, path: str | Path, variables: Iterable[str] | None = None) -> Path:
        """Write recorded variables as one wide table: `time`, then columns like `base_position_x` or
        `joint_torque_yaw_3`, by the labels of the dataset; units of all columns go into `NAME-units.csv` beside it.
        """
        return write_table(path, *wide_table(self.dataset, variables))

    def plot(self, name: str | None = None) -> Figure | dict[str, Figure]:
        """One figure by name, or all figures of this run by their names."""
        from limbless.view import figures

        if name is not None:
            return figures.draw(self, name)[0]
        return {name: figures.draw(self, name)[0] for name in figures.names_for(self)}

    def view(self, browser: bool = True) -> Replay | None:
        """Look at the motion: in a notebook the replay appears below the cell; elsewhere the studio opens in the
        browser, until the page is closed.
        """
        return show.look_at(self, browser)

    def report(self, folder: str | Path | None = None) -> str | Path:
        """The report as one page of HTML: its text, or the file `report.html` in a folder."""
        from limbless.view.report import report, write_report

        return report(self) if folder is None else write_report(self, folder)

    def write(
        self, directory: str | Path, figures: bool = True, replay: bool | None = None, form: str = "png"
    ) -> list[Path]:
        """Write `scenario.yaml`, `result.nc`, `summary.json` and `figures/*.png` (`form`: png, pdf or svg) with the
        arrays each drew as `.csv`; returns the paths. `replay.html` is written too where the extra `view` is installed;
        `replay` false leaves it out, absent it goes with the figures.

        A figure that this run cannot fill (a joint that it does not have, too few records) is left out, with a line in
        the log. Ctrl-C waits until the data are written.
        """
        folder = Path(directory)
        with undisturbed() as pressed:
            written = self._write_data(folder)
        if pressed:
            raise KeyboardInterrupt
        if figures:
            written += show.draw_into(folder, self, form)
        if (figures if replay is None else replay) and show.can_replay():
            written += show.replay_into(folder, self)
        return written

    def _write_data(self, folder: Path) -> list[Path]:
        """Scenario, data and summary: all that cannot be made again from the others."""
        text = self._scenario_text()
        written = [] if text is None else [write_text(folder / "scenario.yaml", text)]
        written.append(self.save(folder / FILE_NAME))
        summary = json.dumps(self.summary(), indent=2, allow_nan=False)
        written.append(write_text(folder / "summary.json", f"{summary}\n"))
        if self.status != "interrupted":  # an interrupted run can go on from what its checkpoint holds
            shutil.rmtree(folder / CHECKPOINT, ignore_errors=True)
        return written

    def __repr__(self) -> str:
        return "\n".join(["Result", *(f"  {label:<18} {value}" for label, value in show.facts_of(self))])

    def _repr_html_(self) -> str:
        return show.html_of(self)


def _told_of(
    variables: Variables, looks: Variables | None, model: Recording, scenario: Scenario | None, facts: Mapping[str, Any]
) -> _Told:
    """Dataset, notes and doubts of a run."""
    dataset = dataset_of(variables, model)
    if looks is not None:
        dataset = dataset.assign(looks_of(looks, model.schema()))
    residual = power_residual(dataset)
    if residual is not None and "power_residual" not in dataset:
        dataset["power_residual"] = ("time", residual, attributes_of(CATALOGUE["power_residual"]))
    known = {**_facts(scenario, model), **facts}
    dataset.attrs.update({name: value for name, value in known.items() if value is not None})
    own, (slow, wrong) = ((), ([], [])) if scenario is None else (scenario.notes(), slow_notes(scenario, dataset))
    notes = [*own, *model.notes, *model.remarks(dataset), *slow]
    return dataset, tuple(dict.fromkeys(notes)), (*model.doubts(dataset), *wrong)


def _facts(scenario: Scenario | None, model: Recording) -> dict[str, Any]:
    """What the summary needs beside the dataset, from the scenario or, without one, from the model."""
    robot = getattr(model, "robot", None) or getattr(scenario, "robot", None)
    facts: dict[str, Any] = {"total_mass": float(robot.build().total_mass) if robot is not None else None}
    facts |= getattr(model, "towing", {})
    if scenario is not None:
        task = getattr(scenario, "task", None)
        facts |= {
            "scenario_name": scenario.name,
            "model": scenario.model.kind,
            "task": task,
            "step": scenario.step if task is None else None,
            "gait_period": scenario.gait.cycle,
            **speed.transport_facts(scenario),
        }
    return facts
