"""Free objects and links that touch each other: closed forms, conservation, laws of contact between two bodies.

All runs have the same kinds of shapes and forces, so that one compiled version serves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import Torque
from limbless.environments.objects import FreeObject
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.contact.moving_bodies import PLACED, ObjectPose
from limbless.mechanics.contact.shapes.carried_shapes import nearest_of_bars
from limbless.scenarios.scenario import Initial

G = 9.81
FAR_BALL = {"shape": "sphere", "radius": 0.05, "position": (0.0, 90.0, 0.05), "friction": 1.0}
FAR_BOX = {"shape": "box", "sizes": (0.1, 0.1, 0.1), "position": (0.0, 95.0, 0.05), "friction": 1.0}
FLOATING = -50.0  # m: a ground that nothing reaches


def torque(values: tuple[float, ...]) -> ll.FunctionGait:
    return ll.FunctionGait(function=lambda t, s: np.tile(values, (len(t), 1)), drives="torque")


def rod(links: int = 1, length: float = 0.2, radius: float = 0.02, **fields: Any) -> ll.Chain:
    return ll.Chain.uniform(
        links=links, length=length, half_width=radius, half_height=radius, contact_radius=radius, **fields
    )


def run(
    robot: ll.Chain,
    bodies: list[dict[str, Any]],
    duration: float,
    ground: float = 0.0,
    friction: float = 0.3,
    slope: float = 0.0,
    touching: bool = False,
    torques: tuple[float, ...] = (),
    gravity: float = G,
    step: float = 1e-3,
    **initial: Any,
) -> Any:
    """A robot among objects, over a ground."""
    far = [dict(body, position=(0.0, body["position"][1], ground + 50.0)) for body in (FAR_BALL, FAR_BOX)]
    environment = [
        ll.Ground(forward=friction, lateral=friction, rolling=0.0, height=ground, slope=(slope, 0.0)),
        ll.Gravity(acceleration=(0.0, 0.0, -gravity)),
        ll.Objects(bodies=tuple(FreeObject(**body) for body in [*bodies, *far])),
    ]
    if touching:
        environment.append(ll.SelfContact(friction=friction))
    scenario = ll.Scenario(
        robot=robot,
        gait=torque(torques),
        environment=tuple(environment),
        initial=initial,
        actuation={"kind": "torque"},
        model={"kind": "non-smooth"},
        duration=duration,
        step=step,
        record_every=10 * step,
    )
    return ll.run(scenario)


def total_momentum(data: Any) -> np.ndarray:
    return data["momentum"].values + data["object_momentum"].values.sum(axis=1)


COMPLIANCE = 5e-4  # of the default settings: an impact leaves so much of the speed
MOBILITY = 17.0  # 1/kg, of the ends of `rod()`: 1/m + arm^2/inertia


def on_slope(angle: float, along: float, up: float) -> tuple[float, float, float]:
    """A place above a ground that rises along +x by `angle`: so far along it, so far off it."""
    return (along * np.cos(angle) - up * np.sin(angle), 0.0, along * np.sin(angle) + up * np.cos(angle))


def test_a_plastic_push_shares_the_momentum() -> None:
    """m into M, head-on, without friction or weight: both go on with m v / (m + M)."""
    ball = {"shape": "sphere", "radius": 0.03, "density": 1500.0, "position": (-0.06, 0.0, 0.0)}
    result = run(rod(), [ball], 0.1, ground=FLOATING, gravity=0.0, twist=(-0.5, 0, 0, 0, 0, 0))
    data = result.dataset
    m, M = float(rod().bodies().mass.sum()), float(data["object_mass"][0])
    speed = -0.5 * m / (m + M)
    np.testing.assert_allclose(data["object_twist"].values[-1, 0, 0], speed, rtol=COMPLIANCE)
    np.testing.assert_allclose(data["com_velocity"].values[-1, 0], speed, rtol=COMPLIANCE)
    momentum = total_momentum(data)
    np.testing.assert_allclose(momentum, np.tile(momentum[0], (len(momentum), 1)), atol=1e-12)
    assert result.proven, result.doubts


def test_a_push_on_the_ground_ends_after_its_stopping_distance() -> None:
    """The same with weight and friction: both slide v'^2 / (2 mu g) together."""
    box = {
        "shape": "box",
        "sizes": (0.1, 0.1, 0.04),
        "density": 600.0,
        "position": (-0.071, 0.0, 0.02),
        "friction": 0.3,
    }
    result = run(rod(), [box], 0.25, position=(0.0, 0.0, 0.02), twist=(-0.8, 0, 0, 0, 0, 0), step=2.5e-4)
    data = result.dataset
    m, M = float(rod().bodies().mass.sum()), float(data["object_mass"][0])
    before = np.sqrt(0.8**2 - 2 * 0.3 * G * 0.001)
    speed = before * m / (m + M)
    way = data["object_position"].values[:, 0, 0]
    assert abs(data["object_twist"].values[-1, 0, 0]) < 1e-6
    np.testing.assert_allclose(way[0] - way[-1], speed**2 / (2 * 0.3 * G), rtol=5e-3)
    assert abs(data["object_position"].values[-1, 0, 2] - 0.02) < 1e-5 and result.proven, result.doubts


