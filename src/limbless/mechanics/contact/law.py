"""The laws of one contact: unilateral, with set-valued friction and rolling friction, at the level of impulses and velocities.

This is the library's one set-valued friction law. It knows neither gaps nor robots: a contact is a row of numbers with a normal, a
tangent, coefficients, an impulse and a velocity. The normal impulse N obeys

    0 <= N  perp  γN + shift + e N >= 0

or is given, as under a wheel: such a load (GIVEN, in N) bounds friction and pushes nothing, since others hold the robot up.
The friction impulse T = S ξ, S = diag(μ1, μ2), lies in an ellipse or a box that grows with N:

    ξ = proj_{|ξ| <= N} (ξ_A - S γT / eT),   eT = e min(μ)²

ξ_A is ξ at the end of the step before: friction is elastic-plastic with the compliance of the ground, so that a contact that sticks
does not creep. The normal-cone law on the ellipse follows as e -> 0; slip is then not antiparallel to friction unless μ1 = μ2.
μ1 differs for slip along +t1 (FORWARD: towards the tip) and -t1 (BACKWARD): the set is then made of two half-ellipses.
Rolling friction is the same law for the velocity radius (n x ω), with a disc of radius μV N.

Stick and slip are read from the impulse: inside the set or on its edge. No speed threshold occurs anywhere.
"""
from __future__ import annotations

import numpy as np

from limbless.mechanics.algebra.blocks import Block, point_block
from limbless.mechanics.algebra.columns import get_vector
from limbless.mechanics.algebra.inertia import Wrench
from limbless.mechanics.algebra.vectors import cross, dot, outer
from limbless.mechanics.compiled.kernel import inline, lean_kernel
from limbless.mechanics.compiled.scalars import sqrt

# Columns of a contact: where it is, its coefficients, its impulse and memory, its velocity, and its linearised law
(ARM, NORMAL, TANGENT, SHIFT, GAP, FORWARD, BACKWARD, LATERAL, ROLLING, RADIUS) = np.array([0, 3, 6, 9, 10, 11, 12, 13, 14, 15])
LOAD, SHEAR, TWIST, SHEAR_BEFORE, TWIST_BEFORE, RATE = np.array([16, 17, 19, 21, 23, 25])
LOAD_LAW, SHEAR_LAW, TWIST_LAW = np.array([30, 32, 39])
FROZEN, GIVEN, BOX, RESTITUTION, OLD, ACTS = np.array([46, 47, 48, 49, 50, 55])       # ACTS: 0 where the linearised law gives nothing
CONTACT_COLUMNS = 56
ROLL_DESCENT = 30.0              # rolling friction is weak and mostly sticks: longer trial steps than for sliding find this sooner
IMPULSE = 5                      # numbers of an impulse: load N, shear ξ (2), twist η (2)
OPEN, STICK, SLIP = np.arange(3)


@inline
def cone_law(box, y1, y2, z, load, slope, m1, m2, eT, rT):
    """Friction as an affine function of the new normal velocity g and scaled slip w: ξ = c + b g + W w (Alart and Curnier, eliminated).

    y is the trial point and z the radius there; `load` + `slope` g is the new radius; m is the memory ξ_A.
    """
    c1, c2, b1, b2, w11, w12, w22 = m1, m2, 0.0, 0.0, -1.0 / eT, 0.0, -1.0 / eT
    if box:
        if abs(y1) > z:
            side = 1.0 if y1 > 0.0 else -1.0
            c1, b1, w11 = side * load, side * slope, 0.0
        if abs(y2) > z:
            side = 1.0 if y2 > 0.0 else -1.0
            c2, b2, w22 = side * load, side * slope, 0.0
        return c1, c2, b1, b2, w11, w12, w22
    length = sqrt(y1 * y1 + y2 * y2)
    if length > z:
        per_length = 1.0 / length
        a1, a2 = per_length * y1, per_length * y2
        k = rT * z / (length - z + rT * eT * z)
        across = k * eT * (a1 * m2 - a2 * m1)              # along t = (-a2, a1)
        c1, c2 = load * a1 - across * a2, load * a2 + across * a1
        b1, b2 = slope * a1, slope * a2
        w11, w12, w22 = -k * a2 * a2, k * a1 * a2, -k * a1 * a1
    return c1, c2, b1, b2, w11, w12, w22


@inline
def project(box, y1, y2, z):
    """Nearest point of the disc (or square) of radius z."""
    if box:
        return min(max(y1, -z), z), min(max(y2, -z), z)
    square = y1 * y1 + y2 * y2
    if square > z * z:
        scale = z / sqrt(square)
        return scale * y1, scale * y2
    return y1, y2


