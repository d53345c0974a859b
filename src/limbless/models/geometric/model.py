"""`Geometric` through time: crawling, clamped, or driven by torques, with switches between them."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from limbless.actuation import Actuation, Motion
from limbless.actuation.joints import joint_motion
from limbless.environments.base import Environment
from limbless.errors import InputError
from limbless.gaits.base import Gait
from limbless.mechanics.algebra.rotations import matrix_to_quaternion
from limbless.mechanics.chain.frames import FixedBase
from limbless.mechanics.chain.tables import INTEGRALS, Actuated, Answering, Body, Drive, Freedom, Imposed, Link, Sums
from limbless.mechanics.chain.tables import Robot as RobotTables
from limbless.mechanics.compiled.kernel import kernel_array
from limbless.mechanics.contact.tables import Contact, Remembered
from limbless.mechanics.geometric import evaluation
from limbless.mechanics.geometric import stepping as _stepping_versions  # noqa: F401 - what the engines ask of this model
from limbless.mechanics.geometric.tables import (
    Clamped,
    GeometricOptions,
    GeometricProblem,
    GeometricRecords,
    NoWheels,
    Unclamped,
    WheelRecords,
    Wheels,
)
from limbless.mechanics.integrate import moreau, runge_kutta
from limbless.mechanics.integrate.tally import Tally, Whole
from limbless.models import chain_problem as assembly
from limbless.models.arguments import numbers
from limbless.models.base import Block, Model, ModelSettings, State, Status, Variable, law_failure
from limbless.models.chain_problem import named_records
from limbless.models.chain_recording import SCHEMA, Recorder, mean_powers, mean_schema
from limbless.models.feedback import refuse_feedforward
from limbless.models.geometric import base_frames, phases, recording, tables
from limbless.models.geometric.base_frames import Coordinates, Form
from limbless.models.geometric.equations import Equations
from limbless.models.resolution import MOREAU, RUNGE_KUTTA, StepLimit, chain_rate, friction_limit
from limbless.models.tallies import Tallies
from limbless.robots.base import Preset, Robot

Array = NDArray[np.float64]


class Geometric(Equations, Model):
    """Locomotion and manipulation of a chain as one set of equations on a Riemannian manifold (paper 003, in corrected form).

    Parameters
    ----------
    robot, environment, coordinates, equations : as for `Equations`, whose functions of one state it has.
    actuation : how a gait drives it in a simulation (default: imposed motion).
    """

    worst = ("contact_residual",)

    def __init__(self, robot: Robot | Preset, environment: Sequence[Environment] | Environment = (),
                 actuation: Actuation | None = None, coordinates: Coordinates = "virtual", equations: Form = "full") -> None:
        super().__init__(robot, environment, coordinates, equations)
        if equations == "printed":
            self.notes = ("model.equations: 'printed' leaves the mixed terms out of (22), as the paper does: momentum is not conserved, "
                          "and the motion is not that of a robot",)
        self.actuation = actuation or Motion()
        refuse_feedforward(self.actuation, "geometric")
        actuated, feedback = assembly.actuate(self._plain, self.actuation, self.chain.base)
        self._driven_robot, n = tables.robot_on(self.frame, actuated), self.chain.freedoms
        joints_given = Link.of(actuated.links).given[1:]
        self._any_free = not joints_given.all()
        self._given = np.zeros(self.freedoms, dtype=np.int64)
        self._given[self.frame.speeds:] = joints_given
        self._phases = phases.phases_of(self.actuation, self._given, feedback, n)
        freedom = Freedom.of(actuated.freedoms)
        self._leads = bool((freedom.inertia_gain > 0.0).any())
        self._has_passive = any(np.any(column != 0.0) for column in (
            freedom.coulomb, freedom.viscous, freedom.stiffness, freedom.rest, freedom.damping))
        self._split = self.frame.coordinates + n
        self._size = tables.state_size(self.frame, n)
        self._wheels = tables.wheels_of(self.chain, self.wheels, self.freedoms) if self.wheels else NoWheels()
        self._clamp_rows = [clamp.row(self.chain) for clamp in self.clamps]
        self._refuse_two_clamps()
        self._recorder = Recorder(self.chain, self._plain.links, self._packs)
        self._pushing = [item for item in self.environment if item not in self.clamps and item not in self.wheels]
        self._tallies = Tallies(self.chain.arrays().torque_limit, self._pushing, self._wheel_count())

    def _wheel_count(self) -> int:
        return len(self._wheels.touching.contact) if isinstance(self._wheels, Wheels) else 0

    def _refuse_two_clamps(self) -> None:
        windows = sorted(window for clamp in self.clamps for window in clamp.windows())
        for (_, end), (start, _) in pairwise(windows):
            if start < end:
                when = "from the start on" if np.isinf(start) else f"at {start:g} s"
                raise InputError(f"clamp: two clamps are closed {when}; a run holds one module at a time, since with two of them "
                                 "motion-given joints have no way to move: give them `active` windows that do not overlap "
                                 "(for one instant with force-given joints: `Geometric.solve`)")
        if self.clamps and isinstance(self.frame, FixedBase):
            raise InputError("clamp: the base is fixed already; give the robot `base: planar` or `base: free` to clamp a module")

    # Through time

    def initial_state(self, initial: Any, gait: Gait) -> State:
        """The state at time 0: pose and twist as given, joints as given or where the gait has them."""
        assembly.check_twist(self.chain.base, "initial.twist", np.array(initial.twist))
        n, pb, x = self.chain.freedoms, self.frame.coordinates, np.zeros(self._size)
        home, x[:pb] = base_frames.seat(self.frame, initial.position, initial.orientation)
        start, rates = np.zeros(n), np.zeros(n)
        if gait.drives != "torque":
            motion = joint_motion(self.chain, gait, np.zeros(1))
            start, rates = motion.position[0], motion.velocity[0]
        if initial.joint_position is not None:
            start = numbers("initial.joint_position", initial.joint_position, n)
        if initial.joint_velocity is not None:
            rates = numbers("initial.joint_velocity", initial.joint_velocity, n)
        x[pb:self._split], x[self._split + self.frame.speeds:][:n] = start, rates
        self._set_base_twist(home, x, np.array(initial.twist))
        memory = {"home": home, "seat": base_frames.AT_ORIGIN.copy(), "seated": np.array([-1.0]), "impacts": np.zeros(7),
                  "friction": np.zeros((self._wheel_count(), Remembered.width)), "phase": np.zeros(1), "handover": np.zeros(1 + 2 * n)}
        return State(0.0, x, memory)

    def _set_base_twist(self, home: Array, x: Array, twist: Array) -> None:
        """Speeds of the base that make a twist given in the base frame."""
        speeds = x[self._split:self._split + self.freedoms]
        if np.any(twist != 0.0):
            frame = self.frame._replace(home=home)
            evaluation.place_state(self._robot, frame, x[:self._split], np.zeros(self.freedoms), self._geometry)
            evaluation.add_base_twist(frame, twist, self._geometry, speeds)

    def drive(self, gait: Any, times: Array) -> Drive:
        """The gait at the stage times, as joint motion or as torques."""
        none = np.zeros((1, self.chain.freedoms))
        if gait.drives == "torque":
            torque = kernel_array(gait.sample(times, np.arange(self.chain.freedoms, dtype=np.float64)).value)
            still = np.zeros((len(times), self.chain.freedoms))
            return Drive(still, still, still, torque)
        return Drive(*joint_motion(self.chain, gait, times), none)

    def step_limit(self, state: State) -> StepLimit | None:
        imposed = all((phase.given[self.frame.speeds:] == 1).all() for phase in self._phases)
        if imposed and any(clamp.active is None for clamp in self.clamps):
            return None                                  # a clamp and imposed joints decide the motion: there is nothing to brake
        rate = chain_rate(self.chain, self._plain, self._any_free, self._packs, state.x[self.frame.coordinates:self._split])
        return friction_limit(rate, MOREAU if self.wheels else RUNGE_KUTTA, self._packs)

    def with_torque(self, drive: Drive, torque: ArrayLike) -> Drive:
        """The drive with a joint torque added, held over the block: a controller's array command."""
        if self._given[self.frame.speeds:].all():
            raise InputError("a controller may give torques only to torque-given joints; use actuation 'pd' or 'torque'")
        return drive._replace(torque=drive.torque + numbers("the controller's torque", torque, self.chain.freedoms))

    def advance(self, state: State, knots: Array, record: NDArray[np.bool_], drive: Drive) -> tuple[State, Block, Status]:
        """Steps from knot to knot: Runge-Kutta with smooth forces, Moreau's scheme with set-valued wheels; clamps close in between."""
        x, memory = state.x.copy(), {name: np.array(values) for name, values in state.memory.items()}
        times, wheels = knots[record], self._fresh_wheels(memory)
        tally, tallied = self._tallies.start(memory, state.time), self._tallies.records(len(times))
        kept = tables.geometric_records(self._plain, self._wheel_count(), len(times), tallied)
        clamped, impulse, energy = np.full(len(times), -1.0), np.zeros((len(times), 6)), np.zeros(len(times))
        done, r, found = len(knots) - 1, 0, 0
        for first, last, closed, phase in self._stretches(knots):
            self._switch(x, memory, closed, self._phases[phase], tally)
            local = record[first:last + 1].copy()
            local[-1] &= last == len(knots) - 1
            piece = self._driven(x, memory, _rows(drive, 2 * first, 2 * last + 1), knots[first:last + 1], phase)
            problem = self.problem(piece, memory, closed, self._phases[phase], wheels, tally, _records_from(kept, r))
            found, step = self._step(problem, knots[first:last + 1], local, x)
            count = int((local if found == 0 else local[:step]).sum())
            clamped[r:r + count] = -1.0 if closed < 0 else self._clamp_rows[closed]
            impulse[r:r + count], energy[r:r + count] = memory["impacts"][:6], memory["impacts"][6]
            r += count
            if found:
                done = first + step
                break
        if isinstance(wheels, Wheels):
            memory["friction"], memory["unrecorded"] = _impulses(wheels).copy(), wheels.touching.counts[2:3].copy()
        status = Status(self._failure(found), float(knots[done])) if found else law_failure(self.environment)
        memory |= self._tallies.named(tally)
        block = {"time": times[:r], **{name: values[:r] for name, values in tables.kept_arrays(kept).items()}}
        if self.clamps:
            block |= {"clamped": clamped[:r], "clamp_impulse": impulse[:r], "clamp_energy": energy[:r]}
        return State(float(knots[done]), x, memory), block, status

    def _fresh_wheels(self, memory: dict[str, Array]) -> Wheels | NoWheels:
        """Memory of the wheels for a run that goes on from a state: friction as it was, and the worst residual since the last record."""
        if isinstance(self._wheels, NoWheels):
            return self._wheels
        wheels = tables.copied(self._wheels)
        _impulses(wheels)[:] = memory["friction"]
        wheels.touching.counts[2] = memory.get("unrecorded", np.zeros(1))[0]
        return wheels

    def problem(self, drive: Drive, memory: dict[str, Array], closed: int, phase: phases.Phase, wheels: Wheels | NoWheels, tally: Tally,
                records: GeometricRecords) -> GeometricProblem:
        """Everything that an engine needs for a stretch of steps in one phase with one clamp closed (-1: none)."""
        given = phase.given.copy()
        clamp: Unclamped | Clamped = Unclamped()
        if closed >= 0 and self._clamp_rows[closed] == 0:
            given[:self.frame.speeds] = 1                                    # the base itself is clamped: (25)
        elif closed >= 0:
            clamp = Clamped(self._clamp_rows[closed], memory["seat"])
        robot = self._robot_given(given[self.frame.speeds:])
        actuation: Any = Imposed() if given[self.frame.speeds:].all() and not self._has_passive else Actuated()
        options = GeometricOptions(Answering() if self._leads and phase.feedback else actuation, self.equations,
                                   self.frame._replace(home=memory["home"]), clamp, given, phase.feedback)
        run = tables.memory_of(self.frame, robot, len(self._pushing), tally)
        return GeometricProblem(robot, assembly.fresh(self._forces), options, drive, run, records, wheels)

    def _robot_given(self, given: NDArray[np.int64]) -> RobotTables:
        """The robot with these joints motion-given."""
        return assembly.mark_given(self._driven_robot, given.astype(bool))

    def _step(self, problem: GeometricProblem, knots: Array, record: NDArray[np.bool_], x: Array) -> tuple[int, int]:
        """One stretch. Returns 0 or what failed, and the step."""
        engine = moreau if self.wheels else runge_kutta
        found, step = engine.advance(problem, knots, record, x)
        if found == 0 and problem.memory.trouble[0]:                         # within the last step, at whose end nothing was asked
            found, step = int(problem.memory.trouble[0]), step - 1
        given, drive = problem.options.given[self.frame.speeds:] == 1, problem.drive
        x[self.frame.coordinates:self._split][given] = drive.position[2 * step][given]
        x[self._split + self.frame.speeds:][:len(given)][given] = drive.velocity[2 * step][given]
        return int(found), int(step)

    def _driven(self, x: Array, memory: dict[str, Array], piece: Drive, knots: Array, number: int) -> Drive:
        """The drive of a stretch in its phase: constant torques, and a way back to the gait from where the joints are."""
        phase, n = self._phases[number], self.chain.freedoms
        if number != int(memory["phase"][0]):
            returns = phase.given > self._phases[int(memory["phase"][0])].given
            memory["phase"] = np.array([float(number)])
            speeds = x[self._split + self.frame.speeds:][:n]
            gap = np.concatenate([x[self.frame.coordinates:self._split] - piece.position[0], speeds - piece.velocity[0]])
            memory["handover"] = np.concatenate([knots[:1], np.tile(returns[self.frame.speeds:], 2) * gap])
        piece = piece._replace(torque=piece.torque + phase.torque)
        start, offset, rate = memory["handover"][0], memory["handover"][1:1 + n], memory["handover"][1 + n:]
        if not (offset.any() or rate.any()):
            return piece
        times = np.sort(np.concatenate([knots, 0.5 * (knots[:-1] + knots[1:])]))
        return phases.handed_over(piece, times, float(start), offset, rate, self.actuation.settle)       # type: ignore[attr-defined]

    def _stretches(self, knots: Array) -> Iterator[tuple[int, int, int, int]]:
        """First and last knot of each stretch of steps with the same clamp closed in the same phase, and their numbers (-1: no clamp)."""
        middles = 0.5 * (knots[:-1] + knots[1:])
        closed = np.full(len(middles), -1)
        for number, clamp in enumerate(self.clamps):
            for start, end in clamp.windows():
                closed[(start <= middles) & (middles <= end)] = number
        phase = phases.phase_at(self._phases, middles)
        edges = [0, *(np.flatnonzero(np.diff(closed) | np.diff(phase)) + 1), len(middles)]
        for first, last in pairwise(edges):
            yield int(first), int(last), int(closed[first]), int(phase[first])

    def _switch(self, x: Array, memory: dict[str, Array], closed: int, phase: phases.Phase, tally: Tally) -> None:
        """Open or close a clamp: closing stops the module by an impulse and keeps where it is."""
        if closed == int(memory["seated"][0]):
            return
        memory["seated"] = np.array([float(closed)])
        if closed < 0:
            return
        position, speeds = x[:self._split], x[self._split:self._split + self.freedoms]
        impact = self._close_clamp(self.frame._replace(home=memory["home"]), position, speeds, self.clamps[closed].module,
                                   bool(phase.given[self.frame.speeds:].all()))
        row, body = self._clamp_rows[closed], Body.of(self._memory.bodies)
        base = body.origin[0].copy()
        memory["seat"] = np.concatenate([body.origin[row], matrix_to_quaternion(body.rotation[row].reshape(3, 3))])
        speeds[:] = impact.speeds
        about_world = np.concatenate([impact.impulse[:3], impact.impulse[3:] + np.cross(base, impact.impulse[:3])])
        memory["impacts"] = memory["impacts"] + np.array([*about_world, impact.energy])
        sums = Sums.of(x[None, -INTEGRALS:])
        sums.actuators += impact.motor_work
        sums.environment -= impact.energy + impact.motor_work
        sums.impulse += about_world
        works = impact.joint_impulse * impact.speeds[self.frame.speeds:]       # motors that keep their joints moving as they did
        tally.work[:] += works
        tally.positive[:] += np.maximum(works, 0.0)
        Whole.of(tally.whole).exchanged[:] += abs(impact.motor_work) + abs(impact.energy + impact.motor_work)

    # What is recorded

    def variables(self, block: Block) -> Block:
        """The variables of a result from recorded states."""
        records = named_records(block)
        extra: Block = {}
        if self.clamps:
            extra = recording.clamp_variables(block, records, self.chain.base == "planar")
            records = records._replace(hold=recording.elsewhere(block, records, extra["clamp_wrench"]))
        if self.wheels:
            extra |= {"contact_force": block["contact_force"], "contact_position": block["contact_place"],
                      "contact_state": block["contact_state"], "contact_held": block["contact_held"],
                      "contact_residual": block["contact_residual"]}
        found = {**self._recorder.block(block["time"], records, 7 + self.chain.freedoms), **extra, **self._tallies.variables(block)}
        return {**found, **mean_powers(found)} if self.wheels else found

    def observe(self, state: State) -> dict[str, Array]:
        """Time, base and joints, for a controller."""
        n, speeds = self.chain.freedoms, state.x[self._split:self._split + self.freedoms]
        frame = self.frame._replace(home=state.memory["home"])
        evaluation.place_state(self._robot, frame, state.x[:self._split], speeds, self._geometry)
        body = Body.of(self._memory.bodies)
        R, V = body.rotation[0].reshape(3, 3), body.velocity[0]
        return {
            "time": np.float64(state.time), "base_position": body.origin[0].copy(),                               # type: ignore[dict-item]
            "base_orientation": matrix_to_quaternion(R), "base_twist": np.concatenate([R.T @ V[:3], R.T @ V[3:]]),
            "joint_position": state.x[self.frame.coordinates:self._split].copy(), "joint_velocity": speeds[self.freedoms - n:].copy(),
        }

    def schema(self) -> dict[str, Variable]:
        return {**(mean_schema(SCHEMA) if self.wheels else SCHEMA), **(recording.CLAMP_SCHEMA if self.clamps else {}),
                **(recording.CONTACT_SCHEMA if self.wheels else {}), **self._tallies.schema()}

    def coordinates(self) -> dict[str, Any]:
        found = {**self._recorder.coordinates(), **self._tallies.coordinates()}
        names = [f"wheel {number}" for number in range(self._wheel_count())]
        return {**found, "contact": (("contact",), names, {})} if self.wheels else found


