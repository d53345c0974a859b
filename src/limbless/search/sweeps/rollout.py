"""`rollout`: a scenario at many points, eight robots at a time where their kernels allow it; no balances, no files."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from limbless.core import Array, InputError, SimulationError, told
from limbless.mechanics.compiled import TANGENTS as LANES
from limbless.mechanics.integrate.running_totals import ObjectiveTotals
from limbless.models import choose, divergence
from limbless.scenarios.scenario import Scenario
from limbless.search.sweeps.lane_drive import Buffers
from limbless.search.sweeps.run_lanes import Lanes, bodies_of, is_timeless, kind_of, knots_of, make_of
from limbless.simulation.result import LABELS
from limbless.simulation.simulate import run_scenario

MODELS = 16
"""Models that are kept: two groups of eight bodies."""


def rollout(
    source: str | Path | Mapping[str, Any] | Scenario,
    over: Mapping[str, Any],
    *,
    changes: Mapping[str, Any] | None = None,
    record_every: float | None = None,
    allow_code: bool = False,
) -> xr.Dataset:
    """Run a scenario at many points and keep only states at a few times.

    Use it for learning, statistics or your own loops. Chains (model `newton-euler`, explicit steps) and soft bodies
    (model `soft`, any steps) run eight at a time, also with different bodies, if they have the same joints or cells and
    kinds of forces. All other runs go one after another, as do runs at the surface of water, with your own law, with
    elastic tendons or with tendon friction.

    Parameters
    ----------
    source, changes : the scenario, as for `run`.
    over : path -> array of values, all of the same length N: run i takes the i-th value of each.
    record_every : time between records (s); by default the scenario's.

    Returns
    -------
    Dataset over `run` and `time` : `base_position`, `base_orientation`, `base_twist`, and the states of the body
    (chain: `joint_position`, `joint_velocity`; soft spine: `bend`; rod: `strain`, `strain_rate`). Over `run` it also
    has `positive_work` (J), `peak_torque` (joint, N m) or `peak_tension` (tendon, N), and `status`. A failed run has
    NaN and its error message. Joints or cells that only other robots have are NaN too.
    """
    base = Scenario.load(source, changes, allow_code=allow_code)
    if record_every is not None:
        base = Scenario.load(base, {"record_every": record_every}, allow_code=allow_code)
    base.refuse_incomplete()
    if base.task is not None:
        raise InputError("statics has no time to roll out; use `sweep`")
    scenarios = [scenario_at(base, point, allow_code) for point in _points(over)]
    _refuse_times(scenarios)
    columns = {path: _column(values) for path, values in over.items()}
    return _dataset(_outcomes(scenarios), _kept_times(scenarios[0]), columns)


def _refuse_times(scenarios: Sequence[Scenario]) -> None:
    """All runs share one axis of time."""
    first = _clock(scenarios[0])
    for number, scenario in enumerate(scenarios):
        if _clock(scenario) != first and not np.array_equal(_kept_times(scenario), _kept_times(scenarios[0])):
            raise InputError(
                f"over: run {number} keeps other times than run 0, and all runs of a rollout share "
                "theirs; give all the same `duration` and a `record_every` that fits their steps, or use "
                "`sweep`"
            )


def _kept_times(scenario: Scenario) -> Array:
    knots, keep = knots_of(scenario)
    return knots[keep]


def _clock(scenario: Scenario) -> tuple[Any, ...]:
    return scenario.duration, scenario.record_every, scenario.step


def _column(values: Any) -> NDArray[Any]:
    """(runs,) what a field takes; lists (a start, a table) as they are."""
    plain = values.tolist() if hasattr(values, "tolist") else list(values)
    if not any(isinstance(value, list | tuple | Mapping) for value in plain):
        return np.asarray(values)
    column = np.empty(len(plain), dtype=object)
    column[:] = plain
    return column


def _points(over: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    if not over:
        raise InputError("over: name at least one field with its values, such as {'gait.amplitude': [0.04, 0.06]}")
    columns = {path: values.tolist() if hasattr(values, "tolist") else list(values) for path, values in over.items()}
    counts = {path: len(values) for path, values in columns.items()}
    if len(set(counts.values())) != 1 or not next(iter(counts.values())):
        told_counts = ", ".join(f"{path}: {count}" for path, count in counts.items())
        raise InputError(f"over: give as many values of every field, at least one; got {told_counts}")
    return (dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True))


def scenario_at(base: Scenario, point: Mapping[str, Any], allow_code: bool) -> Scenario:
    """A scenario at a point; where fields of the gait alone change, the rest is shared."""
    fields = {path.partition(".")[2]: value for path, value in point.items() if path.startswith("gait.")}
    if (
        len(fields) == len(point)
        and set(fields) <= set(type(base.gait).model_fields)
        and set(point)
        and all(isinstance(value, int | float) for value in fields.values())
    ):
        return base.model_copy(update={"gait": base.gait.changed(**fields)})
    loaded = Scenario.load(base, point, allow_code=allow_code)
    shared = {name: getattr(base, name) for name in MADE_FROM} if len(fields) == len(point) else {}
    return loaded.model_copy(update=shared)


MADE_FROM = ("robot", "environment", "actuation", "controller", "model")
"""Parts of a scenario that a model is made from."""


class _Outcome(NamedTuple):
    """What is kept of one run."""

    states: dict[str, Array]
    positive_work: float
    peaks: dict[str, Array]
    status: str


class _Packed(NamedTuple):
    """A model, what it was made for, how such robots go side by side (None: they do not), what must be the same of
    those beside it, the longest step (s), and whether forces are the same at all times.
    """

    scenario: Scenario
    model: Any
    kind: type[Lanes] | None
    make: Any
    longest: float
    timeless: bool


class RolloutScratch:
    """What groups of runs share: models, and memory that is used again and again."""

    def __init__(self) -> None:
        self.buffers: Buffers = {}
        self._packed: deque[_Packed] = deque(maxlen=MODELS)
        self._spare: tuple[Any, Any] = (None, None)

    def packed(self, scenario: Scenario) -> _Packed:
        """The model of a scenario; scenarios that differ in their gait alone share it."""
        for known in self._packed:
            if all(getattr(known.scenario, name) is getattr(scenario, name) for name in MADE_FROM):
                return known
        model: Any = scenario.assemble()
        kind = kind_of(model)
        asks = any(item.slot is not None for item in model.asked)
        if asks or scenario.initial.result is not None or any(item.has_surface for item in scenario.environment):
            # a surface cuts each robot elsewhere
            kind = None
        make, longest, timeless = None, np.inf, False
        if kind is not None:
            limit = model.step_limit(model.initial_state(scenario.initial, scenario.gait))
            longest = np.inf if limit is None else limit.longest
            made = kind.make(model)
            make, timeless = make_of(kind, made), is_timeless(made)
        self._packed.append(_Packed(scenario, model, kind, make, longest, timeless))
        return self._packed[-1]

    def key(self, scenario: Scenario) -> Any:
        """Runs with the same key go side by side; None: alone."""
        packed = self.packed(scenario)
        if packed.kind is None or scenario.driven_by is not None or scenario.step > packed.longest:
            return None
        if packed.model.jumps(scenario.gait, 0.0, scenario.duration):  # a block of steps ends there
            return None
        knots, keep = knots_of(scenario, packed.model)
        pace = packed.kind.pace(packed.model, knots, keep)
        if not packed.timeless or any(item.active for item in scenario.environment):
            pace = knots.tobytes(), keep.tobytes()
        return packed.make, pace, type(scenario.gait)

    def knows(self, scenario: Scenario, wanted: Collection[str]) -> bool:
        """Whether a run side by side with others counts all that is wanted (words of `Measure.wants`): of robots with
        tendons tensions are counted, no torques.
        """
        packed = self.packed(scenario)
        return "torque" not in wanted or packed.kind is None or packed.kind.peak_of(packed.model) == "peak_torque"

    def least(self, scenario: Scenario) -> int:
        """How many runs of one key go side by side; fewer go alone."""
        kind = self.packed(scenario).kind
        return 1 if kind is None else kind.least

    def together(self, scenarios: Sequence[Scenario]) -> RolloutRun:
        """Up to eight runs of one key."""
        packed = [self.packed(scenario) for scenario in scenarios]
        kind: Any = packed[0].kind
        lanes = kind(scenarios, [each.model for each in packed], self.buffers)
        same = lanes.models[0] if all(model is lanes.models[0] for model in lanes.models) else None
        with np.errstate(all="ignore"):
            x, score = lanes.go(self._spare[1] if same is not None and same is self._spare[0] else None)
        if same is not None:
            self._spare = same, lanes.problem
        return RolloutRun(kind, lanes.models, x, score, lanes.ends)

    def side_by_side(self, scenarios: Mapping[int, Scenario]) -> Iterator[tuple[int, RolloutRun, int]]:
        """Run up to eight of one key at a time: the number of each that went well, its group and its lane in it. All
        others are left out, to go alone: what fails there has its own words.
        """
        groups: dict[Any, list[int]] = {}
        for number, scenario in scenarios.items():
            with suppress(InputError, SimulationError):
                groups.setdefault(self.key(scenario), []).append(number)
        groups.pop(None, None)
        parts = [
            numbers[start : start + LANES] for numbers in groups.values() for start in range(0, len(numbers), LANES)
        ]
        for part in parts:
            if len(part) >= self.least(scenarios[part[0]]):
                with suppress(InputError, SimulationError):
                    ran = self.together([scenarios[number] for number in part])
                    yield from ((number, ran, lane) for lane, number in enumerate(part) if ran.is_sound(lane))


class RolloutRun(NamedTuple):
    """Eight runs: how they went, their models, states (records, numbers, 8), sums (actuators,
    8) and bodies at both ends.
    """

    kind: type[Lanes]
    models: Sequence[Any]
    x: Array
    score: ObjectiveTotals
    ends: list[Array]

    def is_sound(self, lane: int) -> bool:
        return divergence.is_sound(self.x[:, :, lane])

    def moved(self, lane: int) -> Array:
        """Of the centre of mass, from the first record to the last (3,), world, m."""
        return self.kind.moved(self.models[lane], bodies_of(self.ends, lane))

    def named(self, lane: int) -> dict[str, Array]:
        """States by name."""
        return self.kind.named(self.models[lane], self.x[:, :, lane])

    def peaks(self, lane: int) -> dict[str, Array]:
        """The largest effort of each actuator, by its name."""
        return {self.kind.peak_of(self.models[lane]): self.score.peak[:, lane].copy()}


def _outcomes(scenarios: Sequence[Scenario]) -> list[_Outcome]:
    """Runs side by side as far as they can be, all others alone."""
    found = {
        number: _Outcome(ran.named(lane), float(ran.score.positive[:, lane].sum()), ran.peaks(lane), "completed")
        for number, ran, lane in RolloutScratch().side_by_side(dict(enumerate(scenarios)))
    }
    return [found.get(number) or _alone(scenario) for number, scenario in enumerate(scenarios)]


def _alone(scenario: Scenario) -> _Outcome:
    """One run by itself; what it says if it fails."""
    try:
        result = run_scenario(scenario)
    except Exception as error:
        words = str(error) if isinstance(error, InputError | SimulationError) else told(error)
        return _Outcome({}, np.nan, {}, f"failed: {words}")
    data = result.dataset
    states = {name: data[name].values for name in STATES if name in data}
    work = float(data["positive_work"].values[-1].sum()) if "positive_work" in data else np.nan
    peaks = {name: np.abs(data[name].values) for name in PEAKS if name in data}
    return _Outcome(states, work, peaks, result.status)


def _dataset(outcomes: Sequence[_Outcome], times: Array, over: Mapping[str, Any]) -> xr.Dataset:
    made = xr.Dataset(
        coords={
            "run": np.arange(len(outcomes)),
            "time": ("time", times, {"units": "s"}),
            **{path: ("run", values) for path, values in over.items()},
        }
    )
    for name, variable in STATES.items():
        _put(made, name, ("run", "time", *variable.dims), [one.states for one in outcomes], variable.units)
    made["positive_work"] = ("run", [one.positive_work for one in outcomes], {"units": "J"})
    for name, variable in PEAKS.items():
        unit = "N m" if name == "peak_torque" else variable.units
        _put(made, name, ("run", *variable.dims), [one.peaks for one in outcomes], unit)
    made["status"] = ("run", np.array([one.status for one in outcomes], dtype=object))
    return made


def _put(made: xr.Dataset, name: str, dims: tuple[str, ...], found: Sequence[Mapping[str, Array]], unit: str) -> None:
    """A variable of all runs, NaN for those that do not have it, or not as much of it: robots may differ in joints."""
    shapes_of = [values[name].shape for values in found if name in values]
    if not shapes_of:
        return
    values = np.full((len(found), *np.max(shapes_of, axis=0)), np.nan)
    for number, own in enumerate(found):
        if name in own:
            values[number][tuple(map(slice, own[name].shape))] = own[name]
    made[name] = (dims, values, {"units": unit})
    for dim in dims:
        if dim in LABELS:
            made.coords[dim] = list(LABELS[dim])


STATES = choose(
    "base_position",
    "base_orientation",
    "base_twist",
    "joint_position",
    "joint_velocity",
    "bend",
    "strain",
    "strain_rate",
)
PEAKS = choose("peak_torque", "peak_tension")
