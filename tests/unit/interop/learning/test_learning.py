"""Scenarios as environments of Gymnasium: what it asks of them, rewards that add up, bits that come back."""

from __future__ import annotations

import gc
import mmap
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import limbless as ll
from limbless.core.errors import InputError
from tests.unit.interop.robots.descriptions import plain_swimmer, written

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("mujoco")
learning = ll.interop.learning
memory = Path("/proc/self/statm")

TERMS = {
    "forward_speed": 1.0,
    "displacement": 2.0,
    "heading_error": -0.1,
    "power": -1e-4,
    "torque": -0.01,
    "smoothness": -0.01,
    "alive": 0.5,
}
ALL = (
    "time",
    "base_position",
    "base_orientation",
    "base_twist",
    "joint_position",
    "joint_velocity",
    "heading",
    "target",
)


@pytest.fixture(scope="module")
def swimmer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("learning"), "swimmer.xml", plain_swimmer())


def made(swimmer: Path, **options: Any) -> Any:
    return learning.Env(str(swimmer), **{"control_period": 0.04, "duration": 0.4, "reward": TERMS, **options})


def actions(count: int, size: int = 2) -> np.ndarray:
    return np.random.default_rng(3).uniform(-1, 1, (count, size)).astype(np.float32)


def test_gymnasium_finds_nothing_wrong(swimmer: Path) -> None:
    from gymnasium.utils.env_checker import check_env

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # infinite bounds of observations
        check_env(made(swimmer, randomise={"joint_position": 0.1}), skip_render_check=True)
        env = gymnasium.make("limbless/Scenario-v0", scenario=str(swimmer), control_period=0.04, duration=0.4)
    assert isinstance(env.unwrapped, learning.Env)


def test_an_episode_ends_in_time_and_its_reward_is_the_sum_of_its_terms(swimmer: Path) -> None:
    env = made(swimmer)
    env.reset(seed=0)
    for number, action in enumerate(actions(10)):
        _, reward, terminated, truncated, info = env.step(action)
        assert set(info["reward"]) == set(TERMS) and reward == pytest.approx(sum(info["reward"].values()))
        assert not terminated and truncated == (number == 9)


def test_terms_against_the_recorded_episode(swimmer: Path) -> None:
    """Speed from places, power from the work that the result has, heading from the quaternion."""
    env = made(swimmer, observe=ALL, target=(3.0, 1.0))
    env.reset(seed=0)
    given = actions(8)
    rewards = [env.step(action)[4]["reward"] for action in given]
    result = env.result()
    data = result.dataset
    assert result.proven and len(data.time) == 9
    # the head is at the base, x runs from head to tail: it looks, and swims, towards -x
    speed = -np.diff(data.base_position.values[:, 0]) / 0.04
    assert [part["forward_speed"] for part in rewards] == pytest.approx(speed, rel=1e-9, abs=1e-12)
    power = np.diff(data.actuator_work.values) / 0.04
    assert [part["power"] for part in rewards] == pytest.approx(-1e-4 * power, rel=1e-9, abs=1e-12)
    changes = np.diff(given, axis=0, prepend=np.zeros((1, 2)))
    assert [part["smoothness"] for part in rewards] == pytest.approx(-0.01 * (changes**2).sum(axis=1), rel=1e-6)
    assert [part["torque"] for part in rewards] == pytest.approx(-0.01 * (given.astype(float) ** 2).sum(axis=1))
    seen = dict(zip(env.layout, env.watch(env.world.seen(env._state)), strict=True))
    x, y, _ = data.base_position.values[-1]
    w, _, _, z = data.base_orientation.values[-1]
    yaw = 2 * np.arctan2(z, w) + np.pi
    assert (seen["heading sine"], seen["heading cosine"]) == pytest.approx((np.sin(yaw), np.cos(yaw)), abs=1e-12)
    ahead = (3.0 - x) * np.cos(yaw) + (1.0 - y) * np.sin(yaw)
    assert seen["target ahead"] == pytest.approx(ahead)
    assert seen["joint_position bend1"] == data.joint_position.values[-1, 0]
    wanted = np.arctan2(1.0 - y, 3.0 - x)
    error = abs((yaw - wanted + np.pi) % (2 * np.pi) - np.pi)
    assert rewards[-1]["heading_error"] == pytest.approx(-0.1 * error)


