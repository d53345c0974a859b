"""`sheared-curvature`: a snake whose sections shear, so that it can leave any bent posture (paper 000, (55)-(56) in
general form).
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.polynomial import chebyshev

from limbless.control.gaits.base import Array, Drive, Gait, strain_drive
from limbless.control.gaits.body_wave import smooth_start
from limbless.core import InputError, Quantity, quantity
from limbless.mechanics.compiled import array_kernel, func, kernel_array

_NODES = 40  # Chebyshev nodes along the body
_STEP = 0.004  # s: of the Runge-Kutta steps in which the curvature is found


@func
def curvature_rate(K, slope, shear, shear_rate, shear_rate_slope, speed):
    """K̇ that lets every section follow the one before: K' V - K² Γ V + K Γ Γ̇ - Γ̇' (56) in general form, V the axial
    speed of the section.
    """
    return slope * speed - K * K * shear * speed + K * shear * shear_rate - shear_rate_slope


@func
def beat(t, ramp, period, pulse):
    """1 + p f(t - ramp) sin(2π t/T) and its first two derivatives."""
    f, fd, fdd = smooth_start(max(t - ramp, 0.0), ramp)
    w = 2.0 * np.pi / period
    sine, cosine = np.sin(w * t), w * np.cos(w * t)
    return (
        1.0 + pulse * f * sine,
        pulse * (fd * sine + f * cosine),
        pulse * (fdd * sine + 2.0 * fd * cosine - f * w * w * sine),
    )


@array_kernel
def sample_beat(times, ramp, period, pulse, out):
    """`beat` and its derivatives (3, T) at all times."""
    for i in range(times.shape[0]):
        out[0, i], out[1, i], out[2, i] = beat(times[i], ramp, period, pulse)


@array_kernel
def rates(parameters, wave, wave_slope, slope_of, sum_to, t, K, rate, table):
    """K̇ (nodes,) at time t; 0 at the head, where K is given.

    V' = -Γ (K V - Γ̇) along the body: with E = exp(∫ Γ K), V = (V_0 + ∫ E Γ Γ̇) / E.
    wave, wave_slope : lateral shear and its slope at the nodes, without the beat. slope_of, sum_to : matrices of d/dX
        and ∫ from the head.
    """
    speed, ramp, period, pulse = parameters
    now, now_rate, _ = beat(t, ramp, period, pulse)
    head = speed * smooth_start(t, ramp)[0]
    nodes = K.shape[0]
    growth, gain = table[0], table[1]
    for i in range(nodes):
        growth[i] = 0.0
        for j in range(nodes):
            growth[i] += sum_to[i, j] * (now * wave[j] * K[j])
        growth[i] = np.exp(growth[i])
        gain[i] = growth[i] * (now * wave[i]) * (now_rate * wave[i])
    for i in range(nodes):
        slope, along = 0.0, head
        for j in range(nodes):
            slope += slope_of[i, j] * K[j]
            along += sum_to[i, j] * gain[j]
        rate[i] = curvature_rate(
            K[i], slope, now * wave[i], now_rate * wave[i], now_rate * wave_slope[i], along / growth[i]
        )
    rate[0] = 0.0


@array_kernel
def find_curvature(parameters, wave, wave_slope, slope_of, sum_to, times, found):
    """K (T, nodes) at all times, from its first row on: Runge-Kutta steps."""
    nodes = found.shape[1]
    table, k1, k2, k3, k4 = np.zeros((2, nodes)), np.zeros(nodes), np.zeros(nodes), np.zeros(nodes), np.zeros(nodes)
    for n in range(times.shape[0] - 1):
        t, h, K = times[n], times[n + 1] - times[n], found[n]
        rates(parameters, wave, wave_slope, slope_of, sum_to, t, K, k1, table)
        rates(parameters, wave, wave_slope, slope_of, sum_to, t + 0.5 * h, K + 0.5 * h * k1, k2, table)
        rates(parameters, wave, wave_slope, slope_of, sum_to, t + 0.5 * h, K + 0.5 * h * k2, k3, table)
        rates(parameters, wave, wave_slope, slope_of, sum_to, t + h, K + h * k3, k4, table)
        found[n + 1] = K + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)


class ShearedCurvature(Gait):
    """A snake whose sections shear, with the curvature that lets every section follow the one before.

    The lateral shear Γ_Y = γ (1 + p f(t - ramp) sin(2π t/T)) sin⁴(π X / l) is imposed, and the curvature follows from
    it. With V_Y = 0 along the body, W_Z = K V - Γ̇ and V' = -Γ (K V - Γ̇), and K obeys a transport equation with inflow
    at the head, where it stays at K_0, as everywhere at the start. The head speeds up to `speed` during `ramp` (smooth
    start f); the beat sets in after it. Without shear K_0 would stay for ever: a circular body is singular for the
    plain snake.
    """

    kind: Literal["sheared-curvature"] = "sheared-curvature"
    curvature: Quantity[float] = quantity(3.0, "1/m", "curvature K_0 at the start and at the head")
    shear: Quantity[float] = quantity(0.25, "1", "largest lateral shear γ")
    speed: Quantity[float] = quantity(-0.2, "m/s", "axial velocity of the head; negative goes head first", lt=0)
    pulse: Quantity[float] = quantity(0.3, "1", "share p of the shear that beats", ge=0)
    period: Quantity[float] = quantity(2.0, "s", "period T of the beat", gt=0)
    ramp: Quantity[float] = quantity(1.0, "s", "duration of the smooth start of speed and beat", gt=0)
    length: Quantity[float] = quantity(1.0, "m", "length l of the body", gt=0)
    until: Quantity[float] = quantity(10.0, "s", "time until which the gait is found", gt=0, le=200)

    drives: ClassVar[str] = "strain"
    rate = staticmethod(curvature_rate)

    @cached_property
    def _nodes(self) -> tuple[Array, Array]:
        """Chebyshev nodes on [0, l] from the head, and the matrix that differentiates on them."""
        n = _NODES
        x = -np.cos(np.pi * np.arange(n) / (n - 1))
        c = np.where((np.arange(n) == 0) | (np.arange(n) == n - 1), 2.0, 1.0) * (-1.0) ** np.arange(n)
        gap = x[:, None] - x[None, :] + np.eye(n)
        D = np.outer(c, 1.0 / c) / gap
        D -= np.diag(D.sum(axis=1))
        return 0.5 * self.length * (x + 1.0), 2.0 / self.length * D

    @cached_property
    def _splines(self) -> list[tuple[float, Any]]:
        """Chebyshev coefficients of K along the body, as splines of degree five in time: one from each start to the
        next, where they meet less smoothly.
        """
        from scipy.interpolate import make_interp_spline

        X, D = self._nodes
        basis = chebyshev.chebvander(2.0 * X / self.length - 1.0, _NODES - 1)
        k, sum_to = np.pi / self.length, np.zeros_like(D)
        sum_to[1:, 1:] = np.linalg.inv(D[1:, 1:])  # the integral is 0 at the head
        wave, slope = self.shear * np.sin(k * X) ** 4, 4.0 * k * self.shear * np.sin(k * X) ** 3 * np.cos(k * X)
        K, pieces = np.full(_NODES, self.curvature), []
        for start, end in pairwise([0.0, *self.breakpoints(0.0, self.until), self.until]):
            times = np.linspace(start, end, max(6, int(np.ceil((end - start) / _STEP))) + 1)
            found = np.tile(K, (len(times), 1))
            find_curvature((self.speed, self.ramp, self.period, self.pulse), wave, slope, D, sum_to, times, found)
            K = found[-1]
            if not np.isfinite(K).all():
                raise InputError(
                    "the curvature that the shear asks for grows without bound; reduce `shear`, `curvature` or `until`"
                )
            pieces.append((start, make_interp_spline(times, np.linalg.solve(basis, found.T).T, k=5)))
        return pieces

    def _coefficients(self, times: Array, order: int) -> Array:
        """Chebyshev coefficients (T, nodes) of K, differentiated `order` times in time."""
        starts = [start for start, _ in self._splines]
        piece = np.searchsorted(starts, times, side="right") - 1
        out = np.empty((len(times), _NODES))
        for number in np.unique(piece):
            out[piece == number] = self._splines[max(number, 0)][1](times[piece == number], nu=order)
        return out

    def sample(self, times: Array, stations: Array) -> Drive:
        """Strain (T, S, 6): lateral shear and yaw curvature; stations (S,), or (T, S)."""
        if times[-1] > self.until * (1.0 + 1e-12):
            raise InputError(
                f"gait 'sheared-curvature' is found until t = {self.until:g} s, and the run asks for {times[-1]:g} s; "
                "raise gait.until, or shorten the duration"
            )
        if stations.max() > self.length * (1.0 + 1e-9):
            raise InputError(
                f"gait 'sheared-curvature' is for a body of length {self.length:g} m, and the robot reaches X = "
                f"{stations.max():g} m; give both the same length"
            )
        basis = kernel_array(chebyshev.chebvander(np.clip(2.0 * stations / self.length - 1.0, -1.0, 1.0), _NODES - 1))
        wave = self.shear * np.sin(np.pi * stations / self.length) ** 4
        beats = np.empty((3, len(times), 1))
        sample_beat(kernel_array(times), self.ramp, self.period, self.pulse, beats[..., 0])
        rows = np.stack([self._coefficients(times, order) for order in range(3)], axis=1)  # (T, 3, nodes)
        # a product for each instant: the last bits of one product for all depend on how many there are
        bends = (rows @ basis.swapaxes(-1, -2)).transpose(1, 0, 2)
        return strain_drive(list(bends), shear=[part * wave for part in beats])

    @property
    def cycle(self) -> None:
        """The beat repeats itself, the motion does not."""
        return None

    def breakpoints(self, start: float, end: float) -> list[float]:
        """The ends of the smooth starts."""
        return [t for t in (self.ramp, 2.0 * self.ramp) if start < t < end]
