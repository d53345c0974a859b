"""Christoffel symbols and the Coriolis matrix of a chain from its screws and composite inertias (paper 003, (13)-(16))."""
from __future__ import annotations

import numpy as np

from limbless.mechanics.algebra.columns import BODY_ORIGIN, BODY_ROTATION, get_inertia, get_matrix, get_twist, get_vector, get_wrench
from limbless.mechanics.algebra.inertia import Twist, Wrench, power, twist_cross, wrench_cross
from limbless.mechanics.algebra.vectors import Vector
from limbless.mechanics.chain.rows import COLUMN, HAS_BODY
from limbless.mechanics.chain.screws import COMPOSITE, ORIGIN_OF_ALL, PULL, SCREW, SCREW_RATE, TWIST, inertia_of
from limbless.mechanics.compiled.kernel import inline, kernel

AXES = np.array([0, 1, 2, 3, 4, 5])


@kernel
def fill_christoffel(layout, nb, group, work, columns, screws, symbols):
    """Γ_ijk of (13), k lowered, for all i, j, k; with a group base the coefficients of the Koszul formula.

    Every symbol belongs to its largest index m. With the composite inertia K beyond joint m, s its screw,
    P_ab = [s_a, s_b] . K s and Q_ab = s_a . K [s_b, s], the twelve terms of (14)-(16) are three:

        2 Γ_amb = 2 Γ_mab = Q_ab + Q_ba + P_ba      and      2 Γ_abm = P_ab - Q_ab - Q_ba,  a <= b.

    With Q_ab + Q_ba = z_a . s_b, z_a = K [s_a, s] + s x* K s_a, and P_ba = f_a . s_b, f_a = s_a x* K s, the first of them is one
    product for all a, b <= m in any order, Γ_amb = E_ab = ½ (z_a + f_a) . s_b, and the second is Γ_abm = -E_ab, a <= b: the same
    numbers with their last two indices exchanged. On the left-invariant fields of a group base the metric does not change with
    the base pose; their structure constants enter instead, and Γ_abm = -E_ab there in both orders. `screws` (6, N) is scratch.
    """
    count, fields = symbols.shape[0], nb if group else 0
    for b in range(count):                                 # component by component: the innermost loop runs along them
        for c in range(6):
            screws[c, b] = columns[b, SCREW + c]
    for row in range(1, layout.shape[0]):
        fill_for(nb + layout[row, COLUMN], row, work, columns, screws, symbols)
    if group:
        fill_group(nb, columns, symbols)
    else:
        for m in range(min(nb, count)):
            fill_for(m, 0, work, columns, screws, symbols)
    for a in range(count):
        for b in range(a, count):
            for m in range(max(b + 1, fields), count):
                symbols[a, b, m] = -symbols[a, m, b]
    for a in range(count):
        for b in range(a + 1, count):
            if b >= fields:
                for m in range(count):
                    symbols[b, a, m] = symbols[a, b, m]
            else:
                for m in range(fields, count):
                    symbols[b, a, m] = -symbols[b, m, a]


@kernel
def fill_for(m, row, work, columns, screws, symbols):
    """E_ab of the largest index m in symbols[a, m, b], for all a, b <= m."""
    K, s, h = get_inertia(work, row, COMPOSITE), get_twist(columns, m, SCREW), get_wrench(columns, m, PULL)
    for a in range(m + 1):
        sa = get_twist(columns, a, SCREW)
        e = 0.5 * (K @ twist_cross(sa, s) + wrench_cross(s, K @ sa) + wrench_cross(sa, h))
        f, t = e.force, e.torque
        for b in range(m + 1):
            symbols[a, m, b] = (f.x * screws[0, b] + f.y * screws[1, b] + f.z * screws[2, b]
                                + t.x * screws[3, b] + t.y * screws[4, b] + t.z * screws[5, b])


@kernel
def fill_group(nb, columns, symbols):
    """All three indices on a group base: only structure constants, [s_i, s_j] . K s_k - [s_i, s_k] . K s_j - [s_j, s_k] . K s_i."""
    for i in range(nb):
        si = get_twist(columns, i, SCREW)
        for j in range(nb):
            sj = get_twist(columns, j, SCREW)
            for k in range(nb):
                sk = get_twist(columns, k, SCREW)
                symbols[i, j, k] = 0.5 * (power(twist_cross(si, sj), get_wrench(columns, k, PULL))
                                          - power(twist_cross(si, sk), get_wrench(columns, j, PULL))
                                          - power(twist_cross(sj, sk), get_wrench(columns, i, PULL)))


@inline
def one_if(same):
    return 1.0 if same else 0.0


@inline
def unit_twist(c):
    """The c-th of the six unit twists."""
    return Twist(Vector(one_if(c == 0), one_if(c == 1), one_if(c == 2)), Vector(one_if(c == 3), one_if(c == 4), one_if(c == 5)))


@inline
def row_times(B, i, s):
    """Six numbers of B from i on, times a twist."""
    return (B[i] * s.linear.x + B[i + 1] * s.linear.y + B[i + 2] * s.linear.z
            + B[i + 3] * s.angular.x + B[i + 4] * s.angular.y + B[i + 5] * s.angular.z)


@inline
def bent(B, s):
    """B s for a general 6 x 6 matrix in a row of 36 numbers."""
    r = AXES
    return Wrench(Vector(row_times(B, 6 * r[0], s), row_times(B, 6 * r[1], s), row_times(B, 6 * r[2], s)),
                  Vector(row_times(B, 6 * r[3], s), row_times(B, 6 * r[4], s), row_times(B, 6 * r[5], s)))


@kernel
def fill_coriolis(chain, nb, work, columns, beyond, matrix):
    """C_kj = Γ_ijk ẋ^i without the tensor, O(n²): s_k . (K_m ṡ_j + B_m s_j), m the larger of k and j.

    B sums ½ (V x* I - I V x + (.) x* I V) over the bodies beyond: the part of Γ that one rigid body has by itself.
    `beyond` (rows, 36) is scratch.
    """
    links, layout, _ = chain
    start = get_vector(work, ORIGIN_OF_ALL, BODY_ORIGIN)
    for k in range(layout.shape[0] - 1, -1, -1):
        for c in range(36):
            beyond[k, c] = beyond[k + 1, c] if k + 1 < layout.shape[0] else 0.0
        if layout[k, HAS_BODY]:
            V = get_twist(work, k, TWIST)
            I = inertia_of(links, layout, k, get_matrix(work, k, BODY_ROTATION), get_vector(work, k, BODY_ORIGIN) - start)
            momentum = I @ V
            for c in range(6):
                e = unit_twist(AXES[c])
                column = wrench_cross(V, I @ e) - I @ twist_cross(V, e) + wrench_cross(e, momentum)
                for r in range(3):
                    beyond[k, 6 * r + c] += 0.5 * column.force[r]
                    beyond[k, 6 * (r + 3) + c] += 0.5 * column.torque[r]
    for row in range(layout.shape[0]):
        K = get_inertia(work, row, COMPOSITE)
        low, high = (0, nb) if row == 0 else (nb + layout[row, COLUMN], nb + layout[row, COLUMN] + 1)
        for m in range(low, high):
            s, rate = get_twist(columns, m, SCREW), get_twist(columns, m, SCREW_RATE)
            pushed = K @ rate + bent(beyond[row], s)
            for k in range(high if row == 0 else m + 1):
                sk, other = get_twist(columns, k, SCREW), get_twist(columns, k, SCREW_RATE)
                matrix[k, m] = power(sk, pushed)
                matrix[m, k] = power(s, K @ other + bent(beyond[row], sk))