def test_it_moves_as_a_controlled_run_does(swimmer: Path) -> None:
    """Torques of a controller in `simulate`, the same held torques here: the same bits."""
    env = made(swimmer, reward={"alive": 1.0})
    env.reset(seed=0)
    given = actions(10)
    for action in given:
        env.step(action)
    calls = iter(given.astype(np.float64) * 150.0)
    result = ll.run(
        env.world.scenario.changed(duration=0.4, control_period=0.04, record_every=0.04),
        controller=lambda time, seen: next(calls),
    )
    assert result.state is not None and (result.state.x == env._state.x).all()


def test_saved_and_restored_it_goes_on_in_the_same_bits(swimmer: Path) -> None:
    env = made(swimmer, randomise={"joint_position": 0.2, "twist": 0.1})
    env.reset(seed=5)
    for action in actions(3):
        env.step(action)
    saved = env.save()
    ahead = [env.step(action) for action in actions(4)]
    drawn = env.np_random.random()
    other = made(swimmer, randomise={"joint_position": 0.2, "twist": 0.1})
    for one in (env, other):
        one.restore(saved)
        again = [one.step(action) for action in actions(4)]
        assert all((a[0] == b[0]).all() and a[1] == b[1] for a, b in zip(ahead, again, strict=True))
        assert one.np_random.random() == drawn
    with pytest.raises(InputError, match=r"not written by env.save\(\)"):
        env.restore(b"nonsense")


def test_seeds(swimmer: Path) -> None:
    env = made(swimmer, randomise={"joint_position": 0.2})
    starts = [env.reset(seed=seed)[0] for seed in (1, 1, 2)]
    assert (starts[0] == starts[1]).all() and not (starts[0] == starts[2]).all()
    assert np.abs(starts[0][:2]).max() <= 0.2


def test_many_move_as_one(swimmer: Path) -> None:
    """Each row of a vector as an `Env` of its own; over, it begins anew at the next step."""
    many = learning.VectorEnv(str(swimmer), 5, control_period=0.04, duration=0.12, reward=TERMS)
    alone = [made(swimmer, duration=0.12) for _ in range(5)]
    seen, _ = many.reset(seed=0)
    assert seen.shape == (5, 12) and (seen == np.array([env.reset(seed=0)[0] for env in alone])).all()
    for number, given in enumerate(np.random.default_rng(1).uniform(-1, 1, (3, 5, 2)).astype(np.float32)):
        seen, reward, terminated, truncated, _ = many.step(given)
        one = [env.step(action) for env, action in zip(alone, given, strict=True)]
        assert seen == pytest.approx(np.array([each[0] for each in one]), rel=1e-10, abs=1e-12)
        assert reward == pytest.approx([each[1] for each in one], rel=1e-9) and not terminated.any()
        assert truncated.all() == (number == 2)
    seen, reward, _, truncated, _ = many.step(given)
    assert (reward == 0).all() and not truncated.any() and (seen == np.array([env.reset()[0] for env in alone])).all()


@pytest.mark.long
def test_other_actions(swimmer: Path) -> None:
    """Targets about a gait and fields of a gait, on a robot of the library."""
    changes = {"robot.links": 4}
    target = learning.Env(
        {"robot": {"preset": "uniform", "base": "planar"}, "gait": {"kind": "body-wave"}},
        "target",
        control_period=0.05,
        duration=0.2,
        changes=changes,
        scale=0.3,
        observe=("joint_position", "phase"),
    )
    first, _ = target.reset(seed=0)
    for _ in range(4):
        last, *_ = target.step(np.ones(3))
    assert (last[:3] - first[:3] > 0.05).all() and target.layout[-1] == "phase cosine"
    gait = learning.Env(
        {
            "robot": {"preset": "uniform", "base": "planar", "links": 4},
            "gait": {"kind": "body-wave"},
            "environment": [{"kind": "drag"}],
        },
        "gait",
        control_period=0.05,
        duration=0.2,
        fields={"amplitude": (0.0, 0.5), "turn": (-0.2, 0.2)},
    )
    gait.reset(seed=0)
    gait.step(np.array([1.0, -1.0]))
    assert gait.world.gait.amplitude == 0.5 and gait.world.gait.turn == -0.2


