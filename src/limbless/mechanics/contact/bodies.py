"""What each body of a chain brings to a step of `contact_motion`: its block and its momentum, with the water it carries along.

A body remembers the velocity of its centre of mass (world) and its rotation rate (body axes). Velocity terms are those of the middle
of the step, linearised: a product a x b becomes half of a_A x b_E + a_E x b_A, so that fast rotation stays bounded at any step.
"""
from __future__ import annotations

import numpy as np

from limbless.mechanics.algebra.blocks import Block, block_of, carry_block, get_block, put_block
from limbless.mechanics.algebra.columns import get_inertia, get_matrix, get_symmetric, get_vector, get_wrench, put_pair
from limbless.mechanics.algebra.inertia import Twist, Wrench, carry_twist, carry_wrench, rigid_inertia, rotate_inertia
from limbless.mechanics.algebra.vectors import Matrix, Vector, product, rows, skew, transpose
from limbless.mechanics.chain.rows import (
    HAS_BODY,
    LINK_INERTIA,
    LINK_MASS,
    LINK_MOMENT,
    LINK_WET,
    ROTATION,
    SECOND,
    START,
    WET,
)
from limbless.mechanics.compiled.kernel import inline, lean_kernel
from limbless.mechanics.contact.solver import MOMENTUM

MASS, CENTER, CENTRAL = np.array([0, 1, 4])       # columns of `bodies`: mass, centre of mass, inertia about it (6), in the body's frame
BODY_COLUMNS = 10


@inline
def twist_at_start(bodies, links, k, R):
    """Twist of body k about its origin, world axes, from its own velocity."""
    w = R @ get_vector(links, k, SECOND)
    return carry_twist(Twist(get_vector(links, k, START), w), -(R @ get_vector(bodies, k, CENTER)))


@inline
def body_equation(bodies, links, k, R, h):
    """Block and momentum of body k about its origin: m, and Θ with half the gyroscopic moment of ω linearised, Θ + h/2 ([ω]Θ - [Θω])."""
    m, w = bodies[k, MASS], get_vector(links, k, SECOND)
    T = rows(get_symmetric(bodies, k, CENTRAL))
    L = T @ w
    G = T + product(skew(0.5 * h * w), T) - skew(0.5 * h * L)
    O = Matrix(Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0))
    mass = Matrix(Vector(m, 0.0, 0.0), Vector(0.0, m, 0.0), Vector(0.0, 0.0, m))
    center = R @ get_vector(bodies, k, CENTER)
    block = carry_block(Block(mass, O, O, product(product(R, G), transpose(R))), center)
    return block, carry_wrench(Wrench(m * get_vector(links, k, START), R @ L), center)


@inline
def water_equation(robot, bodies, links, k, R, h):
    """Block and momentum of the water that body k carries along, about its origin: N (u_E - u_A) - h N s + h V x* N V.

    N is the added inertia; s = (ω x v_C, 0) turns the change of the velocities that bodies remember into a spatial acceleration.
    """
    own = rigid_inertia(robot[k, LINK_MASS], get_vector(robot, k, LINK_MOMENT), get_symmetric(robot, k, LINK_INERTIA))
    N = block_of(rotate_inertia(R, get_inertia(robot, k, LINK_WET) - own))
    V, v = twist_at_start(bodies, links, k, R), get_vector(links, k, START)
    momentum = N @ V
    W, X, P, L = (skew(0.5 * h * V.angular), skew(0.5 * h * V.linear), skew(0.5 * h * momentum.force), skew(0.5 * h * momentum.torque))
    turned = skew(0.5 * h * v) + product(W, skew(R @ get_vector(bodies, k, CENTER)))
    block = Block(
        N.A - product(N.A, W) + product(W, N.A),
        N.B + product(N.A, turned) + product(W, N.B) - P,
        N.C - product(N.C, W) + product(W, N.C) + product(X, N.A) - P,
        N.D + product(N.C, turned) + product(W, N.D) + product(X, N.B) - L)
    return block, momentum


@lean_kernel
def add_water(table, bodies, links, work, h, blocks):
    """Blocks and momenta of the water that bodies carry along; in a loop of its own, which leaves the one of dry robots short."""
    robot, layout, _ = table
    for k in range(layout.shape[0]):
        if layout[k, WET]:
            block, momentum = water_equation(robot, bodies, links, k, get_matrix(work, k, ROTATION), h)
            put_block(blocks, k, START, get_block(blocks, k, START) + block)
            put_pair(blocks, k, MOMENTUM, get_wrench(blocks, k, MOMENTUM) + momentum)


@inline
def prepare(table, bodies, links, wrench, work, h, blocks):
    """Blocks and momenta of all bodies, with the impulse of the outer forces."""
    layout = table.layout
    for k in range(layout.shape[0]):
        if layout[k, HAS_BODY]:
            block, momentum = body_equation(bodies, links, k, get_matrix(work, k, ROTATION), h)
            put_block(blocks, k, START, block)
            put_pair(blocks, k, MOMENTUM, momentum + h * get_wrench(wrench, k, START))
    add_water(table, bodies, links, work, h, blocks)
