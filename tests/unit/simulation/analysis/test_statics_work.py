"""Work along a path of equilibria, on numbers made up by hand."""

from __future__ import annotations

import numpy as np
import pytest
import xarray as xr

from limbless.simulation.analysis import statics_work


def path() -> xr.Dataset:
    """A force that grows with the way, two tendons of which one is pulled."""
    s = np.linspace(0.0, 1.0, 11)
    zero = 0.0 * s
    return xr.Dataset(
        {
            "equivalent_force": (("point", "axis"), np.stack([2.0 * s, zero, zero], axis=1)),
            "tip_position": (("point", "axis"), np.stack([s, s, zero], axis=1)),
            "tension": (("point", "tendon"), np.stack([3.0 * s, zero], axis=1)),
            "tendon_length": (("point", "tendon"), np.stack([1.0 - 0.1 * s, 1.0 + 0.1 * s], axis=1)),
        }
    )


def test_equivalent_work_is_that_of_the_mean_force() -> None:
    # integral of 2 s ds; the left points would give 0.9
    assert statics_work.equivalent_steps(path()).sum() == pytest.approx(1.0, abs=1e-14)


def test_actuator_work_and_what_is_spent() -> None:
    steps = statics_work.actuator_steps(path())
    assert steps.sum() == pytest.approx(0.15, abs=1e-14)
    there_and_back = np.concatenate([steps, -steps])
    assert there_and_back.sum() == pytest.approx(0.0, abs=1e-15) and statics_work.positive(
        there_and_back
    ) == pytest.approx(0.15)


def test_a_result_with_time_has_no_statics() -> None:
    assert statics_work.summary(xr.Dataset(coords={"time": [0.0, 1.0]})) is None


def test_the_reach_of_a_tip_goes_from_its_least_to_its_largest_place() -> None:
    data = path().assign(
        tip_in_base=(("point", "axis"), np.linspace([3.0, -1.0, 0.5], [1.0, 2.0, 0.5], 11)),
        min_eigenvalue=("point", np.ones(11)),
        stop_moment=(("point", "vertebra", "transverse"), np.zeros((11, 2, 2))),
    )
    found = statics_work.summary(data)
    assert found is not None
    assert found["tip_from"] == pytest.approx([1.0, -1.0, 0.5]) and found["tip_to"] == pytest.approx([3.0, 2.0, 0.5])
    assert found["postures"] == 11 and found["largest_tension"] == 3.0
