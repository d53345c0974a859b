"""Small mistakes that no test noticed once, as mutants; loaded by `table.py`. They are no misprints: each is a slip of
a hand.

Entries are the fields of `Mutant`: name, mistake, file, correct, wrong, killer, times.
"""

from __future__ import annotations

WITNESS = "tests/contracts/test_witnesses.py::test_every_recorded_variable_has_a_witness"
CONSTRAINTS = "tests/unit/models/rod/test_rod_constraints.py"
STATICS_WORK = "tests/unit/simulation/analysis/test_statics_work.py"
DRAWING = "tests/unit/view/scene/test_drawing.py"
GAPS = "tests/unit/mechanics/contact/test_narrowphase.py"

MUTANTS = [
    (
        "late-sense-of-the-stage-before",
        "oscillators feel the force of the stage before",
        "mechanics/control/oscillators.py",
        "sense_late(controller.senses, t, robot, x, memory, out)\n    add_feedback(controller.late, controller)",
        "add_feedback(controller.late, controller)\n    sense_late(controller.senses, t, robot, x, memory, out)",
        "tests/unit/control/controllers/test_oscillators.py::test_the_step_error_is_of_fourth_order[feeling]",
    ),
    (
        "contact-gap-sign",
        "sign of a recorded contact gap",
        "models/chain/contact/contact_recorder.py",
        "np.minimum(contacts.gap, FARTHEST)",
        "np.minimum(-contacts.gap, FARTHEST)",
        f"{WITNESS}[non-smooth-contact_gap]",
    ),
    (
        "rod-base-acceleration",
        "sign of the turning part of a base acceleration",
        "models/recording/body_recorder.py",
        "acceleration[:, :3] += np.cross(self.twist[:, 3:], self.twist[:, :3])",
        "acceleration[:, :3] -= np.cross(self.twist[:, 3:], self.twist[:, :3])",
        f"{WITNESS}[macro-continuous-base_acceleration]",
    ),
    (
        "equivalent-force-sign",
        "sign of the equivalent force (55)",
        "models/statics/statics_tasks.py",
        "along = inner - outer",
        "along = outer - inner",
        f"{WITNESS}[tendon-statics-equivalent_force]",
    ),
    (
        "anchorage-acceleration",
        "sign of an anchorage's acceleration",
        "environments/anchorage.py",
        "-sway * w * w * np.sin(phase)",
        "sway * w * w * np.sin(phase)",
        f"{CONSTRAINTS}::test_the_acceleration_of_a_swaying_anchorage_is_the_rate_of_its_twist",
    ),
    (
        "rod-elastic-energy",
        "elastic energy of a rod doubled",
        "models/rod/rod_recorder.py",
        "energy = 0.5 * self.stiffness * (now.strain - self.rest) ** 2",
        "energy = self.stiffness * (now.strain - self.rest) ** 2",
        f"{WITNESS}[macro-continuous-potential_energy]",
    ),
    (
        "chain-elastic-energy",
        "elastic energy of joint springs doubled",
        "models/chain/chain_recorder.py",
        'found["potential_energy"] + 0.5 * springs',
        'found["potential_energy"] + 1.0 * springs',
        f"{WITNESS}[newton-euler-potential_energy]",
    ),
    (
        "servo-reference",
        "the servo's reference from the future",
        "control/actuation/feedback.py",
        "np.floor(sent * self.refresh + 1e-9) / self.refresh",
        "np.ceil(sent * self.refresh + 1e-9) / self.refresh",
        "tests/unit/models/chain/contact/test_contact_options.py::test_a_servo_holds_the_reference_that_it_last_read",
    ),
    (
        "slope-height",
        "height of a sloping plane",
        "environments/ground.py",
        "self.height / size]",
        "self.height]",
        f"{GAPS}::test_a_sloping_plane_has_its_height_at_the_origin_and_rises_by_its_angles",
    ),
    (
        "patch-backward",
        "backward friction of a patch ignored",
        "environments/hard_surface.py",
        "return [*along_x(self.forward, self.backward, head), self.lateral, self.rolling]",
        "return [*along_x(self.forward, None, head), self.lateral, self.rolling]",
        f"{GAPS}::test_a_patch_rubs_with_its_own_coefficients_both_ways",
    ),
    (
        "workspace-corner",
        "a workspace's corner twice",
        "models/statics/workspace.py",
        "tip[-1, :-1], tip[:0:-1, -1]",
        "tip[-1, :], tip[:0:-1, -1]",
        "tests/unit/models/statics/test_tendon_statics.py::"
        "test_the_rim_of_a_workspace_goes_once_around_and_every_corner_is_on_it_once",
    ),
    (
        "eight-tilt",
        "tip-eight tilting the other way",
        "control/gaits/tendon_paths.py",
        "c * y - d * z, d * y + c * z",
        "c * y + d * z, c * z - d * y",
        "tests/unit/control/gaits/test_other_gaits.py::test_a_figure_of_eight_is_turned_about_x_by_its_tilt",
    ),
    (
        "end-off-grid",
        "the end of a run off its grid",
        "core/timeline.py",
        "return multiple if abs(multiple - time) < 1e-9 * step else time",
        "return time",
        "tests/unit/simulation/test_simulation.py::test_a_run_ends_on_the_grid_of_its_steps",
    ),
    (
        "limits-parabola",
        "what a torque may rise between two steps twice too high",
        "simulation/analysis/actuator_limits.py",
        "step**2 / 8.0",
        "step**2 / 4.0",
        "tests/unit/simulation/analysis/test_analysis.py::test_a_peak_between_steps_rises_by_no_more_than_its_parabola",
    ),
    (
        "tip-reach",
        "reach of the tip first and last exchanged",
        "simulation/analysis/statics_work.py",
        '"tip_from": tip.min(axis=0),\n        "tip_to": tip.max(axis=0)',
        '"tip_from": tip.max(axis=0),\n        "tip_to": tip.min(axis=0)',
        f"{STATICS_WORK}::test_the_reach_of_a_tip_goes_from_its_least_to_its_largest_place",
    ),
    (
        "drawn-boxes",
        "drawn boxes turned the other way",
        "view/scene/world.py",
        "box.moved(one.centre, one.axes)",
        "box.moved(one.centre, np.asarray(one.axes).T)",
        f"{DRAWING}::test_a_box_is_drawn_where_it_is_felt",
    ),
    (
        "frame-late",
        "frames one too late",
        "view/scene/frames.py",
        'side="right") - 1, 0',
        'side="right"), 0',
        f"{DRAWING}::test_at_a_time_the_frame_is_shown_that_began_last",
    ),
    (
        "drawn-tendons",
        "tendons at the wrong disk",
        "view/scene/tendon_lines.py",
        "(self.outer, self.end)",
        "(self.inner, self.end)",
        f"{DRAWING}::test_tendons_are_drawn_through_the_holes_that_they_pass",
    ),
]
HELPERS: dict[str, str] = {}
