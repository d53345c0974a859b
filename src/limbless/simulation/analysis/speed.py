"""How far and how fast: displacement, path, mean speed, and averages over whole gait periods. All of the centre of
mass, in the world.

Vectors of recorded arrays from body axes to world axes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array, InputError
from limbless.mechanics.algebra import rotate

if TYPE_CHECKING:
    import xarray as xr


NOWHERE = 1e-9
"""Of the body's length: a distance below it is rounding."""
FLUIDS = ("water", "body-drag")
"""Environments that a robot swims in."""
STEEP = math.cos(math.radians(45.0))
"""A robot whose way leads down more steeply than this under gravity has fallen or sunk there."""


def transport_facts(scenario: Any) -> dict[str, Any]:
    """What decides whether a run is one of getting somewhere, as attributes of its dataset: `held`, why
    it is not, and its gravity.
    """
    environment, robot = scenario.environment, scenario.robot.build()
    kinds = {item.kind for item in environment}
    anchored = any(item.kind == "anchorage" and not item.active for item in environment)
    held = (
        "its base is fixed"
        if robot.base == "fixed"
        else "a clamp holds it"
        if "clamp" in kinds
        else "an anchorage holds it all the time"
        if anchored
        else "nothing is there to push against"
        if kinds <= {"gravity"}
        else None
    )
    # contacts that decide the motion let nothing fall
    guided = any(item.role == "constraint" for item in environment)
    fields = [item.pull for item in environment if item.pull is not None and not guided]
    pull = [float(sum(parts)) for parts in zip(*fields, strict=True)] if fields else None
    return {"held": held, "gravity": pull, "medium": "water" if kinds & set(FLUIDS) else None}


def no_transport(dataset: xr.Dataset) -> str | None:
    """Why numbers of getting somewhere (cost of transport, steadiness) mean nothing for
    this run; None where they do.
    """
    moved = displacement(dataset)
    if moved is None:
        return "no motion was recorded"
    return why_no_transport(moved, body_length(dataset), dataset.attrs)


def why_no_transport(moved: Array, length: float, facts: Mapping[str, Any]) -> str | None:
    """The same from the way of a body of some length (m), and from what `transport_facts` found."""
    if facts.get("held"):
        return str(facts["held"])
    distance = float(np.linalg.norm(moved))
    if distance <= NOWHERE * length:
        return "it stays where it is"
    gravity = facts.get("gravity")
    field = np.array((0.0, 0.0, 0.0) if gravity is None else gravity, dtype=np.float64)
    return "it falls" if moved @ field > STEEP * distance * float(np.linalg.norm(field)) else None


def recorded_speed(dataset: xr.Dataset) -> Array:
    """Speed of the centre of mass at every record (m/s)."""
    if "com_velocity" in dataset:
        return np.asarray(np.linalg.norm(dataset["com_velocity"].values, axis=-1))
    way = np.gradient(dataset["com_position"].values, dataset["time"].values, axis=0)
    return np.asarray(np.linalg.norm(way, axis=-1))


def body_length(dataset: xr.Dataset) -> float:
    """Of the whole body, m; 1 where it is not known."""
    return float(dataset["section_length"].values.sum()) if "section_length" in dataset else 1.0


def change(dataset: xr.Dataset, variable: str) -> Array | None:
    """Last minus first value of a variable; None where nothing was recorded."""
    if variable not in dataset or dataset.sizes.get("time", 0) == 0:
        return None
    values = dataset[variable].values
    return np.asarray(values[-1] - values[0])


def duration(dataset: xr.Dataset) -> float:
    """Time between the first and the last record (s)."""
    return float(change(dataset, "time") or 0.0)


def displacement(dataset: xr.Dataset) -> Array | None:
    """Last minus first position (3,), m, world; None where nothing was recorded."""
    return change(dataset, "com_position")


def path_length(dataset: xr.Dataset) -> float | None:
    """Length of the path (m): as it was counted at every step, or else the sum of the chords between records."""
    if displacement(dataset) is None:
        return None
    counted = change(dataset, "com_path")
    if counted is None:
        counted = np.linalg.norm(np.diff(dataset["com_position"].values, axis=0), axis=1).sum()
    return float(counted)


def mean_speed(dataset: xr.Dataset) -> float | None:
    """Distance between the first and the last place, over the time between them (m/s)."""
    moved = displacement(dataset)
    if moved is None or duration(dataset) == 0.0:
        return None
    return float(np.linalg.norm(moved)) / duration(dataset)


DIRECTIONS = (
    "head (towards the head, all along the way), heading (where the head pointed at the start), x, y, z, -x, -y, -z, "
    "or a vector of the world such as 1,0,0.5"
)


