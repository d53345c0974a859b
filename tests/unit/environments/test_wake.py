"""The wake: its energy, its momentum, small waves, both ends of a body, rods, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.forces.wake import Wake, wake_at_edge

SWIMMER = ll.UniformChain(links=5, length=0.1, half_width=0.02, half_height=0.03, joint="universal")
GAIT = ll.BodyWave(amplitude=0.5, growth=0.0, wavelength=0.5, period=0.8, ramp=0.4, dive=0.05)
NO_DRAG = (0.0, 0.0, 0.0, 0.0)


def swim(water: ll.Water, robot: Any = SWIMMER, step: float = 0.002, gait: Any = GAIT, **options: Any) -> Any:
    return ll.simulate(robot, gait, water, duration=1.6, step=step, record_every=step, **options).dataset


def test_power_is_the_energy_left_behind() -> None:
    """In still water (W.t) T, for any motion of the edge: with another sign of the pressure it would be three times
    that, without the roll's part of T less."""
    rows = Wake.zeros(1)
    columns = Wake.of(rows)
    columns.added[:], columns.added_roll[:], columns.outward[:] = (0.0, 5.0, 2.0), 0.7, -1.0
    wake, W, rate = Wake(rows, 0), np.array([0.4, -0.3, 0.8]), np.array([1.5, 0.2, -0.6])
    F = wake_at_edge(wake, Vector(*W), Vector(*rate))
    energy = 0.5 * (5.0 * W[1] ** 2 + 2.0 * W[2] ** 2 + 0.7 * rate[0] ** 2)
    assert np.dot(F.force, W) + np.dot(F.torque, rate) == pytest.approx(-W[0] * energy, rel=1e-14)


def test_momentum_and_energy_go_into_the_wake() -> None:
    """From rest and without drag: momentum of body and attached water and the integral of -F stay 0, and kinetic energy
    and that of the wake are the work of the joints."""
    data = swim(ll.Water(drag=NO_DRAG))
    scale = np.abs(data.momentum.values[:, :3]).max()
    left = np.trapezoid(data.wake_force.values, data.time.values, axis=0)
    np.testing.assert_allclose(data.momentum.values[-1, :3], left, atol=2e-4 * scale)
    wake = data.law_work.sel(law="wake").values
    spent = data.actuator_work.values + wake
    np.testing.assert_allclose(data.kinetic_energy.values, spent, atol=1e-5 * spent.max())
    assert wake[-1] < -0.05 * data.actuator_work.values[-1]


def test_recorded_power_is_the_rate_of_the_work() -> None:
    """Found by the kernels at every step on one side, from recorded motion on the other."""
    data = swim(ll.Water(current=(0.05, 0.1, 0.0)))
    rate = np.gradient(data.law_work.sel(law="wake").values, data.time.values)
    assert np.abs(rate - data.wake_power.values)[2:-2].max() < 2e-3 * np.abs(data.wake_power.values).max()


def test_small_waves_give_lighthills_thrust() -> None:
    """A tail that swings with amplitude a and passes the wave at speed V while it swims at U: mean thrust m ω² a² (1 -
    U²/V²)/4 (Lighthill 1960), to (k a)²; nothing at U = V."""
    m, k, omega = 25.4469, 2 * np.pi / 1.8, np.pi
    V, phase = omega / k, np.linspace(0.0, 2 * np.pi, 64, endpoint=False)
    rows = Wake.zeros(1)
    columns = Wake.of(rows)
    columns.added[:], columns.outward[:] = (0.0, m, 0.0), 1.0
    for U, a in ((0.0, 1e-3), (0.45, 1e-3), (V, 1e-3)):
        thrust = []
        for th in phase:  # y = a cos(k s - ω t); the body swims to -x
            slope, lift = -a * k * np.sin(th), a * omega * np.sin(th)
            e1 = np.array([1.0, slope]) / np.hypot(1.0, slope)
            e2, velocity = np.array([-e1[1], e1[0]]), np.array([-U, lift])
            F = wake_at_edge(Wake(rows, 0), Vector(velocity @ e1, velocity @ e2, 0.0), Vector(0.0, 0.0, 0.0))
            thrust.append(-(F.force.x * e1 + F.force.y * e2)[0])
        expected = 0.25 * m * omega**2 * a**2 * (1.0 - U**2 / V**2)
        assert np.mean(thrust) == pytest.approx(expected, rel=2e-5, abs=1e-15)


