"""`SoftContact`: a soft body among hard things, with impacts, stick and slip."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.control.actuation import Actuation
from limbless.control.controllers.base import ClosedLoop
from limbless.control.gaits.base import Gait
from limbless.core import Array, InputError
from limbless.environments.base import Environment
from limbless.mechanics.compiled import PythonCallback
from limbless.mechanics.contact import (
    BodyInertia,
    BodyVelocity,
    ContactMemory,
    ContactOptions,
    ContactRow,
    FallbackRequest,
    SoftContactProblem,
    SoftContactRecords,
    SoftLayout,
    SoftRule,
    run_fallback,
    stand_cells,
)
from limbless.mechanics.integrate import dirk
from limbless.models import (
    Records,
    SoftSettings,
    State,
    TotalsStore,
    Variable,
    Variables,
    choose,
    water_of,
)
from limbless.models.chain import chain_problem
from limbless.models.chain.contact import contact_recorder, moving_body_tables
from limbless.models.chain.contact.standing_contact import HardModel
from limbless.models.chain.soft import contact_posture, contact_tables
from limbless.models.chain.soft.soft_features import by_section, mobility, touching_of
from limbless.models.chain.soft.soft_model import Soft
from limbless.models.chain.soft.standing_touch import StandingTouch
from limbless.models.recording.body_recorder import mean_schema
from limbless.robots.base import Preset, Robot

if TYPE_CHECKING:
    import xarray as xr

BENT = 0.3  # rad between neighbours, from which on a straight capsule is visibly off its arc
THETA, TOLERANCE = 0.6, 1e-4  # where nothing is said: an error of the stage far below that of the step


class SoftContact(HardModel, Soft):
    """Soft bodies among hard things: one implicit stage per step, and impulses that obey the laws of contact.

    Parameters as those of `Soft`.
    """

    steps_per_block = 1024
    counted = (*HardModel.counted, "passes", "halvings")

    def __init__(
        self,
        robot: Robot | Preset,
        environment: Sequence[Environment] | Environment = (),
        actuation: Actuation | None = None,
        settings: SoftSettings | None = None,
    ) -> None:
        own = SoftSettings.or_default(settings)
        if own.integrator not in (None, "midpoint"):
            raise InputError(
                f"model.integrator: contacts need 'midpoint', for an impulse belongs to a step, not to a stage; got "
                f"{own.integrator!r}"
            )
        super().__init__(robot, environment, actuation, own.changed(integrator="midpoint"))
        self.touching = touching_of(self.robot, self.plan)
        self._refuse_of_rods()
        self._surround(self.touching, self.environment)
        self._note_contacts()
        rows, contacts = len(self.touching.links), len(self._scene.owner)
        self._solids = np.concatenate([BodyInertia.zeros(rows), moving_body_tables.solids_of(self._objects)])
        if self.robot.kind == "rod":
            self._contacts.robot = told = by_section(self.touching, self.plan)
            self.recorder.pushed = np.eye(len(self.recorder.sections))[told.links].T  # its ends are no sections
        self._where = self._layout()
        self._options = self._choose()
        self._longest = 0.0
        self._tallies = TotalsStore(
            self._tallies.limit.reshape(self._tallies.shape),
            tuple(item for item in self.environment if item.role != "contact"),
            contacts,
            self._tallies.dims,
            packs=self.packs,
        )

    def _refuse_contact_options(self) -> None:
        """All of them are used."""

    def _refuse_of_rods(self) -> None:
        """What rods cannot do in contact."""
        for item in self.environment:
            if self.robot.kind == "rod" and getattr(item, "restitution", 0.0) > 0.0:
                raise InputError(
                    f"{item.kind}.restitution: a rod bounces by its own elasticity, and restitution would act on the "
                    f"mass of one station alone; leave it out (0), got {getattr(item, 'restitution', 0.0):g}"
                )
            if self.robot.kind == "rod" and getattr(item, "link_factors", None) is not None:
                raise InputError(
                    f"{item.kind}.link_factors: a rod has no links; give forward, backward and lateral, or patches"
                )

    def _note_contacts(self) -> None:
        """What soft bodies should not do in contact."""
        rigid = not (self.cells().given == 0).any() and self.plan.base == "fixed"
        if rigid and self._company.objects:
            self.notes = (
                *self.notes,
                "environment.objects: all strains are given and the base is fixed, so that nothing bounds the force "
                "with which this robot with a fixed base pushes; make strains passive, or free the base",
            )
        loose = [cell.names[j] for cell in self.plan.cells for j in cell.loose]
        if loose and self.lawful.law is None:
            self.notes = (
                *self.notes,
                f"robot.stiffness: the passive {loose[0]} has no stiffness: on the ground it is a mechanism, which "
                "lies as it falls; give it a stiffness or a youngs_modulus",
            )
        if self.robot.kind == "rod" and any(item.kind == "pegs" for item in self.environment):
            short = min(cell.length for cell in self.plan.cells)
            radius = max(ball[3] for ball in self.touching.balls)
            if 2.0 * radius > short:
                self.notes = (
                    *self.notes,
                    f"model.cells: the rod touches pegs with a radius of {radius:g} m, more than half of its shortest "
                    f"cell, {short:g} m: its capsules overlap; take fewer cells",
                )

    def _choose(self) -> ContactOptions:
        own, G0 = self.settings, mobility(self.touching, self.plan.masses)
        return ContactOptions(
            None,
            None,
            None,
            None,
            None,
            self._base,
            own.activation == "anticipative",
            own.recovery,
            own.compliance * G0,
            0.92 / G0,
            own.contact_tolerance,
            max(own.bound, own.contact_tolerance),
            0,
        )

    def contact_problem(
        self, drive: Any, memory: ContactMemory, records: SoftContactRecords, theta: float | None = None
    ) -> tuple[SoftContactProblem, PythonCallback]:
        """Everything that an engine needs, and what it calls where its own iterations do not end."""
        saving = PythonCallback(
            lambda _: run_fallback(self._links, self._options, memory.step, memory.path, memory.request),
            FallbackRequest.width,
        )
        forces = chain_problem.fresh(self.forces)
        memory = memory._replace(chain=memory.chain._replace(water=water_of(forces)))
        own = THETA if self.settings.theta is None else self.settings.theta
        tolerance = self.settings.tolerance or TOLERANCE
        rule = SoftRule(own if theta is None else theta, tolerance, dirk.PATIENCE.most, dirk.PATIENCE.halvings)
        return SoftContactProblem(
            self._links,
            self._solids,
            self._own_scene(),
            forces,
            self._options._replace(
                rescue=saving.address, controllers=None if self._loop is None else self._loop.tables()
            ),
            rule,
            self._where,
            drive,
            memory,
            records,
        ), saving

    # Through time

    def initial_state(self, initial: Any, gait: Gait) -> State:
        """As given, or as a posture has it, at rest where it settles."""
        posture = initial.posture
        if posture is None:
            bare = super().initial_state(initial, gait)
            return State(0.0, self.grown(bare.x), bare.memory)
        bare = super().initial_state(SimpleNamespace(**{**vars(initial), "posture": None}), gait)
        return State(0.0, contact_posture.take(self, posture, self.grown(bare.x), gait), bare.memory)

    def grown(self, flat: Array) -> Array:
        """A state of a soft body with what contacts remember: nothing yet."""
        x = np.zeros(self._where.end)
        x[: self._size] = flat
        n = 6 + self.freedoms
        x[self._where.earlier :][:n] = x[self._split : self._split + n]
        moving_body_tables.put_objects(
            self._objects, x, self._where.objects, self._where.speeds + BodyVelocity.width * len(self.touching.links)
        )
        return x

    def gaps(self, x: Array) -> Array:
        memory = contact_tables.memory_for(self, self.still(), 0, self._tallies.start({}, 0.0))
        stand_cells(self._links, self._scene, memory, x.copy(), self._where)
        return np.asarray(ContactRow.of(memory.step.contacts).gap)

    def _layout(self) -> SoftLayout:
        rows, contacts = len(self.touching.links), len(self._scene.owner)
        return contact_tables.layout_of(self._size, self.freedoms, rows, contacts, len(self._objects))

    def close_loop(self, controllers: Sequence[ClosedLoop], step: float, gait: Any = None) -> None:
        super().close_loop(controllers, step, gait)
        self._where = self._layout()

    def _parts(self) -> Any:
        """(cells + 1, 2) Rows of stations within each cell, behind the rows of all ends."""
        first = len(self.plan.cells) + 1
        return np.array([(first, first), *((rows.start, rows.stop) for rows in self.plan.station_rows)])

    def standing_problem(self) -> Any:
        return StandingTouch(self)

    @property
    def moving(self) -> slice:
        """Where a state has the velocities of base and freedoms."""
        return slice(self._split, self._split + 6 + self.freedoms)

    def refuse_start(self, state: State, knots: Array) -> None:
        super().refuse_start(state, knots)
        self._longest = max(self._longest, float(np.diff(knots).max(initial=0.0)))

    # What is recorded

    def _of_robot(self, records: Records) -> Records:
        return Records({**records, "bodies": records["bodies"][:, : len(self.touching.links)]})

    def variables(self, records: Records) -> Variables:
        return Variables({**super().variables(records), "numerical_work": records["numerical"]})

    def schema(self) -> dict[str, Variable]:
        own = {name: variable for name, variable in super().schema().items() if name != "base_acceleration"}
        mean = mean_schema({name: own[name] for name in ("actuator_power", "environment_power", "passive_power")})
        return {
            **own,
            **mean,
            **contact_recorder.CONTACTS,
            **choose("numerical_work"),
            **(contact_recorder.OBJECTS if self._objects else {}),
        }

    def remarks(self, dataset: xr.Dataset) -> list[str]:
        """Stations that pass their own radius in a step, and capsules that leave the arc of a bent rod."""
        found, radius = super().remarks(dataset), min(ball[3] for ball in self.touching.balls)
        time, place = dataset["time"].values, dataset["position"].values
        fast = np.linalg.norm(np.diff(place, axis=0), axis=-1).max(axis=1, initial=0.0) / np.diff(time)
        if fast.max(initial=0.0) * self._longest > radius:
            found.append(
                f"step: a part of the body goes {fast.max():.3g} m/s, more than its radius of {radius:g} m in a step "
                f"of {self._longest:g} s, and may pass through what is thin; take at most {radius / fast.max():.2g} s"
            )
        if self.robot.kind == "rod" and any(item.kind == "pegs" for item in self.environment) and len(time):
            bend = np.linalg.norm(dataset["strain"].values[..., 3:], axis=-1) * dataset["section_length"].values
            if bend.max() > BENT:
                found.append(
                    f"model.cells: the rod bends by {bend.max():.2g} rad from one station to the next, and touches "
                    f"pegs with straight capsules; take {math.ceil(len(self.plan.cells) * bend.max() / BENT)} cells"
                )
        return found
