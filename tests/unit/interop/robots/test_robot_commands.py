"""Robot files at the command line and in scenarios; robots written for other tools."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.cli.scenario_arguments import permitted
from limbless.core.errors import InputError
from limbless.interop.robots.first_run import first_scenario
from tests.unit.interop.robots.descriptions import sdf, urdf, written
from tests.unit.interop.robots.test_serial_trunk import LEGS


def said(*words: object) -> str:
    answer = CliRunner().invoke(main, [str(word) for word in words])
    assert answer.exit_code == 0, answer.output
    return answer.output


def test_robot_says_what_was_read_and_writes_a_scenario(tmp_path: Path) -> None:
    path = written(tmp_path, "snake.urdf", urdf(more=LEGS))
    out = said("robot", path, "--set", "branches=weld", "--out", tmp_path / "snake.yaml")
    assert "URDF snake.urdf" in out and "note: side branches welded at zero: 8 joints on 4 links" in out
    text = (tmp_path / "snake.yaml").read_text()
    assert text.startswith("# from snake.urdf (URDF)\n") and "# side branches welded" in text
    scenario = ll.Scenario.load(tmp_path / "snake.yaml")
    assert scenario.robot == ll.load_robot(path, branches="weld")  # complete: the file itself is not needed


def test_describe_takes_a_robot_file(tmp_path: Path) -> None:
    out = said("describe", written(tmp_path, "snake.sdf", sdf()))
    assert "SDF snake.sdf" in out and "preset: file" in out and "kind: joint-wave" in out


def test_a_scenario_names_a_robot_file_beside_it(tmp_path: Path) -> None:
    written(tmp_path, "snake.urdf", urdf(more=LEGS))
    path = written(
        tmp_path,
        "s.yaml",
        "robot: {preset: file, file: snake.urdf, branches: weld}\n"
        "gait: {kind: body-wave}\nenvironment: [{kind: water}]\n",
    )
    scenario = ll.Scenario.load(path)
    assert scenario.robot.build().freedoms == 3
    assert any("side branches welded" in note for note in scenario.notes())
    with pytest.raises(InputError, match="not a serial chain"):
        ll.Scenario.load(path, {"robot.branches": "refuse"})


def test_a_robot_file_is_a_scenario(tmp_path: Path) -> None:
    path = written(tmp_path, "my snake.urdf", urdf())
    scenario = ll.Scenario.load(str(path), {"robot.head": "tip"})
    assert scenario.name == "my-snake" and scenario.robot.build().head == "tip"
    assert scenario.environment[0].kind == "water"
    assert ll.Scenario.load(ll.Scenario.load(path).to_yaml() and path) == ll.Scenario.load(path)


def test_a_robot_file_is_run_at_the_command_line(tmp_path: Path) -> None:
    """In water, and lying on the ground where hard contact is asked for: `run` and `view`
    take what `permitted` gives.
    """
    path = written(tmp_path, "mine.urdf", urdf())
    wet = permitted(str(path), {"duration": 0.02}, allow_code=False)
    assert wet.environment[0].kind == "water" and wet.duration == 0.02
    dry = ll.Scenario.load(path, {"model": "non-smooth", "duration": 0.1})
    assert [item.kind for item in dry.environment] == ["gravity", "ground"] and dry.actuation.kind == "servo"
    assert dry.initial.position[2] == pytest.approx(0.02, rel=1e-3) and dry.duration == 0.1
    named = ll.Scenario.load(path, {"environment": [{"kind": "gravity"}, {"kind": "ground", "lateral": 0.7}]})
    assert named.model.kind == "non-smooth" and named.environment[1].lateral == 0.7


def test_on_ground_it_starts_touching(tmp_path: Path) -> None:
    data = first_scenario(written(tmp_path, "s.urdf", urdf()), None, "ground")
    assert data["initial"]["position"][2] == pytest.approx(0.02, rel=1e-3) and data["model"] == {"kind": "non-smooth"}
    with pytest.raises(InputError, match="medium: must be one of water, ground, nothing"):
        first_scenario(tmp_path / "s.urdf", None, "mud")


def test_export_writes_what_is_read_again(tmp_path: Path) -> None:
    out = said("export", "eel-planar", "--to", "urdf", "-o", tmp_path / "eel.urdf")
    assert out.strip() == str(tmp_path / "eel.urdf")
    eel = ll.Scenario.load("eel-planar").robot.build()
    assert ll.load_robot(tmp_path / "eel.urdf").total_mass == pytest.approx(eel.total_mass, rel=1e-12)


def test_what_formats_cannot_hold(tmp_path: Path) -> None:
    weighs = {"mass": 1.0, "inertia": (0.01, 0.0, 0.0, 0.01, 0.0, 0.01)}
    ball = {"position": (0.1, 0.0, 0.0), "joint": {"kind": "spherical"}, **weighs}
    light = {"position": (0.1, 0.0, 0.0), "joint": {"axis": (0.0, 0.0, 1.0), "rotor_inertia": 0.1}, "name": "light"}
    chain = ll.Aiko(links=3, rotor_inertia=0.1, viscous_friction=0.2).build()
    text = ll.save_robot(chain, tmp_path / "a.urdf").read_text()
    assert "without: rotor_inertia of 2 joints" in text and "np.float64" not in text
    with pytest.raises(InputError, match="URDF has no spherical joint; write MJCF"):
        ll.save_robot(ll.Chain(links=(weighs, ball)), tmp_path / "b.urdf")
    with pytest.raises(InputError, match="'light': MuJoCo has no spherical joint beside another"):
        ll.save_robot(ll.Chain(links=(weighs, light, ball)), tmp_path / "b.xml")
    with pytest.raises(InputError, match=r"ends in \.xml, \.mjcf, \.urdf"):
        ll.save_robot(chain, tmp_path / "a.step")
    with pytest.raises(InputError, match="only chains are written"):
        ll.save_robot(ll.Rod(length=1.0), tmp_path / "a.xml")


def test_a_saved_run_outlives_its_robot_file(tmp_path: Path) -> None:
    path = written(tmp_path, "s.urdf", urdf())
    ll.run(str(path), {"duration": 0.05}).save(tmp_path / "run")
    path.unlink()
    again = ll.Result.load(tmp_path / "run")
    assert again.proven and again.summary()["path_length"] > 0
    with pytest.raises(InputError, match="there is no file"):
        ll.Scenario.from_yaml(again.scenario.to_yaml())
