"""What is counted at every step: work and its positive part, peaks, limits, path; against integrals
that share no code with it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from limbless.mechanics.compiled.arrays import tangents, values
from limbless.mechanics.compiled.batching import as_duals, stack_lanes
from limbless.mechanics.compiled.decorators import kernel
from limbless.mechanics.compiled.flat_array import unpack, unpack_duals, unpack_lanes
from limbless.mechanics.integrate import dirk, running_totals as counting
from limbless.mechanics.integrate.dirk import score_stages, total_stages
from limbless.mechanics.integrate.running_totals import (
    NEVER,
    UNLIMITED,
    HeldEffort,
    JointRange,
    RunTotals,
    Totals,
    new_objective_totals,
    parabola_until,
    positive_between,
)
from limbless.mechanics.rod.actuator_forces import look_at_strains

add_works, look_at_knot = counting.add_smooth_works, counting.compare_efforts


@kernel
def add_smooth_works(tally, h, powers):
    add_works(tally, h, powers)


@kernel
def look(tally, t, efforts, speed):
    look_at_knot(tally, t, efforts, speed)


@kernel
def count(tally, scratch, method, h):
    total_stages(unpack(tally), unpack(scratch), unpack(method), h[0])


@kernel
def score_duals(score, scratch, method, h):
    score_stages(unpack_duals(score), unpack_duals(scratch), unpack(method), unpack_duals(h)[0])


@kernel
def score_lanes(score, scratch, method, h):
    score_stages(unpack_lanes(score), unpack_lanes(scratch), unpack(method), unpack_lanes(h)[0])


def empty(count: int, limit: float = UNLIMITED) -> Totals:
    tally = Totals(
        *(np.zeros(count) for _ in range(7)),
        np.zeros(0),
        np.zeros(0),
        RunTotals.zeros(1),
        JointRange.zeros(0),
        HeldEffort.zeros(0),
    )
    tally.beyond[:], tally.limit[:] = NEVER, limit
    return tally


def counted(power: Callable[[np.ndarray], np.ndarray], steps: int) -> tuple[float, float]:
    """Work and positive work of one actuator from 0 to 1 s, by steps with a power at start, middle (twice) and end."""
    tally, h = empty(1), 1.0 / steps
    for t in np.arange(steps) * h:
        add_smooth_works(tally, h, power(t + h * np.array([[0.0], [0.5], [0.5], [1.0]])))
    return float(tally.work[0]), float(tally.positive[0])


def true_positive(power: Callable[[np.ndarray], np.ndarray]) -> float:
    middles = (np.arange(2_000_000) + 0.5) / 2_000_000
    return float(np.maximum(power(middles), 0.0).mean())


def wave(t: np.ndarray) -> np.ndarray:
    return np.sin(7.0 * t + 0.3) + 0.4 * np.cos(19.0 * t)


def test_positive_work_is_of_the_order_of_the_motion() -> None:
    truth = true_positive(wave)
    errors = [abs(counted(wave, steps)[1] - truth) for steps in (20, 40, 80, 160)]
    # between third and fourth order: signs change anywhere
    assert errors[-1] < 1e-7 and errors[0] / errors[-1] > 8.0**3 / 2.0
    assert counted(wave, 80)[0] == pytest.approx(
        (np.cos(0.3) - np.cos(7.3)) / 7.0 + 0.4 * np.sin(19.0) / 19.0, abs=1e-7
    )


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_parabola_is_integrated_exactly_where_it_keeps_its_sign_and_to_its_zeros_where_not(sign: float) -> None:
    a, m, b = 1.0, 4.0, 2.0
    work, positive = counted(lambda t: sign * (a + (4 * m - 3 * a - b) * t + 2 * (a - 2 * m + b) * t**2), 1)
    assert work == pytest.approx(sign * (a + 4 * m + b) / 6.0) and positive == pytest.approx(max(work, 0.0))
    assert parabola_until(a, m, b, 1.0) == pytest.approx((a + 4 * m + b) / 6.0)
    assert positive_between(0.0, 1.0, -1.0, 1.0, -1.0, 0.0, 1.0) == pytest.approx(0.25)  # a line from -1 to 1
    assert positive_between(0.0, 1.0, 1.0, -1.0, 1.0, 0.0, -1.0) == pytest.approx(0.25)
    assert positive_between(0.0, 1.0, -1.0, -2.0, -1.0, -1.5, -2.0) == 0.0


def test_braking_and_driving_actuators_do_not_pay_for_each_other() -> None:
    tally = empty(9)
    powers = np.linspace(-1.0, 1.0, 9)
    add_smooth_works(tally, 0.5, np.tile(powers, (4, 1)))
    assert tally.work == pytest.approx(0.5 * powers) and tally.positive == pytest.approx(0.5 * np.maximum(powers, 0.0))


def test_peaks_keep_their_sign_and_time_and_limits_the_first_time_only() -> None:
    tally = empty(3, limit=2.0)
    for t, efforts in (
        (0.0, [1.0, -1.0, 0.0]),
        (0.1, [2.5, -3.0, 1.9]),
        (0.2, [2.2, 2.9, -2.0]),
        (0.3, [2.6, 0.0, 0.1]),
    ):
        look(tally, t, np.array(efforts), 2.0)
    assert tally.peak.tolist() == [2.6, -3.0, -2.0] and tally.peak_time.tolist() == [0.3, 0.1, 0.2]
    assert tally.beyond.tolist() == [0.1, 0.1, NEVER]
    assert RunTotals.of(tally.whole).path[0] == pytest.approx(0.6)


def test_strains_in_straight_lines() -> None:
    tally = empty(2)
    times = np.array([0.0, 1.0, 1.5, 3.0])
    powers = np.array([[1.0, 0.0], [-1.0, 2.0], [3.0, 0.0], [3.0, -2.0]])
    for t, power in zip(times, powers, strict=True):
        look_at_strains(tally, t, 10.0 * power, power, 1.0)
    fine = np.linspace(0.0, 3.0, 300_001)
    lines = np.array([np.interp(fine, times, powers[:, a]) for a in range(2)])
    assert tally.work == pytest.approx(np.trapezoid(lines, fine, axis=1), abs=1e-9)
    assert tally.positive == pytest.approx(np.trapezoid(np.maximum(lines, 0.0), fine, axis=1), abs=1e-7)
    assert (
        tally.peak.tolist() == [30.0, 20.0]
        and tally.peak_time.tolist() == [1.5, 1.0]
        and RunTotals.of(tally.whole).time[0] == 3.0
    )


def noted(method: dirk.ButcherTableau, powers: np.ndarray) -> dirk.Scratch:
    """An implicit step whose stages had these powers, after the power at its start."""
    scratch = dirk.scratch_for(method, 1, powers.shape[1], 0, 1e-6)
    scratch.last[:], scratch.powers[:] = powers[0], powers[1:]
    return scratch


@pytest.mark.parametrize("name", ["sdirk4", "midpoint"])
def test_implicit_steps_score_in_every_scalar_what_they_count(name: str) -> None:
    """Powers of either sign or both, eight runs with steps of other lengths side by side; slopes along the step and the
    last power against differences.
    """
    method = dirk.METHODS[name]()
    powers = np.random.default_rng(5).normal(0.3, 1.0, (len(method.b) + 1, 12))
    powers[:, 0], powers[:, 1] = np.abs(powers[:, 0]), -np.abs(powers[:, 1])

    def counted_step(h: float, more: float = 0.0) -> np.ndarray:
        tally, last = empty(12), powers.copy()
        last[-1] += more
        count(tally, noted(method, last), method, np.array([h]))
        return tally.positive

    steps = 0.1 + 0.05 * np.arange(8)
    truth = np.array([counted_step(h) for h in steps])
    lanes = stack_lanes([new_objective_totals(np.ones(12), False)] * 8)
    score_lanes(lanes, stack_lanes([noted(method, powers)] * 8), method, stack_lanes([np.array([h]) for h in steps]))
    assert np.abs(lanes.positive.T - truth).max() < 1e-14

    score, scratch, h = (
        as_duals(part) for part in (new_objective_totals(np.ones(12), False), noted(method, powers), steps[:1])
    )
    tangents(h)[:, 0], tangents(scratch.powers)[-1, :, 1] = 1.0, 1.0
    score_duals(score, scratch, method, h)
    assert values(score.positive) == pytest.approx(truth[0], rel=1e-14, abs=1e-15)
    for direction, (more, less) in enumerate(
        [(counted_step(0.1 + 1e-7), counted_step(0.1 - 1e-7)), (counted_step(0.1, 1e-7), counted_step(0.1, -1e-7))]
    ):
        assert tangents(score.positive)[:, direction] == pytest.approx((more - less) / 2e-7, abs=1e-7)
