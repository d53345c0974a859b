"""Flows: rates and gradients against differences, bodies that the water carries, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.environments.flows.base import joined
from limbless.environments.flows.oscillating import OscillatingFlow
from limbless.environments.flows.shear import ShearFlow
from limbless.environments.flows.uniform import UniformFlow
from limbless.environments.flows.user_flow import FunctionFlow, compiled_flow
from limbless.environments.flows.vortices import VorticesFlow
from limbless.environments.flows.waves import WavesFlow
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.forces.flow import Flows, flow_at

STILL = ll.BodyWave(amplitude=0.0)
NO_DRAG = (0.0, 0.0, 0.0, 0.0)
ACROSS = (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5))  # the body's axis along y
KINDS = {
    "uniform": UniformFlow(velocity=(0.1, -0.2, 0.3)),
    "shear": ShearFlow(
        velocity=(0.1, 0.0, 0.2),
        gradient=((0.3, 0.2, -0.1), (0.5, -0.4, 0.2), (0.1, -0.3, 0.1)),
        origin=(0.2, 0.1, 0.0),
    ),
    "oscillating": OscillatingFlow(mean=(0.1, 0.0, 0.0), amplitude=(0.0, 0.3, 0.1), period=1.3, phase=0.4),
    "vortices": VorticesFlow(
        places=((0.1, 0.2, 0.0), (0.5, -0.1, 0.3)),
        circulations=(0.2, -0.1),
        core=0.15,
        axis=(0.3, 0.2, 1.0),
        drift=(0.2, 0.1, -0.1),
    ),
    "deep waves": WavesFlow(amplitude=0.05, length=2.0, direction=0.7, phase=0.4),
    "shallow waves": WavesFlow(amplitude=0.02, period=1.5, direction=-0.3, depth=0.6),
}


@pytest.mark.parametrize("name", KINDS)
def test_rate_and_gradient_are_those_of_the_velocity(name: str) -> None:
    """The compiled formulas (here as plain Python) against differences of the velocity that pictures use."""
    flow, t, x, h = KINDS[name], 0.37, np.array([0.23, 0.31, -0.17]), 1e-6
    found = flow_at(Flows(flow.rows(0.05), None), t, Vector(*x))

    def u(time: float, place: np.ndarray) -> np.ndarray:
        return flow.at(np.array(time), place, 0.05)

    np.testing.assert_allclose(found.velocity, u(t, x), atol=1e-14)
    np.testing.assert_allclose(found.rate, (u(t + h, x) - u(t - h, x)) / (2 * h), atol=1e-8)
    slopes = np.column_stack([(u(t, x + step) - u(t, x - step)) / (2 * h) for step in h * np.eye(3)])
    np.testing.assert_allclose(np.array(found.gradient), slopes, atol=1e-8)


def test_waves_keep_their_volume_and_their_dispersion() -> None:
    """No sources, no rotation, and ω² = g k tanh(k h) for length and period alike."""
    for name in ("deep waves", "shallow waves"):
        G = np.array(flow_at(Flows(KINDS[name].rows(0.0), None), 0.2, Vector(0.4, 0.1, -0.2)).gradient)
        assert abs(np.trace(G)) < 1e-12 and np.abs(G - G.T).max() < 1e-12
    wave = WavesFlow(amplitude=0.01, period=1.5, depth=0.6)
    assert wave.rate == pytest.approx(2 * math.pi / 1.5, rel=1e-12)
    assert WavesFlow(amplitude=0.01, length=2 * math.pi / wave.number, depth=0.6).rate == pytest.approx(wave.rate)


@pytest.mark.parametrize("height", [1e4, -1e4])
def test_far_from_the_surface_waves_are_numbers(height: float) -> None:
    """Where their exponentials would overflow: above, where no body is wet, and deep below, where nothing moves."""
    for wave in (WavesFlow(amplitude=0.01, length=0.5), WavesFlow(amplitude=0.01, length=0.5, depth=20.0)):
        found = flow_at(Flows(wave.rows(0.0), None), 0.2, Vector(0.3, 0.1, height))
        u = wave.at(np.array(0.2), np.array([0.3, 0.1, height]))
        assert np.isfinite(u).all() and np.isfinite(np.array(found.gradient)).all()
        np.testing.assert_allclose(found.velocity, u, rtol=1e-12)
        assert height > 0.0 or np.abs(u).max() < 1e-20


def test_the_middle_of_a_vortex_turns_as_a_solid() -> None:
    vortex = VorticesFlow(circulations=0.3, core=0.2)
    for x in (0.0, 1e-9, 6e-4):
        G = flow_at(Flows(vortex.rows(0.0), None), 0.0, Vector(x, 0.0, 0.0)).gradient
        assert G.y.x == pytest.approx(0.3 / (2 * math.pi * 0.04), rel=1e-4)
        assert G.x.y == pytest.approx(-G.y.x, rel=1e-4)


def drifting(water: dict, density: float = 1000.0, half: tuple = (0.05, 0.05), length: float = 0.3, **run: Any) -> Any:
    robot = ll.UniformChain(links=1, length=length, half_width=half[0], half_height=half[1], density=density)
    water = ll.Water(**{"drag": NO_DRAG, "wake": "none", **water})
    options: dict[str, Any] = {"duration": 1.0, "step": 0.005, "record_every": 0.05, **run}
    return ll.simulate(robot, STILL, [water, *options.pop("others", ())], **options).dataset


@pytest.mark.parametrize(
    ("ratio", "half", "place"), [(2.0, (0.05, 0.05), 0.05517371360519039), (0.5, (0.03, 0.06), 0.09931268448934269)]
)
def test_an_oscillating_stream_carries_a_body_along(ratio: float, half: tuple, place: float) -> None:
    """From rest, across the body: 2 (1 + b/a) / (s + b/a) 0.2 T / (2π) after half a period."""
    flow = {"kind": "oscillating", "amplitude": (0.0, 0.2, 0.0), "period": 1.3}
    data = drifting({"flow": [flow]}, 1000.0 * ratio, half, duration=0.65, step=0.0025, record_every=0.05)
    assert data.base_position.values[-1, 1] == pytest.approx(place, rel=1e-9)
    np.testing.assert_allclose(
        data.water_velocity.values[3, 0], [0, 0.2 * math.sin(2 * math.pi * 0.15 / 1.3), 0], atol=1e-12
    )


def test_a_body_as_dense_as_the_water_goes_with_it() -> None:
    """Exactly, once it moves with it: in an unsteady stream it does what the water does."""
    flow = {"kind": "oscillating", "mean": (0.1, 0.0, 0.0), "amplitude": (0.05, 0.2, 0.1), "period": 1.3}
    data = drifting({"flow": [flow]}, initial={"twist": (0.1, 0.0, 0.0, 0.0, 0.0, 0.0)}, step=0.01, record_every=0.1)
    t, w = data.time.values, 2 * math.pi / 1.3
    gone = np.outer((1 - np.cos(w * t)) / w, [0.05, 0.2, 0.1]) + np.outer(t, [0.1, 0, 0])
    np.testing.assert_allclose(data.base_position.values, gone, atol=1e-9)


@pytest.mark.parametrize("ratio", [0.4, 1.0, 2.5])
def test_a_level_cylinder_let_go(ratio: float) -> None:
    """-(s - 1) g / (s + 1): its own mass and as much water again."""
    link = ll.UniformChain(links=1, length=0.5, half_width=0.05, half_height=0.05, density=1000.0 * ratio)
    water = [ll.Water(gravity=(0.0, 0.0, -9.81)), ll.Gravity()]
    found = ll.NewtonEuler(link, water).inverse([], [], []).base_acceleration
    np.testing.assert_allclose(found, [0, 0, -(ratio - 1) * 9.81 / (ratio + 1), 0, 0, 0], atol=1e-8)


def test_strain_of_the_stream_throws_out_a_heavy_body() -> None:
    """y'' = 2 γ² y / (1 + s), across a thin link along x."""
    flow = {"kind": "shear", "gradient": ((0, 0, 0), (0, 0.8, 0), (0, 0, -0.8))}
    data = drifting({"flow": [flow]}, 2000.0, (0.001, 0.001), 0.002, initial={"position": (0.0, 0.3, 0.2)})
    root = math.cosh(0.8 * math.sqrt(2 / 3))
    np.testing.assert_allclose(data.base_position.values[-1, 1:], [0.3 * root, 0.2 * root], rtol=1e-9)


def test_galilei() -> None:
    """Who starts with the current swims in it as in still water, on the way and with the same torques; also where the
    current comes as a flow among others."""
    swimmer = ll.UniformChain(links=5, length=0.1, half_width=0.02, half_height=0.03)
    half = {"kind": "oscillating", "mean": (0.05, 0.025, -0.01), "amplitude": (0.0, 0.0, 0.0)}
    gait, u = ll.BodyWave(amplitude=0.5, growth=0.0, wavelength=0.5, period=0.8, ramp=0.4), np.array([0.1, 0.05, -0.02])
    still, current, flows = (
        ll.simulate(
            swimmer, gait, water, duration=0.8, step=0.005, record_every=0.1, initial={"twist": (*v, 0, 0, 0)}
        ).dataset
        for water, v in (
            (ll.Water(), (0, 0, 0)),
            (ll.Water(current=tuple(u)), u),
            (ll.Water(flow=[{"kind": "uniform", "velocity": tuple(0.5 * u)}, half]), u),
        )
    )
    for moving in (current, flows):
        np.testing.assert_allclose(
            moving.base_position.values, still.base_position.values + np.outer(still.time.values, u), atol=1e-10
        )
        np.testing.assert_allclose(moving.joint_torque.values, still.joint_torque.values, atol=1e-10)


def test_waves_carry_a_small_body_as_they_carry_the_water() -> None:
    """Stokes' drift: five periods below a crest, against a particle of the water (0.0052246 m/s); with the rate at one
    place in the pressure, in place of that along the way, it would be another."""
    wave = WavesFlow(amplitude=0.05, length=4.0)
    period = 2 * math.pi / wave.rate
    start = wave.at(np.array(0.0), np.array([0.0, 0.0, -0.3]))
    turned = (start[1], -start[0], start[2])  # along the axes of a body that lies along y
    data = drifting(
        {"flow": [wave], "surface": 0.0},
        1000.0,
        (0.01, 0.01),
        0.02,
        duration=5 * period,
        step=period / 200,
        record_every=period,
        others=(ll.Gravity(),),
        initial={"position": (0.0, -0.01, -0.3), "orientation": ACROSS, "twist": (*turned, 0, 0, 0)},
    )
    drift = data.position.values[-1, 0, 0] / (5 * period)
    assert drift == pytest.approx(0.005224605987653301, rel=2e-6)
    assert np.all(data.immersion.values == pytest.approx(1.0))


def test_a_users_flow_is_the_flow_that_it_is() -> None:
    """The built-in shear written as a function, with its gradient and without."""
    shear = ShearFlow(velocity=(0.1, 0.0, 0.0), rate=0.4)
    given = [[0.0, 0.4, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    own = FunctionFlow(function=lambda t, x: [0.1 + 0.4 * x[1], 0.0, 0.0], gradient=lambda t, x: given)
    differences = FunctionFlow(function=lambda t, x: [0.1 + 0.4 * x[1], 0.0, 0.0])
    link, place = ll.UniformChain(links=1, density=1500.0), (0.0, 0.2, 0.0)
    found = [
        ll.NewtonEuler(link, ll.Water(flow=[flow])).inverse([], [], [], base_position=place).base_acceleration
        for flow in (shear, own, differences)
    ]
    np.testing.assert_allclose(found[1], found[0], atol=1e-9)
    np.testing.assert_allclose(found[2], found[0], atol=1e-8)


def test_a_compiled_flow_is_the_flow_that_it_is() -> None:
    """Vortices written as a function of four numbers, against the built-in ones; it can be drawn as well."""
    built_in = VorticesFlow(places=((0.3, 0.1, 0.0),), circulations=0.2, core=0.2, drift=(0.1, 0.0, 0.0))

    def swirl(t, x, y, z):
        a, b = x - 0.3 - 0.1 * t, y - 0.1
        square = a * a + b * b
        turn = 0.2 / (2.0 * math.pi * square) * (1.0 - math.exp(-square / 0.04))
        return -turn * b, turn * a, 0.0

    own = compiled_flow(swirl)
    swimmer = ll.UniformChain(links=5, length=0.1, half_width=0.02, half_height=0.03)
    q = np.array([0.2, -0.1, 0.3, 0.1])
    found, wanted = (
        ll.NewtonEuler(swimmer, ll.Water(flow=[flow])).inverse(q, q, q, time=0.4)
        for flow in (FunctionFlow(function=own), built_in)
    )
    np.testing.assert_allclose(found.base_acceleration, wanted.base_acceleration, atol=1e-6)
    place = np.array([[0.2, 0.3, 0.0], [0.5, 0.0, 0.1]])
    np.testing.assert_allclose(
        FunctionFlow(function=own).at(np.array(0.4), place), built_in.at(np.full(2, 0.4), place), atol=1e-12
    )
    with pytest.raises(InputError, match="compiled flow finds its own"):
        FunctionFlow(function=own, gradient=lambda t, x: np.zeros((3, 3)))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: WavesFlow(amplitude=0.2, length=2.0), "too steep"),
        (lambda: WavesFlow(length=2.0, period=1.0), "one of them"),
        (lambda: WavesFlow(length=2.0, depth=0.0), "depth"),
        (lambda: ShearFlow(), "one of them"),
        (lambda: VorticesFlow(core=0.0), "core"),
        (lambda: VorticesFlow(circulations=(1.0, 2.0)), "circulations"),
        (lambda: ll.Water(flow=[{"kind": "waves", "length": 3.0}]), "surface"),
        (lambda: ll.Water(flow=[{"kind": "wave", "length": 3.0}]), "waves"),
        (lambda: ll.Water(model="morison", flow=[{"kind": "shear", "rate": 1.0}]), "printed form"),
    ],
)
def test_refusals(make: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        make()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([1.0, 2.0], r"must return shape \(3,\).*at t = "),
        ([1.0, 2.0, math.nan], "not finite at t = "),
        ("no", "numbers"),
    ],
)
def test_a_users_flow_that_fails_says_when_and_where(answer: Any, said: str) -> None:
    own = FunctionFlow(function=lambda t, x: answer)
    with pytest.raises((InputError, ll.SimulationError), match=said):
        ll.NewtonEuler(ll.UniformChain(links=1), ll.Water(flow=[own])).inverse([], [], [])


def test_steep_waves_are_noted() -> None:
    assert any("linear theory" in note for note in WavesFlow(amplitude=0.1, length=4.0).notes())


def test_a_street_has_two_staggered_rows_that_push_water_between_them() -> None:
    """Von Karman's street: each vortex stands midway between two of the other row; between the rows water is pushed
    along -x by the one that turns clockwise at y > 0 and the other below, and along x outside.
    """
    street = VorticesFlow.street(0.4, 0.1, 0.2, count=40, start=(-8.0, 1.0, 0.5), core=0.01)
    places, turns = np.array(street.places), np.array(street.circulations)
    upper, lower = places[places[:, 1] > 1.0], places[places[:, 1] < 1.0]
    assert (turns[places[:, 1] > 1.0] == -0.2).all() and (turns[places[:, 1] < 1.0] == 0.2).all()
    assert np.diff(upper[:, 0]) == pytest.approx(0.4) and upper[0] == pytest.approx([-8.0, 1.05, 0.5])
    assert lower[:, 0] - upper[:, 0] == pytest.approx(0.2) and lower[:, 1] == pytest.approx(0.95)
    x = np.linspace(-0.4, 0.4, 41)[:-1]
    middle = street.at(np.zeros(40), np.stack([x, np.full(40, 1.0), np.full(40, 0.5)], axis=1))
    # two infinite rows: the mean of the velocity between them is circulation over spacing
    assert middle[:, 0].mean() == pytest.approx(-0.2 / 0.4, rel=0.02)


def test_a_rate_of_shear_goes_along_one_axis_and_grows_across_the_other() -> None:
    for along, across in (("x", "y"), ("z", "x"), ("y", "z")):
        flow = ShearFlow(rate=0.5, along=along, across=across)
        place = np.zeros(3)
        place["xyz".index(across)] = 2.0
        assert flow.at(np.array(0.0), place)["xyz".index(along)] == 1.0 == np.abs(flow.at(np.array(0.0), place)).sum()


def test_flows_in_a_list_add_up_each_by_its_own_law() -> None:
    """Kinds with different formulas, in both orders."""
    t, x = 0.4, np.array([0.23, 0.31, -0.17])
    parts = (KINDS["shear"], KINDS["vortices"], KINDS["deep waves"])
    for flows in (parts, parts[::-1]):
        found = flow_at(Flows(joined(flows, 0.0), None), t, Vector(*x))
        np.testing.assert_allclose(found.velocity, sum(flow.at(np.array(t), x) for flow in flows), atol=1e-14)


def test_the_surface_of_a_wave_rises_with_the_water_and_slopes_as_it_stands() -> None:
    """dη/dt is the vertical velocity at the still level (Airy), and the slope that of neighbouring heights."""
    h = 1e-6
    for name in ("deep waves", "shallow waves"):
        wave, x, t = KINDS[name], np.array([0.3, 0.2, 0.0]), 0.37
        rises = (wave.height(np.array(t + h), x) - wave.height(np.array(t - h), x)) / (2 * h)
        assert rises == pytest.approx(wave.at(np.array(t), x)[2], rel=1e-6)
        ahead, behind = (
            np.array([wave.height(np.array(t), x + side * d) for d in h * np.eye(3)[:2]]) for side in (1.0, -1.0)
        )
        slopes = (ahead - behind) / (2 * h)
        assert wave.slope(np.array(t), x) == pytest.approx(slopes, rel=1e-6)
