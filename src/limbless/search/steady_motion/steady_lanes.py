"""Steady motions of eight gaits at a time: a quasi-Newton method on eight period maps side by side.

Every lane is solved by itself: what its neighbours do never reaches it. What does not converge here, or leaves its
plane, is left to Newton's method with exact derivatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.chain.tables import PrescribedMotion
from limbless.mechanics.compiled.arrays import aligned_zeros
from limbless.mechanics.compiled.batching import stack_lanes
from limbless.mechanics.compiled.scalars import TANGENTS as LANES
from limbless.mechanics.integrate import runge_kutta
from limbless.mechanics.integrate.running_totals import (
    UNLIMITED,
    NoTotals,
    clear_objective_totals,
    new_objective_totals,
)
from limbless.scenarios.scenario import Scenario
from limbless.search.steady_motion.period_map import FLAT, PLANE, ChainPeriod, begun, period_of
from limbless.search.steady_motion.period_screw import path_of
from limbless.search.steady_motion.steady import TOLERANCE, SteadyMotion
from limbless.search.studies.sensitivity import torque_norm
from limbless.search.sweeps.lane_drive import Buffers, LaneDrive
from limbless.simulation.analysis.energy_use import STANDARD_GRAVITY

Array = NDArray[np.float64]
NUDGE = 1e-6
"""m/s or rad/s: for the first derivatives, by differences; Broyden's updates follow the solution from there."""
PLAIN = 3
"""Periods from rest before derivatives are taken: they are then nearly those of the solution."""
AGAIN = (3,)
"""Steps after which they are taken again."""
COARSE, ROUGH = 20, 1e-4
"""Steps of a period, and m/s or rad/s, of a first solution: the speed of an eel is then right to 1e-4, and so is the
derivative of its map, from which two or three maps with all steps lead to the end.
"""
MOST = 30
METHOD = "quasi-Newton method, eight at a time"


