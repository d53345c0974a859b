"""Net motion from contacts (paper 000, Fig. 5): the head follows from what the contacts allow, the forces follow from the motion."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.environments.constraint import Places
from limbless.environments.support import Support
from limbless.errors import InputError
from limbless.gaits.base import Drive, Gait
from limbless.gaits.blend import Blend
from limbless.mechanics.algebra.rotations import quaternion_to_matrix
from limbless.mechanics.forces import rows as law_columns
from limbless.mechanics.rod import contacts as rod_contacts
from limbless.mechanics.rod import efforts as rod_efforts
from limbless.mechanics.rod import motion as rod_motion
from limbless.mechanics.rod import sweep as rod_kernels
from limbless.mechanics.rod.motion import SIZE, SPEED, TURN, WORKS
from limbless.mechanics.rod.shapes import Strains, shape_all
from limbless.mechanics.rod.sweep import inertia_matrices
from limbless.models.base import Block, State, Status, before_failure, law_failure
from limbless.models.macro_continuous.contacts import Motion, Reached, Slots
from limbless.models.macro_continuous.distribution import Shared, share
from limbless.models.macro_continuous.moving import velocity_of
from limbless.models.macro_continuous.recording import Instants, Touches, raw_block
from limbless.models.macro_continuous.refusals import Slip

if TYPE_CHECKING:
    from limbless.models.macro_continuous.model import MacroContinuous

Array = NDArray[np.float64]
ROUNDS = 20                # passes in which supports and motion are made to agree
Wander = dict[tuple[float, float, float], Array]
AGREED = 1e-10             # of the length: supports that move less than this from pass to pass have agreed


class Table(NamedTuple):
    """The gait over a block, and all that depends on the shape alone, at the T = 2 K + 1 stage times."""

    gait: Gait
    drive: Drive               # (T, nodes, 6)
    work: Array                # (T, nodes, NODE_COLUMNS)
    sums: Array                # (T, SUMS)


class Evaluations(NamedTuple):
    """Instants at which the motion is found: start and middle of every step, and its end where something switches there."""

    grid: NDArray[np.int64]    # (K, 3) -> number of the instant
    stage: NDArray[np.int64]   # (E,) row of the stage tables
    step: NDArray[np.int64]    # (E,) the step that it belongs to
    slot: NDArray[np.int64]    # (E,) 0, 1 or 2: start, middle or end of that step


class Kinematic:
    """Steps a rod whose contacts decide its motion."""

    def __init__(self, model: MacroContinuous) -> None:
        self.model, self.contacts, self.slots = model, model.contacts, list[Slots]()
        self._room = np.zeros((0, len(model.mesh.X), rod_kernels.NODE_COLUMNS))

    def prepare(self, gait: Gait, drive: Drive) -> Table:
        """The shape at every stage time. A table lasts until the next one: new memory for every block would cost more than the shapes."""
        T = len(drive.value)
        if len(self._room) < T:
            self._room = np.zeros((T, *self._room.shape[1:]))
        table = Table(gait, drive, self._room[:T], np.zeros((T, rod_kernels.SUMS)))
        shape_all(self.model.body, Strains(*drive), self.model.scratch.desk, table.work, table.sums)
        return table

    def advance(self, state: State, knots: Array, record: NDArray[np.bool_], table: Table) -> tuple[State, Block, Status]:
        """From knot to knot; records where `record` says so."""
        model = self.model
        x, supports = state.x[:SIZE].copy(), state.x[SIZE:].copy()
        when, places, present, reached, motion = self._move(table, knots, supports, x)
        times = self._times(knots, when)
        poses = np.zeros((len(knots) - 1, 3, 7))
        rod_motion.follow_twist(knots, np.ascontiguousarray(motion.twist[when.grid]), x, poses)
        pose = self._per_instant(poses, when)
        sums = table.sums[when.stage]
        bias, push, works = np.zeros((len(times), 6)), np.zeros((len(times), 6)), np.zeros((len(times), 2))
        inside = (0.5 * (knots[:-1] + knots[1:]))[when.step]
        law_powers, at_knot = np.zeros((len(times), len(model.forces.power))), when.slot != 1
        stands = np.where(at_knot, np.cumsum(at_knot) - 1, -1)
        inner, speed = np.zeros((int(at_knot.sum()), *model.muscles.inner.shape)), np.zeros(int(at_knot.sum()))
        rod_motion.loads_many(
            model.body,
            model.forces,
            times,
            inside,
            pose,
            motion.twist,
            motion.twist_rate,
            when.stage,
            stands,
            table.work,
            table.sums,
            model.scratch.slab,
            model.scratch.kept,
            bias,
            push,
            works,
            law_powers,
            model.muscles,
            inner,
            speed,
        )
        status = law_failure(model.environment)
        if status.failure:                               # what comes before it is kept; all later numbers are no numbers
            record, push, works = record & before_failure(knots, status), np.nan_to_num(push), np.nan_to_num(works)
        resultant = (inertia_matrices(sums) @ motion.twist_rate[..., None])[..., 0] + bias - push      # (35)
        hold = np.where(self.contacts.free, 0.0, resultant)
        if self._all_six():
            hold = np.zeros_like(hold)
        touch = resultant - hold
        each = self._contact_power(reached, present, motion, touch, when, times)
        contact_power = each.sum(axis=1)
        swung = (sums[:, rod_kernels.SHAPE_MOMENTUM:][:, :6] * motion.twist_rate).sum(axis=1)
        powers = np.stack([works[:, 0] + swung + (touch * motion.twist).sum(axis=1) - contact_power, works[:, 1] + contact_power], axis=1)
        passive = model.recorder.passive_power(table.drive.value, table.drive.rate)[when.stage]
        paid = self._integrate(state.x[WORKS:SIZE], knots, when, powers, passive, resultant + push, pose)
        shared = self._shared(np.flatnonzero(at_knot), times, present, reached, touch, when)
        tallies = model.tallies if model.tallies.contacts == present.shape[1] else model.tallies_of(present.shape[1])
        tally, tallied = tallies.start(state.memory, state.time), tallies.records(int(record.sum()))
        three = np.stack([powers[:, 0] - passive, powers[:, 1], passive], axis=1)
        rod_efforts.count_instants(model.muscles, tally, tallied, record, knots, when.grid, law_powers, each, three, inner, speed, hold,
                                   np.ascontiguousarray(places.place[at_knot]), np.ascontiguousarray(shared.about_head), when.stage,
                                   table.work, table.drive.value, table.drive.rate, stands)
        kept = np.flatnonzero(record)
        e = np.where(kept < len(knots) - 1, when.grid[np.minimum(kept, len(knots) - 2), 0], when.grid[-1, 2])
        flat = np.concatenate([pose[e], motion.twist[e], paid[kept]], axis=1)
        now = Instants(knots[kept], flat, motion.twist[e], motion.twist_rate[e], hold[e], powers[e], table.work[when.stage[e]],
                       table.drive.value[when.stage[e]], table.drive.rate[when.stage[e]])
        j, there = stands[e], present[when.step[e]]
        touches = Touches(places.place[e], there, reached.pose[e][..., :12], shared.wrench[j], shared.about_head[j], touch[e],
                          motion.residual[e], motion.speed[e], shared.singular[j])
        x[SPEED:SPEED + 6] = motion.twist[when.grid[-1, 2]]
        x[WORKS:] = paid[-1]
        return (State(float(knots[-1]), np.concatenate([x, supports]), {**state.memory, **tallies.named(tally)}),
                {**raw_block(now, touches), **tallies.named(tallied)}, status)

    def _move(self, table: Table, knots: Array, supports: Array, x: Array) -> tuple[Evaluations, Places, NDArray[np.bool_], Reached,
                                                                                     Motion]:
        """Contacts and motion, made to agree: supports wander with the body, and the body moves as they let it.

        Where supports move through space, what they ask of a section depends on how the body lies, from the pose in x on.
        """
        begin, moves = supports.copy(), any(any(velocity_of(item)) for item, _ in self.slots)
        base = np.tile(quaternion_to_matrix(x[TURN:TURN + 4]), (len(table.work), 1, 1)) if moves else None
        wander = self._wander(table, self.contacts.guess(table.work), base) if self._wanders else None
        for _ in range(ROUNDS):
            supports[:] = begin
            places, present = self.contacts.located(self.slots, table.gait, knots, supports, wander)
            self._refuse_nothing(present, knots)
            when = self._evaluations(knots, present)
            chosen = Places(*(part[when.step, when.slot] for part in places))
            times = self._times(knots, when)
            reached = self.contacts.reach(table.gait, times, chosen.place, when.stage, table.work)
            with self._told_of_changes(table.gait):
                motion = self.contacts.motion(
                    self.slots, times, chosen, present[when.step], reached, table.work, when.stage,
                    self._walled(knots)[when.step], None if base is None else base[when.stage])
            if not moves and (wander is None or self.contacts.guides_body):
                return when, chosen, present, reached, motion     # the whole body guides: its motion does not depend on where supports are
            twist = np.zeros((len(table.work), 6))
            twist[when.stage[::-1]] = motion.twist[::-1]
            apart = 0.0                                           # relative to the body's length: how far this round is from the last
            if base is not None:
                before, base = base, self._orientations(knots, when, motion, x)
                apart = float(np.abs(base - before).max())
            if wander is not None:
                last, wander = wander, self._wander(table, twist, base)
                speed = max(float(np.abs(wander[velocity] - last[velocity]).max(initial=0.0)) for velocity in wander)
                apart = max(apart, speed * float(knots[-1] - knots[0]) / self.model.rod.length)
            if apart < AGREED:
                return when, chosen, present, reached, motion
        raise InputError(f"supports and motion do not agree between t = {knots[0]:g} s and t = {knots[-1]:g} s; use `along: body`, or a "
                         f"shorter step")

    @staticmethod
    @contextmanager
    def _told_of_changes(gait: Any) -> Iterator[None]:
        """A slip while a controller changes the gait is told with what can be changed."""
        try:
            yield
        except Slip as slip:
            if not isinstance(gait, Blend):
                raise
            raise Slip(f"a controller's change of gait {gait.kind!r} bends the whole body at once, and these contacts do not "
                       f"let it: {slip}; between supports a change must begin at the head, which the gait 'steered-curvature' "
                       "does") from slip

    @property
    def _wanders(self) -> bool:
        return any(item.travels and getattr(item, "travel", False) for item, _ in self.slots)

    def _wander(self, table: Table, twist: Array, base: Array | None) -> Wander:
        """Speed (T, nodes) along the body of a support: (v_X - V_X) / Γ_X (33), for the head's twist (T, 6), by its velocity v in space.

        base : (T, 3, 3) orientation of the head, where supports move through space.
        """
        found: Wander = {}
        for item, _ in self.slots:
            if isinstance(item, Support) and item.travel and item.velocity not in found:
                own = np.zeros((len(twist), 3)) if base is None else np.array(item.velocity) @ base
                found[item.velocity] = np.zeros(table.work.shape[:2])
                rod_contacts.wander(table.work, table.drive.value, twist, own, found[item.velocity])
        return found

    @staticmethod
    def _orientations(knots: Array, when: Evaluations, motion: Motion, x: Array) -> Array:
        """Orientation of the head (T, 3, 3) at the stage times, as the twist turns it from x on."""
        poses = np.zeros((len(knots) - 1, 3, 7))
        rod_motion.follow_twist(knots, np.ascontiguousarray(motion.twist[when.grid]), x.copy(), poses)
        turns = np.concatenate([poses[:, :2, TURN:].reshape(-1, 4), poses[-1:, 2, TURN:]])
        return np.asarray(quaternion_to_matrix(turns))

    def _walled(self, knots: Array) -> NDArray[np.bool_]:
        """In which steps the whole body is guided."""
        return self.contacts.walled_at(0.5 * (knots[:-1] + knots[1:]))

    def _refuse_nothing(self, present: NDArray[np.bool_], knots: Array) -> None:
        bare = ~present.any(axis=1) & ~self._walled(knots)
        if bare.any():
            n = int(np.argmax(bare))
            raise InputError(f"no contact holds the body from t = {knots[n]:g} s to t = {knots[n + 1]:g} s; contacts must take over from "
                             f"each other "
                             "without a gap in their `active` windows (a peristaltic wave needs a body of at least one wavelength)")

    def _evaluations(self, knots: Array, present: NDArray[np.bool_]) -> Evaluations:
        steps = len(knots) - 1
        middle = 0.5 * (knots[:-1] + knots[1:])
        windows = np.unique(self.model.laws.rows[:, [law_columns.FROM, law_columns.UNTIL]], axis=0)
        open_laws = (middle[:, None] >= windows[:, 0]) & (middle[:, None] <= windows[:, 1])
        same = np.concatenate([present, open_laws, *(item.open_at(middle)[:, None] for item, _ in self.slots)], axis=1)
        switches = np.ones(steps, dtype=bool)
        switches[:-1] = (same[1:] != same[:-1]).any(axis=1)
        grid = np.zeros((steps, 3), dtype=np.int64)
        stage: list[int] = []
        step: list[int] = []
        slot: list[int] = []
        for n in range(steps):
            grid[n, :2] = len(stage), len(stage) + 1
            if n and not switches[n - 1]:
                grid[n - 1, 2] = len(stage)
            stage += [2 * n, 2 * n + 1]
            step += [n, n]
            slot += [0, 1]
            if switches[n]:
                grid[n, 2] = len(stage)
                stage.append(2 * n + 2)
                step.append(n)
                slot.append(2)
        return Evaluations(grid, np.array(stage), np.array(step), np.array(slot))

    @staticmethod
    def _times(knots: Array, when: Evaluations) -> Array:
        grid = np.stack([knots[:-1], 0.5 * (knots[:-1] + knots[1:]), knots[1:]], axis=1)
        return np.asarray(grid[when.step, when.slot])

    @staticmethod
    def _per_instant(values: Array, when: Evaluations) -> Array:
        return np.ascontiguousarray(values[when.step, when.slot])

    def _all_six(self) -> bool:
        """Whether some contact holds all six components, so that the base has nothing left to hold."""
        return any(len(item.guided) == 6 for item, _ in self.slots) and self.model.rod.base != "line"

    def _contact_power(self, reached: Reached, present: NDArray[np.bool_], motion: Motion, resultant: Array, when: Evaluations,
                       times: Array) -> Array:
        """Power of each contact (E, P): none unless a held section moves along a held component."""
        if not motion.given.any():
            return np.zeros((len(resultant), present.shape[1]))
        shared = share(self.contacts, self.slots, reached.pose, reached.strain, present[when.step], resultant, times)
        return np.asarray((shared.wrench * motion.given).sum(axis=2))

    def _integrate(self, start: Array, knots: Array, when: Evaluations, powers: Array, passive: Array, wrench: Array,
                   pose: Array) -> Array:
        """Works and impulse (K + 1, 9), `start` (9,) at the first knot, by Simpson's rule on every step.

        Steps are added one by one to what was there: a run has the same sums wherever it is cut.
        """
        R = quaternion_to_matrix(pose[:, 3:])
        force = (R @ wrench[:, :3, None])[..., 0]
        world = np.concatenate([force, (R @ wrench[:, 3:, None])[..., 0] + np.cross(pose[:, :3], force)], axis=1)
        rates = np.concatenate([powers, passive[:, None], world], axis=1)[when.grid]
        h = np.diff(knots)[:, None]
        return np.cumsum(np.concatenate([start[None], h / 6.0 * (rates[:, 0] + 4.0 * rates[:, 1] + rates[:, 2])]), axis=0)

    def _shared(self, e: NDArray[np.int64], times: Array, present: NDArray[np.bool_], reached: Reached, resultant: Array,
                when: Evaluations) -> Shared:
        """Forces of the contacts at some of the instants."""
        return share(self.contacts, self.slots, reached.pose[e], reached.strain[e], present[when.step[e]], resultant[e], times[e])
