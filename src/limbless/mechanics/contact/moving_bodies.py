"""Who moves beside the robot: nobody (None), or a `MovingBodies` of free objects and of links that touch each other.

What touches a body that moves is a contact like all others: its law, its frame and its slip are those of
`law`, with the velocity of one body relative to the other, about the origin of the first. Rows of objects
follow those of the robot in every table of bodies. A surface that a body carries along (`CarriedSurface`) is
a row of the scene that is put where the body is before gaps are measured.

Kernels of a robot that is alone compile nothing of `free_objects` and `body_body`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from limbless.mechanics.algebra import Quaternion, Twist, Vector, Wrench, carry_twist
from limbless.mechanics.chain import Body
from limbless.mechanics.compiled import Array, IntArray, Rows, Scalar, Table, constants, func, table
from limbless.mechanics.contact import BodyInertia, BodyStep, BodyVelocity, Equation, Step, twist_at_start

if TYPE_CHECKING:
    from limbless.mechanics.contact.objects_in_water import ObjectsInWater
    from limbless.mechanics.rod.tables import StrainRow

PLACED = 14  # numbers of `ObjectPose`


@constants
class CarriedSurface(Table):
    """A surface that a body carries along."""

    body: int
    surface: int
    box: bool  # a box of half sizes `end` around the origin; else a bar from begin to end
    begin: Vector  # in the body's frame
    end: Vector


@constants
class UniformField(Table):
    """A uniform field on all objects, while it acts."""

    since: float
    until: float
    field: Vector  # m/s2


@table
class ObjectPose(Table):
    """An object in a flat state; its velocity is among the `BodyVelocity`."""

    origin: Vector  # of its centre, world
    turn: Quaternion
    work: float  # done on it since the start, J
    impulse: Wrench  # on it since the start, about the world origin


@table
class ObjectStep(Table):
    """An object over a step."""

    middle: Quaternion
    water: Equation  # of the water that it carries along


@table
class ImpulseResponse(Table):
    """How a body answers to impulses on all bodies under the linearised laws: eight cases side by side."""

    # the impulse on it, about its origin, world axes; then, of the base, all that arrives there
    push: Wrench
    twist: Twist  # what that adds to its twist,
    rate: float  # and to the rate of the joint before it; of a motion-given one, to its impulse


@table
class ResponseFactor(Table):
    """The joint before a body, as the last sweep left it."""

    wrench: Wrench  # U = I S
    scale: float  # 1 / (Sᵀ I S + d)


class Factors(NamedTuple):
    """Matrices of the base (first) and of all objects, as factors; memory for their solutions."""

    rows: Rows[StrainRow]  # (objects + 1, 6, 6)
    order: IntArray  # (objects + 1, 6)
    needed: IntArray  # (objects + 1,) 1 where contacts between moving bodies act
    single: Array  # (2, 6) right side and answer,
    eight: Array  # (2, 6, 8) and of eight at a time


class MovingBodies(NamedTuple):
    """Free objects, and contacts between bodies that both move."""

    first: int  # row of the first object among all bodies
    other: IntArray  # (contacts,) row of the body that carries the surface; -1 where none does
    on_robot: IntArray  # (contacts,) 1 where the robot as a whole is pushed from outside
    size: Array  # (contacts,) m: depth is judged by it
    carried: Rows[CarriedSurface]
    pulls: Rows[UniformField]
    free: Rows[ObjectStep]  # (objects,)
    answers: Rows[ImpulseResponse]  # (bodies and objects, 8)
    lifts: Rows[ResponseFactor]  # (bodies and objects,)
    factors: Factors
    row: IntArray  # (R,) 5 times a contact and number of its impulse
    start: Array  # (R, 1) velocity of each row without the impulses of others
    response: Array  # (R, 8 W) what an impulse along a row adds to the velocity of each,
    wide: Array  # (R, W, 8) the same memory
    matrix: Array  # (R, R + 1)
    crowded: IntArray  # (1,) 1 once more rows act than there is room for
    water: ObjectsInWater | None  # ObjectsInWater, or None: they are in air


@func
def last_of_robot(step: Step, count: int) -> int:
    """Place of the last active contact whose body belongs to the robot; those of objects come after it."""
    a = count - 1
    if step.moving_bodies is None:
        return a
    while a >= 0 and step.owner[step.active[a]] >= step.moving_bodies.first:
        a -= 1
    return a


@func
def is_fixed(step: Step, i: int) -> bool:
    """Whether what contact i touches does not move."""
    return True if step.moving_bodies is None else step.moving_bodies.other[i] < 0


@func
def is_on_robot(step: Step, i: int) -> bool:
    """Whether contact i pushes the robot as a whole: not where links touch each other, nor where objects do."""
    return True if step.moving_bodies is None else step.moving_bodies.on_robot[i] == 1


@func
def from_other(step: Step, i: int, other: Any):
    """From the origin of the other body to that of the contact's own."""
    return Body(step.places, step.owner[i]).origin - Body(step.places, other).origin


