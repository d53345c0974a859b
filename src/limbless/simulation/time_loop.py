"""The one time loop: state in, records out, with progress, a divergence check, checkpoints
and a door for controllers.
"""

from __future__ import annotations

import logging
import math
import time as clock
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.control.controllers import AskedFunction
from limbless.control.gaits.base import Gait
from limbless.core import (
    LOOKS,
    Array,
    InputError,
    Looks,
    SimulationError,
    blocks_between,
    on_grid,
    parted,
    recorded,
    refuse_named,
    resources,
    text_of,
    told,
    undisturbed,
)
from limbless.mechanics.compiled import compile_seconds
from limbless.models.base import JointTarget, Model, Records, State, Status
from limbless.scenarios.plausibility import computable, likely_causes
from limbless.scenarios.scenario import Scenario
from limbless.simulation.checkpoints import Checkpoints, Unfinished
from limbless.simulation.compile_notice import compile_notice
from limbless.simulation.prefetch import Prefetch, advance_block, sampled, switches
from limbless.simulation.result import LOOKED, RECORDED, Result

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Progress = Callable[[float, float, float], None]
"""progress(fraction done, simulated time (s), real-time factor)"""

SURVEYED = 1.0  # s on the clock after which it is known how long a run will take
_log = logging.getLogger("limbless")


