"""Whole runs: the swimming eel at a small step, and the error of a run against what it costs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

import limbless as ll
from benchmarks.table import Row, Section
from benchmarks.timing import rounds
from limbless.simulation.simulate import run_scenario

# s: a whole number of them in a second
STEPS = (0.2, 0.1, 0.05, 0.04, 0.03125, 0.025, 0.02, 0.01, 0.005, 0.002, 0.001)
ACCURACY = 1e-6  # m
SHOWN = 10.0  # s: when positions are compared


def loop_factor(scenario: ll.Scenario, repeats: int) -> float:
    """Simulated time per CPU time of the time loop: gait sampling, stepping, checks and recording, block after block.

    What happens once is left out: loading, packing, making the result. Largest of `repeats` runs.
    """
    best = 0.0
    for _ in range(rounds(repeats)):
        marks: list[tuple[float, float]] = []
        run_scenario(scenario, progress=lambda done, now, factor: marks.append((now, time.thread_time())))
        (first, start), (last, end) = marks[0], marks[-1]
        best = max(best, (last - first) / (end - start))
    return best


def whole_factor(name: str, changes: dict[str, float], repeats: int) -> float:
    """Simulated time per CPU time of all that `ll.run` does, from a name to a result. Largest of `repeats` runs."""
    best = 0.0
    for _ in range(rounds(repeats)):
        start = time.thread_time()
        ll.run(name, changes)
        best = max(best, changes["duration"] / (time.thread_time() - start))
    return best


def real_time_rows(duration: float = 10.0, repeats: int = 5) -> list[Row]:
    """`eel-planar` with Runge-Kutta steps of 1 ms and 5 Gauss points per link, recorded every
    20 ms as the scenario says.
    """
    changes = {"step": 0.001, "environment.0.points": 5, "duration": duration}
    factor = loop_factor(ll.Scenario.load("eel-planar", changes), repeats)
    whole = whole_factor("eel-planar", changes, repeats)
    usual = whole_factor("eel-planar", {"duration": 3.0 * duration}, repeats)
    return [
        Row(
            "`eel-planar`, RK4, 1 ms, 5 Gauss points: time loop, times real time",
            f"{factor:.0f} x",
            "real time",
            factor,
            f"{factor:.0f}",
            target=100,
            reason="The compiled step takes nearly all of it. Other than the prototype that reached 108, "
            "each evaluation also "
            "finds the torque and work of every joint, momentum and impulse for the balances, and takes any joint.",
        ),
        Row(f"the same, all of `ll.run` for {duration:g} s", f"{whole:.0f} x", "real time", whole, f"{whole:.0f}"),
        Row(
            f"`eel-planar` as it stands (10 ms, 4 points), all of `ll.run` for {3.0 * duration:g} s",
            f"{usual:.0f} x",
            "real time",
            usual,
            f"{usual:.0f}",
        ),
    ]


class Curve(NamedTuple):
    """Error (m) after `SHOWN` seconds and real-time factor of the time loop, at each step."""

    scenario: str
    steps: tuple[float, ...]
    errors: tuple[float, ...]
    factors: tuple[float, ...]

    def largest_accurate_step(self) -> tuple[float, float] | None:
        """The largest step that keeps `ACCURACY`, and its real-time factor."""
        kept = [
            (step, factor)
            for step, error, factor in zip(self.steps, self.errors, self.factors, strict=True)
            if error <= ACCURACY
        ]
        return max(kept) if kept else None


def head_after(name: str, step: float, shown: float) -> np.ndarray:
    """Position of the base, m."""
    result = ll.run(name, {"step": step, "record_every": shown, "duration": shown})
    return np.asarray(result.dataset["base_position"].values[-1])


def curve(
    name: str, steps: tuple[float, ...] = STEPS, shown: float = SHOWN, repeats: int = 5, blocks: int = 10
) -> Curve:
    """Work and precision of a scenario, against a run at a quarter of the smallest step."""
    reference = head_after(name, min(steps) / 4.0, shown)
    errors, factors = [], []
    for step in steps:
        try:
            errors.append(float(np.linalg.norm(head_after(name, step, shown) - reference)))
        except ll.SimulationError:  # too large a step: no error to speak of
            errors.append(float("inf"))
            factors.append(float("nan"))
            continue
        duration = max(1.0, round(256 * blocks * step))
        factors.append(
            loop_factor(ll.Scenario.load(name, {"step": step, "record_every": 1.0, "duration": duration}), repeats)
        )
    return Curve(name, steps, tuple(errors), tuple(factors))


def precision_rows(curves: list[Curve]) -> list[Row]:
    """The largest step that keeps the accuracy, and how fast the run is then; the target is that of the planar eel."""
    rows = []
    for found in curves:
        kept = found.largest_accurate_step()
        ours = f"step {kept[0]:g} s, {kept[1]:.0f} x" if kept else "no step does"
        rows.append(
            Row(
                f"`{found.scenario}` at the largest step that keeps 1e-6 m over {SHOWN:g} s: time loop, "
                f"times real time",
                ours,
                "real time",
                kept[1] if kept else 0.0,
                f"{kept[1]:.0f}" if kept else "0",
                target=1500 if found.scenario == "eel-planar" else None,
            )
        )
    return rows


TEXT = """### Work and precision

Error of the head's position after {shown:g} s, against a run at a quarter of the smallest step, and speed of the
time loop with a record
every second. The steps are of fourth order, down to errors of about 1e-10 m.

![error against real-time factor]({figure})

{curves}"""
FIGURE = "images/work-precision.png"


def section() -> Section:
    """Runs at given steps, and the curve of error against cost."""
    curves = [curve(name) for name in ("eel-planar", "eel-loop")]
    return Section(
        real_time_rows() + precision_rows(curves),
        TEXT.format(shown=SHOWN, figure=FIGURE, curves=curve_table(curves)),
        {FIGURE: lambda path: draw(curves, path)},
    )


def curve_table(curves: list[Curve]) -> str:
    """Errors and real-time factors at every step, as Markdown."""
    head = "| step, s | " + " | ".join(f"{found.scenario}: error, m | times real time" for found in curves) + " |"
    lines = [head, "|" + "---|" * (1 + 2 * len(curves))]
    for i, step in enumerate(curves[0].steps):
        cells = [f"{found.errors[i]:.1e} | {found.factors[i]:.0f}" for found in curves]
        lines.append(f"| {step:g} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def draw(curves: list[Curve], path: Path) -> None:
    """Error against real-time factor, one line per scenario."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2), layout="constrained")
    axes = figure.subplots()
    for found in curves:
        axes.loglog(found.factors, found.errors, "o-", label=found.scenario)
    for step, error, factor in zip(curves[0].steps, curves[0].errors, curves[0].factors, strict=True):
        if np.isfinite(error):
            axes.annotate(f"{step * 1e3:g}", (factor, error), textcoords="offset points", xytext=(6, -9), fontsize=7)
    axes.axhline(ACCURACY, color="0.6", linewidth=0.8)
    axes.set_xlabel("times faster than real time (time loop, one core)")
    axes.set_ylabel(f"error of the head's position after {SHOWN:g} s (m)")
    axes.set_title("Work and precision; numbers at the points: step in ms")
    axes.legend()
    axes.grid(True, which="major", linewidth=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)
