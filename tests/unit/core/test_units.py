"""Numbers with units: against conversions that are written in every table of physics, and told when they do not fit."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from click.testing import CliRunner

import limbless as ll
from limbless.cli.main import main
from limbless.core import registry, units
from limbless.core.fields import nested, unit_of
from limbless.scenarios.scenario import Initial, Scenario


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("5 cm", "m", 0.05),
        ("-3.5mm", "m", -0.0035),
        ("1e3 um", "m", 1e-3),
        ("2 µm", "m", 2e-6),
        ("2 in", "m", 0.0508),
        ("200 g", "kg", 0.2),
        ("2 t", "kg", 2000.0),
        ("20 ms", "s", 0.02),
        ("1.5 min", "s", 90.0),
        ("2 h", "s", 7200.0),
        ("30 deg", "rad", math.pi / 6),
        ("30°", "rad", math.pi / 6),
        ("0.5 rev", "rad", math.pi),
        ("30 deg/s", "rad/s", math.pi / 6),
        ("1 Hz", "rad/s", 2 * math.pi),
        ("60 rpm", "rad/s", 2 * math.pi),
        ("50 Hz", "1/s", 50.0),
        ("3000 rpm", "1/s", 50.0),
        ("2 N/mm", "N/m", 2000.0),
        ("3 kPa", "N/m2", 3000.0),
        ("1.1 g/cm3", "kg/m3", 1100.0),
        ("1 kg/m^3", "kg/m3", 1.0),
        ("36 km/h", "m/s", 10.0),
        ("5 N cm", "N m", 0.05),
        ("5 Ncm", "N m", 0.05),
        ("10 kgf cm", "N m", 0.980665),
        ("1.5 Nm", "N m", 1.5),
        ("7 J", "N m", 7.0),
        ("0.5 N m/deg", "N m/rad", 0.5 * 180 / math.pi),
        ("2 mN m s/rad", "N m s/rad", 2e-3),
        ("30 g cm²", "kg m2", 3e-6),
        ("1 mPa s", "N s/m2", 1e-3),
        ("20 %", "1", 0.2),
        ("100 1/m", "1/m", 100.0),
        ("2 1/cm", "1/m", 200.0),
        ("20 cm**3", "m3", 2e-5),
        ("9.81 m/s2", "m/s2", 9.81),
        ("1 m s-2", "m/s2", 1.0),
        ("3 ml", "m3", 3e-6),
        ("10 cm", "rad or m", 0.1),
        ("90 deg", "rad or m", math.pi / 2),
    ],
)
def test_a_number_with_a_unit(text: str, unit: str, number: float) -> None:
    assert units.spelled_out(text, unit) == pytest.approx(number, rel=1e-14)


def test_lists_know_the_unit_of_each_place() -> None:
    twist = units.spelled_out(["10 cm/s", 0.2, 0, "90 deg/s", 0, 0], "m/s, rad/s")
    assert twist == pytest.approx([0.1, 0.2, 0, math.pi / 2, 0, 0])
    assert units.spelled_out(["90 deg/s", 0, 0, 0, 0, 0], "m/s, rad/s")[0] == "90 deg/s"  # no linear velocity
    assert units.spelled_out([["20 ms", "30 cm"]], "s; m") == [pytest.approx([0.02, 0.3])]
    assert units.spelled_out(("1 cm", "2 cm", 3.0), "m") == pytest.approx((0.01, 0.02, 3.0))


def test_every_unit_of_the_library_is_one() -> None:
    """A field whose unit cannot be read would refuse what its own description shows."""
    classes = {Scenario, Initial}
    for family in ("robot", "preset", "gait", "environment", "actuation", "model"):
        for kind in registry.kinds(family).values():
            classes |= {kind, *nested(kind)}
    for cls in classes:
        for unit in filter(None, map(unit_of, cls.model_fields.values())):
            for choice in units._choices(unit):
                for one in choice:
                    assert units.measure(one).size == pytest.approx(1.0), f"{cls.__name__}: {unit} is not in SI units"


@pytest.mark.parametrize(
    ("text", "unit", "told"),
    [
        ("1 Hz", "s", "'1 Hz' is a frequency (Hz), and a time (s) is wanted; its inverse is '1 s'"),
        ("20 kHz", "s", "its inverse is '5e-05 s'"),
        ("5 kg", "m", "'5 kg' is a mass (kg), and a length (m) is wanted; write for example '5 cm'"),
        ("30 deg", "rad/s", "is an angle (deg), and an angular rate (rad/s) is wanted; write for example '30 deg/s'"),
        ("2 N m", "N m/rad", "and a torque per angle (N m/rad) is wanted"),
        ("5 CM", "m", "'CM' is not a unit; did you mean 'cm'?"),
        ("5 meters", "m", "did you mean 'm'?"),
        ("1 hz", "rad/s", "did you mean 'Hz'?"),
        ("3 kpa", "N/m2", "did you mean 'kPa'?"),
    ],
)
def test_a_wrong_unit_is_told(text: str, unit: str, told: str) -> None:
    assert units.spelled_out(text, unit) == text
    assert told in units.refusal(text, unit)


@pytest.mark.parametrize("text", ["surface", "3", "", "cm", "5 6", "1e5", "nan m"])
def test_what_is_no_number_with_a_unit_is_left_alone(text: str) -> None:
    assert units.spelled_out(text, "m") == text


@pytest.mark.parametrize("text", ["0.001", "1.1", "21", "-0.31", "1e-31", "1"])
def test_a_last_digit_of_one_is_no_unit(text: str) -> None:
    """`1` is the unit of ratios: 0.001 was read as 0.00 of them, and 21 as 2."""
    assert units.spelled_out(text, "1") == text


def test_units_in_python_in_files_and_on_the_command_line(tmp_path: Path) -> None:
    robot = ll.UniformChain(links=3, length="5 cm", stiffness="0.2 N m/rad", torque_limit="10 kgf cm")  # type: ignore
    assert robot.length == 0.05 and robot.stiffness == pytest.approx(0.2)
    assert robot.torque_limit == pytest.approx(0.980665)
    scenario = ll.Scenario.load(
        "eel-planar",
        {
            "gait.period": "800 ms",
            "environment.water.current": ["5 cm/s", 0, 0],
            "initial.twist": [0, 0, 0, "30 deg/s", 0, 0],
            "duration": "0.5 min",
        },
    )
    assert scenario.gait.period == pytest.approx(0.8) and scenario.duration == 30.0  # type: ignore
    assert scenario.environment[0].current == pytest.approx((0.05, 0.0, 0.0))  # type: ignore
    assert scenario.initial.twist[3] == pytest.approx(math.pi / 6)
    (tmp_path / "mine.yaml").write_text(
        "robot: {preset: uniform, links: 3, length: 5 cm}\ngait: {kind: body-wave, period: 1 Hz}\nduration: 2 kg\n"
    )
    answer = CliRunner().invoke(main, ["run", str(tmp_path / "mine.yaml"), "--set", "step=5 mm"])
    assert answer.exit_code == 2
    for told in (
        "mine.yaml:2: gait.period: must be a number (s): '1 Hz' is a frequency (Hz)",
        "'2 kg' is a mass (kg)",
        "--set step=5 mm: must be a number (s): '5 mm' is a length (mm)",
    ):
        assert told in answer.output, answer.output
    with pytest.raises(ll.InputError, match=r"length: must be a number .m.: 'cmm' is not a unit; did you mean"):
        ll.UniformChain(length="5 cmm")  # type: ignore
    with pytest.raises(ll.InputError, match=r"stiffness: must be a number .N m/rad.: '2 N m' is a torque"):
        ll.UniformChain(stiffness="2 N m")  # type: ignore
