"""Noise in samples: found, taken off, and nothing else changed."""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from limbless.control.gaits.sampled_curvature import SampledCurvature
from limbless.core.errors import InputError
from limbless.core.splines.smoothing import noise_in, smooth_grid
from limbless.environments.anchorage import Anchorage
from limbless.robots.rod import Rod

T, X = np.linspace(0.0, 2.0, 301), np.linspace(0.0, 1.0, 31)


def curvature(t: np.ndarray, x: np.ndarray) -> np.ndarray:
    return np.asarray(4.0 * (1.0 + 0.3 * x) * np.sin(2.0 * np.pi * (x - t[:, None])))


def noisy(size: float) -> np.ndarray:
    return np.asarray(curvature(T, X) + size * np.random.default_rng(7).normal(size=(len(T), len(X))))


def test_a_smooth_table_comes_back_bit_for_bit() -> None:
    for t, x in ((T, X), (T[::12], X[::3]), (np.sort(T**1.2), X)):
        values = curvature(t, x)
        assert noise_in(t, x, values) == 0.0 and smooth_grid(t, x, values).values is values


@pytest.mark.parametrize("size", [1e-4, 4e-3, 0.04])
def test_noise_is_found_and_most_of_it_taken_off(size: float) -> None:
    found = smooth_grid(T, X, noisy(size))
    assert found.noise == pytest.approx(size, rel=0.05)
    left = np.sqrt(np.mean((found.values - curvature(T, X)) ** 2))
    # of a signal that is 40,000 times the noise more is kept, and a fifth of the noise's power with it
    assert found.removed == pytest.approx(size, rel=0.1) and left < 0.5 * size


def test_stated_noise_decides() -> None:
    samples = noisy(4e-3)
    assert smooth_grid(T, X, samples, 0.0).values is samples
    assert smooth_grid(T, X, samples, 4e-3).removed == pytest.approx(4e-3, rel=0.1)


def table(values: np.ndarray) -> tuple:
    return tuple(map(tuple, [(0.0, *X), *((t, *row) for t, row in zip(T, values, strict=True))]))


def test_forces_of_a_noisy_table_are_those_of_the_motion() -> None:
    """A tenth of a percent of noise is more than all of the force: it follows second derivatives of the samples."""

    def force(gait: SampledCurvature) -> np.ndarray:
        run = ll.simulate(
            Rod(strains="planar", base="planar"),
            gait,
            Anchorage(),
            model="macro-continuous",
            duration=1.6,
            step=0.01,
            record_every=0.02,
        )
        # away from the end of the table
        return np.asarray(run.dataset["contact_force"].values[20:, 0, :2])

    clean, raw, smoothed = (
        force(gait)
        for gait in (
            SampledCurvature(table=table(curvature(T, X))),
            SampledCurvature(table=table(noisy(4e-3)), noise=0.0),
            SampledCurvature(table=table(noisy(4e-3))),
        )
    )
    size = np.sqrt(np.mean(clean**2))
    assert np.sqrt(np.mean((raw - clean) ** 2)) > size
    assert np.sqrt(np.mean((smoothed - clean) ** 2)) < 0.05 * size


def test_what_was_done_is_said() -> None:
    assert SampledCurvature(table=table(curvature(T, X))).notes() == ()
    (note,) = SampledCurvature(table=table(noisy(4e-3))).notes()
    assert note.startswith("gait.noise: the sampled curvature was smoothed") and "found in it" in note
    coarse = (slice(None, None, 30), slice(None, None, 4))
    few = tuple(
        map(
            tuple,
            [(0.0, *X[coarse[1]]), *((t, *row) for t, row in zip(T[coarse[0]], noisy(4e-3)[coarse], strict=True))],
        )
    )
    (note,) = SampledCurvature(table=few, noise=4e-3).notes()
    assert "stated" in note
    with pytest.raises(InputError, match="noise: 50 1/m is no less than the spread"):
        SampledCurvature(table=table(noisy(4e-3)), noise=50.0)
