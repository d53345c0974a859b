"""The figures of Wang, Ma, Li and Wang (paper 003): 4 (track, manipulation), 5 and 6 (torques), beside Newton-Euler;
its extensions.

The Newton-Euler results are computed from the recorded motion and the recorded friction, instant by instant. Forces of
set-valued wheels are means over a step, so that there the two differ by the order of the step; with `law: regularised`
by rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from limbless.core import InputError
from limbless.view.figures import body_outline, style
from limbless.view.figures.figure_registry import Drawing, Table, figure

if TYPE_CHECKING:
    from limbless.simulation.result import Result

_MOTION = (
    "joint_position",
    "joint_velocity",
    "joint_torque",
    "base_twist",
    "base_position",
    "base_orientation",
)


class _Rubbing:
    """The recorded friction as a force law: the wheel nearest to the slice that asks."""

    def __init__(self, result: Result) -> None:
        data = result.dataset
        self.force, self.place = data["contact_force"].values, data["contact_position"].values
        self.length, self.record = float(data["section_length"].values[0]), 0

    def __call__(
        self, time: float, position: np.ndarray, axes: np.ndarray, velocity: np.ndarray, rate: np.ndarray
    ) -> np.ndarray:
        gaps = np.linalg.norm(self.place[self.record] - position, axis=1)
        near = int(np.argmin(gaps))
        if gaps[near] > 0.25 * self.length:
            return np.zeros(3)
        return np.asarray(axes @ self.force[self.record, near] / self.length)


def newton_euler_torques(result: Result) -> np.ndarray:
    """Joint torques (time, joint) of the Newton-Euler model at the recorded motion, under the same forces, N m."""
    from limbless.environments.user_law import ForceLaw
    from limbless.models.chain.newton_euler_model import NewtonEuler

    scenario, data = result.scenario, result.dataset
    if scenario is None:
        raise InputError("this figure needs the scenario of the run, to ask the Newton-Euler model")
    laws = [item for item in scenario.environment if item.role == "wrench"]
    rubbing = _Rubbing(result) if "contact_force" in data else None
    if rubbing is not None:
        laws.append(ForceLaw(law=rubbing, points=1))
    robot = scenario.robot.build()
    clamped = any(item.role == "clamp" for item in scenario.environment)
    model = NewtonEuler(robot.changed(base="fixed") if clamped else robot, laws)
    found = np.zeros_like(data["joint_torque"].values)
    values = {name: data[name].values for name in _MOTION}
    if "joint_acceleration" in data:
        acceleration = data["joint_acceleration"].values
    else:  # steps with impulses have none; between records those of the motion that was given
        acceleration = np.gradient(values["joint_velocity"], data["time"].values, axis=0)
    for record in range(len(found)):
        if rubbing is not None:
            rubbing.record = record
        found[record] = model.inverse(
            values["joint_position"][record],
            values["joint_velocity"][record],
            acceleration[record],
            0.0 * values["base_twist"][record] if clamped else values["base_twist"][record],
            base_position=values["base_position"][record],
            base_orientation=values["base_orientation"][record],
            time=float(data["time"].values[record]),
        ).joint_torque
    return found


def newton_euler_track(result: Result) -> np.ndarray:
    """Track of the tail (time, 2) by a run of the Newton-Euler model with the same wheels and steps, m."""
    scenario = result.scenario
    if scenario is None or any(item.role not in ("wrench", "friction") for item in scenario.environment):
        raise InputError(
            "this figure runs the Newton-Euler model beside: it needs the scenario of the run, and no clamp in it"
        )
    from limbless.simulation.simulate import run_scenario

    time = result.dataset["time"].values
    same = {"figures": (), "duration": float(time[-1] - time[0])}
    peer = run_scenario(scenario.changed(model={"kind": "newton-euler"}, **same))
    return np.asarray(peer.dataset["base_position"].values[: len(time), :2])


def newton_euler_head(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Times and trajectory of the head (time, 2), m, by the Newton-Euler model of an arm, driven by the *torques* of
    this run.

    Were its joints given, every model would repeat the trajectory. Here torques alone are handed over, those of every
    step, for one period of the gait (errors of dry friction grow later, as nothing corrects them), and the equations of
    the other model find the motion.
    """
    from limbless.control.gaits.user_gait import FunctionGait
    from limbless.simulation.simulate import run_scenario, simulate

    scenario = result.scenario
    clamps = [] if scenario is None else [item for item in scenario.environment if item.role == "clamp"]
    if scenario is None or [(item.module, item.active) for item in clamps] != [(0, None)]:  # type: ignore[attr-defined]
        raise InputError(
            "this figure runs the Newton-Euler model beside: it needs the scenario of the run, "
            "with the tail clamped all the time"
        )
    rest, step = tuple(item for item in scenario.environment if item.role != "clamp"), scenario.step
    time = result.dataset["time"].values
    steps = round(min(float(time[-1] - time[0]), result.period or np.inf) / step)
    fine = run_scenario(scenario.changed(record_every=step, figures=(), duration=steps * step)).dataset
    # torques of a step then are its means
    jumps = any(getattr(item, "law", None) == "set-valued" for item in rest)
    table, knots = fine["joint_torque"].values, fine["time"].values

    def torque(times: np.ndarray, stations: np.ndarray) -> np.ndarray:
        if jumps:
            return np.asarray(table[np.clip(np.floor(times / step + 1e-6).astype(int), 0, steps - 1)])
        return np.stack([np.interp(times, knots, column) for column in table.T], axis=1)

    initial = {name: tuple(fine[name].values[0]) for name in ("joint_position", "joint_velocity")}
    arm, gait = scenario.robot.build().changed(base="fixed"), FunctionGait(function=torque, drives="torque")
    peer = simulate(
        arm, gait, rest, model="newton-euler", actuation="torque", duration=steps * step, step=step, initial=initial
    ).dataset
    return peer["time"].values, peer["head_position"].values[:, :2]