def test_a_pushed_box_takes_its_friction() -> None:
    """A body that slides freely pushes a box that rubs: mu M g slows both, and the push is m mu M g / (m + M)."""
    box = {
        "shape": "box",
        "sizes": (0.1, 0.1, 0.04),
        "density": 600.0,
        "position": (-0.0705, 0.0, 0.02),
        "friction": 0.25,
    }
    data = run(rod(), [box], 0.2, friction=0.0, position=(0.0, 0.0, 0.02), twist=(-0.8, 0, 0, 0, 0, 0)).dataset
    m, M = float(rod().bodies().mass.sum()), float(data["object_mass"][0])
    late = data["time"].values > 0.05
    touching = (data["contact_link"].values >= 0) & (data["contact_object"].values == 0)
    push = data["contact_force"].values[:, touching].sum(axis=1)[late]
    slow = 0.25 * (M * G + push[:, 2]) / (m + M)  # what rubs on its face loads it too
    np.testing.assert_allclose(push[:, 0], m * slow, rtol=1e-3)  # on the robot, backwards
    rates = np.diff(data["object_twist"].values[late, 0, 0]) / 0.01
    np.testing.assert_allclose(rates, slow[1:], rtol=1e-3)
    np.testing.assert_allclose(data["object_wrench"].values[late, 0, 0], M * slow, rtol=1e-3)


@pytest.mark.parametrize("restitution", [0.0, 0.6, 1.0])
def test_two_balls_bounce_off_each_other(restitution: float) -> None:
    balls = [
        {
            "shape": "sphere",
            "radius": 0.05,
            "density": density,
            "position": (x, 1.0, 0.0),
            "velocity": (v, 0, 0),
            "restitution": restitution,
        }
        for density, x, v in ((500.0, 0.0, 1.0), (1500.0, 0.12, -0.5))
    ]
    data = run(rod(), balls, 0.05, ground=FLOATING, gravity=0.0).dataset
    m, M = data["object_mass"].values[:2]
    common, rebound = (m - 0.5 * M) / (m + M), restitution * 1.5
    expected = (common - rebound * M / (m + M), common + rebound * m / (m + M))
    yields = COMPLIANCE * MOBILITY * (1.0 + restitution) * 1.5 * m * M / (m + M)  # e N
    np.testing.assert_allclose(data["object_twist"].values[-1, :2, 0], expected, atol=yields)


