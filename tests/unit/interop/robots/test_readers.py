"""URDF, SDF, MJCF and xacro as chains: what each field becomes, and the traps of published files."""

from __future__ import annotations

import math
import struct
from pathlib import Path

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.scenarios.scenario import Scenario
from tests.unit.interop.robots.descriptions import INERTIAL, massive, revolute, sdf, swimmer, urdf, written


@pytest.fixture
def snake(tmp_path: Path) -> ll.Chain:
    return ll.load_robot(written(tmp_path, "snake.urdf", urdf()))


def test_urdf_field_by_field(snake: ll.Chain) -> None:
    first = snake.links[1].joint
    assert snake.base == "free" and snake.link_names == ["link0", "link1", "link2", "link3"]
    assert snake.joint_names == ["joint1", "joint2", "joint3"] and snake.joint_labels == ["yaw", "pitch", "yaw"]
    assert first is not None and (first.torque_limit, first.lower, first.upper) == (1.0, -1.0, 1.5)
    assert (first.damping, first.coulomb_friction) == (0.01, 0.02)
    assert snake.links[2].joint is not None and snake.links[2].joint.axis == (0.0, -1.0, 0.0)
    assert snake.links[2].position == pytest.approx((0.1, 0, 0), abs=1e-15)
    assert snake.total_mass == pytest.approx(2.0, rel=1e-15)


def test_an_inertia_is_turned_and_shifted(snake: ll.Chain) -> None:
    """By the matrix written out once more: rpy are turns about fixed axes, and inertia is about the centre of mass."""
    r, p, y = 0.1, 0.2, 0.3
    Rx = np.array([[1, 0, 0], [0, math.cos(r), -math.sin(r)], [0, math.sin(r), math.cos(r)]])
    Ry = np.array([[math.cos(p), 0, math.sin(p)], [0, 1, 0], [-math.sin(p), 0, math.cos(p)]])
    Rz = np.array([[math.cos(y), -math.sin(y), 0], [math.sin(y), math.cos(y), 0], [0, 0, 1]])
    own = np.array([[2e-4, 1e-5, 0], [1e-5, 5e-4, -2e-5], [0, -2e-5, 6e-4]])
    R, c = Rz @ Ry @ Rx, np.array([0.05, 0.01, 0.0])
    expected = R @ own @ R.T + 0.5 * (c @ c * np.eye(3) - np.outer(c, c))
    for link in snake.links:
        assert link.mass_properties().inertia == pytest.approx(expected, rel=1e-13, abs=1e-18)
        assert link.first_moment == pytest.approx(tuple(0.5 * c), abs=1e-16)


def test_sdf_is_the_same_robot_as_urdf(tmp_path: Path, snake: ll.Chain) -> None:
    for name, text in (("a.sdf", sdf()), ("in_a_world.sdf", sdf(world=True)), ("new.sdf", sdf(version="1.11"))):
        other = ll.load_robot(written(tmp_path, name, text))
        for one, two in zip(snake.links, other.links, strict=True):
            assert two.inertia == pytest.approx(one.inertia, rel=1e-12, abs=1e-18)
            assert two.position == pytest.approx(one.position, abs=1e-15)
            assert (two.joint is None) or two.joint == one.joint


