"""Chains: packed kinematics against products of transformation matrices, mass properties,
constructors, refusals, text.
"""

import json

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from limbless.control.actuation.shape_map import stations
from limbless.core import registry
from limbless.core.errors import InputError
from limbless.robots.chain import Chain
from limbless.robots.chain_arrays import PRISMATIC, REVOLUTE, SPHERICAL
from limbless.robots.joints import Joint
from limbless.robots.links import BodyShape, Link, symmetric_matrix
from limbless.robots.sections import Capsule, EllipticCylinder

CYLINDER = EllipticCylinder(length=0.3, half_width=0.05, half_height=0.04, density=900.0)


def random_inertia(rng, mass, center):
    """A physical inertia about the link origin, as a matrix."""
    points = rng.normal(size=(4, 3)) * 0.1
    points -= points.mean(axis=0)
    central = sum(mass / 4 * (p @ p * np.eye(3) - np.outer(p, p)) for p in points)
    return central + mass * (center @ center * np.eye(3) - np.outer(center, center))


def random_link(rng, joint):
    mass, center = rng.uniform(0.5, 2.0), rng.normal(size=3) * 0.1
    start, axis, lateral = rng.normal(size=(3, 3))
    return Link(
        joint=joint,
        position=rng.normal(size=3),
        orientation=rng.normal(size=4),
        mass=mass,
        first_moment=mass * center,
        inertia=random_inertia(rng, mass, center),
        body=BodyShape(position=start, axis=axis, lateral=lateral, length=0.2, half_width=0.03, half_height=0.05),
    )


def random_chain(seed):
    rng = np.random.default_rng(seed)
    joints = [
        Joint(kind="revolute", axis=rng.normal(size=3)),
        Joint(kind="universal", axis=rng.normal(size=3), second_axis=rng.normal(size=3), offset=rng.normal(size=3)),
        Joint(kind="spherical"),
        Joint(kind="prismatic", axis=rng.normal(size=3)),
    ]
    links = [random_link(rng, joints[i]) for i in rng.permutation([0, 1, 2, 3, 0, 1, 2, 3])]
    return Chain(links=(Link(mass=1.0), *links))


def place(arrays, position):
    """Rotation and origin of every kernel frame, as compiled code computes them."""
    R, origin = np.eye(3), np.zeros(3)
    rotations, origins = [R], [origin]
    for k in range(1, len(arrays.joint_kind)):
        origin = origin + R @ arrays.arm[k]
        column = arrays.position_column[k]
        if arrays.joint_kind[k] == REVOLUTE:
            R = R @ Rotation.from_rotvec(arrays.axis[k] * position[column]).as_matrix()
        elif arrays.joint_kind[k] == PRISMATIC:
            origin = origin + R @ arrays.axis[k] * position[column]
        elif arrays.joint_kind[k] == SPHERICAL:
            R = R @ Rotation.from_quat(position[column : column + 4], scalar_first=True).as_matrix()
        rotations.append(R)
        origins.append(origin)
    return np.array(rotations), np.array(origins)


def random_position(arrays, rng):
    position = rng.uniform(-2, 2, size=arrays.position_column[-1] + (4 if arrays.joint_kind[-1] == SPHERICAL else 1))
    for k in np.flatnonzero(arrays.joint_kind == SPHERICAL):
        column = arrays.position_column[k]
        position[column : column + 4] /= np.linalg.norm(position[column : column + 4])
    return position


