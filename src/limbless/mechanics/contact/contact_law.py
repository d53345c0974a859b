"""The laws of one contact: unilateral, with set-valued friction and rolling friction, at the level of impulses and
velocities.

This is the library's one set-valued friction law. It knows neither gaps nor robots: a `ContactRow` is a row of numbers
with a normal, a tangent, coefficients, an impulse and a velocity. The normal impulse N obeys

    0 <= N  perp  γN + shift + e N >= 0

or is given, as under a wheel: such a load (`given`, in N) bounds friction and pushes nothing, since others hold the
robot up. The friction impulse T = S ξ, S = diag(μ1, μ2), lies in an ellipse or a box that grows with N:

    ξ = proj_{|ξ| <= N} (ξ_A - S γT / eT),   eT = e min(μ)²

ξ_A is ξ at the end of the step before: friction is elastic-plastic with the compliance of the ground, so that a contact
that sticks does not creep. The normal-cone law on the ellipse follows as e -> 0; slip is then not antiparallel to
friction unless μ1 = μ2. In the `weighted` law (Hu 2009; Alben 2013) the set is the same ellipse, and ξ itself opposes
the slip, T = -N S γT / |γT|: γT stands in the place of S γT. It has no potential: friction is not the force of largest
power unless μ1 = μ2. μ1 differs for slip along +t1 (`forward`: towards the tip) and
-t1 (`backward`): the set is then made of two half-ellipses. Rolling friction is the same law for the velocity radius
(n x ω), with a disc of radius μV N.

Stick and slip are read from the impulse: inside the set or on its edge. No speed threshold occurs anywhere.
"""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra import Matrix, Matrix6, Twist, Vector, Wrench, cross, dot, outer, point_matrix6
from limbless.mechanics.compiled import IntArray, Rows, Scalar, func, kernel, sqrt
from limbless.mechanics.contact.scene import AffineLaw, AffineLoad, ContactRow, Equation, Impulse, Pair


class States(NamedTuple):
    """What a contact does."""

    open: int = 0
    stick: int = 1
    slip: int = 2


class Cones(NamedTuple):
    """The set of a contact's friction."""

    ellipse: int = 0
    box: int = 1
    weighted: int = 2


STATES, CONES = States(), Cones()


@func
def cone_law(box: bool, y: Pair, z: Scalar, line: AffineLoad, m: Pair, eT: Scalar, rT: Scalar) -> AffineLaw:
    """Friction as an affine function of the new normal velocity g and scaled slip w: ξ = c + b g + W w (Alart and
    Curnier, eliminated).

    y is the trial point and z the radius there; `line` is the new radius as a function of g; m is the memory ξ_A.
    """
    c1, c2, b1, b2, w11, w12, w22 = m.along, m.across, 0.0, 0.0, -1.0 / eT, 0.0, -1.0 / eT
    if box:
        if abs(y.along) > z:
            side = 1.0 if y.along > 0.0 else -1.0
            c1, b1, w11 = side * line.constant, side * line.slope, 0.0
        if abs(y.across) > z:
            side = 1.0 if y.across > 0.0 else -1.0
            c2, b2, w22 = side * line.constant, side * line.slope, 0.0
        return AffineLaw(Pair(c1, c2), Pair(b1, b2), w11, w12, w22)
    length = sqrt(y.along * y.along + y.across * y.across)
    if length > z:
        per_length = 1.0 / length
        a1, a2 = per_length * y.along, per_length * y.across
        k = rT * z / (length - z + rT * eT * z)
        turned = k * eT * (a1 * m.across - a2 * m.along)  # along t = (-a2, a1)
        c1, c2 = line.constant * a1 - turned * a2, line.constant * a2 + turned * a1
        b1, b2 = line.slope * a1, line.slope * a2
        w11, w12, w22 = -k * a2 * a2, k * a1 * a2, -k * a1 * a1
    return AffineLaw(Pair(c1, c2), Pair(b1, b2), w11, w12, w22)


@func
def no_law() -> AffineLaw:
    return AffineLaw(Pair(0.0, 0.0), Pair(0.0, 0.0), 0.0, 0.0, 0.0)


@func
def no_impulse() -> Impulse:
    return Impulse(0.0, Pair(0.0, 0.0), Pair(0.0, 0.0))


@func
def project(box: bool, y: Pair, z: Scalar) -> Pair:
    """Nearest point of the disc (or square) of radius z."""
    if box:
        return Pair(min(max(y.along, -z), z), min(max(y.across, -z), z))
    square = y.along * y.along + y.across * y.across
    return (z / sqrt(square) if square > z * z else 1.0) * y


