"""Every erratum of papers 000 and 001 that changes a number, as a mutant: the printed form is put back and a named test must fail.

Each mutant replaces text in one file of `src/limbless`. The code does not follow the paper line by line (it works along the world axes and
shares one pass between inverse and direct dynamics), so `printed` is what the misprint amounts to there. See spec section 7.
"""
from __future__ import annotations

from typing import NamedTuple

DENSE = "tests/unit/models/test_dense_form.py::test_inverse_and_direct_dynamics"
ADDED = "tests/unit/models/test_added_mass.py"
ROD = "tests/unit/models/test_rod_dynamics.py"
TOUCH = "tests/unit/models/test_rod_contacts.py"


class Mutant(NamedTuple):
    name: str
    erratum: str          # where in the paper, what is printed, what is right
    file: str             # below src/limbless
    correct: str          # text of the source, found `times` times
    printed: str          # what the printed form makes of it
    killer: str           # the test that must fail
    times: int = 1


MUTANTS = [
    Mutant(
        "table-1-yaw", "Table I, row 4: q0 printed -pi/2, is +pi/2 (interchanged with row 2)", "robots/khalil_eel.py",
        "ModifiedDH(alpha=_QUARTER, offset=_QUARTER)", "ModifiedDH(alpha=_QUARTER, offset=-_QUARTER)",
        "tests/golden/test_eel.py::test_table_one"),
    Mutant(
        "table-1-pitch", "Table I, row 2: q0 printed +pi/2, is -pi/2 (interchanged with row 4)", "robots/khalil_eel.py",
        "ModifiedDH(alpha=-_QUARTER, offset=-_QUARTER)", "ModifiedDH(alpha=-_QUARTER, offset=_QUARTER)",
        "tests/golden/test_eel.py::test_table_one"),
    Mutant(
        "after-25", "after (25): C1 + A12 q̇ printed, is C1 + A12 q̈", "mechanics/chain.py",
        "A = A + acceleration[v] * S", "A = A + velocity[v] * S", f"{DENSE}[eel-paper]", times=2),
    Mutant(
        "16", "(16): MS printed where hat(MS) is meant", "mechanics/inertia.py",
        "Symmetric(m, o, o, m, o, m), skew(moment)",
        "Symmetric(m, o, o, m, o, m), Matrix(Vector(moment.x, o, o), Vector(o, moment.y, o), Vector(o, o, moment.z))",
        f"{DENSE}[eel-dry]"),
    Mutant(
        "30", "(30): takes world components of omega_0; body components need the other sign below", "mechanics/chain_motion.py",
        "0.5 * (a * w.x + c * w.z - d * w.y)\n    rate[i + 2] = 0.5 * (a * w.y + d * w.x - b * w.z)\n"
        "    rate[i + 3] = 0.5 * (a * w.z + b * w.y - c * w.x)",
        "0.5 * (a * w.x - c * w.z + d * w.y)\n    rate[i + 2] = 0.5 * (a * w.y - d * w.x + b * w.z)\n"
        "    rate[i + 3] = 0.5 * (a * w.z - b * w.y + c * w.x)",
        "tests/unit/models/test_closed_forms.py::test_orientation_follows_body_rates"),
    Mutant(
        "32", "(32): omega of link j-1 printed in frame j-1, is in frame j", "mechanics/chain.py",
        "S = turning(direction)\n            A = A + twist_cross(V, velocity[v] * S)",
        "S = turning(direction)\n            zeta = twist_cross(V, velocity[v] * S)\n"
        "            A = A + Twist(zeta.linear, rotation_by(direction, *sincos(position[p])) @ zeta.angular)",
        f"{DENSE}[eel-dry]"),
    Mutant(
        "38-41", "(38), (41): aᵀ J* b* printed, is aᵀ b*", "mechanics/chain.py",
        "u = torque - power(S, P)", "u = torque - power(S, I @ Twist(P.force, P.torque))",
        "tests/unit/models/test_round_trip.py::test_eel[0-dry]"),
    Mutant(
        "48", "(48): sum over i = 2..2 printed, is 2..3 (the vertical added mass is missing)", "environments/water.py",
        "C6 * a * a", "0.0 * C6 * a * a", f"{DENSE}[eel-paper]"),
    Mutant(
        "50", "(50): V(s) printed with dots: made of accelerations", "mechanics/laws.py",
        "get_twist(work, k, BODY_VELOCITY)", "get_twist(work, k, BODY_VELOCITY + 6)", f"{DENSE}[eel-paper]"),
    Mutant(
        "51", "(51), (62): dots on omega in ω x (ω x P): without the centripetal part of the slice", "mechanics/laws.py",
        "added_slice(fluid, at(velocity, rate, s), rate, current), s, 0.5 * length",
        "without_centripetal(fluid, added_slice(fluid, at(velocity, rate, s), rate, current), rate, "
        "get_vector(row, i, START) + Vector(s, 0.0, 0.0)), s, 0.5 * length",
        f"{DENSE}[eel-paper]"),
    Mutant(
        "61-lumped", "(57), (59): without the L³/12 terms that make 1 into 4/3 (inertia)", "environments/packing.py",
        "np.polynomial.legendre.leggauss(2)", "np.polynomial.legendre.leggauss(1)", f"{ADDED}::test_closed_form[front end]"),
    Mutant(
        "62-lumped", "(62): factor 1 in place of 4/3 (velocity terms)", "mechanics/laws.py",
        "    return force, torque\n",
        "    return force, torque + (length * length * length / 12.0) * Vector(\n"
        "        0.0 * s, -fluid.added.z * rate.x * rate.z, fluid.added.y * rate.x * rate.y)\n",
        f"{ADDED}::test_four_thirds_is_the_case_of_an_origin_at_a_link_end[rear end]"),
    Mutant(
        "56-62", "(56)-(62): S printed as the centre of mass, is the mid-point of the wet segment", "environments/water.py",
        "added_inertia(piece, ",
        "added_inertia(piece._replace(start=robot.bodies().moment[piece.body] / robot.bodies().mass[piece.body] "
        "- 0.5 * piece.length * piece.frame[:, 0]), ",
        f"{ADDED}::test_closed_form[elsewhere]"),
    Mutant(
        "65", "(65): joint index j = 3i-2 printed, is the spherical joint's i (X_(j+1) = X_j: no motion at all)", "robots/chain_shape.py",
        "np.concatenate([[0.0], np.cumsum(steps)])", "np.concatenate([[0.0], np.cumsum(0.0 * steps)])",
        "tests/unit/gaits/test_body_wave.py::test_joint_angles_of_the_eel_are_differences_of_heading"),
    Mutant(
        "A12", "(A12): (n-1)T(n-1)ᵀ printed, is nT(n-1)ᵀ (the arm to the previous link is missing)", "mechanics/chain.py",
        "arm = get_vector(work, k, ARM)\n", "arm = 0.0 * get_vector(work, k, ARM)\n", f"{DENSE}[eel-dry]"),
    # Right as printed, and stressed by the spec because it is easily lost
    Mutant(
        "34", "(34): Ia belongs in H (without it q̈ is wrong by 5.6)", "mechanics/chain.py",
        "D = power(S, U) + rotor", "D = power(S, U)", "tests/unit/models/test_dense_form.py::test_friction_and_rotors"),
    Mutant(
        "classical", "section 1: V̇ is the classical acceleration, not the rate of the components", "models/newton_euler/model.py",
        "base[:3] += np.cross(", "base[:3] += 0.0 * np.cross(", f"{DENSE}[eel-dry]"),
    Mutant(
        "half-axes", "sec. VII: a is the lateral half axis; exchanged, each drag meets the other axis", "environments/water.py",
        "C2 * 2.0 * b, C3 * 2.0 * a", "C2 * 2.0 * a, C3 * 2.0 * b", "tests/golden/test_eel.py::test_masses_and_coefficients"),
    Mutant(
        "perimeter", "sec. VII: Cld1 has half the perimeter of the ellipse", "environments/water.py",
        '(0.5 if self.perimeter == "half" else 1.0)', "1.0", "tests/golden/test_eel.py::test_masses_and_coefficients"),
    Mutant(
        "000-66", "paper 000, (66): Ad_g = [[R, -R r^], [0, R]] printed, is [[R, r^ R], [0, R]]", "mechanics/lie.py",
        "return carry_twist(turned, -g.position)", "return carry_twist(turned, g.position)",
        f"{ROD}::test_twists_and_their_rates_are_those_of_the_moving_sections"),
    Mutant(
        "000-20", "paper 000, (16), (20): -F_minus printed, is +F_minus", "mechanics/rod.py",
        "w * get_wrench(work, k, PUSH) + get_wrench(work, k, POKE)",
        "w * get_wrench(work, k, PUSH) + (-1.0 if k == 0 else 1.0) * get_wrench(work, k, POKE)",
        f"{ROD}::test_total_momentum_rate_is_the_outer_wrench"),
    Mutant(
        "000-fig-2", "paper 000, Fig. 2 step 3 and Fig. 5 step 4: Lambda(0) = F_minus printed, is -F_minus",
        "models/macro_continuous/recording.py",
        "about_head -= passed\n", "about_head -= passed - 2.0 * poked[:, :1]\n", f"{ROD}::test_internal_wrench_meets_both_ends"),
    Mutant(
        "000-footnote-4", "paper 000, footnote 4: N(C-) = N(C+) - T printed, is N(C+) + T", "models/macro_continuous/recording.py",
        "about_head -= passed\n", "about_head += passed\n", f"{ROD}::test_a_point_load_makes_a_jump"),
    Mutant(
        "000-17", "paper 000, (17): + ad_eta(Ad_k eta_o) printed, is -", "mechanics/rod.py",
        "get_twist(work, k, SURGE) + bracket(twist, swing)", "get_twist(work, k, SURGE) + bracket(swing, twist)",
        f"{ROD}::test_total_momentum_rate_is_the_outer_wrench"),
    Mutant(
        "000-33", "paper 000, (33): C_dot = -V_X printed, is -V_X / Gamma_X", "models/macro_continuous/kinematic.py",
        "-V[..., 0] / table.drive.value[..., 0]", "-V[..., 0]", f"{TOUCH}::test_support_stays_in_place_while_a_stretching_body_slides_by"),
    Mutant(
        "000-42", "paper 000, (42): eta_c = 0 called no slip, which the spatial anchorage is not", "environments/sweeping_anchorage.py",
        'if self.holds == "material":', 'if self.holds == "nothing":',
        f"{TOUCH}::test_material_anchor_does_no_work_and_spatial_anchor_does"),
    Mutant(
        "000-36", "paper 000, (36) with c(t): omega(t) t printed as phase, is the distance run", "gaits/peristalsis.py",
        "(self.speed + 0.5 * self.acceleration * times) * times", "(self.speed + self.acceleration * times) * times",
        "tests/unit/robots/test_rod.py::test_strains_have_the_rates_that_they_say[gait0]"),
    Mutant(
        "000-54", "paper 000, (54): z^2 / (z^2 - h^2) printed, is z^2 / (h^2 - z^2)", "gaits/travelling_curvature.py",
        "np.exp(-np.minimum(np.where(inside, y, 0.0) / room, 700.0))", "np.exp(np.minimum(np.where(inside, y, 0.0) / room, 20.0))",
        "tests/unit/robots/test_rod.py::test_bump_is_smooth_and_its_area_is_known"),
    Mutant(
        "000-56", "paper 000, (55), (56): no shear rate printed", "gaits/sheared_curvature.py",
        " + K * shear * shear_rate - shear_rate_slope", "", "tests/golden/test_rod.py::test_sheared_snake[reissner_shear_rate]"),
]

HELPERS = {
    "51": "\n\ndef without_centripetal(fluid, F, w, P):\n"
          "    return Wrench(F.force + scaled(fluid.added, cross(w, cross(w, P))), F.torque)\n",
}
"""Text added at the end of a mutant's file, where its printed form needs a function."""
