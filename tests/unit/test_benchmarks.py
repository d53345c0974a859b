"""Every benchmark runs, at sizes too small to measure anything; what it measures is nobody's test."""

from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

from limbless.cli.main import main

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The package `benchmarks`, which is not installed."""
    pytest.importorskip("pinocchio", reason="Pinocchio has no wheels for Windows")
    monkeypatch.syspath_prepend(str(ROOT))
    for name in (
        "command",
        "dynamics",
        "geometric",
        "growth",
        "memory",
        "report",
        "rods",
        "rollouts",
        "searches",
        "startup",
        "statics",
        "surroundings",
        "table",
        "timing",
    ):
        importlib.import_module(f"benchmarks.{name}")
    return importlib.import_module("benchmarks")


def test_rows_of_dynamics(bench: ModuleType) -> None:
    """They also refuse to compare engines that disagree, so this is one more check against Pinocchio and MuJoCo."""
    dynamics = bench.dynamics
    rows = dynamics.forward_rows(chunks=1) + dynamics.inverse_rows(chunks=1) + dynamics.spherical_rows(chunks=1)
    assert [row.target for row in rows if row.target is not None] == [3, 5, 7]
    assert dynamics.public_call(chunks=1) > 0 and dynamics.peer_with_crba(chunks=1) > 0


def test_engines_that_disagree_are_not_compared(bench: ModuleType) -> None:
    ours = bench.dynamics.Evaluation(bench.dynamics.ll.KhalilEel().build(), inverse=True)
    with pytest.raises(RuntimeError, match="differ"):
        bench.dynamics.same(ours.velocity, 1.001 * ours.velocity, "nothing")


def test_runs_and_report(bench: ModuleType, tmp_path: Path) -> None:
    rollouts = bench.rollouts
    rows = rollouts.real_time_rows(duration=0.8, repeats=1)
    curves = [
        rollouts.curve(name, steps=(0.2, 0.1), shown=1.0, repeats=1, blocks=2) for name in ("eel-planar", "eel-loop")
    ]
    assert all(found.errors[1] < found.errors[0] for found in curves)
    rows += rollouts.precision_rows(curves)
    rollouts.draw(curves, tmp_path / "images" / "curve.png")
    assert (tmp_path / "images" / "curve.png").stat().st_size > 1000
    short = bench.table.Row("short", "1", "", 1.0, target=2, reason="Because.")
    text = bench.report.text(
        [bench.table.Section([*rows, short], "below", title="Runs"), bench.table.Section([short], title="More")]
    )
    assert "## Runs" in text and "**short: 1.00, target ≥ 2.** Because." in text and "targets are met" in text


def test_cost_as_it_grows(bench: ModuleType, tmp_path: Path) -> None:
    growth = bench.growth
    lines = [
        growth.joints(False, counts=(3, 6), chunks=1),
        growth.cells((4, 8), 0.1, 1),
        growth.links((2, 3), 0.01, 1),
        growth.contacts((2, 3), 0.01, 1),
        growth.freedoms((2, 4), 1),
        growth.vertebrae((4, 8), 1),
    ]
    assert all(len(line.times) == 2 and min(line.times) > 0 for line in lines)
    assert growth.Line("x", "y", (1, 2, 4), (3.0, 12.0, 48.0)).exponent == pytest.approx(2.0)
    growth.draw(lines, tmp_path / "growth.png")
    assert (tmp_path / "growth.png").stat().st_size > 1000


def test_rows_of_memory(bench: ModuleType) -> None:
    rows = bench.memory.rows({"newton-euler": "eel-planar"}, joints=5)
    assert all(float(row.ours.split()[0]) > 0 for row in rows) and len(rows) >= 2


def test_the_command_measures_a_part_and_writes_nothing(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.statics, "rows", lambda: [bench.table.Row("one", "1", "2", 2.0, target=1)])
    monkeypatch.setattr(bench.report, "write", pytest.fail)
    monkeypatch.setattr(bench.timing, "effort", 1.0)
    answer = CliRunner().invoke(main, ["bench", "--only", "statics"])
    assert answer.exit_code == 0 and "| one " in answer.output and "1 of 1 targets" in answer.output
    refused = CliRunner().invoke(main, ["bench", "--only", "static"])
    assert refused.exit_code == 2 and "did you mean 'statics'" in refused.stderr


def test_the_command_needs_a_clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    installed = tmp_path / "site-packages" / "limbless" / "core" / "checkout.py"
    monkeypatch.setattr("limbless.core.checkout.__file__", str(installed))
    refused = CliRunner().invoke(main, ["bench"])
    assert refused.exit_code == 2 and "clone the repository" in refused.stderr


def test_a_record_may_be_further_away_than_a_block_of_steps(bench: ModuleType) -> None:
    assert bench.rollouts.head_after("eel-planar", step=0.001, shown=0.6)[0] != 0.0


def test_rows_of_the_geometric_equations(bench: ModuleType) -> None:
    """They refuse symbols that are not the derivatives of the metric."""
    rows = bench.geometric.tensor_rows(modules=4, chunks=1) + bench.geometric.crawl_rows(duration=0.4, repeats=1)
    assert [row.target for row in rows] == [20, 20, None, 50, 50, 50, 50]


def test_rows_of_rods(bench: ModuleType) -> None:
    """They refuse to compare with PyElastica a rod that is less accurate."""
    pytest.importorskip("elastica", reason="PyElastica (extra `dev`) is not installed")
    rods = bench.rods
    rows = rods.swim_rows(duration=0.1, repeats=1, cells=(16, 32)) + rods.kinematic_rows(
        repeats=1, changes={"duration": 0.1}
    )
    rows += rods.elastica_rows(duration=0.4, chunks=1, elements=10, cells=64)
    with pytest.raises(RuntimeError, match="nothing to compare"):
        rods.elastica_rows(duration=0.4, chunks=1, elements=10, cells=4)
    assert [row.target for row in rows] == [5.0, 50, 1.05, *(100,) * len(rods.KINEMATIC), 25]


def test_rows_of_statics(bench: ModuleType) -> None:
    rows = bench.statics.rows(chunks=1, points=5, grid=3)
    assert [row.target for row in rows if row.target is not None] == [60, 30, 50]


def test_rows_of_startup(bench: ModuleType) -> None:
    rows = bench.startup.rows(eel="import limbless", contact="import limbless", repeats=1)
    assert [row.target for row in rows] == [8.0, 15.0, 1.2, 0.2]


def test_rows_of_searches(bench: ModuleType) -> None:
    searches = bench.searches
    rows = [*searches.store_rows(rows=200), *searches.steady_rows(gaits=8), *searches.overhead_rows(runs=8)]
    assert [row.target for row in rows] == [1, 5, 0.5]


@pytest.mark.long
def test_rows_of_lanes_and_of_the_best_gait(bench: ModuleType) -> None:
    rows = [*bench.searches.lane_rows(chunks=1), *bench.searches.best_rows(repeats=1)]
    assert [row.target for row in rows if row.target is not None] == [4, 5, 18, 4, 4, 4, 1]


@pytest.mark.long
def test_rows_of_surroundings(bench: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench.surroundings, "CHUNKS", 1)
    rows = [bench.surroundings.pipe_row(0.01), bench.surroundings.crowd_row("snake-coil", "self-contact", 0.01)]
    assert [row.target for row in rows] == [1.1, None] and all(row.value > 0.0 for row in rows)


def test_table_says_what_is_met(bench: ModuleType) -> None:
    row = bench.table.Row
    text = bench.table.markdown(
        [row("a", "1", "2", 2.0, target=3), row("b", "1", "", 2.0, target=3, sense="at most"), row("c", "1")]
    )
    assert [line.split("|")[-2].strip() for line in text.splitlines()] == ["met", "-" * 8, "**no**", "yes", ""]
