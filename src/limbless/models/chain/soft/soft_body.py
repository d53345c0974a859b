"""`SoftBody`: a soft body as cells, what acts on it and what drives it, as the problems that engines take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.control.actuation import Actuation
from limbless.control.controllers.base import ClosedLoop, LoopLayout
from limbless.control.gaits.base import Gait
from limbless.core import Array, InputError
from limbless.environments import Environment, breaks_of, refuse_points, together
from limbless.mechanics.chain import (
    BASES,
    COMMANDS,
    ChainOptions,
    ChainProblem,
    StrainActuation,
    implicit_cells as _implicit_versions,  # noqa: F401 - what an engine asks of a chain
)
from limbless.mechanics.forces import MorisonLaw
from limbless.mechanics.integrate.running_totals import ObjectiveTotals, new_objective_totals
from limbless.models import (
    STAGE_TOLERANCE,
    VERTEBRA_STATIONS,
    SoftSettings,
    StandingModel,
    Status,
    TotalsStore,
    actuation_or_motion,
    packed_rows,
    refuse_explicit_tolerance,
    refuse_unused,
    steps_of,
    water_of,
)
from limbless.models.chain import chain_problem, slow_motion
from limbless.models.chain.control_tables import ChainLoop
from limbless.models.chain.soft import cell_tables
from limbless.models.chain.soft.cell_material import CellMaterial
from limbless.models.chain.soft.cell_plan import CellPlan, RodStations, Stations, rod_plan, spine_plan
from limbless.models.chain.soft.links_as_cells import ChainStations, chain_plan, refuse_of_chain
from limbless.models.chain.soft.soft_drive import Driving
from limbless.models.chain.soft.soft_recorder import ChainRecorder, RodRecorder, SoftRecorder, SpineRecorder
from limbless.models.chain.soft.tendon_tables import ChainTendons, RodTendons, RoutedTendons, SpineTendons
from limbless.models.chain.soft.unused_fields import (
    refuse_cells,
    refuse_no_stops,
    refuse_of_mesh,
    refuse_of_rod,
    refuse_of_spine,
)
from limbless.robots import Chain, Preset, Robot, Rod, TendonSpine

KINDS: dict[str, tuple[str, Callable[..., RoutedTendons], Callable[..., SoftRecorder]]] = {
    "tendon-spine": ("vertebra", SpineTendons, SpineRecorder),
    "chain": ("joint", ChainTendons, ChainRecorder),
    "rod": ("cell", RodTendons, RodRecorder),
}
"""Of each kind of robot: what messages call a cell of it, how its tendons run, what is recorded of it."""
CONTACT_OPTIONS = ("theta", "activation", "recovery", "compliance", "contact_tolerance", "bound")


class SoftBody(StandingModel):
    """A soft body in its environment: the tables that its motion is made of."""

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
        refuse_no_stops(self.plan, self.settings)
        self.part, tendons, recorder = KINDS[built.kind]
        self.strung, self.lawful = tendons(built, self.plan), CellMaterial(built, self.plan)
        self._refuse_weightless()
        self.forces, self._added, self.packs = cell_tables.pack_environment(seen, pushing)
        self._links = cell_tables.robot_of(self.plan)
        self.freedoms, self.tendons = len(self._links.freedoms), len(self.strung.tendons)
        self._base = getattr(BASES, self.plan.base)
        each, dims = (self.tendons, ("tendon",)) if self.tendons else (self.freedoms, ("joint",))
        self._tallies = TotalsStore(np.full(each, np.inf), pushing, 0, dims, packs=self.packs)
        cells = self.cells()
        cell_tables.set_afloat(self.forces, cells, self._added)
        self.recorder = recorder(built, self.plan, cells, self.packs, self.strung, self.lawful)
        if not own.inertia:
            slow_motion.refuse_of_soft(self)
            self.recorder.forget_inertia()
            self.recorder.added[:] = 0.0
            self._links = slow_motion.weightless(self._links)
        self.forces = (*self.forces, *self.strung.element(cells, self._links.links))
        self._split = 7 + self.freedoms
        self._size = chain_problem.state_size(self._links) + 2 * self.strung.winches
        self._given, self._free = np.flatnonzero(cells.given), np.flatnonzero(cells.given == 0)
        self._driving = Driving(built, self.plan, self.strung, self._given)
        self._make_room(cells)
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
        self._make_room(self.cells())
        self._one = None

    def _make_room(self, cells: Any) -> None:
        """What implicit steps need of a state."""
        sizes = self._size, len(cells.efforts), len(self._tallies.laws)
        self.steps = steps_of(str(self.settings.integrator), self.settings.tolerance or STAGE_TOLERANCE, *sizes)

    def _parts(self) -> Any:
        """Nothing touches it."""

    def failure_of_laws(self, time: float) -> Status:
        status = super().failure_of_laws(time)
        return status if status.failure else self.lawful.failure(time)

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
            return plan, ChainStations(plan, robot)
        if isinstance(robot, TendonSpine):
            self.notes = (*self.notes, *refuse_of_spine(robot, own))
            plan = spine_plan(robot, own.stations or VERTEBRA_STATIONS, own.stops)
            return plan, Stations(plan)
        refuse_of_rod(robot)
        refuse_of_mesh(robot, own)
        breaks = breaks_of(robot, self.environment, own.breaks)
        plan = rod_plan(robot, own.cells, own.degree, own.degree + 2 if own.stations is None else own.stations, breaks)
        self._note_loose(robot, plan)
        return plan, RodStations(plan, robot)

    def _note_loose(self, rod: Rod, plan: CellPlan) -> None:
        """A passive strain needs something that resists it: what a law of a user's own does is for it to say."""
        loose = [(number, cell, j) for number, cell in enumerate(plan.cells, 1) for j in cell.loose]
        if loose and rod.base == "fixed" and rod.material is None:
            number, cell, j = loose[0]
            told = "no stiffness" if cell.viscous[j, j] > 0.0 else "neither stiffness nor damping"
            self.notes = (
                *self.notes,
                f"robot.stiffness: the passive {cell.names[j][:-2]} of cell {number} has {told}: it is a mechanism; "
                "give the rod a youngs_modulus or a stiffness",
            )

    def _warnings(self) -> tuple[str, ...]:
        """What only the model can say of a scenario."""
        return tuple(
            f"environment.{item.kind}.added_mass: 'paper' does not conserve momentum, and passive strains "
            "answer to it (a soft body may swim the wrong way round); set it to 'consistent'"
            for item in self.environment
            if getattr(item, "form", "") == "paper"
        )

    def _refuse_weightless(self) -> None:
        """A body without inertia about its own axis that is free to roll is singular."""
        roll = sum(piece.turn[0] for _, piece in self.plan.stations) + sum(cell.turn[0] for cell in self.plan.cells)
        if self.plan.base in ("free", "pinned") and not roll > 0.0:
            raise InputError(
                "robot: nothing resists its roll about its own axis: give the vertebrae a joint_mass "
                "with a joint_radius, or a disk_inertia, or choose base planar"
            )

    @property
    def given_freedoms(self) -> NDArray[np.intp]:
        """Numbers of the freedoms that a gait states."""
        return self._given

    def cells(self, records: int = 0, how: int = COMMANDS.tension) -> Any:
        """Tables of the cells, with memory of their own; `how` says what commands of their tendons are."""
        made: Any = cell_tables.cells_of(
            self.plan, self._added, self.strung, self.tendons or self.freedoms, records, self.lawful.table()
        )
        if made.ropes is not None:
            made.ropes.how[0] = how
        return made if self.settings.inertia else slow_motion.weightless_cells(made, len(self.plan.cells))

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

    def problem(self, drive: Any, records: int, tally: Any, tallied: Any) -> ChainProblem:
        """Everything that an engine needs, with memory of its own."""
        cells, forces, size = self.cells(records, drive.how), chain_problem.fresh(self.forces), self._size
        memory = chain_problem.memory_of(self._links, len(self._tallies.laws), tally, size, cells)
        memory = memory._replace(water=water_of(forces))
        if not self.settings.inertia:
            memory = slow_motion.slowed(memory, size, self.environment)
        loops = () if self._loop is None else self._loop.tables()
        options = ChainOptions(StrainActuation(), self._base, False, False, self._links.links.codes, loops)
        kept = chain_problem.records_of(self._links, records, tallied, size, len(cells.weigh))
        return ChainProblem(self._links, forces, options, drive, memory, kept)

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
