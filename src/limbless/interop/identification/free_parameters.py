"""Fields of a scenario that are fitted: between bounds, by their logarithm where these are positive."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from limbless.core import InputError
from limbless.scenarios.changes import Changes
from limbless.scenarios.scenario import Scenario
from limbless.search.sweeps.parameter_ranges import Bounds, bounds_of


class FreeParameter(NamedTuple):
    """One that is fitted: between bounds, by its logarithm where they are positive; several paths with a comma between
    them have one value."""

    path: str
    low: float
    high: float
    prior: tuple[float, float] | None = None

    @property
    def is_log(self) -> bool:
        return self.low > 0.0

    def coordinate(self, value: float) -> float:
        return float(np.log(value)) if self.is_log else (value - self.low) / (self.high - self.low)

    def value(self, coordinate: float) -> float:
        return float(np.exp(coordinate)) if self.is_log else self.low + coordinate * (self.high - self.low)

    def rate(self, value: float) -> float:
        """Change of the value per coordinate."""
        return value if self.is_log else self.high - self.low

    def changes(self, value: float) -> dict[str, float]:
        """The value at its paths."""
        return {path.strip(): value for path in self.path.split(",")}


def free_parameters(fit: Mapping[str, Any], scenario: Scenario) -> list[FreeParameter]:
    """From path -> (low, high), or {between: [low, high], prior: [mean, sd]}; refused before anything runs."""
    if not fit:
        raise InputError(
            "fit: name one or more parameters with their bounds, such as {environment.ground.lateral: (0.2, 1)}"
        )
    found = []
    for path, given in fit.items():
        prior = None
        if isinstance(given, Mapping) and "between" in given:
            mean, sd = given.get("prior") or (0.0, 0.0)
            prior = (float(mean), float(sd)) if given.get("prior") else None
            if prior is not None and not sd > 0.0:
                raise InputError(
                    f"fit.{path}: prior: mean and standard deviation, which is positive; got {given['prior']}"
                )
            given = given["between"]
        first = path.split(",")[0].strip()
        try:
            bounds = given if isinstance(given, Bounds) else bounds_of(first, given, scenario)
            free = FreeParameter(path, bounds.low, bounds.high, prior)
            # a path that is none, a value that cannot be, or whole numbers, are refused here
            for at in (bounds.low, 0.4321 * bounds.low + 0.5679 * bounds.high, bounds.high):
                Scenario.load(scenario, free.changes(at))
        except InputError as error:
            text = str(error).removeprefix("scenario: ").replace("over.", "fit.", 1).replace("--set", "--fit", 1)
            raise InputError(text if text.startswith(("fit.", "--fit")) else f"fit.{path}: {text}") from None
        found.append(free)
    return found


def value_of(scenario: Scenario, path: str) -> Any:
    """What a scenario has at a path at which a number may stand; a path that is none is refused."""
    try:
        Scenario.load(scenario, {path: 1.0})
    except InputError as error:
        raise InputError(str(error).replace(f"--set {path}=1.0: ", "identify: ")) from None
    here: Any = scenario.model_dump()
    for part in next(iter(Changes(Scenario, here, {path: 1.0}).made)):
        here = here[part]
    return here
