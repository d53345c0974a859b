"""Scenarios from names, files and mappings: defaults, and everything wrong said at once with its place."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any, ClassVar, Literal

import pytest

from limbless.control.gaits.base import Gait
from limbless.control.gaits.body_wave import BodyWave
from limbless.core import registry
from limbless.core.errors import InputError
from limbless.environments.base import Environment
from limbless.environments.water import Water
from limbless.models.base import ModelSettings
from limbless.robots.presets.khalil_eel import KhalilEel
from limbless.scenarios import loader
from limbless.scenarios.scenario import Initial, Scenario

SHORT = "robot: khalil-eel\ngait: body-wave\n"


@pytest.fixture
def rooms(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test registers is forgotten after it."""
    monkeypatch.setattr(registry, "_known", {family: dict(registry.kinds(family)) for family in registry._FOLDERS})


def refusal(*arguments: Any) -> str:
    with pytest.raises(InputError) as caught:
        Scenario.load(*arguments)
    return str(caught.value)


def write(folder: Path, text: str, name: str = "swim.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_planar_eel_has_the_values_of_the_paper() -> None:
    scenario = Scenario.load("eel-planar")
    gait = scenario.gait
    assert isinstance(gait, BodyWave) and isinstance(scenario.robot, KhalilEel)
    assert (gait.amplitude, gait.growth, gait.wavelength, gait.period, gait.ramp) == (0.06, 1.2, 1.8, 2.0, 2.0)
    assert (gait.turn, gait.dive) == (0.0, 0.0)
    assert (gait.spacing, gait.x_first, scenario.robot.density) == (0.14, 0.0, 1000.0)
    assert (scenario.duration, scenario.step, scenario.record_every) == (30.0, 0.01, 0.02)
    assert scenario.environment == (Water(density=1000.0, model="morison", added_mass="paper"),)
    assert scenario.paper == "001_6af647dcdb8b62c0"


def test_loop_dives_by_a_fortieth_of_half_a_turn() -> None:
    scenario, planar = Scenario.load("eel-loop"), Scenario.load("eel-planar")
    assert isinstance(scenario.gait, BodyWave) and scenario.gait.dive == math.pi / 40
    assert scenario.duration == 60.0
    assert scenario.gait.changed(dive=0.0) == planar.gait and scenario.robot == planar.robot


def test_two_lines_are_enough(tmp_path: Path) -> None:
    scenario = Scenario.load(write(tmp_path, SHORT))
    assert scenario.name == "swim" and scenario.environment == () and scenario.figures == ()
    assert scenario.record_every == scenario.step == 0.01
    assert scenario.initial == Initial() and scenario.control_period is None


@pytest.mark.parametrize(
    ("stem", "name"), [("my eel", "my-eel"), ("v1.2", "v1.2"), ("...", "untitled"), ("näher", "näher")]
)
def test_a_file_without_a_name_is_named_after_the_file(tmp_path: Path, stem: str, name: str) -> None:
    assert Scenario.load(str(write(tmp_path, SHORT, f"{stem}.yaml"))).name == name


def test_python_objects_and_words_do_as_well_as_mappings() -> None:
    made = Scenario.load(
        {"robot": KhalilEel(), "gait": BodyWave(amplitude=0.1), "environment": [Water()], "model": "newton-euler"}
    )
    written = Scenario.load(
        {
            "robot": {"preset": "khalil-eel"},
            "gait": {"kind": "body-wave", "amplitude": 0.1},
            "environment": [{"kind": "water"}],
            "actuation": "motion",
            "model": {"kind": "newton-euler"},
        }
    )
    assert made == written == Scenario(robot=KhalilEel(), gait=BodyWave(amplitude=0.1), environment=(Water(),))
    assert Scenario.load(made) is made


def test_everything_wrong_is_said_at_once_with_file_line_and_path(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        """\
robot: {kind: chain, preset: khalil-el}
gait:
  kind: body-wave
  amplitud: 0.08
  growth: [1, 2]
  period: -3
  dive: 4 degrees
environment:
  - {kind: water, density: 1000.0, perimeter: hlf}
  - {kind: watr}
  - 5
actuation: {kind: pd, stiffness: [a, 3]}
initial: {orientation: [1, 1, 1, 1], position: [0, 0], twist: 3}
step: 20
record_every: 0.015
figurs: []
""",
    )
    lines = refusal(path).splitlines()
    assert lines[0] == f"{path}: 15 errors"
    expected = [
        (1, "robot.preset: unknown preset 'khalil-el'; did you mean 'khalil-eel'?"),
        (4, "gait.amplitud: unknown field; did you mean 'amplitude'? known: amplitude, dive"),
        (5, "gait.growth: must be a number (1/m); received [1, 2]"),
        (6, "gait.period: must be greater than 0 (s); received -3"),
        (7, "gait.dive: must be a number (rad): 'degrees' is not a unit; did you mean 'deg'? write for example"),
        (9, "environment.0.perimeter: must be 'half' or 'full'; received 'hlf'"),
        (10, "environment.1.kind: unknown environment 'watr'; did you mean 'water'?"),
        (11, "environment.2: must be a mapping with a `kind`"),
        (12, "actuation.stiffness.0: must be a number; received 'a'"),
        (13, "initial.position: must be a list of 3 numbers (m); received [0, 0]"),
        (13, "initial.orientation: must be a quaternion of length 1"),
        (13, "initial.twist: must be a list"),
        (14, "step: must not be longer than the duration, 10 s; received 20"),
        (15, "record_every: must be a whole multiple of the step, 20 s; the nearest is 20; received 0.015"),
        (16, "figurs: unknown field; did you mean 'figures'?"),
    ]
    for line, (number, beginning) in zip(lines[1:], expected, strict=True):
        assert line.startswith(f"  {path}:{number}: {beginning}"), line
        assert "pydantic" not in line and "http" not in line


def test_one_error_is_one_line(tmp_path: Path) -> None:
    path = write(tmp_path, SHORT + "duration: fast\n")
    assert refusal(path) == (
        f"{path}:3: duration: must be a number (s), or one with a unit such as '20 ms'; received 'fast'"
    )


def test_missing_parts_say_what_to_give(tmp_path: Path) -> None:
    path = write(tmp_path, "duration: 1\nenvironment: [{density: 3}]\n")
    text = refusal(path)
    assert (
        f"{path}: robot: missing; give a robot (kind: chain" in text
        and "gait: missing; give a gait (kind: body-wave" in text
    )
    assert f"{path}:2: environment.0.kind: missing; the environment needs a `kind`: " in text and "buoyancy, " in text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("# only a comment\n", "is empty"),
        ("- 1\n- 2\n", "holds a list; a scenario is a mapping"),
        ("swim\n", "holds a text"),
        ("robot: [1, 2\n", ":2:1: not valid YAML: expected ',' or ']'"),
        ("gait:\n  kind: body-wave\n  kind: function\n", ":3: 'kind' is written twice in the same mapping"),
        ("a: b: c\n", ":1:5: not valid YAML: mapping values are not allowed here"),
        ("\tgait: x\n", ":1:1: not valid YAML"),
        ("gait: *wave\n", ":1:7: not valid YAML: found undefined alias 'wave'"),
        ("gait: x\n---\nrobot: y\n", ":2:1: not valid YAML"),
        ("gait: \x01\n", "not valid YAML: unacceptable character"),
        ("[" * 500, "is nested too deeply"),
    ],
)
def test_files_that_are_no_scenario(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    answer = refusal(path)
    assert answer.startswith(str(path)) and message in answer and "\n" not in answer


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nowhere.yaml") == f"there is no file {tmp_path / 'nowhere.yaml'}"
    assert refusal(tmp_path) == f"{tmp_path} is a folder, not a scenario file"
    inside = write(tmp_path, SHORT, "scenario.yaml")
    assert refusal(str(tmp_path)) == f"{tmp_path} is a folder, not a scenario file; did you mean {inside}?"
    inside.write_bytes(b"title: caf\xe9\n")
    assert refusal(inside) == f"{inside} is not UTF-8 text (byte 10); save it as UTF-8"


def test_unknown_names_answer_with_the_nearest() -> None:
    text = refusal("eel-planer")
    assert (
        text.startswith("unknown scenario 'eel-planer'; did you mean 'eel-planar'? `limbless list scenarios` shows ")
        and ".yaml" in text
    )
    assert "did you mean" not in refusal("nothing")  # no name is like it
    assert "not by 3" in refusal(3)


def test_yaml_is_read_as_yaml_1_2(tmp_path: Path) -> None:
    text = SHORT + "step: 1e-3\nduration: 1e+1\ntitle: no\nname: '010'\n"
    scenario = Scenario.load(write(tmp_path, text))
    assert (scenario.step, scenario.duration, scenario.title, scenario.name) == (0.001, 10.0, "no", "010")


def test_anchors_and_merges_work_and_keep_their_lines(tmp_path: Path) -> None:
    path = write(
        tmp_path, SHORT + "environment:\n  - &w {kind: water, density: 998.0}\n  - {<<: *w, density: 1.2, x: 1}\n"
    )
    assert f"{path}:5: environment.1.x: unknown field" in refusal(path)
    path.write_text(path.read_text().replace(", x: 1", ""))
    assert Scenario.load(path).environment == (Water(density=998.0), Water(density=1.2))


def test_true_is_not_a_number(tmp_path: Path) -> None:
    path = write(tmp_path, SHORT + "step: true\ninitial: {position: [0, false, 0]}\n")
    text = refusal(path)
    assert f"{path}:3: step: must be a number; received true" in text
    assert f"{path}:4: initial.position.1: must be a number; received false" in text


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("robot: {kind: chain, links: []}", "robot.links: must have at least 1 item, not 0"),
        (
            "initial: {position: [0, 0, 0, 0]}",
            "initial.position: must be a list of 3 numbers (m); received [0, 0, 0, 0]",
        ),
        ("initial: {position: {x: 1}}", "initial.position: must be a list of 3 numbers (m); received {'x': 1}"),
        ("environment: {kind: water}", "environment: must be a list of (environment (kind: "),
        ("initial: 3", "initial: must be"),
        ("figures: khalil", "figures: must be a list of texts; received 'khalil'"),
        ("title: [a]", "title: must be a valid string; received ['a']"),
        ("robot: {kind: chain, links: [{}, {joint: {kind: hinge}}]}", "robot.links.1.joint.kind: must be 'revolute'"),
        (
            "robot: {kind: chain, links: [{solids: [{shape: capsule, lenght: 3}]}]}",
            "robot.links.0.solids.0.lenght: unknown field; did",
        ),
        (
            "robot: {kind: chain, links: [{}, {joint: {axs: 3}}]}",
            "robot.links.1.joint.axs: unknown field; did you mean 'axis'?",
        ),
    ],
)
def test_lists_and_what_is_inside_them(tmp_path: Path, line: str, message: str) -> None:
    lines = dict(part.split(": ", 1) for part in (*SHORT.splitlines(), line))
    path = write(tmp_path, "".join(f"{name}: {value}\n" for name, value in lines.items()))
    number = list(lines).index(line.partition(":")[0]) + 1
    assert f"{path}:{number}: {message}" in refusal(path)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[0.0, 0.5]], "gait.pace.0: must have more than 2 items; received [0.0, 0.5]"),
        ([[0.0, 1.0, 2.0, 3.0]], "gait.pace.0: must have at most 3 items, not 4"),
        ([0.5], "gait.pace.0: must be a list; received 0.5"),
    ],
)
def test_rows_of_tables(rows: list[Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        Scenario.load("snake-steered", {"gait.pace": rows})


@pytest.mark.parametrize("value", [".inf", ".nan", "-.inf"])
def test_numbers_are_finite(tmp_path: Path, value: str) -> None:
    assert "duration: must be" in refusal(write(tmp_path, SHORT + f"duration: {value}\n"))


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ({"duration": 0}, "duration: must be greater than 0 (s); received 0"),
        ({"step": -0.1}, "step: must be greater than 0 (s); received -0.1"),
        ({"duration": 1, "step": 2}, "step: must not be longer than the duration, 1 s; received 2"),
        (
            {"step": 0.01, "record_every": 0.025},
            "must be a whole multiple of the step, 0.01 s; the nearest is 0.02; received 0.025",
        ),
        ({"step": 0.01, "record_every": 0.001}, "the nearest is 0.01; received 0.001"),
        ({"control_period": 0}, "control_period: must be greater than 0"),
    ],
)
def test_times_go_together(times: dict[str, float], message: str) -> None:
    assert message in refusal({"robot": "khalil-eel", "gait": "body-wave", **times})


