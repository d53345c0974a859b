"""The time loop: where steps end, what is recorded, continuing bit for bit, the same bytes twice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import ProportionalDerivative
from limbless.simulation.simulate import knots_between, on_grid, recorded, stage_times

SWIMMER = ll.UniformChain(links=5, half_height=0.03)


def swim(duration: float = 1.0, **options: Any) -> ll.Result:
    parts = {
        "robot": SWIMMER,
        "gait": ll.BodyWave(ramp=0.5, period=1.0),
        "environment": ll.Water(),
        "step": 0.01,
        **options,
    }
    return ll.simulate(parts.pop("robot"), parts.pop("gait"), parts.pop("environment"), duration=duration, **parts)


# Knots


def test_knots_are_multiples_of_the_step_breakpoints_and_the_end() -> None:
    np.testing.assert_allclose(knots_between(0.0, 1.0, 0.3, []), [0.0, 0.3, 0.6, 0.9, 1.0])
    np.testing.assert_allclose(knots_between(0.0, 1.0, 0.3, [0.45, 0.9, 2.0]), [0.0, 0.3, 0.45, 0.6, 0.9, 1.0])
    np.testing.assert_allclose(knots_between(0.25, 0.95, 0.1, []), [0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95])


def test_knots_of_a_continued_run_are_those_of_the_whole_one() -> None:
    """To the last bit: multiples are counted from time 0, never by adding up."""
    whole = knots_between(0.0, 7.0, 0.01, [2.0])
    parts = np.concatenate([knots_between(0.0, 3.21, 0.01, [2.0])[:-1], knots_between(whole[321], 7.0, 0.01, [2.0])])
    np.testing.assert_array_equal(parts, whole)


def test_knots_almost_equal_are_one() -> None:
    """0.1 + 0.2 is not 0.3; a breakpoint that is a multiple up to rounding makes no tiny step."""
    knots = knots_between(0.0, 0.1 + 0.2, 0.1, [0.1 + 1e-17, 0.2 + 3e-16])
    assert len(knots) == 4
    assert np.diff(knots).min() > 0.09


@pytest.mark.parametrize("step", [0.1, 0.01, 0.07, 1 / 3])
def test_knots_end_exactly_and_increase(step: float) -> None:
    knots = knots_between(0.0, 7.3, step, [2.0, 5.5])
    assert knots[0] == 0.0 and knots[-1] == 7.3
    assert (np.diff(knots) > 0).all() and np.diff(knots).max() < step * (1 + 1e-9)


def test_stage_times_are_knots_and_middles() -> None:
    np.testing.assert_allclose(stage_times(np.array([0.0, 0.2, 0.3])), [0.0, 0.1, 0.2, 0.25, 0.3])


def test_recorded_knots() -> None:
    knots = np.array([0.0, 0.1, 0.2, 0.25, 0.3, 0.37])
    np.testing.assert_array_equal(recorded(knots, 0.1, 0.37), [True, True, True, False, True, True])


def test_breakpoints_keep_the_order_of_the_integration() -> None:
    """Steps of 30 ms do not divide the ramp of 0.5 s, where the third derivative of the gait jumps; the error still
    falls by 16.

    The same gait written as a function has no breakpoint: there the step over the jump is of lower order, and it shows.
    """
    wave = ll.BodyWave(amplitude=0.2, ramp=0.5)
    plain = ll.FunctionGait(function=lambda t, s: tuple(wave.sample(t, s)))

    def end(gait: Any, step: float) -> np.ndarray:
        return ll.simulate(SWIMMER, gait, ll.Water(), duration=0.9, step=step).dataset.base_position.values[-1]

    exact = end(wave, 0.0005)
    coarse, fine = (np.linalg.norm(end(wave, step) - exact) for step in (0.03, 0.015))
    assert coarse / fine == pytest.approx(16.0, rel=0.25)
    assert np.linalg.norm(end(plain, 0.015) - exact) > 4.0 * fine


# Records


def test_records_are_at_multiples_and_at_the_end() -> None:
    data = swim(0.25, record_every=0.1).dataset
    np.testing.assert_allclose(data.time.values, [0.0, 0.1, 0.2, 0.25], rtol=0, atol=1e-15)
    # every step if not said otherwise
    assert swim(0.3).dataset.sizes["time"] == 31


def test_records_do_not_change_the_motion() -> None:
    often, seldom = (swim(1.0, record_every=every).dataset for every in (0.01, 0.25))
    chosen = often.sel(time=seldom.time.values, method="nearest")
    for name in seldom.data_vars:
        if name != "power_residual" and "time" in seldom[name].dims:  # a rate since the record before
            np.testing.assert_array_equal(chosen[name].values, seldom[name].values)


def test_long_runs_go_through_many_blocks() -> None:
    """Blocks are an arrangement of the loop: record times and motion pass over their borders without a seam."""
    data = swim(8.0, record_every=0.05).dataset
    np.testing.assert_allclose(data.time.values, 0.05 * np.arange(161), rtol=0, atol=1e-12)
    jumps = np.abs(np.diff(data.base_position.values, axis=0)).max(axis=1)
    assert jumps.max() < 0.1


def test_orientations_of_sections_do_not_jump() -> None:
    """Of the two quaternions of an orientation the one that follows the motion, over most of a loop; a
    continued run has the same.
    """
    whole, first = (ll.run("eel-loop", {"duration": duration, "record_every": 0.1}) for duration in (45.5, 45.0))
    data, scenario = whole.dataset, whole.scenario
    assert np.abs(np.diff(data.orientation.values, axis=0)).max() < 0.1
    assert data.base_orientation.values[:, 0].min() < -0.5  # it has turned over
    rest = ll.simulate(
        scenario.robot, scenario.gait, scenario.environment, duration=0.5, record_every=0.1, initial=first
    )
    np.testing.assert_array_equal(rest.dataset.orientation.values, data.orientation.values[-6:])


def test_a_joint_may_turn_round_and_round() -> None:
    """Three turns of a joint: its section's quaternion turns one and a half times, to the
    other sign, without a jump.
    """
    gait = ll.FunctionGait(function=lambda t, s: 6.0 * np.pi * t[:, None] + 0.0 * s, drives="joint")
    data = ll.simulate(ll.UniformChain(links=2, base="fixed"), gait, [], duration=1.0, step=0.01).dataset
    half = 3.0 * np.pi * data.time.values
    expected = np.column_stack([np.cos(half), 0 * half, 0 * half, np.sin(half)])
    np.testing.assert_allclose(data.orientation.values[:, 1], expected, rtol=0, atol=1e-13)


def test_progress_is_told() -> None:
    told: list[tuple[float, float, float]] = []
    swim(6.0, progress=lambda *numbers: told.append(numbers))
    fractions = [fraction for fraction, _, _ in told]
    assert len(told) > 1 and fractions == sorted(fractions) and fractions[-1] == 1.0
    assert told[0] == (0.0, 0.0, 0.0) and told[-1][1] == 6.0 and all(factor > 0 for _, _, factor in told[1:])


# Continuing


CASES: dict[str, dict[str, Any]] = {
    "imposed": {},
    "spherical joints": {"robot": ll.UniformChain(links=4, joint="spherical"), "gait": ll.BodyWave(ramp=0.5, dive=0.1)},
    "feedback": {
        "actuation": ProportionalDerivative(stiffness=2.0, damping=0.05, motion_joints=(1,)),
        "robot": SWIMMER.changed(rotor_inertia=1e-3),
        "step": 0.005,
        "record_every": 0.05,
    },
    "planar": {"robot": SWIMMER.changed(base="planar"), "environment": [ll.Drag(active=((0.3, 1.7),))]},
}


@pytest.mark.parametrize("case", CASES)
def test_continuing_is_bit_for_bit(case: str, tmp_path: Path) -> None:
    """2 s at once, and 1 s + 1 s with the first second saved and loaded in between."""
    whole = swim(2.0, **CASES[case])
    swim(1.0, **CASES[case]).save(tmp_path / "first.nc")
    rest = swim(1.0, **CASES[case], initial=ll.Result.load(tmp_path / "first.nc"))
    np.testing.assert_array_equal(rest.state.x, whole.state.x)
    assert rest.state.time == whole.state.time == 2.0
    second = whole.dataset.sel(time=slice(1.0 - 1e-9, None))
    for name in whole.dataset.data_vars:
        # a rate since the record before, 0 at the first
        if name != "power_residual" and "look" not in whole.dataset[name].dims:
            np.testing.assert_array_equal(rest.dataset[name].values, second[name].values, err_msg=name)
    # each run is looked at at its own instants
    shared = np.intersect1d(rest.dataset["look"].values, whole.dataset["look"].values)
    assert len(shared) > 20
    for name in (name for name in whole.dataset.data_vars if "look" in whole.dataset[name].dims):
        again, once = (made.dataset[name].sel(look=shared).values for made in (rest, whole))
        np.testing.assert_array_equal(again, once, err_msg=name)


def test_continuing_counts_time_on() -> None:
    first = swim(0.5)
    rest = swim(0.5, initial=first)
    assert rest.dataset.time.values[0] == 0.5 and rest.dataset.time.values[-1] == 1.0
    assert rest.summary()["duration"] == pytest.approx(0.5)


def test_continuing_with_another_gait_or_environment() -> None:
    """The same robot goes on from where it was; its joints take the new gait at once."""
    first = swim(1.0)
    rest = swim(1.0, gait=ll.BodyWave(ramp=0.5, period=1.0, amplitude=0.0), environment=ll.Drag(), initial=first)
    np.testing.assert_array_equal(rest.dataset.base_position.values[0], first.dataset.base_position.values[-1])
    assert np.abs(rest.dataset.joint_position.values).max() == 0.0


def test_continuing_another_robot_is_refused() -> None:
    first = swim(0.1)
    with pytest.raises(ll.InputError, match="another robot or model"):
        swim(0.1, robot=ll.UniformChain(links=7), initial=first)
    with pytest.raises(ll.InputError, match="does not hold its final state"):
        swim(0.1, initial=ll.Result(first.dataset))


def test_a_scenario_can_continue_a_saved_result(tmp_path: Path) -> None:
    """`initial: {result: ...}` in a scenario is the same door."""
    whole, first = (ll.run("eel-planar", {"duration": duration, "record_every": 0.1}) for duration in (0.4, 0.2))
    first.save(tmp_path / "result.nc")
    rest = ll.run("eel-planar", {"duration": 0.2, "record_every": 0.1, "initial.result": str(tmp_path / "result.nc")})
    np.testing.assert_array_equal(rest.state.x, whole.state.x)


# The same bytes


def test_same_scenario_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        ll.run("eel-loop", {"duration": 0.5}).save(tmp_path / f"{name}.nc")
    assert (tmp_path / "one.nc").read_bytes() == (tmp_path / "two.nc").read_bytes()


def test_same_bytes_in_another_process(tmp_path: Path) -> None:
    """Hash seeds, caches, the clock and what the process ran before do not reach the data."""
    import os
    import subprocess
    import sys

    before = "ll.run('snake-undulate-isotropic', {'duration': 0.02}); ll.run('eel-planar', {'duration': 0.02}); "
    run = "ll.run('eel-loop', {'duration': 0.5}).save(sys.argv[1])"
    for seed, code in (("7", run), ("8", before + run)):
        subprocess.run(
            [sys.executable, "-c", f"import sys, limbless as ll; {code}", str(tmp_path / seed)],
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
    assert (tmp_path / "7").read_bytes() == (tmp_path / "8").read_bytes()


def test_models_do_not_share_memory() -> None:
    """Two runs of one robot, one between the calls of the other, do not disturb each other."""
    model = ll.NewtonEuler(SWIMMER, ll.Water())
    before = model.inverse(np.zeros(4), np.full(4, 0.3), np.ones(4))
    swim(0.1)
    other = ll.NewtonEuler(SWIMMER, ll.Water()).forward(np.ones(4), np.ones(4), np.ones(4))
    after = model.inverse(np.zeros(4), np.full(4, 0.3), np.ones(4))
    np.testing.assert_array_equal(before.joint_torque, after.joint_torque)
    assert not np.shares_memory(before.joint_torque, after.joint_torque)
    assert np.isfinite(other.joint_acceleration).all()


# Refusals at the public door


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"duration": 0.0}, "duration"),
        ({"duration": -1.0}, "duration"),
        ({"duration": np.nan}, "duration"),
        ({"step": 0.0}, "step"),
        ({"record_every": 0.015}, "record_every"),
        ({"record_every": 0.005}, "record_every"),
        ({"control_period": -0.1}, "control_period"),
        ({"model": "newton-oiler"}, "newton-euler"),
        ({"actuation": "motoin"}, "motion"),
        ({"actuation": ProportionalDerivative(stiffness=(1.0, 2.0, 3.0))}, "stiffness"),
        ({"actuation": ProportionalDerivative(damping=-1.0)}, "negative"),
        ({"actuation": ProportionalDerivative(motion_joints=(7,))}, "no joint 7"),
        ({"initial": {"position": (0.0, 0.0)}}, "position"),
        ({"initial": {"orientation": (2.0, 0.0, 0.0, 0.0)}}, "quaternion"),
        ({"initial": {"twist": (0.0, 0.0, np.inf, 0.0, 0.0, 0.0)}}, "twist"),
        ({"initial": {"joint_position": (0.0, 0.0)}}, "joint_position"),
        ({"initial": {"speed": 1.0}}, "speed"),
        ({"robot": SWIMMER.changed(base="planar"), "initial": {"twist": (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)}}, "planar"),
        ({"robot": SWIMMER.changed(base="fixed"), "initial": {"twist": (1.0, 0.0, 0.0, 0.0, 0.0, 0.0)}}, "fixed"),
        ({"robot": "eel"}, "robot"),
        ({"gait": "wave"}, "gait"),
        ({"environment": ["watr"]}, "water"),
        ({"environment": [3]}, "environment"),
        ({"gait": ll.BodyWave(dive=0.1)}, "elevation"),
        ({"name": "two words"}, "name"),
    ],
)
def test_simulate_refuses_in_one_sentence(change: dict, words: str) -> None:
    options = {"duration": 0.2, **change}
    with pytest.raises(ll.InputError, match=words):
        swim(**options)


def test_unknown_scenario() -> None:
    with pytest.raises(ll.InputError, match="eel-planar"):
        ll.run("eel-plannar")
    with pytest.raises(ll.InputError, match="amplitude"):
        ll.run("eel-planar", {"gait.amplitud": 0.1})


ZEROS, ONES = np.zeros(4), np.ones(4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda m: m.inverse(np.zeros(3), ZEROS, ZEROS), "joint_position must have 4 numbers"),
        (lambda m: m.inverse(ZEROS, np.zeros((4, 1)), ZEROS), "joint_velocity must have 4 numbers"),
        (
            lambda m: m.inverse(ZEROS, ZEROS, np.array([0.0, np.nan, 0.0, 0.0])),
            "joint_acceleration must be finite; got nan at entry 1",
        ),
        (lambda m: m.forward(ZEROS, ZEROS, 1.0), "joint_torque must have 4 numbers"),
        (lambda m: m.forward(ZEROS, ZEROS, ZEROS, np.zeros(3)), "base_twist must have 6 numbers"),
        (lambda m: m.forward(ZEROS, ZEROS, ZEROS, base_orientation=(1.0, 1.0, 0.0, 0.0)), "unit quaternion"),
        (lambda m: m.forward(ZEROS, ZEROS, ZEROS, base_position=(np.inf, 0.0, 0.0)), "base_position must be finite"),
        (lambda m: m.hybrid([True], ZEROS, ZEROS, ZEROS, ZEROS), "motion_given must have 4 entries"),
        (lambda m: m.inverse(["a", "b", "c", "d"], ZEROS, ZEROS), "joint_position must have 4 numbers; got"),
        (lambda m: m.inverse(None, ZEROS, ZEROS), "joint_position must"),
    ],
)
def test_one_state_refuses_in_one_sentence(call: Any, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        call(ll.NewtonEuler(SWIMMER, ll.Water()))


def test_spherical_joints_are_given_whole() -> None:
    model = ll.NewtonEuler(ll.UniformChain(links=2, joint="spherical"))
    with pytest.raises(ll.InputError, match="together or not at all"):
        model.hybrid([True, False, True], np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3))


def test_the_model_moves_chains_only() -> None:
    with pytest.raises(ll.InputError, match="moves a chain; got BodyWave"):
        ll.NewtonEuler(ll.BodyWave())
    with pytest.raises(ll.InputError, match="such as Water"):
        ll.NewtonEuler(SWIMMER, [3])


def test_a_run_ends_on_the_grid_of_its_steps() -> None:
    """0.7 s and 0.1 s more are 0.7999999999999999 s in floating point; a continued run ends at the
    eighth step all the same.
    """
    assert 0.7 + 0.1 != 8 * 0.1 and on_grid(0.7 + 0.1, 0.1) == 8 * 0.1
    # the end of a run that is no whole number of steps
    assert on_grid(0.75, 0.1) == 0.75
    still = {"gait": ll.BodyWave(amplitude=0.0), "environment": (), "step": 0.1}
    first = swim(0.7, **still)
    rest = swim(0.1, initial=first, **still)
    assert rest.dataset.time.values[-1] == swim(0.8, **still).dataset.time.values[-1] == 8 * 0.1
