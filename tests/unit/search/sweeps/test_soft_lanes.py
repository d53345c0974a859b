"""Eight soft bodies side by side are eight soft bodies one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.search.sweeps import rollout
from limbless.search.sweeps.run_lanes import kind_of
from limbless.search.sweeps.sweep_plan import SweepPlan
from limbless.search.sweeps.worker_rows import Evaluator

STATES = (
    "base_position",
    "base_orientation",
    "base_twist",
    "joint_position",
    "joint_velocity",
    "bend",
    "strain",
    "strain_rate",
)
SWING = {"duration": 0.1, "record_every": 0.05}
PULLS = [[0.7, 0.0, 0.0, 0.0], [0.3, 0.5, 0.0, 0.0], [0.0, 0.0, 0.9, 0.0]]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[ll.Scenario]]:
    """The scenarios that were run by themselves."""
    found: list[ll.Scenario] = []

    def noted(scenario: ll.Scenario) -> Any:
        found.append(scenario)
        return run(scenario)

    run = rollout.run_scenario
    monkeypatch.setattr(rollout, "run_scenario", noted)
    return found


def same_as_single(name: str, over: Mapping[str, Sequence[Any]], changes: Mapping[str, Any], rounding: float) -> Any:
    """A rollout is what `run` gives: states to `rounding`, absolute (largest numbers are about 1 but for rates of
    curvature), works to 1e-11 of them; peaks to rounding.
    """
    every = changes["record_every"]
    runs = ll.rollout(name, over, changes=changes, record_every=every)
    assert (runs["status"] == "completed").all()
    for number in range(len(next(iter(over.values())))):
        single = ll.run(name, {**changes, **{path: values[number] for path, values in over.items()}}).dataset
        kept = [state for state in STATES if state in single]
        assert len(kept) > 3
        for state in kept:
            np.testing.assert_allclose(
                runs[state].values[number], single[state].values, rtol=0, atol=rounding, err_msg=state
            )
        spent = single["positive_work"].values[-1].sum()
        assert spent > 0.0 and runs["positive_work"].values[number] == pytest.approx(spent, rel=1e-11)
        peak = "peak_tension" if "peak_tension" in single else "peak_torque"
        np.testing.assert_allclose(runs[peak].values[number], np.abs(single[peak].values), rtol=1e-12, atol=1e-15)
    return runs


@pytest.mark.parametrize("integrator", ["sdirk4", "midpoint"])
def test_necks_of_their_own_and_their_own_tensions(integrator: str, alone: list[ll.Scenario]) -> None:
    """Three bodies, five empty places; each finds its stages in as many turns as it would alone. One has a knot more,
    at 43 ms, and the others wait for it at the next record.
    """
    over = {"gait.after": PULLS, "robot.damping_time": [0.01, 0.02, 0.005], "gait.ramp": [0.05, 0.043, 0.05]}
    runs = same_as_single("neck-swing-air", over, {**SWING, "model.integrator": integrator}, 1e-13)
    assert alone == []
    assert runs["bend"].dims == ("run", "time", "vertebra", "transverse") and runs["gait.after"].values[1] == PULLS[1]


@pytest.mark.parametrize(
    ("pull", "said"),
    [
        (50.0, "failed: at t = 0.05 s the step could not be solved"),  # by no step
        (2.0, "completed"),  # a stop is met: in two halves
    ],
)
def test_one_that_falls_behind_leaves_the_others_as_they_are(pull: float, said: str, alone: list[ll.Scenario]) -> None:
    """It is run again alone, and has the words or the numbers of that."""
    pulls, changes = [PULLS[0], [pull, 0.0, 0.0, 0.0], PULLS[2]], {"duration": 0.2, "record_every": 0.1}
    runs = ll.rollout("neck-swing-air", {"gait.after": pulls}, changes=changes)
    assert [scenario.gait.after[0] for scenario in alone] == [pull]
    assert said in runs["status"].values[1]
    if said == "completed":
        single = ll.run("neck-swing-air", {**changes, "gait.after": pulls[1]}).dataset
        np.testing.assert_array_equal(runs["bend"].values[1], single["bend"].values)
    else:
        assert np.isnan(runs["bend"].values[1]).all()
    whole = ll.rollout("neck-swing-air", {"gait.after": PULLS}, changes=changes)
    np.testing.assert_array_equal(runs["bend"].values[[0, 2]], whole["bend"].values[[0, 2]])


@pytest.mark.parametrize("steps", [{}, pytest.param({"model.integrator": "rk4", "step": 1e-4}, marks=pytest.mark.long)])
def test_one_in_trouble_says_so_and_leaves_the_others_as_they_are(
    steps: dict[str, Any], alone: list[ll.Scenario]
) -> None:
    """A vertebra that is bent too far from the start; nobody looks at its neighbours'."""
    still = ll.Scenario.load("neck-swing-air")
    straight = np.zeros(2 * len(still.robot.build().vertebrae))
    bent = straight.copy()
    bent[1] = 3.5
    postures, changes = [straight.tolist(), bent.tolist()] * 2, {"duration": 0.02, "record_every": 0.01, **steps}
    runs = ll.rollout("neck-swing-air", {"initial.joint_position": postures}, changes=changes)
    assert "vertebra 1 bends by more than 180 degrees" in runs["status"].values[1] and len(alone) == 2
    assert runs["status"].values[0] == "completed" and np.isnan(runs["bend"].values[1]).all()
    whole = ll.rollout("neck-swing-air", {"initial.joint_position": postures[::2] * 2}, changes=changes)
    np.testing.assert_array_equal(runs["bend"].values[0], whole["bend"].values[0])


