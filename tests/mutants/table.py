"""Every erratum of papers 000, 001, 002 and 004 that changes a number, as a mutant: the printed form is put back, a
named test must fail.

Each mutant replaces text in one file of `src/limbless`. The code does not follow the paper line by line (it
works along the world axes and shares one pass between inverse and direct dynamics), so `printed` is what the
misprint amounts to there. See spec section 7.
"""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import NamedTuple

DENSE = "tests/unit/models/chain/test_dense_form.py::test_inverse_and_direct_dynamics"
CONTACT = "tests/unit/models/chain/contact/test_contact_motion.py"
ADDED = "tests/unit/models/chain/test_added_mass.py"
ROD = "tests/unit/models/rod/test_rod_dynamics.py"
TOUCH = "tests/unit/models/rod/test_rod_constraints.py"


class Mutant(NamedTuple):
    name: str
    erratum: str  # where in the paper, what is printed, what is right
    file: str  # below src/limbless
    correct: str  # text of the source, found `times` times
    printed: str  # what the printed form makes of it
    killer: str  # the test that must fail
    times: int = 1


MUTANTS = [
    Mutant(
        "table-1-yaw",
        "Table I, row 4: q0 printed -pi/2, is +pi/2 (interchanged with row 2)",
        "robots/presets/khalil_eel.py",
        "ModifiedDH(alpha=_QUARTER, offset=_QUARTER)",
        "ModifiedDH(alpha=_QUARTER, offset=-_QUARTER)",
        "tests/golden/test_eel.py::test_table_one",
    ),
    Mutant(
        "table-1-pitch",
        "Table I, row 2: q0 printed +pi/2, is -pi/2 (interchanged with row 4)",
        "robots/presets/khalil_eel.py",
        "ModifiedDH(alpha=-_QUARTER, offset=-_QUARTER)",
        "ModifiedDH(alpha=-_QUARTER, offset=_QUARTER)",
        "tests/golden/test_eel.py::test_table_one",
    ),
    Mutant(
        "after-25",
        "after (25): C1 + A12 q̇ printed, is C1 + A12 q̈",
        "mechanics/chain/joints.py",
        "A = A + memory.acceleration[link.column] * S",
        "A = A + x[link.velocity] * S",
        f"{DENSE}[eel-paper]",
    ),
    Mutant(
        "16",
        "(16): MS printed where hat(MS) is meant",
        "mechanics/algebra/spatial.py",
        "Symmetric(m, o, o, m, o, m), skew(moment)",
        "Symmetric(m, o, o, m, o, m), Matrix(Vector(moment.x, o, o), Vector(o, moment.y, o), Vector(o, o, moment.z))",
        f"{DENSE}[eel-dry]",
    ),
    Mutant(
        "30",
        "(30): takes world components of omega_0; body components need the other sign below",
        "mechanics/chain/joints.py",
        "0.5 * (a * w.x + c * w.z - d * w.y)\n    out[i + 2] = 0.5 * (a * w.y + d * w.x - b * w.z)\n"
        "    out[i + 3] = 0.5 * (a * w.z + b * w.y - c * w.x)",
        "0.5 * (a * w.x - c * w.z + d * w.y)\n    out[i + 2] = 0.5 * (a * w.y - d * w.x + b * w.z)\n"
        "    out[i + 3] = 0.5 * (a * w.z - b * w.y + c * w.x)",
        "tests/unit/models/chain/test_closed_forms.py::test_orientation_follows_body_rates",
    ),
    Mutant(
        "32",
        "(32): omega of link j-1 printed in frame j-1, is in frame j",
        "mechanics/chain/joints.py",
        "    return moved(link, x, memory, here, R, S)\n",
        """\
    there, zeta = moved(link, x, memory, here, R, S), twist_cross(here.V, x[link.velocity] * S)
    turned = rotation_by(direction, *sincos(x[link.position])) @ zeta.angular
    return FrameMotion(there.R, there.origin, there.V, there.A + Twist(0.0 * turned, turned - zeta.angular))
""",
        f"{DENSE}[eel-dry]",
    ),
    Mutant(
        "38-41",
        "(38), (41): aᵀ J* b* printed, is aᵀ b*",
        "mechanics/chain/joints.py",
        "held - power(S, P)",
        "held - power(S, I @ Twist(P.force, P.torque))",
        "tests/unit/models/chain/test_round_trip.py::test_eel[0-dry]",
    ),
    Mutant(
        "48",
        "(48): sum over i = 2..2 printed, is 2..3 (the vertical added mass is missing)",
        "environments/water.py",
        "C6 * a * a",
        "0.0 * C6 * a * a",
        f"{DENSE}[eel-paper]",
    ),
    Mutant(
        "50",
        "(50): V(s) printed with dots: made of accelerations",
        "mechanics/forces/laws.py",
        "bodies[members[b, j], c]",
        "bodies[members[b, j], c + 6 if c >= MOTION - 6 else c]",
        f"{DENSE}[eel-paper]",
    ),
    Mutant(
        "51",
        "(51), (62): dots on omega in ω x (ω x P): without the centripetal part of the slice",
        "mechanics/forces/morison.py",
        "F = added_slice(fluid, at(velocity, rate, s), rate, current)\n",
        "F = without_centripetal(fluid, added_slice(fluid, at(velocity, rate, s), rate, current), rate, "
        "fluid.start + Vector(s, 0.0, 0.0))\n",
        f"{DENSE}[eel-paper]",
    ),
    Mutant(
        "61-lumped",
        "(57), (59): without the L³/12 terms that make 1 into 4/3 (inertia)",
        "environments/law_packing.py",
        "np.polynomial.legendre.leggauss(2)",
        "np.polynomial.legendre.leggauss(1)",
        f"{ADDED}::test_closed_form[front end]",
    ),
    Mutant(
        "62-lumped",
        "(62): factor 1 in place of 4/3 (velocity terms)",
        "mechanics/forces/morison.py",
        "0.5 * length, force, torque)\n    return force, torque\n",
        "0.5 * length, force, torque)\n    return force, torque + (length * length * length / 12.0) * Vector(\n"
        "        0.0 * s, -fluid.added.z * rate.x * rate.z, fluid.added.y * rate.x * rate.y)\n",
        f"{ADDED}::test_four_thirds_is_the_case_of_an_origin_at_a_link_end[rear end]",
    ),
    Mutant(
        "56-62",
        "(56)-(62): S printed as the centre of mass, is the mid-point of the wet segment",
        "environments/water.py",
        "added_inertia(piece, ",
        "added_inertia(piece._replace(start=robot.bodies().moment[piece.body] / robot.bodies().mass[piece.body] "
        "- 0.5 * piece.length * piece.frame[:, 0]), ",
        f"{ADDED}::test_closed_form[elsewhere]",
    ),
    Mutant(
        "65",
        "(65): joint index j = 3i-2 printed, is the spherical joint's i (X_(j+1) = X_j: no motion at all)",
        "control/actuation/shape_map.py",
        "np.concatenate([[0.0], np.cumsum(steps)])",
        "np.concatenate([[0.0], np.cumsum(0.0 * steps)])",
        "tests/unit/control/gaits/test_body_wave.py::test_joint_angles_of_the_eel_are_differences_of_heading",
    ),
    Mutant(
        "A12",
        "(A12): (n-1)T(n-1)ᵀ printed, is nT(n-1)ᵀ (the arm to the previous link is missing)",
        "mechanics/chain/dynamics.py",
        "I, P = carry_inertia(I, body.arm), carry_wrench(P, body.arm)",
        "I, P = carry_inertia(I, 0.0 * body.arm), carry_wrench(P, 0.0 * body.arm)",
        f"{DENSE}[eel-dry]",
    ),
    # Right as printed, and stressed by the spec because it is easily lost
    Mutant(
        "34",
        "(34): Ia belongs in H (without it q̈ is wrong by 5.6)",
        "mechanics/chain/joints.py",
        "D = power(S, U) + DofRow(robot.freedoms, v).rotor + ",
        "D = power(S, U) + ",
        "tests/unit/models/chain/test_dense_form.py::test_friction_and_rotors",
    ),
    Mutant(
        "classical",
        "section 1: V̇ is the classical acceleration, not the rate of the components",
        "models/chain/equation_terms.py",
        "base[:3] += np.cross(",
        "base[:3] += 0.0 * np.cross(",
        f"{DENSE}[eel-dry]",
    ),
    Mutant(
        "half-axes",
        "sec. VII: a is the lateral half axis; exchanged, each drag meets the other axis",
        "environments/water.py",
        "C2 * 2.0 * b, C3 * 2.0 * a",
        "C2 * 2.0 * a, C3 * 2.0 * b",
        "tests/golden/test_eel.py::test_masses_and_coefficients",
    ),
    Mutant(
        "perimeter",
        "sec. VII: Cld1 has half the perimeter of the ellipse",
        "environments/water.py",
        '(0.5 if self.perimeter == "half" else 1.0)',
        "1.0",
        "tests/golden/test_eel.py::test_masses_and_coefficients",
    ),
    Mutant(
        "rho",
        'sec. VII: density "taken equal to 1" in print, is 1 kg/dm3 = 1000 kg/m3',
        "environments/water.py",
        'quantity(1000.0, "kg/m3", "density ρ of the fluid"',
        'quantity(1.0, "kg/m3", "density ρ of the fluid"',
        "tests/golden/test_eel.py::test_masses_and_coefficients",
    ),
    # Paper 002
    Mutant(
        "002-15",
        "after (15): ω x r printed as -ω r~ , is -r~ ω",
        "mechanics/contact/contact_law.py",
        "v = u.linear + cross(u.angular, contact.arm)",
        "v = u.linear + cross(contact.arm, u.angular)",
        f"{CONTACT}::test_contact_velocity_is_the_rate_of_the_gap",
    ),
    Mutant(
        "002-24",
        "(24): the arm of the front sphere printed for the rear one",
        "mechanics/contact/shapes/primitives.py",
        "contact.arm = place - body.origin",
        "contact.arm = body.origin - place",
        f"{CONTACT}::test_contact_velocity_is_the_rate_of_the_gap",
    ),
    Mutant(
        "002-67",
        "(67): the rate of yaw printed as cos(pitch) times it",
        "mechanics/contact/problem.py",
        "state[c] = x[c] + a * x[velocity + c - 1]",
        "state[c] = x[c] + a * (1.0 - 0.5 * x[velocity - 1] ** 2) * x[velocity + c - 1]",
        f"{CONTACT}::test_joint_rates_are_rates_of_the_angles",
    ),
    Mutant(
        "002-74",
        "(6) and after (74): H printed, is Hbar",
        "mechanics/algebra/lie.py",
        "quaternion_product(q, Quaternion(0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z))",
        "quaternion_product(Quaternion(0.0, 0.5 * w.x, 0.5 * w.y, 0.5 * w.z), q)",
        f"{CONTACT}::test_orientation_follows_body_rates",
    ),
    Mutant(
        "002-84",
        "(84): the sign of the impulses printed the other way round",
        "mechanics/contact/semismooth_newton.py",
        "f = f - push * U",
        "f = f + push * U",
        f"{CONTACT}::test_accelerations_of_a_short_step_are_those_of_newton_and_euler",
    ),
    Mutant(
        "002-inertia",
        "text: radius L_SC; the printed inertias are those of half of it",
        "robots/presets/aiko.py",
        "else (9.63e-4, 2.35e-4)",
        "else (1.315e-3, 9.396e-4)",
        f"{CONTACT}::test_printed_inertia_is_that_of_half_the_radius",
    ),
]

