"""What was computed is kept, whenever Ctrl-C comes; and files that are no scenarios are told, not printed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import limbless as ll
from limbless.cli.main import main
from limbless.core.interruption import undisturbed


def call(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


SHORT = ["run", "eel-planar", "--set", "duration=0.2", "--out", "kept"]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture(autouse=True)
def ctrl_c_is_heard() -> Iterator[None]:
    """Under nohup the signal is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_waits_where_it_would_do_harm() -> None:
    with undisturbed() as came:
        press()
        press()
    assert len(came) == 2
    with pytest.raises(KeyboardInterrupt):
        press()
        for _ in range(10_000_000):
            pass


def test_ctrl_c_after_the_last_step_keeps_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar stands at 100 %, records become variables, and somebody presses."""
    made = ll.Result.from_records

    def pressed(*arguments: Any, **named: Any) -> Any:
        press()
        return made(*arguments, **named)

    monkeypatch.setattr("limbless.simulation.simulate.Result.from_records", pressed)
    answer = call(*SHORT, "--no-figures")
    assert answer.exit_code == 0 and ll.Result.load("kept").status == "completed"


def test_ctrl_c_while_the_data_are_written_writes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = ll.Result.save

    def save(self: Any, path: Any) -> Any:
        press()
        return whole(self, path)

    monkeypatch.setattr(ll.Result, "save", save)
    answer = call(*SHORT)
    assert answer.exit_code == 130 and "the data are kept in kept; `limbless plot kept` draws" in answer.stderr
    assert Path("kept/summary.json").is_file() and ll.Result.load("kept").status == "completed"


def test_ctrl_c_while_figures_are_drawn_keeps_the_data(monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("limbless.simulation.result.show.draw_into", draw)
    answer = call(*SHORT)
    assert answer.exit_code == 130 and ll.Result.load("kept").proven


def test_ctrl_c_during_repeats_for_error_bars_keeps_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def bars(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("limbless.search.studies.error_bars.error_bars", bars)
    answer = call(*SHORT, "--no-figures", "--error")
    assert answer.exit_code == 0 and "kept without error bars" in answer.stderr
    assert ll.Result.load("kept").numerical_error is None


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("arm.urdf", "arm.urdf: "),  # read as a robot, and is none
        ("arm.stl", "arm.stl is a mesh, no scenario; "),
        ("swim.mp4", "swim.mp4 is a film, no scenario; track points along the animal first"),
        ("worm.wcon", "worm.wcon is a data file, of a tracked animal perhaps, no scenario; `limbless film worm.wcon`"),
        ("worm_featuresN.hdf5", "no scenario; `limbless film worm_featuresN.hdf5`"),
        ("joints.csv", "joints.csv is a table, no scenario; gait: {kind: recorded, file: joints.csv} in a scenario"),
        ("mine.py", "mine.py is a Python program, no scenario; `python mine.py`"),
        ("result.nc", "result.nc is a data file, no scenario; `limbless plot result.nc`"),
        ("photo.PNG", "photo.PNG is a picture, no scenario"),
    ],
)
def test_a_stranger_is_told_and_never_printed(name: str, told: str) -> None:
    secret = "the file's own words"
    Path(name).write_text(f"{secret}\n" * 3)
    answer = call("run", name)
    assert answer.exit_code == 2 and told in answer.stderr and secret not in answer.output


def test_a_text_in_a_yaml_is_not_printed_back() -> None:
    Path("mine.yaml").write_text("the file's own words " * 300)
    answer = call("run", "mine.yaml")
    assert answer.exit_code == 2 and "holds a text; a scenario is a mapping" in answer.stderr
    assert "own words" not in answer.output


def test_the_folder_of_a_run_is_told() -> None:
    call(*SHORT, "--no-figures")
    answer = call("run", "kept")
    assert answer.exit_code == 2
    assert "kept is the folder of a finished run; `limbless view kept` shows it" in answer.stderr
