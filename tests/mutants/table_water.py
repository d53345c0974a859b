"""Slips of the law of water that are easy to make, as mutants; loaded by `table.py`.

Entries are the fields of `Mutant`: name, erratum, file, correct, printed, killer, times.
"""

from __future__ import annotations

WAKE = "tests/unit/environments/test_wake.py"
SURFACE = "tests/unit/environments/test_surface.py"
SPINE = "tests/unit/models/statics/test_tendon_water.py"
FLOWS = "tests/unit/environments/flows/test_flows.py"

MUTANTS = [
    (
        "wake-pressure",
        "the pressure term of the wake with the other sign: three times the energy",
        "mechanics/forces/wake.py",
        "left * P - Vector(",
        "left * P + Vector(",
        f"{WAKE}::test_power_is_the_energy_left_behind",
    ),
    (
        "wake-roll",
        "the energy of the water beside the tail without that of its roll",
        "mechanics/forces/wake.py",
        "0.5 * (dot(W, P) + roll * rate.x)",
        "0.5 * dot(W, P)",
        f"{WAKE}::test_power_is_the_energy_left_behind",
    ),
    (
        "wake-end",
        "a robot led by its tip leaves its wake at the tip",
        "environments/water.py",
        'last = robot.head == "base"',
        "last = True",
        f"{WAKE}::test_a_robot_led_by_its_tip_leaves_the_wake_at_its_base",
    ),
    (
        "frozen-immersion",
        "immersion counts as constant while a body bobs: it gains energy",
        "mechanics/forces/waterline.py",
        "F.force - wetting * P + energy * cut.along",
        "F.force",
        f"{SURFACE}::test_heave_has_its_period_and_keeps_its_energy",
    ),
    (
        "pressure-at-a-place",
        "du/dt in the pressure of moving water, in place of Du/Dt",
        "mechanics/forces/open_water.py",
        "P, carried = scaled(D, W), water.gradient @ u",
        "P, carried = scaled(D, W), 0.0 * u",
        f"{FLOWS}::test_strain_of_the_stream_throws_out_a_heavy_body",
    ),
    (
        "wave-gradient",
        "(P.grad) u transposed",
        "mechanics/forces/open_water.py",
        "- water.gradient @ P\n",
        "- transpose(water.gradient) @ P\n",
        "tests/golden/test_water.py::test_states_in_moving_water",
    ),
    (
        "spine-lift-at-the-axis",
        "lift on the axis of a spine, not below it where what is wet has its centroid",
        "mechanics/statics/water_lift.py",
        "arm = along * axes.x - (SAG * whole.sag / e) * pull",
        "arm = along * axes.x",
        f"{SPINE}::test_the_energy_is_that_of_small_pieces_under_water",
    ),
]

HELPERS: dict[str, str] = {}
