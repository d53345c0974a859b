"""A clamped module put back exactly where its clamp holds it: the base follows, since the joints say where it is from there.

Integration keeps the module still to the order of the method; without this the rest would add up.
"""
from __future__ import annotations

from limbless.mechanics.algebra.columns import (
    BODY_ORIGIN,
    BODY_ROTATION,
    get_matrix,
    get_twist,
    get_vector,
    put_quaternion_at,
    quaternion_at,
    vector_at,
)
from limbless.mechanics.algebra.inertia import Twist
from limbless.mechanics.algebra.lie import normalised, quaternion_exp, quaternion_product, rotation_log
from limbless.mechanics.algebra.vectors import dot, product, rotation_from_quaternion, transpose
from limbless.mechanics.chain.screws import (
    FIRST,
    HALF,
    ORIGIN_OF_ALL,
    PLANAR_CHART,
    PLANAR_GROUP,
    SCREW,
    SPACE_CHART,
    SPACE_GROUP,
    TWIST,
    place,
)
from limbless.mechanics.compiled.kernel import inline, kernel


@kernel
def add_to_base(base, nb, columns, S, speeds):
    """Speeds of the base that make the twist S (at the reference point), added: Σ s_a δ_a = S, as far as the base can."""
    if base == PLANAR_CHART or base == PLANAR_GROUP:
        for a in range(2):
            speeds[a] += dot(get_twist(columns, a, SCREW).linear, S.linear)
        speeds[2] += dot(get_twist(columns, 2, SCREW).angular, S.angular)
    else:
        for a in range(3):
            speeds[a] += dot(get_twist(columns, a, SCREW).linear, S.linear)
        x, y, z = get_twist(columns, 3, SCREW).angular, get_twist(columns, 4, SCREW).angular, get_twist(columns, 5, SCREW).angular
        slant = dot(x, z)                                  # not zero for the virtual joints: RZ and RX are not at right angles
        first, last = dot(x, S.angular), dot(z, S.angular)
        speeds[3] += (first - slant * last) / (1.0 - slant * slant)
        speeds[4] += dot(y, S.angular)
        speeds[5] += (last - slant * first) / (1.0 - slant * slant)


@inline
def shift_base(base, home, columns, step, c):
    """Move the base by a small twist `step` (m, rad) at its own origin."""
    if base == SPACE_GROUP:
        c[0], c[1], c[2] = vector_at(c, FIRST) + step.linear
        put_quaternion_at(c, HALF, normalised(quaternion_product(quaternion_exp(step.angular), quaternion_at(c, HALF))))
    else:
        h = quaternion_at(home, HALF)
        along = transpose(rotation_from_quaternion(h.w, h.x, h.y, h.z)) @ step.linear
        c[0], c[1] = c[0] + along.x, c[1] + along.y
        if base == SPACE_CHART:
            c[2] += along.z
            turns = c[:6].copy()
            add_to_base(base, 6, columns, Twist(0.0 * step.linear, step.angular), turns)
            c[3], c[4], c[5] = turns[3], turns[4], turns[5]
        else:
            c[2] += dot(get_twist(columns, 2, SCREW).angular, step.angular)


@kernel
def reseat(chain, frame, clamped, home, seat, c, speeds, work, columns):
    """Move the base so that body `clamped` has the pose `seat` (position, quaternion) and no velocity."""
    base, nb = frame.base, frame.speeds
    for _ in range(2):                                     # the second time removes what the first, linear, left: nothing but rounding
        place(chain, base, nb, home, c, speeds, work, columns)
        start = get_vector(work, ORIGIN_OF_ALL, BODY_ORIGIN)
        origin, R = get_vector(work, clamped, BODY_ORIGIN), get_matrix(work, clamped, BODY_ROTATION)
        q = quaternion_at(seat, HALF)
        E = product(rotation_from_quaternion(q.w, q.x, q.y, q.z), transpose(R))
        step = Twist(vector_at(seat, FIRST) + E @ (start - origin) - start, rotation_log(E))
        shift_base(base, home, columns, step, c)
    place(chain, base, nb, home, c, speeds, work, columns)
    add_to_base(base, nb, columns, -1.0 * get_twist(work, clamped, TWIST), speeds)