def test_a_hit_off_the_centre_turns_what_is_hit() -> None:
    """Without friction and bounce: J = v / (1/m + 1/M + c^2/I), and c J / I of spin."""
    bodies = [
        {"shape": "box", "sizes": (0.1, 0.3, 0.1), "friction": 0.0, "position": (0.0, 0.0, 0.0)},
        {
            "shape": "sphere",
            "radius": 0.05,
            "density": 1500.0,
            "friction": 0.0,
            "position": (0.1003, 0.08, 0.0),
            "velocity": (-0.5, 0.0, 0.0),
        },
    ]
    data = run(rod(), bodies, 0.003, ground=FLOATING, gravity=0.0, position=(0.0, 3.0, 0.0), step=3e-4).dataset
    M, m = data["object_mass"].values[:2]
    inertia = M / 12.0 * (0.1**2 + 0.3**2)
    J = 0.5 / (1.0 / m + 1.0 / M + 0.08**2 / inertia)
    np.testing.assert_allclose(data["object_twist"].values[-1, 0, [0, 5]], [-J / M, 0.08 * J / inertia], rtol=4e-3)


@pytest.mark.parametrize("shape", ["sphere", "capsule", "box"])
def test_what_rolls_and_what_slides_down_a_slope(shape: str) -> None:
    """a = g sin / (1 + Theta / (m r^2)) without slip; a box slides with g (sin - mu cos)."""
    angle, mu = 0.3, 0.2
    sizes = {
        "sphere": {"radius": 0.04},
        "capsule": {"radius": 0.04, "length": 0.2, "yaw": np.pi / 2},
        "box": {"sizes": (0.1, 0.1, 0.05), "pitch": -angle},
    }[shape]
    up = 0.025 if shape == "box" else 0.04
    body = {"shape": shape, "position": on_slope(angle, 0.0, up), "friction": mu if shape == "box" else 1.0, **sizes}
    data = run(rod(), [body], 0.3, slope=angle, position=(0.0, 3.0, 0.1), step=5e-4).dataset
    mass, inertia = FreeObject(**body).mass_and_inertia()
    share = 1.0 if shape == "box" else 1.0 / (1.0 + inertia[0] / (mass * 0.04**2))
    a = G * (np.sin(angle) - mu * np.cos(angle)) if shape == "box" else G * np.sin(angle) * share
    moved = np.linalg.norm(data["object_position"].values[-1, 0] - data["object_position"].values[0, 0])
    np.testing.assert_allclose(moved, 0.5 * a * 0.3**2, rtol=4e-3)


@pytest.mark.parametrize(("share", "stands"), [(0.95, True), (1.05, False)])
def test_a_tall_box_topples_where_its_weight_leaves_its_foot(share: float, stands: bool) -> None:
    angle = np.arctan(share * 0.06 / 0.2)
    box = {
        "shape": "box",
        "sizes": (0.06, 0.06, 0.2),
        "position": on_slope(angle, 0.0, 0.1),
        "pitch": -angle,
        "friction": 1.0,
    }
    data = run(rod(), [box], 0.6, slope=angle, position=(0.0, 3.0, 0.1)).dataset
    turned = 2.0 * np.arccos(
        abs((data["object_orientation"].values[0, 0] * data["object_orientation"].values[-1, 0]).sum()).clip(0, 1)
    )
    assert (turned < 1e-3) if stands else (turned > 0.1)


