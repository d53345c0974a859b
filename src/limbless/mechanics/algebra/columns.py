"""Reading and writing named tuples in the columns of an array: `get_vector(array, k, COLUMN)`."""
from __future__ import annotations

import numpy as np

from limbless.mechanics.algebra.inertia import Inertia, Twist, Wrench
from limbless.mechanics.algebra.lie import Quaternion
from limbless.mechanics.algebra.vectors import Matrix, Symmetric, Vector
from limbless.mechanics.compiled.kernel import inline

# Where every model keeps the state of a body in its row of a work array: rotation (9), origin (3), velocity (6), along the world axes
BODY_ROTATION, BODY_ORIGIN, BODY_VELOCITY = np.array([0, 9, 12])


@inline
def get_vector(array, k, column):
    return Vector(array[k, column], array[k, column + 1], array[k, column + 2])


@inline
def get_twist(array, k, column):
    return Twist(get_vector(array, k, column), get_vector(array, k, column + 3))


@inline
def get_wrench(array, k, column):
    return Wrench(get_vector(array, k, column), get_vector(array, k, column + 3))


@inline
def get_matrix(array, k, column):
    return Matrix(get_vector(array, k, column), get_vector(array, k, column + 3), get_vector(array, k, column + 6))


@inline
def get_symmetric(array, k, column):
    return Symmetric(array[k, column], array[k, column + 1], array[k, column + 2],
                     array[k, column + 3], array[k, column + 4], array[k, column + 5])


@inline
def get_inertia(array, k, column):
    """A 6 x 6 inertia in 21 columns: M (6), H (9), J (6)."""
    return Inertia(get_symmetric(array, k, column), get_matrix(array, k, column + 6), get_symmetric(array, k, column + 15))


@inline
def put_vector(array, k, column, v):
    array[k, column], array[k, column + 1], array[k, column + 2] = v


@inline
def put_pair(array, k, column, pair):
    """Store a twist or a wrench."""
    first, second = pair
    put_vector(array, k, column, first)
    put_vector(array, k, column + 3, second)


@inline
def put_matrix(array, k, column, A):
    put_vector(array, k, column, A.x)
    put_vector(array, k, column + 3, A.y)
    put_vector(array, k, column + 6, A.z)


@inline
def put_symmetric(array, k, column, S):
    (array[k, column], array[k, column + 1], array[k, column + 2],
     array[k, column + 3], array[k, column + 4], array[k, column + 5]) = S


@inline
def vector_at(array, i):
    """Three consecutive numbers of a flat array."""
    return Vector(array[i], array[i + 1], array[i + 2])


@inline
def put_vector_at(array, i, v):
    array[i], array[i + 1], array[i + 2] = v


@inline
def quaternion_at(array, i):
    """Four consecutive numbers of a flat array, the scalar first."""
    return Quaternion(array[i], array[i + 1], array[i + 2], array[i + 3])


@inline
def put_quaternion_at(array, i, q):
    array[i], array[i + 1], array[i + 2], array[i + 3] = q


@inline
def wrench_at(array, i):
    """Six consecutive numbers of a flat array: force, torque."""
    return Wrench(vector_at(array, i), vector_at(array, i + 3))


@inline
def twist_at(array, i):
    return Twist(vector_at(array, i), vector_at(array, i + 3))


@inline
def put_pair_at(array, i, pair):
    """Store a twist or a wrench in a flat array."""
    first, second = pair
    put_vector_at(array, i, first)
    put_vector_at(array, i + 3, second)


@inline
def inertia_at(array, i):
    """A 6 x 6 inertia in 21 consecutive numbers of a flat array: M (6), H (9), J (6)."""
    return Inertia(symmetric_at(array, i), Matrix(vector_at(array, i + 6), vector_at(array, i + 9), vector_at(array, i + 12)),
                   symmetric_at(array, i + 15))


@inline
def put_inertia_at(array, i, I):
    put_symmetric_at(array, i, I.M)
    put_vector_at(array, i + 6, I.H.x)
    put_vector_at(array, i + 9, I.H.y)
    put_vector_at(array, i + 12, I.H.z)
    put_symmetric_at(array, i + 15, I.J)


@inline
def symmetric_at(array, i):
    return Symmetric(array[i], array[i + 1], array[i + 2], array[i + 3], array[i + 4], array[i + 5])


@inline
def put_symmetric_at(array, i, S):
    array[i], array[i + 1], array[i + 2], array[i + 3], array[i + 4], array[i + 5] = S
