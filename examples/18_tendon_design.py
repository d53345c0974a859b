"""Design of a tendon-driven neck at rest: a map by how deep it lies in water, and the spine that spends least."""

import limbless as ll

neck = {"gait.points": 41}
found = ll.sweep(
    "neck-horizontal-water",
    {"environment.buoyancy.immersed": [0.5, 0.75, 1.0]},
    measure=["consumption", "reached"],
    changes=neck,
    out="sweeps/neck",
    workers=0,
)
for immersed, spent in zip(
    found.dataset["environment.buoyancy.immersed"].values, found.dataset["consumption"].values, strict=True
):
    print(f"{immersed:.0%} immersed: {1e3 * spent:.2f} mJ")
print(found.told())

# Stiffness at both ends and the distance of the tendons from the axis, with exact slopes (adjoints of the equilibria)
over = {
    "robot.first_stiffness": (0.03, 0.06),
    "robot.last_stiffness": (0.02, 0.05),
    "robot.hole_radius": ("9 mm", "13 mm"),
}
best = ll.optimise("neck-horizontal-water", over, minimise="consumption", changes=neck, starts=1, certify=False)
print(f"{1e3 * best.value:.2f} mJ by {best.method} after {len(best.history)} designs; {best.told()}")
