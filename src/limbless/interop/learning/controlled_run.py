"""A scenario prepared for control: its model built once, memory allocated once, actions turned into what joints get."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np

from limbless.control.actuation import ProportionalDerivative, Torque
from limbless.control.gaits.user_gait import FunctionGait
from limbless.core import Array, InputError, SimulationError, in_unit, nearest, refuse_unknown, stage_times
from limbless.mechanics.chain import ChainDrive
from limbless.mechanics.compiled import aligned_zeros, map_arrays, pack
from limbless.mechanics.integrate import runge_kutta
from limbless.models.base import JointTarget, State
from limbless.models.chain.chain_model import ChainModel
from limbless.models.chain.contact.standing_contact import HardModel
from limbless.models.chain.newton_euler_model import NewtonEuler
from limbless.models.chain.soft.soft_model import Soft
from limbless.scenarios.scenario import Initial, Scenario
from limbless.simulation.prefetch import RobotAhead
from limbless.simulation.session import Session

AXES = ("x", "y", "z")
ACTIONS = ("torque", "target", "gait", "controller")
WIDEST = 1e6
"""Largest length of all numbers of a state, as a vector, that is still a motion."""


def no_torque(times: Array, stations: Array) -> Array:
    """The gait of a robot whose torques are all actions."""
    return np.zeros((len(times), len(stations)))


class Observed:
    """One robot, or many (first axis), at one instant."""

    __slots__ = ("time", "values", "world")

    def __init__(self, world: ControlledRun, time: Any, values: Array) -> None:
        self.world, self.time, self.values = world, time, values

    @property
    def position(self) -> Array:
        """Of the base, world, m."""
        return self.values[..., :3]

    @property
    def orientation(self) -> Array:
        """Of the base, quaternion, scalar first."""
        return self.values[..., 3:7]

    @property
    def joint_position(self) -> Array:
        return self.values[..., self.world.columns["joint_position"]]

    @property
    def joint_velocity(self) -> Array:
        return self.values[..., self.world.columns["joint_velocity"]]

    @property
    def twist(self) -> Array:
        """Of the base, its own axes."""
        return self.values[..., self.world.columns["base_twist"]]

    @property
    def work(self) -> Any:
        """Of the actuators since the start, J."""
        return self.values[..., self.world.columns["work"].start]

    @property
    def heading(self) -> tuple[Any, Any]:
        """Sine and cosine of the direction in which the head looks, seen from above."""
        alone = self.values.ndim == 1  # plain numbers are several times as fast as arrays of one
        w, x, y, z = self.values[3:7].tolist() if alone else self.values[:, 3:7].T
        sine, cosine = 2.0 * (x * y + w * z), 1.0 - 2.0 * (y * y + z * z)
        size = self.world.looks / ((sine * sine + cosine * cosine) ** 0.5 + 1e-300)
        return sine * size, cosine * size


class ControlledRun:
    """A scenario as something to act on.

    Parameters
    ----------
    scenario : name, file, data or `Scenario`; of a chain, or of a soft body, whose actions are fields of its gait.
    actions : `torque` (of every joint, as a share of its limit or of `scale`), `target` (offset of every joint from the
        gait, as a share of `scale`, followed by `pd`), `gait` or `controller` (fields of it between bounds).
    control_period : s, for which an action is held; a whole number of steps.
    scale : torque (N m) or angle (rad) of an action of 1, one or one per joint.
    fields : for `gait` and `controller`: field, such as `coupling.weight` -> (lowest, highest).
    """

    def __init__(
        self,
        scenario: str | Path | Mapping[str, Any] | Scenario,
        actions: str = "torque",
        control_period: float | str | None = None,
        scale: float | str | Sequence[float | str] | None = None,
        fields: Mapping[str, tuple[float, float]] | None = None,
        changes: Mapping[str, Any] | None = None,
        target: tuple[float, float] | None = None,
    ) -> None:
        if actions not in ACTIONS:
            raise InputError(f"actions: must be one of {', '.join(ACTIONS)}; received {actions!r}")
        self.actions, self.target = actions, target
        self.scenario = self._actuated(Scenario.load(scenario, changes))
        self.session = Session(self.scenario, period=lasting(control_period, "control_period"))
        self.step, self.model, self._ahead = self.scenario.step, self._checked_model(), RobotAhead.of(self.session)
        self.steps = round(self.session.period / self.step)
        self.period = self.steps * self.step
        soft = isinstance(self.model, Soft)
        self.chain: Any = self.model.robot if soft else self.model.chain
        self.count: int = self.model.freedoms if soft else self.model.chain.freedoms
        self._lay_out()
        self.gait = self.scenario.gait
        self.fields = self._checked_fields(fields)
        self.size = len(self.fields) if self.fields else self.count
        self.scale = self._scales(scale)
        self._allocate()

    # What it is made of

    def _actuated(self, scenario: Scenario) -> Scenario:
        """The scenario with the actuation that its actions need."""
        data = {name: getattr(scenario, name) for name in type(scenario).model_fields}
        if self.actions == "controller" and not scenario.loops:
            raise InputError("actions: 'controller' needs a scenario with a controller with state")
        if scenario.model.kind == "soft" and self.actions not in ("gait", "controller"):
            raise InputError(
                f"actions: tendons and muscles of a soft body pull as its gait says; use actions='gait' with fields of "
                f"the gait {scenario.gait.kind!r}, not {self.actions!r}"
            )
        if self.actions == "torque":
            data |= {"actuation": Torque(), "gait": FunctionGait(function=no_torque, drives="torque")}
        elif self.actions == "target" and scenario.actuation.kind not in ("pd", "servo", "motor"):
            data["actuation"] = ProportionalDerivative()
        if scenario.task is not None:
            raise InputError("a task of statics has no time: there is nothing to learn by acting")
        data.pop("task")
        return Scenario(**data)

    def _checked_model(self) -> Any:
        if self.scenario.driven_by is not None:
            raise InputError("driven_by: an environment is driven by its actions; leave it out")
        if not isinstance(self.session.model, ChainModel | Soft):
            raise InputError(
                f"learning moves chains and soft bodies; the model {self.scenario.model.kind!r} is none of theirs"
            )
        return self.session.model

    def _lay_out(self) -> None:
        """Where numbers stand in what is seen: as in a state of `newton-euler` without spherical joints."""
        n = self.count
        switches = [part.breakpoints(0.0, np.inf) for part in self.scenario.parts() if part is not self.scenario.gait]
        self.lean = (
            isinstance(self.model, NewtonEuler)
            and self.model.explicit
            and self.model._recorder.positions == n
            and not any(switches)
        )
        self.knows_work = isinstance(self.model, NewtonEuler | Soft)
        self.contacts = len(self.model._scene.owner) if isinstance(self.model, HardModel) else 0
        numbers, loop = [str(number) for number in range(self.contacts)], self.model._loop
        self.entries: dict[str, Sequence[str]] = {
            "base_position": AXES,
            "base_orientation": ("w", "x", "y", "z"),
            "joint_position": self.joint_names,
            "base_twist": (*AXES, "rx", "ry", "rz"),
            "joint_velocity": self.joint_names,
            "work": ("J",),
        }
        if self.contacts:
            forces = [f"{number} {axis}" for number in numbers for axis in AXES]
            self.entries |= {"contact_force": forces, "contact_state": numbers}
        if loop is not None and loop.names():
            self.entries["controller_state"] = loop.names()
        ends = accumulate(map(len, self.entries.values()), initial=0)
        self.columns = {name: slice(*place) for name, place in zip(self.entries, pairwise(ends), strict=True)}
        if self.lean:
            columns = {name: place for name, _, place in self.model.state_columns()}  # type: ignore[attr-defined]
            if columns["base_twist"] != self.columns["base_twist"]:
                raise InputError("the state of this model is laid out otherwise")  # never: a slip of ours
            control = slice(0, 0) if loop is None else loop.columns
            self.columns |= {"work": columns["actuator_work"], "controller_state": control}
        self.looks = -1.0 if self.chain.head == "base" else 1.0
        start = Observed(self, 0.0, np.array([0.0, 0.0, 0.0, *self.scenario.initial.orientation]))
        sine, cosine = start.heading
        self.course = (float(cosine), float(sine))

    def _checked_fields(self, fields: Mapping[str, tuple[float, float]] | None) -> dict[str, tuple[float, float]]:
        if self.actions not in ("gait", "controller"):
            if fields:
                raise InputError("fields: belong to actions='gait' or 'controller'")
            return {}
        of_gait, known = self.actions == "gait", [name for name in type(self.gait).model_fields if name != "kind"]
        if not fields:
            has = f"; gait {self.gait.kind!r} has {', '.join(known)}" if of_gait else " of the controller"
            raise InputError(f"actions={self.actions!r} needs fields={{name: (lowest, highest)}}{has}")
        refuse_unknown(fields if of_gait else [], known, f"fields: gait {self.gait.kind!r} has no field")
        for name, ends in fields.items():
            if len(tuple(ends)) != 2 or not all(isinstance(end, int | float) for end in ends):
                raise InputError(f"fields: {name} needs its lowest and its highest number; received {ends!r}")
            if not ends[0] < ends[1]:
                raise InputError(f"fields: {name} from {ends[0]:g} to {ends[1]:g} holds nothing")
            for end in ends:  # each refuses what cannot be
                self.gait.changed(**{name: end}) if of_gait else self.model.retune({name: end})
        if not of_gait:
            self.model.retune({})
        return dict(fields)

    def _scales(self, scale: float | str | Sequence[float | str] | None) -> Array:
        if self.fields:
            return np.ones(self.size)
        limits = self.chain.arrays().torque_limit
        if scale is None and self.actions == "torque":
            if not np.isfinite(limits).all():
                raise InputError("scale: some joints have no torque_limit; give the torque (N m) of an action of 1")
            return limits.copy()
        unit = "N m or N" if self.actions == "torque" else "rad or m"
        given = [0.5] if scale is None else list(scale) if isinstance(scale, list | tuple | np.ndarray) else [scale]
        numbers = np.array([in_unit(one, unit, "scale") for one in given])
        if len(numbers) not in (1, self.count) or not (numbers > 0).all():
            raise InputError(
                f"scale: must be positive, one number or one for each of {self.count} joints; received {scale!r}"
            )
        return np.broadcast_to(numbers, (self.count,)).copy()

    def _allocate(self) -> None:
        """Memory of a control step, once."""
        n, rows = self.count, 1 if self.actions == "torque" else 2 * self.steps + 1
        self._numbers = np.arange(self.steps + 1.0)
        if not self.lean:
            return
        self.drive = ChainDrive(np.zeros((rows, n)), np.zeros((rows, n)), np.zeros((rows, n)), np.zeros((1, n)))
        if self.actions == "controller":  # of what the gait gives
            self.drive = ChainDrive(*map(np.array, self.model.drive(self.gait, stage_times(self._numbers * self.step))))
        self._knots = np.zeros(self.steps + 1)
        self._x = aligned_zeros(self.model._size)  # type: ignore[attr-defined]
        self.problem = self.model.problem(self.drive, 0, None, None)  # type: ignore[attr-defined]
        self._packed = pack((self.problem, self._knots, np.zeros(self.steps + 1, dtype=bool), self._x))

    @property
    def joint_names(self) -> list[str]:
        """Of a soft body, its freedoms cell by cell."""
        if isinstance(self.model, Soft):
            part, cells = self.model.part, enumerate(self.model.plan.cells, 1)
            return [f"{part} {number} {name}" for number, cell in cells for name in cell.names]
        return list(self.chain.joint_names)

    # Motion

    def begin(self, initial: Mapping[str, Any] | None, randomise: Mapping[str, float], chance: Any) -> State:
        """A start: as the scenario has it, with fields of `initial` changed and noise added."""
        start = self.scenario.initial.changed(**initial) if initial else self.scenario.initial
        if start.result is not None:
            raise InputError("initial.result: continue from `env.save()` and `env.restore()` instead")
        if randomise:
            start = start.changed(**self._shaken(start, randomise, chance))
        self.gait = self.scenario.gait
        return self.model.initial_state(start, self.gait)

    def _shaken(self, start: Initial, randomise: Mapping[str, float], chance: Any) -> dict[str, Any]:
        found = {}
        for name, size in randomise.items():
            own = getattr(start, name)
            value = np.zeros(self.count) if own is None else np.array(own)
            noise = chance.uniform(-size, size, value.shape)
            if name in ("position", "twist") and self.chain.base == "planar":
                noise[[2] if name == "position" else [2, 3, 4]] = 0.0
            found[name] = tuple((value + noise).tolist())
        return found

    def commanded(self, action: Array) -> tuple[dict[str, float], Any]:
        """An action as a session takes it: fields of the gait, and what is held."""
        if not self.fields:
            held = self.scale * action
            return {}, held if self.actions == "torque" else JointTarget(held, beside=True)
        pairs = zip(self.fields.items(), action.tolist(), strict=True)
        asked = {name: low + 0.5 * (value + 1.0) * (high - low) for (name, (low, high)), value in pairs}
        if self.actions == "gait":
            return asked, None
        self.model.retune(asked)
        if self.lean:
            map_arrays(np.copyto, self.problem.options.controllers, self.model._loop.tables())
        return {}, None

    def move(self, state: State, action: Array) -> State:
        """One control period. Where nothing moves any more (a joint that is locked) the state is not a number."""
        if not self.lean:
            after, self.gait = self.moved(state, action, self.gait, ahead=self._ahead)
            return after
        np.multiply(self._numbers + round(state.time / self.step), self.step, out=self._knots)
        finish = float(self._knots[-1])
        if self.actions == "torque":
            np.multiply(self.scale, action, out=self.drive.torque[0])
        else:
            fields, held = self.commanded(action)
            passing = self.gait
            if fields:
                passing, self.gait = self.gait.passage(fields, float(self._knots[0]), finish)
            drive = self.model.drive(passing, stage_times(self._knots))
            drive = drive if held is None else self.model.with_torque(drive, held)
            for own, asked in zip(self.drive, drive, strict=True):
                own[:] = asked
        self._x[:] = state.x
        if runge_kutta.advance_part(self._packed, 0, self.steps, 0)[0]:
            self._x[:] = np.nan
        self.model._take_given(self._x, self.drive)  # type: ignore[attr-defined]
        return State(finish, self._x.copy(), state.memory)

    def moved(
        self, state: State, action: Array, gait: Any, kept: list[Any] | None = None, ahead: Any = None
    ) -> tuple[State, Any]:
        """The same through the session, for every model, and from any thread: the state, and the gait that is then in
        force. Records go to `kept`, where it is given; `ahead` is the memory of a robot of the session.
        """
        try:
            return self.session.advanced(state, gait, *self.commanded(action), kept, ahead)
        except SimulationError:
            return State(state.time + self.period, np.full_like(state.x, np.nan), state.memory), gait

    def seen(self, state: State) -> Observed:
        """What there is to see of a state."""
        if self.lean:
            return Observed(self, state.time, state.x)
        found = {**self.model.observe(state), "work": np.zeros(1)}
        if self.knows_work:
            columns = {name: place for name, _, place in self.model.state_columns()}  # type: ignore[attr-defined]
            found["work"] = state.x[columns["actuator_work"]]
        parts = [np.asarray(found[name], dtype=np.float64).ravel() for name in self.entries]
        return Observed(self, state.time, np.concatenate(parts))

    def wanted(self, seen: Observed) -> tuple[Any, Any]:
        """Direction (x, y) in which the head should look: the course, or the target."""
        if self.target is None:
            return self.course
        x, y = (self.target[number] - seen.position[..., number] for number in range(2))
        size = np.sqrt(x * x + y * y) + 1e-300
        return x / size, y / size

    @property
    def cycle(self) -> float | None:
        return self.gait.cycle


def lasting(value: float | str | None, what: str) -> float | None:
    """A time, s or with its unit, that an argument gives; None where it is not given."""
    found = None if value is None else in_unit(value, "s", what)
    if found is not None and not 0.0 < found < np.inf:
        raise InputError(f"{what}: must be positive; received {value!r}")
    return found


def shaking(randomise: Mapping[str, float | str] | None) -> dict[str, float]:
    """Half widths of the noise on a start, by what they shake."""
    units = {"joint_position": "rad or m", "joint_velocity": "rad/s or m/s", "position": "m", "twist": "m/s or rad/s"}
    found = {}
    for name, size in (randomise or {}).items():
        if name not in units:
            raise InputError(f"randomise: {name!r} cannot be; {nearest(name, units)}")
        found[name] = in_unit(size, units[name], f"randomise: {name}")
        if not 0.0 <= found[name] < np.inf:
            raise InputError(f"randomise: {name} must be zero or positive; received {size!r}")
    return found


def sound(values: Array) -> Any:
    """Whether what is seen is a motion: finite, and not far out of this world. One answer per robot."""
    size = values.dot(values) if values.ndim == 1 else np.einsum("ij,ij->i", values, values)
    return size < WIDEST**2  # false for what is not a number


__all__ = ["ACTIONS", "ControlledRun", "Observed", "lasting", "no_torque", "shaking", "sound"]
