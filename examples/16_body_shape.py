"""Which body would the same gait make faster? Slopes along the body, and the best width and link length."""

import limbless as ll

over = {"robot.half_width": (0.05, 0.08), "robot.link_length": (0.12, 0.15)}
motion = ll.steady("eel-planar", slopes=list(over))
for path, slope in motion.slopes["speed"].items():
    print(f"one millimetre more of {path}: {1e3 * slope * 1e-3:+.3f} mm/s")

best = ll.optimise(
    "eel-planar", over, maximise="steady.speed", subject_to=["steady.torque_ratio <= 1.25"], starts=1, certify=False
)
print(f"{motion.speed:.4f} m/s becomes {best.value:.4f} m/s; {', '.join(best.certainty['bounds_active']) or 'inside'}")
