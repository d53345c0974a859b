"""Second-kind symbols, geodesics, and (22) as the paper prints it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.actuation import Torque
from limbless.models.chain.geometry.geometric_model import Geometric
from limbless.models.geometric import GeometricSettings
from limbless.scenarios.scenario import Initial

CRAWL = {"step": 0.002, "record_every": 0.02}


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
    """Constant kinetic energy and the path of the time loop, whose Runge-Kutta steps share nothing
    with the adaptive ones but M.
    """
    model = Geometric(tools.chain(1, base), (), Torque(), GeometricSettings(coordinates=coordinates))
    x, v = tools.state(model, 3)
    found = model.geodesic(x, 0.3 * v, np.linspace(0.0, 0.5, 6))
    energy = [0.5 * u @ model.metric(c) @ u for c, u in zip(found.x, found.speeds, strict=True)]
    assert np.ptp(energy) < 1e-9 * energy[0] and np.array_equal(found.x[0], x)
    pb, n = model.frame.coordinates, model.chain.freedoms
    limp = ll.FunctionGait(drives="torque", function=lambda t, s: np.zeros((len(t), n)))
    state = model.initial_state(Initial(), limp)
    state.x[: pb + n], state.x[pb + n : pb + n + model.freedoms] = x, 0.3 * v
    knots = np.linspace(0.0, 0.5, 501)
    after, _, _ = model.advance(state, knots, np.zeros(501, dtype=bool), model.drive(limp, np.linspace(0.0, 0.5, 1001)))
    assert after.x[: pb + n] == pytest.approx(found.x[-1], abs=1e-8)


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


def test_printed_equations_let_a_snake_without_friction_swim_away() -> None:
    """The numbers of an independent code: the tail at X = 0.594 m after 10 s in place of
    -0.003 m, from zero momentum.
    """
    M = Geometric(ll.WangSnake()).metric(np.array([0, 0, 0, 0.4, 0, -0.4, 0]))
    rates = np.array([0.0, -0.4, 0.0, 0.4])
    twist = -np.linalg.solve(M[:3, :3], M[:3, 3:] @ rates)
    start = {"twist": (twist[0], twist[1], 0, 0, 0, twist[2])}
    ends = []
    for equations in ("printed", "full"):
        run = ll.simulate(
            ll.WangSnake(),
            ll.Serpenoid(),
            (),
            model={"kind": "geometric", "equations": equations},
            duration=10.0,
            step=0.01,
            record_every=1.0,
            initial=start,
        )
        ends.append(float(run.dataset["base_position"].values[-1, 0]))
    assert ends == pytest.approx([0.594, -0.003], abs=1e-3)


def test_printed_equations_cost_the_torques_what_the_reference_found() -> None:
    """Mean error of tau_4 to tau_7 over 14 s with a slip speed of 1 cm/s: 8.0, 9.5, 11.9, 18.5 %; one state, and the
    run of states.
    """
    wheels = ll.Wheels(law="regularised", slip_speed=1e-2)
    torques = [
        ll.simulate(
            ll.WangSnake(),
            ll.Serpenoid(),
            wheels,
            model={"kind": "geometric", "equations": equations},
            duration=14.0,
            **CRAWL,
        )
        .dataset["joint_torque"]
        .values
        for equations in ("full", "printed")
    ]
    errors = np.abs(torques[1] - torques[0]).mean(axis=0) / np.abs(torques[0]).mean(axis=0)
    assert errors == pytest.approx([0.080, 0.095, 0.119, 0.185], abs=1.5e-3)
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
    assert "printed" in Geometric(ll.WangSnake(), settings=GeometricSettings(equations="printed")).notes[0]
