"""The data file of a result: NetCDF 4, the same bytes for the same data, with the final state in a group of its own."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import InputError, open_hdf5, replacing, without_cluster
from limbless.models.base import State

if TYPE_CHECKING:
    import xarray as xr

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
