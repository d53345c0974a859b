"""A chain in tables: the robot, what a run remembers, what it keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from limbless.mechanics.algebra import Inertia, Matrix, Symmetric, Twist, Vector, Wrench
from limbless.mechanics.compiled import Array, IntArray, Rows, Table, constants, table

if TYPE_CHECKING:
    from limbless.mechanics.chain import Cells, Motors
    from limbless.mechanics.integrate.running_totals import ObjectiveTotals, Totals

INTEGRALS = 9  # the last numbers of a state: see `IntegralSums`


@constants
class LinkRow(Table):
    """A body and the joint that carries it; row 0 is the base, which has no joint. Frames are parallel to the base's at
    zero positions.
    """

    axis: Vector  # of the joint, in the frame of the previous body
    # from the previous origin to this one at zero position, in the frame of the previous body, m
    arm: Vector
    mass: float  # kg
    moment: Vector  # first moment of mass, kg m
    inertia: Symmetric  # about the origin, kg m2
    whole: Inertia  # body and added mass, where `wet`
    # a number of the joint's kind, if it has one: the pitch of a screw, θ² by which a
    # piece of a cell may turn
    size: float
    kind: int  # of the joint: `code` of its class
    positions: int  # how many numbers of a state its position takes (row 0: that of the base)
    freedoms: int  # how many its velocity takes
    position: int  # where they begin in a state
    velocity: int
    column: int  # where its freedoms begin among all freedoms
    wanted: int  # where its position begins in a row of a drive
    aligned: int  # 1, 2, 3: the axis is x, y or z; 0: it is not
    station: int  # of a cell: its first station, and how many it has
    stations: int
    has_arm: bool  # whether the origin moves across the joint
    has_body: bool
    wet: bool
    even: bool  # the same on either side of its x-y and x-z planes: see `even_inertia`
    massless: bool  # a point on which forces may act, with neither mass nor inertia
    given: bool  # motion-given: it follows the drive; else torque-given


@constants
class DofRow(Table):
    """What acts along one degree of freedom, beside its actuator."""

    rotor: float  # inertia of the motor, kg m2 or kg
    coulomb: float
    viscous: float
    stiffness: float
    rest: float
    damping: float
    gain: float  # feedback on position,
    rate_gain: float  # on velocity
    inertia_gain: float  # and on acceleration
    saturation: float  # the largest that its actuator gives
    breakaway: float  # dry friction at rest,
    stribeck: float  # and the rate at which it fades to `coulomb`
    lower: float  # range of its position
    upper: float


@table
class ActuatorLimit(Table):
    """What an actuator can give: clip(w - A q̈), see `saturation`."""

    limit: float  # N m or N
    gain: float  # A
    # how much of A acts in the solution at hand: none while the actuator stands at its bound
    leading: float


@table
class ActuatorRequest(Table):
    """What is asked of an actuator, and the iterate so far."""

    wanted: float  # w
    force: float  # what it gave
    before: float  # at this rate
    acts: float  # 1 where feedback acts


@table
class Body(Table):
    """The motion of a body at one instant, along the world axes, at its origin."""

    rotation: Matrix
    origin: Vector
    velocity: Twist
    known: Twist  # A: its acceleration if the base and the torque-given joints did not accelerate
    delta: Twist  # δ: the rest of it
    wrench: Wrench  # of the environment
    arm: Vector  # from the previous origin to this one


@table
class AddedMassState(Table):
    """The water that a body carries along at one instant, where there is a surface."""

    inertia: Inertia  # added inertia at its origin, world axes, and
    joining: Wrench  # how fast its momentum grows by what gets wet, where `state` is 0
    state: float  # 1: all of the body is under water, -1: none; 0: it may be cut


@table
class Axis(Table):
    """One degree of freedom at one instant."""

    screw: Twist  # S: the twist of a unit velocity, at the origin of the body beyond, world axes
    answer: Wrench  # U = I S
    force: float  # u: what is left to accelerate it; of a motion-given one Sᵀ P
    # 1 / D; of a cell's first freedom the largest θ² of its pieces, or -1 where one is stretched to nothing
    mobility: float
    own: float  # D, and beside it the size of the inertia around: a singular joint stands out
    around: float


@table
class Base(Table):
    """The base at one instant."""

    power: float  # of the environment
    pushed: Wrench  # sum of all external wrenches, about its origin, world axes
    held: Wrench  # what holds a planar or fixed base
    answer: Inertia  # I: with which the whole body answers its acceleration, world axes
    # rate of the components of its twist, base axes; last: `evaluation` has those of the joints behind it
    acceleration: Twist


@table
class IntegralSums(Table):
    """The last numbers of a state, integrated with the motion: what recorded energy and momentum are held against."""

    actuators: float  # work, J
    environment: float
    passive: float  # springs, dampers and friction in the joints
    impulse: Wrench  # on bodies and added mass, about the world origin


@table
class ImplicitTerm(Table):
    """What an implicit stage takes ahead along one degree of freedom."""

    share: float  # Â = γh C + (γh)² K of springs, dampers and feedback
    held: float  # Â times the acceleration before


@table
class ForceJacobian(Table):
    """What it takes ahead of the forces on one body."""

    slope: Inertia  # -∂F/∂V, its symmetric part: N s/m, N s, N m s
    start: Wrench  # F
    before: Twist  # δ that belongs to the accelerations before


@table
class TendonState(Table):
    """A tendon at one instant."""

    length: float  # m
    rate: float  # m/s
    tension: float  # at its pulley, N
    power: float  # of its actuator: of its pulley, or of the motor of its winch, W
    wound: float  # unstretched length that its winch leaves it, m,
    wound_rate: float  # m/s; as the length where a tension is given
    given: float  # power that it gives to the body, W
    fed: float  # power that it takes from its pulley, W
    damped: float  # power of its own damper, W: never positive,
    braked: float  # and of that of its winch
    distal: float  # tension at its anchor, N


@table
class BodyRecord(Table):
    rotation: Matrix
    origin: Vector
    twist: Twist
    twist_rate: Twist  # spatial acceleration
    wrench: Wrench


@table
class AxisRecord(Table):
    acceleration: float
    torque: float


@table
class BaseRecord(Table):
    acceleration: Twist
    held: Wrench
    clamp: Wrench  # of the clamp on the body that it holds, about that body's origin, world axes
    actuators: float  # powers, W
    environment: float
    passive: float


class ChainTables(NamedTuple):
    """A chain: what does not change."""

    kinds: tuple  # the kinds of joints it has, for `switch`
    links: Rows[LinkRow]
    freedoms: Rows[DofRow]


class ChainDrive(NamedTuple):
    """The gait at the stage times of a block: knot, middle, knot, ..., knot."""

    position: Array  # (2 K + 1, joint positions)
    velocity: Array  # (2 K + 1, freedoms)
    acceleration: Array
    torque: Array  # (2 K + 1 or 1, freedoms)


class VaryingAddedMass(NamedTuple):
    """The added inertia of bodies changes as the surface of the water cuts them."""

    rows: Rows[AddedMassState]  # (bodies,)


class ImplicitForces(NamedTuple):
    """Forces along joints and on bodies are taken ahead, in implicit stages: see `stiff`."""

    leads: Rows[ImplicitTerm]  # (freedoms,)
    brakes: Rows[ForceJacobian]  # (bodies,)
    slopes: Array  # (bodies, 6, 6) -∂F/∂V
    span: Array  # (1,) γh of the stage; 0 outside
    scale: Array  # (freedoms + 2,) m: way of a unit of each freedom; of the base last
    quarters: ChainDrive  # the gait at the quarters of all steps,
    present: ChainDrive  # and at the instant at hand: one row


class HeldBody(NamedTuple):
    """A body that a clamp holds, and working memory: see `clamp`."""

    # (2,) its row (-1: the clamp is open), and how many components of its motion are held: 3 or 6
    body: IntArray
    seat: Array  # (7,) where it is held: position and quaternion
    # (6,) acceleration that it is to have, or, where a clamp closes, change of its twist: about its origin, world axes
    target: Array
    # (6,) what the clamp does to it about its origin, world axes: a wrench, or an impulse
    hold: Array
    free: Array  # (6,) components of its motion without a clamp
    answers: Array  # (6, 6) how they answer to the clamp's
    system: Array  # (6, 7)


class SlowMotion(NamedTuple):
    """No inertia: velocities follow from a balance of all forces (see `slow_motion`)."""

    none: Array  # (state,) zeros
    failed: Array  # (1,) above 0 where nothing balances
    curved: Array  # (1,) 1 where forces are not linear in the velocity: each pass asks for slopes


class ChainMemory(NamedTuple):
    """Working memory of one run: what holds at the instant that was evaluated last."""

    bodies: Rows[Body]
    axes: Rows[Axis]
    base: Rows[Base]  # one row
    acceleration: Array  # (freedoms,)
    torque: Array  # (freedoms,) what the actuators give
    passive: Array  # (freedoms,) springs, dampers, friction
    bounds: Rows[ActuatorLimit]
    wishes: Rows[ActuatorRequest]
    powers: Array  # (4, freedoms) W, of each actuator at the stages of a step
    law_powers: Array  # (environments,) W
    tally: (
        Array | ObjectiveTotals | Totals
    )  # Totals, or ObjectiveTotals where none are recorded; None: nothing is counted
    state: Array  # of the integrator: the state of a stage,
    slope: Array  # its rate,
    total: Array  # and the sum of rates
    cells: Cells | None  # Cells (see `strain_cell`); None: a chain of rigid links
    # (freedoms, 4) activations of muscles, left and right, and their stiffness and damping: see control/muscles
    muscles: Array
    touch: Array  # (bodies, 3) N, world axes: of all contacts, mean over the step that ended
    water: VaryingAddedMass | None = (
        None  # VaryingAddedMass; None: added inertia does not change, it is part of the `LinkRow`
    )
    ahead: ImplicitForces | None = None  # ImplicitForces; None: forces act as they are
    clamp: HeldBody | None = None  # None: the run knows no clamp
    slow: SlowMotion | None = None  # None: the robot has inertia


class ChainRecords(NamedTuple):
    """What is kept at recorded instants."""

    x: Array  # (R, state)
    base: Rows[BaseRecord]  # (R,)
    axes: Rows[AxisRecord]  # (R, freedoms)
    bodies: Rows[BodyRecord]  # (R, bodies)
    tally: Totals | None  # Totals (R, ...); None: the run counts for an objective, or not at all


class PrescribedMotion(NamedTuple):
    """Every joint motion-given, no springs, no friction."""


class MixedActuation(NamedTuple):
    """Motion-given and torque-given joints, springs and friction."""


class AccelerationFeedback(NamedTuple):
    """Torque-given joints with a feedback that answers to accelerations, or with torques of inverse dynamics."""


class StrainActuation(NamedTuple):
    """Freedoms that are given or free one by one, among springs, dampers, tendons and muscles: see `compliance`."""


class Inertialess(NamedTuple):
    """Every joint motion-given and no inertia: outer forces balance at every instant (see `balance`)."""

    desk: Any  # Desk
    failed: Array  # (1,) 1 where there was no balance


class ChainOptions(NamedTuple):
    # Imposed, Actuated, Answering, Compliant or Unhurried: by type, so that a swimming
    # eel compiles no feedback
    actuation: Any
    base: int  # one of `dynamics.BASES`
    feedback: bool
    feedforward: bool  # torques of inverse dynamics are added to the feedback
    # codes of the links with every joint motion-given: what inverse dynamics takes
    all_given: IntArray
    controllers: tuple = ()  # of what has a version of `command`
    motors: Motors | None = None  # None: actuators give what is asked, within their bounds


class ChainProblem(NamedTuple):
    """Everything that an engine needs to move a chain."""

    robot: ChainTables
    forces: tuple  # of any elements that `push`
    options: ChainOptions
    drive: ChainDrive
    memory: ChainMemory
    records: ChainRecords