def test_a_robot_led_by_its_tip_leaves_the_wake_at_its_base() -> None:
    """The same body turned round, link by link, does the same."""
    twist = np.array([-0.5, 0.1, 0.05, 0.3, 0.2, -0.4])
    one = ll.UniformChain(links=1, length=0.3, half_width=0.02, half_height=0.03)
    forth = ll.NewtonEuler(one, ll.Water()).inverse([], [], [], twist).base_acceleration
    lever = np.array([0.3, 0.0, 0.0])
    turned = np.array([-1.0, -1.0, 1.0])  # half a turn about z: its origin is then the other end
    there = np.concatenate([turned * (twist[:3] + np.cross(twist[3:], lever)), turned * twist[3:]])
    back = ll.NewtonEuler(one.changed(head="tip"), ll.Water()).inverse([], [], [], there).base_acceleration
    w, alpha = twist[3:], forth[3:]
    moved = forth[:3] + np.cross(alpha, lever) + np.cross(w, np.cross(w, lever))
    np.testing.assert_allclose(back, np.concatenate([turned * moved, turned * alpha]), atol=1e-12)


def test_a_tail_fin_changes_the_wake_alone() -> None:
    """As the square of its height; the added mass of the body stays."""
    plain, fin = (ll.Water(tail=tail) for tail in (None, {"half_width": 0.02, "half_height": 0.06}))
    twist = [-0.4, 0.2, 0.0, 0.0, 0.0, 0.0]
    zero = np.zeros(SWIMMER.build().freedoms)
    still, at_edge, at_fin = (
        ll.NewtonEuler(SWIMMER, water).inverse(zero, zero, zero, twist).base_acceleration
        for water in (ll.Water(wake="none"), plain, fin)
    )
    np.testing.assert_allclose((at_fin - still)[:2], 4.0 * (at_edge - still)[:2], rtol=1e-9)


@pytest.mark.parametrize("model", ["geometric", "non-smooth"])
def test_other_models_of_a_chain(model: str) -> None:
    """The same swimmer: to rounding on its manifold, to the first order of the step with impacts."""
    robot, flat = SWIMMER.changed(joint="revolute"), GAIT.changed(dive=0.0)
    smooth = swim(ll.Water(), robot, 0.001, flat)
    other = swim(ll.Water(), robot, 0.001, flat, model=model)
    allowed = 1e-6 if model == "geometric" else 2e-3
    assert np.abs(other.base_position.values - smooth.base_position.values).max() < allowed
    np.testing.assert_allclose(
        other.law_work.sel(law="wake").values[-1],
        smooth.law_work.sel(law="wake").values[-1],
        rtol=1e-4 if model == "geometric" else 0.03,
    )


def test_a_rod_is_the_limit_of_chains() -> None:
    """And its force inside vanishes at the tail: the flux of the water's momentum goes out there."""
    rod = ll.Rod(strains="universal", length=0.5, half_width=0.02, half_height=0.03)
    wave = ll.BodyWave(amplitude=0.3, growth=0.0, wavelength=0.5, period=0.8, ramp=0.4)
    options: dict[str, Any] = {"environment": ll.Water(), "duration": 1.2, "step": 0.005, "record_every": 0.1}
    one = ll.simulate(rod, wave, model="macro-continuous", **options).dataset
    off = []
    for links in (10, 20):
        chain = ll.simulate(rod.to_chain(links), wave, **options).dataset
        off.append(np.abs(chain.com_position.values[-1] - one.com_position.values[-1]).max())
    assert off[1] < 0.4 * off[0] < 0.004
    force = np.abs(one.internal_wrench.values[..., :3]).max(axis=2)
    assert force[-1, -1] < 0.1 * force[-1].max()
    assert one.tail_wrench.values.max() < 1e-9


def test_a_rod_that_stretches_has_no_wake_and_says_so() -> None:
    rod = ll.Rod(strains="reissner", length=0.5)
    scenario = ll.Scenario(
        robot=rod,
        gait=ll.TravellingCurvature(),
        environment=(ll.Water(),),
        model={"kind": "macro-continuous"},
        duration=0.1,
    )
    assert any("stretches" in note for note in scenario.notes())
    with pytest.raises(InputError, match=r"water\.wake.*stretches or shears"):
        ll.MacroContinuous(rod, ll.Water(wake="tail"))
    with pytest.raises(InputError, match="inertia"):
        ll.MacroContinuous(
            rod.changed(strains="planar"), ll.Water(), settings=ll.MacroContinuousSettings(inertia=False)
        )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"model": "lighthill", "added_mass": "paper"}, "added_mass"),
        ({"model": "morison", "wake": "tail"}, "wake"),
        ({"model": "morison", "tail": {"half_height": 0.1}}, "tail"),
        ({"tail": {"half_height": 0.0}}, "half_height"),
        ({"wake": "nose"}, "wake"),
    ],
)
def test_refusals(fields: dict, said: str) -> None:
    with pytest.raises(InputError, match=said):
        ll.Water(**fields)


