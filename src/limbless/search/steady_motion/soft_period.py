"""One period of a soft body as a map of what it begins with: twist, strains and their rates, with exact derivatives.

Strains die out fast, and few disturbances last a period: multisecants of plain periods lead to the motion that repeats,
and one set of derivatives, eight at a time, is enough to prove it and to give multipliers and slopes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core.errors import SimulationError
from limbless.mechanics.compiled.arrays import tangents, values
from limbless.mechanics.compiled.batching import map_arrays
from limbless.mechanics.compiled.scalars import TANGENTS
from limbless.mechanics.integrate.running_totals import ObjectiveTotals
from limbless.models.base import State
from limbless.models.chain.chain_derivatives import PackedChange, along_start
from limbless.models.chain.soft.linearisation import MOVES
from limbless.models.chain.soft.soft_derivatives import SoftDerivatives
from limbless.models.chain.soft.soft_model import Soft
from limbless.scenarios.scenario import Scenario
from limbless.search.steady_motion.period_map import FLAT, Near, Period, begun, period_of
from limbless.search.studies.sensitivity import change_along, models_along
from limbless.search.studies.variations import between, moved_knots, vary
from limbless.simulation.simulate import knots_between, stage_times

Array = NDArray[np.float64]
TIGHT = 1e-10
"""Tolerance of implicit stages, at most: what they leave undone would be taken for motion that does not repeat."""
DEPTH, MOST = 6, 60
"""Differences that a multisecant step knows, and periods until derivatives take over."""


class SoftPeriod:
    """The period of one scenario as a function of its unknowns, with derivatives along them and along fields.

    Unknowns are the twist (m/s, rad/s) and the free strains and their rates, each as far as it moves its cell (m, m/s;
    rad and rad/s of vertebrae). What stays exactly 0, as all that leaves the plane of a planar motion, is none.
    """

    def __init__(
        self, scenario: Scenario, fields: Sequence[str], near: Near | None, steps: int, tolerance: float
    ) -> None:
        gait = begun(scenario.gait)
        self.period, self.steps, self.passes = period_of(gait), steps, 0
        settings: Any = scenario.model
        if settings.integrator != "rk4":
            settings = settings.changed(tolerance=min(settings.tolerance, TIGHT))
        self.scenario = scenario.model_copy(update={"gait": gait, "model": settings, "duration": self.period})
        model = settings.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
        assert isinstance(model, Soft)
        self.model, self.split = model, 7 + model.freedoms
        self.kinks = between(np.array(model.breakpoints(gait, 0.0, self.period)), self.period)
        self.knots = knots_between(0.0, self.period, self.period / steps, list(self.kinks))
        self.record = np.zeros(len(self.knots), dtype=bool)
        self.drive = model.drive(gait, stage_times(self.knots))
        start = scenario.initial.changed(posture=None, joint_position=None, joint_velocity=None)
        self.x0 = model.initial_state(start, gait).x
        self.x0[:7], self.x0[self.split : self.split + 6] = (0.0,) * 3 + (1.0, 0.0, 0.0, 0.0), 0.0
        self.mass, self.limit = model.robot.total_mass, np.zeros(0)
        self.torques, self.bends = "joint_torque" in model.schema(), True
        self.begin = self._found_rows(near)
        self.begin = multisecant(self.plain, self.begin, 0.5 * tolerance)
        self.begin_slope = None
        self.unknowns, self.fields = len(self.rows), list(fields)
        self.period_slope = np.zeros(len(self.fields))
        along = [self._along(path, number) for number, path in enumerate(self.fields)]
        self.changes = [*(along_start(self._unit(row)) for row in self.rows), *along]

    def _found_rows(self, near: Near | None) -> Array:
        """Where a state holds the unknowns, found from two periods from rest; and where to begin."""
        model, base = self.model, self.model.plan.base
        cells = model.cells()
        free = np.flatnonzero(cells.given == 0)
        self.scale = np.ones(len(self.x0))
        self.scale[7 + free] = self.scale[self.split + 6 + free] = cells.scale[free]
        self.rows = np.array([*(self.split + c for c in MOVES[base]), *(7 + free), *(self.split + 6 + free)])
        first = self.from_rest(1)
        second = self.plain(first)
        if not np.isfinite(second).all():
            raise SimulationError(
                "no steady motion was found: the body cannot be followed for two periods from rest; "
                "run the scenario to see why, or give more `steps`"
            )
        moves = np.maximum(np.abs(first), np.abs(second)) > FLAT
        self.in_plane = base != "free" or not moves[2:5].any()
        self.rows = self.rows[moves]
        return near.unknowns if near is not None and len(near.unknowns) == len(self.rows) else second[moves]

    def state_of(self, v: Array) -> Array:
        """The flat state of some unknowns."""
        x = self.x0.copy()
        x[self.rows] = v / self.scale[self.rows]
        return x

    def plain(self, v: Array) -> Array:
        """What the unknowns v are after a period, without derivatives."""
        self.passes += 1
        with np.errstate(all="ignore"):
            after, _, status = self.model.advance(State(0.0, self.state_of(v)), self.knots, self.record, self.drive)
        return np.full(len(v), np.nan) if status.failure else (self.scale * after.x)[self.rows]

    def from_rest(self, periods: int) -> Array:
        """The unknowns after some periods from rest."""
        v = (self.scale * self.x0)[self.rows]
        for _ in range(periods):
            v = self.plain(v)
        return v

    def _unit(self, row: int) -> Array:
        start = np.zeros(len(self.x0))
        start[row] = 1.0 / self.scale[row]
        return start

    def _along(self, path: str, number: int) -> PackedChange:
        """What changes along a field; knots are shares of the period, and those at kinks of tensions go with them."""
        variation = vary(self.scenario, path)
        models = models_along(variation, self.model)
        beside = list(zip(models, variation.scenarios, strict=True))
        share = [period_of(one.gait) / self.period for one in variation.scenarios]
        own = [np.array(model.breakpoints(one.gait, 0.0, period_of(one.gait))) for model, one in beside]
        self.period_slope[number] = self.period * np.dot(variation.weights, share)

        def around(knots: Array) -> list[Array]:
            return [moved_knots(part * knots, part * self.kinks, kinks) for part, kinks in zip(share, own, strict=True)]

        return change_along(variation, self.model, models, around)._replace(start=np.zeros(len(self.x0)))

    def __call__(self, v: Array) -> Period:
        """A period from the unknowns v, with all slopes."""
        gait, start, count = self.scenario.gait, State(0.0, self.state_of(v)), len(self.changes)
        runs = [
            SoftDerivatives(self.model, gait, start, self.changes[first : first + TANGENTS])
            for first in range(0, count, TANGENTS)
        ]
        for run in runs:
            run.advance(self.knots, stage_times(self.knots), self.record)
            self.passes += 1

        def joined(parts: Sequence[Array]) -> Array:
            return np.concatenate([tangents(part) for part in parts], axis=1)[:, :count]

        x_slope = self.scale[:, None] * joined([run.x for run in runs])
        sums = ObjectiveTotals(*map(joined, zip(*(run.score for run in runs), strict=True)))
        return Period(self.scale * values(runs[0].x), x_slope, map_arrays(values, runs[0].score), sums)


def multisecant(period_map: Callable[[Array], Array], v: Array, tolerance: float) -> Array:
    """Anderson's method on P(v) = v: the next guess is where the last few differences say that nothing is left. The
    best of all guesses, should none be good enough.
    """
    guesses: list[Array] = []
    lefts: list[Array] = []
    best, least = v, np.inf
    for _ in range(MOST):
        left = period_map(v) - v
        residual = float(np.abs(left).max()) if np.isfinite(left).all() else np.inf
        if residual < least:
            best, least = v, residual
        if residual <= tolerance or not residual < 100.0 * least:
            break
        guesses, lefts = [*guesses, v][-DEPTH - 1 :], [*lefts, left][-DEPTH - 1 :]
        v = v + left
        if len(lefts) > 1:
            change, way = np.diff(lefts, axis=0).T, np.diff(guesses, axis=0).T
            v = v - (way + change) @ np.linalg.lstsq(change, left, rcond=1e-12)[0]
    return best