def test_a_stack_carries_its_weight() -> None:
    """A ball on a box on a box on the ground: each carries what lies on it, and nothing creeps."""
    bodies = [
        {"shape": "box", "sizes": (0.1, 0.1, 0.05), "position": (0.0, 1.0, 0.025)},
        {"shape": "box", "sizes": (0.08, 0.06, 0.05), "position": (0.0, 1.0, 0.075)},
        {"shape": "sphere", "radius": 0.02, "position": (0.005, 1.0, 0.12)},
    ]
    data = run(rod(), bodies, 0.5, position=(0.0, 0.0, 0.02)).dataset
    weight = G * data["object_mass"].values
    load = data["contact_force"].values[-1, :, 2]
    one, two = data["contact_object"].values, data["contact_other_object"].values
    np.testing.assert_allclose(data["object_wrench"].values[-1, :3, 2], weight[:3], rtol=1e-4)
    np.testing.assert_allclose(load[(one == 0) & (two < 0)].sum(), weight[:3].sum(), rtol=1e-4)  # on the ground
    np.testing.assert_allclose(np.abs(load[(one == 2) & (two == 1)]).sum(), weight[2], rtol=1e-4)
    between = np.isin(one, (0, 1)) & np.isin(two, (0, 1))
    carried = np.where(one == 1, load, -load)[between].sum()
    np.testing.assert_allclose(carried, weight[1:3].sum(), rtol=1e-4)
    np.testing.assert_allclose(data["object_position"].values[-1, :3], data["object_position"].values[0, :3], atol=2e-5)


def test_a_box_that_slides_on_another_is_braked_by_its_weight() -> None:
    """mu g, while the lower one, which is heavy, stays."""
    bodies = [
        {"shape": "box", "sizes": (0.4, 0.2, 0.05), "position": (0.0, 1.0, 0.025), "density": 3000.0, "friction": 0.5},
        {
            "shape": "box",
            "sizes": (0.08, 0.06, 0.05),
            "position": (0.0, 1.0, 0.075),
            "velocity": (0.4, 0.0, 0.0),
            "friction": 0.2,
        },
    ]
    data = run(rod(), bodies, 0.02, position=(0.0, 0.0, 0.02)).dataset
    slowed = 0.4 - data["object_twist"].values[-1, 1, 0]
    np.testing.assert_allclose(slowed, 0.2 * G * 0.02, rtol=1e-3)
    np.testing.assert_allclose(data["object_twist"].values[-1, 0, 0], 0.0, atol=1e-5)


def folded(phi: float) -> dict[str, Any]:
    return {"joint_position": (np.pi / 2 + phi, np.pi / 2 + phi)}


def test_tips_of_a_fold_press_with_torque_over_length() -> None:
    """Three links folded to a U by torques tau: the tips press with tau / (L cos(phi)), phi what the arms lean inwards
    ; the robot as a whole feels nothing of it.
    """
    tau, L, r = 0.4, 0.2, 0.02
    phi = np.arcsin((L - 2 * r) / (2 * L))
    robot = rod(3, viscous_friction=0.05)
    result = run(robot, [], 0.6, ground=FLOATING, gravity=0.0, touching=True, torques=(tau, tau), **folded(phi - 0.01))
    data = result.dataset
    inner = data["contact_other_link"].values >= 0
    force = np.linalg.norm(data["contact_force"].values[-1, inner].sum(axis=0))
    lean = data["joint_position"].values[-1] - np.pi / 2
    np.testing.assert_allclose(lean, phi, atol=1e-4)
    np.testing.assert_allclose(force, tau / (L * np.cos(phi)), rtol=1e-3)
    assert inner.sum() == 1 and not data["contact_wrench"].values.any()
    np.testing.assert_allclose(data["momentum"].values, 0.0, atol=1e-10)
    works = data["contact_work"].values[-1].sum(), data["environment_work"].values[-1]
    assert works[0] == pytest.approx(works[1], rel=1e-6) and works[0] < -1e-6
    assert result.proven, result.doubts


