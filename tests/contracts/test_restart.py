"""What every scenario keeps: a run that is saved, loaded and continued is the uninterrupted one, and a
rerun has the same bytes.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.scenarios import loader
from limbless.scenarios.scenario import Scenario
from tests.contracts.samples import marks

STEPS, CUT = 12, 5  # 0.05 s + 0.07 s are not 0.12 s in floating point: the end must be put right
EARLIER: dict[str, dict[str, Any]] = {
    "wheeled-snake-crawl-then-reach": {
        "gait.stop": 0.002,
        "gait.settle": 0.01,
        "environment.clamp.active": [[0.003, 0.009]],
        "environment.point-wrench.active": [[0.004, 0.01]],
    },
    "wheeled-snake-switch": {
        "environment.clamp.active": [[0.002, 0.01]],
        "actuation.phases.1.start": 0.002,
        "actuation.phases.2.start": 0.004,
        "actuation.phases.3.start": 0.007,
        "actuation.phases.4.start": 0.009,
    },
    "inchworm-climb": {
        "gait.period": 0.08,
        "environment.1.active": [[0.0, 0.04]],
        "environment.1.repeat": 0.08,
        "environment.2.active": [[0.04, 0.08]],
        "environment.2.repeat": 0.08,
    },
}
"""What happens late in a scenario happens within these few steps: clamps close, feet are exchanged,
before and after the cut.
"""
MOVING = [name for name in loader.names() if Scenario.load(name).task is None]
OF_A_BLOCK = {"macro-continuous": {"power_residual"}, "soft": {"power_residual", "iterations"}}
"""Measures of error that look beyond their record: a rate since the record before, slip over the largest speed in a
block of steps, how often stages of a block were evaluated.
"""


def run(name: str, steps: int, **more: Any) -> ll.Result:
    step = Scenario.load(name).step
    return ll.run(name, {**EARLIER.get(name, {}), "duration": steps * step, "record_every": step, **more})


@pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in MOVING])
def test_saved_loaded_and_continued_is_the_uninterrupted_run(name: str, tmp_path: Path) -> None:
    whole = run(name, STEPS)
    run(name, CUT).save(tmp_path / "first.nc")
    rest = run(name, STEPS - CUT, **{"initial.result": str(tmp_path / "first.nc")})
    assert rest.state is not None and whole.state is not None
    np.testing.assert_array_equal(rest.state.x, whole.state.x)
    assert {key: value.tobytes() for key, value in rest.state.memory.items()} == {
        key: value.tobytes() for key, value in whole.state.memory.items()
    }
    after = whole.dataset.isel(time=slice(CUT + 1, None))
    for variable in set(whole.dataset.data_vars) - OF_A_BLOCK.get(whole.dataset.attrs["model"], {"power_residual"}):
        if "time" in whole.dataset[variable].dims:
            np.testing.assert_array_equal(
                rest.dataset[variable].values[1:], after[variable].values, err_msg=str(variable)
            )


WRITE_ALL = """
import sys, limbless as ll
from limbless.scenarios import loader
from limbless.scenarios.scenario import Scenario
for name in reversed(loader.names()):
    scenario = Scenario.load(name)
    changes = {"duration": 8 * scenario.step} if scenario.task is None else {
        f"gait.{field}": count for field, count in (("points", 4), ("count", 3)) if hasattr(scenario.gait, field)}
    changes |= {"record_every": scenario.step} if scenario.task is None else {}
    ll.run(name, changes).write(f"{sys.argv[1]}/{name}", figures=name == "rod-arm", replay=False)
"""


def test_reruns_in_other_processes_have_the_same_bytes(tmp_path: Path) -> None:
    """Nothing of a process (its hash seed, its caches, what ran before) reaches a saved file, figures
    and their numbers included.
    """
    for folder, seed in (("one", "1"), ("two", "77")):
        subprocess.run(
            [sys.executable, "-c", WRITE_ALL, str(tmp_path / folder)],
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
    files = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.*"))
    assert files == sorted(path.relative_to(tmp_path / "two") for path in (tmp_path / "two").rglob("*.*"))
    assert {path.suffix for path in files} >= {".nc", ".yaml", ".csv", ".png"} and len(files) > 3 * len(loader.names())
    for path in files:
        if path.name != "summary.json":  # it holds the time that the run took
            assert (tmp_path / "one" / path).read_bytes() == (tmp_path / "two" / path).read_bytes(), path
