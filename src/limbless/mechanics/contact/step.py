"""A chain among hard things in tables: a step of it, what a run remembers and keeps, and the problem that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from limbless.mechanics.algebra import Symmetric, Twist, Vector, Wrench
from limbless.mechanics.compiled import Array, IntArray, Rows, Table, constants, table
from limbless.mechanics.contact.scene import ContactRow, Equation, Scene, SleepState

if TYPE_CHECKING:
    from limbless.mechanics.chain import Axis, Body, BodyRecord, ChainDrive, ChainMemory, ChainTables, HeldBody, Motors
    from limbless.mechanics.contact import CellSolve, Homotopy, MovingBodies
    from limbless.mechanics.integrate.running_totals import Totals


@constants
class BodyInertia(Table):
    """A body about its centre of mass, in its own frame."""

    mass: float
    center: Vector
    inertia: Symmetric


@table
class BodyVelocity(Table):
    """What a body carries from step to step, in a flat state."""

    linear: Vector  # velocity of its centre of mass, world axes
    angular: Vector  # rotation rate, its own axes


@table
class BodyStep(Table):
    """A body over a step: its equation, and its solution u."""

    equation: Equation  # B u = f, with the impulse of the outer forces
    twist: Twist  # u at the end of the step
    before: Twist  # of a remembered iterate
    start: Twist  # of the robot's own bodies: that with which the step begins


@table
class BodyOutcome(Table):
    """What a step did to a body."""

    wrench: Wrench  # of all outer forces, mean over the step, world axes
    rates: Twist  # change of `BodyVelocity` per second


@table
class JointStep(Table):
    """A degree of freedom over a step: (Sᵀ B S + resist) q̇ = effort + ..."""

    resist: float  # d
    # τ; of a motion-given one its rate, and at the end of the step the impulse of its actuator
    effort: float
    passive: float  # of both, the part beside the actuator: resistance
    push: float  # and impulse
    reach: Wrench  # Sᵀ B; over the joint's own inertia where it is torque-given
    pushed: float
    answer: float  # Sᵀ B S
    before: float  # rate of a remembered iterate
    grip: float  # largest impulse of dry friction
    rub: float  # its impulse,
    held: float  # and that of the step before
    side: float  # nearer end of its range: +1 lower, -1 upper, 0 where it has none,
    room: float  # how fast it may come nearer, rad/s,
    stop: float  # impulse of the stop there, away from it,
    stopped: float  # and whether it acts in the linearised law (1 or 0);
    stuck: float  # whether friction sticks in it
    free_resist: float  # d and τ without friction and stop
    free_effort: float


@table
class BaseStep(Table):
    """The base over a step, and what holds for all joints."""

    twist: Twist  # at its origin, world axes
    before: Twist  # of a remembered iterate
    hold: Wrench  # impulse that holds a fixed or planar base


@table
class StepCounters(Table):
    """What a run counts; `residual` and `depth` since the last record."""

    steps: float
    iterations: float
    fallbacks: float
    residual: float  # worst, m/s
    depth: float  # deepest penetration as a share of the radius of what has sunk in,
    deepest: float  # and the contact where that was
    last: float  # residual of the last step,
    active: float  # and how many contacts are active in it


@table
class FallbackRequest(Table):
    """What is asked of a rescue and what it answers (see `options.rescue`)."""

    time: float
    active: float  # how many contacts are active
    iterations: float
    residual: float


@table
class ContactRecord(Table):
    force: Vector  # mean over the step that ended, world
    place: Vector
    state: float
    gap: float
    held: float  # directions in which friction holds


@table
class StepRecord(Table):
    resultant: Wrench  # of all contacts, about the base's origin, along the base's axes
    residual: float
    depth: float
    clamp: Wrench  # of the clamp on the body that it holds, about that body's origin, world axes


class Step(NamedTuple):
    """The equations of one step and their solution."""

    places: Rows[Body]  # Body: poses at the middle of the step
    axes: Rows[Axis]
    bodies: Rows[BodyStep]
    joints: Rows[JointStep]
    base: Rows[BaseStep]  # one row
    rates: Array  # (freedoms,) at the end of the step
    contacts: Rows[ContactRow]  # (contacts,)
    owner: IntArray  # (contacts,) row of the body
    active: IntArray  # (contacts,) numbers of the active contacts
    system: Array  # (6, 7)
    moving_bodies: MovingBodies | None
    clamp: HeldBody | None  # that of the chain's memory
    cells: CellSolve | None = None  # CellSolve of a soft body; None: a chain of rigid links


class ContactMemory(NamedTuple):
    """Working memory of one run."""

    # Memory of the chain: bodies at the middle of a step; `torque` are impulses of actuators
    chain: ChainMemory
    step: Step
    outcomes: Rows[BodyOutcome]  # (bodies,)
    rest: SleepState
    path: Homotopy  # Path, where nothing else helps
    counts: Rows[StepCounters]  # one row
    request: Rows[FallbackRequest]  # one row


class ContactRecords(NamedTuple):
    """What is kept at recorded instants."""

    x: Array  # (R, state of a chain)
    torque: Array  # (R, freedoms)
    bodies: Rows[BodyRecord]  # (R, bodies)
    contacts: Rows[ContactRecord]  # (R, contacts)
    steps: Rows[StepRecord]  # (R,)
    tally: Totals  # (R, ...)
    objects: Array  # Placed (R, objects)


class StepFeedback(NamedTuple):
    """Feedback on the middle of each step."""

    theta: float  # share of the position feedback taken at the end of the step; 0: explicit control
    backlash: float  # rad
    # rows of the drive per step: 1, at its middle; 2 where some joints are motion-given, at its end too
    rows: int


class JointFriction(NamedTuple):
    """Dry friction in joints, and stops at the ends of their ranges, on the scale of the lightest link."""

    compliance: float  # 1/(kg m²)
    descent: float  # kg m²
    arm: float  # m: turns rad/s into m/s
    recovery: float  # share of what a joint is beyond its range that is taken back in a step


class ContactOptions(NamedTuple):
    feedback: StepFeedback | None  # StepFeedback, or None: motion or torques are given
    # rad/s: what rates may miss where actuators that look at the end of the step have bounds; None: they have none
    rate_slack: Any
    dry: JointFriction | None  # JointFriction, or None: no joint has dry friction or a stop
    wet: Any  # rows of the bodies that carry water along, or None
    awash: Any  # VaryingAddedMass of bodies that the surface of the water cuts, or None
    base: int  # free, planar or fixed of `dynamics.BASES`
    anticipate: bool  # anticipative activation; otherwise contacts act from g <= 0 on, (49)
    recovery: float  # share of a penetration that is taken back in a step
    compliance: float  # e, 1/kg
    descent: float  # ρ, kg
    tolerance: float  # m/s
    bound: float  # m/s: a step with more residual fails the run
    rescue: int  # address of what is called where plain iterations do not end (see `rescue`)
    controllers: tuple | None = None  # of what has a version of `command`; None: there are none
    motors: Motors | None = None  # None: actuators give what is asked, within their bounds


class StateLayout(NamedTuple):
    """Where the parts of a flat state begin, after position and velocity as a chain's state has them."""

    control: int  # numbers of controllers
    sums: int  # Sums, the last of a chain's state
    earlier: int  # velocity a step before: the guess goes on in a straight line
    speeds: int  # Speeds of all bodies
    impulses: int  # Remembered of all contacts
    torque: int  # of the last step
    rub: int  # impulse of dry friction in the joints, of the last step
    objects: int  # Placed of all objects
    end: int


class ContactProblem(NamedTuple):
    """Everything that an engine needs to move a chain among hard things."""

    robot: ChainTables
    solids: Rows[BodyInertia]  # (bodies,)
    scene: Scene
    forces: tuple  # of any elements that `push`
    options: ContactOptions
    where: StateLayout
    drive: ChainDrive
    memory: ContactMemory
    records: ContactRecords
