"""The wake of a swimming body: what the water that it leaves behind at its tail does to it (Lighthill 1971; Boyer,
Porez and Leroyer 2010).

Lighthill's force per length is the rate of the momentum P = D W of the water beside a slice, carried along, and the
divergence of G = (W.e1) P - T e1. The first is added mass; G is a flux inside the body, which joints hand on and a
closed nose takes up: of all of it one wrench at the tail's end remains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from limbless.mechanics.algebra import Vector, Wrench, dot, transpose
from limbless.mechanics.compiled import Scalar, constants, func, version_for
from limbless.mechanics.forces import (
    EllipticSection,
    OnAxes,
    RowLaws,
    WithAddedMass,
    about_body,
    law_wrench,
    plain_law,
    scaled,
    segment_motion,
)

if TYPE_CHECKING:
    from limbless.mechanics.chain import Body


@constants
class Wake(EllipticSection, WithAddedMass, OnAxes):
    """The trailing edge of a body, and the section there."""

    turned: bool  # whether `frame` is not 1
    outward: float  # 1 where e1 points out of the body there, else -1
    current: Vector  # of the water, world axes, m/s


WakeLaw = plain_law("WakeLaw", Wake)


@func
def wake_at_edge(wake: Wake, W: Vector, rate: Vector) -> Wrench:
    """Force and moment about the edge, along its axes: (W.t) P - T t and (W.t) c1 w1 e1, with t = ± e1 out of the body
    and T = (W.P + c1 w1²) / 2. Their power in still water is (W.t) T: the energy of the water left behind.
    """
    P, roll = scaled(wake.added, W), wake.added_roll * rate.x
    left, energy = wake.outward * W.x, 0.5 * (dot(W, P) + roll * rate.x)
    o = 0.0 * W.x
    return Wrench(left * P - Vector(wake.outward * energy, o, o), Vector(left * roll, o, o))


@version_for(law_wrench, WakeLaw)
@func
def wake_wrench(kind: Any, wake: Wake, laws: RowLaws, t: Scalar, body: Body) -> Wrench:
    E, velocity, rate = segment_motion(wake, body)
    F = wake_at_edge(wake, velocity - transpose(E) @ wake.current, rate)
    return about_body(wake, E, F.force, F.torque)
