"""`Soft`: a soft body in its environment, one state at a time or through time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.control.actuation import Actuation
from limbless.control.controllers.base import ClosedLoop, LoopLayout
from limbless.control.gaits.base import Gait
from limbless.core import InputError
from limbless.environments import Environment, breaks_of, refuse_points, together
from limbless.mechanics.chain import (
    BASES,
    COMMANDS,
    AxisRecord,
    BaseRecord,
    Body,
    BodyRecord,
    ChainOptions,
    ChainProblem,
    StrainActuation,
    TendonState,
)
from limbless.mechanics.chain import implicit_cells as _implicit_versions  # noqa: F401 - what an engine asks of a chain
from limbless.mechanics.compiled import aligned_zeros, kernel_array, pack
from limbless.mechanics.forces import MorisonLaw
from limbless.mechanics.integrate import runge_kutta
from limbless.mechanics.integrate.running_totals import ObjectiveTotals, new_objective_totals
from limbless.models import (
    RUNGE_KUTTA,
    VERTEBRA_STATIONS,
    ImplicitSteps,
    Observation,
    Records,
    SoftSettings,
    StandingModel,
    State,
    StepLimit,
    TotalsStore,
    Variable,
    Variables,
    actuation_or_motion,
    divergence,
    numbers,
    packed_rows,
    refuse_explicit_tolerance,
    refuse_law_failure,
    refuse_unused,
    water_of,
)
from limbless.models.chain import chain_problem, slow_motion
from limbless.models.chain.control_tables import ChainLoop, named
from limbless.models.chain.soft import cell_tables, rest_posture
from limbless.models.chain.soft.cell_material import CellMaterial
from limbless.models.chain.soft.cell_plan import CellPlan, RodStations, Stations, rod_plan, spine_plan
from limbless.models.chain.soft.linearisation import MOVES, Modes, SoftSolution, fastest_rate, modes_about
from limbless.models.chain.soft.links_as_cells import ChainStations, chain_plan, refuse_of_chain
from limbless.models.chain.soft.soft_drive import Driving
from limbless.models.chain.soft.soft_recorder import ChainRecorder, RodRecorder, SoftRecorder, SpineRecorder
from limbless.models.chain.soft.standing_soft import LAST_TENDONS, StandingSoft
from limbless.models.chain.soft.tendon_tables import ChainTendons, RodTendons, RoutedTendons, SpineTendons
from limbless.models.chain.soft.unused_fields import (
    refuse_cells,
    refuse_no_stops,
    refuse_of_mesh,
    refuse_of_rod,
    refuse_of_spine,
)
from limbless.models.recording.body_recorder import contiguous
from limbless.robots import ACTUATED, Chain, Preset, Robot, Rod, TendonSpine

Array = NDArray[np.float64]
CONTACT_OPTIONS = ("theta", "activation", "recovery", "compliance", "contact_tolerance", "bound")
_TAUT = 1.0 - 1e-6  # of its length: a tendon that begins to pull


class Soft(StandingModel):
    """Soft bodies in motion: strain cells under tendons, springs, weight and water, O(cells).

    Parameters
    ----------
    robot : a `TendonSpine`, a `Rod`, or a `Chain` with tendons, or a preset that builds one.
    environment : what acts on it.
    actuation : tendons and muscles pull, and given strains go, as the gait says, whatever it says.
    settings : integrator, tolerance, cells, degree, stations.
    """

    def __init__(
        self,
        robot: Robot | Preset,
        environment: Sequence[Environment] | Environment = (),
        actuation: Actuation | None = None,
        settings: SoftSettings | None = None,
    ) -> None:
        built, own = robot.build(), SoftSettings.or_default(settings)
        self.settings = own if own.integrator else own.changed(integrator="sdirk4")
        self.actuation = actuation_or_motion(actuation)
        if not isinstance(built, TendonSpine | Rod | Chain):
            raise InputError(f"the soft model moves a tendon spine, a rod or a chain; got {type(built).__name__}")
        refuse_explicit_tolerance(self.settings, "sdirk4 or midpoint")
        self.robot, self.environment = built, together(environment)
        self._refuse_contact_options()
        pushing = tuple(item for item in self.environment if item.role != "contact")
        refuse_points(self.environment, "a soft body has model.stations in each of its cells")
        self.notes = self._warnings()
        self.plan, seen = self._planned(built)
        self.strung: RoutedTendons = (
            SpineTendons(built)
            if isinstance(built, TendonSpine)
            else ChainTendons(built)
            if isinstance(built, Chain)
            else RodTendons(built, self.plan, self.settings.degree)
        )
        self.lawful = CellMaterial(built, self.plan, self.settings.degree)
        self._refuse_weightless()
        self.forces, self._added, self.packs = cell_tables.pack_environment(seen, pushing)
        self._links = cell_tables.robot_of(self.plan)
        self.freedoms, self.tendons = len(self._links.freedoms), len(self.strung.tendons)
        self._base = getattr(BASES, self.plan.base)
        each, dims = (self.tendons, ("tendon",)) if self.tendons else (self.freedoms, ("joint",))
        self._tallies = TotalsStore(np.full(each, np.inf), pushing, 0, dims, packs=self.packs)
        cells = self.cells()
        cell_tables.set_afloat(self.forces, cells, self._added)
        if isinstance(built, TendonSpine):
            self.recorder: SoftRecorder = SpineRecorder(built, self.plan, cells, self.packs, self.strung, self.lawful)
        elif isinstance(built, Chain):
            self.recorder = ChainRecorder(built, self.plan, cells, self.packs, self.strung)
        else:
            self.recorder = RodRecorder(
                built.head,
                self.plan,
                cells,
                self.packs,
                self.strung,
                self.settings.degree,
                ACTUATED[built.strains],
                self.lawful,
            )
        if not own.inertia:
            slow_motion.refuse_of_soft(self)
            self.recorder.forget_inertia()
            self.recorder.added[:] = 0.0
            self._links = slow_motion.weightless(self._links)
        self.forces = (*self.forces, *self.strung.element(cells, self._links.links))
        self._split = 7 + self.freedoms
        self._size = chain_problem.state_size(self._links) + 2 * self.strung.winches
        self._given = np.flatnonzero(cells.given)
        self._driving = Driving(built, self.plan, self.strung, self._given, self.settings.degree)
        self.steps = None
        if self.settings.integrator != "rk4":
            self.steps = ImplicitSteps(
                str(self.settings.integrator),
                self.settings.tolerance,
                self._size,
                len(cells.efforts),
                len(self._tallies.laws),
            )
        self._one: tuple[ChainProblem, Any] | None = None
        self._loop: ChainLoop | None = None

    def close_loop(self, controllers: Sequence[ClosedLoop], step: float, gait: Any = None) -> None:
        for controller in controllers:
            if getattr(controller, "output", "") not in ("signal", "tendon" if self.tendons else "effort"):
                raise InputError(
                    "controller.output: of a soft body with tendons a controller pulls these (output tendon)"
                    if self.tendons
                    else "controller.output: of a soft body without tendons a controller acts along its freedoms "
                    "(output effort)"
                )
        first, n, tip = self._split + 6 + self.freedoms, self.freedoms, len(self.plan.cells)
        joints = np.arange(n, dtype=np.int64)
        behind = np.repeat(1 + np.arange(tip), [len(cell.names) for cell in self.plan.cells])
        layout = LoopLayout(
            self.robot,  # type: ignore[arg-type]
            7 + joints,
            self._split + 6 + joints,
            behind,
            behind - 1,
            first,
            np.zeros(n),
            np.ones(n),
            (tip, 1.0) if self.robot.head == "tip" else (0, -1.0),
            (tip, (0.0, 0.0, 0.0)),
            step,
            gait,
            tendons=self.tendons,
            rigid=False,
            parts=self._parts(),
        )
        self._loop = ChainLoop(controllers, layout, self.actuation)
        self._size += self._loop.count
        if self.steps is not None:
            actuators = len(self.cells().efforts)
            name, tolerance = str(self.settings.integrator), self.settings.tolerance
            self.steps = ImplicitSteps(name, tolerance, self._size, actuators, len(self._tallies.laws))
        self._one = None

    def _parts(self) -> Any:
        """Nothing touches it."""

    def _refuse_contact_options(self) -> None:
        """Refuse what only contacts need."""
        told = "it says how contacts are solved, and there is nothing hard around; leave it out, or add a ground"
        names = [name for name in CONTACT_OPTIONS if name != "theta" or self.settings.theta != 0.5]
        refuse_unused(self.settings, names, told, "model.{}")

    def _planned(self, robot: TendonSpine | Rod | Chain) -> tuple[CellPlan, Stations]:
        """The body as cells, and as environments see it."""
        own = self.settings
        if isinstance(robot, Chain):
            refuse_of_chain(robot)
            self.notes = (*self.notes, *refuse_cells(own, "a chain has one cell per degree of freedom"))
            plan = chain_plan(robot, 3 if own.stations is None else own.stations)
            refuse_no_stops(plan, own)
            return plan, ChainStations(plan, robot)
        if isinstance(robot, TendonSpine):
            self.notes = (*self.notes, *refuse_of_spine(robot, own))
            plan = spine_plan(robot, own.stations or VERTEBRA_STATIONS, own.stops)
            refuse_no_stops(plan, own)
            return plan, Stations(plan)
        refuse_of_rod(robot)
        refuse_of_mesh(robot, own)
        breaks = breaks_of(robot, self.environment, own.breaks)
        plan = rod_plan(robot, own.cells, own.degree, own.degree + 2 if own.stations is None else own.stations, breaks)
        refuse_no_stops(plan, own)
        self._refuse_soft(robot, plan)
        return plan, RodStations(plan, robot)

    def _refuse_soft(self, rod: Rod, plan: CellPlan) -> None:
        """A passive strain needs something that resists it: what a law of a user's own does is for it to say."""
        if rod.material is not None:
            return
        for number, cell in enumerate(plan.cells, 1):
            for j, name in enumerate(cell.names):
                if not cell.given[j] and not cell.elastic[j, j] > 0.0 and rod.base == "fixed":
                    where = f"{name[:-2]} of cell {number}"
                    told = "no stiffness" if cell.viscous[j, j] > 0.0 else "neither stiffness nor damping"
                    note = (
                        f"robot.stiffness: the passive {where} has {told}: it is a mechanism; give the rod a "
                        "youngs_modulus or a stiffness"
                    )
                    self.notes = (*self.notes, note)
                    return

    def _warnings(self) -> tuple[str, ...]:
        """What only the model can say of a scenario."""
        printed = [item for item in self.environment if getattr(item, "form", "") == "paper"]
        return tuple(
            f"environment.{item.kind}.added_mass: 'paper' does not conserve momentum, and passive strains "
            "answer to it (a soft body may swim the wrong way round); set it to 'consistent'"
            for item in printed
        )

    def remarks(self, dataset: Any) -> list[str]:
        return self.strung.fading(dataset)

    @property
    def given_freedoms(self) -> NDArray[np.intp]:
        """Numbers of the freedoms that a gait states."""
        return self._given

    def cells(self, records: int = 0) -> Any:
        """Tables of the cells, with memory of their own."""
        made = cell_tables.cells_of(
            self.plan, self._added, self.strung, self.tendons or self.freedoms, records, self.lawful.table()
        )
        return made if self.settings.inertia else slow_motion.weightless_cells(made, len(self.plan.cells))

    def _refuse_weightless(self) -> None:
        """A body without inertia about its own axis that is free to roll is singular."""
        roll = sum(piece.turn[0] for _, piece in self.plan.stations) + sum(cell.turn[0] for cell in self.plan.cells)
        if self.plan.base in ("free", "pinned") and not roll > 0.0:
            raise InputError(
                "robot: nothing resists its roll about its own axis: give the vertebrae a joint_mass "
                "with a joint_radius, or a disk_inertia, or choose base planar"
            )

    @property
    def towing(self) -> dict[str, float]:
        """Drag of the straight body, towed along itself: N s2/m2 and N s/m; nothing for a body without tendons, or
        where the water does not only resist (it flows).
        """
        rows = packed_rows(self.packs, MorisonLaw)
        if not self.tendons or not rows or any(any(row.current) for row in rows):
            return {}
        return {
            "towing_quadratic": float(sum(row.length * row.quadratic.x for row in rows)),
            "towing_linear": float(sum(row.length * row.linear.x for row in rows)),
        }

    # A problem

    def problem(self, drive: cell_tables.SoftDrive, records: int, tally: Any, tallied: Any) -> ChainProblem:
        """Everything that an engine needs, with memory of its own."""
        cells = self.cells(records)
        if self.strung.elastic:
            cells.ropes.how[0] = drive.how
        memory = chain_problem.memory_of(self._links, len(self._tallies.laws), tally, cells)
        forces = chain_problem.fresh(self.forces)
        memory = memory._replace(
            powers=np.zeros((4, len(cells.efforts))),
            water=water_of(forces),
            state=aligned_zeros(self._size),
            slope=aligned_zeros(self._size),
            total=aligned_zeros(self._size),
        )
        if not self.settings.inertia:
            memory = slow_motion.slowed(memory, self._size, self.environment)
        loops = () if self._loop is None else self._loop.tables()
        options = ChainOptions(StrainActuation(), self._base, False, False, self._links.links.codes, loops)
        stages: Any = drive
        return ChainProblem(
            self._links,
            forces,
            options,
            stages,
            memory,
            cell_tables.records_of(self._links, cells, self._size, records, tallied),
        )

    def fresh_score(self) -> ObjectiveTotals:
        """What derivatives and searches sum in place of a tally; tendons and muscles have no limits."""
        return new_objective_totals(self._tallies.limit, strained=False)

    def breakpoints(self, gait: Gait, start: float, end: float) -> list[float]:
        return gait.tendon_kinks(start, end, self.strung.places) if self.tendons else []

    def jumps(self, gait: Gait, start: float, end: float) -> list[float]:
        return gait.jumps(start, end) if self.tendons else []

    def drive(self, gait: Gait, times: Array) -> cell_tables.SoftDrive:
        """The gait at the quarters of all steps; `times` are knots and middles."""
        return self._driving.drive(gait, times)

    # One state at a time

    def instant(
        self,
        x: ArrayLike,
        tension: ArrayLike = 0.0,
        time: float = 0.0,
        *,
        length: ArrayLike | None = None,
        torque: ArrayLike | None = None,
    ) -> ChainProblem:
        """The problem evaluated at a flat state (`flat`), with these tensions, unstretched lengths or torques."""
        if self._one is None:
            alone = self.problem(self.still(), 1, None, None)
            self._one = alone, pack(alone)
        problem, packed = self._one
        drive: Any = problem.drive
        command = length if length is not None else tension if torque is None else torque
        how = COMMANDS.length if length is not None else COMMANDS.tension if torque is None else COMMANDS.torque
        if how != COMMANDS.tension and not (self.strung.elastic and (self.strung.winds or how == COMMANDS.length)):
            raise InputError("length and torque: the tendons need a stiffness, and for torques a winch")
        if self.strung.elastic:
            problem.memory.cells.ropes.how[0] = how
        drive.command[:] = command
        state = kernel_array(np.array(x, dtype=np.float64))
        if state.shape != (self._size,):
            raise InputError(f"x: a flat state of this body has {self._size} numbers (`flat`); got {state.shape}")
        drive.position[:] = state[7 + self._given]
        drive.velocity[:] = state[self._split + 6 + self._given]
        runge_kutta.advance(packed, np.array([time]), np.ones(1, dtype=bool), state)
        refuse_law_failure(self.asked)
        self.lawful.refuse()
        return problem

    def still(self) -> cell_tables.SoftDrive:
        """A drive of one row that gives nothing."""
        given = [np.zeros((1, len(self._given))) for _ in range(3)]
        return cell_tables.SoftDrive(
            given[0],
            given[1],
            given[2],
            np.zeros((1, 0 if self.tendons else self.freedoms)),
            np.zeros((1, self.tendons)),
            np.zeros((1, self.tendons)),
        )

    def flat(
        self,
        strain: ArrayLike = 0.0,
        strain_rate: ArrayLike = 0.0,
        base_twist: ArrayLike = (0.0,) * 6,
        *,
        base_position: ArrayLike = (0.0, 0.0, 0.0),
        base_orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        winch_angle: ArrayLike = 0.0,
        winch_rate: ArrayLike = 0.0,
    ) -> Array:
        """A flat state: base pose, freedoms (bends in rad, cell by cell), base twist, their rates, and winches."""
        x, n = np.zeros(self._size), self.freedoms
        x[:3], x[3:7] = base_position, base_orientation
        x[7 : 7 + n], x[self._split : self._split + 6] = strain, base_twist
        x[self._split + 6 : self._split + 6 + n] = strain_rate
        angle, rate = self._winch_columns
        x[angle], x[rate] = winch_angle, winch_rate
        return x

    @property
    def _winch_columns(self) -> tuple[slice, slice]:
        """Where a state has the angles and the rates of the winches."""
        first, m = self._split + 6 + self.freedoms, self.strung.winches
        first += 0 if self._loop is None else self._loop.count
        return slice(first, first + m), slice(first + m, first + 2 * m)

    def forward(self, x: ArrayLike, tension: ArrayLike = 0.0, time: float = 0.0, **given: ArrayLike) -> SoftSolution:
        """Accelerations at a flat state (`flat`), with these tensions (N), `length`s (m) or `torque`s (N m)."""
        found = self.instant(x, tension, time, **given)
        base, axes = BaseRecord.of(found.records.base), AxisRecord.of(found.records.axes)
        ends, count = Body.of(found.memory.bodies), len(self.plan.cells) + 1
        return SoftSolution(
            base.acceleration[0].copy(),
            axes.acceleration[0].copy(),
            axes.torque[0].copy(),
            base.held[0].copy(),
            np.array(ends.origin[:count]),
            np.array(ends.rotation[:count]).reshape(count, 3, 3),
        )

    def linearise(
        self, x: ArrayLike | State, tension: ArrayLike = 0.0, time: float = 0.0, *, length: ArrayLike | None = None
    ) -> Modes:
        """Frequencies, damping ratios and shapes of small motions about a state, the tensions held, or (`length`, m)
        the unstretched lengths of elastic tendons.
        """
        return modes_about(*self._small_motions(x, tension, time, length))

    def _small_motions(
        self, x: ArrayLike | State, tension: ArrayLike, time: float, length: ArrayLike | None = None
    ) -> tuple[Any, ...]:
        """What differences of the dynamics about a state need to know."""
        flat = x.x if isinstance(x, State) else np.asarray(x, dtype=np.float64)
        held = list(MOVES[self.plan.base])
        free = np.setdiff1d(np.arange(self.freedoms), self._given)
        scale = np.concatenate(
            [np.where(np.array(held) < 3, self.plan.length, 1.0), self.plan.length / self.cells().scale[free]]
        )

        def accelerations(state: Array) -> Array:
            answer = self.forward(state, tension, time, **({} if length is None else {"length": length}))
            return np.concatenate([answer.base_acceleration[held], answer.strain_acceleration[free]])

        return flat, self._split, self.plan.base, free, scale, accelerations

    def step_limit(self, state: State) -> StepLimit | None:
        """Explicit steps follow nothing that is faster than they are."""
        if self.steps is not None:
            return None
        taut = None
        if self.strung.elastic and not self.strung.follows:  # as stiff as tendons make it: all of them just taut
            taut = _TAUT * TendonState.of(self.instant(state.x, 0.0, state.time).memory.cells.pulls).length
        rate = fastest_rate(*self._small_motions(state, 0.0, state.time, taut))
        if not rate > 0.0:
            return None
        return StepLimit(
            RUNGE_KUTTA / rate,
            f"rk4: the fastest motion of this body has a rate of {rate:.3g} 1/s, and "
            "sdirk4 (model.integrator) has no such limit",
        )

    # Through time

    def initial_state(self, initial: Any, gait: Gait) -> State:
        """Pose and twist as given; straight, or in equilibrium under the tensions just before the start."""
        twist = np.array(initial.twist, dtype=np.float64)
        locked = [c for c in range(6) if c not in MOVES[self.plan.base] and twist[c] != 0.0]
        if locked:
            raise InputError(
                f"initial.twist: the base {self.plan.base!r} holds entry {locked[0]} of it at 0; got {initial.twist}"
            )
        strain, rate = np.concatenate([cell.rest for cell in self.plan.cells]), np.zeros(self.freedoms)
        if initial.joint_position is not None:
            strain = numbers("initial.joint_position", initial.joint_position, self.freedoms)
        if initial.joint_velocity is not None:
            rate = numbers("initial.joint_velocity", initial.joint_velocity, self.freedoms)
        if len(self._given):
            motion = self.drive(gait, np.zeros(1))
            strain[self._given], rate[self._given] = motion.position[0], motion.velocity[0]
        if initial.posture is not None and initial.posture.kind != "equilibrium":
            raise InputError(
                f"initial.posture: {initial.posture.kind!r} needs something hard around (a ground, a pipe, pegs), and "
                "there is none; leave it out"
            )
        place = initial.position, initial.orientation
        if initial.posture is not None:
            x = rest_posture.state_at_rest(self, gait, strain, twist, *place)
        else:
            x = self.flat(strain, rate, twist, base_position=place[0], base_orientation=place[1])
        if self.steps is not None and not self.settings.inertia:
            slow_motion.refuse_start(initial)
            x = slow_motion.started(self, x, self.drive(gait, np.zeros(1)), self.steps, MOVES[self.plan.base])
        return State(0.0, x, {} if self._loop is None else named(self._loop.start(x)))

    def equilibrium(
        self,
        tension: ArrayLike | None = None,
        base_position: ArrayLike = (0.0, 0.0, 0.0),
        base_orientation: ArrayLike = (1.0, 0.0, 0.0, 0.0),
        *,
        length: ArrayLike | None = None,
    ) -> Array:
        """The freedoms at rest under these tensions (N), or with these unstretched lengths (m): of spines by tendon
        statics, of rods and chains by relaxation."""
        return rest_posture.equilibrium(
            self, tension, length, base_position=base_position, base_orientation=base_orientation
        )

    def workspace(self, tensions: ArrayLike, **place: ArrayLike) -> Array:
        """(N, 3) where the tip rests under each row of tensions (N), world, m; `place` as that of `equilibrium`."""
        return rest_posture.workspace(self, tensions, **place)

    def standing_problem(self) -> StandingSoft:
        return StandingSoft(self)

    @property
    def part(self) -> str:
        """What messages call a cell of this body."""
        return (
            "vertebra" if isinstance(self.robot, TendonSpine) else "joint" if isinstance(self.robot, Chain) else "cell"
        )

    # What is recorded

    def state_columns(self) -> list[tuple[str, str, slice]]:
        """Where named variables stand in the flat state, and the tip and the centre of mass behind it: name, dimension
        (or none), columns.
        """
        behind = {"tip_position": self._size, "com_position": self._size + 3}
        return [
            *chain_problem.state_columns(self._split, self._size),
            *((name, "axis", slice(first, first + 3)) for name, first in behind.items()),
        ]

    def sound_records(self, records: Records) -> int:
        axes = AxisRecord.of(records["axes"])
        return divergence.sound_records(
            {
                "time": records["time"],
                "x": records["x"],
                "acceleration": axes.acceleration,
                "twist": np.asarray(BodyRecord.of(records["bodies"]).twist),
            }
        )

    def fastest(self, records: Records) -> str:
        speed = np.linalg.norm(BodyRecord.of(records["bodies"]).twist[-1, : len(self.plan.cells) + 1, :3], axis=-1)
        return f"the end of {self.part} {int(speed.argmax())}"

    def variables(self, records: Records) -> Variables:
        looped = {} if self._loop is None else self._loop.variables(records["x"])
        found = {**self.recorder.variables(records), **self._tallies.variables(records), **looped}
        present = ("time", *self.schema())
        return Variables(contiguous({name: values for name, values in found.items() if name in present}))

    def schema(self) -> dict[str, Variable]:
        """Tendons and muscles have no limits."""
        counted = {name: variable for name, variable in self._tallies.schema().items() if name != "limit_time"}
        return {**self.recorder.present, **counted, **({} if self._loop is None else self._loop.schema())}

    def coordinates(self) -> dict[str, Any]:
        looped = {} if self._loop is None else self._loop.coordinates()
        return {**self.recorder.coordinates(), **self._tallies.coordinates(), **looped}

    def observe(self, state: State) -> dict[str, Array]:
        """Time, base, freedoms, tip and tendons, for a controller; their tensions are those of the last step."""
        x, n = state.x, self.freedoms
        flat = np.zeros(self._size)
        flat[: self._split + 6 + n] = x[: self._split + 6 + n]  # among contacts a state counts more
        last = np.array(state.memory.get(LAST_TENDONS, ()))

        def rest() -> dict[str, Array]:
            now = self.instant(flat, time=state.time).memory
            bodies, pulls = Body.of(now.bodies), TendonState.of(now.cells.pulls)
            rotation = bodies.rotation.reshape(-1, 3, 3)
            tension = (TendonState.of(last) if last.size else pulls).tension
            tendons = {"tension": np.array(tension), "tendon_length": np.array(pulls.length)} if self.tendons else {}
            tip = np.array(self.recorder.tip(rotation, bodies.origin))
            return {**tendons, "tip_position": tip, "tip_axes": np.array(rotation[len(self.plan.cells)])}

        known = {
            "time": np.float64(state.time),  # type: ignore[dict-item]
            "base_position": x[:3].copy(),
            "base_orientation": x[3:7].copy(),
            "base_twist": x[self._split :][:6].copy(),
            "joint_position": x[7 : 7 + n].copy(),
            "joint_velocity": x[self._split + 6 :][:n].copy(),
        }
        if self._loop is not None:
            known["controller_state"] = x[self._loop.columns].copy()
        return Observation(known, rest)
