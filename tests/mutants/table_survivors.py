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
ALONG = "tests/unit/simulation/analysis/test_analysis.py::test_a_way_is_along_the_line_from_the_far_end_to_the_head"
SIGNS = "tests/unit/interop/log_files/test_logs_in.py::test_signs_turn_angles_and_rates_and_zeros_are_taken_off"

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
    (
        "heading-at-the-end",
        "the way along the heading at the end in place of the start",
        "simulation/analysis/speed.py",
        "return float(moved @ ahead[0])",
        "return float(moved @ ahead[-1])",
        ALONG,
    ),
    (
        "heading-from-the-near-end",
        "the heading from the end nearer to the head",
        "simulation/analysis/speed.py",
        "away = np.linalg.norm(ends[0] - head[0], axis=-1)",
        "away = -np.linalg.norm(ends[0] - head[0], axis=-1)",
        ALONG,
    ),
    (
        "repeats-pushed-by-the-period",
        "repeats begin with a velocity times the period, not over it",
        "search/studies/robustness.py",
        "push / (scenario.gait.cycle or 1.0)",
        "push * (scenario.gait.cycle or 1.0)",
        "tests/unit/search/studies/test_robustness.py"
        "::test_starts_differ_by_a_hundredth_of_the_body_and_of_that_in_a_period",
    ),
    (
        "strongest-motor",
        "the strongest motor of an axis as its limit",
        "search/studies/motor_sizing.py",
        'label: float(data["joint_limit"].values[joints].min())',
        'label: float(data["joint_limit"].values[joints].max())',
        "tests/unit/search/studies/test_motor_sizing.py::test_the_weakest_motor_of_an_axis_is_its_limit",
    ),
    (
        "zero-of-a-log-added",
        "the zero of a log's joints added",
        "interop/log_files/joint_log.py",
        'columns[name] = columns[name] - _each("zero"',
        'columns[name] = columns[name] + _each("zero"',
        SIGNS,
    ),
    (
        "rates-of-a-turned-motor",
        "the rates of a motor that is mounted the other way round keep their sign",
        "interop/log_files/joint_log.py",
        'for name in ("position", "velocity", "command"):\n        if name in columns:',
        'for name in ("position", "command"):\n        if name in columns:',
        SIGNS,
    ),
    (
        "strides-of-a-bag",
        "strides of the arrays in a ROS bag without their own dimension",
        "interop/logs/rosbag.py",
        "stride=int(np.prod(sizes[place:]))",
        "stride=int(np.prod(sizes[place + 1 :]))",
        "tests/unit/interop/logs/test_logs.py::test_ros_bag",
    ),
    (
        "forces-as-torques",
        "the forces along a rod drawn as its torques",
        "view/comparison_figure.py",
        "data[name].values[..., 3:])",
        "data[name].values[..., :3])",
        "tests/unit/simulation/test_comparison.py::test_the_torques_of_a_rod_beside_another_are_its_couples",
    ),
    (
        "track-of-wheels",
        "wheels as far apart as the body is high",
        "environments/wheels.py",
        "beside = place + side * piece.half_width * piece.frame[:, 1]",
        "beside = place + side * piece.half_height * piece.frame[:, 1]",
        "tests/unit/environments/test_wheels.py::test_wheels_that_bear_the_robot_stand_at_its_sides",
    ),
]
HELPERS: dict[str, str] = {}
