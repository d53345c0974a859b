"""Who gets into the studio: its own page by its own address, and nobody else."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import limbless as ll
from limbless.view.studio.auth import AuthMiddleware, in_front_of_viser
from tests.browser.driving import until

pytest.importorskip("viser", reason="the extra view is not installed")
from websockets.exceptions import InvalidStatus

from limbless.view.studio.server import quiet_server
from limbless.view.studio.studio import Studio
from tests.unit.view.visitor import press_save, visiting


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    opened = Studio(ll.run("eel-planar", {"duration": 0.1}), folder=tmp_path_factory.mktemp("work"))
    yield opened
    opened.close()


def origin_of(studio: Studio) -> str:
    return studio.url.rpartition("/")[0]


def status_of(address: str, **headers: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=20) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_its_own_page_gets_in_and_can_save(studio: Studio) -> None:
    """What the tests below try does what they fear, where it is let in."""
    status, page = status_of(studio.url)
    assert status == 200 and "<html" in page
    with visiting(studio.url, origin_of(studio)) as opened:
        press_save(opened)
        until(lambda: (studio.folder / "runs/eel-planar/result.nc").exists())
    until(lambda: not studio.pages)


@pytest.mark.parametrize(
    "case",
    [
        "another port",
        "another name",
        "no origin",
        "nobody's page",
        "no token",
        "another token",
        "renamed",
        "renamed page",
        "two hosts",
        "https",
        "file",
    ],
)
def test_a_page_from_elsewhere_opens_no_socket(studio: Studio, case: str) -> None:
    own, port = origin_of(studio), studio.server.get_port()
    address, origin, headers = studio.url, own, {}
    if case in ("another port", "another name", "nobody's page", "https", "file"):
        origin = {
            "another port": "http://127.0.0.1:9999",
            "another name": "http://evil.example",
            "nobody's page": "null",
            "https": f"https://127.0.0.1:{port}",
            "file": "file:" + "//",
        }[case]
    elif case == "no origin":
        origin = None
    elif case in ("no token", "another token"):
        address = own if case == "no token" else f"{own}/{'a' * len(studio.gate.token)}"
    elif case == "two hosts":
        headers = {"Host": f"127.0.0.1:{port}"}
    else:  # a name that its owner points at this machine
        headers = {"Host": f"evil.example:{port}"}
        origin = f"http://evil.example:{port}" if case == "renamed page" else own
    before = set(studio.pages)
    with pytest.raises(InvalidStatus) as refused, visiting(address, origin, **headers) as opened:
        press_save(opened)
    assert refused.value.response.status_code == 403
    assert set(studio.pages) == before


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("", {}),
        ("/", {}),
        ("/index.html", {}),
        ("/wrong", {}),
        ("{token}", {"Host": "evil.example"}),
        ("{token}", {"Host": "127.0.0.1:1"}),
        ("{token}", {"Host": "x@127.0.0.1"}),
        ("{token}", {"Origin": "http://127.0.0.1:9999"}),
        ("{token}", {"Origin": "null"}),
        ("{token}x", {}),
        ("//{token}", {}),
        ("/?/{token}", {}),
        ("/x/../{token}", {}),
    ],
)
def test_other_requests_are_refused_in_words(studio: Studio, path: str, headers: dict[str, str]) -> None:
    path = path.replace("{token}", f"/{studio.gate.token}").replace("///", "//")
    status, said = status_of(origin_of(studio) + path, **headers)
    assert status == 403 and ("open the one that limbless printed" in said or "only the studio's own page" in said)
    assert "<html" not in said and studio.gate.token not in said


def test_what_is_served_stays_in_the_page(studio: Studio) -> None:
    with urllib.request.urlopen(studio.url, timeout=20) as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert answer.headers["Referrer-Policy"] == "no-referrer" and answer.headers["Cache-Control"] == "no-store"
    assert (
        "frame-ancestors 'none'" in policy
        and f"connect-src 'self' ws://127.0.0.1:{studio.server.get_port()} data: blob:;" in policy
    )
    assert "http:" not in policy and "*" not in policy


def test_every_studio_has_a_token_of_its_own() -> None:
    tokens = {AuthMiddleware().token for _ in range(50)}
    assert len(tokens) == 50 and all(len(token) == 32 for token in tokens)  # 24 random bytes


@pytest.mark.parametrize(
    ("listens", "given", "own"),
    [
        ("127.0.0.1", "127.0.0.1:80", True),
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "localhost", True),
        ("127.0.0.1", "[::1]:80", True),
        ("127.0.0.1", "192.168.1.5", False),
        ("127.0.0.1", "localhost:81", False),
        ("127.0.0.1", "localhost.evil.example", False),
        ("127.0.0.1", "127.0.0.1.evil.example", False),
        ("127.0.0.1", "", False),
        ("127.0.0.1", "[::1", False),
        ("127.0.0.1", "127.0.0.1:x", False),
        ("127.0.0.1", "127.0.0.1/x", False),
        ("0.0.0.0", "192.168.1.5", True),
        ("0.0.0.0", "[fe80::1]", True),
        ("0.0.0.0", "localhost", True),
        ("0.0.0.0", socket.gethostname(), True),
        ("0.0.0.0", "evil.example", False),
        ("0.0.0.0", "192.168.1.5:81", False),
        ("192.168.1.5", "192.168.1.5", True),
        ("192.168.1.5", "192.168.1.6", False),
    ],
)
def test_its_own_names(listens: str, given: str, own: bool) -> None:
    from websockets.datastructures import Headers

    gate = AuthMiddleware(listens)
    request: Any = SimpleNamespace(path=f"/{gate.token}", headers=Headers(Host=given))
    assert (gate.refusal(request, 80) is None) is own


def test_addresses_that_a_browser_opens() -> None:
    for listens, opened in (
        ("127.0.0.1", "http://127.0.0.1:8/"),
        ("0.0.0.0", "http://127.0.0.1:8/"),
        ("::1", "http://[::1]:8/"),
        ("studio.local", "http://studio.local:8/"),
    ):
        gate = AuthMiddleware(listens)
        assert gate.address(8) == opened + gate.token


def test_a_server_without_its_gate_does_not_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where another version of viser starts its server otherwise, there is no studio, in words, and
    nothing is left listening.
    """
    from websockets.asyncio import server

    from limbless.view.studio import auth

    usual = server.serve
    monkeypatch.setattr(auth, "_HANDLER", "viser.elsewhere")
    with pytest.raises(ll.InputError, match=r"viser .* starts its server in a way that limbless does not know"):
        quiet_server()
    assert server.serve is usual
    monkeypatch.undo()
    checked = AuthMiddleware()
    with in_front_of_viser(checked):
        assert server.serve is not usual and not checked.installed
    assert server.serve is usual


def test_a_replay_lets_nobody_in_while_it_is_made(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """It records through a server of its own."""
    from limbless.view.studio.server import stop

    server = quiet_server()
    try:
        assert status_of(f"http://127.0.0.1:{server.get_port()}/")[0] == 403
    finally:
        stop(server)
