"""Contacts that leave a body loose, or that cannot all hold it: refused with the time, the place and what to try."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, InputError
from limbless.environments.constraint import Constraint

_LOOSE = 1e-12  # of the largest eigenvalue: a motion that the contacts do not see


class Slip(InputError):
    """Contacts that cannot all hold."""


def refuse_locked(item: Constraint, given: Array, free: NDArray[np.bool_], base: str, times: Array) -> None:
    """Refuse a twist (E, P, 6) that a contact asks of its sections along components that the base cannot move in."""
    asked = np.abs(given[..., list(item.guided)][..., ~free[list(item.guided)]]).max(axis=(1, 2), initial=0.0)
    if asked.max(initial=0.0) > 1e-9 * max(float(np.abs(given).max(initial=0.0)), 1e-9):
        when = times[int(np.argmax(asked > 0.0))]
        raise InputError(
            f"environment {item.kind!r} moves its section at t = {when:g} s in a way that a base "
            f"{base!r} cannot; give a motion within it, or set robot.base to 'free'"
        )


def refuse_loose(normal: Array, times: Array, place: Array, active: NDArray[np.bool_], whole: bool) -> None:
    """Refuse where the matrices (E, n, n) of the normal equations do not determine the motion; contacts at `place`
    (E, P) where active.
    """
    doubtful = np.flatnonzero(~_surely_held(normal))
    values = np.linalg.eigvalsh(normal[doubtful])
    loose = values[:, 0] <= _LOOSE * values[:, -1]
    if not loose.any():
        return
    first = int(np.argmax(loose))
    i = int(doubtful[first])
    if values[first, -1] == 0.0:
        raise InputError(
            f"nothing holds the body at t = {times[i]:g} s; give a contact that acts then, or remove all contacts to "
            "let it move freely"
        )
    where = "the whole body" if whole else f"X = {', '.join(f'{x:.3g}' for x in place[i, active[i]])} m"
    raise InputError(
        f"the contacts at t = {times[i]:g} s ({where}) leave the body free to slide: it is straight or circular, or "
        "they are too few; add a contact, or bend the body"
    )


def _surely_held(normal: Array) -> NDArray[np.bool_]:
    """Whether the determinant alone shows that no eigenvalue is too small: all others together are at most (trace /
    (n - 1))^(n - 1).
    """
    others = normal.shape[-1] - 1
    trace = np.maximum(np.trace(normal, axis1=1, axis2=2), 1e-300)
    return np.asarray(np.linalg.det(normal / trace[:, None, None]) * float(others) ** others > _LOOSE)


def refuse_slip(residual: Array, tolerance: float, times: Array, place: Array, worst: NDArray[np.int64]) -> None:
    """Refuse a relative slip (E,) above the tolerance. `worst` (E,) says which of the sections at
    `place` (E, N) slips most.
    """
    if residual.max(initial=0.0) <= tolerance:
        return
    i = int(np.argmax(residual > tolerance))
    raise Slip(
        f"the contacts at t = {times[i]:g} s cannot all hold: the body would slip at {residual[i]:.2g} of its speed at "
        f"X = {place[i, worst[i]]:.3g} m (model.slip_tolerance: {tolerance:g}); the gait does not let every section "
        "follow the one before, or the contacts move apart, or model.cells are too few for the length of the body and "
        "so fine a curve (the slip then falls with more)"
    )
