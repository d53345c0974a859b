"""Long runs survive: a killed run goes on bit for bit, from what it left in its folder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.scenarios.scenario import Scenario

CASES: dict[str, dict[str, Any]] = {
    "eel-loop": {"duration": 3.0, "record_every": 0.1},
    "module-snake-undulate": {"duration": 0.6, "record_every": 0.05},
    "wheeled-snake-crawl": {"duration": 0.6, "record_every": 0.05},
    "inchworm-climb": {"duration": 3.0, "record_every": 0.1},
    "rod-swim": {"duration": 2.0, "record_every": 0.5},
}
"""One of each model that moves through time, the rods with and without contacts."""


class Killed(BaseException):
    """Stands in for SIGKILL: nothing in the library catches it."""


def killed(name: str, folder: Path, changes: dict[str, Any], share: float) -> None:
    def progress(fraction: float, time: float, factor: float) -> None:
        if fraction >= share:
            raise Killed

    with pytest.raises(Killed):
        ll.run(name, changes, checkpoint=folder, checkpoint_every=0.0, progress=progress)


def small_blocks(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Many blocks in a short run, and none that ends with a record."""
    scenario = Scenario.load(name)
    model = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
    monkeypatch.setattr(type(model), "steps_per_block", 37, raising=False)
    init = type(model).__init__

    def made(self: Any, *parts: Any, **options: Any) -> None:
        init(self, *parts, **options)
        self.steps_per_block = 37

    monkeypatch.setattr(type(model), "__init__", made)


