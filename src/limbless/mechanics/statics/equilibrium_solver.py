"""Equilibria of a tendon-driven spine: projected Newton on the energy, Newton on any residual, and postures of many
loads.

Stops are bounds on q with a complementary moment. A kernel returns an `SolveStatus`; `q` then holds its last posture.
"""

from __future__ import annotations

from limbless.mechanics.algebra import gauss_solve
from limbless.mechanics.compiled import Array, IntArray, Scalar, func, kernel, noinline_func, unpack
from limbless.mechanics.statics.potential_energy import (
    energy_gradient,
    moments,
    stored_energy,
    tip_components,
    update_posture,
)
from limbless.mechanics.statics.projected_newton import (
    LIMITS,
    clipped,
    is_folded,
    minimise,
    natural_residual,
    tolerance_of,
    whole_length,
)
from limbless.mechanics.statics.tables import SolveStatus, Spine, SpineProblem

# ----------------------------------------------------------------------------------- a balance of any form and friction


@func
def put_moments(problem: SpineProblem, q: Array, r: Array) -> None:
    """The residual of the moment form, where that is chosen, at a posture that was taken."""
    if problem.method.form is not None:
        moments(problem.spine, problem.loads, q, problem.posture, problem.method.form.drop_axial, r)


@noinline_func
def residual(problem: SpineProblem, q: Array, r: Array) -> None:
    """Residual of the chosen form at q; the energy form's Hessian in memory."""
    update_posture(problem.spine, q, problem.posture)
    if problem.method.form is None:
        energy_gradient(problem.spine, problem.loads, q, problem.posture, r, problem.iteration.hessian)
    put_moments(problem, q, r)


@noinline_func
def put_differences(problem: SpineProblem, q: Array) -> None:
    """Derivative of the residual by central differences: for forms and friction laws that have no energy."""
    iteration, freedoms = problem.iteration, q.shape[1]
    above, below = iteration.above, iteration.below
    for j in range(len(above)):
        i, k = j // freedoms, j % freedoms
        here = q[i, k]
        q[i, k] = here + LIMITS.difference
        residual(problem, q, above)
        q[i, k] = here - LIMITS.difference
        residual(problem, q, below)
        q[i, k] = here
        for row in range(len(above)):
            iteration.system[row, j] = (above[row] - below[row]) / (2.0 * LIMITS.difference)


@func
def slip_aim(problem: SpineProblem, scale: Scalar, c: int) -> Scalar:
    """Where the law of stick and slip would bring the slip of a tendon, before it is brought between -1 and 1.

    A tendon keeps the length it had, with a slip between -1 and 1, or slides: it shortens with slip 1, lengthens with
    slip -1. In one line: slip = slip + (before - length)/scale brought between -1 and 1.
    """
    return problem.loads.slip[c] + (problem.loads.before[c] - problem.posture.total[c]) / scale


@func
def slip_scale(spine: Spine) -> Scalar:
    """m: long, so that a state changes by one at a time, never from sliding one way to the other."""
    return 0.1 * whole_length(spine)


@func
def rubs(problem: SpineProblem, c: int) -> bool:
    """Whether the slip of a tendon is to be found; one without tension has no friction and no slip."""
    return problem.loads.sticking and problem.posture.tension[0, c] > LIMITS.slack


@func
def slip_miss(problem: SpineProblem) -> Scalar:
    """How far any tendon is from its law of stick and slip, as a change of `slip`."""
    size, scale = 0.0, slip_scale(problem.spine)
    for c in range(len(problem.loads.slip)):
        if rubs(problem, c):
            size = max(size, abs(problem.loads.slip[c] - clipped(slip_aim(problem, scale, c), -1.0, 1.0)))
    return size


@noinline_func
def put_slips(problem: SpineProblem, q: Array) -> None:
    """Columns of the augmented matrix for the slips (differences), and rows of the tendons that stick (exact)."""
    loads, posture, iteration, nudge = problem.loads, problem.posture, problem.iteration, 1e-6
    J, above, below, n = iteration.system, iteration.above, iteration.below, len(iteration.residual)
    scale, tolerance, last = slip_scale(problem.spine), tolerance_of(problem.spine), J.shape[0]
    for c in range(len(loads.slip)):
        J[n + c, n + c] = 1.0
        if not rubs(problem, c):
            continue
        aim, here = slip_aim(problem, scale, c), loads.slip[c]
        if not -1.0 < aim < 1.0:
            loads.slip[c] = clipped(aim, -1.0, 1.0)  # slides: taken over at once, no step is left
            continue
        loads.slip[c] = here + nudge
        residual(problem, q, above)
        loads.slip[c] = here - nudge
        residual(problem, q, below)
        loads.slip[c] = here
        change = 0.0
        for row in range(n):
            change = max(change, abs(above[row] - below[row]))
        if change <= 2.0 * nudge * tolerance:
            continue  # a straight tendon does not rub: its slip has no effect
        J[n + c, n + c] = 0.0
        J[n + c, last] = loads.before[c] - posture.total[c]
        for row in range(n):
            J[row, n + c] = (above[row] - below[row]) / (2.0 * nudge)
            J[n + c, row] = posture.lever[row, c]


