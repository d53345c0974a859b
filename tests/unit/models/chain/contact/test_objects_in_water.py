"""Water on free objects: how much of them is under it, their coefficients, and closed forms of floating and sinking.

All runs are in water with a surface and with a flow (often of no speed), so that one compiled version serves.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.environments.object_water import ellipsoid, in_water
from limbless.environments.objects import FreeObject
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.contact.immersed_hull import Rule, cut_hull

G, RHO, DEEP = 9.81, 1000.0, 50.0
NODES, WEIGHTS = np.polynomial.legendre.leggauss(8)
RULE = Rule(0.5 * (NODES + 1.0), 0.5 * WEIGHTS)
NO_DRAG = (0.0, 0.0, 0.0)


def hull(body: dict[str, Any]) -> Any:
    made = FreeObject(position=(0, 0, 0), **body)
    return SimpleNamespace(half=Vector(*made.half), volume=in_water(made).volume, box=made.sizes is not None)


BALL = {"shape": "sphere", "radius": 0.05}
LOG = {"shape": "capsule", "radius": 0.04, "length": 0.22}
CRATE = {"shape": "box", "sizes": (0.2, 0.14, 0.1)}


@pytest.mark.parametrize("h", [-0.8, 0.0, 0.4, 0.98])
def test_a_ball_is_cut_as_a_cap(h: float) -> None:
    for n in ((0.0, 0.0, 1.0), (0.6, 0.0, 0.8), (1.0, 0.0, 0.0)):
        cut = cut_hull(hull(BALL), RULE, Vector(*n), 0.05 * h)
        assert cut.share == pytest.approx((2.0 + 3.0 * h - h**3) / 4.0, abs=2e-7)
        np.testing.assert_allclose(cut.along, -0.75 * (1.0 - h * h) / 0.05 * np.array(n), rtol=1e-5, atol=1e-9)
        moment = -3.0 / 16.0 * 0.05 * (1.0 - h * h) ** 2 * np.array(n)
        np.testing.assert_allclose(cut.moment, moment, rtol=1e-5, atol=1e-9)
        np.testing.assert_allclose(cut.about, 0.0, atol=2e-5)


def test_level_and_upright_boxes_and_logs_are_cut_as_one_sees() -> None:
    crate = cut_hull(hull(CRATE), RULE, Vector(0.0, 0.0, 1.0), -0.02)
    assert crate.share == pytest.approx(0.3, abs=1e-14)
    np.testing.assert_allclose(crate.moment, (0.0, 0.0, -0.035 * 0.3), atol=1e-14)
    np.testing.assert_allclose(crate.along, (0.0, 0.0, -10.0), atol=1e-12)
    log = cut_hull(hull(LOG), RULE, Vector(1.0, 0.0, 0.0), 0.03)
    whole = np.pi * 0.04**2 * 0.22 + 4.0 / 3.0 * np.pi * 0.04**3
    assert log.share == pytest.approx((np.pi * 0.04**2 * 0.14 + 2.0 / 3.0 * np.pi * 0.04**3) / whole, rel=1e-6)
    np.testing.assert_allclose(log.along, (-np.pi * 0.04**2 / whole, 0.0, 0.0), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("body", [BALL, LOG, CRATE], ids=["ball", "log", "crate"])
def test_changes_of_the_share_are_its_derivatives(body: dict[str, Any]) -> None:
    """Sinking by dz and turning by dθ, at random planes; the first moment s is that of the potential
    ∫φ dz = φ depth - n.s, which turning changes by -s.dn.
    """
    rng, own, step = np.random.default_rng(1), hull(body), 1e-5
    for _ in range(6):
        n, depth = rng.normal(size=3), 0.03 * rng.uniform(-1.0, 1.0)
        n /= np.linalg.norm(n)
        cut = cut_hull(own, RULE, Vector(*n), depth)
        shares = [cut_hull(own, RULE, Vector(*n), depth + side * step).share for side in (1, -1)]
        np.testing.assert_allclose(cut.along, -(shares[0] - shares[1]) / (2 * step) * n, atol=2e-4)
        for axis in np.eye(3):
            turned = [n - side * step * np.cross(axis, n) for side in (1, -1)]
            cuts = [cut_hull(own, RULE, Vector(*(m / np.linalg.norm(m))), depth) for m in turned]
            change = (cuts[0].share - cuts[1].share) / (2 * step)
            assert np.array(cut.about) @ axis == pytest.approx(change, abs=2e-5)
            held = [one.share * depth - np.array(one.moment) @ m for one, m in zip(cuts, turned, strict=True)]
            slope = np.array(cut.moment) @ np.cross(axis, n)
            assert (held[0] - held[1]) / (2 * step) == pytest.approx(slope, abs=1e-6)


def test_ellipsoids_have_the_added_mass_that_lamb_gives() -> None:
    along, about = ellipsoid(np.array([5.0, 1.0, 1.0]))
    np.testing.assert_allclose(along, (0.0591, 0.8943, 0.8943), atol=1e-4)
    np.testing.assert_allclose(about, (0.0, 0.6999, 0.6999), atol=1e-4)
    np.testing.assert_allclose(
        in_water(FreeObject(position=(0, 0, 0), **BALL)).added, 0.5 * 4.0 / 3.0 * np.pi * 0.05**3
    )
    cube = in_water(FreeObject(shape="box", sizes=(0.1, 0.1, 0.1), position=(0, 0, 0)))
    np.testing.assert_allclose(cube.added, 0.68e-3, rtol=1e-9)
    np.testing.assert_allclose(cube.drag, 0.5 * 1.05 * 0.01)


ROD = ll.Chain.uniform(links=1, length=0.2, half_width=0.02, half_height=0.02, contact_radius=0.02)
WEIGHT = ll.Gravity()


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ((ll.Water(), ll.Buoyancy()), "buoyancy acts on the robot and not on free objects"),
        ((ll.Water(),), "deep water without gravity of its own lifts nothing"),
        ((ll.Water(added_mass="paper"),), "set water.model to lighthill"),
        ((ll.Water(gravity=(0, 0, -G)), ll.Water(gravity=(0, 0, -G))), "one water at a time"),
    ],
)
def test_waters_that_objects_do_not_take(environment: Any, words: str) -> None:
    ball = FreeObject(position=(1.0, 0.0, 0.0), **BALL)
    with pytest.raises(ll.InputError, match=words):
        ll.NonSmooth(ROD, (*environment, WEIGHT, ll.Objects(bodies=(ball,))))


def test_coefficients_without_water_and_negative_ones_are_refused() -> None:
    ball = FreeObject(position=(1.0, 0.0, 0.0), drag=(1, 1, 1), **BALL)
    with pytest.raises(ll.InputError, match="'sphere 1' states drag, which water needs"):
        ll.NonSmooth(ROD, (WEIGHT, ll.Objects(bodies=(ball,))))
    with pytest.raises(ll.InputError, match="added_mass: it must not be negative"):
        FreeObject(position=(1.0, 0.0, 0.0), added_mass=(1, -1, 1), **BALL)


def run(
    body: dict[str, Any],
    duration: float,
    swing: tuple[float, float, float] = (0, 0, 0),
    level: float = 0.0,
    step: float = 1e-3,
    gravity: float = G,
    **more: Any,
) -> Any:
    """An object in water of that level, which swings with 0.5 Hz; a robot floats far away."""
    water = ll.Water(surface=level, flow=({"kind": "oscillating", "amplitude": swing, "period": 2.0},))
    gait = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), 0)), drives="torque")
    place = {"position": (0.0, 0.0, 0.0), "friction": 0.3, **body, **more}
    boxes = [
        FreeObject(**place),
        FreeObject(shape="sphere", radius=0.05, position=(0.0, 40.0, 0.0)),
        FreeObject(shape="box", sizes=(0.1, 0.1, 0.1), position=(0.0, 45.0, 0.0)),
    ]
    scenario = ll.Scenario(
        robot=ROD,
        gait=gait,
        actuation={"kind": "torque"},
        model={"kind": "non-smooth"},
        environment=(
            water,
            ll.Gravity(acceleration=(0, 0, -gravity)),
            ll.Ground(height=-100.0),
            ll.Objects(bodies=tuple(boxes)),
        ),
        initial={"position": (0.0, 20.0, 0.0)},
        duration=duration,
        step=step,
        record_every=max(step, 0.005),
    )
    return ll.run(scenario).dataset


def period_of(time: np.ndarray, signal: np.ndarray) -> float:
    """Mean time between upward crossings of zero."""
    up = np.flatnonzero((signal[:-1] < 0.0) & (signal[1:] >= 0.0))
    t = time[up] - signal[up] * (time[up + 1] - time[up]) / (signal[up + 1] - signal[up])
    return float(np.diff(t).mean())


@pytest.mark.long
@pytest.mark.parametrize("shape", ["sphere", "capsule", "box"])
def test_what_floats_rests_at_its_draught_and_bobs(shape: str) -> None:
    """Small heave: ω² = ρ g A / (m + φ D), A the area of the cut, φ the share of the density."""
    body = {"sphere": BALL, "capsule": LOG, "box": CRATE}[shape]
    density = 350.0
    if shape == "sphere":
        h = next(float(root.real) for root in np.roots([-1.0, 0.0, 3.0, 2.0 - 4.0 * 0.35]) if abs(root) < 1.0)
        z, area = -0.05 * h, np.pi * 0.05**2 * (1.0 - h * h)
    elif shape == "box":
        z, area = 0.05 - 0.035, 0.2 * 0.14
    else:
        density, z, area = 500.0, 0.0, 0.08 * 0.22 + np.pi * 0.04**2
    still = run({**body, "density": density}, 1.0, position=(0.0, 0.0, z))
    np.testing.assert_allclose(still["object_position"].values[:, 0, 2], z, atol=1e-7)
    data = run({**body, "density": density, "drag": NO_DRAG}, 4.0, position=(0.0, 0.0, z + 0.001))
    own = in_water(FreeObject(position=(0, 0, 0), **body))
    mass = density * own.volume + density / RHO * RHO * own.added[2]
    bob = period_of(data["time"].values, data["object_position"].values[:, 0, 2] - z)
    assert bob == pytest.approx(2.0 * np.pi * np.sqrt(mass / (RHO * G * area)), rel=1e-3)


@pytest.mark.long
def test_a_ball_that_bobs_far_makes_no_energy() -> None:
    """From 0.8 of its radius: turning points stay."""
    data = run({**BALL, "density": 500.0, "drag": NO_DRAG}, 3.0, position=(0.0, 0.0, 0.04), step=5e-4)
    z = data["object_position"].values[:, 0, 2]
    assert z[-200:].max() == pytest.approx(0.04, rel=3e-3) and z[-200:].min() == pytest.approx(-0.04, rel=3e-3)


@pytest.mark.long
def test_a_ball_sinks_as_the_closed_forms_say() -> None:
    """Release with (s - 1) g / (s + 1/2), and terminal speed sqrt(8 (s - 1) g r / (3 C))."""
    start = run({**BALL, "density": 2500.0}, 0.01, level=DEEP, step=1e-4)
    rate = start["object_twist"].values[1, 0, 2] / start["time"].values[1]
    assert rate == pytest.approx(-1.5 * G / 3.0, rel=2e-3)
    end = run({**BALL, "density": 2500.0}, 3.0, level=DEEP)
    speed = np.sqrt(8.0 * 1.5 * G * 0.05 / (3.0 * 0.47))
    assert end["object_twist"].values[-1, 0, 2] == pytest.approx(-speed, rel=1e-5)
    force = end["object_wrench"].values[-1, 0, 2]
    assert force == pytest.approx(float(end["object_mass"][0]) * G, rel=1e-5)  # the water bears it


@pytest.mark.long
@pytest.mark.parametrize("density", [500.0, 1000.0, 3000.0])
def test_a_ball_in_a_stream_that_swings(density: float) -> None:
    """Without drag: v = 3 u / (1 + 2 s)."""
    data = run({**BALL, "density": density, "drag": NO_DRAG}, 2.0, swing=(0.2, 0.0, 0.0), level=DEEP, gravity=1e-9)
    expected = 3.0 / (1.0 + 2.0 * density / RHO) * 0.2 * np.sin(np.pi * data["time"].values)
    np.testing.assert_allclose(data["object_twist"].values[:, 0, 0], expected, atol=1e-5)


@pytest.mark.long
def test_a_log_turns_across_its_way() -> None:
    """Munk's moment: (D2 - D1) V² sin cos over the inertia, at the start."""
    angle = 0.4
    data = run(
        {**LOG, "density": 1000.0, "drag": NO_DRAG},
        0.01,
        level=DEEP,
        yaw=angle,
        velocity=(0.5, 0.0, 0.0),
        step=1e-4,
        gravity=1e-9,
    )
    made = FreeObject(position=(0, 0, 0), density=1000.0, **LOG)
    own, inertia = in_water(made), made.mass_and_inertia()[1][2]
    moment = RHO * (own.added[1] - own.added[0]) * 0.25 * np.sin(angle) * np.cos(angle)
    rate = data["object_twist"].values[1, 0, 5] / data["time"].values[1]
    assert rate == pytest.approx(moment / (inertia + RHO * own.added_turn[2]), rel=5e-3)


@pytest.mark.long
@pytest.mark.parametrize(("height", "stands"), [(0.06, True), (0.3, False)])
def test_a_flat_crate_floats_upright_and_a_tall_one_falls_over(height: float, stands: bool) -> None:
    """Metacentre: b²/(12 d) against (h - d) / 2 at the draught d = h / 2."""
    data = run({"shape": "box", "sizes": (0.2, 0.2, height), "density": 500.0, "roll": 0.05}, 4.0)
    up = 1.0 - 2.0 * (data["object_orientation"].values[-1, 0, 1:3] ** 2).sum()
    assert (up > 0.998) if stands else (up < 0.7)
