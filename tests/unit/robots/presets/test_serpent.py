"""The serpent: the paper's numbers, tendons where they belong, and a reach that the tip is fed back in."""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
from limbless.core import InputError


def test_it_has_the_papers_numbers_and_both_sets_of_tendons() -> None:
    serpent = ll.Serpent().build()
    assert len(serpent.vertebrae) == 45 and serpent.total_mass == pytest.approx(0.2, rel=1e-12)
    assert serpent.values("length").sum() == pytest.approx(1.0, rel=1e-12)
    names = [tendon.name for tendon in serpent.tendons]
    assert names[-4:] == ["neck right", "neck down", "neck up", "neck left"] and len(names) == 14
    assert {tendon.start for tendon in serpent.tendons[-4:]} == {37}
    assert ll.Serpent().build().skin == ll.Serpent().skin, "built again, it is the same robot"
    with pytest.raises(InputError, match="neck: 45 vertebrae of 45 leave no body"):
        ll.Serpent(neck=45)


def test_the_wave_stands_still_and_the_neck_is_fed_back() -> None:
    gait = ll.WaveAndReach(largest=1.0, ramp=0.0, until=4.0, reach=5.0, rise=1.0, lift=0.05)
    places = [(x, side) for x in (0.1, 0.3, 0.9) for side in (-1.0, 1.0)] + [(0.9, 0.0)] * 4
    times = np.array([1.0, 3.9999, 4.0, 4.9999, 6.0])
    held = gait.sample_tendons(times, places)
    wave = ll.TensionWave(largest=1.0, ramp=0.0).sample_tendons(times[:1], places[:6])
    np.testing.assert_allclose(held.value[0, :6], wave.value[0], atol=1e-15)
    np.testing.assert_allclose(held.value[2, :4], held.value[4, :4], atol=1e-12)
    assert np.abs(held.rate[4]).max() == 0.0 and np.abs(held.value[4, 4:]).max() < 1e-12, "the last pair lets go"
    rates = (gait.sample_tendons(times + 1e-6, places).value - gait.sample_tendons(times - 1e-6, places).value) / 2e-6
    np.testing.assert_allclose(held.rate, rates, atol=1e-5)
    tip = {"tip_position": np.array([1.0, 0.0, 0.0]), "tip_axes": np.eye(3)}
    assert gait.feedback(4.9, tip) is None
    begun = gait.changed(**gait.feedback(5.0, tip))
    asked = begun.changed(**begun.feedback(7.0, tip))
    # a resting tip, 2 s later: the target has come to the height of the lift, with the eight begun
    target = np.array([0.03 * np.sin(np.pi / 2.0), 0.05 + 0.012 * np.sin(np.pi)])
    np.testing.assert_allclose(asked.pull, 25.0 * target + 50.0 * 2.0 * target, rtol=1e-12)
    np.testing.assert_allclose(asked.sample_tendons(times[-1:], places).value[0, 6:], [0.0, 0.0, *asked.pull[::-1]])


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"until": 12.0, "reach": 11.0}, "until: the wave slows down in one period"),
        ({"until": 2.0, "ramp": 2.0}, "until: the wave slows down in one period"),
    ],
)
def test_phases_come_in_order(fields: dict[str, float], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        ll.WaveAndReach(**fields)


@pytest.mark.long
def test_it_swims_ashore_crawls_and_draws_the_eight() -> None:
    result = ll.run("serpent-ashore")
    data, summary = result.dataset, result.summary()
    assert summary["proven"], summary["doubts"]
    time, head = data["time"].values, data["head_position"].values
    assert data["immersion"].values[time < 2.0].mean() > 0.9 and data["immersion"].values[-1].max() == 0.0
    phases = {row["phase"]: row for row in summary["phases"]}
    assert list(phases) == ["in water", "on land", "reach"]
    whole = data["pulley_work"].values.sum(axis=1)
    assert sum(row["work"] for row in phases.values()) == pytest.approx(whole[-1] - whole[0], rel=1e-9)
    # the figure of eight, in the plane across the head as it lay: written down once more
    start = int(np.abs(time - 9.5).argmin())
    drawn = time >= 11.5
    axes = np.array(data["orientation"].values[start, -1])
    w, x, y, z = axes
    across = np.array([2.0 * (x * y - w * z), 1.0 - 2.0 * (x * x + z * z)])
    across /= np.linalg.norm(across)
    way = head[drawn] - head[start]
    s = 2.0 * np.pi * (time[drawn] - 11.5) / 5.0
    wanted = np.stack([0.03 * np.sin(s), 0.04 + 0.012 * np.sin(2.0 * s)], axis=1)
    apart = np.linalg.norm(np.stack([way[:, :2] @ across, way[:, 2]], axis=1) - wanted, axis=1)
    assert np.sqrt((apart**2).mean()) < 0.012
