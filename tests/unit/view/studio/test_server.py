"""The server: this machine only, nothing outside its own pages, gone when it is told to go."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

import limbless

pytest.importorskip("viser", reason="the extra view is not installed")


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory):
    where = tmp_path_factory.mktemp("work")
    (where / "secret.txt").write_text("a secret")
    home = str(Path(limbless.__file__).parents[2])
    # A background job of a shell, such as continuous integration, ignores Ctrl-C, and so would its children
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{heard}; from limbless.cli.main import main; main()"
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": home}
    started = subprocess.Popen(
        [sys.executable, "-c", code, "view", "eel-planar", "--set", "duration=0.5", "--no-browser"],
        cwd=where,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    yield started
    if started.poll() is None:
        started.kill()
    started.communicate()


@pytest.fixture(scope="module")
def address(process: subprocess.Popen) -> str:
    line = process.stdout.readline()
    assert line.startswith("Watch and tune at http://127.0.0.1:"), line
    return line.split()[4]


def children(process: int) -> list[int]:
    """Processes that it started, where the system tells."""
    return [int(word) for path in Path(f"/proc/{process}/task").glob("*/children") for word in path.read_text().split()]


def got(address: str) -> bytes:
    try:
        with urllib.request.urlopen(address, timeout=20) as answer:
            return answer.read()
    except urllib.error.HTTPError as error:
        return error.read()


def test_the_page_is_served(address: str) -> None:
    assert b"<html" in got(address)


@pytest.mark.parametrize(
    "path", ["/secret.txt", "/../secret.txt", "/..%2Fsecret.txt", "/%2e%2e/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd"]
)
def test_no_other_file_is_served(address: str, path: str) -> None:
    for start in (address, address.rpartition("/")[0]):  # with the token and without it
        answer = got(start + path)
        assert b"a secret" not in answer and b"root:" not in answer


def test_nobody_else_reaches_it(address: str) -> None:
    port = int(address.rsplit(":", 1)[1].split("/")[0])
    table = Path("/proc/net/tcp")
    if not table.exists():
        pytest.skip("this system has no list of its sockets")
    listening = [line.split()[1] for line in table.read_text().splitlines()[1:] if line.split()[3] == "0A"]
    assert [place.split(":")[0] for place in listening if int(place.split(":")[1], 16) == port] == ["0100007F"]


def test_ctrl_c_stops_it_without_a_word(process: subprocess.Popen, address: str) -> None:
    family = children(process.pid)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert not [child for child in family if Path(f"/proc/{child}").exists()], "a process is left"
    assert out == "" and "Traceback" not in err
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address, timeout=5)


def test_listening_for_others_is_warned_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And only then: the usual address is this machine's own."""
    from click.testing import CliRunner

    from limbless.cli.main import main
    from limbless.view.studio import studio

    opened: list[str] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(studio, "Studio", lambda result, source, ghost, host, port, **_: opened.append(host))
    monkeypatch.setattr(studio, "serve", lambda *_: None)
    for words, warned in ((["--host", "0.0.0.0"], True), ([], False)):
        told = CliRunner().invoke(main, ["view", "eel-planar", "--set", "duration=0.1", "--no-browser", *words])
        assert told.exit_code == 0, told.output
        assert ("Warning: listening on 0.0.0.0; whoever has the address below can use it" in told.stderr) is warned
    assert opened == ["0.0.0.0", "127.0.0.1"]


def test_who_leaves_before_the_page_is_made_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A page that is loaded and closed at once: its threads end, and the server does not wait for it for ever."""
    from types import SimpleNamespace

    from limbless.view.studio.studio import Studio

    pytest.importorskip("viser")
    result = limbless.run("eel-planar", {"duration": 0.1})
    studio, closed = Studio(result, folder=tmp_path), []
    visitor = SimpleNamespace(client_id=7)

    def slow_page(*_: object) -> SimpleNamespace:
        studio._leave(visitor)  # type: ignore[arg-type]
        return SimpleNamespace(close=lambda: closed.append(True))

    monkeypatch.setattr("limbless.view.studio.page.Page", slow_page)
    try:
        studio._enter(visitor)  # type: ignore[arg-type]
        assert closed == [True] and not studio.pages and not studio._gone
        studio.wait(patience=0.2)  # comes to an end
    finally:
        studio.close()
