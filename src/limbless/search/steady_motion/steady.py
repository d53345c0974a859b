"""`steady`: the motion that a gait settles into, without waiting for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.core.errors import InputError, SimulationError
from limbless.core.functions.callables import refuse_named
from limbless.mechanics.compiled.batching import map_arrays
from limbless.mechanics.integrate.running_totals import UNLIMITED
from limbless.scenarios.scenario import Scenario
from limbless.search.steady_motion.homogeneity import kinks_of, refuse_medium
from limbless.search.steady_motion.period_map import ChainPeriod, DualPeriod, Near, Period, begun, period_of
from limbless.search.steady_motion.period_screw import path_of, path_slope
from limbless.search.steady_motion.soft_period import SoftPeriod
from limbless.search.studies.sensitivity import MEAN_OF_SIN16, torque_norm
from limbless.search.studies.variations import mass_slope
from limbless.simulation.analysis.energy_use import STANDARD_GRAVITY
from limbless.simulation.simulate import run_scenario

if TYPE_CHECKING:
    from limbless.simulation.result import Result

Array = NDArray[np.float64]
STEPS = 100
"""Steps of a period: the speed of an eel is then right to 2e-7 (50: 2e-6)."""
TOLERANCE = 1e-9
"""m/s and rad/s: what may be left of P(v) - v."""
MOST = 30
"""Passes of Newton's method."""
CHEAP = 8
"""Periods without derivatives between two of them."""
CLOSE = 0.5
"""Of the tolerance: how near they come, so that the pass that follows finds nothing left to do."""
NUMBERS = ("speed", "turn_rate", "positive_work", "power", "cost_of_transport", "torque_ratio")
"""The numbers that have slopes."""


@dataclass
class SteadyMotion:
    """A motion that repeats with its gait. SI units; numbers that this motion does not have are None.

    Attributes
    ----------
    speed : along the path of the base (its mean motion is a screw: a line, a circle or a helix), m/s.
    turn_rate : net turn of a period over the period, rad/s; in a plane positive to the left.
    positive_work : of all actuators in a period, J; `power` is that over the period, `cost_of_transport` that over
        weight and way.
    peak_torque : largest torque of any joint at a step, N m.
    torque_ratios : of each joint with a `torque_limit`, its torque (a norm of order 16 over time, scaled so that a
        sinusoid has its amplitude) over the limit; `torque_ratio` is the largest.
    multipliers : Floquet multipliers, by which a small disturbance of the twist grows in a period.
    stable : whether all of them are below 1 in size. Newton's method also finds motions that are not: no run would.
    slopes : number -> {path: derivative}; of `torque_ratios`, path -> an array.
    spread : among contacts, the largest difference of the speeds of the last three periods, over their mean, which
        `speed` is; 0 where the motion repeats itself.
    residual : what is left of P(v) - v (contact: the last change of a period's way, as a share of it).
    twist, joints : of the base, and the positions and rates of joints or strains that the gait does not give, where a
        period begins.
    """

    scenario: Scenario
    period: float
    speed: float
    turn_rate: float
    displacement: Array
    positive_work: float | None
    cost_of_transport: float | None
    peak_torque: float | None
    torque_ratio: float | None
    torque_ratios: Array
    multipliers: Any
    twist: Array
    residual: float
    passes: int
    method: str
    slopes: dict[str, Any] = field(default_factory=dict)
    unknowns: Array = field(default_factory=lambda: np.zeros(0))
    unknown_slopes: Array = field(default_factory=lambda: np.zeros((0, 0)))
    map_slope: Array = field(default_factory=lambda: np.zeros((0, 0)))
    kept: Any = None
    steps: int = STEPS
    spread: float = 0.0
    joints: tuple[Array, Array] | None = None

    @property
    def power(self) -> float | None:
        return None if self.positive_work is None else self.positive_work / self.period

    @property
    def largest_multiplier(self) -> float | None:
        return None if self.multipliers is None else float(np.abs(self.multipliers).max(initial=0.0))

    @property
    def stable(self) -> bool | None:
        largest = self.largest_multiplier
        return None if largest is None else largest < 1.0

    def result(self, periods: int = 1) -> Result:
        """An ordinary run of whole periods in steady motion, with its balances."""
        if self.kept is not None:
            return self.kept
        return run_scenario(steady_scenario(self, periods))

    def __repr__(self) -> str:
        told = {None: "", True: ", stable", False: ", UNSTABLE: no run would find it"}[self.stable]
        sizes: Any = () if self.multipliers is None else np.sort(np.abs(self.multipliers))[::-1][:6].round(4)
        size = f", multipliers {sizes}" if len(sizes) else ""
        told += f", spread {self.spread:.1e}" if self.spread else ""
        cost = "" if self.cost_of_transport is None else f", cost of transport {self.cost_of_transport:.5g}"
        return (
            f"SteadyMotion of {self.scenario.name}: {self.speed:.6g} m/s{cost}{told}{size} ({self.method}, "
            f"{self.passes} periods, residual {self.residual:.1e})"
        )


