"""Controllers on rods of every kind: swimming, worm, inchworm, arm; and what contacts do not let a controller
change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import j0

import limbless as ll
from limbless.control.gaits.inchworm import Inchworm
from limbless.control.gaits.peristalsis import Peristalsis


def once(when: float, **fields: float) -> Callable[[float, dict], dict | None]:
    return lambda t, _: fields if abs(t - when) < 1e-9 else None


def passes(result: ll.Result) -> bool:
    return all(balance.verdict == "pass" for balance in result.balances())


def test_swimming_rod_takes_commands() -> None:
    """The strain is that of the old gait before, of the new one after, and all balances pass between."""
    changes = {"duration": 0.8, "control_period": 0.2}
    result = ll.run("rod-swim", changes, controller=once(0.2, amplitude=0.2, turn=0.1))
    old = result.scenario.gait
    new, data = old.changed(amplitude=0.2, turn=0.1), result.dataset
    for gait, time in ((old, 0.2), (new, 0.4), (new, 0.8)):
        wanted = gait.slope(np.array([time]), data["abscissa"].values).value[0, :, 0]
        assert data["strain"].sel(time=time, method="nearest").values[:, 5] == pytest.approx(wanted, abs=1e-12)
    assert passes(result)


def test_an_arm_on_a_swaying_vehicle_takes_commands() -> None:
    changes = {"duration": 0.6, "control_period": 0.2, "step": 0.02, "model.cells": 16}
    result = ll.run("rod-arm", changes, controller=once(0.2, amplitude=0.4))
    assert passes(result) and float(result.dataset["contact_residual"].max()) < 1e-9


# Worms


def crawl(holds: str, controller: Callable | None = None, **changes: Any) -> ll.Result:
    fields = {
        "duration": 1.5,
        "control_period": 0.5,
        "environment.0.holds": holds,
        "model.cells": 32,
        "step": 0.02,
        "record_every": 0.02,
    }
    return ll.run("worm-burrow", fields | changes, controller=controller)


@pytest.mark.parametrize("holds", ["material", "spatial"])
def test_worm_changes_amplitude_and_speed_without_a_jump(holds: str) -> None:
    """Head speed in closed form: -c Γ(0) where the place stands still; with the amplitude ε(t), s = ∫ c and the section
    at rest c (1 - ε) more, less what the body before the crest stretches by."""
    result = crawl(holds, once(0.5, amplitude=0.008, speed=0.6))
    data, k = result.dataset, 2.0 * np.pi / 0.3
    t = data["time"].values
    u = np.clip((t - 0.5) / 0.5, 0.0, 1.0)
    w, rise = u**3 * (10.0 - 15.0 * u + 6.0 * u * u), 30.0 * u**2 * (1.0 - u) ** 2 / 0.5
    eps, c = 0.004 + 0.004 * w, 0.3 + 0.3 * w
    s = 0.3 * t + 0.3 * (0.5 * u**4 * (2.5 - 3.0 * u + u * u) + np.maximum(t - 1.0, 0.0))
    stretch = 1.0 + eps * np.sin(k * s)
    crest = np.mod(s + 0.075, 0.3)
    grown = 0.004 * rise / k * (np.cos(k * (s - crest)) - np.cos(k * s))  # ∫ ε̇ sin(κ (s - X)) dX from head to crest
    expected = -c * stretch - grown + (0.0 if holds == "spatial" else c * (1.0 - eps))
    assert data["base_twist"].values[:, 0] == pytest.approx(expected, abs=2e-7)
    assert passes(result)


def test_worm_that_changes_goes_on_bit_for_bit() -> None:
    controller = once(0.5, speed=0.45)
    whole, first = crawl("material", controller), crawl("material", controller, duration=1.0)
    scenario = whole.scenario
    rest = ll.simulate(
        scenario.robot,
        scenario.gait,
        scenario.environment,
        model=scenario.model,
        duration=0.5,
        step=0.02,
        initial=first,
        controller=controller,
        control_period=0.5,
    )
    np.testing.assert_array_equal(rest.state.x, whole.state.x)


def test_a_passing_wave_has_the_rates_of_its_value_and_its_crests() -> None:
    changes = {"amplitude": 0.1, "speed": -0.5, "acceleration": 0.4}
    passing, after = Peristalsis(acceleration=0.1, offset=0.02).passage(changes, 1.0, 1.6)
    t, X, h = np.array([1.1, 1.3, 1.5]), np.linspace(0.0, 0.3, 5), 1e-4
    around = [passing.sample(t + n * h, X).value for n in (-1, 0, 1)]
    here, sloped = passing.sample(t, X), passing.slope(t, X)
    assert here.rate == pytest.approx((around[2] - around[0]) / (2 * h), abs=1e-5)
    assert here.acceleration == pytest.approx((around[2] - 2 * around[1] + around[0]) / h**2, abs=1e-4)
    for part, other in zip(sloped, zip(passing.sample(t, X + h), passing.sample(t, X - h), strict=True), strict=True):
        assert part == pytest.approx((other[0] - other[1]) / (2 * h), abs=2e-4)
    place, speed, _ = passing.crests(t, 0.3)
    least = np.broadcast_to(1.0 - passing.swelling(t)[0][:, None], place.shape)
    assert passing.sample(t, place).value[..., 0] == pytest.approx(least)
    later, earlier = passing.crests(t + h, 0.3).value, passing.crests(t - h, 0.3).value
    assert speed == pytest.approx((later - earlier) / (2 * h), abs=1e-6)
    end = np.array([1.6])
    for mine, theirs in zip(passing.sample(end, X), after.sample(end, X), strict=True):
        assert mine == pytest.approx(theirs, abs=1e-10)
    for moment in passing.breakpoints(1.0, 1.6):
        crests = passing.crests(np.array([moment]), 0.3).value
        assert np.abs(np.mod(crests + 0.15, 0.3) - 0.15).min() < 1e-12, "a crest at the head"


def test_a_wave_of_another_length_is_refused() -> None:
    with pytest.raises(
        ll.SimulationError,
        match=r"gait\.wavelength: of a running 'peristalsis' a controller may "
        r"change amp",
    ):
        crawl("material", once(0.5, wavelength=0.2))


# Inchworm


def test_inchworm_takes_steps_of_another_length() -> None:
    """A command at 0.5 s and one at 3 s act from the next steps on, each of l (1 - J0(α)), and the feet change at
    rest."""

    def controller(t: float, _: dict) -> dict | None:
        return {0.5: {"amplitude": 1.0}, 3.0: {"amplitude": 1.5}}.get(round(t, 6))

    changes = {"duration": 6.0, "control_period": 0.5, "step": 0.02, "model.cells": 32}
    result = ll.run("inchworm-climb", changes, controller=controller)
    height = result.dataset["head_position"].sel(time=[0.0, 2.0, 4.0, 6.0], method="nearest").values[:, 2]
    assert np.diff(height) == pytest.approx([0.3 * (1.0 - j0(a)) for a in (1.8, 1.0, 1.5)], abs=2e-6)
    assert passes(result)


def test_inchworm_says_what_can_be_changed() -> None:
    gait = Inchworm()
    with pytest.raises(
        ll.InputError,
        match=r"gait\.period: of a running 'inchworm' a controller may change "
        r"amplitude; its",
    ):
        gait.passage({"period": 1.0}, 0.0, 1.0)
    assert gait.passage({"amplitude": 1.8}, 0.5, 1.0)[1] == gait
    pending = gait.passage({"amplitude": 1.0}, 0.5, 1.0)[1]
    assert pending.changes == ((2.0, 1.0),)
    assert pending.passage({"amplitude": 1.2}, 1.0, 1.5)[1].changes == ((2.0, 1.2),)
    assert pending.passage({"amplitude": 1.8}, 1.0, 1.5)[1] == gait, "taken back before it began"
    with pytest.raises(ll.InputError, match="multiples of the period"):
        Inchworm(changes=((1.0, 1.0),))
    t, h = np.array([2.3, 2.8, 3.5]), 1e-4
    around = [pending.sample(t + n * h, np.array([0.0])).value[..., 5] for n in (-1, 0, 1)]
    here = pending.sample(t, np.array([0.0]))
    assert here.rate[..., 5] == pytest.approx((around[2] - around[0]) / (2 * h), abs=1e-4)
    assert here.acceleration[..., 5] == pytest.approx((around[2] - 2 * around[1] + around[0]) / h**2, abs=1e-3)


# Snakes


def test_a_snake_that_bends_all_at_once_is_told_what_to_use() -> None:
    """No slip: only the head can begin something new; the gait that does so is tested in `test_steered_curvature`."""
    changes = {"duration": 0.5, "control_period": 0.25, "model.cells": 128}
    with pytest.raises(
        ll.SimulationError,
        match=r"'travelling-curvature' bends the whole body at "
        r"once.*'steered-curvature'",
    ):
        ll.run("snake-turn-2d", changes, controller=once(0.25, amplitude=11.0))


def test_without_supports_the_same_change_is_taken() -> None:
    rod = ll.Rod(base="planar", strains="planar")
    result = ll.simulate(
        rod,
        ll.TravellingCurvature(),
        ll.Water(),
        model="macro-continuous",
        duration=0.2,
        step=0.005,
        control_period=0.1,
        controller=once(0.1, amplitude=8.0),
    )
    assert result.status == "completed" and passes(result)
