"""A film of a swimming body, made here with noise and holes, read as an animal's: what it did, which drag it felt."""

import numpy as np
from scipy.interpolate import make_interp_spline

import limbless as ll

# The "animal": a rod in water whose drag we pretend not to know.
length, width = 0.15, ((0.0, 0.016), (0.3, 0.022), (1.0, 0.005))
half = tuple((s * length, 0.5 * d * length) for s, d in width)
animal = ll.Rod(strains="planar", base="planar", length=length, half_width=half)
gait = ll.BodyWave(amplitude=0.55, growth=3.0, wavelength=0.65 * length, period=0.26, ramp=0.26)
water = ll.Water(model="morison", drag=(0.02, 1.5, 1.0, 1.0), added_mass="consistent")
swum = ll.simulate(
    animal, gait, water, model=ll.MacroContinuousSettings(cells=64), duration=3.0, step=0.0025, record_every=0.02
).dataset

# The film: twenty points, fifty frames a second, a tenth of a millimetre of noise, a tenth of the points lost.
along = np.concatenate([[0.0], swum["abscissa"].values])
body = np.concatenate([swum["head_position"].values[:, None, :2], swum["position"].values[..., :2]], axis=1)
points = make_interp_spline(along, body, k=5, axis=1)(np.linspace(0.0, length, 20))[50:]
rng = np.random.default_rng(1)
points = points + 1e-4 * rng.normal(size=points.shape)
points[rng.random(points.shape[:2]) < 0.1] = np.nan

film = ll.Film.from_points(points, rate=50.0, length=length, name="eel")
print(film)

changes = {"environment.0.model": "morison", "environment.0.added_mass": "consistent"}
found = film.identify(["drag.0", "drag.1"], width=width, changes=changes)
print("\n".join(found.lines()))
print(f"ratio of drags: {found.combination((1.0, -1.0)):.4f} (planted {0.02 / 1.5:.4f})")
