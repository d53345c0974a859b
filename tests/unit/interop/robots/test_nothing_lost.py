"""What a robot file says beside its links and joints: it is read, or a note says that it is not."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import limbless as ll
from limbless.interop.robots.first_run import first_scenario
from limbless.interop.robots.write_mjcf import mjcf_text
from tests.unit.interop.robots.descriptions import plain_swimmer, urdf, written


def said(found: ll.RobotFile, words: str) -> bool:
    return any(words in note for note in found.notes)


def test_a_servo_of_two_actuators_has_both_gains(tmp_path: Path) -> None:
    """MuJoCo's servos are often a position and a velocity actuator of one joint: their forces add up."""
    pytest.importorskip("mujoco")
    servo = '<actuator><position joint="bend1" kp="4" gear="2"/><velocity joint="bend1" kv="0.2"/></actuator>'
    found = ll.read_robot(written(tmp_path, "s.xml", plain_swimmer(more=servo)))
    assert found.actuation == {"kind": "pd", "stiffness": [16.0, 0.0], "damping": [0.2, 0.0], "saturation": [150.0] * 2}


def test_what_mujoco_has_beside_joints_is_said(tmp_path: Path) -> None:
    """Forces in the joints of the base, weightless bodies, a gravity that is not down; an
    idle equality is no coupling.
    """
    pytest.importorskip("mujoco")
    text = plain_swimmer(
        option='gravity="0 -9.81 0"', more='<equality><joint joint1="bend1" joint2="bend2" active="false"/></equality>'
    ).replace('name="turn"', 'name="turn" damping="2" range="-9 9"')
    found = ll.read_robot(written(tmp_path, "s.xml", text.replace('name="part1"', 'name="part1" gravcomp="1"')))
    assert said(found, "damping and ranges of the joints of the base (sx, sy, turn) not kept")
    assert said(found, "gravcomp of 1 bodies is not kept") and said(found, "gravity (0, -9.81, 0) of the file is not")
    assert said(found, "not read: 1 equalities that are not active")
    ball = (
        plain_swimmer(base="free")
        .replace('name="bend1" axis="0 0 1"', 'name="bend1" type="ball"')
        .replace('range="-100 100"', 'range="0 40"')
        .replace('<motor joint="bend1" gear="150"', '<motor joint="bend1" gear="1"')
    )
    assert said(ll.read_robot(written(tmp_path, "b.xml", ball)), "ranges of 1 ball joints are not kept (bend1)")


def test_the_wind_blows_from_where_the_file_has_it(tmp_path: Path) -> None:
    """The swimmer's body runs along -x, and lies along x here: what blows along the file's x, y blows along -x, -y."""
    pytest.importorskip("mujoco")
    path = written(tmp_path, "s.xml", plain_swimmer(option='density="1000" wind="0.1 0.2 0.3"'))
    assert ll.read_robot(path).environment[0]["wind"] == pytest.approx([-0.1, -0.2, 0.3])


BODY = "<inertial><mass>0.4</mass><inertia><ixx>1e-4</ixx><iyy>1e-3</iyy><izz>1e-3</izz></inertia></inertial>"
ARM = f"""<sdf version="1.11"><model name="m"><pose>0 0 1 0 1.5 0</pose>
 <link name="a"><inertial auto="true"><density>500</density></inertial><collision name="c"><geometry><box>
 <size>0.2 0.05 0.04</size></box></geometry></collision><sensor name="s" type="imu"/></link>
 <frame name="tip" attached_to="a"><pose>0.1 0 0 0 0 0</pose></frame>
 <link name="b"><pose relative_to="tip">0 0 0 0 0 0</pose><gravity>false</gravity>{BODY}</link>
 <joint name="u" type="universal"><parent>tip</parent><child>b</child>
 <axis><xyz>0 0 1</xyz><limit><lower>-1</lower><upper>1</upper><effort>3</effort></limit></axis>
 <axis2><xyz>0 1 0</xyz><limit><lower>-0.5</lower><upper>0.6</upper></limit><dynamics><damping>0.7</damping></dynamics>
 </axis2></joint>
 <link name="c"><pose>0.3 0 0 0 0 0</pose></link><joint name="j" type="revolute"><parent>b</parent><child>c</child>
 <axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"""


