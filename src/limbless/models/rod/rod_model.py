"""`MacroContinuous`: a rod in its environment, one state at a time or through time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.control.actuation import Actuation
from limbless.control.actuation.gait_to_strains import rod_strain
from limbless.control.gaits.base import Drive, Gait
from limbless.core import Array, InputError
from limbless.environments import Constraint, Environment, breaks_of, refuse_points, together
from limbless.mechanics.compiled import kernel_array, pack
from limbless.mechanics.integrate import Totals, runge_kutta
from limbless.mechanics.rod import (
    HeadState,
    Instant,
    RodDrive as RodDrive,
    RodOptions,
    RodProblem,
    RodRecords as RodRecords,
    RodShape,
    ShapeSums,
    Strains,
    inertia_matrices,
    make_desk,
    problem as _rod_versions,  # noqa: F401 - what an engine asks of a rod
    shape_all,
)
from limbless.models import (
    RUNGE_KUTTA,
    MacroContinuousSettings,
    Records,
    StandingModel,
    State,
    Status,
    StepLimit,
    TotalsStore,
    Variable,
    Variables,
    actuation_or_motion,
    friction_limit,
    numbers,
    refuse_law_failure,
    refuse_unused,
    rod_rate,
    unit_quaternion,
)
from limbless.models.recording.body_recorder import contiguous
from limbless.models.rod import rod_problem
from limbless.models.rod.constrained_motion import Course, Kinematic
from limbless.models.rod.constraint_set import ConstraintSet
from limbless.models.rod.held_instant import held_instant
from limbless.models.rod.panel_mesh import Slices, make_mesh
from limbless.models.rod.rod_problem import SIZE, StandingRod
from limbless.models.rod.rod_recorder import RodMotionRecorder, RodSolution, instants_from, instants_of
from limbless.robots import HELD, Preset, Robot, Rod

if TYPE_CHECKING:
    import xarray as xr

_AT_REST = (0.0,) * 6
_SOFT = ("passive", "tendons", "material", "tip_mass")


class MacroContinuous(StandingModel):
    """Macro-continuous dynamics of a rod whose strains are imposed, O(cells).

    Without contacts the net motion comes from the external forces (Fig. 2); with contacts it comes from them (Fig. 5),
    and the forces follow. The plane and the line are the motion in space with some components of the head's twist held.

    Parameters
    ----------
    robot : a `Rod`, or a preset that builds one.
    environment : what acts on it and what holds it.
    actuation : a gait imposes the strains, whatever it says.
    settings : cells, inertia, form of the state.
    """

    def __init__(
        self,
        robot: Robot | Preset,
        environment: Sequence[Environment] | Environment = (),
        actuation: Actuation | None = None,
        settings: MacroContinuousSettings | None = None,
    ) -> None:
        built, self.settings = robot.build(), MacroContinuousSettings.or_default(settings)
        self.actuation = actuation_or_motion(actuation)
        if not isinstance(built, Rod):
            raise InputError(f"the macro-continuous model moves a rod; got {type(built).__name__}")
        self.rod = self.robot = built
        refuse_unused(built, _SOFT, "a gait gives all strains here; leave it out, or set model.kind: soft")
        refuse_unused(
            built, ["contact_radius"], "contacts hold the axis of a rod here; leave it out, or set model.kind: soft"
        )
        self.environment = together(environment)
        held = [item for item in self.environment if isinstance(item, Constraint)]
        refuse_points(self.environment, "a rod is cut into model.cells")
        breaks = breaks_of(built, self.environment, self.settings.breaks)
        self.mesh = make_mesh(built.length, self.settings.cells, breaks)
        slices = Slices(built, self.mesh)
        self.forces, self.packs = rod_problem.pack_environment(slices, self.environment)
        self.whole, own = rod_problem.inertia_of(slices, self.forces, self.settings.inertia)
        self.free = np.array([float(c not in HELD[built.base]) for c in range(6)])
        self._options = self._form(bool(held))
        self.contacts = ConstraintSet(built, self.mesh, held, self.settings.slip_tolerance)
        self.kinematic = Kinematic(self) if held else None
        self.steps_per_block = 128  # few enough for the processor's cache, enough for NumPy
        self.recorder = RodMotionRecorder(built, slices, self.whole, own, self.packs, (), self.settings.slip_tolerance)
        self._slices, self._own, self._afloat = slices, own, rod_problem.set_afloat(self.forces, own)
        if self._afloat and (held or not self.settings.inertia):
            raise InputError(
                "water.surface: a rod floats by its inertia; take its contacts out of the environment, or "
                "leave the surface out"
                if held
                else "model.inertia: false leaves out the water that a floating rod carries along; set it to "
                "true, or leave the surface of the water out"
            )
        self.body = rod_problem.robot_of(self.mesh, self.whole, own, self.recorder.muscles(), self.free)
        self.tallies = self.tallies_of(0)

    def tallies_of(self, contacts: int) -> TotalsStore:
        """The tally of a rod with so many contacts."""
        sections, limit = self.recorder.section_lengths, self.recorder.effort_limit()
        pushing = [item for item in self.environment if item.role == "wrench"]
        return TotalsStore(
            np.tile(limit, (len(sections), 1)),
            pushing,
            contacts,
            ("section", "screw"),
            sections[:, None],
            packs=self.packs,
        )

    def _form(self, held: bool) -> Any:
        if self.settings.form == "momentum" and (self.rod.base != "free" or held or not self.settings.inertia):
            raise InputError(
                "model.form: 'momentum' is for a free rod with inertia and without contacts; use 'velocity'"
            )
        if held and not self.settings.inertia:
            raise InputError(
                "model.inertia: contacts decide the motion by themselves, with inertia or not; leave "
                "inertia: true, or remove the contacts"
            )
        if held and self.rod.base == "fixed":
            raise InputError(
                "robot.base: 'fixed' holds the head already; contacts need a base that can move (free, planar or line)"
            )
        if not self.settings.inertia and any("wake" in pack.parts for pack in self.packs):
            raise InputError(
                "model.inertia: false leaves out the momentum of the water, and its wake is part of it; "
                "set wake to none in the water, or inertia to true"
            )
        if not self.settings.inertia:
            return RodOptions(inertialess=True)
        return RodOptions(momentum=True) if self.settings.form == "momentum" else RodOptions()

    # One state at a time

    def forward(
        self,
        strain: ArrayLike,
        strain_rate: ArrayLike,
        strain_acceleration: ArrayLike,
        base_twist: ArrayLike = _AT_REST,
        *,
        base_position: ArrayLike = (0.0, 0.0, 0.0),
        base_orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        time: float = 0.0,
        supports: ArrayLike | None = None,
        crests: ArrayLike | None = None,
    ) -> RodSolution:
        """Net acceleration from the external forces (18), or, with contacts, from what they allow (34), (35); and all
        that follows.

        Parameters
        ----------
        strain, strain_rate, strain_acceleration : (nodes, 6) at `mesh.X`: stretch, shears, twist, curvatures, and their
            rates in time.
        base_twist, base_position, base_orientation, time : state of the head. Contacts decide its twist: leave it out
            then.
        supports : abscissae of the contacts that wander along the body, in the order of a result's `support_abscissa`,
            NaN where one is not there; where they are at the start of a run if absent.
        crests : (P,) or (3, P) abscissae at which sweeping anchorages hold, and their speeds and accelerations along
            the body.
        """
        if self.kinematic is None:
            if supports is not None or crests is not None:
                raise InputError(
                    "supports and crests say where contacts are; the environment has none, so leave them out"
                )
            given = self._checked(strain, strain_rate, strain_acceleration)
            return self._instant(given, self._head(base_twist, base_position, base_orientation), None, time)
        if np.any(numbers("base_twist", base_twist, 6)):
            raise InputError(
                "base_twist: contacts decide the motion of the head; leave it out (got "
                f"{tuple(np.asarray(base_twist))})"
            )
        x = self._head(_AT_REST, base_position, base_orientation)
        strains = Drive(*self._checked(strain, strain_rate, strain_acceleration))
        return held_instant(self, self.kinematic, strains, x, time, supports, crests)

    def _checked(self, *strains: ArrayLike) -> list[Array]:
        """Strains at the nodes as arrays for kernels, or a clear refusal."""
        shape, arrays = (len(self.mesh.X), 6), [kernel_array(values) for values in strains]
        if any(values.shape != shape for values in arrays):
            raise InputError(
                f"strains must have shape {shape}, one row per node of mesh.X; got "
                f"{[values.shape for values in arrays]}"
            )
        return arrays

    @staticmethod
    def _head(twist: ArrayLike, position: ArrayLike, orientation: ArrayLike) -> Array:
        """A checked state of the head."""
        x = np.zeros(SIZE)
        state = HeadState.of(x)
        state.position[:], state.turn[:] = numbers("base_position", position, 3), unit_quaternion(orientation)
        state.motion[:] = numbers("base_twist", twist, 6)
        return x

    def internal_wrench(
        self,
        strain: ArrayLike,
        strain_rate: ArrayLike,
        strain_acceleration: ArrayLike,
        base_twist: ArrayLike,
        base_twist_rate: ArrayLike,
        *,
        base_position: ArrayLike = (0.0, 0.0, 0.0),
        base_orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        time: float = 0.0,
    ) -> RodSolution:
        """The wrench inside a body that moves as given (24); what that takes from outside at the head is
        `base_reaction`."""
        head = self._head(base_twist, base_position, base_orientation)
        return self._instant(self._checked(strain, strain_rate, strain_acceleration), head, base_twist_rate, time)

    def _instant(self, given: list[Array], x: Array, twist_rate: ArrayLike | None, time: float) -> RodSolution:
        strains = Strains(*(values[None] for values in given))
        problem = self._one_instant(strains)
        if not self._evaluate(problem, time, x):
            raise InputError("the motion of the head is not determined: the rod has no inertia; use a simulation")
        refuse_law_failure(self.environment)
        now = instants_from(np.array([time]), problem.records, strains)
        inertia = inertia_matrices(problem.memory.sums[:1])[0]
        if twist_rate is not None:
            rate, before = numbers("base_twist_rate", twist_rate, 6), Instant.of(problem.memory.instant)
            hold = inertia @ rate + before.bias[0] - before.push[0]
            now = now._replace(twist_rate=rate[None], hold=hold[None])
        wrench, tail = self.recorder.wrench_along(now, None)
        power = -float(self.mesh.weight @ (wrench[0] * given[1]).sum(axis=1))
        return RodSolution(
            now.twist_rate[0],
            wrench[0],
            tail[0],
            now.hold[0],
            inertia,
            now.shape[0, :, :12].copy(),
            power,
            now.twist[0],
            np.zeros(6),
            np.zeros((0, 6)),
        )

    def _one_instant(self, strains: Strains) -> RodProblem:
        """A problem of one instant, whose state holds the twist of the head."""
        problem = self._problem(RodDrive(strains, np.zeros(1)), self.tallies.start({}, 0.0), 1)
        return problem._replace(options=RodOptions())

    @staticmethod
    def _evaluate(problem: RodProblem, time: float, x: Array) -> bool:
        """Record the instant by the engine of runs, which makes no step. False if the motion is undetermined."""
        runge_kutta.advance_part(pack((problem, np.array([time]), np.ones(1, dtype=bool), x)), 0, 0, 0)
        return not problem.memory.failed[0]

    def shapes(self, strain: ArrayLike, strain_rate: ArrayLike, strain_acceleration: ArrayLike) -> Array:
        """`RodShape` (nodes,): pose of every node in the head frame, its twist while the head rests, and what
        the strains add to its rate.
        """
        given = self._checked(strain, strain_rate, strain_acceleration)
        found, sums = RodShape.zeros(1, len(self.mesh.X)), ShapeSums.zeros(1)
        shape_all(self.body, Strains(*(values[None] for values in given)), make_desk(len(self.mesh.X)), found, sums)
        return np.asarray(found[0])

    def _problem(self, drive: RodDrive, tally: Totals, records: int) -> RodProblem:
        """Everything that an engine needs, with memory of its own: two runs of one model are two problems."""
        body = self.body
        if self._afloat:  # sections are heavier where they are wet: memory of this run
            body = body._replace(sections=body.sections.copy(), octets=body.octets.copy())
        return RodProblem(
            body,
            rod_problem.fresh(self.forces),
            self._options,
            drive,
            rod_problem.memory_of(body, len(self.tallies.laws), tally),
            rod_problem.records_of(len(self.mesh.X), records, self.tallies.records(records)),
        )

    # Through time

    def initial_state(self, initial: Any, gait: Gait) -> State:
        """Pose and twist as given; with contacts, or without inertia, the twist follows from the gait."""
        x = np.zeros(SIZE)
        state = HeadState.of(x)
        state.position[:], state.turn[:], state.motion[:] = initial.position, initial.orientation, initial.twist
        decided = self.kinematic is not None or not self.settings.inertia
        locked = np.flatnonzero((self.free == 0.0) & (np.array(initial.twist) != 0.0))
        if decided and any(initial.twist):
            why = "contacts decide" if self.kinematic is not None else "without inertia the balance of forces decides"
            raise InputError(
                f"initial.twist: {why} the motion of the head; leave it at 0 (entry "
                f"{np.flatnonzero(initial.twist)[0]} of {initial.twist} is not)"
            )
        if len(locked):
            raise InputError(
                f"initial.twist: the base {self.rod.base!r} holds entry {locked[0]} of it at 0; got {initial.twist}"
            )
        if self.kinematic is not None:
            self.kinematic.groups = self.contacts.groups(gait)
            self.tallies = self.tallies_of(sum(columns.stop - columns.start for _, columns in self.kinematic.groups))
            items = [item for item, columns in self.kinematic.groups for _ in range(columns.stop - columns.start)]
            self.recorder = RodMotionRecorder(
                self.rod,
                self._slices,
                self.whole,
                self._own,
                self.packs,
                [item.model_dump_json() for item in items],
                self.settings.slip_tolerance,
                [item.slides for item in items],
            )
            return State(0.0, np.concatenate([x, self.contacts.start(self.kinematic.groups)]))
        if self._options.momentum:
            state.motion[:] = self._momentum(x, rod_strain(self.rod, gait, np.zeros(1), self.mesh.X))
        return State(0.0, x)

    def _momentum(self, x: Array, drive: Drive) -> Array:
        """Momentum about the world origin of a rod whose head moves with the twist in x."""
        strains = Strains(*(kernel_array(part) for part in drive))
        problem = self._one_instant(strains)
        self._evaluate(problem, 0.0, x)
        return np.asarray(
            self.recorder.variables(instants_from(np.zeros(1), problem.records, strains), None)["momentum"][0]
        )

    def step_limit(self, state: State) -> StepLimit | None:
        if self.kinematic is not None or not self.settings.inertia or self.rod.base == "fixed":
            # contacts, the balance of forces or the clamp decide the motion: no state to brake
            return None
        return friction_limit(rod_rate(self.packs, self._own[:, 0], float(state.x[2])), RUNGE_KUTTA, self.packs)

    def drive(self, gait: Any, times: Array) -> Course | Drive:
        """The gait as strains at the stage times."""
        drive = Drive(*(kernel_array(part) for part in rod_strain(self.rod, gait, times, self.mesh.X)))
        return self.kinematic.prepare(gait, drive) if self.kinematic is not None else drive

    def advance(
        self, state: State, knots: Array, record: NDArray[np.bool_], drive: Any
    ) -> tuple[State, Records, Status]:
        """From knot to knot, by the contacts' motion or by Runge-Kutta steps."""
        if self.kinematic is not None:
            return self.kinematic.advance(state, knots, record, drive)
        return super().advance(state, knots, record, drive)

    def standing_problem(self) -> Any:
        """None between contacts, whose motion is found for all steps of a block at once."""
        return None if self.kinematic is not None else StandingRod(self)

    def variables(self, records: Records) -> Variables:
        """The variables of the schema, from the arrays of all records."""
        return Variables(
            {**contiguous(self.recorder.variables(*instants_of(records))), **self.tallies.variables(records)}
        )

    def observe(self, state: State) -> dict[str, Array]:
        """Time and base, for a controller."""
        head = HeadState.of(state.x)
        return {
            "time": np.float64(state.time),
            "base_position": head.position.copy(),  # type: ignore[dict-item]
            "base_orientation": head.turn.copy(),
            "base_twist": head.motion.copy(),
        }

    def remarks(self, dataset: xr.Dataset) -> list[str]:
        return self.recorder.water.remarks(dataset)

    def schema(self) -> dict[str, Variable]:
        return {**self.recorder.schema(), **self.tallies.schema()}

    def coordinates(self) -> dict[str, Any]:
        return {**self.recorder.coordinates(), **self.tallies.coordinates()}
