"""Net motion from contacts (paper 000, Fig. 5): the head follows from what they allow, forces from the motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.control.gaits.base import Drive, Gait
from limbless.control.gaits.blend import Blend
from limbless.core import Array, InputError
from limbless.environments import Places, Support
from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.mechanics.compiled import kernel_array
from limbless.mechanics.forces import LawWrench
from limbless.mechanics.rod import (
    HeadState,
    Load,
    RodMemory,
    RodShape,
    ShapeSums,
    Strains,
    constraints as rod_contacts,
    inertia_matrices,
    make_desk,
    prescribed_motion,
    shape_all,
)
from limbless.mechanics.rod.prescribed_motion import HeadPose, HeldPowers, MotionLoads, Steps
from limbless.models.base import Records, State, Status, before_failure, law_failure
from limbless.models.rod import rod_problem
from limbless.models.rod.constraint_forces import Shared, share
from limbless.models.rod.constraint_refusals import Slip
from limbless.models.rod.constraint_set import ConstrainedMotion, Group, Reached
from limbless.models.rod.moving_supports import velocity_of
from limbless.models.rod.panel_mesh import step_times
from limbless.models.rod.rod_recorder import RodInstants, Touches, kept_arrays

if TYPE_CHECKING:
    from limbless.models.rod.rod_model import MacroContinuous

ROUNDS = 20  # passes in which supports and motion are made to agree
Wander = dict[tuple[float, float, float], Array]
WORKS = HeadState.fields["actuators"].column
AGREED = 1e-10  # of the length: supports that move less than this from pass to pass have agreed


class Course(NamedTuple):
    """The gait over a block, and all that depends on the shape alone, at the T = 2 K + 1 stage times."""

    gait: Gait
    drive: Drive  # (T, nodes, 6)
    shapes: Array  # Shape (T, nodes)
    sums: Array  # ShapeSums (T,)


class Evaluations(NamedTuple):
    """Instants at which the motion is found: start and middle of every step, and its end where something switches
    there."""

    grid: NDArray[np.int64]  # (K, 3) -> number of the instant
    stage: NDArray[np.int64]  # (E,) row of the stage tables
    step: NDArray[np.int64]  # (E,) the step that it belongs to
    at: NDArray[np.int64]  # (E,) 0, 1 or 2: start, middle or end of that step

    @property
    def stands(self) -> NDArray[np.int64]:
        """(E,) number among the instants at knots, or -1 in the middle of a step."""
        at_knot = self.at != 1
        return np.where(at_knot, np.cumsum(at_knot) - 1, -1)

    def pick(self, values: Array) -> Array:
        """Values (K, 3, ..) at start, middle and end of every step, at the instants (E, ..)."""
        return np.ascontiguousarray(values[self.step, self.at])


class Passage(NamedTuple):
    """Contacts and motion of a block, E instants."""

    knots: Array
    times: Array  # (E,)
    course: Course
    when: Evaluations
    places: Places  # (E, P)
    present: NDArray[np.bool_]  # (K, P) whether each contact is there throughout a step
    reached: Reached  # (E, P)
    motion: ConstrainedMotion  # (E,)


class Effects(NamedTuple):
    """What acts on the body from outside at E instants."""

    resultant: Array  # (E, 6) of contacts and of what holds the head, about it
    hold: Array  # (E, 6) what holds the head
    touch: Array  # (E, 6) resultant of the contacts
    powers: Array  # (E, 2) of the strains' drive, and of the environment with the contacts, W
    contacts: Array  # (E, P) of each contact, W


class Kinematic:
    """Steps a rod whose contacts decide its motion."""

    def __init__(self, model: MacroContinuous) -> None:
        self.model, self.contacts, self.groups = model, model.contacts, list[Group]()
        self._windows = rod_problem.windows_of(model.forces)

    def prepare(self, gait: Gait, drive: Drive) -> Course:
        """The shape at every stage time."""
        T, nodes = len(drive.value), len(self.model.mesh.X)
        course = Course(gait, drive, np.empty((T, nodes, RodShape.columns)), ShapeSums.zeros(T))
        shape_all(self.model.body, Strains(*drive), make_desk(nodes), course.shapes, course.sums)
        return course

    def advance(
        self, state: State, knots: Array, record: NDArray[np.bool_], course: Course
    ) -> tuple[State, Records, Status]:
        """From knot to knot; records where `record` says so."""
        model = self.model
        x, supports = state.x[: rod_problem.SIZE].copy(), state.x[rod_problem.SIZE :].copy()
        way = self._move(course, knots, supports, x)
        contacts = way.present.shape[1]
        tallies = model.tallies if model.tallies.contacts == contacts else model.tallies_of(contacts)
        tally = tallies.start(state.memory, state.time)
        memory = rod_problem.memory_of(model.body, len(tallies.laws), tally, course.shapes, course.sums)
        pose = way.when.pick(self._poses(way, x))
        taken = self._loads(way, pose, memory)
        status = law_failure(model.environment)
        if status.failure:  # what comes after it are no numbers
            taken = taken._replace(push=np.nan_to_num(taken.push), powers=np.nan_to_num(taken.powers))
        effects = self._effects(way, course.sums[way.when.stage], taken)
        passive = model.recorder.passive_power(course.drive.value, course.drive.rate)[way.when.stage]
        paid = self._integrate(x[WORKS:], way, effects.powers, passive, effects.resultant + taken.push, pose)
        shared = self._shared(way, effects.touch, np.flatnonzero(way.when.at != 1))
        tallied = tallies.records(int(record.sum()))
        self._count(way, record, memory, taken, effects, passive, shared, tallied)
        HeadState.of(x).motion[:] = way.motion.twist[way.when.grid[-1, 2]]
        x[WORKS:] = paid[-1]
        kept = self._kept(way, np.flatnonzero(record), pose, paid, taken, effects, shared)
        after = State(float(knots[-1]), np.concatenate([x, supports]), {**state.memory, **tallies.named(tally)})
        return after, before_failure(Records({**kept, **tallies.named(tallied)}), status), status

    @staticmethod
    def _poses(way: Passage, x: Array) -> Array:
        """HeadPose (K, 3) along the motion, at start, middle and end of each step; x moves on to the end."""
        poses = HeadPose.zeros(len(way.knots) - 1, 3)
        prescribed_motion.follow_twist(way.knots, np.ascontiguousarray(way.motion.twist[way.when.grid]), x, poses)
        return np.asarray(poses)

    def _loads(self, way: Passage, pose: Array, memory: RodMemory) -> MotionLoads:
        """What pushes along the motion, and what its inertia takes."""
        model, when, E, J = self.model, way.when, len(pose), int((way.when.at != 1).sum())
        inside = step_times(way.knots)[when.step, 1]
        given = prescribed_motion.HeadPath(
            way.times, inside, pose, way.motion.twist, way.motion.twist_rate, when.stage, when.stands
        )
        taken = MotionLoads(
            np.zeros((E, 6)),
            np.zeros((E, 6)),
            np.zeros((E, 2)),
            np.zeros((E, len(memory.law_powers))),
            Load.zeros(J, len(model.mesh.X)),
            LawWrench.zeros(J, len(memory.inner)),
            np.zeros(J),
        )
        prescribed_motion.loads_many(model.body, rod_problem.fresh(model.forces), given, memory, taken)
        return taken

    def _effects(self, way: Passage, sums: Array, taken: MotionLoads) -> Effects:
        """Wrenches that act from outside, and powers; sums : ShapeSums (E,)."""
        twist, rate = way.motion.twist, way.motion.twist_rate
        resultant = (inertia_matrices(sums) @ rate[..., None])[..., 0] + taken.bias - taken.push  # (35)
        # a contact that holds all six components leaves the base nothing to hold
        all_six = any(len(item.guided) == 6 for item, _ in self.groups) and self.model.rod.base != "line"
        hold = np.where(self.contacts.free | all_six, 0.0, resultant)
        touch = resultant - hold
        each = self._contact_power(way, touch)
        contact_power = each.sum(axis=1)
        swung = (ShapeSums.of(sums).momentum * rate).sum(axis=1)
        drive = taken.powers[:, 0] + swung + (touch * twist).sum(axis=1) - contact_power
        return Effects(resultant, hold, touch, np.stack([drive, taken.powers[:, 1] + contact_power], axis=1), each)

    def _count(
        self,
        way: Passage,
        record: NDArray[np.bool_],
        memory: RodMemory,
        taken: MotionLoads,
        effects: Effects,
        passive: Array,
        shared: Shared,
        tallied: Any,
    ) -> None:
        """The tally of the block."""
        when, at_knot, robot = way.when, way.when.at != 1, self.model.body
        drive, environment = effects.powers[:, 0], effects.powers[:, 1]
        place, touch = way.places.place[at_knot], shared.about_head
        prescribed_motion.take_contacts_off(
            robot, np.ascontiguousarray(place), np.ascontiguousarray(touch), taken.inner
        )
        steps = Steps(way.knots, record, when.grid, when.stage, when.stands)
        whole = np.stack([drive - passive, environment, passive], axis=1)
        powers = HeldPowers(effects.contacts, whole, effects.hold[at_knot])
        prescribed_motion.count_instants(robot, memory, Strains(*way.course.drive), tallied, steps, taken, powers)

    @staticmethod
    def _kept(
        way: Passage,
        kept: NDArray[np.int64],
        pose: Array,
        paid: Array,
        taken: MotionLoads,
        effects: Effects,
        shared: Shared,
    ) -> dict[str, Array]:
        """The instants and contacts at the knots that are kept."""
        when, motion, drive = way.when, way.motion, way.course.drive
        e = np.where(kept < len(way.knots) - 1, when.grid[np.minimum(kept, len(way.knots) - 2), 0], when.grid[-1, 2])
        flat, rows, j = np.concatenate([pose[e], motion.twist[e], paid[kept]], axis=1), when.stage[e], when.stands[e]
        now = RodInstants(
            way.knots[kept],
            flat,
            motion.twist[e],
            motion.twist_rate[e],
            effects.hold[e],
            effects.powers[e],
            way.course.shapes[rows],
            taken.loads[j],
            drive.value[rows],
            drive.rate[rows],
        )
        touches = Touches(
            way.places.place[e],
            way.present[when.step[e]],
            way.reached.shape[e][..., :12],
            shared.wrench[j],
            shared.about_head[j],
            effects.touch[e],
            motion.residual[e],
            motion.speed[e],
            shared.singular[j],
        )
        return kept_arrays(now, touches)

    def _move(self, course: Course, knots: Array, supports: Array, x: Array) -> Passage:
        """Contacts and motion, made to agree: supports wander with the body, and the body moves as they let it.

        Where supports move through space, what they ask of a section depends on how the body lies, from the pose in x
        on.
        """
        begin, moves = supports.copy(), any(any(velocity_of(item)) for item, _ in self.groups)
        base = np.tile(quaternion_to_matrix(HeadState.of(x).turn), (len(course.shapes), 1, 1)) if moves else None
        wanders = any(isinstance(item, Support) and item.travel for item, _ in self.groups)
        wander = self._wander(course, self.contacts.guess(course.shapes), base) if wanders else {}
        walled = self.contacts.walled_at(step_times(knots)[:, 1])  # in which steps the whole body is guided
        for _ in range(ROUNDS):
            supports[:] = begin
            places, present = self.contacts.located(self.groups, course.gait, knots, supports, wander)
            self._refuse_nothing(present, walled, knots)
            when = self._evaluations(knots, present)
            chosen, times = Places(*map(when.pick, places)), when.pick(step_times(knots))
            reached = self.contacts.reach(course.gait, times, chosen.place, when.stage, course.shapes)
            motion = self._motion(
                course.gait,
                times,
                chosen,
                present[when.step],
                reached,
                course.shapes,
                when.stage,
                walled[when.step],
                None if base is None else base[when.stage],
            )
            way = Passage(knots, times, course, when, chosen, present, reached, motion)
            if not moves and (not wander or self.contacts.walls):
                # the whole body guides: its motion does not depend on where supports are
                return way
            twist = np.zeros((len(course.shapes), 6))
            twist[when.stage[::-1]] = motion.twist[::-1]
            apart = 0.0  # relative to the body's length: how far this round is from the last
            if base is not None:
                before, base = base, self._orientations(way, x)
                apart = float(np.abs(base - before).max())
            last, wander = wander, self._wander(course, twist, base)
            changes = [float(np.abs(wander[velocity] - last[velocity]).max(initial=0.0)) for velocity in wander]
            apart = max(apart, max(changes, default=0.0) * float(knots[-1] - knots[0]) / self.model.rod.length)
            if apart < AGREED:
                return way
        raise InputError(
            f"supports and motion do not agree between t = {knots[0]:g} s and t = {knots[-1]:g} s; use "
            "`along: body`, or a shorter step"
        )

    def _motion(self, gait: Gait, *given: Any) -> ConstrainedMotion:
        """What the contacts allow; a slip while a controller changes the gait is told with what can be changed."""
        try:
            return self.contacts.motion(self.groups, *given)
        except Slip as slip:
            if not isinstance(gait, Blend):
                raise
            raise Slip(
                f"a controller's change of gait {gait.kind!r} bends the whole body at once, and these contacts "
                f"do not let it: {slip}; between supports a change must begin at the head, which the gait "
                "'steered-curvature' does"
            ) from slip

    def _wander(self, course: Course, twist: Array, base: Array | None) -> Wander:
        """Speed (T, nodes) along the body of a support: (v_X - V_X) / Γ_X (33), for the head's twist (T, 6), by its
        velocity v in space.

        base : (T, 3, 3) orientation of the head, where supports move through space.
        """
        found: Wander = {}
        for item, _ in self.groups:
            if isinstance(item, Support) and item.travel and item.velocity not in found:
                own = np.zeros((len(twist), 3)) if base is None else np.array(item.velocity) @ base
                found[item.velocity] = np.zeros(course.shapes.shape[:2])
                rod_contacts.support_speed(
                    course.shapes, course.drive.value, twist, kernel_array(own), found[item.velocity]
                )
        return found

    def _orientations(self, way: Passage, x: Array) -> Array:
        """Orientation of the head (T, 3, 3) at the stage times, as the twist turns it from x on."""
        turn = HeadPose.of(self._poses(way, x.copy())).turn
        return np.asarray(quaternion_to_matrix(np.concatenate([turn[:, :2].reshape(-1, 4), turn[-1:, 2]])))

    @staticmethod
    def _refuse_nothing(present: NDArray[np.bool_], walled: NDArray[np.bool_], knots: Array) -> None:
        bare = ~present.any(axis=1) & ~walled
        if bare.any():
            n = int(np.argmax(bare))
            raise InputError(
                f"no contact holds the body from t = {knots[n]:g} s to t = {knots[n + 1]:g} s; contacts "
                "must take over from each other without a gap in their `active` windows (a peristaltic "
                "wave needs a body of at least one wavelength)"
            )

    def _evaluations(self, knots: Array, present: NDArray[np.bool_]) -> Evaluations:
        steps, middle = len(knots) - 1, step_times(knots)[:, 1]
        open_laws = (middle[:, None] >= self._windows[:, 0]) & (middle[:, None] <= self._windows[:, 1])
        same = np.concatenate([present, open_laws, *(item.open_at(middle)[:, None] for item, _ in self.groups)], axis=1)
        switches = np.ones(steps, dtype=bool)
        switches[:-1] = (same[1:] != same[:-1]).any(axis=1)
        begin = np.cumsum(2 + switches) - 2 - switches  # start and middle of each step, and its end before a switch
        step = np.repeat(np.arange(steps), 2 + switches)
        at = np.arange(len(step)) - begin[step]
        return Evaluations(begin[:, None] + np.arange(3), 2 * step + at, step, at)

    def _contact_power(self, way: Passage, resultant: Array) -> Array:
        """Power of each contact (E, P): none unless a held section moves along a held component."""
        if not way.motion.given.any():
            return np.zeros((len(resultant), way.present.shape[1]))
        shared = self._shared(way, resultant, np.arange(len(resultant)))
        return np.asarray((shared.wrench * way.motion.given).sum(axis=2))

    @staticmethod
    def _integrate(start: Array, way: Passage, powers: Array, passive: Array, wrench: Array, pose: Array) -> Array:
        """Works and impulse (K + 1, 9), `start` (9,) at the first knot, by Simpson's rule on every step.

        Steps are added one by one to what was there: a run has the same sums wherever it is cut.
        """
        head = HeadPose.of(pose)
        R = quaternion_to_matrix(head.turn)
        force, torque = (R @ wrench[:, :3, None])[..., 0], (R @ wrench[:, 3:, None])[..., 0]
        torque += np.cross(head.position, force)
        rates = np.concatenate([powers, passive[:, None], force, torque], axis=1)[way.when.grid]
        h = np.diff(way.knots)[:, None]
        steps = h / 6.0 * (rates[:, 0] + 4.0 * rates[:, 1] + rates[:, 2])
        return np.cumsum(np.concatenate([start[None], steps]), axis=0)

    def _shared(self, way: Passage, resultant: Array, e: NDArray[np.int64]) -> Shared:
        """Forces of the contacts at some of the instants."""
        reached = way.reached
        return share(
            self.contacts,
            self.groups,
            reached.shape[e],
            reached.strain[e],
            way.present[way.when.step[e]],
            resultant[e],
            way.times[e],
        )
