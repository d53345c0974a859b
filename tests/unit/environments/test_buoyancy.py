"""Buoyancy: the weight of the displaced water, at its centroid; floating at the surface."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.models.chain.soft.cell_plan import Stations, spine_plan
from limbless.models.chain.soft.links_as_cells import chain_plan
from limbless.robots.links import Link

G = 9.81
STILL = ll.BodyWave(amplitude=0.0)


def test_lift_is_minus_the_weight_of_the_displaced_water() -> None:
    """An eel of half the density of water, held at its nose: the clamp gives weight minus lift, and its moment."""
    eel = ll.KhalilEel(density=500.0, base="fixed")
    held = ll.NewtonEuler(eel, [ll.Gravity(), ll.Buoyancy(density=1000.0)]).inverse(
        np.zeros(36), np.zeros(36), np.zeros(36)
    )
    bodies = eel.build().bodies()
    volume = bodies.mass.sum() / 500.0
    assert held.base_reaction[2] == pytest.approx((500.0 - 1000.0) * G * volume, rel=1e-13)
    dry = ll.NewtonEuler(eel, ll.Gravity()).inverse(np.zeros(36), np.zeros(36), np.zeros(36))
    np.testing.assert_allclose(held.base_reaction, dry.base_reaction * (1.0 - 1000.0 / 500.0), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(held.joint_torque, dry.joint_torque * (1.0 - 1000.0 / 500.0), rtol=1e-12, atol=1e-12)


def test_lift_acts_at_the_centroid_of_the_volume() -> None:
    """A body whose centre of volume is beside its centre of mass turns upright: moment = lift x lever."""
    body = Link(
        mass=2.0,
        first_moment=(0.0, 0.0, 0.0),
        inertia=(0.1, 0, 0, 0.1, 0, 0.1),
        volume=0.002,
        volume_centre=(0.05, 0.0, 0.0),
    )
    model = ll.NewtonEuler(ll.Chain(links=(body,)), [ll.Gravity(), ll.Buoyancy(density=1000.0)])
    found = model.inverse([], [], []).base_acceleration
    np.testing.assert_allclose(found, [0, 0, 0, 0, -0.05 * 2.0 * G / 0.1, 0], rtol=0, atol=1e-12)


def test_immersed_fraction() -> None:
    body = ll.UniformChain(links=1, density=600.0)
    full, part = (
        ll.NewtonEuler(body, ll.Buoyancy(immersed=share)).inverse([], [], []).base_acceleration for share in (1.0, 0.25)
    )
    np.testing.assert_allclose(part, 0.25 * full, rtol=1e-13)


def floating(density: float, height: float, **fields: float) -> np.ndarray:
    """Vertical acceleration of a lying cylinder whose axis is at `height` over the surface."""
    body = ll.UniformChain(links=1, length=0.5, half_width=0.04, half_height=0.06, density=density)
    model = ll.NewtonEuler(body, [ll.Gravity(), ll.Buoyancy(surface=0.0, **fields)])
    return model.inverse([], [], [], base_position=(0.0, 0.0, height)).base_acceleration


def test_a_half_heavy_cylinder_floats_half_immersed() -> None:
    """Density 500 of 1000: at rest with its axis in the surface."""
    np.testing.assert_allclose(floating(500.0, 0.0), np.zeros(6), rtol=0, atol=1e-13)


@pytest.mark.parametrize("height", [-0.05, -0.02, 0.01, 0.03, 0.059])
def test_cut_ellipse(height: float) -> None:
    """The immersed area of an ellipse cut at depth d = -height/b under its centre: (acos(-d) + d sqrt(1 - d²)) / π of
    it.

    The half height is guarded against zero by 1e-12 m, which is 2e-11 of it: hence 1e-9 m/s2.
    """
    depth = -height / 0.06
    fraction = (math.acos(-depth) + depth * math.sqrt(1 - depth**2)) / math.pi
    assert floating(500.0, height)[2] == pytest.approx(G * (2.0 * fraction - 1.0), abs=1e-9)


def test_above_and_below_the_surface() -> None:
    assert floating(500.0, 0.07)[2] == pytest.approx(-G, rel=1e-14)
    deep = floating(500.0, -0.2)
    np.testing.assert_allclose(deep, [0, 0, G, 0, 0, 0], rtol=0, atol=1e-12)
    body = ll.UniformChain(links=1, length=0.5, half_width=0.04, half_height=0.06, density=500.0)
    everywhere = (
        ll.NewtonEuler(body, [ll.Gravity(), ll.Buoyancy()])
        .inverse([], [], [], base_position=(0, 0, -0.2))
        .base_acceleration
    )
    np.testing.assert_allclose(deep, everywhere, rtol=0, atol=1e-12)


def test_it_comes_to_rest_at_the_right_height() -> None:
    """Dropped on the water with drag, a cylinder of 700 kg/m3 comes to rest where it displaces its own weight."""
    from scipy.optimize import brentq

    body = ll.UniformChain(links=1, length=0.5, half_width=0.05, half_height=0.05, density=700.0)
    data = ll.simulate(
        body,
        STILL,
        [ll.Gravity(), ll.Buoyancy(surface=0.3), ll.Drag(along=5.0, lateral=30.0, vertical=30.0)],
        duration=8.0,
        step=0.01,
        record_every=0.5,
        initial={"position": (0.0, 0.0, 0.5)},
    ).dataset
    depth = brentq(lambda d: (math.acos(-d) + d * math.sqrt(1 - d**2)) / math.pi - 0.7, -0.99, 0.99)
    assert data.base_position.values[-1, 2] == pytest.approx(0.3 - 0.05 * depth, abs=1e-6)
    assert np.abs(data.base_twist.values[-1]).max() < 1e-5


def test_an_upright_buoy_sinks_to_its_share() -> None:
    """A rod standing upright: the immersed length is its share of density; slices count whole, so
    Gauss points set the accuracy.
    """
    half = math.sqrt(0.5)
    body = ll.UniformChain(links=1, length=1.0, half_width=0.02, half_height=0.02, density=500.0)
    model = ll.NewtonEuler(body, [ll.Gravity(), ll.Buoyancy(surface=0.0, points=64)])
    upright = (half, 0.0, -half, 0.0)  # x of the body points to +z
    at = {"base_orientation": upright, "base_position": (0.0, 0.0, -0.5)}
    acceleration = model.inverse([], [], [], **at).base_acceleration
    # 32 of 64 points are under water, symmetric about the middle: exactly half of the lift
    assert acceleration[0] == pytest.approx(0.0, abs=1e-9)


def test_gravity_acts_at_the_centre_of_mass() -> None:
    """A held body: force m g, moment from the lever of the centre of mass."""
    body = Link(mass=3.0, first_moment=(0.6, 0.3, 0.0), inertia=(0.5, 0, 0, 0.5, 0, 0.5))
    held = ll.NewtonEuler(ll.Chain(base="fixed", links=(body,)), ll.Gravity()).inverse([], [], [])
    np.testing.assert_allclose(held.base_reaction, [0, 0, 3.0 * G, 0.3 * G, -0.6 * G, 0], rtol=0, atol=1e-12)


def test_lift_takes_the_gravity_of_gravity() -> None:
    """A body as dense as the water hangs still in any field; two fields for weight and lift are a mistake."""
    body = ll.UniformChain(links=1, density=1000.0)
    for field in ((0.0, 0.0, -1.62), (1.0, 2.0, -9.0)):
        found = (
            ll.NewtonEuler(body, [ll.Gravity(acceleration=field), ll.Buoyancy()]).inverse([], [], []).base_acceleration
        )
        np.testing.assert_allclose(found, 0.0, atol=1e-14)
    moon = ll.Gravity(acceleration=(0.0, 0.0, -1.62))
    with pytest.raises(InputError, match=r"buoyancy.acceleration: \[0.0, 0.0, -9.81\] is given and gravity has"):
        ll.NewtonEuler(body, [moon, ll.Buoyancy(acceleration=(0.0, 0.0, -9.81))])
    with pytest.raises(InputError, match=r"environment.1: buoyancy.acceleration"):
        ll.simulate(body, STILL, [moon, ll.Buoyancy(acceleration=(0.0, 0.0, -9.81))], duration=0.1)
    with pytest.raises(InputError, match="horizontal"):
        ll.NewtonEuler(body, [ll.Gravity(acceleration=(1.0, 0.0, -9.0)), ll.Buoyancy(surface=0.0)])
    assert "weighs nothing" in ll.simulate(body, STILL, ll.Buoyancy(), duration=0.02).notes[0]


HIGH_ABOVE = (ll.Buoyancy(), ll.Buoyancy(surface=5.0), ll.Water(surface=5.0, drag=(0, 0, 0, 0), inertia=(0, 0, 0)))


def of_links(*volumes: float | None, **last: object) -> ll.Chain:
    """A fixed chain in pitch, one link per volume (none: that of its body); `last` goes to the last link."""
    links = [
        Link(
            mass=0.1,
            first_moment=(0.005, 0.0, 0.0),
            inertia=(1e-5, 0, 0, 4e-4, 0, 4e-4),
            volume=volume,
            body={"length": 0.1, "half_width": 0.02, "half_height": 0.03},
        )
        for volume in volumes
    ]
    turning = {"joint": {"kind": "revolute", "axis": (0.0, 1.0, 0.0)}, "position": (0.1, 0.0, 0.0)}
    links[1:] = [link.changed(**turning) for link in links[1:]]
    return ll.Chain(base="fixed", links=(*links[:-1], links[-1].changed(**last)))


@pytest.mark.parametrize("volumes", [(None, None, None), (1e-4, 3e-4, 0.0), (0.0, 0.0, 2e-5)])
def test_far_below_its_surface_water_lifts_what_deep_water_lifts(volumes: tuple[float | None, ...]) -> None:
    """Links without volume, and those with more or less than their body. Along a link the lift is a difference of
    powers of depth over half height, here 170: hence 1e-11 N m.
    """
    held = [
        ll.NewtonEuler(of_links(*volumes), [ll.Gravity(), lift]).bias((0.2, -0.3), (0.0, 0.0)) for lift in HIGH_ABOVE
    ]
    np.testing.assert_allclose(held[1:], [held[0]] * 2, rtol=0, atol=1e-11)


def soft_bodies() -> list[Any]:
    """A neck of which every other vertebra has no volume, and a chain whose links have more and less than theirs."""
    neck, chain = ll.SnakeNeck().build(), ll.Scenario.load("chain-tendons").robot.build()
    return [
        neck.changed(vertebrae=tuple(one.changed(volume=one.volume * (i % 2)) for i, one in enumerate(neck.vertebrae))),
        chain.changed(links=tuple(link.changed(volume=2e-5 * (i % 3)) for i, link in enumerate(chain.links))),
    ]


@pytest.mark.parametrize("robot", soft_bodies(), ids=["neck", "chain"])
def test_stations_of_soft_bodies_have_their_volume(robot: Any) -> None:
    plan = spine_plan(robot, 2, stops=False) if robot.kind == "tendon-spine" else chain_plan(robot, 2)
    stations = Stations(plan)
    full = [math.pi * piece.half_width * piece.half_height * piece.length for piece in stations.segments()]
    assert stations.fills() @ full == pytest.approx(robot.bodies().volume.sum(), rel=1e-14)


@pytest.mark.long
@pytest.mark.parametrize("robot", soft_bodies(), ids=["neck", "chain"])
def test_far_below_its_surface_water_lifts_soft_bodies_as_deep_water_does(robot: Any) -> None:
    models = [ll.Soft(robot, [ll.Gravity(), lift]) for lift in HIGH_ABOVE]
    deep, *under = (model.forward(model.flat(), 0.0).strain_acceleration for model in models)
    scale = np.abs(deep).max()
    assert scale > 1.0
    np.testing.assert_allclose(np.array(under) / scale, [deep / scale] * 2, rtol=0, atol=1e-10)


def test_a_surface_refuses_what_it_cannot_lift() -> None:
    for lift in (*HIGH_ABOVE[1:], ll.Water(gravity=(0.0, 0.0, -9.81))):
        with pytest.raises(InputError, match="needs a robot with volume"):
            ll.NewtonEuler(of_links(0.0, 0.0), [ll.Gravity(), lift])
        with pytest.raises(InputError, match=r"robot.links: 'link 2': there is a volume and no `body`"):
            ll.NewtonEuler(of_links(None, None, 1e-4, body=None), [ll.Gravity(), lift])


def test_a_lift_beside_the_centre_of_the_volume_is_said() -> None:
    """Under a surface the lift acts along the body; where its middle is the centre of the volume nothing is said."""
    surface = [ll.Gravity(), ll.Buoyancy(surface=0.0), ll.Drag()]
    for centre, told in (((0.05, 0.0, 0.0), 0), ((0.03, 0.0, 0.0), 1)):
        run = ll.simulate(of_links(None, None, volume_centre=centre), STILL, surface, duration=0.01, step=0.01)
        assert len([note for note in run.notes if "up to 20 mm from the centre of their volume" in note]) == told
