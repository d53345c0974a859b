"""Every erratum of paper 003 that changes a number, as a mutant; loaded by `table.py`. See the specification's section
5.

Entries are the fields of `Mutant`: name, erratum, file, correct, printed, killer, times.
"""

from __future__ import annotations

GEOMETRY = "tests/unit/models/chain/geometry/test_geometry.py"
DYNAMICS = "tests/unit/models/chain/geometry/test_geometric_dynamics.py"
GOLDEN = "tests/golden/test_geometric.py"

MUTANTS = [
    (
        "003-22",
        "(22), (24): sums over i, j <= 3 and over i, j >= 4 only; the cross terms 2 Gamma_3jk are missing",
        "models/chain/geometry/geometric_equations.py",
        "known, effort + passive - s.bias, J",
        "known, effort + passive - without_cross_terms(self, x, speeds, time), J",
        f"{GOLDEN}::test_exterior_and_interior_dynamics_of_the_reference_states[eps_1e-2]",
    ),
    (
        "003-24",
        "(24): the first vector is printed as the rates, is the accelerations",
        "models/chain/geometry/geometric_equations.py",
        'known = self._padded("acceleration", acceleration)',
        "known = np.asarray(speeds, dtype=float)",
        f"{GOLDEN}::test_exterior_and_interior_dynamics_of_the_reference_states[eps_1e-2]",
    ),
    (
        "003-4",
        "(4): without g_i(0) every module's inertia sits at the wrong place",
        "mechanics/geometry/screws.py",
        "I = carry_inertia(body_inertia(link, body.rotation), arm)",
        "I = body_inertia(link, body.rotation)",
        f"{GEOMETRY}::test_metric_and_symbols_are_those_of_the_definitions[0-planar]",
    ),
    (
        "003-M",
        "M_i^b: diag(I, mE) printed with twists (v, w): the order must match",
        "mechanics/geometry/screws.py",
        "carry_inertia(body_inertia(link, body.rotation), arm)",
        "carry_inertia(exchanged(body_inertia(link, body.rotation)), arm)",
        f"{GEOMETRY}::test_metric_and_symbols_are_those_of_the_definitions[0-planar]",
    ),
    (
        "003-12",
        "before (12): Gamma_ljk printed, the last index is the lowered one",
        "mechanics/geometry/christoffel.py",
        "symbols[a, m, b] = (\n",
        "symbols[b, m, a] = (\n",
        f"{GEOMETRY}::test_metric_and_symbols_are_those_of_the_definitions[0-planar]",
    ),
    (
        "003-17",
        "(17): W_i dg_i/dx printed, the wrench acts through the twist at the module",
        "mechanics/geometry/screws.py",
        "- carry_wrench(body.wrench, arm)",
        "- body.wrench",
        f"{DYNAMICS}::test_a_wrench_on_a_module_works_through_its_jacobian",
    ),
    (
        "003-fY",
        "fY': at x1..x3 = 0 printed, is at rates of x1..x3 = 0",
        "mechanics/chain/clamp.py",
        "    if moving:\n",
        "    if moving and x[0] == 0.0:\n",
        f"{DYNAMICS}::test_smooth_clamping_of_the_head_gives_the_tail_its_velocity",
    ),
    (
        "003-J3",
        "after (24): row 3 is the moment about J_3, not about the inertial frame",
        "mechanics/geometry/base_charts.py",
        "        JointScrew(screws, 2).twist = turning(A.z)\n",
        "        JointScrew(screws, 2).twist = Twist(cross(Vector(-x[0], -x[1], 0.0), A.z), A.z)\n",
        f"{GEOMETRY}::test_metric_and_symbols_are_those_of_the_definitions[0-planar]",
    ),
    (
        "003-table-1",
        "Table I, M_33: L_i printed, is I_i",
        "models/chain/chain_problem.py",
        "inertia=arrays.inertia,",
        "inertia=0.08 + 0.0 * arrays.inertia,",
        f"{GEOMETRY}::test_planar_metric_and_bias_are_exact",
    ),
    (
        "003-table-4",
        "Table IV: the inertia 0.016 is kept, though a rod of that mass has 2.7e-4",
        "robots/presets/wang_snake.py",
        '0.016, "kg m2", "inertia of each module about the vertical',
        '2.7e-4, "kg m2", "inertia of each module about the vertical',
        f"{GOLDEN}::test_manipulation[no_friction]",
    ),
    (
        "003-29",
        "Sec. II: joints that start at zero; (29) gives x4(0) = 0.4",
        "control/gaits/serpenoid.py",
        "amplitude[joint], steps[joint] = self.amplitude, k + 1.0",
        "amplitude[joint], steps[joint] = self.amplitude, k + 0.0",
        "tests/unit/control/gaits/test_serpenoid.py::test_equation_29",
    ),
]

HELPERS = {
    "003-22": """

def without_cross_terms(self, x, speeds, time):
    base = np.array(speeds, dtype=float)
    joints = base.copy()
    base[self.frame.speeds:], joints[:self.frame.speeds] = 0.0, 0.0
    outside = self.generalised_force(x, speeds, time)
    apart = self.bias(x, base) + self.bias(x, joints)
    self._weigh(x, speeds, time)
    self._memory.bias[:self.frame.speeds] = (apart - outside)[:self.frame.speeds]
    return self._memory.bias
""",
    "003-J3": "\n\nfrom limbless.mechanics.algebra.vectors import cross\n",
    "003-M": "\n\nfrom limbless.mechanics.algebra.vectors import transpose\n\n\n"
    "def exchanged(I):\n    return I._replace(M=I.J, H=transpose(I.H), J=I.M)\n",
}
