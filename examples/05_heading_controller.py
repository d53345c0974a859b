"""A controller bends the body sideways, once per period of the gait, until the swimmer holds a heading."""

import math

import limbless as ll

WANTED = math.radians(30.0)


def heading(quaternion):
    """Angle about the vertical (rad) of the base frame, from its orientation (w, x, y, z)."""
    w, x, y, z = quaternion
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def controller(t, observation):
    """Called once per control period; returns the fields of the gait to change (they are blended in), or None."""
    error = WANTED - heading(observation["base_orientation"])
    return {"turn": max(-0.1, min(0.1, -0.2 * error))}  # a body bent to +y turns clockwise, seen from above


robot = ll.Chain.uniform(links=7, length=0.1, half_width=0.015, half_height=0.03)
gait = ll.BodyWave(amplitude=0.3, growth=0.0, wavelength=0.7, period=1.0, ramp=1.0, spacing=0.1)
result = ll.simulate(robot, gait, ll.Water(), duration=20.0, controller=controller, control_period=1.0)

for time in (0.0, 5.0, 10.0, 20.0):  # whole periods: between them the head swings by 20 degrees
    now = result.dataset["base_orientation"].sel(time=time, method="nearest")
    print(
        f"t = {time:4.0f} s   heading {math.degrees(heading(now.values)):6.1f} deg   (wanted "
        f"{math.degrees(WANTED):.0f} deg)"
    )
