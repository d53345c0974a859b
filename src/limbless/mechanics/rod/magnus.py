"""The continuous body (paper 000): its shape on SE(3) by a fourth-order Magnus step, all else as quadratures in the
head frame.

With h(X) the pose of section X in the head frame, a section's twist η, its rate η̇ and a wrench Λ are carried to the
head frame as u = Ad_h η, a = Ad_h η̇ and L = Ad_h⁻ᵀ Λ. The ordinary differential equations along X then become plain
integrals:

    u = η_o + J,   J' = s = Ad_h ξ̇                                        (7)
    a = η̇_o + ad_{η_o} J + A,   A' = Ad_h ξ̈ + ad_J s                      (8)
    L' = I a + u x* (I u) - f,   I = Ad_h⁻ᵀ M Ad_h⁻¹, f = Ad_h⁻ᵀ F̄       (13), (24)

J, A and I depend on the shape alone, so that the sums over the rod that its inertia needs (`sums`) do not wait for the
motion of the head. Nodes come in panels of three (start, middle, end; panels share their end nodes); an integral
to the end of a panel is Simpson's, to its middle the one of the same parabola. A panel of no length holds a jump.

Every function takes any scalar: with lanes, eight instants are computed at once (`shapes`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.algebra import (
    Matrix,
    Pose,
    Twist,
    Vector,
    Wrench,
    adjoint,
    carry_wrench,
    compose,
    cross,
    pose_exp,
    transpose,
    twist_cross,
)
from limbless.mechanics.compiled import Array, Rows, Scalar, align_stack, func, generic, kernel, unpack, version_for
from limbless.mechanics.forces import LawWrench
from limbless.mechanics.rod.tables import RodShape, StrainRow


class SectionState(NamedTuple):
    """What is carried along the rod: the pose of a section, J and A."""

    pose: Pose
    swing: Twist
    surge: Twist


@func
def first_half(a: Any, b: Any, c: Any, d: Scalar) -> Any:
    """Integral from the start of a panel to its middle (at d) of the parabola through a, b, c."""
    return (d / 12.0) * (5.0 * a + 8.0 * b + (-1.0) * c)


@func
def second_half(a: Any, b: Any, c: Any, d: Scalar) -> Any:
    """Integral from the middle of a panel to its end."""
    return (d / 12.0) * ((-1.0) * a + 8.0 * b + 5.0 * c)


@func
def magnus_first(a: Twist, b: Twist, c: Twist, d: Scalar) -> Twist:
    """Fourth-order Magnus exponent of g' = g ξ from the start of a panel to its middle: ∫ ξ + d²/12 [ξ0, ξ1]."""
    return first_half(a, b, c, d) + (d * d / 12.0) * twist_cross(a, b)


@func
def magnus_second(a: Twist, b: Twist, c: Twist, d: Scalar) -> Twist:
    return second_half(a, b, c, d) + (d * d / 12.0) * twist_cross(b, c)


@func
def to_section(R: Matrix, p: Vector, V: Twist) -> Twist:
    """Ad_h⁻¹ V: a twist of the head frame in the frame of a section at p, with axes R."""
    Rt = transpose(R)
    return Twist(Rt @ (V.linear + cross(V.angular, p)), Rt @ V.angular)


@func
def to_head(R: Matrix, p: Vector, F: Wrench) -> Wrench:
    """Ad_h⁻ᵀ F: a wrench of a section in the head frame, about its origin; or one of the head in the world."""
    return carry_wrench(Wrench(R @ F.force, R @ F.torque), p)


@func
def from_head(R: Matrix, p: Vector, F: Wrench) -> Wrench:
    """Ad_hᵀ F: the inverse of `to_head`, from the head to a section or from the world to the head."""
    Rt = transpose(R)
    return Wrench(Rt @ F.force, Rt @ (F.torque - cross(p, F.force)))


@func
def put_shape(shape: RodShape, here: SectionState) -> None:
    shape.rotation = here.pose.rotation
    shape.place = here.pose.position
    shape.swing = here.swing
    shape.surge = here.surge


@func
def surge_source(h: Pose, swing: Twist, source: Twist, acceleration: Twist) -> Twist:
    """A' = Ad_h ξ̈ + ad_J s"""
    return adjoint(h, acceleration) + twist_cross(swing, source)


@func
def cross_panel(
    value: Rows[StrainRow], rate: Rows[StrainRow], acceleration: Array, k: int, d: Scalar, here: SectionState
) -> tuple[SectionState, SectionState]:
    """From node k, the start of a panel, to its middle and to its end; value, rate, acceleration of the strain: Screw
    (nodes,)."""
    start, swing, surge = here
    a, b, c = StrainRow(value, k).twist, StrainRow(value, k + 1).twist, StrainRow(value, k + 2).twist
    middle = compose(start, pose_exp(magnus_first(a, b, c, d)))
    end = compose(middle, pose_exp(magnus_second(a, b, c, d)))
    s0, s1 = adjoint(start, StrainRow(rate, k).twist), adjoint(middle, StrainRow(rate, k + 1).twist)
    s2 = adjoint(end, StrainRow(rate, k + 2).twist)
    swing1 = swing + first_half(s0, s1, s2, d)
    swing2 = swing1 + second_half(s0, s1, s2, d)
    b0 = surge_source(start, swing, s0, StrainRow(acceleration, k).twist)
    b1 = surge_source(middle, swing1, s1, StrainRow(acceleration, k + 1).twist)
    b2 = surge_source(end, swing2, s2, StrainRow(acceleration, k + 2).twist)
    surge1 = surge + first_half(b0, b1, b2, d)
    surge2 = surge1 + second_half(b0, b1, b2, d)
    return SectionState(middle, swing1, surge1), SectionState(end, swing2, surge2)


