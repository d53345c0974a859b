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
from limbless.mechanics.chain import row_motion as chain_motion
from limbless.mechanics.chain import rows as rows_of
from limbless.mechanics.chain import screws
from limbless.mechanics.chain.row_motion import INTEGRALS, DriveTable, Records
from limbless.mechanics.compiled.kernel import kernel_array
from limbless.mechanics.contact.dense import Dense
from limbless.mechanics.contact.path import make_path
from limbless.mechanics.contact.tables import Contact, Remembered
from limbless.mechanics.geometric import motion as geometric_motion
from limbless.mechanics.geometric import stepping as geometric_stepping
from limbless.mechanics.geometric.mixed_dynamics import FREE_OF_CLAMPS, Mode
from limbless.mechanics.geometric.reseating import add_to_base
from limbless.mechanics.geometric.stepping import ContactRecords, Contacts
from limbless.mechanics.integrate.tally import EXCHANGED, POSITIVE, WORK, Tally
from limbless.models import chain_tables
from limbless.models.arguments import numbers
from limbless.models.base import Block, Model, ModelSettings, State, Status, Variable, law_failure
from limbless.models.chain_problem import joint_inertia, robot_of
from limbless.models.chain_recording import SCHEMA, Recorder, mean_powers, mean_schema
from limbless.models.contact_tables import bodies_of, mobility, rest_of, scene_of
from limbless.models.geometric import base_frames, phases, recording
from limbless.models.geometric.base_frames import Coordinates, Form
from limbless.models.geometric.equations import Equations, _scratch
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
        self._plain = robot_of(self.chain, self._added)
        table, self._feedback = chain_tables.actuate(chain_tables.mark_given(self._table, np.ones(self.chain.freedoms, dtype=bool)),
                                                     self.actuation, lambda: joint_inertia(self._plain, self.chain.base))
        self._any_free = not table.layout[1:, rows_of.GIVEN].all()
        chain_tables.refuse_feedforward(self.actuation, "geometric")
        self._run_table, n = table, self.chain.freedoms
        self._given = np.zeros(self.freedoms, dtype=np.int64)
        self._given[self.frame.speeds:] = table.layout[1:, rows_of.GIVEN]
        self._phases = phases.phases_of(self.actuation, self._given, self._feedback, n)
        self._split = self.frame.coordinates + n
        self._size = self._split + self.freedoms + INTEGRALS
        self._run_scratch = _scratch(len(table.layout), self.freedoms, n, self._size)
        self._contacts = self._make_contacts()
        self._clamp_rows = [clamp.row(self.chain) for clamp in self.clamps]
        self._refuse_two_clamps()
        self._recorder = Recorder(self.chain, table, self._laws)
        pushing = [item for item in self.environment if item not in self.clamps and item not in self.wheels]
        self._tallies = Tallies(self.chain.arrays().torque_limit, pushing, len(self._contacts.contact))

    def _make_contacts(self) -> Contacts:
        """Set-valued wheels as contacts under given loads; none if there are none."""
        scene = scene_of(self.chain, self.wheels)
        C, N = len(scene.owner), self.freedoms
        dense = Dense(np.zeros((2 * C, 2 * C)), np.zeros(2 * C), np.zeros((2 * C, 2 * C + 1)), np.zeros(2 * C, dtype=np.int64),
                      make_path(2 * C))
        return Contacts(scene, rest_of(scene, len(self.chain.rows)), Contact.zeros(C), np.zeros(C, dtype=np.int64), np.zeros((2 * C, N)),
                        np.zeros((2 * C, N)), dense, 1.0 / mobility(self.chain, self.wheels, bodies_of(self.chain)), np.zeros(3))

    def _refuse_two_clamps(self) -> None:
        windows = sorted(window for clamp in self.clamps for window in clamp.windows())
        for (_, end), (start, _) in pairwise(windows):
            if start < end:
                when = "from the start on" if np.isinf(start) else f"at {start:g} s"
                raise InputError(f"clamp: two clamps are closed {when}; a run holds one module at a time, since with two of them "
                                 "motion-given joints have no way to move: give them `active` windows that do not overlap "
                                 "(for one instant with force-given joints: `Geometric.solve`)")
        if self.clamps and self.frame.base == screws.FIXED_BASE:
            raise InputError("clamp: the base is fixed already; give the robot `base: planar` or `base: free` to clamp a module")

    # Through time

    def initial_state(self, initial: Any, gait: Gait) -> State:
        """The state at time 0: pose and twist as given, joints as given or where the gait has them."""
        chain_tables.check_twist(self.chain.base, "initial.twist", np.array(initial.twist))
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
                  "friction": np.zeros((len(self._contacts.contact), Remembered.width)),
                  "phase": np.zeros(1), "handover": np.zeros(1 + 2 * n)}
        return State(0.0, x, memory)

    def _set_base_twist(self, home: Array, x: Array, twist: Array) -> None:
        """Speeds of the base that make a twist given in the base frame."""
        s, speeds = self._run_scratch, x[self._split:self._split + self.freedoms]
        if np.any(twist != 0.0):
            still = np.zeros(self.freedoms)
            screws.place(self._run_table, self.frame.base, self.frame.speeds, home, x[:self._split], still, s.work, s.columns)
            R = s.work[0, :9].reshape(3, 3)
            screw = np.array([R @ twist[:3], R @ twist[3:]])
            add_to_base(self.frame.base, self.frame.speeds, s.columns, _as_twist(screw), speeds)

    def drive(self, gait: Any, times: Array) -> DriveTable:
        """The gait at the stage times, as joint motion or as torques."""
        none = np.zeros((1, self.chain.freedoms))
        if gait.drives == "torque":
            torque = kernel_array(gait.sample(times, np.arange(self.chain.freedoms, dtype=np.float64)).value)
            still = np.zeros((len(times), self.chain.freedoms))
            return DriveTable(still, still, still, torque)
        return DriveTable(*joint_motion(self.chain, gait, times), none)

    def step_limit(self, state: State) -> StepLimit | None:
        imposed = all((phase.given[self.frame.speeds:] == 1).all() for phase in self._phases)
        if imposed and any(clamp.active is None for clamp in self.clamps):
            return None                                  # a clamp and imposed joints decide the motion: there is nothing to brake
        rate = chain_rate(self.chain, self._plain, self._any_free, self._laws, state.x[self.frame.coordinates:self._split])
        return friction_limit(rate, MOREAU if self.wheels else RUNGE_KUTTA, self._laws)

    def with_torque(self, drive: DriveTable, torque: ArrayLike) -> DriveTable:
        """The drive with a joint torque added, held over the block: a controller's array command."""
        if self._given[self.frame.speeds:].all():
            raise InputError("a controller may give torques only to torque-given joints; use actuation 'pd' or 'torque'")
        return drive._replace(torque=drive.torque + numbers("the controller's torque", torque, self.chain.freedoms))

    def advance(self, state: State, knots: Array, record: NDArray[np.bool_], drive: DriveTable) -> tuple[State, Block, Status]:
        """Steps from knot to knot: Runge-Kutta with smooth forces, Moreau's scheme with set-valued wheels; clamps close in between."""
        x, memory = state.x.copy(), {name: np.array(values) for name, values in state.memory.items()}
        friction = self._contacts.contact[:, Contact.fields["load"].column:][:, :Remembered.width]
        times, friction[:] = knots[record], memory["friction"]
        self._contacts.counts[2] = memory.get("unrecorded", np.zeros(1))[0]      # worst residual since the last record
        kept, wheels = self._room(len(times))
        tally, tallied = self._tallies.start(memory, state.time), self._tallies.records(len(times))
        clamped, impulse, energy = np.full(len(times), -1.0), np.zeros((len(times), 6)), np.zeros(len(times))
        done, r, what = len(knots) - 1, 0, -1
        for first, last, closed, phase in self._stretches(knots):
            self._switch(x, memory, closed, self._phases[phase], tally)
            local = record[first:last + 1].copy()
            local[-1] &= last == len(knots) - 1
            part = slice(2 * first, 2 * last + 1)
            piece = DriveTable(drive.position[part], drive.velocity[part], drive.acceleration[part],
                               drive.torque if len(drive.torque) == 1 else drive.torque[part])
            piece = self._driven(x, memory, piece, knots[first:last + 1], phase)
            rows = Records(*(array[r:] for array in kept))
            what, step, count = self._step(
                closed,
                memory,
                self._phases[phase],
                piece,
                knots[first : last + 1],
                local,
                x,
                rows,
                ContactRecords(*(array[r:] for array in wheels)),
                tally,
                Tally(*(array[r:] for array in tallied)),
            )
            clamped[r:r + count] = -1.0 if closed < 0 else self._clamp_rows[closed]
            impulse[r:r + count], energy[r:r + count] = memory["impacts"][:6], memory["impacts"][6]
            r += count
            if what >= 0:
                done = first + step
                break
        memory["friction"], memory["unrecorded"] = friction.copy(), self._contacts.counts[2:3].copy()
        status = Status(self._failure(int(what)), float(knots[done])) if what >= 0 else law_failure(self.environment)
        memory |= self._tallies.named(tally)
        block = {"time": times[:r], **{name: values[:r] for name, values in (kept._asdict() | self._tallies.named(tallied)).items()}}
        if self.clamps:
            block |= {"clamped": clamped[:r], "clamp_impulse": impulse[:r], "clamp_energy": energy[:r]}
        if self.wheels:
            block |= {f"contact_{name}": values[:r] for name, values in wheels._asdict().items()}
        return State(float(knots[done]), x, memory), block, status

    def _room(self, count: int) -> tuple[Records, ContactRecords]:
        """Room for `count` records."""
        C = len(self._contacts.contact)
        size = 13 + 2 * self.chain.freedoms + INTEGRALS
        return (chain_tables.records(self._run_table, size, count),
                ContactRecords(*(np.zeros(shape) for shape in ((count, C, 3), (count, C, 3), (count, C), (count, C), count))))

    def _driven(self, x: Array, memory: dict[str, Array], piece: DriveTable, knots: Array, number: int) -> DriveTable:
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

    def _step(self, closed: int, memory: dict[str, Array], phase: phases.Phase, drive: DriveTable, knots: Array,
              record: NDArray[np.bool_], x: Array, rows: Records, wheels: ContactRecords, tally: Tally,
              tallied: Tally) -> tuple[int, int, int]:
        """One stretch. Returns -1 or what failed, the step, and the number of records."""
        given, row = phase.given.copy(), FREE_OF_CLAMPS
        if closed >= 0 and self._clamp_rows[closed] == 0:
            given[:self.frame.speeds] = 1                                    # the base itself is clamped: (25)
        elif closed >= 0:
            row = self._clamp_rows[closed]
        mode = Mode(given, row, phase.feedback)
        shared = (self._run_table, self._laws, self.frame, mode, memory["home"], memory["seat"], drive, knots, record, x,
                  self._run_scratch, self._solver)
        if self.wheels:
            return geometric_stepping.advance_stepping(*shared, self._contacts, rows, wheels, tally, tallied)
        return geometric_motion.advance_smooth(*shared, rows, tally, tallied)

    def _switch(self, x: Array, memory: dict[str, Array], closed: int, phase: phases.Phase, tally: Tally) -> None:
        """Open or close a clamp: closing stops the module by an impulse and keeps where it is."""
        if closed == int(memory["seated"][0]):
            return
        memory["seated"] = np.array([float(closed)])
        if closed < 0:
            return
        self._home = memory["home"]
        position, speeds = x[:self._split], x[self._split:self._split + self.freedoms]
        impact = self.close_clamp(position, speeds, self.clamps[closed].module, bool(phase.given[self.frame.speeds:].all()))
        self._home, work = base_frames.AT_ORIGIN, self._scratch.work
        row, base = self._clamp_rows[closed], work[0, 9:12].copy()
        memory["seat"] = np.concatenate([work[row, 9:12], matrix_to_quaternion(work[row, :9].reshape(3, 3))])
        speeds[:] = impact.speeds
        about_world = np.concatenate([impact.impulse[:3], impact.impulse[3:] + np.cross(base, impact.impulse[:3])])
        memory["impacts"] = memory["impacts"] + np.array([*about_world, impact.energy])
        sums = x[-INTEGRALS:]
        sums[chain_motion.ACTUATOR_WORK] += impact.motor_work
        sums[chain_motion.ENVIRONMENT_WORK] -= impact.energy + impact.motor_work
        sums[chain_motion.IMPULSE:] += about_world
        works = impact.joint_impulse * impact.speeds[self.frame.speeds:]       # motors that keep their joints moving as they did
        tally.actuators[WORK] += works
        tally.actuators[POSITIVE] += np.maximum(works, 0.0)
        tally.run[EXCHANGED] += abs(impact.motor_work) + abs(impact.energy + impact.motor_work)

    # What is recorded

    def variables(self, block: Block) -> Block:
        """The variables of a result from recorded states."""
        records = Records(**{name: block[name] for name in Records._fields})
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
        s, home, n = self._run_scratch, state.memory["home"], self.chain.freedoms
        speeds = state.x[self._split:self._split + self.freedoms]
        screws.place(self._run_table, self.frame.base, self.frame.speeds, home, state.x[:self._split], speeds, s.work, s.columns)
        R = s.work[0, :9].reshape(3, 3)
        return {
            "time": np.float64(state.time), "base_position": s.work[0, 9:12].copy(),                              # type: ignore[dict-item]
            "base_orientation": matrix_to_quaternion(R), "base_twist": np.concatenate([R.T @ s.work[0, 12:15], R.T @ s.work[0, 15:18]]),
            "joint_position": state.x[self.frame.coordinates:self._split].copy(), "joint_velocity": speeds[self.freedoms - n:].copy(),
        }

    def schema(self) -> dict[str, Variable]:
        return {**(mean_schema(SCHEMA) if self.wheels else SCHEMA), **(recording.CLAMP_SCHEMA if self.clamps else {}),
                **(recording.CONTACT_SCHEMA if self.wheels else {}), **self._tallies.schema()}

    def coordinates(self) -> dict[str, Any]:
        found = {**self._recorder.coordinates(), **self._tallies.coordinates()}
        names = [f"wheel {number}" for number in range(len(self._contacts.contact))]
        return {**found, "contact": (("contact",), names, {})} if self.wheels else found


def _as_twist(pair: Array) -> Any:
    from limbless.mechanics.algebra.inertia import Twist
    from limbless.mechanics.algebra.vectors import Vector

    return Twist(Vector(*pair[0]), Vector(*pair[1]))


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
