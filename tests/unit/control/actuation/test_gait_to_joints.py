"""Gaits as joint motion: shapes become yaw and pitch, joint gaits are taken as they are,
spherical joints turn in SO(3).
"""

from typing import ClassVar

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from limbless.control.actuation.gait_to_joints import joint_motion
from limbless.control.actuation.shape_map import shape_map, stations
from limbless.control.gaits.base import Drive, Gait
from limbless.core.errors import InputError
from limbless.robots.chain import Chain
from limbless.robots.joints import Joint
from limbless.robots.links import Link
from limbless.robots.presets.khalil_eel import KhalilEel

TIMES = np.linspace(0.0, 1.3, 7)


class Curve(Gait):
    """heading = turn sin(3 t) (s + s²), elevation = dive cos(2 t) s²."""

    drives: ClassVar[str] = "shape"
    turn: float = 0.5
    dive: float = 0.3

    def sample(self, times, stations):
        t, s = times[:, None], stations[None, :]
        heading, elevation = self.turn * (s + s**2), self.dive * s**2
        value = np.stack([np.sin(3 * t) * heading, np.cos(2 * t) * elevation], axis=2)
        rate = np.stack([3 * np.cos(3 * t) * heading, -2 * np.sin(2 * t) * elevation], axis=2)
        return Drive(value, rate, np.stack([-9 * value[..., 0], -4 * value[..., 1]], axis=2))


class Angles(Gait):
    """Joint k follows (0.2 + 0.1 k) sin(t)."""

    drives: ClassVar[str] = "joint"

    def sample(self, times, stations):
        value = np.sin(times)[:, None] * (0.2 + 0.1 * stations)
        return Drive(value, np.cos(times)[:, None] * (0.2 + 0.1 * stations), -value)


class Pull(Gait):
    drives: ClassVar[str] = "tension"


def test_shape_on_the_eel():
    eel = KhalilEel().build()
    motion = joint_motion(eel, Curve(), TIMES)
    drive = Curve().sample(TIMES, 0.14 * np.arange(13))
    for array, asked in zip(motion, drive[:3], strict=True):
        np.testing.assert_allclose(array[:, 0::3], np.diff(asked[..., 0], axis=1), atol=1e-13)
        np.testing.assert_allclose(array[:, 1::3], np.diff(asked[..., 1], axis=1), atol=1e-13)
        assert not array[:, 2::3].any()


def test_sign_follows_the_axis():
    up, down = (joint_motion(Chain.uniform(links=4, axis=(0, 0, sign)), Curve(dive=0.0), TIMES) for sign in (1, -1))
    np.testing.assert_array_equal(up.position, -down.position)
    assert np.abs(up.position).max() > 0


def test_spherical_joints_take_yaw_then_pitch():
    revolute, spherical = KhalilEel().build(), KhalilEel(joints="spherical").build()
    three, one = joint_motion(revolute, Curve(), TIMES), joint_motion(spherical, Curve(), TIMES)
    assert one.position.shape == (7, 48)
    assert one.velocity.shape == one.acceleration.shape == (7, 36)
    for i in range(12):
        turn = Rotation.from_quat(one.position[:, 4 * i : 4 * i + 4], scalar_first=True)
        expected = Rotation.from_euler("ZY", three.position[:, 3 * i : 3 * i + 2])
        np.testing.assert_allclose(turn.as_matrix(), expected.as_matrix(), atol=1e-14)


def test_alternating_joints_follow_the_same_headings():
    """Yaw and pitch joints in turn: after every joint the heading is that at the station of
    the next joint of its kind.
    """
    joints = [Joint(axis=axis) for axis in ((0, 0, 1), (0, 1, 0)) * 3]
    chain = Chain(links=(Link(mass=1.0), *(Link(joint=joint, position=(0.1, 0, 0), mass=1.0) for joint in joints)))
    mapping = shape_map(chain)
    assert mapping.yaw_column.tolist() == [0, 0, 2, 2, 4, 4]
    assert mapping.pitch_column.tolist() == [-1, 1, 1, 3, 3, 5]
    motion = joint_motion(chain, Curve(), TIMES)
    heading, elevation = np.moveaxis(Curve().sample(TIMES, stations(chain)).value, 2, 0)
    np.testing.assert_allclose(
        np.cumsum(motion.position[:, 0::2], axis=1), heading[:, [2, 4, 6]] - heading[:, [0]], atol=1e-15
    )
    np.testing.assert_allclose(
        np.cumsum(motion.position[:, 1::2], axis=1), elevation[:, [3, 5, 6]] - elevation[:, [1]], atol=1e-15
    )


def test_universal_joints_with_an_offset_have_two_locations():
    chain = Chain.uniform(links=3, joint="universal", offset=(0.02, 0, 0))
    np.testing.assert_allclose(stations(chain), [0, 0.02, 0.1, 0.12, 0.22], atol=1e-15)
    assert shape_map(chain).pitch_column.tolist() == [-1, 1, 1, 3]


def test_elevation_needs_a_pitch_joint_only_where_it_bends():
    chain = Chain.uniform(links=4)
    assert joint_motion(chain, Curve(dive=0.0), TIMES).position.shape == (7, 3)
    with pytest.raises(
        InputError, match="asks for elevation, but chain 'uniform chain' has no joint whose axis at home is y"
    ):
        joint_motion(chain, Curve(), TIMES)
    with pytest.raises(InputError, match="asks for heading"):
        joint_motion(Chain.uniform(links=4, axis=(0, 1, 0)), Curve(), TIMES)


def test_joint_gait_as_it_is():
    chain = Chain.uniform(links=4)
    motion = joint_motion(chain, Angles(), TIMES)
    np.testing.assert_array_equal(motion.position, np.sin(TIMES)[:, None] * [0.2, 0.1 + 0.2, 0.4])
    np.testing.assert_array_equal(motion.acceleration, -motion.position)


def test_joint_gait_turns_spherical_joints_by_rotation_vectors():
    chain = Chain(links=(Link(mass=1.0), Link(joint=Joint(kind="spherical"), mass=1.0), Link(joint=Joint(), mass=1.0)))
    motion = joint_motion(chain, Angles(), TIMES)
    assert motion.position.shape == (7, 5)
    np.testing.assert_allclose(motion.position[:, 4], 0.5 * np.sin(TIMES))
    vectors = np.sin(TIMES)[:, None] * [0.2, 0.3, 0.4]
    expected = Rotation.from_rotvec(vectors).as_quat(scalar_first=True)
    np.testing.assert_allclose(motion.position[:, :4], expected, atol=1e-15)
    # The axis is fixed, so the angular velocity is the rate of the vector.
    np.testing.assert_allclose(motion.velocity[:, :3], np.cos(TIMES)[:, None] * [0.2, 0.3, 0.4], atol=1e-15)


def test_other_gaits_are_refused():
    with pytest.raises(InputError, match="not 'tension'"):
        joint_motion(Chain.uniform(), Pull(), TIMES)
