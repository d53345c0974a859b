"""Friction under given loads on a small dense mobility, for a model that has its metric as a matrix.

    γ = γ0 + D T,    T = proj_E (T - r γ),    D = G M⁻¹ Gᵀ

γ are the slips of all contacts, G their rows, γ0 what they would be without friction. The law is that of `contact_law`;
the impulses are T = S ξ themselves and E an ellipse or a box as they are, because loads do not change here:
coefficients of 0.001 along and 1000 across are as easy as equal ones. Linearised laws T = c + W γ are solved for T, (1
- W D) T = c + W γ0, where only directions that do not slide along a box are unknown. What remains is the natural map |T
- proj_E(T - ρ γ)| / ρ, in m/s.

The ground is rigid. A small compliance only serves as a proximal term, which holds friction near where it was where
more directions stick than the robot has ways to move: friction is not unique there, the motion is. Where Newton's
method does not come to an end, the path of `contact_path` is followed, and it is tried again from every station.
"""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra import gauss_solve
from limbless.mechanics.compiled import Array, IntArray, Rows, Scalar, array_kernel, func, sqrt
from limbless.mechanics.contact.arc_length import follow_arc, start_arc
from limbless.mechanics.contact.contact_law import CONES, along, impulse_of
from limbless.mechanics.contact.ellipse import nearest
from limbless.mechanics.contact.homotopy import Homotopy, HomotopyRow, put_contacts, take_solution
from limbless.mechanics.contact.scene import AffineLaw, ContactRow, Pair


class Limits(NamedTuple):
    """How far and how finely Newton's method is followed."""

    proximal: float = 1e-5  # compliance of the proximal term, times ρ
    plain: int = 15  # iterations
    # of the largest slip: an iteration that gains nothing below has met rounding
    rounding: float = 1e-10


LIMITS = Limits()


class Dense(NamedTuple):
    """The problem and its working memory, C contacts. Direction r = 2 a + side: along (0) and across (1) the a-th
    active contact.
    """

    coupling: Array  # (2C, 2C) D, 1/kg
    slip: Array  # (2C,) γ0, m/s
    matrix: Array  # (2C, 2C + 1)
    unknown: IntArray  # (2C,) integers
    path: Homotopy


@func
def side_of(pair: Pair, side: int) -> Scalar:
    return pair.along if side == 0 else pair.across


@func
def with_side(pair: Pair, side: int, number: Scalar) -> Pair:
    return Pair(number, pair.across) if side == 0 else Pair(pair.along, number)


@func
def slip_of(contacts: Rows[ContactRow], active: IntArray, count: int, dense: Dense, r: int) -> Scalar:
    """γ of direction r at the present impulses."""
    total = dense.slip[r]
    for b in range(count):
        shear = ContactRow(contacts, active[b]).shear
        total += dense.coupling[r, 2 * b] * shear.along
        total += dense.coupling[r, 2 * b + 1] * shear.across
    return total


@func
def bound(contact: ContactRow, side: int, impulse: Scalar) -> Scalar:
    """The most that friction along one side can give, for an impulse of that sign."""
    return contact.load * (along(contact, -impulse) if side == 0 else contact.friction.lateral)


@func
def is_ellipse(contact: ContactRow, a1: Scalar, a2: Scalar) -> bool:
    """Whether the two sides are joined: not in a box, nor where one of them has no friction."""
    return contact.cone != CONES.box and a1 > 0.0 and a2 > 0.0


@array_kernel
def remainder(contacts: Rows[ContactRow], active: IntArray, count: int, dense: Dense, rho: Scalar) -> Scalar:
    """Put the present slips into the contacts; returns the largest natural map (m/s)."""
    worst = 0.0
    for a in range(count):
        contact = ContactRow(contacts, active[a])
        x = contact.shear
        slip = Pair(slip_of(contacts, active, count, dense, 2 * a), slip_of(contacts, active, count, dense, 2 * a + 1))
        contact.slip = slip
        y = x - rho * slip
        a1, a2 = bound(contact, 0, y.along), bound(contact, 1, y.across)
        if is_ellipse(contact, a1, a2):
            at = nearest(a1, a2, y.along, y.across, 0.0)
            d1, d2 = x.along - at.p1, x.across - at.p2
        else:
            d1, d2 = x.along - min(max(y.along, -a1), a1), x.across - min(max(y.across, -a2), a2)
        worst = max(worst, d1 * d1 + d2 * d2)
    return sqrt(worst) / rho


@func
def side_law(before: Scalar, y: Scalar, a: Scalar, e: Scalar) -> tuple[Scalar, Scalar]:
    """T = c + W γ of one side by itself: it sticks near its memory, or gives all that it can. Returns c and W."""
    stick = abs(y) <= a and a > 0.0
    return before if stick else a if y > 0.0 else -a, -1.0 / e if stick else 0.0


