"""Runs on a thread of their own: the newest wish wins, progress is told, and a run can be cancelled."""

from __future__ import annotations

import math
import threading
import time as clock
from collections.abc import Callable
from typing import TYPE_CHECKING

from limbless.core import InputError, SimulationError
from limbless.view.studio.studio_limits import MOST_SECONDS

if TYPE_CHECKING:
    from limbless.scenarios.scenario import Scenario
    from limbless.simulation.result import Result

CANCELLED = "cancelled; the last good run is shown"


class Later:
    """Does the newest of several things, once no other has come for a while: a number is not
    run while it is being typed.
    """

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._timer: threading.Timer | None = None

    def do(self, action: Callable[[], None]) -> None:
        self.close()
        self._timer = threading.Timer(self._pause, action)
        self._timer.daemon = True
        self._timer.start()

    def close(self) -> None:
        """Forget what was to be done."""
        if self._timer is not None:
            self._timer.cancel()


class RunThread:
    """Simulates scenarios one after the other.

    Parameters
    ----------
    done : called with each result that a run completed.
    failed : called with a sentence when a run was refused, failed or was cancelled.
    progress : called with the fraction done while a run is on its way.
    compiling : called when a run begins to compile what it needs, before it moves.
    turns : runs that may go on at a time, shared with other workers; absent, nothing is waited for.
    longest : s that a run may take.
    """

    def __init__(
        self,
        done: Callable[[Result], None],
        failed: Callable[[str], None],
        progress: Callable[[float], None],
        turns: threading.Semaphore | None = None,
        longest: float = MOST_SECONDS,
        compiling: Callable[[], None] = lambda: None,
    ) -> None:
        self._done, self._failed, self._progress, self._compiling = done, failed, progress, compiling
        self._turns, self._longest, self._end = turns or threading.Semaphore(), longest, math.inf
        self._news = threading.Condition()
        self._wanted: Scenario | None = None
        self._cancel = self._closed = False
        self._thread = threading.Thread(target=self._work, name="limbless run", daemon=True)
        self._thread.start()

    def ask(self, scenario: Scenario) -> None:
        """Run this one; one that is running or waiting is dropped."""
        with self._news:
            self._wanted = scenario
            self._news.notify()

    def cancel(self) -> None:
        """Stop the run that is on its way."""
        with self._news:
            self._cancel, self._wanted = True, None

    def close(self) -> None:
        """End the thread; waits for it."""
        with self._news:
            self._closed = True
            self._news.notify()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=10.0)

    def _work(self) -> None:
        while True:
            with self._news:
                self._news.wait_for(lambda: self._closed or self._wanted is not None)
                if self._closed:
                    return
                scenario, self._wanted, self._cancel = self._wanted, None, False
            if scenario is not None and self._gets_its_turn():
                try:
                    self._end = clock.monotonic() + self._longest
                    self._run(scenario)
                finally:
                    self._turns.release()

    def _gets_its_turn(self) -> bool:
        """Wait until few enough others run; no turn for what is not wanted any more."""
        while not self._turns.acquire(timeout=0.1):
            if self._dropped_meanwhile():
                self._dropped()
                return False
        return True

    def _dropped_meanwhile(self) -> bool:
        return self._closed or self._cancel or self._wanted is not None

    def _run(self, scenario: Scenario) -> None:
        from limbless.mechanics.compiled import on_compile
        from limbless.simulation.simulate import run_scenario

        try:
            with on_compile(self._compiling):
                result = run_scenario(scenario, progress=self._tell)
        except KeyboardInterrupt:  # a task that has nothing to keep
            self._dropped()
        except (InputError, SimulationError) as error:
            self._failed(str(error) if isinstance(error, InputError) else f"The run failed: {error}")
        except MemoryError:
            self._failed(
                "this run needs more memory than there is; shorten it, record less often, or take fewer bodies"
            )
        except Exception as error:  # a page must say what happened, whatever it was
            self._failed(f"Unexpected error: {type(error).__name__}: {error}")
        else:
            if result.status == "completed":
                self._done(result)
            else:
                self._dropped()

    def _dropped(self) -> None:
        if self._cancel:
            self._failed(CANCELLED)
        elif clock.monotonic() > self._end and not self._dropped_meanwhile():
            self._failed(
                f"stopped: a run in the studio may take {self._longest:g} s, and this one would take longer; "
                "shorten it, or run it with `limbless run` and look at what that wrote"
            )

    def _tell(self, fraction: float, time: float, factor: float) -> None:
        if self._dropped_meanwhile() or (clock.monotonic() > self._end and fraction < 1.0):
            raise KeyboardInterrupt  # the time loop's own way to be stopped
        self._progress(fraction)
