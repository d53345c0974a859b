"""Pipes, poles and tilted boxes: gaps, closed forms of bodies that hold themselves there, gaits and postures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core import NamedFunction
from limbless.mechanics.algebra.array_rotations import matrix_to_quaternion
from limbless.mechanics.contact.scene import ContactRow, Feature, Scene
from limbless.mechanics.contact.shapes import pipe as pipes, primitives
from limbless.models.chain.contact.nonsmooth_model import NonSmooth
from limbless.robots.joints import Joint
from limbless.robots.links import Link, Sphere
from limbless.scenarios.scenario import Initial

G = 9.81
BENT = ll.Pipe(axis=((0, 0, 0), (1, 0, 0), (1, 1, 0)), radius=0.06, bend_radius=0.2)


def gap_at(pipe: ll.Pipe, a: Any, b: Any = None) -> tuple[float, np.ndarray]:
    """Nearest gap of a point, or of a bar between its ends, to all pieces, and its normal."""
    best, normal = primitives.FAR, np.zeros(3)
    for code, numbers in pipe.shapes():
        surface = np.zeros((1, primitives.SURFACE_COLUMNS))
        surface[0, primitives.SHAPE : primitives.SHAPE + len(numbers)] = numbers
        feature = Feature.zeros(1)
        Feature.of(feature).rank[:] = 0.0 if b is None else 2.0
        none = np.zeros(0, dtype=np.int64)
        scene = Scene((), none, none, feature, surface, np.zeros((0, 9)), np.zeros(1), np.zeros(0))
        touch = pipes.touch_tube if code == pipes.Tube.code else pipes.touch_elbow
        if b is not None and code == pipes.Tube.code:
            continue
        ends = (primitives.Vector(*map(float, a)), primitives.Vector(*map(float, a if b is None else b)))
        found = touch(scene, 0, 0, *ends, 0.1)
        if found.gap < best:
            best, normal = found.gap, np.array(found.normal)
    return best, normal


@pytest.mark.parametrize("seed", range(12))
def test_gaps_of_a_pipe_are_distances_from_its_axis(seed: int) -> None:
    """R less the distance from the nearest of many points of the axis; the normal points to it."""
    random = np.random.default_rng(seed)
    turn = np.linspace(0.0, np.pi / 2, 200001)
    axis = np.concatenate(
        [
            np.stack([np.linspace(0, 0.8, 200001), 0 * turn, 0 * turn], 1),
            np.stack([0.8 + 0.2 * np.sin(turn), 0.2 - 0.2 * np.cos(turn), 0 * turn], 1),
            np.stack([1 + 0 * turn, np.linspace(0.2, 1, 200001), 0 * turn], 1),
        ]
    )
    p = axis[random.integers(3, len(axis) - 3)] + random.uniform(-0.03, 0.03, 3)
    p = np.clip(p, [0.05, -0.05, -0.05], [1.05, 0.95, 0.05])
    far = np.linalg.norm(axis - p, axis=1)
    gap, normal = gap_at(BENT, p)
    assert gap == pytest.approx(0.06 - far.min(), abs=1e-9)
    np.testing.assert_allclose(normal, (axis[far.argmin()] - p) / far.min(), atol=1e-4)


def test_a_bar_touches_the_inner_wall_of_an_elbow_between_its_ends() -> None:
    """A chord across the bend: its middle is nearer to the centre of the arc than its ends."""

    def at(angle: float, radius: float) -> np.ndarray:
        return np.array([0.8 + radius * math.sin(angle), 0.2 - radius * math.cos(angle), 0.0])

    a, b = at(math.pi / 4 - 0.5, 0.19), at(math.pi / 4 + 0.5, 0.19)
    gap, normal = gap_at(BENT, a, b)
    assert gap == pytest.approx(0.06 - (0.2 - 0.19 * math.cos(0.5)), abs=1e-9)
    np.testing.assert_allclose(normal, (math.sqrt(0.5), -math.sqrt(0.5), 0.0), atol=1e-6)
    assert gap_at(BENT, at(0.5, 0.2), at(0.6, 0.23))[0] == primitives.FAR  # nearest with an end
    assert gap_at(BENT, (-0.1, 0.0, 0.0))[0] == primitives.FAR and gap_at(BENT, (1.0, 1.2, 0.0))[0] == primitives.FAR


def bar(links: int, length: float, radius: float, mass: float, **joint: Any) -> ll.Chain:
    """Thin links, a sphere at each end and each joint (of the link before it), joints about y; the
    base's origin is its own start.
    """
    made = []
    for k in range(links):
        inertia = mass * length**2 / 3.0
        made.append(
            Link(
                joint=None if k == 0 else Joint(axis=(0, 1, 0), **joint),
                mass=mass,
                position=(length if k else 0.0, 0.0, 0.0),
                first_moment=(mass * length / 2, 0.0, 0.0),
                inertia=(1e-5, 0, 0, inertia, 0, inertia),
                contact_shapes=tuple(
                    Sphere(centre=(x, 0, 0), radius=radius) for x in ([length] if k else [0.0, length])
                ),
            )
        )
    return ll.Chain(links=tuple(made))


def still(count: int, torque: float = 0.0) -> ll.FunctionGait:
    return ll.FunctionGait(function=lambda t, s: np.full((len(t), count), torque), drives="torque")


ALPHA, LENGTH, RADIUS, MASS = math.radians(20.0), 0.2, 0.02, 0.5


def in_a_pipe(mu: float) -> tuple[ll.Result, np.ndarray]:
    """One link that lies in a pipe that rises along x."""
    way = np.array([math.cos(ALPHA), 0.0, math.sin(ALPHA)])
    up = np.array([-math.sin(ALPHA), 0.0, math.cos(ALPHA)])
    pipe = ll.Pipe(axis=(tuple(-way), tuple(2 * way)), radius=0.06, forward=mu, lateral=mu, rolling=0.0)
    turn = (math.cos(ALPHA / 2), 0.0, -math.sin(ALPHA / 2), 0.0)
    run = ll.simulate(
        bar(1, LENGTH, RADIUS, MASS),
        still(0),
        (ll.Gravity(), pipe),
        model="non-smooth",
        actuation="torque",
        duration=0.4,
        step=1e-3,
        initial={"position": tuple(-(0.06 - RADIUS) * up), "orientation": turn},
    )
    return run, up


def test_a_link_in_an_inclined_pipe_is_held_by_the_friction_of_its_slope() -> None:
    """Loads of both ends: m g (L/2 cos - r sin)/L on the upper one; it holds if tan <= mu."""
    run, up = in_a_pipe(1.02 * math.tan(ALPHA))
    place, force = run.dataset["com_position"].values, run.dataset["contact_force"].values[-1] @ up
    assert np.linalg.norm(place[-1] - place[0]) < 1e-5
    upper = MASS * G * (0.5 * LENGTH * math.cos(ALPHA) - RADIUS * math.sin(ALPHA)) / LENGTH
    assert sorted(force)[-2:] == pytest.approx([upper, MASS * G * math.cos(ALPHA) - upper], rel=1e-3)
    assert sorted(force)[-2:] == pytest.approx([2.136835272, 2.472357033], rel=1e-3)  # an independent code
    slid, _ = in_a_pipe(0.9 * math.tan(ALPHA))
    way = np.linalg.norm(np.diff(slid.dataset["com_position"].values[[0, -1]], axis=0))
    assert way == pytest.approx(0.5 * G * 0.1 * math.sin(ALPHA) * 0.4**2, rel=1e-2)


@pytest.mark.parametrize(("torque", "needed"), [(0.5, 0.996897), (1.0, 0.472738)])
def test_two_links_folded_in_an_upright_pipe_hold_by_their_torque(torque: float, needed: float) -> None:
    """Smallest friction mu at which a V of two links stays, with w = 2 (R - r) and h = sqrt(L² - w²):
    (tau + W w/2) / (h + mu (w + r)) + (tau - W w/2 - W r) / (h - mu (w + r)) = W / mu. It holds a little above, and
    slides a little below.
    """
    way = {}
    for share in (1.02, 0.98):
        mu = share * needed
        pipe = ll.Pipe(axis=((0, 0, -2), (0, 0, 2)), radius=0.06, forward=mu, lateral=mu, rolling=0.0)
        w = 2 * (0.06 - RADIUS)
        lean = math.asin(w / LENGTH)  # of the links against the pipe
        run = ll.simulate(
            bar(2, LENGTH, RADIUS, MASS),
            still(1, -torque),
            (ll.Gravity(), pipe),
            model="non-smooth",
            actuation="torque",
            duration=0.1,
            step=2e-4,
            initial={"position": (-w / 2, 0.0, 0.0), "orientation": upwards(lean), "joint_position": (-2 * lean,)},
        )
        way[share] = run.dataset["com_position"].values[0, 2] - run.dataset["com_position"].values[-1, 2]
    assert abs(way[1.02]) < 2e-5 < 1e-4 < way[0.98]


def upwards(lean: float) -> tuple[float, float, float, float]:
    """A turn about y that takes x up, leaning towards +x."""
    angle = -(math.pi / 2 - lean)
    return math.cos(angle / 2), 0.0, math.sin(angle / 2), 0.0


def test_tilted_boxes_are_slopes() -> None:
    """A box pitched by 20 deg holds and lets go a link as a ground of that slope does."""
    tilt = math.radians(20.0)
    up = np.array([-math.sin(tilt), 0.0, math.cos(tilt)])
    turn = (math.cos(tilt / 2), 0.0, -math.sin(tilt / 2), 0.0)
    for mu, holds in ((1.05 * math.tan(tilt), True), (0.8 * math.tan(tilt), False)):
        box = ll.Boxes(centres=(tuple(-0.1 * up),), sizes=((2.0, 1.0, 0.2),), pitch=-tilt, forward=mu, lateral=mu)
        run = ll.simulate(
            ll.Aiko(links=1),
            ll.JointWave(yaw_amplitude=0.0),
            (ll.Gravity(), box),
            model="non-smooth",
            actuation="pd",
            duration=0.3,
            step=1e-3,
            initial={"position": tuple(0.0525 * up), "orientation": turn},
        )
        moved = np.linalg.norm(run.dataset["com_position"].values[-1] - run.dataset["com_position"].values[0])
        expected = 0.0 if holds else 0.5 * G * (math.sin(tilt) - mu * math.cos(tilt)) * 0.3**2
        assert moved == pytest.approx(expected, rel=1e-2, abs=1e-5)


# Gaits

HELIX = ll.Helix(radius=0.08, angle=0.3, link_length=0.06, rate=2.0, roll=0.4)
ROBOT = ll.Aiko(links=20, length=0.06, sphere_radius=0.03, sphere_distance=0.02, link_mass=0.1)


def test_a_helix_lies_on_its_cylinder_however_it_rolls() -> None:
    """Middles of all links at the radius from one axis, each link sloping by the angle; rates are the differences."""
    times = np.array([0.0, 0.3, 1.1])
    drive = HELIX.sample(times, np.arange(38))
    h = 1e-5
    near = HELIX.sample(np.array([0.3 - h, 0.3 + h]), np.arange(38))
    np.testing.assert_allclose(drive[1][1], (near[0][1] - near[0][0]) / (2 * h), atol=1e-8)
    np.testing.assert_allclose(drive[2][1], (near[1][1] - near[1][0]) / (2 * h), atol=1e-7)
    for row, roll in zip(drive[0], HELIX.roll + HELIX.rate * times, strict=True):
        frame, place, middles = HELIX.base_frame(roll), np.array([HELIX.radius, 0.0, 0.0]), []
        place = place - 0.03 * frame[:, 0]
        for joint in range(20):
            middles.append(place + 0.03 * frame[:, 0])
            assert frame[2, 0] == pytest.approx(math.sin(0.3), abs=1e-12)
            place = place + 0.06 * frame[:, 0]
            if joint < 19:
                (c, s), (C, S) = ((math.cos(q), math.sin(q)) for q in row[2 * joint : 2 * joint + 2])
                frame = (
                    frame @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[C, 0, S], [0, 1, 0], [-S, 0, C]])
                )
        np.testing.assert_allclose(np.linalg.norm(np.array(middles)[:, :2], axis=1), 0.08, atol=1e-12)


def test_a_concertina_is_folded_but_for_one_opening() -> None:
    gait = ll.Concertina(amplitude=0.8, period=2.0)
    times = np.linspace(0.0, 2.0, 2001)
    drive = gait.sample(times, np.arange(16))
    value = drive[0][:, ::2]
    assert np.abs(value).max() == pytest.approx(0.8, abs=1e-6) and not drive[0][:, 1::2].any()
    np.testing.assert_allclose(np.gradient(value, times, axis=0)[2:-2], drive[1][2:-2, ::2], atol=1e-4)
    np.testing.assert_allclose(np.gradient(drive[1][:, ::2], times, axis=0)[2:-2], drive[2][2:-2, ::2], atol=1e-3)
    opened = np.abs(value).argmin(axis=1)
    assert opened[0] == 0 and opened[1000] == 4 and opened[1999] in (0, 7)


# Postures


def test_a_robot_laid_on_a_slope_just_touches_it() -> None:
    slope = (0.2, -0.1)
    model = NonSmooth(ll.Aiko(links=3), (ll.Gravity(), ll.Ground(slope=slope, height=0.3, forward=0.5, lateral=0.5)))
    for heading in (0.0, 1.0, -2.5):
        x = model.initial_state(Initial(posture={"kind": "lay", "heading": heading}), ll.JointWave(yaw_amplitude=0.2)).x
        gaps = ContactRow.of(model._stand(x.copy()).step.contacts).gap
        assert gaps.min() == pytest.approx(0.0, abs=1e-12) and gaps.max() < 1e-9


def test_a_robot_on_wheels_is_laid_on_them() -> None:
    """Wheels of 20 mm at the middle of modules whose frame is on their belly: their lowest points touch."""
    wheels = ll.Wheels(load="solved", wheel_radius=0.02, slope=(0.1, 0.0))
    model = NonSmooth(ll.ModuleSnake(modules=3), (ll.Gravity(), wheels))
    x = model.initial_state(Initial(posture={"kind": "lay"}), ll.JointWave(yaw_amplitude=0.0)).x
    axle = x[:3] + model.chain.links[0].body.position[2] * np.array([-math.sin(0.1), 0.0, math.cos(0.1)])
    assert axle @ [-math.sin(0.1), 0.0, math.cos(0.1)] == pytest.approx(0.02, abs=1e-12)


@pytest.mark.parametrize("robot", [ll.Aiko(links=3), ll.ModuleSnake(modules=3)])
def test_a_robot_wedged_into_a_pipe_has_its_body_on_the_axis(robot: Any) -> None:
    """Whether the base frame is in the middle of the body or on its belly: the pipe is as far away all round."""
    model = NonSmooth(robot, (ll.Pipe(axis=((0, 0, 0), (3, 1, 0)), radius=0.08),))
    x = model.initial_state(Initial(posture={"kind": "wedge", "along": 0.5}), ll.JointWave(yaw_amplitude=0.0)).x
    gap = ContactRow.of(model._stand(x.copy()).step.contacts).gap
    radius = model.chain.links[0].contact_shapes[0].radius
    np.testing.assert_allclose(gap[gap < 1.0], 0.08 - radius, atol=1e-12)


def test_a_robot_that_begins_in_the_air_is_told_to_fall() -> None:
    def notes(height: float) -> list[str]:
        times = {"model": "non-smooth", "actuation": "pd", "duration": 0.002, "step": 1e-3}
        still = ll.JointWave(yaw_amplitude=0.0)
        start = {"position": (0.0, 0.0, height)}
        run = ll.simulate(ll.Aiko(links=3), still, (ll.Gravity(), ll.Ground()), initial=start, **times)
        return [note for note in run.notes if "begins" in note]

    assert notes(0.0525) == [] and "begins 0.1 m above the ground, and falls" in notes(0.1525)[0]


def test_friction_of_level_ground_says_where_a_body_hangs() -> None:
    data = {"robot": {"kind": "rod", "base": "fixed"}, "gait": {"kind": "travelling-curvature"}, "duration": 1.0}
    rubs = {"kind": "regularised-friction"}
    model = {"model": {"kind": "macro-continuous"}}

    def told(*others: Any, **fields: Any) -> bool:
        scenario = ll.Scenario.load({**data, **model, **fields, "environment": [rubs, *others]})
        return any("also in the air" in note for note in scenario.notes())

    assert told({"kind": "gravity"}) and told(initial={"orientation": [0.7071067811865476, 0, 0.7071067811865476, 0]})
    assert not told()


def test_a_robot_settles_before_its_time_begins() -> None:
    """Dropped from a hand's breadth, it lies still when the run begins."""
    run = ll.simulate(
        ll.Aiko(links=3),
        ll.JointWave(yaw_amplitude=0.0),
        (ll.Gravity(), ll.Ground()),
        model="non-smooth",
        actuation="pd",
        duration=0.05,
        step=1e-3,
        initial={"position": (0, 0, 0.1), "posture": {"kind": "given", "settle": 0.5}},
    )
    height = run.dataset["com_position"].values[:, 2]
    np.testing.assert_allclose(height, 0.0525, atol=1e-6)


