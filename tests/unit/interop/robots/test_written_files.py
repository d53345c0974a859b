"""What is written for other engines and read from meshes, number by number: every field has a value of its own."""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import limbless as ll
from limbless.interop.robots import file_shapes
from limbless.interop.robots.body_shapes import dress, inertia_box
from limbless.interop.robots.sdf import read_sdf
from limbless.interop.robots.tree import FilePart, FileShape
from limbless.interop.robots.write_mjcf import mjcf_text
from limbless.interop.robots.write_urdf import urdf_text
from limbless.interop.robots.xml_text import limit
from tests.unit.interop.robots.descriptions import massive, plain_swimmer, revolute, written

PASSIVE = {
    "stiffness": 0.31,
    "rest": 0.12,
    "damping": 0.05,
    "viscous_friction": 0.07,
    "coulomb_friction": 0.02,
    "rotor_inertia": 0.003,
    "torque_limit": 1.7,
    "lower": -0.9,
    "upper": 1.1,
}


def chain(base: str = "free", **fields: Any) -> ll.Chain:
    """Two links that lie along a slant, with an inertia that has no two numbers alike."""
    body = ll.BodyShape(length=0.2, half_width=0.03, half_height=0.05, axis=(0.0, 0.6, 0.8), lateral=(1.0, 0.0, 0.0))
    solid = ll.Box(length=0.2, half_width=0.03, half_height=0.05, density=700.0, position=(0.01, 0.02, 0.03))
    skewed = {"mass": 0.4, "first_moment": (0.04, 0.0, 0.0), "inertia": (2e-2, 1e-4, 2e-4, 3e-2, 3e-4, 4e-2)}
    joint = ll.Joint(name="bend", **{**PASSIVE, **fields})
    last = ll.Link(joint=joint, position=(0.2, 0.0, 0.0), body=body, **skewed)
    return ll.Chain(base=base, links=(ll.Link(solids=(solid,), body=body), last))


WORLD = [
    ll.Gravity(),
    ll.Ground(height=-0.07),
    ll.Pegs(feet=((0.5, 0.1, 0.0),), radius=0.04),
    ll.BodyDrag(rule="inertia-box", density=900.0, viscosity=0.3, wind=(0.1, 0.2, 0.3)),
]


def test_mujoco_reads_every_number_that_is_written() -> None:
    mujoco = pytest.importorskip("mujoco")
    turn = (0.8, 0.0, 0.0, 0.6)
    start = ll.Initial(position=(0.3, 0.4, 0.5), orientation=turn)
    robot = chain()
    m = mujoco.MjModel.from_xml_string(mjcf_text(robot, WORLD, 0.004, start))
    assert m.opt.timestep == 0.004 and tuple(m.opt.gravity) == (0.0, 0.0, -9.81)
    assert (m.opt.density, m.opt.viscosity, *m.opt.wind) == (900.0, 0.3, 0.1, 0.2, 0.3)
    plane, peg = (int(np.flatnonzero((m.geom_type == kind) & (m.geom_bodyid == 0))[0]) for kind in (0, 3))
    assert m.geom_pos[plane] == pytest.approx([0.0, 0.0, -0.07]) and m.geom_size[peg][0] == 0.04
    assert m.qpos0[:7] == pytest.approx([0.3, 0.4, 0.5, *turn])
    joint = m.joint("bend")
    dof = joint.dofadr[0]
    assert (m.qpos_spring[joint.qposadr[0]], joint.stiffness[0]) == pytest.approx((0.12, 0.31))
    assert (m.dof_damping[dof], m.dof_frictionloss[dof], m.dof_armature[dof]) == pytest.approx((0.12, 0.02, 0.003))
    assert m.jnt_range[joint.id] == pytest.approx([-0.9, 1.1])
    assert m.actuator_ctrlrange[0] == pytest.approx([-1.7, 1.7])
    link, last = robot.links[1], m.nbody - 1
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, m.body_iquat[last])
    about = R.reshape(3, 3) @ np.diag(m.body_inertia[last]) @ R.reshape(3, 3).T
    centre = np.array(link.first_moment) / link.mass
    steiner = link.mass * (centre @ centre * np.eye(3) - np.outer(centre, centre))
    xx, xy, xz, yy, yz, zz = link.inertia
    assert about + steiner == pytest.approx(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), abs=1e-9)


