"""Dry sand: its two laws against numbers of an independent implementation, its power, its symmetries, and swimmers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.mechanics.algebra import Matrix, Vector
from limbless.mechanics.forces import SlenderSandLaw, SurfaceSandLaw
from limbless.mechanics.forces.laws import Slice
from limbless.mechanics.forces.sand import face_stress, faces_slice, slender_slice, stress_of
from limbless.models.shape_response import ChainResponse
from limbless.search.studies.strokes import moved_along


def row(sand: ll.Sand, half_width: float = 0.01, half_height: float = 0.01) -> Any:
    """The row of a link of such a section in this sand."""
    robot = ll.UniformChain(links=1, half_width=half_width, half_height=half_height).build()
    law = sand.pack(robot).laws[0]
    return law.kind.table(law.rows, 0)


FACES = ll.Sand(form="surface", medium="generic", zeta=1.0, leading=0.0, skin=0.0, speed=1e-12)
EYE = Matrix(Vector(1.0, 0.0, 0.0), Vector(0.0, 1.0, 0.0), Vector(0.0, 0.0, 1.0))
ALONG_Y = Matrix(Vector(0.0, 1.0, 0.0), Vector(1.0, 0.0, 0.0), Vector(0.0, 0.0, -1.0))
"""Axes of a slice whose body runs along world y."""


@pytest.mark.parametrize(
    ("beta", "gamma", "along", "up"),
    [
        (0, 90, 0.0, 1.0),
        (90, 0, 0.37, 0.037),
        (45, 45, 0.35952900397563425, 0.570159992311072),
        (60, -30, 0.28925248486400257, 0.127),
        (20, 10, 0.2320781853898643, 0.5325289804330917),
        (-10, 80, -0.04938032090659397, 0.9551310405091614),
    ],
)
def test_stress_of_a_plate_is_that_of_li_zhang_and_goldman(beta: float, gamma: float, along: float, up: float) -> None:
    b, g = math.radians(beta), math.radians(gamma)
    stress = stress_of(row(FACES), math.sin(b), math.cos(b), math.sin(g), math.cos(g))
    assert stress == pytest.approx((along, up), abs=1e-12)
    mirrored = stress_of(row(FACES), -math.sin(b), math.cos(b), math.sin(g), -math.cos(g))
    assert mirrored == pytest.approx((-along, up), abs=1e-12)  # the other way round, seen from behind


@pytest.mark.parametrize(
    ("normal", "velocity", "stress"),
    [
        (
            (1.0, 0.0, 0.0),
            (math.cos(0.5), math.sin(0.5), 0.0),
            (-0.33425579812591255, -0.07563682858763594, 0.033425579812591255),
        ),
        ((0.48, 0.64, 0.6), (0.5, 0.1, 0.4), (-0.17768655072101378, -0.0920683820535179, -0.13328885375993244)),
        ((-0.6, 0.0, -0.8), (0.3, 0.0, -0.9), (0.13414040837528426, 0.0, 0.6162103351702828)),
    ],
)
def test_faces_that_move_obliquely(normal: Any, velocity: Any, stress: Any) -> None:
    assert face_stress(row(FACES), Vector(*normal), Vector(*velocity)) == pytest.approx(stress, abs=1e-10)


def across(sand: ll.Sand, velocity: Any, **section: float) -> np.ndarray:
    """Force per length of a slice along world y at height 0, world axes."""
    v, still = np.array(velocity), Vector(0.0, 0.0, 0.0)
    piece = Slice(ALONG_Y, still, Vector(v[1], v[0], -v[2]), still, 0.0)
    F = faces_slice(SurfaceSandLaw(), row(sand, **section), 0.0, piece).force
    return np.array([F.y, F.x, -F.z])


ACROSS = ((1.0, 0.0, 0.0), 0.05, (-409.14480763129956, 0.0, 344.5173831094516), {})
OBLIQUE = ((0.6, 0.5, -0.2), 0.05, (-337.8269748139801, -174.94801276732562, 467.0535764933362), {})
HALF_BURIED = ((1.0, 0.0, 0.0), 0.005, (-140.69269122727246, 0.0, 103.24714810786396), {"half_height": 0.02})


@pytest.mark.parametrize(
    ("motion", "faces", "leading", "error"),
    [
        (ACROSS, 256, 0.0, 1e-4),
        (ACROSS, 64, 0.05, 1e-3),
        (ACROSS, 16, 0.05, 5e-3),
        (OBLIQUE, 256, 0.0, 2e-3),
        (OBLIQUE, 64, 0.05, 5e-3),
        (HALF_BURIED, 256, 0.0, 5e-3),
    ],
)
def test_a_cylinder_in_sand_feels_the_sum_of_its_faces(motion: Any, faces: int, leading: float, error: float) -> None:
    """Across, obliquely, and an ellipse of 10 and 20 mm whose centre is 5 mm deep."""
    velocity, depth, wanted, section = motion
    sand = ll.Sand(form="surface", medium="generic", faces=faces, leading=leading, skin=0.0, surface=depth, speed=1e-9)
    assert np.abs(across(sand, velocity, **section) - wanted).max() < error * np.abs(wanted).max()


SLENDER = ll.Sand(speed=1e-9, surface=0.05)


@pytest.mark.parametrize(
    ("velocity", "depth", "force"),
    [
        ((1.0, 0.0, 0.0), 0.05, (-102.08167339195268, 0.0)),
        ((0.0, 1.0, 0.0), 0.05, (0.0, -11.535433070866146)),
        ((0.3, 0.8, 0.0), 0.05, (-64.42757812429065, -21.152274725081302)),
        ((1.0, 0.0, 0.0), 0.004, (-10.004003992411363, 0.0)),
    ],
)
def test_a_thin_body_feels_the_law_of_maladen(velocity: Any, depth: float, force: Any) -> None:
    piece = Slice(
        ALONG_Y, Vector(0.0, 0.0, 0.05 - depth), Vector(velocity[1], velocity[0], 0.0), Vector(0.0, 0.0, 0.0), 0.0
    )
    found = slender_slice(SlenderSandLaw(), row(SLENDER), 0.0, piece).force
    assert (found.y, found.x) == pytest.approx(force, rel=1e-8, abs=1e-5)


def test_skin_along_a_cylinder_is_the_axial_force_of_the_slender_law() -> None:
    """Which its friction was chosen for; without it the sides feel nothing of the kind."""
    sand = ll.Sand(form="surface", surface=0.05, speed=1e-9)
    assert across(sand, (0.0, 1.0, 0.0))[1] == pytest.approx(-11.535433070866146, rel=3e-3)


@pytest.mark.parametrize("count", [1000, pytest.param(10_000, marks=pytest.mark.long)])
def test_sand_never_gives_power(count: int) -> None:
    some = np.random.default_rng(0)
    faces, thin = row(FACES.changed(leading=0.05, skin=0.25)), row(SLENDER, 0.01, 0.02)
    for _ in range(count):
        n, v = some.standard_normal((2, 3))
        n /= np.linalg.norm(n)
        assert np.dot(face_stress(faces, Vector(*n), Vector(*v)), v) <= 0.0
        assert np.dot(slender_slice(SlenderSandLaw(), thin, 0.0, piece_at(v)).force, v) <= 0.0


def piece_at(velocity: Any) -> Slice:
    return Slice(EYE, Vector(0.0, 0.0, 0.0), Vector(*velocity), Vector(0.0, 0.0, 0.0), 0.0)


@pytest.mark.parametrize(("ratio", "eta"), [(0.1, 0.6118790824381094), (0.2, 0.8437161009298397)])
def test_an_endless_wave_has_the_speed_of_a_closed_quadrature(ratio: float, eta: float) -> None:
    """Slices that move sideways alone (Maladen et al. 2009), no head: forces vanish at that share of its speed."""
    thin, slope = row(SLENDER), 2.0 * np.pi * ratio * np.cos(2.0 * np.pi * (np.arange(400) + 0.5) / 400)
    pulls = []
    for speed in (eta - 1e-4, eta + 1e-4):
        pull = 0.0
        for tilt in slope:
            c, s = 1.0 / np.hypot(1.0, tilt), tilt / np.hypot(1.0, tilt)
            piece = piece_at((speed * c + tilt * s, tilt * c - speed * s, 0.0))
            force = slender_slice(SlenderSandLaw(), thin, 0.0, piece).force
            pull += (force.x * c - force.y * s) / c
        pulls.append(pull)
    assert pulls[0] > 0.0 > pulls[1]


def test_sand_fades_towards_its_surface_without_a_jump() -> None:
    """Depth is that of the section's mean: none above, half a radius' quarter at the surface, all below."""
    thin, heights = row(ll.Sand(speed=1e-9)), np.linspace(-0.03, 0.03, 601)
    pushes = np.array(
        [
            slender_slice(
                SlenderSandLaw(),
                thin,
                0.0,
                Slice(EYE, Vector(0.0, 0.0, z), Vector(0.0, 1.0, 0.0), Vector(0.0, 0.0, 0.0), 0.0),
            ).force.y
            for z in heights
        ]
    )
    assert (pushes[heights > 0.0101] == 0.0).all() and (np.diff(pushes) >= -1e-12).all()
    assert np.abs(np.diff(pushes, 2)).max() < 0.02 * np.abs(np.diff(pushes)).max()
    assert pushes[300] == pytest.approx(pushes[0] * 0.0025 / 0.03)


def law_of_maladen(t: float, position: Any, axes: Any, velocity: Any, rotation_rate: Any) -> np.ndarray:
    """(8) written once more, width and depth 1."""
    eps, across = 0.01, np.array([0.0, velocity[1], velocity[2]])
    size = np.sqrt(velocity @ velocity + eps**2)
    u, w = velocity[0] / size, across / size
    s, fade = np.linalg.norm(w), eps / size
    force = -0.8765 * 1.9256 * w / np.sqrt(1.0 + (1.9256 * s) ** 2)
    force[0] -= 0.3623 * u - 0.2744 * (1.0 - np.hypot(s, fade)) * u / np.hypot(u, fade)
    return force


def test_three_links_in_sand_move_as_under_a_law_of_the_same_formula() -> None:
    robot = ll.UniformChain(links=3, length=1 / 3, half_width=0.5, half_height=0.5, base="planar")
    sand = ll.Sand(depth=1.0, lateral=0.8765, along=0.3623, along_slip=-0.2744, speed=0.01, end=0.0, points=60)
    for medium in (sand, ll.ForceLaw(law=law_of_maladen, points=60)):
        moved = ll.connection(robot, medium, shapes="joints", region=1.5, frame="base")
        np.testing.assert_allclose(
            moved.velocity([0.5, -0.3], [1.0, 0.0]), [0.00693771, 0.20773736, -0.8301962], atol=1e-6
        )


def test_three_straight_links_in_sand_move_as_by_the_reference() -> None:
    """Eight directions of the shapes: drag at a straight posture acts as friction of one sign per half link."""
    robot = ll.UniformChain(links=3, length=1 / 3, half_width=0.5, half_height=0.5, base="planar")
    sand = ll.Sand(depth=1.0, lateral=0.8765, along=0.3623, along_slip=-0.2744, speed=0.01, end=0.0, points=60)
    moved = ll.connection(robot, sand, shapes="joints", region=1.5, frame="middle")
    angles = np.pi * np.arange(8) / 8.0
    across = [-0.0423026563551136, -0.05459799260258261, -0.05903781503596964, -0.05459799260258262]
    turning = [0.1702791151834172, 0.0908286811080482, 0.0, -0.09082868110804826]
    across += [-0.042302656355113565, -0.03245575255136578, 0.0, 0.03245575255136579]
    turning += [-0.17027911518341707, -0.30685604447709885, -0.37344081408061935, -0.3068560444770989]
    found = moved.velocity(np.zeros((8, 2)), np.stack([np.cos(angles), np.sin(angles)], axis=1))
    np.testing.assert_allclose(found, np.stack([np.zeros(8), across, turning], axis=1), atol=5e-3)
    fitted = [
        [-0.025067788373040915, -0.021862253764984827],
        [-0.03748946430471087, -0.03836286584806711],
        [0.21809900254629888, -0.23293412239134156],
    ]
    np.testing.assert_allclose(moved([0.5, -0.3]), fitted, atol=5e-3)
    straight = [[0.0, 0.0], [-0.043237334378180586, -0.04323733437818067], [0.22110612961274567, -0.22110612961274534]]
    np.testing.assert_allclose(moved([0.0, 0.0]), straight, atol=5e-3)


def wave(ratio: float, place: np.ndarray) -> tuple[np.ndarray, float]:
    """Heading of a sine of amplitude `ratio` wavelengths at shares of its arc, and wavelength over arc."""
    x = np.linspace(0.0, 1.0, 20001)
    slope = 2.0 * np.pi * ratio * np.cos(2.0 * np.pi * x)
    long = np.sqrt(1.0 + slope**2)
    arc = np.concatenate([[0.0], np.cumsum(0.5 * (long[1:] + long[:-1]) * np.diff(x))])
    return np.arctan(np.interp((place % 1.0) * arc[-1], arc, slope)), 1.0 / float(arc[-1])


@pytest.mark.parametrize(
    ("head", "ratio", "eta", "lengths"),
    [
        (0.0, 0.1, 0.39662, 0.36307),
        (0.0, 0.2, 0.77546, 0.58718),
        (0.7, 0.1, 0.15774, 0.1444),
        (0.7, 0.15, 0.42934, 0.35945),
        (0.7, 0.2, 0.59405, 0.44982),
        (1.0, 0.15, 0.33722, 0.28232),
        (1.0, 0.2, 0.50458, 0.38207),
    ],
)
def test_a_sandfish_goes_as_far_as_by_the_reference(head: float, ratio: float, eta: float, lengths: float) -> None:
    """Blunt, tapered and without a head; a chain of 60 links that follows one sine, L/w = 8, no inertia."""
    n, phases, eps = 60, np.arange(16) / 16.0, 1e-4
    robot = ll.UniformChain(links=n, length=1 / n, half_width=1 / 16, half_height=1 / 16, base="planar").build()
    sand = ll.Sand(depth=1.0, end=head * 1.8e5, speed=0.003, points=3)
    middles = (np.arange(n) + 0.5) / n
    heading = np.array([wave(ratio, middles - phase)[0] for phase in phases])
    rate = np.array(
        [
            (wave(ratio, middles - phase - eps)[0] - wave(ratio, middles - phase + eps)[0]) / (2.0 * eps)
            for phase in phases
        ]
    )
    answer = ChainResponse(robot, [sand], np.eye(n - 1), np.zeros(n - 1))
    twist, _ = answer.velocity(np.diff(heading, axis=1), np.diff(rate, axis=1))
    way = float(np.hypot(*moved_along(twist)[0][:2]))
    assert way == pytest.approx(lengths, rel=0.02) and way / wave(ratio, middles)[1] == pytest.approx(eta, rel=0.02)


def test_a_sandfish_as_a_rod_and_as_a_chain() -> None:
    sand = ll.Sand(depth=1.0, end=1.26e5, speed=0.003, points=4)
    size: dict[str, Any] = {"half_width": 1 / 16, "half_height": 1 / 16, "base": "planar"}
    chain = ll.connection(ll.UniformChain(links=60, length=1 / 60, **size), sand, shapes="waves 1", region=0.2)
    rod = ll.connection(
        ll.Rod(length=1.0, strains="planar", **size), sand.changed(points=4), shapes="waves 1", region=12.0
    )
    bend = 4.0
    one = chain.around({"cos": [[bend / 60, 0.0]], "sin": [[0.0, bend / 60]]}, area=False)
    other = rod.around({"cos": [[bend, 0.0]], "sin": [[0.0, bend]]}, area=False)
    assert one.distance == pytest.approx(other.distance, rel=0.01) and one.work == pytest.approx(other.work, rel=0.02)


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"surface": 0.1, "depth": 0.2}, "leave one of them"),
        ({"depth": -0.1}, "depth"),
        ({"along_slip": -1e6}, "would push a body"),
        ({"medium": "poppy-loose"}, "glass beads alone"),
        ({"medium": "quartz"}, "medium"),
        ({"zeta": 0.5}, "belongs to form: surface"),
        ({"form": "surface", "end": 0.0}, "belongs to form: slender"),
        ({"form": "surface", "zeta": -1.0}, "zeta"),
        ({"form": "surface", "faces": 4}, "faces"),
    ],
)
def test_sand_that_is_none_is_refused(fields: dict[str, Any], told: str) -> None:
    with pytest.raises(ll.InputError, match=told):
        ll.Sand(**fields)


def test_a_body_above_the_sand_is_told() -> None:
    given = ll.Scenario.load("sand-sidewind")
    high = given.changed(environment=(ll.Sand(form="surface", surface=-0.1),))
    assert any("the base starts at 0 m, above the sand" in note for note in high.notes())
    assert not given.notes()


def test_a_step_too_long_for_sand_with_inertia_is_refused() -> None:
    robot = ll.UniformChain(links=3, length=0.1, base="planar")
    with pytest.raises((ll.InputError, ll.SimulationError), match="sand that fades below"):
        ll.simulate(robot, ll.Serpenoid(), ll.Sand(depth=0.05), duration=0.1, step=0.01)


THROWN: dict[str, Any] = {"duration": 0.002, "initial": {"twist": (0.0, 0.5, 0.0, 0.0, 0.0, 0.0)}}


def test_a_body_thrown_into_sand_loses_what_the_sand_takes() -> None:
    robot = ll.UniformChain(links=2, length=0.1, base="planar", half_width=0.01, half_height=0.01)
    run = ll.simulate(
        robot, ll.Serpenoid(amplitude=0.0), ll.Sand(depth=0.05, speed=0.05), step=2e-6, record_every=2e-4, **THROWN
    )
    energy = run.dataset["kinetic_energy"].values
    assert energy[-1] < 0.9 * energy[0]
    assert energy[0] - energy[-1] == pytest.approx(-float(run.dataset["law_work"].values[-1].sum()), rel=1e-6)


def test_a_soft_body_in_sand_slows_down_as_a_stiff_chain_does() -> None:
    """A stiff soft rod and one rigid link of the same size: the sand takes the same speed from both."""
    sand = ll.Sand(depth=0.05, speed=0.05)
    rod = ll.Rod(length=0.1, base="planar", strains="planar", half_width=0.01, youngs_modulus=1e9, passive={})
    soft = ll.simulate(rod, ll.Still(), sand, model="soft", step=2e-5, record_every=2e-4, **THROWN)
    link = ll.UniformChain(links=1, length=0.1, base="planar", half_width=0.01, half_height=0.01)
    stiff = ll.simulate(link, ll.Serpenoid(amplitude=0.0), sand, step=2e-6, record_every=2e-4, **THROWN)
    slowed = [float(run.dataset["com_velocity"].values[-1, 1]) for run in (soft, stiff)]
    assert slowed[1] < 0.45 and slowed[0] == pytest.approx(slowed[1], rel=2e-3)