NECK, SPINE = "tests/golden/test_tendon.py", "tests/unit/models/statics/test_tendon_statics.py"
FIXED = f"{NECK}::test_energy_gradient_and_hessian_at_a_fixed_posture"
RUBBING = f"{NECK}::test_tensions_along_rubbing_tendons"
CHORDS = f"{SPINE}::test_moment_form_in_a_vertebra_feels_the_tension_of_its_own_chords"

MUTANTS += [  # paper 004, section 10 of its spec
    Mutant(
        "004-1",
        "(1)-(4): 1/k of the arc printed, nothing divided by nothing when straight",
        "mechanics/statics/vertebra.py",
        "return 1.0 - t * f3, f2, f3, f4, f5, f6, f7",
        "return 1.0 - t * f3, (1.0 - np.cos(np.sqrt(t))) / max(t, 1e-300), f3, f4, f5, f6, f7",
        f"{SPINE}::test_almost_straight_loses_no_digits",
    ),
    Mutant(
        "004-6",
        "(6)-(7), Table I: gravity from tip to base printed for a neck that hangs",
        "models/statics/spine_problem.py",
        "field = to_base @ np.array(item.pull)\n",
        "field = -to_base @ np.array(item.pull)\n",
        FIXED,
    ),
    Mutant(
        "004-46",
        "(46): relative errors printed, are half squared errors in m²",
        "models/statics/tip_following.py",
        "Miss(self.miss(found, target), up, down)",
        "Miss(self.miss(found, target) / target, up / target[:, None], down / target[:, None])",
        f"{SPINE}::test_the_nearest_point_is_first_order_optimal[target2-1.0-True-high-free]",
    ),
    Mutant(
        "004-5",
        "(5): hole angles 0, pi/2, pi, 3pi/2 printed, are 0, pi/2, 3pi/2, pi for the pairs (1,4), (2,3)",
        "robots/presets/snake_neck.py",
        '"up": _UP, "left": _LEFT',
        '"left": _LEFT, "up": _UP',
        f"{NECK}::test_the_preset_is_the_default_robot",
    ),
    Mutant(
        "004-8",
        "(8), (10), (35), (41), (42): force turned by T as if it were a point, is turned by R alone",
        "mechanics/statics/potential_energy.py",
        "F + vector_of(loads.joint[i])\n",
        "F + vector_of(loads.joint[i]) + vector_of(origin[i])\n",
        FIXED,
    ),
    Mutant(
        "004-9",
        "(9), (36), (43): moment printed as arm . force, is arm x force",
        "mechanics/statics/potential_energy.py",
        "M + cross(centroid, vector_of(loads.joint[i]))",
        "M + dot(centroid, vector_of(loads.joint[i])) * centroid",
        FIXED,
    ),
    Mutant(
        "004-12",
        "(12): tip force in frame v printed, is in frame v-1",
        "mechanics/statics/potential_energy.py",
        "force = vector_of(loads.disk[i])\n",
        "force = inner @ (transpose(R) @ vector_of(loads.disk[i]))\n",
        f"{NECK}::test_published_constant_curvature_code[c5_tip_force_only]",
    ),
    Mutant(
        "004-14",
        "(14): the tendon ahead pushes as printed, it pulls",
        "mechanics/statics/potential_energy.py",
        "pull = pull + (tension[i + 1, c]",
        "pull = pull - (tension[i + 1, c]",
        CHORDS + "[None]",
    ),
    Mutant(
        "004-17",
        "(17), (18), (37), (38): moment about O_i printed, is about O_(i-1)",
        "mechanics/statics/potential_energy.py",
        "M - cross(vector_of(origin[i]), F)",
        "M - cross(vector_of(origin[i + 1]), F)",
        FIXED,
    ),
    Mutant(
        "004-18",
        "(18), (38), (40): sum of tendon forces printed, is the sum of their moments",
        "mechanics/statics/potential_energy.py",
        "M, F = M + cross(p, pull), F + pull",
        "M, F = M + pull, F + pull",
        FIXED,
    ),
    Mutant(
        "004-22",
        "(22): sigma without a unit, is in degrees",
        "mechanics/statics/potential_energy.py",
        " * (180.0 / np.pi)",
        "",
        f"{RUBBING}[tensions_friction_paper-gautreau2024-1.0]",
    ),
    Mutant(
        "004-26",
        "(26): friction of a pulled tendon only",
        "mechanics/forces/tendon_friction.py",
        "m = mu * slip",
        "m = mu * abs(slip)",
        f"{RUBBING}[tensions_friction_02_release-0.2--1.0]",
    ),
    Mutant(
        "004-27",
        "(27): F - (F . n) printed, is F - (F . n) n",
        "mechanics/forces/tendon_friction.py",
        "aa, cc = before.x * before.x + before.y * before.y, after.x * after.x + after.y * after.y",
        "aa, cc = before.x**2 + before.y**2 + before.z**2, after.x**2 + after.y**2 + after.z**2",
        f"{RUBBING}[tensions_friction_02-0.2-1.0]",
    ),
    Mutant(
        "004-31",
        "(31): tau_x = K l Gamma printed, is -K l Gamma",
        "mechanics/statics/potential_energy.py",
        "- back_twist * own.x.z + about.x",
        "- back_twist * own.x.z - about.x",
        FIXED,
    ),
    Mutant(
        "004-31-axes",
        "K_x lateral, K_y dorso-ventral printed, are exchanged",
        "models/statics/spine_problem.py",
        'stiffness = [robot.values("lateral_stiffness"), robot.values("vertical_stiffness")]',
        'stiffness = [robot.values("vertical_stiffness"), robot.values("lateral_stiffness")]',
        f"{NECK}::test_the_preset_is_the_default_robot",
    ),
    Mutant(
        "004-33",
        "(33): the twisting moment as a component along z, is a vector along z of the outer disk",
        "mechanics/statics/potential_energy.py",
        "+ back_twist * own.y.z - about.y",
        "- about.y",
        CHORDS + "[0.08]",
    ),
    Mutant(
        "004-34",
        "(34): buoyancy along a fixed axis and without g, is -rho V g, a vector",
        "models/statics/spine_problem.py",
        'robot.values("volume")[:, None] * (to_base @ item.field)',
        'robot.values("volume")[:, None] * np.array([0.0, -1.0, 0.0])',
        FIXED,
    ),
    Mutant(
        "004-54",
        "(54): tensions up to 25 N printed, are up to 2.5 N",
        "models/statics/statics_model.py",
        "largest_tension: float = 2.5",
        "largest_tension: float = 25.0",
        f"{SPINE}::test_tensions_stay_below_the_range_of_the_sensors",
    ),
    Mutant(
        "004-57",
        "(57): force at the first point of a step printed, the mean of both has no bias",
        "simulation/analysis/statics_work.py",
        "(0.5 * (force[1:] + force[:-1])",
        "(force[:-1]",
        "tests/unit/simulation/analysis/test_statics_work.py::test_equivalent_work_is_that_of_the_mean_force",
    ),
]