@func
def ellipse_law(m: Pair, a1: Scalar, a2: Scalar, y: Pair, e: Scalar, rho: Scalar) -> AffineLaw:
    """T = c + W γ of an ellipse: T = p + J (T - ρ γ - ρ e (T - m) - y), solved for T."""
    at = nearest(a1, a2, y.along, y.across, 0.0)
    k = 1.0 - rho * e
    n11, n12, n22 = 1.0 - k * at.j11, -k * at.j12, 1.0 - k * at.j22
    per = 1.0 / (n11 * n22 - n12 * n12)
    w11, w12 = per * (n22 * at.j11 - n12 * at.j12), per * (n22 * at.j12 - n12 * at.j22)
    w22 = per * (n11 * at.j22 - n12 * at.j12)
    r1, r2 = rho * e * m.along - y.along, rho * e * m.across - y.across
    constant = Pair(
        per * (n22 * at.p1 - n12 * at.p2) + w11 * r1 + w12 * r2, per * (n11 * at.p2 - n12 * at.p1) + w12 * r1 + w22 * r2
    )
    return AffineLaw(constant, Pair(0.0, 0.0), -rho * w11, -rho * w12, -rho * w22)


@array_kernel
def linearise(contacts: Rows[ContactRow], active: IntArray, count: int, e: Scalar, rho: Scalar) -> None:
    """Replace the laws of the active contacts by affine ones at the present impulses and slips."""
    k = 1.0 - rho * e
    for a in range(count):
        contact = ContactRow(contacts, active[a])
        m = contact.shear_before
        y = k * contact.shear + rho * (e * m - contact.slip)
        a1, a2 = bound(contact, 0, y.along), bound(contact, 1, y.across)
        if is_ellipse(contact, a1, a2):
            contact.shear_law = ellipse_law(m, a1, a2, y, e, rho)
        else:
            c1, w1 = side_law(m.along, y.along, a1, e)
            c2, w2 = side_law(m.across, y.across, a2, e)
            contact.shear_law = AffineLaw(Pair(c1, c2), Pair(0.0, 0.0), w1, 0.0, w2)


@func
def own_of(law: AffineLaw, side: int) -> Scalar:
    """W11 or W22."""
    return law.own if side == 0 else law.other


@func
def part(law: AffineLaw, side: int, a: int, dense: Dense, d: int) -> Scalar:
    """(W D)_rd of the direction r = 2 a + side, d a direction; or (W γ0)_r where d is negative."""
    own, r, s = own_of(law, side), 2 * a + side, 2 * a + 1 - side
    if d < 0:
        return own * dense.slip[r] + law.mixed * dense.slip[s]
    return own * dense.coupling[r, d] + law.mixed * dense.coupling[s, d]


@func
def choose(contacts: Rows[ContactRow], active: IntArray, count: int, unknown: IntArray) -> int:
    """All directions whose friction depends on slip are unknown; the others take theirs.
    Returns how many are unknown.
    """
    size = 0
    for a in range(count):
        contact = ContactRow(contacts, active[a])
        law = contact.shear_law
        for side in range(2):
            if own_of(law, side) != 0.0 or law.mixed != 0.0:
                unknown[size] = 2 * a + side
                size += 1
                # so that sums over all directions leave it out
                contact.shear = with_side(contact.shear, side, 0.0)
            else:
                contact.shear = with_side(contact.shear, side, side_of(law.constant, side))
    return size


@array_kernel
def fill(contacts: Rows[ContactRow], active: IntArray, count: int, dense: Dense) -> int:
    """The system of all directions whose friction depends on slip; the others take theirs. Returns its size."""
    matrix, unknown = dense.matrix, dense.unknown
    size = choose(contacts, active, count, unknown)
    for p in range(size):
        a, side = unknown[p] // 2, unknown[p] % 2
        law = ContactRow(contacts, active[a]).shear_law
        right = side_of(law.constant, side) + part(law, side, a, dense, -1)
        for b in range(count):
            for other in range(2):
                ready = side_of(ContactRow(contacts, active[b]).shear, other)
                if ready != 0.0:
                    right += part(law, side, a, dense, 2 * b + other) * ready
        scale = 1.0 / (1.0 + abs(own_of(law, side)) + abs(law.mixed))
        for q in range(size):
            entry = -part(law, side, a, dense, unknown[q])
            matrix[p, q] = scale * (entry + 1.0 if p == q else entry)
        matrix[p, size] = scale * right
    return size


