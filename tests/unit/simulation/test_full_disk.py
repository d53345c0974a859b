"""A full disk, a folder that may not be written: one sentence, exit code 1 or 2, and what was computed is kept."""

from __future__ import annotations

import errno
import logging
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from numba.core import caching

import limbless as ll
from limbless.cli.main import main
from limbless.mechanics.compiled import decorators
from limbless.search.optimisation.evaluation_log import EvaluationLog
from limbless.search.sweeps.row_store import Store, StoredRow, read_rows

RUN = ["run", "eel-planar", "--set", "duration=0.1", "--out", "out", "--quiet"]
FULL = """
import resource, signal, sys
from limbless.cli.main import main
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
main(sys.argv[2:])
"""


@pytest.mark.skipif(os.name != "posix", reason="a disk cannot be made small here")
@pytest.mark.parametrize(
    ("room", "words", "named"),
    [
        (40_000, ["run", "eel-planar", "--set", "duration=1", "--out", "out", "--no-figures", "--quiet"], "result.nc"),
        (6_000, ["sweep", "eel-planar", "--set", "duration=0.02", "--over", "gait.period=1,2", "--out", "out",
                 "--workers", "0", "--quiet"], "runs.db"),
    ],
    ids=["run", "sweep"],
)  # fmt: skip
def test_a_full_disk_is_one_sentence_and_not_a_crash(room: int, words: list[str], named: str, tmp_path: Path) -> None:
    """In a process of its own: HDF5 that fails to write takes its process with it."""

    def with_room(size: int, folder: Path) -> subprocess.CompletedProcess[str]:
        folder.mkdir()
        command = [sys.executable, "-c", FULL, str(size), *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)

    assert with_room(1 << 30, tmp_path / "roomy").returncode == 0  # kernels are kept while there is room
    done = with_room(room, tmp_path / "full")
    assert done.returncode == 1, done.stderr[-2000:]
    assert done.stderr.count("\n") == 1 and named in done.stderr and "room" in done.stderr
    assert not list((tmp_path / "full/out").glob(".result*")), "no half of a file is left"


@pytest.fixture
def full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Makes the disk full for files whose names end so, below the folder `out`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    replace, endings = os.replace, []

    def refuse(one: Any, other: Any, **more: Any) -> None:
        if "out" in Path(other).parts and str(other).endswith(tuple(endings)):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        replace(one, other, **more)

    monkeypatch.setattr(os, "replace", refuse)
    return endings.append


@pytest.mark.parametrize("ending", [".png", "overview.csv", "replay.html"])
def test_no_room_for_pictures_keeps_the_data(ending: str, full: Any) -> None:
    if ending == "replay.html":
        pytest.importorskip("viser", reason="the extra view is not installed")
    full(ending)
    told = CliRunner().invoke(main, RUN)
    assert told.exit_code == 1 and told.stderr.count("\n") == 1
    assert "No space left on device" in told.stderr and "the data are kept in out" in told.stderr
    assert ll.Result.load("out").proven


def test_no_room_for_the_data_keeps_them_elsewhere(full: Any, tmp_path: Path) -> None:
    CliRunner().invoke(main, [*RUN, "--no-figures"])  # an earlier run is no proof that this one is kept
    os.utime("out/result.nc", (1.0, 1.0))
    full("result.nc")
    told = CliRunner().invoke(main, [*RUN, "--no-figures"])
    (kept,) = tmp_path.glob("limbless-*/result.nc")
    assert told.exit_code == 1 and f"what was computed is kept in {kept}" in told.stderr
    assert ll.Result.load(kept).status == "completed"


def test_no_room_for_a_checkpoint_and_the_run_goes_on(full: Any, caplog: pytest.LogCaptureFixture) -> None:
    full(".npz")
    with caplog.at_level(logging.WARNING, "limbless"):
        result = ll.run("eel-planar", {"duration": 0.1}, checkpoint="out", checkpoint_every=0.0)
    assert result.status == "completed" and "no checkpoint is written, and the run goes on" in caplog.text


def test_no_room_for_what_was_compiled_and_it_runs_all_the_same(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(*given: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(caching.FunctionCache, "save_overload", refuse)
    decorators._tell_once.cache_clear()
    with caplog.at_level(logging.WARNING, "limbless"):
        for _ in range(2):
            decorators._OwnCache(test_a_full_disk_is_one_sentence_and_not_a_crash).save_overload((), None)
    assert [record.message.partition(": ")[2] for record in caplog.records] == [
        "compiled code is not kept, and made again next time (No space left on device)"
    ]


def test_a_full_file_of_rows_keeps_those_it_has(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        store.write([StoredRow(0, {"speed": 1.0}, "completed", 0.1)])
        store.db.execute("PRAGMA max_page_count=2")
        with pytest.raises(OSError, match=r"runs.db takes no more rows, and keeps those it has") as caught:
            store.write([StoredRow(run, {}, "failed: " + "x" * 1000, 0.1) for run in range(1, 100)])
    assert caught.value.errno == errno.ENOSPC
    assert read_rows(tmp_path) == {0: StoredRow(0, {"speed": 1.0}, "completed", 0.1)}


def test_a_full_file_of_evaluations_is_said(tmp_path: Path) -> None:
    log = EvaluationLog(tmp_path / "search", {})
    assert log.file is not None
    log.file.db.execute("PRAGMA max_page_count=3")
    with pytest.raises(OSError, match="takes no more rows"):
        for number in range(100):
            log.put(str(number), {"text": "x" * 1000})
    log.close()


def test_a_folder_that_may_not_be_written_is_refused_before_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("out").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # whoever is root may write anywhere
    told = CliRunner().invoke(main, RUN)
    assert told.exit_code == 2
    assert told.stderr == "Error: the folder out may not be written; choose another with --out\n"


@pytest.mark.parametrize(
    "words",
    [
        RUN,
        ["sweep", "eel-planar", "--over", "gait.period=1,2", "--out", "out"],
        ["optimise", "eel-planar", "--over", "gait.period=1..2", "--out", "out"],
    ],
    ids=lambda words: words[0],
)
def test_a_folder_that_is_read_only_is_a_sentence(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Any, *mode: Any, **more: Any) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(os, "mkdir", refuse)  # whoever is root may write anywhere
    told = CliRunner().invoke(main, words)
    assert told.exit_code in (1, 2) and told.stderr.startswith("Error: ") and told.stderr.count("\n") == 1
    assert "out" in told.stderr and not list(tmp_path.iterdir())
