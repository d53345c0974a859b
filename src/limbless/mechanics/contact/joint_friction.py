"""Dry friction in the joints over a step, and stops at the ends of their ranges.

Friction is the law of a contact with a given radius, p = proj_[-grip, grip](p_A - q̇ / ε). A stop is the law of a
contact that only pushes: 0 <= P perp s q̇ + room + ε P >= 0, with s = +1 at the lower end and -1 at the upper one.
"""

from __future__ import annotations

import numpy as np

from limbless.mechanics.chain import ChainTables, DofRow, LinkRow
from limbless.mechanics.compiled import Array, Scalar, func, noinline_func
from limbless.mechanics.contact.step import JointFriction, JointStep, Step
from limbless.mechanics.integrate.running_totals import UNLIMITED


@noinline_func
def joint_friction_limits(dry: JointFriction, robot: ChainTables, step: Step, h: Scalar, x: Array, rub: int) -> None:
    """The most that dry friction in each joint can do in a step, by Stribeck's curve at the rate that the step starts
    with; the nearer stop, and how fast the joint may come nearer.

    What it did in the step before stands in the state x, from `rub` on.
    """
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        v, freedom, joint = link.column, DofRow(robot.freedoms, link.column), JointStep(step.joints, link.column)
        level, rise = freedom.coulomb, freedom.breakaway - freedom.coulomb
        if rise > 0.0:
            share = x[link.velocity] / freedom.stribeck
            level += rise * np.exp(-share * share)
        joint.grip = h * level
        joint.rub = joint.held = x[rub + v]
        find_stop(dry, freedom, joint, x[link.position] + 0.5 * h * x[link.velocity], h)
        joint.free_resist = joint.resist
        joint.free_effort = joint.effort


@func
def find_stop(dry: JointFriction, freedom: DofRow, joint: JointStep, q: Scalar, h: Scalar) -> None:
    """The nearer end of a joint's range from q, its position at the middle of the step."""
    below, above = q - freedom.lower, freedom.upper - q
    near = min(below, above)
    joint.side = 0.0 if near >= 0.5 * UNLIMITED else 1.0 if below <= above else -1.0
    joint.room = (near if near > 0.0 else dry.recovery * near) / h
    joint.stop = 0.0
    joint.stopped = 0.0


@func
def trial_stop(dry: JointFriction, joint: JointStep, rate: Scalar):
    return joint.stop - dry.descent * (joint.side * rate + joint.room + dry.compliance * joint.stop)


@func
def trial_rub(dry: JointFriction, joint: JointStep, rate: Scalar):
    return joint.rub - dry.descent * (rate + dry.compliance * (joint.rub - joint.held))


@func
def rubs(link: LinkRow, joint: JointStep) -> bool:
    return joint.grip > 0.0 and not link.given


@func
def stops(link: LinkRow, joint: JointStep) -> bool:
    return joint.side != 0.0 and not link.given


@noinline_func
def linearise_joint_friction(dry: JointFriction, robot: ChainTables, step: Step) -> None:
    """Linearise dry friction and stops in the joints."""
    per = 1.0 / dry.compliance
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        v, joint = link.column, JointStep(step.joints, link.column)
        resist, effort = joint.free_resist, joint.free_effort
        joint.stopped = 0.0
        if rubs(link, joint):
            y = trial_rub(dry, joint, step.rates[v])
            stick = abs(y) <= joint.grip
            resist += per if stick else 0.0
            effort += joint.held if stick else joint.grip if y > 0.0 else -joint.grip
            joint.stuck = 1.0 if stick else 0.0
            joint.rub = joint.held if stick else joint.grip if y > 0.0 else -joint.grip
        if stops(link, joint) and trial_stop(dry, joint, step.rates[v]) > 0.0:
            joint.stopped = 1.0
            resist += per
            effort -= joint.side * joint.room * per
        joint.resist = resist
        joint.effort = effort


@noinline_func
def joint_friction_impulses(dry: JointFriction, robot: ChainTables, step: Step) -> Scalar:
    """Impulses of dry friction and stops after a solve, and the worst natural map (m/s) of their laws."""
    worst = 0.0
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        v, joint = link.column, JointStep(step.joints, link.column)
        rate = step.rates[v]
        if rubs(link, joint):
            joint.rub = joint.rub - joint.stuck * rate / dry.compliance
            y = trial_rub(dry, joint, rate)
            worst = max(worst, abs(joint.rub - min(max(y, -joint.grip), joint.grip)))
        if stops(link, joint):
            joint.stop = -joint.stopped * (joint.side * rate + joint.room) / dry.compliance
            worst = max(worst, abs(joint.stop - max(trial_stop(dry, joint, rate), 0.0)))
    return worst * dry.arm / dry.descent


@func
def rubbed(dry: JointFriction | None, joint: JointStep, given: int, rate: Scalar) -> Scalar:
    """Its impulse on a joint; a motion-given one slips whenever it moves."""
    if dry is None:
        return 0.0
    if given:
        return -joint.grip if rate > 0.0 else joint.grip if rate < 0.0 else 0.0
    return joint.rub + joint.side * joint.stop