@func
def along(contact: ContactRow, sign: Scalar) -> Scalar:
    """μ along t1 for slip of that sign: friction forward of the slip has the other one."""
    return contact.friction.forward if sign >= 0.0 else contact.friction.backward


@func
def stiffness_scales(contact: ContactRow) -> tuple[Scalar, Scalar]:
    """Squares of the smallest and largest coefficient of friction, which scale eT and the step rT."""
    forward, backward, lateral, _ = contact.friction
    largest = max(max(forward, backward), lateral)
    smallest = max(min(min(forward, backward), lateral), 0.01 * largest)
    return smallest * smallest, largest * largest


@func
def own_ground(contact: ContactRow) -> tuple[Scalar, Scalar]:
    """How firm the ground is under a contact, and one over it."""
    return (contact.firm, contact.ease) if contact.firm > 0.0 else (1.0, 1.0)


@func
def trial_load(contact: ContactRow, e: Scalar, rho: Scalar) -> Scalar:
    """N - ρ (γN + shift + e N), or the given load."""
    if contact.given > 0.0:
        return contact.load
    return contact.load - rho * (contact.approach + contact.shift + e * contact.load)


@func
def in_box(contact: ContactRow) -> bool:
    return contact.cone == CONES.box


@func
def slip_scales(contact: ContactRow) -> Pair:
    """S of the slip in the law of friction: the coefficients, or for weighted friction one number for both."""
    if contact.cone == CONES.weighted:
        low, _ = stiffness_scales(contact)
        return Pair(sqrt(low), sqrt(low))
    return Pair(along(contact, contact.slip.along), contact.friction.lateral)


@func
def scaled_slip(contact: ContactRow) -> Pair:
    """S γT"""
    scales = slip_scales(contact)
    return Pair(scales.along * contact.slip.along, scales.across * contact.slip.across)


@func
def trial(x: Pair, before: Pair, w: Pair, eT: Scalar, rT: Scalar) -> Pair:
    """x - rT (w + eT (x - before))"""
    return x - rT * (w + eT * (x - before))


@func
def trial_shear(contact: ContactRow, eT: Scalar, rT: Scalar) -> Pair:
    return trial(contact.shear, contact.shear_before, scaled_slip(contact), eT, rT)


@func
def trial_twist(contact: ContactRow, eT: Scalar, rT: Scalar) -> Pair:
    """The same for rolling."""
    return trial(contact.twist, contact.twist_before, contact.friction.rolling * contact.roll, eT, rT)


@kernel
def linearise(
    contacts: Rows[ContactRow], active: IntArray, count: int, e: Scalar, rho: Scalar, roll: Scalar, held: Scalar
) -> None:
    """Replace the laws of the active contacts by affine ones at the present impulse and velocity.

    Trial steps of rolling friction are `roll` times as long as those of sliding.
    `held` (1 or 0) takes the frozen radii of friction instead of the load, and the laws as explicit functions of the
    velocity: the equations then belong to a convex function.
    """
    all_e, frozen = 1.0 / e, held > 0.0
    for a in range(count):
        contact = ContactRow(contacts, active[a])
        firm, ease = own_ground(contact)
        own_e, per_e, own_rho = ease * e, firm * all_e, firm * rho
        z = trial_load(contact, own_e, per_e if frozen else own_rho)
        line = AffineLoad(-contact.shift * per_e, -per_e)
        if contact.given > 0.0 or z <= 0.0:
            line = AffineLoad(0.0, 0.0)
        contact.load_law = line
        if contact.given > 0.0:
            line = AffineLoad(z, line.slope)
        radius = contact.frozen if frozen else z
        contact.acts = 1.0 if z > 0.0 or radius > 0.0 else 0.0
        if radius > 0.0:
            if frozen:
                line = AffineLoad(radius, 0.0)
            linearise_friction(contact, own_e, own_rho, roll, frozen, radius, line)
        else:
            contact.shear_law = no_law()
            contact.twist_law = no_law()


@func
def linearise_friction(
    contact: ContactRow, e: Scalar, rho: Scalar, roll: Scalar, frozen: bool, z: Scalar, line: AffineLoad
) -> None:
    """The affine laws of sliding and rolling of a contact of radius z; zero where it has no such friction."""
    low, high = stiffness_scales(contact)
    law = no_law()
    if high > 0.0:
        eT = e * low
        rT = 1.0 / eT if frozen else rho / high
        y = trial_shear(contact, eT, rT)
        law = cone_law(in_box(contact), y, z, line, contact.shear_before, eT, rT)
        contact.shear = project(in_box(contact), y, z)  # its sign decides which coefficient acts along the body
    contact.shear_law = law
    mu = contact.friction.rolling
    law = no_law()
    if mu > 0.0:
        eT = e * (mu * mu)
        rT = 1.0 / eT if frozen else roll * rho / (mu * mu)
        law = cone_law(False, trial_twist(contact, eT, rT), z, line, contact.twist_before, eT, rT)
    contact.twist_law = law


