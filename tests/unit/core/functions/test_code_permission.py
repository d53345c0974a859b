"""A stranger's scenario runs no code: whoever loads, draws or describes it runs nothing, and
whoever runs it is asked first.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from pydantic import ValidationError

import limbless as ll
from limbless.cli.main import main
from limbless.core import registry
from limbless.core.functions import code_permission
from limbless.core.functions.callables import NamedFunction, functions_in, named_in
from limbless.view.studio.reproduce import python_lines

CODE = """\
from pathlib import Path

import numpy as np

Path(__file__).with_name("executed").write_text("yes")


def wave(t, s):
    return 0.1 * np.tanh(t[:, None]) ** 3 * np.sin(9.0 * s[None, :] - t[:, None])


def push(t, position, axes, velocity, rotation_rate):
    return -0.5 * velocity


def hills(x, y):
    return 0.01 * np.sin(x) * np.sin(y)


def thickness(x):
    return 0.02, 0.03
"""
SCENARIOS = {
    "gait.function": """
robot: {preset: uniform, links: 4}
gait: {kind: function, function: 'code.py:wave'}
duration: 0.05
""",
    "environment.0.law": """
robot: {preset: uniform, links: 4}
gait: {kind: body-wave, amplitude: 0.1, wavelength: 0.5}
environment: [{kind: force-law, law: 'code.py:push', points: 1}]
duration: 0.05
""",
    "environment.1.function": """
robot: {preset: aiko, links: 3}
gait: {kind: joint-wave, yaw_amplitude: 0.1}
model: non-smooth
environment:
  - {kind: gravity}
  - {kind: terrain, function: 'code.py:hills', corner: [-2, -2], spacing: [1, 1], counts: [5, 5]}
initial: {position: [0, 0, 0.2]}
duration: 0.02
""",
    "robot.profile": """
robot: {kind: rod, profile: 'code.py:thickness'}
model: macro-continuous
environment: [{kind: water}]
gait: {kind: travelling-curvature, amplitude: 0.5}
duration: 0.05
""",
}
"""Every field that takes Python code, in a scenario that is quickly run."""


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The permissions of this test alone."""
    monkeypatch.setenv("LIMBLESS_STATE_DIR", str(tmp_path / "state"))
    return tmp_path / "state" / "allowed-code.json"


def stranger(folder: Path, field: str = "gait.function") -> Path:
    """A scenario with code beside it, as somebody sends it."""
    folder.mkdir(exist_ok=True)
    (folder / "code.py").write_text(CODE)
    path = folder / "mine.yaml"
    path.write_text(SCENARIOS[field])
    return path


def executed(folder: Path) -> bool:
    """Whether the code was run since the last look."""
    mark = folder / "executed"
    found = mark.exists()
    mark.unlink(missing_ok=True)
    return found


@pytest.mark.parametrize("field", SCENARIOS)
def test_looking_runs_nothing_and_running_is_asked_for(field: str, tmp_path: Path) -> None:
    """For every field that takes code: loading and describing the file, loading and drawing what it gave."""
    folder = tmp_path / "theirs"
    path = stranger(folder, field)
    assert list(named_in(ll.Scenario.load(path))) == [field]
    told = CliRunner().invoke(main, ["describe", str(path)])
    assert told.exit_code == 0 and f"Running it executes Python code: {field} is {folder / 'code.py'}:" in told.stdout
    with pytest.raises(
        ll.InputError,
        match=rf"running it executes that code: {field} is .*code.py:.*--allow-code "
        rf".*allow_code=True",
    ):
        ll.run(path)
    assert not executed(folder)
    result = ll.run(path, allow_code=True)
    assert result.status == "completed" and executed(folder)
    (folder / "code.py").write_text(CODE + f"# another content for {field}: it would be run again\n")
    result.write(folder / "run")
    loaded = ll.Result.load(folder / "run")
    assert list(named_in(loaded.scenario)) == [field]
    assert loaded.scenario.to_yaml() == result.scenario.to_yaml()
    np.testing.assert_array_equal(loaded.dataset["position"].values, result.dataset["position"].values)
    for words in (
        ["plot", str(folder / "run")],
        ["report", str(folder / "run")],
        ["cite", str(path)],
        ["movie", str(folder / "run"), "--to", str(folder / "film.gif"), "--speed", "0.01"],
    ):
        told = CliRunner().invoke(main, words)
        assert told.exit_code == (2 if words[0] == "cite" else 0), told.output
    assert (
        (folder / "run/report.html").exists() and (folder / "run/figures").exists() and (folder / "film.gif").exists()
    )
    assert not executed(folder)


