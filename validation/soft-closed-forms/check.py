"""Small motions of soft rods against closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.resting import at_rest
from validation.runner.convergence_orders import draw_order, fitted_order

RADIUS, CLAMPED = 1e-4, np.array([3.516015268, 22.03449156, 61.69721441])
LADDERS = {0: (8, 16, 32), 1: (4, 8, 16), 2: (2, 4, 8)}


def rod(base: str = "fixed", strains: str = "planar", radius: float = RADIUS, **fields: Any) -> ll.Rod:
    """L = ρA = 1."""
    given = {"stiffness": (1e4, 1e4, 1e4, 1.0, 1.0, 1.0), "passive": {}, **fields}
    return ll.Rod(base=base, strains=strains, length=1.0, half_width=radius, density=1.0 / (np.pi * radius**2), **given)


def modes(body: ll.Rod, cells: int, degree: int, environment: Any = ()) -> Any:
    model = ll.Soft(body, environment, None, ll.SoftSettings(cells=cells, degree=degree))
    return model.linearise(model.flat())


def hanging(bending: float) -> float:
    down = ll.Gravity(acceleration=(9.81, 0.0, 0.0))
    breaks = tuple(float(x) for x in 0.5 ** np.arange(1, 7))
    model = ll.Soft(rod(stiffness=bending), down, None, ll.SoftSettings(cells=10, degree=2, breaks=breaks))
    return float(model.linearise(model.flat()).frequency[0])


def spinning(rate: float = 0.1) -> float:
    """Mean stretch of a rod that turns about its clamped end, over ρ W² L² / (3 E)."""
    body, E = rod("pinned", "planar-reissner", stiffness=(25.0, 40.0, 40.0, 1.0, 1.0, 1.0)), 25.0
    model = ll.Soft(body, (), None, ll.SoftSettings(cells=8))
    spin = (0.0, 0.0, 0.0, 0.0, 0.0, rate)

    def left(q: np.ndarray) -> np.ndarray:
        return np.asarray(model.forward(model.flat(q, base_twist=spin)).strain_acceleration)

    strain = at_rest(left, np.zeros(model.freedoms), 3)
    names = [name for cell in model.plan.cells for name in cell.names]
    stretch = float(np.mean([q for q, name in zip(strain, names, strict=True) if name == "stretch 0"]))
    return stretch / (rate**2 / (3.0 * E))


def check(case: Any, sheet: Any) -> dict[str, float]:
    axes, found = sheet.subplots(), {}
    for degree, ladder in LADDERS.items():
        errors = np.array([np.abs(modes(rod(), cells, degree).frequency[:3] / CLAMPED - 1.0) for cells in ladder])
        draw_order(axes, ladder, list(errors[:, 1]), f"degree {degree}", "cells")
        found[f"order {degree}"] = fitted_order(ladder, list(errors[:, 1]))
        found[f"third order {degree}"] = fitted_order(ladder, list(errors[:, 2]))
        if degree == 1:
            found |= dict(zip(("first", "second", "third"), map(float, errors[1]), strict=True))
    axes.set_ylabel("relative error of the second frequency")
    free = modes(rod("planar"), 8, 1).frequency
    found["free"] = float(abs(free[free > 1.0][1] / 7.853205**2 - 1.0)) if (free[:3] == 0.0).all() else np.inf
    lag, wanted = 1e-3, np.pi / 2.0 * 5.0
    bar = modes(
        rod(strains="planar-reissner", radius=0.1, stiffness=(25.0, 40.0, 40.0, 1.0, 1.0, 1.0), damping_time=lag), 8, 1
    )
    along = int(np.abs(bar.frequency - wanted).argmin())
    found["axial"] = float(abs(bar.frequency[along] / wanted - 1.0))
    found["damping"] = float(abs(bar.damping_ratio[along] / (0.5 * lag * bar.frequency[along]) - 1.0))
    heavy = ll.Gravity(acceleration=(9.81, 0.0, 0.0))
    found["hanging"] = float(modes(rod(stiffness=0.1), 8, 2, heavy).frequency[0])
    soft = np.array([1e-2, 1e-3, 1e-4])
    found["chain"] = float(
        np.polyfit(np.sqrt(soft), [hanging(value) for value in soft], 2)[-1] / (1.202413 * np.sqrt(9.81))
    )
    found["spin"] = abs(spinning() - 1.0)
    return {name: float(value) for name, value in found.items()}