def test_the_gait_speaks_the_language_of_the_actuation() -> None:
    start = {"robot": "khalil-eel", "gait": "body-wave"}
    assert "actuation: 'torque' needs a gait that drives torque, not one that drives shape" in refusal(
        {**start, "actuation": "torque"}
    )
    pushed = {"kind": "function", "function": "math:sin", "drives": "torque"}
    text = refusal({**start, "gait": pushed, "actuation": "pd"})
    assert "actuation: 'pd' needs a gait that drives shape or joint, not one that drives torque" in text
    joints = {"initial": {"joint_position": [0.0] * 36}}
    said = "initial.joint_position: the actuation 'motion' puts the joints where the gait has them"
    assert said in refusal({**start, **joints})
    assert Scenario.load({**start, **joints, "actuation": "pd"}).initial.joint_position == (0.0,) * 36


def test_rounding_does_not_spoil_a_whole_multiple() -> None:
    for count in (1, 3, 7, 10, 333):
        assert Scenario.load("eel-planar", {"step": 0.1, "record_every": sum([0.1] * count)})


def test_quaternions_are_normalised_once_or_refused() -> None:
    rounded = Initial(orientation=(0.7071, 0.0, 0.0, 0.7071))
    assert math.hypot(*rounded.orientation) == pytest.approx(1, abs=1e-15)
    assert Initial(orientation=rounded.orientation) == rounded
    with pytest.raises(InputError, match="length 1"):
        Initial(orientation=(0.0, 0.0, 0.0, 0.0))