def test_sdf_poses_relative_to_others_and_axes_of_other_frames(tmp_path: Path) -> None:
    """A link placed relative to a turned frame, a joint axis of the model, of a link, and as it was before 1.5."""
    body = """<inertial><mass>1</mass><inertia><ixx>1e-3</ixx><iyy>1e-3</iyy><izz>1e-3</izz></inertia></inertial>"""

    def text(version: str, axis: str) -> str:
        return f"""<sdf version="{version}"><model name="m">
 <frame name="f"><pose>0 0 1 0 0 1.5707963267948966</pose></frame>
 <link name="a">{body}</link><link name="b"><pose relative_to="f">0.5 0 0 0 0 0</pose>{body}</link>
 <joint name="j" type="revolute"><parent>a</parent><child>b</child><pose>0 0.1 0 0 0 0</pose><axis>{axis}</axis></joint>
 </model></sdf>"""

    def axis_of(version: str, axis: str) -> tuple[np.ndarray, np.ndarray]:
        chain = ll.load_robot(written(tmp_path, "x.sdf", text(version, axis)))
        x = np.array([-0.1, 0.5, 1.0]) / math.sqrt(1.26)  # with one joint the body runs from mass to mass: a to b
        assert chain.links[1].joint is not None
        return np.array(chain.links[1].joint.axis), x

    # b stands at (0, 0.5, 1), its x along the model's y; the joint 0.1 along its y, at (-0.1, 0.5, 1)
    for version, axis, along in (
        ("1.7", "<xyz>0 1 0</xyz>", (-1, 0, 0)),
        ("1.4", "<xyz>0 1 0</xyz>", (0, 1, 0)),
        ("1.7", '<xyz expressed_in="__model__">0 1 0</xyz>', (0, 1, 0)),
        ("1.6", "<xyz>0 1 0</xyz><use_parent_model_frame>1</use_parent_model_frame>", (0, 1, 0)),
        ("1.7", '<xyz expressed_in="f">0 1 0</xyz>', (-1, 0, 0)),
    ):
        found, _ = axis_of(version, axis)
        body_x = np.array([0.0, 0.5, 1.0]) / math.sqrt(1.25)
        assert found[0] == pytest.approx(np.array(along) @ body_x, abs=1e-12), (version, axis)


def test_a_world_that_begins_with_a_ground(tmp_path: Path) -> None:
    ground = '<include><uri>sun</uri></include><model name="ground"><link name="plane"/></model>'
    text = sdf(world=True).replace('<model name="snake">', ground + '<model name="snake">')
    found = ll.read_robot(written(tmp_path, "w.sdf", text))
    assert found.chain().name == "snake" and any("2 other <model> or <include>" in note for note in found.notes)


