"""One time step of a chain under contact: articulated-body semismooth Newton in joint coordinates, O(n).

Unknown are the twist of the base and the joint rates u at the end of the step, with impulses P that obey the contact
laws:

    sum_k J_kᵀ [B_k u_k - f_k] + d q̇ = τ + Jᵀ P(u)

B_k, f_k: inertia and momentum with outer impulses of body k (about its origin, world axes); d, τ:
implicit part and impulse of the joints. Each linearised contact with what does not move touches one
body, so that it only adds a 6 x 6 matrix to that body (what touches two that move: `body_body`); one
sweep from tip to base, a 6 x 6 solve and one sweep back give the next iterate, which satisfies the
dynamics exactly. What remains is the natural map of the contact laws: it is the whole error of a step.
Where this does not end, `rescue` is called.
"""

from __future__ import annotations

from limbless.mechanics.algebra import (
    Matrix,
    Matrix6,
    Twist,
    Vector,
    Wrench,
    articulated_matrix6,
    carry_matrix6,
    carry_twist,
    carry_wrench,
    gauss_solve,
    no_matrix6,
    power,
    put_system,
    transposed_product,
)
from limbless.mechanics.chain import (
    BASES,
    Body,
    ChainTables,
    LinkRow,
    clamp_passes,
    clear_hold,
    next_hold,
    without_held,
    wrench_of,
)
from limbless.mechanics.compiled import Array, Rows, Scalar, call_pointer, func, noinline_func, sqrt
from limbless.mechanics.contact import (
    BaseStep,
    BodyStep,
    ContactOptions,
    ContactRow,
    Equation,
    FallbackRequest,
    JointStep,
    Step,
    cell_backward_pass,
    cell_forward_pass,
    hold_rows,
    joint_friction_impulses,
    last_of_robot,
    linearise,
    linearise_joint_friction,
    natural_map,
    pull_ropes,
    put_law_impulse,
    put_rates,
    relative_twist,
    screw_by,
    solve_body_body,
    store_response_factor,
    with_contacts,
)

PLAIN = 6  # iterations of Newton's method: one to six suffice almost always


@noinline_func
def backward_pass(robot: ChainTables, step: Step, count: int) -> tuple[Matrix6, Wrench]:
    """From tip to base: matrix and momentum with which the whole robot answers the twist of its base."""
    kinds, links, _ = robot
    I, f = no_matrix6(0.0), Wrench(Vector(0.0, 0.0, 0.0), Vector(0.0, 0.0, 0.0))
    a = last_of_robot(step, count)
    for k in range(len(links.codes) - 1, -1, -1):
        link = LinkRow(links, k)
        if link.has_body:
            I, f = Equation(I, f) + BodyStep(step.bodies, k).equation
            if step.clamp is not None:
                f = f + wrench_of(step.clamp, k)
            (I, f), a = with_contacts(step, k, a, Equation(I, f))
        if k == 0:
            break
        joint, S = JointStep(step.joints, link.column), screw_by(kinds, link.kind, link, step.axes)
        U, V = I @ S, transposed_product(I, S)
        inertia, pushed = power(S, U), power(S, f)
        if link.given:
            joint.reach = V
            joint.pushed = pushed
            joint.answer = inertia
            f = f - joint.effort * U
        else:
            scale = 1.0 / (inertia + joint.resist)
            push = scale * (joint.effort + pushed)
            joint.reach = scale * V
            joint.pushed = push
            if step.moving_bodies is not None:
                store_response_factor(step.moving_bodies, k, U, scale)
            f = f - push * U
            I = articulated_matrix6(I, U, V, scale)
        if link.has_arm:
            arm = Body(step.places, k).arm
            I, f = carry_matrix6(I, arm), carry_wrench(f, arm)
    return I, f


@func
def solve_base(base: int, I: Matrix6, f: Wrench, R: Matrix, system: Array) -> Twist:
    """Twist of the base, world axes, as it may move."""
    zero = Vector(0.0, 0.0, 0.0)
    if base == BASES.fixed:
        return Twist(zero, zero)
    put_system(system, I, R, f)
    hold_rows(base, system, 7)
    gauss_solve(system, 6)
    return Twist(
        R @ Vector(system[0, 6], system[1, 6], system[2, 6]), R @ Vector(system[3, 6], system[4, 6], system[5, 6])
    )


@noinline_func
def forward_pass(robot: ChainTables, step: Step, solved: Scalar) -> None:
    """From base to tip: joint rates and the twist of every body; where `solved` is 0 the rates are taken as they are.

    (A number: numba would compile a kernel once more for True and for False.)
    """
    kinds, links, _ = robot
    u = BaseStep(step.base, 0).twist
    BodyStep(step.bodies, 0).twist = u
    for k in range(1, len(links.codes)):
        link = LinkRow(links, k)
        v, joint = link.column, JointStep(step.joints, link.column)
        if link.has_arm:
            u = carry_twist(u, Body(step.places, k).arm)
        if solved > 0.0:
            step.rates[v] = joint.effort if link.given else joint.pushed - power(u, joint.reach)
        u = u + step.rates[v] * screw_by(kinds, link.kind, link, step.axes)
        BodyStep(step.bodies, k).twist = u


@func
def sweep_inward(robot: ChainTables, step: Step, count: int) -> tuple[Matrix6, Wrench]:
    """From tip to base, of links or of cells."""
    return backward_pass(robot, step, count) if step.cells is None else cell_backward_pass(robot, step, count)


@func
def sweep_outward(robot: ChainTables, step: Step, solved: Scalar) -> None:
    """And back."""
    if step.cells is not None:
        cell_forward_pass(robot, step, solved)
    else:
        forward_pass(robot, step, solved)