def test_what_does_not_fit_is_refused() -> None:
    robot, gait = ll.Aiko(links=3), ll.JointWave(yaw_amplitude=0.0)

    def start(environment: Any, **initial: Any) -> None:
        ll.simulate(
            robot, gait, environment, model="non-smooth", actuation="pd", duration=0.01, step=1e-3, initial=initial
        )

    with pytest.raises(ll.InputError, match=r"pipe.radius: 0.05 m is not more than the 0.0525 m"):
        start(ll.Pipe(axis=((0, 0, 0), (1, 0, 0)), radius=0.05))
    with pytest.raises(ll.InputError, match=r"starts 0.0\d+ m inside pegs; raise"):
        start(ll.Pegs(feet=((0.0, 0.03, -0.5),), span=(0, 0, 1), radius=0.02))
    with pytest.raises(ll.InputError, match=r"needs one ground .*in the environment, and there are 0"):
        start((), posture={"kind": "lay"})
    with pytest.raises(ll.InputError, match="takes the gait helix"):
        start(ll.Pegs(feet=((0.0, 0.0, 0.0),)), posture={"kind": "wrap"})
    with pytest.raises(ll.InputError, match="heading belongs to lay"):
        start(ll.Pipe(axis=((0, 0, 0), (1, 0, 0))), posture={"kind": "wedge", "heading": 1.0})
    for field, value in (("position", (0.1, 0, 0)), ("orientation", (0, 0, 0, 1))):
        with pytest.raises(ll.InputError, match=f"{field}: the posture 'wedge' finds it; leave it out"):
            start(ll.Pipe(axis=((0, 0, 0), (1, 0, 0))), posture={"kind": "wedge"}, **{field: value})
    with pytest.raises(ll.InputError, match="orientation: the posture 'lay' finds it"):
        start(ll.Ground(), posture={"kind": "lay"}, position=(1, 0, 0), orientation=(0, 0, 0, 1))
    with pytest.raises(ll.InputError, match="position: the posture 'lay' finds the height"):
        start(ll.Ground(), posture={"kind": "lay"}, position=(1, 0, 0.3))
    for field, value in (("twist", (0.1, 0, 0, 0, 0, 0)), ("joint_velocity", (0.1,))):
        with pytest.raises(ll.InputError, match=f"{field}: a robot that settles"):
            start(ll.Ground(), posture={"kind": "lay", "settle": 0.1}, **{field: value})
    with pytest.raises(ValueError, match="turns back at point 1"):
        ll.Pipe(axis=((0, 0, 0), (1, 0, 0), (0, 0.01, 0)))
    with pytest.raises(ValueError, match=r"take .* m of its 0.2 m"):
        ll.Pipe(axis=((0, 0, 0), (0.2, 0, 0), (0.2, 1, 0)), radius=0.1)
    with pytest.raises(ValueError, match="must be larger than the radius of the pipe"):
        ll.Pipe(axis=((0, 0, 0), (1, 0, 0)), radius=0.1, bend_radius=0.05)
    with pytest.raises(ll.InputError, match="joints that yaw and pitch in turn"):
        HELIX.sample_joints(np.zeros(1), (("yaw", 1.0), ("yaw", 1.0)))


