"""Equilibria of spine and chain."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import fsolve

import limbless as ll
from validation.runner.convergence_orders import draw_order, extrapolated, fitted_order
from validation.spines import rod, sprung

COUNTS, FORCE, MASS, GRAVITY = (8, 16, 32, 64), np.array([0.3, 0.8, 0.0]), 0.5, np.array([0.0, 1.0, 0.0])


def spine_tip(count: int) -> np.ndarray:
    model = ll.TendonStatics(rod(count, mass=MASS), [ll.Gravity(acceleration=tuple(GRAVITY))])
    return model.solve([0.0], tip_force=tuple(FORCE)).tip_in_base


def chain_tip(count: int) -> np.ndarray:
    """Where no torque is needed: Newton's method on inverse dynamics at rest."""
    chain, last = sprung(count, MASS), 0.5 / count
    loads = [
        ll.Gravity(acceleration=tuple(GRAVITY)),
        ll.PointWrench(body=-1, point=(last, 0.0, 0.0), force=tuple(FORCE), frame="world"),
    ]
    model, still = ll.NewtonEuler(chain, loads), np.zeros(count)
    q = fsolve(lambda q: model.inverse(q, still, still).joint_torque, np.full(count, 0.3 / count), xtol=1e-13)
    heading = np.cumsum(q)
    lengths = np.array([1.0 / count] * (count - 1) + [last])
    return np.array([last + lengths @ np.cos(heading), lengths @ np.sin(heading), 0.0])


def check(case: Any, sheet: Any) -> dict[str, float]:
    spines, chains = ([tip(count) for count in COUNTS] for tip in (spine_tip, chain_tip))
    errors = [float(np.linalg.norm(one - other)) for one, other in zip(spines, chains, strict=True)]
    axes = sheet.subplots()
    draw_order(axes, COUNTS, errors, "tips (m)", "pieces")
    axes.set_ylabel("distance")
    limits = [extrapolated(found[-2], found[-1]) for found in (spines, chains)]
    return {"order": fitted_order(COUNTS, errors), "limit": float(np.linalg.norm(limits[0] - limits[1]))}
