"""What an actuation states, as numbers for each degree of freedom."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from limbless.control.actuation import Actuation, ProportionalDerivative
from limbless.core import Array, InputError


def feedback_gains(
    actuation: ProportionalDerivative, freedoms: int, inertia: Callable[[], Array]
) -> tuple[Array, Array, Array]:
    """Gains on position, rate and acceleration, as stated; what is not stated follows from the inertia J of each joint.

    Neither stated: 2ω²J, 4ωJ and J, so that a joint that has its J to turn obeys ë + 2ω ė + ω² e = 0. One of the two
    stated: the other makes the damping critical, K J = (D/2)².
    """
    stiffness, damping = actuation.stiffness, actuation.damping
    K = None if stiffness is None else one_each(stiffness, freedoms, "stiffness")
    D = None if damping is None else one_each(damping, freedoms, "damping")
    if K is not None and D is not None:
        return K, D, np.zeros(freedoms)
    J = inertia()
    if K is not None:
        return K, 2.0 * np.sqrt(K * J), np.zeros(freedoms)
    if D is not None:
        return np.divide(0.25 * D**2, J, out=np.zeros(freedoms), where=J > 0.0), D, np.zeros(freedoms)
    return 2.0 * actuation.bandwidth**2 * J, 4.0 * actuation.bandwidth * J, J


def refuse_feedforward(actuation: Actuation, model: str) -> None:
    """Inverse dynamics within a step are at hand in one model only."""
    if getattr(actuation, "feedforward", False):
        raise InputError(
            f"actuation.feedforward: the {model} model adds no torques of inverse dynamics; leave it out, or set "
            "model.kind to newton-euler"
        )


def one_each(values: float | tuple[float, ...], count: int, name: str) -> Array:
    gains = np.atleast_1d(np.array(values, dtype=np.float64))
    if len(gains) == 0 or count % len(gains):
        raise InputError(
            f"actuation.{name}: give one number, {count} (one per joint), or a pattern that repeats along them; got "
            f"{len(gains)}"
        )
    if (gains < 0).any() or (name == "saturation" and (gains == 0).any()):
        must = "must be positive" if name == "saturation" else "gains must not be negative"
        raise InputError(f"actuation.{name}: {must}; got {gains.min():g}")
    return np.tile(gains, count // len(gains))