def test_the_studio_shows_a_strangers_run_and_runs_none_of_its_code(tmp_path: Path) -> None:
    """Changing a field is refused in the page with the sentence, unless the studio was opened with the permission."""
    pytest.importorskip("viser", reason="the extra view is not installed")
    from limbless.view.studio.studio import Studio, opened

    folder = tmp_path / "theirs"
    ll.run(stranger(folder), allow_code=True).write(folder / "run", figures=False)
    (folder / "code.py").write_text(CODE + "# another content\n")
    executed(folder)
    result, source = opened(str(folder / "run"), {})
    studio = Studio(result, source, folder=tmp_path)
    try:
        for allowed in (False, True):
            if allowed:
                ll.Scenario.load(source, {"duration": 0.1}, allow_code=True)
            else:
                with pytest.raises(ll.InputError, match="names Python code"):
                    ll.run(source, {"duration": 0.1}, allow_code=studio.allow_code)
            assert executed(folder) is allowed
    finally:
        studio.close()


def test_no_field_of_any_kind_runs_what_it_names(tmp_path: Path) -> None:
    """Every field that takes a function, also of kinds that are yet to be written."""
    (tmp_path / "code.py").write_text(CODE + "# for every field\n")
    fields = [
        (cls, name)
        for family in ("robot", "preset", "gait", "environment", "actuation", "model")
        for cls in registry.kinds(family).values()
        for name, field in cls.model_fields.items()
        if "Callable" in str(field.annotation)
    ]
    assert len(fields) >= 5
    for cls, name in fields:
        for text in ("code.py:wave", "code.py:hills"):
            with contextlib.suppress(ValidationError):
                made = cls.model_validate({name: text}, context={"folder": tmp_path, "allow_code": False})
                assert list(named_in(made)) == [name]
        assert not executed(tmp_path), f"{cls.__name__}.{name}"


def test_functions_given_as_objects_need_no_permission() -> None:
    def wave(t: Any, s: Any) -> Any:
        return 0.1 * np.tanh(t[:, None]) ** 3 * np.sin(s[None, :])

    gait = ll.FunctionGait(function=wave)
    assert ll.simulate(ll.Chain.uniform(links=3), gait, duration=0.05).status == "completed"
    assert ll.run(ll.Scenario.load({"robot": "khalil-eel", "gait": gait, "duration": 0.02})).status == "completed"
    assert not named_in(gait) and list(functions_in(gait)) == ["function"]


def test_data_names_code_like_a_file_does() -> None:
    scenario = ll.Scenario.load(
        {"robot": "khalil-eel", "gait": {"kind": "function", "function": "antigravity:geohash"}}
    )
    named = scenario.gait.function  # type: ignore[attr-defined]
    assert isinstance(named, NamedFunction) and named.file is None
    with pytest.raises(
        ll.InputError, match="antigravity:geohash is Python code that a scenario names, and nobody has allowed"
    ):
        named(np.zeros(1), np.zeros(1))
    changed = ll.Scenario.load(scenario, {"duration": 1.0})
    assert named_in(changed) == {"gait.function": named}


