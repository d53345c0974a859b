"""A scenario a little to either side of itself along a field: where derivatives of what is packed come from.

Packing (pydantic, NumPy) carries no derivative, and is smooth: central differences of packed tables are right to the
square of a step of 1e-5, and the simulation that starts from them stays exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from limbless.core import Array, InputError, field_at
from limbless.scenarios.scenario import Scenario

STEP = 1e-5
"""Of a field's value (of 1, where it is 0): truncation 1e-9, rounding 1e-11 of a derivative."""
_BOUNDS = ("swell",)
"""Numbers of a problem that say where to look and not what is found there."""
FAR, SAME = 1e-2, 1e-10
"""Of the time: a kink this much farther off is another one; knots this near are one."""
KINKED = 0.02
"""Of the largest slope: what smooth slopes differ by from a cubic is less."""


class Variation(NamedTuple):
    """Scenarios around one along a field, and the weights with which their difference is its derivative."""

    path: str
    scenarios: tuple[Scenario, ...]
    weights: tuple[float, ...]  # per unit of the field


def value_at(scenario: Scenario, path: str) -> float:
    """The number that a path names."""
    here: Any = scenario
    for part in path.split("."):
        if isinstance(here, tuple):
            kinds = [item for item in here if getattr(item, "kind", None) == part]
            here = here[int(part)] if part.isdigit() else kinds[0] if len(kinds) == 1 else None
        else:
            here = here.get(part) if isinstance(here, dict) else getattr(here, part, None)
        if here is None:
            break
    if isinstance(here, bool) or not isinstance(here, int | float):
        if here is None:
            _refuse_unknown(scenario, path)
        raise InputError(f"{path}: holds {here!r:.40}, which is no number that could change a little")
    return float(here)


def _refuse_unknown(scenario: Scenario, path: str) -> None:
    """An unknown path is refused in the words of a change, which nobody asked for."""
    try:
        Scenario.load(scenario, {path: 1.0})
    except InputError as error:
        raise InputError(str(error).replace(f"--set {path}=1.0: ", f"{path}: ")) from None


def changed(scenario: Scenario, path: str, value: float) -> Scenario:
    """The scenario with one field changed; a field of the gait itself costs a tenth of what a whole check costs."""
    entry, _, field = path.partition(".")
    if entry == "gait" and field in type(scenario.gait).model_fields:
        return scenario.model_copy(update={"gait": scenario.gait.changed(**{field: value})})
    return Scenario.load(scenario, {path: value})


def vary(scenario: Scenario, path: str, share: float = STEP) -> Variation:
    """The scenarios around one, this share of its value away; at a bound of the field they lie to one side."""
    if any(getattr(loop, "plain", False) for loop in scenario.loops):
        raise InputError(
            "controller.plain: a law in plain Python gives no derivatives; take differences of runs instead"
        )
    here = value_at(scenario, path)
    if isinstance(here, int) or _is_whole(scenario, path):
        raise InputError(f"{path}: is a whole number, which has no derivative")
    step = share * (abs(here) or 1.0)
    for offsets, weights in (
        ((-1.0, 1.0), (-0.5, 0.5)),
        ((0.0, 1.0, 2.0), (-1.5, 2.0, -0.5)),
        ((0.0, -1.0, -2.0), (1.5, -2.0, 0.5)),
    ):
        try:
            around = tuple(changed(scenario, path, here + offset * step) for offset in offsets)
        except InputError as error:
            refused = error
            continue
        return Variation(path, around, tuple(weight / step for weight in weights))
    raise refused


def _is_whole(scenario: Scenario, path: str) -> bool:
    entry, _, name = path.partition(".")
    if entry == "gait" and name in type(scenario.gait).model_fields:  # without a dump of everything
        return type(scenario.gait).model_fields[name].annotation is int
    place = tuple(int(part) if part.isdigit() else part for part in path.split("."))
    field = (
        field_at(Scenario, scenario.model_dump(), place)
        if not any(isinstance(part, str) and part not in type(scenario).model_fields for part in place[:1])
        else None
    )
    return field is not None and field.annotation is int


