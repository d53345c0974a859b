"""Control periods that are laid out ahead, so that each costs one call: of a run, and of a robot of a session.

The knots, the gait's drive and the memory for records of many periods are made at once (a `StandingProblem` of the
model). A command that changes the gait replaces the drive of its period, and of those after it when they come. Where
steps would then end at other times its period is a block of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from limbless.control.gaits.base import Gait
from limbless.control.gaits.user_gait import FunctionGait
from limbless.core import LOOKS, Array, InputError, SimulationError, knots_among, on_grid, stage_times, told
from limbless.mechanics.compiled import map_arrays
from limbless.models.base import Model, Records, State, Status
from limbless.scenarios.plausibility import computable
from limbless.scenarios.scenario import Scenario

STEPS = 4096
"""Most steps that are laid out ahead: laying out is then little work for each of them."""
FIRST = 8
"""Periods that are laid out at first, twice as many the next time, and that get the drive of a changed gait at once."""
ROBOT = 512
"""Steps of a robot of a session: there may be hundreds of them, each with memory of its own."""


def sampled(scenario: Scenario, model: Model, gait: Any, knots: Array) -> Any:
    """The drive of a block. What goes wrong is told as `asking` and `computable` tell it; they are too slow for every
    call of a controller."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            return model.drive(gait, stage_times(knots))
    except BaseException:
        with asking(gait, f"between t = {knots[0]:g} and {knots[-1]:g} s"), computable(scenario):
            raise


def advance_block(
    scenario: Scenario, model: Model, state: State, knots: Array, kept: Any, gait: Any, torque: Any = None
) -> tuple[State, Records, Status]:
    """The state after a block, its records at the knots that are `kept`, and what went wrong, if anything. `torque`: of
    joints, beside the drive, or a `JointTarget`."""
    drive = sampled(scenario, model, gait, knots)
    if torque is not None:
        drive = model.with_torque(drive, torque)
    with np.errstate(all="ignore"):  # numbers that leave the finite world are seen in what comes out
        return model.advance(state, knots, kept, drive)


@contextmanager
def asking(gait: Any, when: str) -> Iterator[None]:
    """Whatever a gait that is no part of the library raises, but Ctrl-C, becomes an `InputError`
    that names it and the time.
    """
    try:
        yield
    except (KeyboardInterrupt, InputError, SimulationError):
        raise
    except BaseException as error:
        if type(gait).__module__.startswith("limbless."):
            raise
        raise InputError(f"gait {type(gait).__name__} failed {when} with {told(error)}") from error


def switches(scenario: Scenario, model: Model, gait: Any, begin: float, finish: float) -> list[float]:
    """Times at which a step must end."""
    return [*scenario.switches(begin, finish, gait), *model.breakpoints(gait, begin, finish)]


class PeriodsAhead:
    """Periods of one robot, laid out ahead of it in the standing problem of its model.

    Parameters
    ----------
    owner : the run or the session: its scenario and model.
    problem : the standing problem.
    """

    def __init__(self, owner: Any, problem: Any) -> None:
        self.owner, self.problem, self._laid = owner, problem, False

    def _lay_out(self, times: Array, state: State, gait: Gait) -> bool:
        """Periods between these times. False where they do not fit, or where the gait does not."""
        owner = self.owner
        self._switches = set(switches(owner.scenario, owner.model, gait, float(times[0]), float(times[-1])))
        knots, places = knots_among(times, owner.scenario.step, sorted(self._switches))
        drive = None if len(knots) > STEPS + 1 else self._drive(gait, knots)
        if drive is None:
            return False
        self._knots, self._places = knots, places
        self.problem.begin(state, knots, self._recorded(knots), drive)
        self._begun, self._period, self._laid = state, 0, True
        self._gait, self._until = gait, len(places) - 1
        return True

    def _recorded(self, knots: Array) -> Any:
        """Which knots are recorded."""
        return np.zeros(len(knots), dtype=bool)

    def _drive(self, gait: Any, knots: Array) -> Any:
        """None where the gait jumps, since a block of steps ends there, or where it ends before these knots do."""
        if self.owner.model.jumps(gait, float(knots[0]), float(knots[-1])):
            return None
        try:
            return sampled(self.owner.scenario, self.owner.model, gait, knots)
        except (InputError, SimulationError):
            return None

    def _follows(self, gait: Any, lasts: bool) -> bool:
        """Whether the next period that is laid out has the drive of this gait; it gets it where it can, and those
        after it too where the gait `lasts`."""
        if gait is self._gait and self._period < self._until:
            return True
        places, first = self._places, self._places[self._period]
        self._gait, count = gait, FIRST if lasts else 1
        self._until = min(self._period + count, len(places) - 1)
        knots = self._knots[first : places[self._until] + 1]
        begin, finish = float(knots[0]), float(knots[-1])
        found = switches(self.owner.scenario, self.owner.model, gait, begin, finish)
        if set(found) != {time for time in self._switches if begin < time < finish}:
            return False
        drive = self._drive(gait, knots)
        return drive is not None and self.problem.redrive(first, places[self._until], drive)

    def _moved(self, command: Any, closing: bool) -> int:
        """The next period that is laid out; what the engine found."""
        found: int = self.problem.go(self._places[self._period + 1], command, closing)
        self._period += 1
        return found


