"""Gymnasium's three-link swimmer learns to swim here: by PPO where stable-baselines3 is installed, else by a search
among sines. Its file comes with Gymnasium, and its fluid stands in it; `pip install 'limbless[learn,robots]'`.
"""

import importlib.util
from pathlib import Path

import gymnasium
import numpy as np

import limbless as ll

SWIMMER = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "swimmer.xml"
OPTIONS = {
    "actions": "torque",
    "observe": ["joint_position", "joint_velocity", "base_twist", "heading"],
    "reward": {"forward_speed": 1.0},
    "control_period": 0.04,
    "duration": 40.0,
}
STEPS, SEED = 250_000, 0


def sine_torques(frequency, phase):
    """One sine in every joint, each a phase behind the one before."""
    return lambda time: np.sin(2.0 * np.pi * frequency * time - phase * np.arange(2))


def worth(env, policy):
    """Return of one episode."""
    env.reset(seed=0)
    total, over, time = 0.0, False, 0.0
    while not over:
        _, reward, terminated, truncated, _ = env.step(policy(time))
        total, over, time = total + reward, terminated or truncated, time + OPTIONS["control_period"]
    return total


env = ll.interop.learning.Env(SWIMMER, **OPTIONS)
chance = np.random.default_rng(1)
tried = [(chance.uniform(0.1, 1.0), chance.uniform(-np.pi, np.pi)) for _ in range(24)]
worths = [worth(env, sine_torques(*each)) for each in tried]
best = tried[int(np.argmax(worths))]
print(
    f"best of {len(tried)} sines: return {max(worths):.1f} (mean {np.mean(worths):.1f}), "
    f"{best[0]:.2f} Hz, {np.degrees(best[1]):.0f} deg from joint to joint"
)
worth(env, sine_torques(*best))
print(f"its episode is {'proven' if env.result().proven else 'not proven'}")

if importlib.util.find_spec("stable_baselines3"):
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    check_env(env)
    # a wave pays off after seconds: with a discount of 0.99 this task is known to stall
    many = DummyVecEnv([lambda: ll.interop.learning.Env(SWIMMER, **OPTIONS)] * 4)
    swimmers = VecNormalize(many, gamma=0.9999)
    model = PPO(
        "MlpPolicy",
        swimmers,
        n_steps=1024,
        batch_size=256,
        learning_rate=6e-4,
        gamma=0.9999,
        gae_lambda=0.98,
        seed=SEED,
        device="cpu",
    )
    model.learn(STEPS)
    seen, _ = env.reset(seed=0)
    total, over = 0.0, False
    while not over:
        action, _ = model.predict(swimmers.normalize_obs(seen), deterministic=True)
        seen, reward, terminated, truncated, _ = env.step(np.clip(action, -1.0, 1.0))
        total, over = total + reward, terminated or truncated
    print(f"PPO after {STEPS:,} steps: return {total:.1f}, {total / max(worths):.1f} times the best sine")