@func
def head_pose(zero: Scalar) -> Pose:
    """The identity, in the scalar of `zero`."""
    one = 1.0 + zero
    axes = Matrix(Vector(one, zero, zero), Vector(zero, one, zero), Vector(zero, zero, one))
    return Pose(axes, Vector(zero, zero, zero))


@kernel
def integrate_shape(
    halves: Array, value: Rows[StrainRow], rate: Array, acceleration: Array, shape: Rows[RodShape]
) -> None:
    """Shape, J and A at every node, from the strain and its two rates in time, Screw (nodes,)."""
    align_stack()
    zero = 0.0 * value[0, 0]
    still = Vector(zero, zero, zero)
    here = SectionState(head_pose(zero), Twist(still, still), Twist(still, still))
    put_shape(RodShape(shape, 0), here)
    for j in range(halves.shape[0]):
        middle, here = cross_panel(value, rate, acceleration, 2 * j, halves[j], here)
        put_shape(RodShape(shape, 2 * j + 1), middle)
        put_shape(RodShape(shape, 2 * j + 2), here)


class BetweenNodes(NamedTuple):
    """Points between nodes, each at the end of a panel of its own that begins at a node."""

    # three Screw (points, 3): strain, rate and acceleration at the node, half way and at the point
    strains: tuple
    halves: NDArray[np.float64]  # (points,) half the length of that panel, m
    nodes: NDArray[np.int64]  # (points,) where it begins
    rows: NDArray[np.int64]  # (points,) the instant: row of the shapes


@kernel
def reach_many(reach: BetweenNodes, shapes: Rows[RodShape], out: Rows[RodShape]) -> None:
    """Pose, J and A at points between nodes; shapes : Shape (T, nodes); out : Shape (points,)."""
    points = unpack(reach)
    values, rates, accelerations = points.strains
    for i in range(points.halves.shape[0]):
        node = RodShape(shapes, points.rows[i], points.nodes[i])
        here = SectionState(Pose(node.rotation, node.place), node.swing, node.surge)
        _, end = cross_panel(values[i], rates[i], accelerations[i], 0 * i, points.halves[i], here)
        put_shape(RodShape(out, i), end)


# -------------------------------------------- twists and wrenches of R records, between the head frame and the sections


class ToSections(NamedTuple):
    """Ad_h⁻¹ of twists that are given in the head frame."""


class ToHead(NamedTuple):
    """Ad_h⁻ᵀ of wrenches along section axes."""


class FromHead(NamedTuple):
    """Ad_hᵀ of wrenches about the head: the inverse of `ToHead`."""


@generic
def carry(
    way: FromHead | ToHead | ToSections,
    shape: RodShape,
    pairs: Rows[LawWrench] | Rows[StrainRow],
    out: Rows[LawWrench] | Rows[StrainRow],
    r: int,
    k: int,
):
    """One pair of vectors, at a node of a record."""


@version_for(carry, ToSections)
@func
def carry_twist_out(
    way: ToSections, shape: RodShape, pairs: Rows[StrainRow], out: Rows[StrainRow], r: int, k: int
) -> None:
    StrainRow(out, r, k).twist = to_section(shape.rotation, shape.place, StrainRow(pairs, r, k).twist)


@version_for(carry, ToHead)
@func
def carry_wrench_in(way: ToHead, shape: RodShape, pairs: Rows[LawWrench], out: Rows[LawWrench], r: int, k: int) -> None:
    LawWrench(out, r, k).wrench = to_head(shape.rotation, shape.place, LawWrench(pairs, r, k).wrench)


@version_for(carry, FromHead)
@func
def carry_wrench_out(
    way: FromHead, shape: RodShape, pairs: Rows[LawWrench], out: Rows[LawWrench], r: int, k: int
) -> None:
    LawWrench(out, r, k).wrench = from_head(shape.rotation, shape.place, LawWrench(pairs, r, k).wrench)


@kernel
def carry_records(
    way: FromHead | ToHead | ToSections, shapes: Rows[RodShape], pairs: Array, out: Rows[StrainRow]
) -> None:
    """Pairs of vectors (R, nodes) carried along a `way`, for Shape (R, nodes)."""
    for r in range(shapes.shape[0]):
        for k in range(shapes.shape[1]):
            carry(way, RodShape(shapes, r, k), pairs, out, r, k)


def adjoint_matrices(shapes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ad_h⁻¹ as matrices (..., 6, 6), of Shape (...,) or of poses (..., 12): head-frame twist -> section twist."""
    Rt = np.swapaxes(RodShape.of(shapes).rotation.reshape(*shapes.shape[:-1], 3, 3), -1, -2)
    x, y, z = np.moveaxis(RodShape.of(shapes).place, -1, 0)
    o = np.zeros_like(x)
    lever = np.stack([np.stack([o, z, -y], -1), np.stack([-z, o, x], -1), np.stack([y, -x, o], -1)], -2)  # -[p]
    out = np.zeros((*shapes.shape[:-1], 6, 6))
    out[..., :3, :3] = out[..., 3:, 3:] = Rt
    out[..., :3, 3:] = Rt @ lever
    return out
