"""How far a soft body gets in a run, what its actuators give, and the slopes of both along fields of its scenario."""
from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.errors import InputError, SimulationError
from limbless.models.soft.differentiation import refuse_kinks
from limbless.models.soft.model import Soft
from limbless.scenarios.scenario import Scenario
from limbless.studies.sensitivity import ENTRIES, sensitivity

Array = NDArray[np.float64]
MEASURES = ("mean_speed", "actuator_work")
"""What has slopes: numbers of the states at both ends of a run."""


class Moved(NamedTuple):
    """Numbers of a run by the names of their measures, and (fields,) how they change along each field."""

    values: dict[str, float]
    slopes: dict[str, Array]


def has_slopes(scenario: Scenario, paths: Sequence[str] = ()) -> bool:
    """Whether a run of a soft body has slopes along these fields: all its forces are smooth."""
    if scenario.model.kind != "soft" or any(path.partition(".")[0] not in ENTRIES for path in paths):
        return False
    try:
        model = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
        assert isinstance(model, Soft)
        refuse_kinks(model)
    except InputError:
        return False
    return True


def moved(scenario: Scenario, paths: Sequence[str]) -> Moved:
    """`MEASURES` of a run, with their slopes along these fields.

    Raises
    ------
    SimulationError : the body stays where it is, so that the slope of its speed has no direction.
    """
    data = sensitivity(scenario, paths)
    place, rises = data["com_position"].values, data["d_com_position"].values
    work, spent = data["actuator_work"].values, data["d_actuator_work"].values
    way, time = place[-1] - place[0], float(data["time"].values[-1] - data["time"].values[0])
    distance = float(np.linalg.norm(way))
    if not distance > 0.0:
        raise SimulationError("the body stays where it is: the slope of its speed has no direction")
    faster = way @ (rises[-1] - rises[0]) / (distance * time)
    return Moved({"mean_speed": distance / time, "actuator_work": float(work[-1] - work[0])},
                 {"mean_speed": faster, "actuator_work": spent[-1] - spent[0]})
