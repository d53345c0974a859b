"""The data file of a result: NetCDF 4, the same bytes for the same data, with the final state in a group of its own.

What a data file and the summary beside it hold, read with care: whoever wrote them may have meant no good.
"""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import InputError, open_hdf5, refuse_pipe, replacing, without_cluster
from limbless.models.base import State
from limbless.scenarios import loader

if TYPE_CHECKING:
    import xarray as xr

    from limbless.scenarios.scenario import Scenario


FILE_NAME = "result.nc"
CHECKPOINT = "checkpoint"
"""Folder, within that of a run, of what a long run leaves while it is on its way."""
_STATE = "state"  # group that holds the final state
_MEMORY = "memory_"  # prefix, in that group, of what the model remembers


def write_netcdf(path: str | Path, dataset: xr.Dataset, state: State | None) -> Path:
    """Write a dataset and a state to one file, which is never seen half written.

    It is made in memory first: HDF5 that runs out of disk while it writes takes the whole process with it.
    """
    made = BytesIO()
    _write(dataset, made)
    if state is not None:
        _write(_as_dataset(state), made, group=_STATE, mode="a")
    with replacing(path) as temporary:
        temporary.write_bytes(made.getbuffer())
    return Path(path)


def data_file(path: Path) -> Path:
    """The data file of a result, itself or in the folder of a run."""
    file = path / FILE_NAME if path.is_dir() else path
    if not file.is_file():
        hint = f"; give the folder that a run wrote, or its {FILE_NAME}"
        if (path / CHECKPOINT).is_dir():
            hint = f"; it holds an unfinished run, which `limbless run --resume {path}` continues"
        elif str(path) in loader.names():
            hint = f"; {path} is a scenario: `limbless run {path}` writes such a folder"
        raise InputError(f"cannot load a result: there is no file {str(file)!r}{hint}")
    return file


def read_netcdf(path: Path) -> tuple[xr.Dataset, State | None]:
    """Read what `write_netcdf` wrote, whole, and close the file; an `InputError` if it cannot be read."""
    try:
        with open_hdf5(path) as file:
            has_state = _STATE in file
        return _read(path, None), _as_state(_read(path, _STATE)) if has_state else None
    except Exception as error:  # the libraries below raise many kinds; for the user they mean one thing
        raise InputError(f"cannot load a result: {str(path)!r} is damaged or not a NetCDF 4 file ({error})") from error


def _write(dataset: xr.Dataset, path: BytesIO, **options: Any) -> None:
    # Without a fill value and with native types, what is read is bit for bit what was written.
    encoding = {
        name: {"_FillValue": None} for name, variable in dataset.variables.items() if variable.dtype.kind == "f"
    }
    with without_cluster():
        _in_order(dataset).drop_encoding().to_netcdf(path, engine="h5netcdf", encoding=encoding, **options)


def _read(path: Path, group: str | None) -> xr.Dataset:
    import xarray

    dataset = xarray.load_dataset(path, engine="h5netcdf", group=group, decode_times=False)
    dataset.attrs = {
        name: value.item() if isinstance(value, np.generic) else value for name, value in dataset.attrs.items()
    }
    texts = [name for name, variable in dataset.variables.items() if variable.dtype.kind not in "fiubc"]
    labels = {name: dataset[name].astype(str) for name in texts if name in dataset.coords}
    others = {name: dataset[name].astype(str) for name in texts if name not in labels}
    return _in_order(dataset.assign_coords(labels).assign(others))


def _in_order(dataset: xr.Dataset) -> xr.Dataset:
    """Coordinates first, by name: files are read in another order than they are written, and the bytes depend on it."""
    import xarray

    names = sorted(map(str, dataset.coords), key=lambda name: (name != "time", name))
    data = xarray.Dataset(coords={name: dataset.variables[name] for name in names}, attrs=dataset.attrs)
    return data.assign({name: dataset.variables[name] for name in dataset.data_vars})