def test_pictures(swimmer: Path) -> None:
    env = made(swimmer, render_mode="rgb_array")
    env.reset(seed=0)
    env.step(np.ones(2))
    picture = env.render()
    assert picture.shape == (360, 640, 3) and picture.dtype == np.uint8 and len(np.unique(picture)) > 5


def test_it_is_watched_while_it_moves(swimmer: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that shows each step: the body in it is where the robot is."""
    pytest.importorskip("viser")
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    env = made(swimmer, render_mode="human", duration=0.08)
    try:
        env.reset(seed=0)
        assert opened == [env.url] and env.render() is None
        reward = env.step(np.ones(2))[1]
        drawn = env._live._display.frames
        assert "t = 0.04 s" in env._live._told.content and f"return {reward:.4g}" in env._live._told.content
        assert drawn.times.tolist() == [0.04]
        assert drawn.position == pytest.approx(env.result().dataset["position"].values[-1:], abs=1e-12)
        assert not env.step(np.ones(2))[2] and len(opened) == 1
        env.reset(seed=0, options={"initial": {"position": [50.0, -20.0, 0.0]}})  # the grid goes with the robot
        away = env._live._display.frames.position[0].mean(axis=0)
        assert away[:2] == pytest.approx([50.0, -20.0], abs=1.0)
        around = env._live._stage.world.extent
        assert ((around.low < away) & (around.high > away))[:2].all()
    finally:
        env.close()
    assert env.url is None


SNAKE = {
    "robot": {"preset": "uniform", "links": 4, "contact_radius": 0.02, "torque_limit": 1.0},
    "gait": {"kind": "body-wave"},
    "model": {"kind": "non-smooth"},
    "step": 0.002,
    "environment": [{"kind": "gravity"}, {"kind": "ground"}],
    "initial": {"position": [0.0, 0.0, 0.02]},
}


@pytest.mark.long
def test_what_a_snake_feels() -> None:
    """Lying still, the contacts bear its weight; all of them touch."""
    env = learning.Env(
        SNAKE, observe=("contact_force", "contact_state", "joint_position"), control_period=0.02, duration=0.2
    )
    env.reset(seed=0)
    for _ in range(10):
        seen, *_ = env.step(np.zeros(3))
    count = env.world.contacts
    force, state = seen[: 3 * count].reshape(-1, 3), seen[3 * count : 4 * count]
    assert env.layout[2] == "contact_force 0 z" and env.layout[3 * count] == "contact_state 0"
    assert force[:, 2].sum() == pytest.approx(9.81 * env.world.chain.total_mass, rel=1e-3)
    assert (state > 0).any() and set(state) <= {0.0, 1.0, 2.0}


def test_robots_on_ground_share_processors_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three robots in two threads move as an `Env` of each does, bit for bit, through the end of an episode; threads
    end with their robots.
    """
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    options = {"actions": "torque", "control_period": 0.01, "duration": 0.03, "reward": {"displacement": 1.0}}
    many, alone = learning.VectorEnv(SNAKE, 3, **options), [learning.Env(SNAKE, **options) for _ in range(3)]
    many.reset(seed=0)
    for env in alone:
        env.reset(seed=0)
    for number, given in enumerate(np.random.default_rng(1).uniform(-1, 1, (6, 3, 3))):
        seen, reward, *_ = many.step(given)
        if number == 3:  # they begin anew
            for env in alone:
                env.reset()
            continue
        one = [env.step(action) for env, action in zip(alone, given, strict=True)]
        np.testing.assert_array_equal([state.x for state in many._states], [env._state.x for env in alone])
        np.testing.assert_allclose(seen, [each[0] for each in one], rtol=1e-13, atol=1e-15)
        np.testing.assert_allclose(reward, [each[1] for each in one], rtol=1e-12)
    threads = many._crowd
    assert threads is not None and threads._max_workers == 2
    many.close()
    with pytest.raises(RuntimeError):
        threads.submit(print)


SOFT = {
    "robot": {"kind": "rod", "length": 0.3, "half_width": 0.01, "strains": "planar", "stiffness": 0.02, "passive": {}},
    "gait": {"kind": "muscle-wave", "couple": 0.01, "wavelength": 0.3, "period": 0.2},
    "model": {"kind": "soft", "cells": 2},
    "step": 0.002,
}
MEDIA: dict[str, Any] = {
    "drag": {"environment": [{"kind": "drag"}]},
    "ground": {
        "environment": [{"kind": "gravity"}, {"kind": "ground"}],
        "initial": {"position": (0.0, 0.0, 0.01)},
    },
}


@pytest.mark.parametrize("medium", [pytest.param("drag"), pytest.param("ground", marks=pytest.mark.long)])
def test_soft_bodies_move_as_one_and_as_a_run_does(medium: str) -> None:
    """Actions are fields of the gait; side by side, alone, and in one run with the gait as it is."""
    scenario = {**SOFT, **MEDIA[medium]}
    if medium == "drag":
        scenario["robot"] = {**SOFT["robot"], "base": "planar"}
    options = {
        "actions": "gait",
        "control_period": 0.01,
        "duration": 0.04,
        "fields": {"couple": (0.0, 0.02)},
        "observe": ["joint_position", "base_position", *(["contact_force"] if medium == "ground" else [])],
        "reward": {"displacement": 1.0, "power": -0.1},
    }
    many, alone = learning.VectorEnv(scenario, 2, **options), [learning.Env(scenario, **options) for _ in range(2)]
    many.reset(seed=0)
    for env in alone:
        env.reset(seed=0)
    for given in np.array([[[0.5], [-0.5]], [[1.0], [0.0]]]):
        seen, reward, *_ = many.step(given)
        for k, env in enumerate(alone):
            own, paid, *_ = env.step(given[k])
            np.testing.assert_array_equal(own, seen[k])
            assert paid == reward[k]
    env = alone[0]
    env.reset(seed=0)
    for _ in range(3):
        seen, *_ = env.step(np.zeros(1))  # the middle of the bounds: the gait as it is
    whole = ll.run({**scenario, "name": "soft", "duration": 0.03, "record_every": 0.01})
    np.testing.assert_allclose(seen[4:7], whole.dataset["base_position"].values[-1], rtol=0.0, atol=1e-9)
    assert env.layout[0] == "joint_position cell 1 yaw curvature 0"
    with pytest.raises(InputError, match="tendons and muscles of a soft body pull as its gait says"):
        learning.Env(scenario, actions="torque")


def test_each_robot_has_a_gait_of_its_own() -> None:
    """Fields of the gait as actions of several robots: each moves as an `Env` of its own, and begins anew as one."""
    scenario = {
        "robot": {"preset": "uniform", "base": "planar", "links": 3},
        "gait": {"kind": "body-wave"},
        "environment": [{"kind": "body-drag"}],
    }
    options = {
        "actions": "gait",
        "control_period": 0.05,
        "duration": 0.1,
        "reward": {"displacement": 1.0},
        "fields": {"amplitude": (0.0, 0.5), "turn": (-0.2, 0.2)},
    }
    many, alone = learning.VectorEnv(scenario, 3, **options), [learning.Env(scenario, **options) for _ in range(3)]
    many.reset(seed=0)
    for env in alone:
        env.reset(seed=0)
    for given in np.random.default_rng(1).uniform(-1, 1, (2, 3, 2)):
        seen, reward, *_ = many.step(given)
        one = [env.step(action) for env, action in zip(alone, given, strict=True)]
        assert seen == pytest.approx(np.array([each[0] for each in one]), rel=1e-12, abs=1e-14)
        assert reward == pytest.approx([each[1] for each in one], rel=1e-12)
    data = alone[0].result().dataset
    bent = seen[0][:2]
    assert bent == pytest.approx(data["joint_position"].values[-1], abs=1e-14) and np.abs(bent).min() > 0.01
    many.step(given)
    assert all(gait == many.world.scenario.gait for gait in many._gaits)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"actions": "power"}, "actions: must be one of torque, target, gait"),
        ({"observe": ("speed",)}, "observe: there is no 'speed'"),
        ({"observe": ("target",)}, r"'target' needs target=\(x, y\)"),
        ({"observe": ("phase",)}, "'phase' needs a gait with a period"),
        ({"reward": {"joy": 1.0}}, "reward: there is no term 'joy'"),
        ({"control_period": 0.033}, "0.033 s is no whole multiple of the step of 0.01 s"),
        ({"scale": -1.0}, "scale: must be positive"),
        ({"fields": {"amplitude": (0, 1)}}, "fields: belong to actions='gait'"),
        ({"render_mode": "film"}, "render_mode: must be 'rgb_array', 'human' or None"),
        ({"observe": ("contact_force",)}, "'contact_force' needs the model non-smooth"),
    ],
)
def test_what_is_refused(swimmer: Path, options: dict[str, Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        made(swimmer, **options)


def test_steps_that_are_refused(swimmer: Path) -> None:
    env = made(swimmer)
    with pytest.raises(InputError, match="call reset first"):
        env.step(np.zeros(2))
    env.reset(seed=0)
    with pytest.raises(InputError, match="an action has 2 numbers"):
        env.step(np.zeros(3))
    with pytest.raises(InputError, match="options has 'state'"):
        env.reset(options={"state": 1})


def test_a_motion_that_leaves_this_world_ends_the_episode(swimmer: Path) -> None:
    env = made(swimmer, scale=1e9)
    env.reset(seed=0)
    for _ in range(10):
        seen, reward, terminated, _, _ = env.step(np.ones(2))
        assert np.isfinite(seen).all() and np.isfinite(reward)
        if terminated:
            break
    assert terminated


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"control_period": 0}, "control_period: must be positive"),
        ({"duration": -1.0}, "duration: must be positive"),
        ({"control_period": "40 cm"}, r"control_period: '40 cm' is a length"),
        ({"scale": [1.0, 2.0, 3.0]}, "scale: must be positive, one number or one for each of 2 joints"),
        ({"randomise": {"joint_pos": 0.1}}, "randomise: 'joint_pos' cannot be"),
        ({"randomise": {"joint_position": -0.1}}, "randomise: joint_position must be zero or positive"),
        ({"actions": "gait", "fields": {"yaw_amplitude": (0.1,)}}, "needs its lowest and its highest number"),
    ],
)
def test_what_an_environment_cannot_be_is_said_where_it_is_made(swimmer: Path, more: dict[str, Any], told: str) -> None:
    for kind in (learning.Env, learning.VectorEnv):
        with pytest.raises(InputError, match=told):
            kind(swimmer, **more)


