"""`MacroContinuous`: a rod in its environment, one state at a time or through time."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from limbless.actuation import Actuation
from limbless.actuation.strains import rod_strain
from limbless.description import quantity
from limbless.environments.base import Environment, together
from limbless.environments.constraint import Contact
from limbless.errors import InputError
from limbless.gaits.base import Drive, Gait
from limbless.mechanics.compiled.kernel import kernel_array
from limbless.mechanics.integrate.tally import Tally
from limbless.mechanics.rod import motion as rod_motion
from limbless.mechanics.rod.forces import lay_slab
from limbless.mechanics.rod.motion import MOMENTUM_FORM, NO_INERTIA, SIZE, SPEED, TURN, VELOCITY_FORM, WORKS, Setting
from limbless.mechanics.rod.shapes import Strains, shape_all
from limbless.models.arguments import numbers, unit_quaternion
from limbless.models.base import Block, Model, ModelSettings, State, Status, Variable, before_failure, law_failure, refuse_law_failure
from limbless.models.macro_continuous import assembly
from limbless.models.macro_continuous.contacts import ContactSet
from limbless.models.macro_continuous.instant import held_instant
from limbless.models.macro_continuous.kinematic import Kinematic, Table
from limbless.models.macro_continuous.mesh import Slices, make_mesh
from limbless.models.macro_continuous.recording import Instants, Recorder, from_raw, raw_block
from limbless.models.macro_continuous.solution import Solution
from limbless.models.resolution import RUNGE_KUTTA, StepLimit, friction_limit, rod_rate
from limbless.models.tallies import Tallies
from limbless.robots.base import Preset, Robot
from limbless.robots.rod import HELD, Rod

Array = NDArray[np.float64]
_AT_REST = (0.0,) * 6


class MacroContinuous(Model):
    """Macro-continuous dynamics of a rod whose strains are imposed, O(cells).

    Without contacts the net motion comes from the external forces (Fig. 2); with contacts it comes from them (Fig. 5), and the forces
    follow. The plane and the line are the motion in space with some components of the head's twist held.
    """


    def __init__(self, robot: Robot | Preset, environment: Sequence[Environment] | Environment = (),
                 settings: MacroContinuousSettings | None = None) -> None:
        built, self.settings = robot.build(), settings or MacroContinuousSettings()
        if not isinstance(built, Rod):
            raise InputError(f"the macro-continuous model moves a rod; got {type(built).__name__}")
        self.rod = self.robot = built
        self.environment = together(environment)
        held = [item for item in self.environment if isinstance(item, Contact)]
        self._refuse_points()
        self.mesh = make_mesh(built.length, self.settings.cells, assembly.breaks_of(built, self.environment, self.settings.breaks))
        slices = Slices(built, self.mesh)
        self.laws = assembly.pack_environment(slices, self.environment)
        self.forces = assembly.pack_forces(self.laws, self.mesh)
        self.body, own = assembly.pack_body(slices, self.laws, self.settings.inertia)
        self.free = np.array([float(c not in HELD[built.base]) for c in range(6)])
        self._setting = Setting(self._form(bool(held)), self.free)
        self.scratch = assembly.scratch(len(self.mesh.X), SIZE)
        self.contacts = ContactSet(built, self.mesh, held, self.settings.slip_tolerance)
        self.kinematic = Kinematic(self) if held else None
        self.steps_per_block = 128 if held else 64          # few enough for the processor's cache, enough for NumPy
        self.recorder = Recorder(built, slices, self.body.inertia, own, self.laws, (), self.settings.slip_tolerance)
        self._slices, self._own = slices, own
        self.muscles = assembly.pack_muscles(self.mesh, self.body, own, self.recorder.strain_table())
        self.tallies = self.tallies_of(0)

    def tallies_of(self, contacts: int) -> Tallies:
        """The tally of a rod with so many contacts."""
        sections, limit = self.recorder.section_lengths, self.recorder.effort_limit()
        pushing = [item for item in self.environment if item.role == "wrench"]
        return Tallies(np.tile(limit, (len(sections), 1)), pushing, contacts, ("section", "screw"), sections[:, None])

    def _form(self, held: bool) -> int:
        if self.settings.form == "momentum" and (self.rod.base != "free" or held or not self.settings.inertia):
            raise InputError("model.form: 'momentum' is for a free rod with inertia and without contacts; use 'velocity'")
        if held and not self.settings.inertia:
            raise InputError("model.inertia: contacts decide the motion by themselves, with inertia or not; leave inertia: true, or "
                             "remove the contacts")
        if held and self.rod.base == "fixed":
            raise InputError("robot.base: 'fixed' holds the head already; contacts need a base that can move (free, planar or line)")
        return NO_INERTIA if not self.settings.inertia else MOMENTUM_FORM if self.settings.form == "momentum" else VELOCITY_FORM

    def _refuse_points(self) -> None:
        for item in self.environment:
            field = type(item).model_fields.get("points")
            if field is not None and getattr(item, "points", None) != field.default:
                raise InputError(f"environment {item.kind!r}: points are for the segments of a chain; "
                                 "a rod is cut into model.cells, so leave points out")

    # One state at a time

    def forward(self, strain: ArrayLike, strain_rate: ArrayLike, strain_acceleration: ArrayLike, base_twist: ArrayLike = _AT_REST, *,
                base_position: ArrayLike = (0.0, 0.0, 0.0), base_orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
                time: float = 0.0, supports: ArrayLike | None = None, crests: ArrayLike | None = None) -> Solution:
        """Net acceleration from the external forces (18), or, with contacts, from what they allow (34), (35); and all
        that follows.

        Parameters
        ----------
        strain, strain_rate, strain_acceleration : (nodes, 6) at `mesh.X`: stretch, shears, twist, curvatures, and their rates in time.
        base_twist, base_position, base_orientation, time : state of the head. Contacts decide its twist: leave it out
            then.
        supports : abscissae of the contacts that wander along the body, in the order of a result's `support_abscissa`,
            NaN where one is not there; where they are at the start of a run if absent.
        crests : (P,) or (3, P) abscissae at which sweeping anchorages hold, and their speeds and accelerations along
            the body. """
        if self.kinematic is None:
            if supports is not None or crests is not None:
                raise InputError("supports and crests say where contacts are; the environment has none, so leave them out")
            return self._instant(strain, strain_rate, strain_acceleration, base_twist, None, base_position, base_orientation,
                                 time)
        if np.any(numbers("base_twist", base_twist, 6)):
            raise InputError("base_twist: contacts decide the motion of the head; leave it out (got "
                             f"{tuple(np.asarray(base_twist))})")
        x = np.zeros(SIZE)
        x[:3], x[TURN:TURN + 4] = numbers("base_position", base_position, 3), unit_quaternion(base_orientation)
        strains = Drive(*self._tables(strain, strain_rate, strain_acceleration))
        return held_instant(self, self.kinematic, strains, x, time, supports, crests)

    def _tables(self, *strains: ArrayLike) -> list[Array]:
        """Strains at the nodes as arrays for kernels, or a clear refusal."""
        shape, tables = (len(self.mesh.X), 6), [kernel_array(values) for values in strains]
        if any(values.shape != shape for values in tables):
            raise InputError(f"strains must have shape {shape}, one row per node of mesh.X; got "
                             f"{[values.shape for values in tables]}")
        return tables

    def internal_wrench(self, strain: ArrayLike, strain_rate: ArrayLike, strain_acceleration: ArrayLike, base_twist: ArrayLike,
                        base_twist_rate: ArrayLike, *, base_position: ArrayLike = (0.0, 0.0, 0.0),
                        base_orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0), time: float = 0.0) -> Solution:
        """The wrench inside a body that moves as given (24); what that takes from outside at the head is `base_reaction`."""
        return self._instant(strain, strain_rate, strain_acceleration, base_twist, base_twist_rate, base_position, base_orientation, time)

    def _instant(self, strain: ArrayLike, rate: ArrayLike, acceleration: ArrayLike, twist: ArrayLike, twist_rate: ArrayLike | None,
                 position: ArrayLike, orientation: ArrayLike, time: float) -> Solution:
        tables = self._tables(strain, rate, acceleration)
        x = np.zeros(SIZE)
        x[:3], x[TURN:TURN + 4] = numbers("base_position", position, 3), unit_quaternion(orientation)
        x[SPEED:SPEED + 6] = numbers("base_twist", twist, 6)
        s = self.scratch
        setting = self._setting._replace(form=VELOCITY_FORM)
        kept = assembly.records(len(self.mesh.X), SIZE, 1)
        strains = Strains(*(values[None] for values in tables))
        if not self._evaluate(setting, strains, time, x):
            raise InputError("the motion of the head is not determined: the rod has no inertia; use a simulation")
        refuse_law_failure(self.environment)
        rod_motion.store(s.work[0], s, kept, 0, 0)
        if twist_rate is not None:
            given = numbers("base_twist_rate", twist_rate, 6)
            hold = s.inertia @ given + s.vectors[rod_motion.BIAS] - s.vectors[rod_motion.PUSH]
            kept = kept._replace(twist_rate=given[None], hold=hold[None])
        now = Instants(np.array([time]), kept.x, kept.twist, kept.twist_rate, kept.hold, kept.powers, kept.work, strains.value,
                       strains.rate)
        wrench, tail = self.recorder.wrench_along(now, None)
        power = -float(self.mesh.weight @ (wrench[0] * tables[1]).sum(axis=1))
        return Solution(kept.twist_rate[0], wrench[0], tail[0], kept.hold[0], s.inertia.copy(), kept.work[0, :, :12].copy(),
                        power, kept.twist[0], np.zeros(6), np.zeros((0, 6)))

    def _evaluate(self, setting: Setting, strains: Strains, time: float, x: Array) -> bool:
        """All that happens at one instant, into the scratch; False if the motion of the head is not determined."""
        s = self.scratch
        s.stage[:] = x
        shape_all(self.body, strains, s.desk, s.work, s.sums)
        lay_slab(s.work[0], s.slab)
        return bool(rod_motion.rod_rate(self.body, self.forces, setting, s.work[0], s.sums[0], time, time, s.stage, s, s.rate, True))

    # Through time

    def initial_state(self, initial: Any, gait: Gait) -> State:
        """Pose and twist as given; with contacts, or without inertia, the twist follows from the gait."""
        x = np.zeros(SIZE)
        x[:3], x[TURN:TURN + 4], x[SPEED:SPEED + 6] = initial.position, initial.orientation, initial.twist
        decided = self.kinematic is not None or not self.settings.inertia
        locked = np.flatnonzero((self.free == 0.0) & (np.array(initial.twist) != 0.0))
        if decided and any(initial.twist):
            why = "contacts decide" if self.kinematic is not None else "without inertia the balance of forces decides"
            raise InputError(f"initial.twist: {why} the motion of the head; leave it at 0 (entry {np.flatnonzero(initial.twist)[0]} of "
                             f"{initial.twist} is not)")
        if len(locked):
            raise InputError(f"initial.twist: the base {self.rod.base!r} holds entry {locked[0]} of it at 0; got {initial.twist}")
        if self.kinematic is not None:
            self.kinematic.slots = self.contacts.slots(gait)
            self.tallies = self.tallies_of(sum(columns.stop - columns.start for _, columns in self.kinematic.slots))
            items = [item for item, columns in self.kinematic.slots for _ in range(columns.stop - columns.start)]
            self.recorder = Recorder(self.rod, self._slices, self.body.inertia, self._own, self.laws,
                                     [item.model_dump_json() for item in items], self.settings.slip_tolerance,
                                     [item.slides for item in items])
            return State(0.0, np.concatenate([x, self.contacts.start(self.kinematic.slots)]))
        if self._setting.form == MOMENTUM_FORM:
            x[SPEED:SPEED + 6] = self._momentum(x, rod_strain(self.rod, gait, np.zeros(1), self.mesh.X))
        return State(0.0, x)

    def _momentum(self, x: Array, drive: Drive) -> Array:
        """Momentum about the world origin of a rod whose head moves with the twist in x."""
        self._evaluate(self._setting._replace(form=VELOCITY_FORM), Strains(*drive), 0.0, x)
        kept = assembly.records(len(self.mesh.X), SIZE, 1)
        rod_motion.store(self.scratch.work[0], self.scratch, kept, 0, 0)
        now = Instants(np.zeros(1), kept.x, kept.twist, kept.twist_rate, kept.hold, kept.powers, kept.work, drive.value, drive.rate)
        return np.asarray(self.recorder.block(now, None)["momentum"][0])

    def step_limit(self, state: State) -> StepLimit | None:
        if self.kinematic is not None or not self.settings.inertia or self.rod.base == "fixed":
            return None                                  # contacts, the balance of forces or the clamp decide the motion: no state to brake
        return friction_limit(rod_rate(self.laws, self._own[:, 0]), RUNGE_KUTTA, self.laws)

    def drive(self, gait: Any, times: Array) -> Table | Drive:
        """The gait as strains at the stage times."""
        drive = Drive(*(kernel_array(part) for part in rod_strain(self.rod, gait, times, self.mesh.X)))
        return self.kinematic.prepare(gait, drive) if self.kinematic is not None else drive

    def advance(self, state: State, knots: Array, record: NDArray[np.bool_], drive: Any) -> tuple[State, Block, Status]:
        """From knot to knot, by the contacts' motion or by Runge-Kutta steps."""
        if self.kinematic is not None:
            return self.kinematic.advance(state, knots, record, drive)
        x, times = state.x.copy(), knots[record]
        kept = assembly.records(len(self.mesh.X), SIZE, len(times))
        passive = self.recorder.passive_power(drive.value, drive.rate)
        tally, tallied = self.tallies.start(state.memory, state.time), self.tallies.records(len(times))
        failed = rod_motion.advance(self.body, self.forces, self._setting, Strains(*drive), passive, knots, record, x, self.scratch, kept,
                                    self.muscles, tally, tallied)
        done = float(knots[failed if failed >= 0 else -1])
        status = law_failure(self.environment)
        if failed >= 0 and not status.failure:
            status = Status("the forces leave the motion of the head undetermined (without inertia every direction needs a drag); "
                            "add a drag, or set model.inertia: true", done, "the head")
        if status.failure:
            reached = int(before_failure(times, status).sum())
            times, kept = times[:reached], rod_motion.Records(*(array[:reached] for array in kept))     # type: ignore[arg-type]
            tallied = Tally(*(array[:reached] for array in tallied))
        h = np.diff(knots)
        paid = np.concatenate([[0.0], np.cumsum(h / 6.0 * (passive[0:-2:2] + 4.0 * passive[1::2] + passive[2::2]))])
        kept.x[:, WORKS + 2] += paid[record][:len(times)]
        x[WORKS + 2] += paid[-1]
        now = Instants(times, kept.x, kept.twist, kept.twist_rate, kept.hold, kept.powers, kept.work, drive.value[kept.row],
                       drive.rate[kept.row])
        block = {**raw_block(now, None), **self.tallies.named(tallied)}
        return State(done, x, {**state.memory, **self.tallies.named(tally)}), block, status

    def variables(self, block: Block) -> Block:
        """The variables of the schema, from the raw arrays of all blocks."""
        return {**self.recorder.block(*from_raw(block)), **self.tallies.variables(block)}

    def observe(self, state: State) -> dict[str, Array]:
        """Time and base, for a controller."""
        x = state.x
        return {"time": np.float64(state.time), "base_position": x[:3].copy(), "base_orientation": x[TURN:TURN + 4].copy(),  # type: ignore[dict-item]
                "base_twist": x[SPEED:SPEED + 6].copy()}

    def schema(self) -> dict[str, Variable]:
        return {**self.recorder.schema(), **self.tallies.schema()}

    def coordinates(self) -> dict[str, Any]:
        return {**self.recorder.coordinates(), **self.tallies.coordinates()}


