"""A chain of revolute and spherical joints in other engines, each in the form that suits the engine best."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import limbless as ll
from limbless.robots.chain_arrays import SPHERICAL
from limbless.robots.links import symmetric_matrix

Array = NDArray[np.float64]
_ALIGNED = {(1.0, 0.0, 0.0): pin.JointModelRX, (0.0, 1.0, 0.0): pin.JointModelRY, (0.0, 0.0, 1.0): pin.JointModelRZ}


def _central(arrays: Any, k: int) -> tuple[float, Array, Array]:
    """Mass, centre of mass, and inertia about it, of body k."""
    mass = float(arrays.mass[k])
    center = arrays.moment[k] / mass
    return (
        mass,
        center,
        symmetric_matrix(arrays.inertia[k]) - mass * (center @ center * np.eye(3) - np.outer(center, center)),
    )


def pinocchio_model(chain: ll.Chain) -> pin.Model:
    """Free base; joints about x, y or z take Pinocchio's specialised (faster) joint models; no gravity."""
    arrays, model, joint = chain.arrays(), pin.Model(), 0
    for k, kind in enumerate(arrays.joint_kind):
        if k == 0:
            own = pin.JointModelFreeFlyer()
        elif kind == SPHERICAL:
            own = pin.JointModelSpherical()
        else:
            aligned = _ALIGNED.get(tuple(arrays.axis[k]))
            own = aligned() if aligned else pin.JointModelRevoluteUnaligned(arrays.axis[k])
        joint = model.addJoint(joint, own, pin.SE3(np.eye(3), arrays.arm[k]), f"joint {k}")
        if arrays.mass[k] > 0.0:
            model.appendBodyToJoint(joint, pin.Inertia(*_central(arrays, k)), pin.SE3.Identity())
    model.gravity = pin.Motion.Zero()
    return model


def pinocchio_configuration(position: Array) -> Array:
    """Our position (base, then joints that are all revolute) with the quaternion scalar last."""
    return np.concatenate([position[:3], position[4:7], position[3:4], position[7:]])


FLUID = (
    '<option gravity="0 0 0" integrator="RK4" timestep="0.001" density="1000" viscosity="0.001"/>'
    '<default><geom contype="0" conaffinity="0" mass="0" fluidshape="ellipsoid" type="ellipsoid"/></default>'
)


def mujoco_model(chain: ll.Chain, fluid: bool = False) -> mujoco.MjModel:
    """Free base and revolute joints; joints without a body between them belong to one MuJoCo body. No gravity, no
    contacts; where asked, in water: MuJoCo's fluid acts on an ellipsoid as large as each section.
    """
    arrays = chain.arrays()
    sections = {piece.body: piece for piece in chain.segments()} if fluid else {}

    def words(numbers: Any) -> str:
        return " ".join(repr(float(number)) for number in numbers)

    text, joints, place, start = "", "<freejoint/>", np.zeros(3), np.zeros(3)
    for k in range(len(arrays.joint_kind)):
        if k:
            place = place + arrays.arm[k]
            joints += f'<joint axis="{words(arrays.axis[k])}" pos="{words(place)}"/>'
        if arrays.mass[k] > 0.0:
            mass, center, inertia = _central(arrays, k)
            full = inertia[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]
            text += (
                f'<body pos="{words(start)}">{joints}<inertial mass="{mass!r}" pos="{words(place + center)}" '
                f'fullinertia="{words(full)}"/>'
            )
            if k in sections:
                piece = sections[k]
                middle = place + piece.start + 0.5 * piece.length * piece.frame[:, 0]
                text += (
                    f'<geom pos="{words(middle)}" size="{0.5 * piece.length!r} {piece.half_width!r} '
                    f'{piece.half_height!r}"/>'
                )
            start, joints, place = place, "", np.zeros(3)
    bodies = text + "</body>" * text.count("<body")
    option = FLUID if fluid else '<option gravity="0 0 0"/>'
    return mujoco.MjModel.from_xml_string(f"<mujoco>{option}<worldbody>{bodies}</worldbody></mujoco>")
