"""Gaps and normals against brute force, and the ways in which surfaces must agree with each other."""

from __future__ import annotations

import math

import numpy as np
import pytest

import limbless as ll
from limbless.environments.hard_surface import Patch
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.contact.shapes import primitives
from limbless.models.chain.contact.nonsmooth_model import NonSmooth
from limbless.models.nonsmooth import NonSmoothSettings
from limbless.scenarios.scenario import Initial

RADIUS, FREE = 0.0525, ll.FunctionGait(function=lambda t, s: np.zeros((len(t), len(s))), drives="torque")


def step(environment: list, height: float = RADIUS, links: int = 1, h: float = 1e-3, **initial: object):
    model = NonSmooth(ll.Aiko(links=links), [*environment, ll.Gravity()], ll_torque(), NonSmoothSettings())
    state = model.initial_state(Initial(position=(0.0, 0.0, height), **initial), FREE)
    return model, model.step(state, h, FREE)


def ll_torque():
    from limbless.control.actuation import Torque

    return Torque()


@pytest.mark.parametrize("seed", range(20))
def test_nearest_points_of_segments(seed: int) -> None:
    a, b, p, q = np.random.default_rng(seed).normal(size=(4, 3))
    s, t = primitives.nearest_of_segments(*(Vector(*map(float, x)) for x in (a, b, p, q)))
    grid = np.linspace(0, 1, 201)
    brute = np.linalg.norm((a + grid[:, None, None] * (b - a)) - (p + grid[None, :, None] * (q - p)), axis=-1).min()
    assert np.linalg.norm(a + s * (b - a) - p - t * (q - p)) <= brute + 1e-9


@pytest.mark.parametrize("points", [(0,), (2,), (0, 2)])
def test_segments_without_length_are_points(points: tuple[int, ...]) -> None:
    """A sphere is a capsule of no length: the nearest point of the other segment is the foot of the
    perpendicular, or an end.
    """
    ends = [np.array(x) for x in ((0.2, 0.3, 0.5), (0.7, 0.1, 0.5), (0.0, 0.0, 0.0), (1.0, 0.0, 0.0))]
    for first in points:
        ends[first + 1] = ends[first]
    a, b, p, q = ends
    s, t = primitives.nearest_of_segments(*(Vector(*map(float, x)) for x in ends))
    grid = np.linspace(0, 1, 201)
    brute = np.linalg.norm((a + grid[:, None, None] * (b - a)) - (p + grid[None, :, None] * (q - p)), axis=-1).min()
    assert np.linalg.norm(a + s * (b - a) - p - t * (q - p)) <= brute + 1e-9 and 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0


@pytest.mark.parametrize(
    ("place", "distance", "normal"),
    [
        ((0.27, 0.05, -0.1), -0.03, (1, 0, 0)),
        ((-0.29, 0.05, 0.1), -0.01, (-1, 0, 0)),
        ((0.1, 0.38, 0.2), -0.02, (0, 1, 0)),
        ((0.1, -0.36, 0.2), -0.04, (0, -1, 0)),
        ((0.1, 0.2, 0.49), -0.01, (0, 0, 1)),
        ((0.1, 0.2, -0.45), -0.05, (0, 0, -1)),
    ],
)
def test_inside_a_box_the_nearest_face_pushes_out(place: tuple, distance: float, normal: tuple) -> None:
    surface = np.zeros((1, primitives.SURFACE_COLUMNS))
    surface[0, primitives.SHAPE : primitives.SHAPE + 15] = ll.Boxes(
        centres=((0.0, 0.0, 0.0),), sizes=((0.6, 0.8, 1.0),)
    ).shapes()[0][1]
    found, n = primitives.box_distance(surface, 0, Vector(*place))
    assert found == pytest.approx(distance) and tuple(n) == pytest.approx(normal)


@pytest.mark.parametrize("seed", range(20))
def test_box_distance(seed: int) -> None:
    rng = np.random.default_rng(seed)
    surface = np.zeros((1, primitives.SURFACE_COLUMNS))
    half, yaw = rng.uniform(0.1, 0.5, 3), rng.uniform(-3, 3)
    box = ll.Boxes(centres=((0.1, -0.2, 0.3),), sizes=(tuple(2 * half),), yaw=yaw)
    surface[0, primitives.SHAPE : primitives.SHAPE + 15] = box.shapes()[0][1]
    p = rng.normal(size=3)
    distance, n = primitives.box_distance(surface, 0, Vector(*map(float, p)))
    turn = np.array([[math.cos(yaw), math.sin(yaw), 0], [-math.sin(yaw), math.cos(yaw), 0], [0, 0, 1]])
    local = turn @ (p - [0.1, -0.2, 0.3])
    outside = np.linalg.norm(np.maximum(np.abs(local) - half, 0.0))
    assert distance == pytest.approx(outside if outside > 0 else (np.abs(local) - half).max())
    assert np.linalg.norm(n) == pytest.approx(1.0)
    inner, _ = primitives.box_distance(surface, 0, Vector(*map(float, p - 1e-6 * np.array(n))))
    assert distance - inner == pytest.approx(1e-6, rel=1e-3)