def test_a_crash_keeps_momentum_and_makes_no_energy() -> None:
    """A spinning robot whose links touch each other, among a ball, a capsule and two boxes, in free flight."""
    bodies = [
        {"shape": "box", "sizes": (0.12, 0.08, 0.05), "position": (0.25, -0.12, 0.0), "yaw": 0.4, "roll": 0.3},
        {"shape": "capsule", "radius": 0.03, "length": 0.15, "position": (0.1, 0.14, 0.02), "yaw": 1.0},
        {"shape": "sphere", "radius": 0.04, "position": (0.42, 0.12, -0.01), "velocity": (-0.5, -0.5, 0)},
        {"shape": "box", "sizes": (0.06, 0.06, 0.06), "position": (0.25, -0.25, 0.01), "velocity": (0, 0.6, 0)},
    ]
    robot = rod(4, length=0.12, viscous_friction=0.01)
    result = run(
        robot,
        bodies,
        0.5,
        ground=FLOATING,
        gravity=0.0,
        touching=True,
        torques=(0.2, 0.2, 0.2),
        twist=(0.0, 0.0, 0.0, 0.0, 0.0, 2.0),
        step=2.5e-4,
    )
    data = result.dataset
    momentum, impulse = total_momentum(data), data["impulse"].values + data["object_impulse"].values.sum(axis=1)
    np.testing.assert_allclose(momentum[:, :3], np.tile(momentum[0, :3], (len(momentum), 1)), atol=1e-12)
    np.testing.assert_allclose(impulse, 0.0, atol=1e-12)  # action is reaction, at one point
    np.testing.assert_allclose(
        momentum[:, 3:], np.tile(momentum[0, 3:], (len(momentum), 1)), atol=1e-3 * np.abs(momentum).max()
    )  # of first order in the step
    energy = data["kinetic_energy"].values + data["object_energy"].values.sum(axis=1) - data["actuator_work"].values
    assert (np.diff(energy) <= 1e-4 * energy[0]).all()
    pushed = data["contact_object"].values[np.abs(data["contact_force"].values).sum(axis=(0, 2)) > 0.0]
    assert {0, 1, 2, 3} <= set(pushed) or len(set(pushed)) >= 3
    assert data["contact_residual"].values.max() < 1e-7 and result.proven, result.doubts


@pytest.mark.parametrize("base", ["fixed", "planar"])
def test_a_base_that_is_held_takes_the_impact(base: str) -> None:
    """A ball flies into an arm: what the ball loses, arm and hold get (linear momentum is among the balances)."""
    ball = {
        "shape": "sphere",
        "radius": 0.03,
        "density": 1500.0,
        "position": (0.3, 0.051, 0.005),
        "velocity": (0.0, -1.0, 0.3),
    }
    result = run(
        rod(2, base=base, viscous_friction=0.01), [ball], 0.02, ground=FLOATING, gravity=0.0, torques=(0.0,), step=1e-4
    )
    gone = result.dataset["object_momentum"].values[:, 0, :3]
    assert np.linalg.norm(gone[-1] - gone[0]) > 0.1 * np.linalg.norm(gone[0])
    assert result.proven, result.doubts


@pytest.mark.long
def test_a_box_lies_in_a_pipe_on_terrain_and_against_a_peg() -> None:
    """In a pipe of radius R a box of width w rests with its lower edges sqrt(R^2 - w^2/4) below the axis; on terrain it
    stands at its height; a peg stops it.
    """
    far = {"position": (3.0, 0.0, 5.0)}
    sizes, radius, width = (0.12, 0.08, 0.05), 0.1, 0.08
    still = torque(())
    boxes = [FreeObject(shape="box", sizes=sizes, position=(0.0, 0.0, 0.026 - np.sqrt(radius**2 - width**2 / 4)))]
    pipe = ll.Pipe(axis=((-1, 0, 0), (1, 0, 0)), radius=radius, forward=0.3, lateral=0.3)
    data = ll.simulate(
        rod(),
        still,
        (pipe, ll.Gravity(), ll.Objects(bodies=tuple(boxes))),
        model="non-smooth",
        actuation="torque",
        duration=0.3,
        step=1e-3,
        record_every=0.01,
        initial=far,
    ).dataset
    rests = 0.025 - np.sqrt(radius**2 - width**2 / 4)
    np.testing.assert_allclose(data["object_position"].values[-1, 0], (0.0, 0.0, rests), atol=1e-5)
    terrain = ll.Terrain(corner=(-2.0, -2.0), spacing=(0.5, 0.5), table=((0.1,) * 9,) * 9)
    pegs = ll.Pegs(feet=((0.2, 0.0, 0.0),), span=(0.0, 0.0, 0.5), radius=0.03)
    boxes = [FreeObject(shape="box", sizes=sizes, position=(0.0, 0.0, 0.126), velocity=(1.0, 0.0, 0.0), friction=0.1)]
    data = ll.simulate(
        rod(),
        still,
        (terrain, pegs, ll.Gravity(), ll.Objects(bodies=tuple(boxes))),
        model="non-smooth",
        actuation="torque",
        duration=0.4,
        step=1e-3,
        record_every=0.01,
        initial=far,
    ).dataset
    place = data["object_position"].values[:, 0]
    np.testing.assert_allclose(place[:, 0].max(), 0.2 - 0.03 - 0.06, atol=1e-4)
    np.testing.assert_allclose(place[-1, 2], 0.125, atol=1e-4)


