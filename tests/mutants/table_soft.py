"""Traps of soft bodies in motion that change a number, as mutants; loaded by `table.py`. See the specification's
section 11.

Entries are the fields of `Mutant`: name, erratum, file, correct, printed, killer, times.
"""
from __future__ import annotations

SOFT = "tests/unit/models/test_soft.py"
STIFF = "tests/unit/models/test_implicit.py"

MUTANTS = [
    ("soft-tangent-rate", "the rate of T vanishes at rest only: frequencies and statics pass without it",
     "mechanics/chain/cell.py", "pushed = pushed + tangent_rate(g, turn, moved)", "pushed = pushed",
     f"{SOFT}::test_accelerations_are_those_of_dense_jacobians"),
    ("soft-bracket-rate", "where the strain changes along a piece, its rates have a bracket of their own",
     "mechanics/chain/cell.py", "swing = (2.0 * BRACKET * d * d) * twist_cross(rate, later)", "swing = 0.0 * first",
     f"{SOFT}::test_accelerations_are_those_of_dense_jacobians"),
    ("soft-ahead", "a force that is taken ahead must also stand on the right, with the accelerations before",
     "mechanics/chain/cell.py", "held += ahead * cells.before[link.column + i]", "held += 0.0 * ahead",
     f"{SOFT}::test_one_cell_keeps_its_energy_under_midpoint_steps"),
    ("soft-legendre", "the stiffness of Legendre's polynomial j has the factor 1/(2 j + 1)",
     "models/soft/plan.py", "elastic[a, b] = both @ stiffness[:, c]",
     "elastic[a, b] = (a == b) * (weight * l) @ stiffness[:, c]",
     f"{SOFT}::test_a_cantilever_vibrates_as_euler_and_bernoulli_say"),
    ("soft-vertical", "a positive curvature about y bends down; the vertical bend is towards +z",
     "models/soft/plan.py", "LATERAL, VERTICAL, TWIST = np.eye(6)[5], -np.eye(6)[4]",
     "LATERAL, VERTICAL, TWIST = np.eye(6)[5], np.eye(6)[4]",
     f"{SOFT}::test_equilibria_of_statics_stay_at_rest"),
    ("soft-tendon-start", "a tendon acts from the disk where it begins, not from the base",
     "models/soft/tables.py", "for disk in range(tendon.start,", "for disk in range(0,",
     f"{SOFT}::test_accelerations_are_those_of_dense_jacobians"),
    ("stiff-held", "what is added to the inertia of a joint must be held against the accelerations before",
     "mechanics/chain/stiff.py", "taken.held = share * acceleration", "taken.held = 0.0 * acceleration",
     f"{STIFF}::test_stiff_springs_keep_their_energy_under_midpoint_steps"),
    ("stiff-brake", "and what is added to the inertia of a body too",
     "mechanics/chain/dynamics.py", "return I + C, P - C @ taken.before", "return I + C, P",
     f"{STIFF}::test_a_chain_sinks_in_syrup_in_closed_form"),
]
