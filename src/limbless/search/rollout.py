"""`rollout`: a scenario at many points, eight robots at a time where their kernels allow it; no balances, no files."""
from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr
from numpy.typing import NDArray

from limbless.callables import refuse_named, told
from limbless.errors import InputError, SimulationError
from limbless.mechanics.chain.tables import Answering, BodyRecord, Drive, Imposed
from limbless.mechanics.compiled.arrays import aligned_zeros
from limbless.mechanics.compiled.scalars import TANGENTS as LANES
from limbless.mechanics.compiled.widening import side_by_side
from limbless.mechanics.integrate import runge_kutta
from limbless.mechanics.integrate.tally import UNLIMITED, Score, Uncounted, clear_score, fresh_score
from limbless.models.newton_euler.model import NewtonEuler
from limbless.result import LABELS
from limbless.scenarios.scenario import Scenario
from limbless.search.lane_drive import Buffers, LaneDrive, aligned
from limbless.simulation import knots_between, recorded, run_scenario

Array = NDArray[np.float64]
MODELS = 16
"""Models that are kept: two groups of eight bodies."""
BLOCK = 100
"""Steps of a block: the drive of eight robots then stays in the second-level cache."""


def rollout(source: str | Path | Mapping[str, Any] | Scenario, over: Mapping[str, Any], *,
            changes: Mapping[str, Any] | None = None, record_every: float | None = None,
            allow_code: bool = False) -> xr.Dataset:
    """Run a scenario at many points and keep states at a few times: for learning, for statistics, for your own loops.

    Parameters
    ----------
    source, changes : as for `run`.
    over : path -> array of values, all of the same length N: run i takes the i-th of each.
    record_every : s; by default the scenario's.

    Returns
    -------
    Dataset over `run` and `time`: `base_position`, `base_orientation`, `base_twist`, `joint_position`,
    `joint_velocity`; over `run` also `positive_work` (J), `peak_torque` (joint, N m) and `status`. A run that fails has
    NaN, and the words of its failure; so do joints that a robot does not have and another one has.

    Chains (model `newton-euler`) run eight at a time, also with different bodies, if they have the same joints and
    kinds of forces. Others, and those at the surface of water, run one after the other.
    """
    base = Scenario.load(source, changes, allow_code=allow_code)
    if record_every is not None:
        base = Scenario.load(base, {"record_every": record_every}, allow_code=allow_code)
    refuse_named(base)
    if base.task is not None:
        raise InputError("statics has no time to roll out; use `sweep`")
    scenarios = [scenario_at(base, point, allow_code) for point in _points(over)]
    _refuse_times(scenarios)
    return _Many(scenarios).dataset({path: _column(values) for path, values in over.items()})


def _refuse_times(scenarios: Sequence[Scenario]) -> None:
    """All runs share one axis of time."""
    first = _clock(scenarios[0])
    for number, scenario in enumerate(scenarios):
        if _clock(scenario) != first and not np.array_equal(_kept_times(scenario), _kept_times(scenarios[0])):
            raise InputError(f"over: run {number} keeps other times than run 0, and all runs of a rollout share "
                             "theirs; give all the same `duration` and a `record_every` that fits their steps, or use "
                             "`sweep`")


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
    if len(fields) == len(point) and set(fields) <= set(type(base.gait).model_fields) and set(point) and all(
            isinstance(value, int | float) for value in fields.values()):
        return base.model_copy(update={"gait": base.gait.changed(**fields)})
    return Scenario.load(base, point, allow_code=allow_code)


class _Outcome(NamedTuple):
    """What is kept of one run."""

    states: dict[str, Array]
    positive_work: float
    peak: Array
    status: str


class _Packed(NamedTuple):
    """A model, what it was made for, and what must be the same of robots beside it (None: nothing goes beside it)."""

    scenario: Scenario
    model: Any
    make: Any