def link_frames(chain, position):
    """Link frames straight from the description: fixed pose, then the joint about axes in the link
    frame. Returns (R, p) per link.
    """
    frames, column = [(np.eye(3), np.zeros(3))], 0
    for link in chain.links[1:]:
        R, p = frames[-1]
        R0, p0, joint = link.rotation(), link.translation(), link.joint
        if joint.kind == "revolute":
            frames.append(
                (R @ R0 @ Rotation.from_rotvec(np.array(joint.axis) * position[column]).as_matrix(), p + R @ p0)
            )
            column += 1
        elif joint.kind == "prismatic":
            frames.append((R @ R0, p + R @ (p0 + R0 @ np.array(joint.axis) * position[column])))
            column += 1
        elif joint.kind == "universal":
            first, second = (
                Rotation.from_rotvec(np.array(a) * q).as_matrix()
                for a, q in zip((joint.axis, joint.second_axis), position[column : column + 2], strict=True)
            )
            offset = np.array(joint.offset)
            frames.append((R @ R0 @ first @ second, p + R @ (p0 - R0 @ offset + R0 @ first @ offset)))
            column += 2
        else:
            # along base axes at home
            turn = Rotation.from_quat(position[column : column + 4], scalar_first=True).as_matrix()
            home = home_of(chain, len(frames))
            frames.append((R @ R0 @ home.T @ turn @ home, p + R @ p0))
            column += 4
    return frames


def home_of(chain, number):
    R = np.eye(3)
    for link in chain.links[1 : number + 1]:
        R = R @ link.rotation()
    return R


@pytest.mark.parametrize("seed", range(4))
def test_packed_kinematics_is_that_of_the_description(seed):
    chain = random_chain(seed)
    arrays = chain.arrays()
    position = random_position(arrays, np.random.default_rng(100 + seed))
    rotations, origins = place(arrays, position)
    carrying = [k for k, row in enumerate(chain.rows) if row.carries]
    assert len(carrying) == len(chain.links)
    for k, (R, p) in zip(carrying, link_frames(chain, position), strict=True):
        np.testing.assert_allclose(rotations[k] @ arrays.home[k], R, atol=1e-13)
        np.testing.assert_allclose(origins[k], p, atol=1e-13)


@pytest.mark.parametrize("seed", range(3))
def test_packed_bodies_and_segments_are_those_of_the_links(seed):
    """Mass properties and segments, expressed in the base frame through kernel frames or through
    link frames, are the same.
    """
    chain = random_chain(seed)
    arrays, bodies = chain.arrays(), chain.bodies()
    position = random_position(arrays, np.random.default_rng(seed))
    rotations, _ = place(arrays, position)
    frames = link_frames(chain, position)
    segments = {segment.body: segment for segment in chain.segments()}
    for k, row in enumerate(chain.rows):
        if not row.carries:
            assert not (bodies.mass[k] or bodies.moment[k].any() or bodies.inertia[k].any() or arrays.has_body[k])
            continue
        own, R = chain.links[row.link].mass_properties(), frames[row.link][0]
        np.testing.assert_allclose(rotations[k] @ arrays.moment[k], R @ own.moment, atol=1e-14)
        inertia = symmetric_matrix(arrays.inertia[k])
        np.testing.assert_allclose(rotations[k] @ inertia @ rotations[k].T, R @ own.inertia @ R.T, atol=1e-14)
        np.testing.assert_array_equal(inertia, bodies.inertia[k])
        if k:
            body = chain.links[row.link].body
            np.testing.assert_allclose(rotations[k] @ segments[k].frame, R @ body.frame, atol=1e-14)
            np.testing.assert_allclose(rotations[k] @ segments[k].start, R @ np.array(body.position), atol=1e-14)
            np.testing.assert_allclose(np.linalg.det(segments[k].frame), 1.0)


def dh_product(alpha, d, r, theta):
    """Rx(alpha) Tx(d) Rz(theta) Tz(r) as the printed 4 x 4 matrix of Khalil and Kleinfinger."""
    ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
    return np.array([[ct, -st, 0, d], [ca * st, ca * ct, -sa, -r * sa], [sa * st, sa * ct, ca, r * ca], [0, 0, 0, 1]])