def test_a_ramp_of_triangles_is_the_tilted_plane() -> None:
    angle = 0.2
    pose = {"orientation": (math.cos(angle / 2), 0.0, -math.sin(angle / 2), 0.0)}
    ramp = ll.Terrain(
        corner=(-2.0, -2.0),
        spacing=(0.11, 0.13),
        counts=(40, 40),
        function=lambda x, y: math.tan(angle) * x,
        forward=0.1,
    )
    runs = [
        ll.simulate(
            ll.Aiko(links=3),
            ll.JointWave(yaw_amplitude=0.3),
            (ground, ll.Gravity()),
            model=NonSmoothSettings(theta=1.0),
            duration=0.5,
            step=0.001,
            actuation="pd",
            record_every=0.1,
            initial={"position": (-RADIUS * math.sin(angle), 0.0, RADIUS * math.cos(angle)), **pose},
        ).dataset
        for ground in (ramp, ll.Ground(slope=(angle, 0.0), forward=0.1))
    ]
    assert runs[0]["position"].values == pytest.approx(runs[1]["position"].values, abs=1e-6)


def test_a_sphere_in_a_groove_has_two_contacts() -> None:
    groove = ll.Terrain(corner=(-1.0, -1.0), spacing=(0.1, 1.0), counts=(21, 3), function=lambda x, y: np.abs(y))
    _, seen = step([groove], height=RADIUS * math.sqrt(2.0) + 1e-6)
    pushed = seen.normal[np.linalg.norm(seen.force, axis=1) > 0.0]
    across = {tuple(np.round(n, 6)) for n in pushed}
    assert across == {
        (0.0, -round(math.sqrt(0.5), 6), round(math.sqrt(0.5), 6)),
        (0.0, round(math.sqrt(0.5), 6), round(math.sqrt(0.5), 6)),
    }
    assert np.abs(seen.force.sum(axis=0)[:2]).max() < 1e-4 * seen.force.sum(axis=0)[2]


def test_an_edge_pushes_along_the_line_from_the_edge() -> None:
    """A link across the edge of a step, beside the step's top."""
    box = ll.Boxes(centres=((0.0, 0.5, 0.0),), sizes=((2.0, 1.0, 0.2),))
    lift = 0.03
    height = 0.1 + math.sqrt(RADIUS**2 - lift**2)
    model = NonSmooth(ll.Aiko(links=1), [box, ll.Gravity()], ll_torque())
    seen = model.step(model.initial_state(Initial(position=(0.0, -lift, height + 1e-6)), FREE), 1e-3, FREE)
    loaded = np.linalg.norm(seen.force, axis=1) > 0.0
    assert loaded.any()
    assert seen.normal[loaded] == pytest.approx(
        np.tile([0.0, -lift, height - 0.1] / np.array(RADIUS), (loaded.sum(), 1)), abs=1e-3
    )


def test_a_peg_does_not_enter_between_two_spheres() -> None:
    peg = ll.Pegs(feet=((0.0, 0.2, -0.5),), span=(0.0, 0.0, 1.0), radius=0.004, forward=0.0, lateral=0.0)
    run = ll.simulate(
        ll.Aiko(links=1),
        FREE,
        (peg,),
        model="non-smooth",
        duration=0.5,
        step=0.001,
        actuation="torque",
        initial={"twist": (0, 1.0, 0, 0, 0, 0)},
    )
    place = run.dataset["position"].values[:, 0]
    assert place[:, 1].max() < 0.2 - RADIUS - 0.004 + 1e-5
    assert run.dataset["contact_gap"].values.min() > -1e-5


def test_a_ridge_does_not_enter_between_two_spheres() -> None:
    ridge = ll.Terrain(
        corner=(-0.5, -0.5),
        spacing=(0.02, 0.5),
        counts=(51, 3),
        function=lambda x, y: np.where(np.abs(x) < 0.005, 0.04, 0.0),
    )
    run = ll.simulate(
        ll.Aiko(links=1),
        FREE,
        (ridge, ll.Gravity()),
        model="non-smooth",
        duration=0.2,
        step=0.001,
        actuation="torque",
        initial={"position": (0.0, 0.0, 0.15)},
    )
    assert run.dataset["position"].values[:, 0, 2].min() > 0.04 + RADIUS - 1e-4


def test_a_patch_has_its_own_friction() -> None:
    ground = ll.Ground(
        forward=0.5, lateral=0.5, patches=({"x": (-1.0, 5.0), "y": (-1.0, 1.0), "forward": 0.1, "lateral": 0.1},)
    )
    run = ll.simulate(
        ll.Aiko(links=1),
        FREE,
        (ground, ll.Gravity()),
        model="non-smooth",
        duration=1.5,
        step=0.0005,
        actuation="torque",
        initial={"position": (0.0, 0.0, RADIUS), "twist": (1.0, 0, 0, 0, 0, 0)},
    )
    assert run.dataset["position"].values[-1, 0, 0] == pytest.approx(1.0 / (2 * 0.1 * 9.81), abs=1e-4)