MUTANTS += [  # paper 000
    Mutant(
        "000-66",
        "paper 000, (66): Ad_g = [[R, -R r^], [0, R]] printed, is [[R, r^ R], [0, R]]",
        "mechanics/algebra/lie.py",
        "return carry_twist(turned, -g.position)",
        "return carry_twist(turned, g.position)",
        f"{ROD}::test_twists_and_their_rates_are_those_of_the_moving_sections",
    ),
    Mutant(
        "000-20",
        "paper 000, (16), (20): -F_minus printed, is +F_minus",
        "mechanics/rod/slice_forces.py",
        "transpose(E) @ about_world.torque), 1.0\n",
        "transpose(E) @ about_world.torque), 1.0 if law.body else -1.0\n",
        f"{ROD}::test_total_momentum_rate_is_the_outer_wrench",
    ),
    Mutant(
        "000-fig-2",
        "paper 000, Fig. 2 step 3 and Fig. 5 step 4: Lambda(0) = F_minus printed, is -F_minus",
        "models/rod/rod_recorder.py",
        "about_head -= passed\n",
        "about_head -= passed - 2.0 * poked[:, :1]\n",
        f"{ROD}::test_internal_wrench_meets_both_ends",
    ),
    Mutant(
        "000-footnote-4",
        "paper 000, footnote 4: N(C-) = N(C+) - T printed, is N(C+) + T",
        "models/rod/rod_recorder.py",
        "about_head -= passed\n",
        "about_head += passed\n",
        f"{ROD}::test_a_point_load_makes_a_jump",
    ),
    Mutant(
        "000-17",
        "paper 000, (17): + ad_eta(Ad_k eta_o) printed, is -",
        "models/rod/rod_recorder.py",
        "shape.surge + bracket(twist, shape.swing)",
        "shape.surge - bracket(twist, shape.swing)",
        f"{ROD}::test_internal_wrench_meets_both_ends",
    ),
    Mutant(
        "000-33",
        "paper 000, (33): C_dot = -V_X printed, is -V_X / Gamma_X",
        "mechanics/rod/constraints.py",
        "0.0)) / stretch",
        "0.0))",
        f"{TOUCH}::test_support_stays_in_place_while_a_stretching_body_slides_by",
    ),
    Mutant(
        "000-42",
        "paper 000, (42): eta_c = 0 called no slip, which the spatial anchorage is not",
        "environments/sweeping_anchorage.py",
        'if self.holds == "material":',
        'if self.holds == "nothing":',
        f"{TOUCH}::test_material_anchor_does_no_work_and_spatial_anchor_does",
    ),
    Mutant(
        "000-36",
        "paper 000, (36) with c(t): omega(t) t printed as phase, is the distance run",
        "control/gaits/peristalsis.py",
        "(self.speed + 0.5 * self.acceleration * times) * times",
        "(self.speed + self.acceleration * times) * times",
        "tests/unit/robots/test_rod.py::test_strains_have_the_rates_that_they_say[gait0]",
    ),
    Mutant(
        "000-54",
        "paper 000, (54): z^2 / (z^2 - h^2) printed, is z^2 / (h^2 - z^2)",
        "control/gaits/travelling_curvature.py",
        "np.exp(-np.minimum(y / gap, 700.0))",
        "np.exp(np.minimum(y / gap, 20.0))",
        "tests/unit/robots/test_rod.py::test_bump_is_smooth_and_its_area_is_known",
    ),
    Mutant(
        "000-56",
        "paper 000, (55), (56): no shear rate printed",
        "control/gaits/sheared_curvature.py",
        " + K * shear * shear_rate - shear_rate_slope",
        "",
        "tests/golden/test_rod.py::test_sheared_snake[reissner_shear_rate]",
    ),
]

HELPERS = {
    "51": "\n\ndef without_centripetal(fluid, F, w, P):\n"
    "    return Wrench(F.force + scaled(fluid.added, cross(w, cross(w, P))), F.torque)\n",
}
"""Text added at the end of a mutant's file, where its printed form needs a function."""

for more in sorted(Path(__file__).parent.glob("table_*.py")):  # the other papers' tables
    found = runpy.run_path(str(more))
    MUTANTS += [Mutant(*entry) for entry in found["MUTANTS"]]
    HELPERS |= found.get("HELPERS", {})
