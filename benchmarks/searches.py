"""Many runs: eight robots at a time, steady gaits, the best gait, rows of a sweep."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
from mujoco import rollout as mujoco_rollout

import limbless as ll
from benchmarks import jax_chain
from benchmarks.peers import mujoco_model
from benchmarks.table import Row
from benchmarks.timing import each, race
from limbless.mechanics.compiled.batching import stack_lanes
from limbless.mechanics.integrate import runge_kutta
from limbless.search.steady_motion.steady import Families
from limbless.search.sweeps.row_store import Store, StoredRow as Stored
from limbless.search.sweeps.run_lanes import BLOCK, ChainLanes, SoftLanes, knots_of
from limbless.search.sweeps.sweep_plan import SweepPlan
from limbless.search.sweeps.worker_rows import Evaluator
from limbless.simulation.simulate import stage_times

EEL = {
    "gait.amplitude": (0.005, 0.3),
    "gait.growth": (0.0, 2.5),
    "gait.wavelength": (0.8, 4.0),
    "gait.period": (0.6, 4.0),
}
STEPS = 200


def _pair(scenario: ll.Scenario, chunks: int) -> tuple[float, float]:
    """Seconds per step and robot: one run by the model's own stepping, and eight in lanes."""
    model = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
    knots, record = np.arange(STEPS + 1) * scenario.step, np.zeros(STEPS + 1, dtype=bool)
    state = model.initial_state(scenario.initial, scenario.gait)

    def alone() -> None:
        times = np.arange(2 * STEPS + 1) * (0.5 * scenario.step)
        model.advance(state, knots, record, model.drive(scenario.gait, times))

    lanes = ChainLanes([scenario] * 8, [model] * 8)
    lanes.go()
    best = race({"alone": each(alone), "lanes": each(lambda: lanes.go(lanes.problem))}, chunks, 5e-2)
    return best["alone"] / STEPS, best["lanes"] / (8 * STEPS)


def lane_rows(chunks: int = 20) -> list[Row]:
    """An eel in water and a torque-driven chain in free space, alone and eight at a time."""
    wet = ll.Scenario.load("eel-planar", {"duration": STEPS * 0.01, "record_every": STEPS * 0.01, "gait.ramp": 0.0})
    one, eight = _pair(wet, chunks)
    rows = [
        Row(
            "eel with drag, RK4: eight in lanes, us per step and robot",
            f"{1e6 * eight:.2f}",
            f"one at a time {1e6 * one:.2f}",
            one / eight,
            target=4,
            reason="One at a time does two products a cycle and eight in lanes do eight, which is four times as "
            "much; one alone also has its laws in bands of eight bodies.",
        )
    ]
    dry, torque_one, torque_eight, states, peer = _dry(chunks)
    rows.append(
        Row(
            "torque-driven chain without drag, RK4: the same",
            f"{1e6 * torque_eight:.2f}",
            f"one at a time {1e6 * torque_one:.2f}",
            torque_one / torque_eight,
            target=5,
            reason="Eight robots share vectors; one alone does too where its laws stand in bands.",
        )
    )
    rows.append(
        Row(
            f"the same chain ({dry} joints), states alone, beside mujoco.rollout with RK4, one thread",
            f"{1e6 * states:.2f}",
            f"{1e6 * peer:.2f}",
            peer / states,
            target=18,
            reason="Bound by the vector unit: this processor does eight numbers in two halves, one product of "
            "eight a cycle, and the recursion from tip to base comes near it (with water 265 "
            "products a link in about 320 cycles, by samples of addresses). MuJoCo's scalar code "
            "does not feel that. No other processor was tried.",
        )
    )
    return [*rows, *jax_rows(states), *soft_lane_rows(chunks)]


def soft_lane_rows(chunks: int = 20) -> list[Row]:
    """Soft bodies, each with a gait of its own: sampled and stepped, and their positive work counted."""
    rows = []
    for name, told, changes, field, values in (
        (
            "spine-45-swim",
            "spines of 45 vertebrae that swim, sdirk4, each with its own period",
            {"duration": 1.0},
            "period",
            np.linspace(1.2, 1.8, 8),
        ),
        (
            "neck-swing-air",
            "necks that swing, sdirk4, each pulled in its own time",
            {"duration": 0.5},
            "ramp",
            np.linspace(0.03, 0.06, 8),
        ),
        (
            "worm-muscles",
            "rods with muscles, sdirk4, each with its own period",
            {"duration": 1.0},
            "period",
            np.linspace(0.8, 1.2, 8),
        ),
    ):
        scenario = ll.Scenario.load(name, {**changes, "record_every": changes["duration"]})
        one, eight = _soft_pair(
            [scenario.model_copy(update={"gait": scenario.gait.changed(**{field: float(value)})}) for value in values],
            chunks,
        )
        rows.append(
            Row(
                f"{told}: eight in lanes, us per step and robot",
                f"{1e6 * eight:.1f}",
                f"one at a time {1e6 * one:.1f}",
                one / eight,
                target=4,
                reason="One alone bends its pieces and pushes its stations eight at a time already; in lanes "
                "all wait for the one whose stages come to rest last.",
            )
        )
    return rows


