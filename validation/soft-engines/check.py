"""A clamped soft rod that is let go, in three programs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

import limbless as ll
from validation.runner.convergence_orders import draw_order, extrapolated, fitted_order
from validation.swinging import DENSITY, DOWN, GRAVITY, LENGTH, MODULUS, RADIUS, Elastica, apart, soft_rod

TIMES = np.array([0.1, 0.2, 0.3])
ELEMENTS, LINKS = {40: 2.5e-4, 80: 1.25e-4, 160: 6.25e-5}, (10, 20, 40)  # s: steps that are stable


def ours(strains: str) -> np.ndarray:
    """(times, 2) the tip."""
    data = ll.simulate(
        soft_rod(strains),
        ll.Still(),
        DOWN,
        duration=0.3,
        step=0.0025,
        record_every=0.1,
        model=ll.SoftSettings(cells=8, degree=2),
    ).dataset
    return np.asarray(data["tip_position"].values[1:, :2])


def elastica(elements: int, step: float) -> np.ndarray:
    peer = Elastica(elements, step)
    return np.array([peer.advance(round(0.1 / step)) for _ in TIMES])


def chain(links: int) -> np.ndarray:
    """Half a cell is clamped; then hinges at the middles of all cells, with springs EI/l."""
    import mujoco

    l, area = LENGTH / links, np.pi * RADIUS**2
    spring = MODULUS * np.pi / 4.0 * RADIUS**4 / l
    text, place = "", 0.5 * l
    for number in range(links):
        span = l if number < links - 1 else 0.5 * l
        mass = DENSITY * area * span
        across = mass * (RADIUS**2 / 4.0 + span**2 / 12.0)
        text += (
            f'<body pos="{place!r} 0 0"><joint axis="0 0 1" stiffness="{spring!r}"/><inertial mass="{mass!r}" '
            f'pos="{0.5 * span!r} 0 0" diaginertia="{0.5 * mass * RADIUS**2!r} {across!r} {across!r}"/>'
        )
        place = l
    text += f'<site name="tip" pos="{0.5 * l!r} 0 0"/>' + "</body>" * links
    model = mujoco.MjModel.from_xml_string(
        f'<mujoco><option gravity="0 {-GRAVITY} 0" timestep="0.0002" integrator="RK4"/><worldbody>{text}</worldbody>'
        "</mujoco>"
    )
    data, found = mujoco.MjData(model), []
    for _ in TIMES:
        for _ in range(500):
            mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
        found.append(data.site("tip").xpos[:2].copy())
    return np.array(found)


def check(case: Any, sheet: Any) -> dict[str, float]:
    shearing, kirchhoff = ours("planar-reissner"), ours("planar")
    runs = [elastica(*entry) for entry in ELEMENTS.items()]
    rods, steps = [apart(run, shearing) for run in runs], [apart(*pair) for pair in pairwise(runs)]
    chains = [apart(chain(links), kirchhoff) for links in LINKS]
    axes = sheet.subplots()
    draw_order(axes, tuple(ELEMENTS), rods, "PyElastica", "elements or links")
    draw_order(axes, LINKS, chains, "MuJoCo", "elements or links")
    both = sorted({*ELEMENTS, *LINKS})
    axes.set_xticks(both, [str(count) for count in both])
    axes.set_ylabel("distance of the tips (m)")
    limit = extrapolated(runs[-2], runs[-1], order=1.0)
    return {
        "elastica": apart(limit, shearing),
        "elastica order": float(np.log2(steps[0] / steps[1])),
        "mujoco": chains[-1],
        "mujoco order": fitted_order(LINKS, chains),
    }