@inline
def along(contact, i, sign):
    """μ along t1 for slip of that sign: friction forward of the slip has the other one."""
    return contact[i, FORWARD] if sign >= 0.0 else contact[i, BACKWARD]


@inline
def stiffness_scales(contact, i):
    """Squares of the smallest and largest coefficient of friction, which scale eT and the step rT."""
    forward, backward, lateral = contact[i, FORWARD], contact[i, BACKWARD], contact[i, LATERAL]
    largest = max(max(forward, backward), lateral)
    smallest = max(min(min(forward, backward), lateral), 0.01 * largest)
    return smallest * smallest, largest * largest


@inline
def trial_load(contact, i, e, rho):
    """N - ρ (γN + shift + e N), or the given load."""
    if contact[i, GIVEN] > 0.0:
        return contact[i, LOAD]
    return contact[i, LOAD] - rho * (contact[i, RATE] + contact[i, SHIFT] + e * contact[i, LOAD])


@inline
def trial_shear(contact, i, eT, rT):
    """ξ - rT (S γT + eT (ξ - ξ_A))"""
    g1, g2, x1, x2 = contact[i, RATE + 1], contact[i, RATE + 2], contact[i, SHEAR], contact[i, SHEAR + 1]
    return (x1 - rT * (along(contact, i, g1) * g1 + eT * (x1 - contact[i, SHEAR_BEFORE])),
            x2 - rT * (contact[i, LATERAL] * g2 + eT * (x2 - contact[i, SHEAR_BEFORE + 1])))


@inline
def trial_twist(contact, i, eT, rT):
    """The same for rolling."""
    mu, x1, x2 = contact[i, ROLLING], contact[i, TWIST], contact[i, TWIST + 1]
    return (x1 - rT * (mu * contact[i, RATE + 3] + eT * (x1 - contact[i, TWIST_BEFORE])),
            x2 - rT * (mu * contact[i, RATE + 4] + eT * (x2 - contact[i, TWIST_BEFORE + 1])))


@inline
def put_law(contact, i, column, law):
    for c in range(7):
        contact[i, column + c] = law[c]


@lean_kernel
def linearise(contact, active, count, e, rho, frozen):
    """Replace the laws of the active contacts by affine ones at the present impulse and velocity.

    `frozen` takes the radii of friction from FROZEN instead of from the load, and the laws as explicit functions of the velocity:
    the equations then belong to a convex function.
    """
    per_e = 1.0 / e
    for a in range(count):
        i = active[a]
        z = trial_load(contact, i, e, per_e if frozen else rho)
        load, slope = -contact[i, SHIFT] * per_e, -per_e
        if contact[i, GIVEN] > 0.0 or z <= 0.0:
            load, slope = 0.0, 0.0
        contact[i, LOAD_LAW], contact[i, LOAD_LAW + 1] = load, slope
        if contact[i, GIVEN] > 0.0:
            load = z
        radius = contact[i, FROZEN] if frozen else z
        contact[i, ACTS] = 1.0 if z > 0.0 or radius > 0.0 else 0.0
        if radius > 0.0:
            if frozen:
                load, slope = radius, 0.0
            linearise_friction(contact, i, e, rho, frozen, radius, load, slope)
        else:
            for c in range(14):
                contact[i, SHEAR_LAW + c] = 0.0


@inline
def linearise_friction(contact, i, e, rho, frozen, z, load, slope):
    """The affine laws of sliding and rolling of a contact of radius z; zero where it has no such friction."""
    none = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    low, high = stiffness_scales(contact, i)
    law = none
    if high > 0.0:
        eT = e * low
        rT = 1.0 / eT if frozen else rho / high
        y1, y2 = trial_shear(contact, i, eT, rT)
        law = cone_law(contact[i, BOX] > 0.0, y1, y2, z, load, slope, contact[i, SHEAR_BEFORE], contact[i, SHEAR_BEFORE + 1], eT, rT)
    put_law(contact, i, SHEAR_LAW, law)
    mu = contact[i, ROLLING]
    law = none
    if mu > 0.0:
        eT = e * (mu * mu)
        rT = 1.0 / eT if frozen else ROLL_DESCENT * rho / (mu * mu)
        y1, y2 = trial_twist(contact, i, eT, rT)
        law = cone_law(False, y1, y2, z, load, slope, contact[i, TWIST_BEFORE], contact[i, TWIST_BEFORE + 1], eT, rT)
    put_law(contact, i, TWIST_LAW, law)


