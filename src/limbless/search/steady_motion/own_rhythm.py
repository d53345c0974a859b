"""The limit cycle of a chain whose controller has a rhythm of its own: what repeats, and with which period.

Unknown are the twist of the base, free joints, the controller's numbers, and the period T. The first phase stays where
it is, since a cycle may begin anywhere: T stands in its place among the unknowns, and the conditions are that all but
the pose is the same after T, and that every phase has gone on by a turn. Steps are shares of T, which carry its slope.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from limbless.control.controllers.oscillators import Oscillators
from limbless.core import Array, InputError, SimulationError, stage_times
from limbless.mechanics.compiled import TANGENTS, dual_array, seed_tangent, tangents, to_duals
from limbless.mechanics.integrate import UNLIMITED, new_objective_totals, runge_kutta
from limbless.models.base import State
from limbless.models.chain.control_tables import NAMES
from limbless.scenarios.scenario import Scenario
from limbless.search.steady_motion.chain_period_map import ChainFamily, chain_model_of
from limbless.search.steady_motion.motion import SteadyMotion, measured_motion, motion_slopes
from limbless.search.steady_motion.period_map import FLAT, Period, joined_period
from limbless.search.studies.variations import derivative, vary
from limbless.simulation.result import Result
from limbless.simulation.simulate import run_scenario

LOCKED = 1e-3
"""Spread of the frequencies of oscillators, of their mean, below which they are locked."""
TURNS, CHUNK, CHUNKS = 5, 20, 6
"""Periods over which frequencies are taken, that are run at a time, and how often at most."""
MOST = 12
"""Newton's steps."""


def own_rhythm(scenario: Scenario, fields: Sequence[str], steps: int, tolerance: float) -> SteadyMotion:
    """The cycle that a run of the scenario leads to, by Newton's method from where its oscillators are locked."""
    settled, period = _locked(scenario)
    assert settled.state is not None
    cycle = LimitCycle(scenario, fields, max(steps, math.ceil(period / scenario.step)))
    x, residual = cycle.start(settled.state.x), np.inf
    for _ in range(MOST):
        found = cycle(x, period)
        left = cycle.left(x, found.x)
        before, residual = residual, float(np.abs(left).max()) if np.isfinite(left).all() else np.inf
        if residual <= tolerance:
            return cycle.motion(x, period, found, residual, settled.state)
        if not residual < 10.0 * before:
            break
        change = np.linalg.solve(cycle.bordered(found), -left)
        period += float(change[cycle.anchor])
        change[cycle.anchor] = 0.0
        x[cycle.rows] += change
    raise SimulationError(
        f"no limit cycle was found near the motion after {settled.state.time:g} s: a residual of {residual:.1e} "
        "remains; its motion may not repeat with every turn of its oscillators"
    )


def _locked(scenario: Scenario) -> tuple[Result, float]:
    """A run until all oscillators go at one frequency and the first of them begins a turn, and its period."""
    guess = CHUNK / max(_frequency(scenario), 1e-3)
    chunk = scenario.model_copy(update={"duration": guess, "record_every": scenario.step})
    result: Result | None = None
    found = np.zeros(1)
    for _ in range(CHUNKS):
        result = run_scenario(chunk, after=result)
        data = result.dataset
        count, time = len(data["neuron"]), data["time"].values
        phase = data["controller_state"].values[:, :count]
        # whole turns of the first one: within a turn rates differ
        since = np.interp(phase[-1, 0] - 2.0 * np.pi * TURNS, np.maximum.accumulate(phase[:, 0]), time)
        then = np.array([np.interp(since, time, each) for each in phase.T])
        found = (phase[-1] - then) / (2.0 * np.pi * max(time[-1] - since, 1e-300))
        if found[0] > 0.0 and np.ptp(found) < LOCKED * found[0]:
            period, share = 1.0 / float(found[0]), phase[-1, 0] / (2.0 * np.pi)
            rest = max(round((math.ceil(share) - share) * period / scenario.step), 1) * scenario.step
            return run_scenario(chunk.model_copy(update={"duration": rest}), after=result), period
    raise InputError(
        f"steady: the oscillators end with different frequencies ({found.min():.4g} and {found.max():.4g} Hz): there "
        "is no period; look at the measure activity_frequency"
    )


def _frequency(scenario: Scenario) -> float:
    """About that of the oscillators, Hz."""
    controller = scenario.controller
    assert isinstance(controller, Oscillators)
    if isinstance(controller.drive, tuple):
        raise InputError(
            "controller.drive: it changes in time, so that the motion does not repeat itself; give a number"
        )
    if controller.body is not None and controller.drive is not None:
        return controller.body.frequency[0] + controller.body.frequency[1] * controller.drive
    return float(np.median(controller.frequency))