def _as_dataset(state: State) -> xr.Dataset:
    import xarray

    arrays = {"final_time": np.asarray(state.time), "final_x": np.asarray(state.x)}
    arrays |= {_MEMORY + name: np.asarray(value) for name, value in state.memory.items()}
    return xarray.Dataset(
        {name: ([f"{name}_{axis}" for axis in range(array.ndim)], array) for name, array in arrays.items()}
    )


def _as_state(dataset: xr.Dataset) -> State:
    memory = {
        str(name).removeprefix(_MEMORY): dataset[name].values
        for name in dataset.data_vars
        if str(name).startswith(_MEMORY)
    }
    return State(float(dataset["final_time"]), dataset["final_x"].values, memory)


_log = logging.getLogger("limbless")


def scenario_in(text: str | None) -> Scenario | None:
    """The scenario of a saved result, or None if this installation does not know all that it names
    (a user's own gait, say).
    """
    if text is None:
        return None
    from limbless.scenarios.loader import from_text

    try:
        return from_text(text, "scenario", allow_code=False, saved=True)  # whoever looks at a result runs nothing
    except InputError as error:
        _log.warning("the scenario in the result cannot be built here: %s", error)
        return None


SORTS: dict[str, type] = {
    "scenario_name": str,
    "model": str,
    "task": str,
    "step": float,
    "gait_period": float,
    "total_mass": float,
    "towing_quadratic": float,
    "towing_linear": float,
}
"""What the attributes of a data file are, beside those of its variables."""


def as_sort(sort: type, value: Any) -> Any:
    """A text, or a finite number, that a file holds; None for anything else: whoever wrote
    it may have meant no good.
    """
    if sort is str:
        return value if isinstance(value, str) else None
    good = isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < math.inf
    return float(value) if good else None


def sentences(text: Any) -> tuple[str, ...]:
    """The notes or doubts of a data file."""
    try:
        found = json.loads(text)
    except (TypeError, ValueError, RecursionError):
        return ()
    return tuple(str(one) for one in found) if isinstance(found, list) else ()


def error_bars_in(found: Any) -> dict[str, Any] | None:
    """Error bars of a summary; None where they are not as `limbless.error_bars` writes them."""

    def good(bar: Any) -> bool:
        inside = bar.values() if isinstance(bar, dict) else bar if isinstance(bar, list) else None
        return bar is None or as_sort(float, bar) is not None if inside is None else all(map(good, inside))

    sorts = {"total": dict, "sources": dict, "notes": list}
    whole = isinstance(found, dict) and all(isinstance(found.get(name), sort) for name, sort in sorts.items())
    return found if whole and good(found["total"]) else None


def refuse_damage(dataset: xr.Dataset, file: Path) -> None:
    """Refuse a data file whose clocks do not go forwards, or that holds what is no number: no balance would notice, for
    most compare the two ends of a few variables."""
    for name in ("time", "look"):
        times = np.asarray(dataset[name].values) if name in dataset.coords else np.zeros(0)
        good = times.dtype.kind in "fiu" and np.isfinite(times).all() and (np.diff(times) >= 0.0).all()
        if times.size and not good:
            raise InputError(f"cannot load a result: {str(file)!r} is damaged: its {name} does not go forwards")
    for variable in dataset.data_vars.values():
        moves = {"time", "look"} & {*variable.dims} and variable.dtype.kind == "f"
        if moves and not np.isfinite(variable.values).all():
            raise InputError(
                f"cannot load a result: {str(file)!r} is damaged: its {variable.name} holds what is no number "
                "(NaN or infinity)"
            )


def read_summary(summary: Path) -> dict[str, Any]:
    """The summary beside a data file, for what the data do not hold; empty where there is none."""
    refuse_pipe(summary)
    try:
        found = json.loads(summary.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def plain(value: Any) -> Any:
    """Only what JSON knows: numbers that are not finite become None."""
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