def test_times_and_noise_take_units(swimmer: Path) -> None:
    env = learning.Env(
        swimmer,
        control_period="40 ms",
        duration="2 s",
        scale="100 N mm",
        observe=["joint_position"],
        randomise={"joint_position": "5 deg"},
    )
    assert (env.world.period, env.duration) == (pytest.approx(0.04), 2.0)
    assert env.world.scale == pytest.approx(np.full(2, 0.1))
    assert 0.0 < np.abs(env.reset(seed=1)[0]).max() <= np.radians(5.0)


def test_robots_side_by_side_take_what_they_can_do(swimmer: Path) -> None:
    """Changes at a reset had no effect, and of several seeds the first counted."""
    env = learning.VectorEnv(swimmer, 2)
    with pytest.raises(InputError, match="options has 'changes'; robots side by side take initial alone"):
        env.reset(options={"changes": {"duration": 1.0}})
    with pytest.raises(InputError, match=r"seed: one number serves all robots; received \[1, 2\]"):
        env.reset(seed=[1, 2])
    for more, told in (
        ({"stop": bool}, "stop: belongs to Env"),
        ({"reward": max}, "reward as a function: belongs"),
        ({"scle": 1.0}, "there is no argument 'scle'; did you mean 'scale'"),
    ):
        with pytest.raises(InputError, match=told):
            learning.VectorEnv(swimmer, 2, **more)


