"""Slips of the hand are told before a run, and where a run diverges; scenarios of the library have none."""

from __future__ import annotations

import re
from typing import Any

import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.robots.base import SkinFriction
from limbless.scenarios import loader, plausibility

SNAKE = {
    "robot": {"preset": "module-snake", "modules": 4, "joints": "yaw"},
    "gait": {"kind": "joint-wave"},
    "environment": ["ground", "gravity"],
    "model": "non-smooth",
    "actuation": "pd",
    "step": 0.001,
    "duration": 0.01,
}
PEGS = {"kind": "pegs", "feet": [[1.0, 0.0, 0.0]], "span": [0.0, 0.0, 1e-3], "radius": 1e-3}
MOTOR = {"kind": "motor", "stall_torque": 3.0, "stall_current": 2.3, "no_load_speed": 8.0}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"gait.yaw_amplitude": 30.0}, "gait.yaw_amplitude: 30 rad is 4.8 turns; if degrees are meant, write '30 deg'"),
        (
            {"gait.yaw_rate": 80.0},
            "gait.yaw_rate: 80 rad/s is 13 turns a second; if degrees are meant, write '80 deg/s'",
        ),
        ({"environment": ["ground"]}, "environment.ground: no `gravity` is listed: nothing presses the robot onto it"),
        (
            {"environment": ["ground", "gravity", PEGS]},
            "environment.pegs: the body is 0.05 m thick, and what stands in its way 0.002 m",
        ),
        (
            {"actuation": MOTOR, "robot.viscous_friction": 0.375},
            "robot: `damping` of joints is what their motors' stall_torque over no_load_speed already takes off",
        ),
        ({"robot.length": 65.0}, "robot: it is 260 m long"),
        ({"gait.yaw_rate": "20 Hz", "step": 0.01}, "step: 0.01 s is more than a tenth of the gait's period, 0.05 s"),
        ({"actuation": "motion"}, "actuation: 'motion' does not give way"),
        (
            {
                "environment": [
                    {"kind": "water", "surface": 0.0, "flow": [{"kind": "waves", "amplitude": 0.01, "length": 0.4}]},
                    "gravity",
                ],
                "model": "newton-euler",
            },
            "environment.water.flow: waves 0.4 m long are short beside a body 0.05 m thick",
        ),
        (
            {"environment": ["water", "gravity"], "model": "newton-euler"},
            "environment.gravity: no `buoyancy` is listed",
        ),
        (
            {"environment": ["water"], "model": "newton-euler", "robot.length": 1e-4, "gait.yaw_amplitude": 0.1},
            "environment.water: with this gait Reynolds' number stays below",
        ),
    ],
)
def test_a_slip_is_told_before_the_run(changes: dict[str, Any], told: str) -> None:
    scenario = ll.Scenario.load(SNAKE, changes)
    assert any(note.startswith(told) for note in plausibility.notes(scenario)), plausibility.notes(scenario)
    assert set(plausibility.notes(scenario)) <= set(scenario.notes())


@pytest.mark.parametrize("gait", ["body-wave", "joint-wave"])
def test_the_bound_of_reynolds_number_is_above_what_the_run_finds(gait: str) -> None:
    """A body of 2 mm: told before the run by a bound, and after it from the motion."""
    wave = {"amplitude": 0.1, "wavelength": 2e-3}
    own = wave if gait == "body-wave" else {"yaw_amplitude": 0.03, "yaw_phase": 1.5}
    robot = {"preset": "uniform", "links": 4, "length": 5e-4, "half_width": 5e-5}
    scenario = ll.Scenario.load(
        {"robot": robot, "gait": {"kind": gait, **own}, "environment": ["water"], "duration": 1.0, "step": 0.01}
    )
    (told,) = (note for note in plausibility.notes(scenario) if "Reynolds" in note)
    found = next(note for note in ll.run(scenario).notes if "Reynolds" in note and "at most" in note)
    numbers = [re.search(r"(?:below|is) ([\d.e-]+)", note) for note in (told, found)]
    bound, most = (float(number[1]) for number in numbers if number)
    assert 0.05 * bound < most < bound < 1.0
    faster = ll.Scenario.load(scenario, {"robot.length": 5e-3})
    assert not any("stays below" in note for note in plausibility.notes(faster))


def test_a_turn_that_was_written_with_few_digits_is_a_turn() -> None:
    """As `limbless robot --medium ground` writes it for two joints: it was told that degrees were meant."""
    turn = ll.Scenario.load(SNAKE, {"gait.yaw_phase": -6.2832})
    assert not any("degrees" in note for note in plausibility.notes(turn))


def test_a_body_without_joints_is_never_called_slow() -> None:
    robot = {"preset": "uniform", "links": 1, "length": 5e-4, "half_width": 5e-5}
    still = {"kind": "joint-wave", "yaw_amplitude": 0.0}
    scenario = ll.Scenario.load({"robot": robot, "gait": still, "environment": ["water"], "duration": 1.0, "step": 0.1})
    assert not any("Reynolds" in note for note in plausibility.notes(scenario))


def test_what_only_moves_is_no_field_of_a_spine_at_rest() -> None:
    for name in ("damping_time", "friction", "stop_stiffness", "tendon_stiffness"):
        told = plausibility.notes(ll.Scenario.load("neck-planar", {f"robot.{name}": 0.01}))
        assert f"robot.{name}: it has no effect at rest; {{kind: soft}} uses it" in told
    assert not any("at rest" in note for note in plausibility.notes(ll.Scenario.load("neck-planar")))


