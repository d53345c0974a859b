"""A made-up swimmer with 13 sections and 36 joints whose every number is known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

from limbless.models import choose
from limbless.models.base import Model, State, Variable
from limbless.simulation.result import Result

SECTIONS, JOINTS, PERIOD, MASS = 13, 36, 2.0, 37.0
LENGTHS = np.array([0.4] + [0.14] * 12)
LIMITS = np.tile([4.0, 4.0, 0.7], JOINTS // 3)


class MadeUpModel(Model):
    """Declares what the swimmer records, as a real model would."""

    def schema(self) -> dict[str, Variable]:
        body, world = "body", "world"
        return {
            "base_position": Variable(("axis",), "m", "position of the base", world),
            "base_orientation": Variable(("quaternion",), "1", "orientation of the base", world),
            "base_twist": Variable(("screw",), "m/s; rad/s", "twist of the base", body),
            "head_position": Variable(("axis",), "m", "position of the head", world),
            "com_position": Variable(("axis",), "m", "centre of mass", world),
            "com_velocity": Variable(("axis",), "m/s", "velocity of the centre of mass", world),
            "position": Variable(("section", "axis"), "m", "middle of each section", world),
            "orientation": Variable(("section", "quaternion"), "1", "orientation of each section", world),
            "joint_position": Variable(("joint",), "rad", "joint position"),
            "joint_velocity": Variable(("joint",), "rad/s", "joint velocity"),
            "joint_torque": Variable(("joint",), "N m", "joint torque"),
            "kinetic_energy": Variable((), "J", "kinetic energy"),
            **{
                f"{who}_work": Variable((), "J", f"work of the {who} forces")
                for who in ("actuator", "environment", "passive")
            },
            **{
                f"{who}_power": Variable((), "W", f"power of the {who} forces")
                for who in ("actuator", "environment", "passive")
            },
            "momentum": Variable(("screw",), "N s; N m s", "momentum about the world origin", world),
            "impulse": Variable(("screw",), "N s; N m s", "impulse since the start", world),
            **choose("positive_work", "peak_torque", "peak_time", "limit_time"),
        }

    def coordinates(self) -> dict:
        joints = [f"joint {number}" for number in range(1, JOINTS + 1)]
        return {
            "joint": (("joint",), np.array(joints), {}),
            "joint_axis": (("joint",), np.array(["yaw", "pitch", "roll"] * (JOINTS // 3)), {}),
            "section": (("section",), np.array([f"link {number}" for number in range(SECTIONS)]), {}),
            "radius": (("section", "transverse"), np.tile([0.065, 0.09], (SECTIONS, 1)), {"units": "m"}),
            "section_length": (("section",), LENGTHS, {"units": "m"}),
            "joint_limit": (("joint",), LIMITS, {"units": "N m"}),
        }


def yaw_quaternion(angle: np.ndarray) -> np.ndarray:
    zero = np.zeros_like(angle)
    return np.stack([np.cos(angle / 2), zero, zero, np.sin(angle / 2)], axis=-1)


def made_up_block(time: np.ndarray) -> dict[str, np.ndarray]:
    """A straight swim towards -x at 0.4 m/s with a wave of heading along the body; work flows from
    the actuators to the water.
    """
    records = len(time)
    speed, phase = 0.4, 2 * np.pi * time / PERIOD
    zero = np.zeros(records)
    start = np.concatenate([[0.0], np.cumsum(LENGTHS)[:-1]])
    middle = start + LENGTHS / 2
    heading = 0.06 * np.exp(1.2 * middle) * np.sin(2 * np.pi * middle / 1.8 - phase[:, None])
    steps = LENGTHS[:, None] * np.stack([np.cos(heading), np.sin(heading), 0 * heading], axis=-1)
    head = np.stack([-speed * time, 0.04 * np.sin(phase), zero], axis=-1)
    position = head[:, None] + np.cumsum(steps, axis=1) - steps / 2
    orientation = yaw_quaternion(heading)
    velocity = np.stack([zero - speed, 0.04 * 2 * np.pi / PERIOD * np.cos(phase), zero], axis=-1)
    turned = heading[:, 0]
    twist = np.zeros((records, 6))
    twist[:, 0] = np.cos(turned) * velocity[:, 0] + np.sin(turned) * velocity[:, 1]
    twist[:, 1] = -np.sin(turned) * velocity[:, 0] + np.cos(turned) * velocity[:, 1]
    com = np.stack([1.04 - speed * time, zero, zero], axis=-1)
    behind = np.linspace(0, 5, JOINTS)
    lag, swing = phase[:, None] - behind, 0.2 * 2 * np.pi / PERIOD
    largest = np.tile([3.0, 1.0, 0.2], JOINTS // 3) * np.sin(np.linspace(0.3, 2.9, JOINTS))
    largest[15] *= 1.5
    torque, top = largest * np.cos(lag), np.broadcast_to(behind * PERIOD / (2 * np.pi), lag.shape)
    kinetic = 2.0 + 0.5 * np.sin(phase)
    actuator_work, passive_work = 5.0 * time, -0.5 * time
    momentum = np.concatenate([MASS * np.stack([zero - speed, zero, zero], -1), np.zeros((records, 3))], axis=1)
    return {
        "time": time,
        "base_position": head,
        "base_orientation": orientation[:, 0],
        "base_twist": twist,
        "head_position": head,
        "com_position": com,
        "com_velocity": np.stack([zero - speed, zero, zero], -1),
        "position": position,
        "orientation": orientation,
        "joint_position": 0.2 * np.sin(lag),
        "joint_velocity": swing * np.cos(lag),
        "joint_torque": torque,
        "positive_work": largest
        * swing
        * (time[:, None] / 2 + PERIOD / 8 / np.pi * (np.sin(2 * lag) + np.sin(2 * behind))),
        "peak_torque": np.broadcast_to(largest, lag.shape),
        "peak_time": top,
        "limit_time": np.where(largest > LIMITS, top, np.inf),
        "kinetic_energy": kinetic,
        "actuator_work": actuator_work,
        "passive_work": passive_work,
        "environment_work": kinetic - 2.0 - actuator_work - passive_work,
        "actuator_power": zero + 5.0,
        "passive_power": zero - 0.5,
        "environment_power": 0.5 * 2 * np.pi / PERIOD * np.cos(phase) - 4.5,
        "momentum": momentum,
        "impulse": 0.0 * momentum,
    }


@pytest.fixture
def swimmer() -> Result:
    """Ten seconds of the made-up swimmer, from two blocks, without a scenario."""
    time = np.arange(501) * 0.02
    blocks = [made_up_block(time[:200]), made_up_block(time[200:])]
    memory = {
        "warm": np.array([[1.0, 2.0]]),
        "latched": np.array([True, False]),
        "empty": np.zeros(0),
        "count": np.array(3),
    }
    state = State(10.0, np.array([1.0, np.pi, -0.0]), memory)
    facts = {
        "scenario_name": "made-up",
        "model": "newton-euler",
        "step": 0.01,
        "gait_period": PERIOD,
        "total_mass": MASS,
    }
    return Result.from_records(blocks, MadeUpModel(), None, "completed", state, 2.0, facts=facts)
