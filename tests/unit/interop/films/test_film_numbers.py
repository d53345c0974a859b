"""A film of known numbers gives them back: smooth, noisy, with holes and with points astray."""

from __future__ import annotations

import numpy as np
import pytest

import limbless as ll
import tests.unit.interop.films.film_maker as make
from limbless.core.splines.tensor_spline import SplineAxis, fit_surface
from limbless.interop.films.midline_kinematics import dominant_wave

TRUE = {
    "frequency": (make.FREQUENCY, 0.01),
    "wavelength_L": (make.WAVELENGTH, 0.02),
    "speed_L": (make.SPEED, 0.005),
    "wave_speed_L": (make.FREQUENCY * make.WAVELENGTH, 0.02),
    "length": (make.LENGTH, 0.005),
    "slip": (make.SPEED / make.FREQUENCY / make.WAVELENGTH, 0.02),
    "curvature_amplitude_L_50": (4.5, 0.04),
}


def holes(points: np.ndarray) -> np.ndarray:
    """A fifth of the points missing, three in a hundred displaced by 10 mm."""
    rng = np.random.default_rng(3)
    angle = rng.uniform(0.0, 2.0 * np.pi, points.shape[:2])
    astray = rng.random(points.shape[:2]) < 0.03
    made = points + 0.01 * astray[..., None] * np.stack([np.cos(angle), np.sin(angle)], axis=2)
    made[rng.random(points.shape[:2]) < 0.2] = np.nan
    return made


def without(points: np.ndarray) -> np.ndarray:
    """Four frames in a row missing."""
    made = points.copy()
    made[30:34] = np.nan
    return made


@pytest.mark.parametrize("spoil", [lambda p: p, holes, without])
def test_known_numbers_come_back(spoil: object) -> None:
    points = spoil(make.swimmer(80, 20, noise=1e-4))  # type: ignore[operator]
    film = ll.Film.from_points(points, make.RATE, make.LENGTH)
    numbers = film.kinematics.numbers
    for name, (value, tolerance) in TRUE.items():
        assert numbers[name] == pytest.approx(value, rel=tolerance), name
    assert film.noise == pytest.approx(1e-4, rel=0.3) and film.smooth.surface.noise == pytest.approx(1e-4, rel=0.15)
    assert film.kinematics.wave.from_head


