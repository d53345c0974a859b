"""Noisy samples on a grid of times and places as one smooth surface: no knobs, gaps and outliers allowed.

A tensor spline of degree five whose roughness (third derivatives in time and along the body) is penalised. In the
eigenbases of roughness against the samples every coefficient shrinks by a factor of its own, 1/(1 + λ_t a_i + λ_s b_j),
so that a fit costs two small products, and both λ are found on a whole grid of them: by generalised cross-validation
(Golub, Heath and Wahba 1979; γ = 1.4 against undersmoothing, Kim and Gu 2004), or, where the size of the noise is
known, by the unbiased estimate of risk (Craven and Wahba 1979).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core.timeline import Array

Mask = NDArray[np.bool_]

DEGREE = 5
LEAST = DEGREE + 1  # samples that such a spline needs in each direction
ROUGH = 3  # order of the derivative that is penalised
SPANS = 14  # of the splines along the body, at most
GRID = (20, 16)  # values of λ that are tried in time and along the body
CAUTION = 1.4  # γ: how dear a degree of freedom is
FAR = 6.0  # robust standard deviations from which on a residual is an outlier
ROUNDS = 40  # of finding outliers, at most
CLOSE = 1e-4  # of the noise: gaps are filled when they change by less


def spline_knots(x: Array, spans: int) -> Array:
    """Clamped knots. Where there are more splines than samples they lie at samples; otherwise none is near the ends, so
    that every spline has samples of its own."""
    least = 0.0 if spans + DEGREE > len(x) else DEGREE // 2
    inner = np.interp(np.linspace(least, len(x) - 1.0 - least, spans + 1)[1:-1], np.arange(len(x)), x)
    return np.concatenate([np.full(DEGREE + 1, x[0]), inner, np.full(DEGREE + 1, x[-1])])


@dataclass(frozen=True)
class SplineAxis:
    """Splines along one direction in the eigenbasis of their roughness."""

    knots: Array
    vectors: Array  # (coefficients, m): splines of the eigenbasis
    # (n, m): their values at the samples; columns of norm 1, each at right angles to the others
    samples: Array
    # (m,): integral of the squared third derivative of each; the first three have none
    roughness: Array

    @classmethod
    def at(cls, x: Array, spans: int) -> SplineAxis:
        """For samples at x, with a span between every two of them but no more than `spans`.

        Of all splines through the same samples only the smoothest counts (a natural one, where every sample is a knot).
        """
        from scipy.interpolate import BSpline
        from scipy.linalg import qr, svd

        knots = spline_knots(x, min(spans, len(x) - 1))
        B = BSpline.design_matrix(x, knots, DEGREE).toarray()
        nodes, weights = np.polynomial.legendre.leggauss(DEGREE + 1 - ROUGH)
        ends = np.unique(knots)
        points = (0.5 * (ends[:-1, None] + ends[1:, None] + np.diff(ends)[:, None] * nodes)).ravel()
        size = (0.5 * np.diff(ends)[:, None] * weights).ravel()
        scale = (x[-1] - x[0]) ** (2 * ROUGH - 1)  # roughness without a unit
        bent = np.sqrt(scale * size)[:, None] * BSpline(knots, np.eye(B.shape[1]), DEGREE)(points, nu=ROUGH)
        values, made = _smoothest(B, bent)
        # singular values of the root: eigenvalues of its square would lose the small ones among the large
        _, rough, turned = svd(qr(bent @ made, mode="r")[0][: values.shape[1]], check_finite=False)
        rough = np.concatenate([rough, np.zeros(len(turned) - len(rough))])
        order = np.argsort(rough)
        rough, turned = rough[order] ** 2, turned[order].T
        rough[:ROUGH] = 0.0  # parabolas
        return cls(knots, made @ turned, values @ turned, rough)

    def basis(self, x: Array, order: int = 0) -> Array:
        """(len(x), m): the splines, differentiated `order` times, at x."""
        from scipy.interpolate import BSpline

        return np.asarray(BSpline(self.knots, self.vectors, DEGREE)(x, nu=order))

    @cached_property
    def strengths(self) -> tuple[float, float]:
        """λ below which nothing is smoothed, and above which all but parabolas is."""
        some = self.roughness[ROUGH:]
        return (0.01 / float(some.max()), 100.0 / float(some.min())) if len(some) else (1.0, 1.0)


@dataclass(frozen=True)
class SplineSurface:
    """A fit: f(t, s) of shape (T, S, ...), for any times and places within the samples."""

    time: SplineAxis
    place: SplineAxis
    coefficients: Array  # (m_t, m_s, C) in the eigenbases, already shrunk
    raw: Array  # the same before
    strength: tuple[float, float]  # λ in time, along the body
    noise: float  # standard deviation of the samples about the surface
    freedom: float  # effective number of coefficients
    values: Array  # (T, S, C) at the samples
    gaps: Mask  # (T, S) samples that were not there
    outliers: Mask  # (T, S) samples that were left out

    def rows(self, t: Array) -> Array:
        """(len(t), m_s, C): coefficients along the body at times t."""
        return np.einsum("ti,ijc->tjc", self.time.basis(t), self.coefficients, optimize=True)

    def scaled(self, size: float) -> SplineSurface:
        """With all values multiplied."""
        return replace(
            self,
            coefficients=size * self.coefficients,
            raw=size * self.raw,
            values=size * self.values,
            noise=size * self.noise,
        )

    def __call__(self, t: Array, s: Array, time_order: int = 0, place_order: int = 0) -> Array:
        return np.einsum(
            "ti,ijc,sj->tsc",
            self.time.basis(t, time_order),
            self.coefficients,
            self.place.basis(s, place_order),
            optimize=True,
        )

    def resampled(self, values: Array) -> SplineSurface:
        """The surface that other samples (T, S, C) of the same grid give, smoothed as much."""
        raw = _analysed(self.time, self.place, values)
        shrunk = raw * _shrink(self.time, self.place, *self.strength)[..., None]
        return replace(self, coefficients=shrunk, raw=raw, values=_synthesised(self.time, self.place, shrunk))

    def smoother(self, in_time: float, along: float) -> SplineSurface:
        """The same samples, gaps filled as they were, with both λ multiplied."""
        strength = self.strength[0] * in_time, self.strength[1] * along
        shrunk = self.raw * _shrink(self.time, self.place, *strength)[..., None]
        return replace(self, coefficients=shrunk, strength=strength, values=_synthesised(self.time, self.place, shrunk))


def _smoothest(B: Array, bent: Array) -> tuple[Array, Array]:
    """Orthonormal values at the samples (n, k), and the coefficients (m, k) of the smoothest spline with each; k is the
    smaller of n and m."""
    from scipy.linalg import qr, solve_triangular

    n, m = B.shape
    if m <= n:
        Q, R = qr(B, mode="economic")
        return Q, solve_triangular(R, np.eye(m))
    Q, R = qr(B.T)
    some, free = Q[:, :n] @ solve_triangular(R[:n], np.eye(n), trans=1), Q[:, n:]
    least = np.linalg.lstsq(bent @ free, bent @ some, rcond=None)[0]
    return np.eye(n), some - free @ least


def _analysed(time: SplineAxis, place: SplineAxis, values: Array) -> Array:
    return np.asarray(np.einsum("ti,tsc,sj->ijc", time.samples, values, place.samples, optimize=True))


def _synthesised(time: SplineAxis, place: SplineAxis, coefficients: Array) -> Array:
    return np.asarray(np.einsum("ti,ijc,sj->tsc", time.samples, coefficients, place.samples, optimize=True))


def _shrink(time: SplineAxis, place: SplineAxis, in_time: float, along: float) -> Array:
    return np.asarray(1.0 / (1.0 + in_time * time.roughness[:, None] + along * place.roughness))


def _strengths(time: SplineAxis, place: SplineAxis) -> tuple[Array, Array]:
    """The values of λ that are tried, in time and along the body."""
    return np.geomspace(*time.strengths, GRID[0]), np.geomspace(*place.strengths, GRID[1])


def _score(residual: float, freedom: float, count: float, noise: float | None) -> float:
    """What the best λ make smallest, for `count` numbers fitted with `freedom` coefficients."""
    if noise is not None:
        return residual + 2.0 * noise**2 * freedom
    free = count - CAUTION * freedom
    return residual / free**2 if free > 0.0 else np.inf


def _chosen(
    time: SplineAxis, place: SplineAxis, raw: Array, left: float, share: float, noise: float | None
) -> tuple[int, int]:
    """Both λ, by their places in the grid, for samples on the whole of it (of which a `share` was there). `left` is
    what of the samples no spline of the basis reaches, squared."""
    energy, each, total = (raw**2).sum(axis=2), raw.shape[2], len(time.samples) * len(place.samples)
    several = [_strengths(time, place)[k] for k in range(2)]
    scores = np.full(GRID, np.inf)
    for i, in_time in enumerate(several[0]):
        for j, along in enumerate(several[1]):
            kept = _shrink(time, place, in_time, along)
            residual = left + float(((1.0 - kept) ** 2 * energy).sum())
            scores[i, j] = _score(residual, each * float(kept.sum()) * share, each * total * share, noise)
    lowest = np.unravel_index(int(np.argmin(scores)), GRID)
    return int(lowest[0]), int(lowest[1])


class _Holed:
    """Samples with gaps: fits and scores for λ at places of the grid, gaps filled anew for each."""

    def __init__(
        self, time: SplineAxis, place: SplineAxis, values: Array, absent: Mask, close: float, noise: float | None
    ) -> None:
        self.time, self.place, self.values, self.absent = time, place, values, absent
        self.close, self.noise, self.strengths = close, noise, _strengths(time, place)
        self.scores: dict[tuple[int, int], float] = {}

    def filled(self, at: tuple[int, int], start: Array) -> tuple[Array, Array]:
        """Samples without gaps, and how much the coefficients shrink."""
        kept = _shrink(self.time, self.place, self.strengths[0][at[0]], self.strengths[1][at[1]])[..., None]

        def smooth(samples: Array) -> Array:
            return _synthesised(self.time, self.place, kept * _analysed(self.time, self.place, samples))

        return _filled(np.where(self.absent[..., None], start, self.values), self.absent, smooth, self.close), kept

    def score(self, at: tuple[int, int], start: Array) -> float:
        """By the samples that are there."""
        if not (0 <= at[0] < GRID[0] and 0 <= at[1] < GRID[1]):
            return np.inf
        if at not in self.scores:
            fill, kept = self.filled(at, start)
            fitted = _synthesised(self.time, self.place, kept * _analysed(self.time, self.place, fill))
            there, each = ~self.absent, fill.shape[2]
            freedom = each * float(kept.sum()) * there.mean()
            self.scores[at] = _score(
                float(((fill - fitted)[there] ** 2).sum()), freedom, each * int(there.sum()), self.noise
            )
        return self.scores[at]

    def best(self, at: tuple[int, int], start: Array) -> tuple[int, int]:
        """Downhill over the grid from a first guess, which knows gaps only as it filled them itself."""
        while True:
            around = [(at[0] + a, at[1] + b) for a, b in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (-1, -1), (1, 1))]
            lowest = min(around, key=lambda place: self.score(place, start))
            if lowest == at:
                return at
            at = lowest


def _filled(values: Array, gaps: Mask, smooth: Callable[[Array], Array], close: float) -> Array:
    """Samples with their gaps filled so that the fit to all goes through what was filled in (what repeated
    replacement of gaps by the fit tends to), by conjugate gradients."""
    if not gaps.any():
        return values
    from scipy.sparse.linalg import LinearOperator, cg

    def fitted(whole: Array) -> Array:
        """S within the gaps."""
        return smooth(whole[..., None])[..., 0][gaps]

    def missing(inside: Array) -> Array:
        """(I - S) within the gaps."""
        whole = np.zeros(gaps.shape)
        whole[gaps] = inside
        return inside - fitted(whole)

    filled, count = values.copy(), int(gaps.sum())
    system = LinearOperator((count, count), missing, dtype=np.float64)
    for c in range(values.shape[2]):
        known = fitted(np.where(gaps, 0.0, values[..., c]))
        filled[..., c][gaps] = cg(
            system, known, filled[..., c][gaps], rtol=0.0, atol=close * count**0.5, maxiter=ROUNDS
        )[0]
    return filled


def _first_guess(x: Array, values: Array, there: Mask) -> Array:
    """Gaps filled in straight lines in time, point by point."""
    filled = values.copy()
    for s in range(values.shape[1]):
        for c in range(values.shape[2]):
            filled[:, s, c] = np.interp(x, x[there[:, s]], values[there[:, s], s, c])
    return filled


def fit_surface(
    t: Array, s: Array, values: Array, noise: float | None = None, least: float | None = 0.0
) -> SplineSurface:
    """The surface through samples (T, S, C) at times t and places s, NaN where there is none.

    Parameters
    ----------
    noise : standard deviation of the samples, where it is known; found by cross-validation otherwise.
    least : samples that lie far from the surface, and at least this far, are left out; None: none are.
    """
    time, place = SplineAxis.at(t, len(t)), SplineAxis.at(s, SPANS)
    gaps = np.asarray(np.isnan(values).any(axis=2))
    outliers = np.zeros_like(gaps)
    fill: Any = _first_guess(t, np.where(gaps[..., None], 0.0, values), ~gaps)
    total, each = gaps.size, values.shape[2]
    scale = float(np.nanstd(values)) or 1.0
    for _ in range(ROUNDS):
        absent = gaps | outliers
        count = total - int(absent.sum())
        raw = _analysed(time, place, fill)
        left = max(float((fill**2).sum() - (raw**2).sum()), 0.0)
        holed = _Holed(time, place, values, absent, CLOSE * 1e-3 * scale, noise)
        at = _chosen(time, place, raw, left, count / total, noise)
        at = holed.best(at, fill) if absent.any() else at
        fill, kept = holed.filled(at, fill)
        raw = _analysed(time, place, fill)
        fitted = _synthesised(time, place, kept * raw)
        residual = np.where(gaps[..., None], 0.0, values - fitted)
        freedom = each * float(kept.sum()) * count / total
        sigma = float(np.sqrt((residual[~absent] ** 2).sum() / max(each * count - freedom, 1.0)))
        found = outliers if least is None else _far(residual, gaps, least)
        if (found == outliers).all():
            break
        outliers = found
    strength = float(holed.strengths[0][at[0]]), float(holed.strengths[1][at[1]])
    return SplineSurface(time, place, kept * raw, raw, strength, sigma, freedom, fitted, gaps, outliers)


def _far(residual: Array, gaps: Mask, least: float) -> Mask:
    """Samples whose residual is not one of the others'."""
    size = np.sqrt((residual**2).sum(axis=2))
    usual = 1.4826 * float(np.median(np.abs(residual[~gaps])))
    return np.asarray(~gaps & (size > FAR * usual) & (size > least))
