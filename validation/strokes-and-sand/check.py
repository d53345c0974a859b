"""Strokes of Purcell's swimmer, and three links in sand beside a published connection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import limbless as ll

STROKES = {  # a1 b1 a3 b3 a5 b5
    "displacement": (
        2.017955906441066,
        1.353385144748382,
        0.013112519773635,
        0.263823759269392,
        -0.031456173657342,
        -0.003626287235861,
    ),
    "efficiency": (
        1.495398722861924,
        1.326600886340017,
        0.083253854456986,
        0.089227148110158,
        -0.034695750579259,
        -0.044759551791058,
    ),
}
LINKS: dict[str, Any] = {"links": 3, "length": 1.0 / 3.0, "base": "planar"}


def stroke(name: str) -> Any:
    a1, b1, a3, b3, a5, b5 = STROKES[name]

    def at(phase: float) -> np.ndarray:
        t = -2.0 * np.pi * phase
        x = a1 * np.cos(t) + a3 * np.cos(3.0 * t) + a5 * np.cos(5.0 * t)
        y = b1 * np.sin(t) + b3 * np.sin(3.0 * t) + b5 * np.sin(5.0 * t)
        return np.sqrt(0.5) * np.array([x - y, x + y])

    return at


def published() -> np.ndarray:
    """(component, shape, 21, 21) of the file in body lengths, its four-fold mean: mirrored, and from the other end."""
    rows = np.loadtxt(Path(__file__).with_name("granular-connection.csv"), delimiter=",")
    A = rows[:, 2:].T.reshape(3, 2, 21, 21)
    A = A if rows[1, 1] != rows[0, 1] else A.swapaxes(2, 3)
    A = A * np.array([1.0 / 3.0, 1.0 / 3.0, 1.0])[:, None, None, None]
    mirrored = np.array([-1.0, 1.0, 1.0])[:, None, None, None] * A[:, :, ::-1, ::-1]
    half = 0.5 * (A + mirrored)
    turned = np.array([1.0, 1.0, -1.0])[:, None, None, None] * half[:, ::-1].swapaxes(2, 3)[:, :, ::-1, ::-1]
    return np.asarray(0.5 * (half + turned))


def check(case: Any, sheet: Any) -> dict[str, float]:
    drag = ll.connection(ll.UniformChain(**LINKS), ll.Drag(along=1.0, lateral=2.0), shapes="joints", region=2.5)
    far, dear = drag.around(stroke("displacement")), drag.around(stroke("efficiency"))
    area = float(np.hypot(*far.area[:2])) if far.area is not None else np.inf
    thick = ll.UniformChain(**LINKS, half_width=0.5, half_height=0.5)
    sand = ll.Sand(
        depth=1.0, lateral=0.8765, along=0.3623, along_slip=-0.2744, gamma=1.9256, end=0.0, speed=0.01, points=24
    )
    angles = np.linspace(-2.5, 2.5, 21)
    small = np.abs(angles) < 1.01
    grid = np.stack([part.ravel() for part in np.meshgrid(angles[small], angles[small], indexing="ij")], axis=1)
    count = int(small.sum())
    ours = ll.connection(thick, sand, shapes="joints", region=1.2, frame="middle")(grid)
    ours = ours.reshape(count, count, 3, 2).transpose(2, 3, 0, 1)
    theirs = published()[:, :, small][:, :, :, small]
    off = np.sqrt(((ours - theirs) ** 2).sum(axis=(1, 2, 3)) / (theirs**2).sum(axis=(1, 2, 3)))
    axes = sheet.subplots()
    for values, label in ((ours, "slender sand"), (theirs, "published")):
        axes.plot(angles[small], np.diagonal(values[2, 0]), label=f"{label}, equal angles")
        axes.plot(angles[small], np.diagonal(values[2, 0][:, ::-1]), "--", label=f"{label}, opposite angles")
    axes.set_xlabel("joint 1 (rad)")
    axes.set_ylabel("turn per angle of joint 1 (rad/rad)")
    axes.legend()
    return {
        "displacement": far.distance,
        "efficiency": float(dear.efficiency or 0.0),
        "area": abs(area / far.distance - 1.0),
        "x": float(off[0]),
        "y": float(off[1]),
        "turn": float(off[2]),
    }
