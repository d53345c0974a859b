"""The snake of equal modules: against the solids it is made of, and what its two waves do on ground and in water."""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation.gait_to_joints import joint_motion
from limbless.control.actuation.shape_map import turns
from limbless.mechanics.algebra.array_rotations import quaternion_to_matrix
from limbless.robots.links import BodyShape, Link
from limbless.robots.sections import EllipticCylinder

FOUR = ll.ModuleSnake(modules=4)


def test_modules_are_full_cylinders() -> None:
    """Mass, centre and inertia are those that the library's own solid has, placed by hand."""
    chain = ll.ModuleSnake(modules=3, length=0.1, radius=0.03, module_mass=0.25).build()
    density = 0.25 / (np.pi * 0.03**2 * 0.1)
    for link, up in zip(chain.links, (0.03, 0.0, 0.0), strict=True):
        solid = Link(
            solids=(
                EllipticCylinder(
                    length=0.1, half_width=0.03, half_height=0.03, density=density, position=(0.0, 0.0, up)
                ),
            ),
            body=BodyShape(length=0.1, half_width=0.03, half_height=0.03),
        ).mass_properties()
        own = link.mass_properties()
        assert own.mass == pytest.approx(solid.mass)
        np.testing.assert_allclose(own.moment, solid.moment, atol=1e-15)
        np.testing.assert_allclose(own.inertia, solid.inertia, rtol=1e-12, atol=1e-15)


def test_it_lies_on_the_ground_where_it_starts() -> None:
    """Without motion nothing moves: spheres touch z = 0 and the motors hold no weight."""
    still = ll.JointWave(yaw_amplitude=0.0)
    result = ll.simulate(
        FOUR, still, [ll.Ground(), ll.Gravity()], "non-smooth", duration=0.05, step=0.001, actuation="pd"
    )
    position = result.dataset["position"].values
    assert np.abs(position - position[0]).max() < 1e-6 and result.proven
    np.testing.assert_allclose(position[0, :, 2], FOUR.radius, atol=1e-12)
    assert result.dataset["contact_force"].values[-1, ..., 2].sum() == pytest.approx(0.8 * 9.81, rel=1e-3)


@pytest.mark.parametrize(
    ("joints", "expected"), [("alternating", ["yaw", "pitch", "yaw"]), ("yaw", ["yaw"] * 3), ("pitch", ["pitch"] * 3)]
)
def test_joints_turn_as_asked(joints: str, expected: list[str]) -> None:
    chain = ll.ModuleSnake(modules=4, joints=joints).build()  # type: ignore[arg-type]
    assert [turn for turn, _ in turns(chain)] == expected == chain.joint_labels


def test_the_two_waves_drive_alternating_and_odd_chains() -> None:
    """Joint by joint against the formula of the paper, i counting the joints of its own kind; grown by the ramp."""
    wave = ll.JointWave(
        yaw_amplitude=0.4,
        yaw_rate=2.0,
        yaw_phase=-0.5,
        pitch_amplitude=0.2,
        pitch_rate=3.0,
        pitch_phase=-0.7,
        pitch_lead=0.9,
        ramp=2.0,
    )
    times = np.array([0.0, 0.5, 1.0, 3.0])
    motion = joint_motion(ll.ModuleSnake(modules=6).build(), wave, times)
    grown = np.array([0.0, *(10 * u**3 - 15 * u**4 + 6 * u**5 for u in (0.25, 0.5)), 1.0])
    for column in range(5):
        i = column // 2
        value = 0.4 * np.sin(2.0 * times - 0.5 * i) if column % 2 == 0 else 0.2 * np.sin(3.0 * times - 0.7 * i + 0.9)
        np.testing.assert_allclose(motion.position[:, column], grown * value, atol=1e-14)
    near = np.array([0.7 - 1e-5, 0.7, 0.7 + 1e-5])
    q = joint_motion(ll.ModuleSnake(modules=6).build(), wave, near)
    np.testing.assert_allclose(q.velocity[1], (q.position[2] - q.position[0]) / 2e-5, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(q.acceleration[1], (q.velocity[2] - q.velocity[0]) / 2e-5, rtol=1e-7, atol=1e-9)
    assert wave.sample(times, np.arange(5.0)).value.shape == (4, 5)


def test_it_says_which_joints_follow_which_wave() -> None:
    data = {"robot": {"preset": "module-snake", "modules": 12}, "gait": {"kind": "joint-wave"}}
    (told,) = (note for note in ll.Scenario.load(data).notes() if "two waves" in note)
    assert told == (
        "gait: of the two waves yaw drives joints 1, 3, 5, .., 11; pitch is 0 and keeps straight joints 2, 4, 6, .., 10"
    )


def test_undulation_goes_ahead_and_sidewinding_goes_sideways() -> None:
    """Ahead is -x, towards the head. The winding body also lifts some of its modules, which slide less."""
    undulate = ll.run("module-snake-undulate", {"duration": 4.0})
    x, y, _ = undulate.summary()["com_displacement"]
    assert undulate.proven and x < -0.2 and abs(y) < 0.1 * abs(x)
    wind = ll.run("module-snake-sidewind", {"duration": 4.0})
    x, y, _ = wind.summary()["com_displacement"]
    assert wind.proven and abs(y) > 0.2 and abs(x) < 0.2 * abs(y)
    height = wind.dataset["position"].values[..., 2]
    assert height.max() > 1.5 * 0.025 and height[-1].min() > 0.9 * 0.025


def test_one_line_swims_too() -> None:
    result = ll.simulate(ll.ModuleSnake(modules=6, joints="yaw"), ll.JointWave(ramp=1.0), ll.Water(), duration=4.0)
    assert result.proven and result.summary()["com_displacement"][0] < -0.01
    turned = quaternion_to_matrix(result.dataset["orientation"].values[-1, 0])
    assert abs(turned[2, 2]) == pytest.approx(1.0, abs=1e-9)


def test_a_uniform_chain_gets_spheres_to_touch_with() -> None:
    chain = ll.Chain.uniform(links=3, length=0.1, contact_radius=0.02)
    for link in chain.links:
        assert [sphere.centre[0] for sphere in link.contact_shapes] == pytest.approx([0.0, 0.1])
    assert not ll.Chain.uniform(links=3).links[0].contact_shapes
