"""What a robot file says of friction, gains, limits, wheels and discs is what its first run has."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import limbless as ll
from limbless.control.actuation.gait_to_joints import joint_motion
from limbless.core.errors import InputError
from limbless.interop.robots.first_run import first_scenario
from limbless.mechanics.contact import ContactRow
from limbless.models.chain.contact.nonsmooth_model import NonSmooth
from tests.unit.interop.robots.descriptions import massive, revolute, sdf, urdf, written

GRAVITY = 9.81
WHEEL = (
    '<collision><origin xyz="0 0 0" rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.03" length="0.01"/>'
    "</geometry></collision>"
)


def crawler(geom: str = "", actuator: str = "", more: str = "", shape: str = 'type="box" size=".05 .02 .01"') -> str:
    """Two boxes on a hinge over a floor, in MJCF."""
    return f"""<mujoco><worldbody><geom name="floor" type="plane" size="1 1 .1" friction="0.1"/>
 <body name="a" pos="0 0 .1"><freejoint/><geom name="ga" {shape} pos="-.05 0 0" mass="0.4" {geom}/>
 <body name="b"><joint name="bend" axis="0 0 1"/><geom name="gb" {shape} pos=".05 0 0" mass="0.4" {geom}/></body>
 </body></worldbody><actuator>{actuator}</actuator>{more}</mujoco>"""


def on_ground(path: Path, changes: dict[str, Any] | None = None, **options: Any) -> ll.Result:
    return ll.run(first_scenario(path, options, "ground"), changes or {})


def test_a_robot_slides_with_the_friction_of_its_file(tmp_path: Path) -> None:
    """A body that slides straight on slows down by mu g, whatever it weighs."""
    pytest.importorskip("mujoco")
    path = written(tmp_path, "s.xml", crawler('friction="0.5"'))
    still = {"gait": {"kind": "joint-wave", "yaw_amplitude": 0.0}, "initial.twist": [1.0, 0, 0, 0, 0, 0]}
    result = on_ground(path, {**still, "duration": 0.06})
    slowed = result.dataset["base_twist"].values[-1, 0]
    assert slowed == pytest.approx(1.0 - 0.5 * GRAVITY * 0.06, rel=1e-3)
    pairs = "".join(f'<pair geom1="floor" geom2="g{k}" friction="0.3 0.3 0.005 0.0001 0.0001"/>' for k in "ab")
    paired = written(tmp_path, "p.xml", crawler('contype="0" conaffinity="0"', more=f"<contact>{pairs}</contact>"))
    result = on_ground(paired, {**still, "duration": 0.06})
    assert result.dataset["base_twist"].values[-1, 0] == pytest.approx(1.0 - 0.3 * GRAVITY * 0.06, rel=1e-3)


def test_a_pair_goes_before_other_geoms_of_its_link(tmp_path: Path) -> None:
    """A link slides as its <pair> says, though another of its geoms has more friction; that is said."""
    pytest.importorskip("mujoco")
    pairs = "".join(f'<pair geom1="floor" geom2="g{k}" friction="0.3 0.3 0.005 0.0001 0.0001"/>' for k in "ab")
    fin = '<geom type="box" size=".01 .01 .001" pos="0 0 .009" mass="0" friction="0.9"/>'
    text = crawler(more=f"<contact>{pairs}</contact>").replace('<body name="b">', f'{fin}<body name="b">')
    path = written(tmp_path, "p.xml", text)
    found = ll.read_robot(path)
    assert found.chain().skin == ll.SkinFriction(forward=0.3, lateral=0.3) and not found.environment
    assert any("rub differently on 1 links (0.3 to 0.9 on 'a')" in note for note in found.notes)


def test_an_sdf_states_friction_too(tmp_path: Path) -> None:
    rough = "<surface><friction><ode><mu>0.7</mu><mu2>0.7</mu2></ode></friction></surface></collision>"
    text = sdf().replace("</collision>", rough)
    assert ll.load_robot(written(tmp_path, "s.sdf", text)).skin == ll.SkinFriction(forward=0.7, lateral=0.7)


def test_links_that_rub_differently_do_so(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    first, _, second = crawler('friction="0.8"').rpartition('friction="0.8"')
    text = f'{first}friction="0.2"{second}'
    data = first_scenario(written(tmp_path, "s.xml", text), medium="ground")
    assert data["environment"][1] == {"kind": "ground", "link_factors": [1.0, 0.25]}
    assert ll.load_robot(tmp_path / "s.xml").skin == ll.SkinFriction(forward=0.8, lateral=0.8)


def test_gains_and_limits_of_a_file_are_those_of_its_servo(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    servo = '<position joint="bend" kp="20" kv="0.4" forcerange="-0.3 0.3" forcelimited="true"/>'
    path = written(tmp_path, "s.xml", crawler(actuator=servo))
    found = ll.read_robot(path)
    assert found.servo == {"kind": "servo", "stiffness": [20.0], "damping": [0.4], "saturation": [0.3]}
    result = on_ground(path, {"gait": {"kind": "joint-wave", "yaw_amplitude": 1.0, "yaw_rate": 20.0}, "duration": 0.2})
    torque = np.abs(result.dataset["joint_torque"].values)
    assert result.scenario.actuation.stiffness == (20.0,) and torque.max() == pytest.approx(0.3, rel=1e-6)


def test_motors_of_a_urdf_give_no_more_than_their_effort(tmp_path: Path) -> None:
    text = urdf().replace('effort="3"', 'effort="1e30"')
    found = ll.read_robot(written(tmp_path, "s.urdf", text))
    assert found.servo == {"kind": "servo", "saturation": [1.0, 2.0, None]}
    assert ll.Servo(**found.servo).limits.tolist() == [1.0, 2.0, math.inf]


def test_a_robot_from_a_file_has_its_servo_on_ground_and_a_motion_in_water(tmp_path: Path) -> None:
    path = written(tmp_path, "s.urdf", urdf())
    data = {"robot": {"preset": "file", "file": str(path)}, "gait": {"kind": "joint-wave"}}
    ground = {"environment": [{"kind": "gravity"}, {"kind": "ground"}], "model": {"kind": "non-smooth"}}
    assert ll.Scenario.load({**data, **ground}).actuation == ll.Servo(saturation=(1.0, 2.0, 3.0))
    assert ll.Scenario.load({**data, **ground, "actuation": {"kind": "motion"}}).actuation.kind == "motion"
    assert ll.Scenario.load({**data, "environment": [{"kind": "water"}]}).actuation.kind == "motion"


def test_the_wheels_of_a_file_carry_it(tmp_path: Path) -> None:
    """Wheels of 30 mm on axles 10 mm below the middle: the body stays 40 mm high, and rolls on nearly freely."""
    axle = '<origin xyz="0.05 0 -0.01"/><axis xyz="0 1 0"/>'
    wheels = "".join(
        massive(f"w{k}", 0.02, WHEEL)
        + revolute(f"axle{k}", f"link{k}", f"w{k}", "continuous").replace(
            '<origin xyz="0.1 0 0"/><axis xyz="0 0 1"/>', axle
        )
        for k in range(4)
    )
    path = written(tmp_path, "s.urdf", urdf(more=wheels))
    data = first_scenario(path, {"branches": "weld"}, "ground")
    kinds = [item["kind"] for item in data["environment"]]
    assert kinds == ["gravity", "wheels"] and data["environment"][1]["load"] == "solved"
    below = ll.load_robot(path, branches="weld").links[0].body
    assert below is not None and data["environment"][1]["wheel_radius"] == pytest.approx(0.04 + below.position[2])
    still = {"gait": {"kind": "joint-wave", "yaw_amplitude": 0.0}, "initial.twist": [0.5, 0, 0, 0, 0, 0]}
    result = ll.run(data, {**still, "duration": 0.1})
    end = result.dataset.isel(time=-1)
    assert result.dataset["base_position"].values[:, 2] == pytest.approx(0.04, abs=1e-4)
    assert end["base_twist"].values[0] == pytest.approx(0.5 - 0.01 * GRAVITY * 0.1, rel=0.02)  # nearly free


def test_a_disc_touches_with_its_rim_where_the_file_has_it(tmp_path: Path) -> None:
    """A disc across the body, tilted: its lowest point is R cos(tilt) + c below, rounded by half its thickness c."""
    disc = (
        '<collision><origin xyz="0.03 0 0" rpy="0 1.5707963267948966 0"/><geometry>'
        '<cylinder radius="0.05" length="0.01"/></geometry></collision>'
    )
    text = urdf(links=2, collision=False).replace("</link>", f"{disc}</link>")
    chain = ll.load_robot(written(tmp_path, "s.urdf", text))
    (rim,) = chain.links[0].contact_shapes
    assert rim.centre == pytest.approx((0.03, 0.0, 0.0)) and rim.radius + rim.rim == pytest.approx(0.05)
    model = NonSmooth(chain, [ll.Ground()])
    for tilt in (0.0, 0.4, math.pi / 2):
        turned = Rotation.from_euler("y", tilt)
        start = ll.Initial(
            position=(0.0, 0.0, 0.3), orientation=tuple(np.roll(turned.as_quat(), 1)), joint_position=(0.0,)
        )
        state = model.initial_state(start, ll.JointWave(yaw_amplitude=0.0))
        gap = ContactRow.of(model._stand(state.x.copy()).step.contacts).gap[0]
        low = 0.3 + turned.apply(rim.centre)[2] - (0.045 * math.cos(tilt) + 0.005)
        assert gap == pytest.approx(low, abs=1e-12)
    again = ll.load_robot(ll.save_robot(chain, tmp_path / "again.urdf"))
    assert again.links[0].contact_shapes[0].rim == pytest.approx(0.045)


def test_fields_of_links_can_be_set_behind_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, "s.urdf", urdf())
    scenario = ll.Scenario.load(str(path), {"robot.links.2.mass": 3.0, "robot.head": "tip"})
    assert isinstance(scenario.robot, ll.Chain)
    assert scenario.robot.links[2].mass == 3.0 and scenario.robot.head == "tip"
    with pytest.raises(InputError, match="counted from 0"):
        ll.Scenario.load(str(path), {"robot.links.9.mass": 3.0})


def skew(angles: list[float]) -> ll.Chain:
    """A chain whose joints turn about axes at these angles from y towards z."""
    axes = [(0.0, math.cos(angle), math.sin(angle)) for angle in angles]
    body = {"mass": 1.0, "inertia": (0.1, 0.0, 0.0, 0.1, 0.0, 0.1)}
    links = [ll.Link(**body), *(ll.Link(**body, joint=ll.Joint(axis=axis), position=(0.1, 0.0, 0.0)) for axis in axes)]
    return ll.Chain(links=tuple(links))


def test_joints_about_any_axes_follow_a_shape() -> None:
    """A robot whose axes turn on by 50 deg from joint to joint bends to the side by the heading that the gait asks for,
    and not up: rotations are composed here once more."""
    chain = skew([math.radians(50 * k + 20) for k in range(36)])
    gait = ll.BodyWave(amplitude=0.0, turn=0.005, dive=0.0, spacing=0.1, ramp=0.0)
    angles = joint_motion(chain, gait, np.zeros(1)).position[0]
    axes = [link.joint.axis for link in chain.links if link.joint]
    total = Rotation.identity()
    for axis, angle in zip(axes, angles, strict=True):
        total = total * Rotation.from_rotvec(angle * np.array(axis))
    ahead = total.apply([1.0, 0.0, 0.0])
    assert math.atan2(ahead[1], ahead[0]) == pytest.approx(36 * 0.005, rel=0.02) and abs(ahead[2]) < 0.005


def test_joints_about_any_axes_follow_two_waves() -> None:
    wave = ll.JointWave(
        yaw_amplitude=0.3,
        yaw_rate=2.0,
        yaw_phase=-0.4,
        yaw_lead=0.7,
        pitch_amplitude=0.2,
        pitch_rate=5.0,
        pitch_phase=-0.1,
    )
    angles = [0.3, 1.2, 2.5]
    t = np.array([0.0, 0.37])
    got = joint_motion(skew(angles), wave, t).position
    for k, angle in enumerate(angles):
        yaw, pitch = 0.3 * np.sin(2.0 * t - 0.4 * k + 0.7), 0.2 * np.sin(5.0 * t - 0.1 * k)
        np.testing.assert_allclose(got[:, k], math.sin(angle) * yaw + math.cos(angle) * pitch, atol=1e-14)


def test_a_robot_with_skew_joints_runs(tmp_path: Path) -> None:
    text = urdf().replace('xyz="0 0 1"', 'xyz="0 1 0.55"').replace('xyz="0 -2 0"', 'xyz="0 -0.3 0.55"')
    result = ll.run(str(written(tmp_path, "s.urdf", text)), {"duration": 0.1})
    assert np.abs(result.dataset["joint_position"].values).max() > 0.001
