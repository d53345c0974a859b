"""One period of a chain's motion as a map of what it begins with, with exact derivatives: what Newton's method needs.

The base's pose is left out: where the medium is the same everywhere and in every direction, it does not matter. Steps
are a share of the period, and times carry derivatives too, so that a derivative along the period is right.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.control.gaits.base import Gait
from limbless.core.errors import InputError
from limbless.mechanics.chain.tables import ChainDrive, ChainProblem, LinkRow
from limbless.mechanics.compiled.arrays import aligned_zeros, dual_array, tangents, values
from limbless.mechanics.compiled.batching import as_duals, map_arrays, seed_tangent, to_duals
from limbless.mechanics.compiled.scalars import TANGENTS
from limbless.mechanics.integrate import runge_kutta
from limbless.mechanics.integrate.running_totals import (
    UNLIMITED,
    NoTotals,
    ObjectiveTotals,
    clear_objective_totals,
    new_objective_totals,
)
from limbless.models.chain.newton_euler_model import NewtonEuler
from limbless.scenarios.scenario import Scenario
from limbless.search.studies.variations import Variation, derivative, vary
from limbless.search.sweeps.lane_drive import Buffers, LaneDrive

Array = NDArray[np.float64]
MOST_STEPS = 50_000
"""Of a period."""
PLANE = (0, 1, 5)
"""Components of the base twist that a motion in its plane has."""
FLAT = 1e-12
"""A motion whose other components stay below this keeps its plane."""


class Period(NamedTuple):
    """A period from given unknowns: where it ends, what it sums; and the slopes of all, (.., directions)."""

    x: Array  # flat state at the end
    x_slope: Array
    sums: ObjectiveTotals
    sums_slope: ObjectiveTotals


def begun(gait: Gait) -> Gait:
    """The gait without its beginning."""
    start = {name: 0.0 for name in gait.start_fields if getattr(gait, name) != 0.0}
    return gait.changed(**start) if start else gait


def period_of(gait: Gait) -> float:
    """The period of a gait that has one."""
    if not gait.cycle:
        raise InputError(f"gait {gait.kind!r} has no period: steady motion is what repeats with the gait")
    return float(gait.cycle)


class ChainPeriod:
    """The period map of a family of scenarios that differ in their gait alone."""

    def __init__(self, scenario: Scenario, steps: int) -> None:
        self.scenario, self.steps = scenario, steps
        self.model = _model_of(scenario)
        self.phase = np.arange(2 * steps + 1) / (2.0 * steps)
        self.record = np.zeros(steps + 1, dtype=bool)
        limit = self.model.chain.arrays().torque_limit
        self.limit = np.where(np.isfinite(limit), limit, UNLIMITED)
        self.rows = self._unknown_rows()
        self.step_limit = self.model.step_limit(self.model.initial_state(scenario.initial, begun(scenario.gait)))
        self._wide: dict[int, Any] = {}
        self._buffers: Buffers = {}

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

    def _unknown_rows(self) -> NDArray[np.int64]:
        """Where a state holds what a period begins with: the base's twist, and what moves freely in the joints."""
        model, link = self.model, LinkRow.of(self.model._actuated.links)
        if model._split != 7 + model.chain.freedoms:
            raise InputError("the period of a chain with spherical joints has no derivatives here")
        twist = PLANE if model.chain.base == "planar" else range(6)
        free = [int(link.column[row]) for row in range(1, len(link.given)) if not link.given[row]]
        return np.array(
            [*(model._split + c for c in twist), *(7 + c for c in free), *(model._split + 6 + c for c in free)],
            dtype=np.int64,
        )

    def packed(self, scenario: Scenario) -> tuple[ChainProblem, Array]:
        """A problem of one period, and its times (knots)."""
        same = (
            scenario.robot == self.scenario.robot
            and scenario.environment == self.scenario.environment
            and scenario.actuation == self.scenario.actuation
        )
        model = self.model if same else _model_of(scenario)
        limit = self.limit if same else np.where(self.limit < UNLIMITED, model.chain.arrays().torque_limit, UNLIMITED)
        drive, knots = self.driven(scenario, model)
        return model.problem(drive, 0, new_objective_totals(limit), NoTotals()), knots

    def driven(self, scenario: Scenario, model: NewtonEuler | None = None) -> tuple[ChainDrive, Array]:
        """The gait at the stages of a period, and its knots."""
        gait = begun(scenario.gait)
        times = self.phase * period_of(gait)
        return (model or self.model).drive(gait, times), times[::2].copy()

    def gait_slopes(self, scenario: Scenario, fields: Sequence[str], drive: ChainDrive) -> list[tuple[Any, Array]]:
        """Slopes of drive and knots along fields of the gait, sampled eight at a time; none where that cannot be."""
        if not 0 < len(fields) <= TANGENTS // 2 or not all(path.startswith("gait.") for path in fields):
            return []
        around = [vary(scenario, path) for path in fields]
        if any(len(one.scenarios) != 2 for one in around):  # at a bound of a field: to one side
            return []
        gaits = [begun(side.gait) for one in around for side in one.scenarios]
        gaits += [gaits[0]] * (TANGENTS - len(gaits))
        times = aligned_zeros((len(self.phase), TANGENTS))
        times[:] = self.phase[:, None] * np.array([period_of(gait) for gait in gaits])
        wide = LaneDrive([self.model] * TANGENTS, gaits, self._buffers)(times)
        if any(part.shape[:-1] != own.shape for part, own in zip(wide, drive, strict=True)):
            return []
        weights = np.zeros((TANGENTS, len(fields)))
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

    def keeps_plane(self, x: Array) -> bool:
        """Whether a motion that began in the plane of the base is still in it."""
        out = self.model._split + np.array([2, 3, 4])
        return bool(np.abs(x[out]).max() <= FLAT * max(1.0, float(np.abs(x[self.model._split :][:6]).max())))


