"""Slips of contacts between two bodies that move, as mutants; loaded by `table.py`.

Entries are the fields of `Mutant`: name, mistake, file, correct, wrong, killer, times.
"""

from __future__ import annotations

OBJECTS = "tests/unit/models/chain/contact/test_free_objects.py"
PUSH = f"{OBJECTS}::test_a_plastic_push_shares_the_momentum"
WET = "tests/unit/models/chain/contact/test_objects_in_water.py"

MUTANTS = [
    (
        "mutual-reaction",
        "the other body is pulled along in the solve",
        "mechanics/contact/body_body.py",
        "add_impulse(moving_bodies.answers, other, place, -carry_wrench(",
        "add_impulse(moving_bodies.answers, other, place, carry_wrench(",
        f"{OBJECTS}::test_two_balls_bounce_off_each_other[0.0]",
    ),
    (
        "mutual-hold",
        "what holds a base without the impulses of objects",
        "mechanics/contact/base_answer.py",
        "own.hold = own.hold + (I @ u - arrived)",
        "own.hold = own.hold + I @ u",
        f"{OBJECTS}::test_a_base_that_is_held_takes_the_impact[fixed]",
    ),
    (
        "object-reaction",
        "the force on the other body with the sign of the one on the first",
        "mechanics/contact/free_objects.py",
        "body.wrench = body.wrench - (1.0 / h) * back",
        "body.wrench = body.wrench + (1.0 / h) * back",
        PUSH,
    ),
    (
        "object-slip",
        "slip against the world in place of slip against the other body",
        "mechanics/contact/moving_bodies.py",
        "own - carry_twist(others, from_other(step, i, other))",
        "own",
        PUSH,
    ),
    (
        "mutual-lean",
        "friction between two bodies that does not grow with the load in the solve",
        "mechanics/contact/body_body.py",
        "return gain * (law.lean.along if first else law.lean.across)",
        "return 0.0",
        f"{OBJECTS}::test_a_box_that_slides_on_another_is_braked_by_its_weight",
    ),
    (
        "object-arm",
        "the arm to the other body the wrong way round",
        "mechanics/contact/moving_bodies.py",
        "return Body(step.places, step.owner[i]).origin - Body(step.places, other).origin",
        "return Body(step.places, other).origin - Body(step.places, step.owner[i]).origin",
        f"{OBJECTS}::test_a_hit_off_the_centre_turns_what_is_hit",
    ),
    (
        "self-work",
        "work between two links counted at the first alone",
        "mechanics/contact/free_objects.py",
        "works[i] -= power(mean_twist(solids, step, other, x, start), back)",
        "works[i] -= 0.0",
        f"{OBJECTS}::test_tips_of_a_fold_press_with_torque_over_length",
    ),
    (
        "hull-turn",
        "sign of how much gets wet as a box turns",
        "mechanics/contact/immersed_hull.py",
        "(per * dot(n, open_area)) * n, per * turning)",
        "(per * dot(n, open_area)) * n, -per * turning)",
        f"{WET}::test_changes_of_the_share_are_its_derivatives[crate]",
    ),
    (
        "hull-ends",
        "round ends of a capsule cut as its middle",
        "mechanics/contact/immersed_hull.py",
        "square = r * r if end == 0.0 else max(r * r - (s - end) * (s - end), 0.0)",
        "square = r * r",
        f"{WET}::test_a_ball_is_cut_as_a_cap",
    ),
    (
        "object-added-mass",
        "added mass of an ellipsoid with Lamb's 1 in place of 2",
        "environments/object_water.py",
        "return alpha / (2.0 - alpha), about",
        "return alpha / (1.0 + alpha), about",
        f"{WET}::test_ellipsoids_have_the_added_mass_that_lamb_gives",
    ),
    (
        "bars-overlap",
        "parallel bars touch at an end",
        "mechanics/contact/shapes/carried_shapes.py",
        "s = 0.5 * (low + high)",
        "s = low",
        f"{OBJECTS}::test_nearest_points_of_two_capsules",
    ),
    (
        "object-momentum",
        "sign of the lever of an object's angular momentum",
        "models/chain/contact/contact_recorder.py",
        "spin + np.cross(origin, linear)",
        "spin - np.cross(origin, linear)",
        "tests/contracts/test_witnesses.py::test_every_recorded_variable_has_a_witness[non-smooth-object_momentum]",
    ),
]

HELPERS: dict[str, str] = {}
