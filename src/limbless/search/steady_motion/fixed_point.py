"""Fixed points of a period map: multisecants of plain periods, and Newton's method where derivatives are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from limbless.core import Array, SimulationError
from limbless.mechanics.compiled import map_arrays
from limbless.search.steady_motion.period_map import Period, PeriodMap

TOLERANCE = 1e-9
"""m/s and rad/s: what may be left of P(v) - v."""
CLOSE = 0.5
"""Of the tolerance: how near plain periods come, so that the pass with derivatives finds nothing left to do."""
DEPTH = 6
"""Differences that a multisecant step knows."""
MOST_PLAIN, MOST = 60, 10
"""Plain periods between two passes with derivatives, and such passes."""
LOST = 100.0
"""Times the least residual so far: a lane that goes beyond it does not converge."""


def multisecant(
    period_map: Callable[[Array], Array],
    V: Array,
    tolerance: float,
    inverse: Array | None = None,
    take: Callable[[int, Array, float], None] | None = None,
    by_step: bool = False,
    most: int = MOST_PLAIN,
) -> tuple[Array, Array]:
    """Anderson's method on P(v) = v, in every lane of V (lanes, n) by itself: the next guess is where the last few
    differences say that nothing is left.

    Parameters
    ----------
    inverse : what is known of the inverse of 1 - dP/dv (lanes, n, n); default: that it is about 1.
    take : is told each lane that is solved, with v and its residual, right after the map of its v.
    by_step : the next step, too, is below the tolerance: where disturbances hardly fade, the residual says little.
    most : maps.

    Returns the best of all guesses, and what is then known of the inverse.
    """
    lanes, n = V.shape
    best, least, waits = V.copy(), np.full(lanes, np.inf), np.ones(lanes, dtype=bool)
    first = np.broadcast_to(np.eye(n), (lanes, n, n)) if inverse is None else inverse
    known = first
    guesses: list[Array] = []
    lefts: list[Array] = []
    for _ in range(most):
        left = period_map(V) - V
        sound = np.isfinite(left).all(axis=1)
        left[~sound] = 0.0
        residual = np.where(sound, np.abs(left).max(axis=1), np.inf)
        guesses, lefts = [*guesses, V][-DEPTH - 1 :], [*lefts, left][-DEPTH - 1 :]
        if len(lefts) > 1:
            way, change = (np.moveaxis(np.diff(np.array(each), axis=0), 0, -1) for each in (guesses, lefts))
            known = first - (way + first @ change) @ np.linalg.pinv(change, rcond=1e-12)
        step = (known @ left[:, :, None])[:, :, 0]
        better = waits & (residual < least)
        best[better], least[better] = V[better], residual[better]
        solved = waits & (residual <= tolerance)
        if by_step:
            solved &= np.abs(step).max(axis=1) <= tolerance
        if take is not None:
            for lane in map(int, np.flatnonzero(solved)):
                take(lane, V[lane], float(residual[lane]))
        waits = waits & ~solved & (residual < LOST * least)
        if not waits.any():
            break
        V = np.where(waits[:, None], V + step, V)
    return best, known


def differenced_inverse(period_map: Callable[[Array], Array], V: Array, nudge: float = 1e-6) -> Array:
    """The inverse of 1 - dP/dv in every lane (lanes, n, n), by differences; 1 where there is none."""
    n, middle = V.shape[1], period_map(V)
    slope = np.stack([(period_map(V + shift) - middle) / nudge for shift in nudge * np.eye(n)], axis=-1)
    slope[~np.isfinite(slope).all(axis=(1, 2))] = 0.0
    return np.stack([_inverse(each) for each in slope])


def newton(period_map: PeriodMap, tolerance: float) -> tuple[Array, Period, float]:
    """Newton's method on P(v) - v, from where the map says: between two of its passes, plain periods come as near as
    the last derivative leads. Unknowns, their period and what is left.
    """
    v, slope, residual = period_map.begin, period_map.begin_slope, np.inf
    for _ in range(MOST):
        before = residual
        inverse = None if slope is None else _inverse(slope)[None]
        guesses, _ = multisecant(lambda V: period_map.plain(V[0])[None], v[None], CLOSE * tolerance, inverse)
        v = guesses[0]
        period = period_map(v)
        left = period.x[period_map.rows] - v
        residual = float(np.abs(left).max()) if np.isfinite(left).all() else np.inf
        if residual <= tolerance:
            return (
                (v, period, residual) if tolerance <= TOLERANCE else (*_closed(period_map, v, period, left), residual)
            )
        if not np.isfinite(residual) or residual > 10.0 * before:
            v, slope = period_map.from_rest(6), None  # it went astray: let the motion itself lead
            continue
        slope = period.x_slope[period_map.rows, : period_map.unknowns]
        v = v + _inverse(slope) @ left
    raise SimulationError(
        f"no steady motion was found after {period_map.passes} periods: a residual of {residual:.1e} m/s or rad/s "
        "remains; the gait may be too strong for its steps (try more `steps`), or its motion does "
        "not repeat"
    )


def _inverse(slope: Array) -> Array:
    one = np.eye(len(slope))
    try:
        return np.asarray(np.linalg.inv(one - slope))
    except np.linalg.LinAlgError:
        return one


def _closed(period_map: PeriodMap, v: Array, period: Period, left: Array) -> tuple[Array, Period]:
    """The last step of Newton's method without a pass: what is nearly steady, carried on by its own derivatives."""
    m = period_map.unknowns
    step = np.linalg.solve(np.eye(m) - period.x_slope[period_map.rows, :m], left)
    sums = map_arrays(lambda part, slope: part + slope[:, :m] @ step, period.sums, period.sums_slope)
    return v + step, period._replace(x=period.x + period.x_slope[:, :m] @ step, sums=sums)
