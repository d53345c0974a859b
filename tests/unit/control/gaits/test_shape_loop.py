"""Loops among shapes as gaits: exact rates, joints and curvature, and shapes that are none."""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation.gait_to_joints import joint_motion

LOOP = ll.ShapeLoop(
    shapes="waves 1", mean=(0.1, 0.0), cos=((0.2, 0.0), (0.0, 0.05)), sin=((0.0, 0.3),), period=2.0, ramp=1.0
)


def test_joints_are_the_basis_times_the_loop_and_rates_are_derivatives() -> None:
    chain, t, h = ll.UniformChain(links=5).build(), np.linspace(0.2, 3.0, 7), 1e-5
    motion, after, before = (joint_motion(chain, LOOP, t + shift) for shift in (0.0, h, -h))
    i = np.arange(1, 5) / 5.0
    late = joint_motion(chain, LOOP, np.array([2.5]))
    w = np.pi * 2.5
    r = 0.1 + 0.2 * np.cos(w), 0.3 * np.sin(w) + 0.05 * np.cos(2.0 * w)
    np.testing.assert_allclose(
        late.position[0], r[0] * np.cos(2.0 * np.pi * i) + r[1] * np.sin(2.0 * np.pi * i), atol=1e-12
    )
    np.testing.assert_allclose(motion.velocity, (after.position - before.position) / (2.0 * h), atol=1e-8)
    np.testing.assert_allclose(motion.acceleration, (after.velocity - before.velocity) / (2.0 * h), atol=1e-7)


def test_a_rod_bends_by_the_same_waves() -> None:
    X = np.linspace(0.0, 0.5, 5)
    slopes = LOOP.changed(length=0.5, ramp=0.0).slope(np.zeros(1), X)
    np.testing.assert_allclose(
        slopes.value[0, :, 0], 0.3 * np.cos(4.0 * np.pi * X) + 0.05 * np.sin(4.0 * np.pi * X), atol=1e-12
    )
    with pytest.raises(ll.InputError, match=r"gait\.length"):
        LOOP.slope(np.zeros(1), X)


def test_loops_that_fit_no_robot_are_refused() -> None:
    with pytest.raises(ll.InputError, match="every row needs 2 numbers"):
        ll.ShapeLoop(cos=((1.0,),))
    with pytest.raises(ll.InputError, match="shapes: write joints"):
        ll.ShapeLoop(shapes="waltz")
    with pytest.raises(ll.InputError, match=r"gait\.mean has 2 numbers"):
        joint_motion(ll.UniformChain(links=5).build(), ll.ShapeLoop(shapes="joints"), np.zeros(1))