def on_boxes(boxes: ll.Boxes, duration: float, **body: Any) -> Any:
    """A free box on boxes that do not move; the robot falls past them."""
    thing = ll.Objects(bodies=(FreeObject(shape="box", **body),))
    return ll.simulate(
        rod(),
        torque(()),
        (boxes, ll.Gravity(), thing),
        model="non-smooth",
        actuation="torque",
        duration=duration,
        step=1e-3,
        record_every=0.01,
        initial={"position": (9.0, 0.0, 0.0)},
    )


@pytest.mark.long
@pytest.mark.parametrize("turned", [0.0, 0.7])
def test_a_plate_rests_on_the_corners_of_a_smaller_box(turned: float) -> None:
    """Its weight, shared by the lever rule; the corners of the box carry it, for its own are out in the air. Turned
    about the vertical, the box is the same."""
    c, s = np.cos(turned), np.sin(turned)
    post = ll.Boxes(centres=((0.0, 0.0, -0.1),), sizes=((0.2, 0.12, 0.2),), yaw=turned)
    result = on_boxes(post, 0.3, sizes=(0.5, 0.4, 0.02), position=(0.04 * c, 0.04 * s, 0.0101), yaw=turned)
    data = result.dataset
    weight = G * float(data["object_mass"][0])
    force, place = data["contact_force"].values[-1], data["contact_position"].values[-1]
    borne = force[:, 2] > 1e-9
    ahead = place[borne] @ np.array([c, s, 0.0]) > 0.0
    assert borne.sum() == 4
    np.testing.assert_allclose(force[borne, 2].sum(), weight, rtol=1e-6)
    np.testing.assert_allclose(force[borne, 2][ahead].sum() / weight, (0.1 + 0.04) / 0.2, rtol=1e-4)
    np.testing.assert_allclose(data["object_position"].values[-1, 0], (0.04 * c, 0.04 * s, 0.01), atol=1e-5)
    assert result.proven, result.doubts


@pytest.mark.long
@pytest.mark.parametrize(("above", "size"), [(-0.04, 1.0), (0.08, 1.0), (0.08, 0.12)])
def test_a_box_slides_on_a_tilted_box_from_the_angle_of_friction_on(above: float, size: float) -> None:
    """Down with g (sin a - mu cos a), its corners on a wide ramp, or its face on the corners of a narrow one."""
    mu = 0.3
    angle = float(np.arctan(mu)) + above
    c, s = np.cos(angle), np.sin(angle)
    ramp = ll.Boxes(centres=((-0.1 * s, 0.0, -0.1 * c),), sizes=((size, size, 0.2),), pitch=angle)
    up = 0.02 + 1e-7
    result = on_boxes(ramp, 0.3, sizes=(0.3, 0.2, 0.04), position=(up * s, 0.0, up * c), pitch=angle, friction=mu)
    speed = result.dataset["object_twist"].values[-1, 0, 0]
    wanted = 0.3 * G * max(s - mu * c, 0.0)
    assert abs(speed - wanted) < 2e-3 * wanted + 1e-5
    assert result.proven, result.doubts


