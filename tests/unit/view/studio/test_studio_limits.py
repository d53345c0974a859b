"""Many visitors, slow ones and absurd wishes: each has a limit, and a sentence that says it."""

from __future__ import annotations

import base64
import os
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import limbless as ll
from limbless.scenarios import loader
from limbless.view.studio import auth, studio_limits
from limbless.view.studio.run_thread import RunThread
from tests.browser.driving import until

pytest.importorskip("viser", reason="the extra view is not installed")
import msgspec.msgpack
import viser
from websockets.exceptions import InvalidStatus

from limbless.view.studio import studio as studios
from limbless.view.studio.studio import Studio
from tests.unit.view.visitor import CAMERA, heard, say, visiting


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    opened = Studio(ll.run("eel-planar", {"duration": 0.1}), folder=tmp_path)
    yield opened
    opened.close()


def origin_of(studio: Studio) -> str:
    return studio.url.rpartition("/")[0]


def test_every_scenario_fits_into_the_studio() -> None:
    assert not [name for name in loader.names() if studio_limits.too_large(ll.Scenario.load(name)) is not None]


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        (
            "eel-planar",
            {"duration": 1e6, "record_every": 1e3},
            r"at most 5000000 steps; this one has 1e\+08: shorten "
            r"`duration` to 5e\+04 s",
        ),
        (
            "eel-planar",
            {"duration": 1e4},
            r"at most 41666 records of this robot; this run has 500001: `record_every` of "
            r"0\.25 s fits",
        ),
        ("snake-pegs", {"robot.links": 600}, "robots of at most 500 bodies or cells; this one has 600"),
        ("rod-swim", {"model.cells": 9000}, "this one has 9000"),
        ("neck-vertical-water", {"gait.points": 100_000}, "at most 62500 equilibria of this robot; these are 100000"),
        ("neck-workspace", {"gait.count": 1001}, "these are 2004002"),
    ],
)
def test_absurd_wishes_are_refused_before_they_are_begun(name: str, changes: dict[str, Any], said: str) -> None:
    told = studio_limits.too_large(ll.Scenario.load(name, changes))
    assert told is not None and said.replace("\\", "") in told


def test_what_is_said_to_fit_fits() -> None:
    scenario = ll.Scenario.load("eel-planar", {"duration": 1e4, "record_every": 0.25})
    assert studio_limits.too_large(scenario) is None


@pytest.mark.parametrize(
    ("robot", "field"),
    [("uniform", "links"), ("aiko", "links"), ("wang-snake", "modules"), ("khalil-eel", "spherical_joints")],
)
def test_a_million_links_are_refused_by_their_field(robot: str, field: str) -> None:
    gait = {"kind": "body-wave", "amplitude": 0.1, "wavelength": 0.5}
    with pytest.raises(ll.InputError, match=rf"robot\.{field}: must be less than or equal to 10000; received 1000000"):
        ll.Scenario.load({"robot": {"preset": robot, field: 1_000_000}, "gait": gait})


def test_a_terrain_of_any_size_is_counted_first() -> None:
    def flat(x: Any, y: Any) -> Any:
        raise AssertionError("it must not come to that")

    with pytest.raises(ll.InputError, match="at most 1000000 together"):
        ll.Terrain(function=flat, counts=(10**6, 10**6))


def wait_for(worker: RunThread, scenario: ll.Scenario, ended: threading.Event) -> None:
    worker.ask(scenario)
    assert ended.wait(300.0)


def test_a_run_may_not_take_for_ever() -> None:
    answers: list[str] = []
    ended = threading.Event()

    def failed(sentence: str) -> None:
        answers.append(sentence)
        ended.set()

    worker = RunThread(lambda result: ended.set(), failed, lambda share: None, longest=0.0)
    try:
        wait_for(worker, ll.Scenario.load("eel-planar", {"duration": 1e3, "record_every": 10.0}), ended)
    finally:
        worker.close()
    assert len(answers) == 1 and answers[0].startswith("stopped: a run in the studio may take 0 s")


def test_runs_of_other_visitors_wait_for_their_turn() -> None:
    turns, done, ended = threading.Semaphore(1), [], threading.Event()
    failed: list[str] = []
    worker = RunThread(lambda result: (done.append(result), ended.set())[0], failed.append, lambda share: None, turns)
    try:
        turns.acquire()
        worker.ask(ll.Scenario.load("eel-planar", {"duration": 0.1}))
        assert not ended.wait(0.5) and not done
        worker.cancel()
        until(lambda: failed)  # who waits can be cancelled
        worker.ask(ll.Scenario.load("eel-planar", {"duration": 0.2}))
        turns.release()
        assert ended.wait(300.0)
    finally:
        worker.close()
    assert len(done) == 1 and done[0].scenario.duration == 0.2 and turns.acquire(blocking=False)


def test_who_comes_when_it_is_full_reads_why(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studios, "MOST_VISITORS", 1)
    with visiting(studio.url, origin_of(studio)) as first:
        say(first, CAMERA)
        until(lambda: studio.pages)
        with visiting(studio.url, origin_of(studio)) as second:
            say(second, CAMERA)
            told = next(one for one in heard(second) if one["type"] == "GuiHtmlMessage")
            assert studio_limits.FULL in told["props"]["content"] and len(studio.pages) == 1
    until(lambda: not studio.pages)
    with visiting(studio.url, origin_of(studio)) as third:  # a place is free again
        say(third, CAMERA)
        until(lambda: studio.pages)
    until(lambda: not studio.pages and not studio._gone and not studio._turned_away)


def test_sockets_are_counted_at_the_gate(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that never say a word, for which no page is made."""
    monkeypatch.setattr(auth, "MOST_SOCKETS", 2)
    with visiting(studio.url, origin_of(studio)), visiting(studio.url, origin_of(studio)):
        with pytest.raises(InvalidStatus) as refused, visiting(studio.url, origin_of(studio)):
            pass
        assert refused.value.response.status_code == 503 and not studio.pages

    def enters() -> bool:
        try:
            with visiting(studio.url, origin_of(studio)):
                return True
        except InvalidStatus:
            return False

    until(enters)


def test_who_does_not_read_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A visitor who opens the door and then takes nothing holds no place and no memory for ever."""
    monkeypatch.setattr(auth, "PATIENCE", 1.2)
    studio = Studio(ll.run("eel-planar", {"duration": 2.0}), folder=tmp_path)
    port, key = studio.server.get_port(), base64.b64encode(os.urandom(16)).decode()
    asked = {
        "Host": f"127.0.0.1:{port}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": key,
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Protocol": f"viser-v{viser.__version__}",
        "Origin": f"http://127.0.0.1:{port}",
    }
    lines = [f"GET /{studio.gate.token} HTTP/1.1", *(f"{name}: {value}" for name, value in asked.items())]
    hello = "\r\n".join([*lines, "", ""])
    body = msgspec.msgpack.encode(CAMERA)
    try:
        with socket.socket() as deaf:
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            deaf.connect(("127.0.0.1", port))
            deaf.sendall(hello.encode())
            assert b"101 Switching" in deaf.recv(200)
            deaf.sendall(bytes([0x82, 0x80 | 126]) + struct.pack(">H", len(body)) + bytes(4) + body)
            until(lambda: studio.pages)
            until(lambda: not studio.pages)
    finally:
        studio.close()
