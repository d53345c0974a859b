"""Soft bodies in motion: one evaluation, growth with the cells, a swimming spine, and PyElastica's swinging rod."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import limbless as ll
from benchmarks.table import Row, microseconds
from benchmarks.timing import each, race
from limbless.core.timeline import knots_between
from limbless.mechanics.compiled.packed import pack
from limbless.mechanics.integrate import dirk, runge_kutta
from limbless.scenarios.scenario import Initial
from validation.swinging import DOWN, Elastica, apart, soft_rod

GRADED, FINER = (0.09, 0.25), (0.07, 0.18, 0.32)
"""m: where cells end; the rod bends most at its clamp."""
SWINGS = (
    (40, 2.5e-4, GRADED, 0.0125, 40.0),
    (80, 1.6e-4, GRADED, 0.0125, 60.0),
    (160, 8e-5, GRADED, 0.0125, 150.0),
    (320, 4e-5, FINER, 0.01, 250.0),
)
"""Elements of PyElastica with their largest stable step (s), ends of our cells and step (s), and the ratio wanted."""
CELLS = (16, 32, 64, 128, 256)


class Stepping:
    """The steps of a run and nothing else: tables, drive and memory are made before."""

    def __init__(self, model: ll.Soft, gait: Any, initial: Any, duration: float, step: float) -> None:
        breaks = [*gait.breakpoints(0.0, duration), *model.breakpoints(gait, 0.0, duration)]
        self.knots = knots_between(0.0, duration, step, breaks)
        self.start = model.initial_state(initial, gait).x
        self.record = np.zeros(len(self.knots), dtype=bool)
        self.record[-1] = True
        middles = np.empty(2 * len(self.knots) - 1)
        middles[::2], middles[1::2] = self.knots, 0.5 * (self.knots[1:] + self.knots[:-1])
        self.problem = model.problem(model.drive(gait, middles), 1, None, None)
        self.packed, self.steps = pack(self.problem), model.steps

    def run(self) -> np.ndarray:
        """The last state."""
        x = self.start.copy()
        if self.steps is None:
            failed, _ = runge_kutta.advance(self.packed, self.knots, self.record, x)
        else:
            parts = (self.problem, self.steps.method, self.steps.scratch(), self.knots, self.record, x)
            failed, _ = dirk.advance_part(pack(parts), 0, len(self.knots) - 1, 0)
        if failed:
            raise RuntimeError(f"the run to {self.knots[-1]:g} s failed")
        return x


def tips(
    robot: Any,
    gait: Any,
    environment: Any,
    settings: ll.SoftSettings,
    step: float,
    times: Sequence[float],
    **options: Any,
) -> np.ndarray:
    """(times, 3) where the tip is; times are evenly spaced."""
    data = ll.simulate(
        robot, gait, environment, model=settings, duration=times[-1], step=step, record_every=times[0], **options
    ).dataset
    return np.asarray(data["tip_position"].values[1:])


def swing_rows(chunks: int = 5) -> list[Row]:
    """The rod beside PyElastica, at four accuracies: root mean square of the distances of the tip every 0.1 s, over
    1 s, from 12 cells of degree 2.
    """
    times, still = np.arange(1, 11) * 0.1, ll.Still()
    truth = tips(soft_rod(), still, DOWN, ll.SoftSettings(cells=12, degree=2), 0.001, times)[:, :2]
    rows = []
    for elements, peer_step, breaks, step, target in SWINGS:
        settings = ll.SoftSettings(cells=1, breaks=breaks, integrator="midpoint", tolerance=1e-4)
        ours = apart(tips(soft_rod(), still, DOWN, settings, step, times)[:, :2], truth)
        stepping = Stepping(ll.Soft(soft_rod(), DOWN, settings=settings), still, Initial(), 1.0, step)
        try:
            peer = Elastica(elements, peer_step)
        except ImportError:
            return [Row("PyElastica's swinging rod (not measured: PyElastica is not installed)", "")]
        theirs = apart(np.array([peer.advance(round(0.1 / peer_step)) for _ in times]), truth)
        some = max(1, round(0.02 / peer_step))
        best = race({"soft": each(stepping.run), "peer": each(partial(peer.advance, some))}, chunks, 0.02)
        other = best["peer"] * round(1.0 / peer_step) / some
        rows.append(
            Row(
                f"swinging rod, 1 s, {len(breaks) + 1} graded cells of degree 1, midpoint {step * 1e3:g} ms, "
                f"tolerance 1e-4 (rms {ours * 1e3:.1f} mm): stepping",
                f"{best['soft'] * 1e3:.2f} ms",
                f"PyElastica, {elements} elements, {peer_step * 1e6:g} µs, its largest stable step (rms "
                f"{theirs * 1e3:.1f} mm): {other * 1e3:.0f} ms",
                other / best["soft"],
                f"{other / best['soft']:.0f}",
                target,
            )
        )
    return rows


def swimmer_rows(chunks: int = 5, duration: float = 2.0) -> list[Row]:
    """`spine-45-swim`: what 1e-6 m and 1e-4 m cost, errors of the tip after `duration` from rk4 of 1 ms."""
    scenario = ll.Scenario.load("spine-45-swim")
    body = scenario.robot, scenario.gait, scenario.environment
    times = np.array([duration])
    truth = tips(*body, ll.SoftSettings(integrator="rk4"), 0.001, times)
    rows = []
    for step, accuracy, target in ((0.02, 1e-6, 20.0), (0.1, 1e-4, 80.0)):
        error = float(np.linalg.norm(tips(*body, ll.SoftSettings(), step, times) - truth))
        stepping = Stepping(ll.Soft(body[0], body[2]), body[1], scenario.initial, duration, step)
        best = race({"soft": each(stepping.run)}, chunks, 0.05)["soft"]
        rows.append(
            Row(
                f"`spine-45-swim`, sdirk4, {step * 1e3:g} ms, for {accuracy:g} m (error {error:.1e} m in "
                f"{duration:g} s): stepping, times real time",
                f"{duration / best:.0f} x",
                "real time",
                duration / best if error <= accuracy else 0.0,
                f"{duration / best:.0f}",
                target,
            )
        )
    return rows


def evaluation_time(robot: Any, gait: Any, environment: Any, chunks: int, **settings: Any) -> float:
    """CPU time (s) of one evaluation: a quarter of a Runge-Kutta step."""
    model = ll.Soft(robot, environment, settings=ll.SoftSettings(integrator="rk4", **settings))
    stepping = Stepping(model, gait, Initial(), 2e-6, 1e-8)  # no body is too stiff for such steps
    return race({"rate": each(stepping.run)}, chunks, 0.01)["rate"] / (4 * (len(stepping.knots) - 1) + 1)


def evaluation_rows(chunks: int = 20, cells: tuple[int, ...] = CELLS) -> list[Row]:
    """One evaluation of the swimmer, and of rods of more and more cells."""
    scenario = ll.Scenario.load("spine-45-swim")
    spine = evaluation_time(scenario.robot, scenario.gait, scenario.environment, chunks, stations=2)
    rod = ll.Rod(base="free", length=1.0, half_width=0.02, stiffness=0.5, passive={})
    took = [evaluation_time(rod, ll.Still(), DOWN, chunks, cells=count) for count in cells]
    slope = float(np.polyfit(np.log(cells), np.log(took), 1)[0])
    table = ", ".join(f"{count}: {microseconds(time)}" for count, time in zip(cells, took, strict=True))
    return [
        Row(
            "45 vertebrae in water, 10 tendons, 2 stations: one evaluation",
            microseconds(spine),
            "",
            spine * 1e6,
            microseconds(spine),
            20.0,
            "at most",
            " µs",
        ),
        Row(
            f"one evaluation of a free rod with {table} (cells of degree 1): slope",
            f"{slope:.2f}",
            "",
            slope,
            f"{slope:.2f}",
            1.1,
            "at most",
        ),
    ]


def neck_rows(chunks: int = 10) -> list[Row]:
    """`neck-swing-air` with longer steps; the error of the tip, over 2 s, from steps of 1 ms."""
    scenario, step = ll.Scenario.load("neck-swing-air"), 0.02
    body, times = (scenario.robot, scenario.gait, scenario.environment), np.arange(1, 21) * 0.1
    placed = {"initial": scenario.initial}
    truth = tips(*body, ll.SoftSettings(), 0.001, times, **placed)
    error = float(np.linalg.norm(tips(*body, ll.SoftSettings(), step, times, **placed) - truth, axis=1).max())
    stepping = Stepping(ll.Soft(body[0], body[2]), body[1], scenario.initial, 2.0, step)
    best = race({"soft": each(stepping.run)}, chunks, 0.02)["soft"]
    return [
        Row(
            f"`neck-swing-air`, sdirk4, {step * 1e3:g} ms (error {error:.1e} m): stepping, times real time",
            f"{2.0 / best:.0f} x",
            "real time",
            2.0 / best,
            f"{2.0 / best:.0f}",
            150.0,
        )
    ]


def rows() -> list[Row]:
    parts: tuple[Callable[[], list[Row]], ...] = (evaluation_rows, swimmer_rows, neck_rows, swing_rows)
    return [row for part in parts for row in part()]