@figure(
    "wang-fig04-track",
    "Fig. 4a: track of the tail, at true scale with the body at the end, and its last part enlarged",
    scenarios=("wheeled-snake-crawl",),
    needs=("base_position", *body_outline.BODY),
)
def track(result: Result) -> Drawing:
    data, plane = result.dataset, (0, 1)
    tail, shape = data["base_position"].values[:, plane], body_outline.outline(data, -1, plane)
    sheet, (true, close) = style.panels([body_outline.panel_height([tail, shape]), 34.0])
    body_outline.draw_body(true, shape, style.BLUE)
    peer = newton_euler_track(result)
    for axes in (true, close):
        axes.plot(tail[:, 0], tail[:, 1], color=style.RED, linewidth=0.8, label="geometric")
        axes.plot(peer[:, 0], peer[:, 1], color=style.BLACK, linewidth=0.7, linestyle=(0, (1, 2)), label="Newton-Euler")
    body_outline.true_scale(true, [tail, shape], plane)
    true.set_title(f"tail; body at {data['time'].values[-1]:g} s; difference {np.abs(peer - tail).max():.1e} m")
    shown = (tail[:, 0] >= 0.60) & (tail[:, 0] <= 0.65)
    if shown.sum() < 2:
        shown = np.arange(len(tail)) >= 0.75 * len(tail)
    low, high = tail[shown].min(axis=0), tail[shown].max(axis=0)
    margin = 0.1 * (high[1] - low[1]) + 1e-6
    close.set(xlabel="x (m)", ylabel="y (m)", xlim=(low[0], high[0]), ylim=(low[1] - margin, high[1] + margin))
    style.legend_above(close)
    return sheet, {
        "time (s)": data["time"].values,
        "tail x (m)": tail[:, 0],
        "tail y (m)": tail[:, 1],
        "Newton-Euler tail x (m)": peer[:, 0],
        "Newton-Euler tail y (m)": peer[:, 1],
    }


@figure(
    "wang-fig04-manipulation",
    "Fig. 4b: the body at ten instants of its last period, tail clamped, and the track of the head",
    scenarios=("wheeled-snake-manipulate",),
    needs=("head_position", *body_outline.BODY),
)
def manipulation(result: Result) -> Drawing:
    head, time = result.dataset["head_position"].values[:, :2], result.dataset["time"].values
    times, peer = newton_euler_head(result)
    both = time <= times[-1] + 1e-9
    apart = np.abs(np.stack([np.interp(time[both], times, peer[:, k]) for k in range(2)], axis=1) - head[both]).max()
    start = max(0, int(np.searchsorted(time, time[-1] - 0.9 * (result.period or np.inf) - 1e-9)))
    sheet, table = _configurations(result, "", 0.0, first=start)
    (axes,) = sheet.axes
    axes.lines[-1].set_label("head, geometric")
    axes.plot(
        peer[:, 0],
        peer[:, 1],
        color=style.BLACK,
        linewidth=0.7,
        linestyle=(0, (1, 2)),
        zorder=5,
        label=f"Newton-Euler, by the same torques; {apart:.1e} m away in a period",
    )
    style.legend_above(axes, 1)
    return sheet, {
        **table,
        "Newton-Euler time (s)": times,
        "Newton-Euler head x (m)": peer[:, 0],
        "Newton-Euler head y (m)": peer[:, 1],
    }


