"""`shape-loop`: a closed curve among the shapes of a body, as a Fourier series."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from limbless.control.gaits.base import Array, Drive, Gait, heading_drive
from limbless.control.gaits.body_wave import smooth_steps
from limbless.control.gaits.shape_basis import Shapes
from limbless.core import InputError, Listed, Quantity, checked, quantity

Rows = tuple[tuple[float, ...], ...]


class ShapeLoop(Gait):
    """A closed curve of body shapes, as a Fourier series of a few shape coordinates.

    The coordinates are r(t) = mean + Σ cos_k cos(2π k t/T) + sin_k sin(2π k t/T), with k = 1, 2, .. Each row of `cos`
    and `sin` has one number per shape. `shapes` says how the body bends: `joints` (each coordinate is a joint angle,
    the base first), `waves N` (cos and sin of N waves along the body), or rows of numbers, one row for each joint. A
    rod bends by curvature (1/m) and needs its `length`. `ll.connection` finds the best loop of this kind.
    """

    kind: Literal["shape-loop"] = "shape-loop"
    shapes: str | Listed[Rows] = quantity("joints", "1", "joints, waves N, or rows of numbers, one for each joint")
    mean: Listed[tuple[float, ...]] = quantity(
        (0.0, 0.0), "rad or 1/m", "middle of the loop, one number for each shape"
    )
    cos: Listed[Rows] = quantity(((1.0, 0.0),), "rad or 1/m", "rows of cosines, the first turns once a period")
    sin: Listed[Rows] = quantity(((0.0, 1.0),), "rad or 1/m", "rows of sines")
    period: Quantity[float] = quantity(1.0, "s", "period T", gt=0)
    ramp: Quantity[float] = quantity(0.0, "s", "duration of a smooth start; 0: none", ge=0)
    length: Quantity[float | None] = quantity(None, "m", "length of a rod that follows it", gt=0)

    drives: ClassVar[str] = "shape"
    start_fields: ClassVar[tuple[str, ...]] = ("ramp",)

    @checked
    def _one_number_each(self) -> None:
        count = len(self.mean)
        for name in ("cos", "sin"):
            for row in getattr(self, name):
                if len(row) != count:
                    raise ValueError(f"{name}: every row needs {count} numbers, as `mean` has; got {len(row)}")
        try:
            Shapes.of(self.shapes)
        except InputError as error:
            raise ValueError(str(error)) from None

    def coordinates(self, times: Array) -> tuple[Array, Array, Array]:
        """r (T, p) and its first two derivatives, with the smooth start."""
        t = np.asarray(times, dtype=np.float64)[:, None]
        value, first, second = (np.zeros((len(t), len(self.mean))) for _ in range(3))
        value += np.array(self.mean)
        for rows, shift in ((self.cos, 0.0), (self.sin, -0.5 * np.pi)):
            for k, row in enumerate(rows):
                omega, amplitude = 2.0 * np.pi * (k + 1) / self.period, np.array(row)
                value += amplitude * np.cos(omega * t + shift)
                first -= omega * amplitude * np.sin(omega * t + shift)
                second -= omega**2 * amplitude * np.cos(omega * t + shift)
        f, fd, fdd = smooth_steps(np.asarray(times), self.ramp)[..., None]
        return f * value, fd * value + f * first, fdd * value + 2.0 * fd * first + f * second

    def _basis(self, places: Array, unit: str) -> Array:
        shapes = Shapes.of(self.shapes).resolved(places, unit)
        basis = np.asarray(shapes.basis)
        if basis.shape[1] != len(self.mean):
            raise InputError(
                f"gait.shapes: this robot has {basis.shape[1]} of them ({', '.join(shapes.names[:4])}), and gait.mean "
                f"has {len(self.mean)} numbers; give one for each"
            )
        return basis

    def sample(self, times: Array, stations: Array) -> Drive:
        """Headings (T, S, 2): each joint adds its angle."""
        count = len(stations)
        basis = self._basis(np.arange(1, count) / count, "rad")
        turned = (np.cumsum(r @ basis.T, axis=1) for r in self.coordinates(times))
        return heading_drive(np.pad(part, ((0, 0), (1, 0))) for part in turned)

    def slope(self, times: Array, stations: Array) -> Drive:
        """Curvature (T, S, 2) of a rod."""
        if self.length is None:
            raise InputError("gait.length: give the length of the rod, by which `waves` are counted")
        if np.ndim(stations) != 1:
            raise InputError("gait 'shape-loop': a rod with contacts asks at places of its own; give another gait")
        basis = self._basis(np.asarray(stations) / self.length, "1/m")
        return heading_drive(r @ basis.T for r in self.coordinates(times))
