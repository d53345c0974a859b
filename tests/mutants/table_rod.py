"""More errata of paper 000 that change a number, as mutants; loaded by `table.py`. See the specification's section 2.

Entries are the fields of `Mutant`: name, erratum, file, correct, printed, killer, times. Without a mutant, because they
change no number: the dummy (18) above its line, the claims of zero force at constant c, of where the curvature of the
inchworm is least, and "cte/X".
"""

from __future__ import annotations

ROD = "tests/unit/models/rod/test_rod_dynamics.py"
TOUCH = "tests/unit/models/rod/test_rod_constraints.py"

MUTANTS = [
    (
        "000-12",
        "under (12): 1/2 (eta^T M eta - Lam^T (xi - xi_d)) printed: the internal wrench would be twice too small",
        "models/rod/rod_recorder.py",
        "along = carried(FromHead(), now.shape, about_head)",
        "along = 0.5 * carried(FromHead(), now.shape, about_head)",
        f"{ROD}::test_spinning_rod_pulls_on_itself",
    ),
    (
        "000-fig-2-step-1",
        "Fig. 2, step 1: F_plus is not added to F_o at the end of the sweep",
        "mechanics/rod/slice_forces.py",
        "transpose(E) @ about_world.torque), 1.0\n",
        "transpose(E) @ about_world.torque), 0.0 if law.body == sections.shape[0] - 1 else 1.0\n",
        f"{ROD}::test_internal_wrench_meets_both_ends",
    ),
    (
        "000-18",
        "(18): g_o eta_o_dot printed, is g_o hat(eta_o)",
        "mechanics/rod/head_motion.py",
        "instant.rotation @ twist.linear",
        "instant.rotation @ instant.rate.linear",
        f"{ROD}::test_rod_that_nothing_pushes_coasts",
    ),
    (
        "000-44",
        "(44): mass per unit of worm length printed, is per reference length and constant",
        "models/rod/rod_recorder.py",
        "inertial_wrench(self.inert * (self.own + added), bodies.twist, bodies.rate)",
        "inertial_wrench(self.inert * (self.own + added) / now.strain[..., :1], bodies.twist, bodies.rate)",
        f"{ROD}::test_mass_belongs_to_the_reference_length",
    ),
    (
        "000-inchworm-intervals",
        "intervals [2kT, 2kT + T/2] printed, are [kT, kT + T/2]: half of the time no foot holds",
        "scenarios/inchworm-climb.yaml",
        "repeat: 2.0",
        "repeat: 4.0",
        f"{TOUCH}::test_feet_of_the_inchworm_take_turns",
        2,
    ),
    (
        "000-inchworm-pose",
        "the pose at a handover printed as the identity, is that of the body",
        "models/rod/constrained_motion.py",
        "x, supports = state.x[: rod_problem.SIZE].copy()",
        "x, supports = np.concatenate([[0.0, 0, 0, 1, 0, 0, 0], state.x[7 : rod_problem.SIZE]])",
        f"{TOUCH}::test_body_starts_where_it_is_put",
    ),
    (
        "000-51",
        "after (51), (53), (54): velocity -V_o t_X(0) printed, is V_o t_X(0)",
        "control/gaits/travelling_curvature.py",
        "(wave, -omega * (here",
        "(wave, omega * (here",
        f"{TOUCH}::test_snake_goes_head_first_along_its_own_curve",
    ),
    (
        "000-52",
        "(52): the right side at X taken for eta_o, which it is at X = 0 only",
        "models/rod/constraint_set.py",
        "return ConstrainedMotion(twist, twist_rate,",
        "return ConstrainedMotion(np.ascontiguousarray(speeds[:, 0]), twist_rate,",
        f"{TOUCH}::test_snake_goes_head_first_along_its_own_curve",
    ),
    (
        "000-53",
        "(52), (53): V_o as a ratio at the head",
        "models/rod/constraint_set.py",
        "2 * np.unique(ends)\n",
        "2 * np.arange(4)\n",
        f"{TOUCH}::test_a_wrong_curve_hardly_moves_the_body[0.0]",
    ),
    (
        "000-64",
        "(64): ratios of the slopes at the head, in space",
        "models/rod/constraint_set.py",
        "2 * np.unique(ends)\n",
        "2 * np.arange(4)\n",
        f"{TOUCH}::test_a_wrong_curve_hardly_moves_the_body[0.5]",
    ),
    (
        "000-55",
        "(55): V_X' = -Gamma K V_X printed, without the shear rate",
        "control/gaits/sheared_curvature.py",
        "gain[i] = growth[i] * (now * wave[i]) * (now_rate * wave[i])",
        "gain[i] = 0.0",
        f"{TOUCH}::test_sheared_gait_lets_no_section_slip",
    ),
]
HELPERS: dict[str, str] = {}
