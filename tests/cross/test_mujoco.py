"""A torque-driven chain that falls and tumbles, stepped by limbless and by MuJoCo with the same Runge-Kutta step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import mujoco
import numpy as np
import pytest
from numpy.typing import NDArray
from random_chains import direction, random_mass, unit_quaternion

import limbless as ll
from limbless.robots.joints import Joint
from limbless.robots.links import Link

Array = NDArray[np.float64]

STEP, STEPS, GRAVITY = 1e-3, 100, (0.4, -0.3, -9.81)
FREEDOMS = 9  # 1 + 2 + 3 + 1 + 2
AMPLITUDE, RATE, PHASE = (
    np.linspace(0.3, -0.4, FREEDOMS),
    np.linspace(20.0, 60.0, FREEDOMS),
    np.linspace(0.0, 3.0, FREEDOMS),
)


def torque(times: Array, joints: Array) -> Array:
    """Joint torques (T, joints), N m."""
    return AMPLITUDE * np.sin(RATE * np.asarray(times)[:, None] + PHASE)


def tumbling_chain(rng: np.random.Generator) -> ll.Chain:
    """One joint of each kind, with rotors and dampers (the same number for all axes of a joint, as MuJoCo has it)."""
    links = [Link(**random_mass(rng))]
    for kind in ("revolute", "universal", "spherical", "prismatic", "universal"):
        fields: dict[str, Any] = {
            "kind": kind,
            "rotor_inertia": rng.uniform(0.001, 0.01),
            "damping": rng.uniform(0.0, 0.05),
        }
        if kind != "spherical":
            fields |= {"axis": tuple(direction(rng)), "stiffness": rng.uniform(0.0, 3.0)}
        if kind == "universal":
            fields |= {"second_axis": tuple(direction(rng)), "offset": tuple(0.05 * rng.normal(size=3))}
        links.append(
            Link(
                joint=Joint(**fields),
                position=tuple(0.2 * rng.normal(size=3)),
                orientation=tuple(unit_quaternion(rng)),
                **random_mass(rng),
            )
        )
    return ll.Chain(links=tuple(links))


def words(numbers: Any) -> str:
    return " ".join(repr(float(number)) for number in numbers)


def body_text(links: tuple[Link, ...]) -> str:
    """A link and all behind it, in MuJoCo's language: axes and anchors in the link frame, as here."""
    link, joints = links[0], "<freejoint/>"
    mass, moment, inertia, *_ = link.mass_properties()
    center = moment / mass
    central = inertia - mass * (center @ center * np.eye(3) - np.outer(center, center))
    if link.joint is not None:
        own = link.joint
        passive = f'armature="{own.rotor_inertia}" damping="{own.damping}" stiffness="{own.stiffness}"'
        kind = {"prismatic": "slide", "spherical": "ball"}.get(own.kind, "hinge")
        joints = f'<joint type="{kind}" axis="{words(own.axis)}" pos="{words(-np.array(own.offset))}" {passive}/>'
        if own.second_axis is not None:
            joints += f'<joint type="hinge" axis="{words(own.second_axis)}" {passive}/>'
    return (
        f'<body pos="{words(link.translation())}" quat="{words(link.orientation)}">{joints}'
        f'<inertial mass="{mass!r}" pos="{words(center)}" '
        f'fullinertia="{words(central[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)])}"/>'
        f"{body_text(links[1:]) if len(links) > 1 else ''}</body>"
    )


def home_of(chain: ll.Chain, kind: str) -> Array:
    """Axes of the first link with such a joint, in the base frame at home."""
    home = np.eye(3)
    for link in chain.links[1:]:
        home = home @ link.rotation()
        if link.joint.kind == kind:
            return home
    raise LookupError(kind)


