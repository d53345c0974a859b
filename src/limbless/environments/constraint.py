"""`Constraint`: what all constraints on a rod share. They decide its net motion, and the forces
that this takes are a result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from limbless.core import InputError, Listed, Quantity, checked, quantity
from limbless.environments.base import Array, Environment

if TYPE_CHECKING:
    from limbless.control.gaits.base import Gait


class Places(NamedTuple):
    """Positions of contacts along the body at T times, with two rates.

    The arc length has the shape (T, P) in m, and its rates are in m/s and m/s2.
    """

    place: Array
    speed: Array
    acceleration: Array


class Constraint(Environment):
    """A constraint on some components of the twist of the sections that it touches.

    A subclass defines which components it holds (`guided`), where it touches the body (`places`) and how the touched
    sections must move (`demands`). The model finds the motion of the body from all contacts together, and refuses
    contacts that leave it loose or cannot all hold. It then finds the forces, each along the components that its
    contact holds, in the axes of the touched section. A constraint has the same number of contacts P throughout a run
    (`count`). A contact acts if `active` and `repeat` allow it and its place lies on the body.
    """

    role: ClassVar[str] = "constraint"
    guided: ClassVar[tuple[int, ...]] = (0, 1, 2, 3, 4, 5)
    """Numbers of the components of the twist (linear, then angular) that it holds, in the axes of the touched section:
    x along the body."""
    needs_slope: ClassVar[bool] = False
    """Whether `demands` uses the slope of the strain along the body: the gait must give one then."""
    slides: ClassVar[bool] = False
    """Whether the body slips along what holds it: `contact_state` 2 in place of 1."""
    repeat: Quantity[float | None] = quantity(
        None, "s", "the windows of `active` come again after this time; once if absent", gt=0
    )
    weight: Listed[float | tuple[float, ...]] = quantity(
        1.0, "1", "share of the force of each contact, relative to others: one, or one each"
    )

    @checked
    def _windows_repeat(self) -> None:
        if self.repeat is not None and not self.active:
            raise ValueError("repeat: give the windows `active` that come again")
        if not np.min(self.weight, initial=np.inf) > 0 or not np.all(np.isfinite(self.weight)) or self.weight == ():
            raise ValueError(f"weight: must be positive; got {self.weight}")

    # What a contact of your own says

    def places(self, gait: Gait, times: Array, length: float) -> Places:
        """Where it touches a body of that length at times (T,), whether or not it acts then; some places may lie
        outside the body."""
        raise InputError(f"environment {self.kind!r} does not say where it holds the body")

    def demands(self, times: Array, places: Places, strain: Array, slope: Array, rate: Array) -> tuple[Array, Array]:
        """Twist η and its rate η̇ (T, P, 6) that the touched section must have, in its own axes (m/s, rad/s): 0, at
        rest, unless you say more.

        Only the `guided` components are used. η̇ is that of the section which is touched at the time: where the place
        moves along the body at Ċ, a demand d(t) on whatever section is touched means η̇ = ḋ - (ξ̇ - ad_ξ d) Ċ, with ξ
        the strain and ξ̇ its rate.

        Parameters
        ----------
        times : (T,) s. places : where the contacts are, (T, P) each.
        strain, slope, rate : (T, P, 6) strain of the touched section, its slope along the body (0 unless
            `needs_slope`), its rate in time.
        """
        return np.zeros_like(strain), np.zeros_like(strain)

    def count(self, gait: Gait, length: float) -> int:
        """The number P of contacts that it has at most on a body of that length."""
        return self.places(gait, np.zeros(1), length).place.shape[1]

    def sides(self, strain: Array) -> Array:
        """To which side each held component can push, +1 or -1, or 0 for both (T, P, 6), where the body has that
        strain."""
        return np.zeros_like(strain)

    # What all contacts do

    def weights(self, columns: int) -> Array:
        """Share of each of its contacts (columns,); as many numbers as contacts, where it is not one for all."""
        if isinstance(self.weight, tuple) and len(self.weight) != columns:
            raise InputError(
                f"{self.kind}: weight needs one number, or one for each of its {columns} contacts; got "
                f"{len(self.weight)}"
            )
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
