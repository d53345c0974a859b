"""`NonSmooth`: a chain among hard things, with impacts, stick and slip, one step at a time or through time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from limbless.control.actuation import Actuation, Motion, Servo, Switched
from limbless.control.actuation.feedback import refuse_feedforward
from limbless.control.actuation.gait_to_joints import joint_motion
from limbless.control.controllers.base import ClosedLoop
from limbless.control.gaits.base import Gait
from limbless.core import Array, InputError, SimulationError
from limbless.environments.base import Environment
from limbless.mechanics.chain import (
    BASES,
    AxisRecord,
    BaseRecord,
    Body,
    ChainDrive,
    ChainTables as RobotTables,
    DofRow,
    LinkRow,
    Spherical,
    VaryingAddedMass,
)
from limbless.mechanics.compiled import PythonCallback
from limbless.mechanics.contact import (
    PLACED,
    RATE_SLACK,
    ContactMemory,
    ContactOptions,
    ContactProblem,
    ContactRecords,
    ContactRow,
    FallbackRequest,
    JointFriction,
    StepFeedback,
    run_fallback,
    stand,
)
from limbless.models import MOREAU, Posture, Records, StandingModel, State, pose_of, water_of
from limbless.models.chain import chain_problem
from limbless.models.chain.chain_model import ChainModel
from limbless.models.chain.contact import (
    contact_messages,
    contact_recorder,
    contact_scene,
    moving_body_tables,
)
from limbless.models.chain.contact.contact_recorder import Contacts, contacts_of
from limbless.models.chain.contact.standing_contact import LAST, UNRECORDED, HardModel, StandingContact
from limbless.models.nonsmooth import NonSmoothSettings
from limbless.robots.base import Preset, Robot

SETTLING = 1e-3  # s: steps with which a posture settles


class NonSmooth(HardModel, ChainModel, StandingModel):
    """A chain of revolute, prismatic and universal joints among hard surfaces: Moreau's midpoint rule, O(n) per step.

    Parameters
    ----------
    robot : a `Chain` whose links have `contact_shapes`, or a preset that builds one.
    environment : grounds and obstacles, and any wrench environments (gravity!).
    actuation : how a gait drives it; imposed motion if absent.
    settings : options of the time stepping.
    """

    name = "non-smooth"
    steps_per_block = 4096
    _touching = True
    _schema = contact_recorder.SCHEMA
    _interval = MOREAU

    def __init__(
        self,
        robot: Robot | Preset,
        environment: Sequence[Environment] | Environment = (),
        actuation: Actuation | None = None,
        settings: NonSmoothSettings | None = None,
    ) -> None:
        super().__init__(robot, environment, actuation)
        self.settings = NonSmoothSettings.or_default(settings)
        wheels = contact_scene.wheel_contacts(self.chain, self.environment)
        self._surround(contact_scene.touching_chain(self.chain), self.environment, wheels)
        held = contact_recorder.WHEELS if any(item.role == "friction" for item in self.environment) else {}
        self._schema = {**contact_recorder.SCHEMA, **held, **(contact_recorder.OBJECTS if self._objects else {})}
        self._bodies = contact_scene.bodies_of(self.chain)
        self._solids = np.concatenate([self._bodies, moving_body_tables.solids_of(self._objects)])
        self._where = contact_scene.where_of(
            self._actuated, len(self._scene.owner), len(self._objects), self._controlled
        )
        self._options = self._choose()
        self._longest = math.inf
        if self._feedback and self.settings.theta <= 0.0:
            self._longest = contact_messages.longest_step(self._bodies, self._actuated.freedoms)
        self._tallies = self._tallies_of(len(self._scene.owner))
        self.switching = self._prepare_switches()

    def _refuse(self) -> None:
        if (self.chain.arrays().joint_kind == Spherical.code).any():
            raise InputError(
                "the non-smooth model takes revolute, prismatic and universal joints; this robot has "
                "spherical ones: describe each as a universal and a revolute joint"
            )
        refuse_feedforward(self.actuation, "non-smooth")
        if isinstance(self.actuation, Servo) and self.actuation.motion_joints:
            raise InputError(
                "actuation.motion_joints: a servo holds its reference between two readings, which no joint can follow "
                "exactly; leave it out, or set actuation.kind to pd"
            )

    def _pushes(self, item: Environment) -> bool:
        return item.role == "wrench"

    def _tables_of(self, added: Array) -> RobotTables:
        return contact_scene.with_kinds(chain_problem.robot_of(self.chain, added, breakaway=True))

    def _choose(self) -> ContactOptions:
        """Options of the time stepping; what is not used is left out by type, and not compiled."""
        own, G0 = self.settings, contact_scene.mobility(self.chain, self.environment, self._bodies)
        backlash = getattr(self.actuation, "backlash", 0.0)
        freedom = DofRow.of(self._actuated.freedoms)
        looks_ahead = own.theta > 0.0 or chain_problem.leads(self._actuated) or self._motors is not None
        saturates = self._feedback and looks_ahead and bool(np.isfinite(freedom.saturation).any())
        wet = np.flatnonzero(LinkRow.of(self._actuated.links).wet)
        return ContactOptions(
            StepFeedback(own.theta, backlash, 2 if self._both_ends else 1) if self._feedback else None,
            RATE_SLACK * own.tolerance if saturates else None,
            self._dry_friction(G0),
            wet if len(self._pushing) and len(wet) else None,
            None,
            getattr(BASES, self.chain.base),
            own.activation == "anticipative",
            own.recovery,
            own.compliance * G0,
            0.92 / G0,
            own.tolerance,
            max(own.bound, own.tolerance),
            0,
        )

    @property
    def _both_ends(self) -> bool:
        """Whether a drive with feedback also says where joints are at the end of a step."""
        return bool(self.clamps or getattr(self.actuation, "motion_joints", ()) or isinstance(self.actuation, Switched))

    def _dry_friction(self, G0: float) -> JointFriction | None:
        """Compliance, descent and arm of dry friction and stops in the joints, on the scale of the lightest link, if
        there are any.
        """
        freedom = DofRow.of(self._actuated.freedoms)
        if not (freedom.coulomb.any() or freedom.breakaway.any() or len(self._tallies.ranges)):
            return None
        inertia = contact_scene.largest_inertia(self._bodies)
        least = float(inertia[inertia > 0.0].min())
        return JointFriction(
            self.settings.compliance / least, 0.92 * least, math.sqrt(least * G0), self.settings.recovery
        )

    def _memory(self, tally: Any) -> ContactMemory:
        laws, size = len(self._tallies.laws), self._where.earlier
        chain = chain_problem.memory_of(self._actuated, laws, tally, size)
        chain = chain._replace(bodies=Body.zeros(len(self._solids)), clamp=self._held_body())
        contacts = ContactRow.zeros(len(self._scene.owner))
        return contact_scene.memory_for(chain, self._scene, self._crowd, contacts, self._options.dry is not None)

    def close_loop(self, controllers: Sequence[ClosedLoop], step: float, gait: Any = None) -> None:
        super().close_loop(controllers, step, gait)
        if self._loop is not None and self._loop.places_joints:
            raise InputError("controller.output: among contacts a gait is driven by motors: choose actuation pd")
        self._where = contact_scene.where_of(
            self._actuated, len(self._scene.owner), len(self._objects), self._controlled
        )

    def problem(
        self, drive: ChainDrive, memory: ContactMemory, records: ContactRecords
    ) -> tuple[ContactProblem, PythonCallback]:
        """Everything that an engine needs, and what it calls where its own iterations do not end: it
        must live as long as the run.
        """
        saving = PythonCallback(
            lambda _: run_fallback(self._actuated, self._options, memory.step, memory.path, memory.request),
            FallbackRequest.width,
        )
        forces = chain_problem.fresh(self._forces)
        water = water_of(forces)
        options = self._options._replace(
            rescue=saving.address,
            awash=water if isinstance(water, VaryingAddedMass) else None,
            controllers=None if self._loop is None else self._loop.tables(),
            motors=self._motor_tables(),
        )
        return ContactProblem(
            self._actuated, self._solids, self._own_scene(), forces, options, self._where, drive, memory, records
        ), saving

    # One step at a time

    def step(self, state: State, duration: float, gait: Gait) -> Contacts:
        """One step of `duration` seconds; what it did at every contact, and the state that it led to."""
        times = state.time + duration * np.array([0.0, 0.5, 1.0])
        alone = State(
            state.time, state.x, {name: values for name, values in state.memory.items() if name != UNRECORDED}
        )
        after, _, status = self.advance(alone, times[::2].copy(), np.zeros(2, dtype=bool), self.drive(gait, times))
        if status.failure:
            raise SimulationError(status.failure, status.time)
        return contacts_of(after.memory[LAST[0]], after, duration, float(after.memory[UNRECORDED][0]))

    # Through time

    def initial_state(self, initial: Any, gait: Gait) -> State:
        """Pose and twist as given; joints as given or where the gait has them, at rest unless said otherwise."""
        where, actuation = self._where, self.actuation
        first = actuation.phases[0].drive if isinstance(actuation, Switched) else actuation.kind
        x = self._start(where.end, initial, gait, first == "motion")  # motion-given joints move as the gait does
        moving_body_tables.put_objects(self._objects, x, where.objects, where.speeds + 6 * len(self._bodies))
        if getattr(initial, "posture", None) is not None:
            self._lay_down(initial.posture, x, gait)
        self._refuse_beyond(
            "initial" if initial.joint_position is not None else "gait", x[None, self._joints], np.zeros(1)
        )
        self._begin(x)
        return self._started(x)

    def after_jump(self, before: Array, x: Array) -> None:
        """Bodies remember velocities of their own, which jump as those of the joints do."""
        was, own = before.copy(), slice(self._where.speeds, self._where.impulses)
        self._stand(was)
        self._begin(x)
        x[own] += before[own] - was[own]

    def _begin(self, x: Array) -> None:
        """What a state remembers beside positions and velocities, from these."""
        speeds = x[self._split : self._rates.stop]
        x[self._where.earlier :][: len(speeds)] = speeds
        self._stand(x)

    def _lay_down(self, posture: Posture, x: Array, gait: Gait) -> None:
        """The pose of a posture into a state; where asked, what the robot comes to from there."""
        if posture.kind != "given":
            pose = pose_of(posture, self.chain, gait, self.environment, x[:3].copy())
            if pose.gait is not None:
                x[self._joints] = joint_motion(self.chain, pose.gait, np.zeros(1)).position[0]
            self._put_pose(pose, x)
        if posture.settle > 0.0:
            self._settle(x, gait, posture.settle)

    def _settle(self, x: Array, gait: Gait, duration: float) -> None:
        """Steps with the gait held where it starts; pose and joints at their end, at rest."""
        x[self._split : self._rates.stop] = 0.0
        knots = np.linspace(0.0, duration, max(math.ceil(duration / SETTLING), 1) + 1)
        held = self.drive(gait, np.zeros(2 * len(knots) - 1))
        drive = held._replace(velocity=0.0 * held.velocity, acceleration=0.0 * held.acceleration)
        self._stand(x)
        after, _, status = self.advance(State(0.0, x), knots, np.zeros(len(knots), dtype=bool), drive)
        if status.failure:
            raise InputError(f"initial.posture: the robot does not settle: {status.failure}")
        x[: self._split] = after.x[: self._split]

    def _stand(self, x: Array) -> ContactMemory:
        """What a step from a state begins with; velocities of the bodies are put into the state."""
        memory = self._memory(self._tallies.start({}, 0.0))
        stand(self._actuated, self._solids, self._scene, memory, x, self._where)
        return memory

    def gaps(self, x: Array) -> Array:
        return np.asarray(ContactRow.of(self._stand(x.copy()).step.contacts).gap)

    def _refuse_beyond(self, given: str, positions: Array, times: Array) -> None:
        """Joints that stop at the ends of their ranges cannot be taken beyond."""
        if len(self._tallies.ranges):
            contact_messages.refuse_beyond(self.chain, given, positions, times)

    def drive(self, gait: Any, times: Array) -> ChainDrive:
        """The gait at the stage times, as joint motion or as torques; a servo holds what it read last."""
        if gait.drives == "torque":
            return super().drive(gait, times)
        if isinstance(self.actuation, Motion):
            drive = super().drive(gait, times)
            self._refuse_beyond("gait", drive.position, times)
            return drive
        if self._feedback and not self._both_ends:
            times = times[1::2].copy()  # feedback looks at the middle of a step only
        return super().drive(gait, times)

    def standing_problem(self) -> StandingContact:
        return StandingContact(self)

    def refuse_start(self, state: State, knots: Array) -> None:
        """Steps that are too long for the joints, too."""
        contact_messages.refuse_long_step(float(np.diff(knots).max(initial=0.0)), self._longest)
        super().refuse_start(state, knots)

    def sound_records(self, records: Records) -> int:
        return super().sound_records(self._of_robot(records))

    def _of_robot(self, records: Records) -> Records:
        """Of its axes torques alone are recorded: an impact has no accelerations."""
        torque = records["torque"]
        axes = AxisRecord.zeros(*torque.shape)
        AxisRecord.of(axes).torque[:] = torque
        return Records({**records, "base": BaseRecord.zeros(len(torque)), "axes": axes})

    def observe(self, state: State) -> dict[str, Array]:
        """Time, base and joints, for a controller, and what the last step did: torques, contacts, and where objects
        are."""
        seen = super().observe(state)
        seen["joint_torque"] = state.x[self._where.torque :][: self.chain.freedoms].copy()
        if self._objects:
            placed = state.x[self._where.objects :][: PLACED * len(self._objects)].reshape(-1, PLACED)
            seen |= {"object_position": placed[:, :3].copy(), "object_orientation": placed[:, 3:7].copy()}
        return seen
