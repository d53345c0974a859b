"""`Contact`: what all constraints on a rod share. They decide its net motion, and the forces that this takes are a result."""
from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np
from pydantic import model_validator

from limbless.description import quantity
from limbless.environments.base import Array, Environment
from limbless.errors import InputError

if TYPE_CHECKING:
    from limbless.gaits.base import Gait


class Places(NamedTuple):
    """Where contacts are at T times: abscissa (T, P) in m, and its two rates."""

    place: Array
    speed: Array
    acceleration: Array


class Contact(Environment):
    """A constraint on some components of a section's twist, in its own axes; the force acts along the same components."""

    role: ClassVar[str] = "constraint"
    guided: ClassVar[tuple[int, ...]] = (0, 1, 2, 3, 4, 5)
    travels: ClassVar[bool] = False
    """Whether places are found by following the body (`Support`), and not from the gait."""
    slides: ClassVar[bool] = False
    """Whether the body slips along what holds it: `contact_state` 2 in place of 1."""
    repeat: float | None = quantity(None, "s", "the windows of `active` come again after this time; once if absent", gt=0)
    weight: float | tuple[float, ...] = quantity(1.0, "1", "share of the force of each contact, relative to others: one, or one each")

    @model_validator(mode="after")
    def _windows_repeat(self) -> Contact:
        if self.repeat is not None and not self.active:
            raise ValueError("repeat: give the windows `active` that come again")
        if not np.min(self.weight, initial=np.inf) > 0 or not np.all(np.isfinite(self.weight)) or self.weight == ():
            raise ValueError(f"weight: must be positive; got {self.weight}")
        return self

    def weights(self, columns: int) -> Array:
        """Share of each of its contacts (columns,); as many numbers as contacts, where it is not one for all."""
        if isinstance(self.weight, tuple) and len(self.weight) != columns:
            raise InputError(f"{getattr(self, 'kind', '?')}: weight needs one number, or one for each of its {columns} contacts; got "
                             f"{len(self.weight)}")
        return np.broadcast_to(np.array(self.weight, dtype=np.float64), columns)

    def open_at(self, times: Array) -> np.ndarray:
        """Whether it acts at each time."""
        if not self.active:
            return np.ones(len(times), dtype=bool)
        moment = times if self.repeat is None else np.mod(times, self.repeat)
        return np.any([(start <= moment) & (moment < end) for start, end in self.active], axis=0)

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Every time in (start, end) at which it takes hold or lets go."""
        edges = {t for window in self.active or () for t in window}
        if self.repeat is not None:
            turns = np.arange(np.floor(start / self.repeat), np.ceil(end / self.repeat) + 1)
            edges = {t + n * self.repeat for t in edges for n in turns}
        return sorted(float(t) for t in edges if start < t < end)

    def places(self, gait: Gait, times: Array, length: float) -> Places:
        """Where it holds the body, whether or not it acts then; some places may lie outside the body."""
        raise InputError(f"environment {getattr(self, 'kind', '?')!r} does not say where it holds the body")

    def demands(self, times: Array, places: Places, strain: Array, slope: Array, rate: Array) -> tuple[Array, Array]:
        """Twist η and its rate η̇ (T, P, 6) that the touched section must have; strain, its slope along X and its rate are (T, P, 6)."""
        return np.zeros_like(strain), np.zeros_like(strain)
