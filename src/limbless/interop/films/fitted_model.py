"""What a film says of some coefficients: values with intervals, and the directions that it does not determine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.interop.films.weak_form import TRUSTED, ForceBalance

Array = NDArray[np.float64]

FARTHEST = 10.0  # factor of an interval above which a direction is not determined


@dataclass(frozen=True)
class Identified:
    """What a film says of some coefficients: logarithms, and how they vary together."""

    paths: tuple[str, ...]
    values: Array
    covariance: Array  # (p, p) of the logarithms
    quantile: float  # of Student's t, for 95 %
    misfit: float  # root mean square of the residuals, in lengths
    windows: int
    start: ForceBalance | None = None

    def factor(self, weights: Sequence[float] | Array) -> float:
        """Factor of the 95 % interval of a product of powers of the coefficients."""
        w = np.asarray(weights, dtype=np.float64)
        variance = max(float(w @ self.covariance @ w), 0.0)
        return float(np.exp(min(self.quantile * variance**0.5, 700.0)))

    def interval(self, weights: Sequence[float]) -> tuple[float, float] | None:
        """95 % interval of such a product; None where the film does not determine it."""
        factor, value = self.factor(weights), self.combination(weights)
        return None if factor > FARTHEST else (value / factor, value * factor)

    def combination(self, weights: Sequence[float] | Array) -> float:
        """A product of powers of the coefficients: (1, -1) is a ratio."""
        return float(np.exp(np.log(self.values) @ np.asarray(weights, dtype=np.float64)))

    def determined(self, path: str) -> bool:
        """Whether a coefficient by itself has an interval."""
        return self.interval(self._alone(path)) is not None

    def _alone(self, path: str) -> list[float]:
        return [1.0 if name == path else 0.0 for name in self.paths]

    @cached_property
    def directions(self) -> list[tuple[Array, float]]:
        """Products of powers that are independent of each other, best determined first: exponents and factor."""
        _, vectors = np.linalg.eigh(self.covariance)
        turned = [v / v[np.argmax(np.abs(v))] for v in vectors.T]
        return [(v, self.factor(v)) for v in turned]

    @property
    def correlation(self) -> Array:
        """(p, p) of the logarithms."""
        size = np.sqrt(np.maximum(np.diag(self.covariance), 1e-300))
        return np.asarray(self.covariance / np.outer(size, size))

    def lines(self) -> list[str]:
        """For the terminal and the page."""
        told = []
        for path, value in zip(self.paths, self.values, strict=True):
            bounds = self.interval(self._alone(path))
            told.append(
                f"{path} not determined by this film (near {value:.2g})"
                if bounds is None
                else f"{path} = {value:.4g}, 95 % {bounds[0]:.4g} to {bounds[1]:.4g}"
            )
        for weights, factor in self.directions if len(self.paths) > 1 else []:
            name, value = _product(self.paths, weights), self.combination(weights)
            told.append(
                f"{name}: not determined (a factor of {factor:.2g} either way)"
                if factor > FARTHEST
                else f"{name} = {value:.4g}, within a factor of {factor:.3g}"
            )
        told.append(
            f"{self.windows} windows of two beats, each with its own start; film and model differ by "
            f"{100.0 * self.misfit:.2g} % of the length"
        )
        if self.start is not None and self.start.quality < TRUSTED:
            told.append(
                f"the force balance of the film itself explains {100.0 * max(self.start.quality, 0.0):.0f} "
                "% of it: it was only used as a start"
            )
        return told

    def numbers(self) -> dict[str, Any]:
        """For `summary.json`."""
        pairs = [
            {
                "exponents": dict(zip(self.paths, map(float, w), strict=True)),
                "value": self.combination(w),
                "factor": factor,
                "determined": factor <= FARTHEST,
            }
            for w, factor in self.directions
        ]
        return {
            "coefficients": {
                path: {
                    "value": float(value) if self.determined(path) else None,
                    "interval": self.interval(self._alone(path)),
                    "determined": self.determined(path),
                }
                for path, value in zip(self.paths, self.values, strict=True)
            },
            "directions": pairs,
            "correlation": self.correlation.tolist(),
            "windows": self.windows,
            "misfit_L": self.misfit,
            "force_balance": None if self.start is None else self.start._asdict(),
        }


def _product(paths: Sequence[str], weights: Array) -> str:
    parts = [
        name if abs(w - 1.0) < 5e-3 else f"{name}^{w:.2f}"
        for name, w in zip(paths, weights, strict=True)
        if abs(w) >= 5e-3
    ]
    return " x ".join(parts)
