"""Slips of the law of water that are easy to make, as mutants; loaded by `table.py`.

Entries are the fields of `Mutant`: name, erratum, file, correct, printed, killer, times.
"""
from __future__ import annotations

WAKE = "tests/unit/environments/test_wake.py"

MUTANTS = [
    ("wake-pressure", "the pressure term of the wake with the other sign: three times the energy",
     "mechanics/forces/wake.py", "left * P - Vector(", "left * P + Vector(",
     f"{WAKE}::test_power_is_the_energy_left_behind"),
    ("wake-roll", "the energy of the water beside the tail without that of its roll", "mechanics/forces/wake.py",
     "0.5 * (dot(W, P) + roll * rate.x)", "0.5 * dot(W, P)",
     f"{WAKE}::test_power_is_the_energy_left_behind"),
    ("wake-end", "a robot led by its tip leaves its wake at the tip", "environments/water.py",
     'last = robot.head == "base"', "last = True", f"{WAKE}::test_a_robot_led_by_its_tip_leaves_the_wake_at_its_base"),
]

HELPERS: dict[str, str] = {}
