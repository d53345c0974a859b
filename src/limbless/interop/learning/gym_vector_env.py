"""`VectorEnv`: many robots of one scenario, stepped in one compiled loop."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from limbless.core import Array, InputError, refuse_unknown
from limbless.interop.learning.controlled_run import ControlledRun, Observed, lasting, shaking, sound
from limbless.interop.learning.gym_env import OBSERVE, REWARD
from limbless.interop.learning.gymnasium_names import gymnasium
from limbless.interop.learning.lanes_of_robots import RobotLanes
from limbless.interop.learning.observations import Observations
from limbless.interop.learning.rewards import chosen
from limbless.models.base import State
from limbless.scenarios.scenario import Scenario
from limbless.simulation.prefetch import RobotAhead

_OPTIONS = ("scale", "fields", "changes", "target")
"""Arguments of `ControlledRun` that go on to it."""


class VectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """So many robots of one scenario, each in an episode of its own. Arguments as those of `Env`.

    With torques as actions and the model `newton-euler` eight robots at a time go through one compiled loop; otherwise
    they share all processors, one thread each: what they do is what each does alone, bit for bit. An episode that ended
    begins anew at the next step (NEXT_STEP).
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 - declared so by Gymnasium

    def __init__(
        self,
        scenario: str | Path | Mapping[str, Any] | Scenario = "eel-planar",
        num_envs: int = 1,
        actions: str = "torque",
        observe: Sequence[str] = OBSERVE,
        reward: Mapping[str, float] = REWARD,
        control_period: float | str | None = None,
        duration: float | str | None = None,
        *,
        randomise: Mapping[str, float | str] | None = None,
        **options: Any,
    ) -> None:
        if num_envs < 1:
            raise InputError(f"num_envs: must be 1 or more; received {num_envs}")
        alone = [name for name in ("stop", "render_mode") if options.pop(name, None) is not None]
        if alone or not isinstance(reward, Mapping):
            raise InputError(
                f"{alone[0] if alone else 'reward as a function'}: belongs to Env; robots side by side "
                "have rewards by terms, and end with their duration or where they are lost"
            )
        refuse_unknown(options, _OPTIONS, "there is no argument")
        self.world = ControlledRun(scenario, actions, control_period, **options)
        self.watch, self.terms = Observations(observe, self.world), chosen(reward, self.world)
        self.num_envs, self._randomise = num_envs, shaking(randomise)
        self.duration = lasting(duration, "duration") or self.world.scenario.duration
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (self.world.size,), np.float32)
        self.single_observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (len(self.watch.layout),), np.float64)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._times, self._over = np.zeros(num_envs), np.zeros(num_envs, dtype=bool)
        self._last = np.zeros((num_envs, self.world.size))
        self._states: list[State] = []
        self._gaits = [self.world.gait] * num_envs
        self._ahead = [None if self.world.lean else RobotAhead.of(self.world.session) for _ in range(num_envs)]
        self._values = np.zeros((num_envs, 0))
        self._crew = RobotLanes.of(self.world, num_envs)
        # a law of a user's own is asked in Python, one call at a time
        asks = any(item.slot is not None for item in self.world.model.asked)
        held = self.world.actions == "controller"  # in tables of the model
        self._threads = 1 if asks or held or self.world.lean else min(num_envs, os.cpu_count() or 1)
        self._crowd: ThreadPoolExecutor | None = None

    @property
    def layout(self) -> list[str]:
        """A name for every entry of an observation."""
        return self.watch.layout

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """All episodes anew; `options`: `initial`, as for `Env`. One seed serves all of them."""
        unknown = set(options or {}) - {"initial"}
        if unknown:
            raise InputError(
                f"reset: options has {sorted(unknown)[0]!r}; robots side by side take initial alone, and "
                "changes where they are made"
            )
        if seed is not None and not isinstance(seed, int | np.integer):
            raise InputError(f"seed: one number serves all robots; received {seed!r}")
        super().reset(seed=None if seed is None else int(seed))
        self._initial = (options or {}).get("initial")
        self._states = [self._begun() for _ in range(self.num_envs)]
        self._values = np.array([self.world.seen(state).values for state in self._states])
        self._gaits = [self.world.gait] * self.num_envs
        self._times[:], self._over[:], self._last[:] = 0.0, False, 0.0
        return self.watch(self._seen()), {}

    def _begun(self) -> State:
        return self.world.begin(self._initial, self._randomise, self.np_random)

    def _seen(self) -> Observed:
        return Observed(self.world, self._times.copy(), self._values.copy())

    def step(self, actions: Any) -> tuple[Array, Array, Any, Any, dict[str, Any]]:
        """Hold one action per robot for a control period."""
        if not self._states:
            raise InputError("step: call reset first")
        given = np.ascontiguousarray(actions, dtype=np.float64)
        if given.shape != self._last.shape:
            raise InputError(f"actions must have shape {self._last.shape}; received {given.shape}")
        fresh, before = self._over.copy(), self._seen()
        self._move(given, fresh)
        after = self._seen()
        lost = ~sound(after.values)
        if lost.any():
            after.values[lost] = self._values[lost] = before.values[lost]
        parts = {
            name: np.where(fresh, 0.0, weight * np.asarray(term(before, after, given, self._last, self.world)))
            for name, (weight, term) in self.terms.items()
        }
        reward = np.sum(list(parts.values()), axis=0)
        terminated, truncated = lost & ~fresh, (self._times >= self.duration - 1e-9) & ~fresh
        self._over = terminated | truncated
        self._last = np.where(fresh[:, None], 0.0, given)
        return self.watch(after), reward, terminated, truncated, {"reward": parts}

    def _move(self, given: Array, fresh: NDArray[np.bool_]) -> None:
        """All robots by one period; those that were over begin anew instead."""
        world = self.world
        if self._crew is not None and self._crew.can_go(self._times):
            stuck = self._crew.go(self._values, self._times, given)
            for number in np.flatnonzero(stuck & ~fresh).tolist():
                self._values[number] = world.move(self._state(number), given[number]).x
            for number in np.flatnonzero(fresh).tolist():
                self._values[number] = self._begun().x
        else:
            for number in np.flatnonzero(fresh).tolist():
                self._states[number], self._gaits[number] = self._begun(), world.gait
                self._values[number] = world.seen(self._states[number]).values
            going = iter(np.flatnonzero(~fresh).tolist())
            if self._crowd is None:
                self._move_each(going, given)
            else:  # each thread takes the next robot that nobody has taken
                for one in [self._crowd.submit(self._move_each, going, given) for _ in range(self._threads)]:
                    one.result()
            if self._crowd is None and self._threads > 1:  # kernels are compiled now
                self._crowd = ThreadPoolExecutor(self._threads)
        self._times = np.where(fresh, 0.0, (np.rint(self._times / world.step) + world.steps) * world.step)

    def _move_each(self, going: Iterator[int], given: Array) -> None:
        """Robots one after another, by one period."""
        world = self.world
        for number in going:
            if world.lean:  # in memory that all robots share
                world.gait = self._gaits[number]
                state, gait = world.move(self._state(number), given[number]), world.gait
            else:
                ahead = self._ahead[number]
                state, gait = world.moved(self._states[number], given[number], self._gaits[number], ahead=ahead)
            self._states[number], self._gaits[number] = state, gait
            self._values[number] = world.seen(state).values

    def close(self, **options: Any) -> None:
        """End its threads."""
        if self._crowd is not None:
            self._crowd.shutdown()
            self._crowd = None
        super().close(**options)

    def _state(self, number: int) -> State:
        """Where a robot is."""
        return State(float(self._times[number]), self._values[number], self._states[number].memory)
