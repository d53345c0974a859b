"""The snake robot of paper 002 in MuJoCo: spheres at the ends of links, elliptic cones, position servos;
for tests and benchmarks.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import limbless as ll
from limbless.control.actuation.gait_to_joints import joint_motion


def snake_text(scenario: ll.Scenario, step: float, cone: str = "elliptic") -> str:
    """The robot and ground of one of the snake scenarios, in MuJoCo's language. Its contacts are
    soft; these are made stiff.
    """
    robot, ground = scenario.robot, scenario.environment[0]
    across, along = robot.inertias()
    rubbing = f'friction="{ground.lateral} 0 {ground.rolling * robot.sphere_radius}"'
    friction = f'{rubbing} condim="6" solref="{max(0.002, 2 * step)} 1"'
    start = scenario.initial
    body = ""
    for number in reversed(range(robot.links)):
        center = 0.0 if number == 0 else 0.5 * robot.length
        place = start.position if number == 0 else ((0.5 if number == 1 else 1.0) * robot.length, 0, 0)
        turn = " ".join(map(repr, start.orientation if number == 0 else (1.0, 0.0, 0.0, 0.0)))
        joints = (
            "<freejoint/>"
            if number == 0
            else (
                f'<joint name="yaw{number}" type="hinge" axis="0 0 1"/>'
                f'<joint name="pitch{number}" type="hinge" axis="0 1 0"/>'
            )
        )
        spheres = "".join(
            f'<geom type="sphere" size="{robot.sphere_radius}" '
            f'pos="{center + side * robot.sphere_distance} 0 0" mass="0" '
            f'contype="1" conaffinity="2" {friction}/>'
            for side in (-1, 1)
        )
        body = (
            f'<body name="link{number}" pos="{" ".join(map(repr, place))}" quat="{turn}">{joints}'
            f'<inertial mass="{robot.link_mass}" pos="{center} 0 0" diaginertia="{along} {across} '
            f'{across}"/>{spheres}'
            f'<site name="middle{number}" pos="{center} 0 0"/>{body}</body>'
        )
    kp, kd = scenario.actuation.stiffness, scenario.actuation.damping
    motors = "".join(
        f'<position joint="{axis}{number}" kp="{gain}" kv="{kd}"/>'
        for number in range(1, robot.links)
        for axis, gain in zip(("yaw", "pitch"), kp, strict=True)
    )
    return (
        f'<mujoco><option timestep="{step!r}" integrator="implicitfast" cone="{cone}" impratio="10"/>'
        f'<worldbody><geom type="plane" size="5 5 1" contype="2" conaffinity="1" {friction}/>{body}</worldbody>'
        f"<actuator>{motors}</actuator></mujoco>"
    )


def references(scenario: ll.Scenario, step: float, steps: int) -> np.ndarray:
    """What the servos are told at the middle of every step: position and rate in one number, as their law is linear."""
    joints = 2 * (scenario.robot.links - 1)
    drive = scenario.gait.sample((np.arange(steps) + 0.5) * step, np.arange(joints, dtype=float))
    return drive.value + drive.rate * (scenario.actuation.damping / np.tile(scenario.actuation.stiffness, joints // 2))


def ready(scenario: ll.Scenario, step: float, cone: str = "elliptic") -> tuple[Any, Any]:
    """Model and data at the start of a scenario."""
    model = mujoco.MjModel.from_xml_string(snake_text(scenario, step, cone))
    data = mujoco.MjData(model)
    if scenario.initial.joint_position is None:
        data.qpos[7:] = joint_motion(scenario.robot.build(), scenario.gait, np.zeros(1)).position[0]
    mujoco.mj_forward(model, data)
    return model, data


def settled_load(scenario, step, steps):
    """Sum of all normal forces (N) after so many steps: the weight, once the robot has come to rest."""
    model, data = ready(scenario, step)
    for row in references(scenario, step, steps):
        data.ctrl[:] = row
        mujoco.mj_step(model, data)
    total, wrench = 0.0, np.zeros(6)
    for number in range(data.ncon):
        mujoco.mj_contactForce(model, data, number, wrench)
        total += wrench[0]
    return total
