"""Bodies that answer, without inertia: their tables, and what is refused beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from limbless.core import Array, InputError
from limbless.environments.base import Environment
from limbless.mechanics.chain import (
    Base,
    Body,
    Cells,
    ChainMemory,
    ChainTables,
    DofRow,
    ForceJacobian,
    ImplicitForces,
    ImplicitTerm,
    LinkRow,
    SlowMotion,
    Station,
)
from limbless.mechanics.compiled import aligned_zeros, kernel_array, pack
from limbless.mechanics.integrate import dirk
from limbless.models import ImplicitSteps, TotalsStore, refuse_law_failure
from limbless.models.chain.chain_problem import inertia_matrices

if TYPE_CHECKING:
    from limbless.models.chain.soft.soft_body import SoftBody

LINEAR = ("drag", "gravity", "buoyancy", "point-wrench")
"""Environments whose forces are linear in the velocity, or do not depend on it."""
STIFF = (
    "model.integrator: without inertia elasticity is stiff in first order, which explicit steps (rk4) do not follow; "
    "leave it out, or set it to sdirk4 or midpoint"
)
DIRECTIONS = (
    "the motion along the base's x axis",
    "the motion along the base's y axis",
    "the motion along the base's z axis",
    "the roll about the body's own axis",
    "the pitch of the body",
    "the yaw of the body",
)
LOOSE = 1e-10
"""Share of the largest resistance that is none."""
UNSETTLED = (
    "no velocities balance all forces (without inertia every motion needs a drag or friction that resists it); add a "
    "drag, take a shorter step, or leave model.inertia: true"
)


def weightless(robot: ChainTables) -> ChainTables:
    """The robot without any inertia; what its weight is stays with the law of gravity."""
    links = robot.links._replace(numbers=robot.links.numbers.copy(), codes=robot.links.codes.copy())
    link = LinkRow.of(links)
    for values in (link.mass, link.moment, link.inertia, link.whole, link.wet):
        values[:] = 0
    link.massless[:] = 1
    return without_rotors(ChainTables(robot.kinds, links, robot.freedoms))


def without_rotors(robot: ChainTables) -> ChainTables:
    """The robot with motors without inertia."""
    freedoms = robot.freedoms.copy()
    DofRow.of(freedoms).rotor[:] = 0.0
    return robot._replace(freedoms=freedoms)


def weightless_cells(cells: Cells, count: int) -> Cells:
    """The same for the stations within so many cells, at each of which something may push."""
    station = Station.of(cells.stations)
    station.mass[:], station.turn[:], station.has_mass[:] = 0.0, 0.0, station.body > count
    return cells


def slowed(memory: ChainMemory, size: int, environment: Sequence[Environment]) -> ChainMemory:
    """Memory of a run in which velocities follow from a balance of all forces."""
    bodies = len(memory.bodies)
    nothing: Any = None
    ahead = memory.ahead or ImplicitForces(
        ImplicitTerm.zeros(0),
        ForceJacobian.zeros(bodies),
        np.zeros((bodies, 6, 6)),
        np.zeros(1),
        np.zeros(0),
        nothing,
        nothing,
    )
    curved = float(any(item.kind not in LINEAR for item in environment))
    return memory._replace(ahead=ahead, slow=SlowMotion(aligned_zeros(size), np.zeros(1), np.array([curved])))


def refuse_of_soft(body: SoftBody) -> None:
    """What only inertia has: explicit steps, water that is carried along, rotors."""
    if body.settings.integrator == "rk4":
        raise InputError(STIFF)
    if body._added.any():
        raise InputError(
            "model.inertia: false leaves out the water that a body carries along (added mass); use `drag`, whose "
            "coefficients are along, lateral and vertical, or leave inertia: true"
        )
    if any(getattr(getattr(item, "winch", None), "rotor_inertia", 0.0) > 0.0 for item in body.strung.tendons):
        raise InputError(
            "robot.winch.rotor_inertia: model.inertia: false leaves out all inertia; set it to 0, where a winch "
            "follows its motor at once"
        )


def refuse_start(initial: Any) -> None:
    """Velocities follow from the forces, at the start too."""
    for name, given in (("twist", any(initial.twist)), ("joint_velocity", initial.joint_velocity is not None)):
        if given:
            raise InputError(
                f"initial.{name}: without inertia (model.inertia: false) velocities follow from the forces, at the "
                "start too; leave it out"
            )


def started(model: Any, x: Array, drive: Any, steps: ImplicitSteps, moves: Sequence[int]) -> Array:
    """A flat state with the velocities at which all forces balance; refuses a base whose motion nothing resists.
    `moves`: components of its twist that are free.
    """
    totals: TotalsStore = model._tallies
    problem = model.problem(drive, 1, totals.start({}, 0.0), totals.records(1))
    packed = (problem, steps.method, steps.scratch(), np.zeros(1), np.ones(1, dtype=bool), kernel_array(x))
    dirk.advance_part(pack(packed), 0, 0, 0)
    refuse_law_failure(model.environment)
    if len(moves):
        refuse_loose(Base.of(problem.memory.base).answer[0], Body.of(problem.memory.bodies).rotation[0], moves)
    found = np.asarray(problem.records.x[0])
    if problem.memory.slow.failed[0] > 0.0 or not np.isfinite(found).all():
        raise InputError(f"model.inertia: at t = 0 s {UNSETTLED}")
    return found


def refuse_loose(answer: Array, rotation: Array, moves: Sequence[int]) -> None:
    """`answer` (21,): how the forces on the whole body answer to the twist of its base, along the world's axes."""
    R = np.kron(np.eye(2), rotation.reshape(3, 3))
    whole = R.T @ inertia_matrices(answer[None])[0] @ R
    length = np.sqrt(np.trace(whole[3:, 3:]) / max(np.trace(whole[:3, :3]), 1e-300)) or 1.0
    size = np.repeat([1.0, 1.0 / length], 3)
    found = np.linalg.eigh((size[:, None] * whole * size)[np.ix_(moves, moves)])
    if not found.eigenvalues[0] > LOOSE * found.eigenvalues[-1]:
        way = DIRECTIONS[moves[int(np.abs(found.eigenvectors[:, 0]).argmax())]]
        raise InputError(
            f"model.inertia: without inertia nothing resists {way}; add a drag that does (`drag` has along, lateral, "
            "vertical and roll), set robot.base to planar, or leave inertia: true"
        )
