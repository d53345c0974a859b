"""`NonSmooth`: a chain among hard things, with impacts, stick and slip, one step at a time or through time."""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pydantic import Field

from limbless.actuation import Actuation, Motion, Servo
from limbless.actuation.joints import joint_motion
from limbless.description import quantity
from limbless.environments.base import Environment, together
from limbless.errors import InputError, SimulationError
from limbless.gaits.base import Gait
from limbless.mechanics.chain.joints import Spherical
from limbless.mechanics.chain.tables import Drive, Freedom, Link
from limbless.mechanics.compiled.function_slot import PythonSlot
from limbless.mechanics.compiled.kernel import kernel_array
from limbless.mechanics.contact.outcome import stand
from limbless.mechanics.contact.path import MOST
from limbless.mechanics.contact.problem import SUNK as SUNK_IN
from limbless.mechanics.contact.rescue import rescue
from limbless.mechanics.contact.step_tables import (
    Afloat,
    Ashore,
    Bounded,
    ContactMemory,
    ContactOptions,
    ContactProblem,
    ContactRecords,
    Counts,
    Driven,
    Following,
    Plea,
    Prescribed,
    Rubbing,
    Smooth,
    StepRecord,
    Unbounded,
)
from limbless.mechanics.contact.tables import Contact, Feature
from limbless.mechanics.integrate import moreau
from limbless.models import chain_problem as chains
from limbless.models import contact_tables
from limbless.models.arguments import numbers
from limbless.models.base import Block, Model, ModelSettings, State, Status, Variable, before_failure, law_failure
from limbless.models.feedback import refuse_feedforward
from limbless.models.nonsmooth import assembly
from limbless.models.nonsmooth.recording import SCHEMA, ContactRecorder
from limbless.models.resolution import MOREAU, StepLimit, chain_rate, friction_limit
from limbless.models.tallies import Tallies
from limbless.robots.base import Preset, Robot
from limbless.robots.chain import Chain

if TYPE_CHECKING:
    import xarray as xr

Array = NDArray[np.float64]
PENETRATION = 1e-6                     # m: how deep a robot may start inside something: rounding, and no more
SUNK = 0.05                            # radii: how deep a body may sink in before the run is in doubt; own scenarios stay below 0.005
_UNRECORDED = "unrecorded"             # what was found since the last record, in the memory of a state: worst residual, greatest depth
_LAST = ("last_contacts", "last_outcomes")           # what the last step did, in the memory of a state: a knot records the step that ended


class NonSmoothSettings(ModelSettings):
    """Impacts, stick and slip without regularisation (Transeth, Leine, Glocker and Pettersen 2008)."""

    kind: Literal["non-smooth"] = "non-smooth"
    activation: Literal["anticipative", "paper"] = Field("anticipative", description="contacts act before they close, or once g <= 0 (49)")
    theta: float = quantity(0.0, "1", "share of the position feedback taken at the end of the step: 0 explicit, 0.5 to 1 implicit",
                            ge=0, le=1)
    recovery: float = quantity(0.2, "1", "share of a penetration that is taken back in a step", ge=0, le=1)
    compliance: float = quantity(5e-4, "1", "ground compliance e as a share of the robot's own mobility; smaller is more rigid",
                                 gt=0, le=1)
    tolerance: float = quantity(1e-8, "m/s", "residual of the contact laws at which a step is solved", gt=0)
    bound: float = quantity(1e-4, "m/s", "a step that keeps more residual than this ends the run; at least the tolerance", gt=0)

    takes_robots: ClassVar[tuple[str, ...]] = ("chain",)
    takes_roles: ClassVar[tuple[str, ...]] = ("contact", "wrench", "friction")
    takes_actuations: ClassVar[tuple[str, ...]] = ("pd", "servo", "motion", "torque")
    takes_drives: ClassVar[tuple[str, ...]] = ("joint", "shape", "torque")

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> NonSmooth:
        return NonSmooth(robot, environment, actuation, self)

    def time_order(self, environment: Sequence[Environment]) -> float:
        return 0.5                                       # Moreau's rule, where many impacts follow each other: 1 between them

    def refined(self) -> NonSmoothSettings:
        return self.changed(tolerance=0.5 * self.tolerance)


