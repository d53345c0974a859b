"""The wheels of a step: their rows and loads, how they are coupled, and what their friction does, costs and leaves in
a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from limbless.mechanics.algebra import Wrench, carry_wrench, cholesky_solve, cross, power
from limbless.mechanics.chain import Base, Body, ChainTables, JointScrew, LinkRow, Spatial
from limbless.mechanics.compiled import Array, Rows, Scalar, func, noinline_func
from limbless.mechanics.contact import STATES, ContactRow, Pair, contact_wrench, held_directions, load_of_force

if TYPE_CHECKING:
    from limbless.mechanics.contact import Dense
    from limbless.mechanics.geometry.tables import Geometry, Solver, Touching, WheelRecords
    from limbless.mechanics.integrate.running_totals import Totals


@noinline_func
def put_wheel_rows(robot: ChainTables, nb: int, h: Scalar, geometry: Geometry, touching: Touching) -> None:
    """Loads over the step and Jacobian rows of all wheels that touch."""
    rows, start = touching.rows, Body(geometry.bodies, 0).origin
    for c in range(touching.found[0]):
        contact, k = ContactRow(touching.contact, touching.active[c]), touching.owner[touching.active[c]]
        load_of_force(contact, h)
        arm = Body(geometry.bodies, k).origin + contact.arm - start
        last = nb + LinkRow(robot.links, k).column if k > 0 else nb - 1
        along = contact.tangent
        across = cross(contact.normal, along)
        first, second = Wrench(along, cross(arm, along)), Wrench(across, cross(arm, across))
        for a in range(rows.shape[1]):
            s = JointScrew(geometry.screws, a).twist
            rows[2 * c, a] = power(s, first) if a <= last else 0.0
            rows[2 * c + 1, a] = power(s, second) if a <= last else 0.0


@noinline_func
def couple(clamp_count: int, speeds: Array, change: Array, solver: Solver, touching: Touching, dense: Dense) -> None:
    """D = G M⁻¹ Gᵀ on the free degrees of freedom that a clamp leaves, and the slip γ0 without friction."""
    free, rows, pull, count = solver.free, solver.rows, solver.pull, touching.found[1]
    G, mobility, D, slip = touching.rows, touching.mobility, dense.coupling, dense.slip
    for c in range(2 * touching.found[0]):
        for i in range(count):
            mobility[c, i] = G[c, free[i]]
        cholesky_solve(solver.factor, count, mobility[c])
        if clamp_count > 0:
            for r in range(clamp_count):
                pull[r] = 0.0
                for i in range(count):
                    pull[r] += rows[r, free[i]] * mobility[c, i]
            cholesky_solve(solver.held, clamp_count, pull)
            for r in range(clamp_count):
                for i in range(count):
                    mobility[c, i] -= solver.mobility[r, i] * pull[r]
        slip[c] = 0.0
        for a in range(G.shape[1]):
            slip[c] += G[c, a] * (speeds[a] + change[a])
        for d in range(c + 1):
            total = 0.0
            for i in range(count):
                total += G[d, free[i]] * mobility[c, i]
            D[c, d] = total
            D[d, c] = total


@func
def friction_impulse(contact: ContactRow) -> Pair:
    """T = S ξ of a wheel."""
    return Pair(contact.friction.forward * contact.shear.along, contact.friction.lateral * contact.shear.across)


@noinline_func
def rub(h: Scalar, geometry: Geometry, touching: Touching) -> None:
    """Friction as it was found: on the bodies, in the generalised forces and in the sums."""
    bias, base, spatial = geometry.bias, Base(geometry.base, 0), Spatial(geometry.spatial, 0)
    rows, start, per_step = touching.rows, Body(geometry.bodies, 0).origin, 1.0 / h
    load, total = spatial.load, base.pushed
    for c in range(touching.found[0]):
        i = touching.active[c]
        body, contact = Body(geometry.bodies, touching.owner[i]), ContactRow(touching.contact, i)
        F, impulse = per_step * contact_wrench(contact), friction_impulse(contact)
        body.wrench = body.wrench + F
        F = carry_wrench(F, body.origin - start)
        total, load = total + F, load - F
        for a in range(len(bias)):
            bias[a] -= rows[2 * c, a] * (per_step * impulse.along)
            bias[a] -= rows[2 * c + 1, a] * (per_step * impulse.across)
    spatial.load = load
    base.pushed = total


@noinline_func
def count_contacts(bodies: Rows[Body], touching: Touching, tally: Totals) -> None:
    """Work of every contact along the mean velocity of its body."""
    for c in range(touching.found[0]):
        i = touching.active[c]
        tally.contacts[i] += power(
            Body(bodies, touching.owner[i]).velocity, contact_wrench(ContactRow(touching.contact, i))
        )


@noinline_func
def keep_wheels(bodies: Rows[Body], touching: Touching, kept: WheelRecords, r: int) -> None:
    """Forces (means over the step), places, sticking directions and the largest residual since the record before."""
    for i in range(len(touching.owner)):
        contact = ContactRow(touching.contact, i)
        if contact.load > 0.0:
            force = (contact.given / contact.load) * contact_wrench(contact).force
            at = Body(bodies, touching.owner[i]).origin + contact.arm
            for c in range(3):
                kept.force[r, i, c] = force[c]
                kept.place[r, i, c] = at[c]
            kept.held[r, i] = held_directions(contact)
            kept.state[r, i] = STATES.stick if kept.held[r, i] == 2 else STATES.slip
    kept.residual[r] = touching.counts[2]
    touching.counts[2] = 0.0
