"""One period of a motion as a map of what it begins with, plain and with derivatives: what a steady motion is a fixed
point of.

The pose of the base is left out: where the medium is the same everywhere and in every direction, it does not matter.
Steps are a share of the period, and times carry derivatives too, so that a derivative along the period is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.control.gaits.base import Gait
from limbless.core import Array, InputError, SimulationError
from limbless.mechanics.compiled import TANGENTS, map_arrays, tangents, values
from limbless.mechanics.integrate.running_totals import UNLIMITED, ObjectiveTotals
from limbless.models.base import STAGE_TOLERANCE, State
from limbless.models.chain.chain_derivatives import PackedChange, along_start
from limbless.models.chain.soft.linearisation import MOVES
from limbless.models.chain.soft.soft_derivatives import SoftDerivatives
from limbless.models.chain.soft.soft_model import Soft
from limbless.scenarios.scenario import Scenario
from limbless.search.steady_motion.period_screw import pose_change
from limbless.search.studies.sensitivity import MEAN_OF_SIN16, change_along, models_along
from limbless.search.studies.variations import between, moved_knots, vary
from limbless.simulation.analysis import energy_use
from limbless.simulation.result import Result
from limbless.simulation.simulate import knots_between, run_scenario, stage_times

Rows = NDArray[np.int64]
PLANE = (0, 1, 5)
"""Components of the base twist that a motion in its plane has."""
FLAT = 1e-12
"""m/s or rad/s, for speeds up to 1: a component that stays below it is no part of the motion."""
TIGHT = 1e-10
"""Tolerance of implicit stages, at most: what they leave undone would be taken for motion that does not repeat."""
NUDGE = 1e-6
"""m/s or rad/s: the disturbance over which ordinary runs are differenced,"""
WIDE = 1e-3
"""and of a field, the step to either side."""


class Period(NamedTuple):
    """A period from given unknowns: where it ends, what it sums; and the slopes of all, (.., directions)."""

    x: Array  # flat state at the end
    x_slope: Array
    sums: ObjectiveTotals
    sums_slope: ObjectiveTotals


def joined_period(runs: Sequence[tuple[Array, ObjectiveTotals]], count: int, scale: Array | float = 1.0) -> Period:
    """The period of runs along eight directions each, `count` in all, from the duals of their states and sums."""

    def joined(parts: Sequence[Array]) -> Array:
        return np.concatenate([tangents(part) for part in parts], axis=1)[:, :count]

    x, score = runs[0]
    size = np.broadcast_to(scale, len(x))
    x_slope = size[:, None] * joined([end for end, _ in runs])
    sums_slope = ObjectiveTotals(*map(joined, zip(*(sums for _, sums in runs), strict=True)))
    return Period(size * values(x), x_slope, map_arrays(lambda part: values(part).copy(), score), sums_slope)


class Near(NamedTuple):
    """Steady motion of a neighbour: its unknowns carried on to here, where a state holds them, and the derivative of
    its period map.
    """

    unknowns: Array
    map_slope: Array
    rows: Rows


def begun(gait: Gait) -> Gait:
    """The gait without its beginning."""
    start = {name: 0.0 for name in gait.start_fields if getattr(gait, name) != 0.0}
    return gait.changed(**start) if start else gait


def period_of(gait: Gait) -> float:
    """The period of a gait that has one."""
    if not gait.cycle:
        raise InputError(f"gait {gait.kind!r} has no period: steady motion is what repeats with the gait")
    return float(gait.cycle)


def periods_from(scenario: Scenario, twist: Array, steps: int, periods: int = 1, **start: Any) -> Scenario:
    """An ordinary run of whole periods from the origin, with a twist of the base and what else it may `start` with."""
    gait = begun(scenario.gait)
    origin = {"position": (0.0,) * 3, "orientation": (1.0, 0.0, 0.0, 0.0), "result": None}
    initial = scenario.initial.changed(**origin, twist=tuple(twist), **start)
    step, duration = period_of(gait) / steps, periods * period_of(gait)
    update = {"gait": gait, "initial": initial, "duration": duration, "step": step, "record_every": step}
    return scenario.model_copy(update=update)


class PeriodMap:
    """The period of one scenario as a function of its unknowns, with derivatives along them and along fields.

    Unknowns are the twist of the base and what forces move in joints or strains; what stays exactly 0, as all that
    leaves the plane of a planar motion, is none.
    """

    mass: float
    limit: Array  # of the torque of each joint
    split: int  # where a state holds the twist of the base
    rows: Rows  # where a state holds the unknowns
    begin_slope: Array | None = None  # of the map, where a neighbour's is known
    x0: Array  # a state at rest, at the origin
    scale: Array | float = 1.0  # of a state: unknowns are larger by it
    torques, bends = True, False  # whether joints have torques, and whether some move as forces let them
    derivatives = "exact derivatives"

    def __init__(self, scenario: Scenario, fields: Sequence[str], steps: int) -> None:
        self.period, self.steps, self.fields = period_of(scenario.gait), steps, list(fields)
        self.period_slope = np.zeros(len(self.fields))
        self.passes, self._asked = 0, b""

    def _find_rows(self, rows: Rows, near: Near | None) -> None:
        """Where a state holds the unknowns, out of all rows that may move, and where to begin: at those of a neighbour
        if nothing else moves, or else after two periods from rest.
        """
        twist = rows - self.split
        leaves = (twist >= 2) & (twist <= 4)

        def in_plane() -> bool:
            return not (set(rows[leaves]) & set(self.rows))

        if near is not None and len(near.rows) and set(near.rows) <= set(rows):
            self.rows, others = near.rows, np.setdiff1d(rows, near.rows)
            self.plain(near.unknowns)
            if not self._moves(self.x, others).any():
                self.begin, self.begin_slope, self.in_plane = near.unknowns, near.map_slope, in_plane()
                return
        self.rows = rows
        first = self.plain(self.x0[rows] * self._scale())
        moves = self._moves(self.x, rows)
        second = self.plain(first)
        moves |= self._moves(self.x, rows)
        self.rows, self.begin, self.begin_slope = rows[moves], second[moves], None
        self.in_plane = in_plane()

    def _moves(self, x: Array, rows: Rows) -> NDArray[np.bool_]:
        speeds = np.abs((self.scale * x)[rows])
        return ~(speeds <= FLAT * max(1.0, float(speeds.max(initial=0.0))))

    def _scale(self) -> Array:
        return np.broadcast_to(self.scale, self.x0.shape)[self.rows]

    @property
    def unknowns(self) -> int:
        return len(self.rows)

    def state_of(self, v: Array) -> Array:
        """The flat state of some unknowns."""
        x = self.x0.copy()
        x[self.rows] = v / self._scale()
        return x

    def plain(self, v: Array) -> Array:
        """What the unknowns v are after a period, without derivatives; not finite where the motion is lost."""
        start = self.state_of(v)
        if self._asked != (asked := start.tobytes()):
            self._asked = asked
            with np.errstate(all="ignore"):
                self.x = self._advance(start)
        return self.x[self.rows] * self._scale()

    def from_rest(self, periods: int) -> Array:
        """The unknowns after some periods from rest."""
        v = self.x0[self.rows] * self._scale()
        for _ in range(periods):
            v = self.plain(v)
        return v

    def __call__(self, v: Array) -> Period:
        """A period from the unknowns v, with all slopes: eight directions at a time."""
        count = self.unknowns + len(self.fields)
        with np.errstate(all="ignore"):
            runs = self._advance_duals(self.state_of(v))
        self.passes += len(runs)
        return joined_period(runs, count, self.scale)

    def _advance(self, x: Array) -> Array:
        """The state after a period."""
        raise NotImplementedError

    def _advance_duals(self, x: Array) -> list[tuple[Array, ObjectiveTotals]]:
        """State and sums after a period, as duals; directions are the unknowns, then the fields."""
        raise NotImplementedError


class SoftPeriodMap(PeriodMap):
    """Of a soft body: free strains and their rates are unknowns as far as each moves its cell (m, m/s;
    rad and rad/s of vertebrae).
    """

    bends = True

    def __init__(self, scenario: Scenario, fields: Sequence[str], near: Near | None, steps: int) -> None:
        super().__init__(scenario, fields, steps)
        gait = begun(scenario.gait)
        settings: Any = scenario.model
        if settings.integrator != "rk4":
            settings = settings.changed(tolerance=min(settings.tolerance or STAGE_TOLERANCE, TIGHT))
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
        self.mass, self.limit, self.torques = model.robot.total_mass, np.zeros(0), "joint_torque" in model.schema()
        cells, rates = model.cells(), self.split + 6
        free = np.flatnonzero(cells.given == 0)
        self.scale = np.ones(len(self.x0))
        self.scale[7 + free] = self.scale[rates + free] = cells.scale[free]
        self._find_rows(
            np.array([*(self.split + c for c in MOVES[model.plan.base]), *(7 + free), *(rates + free)]), near
        )
        if not np.isfinite(self.begin).all():
            raise SimulationError(
                "no steady motion was found: the body cannot be followed for two periods from rest; "
                "run the scenario to see why, or give more `steps`"
            )
        along = [self._along(path, number) for number, path in enumerate(self.fields)]
        self.changes = [*map(along_start, np.diag(1.0 / self.scale)[self.rows]), *along]

    def _advance(self, x: Array) -> Array:
        self.passes += 1
        after, _, status = self.model.advance(State(0.0, x), self.knots, self.record, self.drive)
        return np.full(len(x), np.nan) if status.failure else after.x

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

    def _advance_duals(self, x: Array) -> list[tuple[Array, ObjectiveTotals]]:
        runs = [
            SoftDerivatives(self.model, self.scenario.gait, State(0.0, x), self.changes[first : first + TANGENTS])
            for first in range(0, len(self.changes), TANGENTS)
        ]
        for run in runs:
            run.advance(self.knots, stage_times(self.knots), self.record)
        return [(run.x, run.score) for run in runs]


class RunPeriodMap(PeriodMap):
    """Of a model without derivatives, whose joints or strains follow the gait: ordinary runs, and their differences."""

    split, derivatives = 7, "derivatives by differences"

    def __init__(self, scenario: Scenario, fields: Sequence[str], near: Near | None, steps: int) -> None:
        super().__init__(scenario, fields, steps)
        self.scenario, self.x0 = scenario, np.array([0.0, 0.0, 0.0, 1.0, *(0.0,) * 9])
        self.mass = scenario.robot.build().total_mass
        self._find_rows(np.arange(7, 13), near)

    def _run(self, scenario: Scenario, x: Array) -> tuple[Array, Totals]:
        """Where a period of a scenario ends, and what it sums."""
        self.passes += 1
        result = run_scenario(periods_from(scenario, x[7:], self.steps))
        end = np.concatenate([pose_change(result), result.dataset["base_twist"].values[-1]])
        return end, totals_of(result, period_of(scenario.gait))

    def _advance(self, x: Array) -> Array:
        return self._run(self.scenario, x)[0]

    def __call__(self, v: Array) -> Period:
        """Differences of runs to either side of the unknowns, and of scenarios to either side of the fields."""
        start, scenario = self.state_of(v), self.scenario
        x, totals = self._run(scenario, start)
        self.limit, self.torques = totals.limit, totals.torques
        nudges = [NUDGE * unit for unit in np.eye(len(x))[self.rows]]
        sides = [
            [(sign * 0.5 / NUDGE, self._run(scenario, start + sign * nudge)) for sign in (-1.0, 1.0)]
            for nudge in nudges
        ]
        for number, path in enumerate(self.fields):
            around = vary(scenario, path, WIDE)
            self.period_slope[number] = np.dot(around.weights, [period_of(one.gait) for one in around.scenarios])
            runs = [self._run(one, start) for one in around.scenarios]
            sides.append(list(zip(around.weights, runs, strict=True)))

        x_slope, *slopes = (
            np.stack([sum(w * (end, *found.sums)[part] for w, (end, found) in side) for side in sides], axis=1)
            for part in range(1 + len(totals.sums))
        )
        return Period(x, x_slope, totals.sums, ObjectiveTotals(*slopes))


class Totals(NamedTuple):
    """What a run of one period sums, as a search does; the limits of its joints, and whether it has torques."""

    sums: ObjectiveTotals
    limit: Array
    torques: bool


def totals_of(result: Result, period: float) -> Totals:
    """From the records of a run: its torques count by their largest."""
    data = result.dataset
    work, torques = energy_use.positive_work(data), "joint_torque" in data
    peak = np.abs(data["joint_torque"].values).max(axis=0, initial=0.0) if torques else np.zeros(0)
    known = data["joint_limit"].values if torques and "joint_limit" in data else np.full(len(peak), np.inf)
    limit = np.where(np.isfinite(known), known, UNLIMITED)
    strain = period * MEAN_OF_SIN16 * (peak / limit) ** 16
    positive = np.zeros(0) if work is None else np.array([work])
    return Totals(ObjectiveTotals(positive, strain, peak, 1.0 / limit), limit, torques)
