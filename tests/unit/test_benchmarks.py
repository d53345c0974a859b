"""Every benchmark runs, at sizes too small to measure anything; what it measures is nobody's test."""
from __future__ import annotations

import importlib
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The package `benchmarks`, which is not installed."""
    monkeypatch.syspath_prepend(str(ROOT))
    for name in ("dynamics", "geometric", "report", "rods", "rollouts", "startup", "statics", "table"):
        importlib.import_module(f"benchmarks.{name}")
    return importlib.import_module("benchmarks")


def test_rows_of_dynamics(bench: ModuleType) -> None:
    """They also refuse to compare engines that disagree, so this is one more check against Pinocchio and MuJoCo."""
    dynamics = bench.dynamics
    rows = dynamics.forward_rows(chunks=1) + dynamics.inverse_rows(chunks=1) + dynamics.spherical_rows(chunks=1)
    rows += dynamics.scaling_rows(counts=(3, 6), chunks=1)
    assert [row.target for row in rows if row.target is not None] == [3, 5, 7, 1.05, 1.05]
    assert dynamics.public_call(chunks=1) > 0 and dynamics.peer_with_crba(chunks=1) > 0


def test_engines_that_disagree_are_not_compared(bench: ModuleType) -> None:
    ours = bench.dynamics.Evaluation(bench.dynamics.ll.KhalilEel().build(), inverse=True)
    with pytest.raises(RuntimeError, match="differ"):
        bench.dynamics.same(ours.velocity, 1.001 * ours.velocity, "nothing")


def test_runs_and_report(bench: ModuleType, tmp_path: Path) -> None:
    rollouts = bench.rollouts
    rows = rollouts.real_time_rows(duration=0.8, repeats=1)
    curves = [rollouts.curve(name, steps=(0.2, 0.1), shown=1.0, repeats=1, blocks=2) for name in ("eel-planar", "eel-loop")]
    assert all(found.errors[1] < found.errors[0] for found in curves)
    rows += rollouts.precision_rows(curves)
    rollouts.draw(curves, tmp_path / "images" / "curve.png")
    assert (tmp_path / "images" / "curve.png").stat().st_size > 1000
    assert "eel-planar" in bench.report.text(rows, curves, 1e-4, "20 µs")


def test_a_record_may_be_further_away_than_a_block_of_steps(bench: ModuleType) -> None:
    assert bench.rollouts.head_after("eel-planar", step=0.001, shown=0.6)[0] != 0.0


def test_rows_of_the_geometric_model(bench: ModuleType) -> None:
    """They refuse symbols that are not the derivatives of the metric."""
    rows = bench.geometric.tensor_rows(modules=4, chunks=1) + bench.geometric.crawl_rows(duration=0.4, repeats=1)
    assert [row.target for row in rows] == [20, 20, None, 50, 50, 50, 50]


def test_rows_of_rods(bench: ModuleType) -> None:
    """They refuse to compare with PyElastica a rod that is less accurate."""
    pytest.importorskip("elastica", reason="PyElastica (extra `dev`) is not installed")
    rods = bench.rods
    rows = rods.swim_rows(duration=0.1, repeats=1, cells=(16, 32)) + rods.kinematic_rows(repeats=1, changes={"duration": 0.1})
    rows += rods.elastica_rows(duration=0.4, chunks=1, elements=10, cells=64)
    with pytest.raises(RuntimeError, match="nothing to compare"):
        rods.elastica_rows(duration=0.4, chunks=1, elements=10, cells=4)
    assert [row.target for row in rows] == [5.0, 50, 1.05, *(100,) * len(rods.KINEMATIC), 25]


def test_rows_of_statics(bench: ModuleType) -> None:
    rows = bench.statics.rows(chunks=1, counts=(4, 8), points=5, grid=3)
    assert [row.target for row in rows if row.target is not None] == [60, 30, 50]


def test_rows_of_startup(bench: ModuleType) -> None:
    assert [row.target for row in bench.startup.rows(eel="import limbless", repeats=1)] == [6.0, 1.2, 0.2]


def test_table_says_what_is_met(bench: ModuleType) -> None:
    row = bench.table.Row
    text = bench.table.markdown([row("a", "1", "2", 2.0, target=3), row("b", "1", "", 2.0, target=3, sense="at most"), row("c", "1")])
    assert [line.split("|")[-2].strip() for line in text.splitlines()] == ["met", "-" * 8, "**no**", "yes", ""]
