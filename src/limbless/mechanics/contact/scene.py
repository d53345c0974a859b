"""Contacts in tables: what can be touched, where, by which laws. A step of a chain among it: `step`."""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra import Matrix, Matrix6, Vector, Wrench
from limbless.mechanics.compiled import Array, Components, IntArray, Rows, Table, constants, table, with_operators


@with_operators
class Pair(Components):
    """Two directions in the plane of a contact."""

    along: float  # the tangent t1: along the body
    across: float  # t2 = n x t1


class FrictionCoefficients(NamedTuple):
    """Coefficients of friction."""

    forward: float  # for slip along +t1,
    backward: float  # along -t1,
    lateral: float  # along t2
    rolling: float


class AffineLoad(NamedTuple):
    """N = constant + slope γN"""

    constant: float
    slope: float


class AffineLaw(NamedTuple):
    """ξ = constant + lean γN + W w, with the scaled slip w: friction, linearised."""

    constant: Pair
    lean: Pair
    own: float  # W11
    mixed: float  # W12
    other: float  # W22


@with_operators
class Equation(Components):
    """Of a body, about its origin, world axes: matrix u = momentum + impulses."""

    matrix: Matrix6
    momentum: Wrench


@with_operators
class Impulse(Components):
    """What a contact gives over a step, in the scaled quantities of its law."""

    load: float  # N
    shear: Pair  # ξ
    twist: Pair  # η, of rolling


@table
class ContactRow(Table):
    """One contact: where it is, its coefficients, its impulse and memory, its velocity, and its linearised law."""

    arm: Vector  # from the body's origin to the place, world axes, m
    normal: Vector  # from the surface to the body
    tangent: Vector
    shift: float  # how fast the gap may close, m/s
    gap: float  # m
    friction: FrictionCoefficients
    radius: float  # of the sphere or capsule, m
    load: float
    shear: Pair
    twist: Pair
    shear_before: Pair  # at the end of the step before: ξ_A, η_A
    twist_before: Pair
    approach: float  # velocity: γN,
    slip: Pair  # along t1 and t2,
    roll: Pair  # and of rolling, m/s
    load_law: AffineLoad
    shear_law: AffineLaw
    twist_law: AffineLaw
    frozen: float  # radius of friction that does not follow the load
    # load that others bear, N: it bounds friction and pushes nothing; 0: the load is found
    given: float
    cone: float  # one of `law.CONES`
    restitution: float
    old: Impulse  # of a remembered iterate
    acts: float  # 0 where the linearised law gives nothing
    # Firmness of the ground there over that of all: 1 / e and ρ are so many times as large; 0: as all
    firm: float
    ease: float  # 1 / firm


# Columns of a contact's impulse, of its velocity, and of the constant parts of its laws, each for five rows: along the
# normal, the two tangents, and two of rolling
IMPULSE, VELOCITY = ContactRow.fields["load"].column, ContactRow.fields["approach"].column
CONSTANTS = tuple(
    ContactRow.fields[law].column + c
    for law, c in (("load_law", 0), ("shear_law", 0), ("shear_law", 1), ("twist_law", 0), ("twist_law", 1))
)


@table
class WarmStart(Table):
    """An impulse from step to step, in a flat state."""

    impulse: Impulse


# What can be touched: `surfaces` have 28 numbers each, the last 16 of them for the shape (see `shapes`)


@constants
class ContactSurface(Table):
    code: float  # of the shape's class
    since: float  # acts from, until, s
    until: float
    friction: FrictionCoefficients
    bounce: float  # restitution
    cone: float  # one of `law.CONES`
    flank: float  # friction on the flank of a body over that on its belly
    breakaway: float  # friction at rest over friction while sliding (Stribeck),
    stribeck: float  # and the speed at which it fades, m/s


@constants
class Feature(Table):
    """A sphere (both ends equal), the capsule between two spheres of one body, or a rim: the circle about `begin` whose
    axis points to `end`, as far away as its radius."""

    begin: Vector  # in the body's frame
    end: Vector
    radius: float
    # among contacts of the same shapes: 0 nearest, 1 nearest of another direction, 2 between the ends, 3 a rim
    rank: float
    share: float  # friction of its link over that of the surface


@constants
class PatchRow(Table):
    """A rectangle of a surface, seen from above, with friction of its own."""

    surface: float
    west: float
    east: float
    south: float
    north: float
    friction: FrictionCoefficients


@table
class LastPose(Table):
    """A body when it was last seen."""

    rotation: Matrix
    origin: Vector


class Scene(NamedTuple):
    """All contacts that a robot can have with its surroundings, sorted by body: a feature
    with a surface, near or far.
    """

    shapes: tuple  # the kinds of shapes it has, for `switch`
    owner: IntArray  # (contacts,) row of the body
    surface: IntArray  # (contacts,) row of `surfaces`
    features: Rows[Feature]  # (contacts,)
    surfaces: Array  # Surface and shape (surfaces, 28)
    patches: Rows[PatchRow]
    heights: Array  # of all height fields, one after the other
    # (bodies,) largest distance of a feature from the body's origin; (0,) if nothing ever sleeps
    extent: Array


class SleepState(NamedTuple):
    """What lets contacts sleep that are too far from their surface to matter: how far each body has come, and when each
    contact must look again.

    A gap shrinks by no more than its body moves, and what carries the surface, where that moves too. A contact that is
    measured notes how far these may go before the gap can be within reach, and sleeps until then; the answer is the
    same as if all contacts were measured in every step.
    """

    seen: Rows[LastPose]  # (bodies,)
    travel: Array  # (bodies,) bound of the way that any feature of the body has come so far
    limit: Array  # (contacts,) the contact sleeps while travel + reach is below
    awake: IntArray  # (contacts,) integers
    partner: IntArray  # (contacts,) row of the body that carries the surface; -1 where none does
