"""A rod in tables: the robot, what a run remembers, what it keeps.

A node is a section of the rod in the mesh of the quadrature; eight neighbouring nodes side by side stand in lanes ("in
lanes" below).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from limbless.mechanics.algebra import Inertia, Matrix, Quaternion, Twist, Vector, Wrench
from limbless.mechanics.compiled import LANES, Array, IntArray, Rows, Table, constants, table

if TYPE_CHECKING:
    from limbless.mechanics.chain import BalanceScratch
    from limbless.mechanics.forces import LawWrench
    from limbless.mechanics.integrate.running_totals import Totals

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
    """One of the six strains of a section: its passive part, and whether actuators act along it."""

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
    # twist of the head; or momentum of the whole rod about the world origin; see `RodOptions`
    motion: Twist
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


class RodTables(NamedTuple):
    """A rod: what does not change. Panels of three nodes (start, middle, end) share their end nodes; one of no length
    holds a jump."""

    sections: Rows[Section]  # (nodes,)
    octets: Array  # Section (nodes / 8,) in lanes, zero beyond the last node
    halves: Array  # (panels,) half the length of each panel, m
    abscissae: Array  # (nodes,) m
    muscles: Rows[Muscle]  # (6,)
    free: Array  # (6,) 1 where the head can move, 0 where it is held


class RodOptions(NamedTuple):
    """True or None: by type, so that a swimming rod compiles no search for balance."""

    # forces balance at every instant, and the twist in the state is where to begin to look for that
    inertialess: bool | None = None
    # the state holds the momentum of the whole rod about the world origin; else it holds the twist of the head
    momentum: bool | None = None


class Strains(NamedTuple):
    """A gait at T instants: strain and its two rates in time, Screw (T, nodes)."""

    value: Array
    rate: Array
    acceleration: Array


class RodDrive(NamedTuple):
    """The gait at the stage times of a block: knot, middle, knot, ..., knot."""

    strains: Strains
    passive: Array  # (T,) power of passive stiffness and damping, W


class RodScratch(NamedTuple):
    """Where eight instants are computed side by side, in lanes."""

    strains: Rows[StrainRow]  # (3, nodes): value, rate, acceleration
    shapes: Rows[RodShape]  # (nodes,)
    sums: Rows[ShapeSums]  # one row


class RodMemory(NamedTuple):
    """Working memory of one run: what holds at the instant that was evaluated last."""

    desk: RodScratch
    shapes: Rows[RodShape]  # (rows, nodes): instant i of the drive is in row i modulo their number
    sums: Rows[ShapeSums]  # (rows,) and so are its sums
    now: IntArray  # (1,) which instant of the drive it was; -1: none yet
    # (1,) 1 + the first instant at which the motion of the head was not determined; 0: none
    failed: IntArray
    slab: Rows[RodShape]  # (nodes / 8,) in lanes, of this instant
    pushes: Rows[LawWrench]  # (nodes / 8,) in lanes: per length on each node, at a knot
    pokes: Rows[LawWrench]  # (nodes,): at the node alone, at a knot
    # Pushed (nodes / 8,) in lanes: what each node needs from the rest of the body, head frame
    needs: Rows[LawWrench]
    inner: Rows[LawWrench]  # (sections,): what the body before a section needs, head frame
    efforts: Array  # (6 sections,) of each strain of each section
    powers: Array  # (6 sections,) W/m
    instant: Rows[Instant]  # one row
    balance: BalanceScratch  # its matrix is the inertia of the whole, or the slope of the push
    law_powers: Array  # (environments,) W
    tally: Totals
    state: Array  # of the integrator: the state of a stage,
    slope: Array  # its rate,
    total: Array  # and the sum of rates


class RodRecords(NamedTuple):
    """What is kept at recorded instants."""

    x: Array  # HeadState (R,)
    instants: Rows[Instant]  # (R,)
    shapes: Rows[RodShape]  # (R, nodes)
    loads: Rows[Load]  # (R, nodes)
    row: IntArray  # (R,) instant of the drive
    tally: Totals  # (R, ...)


class RodProblem(NamedTuple):
    """Everything that an engine needs to move a rod."""

    robot: RodTables
    forces: tuple  # of the elements of `rod.forces`
    options: RodOptions
    drive: RodDrive
    memory: RodMemory
    records: RodRecords
