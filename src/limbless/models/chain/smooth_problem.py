"""A chain and its actuation as a `ChainProblem` for the engines of smooth motion."""

from __future__ import annotations

import numpy as np

from limbless.mechanics.chain import (
    ChainDrive,
    ChainOptions,
    ChainProblem,
    ChainTables,
    ForceJacobian,
    ImplicitForces,
    ImplicitTerm,
    LinkRow,
    Prismatic,
)
from limbless.models.chain import chain_problem
from limbless.models.force_elements import water_of
from limbless.robots.chain import Chain


def options_of(plain: ChainTables, actuated: ChainTables, base: int, feedback: bool, feedforward: bool) -> ChainOptions:
    """What the actuation asks of the kernels, from the robot with every joint motion-given and as it is actuated."""
    forecasts = feedback and feedforward
    version = chain_problem.actuation_of(actuated, forecasts or chain_problem.leads(actuated))
    return ChainOptions(version, base, feedback, forecasts, plain.links.codes)


def afloat(problem: ChainProblem) -> ChainProblem:
    """The problem with memory that reads the added inertia where its own forces write it."""
    return problem._replace(memory=problem.memory._replace(water=water_of(problem.forces)))


def ahead_of(robot: ChainTables, chain: Chain, quarters: ChainDrive) -> ImplicitForces:
    """Memory of implicit stages, for a gait at the quarters of all steps."""
    bodies, freedoms = len(robot.links.codes), len(robot.freedoms)
    link, size = LinkRow.of(robot.links), max(length_of(chain), 1e-3)
    scale = np.concatenate([np.full(freedoms, size), [1.0, size]])
    scale[link.column[link.kind == Prismatic.code]] = 1.0
    return ImplicitForces(
        ImplicitTerm.zeros(freedoms),
        ForceJacobian.zeros(bodies),
        np.zeros((bodies, 6, 6)),
        np.zeros(1),
        scale,
        quarters,
        ChainDrive(*(np.zeros((1, part.shape[1])) for part in quarters)),
    )


def length_of(chain: Chain) -> float:
    """About how long a chain is, m: the way of its end per unit of a joint."""
    return float(
        sum(np.linalg.norm(link.position) for link in chain.links[1:])
        + sum(piece.length for piece in chain.segments()[-1:])
    )


def halves(quarters: ChainDrive) -> ChainDrive:
    """The gait at knots and middles of steps alone."""
    return ChainDrive(*(np.ascontiguousarray(part[::2]) for part in quarters))
