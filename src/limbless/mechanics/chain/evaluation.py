"""The dynamics of one instant, called from Python: few arrays, because each one costs such a call a tenth of a
microsecond.
"""
from __future__ import annotations

from typing import Any, NamedTuple

from limbless.mechanics.chain.dynamics import hybrid_dynamics, locked_joint
from limbless.mechanics.chain.kinematics import move
from limbless.mechanics.chain.tables import Axis, Base, Body, Bound, Memory, NoCells, NothingAhead, Robot
from limbless.mechanics.compiled.kernel import inline, lean_kernel
from limbless.mechanics.compiled.lean import lean, lean_rows, lean_span
from limbless.mechanics.compiled.tables import LINE, Rows
from limbless.mechanics.forces.element import push_all


class Widths(NamedTuple):
    """Numbers of a row."""

    body: int
    axis: int
    base: int
    bound: int


WIDTHS = Widths(Body.columns, Axis.columns, Base.width, Bound.columns)


class Parts(NamedTuple):
    """Where the parts of one flat array of memory begin."""

    state: int                            # position and velocity
    base: int                             # Base, and behind it the accelerations of the joints
    torque: int
    passive: int
    bounds: int
    bodies: int
    axes: int
    end: int
    water: Any                            # Steady or Awash: see `Memory.water`


def parts(bodies: int, freedoms: int, size: int, water: Any) -> Parts:
    """The parts of a flat array of memory for a chain whose position and velocity take `size` numbers; tables begin on
    a cache line.
    """
    begins, place = [], 0
    for count in (size, WIDTHS.base + freedoms, freedoms, freedoms, WIDTHS.bound * freedoms, WIDTHS.body * bodies,
                  WIDTHS.axis * freedoms):
        begins.append(place)
        place += -(-count // LINE) * LINE
    return Parts(*[*begins, place, water])


@inline
def divide(where, flat, bodies, freedoms):
    """One flat array of memory as the state and the `Memory` of an instant."""
    nothing = lean_span(flat, where.state, 0)            # an instant has no steps, and its feedback no wishes
    memory = Memory(lean_rows(flat, where.bodies, bodies, WIDTHS.body),
                    lean_rows(flat, where.axes, freedoms, WIDTHS.axis),
                    lean_rows(flat, where.base, 1, WIDTHS.base), lean_span(flat, where.base + WIDTHS.base, freedoms),
                    lean_span(flat, where.torque, freedoms), lean_span(flat, where.passive, freedoms),
                    lean_rows(flat, where.bounds, freedoms, WIDTHS.bound), nothing, nothing, nothing, nothing, nothing,
                    nothing, nothing, NoCells(), lean(where.water), NothingAhead())
    return lean_span(flat, where.state, where.base), memory


@lean_kernel
def evaluate(kinds, links, codes, freedoms, base, where, flat):
    """Accelerations and torques of a chain on which nothing acts."""
    robot = lean(Robot(kinds, Rows(links, codes), freedoms))
    x, memory = divide(where, lean(flat), codes.shape[0], freedoms.shape[0])
    move(robot, x, memory)
    hybrid_dynamics(robot, base, memory)


@lean_kernel
def evaluate_among(kinds, links, codes, freedoms, base, where, forces, time, flat):
    """The same among forces."""
    robot = lean(Robot(kinds, Rows(links, codes), freedoms))
    x, memory = divide(where, lean(flat), codes.shape[0], freedoms.shape[0])
    move(robot, x, memory)
    push_all(lean(forces), time, time, robot, memory)
    hybrid_dynamics(robot, base, memory)


@lean_kernel
def locked(kinds, links, codes, freedoms, base, where, flat):
    """Row of a torque-given joint that had no inertia to move, or 0."""
    robot = lean(Robot(kinds, Rows(links, codes), freedoms))
    _, memory = divide(where, lean(flat), codes.shape[0], freedoms.shape[0])
    return locked_joint(robot, memory)