def test_a_state_of_another_robot_is_not_restored(swimmer: Path, tmp_path: Path) -> None:
    env, other = learning.Env(swimmer), learning.Env(written(tmp_path, "longer.xml", plain_swimmer(4)))
    env.reset(seed=1), other.reset(seed=1)
    with pytest.raises(InputError, match="saved by an Env of another robot"):
        env.restore(other.save())


@pytest.mark.long
@pytest.mark.skipif(not memory.is_file(), reason="this system does not say how much memory a process has")
def test_many_steps_take_no_more_memory_than_few(swimmer: Path) -> None:
    """An hour of steps, scaled down: whatever a step or an episode keeps is seen in 40,000 of them."""
    many = learning.VectorEnv(str(swimmer), 8, control_period=0.04, duration=4.0, reward=TERMS)
    many.reset(seed=0)
    chosen = np.random.default_rng(1).uniform(-1, 1, (100, 8, 2)).astype(np.float32)

    def resident(count: int) -> float:
        for number in range(count):
            many.step(chosen[number % 100])
        gc.collect()
        return int(memory.read_text().split()[1]) * mmap.PAGESIZE / 1e6

    first = resident(5_000)
    assert resident(40_000) - first < 4.0, "MB"


def test_an_environment_with_oscillators_is_a_session_and_robots_side_by_side_are_alike() -> None:
    options = {"scale": 0.1, "control_period": 0.01, "duration": 1.0, "observe": ("joint_position", "base_twist")}
    env, many = learning.Env("agnathax", **options), learning.VectorEnv("agnathax", 9, **options)
    live, torque = ll.Session("agnathax", period=0.01), 0.05 * np.ones(14)
    env.reset(seed=0), many.reset(seed=0)
    live.command(torque)
    for _ in range(4):
        seen, *_ = env.step(torque / 0.1)
        crowd, *_ = many.step(np.tile(torque / 0.1, (9, 1)))
    found = live.step(4)
    np.testing.assert_allclose(seen, np.concatenate([found["joint_position"], found["base_twist"]]), atol=1e-12)
    np.testing.assert_allclose(crowd, np.tile(seen, (9, 1)), atol=1e-9)


