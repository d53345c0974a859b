"""Steady motion where the map of a period has no exact derivatives: rods by differences, contact by running on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core.errors import InputError, SimulationError
from limbless.scenarios.scenario import Scenario
from limbless.search.steady_motion.period_map import PLANE, begun, period_of
from limbless.search.steady_motion.period_screw import path_of
from limbless.search.studies.variations import Variation, vary
from limbless.simulation.analysis import energy_use
from limbless.simulation.result import Result
from limbless.simulation.simulate import run_scenario

Array = NDArray[np.float64]
REPEATS = 1e-3
"""Of a period's way: a change below it is settled."""
PERIODS = 10
COUNTED = 3
"""Settled periods whose mean is given."""
NUDGE = 1e-6
"""m/s or rad/s: the disturbance from which derivatives of the period map are taken."""
TOLERANCE = 1e-9
MOST = 15
WIDE = 1e-3
"""Of a field: steps between whole solutions, each right to 1e-9."""


def settle(scenario: Scenario) -> Any:
    """Run period after period until they repeat, at most ten, and one more: the mean of the last three, of which the
    largest difference of speeds is the spread. A single period may be a lucky one of stick and slip.
    """
    lasting = scenario.model_copy(update={"duration": period_of(scenario.gait)})
    result, before, change, number = None, None, np.inf, 0
    last: deque[Result] = deque(maxlen=COUNTED)
    while number < PERIODS:
        number += 1
        settled = change <= REPEATS
        result = run_scenario(lasting, after=result)
        last.append(result)
        if settled:
            break
        now = way_of(result)
        if before is not None:
            change = float(np.linalg.norm(now - before)) / max(float(np.linalg.norm(now)), 1e-12)
        before = now
    motions = [
        motion_of(scenario, one, change, number, "periods run until they repeat", None, kept=one) for one in last
    ]
    return _mean(motions)


def _mean(motions: Sequence[Any]) -> Any:
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


def way_of(result: Result) -> Array:
    """Displacement over the recorded time in the axes that the base had at its beginning, m."""
    data = result.dataset
    position, first = data["base_position"].values, data["base_orientation"].values[0]
    return turned_back(first, position[-1] - position[0])


def turned_back(quaternion: Array, vector: Array) -> Array:
    """World components in the axes of an orientation."""
    w, u = quaternion[0], quaternion[1:]
    return vector + 2.0 * np.cross(u, np.cross(u, vector)) - 2.0 * w * np.cross(u, vector)


def pose_change(result: Result) -> Array:
    """Position and quaternion at the end, in the axes of the beginning (7,)."""
    turns = result.dataset["base_orientation"].values
    (a, u), (b, v) = ((turn[0], turn[1:]) for turn in (turns[0], turns[-1]))
    return np.concatenate([way_of(result), [a * b + u @ v], a * v - b * u - np.cross(u, v)])


def motion_of(
    scenario: Scenario,
    result: Result,
    residual: float,
    passes: int,
    method: str,
    multipliers: Any,
    kept: Result | None = None,
    twist: Array | None = None,
) -> Any:
    """The numbers of one period that was run."""
    from limbless.search.steady_motion.steady import SteadyMotion

    data, period = result.dataset, period_of(scenario.gait)
    pose = pose_change(result)
    turned = np.abs(pose[4:6]).max() < 1e-9
    way, turn = path_of(pose, bool(turned))
    work = energy_use.positive_work(data)
    if "positive_work" in data:  # counted since the start of the run that this one continues
        counted = data["positive_work"].values
        work = float((counted[-1] - counted[0]).sum())
    cost = (
        None if work is None or not way or not result.mass else work / (result.mass * energy_use.STANDARD_GRAVITY * way)
    )
    torque = np.abs(data["joint_torque"].values).max(axis=0) if "joint_torque" in data else None
    ratios = np.zeros(0)
    if torque is not None and "joint_limit" in data:
        limit = data["joint_limit"].values
        ratios = (torque / limit)[np.isfinite(limit)]
    start = data["base_twist"].values[0] if twist is None else twist
    return SteadyMotion(
        scenario,
        period,
        float(way) / period,
        float(turn) / period,
        pose[:3],
        work,
        cost,
        None if torque is None else float(torque.max(initial=0.0)),
        float(ratios.max()) if len(ratios) else None,
        ratios,
        multipliers,
        start,
        residual,
        passes,
        method,
        kept=kept,
    )


