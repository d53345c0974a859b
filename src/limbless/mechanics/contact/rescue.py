"""The contacts of one time step, solved: iterations of `contact_solver`, and what is tried where they do not end.

1. Newton's method from the guess: one to six iterations, almost always.
2. The same with longer and shorter trial steps, which leave most cycles.
3. Radii of friction frozen: what remains is convex, and Newton's method with an exact line search minimises it; the radii follow.
4. The path of `contact_path`, on the dense coupling of all contacts, which the sweeps give column by column. It also leads to a
   solution where friction is too strong for radii that follow (coefficients from about 0.8 on); 22 contacts take some 50 ms.
"""
from __future__ import annotations

from limbless.mechanics.algebra.blocks import get_block
from limbless.mechanics.algebra.columns import get_twist, get_wrench
from limbless.mechanics.algebra.inertia import power
from limbless.mechanics.chain.row_motion import copy
from limbless.mechanics.chain.rows import COLUMN, GIVEN, HAS_BODY, START
from limbless.mechanics.compiled.kernel import inline, lean_kernel
from limbless.mechanics.contact.law import (
    ACTS,
    FORWARD,
    FROZEN,
    IMPULSE,
    LOAD,
    LOAD_LAW,
    OLD,
    RATE,
    SHEAR,
    SHEAR_LAW,
    SHIFT,
    TWIST_LAW,
    contact_wrench,
    explicit_impulse,
    put_rates,
)
from limbless.mechanics.contact.path import MINUS, MOST, PLACE, PLUS, SIDE, begin, follow, put_contacts, put_row, take_answer
from limbless.mechanics.contact.solver import MOMENTUM, iterate, measure, spread, sweep_through

PLAIN, SOON, BURSTS, SHORT, LONG = 6, 20, 100, 5, 40


@lean_kernel
def iterate_again(base, layout, work, contact, owner, active, count, step, e, rho, frozen):
    """`iterate` where it is seldom needed: compiled once."""
    return iterate(base, layout, work, contact, owner, active, count, step, e, rho, frozen)


@lean_kernel
def measure_again(contact, owner, active, count, twist, e, rho):
    """`measure` of given impulses, where it is seldom needed: compiled once."""
    return measure(contact, owner, active, count, twist, e, rho, False)


@lean_kernel
def keep(contact, active, count, velocity, twist, velocity_before, twist_before):
    """Remember this iterate."""
    copy(velocity, velocity_before)
    for k in range(twist.shape[0]):
        for c in range(6):
            twist_before[k, c] = twist[k, c]
    for a in range(count):
        for c in range(IMPULSE):
            contact[active[a], OLD + c] = contact[active[a], LOAD + c]


@lean_kernel
def retreat(contact, active, count, share, velocity, twist, velocity_before, twist_before):
    """Move `share` of the way from the remembered iterate to this one. Both satisfy the dynamics, and so does every point between."""
    for c in range(velocity.shape[0]):
        velocity[c] = velocity_before[c] + share * (velocity[c] - velocity_before[c])
    for k in range(twist.shape[0]):
        for c in range(6):
            twist[k, c] = twist_before[k, c] + share * (twist[k, c] - twist_before[k, c])
    for a in range(count):
        i = active[a]
        for c in range(IMPULSE):
            contact[i, LOAD + c] = contact[i, OLD + c] + share * (contact[i, LOAD + c] - contact[i, OLD + c])


@lean_kernel
def slope_along(layout, contact, owner, active, count, step, e, share, straight, curve):
    """du . F(u + share du): derivative of the convex function with frozen radii along the step from the remembered iterate.

    `straight` and `curve` are what bodies and joints contribute, which is linear in `share`; only contact laws are asked again.
    """
    total = straight + share * curve
    before, after = step.twist_before, step.twist
    for a in range(count):
        i = active[a]
        k = owner[i]
        u0, u1 = get_twist(before, k, START), get_twist(after, k, START)
        du = u1 + (-1.0) * u0
        put_rates(contact, i, u0 + share * du)
        load, x1, x2, r1, r2 = explicit_impulse(contact, i, e)
        put_impulse(contact, i, load, x1, x2, r1, r2)
        total -= power(du, contact_wrench(contact, i))
    return total


