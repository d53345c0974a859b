"""`Env`: a scenario as an environment of Gymnasium."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array, InputError
from limbless.interop.learning.controlled_run import ControlledRun, Observed, lasting, shaking, sound
from limbless.interop.learning.gymnasium_names import gymnasium
from limbless.interop.learning.observations import Observations
from limbless.interop.learning.rewards import chosen
from limbless.models.base import State
from limbless.scenarios.scenario import Scenario

if TYPE_CHECKING:
    from limbless.simulation.result import Result
    from limbless.view.studio.live import Live

OBSERVE = ("joint_position", "joint_velocity", "base_twist", "heading")
REWARD = {"forward_speed": 1.0}
_SIZE = (640, 360)


class Env(gymnasium.Env[Array, Any]):
    """Any scenario of a chain, to be acted on every `control_period` seconds.

    Parameters
    ----------
    scenario, actions, control_period, scale, fields, changes, target : see `ControlledRun`. Actions are in
        Box(-1, 1); what is beyond is taken as it is (`gymnasium.wrappers.ClipAction` cuts it).
    observe : names of what is seen: time, base_position, base_orientation, base_twist, joint_position, joint_velocity,
        heading (sine, cosine), phase (of the gait), target, and among hard things contact_force (N, world) and
        contact_state (0 open, 1 sticks, 2 slips) of every contact, controller_state. `layout` names every entry.
    reward : term -> weight (see `terms`); or a function of (before, after, action) that returns a number.
    duration : s until an episode is truncated; the scenario's if absent. Times, `scale` and `randomise` may be texts
        with a unit: '40 ms'.
    stop : function of `Observed` that ends an episode.
    randomise : joint_position, joint_velocity, position, twist -> half width of the uniform noise on the start.
    render_mode : `rgb_array` (pictures), `human` (a page in the browser that shows every step as it is made, no faster
        than the clock), or none.
    """

    metadata = {"render_modes": ["rgb_array", "human"], "render_fps": 25}  # noqa: RUF012 - as Gymnasium has it

    def __init__(
        self,
        scenario: str | Path | Mapping[str, Any] | Scenario = "eel-planar",
        actions: str = "torque",
        observe: Sequence[str] = OBSERVE,
        reward: Mapping[str, float] | Callable[[Observed, Observed, Array], float] = REWARD,
        control_period: float | str | None = None,
        duration: float | str | None = None,
        *,
        scale: float | str | Sequence[float | str] | None = None,
        fields: Mapping[str, tuple[float, float]] | None = None,
        changes: Mapping[str, Any] | None = None,
        target: tuple[float, float] | None = None,
        stop: Callable[[Observed], bool] | None = None,
        randomise: Mapping[str, float | str] | None = None,
        render_mode: str | None = None,
    ) -> None:
        if render_mode not in (None, "rgb_array", "human"):
            raise InputError(
                f"render_mode: must be 'rgb_array', 'human' or None; received {render_mode!r} "
                "(env.result().view() opens an episode in the studio)"
            )
        self._made = {
            "actions": actions,
            "control_period": control_period,
            "scale": scale,
            "fields": fields,
            "target": target,
        }
        self._observe, self._reward, self._stop, self.render_mode = observe, reward, stop, render_mode
        self._randomise, self._changes = shaking(randomise), dict(changes or {})
        self._scenario = Scenario.load(scenario)
        self._build(self._changes)
        self.duration = lasting(duration, "duration") or self.world.scenario.duration
        size = len(self.watch.layout)
        self.action_space = gymnasium.spaces.Box(-1.0, 1.0, (self.world.size,), np.float32)
        self.observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float64)
        self.metadata = {**type(self).metadata, "render_fps": max(1, round(1.0 / self.world.period))}
        self._state: State | None = None
        self._live: Live | None = None

    def _build(self, changes: Mapping[str, Any]) -> None:
        self.world = ControlledRun(self._scenario, changes=changes, **self._made)  # type: ignore[arg-type]
        self.watch = Observations(self._observe, self.world)
        self.terms = chosen(self._reward, self.world) if isinstance(self._reward, Mapping) else None
        self._built = dict(changes)

    @property
    def layout(self) -> list[str]:
        """A name for every entry of an observation."""
        return self.watch.layout

    # Gymnasium

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """A new episode. `options`: `initial` (fields of a scenario's `initial`), `changes` (of the scenario)."""
        super().reset(seed=seed)
        options = options or {}
        unknown = set(options) - {"initial", "changes"}
        if unknown:
            raise InputError(f"reset: options has {sorted(unknown)[0]!r}; it takes initial and changes")
        changes = {**self._changes, **options.get("changes", {})}
        if changes != self._built:
            self._build(changes)
        self._state = self.world.begin(options.get("initial"), self._randomise, self.np_random)
        self._first = self._state
        self._taken: list[Array] = []
        self._last, self._seen, self._gained = np.zeros(self.world.size), self.world.seen(self._state), 0.0
        if self.render_mode == "human":
            self.render()
        return self.watch(self._seen), {}

    def step(self, action: Any) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Hold an action for a control period."""
        if self._state is None:
            raise InputError("step: call reset first")
        given = np.asarray(action, dtype=np.float64)
        if given.shape != self._last.shape:
            raise InputError(f"an action has {self.world.size} numbers; received shape {given.shape}")
        before, one = self._state, self._seen
        self._state = self.world.move(before, given)
        self._taken.append(given.copy())
        two = self.world.seen(self._state)
        lost = not sound(two.values)
        if lost:  # where it was last: a number that learners can take
            two, self._state = one, before
        reward, info = self._rewarded(one, two, given)
        self._last, self._seen, self._gained = given, two, self._gained + reward
        terminated = lost or (self._stop is not None and bool(self._stop(two)))
        truncated = self._state.time >= self.duration - 1e-9
        if self.render_mode == "human":
            self.render()
        return self.watch(two), reward, terminated, truncated, info

    def _rewarded(self, before: Observed, after: Observed, action: Array) -> tuple[float, dict[str, Any]]:
        if self.terms is None:
            return float(self._reward(before, after, action)), {}  # type: ignore[operator]
        parts = {
            name: weight * float(term(before, after, action, self._last, self.world))
            for name, (weight, term) in self.terms.items()
        }
        return sum(parts.values()), {"reward": parts}

    def render(self) -> Any:
        """`rgb_array`: a picture (height, width, 3) of where it is, drawn as movies are; `human`: shows it in the
        browser, which it opens at first (`env.url` is the address)."""
        if self.render_mode == "rgb_array":
            from limbless.view.movie import Painter
            from limbless.view.scene.frames import frames_of

            return Painter(frames_of(self._now()), _SIZE).picture(0)
        if self.render_mode == "human":
            self._show(self._now())
        return None

    def _show(self, instant: Result) -> None:
        if self._live is None:
            import webbrowser

            from limbless.view.studio.live import Live

            self._live = Live(instant)
            webbrowser.open(self._live.url)
        self._live.show(instant, told=f"return {self._gained:.4g}")

    @property
    def url(self) -> str | None:
        """Where `render_mode="human"` shows it."""
        return None if self._live is None else self._live.url

    def close(self) -> None:
        """Close the page."""
        if self._live is not None:
            self._live.close()
            self._live = None

    def _now(self) -> Result:
        """This instant alone as a result, to be drawn."""
        from limbless.simulation.result import Result

        if self._state is None:
            raise InputError("render: call reset first")
        return Result.from_records(
            [self._recorded(self._state)], self.world.model, self.world.scenario, "completed", self._state, None
        )

    def _recorded(self, state: State) -> Any:
        """The record of an instant."""
        return self.world.session.recorded(state, self.world.gait)

    # The episode

    def result(self) -> Result:
        """The episode so far as a `Result` with its balances: it is run once more, with records."""
        from limbless.simulation.result import Result

        if self._state is None:
            raise InputError("result: call reset first")
        state, gait = self._first, self.world.scenario.gait
        parts: list[Any] = []
        for action in self._taken:
            state, gait = self.world.moved(state, action, gait, parts)
        parts.append(self._recorded(state))
        return Result.from_records(parts, self.world.model, self.world.scenario, "completed", state, None)

    def save(self) -> bytes:
        """Where the episode is, to go on from with `restore`, bit for bit."""
        if self._state is None:
            raise InputError("save: call reset first")
        facts = {
            "time": self._state.time,
            "gained": self._gained,
            "chance": self.np_random.bit_generator.state,
            "gait": self.world.gait.model_dump(mode="json"),
            "built": self._built,
        }
        arrays: dict[str, Any] = {
            "x": self._state.x,
            "first": self._first.x,
            "last": self._last,
            "taken": np.array(self._taken).reshape(-1, self.world.size),
            **{f"memory {name}": values for name, values in self._state.memory.items()},
        }
        stream = io.BytesIO()
        np.savez(stream, facts=np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8), **arrays)
        return stream.getvalue()

    def restore(self, saved: bytes) -> None:
        """Go back to where `save` was called."""
        try:
            with np.load(io.BytesIO(saved), allow_pickle=False) as kept:
                arrays = {name: kept[name] for name in kept.files}
            facts = json.loads(arrays.pop("facts").tobytes())
            here, kept_here = (self._state or self.world.begin(None, {}, None)).x.shape, arrays["x"].shape
            fits = facts["built"] != self._built or (kept_here, arrays["last"].shape) == (here, (self.world.size,))
        except (OSError, ValueError, KeyError) as error:
            raise InputError(f"restore: these bytes were not written by env.save() ({type(error).__name__})") from None
        if not fits:
            raise InputError(
                f"restore: this was saved by an Env of another robot: {kept_here[0]} numbers of a state, "
                f"and this one has {here[0]}"
            )
        if facts["built"] != self._built:
            self._build(facts["built"])
        memory = {name.removeprefix("memory "): values for name, values in arrays.items() if name.startswith("memory ")}
        self._state = State(float(facts["time"]), arrays["x"], memory)
        self._first, self._gained = State(0.0, arrays["first"], {}), float(facts["gained"])
        self._last, self._taken, self._seen = arrays["last"], list(arrays["taken"]), self.world.seen(self._state)
        if self.world.actions == "gait":
            self.world.gait = type(self.world.gait).model_validate(facts["gait"])
        if self._np_random is None:
            super().reset()
        self.np_random.bit_generator.state = facts["chance"]
