"""What a spine at rest spends along a path: actuator work, the paper's equivalent work (55)-(57), consumption."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array

if TYPE_CHECKING:
    import xarray as xr


def actuator_steps(dataset: xr.Dataset) -> Array:
    """Work of all actuators from point to point (points - 1,), J: minus mean tension times change of length, summed
    over the tendons.
    """
    tension, length = dataset["tension"].values, dataset["tendon_length"].values
    return np.asarray(-(0.5 * (tension[1:] + tension[:-1]) * np.diff(length, axis=0)).sum(axis=1))


def equivalent_steps(dataset: xr.Dataset) -> Array:
    """The paper's work (57) from point to point (points - 1,), J: mean equivalent force times change of tip position.

    Not an energy: it leaves out the couple on the last disk and the forces on the others. The paper takes the force at
    the first point of each step; the mean of both ends has no bias of the order of the step.
    """
    force, tip = dataset["equivalent_force"].values, dataset["tip_position"].values
    return np.asarray((0.5 * (force[1:] + force[:-1]) * np.diff(tip, axis=0)).sum(axis=1))


def positive(steps: Array) -> float:
    """What is spent if nothing is recovered (J): the sum of the positive steps."""
    return float(np.maximum(steps, 0.0).sum())


def summary(dataset: xr.Dataset) -> dict[str, Any] | None:
    """The numbers of a static result that one asks for first; None for a result with time."""
    if "tip_in_base" not in dataset or "time" in dataset.dims:
        return None
    found: dict[str, Any] = {"postures": int(dataset["min_eigenvalue"].size)}
    if not found["postures"]:
        return found
    tip = dataset["tip_in_base"].values.reshape(-1, 3)
    found |= {
        "largest_tension": float(dataset["tension"].max()),
        "tip_from": tip.min(axis=0),
        "tip_to": tip.max(axis=0),
        "stops_touched": int((dataset["stop_moment"].values != 0.0).any(axis=-1).sum(axis=-1).max()),
        "least_stiffness": float(dataset["min_eigenvalue"].min()),
    }
    if "target_error" in dataset:
        found["target_error"] = float(dataset["target_error"].max())
    if "point" in dataset.dims and dataset.sizes["point"] > 1:
        actuators, equivalent = actuator_steps(dataset), equivalent_steps(dataset)
        found |= {
            "actuator_work": float(actuators.sum()),
            "consumption": positive(actuators),
            "equivalent_work": float(equivalent.sum()),
            "equivalent_consumption": positive(equivalent),
        }
    return found


_LINES = (
    ("largest_tension", "largest tension", "N", 1.0),
    ("tip_from", "tip from", "mm", 1e3),
    ("tip_to", "tip to", "mm", 1e3),
    ("stops_touched", "stops touched", "at once, at most", 1.0),
    ("least_stiffness", "least stiffness", "N m/rad", 1.0),
    ("target_error", "largest error", "mm", 1e3),
    ("actuator_work", "actuator work", "mJ", 1e3),
    ("consumption", "consumption", "mJ", 1e3),
    ("equivalent_work", "work (57)", "mJ", 1e3),
    ("equivalent_consumption", "positive work (57)", "mJ", 1e3),
)


def lines(found: Mapping[str, Any], errors: Mapping[str, Any] | None = None) -> list[tuple[str, str]]:
    """The summary in words: label and value, with its numerical error where that is known."""
    shown = [("postures", str(found["postures"]))]
    for key, label, unit, factor in _LINES:
        if key in found:
            shown.append((label, f"{_listed(found[key], factor, '.4g')}{_error(errors, key, factor)} {unit}"))
    return shown


def _error(errors: Mapping[str, Any] | None, key: str, factor: float) -> str:
    known = (errors or {}).get(key)
    return "" if known is None or None in np.atleast_1d(known) else f" ± {_listed(known, factor, '.1e')}"


def _listed(values: Any, factor: float, form: str) -> str:
    numbers = [format(value, form) for value in np.atleast_1d(np.asarray(values, dtype=np.float64)) * factor]
    return f"({', '.join(numbers)})" if len(numbers) > 1 else numbers[0]