def test_sdf_masses_from_shapes_frames_for_links_and_both_axes(tmp_path: Path) -> None:
    """`auto` makes mass of the collision shapes (it was 1 kg and 1 kg m2), a joint may name a frame in place of a link,
    and the second axis of a universal joint has numbers of its own.
    """
    found = ll.read_robot(written(tmp_path, "arm.sdf", ARM))
    first, second, _ = found.chain().links
    kg = 500 * 0.2 * 0.05 * 0.04
    assert first.mass == pytest.approx(kg, rel=1e-12)
    assert np.diag(first.mass_properties().inertia) == pytest.approx(
        kg / 12 * np.array([0.05**2 + 0.04**2, 0.2**2 + 0.04**2, 0.2**2 + 0.05**2]), rel=1e-12
    )
    assert second.joint is not None and second.position == pytest.approx((0.1, 0, 0))
    assert (second.joint.lower, second.joint.upper) == ((-1.0, -0.5), (1.0, 0.6))
    assert (second.joint.damping, second.joint.torque_limit) == ((0.0, 0.7), (3.0, None))
    for words in (
        "1 <sensor>",
        "1 links without <inertial> have no mass here (c)",
        "gravity is off for 1 links",
        "the model's own pose, which tilts it",
    ):
        assert said(found, words), words
    turned = ll.load_robot(tmp_path / "arm.sdf", reverse=True).links[2].joint
    assert turned is not None and (turned.lower, turned.damping) == ((-0.5, -1.0), (0.7, 0.0))


def test_a_frame_of_the_model_stands_for_its_first_link(tmp_path: Path) -> None:
    text = ARM.replace('attached_to="a"', "")
    assert ll.load_robot(written(tmp_path, "arm.sdf", text)).link_names == ["a", "b", "c"]


def test_a_planar_joint_before_the_robot_is_its_base(tmp_path: Path) -> None:
    """It was refused with the words that only the base may move like that."""
    base = (
        '<link name="world"/><joint name="f" type="planar"><parent link="world"/><child link="link0"/>'
        '<axis xyz="0 0 1"/></joint>'
    )
    chain = ll.load_robot(
        written(tmp_path, "s.urdf", urdf().replace("0 -2 0", "0 0 1").replace("</robot>", base + "</robot>"))
    )
    assert chain.base == "planar" and chain.joint_names == ["joint1", "joint2", "joint3"]
    assert chain.total_mass == pytest.approx(2.0) and set(chain.joint_labels) == {"yaw"}


def test_a_base_that_was_asked_for_is_not_told_to_be_another(tmp_path: Path) -> None:
    path = written(tmp_path, "s.urdf", urdf())
    assert said(ll.read_robot(path), "base: free") and not said(ll.read_robot(path, base="fixed"), "base: ")


def test_masses_of_boxes_around_meshes_are_said(tmp_path: Path) -> None:
    (tmp_path / "link.obj").write_text("v 0 0 0\nv 0.1 0.02 0\nv 0 0.02 0.03\n")
    text = urdf(collision=False)
    mesh = '<collision><geometry><mesh filename="link.obj"/></geometry></collision>'
    text = "".join(
        part.split("</inertial>")[-1] if "</inertial>" in part else part for part in text.split("<inertial>")
    ).replace("</link>", mesh + "</link>")
    found = ll.read_robot(written(tmp_path, "s.urdf", text), density=1000.0)
    assert found.chain().total_mass == pytest.approx(4 * 1000 * 0.1 * 0.02 * 0.03)
    assert said(found, "mass of 4 links from the boxes around their meshes")


@pytest.mark.parametrize(
    ("bounds", "middle", "amplitude"),
    [((-1.0, 1.5), 0.0, 0.6), ((0.0, 1.5), 0.6, 0.48), ((-1.5, 0.0), -0.6, 0.48), ((0.2, 0.9), 0.55, 0.28)],
)
def test_a_first_wave_stays_within_ranges_that_begin_at_zero(
    tmp_path: Path, bounds: tuple[float, float], middle: float, amplitude: float
) -> None:
    """It had no amplitude there: the robot lay still."""
    text = urdf(5).replace('lower="-1" upper="1.5"', f'lower="{bounds[0]}" upper="{bounds[1]}"')
    gait = first_scenario(written(tmp_path, "s.urdf", text))["gait"]
    assert (gait.get("yaw_offset", 0.0), gait["yaw_amplitude"]) == (pytest.approx(middle), pytest.approx(amplitude))


def test_robots_without_yaw_and_pitch_run_all_the_same(tmp_path: Path) -> None:
    text = urdf().replace('type="revolute"', 'type="prismatic"')
    result = ll.run(written(tmp_path, "s.urdf", text), {"duration": 0.1})
    assert result.status == "completed" and any("no joint can yaw or pitch" in note for note in result.notes)


def test_mujoco_rubs_as_the_ground_says_and_starts_where_the_scenario_does(tmp_path: Path) -> None:
    """MuJoCo takes the larger friction of two geoms: 1 of the spheres, unless the ground has priority."""
    mujoco = pytest.importorskip("mujoco")
    scenario = ll.Scenario.load("snake-undulate-orthotropic")
    text = mjcf_text(scenario.robot.build(), scenario.environment, scenario.step, scenario.initial)
    assert "forward 0.1 in all directions; without lateral 0.5" in text
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    assert data.qpos[:3] == pytest.approx(scenario.initial.position) and math.isclose(data.qpos[2], 0.0525)
    mujoco.mj_step(model, data, 20)
    assert data.ncon > 0 and all(contact.friction[0] == 0.1 for contact in data.contact)