def steady(
    source: str | Path | Mapping[str, Any] | Scenario,
    changes: Mapping[str, Any] | None = None,
    *,
    slopes: Sequence[str] = (),
    steps: int | None = None,
    allow_code: bool = False,
) -> SteadyMotion:
    """The motion that a gait settles into.

    Swimming chains and soft bodies: Newton's method on the map of one period, with exact derivatives. Rods, and chains
    that have none: the same by differences. Contact, set-valued friction and whatever else has kinks: periods are run
    until they repeat.

    Parameters
    ----------
    source, changes : the scenario, as for `run`. Its duration, its start and its ramp do not matter.
    slopes : fields of gait, robot or environment, such as `["gait.amplitude", "robot.half_width"]`: the numbers of the
        motion get derivatives along them.
    steps : steps of a period (default 100); more where friction that fades at a low speed asks for them (`steps` of the
        motion says how many); contact keeps the scenario's own step.

    Raises
    ------
    InputError : where pose matters (currents, surfaces, gravity, obstacles, time windows), or where there is no period.
    SimulationError : no steady motion was found.
    """
    scenario = Scenario.load(source, changes, allow_code=allow_code)
    refuse_named(scenario)
    return Families(STEPS if steps is None else steps).steady(scenario, slopes)


class Families:
    """Steady motions of many scenarios: what those that differ in their gait share is made once."""

    def __init__(self, steps: int = STEPS, tolerance: float = TOLERANCE) -> None:
        if not isinstance(steps, int) or steps < 8:
            raise InputError(f"steps: a period needs at least 8 steps; got {steps!r}")
        self.steps, self.tolerance = steps, tolerance
        self._family: ChainPeriod | None = None
        self._last: tuple[Scenario, str] | None = None
        self._lanes: Any = None

    def steady(self, scenario: Scenario, slopes: Sequence[str] = (), near: Near | None = None) -> SteadyMotion:
        """See `steady`; `near` is what is known of a neighbour."""
        from limbless.search.steady_motion import run_until_periodic

        slopes = _checked(scenario, slopes)
        way = self._way(scenario)
        if way == "settled":
            if slopes:
                raise InputError(
                    f"slopes: this motion of model {scenario.model.kind!r} has {kinks_of(scenario)}, and "
                    "so no slopes; `limbless.optimise` uses CMA-ES for it"
                )
            return run_until_periodic.settle(scenario)
        if way == "differences":
            return run_until_periodic.by_differences(scenario, slopes, self.steps)
        return self._by_duals(scenario, slopes, near)

    def _way(self, scenario: Scenario) -> str:
        if self._last is None or not same_but_gait(self._last[0], scenario) or not scenario.gait.cycle:
            self._last = scenario, refuse_medium(scenario)
        return self._last[1]

    def family(self, scenario: Scenario) -> ChainPeriod:
        """What scenarios with this robot, environment and actuation share."""
        if self._family is None or not same_but_gait(self._family.scenario, scenario):
            self._family = ChainPeriod(scenario, self.steps)
        least = self._family.least_steps(scenario)
        if least > self._family.steps:
            self._family = ChainPeriod(scenario, least)
        return self._family

    def side_by_side(self, scenarios: Sequence[Scenario]) -> list[SteadyMotion | None]:
        """Up to eight at a time, without slopes and multipliers; None for those that have to be found alone."""
        from limbless.search.steady_motion.steady_lanes import LanePeriods

        first = scenarios[0]
        alike = [same_but_gait(first, scenario) and type(scenario.gait) is type(first.gait) for scenario in scenarios]
        chains = first.model.kind == "newton-euler" and all(alike) and self._way(first) == "duals"
        slowest = max(scenarios, key=lambda scenario: scenario.gait.cycle or 0.0)
        if not chains or not LanePeriods.takes(self.family(slowest)):
            return [None] * len(scenarios)
        family = self.family(slowest)
        if self._lanes is None or self._lanes.family is not family:
            self._lanes = LanePeriods(family, self.tolerance)
        return self._lanes.solve(scenarios)

    def _by_duals(self, scenario: Scenario, slopes: Sequence[str], near: Near | None) -> SteadyMotion:
        dual: DualPeriod | SoftPeriod
        if scenario.model.kind == "soft":
            dual = SoftPeriod(scenario, slopes, near, self.steps, self.tolerance)
        else:
            dual = DualPeriod(self.family(scenario), scenario, slopes, near)
        v, period, residual = _newton(dual, self.tolerance)
        return _motion(scenario, dual, v, period, residual)