@pytest.mark.long
def test_pairs_that_are_far_apart_sleep_without_a_trace() -> None:
    """Recorded steps measure every gap, others leave out what cannot be in reach: the same path to the last bit."""
    for name in ("snake-coil", "snake-push"):
        often, seldom = (ll.run(name, {"duration": 1.5, "record_every": every}) for every in (0.001, 0.5))
        assert np.array_equal(often.state.x, seldom.state.x)


@pytest.mark.long
def test_motion_given_joints_feel_what_they_push() -> None:
    """An arm swept by its motors shoves a box: their work is what arm and box gain (a balance)."""
    box = FreeObject(shape="box", sizes=(0.1, 0.1, 0.06), position=(0.3, 0.09, 0.03), density=800.0, friction=0.4)
    gait = ll.FunctionGait(function=lambda t, s: 0.6 * t[:, None] ** 2 * (1.5 - t[:, None]), drives="joint")
    scenario = ll.Scenario(
        robot=rod(2, base="fixed"),
        gait=gait,
        duration=0.8,
        step=1e-3,
        record_every=0.01,
        environment=(ll.Ground(forward=0.3, lateral=0.3), ll.Gravity(), ll.Objects(bodies=(box,))),
        model={"kind": "non-smooth"},
        initial={"position": (0, 0, 0.02)},
    )
    result = ll.run(scenario)
    moved = np.diff(result.dataset["object_position"].values[[0, -1], 0], axis=0)
    assert np.linalg.norm(moved) > 0.01 and result.dataset["actuator_work"].values[-1] > 0.01
    assert result.proven, result.doubts


def test_nearest_points_of_two_capsules() -> None:
    """Against an independent code; parallel axes touch in the middle of their overlap."""
    a, b = (
        (-0.0539240654683827, -0.04871173581582092, 0.20046272025513825),
        (-0.17729198863211743, -0.058344046487972805, 0.17650779349129678),
    )
    p, q = (
        (0.11607000323817983, 0.01830334065647044, 0.1340208709656959),
        (-0.5656324613687526, 0.204261363500016, -0.19192895196162835),
    )
    s, t = nearest_of_bars(Vector(*a), Vector(*b), Vector(*p), Vector(*q))
    assert (s, t) == pytest.approx((0.0, 0.13503057778655114), abs=1e-8)
    apart = np.array(a) + s * np.subtract(b, a) - np.array(p) - t * np.subtract(q, p)
    assert np.linalg.norm(apart) == pytest.approx(0.16359254818053093, abs=1e-12)
    level, above = (Vector(0.0, 0.0, 0.0), Vector(1.0, 0.0, 0.0)), (Vector(1.4, 0.3, 0.0), Vector(0.6, 0.3, 0.0))
    assert nearest_of_bars(*level, *above) == pytest.approx((0.8, 0.75))  # they share 0.6 to 1
    assert nearest_of_bars(*level, Vector(3.0, 0.3, 0.0), Vector(2.0, 0.3, 0.0)) == pytest.approx((1.0, 1.0))