def test_angles_of_the_start_may_be_in_degrees() -> None:
    start = Initial(twist=(0, 0, 0, "90 deg/s", 0, 0), joint_position=("180 deg", 0.5))  # type: ignore[arg-type]
    assert start.twist[3] == math.pi / 2 and start.joint_position == (math.pi, 0.5)


def test_an_earlier_result_is_found_beside_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "before").mkdir()
    path = write(tmp_path, SHORT + "initial: {result: before}\n")
    scenario = Scenario.load(path)
    assert scenario.initial.result == str((tmp_path / "before").resolve())
    monkeypatch.chdir(tmp_path)
    assert Scenario.load("eel-planar", {"initial.result": "before"}).initial.result == scenario.initial.result
    assert f"{path}:3: initial.result: there is no file 'behind'" in refusal(
        write(tmp_path, path.read_text().replace("before", "behind"))
    )
    gone: Any = Scenario.from_yaml(scenario.to_yaml().replace("before", "gone")).initial.result
    assert gone.endswith("gone")


@pytest.mark.usefixtures("rooms")
def test_pairs_that_no_model_or_another_model_takes_are_refused() -> None:
    class Ground(Environment):
        """Hard floor."""

        role: ClassVar[str] = "contact"
        kind: Literal["test-ground"] = "test-ground"

    class Tension(Gait):
        """Pulls."""

        drives: ClassVar[str] = "colour"
        kind: Literal["test-tension"] = "test-tension"

    class Hopping(ModelSettings):
        """Takes contacts."""

        kind: Literal["test-hopping"] = "test-hopping"
        takes_roles: ClassVar[tuple[str, ...]] = ("contact",)

    text = refusal(
        {"robot": "khalil-eel", "gait": "test-tension", "environment": [Water(), {"kind": "test-ground"}], "duraton": 3}
    )
    assert (
        "environment.1: model 'newton-euler' takes environments of role wrench, friction or clamp, "
        "not contact ('test-ground'); " in text
    )
    assert "models that take it: non-smooth, soft, test-hopping" in text
    assert (
        "gait: model 'newton-euler' takes gaits that drive" in text
        and "not colour ('test-tension'); no model takes it yet" in text
    )
    assert "duraton: unknown field" in text
    text = refusal({"robot": "khalil-eel", "gait": "body-wave", "environment": [Ground()], "model": "test-hopping"})
    assert (
        "robot: model 'test-hopping' takes robots of kind (none), not 'chain'; "
        "models that take it: geometric, newton-euler" in text
    )
    assert (
        "actuation: model 'test-hopping' takes actuations of kind (none), not 'motion'" in text
        and "environment" not in text
    )
    with pytest.raises(InputError, match="takes environments of role"):
        Scenario(robot=KhalilEel(), gait=BodyWave(), environment=(Ground(),))


