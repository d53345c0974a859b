"""What measured motion says of some parameters: values with intervals, and the directions it does not determine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from limbless.core import Array

FARTHEST = 10.0  # factor of an interval above which a direction is not determined
NOTHING = 1e9  # factor above which nothing depends on it
PLAIN = 0.1  # by which an exponent may differ from a whole number that is written, and used, in its place


@dataclass(frozen=True)
class Identified:
    """Fitted parameters with their values and covariance.

    Positive parameters are described by their logarithms, others (`spans` above 0) by their fraction of the span
    between their bounds.
    """

    paths: tuple[str, ...]
    values: Array
    covariance: Array  # (p, p) of the logarithms (or shares)
    quantile: float  # of Student's t, for 95 %
    misfit: float  # root mean square of the residuals
    stretches: int
    source: str = "film"
    about: tuple[str, ...] = ()  # further lines
    also: tuple[Array, ...] = ()  # other values that fit as well
    spans: tuple[float, ...] = ()  # of each parameter; 0 of one that is known by its logarithm
    # (p, 2) by how much farther each interval reaches down and up than its covariance has
    profile: Array | None = None
    more: dict[str, Any] = field(default_factory=dict)  # for `numbers`
    runs: tuple[Any, ...] = ()  # what was measured, each beside its scenario

    def factor(self, weights: Sequence[float] | Array) -> float:
        """Factor of the 95 % interval of a product of powers of the parameters."""
        w = np.asarray(weights, dtype=np.float64)
        return float(np.exp(min(self.quantile * max(float(w @ self.covariance @ w), 0.0) ** 0.5, 700.0)))

    def interval(self, weights: Sequence[float] | Array) -> tuple[float, float] | None:
        """95 % interval of such a product; None where it is not determined."""
        factor, value = self.factor(weights), self.combination(weights)
        return None if factor > FARTHEST else (value / factor, value * factor)

    def combination(self, weights: Sequence[float] | Array) -> float:
        """A product of powers of the parameters: (1, -1) is a ratio."""
        w = np.asarray(weights, dtype=np.float64)
        used = w != 0.0
        return float(np.exp(np.log(self.values[used]) @ w[used]))

    def bounds(self, path: str) -> tuple[float, float] | None:
        """95 % interval of one parameter; None where it is not determined: too wide, or all that was allowed."""
        k = self.paths.index(path)
        span, value = self.spans[k] if self.spans else 0.0, float(self.values[k])
        half = self.quantile * float(self.covariance[k, k]) ** 0.5
        down, up = np.minimum(half * (np.ones(2) if self.profile is None else self.profile[k]), 700.0)
        low, high = (value - span * down, value + span * up) if span else (value * np.exp(-down), value * np.exp(up))
        least, most = self.more.get("bounds", {}).get(path, (-np.inf, np.inf))
        wide = half > (0.5 if span else np.log(FARTHEST)) or (low <= least and high >= most)
        return None if wide else (float(max(low, least)), float(min(high, most)))

    def determined(self, path: str) -> bool:
        """Whether a parameter by itself has an interval."""
        return self.bounds(path) is not None

    @property
    def _powers(self) -> list[int]:
        """Parameters of which products of powers can be made."""
        return [k for k in range(len(self.paths)) if not (self.spans and self.spans[k])]

    @cached_property
    def ratios(self) -> list[tuple[int, int]]:
        """Pairs of parameters whose ratio is determined, and better than either of them."""
        own = [self.factor(w) for w in np.eye(len(self.paths))]
        found = [(i, j, self.factor(self._ratio(i, j))) for i, j in combinations(self._powers, 2)]
        return [(i, j) for i, j, factor in found if factor <= FARTHEST and factor < min(own[i], own[j])]

    def _ratio(self, i: int, j: int) -> Array:
        w = np.eye(len(self.paths))
        return w[i] - w[j]

    @cached_property
    def directions(self) -> list[tuple[Array, float]]:
        """Products of powers that are independent of each other, best determined first: exponents, as they are
        printed, and factor."""
        which = self._powers
        _, vectors = np.linalg.eigh(self.covariance[np.ix_(which, which)])
        whole = np.zeros((len(self.paths), len(which)))
        whole[which] = vectors
        plain = [_plain(v / v[np.argmax(np.abs(v))]) for v in whole.T]
        return [(v, self.factor(v)) for v in plain]

    @property
    def correlation(self) -> Array:
        """(p, p) of the logarithms."""
        size = np.sqrt(np.maximum(np.diag(self.covariance), 1e-300))
        return np.asarray(self.covariance / np.outer(size, size))

    def lines(self) -> list[str]:
        """For the terminal and the page: what is not determined first."""
        told = []
        for weights, factor in self.directions if len(self.paths) > 1 else []:
            if factor > FARTHEST and sum(weights != 0.0) > 1:
                why = (
                    f"a factor of {factor:.2g} either way"
                    if factor < NOTHING
                    else "it changes nothing: held at its start"
                )
                told.append(f"not determined by this {self.source}: {_product(self.paths, weights)} ({why})")
        for path, value in zip(self.paths, self.values, strict=True):
            bounds = self.bounds(path)
            told.append(
                f"{short(path)} not determined by this {self.source} (near {value:.2g})"
                if bounds is None
                else f"{short(path)} = {value:.4g}, 95 % {bounds[0]:.4g} to {bounds[1]:.4g}"
            )
        for i, j in self.ratios:
            w = self._ratio(i, j)
            low, high = self.interval(w) or (0.0, 0.0)
            told.append(f"{_product(self.paths, w)} = {self.combination(w):.4g}, 95 % {low:.4g} to {high:.4g}")
        for values in self.also:
            told.append(
                "another minimum fits as well: "
                + ", ".join(f"{short(path)} = {value:.4g}" for path, value in zip(self.paths, values, strict=True))
            )
        return [*told, *self.about]

    def numbers(self) -> dict[str, Any]:
        """For `summary.json`."""

        def stated(value: float, bounds: tuple[float, float] | None) -> dict[str, Any]:
            return {"value": None if bounds is None else value, "interval": bounds, "determined": bounds is not None}

        own = zip(self.paths, self.values.tolist(), strict=True)
        ratios = [self._ratio(*pair) for pair in self.ratios]
        return {
            "coefficients": {path: stated(value, self.bounds(path)) for path, value in own},
            "ratios": {_product(self.paths, w): stated(self.combination(w), self.interval(w)) for w in ratios},
            "directions": [
                {
                    "exponents": dict(zip(self.paths, map(float, w), strict=True)),
                    "value": self.combination(w),
                    "factor": factor,
                    "determined": factor <= FARTHEST,
                }
                for w, factor in self.directions
            ],
            "other_minima": [values.tolist() for values in self.also],
            "covariance_of_logarithms": self.covariance.tolist(),
            "correlation": self.correlation.tolist(),
            "stretches": self.stretches,
            "misfit": self.misfit,
            **self.more,
        }


def short(path: str) -> str:
    """Paths that have one value, without most of them."""
    first, *others = path.split(",")
    return f"{first} (and {len(others)} more)" if len(others) > 1 else path


def _plain(weights: Array) -> Array:
    """Exponents as they are printed, so that name and number are of the same product."""
    whole = np.round(weights)
    return np.where(np.abs(weights - whole) < PLAIN, whole, np.round(weights, 2)) + 0.0


def _product(paths: Sequence[str], weights: Array) -> str:
    """`a`, `a x b`, `a / b`, `a^0.5 / b^1.2`."""

    def written(sign: float) -> str:
        powers = [(short(name), sign * w) for name, w in zip(paths, weights, strict=True) if sign * w > 0.0]
        return " x ".join(name if w == 1.0 else f"{name}^{w:g}" for name, w in powers)

    above, below = written(1.0), written(-1.0)
    return f"{above or '1'} / {below}" if below else above
