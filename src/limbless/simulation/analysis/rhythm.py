"""The rhythm of a run: frequency, phase lag and wavelength of its joints, and when oscillators lock.

All but the last look at the second half of a run, and at signals less their mean there: of all joints, or of those that
a controller drives. `away` is 1 where joints are numbered from the head on, and -1 where the head is the tip.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.core import Array

if TYPE_CHECKING:
    import xarray as xr

Joints = slice | list[int]
LOCKED = 0.05  # rad: differences of phase that stay this near to their last means are locked
_STILL = 1e-9  # rad: a joint that moves less has no rhythm
_FEW = 8  # records in the second half of a run, fewer of which show no rhythm


def _window(data: xr.Dataset, joints: Joints) -> tuple[Array, Array] | None:
    """Times and joint positions (T, joints) of the second half, less their means; None where nothing moves."""
    if "joint_position" not in data or "time" not in data["joint_position"].dims:
        return None
    time = data["time"].values
    late = time >= 0.5 * (time[0] + time[-1]) if len(time) else np.zeros(0, dtype=bool)
    signal = data["joint_position"].values[late][:, joints]
    if len(signal) < _FEW or not signal.shape[1]:
        return None
    signal = signal - signal.mean(axis=0)
    return (time[late], signal) if np.abs(signal).max() > _STILL else None


def _crossings(time: Array, signal: Array) -> Array:
    """Times at which a signal comes up through 0."""
    up = np.flatnonzero((signal[:-1] < 0.0) & (signal[1:] >= 0.0))
    return np.asarray(time[up] - signal[up] * (time[up + 1] - time[up]) / (signal[up + 1] - signal[up]))


def frequency(data: xr.Dataset, joints: Joints, away: float = 1.0) -> float | None:
    """Median over the joints of (upward crossings - 1) / (time between the first and the last), Hz."""
    window = _window(data, joints)
    if window is None:
        return None
    found = [times for column in window[1].T if len(times := _crossings(window[0], column)) > 1]
    return float(np.median([(len(times) - 1) / (times[-1] - times[0]) for times in found])) if found else None


def _phases(data: xr.Dataset, joints: Joints) -> Array | None:
    """Phase of every joint at the frequency of the motion, rad, along the body: by Fourier's coefficient under Hann's
    window."""
    window, rhythm = _window(data, joints), frequency(data, joints)
    if window is None or rhythm is None or window[1].shape[1] < 2:
        return None
    time, signal = window
    weights = np.hanning(len(time)) * np.gradient(time)
    coefficients = (weights * np.exp(-2j * np.pi * rhythm * time)) @ signal
    return np.unwrap(np.angle(coefficients))


def phase_lag(data: xr.Dataset, joints: Joints, away: float = 1.0) -> float | None:
    """Mean lag from one joint to the next one behind it, cycles."""
    phases = _phases(data, joints)
    return None if phases is None else float(-away * np.diff(phases).mean() / (2.0 * np.pi))


def wavelength(data: xr.Dataset, joints: Joints, away: float = 1.0) -> float | None:
    """2 pi over the least-squares slope of the phase along the body, body lengths; positive where the wave runs from
    head to tail."""
    phases = _phases(data, joints)
    if phases is None or data.sizes.get("section", 0) != data.sizes["joint"] + 1:
        return None
    # middles of straight links are as far apart as they ever are
    apart = np.linalg.norm(np.diff(data["position"].values, axis=1), axis=2).max(axis=0)
    middles, lengths = np.concatenate([[0.0], np.cumsum(apart)]), data["section_length"].values
    places = 0.5 * (middles[:-1] + middles[1:])[joints]
    slope = -away * np.polyfit(places, phases, 1)[0]
    whole = middles[-1] + 0.5 * (lengths[0] + lengths[-1])
    return float(2.0 * np.pi / slope / whole) if abs(slope) > _STILL else None


def _oscillators(data: xr.Dataset) -> tuple[Array, Array] | None:
    """Times, and phases (T, oscillators) of a controller that has some."""
    if "controller_state" not in data or data.sizes["time"] < _FEW:
        return None
    names = data["controller_number"].values
    own = [number for number, name in enumerate(names) if str(name).startswith("phase of ")]
    return (data["time"].values, data["controller_state"].values[:, own]) if own else None


def activity_frequency(data: xr.Dataset, joints: Joints, away: float = 1.0) -> dict[str, float] | None:
    """Turns per second of every oscillator over the second half, Hz, by its label; and their median."""
    found = _oscillators(data)
    if found is None:
        return None
    time, phases = found
    first = int(np.searchsorted(time, 0.5 * (time[0] + time[-1])))
    turns = (phases[-1] - phases[first]) / (2.0 * np.pi * (time[-1] - time[first]))
    labels = [str(name).removeprefix("phase of ") for name in data["controller_number"].values]
    return {"median": float(np.median(turns)), **dict(zip(labels, map(float, turns), strict=False))}


def locking_time(data: xr.Dataset, joints: Joints, away: float = 1.0) -> float | None:
    """First time after which all differences of phase between neighbours stay within 0.05 rad of their means over the
    second half of the run, s; None where they never do."""
    found = _oscillators(data)
    if found is None or found[1].shape[1] < 2:
        return None
    time, differences = found[0], np.diff(found[1], axis=1)
    late = time >= 0.5 * (time[0] + time[-1])
    off = (np.abs(differences - differences[late].mean(axis=0)) > LOCKED).any(axis=1)
    if off[-1]:
        return None
    last = np.flatnonzero(off)
    return float(time[last[-1] + 1] if len(last) else time[0])
