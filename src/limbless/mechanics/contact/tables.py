"""Contacts in tables: what can be touched, where, by which laws; and a step of a chain among it."""
from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra.blocks import Block
from limbless.mechanics.algebra.inertia import Twist, Wrench
from limbless.mechanics.algebra.vectors import Matrix, Symmetric, Vector
from limbless.mechanics.compiled.operators import with_operators
from limbless.mechanics.compiled.tables import Table, constants, table


@with_operators
class Pair(NamedTuple):
    """Two directions in the plane of a contact."""

    along: float                          # the tangent t1: along the body
    across: float                         # t2 = n x t1


class Friction(NamedTuple):
    """Coefficients of friction."""

    forward: float                        # for slip along +t1,
    backward: float                       # along -t1,
    lateral: float                        # along t2
    rolling: float


class Line(NamedTuple):
    """N = constant + slope γN"""

    constant: float
    slope: float


class Affine(NamedTuple):
    """ξ = constant + lean γN + W w, with the scaled slip w: friction, linearised."""

    constant: Pair
    lean: Pair
    own: float                            # W11
    mixed: float                          # W12
    other: float                          # W22


@with_operators
class Impulse(NamedTuple):
    """What a contact gives over a step, in the scaled quantities of its law."""

    load: float                           # N
    shear: Pair                           # ξ
    twist: Pair                           # η, of rolling


@table
class Contact(Table):
    """One contact: where it is, its coefficients, its impulse and memory, its velocity, and its linearised law."""

    arm: Vector                           # from the body's origin to the place, world axes, m
    normal: Vector                        # from the surface to the body
    tangent: Vector
    shift: float                          # how fast the gap may close, m/s
    gap: float                            # m
    friction: Friction
    radius: float                         # of the sphere or capsule, m
    load: float
    shear: Pair
    twist: Pair
    shear_before: Pair                    # at the end of the step before: ξ_A, η_A
    twist_before: Pair
    approach: float                       # velocity: γN,
    slip: Pair                            # along t1 and t2,
    roll: Pair                            # and of rolling, m/s
    load_law: Line
    shear_law: Affine
    twist_law: Affine
    frozen: float                         # radius of friction that does not follow the load
    given: float                          # load that others bear, N: it bounds friction and pushes nothing; 0: the load is found
    box: float                            # 1 where friction lies in a box, 0 in an ellipse
    restitution: float
    old: Impulse                          # of a remembered iterate
    acts: float                           # 0 where the linearised law gives nothing


@table
class Remembered(Table):
    """An impulse from step to step, in a flat state."""

    impulse: Impulse


# What can be touched: `surfaces` have 24 numbers each, the last 16 of them for the shape (see `shapes`)

@constants
class Surface(Table):
    code: float                           # of the shape's class
    since: float                          # acts from, until, s
    until: float
    friction: Friction
    bounce: float                         # restitution


@constants
class Feature(Table):
    """A sphere (both ends equal) or the capsule between two spheres of one body."""

    begin: Vector                         # in the body's frame
    end: Vector
    radius: float
    rank: float                           # among the slots of the same pair: 0 nearest, 1 nearest of another direction, 2 between the ends


@constants
class Patch(Table):
    """A rectangle of a surface, seen from above, with friction of its own."""

    surface: float
    west: float
    east: float
    south: float
    north: float
    friction: Friction


@table
class Seen(Table):
    """A body when it was last seen."""

    rotation: Matrix
    origin: Vector


class Scene(NamedTuple):
    """All slots of a robot in its surroundings, sorted by body. A slot pairs one feature with one surface."""

    shapes: tuple                         # the kinds of shapes it has, for `by_code`
    owner: Any                            # (slots,) row of the body
    surface: Any                          # (slots,) row of `surfaces`
    features: Any                         # Feature (slots,)
    surfaces: Any                         # Surface and shape (surfaces, 24)
    patches: Any                          # Patch
    heights: Any                          # of all height fields, one after the other
    extent: Any                           # (bodies,) largest distance of a feature from the body's origin; (0,) if nothing ever sleeps


class Rest(NamedTuple):
    """What lets slots sleep that are too far from their surface to matter: how far each body has come, and when each slot must look again.

    A gap shrinks by no more than its body moves. A slot that is measured notes how far its body may go before the gap can be within
    reach, and sleeps until then; the answer is the same as if all slots were measured in every step.
    """

    seen: Any                             # Seen (bodies,)
    travel: Any                           # (bodies,) bound of the way that any feature of the body has come so far
    limit: Any                            # (slots,) the slot sleeps while travel + reach is below
    awake: Any                            # (slots,) integers


# A chain over one step

@constants
class Solid(Table):
    """A body about its centre of mass, in its own frame."""

    mass: float
    center: Vector
    inertia: Symmetric


@table
class Speeds(Table):
    """What a body carries from step to step, in a flat state."""

    linear: Vector                        # velocity of its centre of mass, world axes
    angular: Vector                       # rotation rate, its own axes


@table
class BodyStep(Table):
    """A body over a step: its equation B u = f + impulses about its origin, world axes, and its solution u."""

    block: Block                          # B
    momentum: Wrench                      # f, with the impulse of the outer forces
    twist: Twist                          # u at the end of the step
    before: Twist                         # of a remembered iterate


@table
class Outcome(Table):
    """What a step did to a body."""

    wrench: Wrench                        # of all outer forces, mean over the step, world axes
    rates: Twist                          # change of `Speeds` per second


