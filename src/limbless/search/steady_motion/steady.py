"""`steady`: the motion that a gait settles into, without waiting for it."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array, InputError
from limbless.scenarios.scenario import Scenario
from limbless.search.steady_motion.chain_period_map import ChainFamily, ChainPeriodMap, LanePeriodMap
from limbless.search.steady_motion.fixed_point import TOLERANCE, differenced_inverse, multisecant, newton
from limbless.search.steady_motion.homogeneity import kinks_of, refuse_medium
from limbless.search.steady_motion.motion import STEPS, SteadyMotion, measured_motion, steady_motion
from limbless.search.steady_motion.period_map import (
    PLANE,
    Near,
    PeriodMap,
    RunPeriodMap,
    SoftPeriodMap,
    period_of,
    totals_of,
)
from limbless.search.steady_motion.period_screw import pose_change
from limbless.simulation.simulate import run_scenario

if TYPE_CHECKING:
    from limbless.simulation.result import Result

PLAIN, FIRST = 3, 5
"""Periods from rest before eight gaits are solved side by side, and after which derivatives are taken again."""
COARSE, ROUGH = 20, 1e-4
"""Steps of a period, and m/s or rad/s, of a first solution of eight gaits: the speed of an eel is then right to 1e-4,
and so is the derivative of its map, from which two or three maps with all steps lead to the end.
"""
REPEATS = 1e-3
"""Of a period's way: a change below it is settled."""
PERIODS = 10
"""That are run until they repeat, at most."""
COUNTED = 3
"""Settled periods whose mean is given."""


def steady(
    source: str | Path | Mapping[str, Any] | Scenario,
    changes: Mapping[str, Any] | None = None,
    *,
    slopes: Sequence[str] = (),
    steps: int | None = None,
    allow_code: bool = False,
) -> SteadyMotion:
    """Find the periodic motion that a gait settles into.

    The method depends on the scenario:

    - swimming chains and soft bodies: Newton's method on the map of one period, with exact derivatives;
    - rods, and chains without derivatives: Newton's method with difference quotients;
    - contact, set-valued friction and other motions that are not differentiable: periods are run until they repeat;
    - oscillators, whose rhythm is their own: Newton's method finds their limit cycle and its period.

    Parameters
    ----------
    source, changes : the scenario, as for `run`. Its duration, start and ramp do not matter.
    slopes : fields of gait, robot or environment, such as `["gait.amplitude", "robot.half_width"]`. The motion then has
        derivatives of its numbers with respect to them.
    steps : steps per period (default 100). Regularised friction may need more; `steps` of the motion tells how many
        were taken. Contact keeps the scenario's own step.

    Returns
    -------
    SteadyMotion : speed, cost, torques, stability and derivatives.

    Raises
    ------
    InputError : the medium is not the same everywhere (currents, surfaces, gravity, obstacles, time windows), or the
        gait has no period.
    SimulationError : no steady motion was found.
    """
    scenario = Scenario.load(source, changes, allow_code=allow_code)
    scenario.refuse_incomplete(asked=False)
    return Families(STEPS if steps is None else steps).steady(scenario, slopes)


class Families:
    """Steady motions of many scenarios: what those that differ in their gait share is made once."""

    def __init__(self, steps: int = STEPS, tolerance: float = TOLERANCE) -> None:
        if not isinstance(steps, int) or steps < 8:
            raise InputError(f"steps: a period needs at least 8 steps; got {steps!r}")
        self.steps, self.tolerance = steps, tolerance
        self._family: ChainFamily | None = None
        self._last: tuple[Scenario, str] | None = None
        self._lanes: LanePeriodMap | None = None

    def steady(self, scenario: Scenario, slopes: Sequence[str] = (), near: Near | None = None) -> SteadyMotion:
        """See `steady`; `near` is what is known of a neighbour."""
        slopes, way = _checked(scenario, slopes), self._way(scenario)
        if way == "settled":
            if slopes:
                raise InputError(
                    f"slopes: this motion of model {scenario.model.kind!r} has {kinks_of(scenario)}, and "
                    "so no slopes; `limbless.optimise` uses CMA-ES for it"
                )
            return _settled(scenario)
        if way == "rhythm":
            from limbless.search.steady_motion.own_rhythm import own_rhythm

            return own_rhythm(scenario, slopes, self.steps, self.tolerance)
        period_map: PeriodMap
        if way == "differences":
            period_map = RunPeriodMap(scenario, slopes, near, self.steps)
        elif scenario.model.kind == "soft":
            period_map = SoftPeriodMap(scenario, slopes, near, self.steps)
        else:
            period_map = ChainPeriodMap(self.family(scenario), scenario, slopes, near)
        v, period, residual = newton(period_map, self.tolerance)
        return steady_motion(scenario, period_map, v, period, residual)

    def _way(self, scenario: Scenario) -> str:
        if self._last is None or not same_but_gait(self._last[0], scenario) or not scenario.gait.cycle:
            self._last = scenario, refuse_medium(scenario)
        return self._last[1]

    def family(self, scenario: Scenario) -> ChainFamily:
        """What scenarios with this robot, environment and actuation share."""
        if self._family is None or not same_but_gait(self._family.scenario, scenario):
            self._family = ChainFamily(scenario, self.steps)
        least = self._family.least_steps(scenario)
        if least > self._family.steps:
            self._family = ChainFamily(scenario, least)
        return self._family

    def side_by_side(self, scenarios: Sequence[Scenario]) -> list[SteadyMotion | None]:
        """Up to eight at a time, without slopes and multipliers; None for those that have to be found alone: they do
        not converge here, or leave their plane. What its neighbours do never reaches a lane.
        """
        first = scenarios[0]
        alike = [same_but_gait(first, scenario) and type(scenario.gait) is type(first.gait) for scenario in scenarios]
        chains = first.model.kind == "newton-euler" and all(alike) and self._way(first) == "duals"
        slowest = max(scenarios, key=lambda scenario: scenario.gait.cycle or 0.0)
        if not chains or not (family := self.family(slowest)).prescribed:
            return [None] * len(scenarios)
        if self._lanes is None or self._lanes.family is not family:
            self._lanes = LanePeriodMap(family)
        with np.errstate(all="ignore"):
            return _solved_lanes(self._lanes, scenarios, self.tolerance)


