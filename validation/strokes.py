"""Three links: the strokes of Tam and Hosoi (2007), and the published connection in sand of Hatton et al. (2013)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import limbless as ll

STROKES = {  # a1 b1 a3 b3 a5 b5, turned by 45 deg
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
ANGLES = np.linspace(-2.5, 2.5, 21)
"""Of both joints in the published file, rad."""


def stroke(name: str) -> Any:
    """A stroke of Tam and Hosoi as a function of its phase."""
    a1, b1, a3, b3, a5, b5 = STROKES[name]

    def at(phase: float) -> np.ndarray:
        t = -2.0 * np.pi * phase
        x = a1 * np.cos(t) + a3 * np.cos(3.0 * t) + a5 * np.cos(5.0 * t)
        y = b1 * np.sin(t) + b3 * np.sin(3.0 * t) + b5 * np.sin(5.0 * t)
        return np.sqrt(0.5) * np.array([x - y, x + y])

    return at


def published() -> np.ndarray:
    """(component, shape, 21, 21) of the file in body lengths, its four-fold mean: mirrored, and from the other end."""
    rows = np.loadtxt(Path(__file__).parent / "strokes-and-sand" / "granular-connection.csv", delimiter=",")
    A = rows[:, 2:].T.reshape(3, 2, 21, 21)
    A = A if rows[1, 1] != rows[0, 1] else A.swapaxes(2, 3)
    A = A * np.array([1.0 / 3.0, 1.0 / 3.0, 1.0])[:, None, None, None]
    mirrored = np.array([-1.0, 1.0, 1.0])[:, None, None, None] * A[:, :, ::-1, ::-1]
    half = 0.5 * (A + mirrored)
    turned = np.array([1.0, 1.0, -1.0])[:, None, None, None] * half[:, ::-1].swapaxes(2, 3)[:, :, ::-1, ::-1]
    return np.asarray(0.5 * (half + turned))


def sand(lateral: float = 0.8765, along: float = 0.3623, along_slip: float = -0.2744, gamma: float = 1.9256) -> ll.Sand:
    """The slender law with width and depth 1; the constants of the sandfish if nothing is said."""
    return ll.Sand(
        depth=1.0,
        lateral=lateral,
        along=along,
        along_slip=along_slip,
        gamma=gamma,
        end=0.0,
        speed=0.01,
        points=24,
    )


def mapped(medium: Any) -> np.ndarray:
    """(component, shape, 21, 21) of the connection in the frame of the middle link, at the postures of the file."""
    grid = np.stack([part.ravel() for part in np.meshgrid(ANGLES, ANGLES, indexing="ij")], axis=1)
    robot = ll.UniformChain(**LINKS, half_width=0.5, half_height=0.5)
    A = ll.connection(robot, medium, shapes="joints", region=2.5, frame="middle")(grid)
    return A.reshape(21, 21, 3, 2).transpose(2, 3, 0, 1)


def off_the_file(ours: np.ndarray, within: float) -> np.ndarray:
    """(3,) relative root mean square of what differs from the file, at angles up to `within`."""
    near = np.abs(ANGLES) < within + 0.01
    ours, theirs = (values[:, :, near][:, :, :, near] for values in (ours, published()))
    return np.asarray(np.sqrt(((ours - theirs) ** 2).sum(axis=(1, 2, 3)) / (theirs**2).sum(axis=(1, 2, 3))))