def same_but_gait(one: Scenario, other: Scenario) -> bool:
    """Whether two scenarios differ in their gait at most, as far as steady motion goes."""
    return all(
        getattr(one, name) == getattr(other, name) for name in ("robot", "actuation", "environment", "model", "task")
    )


def _checked(scenario: Scenario, slopes: Sequence[str]) -> list[str]:
    """Fields that steady motion depends on."""
    if isinstance(slopes, str):
        raise InputError(f"slopes: give a list of paths, such as [{slopes!r}]")
    unused = [f"gait.{name}" for name in scenario.gait.start_fields]
    for path in slopes:
        if path in unused:
            raise InputError(f"{path}: does nothing in steady motion, which has no beginning; leave it out")
        if path.partition(".")[0] not in ("gait", "robot", "environment", "actuation"):
            raise InputError(
                f"{path}: steady motion depends on fields of gait, robot, environment and actuation, "
                "named like 'gait.amplitude'"
            )
    return list(slopes)


def _newton(dual: DualPeriod | SoftPeriod, tolerance: float) -> tuple[Array, Period, float]:
    """Newton's method on P(v) - v, from a neighbour's unknowns or from rest after two periods; between two of its
    passes, periods without derivatives come as near as the last derivative leads.
    """
    v, slope, before, residual = dual.begin, dual.begin_slope, np.inf, np.inf
    for number in range(MOST):
        if slope is not None:
            v = _approached(dual, v, slope, tolerance)
        period = dual(v)
        left = period.x[dual.rows] - v
        residual = float(np.abs(left).max()) if np.isfinite(left).all() else np.inf
        if residual <= tolerance:
            return (v, period, residual) if tolerance <= TOLERANCE else (*_closed(dual, v, period, left), residual)
        if (residual > 10.0 * before and number > 2) or not np.isfinite(residual):
            if not np.isfinite(residual) and number > MOST // 2:
                break
            v, slope, before = dual.from_rest(6), None, np.inf  # it went astray: let the motion itself lead
            continue
        slope, before = period.x_slope[dual.rows, : dual.unknowns], residual
        v = v + _newton_step(slope, left)
    raise SimulationError(
        f"no steady motion was found after {MOST} periods: a residual of {residual:.1e} m/s or rad/s "
        "remains; the gait may be too strong for its steps (try more `steps`), or its motion does "
        "not repeat"
    )


def _newton_step(slope: Array, left: Array) -> Array:
    try:
        return np.asarray(np.linalg.solve(np.eye(len(left)) - slope, left))
    except np.linalg.LinAlgError:
        return left


def _approached(dual: DualPeriod | SoftPeriod, v: Array, slope: Array, tolerance: float) -> Array:
    """Broyden's method by periods without derivatives, from a derivative nearby, for as long as each leaves less than
    half of what the one before left.
    """
    slope, best, least, step = slope.copy(), v, np.inf, np.zeros(0)
    left = dual.plain(v) - v
    for _ in range(CHEAP):
        residual = float(np.abs(left).max()) if np.isfinite(left).all() else np.inf
        if residual < least:
            best = v
        if residual <= CLOSE * tolerance or not residual <= 0.5 * least:
            break
        least, step = residual, _newton_step(slope, left)
        v = v + step
        before, left = left, dual.plain(v) - v
        miss = (left - before) - (slope - np.eye(len(v))) @ step
        slope += np.outer(miss, step) / max(float(step @ step), 1e-300)
    return best


def _closed(dual: DualPeriod | SoftPeriod, v: Array, period: Period, left: Array) -> tuple[Array, Period]:
    """The last step of Newton's method without a pass: what is nearly steady, carried on by its own derivatives."""
    m = dual.unknowns
    step = np.linalg.solve(np.eye(m) - period.x_slope[dual.rows, :m], left)
    sums = map_arrays(lambda part, slope: part + slope[:, :m] @ step, period.sums, period.sums_slope)
    return v + step, period._replace(x=period.x + period.x_slope[:, :m] @ step, sums=sums)


