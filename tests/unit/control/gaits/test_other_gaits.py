"""Recorded and function gaits, and the blend between two gaits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbless as ll
from limbless.control.actuation.gait_to_joints import joint_motion
from limbless.control.actuation.gait_to_strains import rod_strain
from limbless.control.gaits.blend import Blend
from limbless.control.gaits.tendon_paths import TipEight
from limbless.core.errors import InputError
from limbless.robots.joints import Joint
from limbless.robots.links import Link
from limbless.scenarios import loader
from limbless.scenarios.scenario import Scenario

CHAIN = ll.UniformChain(links=4).build()
TIMES = np.linspace(0.0, 2.0, 81)


def angles(t: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Joint angles that start gently: a made-up gait of three joints."""
    return 0.3 * np.sin(2.0 * t[:, None] - s) * (t[:, None] / 2.0) ** 3


def table(times: np.ndarray = TIMES) -> tuple:
    return tuple((t, *row) for t, row in zip(times, angles(times, np.arange(3.0)), strict=True))


# Recorded


def test_recorded_gait_passes_through_its_rows() -> None:
    gait, joints = ll.RecordedGait(table=table()), np.arange(3.0)
    np.testing.assert_allclose(gait.sample(TIMES, joints).value, angles(TIMES, joints), rtol=0, atol=1e-14)


def test_recorded_gait_is_a_smooth_curve_between_rows() -> None:
    """A quintic spline every 25 ms: values to h⁶, rates to h⁵, accelerations to h⁴ (times sixth
    derivatives of about 20).
    """
    between = np.linspace(0.1, 1.9, 333)
    drive = ll.RecordedGait(table=table()).sample(between, np.arange(3.0))
    exact = ll.FunctionGait(function=angles, drives="joint").sample(between, np.arange(3.0))
    np.testing.assert_allclose(drive.value, exact.value, rtol=0, atol=1e-9)
    np.testing.assert_allclose(drive.rate, exact.rate, rtol=0, atol=1e-7)
    np.testing.assert_allclose(drive.acceleration, exact.acceleration, rtol=0, atol=1e-5)


def test_recorded_gait_swims_like_the_function_it_was_made_of() -> None:
    recorded, function = (
        ll.simulate(CHAIN, gait, ll.Water(), duration=2.0, step=0.01, record_every=0.1).dataset
        for gait in (ll.RecordedGait(table=table()), ll.FunctionGait(function=angles, drives="joint"))
    )
    np.testing.assert_allclose(recorded.base_position.values, function.base_position.values, rtol=0, atol=1e-8)
    # Accelerations of the spline: 1e-5 rad/s2 (see above), more at the ends; torques of this swimmer are 0.01 N m
    np.testing.assert_allclose(
        recorded.joint_torque.values[1:-1], function.joint_torque.values[1:-1], rtol=0, atol=1e-6
    )


@pytest.mark.parametrize("separator", [",", " "])
def test_recorded_gait_from_a_file(tmp_path: Path, separator: str) -> None:
    file = tmp_path / "angles.txt"
    rows = [separator.join(repr(float(number)) for number in row) for row in table()]
    file.write_text("# time, three joints\n" + "\n".join(rows) + "\n")
    joints = np.arange(3.0)
    read, typed = (
        gait.sample(TIMES, joints).value for gait in (ll.RecordedGait(file=str(file)), ll.RecordedGait(table=table()))
    )
    np.testing.assert_array_equal(read, typed)


def test_recorded_gait_refuses_what_it_does_not_cover() -> None:
    with pytest.raises(ll.InputError, match=r"covers 0 to 2 s.*shorten `duration`"):
        ll.simulate(CHAIN, ll.RecordedGait(table=table()), ll.Water(), duration=3.0, step=0.01)
    with pytest.raises(ll.InputError, match="3 joint columns, but the robot has 5"):
        ll.simulate(ll.UniformChain(links=6), ll.RecordedGait(table=table()), ll.Water(), duration=1.0)


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (table()[:5], "at least 6 rows"),
        (((0.0,),) * 8, "shape"),
        ((*table()[:8], table()[3]), "must increase; row 8"),
        ((*table()[:8], (9.0, 1.0)), "one length"),
        ((), "either `table` or `file`"),
    ],
)
def test_bad_tables_are_refused(rows: tuple, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ll.RecordedGait(table=rows)


def test_bad_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ll.InputError, match="no file"):
        ll.RecordedGait(file=str(tmp_path / "missing.csv"))
    (tmp_path / "words.csv").write_text("a, b\nc, d\n")
    with pytest.raises(ll.InputError, match="cannot read"):
        ll.RecordedGait(file=str(tmp_path / "words.csv"))