def _soft_pair(scenarios: list[ll.Scenario], chunks: int) -> tuple[float, float]:
    """`_pair` of soft bodies that differ in their gaits."""
    first = scenarios[0]
    model = first.model.assemble(first.robot.build(), first.environment, first.actuation)
    runs = []
    for scenario in scenarios:
        knots, _ = knots_of(scenario, model)
        runs.append(
            (
                scenario.gait,
                model.initial_state(scenario.initial, scenario.gait),
                knots,
                np.zeros(len(knots), dtype=bool),
                stage_times(knots),
            )
        )

    def alone() -> None:
        for gait, state, knots, record, times in runs:
            model.advance(state, knots, record, model.drive(gait, times))

    lanes = SoftLanes(scenarios, [model] * 8)
    lanes.go()
    best, steps = (
        race({"alone": each(alone), "lanes": each(lambda: lanes.go(lanes.problem))}, chunks, 5e-2),
        sum(len(knots) - 1 for _, _, knots, _, _ in runs),
    )
    return best["alone"] / steps, best["lanes"] / steps


def jax_rows(ours: float) -> list[Row]:
    """The same chain in JAX, `vmap` over robots: as many as ours, and as many as make it fastest."""
    if not jax_chain.INSTALLED:
        return [
            Row(
                "the same in JAX, `vmap` over eight robots",
                f"{1e6 * ours:.2f}",
                "not measured: JAX is not installed (pip install jax)",
            )
        ]
    rows, chain = [], _dry_robot().build()
    torques = _torques(np.arange(2 * STEPS + 1) * (0.5 * DRY_STEP), np.arange(float(chain.freedoms)))
    for robots, target in ((8, 30), (512, None)):
        advance, start = jax_chain.advance(chain, robots, DRY_STEP)
        spent = min(_process_time(lambda: np.asarray(advance(start, torques))) for _ in range(6)) / (robots * STEPS)
        rows.append(
            Row(
                f"the same in JAX, `vmap` over {robots} robots, one thread",
                f"{1e6 * ours:.2f}",
                f"{1e6 * spent:.2f}",
                spent / ours,
                target=target,
            )
        )
    return rows


