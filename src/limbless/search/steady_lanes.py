"""Steady motions of eight gaits at a time: a quasi-Newton method on eight period maps side by side.

Every lane is solved by itself: what its neighbours do never reaches it. What does not converge here, or leaves its
plane, is left to Newton's method with exact derivatives.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.analysis.energy import STANDARD_GRAVITY
from limbless.mechanics.chain.tables import Imposed
from limbless.mechanics.compiled.scalars import TANGENTS as LANES
from limbless.mechanics.compiled.scalars import aligned_zeros
from limbless.mechanics.compiled.widening import side_by_side
from limbless.mechanics.integrate import runge_kutta
from limbless.mechanics.integrate.tally import UNLIMITED, Uncounted
from limbless.scenarios.scenario import Scenario
from limbless.search.period_map import FLAT, PLANE, ChainPeriod, begun, fresh_score, period_of
from limbless.search.rollout import Room, lane_drive
from limbless.search.screws import path_of
from limbless.search.steady import TOLERANCE, SteadyMotion
from limbless.studies.sensitivity import torque_norm

Array = NDArray[np.float64]
NUDGE = 1e-6
"""m/s or rad/s: for the first derivatives, by differences; Broyden's updates follow the solution from there."""
PLAIN = 3
"""Periods from rest before derivatives are taken: they are then nearly those of the solution."""
AGAIN = (3,)
"""Steps after which they are taken again."""
MOST = 30
METHOD = "quasi-Newton method, eight at a time"


class LanePeriods:
    """Period maps of up to eight gaits of one family."""

    def __init__(self, family: ChainPeriod, tolerance: float = TOLERANCE) -> None:
        self.family, self.tolerance = family, tolerance
        self.problem: Any = None
        self.room: Room = {}

    @staticmethod
    def takes(family: ChainPeriod) -> bool:
        """Whether the joints of a family follow their gait, so that the base's twist is all that is unknown."""
        return isinstance(family.model._options.actuation, Imposed)

    def solve(self, scenarios: Sequence[Scenario]) -> list[SteadyMotion | None]:
        """The steady motion of each, or None where another way has to find it."""
        self._begin(scenarios)
        count, n = len(scenarios), len(PLANE)
        V = np.zeros((n, LANES))
        for _ in range(PLAIN):
            V = self._map(V)
        flat = np.abs(self.x[self.family.model._split + np.array([2, 3, 4])]).max(axis=0) <= FLAT
        after = self._map(V)
        A = self._derivative(V, after)
        found: list[SteadyMotion | None] = [None] * count
        left, open_lanes = after - V, flat.copy()
        for number in range(MOST):
            near = (np.abs(left) <= self.tolerance).all(axis=0) & open_lanes & (np.arange(LANES) < count) & (number > 0)
            for lane in map(int, np.flatnonzero(near)):
                found[lane], open_lanes[lane] = self._motion(scenarios[lane], lane, V, left), False
            if not open_lanes[:count].any():
                break
            with np.errstate(all="ignore"):
                step = np.stack([_solved(A[:, :, lane], left[:, lane]) for lane in range(LANES)], axis=-1)
                step[:, ~open_lanes] = 0.0
                V = V + step
                before, left = left, self._map(V) - V
                for lane in map(int, np.flatnonzero(open_lanes)):
                    s = step[:, lane]
                    miss = (before - left)[:, lane] - A[:, :, lane] @ s
                    A[:, :, lane] += np.outer(miss, s) / max(float(s @ s), 1e-300)
            open_lanes &= np.isfinite(left).all(axis=0)
            if number in AGAIN and open_lanes.any():
                A = self._derivative(V, left + V)
                left = self._map(V) - V
        return found

    def _begin(self, scenarios: Sequence[Scenario]) -> None:
        """The problem of these gaits; robots and memory are made once."""
        family = self.family
        full = [*scenarios, *[scenarios[0]] * (LANES - len(scenarios))]
        self.periods = np.array([period_of(begun(scenario.gait)) for scenario in full])
        self.knots, times = aligned_zeros((family.steps + 1, LANES)), aligned_zeros((2 * family.steps + 1, LANES))
        times[:] = family.phase[:, None] * self.periods
        self.knots[:] = times[::2]
        drive = lane_drive([family.model] * LANES, [begun(scenario.gait) for scenario in full], times,
                           self.room)
        if self.problem is None:
            still = family.model.problem(family.driven(scenarios[0])[0], 0, fresh_score(family.limit), Uncounted())
            self.problem = side_by_side([still] * LANES)
        self.problem = self.problem._replace(drive=drive)
        self.x0 = np.stack([family.start(scenario) for scenario in full], axis=-1)

    def _map(self, V: Array) -> Array:
        """Twists after a period."""
        rows = self.family.model._split + np.array(PLANE)
        self.x = aligned_zeros(self.x0.shape)
        self.x[:] = self.x0
        self.x[rows] = V
        problem = self.problem
        for part in problem.memory.tally[:4]:
            part[:] = 0.0
        with np.errstate(all="ignore"):
            runge_kutta.advance_lanes(problem, self.knots, self.family.record, self.x)
        return self.x[rows].copy()

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
            scenario, T, float(way) / T, float(turn) / T, self.x[:3, lane].copy(), work,
            work / (weight * float(way)) if way > 0.0 else None, float(score.peak[:, lane].max(initial=0.0)),
            float(ratios[limited].max()) if limited.any() else None, ratios[limited], None, twist,
            float(np.abs(left[:, lane]).max()), 0, METHOD, unknowns=V[:, lane].copy(), steps=self.family.steps)


def _solved(A: Array, b: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(A, b))
    except np.linalg.LinAlgError:
        return b