def test_mjcf_base_armature_actuators_and_fluid(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    found = ll.read_robot(written(tmp_path, "swimmer.xml", swimmer()))
    chain = found.chain()
    assert chain.base == "planar" and chain.joint_names == ["bend1", "bend2"] and chain.joint_labels == ["yaw", "yaw"]
    capsule = 1000 * (math.pi * 0.01 + 4 / 3 * math.pi * 0.001)
    assert chain.total_mass == pytest.approx(3 * capsule + 0.1, rel=1e-12)
    assert ll.load_robot(found.path, base_armature="drop").total_mass == pytest.approx(3 * capsule, rel=1e-12)
    joint = chain.links[1].joint
    assert joint is not None and joint.rotor_inertia == 0.1 and joint.torque_limit == 150.0
    assert (joint.lower, joint.upper) == (pytest.approx(-math.radians(100)), pytest.approx(math.radians(100)))
    assert found.actuation == {"kind": "torque"}
    assert found.environment == [
        {
            "kind": "body-drag",
            "rule": "inertia-box",
            "density": 4000.0,
            "viscosity": 0.1,
            "wind": [0.0, 0.0, 0.0],
            "folded_mass": 0.1,
            "folded_inertia": 0.1,
            "folded_at": [0.0, 0.0, 0.0],
        }
    ]
    assert any("looks.xml" in note for note in found.notes) and any("does not weigh" in note for note in found.notes)
    assert chain.links[1].body is not None and chain.links[1].body.half_width == pytest.approx(0.1)


@pytest.mark.parametrize(("base", "kind"), [("free", "free"), ("fixed", "fixed")])
def test_mjcf_bases(tmp_path: Path, base: str, kind: str) -> None:
    pytest.importorskip("mujoco")
    assert ll.load_robot(written(tmp_path, "s.xml", swimmer(base=base, option=""))).base == kind


def test_mjcf_position_actuators_are_feedback(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    text = swimmer(more='<actuator><position joint="bend2" kp="30" kv="2"/></actuator>').replace(
        '<motor joint="bend2" gear="150" ctrllimited="true" ctrlrange="-1 1"/>', ""
    )
    found = ll.read_robot(written(tmp_path, "s.xml", text))
    gains = {"stiffness": [0.0, 30.0], "damping": [0.0, 2.0]}
    assert found.actuation == {"kind": "pd", **gains, "saturation": [150.0, None]}


def test_mjcf_missing_meshes(tmp_path: Path) -> None:
    """With an inertia of its own a body needs no mesh; without, it is refused by name."""
    pytest.importorskip("mujoco")
    asset = '<asset><mesh name="shell" file="shell.stl"/></asset>'
    own = '<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>'
    text = """<mujoco><asset><mesh name="shell" file="shell.stl"/></asset><worldbody><body name="a"><freejoint/>
 <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/><geom type="mesh" mesh="shell"/><body name="b" pos="1 0 0">OWN
 <joint axis="0 0 1"/><geom type="mesh" mesh="shell"/></body></body></worldbody></mujoco>"""
    assert asset in text
    chain = ll.load_robot(written(tmp_path, "m.xml", text.replace("OWN", own)))
    assert chain.total_mass == 2.0
    with pytest.raises(InputError, match=r"bodies 'b' take their inertia from meshes that are not here \(shell.stl\)"):
        ll.load_robot(written(tmp_path, "m.xml", text.replace("OWN", "")))


def test_mjcf_several_joints_of_one_body(tmp_path: Path) -> None:
    """They become joints with links without mass between, in their order."""
    pytest.importorskip("mujoco")
    more = '<joint name="pitch2" axis="0 1 0" pos="0.1 0 0"/>'
    text = swimmer().replace('<joint name="bend2"', more + '<joint name="bend2"')
    chain = ll.load_robot(written(tmp_path, "s.xml", text))
    assert chain.joint_names == ["bend1", "pitch2", "bend2"] and [link.mass or 0 for link in chain.links][2] == 0
    assert chain.links[3].position == pytest.approx((0.1, 0, 0))  # from the pitch axis on to the yaw axis


def test_xacro_is_carried_out(tmp_path: Path) -> None:
    pytest.importorskip("xacro")
    text = (
        urdf()
        .replace(
            '<robot name="snake">',
            '<robot name="snake" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="kg" value="0.25"/>',
        )
        .replace('value="0.5"', 'value="${2*kg}"')
    )
    text = text.replace("<!-- a comment -- with dashes <!-- and an opening -->", "")
    assert ll.load_robot(written(tmp_path, "snake.xacro", text)).total_mass == pytest.approx(2.0)
    with pytest.raises(InputError, match=r"ends in \.xacro"):
        ll.load_robot(written(tmp_path, "snake.urdf", text))


def stl(path: Path, low: tuple[float, float, float], high: tuple[float, float, float]) -> None:
    """A binary STL of one triangle between two corners."""
    corners = [low, high, (low[0], high[1], low[2])]
    facet = struct.pack("<12fH", 0, 0, 0, *(x for corner in corners for x in corner), 0)
    path.write_bytes(b" " * 80 + struct.pack("<I", 1) + facet)


def test_meshes_beside_the_file_give_bodies_and_are_drawn(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    stl(tmp_path / "meshes" / "link.stl", (0, -30, -10), (100, 30, 10))
    mesh = (
        '<visual><geometry><mesh filename="package://snake/meshes/link.stl" scale="1e-3 1e-3 1e-3"/></geometry>'
        "</visual>"
    )
    text = urdf(collision=False).replace("</inertial>", "</inertial>" + mesh)
    link = ll.load_robot(written(tmp_path, "snake.urdf", text)).links[1]
    assert link.body is not None and (link.body.half_width, link.body.half_height) == pytest.approx((0.03, 0.01))
    assert link.contact_shapes[0].radius == pytest.approx(0.01) and len(link.mesh) == 1
    assert link.mesh[0].scale == (1e-3, 1e-3, 1e-3) and Path(link.mesh[0].file).name == "link.stl"
    (tmp_path / "meshes" / "link.stl").unlink()
    found = ll.read_robot(tmp_path / "snake.urdf")
    assert any("1 meshes are not here (link.stl)" in note for note in found.notes) and not found.chain().links[1].mesh


def test_density_makes_mass_of_shapes(tmp_path: Path) -> None:
    text = urdf().replace(INERTIAL.format(mass="0.5"), "")
    with pytest.raises(InputError, match="no link has mass: give density"):
        ll.load_robot(written(tmp_path, "s.urdf", text))
    chain = ll.load_robot(tmp_path / "s.urdf", density=1000.0)
    volume = math.pi * 0.02**2 * 0.1
    assert chain.total_mass == pytest.approx(4 * 1000 * volume, rel=1e-12)
    axial = chain.links[0].mass_properties().inertia[0, 0]
    assert axial == pytest.approx(0.5 * 1000 * volume * 0.02**2, rel=1e-4)  # rpy of 1.5708 is not quite pi/2


def test_axes_of_the_body(tmp_path: Path) -> None:
    """A robot along y whose axes are 30 deg off: x runs along it, and its joints yaw and pitch all the same."""
    text = urdf().replace('xyz="0.1 0 0"', 'xyz="0 0.1 0"')
    c, s = math.cos(math.radians(30)), math.sin(math.radians(30))
    text = text.replace('axis xyz="0 0 1"', f'axis xyz="{s!r} 0 {c!r}"').replace(
        'axis xyz="0 -2 0"', f'axis xyz="{c!r} 0 {-s!r}"'
    )
    chain = ll.load_robot(written(tmp_path, "s.urdf", text))
    assert chain.links[1].position == pytest.approx((0.1, 0, 0), abs=1e-15)
    assert sorted(set(chain.joint_labels)) == ["pitch", "yaw"]


def test_a_standing_robot_lies_down(tmp_path: Path) -> None:
    text = urdf().replace('xyz="0.1 0 0"', 'xyz="0 0 -0.1"').replace('axis xyz="0 0 1"', 'axis xyz="1 0 0"')
    chain = ll.load_robot(written(tmp_path, "s.urdf", text))
    assert chain.links[1].position == pytest.approx((0.1, 0, 0), abs=1e-15)
    assert chain.joint_labels == ["yaw", "pitch", "yaw"]  # file's -x is up


def test_unlimited_efforts(tmp_path: Path) -> None:
    for effort in ("inf", "0", "1e10"):
        chain = ll.load_robot(written(tmp_path, "s.urdf", urdf().replace('effort="1"', f'effort="{effort}"')))
        assert chain.links[1].joint is not None and chain.links[1].joint.torque_limit is None


def test_continuous_joints_and_default_axes(tmp_path: Path) -> None:
    text = urdf(more=massive("l") + revolute("j", "link3", "l", "continuous").replace('<axis xyz="0 0 1"/>', ""))
    joint = ll.load_robot(written(tmp_path, "s.urdf", text)).links[-1].joint
    assert joint is not None and joint.lower is None and joint.axis == pytest.approx((1.0, 0.0, 0.0))


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    """Ready robots with equal numbers are built once; what stands in a file is no number of the description."""
    masses = []
    for mass in ("0.5", "0.75"):
        file = written(tmp_path, "snake.urdf", urdf(mass=mass))
        swimmer = Scenario.load("eel-planar", {"robot": {"kind": "chain", "preset": "file", "file": str(file)}})
        masses.append(swimmer.robot.build().total_mass)
    assert masses == pytest.approx([2.0, 3.0], rel=1e-15)
    eel = Scenario.load("eel-planar")
    assert Scenario.load(eel, {"gait.amplitude": 0.07}).robot.build() is eel.robot.build()
    assert Scenario.load(eel, {"robot.density": 990.0}).robot.build() is not eel.robot.build()
