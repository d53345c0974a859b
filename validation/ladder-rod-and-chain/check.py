"""Rod and chains of 10 to 80 links: motion and torque after one period."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

import limbless as ll
from validation.runner.convergence_orders import draw_order, extrapolated, fitted_order

COUNTS = (10, 20, 40, 80)


def check(case: Any, sheet: Any) -> dict[str, float]:
    rod = ll.Rod(length=1.0, half_width=0.03, half_height=0.045, strains="planar", base="planar")
    gait = ll.BodyWave(amplitude=0.25, growth=0.0, wavelength=1.0, period=1.0, ramp=0.5)
    options = {"duration": 1.0, "step": 0.005, "record_every": 0.5}
    smooth = ll.simulate(
        rod, gait, ll.Water(model="morison"), model={"kind": "macro-continuous", "cells": 160}, **options
    ).dataset.isel(time=-1)
    ends, torque = [], []
    for links in COUNTS:
        middle = gait.changed(x_first=0.5 / links)  # a link points as the rod does at its middle
        chain = ll.simulate(
            rod.to_chain(links), middle, ll.Water(model="morison", points=8), model="newton-euler", **options
        ).dataset.isel(time=-1)
        joints = np.arange(1, links) / links
        # with the sign of what drives it
        inside = CubicSpline(smooth.abscissa.values, smooth.internal_wrench.values[:, 5])(joints)
        ends.append(chain.com_position.values)
        torque.append(float(np.abs(chain.joint_torque.values + inside).max()))
    motion = [float(np.linalg.norm(end - smooth.com_position.values)) for end in ends]
    limit = extrapolated(ends[-2], ends[-1])
    axes = sheet.subplots()
    draw_order(axes, COUNTS, motion, "centre of mass (m)", "links")
    draw_order(axes, COUNTS, torque, "torque (N m)", "links")
    axes.set_ylabel("difference")
    return {
        "motion order": fitted_order(COUNTS, motion),
        "torque order": fitted_order(COUNTS, torque),
        "limit": float(np.linalg.norm(limit - smooth.com_position.values)),
    }
