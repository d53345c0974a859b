"""A scenario as an FMU: fmpy finds nothing wrong with it, and its robot moves as the library's does, in every bit."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.interop.logs.fmu import write_fmu
from limbless.interop.logs.fmu_process import SteppedRobot

fmpy = pytest.importorskip("fmpy")


@pytest.fixture(scope="module")
def eel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fmu") / "eel.fmu"
    answer = CliRunner().invoke(main, ["export", "eel-planar", "--to", "fmu", "-o", str(path)])
    assert answer.exit_code == 0, answer.output
    return path


@pytest.fixture
def slave(eel: Path) -> Iterator[Any]:
    """An instance of the eel, and what it logged."""
    from fmpy.fmi2 import FMU2Slave

    folder = fmpy.extract(str(eel))
    description = fmpy.read_model_description(str(eel))
    made = FMU2Slave(guid=description.guid, unzipDirectory=folder, modelIdentifier="limbless", instanceName="eel")
    made.references = {one.name: one.valueReference for one in description.modelVariables}
    made.instantiate()
    made.setupExperiment(startTime=0.0)
    made.enterInitializationMode()
    made.exitInitializationMode()
    yield made
    made.terminate()
    made.freeInstance()
    shutil.rmtree(folder)


def test_fmpy_finds_nothing_wrong_and_runs_the_eel_of_the_library(eel: Path) -> None:
    from fmpy.validation import validate_fmu

    assert validate_fmu(str(eel)) == []
    found = fmpy.simulate_fmu(str(eel), stop_time=0.5, output_interval=0.1)
    run = ll.run("eel-planar", {"duration": 0.5, "record_every": 0.1}).dataset
    columns = {"base_position": 3, "base_orientation": 4, "base_twist": 6, "joint_position": 36, "joint_velocity": 36}
    for name, count in columns.items():
        outputs = np.stack([found[f"{name}[{i}]"] for i in range(1, count + 1)], axis=1)
        assert np.array_equal(outputs, run[name].values), name
    assert np.abs(run.joint_position.values).max() > 1e-3  # it moves


def test_inputs_are_fields_of_the_gait_reset_and_wrong_steps(slave: Any) -> None:
    """A change of the gait passes over the host's step, as one of a controller does over its period."""

    def outputs(name: str, count: int) -> Any:
        return slave.getReal([slave.references[f"{name}[{i}]"] for i in range(1, count + 1)])

    def tuned(t: float, seen: Any) -> dict[str, float] | None:
        return {"amplitude": 0.1, "turn": 0.05} if t > 0.15 else None

    for number in range(4):
        if number == 2:
            slave.setReal([slave.references["gait.amplitude"], slave.references["gait.turn"]], [0.1, 0.05])
        slave.doStep(0.1 * number, 0.1)
    run = ll.run("eel-planar", {"duration": 0.4, "control_period": 0.1}, controller=tuned).dataset
    assert outputs("base_position", 3) == pytest.approx(run.base_position.values[-1], rel=1e-12, abs=1e-15)
    assert outputs("joint_position", 36) == pytest.approx(run.joint_position.values[-1], rel=1e-12, abs=1e-15)
    with pytest.raises(Exception, match="fmi2DoStep failed"):
        slave.doStep(0.4, 0.0123)  # not a multiple of 10 ms
    with pytest.raises(Exception, match="fmi2DoStep failed"):
        slave.doStep(0.2, 0.1)  # back in time
    slave.reset()
    assert outputs("base_position", 3) == [0.0, 0.0, 0.0]
    slave.doStep(0.0, 0.2)
    again = ll.run("eel-planar", {"duration": 0.2}).dataset
    assert outputs("base_position", 3) == again.base_position.values[-1].tolist()


def test_torques_are_inputs_where_joints_take_some() -> None:
    gait = {"kind": "joint-wave", "yaw_amplitude": 0.0}
    robot = {"preset": "uniform", "links": 3, "base": "planar"}
    scenario = {"name": "straight", "robot": robot, "gait": gait, "environment": ["water"], "actuation": "pd"}
    stepped = SteppedRobot(ll.Scenario.load(scenario).model_dump(mode="json"))
    assert [one.name for one in stepped.inputs][-2:] == ["torque[1]", "torque[2]"]
    still = tuple(one.start for one in stepped.inputs)
    stepped.go(0.0, 0.05, (*still[:-2], 0.01, -0.01))
    bent = dict(zip(stepped.outputs, stepped.seen(), strict=True))
    assert bent["joint_position[1]"] > 0.0 > bent["joint_position[2]"]
    with pytest.raises(ll.InputError, match="multiple of the scenario's"):
        stepped.go(0.05, 0.013, still)
    with pytest.raises(ll.InputError, match="steps cannot be redone"):
        stepped.go(0.0, 0.01, still)


def test_statics_and_machines_without_a_compiler_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ll.InputError, match="statics has no time"):
        write_fmu(ll.Scenario.load("neck-planar"), tmp_path / "neck.fmu")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(ll.InputError, match="needs a C compiler"):
        write_fmu(ll.Scenario.load("purcell-swimmer"), tmp_path / "swimmer.fmu")
    assert list(tmp_path.iterdir()) == []