@array_kernel
def iterate(contacts: Rows[ContactRow], active: IntArray, count: int, dense: Dense, e: Scalar, rho: Scalar) -> Scalar:
    """One Newton iteration from the present impulses and slips. Returns what remains (m/s)."""
    linearise(contacts, active, count, e, rho)
    size = fill(contacts, active, count, dense)
    gauss_solve(dense.matrix, size)
    for p in range(size):
        d = dense.unknown[p]
        contact = ContactRow(contacts, active[d // 2])
        contact.shear = with_side(contact.shear, d % 2, dense.matrix[p, size])
    return remainder(contacts, active, count, dense, rho)


@array_kernel
def newton(
    contacts: Rows[ContactRow],
    active: IntArray,
    count: int,
    dense: Dense,
    rho: Scalar,
    tolerance: Scalar,
    worst: Scalar,
) -> tuple[int, Scalar, bool]:
    """Plain iterations. Returns their number, what remains (m/s), and whether that is the tolerance or as little as
    rounding leaves.
    """
    largest = 0.0
    for r in range(2 * count):
        largest = max(largest, abs(dense.slip[r]))
    for n in range(LIMITS.plain):
        # never without an iteration: sticking wheels would creep by what remains
        if worst == 0.0 or (n > 0 and worst <= tolerance):
            return n, worst, True
        remember_shear(contacts, active, count)
        before, worst = worst, iterate(contacts, active, count, dense, LIMITS.proximal / rho, rho)
        if worst > 0.5 * before and max(worst, before) <= LIMITS.rounding * largest:
            return n + 1, worst, True
    return LIMITS.plain, worst, worst <= tolerance


@func
def remember_shear(contacts: Rows[ContactRow], active: IntArray, count: int) -> None:
    """What friction stays near."""
    for a in range(count):
        contact = ContactRow(contacts, active[a])
        contact.shear_before = contact.shear


@func
def to_impulses(contacts: Rows[ContactRow], active: IntArray, count: int) -> None:
    """T = S ξ in place of ξ."""
    for a in range(count):
        contact = ContactRow(contacts, active[a])
        x = contact.shear
        contact.shear = Pair(x.along * along(contact, -x.along), x.across * contact.friction.lateral)


@func
def share_of(contact: ContactRow, side: int, x: Scalar) -> Scalar:
    """The load itself where friction gives all that it can."""
    most = bound(contact, side, x)
    share = min(abs(x) / most, 1.0) if most > 0.0 else 0.0
    return contact.load * (share if x > 0.0 else -share)


@func
def to_shares(contacts: Rows[ContactRow], active: IntArray, count: int) -> None:
    """ξ in place of T."""
    for a in range(count):
        contact = ContactRow(contacts, active[a])
        x = contact.shear
        contact.shear = Pair(share_of(contact, 0, x.along), share_of(contact, 1, x.across))


@array_kernel
def take_path(
    contacts: Rows[ContactRow], active: IntArray, count: int, dense: Dense, rho: Scalar, e: Scalar, tolerance: Scalar
):
    """Follow the path from soft laws to sharp ones, and try Newton's method from each of its stations.

    Returns the number of iterations, what remains (m/s), and whether Newton's method has ended.
    """
    path, iterations = dense.path, 0
    rows = put_contacts(path, contacts, active, count, e, rho)
    for j in range(rows):
        r = 2 * (path.place[j] // 5) + path.place[j] % 5 - 1
        HomotopyRow(path.directions, j).slip = dense.slip[r]
        for i in range(rows):
            path.coupling[j, i] = dense.coupling[r, 2 * (path.place[i] // 5) + path.place[i] % 5 - 1]
    going = start_arc(path, rows, rho)
    while going and follow_arc(path, rows):
        take_solution(path, rows, contacts, active, 5 * count)
        to_impulses(contacts, active, count)
        used, worst, solved = newton(
            contacts, active, count, dense, rho, tolerance, remainder(contacts, active, count, dense, rho)
        )
        iterations += used
        if solved:
            return iterations, worst, True
    take_solution(path, rows, contacts, active, 5 * count)
    to_impulses(contacts, active, count)
    return iterations, remainder(contacts, active, count, dense, rho), False


@array_kernel
def solve_friction(
    contacts: Rows[ContactRow], active: IntArray, count: int, dense: Dense, rho: Scalar, tolerance: Scalar
) -> tuple[int, Scalar]:
    """Friction of all active contacts from the start that they hold. Returns the number of
    iterations and what remains (m/s).
    """
    to_impulses(contacts, active, count)
    for a in range(count):
        contact = ContactRow(contacts, active[a])
        contact.old = impulse_of(contact)
    iterations, worst, solved = newton(
        contacts, active, count, dense, rho, tolerance, remainder(contacts, active, count, dense, rho)
    )
    for weight in (1.0, 1e-4, 1e-8):  # a weaker proximal term where hardly anything can be moved
        if solved:
            break
        for a in range(count):
            contact = ContactRow(contacts, active[a])
            contact.shear = contact.old.shear
        to_shares(contacts, active, count)
        remember_shear(contacts, active, count)
        used, worst, solved = take_path(contacts, active, count, dense, rho, weight * LIMITS.proximal / rho, tolerance)
        iterations += used
    to_shares(contacts, active, count)
    return iterations, worst
