"""Slips of contacts between two bodies that move, as mutants; loaded by `table.py`.

Entries are the fields of `Mutant`: name, mistake, file, correct, wrong, killer, times.
"""
from __future__ import annotations

OBJECTS = "tests/unit/models/test_objects.py"
PUSH = f"{OBJECTS}::test_a_plastic_push_shares_the_momentum"

MUTANTS = [
    ("mutual-reaction", "the other body is pulled along in the solve", "mechanics/contact/mutual.py",
     "back.push = back.push - carry_wrench(", "back.push = back.push + carry_wrench(", PUSH),
    ("mutual-hold", "what holds a base without the impulses of objects", "mechanics/contact/mutual.py",
     "own.hold = own.hold + (I @ answer.twist - answer.lift)", "own.hold = own.hold + I @ answer.twist",
     f"{OBJECTS}::test_a_base_that_is_held_takes_the_impact[fixed]"),
    ("object-reaction", "the force on the other body with the sign of the one on the first",
     "mechanics/contact/objects.py", "body.wrench = body.wrench - (1.0 / h) * back",
     "body.wrench = body.wrench + (1.0 / h) * back", PUSH),
    ("object-slip", "slip against the world in place of slip against the other body", "mechanics/contact/objects.py",
     "return own - carry_twist(others, from_other(step, i, other))", "return own", PUSH),
    ("bars-overlap", "parallel bars touch at an end", "mechanics/contact/moving.py", "s = 0.5 * (low + high)",
     "s = low", f"{OBJECTS}::test_nearest_points_of_two_capsules"),
    ("object-momentum", "sign of the lever of an object's angular momentum", "models/nonsmooth/recording.py",
     "spin + np.cross(origin, linear)", "spin - np.cross(origin, linear)",
     "tests/contracts/test_witnesses.py::test_every_recorded_variable_has_a_witness[non-smooth-object_momentum]"),
]

HELPERS: dict[str, str] = {}