# Function


def with_derivatives(t: np.ndarray, s: np.ndarray) -> tuple:
    phase = 2.0 * t[:, None] - s
    return 0.3 * np.sin(phase), 0.6 * np.cos(phase), -1.2 * np.sin(phase)


def test_derivatives_by_differences() -> None:
    """Without derivatives they are taken numerically: 1e-10 of rates and 1e-7 of accelerations for motions of a few
    radians a second.
    """
    times, joints = np.linspace(0.0, 5.0, 50), np.arange(4.0)
    drive = ll.FunctionGait(function=lambda t, s: with_derivatives(t, s)[0], drives="joint").sample(times, joints)
    value, rate, acceleration = with_derivatives(times, joints)
    np.testing.assert_array_equal(drive.value, value)
    np.testing.assert_allclose(drive.rate, rate, rtol=0, atol=1e-10)
    np.testing.assert_allclose(drive.acceleration, acceleration, rtol=0, atol=1e-7)  # round-off 1e-16 / (1 ms)²


def test_given_derivatives_are_taken() -> None:
    times, joints = np.linspace(0.0, 5.0, 50), np.arange(4.0)
    drive = ll.FunctionGait(function=with_derivatives, drives="joint").sample(times, joints)
    for ours, theirs in zip(drive, with_derivatives(times, joints), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(("wrong", "name"), [(1, "rate"), (2, "acceleration")])
def test_inconsistent_derivatives_are_refused(wrong: int, name: str) -> None:
    """A slip such as a forgotten factor is found before the first step, and named."""

    def slipped(t: np.ndarray, s: np.ndarray) -> tuple:
        parts = list(with_derivatives(t, s))
        parts[wrong] = 0.99 * parts[wrong]
        return tuple(parts)

    gait = ll.FunctionGait(function=slipped, drives="joint")
    with pytest.raises(ll.InputError, match=f"its {name} differs from the differences of its value"):
        ll.simulate(CHAIN, gait, ll.Water(), duration=1.0)


def test_shape_function_is_the_body_wave() -> None:
    """Written by hand as a function, the body wave swims the same."""

    def wave(t: np.ndarray, s: np.ndarray) -> np.ndarray:
        u = np.minimum(t[:, None] / 2.0, 1.0)
        ramp = u**3 * (10 + u * (6 * u - 15))
        return ramp * 0.06 * np.exp(1.2 * s) * np.sin(2 * np.pi * (s / 1.8 - t[:, None] / 2.0))

    own, built_in = (
        ll.simulate(ll.KhalilEel(), gait, ll.Water(), duration=1.0, record_every=0.1).dataset
        for gait in (ll.FunctionGait(function=wave), ll.BodyWave())
    )
    np.testing.assert_allclose(own.base_position.values, built_in.base_position.values, rtol=0, atol=1e-10)


def test_shape_function_with_heading_and_elevation() -> None:
    def both(t: np.ndarray, s: np.ndarray) -> np.ndarray:
        return np.stack([0.1 * np.sin(t[:, None] - s), 0.2 * s * t[:, None]], axis=-1)

    motion = joint_motion(ll.KhalilEel(spherical_joints=3).build(), ll.FunctionGait(function=both), np.array([0.5]))
    np.testing.assert_allclose(motion.position[0, 1::3], 0.2 * 0.14 * 0.5, rtol=1e-12)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda t, s: np.zeros((len(t), 2)), r"must return shape \(.*, 3\)"),
        (lambda t, s: (np.zeros((len(t), 3)), np.zeros((len(t), 3))), "returned 2 things"),
        (lambda t, s: np.full((len(t), 3), np.nan), "not finite"),
        (lambda t, s: "no", "must return numbers"),
        (lambda t, s: None, "not finite|must return"),
    ],
)
def test_bad_answers_are_refused(answer: Any, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ll.simulate(CHAIN, ll.FunctionGait(function=answer, drives="joint"), ll.Water(), duration=0.5)


def test_gait_and_actuation_must_speak_of_the_same() -> None:
    torque = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="torque")
    with pytest.raises(ll.InputError, match="torque"):
        ll.simulate(CHAIN, torque, ll.Water(), duration=0.5)
    with pytest.raises(ll.InputError, match="torque"):
        ll.simulate(CHAIN, ll.BodyWave(), ll.Water(), duration=0.5, actuation="torque")


