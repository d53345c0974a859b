"""`sheared-curvature`: a snake whose sections shear, so that it can leave any bent posture (paper 000, (55)-(56) in general form)."""
from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from limbless.description import quantity
from limbless.errors import InputError
from limbless.gaits.base import Array, Drive, Gait
from limbless.gaits.body_wave import smooth_start

_NODES = 40            # Chebyshev nodes along the body
_STEP = 0.004          # s: of the Runge-Kutta steps in which the curvature is found


def curvature_rate(K: Array, slope: Array, shear: Array, shear_rate: Array, shear_rate_slope: Array, speed: Array) -> Array:
    """K̇ that lets every section follow the one before: K' V - K² Γ V + K Γ Γ̇ - Γ̇' (56) in general form, V the axial speed of the
    section."""
    return slope * speed - K * K * shear * speed + K * shear * shear_rate - shear_rate_slope


class ShearedCurvature(Gait):
    """A snake whose sections shear, with the curvature that lets every section follow the one before.

    The lateral shear Γ_Y = γ (1 + p f(t - ramp) sin(2π t/T)) sin⁴(π X / l) is imposed, and the curvature follows from it.
    With V_Y = 0 along the body, W_Z = K V - Γ̇ and V' = -Γ (K V - Γ̇), and K obeys a transport equation with inflow at the head, where it
    stays at K_0, as everywhere at the start. The head speeds up to `speed` during `ramp` (smooth start f); the beat sets
    in after it. Without shear K_0 would stay for ever: a circular body is singular for the plain snake.
    """

    kind: Literal["sheared-curvature"] = "sheared-curvature"
    curvature: float = quantity(3.0, "1/m", "curvature K_0 at the start and at the head")
    shear: float = quantity(0.25, "1", "largest lateral shear γ")
    speed: float = quantity(-0.2, "m/s", "axial velocity of the head; negative goes head first", lt=0)
    pulse: float = quantity(0.3, "1", "share p of the shear that beats", ge=0)
    period: float = quantity(2.0, "s", "period T of the beat", gt=0)
    ramp: float = quantity(1.0, "s", "duration of the smooth start of speed and beat", gt=0)
    length: float = quantity(1.0, "m", "length l of the body", gt=0)
    until: float = quantity(10.0, "s", "time until which the gait is found", gt=0, le=200)

    drives: ClassVar[str] = "strain"

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

    def beat(self, t: float) -> tuple[float, float, float]:
        """1 + p f(t - ramp) sin(2π t/T) and its first two derivatives."""
        f, fd, fdd = smooth_start(max(t - self.ramp, 0.0), self.ramp)
        w, p = 2.0 * np.pi / self.period, self.pulse
        sine, cosine = np.sin(w * t), w * np.cos(w * t)
        return 1.0 + p * f * sine, p * (fd * sine + f * cosine), p * (fdd * sine + 2.0 * fd * cosine - f * w * w * sine)

    def _shear(self, t: float, X: Array) -> tuple[Array, Array, Array]:
        """Γ, Γ̇ and Γ̇' at the nodes."""
        now, rate, _ = self.beat(t)
        k = np.pi / self.length
        wave = self.shear * np.sin(k * X) ** 4
        return now * wave, rate * wave, 4.0 * k * rate * self.shear * np.sin(k * X) ** 3 * np.cos(k * X)

    def rates(self, t: float, K: Array) -> Array:
        """K̇ at the nodes; 0 at the head, where K is given."""
        X, D = self._nodes
        shear, shear_rate, shear_rate_slope = self._shear(t, X)
        A = D + np.diag(shear * K)
        right = shear * shear_rate
        A[0], right[0] = np.eye(len(X))[0], self.speed * smooth_start(t, self.ramp)[0]
        speed = np.asarray(np.linalg.solve(A, right), dtype=np.float64)
        rate = curvature_rate(K, D @ K, shear, shear_rate, shear_rate_slope, speed)
        rate[0] = 0.0
        return rate

    @cached_property
    def _splines(self) -> list[tuple[float, Any]]:
        """Chebyshev coefficients of K along the body, as splines of degree five in time: one from each start to the next, where they meet
        less smoothly."""
        from numpy.polynomial import chebyshev
        from scipy.interpolate import make_interp_spline

        basis = chebyshev.chebvander(2.0 * self._nodes[0] / self.length - 1.0, _NODES - 1)
        K, pieces = np.full(_NODES, self.curvature), []
        for start, end in pairwise([0.0, *self.breakpoints(0.0, self.until), self.until]):
            times = np.linspace(start, end, max(6, int(np.ceil((end - start) / _STEP))) + 1)
            found = self._follow(times, K)
            K = found[-1]
            pieces.append((start, make_interp_spline(times, np.linalg.solve(basis, found.T).T, k=5)))
        return pieces

    def _follow(self, times: Array, K: Array) -> Array:
        """K at the nodes and at even times (T, nodes), by Runge-Kutta steps."""
        h, found = times[1] - times[0], [K]
        for t in times[:-1]:
            k1 = self.rates(t, K)
            k2 = self.rates(t + 0.5 * h, K + 0.5 * h * k1)
            k3 = self.rates(t + 0.5 * h, K + 0.5 * h * k2)
            K = K + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + self.rates(t + h, K + h * k3))
            found.append(K)
        if not np.isfinite(K).all():
            raise InputError("the curvature that the shear asks for grows without bound; reduce `shear`, `curvature` or `until`")
        return np.array(found)

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
            raise InputError(f"gait 'sheared-curvature' is found until t = {self.until:g} s, and the run asks for {times[-1]:g} s; raise "
                             f"gait.until, or shorten the duration")
        if stations.max() > self.length * (1.0 + 1e-9):
            raise InputError(f"gait 'sheared-curvature' is for a body of length {self.length:g} m, and the robot reaches X = "
                             f"{stations.max():g} m; "
                             "give both the same length")
        X = np.broadcast_to(stations, (len(times), stations.shape[-1]))
        basis = np.cos(np.arange(_NODES) * np.arccos(np.clip(2.0 * X / self.length - 1.0, -1.0, 1.0))[..., None])
        wave = self.shear * np.sin(np.pi * X / self.length) ** 4
        start = np.array([self.beat(t) for t in times]).T
        parts = []
        for order in range(3):
            strain = np.zeros((*X.shape, 6))
            strain[..., 1] = start[order][:, None] * wave
            strain[..., 5] = (basis @ self._coefficients(times, order)[..., None])[..., 0]
            parts.append(strain)
        parts[0][..., 0] = 1.0
        return Drive(*parts)

    def breakpoints(self, start: float, end: float) -> list[float]:
        """The ends of the smooth starts."""
        return [t for t in (self.ramp, 2.0 * self.ramp) if start < t < end]
