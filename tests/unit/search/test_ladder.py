"""The ladder names differences right: those of the model, and those of numerics."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import limbless as ll
from limbless.core import InputError
from limbless.search.studies.error_bars import error_bars
from limbless.search.studies.ladder import Ladder, Rung, _rung
from limbless.view.comparison_figure import draw_ladder

SWIM = {
    "robot": {"kind": "rod", "strains": "planar", "half_width": 0.03},
    "gait": {"kind": "body-wave", "amplitude": 0.3, "wavelength": 1.0, "period": 1.0},
    "environment": [{"kind": "water", "model": "morison"}],
    "model": {"kind": "macro-continuous", "cells": 32},
    "duration": 1.0,
    "step": 0.02,
}
LINKS = {"model.kind": "newton-euler"}


@pytest.fixture(scope="module")
def swum() -> Ladder:
    return ll.ladder(SWIM, models=["macro-continuous", "newton-euler", "non-smooth", "tendon-statics"], workers=0)


def test_models_that_refuse_are_said_and_the_rest_is_compared(swum: Ladder, tmp_path: object) -> None:
    assert [rung.model for rung in swum.ran][:2] == ["macro-continuous", "newton-euler"]
    assert "robot.tendons" in swum.rungs[3].refused
    lines = {line.label: line for line in swum.numbers()}
    assert lines["mass"].values[1] == pytest.approx(lines["mass"].values[0], rel=1e-12)
    text = swum.to_markdown()
    assert "newton-euler, 17 links" in text and "tendon-statics: refused" in text
    shown = swum._repr_html_()  # in a notebook
    assert "<td style='text-align:left'>newton-euler, 17 links</td>" in shown and "robot.tendons" in shown
    folder = swum.write(str(tmp_path))
    assert (folder / "ladder.csv").exists() and (folder / "newton-euler" / "result.nc").exists()


def test_planted_differences_are_named_right(swum: Ladder) -> None:
    """Links with 2 % more mass than their rod are another animal, in speed, in the moment inside the body and in the
    path; a step twice as long is numerics in all of them."""
    heavy = _rung("newton-euler", ll.Scenario.load(SWIM, {"robot.density": 1020.0}), {**LINKS, "model.links": 30})
    coarse = _rung("macro-continuous", ll.Scenario.load(SWIM, {"step": 0.04}), {})
    planted = Ladder([swum.rungs[0], heavy, coarse])
    lines = {line.label: line for line in planted.numbers()}
    for name in ("mean speed", "peak torque yaw"):
        found = [planted.verdict(lines[name], number) for number in (1, 2)]
        assert found == ["model form", "numerical error"], name
    told = planted.curves()
    assert [text.rpartition(": ")[2] for text in told] == ["model form"] * 2 + ["numerical error"] * 2
    assert sum("moment inside the body (N m) differs" in text for text in told) == 2
    row = next(row for row in planted.rows() if row[0] == "mean speed")
    assert row[4].endswith("%), model form") and row[4].startswith("-0.00013"), "how far, and why"


@pytest.mark.parametrize("links", [4, 6, 8, 12, 16, 24])
def test_few_links_are_a_numerical_error(swum: Ladder, links: int) -> None:
    """Two refinements hold the limit, the rod, also where the order of convergence does not show yet."""
    seen = error_bars(SWIM, {"model.kind": "newton-euler", "model.links": links}).result
    coarse = Ladder([swum.rungs[0], Rung("newton-euler", f"{links} links", seen)])
    assert {coarse.verdict(line, 1) for line in coarse.numbers()} <= {"numerical error", ""}


@pytest.mark.parametrize(
    ("models", "sentence"),
    [
        (["soft", "soft"], "named twice"),
        (["newton-eular", "soft"], "unknown model 'newton-eular'.*newton-euler"),
        (["tendon-statics"], "at least two models"),
    ],
)
def test_bad_input_is_one_sentence(models: list[str], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        ll.ladder(SWIM, models=models, workers=0)


def test_models_agree_best_at_one_instant(swum: Ladder) -> None:
    """The moment inside the body of 17 links and of the rod, in one posture; the error is that of few links."""
    found = swum.at(0.6)["internal_moment"]
    rod, chain, jumping = found.values[:3]
    assert list(found["rung"].values[:2]) == ["macro-continuous, 32 cells", "newton-euler, 17 links"]
    assert abs(chain - rod).max() < 0.03 * abs(rod).max() and abs(rod[[0, -1]]).max() == 0.0
    # means over steps of 0.02 s are carried back to the instant by a straight line: off by 3/8 (2 pi h)^2
    assert abs(jumping - chain).max() < 6e-3 * abs(rod).max()
    with pytest.raises(InputError, match="the ladder covers 0 to 1 s; got 7 s"):
        swum.at(7.0)


def test_a_body_that_answers_gives_its_motion_to_models_that_follow(tmp_path: Path) -> None:
    tail = {"duration": 0.4, "gait": {"kind": "still"}, "initial": {"twist": [0.0, 0.3, 0.0, 0.0, 0.0, 1.0]}}
    found = ll.ladder("eel-passive-tail", {**tail, "robot.passive": {}}, models=["soft", "macro-continuous"], workers=0)
    soft, rod = found.results
    assert rod.scenario is not None and rod.scenario.gait.kind == "recorded"
    way = np.ptp(soft.dataset.com_position.values[:, 1])
    apart = np.abs(rod.dataset.com_position.values - soft.dataset.com_position.values).max()
    assert apart < 0.01 * way
    assert "path of the centre of mass (m) differs" in found.curves()[0]
    assert len(draw_ladder(found).axes) == 5
    found.write(tmp_path)
    assert "tabular" in (tmp_path / "ladder.tex").read_text()
    again = ll.Result.load(tmp_path / "macro-continuous")
    assert again.scenario is not None and again.scenario.gait.result == str((tmp_path / "soft").resolve())


def test_statics_has_the_equilibria_under_the_tensions_of_the_motion() -> None:
    """A neck that is pulled slowly is where statics has it; pulled at once, it swings past."""
    slow = {"duration": 4.0, "gait.ramp": 3.0, "robot.damping_time": 0.1}
    found = ll.ladder("neck-swing-air", slow, models=["soft", "tendon-statics"], workers=0)
    told = next(line for line in found.told() if "path of the tip (m)" in line)
    apart = float(told.split(" by ")[1].split()[0])
    assert apart < 2e-3, "it lags by its damping, 0.1 s of a way of 46 mm in 3 s"
    still = found.results[1].dataset["tip_position"].values[-1]
    np.testing.assert_allclose(found.results[0].dataset["tip_position"].values[-1], still, atol=2e-5)


def test_a_soft_rod_of_given_strains_has_the_moments_of_the_rod() -> None:
    """Its actuators bend springs and drive dampers too, which does not change what one part does to the other."""
    animal = {**SWIM, "robot": {**SWIM["robot"], "stiffness": 3.0, "damping": 0.2}}
    found = ll.ladder(animal, models=["macro-continuous", "soft"], workers=0)
    moment = found.at(0.6)["internal_moment"].values[..., 2]
    assert abs(moment[1] - moment[0]).max() < 0.02 * abs(moment[0]).max()
    assert found.curves()[0].endswith("numerical error")


@pytest.mark.long
def test_rungs_in_processes_are_those_of_this_process(swum: Ladder) -> None:
    apart = ll.ladder(SWIM, models=[rung.model for rung in swum.rungs], workers=2)
    assert [rung.refused for rung in apart.rungs] == [rung.refused for rung in swum.rungs]
    speeds = [[line.values for line in one.numbers() if line.label == "mean speed"] for one in (apart, swum)]
    assert speeds[0] == speeds[1]


@pytest.mark.long
def test_the_command_writes_tables_figures_runs_and_one_replay(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from limbless.cli.main import main

    asked = "ladder rod-swim --models macro-continuous,newton-euler --set duration=0.2 --workers 0 --format svg --out"
    answer = CliRunner().invoke(main, [*asked.split(), str(tmp_path)])
    assert answer.exit_code == 0, answer.output
    written = {path.name for path in tmp_path.iterdir()}
    tables = {"ladder.csv", "ladder.md", "ladder.tex", "ladder-table.svg"}
    assert written == tables | {"ladder.svg", "replay.html", "macro-continuous", "newton-euler"}
    page = (tmp_path / "replay.html").read_text()
    assert "macro-continuous, 64 cells" in page and "newton-euler, 13 links" in page and "side by side" in page
    told = (tmp_path / "ladder.csv").read_text().splitlines()
    assert told[0].endswith('newton-euler, 13 links differs by"') and any(
        line.endswith("numerical error") for line in told
    )
    assert "newton-euler" in (tmp_path / "ladder-table.svg").read_text()