def test_actions_are_fields_of_a_controller_and_its_numbers_are_seen() -> None:
    """As a session that is told the same; one after another in one model, robots keep their own numbers."""
    fields = {"feedback.0.gain": (0.0, 200.0), "coupling.weight": (0.0, 20.0)}
    options = {"actions": "controller", "fields": fields, "control_period": 0.02, "observe": ("controller_state",)}
    env, many = learning.Env("agnathax", **options), learning.VectorEnv("agnathax", 2, **options)
    live = ll.Session("agnathax", period=0.02)
    assert env.action_space.shape == (2,) and env.layout[0] == "controller_state phase of joint 1"
    env.reset(seed=0), many.reset(seed=0)
    for action in ([0.0, 1.0], [1.0, -1.0], [-0.5, 0.5]):
        seen, *_ = env.step(action)
        crowd, *_ = many.step([action, [-1.0, -1.0]])
        live.command(
            {
                "controller.feedback.0.gain": 100.0 * (action[0] + 1.0),
                "controller.coupling.weight": 10.0 * (action[1] + 1.0),
            }
        )
        np.testing.assert_allclose(seen, live.step()["controller_state"], atol=1e-12)
    np.testing.assert_allclose(crowd[0], seen, atol=1e-12)
    assert np.abs(crowd[1] - seen).max() > 1e-3
    for wrong, words in (({}, "needs fields"), ({"wait": (0.0, 1.0)}, "no such field"), ({"haste": (1.0,)}, "lowest")):
        with pytest.raises(InputError, match=words):
            learning.Env("agnathax", **{**options, "fields": wrong})
    with pytest.raises(InputError, match="needs a scenario with a controller"):
        learning.Env("eel-planar", **options)