@pytest.mark.parametrize("seed", range(4))
def test_modified_dh_chain_is_the_product_of_its_matrices(seed):
    rng = np.random.default_rng(seed)
    n = 7
    alpha, d, r, offset, q = rng.uniform(-2, 2, size=(5, n))
    slides = rng.random(n) < 0.4
    masses = rng.uniform(1, 2, n + 1)
    centers = rng.normal(size=(n + 1, 3)) * 0.1
    inertia = [random_inertia(rng, m, c) for m, c in zip(masses, centers, strict=True)]
    moments, limits = masses[:, None] * centers, np.arange(n) + 1.0
    chain = Chain.from_modified_dh(alpha, d, r, offset, masses, moments, inertia, prismatic=slides, torque_limit=limits)
    arrays = chain.arrays()
    rotations, origins = place(arrays, q)
    T = np.eye(4)
    for k in range(1, n + 1):
        j = k - 1
        T = T @ dh_product(alpha[j], d[j], r[j] + slides[j] * q[j], offset[j] + (not slides[j]) * q[j])
        np.testing.assert_allclose(rotations[k] @ arrays.home[k], T[:3, :3], atol=1e-13)
        np.testing.assert_allclose(origins[k], T[:3, 3], atol=1e-13)
    assert arrays.torque_limit.tolist() == list(range(1, n + 1))
    np.testing.assert_allclose(arrays.mass, masses)


def test_arrays_are_ready_for_compiled_code():
    chain = random_chain(0)
    arrays = chain.arrays()
    assert chain.arrays() is arrays
    rows = len(arrays.joint_kind)
    for field, array in arrays._asdict().items():
        assert array.flags.c_contiguous, field
        assert array.dtype in (np.float64, np.int64, np.bool_), field
        assert len(array) in (rows, chain.freedoms), field
    assert chain.freedoms == 14 == len(chain.joint_names) == len(chain.joint_labels) == len(arrays.stiffness)
    assert arrays.velocity_column[0] == arrays.position_column[0] == -1
    assert np.all(np.isinf(arrays.torque_limit))


def test_values_per_degree_of_freedom_reach_their_columns():
    values = {"stiffness": (1.0, 2.0), "rest": ("30 deg", 0.0), "torque_limit": (None, 3.0), "damping": 0.5}
    joint = Joint(kind="universal", second_axis=(0, 1, 0), **values)
    chain = Chain(
        links=(
            Link(mass=1.0),
            Link(joint=joint, mass=1.0),
            Link(joint=Joint(kind="spherical", stiffness=(3, 4, 5)), mass=1.0),
        )
    )
    arrays = chain.arrays()
    assert arrays.stiffness.tolist() == [1, 2, 3, 4, 5]
    assert arrays.damping.tolist() == [0.5, 0.5, 0, 0, 0]
    assert arrays.torque_limit.tolist() == [np.inf, 3, np.inf, np.inf, np.inf]
    np.testing.assert_allclose(arrays.rest, [np.pi / 6, 0, 0, 0, 0])
    assert chain.joint_names == ["joint 1 yaw", "joint 1 pitch", "joint 2 roll", "joint 2 pitch", "joint 2 yaw"]


def test_uniform_chain():
    chain = Chain.uniform(
        links=4, length=0.2, half_width=0.03, half_height=0.05, density=800.0, base="planar", stiffness=2.0
    )
    assert chain.base == "planar"
    assert chain.freedoms == 3
    assert chain.total_mass == pytest.approx(800 * np.pi * 0.03 * 0.05 * 0.8, rel=1e-13)
    np.testing.assert_allclose(stations(chain), [0, 0.2, 0.4, 0.6], atol=1e-15)
    assert chain.joint_labels == ["yaw"] * 3
    assert chain.arrays().stiffness.tolist() == [2.0] * 3
    np.testing.assert_allclose(np.cumsum(chain.arrays().arm, axis=0)[:, 0], [0, 0.2, 0.4, 0.6])
    assert Chain.uniform(joint="spherical").freedoms == 12
    assert Chain.uniform(joint="universal").joint_labels == ["yaw", "pitch"] * 4
    assert stations(Chain.uniform(links=1)).size == 0


