"""The figures of Boyer, Ali and Porez (2012), paper 000, that show a computed result: 7 to 10 (worm), 11 to 13
(inchworm), 15 to 19 (snake).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.core import InputError
from limbless.simulation.analysis.speed import base_velocity_world
from limbless.view.figures import body_outline, style
from limbless.view.figures.figure_registry import Drawing, Table, figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from limbless.simulation.result import Result

_SNAPSHOTS = 6
_SHOWN = {"material": "material anchorage (no slip)", "spatial": "spatial anchorage (as printed)"}
_INSIDE = ("internal_wrench", "abscissa")


def _nearest(result: Result, moment: float) -> int:
    return int(np.abs(result.dataset["time"].values - moment).argmin())


def _moments(result: Result, count: int = _SNAPSHOTS) -> list[int]:
    """Records at equal intervals, first and last included."""
    return [int(k) for k in np.unique(np.linspace(0, result.dataset.sizes["time"] - 1, count).round())]


def _both_anchorages(result: Result) -> dict[str, Result]:
    """This run, and the same run with the other anchorage, by what stands still."""
    scenario = result.scenario
    number = (
        next((k for k, item in enumerate(scenario.environment) if hasattr(item, "holds")), None)
        if scenario is not None
        else None
    )
    if scenario is None or number is None:
        raise InputError("this figure compares two anchorages; it needs a scenario with a 'sweeping-anchorage'")
    from limbless.simulation.simulate import run

    own = scenario.environment[number].holds  # type: ignore[attr-defined]
    other = "spatial" if own == "material" else "material"
    found = {own: result, other: run(scenario, {f"environment.{number}.holds": other})}
    return {name: found[name] for name in _SHOWN}


@figure(
    "boyer-fig07-worm-locomotion",
    "Fig. 7: the worm at equal intervals, with both anchorages; triangles where it holds on",
    scenarios=("worm-burrow",),
    needs=("position", "radius", "support_abscissa"),
)
def worm_locomotion(result: Result) -> Drawing:
    runs = _both_anchorages(result)
    sheet, panels = style.panels([34.0, 34.0])
    table: Table = {}
    for axes, (name, run) in zip(panels, runs.items(), strict=True):
        data = run.dataset
        middle = data["radius"].values[:, :, 0]
        swell = (middle - middle.mean()) / max(float(np.abs(middle - middle.mean()).max()), 1e-12)
        for row, record in enumerate(_moments(run)):
            x, place = data["position"].values[record, :, 0], -1.0 * row
            axes.fill_between(
                x,
                place - 0.25 - 0.12 * swell[record],
                place + 0.25 + 0.12 * swell[record],
                color=style.BLUE,
                alpha=0.45,
                linewidth=0,
            )
            here = data["contact_state"].values[record] > 0
            axes.plot(
                data["contact_position"].values[record, here, 0],
                np.full(here.sum(), place - 0.45),
                "^",
                color=style.RED,
                markersize=2.5,
            )
            table[f"{name}: x at {data['time'].values[record]:g} s (m)"] = x
            table[f"{name}: radius at {data['time'].values[record]:g} s (m)"] = middle[record]
        axes.set(xlabel="x (m)", ylabel="time (s)", title=f"{_SHOWN[name]}; swelling enlarged")
        axes.set_yticks(
            -np.arange(len(_moments(run)), dtype=float), [f"{data['time'].values[k]:g}" for k in _moments(run)]
        )
    return sheet, table


@figure(
    "boyer-fig08-head-motion",
    "Fig. 8: position and velocity of the worm's head, with both anchorages",
    scenarios=("worm-accelerate", "worm-burrow"),
    needs=("base_position", "base_twist", "support_abscissa"),
)
def head_motion(result: Result) -> Drawing:
    sheet, panels = style.panels([22.0] * 4, share_time=True, gap=8.0)
    time = result.dataset["time"].values
    table: Table = {"time (s)": time}
    for number, (name, run) in enumerate(_both_anchorages(result).items()):
        colour = (style.BLUE, style.RED)[number]
        x, v = run.dataset["base_position"].values[:, 0], run.dataset["base_twist"].values[:, 0]
        where, fast = panels[2 * number : 2 * number + 2]
        where.plot(run.dataset["time"].values, x, color=colour)
        where.set(ylabel="head x (m)")
        style.note_above(where, _SHOWN[name])
        fast.plot(run.dataset["time"].values, v, color=colour)
        fast.set(ylabel="velocity (m/s)")
        table |= {f"{name}: head x (m)": x, f"{name}: head velocity (m/s)": v}
    panels[-1].set(xlabel="time (s)", xlim=(time[0], time[-1]))
    return sheet, table


@figure(
    "boyer-fig09-worm-forces",
    "Fig. 9: with constant speed, contact force in time and internal force along the body",
    scenarios=("worm-burrow",),
    needs=("contact_wrench", *_INSIDE),
)
@figure(
    "boyer-fig10-worm-forces",
    "Fig. 10: with variable speed, contact force in time and internal force along the body",
    scenarios=("worm-accelerate",),
    needs=("contact_wrench", *_INSIDE),
)
def worm_forces(result: Result) -> Drawing:
    """Axial contact force in time and internal force along the body (it jumps at the anchor), with both anchorages."""
    sheet, panels = style.panels([20.0, 26.0, 20.0, 26.0])
    table: Table = {"time (s)": result.dataset["time"].values, "X (m)": result.dataset["abscissa"].values}
    for (name, run), contact, inside in zip(_both_anchorages(result).items(), panels[::2], panels[1::2], strict=True):
        data = run.dataset
        force = data["contact_wrench"].values[:, 0]
        smallest = max(0.01 * np.abs(data["internal_wrench"].values[..., 0]).max(), 1.2 * np.abs(force).max())
        contact.plot(data["time"].values, force, color=style.BLACK)
        contact.set(xlabel="time (s)", ylabel="contact force (N)")
        style.at_least(contact, float(smallest))  # mere rounding is drawn as 0
        style.note_above(contact, _SHOWN[name])
        table[f"{name}: contact force (N)"] = force
        for colour, moment in zip(style.COLOURS, (0.1, 0.6, 2.3), strict=False):
            _draw_inside(inside, run, _nearest(run, moment), name, colour, table)
        inside.set(xlabel="X (m)", ylabel="internal force (N)")
        style.legend_above(inside)
    return sheet, table


def _draw_inside(axes: Axes, run: Result, record: int, name: str, colour: str, table: Table) -> None:
    """Axial internal force along the body at one record, broken at its anchors, which are dotted."""
    data, time = run.dataset, run.dataset["time"].values[record]
    X, force = data["abscissa"].values, data["internal_wrench"].values[record, :, 0]
    places = data["support_abscissa"].values[record, data["contact_state"].values[record] > 0]
    piece = np.searchsorted(np.sort(places), X)
    for number in np.unique(piece):
        here = piece == number
        axes.plot(X[here], force[here], color=colour, label=f"{time:g} s" if number == piece[0] else None)
    for place in places:
        axes.axvline(place, color=colour, linewidth=0.6, linestyle=":")
    table[f"{name}: internal force at {time:g} s (N)"] = force


@figure(
    "boyer-fig11-caterpillar-locomotion",
    "Fig. 11: the inchworm in its plane at equal intervals",
    scenarios=("inchworm-climb",),
    needs=("head_position", *body_outline.BODY),
)
def caterpillar(result: Result) -> Drawing:
    plane = body_outline.widest_plane(result.dataset)
    steps = max(
        1, round((result.dataset["time"].values[-1] - result.dataset["time"].values[0]) / (result.period or 2.0))
    )
    track = result.dataset["head_position"].values[:, plane]
    snaps = body_outline.snapshots(result.dataset, plane, _moments(result, 2 * steps + 1))
    sheet, (axes,) = style.panels([body_outline.panel_height([track, *snaps.values()])])
    table: Table = {}
    body_outline.draw_track(axes, result.dataset, plane, track, snaps, table)
    axes.set_title("the body at every half step; red: track of the head")
    return sheet, table


@figure(
    "boyer-fig12-head-motion",
    "Fig. 12: how far the inchworm's head has climbed, and its velocity",
    scenarios=("inchworm-climb",),
    needs=("head_position", "base_twist"),
)
def climb(result: Result) -> Drawing:
    place = result.dataset["head_position"].values
    main = int(np.ptp(place, axis=0).argmax())
    rows = {
        f"head {'xyz'[main]} (m)": place[:, main],
        "velocity of the head (m/s)": base_velocity_world(result.dataset)[:, main],
    }
    return style.series(result.dataset["time"].values, rows, (f"{'xyz'[main]} of the head (m)", "velocity (m/s)"))


@figure(
    "boyer-fig13-torques",
    "Fig. 13: reaction torque at the feet in time, and internal torque along the body at 4.5 s",
    scenarios=("inchworm-climb",),
    needs=("support_wrench", *_INSIDE),
)
def torques(result: Result) -> Drawing:
    data = result.dataset
    sheet, (reaction, inside) = style.panels([30.0, 34.0])
    time, force = data["time"].values, data["support_wrench"].values[..., 5]
    table: Table = {"time (s)": time}
    for number, (label, colour) in enumerate(zip(("head", "tail"), style.COLOURS, strict=False)):
        if number < force.shape[1]:
            reaction.plot(
                time,
                np.where(data["contact_state"].values[:, number] > 0, force[:, number], np.nan),
                color=colour,
                label=label,
            )
            table[f"reaction torque at the {label} (N m)"] = force[:, number]
    reaction.set(xlabel="time (s)", ylabel="torque (N m)", xlim=(time[0], time[-1]))
    style.legend_above(reaction)
    _inside(inside, result, 4.5, 5, "internal torque (N m)", table)
    return sheet, table


def _inside(axes: Axes, result: Result, moment: float, component: int, label: str, table: Table) -> None:
    """One component of the internal wrench along the body."""
    record, X = _nearest(result, moment), result.dataset["abscissa"].values
    values = result.dataset["internal_wrench"].values[record, :, component]
    axes.plot(X, values, color=style.BLUE)
    axes.set(xlabel="X (m)", ylabel=label, title=f"at {result.dataset['time'].values[record]:g} s")
    table |= {"X (m)": X, label: values}


@figure(
    "boyer-fig15-curvature-profile",
    "Fig. 15: curvature along the snake's body, at equal intervals",
    scenarios=("snake-shear", "snake-steered", "snake-turn-2d"),
    needs=("strain", "abscissa"),
)
def curvature_profile(result: Result) -> Drawing:
    X, sheet_axes = result.dataset["abscissa"].values, style.panels([40.0])
    sheet, (axes,) = sheet_axes
    table: Table = {"X (m)": X}
    for place, (colour, record) in enumerate(zip(style.COLOURS, _moments(result), strict=False)):
        K, t = result.dataset["strain"].values[record, :, 5], result.dataset["time"].values[record]
        # the wave comes back: later curves leave earlier ones to be seen
        early = place < _SNAPSHOTS // 2
        axes.plot(
            X,
            K,
            color=colour,
            label=f"{t:g} s",
            linewidth=1.6 if early else 1.0,
            linestyle="solid" if early else (0, (2.0, 2.0)),
        )
        table[f"curvature at {t:g} s (1/m)"] = K
    axes.set(xlabel="X (m)", ylabel="yaw curvature (1/m)")
    style.legend_above(axes, 6)
    return sheet, table


@figure(
    "boyer-fig17-snake-turning",
    "Fig. 17: the snake in the plane at equal intervals, and the track of its head",
    scenarios=("snake-shear", "snake-turn-2d"),
    needs=("head_position", *body_outline.BODY),
)
def snake_turning(result: Result) -> Drawing:
    plane, times = (0, 1), result.dataset["time"].values
    track = result.dataset["head_position"].values[:, plane]
    snaps = body_outline.snapshots(result.dataset, plane, _moments(result))
    sheet, (axes,) = style.panels([body_outline.panel_height([track, *snaps.values()])])
    table: Table = {"time (s)": times, "head x (m)": track[:, 0], "head y (m)": track[:, 1]}
    body_outline.draw_track(axes, result.dataset, plane, track, snaps, table)
    axes.set_title(f"track of the head; the body every {(times[-1] - times[0]) / max(1, len(snaps) - 1):.3g} s")
    return sheet, table


@figure(
    "boyer-fig18-forces",
    "Fig. 18: lateral contact forces along the body and internal torque along the body, at 2 s",
    scenarios=("snake-shear", "snake-turn-2d"),
    needs=("support_wrench", *_INSIDE),
)
def snake_forces(result: Result) -> Drawing:
    data, record = result.dataset, _nearest(result, 2.0)
    sheet, (contact, inside) = style.panels([30.0, 34.0])
    here = data["contact_state"].values[record] > 0
    place, force = data["support_abscissa"].values[record, here], data["support_wrench"].values[record, here, 1]
    contact.axhline(0.0, color=style.GREY, linewidth=0.6)
    contact.vlines(place, 0.0, force, color=style.RED, linewidth=1.2)
    contact.plot(place, force, "o", color=style.RED, markersize=2.5)
    contact.set(
        xlabel="X (m)",
        ylabel="lateral force (N)",
        xlim=(0.0, float(data["section_length"].values.sum())),
        title=f"at {data['time'].values[record]:g} s",
    )
    table: Table = {"support X (m)": place, "lateral force (N)": force}
    _inside(inside, result, 2.0, 5, "internal torque (N m)", table)
    return sheet, table


@figure(
    "boyer-fig19-snake-turning-3d",
    "Fig. 19: track of the head, and the snake at equal intervals, from above and from the side",
    scenarios=("snake-steered", "snake-turn-3d"),
    needs=("head_position", *body_outline.BODY),
)
def snake_in_space(result: Result) -> Drawing:
    track = result.dataset["head_position"].values
    planes: list[body_outline.Plane] = [(0, 1), (1, 2)]
    drawn = [body_outline.snapshots(result.dataset, plane, _moments(result)) for plane in planes]
    sheet, panels = style.panels(
        [
            body_outline.panel_height([track[:, plane], *snaps.values()])
            for plane, snaps in zip(planes, drawn, strict=True)
        ]
    )
    table: Table = {"time (s)": result.dataset["time"].values} | {f"head {'xyz'[k]} (m)": track[:, k] for k in range(3)}
    for axes, plane, snaps, name in zip(panels, planes, drawn, ("from above", "from the side"), strict=True):
        body_outline.draw_track(axes, result.dataset, plane, track[:, plane], snaps, table)
        axes.set_title(name)
    return sheet, table
