"""How the time loop sees a model: `State` in, `Records` and `Status` out; `Variables` of them at the end of a run.

Plain arrays that a user hands to a model: brought to shape, or refused in one sentence.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NewType, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from limbless.control.actuation import Actuation, Motion
from limbless.core import Array, Description, Field, InputError, SimulationError, name_of, told
from limbless.models import divergence

if TYPE_CHECKING:
    import xarray as xr

    from limbless.control.controllers.base import ClosedLoop
    from limbless.control.gaits.base import Gait
    from limbless.environments.base import Environment
    from limbless.models.step_limit import StepLimit
    from limbless.robots.base import Robot


STAGE_TOLERANCE = 1e-6
"""Of implicit steps, where nothing is said."""
Records = NewType("Records", dict[str, Array])
"""What a model's loop keeps of the instants that are recorded, in names and layouts of its own (`time`
among them), record first.
"""
Variables = NewType("Variables", dict[str, Array])
"""What a result holds, under the names of the catalogue (models/variables.py), record first: see `Model.variables`."""


@dataclass(frozen=True)
class State:
    """Where a run is: `x` in the model's own layout, and what must be remembered (warm starts, slip
    states, the gait in force).
    """

    time: float
    x: Array
    memory: Mapping[str, NDArray[Any]] = field(default_factory=dict)


class Variable(NamedTuple):
    """A recorded quantity: its dimensions after time, unit, meaning and the frame it is expressed in.

    Of one that is `final` a result keeps only what the last record has: an extreme of the whole run. A `remark` is for
    the documents alone.
    """

    dims: tuple[str, ...]
    units: str
    long_name: str
    frame: str = ""
    final: bool = False
    remark: str = ""


class Observation(dict[str, Any]):
    """What a controller sees; `later` makes the rest of it, when something of that is first asked for.

    Parts that take as long as a stage of a step are not made for a controller that never looks at them.
    """

    def __init__(self, known: Mapping[str, Any], later: Callable[[], Mapping[str, Any]]) -> None:
        super().__init__(known)
        self._later: Callable[[], Mapping[str, Any]] | None = later

    def whole(self) -> Self:
        """Itself, with the rest made."""
        if self._later is not None:
            later, self._later = self._later, None
            self.update(later())
        return self

    def __missing__(self, name: str) -> Any:
        if self._later is None:
            raise KeyError(name)
        return self.whole()[name]

    def __reduce__(self) -> Any:
        return dict, (dict(self.whole()),)


def _of_the_whole(inner: Any) -> Any:
    return lambda self, *given: inner(self.whole(), *given)


_WHOLE = "__contains__ __eq__ __iter__ __len__ __or__ __repr__ copy get items keys pop values"
for _name in _WHOLE.split():
    setattr(Observation, _name, _of_the_whole(getattr(dict, _name)))


@dataclass(frozen=True)
class Status:
    """How a block ended. `failure` is empty, or says what happened; then `time`, `place` and
    `cause` say when, where and why.
    """

    failure: str = ""
    time: float | None = None
    place: str | None = None
    cause: BaseException | None = None


class ModelSettings(Description):
    """The `model:` entry of a scenario: which equations, and their options."""

    family: ClassVar[str | None] = "model"
    takes_robots: ClassVar[tuple[str, ...]] = ()
    takes_roles: ClassVar[tuple[str, ...]] = ()
    takes_actuations: ClassVar[tuple[str, ...]] = ()
    takes_drives: ClassVar[tuple[str, ...]] = ()
    takes_postures: ClassVar[tuple[str, ...]] = ()
    starts_bent: ClassVar[bool] = False
    """Whether `initial.joint_position` says where passive freedoms start, under every actuation."""
    takes_controllers: ClassVar[bool] = False
    """Whether controllers with state may drive it."""
    tasks: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Statics: what can be asked for (`task:` of a scenario) -> what the gait must drive for it. Empty: the
    model moves through time.
    """

    @classmethod
    def or_default(cls, settings: Self | None) -> Self:
        """Settings that a model was given, or its own defaults."""
        if settings is None:
            return cls()
        if not isinstance(settings, cls):
            raise InputError(f"settings: this model takes {cls.__name__}(...); got {settings!r:.60}")
        return settings

    def assemble(self, robot: Robot, environment: Sequence[Environment], actuation: Actuation) -> Model | StaticModel:
        """The model of these settings: all have the same constructor, `Model(robot,
        environment, actuation, settings)`.
        """
        raise NotImplementedError

    def momentum_cure(self, environment: Sequence[Environment]) -> str:
        """What beside a shorter step mends a balance of momentum that fails."""
        return ""

    def time_order(self, environment: Sequence[Environment]) -> float:
        """Lowest order p of the error h^p of a run in its step h: 4 for smooth forces, 1 where set-valued friction
        makes velocities jump, 1/2 where bodies hit each other too."""
        return 1 if any(item.role == "friction" for item in environment) else 4

    def refined_for(self, robot: Robot) -> Self:
        """The settings with what stands in for an integral along this robot at half its spacing."""
        return self.refined()

    def refined_environment(self, environment: Sequence[Environment]) -> tuple[Environment, ...]:
        """The environment with finer quadratures, for a model that uses them."""
        return tuple(item.refined() for item in environment)


