"""Lesions, a worm in two media, paths and pegs."""

from __future__ import annotations

from typing import Any

import numpy as np

import limbless as ll

CUTS = {
    "whole": {},
    "cut": {"controller.lesion.couplings": [4]},
    "silent": {"controller.lesion.oscillators": [3, 4, 5]},
}


def speed(changes: dict[str, Any]) -> float:
    """Of the lamprey robot over the last 8 of 24 s, m/s."""
    data = ll.run("agnathax", {"duration": 24.0, "record_every": 0.1, **changes}).dataset.sel(time=slice(16.0, None))
    return float(np.linalg.norm(data.com_position.values[-1] - data.com_position.values[0]) / 8.0)


def wave(source: str, changes: dict[str, Any]) -> tuple[float, float]:
    """Frequency (Hz) and wavelength (body lengths) of a worm in the second half of a run, by its analytic signal."""
    data = ll.run(source, changes).dataset
    time, joints = data.time.values, data.joint_position.values
    half = len(time) // 2
    signal = joints[half:] - joints[half:].mean(axis=0)
    count = len(signal)
    kept = np.where(np.arange(count) < (count + 1) // 2, 2.0, 0.0)
    kept[0] = 1.0
    phase = np.unwrap(np.angle(np.fft.ifft(np.fft.fft(signal, axis=0) * kept[:, None], axis=0)), axis=0)
    cut = slice(count // 8, -(count // 8))  # its ends lie
    turns = (phase[cut][-1] - phase[cut][0]) / (2.0 * np.pi * (time[half:][cut][-1] - time[half:][cut][0]))
    lag = np.unwrap(phase[cut], axis=1)
    along = np.arange(lag.shape[1])[lag.shape[1] // 8 : -(lag.shape[1] // 8)]  # and so do those of the body
    slope = np.polyfit(along / lag.shape[1], (lag - lag[:, :1]).mean(axis=0)[along], 1)[0]
    return float(np.median(turns)), float(-2.0 * np.pi / slope)


def beside(source: str) -> float:
    """Mean distance of the centre of mass from the x axis in the second half of a run, m."""
    com = ll.run(source).dataset.com_position.values
    return float(np.abs(com[len(com) // 2 :, 1]).mean())


def pressed(changes: dict[str, Any]) -> tuple[float, float]:
    """Peak torque of the yaw joints (N m), and the way along x (m)."""
    data = ll.run("snake-compliant-pegs", {"record_every": 0.01, **changes}).dataset
    way = data.com_position.values[-1, 0] - data.com_position.values[0, 0]
    return float(np.abs(data.joint_torque.values[:, ::2]).max()), float(way)


def check(case: Any, sheet: Any) -> dict[str, float]:
    felt = {name: speed(cut) for name, cut in CUTS.items()}
    deaf = {name: speed({**cut, "controller.feedback.0.gain": 0.0}) for name, cut in CUTS.items()}
    axes = sheet.subplots()
    axes.bar(np.arange(3) - 0.2, list(felt.values()), 0.4, label="cord and feeling")
    axes.bar(np.arange(3) + 0.2, list(deaf.values()), 0.4, label="cord alone")
    axes.set(xticks=range(3), xticklabels=list(felt), ylabel="speed (m/s)")
    axes.legend()
    swim, crawl = wave("worm-swims", {}), wave("worm-crawls", {"duration": 24.0})
    soft, hard = pressed({}), pressed({"controller.dead_band": 1e6})
    return {
        "felt cut": felt["cut"] / felt["whole"],
        "deaf cut": deaf["cut"] / deaf["whole"],
        "silent": felt["silent"] / deaf["silent"],
        "swim frequency": swim[0],
        "swim wavelength": swim[1],
        "crawl frequency": crawl[0],
        "crawl wavelength": crawl[1],
        "faster": swim[0] / crawl[0],
        "longer": swim[1] / crawl[1],
        "swims along": beside("snake-follows-path-in-water"),
        "crawls along": beside("snake-follows-path"),
        "pressed": soft[0] / hard[0],
        "way": soft[1] / hard[1],
    }
