"""What cases and golden tests of rods share."""
from __future__ import annotations

import numpy as np


def axial_speed(X: np.ndarray, K: np.ndarray, shear: np.ndarray, shear_rate: np.ndarray, start: float) -> np.ndarray:
    """V' = -Γ (K V - Γ̇) by the implicit trapezium rule on a fine grid: apart from the library."""
    V = np.empty_like(X)
    V[0] = start
    a, b = -shear * K, shear * shear_rate
    for k in range(len(X) - 1):
        h = X[k + 1] - X[k]
        V[k + 1] = (V[k] + 0.5 * h * (a[k] * V[k] + b[k] + b[k + 1])) / (1.0 - 0.5 * h * a[k + 1])
    return V
