"""Runs side by side, tab completion, and what is said before anything is run."""

from __future__ import annotations

import csv
import socket
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result

import limbless as ll
from limbless.cli.main import main
from limbless.core.citations import PAPERS
from limbless.mechanics.compiled import decorators
from limbless.simulation import comparison, compile_notice
from limbless.view.comparison_figure import draw_together


def call(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two short swims, the second wider."""
    folder = tmp_path_factory.mktemp("runs")
    for name, amplitude in (("narrow", 0.05), ("wide", 0.1)):
        ll.run("eel-planar", {"duration": 2.5, "gait.amplitude": amplitude}).write(folder / name, figures=False)
    return folder


def test_the_table_has_every_number_and_its_difference(runs: Path) -> None:
    one, two = (ll.Result.load(runs / name) for name in ("narrow", "wide"))
    two.numerical_error = {"total": {"positive_work": 0.25}, "sources": {}, "notes": []}
    one.numerical_error = {"total": {"positive_work": 0.5}, "sources": {}, "notes": []}
    found = {line.label: line for line in comparison.lines([one, two])}
    work = found["positive work"]
    assert work.values == (one.summary()["positive_work"], two.summary()["positive_work"])
    assert work.difference(1) == (pytest.approx(work.values[1] - work.values[0]), 0.75)  # type: ignore
    assert found["displacement x"].values[0] == one.summary()["com_displacement"][0]
    assert found["peak torque yaw"].unit == "N m" and found["mean speed"].difference(1)[1] is None  # type: ignore
    words = {row[0]: row for row in comparison.rows(list(found.values()), 2)}
    assert "± 7.5e-01" in words["positive work"][3] and "%" in words["mean speed"][3]
    with pytest.raises(ll.InputError, match="at least two runs"):
        comparison.lines([one])


def test_a_difference_within_the_error_bars_is_said() -> None:
    line = comparison.ComparedNumber("work", "J", (10.0, 10.1), (0.2, 0.1))
    assert comparison.rows([line], 2)[0][3] == "+0.1 ± 3.0e-01 (+1.0 %), within the error bars"


def test_compare_prints_draws_and_writes(runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = call("compare", str(runs / "narrow"), str(runs / "wide"))
    assert answer.exit_code == 0, answer.output
    assert "positive work" in answer.output and "compare.png" in answer.output
    assert Path("runs/compare/compare.png").stat().st_size > 10_000
    with Path("runs/compare/compare.csv").open() as file:
        table = {row["number"]: row for row in csv.DictReader(file)}
    assert float(table["mean speed"][str(runs / "wide")]) > float(table["mean speed"][str(runs / "narrow")])
    assert call("compare", str(runs / "narrow")).exit_code == 2
    assert "cannot load a result" in call("compare", str(runs / "narrow"), str(tmp_path)).stderr


def complete(*words: str) -> list[str]:
    completer = ShellComplete(main, {}, "limbless", "_X")
    return [item.value for item in completer.get_completions(list(words[:-1]), words[-1])]


def test_tab_completes_names_fields_and_values(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert complete("run", "module-") == ["module-snake-sidewind", "module-snake-undulate"]
    assert complete("describe", "body-w") == ["body-wave"]
    assert complete("run", "eel-planar", "--set", "gait.amp") == ["gait.amplitude="]
    assert complete("run", "eel-planar", "--set", "environment.water.per") == ["environment.water.perimeter="]
    assert complete("run", "eel-planar", "--set", "environment.water.perimeter=h") == [
        "environment.water.perimeter=half"
    ]
    assert complete("run", "no-such", "--set", "gait.amp") == [] == complete("run", "--set", "gait.amp")
    monkeypatch.chdir(runs.parent)
    (runs.parent / "runs").exists() or (runs.parent / "runs").symlink_to(runs)
    assert complete("plot", "runs/w")[0] == "runs/wide"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_installed_by_one_command(shell: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(click.shell_completion.BashComplete, "_check_version", staticmethod(lambda: None))
    monkeypatch.setenv("SHELL", f"bin/{shell}")
    for _ in range(2):
        answer = call("completion")
        assert answer.exit_code == 0, answer.output
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any("_LIMBLESS_COMPLETE" in path.read_text() for path in written)
    if shell != "fish":
        assert (tmp_path / f".{shell}rc").read_text().count("tab completion of limbless") == 1
    assert "_LIMBLESS_COMPLETE" in call("completion", shell, "--show").output
    monkeypatch.setenv("SHELL", "bin/odd")
    assert "is not known; name one" in call("completion").stderr


def test_a_port_that_is_taken_is_said_before_the_run() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        answer = call("view", "eel-planar", "--no-browser", "--port", str(port))
    assert answer.exit_code == 2 and f"--port {port} cannot be listened on at 127.0.0.1" in answer.stderr


def test_first_use_from_python_says_that_it_compiles(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(decorators, "is_cache_empty", lambda: True)
    ll.run("eel-planar", {"duration": 0.02})
    assert capsys.readouterr().err.count("limbless compiles its kernels") == 1
    monkeypatch.setattr(decorators, "is_cache_empty", lambda: False)
    ll.run("eel-planar", {"duration": 0.02})
    with compile_notice.compile_notice():
        pass
    assert capsys.readouterr().err == ""


def test_keys_of_bibtex_can_be_read() -> None:
    words = [paper.word for paper in PAPERS.values()]
    assert words[1] == "khalil2007dynamic" and len(set(words)) == len(words)
    assert all(word.isascii() and word.isalnum() for word in words)
    assert "@article{khalil2007dynamic," in call("cite", "eel-planar").output


def test_the_torque_of_a_rod_stands_beside_that_of_a_chain_and_all_of_it_in_latex() -> None:
    """One eel as a chain and as a rod: torques in one row, model and mass, and no letter that LaTeX would read."""
    chain = ll.run("eel-planar", {"duration": 2.5})
    rod = ll.run("rod-swim", {"duration": 2.5})
    found = {line.label: line for line in comparison.lines([chain, rod])}
    assert all(value is not None and value > 0.0 for value in found["peak torque yaw"].values)
    assert found["mass"].values == (chain.mass, rod.mass) and None not in found["computed in"].values
    text = comparison.latex(list(found.values()), ["50 % & more", "rod_swim"], ["newton-euler", "macro-continuous"])
    lines = text.splitlines()
    assert lines[0] == r"\begin{tabular}{lrr}" and lines[2] == r" & 50 \% \& more & rod\_swim \\"
    assert r"model & newton-euler & macro-continuous \\" in lines
    assert all(line.count(" & ") == 2 for line in lines if line.endswith("\\\\"))
    fields = lines[[line.startswith("mass (kg)") for line in lines].index(True)].split(" & ")
    assert float(fields[1].strip("$")) == pytest.approx(chain.mass, rel=1e-3)


def test_tensions_of_a_spine_are_compared_too() -> None:
    spine = ll.run("neck-planar")
    assert spine.summary()["peak_tension"] == pytest.approx(float(spine.dataset["tension"].max()))


@pytest.mark.parametrize("form", ["pdf", "svg"])
def test_pictures_as_pdf_and_svg_do_not_depend_on_the_clock(runs: Path, tmp_path: Path, form: str) -> None:
    pictures = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        answer = call("compare", str(runs / "narrow"), str(runs / "wide"), "--format", form, "--out", str(folder))
        assert answer.exit_code == 0, answer.output
        pictures.append((folder / f"compare.{form}").read_bytes())
    assert pictures[0][:4] == {"pdf": b"%PDF", "svg": b"<?xm"}[form]
    assert form == "svg" or pictures[0] == pictures[1]
    assert b"dc:date" not in pictures[0]
    answer = call("plot", str(runs / "wide"), "--figure", "energy-balance", "--format", form)
    assert answer.exit_code == 0 and (runs / "wide" / "figures" / f"energy-balance.{form}").is_file(), answer.output


def test_the_torques_of_a_rod_beside_another_are_its_couples() -> None:
    """Largest torque and speed as the summary and the records have them; the efforts of a rod are forces, then
    couples."""
    rod = ll.run("rod-swim", {"duration": 0.2})
    panels = draw_together([rod, rod], ["one", "other"]).axes
    couple = np.abs(rod.dataset["effort"].values[..., 3:]).max(axis=(1, 2))
    for line in panels[3].lines:
        np.testing.assert_array_equal(line.get_ydata(), couple)
    assert couple.max() > 0.0 and panels[3].get_ylabel() == "largest torque (N m)"