def test_a_controller_feels_the_ground() -> None:
    """Forces and states of all contacts: their sum is the weight of a robot that lies."""
    seen: list[dict] = []
    ll.simulate(
        ll.Aiko(links=3),
        ll.JointWave(yaw_amplitude=0.0),
        (ll.Gravity(), ll.Ground()),
        model="non-smooth",
        actuation="pd",
        duration=0.2,
        step=1e-3,
        control_period=0.1,
        initial={"position": (0, 0, 0.0525)},
        controller=lambda t, observation: seen.append(observation),
    )
    assert seen[0]["contact_force"].shape == (6, 3) and not seen[0]["contact_force"].any()
    assert seen[-1]["contact_force"].sum(axis=0)[2] == pytest.approx(3 * 7.5 / 11 * G, rel=1e-4)
    assert set(seen[-1]["contact_state"]) <= {1.0, 2.0}


def test_torques_of_one_turn_press_every_link_alike_on_its_pole() -> None:
    """A polygon of n links around a pole is pressed with N at the middle of each by torques N rho sin²((k + 1) pi / n)
    / (cos(pi / n) sin(pi / n)), with rho = radius of pole and body.
    """
    n, length, load = 8, 0.06, 3.0
    rho = 0.5 * length / math.tan(math.pi / n)
    wound = ll.Helix(radius=rho, angle=0.0, link_length=length)
    bent = wound.sample(np.zeros(1), np.arange(2 * n - 2))[0][0]
    size = load * rho * np.sin(np.arange(1, n) * math.pi / n) ** 2 / (math.cos(math.pi / n) * math.sin(math.pi / n))
    torque = np.zeros(2 * n - 2)
    torque[1::2] = np.sign(bent[1::2]) * size
    gait = ll.FunctionGait(function=lambda t, s: np.broadcast_to(torque, (len(t), 2 * n - 2)), drives="torque")
    robot = ll.Aiko(links=n, length=length, sphere_radius=0.03, sphere_distance=0.02, link_mass=0.1)
    pole = ll.Pegs(feet=((0, 0, -1),), span=(0, 0, 2), radius=rho - 0.03, forward=0.0, lateral=0.0, rolling=0.0)
    run = ll.simulate(
        robot,
        gait,
        pole,
        model="non-smooth",
        actuation="torque",
        duration=0.002,
        step=1e-4,
        initial={
            "position": (rho + 1e-9, 0, 0),
            "joint_position": tuple(bent),
            "orientation": tuple(matrix_to_quaternion(wound.base_frame(0.0))),
        },
    )
    force = np.linalg.norm(run.dataset["contact_force"].values[-1], axis=1)
    np.testing.assert_allclose(force, load, rtol=1e-3)


