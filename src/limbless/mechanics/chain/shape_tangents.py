"""Joints that follow the shape of a body, with derivatives, or of eight bodies side by side."""

from __future__ import annotations

from limbless.mechanics.chain.shape_to_joints import bend_joints
from limbless.mechanics.compiled.arrays import as_duals
from limbless.mechanics.compiled.kernel import array_kernel
from limbless.mechanics.compiled.lanes import as_lanes


@array_kernel
def bend_dual_joints(shape, yaw_column, yaw_sign, pitch_column, pitch_sign, joints):
    """`bend_joints` on arrays of duals."""
    bend_joints(as_duals(shape), yaw_column, yaw_sign, pitch_column, pitch_sign, as_duals(joints))


@array_kernel
def bend_lane_joints(shape, yaw_column, yaw_sign, pitch_column, pitch_sign, joints):
    """`bend_joints` on arrays of lanes."""
    bend_joints(as_lanes(shape), yaw_column, yaw_sign, pitch_column, pitch_sign, as_lanes(joints))
