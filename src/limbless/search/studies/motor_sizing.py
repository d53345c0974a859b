"""Is a motor strong enough? Torques that last, in place of the peak of one step, with error bars from shorter steps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import InputError, in_unit
from limbless.scenarios.scenario import Scenario
from limbless.search.studies.error_bars import (
    MORE_STEPS,
    Watch,
    distance_from_limit,
    each_number,
    richardson,
    watched,
    watching,
    with_steps,
)
from limbless.simulation.analysis import motor_load
from limbless.simulation.result import Result
from limbless.simulation.simulate import run_scenario

if TYPE_CHECKING:
    import xarray as xr

BESIDE_HOPS = (*MORE_STEPS, 4.0, 8.0)
"""Among contacts the start-up may hop, at short steps alone: where it is counted, it is repeated with these too."""
SLICE = 2000
"""Steps that are recorded at a time: of what is recorded, torques and speeds alone are kept."""
_KEPT = ("joint_torque", "joint_velocity")


@dataclass
class MotorSizing:
    """What the motors of each axis (yaw, pitch, ..) have to give.

    Attributes
    ----------
    after : s, the start-up that is left out.
    axes : label -> numbers over all joints of that axis: `peak`, `lasting` (for 10 ms without a break), `p99`, `rms`,
        N m; `at_limit`, share of time; `speed`, rad/s, and `curve`, the largest speeds while the motor drives with at
        least 0, 25, 50, 75 and 90 % of `lasting`.
    errors : the same numbers' numerical errors, from runs with shorter steps; empty where none were made.
    limits : label -> the smallest `torque_limit` of its joints, N m; infinite where there is none.
    proven : whether the run is.
    start_up : s, what the gait needs to begin: its ramp and a period.
    """

    after: float
    axes: dict[str, dict[str, Any]]
    errors: dict[str, dict[str, Any]]
    limits: dict[str, float]
    proven: bool
    start_up: float = 0.0

    def told(self) -> list[str]:
        """A sentence for each axis, and one where a start-up is counted that may hop."""
        found = []
        for label, load in self.axes.items():
            limit, error = self.limits[label], self.errors.get(label, {}).get("lasting", 0.0)
            need = f"{label}: {load['lasting']:.3g} N m last 10 ms or longer"
            if not np.isfinite(limit):
                found.append(f"{need}; no `torque_limit` is given to compare it with")
            elif load["at_limit"] > 0.0:
                found.append(
                    f"{need}; the motors are at their limit of {limit:.3g} N m in {load['at_limit']:.1%} of the time"
                )
            else:
                fits = "enough" if load["lasting"] + error <= limit else "NOT enough"
                found.append(f"{need}, {load['lasting'] / limit:.0%} of the limit of {limit:.3g} N m: {fits}")
        if self.errors and self.after < self.start_up:
            found.append(
                f"the first {self.start_up:g} s are the start-up: among contacts it may hop, at some steps and not at "
                f"others; the error bars hold all steps down to 1/{BESIDE_HOPS[-1]:g} of this one. Leave it out "
                "(`after`, and a `duration` well beyond it)"
            )
        return found

    def __repr__(self) -> str:
        return "\n".join([f"MotorSizing, after a start-up of {self.after:g} s", *(f"  {one}" for one in self.told())])


def motor_sizing(
    source: str | Path | Mapping[str, Any] | Scenario,
    changes: Mapping[str, Any] | None = None,
    *,
    after: float | str | None = None,
    errors: bool = True,
    watch: Watch | None = None,
    allow_code: bool = False,
) -> MotorSizing:
    """Run a scenario and find what its motors must give, from every step.

    Parameters
    ----------
    source, changes : the scenario, as for `run`.
    after : length of the start-up that is left out (s); by default the gait's ramp and a period, at most half the run.
    errors : repeat the run with shorter steps for error bars.
    watch : a function that limbless calls before each run with its description.

    Returns
    -------
    MotorSizing : lasting torque, root mean square, speed and their errors, for each axis.
    """
    scenario = Scenario.load(source, changes, allow_code=allow_code)
    if scenario.task is not None:
        raise InputError("a task of statics has no time, and so no motors that move")
    ramp = getattr(scenario.gait, "ramp", None)
    own = motor_load.start_up(scenario.gait.cycle, ramp, scenario.duration)
    start = own if after is None else in_unit(after, "s", "after")
    if not 0.0 <= start < scenario.duration:
        raise InputError(f"after: must be between 0 and the duration of {scenario.duration:g} s; got {start:g} s")
    parts = _recorded(scenario, "the run", watch)
    found: list[dict[str, dict[str, Any]]] = [motor_load.of_series(parts, start)]
    bars: dict[str, dict[str, Any]] = {}
    order = scenario.model.time_order(scenario.environment)
    needed = motor_load.start_up(scenario.gait.cycle, ramp, np.inf) if order <= 1 else 0.0
    if errors:
        repeats = (2.0,) if order > 1 else BESIDE_HOPS if start < needed else MORE_STEPS
        finer = [with_steps(scenario, times) for times in repeats]
        found += [motor_load.of_series(_recorded(one, "shorter steps", watch), start) for one in finer]
        if order > 1:
            bars = richardson(found[0], found[1], order)
        else:
            powers = np.array([1.0, *(one.step / scenario.step for one in finer)]) ** order
            bars = each_number(lambda *values: _error(powers, np.array(values)), *found)
    # of the whole: a slice may exchange too little work to compare with
    proven = watched(with_steps(scenario, 1.0), "its balances", watch).proven
    return MotorSizing(start, found[0], bars, _limits(parts[0]), proven, needed)


def _error(powers: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """Distance of the first value from the limit of all, and at least from each: what hops has no limit."""
    return max(distance_from_limit(powers, values), float(np.abs(values - values[0]).max()))


def _limits(data: xr.Dataset) -> dict[str, float]:
    groups = motor_load.joints_by_axis(data)
    if "joint_limit" not in data:
        return dict.fromkeys(groups, float("inf"))
    return {label: float(data["joint_limit"].values[joints].min()) for label, joints in groups.items()}


def _recorded(scenario: Scenario, label: str, watch: Watch | None) -> list[xr.Dataset]:
    """Torques and speeds at every step of a run, slice by slice, each continued bit for bit."""
    kept: list[xr.Dataset] = []
    before: Result | None = None
    left = round(scenario.duration / scenario.step)
    with watching(watch, label) as progress:
        while left > 0:
            count = min(SLICE, left)
            piece = scenario.model_copy(update={"duration": count * scenario.step, "record_every": scenario.step})
            before = run_scenario(piece, after=before)
            if before.status != "completed":
                raise KeyboardInterrupt
            data = before.dataset
            if any(name not in data for name in _KEPT):
                raise InputError(f"model {scenario.model.kind!r} has no joints with motors for this robot")
            names = [*_KEPT, *(["joint_limit"] if "joint_limit" in data else [])]
            kept.append(data[names].isel(time=slice(1, None)))
            left -= count
            share = 1.0 - left * scenario.step / scenario.duration
            if progress is not None:
                progress(share, share * scenario.duration, 0.0)
    return kept
