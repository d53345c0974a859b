"""How the base of a chain is described: on virtual joints (a chart) or on a group.

    coordinates   speeds   group
    0             0                fixed
    3             3        no      virtual joints PX PY RZ
    3             3        yes     X, Y, yaw with the body twist, SE(2)
    6             6        no      virtual joints PX PY PZ RZ RY RX
    7             6        yes     position, quaternion with the body twist, SE(3)

Coordinates stand first in a state x. Screws are taken at the reference point of `screws`, where the base origin is at
this instant: every rotation axis of the base passes through it.

A chain on its manifold in tables: its screws, and the working memory of one state.
"""

from __future__ import annotations

from typing import NamedTuple

from limbless.mechanics.algebra import (
    Inertia,
    Matrix,
    Twist,
    Vector,
    Wrench,
    product,
    rotation_about,
    rotation_from_quaternion,
    transpose,
    twist_cross,
)
from limbless.mechanics.chain import Body, sliding, turning
from limbless.mechanics.compiled import Array, Rows, Table, func, table


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


class GeometricMemory(NamedTuple):
    """What holds at the state that was evaluated last."""

    bodies: Rows[Body]
    spatial: Rows[Spatial]
    screws: Rows[JointScrew]  # (N,)
    metric: Array  # (N, N)
    bias: Array  # (N,)


class Frame(NamedTuple):
    """One of the five descriptions."""

    coordinates: int  # how many numbers say where the base is,
    speeds: int  # how many how it moves
    # along left-invariant fields, of the body twist; else along virtual joints, which carry each other
    group: bool


UP = Vector(0.0, 0.0, 1.0)


@func
def base_rotation(frame: Frame, x: Array) -> Matrix:
    if frame.speeds == 0:
        return rotation_about(UP, 0.0)
    if frame.speeds == 3:
        return rotation_about(UP, x[2])
    if frame.group:
        return rotation_from_quaternion(x[3], x[4], x[5], x[6])
    pitched = product(rotation_about(UP, x[3]), rotation_about(Vector(0.0, 1.0, 0.0), x[4]))
    return product(pitched, rotation_about(Vector(1.0, 0.0, 0.0), x[5]))


@func
def base_origin(frame: Frame, x: Array) -> Vector:
    return Vector(0.0, 0.0, 0.0) if frame.speeds == 0 else Vector(x[0], x[1], x[2] if frame.speeds == 6 else 0.0)


@func
def put_base_screws(frame: Frame, x: Array, R: Matrix, screws: Rows[JointScrew]) -> None:
    """The screws of the base at the reference point; R is its rotation."""
    if frame.speeds == 0:
        return
    A = transpose(R if frame.group else rotation_about(UP, 0.0))  # its rows are axes of the base or of the world
    JointScrew(screws, 0).twist = sliding(A.x)
    JointScrew(screws, 1).twist = sliding(A.y)
    if frame.speeds == 3:
        JointScrew(screws, 2).twist = turning(A.z)
        return
    JointScrew(screws, 2).twist = sliding(A.z)
    turned = transpose(rotation_about(UP, x[3]))
    JointScrew(screws, 3).twist = turning(A.x if frame.group else A.z)
    JointScrew(screws, 4).twist = turning(A.y if frame.group else turned.y)
    JointScrew(screws, 5).twist = turning(A.z if frame.group else transpose(R).x)


@func
def move_base(frame: Frame, speeds: Array, screws: Rows[JointScrew], zero: Vector) -> tuple[Twist, Twist]:
    """Twist of the base, and the part of its acceleration that velocities make; the rates of its screws."""
    V, A = Twist(zero, zero), Twist(zero, zero)
    for a in range(frame.speeds):
        screw = JointScrew(screws, a)
        screw.rate = twist_cross(V, screw.twist)
        if not frame.group:
            A = A + speeds[a] * screw.rate
        V = V + speeds[a] * screw.twist
    if frame.group:  # the fields move as one
        for a in range(frame.speeds):
            JointScrew(screws, a).rate = twist_cross(V, JointScrew(screws, a).twist)
    return V, A
