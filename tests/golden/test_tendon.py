"""The tendon-driven neck of paper 004 against an independent implementation and against published code (`tendon.json`).

The file is in the paper's axes (z along the backbone) with gravity as a free vector: base orientation none, axes
exchanged here.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.environments.point_wrench import PointWrench
from limbless.mechanics.statics import potential_energy as kernels
from limbless.models.statics.spine_problem import dense
from limbless.simulation.analysis import statics_work
from validation import necks
from validation.necks import EIGHT, TO_LIBRARY, friction_of, in_paper, published_spine, signed

REFERENCE = json.loads((Path(__file__).parent / "tendon.json").read_text())
LOADS = list(REFERENCE["loads"])


@cache
def neck(load: str, **options: Any) -> ll.TendonStatics:
    return necks.neck(REFERENCE, load, **options)


def test_the_preset_is_the_default_robot() -> None:
    given, spine = REFERENCE["default_robot"], neck("zero_g").spine
    built = ll.SnakeNeck().build()
    assert spine.length == pytest.approx(given["l"], rel=1e-12)
    assert spine.stiffness.T.ravel() == pytest.approx([*given["k_lat"], *given["k_dv"]], rel=1e-12)
    assert spine.holes[3] == pytest.approx(np.array(given["holes"]))
    assert spine.high.T.ravel() == pytest.approx([*given["stop_lat"], *given["stop_dv"]], rel=1e-12)
    for field, name in (("m_ucj", "joint_mass"), ("m_disk", "disk_mass"), ("volume", "volume")):
        assert built.values(name) == pytest.approx(given[field], rel=1e-11)


def test_energy_gradient_and_hessian_at_a_fixed_posture() -> None:
    given = REFERENCE["fixed_configuration"]
    model, q = neck(given["load"]), np.array(given["q"]).reshape(8, 2)
    loads, r, moment = model.loads(np.array(given["T"])), np.zeros(16), np.zeros(16)
    H = model.problem(loads).iteration.hessian
    posture = model.posture_at(q)
    kernels.energy_gradient(model.spine, loads, q, posture, r, H)
    kernels.moments(model.spine, loads, q, posture, False, moment)
    assert posture.origin[-1] == pytest.approx(given["tip"], abs=1e-12)
    assert posture.chord == pytest.approx(np.array(given["chord_lengths"]), abs=1e-12)
    assert kernels.energy(model.spine, loads, q, posture) == pytest.approx(given["potential"], abs=1e-12)
    assert r == pytest.approx(given["gradient"], abs=1e-13)
    assert pytest.approx(np.array(given["hessian"]), abs=1e-13) == dense(*H[:3])
    assert moment == pytest.approx(given["moment_residual"], abs=1e-13)


@pytest.mark.parametrize(
    ("name", "friction", "slip"),
    [
        ("tensions_friction_paper", "gautreau2024", 1.0),
        ("tensions_friction_02", 0.2, 1.0),
        ("tensions_friction_02_release", 0.2, -1.0),
    ],
)
def test_tensions_along_rubbing_tendons(name: str, friction: Any, slip: float) -> None:
    given = REFERENCE["fixed_configuration"]
    model, q = neck(given["load"], friction=friction), np.array(given["q"]).reshape(8, 2)
    posture = model.posture_at(q)
    kernels.chord_tensions(model.spine, model.loads(np.array(given["T"]), slip=slip), posture)
    assert posture.tension == pytest.approx(np.array(given[name]), abs=1e-12)


@pytest.mark.parametrize("load", LOADS)
def test_equilibria_under_each_load(load: str) -> None:
    cases = [case for case in REFERENCE["default_cases"] if case["load"] == load]
    assert cases
    for case in cases:
        found = neck(load, form=case["form"]).solve(case["T"])
        assert in_paper(found) == pytest.approx(case["tip"], abs=1e-11)
        assert found.tendon_length == pytest.approx(case["tendon_lengths"], abs=1e-11)
        assert -found.bend.T.ravel() == pytest.approx([*case["b"], *case["g"]], abs=1e-10)


@pytest.mark.parametrize("load", ["hanging_air", "zero_g"])
def test_equilibria_with_friction(load: str) -> None:
    for case in (case for case in REFERENCE["friction_cases"] if case["load"] == load):
        found = neck(load, form=case["form"], friction=friction_of(case)).solve(case["T"], slip=case["direction"])
        assert in_paper(found) == pytest.approx(case["tip"], abs=1e-11)
        assert found.distal_tension == pytest.approx(case["distal_tension"], abs=1e-11)


def test_a_tendon_slides_sticks_and_slides_back() -> None:
    given = REFERENCE["hysteresis_mu02_hanging_air"]
    rows = np.array(given["rows"])
    pull = np.zeros((len(rows), 4))
    pull[:, 0] = rows[:, 0]
    found = neck("hanging_air", friction=0.2).path(pull)
    length = np.array([one.tendon_length[0] for one in found])
    assert np.array([one.slip[0] for one in found]) == pytest.approx(rows[:, 1], abs=1e-6)
    assert np.array([in_paper(one)[0] for one in found]) == pytest.approx(rows[:, 2], abs=1e-9)
    assert length == pytest.approx(rows[:, 3], abs=1e-9)
    loop = slice(*(np.flatnonzero(np.abs(rows[:, 0] - 0.7) < 1e-9)[[0, -1]] + [0, 1]))
    tension, loop_length = rows[loop, 0], length[loop]
    lost = -(0.5 * (tension[1:] + tension[:-1]) * np.diff(loop_length)).sum()
    assert lost == pytest.approx(given["loop_work_0p7_0p2_0p7"], rel=1e-6) and lost > 0.0


@pytest.mark.parametrize("case", REFERENCE["stop_cases"], ids=lambda case: f"{case['load']}-{case['T']}")
def test_stops(case: dict) -> None:
    found = neck(case["load"], stops=True).solve(case["T"])
    assert -found.bend.T.ravel() == pytest.approx([*case["b"], *case["g"]], abs=1e-9)
    assert found.stop_moment.T.ravel() == pytest.approx([*case["stop_moment_b"], *case["stop_moment_g"]], abs=1e-10)
    assert int(found.held.sum()) == case["n_active"]


@pytest.mark.parametrize("case", REFERENCE["workspace"], ids=lambda case: f"{case['load']}-{case['stops']}")
def test_workspace(case: dict) -> None:
    space = neck(case["load"], stops=case["stops"]).workspace(1.2, 13)
    tip = space.tip.reshape(-1, 3) @ TO_LIBRARY
    for axis, name in enumerate("xyz"):
        assert [tip[:, axis].min(), tip[:, axis].max()] == pytest.approx(case[name], abs=1e-9)
    assert space.hull_area == pytest.approx(case["xy_hull_area"], rel=1e-9)
    assert space.hull_volume > 0.0 and space.boundary.shape == (48, 3)


@pytest.mark.parametrize("scenario", EIGHT)
def test_tensions_and_work_along_the_figure_of_eight(scenario: str) -> None:
    given = next(run for run in REFERENCE["inverse"]["runs"] if run["load"] == EIGHT[scenario])
    result = ll.run(scenario)
    tension = result.dataset["tension"].values
    u = signed(tension)
    assert u[given["idx"]] == pytest.approx(np.array(given["u"]), abs=1e-9)
    assert np.abs(u).max(axis=0) == pytest.approx(given["u_absmax"], abs=1e-9)
    assert result.dataset["tip_in_base"].values[given["idx"]] @ TO_LIBRARY == pytest.approx(
        np.array(given["tip"]), abs=1e-9
    )
    actuators, equivalent = statics_work.actuator_steps(result.dataset), statics_work.equivalent_steps(result.dataset)
    assert statics_work.positive(actuators) == pytest.approx(given["actuator_positive"], abs=1e-10)
    assert statics_work.positive(equivalent) == pytest.approx(given["W57_trapezoid_positive"], abs=1e-10)
    assert actuators.sum() == pytest.approx(given["actuator_sum"], abs=1e-10)
    assert equivalent.sum() == pytest.approx(given["W57_trapezoid_sum"], abs=1e-10)
    assert result.summary()["balances"]["actuator work"]["verdict"] == "pass"


@pytest.mark.parametrize("load", EIGHT.values())
def test_tensions_at_the_extrema_of_the_planar_trajectory(load: str) -> None:
    given = next(run for run in REFERENCE["inverse"]["runs"] if run["load"] == load)["planar_extrema"]
    found = neck(load).inverse(-np.array(given["targets"]))
    u = signed(found.tension)
    assert u == pytest.approx(np.array(given["u"]), abs=1e-9) and found.reached.all()


def test_sensitivities() -> None:
    given = REFERENCE["linearisation_hanging_air_T_0.5_0.4"]
    found = neck("hanging_air").solve([0.5, 0.4, 0.0, 0.0])
    assert TO_LIBRARY.T @ found.tip_compliance @ TO_LIBRARY == pytest.approx(
        np.array(given["tip_compliance"]), abs=1e-10
    )
    assert TO_LIBRARY.T @ found.tip_per_tension == pytest.approx(np.array(given["dtip_dT"]), abs=1e-10)
    assert found.length_per_tension == pytest.approx(np.array(given["dlength_dT"]), abs=1e-10)
    assert found.min_eigenvalue == pytest.approx(given["min_eig"], abs=1e-11)


@pytest.mark.parametrize("case", REFERENCE["published_constant_curvature"], ids=lambda case: case["name"])
def test_published_constant_curvature_code(case: dict) -> None:
    force = PointWrench(force=tuple(TO_LIBRARY @ np.array(case["f_tip"], dtype=float)))
    robot = published_spine(case)
    published = ll.TendonStatics(robot, force, settings=ll.TendonStaticsSettings(form="moment", drop_axial=True)).solve(
        case["tension"]
    )
    assert in_paper(published) == pytest.approx(case["published_cc_tip"], abs=1e-9)
    assert TO_LIBRARY.T @ (TO_LIBRARY @ published.rotation[-1][:, 2]) == pytest.approx(
        case["published_cc_tip_z_axis"], abs=1e-8
    )
    energy = ll.TendonStatics(robot, force).solve(case["tension"])
    assert in_paper(energy) == pytest.approx(case["ours_energy_form"], abs=1e-9)
    near, far = (
        np.linalg.norm(in_paper(one) - case["published_subsegment_cosserat_tip"]) for one in (energy, published)
    )
    assert near < 0.1 * far, "the energy form is near the published Cosserat model, the moment form is not"