class LimitCycle:
    """One turn of the oscillators as a map of where it begins and how long it lasts; `anchor` is the place of the first
    phase among the `rows` of a state that are unknown, and of the period in its stead.
    """

    in_plane = True

    def __init__(self, scenario: Scenario, fields: Sequence[str], steps: int) -> None:
        self.scenario, self.fields, self.steps, self.passes = scenario, list(fields), steps, 0
        self.model = chain_model_of(scenario)
        loop = self.model._loop
        assert loop is not None
        self.split, self.mass = self.model._split, self.model.chain.total_mass
        limit = self.model.chain.arrays().torque_limit
        self.limit = np.where(np.isfinite(limit), limit, UNLIMITED)
        own = ChainFamily.unknown_rows_of(self.model)
        self.rows = np.array([*own, *range(loop.columns.start, loop.columns.stop)], dtype=np.int64)
        self.anchor, self.turn = len(own), np.zeros(len(self.rows))
        self.turn[self.anchor : self.anchor + len(loop.neurons()[0])] = 2.0 * np.pi
        self.record = np.zeros(steps + 1, dtype=bool)
        self.slopes: list[Any] = []

    def packed(self, scenario: Scenario) -> Any:
        """The problem of a scenario."""
        model = self.model if scenario is self.scenario else chain_model_of(scenario)
        times = stage_times(np.linspace(0.0, 1.0, self.steps + 1))
        return model.problem(model.drive(scenario.gait, times), 0, new_objective_totals(self.limit), None)

    def start(self, x: Array) -> Array:
        """A state of a run, at the origin, with its first phase at 0: numbers of a cycle that turns depend on it."""
        begun = x.copy()
        begun[:7], begun[-9:] = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), 0.0
        turns = np.round(begun[self.rows[self.anchor]] / (2.0 * np.pi))
        begun[self.rows] -= turns * self.turn
        begun[self.rows[self.anchor]] = 0.0
        return begun

    def left(self, x: Array, end: Array) -> Array:
        """What is left of the conditions."""
        return np.asarray((end - x)[self.rows] - self.turn)

    def __call__(self, x: Array, period: float) -> Period:
        """A turn from a state, with slopes along the unknown rows, the period and the fields."""
        if self.fields and not self.slopes:
            self.slopes = [derivative(vary(self.scenario, path), self.packed) for path in self.fields]
        knots, count, runs = np.linspace(0.0, period, self.steps + 1), len(self.rows), []
        directions = count + 1 + len(self.fields)
        problem = self.packed(self.scenario)
        for first in range(0, directions, TANGENTS):
            duals, times, wide = to_duals(problem), dual_array(knots), dual_array(x)
            for direction, number in enumerate(range(first, min(first + TANGENTS, directions))):
                if number < count:
                    tangents(wide)[self.rows[number], direction] = 1.0
                elif number == count:
                    tangents(times)[:, direction] = knots / period
                else:
                    seed_tangent(duals, direction, self.slopes[number - count - 1])
            runge_kutta.advance_duals(duals, times, self.record, wide)
            runs.append((wide, duals.memory.tally))
            self.passes += 1
        return joined_period(runs, directions)

    def bordered(self, found: Period) -> Array:
        """Slopes of what is left along the unknowns: the period's in the place of the first phase's."""
        count = len(self.rows)
        matrix: Array = found.x_slope[self.rows, :count] - np.eye(count)
        matrix[:, self.anchor] = found.x_slope[self.rows, count]
        return matrix

    def motion(self, x: Array, period: float, found: Period, residual: float, state: State) -> SteadyMotion:
        """All numbers of the cycle, and their slopes."""
        count, split, scenario = len(self.rows), self.split, self.scenario
        self.in_plane = bool(np.abs(x[split + 2 : split + 5]).max() <= FLAT**0.5)
        sizes = np.linalg.eigvals(found.x_slope[self.rows, :count])
        made = measured_motion(
            scenario,
            found.x[:7],
            self.in_plane,
            found.sums,
            self.limit,
            self.mass,
            period=period,
            multipliers=np.delete(sizes, np.abs(sizes - 1.0).argmin()),  # that along the orbit is 1
            twist=x[split : split + 6].copy(),
            residual=residual,
            passes=self.passes,
            method="Newton's method, exact derivatives, period unknown",
            steps=self.steps,
            unknowns=x[self.rows].copy(),
            rows=self.rows,
            begin=State(0.0, x.copy(), {NAMES: state.memory[NAMES]}),
        )
        if self.fields:
            along = np.linalg.solve(self.bordered(found), -found.x_slope[self.rows, count + 1 :])
            self.period_slope = along[self.anchor].copy()
            follow = np.vstack([along, self.period_slope])
            follow[self.anchor] = 0.0
            made.slopes = motion_slopes(made, self, found, follow)
            made.slopes["period"] = dict(zip(self.fields, map(float, self.period_slope), strict=True))
        return made