def test_a_long_film_is_smoothed_in_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows of 60 frames that share 20: the same midline as from one piece, within the noise; no seam; the same
    numbers, and points astray are found in whichever window they lie."""
    points = make.swimmer(150, 20, noise=1e-4)
    points[[10, 55, 120], [4, 0, 19]] += 0.01
    whole = ll.Film.from_points(points, make.RATE, make.LENGTH)
    for name, value in (("LONG", 100), ("WINDOW", 60), ("OVERLAP", 20)):
        monkeypatch.setattr(f"limbless.core.splines.long_surface.{name}", value)
    film = ll.Film.from_points(points, make.RATE, make.LENGTH)
    surface = film.smooth.surface
    assert len(surface.parts) == 4 and surface.firsts[0] == 0
    assert surface._shares(surface.times).sum(axis=0) == pytest.approx(np.ones(150))
    assert np.sqrt(np.mean((film.smooth.position - whole.smooth.position) ** 2)) < 5e-5
    jerk = [np.abs(np.diff(each.smooth.curvature, 3, axis=0)).max() for each in (film, whole)]
    assert jerk[0] < 1.2 * jerk[1]
    assert sorted(zip(*np.nonzero(surface.outliers), strict=True)) == [(10, 4), (55, 0), (120, 19)]
    for name, (value, tolerance) in TRUE.items():
        assert film.kinematics.numbers[name] == pytest.approx(value, rel=tolerance), name
    assert film.kinematics.errors["frequency"] > 0.0
    assert film.smooth.smoother(10.0, 10.0).surface.values.shape == points.shape


def test_points_astray_are_found_and_named() -> None:
    points = make.swimmer(80, 20, noise=1e-4)
    points[[10, 30, 50], [4, 0, 19]] += 0.01
    film = ll.Film.from_points(points, make.RATE, make.LENGTH)
    assert sorted(zip(*np.nonzero(film.smooth.surface.outliers), strict=True)) == [(10, 4), (30, 0), (50, 19)]
    assert "outliers: 3 points" in " ".join(film.notes)


@pytest.mark.long
def test_standard_errors_are_those_of_many_films() -> None:
    """The spread over films with noise of their own, against what each says of itself."""

    def numbers(seed: int) -> dict[str, float]:
        film = ll.Film.from_points(make.swimmer(60, 14, noise=2e-4, seed=seed), make.RATE, make.LENGTH)
        from limbless.interop.films.midline_kinematics import kinematics_of

        return kinematics_of(film.smooth).numbers

    several = [numbers(seed) for seed in range(12)]
    errors = ll.Film.from_points(make.swimmer(60, 14, noise=2e-4), make.RATE, make.LENGTH).kinematics.errors
    for name in ("frequency", "wavelength_L", "tail_amplitude_L", "curvature_amplitude_L_75"):
        spread = np.std([each[name] for each in several], ddof=1)
        assert 0.4 < errors[name] / spread < 2.5, name  # twelve know a spread to a fifth


def test_a_frequency_read_off_the_spectrum_knows_how_coarse_that_is() -> None:
    """A wave that turns round within the film has no phase to follow: refits alone would give an error of zero."""
    t, s = np.arange(200)[:, None] / 50.0, np.linspace(0.0, 1.0, 41)
    steady = np.cos(2.0 * np.pi * (1.2 * s - 3.0 * t))
    turned = np.where(t < 2.4, steady, 0.9 * np.cos(2.0 * np.pi * (1.2 * s + 3.0 * t)))
    for wave, coarse in ((steady, 0.0), (turned, 1.0 / (8.0 * 4.0) / np.sqrt(12.0))):
        found = dominant_wave(t[:, 0], wave, 1.0)
        assert found.frequency == pytest.approx(3.0, rel=0.02) and found.coarse == pytest.approx(coarse)


def test_labels_turned_round_are_noticed() -> None:
    film = ll.Film.from_points(make.swimmer(80, 16)[:, ::-1], make.RATE, make.LENGTH)
    assert not film.kinematics.wave.from_head
    said = " ".join(film.notes)
    assert "wave: it runs from tail to head" in said


def test_few_points_for_a_wave_are_said() -> None:
    """Six points make its length 7 % too long, with a standard error of 0.03 %."""
    points = make.swimmer(60, 20)
    few, enough = (
        ll.Film.from_points(points[:, np.linspace(0, 19, count).round().astype(int)], make.RATE, make.LENGTH)
        for count in (6, 10)
    )
    assert any("points: 3.5 for each wave" in note for note in few.notes) and not enough.notes
    assert few.kinematics.numbers["wavelength_L"] > 1.05 * make.WAVELENGTH
    assert enough.kinematics.numbers["wavelength_L"] == pytest.approx(make.WAVELENGTH, rel=0.01)


def test_a_surface_of_the_right_smoothness() -> None:
    """Eigenbases are orthonormal, parabolas are free, and noise of known size is met."""
    t, s = np.sort(np.random.default_rng(0).uniform(0.0, 1.0, 40)), np.linspace(0.0, 1.0, 9)
    for x in (t, s):
        basis = SplineAxis.at(x, 100)
        np.testing.assert_allclose(basis.samples.T @ basis.samples, np.eye(len(x)), atol=1e-9)
        assert (basis.roughness[:3] == 0.0).all() and basis.roughness[3] > 1.0
    parabola = (1.0 + t - 3.0 * t**2)[:, None, None] * (2.0 - s + s**2)[:, None]
    fit = fit_surface(t, s, parabola + 1e-3 * np.random.default_rng(1).normal(size=parabola.shape), noise=1e-3)
    assert np.abs(fit.values - parabola).max() < 2e-3
    waves = np.sin(6.0 * t)[:, None, None] * np.cos(3.0 * s)[:, None]
    fit = fit_surface(t, s, waves, least=None)
    inner = np.linspace(t[0], t[-1], 33)
    np.testing.assert_allclose(fit(inner, s)[..., 0], np.sin(6.0 * inner)[:, None] * np.cos(3.0 * s), atol=2e-3)
    np.testing.assert_allclose(
        fit(inner[4:-4], s, 1)[..., 0], 6.0 * np.cos(6.0 * inner[4:-4, None]) * np.cos(3.0 * s), atol=0.1
    )
