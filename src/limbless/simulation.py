"""The one time loop: state in, blocks of result out, with progress, a divergence check and a door for controllers."""
from __future__ import annotations

import math
import time as clock
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.actuation import Actuation
from limbless.callables import refuse_named, text_of
from limbless.environments.base import Environment
from limbless.errors import InputError, SimulationError
from limbless.gaits.base import Gait
from limbless.models.base import Block, Model, ModelSettings, State, StaticModel, Status
from limbless.result import Result
from limbless.robots.base import Preset, Robot
from limbless.scenarios.scenario import Initial, Scenario

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Array = NDArray[np.float64]
Progress = Callable[[float, float, float], None]
"""progress(fraction done, simulated time (s), real-time factor)"""
Controller = Callable[[float, dict[str, Array]], "Mapping[str, Any] | ArrayLike | None"]
"""controller(time, observation) -> gait fields to change, joint torques to add until the next call, or None"""

TOO_FAST = 1e6                        # m/s or rad/s: nothing without limbs moves like that; the run has diverged
_TELLING = {"x", "acceleration", "torque", "twist"}
TOO_STRONG = 1e30                     # of any number in a record: beyond every acceleration and torque; its square is still a number
TOO_LARGE = 1e9                       # of any number in a state: far beyond positions (m), angles (rad) and work (J) of such robots


def run(source: str | Path | Scenario, changes: Mapping[str, Any] | None = None, *, controller: Controller | None = None,
        progress: Progress | None = None, allow_code: bool = False) -> Result:
    """Run a named scenario, or the one in a `.yaml` file, with some fields changed: `run("eel-planar", {"gait.amplitude": 0.08})`.

    A file may name Python code of its own; it is refused unless `allow_code` says that running that code is wanted.
    """
    return run_scenario(Scenario.load(source, changes, allow_code=allow_code), controller=controller, progress=progress)


def simulate(robot: Robot | Preset, gait: Gait, environment: Sequence[Environment] | Environment = (),
             model: str | ModelSettings = "newton-euler", duration: float = 10.0, step: float = 0.01,
             initial: Initial | Mapping[str, Any] | Result | None = None,
             actuation: str | Actuation = "motion", controller: Controller | None = None, control_period: float | None = None,
             record_every: float | None = None, name: str = "untitled", progress: Progress | None = None) -> Result:
    """Move a robot.

    Parameters
    ----------
    robot, gait, environment : what moves, what it is told, what pushes back.
    model : kind of a model, or its settings.
    duration, step, record_every : s. Steps end at gait and environment switches too; records are kept at multiples of `record_every`.
    initial : where it starts (fields of `Initial`), or a result to continue from, bit for bit.
    actuation : `motion`, `torque`, `pd`, or a description with gains.
    controller : called every `control_period` seconds; see `Controller`.
    """
    scenario = Scenario(
        name=name, robot=robot, gait=gait, environment=(environment,) if isinstance(environment, Environment) else tuple(environment),
        model={"kind": model} if isinstance(model, str) else model, duration=duration, step=step, record_every=record_every,
        actuation={"kind": actuation} if isinstance(actuation, str) else actuation, control_period=control_period,
        initial=Initial() if initial is None or isinstance(initial, Result) else initial)
    return run_scenario(scenario, controller=controller, progress=progress, after=initial if isinstance(initial, Result) else None)


def run_scenario(scenario: Scenario, *, controller: Controller | None = None, progress: Progress | None = None,
                 after: Result | None = None) -> Result:
    """Run a scenario, continuing `after` an earlier result if one is given.

    Raises
    ------
    SimulationError : the run could not go on; `error.result` holds what was computed.
    """
    refuse_named(scenario)
    if after is None and scenario.initial.result is not None:
        after = Result.load(scenario.initial.result)
    model = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
    if isinstance(model, StaticModel):
        if controller is not None or after is not None:
            raise InputError("statics has no time: it takes no controller and continues no earlier result")
        return _solved(scenario, model, progress)
    state = model.initial_state(scenario.initial, scenario.gait) if after is None else _last_state(after, model, scenario)
    return _Run(scenario, model, state, controller, progress).go()


def _solved(scenario: Scenario, model: StaticModel, progress: Progress | None) -> Result:
    """The result of a task; a failure or an interruption keeps what was found before it."""
    began = clock.perf_counter()
    tell = (lambda share: None) if progress is None else lambda share: progress(share, share * scenario.duration, 0.0)
    block, status = model.solve(str(scenario.task), scenario.gait, scenario.initial, tell)
    interrupted = isinstance(status.cause, KeyboardInterrupt)
    told = "interrupted" if interrupted else f"failed: {status.failure}" if status.failure else "completed"
    result = Result.from_blocks([block], model, scenario, told, None, clock.perf_counter() - began)
    if status.failure and not interrupted:
        raise SimulationError(status.failure, None, status.place, result) from status.cause
    return result