class Desk:
    """What groups of runs share: models, and memory that is used again and again."""

    def __init__(self) -> None:
        self.buffers: Buffers = {}
        self._packed: deque[_Packed] = deque(maxlen=MODELS)
        self._spare: tuple[Any, Any] = (None, None)

    def packed(self, scenario: Scenario) -> _Packed:
        """The model of a scenario; scenarios that differ in their gait alone share it."""
        for known in self._packed:
            if all(getattr(known.scenario, name) is getattr(scenario, name)
                   for name in ("robot", "environment", "actuation", "model")):
                return known
        model: Any = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
        alone = (not isinstance(model, NewtonEuler) or not model.explicit
                 or isinstance(model._options.actuation, Answering)
                 or scenario.initial.result is not None
                 or any(getattr(item, "slot", None) is not None or getattr(item, "surface", None) is not None
                        for item in scenario.environment)              # a surface cuts each robot elsewhere
                 or model.step_limit(model.initial_state(scenario.initial, scenario.gait)) is not None)
        self._packed.append(_Packed(scenario, model, None if alone else _make(model)))
        return self._packed[-1]

    def key(self, scenario: Scenario) -> Any:
        """Runs with the same key go side by side; None: alone."""
        make = self.packed(scenario).make
        if make is None:
            return None
        knots, keep = _knots(scenario)
        windows = any(item.active for item in scenario.environment)
        return make, len(knots), keep.tobytes(), knots.tobytes() if windows else b"", type(scenario.gait)

    def together(self, scenarios: Sequence[Scenario]) -> Ran:
        """Up to eight runs of one key."""
        lanes = Lanes(scenarios, [self.packed(scenario).model for scenario in scenarios], self.buffers)
        same = lanes.models[0] if all(model is lanes.models[0] for model in lanes.models) else None
        with np.errstate(all="ignore"):
            x, score = lanes.go(self._spare[1] if same is not None and same is self._spare[0] else None)
        if same is not None:
            self._spare = same, lanes.problem
        return Ran(lanes.models, x, score, lanes.ends)


class Ran(NamedTuple):
    """Eight runs: their models, states (records, numbers, 8), sums (actuators, 8) and bodies at both ends."""

    models: Sequence[NewtonEuler]
    x: Array
    score: Score
    ends: list[Array]

    def is_sound(self, lane: int) -> bool:
        return bool(np.isfinite(self.x[:, :, lane]).all())

    def moved(self, lane: int) -> Array:
        """Of the centre of mass, from the first record to the last (3,), world, m."""
        bodies = BodyRecord.of(np.ascontiguousarray(np.stack([end[..., lane] for end in self.ends])))
        recorder = self.models[lane]._recorder
        R, origin = bodies.rotation[:, recorder.rows], bodies.origin[:, recorder.rows]
        first, last = recorder.centre(R.reshape(2, -1, 3, 3), origin)
        return np.asarray(last - first)