def test_the_printed_form_is_asked_for_by_its_words_and_says_what_it_is() -> None:
    """A file that states `added_mass` means morison, as it always did."""
    assert ll.Water().model == "lighthill" and ll.Water().notes() == ()
    assert ll.Water(added_mass="consistent").model == ll.Water(added_mass="none").model == "morison"
    assert ll.Water(added_mass="consistent").notes() == ()
    for printed in (ll.Water(model="morison"), ll.Water(added_mass="paper")):
        assert printed.form == "paper" and "energy" in printed.notes()[0]
    assert any("energy" in note for note in ll.Scenario.load("eel-planar").notes())


STRAIGHT = ll.Rod(length=0.5, half_width=0.02, half_height=0.03, strains="planar", base="planar")
UNBENT = ll.CurvatureWave(curvature=0.0, wavelength=0.5, period=1.0)


@pytest.mark.parametrize(
    ("robot", "gait", "model"),
    [
        (SWIMMER, ll.BodyWave(amplitude=0.0), "newton-euler"),
        (SWIMMER, ll.BodyWave(amplitude=0.0), "non-smooth"),
        (STRAIGHT, UNBENT, "macro-continuous"),
        (STRAIGHT, UNBENT, "soft"),
    ],
    ids=["links", "links that touch", "curve", "cells"],
)
def test_a_tail_that_runs_backwards_is_noted(robot: Any, gait: Any, model: str) -> None:
    start = {"twist": (0.5, 0.1, 0, 0, 0, 0)}
    run = ll.simulate(robot, gait, ll.Water(), duration=0.2, step=0.01, initial=start, model=model)
    assert (run.dataset.wake_reversed.values == 1.0).all()
    assert sum("backwards" in note for note in run.notes) == 1


def test_parts_of_a_body_have_coefficients_of_their_own() -> None:
    """By link and by stretch alike; a fin of twice the added mass on one link is that body in that water."""
    twist, zero = [0.0, 0.3, 0.1, 0.0, 0.0, 0.0], np.zeros(8)
    named, measured, all_over = (
        ll.NewtonEuler(SWIMMER, ll.Water(wake="none", **fields)).inverse(zero, zero, zero, twist).base_acceleration
        for fields in (
            {"parts": [{"links": (0, 1), "drag": (0.0, 2.0, 3.0, 0.0)}]},
            {"parts": [{"between": (0.0, 0.2), "drag": (0.0, 2.0, 3.0, 0.0)}]},
            {},
        )
    )
    np.testing.assert_array_equal(named, measured)
    assert abs(named[5] - all_over[5]) > 1e-3
    every = ll.Water(wake="none", parts=[{"links": tuple(range(5)), "inertia": (2.0, 2.0, 1.0)}])
    doubled = ll.NewtonEuler(SWIMMER, every).inverse(zero, zero, zero, twist).base_acceleration
    stated = ll.NewtonEuler(SWIMMER, ll.Water(wake="none", inertia=(2.0, 2.0, 1.0))).inverse(zero, zero, zero, twist)
    np.testing.assert_array_equal(doubled, stated.base_acceleration)
    with pytest.raises(InputError, match=r"water\.parts\.0"):
        ll.NewtonEuler(SWIMMER, ll.Water(parts=[{"links": (7,), "drag": (0.0, 1.0, 1.0, 0.0)}]))
    with pytest.raises(InputError, match="one of both"):
        ll.Water(parts=[{"drag": (0.0, 1.0, 1.0, 0.0)}])


def test_a_model_with_contacts_records_the_water_as_one_without() -> None:
    """Immersion, wake and current had been left out of its records without a word."""
    fields = {"duration": 0.5, "step": 0.002, "record_every": 0.1}
    one, other = (
        ll.run("eel-surface", {**fields, "model": {"kind": kind}}).dataset for kind in ("newton-euler", "non-smooth")
    )
    close = {"immersion": 1e-3, "wake_force": 1e-3, "wake_power": 2e-2, "wake_reversed": 0.0}  # two rules of stepping
    for name, share in close.items():
        scale = float(np.abs(one[name]).max())
        np.testing.assert_allclose(other[name], one[name], rtol=0, atol=share * scale, err_msg=name)
    assert float(np.abs(one["wake_force"]).max()) > 0.0 and 0.5 < float(one["immersion"].mean()) < 1.0
