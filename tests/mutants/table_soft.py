"""Traps of soft bodies in motion that change a number, as mutants; loaded by `table.py`. See the specification's
section 11.

Entries are the fields of `Mutant`: name, erratum, file, correct, printed, killer, times.
"""

from __future__ import annotations

SOFT = "tests/unit/models/chain/soft/test_soft.py"
STIFF = "tests/unit/models/chain/test_implicit.py"
TENDONS = "tests/unit/models/chain/soft/test_soft_tendons.py"
FRICTION = "tests/unit/models/chain/soft/test_soft_friction.py"

TOUCH = "tests/unit/models/chain/soft/test_soft_contact.py"
TOUCHING = "tests/unit/models/chain/soft/test_soft_touching.py"
ONE_STEP = f"{TOUCH}::test_a_step_is_that_of_dense_jacobians[universal-free-1-0.7]"
FALLS = f"{TOUCH}::test_a_rod_that_falls_on_its_tip_does_what_an_independent_program_found"

SLOW = "tests/unit/models/chain/test_slow_motion.py"

MUTANTS = [
    (
        "touch-ahead",
        "what is taken ahead must stand on the right, with the velocities before",
        "mechanics/contact/cell_sweeps.py",
        "effort += share * CellFreedom(solve.freedoms, link.column + i).before",
        "effort += 0.0 * share",
        ONE_STEP,
    ),
    (
        "touch-bias",
        "velocity terms are those of the stage, whose velocity contains that of the end",
        "mechanics/contact/cell_sweeps.py",
        "p = apply_inertia(M, J, free) - h * wrench_cross(V, apply_inertia(M, J, V)) + h * body.wrench",
        "p = apply_inertia(M, J, free) + h * body.wrench",
        ONE_STEP,
    ),
    (
        "touch-end",
        "q_E = q_A + h v of the stage, not the stage gone on with the velocity of the end",
        "mechanics/contact/cell_problem.py",
        "winches, ahead = winch_start(solve.cells, chain.state), problem.rule.theta * h",
        "winches, ahead = winch_start(solve.cells, chain.state), h",
        ONE_STEP,
    ),
    (
        "touch-gaps",
        "gaps are measured where the old velocity leads in (1 - θ) h: a gap is then closed, and no more",
        "mechanics/contact/cell_problem.py",
        "problem.memory.chain, (1.0 - problem.rule.theta) * h",
        "problem.memory.chain, 0.5 * h",
        FALLS,
    ),
    (
        "touch-impulses-per-step",
        "impulses that are remembered belong to a step of some length",
        "mechanics/contact/problem.py",
        "h / step.cells.clock[3] if step.cells.clock[3] > 0.0 else 1.0",
        "1.0",
        f"{TOUCH}::test_steps_of_another_length_start_from_the_same_forces",
    ),
    (
        "touch-momentum",
        "a step begins with the twists that the columns of its stage give the old rates",
        "mechanics/contact/cell_sweeps.py",
        "u = u + x[link.velocity + j] * column(solve, station.lever, j)",
        "u = u + 0.0 * x[link.velocity + j] * column(solve, station.lever, j)",
        ONE_STEP,
    ),
    (
        "touch-rope-lead",
        "an elastic tendon pulls back by the change of velocities since the pass before",
        "mechanics/contact/cell_response.py",
        "(step.rates[v] - CellFreedom(solve.freedoms, v).before)",
        "step.rates[v]",
        f"{TOUCHING}::test_elastic_tendons_in_the_contact_loop_are_those_of_free_motion[length]",
    ),
    (
        "touch-effort-modes",
        "an effort at a point of a rod works along the rate at that point, not along the rate of a mode",
        "mechanics/chain/cell_forces.py",
        "return effort * at_point(cells.rate_at, c, modes, rates, start)",
        "return effort * rates[start + c]",
        f"{TOUCH}::test_works_of_all_points_of_a_rod_sum_up_to_that_of_its_muscles",
    ),
    (
        "touch-work-at-end",
        "contacts work along the velocity of the stage, not along that of the end",
        "mechanics/contact/cell_outcome.py",
        "Body(step.places, k).velocity = start + theta * change",
        "Body(step.places, k).velocity = start + change",
        f"{TOUCH}::test_contacts_take_their_impulses_along_the_velocities_of_the_stage",
    ),
    (
        "touch-bed",
        "the ground is as firm under a station as the length of rod that it stands for",
        "mechanics/contact/contact_law.py",
        "(contact.firm, contact.ease) if contact.firm > 0.0 else (1.0, 1.0)",
        "(1.0, 1.0)",
        ONE_STEP,
    ),
    (
        "touch-given",
        "rates of given strains go from those at the start of a step to those at its end",
        "mechanics/contact/cell_problem.py",
        "present.velocity[i] = before + theta * (solve.ends[1, i] - before)",
        "present.velocity[i] = before",
        f"{TOUCH}::test_a_step_is_that_of_dense_jacobians[universal-free-1-1.0-0.25]",
    ),
    (
        "slow-held",
        "what is taken ahead of drag is held against the accelerations before",
        "mechanics/chain/slow_motion.py",
        "delta = beyond_station(link, memory, s, inner)",
        "delta = 0.0 * inner",
        f"{SLOW}::test_velocities_are_those_of_dense_jacobians[planar-planar-1]",
    ),
    (
        "soft-tangent-rate",
        "the rate of T vanishes at rest only: frequencies and statics pass without it",
        "mechanics/chain/cell_pieces.py",
        "pushed + tangent_rate(g, turn, moved),\n        t,",
        "pushed,\n        t,",
        f"{SOFT}::test_accelerations_are_those_of_dense_jacobians",
    ),
    (
        "soft-bracket-rate",
        "where the strain changes along a piece, its rates have a bracket of their own",
        "mechanics/chain/cell_pieces.py",
        "swing = (2.0 * BRACKET * d * d) * twist_cross(rate, later)",
        "swing = 0.0 * near",
        f"{SOFT}::test_accelerations_are_those_of_dense_jacobians",
    ),
    (
        "soft-ahead",
        "a force that is taken ahead must also stand on the right, with the accelerations before",
        "mechanics/chain/strain_cell.py",
        "held += ahead * cells.before[link.column + i]",
        "held += 0.0 * ahead",
        f"{SOFT}::test_one_cell_keeps_its_energy_under_midpoint_steps",
    ),
    (
        "soft-legendre",
        "the stiffness of Legendre's polynomial j has the factor 1/(2 j + 1)",
        "models/chain/soft/cell_plan.py",
        "elastic[a, b] = both @ stiffness[:, c]",
        "elastic[a, b] = (a == b) * (weight * l) @ stiffness[:, c]",
        f"{SOFT}::test_a_cantilever_vibrates_as_euler_and_bernoulli_say",
    ),
    (
        "soft-vertical",
        "a positive curvature about y bends down; the vertical bend is towards +z",
        "models/chain/soft/cell_plan.py",
        "LATERAL, VERTICAL, TWIST = np.eye(6)[5], -np.eye(6)[4]",
        "LATERAL, VERTICAL, TWIST = np.eye(6)[5], np.eye(6)[4]",
        f"{SOFT}::test_equilibria_of_statics_stay_at_rest",
    ),
    (
        "soft-tendon-start",
        "a tendon acts from the disk where it begins, not from the base",
        "models/chain/soft/tendon_tables.py",
        "return range(tendon.start,",
        "return range(0,",
        f"{SOFT}::test_accelerations_are_those_of_dense_jacobians",
    ),
    (
        "stiff-held",
        "what is added to the inertia of a joint must be held against the accelerations before",
        "mechanics/chain/implicit_joints.py",
        "taken.held = share * acceleration",
        "taken.held = 0.0 * acceleration",
        f"{STIFF}::test_stiff_springs_keep_their_energy_under_midpoint_steps",
    ),
    (
        "stiff-brake",
        "and what is added to the inertia of a body too",
        "mechanics/chain/dynamics.py",
        "return I + C, P - C @ taken.before",
        "return I + C, P",
        f"{STIFF}::test_a_chain_sinks_in_syrup_in_closed_form",
    ),
    (
        "soft-winch-sign",
        "a tendon pulls its winch back: J θ̈ = M - b θ̇ - r T, not + r T",
        "mechanics/chain/elastic_tendons.py",
        "- rope.radius * tension\n",
        "+ rope.radius * tension\n",
        f"{TENDONS}::test_torques_of_winches_hold_what_statics_holds",
    ),
    (
        "soft-tendon-rank",
        "a taut elastic tendon that is not taken ahead leaves stages that do not come to rest",
        "mechanics/chain/elastic_tendons.py",
        "slope = gh * (gh * rope.stiffness + rope.damping) if tension > 0.0 else 0.0 * gh",
        "slope = 0.0 * gh",
        f"{TENDONS}::test_a_neck_follows_its_winches_as_another_program_has_it",
    ),
    (
        "soft-tendon-right",
        "what is taken ahead must also stand on the right, with the accelerations before",
        "mechanics/chain/elastic_tendons.py",
        "(memory.acceleration[v] - cells.before[v])",
        "memory.acceleration[v]",
        f"{TENDONS}::test_a_neck_follows_its_winches_as_another_program_has_it",
    ),
    (
        "soft-tendon-slack",
        "a slack tendon carries no force",
        "mechanics/chain/elastic_tendons.py",
        "tension = max(spring + rope.damping * rate, 0.0) if longer > 0.0 else 0.0 * spring",
        "tension = rope.stiffness * (pull.length - wound) + rope.damping * rate",
        f"{TENDONS}::test_accelerations_with_elastic_tendons_are_those_of_dense_jacobians",
    ),
    (
        "soft-friction-sign",
        "a tendon that is drawn in loses tension from hole to hole, one that is let out gains it",
        "mechanics/forces/tendon_friction.py",
        "return -rate / size,",
        "return rate / size,",
        f"{FRICTION}::test_the_tension_in_a_bent_channel_falls_as_on_a_capstan",
    ),
    (
        "soft-friction-hole",
        "what slides at a hole is what all chords beyond it give, not the next one alone",
        "mechanics/forces/tendon.py",
        "rate += SegmentState(tendons.taut, i).rate",
        "rate = SegmentState(tendons.taut, i).rate",
        f"{FRICTION}::test_tendons_on_links_rub_as_ropes_on_capstans_do",
    ),
    (
        "soft-friction-turn",
        "in a channel the direction of a tendon turns with the rod, not with its strain alone",
        "mechanics/forces/tendon.py",
        "Body(memory.bodies, channel.body).rotation @ ((1.0 / stretch) * along)",
        "(1.0 / stretch) * along",
        f"{FRICTION}::test_the_tension_in_a_bent_channel_falls_as_on_a_capstan",
    ),
    (
        "soft-friction-start",
        "a tendon turns from the very beginning of its channel, before the first station",
        "models/chain/soft/tendon_tables.py",
        "found = [(row, -1, first, 0.0), *found,",
        "found = [*found,",
        f"{FRICTION}::test_a_rod_rests_where_tendon_and_channel_rub",
    ),
    (
        "soft-channel",
        "a tendon beside the axis of a rod is longer or shorter by K x p",
        "models/chain/soft/tendon_tables.py",
        "linear + np.cross(angular, place)",
        "linear - np.cross(angular, place)",
        f"{TENDONS}::test_a_tendon_in_a_channel_bends_a_rod_to_a_circle",
    ),
]