class _Many:
    """Runs in groups that go side by side."""

    def __init__(self, scenarios: Sequence[Scenario]) -> None:
        self.scenarios = scenarios
        self.outcomes: dict[int, _Outcome] = {}
        self.desk = Desk()
        groups: dict[Any, list[int]] = {}
        first = scenarios[0]
        self.times = _kept_times(first)
        for number, scenario in enumerate(scenarios):
            groups.setdefault(self.desk.key(scenario), []).append(number)
        for key, numbers in groups.items():
            for start in range(0, len(numbers), LANES):
                part = numbers[start:start + LANES]
                if key is None:
                    for number in part:
                        self._alone(number)
                else:
                    self._together(part)

    def _together(self, numbers: list[int]) -> None:
        ran = self.desk.together([self.scenarios[number] for number in numbers])
        for lane, number in enumerate(numbers):
            if not ran.is_sound(lane):
                self._alone(number)
                continue
            self.outcomes[number] = _Outcome(_named(ran.models[lane], ran.x[:, :, lane]),
                                             float(ran.score.positive[:, lane].sum()), ran.score.peak[:, lane].copy(),
                                             "completed")

    def _alone(self, number: int) -> None:
        """One run by itself; what it says if it fails."""
        try:
            result = run_scenario(self.scenarios[number])
        except (InputError, SimulationError) as error:
            self.outcomes[number] = _Outcome({}, np.nan, np.zeros(0), f"failed: {error}")
            return
        except Exception as error:
            self.outcomes[number] = _Outcome({}, np.nan, np.zeros(0), f"failed: {told(error)}")
            return
        data = result.dataset
        states = {name: data[name].values for name in _VARIABLES if name in data}
        work = float(data["positive_work"].values[-1].sum()) if "positive_work" in data else np.nan
        peak = np.abs(data["peak_torque"].values) if "peak_torque" in data else np.zeros(0)
        self.outcomes[number] = _Outcome(states, work, np.asarray(peak).reshape(-1), result.status)

    def dataset(self, over: Mapping[str, Any]) -> xr.Dataset:
        count = len(self.scenarios)
        made = xr.Dataset(coords={"run": np.arange(count), "time": ("time", self.times, {"units": "s"}),
                                  **{path: ("run", values) for path, values in over.items()}})
        for name, (dim, unit) in _VARIABLES.items():
            width = max((outcome.states[name].shape[1] for outcome in self.outcomes.values() if name in outcome.states),
                        default=0)
            if not width:
                continue
            values = np.full((count, len(self.times), width), np.nan)             # robots may differ in their joints
            for number, outcome in self.outcomes.items():
                if name in outcome.states:
                    values[number, :, :outcome.states[name].shape[1]] = outcome.states[name]
            made[name] = (("run", "time", dim), values, {"units": unit})
            if dim in LABELS:
                made.coords[dim] = list(LABELS[dim])
        made["positive_work"] = ("run", [self.outcomes[number].positive_work for number in range(count)],
                                 {"units": "J"})
        width = max(len(outcome.peak) for outcome in self.outcomes.values())
        if width:
            peaks = np.full((count, width), np.nan)
            for number, outcome in self.outcomes.items():
                peaks[number, :len(outcome.peak)] = outcome.peak
            made["peak_torque"] = (("run", "joint"), peaks, {"units": "N m"})
        made["status"] = ("run", np.array([self.outcomes[number].status for number in range(count)], dtype=object))
        return made


_VARIABLES = {"base_position": ("axis", "m"), "base_orientation": ("quaternion", "1"),
              "base_twist": ("screw", "m/s, rad/s"), "joint_position": ("joint", "rad or m"),
              "joint_velocity": ("joint", "rad/s or m/s")}


def _named(model: NewtonEuler, x: Array) -> dict[str, Array]:
    """States (times, numbers) by name."""
    return {"base_position": x[:, :3], "base_orientation": x[:, 3:7], "base_twist": x[:, model._split:][:, :6],
            "joint_position": model._recorder.joint_position(x[:, model._joints]), "joint_velocity": x[:, model._rates]}


def _knots(scenario: Scenario) -> tuple[Array, NDArray[np.bool_]]:
    end = scenario.duration
    parts: tuple[Any, ...] = (scenario.gait, *scenario.environment, scenario.actuation)
    knots = knots_between(0.0, end, scenario.step, [t for part in parts for t in part.breakpoints(0.0, end)])
    keep = recorded(knots, scenario.record_every, end)
    keep[0] = True
    return knots, keep


def _kept_times(scenario: Scenario) -> Array:
    knots, keep = _knots(scenario)
    return knots[keep]


def _make(model: NewtonEuler) -> Any:
    """What must be the same of robots that go side by side: kinds, codes and sizes."""
    still = Drive(*(np.zeros((1, model.chain.freedoms)) for _ in Drive._fields))
    found: list[Any] = []

    def look(part: Any) -> None:
        if isinstance(part, tuple):
            found.append(type(part).__name__)
            for item in part:
                look(item)
        elif isinstance(part, np.ndarray):
            found.append((part.shape, part.dtype.str, b"" if part.dtype == np.float64 else part.tobytes()))
        else:
            found.append(part)

    problem = model.problem(still, 0, Uncounted(), Uncounted())
    look((problem.robot, problem.forces, problem.options))
    return tuple(found)


