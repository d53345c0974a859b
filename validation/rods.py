"""What cases and golden tests of rods share."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.spatial.transform import Rotation


def rotation_matrices(quaternions: np.ndarray) -> np.ndarray:
    """Of one or some quaternions with their scalar first."""
    return np.asarray(Rotation.from_quat(np.asarray(quaternions)[..., [1, 2, 3, 0]]).as_matrix())


def axial_speed(X: np.ndarray, K: np.ndarray, shear: np.ndarray, shear_rate: np.ndarray, start: float) -> np.ndarray:
    """V' = -Γ (K V - Γ̇): V = (V_0 + ∫ E Γ Γ̇)/E, E = exp ∫ Γ K, by the trapezium rule on a fine
    grid, apart from the library.
    """
    h = np.diff(X)

    def summed(f: np.ndarray) -> np.ndarray:
        return np.concatenate([[0.0], np.cumsum(0.5 * h * (f[1:] + f[:-1]))])

    growth = np.exp(summed(shear * K))
    return np.asarray((start + summed(growth * shear * shear_rate)) / growth)


def along_sections(data: Any) -> np.ndarray:
    """Velocities of the middles of sections along their own axes (T, S, 3), m/s: of recorded places
    alone, by splines in time.
    """
    times = data.time.values
    velocity = make_interp_spline(times, data.position.values, k=5).derivative()(times)
    return np.einsum("tsij,tsi->tsj", section_axes(data), velocity)


def section_axes(data: Any) -> np.ndarray:
    """Rotation matrices of all sections (T, S, 3, 3)."""
    return rotation_matrices(data.orientation.values.reshape(-1, 4)).reshape(*data.orientation.shape[:2], 3, 3)


def twist_between_sections(data: Any) -> np.ndarray:
    """Rotation per length about the body, section to section (T, S - 1), 1/m, of recorded orientations alone."""
    axes = section_axes(data)
    between = np.einsum("tsji,tsjk->tsik", axes[:, :-1], axes[:, 1:])
    return 0.5 * (between[..., 2, 1] - between[..., 1, 2]) / np.diff(data.abscissa.values)


def curvature_by_differences(gait: Any, until: float, cells: int) -> tuple[np.ndarray, np.ndarray]:
    """X and K(X) at time `until` of a snake that shears: differences against the flow on a uniform grid, Heun's rule.

    Apart from the gait's own Chebyshev nodes and Runge-Kutta steps. Of second order in 1/cells.
    """
    X, h = np.linspace(0.0, gait.length, cells + 1, retstep=True)
    k = np.pi / gait.length
    wave = gait.shear * np.sin(k * X) ** 4
    wave_slope = 4.0 * k * gait.shear * np.sin(k * X) ** 3 * np.cos(k * X)

    def soft(u: float) -> tuple[float, float]:
        u = min(max(u, 0.0), 1.0)
        return u**3 * (10.0 - 15.0 * u + 6.0 * u**2), 30.0 * u**2 * (1.0 - u) ** 2 / gait.ramp

    def rate(t: float, K: np.ndarray) -> np.ndarray:
        w, (f, slope) = 2.0 * np.pi / gait.period, soft(t / gait.ramp - 1.0)
        now = 1.0 + gait.pulse * f * np.sin(w * t)
        change = gait.pulse * (slope * np.sin(w * t) + f * w * np.cos(w * t))
        V = axial_speed(X, K, now * wave, change * wave, gait.speed * soft(t / gait.ramp)[0])
        against = np.zeros_like(K)
        against[1] = (K[1] - K[0]) / h
        against[2:] = (3.0 * K[2:] - 4.0 * K[1:-1] + K[:-2]) / (2.0 * h)  # the curvature comes from the head
        found = against * V - K**2 * now * wave * V + K * now * wave**2 * change - change * wave_slope
        found[0] = 0.0
        return found

    K, steps = np.full(cells + 1, gait.curvature), max(1, round(until * cells))
    for number in range(steps):
        t, dt = until * number / steps, until / steps
        first = rate(t, K)
        K = K + 0.5 * dt * (first + rate(t + dt, K + dt * first))
    return X, K
