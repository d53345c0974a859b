"""Python functions inside scenarios: found by text, written as text, refused when nobody could find them again."""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from limbless.control.gaits.body_wave import BodyWave
from limbless.control.gaits.user_gait import FunctionGait
from limbless.core.errors import InputError
from limbless.core.functions.callables import function_of, located, text_of
from limbless.scenarios.scenario import Scenario

WAVE = """\
import numpy as np

def wave(t, s):
    return 0.1 * np.sin(3.0 * s[None, :] - t[:, None])

class Kept:
    @staticmethod
    def wave(t, s):
        return wave(t, s)

number = 3
"""


def wave(t: Any, s: Any) -> Any:
    return 0.1 * np.sin(3.0 * s[None, :] - t[:, None])


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "waves.py"
    path.write_text(WAVE)
    return path


def test_a_file_beside_the_scenario_is_found_and_written_with_its_place(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("robot: khalil-eel\ngait: {kind: function, function: 'waves.py:wave'}\n")
    scenario = Scenario.load(path, allow_code=True)
    assert isinstance(scenario.gait, FunctionGait) and scenario.gait.function.__name__ == "wave"
    saved = scenario.save(tmp_path / "runs" / "scenario.yaml")
    assert f"function: {file.resolve()}:wave" in saved.read_text()
    assert Scenario.load(saved, allow_code=True) == scenario == Scenario.from_yaml(scenario.to_yaml(), allow_code=True)


def test_an_edited_file_is_run_again(file: Path) -> None:
    before = function_of(f"{file}:wave")
    assert function_of(f"{file}:wave") is before
    file.write_text(WAVE.replace("0.1", "0.2"))
    assert function_of(f"{file}:wave") is not before


@pytest.mark.parametrize("function", [math.sin, wave, BodyWave.sample, functools.reduce])
def test_functions_of_modules_are_found_by_name(function: Callable[..., Any]) -> None:
    assert function_of(text_of(function)) is function


def test_functions_in_classes_and_files_on_the_path(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    function = function_of("waves.py:Kept.wave", file.parent)
    assert text_of(function) == f"{file.resolve()}:Kept.wave"
    monkeypatch.syspath_prepend(str(file.parent))
    imported = function_of("waves:wave")
    assert text_of(imported) == f"{file.resolve()}:wave"  # by file: the next run may not have that folder on its path
    monkeypatch.delitem(sys.modules, "waves")


def make_closure(amplitude: Any) -> Callable[..., Any]:
    def inner(t: Any, s: Any) -> Any:
        return amplitude * wave(t, s)

    return inner


SHORT_LIVED = {
    "lambda": lambda t, s: wave(t, s),
    "closure": make_closure(np.array([2.0])),
    "partial": functools.partial(wave, s=0),
}


@pytest.mark.parametrize("function", SHORT_LIVED.values(), ids=list(SHORT_LIVED))
def test_functions_of_one_session_run_but_their_saved_scenario_is_refused_clearly(function: Callable[..., Any]) -> None:
    scenario = Scenario.load({"robot": "khalil-eel", "gait": FunctionGait(function=function)})
    with pytest.raises(
        InputError,
        match=r"text:\d+: gait.function: the scenario was saved with a Python function "
        r"that lived only in",
    ):
        Scenario.from_yaml(scenario.to_yaml(), "text")


def test_a_function_of_the_main_script_is_saved_with_its_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wave, "__module__", "__main__")
    text = text_of(wave)
    again = function_of(text)
    t, s = np.linspace(0.0, 1.0, 3), np.linspace(0.0, 0.5, 4)
    np.testing.assert_array_equal(again(t, s), wave(t, s))
    assert text.startswith("source of wave:\n") and text_of(again) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wave", "names no function; a Python function is written 'package.module:name' or 'path/to/file.py:name'"),
        ("nowhere.py:wave", "there is no file 'nowhere.py' (looked in "),
        ("no_such_module:wave", "module 'no_such_module' cannot be imported (ModuleNotFoundError"),
        ("waves.py:wav", "has no function 'wav'; did you mean 'wave'?"),
        ("waves.py:number", "is a int, not a function"),
        ("broken.py:wave", "could not be run: NameError: name 'nothing' is not defined"),
        ("leaving.py:wave", "could not be run: SystemExit: 3"),
        (3, "must be a Python function"),
    ],
)
def test_texts_that_name_no_function(file: Path, text: Any, message: str) -> None:
    (file.parent / "broken.py").write_text("nothing\n")
    (file.parent / "leaving.py").write_text("raise SystemExit(3)\n")
    path = file.with_suffix(".yaml")
    path.write_text(f"robot: khalil-eel\ngait:\n  kind: function\n  function: {text if text == 3 else repr(text)}\n")
    with pytest.raises(InputError) as caught:
        Scenario.load(path, allow_code=True)
    assert str(caught.value).startswith(f"{path}:4: gait.function: ") and message in str(caught.value)


def test_paths_are_found_in_the_folder_then_in_the_working_directory(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert located("waves.py", file.parent) == file.resolve() == located(file)
    monkeypatch.chdir(file.parent)
    assert located("waves.py", file.parent / "elsewhere") == file.resolve()
    with pytest.raises(InputError, match=r"there is no file 'x.py' \(looked in"):
        located("x.py")


def test_a_table_beside_the_scenario_is_found_and_stays_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times = np.linspace(0.0, 1.0, 8)
    np.savetxt(tmp_path / "angles.txt", np.column_stack([times, *(0.1 * np.sin(times + joint) for joint in range(4))]))
    path = tmp_path / "swim.yaml"
    path.write_text("robot: {preset: uniform, links: 5}\ngait: {kind: recorded, file: angles.txt}\n")
    scenario = Scenario.load(path)
    saved = scenario.save(tmp_path / "runs" / "swim" / "scenario.yaml")
    monkeypatch.chdir(saved.parent)
    assert Scenario.load("scenario.yaml") == Scenario.load(saved, {"name": scenario.name}) == scenario
    path.write_text(path.read_text().replace("angles", "angels"))
    with pytest.raises(InputError, match=r"swim.yaml:2: gait.file: there is no file 'angels.txt' \(looked in"):
        Scenario.load(path)