@inline
def put_impulse(contact, i, load, x1, x2, r1, r2):
    contact[i, LOAD], contact[i, LOAD + 1], contact[i, LOAD + 2], contact[i, LOAD + 3], contact[i, LOAD + 4] = load, x1, x2, r1, r2


@lean_kernel
def body_slope(layout, step):
    """What bodies and joints contribute to du . F at the remembered iterate, and its growth along du."""
    straight, curve = 0.0, 0.0
    for k in range(layout.shape[0]):
        if layout[k, HAS_BODY]:
            I, f = get_block(step.blocks, k, START), get_wrench(step.blocks, k, MOMENTUM)
            u0 = get_twist(step.twist_before, k, START)
            du = get_twist(step.twist, k, START) + (-1.0) * u0
            straight += power(du, I @ u0) - power(du, f)
            curve += power(du, I @ du)
        if k > 0 and not layout[k, GIVEN]:
            v = layout[k, COLUMN]
            dq = step.velocity[6 + v] - step.velocity_before[6 + v]
            straight += dq * (step.resist[v] * step.velocity_before[6 + v] - step.effort[v])
            curve += dq * step.resist[v] * dq
    return straight, curve


@lean_kernel
def search(layout, contact, owner, active, count, step, e):
    """Share of the Newton step at which the slope of the convex function has all but vanished, by false position; 1 if it still falls."""
    straight, curve = body_slope(layout, step)
    high, above = 1.0, slope_along(layout, contact, owner, active, count, step, e, 1.0, straight, curve)
    if above <= 0.0:
        return 1.0
    low, below = 0.0, slope_along(layout, contact, owner, active, count, step, e, 0.0, straight, curve)
    enough = 0.05 * abs(below)
    share = 1.0
    for _ in range(30):
        width = high - low
        share = min(max(low - below * width / (above - below), low + 0.05 * width), high - 0.05 * width)
        slope = slope_along(layout, contact, owner, active, count, step, e, share, straight, curve)
        if abs(slope) <= enough:
            break
        if slope > 0.0:
            high, above = share, slope
        else:
            low, below = share, slope
    return share


@lean_kernel
def minimise(base, layout, work, contact, owner, active, count, step, e, rho, tolerance, most):
    """With frozen radii: Newton's method with an exact line search on a convex function. Returns the number of iterations."""
    for n in range(most):
        keep(contact, active, count, step.velocity, step.twist, step.velocity_before, step.twist_before)
        iterate_again(base, layout, work, contact, owner, active, count, step, e, rho, True)
        change = 0.0
        for c in range(step.velocity.shape[0]):
            change = max(change, abs(step.velocity[c] - step.velocity_before[c]))
        share = search(layout, contact, owner, active, count, step, e)
        retreat(contact, active, count, share, step.velocity, step.twist, step.velocity_before, step.twist_before)
        for a in range(count):
            i = active[a]
            put_rates(contact, i, get_twist(step.twist, owner[i], START))
            load, x1, x2, r1, r2 = explicit_impulse(contact, i, e)
            put_impulse(contact, i, load, x1, x2, r1, r2)
        if change < 0.1 * tolerance:
            return n + 1
    return most


@lean_kernel
def try_plain(base, layout, work, contact, owner, active, count, step, e, rho, trial, tolerance):
    """A few plain iterations with trial steps of length `trial`. Returns their number and the natural map, which belongs to `rho`."""
    worst = 1e300
    for n in range(PLAIN):
        worst = iterate_again(base, layout, work, contact, owner, active, count, step, e, trial, False)
        if worst < tolerance:
            if trial != rho:
                worst = measure_again(contact, owner, active, count, step.twist, e, rho)
            if worst < tolerance:
                return n + 1, worst
    return PLAIN, max(worst, tolerance)


