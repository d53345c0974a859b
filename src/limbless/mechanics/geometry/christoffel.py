"""Christoffel symbols and the Coriolis matrix of a chain from its screws and composite inertias (paper 003, (13)-(16)).

Both are called from Python, after `screws.weigh_state` has left what they need.
"""

from __future__ import annotations

import numpy as np

from limbless.mechanics.algebra import twist_cross, wrench_cross
from limbless.mechanics.chain import ChainTables, LinkRow
from limbless.mechanics.compiled import Array, kernel, noinline_func, unpack
from limbless.mechanics.geometry.base_charts import Frame, GeometricMemory, JointScrew, Spatial


@kernel
def fill_christoffel(
    robot: ChainTables, frame: Frame, memory: GeometricMemory, components: Array, symbols: Array
) -> None:
    """Γ_ijk of (13), k lowered, for all i, j, k; with a group base the coefficients of the Koszul formula, all but
    those of the base alone.

    Every symbol belongs to its largest index m. With the composite inertia K beyond joint m, s its screw,
    P_ab = [s_a, s_b] . K s and Q_ab = s_a . K [s_b, s], the twelve terms of (14)-(16) are three:

        2 Γ_amb = 2 Γ_mab = Q_ab + Q_ba + P_ba      and      2 Γ_abm = P_ab - Q_ab - Q_ba,  a <= b.

    With Q_ab + Q_ba = z_a . s_b, z_a = K [s_a, s] + s x* K s_a, and P_ba = f_a . s_b, f_a = s_a x* K s, the first of
    them is one product for all a, b <= m in any order, Γ_amb = E_ab = ½ (z_a + f_a) . s_b, and the second is Γ_abm =
    -E_ab, a <= b: the same numbers with their last two indices exchanged. On the left-invariant fields of a group base
    the metric does not change with the base pose; their structure constants enter instead, and Γ_abm = -E_ab there in
    both orders. `components` (6, N) are those of the screws.
    """
    tables, base, held = unpack(robot), unpack(frame), unpack(memory)
    parts, out = unpack(components), unpack(symbols)
    for m in range(base.speeds):
        fill_for(m, 0, held, parts, out)
    for row in range(1, len(tables.links.codes)):
        fill_for(base.speeds + LinkRow(tables.links, row).column, row, held, parts, out)
    fields = base.speeds if base.group else 0
    for a in range(out.shape[0]):
        for b in range(a, out.shape[0]):
            for m in range(max(b + 1, fields), out.shape[0]):
                out[a, b, m] = -out[a, m, b]
                out[b, a, m] = -out[b, m, a] if b < fields else out[a, b, m]


@noinline_func
def fill_for(m: int, row: int, memory: GeometricMemory, components: Array, symbols: Array) -> None:
    """E_ab of the largest index m in symbols[a, m, b] and symbols[m, a, b], for all a, b <= m."""
    K, screw, parts = Spatial(memory.spatial, row).composite, JointScrew(memory.screws, m), components
    s, h = screw.twist, screw.pull
    for a in range(m + 1):
        sa = JointScrew(memory.screws, a).twist
        e = 0.5 * (K @ twist_cross(sa, s) + wrench_cross(s, K @ sa) + wrench_cross(sa, h))
        f, t = e.force, e.torque
        for b in range(m + 1):  # the innermost loop runs along the components
            symbols[a, m, b] = (
                f.x * parts[0, b]
                + f.y * parts[1, b]
                + f.z * parts[2, b]
                + t.x * parts[3, b]
                + t.y * parts[4, b]
                + t.z * parts[5, b]
            )
        for b in range(m + 1):
            symbols[m, a, b] = symbols[a, m, b]


def _brackets(V: Array) -> Array:
    """(n, 6, 6): V x of each of n twists."""
    hat = np.cross(V.reshape(-1, 2, 1, 3), np.eye(3)).swapaxes(2, 3)
    return np.block([[hat[:, 1], hat[:, 0]], [np.zeros_like(hat[:, 0]), hat[:, 1]]])


def base_symbols(twist: Array, pull: Array) -> Array:
    """Of the fields of a group only structure constants, [s_i, s_j] . K s_k - [s_i, s_k] . K s_j - [s_j, s_k] . K s_i,
    halved, from screws s (nb, 6) and K s.
    """
    constants = np.einsum("iab,jb,ka->ijk", _brackets(twist), twist, pull)
    return np.asarray(0.5 * (constants - constants.swapaxes(1, 2) - constants.transpose(2, 0, 1)))


def coriolis(memory: GeometricMemory, column_bodies: Array) -> Array:
    """C_kj = Γ_ijk ẋ^i without the tensor, O(n²): s_k . (K_m ṡ_j + B_m s_j), m the larger of k and j.

    B sums ½ (V x* I - I V x + (.) x* I V) over the bodies beyond: the part of Γ that one rigid body has by itself.
    `column_bodies` says which body each degree of freedom carries.
    """
    spatial, screw = Spatial.of(memory.spatial), JointScrew.of(memory.screws)
    blocks = spatial.composite
    square = np.array([[0, 1, 2], [1, 3, 4], [2, 4, 5]])  # a symmetric matrix from its upper triangle
    H = blocks[:, 6:15].reshape(-1, 3, 3)
    K = np.block([[blocks[:, square], H.swapaxes(1, 2)], [H, blocks[:, 15 + square]]])
    own = K - np.concatenate([K[1:], np.zeros((1, 6, 6))])
    V = _brackets(spatial.twist)
    momentum = np.einsum("nab,nb->na", own, spatial.twist).reshape(-1, 2, 3)
    hat = np.cross(momentum[:, :, None], np.eye(3))
    carried = np.block([[np.zeros_like(hat[:, 0]), hat[:, 0]], [hat[:, 0], hat[:, 1]]])
    beyond = np.cumsum(0.5 * (carried - V.swapaxes(1, 2) @ own - own @ V)[::-1], axis=0)[::-1]
    B, s = beyond[column_bodies], screw.twist
    above = s @ (np.einsum("nab,nb->na", K[column_bodies], screw.rate) + np.einsum("nab,nb->na", B, s)).T
    below = screw.pull @ screw.rate.T + np.einsum("nab,na->nb", B, s) @ s.T
    return np.asarray(np.triu(above) + np.tril(below, -1))
