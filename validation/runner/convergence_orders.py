"""Orders of convergence, for the cases that refine something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def fitted_order(counts: Sequence[float], errors: Sequence[float]) -> float:
    """Slope of -log error over log count: 2 means that twice the count leaves a quarter of the error."""
    return float(-np.polyfit(np.log(counts), np.log(errors), 1)[0])


def draw_order(
    axes: Any, counts: Sequence[float], errors: Sequence[float], label: str, what: str, marker: str = "o"
) -> None:
    """Errors over counts, both logarithmic, with the fitted order in the legend; `what` names the count."""
    order = fitted_order(counts, errors)
    axes.loglog(counts, errors, marker=marker, markersize=4, label=f"{label}: order {order:.2f}")
    axes.set_xlabel(what)
    axes.set_xticks(list(counts), [f"{count:g}" for count in counts])
    axes.minorticks_off()
    axes.margins(x=0.05)
    axes.legend(loc="lower left")


def extrapolated(coarse: Any, fine: Any, order: float = 2.0, ratio: float = 2.0) -> Any:
    """Richardson's limit of two results whose counts have this ratio."""
    factor = ratio**order
    return (factor * np.asarray(fine) - np.asarray(coarse)) / (factor - 1.0)