@lean_kernel
def fallback(base, layout, work, contact, owner, active, count, step, e, rho, tolerance, first, last):
    """Where Newton's method cycles: freeze the radii of friction, minimise the then convex function, let the radii follow, try again."""
    iterations, worst = 0, 1e300
    if first == 0:
        for a in range(count):
            contact[active[a], FROZEN] = max(contact[active[a], LOAD], 0.0)
    for burst in range(first, last):
        share = 1.0 if burst < 30 else 0.5 if burst < 60 else 0.2
        most = SHORT if burst < 10 else LONG              # radii that are not right yet deserve no exact answer
        iterations += minimise(base, layout, work, contact, owner, active, count, step, e, rho, tolerance, most)
        for a in range(count):
            i = active[a]
            contact[i, FROZEN] += share * (max(contact[i, LOAD], 0.0) - contact[i, FROZEN])
        keep(contact, active, count, step.velocity, step.twist, step.velocity_before, step.twist_before)
        trial = rho if burst % 2 == 0 else 0.3 * rho if burst % 4 == 1 else 0.1 * rho
        used, worst = try_plain(base, layout, work, contact, owner, active, count, step, e, rho, trial, tolerance)
        iterations += used
        if worst < tolerance:
            return iterations, worst
        retreat(contact, active, count, 0.0, step.velocity, step.twist, step.velocity_before, step.twist_before)
        worst = measure_again(contact, owner, active, count, step.twist, e, rho)
    return iterations, worst


@inline
def put_joints(layout, step, place, rows):
    """Rows of dry friction in the joints, as forces at an arm: m/s in place of rad/s. Returns the number of all rows."""
    if step.grip.shape[0] == 0:
        return rows
    e, r, arm = step.dry[0], step.dry[1], step.dry[2]
    for k in range(1, layout.shape[0]):
        v = layout[k, COLUMN]
        step.resist[v], step.effort[v] = step.free[v, 0], step.free[v, 1]
        if step.grip[v] > 0.0 and not layout[k, GIVEN]:
            rows = put_row(step.path, rows, SIDE, place + v, -1, step.grip[v] / arm, 1.0, 1.0, e * arm * arm, step.held[v] / arm,
                           r / (arm * arm))
    return rows