def test_a_urdf_has_its_bodies_where_they_are() -> None:
    root = ElementTree.fromstring(urdf_text(chain()))
    origin = root.find("link/visual/origin")
    cylinder = root.find("link/visual/geometry/cylinder")
    assert origin is not None and cylinder is not None
    roll, pitch, yaw = map(float, origin.get("rpy", "").split())
    along = np.array([math.sin(pitch) * math.cos(yaw), math.sin(pitch) * math.sin(yaw), math.cos(pitch)])
    assert roll == 0.0 and along == pytest.approx([0.0, 0.6, 0.8])
    assert [float(word) for word in origin.get("xyz", "").split()] == pytest.approx([0.0, 0.06, 0.08])
    assert float(cylinder.get("length", "")) == 0.2 and float(cylinder.get("radius", "")) ** 2 == pytest.approx(0.0015)


@pytest.mark.parametrize(("effort", "back"), [(1.7, 1.7), (None, None)])
def test_a_urdf_comes_back_with_its_limits_and_dampers(
    effort: float | None, back: float | None, tmp_path: Path
) -> None:
    path = written(tmp_path, "r.urdf", urdf_text(chain(torque_limit=effort)))
    found = next(link.joint for link in ll.load_robot(path).links if link.joint is not None)
    assert (found.lower, found.upper, found.torque_limit) == (-0.9, 1.1, effort)
    assert (found.damping, found.coulomb_friction) == pytest.approx((0.12, 0.02))


# Meshes: corners (1, 2, 3) to (2, 4, 6), lopsided on purpose

CORNERS = np.array([[1.0, 2.0, 3.0], [2.0, 2.0, 6.0], [1.0, 4.0, 3.0]])


def mesh(path: Path) -> Path:
    if path.name.startswith("binary"):
        path.write_bytes(bytes(80) + struct.pack("<I", 1) + struct.pack("<12fH", 0, 0, 1, *CORNERS.ravel(), 0))
    elif path.suffix == ".stl":
        path.write_text("solid s\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in CORNERS) + "endsolid\n")
    else:
        path.write_text("".join(f"v {x} {y} {z}\n" for x, y, z in CORNERS) + "vn 9 9 9\nf 1 2 3\n")
    return path


@pytest.mark.parametrize("name", ["binary.stl", "text.stl", "corners.obj"])
def test_a_mesh_reaches_as_far_as_its_corners(name: str, tmp_path: Path) -> None:
    low, high = file_shapes.bounds(mesh(tmp_path / name)) or (None, None)
    assert low == pytest.approx([1.0, 2.0, 3.0]) and high == pytest.approx([2.0, 4.0, 6.0])


@pytest.mark.parametrize(("scale", "size"), [("", 1.0), ('scale="0.1 0.1 0.1"', 0.1), ('scale="-1 1 1"', 1.0)])
def test_a_mesh_is_as_large_as_its_scale_says(scale: str, size: float, tmp_path: Path) -> None:
    """Without one it is in metres; one that mirrors leaves it as large."""
    mesh(tmp_path / "binary.stl")
    seen = f'<collision><geometry><mesh filename="binary.stl" {scale}/></geometry></collision>'
    links = massive("a", inside=seen) + massive("b", inside=seen) + revolute("j", "a", "b")
    found = ll.load_robot(written(tmp_path, "r.urdf", f"<robot name='r'>{links}</robot>"))
    body = found.links[-1].body
    assert body is not None
    assert sorted([body.half_width, body.half_height]) == pytest.approx([size * 1.0, size * 1.5])


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3.0), ("0", None), ("-1", None), ("inf", None), ("1e10", None), (None, None)]
)
def test_a_limit_is_a_number_above_nothing(text: str | None, value: float | None) -> None:
    """An effort of 0 stands for none in files that people write: a motor that can do nothing is no motor."""
    assert limit(text, "effort") == value


@pytest.mark.parametrize(
    ("shape", "volume"),
    [
        ("<capsule><radius>0.02</radius><length>0.1</length></capsule>", math.pi * 0.02**2 * (0.1 + 4 / 3 * 0.02)),
        ("<cylinder><radius>0.02</radius><length>0.1</length></cylinder>", math.pi * 0.02**2 * 0.1),
        ("<sphere><radius>0.02</radius></sphere>", 4 / 3 * math.pi * 0.02**3),
        ("<ellipsoid><radii>0.02 0.03 0.04</radii></ellipsoid>", 4 / 3 * math.pi * 2.4e-5),
        ("<box><size>0.02 0.03 0.04</size></box>", 2.4e-5),
    ],
)
def test_a_solid_weighs_its_volume_and_its_own_density_counts_first(shape: str, volume: float, tmp_path: Path) -> None:
    own = f"<collision name='c'><density>500</density><geometry>{shape}</geometry></collision>"
    auto = '<inertial auto="true"><density>9000</density></inertial>'
    text = f"""<sdf version="1.11"><model name="m"><link name="a">{auto}{own}</link>
 <link name="b"><pose degrees="true">0.3 0 0 0 0 90</pose>{auto}{own}</link>
 <link name="c"><pose rotation_format="quat_xyzw">0.6 0 0 0 0.6 0 0.8</pose>{auto}{own}</link>
 <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>
 <joint name="k" type="revolute"><parent>b</parent><child>c</child><axis><xyz>0 0 1</xyz></axis></joint>
 </model></sdf>"""
    found = ll.load_robot(written(tmp_path, "m.sdf", text))
    assert found.total_mass == pytest.approx(3 * 500 * volume)


