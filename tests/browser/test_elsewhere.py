"""A page from another port in the same browser: it reads nothing of the studio and presses none of its buttons."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

import limbless as ll
from tests.browser.driving import entered, until

ATTEMPT = """async address => {
  const tried = {};
  const socket = new WebSocket(address.replace('http', 'ws'), ['viser-vVERSION']);
  socket.binaryType = 'arraybuffer';
  tried.socket = await new Promise(done => {
    socket.onopen = () => done('opened'); socket.onmessage = () => done('read');
    socket.onerror = () => done('refused') });
  tried.fetch = await fetch(address).then(answer => answer.text()).then(text => 'read ' + text.length, () => 'refused');
  const frame = document.createElement('iframe');
  frame.src = address;
  await new Promise(done => { frame.onload = done; document.body.append(frame) });
  try { tried.frame = frame.contentDocument === null ? 'closed to us' : 'read ' + frame.contentDocument.body.innerText }
  catch (error) { tried.frame = 'refused' }
  return tried }"""
"""What such a page can do: open a socket (no rule of the browser forbids it), fetch, frame."""


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        return None


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    """A page of somebody else, on another port of this machine."""
    (tmp_path / "index.html").write_text("<html><body>a page from elsewhere</body></html>")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def test_a_page_from_another_port_neither_reads_nor_saves(
    browser: Any, look: Any, elsewhere: str, tmp_path: Path
) -> None:
    """Even one that has learnt the token; and the studio's own page goes on, also when it is loaded again."""
    import viser

    from limbless.view.studio.studio import Studio

    studio = Studio(ll.run("eel-planar", {"duration": 0.5}), folder=tmp_path / "work")
    (tmp_path / "work").mkdir()
    try:
        own = look(studio.url, width=700, height=400)
        own.page.wait_for_selector("text=eel-planar: ready")
        page = entered(studio)
        theirs = look(elsewhere, width=300, height=200)
        port = studio.server.get_port()
        for address in (f"http://127.0.0.1:{port}", f"http://localhost:{port}", studio.url):
            tried = theirs.page.evaluate(ATTEMPT.replace("VERSION", viser.__version__), address)
            assert tried["socket"] == tried["fetch"] == "refused", (address, tried)
            assert not tried["frame"].startswith("read e"), (address, tried)
        assert list(studio.pages.values()) == [page] and not list((tmp_path / "work").iterdir())
        assert not theirs.page.frame_locator("iframe").last.locator("canvas").count()
        own.page.reload()  # its address still carries the token
        own.page.wait_for_selector("text=eel-planar: ready")
        until(lambda: page not in studio.pages.values() and len(studio.pages) == 1)
        assert not own.errors and studio.gate.token in own.page.url
    finally:
        studio.close()