@figure(
    "wang-reach",
    "Crawl, clamp, reach: the body at ten instants, and the tracks of tail and head",
    scenarios=("wheeled-snake-crawl-then-reach", "wheeled-snake-switch"),
    needs=("head_position", *body_outline.BODY),
)
def reach(result: Result) -> Drawing:
    return _configurations(result, "tracks of the tail (black) and the head (red)", 1.0)


@figure(
    "wang-raised",
    "The raised front from the side: the body at ten instants and the track of the head",
    scenarios=("wheeled-snake-3d", "wheeled-snake-float"),
    needs=("head_position", *body_outline.BODY),
)
def raised(result: Result) -> Drawing:
    return _configurations(result, "from the side", 0.0, (0, 2))


def _configurations(
    result: Result, title: str, with_tail: float, plane: body_outline.Plane = (0, 1), first: int = 0
) -> Drawing:
    """The body at ten instants from a record on, darker with time, and the tracks of its ends."""
    data = result.dataset
    time = data["time"].values
    head, tail = data["head_position"].values[:, plane], data["base_position"].values[:, plane]
    records = np.unique(np.linspace(first, len(time) - 1, 10).round().astype(int))
    shapes = [body_outline.outline(data, int(record), plane) for record in records]
    sheet, (axes,) = style.panels([body_outline.panel_height([head, tail, *shapes])], top=10.0)
    table: Table = {"time (s)": time, "head, right (m)": head[:, 0], "head, up (m)": head[:, 1]}
    for shape, record in zip(shapes, records, strict=True):
        body_outline.draw_body(axes, shape, style.BLUE, 0.12 + 0.3 * (record - first) / max(1, records[-1] - first))
        table |= {f"outline at {time[record]:g} s, {'xyz'[plane[k]]} (m)": shape[:, k] for k in range(2)}
    axes.plot(head[:, 0], head[:, 1], color=style.RED, linewidth=0.8, zorder=4)
    if with_tail:
        axes.plot(tail[:, 0], tail[:, 1], color=style.BLACK, linewidth=0.8, zorder=4)
    body_outline.true_scale(axes, [head, tail, *shapes], plane)
    axes.set_title(title)
    return sheet, table


@figure(
    "wang-fig05-locomotion-torques",
    "Fig. 5: torques of crawling, with those of the Newton-Euler model on top",
    scenarios=("wheeled-snake-crawl",),
    needs=_MOTION,
)
def locomotion_torques(result: Result) -> Drawing:
    return _torques(result, (11.75, 12.75))


@figure(
    "wang-fig06-manipulation-torques",
    "Fig. 6: torques with the tail clamped, with those of the Newton-Euler model on top",
    scenarios=("wheeled-snake-manipulate",),
    needs=_MOTION,
)
def manipulation_torques(result: Result) -> Drawing:
    return _torques(result, (13.0, 14.0))


def _torques(result: Result, window: tuple[float, float]) -> Drawing:
    """All joint torques, tail first, with the paper's window shaded; joints are numbered from 4 as there."""
    data = result.dataset
    time, torque, peer = data["time"].values, data["joint_torque"].values, newton_euler_torques(result)
    count = torque.shape[1]
    sheet, panels = style.panels([20.0] * count, share_time=True, top=11.0)
    table: Table = {"time (s)": time}
    for joint, axes in enumerate(panels):
        axes.plot(time, torque[:, joint], color=style.BLUE, linewidth=1.4, label="geometric" if joint == 0 else None)
        axes.plot(
            time,
            peer[:, joint],
            color=style.ORANGE,
            linewidth=0.7,
            linestyle=(0, (3, 3)),
            label="Newton-Euler" if joint == 0 else None,
        )
        axes.axvspan(*window, color=style.GREY, alpha=0.15, linewidth=0.0)
        axes.set_ylabel(f"$\\tau_{{{joint + 4}}}$ (N m)")
        table[f"torque of joint {joint + 4} (N m)"] = torque[:, joint]
        table[f"Newton-Euler torque of joint {joint + 4} (N m)"] = peer[:, joint]
    panels[-1].set(xlabel="time (s)", xlim=(time[0], time[-1]))
    style.legend_above(panels[0])
    middle = slice(1, -1) if len(time) > 3 else slice(None)
    difference = float(np.abs(torque - peer)[middle].mean() / max(float(np.abs(torque)[middle].mean()), 1e-12))
    panels[0].annotate(
        f"mean difference {100.0 * difference:.2g} %",
        (0.0, 1.0),
        xycoords="axes fraction",
        xytext=(0.0, 3.0),
        textcoords="offset points",
        fontsize=6.0,
    )
    return sheet, table
