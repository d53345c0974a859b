"""What a studio takes on: how many visitors, and runs of which size and length. Beyond that it
says so, in one sentence.
"""

from __future__ import annotations

import math
from typing import Any

from limbless.scenarios.scenario import Scenario

MOST_VISITORS = 8
"""Pages at a time; each has its own run, its own scene and two threads."""
MOST_RUNS = 2
"""Runs at a time; those of other visitors wait for their turn."""
MOST_SECONDS = 600.0
"""That one run may take, s."""
MOST_STEPS = 5_000_000
MOST_BODIES = 500
"""Links, vertebrae or cells of a robot."""
MOST_PLACES = 500_000
"""Records times bodies: about half a gigabyte while it is made and shown."""
FULL = (
    f"This studio shows itself to {MOST_VISITORS} visitors at a time, and all places are taken. "
    "Load this page again when one has left."
)
_ELSEWHERE = "or run it with `limbless run` and look at what that wrote"


def too_large(scenario: Scenario) -> str | None:
    """Why a scenario is not run in the studio, or None."""
    bodies = bodies_of(scenario)
    if bodies > MOST_BODIES:
        return (
            f"the studio takes robots of at most {MOST_BODIES} bodies or cells; this one has {bodies}: "
            f"take fewer, {_ELSEWHERE}"
        )
    if scenario.task is not None:
        points = _points(scenario.gait)
        return (
            None
            if points * bodies <= MOST_PLACES
            else (
                f"the studio takes at most {MOST_PLACES // bodies} equilibria of this robot; these are {points}: "
                f"take fewer, {_ELSEWHERE}"
            )
        )
    steps = scenario.duration / scenario.step
    if steps > MOST_STEPS:
        return (
            f"the studio takes runs of at most {MOST_STEPS} steps; this one has {steps:.3g}: shorten `duration` to "
            f"{MOST_STEPS * scenario.step:.3g} s, {_ELSEWHERE}"
        )
    records = math.ceil(scenario.duration / scenario.record_every) + 1
    if records * bodies > MOST_PLACES:
        fits = scenario.step * math.ceil(scenario.duration * bodies / MOST_PLACES / scenario.step + 1)
        return (
            f"the studio takes at most {MOST_PLACES // bodies} records of this robot; this run has {records}: "
            f"`record_every` of {fits:.6g} s fits; {_ELSEWHERE}"
        )
    return None


def bodies_of(scenario: Scenario) -> int:
    """How many bodies or cells there will be, without building them: the largest count that the
    robot or the model declares.
    """
    fields = dict(scenario.robot).values()
    whole = [value for value in fields if isinstance(value, int) and not isinstance(value, bool)]
    lists = [len(value) for value in fields if isinstance(value, tuple)]
    return max([1, int(getattr(scenario.model, "cells", 1)), *whole, *lists])


def _points(gait: Any) -> int:
    count = int(getattr(gait, "count", 0))  # a grid has this many along each of two sides
    return max(int(getattr(gait, "points", 0) or 0), 2 * count * count, len(getattr(gait, "table", ())))
