"""The steered snake: what the head draws, how it is changed, and where the body goes then."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.steered_curvature import SteeredCurvature
from limbless.control.gaits.travelling_curvature import TravellingCurvature
from limbless.simulation.result import Result

SNAKE = ll.Rod(base="planar", strains="planar")
FINE = ll.MacroContinuousSettings(cells=256)
BUSY = SteeredCurvature(
    route=((0.3, 8.0, 0.5, 1.5, 0.4), (0.4, 12.0, 0.7, -1.0, 0.0)), pace=((0.2, 0.5, -1.0), (0.9, 0.3, 0.1))
)


def test_without_changes_it_is_the_travelling_curvature() -> None:
    times, X = np.linspace(0.0, 3.0, 7), np.linspace(0.0, 1.0, 9)
    for mine, theirs in zip(SteeredCurvature().sample(times, X), TravellingCurvature().sample(times, X), strict=True):
        assert mine == pytest.approx(theirs, abs=1e-11)


def test_rates_are_those_of_the_value() -> None:
    """With changes that overlap, a change of speed, and backing; stations for all times or for each."""
    times, X, h = np.linspace(0.05, 1.5, 30), np.linspace(0.0, 1.0, 7), 1e-4
    around = [BUSY.sample(times + k * h, X).value for k in (-2, -1, 0, 1, 2)]
    first = (around[0] - 8.0 * around[1] + 8.0 * around[3] - around[4]) / (12.0 * h)
    second = (-around[0] + 16.0 * around[1] - 30.0 * around[2] + 16.0 * around[3] - around[4]) / (12.0 * h * h)
    here = BUSY.sample(times, X)
    assert here.rate == pytest.approx(first, abs=1e-8)
    assert here.acceleration == pytest.approx(second, abs=1e-4)
    for mine, theirs in zip(here, BUSY.sample(times, np.tile(X, (len(times), 1))), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    run, rate, _ = BUSY.travelled(np.linspace(0.0, 2.0, 2001))
    assert run[-1] == pytest.approx(np.trapezoid(rate, dx=1e-3), abs=1e-6) and rate.min() < 0.0, "it backs in the end"


def test_a_change_touches_nothing_that_the_body_has_taken_on() -> None:
    """The strain before the command, and that of every section behind the head after it, are those without the
    command."""
    gait = SteeredCurvature()
    new, _ = gait.passage({"steer": 2.0, "amplitude": 5.0, "wavelength": 0.8, "climb": 0.5}, 1.0, 1.2)
    times, X = np.array([0.5, 1.0, 1.4]), np.linspace(0.0, 1.0, 101)
    before, after = gait.sample(times, X), new.sample(times, X)
    for mine, theirs in zip(after, before, strict=True):
        np.testing.assert_allclose(mine[:2], theirs[:2], rtol=0, atol=1e-12)
        np.testing.assert_allclose(mine[2, X >= 0.2], theirs[2, X >= 0.2], rtol=0, atol=1e-12)
    assert np.abs(after.value[2] - before.value[2])[X < 0.1].max() > 0.1
    far = new.drawn(np.array([0.5 + 0.3 + 0.8 * n for n in range(3)]))[0]
    assert np.ptp(far[:, 0]) < 1e-9 and far[:, 1] == pytest.approx(0.5), "the new wave has its own wavelength"


def test_commands_of_a_body_that_backs_draw_anew() -> None:
    gait = SteeredCurvature(speed=-0.5, pace=((1.0, 0.2, 0.5),))
    ahead, _ = gait.passage({"steer": 1.0}, 1.1, 1.2)
    again, _ = ahead.passage({"steer": -1.0}, 1.6, 1.7)
    assert len(ahead.route) == len(again.route) == 1 and again.route[0][0] < ahead.route[0][0]


def test_same_value_changes_nothing() -> None:
    assert SteeredCurvature().passage({"steer": 0.0, "speed": -0.5}, 1.0, 1.1)[1] == SteeredCurvature()
    steered = SteeredCurvature().passage({"steer": 1.0, "speed": -0.4}, 1.0, 1.1)[1]
    assert steered.passage({"steer": 1.0, "speed": -0.4}, 2.0, 2.1)[1] == steered


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"route": ((1.0, 1.0, 0.5, 0.0, 0.0), (0.5, 1.0, 0.5, 0.0, 0.0))}, "route: rows must come in order"),
        ({"route": ((1.0, 1.0, 0.0, 0.0, 0.0),)}, "wavelength must be positive"),
        ({"pace": ((1.0, 0.0, -0.5),)}, "duration must be positive"),
        ({"pace": ((1.0, 0.1, -0.5),), "distance": lambda t: t}, "takes the place of `pace`"),
    ],
)
def test_bad_routes_are_refused(fields: dict, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        SteeredCurvature(**fields)


def test_only_what_the_head_draws_can_be_changed() -> None:
    with pytest.raises(
        ll.InputError,
        match=r"gait\.transition: of a running 'steered-curvature' a controller may "
        r"change amp",
    ):
        SteeredCurvature().passage({"transition": 1.0}, 1.0, 2.0)
    with pytest.raises(ll.InputError, match=r"gait\.speed: .* may change amplitude, wavelength, steer, climb;"):
        SteeredCurvature(distance=lambda t: 0.5 * t).passage({"speed": -1.0}, 1.0, 2.0)
    with pytest.raises(ll.InputError, match="one finite number for each of"):
        SteeredCurvature(distance=lambda t: 1.0).sample(np.zeros(3), np.zeros(2))
    assert "gait.speed has no effect" in SteeredCurvature(distance=lambda t: t, speed=-1.0).notes()[0]


# On its way


def straighten(t: float, _: dict) -> dict | None:
    return {"amplitude": 0.0, "steer": 2.0} if abs(t - 0.2) < 1e-9 else None


@cache
def circling() -> Result:
    """From 0.2 s on the head draws a constant curvature of 2 1/m, without undulation."""
    return ll.simulate(
        SNAKE,
        SteeredCurvature(),
        ll.Support(spacing=0.2),
        model=FINE,
        duration=2.4,
        step=0.02,
        record_every=0.02,
        control_period=0.2,
        controller=straighten,
    )


def test_constant_curvature_leads_the_head_along_a_circle() -> None:
    """(53): K_o steers. Radius 1 / K_o, to the right, at |V_o|: from where the change is complete, 0.4 m of path and
    0.8 s from the start."""
    data = circling().dataset
    late = data["time"].values > 0.8 + 1e-9
    path, time = data["head_position"].values[late, :2], data["time"].values[late]
    A = np.column_stack([2.0 * path, np.ones(len(path))])
    x, y, rest = np.linalg.lstsq(A, (path**2).sum(axis=1), rcond=None)[0]
    radius = np.sqrt(rest + x * x + y * y)
    assert radius == pytest.approx(0.5, abs=1e-6)
    assert np.hypot(path[:, 0] - x, path[:, 1] - y) == pytest.approx(np.full(len(path), 0.5), abs=1e-6)
    turned = np.unwrap(np.arctan2(path[:, 1] - y, path[:, 0] - x))
    assert np.diff(turned) / np.diff(time) == pytest.approx(-0.5 / 0.5, abs=1e-5)


def test_body_follows_the_path_of_the_head() -> None:
    """Every section is where the head was when it had run X less; nothing slips, all balances pass."""
    data, V = circling().dataset, 0.5
    time, X, track = data["time"].values, data["abscissa"].values, data["head_position"].values
    now = int(np.abs(time - 2.2).argmin())
    before = np.array([[np.interp(time[now] - x / V, time, track[:, axis]) for axis in (0, 1)] for x in X])
    assert data["position"].values[now, :, :2] == pytest.approx(before, abs=1e-4)  # straight between records
    assert float(data["contact_residual"].max()) < 1e-6
    assert all(balance.verdict == "pass" for balance in circling().balances())


def test_a_body_that_is_circular_as_a_whole_has_no_thrust() -> None:
    """A car without an engine: the last of the undulation leaves the tail at 2.8 s, and the run says what is wrong."""
    with pytest.raises(ll.SimulationError, match="leave the body free to slide: it is straight or circular") as caught:
        ll.simulate(
            SNAKE,
            SteeredCurvature(),
            ll.Support(spacing=0.2),
            model=FINE,
            duration=4.0,
            step=0.02,
            control_period=0.2,
            controller=straighten,
        )
    assert 2.4 < caught.value.time < 3.0


def test_undulation_with_steering_runs_along_a_circle_on_average() -> None:
    """Heads one wavelength apart lie on one circle: each turn by b λ about its centre."""
    gait = SteeredCurvature(steer=1.5)
    data = ll.simulate(
        SNAKE, gait, ll.Support(spacing=0.2), model=FINE, duration=3.6, step=0.02, record_every=0.6
    ).dataset
    R = data["base_orientation"].values
    heading = np.unwrap(2.0 * np.arctan2(R[:, 3], R[:, 0]))[::2]
    places = data["head_position"].values[::2, :2]
    assert np.diff(heading) == pytest.approx(np.full(3, -1.5 * 0.6), abs=1e-6)
    chords = np.linalg.norm(np.diff(places, axis=0), axis=1)
    assert np.ptp(chords) < 1e-6
    ways = np.diff(places, axis=0)
    turns = [np.arctan2(a[0] * b[1] - a[1] * b[0], a @ b) for a, b in pairwise(ways)]
    assert turns == pytest.approx([-0.9, -0.9], abs=1e-6)


def test_any_speed_law_and_backing_come_back_to_the_start() -> None:
    """V_o(t) from an own law of distance that returns to 0: the snake backs along its own path, and lies where it
    began."""
    gait = SteeredCurvature(steer=1.0, distance=lambda t: 0.3 * np.sin(np.pi * t) ** 2)
    result = ll.simulate(SNAKE, gait, ll.Support(spacing=0.2), model=FINE, duration=1.0, step=0.02, record_every=0.1)
    data = result.dataset
    assert data["position"].values[-1] == pytest.approx(data["position"].values[0], abs=1e-6)
    speed = -0.3 * np.pi * np.sin(2.0 * np.pi * data["time"].values)
    assert data["base_twist"].values[:, 0] == pytest.approx(speed, abs=1e-6)
    assert np.abs(data["position"].values[5] - data["position"].values[0]).max() > 0.1
    assert all(balance.verdict == "pass" for balance in result.balances())