def _last_state(after: Result, model: Model, scenario: Scenario) -> State:
    if after.state is None:
        raise InputError("the result to continue from does not hold its final state")
    fresh = model.initial_state(scenario.initial, scenario.gait)
    if after.state.x.shape != fresh.x.shape:
        raise InputError(f"the result to continue from belongs to another robot or model: its state has {after.state.x.size} numbers, "
                         f"this one {fresh.x.size}")
    return after.state


def knots_between(start: float, end: float, step: float, breakpoints: Sequence[float]) -> Array:
    """Where steps begin and end: multiples of `step` counted from time 0, the breakpoints, and both ends.

    Counting from 0, and not from `start`, makes a continued run step at the very same times as an uninterrupted one.
    """
    first, last = math.floor(start / step) + 1, math.ceil(end / step)
    grid = np.arange(first, last + 1) * step
    slack = 1e-9 * step
    inner = [t for t in (*grid, *breakpoints) if start + slack < t < end - slack]
    knots = np.array([start, *sorted(inner), end])
    return knots[np.concatenate([[True], np.diff(knots) > slack])]


def on_grid(time: float, step: float) -> float:
    """A time that is a multiple of the step but for rounding, as that multiple: a continued run then ends where the whole one does."""
    multiple = round(time / step) * step
    return multiple if abs(multiple - time) < 1e-9 * step else time


def stage_times(knots: Array) -> Array:
    """Knots and the middles between them: the times at which a Runge-Kutta step asks for the drive."""
    times = np.empty(2 * len(knots) - 1)
    times[::2], times[1::2] = knots, 0.5 * (knots[:-1] + knots[1:])
    return times


def recorded(knots: Array, every: float, end: float) -> NDArray[np.bool_]:
    """Which knots are multiples of `every`; the end always is one of them."""
    return (np.abs(knots / every - np.rint(knots / every)) * every < 1e-6 * every) | (knots == end)