@pytest.mark.long
def test_a_ring_holds_on_an_upright_pole_if_friction_bears_its_weight() -> None:
    """The same ring with joints that yaw alone: it holds if mu N >= m g of a link, and else
    slides with g - mu N / m.
    """
    n, length, radius, load = 8, 0.06, 0.03, 3.0
    rho = 0.5 * length / math.tan(math.pi / n)
    robot = ll.Chain.uniform(links=n, length=length, half_width=radius, half_height=radius, contact_radius=radius)
    size = load * rho * np.sin(np.arange(1, n) * math.pi / n) ** 2 / (math.cos(math.pi / n) * math.sin(math.pi / n))
    gait = ll.FunctionGait(function=lambda t, s: np.broadcast_to(size, (len(t), n - 1)), drives="torque")
    weight = G * float(robot.bodies().mass.sum()) / n
    fallen = {}
    for share in (1.02, 0.98):
        mu = share * weight / load
        pole = ll.Pegs(feet=((0, 0, -1),), span=(0, 0, 2), radius=rho - radius, forward=mu, lateral=mu, rolling=0.0)
        run = ll.simulate(
            robot,
            gait,
            (pole, ll.Gravity()),
            model="non-smooth",
            actuation="torque",
            duration=0.05,
            step=1e-4,
            record_every=0.01,
            initial={"position": (-0.5 * length, -rho - 1e-9, 0.0), "joint_position": (2.0 * math.pi / n,) * (n - 1)},
        )
        place = run.dataset["com_position"].values
        fallen[share] = place[0, 2] - place[-1, 2]
    assert abs(fallen[1.02]) < 1e-5
    assert fallen[0.98] == pytest.approx(0.5 * 0.02 * G * 0.05**2, rel=0.05)