class RobotAhead(PeriodsAhead):
    """A robot of a session that goes on where it was: nothing of it is recorded."""

    @classmethod
    def of(cls, session: Any) -> RobotAhead | None:
        """None where the model has no such memory, and where a user's function is the gait: it may look at the clock,
        or at a joystick."""
        gait, each = session.scenario.gait, session.period / session.scenario.step
        home = getattr(gait.function, "__module__", None) if isinstance(gait, FunctionGait) else __name__
        own = not str(home).startswith("limbless.")
        short = each <= ROBOT / 2 and session.model.switching is None and not own
        problem = session.model.standing_problem() if short else None
        # else its state is whole at the end of a block alone
        return cls(session, problem) if problem is not None and problem.redrives else None

    def __init__(self, session: Any, problem: Any) -> None:
        super().__init__(session, problem)
        self._state: State | None = None
        self._loop = session.model._loop  # whose numbers the problem has

    def advanced(self, state: State, passing: Any, after: Gait, command: Any) -> State | None:
        """The state after a period with the gait `passing`; None where it does not go this way, and nothing happened.

        The state is one for itself. Only with the one that was given last the robot goes on at once.
        """
        goes_on = self._laid and state is self._state and self._period + 1 < len(self._places)
        fits = goes_on or self._lay_out(self._times(state.time), state, after)
        self._laid = False
        if not fits or not self._follows(passing, passing is after):
            return None
        self._retuned()
        if self._moved(command, False) or not self.problem.is_sound():
            return None
        self._laid, self._state = True, self.problem.state()
        return self._state

    def _retuned(self) -> None:
        """Controllers with state have the numbers that the model was given last."""
        loop = self.owner.model._loop
        if loop is not self._loop:
            map_arrays(np.copyto, self.problem.problem.options.controllers, loop.tables())
            self._loop = loop

    def _times(self, begin: float) -> Array:
        """When periods end, one after another as a session finds it."""
        session, times = self.owner, [begin]
        for _ in range(round(ROBOT * session.scenario.step / session.period)):
            times.append(on_grid(times[-1] + session.period, session.scenario.step))
        return np.array(times)


class Prefetch(PeriodsAhead):
    """Control periods of a run, laid out ahead of it.

    Parameters
    ----------
    owner : the run (`time_loop.Run`): its state, gait, torques and records.
    problem : the standing problem of the model.
    count : how many control periods that is.
    """

    def __init__(self, owner: Any, problem: Any, count: int) -> None:
        super().__init__(owner, problem)
        self.count, self._ahead = count, FIRST

    @classmethod
    def of(cls, run: Any) -> Prefetch | None:
        """None where the model has no such memory, or a period is as long as a block anyway."""
        scenario = run.scenario
        each = (scenario.control_period or scenario.step) / scenario.step
        count = int(STEPS / (each + 2.0))  # switches of gait and environment are knots, too
        short = each < run.model.steps_per_block and run.model.switching is None
        problem = run.model.standing_problem() if short else None
        if problem is None:
            return None
        span = run.end - run.state.time
        steps = min(math.ceil(span / scenario.step) + 1, STEPS)
        problem.reserve(steps, min(math.ceil(span / scenario.record_every) + LOOKS, steps))
        return cls(run, problem, count)

    def periods(self) -> Iterator[Status | None]:
        """Period by period: what went wrong in it, if anything."""
        run = self.owner
        for times in run.control_times(self.count):
            plain = times.tolist()
            for number in range(len(times) - 1):
                begin, finish = plain[number], plain[number + 1]
                gait = run.ask_controller(begin, finish, run.state)
                fits = run.records and (gait is run.gait or self.problem.redrives)
                if (
                    fits
                    and (self._laid or self._lay_out(times[number:][: self._ahead + 1], run.state, run.gait))
                    and self._follows(gait, gait is run.gait)
                ):
                    yield self._go(finish)
                    continue
                self._ahead = FIRST
                yield self.left() or self._alone(begin, finish, gait)
            failure = self.left()
            if failure:
                yield failure

    def _alone(self, begin: float, finish: float, gait: Any) -> Status | None:
        """One period in blocks of its own."""
        blocks = (self.owner.step(knots, gait) for knots in self.owner.blocks(begin, finish, gait))
        return next((failure for failure in blocks if failure), None)

    def _recorded(self, knots: Array) -> Any:
        self._marks = self.owner.chosen(knots)
        return self._marks[0] | self._marks[1]

    def _go(self, finish: float) -> Status | None:
        """The next period that is laid out."""
        run, problem = self.owner, self.problem
        found = self._moved(run.torque, finish == run.end)
        if found or not problem.is_sound():
            return self.left(found)
        run.state = problem.now
        if self._period + 1 == len(self._places):  # nothing is left of what was laid out
            self._ahead *= 2
            return self.left()
        return None

    def left(self, found: int = 0) -> Status | None:
        """Give the run its state and its records. Returns what went wrong, if anything: its state is then that of the
        beginning, as after a block that failed.
        """
        if not self._laid:
            return None
        run, last, self._laid = self.owner, self._places[self._period], False
        run.looks.back_to(self._knots, last)
        if not self._period:
            return None
        run.state = self._begun
        state, records, status = self.problem.leave(found)
        marks = [mark[self._marks[0] | self._marks[1]] for mark in self._marks]
        failure: Status | None = run.judge(state, records, status, tuple(marks), float(self._knots[last]))
        return failure
