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
from limbless.mechanics.chain import rows as kernels
from limbless.mechanics.chain.row_motion import DriveTable
from limbless.mechanics.compiled.kernel import kernel_array
from limbless.mechanics.contact import motion as contact_motion
from limbless.mechanics.contact.bodies import CENTRAL
from limbless.mechanics.contact.gap import SIZE, find_contacts, rouse
from limbless.mechanics.contact.law import BACKWARD, FORWARD, GAP, GIVEN, LATERAL, LOAD, NORMAL, RATE, SHEAR, TANGENT
from limbless.mechanics.contact.motion import Rule
from limbless.mechanics.contact.path import MOST
from limbless.mechanics.integrate.tally import Tally
from limbless.models import chain_tables as chains
from limbless.models import contact_tables
from limbless.models.arguments import numbers
from limbless.models.base import Block, Model, ModelSettings, State, Status, Variable, before_failure, law_failure
from limbless.models.chain_problem import joint_inertia, robot_of
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
        self._laws, added = chains.pack_environment(built, wrenches)
        self._plain = robot_of(built, added, breakaway=True)
        self._table, feedback = chains.actuate(chains.chain_table(built, added, breakaway=True), self.actuation,
                                               lambda: joint_inertia(self._plain, built.base))
        self._any_free = not self._table.layout[1:, kernels.GIVEN].all()
        self._scene, self._bodies = contact_tables.scene_of(built, self.environment), contact_tables.bodies_of(built)
        self._sizes = len(self._bodies), built.freedoms, len(self._scene.owner)
        self._rule = self._make_rule(feedback)
        self._room, self._step = assembly.room(*self._sizes), assembly.step(*self._sizes, self._dry_friction())
        self._recorder = ContactRecorder(built, self._table, self._laws, self._bodies, self._scene)
        self._split = 7 + built.freedoms
        self._tallies = Tallies(built.arrays().torque_limit, wrenches, self._sizes[2])

    def _refuse_joints(self) -> None:
        arrays = self.chain.arrays()
        if (arrays.joint_kind == kernels.SPHERICAL).any():
            raise InputError("the non-smooth model takes revolute, prismatic and universal joints; this robot has spherical ones: "
                             "describe each as a universal and a revolute joint")
        chains.refuse_feedforward(self.actuation, "non-smooth")
        if getattr(self.actuation, "motion_joints", ()):
            raise InputError("actuation.motion_joints: the non-smooth model drives all joints in one way; leave it out, "
                             "or use actuation 'motion'")

    def _make_rule(self, feedback: bool) -> Rule:
        own, G0 = self.settings, contact_tables.mobility(self.chain, self.environment, self._bodies)
        control = contact_motion.FEEDBACK if feedback else (
            contact_motion.PRESCRIBED if isinstance(self.actuation, Motion) else contact_motion.TORQUES)
        backlash = self.actuation.backlash if isinstance(self.actuation, Servo) else 0.0
        joints = self._table.joints
        looks_ahead = own.theta > 0.0 or bool((joints[:, kernels.INERTIA_GAIN] > 0.0).any())
        saturates = feedback and looks_ahead and bool(np.isfinite(joints[:, kernels.SATURATION]).any())
        return Rule(chains.BASES[self.chain.base], int(control), own.theta, saturates, backlash,
                    own.activation == "anticipative", own.recovery, own.compliance * G0, 0.92 / G0, own.tolerance,
                    max(own.bound, own.tolerance))

    def _dry_friction(self) -> Array | None:
        """Compliance, descent and arm of dry friction in the joints, on the scale of the lightest link; None if there is none."""
        if not self._table.joints[:, [kernels.COULOMB, kernels.BREAKAWAY]].any():
            return None
        G0 = contact_tables.mobility(self.chain, self.environment, self._bodies)
        inertia = self._bodies[:, [CENTRAL, CENTRAL + 3, CENTRAL + 5]].max(axis=1)
        least = float(inertia[inertia > 0.0].min())
        return np.array([self.settings.compliance / least, 0.92 * least, math.sqrt(least * G0)])

    # One step at a time

    def step(self, state: State, duration: float, gait: Gait) -> Contacts:
        """One step of `duration` seconds; what it did at every contact, and the state that it led to."""
        times = state.time + duration * np.array([0.0, 0.5, 1.0])
        alone = State(state.time, state.x, {name: values for name, values in state.memory.items() if name != _UNRECORDED})
        after, _, status = self.advance(alone, times[::2].copy(), np.zeros(2, dtype=bool), self.drive(gait, times))
        if status.failure:
            raise SimulationError(status.failure, status.time)
        table = self._room.contact
        n, t = table[:, NORMAL:NORMAL + 3].copy(), table[:, TANGENT:TANGENT + 3].copy()
        shear = table[:, SHEAR:SHEAR + 2]
        along = np.where(shear[:, 0] <= 0.0, table[:, FORWARD], table[:, BACKWARD]) * shear[:, 0]
        across = table[:, LATERAL] * shear[:, 1]
        push = np.where(table[:, GIVEN:GIVEN + 1] > 0.0, 0.0, table[:, LOAD:LOAD + 1])
        impulse = push * n + along[:, None] * t + across[:, None] * np.cross(n, t)
        return Contacts(after, table[:, GAP].copy(), n, t, impulse / duration, table[:, RATE:RATE + 3].copy(), float(self._room.counts[3]))

    # Through time

    def initial_state(self, initial: Any, gait: Gait) -> State:
        """Pose and twist as given; joints as given or where the gait has them, at rest unless said otherwise."""
        rows, n, slots = self._sizes
        x = np.zeros(assembly.state_size(rows, n, slots))
        moving = assembly.views(x, rows, n, slots)
        moving.position[:3], moving.position[3:7], moving.velocity[:6] = initial.position, initial.orientation, initial.twist
        if gait.drives != "torque":
            start = joint_motion(self.chain, gait, np.zeros(1))
            moving.position[7:] = start.position[0]
            if self._rule.control == contact_motion.PRESCRIBED:
                moving.velocity[6:] = start.velocity[0]
        if initial.joint_position is not None:
            moving.position[7:] = numbers("initial.joint_position", initial.joint_position, n)
        if initial.joint_velocity is not None:
            moving.velocity[6:] = numbers("initial.joint_velocity", initial.joint_velocity, n)
        chains.check_twist(self.chain.base, "initial.twist", np.array(initial.twist))
        moving.earlier[:] = moving.velocity
        contact_motion.start_links(self._table, self._bodies, moving.position, moving.velocity, self._room.still, self._room.work,
                                   moving.links)
        return State(0.0, x)

    def _refuse_penetration(self, state: State) -> None:
        """A robot that starts inside the ground or an obstacle is a mistake; one that just touches is not."""
        if not self._sizes[2]:
            return
        moving, contact = assembly.views(state.x, *self._sizes), self._room.contact
        contact_motion.start_links(self._table, self._bodies, moving.position, moving.velocity, self._room.still, self._room.work,
                                   np.zeros_like(moving.links))
        rouse(self._scene, self._room.work, 0.0, True)
        find_contacts(self._scene, self._room.work, 0.0, 0.0, contact, self._room.active)
        deepest = int(np.argmin(contact[:, GAP]))
        if contact[deepest, GAP] < -PENETRATION:
            link = self.chain.link_names[self.chain.rows[self._scene.owner[deepest]].link]
            raise InputError(f"initial: {link!r} starts {-contact[deepest, GAP]:.3g} m inside the ground or an obstacle; "
                             "raise initial.position, or move the obstacle")
        contact[:] = 0.0

    def drive(self, gait: Any, times: Array) -> DriveTable:
        """The gait at the stage times, as joint motion or as torques."""
        n = self.chain.freedoms
        none = np.zeros((1, n))
        if gait.drives == "torque":
            torque = kernel_array(gait.sample(times, np.arange(n, dtype=np.float64)).value)
            return DriveTable(none, none, none, torque)
        if self._rule.control == contact_motion.FEEDBACK:
            times = times[1::2]                          # feedback looks at the middle of a step only
        refresh = self.actuation.refresh if isinstance(self.actuation, Servo) else None
        if refresh is None:
            return DriveTable(*joint_motion(self.chain, gait, times), none)
        held = joint_motion(self.chain, gait, np.floor(times * refresh + 1e-9) / refresh)
        return DriveTable(held.position, np.zeros_like(held.velocity), np.zeros_like(held.acceleration), none)

    def step_limit(self, state: State) -> StepLimit | None:
        rate = chain_rate(self.chain, self._plain, self._any_free, self._laws, assembly.views(state.x, *self._sizes).position[7:])
        return friction_limit(rate, MOREAU, self._laws)

    def with_torque(self, drive: DriveTable, torque: ArrayLike) -> DriveTable:
        """The drive with a joint torque added, held over the block: a controller's array command."""
        if self._rule.control == contact_motion.PRESCRIBED:
            raise InputError("a controller may give torques only to torque-given joints; use actuation 'pd' or 'torque'")
        return drive._replace(torque=drive.torque + numbers("the controller's torque", torque, self.chain.freedoms))

    def advance(self, state: State, knots: Array, record: NDArray[np.bool_], drive: DriveTable) -> tuple[State, Block, Status]:
        """Steps from knot to knot."""
        self._refuse_long_step(float(np.diff(knots).max()))
        if state.time == 0.0:
            self._refuse_penetration(state)
        x, times = state.x.copy(), knots[record]
        self._room.counts[3:5] = state.memory.get(_UNRECORDED, 0.0)
        moving = assembly.views(x, *self._sizes)
        kept = assembly.kept(*self._sizes, len(times))
        tally, tallied = self._tallies.start(state.memory, state.time), self._tallies.records(len(times))
        steps, residual = contact_motion.advance(self._table, self._bodies, self._laws, self._scene, self._rule, drive, knots, record,
                                                 self._step, self._room, moving, kept, tally, tallied)
        done, status = float(knots[steps]), law_failure(self.environment)
        if self._room.counts[4] > contact_motion.DEEPEST:
            status = self._sunk(done, float(knots[min(steps + 1, len(knots) - 1)] - done))
        elif steps < len(knots) - 1:
            status = Status(f"the contact laws could not be solved at t = {done:g} s: a residual of {residual:.2g} m/s remains, more than "
                            f"model.bound, {self._rule.bound:g} m/s; try a smaller step or a larger model.compliance{self._crowded()}",
                            done)
        if status.failure:
            reached = int(before_failure(times, status, of_the_step_that_ended=True).sum())
            times, kept = times[:reached], contact_motion.Kept(*(array[:reached] for array in kept))
            tallied = Tally(*(array[:reached] for array in tallied))
        memory = {**state.memory, _UNRECORDED: self._room.counts[3:5].copy(), **self._tallies.named(tally)}
        return State(done, x, memory), {"time": times, **kept._asdict(), **self._tallies.named(tallied)}, status

    def _sunk(self, time: float, h: float) -> Status:
        """The sentence for a contact that has failed: what is in what, how deep, when."""
        slot = int(self._room.counts[5])
        link = self.chain.link_names[self.chain.rows[self._scene.owner[slot]].link]
        depth, radius = -float(self._room.contact[slot, GAP]), float(self._scene.features[slot, SIZE])
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
        if self._sizes[2] <= MOST:
            return ""
        return (f", or friction below 0.8: stronger friction is solved for up to {MOST} contacts at a time, and there are "
                f"{self._sizes[2]} here")

    def variables(self, block: Block) -> Block:
        """The variables of the result from all that was kept."""
        kept = contact_motion.Kept(*(block[name] for name in contact_motion.Kept._fields))
        return {**self._recorder.block(block["time"], kept, self._split), **self._tallies.variables(block)}

    def _refuse_long_step(self, h: float) -> None:
        """Explicit feedback rings with ω = sqrt(4 K / Θ) in the zigzag mode of the chain and needs h < 2 / ω. One that answers to the
        acceleration too has its own inertia A, and needs h < 2 A / D."""
        if self._rule.control != contact_motion.FEEDBACK or self._rule.theta > 0.0:
            return
        inertia = self._bodies[:, [CENTRAL, CENTRAL + 3, CENTRAL + 5]].max(axis=1)
        joints = self._table.joints
        lead = joints[:, kernels.INERTIA_GAIN]
        stiffest = float(joints[lead == 0.0, kernels.GAIN].max(initial=0.0))
        least = float(inertia[inertia > 0.0].min()) + float(joints[:, kernels.ROTOR].min(initial=0.0))
        longest = math.inf if stiffest == 0.0 else 2.0 / math.sqrt(4.0 * stiffest / least)
        longest = min(longest, float((2.0 * lead[lead > 0.0] / joints[lead > 0.0, kernels.RATE_GAIN]).min(initial=math.inf)))
        if h > longest:
            raise InputError(f"step {h:g} s is too long for explicit control of joints this stiff (at most {longest:.2g} s): "
                             "set model.theta to 1 for implicit control, lower the gains (or actuation.rate), or shorten the step")

    def observe(self, state: State) -> dict[str, Array]:
        """Time, base and joints, for a controller."""
        moving = assembly.views(state.x, *self._sizes)
        return {
            "time": np.float64(state.time), "base_position": moving.position[:3].copy(),           # type: ignore[dict-item]
            "base_orientation": moving.position[3:7].copy(), "base_twist": moving.velocity[:6].copy(),
            "joint_position": moving.position[7:].copy(), "joint_velocity": moving.velocity[6:].copy(),
            "joint_torque": moving.torque.copy(),
        }

    @property
    def counts(self) -> dict[str, int]:
        """Steps, Newton iterations and fallbacks of all runs of this model so far."""
        steps, iterations, fallbacks = self._room.counts[:3]
        return {"steps": int(steps), "iterations": int(iterations), "fallbacks": int(fallbacks)}

    def schema(self) -> dict[str, Variable]:
        return {**SCHEMA, **self._tallies.schema()}

    def coordinates(self) -> dict[str, Any]:
        return {**self._recorder.coordinates(), **self._tallies.coordinates()}
