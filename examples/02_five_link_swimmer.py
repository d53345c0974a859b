"""A swimmer of five equal links, described in Python. `swimmer.yaml` is the same in YAML."""

import limbless as ll

robot = ll.Chain.uniform(links=5, length=0.1, half_width=0.015, half_height=0.03)
gait = ll.BodyWave(amplitude=0.35, growth=0.0, wavelength=0.5, period=1.0, ramp=1.0)
result = ll.simulate(robot, gait, ll.Water(), duration=10.0)

print(robot)
print(result)