def test_a_continuous_joint_has_no_range_and_what_is_seen_touches_nothing(tmp_path: Path) -> None:
    """Whatever its limit says beside the effort; a visual that is larger than the collision shape is not the body."""
    box = "<{0}><geometry><box size='{1}'/></geometry></{0}>"
    shapes = box.format("collision", "0.1 0.02 0.04") + box.format("visual", "0.5 0.5 0.5")
    turns = revolute("j", "a", "b", "continuous", '<limit effort="2" velocity="1" lower="-1" upper="1"/>')
    text = f"<robot name='r'>{massive('a', inside=shapes)}{massive('b', inside=shapes)}{turns}</robot>"
    found = ll.load_robot(written(tmp_path, "r.urdf", text))
    joint, body = found.links[-1].joint, found.links[-1].body
    assert joint is not None and body is not None
    assert (joint.lower, joint.upper, joint.torque_limit) == (None, None, 2.0)
    assert (body.half_width, body.half_height) == pytest.approx((0.01, 0.02))


@pytest.mark.parametrize("pose", ['degrees="true">0.3 0 0 0 0 30', 'rotation_format="quat_xyzw">0.3 0 0 0 0.1 0 0.3'])
def test_a_pose_of_sdf_turns_by_its_degrees_or_its_quaternion(pose: str, tmp_path: Path) -> None:
    """Read as a link that stands aslant: the axis of its joint goes with it. 0.1 and 0.3 are no unit quaternion."""
    inertial = "<inertial><mass>1</mass></inertial>"
    text = f"""<sdf version="1.9"><model name="m"><link name="a">{inertial}</link>
 <link name="b"><pose {pose}</pose>{inertial}</link>
 <joint name="j" type="prismatic"><parent>a</parent><child>b</child><axis><xyz>1 0 0</xyz></axis></joint>
 </model></sdf>"""
    tree = read_sdf(ElementTree.fromstring(text), tmp_path)
    angle = 2.0 * math.atan2(0.1, 0.3)
    about_y = [math.cos(angle), 0.0, -math.sin(angle)]
    about_z = [math.cos(math.radians(30.0)), 0.5, 0.0]
    assert tree.connections[0].axis == pytest.approx(about_z if "degrees" in pose else about_y)


def test_a_body_made_of_its_inertia_is_the_box_that_has_it() -> None:
    """A box of 0.4 x 0.2 x 0.1 m and 3 kg: m (b² + c²)/12 about each axis, and its half sides back."""
    sides, mass = np.array([0.4, 0.2, 0.1]), 3.0
    part = FilePart("a", np.zeros(3))
    part.add_mass(mass, np.array([0.05, 0.0, 0.0]), np.diag(mass / 12.0 * ((sides**2).sum() - sides**2)))
    found = inertia_box(part, np.eye(3))
    assert found is not None and found.half == pytest.approx(sides / 2) and found.pose[0, 3] == pytest.approx(0.05)


def test_spheres_that_touch_stay_within_their_body() -> None:
    part = FilePart("a", np.zeros(3), shapes=[FileShape("box", np.array([0.2, 0.03, 0.05]), np.eye(4))])
    worn = dress(part, np.zeros(3), np.eye(3), None, None, 1.0)
    assert [ball.centre[0] for ball in worn.spheres] == pytest.approx([-0.17, 0.17])
    assert {ball.radius for ball in worn.spheres} == {0.03}


def test_mujocos_gear_multiplies_a_forces_limit_and_springs_rest_where_they_are(tmp_path: Path) -> None:
    """forcerange is that of the actuator, in front of its gear; springref counts from the file's zero, not from ref."""
    pytest.importorskip("mujoco")
    motor = '<actuator><motor joint="bend1" gear="3" forcerange="-2 2"/></actuator>'
    text = plain_swimmer(more=motor).replace('name="bend1"', 'name="bend1" stiffness="1" ref="0.3" springref="0.5"')
    found = ll.load_robot(written(tmp_path, "s.xml", text))
    joint = next(link.joint for link in found.links if link.joint is not None and link.joint.name == "bend1")
    assert joint.torque_limit == pytest.approx(6.0)
    assert abs(joint.rest) == pytest.approx(math.radians(0.2) if "degree" in text else 0.2, rel=1e-6)
