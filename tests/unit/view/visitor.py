"""A visitor without a browser: speaks the studio's own messages over a web socket, as any page that got in could."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec.msgpack
import viser
import zstandard
from websockets.sync.client import ClientConnection, connect

CAMERA = {
    "type": "ViewerCameraMessage",
    "wxyz": [1.0, 0.0, 0.0, 0.0],
    "position": [0.0, -3.0, 1.0],
    "fov": 0.8,
    "near": 0.01,
    "far": 100.0,
    "image_height": 480,
    "image_width": 640,
    "look_at": [0.0, 0.0, 0.0],
    "up_direction": [0.0, 0.0, 1.0],
}
SAVE = "Save scenario and result"


@contextmanager
def visiting(address: str, origin: str | None, **headers: str) -> Iterator[ClientConnection]:
    """An open socket; an exception of websockets where it is refused. `address` is that of the page."""
    protocol: Any = f"viser-v{viser.__version__}"
    with connect(
        address.replace("http:", "ws:"),
        origin=origin,  # type: ignore[arg-type]
        subprotocols=[protocol],
        additional_headers=headers,
        max_size=None,
        proxy=None,
        close_timeout=1,
    ) as opened:
        yield opened


def say(connection: ClientConnection, message: dict[str, Any]) -> None:
    connection.send(msgspec.msgpack.encode(message))


def pieces(connection: ClientConnection, timeout: float = 60.0) -> Iterator[list[dict[str, Any]]]:
    """What the server says, in the pieces in which it comes: a page takes each as a whole."""
    while True:
        raw = connection.recv(timeout)
        size = int.from_bytes(raw[8:16], "little")
        yield msgspec.msgpack.decode(zstandard.decompress(raw[16 : 16 + size]))["messages"]


def heard(connection: ClientConnection, timeout: float = 60.0) -> Iterator[dict[str, Any]]:
    """The messages of the server, as they come."""
    for piece in pieces(connection, timeout):
        yield from piece


def press_save(connection: ClientConnection) -> None:
    """What the page from elsewhere did: say hello, read everything, press the button."""
    say(connection, CAMERA)
    button = next(
        one for one in heard(connection) if one["type"] == "GuiButtonMessage" and one["props"]["label"] == SAVE
    )
    say(connection, {"type": "GuiUpdateMessage", "uuid": button["uuid"], "updates": {"value": True}})
