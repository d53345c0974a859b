"""Dry friction in the joints over a step: the law of a contact with a given radius, p = proj_[-grip, grip](p_A - q̇ /
ε).
"""
from __future__ import annotations

import numpy as np

from limbless.mechanics.chain.tables import Freedom, Link
from limbless.mechanics.compiled.generic import generic, version_for
from limbless.mechanics.compiled.kernel import inline, lean_kernel
from limbless.mechanics.contact.step_tables import JointStep, Rubbing, Smooth


@generic
def grip_joints(dry, robot, step, h, x, rub):
    """The most that dry friction in each joint can do in a step, by Stribeck's curve at the rate that the step starts
    with.

    What it did in the step before stands in the state x, from `rub` on.
    """


@generic
def hold_joints(dry, robot, step):
    """Linearise dry friction in the joints."""


@generic
def rub_joints(dry, robot, step):
    """Impulses of dry friction after a solve, and the worst natural map (m/s) at which they keep their law."""


@generic
def rubbed(dry, joint, given, rate):
    """Its impulse on a joint; a motion-given one slips whenever it moves."""


@version_for(grip_joints, Smooth)
@inline
def grip_none(dry, robot, step, h, x, rub):
    return None


@version_for(hold_joints, Smooth)
@inline
def hold_none(dry, robot, step):
    return None


@version_for(rub_joints, Smooth)
@inline
def rub_none(dry, robot, step):
    return 0.0


@version_for(rubbed, Smooth)
@inline
def rubbed_none(dry, joint, given, rate):
    return 0.0


@version_for(grip_joints, Rubbing)
@lean_kernel
def grip_all(dry, robot, step, h, x, rub):
    for k in range(1, len(robot.links.codes)):
        link = Link(robot.links, k)
        v, freedom, joint = link.column, Freedom(robot.freedoms, link.column), JointStep(step.joints, link.column)
        level, rise = freedom.coulomb, freedom.breakaway - freedom.coulomb
        if rise > 0.0:
            share = x[link.velocity] / freedom.stribeck
            level += rise * np.exp(-share * share)
        joint.grip = h * level
        joint.rub = x[rub + v]
        joint.held = x[rub + v]
        joint.free_resist = joint.resist
        joint.free_effort = joint.effort


@inline
def trial_rub(dry, joint, rate):
    return joint.rub - dry.descent * (rate + dry.compliance * (joint.rub - joint.held))


@inline
def rubs(link, joint):
    return joint.grip > 0.0 and not link.given


@version_for(hold_joints, Rubbing)
@lean_kernel
def hold_all(dry, robot, step):
    for k in range(1, len(robot.links.codes)):
        link = Link(robot.links, k)
        v, joint = link.column, JointStep(step.joints, link.column)
        if rubs(link, joint):
            y = trial_rub(dry, joint, step.rates[v])
            stick = abs(y) <= joint.grip
            joint.resist = joint.free_resist + 1.0 / dry.compliance if stick else joint.free_resist
            joint.effort = joint.free_effort + (joint.held if stick else joint.grip if y > 0.0 else -joint.grip)


@version_for(rub_joints, Rubbing)
@lean_kernel
def rub_all(dry, robot, step):
    worst = 0.0
    for k in range(1, len(robot.links.codes)):
        link = Link(robot.links, k)
        v, joint = link.column, JointStep(step.joints, link.column)
        if rubs(link, joint):
            stuck = joint.resist > joint.free_resist
            joint.rub = joint.held - step.rates[v] / dry.compliance if stuck else joint.effort - joint.free_effort
            y = trial_rub(dry, joint, step.rates[v])
            worst = max(worst, abs(joint.rub - min(max(y, -joint.grip), joint.grip)))
    return worst * dry.arm / dry.descent


@version_for(rubbed, Rubbing)
@inline
def rubbed_some(dry, joint, given, rate):
    if given:
        return -joint.grip if rate > 0.0 else joint.grip if rate < 0.0 else 0.0
    return joint.rub
