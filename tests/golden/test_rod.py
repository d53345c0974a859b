"""The worked examples of paper 000 against numbers that were computed apart from this
library (tests/golden/rod.json).
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.sheared_curvature import curvature_rate
from limbless.control.gaits.travelling_curvature import TravellingCurvature
from limbless.environments.support import Support
from limbless.models.macro_continuous import MacroContinuousSettings
from limbless.models.rod.rod_model import MacroContinuous
from limbless.robots.rod import Rod
from limbless.simulation.result import Result
from validation.rods import axial_speed

REFERENCE = json.loads((Path(__file__).parent / "rod.json").read_text())
WORMS = [f"worm_{wave}_{holds}" for wave in ("constant", "linear") for holds in ("spatial", "material")]


@cache
def worm(name: str) -> Result:
    _, wave, holds = name.split("_")
    changes = {"environment.0.holds": holds, "record_every": 0.05, "model.cells": 128}
    return ll.run("worm-accelerate" if wave == "linear" else "worm-burrow", changes)


@pytest.mark.parametrize("name", WORMS)
def test_worm_head(name: str) -> None:
    """Errata: (33), (42), the phase of (36) with a variable speed; the sweeping anchorage of 3.3."""
    expected, data = REFERENCE[name]["outputs"], worm(name).dataset
    assert float(data["base_position"][-1, 0]) == pytest.approx(expected["x_o_at_10s"], abs=1e-9)
    for snapshot in expected["snapshots"]:
        now = data.sel(time=snapshot["t"], method="nearest")
        assert float(now["base_position"][0]) == pytest.approx(snapshot["x_o"], abs=1e-9)
        assert float(now["base_twist"][0]) == pytest.approx(snapshot["xo_dot"], abs=1e-9)
        assert float(now["base_acceleration"][0]) == pytest.approx(snapshot["xo_ddot"], abs=2e-9)
        assert now["support_abscissa"].values[now["contact_state"].values > 0] == pytest.approx(
            snapshot["anchors"], abs=1e-12
        )


@pytest.mark.parametrize("name", WORMS)
def test_worm_forces(name: str) -> None:
    """Errata: the mass per length of (44), the claim of zero force, the sign of a jump (footnote 4)."""
    expected, data = REFERENCE[name]["outputs"], worm(name).dataset
    scale = 1.2e-3 if "linear_spatial" in name else 8e-5
    for snapshot in expected["snapshots"]:
        now = data.sel(time=snapshot["t"], method="nearest")
        assert float(now["contact_wrench"][0]) == pytest.approx(snapshot["n_c"], abs=1e-6 * scale)
        inside = np.interp(snapshot["X"], data["abscissa"].values, now["internal_wrench"].values[:, 0])
        # the jump lies between two sections
        away = [abs(X - C) > 0.006 for X in snapshot["X"] for C in snapshot["anchors"]]
        assert inside[away] == pytest.approx(np.array(snapshot["n"])[away], abs=3e-3 * scale)


@cache
def inchworm() -> Result:
    return ll.run("inchworm-climb", {"record_every": 0.05, "model.cells": 128})


def test_inchworm_climbs() -> None:
    """Errata: the intervals of the two feet, and that the pose is kept at each handover."""
    expected, data = REFERENCE["inchworm_climb"]["outputs"], inchworm().dataset
    assert data["head_position"].values[-1] == pytest.approx(expected["head_at_end"]["r"], abs=1e-7)
    assert data["base_orientation"].values[-1] == pytest.approx(expected["head_at_end"]["q"], abs=1e-7)
    steps = data.sel(time=np.arange(0.0, 14.1, 2.0), method="nearest")
    assert np.diff(steps["head_position"].values[:, 2]) == pytest.approx(expected["step_length"], abs=1e-7)
    assert np.abs(steps["base_twist"].values).max() < 1e-6, "at rest at every handover"


def test_inchworm_forces() -> None:
    expected, data = REFERENCE["inchworm_climb"]["outputs"], inchworm().dataset
    for snapshot in expected["snapshots"]:
        now = data.sel(time=snapshot["t"], method="nearest")
        held = int(snapshot["anchor"] == "tail")
        assert now["support_wrench"].values[held] == pytest.approx(snapshot["anchor_wrench_local"], abs=1e-6)
        assert float(now["kinetic_energy"]) == pytest.approx(snapshot["T"], abs=1e-8)
        assert float(now["actuator_power"]) == pytest.approx(snapshot["P_act"], abs=1e-6)
        X = data["abscissa"].values
        for component in (0, 1, 5):
            rows = np.array(snapshot["Lambda"])[1:-1, component]
            inside = np.interp(snapshot["X"][1:-1], X, now["internal_wrench"].values[:, component])
            assert inside == pytest.approx(rows, abs=2e-3 * np.abs(rows).max())


def test_work_of_a_step_is_the_weight_times_its_height() -> None:
    """The feet do no work."""
    run = inchworm()
    steps = run.dataset["actuator_work"].sel(time=np.arange(2.0, 14.1, 2.0), method="nearest").values
    assert np.diff(steps) == pytest.approx(
        run.mass * 9.81 * REFERENCE["inchworm_climb"]["outputs"]["step_length"], rel=1e-6
    )


@cache
def snake(name: str) -> Result:
    scenario = "snake-turn-3d" if name == "snake3d" else "snake-turn-2d"
    return ll.run(scenario, {"model.cells": 256, "record_every": 0.1, "step": 0.02})


@pytest.mark.parametrize("name", ["snake2d", "snake3d"])
def test_snake_head(name: str) -> None:
    """Errata: the turning bump (54), the direction of V_o after (51), the connection (52)-(53), (64)."""
    data = snake(name).dataset
    for head in REFERENCE[name]["outputs"]["head"]:
        now = data.sel(time=head["t"], method="nearest")
        assert now["base_position"].values == pytest.approx(head["r"], abs=1e-6)
        assert abs(now["base_orientation"].values @ head["q"]) == pytest.approx(1.0, abs=1e-9)
    assert float(data["contact_residual"].max()) < 2e-7
    assert np.abs(data["base_twist"].values[:, [1, 2, 3]]).max() < 1e-6
    assert data["base_twist"].values[:, 0] == pytest.approx(-0.5, abs=1e-6)


def test_snake_forces() -> None:
    """(58): shared among five supports; internal torque; power of the muscles."""
    expected = REFERENCE["snake2d"]["outputs"]["forces"]
    data = snake("snake2d").dataset
    now = data.sel(time=2.0, method="nearest")
    here = now["contact_state"].values > 0
    order = np.argsort(now["support_abscissa"].values[here])
    assert now["support_abscissa"].values[here][order] == pytest.approx(expected["C"], abs=1e-6)
    assert now["contact_wrench"].values == pytest.approx(expected["F_c"], abs=1e-6)
    assert now["support_wrench"].values[here, 1][order] == pytest.approx(expected["T"], abs=2e-6)
    assert float(now["actuator_power"]) == pytest.approx(expected["P_act"], abs=1e-6)
    assert float(now["kinetic_energy"]) == pytest.approx(expected["T_kin"], abs=1e-6)
    for component in (0, 1, 5):
        rows = np.array(expected["Lambda"])[:, component]
        inside = np.interp(expected["X"], data["abscissa"].values, now["internal_wrench"].values[:, component])
        assert inside == pytest.approx(rows, abs=2e-3 * np.abs(rows).max())


def test_snake_in_space_forces() -> None:
    expected = REFERENCE["snake3d"]["outputs"]["F_c"]
    now = snake("snake3d").dataset.sel(time=expected["t"], method="nearest")
    assert now["contact_wrench"].values == pytest.approx(expected["value"], abs=1e-6)


def test_forces_of_the_turning_snake_at_given_supports() -> None:
    """The supports of the reference stand at 0.1, 0.3 .. at 4.5 s: here they do so all the time."""
    expected = REFERENCE["snake2d_turning"]["outputs"]["forces"]
    settings = MacroContinuousSettings(cells=256)
    rod = Rod(base="planar", strains="planar")
    data = ll.simulate(
        rod,
        TravellingCurvature(turn=2.6),
        Support(travel=False),
        model=settings,
        duration=4.5,
        step=0.025,
        record_every=0.1,
    ).dataset.isel(time=-1)
    assert data["contact_wrench"].values == pytest.approx(expected["F_c"], abs=2e-6)
    assert data["support_wrench"].values[:, 1] == pytest.approx(expected["T"], abs=5e-6)


@pytest.mark.parametrize("name", ["reissner_static_shear", "reissner_shear_rate"])
def test_sheared_snake(name: str) -> None:
    """(55)-(56) in general form: with this curvature rate no section moves sideways."""
    inputs, expected = REFERENCE[name]["inputs"], REFERENCE[name]["outputs"]
    rate = 0.3 if name.endswith("rate") else 0.0
    rod = Rod(length=inputs["l"], base="planar", strains="reissner")
    model = MacroContinuous(rod, settings=MacroContinuousSettings(cells=1024))
    X = model.mesh.X
    K, shear, shear_rate = 3.0 + np.cos(4.0 * X), 0.2 + 0.1 * np.sin(3.0 * X), rate * (0.5 + X)
    speed = axial_speed(X, K, shear, shear_rate, inputs["V_o"])
    K_rate = curvature_rate(K, -4.0 * np.sin(4.0 * X), shear, shear_rate, np.full_like(X, rate), speed)
    assert np.interp(expected["X"], X, K_rate) == pytest.approx(expected["K_dot"], abs=2e-5)
    assert np.interp(expected["X"], X, speed) == pytest.approx(expected["V_X"], abs=2e-6)
    still = np.zeros((len(X), 6))
    strain, strain_rate = still.copy(), still.copy()
    strain[:, 0], strain[:, 1], strain[:, 5] = 1.0, shear, K
    strain_rate[:, 1], strain_rate[:, 5] = shear_rate, K_rate
    twist = np.array([inputs["V_o"], 0.0, 0.0, 0.0, 0.0, K[0] * inputs["V_o"] - shear_rate[0]])
    V = _section_twists(model, strain, strain_rate, still, twist)
    assert np.abs(V[:, 1]).max() < 1e-6
    assert np.interp(expected["X"], X, V[:, 5]) == pytest.approx(expected["Omega_Z"], abs=2e-6)


def _section_twists(
    model: MacroContinuous, strain: np.ndarray, rate: np.ndarray, acceleration: np.ndarray, twist: np.ndarray
) -> Any:
    from limbless.mechanics.rod.magnus import adjoint_matrices
    from limbless.mechanics.rod.tables import RodShape

    shapes = model.shapes(strain, rate, acceleration)
    return (adjoint_matrices(shapes) @ (twist + RodShape.of(shapes).swing)[..., None])[..., 0]
