"""Recorded laws against closed forms, plain NumPy and SciPy; resumed, side by side, with slopes; bad input."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import limbless as ll
from limbless.control.controllers.recorded_law import beside_path
from limbless.control.controllers.signals import SignalTape, signals
from limbless.search import measures
from limbless.search.studies.variations import value_at
from limbless.simulation.simulate import run_scenario

ROBOT = {"preset": "uniform", "base": "planar", "links": 4, "length": 0.08, "stiffness": 0.02, "damping": 0.002}
GROUND = [{"kind": "drag", "along": 1.0, "lateral": 10.0}]


def state(result: ll.Result) -> np.ndarray:
    return np.asarray(result.dataset["controller_state"].values)


def end(result: ll.Result) -> np.ndarray:
    assert result.state is not None
    return result.state.x


def hopf(t: Any, s: Any, z: Any, omega: float = 6.28, mu: float = 0.2, pull: float = 1.0) -> Any:
    x, y = z.reshape(2, -1)
    r = mu - x * x - y * y
    return np.concatenate([r * x - omega * y + pull * s, r * y + omega * x]), 0.002 * x


def own(law: Any = hopf, **fields: Any) -> dict[str, Any]:
    numbers = {"x": [0.1, 0.1, 0.05], "y": [0.0, 0.1, 0.0]}
    senses = [{"kind": "joint_position", "of": "all"}]
    return {"kind": "function", "law": law, "state": numbers, "senses": senses, **fields}


def scenario(controller: Mapping[str, Any], **fields: Any) -> ll.Scenario:
    given = {"name": "law", "robot": ROBOT, "actuation": "torque", "controller": controller, "environment": GROUND}
    return ll.Scenario.load({**given, "duration": 0.5, "step": 0.002, "record_every": 0.1, **fields})


# What is recorded is what NumPy does


def every(t: Any, s: Any, z: Any, gain: float = 1.0) -> Any:
    """All operations that a law may use."""
    x = z * gain + 0.3
    chosen = np.where(x > 0.4, np.sin(x), np.cos(x)) + np.maximum(x, 0.5) - np.minimum(x, 0.45)
    grown = np.tanh(x) + np.exp(-x) + np.log(1.0 + x * x) + np.sqrt(x * x + 1.0) + np.arctan2(x, 2.0) + np.abs(x - 0.5)
    mixed = np.array([[1.0, 2.0], [0.5, -1.0]]) @ x + x**3 + 2.0**0.5 * np.clip(x, 0.3, 0.42) - x / (1.0 + t)
    return -0.1 * (chosen + grown) + 0.05 * mixed + 0.01 * np.sign(x - 0.41) + np.arctan(s[:2]), 0.0 * s


def test_a_recorded_law_does_what_numpy_does() -> None:
    controller = own(every, state={"z": [-0.05, 0.6]}, senses=[{"kind": "joint_position", "of": "all"}])
    found = ll.run(scenario(controller, duration=0.4, step=0.001, record_every=0.4))
    expected = solve_ivp(lambda t, z: every(t, np.zeros(3), z)[0], (0.0, 0.4), [-0.05, 0.6], rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(state(found)[-1], expected.y[:, -1], atol=1e-9)


def test_a_law_of_ones_own_moves_as_scipy_says() -> None:
    found = ll.run(scenario(own(arguments={"pull": 0.0})))
    expected = solve_ivp(
        lambda t, z: hopf(t, np.zeros(3), z, pull=0.0)[0], (0, 0.5), [0.1, 0.1, 0.05, 0, 0.1, 0], rtol=1e-11, atol=1e-12
    )
    np.testing.assert_allclose(state(found)[-1], expected.y[:, -1], atol=1e-8)
    assert found.summary()["proven"]


def test_a_path_of_corners_has_a_nearest_piece() -> None:
    path = ((0.0, 0.0), (1.0, 0.0), (1.0, 2.0))
    for place, beside, ahead in (((0.5, 0.2), 0.2, 0.0), ((0.8, 1.0), 0.2, np.pi / 2), ((1.3, 5.0), -0.3, np.pi / 2)):
        tape = SignalTape()
        found = beside_path(path, signals([tape.signal(number) for number in place]))
        assert [evaluated(tape, part) for part in found] == pytest.approx([beside, ahead])


def evaluated(tape: SignalTape, signal: Any) -> float:
    """The value of a signal, by an interpreter of its own."""
    values = list(tape.values)
    rules: dict[int, Any] = {0: np.add, 1: np.subtract, 2: np.multiply, 3: np.divide}
    for code, out, a, b, c in tape.blocks:
        values[out] = rules[code](values[a], values[b]) if code in rules else values[b if values[a] > 0 else c]
    return float(values[signal.place])


# As a part of the motion

LATE = {"kind": "joint_position", "of": "all", "delay": 0.02, "noise": 0.01, "filter": 0.03}


def test_a_run_resumed_anywhere_is_the_same_in_every_bit_with_noise_delay_and_filter() -> None:
    asked = scenario(own(senses=[LATE], seed=3), duration=0.24, record_every=0.01)
    first = ll.run(asked, {"duration": 0.11})
    rest = run_scenario(ll.Scenario.load(asked, {"duration": 0.13}), after=first)
    assert np.array_equal(end(ll.run(asked)), end(rest))


def test_a_delayed_number_is_the_number_as_it_was() -> None:
    """z' = s(t - d) of a joint that swings: the integral of its record, late."""

    def take(t: Any, s: Any, z: Any) -> Any:
        return s, 0.002 * np.sin(12.0 * t) + 0.0 * s

    for late in (0.002, 0.05):
        senses = [{"kind": "joint_position", "of": "all", "delay": late}]
        found = ll.run(scenario(own(take, state={"z": [0.0] * 3}, senses=senses), record_every=0.002))
        joints, time = found.dataset["joint_position"].values, found.dataset["time"].values
        steps = round(late / 0.002)
        sums = np.vstack([np.zeros(3), np.cumsum(0.5 * (joints[1:] + joints[:-1]) * np.diff(time)[:, None], axis=0)])
        np.testing.assert_allclose(state(found)[steps:, :3], sums[: len(sums) - steps], atol=2e-7)
        assert np.abs(sums).max() > 1e-3


