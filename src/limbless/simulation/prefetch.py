"""The loop of a run that a controller interrupts: periods are laid out ahead, so that each costs one call.

The knots, the gait's drive and the memory for records of many periods are made at once (a `StandingProblem` of the
model). A command that changes the gait replaces the drive of its period, and of those after it when they come. Where
steps would then end at other times its period is a block of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from limbless.core import Array, InputError, SimulationError, knots_among
from limbless.models.base import Status

STEPS = 4096
"""Most steps that are laid out ahead: laying out is then little work for each of them."""
FIRST = 8
"""Periods that are laid out at first, twice as many the next time, and that get the drive of a changed gait at once."""


class Prefetch:
    """Control periods of a run, laid out ahead of it.

    Parameters
    ----------
    run : the run (`time_loop.Run`): its state, gait, torques and records.
    problem : the standing problem of the model.
    count : how many control periods that is.
    """

    def __init__(self, run: Any, problem: Any, count: int) -> None:
        self.run, self.problem, self.count = run, problem, count
        self._laid, self._ahead = False, FIRST

    @classmethod
    def of(cls, run: Any) -> Prefetch | None:
        """None where the model has no such memory, or a period is as long as a block anyway."""
        scenario = run.scenario
        each = (scenario.control_period or scenario.step) / scenario.step
        count = int(STEPS / (each + 2.0))  # switches of gait and environment are knots, too
        short = each < run.model.steps_per_block and run.model.switching is None
        problem = run.model.standing_problem() if short else None
        return None if problem is None else cls(run, problem, count)

    def periods(self) -> Iterator[Status | None]:
        """Period by period: what went wrong in it, if anything."""
        run = self.run
        for times in run.control_times(self.count):
            plain = times.tolist()
            for number in range(len(times) - 1):
                begin, finish = plain[number], plain[number + 1]
                gait = run.ask_controller(begin, finish, run.state)
                fits = run.records and (gait is run.gait or self.problem.redrives)
                if fits and (self._laid or self._lay_out(times[number:])) and self._follows(gait):
                    yield self._go(finish)
                    continue
                self._ahead = FIRST
                yield self.left() or self._alone(begin, finish, gait)
            failure = self.left()
            if failure:
                yield failure

    def _alone(self, begin: float, finish: float, gait: Any) -> Status | None:
        """One period in blocks of its own."""
        for knots in self.run.blocks(begin, finish, gait):
            failure = self.run.step(knots, gait)
            if failure:
                return failure
        return None

    def _lay_out(self, times: Array) -> bool:
        """Periods from the first of these times on. False where they do not fit, or where the gait does not."""
        run, gait, times = self.run, self.run.gait, times[: self._ahead + 1]
        self._switches = set(run.switches(gait, float(times[0]), float(times[-1])))
        knots, places = knots_among(times, run.scenario.step, sorted(self._switches))
        drive = None if len(knots) > STEPS + 1 else self._drive(gait, knots)
        if drive is None:
            return False
        record, look = run.chosen(knots)
        self._marks, self._knots, self._places = (record, look), knots, places
        self.problem.begin(run.state, knots, record | look, drive)
        self._begun, self._period, self._laid = run.state, 0, True
        self._gait, self._until = gait, len(places) - 1
        return True

    def _drive(self, gait: Any, knots: Array) -> Any:
        """None where the gait jumps, since a block of steps ends there, or where it ends before these knots do."""
        if self.run.model.jumps(gait, float(knots[0]), float(knots[-1])):
            return None
        try:
            return self.run.sampled(gait, knots)
        except (InputError, SimulationError):
            return None

    def _follows(self, gait: Any) -> bool:
        """Whether the next period that is laid out has the drive of this gait; it gets it where it can."""
        if gait is self._gait and self._period < self._until:
            return True
        run, places, first = self.run, self._places, self._places[self._period]
        self._gait, count = gait, FIRST if gait is run.gait else 1
        self._until = min(self._period + count, len(places) - 1)
        knots = self._knots[first : places[self._until] + 1]
        begin, finish = float(knots[0]), float(knots[-1])
        if set(run.switches(gait, begin, finish)) != {time for time in self._switches if begin < time < finish}:
            return False
        drive = self._drive(gait, knots)
        return drive is not None and self.problem.redrive(first, places[self._until], drive)

    def _go(self, finish: float) -> Status | None:
        """The next period that is laid out."""
        run, problem = self.run, self.problem
        found = problem.go(self._places[self._period + 1], run.torque, finish == run.end)
        self._period += 1
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
        last, self._laid = self._places[self._period], False
        self.run.looks.back_to(self._knots, last)
        if not self._period:
            return None
        self.run.state = self._begun
        state, records, status = self.problem.leave(found)
        marks = [mark[self._marks[0] | self._marks[1]] for mark in self._marks]
        failure: Status | None = self.run.judge(state, records, status, tuple(marks), float(self._knots[last]))
        return failure
