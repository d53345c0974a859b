"""Beside Gymnasium's own Swimmer-v5, in the same process, under the same random actions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import limbless as ll

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("mujoco")


def test_fifty_random_actions() -> None:
    peer = gymnasium.make("Swimmer-v5", reset_noise_scale=0.0).unwrapped
    peer.reset(seed=0)
    file = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "swimmer.xml"
    env = ll.interop.learning.Env(str(file), control_period=0.04, duration=10.0)
    env.reset(seed=0)
    for action in np.random.default_rng(0).uniform(-0.3, 0.3, (50, 2)):
        peer.step(action)
        env.step(action)
    seen = env.world.seen(env._state)
    assert seen.joint_position == pytest.approx(peer.data.qpos[3:], abs=2e-7)
    # the robot's x runs from head to tail, against the file's; both are of fourth order, in other coordinates
    assert -seen.position[:2] == pytest.approx(peer.data.qpos[:2], abs=1e-6)
    assert np.abs(peer.data.qpos).max() > 0.05
