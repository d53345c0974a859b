"""Figures of a film: kymograph, midlines, envelope, paths, forces, residuals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import write_table
from limbless.view.figures import style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from limbless.interop.films.film import Film
    from limbless.interop.films.prediction import Prediction

RESOLUTION = 160  # dots per inch: a page holds six of them


Drawn = tuple[Any, dict[str, Any]]
"""A figure, and the columns of what it shows."""


def draw_all(film: Film, predicted: Prediction | None) -> dict[str, tuple[Figure, dict[str, Any]]]:
    """Every figure that the film has, by name, with its numbers."""
    drawn: dict[str, Callable[[], Drawn]] = {"kymograph": lambda: kymograph(film), "residuals": lambda: residuals(film)}
    if film.placed:
        drawn |= {"midlines": lambda: midlines(film, predicted), "envelope": lambda: envelope(film)}
    if predicted is not None:
        drawn |= {"path": lambda: paths(film, predicted), "forces": lambda: forces(predicted)}
    return {name: draw() for name, draw in drawn.items()}


def save_all(film: Film, predicted: Prediction | None, folder: Path, form: str) -> list[Path]:
    """Write them as PNG, which a page shows, and as `form`, each with its numbers as CSV; returns those of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with style.styled():
        for name, (sheet, table) in draw_all(film, predicted).items():
            written.append(style.save_figure(sheet, folder / f"{name}.png", form, dpi=RESOLUTION))
            write_table(folder / f"{name}.csv", table)
    return written


def _along(what: str, places: Any, values: Any) -> dict[str, Any]:
    """Columns of values (rows, places), one for each place along the body."""
    return {f"{what} at {place:.4g} L": values[:, number] for number, place in enumerate(places)}


def kymograph(film: Film) -> Drawn:
    sheet, (axes,) = style.panels([45.0])
    smooth = film.smooth
    values = smooth.curvature * smooth.length
    most = float(np.percentile(np.abs(values), 99.5)) or 1.0
    mesh = axes.imshow(
        values.T,
        cmap=style.DIVERGING,
        vmin=-most,
        vmax=most,
        origin="lower",
        aspect="auto",
        extent=(smooth.time[0], smooth.time[-1], 0.0, 1.0),
        interpolation="bilinear",
    )
    style.colour_bar(axes, mesh)
    axes.set(xlabel="time (s)", ylabel="abscissa / length", title="curvature x length")
    places = smooth.abscissae / smooth.length
    return sheet, {"time (s)": smooth.time, **_along("curvature x length", places, values)}


def midlines(film: Film, predicted: Prediction | None) -> Drawn:
    smooth, every = film.smooth, max(round(film.period * float(film.midline.attrs["rate"])), 1)
    filmed = smooth.position / smooth.length
    high = max(np.ptp(filmed[..., 1]), 0.3 * np.ptp(filmed[..., 0]))
    sheet, (axes,) = style.panels([style.height_for(float(np.ptp(filmed[..., 0])), float(high))])
    table: dict[str, Any] = {}
    for number in range(0, len(filmed), every):
        x, y = filmed[number].T
        table |= {
            f"film x / length, {smooth.time[number]:.4g} s": x,
            f"film y / length, {smooth.time[number]:.4g} s": y,
        }
        axes.plot(*filmed[number].T, color=style.BLUE, label="film" if number == 0 else None)
        axes.plot(*filmed[number, 0], "o", color=style.BLUE, markersize=2.0)
        if predicted is not None:
            there = predicted.result.dataset["position"].values[number, :, :2] / smooth.length
            axes.plot(*there.T, color=style.RED, linewidth=0.7, label="model" if number == 0 else None)
            table |= {
                f"model x / length, {smooth.time[number]:.4g} s": there[:, 0],
                f"model y / length, {smooth.time[number]:.4g} s": there[:, 1],
            }
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(xlabel="x / length", ylabel="y / length")
    axes.margins(0.03)
    axes.set_title("the midline once a beat")
    style.legend_above(axes)
    return sheet, table


def envelope(film: Film) -> Drawn:
    sheet, (axes,) = style.panels([40.0])
    k = film.kinematics
    table: dict[str, Any] = {}
    if k.excursion is not None and k.amplitude is not None:
        s = np.linspace(0.0, 1.0, k.excursion[1].shape[1])
        axes.plot(s, k.excursion[1][::2].T / k.length, color=style.GREY, linewidth=0.3, alpha=0.6)
        for sign in (1.0, -1.0):
            axes.plot(s, sign * k.amplitude / k.length, color=style.RED)
        table = {"abscissa / length": s, "amplitude / length": k.amplitude / k.length}
    axes.set(
        xlabel="abscissa / length", ylabel="to the side / length", title="excursion from the path, and its amplitude"
    )
    return sheet, table


