"""A connection on a grid of postures, as a Dataset, and as a file that makes it again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.control.gaits.shape_basis import Shapes
from limbless.core import Array, InputError
from limbless.scenarios.scenario import Scenario
from limbless.search.studies.strokes import pairs_of
from limbless.simulation.result.storage import read_netcdf, write_netcdf

if TYPE_CHECKING:
    import xarray as xr

    from limbless.search.studies.connection import Connection

GRID, FITTED_GRID = 41, 21
COMPONENTS = {3: ("x", "y", "turn"), 6: ("x", "y", "z", "roll", "pitch", "yaw")}


def grid_of(connection: Connection) -> tuple[list[Array], Array]:
    """The axes of the grid, and its postures (S, p)."""
    count = FITTED_GRID if connection.medium == "friction" else GRID
    plane = connection.plane if connection.count >= 2 else (0,)
    axes = [np.linspace(connection.region[k, 0], connection.region[k, 1], count) for k in plane]
    mesh = np.meshgrid(*axes, indexing="ij")
    points = np.tile(connection.at, (mesh[0].size, 1))
    for k, values in zip(plane, mesh, strict=True):
        points[:, k] = values.ravel()
    return axes, points


def field_of(connection: Connection) -> xr.Dataset:
    """A, metric, curvature, the pose of the frame in the base, and what tells how exact it is."""
    import xarray

    axes, points = grid_of(connection)
    shape, names = tuple(len(axis) for axis in axes), ("r1", "r2")[: len(axes)]
    A, answer = connection._told(points, True)

    def laid(values: Array, *dims: str) -> tuple[tuple[str, ...], Array]:
        return (*names, *dims), values.reshape(*shape, *values.shape[1:])

    found: dict[str, Any] = {"A": laid(A, "component", "shape")}
    if answer.metric is not None:
        found["metric"] = laid(answer.metric, "shape", "shape_")
    if connection.count >= 2:
        found["curvature"] = laid(connection._curved(points), "pair", "component")
    if connection.planar:
        found["frame"] = laid(pose_of(connection, points, answer), "component")
    if connection.medium == "friction":
        found["misfit"] = laid(connection._fitted(points)[1])
    if answer.wheels is not None:
        C = answer.wheels
        if C.shape[1] == 3:
            found["denominator"] = laid(np.asarray(np.linalg.det(C[:, :, :3])))
        else:
            found["slip"] = laid(C[:, :, :3] @ connection._at(points, True)[0] + C[:, :, 3:], "wheel", "shape")
    coords = {name: (name, axis, {"units": connection.shapes.unit}) for name, axis in zip(names, axes, strict=True)}
    shapes = list(connection.shapes.names)
    coords |= {
        "shape": ("shape", shapes),  # type: ignore[dict-item]
        "component": ("component", list(COMPONENTS[A.shape[1]])),  # type: ignore[dict-item]
    }
    if connection.count >= 2:
        pairs = [f"{shapes[i]}, {shapes[j]}" for i, j in pairs_of(connection.count)]
        coords["pair"] = ("pair", pairs)  # type: ignore[assignment]
    return xarray.Dataset(found, coords, {"medium": connection.medium, "frame": connection.frame})


def pose_of(connection: Connection, points: Array, answer: Any) -> Array:
    """(S, 3) of the frame in the base."""
    pose = np.zeros((len(points), 3))
    for frame in connection._frames(points, answer):
        c, s = np.cos(pose[:, 2]), np.sin(pose[:, 2])
        x, y = frame.pose[:, 0], frame.pose[:, 1]
        pose = np.stack([pose[:, 0] + c * x - s * y, pose[:, 1] + s * x + c * y, pose[:, 2] + frame.pose[:, 2]], axis=1)
    return pose


def save(connection: Connection, path: Path) -> Path:
    """The field as NetCDF; scenario, shapes and region stand beside it."""
    if connection.weight is not None:
        raise InputError("save: a weight that is a Python function cannot be written; leave it out")
    shapes = connection.shapes
    data = connection.field.assign(
        basis=(("station", "shape"), np.asarray(shapes.basis)),
        rest=(("station",), np.asarray(shapes.rest)),
        region=(("shape", "side"), connection.region),
        at=(("shape",), connection.at),
        plane=(("axis_of_the_slice",), np.array(connection.plane, dtype=np.float64)),
    )
    data.attrs |= {
        "scenario": connection.scenario.to_yaml(),
        "unit": shapes.unit,
        "share": shapes.share,
        "wave": np.nan if shapes.wave is None else shapes.wave,
    }
    return write_netcdf(path, data, None)


def load(path: Path) -> Connection:
    """What `save` has written."""
    from limbless.search.studies.connection import connection

    data, _ = read_netcdf(path)
    if not {"A", "basis", "region"} <= set(data.variables) or "scenario" not in data.attrs:
        raise InputError(f"{str(path)!r} is no saved connection; give a file that Connection.save has written")
    wave = float(data.attrs["wave"])
    shapes = Shapes(
        basis=data["basis"].values,
        rest=data["rest"].values,
        names=tuple(map(str, data["shape"].values)),
        unit=str(data.attrs["unit"]),
        share=float(data.attrs["share"]),
        wave=None if np.isnan(wave) else wave,
    )
    made = connection(
        Scenario.load(Scenario.from_yaml(data.attrs["scenario"])),
        shapes=shapes,
        region=data["region"].values,
        frame=str(data.attrs["frame"]),
        slice=tuple(int(k) for k in data["plane"].values),  # type: ignore[arg-type]
        at=data["at"].values,
    )
    names = [name for name in ("basis", "rest", "region", "at", "plane") if name in data]
    made.__dict__["field"] = data.drop_vars(names)
    return made
