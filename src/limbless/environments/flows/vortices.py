"""`vortices`: straight vortices with a solid core, which may drift; two rows of them are a Karman street."""

from __future__ import annotations

from typing import Literal

import numpy as np

from limbless.core import Listed, Quantity, Vector3, checked, quantity
from limbless.environments.flows.base import Array, Flow, filled
from limbless.mechanics.compiled import Rows
from limbless.mechanics.forces import FLOW_KINDS

MOST = 10_000


class VorticesFlow(Flow):
    """Straight vortices with smooth cores, such as a Karman vortex street.

    Each vortex has the speed Γ/(2π r) (1 - exp(-r²/core²)) about its axis. The vortices drift with one velocity and do
    not move each other. Two staggered rows of opposite circulation are the wake of a cylinder (a Karman street).
    """

    kind: Literal["vortices"] = "vortices"
    places: Listed[tuple[Vector3, ...]] = quantity(
        ((0.0, 0.0, 0.0),), "m", "a point of the axis of each vortex at time 0"
    )
    circulations: Listed[float | tuple[float, ...]] = quantity(
        0.1, "m2/s", "circulation Γ of each vortex, or one for all; positive turns about the axis"
    )
    core: Quantity[float] = quantity(0.05, "m", "radius of the core", gt=0)
    axis: Listed[Vector3] = quantity((0.0, 0.0, 1.0), "1", "direction of all axes")
    drift: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "m/s", "velocity of all vortices")

    @checked
    def _one_each(self) -> None:
        count = len(self.places)
        if not 1 <= count <= MOST:
            raise ValueError(f"places: between 1 and {MOST:,} vortices; got {count}")
        if isinstance(self.circulations, tuple) and len(self.circulations) != count:
            raise ValueError(
                f"circulations: one number, or one for each of the {count} places; got {len(self.circulations)}"
            )
        if not any(self.axis):
            raise ValueError("axis: a direction that is not zero")

    @classmethod
    def street(
        cls,
        spacing: float,
        width: float,
        circulation: float,
        count: int = 10,
        start: Vector3 = (0.0, 0.0, 0.0),
        **fields: object,
    ) -> VorticesFlow:
        """Two rows of `count` vortices along x behind `start`, `spacing` apart and staggered, `width` between the rows:
        the left one (y > 0) turns clockwise."""
        x, y, z = start
        upper = [(x + i * spacing, y + 0.5 * width, z) for i in range(count)]
        lower = [(x + (i + 0.5) * spacing, y - 0.5 * width, z) for i in range(count)]
        turns = (*[-circulation] * count, *[circulation] * count)
        return cls(places=tuple(upper + lower), circulations=turns, **fields)  # type: ignore[arg-type]

    @property
    def _axis(self) -> Array:
        return np.array(self.axis) / np.linalg.norm(self.axis)

    def rows(self, level: float) -> Rows:
        strength = np.broadcast_to(self.circulations, len(self.places)) / (2.0 * np.pi)
        return filled(
            len(self.places),
            FLOW_KINDS.vortex,
            origin=self.places,
            velocity=self.drift,
            axis=self._axis,
            size=self.core,
            strength=strength,
        )

    def at(self, time: Array, place: Array, level: float = 0.0) -> Array:
        total, k = np.zeros(np.shape(place)), self._axis
        drifted = np.asarray(time)[..., None] * np.array(self.drift)
        for origin, circulation in zip(self.places, np.broadcast_to(self.circulations, len(self.places)), strict=True):
            r = place - np.array(origin) - drifted
            r = r - (r @ k)[..., None] * k
            square = np.maximum((r**2).sum(axis=-1), 1e-30)
            turn = -np.expm1(-square / self.core**2) * circulation / (2.0 * np.pi * square)
            total += turn[..., None] * np.cross(k, r)
        return total