@inline
def law_block(contact, i):
    """-∂(wrench)/∂(twist) and the constant part of the wrench of a linearised contact, about the body's origin."""
    n, t1, arm = get_vector(contact, i, NORMAL), get_vector(contact, i, TANGENT), get_vector(contact, i, ARM)
    t2 = cross(n, t1)
    load, slope = contact[i, LOAD_LAW], contact[i, LOAD_LAW + 1]
    c1, c2, b1, b2 = contact[i, SHEAR_LAW], contact[i, SHEAR_LAW + 1], contact[i, SHEAR_LAW + 2], contact[i, SHEAR_LAW + 3]
    w11, w12, w22 = contact[i, SHEAR_LAW + 4], contact[i, SHEAR_LAW + 5], contact[i, SHEAR_LAW + 6]
    slip, push = along(contact, i, contact[i, RATE + 1]), along(contact, i, -contact[i, SHEAR])
    side = contact[i, LATERAL]
    force = load * n + push * c1 * t1 + side * c2 * t2
    Q = outer(-slope * n - push * b1 * t1 - side * b2 * t2, n)
    Q = Q + outer(t1, -push * w11 * slip * t1 - push * w12 * side * t2) + outer(t2, -side * w12 * slip * t1 - side * w22 * side * t2)
    I = point_block(Q, arm)
    torque = cross(arm, force)
    scale = contact[i, ROLLING] * contact[i, RADIUS]
    if scale > 0.0:                                        # torque = scale (-η1 t2 + η2 t1), rates scale (-t2.ω, t1.ω)
        j = TWIST_LAW
        torque = torque + scale * (contact[i, j + 1] * t1 - contact[i, j] * t2)
        lean = scale * (contact[i, j + 3] * t1 - contact[i, j + 2] * t2)
        s11, s12, s22 = scale * scale * contact[i, j + 4], scale * scale * contact[i, j + 5], scale * scale * contact[i, j + 6]
        Z = outer(t2, s11 * t2 - s12 * t1) + outer(t1, s22 * t1 - s12 * t2)
        I = Block(I.A, I.B, I.C - outer(lean, n), I.D - Z - outer(lean, cross(arm, n)))
    return I, Wrench(force, torque)


@inline
def contact_wrench(contact, i):
    """The impulse of a contact on its body, about the body's origin, world axes."""
    n, t1, arm = get_vector(contact, i, NORMAL), get_vector(contact, i, TANGENT), get_vector(contact, i, ARM)
    t2 = cross(n, t1)
    x1, push = contact[i, SHEAR], 0.0 if contact[i, GIVEN] > 0.0 else contact[i, LOAD]
    force = push * n + along(contact, i, -x1) * x1 * t1 + contact[i, LATERAL] * contact[i, SHEAR + 1] * t2
    scale = contact[i, ROLLING] * contact[i, RADIUS]
    return Wrench(force, cross(arm, force) + scale * (contact[i, TWIST + 1] * t1 - contact[i, TWIST] * t2))


@inline
def put_rates(contact, i, u):
    """Normal, tangential and rolling velocity of a contact whose body has the twist u (15)-(33)."""
    n, t1 = get_vector(contact, i, NORMAL), get_vector(contact, i, TANGENT)
    t2 = cross(n, t1)
    v = u.linear + cross(u.angular, get_vector(contact, i, ARM))
    contact[i, RATE], contact[i, RATE + 1], contact[i, RATE + 2] = dot(n, v), dot(t1, v), dot(t2, v)
    contact[i, RATE + 3], contact[i, RATE + 4] = -contact[i, RADIUS] * dot(t2, u.angular), contact[i, RADIUS] * dot(t1, u.angular)


@inline
def put_answer(contact, i):
    """The impulse that the linearised law gives at the present velocity."""
    if contact[i, ACTS] <= 0.0:
        for c in range(IMPULSE):
            contact[i, LOAD + c] = 0.0
        return
    g = contact[i, RATE]
    slip = along(contact, i, contact[i, RATE + 1])
    if contact[i, GIVEN] <= 0.0:
        contact[i, LOAD] = contact[i, LOAD_LAW] + contact[i, LOAD_LAW + 1] * g
    w1, w2 = slip * contact[i, RATE + 1], contact[i, LATERAL] * contact[i, RATE + 2]
    put_affine(contact, i, SHEAR_LAW, SHEAR, g, w1, w2)
    put_affine(contact, i, TWIST_LAW, TWIST, g, contact[i, ROLLING] * contact[i, RATE + 3], contact[i, ROLLING] * contact[i, RATE + 4])


