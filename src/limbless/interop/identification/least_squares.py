"""Least squares for a few parameters, with numbers of its own for each stretch of data (where it starts, how fast).

Gauss-Newton with damping (Levenberg and Marquardt): the stretches' own numbers are eliminated one by one. Steps are
taken in the directions that the residuals show anything of; the others stay where they started. In a medium without
inertia the common scale of all coefficients is such a direction, and derivatives by one-sided differences would see
something in it: they are central here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

import numpy as np

from limbless.core import Array, SimulationError

ROUNDS = 20  # of steps, taken or not
SMALL = 1e-4  # change of the parameters at which they end
LONGEST = 1.0  # step of a logarithm
BLIND = 1e-9  # of the largest information: below, nothing is seen
ENDLESS = 1e4  # variance of a logarithm of which nothing is known
FIRST_DAMPING, LEAST_DAMPING, MOST_DAMPING = 1e-3, 1e-7, 1e6
CHANCE = 2.0  # standard errors of a correlation that is none
BOOTSTRAPS = 400
ALIKE = 0.05  # cost above that of the best at which another minimum is as good


class Stretches(Protocol):
    """Data in stretches, each with numbers of its own, compared with a model of some parameters."""

    own: list[Array]

    def residuals(self, several: Sequence[Array]) -> list[list[Array]]:
        """For each of several vectors of parameters the residuals of every stretch, (N,) each."""

    def own_slopes(self, parameters: Array, residuals: list[Array]) -> list[Array]:
        """(N, q) of every stretch: derivatives of its residuals in its own numbers."""


class Fit(NamedTuple):
    """Where least squares ended: parameters, the stretches' own numbers, residuals and their derivatives."""

    parameters: Array
    own: list[Array]
    residuals: list[Array]
    J: list[Array]
    Z: list[Array]

    @property
    def free(self) -> list[Array]:
        """Residuals without what the stretches' own numbers explain."""
        return [without(z, r) for r, z in zip(self.residuals, self.Z, strict=True)]

    @property
    def reduced(self) -> list[Array]:
        """Derivatives in the parameters, in the same way."""
        return [without(z, j) for j, z in zip(self.J, self.Z, strict=True)]

    @property
    def information(self) -> Array:
        """(p, p) of the parameters, in units of the residuals' variance."""
        return np.asarray(sum(j.T @ j for j in self.reduced))

    @property
    def cost(self) -> float:
        """Sum of squares."""
        return float(sum(r @ r for r in self.free))


def without(z: Array, values: Array) -> Array:
    """What is left of values (N,) or (N, p) when the columns of z (N, q) have explained what they can."""
    return np.asarray(values - z @ np.linalg.lstsq(z, values, rcond=None)[0]) if z.shape[1] else values


def linearised(data: Stretches, parameters: Array, probe: Array, bounds: tuple[Any, Any] = (-np.inf, np.inf)) -> Fit:
    """Residuals with their derivatives in the parameters, as exact as the data has them."""
    (here,) = data.residuals([parameters])
    exact = getattr(data, "slopes", None)  # of data without it, or that has none here, differences
    J = None
    with suppress(SimulationError):  # none at this place
        J = None if exact is None else exact(parameters)
    J = differences(data, parameters, here, probe, bounds) if J is None else J
    return Fit(parameters, [own.copy() for own in data.own], here, J, data.own_slopes(parameters, here))


def differences(
    data: Stretches, parameters: Array, here: list[Array], probe: Array, bounds: tuple[Any, Any]
) -> list[Array]:
    """Central differences in the parameters, to one side of a bound or of what cannot be run."""
    columns = []
    for step in np.diag(probe):
        ends, refused = [(parameters, here)], None
        for place in (np.clip(parameters - step, *bounds), np.clip(parameters + step, *bounds)):
            try:
                ends.append((place, data.residuals([place])[0]))
            except SimulationError as error:
                refused = error
        if refused is not None and len(ends) == 1:
            raise refused
        (less, low), (more, high) = ends[-2:]
        apart = float((more - less)[step != 0.0][0])
        columns.append([(b - a) / apart for a, b in zip(low, high, strict=True)])
    return [np.stack(each, axis=1) for each in zip(*columns, strict=True)]


def seen(information: Array) -> Array:
    """(p, k): the directions that the residuals show anything of."""
    values, vectors = np.linalg.eigh(information)
    return np.asarray(vectors[:, values > BLIND * max(float(values.max()), 1e-300)])


def solve(
    data: Stretches,
    start: Array,
    probe: Array,
    bounds: tuple[Array, Array] | None = None,
    rounds: int = ROUNDS,
    gain: float = 1e-9,
) -> Fit:
    """The nearest minimum; `gain` is the share by which a step must lower the sum of squares to count."""
    low, high = bounds or (np.full(len(start), -np.inf), np.full(len(start), np.inf))
    here, damping = linearised(data, np.clip(start, low, high), probe, (low, high)), FIRST_DAMPING
    best = sum(float(r @ r) for r in here.residuals)
    for _ in range(rounds):
        A, g = here.information, np.asarray(sum(j.T @ r for j, r in zip(here.reduced, here.free, strict=True)))
        inside = ~(((here.parameters <= low) & (g > 0.0)) | ((here.parameters >= high) & (g < 0.0)))
        V = np.eye(len(g))[:, inside] @ seen(A[np.ix_(inside, inside)]) if inside.any() else np.zeros((len(g), 0))
        H = V.T @ A @ V
        step = -V @ np.linalg.solve(H + damping * np.diag(np.diag(H)), V.T @ g)
        step *= min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        there = np.clip(here.parameters + step, low, high)
        step = there - here.parameters
        data.own = [
            own - np.linalg.lstsq(z, r + j @ step, rcond=None)[0] if z.shape[1] else own
            for own, r, j, z in zip(here.own, here.residuals, here.J, here.Z, strict=True)
        ]
        try:
            cost = sum(float(r @ r) for r in data.residuals([there])[0])
        except SimulationError:
            cost = np.inf
        small = float(np.abs(step).max(initial=0.0)) < SMALL
        if not cost < best * (1.0 - gain):
            data.own = [own.copy() for own in here.own]
            damping *= 10.0
            if small or damping > MOST_DAMPING:
                break
            continue
        try:
            here = linearised(data, there, probe, (low, high))
        except SimulationError:  # it can be run, and nothing beside it
            data.own = [own.copy() for own in here.own]
            break
        best, damping = cost, max(0.1 * damping, LEAST_DAMPING)
        if small:
            break
    return here


