"""From a tree to a serial trunk: base, spine, side branches, direction; and everything that is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from limbless.models.chain.newton_euler_model import NewtonEuler
from tests.unit.interop.robots.descriptions import massive, revolute, swimmer, urdf, written

LEGS = "".join(
    massive(f"leg{k}{side}", 0.05) + revolute(f"hip{k}{side}", f"link{k}", f"leg{k}{side}")
    for k in range(4)
    for side in "ab"
)
WHEEL = (
    '<collision><origin xyz="0 0 0" rpy="1.5708 0 0"/><geometry><cylinder radius="0.03" length="0.01"/></geometry>'
    "</collision>"
)


def refusal(tmp_path: Path, text: str, name: str = "snake.urdf", **options: object) -> str:
    with pytest.raises(InputError) as error:
        ll.load_robot(written(tmp_path, name, text), **options)
    return str(error.value)


def test_side_branches(tmp_path: Path) -> None:
    path = written(tmp_path, "snake.urdf", urdf(more=LEGS))
    told = refusal(tmp_path, urdf(more=LEGS))
    assert told.startswith("snake.urdf: not a serial chain: 8 joints on side branches of 4 links (leg0a, leg0b,")
    assert "branches: weld" in told and "trunk: [first, last]" in told
    plain = ll.load_robot(written(tmp_path, "plain.urdf", urdf()))
    assert ll.load_robot(path, branches="drop").total_mass == pytest.approx(plain.total_mass)
    welded = ll.load_robot(path, branches="weld")
    assert welded.total_mass == pytest.approx(2.0 + 8 * 0.05) and welded.joint_names == plain.joint_names
    # two legs, each 0.1 m on: their centre is that of the leg, not of the link
    moment = (0.5 * 0.05 + 2 * 0.05 * 0.15, 0.5 * 0.01 + 2 * 0.05 * 0.01, 0)
    assert welded.links[1].first_moment == pytest.approx(moment)


def test_a_longer_leg_is_not_the_spine(tmp_path: Path) -> None:
    """The heaviest path counts, not the longest: a light limb of six joints hangs on link 1."""
    limb = "".join(massive(f"l{k}", 0.01) + revolute(f"k{k}", f"l{k - 1}" if k else "link1", f"l{k}") for k in range(6))
    chain = ll.load_robot(written(tmp_path, "s.urdf", urdf(more=limb)), branches="drop")
    assert chain.joint_names == ["joint1", "joint2", "joint3"]
    other = ll.load_robot(tmp_path / "s.urdf", trunk=("link0", "l5"), branches="drop")
    assert other.joint_names == ["joint1", *(f"k{k}" for k in range(6))]


def test_wheels_are_found(tmp_path: Path) -> None:
    wheels = "".join(
        massive(f"w{k}", 0.02, WHEEL)
        + revolute(f"axle{k}", f"link{k}", f"w{k}", "continuous").replace('<axis xyz="0 0 1"/>', '<axis xyz="0 1 0"/>')
        for k in range(4)
    )
    found = ll.read_robot(written(tmp_path, "s.urdf", urdf(more=wheels)), branches="weld", base="planar")
    (wheels,) = found.environment
    assert wheels["modules"] == [0, 1, 2, 3] and wheels["load"] == "solved"
    assert any("passive wheels: 4 on 4 links" in note for note in found.notes)
    assert found.chain().total_mass == pytest.approx(2.08)


def test_a_root_inside_turns_joints_round(tmp_path: Path) -> None:
    """The same robot, its root in the middle: the same mass matrix with the base at the same end."""
    text = urdf()
    for k in (1, 2):
        old = f'<parent link="link{k - 1}"/><child link="link{k}"/>\n <origin xyz="0.1 0 0" rpy="0 0 0"/>'
        new = f'<parent link="link{k}"/><child link="link{k - 1}"/>\n <origin xyz="-0.1 0 0" rpy="0 0 0"/>'
        assert old in text
        text = text.replace(old, new)
    inside = ll.load_robot(written(tmp_path, "inside.urdf", text), trunk=("link0", "link3"), reverse=True)
    if inside.link_names[0] != "link0":
        inside = ll.load_robot(tmp_path / "inside.urdf", trunk=("link0", "link3"))
    plain = ll.load_robot(written(tmp_path, "plain.urdf", urdf()))
    assert inside.link_names == plain.link_names
    # turned round, a joint's angle keeps its sign while its axis is negated; here its anchor moved by 0.1 m as well
    assert inside.links[1].joint is not None and inside.links[1].joint.axis == pytest.approx((0, 0, -1))
    assert inside.total_mass == plain.total_mass


def test_reversed_the_robot_is_the_same(tmp_path: Path) -> None:
    """Floating inverse dynamics do not ask where the base is: torques at the joints are the same from either end."""
    path = written(tmp_path, "s.urdf", urdf())
    one, other = ll.load_robot(path), ll.load_robot(path, reverse=True)
    assert other.link_names == one.link_names[::-1]
    q, v, a = (np.array(numbers) for numbers in ([0.3, -0.2, 0.4], [0.0] * 3, [0.5, 0.2, -0.7]))
    forward = NewtonEuler(_bare(one)).inverse(q, v, a).joint_torque
    backward = NewtonEuler(_bare(other)).inverse(q[::-1], v, a[::-1]).joint_torque
    assert backward[::-1] == pytest.approx(forward, rel=1e-10, abs=1e-14)


def _bare(chain: ll.Chain) -> ll.Chain:
    return chain.changed(
        links=tuple(
            link if link.joint is None else link.changed(joint=link.joint.changed(damping=0.0, coulomb_friction=0.0))
            for link in chain.links
        )
    )


def test_bases(tmp_path: Path) -> None:
    floating = '<link name="world"/>' + revolute("float", "world", "link0", "floating")
    slides = '<link name="world"/><link name="i"/><link name="j"/>'
    plane = (
        revolute("x", "world", "i", "prismatic").replace('xyz="0 0 1"', 'xyz="1 0 0"')
        + revolute("y", "i", "j", "prismatic").replace('xyz="0 0 1"', 'xyz="0 1 0"')
        + revolute("yaw", "j", "link0")
    )
    pole = '<link name="world"/>' + revolute("pole", "world", "link0")
    for more, base in ((floating, "free"), (slides + plane, "planar"), (pole, "fixed")):
        found = ll.read_robot(written(tmp_path, "s.urdf", urdf(more=more)))
        assert found.chain().base == base, more
        assert found.chain().freedoms == (4 if base == "fixed" else 3)
    assert any("it could not float" in note for note in found.notes)


def test_fixed_joints_merge(tmp_path: Path) -> None:
    more = massive("camera", 0.1) + revolute("mount", "link1", "camera", "fixed")
    chain = ll.load_robot(written(tmp_path, "s.urdf", urdf(more=more)))
    assert chain.freedoms == 3 and chain.total_mass == pytest.approx(2.1) and chain.link_names[1] == "link1"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (urdf(more=revolute("again", "link0", "link3")), "link 'link3' hangs on two joints ('joint3', 'again')"),
        (urdf(more=massive("b")), "two root links: link0, b"),
        (urdf(more=massive("b") + revolute("k", "link3", "b", "planar")), "joint 'k' is planar: only the base may"),
        (urdf(joint='<mimic joint="joint1"/>'), "joint 'joint1' mimics 'joint1'"),
        (urdf(more=revolute("j", "nobody", "link0")), "joint 'j' names the parent 'nobody'"),
        ('<robot name="r">' + massive("a") + "</robot>", "the file describes no moving joint"),
        ("<robot name='r'/>", "it describes no link"),
        ("<kml/>", "its root is <kml>"),
        ("<robot><link name='a'>", "not valid XML"),
        ("time,x,y", "not XML, in which robots are described (URDF, SDF, MJCF, xacro)"),
        (urdf(mass="nan"), "mass is 'nan'"),
        (urdf(mass="-1"), "it must be zero or positive"),
        (urdf(mass="heavy"), "link 'link0': mass is 'heavy', not 1 number"),
        (urdf().replace('axis xyz="0 0 1"', 'axis xyz="0 0 0"'), "a direction needs a length"),
        ("<!DOCTYPE x [<!ENTITY a 'b'>]><robot/>", "needs no DOCTYPE"),
        ("<sdf><world><include><uri>model://x</uri></include><model name='m'/></world></sdf>", "by <include>"),
        ("<sdf version='1.7'/>", "it holds no <model>"),
    ],
)
def test_refusals(tmp_path: Path, text: str, told: str) -> None:
    said = refusal(tmp_path, text)
    assert told in said and said.startswith("snake.urdf: ")


def test_all_problems_are_said_at_once(tmp_path: Path) -> None:
    said = refusal(tmp_path, urdf(mass="nan").replace('axis xyz="0 -2 0"', 'axis xyz="0 0 0"'))
    assert "5 errors" in said and said.count("mass is 'nan'") == 4 and "joint2" in said


def test_mimic_joints_can_be_frozen(tmp_path: Path) -> None:
    text = urdf(more=massive("l") + revolute("k", "link3", "l", inside='<mimic joint="joint1"/>'))
    assert "freeze: [k] holds it at zero" in refusal(tmp_path, text)
    assert ll.load_robot(tmp_path / "snake.urdf", freeze=["k"]).joint_names == ["joint1", "joint2", "joint3"]
    assert "there is no joint 'kk'" in refusal(tmp_path, text, freeze=["kk"])


def test_couplings_of_the_body_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    text = swimmer(more='<equality><joint joint1="bend1" joint2="bend2"/></equality>')
    assert "an equality of joints couples parts of the body" in refusal(tmp_path, text, "s.xml")


def test_no_moving_joint_in_mjcf(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    text = "<mujoco><worldbody><body><geom size='1'/></body></worldbody></mujoco>"
    assert "no moving joint" in refusal(tmp_path, text, "s.xml")


def test_placeholder_inertia_is_said(tmp_path: Path) -> None:
    text = urdf().replace('ixx="2e-4"', 'ixx="1"').replace('iyy="5e-4"', 'iyy="1"').replace('izz="6e-4"', 'izz="1"')
    notes = ll.read_robot(written(tmp_path, "s.urdf", text)).notes
    assert sum("a placeholder?" in note for note in notes) == 4


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"there is no file 'nowhere\.urdf'"):
        ll.load_robot("nowhere.urdf")
