"""One style for all figures: one column wide (88 mm), units on every axis, colours that
colour-blind readers tell apart.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from limbless.core import replacing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN_WIDTH = 88.0  # mm
LEFT, RIGHT = 15.0, 3.0  # mm kept beside the axes, for labels
RESOLUTION = 300  # dots per inch
BLUE, RED, GREEN, PURPLE, ORANGE, SKY, BLACK = (
    "#0072B2",
    "#D55E00",
    "#009E73",
    "#AA4499",
    "#E69F00",
    "#56B4E9",
    "#222222",
)
COLOURS = (BLUE, RED, GREEN, PURPLE, ORANGE, SKY)
"""Told apart with any kind of colour vision (Okabe and Ito's set, one purple darkened)."""
GREY = "#777777"
DIVERGING = "PuOr_r"  # zero is white; both ends differ in every kind of colour vision
SEQUENTIAL = "viridis"

_SETTINGS: dict[str, Any] = {
    "font.size": 7.0,
    "axes.labelsize": 7.0,
    "axes.titlesize": 7.0,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "legend.fontsize": 6.5,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "mathtext.fontset": "dejavusans",
    "axes.linewidth": 0.6,
    "lines.linewidth": 0.9,
    "patch.linewidth": 0.5,
    "hatch.linewidth": 0.4,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlepad": 4.0,
    "axes.labelpad": 2.0,
    "axes.grid": True,
    "grid.color": "#E4E4E4",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "axes.unicode_minus": True,
    "axes.formatter.limits": (-3, 4),
    "axes.formatter.useoffset": False,
    "axes.xmargin": 0.0,
    "legend.frameon": False,
    "legend.handlelength": 1.4,
    "legend.columnspacing": 1.2,
    "legend.borderaxespad": 0.2,
    "legend.labelspacing": 0.3,
    "savefig.dpi": RESOLUTION,
    "figure.dpi": 150,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
}


_UNDATED: dict[str, dict[str, Any]] = {".pdf": {"CreationDate": None}, ".svg": {"Date": None}}


def save_figure(figure: Figure, path: Path, form: str = "", **options: Any) -> Path:
    """Write a picture in the format of its suffix, and once more in another (`form`, such as pdf), if one is given.

    Nothing in it depends on the clock.
    """
    for each in {path, path.with_suffix(f".{form}") if form else path}:
        with replacing(each) as temporary, styled():
            figure.savefig(temporary, metadata=_UNDATED.get(each.suffix), **options)
    return path


def literal(text: str) -> str:
    """Text that is drawn as it is written, dollar signs too."""
    return text.replace("$", r"\$")


def with_unit(name: str, unit: str) -> str:
    """A name and its unit; nothing is said of a number without one."""
    return name if unit in ("", "1") else f"{name} ({unit})"


@contextmanager
def styled() -> Iterator[None]:
    """Draw and save in the style of limbless, whatever style the caller's own figures have."""
    from matplotlib.style import context

    with context(["default", _SETTINGS]):
        yield


@cache
def _sheet_class() -> type[Figure]:
    from matplotlib.figure import Figure

    class Sheet(Figure):
        """A figure without pyplot; notebooks show it by itself."""

        def _repr_png_(self) -> bytes:
            buffer = io.BytesIO()
            with styled():
                self.savefig(buffer, format="png", dpi=200)
            return buffer.getvalue()

    return Sheet


def panels(
    heights: Sequence[float], share_time: bool = False, top: float = 7.0, gap: float | None = None
) -> tuple[Figure, list[Axes]]:
    """A sheet of one column with panels below each other.

    Parameters
    ----------
    heights : height of the axes of each panel, mm; labels come on top of that.
    share_time : the panels share their horizontal axis, and only the last is labelled.
    top : space above the first panel, mm.
    gap : space between panels, mm; enough for labels if absent.
    """
    gap = gap if gap is not None else 4.0 if share_time else 13.0
    total = top + sum(heights) + gap * (len(heights) - 1) + 10.0
    sheet = _sheet_class()(figsize=(COLUMN_WIDTH / 25.4, total / 25.4))
    axes: list[Axes] = []
    edge = total - top
    for height in heights:
        box = (
            LEFT / COLUMN_WIDTH,
            (edge - height) / total,
            (COLUMN_WIDTH - LEFT - RIGHT) / COLUMN_WIDTH,
            height / total,
        )
        axes.append(sheet.add_axes(box, sharex=axes[0] if share_time and axes else None))
        edge -= height + gap
    if share_time:
        for upper in axes[:-1]:
            upper.tick_params(labelbottom=False)
    return sheet, axes


def curves(
    axes: Axes, x: Any, lines: Mapping[str, Any], table: dict[str, Any], column: str, scale: float = 1.0, **look: Any
) -> None:
    """Lines by their names in the legend, in colours that are told apart; values join the table, each in the `column`
    whose {} is its name.
    """
    for (name, values), colour in zip(lines.items(), cycle(COLOURS)):
        axes.plot(x, scale * values, **{"color": colour, **look}, label=name)
        table[column.format(name)] = values


def colour_of(number: int) -> str:
    """Of a run among several, in figures and in scenes."""
    return COLOURS[number % len(COLOURS)]


def series(time: Any, rows: Mapping[str, Any], labels: Sequence[str] = ()) -> tuple[Figure, dict[str, Any]]:
    """A sheet with two panels over time, one row in each: the names of the rows are its columns, and the labels of the
    axes if no others are given.
    """
    sheet, pair = panels([30.0, 30.0], share_time=True)
    for axes, label, values, colour in zip(pair, labels or rows, rows.values(), COLOURS, strict=False):
        axes.plot(time, values, color=colour)
        axes.set_ylabel(label)
    pair[-1].set(xlabel="time (s)", xlim=(time[0], time[-1]))
    return sheet, {"time (s)": time, **rows}


def height_for(wide: float, high: float, least: float = 8.0, most: float = 95.0) -> float:
    """Height (mm) of a panel on which `high` and `wide` (m) have the same scale, within bounds."""
    return float(min(most, max(least, (COLUMN_WIDTH - LEFT - RIGHT) * high / max(wide, 1e-12))))


def from_zero(axes: Axes) -> None:
    """The vertical axis from zero to a little above everything drawn."""
    top = axes.dataLim.y1
    axes.set_ylim(0.0, 1.08 * top if top > 0.0 else 1.0)


def at_least(axes: Axes, size: float) -> None:
    """The vertical axis spans at least `size` to both sides of zero: what is only rounding then looks like nothing."""
    low, high = axes.get_ylim()
    axes.set_ylim(min(low, -size), max(high, size))


def colour_bar(axes: Axes, mesh: Any) -> None:
    """A scale of colours at the right of a map, with space for its numbers; the map has no grid."""
    box = axes.get_position()
    axes.set_position((box.x0, box.y0, box.width * 0.83, box.height))
    bar = axes.figure.add_axes((box.x0 + box.width * 0.855, box.y0, box.width * 0.03, box.height))
    axes.figure.colorbar(mesh, cax=bar)
    axes.grid(False)


def draw_wave(axes: Axes, x: Any, y: Any, values: Any, **labels: str) -> None:
    """A map (x, y) of values of both signs: the largest in view has the strongest colour."""
    bound = float(abs(values).max()) or 1.0
    mesh = axes.pcolormesh(x, y, values.T, cmap=DIVERGING, vmin=-bound, vmax=bound, rasterized=True)
    colour_bar(axes, mesh)
    axes.set(**labels)


def note_above(axes: Axes, text: str) -> None:
    """A line of text above the axes at the right, clear of the power of ten that may stand at the left."""
    axes.annotate(
        text,
        (1.0, 1.0),
        xycoords="axes fraction",
        xytext=(0.0, 3.0),
        textcoords="offset points",
        ha="right",
        va="bottom",
    )


def legend_above(axes: Axes, columns: int = 4) -> None:
    """The legend above the axes, where it never covers a curve."""
    if axes.get_legend_handles_labels()[1]:
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=columns)