def test_nothing_is_said_of_what_is_as_usual() -> None:
    assert plausibility.notes(ll.Scenario.load(SNAKE)) == []
    assert plausibility.notes(ll.Scenario.load(SNAKE, {"actuation": MOTOR, "model.theta": 0.5})) == []
    for name in loader.names():
        said = [note for note in plausibility.notes(ll.Scenario.load(name)) if "two waves" not in note]
        if name == "snake-shore":  # its joints are given, and it does meet the ground
            said = [note for note in said if "does not give way" not in note]
        assert not said, (name, said)


@pytest.mark.parametrize(
    ("ground", "skin", "told"),
    [
        (
            {"forward": 0.3},
            {"lateral": 0.4},
            "its forward has no effect where the robot touches environment.ground, whose",
        ),
        (
            {"forward": 0.3, "lateral": 0.4},
            {"backward": 0.2},
            "its forward and lateral and backward have no effect where",
        ),
        ({"backward": 0.3}, {"backward": 0.2}, "its backward has no effect"),
        ({"forward": 0.3}, None, None),
        ({"forward": 0.3}, {}, None),  # the preset's own
        ({"rolling": 0.0}, {"forward": 0.2}, None),
    ],
)
def test_friction_is_not_stated_twice_in_silence(
    ground: dict[str, float], skin: dict[str, float] | None, told: str | None
) -> None:
    """What the note says is what acts: the skin's coefficients that it names change nothing, the others do."""
    changes = {"environment": [{"kind": "ground", **ground}, "gravity"], "robot.skin": skin}
    scenario = ll.Scenario.load(SNAKE, changes)
    notes = [note for note in scenario.notes() if note.startswith("robot.skin")]
    assert len(notes) == (told is not None) and all(note.startswith(f"robot.skin: {told}") for note in notes)
    if skin:
        item: Any = scenario.environment[0]
        given = SkinFriction(**skin)
        for name in ("forward", "lateral", *skin):
            without = item.against(given.changed(**{name: 0.7})) == item.against(given)
            assert without == (f" {name} " in "".join(notes))


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"actuation": {"kind": "pd", "stiffness": 1e6, "damping": 1.0}}, "actuation.stiffness: 1e+06 makes"),
        ({"actuation": {"kind": "pd", "stiffness": 1.0, "damping": 1e4}}, "actuation.damping: 10000 makes"),
        ({"environment.ground.lateral": 50.0}, "environment.ground.lateral: a friction coefficient of 50"),
        ({"robot.length": 65.0}, "robot: it is 260 m long"),
        ({}, None),
    ],
)
def test_divergence_has_a_likely_cause(changes: dict[str, Any], cause: str | None) -> None:
    causes = plausibility.likely_causes(ll.Scenario.load(SNAKE, changes))
    assert causes == [] if cause is None else causes[0].startswith(cause)


def test_the_command_line_tells_first(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    answer = CliRunner().invoke(
        main, ["run", "eel-planar", "--no-figures", "--set", "gait.turn=30", "--set", "duration=0.02"]
    )
    assert "Note: gait.turn: 30 rad is 4.8 turns; if degrees are meant, write '30 deg'" in answer.stderr
    assert (answer.stdout + answer.stderr).count("30 rad is 4.8 turns") == 1  # and not once more after the run


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("purcell-swimmer", {"robot.contact_radius": 0.01}, "robot.contact_radius: it has no effect"),
        ("purcell-swimmer", {"robot.second_axis": [1, 0, 0]}, "robot.second_axis: a revolute joint has no second axis"),
        ("purcell-swimmer", {"robot.rotor_inertia": 1e-4}, "`rotor_inertia` of joints has no effect"),
        ("purcell-swimmer", {"gait.length": 1.0}, "gait.length: it has no effect: a chain is as long as its links"),
        ("snake-follows-path-in-water", {"gait.ramp": 1.0}, "gait.ramp: it has no effect: a controller takes"),
        ("snake-follows-path-in-water", {"gait.settle": 1.0}, "gait.settle: it has no effect without `stop`"),
        ("kinematic-snake-map", {"environment.0.slip_speed": 0.01}, "slip_speed: it belongs to law: regularised"),
        ("kinematic-snake-map", {"environment.0.points": 5}, "points: it belongs to placement: distributed"),
        ("snake-cpg", {"controller.0.strength": 2.0}, "controller.strength: has no effect with `output: signal`"),
        ("snake-cpg", {"controller.0.lesion.outputs": [0]}, "controller.lesion.outputs: has no effect with"),
        (
            "snake-cpg",
            {"controller.0.lesion.senses": [0]},
            "controller.lesion.senses: has no effect without `feedback`",
        ),
        ("spine-45", {"robot.head": "base"}, "robot.head: it has no effect at rest"),
    ],
)
def test_a_field_without_effect_is_said(name: str, change: dict[str, Any], told: str) -> None:
    assert not any(told in note for note in ll.Scenario.load(name).notes())
    assert any(told in note for note in ll.Scenario.load(name, change).notes())


def test_what_no_strain_and_no_tendon_feels_is_refused() -> None:
    with pytest.raises(ll.InputError, match="shear_factor: no strain of a rod with strains: universal feels it"):
        ll.Scenario.load("snake-soft", {"robot.shear_factor": 0.9})
    with pytest.raises(ll.InputError, match="tendons: has an effect only with `output: tendon`"):
        ll.Scenario.load("snake-cpg", {"controller.1.tendons": [0]})
    with pytest.raises(ll.InputError, match="inertia: coefficients must not be negative"):
        ll.Scenario.load("agnathax", {"environment.0.parts.0.inertia": [0.1, 0.2, -9.0]})
