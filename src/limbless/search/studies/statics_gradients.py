"""What a spine at rest spends along a path of its tip, and its slopes along any field of its scenario, by adjoints.

At every point posture and tensions solve F(q, u; p) = 0: forces balance, and the tip is where it should be. Along a
field p the sum that is spent changes by its own derivative at a fixed posture, less multipliers times dF/dp; the
multipliers come from one linear solve with the transposed matrix of F, whatever the number of fields. dF/dp is a
difference of balances at one posture, and no equilibrium is solved again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from limbless.control.gaits.tendon_paths import COMPONENTS
from limbless.core import Array, SimulationError
from limbless.mechanics.statics import equilibrium_solver
from limbless.models.statics.equilibrium import Equilibrium
from limbless.models.statics.routing_design import multipliers, spending
from limbless.models.statics.statics_model import TendonStatics
from limbless.scenarios.scenario import Scenario
from limbless.search.studies.variations import vary


def has_slopes(scenario: Scenario) -> bool:
    """Whether what is spent has slopes: a trajectory of the tip, the energy form, no friction, antagonists."""
    settings: Any = scenario.model
    if scenario.task != "inverse" or settings.kind != "tendon-statics":
        return False
    plain = settings.form == "energy" and not settings.friction and settings.prefer == "antagonists"
    return plain and settings.tendon_stiffness is None and not _model_of(scenario)._dead[2].any()


def consumption(scenario: Scenario, paths: Sequence[str] = ()) -> tuple[float, dict[str, float]]:
    """Positive work of the actuators along the path (J), and its slope along each field.

    Raises
    ------
    SimulationError : a point of the path is out of reach.
    """
    gait, model = scenario.gait, _model_of(scenario)
    follow = [COMPONENTS[row] for row in gait.rows]  # type: ignore[attr-defined]
    found = model.inverse(_targets(scenario), follow, largest_tension=model.settings.largest_tension)
    if not found.reached.all():
        raise SimulationError(f"point {int(np.argmin(found.reached))} of the path is out of reach of this spine")
    value, by_tension, by_length = spending(found)
    if not paths:
        return value, {}
    at = [
        multipliers(model, one, pull, t, l, follow)
        for one, pull, t, l in zip(found.equilibria, found.tension, by_tension, by_length, strict=True)
    ]
    return value, {path: _slope(scenario, path, found, at, by_length) for path in paths}


def _slope(scenario: Scenario, path: str, found: Any, at: Sequence[Array], by_length: Array) -> float:
    variation, total = vary(scenario, path), 0.0
    for weight, beside in zip(variation.weights, variation.scenarios, strict=True):
        model, targets = _model_of(beside), _targets(beside)
        rows = beside.gait.rows  # type: ignore[attr-defined]
        for point, one in enumerate(found.equilibria):
            apart, length = _balance(model, one, found.tension[point], targets[point], rows)
            total += weight * float(by_length[point] @ length - at[point] @ apart)
    return total


def _balance(model: TendonStatics, one: Equilibrium, tension: Array, target: Array, rows: Any) -> tuple[Array, Array]:
    """F of a spine at a posture of another, and the lengths of its tendons there."""
    equilibrium_solver.evaluate_forces(model.problem(model.loads(tension)), one.q)
    residual = model._problem.iteration.residual.copy()
    tip = model.levers(one.q)[0][list(rows)]
    held, q = one.held.ravel(), one.q.ravel()
    stop = np.where(q <= one.model.spine.low.ravel(), model.spine.low.ravel(), model.spine.high.ravel())
    residual[held] = (q - stop)[held]
    return np.concatenate([residual, tip - target]), model._problem.posture.total.copy()


def _model_of(scenario: Scenario) -> TendonStatics:
    settings: Any = scenario.model
    return TendonStatics(
        scenario.robot.build(),
        scenario.environment,
        settings=settings,
        base_position=scenario.initial.position,
        base_orientation=scenario.initial.orientation,
    )


def _targets(scenario: Scenario) -> Array:
    gait: Any = scenario.gait
    return np.asarray(gait.sample(gait.instants(), np.zeros(0)).value[:, list(gait.rows)])
