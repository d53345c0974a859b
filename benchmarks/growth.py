"""Growth: the cost as there is more to do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import limbless as ll
from benchmarks import statics
from benchmarks.dynamics import Evaluation
from benchmarks.rollouts import loop_factor
from benchmarks.table import Row, Section, microseconds
from benchmarks.timing import each, race
from limbless.models.chain.geometry.geometric_equations import Geometric
from limbless.robots.links import Sphere

FIGURE = "images/growth.png"


class Line(NamedTuple):
    """Times (s) of one piece of work at several sizes."""

    what: str
    counted: str
    counts: Sequence[int]
    times: Sequence[float]
    most: float | None = None

    @property
    def exponent(self) -> float:
        """p of time = a count^p, fitted to all sizes."""
        return float(np.polyfit(np.log(self.counts), np.log(self.times), 1)[0])

    def row(self) -> Row:
        last = np.log(self.times[-1] / self.times[-2]) / np.log(self.counts[-1] / self.counts[-2])
        times = ", ".join(f"{count}: {microseconds(time)}" for count, time in zip(self.counts, self.times, strict=True))
        return Row(
            f"{self.what}, by the number of {self.counted}: exponent (between the last two: {last:.2f})",
            times,
            "",
            self.exponent,
            f"{self.exponent:.2f}",
            self.most,
            "at most",
        )


def joints(inverse: bool, counts: Sequence[int] = (36, 99, 300, 999, 3000), chunks: int = 40) -> Line:
    """A chain of n revolute joints with as many links, inside a compiled loop."""
    best = race(
        {str(n): Evaluation(ll.Chain.uniform(links=n + 1, length=0.05), inverse).in_loop() for n in counts}, chunks
    )
    return Line(
        f"{'inverse' if inverse else 'direct'} dynamics, in a compiled loop",
        "joints",
        counts,
        list(best.values()),
        1.05,
    )


def step_times(scenarios: Sequence[ll.Scenario], repeats: int) -> list[float]:
    """CPU time (s) of one step of the time loop of each."""
    return [scenario.step / loop_factor(scenario, repeats) for scenario in scenarios]


def cells(counts: Sequence[int] = (32, 64, 128, 256), duration: float = 2.0, repeats: int = 5) -> Line:
    """The swimming rod, RK4 at 1 ms."""
    runs = [ll.Scenario.load("rod-swim", {"model.cells": n, "step": 0.001, "duration": duration}) for n in counts]
    return Line("`rod-swim`, one step of the time loop", "cells", counts, step_times(runs, repeats))


def snake_of(links: int, spheres: int, duration: float) -> ll.Scenario:
    """The undulating snake robot of paper 002 with so many links, and so many spheres on each
    between the two at its ends.
    """
    scenario = ll.Scenario.load("snake-undulate-orthotropic", {"robot.links": links, "duration": duration})
    robot = scenario.robot.build()
    bodies = []
    for link in robot.links:
        ends = [np.array(shape.centre) for shape in link.contact_shapes]
        centres = ends[0] + np.linspace(0.0, 1.0, spheres)[:, None] * (ends[1] - ends[0])
        bodies.append(
            link.changed(
                contact_shapes=tuple(
                    Sphere(centre=tuple(centre), radius=link.contact_shapes[0].radius) for centre in centres.tolist()
                )
            )
        )
    return scenario.model_copy(update={"robot": robot.changed(links=tuple(bodies))})


def links(counts: Sequence[int] = (11, 25, 50, 100, 200), duration: float = 0.5, repeats: int = 3) -> Line:
    """Two spheres on every link, all of them on the ground."""
    times = step_times([snake_of(n, 2, duration) for n in counts], repeats)
    return Line("`snake-undulate-orthotropic`, one step of the time loop", "links", counts, times)


def contacts(spheres: Sequence[int] = (2, 4, 8, 16), duration: float = 0.5, repeats: int = 3) -> Line:
    """Eleven links with more and more spheres along them, all of them on the ground."""
    times = step_times([snake_of(11, n, duration) for n in spheres], repeats)
    return Line("the same with 11 links, one step", "contacts", [11 * n for n in spheres], times)


def freedoms(modules: Sequence[int] = (8, 16, 32, 64), chunks: int = 20) -> Line:
    """The tensor has n³ numbers."""
    models = [Geometric(ll.WangSnake(modules=n)) for n in modules]
    bent = [(model, np.full(model.freedoms, 0.1)) for model in models]
    best = race({str(len(x)): each(lambda model=model, x=x: model.christoffel(x)) for model, x in bent}, chunks)
    return Line(
        "Christoffel tensor, general form",
        "degrees of freedom",
        [model.freedoms for model in models],
        list(best.values()),
    )


def vertebrae(counts: Sequence[int] = (8, 25, 50, 100, 200), chunks: int = 6) -> Line:
    """One load of a spine, from rest."""
    spines = {count: statics.neck(count) for count in counts}
    best = race(
        {str(count): each(lambda spine=spine: spine.solve(statics.TENSION)) for count, spine in spines.items()}, chunks
    )
    return Line("`TendonStatics.solve`", "vertebrae", counts, list(best.values()))


def draw(lines: Sequence[Line], path: Path) -> None:
    """Time against count, both logarithmic."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.8, 5.0), layout="constrained")
    axes = figure.subplots()
    for line in lines:
        name = line.what.replace("`", "")
        axes.loglog(
            line.counts,
            np.array(line.times) * 1e6,
            "o-",
            markersize=3.5,
            label=f"{name}; {line.counted}: {line.exponent:.2f}",
        )
    axes.set_xlabel("number of joints, cells, links, contacts, degrees of freedom or vertebrae")
    axes.set_ylabel("time (µs)")
    axes.set_title("Cost as there is more to do; after the colon: fitted exponent")
    figure.legend(loc="outside lower center", ncols=2, fontsize=6)
    axes.grid(True, which="major", linewidth=0.3)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=130)


def section() -> Section:
    """All lines, and their picture."""
    lines = [joints(False), joints(True), cells(), links(), contacts(), freedoms(), vertebrae()]
    return Section(
        [line.row() for line in lines], f"![time against size]({FIGURE})", {FIGURE: lambda path: draw(lines, path)}
    )
