"""The same gait and the same water on a continuous rod and on chains that are cut ever finer from it."""

import numpy as np

import limbless as ll

rod = ll.Rod(length=1.0, half_width=0.03, half_height=0.045)
gait = ll.BodyWave(amplitude=0.25, growth=0.0, wavelength=1.0, period=1.0, ramp=0.5)
# without the wake: it leaves along the last link of a chain, which is the end of a rod to the first order only
options = {"environment": ll.Water(wake="none"), "duration": 1.0, "step": 0.005, "record_every": 0.5}

smooth = ll.simulate(rod, gait, model="macro-continuous", **options).dataset.com_position.values[-1]
print(f"rod: the centre of mass is at x = {smooth[0]:.5f} m after 1 s")
misses = []
for links in (10, 20, 40):
    middle = gait.changed(x_first=0.5 / links)  # a link points as the rod does at its middle
    track = ll.simulate(rod.to_chain(links), middle, model="newton-euler", **options).dataset.com_position.values[-1]
    misses.append(float(np.linalg.norm(track - smooth)))
    print(f"chain of {links:2d} links: {1000 * misses[-1]:.4f} mm away")
print(
    f"halving the links divides the difference by {misses[0] / misses[1]:.1f} and {misses[1] / misses[2]:.1f}: "
    f"second order"
)
