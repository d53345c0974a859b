"""A gait as the strains of a rod: shapes become curvatures, strain gaits are taken as they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.core import InputError
from limbless.mechanics.rod.strain_checks import bend, within
from limbless.robots.rod import ACTUATED, NATURAL, STILL, STRAINS, Rod


def rod_strain(rod: Rod, gait: Gait, times: Array, stations: Array) -> Drive:
    """A gait as strain (T, S, 6) of a rod at times (T,) and abscissae (S,) or (T, S).

    Shape gaits give their slope, strain gaits themselves. The curvatures of a shape are the slopes of its heading
    (about z) and of its elevation (about y): what a chain of many links does.
    """
    drive = gait.sample(times, stations) if gait.drives == "strain" else _curvature(*gait.slope(times, stations))
    if not within(*(np.ascontiguousarray(part) for part in drive), *rod.strain_bounds):
        _refuse(rod, drive, gait, times, stations)
    return drive


def _curvature(*slopes: Array) -> Drive:
    """Slopes of heading and elevation (T, S, 2) as strain of an inextensible rod."""
    parts = [np.empty((*slope.shape[:2], 6)) for slope in slopes]
    for slope, stretch, part in zip(slopes, (1.0, 0.0, 0.0), parts, strict=True):
        bend(slope, stretch, part)
    return Drive(*parts)


def _refuse(rod: Rod, drive: Drive, gait: Gait, times: Array, stations: Array) -> None:
    """Say what is wrong with strains that are not finite, fold the rod, or drive what is not actuated."""

    def where(bad: Any) -> str:
        i, k = np.argwhere(bad)[0][:2]
        X = stations[i, k] if stations.ndim == 2 else stations[k]
        return f"at t = {times[i]:g} s, X = {X:g} m"

    for part in drive:
        if not np.isfinite(part).all():
            raise InputError(f"the gait's strain is not finite {where(~np.isfinite(part).all(axis=-1))}")
    stretch = drive.value[..., 0]
    if (stretch <= 0.0).any():
        raise InputError(
            f"the gait folds the rod {where(stretch <= 0.0)}: the stretch is {stretch[stretch <= 0.0][0]:g}, and must "
            "stay above 0; reduce its amplitude"
        )
    away = np.abs(drive.value[..., rod.locked] - NATURAL[rod.locked]) > STILL
    wanted = {rod.locked[c] for c in np.flatnonzero(away.any(axis=tuple(range(away.ndim - 1))))}
    if not wanted:
        return
    able = set(ACTUATED[rod.strains])
    enough = next(case for case, free in ACTUATED.items() if wanted | able <= set(free))
    fields = dict(gait) if isinstance(gait, Gait) else {}
    numbers = [f"{name} {value:g}" for name, value in fields.items() if isinstance(value, float) and value]
    given = f" ({', '.join(numbers)})" if numbers else ""
    raise InputError(
        f"gait {gait.kind!r}{given} drives the {', '.join(STRAINS[c] for c in sorted(wanted))}, which a rod with "
        f"strains: {rod.strains} has locked; set robot.strains to {enough!r} (or the preset's `body` to one that "
        "bends so)"
    )