class ChainSettings(ModelSettings):
    """What models of rigid links share."""

    links: int | None = Field(
        None,
        ge=2,
        le=10_000,
        description="links that a rod is seen as; one per diameter, 8 to 60, if absent, and a chain has its own",
    )
    takes_robots: ClassVar[tuple[str, ...]] = ("chain",)


def actuation_or_motion(actuation: Actuation | None) -> Actuation:
    """The actuation that a model was given, or imposed motion."""
    if actuation is not None and not isinstance(actuation, Actuation):
        raise InputError(
            f"actuation: Motion(), Torque() and the like say how a gait acts on a robot; got {actuation!r:.60}"
        )
    return actuation or Motion()


def refuse_unused(part: Description, names: Iterable[str], told: str, where: str = "robot.{}") -> None:
    """Refuse the first of these fields that is given and that the model has no use for: what stands in its place, or
    what to do, is `told`.
    """
    for name in part.given(*names):
        raise InputError(f"{where.format(name)}: {told}")


class Recording:
    """What a result needs to know of a model: its variables, their labels, and the dimensions of its records."""

    record_dims: tuple[str, ...] = ("time",)
    notes: tuple[str, ...] = ()
    """What only the model can say of a scenario (a field without effect, a wish not met), like `Description.notes`."""

    worst: tuple[str, ...] = ()
    """What of the records is the largest since the row before: of rows that are left out, the next one that is kept
    takes it over.
    """

    def doubts(self, dataset: xr.Dataset) -> list[str]:
        """Why a finished run is not to be believed, beside its balances: one sentence each, with the numbers. Empty
        where nothing is.
        """
        return []

    def remarks(self, dataset: xr.Dataset) -> list[str]:
        """What should be known of a finished run that does not speak against it, like `notes`."""
        return []

    def variables(self, records: Records) -> Variables:
        """The variables of `schema()` from all that was recorded, joined; called once, at the end of a run."""
        return Variables(records)

    def schema(self) -> dict[str, Variable]:
        """Every variable of a result."""
        raise NotImplementedError

    def coordinates(self) -> dict[str, Any]:
        """Labels of the dimensions that `schema` uses, and variables that do not change from record to record.

        name -> (dims, values, attributes)
        """
        raise NotImplementedError


class StaticModel(Recording):
    """Equations without time: a task is solved as a whole, and gives the same kind of result."""

    record_dims: tuple[str, ...] = ("point",)

    def solve(
        self, task: str, gait: Any, initial: Any, progress: Callable[[float], None] = lambda share: None
    ) -> tuple[Records, Status]:
        """The records of a task (one of `ModelSettings.tasks`), with the base where `initial` has it; on failure those
        before it.

        `progress` is told the share that is done, often; where it raises `KeyboardInterrupt` the task ends with what it
        has.
        """
        raise NotImplementedError


def law_failure(environment: Sequence[Any]) -> Status:
    """An exception that a user's law raised inside compiled code comes out here."""
    for item in environment:
        slot = item.slot
        error = getattr(slot, "error", None)  # a compiled law has none: numba's own object
        if error is not None:
            slot.error = None
            name = name_of(getattr(item, "law", slot))
            failure = str(error) if isinstance(error, InputError) else f"the force law {name} failed with {told(error)}"
            return Status(failure, slot.time, None, error)
    return Status()


def refuse_law_failure(environment: Sequence[Any]) -> None:
    """The same for one state at a time: what a user's law raised ends the call."""
    failure = law_failure(environment)
    if isinstance(failure.cause, KeyboardInterrupt | InputError):
        raise failure.cause
    if failure.cause is not None:
        raise SimulationError(failure.failure, failure.time) from failure.cause


def before_failure(records: Records, status: Status, of_the_step_that_ended: bool = False) -> Records:
    """What is kept of the records of a block that failed, or did not: those before the failure.

    Where a record says what the step that ended at it did, and not what acts at that instant, the one at the failure is
    whole too.
    """
    if not status.failure:
        return records
    times, failed = records["time"], status.time or 0.0
    reached = int((times <= failed if of_the_step_that_ended else times < failed).sum())
    return Records({name: values[:reached] for name, values in records.items()})


class JointTarget(NamedTuple):
    """A controller's command: where joints should be until the next one."""

    position: Any  # (joints,)
    beside: bool = False  # added to what the gait asks for, in place of that


