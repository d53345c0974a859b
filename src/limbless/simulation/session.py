"""`Session`: a robot that is driven live, period after period, from a joystick, hardware or middleware."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import InputError, SimulationError, knots_between, on_grid, parted, stage_times
from limbless.models.base import State, StaticModel
from limbless.scenarios.number_checks import computable
from limbless.scenarios.scenario import Scenario
from limbless.simulation.time_loop import asking

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Array = NDArray[np.float64]


class Session:
    """A scenario that goes on for as long as it is asked to. Nothing is recorded; the motion is that of `ll.run`, in
    every bit, as long as nothing is commanded.

    Parameters
    ----------
    source, changes, allow_code : the scenario, as for `ll.run`; its duration has no meaning here.
    period : s, of one `step`; the scenario's `control_period`, or its step, if absent.
    paced : whether a step waits for the clock on the wall, so that a second of motion takes a second.
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
        self.scenario.refuse_incomplete(controlled=True)
        self.period = period or self.scenario.control_period or self.scenario.step
        count = round(self.period / self.scenario.step)
        if count < 1 or abs(self.period - count * self.scenario.step) > 1e-9 * self.period:
            raise InputError(f"period: {self.period:g} s is no whole multiple of the step of {self.scenario.step:g} s")
        with computable(self.scenario):
            self._model: Any = self.scenario.assemble()
        if isinstance(self._model, StaticModel):
            raise InputError("statics has no time: there is nothing to step")
        with asking(self.scenario.gait, "at t = 0 s"), computable(self.scenario):
            self._state: State = self._model.initial_state(self.scenario.initial, self.scenario.gait)
        limit = self._model.step_limit(self._state)
        if limit is not None and self.scenario.step > limit.longest:
            raise InputError(
                f"step: {self.scenario.step:g} s is too long for {limit.why}; try one of up to {limit.longest:.3g} s"
            )
        self._gait, self._wish, self._torque = self.scenario.gait, dict[str, Any](), None
        self._paced, self._due, self._late = paced, 0.0, list[float]()

    @property
    def time(self) -> float:
        """s."""
        return self._state.time

    def observe(self) -> dict[str, Array]:
        """What a controller sees: see `Controller`."""
        return dict(self._model.observe(self._state))

    def command(self, command: Mapping[str, Any] | ArrayLike | None) -> None:
        """From the next step on: fields of the gait, to which it passes over one period, or joint torques, which are
        added and held. None: no torques.
        """
        if isinstance(command, Mapping):
            self._gait.changed(**command)  # what is wrong is said now
            self._wish |= command
        else:
            self._torque = None if command is None else self._model.commanded(command)

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
        begin, model, state = self.time, self._model, self._state
        finish = on_grid(begin + self.period, self.scenario.step)
        passing, gait = self._gait.passage(self._wish, begin, finish) if self._wish else (self._gait, self._gait)
        switches = [*self.scenario.switches(begin, finish, passing), *model.breakpoints(passing, begin, finish)]
        for knots in parted(
            knots_between(begin, finish, self.scenario.step, switches), model.jumps(passing, begin, finish)
        ):
            with asking(passing, f"between t = {knots[0]:g} and {knots[-1]:g} s"), computable(self.scenario):
                drive = model.drive(passing, stage_times(knots))
            drive = drive if self._torque is None else model.with_torque(drive, self._torque)
            with np.errstate(all="ignore"):
                state, _, status = model.advance(state, knots, np.zeros(len(knots), dtype=bool), drive)
            if isinstance(status.cause, KeyboardInterrupt):
                raise status.cause
            if status.failure or not model.is_sound(state):
                told = status.failure or "the motion diverged; try a shorter step, or a gentler command"
                raise SimulationError(f"at t = {begin:g} s {told}", begin, status.place) from status.cause
        self._state, self._gait, self._wish = state, gait, {}

    def _wait(self) -> None:
        """Until the clock has come to this step; how late it was is kept."""
        now = clock.perf_counter()
        self._due = (self._due or now - self.period) + self.period
        self._late.append(max(now - self._due, 0.0))
        if now < self._due:
            clock.sleep(self._due - now)

    def timing(self) -> dict[str, float]:
        """Of a paced session: by how much its steps came later than the clock (s), and how many did."""
        late = np.array(self._late)
        if not len(late):
            raise InputError("timing: only a session with `paced=True` that has stepped knows it")
        p99 = float(np.quantile(late, 0.99))
        return {"steps": len(late), "late": int((late > 0).sum()), "p99": p99, "worst": float(late.max())}

    def save(self) -> State:
        """Where it is, to come back to, in this session or in another one of the same scenario."""
        gait = np.frombuffer(self._gait.model_dump_json().encode(), dtype=np.uint8)
        return replace(self._state, x=self._state.x.copy(), memory={**self._state.memory, "gait": gait})

    def restore(self, state: State) -> None:
        """Go back to a saved state, with the gait that was in force; torques and wishes since then are forgotten."""
        if state.x.shape != self._state.x.shape:
            raise InputError(
                f"the state belongs to another robot or model: it has {state.x.size} numbers, this one "
                f"{self._state.x.size}"
            )
        memory = dict(state.memory)
        saved = memory.pop("gait", None)
        if saved is not None:
            self._gait = self._gait.model_validate_json(np.asarray(saved).astype(np.uint8).tobytes())
        self._state, self._wish, self._torque, self._due = (
            replace(state, x=state.x.copy(), memory=memory),
            {},
            None,
            0.0,
        )
