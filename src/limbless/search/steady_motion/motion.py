"""`SteadyMotion`: the numbers of a motion that repeats with its gait, and their slopes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array
from limbless.mechanics.integrate.running_totals import UNLIMITED, ObjectiveTotals
from limbless.models.base import State
from limbless.scenarios.scenario import Scenario
from limbless.search.steady_motion.period_map import Period, PeriodMap, period_of, periods_from
from limbless.search.steady_motion.period_screw import path_of, path_slope
from limbless.search.studies.sensitivity import MEAN_OF_SIN16, torque_norm
from limbless.search.studies.variations import mass_slope
from limbless.simulation.analysis.energy_use import STANDARD_GRAVITY
from limbless.simulation.simulate import run_scenario

if TYPE_CHECKING:
    from limbless.simulation.result import Result

STEPS = 100
"""Steps of a period: the speed of an eel is then right to 2e-7 (50: 2e-6)."""


@dataclass
class SteadyMotion:
    """A motion that repeats with its gait.

    All numbers are in SI units. Numbers that this motion does not have are None.

    Attributes
    ----------
    speed : speed along the path of the base, m/s. The mean motion is a screw: a line, a circle or a helix.
    turn_rate : net rotation of a period divided by the period, rad/s; in a plane positive to the left.
    positive_work : work of all actuators in a period, J. `power` is this work divided by the period, and
        `cost_of_transport` divided by weight and distance.
    peak_torque : largest torque of any joint at a step, N m.
    torque_ratios : for each joint with a `torque_limit`, its torque divided by the limit. The torque is a norm of order
        16 over time, scaled so that a sinusoid has its amplitude. `torque_ratio` is the largest.
    multipliers : Floquet multipliers, by which a small disturbance of the twist grows in a period.
    stable : whether all multipliers are below 1 in size. Newton's method also finds unstable motions; a run never does.
    slopes : number -> {path: derivative}; for `torque_ratios`, path -> an array.
    spread : with contact, the largest difference between the speeds of the last three periods, divided by their mean
        (`speed`); 0 if the motion repeats itself.
    residual : remainder of P(v) - v; with contact, the last relative change of the distance per period.
    twist, joints : twist of the base, and the positions and rates of joints or strains that the gait does not give, at
        the beginning of a period.
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
    rows: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    kept: Any = None
    # of a cycle whose period was unknown: where it begins, controller and all
    begin: State | None = None
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
        if self.begin is not None:
            from limbless.simulation.result import Result

            step = self.period / self.steps
            lasting = {"duration": periods * self.period, "step": step, "record_every": step}
            before = Result(None, state=self.begin)  # type: ignore[arg-type]  # its state alone is looked at
            return run_scenario(self.scenario.model_copy(update=lasting), after=before)
        if self.kept is not None:
            return self.kept  # type: ignore[no-any-return]
        start: dict[str, Any] = {"posture": None}
        if self.joints is not None:
            start |= {"joint_position": tuple(self.joints[0]), "joint_velocity": tuple(self.joints[1])}
        return run_scenario(periods_from(self.scenario, self.twist, self.steps, periods, **start))

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


def measured_motion(
    scenario: Scenario,
    pose: Array,
    in_plane: bool,
    sums: ObjectiveTotals,
    limit: Array,
    mass: float,
    *,
    torques: bool = True,
    multipliers: Any = None,
    period: float | None = None,
    **rest: Any,
) -> SteadyMotion:
    """The numbers of a period that changes the pose by `pose` and sums this."""
    T, limited = period or period_of(scenario.gait), limit < UNLIMITED
    way, turn = map(float, path_of(pose, in_plane))
    work = float(sums.positive.sum()) if len(sums.positive) else None
    ratios = torque_norm(sums.strain, T)[0][limited]
    return SteadyMotion(
        scenario=scenario,
        period=T,
        speed=way / T,
        turn_rate=turn / T,
        displacement=pose[:3].copy(),
        positive_work=work,
        cost_of_transport=work / (mass * STANDARD_GRAVITY * way) if work is not None and mass * way > 0.0 else None,
        peak_torque=float(sums.peak.max(initial=0.0)) if torques else None,
        torque_ratio=float(ratios.max()) if len(ratios) else None,
        torque_ratios=ratios,
        multipliers=multipliers,
        **rest,
    )


def steady_motion(scenario: Scenario, period_map: PeriodMap, v: Array, period: Period, residual: float) -> SteadyMotion:
    """All numbers of a steady motion, and their slopes by the implicit function theorem: v = P(v, p)."""
    m, rows, split = period_map.unknowns, period_map.rows, period_map.split
    J = period.x_slope[rows, :m]
    follow: Array = np.asarray(np.linalg.solve(np.eye(m) - J, period.x_slope[rows, m:]), dtype=np.float64)  # dv/dp
    start = period_map.state_of(v)
    motion = measured_motion(
        scenario,
        period.x[:7],
        period_map.in_plane,
        period.sums,
        period_map.limit,
        period_map.mass,
        torques=period_map.torques,
        multipliers=np.linalg.eigvals(J),
        twist=start[split : split + 6].copy(),
        residual=residual,
        passes=period_map.passes,
        method=f"Newton's method, {period_map.derivatives}",
        unknowns=v,
        unknown_slopes=follow,
        map_slope=J,
        rows=rows,
        steps=period_map.steps,
    )
    if period_map.bends:
        motion.joints = start[7:split].copy(), start[split + 6 : 2 * split - 1].copy()
    if period_map.fields:
        motion.slopes = motion_slopes(motion, period_map, period, follow)
    return motion


def motion_slopes(motion: SteadyMotion, period_map: Any, period: Period, follow: Array) -> dict[str, Any]:
    """Number -> {field: slope} of a period that stays steady along each field, as its unknowns `follow` the fields."""
    x_slope, *rest = (
        slope[:, len(follow) :] + slope[:, : len(follow)] @ follow for slope in (period.x_slope, *period.sums_slope)
    )
    sums_slope = ObjectiveTotals(*rest)
    T, dT, fields, limited = motion.period, period_map.period_slope, period_map.fields, period_map.limit < UNLIMITED
    dway, dturn = path_slope(period.x[:7], period_map.in_plane) @ x_slope[:7]
    mean = period.sums.strain[limited] / (T * MEAN_OF_SIN16)
    _, rise = torque_norm(period.sums.strain[limited], T)
    dratios = rise[:, None] * (sums_slope.strain[limited] / (T * MEAN_OF_SIN16) - mean[:, None] * dT / T)
    slopes: dict[str, Array] = {
        "speed": (dway - motion.speed * dT) / T,
        "turn_rate": (dturn - motion.turn_rate * dT) / T,
    }
    work, cost = motion.positive_work, motion.cost_of_transport
    if work is not None:
        dwork = sums_slope.positive.sum(axis=0)
        slopes |= {"positive_work": dwork, "power": (dwork - work / T * dT) / T}
        if cost is not None:
            dmass = np.array([mass_slope(motion.scenario, path) for path in fields])
            slopes["cost_of_transport"] = cost * (dwork / work - dway / (motion.speed * T) - dmass / period_map.mass)
    if len(mean):
        slopes["torque_ratio"] = dratios[int(np.argmax(motion.torque_ratios))]
    found: dict[str, Any] = {name: dict(zip(fields, map(float, slope), strict=True)) for name, slope in slopes.items()}
    found["torque_ratios"] = {path: dratios[:, number] for number, path in enumerate(fields)}
    return found