@func
def put_balance(problem: SpineProblem, q: Array) -> None:
    """The right side of all moments; where a stop is met, the unknown goes there."""
    spine, J, r, freedoms = problem.spine, problem.iteration.system, problem.iteration.residual, q.shape[1]
    last = J.shape[0]
    for j in range(len(r)):
        i, k = j // freedoms, j % freedoms
        aim = q[i, k] - r[j] / spine.stiffness[i, k]
        J[j, last] = -r[j]
        if problem.method.stops and (aim < spine.low[i, k] or aim > spine.high[i, k]):
            J[j][:] = 0.0
            J[j, j] = 1.0
            J[j, last] = clipped(aim, spine.low[i, k], spine.high[i, k]) - q[i, k]


@noinline_func
def step_down(problem: SpineProblem, q: Array, tolerance: Scalar) -> None:
    """The longest of a Newton step's halves that makes less remain, taken; the step stands in the
    last column of the system.
    """
    spine, loads, method, iteration = problem.spine, problem.loads, problem.method, problem.iteration
    J, before, slips, r, miss = iteration.system, iteration.trial, iteration.slips, iteration.residual, iteration.step
    n, last, freedoms, longest = len(r), J.shape[0], q.shape[1], 1e-300
    for j in range(n):
        longest = max(longest, abs(J[j, last]))
    scale, best = min(1.0, LIMITS.largest_step / longest), natural_residual(spine, method.stops, q, r, miss)
    before[:] = q
    slips[:] = loads.slip
    for _ in range(25):
        for j in range(n):
            i, k = j // freedoms, j % freedoms
            q[i, k] = before[i, k] + scale * J[j, last]
            if method.stops:
                q[i, k] = clipped(q[i, k], spine.low[i, k], spine.high[i, k])
        for c in range(len(slips)):
            # beyond 1 it will slide in the next step
            loads.slip[c] = clipped(slips[c] + scale * J[n + c, last], -1.1, 1.1)
        if loads.sticking:
            break  # lengths may have to move first: residuals then grow on the way
        residual(problem, q, r)
        size = natural_residual(spine, method.stops, q, r, miss)
        if size < best or size <= tolerance:
            break
        scale *= 0.5


@kernel
def solve_residual(problem: SpineProblem, q: Array) -> tuple[int, int]:
    """Newton on the residual of any form and friction, with primal-dual active sets for the stops and for tendons that
    stick. Called from Python; returns (outcome, iterations).

    With `loads.sticking` the slips are unknowns too; `loads.slip` is where they start and where they are found.
    """
    problem, q = unpack(problem), unpack(q)
    spine, method, posture, iteration = problem.spine, problem.method, problem.posture, problem.iteration
    r, J, tolerance = iteration.residual, iteration.system, tolerance_of(spine)
    for number in range(method.limit):
        residual(problem, q, r)
        size = natural_residual(spine, method.stops, q, r, iteration.step)
        if size <= tolerance and slip_miss(problem) <= 1e-9:
            return SolveStatus.SOLVED.value, number
        J[:] = 0.0
        put_slips(problem, q)
        put_differences(problem, q)
        residual(problem, q, r)
        put_balance(problem, q)
        gauss_solve(J, J.shape[0])
        step_down(problem, q, tolerance)
        if is_folded(spine, q, posture):
            return SolveStatus.FOLDED.value, number
    return SolveStatus.STUCK.value, method.limit


# --------------------------------------------------------------------------------------------------- called from Python


@kernel
def minimise_energy(problem: SpineProblem, q: Array) -> tuple[int, int, Scalar, Scalar]:
    """`minimise`, and at its end the energy without the tendons (J) and the largest unbalanced moment (N m)."""
    case, posture_q = unpack(problem), unpack(q)
    spine, loads, method, posture, iteration = case
    outcome, iterations = minimise(case, posture_q)
    stored = stored_energy(spine, loads, posture_q, posture)
    return (
        outcome,
        iterations,
        stored,
        natural_residual(spine, method.stops, posture_q, iteration.residual, iteration.step),
    )


@kernel
def scan_tensions(problem: SpineProblem, commands: Array, q: Array, tips: Array, outcome: IntArray) -> None:
    """`minimise` for each row of `commands`, each from the posture before; fills q (P, v, freedoms),
    tips (P, 3) and outcome (P,).
    """
    case, wanted, postures, places, code = unpack(problem), unpack(commands), unpack(q), unpack(tips), unpack(outcome)
    for point in range(wanted.shape[0]):
        if point > 0:
            postures[point][:] = postures[point - 1]
        case.loads.command[:] = wanted[point]
        code[point], _ = minimise(case, postures[point])
        places[point][:] = case.posture.origin[len(case.posture.origin) - 1]


@kernel
def evaluate_posture(problem: SpineProblem, q: Array) -> None:
    """Poses, tendons and the components of the tip at a posture."""
    case, posture_q = unpack(problem), unpack(q)
    update_posture(case.spine, posture_q, case.posture)
    tip_components(posture_q, case.posture, case.iteration.component, case.iteration.component_rate)


@kernel
def evaluate_forces(problem: SpineProblem, q: Array) -> tuple[Scalar, Scalar]:
    """Tensions, the residual of the chosen form and the Hessian of the energy at a posture, in memory.

    Returns the energy without the tendons (J) and the largest moment that neither spine nor stops balance (N m).
    """
    case, posture_q = unpack(problem), unpack(q)
    spine, loads, method, posture, iteration = case
    update_posture(spine, posture_q, posture)
    energy_gradient(spine, loads, posture_q, posture, iteration.residual, iteration.hessian)
    put_moments(case, posture_q, iteration.residual)
    stored = stored_energy(spine, loads, posture_q, posture)
    return stored, natural_residual(spine, method.stops, posture_q, iteration.residual, iteration.step)
