"""Pictures of a connection: heights, arrows, metric, the region as the metric has it, and the frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array, InputError
from limbless.view.figures import style
from limbless.view.figures.figure_registry import Drawing, Table
from limbless.view.sweep_figures import picture

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from limbless.search.studies.connection import Connection
    from limbless.search.studies.strokes import Stroke

UNSURE = 0.2
"""Misfit of a fitted connection above which its heights are hatched."""
_SQUARE = 56.0  # mm, a panel of shapes: as wide as it is high beside a scale of colours


def _plane(connection: Connection) -> None:
    if connection.count < 2 or not connection.planar:
        raise InputError("plot: pictures are of two shapes of a planar robot; one shape has numbers alone")


def _labels(panel: Axes, connection: Connection) -> None:
    (x, y), shapes = connection.plane, connection.shapes
    across, up = (style.literal(f"{shapes.names[k]} ({shapes.unit})") for k in (x, y))
    panel.set(xlabel=across, ylabel=up, xlim=connection.region[x], ylim=connection.region[y])
    panel.grid(False)


def _squares(count: int, low: float = _SQUARE) -> tuple[Any, list[Axes]]:
    """Panels of shapes below each other, as wide as high; the last may be lower."""
    return style.panels([_SQUARE] * (count - 1) + [low], top=9.0, gap=15.0)


def _narrow(panel: Axes) -> None:
    """As wide as a panel that has a scale of colours beside it."""
    box = panel.get_position()
    panel.set_position((box.x0, box.y0, box.width * 0.83, box.height))


def _loop(panel: Axes, connection: Connection, stroke: Stroke | None, shaded: bool = False) -> Table:
    """The loop with its start and an arrow along it."""
    if stroke is None:
        return {}
    i, j = connection.plane
    r, _ = stroke.loop.along(np.linspace(0.0, 1.0, 201))
    x, y = r[:, i], r[:, j]
    if shaded:
        panel.fill(x, y, facecolor=style.GREY, alpha=0.18, linewidth=0)
    panel.plot(x, y, color=style.BLACK, linewidth=1.1)
    panel.plot(x[:1], y[:1], "o", color=style.BLACK, markersize=3.5)
    panel.annotate(
        "", (x[27], y[27]), (x[24], y[24]), arrowprops={"arrowstyle": "-|>", "color": style.BLACK, "lw": 0.9}
    )
    return {f"loop {connection.shapes.names[k]} ({connection.shapes.unit})": r[:, k] for k in (i, j)}


def line_of(links: Array, lengths: Array) -> Array:
    """A planar body as a line (links + 1, 2), m: from places and angles of its links (links, 3), and their lengths."""
    out = 0.5 * lengths[:, None] * np.stack([np.cos(links[:, 2]), np.sin(links[:, 2])], axis=1)
    return np.concatenate([[links[0, :2] - out[0]], links[:, :2] + out])


def _bodies(panel: Axes, connection: Connection) -> None:
    """The body at nine postures of the region."""
    i, j = connection.plane
    spots = np.array([(a, b) for b in (0.9, 0.5, 0.1) for a in (0.1, 0.5, 0.9)])
    low, high = connection.region[[i, j]].T
    r = np.tile(connection.at, (9, 1))
    r[:, [i, j]] = low + spots * (high - low)
    lengths, place = connection._response.lengths, connection.in_frame("mean")._response.at(r).place
    size = 0.3 / connection.length
    for (a, b), links in zip(spots, place, strict=True):
        points, mean = line_of(links, lengths), links[:, 2].mean()
        c, s = np.cos(mean), np.sin(mean)
        turned = (points - points.mean(axis=0)) @ np.array([[c, -s], [s, c]])
        panel.plot(a + size * turned[:, 0], b + size * turned[:, 1], color=style.BLACK, linewidth=1.2)
        panel.plot(a + size * turned[:1, 0], b + size * turned[:1, 1], "o", color=style.RED, markersize=2.2)
    panel.set(xlim=(-0.1, 1.1), ylim=(0.0, 1.0), aspect="equal", title="postures of the region (dot: base)")
    panel.set_axis_off()


def _fitted(connection: Connection) -> str:
    fitted = connection.medium == "friction"
    return f"; fitted, misfit {100.0 * float(connection.field['misfit'].mean()):.0f} %" if fitted else ""


def _unbounded(connection: Connection) -> bool:
    """Whether A grows without bound in the region: it holds singular postures of wheels."""
    field = connection.field
    return "denominator" in field and float(field["denominator"].min()) <= 0.0 <= float(field["denominator"].max())


def _sign(sign: str) -> float:
    if sign not in ("ours", "hatton"):
        raise InputError(f"sign: ours (velocity = A r') or hatton (velocity = -A r'); got {sign!r}")
    return 1.0 if sign == "ours" else -1.0


@picture("height", "Connection", "the curvature of the connection: what a loop encloses is how far it goes")
def height(connection: Connection, loop: Stroke | None = None, sign: str = "ours") -> Drawing:
    _plane(connection)
    field, turned = connection.field, _sign(sign)
    i, j = sorted(connection.plane)
    order = 1.0 if connection.plane == (i, j) else -1.0
    from limbless.search.studies.strokes import pairs_of

    heights = turned * order * field["curvature"].values[:, :, list(pairs_of(connection.count)).index((i, j))]
    unit = connection.shapes.unit
    sheet, axes = _squares(4, 40.0)
    x, y = field["r1"].values, field["r2"].values
    places = np.meshgrid(x, y, indexing="ij")
    table: Table = {f"r{number} ({unit})": values.ravel() for number, values in enumerate(places, 1)}
    if _unbounded(connection):
        heights = np.arctan(heights * 4.0)
    plane = float(np.abs(heights[..., :2]).max()) or 1.0
    for c, (panel, name, per) in enumerate(zip(axes, ("x", "y", "turn"), ("m", "m", "rad"), strict=False)):
        values = heights[..., c]
        most = plane if c < 2 else max(float(np.abs(values).max()), 1e-12)
        mesh = panel.pcolormesh(x, y, values.T, cmap=style.DIVERGING, vmin=-most, vmax=most, shading="gouraud")
        panel.contour(x, y, values.T, levels=[0.0], colors=style.GREY, linewidths=0.8)
        if "misfit" in field:
            unsure = panel.contourf(x, y, field["misfit"].values.T, [UNSURE, 10.0], colors="none", hatches=["////"])
            unsure.set(edgecolor=style.GREY, linewidth=0.0)
        if "denominator" in field:
            panel.contour(x, y, field["denominator"].values.T, levels=[0.0], colors=style.RED, linewidths=1.2)
        style.colour_bar(panel, mesh)
        _labels(panel, connection)
        _loop(panel, connection, loop, shaded=True)
        shown = f"atan of 4 height of {name}" if _unbounded(connection) else f"height of {name} ({per}/{unit}²)"
        style.note_above(panel, style.literal(shown + _fitted(connection)))
        table[f"height {name} ({per}/{unit}2)"] = heights[..., c].ravel()
    _bodies(axes[3], connection)
    return sheet, table


@picture("arrows", "Connection", "the rows of A as fields: a loop along them goes fastest")
def arrows(connection: Connection, loop: Stroke | None = None, sign: str = "ours") -> Drawing:
    _plane(connection)
    field, turned = connection.field, _sign(sign)
    i, j = connection.plane
    A = turned * field["A"].values[:, :, :, [i, j]]
    sheet, axes = _squares(3)
    x, y = field["r1"].values, field["r2"].values
    some = slice(len(x) // 20, None, len(x) // 10)  # ten each way, as far from either edge
    table: Table = {}
    for c, (panel, name) in enumerate(zip(axes, ("x", "y", "turn"), strict=True)):
        u, v = A[some, some, c, 0].T, A[some, some, c, 1].T
        if _unbounded(connection):
            size = np.maximum(np.hypot(u, v), 1e-12)
            far = np.abs(field["denominator"].values[some, some].T)
            shown = np.where(far > 0.02 * far.max(), np.arctan(size) / size, np.nan)  # none on the singular line
            u, v = u * shown, v * shown
        _narrow(panel)
        panel.quiver(x[some], y[some], u, v, color=style.BLUE, width=0.004, pivot="middle")
        _labels(panel, connection)
        table |= _loop(panel, connection, loop)
        told = f"rate of shapes that moves {name} fastest"
        style.note_above(panel, told + (" (atan)" if _unbounded(connection) else "") + _fitted(connection))
    return sheet, table


@picture("metric", "Connection", "ellipses of equal power: how dear a change of shape is")
def metric(connection: Connection, loop: Stroke | None = None) -> Drawing:
    _plane(connection)
    field = _with_metric(connection)
    from matplotlib.patches import Ellipse

    i, j = connection.plane
    G = field["metric"].values[:, :, [i, j]][:, :, :, [i, j]]
    sheet, (panel,) = _squares(1)
    _narrow(panel)
    x, y = field["r1"].values, field["r2"].values
    every = max(len(x) // 9, 1)
    step = every * min(x[1] - x[0], y[1] - y[0])
    sizes, turns = np.linalg.eigh(G[every // 2 :: every, every // 2 :: every])
    scale = 0.42 * step * np.sqrt(float(sizes.min()))
    for a, b in np.ndindex(sizes.shape[:2]):
        place = x[every // 2 + a * every], y[every // 2 + b * every]
        wide, high = 2.0 * scale / np.sqrt(sizes[a, b])
        angle = np.degrees(np.arctan2(turns[a, b, 1, 0], turns[a, b, 0, 0]))
        panel.add_patch(Ellipse(place, wide, high, angle=angle, facecolor=style.SKY, alpha=0.6))
    _labels(panel, connection)
    table = _loop(panel, connection, loop)
    style.note_above(panel, "rates of equal power")
    return sheet, table


def _with_metric(connection: Connection) -> Any:
    field = connection.field
    if "metric" not in field:
        raise InputError(f"plot: with {connection.medium} there is no metric to draw; draw height or arrows")
    return field


def stretched_grid(connection: Connection) -> tuple[Array, float]:
    """The grid of the field laid so that distances are those of the metric, as well as a plane can have them (after
    Hatton, Dear and Choset 2017): springs between neighbours; and the relative distortion (rms) that is left."""
    field = _with_metric(connection)
    i, j = connection.plane
    every = max((len(field["r1"]) - 1) // 12, 1)
    x, y = field["r1"].values[::every], field["r2"].values[::every]
    G = field["metric"].values[::every, ::every][:, :, [i, j]][:, :, :, [i, j]]
    n, m = len(x), len(y)
    place = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
    number = np.arange(n * m).reshape(n, m)
    pairs, rest = [], []
    for a, b in ((1, 0), (0, 1), (1, 1), (1, -1)):
        one = (slice(0, n - a), slice(max(0, -b), m - max(0, b)))
        two = (slice(a, n), slice(max(0, b), m + min(0, b)))
        d = place[two] - place[one]
        mean = 0.5 * (G[one] + G[two])
        pairs.append(np.stack([number[one].ravel(), number[two].ravel()], axis=1))
        rest.append(np.sqrt(np.einsum("abi,abij,abj->ab", d, mean, d)).ravel())
    edges, lengths = np.concatenate(pairs), np.concatenate(rest)
    from scipy.optimize import least_squares
    from scipy.sparse import coo_matrix

    def strain(flat: Array) -> Array:
        p = flat.reshape(-1, 2)
        return np.asarray(np.linalg.norm(p[edges[:, 1]] - p[edges[:, 0]], axis=1) / lengths - 1.0)

    def slopes(flat: Array) -> Any:
        p = flat.reshape(-1, 2)
        d = p[edges[:, 1]] - p[edges[:, 0]]
        unit = d / (np.linalg.norm(d, axis=1) * lengths)[:, None]
        rows = np.repeat(np.arange(len(edges)), 4)
        columns = np.stack([2 * edges[:, 0], 2 * edges[:, 0] + 1, 2 * edges[:, 1], 2 * edges[:, 1] + 1], axis=1)
        values = np.concatenate([-unit, unit], axis=1)
        return coo_matrix((values.ravel(), (rows, columns.ravel())), shape=(len(edges), 2 * n * m)).tocsr()

    scale = float(np.median(lengths) / max(np.median(np.diff(x)), 1e-12))
    found = least_squares(strain, scale * place.reshape(-1), slopes, method="trf", x_scale=1.0, max_nfev=60)
    return found.x.reshape(n, m, 2), float(np.sqrt(np.mean(found.fun**2)))


@picture("stretched", "Connection", "the region as the metric has it: equal lengths cost equal power")
def stretched(connection: Connection, loop: Stroke | None = None) -> Drawing:
    _plane(connection)
    grid, left = stretched_grid(connection)
    sheet, (panel,) = style.panels([_SQUARE + 10.0], top=9.0)
    for line in (*grid, *grid.swapaxes(0, 1)):
        panel.plot(line[:, 0], line[:, 1], color=style.GREY, linewidth=0.6)
    if loop is not None:
        from scipy.interpolate import RectBivariateSpline

        i, j = connection.plane
        axes = [
            np.linspace(connection.region[k, 0], connection.region[k, 1], count)
            for k, count in zip((i, j), grid.shape[:2], strict=True)
        ]
        r, _ = loop.loop.along(np.linspace(0.0, 1.0, 201))
        drawn = [RectBivariateSpline(*axes, grid[..., c], kx=3, ky=3).ev(r[:, i], r[:, j]) for c in range(2)]
        panel.plot(*drawn, color=style.BLACK, linewidth=1.1)
    label = "length by the metric (W$^{1/2}$ s)"
    panel.set(xlabel=label, ylabel=label, aspect="equal")
    style.note_above(panel, f"what no plane can show: {100.0 * left:.1f} % of lengths (rms)")
    return sheet, {"x": grid[..., 0].ravel(), "y": grid[..., 1].ravel()}


@picture("frame", "Connection", "where the frame is while the loop is followed, over three periods")
def frame(connection: Connection, loop: Stroke | None = None) -> Drawing:
    if loop is None:
        raise InputError("plot: the picture `frame` needs a loop; give loop=c.around(..)")
    path, end = loop.path, loop.displacement
    sheet, (panel,) = style.panels([_SQUARE], top=9.0)
    start, parts = np.zeros(3), []
    for _ in range(3):
        c, s = np.cos(start[2]), np.sin(start[2])
        parts.append(path[:, :2] @ np.array([[c, s], [-s, c]]) + start[:2])
        start = np.array([*(np.array([[c, -s], [s, c]]) @ end[:2] + start[:2]), start[2] + end[2]])
    track = np.concatenate([*parts, start[None, :2]])
    panel.plot(track[:, 0], track[:, 1], color=style.BLUE)
    panel.plot(track[:: len(path), 0], track[:: len(path), 1], "o", color=style.BLACK, markersize=3.0)
    panel.set_aspect("equal", adjustable="datalim")
    panel.set(xlabel="x (m)", ylabel="y (m)")
    style.note_above(panel, f"way of the frame `{loop.frame}`; dots: periods")
    return sheet, {"x (m)": track[:, 0], "y (m)": track[:, 1]}
