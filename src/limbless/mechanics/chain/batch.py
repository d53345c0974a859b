"""Many chains of one kind, one after another in one compiled loop: each with its own state and its own torques."""
from __future__ import annotations

from limbless.mechanics.compiled.kernel import lean_kernel
from limbless.mechanics.compiled.lean import lean
from limbless.mechanics.integrate.runge_kutta import runge_kutta


@lean_kernel
def advance_each(problem, knots, record, x, many, starts, torques):
    """Step every row of `many` over the same knots, counted from its own start, under a torque that is held.

    `knots` are those of a start at 0; `x` and the drive's torque are memory of one chain. Nothing is recorded.
    """
    here, steps, unrecorded, state, states = lean(problem), lean(knots), lean(record), lean(x), lean(many)
    since, commands, first = lean(starts), lean(torques), steps[0]
    for i in range(states.shape[0]):
        for c in range(state.shape[0]):
            state[c] = states[i, c]
        for c in range(commands.shape[1]):
            here.drive.torque[0, c] = commands[i, c]
        for k in range(steps.shape[0]):
            steps[k] = steps[k] + (since[i] - first)
        first = since[i]
        runge_kutta(here, steps, unrecorded, state)
        for c in range(state.shape[0]):
            states[i, c] = state[c]
