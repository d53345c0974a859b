"""What a filmed motion is: its wave, its speed, its amplitudes, each with a standard error."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array, InputError
from limbless.interop.films.film_smoothing import PLACES, SmoothFilm

REFITS = 12
STRETCH = (0.2, 0.95)  # of the length: where the phase of the wave is followed
FINER = 8  # frequencies tried per 1/T
FOLLOWED = 0.2  # share by which the frequency of the followed phase may differ from the spectrum's peak
MOST_WAVES = 3.0  # on the body
VISCOSITY = 1.0e-6  # m2/s, of water at 20 degrees
BY_FREQUENCY = {"frequency", "wave_speed", "wave_speed_L", "slip", "strouhal"}  # numbers that go with it, or over it


@dataclass(frozen=True)
class MidlineWave:
    """The travelling wave that is strongest in the curvature."""

    frequency: float  # Hz
    wavelength: float  # m
    from_head: bool  # whether it runs from head to tail
    amplitude: Array  # (PLACES,) of the curvature, 1/m
    phase: Array  # (PLACES,) rad
    coarse: float = 0.0  # Hz: standard error of a frequency that is one of those tried

    @property
    def speed(self) -> float:
        """m/s"""
        return self.frequency * self.wavelength


def dominant_wave(time: Array, curvature: Array, length: float) -> MidlineWave:
    """The peak of the spectrum in frequency and wave number, weighted by frequency, above 2/T, says which wave it is;
    its phase in time, followed along the whole film, its frequency; its phase along the body, weighted by amplitude,
    its length. (The weight moves the peak itself: by 1 % for six beats.)"""
    duration, rate = time[-1] - time[0], 1.0 / (time[1] - time[0])
    taper, count = np.hanning(len(time) + 2)[1:-1], FINER * len(time)
    about = curvature - curvature.mean(axis=0)
    spectrum = np.fft.rfft(about * taper[:, None], count, axis=0)
    f = np.fft.rfftfreq(count, 1.0 / rate)
    s = np.linspace(0.0, 1.0, curvature.shape[1])
    waves = np.linspace(-MOST_WAVES, MOST_WAVES, 121)
    power = np.abs(spectrum @ (np.hanning(len(s) + 2)[1:-1, None] * np.exp(2j * np.pi * s[:, None] * waves))) ** 2
    power *= (f * (f > 2.0 / duration) * (f < 0.45 * rate))[:, None]
    if not power.max() > 0.0:
        raise InputError(f"the film of {duration:.3g} s has no wave of more than two periods: a longer film is needed")
    peak = float(f[np.unravel_index(int(np.argmax(power)), power.shape)[0]])

    def along(frequency: float) -> NDArray[np.complex128]:
        """Amplitude and phase at every place."""
        return np.asarray(2.0 * (np.exp(-2j * np.pi * frequency * time) * taper) @ about / taper.sum())

    turns = np.unwrap(np.angle(about @ np.conj(along(peak))))
    frequency, coarse = abs(float(np.polyfit(time, turns, 1)[0])) / (2.0 * np.pi), 0.0
    if not abs(frequency / peak - 1.0) < FOLLOWED:  # the wave comes and goes: its phase is lost
        frequency, coarse = peak, float(f[1]) / np.sqrt(12.0)  # anywhere between its neighbours
    found = along(frequency)
    phase, inside = np.unwrap(np.angle(found)), (s >= STRETCH[0]) & (s <= STRETCH[1])
    slope = np.polyfit(s[inside], phase[inside], 1, w=np.abs(found)[inside])[0]
    return MidlineWave(
        frequency, float(2.0 * np.pi * length / max(abs(slope), 1e-9)), bool(slope < 0.0), np.abs(found), phase, coarse
    )


@dataclass(frozen=True)
class MeanPath:
    """Where the mean point goes, averaged over one beat."""

    time: Array  # (N,) s
    position: Array  # (N, 2) m
    direction: Array  # (N, 2) unit vectors

    @property
    def speed(self) -> float:
        """m/s: way over time."""
        return float(np.linalg.norm(np.diff(self.position, axis=0), axis=1).sum() / np.ptp(self.time))

    def to_the_side(self, time: Array, position: Array) -> Array:
        """(T, S): excursions of points (T, S, 2) to the left of the path; before its begin and after its end it goes
        straight on."""
        along = np.stack([np.interp(time, self.time, self.direction[:, c]) for c in range(2)], axis=1)
        beyond = time - np.clip(time, self.time[0], self.time[-1])
        centre = np.stack([np.interp(time, self.time, self.position[:, c]) for c in range(2)], axis=1)
        centre = centre + (self.speed * beyond)[:, None] * along
        apart = position - centre[:, None]
        return np.asarray(along[:, 0, None] * apart[..., 1] - along[:, 1, None] * apart[..., 0])


def mean_path(time: Array, mean: Array, period: float) -> MeanPath:
    """The mean point (T, 2) averaged over a beat around each instant, from half a beat after the first to half a beat
    before the last."""
    from scipy.interpolate import make_interp_spline

    if time[-1] - time[0] < 1.5 * period:
        raise InputError(f"the film has {(time[-1] - time[0]) / period:.2g} beats; its speed needs at least 1.5")
    whole = make_interp_spline(time, mean, k=5).antiderivative()
    t = np.linspace(time[0] + 0.5 * period, time[-1] - 0.5 * period, max(len(time) // 2, 9))
    position = (whole(t + 0.5 * period) - whole(t - 0.5 * period)) / period
    velocity = (mean_at(time, mean, t + 0.5 * period) - mean_at(time, mean, t - 0.5 * period)) / period
    return MeanPath(t, position, velocity / np.maximum(np.linalg.norm(velocity, axis=1, keepdims=True), 1e-300))


def mean_at(time: Array, values: Array, t: Array) -> Array:
    """Values of each frame at other times."""
    from scipy.interpolate import make_interp_spline

    return np.asarray(make_interp_spline(time, values, k=5)(t))


@dataclass(frozen=True)
class Kinematics:
    """Numbers of a film, in SI units; `errors` holds the standard error of each."""

    wave: MidlineWave
    length: float
    path: MeanPath | None
    amplitude: Array | None  # (PLACES,) m: of the excursion to the side of the path
    excursion: tuple[Array, Array] | None = None
    errors: dict[str, float] = field(default_factory=dict)

    @cached_property
    def numbers(self) -> dict[str, float]:
        """All of them by name, with lengths of the body where the name says so."""
        L, wave = self.length, self.wave
        found = {
            "length": L,
            "frequency": wave.frequency,
            "wavelength": wave.wavelength,
            "wavelength_L": wave.wavelength / L,
            "waves_on_body": L / wave.wavelength,
            "wave_speed": wave.speed,
            "wave_speed_L": wave.speed / L,
        }
        for share in (25, 50, 75, 95):
            found[f"curvature_amplitude_L_{share}"] = float(wave.amplitude[round(share / 100 * (PLACES - 1))] * L)
        if self.path is not None and self.amplitude is not None:
            U = self.path.speed
            found |= {
                "speed": U,
                "speed_L": U / L,
                "slip": U / wave.speed,
                "tail_amplitude_L": float(self.amplitude[-1]) / L,
                "head_amplitude_L": float(self.amplitude[0]) / L,
                "strouhal": wave.frequency * 2.0 * float(self.amplitude[-1]) / U if U > 0.0 else float("nan"),
                "reynolds": U * L / VISCOSITY,
            }
        return found

    def table(self) -> dict[str, dict[str, float]]:
        """Number and standard error of each."""
        return {name: {"value": value, "error": self.errors.get(name, 0.0)} for name, value in self.numbers.items()}


def kinematics_of(film: SmoothFilm, placed: bool = True) -> Kinematics:
    """The numbers of one smooth film, without errors; of a kymogram, whose place is not known, those of its shape."""
    wave = dominant_wave(film.time, film.curvature, film.length)
    if not placed:
        return Kinematics(wave, film.length, None, None)
    path = mean_path(film.time, film.position.mean(axis=1), 1.0 / wave.frequency)
    near = film.time[1] - film.time[0]  # the half beats at the ends, in whole frames
    inside = (film.time >= path.time[0] - near) & (film.time <= path.time[-1] + near)
    side = path.to_the_side(film.time[inside], film.position[inside])
    return Kinematics(wave, film.length, path, np.sqrt(2.0) * side.std(axis=0), (film.time[inside], side))


def with_errors(film: SmoothFilm, placed: bool = True) -> Kinematics:
    """The numbers, and their standard errors from refits."""
    found = kinematics_of(film, placed)
    several = [kinematics_of(noisy, placed).numbers for noisy in film.refits(REFITS)]
    errors = {name: float(np.std([each[name] for each in several], ddof=1)) for name in found.numbers}
    for name in errors.keys() & BY_FREQUENCY:
        errors[name] = float(np.hypot(errors[name], found.numbers[name] * found.wave.coarse / found.wave.frequency))
    return replace(found, errors=errors)


def beat_guess(time: Array, points: Array) -> float | None:
    """A first guess at the period of the beat (s), from angles between neighbouring tracked segments; None where the
    film has no two beats."""
    filled = np.array(
        [
            [np.interp(time, time[there], points[there, p, c]) for c in range(2)]
            for p in range(points.shape[1])
            if (there := np.isfinite(points[:, p, 0])).sum() > 2
        ]
    )
    x, y = np.diff(filled, axis=0).T.swapaxes(0, 1)
    angles = np.diff(np.unwrap(np.arctan2(y, x), axis=1), axis=1)
    even = np.linspace(time[0], time[-1], len(time))
    angles = np.stack([np.interp(even, time, column) for column in angles.T], axis=1)
    try:
        return 1.0 / dominant_wave(even, angles, 1.0).frequency
    except InputError:
        return None


def as_plain(table: dict[str, Any]) -> dict[str, Any]:
    """For JSON: numbers that are none become null."""
    return {
        name: (as_plain(value) if isinstance(value, dict) else value if value == value else None)
        for name, value in table.items()
    }