@dataclass(frozen=True)
class Contacts:
    """What one step did at every slot; zero where nothing was near."""

    state: State
    gap: Array          # (contacts,) m, at the middle of the step
    normal: Array       # (contacts, 3) from the surface to the body, world
    tangent: Array      # (contacts, 3) along the body, world
    force: Array        # (contacts, 3) N, mean over the step, world
    velocity: Array     # (contacts, 3) m/s at the end of the step: normal, along, across
    residual: float     # m/s, worst violation of the contact laws


class NonSmooth(Model):
    """A chain of revolute, prismatic and universal joints among hard surfaces: Moreau's midpoint rule, O(n) per step.

    Parameters
    ----------
    robot : a `Chain` whose links have `contact_shapes`, or a preset that builds one.
    environment : grounds and obstacles, and any wrench environments (gravity!).
    actuation : how a gait drives it; imposed motion if absent.
    settings : options of the time stepping.
    """

    steps_per_block = 4096
    worst = ("residual", "depth")

    def __init__(self, robot: Robot | Preset, environment: Sequence[Environment] | Environment = (), actuation: Actuation | None = None,
                 settings: NonSmoothSettings | None = None) -> None:
        built = robot.build()
        if not isinstance(built, Chain):
            raise InputError(f"the non-smooth model moves a chain; got {type(built).__name__}")
        self.chain, self.actuation, self.settings = built, actuation or Motion(), settings or NonSmoothSettings()
        self.environment = together(environment)
        self._refuse_joints()
        wrenches = [item for item in self.environment if item.role == "wrench"]
        self._forces, added, self._packs = chains.pack_environment(built, wrenches)
        self._plain = assembly.with_kinds(chains.robot_of(built, added, breakaway=True))
        self._robot, feedback = chains.actuate(self._plain, self.actuation, built.base)
        self._scene, self._bodies = contact_tables.scene_of(built, self.environment), contact_tables.bodies_of(built)
        self._where = assembly.where_of(self._robot, len(self._scene.owner))
        self._options = self._choose(feedback, len(wrenches) > 0 and bool(Link.of(self._robot.links).wet.any()))
        self._counts = np.zeros(3)
        self._split = 7 + built.freedoms
        self._recorder = ContactRecorder(built, self._plain.links, self._packs, self._scene)
        self._tallies = Tallies(built.arrays().torque_limit, wrenches, len(self._scene.owner))

    def _refuse_joints(self) -> None:
        arrays = self.chain.arrays()
        if (arrays.joint_kind == Spherical.code).any():
            raise InputError("the non-smooth model takes revolute, prismatic and universal joints; this robot has spherical ones: "
                             "describe each as a universal and a revolute joint")
        refuse_feedforward(self.actuation, "non-smooth")
        if getattr(self.actuation, "motion_joints", ()):
            raise InputError("actuation.motion_joints: the non-smooth model drives all joints in one way; leave it out, "
                             "or use actuation 'motion'")

    def _choose(self, feedback: bool, wet: bool) -> ContactOptions:
        """Options of the time stepping; what is not used is left out by type, and not compiled."""
        own, G0 = self.settings, contact_tables.mobility(self.chain, self.environment, self._bodies)
        control = Following() if feedback else Prescribed() if isinstance(self.actuation, Motion) else Driven()
        backlash = self.actuation.backlash if isinstance(self.actuation, Servo) else 0.0
        freedom = Freedom.of(self._robot.freedoms)
        looks_ahead = own.theta > 0.0 or bool((freedom.inertia_gain > 0.0).any())
        saturates = feedback and looks_ahead and bool(np.isfinite(freedom.saturation).any())
        return ContactOptions(control, Bounded() if saturates else Unbounded(), self._dry_friction(G0), Afloat() if wet else Ashore(),
                              int(chains.BASES[self.chain.base]), own.theta, backlash, own.activation == "anticipative", own.recovery,
                              own.compliance * G0, 0.92 / G0, own.tolerance, max(own.bound, own.tolerance), 0)

    def _dry_friction(self, G0: float) -> Rubbing | Smooth:
        """Compliance, descent and arm of dry friction in the joints, on the scale of the lightest link, if there is any."""
        freedom = Freedom.of(self._robot.freedoms)
        if not (freedom.coulomb.any() or freedom.breakaway.any()):
            return Smooth()
        inertia = contact_tables.largest_inertia(self._bodies)
        least = float(inertia[inertia > 0.0].min())
        return Rubbing(self.settings.compliance / least, 0.92 * least, math.sqrt(least * G0))

    def _memory(self, tally: Any) -> ContactMemory:
        return assembly.memory_for(self._robot, self._scene, self._options.dry, len(self._tallies.laws), tally)

    def problem(self, drive: Drive, memory: ContactMemory, records: ContactRecords) -> tuple[ContactProblem, PythonSlot]:
        """Everything that an engine needs, and what it calls where its own iterations do not end: it must live as long as the run."""
        saving = PythonSlot(lambda _: rescue(self._robot, self._options, memory.step, memory.path, memory.plea), Plea.width)
        options = self._options._replace(rescue=saving.address)
        return ContactProblem(self._robot, self._bodies, self._scene, chains.fresh(self._forces), options, self._where, drive, memory,
                              records), saving

    # One step at a time

    def step(self, state: State, duration: float, gait: Gait) -> Contacts:
        """One step of `duration` seconds; what it did at every contact, and the state that it led to."""
        times = state.time + duration * np.array([0.0, 0.5, 1.0])
        alone = State(state.time, state.x, {name: values for name, values in state.memory.items() if name != _UNRECORDED})
        problem, after, _, status = self._run(alone, times[::2].copy(), np.zeros(2, dtype=bool), self.drive(gait, times))
        if status.failure:
            raise SimulationError(status.failure, status.time)
        table = Contact.of(problem.memory.step.contacts)
        n, t, friction = table.normal.copy(), table.tangent.copy(), table.friction
        along = np.where(table.shear[:, 0] <= 0.0, friction[:, 0], friction[:, 1]) * table.shear[:, 0]
        across = friction[:, 2] * table.shear[:, 1]
        push = np.where(table.given > 0.0, 0.0, table.load)[:, None]
        impulse = push * n + along[:, None] * t + across[:, None] * np.cross(n, t)
        velocity = np.concatenate([table.approach[:, None], table.slip], axis=1)
        return Contacts(after, table.gap.copy(), n, t, impulse / duration, velocity,
                        float(Counts.of(problem.memory.counts).residual[0]))

    # Through time

    def initial_state(self, initial: Any, gait: Gait) -> State:
        """Pose and twist as given; joints as given or where the gait has them, at rest unless said otherwise."""
        n, where, split = self.chain.freedoms, self._where, self._split
        x = np.zeros(where.end)
        x[:3], x[3:7], x[split:][:6] = initial.position, initial.orientation, initial.twist
        if gait.drives != "torque":
            start = joint_motion(self.chain, gait, np.zeros(1))
            x[7:split] = start.position[0]
            if isinstance(self._options.control, Prescribed):
                x[split + 6:][:n] = start.velocity[0]
        if initial.joint_position is not None:
            x[7:split] = numbers("initial.joint_position", initial.joint_position, n)
        if initial.joint_velocity is not None:
            x[split + 6:][:n] = numbers("initial.joint_velocity", initial.joint_velocity, n)
        chains.check_twist(self.chain.base, "initial.twist", np.array(initial.twist))
        x[where.earlier:][:6 + n] = x[split:][:6 + n]
        stand(self._robot, self._bodies, self._scene, self._memory(self._tallies.start({}, 0.0)), x, where.speeds)
        return State(0.0, x)

    def _refuse_penetration(self, state: State) -> None:
        """A robot that starts inside the ground or an obstacle is a mistake; one that just touches is not."""
        if not len(self._scene.owner):
            return
        memory = self._memory(self._tallies.start({}, 0.0))
        stand(self._robot, self._bodies, self._scene, memory, state.x.copy(), self._where.speeds)
        gap = Contact.of(memory.step.contacts).gap
        deepest = int(np.argmin(gap))
        if gap[deepest] < -PENETRATION:
            link = self.chain.link_names[self.chain.rows[self._scene.owner[deepest]].link]
            raise InputError(f"initial: {link!r} starts {-gap[deepest]:.3g} m inside the ground or an obstacle; "
                             "raise initial.position, or move the obstacle")

    def drive(self, gait: Any, times: Array) -> Drive:
        """The gait at the stage times, as joint motion or as torques."""
        n = self.chain.freedoms
        none = np.zeros((1, n))
        if gait.drives == "torque":
            torque = kernel_array(gait.sample(times, np.arange(n, dtype=np.float64)).value)
            return Drive(none, none, none, torque)
        if isinstance(self._options.control, Following):
            times = times[1::2]                          # feedback looks at the middle of a step only
        refresh = self.actuation.refresh if isinstance(self.actuation, Servo) else None
        if refresh is None:
            return Drive(*joint_motion(self.chain, gait, times), none)
        held = joint_motion(self.chain, gait, np.floor(times * refresh + 1e-9) / refresh)
        return Drive(held.position, np.zeros_like(held.velocity), np.zeros_like(held.acceleration), none)

    def step_limit(self, state: State) -> StepLimit | None:
        free = not isinstance(self._options.control, Prescribed)
        rate = chain_rate(self.chain, self._plain, free, self._packs, state.x[7:self._split])
        return friction_limit(rate, MOREAU, self._packs)

    def with_torque(self, drive: Drive, torque: ArrayLike) -> Drive:
        """The drive with a joint torque added, held over the block: a controller's array command."""
        if isinstance(self._options.control, Prescribed):
            raise InputError("a controller may give torques only to torque-given joints; use actuation 'pd' or 'torque'")
        return drive._replace(torque=drive.torque + numbers("the controller's torque", torque, self.chain.freedoms))

    def advance(self, state: State, knots: Array, record: NDArray[np.bool_], drive: Drive) -> tuple[State, Block, Status]:
        """Steps from knot to knot."""
        _, after, block, status = self._run(state, knots, record, drive)
        return after, block, status

    def _run(self, state: State, knots: Array, record: NDArray[np.bool_],
             drive: Drive) -> tuple[ContactProblem, State, Block, Status]:
        self._refuse_long_step(float(np.diff(knots).max()))
        if state.time == 0.0:
            self._refuse_penetration(state)
        x, times = state.x.copy(), knots[record]
        tally = self._tallies.start(state.memory, state.time)
        memory = self._memory(tally)
        counts, last = memory.counts, (memory.step.contacts, memory.outcomes)
        Counts.of(counts).residual[0], Counts.of(counts).depth[0] = state.memory.get(_UNRECORDED, np.zeros(2))
        for name, values in zip(_LAST, last, strict=True):
            if name in state.memory and state.memory[name].shape == values.shape:
                values[:] = state.memory[name]
        records = assembly.records_for(self._robot, len(self._scene.owner), len(times), self._tallies.records(len(times)))
        problem, saving = self.problem(drive, memory, records)
        trouble, step = moreau.advance(problem, knots, record, x)
        if saving.error is not None:
            raise saving.error
        now = Counts.of(counts)
        self._counts += now.steps[0], now.iterations[0], now.fallbacks[0]
        done, status = float(knots[step]), law_failure(self.environment)
        if trouble == SUNK_IN:
            status = self._sunk(memory, done, float(knots[min(step + 1, len(knots) - 1)] - done))
        elif trouble:
            status = Status(f"the contact laws could not be solved at t = {done:g} s: a residual of {now.last[0]:.2g} m/s remains, more "
                            f"than model.bound, {self._options.bound:g} m/s; try a smaller step or a larger model.compliance"
                            f"{self._crowded()}", done)
        block = {"time": times, **_named(records), **self._tallies.named(records.tally)}
        if status.failure:
            reached = int(before_failure(times, status, of_the_step_that_ended=True).sum())
            block = {name: array[:reached] for name, array in block.items()}
        left = {_UNRECORDED: np.array([now.residual[0], now.depth[0]]), **dict(zip(_LAST, last, strict=True))}
        return problem, State(done, x, {**state.memory, **left, **self._tallies.named(tally)}), block, status

    def _sunk(self, memory: ContactMemory, time: float, h: float) -> Status:
        """The sentence for a contact that has failed: what is in what, how deep, when."""
        slot = int(Counts.of(memory.counts).deepest[0])
        link = self.chain.link_names[self.chain.rows[self._scene.owner[slot]].link]
        depth, radius = -float(Contact.of(memory.step.contacts).gap[slot]), float(Feature.of(self._scene.features).radius[slot])
        name = contact_tables.surface_names(self.environment)[self._scene.surface[slot]]
        return Status(f"{link!r} is {depth:.3g} m deep in {name} at t = {time:g} s, more than the radius of {radius:.3g} m with which it "
                      f"touches: no contact force means anything there; try a step shorter than {h:g} s, and look whether something "
                      "appears or starts inside the body, or the body is pressed or thrown too hard", time, link)

    def doubts(self, dataset: xr.Dataset) -> list[str]:
        """Bodies that sank in by a visible share of their radius."""
        if "contact_depth" not in dataset or not dataset.sizes["time"] or not dataset.sizes["contact"]:
            return []
        depth = dataset["contact_depth"].values
        worst = int(np.argmax(depth))
        if depth[worst] <= SUNK:
            return []
        return [f"a body sank into the ground or an obstacle by {depth[worst]:.2g} of the radius with which it touches, until t = "
                f"{dataset['time'].values[worst]:g} s; at most {SUNK:g} is taken for rounding: try a shorter step"]

    def _crowded(self) -> str:
        """What there is to say where more contacts may act at a time than the solver follows a path for."""
        if len(self._scene.owner) <= MOST:
            return ""
        return (f", or friction below 0.8: stronger friction is solved for up to {MOST} contacts at a time, and there are "
                f"{len(self._scene.owner)} here")

    def variables(self, block: Block) -> Block:
        """The variables of the result from all that was kept."""
        return {**self._recorder.block(block, self._split), **self._tallies.variables(block)}

    def _refuse_long_step(self, h: float) -> None:
        """Explicit feedback rings with ω = sqrt(4 K / Θ) in the zigzag mode of the chain and needs h < 2 / ω. One that answers to the
        acceleration too has its own inertia A, and needs h < 2 A / D."""
        if not isinstance(self._options.control, Following) or self._options.theta > 0.0:
            return
        inertia, freedom = contact_tables.largest_inertia(self._bodies), Freedom.of(self._robot.freedoms)
        lead = freedom.inertia_gain
        stiffest = float(freedom.gain[lead == 0.0].max(initial=0.0))
        least = float(inertia[inertia > 0.0].min()) + float(freedom.rotor.min(initial=0.0))
        longest = math.inf if stiffest == 0.0 else 2.0 / math.sqrt(4.0 * stiffest / least)
        longest = min(longest, float((2.0 * lead[lead > 0.0] / freedom.rate_gain[lead > 0.0]).min(initial=math.inf)))
        if h > longest:
            raise InputError(f"step {h:g} s is too long for explicit control of joints this stiff (at most {longest:.2g} s): "
                             "set model.theta to 1 for implicit control, lower the gains (or actuation.rate), or shorten the step")

    def observe(self, state: State) -> dict[str, Array]:
        """Time, base and joints, for a controller."""
        x, n, split = state.x, self.chain.freedoms, self._split
        return {
            "time": np.float64(state.time), "base_position": x[:3].copy(), "base_orientation": x[3:7].copy(),  # type: ignore[dict-item]
            "base_twist": x[split:][:6].copy(), "joint_position": x[7:split].copy(), "joint_velocity": x[split + 6:][:n].copy(),
            "joint_torque": x[self._where.torque:][:n].copy(),
        }

    @property
    def counts(self) -> dict[str, int]:
        """Steps, Newton iterations and fallbacks of all runs of this model so far."""
        steps, iterations, fallbacks = self._counts
        return {"steps": int(steps), "iterations": int(iterations), "fallbacks": int(fallbacks)}

    def schema(self) -> dict[str, Variable]:
        return {**SCHEMA, **self._tallies.schema()}

    def coordinates(self) -> dict[str, Any]:
        return {**self._recorder.coordinates(), **self._tallies.coordinates()}


def _named(records: ContactRecords) -> Block:
    """The records by name, as a block keeps them."""
    steps = StepRecord.of(records.steps)
    return {"x": records.x, "torque": records.torque, "bodies": records.bodies, "contacts": records.contacts,
            "resultant": steps.resultant, "residual": steps.residual, "depth": steps.depth}
