"""How a motion depends on its gait: exact derivatives, from one run that carries them along."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from limbless.callables import refuse_named
from limbless.errors import InputError
from limbless.mechanics.compiled.scalars import TANGENTS
from limbless.models.newton_euler.differentiation import Tangents
from limbless.models.newton_euler.model import NewtonEuler
from limbless.result import LABELS
from limbless.scenarios.scenario import Scenario
from limbless.simulation import knots_between, recorded, stage_times


def sensitivity(source: str | Path | Scenario, parameters: Sequence[str],
                changes: Mapping[str, Any] | None = None) -> xr.Dataset:
    """Derivatives of the base's motion and of the work done with respect to fields of the gait.

    Parameters
    ----------
    source, changes : the scenario, as for `run`.
    parameters : fields of the gait, such as `["gait.amplitude", "gait.period"]`.

    Returns
    -------
    Dataset with `base_position`, `base_orientation`, `base_twist` and `actuator_work` as in a result, and for each of
    them `d_base_position` (time, axis, parameter) and so on: per unit of the parameter. Eight parameters cost about
    three plain runs.
    """
    scenario = Scenario.load(source, changes)
    refuse_named(scenario)
    fields = [_gait_field(name) for name in parameters]
    model = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
    if not isinstance(model, NewtonEuler):
        raise InputError(f"sensitivities are available for the model 'newton-euler', not for {type(model).__name__}")
    if not fields:
        raise InputError("give at least one parameter, such as 'gait.amplitude'")
    parts = [_run(scenario, model, fields[i:i + TANGENTS]) for i in range(0, len(fields), TANGENTS)]
    times, x = parts[0][0], parts[0][1]
    return _dataset(model, times, x, np.concatenate([part[2] for part in parts], axis=2),
                    [f"gait.{field}" for field in fields])


def _gait_field(name: str) -> str:
    entry, _, field = name.partition(".")
    if entry != "gait" or not field:
        raise InputError(f"{name!r} is not a field of the gait; parameters are named like 'gait.amplitude'")
    return field


def _run(scenario: Scenario, model: NewtonEuler, fields: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Recorded times, states and derivatives for up to eight fields."""
    gait, end = scenario.gait, scenario.duration
    run = Tangents(model, gait, fields, model.initial_state(scenario.initial, gait))
    breaks = [*gait.breakpoints(0.0, end), *(t for item in scenario.environment for t in item.breakpoints(0.0, end))]
    knots = knots_between(0.0, end, scenario.step, breaks)
    keep = recorded(knots, scenario.record_every, end)
    states, slopes = [], []
    length = model.steps_per_block
    for first in range(0, len(knots) - 1, length):
        block, record = knots[first:first + length + 1], keep[first:first + length + 1].copy()
        record[-1] &= block[-1] == end                    # the next block begins with this knot
        state, slope = run.advance(block, stage_times(block), record)
        states.append(state)
        slopes.append(slope[:, :, :len(fields)])
    return knots[keep], np.concatenate(states), np.concatenate(slopes)


def _dataset(model: NewtonEuler, times: np.ndarray, x: np.ndarray, slopes: np.ndarray, names: list[str]) -> xr.Dataset:
    """Named pieces of the flat state and of its derivatives."""
    dataset = xr.Dataset(coords={"time": ("time", times, {"units": "s"}), "parameter": names})
    for name, dim, columns in model.state_columns():
        dims = ("time", dim) if dim else ("time",)
        unit = model.schema()[name].units
        pick = columns if dim else columns.start
        dataset[name] = (dims, x[:, pick], {"units": unit})
        dataset[f"d_{name}"] = ((*dims, "parameter"), slopes[:, pick], {
            "units": f"({unit}) per unit of the parameter",
            "long_name": f"derivative of {model.schema()[name].long_name}"})
        if dim:
            dataset.coords[dim] = list(LABELS[dim])
    return dataset
