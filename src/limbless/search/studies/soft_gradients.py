"""How far a soft body gets in a run, what its actuators give and spend, what its way costs; and the slopes of all along
fields of its scenario.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from limbless.core import Array, InputError, SimulationError
from limbless.models.chain.soft.soft_derivatives import refuse_kinks
from limbless.models.chain.soft.soft_model import Soft
from limbless.scenarios.scenario import Scenario
from limbless.search.studies.sensitivity import ENTRIES, sensitivity
from limbless.search.studies.variations import mass_slope
from limbless.simulation.analysis.energy_use import STANDARD_GRAVITY
from limbless.simulation.analysis.speed import transport_facts, why_no_transport

MEASURES = ("mean_speed", "actuator_work", "positive_work", "cost_of_transport")
"""What has slopes: numbers of the states at both ends of a run, and of what is summed on the way."""


def has_slopes(scenario: Scenario, paths: Sequence[str] = ()) -> bool:
    """Whether a run of a soft body has slopes along these fields: all its forces are smooth."""
    if scenario.model.kind != "soft" or any(path.partition(".")[0] not in ENTRIES for path in paths):
        return False
    try:
        model = scenario.assemble()
        assert isinstance(model, Soft)
        refuse_kinks(model)
    except InputError:
        return False
    return True


def moved(
    scenario: Scenario, paths: Sequence[str], names: Sequence[str] = MEASURES
) -> tuple[dict[str, float], dict[str, Array]]:
    """Some of `MEASURES` of a run by their names, and (fields,) how they change along each field.

    Raises
    ------
    SimulationError : the body stays where it is, so that the slope of its speed has no direction; it is held, or falls,
        so that its way has no cost.
    """
    data = sensitivity(scenario, paths)
    place, rises = data["com_position"].values, data["d_com_position"].values
    given, rise = data["actuator_work"].values, data["d_actuator_work"].values
    found = {
        "actuator_work": (float(given[-1] - given[0]), rise[-1] - rise[0]),
        "positive_work": (float(data["positive_work"]), data["d_positive_work"].values),
    }
    way, time = place[-1] - place[0], float(data["time"].values[-1] - data["time"].values[0])
    distance, why = float(np.linalg.norm(way)), why_no_transport(way, 1.0, transport_facts(scenario))
    if distance > 0.0:
        farther = way @ (rises[-1] - rises[0]) / distance
        found["mean_speed"] = distance / time, farther / time
        if why is None:
            found["cost_of_transport"] = _cost(scenario, paths, found["positive_work"], (distance, farther))
    for name in names:
        if name not in found:
            raise SimulationError(f"{name}: {why}, so that it has no slope")
    return {name: found[name][0] for name in names}, {name: found[name][1] for name in names}


def _cost(
    scenario: Scenario, paths: Sequence[str], work: tuple[float, Array], way: tuple[float, Array]
) -> tuple[float, Array]:
    """Of transport: work / (mass g way), and d(work) less what more mass and a longer way save."""
    mass = scenario.robot.build().total_mass
    heavier = np.array([mass_slope(scenario, path) for path in paths])
    cost = work[0] / (mass * STANDARD_GRAVITY * way[0])
    return cost, work[1] / (mass * STANDARD_GRAVITY * way[0]) - cost * (heavier / mass + way[1] / way[0])
