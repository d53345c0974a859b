"""From the shape of a body to its joints, compiled and generic in the scalar."""
from __future__ import annotations

from limbless.mechanics.kernel import kernel


@kernel
def bend_joints(shape, channel, columns, signs, joints):
    """Add the differences of heading (channel 0) or elevation (1) from station to station to the joint columns that take them.

    shape (T, S, 2), joints (T, freedoms); column -1 takes nothing.
    """
    for i in range(shape.shape[0]):
        for j in range(columns.shape[0]):
            if columns[j] >= 0:
                joints[i, columns[j]] += signs[j] * (shape[i, j + 1, channel] - shape[i, j, channel])
