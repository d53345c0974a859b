"""Sweeps: every row once and right, whatever is killed; plans that are refused before the first run."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import deque
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.search.measures import find, measured
from limbless.search.sweeps.parameter_ranges import Bounds, bounds_of, from_words, values_of
from limbless.search.sweeps.row_store import Store, StoredRow, read_rows
from limbless.search.sweeps.sweep_plan import SweepPlan, kernels, read_plan
from limbless.search.sweeps.worker_processes import LocalTeam
from tests.unit.search.sweeps.killing import OVER, POISON, SHORT, WRONG, fragile

ROOT = Path(__file__).parents[4]


def same_rows(one: Path, other: Path) -> bool:
    a, b = ({run: (row.values, row.status) for run, row in read_rows(folder).items()} for folder in (one, other))
    return a == b


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep") / "whole"
    return ll.sweep("eel-planar", OVER, measure="mean_speed", changes=SHORT, out=folder, workers=0)


def test_a_grid_has_a_number_for_every_point(undisturbed) -> None:
    data = undisturbed.dataset
    assert data["mean_speed"].dims == ("gait.amplitude", "gait.period") and data["mean_speed"].shape == (4, 3)
    alone = ll.run("eel-planar", {**SHORT, "gait.amplitude": 0.06, "gait.period": 2.5}).summary()["mean_speed"]
    there = data["mean_speed"].sel({"gait.amplitude": 0.06, "gait.period": 2.5}).item()
    assert there == pytest.approx(alone, rel=1e-9)  # eight at a time
    assert (data["status"] == "completed").all() and data["mean_speed"].attrs["units"] == "m/s"
    best = undisturbed.best("mean_speed")
    assert best["mean_speed"] == data["mean_speed"].max()
    assert (best["gait.amplitude"], best["gait.period"]) == (0.08, 1.5)


def test_the_finished_file_does_not_depend_on_the_clock(undisturbed) -> None:
    with xr.open_dataset(undisturbed.folder / "sweep.nc", engine="h5netcdf") as data:
        assert set(data.data_vars) == {"mean_speed", "proven", "status"}
        np.testing.assert_array_equal(data["mean_speed"], undisturbed.dataset["mean_speed"])


def test_resume_runs_what_is_missing_and_nothing_else(undisturbed, tmp_path: Path) -> None:
    folder = tmp_path / "part"
    plan = SweepPlan.make("eel-planar", OVER, "mean_speed", SHORT)
    folder.mkdir()
    (folder / "plan.yaml").write_text(plan.to_yaml())
    kept = read_rows(undisturbed.folder)
    with Store(folder) as store:
        store.write([row for run, row in kept.items() if run % 3 == 0])
    told = []
    found = ll.sweep(plan, out=folder, workers=0, progress=told.append)
    assert (told[0].done, told[-1].done, len(told)) == (4, 12, 2) and told[-1].failed == 0
    assert same_rows(folder, undisturbed.folder) and found.is_complete


def test_workers_survive_a_run_that_kills_them(tmp_path: Path) -> None:
    """The poisonous run becomes a row, as does the one that raises; all others are there."""
    found = ll.sweep("eel-planar", OVER, measure=fragile, changes=SHORT, out=tmp_path / "s", workers=2)
    assert found.is_complete
    words = {(row["gait.amplitude"], row["gait.period"]): row["status"] for row in found.failures()}
    assert set(words) == {POISON, WRONG}
    assert "killed twice" in words[POISON] and "diverged at t = 0.3 s" in words[WRONG]
    data = found.dataset["fragile.x"]
    assert int(np.isnan(data).sum()) == 2
    alone = ll.run("eel-planar", {**SHORT, "gait.amplitude": 0.02, "gait.period": 1.5})
    assert data.values[0, 0] == alone.dataset["base_position"].values[-1, 0]
    assert "2 failed" in found.told()
    again = ll.Sweep.load(found.folder)
    assert again.dataset["fragile.x"].equals(data)


def run_session(folder: Path, after: int, victim: str) -> int:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    command = [sys.executable, str(Path(__file__).with_name("killing.py")), str(folder), str(after), victim]
    return subprocess.run(command, env=env, capture_output=True, check=False, cwd=ROOT).returncode


def test_a_killed_writer_loses_nothing(undisturbed, tmp_path: Path) -> None:
    folder = tmp_path / "s"
    assert run_session(folder, 5, "alone") == -9
    part = read_rows(folder)
    assert len(part) == 8 and not ll.Sweep.load(folder).is_complete
    ll.sweep("eel-planar", OVER, measure="mean_speed", changes=SHORT, out=folder, workers=0)
    assert same_rows(folder, undisturbed.folder)


@pytest.mark.long
def test_sessions_killed_again_and_again(tmp_path: Path) -> None:
    """Writers and workers are killed after the k-th row until all is done: every row once, as if undisturbed."""
    whole = ll.sweep("eel-planar", OVER, measure=fragile, changes=SHORT, out=tmp_path / "whole", workers=2)
    folder, ends = tmp_path / "s", []
    for after, victim in ((1, "writer"), (3, "worker"), (4, "writer"), (8, "writer"), (10, "worker"), (99, "worker")):
        ends.append(run_session(folder, after, victim))
    assert ends.count(-9) >= 2
    found = ll.Sweep.load(folder)
    assert found.is_complete
    assert {run: row.values for run, row in found.rows.items()} == {run: row.values for run, row in whole.rows.items()}
    assert {row["run"] for row in found.failures()} == {row["run"] for row in whole.failures()}


def test_shares_are_united(undisturbed, tmp_path: Path) -> None:
    for share in ((0, 2), (1, 2)):
        ll.sweep("eel-planar", OVER, measure="mean_speed", changes=SHORT, out=tmp_path / "s", workers=0, share=share)
    assert {path.name for path in (tmp_path / "s").glob("runs*.db")} == {"runs-0.db", "runs-1.db"}
    assert same_rows(tmp_path / "s", undisturbed.folder)


def test_failed_rows_are_run_again_when_asked(tmp_path: Path) -> None:
    plan = SweepPlan.make("eel-planar", {"gait.period": [1.5, 2.0]}, "mean_speed", SHORT)
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "plan.yaml").write_text(plan.to_yaml())
    with Store(tmp_path / "s") as store:
        store.write([StoredRow(0, {}, "failed: bad luck", 0.1)])
    assert len(ll.sweep(plan, out=tmp_path / "s", workers=0).failures()) == 1
    assert ll.sweep(plan, out=tmp_path / "s", workers=0, retry_failed=True).failures() == []


def test_only_one_process_writes(tmp_path: Path) -> None:
    with Store(tmp_path), pytest.raises(ll.InputError, match="being written by another process"):
        Store(tmp_path)
    Store(tmp_path).close()


def test_another_plan_or_another_version_is_refused(undisturbed, tmp_path: Path) -> None:
    with pytest.raises(ll.InputError, match=r"holds another sweep \(over.gait.period is"):
        ll.sweep(
            "eel-planar",
            {**OVER, "gait.period": [1.5, 2.0]},
            measure="mean_speed",
            changes=SHORT,
            out=undisturbed.folder,
            workers=0,
        )
    folder = tmp_path / "s"
    plan = SweepPlan.make("eel-planar", {"gait.period": [1.5, 2.0]}, "mean_speed", SHORT)
    ll.sweep(plan, out=folder, workers=0, share=(0, 2))
    file = folder / "plan.yaml"
    file.write_text(file.read_text().replace(kernels(), "kernels-of-another-day"))
    with pytest.raises(ll.InputError, match="made by another version"):
        ll.sweep(plan, out=folder, workers=0)
    assert ll.sweep(plan, out=folder, workers=0, mixed=True).is_complete


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({"gait.amplitud": [0.1, 0.2]}, "did you mean 'amplitude'"),
        ({"gait.amplitude": []}, "the list is empty"),
        ({"gait.amplitude": 0.1}, "one value"),
        ({"gait.amplitude": {"from": 0.1, "to": 0.1, "count": 3}}, "the range is empty"),
        ({"gait.amplitude": {"from": 0.1, "to": 0.2}}, "needs the number of its values"),
        ({"gait.amplitude": {"from": 0.0, "to": 0.2, "count": 3, "scale": "log"}}, "bounds above 0"),
        ({"gait.amplitude": {"from": 0.0, "upto": 0.2, "count": 3}}, "no 'upto'"),
        ({"gait.amplitude": [0.1, 0.1]}, "listed twice"),
        ({"gait.period": [2.0, -1.0]}, "gait.period = -1.0"),
        ({}, "at least one field"),
    ],
)
def test_plans_are_refused_before_the_first_run(over: dict, words: str) -> None:
    with pytest.raises(ll.InputError, match=re.escape(words)):
        ll.sweep("eel-planar", over, measure="mean_speed")


def test_measures_are_refused_before_the_first_run() -> None:
    with pytest.raises(ll.InputError, match="did you mean 'mean_speed'"):
        SweepPlan.make("eel-planar", OVER, "mean_sped")
    with pytest.raises(ll.InputError, match="is changed for all runs too"):
        SweepPlan.make("eel-planar", OVER, "mean_speed", dict.fromkeys(OVER, 0.1))
    with pytest.raises(ll.InputError, match="named twice"):
        SweepPlan.make("eel-planar", OVER, ["mean_speed", "mean_speed"])
    with pytest.raises(ll.InputError, match="cannot be given to workers"):
        ll.sweep(
            "eel-planar",
            {"gait.period": [1.5, 2.0]},
            measure=lambda result: 1.0,
            changes=SHORT,
            workers=1,
            out="never-written",
        )
    assert not Path("never-written").exists()


@pytest.mark.parametrize(
    ("scenario", "path", "values", "measure", "words"),
    [
        ("eel-planar", "gait.amplitude", [0.04, 0.06], "reached", "a number of spines at rest"),
        ("eel-planar", "duration", [0.5, 1.0], "period_speed", "let it last longer"),
        ("neck-planar", "robot.first_stiffness", [0.04, 0.05], "mean_speed", "statics has no time"),
        ("neck-planar", "robot.first_stiffness", [0.04, 0.05], "peak_torque", "statics has no time"),
        ("spine-45-swim", "gait.period", [1.0, 2.0], "peak_torque", "no torques of actuators"),
        ("eel-lighthill", "gait.ramp", [0.5, 1.0], "steady.speed", "does nothing in steady motion"),
        ("snake-undulate-isotropic", "gait.yaw_amplitude", [0.2, 0.3], "steady.largest_multiplier", "no multipliers"),
    ],
)
def test_measures_that_a_model_does_not_have(scenario: str, path: str, values: list, measure: str, words: str) -> None:
    """Empty columns would be found after the last run."""
    with pytest.raises(ll.InputError, match=words):
        SweepPlan.make(scenario, {path: values}, measure)


def test_a_torque_ratio_needs_limits() -> None:
    with pytest.raises(ll.InputError, match="has a `torque_limit`"):
        SweepPlan.make("eel-planar", OVER, "steady.torque_ratio", {"robot": {"kind": "chain", "preset": "uniform"}})


def test_a_measure_that_some_points_have_is_taken() -> None:
    assert SweepPlan.make("eel-planar", {"duration": [0.5, 3.0]}, "period_speed").runs == 2


def test_a_script_without_its_guard_is_told_so(tmp_path: Path) -> None:
    """Only where the measure lives in the script do workers import it."""
    script = tmp_path / "script.py"
    script.write_text(
        "import limbless as ll\n\ndef own(result):\n    return 1.0\n\n"
        f"ll.sweep('eel-planar', {{'gait.period': [1.5, 2.0]}}, measure=own, changes={SHORT}, workers=1, "
        f"out={str(tmp_path / 's')!r})\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([sys.executable, str(script)], env=env, capture_output=True, check=False, text=True)
    assert "InputError: the script runs its sweep again in every worker" in done.stderr
    assert not read_rows(tmp_path / "s")


def test_ranges() -> None:
    eel, period = ll.Scenario.load("eel-planar"), "gait.period"
    assert values_of(period, {"from": 1.0, "to": 100.0, "count": 3, "scale": "log"}, eel) == pytest.approx(
        (1.0, 10.0, 100.0)
    )
    assert Bounds(2.0, 8.0, "log").at(np.array([0.0, 0.5, 1.0])) == pytest.approx([2.0, 4.0, 8.0])
    assert bounds_of(period, (1.0, 2.0), eel).share(1.25) == 0.25
    assert Bounds(1.0, 100.0, "log").share(10.0) == pytest.approx(0.5)
    assert from_words("gait.period=1.5,2,2.5") == ("gait.period", [1.5, 2, 2.5])
    assert from_words("a=0.02:0.1:9") == ("a", {"from": 0.02, "to": 0.1, "count": 9})
    assert from_words("a=0.02..0.1") == ("a", {"from": 0.02, "to": 0.1})


def test_ranges_take_the_units_of_their_fields() -> None:
    """Whatever stands in a file with a unit may stand in a range: angles, times, lengths, densities, parts of lists."""
    eel = ll.Scenario.load("eel-planar", {"environment.water.current": [0.1, 0.0, 0.0]})
    assert values_of("gait.amplitude", {"from": "0 deg", "to": "90 deg", "count": 2}, eel) == pytest.approx(
        (0.0, np.pi / 2)
    )
    assert values_of("gait.period", ["1500 ms", "2 s", 2.5], eel) == pytest.approx((1.5, 2.0, 2.5))
    assert bounds_of("robot.link_length", ("12 cm", "150 mm"), eel)[:2] == pytest.approx((0.12, 0.15))
    assert bounds_of("environment.water.density", {"from": "0.9 g/cm3", "to": "1 g/cm3"}, eel)[:2] == pytest.approx(
        (900.0, 1000.0)
    )
    assert values_of("environment.water.current.1", ["5 cm/s"], eel) == pytest.approx((0.05,))
    assert values_of("environment.water.model", ["morison", "lighthill"], eel) == ("morison", "lighthill")
    with pytest.raises(ll.InputError, match=r"over\.gait\.period: '2 m' is a length"):
        bounds_of("gait.period", ("2 m", 3.0), eel)
    with pytest.raises(ll.InputError, match="did you mean 'amplitude'"):
        bounds_of("gait.amplitud", ("2 deg", "3 deg"), eel)


LEAN = ["mean_speed", "cost_of_transport", "positive_work", "peak_torque", "torque_ratio"]


def test_rows_of_runs_side_by_side_are_those_of_runs_alone(tmp_path: Path) -> None:
    """Bodies and gaits, a run that diverges in their midst, and a robot that goes nowhere."""
    over = {"gait.period": [1.5, 2.0], "robot.half_width": [0.06, 0.07], "environment.water.density": [1000.0, 1e12]}
    changes = {"duration": 0.5, "step": 0.02, "gait.ramp": 0.2, "environment.water.added_mass": "none"}
    found = ll.sweep("eel-planar", over, measure=LEAN, changes=changes, out=tmp_path / "s", workers=0)
    assert {row["environment.water.density"] for row in found.failures()} == {1e12}
    assert len(found.failures()) == 4 and "diverged" in found.failures()[0]["status"]
    for run in (-1, 8):
        with pytest.raises(ll.InputError, match=f"this sweep has runs 0 to 7; got {run}"):
            found.scenario(run)
    for run in (0, 6):
        alone = ll.run(found.scenario(run))
        values = measured([find(name) for name in LEAN], alone)
        assert list(values) == LEAN and found.rows[run].values == pytest.approx(values, rel=1e-6)
        assert found.rows[run].values["mean_speed"] == pytest.approx(values["mean_speed"], rel=1e-9)
    held = ll.sweep(
        "eel-planar",
        {"gait.period": [1.5, 2.0]},
        measure=LEAN,
        out=tmp_path / "held",
        workers=0,
        changes={**changes, "robot.base": "fixed"},
    )
    assert np.isnan(held.rows[0].values["cost_of_transport"]) and held.rows[0].values["positive_work"] > 0.0


def test_steady_motion_is_refused_before_the_first_run() -> None:
    changes = {"environment.water.current": [0.1, 0.0, 0.0]}
    with pytest.raises(ll.InputError, match=r"measure: steady.speed: environment.water: a `current` has a direction"):
        SweepPlan.make("eel-planar", OVER, "steady.speed", changes)
    with pytest.raises(ll.InputError, match="a `current` has a direction"):
        ll.optimise("eel-planar", {"gait.amplitude": (0.02, 0.1)}, maximise="steady.speed", changes=changes)
    still = {"environment.water.current": [[0.1, 0.0, 0.0], [0.0, 0.0, 0.0]]}
    assert SweepPlan.make("eel-planar", still, "steady.speed").runs == 2  # one of them can be


def test_samples_lie_between_their_bounds_and_are_the_same_every_time() -> None:
    over = {"gait.amplitude": (0.02, 0.1), "gait.period": {"from": 1.0, "to": 4.0, "scale": "log"}}
    for kind in ("sobol", "latin"):
        plan, again = (
            SweepPlan.make("eel-planar", over, "mean_speed", samples={"kind": kind, "count": 8, "seed": 3})
            for _ in range(2)
        )
        points = np.array([list(plan.point(run).values()) for run in range(8)])
        assert [plan.point(run) for run in range(8)] == [again.point(run) for run in range(8)]
        assert ((points > (0.02, 1.0)) & (points < (0.1, 4.0))).all()
        octaves = np.sort(np.floor(8 * np.log(points[:, 1]) / np.log(4.0)))
        assert octaves.tolist() == list(range(8))  # one in each of eight strips
    with pytest.raises(ll.InputError, match=r"samples.kind: must be sobol or latin"):
        SweepPlan.make("eel-planar", over, "mean_speed", samples={"kind": "random", "count": 8})


def test_a_plan_file_is_checked_with_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text(
        "scenario: eel-planar\nset: {duration: 0.02}\nover:\n  gait.amplitude: [0.02, 0.04]\nmeasure: [mean_speed]\n"
    )
    plan = read_plan(file)
    assert plan.runs == 2 and plan.scenario.duration == 0.02
    file.write_text(file.read_text().replace("[0.02, 0.04]", "[]"))
    with pytest.raises(ll.InputError, match=r"plan.yaml:4: over.gait.amplitude: the list is empty"):
        read_plan(file)
    file.write_text("scenario: eel-planar\nover: {gait.amplitude: [0.02]}\nmeasures: [mean_speed]\n")
    with pytest.raises(ll.InputError, match=r"plan.yaml:3: measures: unknown field of a plan; did you mean 'measure'"):
        read_plan(file)


def test_the_command(tmp_path: Path) -> None:
    out = tmp_path / "s"
    words = [
        "sweep",
        "eel-planar",
        "--set",
        "duration=0.02",
        "--over",
        "gait.period=1.5,2",
        "--out",
        str(out),
        "--workers",
        "0",
    ]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert "2 of 2 runs" in done.output and "largest progress" in done.output
    assert "2 of 2 runs" in CliRunner().invoke(main, ["sweep", str(out), "--status"]).output
    assert CliRunner().invoke(main, ["sweep", str(out), "--workers", "0"]).exit_code == 0
    script = CliRunner().invoke(main, ["sweep", str(out), "--slurm"]).output
    assert f"limbless sweep {out} --workers 1 --quiet --share $SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" in script
    fresh = tmp_path / "fresh"
    planned = CliRunner().invoke(
        main, ["sweep", "eel-planar", "--over", "gait.period=1.5,2", "--slurm", "--out", str(fresh)]
    )
    assert f"limbless sweep {fresh} --workers 1" in planned.output and (fresh / "plan.yaml").is_file()
    assert "0 of 2 runs" in CliRunner().invoke(main, ["sweep", str(fresh), "--status"]).output
    assert "there is no file" in CliRunner().invoke(main, ["sweep", "sweeps/nowhere"]).output
    wrong = CliRunner().invoke(main, ["sweep", "eel-planar"])
    assert wrong.exit_code == 2 and "at least one field to vary" in wrong.output
    assert (
        "did you mean 'amplitude'"
        in CliRunner().invoke(main, ["sweep", "eel-planar", "--over", "gait.amplitud=1,2"]).output
    )


def test_a_sweep_says_which_runs_are_proven(tmp_path: Path) -> None:
    """Of steps that are too long the balances fail; who asks for proven runs gets the best of those."""
    found = ll.sweep(
        "eel-planar",
        {"step": [0.01, 0.25]},
        measure=["path_length", "mean_speed@-x"],
        changes={"duration": 5.0, "record_every": 5.0, "gait.ramp": 0.5},
        out=tmp_path / "s",
        workers=0,
    )
    assert found.dataset["proven"].values.tolist() == [1.0, 0.0] and "1 not proven" in found.told()
    assert found.measured == ["path_length", "mean_speed@-x"]
    assert found.best("path_length", proven=True)["step"] == 0.01
    again = ll.Sweep.load(tmp_path / "s")
    assert again.plan.measure[1].name == "mean_speed@-x" and again.dataset["proven"].values.tolist() == [1.0, 0.0]


def test_runs_side_by_side_keep_no_proof(undisturbed) -> None:
    assert np.isnan(undisturbed.dataset["proven"]).all() and "not proven" not in undisturbed.told()


def test_short_runs_are_given_out_eight_at_a_time() -> None:
    """A run of a seventh of a second too: eight of them side by side take as long as two alone."""
    team = LocalTeam(SweepPlan.make(ll.Scenario.load("eel-planar"), {"gait.amplitude": [0.1, 0.2]}, "mean_speed"), 2)
    team.queue, team.again, team.first = deque(range(45)), deque([99]), False
    sizes = []
    for seconds in (0.14, 0.14, 3.0, 0.001, 0.9, 0.14, 0.14):
        team.seconds = seconds
        sizes.append(len(team._next_chunk()))
    assert sizes == [1, 8, 1, 8, 8, 8, 8]  # first what killed a worker, alone
