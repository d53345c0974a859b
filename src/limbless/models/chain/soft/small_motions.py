"""Small motions of a soft body about a posture of a run: which there are, and how the body looks as it swings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.chain import COMMANDS
from limbless.models.base import State
from limbless.models.chain.soft.linearisation import MOVES, displaced

if TYPE_CHECKING:
    from limbless.control.gaits.base import Gait
    from limbless.models.chain.soft.soft_model import Soft

Array = NDArray[np.float64]
_TRIED = 1e-4  # of the coordinates: how far a shape is tried to find out how large it is


class SmallMotions:
    """Modes about the posture of a state, at rest, under what the gait gives at its time.

    Attributes
    ----------
    time : of the state, s.
    frequency, damping_ratio, shape : as `Soft.linearise` has them, without rigid motions, the lowest first.
    """

    def __init__(self, model: Soft, gait: Gait, state: State) -> None:
        self._model, self.time = model, float(state.time)
        self._x = state.x.copy()
        self._x[model._split : model._split + 6 + model.freedoms] = 0.0
        self._drive = model.drive(gait, np.full(3, state.time))
        held: dict[str, Any] = {"tension": 0.0}
        if model.tendons:
            value, _, how = model.strung.commands(gait, np.array([state.time]))
            held = (
                {"length": value[0]}
                if how == COMMANDS.length
                else {"tension": value[0] / (model.strung.radius if how == COMMANDS.torque else 1.0)}
            )
        modes = model.linearise(self._x, time=state.time, **held)
        swings = modes.frequency > 0.0
        self.frequency, self.damping_ratio = modes.frequency[swings], modes.damping_ratio[swings]
        self.shape = modes.shape[swings]

    def posture(self, direction: Array) -> tuple[Array, Array]:
        """Positions (sections, 3), m, and quaternions of the sections, moved along the coordinates of the shapes."""
        model = self._model
        base = list(MOVES[model.plan.base])
        free = np.setdiff1d(np.arange(model.freedoms), model._given)
        moved = displaced(self._x, model._split, base, free, direction, rates=False)
        knots = np.full(2, self.time)
        _, records, _ = model.advance(State(self.time, moved), knots, np.array([True, False]), self._drive)
        found = model.variables(records)
        return found["position"][0], found["orientation"][0]

    def swing(self, number: int, reach: float, count: int) -> list[tuple[Array, Array]]:
        """`count` postures of one swing of a mode, in which no section goes farther than about `reach`, m."""
        still, _ = self.posture(np.zeros(self.shape.shape[1]))
        shape = self.shape[number] / np.abs(self.shape[number]).max()
        ways = [self.posture(_TRIED * part)[0] - still for part in (np.real(shape), np.imag(shape))]
        farthest = np.sqrt(sum((way**2).sum(axis=-1) for way in ways)).max()
        factor = _TRIED * reach / max(float(farthest), np.finfo(float).tiny)
        phases = 2.0 * np.pi * np.arange(count) / count
        return [self.posture(factor * np.real(shape * np.exp(1j * phase))) for phase in phases]
