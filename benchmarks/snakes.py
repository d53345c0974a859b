"""Snakes on hard ground: three examples beside real time and MuJoCo, and how the cost grows with the links."""

from __future__ import annotations

import sys
from pathlib import Path

import mujoco
import numpy as np

import limbless as ll
from benchmarks.rollouts import loop_factor
from benchmarks.table import Row, microseconds
from benchmarks.timing import race
from limbless.simulation.simulate import stage_times

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "cross"))
from mujoco_snake import ready, references

EXAMPLES = ("snake-undulate-orthotropic", "snake-undulate-isotropic", "snake-sidewind")
STEP = 1 / 4000
SETTINGS: dict[str, tuple[dict[str, float], float]] = {
    "1/4000 s, explicit control": ({}, 40),
    "1/4000 s, nearly rigid (e = 1e-5 1/kg)": ({"model.compliance": 3.26e-6}, 20),
    "1/1000 s, implicit control": ({"model.theta": 1.0, "step": 0.001}, 120),
}


def real_time_rows(duration: float = 15.0, repeats: int = 3) -> list[Row]:
    """The time loop of every example, with every step solved to 1e-8 m/s; the worst
    residual is checked, not assumed.
    """
    rows = []
    for words, (changes, target) in SETTINGS.items():
        for name in EXAMPLES:
            scenario = ll.Scenario.load(name, {"duration": duration, **changes})
            if ll.run(scenario).dataset["contact_residual"].values.max() > 1e-8:
                raise RuntimeError(f"{name}: a step was not solved")
            factor = loop_factor(scenario, repeats)
            rows.append(
                Row(
                    f"`{name}`, {words}: time loop, times real time",
                    f"{factor:.0f} x",
                    "real time",
                    factor,
                    f"{factor:.0f}",
                    target,
                )
            )
    return rows


def block_of(scenario: ll.Scenario, begin: float, steps: int) -> tuple[object, ...]:
    """Model, state at `begin`, and the knots, records and drive of the `steps` steps that follow."""
    model = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
    state = model.initial_state(scenario.initial, scenario.gait)
    for first, count in ((0.0, round(begin / scenario.step)), (begin, steps)):
        knots = first + np.arange(count + 1) * scenario.step
        drive, record = model.drive(scenario.gait, stage_times(knots)), np.zeros(count + 1, dtype=bool)
        if first == 0.0:
            state = model.advance(state, knots, record, drive)[0]
    return model, state, knots, record, drive


def mujoco_rows(begin: float = 5.0, steps: int = 800, chunks: int = 25) -> list[Row]:
    """The same steps of the same motion, ours and MuJoCo's (its own step alone) in turns."""
    rows = []
    for name in EXAMPLES[1:]:  # MuJoCo has no friction that differs along and across a link
        scenario = ll.Scenario.load(name)
        model, state, knots, record, drive = block_of(scenario, begin, steps)
        competitors = {
            "ours": lambda times, a=(state, knots, record, drive), m=model: [m.advance(*a) for _ in range(times)]
        }
        for cone in ("elliptic", "pyramidal"):
            competitors[cone] = _mujoco(scenario, cone, begin, steps)
        best = {key: value / steps for key, value in race(competitors, chunks).items()}
        for cone, target in (("elliptic", 10), ("pyramidal", 6)):
            ratio = best[cone] / best["ours"]
            rows.append(
                Row(
                    f"step of `{name}`, 1/4000 s",
                    microseconds(best["ours"]),
                    f"MuJoCo, {cone} cone: {microseconds(best[cone])}",
                    ratio,
                    f"{ratio:.1f}",
                    target,
                )
            )
    return rows


def _mujoco(scenario: ll.Scenario, cone: str, begin: float, steps: int):
    """f(times): the steps in MuJoCo from the same moment on."""
    model, data = ready(scenario, STEP, cone)
    told = references(scenario, STEP, round(begin / STEP) + steps)
    for row in told[:-steps]:
        data.ctrl[:] = row
        mujoco.mj_step(model, data)
    start = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_INTEGRATION))
    mujoco.mj_getState(model, data, start, mujoco.mjtState.mjSTATE_INTEGRATION)

    def repeat(times: int) -> None:
        for _ in range(times):
            mujoco.mj_setState(model, data, start, mujoco.mjtState.mjSTATE_INTEGRATION)
            for row in told[-steps:]:
                data.ctrl[:] = row
                mujoco.mj_step(model, data)

    return repeat


def growth_row(counts: tuple[int, ...] = (11, 22, 44, 88, 200), steps: int = 400, chunks: int = 8) -> Row:
    """Exponent of the time of a step over the number of links, undulating with isotropic friction."""
    competitors = {}
    for links in counts:
        scenario = ll.Scenario.load(EXAMPLES[1], {"robot.links": links})
        model, *arguments = block_of(scenario, 0.5, steps)
        competitors[str(links)] = lambda times, a=tuple(arguments), m=model: [m.advance(*a) for _ in range(times)]
    best = race(competitors, chunks)
    slope = float(np.polyfit(np.log(counts), np.log([best[str(links)] for links in counts]), 1)[0])
    shown = ", ".join(f"{links}: {microseconds(best[str(links)] / steps)}" for links in counts)
    return Row(
        f"time of a step, {counts[0]} to {counts[-1]} links",
        shown,
        "links to the power",
        slope,
        f"{slope:.2f}",
        1.1,
        "at most",
    )


def rows() -> list[Row]:
    """All of them."""
    return [*real_time_rows(), *mujoco_rows(), growth_row()]
