"""Christoffel symbols and the Coriolis matrix of a chain from its screws and composite inertias (paper 003, (13)-(16)).

Both are called from Python, after `screws.weigh` has left what they need.
"""

from __future__ import annotations

from typing import Any

from limbless.mechanics.algebra import Twist, Vector, Wrench, power, twist_cross, wrench_cross
from limbless.mechanics.chain import Body, ChainTables, LinkRow
from limbless.mechanics.compiled import Array, Rows, Scalar, func, generic, kernel, noinline_func, unpack, version_for
from limbless.mechanics.geometry.base_charts import (
    FixedBase,
    GeometricMemory,
    JointScrew,
    PlanarChart,
    PlanarGroup,
    SpaceChart,
    SpaceGroup,
    Spatial,
)
from limbless.mechanics.geometry.screws import inertia_of


@kernel
def fill_christoffel(
    robot: ChainTables, frame: PlanarChart, memory: GeometricMemory, components: Array, symbols: Array
) -> None:
    """Γ_ijk of (13), k lowered, for all i, j, k; with a group base the coefficients of the Koszul formula.

    Every symbol belongs to its largest index m. With the composite inertia K beyond joint m, s its screw,
    P_ab = [s_a, s_b] . K s and Q_ab = s_a . K [s_b, s], the twelve terms of (14)-(16) are three:

        2 Γ_amb = 2 Γ_mab = Q_ab + Q_ba + P_ba      and      2 Γ_abm = P_ab - Q_ab - Q_ba,  a <= b.

    With Q_ab + Q_ba = z_a . s_b, z_a = K [s_a, s] + s x* K s_a, and P_ba = f_a . s_b, f_a = s_a x* K s, the first of
    them is one product for all a, b <= m in any order, Γ_amb = E_ab = ½ (z_a + f_a) . s_b, and the second is Γ_abm =
    -E_ab, a <= b: the same numbers with their last two indices exchanged. On the left-invariant fields of a group base
    the metric does not change with the base pose; their structure constants enter instead, and Γ_abm = -E_ab there in
    both orders. `components` (6, N) is memory.
    """
    tables, held, parts, out = unpack(robot), unpack(memory), unpack(components), unpack(symbols)
    count, nb = out.shape[0], frame.speeds
    for b in range(count):  # component by component: the innermost loop runs along them
        s = JointScrew(held.screws, b).twist
        for c in range(3):
            parts[c, b] = s.linear[c]
            parts[3 + c, b] = s.angular[c]
    for row in range(1, len(tables.links.codes)):
        fill_for(nb + LinkRow(tables.links, row).column, row, held, parts, out)
    fields = fill_base(frame, held, parts, out)
    exchange(fields, out)


@noinline_func
def exchange(fields: int, symbols: Array) -> None:
    """Γ_abm of a largest index m from Γ_amb, and both orders of the first two indices; the first
    `fields` are those of a group.
    """
    count = symbols.shape[0]
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


@noinline_func
def fill_for(m: int, row: int, memory: GeometricMemory, components: Array, symbols: Array) -> None:
    """E_ab of the largest index m in symbols[a, m, b], for all a, b <= m."""
    K, screw, parts = Spatial(memory.spatial, row).composite, JointScrew(memory.screws, m), components
    s, h = screw.twist, screw.pull
    for a in range(m + 1):
        sa = JointScrew(memory.screws, a).twist
        e = 0.5 * (K @ twist_cross(sa, s) + wrench_cross(s, K @ sa) + wrench_cross(sa, h))
        f, t = e.force, e.torque
        for b in range(m + 1):
            symbols[a, m, b] = (
                f.x * parts[0, b]
                + f.y * parts[1, b]
                + f.z * parts[2, b]
                + t.x * parts[3, b]
                + t.y * parts[4, b]
                + t.z * parts[5, b]
            )


@generic
def fill_base(frame: Any, memory: GeometricMemory, components: Array, symbols: Array) -> int:
    """All symbols whose largest index is the base's. Returns how many fields of a group there are."""


@version_for(fill_base, FixedBase, PlanarChart, SpaceChart)
@func
def fill_chart(
    frame: FixedBase | PlanarChart | SpaceChart, memory: GeometricMemory, components: Array, symbols: Array
) -> int:
    for m in range(frame.speeds):
        fill_for(m, 0, memory, components, symbols)
    return 0