# Blend


def test_blend_joins_two_gaits_smoothly() -> None:
    """Old before, new after, and value, rate and acceleration continuous at both ends."""
    old, new = ll.BodyWave(), ll.BodyWave(amplitude=0.1, period=1.5, turn=0.02)
    blend, stations = Blend(old, new, 4.0, 5.0), 0.14 * np.arange(5)
    for side, gait, at in ((-1e-9, old, 4.0), (1e-9, new, 5.0)):
        there, theirs = blend.sample(np.array([at + side]), stations), gait.sample(np.array([at + side]), stations)
        inside = blend.sample(np.array([at - side]), stations)
        for name in ("value", "rate", "acceleration"):
            np.testing.assert_allclose(getattr(there, name), getattr(theirs, name), rtol=0, atol=1e-14)
            np.testing.assert_allclose(getattr(inside, name), getattr(there, name), rtol=0, atol=1e-6)


def test_blend_has_the_derivatives_of_its_value() -> None:
    blend = Blend(ll.BodyWave(), ll.BodyWave(amplitude=0.1, turn=0.02), 4.0, 5.0)
    stations, times, h = 0.14 * np.arange(5), np.array([4.2, 4.7]), 1e-2
    samples = [blend.sample(times + k * h, stations) for k in range(-3, 4)]
    first, second = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60, np.array([2, -27, 270, -490, 270, -27, 2]) / 180
    here = blend.sample(times, stations)
    for row, power, name in ((first, 1, "rate"), (second, 2, "acceleration")):
        differences = sum(c * sample.value for c, sample in zip(row, samples, strict=True)) / h**power
        np.testing.assert_allclose(getattr(here, name), differences, rtol=0, atol=1e-6)


# Joint waves


def test_a_joint_wave_drives_every_joint_that_can_follow() -> None:
    """Of a chain that only yaws, every joint; of one whose joints yaw and pitch in turn, each its own wave."""
    wave = ll.JointWave(yaw_amplitude=0.4, yaw_rate=2.0, yaw_phase=-0.7, pitch_amplitude=0.0)
    yaw = joint_motion(CHAIN, wave, TIMES).position
    np.testing.assert_allclose(yaw, 0.4 * np.sin(2.0 * TIMES[:, None] - 0.7 * np.arange(3)), rtol=0, atol=1e-14)
    axes = ((0, 0, 1), (0, -1, 0), (0, 0, 1), (1, 0, 0))
    link = {"position": (0.1, 0, 0), "mass": 1.0, "inertia": np.eye(3)}
    chain = ll.Chain(links=(Link(mass=1.0), *(Link(joint=Joint(axis=axis), **link) for axis in axes)))
    mixed = joint_motion(chain, wave.changed(pitch_amplitude=0.2, pitch_rate=3.0, pitch_phase=0.0), TIMES).position
    wanted = np.stack(
        [0.4 * np.sin(2.0 * TIMES), -0.2 * np.sin(3.0 * TIMES), 0.4 * np.sin(2.0 * TIMES - 0.7), 0.0 * TIMES], axis=1
    )
    np.testing.assert_allclose(mixed, wanted, rtol=0, atol=1e-14)
    with pytest.raises(InputError, match="no joint that can pitch"):
        joint_motion(CHAIN, wave.changed(pitch_amplitude=0.2), TIMES)
    blend = Blend(wave, wave.changed(yaw_offset=0.1), 0.5, 1.0)
    np.testing.assert_allclose(joint_motion(CHAIN, blend, TIMES[-1:]).position, yaw[-1:] + 0.1, rtol=0, atol=1e-14)


