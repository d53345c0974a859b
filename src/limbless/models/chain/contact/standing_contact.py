"""What models among hard things share, rigid or soft, and the standing problem of a chain there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from limbless.core import Array
from limbless.environments import Environment, WheelContact
from limbless.mechanics.contact import ENDS, ContactRow, Scene, StepCounters, StepRecord
from limbless.mechanics.contact.shapes.primitives import FAR
from limbless.mechanics.integrate import moreau
from limbless.models import TOO_FAST, BasePose, Model, Records, StandingProblem, State, Status, Variables
from limbless.models.chain.contact import contact_messages, contact_scene
from limbless.models.chain.contact.contact_recorder import ContactPart, contact_forces, touch_arrays
from limbless.models.chain.switching import remembered_clamp, restore_clamp
from limbless.models.recording.body_recorder import contiguous, mean_powers

if TYPE_CHECKING:
    import xarray as xr

    from limbless.models.chain.contact.nonsmooth_model import NonSmooth

# In the memory of a state: worst residual and greatest depth since the last record, and what the last step did, since a
# knot records the step that ended
UNRECORDED = "unrecorded"
LAST = ("last_contacts", "last_outcomes")
STEP = "last_step"  # its length, s


class HardModel(Model):
    """A model among hard things: who may touch whom there, and what is told and recorded of it."""

    worst = ("residual", "depth")
    counted: ClassVar[tuple[str, ...]] = ("steps", "iterations", "fallbacks")
    """What is counted of its runs."""

    def _surround(
        self,
        robot: contact_scene.TouchingRobot,
        environment: Sequence[Environment],
        wheels: Sequence[WheelContact] = (),
    ) -> None:
        """Everything that this robot can touch among these."""
        self._scene, self._crowd, self._company = contact_scene.scene_and_bodies_of(robot, environment, wheels)
        self._meetings = contact_messages.Meetings(robot, environment, self._scene, self._crowd, self._company)
        self._contacts = ContactPart(robot, self._scene, self._crowd, self._company)
        self._objects, self._counts = self._company.objects, np.zeros(len(self.counted))

    def gaps(self, x: Array) -> Array:
        """(contacts,) m, at a state."""
        raise NotImplementedError

    @property
    def outer(self) -> Any:
        """Which contacts the robot has with what does not move."""
        if self._crowd is None:
            return slice(None)
        return (self._crowd.other < 0) & (self._scene.owner < self._crowd.first)

    def _put_pose(self, pose: BasePose, x: Array) -> None:
        """A pose into a state, along its way until the robot just touches."""
        x[:3], x[3:7] = pose.position, pose.orientation
        if pose.way is not None:
            gap = self.gaps(x)[self.outer]
            x[:3] -= float(gap[gap < FAR / 2].min(initial=np.inf)) * pose.way

    def _own_scene(self) -> Scene:
        """The scene of a run: surfaces that bodies carry move."""
        return self._scene if self._crowd is None else self._scene._replace(surfaces=self._scene.surfaces.copy())

    def refuse_start(self, state: State, knots: Array) -> None:
        """A robot that starts inside the ground or an obstacle is a mistake; one that just touches is not."""
        if state.time == 0.0 and len(self._scene.owner):
            gap = self.gaps(state.x)
            self._meetings.refuse_overlap(int(np.argmin(gap)), float(gap.min()))
            above = self._meetings.falls(float(gap[self.outer].min(initial=FAR)))
            self.notes = tuple(dict.fromkeys((*self.notes, *above)))

    def observe(self, state: State) -> dict[str, Array]:
        """Beside what every robot shows: of every contact its mean force (N, world) in the last step, state (0 open, 1
        sticks, 2 slips), link and what that touches.
        """
        contacts, last = ContactRow.zeros(len(self._scene.owner)), state.memory.get(LAST[0])
        if last is not None and last.shape == contacts.shape:
            contacts[:] = last
        force, found = contact_forces(contacts, float(state.memory.get(STEP, np.zeros(1))[0]) or 1.0)
        seen = super().observe(state)
        seen |= {"contact_force": force, "contact_state": found, **self._contacts.places}
        return seen

    def _of_robot(self, records: Records) -> Records:
        """The records of the robot alone."""
        return records

    def variables(self, records: Records) -> Variables:
        """Those of the robot, with means over steps, and of its contacts."""
        found: dict[str, Array] = super().variables(self._of_robot(records))
        found |= mean_powers(found) | self._contacts.variables(records)
        present = ("time", *self.schema())
        return Variables(contiguous({name: values for name, values in found.items() if name in present}))

    def coordinates(self) -> dict[str, Any]:
        return {**super().coordinates(), **self._contacts.coordinates()}

    def doubts(self, dataset: xr.Dataset) -> list[str]:
        return contact_messages.sunk_too_deep(dataset)

    def count(self, *numbers: float) -> None:
        """Add what a block `counted`."""
        self._counts += numbers

    @property
    def counts(self) -> dict[str, int]:
        """Steps, Newton iterations and fallbacks of all runs so far; of soft bodies passes and halvings too."""
        models = [self] if self.switching is None else self.switching.models
        every = np.sum([model._counts for model in models], axis=0)
        return {name: int(count) for name, count in zip(self.counted, every, strict=True)}


class StandingHard(StandingProblem):
    """Steps of Moreau's scheme, of a chain or of a soft body."""

    model: Any
    _saving: Any
    engine = staticmethod(moreau.advance_part)
    _of_the_step_that_ended = True

    def _restore(self, state: State, knots: Array) -> None:
        super()._restore(state, knots)
        self.model.refuse_start(state, knots)
        now = StepCounters.of(self._memory.counts)
        now.residual[0], now.depth[0] = state.memory.get(UNRECORDED, (0.0, 0.0))

    def go(self, last: int, torque: Any = None, closing: bool = True) -> int:
        found = super().go(last, torque, closing)
        if self._saving.error is not None:
            raise self._saving.error
        return found

    def _told(self, *more: float) -> dict[str, Any]:
        """Counts, and `more` of them, go to the model and begin anew; what no record holds yet stays in the state."""
        now = StepCounters.of(self._memory.counts)
        self.model.count(now.steps[0], now.iterations[0], now.fallbacks[0], *more)
        now.steps[0] = now.iterations[0] = now.fallbacks[0] = 0.0
        return {UNRECORDED: np.array([now.residual[0], now.depth[0]])}

    def _failed(self, found: int, done: float) -> Status:
        """What the contacts did not let pass, in a sentence."""
        model, now = self.model, StepCounters.of(self._memory.counts)
        contacts = ContactRow.of(self._memory.step.contacts)
        if found == ENDS.sunk:
            deepest, end = int(now.deepest[0]), float(self._knots[min(self._reached + 1, self._here)])
            return model._meetings.sunk(deepest, -float(contacts.gap[deepest]), done, end - done)
        if found == ENDS.crowded:
            return contact_messages.crowded(done)
        return model._meetings.unsolved(done, now.last[0], model._options.bound, np.asarray(contacts.load))


