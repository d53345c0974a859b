"""The rows of a path for the contacts of a step and for dry friction and stops of joints: what an impulse at each does
to all.

The sweeps of `solver` give the dense coupling column by column.
"""

from __future__ import annotations

from limbless.mechanics.chain.tables import Link
from limbless.mechanics.compiled.generic import always, generic, version_for
from limbless.mechanics.compiled.kernel import inline, lean_pass
from limbless.mechanics.contact.company import relative_twist
from limbless.mechanics.contact.law import no_law, put_rates
from limbless.mechanics.contact.path import ROW_KINDS, Direction, Law, put_row
from limbless.mechanics.contact.solver import sweep_through
from limbless.mechanics.contact.step_tables import JointStep, Rubbing, Smooth
from limbless.mechanics.contact.tables import Affine, Contact, Line, Pair


@generic
def put_joints(dry, robot, step, path, place, rows):
    """Rows of dry friction and stops in the joints, as forces at an arm: m/s in place of rad/s. Returns the number of
    all rows. Those of friction come at `place`, one per degree of freedom, those of stops after them.
    """


@generic
def arm_of(dry):
    """The arm that turns rad/s into m/s."""


@version_for(put_joints, Smooth)
@inline
def put_no_joints(dry, robot, step, path, place, rows):
    return rows


always(arm_of, 1.0, Smooth)


@version_for(arm_of, Rubbing)
@inline
def own_arm(dry):
    return dry.arm


@version_for(put_joints, Rubbing)
@inline
def put_rubbing_joints(dry, robot, step, path, place, rows):
    for k in range(1, len(robot.links.codes)):
        link = Link(robot.links, k)
        joint = JointStep(step.joints, link.column)
        joint.resist = joint.free_resist
        joint.effort = joint.free_effort
        if joint.grip > 0.0 and not link.given:
            law = Law(
                joint.grip / dry.arm,
                1.0,
                1.0,
                dry.compliance * dry.arm * dry.arm,
                joint.held / dry.arm,
                dry.descent / (dry.arm * dry.arm),
            )
            rows = put_row(path, rows, ROW_KINDS.side, place + link.column, -1, law)
        if joint.side != 0.0 and not link.given:
            law = Law(0.0, 1.0, 1.0, dry.compliance * dry.arm * dry.arm, 0.0, dry.descent / (dry.arm * dry.arm))
            rows = put_row(path, rows, ROW_KINDS.push, place + step.rates.shape[0] + link.column, -1, law)
    return rows


@inline
def more(law, first, second):
    """An affine law with more of its constant part."""
    return Affine(law.constant + Pair(first, second), law.lean, law.own, law.mixed, law.other)


@inline
def joint_of(step, place):
    """The degree of freedom of a row, counted from the first of joints, and the sense of its impulse: friction, or a
    stop.
    """
    freedoms = step.rates.shape[0]
    v = place if place < freedoms else place - freedoms
    return v, 1.0 if place < freedoms else JointStep(step.joints, v).side


@inline
def push(step, arm, place, joints, size):
    """Add an impulse of that size at a row: as a linearised law that depends on nothing, or as the effort of a joint."""
    if place >= joints:
        v, sense = joint_of(step, place - joints)
        joint = JointStep(step.joints, v)
        joint.effort = joint.effort + arm * sense * size
        return
    contact, c = Contact(step.contacts, step.active[place // 5]), place % 5
    if c == 0:
        contact.load_law = Line(contact.load_law.constant + size, contact.load_law.slope)
    elif c < 3:
        contact.shear_law = more(contact.shear_law, size if c == 1 else 0.0, size if c == 2 else 0.0)
    else:
        contact.twist_law = more(contact.twist_law, size if c == 3 else 0.0, size if c == 4 else 0.0)


@inline
def velocity_at(step, arm, place, joints):
    """Velocity of the row at `place`."""
    if place >= joints:
        v, sense = joint_of(step, place - joints)
        return arm * sense * step.rates[v]
    contact, c = Contact(step.contacts, step.active[place // 5]), place % 5
    if c == 0:
        return contact.approach
    if c < 3:
        return contact.slip.along if c == 1 else contact.slip.across
    return contact.roll.along if c == 3 else contact.roll.across


@lean_pass
def read_velocities(step, path, arm, count, rows):
    """Velocities of all rows at the present twists."""
    for a in range(count):
        i = step.active[a]
        put_rates(Contact(step.contacts, i), relative_twist(step.crowd, step, i))
    for j in range(rows):
        Direction(path.directions, j).velocity = velocity_at(step, arm, path.place[j], 5 * count)


@lean_pass
def couple(robot, options, step, path, count, rows):
    """γ0 and D of the rows: the velocities without impulses, and what an impulse at each row adds to them."""
    arm, rho, joints = arm_of(options.dry), options.descent, 5 * count
    for a in range(count):
        contact = Contact(step.contacts, step.active[a])
        contact.acts = 1.0
        contact.load_law = Line(0.0, 0.0)
        contact.shear_law = no_law()
        contact.twist_law = no_law()
        # decides which coefficient acts
        contact.shear = Pair(-1.0 if contact.friction.forward > 0.0 else 1.0, contact.shear.across)
    sweep_through(robot, options.base, step, count)
    read_velocities(step, path, arm, count, rows)
    for j in range(rows):
        direction = Direction(path.directions, j)
        direction.slip = direction.velocity
    for i in range(rows):
        own = Direction(path.directions, i)
        place, scale = path.place[i], own.plus if own.plus > 0.0 else own.minus
        push(step, arm, place, joints, rho / scale)
        sweep_through(robot, options.base, step, count)
        read_velocities(step, path, arm, count, rows)
        push(step, arm, place, joints, -rho / scale)
        for j in range(rows):
            direction = Direction(path.directions, j)
            path.coupling[j, i] = (direction.velocity - direction.slip) / rho
    for j in range(rows):
        if path.place[j] < joints and path.place[j] % 5 == 0:
            direction = Direction(path.directions, j)
            direction.slip = direction.slip + Contact(step.contacts, step.active[path.place[j] // 5]).shift
        elif path.place[j] >= joints + step.rates.shape[0]:
            v, _ = joint_of(step, path.place[j] - joints)
            direction = Direction(path.directions, j)
            direction.slip = direction.slip + arm * JointStep(step.joints, v).room
