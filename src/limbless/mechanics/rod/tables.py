"""A rod in tables: the robot, what a run remembers, what it keeps.

A node is a section of the rod in the mesh of the quadrature; eight neighbouring nodes side by side stand in lanes ("in
lanes" below).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from limbless.mechanics.algebra.lie import Quaternion
from limbless.mechanics.algebra.spatial import Inertia, Twist, Wrench
from limbless.mechanics.algebra.vectors import Matrix, Vector
from limbless.mechanics.compiled.lanes import LANES
from limbless.mechanics.compiled.tables import Table, constants, table

AHEAD = 2 * LANES  # how many instants a run remembers the shapes of: see `Memory.shapes`


@table
class Section(Table):
    """What stands at a node. Inertia is per reference length, along the section's axes, and counts added mass, which
    changes at the surface of water: see `floating`."""

    weight: float  # of the node in the quadrature over the whole rod, m
    share: float  # of the rod's mass
    mass: Vector  # diagonal of M + Ma: linear part, kg/m,
    turn: Vector  # and angular part, kg m


@constants
class Muscle(Table):
    """One of the six strains: its passive part, and whether actuators act along it."""

    stiffness: float
    damping: float
    rest: float  # strain at which the stiffness gives nothing
    acts: float  # 1 where actuated


@table
class StrainRow(Table):
    """Six numbers: a strain (stretch and shears; twist and curvatures), a rate of it in time, or the twist of a
    section."""

    twist: Twist


@table
class RodShape(Table):
    """What the shape decides at a node, in the head frame."""

    rotation: Matrix
    place: Vector
    swing: Twist  # J: twist of the section while the head rests
    surge: Twist  # A: what the strains' rates add to the rate of that twist


@table
class Load(Table):
    """What the environment does to a node, along the section's own axes."""

    push: Wrench  # per unit length
    poke: Wrench  # at the node alone


@table
class ShapeSums(Table):
    """Sums over the rod that the shape decides, in the head frame, about its origin; a rate is one in time with the
    head held."""

    inertia: Inertia  # M_o = ∫ I (19)
    inertia_rate: Inertia
    momentum: Wrench  # S = ∫ I J: of the shape's motion alone
    force: Wrench  # Ṡ = ∫ I A + J x* (I J)
    power: float  # ∫ J . (I A)


@table
class HeadState(Table):
    """The flat state of a rod."""

    position: Vector  # of the head, m
    turn: Quaternion
    motion: Twist  # twist of the head; or momentum of the whole rod about the world origin; see
    # the forms below
    actuators: float  # works, J, as in `chain.tables.Sums`
    environment: float
    passive: float
    impulse: Wrench  # of all that changes the momentum, about the world origin


TURN = np.int64(HeadState.fields["turn"].column)


@table
class Instant(Table):
    """The head at one instant, along its own axes."""

    rotation: Matrix  # pose, in the world
    position: Vector
    twist: Twist
    rate: Twist  # of the components of the twist
    bias: Wrench  # what the inertia takes without that rate, -F_in (21)
    push: Wrench  # of the environment on the whole rod
    hold: Wrench  # what holds the head
    along: float  # power of the push along the swing of the sections, W
    joined: Wrench  # how fast momentum grows by water that joins, at a surface
    joining: float  # half of what that water takes along, W
    actuators: float  # power of the strains' drive, actuators and passive, W
    environment: float  # power of the environment, W
    window_time: float  # time within the step: which windows are open
    pace: float  # what the laws see of all velocities: 1, but on the way to a balance


@table
class InstantRecord(Table):
    twist: Twist
    rate: Twist
    hold: Wrench
    actuators: float
    environment: float


class RodTables(NamedTuple):
    """A rod: what does not change. Panels of three nodes (start, middle, end) share their end nodes; one of no length
    holds a jump."""

    sections: Any  # Section (nodes,)
    octets: Any  # Section (nodes / 8,) in lanes, zero beyond the last node
    halves: Any  # (panels,) half the length of each panel, m
    abscissae: Any  # (nodes,) m
    muscles: Any  # Muscle (6,)
    free: Any  # (6,) 1 where the head can move, 0 where it is held


class VelocityForm(NamedTuple):
    """The state holds the twist of the head."""


class MomentumForm(NamedTuple):
    """The state holds the momentum of the whole rod about the world origin."""


class InertialessForm(NamedTuple):
    """Without inertia: forces balance at every instant, and the twist in the state is where to begin to look for
    that."""


class RodOptions(NamedTuple):
    form: Any  # by type, so that a swimming rod compiles no search for balance


class Strains(NamedTuple):
    """A gait at T instants: strain and its two rates in time, Screw (T, nodes)."""

    value: Any
    rate: Any
    acceleration: Any


class RodDrive(NamedTuple):
    """The gait at the stage times of a block: knot, middle, knot, ..., knot."""

    strains: Strains
    passive: Any  # (T,) power of passive stiffness and damping, W


class RodScratch(NamedTuple):
    """Where eight instants are computed side by side, in lanes."""

    strains: Any  # Screw (3, nodes): value, rate, acceleration
    shapes: Any  # Shape (nodes,)
    sums: Any  # ShapeSums, one row


class RodMemory(NamedTuple):
    """Working memory of one run: what holds at the instant that was evaluated last."""

    desk: RodScratch
    shapes: Any  # Shape (rows, nodes): instant i of the drive is in row i modulo their number,
    sums: Any  # ShapeSums (rows,) and so are its sums
    now: Any  # (1,) which instant of the drive it was; -1: none yet
    failed: Any  # (1,) 1 + the first instant at which the motion of the head was not
    # determined; 0: none
    slab: Any  # Shape (nodes / 8,) in lanes, of this instant
    pushes: Any  # Pushed (nodes / 8,) in lanes: per length on each node, at a knot
    pokes: Any  # Pushed (nodes,): at the node alone, at a knot
    needs: Any  # Pushed (nodes / 8,) in lanes: what each node needs from the rest of the
    # body, head frame
    inner: Any  # Pushed (sections,): what the body before a section needs, head frame
    efforts: Any  # (6 sections,) of each strain of each section
    powers: Any  # (6 sections,) W/m
    instant: Any  # Instant, one row
    matrix: Any  # (6, 6) inertia of the whole, or slope of the push
    system: Any  # (6, 7) for the elimination
    unknown: Any  # (6,) Screw: right side, then answer
    law_powers: Any  # (environments,) W
    tally: Any  # Tally
    state: Any  # of the integrator: the state of a stage,
    slope: Any  # its rate,
    total: Any  # and the sum of rates


class RodRecords(NamedTuple):
    """What is kept at recorded instants."""

    x: Any  # HeadState (R,)
    instants: Any  # InstantRecord (R,)
    shapes: Any  # Shape (R, nodes)
    loads: Any  # Load (R, nodes)
    row: Any  # (R,) instant of the drive
    tally: Any  # Tally (R, ...)


class RodProblem(NamedTuple):
    """Everything that an engine needs to move a rod."""

    robot: RodTables
    forces: tuple  # of the elements of `rod.forces`
    options: RodOptions
    drive: RodDrive
    memory: RodMemory
    records: RodRecords
