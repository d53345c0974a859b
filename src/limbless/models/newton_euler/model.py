"""`NewtonEuler`: a chain in its environment, one state at a time or through time."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.actuation import Actuation, Motion
from limbless.actuation.joints import joint_motion
from limbless.environments.base import Environment, together
from limbless.errors import InputError, SimulationError
from limbless.gaits.base import Gait
from limbless.mechanics.algebra.rotations import rotation_vector_to_quaternion
from limbless.mechanics.chain import problem as _chain_versions  # noqa: F401 - what an engine asks of a chain
from limbless.mechanics.chain.actuation import passive_torques
from limbless.mechanics.chain.joints import Spherical
from limbless.mechanics.chain.tables import (
    INTEGRALS,
    Actuated,
    Answering,
    Body,
    ChainProblem,
    Drive,
    Freedom,
    Imposed,
    Link,
    Options,
)
from limbless.mechanics.compiled.kernel import kernel_array
from limbless.mechanics.integrate import runge_kutta
from limbless.models import chain_problem as assembly
from limbless.models.arguments import numbers, unit_quaternion
from limbless.models.base import (
    Block,
    Model,
    ModelSettings,
    State,
    Status,
    Variable,
    before_failure,
    law_failure,
    refuse_law_failure,
)
from limbless.models.chain_evaluation import Evaluation
from limbless.models.chain_recording import SCHEMA, Recorder
from limbless.models.newton_euler.solution import Solution
from limbless.models.newton_euler.terms import AT_REST, Terms
from limbless.models.resolution import RUNGE_KUTTA, StepLimit, chain_rate, friction_limit
from limbless.models.tallies import Tallies
from limbless.robots.base import Preset, Robot
from limbless.robots.chain import Chain

Array = NDArray[np.float64]
# m/s: residual at which a step with set-valued wheels is solved; torques show first what is left
FRICTION_TOLERANCE = 1e-12
_SINGULAR = ("the accelerations are not determined: the base or a spherical joint has no inertia to move; "
             "give the links mass and inertia, or the joint a rotor_inertia")


class NewtonEuler(Terms, Model):
    """Recursive Newton-Euler dynamics of a serial chain with a free, planar or fixed base, O(n).

    Parameters
    ----------
    robot : a `Chain`, or a preset that builds one.
    environment : what acts on it; wrench environments only.
    actuation : how a gait drives it in a simulation (default: imposed motion). `inverse`, `forward` and `hybrid` do not
        use it.
    """

    def __init__(self, robot: Robot | Preset, environment: Sequence[Environment] | Environment = (),
                 actuation: Actuation | None = None) -> None:
        built = robot.build() if isinstance(robot, Robot | Preset) else robot
        if not isinstance(built, Chain):
            raise InputError(f"the Newton-Euler model moves a chain; got {type(built).__name__}")
        self.chain = self.robot = built
        self.actuation = actuation or Motion()
        self.environment = together(environment)
        for item in self.environment:
            if not isinstance(item, Environment):
                raise InputError(f"the environment holds things such as Water() and Gravity(); got {item!r:.60}")
        self._forces, added, self._packs = assembly.pack_environment(built, self.environment)
        self._plain = assembly.robot_of(built, added)
        self._robot, feedback = assembly.actuate(self._plain, self.actuation, built.base)
        self._base = assembly.BASES[built.base]
        self._any_free = bool((Link.of(self._robot.links).given[1:] == 0).any())
        freedom = Freedom.of(self._robot.freedoms)
        self._has_passive = any(np.any(column != 0.0) for column in (
            freedom.coulomb, freedom.viscous, freedom.stiffness, freedom.rest, freedom.damping))
        self._options = self._choose(feedback, bool((freedom.inertia_gain > 0.0).any()))
        self._evaluations: dict[bytes, Evaluation] = {}
        self._terms = {}
        self._split = int(Link.of(self._robot.links).velocity[0])
        self._given_positions, self._given_velocities = assembly.given_columns(self._robot)
        self._size = assembly.state_size(self._robot)
        self._recorder = Recorder(built, self._plain.links, self._packs)
        self._tallies = Tallies(built.arrays().torque_limit, self.environment)

    def _choose(self, feedback: bool, leads: bool) -> Options:
        """What the actuation asks of the kernels: chosen by type, so that what is not used is not compiled."""
        forecasts = feedback and getattr(self.actuation, "feedforward", False)
        actuated = Actuated() if self._any_free or self._has_passive else Imposed()
        return Options(Answering() if leads or forecasts else actuated, self._base, feedback, forecasts,
                       self._plain.links.codes)

    def problem(self, drive: Drive, records: int, tally: Any, tallied: Any) -> ChainProblem:
        """Everything that an engine needs, with memory of its own: two runs of one model are two problems."""
        return ChainProblem(self._robot, assembly.fresh(self._forces), self._options, drive,
                            assembly.memory_of(self._robot, len(self.environment), tally),
                            assembly.records_of(self._robot, records, tallied))

    # One state at a time

    def inverse(self, joint_position: ArrayLike, joint_velocity: ArrayLike, joint_acceleration: ArrayLike,
                base_twist: ArrayLike = AT_REST, **instant: Any) -> Solution:
        """Joint motion given: base acceleration and joint torques (paper 001, (17)-(28)). Arguments as `hybrid`."""
        given = np.ones(self.chain.freedoms, dtype=bool)
        return self.hybrid(given, joint_position, joint_velocity, joint_acceleration, None, base_twist, **instant)

    def forward(self, joint_position: ArrayLike, joint_velocity: ArrayLike, joint_torque: ArrayLike,
                base_twist: ArrayLike = AT_REST, **instant: Any) -> Solution:
        """Joint torques given: accelerations of base and joints (paper 001, (32)-(43)). Arguments as `hybrid`."""
        given = np.zeros(self.chain.freedoms, dtype=bool)
        return self.hybrid(given, joint_position, joint_velocity, None, joint_torque, base_twist, **instant)

    def hybrid(self, motion_given: ArrayLike, joint_position: ArrayLike, joint_velocity: ArrayLike,
               joint_acceleration: ArrayLike | None,
               joint_torque: ArrayLike | None, base_twist: ArrayLike = AT_REST, *,
               base_position: ArrayLike = (0.0, 0.0, 0.0),
               base_orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0), time: float = 0.0) -> Solution:
        """Each degree of freedom either motion-given or torque-given.

        Parameters
        ----------
        motion_given : (freedoms,) which ones follow `joint_acceleration`; the others get `joint_torque`.
        joint_position : (freedoms,) rad or m; a spherical joint's three are a rotation vector.
        joint_velocity, joint_acceleration : (freedoms,); a spherical joint's three are along axes fixed to the child
            that are parallel to the base's when all joints are at zero.
        joint_torque : (freedoms,) what the actuators give, N m or N.
        base_twist : (6,) linear and angular velocity in the base frame.
        base_position, base_orientation, time : pose of the base in the world (quaternion scalar first) and time, where
            they matter.
        """
        n = self.chain.freedoms
        mask = np.asarray(motion_given, dtype=bool)
        if mask.shape != (n,):
            raise InputError(f"motion_given must have {n} entries, one per degree of freedom; got shape {mask.shape}")
        now = self.evaluation(mask)
        self._place(now, joint_position, joint_velocity, base_twist, base_position, base_orientation)
        now.acceleration[6:] = (0.0 if joint_acceleration is None
                                else numbers("joint_acceleration", joint_acceleration, n))
        torque = np.zeros(n) if joint_torque is None else numbers("joint_torque", joint_torque, n)
        passive = self._passive(now)
        now.torque[:] = torque + passive
        now(time)
        self._refuse_failure(now, time)
        base, R = now.acceleration[:6].copy(), Body.of(now.bodies).rotation[0].reshape(3, 3)
        base[:3] += np.cross(now.velocity[3:6], now.velocity[:3])
        hold = np.concatenate([R.T @ now.held[:3], R.T @ now.held[3:]])
        return Solution(base, now.acceleration[6:].copy(), np.where(mask, now.torque - passive, torque), hold)

    def _place(self, now: Evaluation, joint_position: ArrayLike, joint_velocity: ArrayLike, base_twist: ArrayLike,
               base_position: ArrayLike, base_orientation: ArrayLike) -> None:
        """Put a checked state into an evaluation."""
        n = self.chain.freedoms
        now.position[:3], now.position[3:7] = numbers("base_position", base_position,
                                                      3), unit_quaternion(base_orientation)
        now.position[7:] = self._position_columns(numbers("joint_position", joint_position, n))
        now.velocity[:6] = numbers("base_twist", base_twist, 6)
        now.velocity[6:] = numbers("joint_velocity", joint_velocity, n)
        assembly.check_twist(self.chain.base, "base_twist", now.velocity[:6])

    def evaluation(self, motion_given: NDArray[np.bool_]) -> Evaluation:
        """The lean door: arrays to fill, one call without checks, arrays to read. One per choice of motion-given
        joints.
        """
        key = motion_given.tobytes()
        if key not in self._evaluations:
            self._evaluations[key] = Evaluation(assembly.mark_given(self._plain, motion_given), self._base,
                                                self._forces)
        return self._evaluations[key]

    def _passive(self, now: Evaluation) -> Array:
        """Torques of springs, dampers and friction in the joints."""
        passive = np.zeros(self.chain.freedoms)
        if self._has_passive:
            passive_torques(now.robot, np.concatenate([now.position, now.velocity]), passive)
        return passive

    def _refuse_failure(self, now: Evaluation, time: float) -> None:
        """A law that raised, a joint without inertia, or a body without any."""
        refuse_law_failure(self.environment)
        row = now.locked()
        if row:
            raise SimulationError(self._locked_sentence(row), time=time, place=self._joint_of_row(row))
        if not (np.isfinite(now.acceleration).all() and np.isfinite(now.torque).all()):
            raise SimulationError(_SINGULAR, time=time)

    def _position_columns(self, joint_position: Array) -> Array:
        """Joint positions with the rotation vectors of spherical joints as quaternions."""
        if self._split == 7 + self.chain.freedoms:
            return joint_position
        arrays, columns = self.chain.arrays(), []
        for kind, v in zip(arrays.joint_kind[1:], arrays.velocity_column[1:], strict=True):
            spherical = kind == Spherical.code
            columns.append(rotation_vector_to_quaternion(joint_position[v:v + 3]) if spherical
                           else joint_position[v:v + 1])
        return np.concatenate([np.zeros(0), *columns])

    def _joint_of_row(self, row: int) -> str:
        return self.chain.joint_names[int(Link.of(self._plain.links).column[row])]

    def _locked_sentence(self, row: int) -> str:
        return (f"joint {self._joint_of_row(row)!r} has no inertia to move (gimbal lock of massless links, or a link "
                "without inertia about "
                "its axis); give it a rotor_inertia, use a spherical joint, or keep away from this posture")

    # Through time

    def initial_state(self, initial: Any, gait: Gait) -> State:
        """The state at time 0: pose and twist as given, joints as given or where the gait has them."""
        n, x = self.chain.freedoms, np.zeros(self._size)
        x[:3], x[3:7], x[self._split:][:6] = initial.position, initial.orientation, initial.twist
        assembly.check_twist(self.chain.base, "initial.twist", np.array(initial.twist))
        if gait.drives == "torque":
            start, rates = self._position_columns(np.zeros(n)), np.zeros(n)
        else:
            motion = joint_motion(self.chain, gait, np.zeros(1))
            start, rates = motion.position[0], motion.velocity[0]
        if initial.joint_position is not None:
            start = self._position_columns(numbers("initial.joint_position", initial.joint_position, n))
        if initial.joint_velocity is not None:
            rates = numbers("initial.joint_velocity", initial.joint_velocity, n)
        x[7:self._split], x[self._split + 6:][:n] = start, rates
        return State(0.0, x)

    def drive(self, gait: Any, times: Array) -> Drive:
        """The gait at the stage times, as joint motion or as torques."""
        n = self.chain.freedoms
        wants = "torque" if self.actuation.kind == "torque" else "motion"
        speaks = "torque" if gait.drives == "torque" else "motion"
        if wants != speaks:
            raise InputError(f"actuation {self.actuation.kind!r} needs a gait that drives "
                             f"{'torque' if wants == 'torque' else 'shape or joint'}; this one drives {gait.drives!r}")
        if speaks == "torque":
            torque = kernel_array(gait.sample(times, np.arange(n, dtype=np.float64)).value)
            return Drive(np.zeros((1, self._split - 7)), np.zeros((1, n)), np.zeros((1, n)), torque)
        return Drive(*joint_motion(self.chain, gait, times), np.zeros((1, n)))

    def step_limit(self, state: State) -> StepLimit | None:
        rate = chain_rate(self.chain, self._plain, self._any_free, self._packs, state.x[7:self._split])
        return friction_limit(rate, RUNGE_KUTTA, self._packs)

    def with_torque(self, drive: Drive, torque: ArrayLike) -> Drive:
        """The drive with a joint torque added, held over the block: a controller's array command."""
        if not self._any_free:
            raise InputError("a controller may give torques only to torque-given joints; use actuation 'pd' or "
                             "'torque'")
        return drive._replace(torque=drive.torque + numbers("the controller's torque", torque, self.chain.freedoms))

    def advance(self, state: State, knots: Array, record: NDArray[np.bool_],
                drive: Drive) -> tuple[State, Block, Status]:
        """Runge-Kutta steps from knot to knot."""
        x, times = state.x.copy(), knots[record]
        tally = self._tallies.start(state.memory, state.time)
        problem = self.problem(drive, len(times), tally, self._tallies.records(len(times)))
        row, step = runge_kutta.advance(problem, knots, record, x)
        kept = assembly.kept_arrays(problem.records)
        self._take_given(x, drive)
        done = float(knots[min(step, len(knots) - 1)])
        status = (Status(self._locked_sentence(row), done, self._joint_of_row(row)) if row
                  else law_failure(self.environment))
        first = len(times) > 0 and times[0] == state.time == 0.0
        if not status.failure and first and not np.isfinite(kept["base"][0]).all():
            status = Status(_SINGULAR, 0.0)
        if status.failure:
            reached = int(before_failure(times, status).sum())
            times, kept = times[:reached], {name: array[:reached] for name, array in kept.items()}
        return State(done, x, {**state.memory, **self._tallies.named(tally)}), {"time": times, **kept}, status

    def _take_given(self, x: Array, drive: Drive) -> None:
        """Motion-given joints stand where the drive has them at the last knot (the last step left them at its start).
        """
        p, v = self._given_positions, self._given_velocities
        x[7 + p], x[self._split + 6 + v] = drive.position[-1, p], drive.velocity[-1, v]

    def variables(self, block: Block) -> Block:
        """The variables of a result from recorded states."""
        return {**self._recorder.block(block["time"], assembly.named_records(block), self._split),
                **self._tallies.variables(block)}

    def observe(self, state: State) -> dict[str, Array]:
        """Time, base and joints, for a controller."""
        x, n = state.x, self.chain.freedoms
        return {
            "time": np.float64(state.time), "base_position": x[:3].copy(), "base_orientation": x[3:7].copy(),
            # type: ignore[dict-item]
            "base_twist": x[self._split:][:6].copy(),
            "joint_position": self._recorder.joint_position(x[None, 7:self._split])[0],
            "joint_velocity": x[self._split + 6:][:n].copy(),
        }

    def state_columns(self) -> list[tuple[str, str, slice]]:
        """Where named variables stand in the flat state: name, dimension (or none), columns."""
        split, work = self._split, self._size - INTEGRALS
        return [("base_position", "axis", slice(0, 3)), ("base_orientation", "quaternion", slice(3, 7)),
                ("base_twist", "screw", slice(split, split + 6)), ("actuator_work", "", slice(work, work + 1))]

    def schema(self) -> dict[str, Variable]:
        return {**SCHEMA, **self._tallies.schema()}

    def coordinates(self) -> dict[str, Any]:
        return {**self._recorder.coordinates(), **self._tallies.coordinates()}


class NewtonEulerSettings(ModelSettings):
    """Recursive Newton-Euler dynamics of a serial chain (Khalil, Gallot and Boyer 2007)."""

    kind: Literal["newton-euler"] = "newton-euler"
    takes_robots: ClassVar[tuple[str, ...]] = ("chain",)
    takes_roles: ClassVar[tuple[str, ...]] = ("wrench", "friction")
    takes_actuations: ClassVar[tuple[str, ...]] = ("motion", "torque", "pd")
    takes_drives: ClassVar[tuple[str, ...]] = ("shape", "joint", "torque")

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> Model:
        """Velocities jump under set-valued wheels: the same equations are then stepped by Moreau's rule, in the
        non-smooth model.

        Imported only then: the two models know nothing else of each other.
        """
        if any(item.role == "friction" for item in environment):
            from limbless.models.nonsmooth.model import NonSmooth, NonSmoothSettings
            try:
                return NonSmooth(robot, environment, actuation, NonSmoothSettings(tolerance=FRICTION_TOLERANCE))
            except InputError as error:
                raise InputError(f"newton-euler with set-valued wheels is stepped by the non-smooth model: {error}; "
                                 "or give the wheels `law: regularised`") from None
        return NewtonEuler(robot, environment, actuation)