@func
def give_torques(robot: ChainTables, step: Step) -> None:
    """Impulses of the actuators of motion-given joints, in place of their rates."""
    for k in range(1, len(robot.links.codes)):
        link = LinkRow(robot.links, k)
        if link.given:
            joint = JointStep(step.joints, link.column)
            u = BodyStep(step.bodies, k).twist - joint.effort * screw_by(robot.kinds, link.kind, link, step.axes)
            joint.effort = power(u, joint.reach) + joint.answer * joint.effort - joint.pushed


@noinline_func
def contact_velocities(step: Step, count: int, e: Scalar, rho: Scalar, answer: Scalar) -> Scalar:
    """Velocities (and, where `answer` is 1, impulses) of all contacts at the present twists;
    worst of the natural map.
    """
    worst, per_rho = 0.0, 1.0 / rho
    for a in range(count):
        i = step.active[a]
        contact = ContactRow(step.contacts, i)
        put_rates(contact, relative_twist(step, i))
        if answer > 0.0:
            put_law_impulse(contact)
        worst = max(worst, natural_map(contact, e, rho, per_rho))
    return sqrt(worst)


@func
def solve_linearised(robot: ChainTables, base: int, step: Step, count: int) -> None:
    """The velocities that the dynamics have under the linearised laws."""
    if step.clamp is None:
        solve_chain(robot, base, step, count)
    else:
        solve_clamped(robot, base, step, count)


@noinline_func
def solve_clamped(robot: ChainTables, base: int, step: Step, count: int) -> None:
    """The same with a body that a clamp may hold: it has no velocity at the end of the step."""
    clamp, k, R = step.clamp, max(step.clamp.body[0], 0), Body(step.places, 0).rotation
    clear_hold(clamp)
    for turn in range(clamp_passes(clamp)):
        solve_chain(robot, base, step, count)
        next_hold(clamp, turn, R, BodyStep(step.bodies, k).twist)
    own = BodyStep(step.bodies, k)
    own.twist = without_held(clamp, R, own.twist)  # stiff laws would make friction of what rounding has left


@func
def solve_chain(robot: ChainTables, base: int, step: Step, count: int) -> None:
    """One pass from tip to base and one back."""
    I, f = sweep_inward(robot, step, count)
    own = BaseStep(step.base, 0)
    u = solve_base(base, I, f, Body(step.places, 0).rotation, step.system)
    own.twist = u
    if base != BASES.free:
        own.hold = I @ u - f
    sweep_outward(robot, step, 1.0)
    if step.cells is not None and step.cells.cells.ropes is not None:
        pull_ropes(robot, base, step, I)
    if step.moving_bodies is not None:
        solve_body_body(robot, base, step, count, I)


@func
def newton_iteration(
    robot: ChainTables, options: ContactOptions, step: Step, count: int, rho: Scalar, frozen: Scalar
) -> Scalar:
    """One Newton iteration with trial steps of length `rho`: linearise, solve, and measure what remains."""
    # rolling friction of links is weak and mostly sticks, which longer trial steps find sooner. The stations of a soft
    # body roll as one: where all of them slip the sum overshoots, and back again, unless a trial finds that they stick
    roll = 30.0 if step.cells is None else 1.0
    linearise(step.contacts, step.active, count, options.compliance, rho, roll, frozen)
    if options.dry is not None:
        linearise_joint_friction(options.dry, robot, step)
    solve_linearised(robot, options.base, step, count)
    worst = contact_velocities(step, count, options.compliance, rho, 1.0)
    return worst if options.dry is None else max(worst, joint_friction_impulses(options.dry, robot, step))


@func
def solve_contacts(
    robot: ChainTables,
    options: ContactOptions,
    step: Step,
    request: Rows[FallbackRequest],
    count: int,
    t: Scalar,
    tolerance: Scalar,
) -> tuple[int, Scalar, bool]:
    """Solve the step from the guess in the rates, in the base's twist and in the impulses of the contacts.

    Newton's method from the guess; then the same with longer and shorter trial steps, which leave most cycles; then
    `rescue`, behind an address: it is seldom needed, and compiled only then. Cells, which cycle more often, leave a
    cycle once it is seen, and go to the rescue without the shorter ones, which hardly ever help them. Returns the
    number of iterations, the natural map (m/s) and whether the rescue had to be called.
    """
    sweep_outward(robot, step, 0.0)
    for a in range(count):
        i = step.active[a]
        put_rates(ContactRow(step.contacts, i), relative_twist(step, i))
    iterations, rho = 0, options.descent
    for attempt in range(3 if step.cells is None else 2):
        trial = rho if attempt == 0 else 3.0 * rho if attempt == 1 else 0.3 * rho
        left, worst, last = PLAIN, 1e300, 1e300
        while left > 0 and worst >= tolerance:
            last, earlier = worst, last
            worst = newton_iteration(robot, options, step, count, trial, 0.0)
            if attempt > 0 and worst < tolerance:  # the natural map belongs to ρ
                worst = contact_velocities(step, count, options.compliance, rho, 0.0)
            left -= 1
            iterations += 1
            if step.cells is not None and abs(worst - earlier) <= 0.05 * worst:  # as two iterations before: a cycle
                left = 0
        if worst < tolerance:
            return iterations, worst, False
    asked = FallbackRequest(request, 0)
    asked.time = t
    asked.active = count + 0.0
    asked.iterations = 0.0
    call_pointer(options.rescue, request)
    return iterations + int(asked.iterations), asked.residual, True