def solve_from(
    data: Stretches,
    starts: Sequence[Array],
    probe: Array,
    bounds: tuple[Array, Array] | None = None,
    tried: int = 2,
    solver: Callable[..., Fit] = solve,
) -> tuple[Fit, list[Fit]]:
    """The best of the minima from several starts, and others that are as good; the most promising starts are tried.
    What nothing determines stays where the first of them has it."""
    own = [numbers.copy() for numbers in data.own]

    def cost_at(start: Array) -> float:
        try:
            here = data.residuals([start])[0]
            slopes = data.own_slopes(start, here)
        except SimulationError:
            return np.inf
        return sum(float(np.sum(without(z, r) ** 2)) for r, z in zip(here, slopes, strict=True))

    order = np.argsort([cost_at(start) for start in starts], kind="stable")
    found: list[Fit] = []
    problem: SimulationError | None = None
    for place in order[:tried]:
        data.own = [numbers.copy() for numbers in own]
        try:
            found.append(solver(data, starts[place], probe, bounds))
        except SimulationError as error:
            problem = error
    if not found:
        raise problem or SimulationError("identify: no start could be run")
    best, *beside = sorted(found, key=lambda fit: fit.cost)
    data.own = [numbers.copy() for numbers in best.own]
    V = seen(best.information)
    others = [
        fit
        for fit in beside
        if fit.cost <= (1.0 + ALIKE) * best.cost
        and np.abs(V.T @ (fit.parameters - best.parameters)).max(initial=0.0) > 0.05
    ]
    unmoved = best.parameters + (np.eye(len(V)) - V @ V.T) @ (starts[0] - best.parameters)
    unmoved = unmoved if bounds is None else np.clip(unmoved, *bounds)
    as_good = cost_at(unmoved) <= (1.0 + ALIKE) * best.cost
    return best._replace(parameters=unmoved) if as_good else best, others


def inverse(information: Array) -> Array:
    """Of the information, in the directions that are seen."""
    V = seen(information)
    return np.asarray(V @ np.linalg.inv(V.T @ information @ V) @ V.T)


def unseen(information: Array) -> Array:
    """Variance without end in the directions of which nothing is seen."""
    V = seen(information)
    return np.asarray(ENDLESS * (np.eye(len(information)) - V @ V.T))


def uncertainty(fit: Fit, same: float, least: float = 0.0) -> tuple[Array, float, float]:
    """Covariance of the parameters, its degrees of freedom, and the variance of the residuals, of which `same` say one
    thing; `least` is the variance that is known to be there."""
    number = sum(len(r) - z.shape[1] for r, z in zip(fit.residuals, fit.Z, strict=True))
    freedom = max(number / same - len(fit.parameters), 1.0)
    variance = max(fit.cost / freedom, least * same)
    return inverse(fit.information) * variance + unseen(fit.information), freedom, variance / same


def bootstrapped(fit: Fit, covariance: Array, fewest: int) -> Array:
    """The wider of a covariance and that of stretches drawn again, each fit one step of Newton's method away; as it is
    with fewer than `fewest` stretches."""
    count = len(fit.residuals)
    if count < fewest:
        return covariance
    rng, V = np.random.default_rng(0), seen(fit.information)
    A = [V.T @ j.T @ j @ V for j in fit.reduced]
    g = [V.T @ j.T @ r for j, r in zip(fit.reduced, fit.free, strict=True)]
    steps = []
    for _ in range(BOOTSTRAPS):
        drawn = rng.integers(0, count, count)
        H = np.sum([A[i] for i in drawn], axis=0)
        if np.linalg.cond(H) < 1e12:
            steps.append(V @ np.linalg.solve(H, np.sum([g[i] for i in drawn], axis=0)))
    if len(steps) < BOOTSTRAPS // 2:
        return covariance
    other = np.diag(np.atleast_2d(np.cov(np.array(steps).T)))
    grow = np.sqrt(np.maximum(other / np.maximum(np.diag(covariance), 1e-300), 1.0))
    return np.asarray(covariance * np.outer(grow, grow))


def student(freedom: float) -> float:
    """Student's t for a 95 % interval."""
    from scipy.stats import t

    return float(t.ppf(0.975, freedom))


def alike(series: Sequence[Array], longest: float) -> float:
    """How many neighbouring residuals (T, n) say the same: one plus twice their correlations in time, as far as these
    are more than chance."""
    count = sum(r.size for r in series)
    power = sum(float((r**2).sum()) for r in series) / max(count, 1)
    total = 1.0
    for lag in range(1, max(int(longest), 1)):
        pairs = [r[lag:] * r[:-lag] for r in series if len(r) > lag]
        number = sum(p.size for p in pairs)
        rho = sum(float(p.sum()) for p in pairs) / max(number, 1) / max(power, 1e-300)
        if rho <= CHANCE / max(number, 1) ** 0.5:
            break
        total += 2.0 * rho
    return total
