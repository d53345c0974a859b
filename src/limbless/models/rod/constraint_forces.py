"""The resultant of the contacts shared among them: the smallest forces that give it (paper 000, (58)), or the
smallest that only push.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, InputError
from limbless.environments.support import Support
from limbless.mechanics.compiled import kernel_array
from limbless.mechanics.contact import nonnegative_least_norm
from limbless.mechanics.rod.magnus import adjoint_matrices
from limbless.models.rod.constraint_set import RANK, ConstraintSet, Group

EASY = 1e-3
"""Smallest over largest singular value, above which their squares serve."""


class Shared(NamedTuple):
    """Forces of the contacts at R instants."""

    wrench: Array  # (R, P, 6) along the section's axes
    about_head: Array  # (R, P, 6)
    # (R, free components) singular values of the map from forces to their resultant, largest first
    singular: Array


def share(
    contacts: ConstraintSet,
    groups: list[Group],
    pose: Array,
    strain: Array,
    present: NDArray[np.bool_],
    resultant: Array,
    times: Array,
) -> Shared:
    """Contact forces along the guided components whose resultant about the head is given (R, 6).

    Minimum norm, with couples made comparable with forces by a length and each contact's share weighted. Components of
    the resultant that the base holds (a planar base holds the rest) are left to it.
    """
    guided = contacts.guided(groups)
    unit = np.ones(guided.shape)
    sides = np.zeros((len(pose), *guided.shape))
    for item, columns in groups:
        length = item.couple_length if isinstance(item, Support) else None
        unit[columns, 3:] = length or contacts._radius
        unit[columns] *= np.sqrt(item.weights(columns.stop - columns.start))[:, None]
        sides[:, columns] = item.sides(strain[:, columns])
    # section wrench -> about the head: Ad_h⁻ᵀ
    carry = adjoint_matrices(pose).swapaxes(-1, -2)
    columns_of = carry * (unit * guided)[:, None, :] * present[..., None, None]  # (R, P, 6 rows, 6 components)
    A = columns_of.transpose(0, 2, 1, 3).reshape(len(pose), 6, guided.size)[:, contacts.free]
    scale = np.where(np.arange(6) < 3, 1.0, 1.0 / contacts.rod.length)[contacts.free]
    A, b = A * scale[:, None], resultant[:, contacts.free] * scale
    left, singular, right = principal(A)
    conditioning = singular[:, -1] / np.maximum(singular[:, 0], 1e-300)
    if (conditioning < RANK).any():
        i = int(np.argmax(conditioning < RANK))
        raise InputError(
            f"the contacts at t = {times[i]:g} s cannot carry every force: their lines of action meet in one point or "
            f"are parallel (a straight or circular body; singular values {np.array2string(singular[i], precision=3)}); "
            "add or move a contact"
        )
    # A x = b is V x = Σ⁻¹ Uᵀ b, with orthonormal rows of V
    along = (left.swapaxes(1, 2) @ b[..., None])[..., 0] / singular
    if sides.any():
        forces = one_sided(right, along, sides.reshape(len(pose), -1), times)
    else:
        forces = (right.swapaxes(1, 2) @ along[..., None])[..., 0]
    wrench = forces.reshape(len(pose), *guided.shape) * unit * guided * present[..., None]
    return Shared(wrench, (carry @ wrench[..., None])[..., 0], singular)


def principal(A: Array) -> tuple[Array, Array, Array]:
    """Singular value decomposition of wide matrices (R, n, N): by the eigenvalues of A Aᵀ, a third of the time, where
    these leave ten digits to the smallest.
    """
    squares, left = np.linalg.eigh(A @ A.swapaxes(1, 2))
    if not (squares[:, 0] > EASY**2 * squares[:, -1]).all():
        return np.linalg.svd(A, full_matrices=False)
    left, singular = left[..., ::-1], np.sqrt(squares[:, ::-1])
    return left, singular, (left.swapaxes(1, 2) @ A) / singular[..., None]


def one_sided(V: Array, c: Array, sides: Array, times: Array) -> Array:
    """The smallest forces x (R, N) with V x = c that push only to the side given by a sign (R, N), 0 for both; refused
    where none do.

    V : (R, n, N) with orthonormal rows. c : (R, n).
    """
    sign = np.where(sides == 0.0, 1.0, sides)
    forces, solved = np.zeros(sides.shape), np.zeros(len(V), dtype=bool)
    nonnegative_least_norm(kernel_array(V * sign[:, None]), kernel_array(c), sides != 0.0, forces, solved)
    left = np.linalg.norm((V @ (sign * forces)[..., None])[..., 0] - c, axis=1)
    solved &= left <= 1e-8 * np.maximum(np.linalg.norm(c, axis=1), 1e-9)
    if not solved.all():
        raise InputError(
            f"supports that only push cannot carry the body at t = {times[int(np.argmin(solved))]:g} s: no pushing "
            "forces have the resultant that its motion takes; add supports, on both sides, or set pushes: both"
        )
    return sign * forces
