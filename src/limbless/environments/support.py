"""`support`: things beside the body that it slides along (paper 000, cross-section follower supports (31)-(33))."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Gait
from limbless.core import Field, InputError, Listed, Quantity, Vector3, checked, quantity
from limbless.environments.base import Array
from limbless.environments.constraint import Constraint, Places

NEVER = 1e300
"""s: a time that does not come; kernels know no infinity."""


class Support(Constraint):
    """Supports that keep a section from moving sideways and from rolling, but let it slide along.

    A support is fixed in space (`travel`) or moves with a given `velocity`. It travels along the body as the body
    slides by, and leaves at one end. The next support enters at the other end when the last one has gone in by
    `spacing`. With `travel: false` it stays at its section, as a wheel does.

    With `along: body` the whole body is guided, as if in a tube, and the supports share the forces. With `along:
    points` only the supports guide it. Each row of `schedule` is a support that comes at an arc length at one time,
    travels like the others, and goes at another time, or earlier at an end of the body.
    """

    kind: Literal["support"] = "support"
    guided: ClassVar[tuple[int, ...]] = (1, 2, 3)
    slides: ClassVar[bool] = True
    abscissae: Listed[tuple[float, ...]] = quantity(
        (0.1, 0.3, 0.5, 0.7, 0.9), "m", "abscissae of the supports at the start"
    )
    schedule: Listed[tuple[tuple[float, float, float], ...]] = quantity(
        (),
        "s, s, m",
        "more supports: rows of the time at which one comes, the time at which it goes, and the abscissa at which it "
        "comes",
    )
    spacing: Quantity[float | None] = quantity(
        None, "m", "distance at which the next support follows the last one that entered; none enters if absent", gt=0
    )
    travel: bool = Field(
        True, description="supports are fixed in space and wander along the body; else each stays at its section"
    )
    along: Literal["body", "points"] = Field(
        "body", description="what guides the motion: the whole body, or the supports alone"
    )
    pushes: Literal["both", "left", "right", "inner", "outer"] = Field(
        "both",
        description="sides to which supports can push: both, +y, -y, or with each on the inner (concave) or "
        "outer side of the bend",
    )
    velocity: Listed[Vector3] = quantity((0.0, 0.0, 0.0), "m/s", "velocity of the supports through space, world axes")
    couple_length: Quantity[float | None] = quantity(
        None, "m", "length that makes couples comparable with forces; the section's radius if absent", gt=0
    )

    @checked
    def _some(self) -> None:
        if not (self.abscissae or self.schedule) or min(self.abscissae, default=0.0) < 0:
            raise ValueError(
                f"abscissae: give at least one support (or a schedule), none of them negative; got {self.abscissae}"
            )
        for row in self.schedule:
            if row[0] < 0.0 or not row[1] > row[0] or row[2] < 0.0:
                raise ValueError(
                    "schedule: a support comes at a time from 0 on, goes later, and comes at an abscissa from 0 on; "
                    f"got {row}"
                )
        if self.spacing is not None and self.schedule:
            raise ValueError("schedule: supports that follow each other (spacing) come by themselves; give one of them")
        if self.spacing is not None and not self.travel:
            raise ValueError("spacing: supports that stay at their section (travel: false) are followed by none")
        if self.spacing is not None and isinstance(self.weight, tuple):
            raise ValueError(
                "weight: supports that are followed by others (spacing) share one weight; give one "
                "number, or no spacing"
            )

    def sides(self, strain: Array) -> Array:
        """Direction in which each support pushes along y (T, P, 6)."""
        bend = np.where(strain[..., 5] >= 0.0, 1.0, -1.0)  # the inner side of a bend to the left is at +y
        found = np.zeros_like(strain)
        fixed = {"both": 0.0, "left": 1.0, "right": -1.0}
        found[..., 1] = fixed.get(self.pushes, bend if self.pushes == "outer" else -bend)
        return found

    def count(self, gait: Gait, length: float) -> int:
        self.places(gait, np.zeros(1), length)  # refuses what lies outside
        entering = 0 if self.spacing is None else int(length / self.spacing) + 2
        return max(len(self.abscissae) + len(self.schedule), entering)

    def timetable(self, columns: int) -> Array:
        """(columns, 3): when each support comes and goes, and where it comes; those that are there at the start, or
        follow, have no times."""
        rows = np.tile([-NEVER, NEVER, 0.0], (columns, 1))
        first = len(self.abscissae)
        if self.schedule:
            rows[first : first + len(self.schedule)] = self.schedule
        return rows

    def breakpoints(self, start: float, end: float) -> list[float]:
        """Every time in (start, end) at which supports take hold or let go."""
        times = {float(t) for row in self.schedule for t in row[:2]}
        return sorted({*super().breakpoints(start, end), *(t for t in times if start < t < end)})

    def places(self, gait: Gait, times: Array, length: float) -> Places:
        """At the start; where they travel to is found with the motion."""
        for name, given in (("abscissae", self.abscissae), ("schedule", [row[2] for row in self.schedule])):
            for i, x in enumerate(given):
                if x > length:
                    raise InputError(
                        f"support: {name}[{i}] = {x:g} m lies outside the body, which is {length:g} m long"
                    )
        still = np.zeros((len(times), len(self.abscissae)))
        return Places(still + np.array(self.abscissae), still, still)
