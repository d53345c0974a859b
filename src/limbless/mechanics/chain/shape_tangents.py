"""Joints that follow the shape of a body, with derivatives, or of eight bodies side by side."""

from __future__ import annotations

from limbless.mechanics.chain.shape_to_joints import bend_joints
from limbless.mechanics.compiled import Array, IntArray, array_kernel, as_lanes, dual_view


@array_kernel
def bend_dual_joints(
    shape: Array, yaw_column: IntArray, yaw_sign: Array, pitch_column: IntArray, pitch_sign: Array, joints: Array
) -> None:
    """`bend_joints` on arrays of duals."""
    bend_joints(dual_view(shape), yaw_column, yaw_sign, pitch_column, pitch_sign, dual_view(joints))


@array_kernel
def bend_lane_joints(
    shape: Array, yaw_column: IntArray, yaw_sign: Array, pitch_column: IntArray, pitch_sign: Array, joints: Array
) -> None:
    """`bend_joints` on arrays of lanes."""
    bend_joints(as_lanes(shape), yaw_column, yaw_sign, pitch_column, pitch_sign, as_lanes(joints))