def looking(t: Any, motion: Any) -> Any:
    return motion.com_position[0] + 2.0 * motion.joint_velocity[1] - np.sin(t) * motion.heading


def as_torque(t: Any, s: Any, z: Any) -> Any:
    return z, 1e-3 * s + 1e-3 * np.sin(8.0 * t)


@pytest.mark.parametrize("head", ["base", "tip"])
def test_a_target_has_a_distance_and_a_bearing_and_a_function_makes_a_sense(head: str) -> None:
    """By what is recorded: the head is at the end of a link, and looks out of it."""
    senses = [
        {"kind": "target", "point": [0.4, -0.3], "gain": 2.0},
        {"kind": "function", "function": looking, "offset": 0.5},
    ]
    found = ll.run(scenario(own(as_torque, state={}, senses=senses), robot={**ROBOT, "head": head})).dataset
    seen = found["joint_torque"].values / 1e-3 - np.sin(8.0 * found["time"].values)[:, None]
    body, side = (-1, 1.0) if head == "tip" else (0, -1.0)
    turned = 2.0 * np.arctan2(found["orientation"].values[:, body, 3], found["orientation"].values[:, body, 0])
    ahead, middle = side * np.exp(1j * turned), found["position"].values[:, body, :2] @ [1.0, 1.0j]
    away = 0.4 - 0.3j - (middle + 0.04 * ahead)  # from the end of the head, half a link ahead of its middle
    np.testing.assert_allclose(seen[:, 0], 2.0 * np.abs(away), atol=1e-9)
    np.testing.assert_allclose(seen[:, 1], 2.0 * np.angle(away / ahead), atol=1e-9)
    places, speeds = found["com_position"].values[:, 0], found["joint_velocity"].values[:, 1]
    heading = np.angle(ahead)
    expected = places + 2.0 * speeds - np.sin(found["time"].values) * heading + 0.5
    np.testing.assert_allclose(seen[:, 2], expected, atol=1e-9)
    assert np.ptp(seen, axis=0).min() > 1e-4


def test_noise_is_normal_of_its_size_and_of_its_seed() -> None:
    """z' = (s - z) / 1e-9 s would show it; a slow filter shows its sum: here its own table."""
    from limbless.control.controllers.senses import _noise

    rows = _noise(7, 2, 0.3)
    heard = rows[np.arange(20000) % 1021] + rows[1021 + np.arange(20000) % 1024]
    assert heard.std() == pytest.approx(0.3, rel=0.05) and abs(heard.mean()) < 0.03
    ends = [end(ll.run(scenario(own(senses=[LATE], seed=seed)))) for seed in (1, 1, 2)]
    assert np.array_equal(ends[0], ends[1]) and not np.array_equal(ends[0], ends[2])


