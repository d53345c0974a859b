"""Learning: control steps of a three-link swimmer, beside Gymnasium's own Swimmer-v5 in MuJoCo."""

from __future__ import annotations

from pathlib import Path

import gymnasium
import numpy as np

import limbless as ll
from benchmarks.table import Row, Section, microseconds
from benchmarks.timing import Repeated, race
from limbless.interop.learning import Env, VectorEnv
from limbless.interop.learning.controlled_run import no_torque

ROBOTS = 256
SYNC = 8
OPTIONS = {"control_period": 0.04, "duration": 1e6, "reward": {"forward_speed": 1.0, "torque": -1e-4}}


def swimmer_file() -> Path:
    """The swimmer that comes with Gymnasium."""
    return Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "swimmer.xml"


def stepping(env: object, actions: np.ndarray) -> Repeated:
    """Step through actions, over and over."""

    def repeat(times: int) -> None:
        for number in range(times):
            env.step(actions[number % len(actions)])  # type: ignore[attr-defined]

    return repeat


def controlled() -> Repeated:
    """Control steps of `simulate(controller=)`, everything else of a run included."""
    found = ll.read_robot(swimmer_file())
    gait, fluid = ll.FunctionGait(function=no_torque, drives="torque"), ll.BodyDrag(**found.environment[0])
    torque = np.zeros(2)

    def repeat(times: int) -> None:
        ll.simulate(
            found.chain(),
            gait,
            [fluid],
            actuation="torque",
            duration=0.04 * times,
            step=0.01,
            control_period=0.04,
            record_every=0.04,
            controller=lambda time, seen: torque,
        )

    return repeat


def section() -> Section:
    chance = np.random.default_rng(0)
    actions = chance.uniform(-1, 1, (100, 2)).astype(np.float32)
    many = chance.uniform(-1, 1, (10, ROBOTS, 2)).astype(np.float32)
    ours, theirs = Env(swimmer_file(), **OPTIONS), gymnasium.make("Swimmer-v5", max_episode_steps=10**9)
    vector = VectorEnv(swimmer_file(), ROBOTS, **OPTIONS)
    sync = gymnasium.make_vec("Swimmer-v5", num_envs=SYNC, vectorization_mode="sync")
    for env in (ours, theirs, vector, sync):
        env.reset(seed=0)
    best = race(
        {
            "ours": stepping(ours, actions),
            "theirs": stepping(theirs, actions),
            "vector": stepping(vector, many),
            "sync": stepping(sync, many[:, :SYNC]),
        },
        chunks=30,
        duration=1e-2,
    )
    run = controlled()
    run(2000)  # compiled before it is timed, as long runs are
    best |= race({"controlled": run}, chunks=3, duration=0.6)
    each, batch = best["vector"] / ROBOTS, best["sync"] / SYNC
    rows = [
        Row(
            "a control step of `Env`, beside Swimmer-v5",
            microseconds(best["ours"]),
            microseconds(best["theirs"]),
            best["theirs"] / best["ours"],
            target=3,
        ),
        Row(
            f"a robot's step in `VectorEnv({ROBOTS})`, beside Gymnasium's sync vector",
            microseconds(each),
            microseconds(batch),
            batch / each,
            target=14,
        ),
        Row(
            "a control step of `simulate(controller=)`, beside `Env`",
            microseconds(best["controlled"]),
            microseconds(best["ours"]),
            best["controlled"] / best["ours"],
            target=2,
            sense="at most",
        ),
    ]
    return Section(
        rows,
        "Both step the same robot in the same fluid, four Runge-Kutta steps of 0.01 s per control "
        "step, with observation and reward. A controlled run counts as a whole, from description to "
        "its result with a record for every control step.",
    )