def derivative(variation: Variation, packed: Callable[[Scenario], Any]) -> Any:
    """d/d(field) of whatever arrays are packed from a scenario, as the same tuple of arrays."""
    return combined(variation.weights, [packed(scenario) for scenario in variation.scenarios], variation.path)


def moved_knots(knots: Array, kinks: Array, own: Array) -> Array:
    """The knots of a scenario a little beside: those at `kinks` go to the nearest of its `own`. A kink that a step does
    not follow would be differenced over: slopes along a wavelength were then wrong by some per cent.
    """
    there = knots.copy()
    if len(kinks) and len(own):
        nearest = own[np.abs(own - kinks[:, None]).argmin(axis=1)]
        for kink, place in zip(kinks, nearest, strict=True):
            if abs(place - kink) <= FAR * knots[-1]:
                there[np.abs(knots - kink) <= SAME * knots[-1]] = place
    return there


def between(kinks: Array, end: float) -> Array:
    """Kinks within a time that begins at 0: those at its ends stay there."""
    return kinks[(kinks > SAME * end) & (kinks < (1.0 - SAME) * end)]


def one_sided(slopes: Array) -> Array:
    """Slopes of tensions (4 K + 1, tendons) at quarters of steps; those at an end where a kink stands, which would be
    differenced over, from within, by the cubic through four of them.
    """
    found, large = slopes.copy(), KINKED * np.abs(slopes).max(axis=0, initial=0.0)
    if len(slopes) >= 5:
        inner = np.array([4.0, -6.0, 4.0, -1.0])
        for row, within in ((0, inner @ slopes[1:5]), (-1, inner @ slopes[-2:-6:-1])):
            found[row] = np.where(np.abs(within - slopes[row]) > large, within, slopes[row])
    return found


def mass_slope(scenario: Scenario, path: str) -> float:
    """d/d(field) of the mass of the robot."""
    if not path.startswith("robot."):
        return 0.0
    return float(derivative(vary(scenario, path), lambda one: np.array(one.robot.build().total_mass)))


def combined(weights: Sequence[float], parts: Sequence[Any], path: str) -> Any:
    """A weighted sum of problems, array by array; one whose make changes on the way is refused."""
    first = parts[0]
    if any((part is None) is not (first is None) for part in parts):
        raise InputError(f"{path}: the kind of something changes here; there is no derivative")
    if isinstance(first, tuple):
        if any(type(part) is not type(first) or len(part) != len(first) for part in parts):
            raise InputError(f"{path}: the kind of something changes here; there is no derivative")
        names = getattr(first, "_fields", range(len(first)))
        found = [
            each[0] if name in _BOUNDS else combined(weights, each, path)
            for name, each in zip(names, zip(*parts, strict=True), strict=True)
        ]
        return type(first)(*found) if hasattr(first, "_fields") else tuple(found)
    if not isinstance(first, np.ndarray):
        if isinstance(first, float) and any(part != first for part in parts):
            raise InputError(
                f"{path}: derivatives do not reach it (the height of a surface does not stand in the "
                "tables of a body); take differences of runs instead"
            )
        return first
    if any(part.shape != first.shape for part in parts):
        raise InputError(f"{path}: the number of something changes here; there is no derivative")
    if first.dtype != np.float64:
        # between two that differ alike (an axis that is tilted to either side) duals take neither's shortcut
        beside = [part for weight, part in zip(weights, parts, strict=True) if weight]
        if any(not np.array_equal(part, beside[0]) for part in beside):
            raise InputError(f"{path}: a choice of the kernels changes here; there is no derivative")
        return first
    with np.errstate(invalid="ignore"):  # a window's inf - inf
        slope = sum(weight * part for weight, part in zip(weights, parts, strict=True))
    return np.where(np.isfinite(slope), slope, 0.0)
