"""The shape of a body in an earlier result, whatever its model, by abscissa."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from limbless.control.gaits.base import Array, Drive
from limbless.control.gaits.gait_table import refuse_outside
from limbless.core import open_hdf5
from limbless.mechanics.algebra import quaternion_to_matrix

_DEGREE = 5
_STRETCHED = 1e-6  # strain above which a body counts as stretched, sheared or twisted


class RecordedMotion:
    """Heading and elevation along the body, from the orientations of its sections: splines in time and along the body.

    Links turn in the joints before them: what they have turned by is reached where the length ends that their joint
    stands for, in the middle of the link (at the ends of the body for the first and the last). Sections of rods and
    disks of spines are where they are.
    """

    def __init__(self, path: str | Path) -> None:
        import xarray

        folder = Path(path)
        file = folder / "result.nc" if folder.is_dir() else folder
        try:
            with open_hdf5(file):
                found = xarray.load_dataset(file, engine="h5netcdf", decode_times=False)
        except Exception as error:
            raise ValueError(f"{str(path)!r} is no folder of a run, and no result.nc of one ({error})") from error
        if "orientation" not in found or found.sizes.get("time", 0) < _DEGREE + 1:
            raise ValueError(
                f"{str(path)!r} has no shape to follow: a motion of at least {_DEGREE + 1} recorded instants is needed"
            )
        self.times = found["time"].values
        turned = quaternion_to_matrix(found["orientation"].values)
        links = "abscissa" not in found and "vertebra_length" not in found
        if "abscissa" in found:
            self.X = np.concatenate([[0.0], found["abscissa"].values])
            turned = np.concatenate([quaternion_to_matrix(found["base_orientation"].values)[:, None], turned], axis=1)
        elif links:
            ends = np.concatenate([[0.0], np.cumsum(found["section_length"].values)])
            self.X = np.concatenate([[0.0], 0.5 * (ends[1:-2] + ends[2:-1]), ends[-1:]])
        else:
            self.X = np.concatenate([[0.0], np.cumsum(found["vertebra_length"].values)])
        keep = np.concatenate([[True], np.diff(self.X) > 0.0])
        self.X, turned = self.X[keep], turned[:, keep]
        steps = turned[:, :-1].swapaxes(-1, -2) @ turned[:, 1:]
        bends = _yaw_pitch(steps) if links else _rotation(steps)
        self.bends = np.concatenate([np.zeros((len(bends), 1, 2)), np.cumsum(bends[..., 1:], axis=1)], axis=1)
        stretch = np.abs(found["strain"].values[..., :4] - [1.0, 0.0, 0.0, 0.0]) if "strain" in found else np.zeros(1)
        other = max(stretch.max(initial=0.0), np.abs(bends[..., 0]).max(initial=0.0))
        if other > _STRETCHED:
            raise ValueError(
                f"the body in {str(path)!r} stretches, shears or twists by up to {other:.2g}, which headings and "
                "elevations along a body do not tell; choose a motion that only bends"
            )

    @cached_property
    def _in_time(self) -> Any:
        from scipy.interpolate import make_interp_spline

        return make_interp_spline(self.times, self.bends, k=_DEGREE)

    def sample(self, times: Array, X: Array, order: int) -> Drive:
        """Heading and elevation (T, S, 2) at abscissae (S,) or (T, S), or their derivatives along the body."""
        from scipy.interpolate import make_interp_spline

        cure = "shorten `duration`, or record a longer run"
        refuse_outside(times, self.times, "gait.result: the recorded motion", cure)
        degree = min(_DEGREE, len(self.X) - 1)
        found = []
        for nu in range(3):
            along = make_interp_spline(self.X, self._in_time(times, nu=nu), k=degree, axis=1)
            found.append(np.ascontiguousarray(at_places(along, X, order)))
        return Drive(*found)


def at_places(along: Any, X: Array, order: int) -> Array:
    """(T, S, ..) a spline along the body, with a row for each time, at places (S,), or (T, S) where each time has its
    own; differentiated `order` times."""
    return np.asarray(along(X, nu=order) if X.ndim == 1 else [along(x, nu=order)[k] for k, x in enumerate(X)])


def _yaw_pitch(turns: Array) -> Array:
    """(.., 3): twist, yaw and pitch of Rz(yaw) Ry(pitch) Rx(twist)."""
    yaw = np.arctan2(turns[..., 1, 0], turns[..., 0, 0])
    pitch = np.arctan2(-turns[..., 2, 0], np.hypot(turns[..., 0, 0], turns[..., 1, 0]))
    return np.stack([np.arctan2(turns[..., 2, 1], turns[..., 2, 2]), yaw, pitch], axis=-1)


def _rotation(turns: Array) -> Array:
    """(.., 3): rotation vectors, their components along x, z and y."""
    from scipy.spatial.transform import Rotation

    vectors = Rotation.from_matrix(turns.reshape(-1, 3, 3)).as_rotvec().reshape(*turns.shape[:-2], 3)
    return vectors[..., [0, 2, 1]]