def test_an_upright_link_has_a_friction_frame() -> None:
    upright = (math.cos(math.pi / 4), 0.0, -math.sin(math.pi / 4), 0.0)
    _, seen = step([ll.Ground()], height=0.0393 + RADIUS, orientation=upright)
    assert np.isfinite(seen.force).all() and seen.residual < 1e-8
    assert np.linalg.norm(seen.tangent[np.linalg.norm(seen.force, axis=1) > 0], axis=1) == pytest.approx(1.0)


def test_a_sphere_never_loses_sight_of_a_box() -> None:
    """Whatever its posture: begin and end of a sphere are one point, but their roundings need not be."""
    rng, box = np.random.default_rng(5), ll.Boxes(centres=((0.0, 0.0, -1.0),), sizes=((1.0, 1.0, 1.0),))
    model = NonSmooth(ll.Aiko(links=1), [box, ll.Gravity()], ll_torque(), NonSmoothSettings())
    for _ in range(200):
        q = rng.normal(size=4)
        state = model.initial_state(
            Initial(position=tuple(rng.uniform(-0.3, 0.3, 3)), orientation=tuple(q / np.linalg.norm(q))), FREE
        )
        assert np.sort(model.step(state, 1e-3, FREE).gap)[:2].max() < 2.0


def test_obstacles_obey_the_same_residual() -> None:
    for name in ("snake-pegs", "snake-stairs"):
        run = ll.run(name, {"duration": 5.0})
        assert run.dataset["contact_residual"].values.max() <= 1e-8
        assert run.dataset["contact_gap"].values.min() > -1e-4
    assert ll.run("snake-pegs").summary()["com_displacement"][0] > 1.0


@pytest.mark.parametrize("function", [lambda x: x, lambda x, y: x[:3], lambda x, y: "high", lambda x, y: 1 / 0])
def test_a_height_function_that_fails_is_refused_in_words(function) -> None:
    with pytest.raises(
        ll.InputError,
        match=r"the height function <lambda> must take two arrays, .*\(5, 4\); it "
        r"failed with \w+Error: ",
    ):
        ll.Terrain(function=function, counts=(5, 4))


def test_heights_from_a_function_and_from_an_array_are_one_terrain() -> None:
    grid = np.add.outer(0.1 * np.arange(6.0) ** 2, 0.3 * np.arange(4.0))
    other = ll.Terrain(function=lambda x, y: 0.4 * x**2 + 0.6 * y, spacing=(0.5, 0.5), counts=(6, 4))
    assert ll.Terrain(table=grid, spacing=(0.5, 0.5)).heights() == pytest.approx(other.heights())


def test_a_sloping_plane_has_its_height_at_the_origin_and_rises_by_its_angles() -> None:
    """A sphere over z = height + x tan(a) + y tan(b): its gap is the vertical distance times the normal's upright part,
    less the radius.
    """
    a, b, height, place = 0.3, -0.2, 0.15, np.array([0.4, 0.7, 0.5])
    ground = ll.Ground(slope=(a, b), height=height)
    upright = 1.0 / math.sqrt(1.0 + math.tan(a) ** 2 + math.tan(b) ** 2)
    centers = place + np.array([[-0.0393, 0.0, 0.0], [0.0393, 0.0, 0.0]])  # of the two spheres of a link
    over = centers[:, 2] - height - centers[:, 0] * math.tan(a) - centers[:, 1] * math.tan(b)
    model = NonSmooth(ll.Aiko(links=1), [ground], ll_torque())
    seen = model.step(model.initial_state(Initial(position=tuple(place)), FREE), 1e-6, FREE)
    assert sorted(seen.gap[seen.gap < 1e3]) == pytest.approx(sorted(over * upright - RADIUS), abs=1e-9)


def test_a_patch_rubs_with_its_own_coefficients_both_ways() -> None:
    """A link that slides along itself on a patch slows down by μ g; forwards and backwards by different μ,
    beside it by the ground's.
    """
    g, speed = 9.81, 0.5
    patch = Patch(x=(-1.0, 1.0), y=(-1.0, 1.0), forward=0.1, backward=0.4, lateral=0.2)
    ground = ll.Ground(forward=0.25, lateral=0.25, patches=(patch,))

    def slowing(way: float, x: float) -> float:
        model = NonSmooth(ll.Aiko(links=1), [ground, ll.Gravity()], ll_torque())
        state = model.initial_state(
            Initial(position=(x, 0.0, RADIUS), twist=(way * speed, 0.0, 0.0, 0.0, 0.0, 0.0)), FREE
        )
        for _ in range(5):
            state = model.step(state, 1e-3, FREE).state
        return float((speed - way * model.observe(state)["base_twist"][0]) / (5e-3 * g))

    assert sorted([slowing(1.0, 0.0), slowing(-1.0, 0.0)]) == pytest.approx([0.1, 0.4], rel=2e-2)
    assert slowing(1.0, 3.0) == pytest.approx(0.25, rel=2e-2)
