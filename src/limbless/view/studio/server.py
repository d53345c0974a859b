"""A viser server that is quiet, listens on this machine only, lets nobody in who is not asked, and never
opens a way in from outside.
"""

from __future__ import annotations

import contextlib
import threading
import time as clock
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from limbless.core import InputError, SimulationError
from limbless.view.studio.auth import LOOPBACK, AuthMiddleware, in_front_of_viser, refuse_without

if TYPE_CHECKING:
    from viser import ClientHandle, ViserServer

    from limbless.view.studio.page import Page

_HANDING = 30.0  # s that what was told before may take to be handed over; whoever has left is not waited for
_TOGETHER = 4096  # messages that are sent as one: a robot of many meshes is moved by hundreds
HOW = "pip install 'limbless[view]'"
BRAND = (0, 114, 178)


def require(module: str = "viser", how: str = HOW) -> None:
    """An `InputError` that says how to install what is missing."""
    import importlib.util

    if importlib.util.find_spec(module) is None:
        raise InputError(f"this needs the package {module}, which is not installed: {how}")


def quiet_server(
    host: str = LOOPBACK, port: int = 0, label: str | None = None, gate: AuthMiddleware | None = None
) -> ViserServer:
    """A started server; port 0 takes a free one. Behind a gate that is not given nobody gets in: its
    token is known to nobody.
    """
    require()
    import viser

    # A visitor may leave while something is being drawn: nobody needs to hear of it.
    warnings.filterwarnings("ignore", "Queued a .* on a closed connection", UserWarning)
    gate = gate or AuthMiddleware(host)
    with _silence(), in_front_of_viser(gate):  # its banner comes even where none is wanted
        server = viser.ViserServer(host=host, port=port, label=label, verbose=False)
    try:
        refuse_without(gate)
    except InputError:
        stop(server)
        raise
    server.request_share_url = _no_sharing  # type: ignore[method-assign]
    server.gui.configure_theme(show_logo=False, show_share_button=False, brand_color=BRAND)
    return server


def stop(server: ViserServer) -> None:
    """Stop a server without a word; its threads and connections end."""
    with _silence():
        server.stop()


def by_visitor(handle: Any, action: Callable[[], Any]) -> Any:
    """The control, which does something when the visitor changes or clicks it, and not when the program does. What goes
    wrong is told to the visitor, whose message may have been made by hand, and not to whoever looks at the terminal.
    """

    def changed(event: Any) -> None:
        if event.client is None:
            return
        try:
            action()
        except Exception as error:
            told = f"{type(error).__name__}: {error!s:.300}"
            with contextlib.suppress(Exception):  # it may have left
                event.client.add_notification("This could not be done", told)

    getattr(handle, "on_click" if hasattr(handle, "on_click") else "on_update")(changed)
    return handle


def removed(parts: Iterable[Any]) -> list[Any]:
    """What is left of parts of a page when all of them are taken away."""
    for part in parts:
        part.remove()
    return []


class Panel:
    """Controls of a page that a result has or has not, and what they do."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._parts: list[Any] = []
        self._busy = threading.Lock()
        self._wanted: Any = None

    def _clear(self) -> None:
        self._parts = removed(self._parts)

    def _folder(self, name: str, tab: Any, order: float) -> Any:
        """A folder of a tab, in place of what was there; folded while nobody asked for it."""
        self._clear()
        with tab:
            self._parts = [self.page.client.gui.add_folder(name, order=order, expand_by_default=False)]
        return self._parts[0]

    def ask(self, wanted: Any) -> None:
        """Follow a wish of the visitor; while one is being followed only the newest is kept."""
        self._wanted = wanted
        while self._wanted is not None and self._busy.acquire(blocking=False):
            try:
                wanted, self._wanted = self._wanted, None
                self._follow(wanted)
            finally:
                self._busy.release()

    def _follow(self, wanted: Any) -> None:
        """Do what is wished."""

    @contextlib.contextmanager
    def _refusing(self) -> Iterator[None]:
        """What cannot be done is said on the page, and is left there."""
        try:
            yield
        except (InputError, SimulationError) as error:
            self.page.controls.refuse(str(error))


def handed_over(client: ClientHandle) -> bool:
    """Whether all that a visitor was told has been given to the connection."""
    told = client._websock_connection.get_message_buffer()
    return told.done or not told.message_from_id


@contextlib.contextmanager
def in_one_piece(client: ClientHandle) -> Iterator[None]:
    """What is told inside reaches the page together, so that no picture shows a part of it.

    viser's own `atomic` is not enough: a block that begins while the one before is being handed over cuts that in two.
    So it begins when nothing is left of what was told before. Nor may it be sent in parts, however many messages it is.
    """
    told, end = client._websock_connection.get_message_buffer(), clock.monotonic() + _HANDING
    told.max_window_size = _TOGETHER
    while not told.atomic_counter and not handed_over(client) and clock.monotonic() < end:
        clock.sleep(0.001)
    with client.atomic():
        yield


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Nothing is printed through rich, neither on a terminal nor in a notebook."""
    import rich

    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before


def _no_sharing(*_: Any, **__: Any) -> None:
    """A page may ask for a public address through somebody else's server; it does not get one."""
    return None
