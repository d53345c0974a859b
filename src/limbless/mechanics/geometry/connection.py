"""What a shape velocity does to a body whose motion no past decides: the local connection, many postures at a time.

A motion is a twist of the base with rates of the joints. Of `m` of them a chain gives the matrix D (m, m) of the
power of motion k against what motion l meets: resistance, or momentum. Its parts make the connection
A = -D_bb⁻¹ D_bs and the metric G = D_ss + D_sb A, outside. Where what resists is not linear, each posture and rate has
its own balance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.mechanics.algebra import copy_part, power, put_pair_at, twist_at
from limbless.mechanics.chain import BalanceScratch, Body, LinkRow, balance_chain, body_inertia, forward_kinematics
from limbless.mechanics.compiled import Array, arctangent2, kernel, unpack
from limbless.mechanics.forces import push_all
from limbless.mechanics.rod import HeadState, Instant, rod_rate

if TYPE_CHECKING:
    from limbless.mechanics.chain.one_instant import ChainInstant
    from limbless.mechanics.rod.tables import RodProblem


@kernel
def resistances(
    instant: ChainInstant,
    inertial: bool,
    postures: Array,
    motions: Array,
    twists: Array,
    efforts: Array,
    D: Array,
    places: Array,
    swings: Array,
) -> None:
    """Fill D (S, m, m) at postures (S, positions) along motions (m, 6 + freedoms), where every body is (S, bodies, 3:
    x, y, angle) and how it swings (S, bodies, m, 3), world axes; twists and efforts (m, bodies, 6) are working memory.
    """
    robot, _base, forces, x, memory = unpack(instant)
    count, bodies = motions.shape[0], len(robot.links.codes)
    first = LinkRow(robot.links, 0).velocity
    for s in range(postures.shape[0]):
        copy_part(postures[s], 0, x, 7, postures.shape[1])
        for k in range(count):
            copy_part(motions[k], 0, x, first, motions.shape[1])
            forward_kinematics(robot, x, memory)
            if not inertial:
                push_all(forces, 0.0, 0.0, robot, memory)
            for b in range(bodies):
                link = LinkRow(robot.links, b)
                if link.has_body:
                    body = Body(memory.bodies, b)
                    V = body.velocity
                    met = body_inertia(link, body.rotation) @ V if inertial else -1.0 * body.wrench
                    put_pair_at(twists[k, b], 0, V)
                    put_pair_at(efforts[k, b], 0, met)
                    places[s, b, 0], places[s, b, 1] = body.origin.x, body.origin.y
                    places[s, b, 2] = arctangent2(body.rotation.y.x, body.rotation.x.x)
                    swings[s, b, k, 0], swings[s, b, k, 1], swings[s, b, k, 2] = V.linear.x, V.linear.y, V.angular.z
        for k in range(count):
            for i in range(count):
                D[s, k, i] = 0.0
                for b in range(bodies):
                    for c in range(6):
                        D[s, k, i] += twists[k, b, c] * efforts[i, b, c]


@kernel
def chain_balances(
    instant: ChainInstant,
    desk: BalanceScratch,
    postures: Array,
    rates: Array,
    twists: Array,
    spent: Array,
    found: Array,
) -> None:
    """The twist (S, 6) of the base at which forces balance at postures (S, positions) with joint rates (S, freedoms),
    and the power (S,) that the forces take, W; `found` (S,) is 1 where there is a balance. A row of `twists` is where
    the search begins.
    """
    robot, _base, forces, x, memory = unpack(instant)
    scratch = unpack(desk)
    first = LinkRow(robot.links, 0).velocity
    for s in range(postures.shape[0]):
        copy_part(postures[s], 0, x, 7, postures.shape[1])
        copy_part(twists[s], 0, x, first, 6)
        copy_part(rates[s], 0, x, first + 6, rates.shape[1])
        found[s] = 1.0 if balance_chain(robot, forces, 0.0, 0.0, x, scratch, memory) else 0.0
        forward_kinematics(robot, x, memory)
        push_all(forces, 0.0, 0.0, robot, memory)
        spent[s] = 0.0
        for b in range(len(robot.links.codes)):
            if LinkRow(robot.links, b).has_body:
                body = Body(memory.bodies, b)
                spent[s] -= power(body.velocity, body.wrench)
        copy_part(x, first, twists[s], 0, 6)


@kernel
def rod_balances(problem: RodProblem, x: Array, out: Array, twists: Array, spent: Array) -> int:
    """The same of a rod at all instants of its drive: twists (T, 6) and power (T,), W. Returns 0, or 1 + the first
    instant without a balance."""
    rod = unpack(problem)
    for i in range(twists.shape[0]):
        HeadState(x, 0).motion = twist_at(twists[i], 0)
        rod_rate(rod, i, 0.0, 0.0, x, out)
        now = Instant(rod.memory.instant, 0)
        put_pair_at(twists[i], 0, now.twist)
        spent[i] = -now.environment
    return rod.memory.failed[0]
