"""Traps of soft bodies in motion that change a number, as mutants; loaded by `table.py`. See the specification's
section 11.

Entries are the fields of `Mutant`: name, erratum, file, correct, printed, killer, times.
"""

from __future__ import annotations

SOFT = "tests/unit/models/chain/soft/test_soft.py"
STIFF = "tests/unit/models/chain/test_implicit.py"
TENDONS = "tests/unit/models/chain/soft/test_soft_tendons.py"
FRICTION = "tests/unit/models/chain/soft/test_soft_friction.py"

MUTANTS = [
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
        "for disk in range(tendon.start,",
        "for disk in range(0,",
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
        "tension = rope.stiffness * (pull.length - pull.wound) + rope.damping * rate",
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