# Axes that are nearly along the body's own


def leaning(angle: float) -> ll.Chain:
    """Four links whose joints turn about an axis that leans from z towards y."""
    axis = (0.0, np.sin(angle), np.cos(angle))
    link = {"position": (0.1, 0, 0), "mass": 1.0, "inertia": np.eye(3)}
    return ll.Chain(links=(Link(mass=1.0), *(Link(joint=Joint(axis=axis), **link) for _ in range(3))))


def test_a_shape_moves_joints_that_lean_a_little() -> None:
    gait = ll.BodyWave(amplitude=0.3, wavelength=0.4, ramp=0.0)
    upright, lean = leaning(0.0), leaning(1e-3)
    np.testing.assert_array_equal(joint_motion(lean, gait, TIMES).position, joint_motion(upright, gait, TIMES).position)
    assert np.abs(joint_motion(lean, gait, TIMES).position).max() > 0.05
    assert upright.notes() == () and len(lean.notes()) == 3 and "0.057 deg off z" in lean.notes()[0]
    assert lean.joint_labels == ["yaw"] * 3
    # farther off, they take what the bend has along their axis; all about one axis, that is all that the body can do
    far, level = joint_motion(leaning(0.5), gait, TIMES).position, joint_motion(upright, gait, TIMES).position
    np.testing.assert_allclose(far, np.cos(0.5) * level, rtol=0, atol=1e-14)
    with pytest.raises(InputError, match="stands at the place of another"):
        crossed = [Link(joint=Joint(axis=(0.0, 1.0, side)), mass=1.0, inertia=np.eye(3)) for side in (1.0, -1.0)]
        joint_motion(ll.Chain(links=(Link(mass=1.0), *crossed)), gait, TIMES)


# Tips of spines


def test_a_figure_of_eight_is_turned_about_x_by_its_tilt() -> None:
    """From y towards z, by a rotation of another library; untilted it is y = w sin s, z = h sin 2s."""
    times, tilt = np.linspace(0.0, 2.0, 9), 0.4
    flat, tilted = (TipEight(tilt=angle).sample(times, np.zeros(0)).value for angle in (0.0, tilt))
    s = np.pi * times
    assert flat == pytest.approx(np.stack([0.0 * s, 0.030 * np.sin(s), 0.012 * np.sin(2.0 * s)], axis=1), abs=1e-15)
    assert tilted == pytest.approx(Rotation.from_rotvec([tilt, 0.0, 0.0]).apply(flat), abs=1e-15)


