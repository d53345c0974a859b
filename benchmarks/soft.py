"""Soft bodies in motion: one evaluation, growth with the cells, a swimming spine, PyElastica's swinging rod, and bodies
on the ground: crawling rods, their growth with the cells, PyElastica's snake.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

import limbless as ll
from benchmarks.rods import PEERS
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


class Touching:
    """Blocks of steps of a body that crawls, from where it is after some of them."""

    def __init__(self, scenario: ll.Scenario, steps: int = 250) -> None:
        self.scenario, self.steps = scenario, steps
        self.model: Any = scenario.assemble()
        self.gait = scenario.gait
        self.state = self.model.initial_state(scenario.initial, self.gait)
        self.run()
        self.state = self.after

    def run(self) -> None:
        """A block."""
        knots = self.state.time + self.scenario.step * np.arange(self.steps + 1)
        middles = np.linspace(knots[0], knots[-1], 2 * self.steps + 1)
        record = np.zeros(len(knots), dtype=bool)
        self.after, _, status = self.model.advance(self.state, knots, record, self.model.drive(self.gait, middles))
        if status.failure:
            raise RuntimeError(status.failure)


def crawler(cells: int, degree: int = 0, **model: Any) -> ll.Scenario:
    """A rod of pitch and yaw on the ground, bent by muscles; a sphere per cell, and two at its ends."""
    body = ll.Rod(length=0.35, half_width=0.00385, youngs_modulus=1e6, strains="universal", passive={})
    gait = ll.MuscleWave(couple=3e-3, wavelength=0.35, period=2.0, ramp=0.2)
    ground = [ll.Gravity(), ll.Ground(forward=0.09, backward=0.13, lateral=0.18)]
    settings = ll.SoftSettings(**{"cells": cells, "degree": degree, "stations": 1, "theta": 0.5, **model})
    lie = Initial(posture={"kind": "lay"})
    own: dict[str, Any] = {"robot": body, "gait": gait, "environment": ground, "model": settings, "initial": lie}
    return ll.Scenario(name="crawls", step=1e-3, duration=1.0, **own)


def touching_rows(chunks: int = 10, cells: tuple[int, ...] = (10, 20, 45, 90, 180)) -> list[Row]:
    """Steps of crawling rods, beside a rigid chain with as many freedoms, and their growth with the cells."""
    runs = {count: Touching(crawler(count)) for count in cells}
    rigid = crawler(20)
    wave = ll.JointWave(yaw_amplitude=0.3, yaw_rate=np.pi, yaw_phase=-0.3, ramp=0.2)
    links = rigid.changed(
        robot=rigid.robot.as_chain(21), gait=wave, model=ll.NonSmoothSettings(), actuation={"kind": "motion"}
    )
    chain = Touching(links)
    best = race({**{str(n): each(one.run) for n, one in runs.items()}, "chain": each(chain.run)}, chunks, 0.02)
    each_step = {name: took / chain.steps for name, took in best.items()}
    took = [each_step[str(count)] for count in cells]
    slope = float(np.polyfit(np.log(cells), np.log(took), 1)[0])
    found = [
        Row(
            f"a crawling rod, {count} cells of 2 freedoms, {count + 2} spheres, 1 ms: a step",
            microseconds(each_step[str(count)]),
            "",
            each_step[str(count)] * 1e6,
            microseconds(each_step[str(count)]),
            target,
            "at most",
            " µs",
        )
        for count, target in ((20, 45.0), (45, 100.0))
    ]
    ratio = each_step["20"] / each_step["chain"]
    table = ", ".join(f"{count}: {microseconds(one)}" for count, one in zip(cells, took, strict=True))
    return [
        *found,
        Row(
            "the same, 20 cells, over a step of 21 rigid links with 40 joints given (`non-smooth`)",
            f"{ratio:.1f}",
            microseconds(each_step["chain"]),
            ratio,
            f"{ratio:.1f}",
            4.0,
            "at most",
        ),
        Row(
            f"a step of crawling rods with {table} (cells): slope",
            f"{slope:.2f}",
            "",
            slope,
            f"{slope:.2f}",
            1.1,
            "at most",
        ),
    ]


def crawling_rows(chunks: int = 5) -> list[Row]:
    """`snake-soft` beside PyElastica's program: stepping of a period of 2 s."""
    sys.path.insert(0, str(PEERS))
    try:
        peer = importlib.import_module("elastica_snake")
    except ImportError:
        return [Row("PyElastica's crawling snake (not measured: PyElastica is not installed)", "")]
    finally:
        sys.path.remove(str(PEERS))
    ours, theirs, some = Touching(ll.Scenario.load("snake-soft")), peer.Snake(50, plane=True), 200
    best = race({"soft": each(ours.run), "peer": each(partial(theirs.advance, some))}, chunks, 0.02)
    period = best["soft"] / (ours.steps * ours.scenario.step) * peer.PERIOD
    other = best["peer"] / (some * peer.STEP) * peer.PERIOD
    return [
        Row(
            "`snake-soft`, 10 cells of degree 1, 32 spheres, 2 ms (speed 2 % below its limit): stepping of a period",
            f"{period * 1e3:.0f} ms",
            f"PyElastica, 50 elements, 100 µs, its largest stable step (1 % below): {other * 1e3:.0f} ms",
            other / period,
            f"{other / period:.0f}",
            20.0,
            reason="A step takes 2.1 passes and 2.9 iterations over the cells; what tells most beside them is that "
            "tables travel by value between kernels.",
        )
    ]


def rows() -> list[Row]:
    parts: tuple[Callable[[], list[Row]], ...] = (
        evaluation_rows,
        swimmer_rows,
        neck_rows,
        swing_rows,
        touching_rows,
        crawling_rows,
    )
    return [row for part in parts for row in part()]
