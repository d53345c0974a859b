"""Reynolds' number of a finished run, and whether the laws of its water are meant for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.environments import DEFAULT_VISCOSITY, Drag, Water
from limbless.environments.body_drag import BodyDrag
from limbless.scenarios.plausibility import NO_LAYER, length_of

if TYPE_CHECKING:
    import xarray as xr

    from limbless.scenarios.scenario import Scenario

SQUARE = 100.0
"""Below, drag that grows with the square of the speed is too small, the more so the slower."""
SKIN = 50.0
"""Below, a laminar skin is none."""
STILL = 1e-6
"""Below, nothing moves."""
COUNTS = 0.1
"""Inertia over drag, above which inertia shows in the motion."""
HEAVY = 500.0
"""kg/m3: a fluid of such density is a liquid."""


def slow_notes(scenario: Scenario, dataset: xr.Dataset) -> tuple[list[str], list[str]]:
    """Notes where a law of water is used for a body that is too small, or too slow, for it; and what says that it does
    not hold at all."""
    if "position" not in dataset or dataset.sizes.get("time", 0) < 2:
        return [], []
    slow = [each for item in scenario.environment for each in _slow(item, scenario, dataset)]
    notes = [note for note, holds in slow if holds]
    notes += [note for item in scenario.environment for note in _heavy(item, scenario, dataset)]
    return notes, [note for note, holds in slow if not holds]


def _heavy(item: Any, scenario: Scenario, dataset: xr.Dataset) -> list[str]:
    """Where a body that answers is moved without inertia, and inertia would count."""
    if not isinstance(item, Drag) or scenario.model.kind != "soft" or getattr(scenario.model, "inertia", True):
        return []
    length = length_of(scenario.robot.build())
    stops = float(dataset.attrs["total_mass"]) / max(item.lateral * length, 1e-300)
    share = stops * _fastest(item, dataset) / length
    if share < COUNTS:
        return []
    return [
        f"model.inertia: drag takes {stops:.2g} s to stop this body, {share:.2g} of the time in which its fastest part "
        "goes its own length: inertia counts, and inertia: false leaves it out; compare with inertia: true"
    ]


def _slow(item: Any, scenario: Scenario, dataset: xr.Dataset) -> list[tuple[str, bool]]:
    if isinstance(item, Water):
        viscosity, least = item.viscosity, SQUARE if item.drag_law == "constant" else SKIN
    elif isinstance(item, BodyDrag) and item.rule == "inertia-box" and not item.viscosity and item.density > HEAVY:
        viscosity, least = DEFAULT_VISCOSITY, SQUARE
    else:
        return []
    number = _fastest(item, dataset) * length_of(scenario.robot.build()) / viscosity
    if not STILL < number < least:
        return []
    note = (
        f"environment.{item.kind}: Reynolds' number is {number:.2g} at most (fastest section, whole length), and "
        f"its law is meant for {least:g} and more: the drag of so slow a body is linear and larger; {{kind: drag}} has "
        "it, and Drag.slow_water finds its coefficients"
    )
    return [(note, number >= NO_LAYER or least == SQUARE)]


def _fastest(item: Any, dataset: xr.Dataset) -> float:
    """Of sections and of the centre of mass through the water, m/s; of sections from record to record."""
    time, most = dataset["time"].values, 0.0
    for name in ("position", "com_position"):
        if name not in dataset:
            continue
        place = dataset[name].values
        velocity = np.gradient(place, time, axis=0) if name == "position" else dataset["com_velocity"].values
        if isinstance(item, Water) and item.moving:
            when = np.broadcast_to(time.reshape(-1, *[1] * (place.ndim - 2)), place.shape[:-1])
            velocity = velocity - item.velocity_at(when, place)
        most = max(most, float(np.nan_to_num(np.linalg.norm(velocity, axis=-1)).max(initial=0.0)))
    return most
