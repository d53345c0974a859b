"""One period of a chain as a map of what it begins with: one gait with derivatives, or eight gaits side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, InputError
from limbless.mechanics.chain import ChainDrive, ChainProblem, LinkRow, PrescribedMotion
from limbless.mechanics.compiled import (
    TANGENTS as LANES,
    aligned_zeros,
    as_duals,
    dual_array,
    seed_tangent,
    stack_lanes,
    tangents,
    to_duals,
)
from limbless.mechanics.integrate import (
    UNLIMITED,
    ObjectiveTotals,
    clear_objective_totals,
    new_objective_totals,
    runge_kutta,
)
from limbless.models.chain.newton_euler_model import NewtonEuler
from limbless.scenarios.scenario import Scenario
from limbless.search.steady_motion.period_map import FLAT, PLANE, Near, PeriodMap, begun, period_of
from limbless.search.studies.variations import derivative, vary
from limbless.search.sweeps.lane_drive import Buffers, LaneDrive, aligned

MOST_STEPS = 50_000
"""Of a period."""


class ChainFamily:
    """What the period maps share of scenarios that differ in their gait alone."""

    def __init__(self, scenario: Scenario, steps: int) -> None:
        self.scenario, self.steps = scenario, steps
        self.model = chain_model_of(scenario)
        self.phase = np.arange(2 * steps + 1) / (2.0 * steps)
        self.record = np.zeros(steps + 1, dtype=bool)
        limit = self.model.chain.arrays().torque_limit
        self.limit = np.where(np.isfinite(limit), limit, UNLIMITED)
        self.step_limit = self.model.step_limit(self.model.initial_state(scenario.initial, begun(scenario.gait)))
        self._wide: dict[int, Any] = {}
        self.buffers: Buffers = {}
        # joints follow their gait, so that the base's twist is all that is unknown
        self.prescribed = isinstance(self.model._options.actuation, PrescribedMotion)

    def least_steps(self, scenario: Scenario) -> int:
        """Of a period, so that they follow friction that fades at a low speed as those of a run do."""
        limit = self.step_limit
        if limit is None:
            return 0
        least = math.ceil(period_of(scenario.gait) / limit.longest)
        if least > MOST_STEPS:
            raise InputError(
                f"environment: {limit.why} asks for steps of {limit.longest:.2g} s, {least} in a period, "
                f"and the most is {MOST_STEPS}; let it fade at a higher speed"
            )
        return least

    @staticmethod
    def unknown_rows_of(model: NewtonEuler) -> NDArray[np.int64]:
        """Where a state holds what a period may begin with: the base's twist, and what moves freely in the joints and
        in their motors.
        """
        link = LinkRow.of(model._actuated.links)
        if model._split != 7 + model.chain.freedoms:
            raise InputError("the period of a chain with spherical joints has no derivatives here")
        twist = PLANE if model.chain.base == "planar" else range(6)
        free = [int(link.column[row]) for row in range(1, len(link.given)) if not link.given[row]]
        return np.array(
            [
                *(model._split + c for c in twist),
                *(7 + c for c in free),
                *(model._split + 6 + c for c in free),
                *(() if model._motors is None else model._motors.moving),
            ],
            dtype=np.int64,
        )

    def packed(self, scenario: Scenario) -> tuple[ChainProblem, Array]:
        """A problem of one period, and its times (knots)."""
        same = (
            scenario.robot == self.scenario.robot
            and scenario.environment == self.scenario.environment
            and scenario.actuation == self.scenario.actuation
        )
        model = self.model if same else chain_model_of(scenario)
        limit = self.limit if same else np.where(self.limit < UNLIMITED, model.chain.arrays().torque_limit, UNLIMITED)
        drive, knots = self.driven(scenario, model)
        return model.problem(drive, 0, new_objective_totals(limit), None), knots

    def driven(self, scenario: Scenario, model: NewtonEuler | None = None) -> tuple[ChainDrive, Array]:
        """The gait at the stages of a period, and its knots."""
        gait = begun(scenario.gait)
        times = self.phase * period_of(gait)
        return (model or self.model).drive(gait, times), times[::2].copy()

    def slopes(self, scenario: Scenario, fields: Sequence[str], drive: ChainDrive) -> list[tuple[Any, Array]]:
        """What changes along fields, each with its slopes of the knots: the drive alone along those of the gait."""
        return self._gait_slopes(scenario, fields, drive) or [
            derivative(vary(scenario, path), self.driven if path.startswith("gait.") else self.packed)
            for path in fields
        ]

    def _gait_slopes(self, scenario: Scenario, fields: Sequence[str], drive: ChainDrive) -> list[tuple[Any, Array]]:
        """Slopes of drive and knots along fields of the gait, sampled eight at a time; none where that cannot be."""
        if not 0 < len(fields) <= LANES // 2 or not all(path.startswith("gait.") for path in fields):
            return []
        around = [vary(scenario, path) for path in fields]
        if any(len(one.scenarios) != 2 for one in around):  # at a bound of a field: to one side
            return []
        gaits = [begun(side.gait) for one in around for side in one.scenarios]
        gaits += [gaits[0]] * (LANES - len(gaits))
        times = aligned(self.phase[:, None] * np.array([period_of(gait) for gait in gaits]))
        wide = LaneDrive([self.model] * LANES, gaits, self.buffers)(times)
        if any(part.shape[:-1] != own.shape for part, own in zip(wide, drive, strict=True)):
            return []
        weights = np.zeros((LANES, len(fields)))
        for number, one in enumerate(around):
            weights[2 * number : 2 * number + 2, number] = one.weights
        slopes = [part @ weights for part in wide]
        return [
            (ChainDrive(*(slope[..., number] for slope in slopes)), (times @ weights[:, number])[::2])
            for number in range(len(fields))
        ]

    def wide_problem(self, part: int, problem: ChainProblem) -> Any:
        """The problem as one of duals in which nothing but the drive is the gait's: made once."""
        if part not in self._wide:
            self._wide[part] = to_duals(problem)
        return self._wide[part]._replace(drive=as_duals(problem.drive))

    def start(self, scenario: Scenario) -> Array:
        """A flat state at rest, at the origin, with the joints where the gait has them."""
        x = self.model.initial_state(scenario.initial, begun(scenario.gait)).x
        x[:7] = (0.0,) * 3 + (1.0, 0.0, 0.0, 0.0)
        x[self.model._split : self.model._split + 6] = 0.0
        x[-9:] = 0.0
        return x


