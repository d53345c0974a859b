"""How often a run ends alike: often where nothing hangs on its start, rarely on an edge."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.search.studies import robustness

STILL = ll.BodyWave(amplitude=0.0)
SWIM = {"duration": 2.0, "gait.ramp": 0.5}


def test_a_swim_does_not_hang_on_its_start() -> None:
    found = ll.robustness("eel-planar", SWIM, repeats=3)
    assert found.alike.all() and found.elsewhere and found.moved.shape == (3, 3)
    assert 0.0 < np.std(found.moved[:, 0]) < 0.05  # starts did differ
    assert "3 of 3 repeats" in found.told() and "others" not in found.told()


def test_starts_differ_by_a_hundredth_of_the_body_and_of_that_in_a_period(monkeypatch: pytest.MonkeyPatch) -> None:
    run = ll.run("eel-planar", {"duration": 0.1})
    begun: list[ll.Scenario] = []
    monkeypatch.setattr(robustness, "watched", lambda scenario, *_: begun.append(scenario) or run)
    assert robustness.robustness("eel-planar", {"duration": 0.1, "gait.period": 4.0}, repeats=20, result=run).elsewhere
    size = 0.01 * float(run.dataset["section_length"].sum())
    moved, pushed = (np.array([getattr(one.initial, name)[:3] for one in begun]) for name in ("position", "twist"))
    for found, most in ((moved, size), (pushed, size / 4.0)):
        assert 0.8 * most < np.abs(found).max() <= most and not found[:, 2].any()


def test_a_body_on_an_edge_ends_here_or_there() -> None:
    """A force field that drives away from x = 0: a body that starts there is proven, and ends on either side of it."""
    hill = ll.ForceLaw(law=_away)
    robot = ll.UniformChain(links=2, half_height=0.03)
    begun = ll.simulate(robot, STILL, hill, duration=0.01)
    start = {"position": (-float(begun.dataset["com_position"][0, 0]), 0.0, 0.0)}  # its centre at x = 0
    scenario = ll.Scenario(
        name="edge",
        robot=robot,
        gait=ll.BodyWave(amplitude=0.0),
        environment=(hill,),
        duration=2.0,
        step=0.01,
        initial=start,
    )
    found = ll.robustness(scenario, repeats=6, seed=3)
    assert found.result.proven
    sides = np.sign(found.moved[:, 0])
    assert {-1.0, 1.0} <= set(sides.tolist())
    assert found.alike.sum() < 6 and "elsewhere" in found.told()


def _away(time, position, axes, velocity, rotation_rate):
    return axes @ np.array([40.0 * position[0], 0.0, 0.0])


def test_the_command_tells_it(tmp_path: Path) -> None:
    words = ["run", "eel-planar", "--set", "duration=1", "--robust", "2", "--no-figures", "--out", str(tmp_path / "r")]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert "2 of 2 repeats from other starts" in " ".join(done.output.split())
    kept = json.loads((tmp_path / "r" / "summary.json").read_text())["robustness"]
    assert kept["repeats"] == 2 and kept["alike"] == 2


def test_statics_has_no_start() -> None:
    with pytest.raises(ll.InputError, match="no start that could differ"):
        ll.robustness("neck-planar")