def has_free_joints(scenario: Scenario) -> bool:
    """Whether joints of a chain move as forces let them: they are unknown where a period begins."""
    return not bool(LinkRow.of(_model_of(scenario)._actuated.links).given[1:].all())


def _model_of(scenario: Scenario) -> NewtonEuler:
    model = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
    assert isinstance(model, NewtonEuler)
    return model


class Near(NamedTuple):
    """Steady motion of a neighbour: its unknowns carried on to here, and the derivative of its period map."""

    unknowns: Array
    map_slope: Array


class DualPeriod:
    """The period of one scenario as a function of its unknowns, with derivatives along them and along fields."""

    def __init__(
        self, family: ChainPeriod, scenario: Scenario, fields: Sequence[str], near: Near | None = None
    ) -> None:
        self.family, self.period, self.passes = family, period_of(begun(scenario.gait)), 0
        self.problem, self.knots = family.packed(scenario)
        self.x0, self._asked = family.start(scenario), b""
        self.mass, self.limit, self.steps = family.model.chain.total_mass, family.limit, family.steps
        planar, split = family.model.chain.base == "planar", family.model._split
        self.split, self.torques, self.bends = split, True, bool((family.rows < split).any())
        off = [split + c for c in (2, 3, 4)]
        inner = np.array([row for row in family.rows if row not in off], dtype=np.int64)
        self.rows = inner
        known = near is not None and len(near.unknowns) == len(inner)
        self.begin = near.unknowns if near is not None and known else self.from_rest(2)
        if known and not planar:
            self.plain(self.begin)
        self.in_plane = planar or family.keeps_plane(self.x)
        if not self.in_plane:
            self.rows = family.rows
            known = near is not None and len(near.unknowns) == len(self.rows)
            self.begin = near.unknowns if near is not None and known else self.from_rest(2)
        self.begin_slope = near.map_slope if near is not None and known else None
        self.unknowns, self.fields = len(self.rows), list(fields)
        self.period_slope = np.zeros(len(self.fields))
        slopes = family.gait_slopes(scenario, self.fields, self.problem.drive) or [
            self._slope_of(vary(scenario, path)) for path in self.fields
        ]
        problem = self.problem
        for number, (_, knots) in enumerate(slopes):
            self.period_slope[number] = knots[-1]
        count = self.unknowns + len(self.fields)
        self.parts = [
            self._part(problem, slopes, first, min(first + TANGENTS, count)) for first in range(0, count, TANGENTS)
        ]

    def state_of(self, v: Array) -> Array:
        """The flat state of some unknowns."""
        x = self.x0.copy()
        x[self.rows] = v
        return x

    def plain(self, v: Array) -> Array:
        """What the unknowns v are after a period, without derivatives: a fifth of the price."""
        start = self.state_of(v)
        if self._asked != (asked := start.tobytes()):
            self._asked, self.x = asked, start
            with np.errstate(all="ignore"):
                runge_kutta.advance(self.problem, self.knots, self.family.record, self.x)
            self.passes += 1
        return self.x[self.rows].copy()

    def from_rest(self, periods: int) -> Array:
        """The unknowns after some periods from rest."""
        v = self.x0[self.rows]
        for _ in range(periods):
            v = self.plain(v)
        return v

    def _slope_of(self, variation: Variation) -> tuple[Any, Array]:
        """What changes along a field: the drive alone where it is one of the gait."""
        gait = variation.path.startswith("gait.")
        return derivative(variation, self.family.driven if gait else self.family.packed)

    def _part(
        self, problem: ChainProblem, slopes: Sequence[tuple[Any, Array]], first: int, last: int
    ) -> tuple[range, Any, Array]:
        """A problem of duals for some of the directions."""
        knots = dual_array(self.knots)
        if all(isinstance(slope, ChainDrive) for slope, _ in slopes):
            duals = self.family.wide_problem(first, problem)
        else:
            duals = to_duals(problem)
        for direction, number in enumerate(range(first, last)):
            if number >= self.unknowns:
                slope, times = slopes[number - self.unknowns]
                seed_tangent(duals.drive if isinstance(slope, ChainDrive) else duals, direction, slope)
                tangents(knots)[:, direction] = times
        return range(first, last), duals, knots

    def __call__(self, v: Array, whole: bool = True) -> Period:
        """A period from the unknowns v; `whole`: with the slopes along fields, else only those that Newton needs."""
        family, size, total = self.family, len(self.x0), self.unknowns + len(self.fields)
        x_slope, found = np.zeros((size, total)), None
        sums_slope = ObjectiveTotals(
            **{name: np.zeros((family.model.chain.freedoms, total)) for name in ObjectiveTotals._fields}
        )
        for directions, duals, knots in self.parts:
            if not whole and directions[0] >= self.unknowns:
                continue
            x = dual_array(self.x0)
            x[self.rows, 0] = v
            for direction, number in enumerate(directions):
                if number < self.unknowns:
                    tangents(x)[self.rows[number], direction] = 1.0
            score = duals.memory.tally
            clear_objective_totals(score)
            with np.errstate(all="ignore"):
                runge_kutta.advance_duals(duals, knots, family.record, x)
            self.passes += 1
            x_slope[:, list(directions)] = tangents(x)[:, : len(directions)]
            for part, slope in zip(score, sums_slope, strict=True):
                slope[:, list(directions)] = tangents(part)[:, : len(directions)]
            if found is None:
                found = values(x).copy(), map_arrays(lambda part: values(part).copy(), score)
        assert found is not None
        return Period(found[0], x_slope, found[1], sums_slope)