def direction_of(text: str) -> Array | None:
    """A direction by its name as a unit vector of the world (3,); None for those that follow the robot."""
    if text in ("head", "heading"):
        return None
    axes = dict(zip(("x", "y", "z"), np.eye(3), strict=True))
    if text.lstrip("+-") in axes and len(text) <= 2:
        return np.asarray(axes[text[-1]] * (-1.0 if text.startswith("-") else 1.0))
    try:
        vector = np.array([float(part) for part in text.split(",")])
    except ValueError:
        vector = np.zeros(0)
    if vector.shape != (3,) or not np.isfinite(vector).all() or not vector.any():
        raise InputError(f"direction {text!r}: give {DIRECTIONS}")
    return np.asarray(vector / np.linalg.norm(vector))


def headings(head: Array, sections: Array) -> Array:
    """Unit vectors (R, 3), world, from the end of the body that is farther from the head to the head, of its places
    (R, 3) and those of all sections (R, sections, 3).
    """
    ends = sections[:, [0, -1]]
    away = np.linalg.norm(ends[0] - head[0], axis=-1) if len(head) else np.zeros(2)
    line = head - ends[:, int(away.argmax())]
    return np.asarray(line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-300))


def way_along(looks: xr.Dataset, direction: str = "head") -> float | None:
    """Signed way of the centre of mass along a direction (m), see `DIRECTIONS`; None where it is not known. Towards the
    head: each piece of the way along the line from the tail to the head at that time.
    """
    moved, vector = displacement(looks), direction_of(direction)
    if moved is None:
        return None
    if vector is not None:
        return float(moved @ vector)
    if "heading" not in looks:
        return None
    ahead = looks["heading"].values
    if direction == "heading":
        return float(moved @ ahead[0])
    return float((np.diff(looks["com_position"].values, axis=0) * 0.5 * (ahead[1:] + ahead[:-1])).sum())


def progress(looks: xr.Dataset) -> float | None:
    """Way towards the head over the time (m/s): negative for a robot that moves tail first."""
    way = way_along(looks)
    return None if way is None or duration(looks) == 0.0 else way / duration(looks)


def period_velocities(dataset: xr.Dataset, period: float | None) -> tuple[Array, Array]:
    """Mean velocity over each whole period, counted back from the last record, so that the last one is always whole.

    Returns
    -------
    ends : (N,) the time at which each period ends, s, rising.
    velocity : (N, 3) displacement over that period divided by it, m/s, world. Between records the path is taken as
        straight.
    """
    if not period or displacement(dataset) is None:
        return np.zeros(0), np.zeros((0, 3))
    whole = int(np.floor(duration(dataset) / period * (1.0 + 1e-12)))
    time, position = dataset["time"].values, dataset["com_position"].values
    marks = time[-1] - period * np.arange(whole, -1, -1)
    places = np.stack([np.interp(marks, time, position[:, axis]) for axis in range(3)], axis=1)
    return marks[1:], np.diff(places, axis=0) / period


def period_speed(dataset: xr.Dataset, period: float | None) -> float | None:
    """Distance covered in the last whole period, over the period (m/s); None for a gait
    without one or a shorter run.
    """
    velocity = period_velocities(dataset, period)[1]
    return float(np.linalg.norm(velocity[-1])) if len(velocity) else None


PERIOD_RECORDS = 8
"""Fewest records of a period that tell how far a tail swings."""


def strouhal(dataset: xr.Dataset, looks: xr.Dataset, period: float | None) -> float | None:
    """Strouhal number of a swim: how far the tail swings from side to side (peak to peak) in the last period, over the
    way of that period (Taylor, Nudds and Thomas 2003). None outside water, without a period, or with too few records.
    """
    velocity = period_velocities(looks, period)[1]
    if (
        dataset.attrs.get("medium") != "water"
        or not len(velocity)
        or no_transport(dataset)
        or "position" not in dataset
    ):
        return None
    assert period is not None
    time, going = dataset["time"].values, velocity[-1]
    last, forward = time >= time[-1] - period * (1.0 + 1e-9), float(np.hypot(*going[:2]))
    if last.sum() < PERIOD_RECORDS or not forward > 0.0:
        return None
    head, ends = dataset["head_position"].values, dataset["position"].values[:, [0, -1]]
    tail = ends[last, int(np.linalg.norm(ends[0] - head[0], axis=-1).argmax()), :2]
    aside = tail @ np.array([-going[1], going[0]]) / forward
    return float(np.ptp(aside) / (forward * period))


def steady(dataset: xr.Dataset, period: float | None) -> float | None:
    """Speed of the last whole period over that of the period before: 1 in steady motion. None without two periods, from
    rest, or where `no_transport` says why."""
    if no_transport(dataset) is not None:
        return None
    speeds = np.linalg.norm(period_velocities(dataset, period)[1], axis=1)
    return float(speeds[-1] / speeds[-2]) if len(speeds) >= 2 and speeds[-2] != 0.0 else None


def base_velocity_world(dataset: xr.Dataset) -> Array:
    """Velocity of the base origin in world axes (time, 3), m/s, from `base_twist` (body
    axes) and `base_orientation`.
    """
    return rotate(dataset["base_orientation"].values, dataset["base_twist"].values[:, :3])
