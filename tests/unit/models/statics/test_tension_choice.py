"""What a tip can be asked for beyond its place: three tendons, directions, a stiffness; by
closed forms and differences.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import limbless as ll
from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix
from limbless.robots.tendon_spine import Tendon, Vertebra

HANGING = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)
THREE = ll.SnakeNeck(tendon_count=3, stop_lateral=None, stop_vertical=None)
ROUND = {"vertical_ratio": 1.0, "stop_lateral": None, "stop_vertical": None}


def hanging(robot: Any = THREE, **options: Any) -> ll.TendonStatics:
    return ll.TendonStatics(robot, ll.Gravity(), settings=ll.TendonStaticsSettings(**options), base_orientation=HANGING)


def two_segments() -> ll.TendonSpine:
    """Six vertebrae; two pairs of tendons to the middle disk and two to the last."""
    vertebra = Vertebra(length=0.02, lateral_stiffness=0.04, vertical_stiffness=0.05)
    sides = ((0.012, 0.0), (0.0, 0.012), (0.0, -0.012), (-0.012, 0.0))
    tendons = tuple(Tendon(holes=(hole,), anchor=anchor) for anchor in (3, 6) for hole in sides)
    return ll.TendonSpine(vertebrae=(vertebra,) * 6, tendons=tendons, pairs=((0, 3), (1, 2), (4, 7), (5, 6)))


# Three tendons


def test_three_tendons_pull_evenly_around_the_axis() -> None:
    """A round spine without weight: each tendon alone bends it to its own side by the same
    amount, 120 degrees apart.
    """
    model = ll.TendonStatics(ll.SnakeNeck(tendon_count=3, **ROUND))
    tips = np.array([model.solve(0.4 * np.eye(3)[c]).tip_in_base for c in range(3)])
    assert np.ptp(tips[:, 0]) < 1e-12 and np.ptp(np.hypot(tips[:, 1], tips[:, 2])) < 1e-12
    assert np.degrees(np.arctan2(tips[:, 2], tips[:, 1])) == pytest.approx([90.0, -30.0, -150.0], abs=1e-9)
    assert model.solve([0.4] * 3).tip_in_base == pytest.approx([0.16, 0.0, 0.0], abs=1e-14)


def test_three_tendons_follow_a_path_around_and_one_is_always_slack() -> None:
    """inverse(forward) on a circle through all three sectors; tensions come back although
    the path never visits rest.
    """
    model, s = hanging(), np.linspace(0.0, 2.0 * np.pi, 25)
    found = model.inverse(0.02 * np.stack([np.cos(s), np.sin(s)], axis=1))
    assert found.reached.all() and (found.tension.min(axis=1) == 0.0).all() and (found.tension >= 0.0).all()
    assert {int(slack) for slack in found.tension.argmin(axis=1)} == {0, 1, 2}
    assert found.tension[-1] == pytest.approx(found.tension[0], abs=1e-9)
    for point in (0, 9, 17):
        alone = model.solve(found.tension[point]).tip_in_base[1:]
        assert alone == pytest.approx(found.target[point], abs=1e-9)


def test_of_three_tendons_the_least_ones_are_those_with_one_slack() -> None:
    """Pulling all three alike moves nothing much, so the least sum of squares is not far from the
    solution with a slack tendon.
    """
    model, target = hanging(), [[0.015, -0.01]]
    slack, least = model.inverse(target), model.inverse(target, prefer="tension")
    assert least.reached.all() and (least.tension**2).sum() <= (slack.tension**2).sum() + 1e-12
    assert (slack.tension > 1e-6).sum() == 2


def test_a_target_out_of_reach_of_three_tendons_gets_the_nearest_tip() -> None:
    model = hanging()
    target, bound = np.array([0.0, 0.12]), 0.6
    found = model.inverse([target], largest_tension=bound)

    def away(pull: np.ndarray, slack: int) -> float:
        return float(np.linalg.norm(model.solve(np.insert(pull, slack, 0.0)).tip_in_base[1:] - target))

    best = min(
        minimize(
            away,
            [0.3, 0.3],
            args=(slack,),
            bounds=[(0.0, bound)] * 2,
            method="Nelder-Mead",
            options={"xatol": 1e-9, "fatol": 1e-13},
        ).fun
        for slack in range(3)
    )
    assert not found.reached[0] and found.error[0] == pytest.approx(best, abs=1e-8)
    assert found.tension[0].max() == pytest.approx(bound) and found.tension[0].min() == 0.0


def test_the_workspace_of_three_tendons() -> None:
    """Every combination with one slack tendon, each the equilibrium of its tensions; the rim
    goes once around, in sixths.
    """
    model, count = hanging(ll.SnakeNeck(count=2, tendon_count=3)), 3
    found = model.workspace(0.4, count)
    n = count - 1
    assert found.tip.shape == (3 * n * n + 3 * n + 1, 3)
    assert (found.tension.min(axis=1) == 0.0).all() and found.tension.max() == pytest.approx(0.4)
    assert len({tuple(np.round(row, 9)) for row in found.tension}) == len(found.tension)
    for tension, tip in zip(found.tension, found.tip, strict=True):
        assert model.solve(tension).tip_in_base == pytest.approx(tip, abs=1e-9)
    rim = found.boundary
    around = np.unwrap(np.arctan2(rim[:, 2], rim[:, 1]))
    assert (
        len(rim) == 6 * n
        and np.abs(np.sign(np.diff(around)).sum()) == 6 * n - 1
        and abs(around[-1] - around[0]) < 2.0 * np.pi
    )


def test_free_tendons_are_scanned_one_by_one() -> None:
    robot = ll.SnakeNeck(count=2, tendon_count=3).build().changed(triples=())
    found = hanging(robot).workspace(0.4, 2)
    assert found.tip.shape == (2, 2, 2, 3) and found.tension[1, 0, 1] == pytest.approx([0.4, 0.0, 0.4])
    with pytest.raises(ll.InputError, match="one rim"):
        _ = found.boundary


def test_a_grid_of_three_tendons_is_a_result() -> None:
    robot = {"preset": "snake-neck", "count": 2, "tendon_count": 3}
    result = ll.run("neck-workspace", {"robot": robot, "gait.count": 2, "gait.largest": 0.3, "figures": []})
    assert dict(result.dataset["tip_in_base"].sizes) == {"limits": 2, "combination": 7, "axis": 3}
    assert result.summary()["statics"]["postures"] == 14


def test_a_design_for_three_tendons_by_differences() -> None:
    from limbless.models.statics.routing_design import Consumption

    model, s = (
        hanging(ll.SnakeNeck(count=3, tendon_count=3, stop_lateral=None, stop_vertical=None)),
        np.linspace(0.0, 6.0, 7),
    )
    consumption = Consumption(model, 0.004 * np.stack([np.sin(s), np.cos(s)], axis=1))
    factors = 1.0 + 0.1 * np.random.default_rng(0).uniform(-1.0, 1.0, consumption.size)
    _, gradient = consumption(factors)
    for j in range(consumption.size):
        e = 1e-4 * np.eye(consumption.size)[j]
        near, far = (consumption(factors + k * e)[0] - consumption(factors - k * e)[0] for k in (1, 2))
        assert gradient[j] == pytest.approx((8 * near - far) / 12e-4, abs=1e-6 * np.abs(gradient).max())


# Directions


def test_a_direction_is_reached_by_its_closed_form() -> None:
    """Without weight a tendon gives every vertebra the same bend as its chord asks; the last disk's heading is the
    sum of all bends.
    """
    model = ll.TendonStatics(ll.SnakeNeck(**ROUND))
    bent = model.solve([0.0, 0.0, 0.0, 0.3])
    assert bent.tip_components[3] == pytest.approx(bent.bend[:, 0].sum(), abs=1e-12)
    assert bent.tip_components[4:] == pytest.approx([0.0, 0.0], abs=1e-12)
    found = model.inverse([[bent.bend[:, 0].sum(), 0.0]], ("heading", "elevation"))
    assert found.reached.all() and found.tension[0] == pytest.approx([0.0, 0.0, 0.0, 0.3], abs=1e-9)


def test_a_head_looks_where_it_is_told() -> None:
    """Heading and elevation in turn, hanging, with three tendons: the recorded quaternion points
    there, by another formula.
    """
    wanted = np.radians([[10.0, 5.0], [-20.0, 15.0], [25.0, -10.0]])
    found = hanging().inverse(wanted, ("heading", "elevation"))
    assert found.reached.all()
    for (heading, elevation), one in zip(wanted, found.equilibria, strict=True):
        along = np.array([np.cos(elevation) * np.cos(heading), np.cos(elevation) * np.sin(heading), np.sin(elevation)])
        seen = quaternion_to_matrix(np.array(HANGING)).T @ quaternion_to_matrix(one.orientation[-1]) @ [1.0, 0.0, 0.0]
        assert seen == pytest.approx(along, abs=1e-9)


def test_place_and_direction_together_with_two_segments() -> None:
    model = ll.TendonStatics(two_segments(), ll.Gravity(), base_orientation=HANGING)
    tension = np.array([0.0, 0.2, 0.0, 0.3, 0.25, 0.0, 0.1, 0.0])
    names, there = ("y", "z", "heading", "elevation"), model.solve(tension)
    found = model.inverse([there.tip_components[1:5]], names)
    assert found.reached.all() and found.tension[0] == pytest.approx(tension, abs=1e-6)
    assert found.angle_error[0] < 1e-9 and found.error[0] < 1e-9
    odd = model.inverse([np.add(there.tip_components[1:5], (0.0, 0.0, 3.0, 0.0))], names, largest_tension=0.5)
    assert not odd.reached[0] and odd.angle_error[0] > 0.1


def test_a_scenario_follows_directions_and_says_what_it_missed() -> None:
    table = [[0.0, 0, 0, 0, 0, 0, 0], [1.0, 0, 0, 0, 0.3, 0.1, 0], [2.0, 0, 0, 0, 3.0, 0.0, 0]]
    gait = {"kind": "tip-path", "table": table, "follow": ["heading", "elevation"]}
    result = ll.run("neck-vertical-air", {"gait": gait, "robot.count": 4, "figures": []})
    data = result.dataset
    assert data["tip_angles"].values[1, :2] == pytest.approx([0.3, 0.1], abs=1e-9)
    assert data["target_angle_error"].values[:2] == pytest.approx([0.0, 0.0], abs=1e-9)
    heading, elevation, _ = data["tip_angles"].values[2]
    assert data["target_angle_error"].values[2] == pytest.approx(np.hypot(3.0 - heading, elevation))
    assert (
        len(result.notes) == 1
        and "1 of 3 targets are out of reach" in result.notes[0]
        and "deg away" in result.notes[0]
    )
    with pytest.raises(ll.InputError, match="seven, with heading"):
        ll.run("neck-vertical-air", {"gait": {**gait, "table": [row[:4] for row in table]}})


# Stiffness


@pytest.mark.parametrize("stiffening", [0.0, 400.0])
def test_held_lengths_stiffen_by_differences(stiffening: float) -> None:
    """The compliance with held lengths is what a small force on the tip shows, lengths commanded;
    tensions come out as they were.
    """
    model = hanging(ll.SnakeNeck(), tendon_stiffness=1500.0, tendon_stiffening=stiffening)
    free = model.solve([0.5, 0.3, 0.2, 0.1])
    held = model.holding(free)
    assert held.proximal_tension == pytest.approx(free.proximal_tension, abs=1e-10)
    again = model.solve(length=held.command_length)
    assert again.q == pytest.approx(free.q, abs=1e-9)
    h = 1e-4
    for axis in (0, 1):
        push = h * np.eye(3)[axis]
        above, below = (
            model.solve(length=held.command_length, tip_force=side * push, start=free.q) for side in (1.0, -1.0)
        )
        assert held.tip_compliance[:, axis] == pytest.approx(
            (above.tip_position - below.tip_position) / (2 * h), abs=1e-6
        )
    assert held.tip_compliance[1, 1] < 0.8 * free.tip_compliance[1, 1]


def test_an_elastic_tendon_pulls_by_its_law() -> None:
    """dT/dx = k + a T, integrated by hand; its energy is the integral of T, so that the
    energy's slope is the tension.
    """
    k, a = 800.0, 300.0
    model = hanging(ll.SnakeNeck(count=2), tendon_stiffness=k, tendon_stiffening=a)
    found = model.solve(length=[0.038, 0.04, 0.04, 0.04])
    stretch = np.maximum(found.tendon_length - [0.038, 0.04, 0.04, 0.04], 0.0)
    assert found.proximal_tension == pytest.approx(k / a * (np.exp(a * stretch) - 1.0), rel=1e-9, abs=1e-12)
    assert found.proximal_tension.max() > 1.15 * k * stretch.max()


def test_a_stiffness_that_antagonists_can_give_is_met_and_another_is_told() -> None:
    """Without elastic tendons pulling all only softens. Elastic ones that stiffen reach more, and the wish is
    checked by pushing the tip."""
    neck, target = ll.SnakeNeck(count=3), [[0.0, -0.003]]
    soft = hanging(neck)
    missed = soft.inverse(target, prefer="stiffness", stiffness=60.0)
    assert missed.reached.all() and not missed.wish_met.any() and missed.stiffness is not None
    best = 1.0 / missed.equilibria[0].tip_compliance[1, 1]
    assert (
        missed.stiffness[0] == pytest.approx(best)
        and best < 1.02 / soft.inverse(target).equilibria[0].tip_compliance[1, 1]
    )
    model = hanging(neck, tendon_stiffness=50.0, tendon_stiffening=800.0)
    found = model.inverse(target, prefer="stiffness", stiffness=1.9 * best)
    assert found.reached.all() and found.wish_met.all()
    there, h = found.equilibria[0], 1e-4
    above, below = (
        model.solve(length=there.command_length, tip_force=(0.0, side * h, 0.0), start=there.q) for side in (1.0, -1.0)
    )
    assert 2 * h / (above.tip_position - below.tip_position)[1] == pytest.approx(1.9 * best, rel=0.01)


def test_a_run_says_that_its_wanted_stiffness_was_not_met() -> None:
    changes = {
        "model.prefer": "stiffness",
        "model.tip_stiffness": 60.0,
        "robot.count": 3,
        "figures": [],
        "gait": {"kind": "tip-path", "table": [[0, 0.06, 0, 0], [1, 0.06, 0.002, 0.0]]},
    }
    result = ll.run("neck-vertical-air", changes)
    assert result.summary()["statics"]["target_error"] < 1e-7
    assert len(result.notes) == 1 and "model.tip_stiffness: 60 N/m is not met at 2 of 2 points" in result.notes[0]
    stiff = ll.run("neck-vertical-air", changes | {"model.tip_stiffness": 40.0, "model.tendon_stiffness": 1000.0})
    assert (
        stiff.dataset["tip_compliance"].values[:, 1].max() < 0.8 * result.dataset["tip_compliance"].values[:, 1].min()
    )
    assert "command_length" in stiff.dataset


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (
            lambda m: m.inverse([[0.1, 0.1]], ("heading", "elevation"), prefer="stiffness", stiffness=1.0),
            "needs a `direction`",
        ),
        (
            lambda m: m.inverse([[0.0, 0.0]], prefer="stiffness", stiffness=1.0, direction=(0, 0, 0)),
            "direction must be three",
        ),
        (lambda m: m.holding(m.solve([0.1] * 3)), "needs elastic tendons"),
        (lambda m: m.changed(tendon_stiffening=10.0), "goes with a tendon_stiffness"),
        (lambda m: m.robot.changed(triples=((0, 1, 1),)), "three different tendons"),
        (lambda m: m.robot.changed(pairs=((0, 1),)), "one of them only"),
    ],
)
def test_wrong_wishes_are_refused_in_words(call: Any, told: str) -> None:
    with pytest.raises(ll.InputError) as refused:
        call(hanging())
    assert told in str(refused.value)
