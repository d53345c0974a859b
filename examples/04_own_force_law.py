"""A force law of your own in plain Python. This one imitates the built-in linear `drag`, and is compared with it."""

import numpy as np

import limbless as ll


def viscous(t, position, axes, velocity, rotation_rate):
    """Force per unit length (N/m) on a slice of body, along its own axes: along the body, lateral, vertical."""
    return -np.array([1.0, 5.0, 5.0]) * velocity


robot = ll.Chain.uniform(links=5, length=0.1)
gait = ll.BodyWave(amplitude=0.35, growth=0.0, wavelength=0.5, period=1.0, ramp=1.0)
own = ll.simulate(robot, gait, ll.ForceLaw(law=viscous), duration=2.0)
built_in = ll.simulate(robot, gait, ll.Drag(along=1.0, lateral=5.0, vertical=5.0), duration=2.0)

difference = float(abs(own.dataset["head_position"] - built_in.dataset["head_position"]).max())
print(f"largest difference of the head's path: {difference:.1e} m")
