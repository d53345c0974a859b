"""A result as something to look at: frame after frame, the poses, sizes and paths that any robot has."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from limbless.core import InputError
from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.view.figures import finite

if TYPE_CHECKING:
    import xarray as xr

    from limbless.simulation.result import Result

Array = NDArray[np.float64]

_SLENDER = 0.03  # radius over length of a body whose sections have no recorded size
_STOUT = 16.0  # times slender: a body of several sections that is about as thick as long is drawn slender


@dataclass(frozen=True)
class Frames:
    """What is drawn of a result.

    Attributes
    ----------
    result : the drawable part of the result, without records of a run that diverged.
    axis : dimension that the frames run along: `time`, or `point` of a statics path (a grid is read row by row).
    times : (frames,) s; for statics without a time one second per ten points.
    position, rotation : (frames, sections, 3), (frames, sections, 3, 3) of the sections, world; m.
    radius : (frames, sections, 2) half axes, lateral and vertical; m.
    length : (frames, sections) m; zero for disks.
    head : (frames, 3) the head's end, world; m.
    """

    result: Result
    axis: str
    times: Array
    position: Array
    rotation: Array
    radius: Array
    length: Array
    head: Array

    @property
    def count(self) -> int:
        return len(self.times)

    @property
    def size(self) -> float:
        """Length of the body, m: the measure of everything drawn beside it."""
        centres = np.linalg.norm(np.diff(self.position[0], axis=0), axis=-1).sum()
        return float(max(centres, self.length[0].sum(), 2.0 * self.radius[0].max(), 1e-3))

    @property
    def timed(self) -> bool:
        """Whether the frames have times of their own."""
        return "time" in self.result.dataset.coords

    @property
    def moment(self) -> str:
        """What plots have along their horizontal axis."""
        return "time (s)" if self.timed else self.axis

    @property
    def abscissa(self) -> Array:
        """(frames,) times (s), or numbers of the points."""
        return self.times if self.timed else np.arange(self.count, dtype=float)

    def centre(self, frame: int) -> Array:
        return np.asarray(self.position[frame].mean(axis=0))

    def at(self, time: float) -> int:
        """The frame that is shown at a time: the last one that is not later."""
        return int(np.clip(np.searchsorted(self.times, time + 1e-9, side="right") - 1, 0, self.count - 1))

    def bounds(self) -> tuple[Array, Array]:
        """Lower and upper corner of all that the body sweeps, m."""
        reach = self.radius.max() + 0.5 * self.length.max()
        points = self.position.reshape(-1, 3)
        return points.min(axis=0) - reach, points.max(axis=0) + reach

    def posed(self, frame: int, position: Array, rotation: Array, head: Array) -> Frames:
        """One frame with another posture: places (sections, 3) and axes (sections, 3, 3), and the head's end (3,)."""
        from limbless.simulation.result import Result

        data = self.result.dataset
        row = np.unravel_index(frame, [data.sizes[dim] for dim in leading(data)])
        alone = data.isel({dim: [int(place)] for dim, place in zip(leading(data), row, strict=True)})
        return replace(
            self,
            result=Result(alone.copy(deep=True), self.result.scenario),
            times=self.times[frame : frame + 1],
            position=position[None],
            rotation=rotation[None],
            radius=self.radius[frame : frame + 1],
            length=self.length[frame : frame + 1],
            head=head[None],
        )

    def values(self, name: str) -> Array | None:
        """A recorded variable with its frames first, or None; one that does not change is repeated."""
        data = self.result.dataset
        if name not in data:
            return None
        return by_frame(data[name], leading(data), self.count)


def frames_of(result: Result) -> Frames:
    """The frames of a result, or an `InputError` that says why there are none."""
    shown = finite(result)
    data = shown.dataset
    body = _body_of(data)
    if body is None:
        raise InputError("this result cannot be drawn: it recorded no position")
    dims = leading(data)
    count = int(np.prod([data.sizes[dim] for dim in dims], initial=1))
    if count < 1:
        raise InputError("this result cannot be drawn: it has no record")
    position = by_frame(data[body], dims, count).reshape(count, -1, 3).astype(float)
    if position.shape[1] == 0:  # a robot without sections is drawn as its centre
        position = data["com_position" if "com_position" in data else "base_position"].values.reshape(count, 1, 3)
    sections = position.shape[1]
    rotation = np.broadcast_to(np.eye(3), (count, sections, 3, 3))
    if body == "position" and "orientation" in data and data.sizes.get("section") == sections:
        rotation = quaternion_to_matrix(by_frame(data["orientation"], dims, count))
    axis, times = dims[0] if dims else "point", _times(data, dims, count)
    length, radius = _sizes(data, dims, position)
    return Frames(shown, axis, times, position, rotation, radius, length, _head(data, dims, position))


def by_frame(variable: xr.DataArray, dims: list[str], count: int) -> Array:
    """Its numbers with the frames, which run along these dimensions, first; those that do not change are repeated."""
    if not set(dims) <= set(variable.dims):
        return np.broadcast_to(variable.values, (count, *variable.shape))
    ordered = variable.transpose(*dims, ...).values
    return np.asarray(ordered.reshape(count, *ordered.shape[len(dims) :]))


def leading(data: xr.Dataset) -> list[str]:
    """The dimensions that frames run along: what poses have before the section."""
    body = _body_of(data)
    return ["time"] if body is None else [str(dim) for dim in data[body].dims if dim not in ("section", "axis", "disk")]


def _body_of(data: xr.Dataset) -> str | None:
    """The variable that says best where the body is."""
    names = ("position", "com_position", "head_position", "base_position", "tip_position")
    return next((name for name in names if name in data), None)


def _times(data: xr.Dataset, dims: list[str], count: int) -> Array:
    if "time" in data.coords and data["time"].dims == tuple(dims):
        return np.asarray(data["time"].values, dtype=float)
    return np.asarray(0.1 * np.arange(count), dtype=np.float64)


def _sizes(data: xr.Dataset, dims: list[str], position: Array) -> tuple[Array, Array]:
    count, sections = position.shape[:2]
    gaps = np.linalg.norm(np.diff(position[0], axis=0), axis=-1)
    if "section_length" in data and data["section_length"].sizes.get("section") == sections:
        length = np.asarray(by_frame(data["section_length"], dims, count), dtype=float)
    else:
        length = np.zeros((count, sections))
    usual = _SLENDER * max(float(gaps.sum()), float(length[0].sum()), 0.1)
    if "radius" in data and data["radius"].sizes.get("section") == sections:
        radius = np.asarray(by_frame(data["radius"], dims, count), dtype=float)
        radius = radius if radius.ndim == 3 else np.repeat(radius[..., None], 2, axis=2)
    else:
        radius = np.full((count, sections, 2), usual)
    if sections > 1 and radius.max() > _STOUT * usual:  # a section made up for its inertia hides the motion
        radius = radius * (usual / radius.max())
    return length, np.where(radius > 0.0, radius, 0.1 * usual)


def _head(data: xr.Dataset, dims: list[str], position: Array) -> Array:
    known = [name for name in ("head_position", "tip_position") if name in data and set(dims) <= set(data[name].dims)]
    return np.asarray(by_frame(data[known[0]], dims, len(position)), dtype=float) if known else position[:, 0]
