"""The map of a sweep holds every run where it belongs, follows its folder, and runs what is clicked."""

from __future__ import annotations

from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.search.sweeps.row_store import Store, StoredRow
from limbless.search.sweeps.sweep import Sweep
from limbless.search.sweeps.sweep_plan import SweepPlan
from limbless.view.studio import sweep_map
from limbless.view.studio.sweep_map import Choice
from tests.browser.driving import until
from tests.unit.view.visitor import CAMERA, heard, say, visiting

GRID = {"gait.amplitude": [0.02, 0.04, 0.06], "gait.period": [1.5, 2.0]}


def made(
    folder: Path,
    over: dict[str, Any],
    rows: list[StoredRow],
    samples: dict[str, Any] | None = None,
    changes: dict[str, Any] | None = None,
) -> Sweep:
    plan = SweepPlan.make("eel-planar", over, ["mean_speed", "positive_work"], changes, samples)
    folder.mkdir()
    (folder / "plan.yaml").write_text(plan.to_yaml())
    with Store(folder) as store:
        store.write(rows)
    return Sweep(folder, plan)


def row(run: int, speed: float) -> StoredRow:
    return StoredRow(run, {"mean_speed": speed, "positive_work": -speed}, "completed", 0.1)


def test_cells_lie_where_their_values_are(tmp_path: Path) -> None:
    """Amplitude goes up, period across; a failed run and one that is missing have their cells too."""
    sweep = made(
        tmp_path / "s", GRID, [*(row(run, 0.1 * run) for run in range(4)), StoredRow(4, {}, "failed: it", 0.1)]
    )
    choice = sweep_map.first_choice(sweep)
    assert choice == Choice("mean_speed", "gait.period", "gait.amplitude") and sweep_map.first_run(sweep) == 3
    marks, left_out = sweep_map.marks_of(sweep, choice)
    assert not left_out and [mark.run for mark in marks] == list(range(6))
    for mark in marks:
        point = sweep.point(mark.run)
        assert mark.x == (GRID["gait.period"].index(point["gait.period"]) + 0.5) / 2
        assert mark.y == (GRID["gait.amplitude"].index(point["gait.amplitude"]) + 0.5) / 3
    assert [mark.status for mark in marks] == ["completed"] * 4 + ["failed: it", ""]
    turned, _ = sweep_map.marks_of(sweep, Choice("mean_speed", "gait.amplitude", "gait.period"))
    assert [mark.run for mark in turned] == [0, 2, 4, 1, 3, 5]


def test_of_three_fields_a_cell_is_the_best(tmp_path: Path) -> None:
    over = {**GRID, "gait.growth": [0.0, 1.0, 2.0]}
    sweep = made(tmp_path / "s", over, [row(0, 0.1), row(1, 0.5), row(2, 0.3), StoredRow(4, {}, "failed: it", 0.1)])
    marks, left_out = sweep_map.marks_of(sweep, sweep_map.first_choice(sweep))
    assert (marks[0].run, marks[0].value) == (1, 0.5) and "largest of its 3 runs" in left_out
    assert (marks[1].run, marks[1].status) == (4, "failed: it") and (marks[2].run, marks[2].status) == (6, "")


def test_samples_and_lines_are_points(tmp_path: Path) -> None:
    sweep = made(
        tmp_path / "s",
        {"gait.amplitude": (0.02, 0.1), "gait.period": (1.0, 2.0)},
        [row(0, 0.1), row(1, 0.3), StoredRow(2, {}, "failed: it", 0.1)],
        {"kind": "sobol", "count": 4},
    )
    choice = Choice("mean_speed", "gait.period")
    marks, _ = sweep_map.marks_of(sweep, choice)
    assert [mark.run for mark in marks] == [0, 1, 2] and marks[2].y == 0.0
    x = np.array([sweep.point(run)["gait.period"] for run in range(4)])
    low, high = x.min() - 0.04 * np.ptp(x), x.max() + 0.04 * np.ptp(x)
    np.testing.assert_allclose([mark.x for mark in marks], (x[:3] - low) / (high - low))
    assert marks[0].y < 0.1 < 0.9 < marks[1].y
    words = made(tmp_path / "w", {"actuation": [{"kind": "motion"}, {"kind": "pd"}]}, [row(0, 0.1), row(1, 0.2)])
    assert [mark.x for mark in sweep_map.marks_of(words, sweep_map.first_choice(words))[0]] == [0.25, 0.75]