def _process_time(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def _ready(scenario: ll.Scenario, chunks: int) -> tuple[float, float, float]:
    """`_pair` with all that is given (torques, as `mujoco.rollout` takes its controls) sampled before the clock
    starts; and eight of which nothing but their states is wanted.
    """
    model = scenario.model.assemble(scenario.robot.build(), scenario.environment, scenario.actuation)
    lanes = ChainLanes([scenario] * 8, [model] * 8)
    knots, record = lanes.knots, np.zeros(STEPS + 1, dtype=bool)
    problem, first = lanes.packed(None, 1, knots), lanes.start()
    x, state = first.copy(), model.initial_state(scenario.initial, scenario.gait)
    alone = np.ascontiguousarray(knots[:, 0])
    drive = model.drive(scenario.gait, np.linspace(0.0, alone[-1], 2 * STEPS + 1))

    def eight() -> None:
        x[:] = first
        runge_kutta.advance_lanes(problem, knots, record, x)

    bare = stack_lanes([model.problem(drive, 1, None, None)])

    def states() -> None:
        x[:] = first
        runge_kutta.advance_lanes(bare, knots, record, x)

    best = race(
        {
            "alone": each(lambda: model.advance(state, alone, record, drive)),
            "lanes": each(eight),
            "states": each(states),
        },
        chunks,
        5e-2,
    )
    return best["alone"] / STEPS, best["lanes"] / (8 * STEPS), best["states"] / (8 * STEPS)


DRY_STEP = 0.001


def _dry_robot() -> ll.UniformChain:
    return ll.UniformChain(links=13, rotor_inertia=1e-4)


def _dry(chunks: int) -> tuple[int, float, float, float, float]:
    robot, step = _dry_robot(), DRY_STEP
    gait = ll.FunctionGait(function=_torques, drives="torque", period=1.0)
    scenario = ll.Scenario(
        robot=robot,
        gait=gait,
        actuation={"kind": "torque"},
        duration=STEPS * step,
        step=step,
        record_every=STEPS * step,
    )
    one, eight, states = _ready(scenario, chunks)
    model = mujoco_model(robot.build())
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, step
    data = mujoco.MjData(model)
    state = np.zeros((8, mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)))
    start = np.zeros(state.shape[1])
    mujoco.mj_getState(model, data, start, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    state[:] = start
    with mujoco_rollout.Rollout(nthread=0) as engine:
        best = race({"mujoco": each(lambda: engine.rollout(model, data, state, nstep=STEPS))}, chunks, 5e-2)
    return robot.build().freedoms, one, eight, states, best["mujoco"] / (8 * STEPS)


def _torques(times: np.ndarray, joints: np.ndarray) -> np.ndarray:
    return 1e-3 * np.sin(2.0 * np.pi * times[:, None] + joints)


def overhead_rows(runs: int = 256) -> list[Row]:
    """What a run of a gait sweep costs beyond its steps, in a worker that has begun."""
    changes = {"duration": BLOCK * 0.01, "gait.ramp": 0.0}
    plan = SweepPlan.make(
        "eel-planar",
        {"gait.amplitude": np.linspace(0.02, 0.1, runs)},
        ["mean_speed", "positive_work"],
        {**changes, "record_every": BLOCK * 0.01},
    )
    evaluator = Evaluator(plan)
    evaluator.rows(range(8))
    start = time.thread_time()
    rows = evaluator.rows(range(runs))
    whole = (time.thread_time() - start) / runs
    if any(row.status != "completed" for row in rows):
        raise RuntimeError("a run failed")
    beyond = 1e3 * (whole - _pair(plan.scenario, 5)[1] * BLOCK)
    return [
        Row(
            f"a sweep of {runs} gaits by `mean_speed` and `positive_work`, ms per run beyond its steps",
            f"{beyond:.2f} ms",
            "",
            beyond,
            f"{beyond:.2f} ms",
            target=0.5,
            sense="at most",
            unit=" ms",
            reason="Gaits are checked and stacked eight by eight in Python.",
        )
    ]


def steady_rows(gaits: int = 256) -> list[Row]:
    """Steady gaits of the eel, 50 steps per period, to 1e-6."""
    plan = SweepPlan.make(
        "eel-planar",
        {
            "gait.amplitude": (0.01, 0.1),
            "gait.growth": (0.0, 2.0),
            "gait.wavelength": (0.8, 4.0),
            "gait.period": (0.8, 4.0),
        },
        ["steady.speed", "steady.cost_of_transport"],
        samples={"count": gaits},
    )
    evaluator = Evaluator(plan)
    evaluator.families = Families(50, 1e-6)
    evaluator.rows(range(8))
    start = time.thread_time()
    rows = evaluator.rows(range(gaits))
    minutes = 1e5 * (time.thread_time() - start) / gaits / 60.0
    if any(row.status != "completed" for row in rows):
        raise RuntimeError("a steady gait was not found")
    return [
        Row(
            "1e5 steady gaits of the eel (50 steps, 1e-6), from a part of them",
            f"{minutes:.1f} min",
            "",
            minutes,
            f"{minutes:.1f} min",
            target=5,
            sense="at most",
            unit=" min",
            reason="All eight lanes wait for the slowest of them.",
        )
    ]


def best_rows(repeats: int = 3) -> list[Row]:
    """The fastest eel within its torque limits: four parameters, one start."""

    def find() -> ll.Best:
        return ll.optimise(
            "eel-planar", EEL, maximise="steady.speed", subject_to=["steady.torque_ratio <= 1"], starts=1, certify=False
        )

    if abs(find().value - 0.7311) > 1e-4:
        raise RuntimeError("this is not the best gait")
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        find()
        best = min(best, time.process_time() - start)
    return [
        Row(
            "best eel gait, 4 parameters, torque limits, one start, with the run that confirms it",
            f"{best:.2f} s",
            "",
            best,
            f"{best:.2f} s",
            target=1,
            sense="at most",
            unit=" s",
            reason="The run that confirms the winner, and packing of gaits on either side, are half of it.",
        )
    ]


def store_rows(rows: int = 100_000) -> list[Row]:
    """Rows of a sweep into its file, in chunks of 100."""
    made = [Stored(run, {"a": 1.0 * run, "b": 2.0 * run}, "completed", 0.01) for run in range(rows)]
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        start = time.thread_time()
        for first in range(0, rows, 100):
            store.write(made[first : first + 100])
        spent = (time.thread_time() - start) * 1e5 / rows
    return [
        Row(
            "1e5 rows stored, a commit for every hundred",
            f"{spent:.2f} s",
            "",
            spent,
            f"{spent:.2f} s",
            target=1,
            sense="at most",
            unit=" s",
        )
    ]


def rows() -> list[Row]:
    """All of it."""
    return [*best_rows(), *lane_rows(), *overhead_rows(), *steady_rows(), *store_rows()]
