"""Views of a robot keep what they say, by numbers that other code adds up; the rest is lost in words, or refused."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

import limbless as ll
from limbless.core import InputError, registry
from limbless.models.chain.soft.cell_plan import spine_plan
from limbless.robots.base import Robot
from limbless.robots.chain import Chain
from limbless.robots.chain_arrays import SPHERICAL
from limbless.robots.rod import Rod
from limbless.robots.tendon_spine import TendonSpine

TENDONS = (ll.ChannelTendon(name="left", place=(0.01, 0.0)), ll.ChannelTendon(name="up", place=(0.0, 0.01), anchor=0.6))
ROBOTS = {
    **{name: cls for name, cls in registry.kinds("preset").items() if name not in ("file", "boyer-worm")},
    "tapered rod": lambda: Rod(
        strains="universal",
        length=0.8,
        half_width=((0.0, 0.02), (0.3, 0.04), (0.8, 0.015)),
        half_height=0.03,
        youngs_modulus=1e5,
        damping_time=0.02,
        tendons=TENDONS,
    ),
    "rod of tables": lambda: Rod(
        strains="universal",
        density=((0.0, 900.0), (0.25, 1100.0), (1.0, 950.0)),
        stiffness={"pitch curvature": ((0.0, 2.0), (0.4, 3.0), (1.0, 1.0)), "yaw curvature": 0.5},
        tip_mass=0.2,
        tendons=TENDONS[:1],
    ),
    "twisting rod": lambda: Rod(strains="reissner", stiffness=2.0, damping=0.1, tendons=TENDONS),
    "hinged spine": lambda: ll.SnakeNeck(kinematics="hinge", damping_time=0.01),
}
VIEWS = ("as_chain", "as_rod", "as_spine")


class Totals(NamedTuple):
    """Of the straight body: kg, kg m from its first end, kg m2 about its own middle, m3, m, rad/(N m) between the ends
    about x, y and z.
    """

    mass: float
    moment: float
    inertia: np.ndarray
    volume: float
    length: float
    softness: np.ndarray


def in_a_row(stiffness: Any) -> float:
    values = np.asarray(stiffness, dtype=float)
    return float((1.0 / values).sum()) if values.size and (values > 0.0).all() else 0.0


def totals(robot: Robot) -> Totals:
    """Added up once more, from what models see."""
    if isinstance(robot, Chain):
        homes, bodies, pieces = np.cumsum(robot.arrays().arm, axis=0), robot.bodies(), robot.segments()
        first = homes[pieces[0].body] + pieces[0].start
        length = sum(piece.length for piece in pieces)
        middle = first + np.array([0.5 * length, 0.0, 0.0])
        inertia, moment = np.zeros((3, 3)), 0.0
        for home, m, s, about in zip(homes, bodies.mass, bodies.moment, bodies.inertia, strict=True):
            d = home - middle
            mixed = np.outer(s, d)
            inertia += about + 2.0 * np.trace(mixed) * np.eye(3) - mixed - mixed.T
            inertia += m * (d @ d * np.eye(3) - np.outer(d, d))
            moment += s[0] + m * (home - first)[0]
        arrays, labels = robot.arrays(), np.array(robot.joint_labels)
        soft = np.array([in_a_row(arrays.stiffness[labels == turn]) for turn in ("roll", "pitch", "yaw")])
        return Totals(bodies.mass.sum(), moment, np.diag(inertia), bodies.volume.sum(), length, soft)
    if isinstance(robot, Rod):
        ends = np.unique([0.0, *robot.kinks, *(np.arange(401) / 400 * robot.length)])
        nodes, weights = np.polynomial.legendre.leggauss(3)
        X = (0.5 * (ends[1:] + ends[:-1])[:, None] + 0.5 * np.diff(ends)[:, None] * nodes).ravel()
        ds = (0.5 * np.diff(ends)[:, None] * weights).ravel()
        own, x = robot.inertia(X) * ds[:, None], X - 0.5 * robot.length
        inertia = own[:, 3:].sum(axis=0) + np.array([0.0, 1.0, 1.0]) * (own[:, 0] @ x**2)
        stiffness = robot.stiffnesses(X)
        soft = np.array([ds @ (1.0 / k) if (k > 0.0).all() else 0.0 for k in stiffness[:, 3:].T])
        free = {"planar": [2], "planar-reissner": [2], "universal": [1, 2]}.get(robot.strains, [0, 1, 2])
        soft = np.where(np.isin(np.arange(3), free), soft, 0.0)
        tip, half = robot.tip_mass, 0.5 * robot.length
        inertia = inertia + np.array([0.0, 1.0, 1.0]) * tip * half**2
        moment = own[:, 0] @ X + tip * robot.length
        return Totals(own[:, 0].sum() + tip, moment, inertia, ds @ robot.areas(X), robot.length, soft)
    assert isinstance(robot, TendonSpine)
    plan = spine_plan(robot, 3, True)
    found = [piece for cell in plan.cells for piece in cell.pieces]
    points = [(piece.mass, piece.place, piece.turn) for piece in found if piece.mass]
    points += [(cell.mass, cell.pieces[-1].place, cell.turn) for cell in plan.cells]
    across = np.array([0.0, 1.0, 1.0])
    inertia = sum(turn + m * (x - 0.5 * plan.length) ** 2 * across for m, x, turn in points)
    names = ("twist", "vertical", "lateral")
    soft = np.array(
        [0.0 if n == "twist" and not robot.twists else in_a_row(robot.values(f"{n}_stiffness")) for n in names]
    )
    mass = sum(m for m, _, _ in points)
    volume = sum(piece.volume for piece in found)
    return Totals(mass, sum(m * x for m, x, _ in points), inertia, volume, plan.length, soft)


def tendon_lines(robot: Any) -> list[tuple[float, ...]]:
    """Length at rest, and where it starts and ends, of every tendon of the straight robot."""
    found = []
    for tendon in robot.tendons:
        if isinstance(robot, Chain):
            homes = np.cumsum([link.position for link in robot.links], axis=0)
            points = np.array([homes[link] + point for link, point in tendon.through])
        elif isinstance(robot, Rod):
            ends = (tendon.start, robot.length if tendon.anchor is None else tendon.anchor)
            points = np.array([(x, *tendon.place) for x in ends])
        else:
            edges = np.concatenate([[0.0], np.cumsum(robot.values("length"))])
            last = tendon.anchor or len(robot.vertebrae)
            holes = tendon.holes * (last + 1) if len(tendon.holes) == 1 else tendon.holes
            points = np.array([(edges[k], *holes[k]) for k in range(tendon.start, last + 1)])
        length = np.linalg.norm(np.diff(points, axis=0), axis=1).sum()
        found.append((length, *points[0], *points[-1]))
    return found


@pytest.mark.parametrize("how", VIEWS)
@pytest.mark.parametrize("name", ROBOTS)
def test_a_view_keeps_what_it_says(name: str, how: str) -> None:
    robot = ROBOTS[name]().build()
    try:
        view = getattr(robot, how)(16) if name == "tapered rod" and how != "as_rod" else getattr(robot, how)()
    except InputError as refusal:
        assert how == "as_spine" and str(refusal).startswith("robot."), "only springs and tendons are asked for"
        return
    before, after = totals(robot), totals(view)
    assert not any("lies too near" in told for told in view.lost)
    for field in ("mass", "moment", "volume", "length"):
        assert getattr(after, field) == pytest.approx(getattr(before, field), rel=1e-9), field
    kept = after.inertia[1:] if name == "module-snake" else after.inertia
    told = before.inertia[1:] if name == "module-snake" else before.inertia  # its frame was on the belly
    np.testing.assert_allclose(kept, told, rtol=1e-9)
    np.testing.assert_allclose(after.softness, before.softness, rtol=1e-9)
    if getattr(robot, "tendons", ()) and not any("nearest disks" in told for told in view.lost):
        np.testing.assert_allclose(tendon_lines(view), tendon_lines(robot), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("name", ["serpent", "spine-45", "snake-neck"])
def test_a_spine_of_arcs_floats_level_as_links(name: str) -> None:
    """A surface lifts each link along its body: half a vertebra off, a neutral spine tips over (by 0.3 m in 3 s)."""
    spine = ROBOTS[name]().build()
    chain = spine.as_chain()
    homes, pieces = np.cumsum(chain.arrays().arm, axis=0), chain.segments()
    ends = np.cumsum(spine.values("length"))
    volumes = np.array([one.volume for one in spine.vertebrae])
    lifted = np.array([f * p.length * p.half_width * p.half_height for f, p in zip(chain.fills(), pieces, strict=True)])
    middles = np.array([homes[p.body][0] + p.start[0] + p.length / 2 for p in pieces])
    assert np.pi * lifted.sum() == pytest.approx(volumes.sum(), rel=1e-12)
    told = volumes @ (ends - spine.values("length") / 2) / volumes.sum()
    off = lifted @ middles / lifted.sum() - told
    assert abs(off) < 0.05 * ends[0], "only a link whose halves differ, such as the head's, is lifted off its centre"


def test_what_touches_and_rubs_is_kept_or_said() -> None:
    """A serpent whose links lost its skin crawled nowhere, and nothing said so."""
    serpent = ll.Serpent().build().changed(touch="capsules")
    chain, rod = serpent.as_chain(), serpent.as_rod()
    assert chain.skin == serpent.skin and any("robot.touch" in told for told in chain.lost)
    assert {"robot.skin", "robot.pulley_radius", "robot.pairs"} <= {told.split(":")[0] for told in rod.lost}


def test_views_can_be_printed_saved_and_run() -> None:
    view = ll.UniformChain(links=6, stiffness=0.2).as_rod()
    again = Rod(**view.model_dump(exclude={"kind"}))
    assert (
        again == view and view.seen_from == ll.UniformChain(links=6, stiffness=0.2).build() and again.seen_from is None
    )


def test_round_trip_gives_the_same_table() -> None:
    rod = Rod(strains="universal", length=0.9, half_width=0.03, half_height=0.02, stiffness=1.5, damping=0.02)
    again = Chain(**rod.as_chain(9).model_dump(exclude={"kind"})).as_rod()  # links that come from nowhere
    X = np.linspace(0.01, 0.89, 41)
    assert again.length == pytest.approx(0.9, rel=1e-14)
    np.testing.assert_allclose(again.inertia(X), rod.inertia(X), rtol=1e-12)
    np.testing.assert_allclose(again.half_axes(X), rod.half_axes(X), rtol=1e-12)
    np.testing.assert_allclose(again.areas(X), rod.areas(X), rtol=1e-12)
    np.testing.assert_allclose(again.stiffnesses(X)[:, 4:], rod.stiffnesses(X)[:, 4:], rtol=1e-12)
    np.testing.assert_allclose(again.dampings(X)[:, 4:], rod.dampings(X)[:, 4:], rtol=1e-12)


@pytest.mark.parametrize("name", ["tapered rod", "rod of tables", "twisting rod"])
def test_the_view_of_a_rod_is_that_rod_again(name: str) -> None:
    """Links of a taper are uniform; a taper made of them once more would have lost its ends."""
    rod = ROBOTS[name]()
    X = np.linspace(0.0, rod.length, 41)
    for view in (rod.as_chain(9), rod.as_chain(9).as_spine(7)) if name == "twisting rod" else (rod.as_chain(9),):
        again = view.as_rod()
        np.testing.assert_allclose(again.inertia(X), rod.inertia(X), rtol=1e-12)
        np.testing.assert_allclose(again.stiffnesses(X), rod.stiffnesses(X), rtol=1e-12)
    heavier = rod.as_chain(9).changed(name="a chain of its own")
    assert heavier.seen_from is None and heavier.as_rod().pieces, "links that were changed are spread along a rod"


def test_refined_view_has_twice_its_number() -> None:
    rod = Rod(strains="universal", stiffness=1.0, tendons=TENDONS[:1])
    assert len(rod.as_chain(12).refined().links) == 24 and len(rod.as_spine(10).refined().vertebrae) == 20
    assert rod.refined() is rod and len(rod.as_chain().links) == 17, "one link per diameter"
    assert len(Rod(half_width=0.2).as_chain().links) == 8 and len(Rod(half_width=0.001).as_chain().links) == 60


def test_clamped_and_loaded_it_tends_to_the_beam_with_second_order() -> None:
    """Small bends of a cantilever under a force at its tip, F L³ / 3 EI, from the springs of the chain alone. The first
    joint stands for 1.5 links and sits 1 from the clamp, not 0.75: it is 0.75 L Δ² short, 2.25 / n² of L³ / 3.
    """
    rod = Rod(base="fixed", strains="planar", length=0.7, stiffness=0.4)
    apart = []
    for links in (8, 16, 32):
        chain = rod.as_chain(links)
        arms = rod.length - np.cumsum([link.position[0] for link in chain.links])[1:]
        apart.append(abs((arms**2 / chain.arrays().stiffness).sum() / (rod.length**3 / 3.0 / 0.4) - 1.0))
    np.testing.assert_allclose(apart * np.array([8, 16, 32]) ** 2 / 2.25, 1.0, atol=0.15)


def test_what_is_lost_is_said() -> None:
    assert "stretch, lateral shear, vertical shear" in Rod(strains="reissner").as_chain(4).lost[0]
    told = " ".join(ll.SnakeNeck().as_chain().lost)
    assert "kinematics" in told and "stops" in told and "pulley_radius" in told
    told = " ".join(ll.UniformChain(coulomb_friction=0.1, lower=-1.0, upper=1.0, contact_radius=0.02).as_rod().lost)
    assert "dry friction" in told and "limits" in told and "contact shapes" in told


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Rod().as_chain(1), "links: a body is seen as at least 2 links; got 1"),
        (lambda: ll.UniformChain(links=1).as_rod(), "robot.links: no joint bends this robot"),
        (lambda: Rod(base="line").as_chain(5), "robot.base: a chain has no base 'line'"),
        (lambda: Rod().as_spine(5), "robot.tendons: a spine is pulled by tendons"),
        (lambda: Rod(strains="planar", stiffness=1.0, tendons=TENDONS[:1]).as_spine(5), "robot.stiffness"),
        (
            lambda: Rod(
                pieces=(
                    {"length": 0.2, "half_width": 1, "half_height": 1, "mass": 1, "moments": (1, 1, 1), "volume": 1},
                )
            ),
            "0.2 m long",
        ),
    ],
)
def test_bad_input_is_one_sentence(make: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        make()


def test_joints_that_are_not_alike_are_named() -> None:
    links = list(ll.UniformChain(links=5).build().links)
    far = links[1].changed(
        body=ll.BodyShape(length=0.5, half_width=0.02, half_height=0.02),
        solids=(),
        mass=0.1,
        inertia=(1e-3, 0, 0, 0.1, 0, 0.1),
    )
    chain = Chain(links=(links[0], far, links[2].changed(position=(0.5, 0.0, 0.0)), *links[3:]))
    with pytest.raises(InputError, match=r"'joint 1' is 0.5 m from the next one, and others are 0.1 m apart"):
        chain.as_rod()


def test_spine_without_twist_has_universal_joints_and_one_with_it_spherical_ones() -> None:
    vertebra = ll.Vertebra(twist_stiffness=0.5, rest_lateral=0.1, rest_vertical=0.2)
    spine = TendonSpine(vertebrae=(vertebra,) * 3, tendons=(ll.Tendon(holes=((0.01, 0.0),)),), kinematics="hinge")
    chain = spine.as_chain()
    assert (chain.arrays().joint_kind[1:] == SPHERICAL).all()
    np.testing.assert_allclose(chain.arrays().rest[:3], [0.0, -0.2, 0.1])
    np.testing.assert_allclose(chain.arrays().stiffness[:3], [0.5, 0.08, 0.04])


def test_hinged_vertebrae_are_links_with_springs_exactly() -> None:
    """Accelerations of two vertebrae, free, bent and moving in one plane: strain cells against Newton-Euler."""
    vertebra = ll.Vertebra(damping_lateral=0.01, rest_lateral=0.1, volume=1e-5)
    spine = TendonSpine(
        vertebrae=(vertebra,) * 2, tendons=(ll.Tendon(holes=((0.01, 0.0),)),), kinematics="hinge", base="free"
    )
    bends, rates, twist = [0.3, 0.0, 0.15, 0.0], [1.0, 0.0, 0.5, 0.0], [0.1, -0.2, 0.0, 0.0, 0.0, 2.0]
    body = ll.Soft(spine)
    own = body.forward(body.flat(bends, rates, twist))
    links = ll.NewtonEuler(spine.as_chain().changed(tendons=())).forward(bends, rates, np.zeros(4), twist)
    np.testing.assert_allclose(links.joint_acceleration, own.strain_acceleration, rtol=1e-12, atol=1e-10)
    # that of a chain is the acceleration of its base, that of a soft body the rate of the twist's components
    swept = np.array([*np.cross(twist[3:], twist[:3]), 0.0, 0.0, 0.0])
    np.testing.assert_allclose(links.base_acceleration - swept, own.base_acceleration, rtol=1e-12, atol=1e-10)