def _solved_lanes(lanes: LanePeriodMap, scenarios: Sequence[Scenario], tolerance: float) -> list[SteadyMotion | None]:
    """The steady motion of each scenario that converges in its lane."""
    family, found = lanes.family, [None] * len(scenarios)  # type: tuple[ChainFamily, list[SteadyMotion | None]]
    lanes.begin(scenarios)
    lanes.sample(min(COARSE, family.steps))
    V = np.zeros((len(lanes.periods), len(PLANE)))
    for _ in range(PLAIN):
        V = lanes(V)
    flat = lanes.in_plane()
    for _ in range(2):  # all but the last digits, at a fraction of the price
        V, inverse = multisecant(lanes, V, ROUGH, differenced_inverse(lanes, V), by_step=True, most=FIRST)
    lanes.sample(family.steps)

    def take(lane: int, v: Array, residual: float) -> None:
        if lane < len(scenarios) and flat[lane]:
            twist = np.zeros(6)
            twist[list(PLANE)] = v
            found[lane] = measured_motion(
                scenarios[lane],
                lanes.x[:7, lane],
                True,
                lanes.sums(lane),
                family.limit,
                family.model.chain.total_mass,
                twist=twist,
                residual=residual,
                passes=0,
                method="multisecants, eight at a time",
                unknowns=v.copy(),
                rows=lanes.rows,
                steps=family.steps,
            )

    multisecant(lanes, V, tolerance, inverse, take, by_step=True)
    return found


def _settled(scenario: Scenario) -> SteadyMotion:
    """Run period after period until they repeat, at most ten, and one more: the mean of the last three, of which the
    largest difference of speeds is the spread. A single period may be a lucky one of stick and slip.
    """
    period = period_of(scenario.gait)
    lasting = scenario.model_copy(update={"duration": period})
    result, before, change, number = None, None, np.inf, 0
    last: deque[Result] = deque(maxlen=COUNTED)
    while number < PERIODS:
        number += 1
        settled = change <= REPEATS
        result = run_scenario(lasting, after=result)
        last.append(result)
        if settled:
            break
        now = pose_change(result)[:3]
        if before is not None:
            change = float(np.linalg.norm(now - before)) / max(float(np.linalg.norm(now)), 1e-12)
        before = now
    motions = []
    for one in last:
        pose, totals = pose_change(one), totals_of(one, period)
        motions.append(
            measured_motion(
                scenario,
                pose,
                bool(np.abs(pose[4:6]).max() < 1e-9),
                totals.sums,
                totals.limit,
                one.mass or 0.0,
                torques=totals.torques,
                twist=one.dataset["base_twist"].values[0],
                residual=change,
                passes=number,
                method="periods run until they repeat",
                kept=one,
            )
        )
    return _mean(motions)


def _mean(motions: Sequence[SteadyMotion]) -> SteadyMotion:
    """The last of some periods, with the mean of its numbers and the largest of its torques."""
    found, speeds = motions[-1], [motion.speed for motion in motions]
    found.spread = float(np.ptp(speeds)) / max(float(np.mean(speeds)), 1e-12)
    found.displacement = np.mean([motion.displacement for motion in motions], axis=0)
    found.torque_ratios = np.max([motion.torque_ratios for motion in motions], axis=0)
    for names, join in (
        (("speed", "turn_rate", "positive_work", "cost_of_transport"), np.mean),
        (("peak_torque", "torque_ratio"), np.max),
    ):
        for name in names:
            parts = [getattr(motion, name) for motion in motions]
            setattr(found, name, None if None in parts else float(join(parts)))
    return found


def same_but_gait(one: Scenario, other: Scenario) -> bool:
    """Whether two scenarios differ in their gait at most, as far as steady motion goes."""
    return all(
        getattr(one, name) == getattr(other, name)
        for name in ("robot", "actuation", "controller", "environment", "model", "task")
    )


def _checked(scenario: Scenario, slopes: Sequence[str]) -> list[str]:
    """Fields that steady motion depends on."""
    if isinstance(slopes, str):
        raise InputError(f"slopes: give a list of paths, such as [{slopes!r}]")
    unused = [f"gait.{name}" for name in scenario.gait.start_fields]
    for path in slopes:
        if path in unused:
            raise InputError(f"{path}: does nothing in steady motion, which has no beginning; leave it out")
        if path.partition(".")[0] not in ("gait", "robot", "environment", "actuation", "controller"):
            raise InputError(
                f"{path}: steady motion depends on fields of gait, robot, environment, actuation and "
                "controller, named like 'gait.amplitude'"
            )
    return list(slopes)


def is_smooth(scenario: Scenario) -> bool:
    """Whether the steady motion of a scenario has exact slopes."""
    try:
        return refuse_medium(scenario) == "duals"
    except InputError:
        return False