def test_slopes_and_lanes_of_a_law() -> None:
    asked = scenario(own(), duration=0.3, record_every=0.3)
    steps = {"controller.arguments.omega": 1e-4, "controller.arguments.pull": 1e-4}
    found = ll.sensitivity(asked, list(steps))
    for name, step in steps.items():
        here = value_at(asked, name)
        low, high = (ll.run(asked, {name: here + sign * step}).dataset["base_position"].values[-1] for sign in (-1, 1))
        expected = (high - low) / (2.0 * step)
        slope = found["d_base_position"].sel(parameter=name).values[-1]
        np.testing.assert_allclose(slope, expected, atol=1e-6 * np.abs(expected).max())
    over = [4.0, 6.0, 8.0]
    many = ll.rollout(asked, {"controller.arguments.omega": over})
    for number, omega in enumerate(over):
        one = ll.run(asked, {"controller.arguments.omega": omega}).dataset["base_position"].values[-1]
        np.testing.assert_allclose(many["base_position"].values[number, -1], one, atol=1e-9)


def six_modules(viscosity: float, muscle_time: float, ahead: float, gap: float, inner: tuple[float, float]) -> Any:
    """A worm of six modules with small bends (Johnson, Lewis and Guy 2021; mm): seven links with drag at the nodes."""
    second = sum(np.eye(6, 8, k) * weight for k, weight in enumerate((1.0, -2.0, 1.0)))
    fourth = second @ second.T
    fourth[0, 0] = fourth[5, 5] = 7.0
    fourth *= 6.0**4
    yields = -inner[1] * np.linalg.solve(3.4e-9 * viscosity * np.eye(6) + inner[0] * fourth, fourth)
    joined = gap * (np.eye(6, k=1) + np.eye(6, k=-1) - np.diag([1.0, 2.0, 2.0, 2.0, 2.0, 1.0]))
    sensed = np.eye(6) - ahead * np.eye(6, k=-1)

    def law(t: Any, s: Any, z: Any) -> Any:
        bend, first, second, left, right = z.reshape(5, 6)
        bending = yields @ (bend + 5.0 * (np.tanh(first - 2.0) - np.tanh(second - 2.0)))
        muscles = (left - right - first) / muscle_time, (right - left - second) / muscle_time
        both = [
            (v - v * v * v + sign * (sensed @ bend) + joined @ v) / 0.01 for v, sign in ((left, 1.0), (right, -1.0))
        ]
        return np.concatenate([bending, *muscles, *both]), 0.0 * bend[:3]

    return law


@pytest.mark.parametrize(
    ("modules", "seconds", "period", "wavelength"),
    [
        ((100.0, 0.05, 0.1725, 0.05, (2e-9, 4e-9)), 60.0, 0.4436701485368597, 0.7764005069053698),
        pytest.param(
            (1000.0, 0.1, 0.05, 0.0134, (1.3e-7, 2.6e-7)),
            120.0,
            0.586097078659634,
            0.7390342801448434,
            marks=pytest.mark.long,
        ),
        pytest.param(
            (28002.705950106327, 0.1, 0.05, 0.0134, (1.3e-7, 2.6e-7)),
            120.0,
            0.6031933162228739,
            0.49943247831212667,
            marks=pytest.mark.long,
        ),
    ],
)
def test_a_published_worm_of_neurons_runs_as_a_law(
    modules: tuple[Any, ...], seconds: float, period: float, wavelength: float
) -> None:
    """Period and wavelength of an independent program after 500 s."""
    v = np.cos(2.0 * np.pi * 0.3 * np.arange(6))
    start = {"bend": [0.0] * 6, "first": 2.0 * v, "second": -2.0 * v, "left": v, "right": -v}
    begun = {name: np.asarray(numbers).tolist() for name, numbers in start.items()}
    loop = {"kind": "function", "law": six_modules(*modules), "state": begun}
    data = ll.run(scenario(loop, duration=seconds, record_every=0.01)).dataset
    time, bend = data["time"].values, data["controller_state"].values[:, :6]
    ups = []
    for y in bend.T:
        up = np.flatnonzero((y[:-1] < 0.0) & (y[1:] >= 0.0))
        ups.append(time[up] - 0.01 * y[up] / (y[up + 1] - y[up]))
    assert np.diff(ups[0][-20:]).mean() == pytest.approx(period, rel=1e-3)
    late = [times[np.searchsorted(times, ups[0][-4])] - ups[0][-4] for times in ups]
    assert 1.0 / (1.2 * np.mod(np.diff(late) / period, 1.0).sum()) == pytest.approx(wavelength, rel=5e-3)


# In plain Python


def short(t: Any, s: Any, z: Any) -> Any:
    return z[:-1], s


def fussy(t: Any, s: Any, z: Any, omega: float = 6.28, mu: float = 0.2, pull: float = 1.0) -> Any:
    """The same law with branches that cannot be recorded."""
    if len(z) and z[0] > 1e6:
        return 0.0 * z, s
    return hopf(float(t), s, z, omega, mu, pull)


