"""A filmed lamprey: the model swims its shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import limbless as ll
from validation.experiments import drawn


def values(case: Any, changes: Mapping[str, Any]) -> dict[str, float]:
    """Speed over the last two beats, lengths a second; `width` multiplies the diameters of the table."""
    film = ll.Film.load(case.folder / "lamprey.csv", length=case.numbers["lamprey_film"]["length_m"], rate=50.0)
    rows = np.genfromtxt(case.folder / "fishwidth.csv", delimiter=",", names=True)
    others = {path: value for path, value in changes.items() if path != "width"}
    widths = [
        (float(s), float(changes.get("width", 1.0)) * float(d))
        for s, d in zip(rows["s"], rows["ammowidth"], strict=True)
    ]
    found = film.predict("water", widths, others, sensitivity=False)
    return {"speed": found.speed / film.length}


def check(case: Any, sheet: Any) -> dict[str, float]:
    return drawn(case, sheet, values(case, {}))