@func
def relative(step: Step, i: int, own: Twist, others: Twist) -> Twist:
    """Twist `own` of contact i's body less that of what it touches, `others` about its own origin, if that moves."""
    other = step.moving_bodies.other[i]
    return own if other < 0 else own - carry_twist(others, from_other(step, i, other))


@func
def other_of(step: Step, i: int) -> int:
    """What contact i touches; the base stands for what does not move, and is not asked."""
    return max(step.moving_bodies.other[i], 0)


@func
def relative_twist(step: Step, i: int) -> Twist:
    """Twist of contact i's body, relative to what it touches, about the body's origin."""
    own = BodyStep(step.bodies, step.owner[i])
    if step.moving_bodies is None:
        return own.twist
    return relative(step, i, own.twist, BodyStep(step.bodies, other_of(step, i)).twist)


@func
def relative_before(step: Step, i: int) -> Twist:
    """The same of the iterate that is remembered."""
    own = BodyStep(step.bodies, step.owner[i])
    if step.moving_bodies is None:
        return own.before
    return relative(step, i, own.before, BodyStep(step.bodies, other_of(step, i)).before)


@func
def is_object(step: Step, k: int) -> bool:
    return False if step.moving_bodies is None else k >= step.moving_bodies.first


@func
def start_of(solids: Rows[BodyInertia], step: Step, k: int, x: Array, start: int) -> Twist:
    """Twist of body k at the start of the step, about its origin; of a station that where gaps were measured."""
    if step.cells is not None and not is_object(step, k):
        return Body(step.places, k).velocity
    return twist_at_start(BodyInertia(solids, k), BodyVelocity(x, start + 6 * k), Body(step.places, k).rotation)


@func
def mean_twist(solids: Rows[BodyInertia], step: Step, k: int, x: Array, start: int) -> Twist:
    """The twist of body k along which its forces work: the mean of both ends of the step; of a station that of its
    stage, which `stage_velocities` has found.
    """
    if step.cells is not None and not is_object(step, k):
        return Body(step.places, k).velocity
    own = BodyStep(step.bodies, k)
    before = own.start if step.moving_bodies is None else start_of(solids, step, k, x, start)  # of an object, perhaps
    return 0.5 * (before + own.twist)


@func
def twist_before(solids: Rows[BodyInertia], step: Step, i: int, x: Array, start: int):
    """The relative twist at the start of the step."""
    own = start_of(solids, step, step.owner[i], x, start)
    if step.moving_bodies is None:
        return own
    return relative(step, i, own, start_of(solids, step, other_of(step, i), x, start))


@func
def depth_scale(step: Step, i: int, radius: Scalar) -> Scalar:
    """What the depth of contact i is a share of, m."""
    return radius if step.moving_bodies is None else step.moving_bodies.size[i]
