"""What every scenario keeps: its summary does not depend on what is recorded, and every step is in it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import limbless as ll
from limbless.scenarios import loader
from limbless.scenarios.scenario import Scenario
from tests.contracts.samples import marks

Array = NDArray[np.float64]
MOST_STEPS = 1500
MOVING = [name for name in loader.names() if Scenario.load(name).task is None]
each = pytest.mark.parametrize("name", [pytest.param(name, marks=marks(name)) for name in MOVING])


@cache
def run(name: str, interval: int) -> ll.Result:
    """A short run, of two periods of its gait where these are not too many steps, with a record every `interval` steps
    (0: at its ends).
    """
    whole = Scenario.load(name)
    steps = min(MOST_STEPS, round(2.1 * (whole.gait.cycle or 0.5) / whole.step), round(whole.duration / whole.step))
    exact = {"model.tolerance": 1e-8} if touches_softly(whole) else {}
    return ll.run(name, {"duration": steps * whole.step, "record_every": (interval or steps) * whole.step, **exact})


def touches_softly(scenario: Scenario) -> bool:
    """A soft body among hard things: tendons wind at the rates of the last pass of a stage, which the body has to the
    stage's tolerance; the loop sees efforts within a step, where its forces are taken, and records those at its ends.
    """
    return scenario.model.kind == "soft" and any(item.role == "contact" for item in scenario.environment)


def numbers(result: ll.Result) -> dict[str, Any]:
    """Without times, and without notes, some of which tell what share of the records something was so."""
    return {
        name: value for name, value in result.summary().items() if name not in ("wall_time", "realtime_factor", "notes")
    }


@each
def test_the_summary_does_not_depend_on_what_is_recorded(name: str) -> None:
    often, seldom = run(name, 1), run(name, 0)
    assert seldom.dataset.sizes["time"] == 2 < often.dataset.sizes["time"]
    assert numbers(seldom) == numbers(often)


def check_peaks(time: Array, effort: Array, peak: Array, when: Array, inside: bool) -> None:
    """Peaks are the largest records, or beyond these what efforts jump from or to where contacts switch.

    A record shows the side after a switch, and none shows a switch within a step; the loop sees both sides of both.
    Such a peak lies on the straight line through the two records before it or through the two after it, to a twentieth
    of the largest jump between these lines along the body (a support that comes to a section in that very step bends
    the line of this one). Where the loop sees efforts `inside` a step, a peak may lie between two records.
    """
    largest = np.abs(effort).max(axis=0)
    room = 1e-9 * largest + 1e-9 * largest.max(initial=1e-9)
    if inside:
        room = room + np.abs(np.diff(effort, axis=0)).max(axis=0)
    assert (np.abs(peak) >= largest - room).all()
    for place in map(tuple, np.argwhere(np.abs(peak) > largest + room)):
        assert effort.ndim == 3, f"joint {place}: records of every step show all peaks of joints"
        t, e = when[place], effort[:, :, place[1]]
        n = int(np.searchsorted(time, t - 1e-9))
        assert 2 <= n < len(time) - 1, f"a peak at t = {t} s that no record shows"
        before, after = (e[k] + (t - time[k]) / (time[k + 1] - time[k]) * (e[k + 1] - e[k]) for k in (n - 2, n))
        off = min(abs(peak[place] - before[place[0]]), abs(peak[place] - after[place[0]]))
        assert off <= 0.05 * np.abs(after - before).max(), f"{place} at t = {t} s: {off}"


def chord_length(places: Array, every: int) -> float:
    """Sum of the chords between every so many records, and to the last one."""
    taken = np.concatenate([places[:-1:every], places[-1:]])
    return float(np.linalg.norm(np.diff(taken, axis=0), axis=1).sum())


@each
def test_what_is_counted_at_every_step_is_what_records_of_every_step_show(name: str) -> None:
    """Works against the integrals that go with the motion, peaks and limits against the
    records, path against its chords.
    """
    data = run(name, 1).dataset
    joints = "joint_work" in data
    own, effort, peak = (
        ("joint_work", "joint_torque", "peak_torque") if joints else ("strain_work", "effort", "peak_effort")
    )
    if "pulley_work" in data:
        joints, own, effort, peak = True, "pulley_work", "tension", "peak_tension"
    changes = {
        key: data[key].values[-1] - data[key].values[0] for key in (own, "positive_work", "work_exchanged", "com_path")
    }
    total = float(data["actuator_work"].values[-1])
    assert changes[own].sum() == pytest.approx(
        total, rel=1e-9 if joints else 2e-2, abs=1e-12 + 1e-3 * (not joints) * changes["work_exchanged"]
    )
    assert (changes["positive_work"] >= np.maximum(changes[own], 0.0) - 1e-12).all()
    inside = touches_softly(Scenario.load(name))
    check_peaks(data["time"].values, data[effort].values, data[peak].values, data["peak_time"].values, inside)
    chords, wider = (chord_length(data["com_position"].values, every) for every in (1, 2))
    cut = max(chords - wider, 0.0) / 3.0  # what chords cut off a smooth path, to second order
    assert changes["com_path"] == pytest.approx(chords + cut, rel=1e-3, abs=cut + 1e-9)
    if "law_work" in data and "clamp_energy" not in data:
        pushed = data["law_work"].values[-1].sum() + (
            data["contact_work"].values[-1].sum() if "contact_work" in data else 0.0
        )
        assert pushed == pytest.approx(
            float(data["environment_work"].values[-1]), rel=1e-9, abs=1e-9 * changes["work_exchanged"] + 1e-15
        )
