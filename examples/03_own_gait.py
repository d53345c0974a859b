"""A gait of your own in plain Python. This one imitates the built-in `body-wave`, and is compared with it."""

import numpy as np

import limbless as ll


def wave(t, s):
    """Heading (rad) of the body at times t (T,) and arc lengths s (S,) behind the first joint."""
    u = np.minimum(t / 2.0, 1.0)  # a smooth start over two seconds
    start = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    phase = 2.0 * np.pi * (s[None, :] / 1.8 - t[:, None] / 2.0)
    return start[:, None] * 0.06 * np.exp(1.2 * s) * np.sin(phase)


own = ll.run("eel-planar", {"gait": ll.FunctionGait(function=wave, period=2.0), "duration": 4.0})
built_in = ll.run("eel-planar", {"duration": 4.0})

difference = float(abs(own.dataset["head_position"] - built_in.dataset["head_position"]).max())
print(f"largest difference of the head's path: {difference:.1e} m")
