"""The rows of a path for the contacts of a step and for dry friction and stops of joints: what an impulse at each does
to all.

The sweeps of `solver` give the dense coupling column by column.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from limbless.mechanics.chain import ChainTables, LinkRow
from limbless.mechanics.compiled import func, noinline_func
from limbless.mechanics.contact import (
    CONSTANTS,
    ROW_KINDS,
    VELOCITY,
    AffineLoad,
    ContactOptions,
    ContactRow,
    Homotopy,
    HomotopyRow,
    JointFriction,
    JointStep,
    Pair,
    RowLaw,
    Step,
    no_law,
    put_rates,
    put_row,
    relative_twist,
    rubs,
    solve_linearised,
    stops,
)

if TYPE_CHECKING:
    from limbless.mechanics.algebra import Vector


@func
def arm_of(dry: JointFriction):
    """The arm that turns rad/s into m/s."""
    return 1.0 if dry is None else dry.arm


@func
def put_joints(dry: JointFriction, robot: ChainTables, step: Step, path: Homotopy, place: Any, rows: int):
    """Rows of dry friction and stops in the joints, as forces at an arm: m/s in place of rad/s. Returns the number of
    all rows. Those of friction come at `place`, one per degree of freedom, those of stops after them.
    """
    if dry is None:
        return rows
    compliance, length = dry.compliance * dry.arm * dry.arm, dry.descent / (dry.arm * dry.arm)
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        joint = JointStep(step.joints, link.column)
        joint.resist = joint.free_resist
        joint.effort = joint.free_effort
        if rubs(link, joint):
            law = RowLaw(joint.grip / dry.arm, 1.0, 1.0, compliance, joint.held / dry.arm, length)
            rows = put_row(path, rows, ROW_KINDS.side, place + link.column, -1, law)
        if stops(link, joint):
            law = RowLaw(0.0, 1.0, 1.0, compliance, 0.0, length)
            rows = put_row(path, rows, ROW_KINDS.push, place + step.rates.shape[0] + link.column, -1, law)
    return rows


@func
def joint_of(step: Step, place: Any):
    """The degree of freedom of a row, counted from the first of joints, and the sense of its
    impulse: friction, or a stop.
    """
    freedoms = step.rates.shape[0]
    v = place if place < freedoms else place - freedoms
    return v, 1.0 if place < freedoms else JointStep(step.joints, v).side


@func
def apply_impulse(step: Step, arm: Vector, place: Any, joints: Any, size: int) -> None:
    """Add an impulse of that size at a row: as a linearised law that depends on nothing, or
    as the effort of a joint.
    """
    if place >= joints:
        v, sense = joint_of(step, place - joints)
        joint = JointStep(step.joints, v)
        joint.effort = joint.effort + arm * sense * size
        return
    step.contacts[step.active[place // 5], CONSTANTS[place % 5]] += size


@func
def velocity_at(step: Step, arm: Vector, place: Any, joints: Any):
    """Velocity of the row at `place`."""
    if place >= joints:
        v, sense = joint_of(step, place - joints)
        return arm * sense * step.rates[v]
    return step.contacts[step.active[place // 5], VELOCITY + place % 5]


@noinline_func
def read_velocities(step: Step, path: Homotopy, arm: Vector, count: int, rows: int) -> None:
    """Velocities of all rows at the present twists."""
    for a in range(count):
        i = step.active[a]
        put_rates(ContactRow(step.contacts, i), relative_twist(step, i))
    for j in range(rows):
        HomotopyRow(path.directions, j).velocity = velocity_at(step, arm, path.place[j], 5 * count)


@noinline_func
def build_delassus(
    robot: ChainTables, options: ContactOptions, step: Step, path: Homotopy, count: int, rows: int
) -> None:
    """γ0 and D of the rows: the velocities without impulses, and what an impulse at each row adds to them."""
    arm, rho, joints = arm_of(options.dry), options.descent, 5 * count
    for a in range(count):
        contact = ContactRow(step.contacts, step.active[a])
        contact.acts = 1.0
        contact.load_law = AffineLoad(0.0, 0.0)
        contact.shear_law = no_law()
        contact.twist_law = no_law()
        # decides which coefficient acts
        contact.shear = Pair(-1.0 if contact.friction.forward > 0.0 else 1.0, contact.shear.across)
    solve_linearised(robot, options.base, step, count)
    read_velocities(step, path, arm, count, rows)
    for j in range(rows):
        direction = HomotopyRow(path.directions, j)
        direction.slip = direction.velocity
    for i in range(rows):
        law = HomotopyRow(path.directions, i).law
        place, scale = path.place[i], law.plus if law.plus > 0.0 else law.minus
        apply_impulse(step, arm, place, joints, rho / scale)
        solve_linearised(robot, options.base, step, count)
        read_velocities(step, path, arm, count, rows)
        apply_impulse(step, arm, place, joints, -rho / scale)
        for j in range(rows):
            direction = HomotopyRow(path.directions, j)
            path.coupling[j, i] = (direction.velocity - direction.slip) / rho
    for j in range(rows):
        if path.place[j] < joints and path.place[j] % 5 == 0:
            direction = HomotopyRow(path.directions, j)
            direction.slip = direction.slip + ContactRow(step.contacts, step.active[path.place[j] // 5]).shift
        elif path.place[j] >= joints + step.rates.shape[0]:
            v, _ = joint_of(step, path.place[j] - joints)
            direction = HomotopyRow(path.directions, j)
            direction.slip = direction.slip + arm * JointStep(step.joints, v).room
