"""What every scenario keeps: its summary does not depend on what is recorded, and every step is in it."""
from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.scenarios import loader
from limbless.scenarios.scenario import Scenario

MOST_STEPS = 1500
MOVING = [name for name in loader.names() if Scenario.load(name).task is None]


@cache
def run(name: str, interval: int) -> ll.Result:
    """A short run, of two periods of its gait where these are not too many steps, with a record every `interval` steps (0: at its ends)."""
    whole = Scenario.load(name)
    steps = min(MOST_STEPS, round(2.1 * (whole.gait.cycle or 0.5) / whole.step), round(whole.duration / whole.step))
    return ll.run(name, {"duration": steps * whole.step, "record_every": (interval or steps) * whole.step})


def numbers(result: ll.Result) -> dict[str, Any]:
    return {name: value for name, value in result.summary().items() if name not in ("wall_time", "realtime_factor")}


@pytest.mark.parametrize("name", MOVING)
def test_the_summary_does_not_depend_on_what_is_recorded(name: str) -> None:
    often, seldom = run(name, 1), run(name, 0)
    assert seldom.dataset.sizes["time"] == 2 < often.dataset.sizes["time"]
    assert numbers(seldom) == numbers(often)


@pytest.mark.parametrize("name", MOVING)
def test_what_is_counted_at_every_step_is_what_records_of_every_step_show(name: str) -> None:
    """Works against the integrals that go with the motion, peaks and limits against the records, path against its chords."""
    data = run(name, 1).dataset
    joints = "joint_work" in data
    own, effort, peak = ("joint_work", "joint_torque", "peak_torque") if joints else ("strain_work", "effort", "peak_effort")
    changes = {key: data[key].values[-1] - data[key].values[0] for key in (own, "positive_work", "work_exchanged", "com_path")}
    total = float(data["actuator_work"].values[-1])
    assert changes[own].sum() == pytest.approx(
        total, rel=1e-9 if joints else 2e-2, abs=1e-12 + 1e-3 * (not joints) * changes["work_exchanged"]
    )
    assert (changes["positive_work"] >= np.maximum(changes[own], 0.0) - 1e-12).all()
    largest = np.abs(data[effort].values).max(axis=0)
    np.testing.assert_allclose(np.abs(data[peak].values), largest, rtol=1e-9, atol=1e-9 * largest.max(initial=1e-9))
    chords = np.linalg.norm(np.diff(data["com_position"].values, axis=0), axis=1).sum()
    assert changes["com_path"] == pytest.approx(chords, rel=1e-3, abs=1e-9)
    if "law_work" in data and "clamp_energy" not in data:
        pushed = data["law_work"].values[-1].sum() + (data["contact_work"].values[-1].sum() if "contact_work" in data else 0.0)
        assert pushed == pytest.approx(float(data["environment_work"].values[-1]), rel=1e-9, abs=1e-9 * changes["work_exchanged"] + 1e-15)
