"""Witnesses of recorded variables: each compares a variable of a run with something that does not share its code.

A witness is a function of a `Case`, registered for the variables that it vouches for. `test_witnesses.py` asks that
every variable of every model has one, that it agrees, and that it notices when the variable is wrong: turned round, two
per cent too large, with one component turned round. Kinematics, dynamics, statics are written once more here, in NumPy,
from the numbers that the runs were made of; rates are differences of recorded values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache

import numpy as np
import xarray as xr

Array = np.ndarray


class Case:
    """Runs of one model, by name, made when they are first asked for. `tolerance`: relative to the largest value, where
    a witness does not say another. `asked`: the runs that witnesses have looked at.
    """

    def __init__(self, makers: Mapping[str, Callable[[], xr.Dataset]], tolerance: float) -> None:
        self.asked: set[str] = set()
        self.runs, self.tolerance = {name: cache(make) for name, make in makers.items()}, tolerance

    def of(self, run: str) -> dict[str, Array]:
        """All recorded numbers of a run by name."""
        self.asked.add(run)
        data = self.runs[run]()
        return {str(name): data[name].values for name in (*data.data_vars, *data.coords)}

    def changed(self, variable: str, change: Callable[[xr.DataArray], Array]) -> Case:
        """The case with one variable other than it was recorded, in every run that has it."""

        def other(make: Callable[[], xr.Dataset]) -> Callable[[], xr.Dataset]:
            def changed() -> xr.Dataset:
                data = make()
                return (
                    data.assign({variable: (data[variable].dims, change(data[variable]))}) if variable in data else data
                )

            return changed

        return Case({name: other(make) for name, make in self.runs.items()}, self.tolerance)

    def same(self, found: Array, expected: Array, tolerance: float | None = None) -> None:
        """Asserts that both agree, and that they say something: not all of it is zero."""
        found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
        assert found.shape == expected.shape, f"shapes {found.shape} and {expected.shape}"
        scale = np.abs(expected).max()
        assert scale > 1e-12, "the witness sees nothing but zeros"
        apart = np.abs(found - expected).max() / scale
        assert apart <= (tolerance or self.tolerance), f"they differ by {apart:.3g} of the largest value, {scale:.3g}"


Witness = Callable[[Case], None]
WITNESSES: dict[tuple[str, str], Witness] = {}
"""(model, variable) -> who vouches for it."""
CASES: dict[str, Callable[[], Case]] = {}
"""model -> its runs."""


def witness(models: str | Iterable[str], *variables: str) -> Callable[[Witness], Witness]:
    """Registers a function as the witness of these variables of these models."""

    def register(function: Witness) -> Witness:
        for model in (models,) if isinstance(models, str) else models:
            for variable in variables:
                assert (model, variable) not in WITNESSES, f"{variable} of {model} has two witnesses"
                WITNESSES[model, variable] = function
        return function

    return register


def case_of(model: str) -> Callable[[Callable[[], Case]], Callable[[], Case]]:
    """Registers a function as the maker of a model's runs."""

    def register(function: Callable[[], Case]) -> Callable[[], Case]:
        CASES[model] = function
        return function

    return register


# Calculus on records

INNER = slice(4, -4)
"""Records at which two rates after each other are known."""


def rate(time: Array, values: Array) -> Array:
    """d values / dt at every record (evenly spaced), of fourth order; wrong at the two records at either end."""
    h = time[1] - time[0]
    out = np.full_like(values, np.nan, dtype=float)
    out[2:-2] = (8.0 * (values[3:-1] - values[1:-3]) - values[4:] + values[:-4]) / (12.0 * h)
    return out


def integral(time: Array, values: Array) -> Array:
    """Integral from the first record on, at every record: trapezia with the correction by slopes at
    their ends (fourth order).
    """
    h, slope = time[1] - time[0], np.gradient(values, time, axis=0, edge_order=2)
    parts = 0.5 * h * (values[1:] + values[:-1]) - h * h / 12.0 * (slope[1:] - slope[:-1])
    return np.concatenate([np.zeros_like(values[:1]), np.cumsum(parts, axis=0)])


def fine_integral(time: Array, of: Callable[[Array], Array], *values: Array) -> Array:
    """Integral from the first record to the last of what is no smooth function of smooth values: these by splines,
    forty points apiece.
    """
    from scipy.interpolate import CubicSpline

    fine = np.linspace(time[0], time[-1], 40 * (len(time) - 1) + 1)
    return np.asarray(np.trapezoid(of(*(CubicSpline(time, part)(fine) for part in values)), fine, axis=0))


def chords(places: Array) -> Array:
    """Length of the path through places (records, 3), at every record."""
    return np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])


def extremes(data: dict[str, Array], efforts: Array, limit: Array) -> tuple[Array, Array, Array]:
    """Of efforts at every step (records, ..): the largest with its sign, when that was, when the limit was first passed
    (else infinite).
    """
    size, time = np.abs(efforts), data["time"]
    worst, beyond = size.argmax(axis=0), size > limit
    return (
        np.take_along_axis(efforts, worst[None], axis=0)[0],
        time[worst],
        np.where(beyond.any(axis=0), time[beyond.argmax(axis=0)], np.inf),
    )


def same_instants(found: Array, expected: Array) -> None:
    """Asserts that times agree, and that some are finite, some not at the start, and some infinite if any is to be."""
    assert (np.isfinite(expected) & (expected > 0.0)).any(), "the witness sees no instant but the first"
    np.testing.assert_array_equal(np.isinf(found), np.isinf(expected))
    there = np.isfinite(expected)
    np.testing.assert_allclose(found[there], expected[there], rtol=0.0, atol=1e-9)


def spin(R: Array, R_rate: Array) -> Array:
    """Angular velocity (.., 3), axes of the frame in which R is given: the skew part of R' Rᵀ."""
    W = R_rate @ np.swapaxes(R, -1, -2)
    return (
        np.stack([W[..., 2, 1] - W[..., 1, 2], W[..., 0, 2] - W[..., 2, 0], W[..., 1, 0] - W[..., 0, 1]], axis=-1) / 2.0
    )


def turned(R: Array, v: Array) -> Array:
    """R v of (.., 3, 3) and (.., 3)."""
    return (R @ v[..., None])[..., 0]


def back(R: Array, v: Array) -> Array:
    """Rᵀ v."""
    return turned(np.swapaxes(R, -1, -2), v)


def matrix(quaternion: Array) -> Array:
    """(.., 3, 3) from quaternions with the scalar first, by another library."""
    from scipy.spatial.transform import Rotation

    flat = np.roll(quaternion, -1, axis=-1).reshape(-1, 4)
    return Rotation.from_quat(flat).as_matrix().reshape(*quaternion.shape[:-1], 3, 3)