class Model(Recording):
    """Equations ready to run: a robot in an environment under an actuation."""

    steps_per_block: int = 256
    """Steps between two visits of the time loop: few enough that progress is shown many times a second."""
    switching: Any = None
    """What changes on the way beside the gait, in a model that knows such a thing: each period is then a block."""

    _loop: Any = None
    """Its controllers with state, in tables."""

    @property
    def asked(self) -> tuple[Any, ...]:
        """What may ask a user's function at every stage: see `law_failure`."""
        return (*getattr(self, "environment", ()), *(() if self._loop is None else self._loop.asked))

    def failure_of_laws(self, time: float) -> Status:
        """What users' functions have raised until this time."""
        return law_failure(self.asked)

    def retune(self, fields: Mapping[str, Any]) -> None:
        """Other numbers in these fields of its controllers from now on; in all others those of the start."""
        if self._loop is None:
            raise InputError(f"controller.{next(iter(fields))}: this robot has no controller with state")
        first = self.__dict__.setdefault("_first_loop", self._loop)
        self._loop = first.retuned(fields) if fields else first
        self.__dict__.pop("_spare_problems", None)  # they hold the tables of before

    def close_loop(self, controllers: Sequence[ClosedLoop], step: float, gait: Any = None) -> None:
        """Let controllers with state drive the robot, with steps of this length and the gait that it may drive; asked
        once, before anything else.
        """
        raise InputError(
            f"controller: {type(self).__name__} takes none with state; a function is asked in every period"
        )

    def initial_state(self, initial: Any, gait: Gait) -> State:
        """The state at the start, from the `initial:` entry of a scenario."""
        raise NotImplementedError

    def drive(self, gait: Gait, times: Array) -> Any:
        """The gait at the stage times of a block, in the form `advance` takes."""
        raise NotImplementedError

    def breakpoints(self, gait: Gait, start: float, end: float) -> list[float]:
        """Times in (start, end) at which what the gait gives to this robot is not smooth, beside the gait's own."""
        return []

    def jumps(self, gait: Gait, start: float, end: float) -> list[float]:
        """Those at which it jumps: a block of steps ends there."""
        return []

    def step_limit(self, state: State) -> StepLimit | None:
        """The longest step that solves the scenario from this state on, where a longer one would be
        wrong without a sign of it.
        """
        return None

    def with_torque(self, drive: Any, torque: Any) -> Any:
        """The drive with a controller's command, held over the block: joint torques added, or a `JointTarget`."""
        if isinstance(torque, JointTarget):
            wanted, still = self.targeted(torque.position), np.zeros_like(drive.velocity)
            if torque.beside:
                return drive._replace(position=drive.position + wanted)
            return drive._replace(position=np.zeros_like(drive.position) + wanted, velocity=still, acceleration=still)
        return drive._replace(torque=drive.torque + self.commanded(torque))

    def targeted(self, position: Any) -> Array:
        """Joint positions that a controller asks a feedback to follow, as a row of a drive has them."""
        raise InputError(
            "joint_position: this model follows no joint targets of a controller; give gait fields instead"
        )

    def commanded(self, torque: Any) -> Array:
        """A controller's torques, one for each degree of freedom."""
        raise InputError("this model takes no torques from a controller; give gait fields to change instead")

    def advance(
        self, state: State, knots: Array, record: NDArray[np.bool_], drive: Any
    ) -> tuple[State, Records, Status]:
        """Step from knot to knot (K + 1 of them; `drive` at the 2 K + 1 stage times) and
        record where `record` says so.
        """
        raise NotImplementedError

    def standing_problem(self) -> Any:
        """A `StandingProblem` for runs that a controller interrupts often, or None: each of its periods is a block of
        `advance` then.
        """
        return None

    def is_sound(self, state: State) -> bool:
        """Whether a state is one of a motion, and not of one that has diverged."""
        return divergence.is_sound(state.x)

    def sound_records(self, records: Records) -> int:
        """Number of leading records that are those of a motion."""
        return divergence.sound_records(records)

    def fastest(self, records: Records) -> str:
        """What moves fastest in the last of some records: where a motion that diverged was lost first."""
        return "the base"

    def observe(self, state: State) -> dict[str, Array]:
        """What a controller sees: the variables of one instant, under the names of the result."""
        raise NotImplementedError


def numbers(name: str, values: ArrayLike, count: int) -> Array:
    """A flat float array of the expected length."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{name} must have {count} numbers; got {values!r:.60}") from None
    if array.shape != (count,):
        raise InputError(f"{name} must have {count} numbers; got shape {array.shape}")
    if not math.isfinite(array.dot(array)) and not np.isfinite(array).all():  # the first alone takes no time
        raise InputError(
            f"{name} must be finite; got {array[~np.isfinite(array)][0]} at entry {int(np.argmin(np.isfinite(array)))}"
        )
    return array


def unit_quaternion(values: ArrayLike, name: str = "base_orientation") -> Array:
    """A quaternion of length 1, scalar first."""
    quaternion = numbers(name, values, 4)
    length = np.linalg.norm(quaternion)
    if abs(length - 1.0) > 1e-6:
        raise InputError(f"{name} must be a unit quaternion (scalar first); got length {length:g}")
    return np.asarray(quaternion / length)