@pytest.mark.long
def test_tension_presses_a_helix_on_its_pole() -> None:
    """T cos²(beta) / rho per length: a helix is the shortest way, so that limp joints and smooth skin hold it."""
    n, length, rho, r, beta, tension = 10, 0.02, 0.2, 0.02, math.radians(20.0), 10.0
    gait = ll.Helix(radius=rho, angle=beta, link_length=length)
    robot = ll.Aiko(links=n, length=length, sphere_radius=r, sphere_distance=0.01, link_mass=0.05)
    bent, frame = gait.sample(np.zeros(1), np.arange(2 * n - 2))[0][0], gait.base_frame(0.0)

    def axis(k: int) -> np.ndarray:
        a = k * gait.azimuth
        return np.array([[math.cos(a), -math.sin(a), 0], [math.sin(a), math.cos(a), 0], [0, 0, 1]]) @ frame[:, 0]

    ends = [(0, -0.5 * length, -(axis(-1) + axis(0))), (-1, length, axis(n - 1) + axis(n))]
    pulls = [
        ll.PointWrench(body=body, point=(x, 0.0, 0.0), force=tuple(tension * way / np.linalg.norm(way)), frame="world")
        for body, x, way in ends
    ]
    pole = ll.Pegs(feet=((0, 0, -1),), span=(0, 0, 2), radius=rho - r, forward=0.0, lateral=0.0, rolling=0.0)
    limp = ll.FunctionGait(function=lambda t, s: np.zeros((len(t), 2 * n - 2)), drives="torque")
    run = ll.simulate(
        robot,
        limp,
        (pole, *pulls),
        model="non-smooth",
        actuation="torque",
        duration=0.002,
        step=1e-4,
        initial={
            "position": (rho + 1e-9, 0, 0),
            "joint_position": tuple(bent),
            "orientation": tuple(matrix_to_quaternion(frame)),
        },
    )
    force = np.linalg.norm(run.dataset["contact_force"].values[-1], axis=1)
    np.testing.assert_allclose(force, tension * math.cos(beta) ** 2 / rho * length, rtol=1e-2)