class StandingContact(StandingHard):
    model: NonSmooth

    def __init__(self, model: NonSmooth) -> None:
        self._length = np.zeros(1)  # s: of the last step
        super().__init__(model, model._tallies, model._where.end)

    def _limits(self, size: int) -> Array:
        limits, model = super()._limits(size), self.model
        limits[model._split :][:6], limits[model._rates] = TOO_FAST, TOO_FAST
        return limits

    def _build(self, drive: Any, records: int) -> tuple[Any, ...]:
        model = self.model
        memory: Any = model._memory(self._tally)
        kept: Any = contact_scene.records_for(
            model._actuated,
            len(model._scene.owner),
            len(model._objects),
            records,
            model._tallies.records(records),
            model._where.earlier,
        )
        self.problem, self._saving = model.problem(drive, memory, kept)
        per = 1 if model._feedback and not model._both_ends else 2
        self._memory, self._driven = memory, ((per, drive, lambda asked: asked),)
        self._kept = {"x": kept.x, "torque": kept.torque, "bodies": kept.bodies, **touch_arrays(kept)}
        self._kept |= {"clamp_wrench": StepRecord.of(kept.steps).clamp, **model._tallies.named(kept.tally)}
        self._remembered = {LAST[0]: memory.step.contacts, LAST[1]: memory.outcomes, STEP: self._length}
        return (self.problem,)

    def _behind(self) -> tuple[Any, ...]:
        return (self._length,)

    def _restore(self, state: State, knots: Array) -> None:
        self._length[:] = 0.0
        super()._restore(state, knots)
        restore_clamp(self._memory.chain.clamp, state.memory)

    def _take(self, last: int) -> None:
        if last > 0 and self._knots[last] > self._knots[last - 1]:
            self._length[0] = self._knots[last] - self._knots[last - 1]

    def _left(self) -> dict[str, Any]:
        return self._told() | super()._left() | remembered_clamp(self._memory.chain.clamp, self._from)

    def _status(self, found: int, done: float, records: Records) -> Status:
        return self._failed(found, done) if found else Status()
