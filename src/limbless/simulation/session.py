"""`Session`: a robot that is driven live, period after period, from a joystick, hardware or middleware."""

from __future__ import annotations

import json
import time as clock
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.control.gaits.base import Gait
from limbless.core import Array, InputError, SimulationError, knots_between, on_grid, parted
from limbless.models.base import JointTarget, Records, State, StaticModel
from limbless.scenarios.plausibility import computable
from limbless.scenarios.scenario import Scenario
from limbless.simulation.prefetch import RobotAhead, advance_block, asking, switches
from limbless.simulation.result import Result
from limbless.simulation.simulate import refuse_foreign

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

PAUSE = 1.0
"""s by which a paced session may be late and still catch up."""


class Session:
    """A scenario that you step yourself, period after period, from a joystick, hardware or middleware.

    Nothing is recorded. Without commands the motion equals that of `ll.run` in every bit.

    Parameters
    ----------
    source, changes, allow_code : the scenario, as for `ll.run`; its duration has no meaning here.
    period : s, of one `step`; the scenario's `control_period`, or its step, if absent.
    paced : whether a step waits for the clock on the wall, so that a second of motion takes a second. One that is more
        than a second late does not catch up.
    """

    def __init__(
        self,
        source: str | Path | Mapping[str, Any] | Scenario,
        changes: Mapping[str, Any] | None = None,
        *,
        period: float | None = None,
        paced: bool = False,
        allow_code: bool = False,
    ) -> None:
        self.scenario = Scenario.load(source, changes, allow_code=allow_code)
        self.scenario.refuse_incomplete()
        self.period = period or self.scenario.control_period or self.scenario.step
        count = round(self.period / self.scenario.step)
        if count < 1 or abs(self.period - count * self.scenario.step) > 1e-9 * self.period:
            raise InputError(f"period: {self.period:g} s is no whole multiple of the step of {self.scenario.step:g} s")
        with computable(self.scenario):
            self.model: Any = self.scenario.assemble()
        if isinstance(self.model, StaticModel):
            raise InputError("statics has no time: there is nothing to step")
        with asking(self.scenario.gait, "at t = 0 s"), computable(self.scenario):
            self._state: State = self.model.initial_state(self.scenario.initial, self.scenario.gait)
        limit = self.model.step_limit(self._state)
        if limit is not None and self.scenario.step > limit.longest:
            raise InputError(
                f"step: {self.scenario.step:g} s is too long for {limit.why}; try one of up to {limit.longest:.3g} s"
            )
        self._gait, self._wish, self._tuned = self.scenario.gait, dict[str, Any](), dict[str, Any]()
        self._held: Any = None
        self._ahead = RobotAhead.of(self)
        self._paced, self._due, self._late, self._woke = paced, 0.0, list[float](), list[float]()

    @property
    def time(self) -> float:
        """s."""
        return self._state.time

    def observe(self) -> dict[str, Array]:
        """What a controller sees: see `Controller`."""
        seen: dict[str, Array] = self.model.observe(self._state)
        return seen

    def command(self, command: Mapping[str, Any] | ArrayLike | None) -> None:
        """From the next step on: fields of the gait, to which it passes over one period, among them `joint_position`,
        which a feedback is to follow; fields of the controller, `controller.drive`; or joint torques, which are added.
        All are held. None: neither targets nor torques.
        """
        if not isinstance(command, Mapping):
            self._held = None if command is None else self.model.commanded(command)
            return
        if not all(isinstance(name, str) for name in command):
            raise InputError(f"command: must name fields of the gait, or joint_position; got {list(command)!r:.60}")
        tuned = {name.partition(".")[2]: value for name, value in command.items() if name.startswith("controller.")}
        fields = {
            name: value
            for name, value in command.items()
            if name != "joint_position" and not name.startswith("controller.")
        }
        self._gait.changed(**fields)  # what is wrong is said now
        self._wish |= fields
        if tuned:
            self.model.retune({**self._tuned, **tuned})
            self._tuned |= tuned
        if "joint_position" in command:
            self.model.targeted(command["joint_position"])
            self._held = JointTarget(command["joint_position"])

    def step(self, count: int = 1) -> dict[str, Array]:
        """Go on by so many periods; what there is to see then.

        Raises
        ------
        SimulationError : the motion could not go on; the session stays where it was before that period.
        """
        for _ in range(count):
            self._advance()
            if self._paced:
                self._wait()
        return self.observe()

    def _advance(self) -> None:
        asked = self.scenario.driven_by
        if asked is not None:
            self.command(asked.ask(self.time, self.observe()))
        state, self._gait = self.advanced(self._state, self._gait, self._wish, self._held, ahead=self._ahead)
        self._state, self._wish = state, {}

    def advanced(
        self,
        state: State,
        gait: Gait,
        fields: Mapping[str, Any],
        held: Any,
        kept: list[Records] | None = None,
        ahead: RobotAhead | None = None,
    ) -> tuple[State, Gait]:
        """One period from any state, by any thread: the state then, and the gait in force.

        Parameters
        ----------
        gait, fields : the gait in force, and fields to which it passes.
        held : joint torques, or a `JointTarget`; None: neither.
        kept : gets the records of the period: of its first instant.
        ahead : memory of the robot that is moved, with which it goes on at once; it changes no bit.
        """
        begin, model = state.time, self.model
        finish = on_grid(begin + self.period, self.scenario.step)
        passing, after = gait.passage(fields, begin, finish) if fields else (gait, gait)
        found = None if ahead is None or kept is not None else ahead.advanced(state, passing, after, held)
        if found is not None:
            return found, after
        knots = knots_between(begin, finish, self.scenario.step, switches(self.scenario, model, passing, begin, finish))
        for part in parted(knots, model.jumps(passing, begin, finish)):
            record = np.zeros(len(part), dtype=bool)
            record[0] = kept is not None and part[0] == begin
            state, records, status = advance_block(self.scenario, model, state, part, record, passing, held)
            if kept is not None:
                kept.append(records)
            if isinstance(status.cause, KeyboardInterrupt):
                raise status.cause
            if status.failure or not model.is_sound(state):
                told = status.failure or "the motion diverged; try a shorter step, or a gentler command"
                raise SimulationError(f"at t = {begin:g} s {told}", begin, status.place) from status.cause
        return state, after

    def _wait(self) -> None:
        """Until the clock has come to this step; how late it was is kept."""
        now = clock.perf_counter()
        self._due = (self._due or now - self.period) + self.period
        self._late.append(max(now - self._due, 0.0))
        if now > self._due + PAUSE:  # it was stopped, or is too slow: it does not hurry after the clock
            self._due = now
        if now < self._due:
            clock.sleep(self._due - now)
        self._woke.append(clock.perf_counter())

    def timing(self) -> dict[str, float]:
        """Of a paced session: how many steps came later than the clock, by how much (`p99`, `worst`, s), and `jitter`,
        the standard deviation of the time from one step to the next (s).
        """
        late = np.array(self._late)
        if not len(late):
            raise InputError("timing: only a session with `paced=True` that has stepped knows it")
        found = {"p99": np.quantile(late, 0.99), "worst": late.max(), "jitter": np.diff(self._woke).std()}
        return {"steps": len(late), "late": int((late > 0).sum()), **{name: float(one) for name, one in found.items()}}

    def recorded(self, state: State, gait: Gait) -> Records:
        """The record of one instant."""
        here = np.array([state.time, state.time])
        drive = self.model.drive(gait, np.repeat(here[:1], 3))
        return self.model.advance(state, here, np.array([False, True]), drive)[1]  # type: ignore[no-any-return]

    def result(self) -> Result:
        """This instant alone as a result, to be drawn."""
        now = self.recorded(self._state, self._gait)
        return Result.from_records([now], self.model, self.scenario, "completed", self._state, None)

    def save(self) -> State:
        """Where it is, to come back to, in this session or in another one of the same scenario."""
        texts = {"gait": self._gait.model_dump_json(), **({"tuned": json.dumps(self._tuned)} if self._tuned else {})}
        kept = {name: np.frombuffer(text.encode(), dtype=np.uint8) for name, text in texts.items()}
        return replace(self._state, x=self._state.x.copy(), memory={**self._state.memory, **kept})

    def restore(self, state: State) -> None:
        """Go back to a saved state, with the gait that was in force; torques and wishes since then are forgotten."""
        refuse_foreign(state, self._state, "the saved state")
        memory = dict(state.memory)
        saved, tuned = (memory.pop(name, None) for name in ("gait", "tuned"))
        if saved is not None:
            self._gait = self._gait.model_validate_json(np.asarray(saved).astype(np.uint8).tobytes())
        if self._tuned or tuned is not None:
            self._tuned = {} if tuned is None else json.loads(np.asarray(tuned).astype(np.uint8).tobytes())
            self.model.retune(self._tuned)
        self._state = replace(state, x=state.x.copy(), memory=memory)
        self._wish, self._held, self._due = {}, None, 0.0
