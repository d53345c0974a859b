"""A filmed midline without its noise: points, arc length, curvature, heading and velocity along the body.

Arrays: T frames at a constant rate, `PLACES` abscissae from head to tail, x and y in metres.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import xarray as xr

from limbless.core import Array
from limbless.core.splines.long_surface import LongSurface, fit_any
from limbless.core.splines.tensor_spline import SplineSurface

PLACES = 41  # abscissae at which curvature is given
ASTRAY = 0.005  # of the length: nearer points are no outliers, however smooth the rest is
FINE = 81  # places of the quadrature of arc length


@dataclass(frozen=True)
class SmoothFilm:
    """A midline as a surface: a function of time and of a body coordinate u between 0 (head) and 1 (tail)."""

    surface: SplineSurface | LongSurface
    time: Array  # (T,) s, from the film's first frame

    @cached_property
    def _fine(self) -> tuple[Array, Array]:
        """Body coordinates of a fine grid, and the arc length (T, FINE) up to each of them."""
        u = np.linspace(0.0, 1.0, FINE)
        nodes, weights = np.polynomial.legendre.leggauss(3)
        inside = (u[:-1, None] + 0.5 * (nodes + 1.0) / (FINE - 1)).ravel()
        speed = np.linalg.norm(self.surface(self.time, inside, 0, 1), axis=2)
        steps = speed.reshape(len(self.time), FINE - 1, -1) @ (0.5 * weights / (FINE - 1))
        return u, np.concatenate([np.zeros((len(steps), 1)), np.cumsum(steps, axis=1)], axis=1)

    @cached_property
    def lengths(self) -> Array:
        """(T,) length of the midline, m."""
        return self._fine[1][:, -1]

    @property
    def length(self) -> float:
        """Median length, m: that of the body."""
        return float(np.median(self.lengths))

    @property
    def abscissae(self) -> Array:
        """(PLACES,) of a body of constant length, m."""
        return np.linspace(0.0, self.length, PLACES)

    @cached_property
    def _along(self) -> tuple[Array, Array, Array]:
        """Position, first and second derivative in u (T, PLACES, 2) at equal shares of each frame's arc length."""
        u, arc = self._fine
        shares = np.linspace(0.0, 1.0, PLACES)
        where = np.array([np.interp(shares * row[-1], row, u) for row in arc])
        where += self._correction(where, shares * arc[:, -1:])
        return tuple(self._at(where, order) for order in range(3))  # type: ignore[return-value]

    def _correction(self, where: Array, wanted: Array) -> Array:
        """One step of Newton's method from straight lines between the places of the fine grid."""
        u, arc = self._fine
        speed = np.linalg.norm(self._at(where, 1), axis=2)
        i = np.clip((where * (FINE - 1)).astype(int), 0, FINE - 2)
        start = arc[np.arange(len(arc))[:, None], i]
        ahead = start + (where - u[i]) * 0.5 * (np.linalg.norm(self._at(u[i], 1), axis=2) + speed)
        return np.clip((wanted - ahead) / np.maximum(speed, 1e-300), -1.0 / FINE, 1.0 / FINE) * (
            (where > 0.0) & (where < 1.0)
        )

    def _at(self, where: Array, order: int) -> Array:
        """The surface at places (T, S) that differ from frame to frame."""
        basis = self.surface.place.basis(np.clip(where, 0.0, 1.0).ravel(), order)
        return np.asarray(np.matmul(basis.reshape(*where.shape, -1), self.surface.rows(self.time)))

    @cached_property
    def position(self) -> Array:
        """(T, PLACES, 2) m."""
        return self._along[0]

    @cached_property
    def heading(self) -> Array:
        """(T, PLACES) rad: direction from head to tail, continuous in time and along the body."""
        d = self._along[1]
        angle = np.unwrap(np.arctan2(d[..., 1], d[..., 0]), axis=1)
        middle = angle[:, PLACES // 2]
        return np.asarray(angle + (np.unwrap(middle) - middle)[:, None])

    @cached_property
    def curvature(self) -> Array:
        """(T, PLACES) 1/m, of a body of constant length that bends by the same angles."""
        _, d, dd = self._along
        cross = d[..., 0] * dd[..., 1] - d[..., 1] * dd[..., 0]
        return np.asarray(cross / np.linalg.norm(d, axis=2) ** 3 * (self.lengths / self.length)[:, None])

    @cached_property
    def velocity(self) -> Array:
        """(T, PLACES, 2) m/s."""
        from scipy.interpolate import make_interp_spline

        return np.asarray(make_interp_spline(self.time, self.position, k=5)(self.time, nu=1))

    def resampled(self, samples: Array) -> SmoothFilm:
        """The film that other points on the same frames give, smoothed as much."""
        return replace(self, surface=self.surface.resampled(samples))

    def refits(self, count: int) -> Iterator[SmoothFilm]:
        """Films whose points are the smooth ones with noise of the size that was found in this film."""
        rng, points = np.random.default_rng(0), self.surface.values
        for _ in range(count):
            yield self.resampled(points + self.surface.noise * rng.normal(size=points.shape))

    def scaled(self, size: float) -> SmoothFilm:
        """With all lengths multiplied."""
        return replace(self, surface=self.surface.scaled(size))

    def smoother(self, in_time: float, along: float) -> SmoothFilm:
        """With both strengths of the smoothing multiplied."""
        return replace(self, surface=self.surface.smoother(in_time, along))


def median_steps(points: Array) -> Array:
    """(P - 1,) median distances between neighbouring tracked points."""
    return np.asarray(np.nanmedian(np.linalg.norm(np.diff(points, axis=1), axis=2), axis=0))


def body_coordinates(points: Array) -> Array:
    """(P,) where along the body tracked points lie, 0 to 1: from the median distances between neighbours."""
    along = np.concatenate([[0.0], np.cumsum(median_steps(points))])
    return np.asarray(along / along[-1])


def smooth_film(midline: xr.Dataset) -> SmoothFilm:
    """The tracked points of a `Midline` as a smooth surface."""
    points, time = midline["points"].values, midline["time"].values
    surface = fit_any(time, body_coordinates(points), points, least=ASTRAY * float(median_steps(points).sum()))
    count = max(round((time[-1] - time[0]) * float(midline.attrs["rate"])), len(time) - 1)
    return SmoothFilm(surface, np.linspace(time[0], time[-1], count + 1))