@dataclass
class Run:
    """One run on its way."""

    scenario: Scenario
    model: Model
    state: State
    progress: Progress | None
    keeper: Checkpoints | None = None
    unfinished: Unfinished | None = None
    told: bool = True
    ahead: Prefetch | None = None
    controller: AskedFunction | None = None

    def go(self) -> Result:
        """Step to the end; an interruption or a failure keeps what was computed."""
        self.controller = self.scenario.driven_by
        self.start = self.state.time if self.unfinished is None else self.unfinished.start
        self.end = on_grid(self.start + self.scenario.duration, self.scenario.step)
        self.records: list[Records] = []
        self.gait: Gait = self._gait_in_force()
        self.torque: ArrayLike | JointTarget | None = None
        self._refuse_long_steps()
        # compiles the kernels, which should not count as time of the run
        with nullcontext() if self.told else compile_notice():
            self.empty = self._no_step()
        self._refuse_many_records()
        self.before = self.state
        self.looks = Looks(self.start, self.end, self.scenario.step, self.scenario.gait.cycle)
        self.began, self.surveyed = run_clock(), False
        try:
            if self.progress:
                self.progress(0.0, self.start, 0.0)
            self._begin_checkpoints()
            for failure in self._periods():
                if failure:
                    self._stop(failure)
                self._tell()
        except KeyboardInterrupt:
            with undisturbed():  # whoever is impatient presses twice
                self._write_checkpoint()
                return self._result("interrupted")
        except SimulationError:
            raise
        # a user's gait, law or controller failed: keep the run, and say when
        except Exception as error:
            if isinstance(error, InputError) and not self.records:
                raise
            self._catch_up()
            foreseen = isinstance(error, InputError)
            failure_text = str(error) if foreseen else told(error)
            cause = error.__cause__ or error if foreseen else error
            raise SimulationError(
                f"stopped at t = {self.state.time:g} s: {failure_text}",
                self.state.time,
                None,
                self._result(f"failed: {failure_text}"),
            ) from cause
        with undisturbed():
            return self._result("completed")

    def _refuse_long_steps(self) -> None:
        """A step that the model cannot resolve is refused with one that it can, a whole part of the
        interval between records.
        """
        with computable(self.scenario):
            limit = self.model.step_limit(self.state)
        if limit is None or self.scenario.step <= limit.longest:
            return
        every = self.scenario.record_every
        raise InputError(
            f"step: {self.scenario.step:g} s is too long for {limit.why}: steps up to {limit.longest:.3g} s follow "
            f"it; set step to {every / math.ceil(every / limit.longest):.6g} (with record_every {every:g})"
        )

    def _refuse_many_records(self) -> None:
        """Records that would not fit into memory are refused before they are made."""
        kept = [*self.empty.values(), *self.model.variables(self.empty).values()]
        size = sum(8.0 * math.prod(values.shape[1:]) for values in kept)
        constant, every = 1.0 + LOOKS, self.scenario.record_every  # the first, and the looks, whatever is recorded
        count = (self.end - self.start) / every + constant
        resources.refuse_too_many_records(count, size, self.scenario.step, every, constant=constant)

    def _begin_checkpoints(self) -> None:
        """Go on with an unfinished run, or begin anew.

        The last block of an unfinished run, or its last control periods, are made once more, so that the model
        remembers what it did; their records are there already.
        """
        if self.keeper is None:
            return
        if self.unfinished is None:
            return self.keeper.begin(self.start)
        self.state, self.records = self.unfinished.before, list(self.unfinished.records)
        self.gait = self._gait_in_force()
        kept = len(self.records)
        self.keeper.go_on(kept)
        for knots, gait in self._stretches():
            failure = self.step(knots, gait)
            if failure or self.state.time >= self.unfinished.after.time:
                break
        del self.records[kept:]
        if failure or not _same(self.state, self.unfinished.after):
            _log.warning(
                "the unfinished run was computed on another machine, or by another version of limbless or its "
                "compiled kernels: it goes on, but the last digits may differ from those of an uninterrupted run"
            )
        self.state = self.unfinished.after
        self.gait = self._gait_in_force()

    def _write_checkpoint(self) -> None:
        if self.keeper is None:
            return
        if failure := self._catch_up():
            self._stop(failure)
        if self.state.time > self.before.time:
            self.keeper.write(self.before, self.state, self.records, self._wall_time())

    def _wall_time(self) -> float:
        return run_clock() - self.began + (0.0 if self.unfinished is None else self.unfinished.wall_time)

    def _tell(self) -> None:
        """After a block: progress, a part of the checkpoint where one is due, and once a word about
        a run that will take long.
        """
        elapsed, simulated = run_clock() - self.began, self.state.time - self.start
        if self.keeper is not None and self.keeper.due():
            self._write_checkpoint()
        if not self.surveyed and elapsed > SURVEYED:
            self.surveyed = True
            made = simulated - (0.0 if self.unfinished is None else self.unfinished.after.time - self.start)
            left = elapsed * (self.end - self.state.time) / made if made > 0.0 else 0.0
            if left > resources.LONG:
                _log.warning(
                    "%s will take about %s more; Ctrl-C ends it and keeps what was computed",
                    self.scenario.name,
                    resources.in_words(left),
                )
        if self.progress:
            self.progress(simulated / self.scenario.duration, self.state.time, simulated / max(self._wall_time(), 1e-9))

    def _stop(self, failure: Status) -> None:
        """A failed block ends the run; Ctrl-C inside a user's law is an interruption like any other."""
        if isinstance(failure.cause, KeyboardInterrupt):
            raise failure.cause
        when = f"at t = {failure.time:g} s " if failure.time is not None and "t = " not in failure.failure else ""
        raise SimulationError(
            f"{when}{failure.failure}", failure.time, failure.place, self._result(f"failed: {failure.failure}")
        ) from failure.cause

    def _periods(self) -> Iterator[Status | None]:
        """The run, block by block or control period by control period: what went wrong in each, if anything."""
        self.ahead = Prefetch.of(self) if self.asks else None
        if self.ahead is not None:
            return self.ahead.periods()
        return (self.step(knots, gait) for knots, gait in self._stretches())

    def _stretches(self) -> Iterator[tuple[Array, Any]]:
        """The run from where it is, in pieces of at most `steps_per_block` steps, broken at control times."""
        whole: Any = [(self.state.time, self.end)]
        for begin, finish in self.control_times(1) if self.asks else whole:
            gait = self.ask_controller(float(begin), float(finish), self.state)
            yield from ((knots, gait) for knots in self.blocks(float(begin), float(finish), gait))

    @property
    def asks(self) -> bool:
        """Whether a controller, or the gait itself, is asked in every control period."""
        return self.controller is not None or self.scenario.gait.feedback is not None

    def control_times(self, count: int) -> Iterator[Array]:
        """Times at which the controller is asked, `count` periods at a time."""
        period = self.scenario.control_period or self.scenario.step
        return blocks_between(self.state.time, self.end, period, lambda begin, finish: (), count)

    def blocks(self, begin: float, finish: float, gait: Any) -> Iterator[Array]:
        """The knots between two times, in pieces of at most `steps_per_block` steps that end where a drive jumps."""
        pieces = blocks_between(
            begin,
            finish,
            self.scenario.step,
            partial(switches, self.scenario, self.model, gait),
            self.model.steps_per_block,
        )
        return (
            part
            for knots in pieces
            for part in parted(knots, self.model.jumps(gait, float(knots[0]), float(knots[-1])))
        )

    def chosen(self, knots: Array) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which knots of a block are recorded, and which are looked at."""
        last = knots[-1] == self.end
        record, look = recorded(knots, self.scenario.record_every, self.end), self.looks.among(knots)
        record[-1] &= last  # the next block begins with this knot
        look[-1] &= last
        return record, look

    def step(self, knots: Array, gait: Any) -> Status | None:
        """One block: sample the gait, advance, check, keep. Returns what went wrong, if anything."""
        record, look = self.chosen(knots)
        if self.records == []:
            record[0] = True
        kept = record | look
        found = advance_block(self.scenario, self.model, self.state, knots, kept, gait, self.torque)
        return self.judge(*found, (record[kept], look[kept]), float(knots[-1]))

    def judge(
        self, state: State, records: Records, status: Status, marks: tuple[Any, Any], last: float
    ) -> Status | None:
        """Keep what a block gave, as far as it is sound: its state, and its records, each `marks` as recorded and as
        looked at. Returns what went wrong, if anything.
        """
        count = len(records["time"])
        marked = {name: mark[:count].astype(np.float64) for name, mark in zip((RECORDED, LOOKED), marks, strict=True)}
        records = Records({**records, **marked})
        sound, finite = self.model.sound_records(records), self.model.is_sound(state)
        settled = status.cause is not None or status.time == self.start or finite
        # else the failure is a consequence of a divergence
        if status.failure and settled and sound == count:
            self._keep(records)
            return status
        if sound < count or not finite:
            self._keep(Records({name: values[:sound] for name, values in records.items()}))
            return self._diverged(records["time"][sound] if sound < count else last)
        self._keep(records)
        self.before, self.state = self.state, replace(state, memory={**state.memory, **self._gait_memory()})
        return None

    def _keep(self, records: Records) -> None:
        if len(records["time"]):
            self.records.append(records)

    def _diverged(self, seen: float) -> Status:
        """The sentence for a run whose numbers left the finite world."""
        last = self.records[-1]["time"][-1] if self.records else self.start
        place = self.model.fastest(self.records[-1]) if self.records else "the base"
        causes = likely_causes(self.scenario)
        step = f"the step of {self.scenario.step:g} s is too large for the stiffness of feedback, drag or springs"
        likely = f"likely {causes[0]}" if causes else f"likely {step}"
        explicit = getattr(self.scenario.model, "integrator", "") == "rk4"
        cure = ", or set model.integrator to sdirk4, whose implicit steps solve stiff forces" if explicit else ""
        return Status(
            f"the motion diverged between t = {last:g} s and t = {seen:g} s, fastest at {place}; {likely}: "
            f"{'change that, or ' if causes else ''}try {'a step of ' if causes else ''}{self.scenario.step / 4:g} "
            f"s{cure}",
            float(last),
            place,
        )

    def ask_controller(self, begin: float, finish: float, state: State) -> Any:
        """Call the controller and take its command: the gait passes to its changed fields until the next call."""
        asked: Any = self.controller or self.gait.feedback
        if asked is None:
            return self.gait
        observed = self.model.observe(state)
        command = asked.ask(begin, observed) if self.controller else asked(begin, observed)
        passing, self.torque = self.gait, None
        if type(command) is np.ndarray:  # first, as it is the commonest
            self.torque = command
        elif isinstance(command, Mapping):
            if not all(isinstance(name, str) for name in command):
                raise InputError(
                    f"the controller's command at t = {begin:g} s must name gait fields; got {list(command)!r:.60}"
                )
            if "joint_position" in command:
                self.torque = JointTarget(command["joint_position"])
                command = {name: value for name, value in command.items() if name != "joint_position"}
            if command:
                passing, self.gait = self.gait.passage(command, begin, finish)
        elif command is not None:
            self.torque = command
        return passing

    def _gait_memory(self) -> dict[str, NDArray[Any]]:
        """The gait in force as the bytes of its JSON, where a controller may have changed it: a
        continued run starts with it.
        """
        return {"gait": np.frombuffer(self.gait.model_dump_json().encode(), dtype=np.uint8)} if self.asks else {}

    def _gait_in_force(self) -> Gait:
        saved = self.state.memory.get("gait")
        if saved is None or not self.asks:
            return self.scenario.gait
        # of theirs none is run
        known = {text_of(value): value for _, value in self.scenario.gait if callable(value)}
        text = np.asarray(saved).astype(np.uint8).tobytes()  # files of older versions hold floats
        gait = type(self.scenario.gait).model_validate_json(text, context={"known": known, "saved": True})
        refuse_named(gait)
        return gait

    def _catch_up(self) -> Status | None:
        """Take what a controlled run has computed since it was last written down; what went wrong, if anything."""
        return None if self.ahead is None else self.ahead.left()

    def _result(self, status: str) -> Result:
        self._catch_up()
        return Result.from_records(
            self.records or [self.empty], self.model, self.scenario, status, self.state, self._wall_time()
        )

    def _no_step(self) -> Records:
        """Of a block that does not move and records nothing: even a run that failed at once has its variables."""
        knots = np.array([self.start, self.start])
        drive = sampled(self.scenario, self.model, self.scenario.gait, knots)
        _, records, status = self.model.advance(self.state, knots, np.zeros(2, dtype=bool), drive)
        if isinstance(status.cause, KeyboardInterrupt):
            raise status.cause
        if status.cause is not None:  # a user's law failed at its first call
            raise InputError(f"at t = {self.start:g} s {status.failure}") from status.cause
        return records


def run_clock() -> float:
    """A clock (s) that stands still while kernels are compiled or loaded: some are first needed in the midst of a run,
    and whoever runs it again does not wait for them.
    """
    return clock.perf_counter() - compile_seconds()


def _same(one: State, other: State) -> bool:
    """Whether two states agree in every bit."""
    alike = one.time == other.time and np.array_equal(one.x, other.x) and one.memory.keys() == other.memory.keys()
    return alike and all(np.array_equal(one.memory[name], other.memory[name]) for name in one.memory)