@dataclass
class _Run:
    """One run on its way."""

    scenario: Scenario
    model: Model
    state: State
    controller: Controller | None
    progress: Progress | None

    def go(self) -> Result:
        """Step to the end; an interruption or a failure keeps what was computed."""
        self.start = self.state.time
        self.end = on_grid(self.start + self.scenario.duration, self.scenario.step)
        self.empty = self._no_step()                     # compiles the kernels, which should not count as time of the run
        self.began = clock.perf_counter()
        self.blocks: list[Block] = []
        self.gait: Gait = self._gait_in_force()
        self.torque: ArrayLike | None = None
        try:
            if self.progress:
                self.progress(0.0, self.start, 0.0)
            for knots, gait in self._stretches():
                failure = self._step(knots, gait)
                if failure:
                    self._stop(failure)
        except KeyboardInterrupt:
            return self._result("interrupted")
        except SimulationError:
            raise
        except Exception as error:                       # a user's gait, law or controller failed: keep the run, and say when
            if isinstance(error, InputError) and not self.blocks:
                raise
            failure_text = f"{type(error).__name__}: {error}"
            raise SimulationError(f"stopped at t = {self.state.time:g} s: {failure_text}", self.state.time, None,
                                  self._result(f"failed: {failure_text}")) from error
        return self._result("completed")

    def _stop(self, failure: Status) -> None:
        """A failed block ends the run; Ctrl-C inside a user's law is an interruption like any other."""
        if isinstance(failure.cause, KeyboardInterrupt):
            raise failure.cause
        when = f"at t = {failure.time:g} s " if failure.time is not None and "t = " not in failure.failure else ""
        raise SimulationError(f"{when}{failure.failure}", failure.time, failure.place,
                              self._result(f"failed: {failure.failure}")) from failure.cause

    def _stretches(self) -> Any:
        """The run in pieces of at most `steps_per_block` steps, broken at control times."""
        switches = [t for item in self.scenario.environment for t in item.breakpoints(self.start, self.end)]
        switches += self.scenario.actuation.breakpoints(self.start, self.end)
        times = [self.start, self.end]
        if self.controller is not None:
            times = list(knots_between(self.start, self.end, self.scenario.control_period or self.scenario.step, []))
        for begin, finish in pairwise(times):
            gait = self._ask_controller(begin, finish) if self.controller else self.gait
            knots = knots_between(begin, finish, self.scenario.step, [*gait.breakpoints(begin, finish), *switches])
            for first in range(0, len(knots) - 1, self.model.steps_per_block):
                yield knots[first:first + self.model.steps_per_block + 1], gait

    def _step(self, knots: Array, gait: Any) -> Status | None:
        """One block: sample the gait, advance, check, keep. Returns what went wrong, if anything."""
        last = knots[-1] == self.end
        record = recorded(knots, self.scenario.record_every, self.end)
        record[-1] &= last                               # the next block begins with this knot
        if self.blocks == []:
            record[0] = True
        drive = self.model.drive(gait, stage_times(knots))
        if self.torque is not None:
            drive = self.model.with_torque(drive, self.torque)
        state, block, status = self.model.advance(self.state, knots, record, drive)
        sound = _sound_records(block)
        settled = status.cause is not None or status.time == self.start or _is_sound(state.x)
        if status.failure and settled and sound == len(block["time"]):        # else the failure is a consequence of a divergence
            self._keep(block)
            return status
        if sound < len(block["time"]) or not _is_sound(state.x):
            self._keep({name: values[:sound] for name, values in block.items()})
            return self._diverged(block["time"][sound] if sound < len(block["time"]) else knots[-1])
        self._keep(block)
        self.state = replace(state, memory={**state.memory, **self._gait_memory()})
        if self.progress:
            elapsed, simulated = clock.perf_counter() - self.began, self.state.time - self.start
            self.progress(simulated / self.scenario.duration, self.state.time, simulated / max(elapsed, 1e-9))
        return None

    def _keep(self, block: Block) -> None:
        if len(block["time"]):
            self.blocks.append(block)

    def _diverged(self, seen: float) -> Status:
        """The sentence for a run whose numbers left the finite world."""
        last = self.blocks[-1]["time"][-1] if self.blocks else self.start
        twist = self.blocks[-1].get("twist") if self.blocks else None
        place = "the base" if twist is None else f"body {int(np.argmax(np.linalg.norm(twist[-1, :, :3], axis=-1)))}"
        return Status(f"the motion diverged between t = {last:g} s and t = {seen:g} s, fastest at {place}; likely the "
                      f"step of {self.scenario.step:g} s is too large for the stiffness of feedback, drag or springs: "
                      f"try {self.scenario.step / 4:g} s",
                      float(last), place)

    def _ask_controller(self, begin: float, finish: float) -> Any:
        """Call the controller and take its command: the gait passes to its changed fields until the next call."""
        if self.controller is None:
            return self.gait
        command = self.controller(begin, self.model.observe(self.state))
        passing, self.torque = self.gait, None
        if isinstance(command, Mapping):
            passing, self.gait = self.gait.passage(command, begin, finish)
        elif command is not None:
            self.torque = command
        return passing

    def _gait_memory(self) -> dict[str, Array]:
        """The gait in force, where a controller may have changed it, so that a continued run starts with it."""
        if self.controller is None:
            return {}
        return {"gait": np.frombuffer(self.gait.model_dump_json().encode(), dtype=np.uint8).astype(np.float64)}

    def _gait_in_force(self) -> Gait:
        saved = self.state.memory.get("gait")
        if saved is None or self.controller is None:
            return self.scenario.gait
        known = {text_of(value): value for _, value in self.scenario.gait if callable(value)}     # the file may be a stranger's: no code of it
        text, context = np.asarray(saved).astype(np.uint8).tobytes(), {"known": known, "saved": True}
        gait = type(self.scenario.gait).model_validate_json(text, context=context)
        refuse_named(gait)
        return gait

    def _result(self, status: str) -> Result:
        blocks = self.blocks or [self.empty]
        return Result.from_blocks(blocks, self.model, self.scenario, status, self.state, clock.perf_counter() - self.began)

    def _no_step(self) -> Block:
        """A block that does not move and records nothing: even a run that failed at once has its variables."""
        knots = np.array([self.start, self.start])
        return self.model.advance(self.state, knots, np.zeros(2, dtype=bool), self.model.drive(self.scenario.gait, stage_times(knots)))[1]


def _is_sound(state: Array) -> bool:
    return bool((np.abs(state) < TOO_LARGE).all())


def _sound_records(block: Block) -> int:
    """Number of leading records that are finite and not absurdly fast.

    Of raw records only the state and what follows from it at once are looked at: the rest is made of them.
    """
    names = _TELLING & block.keys() if "x" in block else block.keys()
    bad = np.zeros(len(block["time"]), dtype=bool)
    for name in names:
        values, limit = block[name], TOO_FAST if name in ("twist", "base_twist", "joint_velocity") else TOO_STRONG
        if values.max(initial=0.0) < limit and values.min(initial=0.0) > -limit:     # nearly always, and without a copy; false for NaN
            continue
        flat = np.abs(values).reshape(len(values), math.prod(values.shape[1:]))       # a block may hold no record: no -1 here
        bad |= ~(flat < limit).all(axis=1)
    return int(np.argmax(bad)) if bad.any() else len(bad)
