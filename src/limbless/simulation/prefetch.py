"""The loop of a run that a controller interrupts: periods are laid out ahead, so that each costs one call.

While the controller answers with torques, or with nothing, the gait stays as it is: the knots, the gait's
drive and the memory for records of many periods are made at once (a `StandingProblem` of the model). A command
that changes the gait ends that: its period is a block of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from limbless.core import Array, InputError, SimulationError, knots_among
from limbless.models.base import Status

STEPS = 4096
"""Most steps that are laid out ahead: laying out is then little work for each of them."""
FIRST = 8
"""Periods that are laid out at first, and after a command that changed the gait; twice as many the next time."""


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
                before = run.gait
                gait = run.ask_controller(begin, finish, run.state)
                if gait is before and run.records and (self._laid or self._lay_out(times[number:], gait)):
                    yield self._go(finish)
                    continue
                self._ahead = FIRST
                yield self._left() or self._alone(begin, finish, gait)
            failure = self._left()
            if failure:
                yield failure

    def _alone(self, begin: float, finish: float, gait: Any) -> Status | None:
        """One period in blocks of its own."""
        for knots in self.run.blocks(begin, finish, gait):
            failure = self.run.step(knots, gait)
            if failure:
                return failure
        return None

    def _lay_out(self, times: Array, gait: Any) -> bool:
        """Periods from the first of these times on. False where they do not fit, where the drive jumps (a block of
        steps ends there), or where the gait cannot be asked that far ahead: it may end before.
        """
        run, times = self.run, times[: self._ahead + 1]
        if run.model.jumps(gait, float(times[0]), float(times[-1])):
            return False
        knots, places = knots_among(times, run.scenario.step, run.switches(gait, float(times[0]), float(times[-1])))
        if len(knots) > STEPS + 1:
            return False
        try:
            drive = run.sampled(gait, knots)
        except (InputError, SimulationError):
            return False
        record, look = run.chosen(knots)
        self._marks, self._knots, self._places = (record, look), knots, places
        self.problem.begin(run.state, knots, record | look, drive)
        self._begun, self._period, self._laid = run.state, 0, True
        return True

    def _go(self, finish: float) -> Status | None:
        """The next period that is laid out."""
        run, problem = self.run, self.problem
        found = problem.go(self._places[self._period + 1], run.torque, finish == run.end)
        self._period += 1
        if found or not problem.is_sound():
            return self._left(found)
        run.state = problem.now
        if self._period + 1 == len(self._places):  # nothing is left of what was laid out
            self._ahead *= 2
            return self._left()
        return None

    def _left(self, found: int = 0) -> Status | None:
        """Give the run its state and its records. Returns what went wrong, if anything: its state is then that of the
        beginning, as after a block that failed.
        """
        if not self._laid:
            return None
        self._laid, self.run.state = False, self._begun
        last = self._places[self._period]
        state, records, status = self.problem.leave(found)
        self.run.looks.back_to(self._knots, last)
        marks = [mark[self._marks[0] | self._marks[1]] for mark in self._marks]
        failure: Status | None = self.run.judge(state, records, status, tuple(marks), float(self._knots[last]))
        return failure

    def catch_up(self) -> None:
        """Before a run ends early."""
        self._left()
