"""Who moves beside the robot: nobody (`NoMovingBodies`), or a `MovingBodies` of free objects and of links that touch each other.

What touches a body that moves is a contact like all others: its law, its frame and its slip are those of `law`, with
the velocity of one body relative to the other, about the origin of the first. Rows of objects follow those of the
robot in every table of bodies. A surface that a body carries along (`CarriedSurface`) is a row of the scene that is put where
the body is before gaps are measured.

What follows is generic in the crowd: kernels of a robot that is alone compile nothing of `objects` and `mutual`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra.lie import Quaternion
from limbless.mechanics.algebra.matrix6 import Matrix6
from limbless.mechanics.algebra.spatial import Twist, Wrench
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.chain.tables import Body
from limbless.mechanics.compiled.generic import constant_version, generic, no_op, version_for
from limbless.mechanics.compiled.kernel import func
from limbless.mechanics.compiled.tables import Table, constants, table
from limbless.mechanics.contact.body_equations import twist_at_start
from limbless.mechanics.contact.step import BodyInertia, BodyStep, BodyVelocity

PLACED = 14  # numbers of `ObjectPose`


class ObjectsInAir(NamedTuple):
    """Objects are in air; in water they are `Soaked` (see `wet_objects`)."""


class NoMovingBodies(NamedTuple):
    """Nothing moves but the robot, and its links do not touch each other."""


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
    water: Matrix6  # of the water that it carries along,
    carried: Wrench  # and the momentum of that at the start


@table
class ImpulseResponse(Table):
    """How a body answers to impulses on all bodies under the linearised laws: eight cases side by side."""

    push: Wrench  # the impulse on it, about its origin, world axes; then, of the base, all that
    # arrives there
    twist: Twist  # what that adds to its twist,
    rate: float  # and to the rate of the joint before it; of a motion-given one, to its
    # impulse


@table
class ResponseFactor(Table):
    """The joint before a body, as the last sweep left it."""

    wrench: Wrench  # U = I S
    scale: float  # 1 / (Sᵀ I S + d)


class Factors(NamedTuple):
    """Matrices of the base (first) and of all objects, as factors; memory for their solutions."""

    rows: Any  # (objects + 1, 6, 6)
    order: Any  # (objects + 1, 6)
    needed: Any  # (objects + 1,) 1 where contacts between moving bodies act
    single: Any  # (2, 6) right side and answer,
    eight: Any  # (2, 6, 8) and of eight at a time


class MovingBodies(NamedTuple):
    """Free objects, and contacts between bodies that both move."""

    first: int  # row of the first object among all bodies
    other: Any  # (contacts,) row of the body that carries the surface; -1 where none does
    on_robot: Any  # (contacts,) 1 where the robot as a whole is pushed from outside
    size: Any  # (contacts,) m: depth is judged by it
    carried: Any  # Carried
    pulls: Any  # Pull
    free: Any  # Free (objects,)
    answers: Any  # Answer (bodies and objects, 8)
    lifts: Any  # Lift (bodies and objects,)
    factors: Factors
    row: Any  # (R,) 5 times a contact and number of its impulse
    start: Any  # (R, 1) velocity of each row without the impulses of others
    response: Any  # (R, 8 W) what an impulse along a row adds to the velocity of each,
    wide: Any  # (R, W, 8) the same memory
    matrix: Any  # (R, R + 1)
    crowded: Any  # (1,) 1 once more rows act than there is room for
    water: Any  # Dry, or Soaked of `wet_objects`


@generic
def last_of_robot(moving_bodies, step, count):
    """Place of the last active contact whose body belongs to the robot; those of objects come after it."""


@generic
def is_fixed(moving_bodies, i):
    """Whether what contact i touches does not move."""


@generic
def is_on_robot(moving_bodies, i):
    """Whether contact i pushes the robot as a whole: not where links touch each other, nor where objects do."""


@generic
def relative_twist(moving_bodies, step, i):
    """Twist of contact i's body, relative to what it touches, about the body's origin."""


@generic
def relative_before(moving_bodies, step, i):
    """The same of the iterate that is remembered."""


@generic
def twist_before(moving_bodies, solids, step, i, x, start):
    """The same at the start of the step."""


@generic
def depth_scale(moving_bodies, i, radius):
    """What the depth of contact i is a share of, m."""


@generic
def store_response_factor(moving_bodies, k, U, scale):
    """Note how the joint before body k answers, where it is asked again."""


@generic
def solve_body_body(moving_bodies, robot, base, step, count, I):
    """After the sweeps of a robot by itself: the velocities of all under contacts between bodies that move.

    I is the matrix with which the robot answers at its base.
    """


@generic
def has_too_many_contacts(moving_bodies):
    """Whether more contacts between moving bodies act than can be solved for."""


@generic
def move_surfaces(moving_bodies, scene, bodies):
    """Put the surfaces that bodies carry where the bodies are."""


@generic
def place_objects(moving_bodies, bodies, x, place):
    """Objects where a state has them; theirs begins at `place`."""


@generic
def start_objects(moving_bodies, solids, step, x, where, t, h):
    """Objects at the middle of a step: their poses, equations and first guess."""


@generic
def add_object_water(water, moving_bodies, solids, step, x, start, t, h):
    """What water does to objects at the time t: pushes, and momentum that they carry along, into their equations."""


@generic
def carried_force(water, free, twist, h):
    """What the water that an object carries along did to it, mean over the step; `twist` is that at its end."""


@generic
def push_other(moving_bodies, solids, step, i, wrench, h, x, start, works):
    """The force on the other body of contact i, whose impulse on its own body is `wrench`; `works` are those on the
    robot: none where objects touch, and of both where links touch each other.
    """


@generic
def end_objects(moving_bodies, solids, step, outcomes, x, where, t, h):
    """Works, velocities and poses of objects at the end of a step."""


@generic
def keep_objects(moving_bodies, solids, step, outcomes, x, where, records, r):
    """Record the objects."""


@version_for(last_of_robot, NoMovingBodies)
@func
def last_of_all(moving_bodies, step, count):
    return count - 1


constant_version(is_fixed, True, NoMovingBodies)
constant_version(is_on_robot, True, NoMovingBodies)


@version_for(relative_twist, NoMovingBodies)
@func
def own_twist(moving_bodies, step, i):
    return BodyStep(step.bodies, step.owner[i]).twist


@version_for(relative_before, NoMovingBodies)
@func
def own_before(moving_bodies, step, i):
    return BodyStep(step.bodies, step.owner[i]).before


@version_for(twist_before, NoMovingBodies)
@func
def own_twist_before(moving_bodies, solids, step, i, x, start):
    return start_of(solids, step, step.owner[i], x, start)


@func
def start_of(solids, step, k, x, start):
    """Twist of body k at the start of the step, about its origin."""
    return twist_at_start(BodyInertia(solids, k), BodyVelocity(x, start + 6 * k), Body(step.places, k).rotation)


@version_for(depth_scale, NoMovingBodies)
@func
def own_radius(moving_bodies, i, radius):
    return radius


constant_version(has_too_many_contacts, False, NoMovingBodies)


@version_for(carried_force, ObjectsInAir)
@func
def no_carried_force(water, free, twist, h):
    zero = Vector(0.0, 0.0, 0.0)
    return Wrench(zero, zero)


for _question in (
    store_response_factor,
    solve_body_body,
    move_surfaces,
    place_objects,
    start_objects,
    push_other,
    end_objects,
    keep_objects,
):
    no_op(_question, NoMovingBodies)
no_op(add_object_water, ObjectsInAir)
