"""Bodies that answer, without inertia: filaments in a viscous fluid against linear theory."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll
from validation.runner.convergence_orders import draw_order, fitted_order

Array = np.ndarray
ROOTS = {"clamped": 1.875104068711961, "free": 4.730040744862704}
CELLS, AMPLITUDE = (10, 20, 40), 0.01
GAUSS = np.polynomial.legendre.leggauss(5)


def bent(curvature: Any, cells: int) -> tuple[float, ...]:
    """Freedoms of cells with strains of degree 1 on a rod of length 1 that fit a curvature best."""
    half, found = 0.5 / cells, []
    for middle in (2.0 * np.arange(cells) + 1.0) * half:
        values = curvature(middle + half * GAUSS[0])
        found += [0.5 * GAUSS[1] @ values, 1.5 * GAUSS[1] @ (values * GAUSS[0])]
    return tuple(found)


def run(base: str, environment: list[Any], start: tuple[float, ...], duration: float, step: float, every: float) -> Any:
    """A rod with L = EI = 1, without inertia."""
    return ll.run(
        ll.Scenario(
            name="slow",
            robot=ll.Rod(length=1.0, half_width=0.005, strains="planar", stiffness=1.0, passive={}, base=base),
            gait=ll.Still(),
            environment=environment,
            model={"kind": "soft", "inertia": False, "cells": len(start) // 2, "tolerance": 1e-10},
            duration=duration,
            step=step,
            record_every=every,
            initial={"joint_position": start},
        )
    ).dataset


def relaxed(kind: str, cells: int) -> float:
    """Rate at which the first mode dies out, over EI (root / L)^4 / drag across, less 1."""
    root, sign = ROOTS[kind], 1.0 if kind == "clamped" else -1.0
    share = (np.cosh(root) + sign * np.cos(root)) / (np.sinh(root) + sign * np.sin(root))

    def mode(s: Array) -> Array:
        wave = np.cosh(root * s) + sign * np.cos(root * s) - share * (np.sinh(root * s) + sign * np.sin(root * s))
        return np.asarray(1e-6 * wave)

    time = 2.0 / root**4
    base, drag = "fixed" if kind == "clamped" else "planar", [ll.Drag(along=1.0, lateral=2.0)]
    energy = run(base, drag, bent(mode, cells), time, time / 40, time)["elastic_energy"].values
    return float(0.5 * np.log(energy[0] / energy[-1]) - 1.0)


def shaken(
    t: float,
    position: Array,
    axes: Array,
    velocity: Array,
    rotation_rate: Array,
    amplitude: float = 0.01,
    rate: float = 1.0,
) -> Array:
    """Drag in the frame of an end that moves sideways by a cos wt: without inertia both frames are alike."""
    w = -amplitude * rate * np.sin(rate * t)
    force = np.zeros(3)
    force[0] = -1.0 * (velocity[0] + axes[0, 1] * w)
    force[1] = -2.0 * (velocity[1] + axes[1, 1] * w)
    force[2] = -2.0 * velocity[2]
    return force


def driven(sperm: float, axes: Any) -> tuple[float, float]:
    """Mean thrust over that of linear theory, and the largest distance from its shape over the amplitude."""
    rate, a = sperm**4 / 2.0, AMPLITUDE
    roots = (-1j * sperm**4) ** 0.25 * np.array([1, 1j, -1, -1j])
    rows = np.array([np.ones(4), roots, roots**2 * np.exp(roots), roots**3 * np.exp(roots)])
    share = np.linalg.solve(rows, np.array([1.0, 0.0, 0.0, 0.0]))

    def wave(s: Array, order: int) -> Array:
        return np.asarray(np.exp(np.multiply.outer(s, roots)) @ (share * roots**order))

    period, law = 2.0 * np.pi / rate, ll.ForceLaw(law=shaken, arguments={"amplitude": a, "rate": rate})
    start = bent(lambda s: a * np.real(wave(s, 2)), 20)
    data = run("fixed", [law], start, 2.0 * period, period / 64, period / 64).isel(time=slice(64, 128))
    X = np.linspace(0.0, 1.0, 2001)
    thrust = np.trapezoid(0.5 * np.real(1j * rate * wave(X, 0) * np.conj(wave(X, 1))), X) * a**2
    turn = np.exp(-1j * rate * data["time"].values)[:, None]
    shape, s = 2.0 * (data["position"].values[..., 1] * turn).mean(axis=0) + a, data["abscissa"].values
    (line,) = axes.plot(X, np.real(wave(X, 0)), label=f"sperm number {sperm:g}")
    axes.plot(s, np.real(shape) / a, "o", markersize=3, color=line.get_color())
    return -float(data["base_reaction"][:, 0].mean()) / thrust, float(np.abs(shape - a * wave(s, 0)).max() / a)


def check(case: Any, sheet: Any) -> dict[str, float]:
    left, right = sheet.subplots(1, 2)
    found: dict[str, float] = {}
    for kind in ROOTS:
        errors = [abs(relaxed(kind, cells)) for cells in CELLS]
        draw_order(left, CELLS, errors, f"{kind} filament", "cells")
        found[f"{kind} order"], found[kind] = fitted_order(CELLS, errors), errors[-1]
    left.set_ylabel("relative error of the rate")
    for sperm in (1.0, 3.0, 6.0):
        found[f"thrust {sperm:g}"], found[f"shape {sperm:g}"] = driven(sperm, right)
    right.set(xlabel="abscissa over length", ylabel="deflection over amplitude")
    right.legend()
    return found