@pytest.mark.parametrize(
    ("p", "c", "d", "gap"),
    [
        (
            (0.08851852249181338, -0.2824334887460715, -0.0008228077915500807),
            (-0.056776960612792984, -0.04526492921104459, -0.02155971630897659),
            (0.6189840189585046, -0.7750997066071438, 0.12680390014308449),
            0.032638696631706425,
        ),
        (
            (0.2617015572012032, -0.03694166304808427, -0.1418718248186772),
            (-0.02812874181513504, -0.06680463461089502, -0.10551505512051214),
            (0.9921543952034376, 0.0674135459755834, -0.1052856585556591),
            0.058460165736079,
        ),
    ],
)
def test_gaps_of_a_sphere_in_a_pipe_are_those_of_an_independent_code(p: Any, c: Any, d: Any, gap: float) -> None:
    """A sphere of 0.03 m in a pipe of 0.1 m through c along d."""
    begin, end = np.array(c) - 2 * np.array(d), np.array(c) + 2 * np.array(d)
    found, _ = gap_at(ll.Pipe(axis=(tuple(begin), tuple(end)), radius=0.1), p)
    assert found - 0.03 == pytest.approx(gap, abs=1e-12)


def roll_rates(gait: ll.Helix, links: int, roll: float) -> np.ndarray:
    """(links,) how fast each link rolls about itself over how fast the first one does, by differences of the frames
    that universal joints (yaw, then pitch) make.
    """

    def frames(roll: float) -> np.ndarray:
        found = [gait.base_frame(roll)]
        for yaw, pitch in gait.changed(roll=roll).sample(np.zeros(1), np.arange(2 * links - 2))[0][0].reshape(-1, 2):
            a, b, c, d = math.cos(yaw), math.sin(yaw), math.cos(pitch), math.sin(pitch)
            found.append(
                found[-1] @ np.array([[a, -b, 0], [b, a, 0], [0, 0, 1]]) @ np.array([[c, 0, d], [0, 1, 0], [-d, 0, c]])
            )
        return np.array(found)

    turn = (frames(roll + 1e-5) - frames(roll - 1e-5)) / 2e-5 @ np.swapaxes(frames(roll), 1, 2)
    rate = np.stack([turn[:, 2, 1], turn[:, 0, 2], turn[:, 1, 0]], axis=1)
    return np.einsum("li,li->l", rate, frames(roll)[:, :, 0])


