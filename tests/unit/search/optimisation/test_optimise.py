"""The best gait against the reference, and against an optimiser that knows no slopes; searches that are begun again."""

from __future__ import annotations

import json
import math
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.search.optimisation.evaluation_log import EvaluationLog
from limbless.search.optimisation.goals import answer_of, goal_of, limit_of
from limbless.search.optimisation.objective import SampledObjective, SearchSpace
from limbless.search.sweeps.parameter_ranges import Bounds

EEL = {
    "gait.amplitude": (0.005, 0.3),
    "gait.growth": (0.0, 2.5),
    "gait.wavelength": (0.8, 4.0),
    "gait.period": (0.6, 4.0),
}
TORQUES = ["steady.torque_ratio <= 1"]


@pytest.fixture(scope="module")
def best(tmp_path_factory):
    folder = tmp_path_factory.mktemp("search") / "eel"
    return folder, ll.optimise(
        "eel-planar", EEL, maximise="steady.speed", subject_to=TORQUES, starts=1, certify=False, out=folder
    )


def test_the_best_eel(best) -> None:
    """The reference's optimum, from one start: growth and wavelength at their bounds, one joint at its limit."""
    found = best[1]
    assert found.value == pytest.approx(0.7311, rel=2e-4)
    assert list(found.values.values()) == pytest.approx((0.012267, 2.5, 0.8, 1.2442), rel=1e-3)
    assert found.feasible and found.measures["steady.torque_ratio"] == pytest.approx(1.0, abs=1e-4)
    assert found.certainty["bounds_active"] == ["gait.growth at its upper bound", "gait.wavelength at its lower bound"]
    assert found.certainty["limits_active"] == 1
    assert "1 of 1 starts" in repr(found)


def test_the_winner_is_confirmed_by_an_ordinary_run(best) -> None:
    said = best[1].confirmed
    assert said["proven"] and said["speed"] == pytest.approx(best[1].value, rel=1e-4)
    assert said["torque_ratio"] == pytest.approx(1.0, abs=5e-3)
    alone = ll.steady(best[1].scenario)
    assert alone.speed == pytest.approx(best[1].value, rel=1e-9)