def test_kinds_register_themselves():
    assert registry.find("robot", "chain") is Chain
    eel = registry.find("preset", "khalil-eel")
    uniform = registry.find("preset", "uniform")
    assert uniform(links=3).build() == Chain.uniform(links=3)
    assert isinstance(eel().build(), Chain)
    assert eel().build().build().name == "khalil-eel"


@pytest.mark.parametrize("make", [lambda: random_chain(1), lambda: registry.find("preset", "khalil-eel")().build()])
def test_a_description_survives_being_written(make):
    chain = make()
    chain.arrays()
    again = Chain.model_validate(json.loads(chain.model_dump_json()))
    assert again == chain
    for a, b in zip(chain.arrays(), again.arrays(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_a_copy_has_its_own_arrays():
    chain = Chain.uniform(links=5)
    chain.arrays()
    assert len(chain.model_copy(update={"links": chain.links[:3]}).arrays().mass) == 3
    assert len(chain.changed(links=chain.links[:2]).arrays().mass) == 2


def test_given_mass_and_volume_take_the_place_of_solids():
    six = (0.01, 0.0, 0.0, 0.02, 0.0, 0.02)
    link = Link(mass=2.0, first_moment=(0.1, 0, 0), inertia=six, solids=(CYLINDER,))
    own = link.mass_properties()
    assert own.mass == 2.0
    assert own.volume == pytest.approx(np.pi * 0.05 * 0.04 * 0.3)
    np.testing.assert_allclose(own.volume_moment / own.volume, [0.15, 0, 0])
    body = BodyShape(position=(0.1, 0, 0), length=0.2, half_width=0.05, half_height=0.04)
    wet = Link(mass=2.0, first_moment=(0.1, 0, 0), inertia=six, body=body).mass_properties()
    assert wet.volume == pytest.approx(np.pi * 0.05 * 0.04 * 0.2)
    np.testing.assert_allclose(wet.volume_moment / wet.volume, [0.2, 0, 0])
    given = Link(mass=2.0, first_moment=(0.1, 0, 0), inertia=six, volume=0.003).mass_properties()
    np.testing.assert_allclose(given.volume_moment, [0.003 * 0.05, 0, 0])
    moved = Link(mass=2.0, volume=0.003, volume_centre=(0, 0, 0.1)).mass_properties()
    np.testing.assert_allclose(moved.volume_moment, [0, 0, 0.0003])
    assert Link().mass_properties().mass == 0.0


def test_a_massless_wet_link_counts_as_a_body():
    body = BodyShape(length=0.2, half_width=0.05, half_height=0.04)
    chain = Chain(links=(Link(mass=1.0), Link(joint=Joint(), body=body), Link(joint=Joint())))
    assert chain.arrays().has_body.tolist() == [True, True, False]


def test_printed_table():
    text = str(Chain.uniform(links=3, torque_limit=2.5, name="little snake"))
    lines = text.splitlines()
    assert lines[0].startswith("little snake: 3 links, 2 degrees of freedom, 0.376991 kg, free base")
    assert len(lines) == 6
    assert all(word in lines[-1] for word in ("link 2", "revolute", "yaw", "(0.2, 0, 0)", "0.1257", "2.5"))
    assert str(random_chain(2))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Chain(links=(Link(joint=Joint()),)), "link 0 is the base and has no joint"),
        (lambda: Chain(links=(Link(position=(1, 0, 0)),)), "its pose is the initial pose"),
        (lambda: Chain(links=(Link(), Link(), Link())), "link 1, 2 without a joint"),
        (lambda: Chain(links=()), "at least 1 item"),
        (lambda: Chain(links=(Link(name="a"), Link(name="a", joint=Joint()))), "two links are called 'a'"),
        (
            lambda: Chain(links=(Link(), Link(joint=Joint(name="j")), Link(joint=Joint(name="j")))),
            "two joints are called 'j'",
        ),
        (
            lambda: Chain(links=(Link(mass=1.0, first_moment=(1, 0, 0), inertia=(0, 0, 0, 0, 0, 2)),)),
            "too small for its mass",
        ),
        (lambda: Link(mass=-1.0), "greater than or equal to 0"),
        (lambda: Link(mass=1.0, inertia=(1, 0, 0, -1, 0, 1)), "negative principal value, -1 kg m2"),
        (lambda: Link(mass=1.0, inertia=((1, 2, 0), (0, 1, 0), (0, 0, 1))), "not symmetric"),
        (lambda: Link(first_moment=(1, 0, 0)), "but no mass"),
        (lambda: Link(mass=1.0, solids=(CYLINDER,)), "has solids and also mass"),
        (lambda: Link(dh={"alpha": 0.1}, position=(1, 0, 0)), "both dh and a position"),
        (lambda: Link(dh={"alpha": 0.1}, joint=Joint(axis=(0, 1, 0))), "with dh the joint axis is z"),
        (lambda: Link(orientation=(0, 0, 0, 0)), "no rotation"),
        (lambda: Joint(axis=(0, 0, 0)), "has no length"),
        (lambda: Joint(kind="universal"), "needs a second_axis"),
        (lambda: Joint(kind="universal", second_axis=(0, 0, -2)), "parallel"),
        (lambda: Joint(offset=(1, 0, 0)), "belong to a universal joint"),
        (lambda: Joint(kind="spherical", stiffness=(1.0, 2.0)), "stiffness has 2 values"),
        (lambda: Joint(damping=-1.0), "negative"),
        (lambda: Joint(kind="hinge"), "revolute"),
        (lambda: Capsule(length=-1.0, radius=0.1), "greater than or equal to 0"),
        (lambda: Chain.uniform(links=0), "greater than or equal to 1"),
        (lambda: Chain.uniform(legs=4), "legs"),
    ],
)
def test_refusals(make, message):
    with pytest.raises(InputError, match=message):
        make()


