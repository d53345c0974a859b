"""A filmed lamprey: the model swims its shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import limbless as ll
from validation.experiments import drawn


def values(case: Any, changes: Mapping[str, Any]) -> dict[str, float]:
    """Speed over the last two beats, lengths a second, by three laws of drag; `width` multiplies the diameters of the
    table."""
    film = ll.Film.load(case.folder / "lamprey.csv", length=case.numbers["lamprey_film"]["length_m"], rate=50.0)
    rows = np.genfromtxt(case.folder / "fishwidth.csv", delimiter=",", names=True)
    others = {path: value for path, value in changes.items() if path != "width"}
    widths = [
        (float(s), float(changes.get("width", 1.0)) * float(d))
        for s, d in zip(rows["s"], rows["ammowidth"], strict=True)
    ]
    laws = {
        law: film.predict("water", widths, {**others, "environment.water.drag_law": law}, sensitivity=False)
        for law in ("constant", "laminar", "taylor")
    }
    return {f"speed, {law}": found.speed / film.length for law, found in laws.items()}


def check(case: Any, sheet: Any) -> dict[str, float]:
    return drawn(case, sheet, values(case, {}))
