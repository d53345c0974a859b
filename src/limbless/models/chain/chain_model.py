"""`ChainModel`: what the models of a chain share, from a checked robot to the variables of a result."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.control.actuation import Actuation, Switched
from limbless.control.actuation.feedback import Motor, SampledReference
from limbless.control.actuation.gait_to_joints import joint_motion
from limbless.control.controllers.base import ClosedLoop
from limbless.control.gaits.base import Gait
from limbless.core import Array, InputError
from limbless.environments import Clamp, Environment, together
from limbless.mechanics.algebra import rotation_vector_to_quaternion
from limbless.mechanics.chain import (
    AxisRecord,
    BaseRecord,
    BodyRecord,
    ChainDrive,
    ChainTables as RobotTables,
    HeldBody,
    LinkRow,
    Motors,
    Spherical,
)
from limbless.mechanics.compiled import kernel_array, map_arrays
from limbless.mechanics.integrate.running_totals import UNLIMITED, JointRange
from limbless.models import (
    RUNGE_KUTTA,
    Model,
    Records,
    State,
    Status,
    StepLimit,
    TotalsStore,
    Variable,
    Variables,
    actuation_or_motion,
    chain_rate,
    divergence,
    filled,
    friction_limit,
    numbers,
)
from limbless.models.chain import chain_problem
from limbless.models.chain.chain_recorder import SCHEMA, LinkRecorder
from limbless.models.chain.control_tables import ChainLoop, MotorBank, layout_of, named
from limbless.models.chain.switching import CLAMP_SCHEMA, Switching, clamp_variables, held_body, refuse_clamps
from limbless.models.recording.body_recorder import contiguous
from limbless.robots import Chain, Preset, Robot

if TYPE_CHECKING:
    import xarray as xr


class ChainModel(Model):
    """A chain in its environment under an actuation; a model adds its equations and its loop.

    A state begins with the coordinates of the base and of the joints, then come the speeds of both. Unless a model says
    otherwise (`_lay_out`) those of the base are position, quaternion and twist in the base frame.
    """

    name: ClassVar[str]
    """What the model is called in sentences."""
    _schema: dict[str, Variable] = SCHEMA
    settings: Any
    switching: Switching | None = None
    _interval: float = RUNGE_KUTTA
    """Largest step times rate of a damper with which the model's scheme is stable: see models/step_limit.py."""
    _touching: ClassVar[bool] = False
    """Whether it knows contacts."""

    def __init__(
        self, robot: Robot | Preset, environment: Sequence[Environment] | Environment, actuation: Actuation | None
    ) -> None:
        built = robot.build() if isinstance(robot, Robot | Preset) else robot
        if not isinstance(built, Chain):
            raise InputError(f"the {self.name} model moves a chain; got {type(built).__name__}")
        if built.tendons:
            raise InputError(
                f"robot.tendons: the {self.name} model knows none; leave them out, or set model.kind to soft"
            )
        self.chain = self.robot = built
        self.actuation = actuation_or_motion(actuation)
        self.environment = together(environment)
        for item in self.environment:
            if not isinstance(item, Environment):
                raise InputError(f"the environment holds things such as Water() and Gravity(); got {item!r:.60}")
        self._refuse()
        self._pushing = [item for item in self.environment if self._pushes(item)]
        self._forces, added, self._packs = chain_problem.pack_environment(built, self._pushing)
        self._plain = self._tables_of(added)
        self._actuated, self._feedback = chain_problem.actuate(self._plain, self.actuation, built.base)
        self._any_free = bool((LinkRow.of(self._actuated.links).given[1:] == 0).any())
        self._has_passive = chain_problem.has_passive(self._plain)
        self._recorder = LinkRecorder(built, self._plain.links, self._packs)
        self._lay_out(7, 6)
        self._loop: ChainLoop | None = None
        self._motors: MotorBank | None = None
        if isinstance(self.actuation, Motor):
            self._motors = MotorBank(self.actuation, built, self._actuated)
            self._recorder.rotors = self._motors.rotors
        self._tallies = self._tallies_of(0)
        self.clamps = [item for item in self.environment if isinstance(item, Clamp)]
        refuse_clamps(self.clamps, self.environment, built)

    def _prepare_switches(self) -> Switching | None:
        """Clamps and phases of the runs of a model that is ready otherwise; None where nothing changes on the way."""
        return Switching(self, self.clamps) if self.clamps or isinstance(self.actuation, Switched) else None

    def under(self, actuation: Actuation) -> Self:
        """The same model under another actuation."""
        return type(self)(self.chain, self.environment, actuation, self.settings)  # type: ignore[call-arg]

    def given_joints(self) -> NDArray[np.bool_]:
        """(joints,): which are motion-given."""
        return chain_problem.given_freedoms(self._actuated)

    # What a model may say of itself

    def _refuse(self) -> None:
        """Refuse a chain, an environment or an actuation that the model does not take."""

    def _pushes(self, item: Environment) -> bool:
        """Whether an environment acts by forces that are packed and counted, law by law."""
        return item.role != "clamp"

    def _tables_of(self, added: Array) -> RobotTables:
        """The chain in tables, with the added inertia of its environment."""
        return chain_problem.robot_of(self.chain, added)

    def _lay_out(self, coordinates: int, speeds: int) -> None:
        """Where a state whose base has so many coordinates and speeds holds the joints."""
        self._split = coordinates + self._recorder.positions
        self._joints = slice(coordinates, self._split)
        self._rates = slice(self._split + speeds, self._split + speeds + self.chain.freedoms)

    def _tallies_of(self, contacts: int) -> TotalsStore:
        """The tally of a chain with so many contacts."""
        return TotalsStore(
            self.chain.arrays().torque_limit, self._pushing, contacts, ranges=self._ranges(), packs=self._packs
        )

    def _ranges(self) -> Array:
        """`JointRange` of every degree of freedom, with its place in a state; empty where no joint has limits."""
        arrays = self.chain.arrays()
        limited = (np.isfinite(arrays.lower) | np.isfinite(arrays.upper)).any()
        freedoms = np.where(arrays.joint_kind[1:] == Spherical.code, 3, 1)
        ranges = filled(
            JointRange,
            self.chain.freedoms if limited else 0,
            lower=np.maximum(arrays.lower, -UNLIMITED),
            upper=np.minimum(arrays.upper, UNLIMITED),
            column=self._joints.start + np.repeat(arrays.position_column[1:], freedoms),
        )
        return np.asarray(ranges)

    # Controllers with state

    def close_loop(self, controllers: Sequence[ClosedLoop], step: float, gait: Any = None) -> None:
        if self.clamps:
            raise InputError("controller: a robot that is clamped takes none with state; leave out the clamp")
        layout = layout_of(self.chain, self._actuated, step, gait, self._controlled)
        self._loop = ChainLoop(controllers, layout._replace(touching=self._touching), self.actuation)

    @property
    def _parts(self) -> list[MotorBank | ChainLoop]:
        """What has numbers of its own in a state: motors and a controller."""
        return [part for part in (self._motors, self._loop) if part is not None]

    @property
    def _controlled(self) -> int:
        """How many numbers of a state belong to motors and a controller."""
        return sum(part.count for part in self._parts)

    def _started(self, x: Array) -> State:
        """The state at time 0, with the numbers of motors and of a controller where they start."""
        joints = np.concatenate([x[self._joints], x[self._rates]])
        return State(0.0, x, named([name for part in self._parts for name in part.start(x, joints)]))

    # The start

    def _position_columns(self, joint_position: Array) -> Array:
        """Joint positions with the rotation vectors of spherical joints as quaternions."""
        if self._recorder.positions == self.chain.freedoms:
            return joint_position
        arrays, turns = self.chain.arrays(), rotation_vector_to_quaternion
        columns = [
            turns(joint_position[v : v + 3]) if kind == Spherical.code else joint_position[v : v + 1]
            for kind, v in zip(arrays.joint_kind[1:], arrays.velocity_column[1:], strict=True)
        ]
        return np.concatenate(columns)

    def _put_joints(self, x: Array, initial: Any, gait: Gait, moving: bool = True) -> None:
        """Joints of the start into a state: as given, or where the gait has them (and,
        `moving`, as fast as it does).
        """
        n = self.chain.freedoms
        start, rates = self._position_columns(np.zeros(n)), np.zeros(n)
        if gait.drives != "torque":
            motion = joint_motion(self.chain, gait, np.zeros(1))
            start, rates = motion.position[0], motion.velocity[0] if moving else rates
        if initial.joint_position is not None:
            start = self._position_columns(numbers("initial.joint_position", initial.joint_position, n))
        if initial.joint_velocity is not None:
            rates = numbers("initial.joint_velocity", initial.joint_velocity, n)
        x[self._joints], x[self._rates] = start, rates

    def _start(self, size: int, initial: Any, gait: Gait, moving: bool = True) -> Array:
        """A flat state of so many numbers: pose and twist of the base as given, and the joints."""
        x = np.zeros(size)
        x[:3], x[3:7], x[self._split :][:6] = initial.position, initial.orientation, initial.twist
        chain_problem.check_twist(self.chain.base, "initial.twist", np.array(initial.twist))
        self._put_joints(x, initial, gait, moving)
        return x

    # On the way

    def with_joints(self, state: State, position: Array, velocity: Array) -> State:
        """The state with these joint positions and velocities; its base is where it is."""
        x = state.x.copy()
        x[self._joints], x[self._rates] = self._position_columns(position), velocity
        return State(state.time, x, state.memory)

    def advance(
        self, state: State, knots: Array, record: NDArray[np.bool_], drive: ChainDrive
    ) -> tuple[State, Records, Status]:
        """Steps from knot to knot."""
        if self.switching is None:
            return super().advance(state, knots, record, drive)
        return self.switching.advance(state, knots, record, drive)

    def after_jump(self, before: Array, x: Array) -> None:
        """Put a state in order whose velocities have jumped."""

    def _held_body(self) -> HeldBody | None:
        """Memory of a clamp, open; None where the environment has none."""
        return held_body(self.chain.base) if self.clamps else None

    def _motor_tables(self) -> Motors | None:
        """Motors with memory of their own; None where actuators give what is asked of them."""
        return None if self._motors is None else map_arrays(np.copy, self._motors.tables)

    def drive(self, gait: Any, times: Array) -> ChainDrive:
        """The gait at the stage times, as joint motion or as torques."""
        n = self.chain.freedoms
        if gait.drives != "torque":
            if not isinstance(self.actuation, SampledReference):
                return ChainDrive(*joint_motion(self.chain, gait, times), np.zeros((1, n)))
            read, moves = self.actuation.read(times)
            position, velocity, acceleration = joint_motion(self.chain, gait, read)
            return ChainDrive(position, velocity * moves[:, None], acceleration * moves[:, None], np.zeros((1, n)))
        torque = kernel_array(gait.sample(times, np.arange(n, dtype=np.float64)).value)
        return ChainDrive(np.zeros((1, self._recorder.positions)), np.zeros((1, n)), np.zeros((1, n)), torque)

    def step_limit(self, state: State) -> StepLimit | None:
        if self.switching is not None and self.switching.decides_all:
            return None  # there is nothing to brake
        joints, height = state.x[self._joints], float(state.x[2])
        rate = chain_rate(self.chain, self._plain, self._any_free, self._packs, joints, height)
        limit = friction_limit(rate, self._interval, self._packs)
        limits = (limit, *(part.step_limit(self._interval) for part in self._parts))
        return min((found for found in limits if found is not None), default=None)

    def commanded(self, torque: ArrayLike) -> Array:
        """A controller's torques, one for each degree of freedom."""
        if not self._any_free:
            raise InputError(
                "a controller may give torques only to torque-given joints; use actuation 'pd' or 'torque'"
            )
        return numbers("the controller's torque", torque, len(self._plain.freedoms))

    @cached_property
    def _all_follow(self) -> bool:
        """Whether all joints follow by feedback."""
        return self._feedback and not self.given_joints().any()

    def targeted(self, position: ArrayLike) -> Array:
        if not self._all_follow:
            raise InputError(
                "joint_position: a controller may give targets only to joints that all follow by feedback; use "
                "actuation 'pd', 'servo' or 'motor'"
            )
        return self._position_columns(numbers("the controller's joint_position", position, self.chain.freedoms))

    def observe(self, state: State) -> dict[str, Array]:
        """Time, base and joints, for a controller, and the numbers of one with state."""
        x = state.x
        looped = {} if self._loop is None else {"controller_state": x[self._loop.columns].copy()}
        return {
            **looped,
            "time": np.float64(state.time),  # type: ignore[dict-item]
            "base_position": x[:3].copy(),
            "base_orientation": x[3:7].copy(),
            "base_twist": x[self._split : self._split + 6].copy(),
            "joint_position": self._joint_position(x),
            "joint_velocity": x[self._rates].copy(),
        }

    def _joint_position(self, x: Array) -> Array:
        """One number for each degree of freedom of a state."""
        if self._recorder.positions == len(self._plain.freedoms):
            return x[self._joints].copy()
        return self._recorder.joint_position(x[None, self._joints])[0]

    # What is sound

    def sound_records(self, records: Records) -> int:
        """Of the state and what follows from it at once: the rest is made of them."""
        base, axes = BaseRecord.of(records["base"]), AxisRecord.of(records["axes"])
        return divergence.sound_records(
            {
                "time": records["time"],
                "x": records["x"],
                "base_rate": base.acceleration,
                "acceleration": axes.acceleration,
                "torque": axes.torque,
                "twist": np.asarray(BodyRecord.of(records["bodies"]).twist),
            }
        )

    def fastest(self, records: Records) -> str:
        speeds = np.linalg.norm(BodyRecord.of(records["bodies"]).twist[-1, :, :3], axis=-1)
        return f"body {int(speeds.argmax())}"

    # What is recorded

    def variables(self, records: Records) -> Variables:
        """The variables of a result from recorded states and the tally."""
        found, x = self._recorder.variables(records), records["x"]
        for part in self._parts:
            found |= part.variables(x, x[:, self._rates])
        found |= clamp_variables(records) if self.clamps else {}
        return Variables({**contiguous(found), **self._tallies.variables(records)})

    def schema(self) -> dict[str, Variable]:
        found = {**self._schema, **(CLAMP_SCHEMA if self.clamps else {})}
        for part in (self._recorder.water, *self._parts, self._tallies):
            found |= part.schema()
        if self.chain.stretches:
            return found
        of_joints = {name: one for name, one in found.items() if one.dims == ("joint",)}  # all of which turn
        return found | {name: one._replace(units=one.units.partition(" or ")[0]) for name, one in of_joints.items()}

    def remarks(self, dataset: xr.Dataset) -> list[str]:
        return self._recorder.water.remarks(dataset)

    def coordinates(self) -> dict[str, Any]:
        looped = {} if self._loop is None else self._loop.coordinates()
        return {**self._recorder.coordinates(), **looped, **self._tallies.coordinates()}