@pytest.mark.usefixtures("rooms")
def test_a_class_of_the_user_works_as_soon_as_it_is_registered() -> None:
    class Wiggle(Gait):
        """Mine."""

        drives: ClassVar[str] = "joint"
        kind: Literal["test-wiggle"] = "test-wiggle"
        speed: float = 1.0

    scenario = Scenario.load({"robot": "khalil-eel", "gait": {"kind": "test-wiggle"}}, {"gait.speed": 2})
    assert scenario.gait == Wiggle(speed=2.0) and Scenario.from_yaml(scenario.to_yaml()) == scenario


@pytest.mark.usefixtures("rooms")
def test_a_gait_that_does_not_say_what_it_drives_is_refused() -> None:
    class Aimless(Gait):
        """Forgot `drives`."""

        kind: Literal["test-aimless"] = "test-aimless"

    assert "not an unknown thing (its class needs `drives`) ('test-aimless')" in refusal(
        {"robot": "khalil-eel", "gait": Aimless()}
    )


def test_a_class_without_a_kind_is_refused_with_the_line_to_add() -> None:
    class Nameless(Gait):
        """No kind."""

    text = refusal({"robot": "khalil-eel", "gait": Nameless()})
    assert "Nameless has no `kind`; add a line such as  kind: Literal['my-gait'] = 'my-gait'" in text


def test_built_in_names_are_the_files_of_the_folder() -> None:
    assert {"eel-planar", "eel-loop"} <= set(loader.names())
    assert all(Scenario.load(name).name == name for name in loader.names())