def test_the_command_line_refuses_asks_and_remembers(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, other = tmp_path / "theirs", tmp_path / "others"
    path = stranger(folder)
    words = ["run", str(path), "--no-figures", "--out"]
    told = CliRunner().invoke(main, [*words, str(tmp_path / "a")])
    assert told.exit_code == 2 and "--allow-code" in told.stderr and not executed(folder) and not state.exists()
    told = CliRunner().invoke(main, [*words, str(tmp_path / "a"), "--allow-code"])
    assert told.exit_code == 0 and executed(folder), told.output
    assert json.loads(state.read_text()) == {"folders": [str(folder)]}
    told = CliRunner().invoke(main, [*words, str(tmp_path / "b")])
    assert told.exit_code == 0 and "allowed" not in told.stderr, told.output
    theirs = stranger(other)
    told = CliRunner().invoke(main, ["run", str(theirs), "--no-figures", "--out", str(tmp_path / "c")])
    assert told.exit_code == 2 and not executed(other)
    # A file in an allowed folder may not reach for code elsewhere either
    path.write_text(SCENARIOS["gait.function"].replace("code.py", str(other / "code.py")))
    assert CliRunner().invoke(main, [*words, str(tmp_path / "c")]).exit_code == 2 and not executed(other)


@pytest.mark.parametrize("answer", ["n", "y"])
def test_at_a_terminal_it_asks(answer: str, tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def confirm(text: str, err: bool) -> bool:
        asked.append(text)
        return answer == "y"

    monkeypatch.setattr("limbless.cli.scenario_arguments.at_terminal", lambda: True)
    monkeypatch.setattr("click.confirm", confirm)
    path = stranger(tmp_path / "theirs")
    told = CliRunner().invoke(main, ["run", str(path), "--no-figures", "--out", str(tmp_path / "a")])
    assert asked == ["Run it?"] and f"gait.function: {path.with_name('code.py')}:wave" in told.stderr
    assert (told.exit_code, executed(tmp_path / "theirs"), state.exists()) == (
        (0, True, True) if answer == "y" else (2, False, False)
    )


def test_a_folder_stands_for_those_below_it_but_not_for_a_whole_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    (home / "work" / "runs").mkdir(parents=True)
    monkeypatch.setattr(Path, "home", lambda: home)
    code_permission.remember([home / "work"])
    assert code_permission.allowed([home / "work", home / "work" / "runs"])
    assert not code_permission.allowed([home / "work", home / "downloads"]) and not code_permission.allowed([home])
    code_permission.remember([home, Path("/")])
    assert code_permission.allowed([home, Path("/")]) and not code_permission.allowed([home / "downloads"])


@pytest.mark.parametrize("content", ["", "[]", "{", '{"folders": 3}', '{"folders": [3, "relative"]}', "\x00"])
def test_a_damaged_list_of_permissions_allows_nothing(content: str, state: Path, tmp_path: Path) -> None:
    state.parent.mkdir()
    state.write_text(content)
    assert not code_permission.allowed([tmp_path])
    assert (
        code_permission.allowed([tmp_path]) is False
        and code_permission.remember([tmp_path]) == state
        and code_permission.allowed([tmp_path])
    )


def test_a_result_to_continue_from_brings_no_code(tmp_path: Path) -> None:
    """A controlled run keeps its gait in its final state: the functions in it are those of the
    scenario that is run, or refused.
    """
    path = stranger(tmp_path / "theirs")
    first = ll.run(path, {"gait.period": 1.0}, controller=lambda t, seen: {"period": 2.0}, allow_code=True)
    first.save(tmp_path / "first.nc")
    executed(tmp_path / "theirs")
    (tmp_path / "theirs/code.py").write_text(CODE + "# another content\n")
    loaded = ll.Result.load(tmp_path / "first.nc")
    scenario = first.scenario

    def idle(t: float, seen: Any) -> None:
        return None

    from limbless.simulation.simulate import run_scenario

    assert run_scenario(scenario, controller=idle, after=loaded).status == "completed"
    text = bytes(loaded.state.memory["gait"].astype(np.uint8)).replace(b"code.py:wave", b"code.py:evil")
    loaded.state.memory["gait"] = np.frombuffer(text, dtype=np.uint8).astype(np.float64)
    with pytest.raises(ll.InputError, match=r"code\.py:evil"):
        run_scenario(scenario, controller=idle, after=loaded)
    assert not executed(tmp_path / "theirs")


def test_lines_to_run_it_again_say_that_code_is_run_and_hold_nothing_else(tmp_path: Path) -> None:
    """A title could end the quotes around the text of a scenario and go on as Python."""
    path = stranger(tmp_path / "theirs")
    assert python_lines(str(path), {}).endswith(f"ll.run({str(path)!r}, allow_code=True)\n")
    assert '""", allow_code=True)' in python_lines(ll.Scenario.load(path), {})
    title = '""" + open("/nowhere") + """ \\'
    scenario = ll.Scenario.load("eel-planar", {"title": title, "duration": 0.02})
    names: dict[str, Any] = {}
    exec(python_lines(scenario, {}).replace("ll.run(", "("), names)
    assert names["result"] == scenario
