"""A chain and its actuation as a `ChainProblem` for the Runge-Kutta engine."""
from __future__ import annotations

from typing import Any

from limbless.mechanics.chain.tables import ChainProblem, Drive, Options, Robot
from limbless.models import chain_problem


def options_of(plain: Robot, actuated: Robot, base: int, feedback: bool, feedforward: bool) -> Options:
    """What the actuation asks of the kernels, from the robot with every joint motion-given and as it is actuated."""
    forecasts = feedback and feedforward
    version = chain_problem.actuation_of(actuated, forecasts or chain_problem.leads(actuated))
    return Options(version, base, feedback, forecasts, plain.links.codes)


def problem_of(robot: Robot, forces: tuple[Any, ...], options: Options, drive: Drive, memory: Any,
               records: Any) -> ChainProblem:
    """Everything that an engine needs: two runs of one model are two problems, each with its own memory."""
    return ChainProblem(robot, chain_problem.fresh(forces), options, drive, memory, records)
