"""What real joints cost: how far the snake of paper 002 gets in 15 s, with each effect that the paper
lists as missing in its model.
"""

import math

import limbless as ll

SERVO = {"kind": "servo", "stiffness": [40.0, 800.0], "damping": 0.2}
EFFECTS = {
    "none": {},
    "torques of at most 1 N m": {"actuation.saturation": 1.0},
    "backlash of 4 deg": {"actuation.backlash": math.radians(4.0)},
    "axes 2.2 cm apart": {"robot.joint_offset": 0.022},
    "reference held at 10 Hz": {"actuation.refresh": 10.0},
    "Stribeck friction in the joints, 0.5 N m at rest, 0.3 N m moving": {
        "robot.breakaway_friction": 0.5,
        "robot.coulomb_friction": 0.3,
    },
}

print("| effect | undulation, orthotropic (m) | sidewinding (m) |\n|---|---|---|")
for words, change in EFFECTS.items():
    ways = []
    for name in ("snake-undulate-orthotropic", "snake-sidewind"):
        result = ll.run(name, {"actuation": SERVO, "model.theta": 1.0, "step": 0.001, **change})
        ways.append(math.hypot(*result.summary()["com_displacement"][:2]))
    print(f"| {words} | {ways[0]:.3f} | {ways[1]:.3f} |")
