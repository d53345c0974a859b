"""The list of measures, filled by a decorator."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

RESULT, STEADY = "result", "steady"


@dataclass(frozen=True)
class Measure:
    """A number of a run: its name, unit and meaning, what it is found from, and whether it depends smoothly on
    parameters.

    `function` takes a `Result` (`needs` is `result`) or a `SteadyMotion` (`steady`). It returns a number, None where
    there is none, or a mapping of numbers.
    """

    name: str
    unit: str
    meaning: str
    function: Callable[[Any], Any]
    needs: str = RESULT
    smooth: bool = False


entries: dict[str, Measure] = {}


def measure(name: str, unit: str, meaning: str, needs: str = RESULT, smooth: bool = False) -> Callable:
    """Register a function as a measure."""
    def register(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        entries[name] = Measure(name, unit, meaning, function, needs, smooth)
        return function
    return register
