"""How a motion depends on gait, body and water: exact derivatives, from one run that carries them along."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from limbless.core import InputError, SimulationError
from limbless.mechanics.compiled import TANGENTS, map_arrays, tangents, values
from limbless.mechanics.integrate.running_totals import ObjectiveTotals
from limbless.models import Records, Variables
from limbless.models.chain.chain_derivatives import ChainDerivatives, PackedChange
from limbless.models.chain.newton_euler_model import NewtonEuler
from limbless.models.chain.soft.soft_derivatives import SoftDerivatives
from limbless.models.chain.soft.soft_model import Soft
from limbless.models.recording.body_recorder import kept_arrays
from limbless.scenarios.scenario import Scenario
from limbless.search.studies.variations import Variation, between, combined, moved_knots, one_sided, vary
from limbless.simulation.result import LABELS
from limbless.simulation.simulate import knots_between, recorded, stage_times

ENTRIES = ("gait", "robot", "environment", "actuation", "controller", "initial")
MEAN_OF_SIN16 = 6435.0 / 32768.0
"""Mean of sin¹⁶: with it the norm of a sinusoid is its amplitude."""

RUNAWAY = 1e100  # derivatives of a motion that runs away, though it ends: products of them overflow


def sensitivity(
    source: str | Path | Mapping[str, Any] | Scenario,
    parameters: Sequence[str],
    changes: Mapping[str, Any] | None = None,
) -> xr.Dataset:
    """Differentiate the motion, work and torques of a run with respect to fields of its scenario.

    limbless differentiates the motion itself (forward mode), and gaits with a compiled form. Other gaits, and the
    tables of a body or a fluid, are differenced over 1e-5 of the field, which is accurate to 1e-9. Eight parameters
    cost about three plain runs.

    Parameters
    ----------
    source, changes : the scenario, as for `run`.
    parameters : paths such as `["gait.amplitude", "robot.half_width", "environment.water.density"]`.

    Returns
    -------
    Dataset : `base_position`, `base_orientation`, `base_twist` and `actuator_work` as in a result. For the whole run it
    has `positive_work` (J) and `torque_norm`, for each joint the norm of order 16 over time of its torque, as a
    fraction of its limit (a sinusoid has its amplitude). A soft body has `tip_position` and `com_position` instead of
    the norms. Each of them has a derivative `d_base_position` (time, axis, parameter) and so on, per unit of the
    parameter.
    """
    scenario = Scenario.load(source, changes)
    model, order, parts = _runs(scenario, parameters)
    first = parts[0]
    found = _dataset(model, first.times, first.x, np.concatenate([part.x_slope for part in parts], axis=2), order)
    slopes = [part.score_slope for part in parts]
    _add_work(found, first, slopes)
    if isinstance(model, NewtonEuler):
        _add_torques(found, model, first, slopes, scenario.duration)
    return found.sel(parameter=list(parameters))


def moved_records(
    scenario: Scenario, directions: Sequence[Mapping[str, float]], size: float
) -> list[tuple[dict[str, np.ndarray], dict[str, np.ndarray]]]:
    """The recorded variables of a run, with the names of its sections, moved by `size` either way along each direction
    (path -> share), as their exact derivatives say.
    """
    paths = list(dict.fromkeys(path for direction in directions for path in direction))
    model, order, parts = _runs(scenario, paths)
    first, times = parts[0].kept, parts[0].times
    still = {f"tally_{name}": array for name, array in model._tallies.records(len(times))._asdict().items()}
    still |= {"time": times, "iterations": np.zeros(len(times))}
    slopes = {name: np.concatenate([tangents(part.kept[name]) for part in parts], axis=-1) for name in first}
    if not all((np.abs(slope) < RUNAWAY).all() for slope in slopes.values()):
        raise SimulationError(f"the derivatives of this motion along {', '.join(paths)} run away")

    def variables(one: Any, shares: np.ndarray) -> Variables:
        along = {name: values(first[name]) + slopes[name][..., : len(shares)] @ shares for name in first}
        return one.variables(Records({**along, **still}))

    def beside(path: str) -> dict[str, np.ndarray]:  # what is recorded of the same states of another body or motor
        variation, nowhere = vary(scenario, path), np.zeros(len(order))
        told = [variables(one, nowhere) for one in models_along(variation, model)]
        weights = np.array(variation.weights)
        return {name: np.tensordot(weights, np.stack([each[name] for each in told]), 1) for name in told[0]}

    own = {path: beside(path) for path in paths if not path.startswith(("gait.", "initial."))}
    found, named = [], {"time": times, "section": np.array(model.coordinates()["section"][1])}
    for direction in directions:
        shares = size * np.array([direction.get(path, 0.0) for path in order])
        pair = [dict(variables(model, sign * shares)) for sign in (-1.0, 1.0)]
        for sign, moved in zip((-size, size), pair, strict=True):
            for path in own.keys() & direction.keys():
                for name, slope in own[path].items():
                    moved[name] = moved[name] + sign * direction[path] * slope
        found.append((pair[0] | named, pair[1] | named))
    return found


def _runs(scenario: Scenario, parameters: Sequence[str]) -> tuple[NewtonEuler | Soft, list[str], list[_Part]]:
    """The model, the parameters in the order in which they are carried along, and a run for every eight of them."""
    scenario.refuse_incomplete(asked=False)
    if not parameters:
        raise InputError("give at least one parameter, such as 'gait.amplitude'")
    if scenario.model.kind not in ("newton-euler", "soft"):
        raise InputError(
            "sensitivities are available for the models 'newton-euler' and 'soft', not for "
            f"{scenario.model.kind!r}"
            + (
                "; motion among contacts has kinks and jumps: `limbless.optimise` searches it with CMA-ES"
                if scenario.model.kind == "non-smooth"
                else "; take differences of runs instead"
            )
        )
    if scenario.model.kind != "soft" and getattr(scenario.model, "integrator", "rk4") != "rk4":
        raise InputError(
            "model.integrator: derivatives are carried through explicit steps; set it to rk4, or take "
            "differences of runs"
        )
    for name in parameters:
        if name.partition(".")[0] not in ENTRIES or "." not in name:
            raise InputError(
                f"{name!r} is not a field of {', '.join(ENTRIES)}; parameters are named like 'gait.amplitude'"
            )
    model = _model_of(scenario)
    order = sorted(parameters, key=lambda name: not _is_compiled(scenario, name))
    return model, order, [_run(scenario, model, order[i : i + TANGENTS]) for i in range(0, len(order), TANGENTS)]


def _model_of(scenario: Scenario) -> NewtonEuler | Soft:
    model = scenario.assemble()
    assert isinstance(model, NewtonEuler | Soft)
    if isinstance(model, NewtonEuler) and not model.explicit:
        raise InputError("model.inertia: motion without inertia gives no derivatives; take differences of runs instead")
    return model


def _is_compiled(scenario: Scenario, name: str) -> bool:
    """Whether a field belongs to a gait that is differentiated itself."""
    entry, _, field = name.partition(".")
    gait = scenario.gait
    return (
        scenario.model.kind == "newton-euler"
        and entry == "gait"
        and gait.compiled_duals is not None
        and gait.drives == "shape"
        and field in gait.parameter_fields
    )


class _Part(NamedTuple):
    """A run along up to eight directions."""

    times: np.ndarray
    x: np.ndarray
    x_slope: np.ndarray
    kept: dict[str, np.ndarray]  # records with their slopes, as duals
    score: Any  # Score
    score_slope: Any


def _run(scenario: Scenario, model: NewtonEuler | Soft, names: list[str]) -> _Part:
    """Recorded times, states and sums, with their derivatives."""
    gait, end, count = scenario.gait, scenario.duration, len(names)
    compiled = [name.partition(".")[2] for name in names if _is_compiled(scenario, name)]
    breaks = _breaks(scenario, model)
    held = recorded(breaks, scenario.record_every, end)  # what is recorded is so at its own time
    kinks = between(breaks[~held], end)
    others = [_change(scenario, model, name, kinks) for name in names[len(compiled) :]]
    start = model.initial_state(scenario.initial, gait)
    run: Any = (
        SoftDerivatives(model, gait, start, others)
        if isinstance(model, Soft)
        else ChainDerivatives(model, gait, compiled, start, others)
    )
    knots = knots_between(0.0, end, scenario.step, list(breaks))
    keep = recorded(knots, scenario.record_every, end)
    states, slopes, kept = [], [], []
    begins = {*range(0, len(knots) - 1, model.steps_per_block), len(knots) - 1}
    ends = [*model.jumps(gait, 0.0, end), *(breaks[held] if isinstance(model, Soft) else ())]
    begins |= {int(np.abs(knots - kink).argmin()) for kink in ends}
    for first, last in pairwise(sorted(begins)):
        block, record = knots[first : last + 1], keep[first : last + 1].copy()
        record[-1] &= block[-1] == end  # the next block begins with this knot
        state, slope = run.advance(block, stage_times(block), record)
        states.append(state)
        slopes.append(slope[:, :, :count])
        kept.append(kept_arrays(run.kept))
    score = map_arrays(lambda part: values(part).copy(), run.score)
    score_slope = map_arrays(lambda part: tangents(part)[..., :count].copy(), run.score)
    whole = {name: np.concatenate([each[name] for each in kept]) for name in kept[0]}
    return _Part(knots[keep], np.concatenate(states), np.concatenate(slopes), whole, score, score_slope)


def _breaks(scenario: Scenario, model: NewtonEuler | Soft) -> np.ndarray:
    """Where steps must end."""
    end = scenario.duration
    return np.array([*scenario.switches(0.0, end), *model.breakpoints(scenario.gait, 0.0, end)])


def _change(scenario: Scenario, model: NewtonEuler | Soft, name: str, kinks: np.ndarray) -> PackedChange:
    """How what is packed changes along a field; `kinks` of the drive that may go with it."""
    variation = vary(scenario, name)
    models = models_along(variation, model)
    own = [_breaks(varied, one) for one, varied in zip(models, variation.scenarios, strict=True)]

    def around(knots: np.ndarray) -> list[np.ndarray]:
        return [knots if isinstance(model, NewtonEuler) else moved_knots(knots, kinks, breaks) for breaks in own]

    return change_along(variation, model, models, around)


def models_along(variation: Variation, model: Any) -> list[Any]:
    """A model for each scenario of a variation: the same where the gait alone changes."""
    alone = variation.path.startswith("gait.")
    return [model if alone else _model_of(one) for one in variation.scenarios]


def change_along(
    variation: Variation, model: Any, models: list[Any], around: Callable[[np.ndarray], list[np.ndarray]]
) -> PackedChange:
    """How what these models pack changes along a field about that of `model`; `around` gives the knots of each."""

    def differences(parts: list[Any]) -> Any:
        return combined(variation.weights, parts, variation.path)

    def drive(knots: np.ndarray) -> Any:
        found = differences(
            [
                one.drive(varied.gait, stage_times(there))
                for one, varied, there in zip(models, variation.scenarios, around(knots), strict=True)
            ]
        )
        if isinstance(models[0], NewtonEuler):
            return found
        return found._replace(command=one_sided(found.command), command_rate=one_sided(found.command_rate))

    packed = [one.problem(one.still(), 0, None, None) for one in (model, *models)]
    problem = combined((0.0, *variation.weights), packed, variation.path)  # the one between must be of the same make
    start = differences(
        [
            one.initial_state(varied.initial, varied.gait).x
            for one, varied in zip(models, variation.scenarios, strict=True)
        ]
    )
    return PackedChange(problem, start, drive, lambda knots: differences(around(knots)))


def _add_work(dataset: xr.Dataset, part: _Part, slopes: list[ObjectiveTotals]) -> None:
    """Positive work of the whole run, with its derivatives."""
    work = np.concatenate([slope.positive for slope in slopes], axis=1).sum(axis=0)
    dataset["positive_work"] = ((), part.score.positive.sum(), {"units": "J"})
    dataset["d_positive_work"] = (("parameter",), work, {"units": "J per unit of the parameter"})


def _add_torques(
    dataset: xr.Dataset, model: NewtonEuler, part: _Part, slopes: list[ObjectiveTotals], duration: float
) -> None:
    """Norms of torques over the whole run, with their derivatives."""
    limited = np.isfinite(model.chain.arrays().torque_limit)
    norm, rise = torque_norm(part.score.strain, duration)
    slope = rise[:, None] * np.concatenate([slope.strain for slope in slopes], axis=1) / (duration * MEAN_OF_SIN16)
    names = np.array(model.chain.joint_names)[limited]
    dataset["torque_norm"] = (("joint",), norm[limited], {"units": "1"})
    dataset["d_torque_norm"] = (("joint", "parameter"), slope[limited], {"units": "1 per unit of the parameter"})
    dataset.coords["joint"] = names


def torque_norm(strain: np.ndarray, duration: float) -> tuple[np.ndarray, np.ndarray]:
    """Norms of order 16 of torque over limit, from ∫ (τ / limit)^16 dt, and their slopes along its mean."""
    mean = strain / (duration * MEAN_OF_SIN16)
    norm = mean ** (1.0 / 16.0)
    return norm, np.divide(norm, 16.0 * mean, out=np.zeros_like(mean), where=mean > 1e-200)


def _dataset(
    model: NewtonEuler | Soft, times: np.ndarray, x: np.ndarray, slopes: np.ndarray, names: list[str]
) -> xr.Dataset:
    """Named pieces of the flat state and of its derivatives."""
    dataset = xr.Dataset(coords={"time": ("time", times, {"units": "s"}), "parameter": names})
    for name, dim, columns in model.state_columns():
        dims = ("time", dim) if dim else ("time",)
        unit = model.schema()[name].units
        pick = columns if dim else columns.start
        dataset[name] = (dims, x[:, pick], {"units": unit})
        dataset[f"d_{name}"] = (
            (*dims, "parameter"),
            slopes[:, pick],
            {
                "units": f"({unit}) per unit of the parameter",
                "long_name": f"derivative of {model.schema()[name].long_name}",
            },
        )
        if dim:
            dataset.coords[dim] = list(LABELS[dim])
    return dataset
