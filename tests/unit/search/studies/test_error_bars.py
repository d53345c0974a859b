"""Error bars against the truth: the difference from a run that is many times finer in everything."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.search.studies.error_bars import _summed, distance_from_limit, refined, richardson
from limbless.simulation.simulate import run_scenario

ROUND_OFF = 1e-10
"""Of a number: errors below it are none of discretisation."""
WITHIN = 3.0

CASES = {
    # scenario, as it is run, how it differs from that in the run taken as the truth, and numbers
    # whose shares of error cancel
    "newton-euler": (
        "eel-planar",
        {"duration": 2, "step": 0.04, "record_every": 0.04},
        {"step": 0.0025, "record_every": 0.0025, "environment.water.points": 32},
        (),
    ),
    "few Gauss points": (
        "eel-planar",
        {"duration": 2, "step": 0.04, "record_every": 0.04, "environment.water.points": 2},
        {"step": 0.0025, "record_every": 0.0025, "environment.water.points": 32},
        (),
    ),
    "macro-continuous": (
        "rod-swim",
        {"duration": 2, "step": 0.02, "record_every": 0.04, "model.cells": 8},
        {"step": 0.0025, "record_every": 0.0025, "model.cells": 64},
        ("positive_work",),
    ),
    "rod on contacts": (
        "worm-accelerate",
        {"duration": 1, "step": 0.1, "record_every": 0.1},
        {"step": 0.01, "record_every": 0.01, "model.cells": 128},
        (),
    ),
    "geometric": (
        "wheeled-snake-manipulate",
        {"duration": 2, "step": 0.01, "record_every": 0.04},
        {"step": 0.0005, "record_every": 0.0025},
        ("progress", "positive_work"),
    ),
    "set-valued wheels": (
        "wheeled-snake-crawl",
        {"duration": 2, "step": 0.004, "record_every": 0.04},
        {"step": 0.0001, "record_every": 0.005},
        ("positive_work", "cost_of_transport"),
    ),
    "tendon-statics": ("neck-planar", {"gait.points": 41}, {"gait.points": 1281}, ()),
}


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], float]]:
    """(path, number) of every number in a part of a summary."""
    if isinstance(value, dict | list):
        for key, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(part, (*path, key))
    elif isinstance(value, float):
        yield path, value


@pytest.mark.parametrize("case", CASES)
def test_error_bars_are_of_the_size_of_the_errors(case: str) -> None:
    name, coarse, fine, cancelling = CASES[case]
    bars = ll.error_bars(name, coarse)
    given, truth = bars.result.summary(), ll.run(name, {**coarse, **fine}).summary()
    # order 10: the bare difference
    true = dict(leaves(richardson(given, {key: truth[key] for key in bars.total}, order=10)))
    numbers = dict(leaves({key: given[key] for key in bars.total}))
    scale = max((abs(number) for path, number in numbers.items() if path[0] == "com_displacement"), default=0.0)
    compared = 0
    for path, estimate in leaves(bars.total):
        size = max(abs(numbers[path]), scale if path[0] == "com_displacement" else 0.0)
        if true[path] > ROUND_OFF * size and size > ROUND_OFF:
            assert estimate > true[path] / WITHIN, path
            assert estimate < true[path] * WITHIN or path[0] in cancelling, path
            compared += 1
    assert not bars.notes and compared >= 2


def falling_snake(rng: np.random.Generator) -> ll.Scenario:
    """Three links that wind while they fall from some centimetres, each time a little otherwise:
    impacts, sticking, slipping.
    """
    yaw, pitch, height = 1.0 + 0.05 * rng.uniform(-1.0, 1.0, 3)
    return ll.Scenario.load(
        "snake-sidewind",
        {
            "robot.links": 3,
            "initial": {"position": [0.0, 0.0, 0.08 * height]},
            "duration": 0.25,
            "step": 0.0005,
            "record_every": 0.25,
            "gait.yaw_amplitude": 0.5 * yaw,
            "gait.pitch_amplitude": 0.08 * pitch,
            "gait.yaw_rate": 2.8,
            "gait.pitch_rate": 2.8,
            "gait.release": 0.0,
        },
    )


def test_bars_of_hard_contact_hold_the_truth_in_nine_of_ten_runs() -> None:
    """Twenty perturbed runs, each against one with 32 times its steps. Half the step alone
    (Richardson, order 1) holds fewer.
    """
    rng = np.random.default_rng(1)
    widths, narrow = [], []
    for _ in range(20):
        scenario = falling_snake(rng)
        bars = ll.error_bars(scenario)
        truth = dict(leaves(run_scenario(scenario.model_copy(update={"step": scenario.step / 32})).summary()))
        half = dict(leaves(run_scenario(scenario.model_copy(update={"step": scenario.step / 2})).summary()))
        numbers = dict(leaves(bars.result.summary()))
        assert not bars.notes
        for path, estimate in leaves(bars.total):
            error = max(abs(numbers[path] - truth[path]), ROUND_OFF * abs(truth[path]))
            widths.append(estimate / error)
            narrow.append(2.0 * abs(numbers[path] - half[path]) / error)
    assert len(widths) >= 20 * 9
    assert np.mean(np.array(widths) >= 1.0) >= 0.9 > np.mean(np.array(narrow) >= 1.0)
    assert np.median(widths) < 10.0  # a bar that holds everything would say nothing


def test_a_line_through_runs_with_shorter_steps() -> None:
    """Numbers that lie on Q0 + c h^p have the error c h^p; what does not lie on it widens the bar by
    Student's t for nine of ten.
    """
    powers = np.array([1.0, 1.0 / 1.2, 1.0 / 1.5, 0.5]) ** 0.5
    assert distance_from_limit(powers, 7.0 - 0.3 * powers) == pytest.approx(0.3, rel=1e-12)
    scattered = 7.0 - 0.3 * powers + 0.01 * np.random.default_rng(0).normal(size=(4000, 4))
    inside = [distance_from_limit(powers, values) >= abs(values[0] - 7.0) for values in scattered]
    assert np.mean(inside) > 0.9


def test_the_bars_are_told_written_and_read_again(tmp_path: Path) -> None:
    answer = CliRunner().invoke(
        main, ["run", "eel-planar", "--error", "--no-figures", "--set", "duration=1", "--out", str(tmp_path)]
    )
    assert answer.exit_code == 0 and " ± " in answer.output and "step, quadrature" in answer.output
    written = json.loads((tmp_path / "summary.json").read_text())["numerical_error"]
    assert set(written["sources"]) == {"step", "quadrature"}
    assert ll.Result.load(tmp_path).numerical_error == written
    assert written["total"]["path_length"] == pytest.approx(
        sum(part["path_length"] for part in written["sources"].values())
    )


def test_the_data_of_a_run_with_bars_are_those_of_a_run_without(tmp_path: Path) -> None:
    plain = ll.run("neck-planar", {"gait.points": 5})
    barred = ll.error_bars("neck-planar", {"gait.points": 5}, result=plain).result
    assert (
        barred is plain
        and plain.save(tmp_path / "a.nc").read_bytes()
        == ll.run("neck-planar", {"gait.points": 5}).save(tmp_path / "b.nc").read_bytes()
    )


def test_half_a_quadrature_of_what_there_is() -> None:
    assert refined(ll.Scenario.load("rod-swim")).model.cells == 128
    assert refined(ll.Scenario.load("eel-planar")).environment[0].points == 8
    assert refined(ll.Scenario.load("neck-workspace")).gait.count == 25
    rows = ll.Scenario.load("neck-planar", {"gait.points": 0})
    assert [row[0] for row in refined(rows).gait.table] == [0.0, 0.25, 0.5, 1.0, 1.5, 1.75, 2.0]
    crawling = ll.Scenario.load("wheeled-snake-crawl")
    assert refined(crawling) == crawling  # wheels at the centres of modules: nothing is integrated


def test_a_repeat_that_fails_is_said_and_leaves_no_bar() -> None:
    def failing(label: str) -> Any:
        raise ll.SimulationError("the peg broke")

    fine = ll.run("eel-planar", {"duration": 0.1})
    bars = ll.error_bars("eel-planar", {"duration": 0.1}, result=fine, watch=failing)
    assert all("did not end well: the peg broke" in note for note in bars.notes) and len(bars.notes) == 2
    assert bars.total["path_length"] is None and "no error bars" in repr(bars.result.summary())


def test_only_a_completed_run_has_error_bars() -> None:
    halted = ll.run("eel-planar", {"duration": 0.1})
    halted.status = "interrupted"
    with pytest.raises(ll.InputError, match="completed"):
        ll.error_bars("eel-planar", result=halted)


def test_richardsons_estimate_is_the_error_and_shares_add_up() -> None:
    """Q(h) = Q0 + c h^p: from h and h/2 the error of Q(h) is c h^p, number by number; the total sums the shares."""
    for order in (1.0, 2.0, 4.0):
        coarse, fine = {"a": 7.0 + 0.3, "b": [1.0, None]}, {"a": 7.0 + 0.3 * 0.5**order, "b": [1.0, 2.0]}
        assert richardson(coarse, fine, order) == {"a": pytest.approx(0.3), "b": [0.0, None]}
    total = _summed({"a": 2.0, "b": [0.0, 4.0]}, [{"a": 0.1, "b": [0.0, None]}, {"a": 0.2, "b": [0.3, 0.1]}], False)
    assert total == {"a": pytest.approx(0.3), "b": [0.3, None]}
