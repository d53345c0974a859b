"""Dry friction that really sticks: a snake on a slope below the friction angle stays where it is, above it slides."""

import numpy as np

import limbless as ll

still = ll.JointWave(yaw_amplitude=0.0)
for percent in (90, 110):
    slope = float(np.arctan(0.2 * percent / 100))
    ground = ll.Ground(forward=0.2, lateral=0.2, slope=(slope, 0.0))
    tilt = (float(np.cos(slope / 2)), 0.0, -float(np.sin(slope / 2)), 0.0)
    height = 0.0525 / float(np.cos(slope))  # the spheres touch
    result = ll.simulate(
        ll.Aiko(links=3),
        still,
        [ground, ll.Gravity()],
        model="non-smooth",
        duration=1.0,
        step=0.001,
        initial={"position": (0.0, 0.0, height), "orientation": tilt},
        record_every=0.1,
    )
    slid = float(np.linalg.norm(np.diff(result.dataset.com_position.values[[0, -1]], axis=0)))
    print(
        f"slope at {percent} % of the friction angle: slid {1000 * slid:.3f} mm in 1 s; "
        f"worst contact residual {float(result.dataset.contact_residual.max()):.1e} m/s"
    )