@inline
def push(contact, active, step, place, joints, size):
    """Add an impulse of that size at a row: as a linearised law that depends on nothing, or as the effort of a joint."""
    if place >= joints:
        step.effort[place - joints] += step.dry[2] * size
        return
    i, c = active[place // 5], place % 5
    if c == 0:
        contact[i, LOAD_LAW] += size
    elif c < 3:
        contact[i, SHEAR_LAW + c - 1] += size
    else:
        contact[i, TWIST_LAW + c - 3] += size


@inline
def read_velocities(contact, owner, active, count, step, joints, rows):
    """Velocities of all rows, into `path.velocity`."""
    for a in range(count):
        put_rates(contact, active[a], get_twist(step.twist, owner[active[a]], START))
    for j in range(rows):
        place = step.path.where[j, PLACE]
        if place >= joints:
            step.path.velocity[j] = step.dry[2] * step.velocity[6 + place - joints]
        else:
            step.path.velocity[j] = contact[active[place // 5], RATE + place % 5]


@lean_kernel
def couple(base, layout, work, contact, owner, active, count, step, rho, rows):
    """γ0 and D of the rows: the velocities without impulses, and what an impulse at each row adds to them."""
    path, joints = step.path, 5 * count
    for a in range(count):
        i = active[a]
        contact[i, ACTS], contact[i, LOAD_LAW], contact[i, LOAD_LAW + 1] = 1.0, 0.0, 0.0
        contact[i, SHEAR] = -1.0 if contact[i, FORWARD] > 0.0 else 1.0               # decides which of the two coefficients acts
        for c in range(14):
            contact[i, SHEAR_LAW + c] = 0.0
    sweep_through(base, layout, work, contact, owner, active, count, step)
    read_velocities(contact, owner, active, count, step, joints, rows)
    for j in range(rows):
        path.slip[j] = path.velocity[j]
    for i in range(rows):
        place, scale = path.where[i, PLACE], path.law[i, PLUS] if path.law[i, PLUS] > 0.0 else path.law[i, MINUS]
        push(contact, active, step, place, joints, rho / scale)
        sweep_through(base, layout, work, contact, owner, active, count, step)
        read_velocities(contact, owner, active, count, step, joints, rows)
        push(contact, active, step, place, joints, -rho / scale)
        for j in range(rows):
            path.coupling[j, i] = (path.velocity[j] - path.slip[j]) / rho
    for j in range(rows):
        if path.where[j, PLACE] < joints and path.where[j, PLACE] % 5 == 0:
            path.slip[j] += contact[active[path.where[j, PLACE] // 5], SHIFT]


@inline
def take_joints(step, joints, rows):
    """Impulses and rates of joints with dry friction at the present place of the path."""
    for j in range(rows):
        v = step.path.where[j, PLACE] - joints
        if v >= 0:
            step.rub[v], step.velocity[6 + v] = step.dry[2] * step.path.answer[j], step.path.velocity[j] / step.dry[2]


@lean_kernel
def take_path(base, layout, work, contact, owner, active, count, step, e, rho, tolerance):
    """Follow the path, and try plain iterations from each of its stations. Returns their number and the natural map."""
    iterations, worst = 0, 1e300
    if count > MOST:
        return iterations, worst
    path, joints = step.path, 5 * count
    rows = put_joints(layout, step, joints, put_contacts(path, contact, active, count, e, rho))
    couple(base, layout, work, contact, owner, active, count, step, rho, rows)
    going = begin(path, rows, rho)
    while going and worst >= tolerance:
        going = follow(path, rows)
        take_answer(path, rows, contact, active, joints)
        take_joints(step, joints, rows)
        used, worst = try_plain(base, layout, work, contact, owner, active, count, step, e, rho, rho, tolerance)
        iterations += used
    return iterations, worst


@lean_kernel
def rescue(base, layout, work, contact, owner, active, count, step, e, rho, tolerance):
    """What is tried when plain iterations have not converged.

    Returns the number of iterations, the natural map, and whether more than trial steps of another length was needed.
    """
    iterations, worst = 0, 1e300
    for stretch in (3.0, 0.3):
        used, worst = try_plain(base, layout, work, contact, owner, active, count, step, e, rho, stretch * rho, tolerance)
        iterations += used
        if worst < tolerance:
            return iterations, worst, False
    used, worst = fallback(base, layout, work, contact, owner, active, count, step, e, rho, tolerance, 0, SOON)
    iterations += used
    if worst >= tolerance:
        keep(contact, active, count, step.velocity, step.twist, step.velocity_before, step.twist_before)
        used, found = take_path(base, layout, work, contact, owner, active, count, step, e, rho, tolerance)
        iterations += used
        if found < tolerance:
            return iterations, found, True
        retreat(contact, active, count, 0.0, step.velocity, step.twist, step.velocity_before, step.twist_before)
        used, worst = fallback(base, layout, work, contact, owner, active, count, step, e, rho, tolerance, SOON, BURSTS)
        iterations += used
    return iterations, worst, True


@inline
def solve_contacts(base, layout, work, contact, owner, active, count, step, e, rho, tolerance):
    """Solve the step from the guess in `step.velocity` and in the impulses of `contact`.

    Returns the number of iterations, the natural map (m/s) and whether the fallback was used.
    """
    spread(layout, work, step.effort, step.sweep, False, step.velocity, step.twist)
    for a in range(count):
        put_rates(contact, active[a], get_twist(step.twist, owner[active[a]], START))
    iterations, worst, fell = 0, 2.0 * tolerance, False
    while iterations < PLAIN and worst >= tolerance:
        worst = iterate(base, layout, work, contact, owner, active, count, step, e, rho, False)
        iterations += 1
    if worst >= tolerance:
        more, worst, fell = rescue(base, layout, work, contact, owner, active, count, step, e, rho, tolerance)
        iterations += more
    return iterations, worst, fell
