"""Motors by their data sheets, against the closed forms of one joint on a bench."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.robots.joints import Joint
from limbless.robots.links import Link
from limbless.search.measures.run_measures import electrical_cost_of_transport, electrical_energy

STALL, AMPERES, FASTEST, INERTIA = 3.0, 2.3, 8.0, 0.02
SHEET = {"kind": "motor", "stall_torque": STALL, "stall_current": AMPERES, "no_load_speed": FASTEST}
SMOOTH = {"kind": "newton-euler"}
IMPLICIT = {"kind": "newton-euler", "integrator": "sdirk4"}
HARD = {"kind": "non-smooth"}
MODELS = pytest.mark.parametrize(
    ("model", "accuracy"), [(SMOOTH, 1e-7), (IMPLICIT, 1e-5), (HARD, 2e-3)], ids=["rk4", "sdirk4", "moreau"]
)


def bench(inertia: float = INERTIA, rotor: float = 0.0) -> ll.Chain:
    """One joint about z, through the centre of what it turns."""
    turned = Link(
        joint=Joint(axis=(0, 0, 1), rotor_inertia=rotor), mass=0.5, inertia=(inertia, 0, 0, inertia, 0, inertia)
    )
    return ll.Chain(base="fixed", links=(Link(mass=1.0, inertia=(1, 0, 0, 1, 0, 1)), turned))


def gait(of: Any) -> ll.FunctionGait:
    return ll.FunctionGait(function=lambda t, s: np.stack([of(t)], axis=1), drives="joint")


def run(model: dict[str, Any], robot: ll.Chain, of: Any, duration: float, step: float = 5e-4, **motor: Any) -> Any:
    return ll.simulate(
        robot,
        gait(of),
        (),
        model=model,
        duration=duration,
        step=step,
        actuation={**SHEET, **motor},
        initial={"joint_position": [0.0]},
    ).dataset


def far(t: np.ndarray) -> np.ndarray:
    return 100.0 + 0.0 * t


@MODELS
def test_a_free_motor_runs_up_to_its_no_load_speed(model: dict[str, Any], accuracy: float) -> None:
    """ω = ω0 (1 - exp(-t/τ)), τ = J ω0/M0; the current falls from that at stall, the voltage is full."""
    data = run(model, bench(), far, 0.3)
    time, tau = data["time"].values, INERTIA * FASTEST / STALL
    np.testing.assert_allclose(
        data["joint_velocity"].values[:, 0], FASTEST * (1 - np.exp(-time / tau)), atol=accuracy * FASTEST
    )
    later = slice(1, None)
    np.testing.assert_allclose(data["joint_voltage"].values[later], 12.0, rtol=1e-9)
    falls = AMPERES * np.exp(-time[later] / tau)
    np.testing.assert_allclose(data["joint_current"].values[later, 0], falls, atol=5 * accuracy * AMPERES)
    np.testing.assert_allclose(
        data["joint_torque"].values, STALL / AMPERES * data["joint_current"].values, rtol=1e-9, atol=1e-9
    )


@MODELS
def test_a_current_follows_its_voltage_with_the_electrical_time(model: dict[str, Any], accuracy: float) -> None:
    """What hardly turns: i = i0 (1 - exp(-t R/L)); the voltage is full, or that of the largest current."""
    data = run(model, bench(1e4), far, 0.03, electrical_time=5e-3, step=1e-4)
    time = data["time"].values
    wanted = AMPERES * (1 - np.exp(-time / 5e-3))
    np.testing.assert_allclose(data["joint_current"].values[:, 0], wanted, atol=max(accuracy, 2e-6) * AMPERES)
    np.testing.assert_allclose(data["joint_voltage"].values[1:], 12.0, rtol=1e-6)
    data = run(model, bench(1e4), far, 0.03, electrical_time=5e-3, largest_current=1.0, step=1e-4)
    np.testing.assert_allclose(data["joint_current"].values[:, 0], 1 - np.exp(-time / 5e-3), atol=max(accuracy, 2e-6))
    np.testing.assert_allclose(data["joint_voltage"].values[1:], 12.0 / AMPERES, rtol=1e-6)


@MODELS
def test_a_driver_limits_the_current(model: dict[str, Any], accuracy: float) -> None:
    """Until the counter-voltage does: a constant torque of 1 A."""
    data = run(model, bench(), far, 0.02, largest_current=1.0)
    np.testing.assert_allclose(data["joint_current"].values[1:], 1.0, rtol=1e-9)
    speed = STALL / AMPERES / INERTIA * data["time"].values
    np.testing.assert_allclose(data["joint_velocity"].values[:, 0], speed, atol=1e-9)


@MODELS
@pytest.mark.parametrize(
    "reading", [{}, {"refresh": 20.0}, {"delay": 0.03}, {"refresh": 20.0, "delay": 0.013}], ids=str
)
def test_a_free_joint_lags_as_its_numbers_say(
    model: dict[str, Any], accuracy: float, reading: dict[str, float]
) -> None:
    """Behind a slow ramp by 1/(2 refresh) + delay + 1/(gain ω0), in the mean over a reading."""
    slope, gain = 0.2, 15.0
    data = run(model, bench(2e-3), lambda t: slope * t, 1.2, gain=gain, **reading)
    held = 0.5 / reading["refresh"] if "refresh" in reading else 0.0
    lag = held + reading.get("delay", 0.0) + 1.0 / (gain * FASTEST)
    last = data.isel(time=slice(-400, None))  # four readings
    behind = last["time"].values - last["joint_position"].values[:, 0] / slope
    assert behind.mean() == pytest.approx(lag, abs=1e-4)


def test_a_gear_with_play_stops_half_of_it_short() -> None:
    """Slow feedback (no overshoot) of a reference of 0.2 rad, with a play of 0.1 rad."""
    data = run(HARD, bench(), lambda t: 0.2 + 0.0 * t, 3.0, gain=1.0 / 3.0, backlash=0.1)
    assert data["joint_position"].values[-1, 0] == pytest.approx(0.15, abs=1e-3)
    with pytest.raises(ll.InputError, match=r"actuation.backlash: torque that jumps is for the model non-smooth"):
        run(SMOOTH, bench(), far, 0.1, backlash=0.1)


@MODELS
def test_a_spring_between_motor_and_link_swings_as_two_inertias_do(model: dict[str, Any], accuracy: float) -> None:
    """With hardly any counter-voltage: ω² = K (1/J + 1/Jm), about a centre that the stall torque accelerates."""
    rotor, K = 0.005, 20.0
    pulled = run(
        model, bench(INERTIA, rotor), far, 0.2, step=2.5e-4, no_load_speed=1e9, voltage=1e10, series_stiffness=K
    )
    w, time = np.sqrt(K * (1 / INERTIA + 1 / rotor)), pulled["time"].values
    mean = 0.5 * STALL / (INERTIA + rotor) * time**2
    apart = STALL / (rotor * w**2) * (1 - np.cos(w * time))
    np.testing.assert_allclose(
        pulled["joint_position"].values[:, 0], mean - rotor / (INERTIA + rotor) * apart, atol=100 * accuracy * 0.02
    )
    np.testing.assert_allclose(
        pulled["motor_position"].values - pulled["joint_position"].values, apart[:, None], atol=100 * accuracy * 0.02
    )


def snake(model: str, **changes: Any) -> ll.Scenario:
    motor = {**SHEET, "electrical_time": 0.004, "series_stiffness": 60.0, "series_damping": 0.05, "refresh": 50.0}
    robot = {"preset": "uniform", "links": 5, "rotor_inertia": 5e-3}
    return ll.Scenario.load(
        {
            "robot": robot,
            "gait": {"kind": "joint-wave", "yaw_amplitude": 0.3, "yaw_rate": 6.0},
            "environment": ["water"],
            "model": model,
            "actuation": motor,
            "duration": 0.1,
            "step": 0.001,
        },
        changes,
    )


@pytest.mark.parametrize("model", ["newton-euler", "non-smooth"])
def test_a_run_with_motors_goes_on_bit_for_bit(model: str) -> None:
    whole = ll.run(snake(model))
    half = ll.run(snake(model, duration=0.05))
    rest = ll.simulate(
        snake(model).robot,
        snake(model).gait,
        snake(model).environment,
        model=model,
        duration=0.05,
        step=0.001,
        actuation=snake(model).actuation,
        initial=half,
    )
    for name in ("joint_position", "motor_position", "joint_current"):
        assert np.array_equal(rest.dataset[name].values[-1], whole.dataset[name].values[-1]), name
    assert whole.balances is not None


def test_robots_with_motors_go_side_by_side_and_have_slopes() -> None:
    plain, names = snake("newton-euler", **{"actuation.refresh": None}), ("gain", "stall_torque", "electrical_time")
    gains = [6.0, 8.0, 10.0, 14.0]
    together = ll.rollout(plain, {"actuation.gain": gains})["base_position"].values
    alone = [ll.run(plain, {"actuation.gain": gain}).dataset["base_position"].values for gain in gains]
    np.testing.assert_allclose(together, alone, atol=1e-9)
    slopes = ll.sensitivity(plain, [f"actuation.{name}" for name in names])
    for number, name in enumerate(names):
        here = getattr(plain.actuation, name)
        ends = [
            ll.run(plain, {f"actuation.{name}": here * (1 + e)}).dataset["base_position"].values for e in (1e-4, -1e-4)
        ]
        differences = (ends[0] - ends[1]) / (2e-4 * here)
        scale = np.abs(differences).max()
        np.testing.assert_allclose(slopes["d_base_position"].values[..., number], differences, atol=2e-5 * scale)


def test_a_controller_moves_the_reference_of_motors() -> None:
    cord = {"kind": "oscillators", "output": "target", "strength": 0.2, "initial": {"amplitude": 1.0}}
    found = ll.run(snake("newton-euler", controller=cord, duration=0.3)).dataset
    assert np.ptp(found["joint_position"].values) > 0.1 and "activity" in found and "joint_current" in found
    with pytest.raises(ll.InputError, match="torque needs an actuation of kind torque or pd or servo"):
        snake("newton-euler", controller={"kind": "oscillators"})


def test_energy_of_the_supply_is_heat_and_work() -> None:
    """∫ V i dt = R ∫ i² dt + ∫ τ ω dt/η, with R = voltage/stall_current; η is that of the gears."""
    scenario = snake("newton-euler", **{"actuation": {**SHEET, "gain": 6.0}, "duration": 0.5, "step": 2.5e-4})
    result = ll.run(scenario)
    data = result.dataset
    heat = 12.0 / AMPERES * np.trapezoid((data["joint_current"].values ** 2).sum(axis=1), data["time"].values)
    work = data["actuator_work"].values[-1] / (STALL * FASTEST / (12.0 * AMPERES))
    energy, cost = electrical_energy(result), electrical_cost_of_transport(result)
    assert energy == pytest.approx(heat + work, rel=1e-4) and cost > 0.0


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"stall_torque": -1.0}, "stall_torque: must be positive; got -1.0"),
        (
            {"no_load_speed": 480.0},
            "times no_load_speed it is 1.44e.03 W, more than voltage times stall_current, 27.6 W",
        ),
        ({"series_damping": 0.1}, "series_damping: belongs to a spring; give `series_stiffness` too"),
        ({"delay": -1.0}, "actuation.delay"),
        ({"backlash": 0.1, "series_stiffness": 9.0}, "backlash: there is none behind a spring"),
        ({"stiffness": 3.0}, "actuation.stiffness: unknown field"),
    ],
)
def test_bad_motors_are_answered(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ll.InputError, match=told):
        snake("newton-euler", actuation={**SHEET, **changes})


def test_what_a_robot_cannot_have_is_answered() -> None:
    with pytest.raises(ll.InputError, match="series_stiffness: a motor behind a spring needs an inertia of its own"):
        run(SMOOTH, bench(), far, 0.1, series_stiffness=10.0)
    with pytest.raises(ll.InputError, match=r"give one number, 1 .one per joint."):
        run(SMOOTH, bench(), far, 0.1, stall_torque=(1.0, 2.0, 3.0))
    for model in (SMOOTH, HARD):
        with pytest.raises(ll.InputError, match=r"too long for the current of the motors .actuation.electrical_time."):
            run(model, bench(), far, 0.1, electrical_time=1e-5)
    with pytest.raises(ll.InputError, match="takes actuations of kind"):
        snake("soft")
