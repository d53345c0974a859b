"""A beach that yields, as a force law on the ends of links: what `snake-shore` is held against beside hard contacts."""

from __future__ import annotations

import math
from typing import Any

import limbless as ll

LENGTH, RADIUS, MASS = 0.1, 0.04, 0.4876  # of a link: m, m, kg
SLOPE, HEIGHT = math.radians(5.0), -0.0787398  # of the beach, which rises to -x
ALONG, ACROSS = 0.1, 0.8  # friction


def elastic_beach(stiffness: float, speed: float) -> ll.ForceLaw:
    """A sphere at each end of every link is pressed out by `stiffness` (N/m) times its depth, with a damper of 0.6 of
    the critical one; friction by an ellipse, which fades below `speed` (m/s). At two Gauss points of a link, each of
    which pushes at the nearer end for half of it.
    """
    k, c = stiffness / (0.5 * LENGTH), 0.6 * math.sqrt(0.5 * MASS * stiffness) / (0.5 * LENGTH)
    x, v, w, a, f, m, behind, link = (
        ll.ForceLaw.columns[name]
        for name in ("position", "velocity", "rotation_rate", "axes", "force", "moment", "abscissa", "link")
    )
    nx, nz = math.sin(SLOPE), math.cos(SLOPE)

    def law(b: Any) -> None:
        for i in range(3):
            b[f + i], b[m + i] = 0.0, 0.0
        here = b[behind] - LENGTH * b[link]
        off = -here if here < 0.5 * LENGTH else LENGTH - here
        gap = (b[x] + off * b[a]) * nx + (b[x + 2] + off * b[a + 2] - HEIGHT) * nz - RADIUS
        if gap >= 0.0:
            return
        n0, n1, n2 = b[a] * nx + b[a + 2] * nz, b[a + 3] * nx + b[a + 5] * nz, b[a + 6] * nx + b[a + 8] * nz
        r0, r1, r2 = off - RADIUS * n0, -RADIUS * n1, -RADIUS * n2  # arm of the contact
        v0 = b[v] + b[w + 1] * r2 - b[w + 2] * r1
        v1, v2 = b[v + 1] + b[w + 2] * r0 - b[w] * r2, b[v + 2] + b[w] * r1 - b[w + 1] * r0
        N = -k * gap - c * (v0 * n0 + v1 * n1 + v2 * n2)
        if N <= 0.0:
            return
        size = math.sqrt(max(1.0 - n0 * n0, 1e-12))
        t0, t1, t2 = (1.0 - n0 * n0) / size, -n0 * n1 / size, -n0 * n2 / size  # along the link, in the beach
        l0, l1, l2 = n1 * t2 - n2 * t1, n2 * t0 - n0 * t2, n0 * t1 - n1 * t0
        u, s = v0 * t0 + v1 * t1 + v2 * t2, v0 * l0 + v1 * l1 + v2 * l2
        slip = math.sqrt((ALONG * u) ** 2 + (ACROSS * s) ** 2 + (ACROSS * speed) ** 2)
        p, q = -N * ALONG**2 * u / slip, -N * ACROSS**2 * s / slip
        f0, f1, f2 = N * n0 + p * t0 + q * l0, N * n1 + p * t1 + q * l1, N * n2 + p * t2 + q * l2
        b[f], b[f + 1], b[f + 2] = f0, f1, f2
        b[m], b[m + 1], b[m + 2] = r1 * f2 - r2 * f1, r2 * f0 - r0 * f2, r0 * f1 - r1 * f0

    return ll.ForceLaw(law=ll.compiled_law(law), points=2)
