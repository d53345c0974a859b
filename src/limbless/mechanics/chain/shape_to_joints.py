"""From the shape of a body to its joints, compiled and generic in the scalar.

Joints that follow the shape of a body, with derivatives, or of eight bodies side by side.
"""

from __future__ import annotations

from limbless.mechanics.compiled import Array, IntArray, array_kernel, unpack_duals, unpack_lanes


@array_kernel
def bend_joints(
    shape: Array, yaw_column: IntArray, yaw_sign: Array, pitch_column: IntArray, pitch_sign: Array, joints: Array
) -> None:
    """Differences of heading (channel 0) and elevation (1) from station to station, summed in the joint columns that
    take them.

    shape (T, S, 2), joints (T, freedoms); column -1 takes nothing.
    """
    for i in range(shape.shape[0]):
        for c in range(joints.shape[1]):
            joints[i, c] = 0.0 * shape[i, 0, 0]
        for j in range(yaw_column.shape[0]):
            if yaw_column[j] >= 0:
                joints[i, yaw_column[j]] += yaw_sign[j] * (shape[i, j + 1, 0] - shape[i, j, 0])
            if pitch_column[j] >= 0:
                joints[i, pitch_column[j]] += pitch_sign[j] * (shape[i, j + 1, 1] - shape[i, j, 1])


@array_kernel
def bend_dual_joints(
    shape: Array, yaw_column: IntArray, yaw_sign: Array, pitch_column: IntArray, pitch_sign: Array, joints: Array
) -> None:
    """`bend_joints` on arrays of duals."""
    bend_joints(unpack_duals(shape), yaw_column, yaw_sign, pitch_column, pitch_sign, unpack_duals(joints))


@array_kernel
def bend_lane_joints(
    shape: Array, yaw_column: IntArray, yaw_sign: Array, pitch_column: IntArray, pitch_sign: Array, joints: Array
) -> None:
    """`bend_joints` on arrays of lanes."""
    bend_joints(unpack_lanes(shape), yaw_column, yaw_sign, pitch_column, pitch_sign, unpack_lanes(joints))