class LanePeriods:
    """Period maps of up to eight gaits of one family."""

    def __init__(self, family: ChainPeriod, tolerance: float = TOLERANCE) -> None:
        self.family, self.tolerance = family, tolerance
        self.problem: Any = None
        self.rows = family.model._split + np.array(PLANE)
        self.buffers: Buffers = {}

    @staticmethod
    def takes(family: ChainPeriod) -> bool:
        """Whether the joints of a family follow their gait, so that the base's twist is all that is unknown."""
        return isinstance(family.model._options.actuation, PrescribedMotion)

    def solve(self, scenarios: Sequence[Scenario]) -> list[SteadyMotion | None]:
        """The steady motion of each, or None where another way has to find it."""
        self._begin(scenarios)
        with np.errstate(all="ignore"):
            return self._found(scenarios)

    def _found(self, scenarios: Sequence[Scenario]) -> list[SteadyMotion | None]:
        count = len(scenarios)
        V, flat = np.zeros((len(PLANE), LANES)), np.ones(LANES, dtype=bool)
        A: Array | None = None
        if self.family.steps > COARSE:  # all but the last digits, at a fraction of the price
            self._sample(COARSE)
            V, A, flat = self._solved(V, A, flat, ROUGH)
        self._sample(self.family.steps)
        found: list[SteadyMotion | None] = [None] * count

        def take(lane: int, V: Array, left: Array) -> None:
            if lane < count:
                found[lane] = self._motion(scenarios[lane], lane, V, left)

        self._solved(V, A, flat, self.tolerance, take)
        return found

    def _solved(
        self,
        V: Array,
        A: Array | None,
        lanes: NDArray[np.bool_],
        tolerance: float,
        take: Callable[[int, Array, Array], None] | None = None,
    ) -> tuple[Array, Array, NDArray[np.bool_]]:
        """Broyden's method in `lanes`, from V and 1 - dP/dv = A; without A, from rest. Returns both, and the lanes
        that are still in their plane and finite; `take` is told each lane that has been solved.
        """
        if A is None:
            for _ in range(PLAIN):
                V = self._map(V)
            out = self.x[self.family.model._split + np.array([2, 3, 4])]
            lanes = lanes & (np.abs(out).max(axis=0) <= FLAT)
        fresh, left = A is None, self._map(V) - V
        if A is None:
            A = self._derivative(V, left + V)
        waits = lanes.copy()
        for number in range(MOST):
            step = _solution(A, left)
            away = np.maximum(np.abs(left), np.abs(step)).max(axis=0)  # what is left, and how far its end is
            for lane in map(int, np.flatnonzero((away <= tolerance) & waits) if number > 0 or not fresh else ()):
                waits[lane] = False
                if take is not None:
                    take(lane, V, left)
            if not waits.any():
                break
            step[:, ~waits] = 0.0
            V = V + step
            before, left = left, self._map(V) - V
            miss = (before - left) - (A * step).sum(axis=1)
            A = A + miss[:, None] * step / np.maximum((step * step).sum(axis=0), 1e-300)
            lost = waits & ~np.isfinite(left).all(axis=0)
            waits, lanes = waits & ~lost, lanes & ~lost
            if number in AGAIN and waits.any():
                A = np.where(waits, self._derivative(V, left + V), A)  # no lane feels how long others take
                left = self._map(V) - V
        return V, A, lanes

    def _begin(self, scenarios: Sequence[Scenario]) -> None:
        """The gaits to be solved; robots and memory are made once."""
        family = self.family
        full = [*scenarios, *[scenarios[0]] * (LANES - len(scenarios))]
        gaits = [begun(scenario.gait) for scenario in full]
        self.periods = np.array([period_of(gait) for gait in gaits])
        self.drive = LaneDrive([family.model] * LANES, gaits, self.buffers)
        if self.problem is None:
            still = family.model.problem(
                family.driven(scenarios[0])[0], 0, new_objective_totals(family.limit), NoTotals()
            )
            self.problem = stack_lanes([still] * LANES)
        self.x0 = np.stack([family.start(scenario) for scenario in full], axis=-1)
        self.x = aligned_zeros(self.x0.shape)

    def _sample(self, steps: int) -> None:
        """The gaits at the stages of so many steps."""
        times = aligned_zeros((2 * steps + 1, LANES))
        times[:] = np.linspace(0.0, 1.0, 2 * steps + 1)[:, None] * self.periods
        self.knots, self.record = aligned_zeros((steps + 1, LANES)), np.zeros(steps + 1, dtype=bool)
        self.knots[:] = times[::2]
        self.problem = self.problem._replace(drive=self.drive(times))

    def _map(self, V: Array) -> Array:
        """Twists after a period."""
        self.x[:] = self.x0
        self.x[self.rows] = V
        clear_objective_totals(self.problem.memory.tally)
        runge_kutta.advance_lanes(self.problem, self.knots, self.record, self.x)
        return self.x[self.rows]

    def _derivative(self, V: Array, middle: Array) -> Array:
        """1 - dP/dv of every lane (3, 3, 8)."""
        n = len(PLANE)
        A = np.zeros((n, n, LANES))
        for column in range(n):
            shift = np.zeros((n, 1))
            shift[column] = NUDGE
            A[:, column] = -(self._map(V + shift) - middle) / NUDGE
            A[column, column] += 1.0
        return A

    def _motion(self, scenario: Scenario, lane: int, V: Array, left: Array) -> SteadyMotion:
        """The numbers of a lane, from the pass that was made last."""
        problem = self.problem
        score, T = problem.memory.tally, float(self.periods[lane])
        way, turn = path_of(self.x[:7, lane], True)
        work = float(score.positive[:, lane].sum())
        ratios, _ = torque_norm(score.strain[:, lane], T)
        limited = self.family.limit < UNLIMITED
        weight = self.family.model.chain.total_mass * STANDARD_GRAVITY
        twist = np.zeros(6)
        twist[list(PLANE)] = V[:, lane]
        return SteadyMotion(
            scenario,
            T,
            float(way) / T,
            float(turn) / T,
            self.x[:3, lane].copy(),
            work,
            work / (weight * float(way)) if way > 0.0 else None,
            float(score.peak[:, lane].max(initial=0.0)),
            float(ratios[limited].max()) if limited.any() else None,
            ratios[limited],
            None,
            twist,
            float(np.abs(left[:, lane]).max()),
            0,
            METHOD,
            unknowns=V[:, lane].copy(),
            steps=self.family.steps,
        )


def _solution(A: Array, b: Array) -> Array:
    """x of A x = b in every lane, (3, 3, 8) and (3, 8), by cofactors: a lane without one is not finite, and the others
    do not feel it.
    """
    rows = np.stack([_cross(A[:, 1], A[:, 2]), _cross(A[:, 2], A[:, 0]), _cross(A[:, 0], A[:, 1])])
    return np.asarray((rows * b).sum(axis=1) / (A[:, 0] * rows[0]).sum(axis=0))


def _cross(a: Array, b: Array) -> Array:
    """Of vectors side by side (3, 8)."""
    return np.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