def test_a_search_that_is_begun_again_finds_its_answers(best, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after kill -9: the last evaluations are lost, the others are not made again, and the answer is the same."""
    folder, before = best
    with closing(sqlite3.connect(folder / "evaluations.db")) as db, db:
        (count,) = db.execute("SELECT count(*) FROM evaluations").fetchone()
        db.execute("DELETE FROM evaluations WHERE number > ?", (count - 3,))
    made, keep = [], EvaluationLog.put

    def put(self: EvaluationLog, name: str, data: dict) -> dict:
        made.append(name)
        return keep(self, name, data)

    monkeypatch.setattr(EvaluationLog, "put", put)
    again = ll.optimise(
        "eel-planar", EEL, maximise="steady.speed", subject_to=TORQUES, starts=1, certify=False, out=folder
    )
    assert len(made) == 3 and again.values == before.values and again.value == before.value
    assert json.loads((folder / "best.json").read_text())["value"] == before.value
    assert ll.Scenario.load(folder / "best.yaml").gait == before.scenario.gait
    with pytest.raises(ll.InputError, match="holds another search"):
        ll.optimise("eel-planar", EEL, minimise="steady.cost_of_transport", starts=1, out=folder)


@pytest.mark.long
def test_every_start_ends_there_and_evolution_agrees() -> None:
    found = ll.optimise("eel-planar", EEL, maximise="steady.speed", subject_to=TORQUES, starts=4)
    assert found.certainty["starts_at_the_best"] >= 3 and found.certainty["cma_agrees"]


@pytest.mark.long
def test_the_cheapest_eel() -> None:
    """The wavelength is flat there: the cost is tested, not the place."""
    found = ll.optimise(
        "eel-planar", EEL, minimise="steady.cost_of_transport", starts=2, subject_to=[*TORQUES, "steady.speed >= 0.5"]
    )
    assert found.value == pytest.approx(0.002850, rel=5e-3)
    assert found.values["gait.growth"] == pytest.approx(2.5, abs=1e-3)


@pytest.mark.long
def test_a_front_falls_and_rises() -> None:
    over = {"gait.amplitude": (0.005, 0.3), "gait.period": (0.6, 4.0)}
    front = ll.optimise(
        "eel-planar",
        over,
        maximise="steady.speed",
        minimise="steady.cost_of_transport",
        front=4,
        subject_to=TORQUES,
        starts=1,
    )
    speeds, costs = ([point.measures[name] for point in front.points] for name in (front.large, front.small))
    assert (np.diff(speeds) > 0.0).all() and (np.diff(costs) > 0.0).all()


@pytest.mark.long
def test_evolution_and_slopes_agree() -> None:
    over = {"gait.amplitude": (0.02, 0.08), "gait.period": (1.5, 4.0)}
    one, other = (
        ll.optimise(
            "eel-planar",
            over,
            maximise="steady.speed",
            subject_to=TORQUES,
            method=method,
            starts=1,
            workers=0,
            max_evaluations=320,
            certify=False,
        )
        for method in ("slsqp", "cma")
    )
    assert other.value == pytest.approx(one.value, rel=1e-3)


def test_searches_are_asked_and_told() -> None:
    """A quadratic with its minimum at a limit, x + y >= 1.2: both searches find (0.6, 0.6)."""

    def answer(u):
        value = float((u**2).sum())
        return ll.Evaluation(value, np.array([1.2 - u.sum()]), 2.0 * u, -np.ones((1, 2)))

    for search in (
        ll.Gradient([np.array([0.9, 0.2]), np.array([0.1, 0.1])]),
        ll.Evolution(np.array([0.9, 0.2]), max_evaluations=1500, tolerance=1e-6),
    ):
        while points := search.ask():
            search.tell(points, [answer(point) for point in points])
        assert search.done
        np.testing.assert_allclose(search.best[0], 0.6, atol=2e-3)
        search.end()


def test_evolution_searches_one_number_alone() -> None:
    """Towards a bound, so that its steps grow as far as they may."""
    search = ll.Evolution(np.array([0.1]), max_evaluations=200)
    while points := search.ask():
        search.tell(points, [ll.Evaluation(float(-point[0]), np.zeros(0)) for point in points])
    assert search.best[0] == pytest.approx([1.0], abs=1e-3)


def test_limits_and_slopes_of_an_answer() -> None:
    goal = goal_of("steady.speed", None, ["steady.torque_ratio <= 2", "steady.power>=4"])
    answer = answer_of(
        goal,
        {"steady.speed": 0.5, "steady.torque_ratio": [1.0, 3.0], "steady.power": 2.0},
        {"steady.speed": [1.0], "steady.torque_ratio": [[1.0], [2.0]], "steady.power": [4.0]},
    )
    assert answer.value == -0.5 and answer.limits.tolist() == [-0.5, 0.5, 0.5] and answer.violation == 1.0
    assert answer.value_slope.tolist() == [-1.0] and answer.limits_slope.tolist() == [[0.5], [1.0], [-1.0]]
    assert goal.text() == "maximise steady.speed subject to steady.torque_ratio <= 2, steady.power >= 4"
    assert not limit_of("mean_speed > 1e-3").at_most
    assert limit_of("steady.speed >= 40 cm/s").bound == pytest.approx(0.4)
    with pytest.raises(ll.InputError, match="'4 kg' is a mass"):
        limit_of("steady.speed >= 4 kg")


def test_among_contacts_the_spread_counts_against_a_gait(tmp_path: Path) -> None:
    """The faster of two gaits loses if its periods differ by more than it gains."""
    scenario, goal = ll.Scenario.load("snake-undulate-isotropic"), goal_of("steady.speed", None, ())
    space = SearchSpace({"gait.yaw_amplitude": Bounds(0.2, 0.6)})
    rough = SampledObjective(scenario, space, goal, EvaluationLog(None, {}), 0, False)
    assert [item.name for item in rough.team.plan.measure] == ["steady.speed", "steady.spread"]
    steady, lucky = (
        rough._answer({"status": "completed", "values": {"steady.speed": speed, "steady.spread": spread}})
        for speed, spread in ((0.34, 0.01), (0.36, 0.1))
    )
    assert steady.value == pytest.approx(-0.34 * 0.99) and steady.value < lucky.value


@pytest.mark.long
def test_the_stiffness_of_a_neck_by_its_adjoint() -> None:
    """Two stiffnesses at a fixed mean would trade; free, both go down to where the tip still gets everywhere."""
    over = {
        "robot.first_stiffness": (0.03, 0.06),
        "robot.last_stiffness": (0.02, 0.05),
        "robot.hole_radius": ("9 mm", "13 mm"),
    }
    found = ll.optimise("neck-planar", over, minimise="consumption", changes={"gait.points": 21}, starts=2)
    assert found.method == "slsqp" and found.certainty["cma_agrees"]
    assert found.value == pytest.approx(found.confirmed["consumption"], rel=1e-9)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"minimise": "steady.power"}, "give one of maximise and minimise"),
        ({"maximise": "steady.sped"}, "did you mean 'steady.speed'"),
        ({"subject_to": ["steady.torque_ratio = 1"]}, "give a measure, <= or >="),
        ({"over": {}}, "at least one field"),
        ({"over": {"gait.amplitud": (0.1, 0.2)}}, "did you mean 'amplitude'"),
        ({"over": {"gait.amplitude": (0.2, 0.1)}}, "the range is empty"),
        ({"over": {"gait.period": (-1.0, 1.0)}}, "gait.period"),
        ({"over": {"gait.x_first": (0.0, 1.0), "gait.amplitude": (0.1, 0.2)}}, "the same parameter"),
        ({"over": {"gait.ramp": (0.0, 1.0)}}, "does nothing in steady motion"),
        ({"over": {"environment.water.points": (2, 8)}}, "must be a whole number"),
        ({"maximise": "mean_speed", "method": "slsqp"}, "slsqp needs exact slopes"),
        ({"maximise": "reached"}, "a number of spines at rest"),
        ({"front": 4}, "give both maximise and minimise"),
        ({"starts": 0}, "at least one"),
    ],
)
def test_refusals(options: dict, words: str) -> None:
    options = {"over": {"gait.amplitude": (0.01, 0.1)}, "maximise": "steady.speed", **options}
    with pytest.raises(ll.InputError, match=words):
        ll.optimise("eel-planar", **options)


def test_the_command(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        main,
        [
            "optimise",
            "eel-planar",
            "--over",
            "gait.amplitude=0.02..0.08",
            "--maximise",
            "steady.speed",
            "--subject-to",
            "steady.torque_ratio<=1",
            "--starts",
            "1",
            "--no-check",
            "--out",
            str(tmp_path / "s"),
        ],
    )
    assert done.exit_code == 0, done.output
    assert "1 of 1 starts ended there" in done.output and (tmp_path / "s" / "best.yaml").is_file()


SLIDE = {
    "duration": 0.4,
    "step": 0.001,
    "environment.gravity.acceleration": [9.81 * math.sin(0.17), 0.0, -9.81 * math.cos(0.17)],
    "environment.ground.forward": 0.02,
    "environment.ground.lateral": 0.02,
    "initial": {"position": [0.0, 0.0, 0.0525]},
}
"""A snake with its head up a slope of ice."""


def test_a_winner_that_moves_backwards_is_said() -> None:
    """The fastest way up a slope was to slide down it."""
    over = {"gait.yaw_amplitude": (0.02, 0.1)}
    found = ll.optimise(
        "snake-undulate-isotropic",
        over,
        maximise="mean_speed",
        subject_to=["mean_speed@x >= 0"],
        changes=SLIDE,
        max_evaluations=8,
        workers=0,
        proven=True,
    )
    assert found.feasible and found.measures["proven"] == 1.0 and found.measures["mean_speed@x"] > 0.0
    assert "it moves BACKWARDS, tail first" in found.told() and "its run is proven: its energy" in found.told()
    assert found.goal.endswith("subject to mean_speed@x >= 0, proven >= 1")


def test_a_winner_that_is_not_proven_is_said() -> None:
    doubtful = {"proven": False, "doubts": ["the power balance fails"], "progress": 0.2, "mean_speed": 0.2}
    best = ll.Best(ll.Scenario.load("eel-planar"), "", {}, 1.0, {}, "cma", {"bounds_active": []}, doubtful)
    assert "its run is NOT PROVEN: the power balance fails" in best.told() and "BACKWARDS" not in best.told()


def test_progress_is_what_a_search_makes_large_unless_told() -> None:
    assert goal_of(None, None, ()).text() == "maximise progress"


def test_the_best_keeps_its_limits_before_it_is_good() -> None:
    """Of what violates them, the least; what is within them counts nothing against a point."""
    search = ll.Gradient([np.zeros(1)])
    points = [np.array([float(number)]) for number in range(4)]
    told = [(-9.0, [2.0, -1.0]), (3.0, [-5.0, -1.0]), (1.0, [-1.0, -2.0]), (-1.0, [0.5, -3.0])]
    search.history = [
        (point, ll.Evaluation(value, np.array(limits))) for point, (value, limits) in zip(points, told, strict=True)
    ]
    assert search.best[0].item() == 2.0
    search.history = [search.history[0], search.history[3]]
    assert search.best[0].item() == 3.0
