"""The records that a model returned as one Dataset, under the names, units and labels that it
declares; and its columns.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, InputError, nearest
from limbless.models.base import Recording, Records, Variable, Variables
from limbless.simulation.analysis.balances import PROOF, orientation_drift
from limbless.simulation.analysis.speed import headings

if TYPE_CHECKING:
    import xarray as xr

LABELS = {
    "axis": ("x", "y", "z"),
    "screw": ("x", "y", "z", "rx", "ry", "rz"),
    "quaternion": ("w", "x", "y", "z"),
    "transverse": ("lateral", "vertical"),
}
"""Dimensions whose labels are the same in every result."""
RECORDED, LOOKED = "recorded", "looked"
"""Among the records: 1 for rows that the user asked for, and for those at which the run is looked
at, whatever is recorded.
"""
LOOK = "look_"
"""Before the names of what the looks found."""


def joined(parts: Sequence[Records]) -> Records:
    """The records of all blocks as one."""
    return Records({name: np.concatenate([part[name] for part in parts]) for name in parts[0]} if parts else {})


def refuse_other_shapes(variables: Variables, model: Recording) -> None:
    """A variable has the dimensions that its schema declares."""
    for name, variable in model.schema().items():
        rank = len(model.record_dims) + len(variable.dims)
        if name in variables and variables[name].ndim != rank:
            raise ValueError(
                f"recorded variable {name!r} has {variables[name].ndim} dimensions, its schema says {rank}"
            )


def dataset_of(variables: Variables, model: Recording) -> xr.Dataset:
    """The Dataset of a model's variables; one that the schema declares and that is not there is left out.

    Without any (a run that never began) every variable is there, and empty.
    """
    import xarray as xr  # imported here: a run need not wait for it, only who looks at its data

    schema, records = model.schema(), model.record_dims
    coords: dict[str, Any] = {}
    if records == ("time",):
        coords["time"] = ("time", _values(variables, "time"), {"units": "s", "long_name": "time"})
    columns: dict[str, Any] = {}
    sizes: dict[str, int] = {dim: len(labels) for dim, labels in LABELS.items()}
    used = {dim for variable in schema.values() for dim in variable.dims}
    for name, (dims, values, attributes) in model.coordinates().items():
        values = np.asarray(values)
        label = len(dims) == 1 and (name in dims or name == "time" or values.dtype.kind in "UO")
        (coords if label else columns)[name] = (dims, values, attributes)
        sizes |= dict(zip(dims, values.shape, strict=True))
        used |= set(dims)
    # In the order of LABELS: that of a set changes from process to process, and with it the bytes of the file.
    coords |= {dim: np.array(labels) for dim, labels in LABELS.items() if dim in used}
    for name, variable in schema.items():
        if name == "time" or (variables and name not in variables):
            continue
        dims = (*records, *variable.dims)
        values = _values(variables, name, tuple(sizes.get(dim, 0) for dim in variable.dims))
        if variable.final:
            if not len(values):
                continue
            dims, values = variable.dims, values[-1]
        columns[name] = (dims, values, attributes_of(variable))
    return xr.Dataset(columns, coords)


def rows_of(raw: Records, chosen: NDArray[np.bool_], worst: Sequence[str]) -> Records:
    """Some rows of the records; what is the worst since the row before is, of rows that are left out, kept by the next
    one that is not.
    """
    rows = np.flatnonzero(chosen)
    found = {name: values[rows] for name, values in raw.items()}
    for name in set(worst) & raw.keys() if len(rows) else ():
        found[name] = np.maximum.reduceat(raw[name][: rows[-1] + 1], [0, *(rows[:-1] + 1)])
    return Records(found)


def looks_of(variables: Variables, schema: Mapping[str, Variable]) -> dict[str, Any]:
    """What balances and periods need of the rows at which a run was looked at, along `look`."""
    found: dict[str, Any] = {}
    slow = "momentum" in variables and not variables["momentum"].any()  # without inertia forces are what is compared
    for name in (*PROOF, "com_position", "pulley_work", *(("fluid_force",) if slow else ())):
        if name in variables:
            variable = schema[name]
            found[LOOK + name] = (("look", *variable.dims), variables[name], attributes_of(variable))
    drift = orientation_drift(variables)
    if drift is not None:
        found[f"{LOOK}orientation_drift"] = (
            "look",
            drift,
            {"units": "1", "long_name": "largest distance of a quaternion's norm from 1"},
        )
    if {"head_position", "position"} <= variables.keys() and variables["position"].shape[1] > 1:
        told = {"units": "1", "long_name": "unit vector from the tail to the head", "frame": "world"}
        found[f"{LOOK}heading"] = (
            ("look", "axis"),
            headings(variables["head_position"], variables["position"]),
            told,
        )
    seen = {"units": "s", "long_name": "when the run is looked at for its balances, whatever is recorded"}
    return {**found, "look": ("look", variables["time"], seen)} if found else {}


def attributes_of(variable: Variable) -> dict[str, str]:
    """What a result says of a variable."""
    known = {"units": variable.units, "long_name": variable.long_name, "frame": variable.frame}
    return {key: text for key, text in known.items() if text}


def _values(variables: Variables, name: str, rest: tuple[int, ...] = ()) -> Array:
    return variables[name] if variables else np.zeros((0, *rest))


def components(variable: xr.DataArray, along: Sequence[str] = ("time",)) -> Iterable[tuple[str, str, Array]]:
    """(name, unit, values along time or other dimensions) of every component of a variable."""
    variable = variable.transpose(*along, ...)
    dims = [str(dim) for dim in variable.dims[len(along) :]]
    labels = [_short_labels(variable, dim) for dim in dims]
    # a screw may have two: linear, angular
    units = re.split(r"\s*[;,]\s*|\s+and\s+", str(variable.attrs.get("units", "1")))
    flat = variable.values.reshape(
        math.prod(variable.sizes[dim] for dim in along), math.prod(variable.sizes[dim] for dim in dims)
    )
    for number, parts in enumerate(product(*labels)):
        unit = units[-1] if dims[-1:] == ["screw"] and parts[-1].startswith("r") else units[0]
        yield "_".join([str(variable.name), *parts]), unit, flat[:, number]


def _short_labels(variable: xr.DataArray, dim: str) -> list[str]:
    """Labels for column names: `x`; `3` for `joint 3` of the dimension joint; numbers from 0 where labels are missing
    or not unique.
    """
    names = [re.sub(r"\W+", "_", str(label)) for label in variable[dim].values] if dim in variable.coords else []
    if len(set(names)) < variable.sizes[dim]:
        return [str(number) for number in range(variable.sizes[dim])]
    return [name.removeprefix(f"{dim}_") for name in names]


def wide_table(dataset: xr.Dataset, variables: Iterable[str] | None) -> tuple[dict[str, Any], list[str]]:
    """Recorded variables (all that change, or those named) as columns of numbers by their labels, and their units."""
    record = "time" if "time" in dataset.dims else "point"
    if record not in dataset.dims:
        raise InputError("a result on a grid is no table; take what you need from `dataset`")
    changing = [str(name) for name in dataset.data_vars if record in dataset[name].dims]
    chosen = changing if variables is None else list(variables)
    for name in chosen:
        if name not in changing:
            raise InputError(f"no recorded variable {name!r}; {nearest(name, changing)}")
    parts = [part for name in chosen for part in components(dataset[name], (record,))]
    columns = {"time": dataset["time"].values} | {column: values for column, _, values in parts}
    return columns, ["s", *(unit for _, unit, _ in parts)]