def test_a_plain_law_is_the_recorded_one_in_every_bit() -> None:
    """Resumed, too; one robot at a time, and without slopes, which is said."""
    late = {"senses": [LATE], "seed": 3, "lesion": {"outputs": [1]}}
    recorded, plain = (ll.run(scenario(own(law, **late, plain=law is fussy))) for law in (hopf, fussy))
    assert np.array_equal(end(recorded), end(plain))
    first = ll.run(plain.scenario, {"duration": 0.22})
    rest = run_scenario(ll.Scenario.load(plain.scenario, {"duration": 0.28}), after=first)
    assert np.array_equal(end(plain), end(rest))
    assert plain.scenario is not None and ":fussy" in plain.scenario.to_yaml()
    found = ll.rollout(scenario(own(fussy, plain=True)), {"controller.arguments.omega": [4.0, 8.0]})
    one = ll.run(scenario(own(hopf, arguments={"omega": 8.0}))).dataset["base_position"].values[-1]
    assert np.array_equal(found["base_position"].values[1, -1], one)
    with pytest.raises(ll.InputError, match="in plain Python gives no derivatives"):
        ll.sensitivity(scenario(own(fussy, plain=True)), ["controller.arguments.omega"])


@pytest.mark.parametrize(
    ("law", "words"),
    [
        (lambda t, s, z: 1 / 0, "failed at t = 0 s with ZeroDivisionError"),
        (lambda t, s, z: (z * np.nan, s), "gave nan at t = 0 s, no number"),
        (lambda t, s, z: (z[:-1], s), "returned 5 rates for 6 numbers of state"),
        (lambda t, s, z: z, "two things"),
    ],
)
def test_a_plain_law_that_fails_says_when(law: Any, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ll.run(scenario(own(law, plain=True)))
    with pytest.raises(ll.SimulationError, match=r"no more at t = 0\.1") as failed:
        ll.run(scenario(own(tired, plain=True)))
    assert failed.value.result is not None


def tired(t: Any, s: Any, z: Any) -> Any:
    if t > 0.1:
        raise ll.InputError(f"no more at t = {t:g} s")
    return hopf(t, s, z)


# Held, and in a list


@pytest.mark.parametrize("plain", [False, True])
def test_what_a_law_gives_is_held_from_tick_to_tick(plain: bool) -> None:
    asked = scenario(own(period=0.01, plain=plain), duration=0.1, record_every=0.002)
    found = ll.run(asked).dataset["controller_state"]
    held, x = (found.sel(controller_number=name).values for name in ("held 0", "x 0"))
    np.testing.assert_allclose(held[5:50], np.repeat(0.002 * x[5:50:5], 5), atol=1e-17)
    assert not held[:5].any() and np.ptp(x) > 0.01
    whole, first = ll.run(asked), ll.run(asked, {"duration": 0.046})
    rest = run_scenario(ll.Scenario.load(asked, {"duration": 0.054}), after=first)
    assert np.array_equal(end(whole), end(rest))


CORD = {"kind": "oscillators", "strength": 0.002, "frequency": 2.0, "coupling": {"lag": 1.0}}


def echo(t: Any, s: Any, z: Any, share: float = 0.001) -> Any:
    return s - z, share * s


@pytest.mark.parametrize("sides", [1, 2])
def test_a_later_controller_senses_an_earlier_one(sides: int) -> None:
    """Half of its activity once more is a cord half as strong again; one that moves nothing is sensed as well."""
    cord = {**CORD, "sides": sides, "coupling": {"lag": 1.0, "contralateral": {"lag": 2.0}}}
    echoing = {"kind": "function", "law": echo, "state": {"z": [0.0] * 3}}
    echoing["senses"] = [{"kind": "signal", "of": [0, 1, 2]}]
    mute = ll.run(scenario([{**cord, "output": "signal"}, echoing], record_every=0.01))
    activity, torque = mute.dataset["activity"].values, mute.dataset["joint_torque"].values
    assert list(mute.dataset["neuron"].values)[:1] == [f"joint 1{' left' * (sides == 2)} (0)"]
    np.testing.assert_allclose(torque, 0.001 * activity[:, :3], atol=1e-15)
    if sides == 1:
        both = ll.run(scenario([cord, echoing]))
        once = ll.run(scenario([{**cord, "strength": 0.003}, {**echoing, "arguments": {"share": 0.0}}]))
        for name in ("base_position", "joint_position"):
            np.testing.assert_allclose(both.dataset[name].values, once.dataset[name].values, atol=1e-15)
        first = ll.run(both.scenario, {"duration": 0.2})
        rest = run_scenario(ll.Scenario.load(both.scenario, {"duration": 0.3}), after=first)
        assert np.array_equal(end(both), end(rest))
        many = ll.rollout(both.scenario, {"controller.1.arguments.share": [0.0, 0.001]})
        np.testing.assert_allclose(
            many["base_position"].values[1, -1], both.dataset["base_position"].values[-1], atol=1e-12
        )


@pytest.mark.parametrize(
    ("loops", "words"),
    [
        ([own(senses=[{"kind": "signal"}]), CORD], "'signal' is of a controller before this one in the list"),
        ([CORD, own(senses=[{"kind": "signal", "of": [3]}])], "no signal 3; controller 0 has 0 to 2"),
        ([CORD, own(short)], "controller.1.law: short returned 5 rates"),
        ([CORD, {**CORD, "output": "target"}], "controller.1.output: target needs an actuation"),
        ([CORD, {**CORD, "lesion": {"oscillators": [9]}}], "controller.1.lesion.oscillators: 9 is none of the 3"),
    ],
)
def test_what_is_wrong_in_a_list_is_said_of_its_place(loops: Any, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ll.run(scenario(loops, duration=0.01, record_every=0.01))


# Feedback


def swing(**fields: Any) -> ll.Result:
    """One joint of two links in free space under a feedback of its angle."""
    senses = [{"kind": "joint_position", "of": [0]}]
    controller = {"kind": "feedback", "joints": [0], "senses": senses, **fields}
    robot = {"preset": "uniform", "base": "fixed", "links": 2, "length": 0.1, "density": 1000.0}
    return ll.run(scenario(controller, robot=robot, environment=[], duration=1.0, step=0.001, record_every=0.01))


def test_a_proportional_feedback_is_a_spring() -> None:
    found = swing(proportional=0.05, reference=0.1)
    mass = 1000.0 * np.pi * 0.02 * 0.02 * 0.1
    omega = np.sqrt(0.05 / (mass * (0.1**2 / 3.0 + 0.02**2 / 4.0)))  # a cylinder about its end
    expected = 0.1 * (1.0 - np.cos(omega * found.dataset["time"].values))
    np.testing.assert_allclose(found.dataset["joint_position"].values[:, 0], expected, atol=1e-7)


def test_bounds_hold_and_the_integral_stops_there() -> None:
    found = swing(proportional=0.05, integral=0.5, derivative=0.004, reference=2.0, bounds=[-0.01, 0.01])
    torque = found.dataset["joint_torque"].values
    assert np.abs(torque).max() <= 0.01 + 1e-15
    assert state(found)[:, 0].max() < 0.02  # 0.5 * 2 rad * 1 s where it did not stop
    cut = swing(proportional=0.05, reference=0.1, lesion={"outputs": [0]})
    assert np.abs(cut.dataset["joint_torque"].values).max() == 0.0


def test_an_integral_ends_at_the_reference_under_a_load() -> None:
    asked = {"proportional": 0.3, "integral": 1.0, "derivative": 0.02, "reference": [[0.0, 0.0], [0.5, 0.2]]}
    found = ll.run(swing(**asked).scenario, {"duration": 8.0, "gait": {"kind": "still", "drives": "torque"}})
    assert found.dataset["joint_position"].values[-1, 0] == pytest.approx(0.2, abs=1e-4)


# Guidance

CRAWL = {"kind": "serpenoid", "amplitude": 0.5, "frequency": 1.0, "phase_step": 0.8}
SNAKE = {"preset": "uniform", "base": "planar", "links": 8, "length": 0.14, "half_width": 0.03, "half_height": 0.03}


def crawl(controller: Mapping[str, Any] | None, **fields: Any) -> ll.Result:
    given = {"name": "crawl", "robot": {**SNAKE, "head": "tip"}, "gait": CRAWL, "environment": GROUND}
    loop = {} if controller is None else {"controller": {"kind": "guidance", **controller}}
    return ll.run({**given, **loop, "duration": 3.0, "step": 0.005, "record_every": 0.05, **fields})


@pytest.mark.parametrize("actuation", ["motion", "pd"])
def test_a_gait_by_its_clock_is_the_gait(actuation: str) -> None:
    """The balances close, so that torques of given joints take the right accelerations."""
    plain, driven = (crawl(loop, actuation=actuation) for loop in (None, {"heading": 0.0, "lesion": {"senses": [0]}}))
    for name in ("base_position", "joint_position", "joint_torque"):
        np.testing.assert_allclose(driven.dataset[name].values, plain.dataset[name].values, atol=1e-9)
    assert driven.summary()["proven"]


@pytest.mark.parametrize(("head", "turn"), [("tip", 1.0), ("base", -1.0)])
def test_the_head_goes_to_its_heading_whichever_end_it_is(head: str, turn: float) -> None:
    """A robot whose head is its base heads along -x at the start; with the wave the other way round."""
    wanted = (0.0 if head == "tip" else np.pi) + 0.5
    gait = {**CRAWL, "phase_step": 0.8 * turn}
    found = crawl({"heading": wanted}, robot={**SNAKE, "head": head}, gait=gait, duration=4.0)
    body = found.dataset["orientation"].values[-1, -1 if head == "tip" else 0]
    heading = 2.0 * np.arctan2(body[3], body[0]) + (0.0 if head == "tip" else np.pi)
    assert abs(np.angle(np.exp(1j * (heading - wanted)))) < 0.08


def test_the_clock_obeys_its_law_and_the_speed_is_short_by_what_it_says() -> None:
    """mean speed = reference - mean rate of the clock / gain, whatever the ground; an integral takes that away."""
    fast = {"gain": 40.0, "rate": 100.0}
    found = crawl({"heading": -0.785, "speed": 0.1, "clock": fast}, duration=40.0)
    half = len(found.dataset["time"]) // 2
    seconds = float(found.dataset["time"].values[-1] - found.dataset["time"].values[half])
    clock, lack = state(found)[[half, -1], 0], state(found)[[half, -1], 4]
    assert np.diff(clock)[0] / seconds / 40.0 == pytest.approx(-np.diff(lack)[0] / seconds, abs=1e-4)
    held = crawl({"heading": -0.785, "speed": 0.05, "clock": {**fast, "integral": 8.0}}, duration=60.0)
    assert abs(state(held)[-1, 4] - state(held)[-400, 4]) / 20.0 < 2e-3


def test_a_path_is_reached() -> None:
    """All joints bend aside, by the mean heading of the body."""
    bend = {"joints": "all", "rate": 2.0, "damping": [1.0, 2.0], "largest": 0.3}
    aim = {"path": [[0, 0], [5, 0]], "lookahead": 2.0, "heading_of": "all", "heading_gain": 0.5, "steering": bend}
    found = crawl(aim, initial={"position": [0, 0.4, 0]}, duration=120.0)
    beside = found.dataset["com_position"].values[:, 1]
    assert beside[0] > 0.4 and abs(beside[-1]) < 0.05 and beside.min() > -0.05  # no overshoot
    clock = state(found)[:, 0]
    late = beside[clock >= clock[-1] - 2.0 * np.pi * ((clock[-1] - clock[len(clock) // 2]) // (2.0 * np.pi))]
    assert measures.find("path_error").function(found) == pytest.approx(np.abs(late).mean(), abs=1e-4)
    assert abs(measures.find("heading_error").function(found)) < 0.02
    time, x = found.dataset["time"].values, found.dataset["com_position"].values[:, 0]
    speed = (x[-1] - x[len(x) // 2]) / (time[-1] - time[len(x) // 2])
    decays = np.log(beside[(time > 20.0) & (time < 60.0)])  # exp(-speed t / lookahead), once it is near
    assert -2.0 / speed * np.polyfit(np.arange(len(decays)) * 0.05, decays, 1)[0] == pytest.approx(1.0, abs=0.15)


# A published snake on viscous ground, against an independent program of the plane

LINK = {
    "mass": 1.0,
    "first_moment": [0.07, 0.0, 0.0],
    "inertia": [0.0065, 0.0, 0.0, 0.0065, 0.0, 0.0065],  # 0.0016 kg m2 about its middle
    "body": {"length": 0.14, "half_width": 0.03, "half_height": 0.03},
}
JOINED = {**LINK, "position": [0.14, 0.0, 0.0], "joint": {"kind": "revolute", "axis": [0, 0, 1]}}
VISCOUS = {
    "robot": {"kind": "chain", "base": "planar", "head": "tip", "links": [LINK, *[JOINED] * 7]},
    # 0.1 and 1 N s/m at the middle of each link
    "environment": [{"kind": "drag", "along": 0.1 / 0.14, "lateral": 1.0 / 0.14, "points": 1}],
    # a clock that hardly goes at the start, as theirs, which stands still
    "gait": {"kind": "joint-wave", "yaw_amplitude": "30 deg", "yaw_rate": 1e-6, "yaw_phase": "72 deg"},
}
GUIDED = {"heading_gain": 2.5, "speed": 0.05, "clock": {"gain": 40.0, "rate": 100.0}}


@pytest.mark.parametrize(
    ("aim", "start", "duration", "turns", "period", "com", "heading", "speed", "pace", "off", "beside"),
    [
        (
            {"heading": -np.pi / 4},
            0.0,
            45.0,
            3,
            6.093820195388582,
            (1.8734661400323218, 0.23577346043764807),
            -0.7815708751755931,
            0.02459037746684427,
            1.0164663994385632,
            0.01496901100613327,
            None,
        ),
        (
            {"path": [[0, 0], [5, 0]], "lookahead": 1.4},
            1.0,
            120.0,
            2,
            7.797531410976771,
            (3.957992828315725, 0.4080546327817983),
            -0.2828000443768557,
            0.02984280455960118,
            0.8062767636023427,
            -0.0047175342128217045,
            0.501989835076418,
        ),
    ],
    ids=["heading", "path"],
)
def test_a_published_snake_is_guided_as_an_independent_program_says(
    aim: Any,
    start: float,
    duration: float,
    turns: int,
    period: float,
    com: tuple[float, float],
    heading: float,
    speed: float,
    pace: float,
    off: float,
    beside: float | None,
) -> None:
    """Eight links, gains and gait of a public code for the law of Rezapour et al. (2014), in steps of 5 ms as there;
    means over the last turns. The speed is short of what is asked for by mean rate / gain."""
    given = {**VISCOUS, "initial": {"position": [0.0, start, 0.0]}, "duration": duration, "record_every": 0.025}
    found = crawl({**aim, **GUIDED}, **given)
    data, time = found.dataset, found.dataset["time"].values
    last = data["orientation"].values[-1, -1]
    np.testing.assert_allclose(data["com_position"].values[-1, :2], com, atol=1e-5)
    assert 2.0 * np.arctan2(last[3], last[0]) == pytest.approx(heading, abs=1e-5)
    since = duration - turns * period
    clock, lack = ((row[-1] - np.interp(since, time, row)) / (turns * period) for row in state(found).T[[0, 4]])
    assert clock == pytest.approx(pace, rel=2e-4) and 0.05 + lack == pytest.approx(speed, rel=2e-4)
    assert lack == pytest.approx(-clock / 40.0, abs=1e-5)
    late = data.sel(time=slice(since - 1e-9, None))
    after = np.asarray(2.0 * np.arctan2(late["orientation"].values[:, -1, 3], late["orientation"].values[:, -1, 0]))
    y = late["com_position"].values[:, 1]
    asked = -np.pi / 4 if beside is None else -np.arctan(y / 1.4)
    assert np.mean(after - asked) == pytest.approx(off, abs=5e-5)
    assert beside is None or y.mean() == pytest.approx(beside, abs=5e-4)
    assert found.summary()["proven"]


def test_measures_of_a_guidance_are_means_over_whole_turns_of_its_clock() -> None:
    """In 45 s the second half has three turns, those of the independent program."""
    found = crawl({"heading": -np.pi / 4, **GUIDED}, **VISCOUS, duration=45.0, record_every=0.025)
    told = measures.measured([measures.find(f"{name}_error") for name in ("heading", "speed", "course", "path")], found)
    time, clock, place = found.dataset["time"].values, state(found)[:, 0], found.dataset["com_position"].values
    marks = np.interp(clock[-1] - 2.0 * np.pi * np.arange(3, -1, -1), clock, time)
    w = found.dataset["orientation"].values[:, -1]
    error = 2.0 * np.arctan2(w[:, 3], w[:, 0]) + np.pi / 4
    mean = CubicSpline(time, error).integrate(marks[0], 45.0) / (45.0 - marks[0])
    assert told["heading_error"] == pytest.approx(mean, abs=1e-6) and np.isnan(told["path_error"])
    assert told["heading_error"] == pytest.approx(0.01496901100613327, abs=1e-3)
    assert told["speed_error"] == pytest.approx(-2.0 * np.pi * 3.0 / (45.0 - marks[0]) / 40.0, abs=1e-5)
    ways = np.diff([np.interp(marks, time, column) for column in place.T[:2]])
    assert told["course_error"] == pytest.approx(np.arctan2(ways[1], ways[0]).mean() + np.pi / 4, abs=1e-9)
    assert told["course_error"] > 0.5  # the body has hardly turned yet
    settled = measures.find("settling_time").function(found)
    assert settled is not None
    means = [abs(error[(clock >= now - 2 * np.pi) & (clock <= now)].mean()) for now in clock[clock >= 2 * np.pi]]
    outside = np.flatnonzero(np.array(means) > 0.05)
    expected = time[clock >= 2 * np.pi][outside[-1] + 1 if len(outside) else 0]
    assert settled == pytest.approx(expected, abs=0.1) and 4.0 < settled < 6.0


# Bad input


def branch(t: Any, s: Any, z: Any) -> Any:
    return (z if z[0] > 0 else -z), s


def broken(t: Any, s: Any, z: Any) -> Any:
    raise RuntimeError("no such thing")


def endless(t: Any, s: Any, z: Any) -> Any:
    return z, np.full(3, np.inf)


def forced(t: Any, s: Any, z: Any) -> Any:
    return z, s


FORCE = [{"kind": "external_force", "of": "own"}]


def sensing(function: Any, **fields: Any) -> dict[str, Any]:
    senses = [{"kind": "function", "function": function, **fields}]
    return {"kind": "feedback", "senses": senses, "proportional": 1.0, "joints": [0]}


@pytest.mark.parametrize(
    ("controller", "words"),
    [
        (own(branch), "cannot decide an `if`"),
        (own(short), "short returned 5 rates for 6 numbers of state"),
        (own(broken), "broken failed while it was recorded with RuntimeError: no such thing"),
        (own(hopf, joints=[0, 1]), "returned 3 commands for 2 outputs"),
        (own(forced, senses=FORCE), "external_force is known only after the motion of the instant"),
        (own(senses=[{**LATE, "delay": 0.003}]), "0.003 s is no whole multiple of the step of 0.002 s"),
        (own(senses=[{"kind": "joint_position", "of": [7]}]), "no joint 7"),
        (own(senses=[{"kind": "tip_position"}]), "along x, y or z of the world"),
        (own(lesion={"outputs": [3]}), "3 is none of the 3 outputs"),
        (own(arguments={"omga": 1.0}), "'omga' is no argument of hopf"),
        (own(rate=5000.0), "too long for the numbers of the law"),
        (own(senses=[{"kind": "tension"}]), "the robot has 0 tendons"),
        ({"kind": "feedback", "senses": FORCE, "proportional": 1.0}, "add filter"),
        (sensing(lambda t, motion: motion.external_force[0]), "external_force is known only after the motion"),
        (sensing(lambda t, motion: motion.headin), "motion has no 'headin'; did you mean 'heading'"),
        (sensing(lambda t, motion: motion.joint_position), "returned 3 numbers; a sense is one"),
        (sensing(lambda t, motion: motion.heading * np.nan), "it gives NaN, no number, whatever is sensed"),
        (sensing(lambda t, motion: 1.0 if motion.heading > 0 else 0.0), "cannot decide an `if`"),
        (sensing(None), "function: a sense 'function' needs one"),
        (own(senses=[{"kind": "contact_state", "of": "all"}]), "'contact_state' needs contacts; choose model.kind"),
        (
            {"kind": "feedback", "senses": [{"kind": "speed"}], "proportional": [[1.0, 2.0]]},
            "3 outputs .joints or tendons. and 1 senses",
        ),
        ({"kind": "guidance", "heading": 0.0}, "gait needs an actuation of kind motion or pd"),
        ({"kind": "guidance"}, "give a heading or a path"),
        ({"kind": "guidance", "path": [[0, 0]]}, "path: give two points or more"),
        (own(endless), "endless gave NaN or infinity, no number, whatever is sensed"),
        (own(state={"x": "fast"}), r"controller.state.x: must be a number"),
        (own(state={"x": [[1.0], [2.0]]}), r"controller.state.x.0: must be a number"),
        (own(senses=[{"kind": "stretch", "of": [5]}]), "no joint 5; the robot has joints 0 to 2"),
        ({"kind": "feedback", "senses": [{"kind": "speed"}], "bounds": [1, -1]}, "the smallest output comes first"),
        ({"kind": "compliance"}, "gait needs an actuation of kind motion or pd"),
        ({"kind": "threshold-neurons"}, "activation needs an actuation of kind muscles"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(controller: Mapping[str, Any], words: str) -> None:
    with pytest.raises(ll.InputError, match=words.replace("(", r"\(")):
        ll.run(scenario(controller, duration=0.01, record_every=0.01))


def test_a_law_that_gives_no_number_ends_the_run() -> None:
    def infinite(t: Any, s: Any, z: Any) -> Any:
        return np.log(z - 10.0), 0.0 * s

    with pytest.raises(ll.SimulationError, match=r"likely controller\.law: infinite gave no number"):
        ll.run(scenario(own(infinite)))


def test_a_mistake_in_a_controller_is_one_sentence() -> None:
    """A controller may be a list of some, but a description that is wrong is not told that it is no list."""
    with pytest.raises(ll.InputError) as told:
        scenario({"kind": "oscillators", "haste": -1.0})
    assert str(told.value) == "scenario: controller.haste: must be greater than 0 (1/s); received -1.0"
    with pytest.raises(ll.InputError, match=r"controller\.1\.haste: must be greater than 0"):
        scenario([{"kind": "oscillators"}, {"kind": "oscillators", "haste": -1.0}])
