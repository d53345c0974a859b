"""What pushes: any named tuple that has a version of `push`. A problem holds a tuple of them, and compiles those it
holds.
"""

from __future__ import annotations

from limbless.mechanics.compiled.generic import for_each, generic, version_for
from limbless.mechanics.compiled.kernel import func


@generic
def push(element, t, window_time, robot, memory):
    """Add the wrenches of an element to those of the bodies, about their origins, along the world axes.

    `inside` (a time within the step) decides which windows are open, so that a stage on the edge of a window counts for
    its own step.
    """


@generic
def element_power(element, window_time, memory):
    """Add the power (W) of the wrenches that the element pushed with last to that of its environment, in
    `memory.law_powers`.
    """


@generic
def refresh_velocities(element, memory):
    """The velocities of the bodies have changed since `push`: note them, for `element_power`."""


@version_for(refresh_velocities, object)
@func
def look_when_spent(element, memory):
    return None  # an element that reads the bodies as it spends has nothing to note


push_all = for_each(push)
spend_all = for_each(element_power)
look_again_all = for_each(refresh_velocities)