@version_for(fill_base, PlanarGroup, SpaceGroup)
@func
def fill_group(frame: PlanarGroup | SpaceGroup, memory: GeometricMemory, components: Array, symbols: Array):
    """Only structure constants, [s_i, s_j] . K s_k - [s_i, s_k] . K s_j - [s_j, s_k] . K s_i."""
    for i in range(frame.speeds):
        first = JointScrew(memory.screws, i)
        for j in range(frame.speeds):
            second = JointScrew(memory.screws, j)
            for k in range(frame.speeds):
                third = JointScrew(memory.screws, k)
                symbols[i, j, k] = 0.5 * (
                    power(twist_cross(first.twist, second.twist), third.pull)
                    - power(twist_cross(first.twist, third.twist), second.pull)
                    - power(twist_cross(second.twist, third.twist), first.pull)
                )
    return frame.speeds


@func
def one_if(same: bool) -> Scalar:
    return 1.0 if same else 0.0


@func
def unit_twist(c: int) -> Twist:
    """The c-th of the six unit twists."""
    return Twist(
        Vector(one_if(c == 0), one_if(c == 1), one_if(c == 2)), Vector(one_if(c == 3), one_if(c == 4), one_if(c == 5))
    )


@func
def row_times(B: Array, i: int, s: Twist) -> Scalar:
    """Six numbers of B from i on, times a twist."""
    return (
        B[i] * s.linear.x
        + B[i + 1] * s.linear.y
        + B[i + 2] * s.linear.z
        + B[i + 3] * s.angular.x
        + B[i + 4] * s.angular.y
        + B[i + 5] * s.angular.z
    )


@func
def bent(B: Array, i: int, s: Twist) -> Wrench:
    """B s for a general 6 x 6 matrix in the 36 numbers from i on."""
    force = Vector(row_times(B, i, s), row_times(B, i + 6, s), row_times(B, i + 12, s))
    return Wrench(force, Vector(row_times(B, i + 18, s), row_times(B, i + 24, s), row_times(B, i + 30, s)))


@func
def put_beyond(links: Rows[LinkRow], memory: GeometricMemory, beyond: Array) -> None:
    """B of all bodies from each row on."""
    start, last = Body(memory.bodies, 0).origin, len(links.codes) - 1
    for k in range(last, -1, -1):
        link, body = LinkRow(links, k), Body(memory.bodies, k)
        for c in range(36):
            beyond[36 * k + c] = beyond[36 * (k + 1) + c] if k < last else 0.0
        if link.has_body:
            V = Spatial(memory.spatial, k).twist
            I = inertia_of(link, body.rotation, body.origin - start)
            momentum = I @ V
            for c in range(6):
                e = unit_twist(c)
                column = wrench_cross(V, I @ e) - I @ twist_cross(V, e) + wrench_cross(e, momentum)
                for r in range(3):
                    beyond[36 * k + 6 * r + c] += 0.5 * column.force[r]
                    beyond[36 * k + 6 * (r + 3) + c] += 0.5 * column.torque[r]


@kernel
def fill_coriolis(
    robot: ChainTables, frame: PlanarChart, memory: GeometricMemory, beyond: Array, matrix: Array
) -> None:
    """C_kj = Γ_ijk ẋ^i without the tensor, O(n²): s_k . (K_m ṡ_j + B_m s_j), m the larger of k and j.

    B sums ½ (V x* I - I V x + (.) x* I V) over the bodies beyond: the part of Γ that one rigid body has by itself.
    `beyond` (36 rows,) is memory.
    """
    tables, held, B, out = unpack(robot), unpack(memory), unpack(beyond), unpack(matrix)
    links, nb, screws = tables.links, frame.speeds, held.screws
    put_beyond(links, held, B)
    for row in range(len(links.codes)):
        K, a = Spatial(held.spatial, row).composite, nb + LinkRow(links, row).column
        low, high = (0, nb) if row == 0 else (a, a + 1)
        for m in range(low, high):
            screw = JointScrew(screws, m)
            pushed = K @ screw.rate + bent(B, 36 * row, screw.twist)
            for k in range(high if row == 0 else m + 1):
                other = JointScrew(screws, k)
                out[k, m] = power(other.twist, pushed)
                out[m, k] = power(screw.twist, K @ other.rate + bent(B, 36 * row, other.twist))