def _first_state(model: NewtonEuler, scenario: Scenario) -> Array:
    """Where a run begins; that of the last one, where joints stand as the drive has them whatever the gait."""
    initial, first = model._desk.get("first", (None, None))
    if initial is not scenario.initial or not isinstance(model._options.actuation, Imposed):
        initial, first = scenario.initial, model.initial_state(scenario.initial, scenario.gait).x
        model._desk["first"] = initial, first
    return first


class Lanes:
    """Up to eight robots of one make, side by side through time."""

    def __init__(self, scenarios: Sequence[Scenario], models: Sequence[NewtonEuler],
                 buffers: Buffers | None = None) -> None:
        self.buffers, spare = {} if buffers is None else buffers, LANES - len(scenarios)
        self.scenarios, self.models = [*scenarios, *[scenarios[0]] * spare], [*models, *[models[0]] * spare]
        knots = [_knots(scenario) for scenario in self.scenarios]
        self.keep = knots[0][1]
        self.knots = aligned_zeros((len(self.keep), LANES))
        self.knots[:] = np.stack([times for times, _ in knots], axis=-1)
        self.drive = LaneDrive(self.models, [scenario.gait for scenario in self.scenarios], self.buffers)

    def go(self, spare: Any = None) -> tuple[Array, Score]:
        """States (records, numbers, 8) and sums (actuators, 8). `spare`: the `problem` of the same robots, which did
        other gaits.
        """
        x = self.start()
        kept: list[Array] = []
        problem, steps = spare, len(self.keep) - 1
        if spare is not None:
            clear_score(spare.memory.tally)
        self.ends: list[Array] = []                       # bodies at the first and at the last record
        blocks = range(0, steps, BLOCK)
        room = max(int(self.keep[first:first + BLOCK + 1].sum()) for first in blocks)
        for first in blocks:
            knots, record = self.knots[first:first + BLOCK + 1], self.keep[first:first + BLOCK + 1].copy()
            record[-1] &= first + BLOCK >= steps
            problem = self.packed(problem, room, knots)
            failed, _ = runge_kutta.advance_lanes(problem, np.ascontiguousarray(knots), record, x)
            if failed:                                    # of one robot, and all have stopped: each alone
                x[:], problem.records.x[:] = np.nan, np.nan
            count = int(record.sum())
            kept.append(problem.records.x[:count].copy())
            if first == 0:
                self.ends.append(problem.records.bodies[0].copy())
        self.ends.append(problem.records.bodies[count - 1].copy())
        self.problem: Any = problem
        return np.concatenate(kept), self.problem.memory.tally

    def start(self) -> Array:
        """The first states (numbers, 8)."""
        return aligned(np.stack([_first_state(model, scenario) for model, scenario
                                 in zip(self.models, self.scenarios, strict=True)], axis=-1))

    def packed(self, before: Any, records: int, knots: Array) -> Any:
        """The problem of a block; the robots, and what is summed, go on from block to block."""
        drive = self._drive(knots)
        if before is not None and before.records.x.shape[0] == records:
            return before._replace(drive=drive)
        still = Drive(*(np.zeros((1, self.models[0].chain.freedoms)) for _ in Drive._fields))
        limits = [model.chain.arrays().torque_limit for model in self.models]
        alike = len(set(map(id, self.models))) == 1
        scores = [fresh_score(np.minimum(limit, UNLIMITED), strained=False) for limit in limits]
        made = side_by_side([model.problem(still, records, score, Uncounted())
                             for model, score in list(zip(self.models, scores, strict=True))[:1 if alike else LANES]])
        tally = made.memory.tally if before is None else before.memory.tally
        return made._replace(drive=drive, memory=made.memory._replace(tally=tally))

    def _drive(self, knots: Array) -> Drive:
        """The gaits of all robots at the stages of a block."""
        times = aligned_zeros((2 * len(knots) - 1, LANES))
        times[::2], times[1::2] = knots, 0.5 * (knots[:-1] + knots[1:])
        return self.drive(times)
