"""`anchorage`: one section held, at rest or in a given motion (paper 000, (27)-(30) with a fixed abscissa)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from limbless.control.gaits.base import Gait
from limbless.core import (
    STENCIL,
    STEP,
    Field,
    Function,
    InputError,
    Listed,
    Nested,
    Quantity,
    call,
    checked,
    of_stencil,
    quantity,
    span,
)
from limbless.environments.base import Array
from limbless.environments.constraint import Constraint, Places
from limbless.mechanics.algebra import Quaternion, quaternion_product, quaternion_to_matrix

Twist = tuple[float, float, float, float, float, float]


class Anchorage(Constraint):
    """A clamp at one section of a rod: an inchworm's foot, or the base of a manipulator.

    The section moves with the twist `twist` + `sway` (2π/T) cos(2π t/T) in its own axes, where T is `period`. By
    default it is at rest. With `motion` it follows your own law g_c(t). `motion(t)` takes times (T,) and returns
    positions (T, 3) in m, or (positions, orientations) with quaternions (T, 4), scalar first. From its pose at the
    beginning of the law, the section moves by g_c(0)⁻¹ g_c(t), along its own axes. The law should be smooth, because
    its rates are eighth-order differences.
    """

    kind: Literal["anchorage"] = "anchorage"
    abscissa: Quantity[float] = quantity(0.0, "m", "abscissa X of the section that is held", ge=0)
    twist: Listed[Twist] = quantity((0.0,) * 6, "m/s, rad/s", "constant twist of the held section, in its own axes")
    sway: Listed[Twist] = quantity(
        (0.0,) * 6, "m, rad", "amplitude of a swaying motion, along each axis of the held section"
    )
    period: Quantity[float] = quantity(1.0, "s", "period T of the sway", gt=0)
    motion: Nested[Function | None] = Field(
        None,
        description="own law of the motion, in place of `twist` and `sway`: the function, "
        "or `package.module:name`, or `file.py:name`",
    )

    @checked
    def _one_motion(self) -> None:
        if self.motion is not None and (any(self.twist) or any(self.sway)):
            raise ValueError("motion: the law takes the place of `twist` and `sway`; give one of them")

    def places(self, gait: Gait, times: Array, length: float) -> Places:
        if self.abscissa > length * (1.0 + 1e-12):
            begins = min((start for start, _ in self.active or ()), default=0.0)
            raise InputError(
                f"anchorage: abscissa {self.abscissa:g} m, where it takes hold at t = {begins:g} s, lies outside the "
                f"body, which is {length:g} m long"
            )
        still = np.zeros((len(times), 1))
        return Places(np.full((len(times), 1), min(self.abscissa, length)), still, still)

    def demands(self, times: Array, places: Places, strain: Array, slope: Array, rate: Array) -> tuple[Array, Array]:
        if self.motion is not None:
            return tuple(part[:, None] for part in self._follow(times))  # type: ignore[return-value]
        w, sway = 2.0 * np.pi / self.period, np.array(self.sway)
        phase = w * times[:, None, None]
        return np.array(self.twist) + sway * w * np.cos(phase), -sway * w * w * np.sin(phase)

    def _follow(self, times: Array) -> tuple[Array, Array]:
        """Twist and its rate (T, 6) of the own law: η = (Rᵀ ṙ, ω) with ω = 2 q* q̇ and ω̇ = 2 q* q̈ (vector parts),
        d(Rᵀ ṙ)/dt = Rᵀ r̈ - ω x v."""
        around = [self._asked(times + k * STEP) for k in STENCIL]
        place, turn = np.stack([r for r, _ in around]), np.stack([q for _, q in around])
        # of two quaternions the nearer
        turn *= np.where((turn * turn[4]).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
        (velocity, acceleration), rates = of_stencil(place), of_stencil(turn)
        back = Quaternion(*np.moveaxis(turn[4] * np.array([1.0, -1.0, -1.0, -1.0]), -1, 0))
        products = (quaternion_product(back, Quaternion(*np.moveaxis(q, -1, 0))) for q in rates)
        spin, spin_rate = (2.0 * np.stack(product[1:], axis=-1) for product in products)
        R = quaternion_to_matrix(turn[4])
        v, v_rate = (np.einsum("tji,tj->ti", R, part) for part in (velocity, acceleration))
        return np.concatenate([v, spin], axis=1), np.concatenate([v_rate - np.cross(spin, v), spin_rate], axis=1)

    def _asked(self, times: Array) -> tuple[Array, Array]:
        """Positions (T, 3) and unit quaternions (T, 4) of the own law."""
        law = self.motion
        answer = np.zeros((len(times), 3)) if law is None else call(law, "anchorage: motion", "(t)", span(times), times)
        upright = np.tile([1.0, 0, 0, 0], (len(times), 1))
        pair = answer if isinstance(answer, tuple) and len(answer) == 2 else (answer, upright)
        place, turn = np.asarray(pair[0], dtype=np.float64), np.asarray(pair[1], dtype=np.float64)
        size = np.linalg.norm(turn, axis=-1, keepdims=True)
        shaped = place.shape == (len(times), 3) and turn.shape == (len(times), 4)
        if not shaped or not np.isfinite([place.sum(), turn.sum()]).all() or (size == 0.0).any():
            raise InputError(
                f"anchorage: motion {getattr(law, '__name__', '?')} must return finite positions of shape "
                f"({len(times)}, 3), or a tuple of positions and quaternions of shape ({len(times)}, 4); it returned "
                f"shapes {place.shape} and {turn.shape}"
            )
        return place, turn / size
