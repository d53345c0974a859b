"""The studio: a page on this machine in which a run is watched and tuned."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from limbless.core import InputError
from limbless.view.scene.frames import frames_of
from limbless.view.studio.auth import LOOPBACK, AuthMiddleware
from limbless.view.studio.server import quiet_server, stop
from limbless.view.studio.studio_limits import FULL, MOST_RUNS, MOST_VISITORS

if TYPE_CHECKING:
    from viser import ClientHandle

    from limbless.scenarios.scenario import Scenario
    from limbless.search.sweeps.sweep import Sweep
    from limbless.simulation.result import Result
    from limbless.view.studio.live_drive import LiveDrive
    from limbless.view.studio.page import Page


class Studio:
    """A server with one `Page` per visitor.

    Parameters
    ----------
    result : what every page shows first.
    source : what can be tuned: name or path of a scenario; the result's own scenario if absent.
    ghost : a second result that is drawn as a ghost.
    others : more of them, one colour each, such as the rungs of a ladder.
    host, port : where to listen; this machine only and a free port unless said otherwise.
    folder : where pages may save; the working folder if absent.
    sweep : a sweep, one run of which the result is, and the number of that run: its map is shown beside the view.
    allow_code : whether Python code that the source names may be loaded when a field is changed; what is shown first
        runs none.
    """

    def __init__(
        self,
        result: Result,
        source: str | Scenario | None = None,
        ghost: Result | None = None,
        host: str = LOOPBACK,
        port: int = 0,
        folder: Path | None = None,
        allow_code: bool = False,
        sweep: tuple[Sweep, int] | None = None,
        others: Sequence[Result] = (),
    ) -> None:
        self.allow_code, self.sweep, self.others = allow_code, sweep, others
        self.result, self.source, self.ghost = result, source or result.scenario, ghost
        self.folder = (folder or Path.cwd()).resolve()
        self.pages: dict[int, Page] = {}
        self._gone: set[int] = set()  # visitors who left before their page was made
        self._lock = threading.Lock()
        self.saving = threading.Lock()  # one run is saved at a time
        self.turns = threading.Semaphore(MOST_RUNS)
        self._entering = 0  # visitors whose page is being made
        self._turned_away: set[int] = set()
        for shown in (result, ghost, *others):
            if shown is not None:
                frames_of(shown)  # what cannot be drawn is refused here, and not to every visitor
        self._left = threading.Event()
        self.gate = AuthMiddleware(host)
        self.server = quiet_server(host, port, f"limbless: {result.name or 'result'}", self.gate)
        self.server.on_client_connect(self._enter)
        self.server.on_client_disconnect(self._leave)

    @property
    def url(self) -> str:
        """The address with its token: whoever has it can watch, tune and save."""
        return self.gate.address(self.server.get_port())

    def _enter(self, client: ClientHandle) -> None:
        from limbless.view.studio.page import Page

        with self._lock:
            full = len(self.pages) + self._entering >= MOST_VISITORS
            self._entering += not full
            if full:
                self._turned_away.add(client.client_id)
        if full:
            client.gui.add_html(f"<div id='status' role='alert' style='padding:12px;font-size:14px'>{FULL}</div>")
            return
        page = None
        try:
            page = Page(client, self)
        except Exception as error:
            # data that do not fit together: the visitor reads it, and the studio goes on
            told = escape(f"this run cannot be shown: {type(error).__name__}: {error}")
            client.gui.add_html(f"<div id='status' role='alert' style='padding:12px;font-size:14px'>{told}</div>")
        finally:
            with self._lock:
                self._entering -= 1
                gone = client.client_id in self._gone
                self._gone.discard(client.client_id)
                if page is not None and not gone:
                    self.pages[client.client_id] = page
        if gone and page is not None:
            page.close()

    def _leave(self, client: ClientHandle) -> None:
        with self._lock:
            page = self.pages.pop(client.client_id, None)
            if page is None and client.client_id not in self._turned_away:
                self._gone.add(client.client_id)
            self._turned_away.discard(client.client_id)
        if page is not None:
            page.close()
        self._left.set()

    def wait(self, patience: float = 3.0) -> None:
        """Until the last page was closed (a page that comes back within `patience` seconds was only
        loaded again), or until Ctrl-C.
        """
        while True:
            if not self._left.wait(0.2):
                continue
            self._left.clear()
            if not self.pages and not self._comes_back(patience):
                return

    def _comes_back(self, patience: float) -> bool:
        pause = threading.Event()
        return any(self.pages or pause.wait(0.1) for _ in range(int(patience / 0.1)))

    def close(self) -> None:
        """Close every page and stop the server; no thread is left."""
        with self._lock:
            pages, self.pages = list(self.pages.values()), {}
        for page in pages:
            page.close()
        stop(self.server)


def opened(
    text: str,
    changes: Mapping[str, Any],
    load: Callable[[str, Any], Scenario] | None = None,
    run: Callable[[Scenario], Result] | None = None,
) -> tuple[Result, str | Scenario | None]:
    """What `limbless view` was given: the folder or file of a run, or a scenario, which is run first;
    and what can be tuned of it.
    """
    from limbless.scenarios.scenario import Scenario
    from limbless.simulation.result import FILE_NAME, Result

    path = Path(text)
    if path.suffix == ".nc" or (path.is_dir() and (path / FILE_NAME).exists()):
        if changes:
            raise InputError(
                f"{text} is a finished run: its fields are changed in the page, or by running its "
                f"scenario.yaml with --set"
            )
        result = Result.load(path)
        return result, result.scenario
    if path.is_dir():
        raise InputError(f"the folder {text} holds no {FILE_NAME}; give the folder that a run wrote, or a scenario")
    from limbless.simulation.simulate import run_scenario

    scenario = (load or Scenario.load)(text, changes)
    return (run or run_scenario)(scenario), (scenario if changes else text)


def opened_sweep(
    folder: Path, run: Callable[[Scenario], Result], allow_code: bool = False
) -> tuple[Result, Sweep, int]:
    """The folder of a sweep, finished or not: the best of its runs so far, which is run again, and its number."""
    from limbless.search.sweeps.sweep import Sweep
    from limbless.view.studio.sweep_map import first_run

    sweep = Sweep.load(folder, allow_code)
    number = first_run(sweep)
    return run(sweep.scenario(number)), sweep, number


def serve(studio: Studio | LiveDrive, browser: bool = True, told: Callable[[str], None] | None = None) -> None:
    """Until the page is closed or Ctrl-C is pressed; afterwards nothing is left running."""
    import webbrowser

    try:
        if told is not None:
            told(studio.url)
        if browser:
            webbrowser.open(studio.url)
        studio.wait()
    except KeyboardInterrupt:
        pass
    finally:
        studio.close()
