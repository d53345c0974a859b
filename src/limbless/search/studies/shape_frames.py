"""Frames in which a connection is told: of the base, of the middle of the body, of its mean, and of least perturbation.

A frame at pose (b, θ) in the old one, moving with J r' along its own axes, has the connection
A' = (R(-θ)(A_v + A_ω J2 b) + J_v, A_ω + J_ω) and the curvature DA' = (R(-θ)(DA_v + DA_ω J2 b), DA_ω). Coordinates of
minimum perturbation (Hatton and Choset 2011, 2015) make A as small as a frame can: two least squares over the region.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import NamedTuple

import numpy as np

from limbless.core import Array, InputError

FRAMES = ("base", "middle", "mean", "minimum")
DEGREES = {1: (16, 24), 2: (16, 24), 3: (8, 12)}
"""Degree of the Legendre polynomials in each shape, and Gauss points, by the number of shapes."""


class FramePose(NamedTuple):
    """A frame in another one, at S postures."""

    pose: Array  # (S, 3) x, y, angle
    J: Array  # (S, 3, p) its velocity along its own axes per rate of the shapes


def turned_back(angle: Array, v: Array) -> Array:
    """R(-θ) v for vectors (S, 2, ..)."""
    c, s = np.cos(angle), np.sin(angle)
    shape = (len(angle),) + (1,) * (v.ndim - 2)
    c, s = c.reshape(shape), s.reshape(shape)
    return np.stack([c * v[:, 0] + s * v[:, 1], c * v[:, 1] - s * v[:, 0]], axis=1)


def carried(frame: FramePose, twist: Array) -> Array:
    """Twists (S, 3, ..) of the old frame, or a curvature, along the axes of another one that rests in it."""
    shape = (len(twist),) + (1,) * (twist.ndim - 2)
    x, y = frame.pose[:, 0].reshape(shape), frame.pose[:, 1].reshape(shape)
    moved = np.stack([twist[:, 0] - twist[:, 2] * y, twist[:, 1] + twist[:, 2] * x], axis=1)
    return np.concatenate([turned_back(frame.pose[:, 2], moved), twist[:, 2:3]], axis=1)


def body_frame(kind: str, place: Array, swing: Array, lengths: Array) -> FramePose:
    """`middle` or `mean` from where the pieces of body are (S, n, 3) and how they swing (S, n, p, 3)."""
    if kind == "middle":
        reached = np.cumsum(lengths) - 0.5 * lengths
        k = int(np.abs(reached - 0.5 * lengths.sum()).argmin())
        pose, moved = place[:, k], swing[:, k]
    else:
        share = lengths / lengths.sum()
        pose, moved = np.einsum("n,snc->sc", share, place), np.einsum("n,snpc->spc", share, swing)
    J = moved.transpose(0, 2, 1)
    return FramePose(pose, np.concatenate([turned_back(pose[:, 2], J[:, :2]), J[:, 2:]], axis=1))


class MinimumFrame:
    """The frame of least perturbation over a region, in the frame of the middle of the body."""

    def __init__(
        self,
        region: Array,
        connection: Callable[[Array], tuple[Array, Array]],
        weight: Callable[[Array], Array] | None = None,
    ) -> None:
        """`connection` gives, at postures (S, p), A (S, 3, p) in the frame of the middle, and the mean angle of the
        body less that of the frame (S,)."""
        p = len(region)
        if p not in DEGREES:
            raise InputError(
                f"frame: coordinates of minimum perturbation are found for up to 3 shapes, and there are {p}; take "
                "frame: mean"
            )
        self.degree, points = DEGREES[p]
        self._middle, self._half = region.mean(axis=1), 0.5 * (region[:, 1] - region[:, 0])
        nodes, weights = np.polynomial.legendre.leggauss(points)
        grid = np.meshgrid(*([nodes] * p), indexing="ij")
        r = np.stack([axis.ravel() for axis in grid], axis=1) * self._half + self._middle
        share = np.prod(np.stack([axis.ravel() for axis in np.meshgrid(*([weights] * p), indexing="ij")]), axis=0)
        A, lean = connection(r)
        root = np.sqrt(share * (1.0 if weight is None else np.abs(weight(r))))
        if not np.isfinite(root).all() or not root.any():
            raise InputError("weight: give a finite number for each posture (S,), above 0 for some of them")
        value, slopes = self._columns(r)
        turn = self._least(
            np.concatenate([root[:, None] * slope[:, 1:] for slope in slopes]),
            -np.concatenate([root * A[:, 2, j] for j in range(p)]),
        )
        self._turn = np.concatenate([[0.0], turn])
        still = np.abs(A[:, 2]).max() < 1e-12
        rows, right = [], []
        for j in range(p):
            w = (root * A[:, 2, j])[:, None] * value
            d = root[:, None] * slopes[j]
            rows += [np.hstack([d, -w]), np.hstack([w, d])]
            right += [-root * A[:, 0, j], -root * A[:, 1, j]]
        K = value.shape[1]
        kept = [k for k in range(2 * K) if not (still and k % K == 0)]
        found = np.zeros(2 * K)
        found[kept] = self._least(np.concatenate(rows)[:, kept], np.concatenate(right))
        self._shift = found.reshape(2, K)
        total = root**2
        self._turn[0] = -float((total * (value @ self._turn - lean)).sum() / total.sum())

    @staticmethod
    def _least(matrix: Array, right: Array) -> Array:
        """Least squares with columns of size one, by normal equations and one correction: their columns are all but
        orthogonal, and a factorisation of the matrix itself would take ten times as long."""
        from scipy.linalg import cho_factor, cho_solve

        size = np.linalg.norm(matrix, axis=0)
        scaled = matrix / size
        factor = cho_factor(scaled.T @ scaled)
        found = cho_solve(factor, scaled.T @ right)
        found += cho_solve(factor, scaled.T @ (right - scaled @ found))
        return np.asarray(found / size)

    def _columns(self, r: Array) -> tuple[Array, list[Array]]:
        """Tensor Legendre polynomials (S, K) at postures, and their slopes along each shape."""
        u = (r - self._middle) / self._half
        bent = np.polynomial.legendre.legder(np.eye(self.degree + 1))
        flat = [np.polynomial.legendre.legvander(column, self.degree) for column in u.T]
        steep = [
            np.polynomial.legendre.legvander(column, self.degree - 1) @ bent / half
            for column, half in zip(u.T, self._half, strict=True)
        ]

        def joined(made: Array, factor: Array) -> Array:
            return (made[:, :, None] * factor[:, None, :]).reshape(len(r), -1)

        slopes = [reduce(joined, [*flat[:j], steep[j], *flat[j + 1 :]]) for j in range(len(flat))]
        return reduce(joined, flat), slopes

    def at(self, r: Array) -> FramePose:
        """The frame at postures (S, p), in that of the middle."""
        value, slopes = self._columns(r)
        pose = np.concatenate([value @ self._shift.T, (value @ self._turn)[:, None]], axis=1)
        shift = np.stack([slope @ self._shift.T for slope in slopes], axis=-1)
        turn = np.stack([slope @ self._turn for slope in slopes], axis=-1)
        return FramePose(pose, np.concatenate([turned_back(pose[:, 2], shift), turn[:, None]], axis=1))
