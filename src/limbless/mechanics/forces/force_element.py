"""What pushes: any named tuple that has a version of `push`. A problem holds a tuple of them,
and compiles those it holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from limbless.mechanics.compiled import Scalar, for_each, generic

if TYPE_CHECKING:
    from limbless.mechanics.chain import ChainMemory
    from limbless.mechanics.forces.laws import LawBands


@generic
def push(element: Any, t: Scalar, window_time: Scalar, robot: Any, memory: Any):
    """Add the wrenches of an element to those of the bodies, about their origins, along the world axes.

    `inside` (a time within the step) decides which windows are open, so that a stage on the edge of a window counts for
    its own step.
    """


@generic
def element_power(element: Any, window_time: Scalar, memory: ChainMemory):
    """Add the power (W) of the wrenches that the element pushed with last to that of its environment, in
    `memory.law_powers`.
    """


@generic
def refresh_velocities(element: LawBands, memory: ChainMemory):
    """The velocities of the bodies have changed since `push`: note them, for `element_power`. An element that reads the
    bodies as it spends has no version of this.
    """


push_all = for_each(push)
spend_all = for_each(element_power)
look_again_all = for_each(refresh_velocities, optional=True)
