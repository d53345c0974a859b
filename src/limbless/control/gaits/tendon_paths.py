"""What a tendon-driven spine is told: tensions or tendon lengths along a path, a tip trajectory, a grid of tensions."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, ClassVar, Literal, Self

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait
from limbless.control.gaits.gait_table import read_rows
from limbless.core import Angle, Field, FileName, InputError, Listed, Quantity, checked, quantity

MOST_POINTS = 100000
"""Points of a path."""
COMPONENTS = ("x", "y", "z", "heading", "elevation", "roll")
"""What can be asked of a tip: its place (m) and the angles (rad) of the last disk, both in the
frame of the clamped one.
"""
Component = Literal["x", "y", "z", "heading", "elevation", "roll"]


class Instants(Gait):
    """A path that statics follows point by point: `instants` are the times (s) of its points."""

    if TYPE_CHECKING:
        table: Listed[tuple[tuple[float, ...], ...]] = Field(())
        file: FileName = Field(None)
        points: int = Field(0)
    holds: ClassVar[tuple[str, str]]
    """What its table is called, and what stands in it."""

    @cached_property
    def _table(self) -> Array:
        return read_rows(self.table, self.file, *self.holds)

    def instants(self) -> Array:
        """The times of the table, or `points` of them evenly from its first to its last."""
        times = self._table[:, 0]
        return np.linspace(times[0], times[-1], self.points) if self.points > 1 else times

    def refined(self) -> Self:
        """One more point between every two."""
        if self.points > 1:
            return self.changed(points=min(2 * self.points - 1, MOST_POINTS))
        rows = np.repeat(self._table, 2, axis=0)[:-1]
        rows[1::2] = 0.5 * (self._table[:-1] + self._table[1:])
        return self.changed(table=rows.tolist(), file=None)


class TendonPath(Instants):
    """Tensions, tendon lengths or torques of winches from a table of times, straight from row to row.

    Statics has no inertia: the times only say where along the path a point lies.
    """

    kind: Literal["tendon-path"] = "tendon-path"
    drives: Literal["tension", "tendon-length", "winch-torque"] = Field(  # type: ignore[misc]
        "tension", description="tensions (N), tendon lengths (m) or torques of winches (N m; model `soft`)"
    )
    table: Listed[tuple[tuple[float, ...], ...]] = quantity(
        (), "s; N, m or N m", "rows of time and one column per tendon"
    )
    file: FileName = Field(None, description="path of a text file with the same columns")
    points: int = Field(
        0, ge=0, le=MOST_POINTS, description="points evenly in time, with both ends; 0: the rows of the table"
    )
    holds: ClassVar[tuple[str, str]] = ("a tendon path", "tendon values")

    @checked
    def _sensible(self) -> None:
        lowest = self._table[:, 1:].min()
        if lowest < 0.0 and self.drives != "winch-torque":
            raise ValueError(f"table: a tendon can only pull; found {lowest:g}, allowed are numbers from 0")

    def sample(self, times: Array, stations: Array) -> Drive:
        """Tensions or lengths (T, tendons)."""
        columns = self._table[:, 1:]
        if columns.shape[1] != len(stations):
            raise InputError(
                f"the tendon path has {columns.shape[1]} columns after time (table), "
                f"but the robot has {len(stations)} tendons (robot.tendon_count, or robot.tendons of a "
                f"spine)"
            )
        rows = self._table[:, 0]
        value = np.stack([np.interp(times, rows, column) for column in columns.T], axis=1)
        slopes = np.zeros((len(rows) + 1, columns.shape[1]))  # before, between and behind the rows
        slopes[1:-1] = np.diff(columns, axis=0) / np.diff(rows)[:, None]
        return Drive(value, slopes[np.searchsorted(rows, times, side="right")], np.zeros_like(value))

    def breakpoints(self, start: float, end: float) -> list[float]:
        """The rows of the table."""
        return [float(t) for t in self._table[:, 0] if start < t < end]

    def jumps(self, start: float, end: float) -> list[float]:
        """Rates jump at the rows; those of tensions do no work."""
        rows = self._table[:, 0]
        return [] if self.drives == "tension" else rows[(rows > start) & (rows < end)].tolist()


class TipPath(Instants):
    """A trajectory of the tip from a table, such as a recorded animal.

    Positions are in the frame of the clamped disk: x along the unbent body, y to the left, z up. Directions are those
    of the last disk's axis there: heading to the left, elevation up, roll about itself. Only the components in `follow`
    count.
    """

    kind: Literal["tip-path"] = "tip-path"
    table: Listed[tuple[tuple[float, ...], ...]] = quantity(
        (), "s; m; rad", "rows of time, x, y and z, and where angles are followed of heading, elevation and roll too"
    )
    file: FileName = Field(None, description="path of a text file with the same columns")
    follow: Listed[tuple[Component, ...]] = Field(
        ("y", "z"), description="what the tip must have: any of x, y, z, heading, elevation, roll"
    )
    points: int = Field(
        0, ge=0, le=MOST_POINTS, description="points evenly in time, with both ends; 0: the rows of the table"
    )
    drives: ClassVar[str] = "tip"
    holds: ClassVar[tuple[str, str]] = ("a tip path", "tip positions")

    @checked
    def _sensible(self) -> None:
        if not self.follow or len(set(self.follow)) < len(self.follow):
            raise ValueError(
                f"follow: name each of {', '.join(COMPONENTS)} at most once, and at least one; got {list(self.follow)}"
            )
        angles = [name for name in self.follow if name not in "xyz"]
        if self._table.shape[1] != 7 and (self._table.shape[1] != 4 or angles):
            raise ValueError(
                "a tip path has four columns: time, x, y, z, or seven, with heading, elevation and roll after "
                f"them{' (`follow` names ' + angles[0] + ')' if angles else ''}; got {self._table.shape[1]}"
            )

    @property
    def rows(self) -> list[int]:
        """Numbers of the followed components."""
        return [COMPONENTS.index(name) for name in self.follow]

    def sample(self, times: Array, stations: Array) -> Drive:
        """Tip positions (T, 3), m, or positions and angles (T, 6), frame of the clamped disk."""
        value = np.stack([np.interp(times, self._table[:, 0], column) for column in self._table[:, 1:].T], axis=1)
        return Drive(value, np.zeros_like(value), np.zeros_like(value))


class TipEight(Instants):
    """A figure of eight that the tip draws in the y-z plane of the clamped disk.

    It resembles the path of a swimming snake's head, seen from its neck. The path is y = w sin s and z = h sin 2s,
    rotated by `tilt`, with s from 0 to 2π in `points` points. It is our choice, because the recorded trajectory is not
    public.
    """

    kind: Literal["tip-eight"] = "tip-eight"
    half_width: Quantity[float] = quantity(0.030, "m", "w, amplitude along y before the turn")
    half_height: Quantity[float] = quantity(0.012, "m", "h, amplitude along z before the turn")
    tilt: Quantity[Angle] = quantity(0.3490658503988659, "rad", "turn about x")
    points: int = Field(241, ge=3, le=MOST_POINTS, description="points, the last at the place of the first")
    period: Quantity[float] = quantity(2.0, "s", "time for one figure; statics does not depend on it", gt=0)
    drives: ClassVar[str] = "tip"
    rows: ClassVar[list[int]] = [1, 2]

    def instants(self) -> Array:
        return np.linspace(0.0, self.period, self.points)

    def sample(self, times: Array, stations: Array) -> Drive:
        """Tip positions (T, 3), m; x is not asked for and left at 0."""
        s = 2.0 * np.pi * times / self.period
        y, z = self.half_width * np.sin(s), self.half_height * np.sin(2.0 * s)
        c, d = np.cos(self.tilt), np.sin(self.tilt)
        value = np.stack([np.zeros_like(s), c * y - d * z, d * y + c * z], axis=1)
        return Drive(value, np.zeros_like(value), np.zeros_like(value))


class TensionGrid(Gait):
    """Every combination of the tensions of a spine's tendons.

    Tensions of a pair are signed: positive pulls the first tendon, negative the second. One tendon of a triple is
    always slack. Every other tendon goes from zero to the largest tension.
    """

    kind: Literal["tension-grid"] = "tension-grid"
    largest: Quantity[float] = quantity(1.2, "N", "largest tension", gt=0)
    count: int = Field(
        13,
        ge=2,
        le=1001,
        description="tensions of each pair, evenly from -largest to largest; of any other tendon from 0",
    )
    drives: ClassVar[str] = "tension-grid"

    def refined(self) -> Self:
        """One more tension between every two."""
        return self.changed(count=min(2 * self.count - 1, 1001))

    def values(self) -> Array:
        """The tensions of one pair, N."""
        return np.linspace(-self.largest, self.largest, self.count)