@table
class JointStep(Table):
    """A degree of freedom over a step: (Sᵀ B S + resist) q̇ = effort + ..."""

    resist: float                         # d
    effort: float                         # τ; of a motion-given one its rate, and at the end of the step the impulse of its actuator
    passive: float                        # of both, the part beside the actuator: resistance
    push: float                           # and impulse
    reach: Wrench                         # Sᵀ B; over the joint's own inertia where it is torque-given
    pushed: float
    answer: float                         # Sᵀ B S
    before: float                         # rate of a remembered iterate
    grip: float                           # largest impulse of dry friction
    rub: float                            # its impulse,
    held: float                           # and that of the step before
    free_resist: float                    # d and τ without it
    free_effort: float


@table
class BaseStep(Table):
    """The base over a step, and what holds for all joints."""

    twist: Twist                          # at its origin, world axes
    before: Twist                         # of a remembered iterate
    hold: Wrench                          # impulse that holds a fixed or planar base


@table
class Counts(Table):
    """What a run counts; `residual` and `depth` since the last record."""

    steps: float
    iterations: float
    fallbacks: float
    residual: float                       # worst, m/s
    depth: float                          # deepest penetration as a share of the radius of what has sunk in,
    deepest: float                        # and the slot where that was
    last: float                           # residual of the last step,
    active: float                         # and how many contacts are active in it


@table
class Plea(Table):
    """What is asked of a rescue and what it answers (see `options.rescue`)."""

    time: float
    active: float                         # how many contacts are active
    iterations: float
    residual: float


@table
class ContactRecord(Table):
    force: Vector                         # mean over the step that ended, world
    place: Vector
    state: float
    gap: float


@table
class StepRecord(Table):
    resultant: Wrench                     # of all contacts, about the base's origin, along the base's axes
    residual: float
    depth: float


class Step(NamedTuple):
    """The equations of one step and their solution."""

    places: Any                           # Body: poses at the middle of the step
    axes: Any                             # Axis
    bodies: Any                           # BodyStep
    joints: Any                           # JointStep
    base: Any                             # BaseStep, one row
    rates: Any                            # (freedoms,) at the end of the step
    contacts: Any                         # Contact (slots,)
    owner: Any                            # (slots,) row of the body
    active: Any                           # (slots,) numbers of the active contacts
    system: Any                           # (6, 7)


class ContactMemory(NamedTuple):
    """Working memory of one run."""

    chain: Any                            # Memory of the chain: bodies at the middle of a step; `torque` are impulses of actuators
    step: Step
    outcomes: Any                         # Outcome (bodies,)
    rest: Rest
    path: Any                             # Path, where nothing else helps
    counts: Any                           # Counts, one row
    plea: Any                             # Plea, one row


class ContactRecords(NamedTuple):
    """What is kept at recorded instants."""

    x: Any                                # (R, state of a chain)
    torque: Any                           # (R, freedoms)
    bodies: Any                           # BodyRecord (R, bodies)
    contacts: Any                         # ContactRecord (R, slots)
    steps: Any                            # StepRecord (R,)
    tally: Any                            # Tally (R, ...)


class Following(NamedTuple):
    """Feedback on the middle of each step."""


class Prescribed(NamedTuple):
    """Every joint motion-given."""


class Driven(NamedTuple):
    """Torques are given."""


class Bounded(NamedTuple):
    """Control that looks at the end of the step has a bound."""


class Unbounded(NamedTuple):
    """It has none."""


class Rubbing(NamedTuple):
    """Dry friction in joints, on the scale of the lightest link."""

    compliance: float                     # 1/(kg m²)
    descent: float                        # kg m²
    arm: float                            # m: turns rad/s into m/s


class Smooth(NamedTuple):
    """No joint has dry friction."""


class Afloat(NamedTuple):
    """Some bodies carry water along."""


class Ashore(NamedTuple):
    """None does."""


class ContactOptions(NamedTuple):
    control: Any                          # Following, Prescribed or Driven
    bounds: Any                           # Bounded or Unbounded
    dry: Any                              # Rubbing or Smooth
    water: Any                            # Afloat or Ashore
    base: int                             # FREE, PLANAR or FIXED
    theta: float                          # share of the position feedback taken at the end of the step; 0: explicit control
    backlash: float                       # rad
    anticipate: bool                      # anticipative activation; otherwise contacts act from g <= 0 on, (49)
    recovery: float                       # share of a penetration that is taken back in a step
    compliance: float                     # e, 1/kg
    descent: float                        # ρ, kg
    tolerance: float                      # m/s
    bound: float                          # m/s: a step with more residual fails the run
    rescue: int                           # address of what is called where plain iterations do not end (see `rescue`)


class Where(NamedTuple):
    """Where the parts of a flat state begin, after position and velocity as a chain's state has them."""

    sums: int                             # Sums, the last of a chain's state
    earlier: int                          # velocity a step before: the guess goes on in a straight line
    speeds: int                           # Speeds of all bodies
    impulses: int                         # Remembered of all slots
    torque: int                           # of the last step
    rub: int                              # impulse of dry friction in the joints, of the last step
    end: int


class ContactProblem(NamedTuple):
    """Everything that an engine needs to move a chain among hard things."""

    robot: Any                            # Robot
    solids: Any                           # Solid (bodies,)
    scene: Scene
    forces: tuple                         # of any elements that `push`
    options: ContactOptions
    where: Where
    drive: Any                            # Drive
    memory: ContactMemory
    records: ContactRecords
