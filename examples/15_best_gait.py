"""The fastest gait that the motors of the eel can hold: exact slopes, one limit per joint, confirmed by a run."""

import limbless as ll

before = ll.steady("eel-planar")
print(f"The paper's gait: {before.speed:.4f} m/s with {before.torque_ratio:.2f} of the torque that the motors give.")

over = {
    "gait.amplitude": (0.005, 0.3),
    "gait.growth": (0.0, 2.5),
    "gait.wavelength": (0.8, 4.0),
    "gait.period": (0.6, 4.0),
}
best = ll.optimise(
    "eel-planar", over, maximise="steady.speed", subject_to=["steady.torque_ratio <= 1"], starts=1, certify=False
)
print(f"The best within them: {best.value:.4f} m/s. {best.told()}.")