def test_friction_between_two_bodies_obeys_coulomb() -> None:
    """Every record of that crash and of a push: loads push, friction lies in its disc."""
    box = {
        "shape": "box",
        "sizes": (0.1, 0.1, 0.04),
        "density": 600.0,
        "position": (-0.08, 0.03, 0.02),
        "yaw": 0.2,
        "friction": 0.25,
    }
    model = ll.NonSmooth(
        rod(2, viscous_friction=0.01),
        (
            ll.Ground(forward=0.3, lateral=0.3),
            ll.Gravity(),
            ll.Objects(bodies=(FreeObject(**box), FreeObject(**FAR_BALL))),
        ),
        Torque(),
    )
    gait = torque((0.1,))
    state = model.initial_state(Initial(position=(0, 0, 0.02), twist=(-0.5, 0, 0, 0, 0, 0)), gait)
    touched = 0
    for _ in range(60):
        found = model.step(state, 1e-3, gait)
        state, own = found.state, model._crowd.other >= 0
        load = np.einsum("ci,ci->c", found.force, found.normal)[own]
        rub = found.force[own] - load[:, None] * found.normal[own]
        assert (load >= -1e-12).all() and (np.linalg.norm(rub, axis=1) <= 0.25 * load + 1e-9).all()
        assert found.residual < 1e-7
        slip = found.velocity[own, 1:]
        slides = (load > 1e-3) & (np.linalg.norm(slip, axis=1) > 1e-3)
        t = np.stack([found.tangent[own], np.cross(found.normal[own], found.tangent[own])], axis=1)
        along = np.einsum("ci,cdi,cd->c", rub, t, slip)
        most = 0.25 * load * np.linalg.norm(slip, axis=1)
        np.testing.assert_allclose(along[slides], -most[slides], rtol=1e-3)
        touched += int((load > 0).any())
    assert touched > 10


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"shape": "sphere", "position": (0, 0, 0)}, "radius is missing"),
        ({"shape": "sphere", "position": (0, 0, 0), "radius": 0.1, "sizes": (1, 1, 1)}, "leave sizes out"),
        ({"shape": "box", "position": (0, 0, 0), "sizes": (1, 0, 1)}, "positive"),
        ({"shape": "box", "position": (0, 0, 0), "sizes": (1, 1, 1), "rolling": 0.1}, "does not roll"),
        ({"shape": "cone", "position": (0, 0, 0)}, "sphere"),
    ],
)
def test_objects_that_cannot_be(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        FreeObject(**fields)


BALL = FreeObject(shape="sphere", radius=0.05, position=(1.0, 0.0, 0.05), name="red ball")
BOX = FreeObject(shape="box", sizes=(0.1, 0.1, 0.1), position=(1.02, 0.0, 0.05))


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        ((ll.Objects(bodies=(BALL,)), ll.Drag()), "drag acts on the robot and not on free objects"),
        ((ll.SelfContact(), ll.SelfContact()), "listed 2 times"),
    ],
)
def test_surroundings_that_objects_do_not_take(environment: Any, words: str) -> None:
    with pytest.raises(ll.InputError, match=words):
        ll.NonSmooth(rod(), environment)


def test_objects_and_links_that_overlap_are_refused_by_name() -> None:
    gait = torque(())
    with pytest.raises(ll.InputError, match=r"'red ball' and 'box 2' overlap"):
        ll.run(
            ll.Scenario(
                robot=rod(),
                gait=gait,
                environment=(ll.Ground(), ll.Gravity(), ll.Objects(bodies=(BALL, BOX))),
                actuation={"kind": "torque"},
                model={"kind": "non-smooth"},
                initial={"position": (0, 0, 0.02)},
                duration=0.01,
            )
        )
    with pytest.raises(ll.InputError, match=r"overlap at the start.*apart"):
        run(
            rod(3), [], 0.01, ground=FLOATING, gravity=0.0, touching=True, torques=(0.0, 0.0), joint_position=(2.9, 2.9)
        )


def test_an_object_in_a_state_has_as_many_numbers_as_kernels_count() -> None:
    assert ObjectPose.width == PLACED


def test_objects_always_act_and_self_contact_too() -> None:
    for make in (
        lambda: ll.Objects(bodies=(BALL,), active=((0.0, 1.0),)),
        lambda: ll.SelfContact(active=((0.0, 1.0),)),
    ):
        with pytest.raises(ll.InputError, match="leave `active` out"):
            make()
