"""Files of rows from others, and several writers at once: no row is lost, and nothing hangs."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.search.optimisation.evaluation_log import EvaluationLog
from limbless.search.sweeps.row_store import Store, StoredRow, read_rows
from limbless.search.sweeps.sweep import Sweep, _Filling
from limbless.search.sweeps.sweep_plan import SweepPlan
from tests.unit.search.sweeps.killing import OVER, SHORT

TABLE = "CREATE TABLE runs(run INTEGER PRIMARY KEY, status TEXT, wall_time REAL"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) SELECT i, 'completed', 0.1 FROM n"
CRAFTED = {
    "a view without end": f"CREATE VIEW runs(run, status, wall_time) AS {ENDLESS}",
    "a column that computes": f"{TABLE}, slow REAL GENERATED ALWAYS AS (length(hex(zeroblob(400000000)))) VIRTUAL)",
    "a trigger": f"{TABLE}); CREATE TRIGGER t BEFORE INSERT ON runs BEGIN {ENDLESS}; END",
    "a check": f"{TABLE}, x REAL CHECK (length(hex(zeroblob(400000000))) > x))",
    "an index of its own": f"{TABLE}); CREATE INDEX i ON runs(hex(status))",
    "text in place of a number": f"{TABLE}); INSERT INTO runs VALUES(0, 'completed', 'long')",
    "a number in place of text": f"{TABLE}); INSERT INTO runs VALUES(0, x'00', 1.0)",
    "another table": "CREATE TABLE rows(a)",
}


def crafted(path: Path, script: str) -> None:
    db = sqlite3.connect(path)
    db.executescript(script)
    db.close()


@pytest.mark.parametrize("kind", CRAFTED)
def test_a_crafted_file_of_rows_is_refused_and_computes_nothing(kind: str, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(SweepPlan.make("eel-planar", OVER, "mean_speed", SHORT).to_yaml())
    crafted(tmp_path / "runs.db", CRAFTED[kind])
    told = CliRunner().invoke(main, ["sweep", str(tmp_path), "--status"])
    assert told.exit_code == 2 and "runs.db cannot be read" in told.stderr and told.stderr.count("\n") == 1
    if "in place" not in kind:
        with pytest.raises(ll.InputError, match="another table than ours"):
            Store(tmp_path)


def test_pages_that_hold_each_other_are_refused(tmp_path: Path) -> None:
    """A tree whose branches are one page, again and again, has as many leaves as one likes."""
    with Store(tmp_path) as store:
        store.write([StoredRow(run, {}, "completed " + "x" * 500, 0.1) for run in range(200)])
    path = tmp_path / "runs.db"
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    (root,) = (place for place in range(size, len(data), size) if data[place] == 5)  # the inner page of the table
    cells = int.from_bytes(data[root + 3 : root + 5], "big")
    for cell in range(cells):  # every branch leads where the first one leads
        place = root + int.from_bytes(data[root + 12 + 2 * cell : root + 14 + 2 * cell], "big")
        first = root + int.from_bytes(data[root + 12 : root + 14], "big")
        data[place : place + 4] = data[first : first + 4]
    path.write_bytes(data)
    with pytest.raises(ll.InputError, match="do not fit together"):
        read_rows(tmp_path)


def test_a_run_that_the_plan_does_not_have_is_refused(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(SweepPlan.make("eel-planar", OVER, "mean_speed", SHORT).to_yaml())
    with Store(tmp_path) as store:
        store.write([StoredRow(10**6, {"mean_speed": 1.0}, "completed", 0.1)])
    with pytest.raises(ll.InputError, match="holds a run 1000000, and its plan has 12"):
        ll.Sweep.load(tmp_path).told()


def test_names_of_measures_may_hold_any_letter(tmp_path: Path) -> None:
    """The columns that we write ourselves are ours, whatever they are called."""
    row = StoredRow(0, {'a "quoted" name': 1.0, "b, c) REAL": 2.0}, "completed", 0.1)
    with Store(tmp_path) as store:
        store.write([row])
    assert read_rows(tmp_path) == {0: row}
    Store(tmp_path).close()


def test_a_crafted_file_of_evaluations_is_refused(tmp_path: Path) -> None:
    log = EvaluationLog(tmp_path / "good", {})
    log.put("a", {"value": 1.0})
    log.close()
    again = EvaluationLog(tmp_path / "good", {})
    assert again.known == {"a": {"value": 1.0}}
    again.close()
    (tmp_path / "good" / "evaluations.db").unlink()
    crafted(tmp_path / "good" / "evaluations.db", f"CREATE VIEW evaluations(number, name, text) AS {ENDLESS}")
    with pytest.raises(ll.InputError, match="another table than ours"):
        EvaluationLog(tmp_path / "good", {})


SWEEP = "import sys; from limbless.cli.main import main; main(sys.argv[1:])"


def test_a_second_writer_is_told_and_the_first_goes_on(tmp_path: Path) -> None:
    """A process of its own, while this one writes."""
    words = [sys.executable, "-c", SWEEP, "sweep", str(tmp_path / "s"), "--workers", "0"]
    told: list[subprocess.CompletedProcess[str]] = []

    def second(now: object) -> None:
        if not told:
            told.append(subprocess.run(words, capture_output=True, text=True, check=False))

    found = ll.sweep("eel-planar", OVER, changes=SHORT, out=tmp_path / "s", workers=0, progress=second)
    assert told[0].returncode == 2 and "being written by another process" in told[0].stderr
    assert found.is_complete and not found.failures()


@pytest.mark.long
def test_two_shares_written_at_once_are_one_sweep(tmp_path: Path) -> None:
    whole = ll.sweep("eel-planar", OVER, changes=SHORT, out=tmp_path / "whole", workers=0)
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "plan.yaml").write_text(whole.plan.to_yaml())
    words = [sys.executable, "-c", SWEEP, "sweep", str(tmp_path / "s"), "--workers", "0", "--quiet", "--share"]
    both = [subprocess.Popen([*words, f"{share}/2"], env=os.environ) for share in (0, 1)]
    assert [process.wait() for process in both] == [0, 0]
    one, other = ({run: row.values for run, row in read_rows(tmp_path / name).items()} for name in ("whole", "s"))
    assert one == other


def test_a_row_that_succeeded_counts_before_one_that_failed(tmp_path: Path) -> None:
    """Whichever file is read first: shares may have run the same point."""
    good, bad = StoredRow(0, {"speed": 1.0}, "completed", 0.1), StoredRow(0, {}, "failed: it fell", 0.1)
    for number, (first, second) in enumerate([(good, bad), (bad, good)]):
        for share, row in enumerate((first, second)):
            with Store(tmp_path / str(number), share) as store:
                store.write([row])
        assert read_rows(tmp_path / str(number))[0].status == "completed"


def test_the_best_may_be_the_smallest_and_failures_are_counted_in_all(tmp_path: Path) -> None:
    plan = SweepPlan.make("eel-planar", OVER, "mean_speed", SHORT)
    told: list[int] = []
    with Store(tmp_path) as store:
        filling = _Filling(plan, store, lambda now: told.append(now.failed))
        assert filling.begin(tmp_path, (1, 3), False) == [1, 4, 7, 10]
        assert filling.begin(tmp_path, (2, 3), False) == [2, 5, 8, 11]
        for run in range(3):
            filling.take([StoredRow(run, {"mean_speed": [0.2, 0.1, 0.3][run]}, "completed", 0.1)])
        for run in (3, 4):
            filling.take([StoredRow(run, {}, "failed: it fell", 0.1)])
    sweep = Sweep(tmp_path, plan)
    assert told[-2:] == [1, 2] and sweep.best("mean_speed")["run"] == 2
    assert sweep.best("mean_speed", largest=False)["run"] == 1
