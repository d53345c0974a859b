"""Pictures of many runs hold the numbers that they show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.search.optimisation.best import Best, Front
from limbless.search.sweeps.row_store import Store, StoredRow
from limbless.search.sweeps.sweep import Sweep
from limbless.search.sweeps.sweep_plan import SweepPlan
from limbless.view import sweep_figures


def made(folder: Path, over: dict, samples: dict | None = None) -> Sweep:
    """A sweep whose rows are its run numbers; one of them failed."""
    plan = SweepPlan.make("eel-planar", over, ["mean_speed", "positive_work"], samples=samples)
    folder.mkdir()
    (folder / "plan.yaml").write_text(plan.to_yaml())
    with Store(folder) as store:
        store.write(
            [
                StoredRow(run, {"mean_speed": float(run), "positive_work": 2.0 * run}, "completed", 0.1)
                for run in range(plan.runs - 1)
            ]
        )
        store.write([StoredRow(plan.runs - 1, {}, "failed: it diverged", 0.1)])
    return Sweep(folder, plan)


def test_heat_map(tmp_path: Path) -> None:
    sweep = made(tmp_path / "s", {"gait.amplitude": [0.02, 0.04, 0.1], "gait.period": [1.5, 2.0]})
    _, table = sweep_figures.drawing(sweep)
    np.testing.assert_array_equal(table["mean_speed (m/s)"], [0.0, 1.0, 2.0, 3.0, 4.0, np.nan])
    assert table["gait.period"].tolist() == [1.5, 2.0] * 3
    done = CliRunner().invoke(main, ["plot", str(sweep.folder)])
    assert done.exit_code == 0 and (sweep.folder / "figures" / "heat-map.png").is_file(), done.output
    with pytest.raises(ll.InputError, match="does not fit here"):
        sweep.plot("lines")
    with pytest.raises(ll.InputError, match="no measure 'speed'"):
        sweep.plot(measure="speed")


def test_lines_with_labels(tmp_path: Path) -> None:
    sweep = made(tmp_path / "s", {"environment.water.added_mass": ["paper", "consistent", "none"]})
    _, table = sweep_figures.drawing(sweep)
    np.testing.assert_array_equal(table["positive_work (J)"], [0.0, 2.0, np.nan])


def test_scatter_matrix(tmp_path: Path) -> None:
    sweep = made(
        tmp_path / "s", {"gait.amplitude": (0.02, 0.1), "gait.period": (1.5, 2.0)}, {"kind": "sobol", "count": 8}
    )
    figure, table = sweep_figures.drawing(sweep)
    assert {panel.get_xlabel() for panel in figure.axes} == {"", "amplitude (rad)", "period (s)"}
    assert len(figure.axes) == 4 and len(table["gait.amplitude"]) == 8


def test_front_and_convergence() -> None:
    scenario = ll.Scenario.load("eel-planar")

    def best(speed: float, cost: float) -> Best:
        history = [
            {"value": 1.0, "violation": 0.0},
            {"value": 3.0, "violation": 1.0},
            {"value": 2.0, "violation": 0.0},
            {"value": 1.5, "violation": 0.0},
        ]
        return Best(
            scenario,
            "maximise steady.speed",
            {},
            speed,
            {"s": speed, "c": cost},
            "slsqp",
            {"bounds_active": []},
            {},
            history,
        )

    _, table = sweep_figures.drawing(Front("s", "c", [best(0.1, 1.0), best(0.2, 3.0)]))
    assert table["s"].tolist() == [0.1, 0.2] and table["c"].tolist() == [1.0, 3.0]
    _, table = sweep_figures.drawing(best(0.1, 1.0))
    assert table["best so far"].tolist() == [1.0, 1.0, 2.0, 2.0]  # the one beyond a limit does not count
