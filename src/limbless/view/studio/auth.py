"""Who may enter the studio: every request and web socket is held against its own address and token, before viser sees
it.

A browser lets any page open a web socket to any address, this machine's own included. So a socket must say that it
comes from the studio's own page (`Origin`), every request must be meant for the studio's own address (`Host`: a name
that somebody else points here is refused), and its path must begin with a random token that only the printed address
carries.
"""

from __future__ import annotations

import ipaddress
import secrets
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from limbless.core import InputError

if TYPE_CHECKING:
    from websockets.asyncio.server import ServerConnection
    from websockets.http11 import Request, Response

    Check = Callable[[ServerConnection, Request], Any]

LOOPBACK = "127.0.0.1"
MOST_SOCKETS = 24
"""Open web sockets of one server; the studio shows itself to fewer visitors, the others read why it does not."""
LARGEST_MESSAGE = 2**20
"""Bytes that a visitor's browser may send at once; it tells of clicks, typed values and where its camera is."""
PATIENCE = 60.0
"""s that a visitor may take nothing of what it is sent: nobody holds a place without reading."""
_LOOKS = 6
_HANDLER = "viser.infra._infra"
HERE = frozenset({"localhost", LOOPBACK, "::1"})
_ANYWHERE = frozenset({"", "0.0.0.0", "::"})
_starting = threading.Lock()


class AuthMiddleware:
    """The check in front of one server.

    Parameters
    ----------
    host : the address that the server listens on.

    Attributes
    ----------
    token : first part of the path of every request that is let in.
    installed : whether a server has put it in front of itself.
    """

    def __init__(self, host: str = LOOPBACK) -> None:
        self.host, self.token, self.installed = host.lower(), secrets.token_urlsafe(24), False
        self._names = HERE if self.host in HERE else {self.host, socket.gethostname().lower(), socket.getfqdn().lower()}

    def address(self, port: int) -> str:
        """What a browser on this machine opens."""
        host = LOOPBACK if self.host in _ANYWHERE else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{port}/{self.token}"

    def before(self, serve: Check | None) -> Check:
        """A `process_request` for websockets: refuses what is not let in, and hands the rest on without the token."""

        def check(connection: ServerConnection, request: Request) -> Response | None:
            refusal = self.refusal(request, connection.local_address[1])
            if refusal is None and _is_socket(request) and len(connection.server.connections) >= MOST_SOCKETS:
                refusal = (
                    HTTPStatus.SERVICE_UNAVAILABLE,
                    f"this studio has {MOST_SOCKETS} visitors, the most that it takes",
                )
            if refusal is not None:
                refused = connection.respond(refusal[0], f"{refusal[1]}\n")
                return _guarded(refused, "default-src 'none'; frame-ancestors 'none'")
            if _is_socket(request):
                _watch(connection)
            inside = replace(request, path=request.path.removeprefix(f"/{self.token}") or "/")
            answer = None if serve is None else serve(connection, inside)
            return None if answer is None else _guarded(answer, _policy(request.headers["Host"]))

        return check

    def refusal(self, request: Request, port: int) -> tuple[HTTPStatus, str] | None:
        """Why a request is not let in, or None."""
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if len(hosts) != 1 or not self._is_own(hosts[0], port):
            return HTTPStatus.FORBIDDEN, "this studio has another address: open the one that limbless printed"
        if (origins or _is_socket(request)) and origins != [f"http://{hosts[0]}"]:
            return HTTPStatus.FORBIDDEN, "only the studio's own page may use it"
        token = request.path.partition("?")[0].split("/")[1:2]
        if not (token and secrets.compare_digest(token[0].encode(), self.token.encode())):
            return (
                HTTPStatus.FORBIDDEN,
                "the address of this studio carries a random token: open the one that limbless printed",
            )
        return None

    def _is_own(self, given: str, port: int) -> bool:
        """Whether a `Host` is the studio's: where it listens, with its port. An address in digits cannot be pointed
        here by others.
        """
        try:
            parts = urlsplit(f"//{given}")
            name, own_port = (parts.hostname or "").lower(), (parts.port or 80) == port
        except ValueError:
            return False
        if parts.username is not None or parts.path or not own_port:
            return False
        return name in self._names or (self.host in _ANYWHERE and (name in HERE or _in_digits(name)))


@contextmanager
def in_front_of_viser(gate: AuthMiddleware) -> Iterator[None]:
    """Put a gate before the server that viser starts inside the block; `refuse_without` finds one that has none.

    viser hands its own `process_request` to `websockets.serve` and takes none from outside, so that call is wrapped
    while it starts.
    """
    from websockets.asyncio import server

    with _starting:
        usual: Any = server.serve

        def serve(handler: Any, *places: Any, **options: Any) -> Any:
            if getattr(handler, "__module__", "") == _HANDLER:
                gate.installed = True
                options |= {"process_request": gate.before(options.get("process_request")), "max_size": LARGEST_MESSAGE}
            return usual(handler, *places, **options)

        server.serve = serve  # type: ignore[assignment,misc]
        try:
            yield
        finally:
            server.serve = usual  # type: ignore[misc]


def refuse_without(gate: AuthMiddleware) -> None:
    """A server that nobody checks is not used."""
    if not gate.installed:
        import viser

        raise InputError(
            f"viser {viser.__version__} starts its server in a way that limbless does not know, and without a check "
            "of who enters there is no studio; install the version that limbless was tested with (constraints.txt)"
        )


def _watch(connection: ServerConnection, before: int = 0, unmoved: int = 0) -> None:
    """Look again and again whether a visitor takes what it is sent; one whose network has stood still for `PATIENCE` is
    let go."""
    transport = connection.transport

    def look() -> None:
        if transport.is_closing():
            return
        waiting = transport.get_write_buffer_size()
        stands = unmoved + 1 if waiting and waiting == before else 0
        if stands >= _LOOKS:
            transport.abort()
        else:
            _watch(connection, waiting, stands)

    connection.loop.call_later(PATIENCE / _LOOKS, look)


def _is_socket(request: Request) -> bool:
    return any(value.lower() == "websocket" for value in request.headers.get_all("Upgrade"))


def _in_digits(name: str) -> bool:
    try:
        return bool(ipaddress.ip_address(name))
    except ValueError:
        return False


def _policy(host: str) -> str:
    """The page is one file: whatever it draws, it loads nothing from elsewhere, tells nothing to others and is shown in
    no other page.
    """
    return (
        "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; "
        f"connect-src 'self' ws://{host} data: blob:; frame-ancestors 'none'; form-action 'none'; base-uri 'none'"
    )


def _guarded(response: Response, policy: str) -> Response:
    """Nothing of the address goes to other places, and nothing is kept."""
    response.headers.update(
        {
            "Content-Security-Policy": policy,
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
        }
    )
    return response