def test_a_tension_that_is_let_go_at_once_goes_alone() -> None:
    """Its block of steps ends at the jump, which has two sides."""
    desk = rollout.RolloutScratch()
    smooth, jumps = (ll.Scenario.load("neck-swing-air", {"gait.at": 0.1, "gait.ramp": ramp}) for ramp in (0.05, 0.0))
    assert desk.key(smooth) is not None and desk.key(jumps) is None


def test_what_only_one_robot_can_be_asked_goes_alone() -> None:
    def kind(name: str, changes: dict[str, Any] | None = None) -> Any:
        scenario = ll.Scenario.load(name, changes or {})
        return kind_of(scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation))

    assert kind("neck-swing-air") is not None and kind("worm-muscles") is not None
    assert kind("neck-swing-air", {"robot.friction": 0.1}) is None
    assert kind("chain-tendons") is None  # tendons that stretch, and winches
    assert kind("eel-passive-tail", {"environment": [{"kind": "gravity"}, {"kind": "water", "surface": 1.0}]}) is None


# ----------------------------------------------------------------------------------- kernels of their own for each kind

SWIM = {"duration": 0.4, "record_every": 0.2}
FINGER = {
    f"robot.tendons.{number}.{field}": value
    for number in range(2)
    for field, value in (("stiffness", None), ("damping", 0.0), ("winch", None))
}
"""Tendons that do not stretch."""


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "over", "changes", "rounding"),
    [
        ("spine-45-swim", {"gait.period": [1.0, 1.2, 1.5], "robot.damping_time": [0.05, 0.06, 0.08]}, SWIM, 1e-13),
        (
            "worm-muscles",
            {"gait.period": [0.8, 1.0, 1.3], "gait.couple": [0.003, 0.004, 0.005]},
            {**SWIM, "gait.ramp": 0.2},
            1e-12,
        ),
        (
            "eel-passive-tail",
            {"gait.curvature": [4.0, 5.0, 4.5], "gait.period": [1.0, 1.1, 0.9]},
            {**SWIM, "gait.ramp": 0.2},
            1e-11,
        ),
        (
            "neck-swing-air",
            {"gait.after": PULLS},
            {"duration": 0.02, "record_every": 0.01, "step": 1e-4, "gait.ramp": 0.01, "model.integrator": "rk4"},
            1e-13,
        ),
    ],
)
def test_every_kind_of_body(
    name: str, over: dict[str, Any], changes: dict[str, Any], rounding: float, alone: list[ll.Scenario]
) -> None:
    """A spine in water, muscles, a given wave with a passive tail (its rates of curvature are about 30 1/(m s)), and
    explicit steps.
    """
    same_as_single(name, over, changes, rounding)
    assert alone == []


@pytest.mark.long
@pytest.mark.parametrize("integrator", ["sdirk4", "midpoint", "rk4"])
def test_fingers(integrator: str, alone: list[ll.Scenario]) -> None:
    """Rigid links whose tendons have the tensions that the gait says."""
    changes = {
        **FINGER,
        "gait": {"kind": "tension-step", "after": [1.0, 0.2], "ramp": 0.1},
        "duration": 0.2,
        "record_every": 0.1,
        "step": 0.001,
        "model.integrator": integrator,
    }
    over = {"gait.after": [[1.0, 0.2], [2.0, 0.3], [0.5, 0.0]]}
    same_as_single("chain-tendons", over, changes, 1e-12)
    assert alone == []


@pytest.mark.long
@pytest.mark.parametrize(("name", "more"), [("spine-45-swim", []), ("worm-muscles", ["peak_torque"])])
def test_rows_of_a_sweep_are_those_of_single_runs(name: str, more: list[str]) -> None:
    measures = ["mean_speed", "positive_work", "cost_of_transport", *more]
    plan = SweepPlan.make(name, {"gait.period": [1.0, 1.2, 1.5]}, measures, {**SWIM, "gait.ramp": 0.2})
    beside, single = Evaluator(plan), Evaluator(plan)
    single.in_lanes = False
    rows = beside._runs_together(range(3))
    for number, other in enumerate(single.rows(range(3))):
        row = rows[number]
        assert other.values.pop("proven") == 1.0  # which side by side nobody looks at
        assert row.values == pytest.approx(other.values, rel=1e-10) and row.status == "completed"
        assert np.isfinite(list(row.values.values())).all() and set(row.values) == set(measures)


@pytest.mark.long
def test_a_sweep_that_asks_for_torques_of_joints_that_tendons_drive_goes_run_by_run() -> None:
    """Side by side tensions are counted; of such joints a result has no torque of an actuator."""
    plan = SweepPlan.make(
        "chain-tendons",
        {"gait.ramp": [0.1, 0.12, 0.14]},
        ["peak_torque"],
        {**FINGER, "gait": {"kind": "tension-step", "after": [1.0, 0.2], "ramp": 0.1}, "duration": 0.1},
    )
    evaluator = Evaluator(plan)
    assert evaluator.desk.key(plan.scenario) is not None and evaluator._runs_together(range(3)) == {}
    assert all(np.isnan(row.values["peak_torque"]) and row.values["proven"] for row in evaluator.rows(range(3)))
