"""Figures of every run: overview, torques, energy balance.

Figures of a closed loop: what its controller does over time, and how the wave runs along the body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.simulation.analysis import actuator_limits, balances, speed
from limbless.view.figures import body_outline, style
from limbless.view.figures.figure_registry import Drawing, Table, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from limbless.simulation.result import Result


_SNAPSHOTS = 5  # bodies drawn on the track, from the first record to the last
_ZOOM_PERIODS = 3  # whole gait periods at the end that a closer view shows
_SILENT = 1e-6  # an axis whose torques stay below this share of the largest is not drawn


@figure(
    "overview",
    "where it went, how fast, with what power and with what torques",
    every_run=True,
    needs=("head_position", "com_position", "joint_torque", *body_outline.BODY),
)
def overview(result: Result) -> Drawing:
    plane = body_outline.widest_plane(result.dataset)
    records = np.unique(np.linspace(0, result.dataset.sizes["time"] - 1, _SNAPSHOTS).round().astype(int))
    time, track = result.dataset["time"].values, result.dataset["head_position"].values[:, plane]
    snaps = body_outline.snapshots(result.dataset, plane, records if result.dataset.sizes["section"] else ())
    sheet, (where, fast, power, torque) = style.panels(
        [body_outline.panel_height([track, *snaps.values()]), 24.0, 24.0, 24.0]
    )
    table: Table = {"time (s)": time}
    body_outline.draw_track(where, result.dataset, plane, track, snaps, table)
    where.plot(*track[-1], "o", color=style.RED, markersize=2.0, zorder=3)
    where.set_title(f"track of the head; the body every {(time[-1] - time[0]) / max(1, len(records) - 1):.3g} s")
    table |= {f"head {'xyz'[axis]} (m)": track[:, column] for column, axis in enumerate(plane)}
    _draw_speed(fast, result, table)
    draw_power(power, result, table)
    _draw_peaks(torque, result, table)
    return sheet, table


def _draw_speed(axes: Axes, result: Result, table: Table) -> None:
    time = result.dataset["time"].values
    now = speed.recorded_speed(result.dataset)
    axes.plot(time, now, color=style.SKY, label="centre of mass")
    table["speed of the centre of mass (m/s)"] = now
    ends, velocity = speed.period_velocities(result.dataset, result.period)
    if len(ends):
        mean = np.linalg.norm(velocity, axis=1)
        axes.plot(
            ends - 0.5 * (result.period or 0.0), mean, "o", color=style.RED, markersize=2.0, label="mean of a period"
        )
        table |= {"middle of a period (s)": ends - 0.5 * (result.period or 0.0), "mean speed over a period (m/s)": mean}
    axes.set(xlabel="time (s)", ylabel="speed (m/s)", xlim=(time[0], time[-1]))
    style.from_zero(axes)
    style.legend_above(axes)


def draw_power(axes: Axes, result: Result, table: Table) -> None:
    time = result.dataset["time"].values
    for name, colour in zip(balances.POWERS, style.COLOURS, strict=False):
        if name in result.dataset and np.any(result.dataset[name].values):
            given = {name.removesuffix("_power"): result.dataset[name].values}
            style.curves(axes, time, given, table, "{} power (W)", color=colour)
    axes.set(xlabel="time (s)", ylabel="power (W)", xlim=(time[0], time[-1]))
    style.at_least(axes, smallest_energy(result) / max(float(time[-1] - time[0]), 1e-12))
    style.legend_above(axes)


def smallest_energy(result: Result) -> float:
    """Energy (J) below which nothing is shown larger: a hundredth of the largest kinetic energy."""
    return 0.01 * float(result.dataset["kinetic_energy"].values.max()) if "kinetic_energy" in result.dataset else 0.0


def _draw_peaks(axes: Axes, result: Result, table: Table) -> None:
    """Peak torque of each joint as a bar, its limit as a short line over the bar."""
    peaks = actuator_limits.peak_torque(result.dataset)
    numbers = np.arange(1, len(peaks) + 1)
    for (label, joints), colour in zip(_loud_groups(result).items(), style.COLOURS, strict=False):
        axes.bar(numbers[joints], peaks[joints], width=0.8, color=colour, label=label)
    table |= {"joint, counted from 1": numbers.astype(float), "peak torque (N m)": peaks}
    if "joint_limit" in result.dataset:
        bound = result.dataset["joint_limit"].values
        table["torque limit (N m)"] = bound
        given = np.isfinite(bound)
        if given.any():
            axes.hlines(
                bound[given],
                numbers[given] - 0.45,
                numbers[given] + 0.45,
                color=style.BLACK,
                linewidth=0.8,
                label="limit",
            )
    axes.set(xlabel="joint, counted from 1 at the base", ylabel="peak torque (N m)", xlim=(0.3, len(peaks) + 0.7))
    style.from_zero(axes)
    axes.grid(False, axis="x")
    axes.locator_params(axis="x", integer=True)
    style.legend_above(axes)


@figure(
    "torques",
    "peaks of torque of each kind of joint axis (over the gait period before), and the waves of torque along the body",
    every_run=True,
    needs=("joint_torque",),
)
def torques(result: Result) -> Drawing:
    data = result.dataset
    time, torque = data["time"].values, data["joint_torque"].values
    groups = _loud_groups(result)
    waves = {label: joints for label, joints in groups.items() if len(joints) > 1}
    sheet, (envelope, *maps) = style.panels([28.0, *[26.0] * len(waves)], top=12.0)
    table: Table = {"time (s)": time}
    for (label, joints), colour in zip(groups.items(), style.COLOURS, strict=False):
        peaks = _peaks_of_a_period(result, joints)
        envelope.plot(time, peaks, color=colour, label=label)
        table[f"{label}, peak over the period before (N m)"] = peaks
        table |= {f"torque of joint {joint + 1}, {label} (N m)": torque[:, joint] for joint in joints}
    envelope.set(xlabel="time (s)", ylabel="torque peaks (N m)", xlim=(time[0], time[-1]))
    _draw_limits(envelope, result, groups)
    style.from_zero(envelope)
    style.legend_above(envelope, 3)
    for axes, (label, joints) in zip(maps, waves.items(), strict=True):
        _draw_wave(axes, result, label, joints)
    return sheet, table


def _loud_groups(result: Result) -> dict[str, list[int]]:
    """Joints of each axis label, without the labels whose torques are only rounding; all of them if
    there is nothing but silence.
    """
    groups, peaks = actuator_limits.joints_by_axis(result.dataset), actuator_limits.peak_torque(result.dataset)
    loud = {label: joints for label, joints in groups.items() if peaks[joints].max() > _SILENT * peaks.max(initial=0.0)}
    return loud or groups


def _peaks_of_a_period(result: Result, joints: list[int]) -> np.ndarray:
    """Largest |torque| of these joints from one gait period before each record to it; at the record alone for a gait
    without a period.
    """
    time, now = result.dataset["time"].values, np.abs(result.dataset["joint_torque"].values[:, joints]).max(axis=1)
    window = max(1, round((result.period or 0.0) * (len(time) - 1) / (time[-1] - time[0])))
    padded = np.concatenate([np.zeros(window - 1), now])
    return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, window).max(axis=1))


def _draw_limits(axes: Axes, result: Result, groups: dict[str, list[int]]) -> None:
    """One broken line for each value of the limit, with the axes that it holds for."""
    if "joint_limit" not in result.dataset:
        return
    bound = {label: float(result.dataset["joint_limit"].values[joints].min()) for label, joints in groups.items()}
    values = sorted({value for value in bound.values() if np.isfinite(value)}, reverse=True)
    for value, broken in zip(values, ("--", ":", "-."), strict=False):
        held = ", ".join(label for label in bound if bound[label] == value)
        axes.axhline(value, color=style.BLACK, linestyle=broken, linewidth=0.8, label=f"limit of {held}")


def _draw_wave(axes: Axes, result: Result, label: str, joints: list[int]) -> None:
    """Torque over time and along the body, in the last periods of the gait."""
    time, torque = result.dataset["time"].values, result.dataset["joint_torque"].values[:, joints]
    shown = last_periods(result)
    steps = np.arange(len(joints) + 1) + 0.5
    edges = np.concatenate([time[shown][:1], 0.5 * (time[shown][1:] + time[shown][:-1]), time[shown][-1:]])
    title = f"{label} torque (N m), at the end of the run"
    style.draw_wave(
        axes, edges, steps, torque[shown], xlabel="time (s)", ylabel=f"{label} joint, from the base", title=title
    )
    axes.locator_params(axis="y", integer=True, nbins=6)


def last_periods(result: Result, periods: int = _ZOOM_PERIODS) -> slice:
    """The records of the last whole periods, or all of them for a gait without a period."""
    time = result.dataset["time"].values
    start = time[-1] - periods * result.period if result.period else time[0]
    return slice(min(int(np.searchsorted(time, start - 1e-9)), len(time) - 2), None)


@figure(
    "energy-balance",
    "the change of kinetic energy against the work done, and the mismatch between them",
    every_run=True,
    needs=("kinetic_energy", "actuator_work", "environment_work"),
)
def energy_balance(result: Result) -> Drawing:
    data = result.dataset
    time = data["time"].values
    sheet, (works, mismatch) = style.panels([38.0, 24.0], top=12.0)
    table: Table = {"time (s)": time}
    for name, colour in zip(balances.WORKS, style.COLOURS, strict=False):
        if name in data and np.any(data[name].values):
            done = {name.replace("_", " "): data[name].values - data[name].values[0]}
            style.curves(works, time, done, table, "{} (J)", color=colour)
    change = {"change of kinetic energy": data["kinetic_energy"].values - data["kinetic_energy"].values[0]}
    style.curves(works, time, change, table, "{} (J)", color=style.BLACK)
    works.lines[-1].set(linestyle=(0, (3, 2)))  # where it is the work of one alone, both are seen
    works.set(xlabel="time (s)", ylabel="energy (J)", xlim=(time[0], time[-1]))
    style.at_least(works, smallest_energy(result))
    style.legend_above(works, 2)
    difference = balances.energy_mismatch(data)
    if difference is not None:
        left = {"change of kinetic energy less work": difference}
        style.curves(mismatch, time, left, table, "{} (J)", color=style.RED)
    proof = next((balance for balance in result.balances() if balance.name == "power"), None)
    if proof is not None:
        style.note_above(mismatch, f"at most {proof.relative:.1e} of the energy exchanged: {proof.verdict}")
    mismatch.set(xlabel="time (s)", ylabel="mismatch (J)", xlim=(time[0], time[-1]))
    return sheet, table


@figure(
    "activity",
    "what every oscillator or neuron of the controller gives over time, and the positions of the joints",
    needs=("activity", "joint_position"),
)
def activity(result: Result) -> Drawing:
    data = result.dataset
    time = data["time"].values
    sheet, panes = style.panels([40.0, 40.0])
    table: Table = {"time (s)": time}
    shown = (("activity", "neuron", "activity"), ("joint_position", "joint", "joint position"))
    for axes, (variable, dim, words) in zip(panes, shown, strict=True):
        values, labels, unit = data[variable].values, data[dim].values, data[variable].attrs["units"]
        largest = float(np.abs(values).max(initial=1e-300))
        mesh = axes.pcolormesh(
            time, np.arange(values.shape[1]), values.T, shading="nearest", cmap="RdBu_r", vmin=-largest, vmax=largest
        )
        style.colour_bar(axes, mesh)
        axes.invert_yaxis()
        axes.locator_params(axis="y", integer=True)
        axes.set(xlabel="time (s)", ylabel=dim, title=f"{words} ({unit}), the first {dim} above")
        table |= {f"{words} of {label} ({unit})": values[:, k] for k, label in enumerate(labels)}
    return sheet, table
