"""A chain and its actuation as a `ChainProblem` for the Runge-Kutta engine."""
from __future__ import annotations

from typing import Any

from limbless.mechanics.chain.tables import ChainProblem, Drive, Options, Robot
from limbless.models import chain_problem
from limbless.models.force_elements import water_of


def options_of(plain: Robot, actuated: Robot, base: int, feedback: bool, feedforward: bool) -> Options:
    """What the actuation asks of the kernels, from the robot with every joint motion-given and as it is actuated."""
    forecasts = feedback and feedforward
    version = chain_problem.actuation_of(actuated, forecasts or chain_problem.leads(actuated))
    return Options(version, base, feedback, forecasts, plain.links.codes)


def problem_of(robot: Robot, forces: tuple[Any, ...], options: Options, drive: Drive, memory: Any,
               records: Any) -> ChainProblem:
    """Everything that an engine needs: two runs of one model are two problems, each with its own memory."""
    own = chain_problem.fresh(forces)
    return afloat(ChainProblem(robot, own, options, drive, memory, records))


def afloat(problem: ChainProblem) -> ChainProblem:
    """The problem with memory that reads the added inertia where its own forces write it."""
    return problem._replace(memory=problem.memory._replace(water=water_of(problem.forces)))
