"""`terrain`: ground whose height changes from place to place, from a table or a function."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from limbless.core import Field, Function, Listed, NamedFunction, Nested, checked, name_of, quantity, told
from limbless.environments import ContactEnvironment, DrawnRelief, Surfaces
from limbless.environments.base import Array
from limbless.mechanics.contact.shapes.height_field import FieldShape, HeightField
from limbless.mechanics.contact.shapes.primitives import SHAPE
from limbless.robots.base import SkinFriction

_MOST = 1_000_000  # heights: 8 MB of them


class Terrain(ContactEnvironment):
    """Heights on a grid, joined by triangles: the top of a solid with vertical sides.

    The sides go down from the border without end, so a body can never get below the triangles. It falls down at the
    sides, or runs against them on a lower `ground`. There is nothing beyond the grid; add a `ground` below it.

    Give `table`, with one row per step along x and one number per step along y, or a `function` height(x, y) of arrays
    with `counts`.
    """

    kind: Literal["terrain"] = "terrain"
    is_ground: ClassVar[bool] = True
    has_steps: ClassVar[bool] = True
    corner: Listed[tuple[float, float]] = quantity((0.0, 0.0), "m", "place of the first height, world x and y")
    spacing: Listed[tuple[float, float]] = quantity((0.1, 0.1), "m", "distance between heights along x and y")
    table: Listed[tuple[tuple[float, ...], ...]] = quantity((), "m", "heights, row by row along x")
    function: Nested[Function | None] = Field(
        None, description="heights as a function of x and y, or `package.module:name`, or `file.py:name`"
    )
    counts: Listed[tuple[int, int]] = Field(
        (2, 2), description="how many heights to take from the function along x and y"
    )

    @checked
    def _is_a_grid(self) -> None:
        if (self.function is None) == (not self.table):
            raise ValueError("terrain needs either `table` or `function`")
        if min(self.counts) < 2 or self.counts[0] * self.counts[1] > _MOST:
            raise ValueError(
                f"counts must be at least 2 along each side and at most {_MOST} together; got {self.counts}"
            )
        if min(self.spacing) <= 0:
            raise ValueError(f"spacing must be positive; got {self.spacing}")
        if self.table and len({len(row) for row in self.table}) != 1:
            raise ValueError(f"rows of the table must have one length; got {sorted({len(row) for row in self.table})}")
        if isinstance(self.function, NamedFunction):  # it is not called before it is allowed
            return
        if min(self._grid.shape) < 2:
            raise ValueError(f"terrain needs at least 2 x 2 heights; got {self._grid.shape[0]} x {self._grid.shape[1]}")
        if not np.isfinite(self._grid).all():
            raise ValueError("heights of the terrain must be finite")

    @cached_property
    def _grid(self) -> Array:
        if self.function is None:
            return np.array(self.table, dtype=np.float64)
        x, y = self._axes(*self.counts)
        try:
            return np.asarray(
                np.broadcast_to(self.function(*np.meshgrid(x, y, indexing="ij")), self.counts), dtype=np.float64
            )
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # a user's function may raise anything, and even exit
            raise ValueError(
                f"the height function {name_of(self.function)} must take two arrays, x and y, and give one of their "
                f"shape {self.counts}; it failed with {told(error)}"
            ) from error

    def _axes(self, along_x: int, along_y: int) -> tuple[Array, Array]:
        """Where so many heights are along x and y."""
        (x, y), (dx, dy) = self.corner, self.spacing
        return x + dx * np.arange(float(along_x)), y + dy * np.arange(float(along_y))

    def heights(self) -> Array:
        return self._grid.ravel()

    def shapes(self) -> list[tuple[int, list[float]]]:
        return [(HeightField.code, [*self.corner, *self.spacing, *map(float, self._grid.shape), 0.0])]

    def surfaces(self, head: str, skin: SkinFriction | None = None, first: int = 0) -> Surfaces:
        made = super().surfaces(head, skin)
        FieldShape.of(made.rows[:, SHAPE:]).first[:] = first
        return made

    def varies(self, level: bool) -> str | None:
        return "the ground differs from place to place"

    def drawn(self) -> Sequence[DrawnRelief]:
        return [] if self.unseen else [DrawnRelief("terrain", *self._axes(*self._grid.shape), heights=self._grid)]

    @property
    def unseen(self) -> str:
        """Of a saved run the heights would have to be computed, and nobody allowed that."""
        if not isinstance(self.function, NamedFunction):
            return ""
        return (
            "environment.terrain is not drawn: a function makes its heights, and looking at a saved run runs no code; "
            "write the heights as `table`"
        )
