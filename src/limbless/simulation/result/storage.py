"""The data file of a result: NetCDF 4, the same bytes for the same data, with the final state in a group of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core.errors import InputError
from limbless.core.files import replacing, without_cluster
from limbless.models.base import State

if TYPE_CHECKING:
    import xarray as xr

_STATE = "state"  # group that holds the final state
_MEMORY = "memory_"  # prefix, in that group, of what the model remembers
_SMALL = 200_000_000  # bytes of numbers that any file may claim
_DENSEST = 100  # times its own size that a larger one may claim: ours are not compressed, others may be


def write_netcdf(path: str | Path, dataset: xr.Dataset, state: State | None) -> Path:
    """Write a dataset and a state to one file, which is never seen half written."""
    with replacing(path) as temporary:
        _write(dataset, temporary)
        if state is not None:
            _write(_as_dataset(state), temporary, group=_STATE, mode="a")
    return Path(path)


def read_netcdf(path: Path) -> tuple[xr.Dataset, State | None]:
    """Read what `write_netcdf` wrote, whole, and close the file; an `InputError` if it cannot be read."""
    import h5netcdf

    try:
        _look_into(path)
        with h5netcdf.File(path, "r") as file:
            has_state = _STATE in file.groups
        return _read(path, None), _as_state(_read(path, _STATE)) if has_state else None
    except Exception as error:  # the libraries below raise many kinds; for the user they mean one thing
        raise InputError(f"cannot load a result: {str(path)!r} is damaged or not a NetCDF 4 file ({error})") from error


def _look_into(path: Path) -> None:
    """Refuse a file that leads out of itself (HDF5 can hold variables whose numbers lie in other files, which would be
    read and shown as if they belonged to the run), or that claims far more numbers than it has, which would fill the
    memory."""
    import h5py

    with h5py.File(path, "r") as file:
        if _STATE in file and not isinstance(file.get(_STATE, getlink=True), h5py.HardLink):
            raise InputError(f"{_STATE!r} is a link")
        total = sum(_size_of(file, name) for name in file if name != _STATE)
        total += sum(_size_of(file[_STATE], name) for name in file.get(_STATE, ()))
    size = path.stat().st_size
    if total > max(_SMALL, _DENSEST * size):
        raise InputError(f"it claims {total} bytes of numbers, and has {size}")


def _size_of(group: Any, name: str) -> int:
    """Bytes of a variable that lies in this file itself."""
    import h5py

    if not isinstance(group.get(name, getlink=True), h5py.HardLink):
        raise InputError(f"{name!r} is a link")
    variable = group[name]
    if not isinstance(variable, h5py.Dataset):
        raise InputError(f"{name!r} is no variable")
    if variable.external or variable.is_virtual:
        raise InputError(f"the numbers of {name!r} lie in another file")
    return int(variable.nbytes)


def _write(dataset: xr.Dataset, path: Path, **options: Any) -> None:
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