@pytest.mark.parametrize("name", CASES)
def test_a_killed_run_goes_on_bit_for_bit(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(monkeypatch, name)
    whole = ll.run(name, CASES[name])
    killed(name, tmp_path, CASES[name], 0.4)
    assert len(list((tmp_path / "checkpoint").glob("part-*.npz"))) > 1 and (tmp_path / "scenario.yaml").is_file()
    killed_again = Scenario.load(tmp_path / "scenario.yaml")
    went_on = ll.run(killed_again, checkpoint=tmp_path, resume=True)
    assert went_on.status == "completed" and went_on.doubts == whole.doubts
    whole.save(tmp_path / "whole.nc")
    went_on.save(tmp_path / "went_on.nc")
    assert (tmp_path / "whole.nc").read_bytes() == (tmp_path / "went_on.nc").read_bytes()


def test_records_rarer_than_checkpoints_lose_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found between two records (here: the worst residual of the contact laws) is part of the state."""
    small_blocks(monkeypatch, "module-snake-undulate")
    changes = {"duration": 0.6, "record_every": 0.6}
    whole = ll.run("module-snake-undulate", changes)
    killed("module-snake-undulate", tmp_path, changes, 0.8)
    went_on = ll.run("module-snake-undulate", changes, checkpoint=tmp_path, resume=True)
    for name in ("contact_residual", "contact_depth", "actuator_work", "contact_force"):
        np.testing.assert_array_equal(went_on.dataset[name].values, whole.dataset[name].values)


RUN = "import os, sys, limbless as ll\nfrom limbless.cli.main import main\n"
KILL = f"""{RUN}
ll.run('eel-planar', {{'duration': 25.0, 'record_every': 0.05}}, checkpoint=sys.argv[1], checkpoint_every=0.0,
       progress=lambda fraction, *_: os.kill(os.getpid(), 9) if fraction > 0.6 else None)
"""
GO_ON = RUN + "main(['run', '--resume', sys.argv[1], '--no-figures', '--quiet'])"
WHOLE = f"""{RUN}
main(['run', 'eel-planar', '--set', 'duration=25', '--set', 'record_every=0.05', '--out', sys.argv[1],
      '--no-figures', '--quiet'])
"""


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL here")
def test_after_sigkill_resume_writes_the_bytes_of_the_whole_run(tmp_path: Path) -> None:
    def python(code: str, folder: str) -> int:
        return subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / folder)], check=False, capture_output=True
        ).returncode

    assert python(KILL, "cut") == -signal.SIGKILL
    assert not (tmp_path / "cut" / "result.nc").exists() and not list(tmp_path.rglob(".*"))
    assert python(GO_ON, "cut") == python(WHOLE, "whole") == 0
    assert (tmp_path / "cut" / "result.nc").read_bytes() == (tmp_path / "whole" / "result.nc").read_bytes()
    assert not (tmp_path / "cut" / "checkpoint").exists()


def test_an_interrupted_run_goes_on_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(monkeypatch, "eel-loop")

    def stop(fraction: float, time: float, factor: float) -> None:
        if fraction > 0.5:
            raise KeyboardInterrupt

    # no minute has passed: one part, at the end
    cut = ll.run("eel-loop", CASES["eel-loop"], checkpoint=tmp_path, progress=stop)
    cut.write(tmp_path, figures=False)
    assert cut.status == "interrupted" and len(list((tmp_path / "checkpoint").glob("part-*.npz"))) == 1
    went_on, whole = (
        ll.run("eel-loop", CASES["eel-loop"], checkpoint=tmp_path, resume=True),
        ll.run("eel-loop", CASES["eel-loop"]),
    )
    np.testing.assert_array_equal(went_on.dataset["joint_torque"].values, whole.dataset["joint_torque"].values)
    went_on.write(tmp_path, figures=False)
    assert not (tmp_path / "checkpoint").exists() and ll.Result.load(tmp_path).status == "completed"


def test_short_runs_leave_nothing_and_long_ones_write_once_in_a_while(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ll.run("eel-loop", {"duration": 0.1}, checkpoint=tmp_path / "short")
    assert not (tmp_path / "short").exists()
    small_blocks(monkeypatch, "eel-loop")
    seconds = iter(np.arange(0.0, 1e4, 10.0))
    monkeypatch.setattr("limbless.simulation.checkpoints.clock.perf_counter", lambda: next(seconds))
    killed_at, folder = 0.9, tmp_path / "long"

    def progress(fraction: float, time: float, factor: float) -> None:
        if fraction > killed_at:
            raise Killed

    with pytest.raises(Killed):
        ll.run("eel-loop", CASES["eel-loop"], checkpoint=folder, progress=progress)
    # 8 blocks, a visit of the clock or two each
    assert 1 <= len(list((folder / "checkpoint").glob("part-*.npz"))) <= 4


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"resume": True}, "name the folder"),
        ({"checkpoint": "nowhere", "resume": True}, "no folder nowhere"),
        ({"checkpoint": ".", "resume": True}, "holds no unfinished run"),
        ({"checkpoint": ".", "controller": lambda t, seen: None}, "a run with a controller cannot be resumed"),
    ],
)
def test_refusals(options: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ll.InputError, match=said):
        ll.run("eel-planar", {"duration": 0.1}, **options)


def test_another_scenario_or_damaged_parts_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_blocks(monkeypatch, "eel-loop")
    killed("eel-loop", tmp_path, CASES["eel-loop"], 0.4)
    with pytest.raises(ll.InputError, match="not the scenario of the unfinished run"):
        ll.run("eel-loop", {**CASES["eel-loop"], "gait.amplitude": 0.01}, checkpoint=tmp_path, resume=True)
    with pytest.raises(ll.InputError, match=r"unfinished run.*--resume"):
        ll.Result.load(tmp_path)
    part = next((tmp_path / "checkpoint").glob("part-*.npz"))
    part.write_bytes(part.read_bytes()[:1000])
    with pytest.raises(ll.InputError, match="is damaged"):
        ll.run("eel-loop", CASES["eel-loop"], checkpoint=tmp_path, resume=True)


def test_numbers_that_come_out_otherwise_here_are_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Another machine may round otherwise: the run goes on, and says so."""
    small_blocks(monkeypatch, "eel-loop")
    killed("eel-loop", tmp_path, CASES["eel-loop"], 0.4)
    last = sorted((tmp_path / "checkpoint").glob("part-*.npz"))[-1]
    with np.load(last) as file:
        arrays = {name: file[name] for name in file.files}
    arrays["after_x"] = np.nextafter(arrays["after_x"], 1.0)
    np.savez(last, **arrays)
    assert ll.run("eel-loop", CASES["eel-loop"], checkpoint=tmp_path, resume=True).status == "completed"
    assert "last digits may differ" in caplog.text


def test_a_gait_that_looks_at_the_motion_goes_on_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed within periods that are laid out ahead: what is written has the tally, and the gait in force."""

    def feedback(self: ll.BodyWave, time: float, seen: dict[str, Any]) -> dict[str, Any] | None:
        return {"amplitude": self.amplitude + 1e-3 * float(seen["base_twist"][0])} if round(10 * time) % 3 else None

    monkeypatch.setattr(ll.BodyWave, "feedback", feedback)
    changes = {"duration": 1.5, "record_every": 0.1, "control_period": 0.1}
    ll.run("eel-loop", changes).save(tmp_path / "whole.nc")
    for share in (0.3, 0.8):
        killed("eel-loop", tmp_path, changes, share)
        went_on = ll.run(Scenario.load(tmp_path / "scenario.yaml"), checkpoint=tmp_path, resume=True)
        went_on.save(tmp_path / "went_on.nc")
        assert (tmp_path / "whole.nc").read_bytes() == (tmp_path / "went_on.nc").read_bytes()