def test_the_envelope_of_muscles_is_a_clamped_cubic_spline() -> None:
    """One everywhere where all coefficients are one; its ends are the first and the last; of four coefficients it is
    Bernstein's polynomial. A wavelength below 0 turns the way of the wave round.
    """
    times, stations = np.array([0.3]), np.array([0.1, 0.2, 0.4, 0.5])
    plain = ll.MuscleWave(couple=2.0, start=0.1, end=0.5, ramp=0.0)
    moment = plain.sample(times, stations).value[0, :, 5]
    even = plain.changed(envelope=(1.0,) * 6).sample(times, stations).value[0, :, 5]
    np.testing.assert_allclose(even, moment, rtol=1e-14)
    shaped = plain.changed(envelope=(3.0, 1.0, 2.0, 5.0)).sample(times, stations).value[0, :, 5]
    s = (stations - 0.1) / 0.4
    wanted = 3.0 * (1 - s) ** 3 + 3.0 * s * (1 - s) ** 2 + 6.0 * s**2 * (1 - s) + 5.0 * s**3
    np.testing.assert_allclose(shaped, wanted * moment, rtol=1e-12)
    back = plain.changed(wavelength=-0.3).sample(times, stations).value[0, :, 5]
    np.testing.assert_allclose(back, 2.0 * np.sin(2.0 * np.pi * (0.3 + stations / 0.3)), rtol=1e-12)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"envelope": (1.0, 2.0)}, "4 coefficients"),
        ({"envelope": (1.0,) * 5}, "`end`"),
        ({"wavelength": 0.0}, "`wavelength` is 0"),
    ],
)
def test_muscles_without_an_end_or_a_length_are_refused(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        ll.MuscleWave(**wrong)


def test_sines_are_blended_at_once_as_one_after_the_other() -> None:
    """Two waves of joints in one kernel, and by the rule of all other gaits: bit for bit."""
    old = ll.JointWave(yaw_amplitude=0.3, pitch_amplitude=0.1, pitch_lead=0.4, ramp=1.0)
    passing, _ = old.passage({"yaw_amplitude": 0.5, "yaw_rate": 2.0, "pitch_offset": 0.2}, 0.7, 1.2)
    turns, times = [("yaw", 1.0), ("pitch", -1.0), ("roll", 1.0), ("yaw", -1.0)], np.linspace(0.0, 2.0, 41)
    parts = [gait.sample_joints(times, turns) for gait in (passing.old, passing.new)]
    for found, apart in zip(passing.sample_joints(times, turns), passing._blended(times, *parts), strict=True):
        np.testing.assert_array_equal(found, apart)
    assert passing.new == type(old)(**dict(passing.new)) and "_known" not in passing.new.model_dump()


def test_tensions_are_a_wave_of_which_each_side_pulls_with_one_half() -> None:
    """max(0, w) and max(0, -w), w = f T sin 2π (t/period - X/λ), with its rate by differences where it is smooth."""
    gait, places = ll.TensionWave(largest=0.5, period=1.2, wavelength=0.6, ramp=2.0), [(0.1, 1.0), (0.35, -1.0)]
    times = np.linspace(0.05, 4.0, 300)
    f = np.minimum(times / 2.0, 1.0)
    start = f**3 * (10.0 - 15.0 * f + 6.0 * f**2)
    value, rate, _ = gait.sample_tendons(times, places)
    for column, (x, side) in enumerate(places):
        wave = side * 0.5 * start * np.sin(2.0 * np.pi * (times / 1.2 - x / 0.6))
        np.testing.assert_allclose(value[:, column], np.maximum(wave, 0.0), rtol=0.0, atol=1e-14)
    ends = [gait.sample_tendons(times + sign * 1e-6, places).value for sign in (1.0, -1.0)]
    pulls = (ends[0] > 1e-5) & (ends[1] > 1e-5)
    np.testing.assert_allclose(rate[pulls], ((ends[0] - ends[1]) / 2e-6)[pulls], rtol=0.0, atol=1e-8)
    assert pulls.any(axis=0).all() and not rate[value == 0.0].any()
    crossings = sorted([*(0.2 + 0.6 * np.arange(7)), *(0.1 + 0.6 * np.arange(7))])
    np.testing.assert_allclose(gait.tendon_kinks(0.0, 4.0, [*places, (0.2, 0.0)]), crossings, atol=1e-14)


def test_tensions_to_the_side_of_tendons_above_and_below_are_refused() -> None:
    """Once nothing pulled, without a word; 6e-17 is the cosine of a right angle, and no side."""
    for gait in (ll.TensionWave(), ll.TensionWave().passage({"largest": 0.2}, 0.0, 1.0)[0]):
        with pytest.raises(InputError, match="pulls tendons that run left or right of the axis, and of these 2"):
            gait.sample_tendons(np.zeros(1), [(0.1, 0.0), (0.1, 6e-17)])


def _followed_by_rods() -> list[str]:
    loaded = {name: Scenario.load(name) for name in loader.names()}
    return [name for name, one in loaded.items() if one.robot.kind == "rod" and one.gait.drives in ("strain", "shape")]


@pytest.mark.parametrize("name", _followed_by_rods())
def test_an_instant_has_the_same_bits_however_many_are_asked_for(name: str) -> None:
    """Else a run that is cut and continued differs from the whole one: a product of matrices rounds by its size."""
    scenario = Scenario.load(name)
    rod, times = scenario.robot.build(), 0.5 * scenario.step * np.arange(13.0)
    X = np.linspace(0.0, rod.length, 9)
    whole = rod_strain(rod, scenario.gait, times, X)
    for count in (1, 2, 5, 8, 11):
        for part, all_of_it in zip(rod_strain(rod, scenario.gait, times[:count], X), whole, strict=True):
            np.testing.assert_array_equal(np.asarray(part), np.asarray(all_of_it)[:count])