def has_free_joints(scenario: Scenario) -> bool:
    """Whether joints of a chain move as forces let them: they are unknown where a period begins."""
    return not bool(LinkRow.of(chain_model_of(scenario)._actuated.links).given[1:].all())


def chain_model_of(scenario: Scenario) -> NewtonEuler:
    """The model of a scenario whose model is newton-euler."""
    model = scenario.assemble()
    assert isinstance(model, NewtonEuler)
    return model


class ChainPeriodMap(PeriodMap):
    """Of a chain."""

    def __init__(self, family: ChainFamily, scenario: Scenario, fields: Sequence[str], near: Near | None) -> None:
        super().__init__(scenario, fields, family.steps)
        self.family, self.mass, self.limit = family, family.model.chain.total_mass, family.limit
        self.problem, self.knots = family.packed(scenario)
        self.x0, self.split = family.start(scenario), family.model._split
        rows = family.unknown_rows_of(family.model)
        self.bends = bool((rows < self.split).any())
        self._find_rows(rows, near)
        slopes = family.slopes(scenario, self.fields, self.problem.drive)
        for number, (_, knots) in enumerate(slopes):
            self.period_slope[number] = knots[-1]
        count = self.unknowns + len(self.fields)
        self.parts = [self._part(slopes, range(first, min(first + LANES, count))) for first in range(0, count, LANES)]

    def _advance(self, x: Array) -> Array:
        self.passes += 1
        runge_kutta.advance(self.problem, self.knots, self.family.record, x)
        return x

    def _part(self, slopes: Sequence[tuple[Any, Array]], directions: range) -> tuple[Any, Array, Array]:
        """A problem of duals for some of the directions, its times and its start."""
        knots, x = dual_array(self.knots), dual_array(self.x0)
        if all(isinstance(slope, ChainDrive) for slope, _ in slopes):
            duals = self.family.wide_problem(directions[0], self.problem)
        else:
            duals = to_duals(self.problem)
        for direction, number in enumerate(directions):
            if number < self.unknowns:
                tangents(x)[self.rows[number], direction] = 1.0
            else:
                slope, times = slopes[number - self.unknowns]
                seed_tangent(duals.drive if isinstance(slope, ChainDrive) else duals, direction, slope)
                tangents(knots)[:, direction] = times
        return duals, knots, x

    def _advance_duals(self, x: Array) -> list[tuple[Array, ObjectiveTotals]]:
        found = []
        for duals, knots, start in self.parts:
            wide = start.copy()
            wide[:, 0] = x
            clear_objective_totals(duals.memory.tally)
            runge_kutta.advance_duals(duals, knots, self.family.record, wide)
            found.append((wide, duals.memory.tally))
        return found


class LanePeriodMap:
    """Period maps of up to eight gaits of one family, side by side: twists in the plane (lanes, 3) in and out."""

    def __init__(self, family: ChainFamily) -> None:
        self.family, self.rows = family, family.model._split + np.array(PLANE)
        self.problem: Any = None

    def begin(self, scenarios: Sequence[Scenario]) -> None:
        """The gaits to be solved; robots and memory are made once."""
        family = self.family
        full = [*scenarios, *[scenarios[0]] * (LANES - len(scenarios))]
        gaits = [begun(scenario.gait) for scenario in full]
        self.periods = np.array([period_of(gait) for gait in gaits])
        self.drive = LaneDrive([family.model] * LANES, gaits, family.buffers)
        if self.problem is None:
            self.problem = stack_lanes([family.packed(scenarios[0])[0]] * LANES)
        self.x0 = np.stack([family.start(scenario) for scenario in full], axis=-1)
        self.x = aligned_zeros(self.x0.shape)

    def sample(self, steps: int) -> None:
        """The gaits at the stages of so many steps."""
        times = aligned(np.linspace(0.0, 1.0, 2 * steps + 1)[:, None] * self.periods)
        self.knots, self.record = aligned(times[::2]), np.zeros(steps + 1, dtype=bool)
        self.problem = self.problem._replace(drive=self.drive(times))

    def __call__(self, V: Array) -> Array:
        """Twists after a period."""
        self.x[:] = self.x0
        self.x[self.rows] = V.T
        clear_objective_totals(self.problem.memory.tally)
        runge_kutta.advance_lanes(self.problem, self.knots, self.record, self.x)
        return self.x[self.rows].T.copy()

    def in_plane(self) -> NDArray[np.bool_]:
        """Lanes whose last period kept its plane."""
        return np.asarray(np.abs(self.x[self.family.model._split + np.array([2, 3, 4])]).max(axis=0) <= FLAT)

    def sums(self, lane: int) -> ObjectiveTotals:
        """What a lane summed in the last period."""
        return ObjectiveTotals(*(part[..., lane].copy() for part in self.problem.memory.tally))