def dh_arguments(n=2):
    return {
        "alpha": np.zeros(n),
        "d": np.ones(n),
        "r": np.zeros(n),
        "offset": np.zeros(n),
        "mass": np.ones(n + 1),
        "first_moment": np.zeros((n + 1, 3)),
        "inertia": np.zeros((n + 1, 6)),
    }


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"d": np.ones(3)}, r"d has shape \(3,\), expected \(2,\)"),
        ({"d": ["a", "b"]}, "d is not a table of numbers"),
        ({"first_moment": np.zeros((2, 3))}, r"first_moment has shape \(2, 3\), expected \(3, 3\)"),
        ({"inertia": np.zeros((3, 5))}, "inertia has shape"),
        ({"mass": np.ones(2), "first_moment": np.zeros((2, 3)), "inertia": np.zeros((2, 6))}, "2 joints need 3 masses"),
        ({"prismatic": [True]}, "prismatic has 1 entries, expected 2"),
        ({"torque_limit": [1.0]}, "torque_limit has 1 entries, expected 2"),
        ({"friction": 1.0}, "unknown option 'friction'"),
    ],
)
def test_tables_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        Chain.from_modified_dh(**{**dh_arguments(), **changes})


def test_a_fixed_base_needs_no_mass_in_the_tables():
    two = {**dh_arguments(), "mass": np.ones(2), "first_moment": np.zeros((2, 3)), "inertia": np.zeros((2, 3, 3))}
    arm = Chain.from_modified_dh(
        **two, base="fixed", volume=[0.1, 0.2], labels=["elbow", ""], link_names=["upper", "lower"]
    )
    assert arm.link_names == ["link 0", "upper", "lower"]
    assert arm.joint_labels == ["elbow", "yaw"]
    assert arm.bodies().volume.tolist() == [0.0, 0.1, 0.2]