def _impulses(wheels: Wheels) -> Array:
    """What friction remembers from step to step, a view."""
    return wheels.touching.contact[:, Contact.fields["load"].column:][:, :Remembered.width]


def _rows(drive: Drive, first: int, last: int) -> Drive:
    """The rows of a stretch; a torque that is held has one row for all."""
    torque = drive.torque if len(drive.torque) == 1 else drive.torque[first:last]
    return Drive(drive.position[first:last], drive.velocity[first:last], drive.acceleration[first:last], torque)


def _records_from(kept: GeometricRecords, r: int) -> GeometricRecords:
    """Room for the records from r on."""
    wheels = WheelRecords(*(array[r:] for array in kept.wheels)) if isinstance(kept.wheels, WheelRecords) else kept.wheels
    return GeometricRecords(kept.x[r:], kept.base[r:], kept.axes[r:], kept.bodies[r:], Tally(*(array[r:] for array in kept.tally)), wheels)


class GeometricSettings(ModelSettings):
    """Geometric dynamics of a chain, crawling or clamped: product of exponentials on a Riemannian manifold (Wang, Ma, Li and Wang)."""

    kind: Literal["geometric"] = "geometric"
    coordinates: Literal["virtual", "group"] = Field(
        "virtual", description="base on virtual joints (the paper), or on the group SE(2) or SE(3), which has no gimbal lock")
    equations: Literal["full", "printed"] = Field(
        "full", description="all terms, or (22) as the paper prints it, which lets a robot without friction swim away")
    takes_robots: ClassVar[tuple[str, ...]] = ("chain",)
    takes_roles: ClassVar[tuple[str, ...]] = ("wrench", "friction", "clamp")
    takes_actuations: ClassVar[tuple[str, ...]] = ("motion", "torque", "pd", "switched")
    takes_drives: ClassVar[tuple[str, ...]] = ("shape", "joint", "torque")

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> Geometric:
        return Geometric(robot, environment, actuation, self.coordinates, self.equations)