def paths(film: Film, predicted: Prediction) -> Drawn:
    L = predicted.length
    both = [predicted.mean / L, *([predicted.filmed / L] if predicted.placed else [])]
    every = np.concatenate(both)
    wide, high = float(np.ptp(every[:, 0])), float(np.ptp(every[:, 1]))
    sheet, (axes, speed) = style.panels([style.height_for(max(wide, 1e-9), max(high, 0.3 * wide)), 30.0])
    table: dict[str, Any] = {"time (s)": predicted.time}
    for label, way, colour in zip(("model", "film"), both, (style.RED, style.BLUE), strict=False):
        axes.plot(*way.T, color=colour, label=label)
        velocity = np.linalg.norm(np.gradient(way, predicted.time, axis=0), axis=1)
        speed.plot(predicted.time, velocity, color=colour)
        table |= {
            f"{label} x / length": way[:, 0],
            f"{label} y / length": way[:, 1],
            f"{label} speed (lengths/s)": velocity,
        }
    axes.set_aspect("equal", adjustable="datalim")
    axes.set(xlabel="x / length", ylabel="y / length", title="way of the mean point")
    speed.set(xlabel="time (s)", ylabel="speed (lengths/s)")
    style.from_zero(speed)
    style.legend_above(axes)
    return sheet, table


def forces(predicted: Prediction) -> Drawn:
    sheet, (push, effort) = style.panels([35.0, 35.0])
    made, off = predicted.loads, predicted.load_errors
    s, thrust, drag, moment = made.places, made.thrust, made.drag, made.moment
    push.fill_between(s, 0.0, thrust, color=style.GREEN, alpha=0.6, label="thrust")
    push.fill_between(s, 0.0, drag, color=style.RED, alpha=0.6, label="drag")
    push.plot(s, thrust + drag, color=style.BLACK, label="sum")
    push.set(ylabel="force / length (N/m)")
    push.legend(loc="upper left")
    push.set_title("along the way, averaged over the film")
    effort.plot(s, moment, color=style.PURPLE)
    table = {"abscissa / length": s, "thrust (N/m)": thrust, "drag (N/m)": drag, "moment (N m)": moment}
    if off is not None:
        effort.fill_between(s, moment - off.moment, moment + off.moment, color=style.PURPLE, alpha=0.25)
        for name, values, wide, colour in (
            ("thrust", thrust, off.thrust, style.GREEN),
            ("drag", drag, off.drag, style.RED),
        ):
            push.errorbar(s[::8], values[::8], wide[::8], color=colour, fmt="none", linewidth=0.6)
            table[f"standard error of {name} (N/m)"] = wide
        table["standard error of moment (N m)"] = off.moment
    effort.set(
        xlabel="abscissa / length", ylabel="bending moment (N m)", title="amplitude of the moment that bends the body"
    )
    return sheet, table


def residuals(film: Film) -> Drawn:
    sheet, (axes, spread) = style.panels([35.0, 30.0])
    residual = film.midline["points"].values - film.smooth.surface.values
    time, L = film.midline["time"].values, film.length
    axes.plot(time, 100.0 * residual[..., 0] / L, ".", color=style.BLUE, markersize=1.0)
    axes.plot(time, 100.0 * residual[..., 1] / L, ".", color=style.RED, markersize=1.0)
    most = 600.0 * film.noise / L
    axes.set(
        xlabel="time (s)",
        ylabel="residual (% of length)",
        ylim=(-max(most, 1e-9), max(most, 1e-9)),
        title="tracked minus smoothed points, x and y",
    )
    numbers, rms = np.arange(1, residual.shape[1] + 1), 100.0 * np.sqrt(np.nanmean(residual**2, axis=(0, 2))) / L
    spread.bar(numbers, rms, color=style.SKY)
    spread.set(xlabel="point, from head to tail", ylabel="rms (% of length)")
    columns = {
        f"{axis}, point {number} (% of length)": 100.0 * residual[:, number - 1, c] / L
        for number in numbers
        for c, axis in enumerate("xy")
    }
    return sheet, {"time (s)": time, **columns, "point": numbers, "rms (% of length)": rms}
