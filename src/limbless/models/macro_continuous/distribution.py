"""The resultant of the contacts shared among them: the smallest forces that give it (paper 000, (58)), or the smallest that only push."""
from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.environments.support import Support
from limbless.errors import InputError
from limbless.mechanics.rod import adjoint_matrices
from limbless.models.macro_continuous.contacts import RANK, ContactSet, Slots

Array = NDArray[np.float64]


class Shared(NamedTuple):
    """Forces of the contacts at R instants."""

    wrench: Array          # (R, P, 6) along the section's axes
    about_head: Array      # (R, P, 6)
    singular: Array        # (R, free components) singular values of the map from forces to their resultant, largest first


def share(contacts: ContactSet, slots: list[Slots], pose: Array, strain: Array, present: NDArray[np.bool_], resultant: Array,
          times: Array) -> Shared:
    """Contact forces along the guided components whose resultant about the head is given (R, 6).

    Minimum norm, with couples made comparable with forces by a length and each contact's share weighted. Components of the resultant
    that the base holds (a planar base holds the rest) are left to it.
    """
    guided = contacts.guided(slots)
    unit = np.ones(guided.shape)
    sides = np.zeros((len(pose), *guided.shape))
    for item, columns in slots:
        length = getattr(item, "couple_length", None) or contacts._radius
        unit[columns, 3:] = length
        unit[columns] *= np.sqrt(item.weights(columns.stop - columns.start))[:, None]
        if isinstance(item, Support):
            sides[:, columns, 1] = item.sides(strain[:, columns, 5])
    carry = adjoint_matrices(pose).swapaxes(-1, -2)                                # section wrench -> about the head: Ad_h⁻ᵀ
    columns_of = carry * (unit * guided)[:, None, :] * present[..., None, None]    # (R, P, 6 rows, 6 components)
    A = columns_of.transpose(0, 2, 1, 3).reshape(len(pose), 6, guided.size)[:, contacts.free]
    scale = np.where(np.arange(6) < 3, 1.0, 1.0 / contacts.rod.length)[contacts.free]
    A, b = A * scale[:, None], resultant[:, contacts.free] * scale
    left, singular, right = np.linalg.svd(A, full_matrices=False)
    conditioning = singular[:, -1] / np.maximum(singular[:, 0], 1e-300)
    if (conditioning < RANK).any():
        i = int(np.argmax(conditioning < RANK))
        raise InputError(f"the contacts at t = {times[i]:g} s cannot carry every force: their lines of action meet in one point or are "
                         f"parallel "
                         f"(a straight or circular body; singular values {np.array2string(singular[i], precision=3)}); add or move a "
                         f"contact")
    forces = one_sided(A, b, sides.reshape(len(pose), -1), times) if sides.any() else _smallest(left, singular, right, b)
    wrench = forces.reshape(len(pose), *guided.shape) * unit * guided * present[..., None]
    return Shared(wrench, (carry @ wrench[..., None])[..., 0], singular)


def _smallest(left: Array, singular: Array, right: Array, b: Array) -> Array:
    """The smallest x with A x = b, from the singular value decomposition of A (R, n, N), none of whose values is zero."""
    along = (left.swapaxes(1, 2) @ b[..., None])[..., 0] / singular
    return np.asarray((right.swapaxes(1, 2) @ along[..., None])[..., 0])


def one_sided(A: Array, b: Array, sides: Array, times: Array) -> Array:
    """Forces (R, N) that push only to the side given by a sign (R, N), 0 for both; refused where none have the resultant."""
    from scipy.optimize import lsq_linear

    out = np.zeros(sides.shape)
    for i in range(len(A)):
        used = np.abs(A[i]).max(axis=0) > 0.0
        sign = np.where(sides[i, used] == 0.0, 1.0, sides[i, used])
        low = np.where(sides[i, used] == 0.0, -np.inf, 0.0)
        answer = lsq_linear(A[i][:, used] * sign, b[i], bounds=(low, np.inf), method="bvls", tol=1e-14)
        if np.linalg.norm(A[i][:, used] * sign @ answer.x - b[i]) > 1e-8 * max(float(np.linalg.norm(b[i])), 1e-9):
            raise InputError(f"supports that only push cannot carry the body at t = {times[i]:g} s: no pushing forces have the resultant "
                             f"that "
                             "its motion takes; add supports, on both sides, or set pushes: both")
        out[i, used] = sign * answer.x
    return out
