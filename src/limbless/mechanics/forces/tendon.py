"""Tendons through the disks of a spine: straight from hole to hole, so that each chord crosses one cell.

By virtual work a tension T along a chord of length ℓ acts along the freedoms of its cell alone, with -T ∂ℓ/∂q: the
slope of the chord is u · (J_linear + J_angular x arm), u its direction, J what a freedom does to the outer disk.
"""
from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.algebra.vectors import Vector, cross, dot
from limbless.mechanics.chain.cell import Column, Pull
from limbless.mechanics.chain.tables import Body
from limbless.mechanics.compiled.generic import version_for
from limbless.mechanics.compiled.kernel import inline, lean_pass
from limbless.mechanics.compiled.scalars import sqrt
from limbless.mechanics.compiled.tables import Table, constants, table
from limbless.mechanics.forces.element import push, spend_power


@constants
class Chord(Table):
    """A tendon from its hole in one disk to that in the next."""

    inner: Vector                         # in the inner disk, m
    outer: Vector                         # in the outer one
    tendon: int
    before: int                           # rows of the two disks among the bodies
    beyond: int
    lever: int                            # columns of the outer disk,
    column: int                           # freedoms of the cell,
    freedoms: int                         # and how many


@table
class Taut(Table):
    """A chord at one instant."""

    length: float
    rate: float
    tension: float


class SpineTendons(NamedTuple):
    """All tendons of a spine, chord by chord, those of one tendon one after the other from its winch on."""

    owner: int                            # no environment: -1
    rows: Any                             # Chord
    taut: Any                             # Taut: as it was at the instant that was evaluated last
    slopes: Any                           # (chords, most) ∂ℓ/∂q


@inline
def hole(body, point):
    """Arm of a hole, its place and its velocity, world axes."""
    arm = body.rotation @ point
    return arm, body.origin + arm, body.velocity.linear + cross(body.velocity.angular, arm)


@lean_pass
def measure_chords(tendons, memory):
    """Length, rate and slopes of every chord, and of every tendon."""
    cells = memory.cells
    for c in range(cells.pulls.shape[0]):
        pull = Pull(cells.pulls, c)
        pull.length = 0.0
        pull.rate = 0.0
    for i in range(len(tendons.rows.codes)):
        chord, taut = Chord(tendons.rows, i), Taut(tendons.taut, i)
        _, p, v = hole(Body(memory.bodies, chord.before), chord.inner)
        arm, q, w = hole(Body(memory.bodies, chord.beyond), chord.outer)
        along = q - p
        length = sqrt(dot(along, along))
        u = (1.0 / length) * along
        for j in range(chord.freedoms):
            J = Column(cells.columns, chord.lever + j).screw
            tendons.slopes[i, j] = dot(u, J.linear + cross(J.angular, arm))
        rate = dot(u, w - v)
        taut.length = length
        taut.rate = rate
        pull = Pull(cells.pulls, chord.tendon)
        pull.length = pull.length + length
        pull.rate = pull.rate + rate


@lean_pass
def pull_tendons(tendons, memory):
    """The tensions, and what they do along the freedoms."""
    cells = memory.cells
    for c in range(cells.pulls.shape[0]):
        pull = Pull(cells.pulls, c)
        tension = max(cells.present.command[c], 0.0)
        pull.tension = tension
        pull.power = -tension * pull.rate
    for i in range(len(tendons.rows.codes)):
        chord = Chord(tendons.rows, i)
        tension = Pull(cells.pulls, chord.tendon).tension
        Taut(tendons.taut, i).tension = tension
        for j in range(chord.freedoms):
            memory.torque[chord.column + j] -= tension * tendons.slopes[i, j]


@version_for(push, SpineTendons)
@inline
def push_tendons(tendons, t, inside, robot, memory):
    measure_chords(tendons, memory)
    pull_tendons(tendons, memory)


@version_for(spend_power, SpineTendons)
@inline
def spend_nothing(tendons, inside, memory):
    return None                           # pulleys are actuators: their power is in `Pull`
