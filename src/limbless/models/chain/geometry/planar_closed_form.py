"""The planar chain in closed form: Christoffel symbols in O(n²), exact.

All joints turn about the normal of the plane, so a body's heading is a sum of joint angles, and each of its points is a
sum of levers turned by headings. Vectors of the plane are complex numbers: the lever W_ik of body i along the heading
of body k is the arm to the next joint (k < i) or to its own centre of mass (k = i).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, InputError
from limbless.robots.chain import Chain

_FLAT = 1e-12


class Levers(NamedTuple):
    """The constants of a planar chain."""

    coupling: NDArray[np.complex128]  # (bodies, bodies) A_kl = sum_i m_i conj(W_ik) W_il, kg m2
    moment: NDArray[np.complex128]  # (bodies,) B_l = sum_i m_i W_il, kg m


def levers(chain: Chain) -> Levers:
    """The constants of a chain whose joints all turn about z of its base, in the plane x-y."""
    arrays = chain.arrays()
    turns = (arrays.joint_kind[1:] == 1) & (np.abs(arrays.axis[1:] - [0.0, 0.0, 1.0]).max(axis=1, initial=0.0) < _FLAT)
    if not turns.all():
        row = int(np.argmin(turns))
        raise InputError(
            f"the planar form needs every joint to turn about +z; joint {chain.joint_names[row]!r} does not: use "
            "form='general'"
        )
    bodies = chain.bodies()
    arm = arrays.arm[:, 0] + 1j * arrays.arm[:, 1]
    first = bodies.moment[:, 0] + 1j * bodies.moment[:, 1]
    heavy = bodies.mass > 0.0
    centre = np.where(heavy, first / np.where(heavy, bodies.mass, 1.0), 0.0)
    lever = np.tril(np.tile(np.roll(arm, -1), (len(arm), 1)), -1) + np.diag(centre)
    return Levers(np.einsum("i,ik,il->kl", bodies.mass, lever.conj(), lever), bodies.mass @ lever)


def _beyond(values: NDArray, axes: tuple[int, ...]) -> NDArray:
    """Sums from an index to the end."""
    for axis in axes:
        values = np.flip(np.cumsum(np.flip(values, axis), axis), axis)
    return values


def planar_rows(constants: Levers, x: Array) -> Array:
    """Rows D[p, k], such that Gamma_ijk = D[max(i, j), k] for i, j >= 3 (numbered from 1)
    and 0 else: (joints + 1, n).
    """
    turned = np.exp(1j * np.cumsum(x[2:]))
    sine = (constants.coupling * np.conj(turned)[:, None] * turned[None, :]).imag  # A_kl sin(theta_l - theta_k)
    first = _beyond(constants.moment * turned, (0,))
    return np.concatenate([-first.real[:, None], -first.imag[:, None], _beyond(sine, (0, 1))], axis=1)


def planar_christoffel(constants: Levers, x: Array) -> Array:
    """All symbols Gamma_ijk, k lowered, (n, n, n)."""
    rows, count = planar_rows(constants, x), len(x)
    symbols = np.zeros((count, count, count))
    symbols[2:, 2:] = rows[np.maximum.outer(np.arange(count - 2), np.arange(count - 2))]
    return symbols