class Twin:
    """The chain in MuJoCo, in the state that `initial` gives. The spherical joint has its columns 3 to 5 along the
    base's axes at home.
    """

    def __init__(self, chain: ll.Chain, initial: dict[str, Any]) -> None:
        options = f'<option timestep="{STEP!r}" integrator="RK4" gravity="{words(GRAVITY)}"/>'
        self.model = mujoco.MjModel.from_xml_string(
            f"<mujoco>{options}<worldbody>{body_text(chain.links)}</worldbody></mujoco>"
        )
        self.data, self.home = mujoco.MjData(self.model), home_of(chain, "spherical")
        q, v = np.array(initial["joint_position"]), np.array(initial["joint_velocity"])
        ball = np.zeros(4)
        mujoco.mju_axisAngle2Quat(ball, self.home.T @ q[3:6] / np.linalg.norm(q[3:6]), np.linalg.norm(q[3:6]))
        R = self.rotation(np.array(initial["orientation"]))
        self.data.qpos = np.concatenate([initial["position"], initial["orientation"], q[:3], ball, q[6:]])
        self.data.qvel = np.concatenate([R @ initial["twist"][:3], initial["twist"][3:], self.columns(v, self.home.T)])

    @staticmethod
    def rotation(quaternion: Array) -> Array:
        flat = np.zeros(9)
        mujoco.mju_quat2Mat(flat, quaternion)
        return flat.reshape(3, 3)

    @staticmethod
    def columns(joints: Array, turn: Array) -> Array:
        return np.concatenate([joints[:3], turn @ joints[3:6], joints[6:]])

    def push(self, model: Any, data: Any) -> None:
        """MuJoCo calls this at every stage of a step."""
        data.qfrc_applied[6:] = self.columns(torque(np.array([data.time]), np.zeros(0))[0], self.home.T)

    def state(self) -> dict[str, Array]:
        """As limbless names it."""
        q, v, turn = self.data.qpos, self.data.qvel, np.zeros(3)
        mujoco.mju_quat2Vel(turn, q[10:14], 1.0)
        R = self.rotation(q[3:7].copy())
        return {
            "base_position": q[:3],
            "base_orientation": q[3:7],
            "base_twist": np.concatenate([R.T @ v[:3], v[3:6]]),
            "joint_position": np.concatenate([q[7:10], self.home @ turn, q[14:]]),
            "joint_velocity": self.columns(v[6:], self.home),
        }


@pytest.fixture
def clean_callback() -> Iterator[None]:
    yield
    mujoco.set_mjcb_control(None)


@pytest.mark.parametrize("seed", range(3))
def test_same_motion_as_mujoco(seed: int, clean_callback: None) -> None:
    rng = np.random.default_rng(seed)
    chain = tumbling_chain(rng)
    initial = {
        "position": tuple(rng.normal(size=3)),
        "orientation": tuple(unit_quaternion(rng)),
        "twist": tuple(rng.normal(size=6)),
        "joint_position": tuple(rng.uniform(-1.0, 1.0, FREEDOMS)),
        "joint_velocity": tuple(rng.normal(size=FREEDOMS)),
    }
    twin = Twin(chain, initial)
    mujoco.set_mjcb_control(twin.push)
    for _ in range(STEPS):
        mujoco.mj_step(twin.model, twin.data)
    result = ll.simulate(
        chain,
        ll.FunctionGait(function=torque, drives="torque"),
        ll.Gravity(acceleration=GRAVITY),
        actuation="torque",
        duration=STEP * STEPS,
        step=STEP,
        record_every=STEP * STEPS,
        initial=initial,
    )
    ours = {name: result.dataset[name].values[-1] for name in twin.state()}
    moved = max(np.abs(ours[name] - result.dataset[name].values[0]).max() for name in ours)
    assert moved > 0.1
    for name, theirs in twin.state().items():
        sign = np.sign(ours[name] @ theirs) if name == "base_orientation" else 1.0
        assert np.abs(sign * ours[name] - theirs).max() < 1e-9, name