class DifferenceMap:
    """One period as a map of the base twist, by an ordinary run."""

    def __init__(self, scenario: Scenario, steps: int) -> None:
        gait = begun(scenario.gait)
        self.period = period_of(gait)
        step = self.period / steps
        initial = scenario.initial.changed(position=(0.0,) * 3, orientation=(1.0, 0.0, 0.0, 0.0), result=None)
        self.scenario = scenario.model_copy(
            update={"gait": gait, "initial": initial, "duration": self.period, "step": step, "record_every": step}
        )
        self.runs = 0
        self.columns: tuple[int, ...] = tuple(range(6))

    def run(self, v: Array) -> Result:
        twist = np.zeros(6)
        twist[list(self.columns)] = v
        initial = self.scenario.initial.changed(twist=tuple(twist))
        self.runs += 1
        return run_scenario(self.scenario.model_copy(update={"initial": initial}))

    def __call__(self, v: Array) -> tuple[Array, Result]:
        result = self.run(v)
        return result.dataset["base_twist"].values[-1][list(self.columns)], result


def by_differences(scenario: Scenario, slopes: Sequence[str], steps: int) -> Any:
    """Newton's method with derivatives by differences; slopes from whole solutions beside this one."""
    motion = _solve(scenario, steps, None)
    numbers = ("speed", "turn_rate", "positive_work", "power", "cost_of_transport", "torque_ratio")
    for path in slopes:
        beside = _wide(vary(scenario, path), scenario, path)
        found = [_solve(one, steps, motion.unknowns) for one in beside.scenarios]
        for name in numbers:
            parts = [getattr(one, name) for one in found]
            if None not in parts:
                slope = sum(weight * part for weight, part in zip(beside.weights, parts, strict=True))
                motion.slopes.setdefault(name, {})[path] = float(slope)
    return motion


def _wide(variation: Variation, scenario: Scenario, path: str) -> Variation:
    """The same with a longer step: what is differenced has been solved, not packed."""
    from limbless.search.studies.variations import STEP, changed, value_at

    if len(variation.weights) != 2:
        raise InputError(f"{path}: stands at its bound, where rods have no slope to both sides; move it a little")
    here, factor = value_at(scenario, path), WIDE / STEP
    step = WIDE * (abs(here) or 1.0)
    around = tuple(changed(scenario, path, here + side * step) for side in (-1.0, 1.0))
    return Variation(path, around, tuple(weight / factor for weight in variation.weights))


def _solve(scenario: Scenario, steps: int, guess: Array | None) -> Any:
    period_map = DifferenceMap(scenario, steps)
    plain = np.zeros(6)
    after, _ = period_map(plain)
    if np.abs(after[[2, 3, 4]]).max() < 1e-12:
        period_map.columns = PLANE
        after = after[list(PLANE)]
    count = len(period_map.columns)
    v = after if guess is None or len(guess) != count else guess
    J, left, result = _jacobian(period_map, v)
    for _ in range(MOST):
        if np.abs(left).max() <= TOLERANCE:
            break
        step = np.linalg.solve(np.eye(count) - J, left)
        v, change = v + step, np.abs(left).max()
        if np.abs(step).max() > 1e-3:
            J, left, result = _jacobian(period_map, v)
        else:  # near: the derivative hardly changes any more
            after, result = period_map(v)
            left = after - v
            if np.abs(left).max() > 0.3 * change:
                J, left, result = _jacobian(period_map, v)
    else:
        raise SimulationError(
            f"no steady motion was found after {period_map.runs} periods: a residual of "
            f"{np.abs(left).max():.1e} m/s or rad/s remains"
        )
    twist = np.zeros(6)
    twist[list(period_map.columns)] = v
    motion = motion_of(
        scenario,
        result,
        float(np.abs(left).max()),
        period_map.runs,
        "Newton's method by differences",
        np.asarray(np.linalg.eigvals(J)),
        twist=twist,
    )
    motion.unknowns, motion.steps = v, steps
    return motion


def _jacobian(period_map: Callable[[Array], tuple[Array, Result]], v: Array) -> tuple[Array, Array, Result]:
    after, result = period_map(v)
    J = np.zeros((len(v), len(v)))
    for column in range(len(v)):
        shift = np.zeros(len(v))
        shift[column] = NUDGE
        J[:, column] = (period_map(v + shift)[0] - period_map(v - shift)[0]) / (2.0 * NUDGE)
    return J, after - v, result