def test_a_large_map_is_thinned_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_map, "MOST", 4)
    sweep = made(tmp_path / "s", {"gait.amplitude": [0.01, 0.02, 0.03], "gait.period": [1.0, 2.0, 3.0]}, [row(8, 1.0)])
    marks, left_out = sweep_map.marks_of(sweep, sweep_map.first_choice(sweep))
    assert [mark.run for mark in marks] == [0, 2, 6, 8] and "one in 2 values" in left_out


def test_what_a_file_says_stays_text(tmp_path: Path) -> None:
    """Words of a failure come from a file, which may be a stranger's."""
    evil = "failed: <script>alert(1)</script>' onload='alert(2)"
    sweep = made(tmp_path / "s", GRID, [StoredRow(0, {}, evil, 0.1)])
    choice = sweep_map.first_choice(sweep)
    page = sweep_map.drawn(sweep, choice, sweep_map.marks_of(sweep, choice)[0], 0, "go('a')")
    assert "<script" not in page and "' onload='" not in page and evil in unescape(page)
    assert page.count("data-run=") == 6 and page.count("stroke-width='2'") == 1


def test_the_studio_follows_a_sweep_and_runs_what_is_clicked(tmp_path: Path, swim: ll.Result) -> None:
    """As the page does it: a click writes the run's number into the field below the map."""
    pytest.importorskip("viser", reason="the extra view is not installed")
    from limbless.view.studio.studio import Studio

    sweep = made(tmp_path / "s", GRID, [row(0, 0.1)], changes={"duration": 0.2})
    studio = Studio(swim, swim.scenario, folder=tmp_path, sweep=(sweep, 0))
    origin = studio.url.rpartition("/")[0]
    try:
        with visiting(studio.url, origin) as connection:
            say(connection, CAMERA)
            field = next(
                one for one in heard(connection) if one["type"] == "GuiTextMessage" and one["props"]["label"] == "run"
            )
            page = until(lambda: next(iter(studio.pages.values()), None))
            assert "1 of 6 runs" in page.sweep.told.content and field["uuid"] in page.sweep.map.content
            with Store(sweep.folder) as store:
                store.write([row(5, 0.7)])
            until(lambda: "2 of 6 runs" in page.sweep.told.content)
            say(connection, {"type": "GuiUpdateMessage", "uuid": field["uuid"], "updates": {"value": "5 "}})
            until(lambda: page.result.scenario.gait.period == 2.0 and page.result.scenario.duration == 0.2)
            until(lambda: "gait.amplitude" in page.controls.entries.fields)  # made anew after the result
            shown = page.controls.entries.fields["gait.amplitude"].value  # in degrees
            assert page.result.scenario.gait.amplitude == 0.06 == pytest.approx(np.radians(shown), rel=1e-5)
            assert "<td>0.7</td>" in page.sweep.told.content
            assert "stroke-width='2' data-run='5'" in page.sweep.map.content
            say(connection, {"type": "GuiUpdateMessage", "uuid": field["uuid"], "updates": {"value": "77"}})
            until(lambda: "the runs 0 to 5; got 77" in page.controls.status.content)
            page.tune("gait.period", 3.0)  # what is shown can be tuned as any other run
            until(lambda: page.result.scenario.gait.period == 3.0)
    finally:
        studio.close()
    until(lambda: not page.sweep._watcher.is_alive())


def test_view_opens_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best run so far is run first; fields are changed in the page."""
    pytest.importorskip("viser", reason="the extra view is not installed")
    sweep = made(tmp_path / "s", GRID, [row(0, 0.1), row(3, 0.2)], changes={"duration": 0.2})
    shown = []
    monkeypatch.setattr(
        "limbless.view.studio.studio.serve", lambda studio, *rest: (shown.append(studio), studio.close())
    )
    done = CliRunner().invoke(main, ["view", str(sweep.folder), "--no-browser"])
    assert done.exit_code == 0, done.output
    assert shown[0].sweep[1] == 3 and shown[0].result.scenario.gait.amplitude == 0.04
    done = CliRunner().invoke(main, ["view", str(sweep.folder), "--set", "duration=1"])
    assert done.exit_code == 2 and "is a sweep: change its fields in the page" in done.output
