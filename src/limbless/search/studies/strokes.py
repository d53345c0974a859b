"""Loops among shapes, and what one turn of them does: `Loop`, `Stroke`.

A loop is known by N postures at equal times of a period, as a trigonometric polynomial. Along it ξ = A(r) r' is
periodic, so that its angle and its way follow from Fourier sums, to rounding, with a net turn too: e^(iΘφ) times each
term has an integral of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.control.gaits.shape_basis import Shapes
from limbless.control.gaits.shape_loop import ShapeLoop
from limbless.core import Array, InputError

if TYPE_CHECKING:
    from limbless.scenarios.scenario import Scenario


@dataclass(frozen=True)
class Loop:
    """A closed curve of shapes: postures (N, p) at equal times of a `period` (s)."""

    points: Array
    period: float = 1.0

    @classmethod
    def of_table(cls, mean: Any, cos: Any, sin: Any, period: float = 1.0) -> Loop:
        """From Fourier coefficients: mean (p,), cos and sin (harmonics, p)."""
        mean, cos, sin = (np.atleast_1d(np.asarray(part, dtype=np.float64)) for part in (mean, cos, sin))
        count = max(len(cos), len(sin))
        spectrum = np.zeros((2 * count + 2, len(mean)), dtype=np.complex128)
        spectrum[0] = mean
        for rows, unit in ((cos, 0.5), (sin, -0.5j)):
            for k, row in enumerate(rows):
                spectrum[k + 1] += unit * row
                spectrum[-k - 1] += np.conj(unit) * row
        return cls(np.real(np.fft.ifft(spectrum * len(spectrum), axis=0)), period)

    def table(self, harmonics: int | None = None) -> tuple[Array, Array, Array]:
        """mean (p,), cos and sin (harmonics, p)."""
        spectrum, most = np.fft.fft(self.points, axis=0) / len(self.points), len(self.points) // 2
        count = most if harmonics is None else min(harmonics, most)
        cos, sin = 2.0 * np.real(spectrum[1 : count + 1]), -2.0 * np.imag(spectrum[1 : count + 1])
        if count == most and 2 * most == len(self.points):  # the fastest wave of an even number of points is one cosine
            cos[-1], sin[-1] = 0.5 * cos[-1], 0.0
        return np.real(spectrum[0]), cos, sin

    def at(self, count: int) -> tuple[Array, Array]:
        """Postures and rates per period at so many equal times."""
        return self.along(np.arange(count) / count)

    def along(self, phase: Array) -> tuple[Array, Array]:
        """The same at any phases (of 1)."""
        mean, cos, sin = self.table()
        k = 2.0 * np.pi * np.arange(1, len(cos) + 1)
        c, s = np.cos(np.outer(phase, k)), np.sin(np.outer(phase, k))
        r = mean + c @ cos + s @ sin
        return r, c @ (k[:, None] * sin) - s @ (k[:, None] * cos)

    def fitted(self, harmonics: int) -> Loop:
        """Its first harmonics alone."""
        return Loop.of_table(*self.table(harmonics), period=self.period)


def loop_of(given: Any, shapes: Shapes, motion: Callable[[Any], tuple[Array, float]]) -> Loop:
    """A loop from what a user gives: points (N, p), a Fourier table, a function of the phase, or a motion (a gait,
    result or film, whose bends `motion` samples over one period)."""
    p = np.asarray(shapes.basis).shape[1]
    try:
        found = _read_loop(given, shapes, motion, p)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"loop: give at least 3 postures of {p} numbers each, or a Fourier table (mean, cos, sin) of rows of {p} "
            f"numbers; {error}"
        ) from None
    points = found.points
    if points.ndim != 2 or points.shape[1] != p or len(points) < 3 or not np.isfinite(points).all():
        raise InputError(
            f"loop: give at least 3 postures of {p} finite numbers each, a Fourier table (mean, cos, sin), a function "
            f"of the phase, a gait, a result or a film; got an array of shape {points.shape}"
        )
    return found


def _read_loop(given: Any, shapes: Shapes, motion: Callable[[Any], tuple[Array, float]], p: int) -> Loop:
    if isinstance(given, Loop):
        return given
    if isinstance(given, dict) and {"mean", "cos", "sin"} & set(given):
        return Loop.of_table(
            given.get("mean", np.zeros(p)), given.get("cos", ()), given.get("sin", ()), given.get("period", 1.0)
        )
    if isinstance(given, (list, tuple, np.ndarray)):
        return Loop(np.asarray(given, dtype=np.float64))
    if callable(given) and not hasattr(given, "sample"):
        return Loop(np.array([np.asarray(given(phase), dtype=np.float64) for phase in np.arange(128) / 128.0]))
    bends, period = motion(given)
    r, left = shapes.coordinates(bends)
    if left > 0.2 * max(float(np.abs(bends - np.asarray(shapes.rest)).max()), 1e-12):
        raise InputError(
            f"loop: this motion bends by up to {left:.3g} {shapes.unit} in ways that the shapes do not have; take "
            "more of them, or Shapes.principal of the motion itself"
        )
    return Loop(r, period)


@dataclass(frozen=True)
class Stroke:
    """One turn of a loop.

    Attributes
    ----------
    displacement : (3,) x, y (m) and turn (rad) of the frame after one period, along its axes at the start.
    area : (3,) the same by the surface integral of the curvature, to first order; None where there is none.
    distance, turn : size of the displacement (m), and its angle (rad).
    work : J of one period as it is timed. None without resistance.
    length : of the loop by the metric: at constant power the work of a period T is length²/T.
    efficiency : work of towing the body as far in the same time over that of the stroke, at constant power;
        `efficiency_as_timed` with the loop's own timing.
    error : what doubling the points changed, m.
    frame : the frame that moves so.
    misfit : of the fitted connection along the loop, where there is no exact one.
    path : (N, 3) where the frame is along the period.
    """

    loop: Loop
    shapes: Shapes
    displacement: Array
    area: Array | None
    work: float | None
    length: float | None
    efficiency: float | None
    efficiency_as_timed: float | None
    error: float
    frame: str
    path: Array
    misfit: float = 0.0
    origin: Scenario | None = field(default=None, repr=False)

    @property
    def distance(self) -> float:
        return float(np.hypot(*self.displacement[:2]))

    @property
    def turn(self) -> float:
        return float(self.displacement[2])

    def gait(self, harmonics: int = 8) -> ShapeLoop:
        """The loop as a gait that a robot follows."""
        mean, cos, sin = self.loop.table(harmonics)
        largest = max(float(np.abs(part).max(initial=0.0)) for part in (mean, cos, sin))
        last = max(
            (k + 1 for k in range(len(cos)) if max(np.abs(cos[k]).max(), np.abs(sin[k]).max()) > 1e-9 * largest),
            default=1,
        )
        basis = np.asarray(self.shapes.basis)
        rod = self.shapes.unit == "1/m"
        if np.abs(np.asarray(self.shapes.rest)).max(initial=0.0) > 0.0:
            raise InputError("gait: these shapes have a `rest` that no shape-loop has; give shapes that start straight")
        shapes: Any = [tuple(row) for row in basis.tolist()]
        if self.shapes.wave is not None:
            shapes = f"waves {self.shapes.wave:g}"
        elif basis.shape[0] == basis.shape[1] and np.array_equal(basis, np.eye(len(basis))):
            shapes = "joints"
        elif rod:
            raise InputError("gait: a rod follows `waves` as a gait; these shapes are columns of its mesh")
        length = None if not rod or self.origin is None else getattr(self.origin.robot.build(), "length", None)
        return ShapeLoop(
            shapes=shapes,
            mean=tuple(mean.tolist()),
            cos=tuple(tuple(row) for row in cos[:last].tolist()),
            sin=tuple(tuple(row) for row in sin[:last].tolist()),
            period=self.loop.period,
            length=length,
        )

    def scenario(self) -> Scenario:
        """A scenario that drives the robot along the loop."""
        if self.origin is None:
            raise InputError("scenario: this stroke belongs to no robot")
        return self.origin.changed(gait=self.gait(), name=f"{self.origin.name}-loop")

    def lines(self) -> list[str]:
        """What there is to say of it."""
        x, y, turn = self.displacement
        found = [
            f"by motion   {x:+.6g} m, {y:+.6g} m, {turn:+.6g} rad; distance {self.distance:.6g} m "
            f"(frame {self.frame}, error {self.error:.1e} m)"
        ]
        if self.area is not None:
            off = float(np.hypot(*(self.area[:2] - self.displacement[:2])))
            share = f", {100.0 * off / self.distance:.2g} % of the distance" if self.distance > 0.0 else ""
            fitted = f"; fitted, misfit {100.0 * self.misfit:.2g} %" if self.misfit else ""
            found.append(
                f"by area     {self.area[0]:+.6g} m, {self.area[1]:+.6g} m, {self.area[2]:+.6g} rad; off by {off:.2g} m"
                f"{share}{fitted}"
            )
        if self.work is not None and self.efficiency is not None:
            found.append(f"efficiency  {self.efficiency:.6g} at constant power; work {self.work:.6g} J as timed")
        return found


Way = tuple[float, Array, Any, Any]
"""A path of one period in Fourier terms: θ = Θφ + sway; the velocity in the plane is e^(iΘφ) Σ c_k e^(2πikφ): Θ (rad),
the periodic part of the angle (N,), c_k (N,) by the numbers of `fftfreq`, and k (N,).
"""


def way_of(twist: Array) -> Way:
    """Of periodic body twists (N, 3) per period."""
    count = len(twist)
    k = np.fft.fftfreq(count, 1.0 / count)
    spectrum = np.fft.fft(twist[:, 2]) / count
    swing = np.where(k == 0.0, 0.0, spectrum / np.where(k == 0.0, 1.0, 2j * np.pi * k))
    swing -= (k == 0.0) * swing.sum()
    sway = np.real(np.fft.ifft(swing * count))
    terms = np.fft.fft((twist[:, 0] + 1j * twist[:, 1]) * np.exp(1j * sway)) / count
    return float(np.real(spectrum[0])), sway, terms, k


def moved_along(twist: Array) -> tuple[Array, Array]:
    """Of periodic body twists (N, 3) per period: the pose (3,) after one, and the path (N, 3)."""
    net, sway, c, k = way_of(twist)
    phase = np.arange(len(twist)) / len(twist)
    rate = 1j * (net + 2.0 * np.pi * k)
    flat = np.abs(rate) < 1e-12
    safe = np.where(flat, 1.0, rate)
    grown = np.expm1(1j * net)
    end = np.sum(c * np.where(flat, 1.0, grown / safe))
    along = np.expm1(1j * np.outer(phase, net + 2.0 * np.pi * k))
    place = np.sum(c * np.where(flat, phase[:, None], along / safe), axis=1)
    path = np.stack([np.real(place), np.imag(place), net * phase + sway], axis=1)
    return np.array([np.real(end), np.imag(end), net]), path


def carried_to_start(way: Way, change: Array) -> tuple[Any, Array]:
    """Weights (N,) and values (N, 2, ..) with which ∫ f Ad_g ξ dφ is a sum for periodic f and twists ξ (N, 3, ..).

    Ad_g ξ is e^(iθ)(ξx + iξy) - iω z in the plane, z the place. A net turn Θ, or a drift c_0 without one, makes it
    grow along the period: each has the integrals of its Fourier terms, as weights of the sum.
    """
    net, sway, c, k = way
    count = len(sway)
    shape = (count,) + (1,) * (change.ndim - 2)
    turned = np.exp(1j * sway).reshape(shape) * (change[:, 0] + 1j * change[:, 1])
    w = change[:, 2]
    even = np.full(count, 1.0 / count, dtype=np.complex128)
    inner = np.abs(k) < 0.5 * count
    turning = abs(net) > 1e-6
    rate = 1j * ((net if turning else 0.0) + 2.0 * np.pi * k)
    safe = np.where(rate == 0.0, 1.0, rate)
    if turning:
        swung = np.fft.ifft(c / safe * count)
        grown = np.fft.fft(np.where(inner, np.expm1(1j * net) / safe, 0.0)) / count
        parts = [turned - 1j * w * swung.reshape(shape), 1j * swung[0] * w]
        return np.stack([grown, even]), np.stack(parts, axis=1)
    swung = np.fft.ifft(np.where(rate == 0.0, 0.0, c / safe) * count)
    grown = np.fft.fft(np.where(inner, np.where(rate == 0.0, 0.5, 1.0 / safe), 0.0)) / count
    parts = [turned - 1j * w * (swung - swung[0]).reshape(shape), -1j * c[0] * w]
    return np.stack([even, grown]), np.stack(parts, axis=1)


def exponential(z: Array) -> Array:
    """exp of (x, y, turn) in se(2): a pose (3,)."""
    w = float(z[2])
    s, c = (np.sin(w) / w, (1.0 - np.cos(w)) / w) if abs(w) > 1e-8 else (1.0 - w * w / 6.0, 0.5 * w)
    return np.array([s * z[0] - c * z[1], c * z[0] + s * z[1], w])


def enclosed(curvature: Callable[[Array], Array], loop: Loop, count: int, depth: int = 10) -> Array:
    """(3,) surface integral of the curvature, or of a part of it, over the cone from the loop's mean, signed."""
    r, rate = loop.at(count)
    mean = loop.table(0)[0]
    out = r - mean
    nodes, weights = np.polynomial.legendre.leggauss(depth)
    s, ds = 0.5 * (nodes + 1.0), 0.5 * weights
    points = mean + s[:, None, None] * out
    DA = curvature(points.reshape(-1, r.shape[1])).reshape(depth, count, -1, 3)
    swept = np.stack([out[:, i] * rate[:, j] - out[:, j] * rate[:, i] for i, j in pairs_of(r.shape[1])], axis=-1)
    return np.asarray(np.einsum("d,dnkc,nk->c", s * ds, DA, swept) / count)


def pairs_of(p: int) -> Sequence[tuple[int, int]]:
    """All pairs of shapes."""
    return [(i, j) for i in range(p) for j in range(i + 1, p)]