@inline
def put_affine(contact, i, law, target, g, w1, w2):
    contact[i, target] = contact[i, law] + contact[i, law + 2] * g + contact[i, law + 4] * w1 + contact[i, law + 5] * w2
    contact[i, target + 1] = contact[i, law + 1] + contact[i, law + 3] * g + contact[i, law + 5] * w1 + contact[i, law + 6] * w2


@inline
def is_at_rest(contact, i):
    """Whether a contact has no impulse at all, as open ones do."""
    return (contact[i, LOAD] == 0.0 and contact[i, SHEAR] == 0.0 and contact[i, SHEAR + 1] == 0.0 and contact[i, TWIST] == 0.0
            and contact[i, TWIST + 1] == 0.0)


@inline
def mismatch(contact, i, e, rho, per_rho):
    """Natural map of one contact in m/s: how far impulse and velocity are from obeying the law. Its squares summed, and the largest.

    `per_rho` is 1/ρ.
    """
    z = trial_load(contact, i, e, rho)
    if z <= 0.0 and is_at_rest(contact, i):
        return 0.0, 0.0
    normal = 0.0 if contact[i, GIVEN] > 0.0 else (contact[i, LOAD] - max(z, 0.0)) * per_rho
    z = max(z, 0.0)
    total = normal * normal
    worst = total
    low, high = stiffness_scales(contact, i)
    if high > 0.0:
        y1, y2 = trial_shear(contact, i, e * low, rho / high)
        p1, p2 = project(contact[i, BOX] > 0.0, y1, y2, z)
        mu1, mu2, scale = along(contact, i, contact[i, RATE + 1]), contact[i, LATERAL], high * per_rho
        d1 = (contact[i, SHEAR] - p1) * scale / mu1 if mu1 > 0.0 else 0.0
        d2 = (contact[i, SHEAR + 1] - p2) * scale / mu2 if mu2 > 0.0 else 0.0
        square = d1 * d1 + d2 * d2
        total += square
        worst = max(worst, square)
    mu = contact[i, ROLLING]
    if mu > 0.0:
        y1, y2 = trial_twist(contact, i, e * mu * mu, rho / (mu * mu))
        p1, p2 = project(False, y1, y2, z)
        d1, d2 = (contact[i, TWIST] - p1) * (mu * per_rho), (contact[i, TWIST + 1] - p2) * (mu * per_rho)
        square = d1 * d1 + d2 * d2
        total += square
        worst = max(worst, square)
    return total, worst


@inline
def explicit_impulse(contact, i, e):
    """Load, shear and twist as functions of the velocity alone, with the radii in FROZEN."""
    load = max(trial_load(contact, i, e, 1.0 / e), 0.0)
    z = contact[i, FROZEN]
    x1, x2, r1, r2 = 0.0, 0.0, 0.0, 0.0
    low, high = stiffness_scales(contact, i)
    if high > 0.0:
        y1, y2 = trial_shear(contact, i, e * low, 1.0 / (e * low))
        x1, x2 = project(contact[i, BOX] > 0.0, y1, y2, z)
    mu = contact[i, ROLLING]
    if mu > 0.0:
        y1, y2 = trial_twist(contact, i, e * mu * mu, 1.0 / (e * mu * mu))
        r1, r2 = project(False, y1, y2, z)
    return load, x1, x2, r1, r2


@inline
def press(contact, i, h):
    """The load of a given force over a step of h seconds; what friction remembers is a share of the load."""
    load, before = h * contact[i, GIVEN], contact[i, LOAD]
    share = load / before if before > 0.0 else 0.0
    contact[i, LOAD] = load
    for c in range(2):
        contact[i, SHEAR + c], contact[i, SHEAR_BEFORE + c] = share * contact[i, SHEAR + c], share * contact[i, SHEAR_BEFORE + c]


@inline
def held_directions(contact, i):
    """In how many directions friction holds: its impulse lies inside the set. The sides of a box count one by one."""
    if contact[i, BOX] <= 0.0:
        return 2 if state_of(contact, i) == STICK else 0
    z, held = contact[i, LOAD], 0
    for c in range(2):
        if abs(contact[i, SHEAR + c]) < z:
            held += 1
    return held


@inline
def state_of(contact, i):
    """OPEN, STICK (impulse inside the set) or SLIP (on its edge)."""
    z = contact[i, LOAD]
    if z <= 0.0:
        return OPEN
    x1, x2 = contact[i, SHEAR], contact[i, SHEAR + 1]
    edge = max(abs(x1), abs(x2)) if contact[i, BOX] > 0.0 else sqrt(x1 * x1 + x2 * x2)
    _, high = stiffness_scales(contact, i)
    return SLIP if high <= 0.0 or edge >= z * (1.0 - 1e-9) else STICK
