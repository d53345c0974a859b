"""The equations one state at a time: which torques does a motion take, and which motion do these torques make?"""

import numpy as np

import limbless as ll

eel = ll.NewtonEuler(ll.KhalilEel(), ll.Water())
generator = np.random.default_rng(1)
position, velocity, acceleration = (generator.uniform(-0.3, 0.3, eel.chain.freedoms) for _ in range(3))
twist = [-0.4, 0.0, 0.0, 0.0, 0.0, 0.1]  # of the head, in its own axes: linear, then angular

inverse = eel.inverse(position, velocity, acceleration, twist)
print(
    f"largest torque {np.abs(inverse.joint_torque).max():.3f} N m, head acceleration "
    f"{inverse.base_acceleration.round(3)}"
)

direct = eel.forward(position, velocity, inverse.joint_torque, twist)
print(f"back to the same joint accelerations: {np.abs(direct.joint_acceleration - acceleration).max():.1e} rad/s2")

# yaw joints follow a motion, the others hang loose
yaw = np.array([label == "yaw" for label in eel.chain.joint_labels])
hybrid = eel.hybrid(yaw, position, velocity, acceleration, np.zeros(eel.chain.freedoms), twist)
print(
    f"with loose pitch and roll the yaw torques change by "
    f"{np.abs((hybrid.joint_torque - inverse.joint_torque)[yaw]).max():.3f} N m"
)