def _motion(
    scenario: Scenario, dual: DualPeriod | SoftPeriod, v: Array, period: Period, residual: float
) -> SteadyMotion:
    """All numbers of a steady motion, and their slopes by the implicit function theorem: v = P(v, p)."""
    m, rows, T = dual.unknowns, dual.rows, dual.period
    J = period.x_slope[rows, :m]
    follow: Array = np.asarray(np.linalg.solve(np.eye(m) - J, period.x_slope[rows, m:]), dtype=np.float64)  # dv/dp

    def whole(slope: Array) -> Array:
        return slope[:, m:] + slope[:, :m] @ follow

    count, start = len(dual.fields), dual.state_of(v)
    dT, dx = dual.period_slope, whole(period.x_slope)
    way, turn = path_of(period.x[:7], dual.in_plane)
    dway, dturn = path_slope(period.x[:7], dual.in_plane) @ dx[:7]
    work, dwork = float(period.sums.positive.sum()), whole(period.sums_slope.positive).sum(axis=0)
    weight = dual.mass * STANDARD_GRAVITY
    ratios, dratios = _ratios(period, whole(period.sums_slope.strain), T, dT)
    limited = dual.limit < UNLIMITED
    speed, cost = way / T, work / (weight * way) if way > 0.0 else None
    motion = SteadyMotion(
        scenario,
        T,
        speed,
        turn / T,
        period.x[:3].copy(),
        work,
        cost,
        float(period.sums.peak.max(initial=0.0)) if dual.torques else None,
        float(ratios[limited].max()) if limited.any() else None,
        ratios[limited],
        np.linalg.eigvals(J),
        start[dual.split : dual.split + 6].copy(),
        residual,
        dual.passes,
        "Newton's method, exact derivatives",
        unknowns=v,
        unknown_slopes=follow,
        map_slope=J,
        steps=dual.steps,
    )
    if dual.bends:
        n = dual.split - 7
        motion.joints = start[7 : dual.split].copy(), start[dual.split + 6 : dual.split + 6 + n].copy()
    if count:
        dmass = np.array([mass_slope(scenario, path) for path in dual.fields]) if count else np.zeros(0)
        dcost = None if cost is None else cost * (dwork / work - dway / way - dmass / dual.mass)
        largest = int(np.argmax(np.where(limited, ratios, -1.0))) if limited.any() else 0
        numbers = {
            "speed": (dway - speed * dT) / T,
            "turn_rate": (dturn - turn / T * dT) / T,
            "positive_work": dwork,
            "power": (dwork - work / T * dT) / T,
            "cost_of_transport": dcost,
            "torque_ratio": dratios[largest] if limited.any() else None,
        }
        motion.slopes = {
            name: dict(zip(dual.fields, map(float, slope), strict=True))
            for name, slope in numbers.items()
            if slope is not None
        }
        motion.slopes["torque_ratios"] = {path: dratios[limited, i] for i, path in enumerate(dual.fields)}
    return motion


def _ratios(period: Period, slope: Array, T: float, dT: Array) -> tuple[Array, Array]:
    """Norms of order 16 of τ / limit over the period, and their slopes."""
    ratio, rise = torque_norm(period.sums.strain, T)
    mean = period.sums.strain / (T * MEAN_OF_SIN16)
    return ratio, rise[:, None] * (slope / (T * MEAN_OF_SIN16) - mean[:, None] * dT / T)


def steady_scenario(motion: SteadyMotion, periods: int = 1) -> Scenario:
    """The scenario of an ordinary run that begins in steady motion."""
    scenario, gait = motion.scenario, begun(motion.scenario.gait)
    step = period_of(gait) / motion.steps
    fields: dict[str, Any] = {
        "position": (0.0,) * 3,
        "orientation": (1.0, 0.0, 0.0, 0.0),
        "result": None,
        "twist": tuple(motion.twist),
        "posture": None,
    }
    if motion.joints is not None:
        fields |= {"joint_position": tuple(motion.joints[0]), "joint_velocity": tuple(motion.joints[1])}
    initial = scenario.initial.changed(**fields)
    return scenario.model_copy(
        update={
            "gait": gait,
            "initial": initial,
            "duration": periods * motion.period,
            "step": step,
            "record_every": step,
        }
    )


def is_smooth(scenario: Scenario) -> bool:
    """Whether the steady motion of a scenario has exact slopes."""
    try:
        way = refuse_medium(scenario)
    except InputError:
        return False
    return way == "duals"
