"""Curves of a run that a ladder compares: the paths of points, and the moment inside the body, at times and places."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array
from limbless.robots import Rod

if TYPE_CHECKING:
    import xarray as xr

    from limbless.simulation.result import Result

PLACES = 41  # abscissae at which moments along the body are compared


def length_of(data: xr.Dataset) -> float:
    """m, of the straight body."""
    return float(data["vertebra_length" if "vertebra_length" in data else "section_length"].values.sum())


_TURNS = ("roll", "pitch", "yaw")


def moment_of(result: Result) -> tuple[Array, Array, Array] | None:
    """Times, shares of the length, and the moment inside the body there (time, place, 3), N m; None where it is not
    known. That of a link is at its joint. Where velocities jump it is a mean over a step, known in the middle of it.
    """
    data, clock, length = result.dataset, clock_of(result), length_of(result.dataset)
    if "internal_wrench" not in data:
        return _of_efforts(result)
    moment = data["internal_wrench"].values[..., 3:]
    if data.attrs.get("model") == "non-smooth":
        clock, moment = clock[1:] - 0.5 * data.attrs["step"], moment[1:]
    if "abscissa" in data:
        return clock, data["abscissa"].values / length, moment
    return clock, np.array([0.0, *np.cumsum(data["section_length"].values)[:-1]]) / length, moment


def _of_efforts(result: Result) -> tuple[Array, Array, Array] | None:
    """The same of a soft rod whose strains are given: what its actuators give, without what its springs and dampers
    take of that."""
    data, scenario = result.dataset, result.scenario
    robot = None if scenario is None else scenario.robot.build()
    if "joint_abscissa" not in data or not isinstance(robot, Rod) or robot.tendons or robot.passive is not None:
        return None
    labels = [str(joint).split()[0] for joint in data["joint"].values]
    X, known = np.unique(data["joint_abscissa"].values), data["abscissa"].values
    strain, rate = (between(known, data[name].values, X, axis=1) for name in ("strain", "strain_rate"))
    taken = robot.stiffnesses(X) * (strain - robot.rest_strains(X)) + robot.dampings(X) * rate
    moment = np.zeros((len(strain), len(X), 3))
    for c, turn in enumerate(_TURNS):
        given = [number for number, label in enumerate(labels) if label == turn]
        if given:
            moment[..., c] = taken[..., 3 + c] - data["joint_torque"].values[:, given]
    return clock_of(result), X / length_of(data), moment


def between(known: Array, values: Array, asked: Array, axis: int = 0) -> Array:
    """Straight lines through values, also beyond the first and the last."""
    from scipy.interpolate import make_interp_spline

    return np.asarray(make_interp_spline(known, values, k=1, axis=axis)(asked))


def spread(places: Array, values: Array) -> Array:
    """Values (time, place, 3) at the places that are compared; none at free ends, where they are not known."""
    ends = int(places[0] > 1e-9), int(places[-1] < 1.0 - 1e-9)
    known = np.array([*[0.0] * ends[0], *places, *[1.0] * ends[1]])
    return between(known, np.pad(values, ((0, 0), ends, (0, 0))), np.linspace(0.0, 1.0, PLACES), axis=1)


def clock_of(result: Any) -> Array:
    """Times of its records, s; of equilibria along a path, those of its points."""
    if "time" in result.dataset.dims:
        return np.asarray(result.dataset["time"].values)
    return np.asarray(result.scenario.gait.instants() if hasattr(result.scenario.gait, "instants") else ())


_PATHS = {"com_position": "path of the centre of mass (m)", "tip_position": "path of the tip (m)"}
_INSIDE = "moment inside the body (N m)"


def curves_of(result: Result, times: Array) -> dict[str, Array | None]:
    """Paths and the moment inside the body at these times; None where they are not known, or not recorded then."""
    data, clock = result.dataset, clock_of(result)

    if len(clock) < min(len(times), 3):
        return dict.fromkeys((*_PATHS.values(), _INSIDE))
    found: dict[str, Array | None] = {
        told: between(clock, data[name].values, times) if name in data else None for name, told in _PATHS.items()
    }
    if (along := moment_of(result)) is not None:
        found[_INSIDE] = between(along[0], spread(*along[1:]), times)
    return {_INSIDE: None, **found}


def matched(one: Any, other: Any) -> Iterator[tuple[str, list[tuple[Array, str]], Array, Array]]:
    """Curves that both results have: name, axes, and both at the same times and abscissae."""
    clocks = [clock_of(result) for result in (one, other)]
    times = clocks[0][clocks[0] <= clocks[1][-1] * (1.0 + 1e-12)] if all(map(len, clocks)) else clocks[0][:0]
    if not len(times):
        return
    known = np.isclose(times[:, None], clocks[1], rtol=0.0, atol=1e-9 * times[-1]).any(axis=1)
    times = times[known] if known.sum() > 2 else times  # between records a curve is less than they are
    places = (np.linspace(0.0, length_of(one.dataset), PLACES), "m")
    both = [curves_of(result, times) for result in (one, other)]
    for name, values in both[0].items():
        if values is not None and (beside := both[1][name]) is not None:
            yield name, [(times, "s"), *([places] if name == _INSIDE else [])], values, beside
