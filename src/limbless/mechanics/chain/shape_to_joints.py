"""From the shape of a body to its joints.

Joints follow the shape of one body, of eight side by side, or of one with derivatives: all of it is linear.
"""

from __future__ import annotations

from limbless.mechanics.compiled import Array, IntArray, array_kernel


@array_kernel
def bend_joints(
    shape: Array, yaw_column: IntArray, yaw_sign: Array, pitch_column: IntArray, pitch_sign: Array, joints: Array
) -> None:
    """Differences of heading (channel 0) and elevation (1) from station to station, summed in the joint columns that
    take them.

    shape (T, S, 2, words), joints (T, freedoms, words); column -1 takes nothing.
    """
    for i in range(shape.shape[0]):
        for w in range(shape.shape[3]):
            for c in range(joints.shape[1]):
                joints[i, c, w] = 0.0
            for j in range(yaw_column.shape[0]):
                if yaw_column[j] >= 0:
                    joints[i, yaw_column[j], w] += yaw_sign[j] * (shape[i, j + 1, 0, w] - shape[i, j, 0, w])
                if pitch_column[j] >= 0:
                    joints[i, pitch_column[j], w] += pitch_sign[j] * (shape[i, j + 1, 1, w] - shape[i, j, 1, w])
