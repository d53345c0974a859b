"""Dependences and zeros of metric, symbols and friction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import limbless as ll

N = 7


def changes(function: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """[l, ..]: how much each number changes with x_l."""
    here = function(x)
    return np.array([np.abs(function(x + 0.3 * unit) - here) for unit in np.eye(len(x))])


def dependences(M: np.ndarray, G: np.ndarray) -> tuple[float, float]:
    """Largest changes where Conclusions 1.2 and 2.2 say that there are none."""
    metric, symbols = 0.0, 0.0
    for i in range(1, N + 1):
        for j in range(1, N + 1):
            first = min(max(i + 1, 3), max(j + 1, 3))
            metric = max(metric, float(M[: first - 1, i - 1, j - 1].max(initial=0.0)))
            for k in range(1, N + 1):
                last = min(max(i, 2), max(j, 2), max(k, 2))
                symbols = max(symbols, float(G[:last, i - 1, j - 1, k - 1].max()))
    return metric, symbols


def check(case: Any, sheet: Any) -> dict[str, float]:
    model, x = ll.Geometric(ll.WangSnake()), np.array([0.3, -0.2, 0.4, 0.5, -0.7, 0.6, 0.2])
    M, G, metric, symbols = (
        changes(model.metric, x),
        changes(model.christoffel, x),
        model.metric(x),
        model.christoffel(x),
    )
    table = np.zeros((3, 3, 3))
    table[2, 2, :2] = -metric[1, 2], metric[0, 2]
    rear = ll.Geometric(ll.WangSnake(), ll.Wheels(law="regularised", modules=(0, 1)))
    force = rear.generalised_force(x, [0.1, 0.2, 0.3, 0.4, -0.5, 0.6, 0.7])
    space = ll.Geometric(ll.WangSnake(base="free", pitch_joints=(1, 3)))
    place = np.array([0.3, -0.2, 0.1, 0.4, 0.3, -0.5, 0.5, -0.7, 0.6, 0.2])
    S = changes(space.christoffel, place)
    for number, axes in enumerate(sheet.subplots(1, N)):
        axes.imshow(M[number] > 1e-12, cmap="Blues", vmin=0, vmax=1.5)
        axes.set(xticks=[], yticks=[], title=f"x{number + 1}")
    zeros = max(np.abs(symbols[:2]).max(), np.abs(symbols[:, :2]).max())
    dependent, seen = dependences(M, G)
    return {
        "positive": float(np.linalg.eigvalsh(metric).min()),
        "metric": dependent,
        "symbols": seen,
        "table 2": float(np.abs(symbols[:3, :3, :3] - table).max()),
        "zeros": float(zeros),
        "joints": float(G[:3, :, :, 3:].max()),
        "friction": float(np.abs(force[4:]).max()),
        "space": float(S[:6, :, :, 6:].max()),
        "space joints": float(S[:6, 6:, 6:, 6:].max()),
    }
