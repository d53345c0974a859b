"""Supports that come and go: one takes over from another without a gap, whatever the step and its rounding."""

from __future__ import annotations

import numpy as np
import pytest

from limbless.mechanics.rod import constraints as rod_contacts

X = np.linspace(0.0, 1.0, 33)
ALWAYS = np.tile([-1e300, 1e300, 0.0], (7, 1))


def follow(
    step: float,
    steps: int,
    speed: float,
    timetable: np.ndarray = ALWAYS,
    spacing: float = 0.2,
    start: tuple = (0.1, 0.3, 0.5, 0.7, 0.9),
) -> tuple[np.ndarray, ...]:
    knots = step * np.arange(steps + 1)
    places = np.full(len(timetable), rod_contacts.NOWHERE)
    places[: len(start)] = start
    path, present = np.zeros((steps, 3, len(places))), np.zeros((steps, len(places)), dtype=bool)
    rod_contacts.track_supports(
        X, knots, np.full((2 * steps + 1, len(X)), speed), spacing, timetable, places, path, present
    )
    return knots, path, present, places


@pytest.mark.parametrize("speed", [0.5, -0.5], ids=["ahead", "back"])
@pytest.mark.parametrize("wobble", [0.0, 1e-9, -1e-9, 1e-7])
@pytest.mark.parametrize("step", [0.01, 0.013, 0.05])
def test_there_are_always_five(speed: float, wobble: float, step: float) -> None:
    """A body of five spacings: as one support leaves at an end, the next enters at the other. With a step of 0.01 s
    this happens at 0.2, 0.6, .. s, at the end of a step but for rounding."""
    _, path, present, _ = follow(step, int(3.5 / step), speed * (1.0 + wobble))
    assert (present.sum(axis=1) == 5).all()
    assert path[present.nonzero()[0], :, present.nonzero()[1]].min() >= 0.0 and path.max() <= 1.0


def test_a_timetable_is_kept() -> None:
    """One that comes at 0.2 s at X = 0.4 m and goes at 0.7 s; one that comes at 0.5 s at the head and leaves at the
    tail, 2 s later."""
    timetable = np.array([[0.2, 0.7, 0.4], [0.5, 1e300, 0.0]])
    knots, path, present, places = follow(0.01, 300, 0.5, timetable, 0.0, ())
    when = [knots[:-1][present[:, p]] for p in range(2)]
    assert [(w.min(), w.max()) for w in when] == [pytest.approx((0.2, 0.69)), pytest.approx((0.5, 2.49))]
    for p, (begin, _, entry) in enumerate(timetable):
        rows = present[:, p]
        assert path[rows, 0, p] == pytest.approx(entry + 0.5 * (knots[:-1][rows] - begin), abs=1e-9)
    assert (places == rod_contacts.NOWHERE).all()


def test_a_support_at_the_very_end_of_a_body_that_rests_stays() -> None:
    _, _, present, places = follow(0.1, 5, 0.0, ALWAYS[:2], 0.0, (1.0, 0.0))
    assert present.all() and places.tolist() == [1.0, 0.0]
