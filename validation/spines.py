"""Rods as spines of many equal vertebrae: what the cases of rods under load share."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

import limbless as ll

ELASTICA = {
    0.5: (0.244534, 0.162144, 0.015919, 0.492041),
    1.0: (0.461352, 0.301721, 0.056433, 0.943567),
    2.0: (0.781750, 0.493457, 0.160642, 1.678717),
    5.0: (1.215368, 0.713792, 0.387628, 3.061858),
    10.0: (1.430286, 0.810609, 0.554996, 4.450044),
}
"""P L²/EI -> tip angle, deflection/L, shortening/L, root moment L/EI."""


def rod(
    count: int,
    length: float = 1.0,
    bending: float = 1.0,
    twisting: float | None = None,
    rest: float = 0.0,
    hole: float = 0.0,
    mass: float = 0.0,
) -> ll.TendonSpine:
    """Equal vertebrae with the stiffness (N m²) and mass (kg) of a rod; one straight tendon
    at the offset `hole` (m).
    """
    l = length / count
    one = ll.Vertebra(
        length=l,
        lateral_stiffness=bending / l,
        vertical_stiffness=bending / l,
        twist_stiffness=None if twisting is None else twisting / l,
        rest_lateral=rest / count,
        joint_mass=mass / count,
        disk_mass=0.0,
        volume=0.0,
    )
    return ll.TendonSpine(vertebrae=(one,) * count, tendons=(ll.Tendon(holes=((hole, 0.0),)),), disk_radius=1.0)


def sprung(
    links: int,
    mass: float = 1.0,
    length: float = 1.0,
    bending: float = 1.0,
    radius: float = 0.0,
    damping_time: float = 0.0,
) -> ll.Chain:
    """A clamped rod as a chain: rigid links of equal length l, half a link at both ends, springs EI/l between; thin, or
    round with this radius.
    """
    l = length / links
    spring = ll.Joint(axis=(0, 0, 1), stiffness=bending / l, damping=damping_time * bending / l)

    def link(span: float, **fields: Any) -> ll.Link:
        m = mass * span / length
        along, across = 0.5 * m * radius**2 or 1e-9, m * (span**2 / 3.0 + radius**2 / 4.0)
        return ll.Link(
            mass=m, first_moment=(0.5 * m * span, 0.0, 0.0), inertia=(along, 0, 0, across, 0, across), **fields
        )

    lengths = [l] * (links - 1) + [0.5 * l]
    places = [0.5 * l] + [l] * (links - 1)
    return ll.Chain(
        base="fixed",
        links=(
            link(0.5 * l),
            *(
                link(length, joint=spring, position=(place, 0.0, 0.0))
                for length, place in zip(lengths, places, strict=True)
            ),
        ),
    )


BEND_TIPS = {300.0: (22.2448, 58.7791, 40.1919), 600.0: (15.6848, 47.1504, 53.4749)}
"""Tip of the 45 degree bend (Bathe and Bolourchi 1979) under an out-of-plane force: towards the centre,
along the base, out of plane.
"""
BEND_RADIUS, BEND_LENGTH, BEND_BENDING, BEND_TWISTING = 100.0, 100.0 * np.pi / 4, 1e7 / 12, 5e6 / 6
"""Of that bend: unit square section, E 1e7, G 5e6, J 1/6."""


def bend_of_a_rod(force: float, shear: float, stretch: float) -> np.ndarray:
    """Tip of the 45 degree bend as a Cosserat rod, by shooting: `shear` and `stretch` are 1/GA and 1/EA;
    along, inward, out of plane.
    """
    load, curvature = np.array([0.0, 0.0, force]), np.array([0.0, 0.0, 1.0 / BEND_RADIUS])
    softness, strain = 1.0 / np.array([BEND_TWISTING, BEND_BENDING, BEND_BENDING]), np.array([stretch, shear, shear])

    def rate(_: float, y: np.ndarray) -> np.ndarray:
        R = y[3:12].reshape(3, 3)
        v = R @ (np.array([1.0, 0.0, 0.0]) + strain * (R.T @ load))
        u = curvature + softness * (R.T @ y[12:])
        return np.concatenate([v, np.cross(R, u).ravel(), -np.cross(v, load)])  # R u^, row by row

    def end(moment: np.ndarray) -> np.ndarray:
        begin = np.concatenate([np.zeros(3), np.eye(3).ravel(), moment])
        return solve_ivp(rate, (0.0, BEND_LENGTH), begin, method="DOP853", rtol=1e-10, atol=1e-9).y[:, -1]

    moment = fsolve(lambda m: end(m)[12:] / force, [22.0 * force, -59.0 * force, 0.0], xtol=1e-11)
    assert np.abs(end(moment)[12:]).max() < 1e-6
    return end(moment)[:3]