@func
def law_point(contact: ContactRow) -> tuple[Matrix, Vector]:
    """Q and f of a linearised contact at its own place: force = f - Q v, v the velocity there."""
    n, t1 = contact.normal, contact.tangent
    t2 = cross(n, t1)
    load, law = contact.load_law, contact.shear_law
    scales, push, side = slip_scales(contact), along(contact, -contact.shear.along), contact.friction.lateral
    force = load.constant * n + push * law.constant.along * t1 + side * law.constant.across * t2
    Q = outer(-load.slope * n - push * law.lean.along * t1 - side * law.lean.across * t2, n)
    Q = (
        Q
        + outer(t1, -push * law.own * scales.along * t1 - push * law.mixed * scales.across * t2)
        + outer(t2, -side * law.mixed * scales.along * t1 - side * law.other * scales.across * t2)
    )
    return Q, force


@func
def roll_scale(contact: ContactRow) -> Scalar:
    """What turns scaled rolling into couples; 0: the contact rolls freely."""
    return contact.friction.rolling * contact.radius


@func
def law_roll(contact: ContactRow, scale: Scalar) -> tuple[Vector, Matrix, Vector]:
    """Its rolling friction, couple = constant - lean (n . v) - Z ω with the rotation rate ω: lean, Z and the constant,
    from torque = scale (-η1 t2 + η2 t1) and rates scale (-t2.ω, t1.ω).
    """
    n, t1, law = contact.normal, contact.tangent, contact.twist_law
    t2 = cross(n, t1)
    lean = -scale * (law.lean.across * t1 - law.lean.along * t2)
    s11, s12, s22 = scale * scale * law.own, scale * scale * law.mixed, scale * scale * law.other
    Z = outer(t2, s12 * t1 - s11 * t2) + outer(t1, s12 * t2 - s22 * t1)
    return lean, Z, scale * (law.constant.across * t1 - law.constant.along * t2)


@func
def law_matrix6(contact: ContactRow) -> Equation:
    """-∂(wrench)/∂(twist) and the constant part of the wrench of a linearised contact, about its body's origin."""
    Q, force = law_point(contact)
    arm = contact.arm
    I, torque, scale = point_matrix6(Q, arm), cross(arm, force), roll_scale(contact)
    if scale > 0.0:
        lean, Z, couple = law_roll(contact, scale)
        torque, n = torque + couple, contact.normal
        I = Matrix6(I.A, I.B, I.C + outer(lean, n), I.D + Z + outer(lean, cross(arm, n)))
    return Equation(I, Wrench(force, torque))


@func
def contact_wrench(contact: ContactRow) -> Wrench:
    """The impulse of a contact on its body, about the body's origin, world axes."""
    n, t1, arm = contact.normal, contact.tangent, contact.arm
    t2 = cross(n, t1)
    x, push = contact.shear, 0.0 if contact.given > 0.0 else contact.load
    force = push * n + along(contact, -x.along) * x.along * t1 + contact.friction.lateral * x.across * t2
    couple = roll_scale(contact) * (contact.twist.across * t1 - contact.twist.along * t2)
    return Wrench(force, cross(arm, force) + couple)


@func
def put_rates(contact: ContactRow, u: Twist) -> None:
    """Normal, tangential and rolling velocity of a contact whose body has the twist u (15)-(33)."""
    n, t1 = contact.normal, contact.tangent
    t2 = cross(n, t1)
    v = u.linear + cross(u.angular, contact.arm)
    contact.approach = dot(n, v)
    contact.slip = Pair(dot(t1, v), dot(t2, v))
    contact.roll = Pair(-contact.radius * dot(t2, u.angular), contact.radius * dot(t1, u.angular))


@func
def put_impulse(contact: ContactRow, impulse: Impulse) -> None:
    contact.load = impulse.load
    contact.shear = impulse.shear
    contact.twist = impulse.twist


@func
def impulse_of(contact: ContactRow) -> Impulse:
    return Impulse(contact.load, contact.shear, contact.twist)


