"""A five-link swimmer learns to swim: by PPO where stable-baselines3 is installed, else by a search among sines."""
import importlib.util

import numpy as np

import limbless as ll

SCENARIO = {"robot": {"preset": "uniform", "links": 5, "base": "planar", "torque_limit": 0.05, "stiffness": 0.1,
                      "damping": 0.002},
            "gait": {"kind": "body-wave"}, "environment": [{"kind": "body-drag"}], "step": 0.005}
OPTIONS = {"actions": "torque", "observe": ["joint_position", "joint_velocity", "base_twist", "heading"],
           "reward": {"forward_speed": 1.0}, "control_period": 0.05, "duration": 5.0}
STEPS = 250_000


def sine_torques(frequency, phase):
    """One sine in every joint, each a phase behind the one before."""
    return lambda time: np.sin(2.0 * np.pi * frequency * time - phase * np.arange(4))


def worth(env, policy):
    """Return of one episode."""
    env.reset(seed=0)
    total, over, time = 0.0, False, 0.0
    while not over:
        _, reward, terminated, truncated, _ = env.step(policy(time))
        total, over, time = total + reward, terminated or truncated, time + OPTIONS["control_period"]
    return total


env = ll.interop.learning.Env(SCENARIO, **OPTIONS)
chance = np.random.default_rng(1)
tried = [(0.3 + 2.0 * chance.random(), 2.0 * np.pi * (chance.random() - 0.5)) for _ in range(24)]
worths = [worth(env, sine_torques(*each)) for each in tried]
best = tried[int(np.argmax(worths))]
print(f"best of {len(tried)} sines: return {max(worths):.2f} (mean {np.mean(worths):.2f}), "
      f"{best[0]:.2f} Hz, {np.degrees(best[1]):.0f} deg from joint to joint")
worth(env, sine_torques(*best))
print(f"its episode is {'proven' if env.result().proven else 'not proven'}")

if importlib.util.find_spec("stable_baselines3"):
    from stable_baselines3 import PPO
    from stable_baselines3.common.env_checker import check_env
    from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

    check_env(env)
    # with a discount of 0.99 such tasks are known to stall
    many = DummyVecEnv([lambda: ll.interop.learning.Env(SCENARIO, **OPTIONS)] * 16)
    swimmers = VecNormalize(many, gamma=0.9999)
    model = PPO("MlpPolicy", swimmers, n_steps=250, batch_size=500, learning_rate=1e-3, gamma=0.9999, seed=0,
                device="cpu")
    model.learn(STEPS)
    seen, _ = env.reset(seed=0)
    total, over = 0.0, False
    while not over:
        action, _ = model.predict(swimmers.normalize_obs(seen), deterministic=True)
        seen, reward, terminated, truncated, _ = env.step(np.clip(action, -1.0, 1.0))
        total, over = total + reward, terminated or truncated
    print(f"PPO after {STEPS:,} steps: return {total:.2f}, {total / max(worths):.1f} times the best sine")