class MacroContinuousSettings(ModelSettings):
    """Macro-continuous dynamics of a strain-actuated rod (Boyer, Ali and Porez 2012)."""

    kind: Literal["macro-continuous"] = "macro-continuous"
    cells: int = Field(64, ge=2, le=20_000, description="cells along the body, two to a panel of the quadrature")
    breaks: tuple[float, ...] = quantity((), "m", "abscissae at which the strain jumps: cells end there")
    inertia: bool = Field(True, description="with inertia; without it the external forces balance at every instant")
    form: Literal["velocity", "momentum"] = Field("velocity",
                                                  description="state of a free rod: twist of the head, or momentum of the whole")
    slip_tolerance: float = quantity(1e-6, "1", "slip that contacts may leave, relative to the speed of the body", gt=0)
    takes_robots: ClassVar[tuple[str, ...]] = ("rod",)
    takes_roles: ClassVar[tuple[str, ...]] = ("wrench", "constraint")
    takes_actuations: ClassVar[tuple[str, ...]] = ("motion",)
    takes_drives: ClassVar[tuple[str, ...]] = ("strain", "shape")

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> MacroContinuous:
        return MacroContinuous(robot, environment, self)

    def refined(self) -> MacroContinuousSettings:
        return self.changed(cells=2 * self.cells)

    def refined_environment(self, environment: Sequence[Environment]) -> tuple[Environment, ...]:
        return tuple(environment)                        # a rod integrates all that acts on it over its cells
