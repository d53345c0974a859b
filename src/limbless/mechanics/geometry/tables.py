"""A chain on its manifold in tables: its screws, and the working memory of one state."""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra import Inertia, Twist, Wrench
from limbless.mechanics.chain import Base, Body
from limbless.mechanics.compiled import Array, IntArray, Rows, Table, table


@table
class JointScrew(Table):
    """One degree of freedom at one instant (base first), along the world axes, at one point for all: see `screws`."""

    twist: Twist  # s: of a unit speed
    rate: Twist  # ṡ = [V, s]
    pull: Wrench  # K s, K the inertia of all that it moves


@table
class Spatial(Table):
    """A body at one instant, along the world axes, at the same point."""

    twist: Twist
    known: Twist  # the part of its acceleration that velocities make
    composite: Inertia  # K: of it and of all beyond
    load: Wrench  # F: what it and all beyond need without accelerations, less what acts on them


class Solver(NamedTuple):
    """Working memory of the dense solution; N degrees of freedom, base first."""

    free: IntArray  # (N,) numbers of the force-given ones
    factor: Array  # (N, N) of their metric
    short: Array  # (N,)
    rows: Array  # (6, N) J of the clamp
    row_rates: Array  # (6,) J̇ ẋ
    target: Array  # (6,) what J times the answer must be
    mobility: Array  # (6, N) M⁻¹ Jᵀ
    held: Array  # (6, 6) factor of J M⁻¹ Jᵀ
    pull: Array  # (6,) λ


class GeometricMemory(NamedTuple):
    """What holds at the state that was evaluated last."""

    bodies: Rows[Body]
    spatial: Rows[Spatial]
    screws: Rows[JointScrew]  # (N,)
    base: Rows[Base]  # one row
    metric: Array  # (N, N)
    bias: Array  # (N,)
    rates: Array  # (N,) accelerations, or changes of the speeds
    forces: Array  # (N,) right-hand side
    effort: Array  # (N,) what acts along each degree of freedom
    solver: Solver
