"""What of a figure a reader cannot see: used by the tests of all figures."""

from __future__ import annotations

from typing import Any

import numpy as np

COUNTED = ("neuron", "joint", "link", "vertebra", "disk", "point")
SLACK = 1.5  # dots at 100 per inch: a glyph's own edge


def unseen(drawing: Any) -> list[str]:
    """Texts beyond the sheet or over each other, curves and bars beyond their axes, axes
    without labels; a sentence each.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    drawing.set_dpi(100)
    renderer = FigureCanvasAgg(drawing).get_renderer()
    drawing.draw_without_rendering()
    parts = [fault for axes in drawing.axes for fault in (*_curves(axes), *_bars(axes), *_labels(axes))]
    return [*_texts(drawing, renderer), *parts]


def _words(drawing: Any) -> list[Any]:
    """All texts that are not numbers on an axis."""
    found = [*drawing.texts]
    for axes in drawing.axes:
        found += [axes.title, axes._left_title]
        found += [part for axis in (axes.xaxis, axes.yaxis) for part in (axis.label, axis.offsetText)]
        found += axes.get_legend().get_texts() if axes.get_legend() else []
        # small ones are labels of curves, on them
        found += [text for text in axes.texts if text.get_fontsize() > 6.4]
    for legend in drawing.legends:
        found += legend.get_texts()
    return [text for text in found if text.get_visible() and text.get_text().strip()]


def _texts(drawing: Any, renderer: Any) -> list[str]:
    faults, boxes = [], []
    width, height = drawing.bbox.size
    for text in _words(drawing):
        box = text.get_window_extent(renderer)
        if box.x0 < -SLACK or box.y0 < -SLACK or box.x1 > width + SLACK or box.y1 > height + SLACK:
            faults.append(f"text {text.get_text()!r} leaves the sheet")
        faults += [f"text {text.get_text()!r} lies over {other!r}" for other, there in boxes if _meet(box, there)]
        boxes.append((text.get_text(), box))
    for axes in drawing.axes:
        for place, (axis, limits) in enumerate(((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim()))):
            for number in axis.get_ticklabels():
                box, (low, high) = number.get_window_extent(renderer), sorted(limits)
                shown = number.get_visible() and number.get_text() and low <= number.get_position()[place] <= high
                if shown and (box.x0 < -SLACK or box.x1 > width + SLACK):
                    faults.append(f"number {number.get_text()!r} leaves the sheet")
    return faults


def _meet(one: Any, other: Any) -> bool:
    """Whether two boxes have more in common than an edge."""
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    return across > SLACK and min(one.y1, other.y1) - max(one.y0, other.y0) > SLACK


def _curves(axes: Any) -> list[str]:
    faults = []
    low, high = np.array([axes.get_xlim(), axes.get_ylim()]).T
    room = 1e-6 * (high - low)
    for line in axes.lines:
        points = np.column_stack([np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)])
        if line.get_transform() != axes.transData or not np.isfinite(points).any():
            continue  # a line across the axes
        points = points[np.isfinite(points).all(axis=1)]
        if ((points < low - room) | (points > high + room)).any():
            faults.append(f"curve {line.get_label()!r} of {axes.get_ylabel()!r} leaves its axes")
    return faults


def _bars(axes: Any) -> list[str]:
    low, high = sorted(axes.get_xlim())
    return [
        f"bar at {bar.get_x():g} of {axes.get_ylabel()!r} is cut"
        for bar in axes.patches
        if hasattr(bar, "get_x")
        and hasattr(bar, "get_width")
        and bar.get_transform() == axes.transData
        and (bar.get_x() < low - 1e-9 or bar.get_x() + bar.get_width() > high + 1e-9)
    ]


def _labels(axes: Any) -> list[str]:
    """A unit, or what is counted, on both axes; of panels that share their time the last alone has it. A scale of
    colours has none.
    """
    if hasattr(axes, "_colorbar"):
        return []
    names = [axes.get_ylabel(), *([axes.get_xlabel()] if axes.xaxis.get_tick_params().get("labelbottom", True) else [])]
    return [
        f"axes {axes.get_title()!r} have a label without a unit: {name!r}"
        for name in names
        if not name.endswith(")") and not any(word in name for word in COUNTED)
    ]
