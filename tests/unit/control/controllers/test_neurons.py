"""Muscles, neurons, compliance: against closed forms, SciPy, and what is published of worms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline

import limbless as ll
from limbless.simulation.analysis import rhythm
from limbless.simulation.simulate import run_scenario

BODY = {"preset": "uniform", "base": "fixed", "links": 2, "length": 0.1, "half_width": 0.02, "half_height": 0.02}
INERTIA = 1000.0 * np.pi * 0.02**2 * 0.1 * (0.1**2 / 3.0 + 0.02**2 / 4.0)


def held(t: Any, s: Any, z: Any, left: float = 0.4, right: float = 0.4) -> Any:
    return 0.0 * z, np.array([left, right])


def pair(muscles: Mapping[str, Any], model: Mapping[str, Any] | None = None, **fields: Any) -> ll.Result:
    """A link on one joint with a pair of muscles whose activations are held."""
    arguments = fields.pop("arguments", {})
    law = {"kind": "function", "law": held, "state": {"z": [0.0]}, "output": "activation", "arguments": arguments}
    given = {"name": "pair", "robot": BODY, "actuation": {"kind": "muscles", **muscles}, "controller": law}
    start = {"initial": {"joint_position": [0.2]}, "duration": 1.0, "step": 0.001, "record_every": 0.01}
    return ll.run({**given, **start, "model": model or {"kind": "newton-euler"}, **fields})


def angle(result: ll.Result) -> np.ndarray:
    return np.asarray(result.dataset["joint_position"].values[:, 0])


def test_equal_activations_are_a_spring() -> None:
    """Stiffness β (L + R + γ), whatever the power."""
    found = pair({"beta": 0.03, "gamma": 0.5, "delta": 0.0})
    omega = np.sqrt(0.03 * (0.8 + 0.5) / INERTIA)
    np.testing.assert_allclose(angle(found), 0.2 * np.cos(omega * found.dataset["time"].values), atol=2e-6)


@pytest.mark.parametrize("power", [1, 2])
def test_muscles_come_to_rest_where_pull_and_stiffness_balance(power: int) -> None:
    muscles = {
        "alpha": 0.02,
        "beta": 0.03,
        "gamma": 0.5,
        "delta": 0.002,
        "epsilon": 0.001,
        "rest": 0.05,
        "power": power,
    }
    found = pair(muscles, arguments={"left": 0.7, "right": 0.2}, duration=6.0, record_every=0.1)
    pull = 0.02 * (0.7**power - 0.2**power)
    assert angle(found)[-1] == pytest.approx(0.05 + pull / (0.03 * 1.4), abs=1e-6)
    assert found.summary()["proven"]


STIFF = {"alpha": 2.0, "beta": 40.0, "gamma": 0.5, "delta": 1.2}


def test_implicit_steps_take_muscles_ahead() -> None:
    """Stable at a hundred times the step of rk4, which is refused; right where the step follows the slow rate."""
    longest, stiffness = 2.5 * INERTIA / 1.2, 40.0 * 1.3
    with pytest.raises(ll.InputError, match="too long for muscles"):
        pair(STIFF, step=0.01)
    implicit = {"kind": "newton-euler", "integrator": "sdirk4"}
    rough, fine = (angle(pair(STIFF, model=implicit, step=step, record_every=0.1)) for step in (0.1, 0.005))
    assert 100.0 * longest < 0.1 and (np.diff(np.abs(rough)) < 0.0).all() and abs(rough[1]) < 0.02
    slow, fast = np.roots([INERTIA, 1.2, stiffness])[::-1]
    expected = 0.2 * (fast * np.exp(slow * 0.1) - slow * np.exp(fast * 0.1)) / (fast - slow)
    assert fine[1] == pytest.approx(expected, abs=2e-5)


def test_muscles_among_contacts_pull_as_elsewhere() -> None:
    muscles = {"alpha": 0.02, "beta": 0.03, "gamma": 0.5, "delta": 0.002}
    smooth, stepped = (
        angle(pair(muscles, model={"kind": kind}, arguments={"left": 0.7, "right": 0.2}, step=0.0005))
        for kind in ("newton-euler", "non-smooth")
    )
    np.testing.assert_allclose(stepped, smooth, atol=1e-3)


def test_oscillators_activate_muscles() -> None:
    """r (1 + cos θ) of either side."""
    cord = {"kind": "oscillators", "sides": 2, "output": "activation", "strength": 0.5, "initial": {"amplitude": 1.0}}
    muscles = {"kind": "muscles", "alpha": 0.02, "beta": 0.0, "gamma": 0.0, "delta": 0.0}
    parts = {"robot": BODY, "environment": ["water"], "actuation": muscles, "controller": cord}
    found = ll.run({"name": "cord", "duration": 0.5, "step": 0.001, **parts})
    left, right = 0.5 * found.dataset["activity"].values.T
    np.testing.assert_allclose(found.dataset["joint_torque"].values[:, 0], 0.02 * (left - right), atol=1e-12)
    assert np.abs(left - right).max() > 0.5


# Neurons

LINKS = 13
WORM = {
    "preset": "uniform",
    "base": "planar",
    "links": LINKS,
    "length": 1e-3 / LINKS,
    "half_width": 4e-5,
    "half_height": 4e-5,
}
PULL = {"kind": "muscles", "alpha": 4e-10, "beta": 6e-10, "gamma": 0.2, "delta": 2e-11}


def worm(controller: Mapping[str, Any], duration: float = 1.0, **fields: Any) -> ll.Result:
    given = {"name": "worm", "robot": WORM, "actuation": PULL, "controller": controller}
    medium = [{"kind": "drag", "along": 3.3e-3, "lateral": 5.2e-3}]
    model = {"kind": "newton-euler", "integrator": "sdirk4"}
    times = {"duration": duration, "step": 0.001, "record_every": 0.01}
    return ll.run({**given, "environment": medium, "model": model, **times, **fields})


def test_rate_neurons_follow_their_equations_and_cut_ones_lose_their_own_rhythm() -> None:
    """Deaf ones, by SciPy."""
    units, asked = 3, {"neuron_time": 0.02, "current": 0.1, "gap_junction": 0.3, "muscle_time": 0.05}
    cut = {"senses": [0, 1, 2], "oscillators": [1], "couplings": [1], "outputs": [2]}
    found = worm({"kind": "rate-neurons", "units": units, **asked, "lesion": cut}, duration=0.3)

    def rates(t: float, z: np.ndarray) -> np.ndarray:
        left, right, first, second = z.reshape(4, units)
        alive = np.array([1.0, 0.0, 1.0])

        def side(v: np.ndarray) -> np.ndarray:
            gap = 0.3 * np.array([v[1] - v[0], v[0] - v[1], 0.0])
            return np.asarray((alive * (v - v**3 + 0.1) + gap) / 0.02)

        both = (left - right - first) / 0.05, (right - left - second) / 0.05
        return np.concatenate([side(left), side(right), *both])

    start = np.concatenate([np.ones(3), -np.ones(3), np.zeros(6)])
    expected = solve_ivp(rates, (0.0, 0.3), start, rtol=1e-10, atol=1e-12).y[:, -1]
    np.testing.assert_allclose(found.dataset["controller_state"].values[-1], expected, atol=1e-6)
    assert np.ptp(found.dataset["joint_torque"].values[:, 8:]) < np.ptp(found.dataset["joint_torque"].values[:, :4])


def test_rate_neurons_feel_their_own_bend_and_that_of_the_unit_ahead() -> None:
    """By SciPy, along the joints that were recorded."""
    asked = {"neuron_time": 0.05, "proprioception": 3.0, "neighbour": 2.0, "gap_junction": 0.0, "muscle_time": 0.05}
    found = worm({"kind": "rate-neurons", "units": 3, **asked}, duration=0.3, record_every=0.001)
    bend = found.dataset["joint_position"].values.reshape(-1, 3, 4).mean(axis=2)
    felt = make_interp_spline(found.dataset["time"].values, 3.0 * bend - 2.0 * np.pad(bend, ((0, 0), (1, 0)))[:, :3])
    assert np.abs(bend).max() > 0.02

    def rates(t: float, v: np.ndarray) -> np.ndarray:
        return np.asarray((v - v**3 + np.concatenate([-felt(t), felt(t)])) / 0.05)

    start = np.array([1.0] * 3 + [-1.0] * 3)
    expected = solve_ivp(rates, (0.0, 0.3), start, rtol=1e-9, atol=1e-11, max_step=0.01).y[:, -1]
    voltages = found.dataset["controller_state"].values[-1, :6]
    np.testing.assert_allclose(voltages, expected, atol=1e-5)
    assert np.abs(voltages - start).max() > 0.01


def test_threshold_neurons_switch_with_hysteresis_and_only_at_ticks() -> None:
    """What was recorded of the joints decides every state, but for those near a threshold; the first are on at once."""
    asked = {"kind": "threshold-neurons", "units": 6, "reach": 3, "stretch_weight": 0.3, "period": 0.01}
    found = worm(asked, duration=1.0, record_every=0.01)
    state, joints = found.dataset["controller_state"].values, found.dataset["joint_position"].values

    def along(strain: np.ndarray) -> np.ndarray:
        felt = strain.reshape(len(joints), 6, 2).sum(axis=2)
        return 0.3 * np.stack([felt[:, i : i + 3].sum(axis=1) for i in range(6)], axis=1)

    longer = joints * 4e-5 / (1e-3 / LINKS)  # of the right side
    left, right = along(-longer * np.where(longer > 0.0, 1.2, 0.8)), along(longer)
    seen = 0
    for n in range(1, len(state)):
        before, after = state[n - 1, :12], state[n, :12]
        limits = 0.75 - 0.5 * before
        current = np.concatenate([0.675 + left[n], 0.675 + right[n] + 0.5 - before[:6]])
        clear = np.abs(current - limits) > 1e-6
        assert np.array_equal(after[clear], (current > limits)[clear].astype(float))
        seen += int(np.any(after != before))
    assert seen > 3 and found.summary()["proven"]


def test_a_worm_goes_on_bit_for_bit_and_is_the_same_beside_others() -> None:
    asked = {"kind": "threshold-neurons", "units": 6, "reach": 3, "stretch_weight": 0.3, "noise": 0.01, "delay": 0.005}
    whole = worm(asked, duration=0.2)
    first = ll.run(whole.scenario, {"duration": 0.09})
    rest = run_scenario(ll.Scenario.load(whole.scenario, {"duration": 0.11}), after=first)
    assert whole.state is not None and rest.state is not None and np.array_equal(whole.state.x, rest.state.x)


SEGMENTS, BAR = 48, 1e-3 / 48.0


def agar_by_hand(duration: float, h: float = 1e-3) -> np.ndarray:
    """(steps, 48) angles between the 49 bars of a worm on agar, by its published equations: balance of drag, springs
    and muscles without inertia, by the midpoint rule; neurons and muscles once in a step.
    """
    radius = 4e-5 * np.abs(np.sin(np.arccos((np.arange(49) - 24.0) / 24.2)))
    radius = 0.5 * (radius[1:] + radius[:-1])
    weight = 0.7 * (1.0 - 0.6 * np.arange(48) / 48.0)
    weight[0] /= 1.5
    feeling = 0.65 * (0.4 + 0.08 * np.arange(12)) * 0.5
    feeling[7:] *= np.sqrt([1, 1, 2, 3, 6])  # a division of whole numbers in their program
    turning = np.hstack([np.zeros((49, 2)), np.ones((49, 1)), np.tril(np.ones((49, 48)), -1)])

    def speed(q: np.ndarray, muscle: np.ndarray) -> np.ndarray:
        tangent = np.stack([np.cos(turning @ q), np.sin(turning @ q)])
        normal = np.stack([-tangent[1], tangent[0]])
        swept = normal[:, :, None] * turning
        moving = np.zeros((2, 49, 51))
        moving[[0, 1], :, [0, 1]] = 1.0
        moving[:, 1:] += np.cumsum(0.5 * BAR * (swept[:, 1:] + swept[:, :-1]), axis=1)
        along, across = (np.einsum("ci,cij->ij", axis, moving) for axis in (tangent, normal))
        drag = (3.2e-3 * along.T @ along + 0.128 * (across.T @ across + turning.T @ turning * BAR**2 / 12.0)) / 49.0
        active = np.maximum(muscle, 0.0)
        both = active.sum(axis=1)
        drag[3:, 3:] += np.diag(radius**2 * (2.0 * 5e-4 + 0.05 * both))
        pull = 0.4 * radius * 0.65 * radius / 4e-5 * BAR * (active[:, 0] ** 2 - active[:, 1] ** 2)
        force = np.concatenate([np.zeros(3), pull - radius**2 * (0.4 * both + 2.0 * 0.02) * q[3:]])
        scale = 1.0 / np.sqrt(np.diag(drag))
        return np.asarray(scale * np.linalg.solve(scale[:, None] * drag * scale, scale * force))

    q, on, muscle, told, found = np.zeros(51), np.zeros((12, 2)), np.zeros((48, 2)), np.zeros((48, 2)), []
    share = np.exp(-0.5 * h / 0.1)
    for _ in range(round(duration / h)):
        before, middle = muscle, told + (muscle - told) * share
        muscle = told + (middle - told) * share
        q = q + h * speed(q + 0.5 * h * speed(q, before), middle)
        right = q[3:] * 4e-5 / BAR
        felt = np.stack([-right * np.where(right > 0.0, 1.2, 0.8), right])
        heard = feeling * np.stack([felt[:, 4 * i : 4 * (i + 6)].sum(axis=1) for i in range(12)], axis=1)
        current = 0.675 + heard + np.stack([np.zeros(12), 0.5 - on[:, 0]])
        on = (0.75 - 0.5 * on < current.T).astype(float)
        told = (weight * np.repeat(on[:, 0] - on[:, 1], 4))[:, None] * np.array([1.0, -1.0])
        found.append(q[3:].copy())
    return np.array(found)


@pytest.mark.long
def test_a_worm_on_agar_is_that_of_the_published_equations() -> None:
    """They are written once more above. Later on a neuron that switches a step earlier shows."""
    joints = ll.run("worm-crawls", {"duration": 4.0, "record_every": 0.001}).dataset["joint_position"].values[1:]
    expected = agar_by_hand(4.0)
    apart, size = np.abs(joints - expected), np.abs(expected).max()
    assert apart[:1000].max() < 1e-3 * size and np.sqrt(np.mean(apart**2)) < 4e-3 * np.sqrt(np.mean(expected**2))


@pytest.mark.long
@pytest.mark.parametrize(
    ("scenario", "duration", "frequency", "wavelength"),
    [("worm-swims", 6.0, 2.3375, 1.805), ("worm-crawls", 24.0, 0.354, 0.644)],
)
def test_one_circuit_swims_and_crawls(scenario: str, duration: float, frequency: float, wavelength: float) -> None:
    """Within 5 % of an independent program without inertia; an eighth of the body at either end is left out. They
    state 1.7 Hz and 1.5 L in water, 0.5 Hz and 0.65 L on agar."""
    data = ll.run(scenario, {"duration": duration}).dataset
    middle = slice(6, 42)
    assert rhythm.frequency(data, middle) == pytest.approx(frequency, rel=0.05)
    assert rhythm.wavelength(data, middle) == pytest.approx(wavelength, rel=0.05)


# Compliance


def pegs(**fields: Any) -> ll.Result:
    loop = {"controller": {"kind": "compliance", **fields}} if fields else {}
    return ll.run("snake-pegs", {"duration": 2.0, "record_every": 0.02, **loop})


def test_a_stiff_amplitude_is_the_gait_and_a_soft_one_yields() -> None:
    plain = pegs()
    yielding = {"windows": 5, "inertia": 0.05, "damping": 1.0, "stiffness": 2.0, "dead_band": 0.5}
    elsewhere = [joint for joint in range(20) if joint * 5 // 20 != 2]
    stiff, deaf, soft, alone = (
        pegs(stiffness=1e6, inertia=100.0, damping=1e4),
        pegs(dead_band=1e3),
        pegs(**yielding),
        pegs(**yielding, lesion={"senses": elsewhere}),
    )
    joints = [run.dataset["joint_position"].values for run in (plain, stiff, deaf)]
    assert np.abs(joints[1] - joints[0]).max() < 1e-5 and np.abs(joints[2] - joints[0]).max() < 1e-9
    assert np.array_equal(deaf.dataset["activity"].values, np.ones_like(deaf.dataset["activity"].values))

    assert np.ptp(soft.dataset["activity"].values[:, 2]) > 0.1
    untouched = np.delete(alone.dataset["activity"].values, 2, axis=1)
    assert np.ptp(alone.dataset["activity"].values[:, 2]) > 0.1 and np.array_equal(untouched, np.ones_like(untouched))


# Bad input


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"controller": None, "gait": {"kind": "still", "drives": "torque"}},
            "muscles do what a controller tells them",
        ),
        ({"controller.units": 5}, "12 joints are no multiple of 5 units"),
        ({"controller.period": 0.0015}, "0.0015 s is no whole multiple of the step"),
        ({"controller.lesion.senses": [6]}, "6 is none of the 6 units"),
        ({"controller.stretch_weight": [1.0, 2.0]}, "one for each of the 6 units"),
        ({"model.integrator": "rk4"}, "too long for muscles"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(changes: Mapping[str, Any], words: str) -> None:
    asked = ll.Scenario.load(
        {
            "name": "worm",
            "robot": WORM,
            "actuation": PULL,
            "controller": {"kind": "threshold-neurons", "units": 6, "reach": 3},
            "model": {"kind": "newton-euler", "integrator": "sdirk4"},
            "environment": [{"kind": "drag", "along": 3.3, "lateral": 5.2}],
            "step": 0.001,
            "duration": 0.01,
        }
    )
    with pytest.raises(ll.InputError, match=words):
        ll.run(asked, changes)
