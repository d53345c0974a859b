"""The geometric model: Christoffel's tensor beside numerical derivatives, and a crawling snake beside real time."""

from __future__ import annotations

import numpy as np

import limbless as ll
from benchmarks.rollouts import loop_factor, whole_factor
from benchmarks.table import Row, microseconds
from benchmarks.timing import each, race
from limbless.models.chain.geometry.geometric_equations import Geometric
from limbless.models.chain.geometry.planar_closed_form import Levers, levers

Array = np.ndarray


def central_differences(model: Geometric, x: Array, step: float = 1e-6) -> Array:
    """Symbols from central differences of the library's own compiled metric: 2 n evaluations."""
    rate = np.empty((len(x),) * 3)
    for k in range(len(x)):
        ahead, behind = x.copy(), x.copy()
        ahead[k] += step
        behind[k] -= step
        rate[k] = (model.metric(ahead) - model.metric(behind)) / (2.0 * step)
    return 0.5 * (rate.transpose(0, 2, 1) + rate.transpose(2, 0, 1) - rate.transpose(1, 2, 0))


def complex_metric(constants: Levers, x: Array) -> Array:
    """The metric of a planar chain of straight modules in its closed form, for complex x: vectorised NumPy, O(n^2).
    Masses and inertias on its diagonal, which have no derivative, are left out.
    """
    heading = np.cumsum(x[2:])
    coupling = constants.coupling.real * np.cos(heading[:, None] - heading[None, :])
    for axis in (0, 1):
        coupling = np.flip(np.cumsum(np.flip(coupling, axis), axis), axis)
    first = [np.flip(np.cumsum(np.flip(constants.moment.real * f(heading)))) for f in (np.sin, np.cos)]
    M = np.zeros((len(x), len(x)), dtype=x.dtype)
    M[2:, 2:] = coupling
    M[0, 2:], M[1, 2:] = -first[0], first[1]
    M[2:, 0], M[2:, 1] = M[0, 2:], M[1, 2:]
    return M


def complex_step(constants: Levers, x: Array, step: float = 1e-30) -> Array:
    """Symbols from complex steps of the closed form: n evaluations, exact to rounding."""
    rate = np.empty((len(x),) * 3)
    for k in range(len(x)):
        ahead = x.astype(complex)
        ahead[k] += 1j * step
        rate[k] = complex_metric(constants, ahead).imag / step
    return 0.5 * (rate.transpose(0, 2, 1) + rate.transpose(2, 0, 1) - rate.transpose(1, 2, 0))


def tensor_rows(modules: int = 48, chunks: int = 30) -> list[Row]:
    """n = 50 degrees of freedom for 48 modules: three of the tail, 47 joints."""
    model = Geometric(ll.WangSnake(modules=modules))
    x, constants = np.random.default_rng(0).uniform(-0.4, 0.4, model.freedoms), levers(model.chain)
    symbols = model.christoffel(x)
    others = {
        "central differences": (central_differences(model, x), 1e-4),
        "complex steps": (complex_step(constants, x), 1e-9),
        "planar form": (model.christoffel(x, "planar"), 1e-9),
    }
    for name, (other, most) in others.items():
        if np.abs(symbols - other).max() > most * np.abs(symbols).max():
            raise RuntimeError(f"Christoffel symbols and {name} differ")
    best = race(
        {
            "general": each(lambda: model.christoffel(x)),
            "planar": each(lambda: model.christoffel(x, "planar")),
            "differences": each(lambda: central_differences(model, x)),
            "complex": each(lambda: complex_step(constants, x)),
        },
        chunks,
    )
    peers = {
        "differences": "central differences of the compiled metric",
        "complex": "complex steps of its closed form in NumPy",
    }
    rows = [
        Row(
            f"Christoffel tensor, n = {model.freedoms}, general form",
            microseconds(best["general"]),
            f"{name}: {microseconds(best[peer])}",
            best[peer] / best["general"],
            f"{best[peer] / best['general']:.0f}",
            target=20,
            reason="The peer calls the library's own compiled metric, itself O(n²), 2 n times; the n³ numbers "
            "must still be written.",
        )
        for peer, name in peers.items()
    ]
    return [*rows, Row("the same tensor, planar form in NumPy", microseconds(best["planar"]))]


def crawl_rows(duration: float = 20.0, repeats: int = 5) -> list[Row]:
    """`wheeled-snake-crawl` as it stands: set-valued friction, steps of 1 ms; with the other cone, and by the
    Newton-Euler model.
    """
    run = {"duration": duration}
    others = {
        "the same with `cone: ellipse`": {"environment.wheels.cone": "ellipse"},
        "the same by `newton-euler`, O(n) on slightly elastic ground": {"model": {"kind": "newton-euler"}},
    }
    factor = loop_factor(ll.Scenario.load("wheeled-snake-crawl", run), repeats)
    whole = whole_factor("wheeled-snake-crawl", run, repeats)
    rows = [
        Row(
            "`wheeled-snake-crawl`, set-valued friction, 1 ms: time loop, times real time",
            f"{factor:.0f} x",
            "real time",
            factor,
            f"{factor:.0f}",
            target=50,
        ),
        Row(
            f"the same, all of `ll.run` for {duration:g} s",
            f"{whole:.0f} x",
            "real time",
            whole,
            f"{whole:.0f}",
            target=50,
        ),
    ]
    for name, changes in others.items():
        factor = loop_factor(ll.Scenario.load("wheeled-snake-crawl", {**run, **changes}), repeats)
        rows.append(Row(f"{name}: time loop", f"{factor:.0f} x", "real time", factor, f"{factor:.0f}", target=50))
    return rows


def rows() -> list[Row]:
    return tensor_rows() + crawl_rows()