@func
def put_law_impulse(contact: ContactRow) -> None:
    """The impulse that the linearised law gives at the present velocity."""
    if contact.acts <= 0.0:
        put_impulse(contact, no_impulse())
        return
    g = contact.approach
    if contact.given <= 0.0:
        contact.load = contact.load_law.constant + contact.load_law.slope * g
    contact.shear = affine(contact.shear_law, g, scaled_slip(contact))
    contact.twist = affine(contact.twist_law, g, contact.friction.rolling * contact.roll)


@func
def affine(law: AffineLaw, g: Scalar, w: Pair) -> Pair:
    return Pair(
        law.constant.along + law.lean.along * g + law.own * w.along + law.mixed * w.across,
        law.constant.across + law.lean.across * g + law.mixed * w.along + law.other * w.across,
    )


@func
def is_at_rest(contact: ContactRow) -> bool:
    """Whether a contact has no impulse at all, as open ones do."""
    return (
        contact.load == 0.0
        and contact.shear.along == 0.0
        and contact.shear.across == 0.0
        and contact.twist.along == 0.0
        and contact.twist.across == 0.0
    )


@func
def natural_map(contact: ContactRow, e: Scalar, rho: Scalar, per_rho: Scalar) -> Scalar:
    """Natural map of one contact, (m/s)²: how far impulse and velocity are from obeying the law, by the part that is
    farthest.

    `per_rho` is 1/ρ; all three are those of ground that is as firm for all.
    """
    firm, ease = own_ground(contact)
    e, rho, per_rho = ease * e, firm * rho, ease * per_rho
    z = trial_load(contact, e, rho)
    if z <= 0.0 and is_at_rest(contact):
        return 0.0
    normal = 0.0 if contact.given > 0.0 else (contact.load - max(z, 0.0)) * per_rho
    z = max(z, 0.0)
    worst = normal * normal
    low, high = stiffness_scales(contact)
    if high > 0.0:
        off = contact.shear - project(in_box(contact), trial_shear(contact, e * low, rho / high), z)
        scales, scale = slip_scales(contact), high * per_rho
        d1 = off.along * scale / scales.along if scales.along > 0.0 else 0.0
        d2 = off.across * scale / scales.across if scales.across > 0.0 else 0.0
        worst = max(worst, d1 * d1 + d2 * d2)
    mu = contact.friction.rolling
    if mu > 0.0:
        off = (mu * per_rho) * (contact.twist - project(False, trial_twist(contact, e * mu * mu, rho / (mu * mu)), z))
        worst = max(worst, off.along * off.along + off.across * off.across)
    return worst


@func
def explicit_impulse(contact: ContactRow, e: Scalar) -> Impulse:
    """Load, shear and twist as functions of the velocity alone, with the frozen radius."""
    _, ease = own_ground(contact)
    e = ease * e
    load = max(trial_load(contact, e, 1.0 / e), 0.0)
    z = contact.frozen
    shear, twist = Pair(0.0, 0.0), Pair(0.0, 0.0)
    low, high = stiffness_scales(contact)
    if high > 0.0:
        shear = project(in_box(contact), trial_shear(contact, e * low, 1.0 / (e * low)), z)
    mu = contact.friction.rolling
    if mu > 0.0:
        twist = project(False, trial_twist(contact, e * mu * mu, 1.0 / (e * mu * mu)), z)
    return Impulse(load, shear, twist)


@func
def load_of_force(contact: ContactRow, h: Scalar) -> None:
    """The load of a given force over a step of h seconds; what friction remembers is a share of the load."""
    load, before = h * contact.given, contact.load
    share = load / before if before > 0.0 else 0.0
    contact.load = load
    contact.shear = share * contact.shear
    contact.shear_before = share * contact.shear_before


@func
def held_directions(contact: ContactRow) -> int:
    """In how many directions friction holds: its impulse lies inside the set. The sides of a box count one by one."""
    if not in_box(contact):
        return 2 if state_of(contact) == STATES.stick else 0
    return (1 if abs(contact.shear.along) < contact.load else 0) + (
        1 if abs(contact.shear.across) < contact.load else 0
    )


@func
def state_of(contact: ContactRow) -> int:
    """Open, stick (impulse inside the set) or slip (on its edge)."""
    z = contact.load
    if z <= 0.0:
        return STATES.open
    x1, x2 = contact.shear
    edge = max(abs(x1), abs(x2)) if in_box(contact) else sqrt(x1 * x1 + x2 * x2)
    _, high = stiffness_scales(contact)
    return STATES.slip if high <= 0.0 or edge >= z * (1.0 - 1e-9) else STATES.stick
