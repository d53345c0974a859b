"""What a controller is asked: a command before the dynamics of an instant, the rates of its own numbers after it.

A command is made of the controller's numbers and of senses that are known before the dynamics (time, positions, rates);
rates may use forces of the instant too. So there is no algebraic loop, and no order of evaluation to guess. A problem
holds a tuple of controllers, and compiles those it holds. Every controller commands; one that has nothing to say to
another question has no version of it. Their numbers are arrays, never bare floats: these would have neither lanes nor
derivatives.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from limbless.mechanics.compiled import Array, Scalar, for_each, func, generic

if TYPE_CHECKING:
    from limbless.mechanics.chain import ChainMemory, ChainTables


@generic
def command(controller: Any, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory):
    """Bodies stand where the state x has them: add to the torques of the joints."""


@generic
def put_control_rates(controller: Any, t: Scalar, robot: ChainTables, x: Array, memory: ChainMemory, out: Array):
    """After the dynamics of the instant: the rates of the controller's numbers."""


@generic
def place_joints(controller: Any, robot: ChainTables, x: Array, memory: ChainMemory):
    """Before the bodies are placed: motion-given joints stand where the controller's own numbers have them."""


@generic
def sample(controller: Any, robot: ChainTables, x: Array, memory: ChainMemory):
    """At the end of a step, bodies where x has them: the numbers of the controller that change at once."""


@func
def put_tendon(memory: ChainMemory, c: int, given: Scalar, rate: bool) -> None:
    """Add to what a tendon is told, or to its rate."""
    if memory.cells is not None:
        present = memory.cells.present
        told = present.command_rate if rate else present.command
        told[c] += given


command_all = for_each(command)
put_all_control_rates = for_each(put_control_rates, optional=True)
place_all_joints = for_each(place_joints, optional=True)
sample_all = for_each(sample, optional=True)
