"""`NewtonEuler`: a chain in its environment, one state at a time or through time."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.actuation import Actuation, Motion
from limbless.environments.base import Environment, together
from limbless.errors import InputError, SimulationError
from limbless.gaits.base import Gait
from limbless.mechanics.algebra.rotations import rotation_vector_to_quaternion
from limbless.mechanics.chain import row_motion as chain_motion
from limbless.mechanics.chain import rows as kernels
from limbless.mechanics.chain.row_motion import INTEGRALS, DriveTable, Setting
from limbless.mechanics.compiled.kernel import kernel_array
from limbless.mechanics.integrate.tally import Tally
from limbless.models import chain_tables as assembly
from limbless.models.arguments import numbers, unit_quaternion
from limbless.models.base import Block, Model, ModelSettings, State, Status, Variable, law_failure, refuse_law_failure
from limbless.models.chain_recording import SCHEMA, Recorder
from limbless.models.newton_euler.evaluation import Evaluation
from limbless.models.newton_euler.solution import Solution
from limbless.models.newton_euler.terms import AT_REST, Terms
from limbless.models.resolution import RUNGE_KUTTA, StepLimit, chain_rate, friction_limit
from limbless.models.tallies import Tallies
from limbless.robots.base import Preset, Robot
from limbless.robots.chain import Chain

Array = NDArray[np.float64]
FRICTION_TOLERANCE = 1e-12           # m/s: residual at which a step with set-valued wheels is solved; torques show first what is left
_SINGULAR = ("the accelerations are not determined: the base or a spherical joint has no inertia to move; "
             "give the links mass and inertia, or the joint a rotor_inertia")


class NewtonEuler(Terms, Model):
    """Recursive Newton-Euler dynamics of a serial chain with a free, planar or fixed base, O(n).

    Parameters
    ----------
    robot : a `Chain`, or a preset that builds one.
    environment : what acts on it; wrench environments only.
    actuation : how a gait drives it in a simulation (default: imposed motion). `inverse`, `forward` and `hybrid` do not use it.
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
        self._laws, added = assembly.pack_environment(built, self.environment)
        self._plain = assembly.chain_table(built, added)
        self._table, feedback = assembly.actuate(self._plain, self.actuation, built.base)
        self._base = assembly.BASES[built.base]
        any_free = bool((self._table.layout[1:, kernels.GIVEN] == 0).any())
        self._has_passive = bool(np.any(self._table.joints[:, kernels.COULOMB:kernels.DAMPING + 1] != 0.0))
        leads = bool((self._table.joints[:, kernels.INERTIA_GAIN] > 0.0).any())
        forecasts = feedback and getattr(self.actuation, "feedforward", False)
        self._setting = Setting(self._base, any_free, feedback, not (any_free or self._has_passive), leads, forecasts,
                                self._plain.layout)
        self._evaluations: dict[bytes, Evaluation] = {}
        self._terms = {}
        self._split = 7 + int(self._table.layout[0, kernels.LAYOUT_POSITIONS])
        self._given_positions, self._given_velocities = assembly.given_columns(self._table)
        self._size = self._split + 6 + built.freedoms + INTEGRALS
        self._scratch = assembly.scratch(self._table, self._size)
        self._recorder = Recorder(built, self._table, self._laws)
        self._tallies = Tallies(built.arrays().torque_limit, self.environment)

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

    def hybrid(self, motion_given: ArrayLike, joint_position: ArrayLike, joint_velocity: ArrayLike, joint_acceleration: ArrayLike | None,
               joint_torque: ArrayLike | None, base_twist: ArrayLike = AT_REST, *, base_position: ArrayLike = (0.0, 0.0, 0.0),
               base_orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0), time: float = 0.0) -> Solution:
        """Each degree of freedom either motion-given or torque-given.

        Parameters
        ----------
        motion_given : (freedoms,) which ones follow `joint_acceleration`; the others get `joint_torque`.
        joint_position : (freedoms,) rad or m; a spherical joint's three are a rotation vector.
        joint_velocity, joint_acceleration : (freedoms,); a spherical joint's three are along axes fixed to the child that are
            parallel to the base's when all joints are at zero.
        joint_torque : (freedoms,) what the actuators give, N m or N.
        base_twist : (6,) linear and angular velocity in the base frame.
        base_position, base_orientation, time : pose of the base in the world (quaternion scalar first) and time, where they matter.
        """
        n = self.chain.freedoms
        mask = np.asarray(motion_given, dtype=bool)
        if mask.shape != (n,):
            raise InputError(f"motion_given must have {n} entries, one per degree of freedom; got shape {mask.shape}")
        now = self.evaluation(mask)
        self._place(now, joint_position, joint_velocity, base_twist, base_position, base_orientation)
        now.acceleration[6:] = 0.0 if joint_acceleration is None else numbers("joint_acceleration", joint_acceleration, n)
        torque = np.zeros(n) if joint_torque is None else numbers("joint_torque", joint_torque, n)
        passive = self._passive(now)
        now.torque[:] = torque + passive
        now(time)
        self._refuse_failure(now, time)
        base, R = now.acceleration[:6].copy(), now.work[0, kernels.ROTATION:][:9].reshape(3, 3)
        base[:3] += np.cross(now.velocity[3:6], now.velocity[:3])
        hold = np.concatenate([R.T @ now.push[7:10], R.T @ now.push[10:13]])
        return Solution(base, now.acceleration[6:].copy(), np.where(mask, now.torque - passive, torque), hold)

    def _place(self, now: Evaluation, joint_position: ArrayLike, joint_velocity: ArrayLike, base_twist: ArrayLike,
               base_position: ArrayLike, base_orientation: ArrayLike) -> None:
        """Put a checked state into an evaluation."""
        n = self.chain.freedoms
        now.position[:3], now.position[3:7] = numbers("base_position", base_position, 3), unit_quaternion(base_orientation)
        now.position[7:] = self._position_columns(numbers("joint_position", joint_position, n))
        now.velocity[:6] = numbers("base_twist", base_twist, 6)
        now.velocity[6:] = numbers("joint_velocity", joint_velocity, n)
        assembly.check_twist(self.chain.base, "base_twist", now.velocity[:6])

    def evaluation(self, motion_given: NDArray[np.bool_]) -> Evaluation:
        """The lean door: arrays to fill, one call without checks, arrays to read. One per choice of motion-given joints."""
        key = motion_given.tobytes()
        if key not in self._evaluations:
            self._evaluations[key] = Evaluation(assembly.mark_given(self._plain, motion_given), self._base, self._laws)
        return self._evaluations[key]

    def _passive(self, now: Evaluation) -> Array:
        """Torques of springs, dampers and friction in the joints."""
        n = self.chain.freedoms
        passive = np.zeros(n)
        if self._has_passive:
            hold = DriveTable(now.position[None, 7:], now.velocity[None, 6:], np.zeros((1, n)), np.zeros((1, n)))
            chain_motion.actuate(now.table, False, hold, 0, now.position.copy(), now.velocity.copy(), np.zeros(6 + n), np.zeros(n), passive)
        return passive

    def _refuse_failure(self, now: Evaluation, time: float) -> None:
        """A law that raised, a joint without inertia, or a body without any."""
        refuse_law_failure(self.environment)
        row = int(chain_motion.is_locked(now.table, now.work))
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
            spherical = kind == kernels.SPHERICAL
            columns.append(rotation_vector_to_quaternion(joint_position[v:v + 3]) if spherical else joint_position[v:v + 1])
        return np.concatenate([np.zeros(0), *columns])

    def _joint_of_row(self, row: int) -> str:
        return self.chain.joint_names[int(self._plain.layout[row, kernels.COLUMN])]

    def _locked_sentence(self, row: int) -> str:
        return (f"joint {self._joint_of_row(row)!r} has no inertia to move (gimbal lock of massless links, or a link without inertia about "
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
            motion = self.chain.motion(gait, np.zeros(1))
            start, rates = motion.position[0], motion.velocity[0]
        if initial.joint_position is not None:
            start = self._position_columns(numbers("initial.joint_position", initial.joint_position, n))
        if initial.joint_velocity is not None:
            rates = numbers("initial.joint_velocity", initial.joint_velocity, n)
        x[7:self._split], x[self._split + 6:][:n] = start, rates
        return State(0.0, x)

    def drive(self, gait: Any, times: Array) -> DriveTable:
        """The gait at the stage times, as joint motion or as torques."""
        n = self.chain.freedoms
        wants = "torque" if self.actuation.kind == "torque" else "motion"             # type: ignore[attr-defined]
        speaks = "torque" if gait.drives == "torque" else "motion"
        if wants != speaks:
            raise InputError(f"actuation {self.actuation.kind!r} needs a gait that drives "  # type: ignore[attr-defined]
                             f"{'torque' if wants == 'torque' else 'shape or joint'}; this one drives {gait.drives!r}")
        if speaks == "torque":
            torque = kernel_array(gait.sample(times, np.arange(n, dtype=np.float64)).value)
            return DriveTable(np.zeros((1, self._split - 7)), np.zeros((1, n)), np.zeros((1, n)), torque)
        return DriveTable(*self.chain.motion(gait, times), np.zeros((1, n)))

    def step_limit(self, state: State) -> StepLimit | None:
        rate = chain_rate(self.chain, self._table, self._laws, state.x[7:self._split])
        return friction_limit(rate, RUNGE_KUTTA, self._laws)

    def with_torque(self, drive: DriveTable, torque: ArrayLike) -> DriveTable:
        """The drive with a joint torque added, held over the block: a controller's array command."""
        if not self._setting.any_free:
            raise InputError("a controller may give torques only to torque-given joints; use actuation 'pd' or 'torque'")
        return drive._replace(torque=drive.torque + numbers("the controller's torque", torque, self.chain.freedoms))

    def advance(self, state: State, knots: Array, record: NDArray[np.bool_], drive: DriveTable) -> tuple[State, Block, Status]:
        """Runge-Kutta steps from knot to knot."""
        x, times = state.x.copy(), knots[record]
        kept = assembly.records(self._table, self._size, len(times))
        tally, tallied = self._tallies.start(state.memory, state.time), self._tallies.records(len(times))
        row, step = chain_motion.advance(self._table, self._laws, self._setting, drive, knots, record, x, self._split, self._scratch, kept,
                                         tally, tallied)
        self._take_given(x, drive)
        done = float(knots[min(step, len(knots) - 1)])
        status = Status(self._locked_sentence(row), done, self._joint_of_row(row)) if row else law_failure(self.environment)
        if not status.failure and len(times) and times[0] == state.time == 0.0 and not np.isfinite(kept.acceleration[0]).all():
            status = Status(_SINGULAR, 0.0)
        if status.failure:
            reached = int((times < (status.time or 0.0)).sum())
            times, kept = times[:reached], chain_motion.Records(*(array[:reached] for array in kept))
            tallied = Tally(*(array[:reached] for array in tallied))
        return (State(done, x, {**state.memory, **self._tallies.named(tally)}),
                {"time": times, **kept._asdict(), **self._tallies.named(tallied)}, status)

    def _take_given(self, x: Array, drive: DriveTable) -> None:
        """Motion-given joints stand where the drive has them at the last knot (the last step left them at its start)."""
        p, v = self._given_positions, self._given_velocities
        x[7 + p], x[self._split + 6 + v] = drive.position[-1, p], drive.velocity[-1, v]

    def variables(self, block: Block) -> Block:
        """The variables of a result from recorded states."""
        kept = chain_motion.Records(*(block[name] for name in chain_motion.Records._fields))
        return {**self._recorder.block(block["time"], kept, self._split), **self._tallies.variables(block)}

    def observe(self, state: State) -> dict[str, Array]:
        """Time, base and joints, for a controller."""
        x, n = state.x, self.chain.freedoms
        return {
            "time": np.float64(state.time), "base_position": x[:3].copy(), "base_orientation": x[3:7].copy(),  # type: ignore[dict-item]
            "base_twist": x[self._split:][:6].copy(), "joint_position": self._recorder.joint_position(x[None, 7:self._split])[0],
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
        """Velocities jump under set-valued wheels: the same equations are then stepped by Moreau's rule, in the non-smooth model.

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

    @classmethod
    def warm_parts(cls) -> list[tuple[str, Callable[[], Any]]]:
        from limbless.models.newton_euler import warming
        return [("motion and one-state dynamics", warming.run_plain), ("derivatives", warming.run_duals)]
