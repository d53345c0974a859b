"""Random scenarios end in a finite result or in an error that says when and why; of the mild half
nearly all come to their end.
"""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from makers import MAKERS, case

import limbless as ll

SEEDS, FEW = 100, 3
"""Cases of each model and half, in the ranges that `makers` states: 1000 in all with --every-case, else the first few;
each new set of forces and joints is compiled once.
"""
MILD_SHARE = 0.95
ENDLESS = {"joint_limit", "effort_limit", "stop", "tension_limit", "surface", "limit_time"}
"""Variables that are infinite where there is no limit, where a limit was never passed, or (a surface)
without a window of time.
"""


def check_finite(result: ll.Result, told: str) -> None:
    for name, variable in result.dataset.variables.items():
        if variable.dtype.kind == "f" and name not in ENDLESS:
            assert np.isfinite(variable.values).all(), f"{told}: {name} is not finite"
    for name in ENDLESS & set(result.dataset.variables):
        assert not np.isnan(result.dataset[name].values).any(), f"{told}: {name} is no number"


def ends(data: dict[str, Any], told: str) -> str:
    """How a case ended: finished, refused or failed; anything else is a failure of the test."""
    try:
        scenario = ll.Scenario.load(data)
        result = ll.run(scenario)
    except ll.InputError as error:
        text = str(error)
        assert len(text) > 20 and "nan" not in text.lower().split(), f"{told}: {text!r} says too little"
        return f"refused: {text}"
    except ll.SimulationError as error:
        assert error.result is not None and error.result.status.startswith("failed: "), (
            f"{told}: what was computed is lost"
        )
        assert error.time is not None or error.place is not None or scenario.task, (
            f"{told}: {error} does not say when or where"
        )
        foreseen = isinstance(error.__cause__, ll.SimulationError | ll.InputError | None)
        assert foreseen, f"{told}: {error} comes from an unforeseen {error.__cause__!r}"
        check_finite(error.result, told)
        return f"failed: {error}"
    assert result.status == "completed"
    check_finite(result, told)
    result.summary()
    return "finished"


@pytest.mark.parametrize("mild", [True, False], ids=["mild", "wild"])
@pytest.mark.parametrize("model", MAKERS)
def test_no_case_ends_in_silence_or_in_a_traceback(model: str, mild: bool, request: pytest.FixtureRequest) -> None:
    outcomes: dict[int, str] = {}
    seeds = SEEDS if request.config.getoption("--every-case") else FEW
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for seed in range(seeds):
            told = f"case({model!r}, {mild}, {seed})"
            try:
                outcomes[seed] = ends(case(model, mild, seed), told)
            except AssertionError:
                raise
            except Exception as error:
                raise AssertionError(f"{told} ends in {type(error).__name__}: {error}") from error
    finished = sum(outcome == "finished" for outcome in outcomes.values())
    unfinished = {seed: outcome for seed, outcome in outcomes.items() if outcome != "finished"}
    least = int(MILD_SHARE * seeds) if mild else seeds // SEEDS  # of a few wild ones, none may come through
    assert finished >= least, f"{finished} of {seeds} finished; {unfinished}"
    assert mild or Counter(outcome.partition(":")[0] for outcome in outcomes.values())["finished"] < SEEDS, (
        "the wild half is not wild"
    )
