"""Rotations of arrays of any leading shape, in NumPy: for results and figures, which need no compiled code.

Unit quaternions are scalar first; a quaternion or matrix takes body axes to world axes. `lie` has the same for kernels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from limbless.core import Array


def _cross(a: Array, b: Array) -> Array:
    """Vector products of arrays (..., 3); `np.cross` spends most of its time on axes."""
    (a0, a1, a2), (b0, b1, b2) = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


def rotate(quaternion: ArrayLike, vector: ArrayLike) -> Array:
    """Vectors (..., 3) turned by unit quaternions (..., 4): v + 2 w (u x v) + 2 u x (u x v)."""
    quaternion, vector = np.asarray(quaternion, dtype=float), np.asarray(vector, dtype=float)
    scalar, axis = quaternion[..., :1], quaternion[..., 1:]
    turned = 2.0 * _cross(axis, vector)
    return vector + scalar * turned + _cross(axis, turned)


def quaternion_to_matrix(quaternion: ArrayLike) -> Array:
    """Rotation matrices (..., 3, 3) of unit quaternions (..., 4); the columns are the turned axes."""
    columns = rotate(np.asarray(quaternion, dtype=float)[..., None, :], np.eye(3))
    return np.ascontiguousarray(np.swapaxes(columns, -1, -2))


def matrix_to_quaternion(matrix: ArrayLike) -> Array:
    """Unit quaternions (..., 4) with w >= 0 of rotation matrices (..., 3, 3).

    The table K below holds 4 q qᵀ. Any of its rows gives q up to scale; the one with the largest diagonal entry is
    accurate at every angle (Shepperd's choice).
    """
    R = np.moveaxis(np.asarray(matrix, dtype=float), (-2, -1), (0, 1))
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R
    K = np.array(
        [
            [1 + xx + yy + zz, zy - yz, xz - zx, yx - xy],
            [zy - yz, 1 + xx - yy - zz, xy + yx, xz + zx],
            [xz - zx, xy + yx, 1 - xx + yy - zz, yz + zy],
            [yx - xy, xz + zx, yz + zy, 1 - xx - yy + zz],
        ]
    )
    largest = np.argmax(np.einsum("ii...->i...", K), axis=0)
    q = np.moveaxis(np.take_along_axis(K, largest[None, None], axis=0)[0], 0, -1)
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return np.where(q[..., :1] < 0.0, -q, q)


def rotation_vector_to_quaternion(vector: ArrayLike) -> Array:
    """Unit quaternions (..., 4) of rotation vectors (..., 3), whose length is the angle (rad)."""
    vector = np.asarray(vector, dtype=float)
    half = 0.5 * np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * vector], axis=-1)


def quaternion_to_rotation_vector(quaternion: ArrayLike) -> Array:
    """Rotation vectors (..., 3) of unit quaternions (..., 4): the shortest way, with an angle of at most π."""
    quaternion = np.asarray(quaternion, dtype=float)
    quaternion = np.where(quaternion[..., :1] < 0.0, -quaternion, quaternion)
    scalar, axis = quaternion[..., :1], quaternion[..., 1:]
    sine = np.linalg.norm(axis, axis=-1, keepdims=True)
    turning = sine > 0.0
    return 2.0 * axis * np.where(turning, np.arctan2(sine, scalar) / np.where(turning, sine, 1.0), 1.0)