def test_universal_joints_let_links_of_a_tight_helix_roll_at_different_rates() -> None:
    """Why `snake-pole` slips: a universal joint that is bent is not homokinetic. With 40 degrees a joint some links
    roll five times as fast as others, and no motion of the whole rolls them all without slip; with 6 degrees they
    differ by some per cent.
    """
    tight, wide = (
        ll.Helix(radius=radius, angle=math.radians(15.0), link_length=length, rate=2.0)
        for radius, length in ((0.08, 0.06), (0.2, 0.02))
    )
    spread = np.array(
        [
            [np.ptp(roll_rates(gait, links, roll)) for roll in np.linspace(0.0, math.pi, 9)]
            for gait, links in ((tight, 20), (wide, 8))
        ]
    )
    assert spread[0].max() > 3.0 and spread[0].min() > 0.3 and spread[1].max() < 0.04
    mean = np.mean([roll_rates(wide, 8, roll) for roll in math.pi * (np.arange(16) + 0.5) / 16], axis=0)
    np.testing.assert_allclose(mean, 1.0, atol=5e-3)  # over half a turn all roll alike


@pytest.mark.long
def test_a_helix_rolls_along_its_pole_without_slip() -> None:
    """An arc that lies on a wide pole, pressed on by its weight, and rolls half a turn: r omega cos(beta) along the
    pole and r omega sin(beta) around it.
    """
    links, length, rho, r, beta, omega = 8, 0.02, 0.2, 0.02, math.radians(15.0), 2.0
    robot = ll.Aiko(
        links=links, length=length, sphere_radius=r, sphere_distance=0.01, link_mass=0.05, inertia="cylinder"
    )
    gait = ll.Helix(radius=rho, angle=beta, link_length=length, rate=-omega, ramp=0.2)
    middle = 0.5 * (links - 1) * gait.azimuth
    down = ll.Gravity(acceleration=(-G * math.cos(middle), -G * math.sin(middle), 0.0))
    pole = ll.Pegs(feet=((0, 0, -0.5),), span=(0, 0, 3), radius=rho - r, forward=0.8, lateral=0.8, rolling=0.0)
    run = ll.run(
        ll.Scenario(
            robot=robot,
            gait=gait,
            environment=(pole, down),
            duration=0.1 + math.pi / omega,
            actuation={"kind": "pd", "stiffness": 5.0, "damping": 0.05},
            step=5e-4,
            record_every=0.01,
            initial={"posture": {"kind": "wrap", "along": 0.5}},
            model={"kind": "non-smooth", "theta": 1.0},
        )
    )
    place = run.dataset["com_position"].values
    around = np.ptp(np.unwrap(np.arctan2(place[:, 1], place[:, 0]))[[0, -1]]) * (rho - r)
    assert place[-1, 2] - place[0, 2] == pytest.approx(r * math.pi * math.cos(beta), rel=5e-3)
    assert around == pytest.approx(r * math.pi * math.sin(beta), rel=5e-3)
    assert run.proven, run.doubts


def test_terrain_of_a_function_that_is_not_loaded_says_why_it_is_not_drawn() -> None:
    """A saved run is looked at without running code; the heights would be computed by some."""
    grid = {"corner": (-1.0, -1.0), "spacing": (1.0, 1.0)}
    named = ll.Terrain(function=NamedFunction("hills.py:hills"), counts=(3, 3), **grid)
    assert not named.drawn() and named.unseen.startswith("environment.terrain is not drawn: a function")
    table = ll.Terrain(table=[[0.0] * 3] * 3, **grid)
    assert len(table.drawn()) == 1 and not table.unseen
