"""Water with a surface: hydrostatics, floating, bobbing, and energy that is kept."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.environments.flows.waves import WavesFlow
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.forces.immersion import arc_of, cut_section

G, RHO = 9.81, 1000.0
STILL = ll.BodyWave(amplitude=0.0)
NO_DRAG = (0.0, 0.0, 0.0, 0.0)


def cylinder(half_width: float, half_height: float, length: float, density: float = 500.0, **fields: Any) -> Any:
    return ll.UniformChain(
        links=1, length=length, half_width=half_width, half_height=half_height, density=density, **fields
    )


def turn(roll: float, pitch: float) -> np.ndarray:
    """Ry(pitch) Rx(roll)"""
    c, s = math.cos(pitch), math.sin(pitch)
    k, r = math.cos(roll), math.sin(roll)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ np.array([[1, 0, 0], [0, k, -r], [0, r, k]])


def quaternion(roll: float, pitch: float) -> tuple:
    a, b = (math.cos(pitch / 2), math.sin(pitch / 2)), (math.cos(roll / 2), math.sin(roll / 2))
    return (a[0] * b[0], a[0] * b[1], a[1] * b[0], -a[1] * b[1])


@pytest.mark.parametrize(("n", "depth"), [((0.3, 0.8), 0.01), ((-0.5, 0.2), -0.02), ((0.95, 0.1), 0.03)])
def test_a_cut_section_is_what_a_grid_counts(n: tuple, depth: float) -> None:
    """Share and first moment by counting points; their changes by differences of the share."""
    a, b, size = 0.065, 0.09, math.hypot(*n)
    normal = np.array([math.sqrt(max(1.0 - size**2, 0.0)), *n])
    y, z = np.meshgrid(a * (np.arange(2000) + 0.5) / 1000 - a, b * (np.arange(2000) + 0.5) / 1000 - b, indexing="ij")
    inside = (y / a) ** 2 + (z / b) ** 2 < 1.0
    wet = inside & (y * n[0] + z * n[1] < depth)
    cut = cut_section(a, b, Vector(*normal), depth)
    assert cut.share == pytest.approx(wet.sum() / inside.sum(), abs=2e-5)
    np.testing.assert_allclose(
        [cut.moment.y, cut.moment.z], [y[wet].sum() / inside.sum(), z[wet].sum() / inside.sum()], atol=3e-6
    )
    h = 1e-7

    def share(d: float, direction: np.ndarray) -> float:
        return cut_section(a, b, Vector(*direction), d).share

    assert np.dot(cut.along, normal) == pytest.approx(
        (share(depth - h, normal) - share(depth + h, normal)) / (2 * h), rel=1e-6
    )
    for axis in np.eye(3):  # the section turns about it: the plane turns back
        there, back = (normal - np.cross(sign * h * axis, normal) for sign in (1.0, -1.0))
        slope = (share(depth, there) - share(depth, back)) / (2 * h)
        assert np.dot(cut.about, axis) == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize(
    ("pitch", "roll", "front", "volume", "moment"),
    [
        (0.3, 0.4, -0.02, 0.006785310264570401, (0.0013611276907215123, 6.211831878175258e-06, -0.0004561911516363438)),
        (
            -0.05,
            1.1,
            0.03,
            0.0011902259104747,
            (0.00020467742100605305, 1.921706649860105e-05, -5.1447088782542215e-05),
        ),
        (1.2, 0.0, 0.1, 0.005379487076474309, (0.0004799267987478076, 0.0, -0.0012743742484928123)),
    ],
)
@pytest.mark.parametrize("kind", ["buoyancy", "water"])
def test_lift_of_a_tilted_link(
    kind: str, pitch: float, roll: float, front: float, volume: float, moment: tuple
) -> None:
    """Immersed volume and its first moment about the front end, against an independent integration; by `buoyancy` and
    by `water` alike."""
    link = cylinder(0.065, 0.09, 0.4, base="fixed")
    lifts = {"buoyancy": ll.Buoyancy(surface=0.0), "water": ll.Water(surface=0.0, gravity=(0.0, 0.0, -G))}
    held = (
        ll.NewtonEuler(link, lifts[kind])
        .inverse([], [], [], base_position=(0.0, 0.0, front), base_orientation=quaternion(roll, pitch))
        .base_reaction
    )
    R = turn(roll, pitch)
    np.testing.assert_allclose(-(R @ held[:3]), [0, 0, RHO * G * volume], rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(-(R @ held[3:]), RHO * G * np.cross(moment, [0, 0, 1.0]), rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    ("n", "depth", "share", "moment"),
    [
        ((0.3, 0.8), 0.01, 0.5850884212763398, (-0.003509048806236685, -0.017939752476855003)),
        ((-0.5, 0.2), -0.02, 0.17464637232535637, (0.007221798233490915, -0.005538136396807233)),
    ],
)
def test_a_cut_section_against_an_independent_integration(n: tuple, depth: float, share: float, moment: tuple) -> None:
    """Half axes 0.065 and 0.09 m."""
    cut = cut_section(0.065, 0.09, Vector(math.sqrt(1.0 - n[0] ** 2 - n[1] ** 2), *n), depth)
    assert cut.share == pytest.approx(share, abs=1e-12)
    np.testing.assert_allclose(cut.moment[1:], moment, atol=1e-12)


def test_the_arc_under_water_is_an_arccosine_to_rounding() -> None:
    for h in np.concatenate([np.linspace(-1.0, 1.0, 2001), [-0.5, 0.5, np.nextafter(0.5, 1.0), 1e-9, -1.0 + 1e-12]]):
        assert abs(arc_of(h) - math.acos(-h)) <= 4.5e-16 * max(1.0, math.acos(-h))


def test_bodies_under_water_are_taken_as_in_deep_water() -> None:
    """Eight at a time, apart from those that the surface may cut: the same as deep water with its lift, whatever part
    of the body is far below; also under waves, against their velocity as a function."""
    eel, rng = ll.KhalilEel(), np.random.default_rng(5)
    q, v, a = 0.2 * rng.normal(size=(3, 36))
    deep = [ll.Water(gravity=(0.0, 0.0, -G)), ll.Gravity()]
    under = [ll.Water(surface=2.0), ll.Gravity()]
    wave = WavesFlow(amplitude=0.05, length=3.0, depth=4.0)
    waves = [ll.Water(surface=2.0, flow=[wave]), ll.Gravity()]
    function = [
        ll.Water(
            gravity=(0.0, 0.0, -G),
            flow=[{"kind": "function", "function": lambda t, x: wave.at(np.array(t), np.asarray(x), 2.0)}],
        ),
        ll.Gravity(),
    ]
    for one, other, exact in ((under, deep, 1e-9), (waves, function, 1e-5)):
        found, wanted = (
            ll.NewtonEuler(eel, water).inverse(q, v, a, [0.1, 0.2, 0.0, 0.3, 0.0, 0.1], time=0.4)
            for water in (one, other)
        )
        np.testing.assert_allclose(found.base_acceleration, wanted.base_acceleration, atol=exact)
        np.testing.assert_allclose(found.joint_torque, wanted.joint_torque, atol=exact)


@pytest.mark.parametrize(
    ("slope", "length", "radius", "ratio", "water_at", "upper", "lower", "along"),
    [
        (0.1, 0.122, 0.0525, 0.65, 0.061, 0.7401170719734398, 0.8066092466188599, -0.1551902779818945),
        (0.2, 0.3, 0.03, 0.9, 0.1, 1.608750415743681, 0.3499362976788353, -0.39704545322824325),
    ],
)
def test_a_link_on_a_beach(
    slope: float, length: float, radius: float, ratio: float, water_at: float, upper: float, lower: float, along: float
) -> None:
    """It lies along the slope on a sphere at each end, half in the water: what each bears, and what holds it, against
    an independent integration. A lift without the moment of the cut section would load them otherwise. Contacts take
    some dozen steps to settle to their load."""
    link = ll.UniformChain(
        links=1, length=length, half_width=radius, half_height=radius, density=1000.0 * ratio, contact_radius=radius
    )
    height = water_at * math.sin(slope)
    ground = ll.Ground(
        slope=(-slope, 0.0), height=height - radius / math.cos(slope), forward=0.5, lateral=0.5, rolling=0.0
    )
    data = ll.simulate(
        link,
        STILL,
        [ll.Water(surface=0.0), ll.Gravity(), ground],
        model="non-smooth",
        duration=0.08,
        step=0.001,
        initial={"position": (0.0, 0.0, height), "orientation": quaternion(0.0, slope)},
        record_every=0.005,
    ).dataset
    force = data.contact_force.values[-1]
    s, c = math.sin(slope), math.cos(slope)
    normal, down = np.array([s, 0.0, c]), np.array([c, 0.0, -s])
    np.testing.assert_allclose(force @ normal, [upper, lower], rtol=1e-5)
    assert force.sum(axis=0) @ down == pytest.approx(along, rel=1e-5)
    assert abs(along) / (upper + lower) == pytest.approx(math.tan(slope), rel=1e-9)


@pytest.mark.parametrize("roll", [0.05, 0.3, 0.8])
def test_righting_moment_at_any_roll(roll: float) -> None:
    """Half-dense ellipse: -(2/3) ρ g L a b (a² - b²) sin cos / sqrt(a² sin² + b² cos²)."""
    a, b = 0.09, 0.065
    held = (
        ll.NewtonEuler(cylinder(a, b, 1.0, base="fixed"), [ll.Water(surface=0.0), ll.Gravity()])
        .inverse([], [], [], base_orientation=quaternion(roll, 0.0))
        .base_reaction
    )
    s, c = math.sin(roll), math.cos(roll)
    expected = -2 / 3 * RHO * G * a * b * (a**2 - b**2) * s * c / math.hypot(a * s, b * c)
    assert -held[3] == pytest.approx(expected, rel=1e-12)


def test_a_body_as_dense_as_the_water_stays_where_it_is_under_the_surface() -> None:
    """An eel with its caps: each link lifts its own volume, no more."""
    eel, still = ll.KhalilEel(base="fixed"), np.zeros(36)
    held = ll.NewtonEuler(eel, [ll.Water(surface=1.0), ll.Gravity()]).inverse(still, still, still).base_reaction
    np.testing.assert_allclose(held[:3], 0.0, atol=1e-9)


def bob(start: float, duration: float) -> Any:
    water = ll.Water(drag=NO_DRAG, surface=0.0, wake="none")
    return ll.simulate(
        cylinder(0.05, 0.05, 0.5),
        STILL,
        [water, ll.Gravity()],
        duration=duration,
        step=0.002,
        record_every=0.01,
        initial={"position": (0.0, 0.0, start)},
    )


def test_heave_has_its_period_and_keeps_its_energy() -> None:
    """2π sqrt(π r / 2g) for small heave of a half-dense cylinder. From 0.03 m the energy is kept: with frozen immersion
    it would grow by a third in two seconds."""
    small = bob(0.001, 1.2).dataset
    z, t = small.base_position.values[:, 2], small.time.values
    crossings = [t[i] + (t[i + 1] - t[i]) * z[i] / (z[i] - z[i + 1]) for i in range(len(t) - 1) if z[i] * z[i + 1] < 0]
    assert crossings[2] - crossings[0] == pytest.approx(2 * math.pi * math.sqrt(math.pi * 0.05 / (2 * G)), rel=1e-4)
    large = bob(0.03, 2.0)
    data = large.dataset
    assert data.base_position.values[100, 2] == pytest.approx(-0.005292, abs=1e-5)
    assert data.base_position.values[200, 2] == pytest.approx(-0.029998, abs=1e-5)
    highest = np.abs(data.base_position.values[:, 2]).max()
    assert highest == pytest.approx(0.03, abs=1e-6)
    assert large.proven
    assert data.immersion.values[0, 0] < 0.2 < data.immersion.values.max() < 1.0


def test_pitch_has_its_period() -> None:
    """L 0.5 m, r 0.05 m, half as dense as the water: 0.57808 s."""
    angle = 1e-3
    start = {
        "position": (-0.25 * math.cos(angle), 0.0, 0.25 * math.sin(angle)),
        "orientation": (math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0),
    }
    water = ll.Water(drag=NO_DRAG, surface=0.0, wake="none")
    data = ll.simulate(
        cylinder(0.05, 0.05, 0.5),
        STILL,
        [water, ll.Gravity()],
        duration=1.2,
        step=0.002,
        record_every=0.01,
        initial=start,
    ).dataset
    pitch, t = data.base_orientation.values[:, 2], data.time.values
    crossings = [
        t[i] + (t[i + 1] - t[i]) * pitch[i] / (pitch[i] - pitch[i + 1])
        for i in range(len(t) - 1)
        if pitch[i] * pitch[i + 1] < 0
    ]
    assert 2 * np.mean(np.diff(crossings)) == pytest.approx(0.5780796881711596, rel=1e-4)


@pytest.mark.parametrize("flows", [(), (WavesFlow(amplitude=0.03, length=1.5, phase=0.3),)], ids=["still", "waves"])
def test_a_swimmer_at_the_surface_keeps_its_balances(flows: tuple) -> None:
    """Kinetic energy of body and wet water against all works, momentum against impulse: of fourth order in the step."""
    swimmer = ll.UniformChain(links=4, length=0.1, half_width=0.03, half_height=0.03, density=700.0)
    gait = ll.BodyWave(amplitude=0.4, growth=0.0, wavelength=0.4, period=0.8, ramp=0.4)
    found = []
    for step in (0.01, 0.005):
        run = ll.simulate(
            swimmer,
            gait,
            [ll.Water(surface=0.0, flow=flows, points=8), ll.Gravity()],
            duration=0.8,
            step=step,
            record_every=0.02,
            initial={"twist": (0.0, 0.1, 0.2, 0.5, 0.3, 0.0)},
        )
        found.append({name: balance["value"] for name, balance in run.summary()["balances"].items()})
        assert run.proven, run.doubts
    assert found[1]["power"] < 0.3 * found[0]["power"]


def test_a_float_follows_the_waves() -> None:
    """A light cylinder across the waves stays within 0.16 mm of the surface and drifts with 0.0023886 m/s, a little
    less than the water (Stokes: 0.0024665)."""
    wave = WavesFlow(amplitude=0.02, length=4.0)
    period = 2 * math.pi / wave.rate
    u = wave.at(np.array(0.0), np.array([0.0, 0.0, 0.02]))
    water = ll.Water(surface=0.0, flow=[wave], wake="none")
    data = ll.simulate(
        cylinder(0.02, 0.02, 0.1),
        STILL,
        [water, ll.Gravity()],
        duration=5 * period,
        step=period / 400,
        record_every=period / 20,
        initial={
            "position": (0.0, -0.05, 0.02),
            "orientation": (math.sqrt(0.5), 0.0, 0.0, math.sqrt(0.5)),
            "twist": (0.0, -u[0], u[2], 0.0, 0.0, 0.0),
        },
    ).dataset
    middle = data.position.values[:, 0]
    assert middle[-1, 0] == pytest.approx(0.01911535, rel=2e-5)
    eta = wave.height(data.time.values, middle)
    assert np.abs(middle[:, 2] - eta).max() < 1.7e-4


@pytest.mark.parametrize("size", [{"length": 4.0}, {"period": 2.5}])
def test_waves_run_under_the_gravity_of_their_water(size: dict) -> None:
    """Froude's law: a quarter of the gravity and twice the time are the same motion, since quadratic drag and
    displaced water know no other scale.
    """
    paths = []
    for slow in (1.0, 2.0):
        wave = WavesFlow(
            amplitude=0.02,
            direction=0.3,
            depth=0.8,
            **{name: value * (slow if name == "period" else 1.0) for name, value in size.items()},
        )
        run = ll.simulate(
            cylinder(0.04, 0.04, 0.4, 800.0),
            STILL,
            [ll.Water(surface=0.0, flow=[wave], wake="none"), ll.Gravity(acceleration=(0.0, 0.0, -G / slow**2))],
            duration=0.4 * slow,
            step=0.004 * slow,
            initial={"position": (0.0, 0.0, -0.01)},
        )
        paths.append(run.dataset.base_position.values[-1])
        velocity = run.dataset.water_velocity.values[-1] * slow
        paths[-1] = np.concatenate([paths[-1], velocity.ravel()])
    np.testing.assert_allclose(paths[1], paths[0], atol=1e-12)


@pytest.mark.parametrize(
    ("ratio", "height", "angle", "reaction"),
    [(0.5, 0.1, 0.14207909295705942, 0.6355095253831554), (0.9, 0.05, 0.15959903715371168, 0.661434973081664)],
)
def test_a_rod_that_leans_out_of_the_water(ratio: float, height: float, angle: float, reaction: float) -> None:
    """Its dry end rests on an edge: at this angle nothing turns it, and the edge bears so much."""
    rod = cylinder(0.01, 0.01, 1.0, 1000.0 * ratio, base="fixed")
    held = (
        ll.NewtonEuler(rod, [ll.Water(surface=0.0), ll.Gravity()])
        .inverse([], [], [], base_position=(0.0, 0.0, height), base_orientation=quaternion(0.0, angle))
        .base_reaction
    )
    assert (turn(0.0, angle) @ held[:3])[2] == pytest.approx(reaction, rel=1e-6)
    assert abs(held[4]) < 1e-7


@pytest.mark.parametrize("model", ["newton-euler", pytest.param("non-smooth", marks=pytest.mark.long)])
def test_a_swimmer_at_the_surface(model: str) -> None:
    """Twelve links of 800 kg/m3 after three seconds, against an independent integration."""
    robot = ll.UniformChain(links=12, length=0.1, half_width=0.04, half_height=0.04, density=800.0)
    gait = ll.BodyWave(amplitude=0.5, growth=0.0, wavelength=0.8, period=1.5, ramp=1.5, spacing=0.1, x_first=0.0)
    step = 0.005 if model == "newton-euler" else 0.002
    data = ll.simulate(
        robot,
        gait,
        [ll.Water(surface=0.0, points=6), ll.Gravity()],
        model=model,
        duration=3.0,
        step=step,
        record_every=0.5,
        initial={"position": (0.0, 0.0, -0.019674)},
    ).dataset
    place = [-0.19680565826575747, -0.04717646203949331, -0.019738230399921092]
    np.testing.assert_allclose(data.base_position.values[-1], place, atol=1e-5 if model == "newton-euler" else 2e-3)


@pytest.mark.long
def test_a_swimmer_at_the_surface_for_twelve_seconds() -> None:
    robot = ll.UniformChain(links=12, length=0.1, half_width=0.04, half_height=0.04, density=800.0)
    gait = ll.BodyWave(amplitude=0.5, growth=0.0, wavelength=0.8, period=1.5, ramp=1.5, spacing=0.1, x_first=0.0)
    data = ll.simulate(
        robot,
        gait,
        [ll.Water(surface=0.0, points=6), ll.Gravity()],
        duration=12.0,
        step=0.005,
        record_every=0.5,
        initial={"position": (0.0, 0.0, -0.019674)},
    ).dataset
    np.testing.assert_allclose(data.base_position.values[-1], [-2.5032584503, -0.0423696631, -0.0198939319], atol=1e-5)
    deep = ll.simulate(robot, gait, ll.Water(points=6), duration=12.0, step=0.005, record_every=0.5).dataset
    speeds = [np.linalg.norm(run.base_position.values[-1] - run.base_position.values[-7]) / 3.0 for run in (data, deep)]
    assert speeds == pytest.approx([0.296943, 0.310222], abs=2e-6)


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ([ll.Water(surface=0.0)], "needs gravity"),
        ([ll.Water(surface=0.0), ll.Gravity(acceleration=(1.0, 0.0, -9.0))], "along -z"),
        ([ll.Water(surface=0.0), ll.Gravity(), ll.Buoyancy(surface=0.0)], "lift it again"),
        ([ll.Water(surface=0.0), ll.Water(), ll.Gravity()], "one water at a time"),
        ([ll.Water(surface=0.0, gravity=(0.0, 0.0, -1.62)), ll.Gravity()], "one field"),
        ([ll.Water(gravity=(0.0, 0.0, -1.62)), ll.Gravity()], "one field"),
        ([ll.Water(surface=0.0), ll.Gravity(active=((0.0, 1.0),))], "switched on and off"),
        ([ll.Water(gravity=(0.0, 0.0, -G)), ll.Gravity(), ll.Buoyancy()], "lift it again"),
        ([ll.Water(gravity=(0.0, 0.0, -G)), ll.Water(gravity=(0.0, 0.0, -G)), ll.Gravity()], "one water at a time"),
        (
            [
                ll.Water(surface=0.0, flow=[WavesFlow(amplitude=0.05, period=1.0)]),
                ll.Gravity(acceleration=(0.0, 0.0, -4.0)),
            ],
            "too steep",
        ),
    ],
)
def test_refusals(environment: list, said: str) -> None:
    with pytest.raises(InputError, match=said):
        ll.NewtonEuler(cylinder(0.05, 0.05, 0.5), environment)


def test_what_a_surface_is_not_for() -> None:
    wet = [ll.Water(surface=0.0), ll.Gravity()]
    with pytest.raises(InputError, match="deep water only"):
        ll.Geometric(ll.UniformChain(links=2), wet)
    with pytest.raises(InputError, match="active"):
        ll.Water(surface=0.0, active=((0.0, 1.0),))
