"""A neck pulled by four tendons draws a figure of eight with its head: which tensions does that
take, and what does it cost?
"""

import numpy as np

import limbless as ll

# The ready-made task, hanging in air and in water: 241 points, each an exact equilibrium
for scenario in ("neck-vertical-air", "neck-vertical-water"):
    result = ll.run(scenario)
    path, spent = result.dataset, result.summary()["statics"]
    largest = path.tension.max("point")
    print(
        f"{scenario}: the head is {1e3 * float(path.target_error.max()):.1e} mm off at most; largest tensions "
        + ", ".join(f"{name} {float(value):.3f} N" for name, value in zip(path.tendon.values, largest, strict=True))
    )
    print(
        f"  actuators spend {1e3 * spent['consumption']:.3f} mJ where they pull; with what they are given back the "
        f"closed path sums to "
        f"{1e3 * abs(spent['actuator_work']):.0e} mJ"
    )

# The same neck in one's own hands
hanging = (np.sqrt(0.5), 0.0, np.sqrt(0.5), 0.0)  # x, along the body, points down
neck = ll.TendonStatics(ll.SnakeNeck(), ll.Gravity(), base_orientation=hanging)
s = np.linspace(0.0, 2.0 * np.pi, 25)
targets = np.stack([0.030 * np.sin(s), 0.012 * np.sin(2.0 * s)], axis=1)  # y and z of the head, m
found = neck.inverse(targets)
turned = neck.pulley_angles(found.equilibria[3].tendon_length)
print(
    f"at point 3 the tendons pull {found.tension[3].round(3)} N and the pulleys stand at "
    f"{np.degrees(turned).round(1)} deg"
)

far = neck.inverse([[0.2, 0.0]])
print(f"20 cm to the left is out of reach: the nearest place is {100 * far.error[0]:.1f} cm away")

# Three tendons instead of four, told where the head shall look; one of them is always slack
three = neck.changed(robot=ll.SnakeNeck(tendon_count=3))
look = three.inverse(np.radians([[20.0, 10.0], [-20.0, -10.0]]), ("heading", "elevation"))
print(f"to look 20 deg to the left and 10 deg up, three tendons pull {look.tension[0].round(3)} N")

# Elastic tendons whose actuators hold still stiffen the tip; pulled harder they do it more
springy = neck.changed(tendon_stiffness=50.0, tendon_stiffening=800.0)
for wanted in (2.8, 3.2):
    stiff = springy.inverse([[0.0, -0.01]], prefer="stiffness", stiffness=wanted)
    print(
        f"a tip of {wanted} N/m: {stiff.stiffness[0]:.2f} N/m with tensions {stiff.tension[0].round(3)} N"
        + ("" if stiff.wish_met[0] else ", which is not as wished")
    )
if not found.reached.all() or not look.reached.all():
    raise SystemExit("all of this should be within reach")
