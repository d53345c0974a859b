"""A robot goes out as MJCF and URDF and comes in again: the same mass matrix, and the same swim."""

import numpy as np

import limbless as ll

eel = ll.UniformChain(links=6).build()
ll.save_robot(eel, "eel.urdf")
found = ll.read_robot("eel.urdf", head="base")
print(found)

pose = 0.3 * np.sin(np.arange(eel.freedoms))
before, after = (ll.NewtonEuler(chain).mass_matrix(pose) for chain in (eel, found.chain()))
print(f"largest difference of the mass matrix: {np.abs(after - before).max() / np.abs(before).max():.0e} of it")

gait = ll.BodyWave(amplitude=0.3, wavelength=0.6)
paths = [
    ll.simulate(chain, gait, ll.Water(), duration=2.0).dataset.head_position.values for chain in (eel, found.chain())
]
print(
    f"it swims {np.linalg.norm(paths[0][-1] - paths[0][0]):.3f} m out of our hands and "
    f"{np.linalg.norm(paths[1][-1] - paths[1][0]):.3f} m out of the file"
)
