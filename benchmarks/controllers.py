"""Controllers and learning: oscillators, lesions, and control steps beside Gymnasium and MuJoCo."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import gymnasium
import mujoco
import numpy as np

import limbless as ll
from benchmarks.table import Row, Section, microseconds
from benchmarks.timing import Repeated, race, rounds
from limbless.core import stage_times
from limbless.interop.learning import Env, VectorEnv
from limbless.interop.learning.controlled_run import no_torque
from limbless.interop.robots.write_mjcf import mjcf_text
from limbless.mechanics.chain import DofRow

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


def oscillator_row(steps: int = 200) -> Row:
    """A step of 36 joints in water, with an oscillator that feels a force at each of them, and without."""
    sense = {"kind": "external_force", "axis": "lateral", "of": "behind"}
    cord = {
        "kind": "oscillators",
        "coupling": {"lag": "10 deg"},
        "strength": 0.01,
        "feedback": [{"sense": sense, "into": "phase", "gain": 1.0, "times": "cosine"}],
    }
    still = ll.FunctionGait(function=no_torque, drives="torque")
    loose = {"preset": "uniform", "links": 37, "base": "planar", "stiffness": 0.5, "damping": 0.05}
    competitors = {}
    for name, loop in (("with", cord), ("without", None)):
        told = {"robot": loose, "environment": [{"kind": "water"}], "actuation": {"kind": "torque"}, "step": 1e-3}
        told["initial"] = {"joint_position": [0.1] * 36}  # both bend: the sine of a joint that stays straight is free
        scenario = ll.Scenario.load({"name": name, **told, **({"controller": loop} if loop else {"gait": still})})
        model, knots = scenario.assemble(), np.arange(steps + 1) * scenario.step
        state, drive = (
            model.initial_state(scenario.initial, scenario.gait),
            model.drive(scenario.gait, stage_times(knots)),
        )
        given = (state, knots, np.zeros(steps + 1, dtype=bool), drive)
        competitors[name] = lambda times, m=model, a=given: [m.advance(*a) for _ in range(times)]
    best = {name: spent / steps for name, spent in race(competitors, chunks=60, duration=5e-3).items()}
    return Row(
        "a step of 36 joints in water with 72 numbers of oscillators, beside one without",
        microseconds(best["with"]),
        microseconds(best["without"]),
        best["with"] / best["without"],
        target=1.2,
        sense="at most",
        reason="Sines, couplings and 72 more numbers of the state at four stages take 1.5 µs; force senses add 0.4 µs.",
    )


def lesion_row(runs: int = 16) -> Row:
    """Cut couplings of `agnathax`, by `ll.rollout`: processor time of whole runs."""
    cuts = [sorted({number % 9, 5 * number % 9}) for number in range(runs)]
    scenario = ll.Scenario.load("agnathax", {"duration": 10.0, "record_every": 0.5})
    ll.rollout(scenario.changed(duration=0.5), {"controller.lesion.couplings": cuts[:8]})
    began = time.process_time()
    ll.rollout(scenario, {"controller.lesion.couplings": cuts})
    each = (time.process_time() - began) / runs
    return Row(
        "10,000 lesions of `agnathax`, 10 s in steps of 1 ms each, eight side by side, on two cores: computed from 16",
        f"{each * 1e4 / 120.0:.1f} min",
        f"{1e3 * each:.0f} ms of processor time a run",
    )


GROUND = {
    "step": 1e-3,
    "robot.skin": {"forward": 0.5, "lateral": 0.5},  # MuJoCo's friction is the same in all directions
    "model.theta": 1.0,
}
GAINS = {
    "the gains of the scenario, from the inertia of each joint": {},
    "10 N m/rad and 0.3 N m s/rad at every joint": {"actuation": {"kind": "pd", "stiffness": 10.0, "damping": 0.3}},
}
CONTROL = 0.05


def mujoco_snake(scenario: ll.Scenario, cone: str, actions: np.ndarray) -> Repeated:
    """Control steps of the same robot with servos of the same gains in MuJoCo, by its implicit integrator."""
    chain, own = scenario.robot.build(), DofRow.of(scenario.assemble()._actuated.freedoms)
    servos = "".join(
        f'<position joint="{name}" kp="{stiffness}" kv="{damping}"/>'
        for name, stiffness, damping in zip(chain.joint_names, own.gain, own.rate_gain, strict=True)
    )
    text = mjcf_text(chain, scenario.environment, scenario.step, scenario.initial)
    text = re.sub(r"<actuator>.*</actuator>", "", text, flags=re.DOTALL)
    text = text.replace('integrator="RK4"', f'integrator="implicitfast" cone="{cone}"')
    model = mujoco.MjModel.from_xml_string(text.replace("</mujoco>", f"<actuator>{servos}</actuator></mujoco>"))
    model.dof_armature[6:] += own.inertia_gain  # a gain on acceleration acts as a rotor does
    data, turns = mujoco.MjData(model), [("pitch" if number % 2 else "yaw", 1.0) for number in range(chain.freedoms)]
    count = round(CONTROL / scenario.step)

    def repeat(times: int) -> None:
        for number in range(times):
            asked = scenario.gait.sample_joints(np.array([data.time]), turns).value[0]
            data.ctrl[:] = asked + 0.5 * actions[number % len(actions)]
            mujoco.mj_step(model, data, nstep=count)

    return repeat


def steps_a_second(scenario: ll.Scenario, robots: int = 16, each: int = 4, chunks: int = 60) -> float:
    """Control steps of all robots of a `VectorEnv`, by the clock on the wall: the best of some chunks."""
    env = VectorEnv(scenario, robots, actions="target", control_period=CONTROL, duration=1e6)
    env.reset(seed=0)
    step = stepping(env, np.random.default_rng(0).uniform(-0.3, 0.3, (20, robots, 15)))
    step(20)
    best = 0.0
    for _ in range(rounds(chunks)):
        began = time.perf_counter()
        step(each)
        best = max(best, robots * each / (time.perf_counter() - began))
    env.close()
    return best


def ground_rows() -> list[Row]:
    """16 modules on the ground, steps of 1 ms: an action moves the targets of the joints away from the gait's."""
    rows, actions = [], np.random.default_rng(0).uniform(-0.3, 0.3, (20, 15)).astype(np.float32)
    for gains, changes in GAINS.items():
        scenario = ll.Scenario.load("module-snake-undulate", {**GROUND, **changes})
        env = Env(scenario, actions="target", control_period=CONTROL, duration=1e6)
        env.reset(seed=0)
        competitors = {"ours": stepping(env, actions)}
        for cone in ("elliptic", "pyramidal"):
            competitors[cone] = mujoco_snake(scenario, cone, actions)
        best = race(competitors, chunks=10, duration=0.1)
        rows += [
            Row(
                f"a control step of 50 ms of 16 modules on the ground, in `Env`, beside MuJoCo; {gains}",
                microseconds(best["ours"]),
                f"MuJoCo, {cone} cone: {microseconds(best[cone])}",
                best[cone] / best["ours"],
            )
            for cone in ("elliptic", "pyramidal")
        ]
    rate = steps_a_second(scenario)
    why = (
        "50 steps among contacts take 0.3 ms and all Python 0.06 ms, so two cores that nobody else uses do some 5,000; "
        "on a busy machine the threads wait for a core."
    )
    what = f"such control steps per second of 16 robots in `VectorEnv`, {os.cpu_count()} cores, by the clock"
    return [*rows, Row(what, f"{rate:.0f}", "", rate, f"{rate:.0f}", 4000, reason=why)]


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
        [*rows, *ground_rows(), oscillator_row(), lesion_row()],
        "Both step the same robot in the same fluid, four Runge-Kutta steps of 0.01 s per control "
        "step, with observation and reward. A controlled run counts as a whole, from description to "
        "its result with a record for every control step. On the ground both engines have the same "
        "robot, gains, steps of 1 ms, implicit feedback and actions, but MuJoCo holds a target for a whole period and "
        "limbless moves it with the gait. The engines tell contacts by laws of their own, and the motions were not "
        "compared. The clock of `VectorEnv` counts the best of many chunks of 64 control steps.",
    )
