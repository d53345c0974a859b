"""Second-kind symbols, geodesics, and (22) as the paper prints it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import Torque
from limbless.models.chain.geometry.geometric_equations import Geometric
from limbless.models.geometric import GeometricSettings


@pytest.mark.parametrize("base", ["planar", "free", "fixed"])
def test_symbols_of_the_second_kind(tools: Any, base: str) -> None:
    """(12) with the metric and the symbols of the definitions, and the free acceleration (11)."""
    model = Geometric(tools.chain(2, base))
    x, v = tools.state(model, 4)
    raised, exact = model.christoffel(x, kind="second"), tools.definition(model.chain)
    lowered = np.einsum("li,jki->jkl", exact.metric(x).real, raised)
    assert lowered == pytest.approx(exact.christoffel(x), abs=1e-12 * np.abs(lowered).max())
    free = model.solve(x, v, "torque-driven").acceleration
    assert -np.einsum("jki,j,k->i", raised, v, v) == pytest.approx(free, abs=1e-11 * np.abs(free).max())


@pytest.mark.parametrize(("base", "coordinates"), [("planar", "virtual"), ("free", "group")])
def test_geodesics_are_free_motions(tools: Any, base: str, coordinates: str) -> None:
    """Constant kinetic energy, and the path of a run, whose recursion and steps share nothing with the metric and
    the adaptive steps.
    """
    model = Geometric(tools.chain(1, base), (), Torque(), GeometricSettings(coordinates=coordinates))
    x, v = tools.state(model, 3)
    found = model.geodesic(x, 0.3 * v, np.linspace(0.0, 0.5, 6))
    energy = [0.5 * u @ model.metric(c) @ u for c, u in zip(found.x, found.speeds, strict=True)]
    assert np.ptp(energy) < 1e-9 * energy[0] and np.array_equal(found.x[0], x)
    n, planar = model.chain.freedoms, base == "planar"
    place = [x[0], x[1], 0.0, np.cos(x[2] / 2), 0.0, 0.0, np.sin(x[2] / 2)] if planar else x[:7]
    c, s = np.cos(x[2]), np.sin(x[2])
    twist = [c * v[0] + s * v[1], c * v[1] - s * v[0], 0.0, 0.0, 0.0, v[2]] if planar else v[:6]
    limp = ll.FunctionGait(drives="torque", function=lambda t, s: np.zeros((len(t), n)))
    start = {"position": place[:3], "orientation": place[3:], "twist": 0.3 * np.array(twist)}
    run = ll.simulate(
        model.chain,
        limp,
        (),
        model="geometric",
        actuation="torque",
        duration=0.5,
        step=1e-3,
        record_every=0.5,
        initial={**start, "joint_position": x[-n:], "joint_velocity": 0.3 * v[-n:]},
    ).dataset
    assert run["joint_position"].values[-1] == pytest.approx(found.x[-1, -n:], abs=1e-8)
    assert run["base_position"].values[-1, :2] == pytest.approx(found.x[-1, :2], abs=1e-8)


def test_a_geodesic_is_the_shortest_way(tools: Any) -> None:
    """Any bent way between the same postures is longer, to second order in the bend."""
    model = Geometric(tools.chain(1, "planar", planar=True))
    x, v = tools.state(model, 5)
    found = model.geodesic(x, 0.2 * v, np.linspace(0.0, 1.0, 201))

    def length(way: np.ndarray) -> float:
        steps, middles = np.diff(way, axis=0), 0.5 * (way[1:] + way[:-1])
        return float(sum(np.sqrt(d @ model.metric(c) @ d) for d, c in zip(steps, middles, strict=True)))

    bend = np.sin(np.pi * found.time)[:, None] * np.random.default_rng(0).normal(size=model.freedoms)
    straight, little, more = length(found.x), length(found.x + 1e-2 * bend), length(found.x + 2e-2 * bend)
    assert little > straight and (more - straight) / (little - straight) == pytest.approx(4.0, rel=0.1)


def test_printed_equations_leave_the_cross_terms_out() -> None:
    """One state; what a motion by them costs is a golden test, against the numbers of an independent code."""
    wheels = ll.Wheels(law="regularised", slip_speed=1e-2)
    x, v = np.array([0.1, 0.2, 0.3, 0.4, 0.1, -0.4, 0.2]), np.array([0.02, 0.05, 0.3, 0.1, -0.4, 0.2, 0.4])
    full, printed = (
        Geometric(ll.WangSnake(), wheels, settings=GeometricSettings(equations=name)) for name in ("full", "printed")
    )
    cross = np.einsum("ijk,i,j->k", full.christoffel(x)[:3, 3:, :3], v[:3], v[3:])
    change = printed.solve(x, v).acceleration[:3] - full.solve(x, v).acceleration[:3]
    assert full.metric(x)[:3, :3] @ change == pytest.approx(2.0 * cross, rel=1e-10)


def test_what_these_refuse() -> None:
    with pytest.raises(ll.InputError, match="planar base on virtual joints"):
        Geometric(ll.WangSnake(base="free"), settings=GeometricSettings(equations="printed"))
    with pytest.raises(ll.InputError, match="'full' or 'printed'"):
        Geometric(ll.WangSnake(), settings=GeometricSettings(equations="corrected"))  # type: ignore[arg-type]
    model = Geometric(ll.WangSnake())
    with pytest.raises(ll.InputError, match="'first'"):
        model.christoffel(np.zeros(7), kind="third")  # type: ignore[arg-type]
    for times in ([], [0.0, 0.0], [-1.0, 0.0], [0.0, np.inf]):
        with pytest.raises(ll.InputError, match="times must be finite"):
            model.geodesic(np.zeros(7), np.zeros(7), times)
    with pytest.raises(ll.InputError, match="no motion of a robot: a run takes 'full'"):
        ll.simulate(ll.WangSnake(), ll.Serpenoid(), (), model={"kind": "geometric", "equations": "printed"})
