"""Named tuples in a flat array, from a place on; what fills and copies flat arrays."""

from __future__ import annotations

from limbless.mechanics.algebra import Quaternion, Twist, Vector, Wrench
from limbless.mechanics.compiled import Array, Scalar, func


@func
def fill(array: Array, number: Scalar) -> None:
    """The same number everywhere."""
    for i in range(array.shape[0]):
        array[i] = number


@func
def copy(source: Array, target: Array) -> None:
    """The first numbers of an array, as many as the other one holds."""
    for i in range(target.shape[0]):
        target[i] = source[i]


@func
def copy_part(source: Array, i: int, target: Array, j: int, count: int) -> None:
    """`count` numbers, from number i of one array to number j of another."""
    for c in range(count):
        target[j + c] = source[i + c]


@func
def vector_at(array: Array, i: int) -> Vector:
    """Three consecutive numbers of a flat array."""
    return Vector(array[i], array[i + 1], array[i + 2])


@func
def put_vector_at(array: Array, i: int, v: Vector) -> None:
    array[i], array[i + 1], array[i + 2] = v


@func
def quaternion_at(array: Array, i: int) -> Quaternion:
    """Four consecutive numbers of a flat array, the scalar first."""
    return Quaternion(array[i], array[i + 1], array[i + 2], array[i + 3])


@func
def put_quaternion_at(array: Array, i: int, q: Quaternion) -> None:
    array[i], array[i + 1], array[i + 2], array[i + 3] = q


@func
def twist_at(array: Array, i: int) -> Twist:
    return Twist(vector_at(array, i), vector_at(array, i + 3))


@func
def wrench_at(array: Array, i: int) -> Wrench:
    return Wrench(vector_at(array, i), vector_at(array, i + 3))


@func
def put_pair_at(array: Array, i: int, pair: Twist | Wrench) -> None:
    """Store a twist or a wrench in a flat array."""
    first, second = pair
    put_vector_at(array, i, first)
    put_vector_at(array, i + 3, second)
