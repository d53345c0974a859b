"""A scenario whose model takes another kind of robot: seen as one that it takes, and said so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import limbless as ll
from limbless.core import InputError

SWIM = {
    "robot": {"kind": "rod", "strains": "planar", "half_width": 0.03},
    "gait": {"kind": "body-wave", "amplitude": 0.3, "wavelength": 1.0, "period": 1.0},
    "environment": [{"kind": "water", "model": "morison"}],
    "model": {"kind": "macro-continuous", "cells": 48},
    "duration": 1.0,
    "step": 0.02,
}


def test_the_rod_is_seen_as_links_and_comes_back_from_its_file() -> None:
    scenario = ll.Scenario.load(SWIM, {"model.kind": "newton-euler", "model.links": 12})
    assert len(scenario.robot.links) == 12
    assert "model.kind: the rod is seen as 12 rigid links" in scenario.notes()
    assert any(note.startswith("model.cells: is an option of 'macro-continuous'") for note in scenario.notes())
    again = ll.Scenario.from_yaml(scenario.to_yaml())
    assert again.robot == scenario.robot and "kind: rod" in scenario.to_yaml()
    back = ll.Scenario.load(scenario, {"model": "macro-continuous", "robot.length": 0.8})
    assert back.robot.kind == "rod" and back.robot.length == 0.8


def test_links_tend_to_the_rod_with_second_order() -> None:
    """A body bent from the start: both begin with the same base frame, which the first joint takes into account."""
    rod = ll.run(SWIM).dataset.com_position.values
    apart = []
    for links in (8, 16, 32):
        seen = ll.run(SWIM, {"model.kind": "newton-euler", "model.links": links}).dataset.com_position.values
        apart.append(np.abs(seen - rod).max())
    assert np.polyfit(np.log([8, 16, 32]), np.log(apart), 1)[0] < -1.7, apart
    assert apart[-1] < 0.02 * np.abs(rod - rod[0]).max()


def test_a_gait_of_strains_bends_links_by_its_integral() -> None:
    from limbless.control.actuation.gait_to_joints import joint_motion

    gait = {"kind": "curvature-wave", "curvature": 3.0, "wavelength": 0.7, "period": 1.0}
    scenario = ll.Scenario.load(SWIM, {"gait": gait, "model": "newton-euler"})
    chain, times = scenario.robot, np.array([0.2, 0.35])
    angles = joint_motion(chain, scenario.gait, times).position
    original = ll.Scenario.load(SWIM, {"gait": gait}).gait
    X = (np.arange(4000) + 0.5) / 4000
    drive = (
        original.slope(times, X).value[..., 0]
        if original.drives == "shape"
        else original.sample(times, X).value[..., 5]
    )
    np.testing.assert_allclose(angles.sum(axis=1), drive.mean(axis=1), atol=1e-6)


def test_a_chain_is_seen_as_a_rod_whose_start_is_the_same_place() -> None:
    animal = {"robot": {"preset": "aiko", "links": 6}, "initial": {"position": [1.0, 0.0, 0.0]}}
    scenario = ll.Scenario.load({**SWIM, **animal})
    assert scenario.robot.kind == "rod" and scenario.initial.position[0] == pytest.approx(1.0 - 0.061)
    assert "model.kind: the chain is seen as a rod" in scenario.notes()


@pytest.mark.parametrize("links", [5, 8])
def test_a_wrench_stays_where_it_pushes_the_body(links: int) -> None:
    """At the tip and at 0.7 m: a rod counts from its first end, a chain from the joint of each link."""
    pushes = [
        {"kind": "point-wrench", "force": [0.0, 1.0, 0.0]},
        {"kind": "point-wrench", "abscissa": 0.7, "point": [0.0, 0.01, 0.0], "force": [0.0, 1.0, 0.0]},
    ]
    changes = {"model.kind": "newton-euler", "model.links": links, "environment": pushes}
    scenario = ll.Scenario.load(SWIM, changes)
    homes = np.cumsum([link.position for link in scenario.robot.links], axis=0)
    places = [homes[item.body] - homes[0] + item.point for item in scenario.environment]
    np.testing.assert_allclose(places, [[1.0, 0.0, 0.0], [0.7, 0.01, 0.0]], atol=1e-12)
    assert [item.body for item in scenario.environment] == [links - 1, int(0.7 * links)]
    assert "abscissa: 0.7" in scenario.to_yaml()
    back = ll.Scenario.load({**SWIM, "robot": scenario.robot, "environment": scenario.environment})
    assert [item.abscissa for item in back.environment] == pytest.approx([1.0, 0.7], abs=1e-12)
    spine = ll.SnakeNeck().build()
    seen = ll.Scenario.load({**SWIM, "robot": spine, "environment": pushes[:1], "model": "newton-euler"})
    tip = sum(link.position[0] for link in seen.robot.links) + seen.environment[0].point[0]
    assert seen.environment[0].body == len(spine.vertebrae) and tip == pytest.approx(spine.values("length").sum())
    with pytest.raises(InputError, match="body 3 of a rod depends on its cells"):
        ll.Scenario.load(SWIM, {**changes, "environment": [{**pushes[0], "body": 3}]})


def test_limits_that_soft_does_not_look_at_are_a_note() -> None:
    scenario = ll.Scenario.load("rod-hangs", {"robot.effort_limit": 1.0})
    assert scenario.robot.effort_limit is None and "effort_limit: 1.0" in scenario.to_yaml()
    assert any(note.startswith("robot.effort_limit: the model 'soft' looks at no limits") for note in scenario.notes())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"robot.base": "line", "model": "newton-euler"}, "a chain has no base 'line'"),
        ({"model": "tendon-statics"}, "robot.tendons: a spine is pulled by tendons"),
        ({"model.kind": "newton-euler", "model.links": 1}, "model.links"),
        (
            {"robot": "khalil-eel", "model": {"kind": "newton-euler", "links": 7}},
            "model.links: the robot has 37 links of its own",
        ),
        (
            {"robot": "snake-neck", "model": {"kind": "tendon-statics", "vertebrae": 7}},
            "model.vertebrae: the robot has 8 vertebrae of its own",
        ),
        (
            {"robot.passive": {"start": 0.5}, "model.kind": "newton-euler"},
            "the model 'newton-euler' knows no strains that follow from forces",
        ),
    ],
)
def test_what_cannot_be_seen_is_refused_by_its_field(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        ll.Scenario.load(SWIM, changes)


def test_the_motion_of_a_soft_run_is_a_gait_for_other_models(tmp_path: Path) -> None:
    """An eel whose tail no gait moves: as rod and as links it follows the shape of the soft run, and swims as that."""
    source = {"duration": 1.0}
    soft = ll.run("eel-passive-tail", source)
    soft.write(tmp_path / "soft")
    gait = {"gait": {"kind": "recorded", "result": str(tmp_path / "soft")}}
    way = np.ptp(soft.dataset.com_position.values[:, 0])
    for kind, share in (("macro-continuous", 0.002), ("newton-euler", 0.02)):
        scenario = ll.Scenario.load("eel-passive-tail", {**source, **gait, "model.kind": kind})
        assert any(note.startswith("robot.passive: the shape of gait.result is followed") for note in scenario.notes())
        apart = ll.run(scenario).dataset.com_position.values - soft.dataset.com_position.values
        assert np.abs(apart).max() < share * way, kind


@pytest.mark.parametrize("name", ["eel-planar", "rod-swim"])
def test_a_recorded_motion_is_itself_on_the_same_robot(name: str, tmp_path: Path) -> None:
    run = ll.run(name, {"duration": 1.0})
    run.write(tmp_path / "run")
    again = ll.run(name, {"duration": 1.0, "gait": {"kind": "recorded", "result": str(tmp_path / "run")}})
    what = "joint_position" if name == "eel-planar" else "com_position"
    np.testing.assert_allclose(again.dataset[what].values, run.dataset[what].values, rtol=0.0, atol=1e-6)


def test_recorded_results_that_cannot_be_followed_are_named(tmp_path: Path) -> None:
    short = ll.run(SWIM)
    short.write(tmp_path / "short")
    gait = {"kind": "recorded", "result": str(tmp_path / "short")}
    with pytest.raises(InputError, match=r"covers 0 to 1 s, but the run asks for .*shorten `duration`"):
        ll.run(SWIM, {"gait": gait, "duration": 2.0})
    with pytest.raises(InputError, match="no folder of a run"):
        ll.Scenario.load(SWIM, {"gait": {"kind": "recorded", "result": str(tmp_path)}})
    with pytest.raises(InputError, match="between: `result` takes its place"):
        ll.Scenario.load(SWIM, {"gait": {**gait, "between": "hold"}})
    ll.run("neck-planar").write(tmp_path / "statics")
    with pytest.raises(InputError, match="has no shape to follow"):
        ll.Scenario.load(SWIM, {"gait": {"kind": "recorded", "result": str(tmp_path / "statics")}})
