"""A chain in Pinocchio, made from its description link by link in link frames; nothing of `Chain.arrays()` enters it.

Three conventions have to be met. Our base acceleration is classical, Pinocchio's spatial: a = a_classical - ω x v. The
axes of a spherical joint are fixed to the child and parallel to the base's at home, so Pinocchio's joint frame is put
there and the link is mounted on it. The wrench of a fluid is integrated here over slices, from Pinocchio's velocities
and classical accelerations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from random_chains import Instant

import limbless as ll
from limbless.robots.links import BodyShape, Link

Array = NDArray[np.float64]


def matrix(quaternion: Any) -> Array:
    w, x, y, z = quaternion
    return pin.Quaternion(w, x, y, z).toRotationMatrix()


class Peer:
    """A chain in Pinocchio, with its base as described, or free; `mounts` take link frames to the
    frames of Pinocchio's joints.
    """

    def __init__(self, chain: ll.Chain, instant: Instant, base: str) -> None:
        self.chain, self.base, self.model = chain, base, pin.Model()
        self.instant = instant
        self.joints: list[int] = []
        self.mounts: list[pin.SE3] = []
        pose = pin.SE3(matrix(instant.base_orientation), instant.base_position)
        self._add_base(pose)
        home = np.eye(3)
        for link in chain.links[1:]:
            home = home @ link.rotation()
            self._add_link(link, home)
        self.model.gravity = pin.Motion.Zero()
        self.data = self.model.createData()

    def _add_base(self, pose: pin.SE3) -> None:
        if self.base == "fixed":
            self._carry(self.chain.links[0], 0, pose)
        else:
            root = pin.JointModelFreeFlyer() if self.base == "free" else pin.JointModelPlanar()
            self._carry(
                self.chain.links[0],
                self._join(0, root, pin.SE3.Identity() if self.base == "free" else pose),
                pin.SE3.Identity(),
            )

    def _join(self, parent: int, kind: Any, placement: pin.SE3, rotor: Any = None) -> int:
        joint = self.model.addJoint(parent, kind, placement, f"joint {self.model.njoints}")
        if rotor is not None:
            first = self.model.joints[joint].idx_v
            armature = self.model.armature.copy()
            armature[first : first + np.size(rotor)] = rotor
            self.model.armature = armature
        return joint

    def _carry(self, link: Link, joint: int, mount: pin.SE3) -> None:
        self.joints.append(joint)
        self.mounts.append(mount)
        mass, moment, inertia, *_ = link.mass_properties()
        if mass > 0.0 and joint > 0:
            center = moment / mass
            central = inertia - mass * (center @ center * np.eye(3) - np.outer(center, center))
            self.model.appendBodyToJoint(joint, pin.Inertia(mass, center, central), mount)

    def _add_link(self, link: Link, home: Array) -> None:
        parent, before = self.joints[-1], self.mounts[-1]
        placement, mount, own = before * pin.SE3(link.rotation(), link.translation()), pin.SE3.Identity(), link.joint
        rotor, axis = np.array(own.per_freedom("rotor_inertia")), np.array(own.axis)
        if own.kind == "universal":
            offset = np.array(own.offset)
            parent = self._join(
                parent, pin.JointModelRevoluteUnaligned(axis), placement * pin.SE3(np.eye(3), -offset), rotor[0]
            )
            joint = self._join(
                parent, pin.JointModelRevoluteUnaligned(np.array(own.second_axis)), pin.SE3(np.eye(3), offset), rotor[1]
            )
        elif own.kind == "spherical":  # its axes are the base's, not the link's, at home
            mount = pin.SE3(home, np.zeros(3))
            joint = self._join(parent, pin.JointModelSpherical(), placement * mount.inverse(), rotor)
        else:
            kind = pin.JointModelRevoluteUnaligned if own.kind == "revolute" else pin.JointModelPrismaticUnaligned
            joint = self._join(parent, kind(axis), placement, rotor)
        self._carry(link, joint, mount)

    def configuration(self) -> Array:
        w, *vector = self.instant.base_orientation
        columns = {"free": [*self.instant.base_position, *vector, w], "planar": [0.0, 0.0, 1.0, 0.0], "fixed": []}[
            self.base
        ]
        taken = 0
        for link in self.chain.links[1:]:
            own = self.instant.joint_position[taken : taken + link.joint.freedoms]
            taken += link.joint.freedoms
            columns.extend(pin.Quaternion(pin.exp3(own)).coeffs() if link.joint.kind == "spherical" else own)
        return np.array(columns)

    def _reduced(self, base: Array) -> Array:
        return {"free": base, "planar": base[[0, 1, 5]], "fixed": base[:0]}[self.base]

    def velocity(self) -> Array:
        return np.concatenate([self._reduced(self.instant.base_twist), self.instant.joint_velocity])

    def acceleration(self, solution: Any) -> Array:
        base, twist = solution.base_acceleration.copy(), self.instant.base_twist
        base[:3] -= np.cross(twist[3:], twist[:3])
        return np.concatenate([self._reduced(base), solution.joint_acceleration])

    def forces(self, wrenches: list[pin.Force]) -> Any:
        """Wrenches on links, about their origins in link frames, as Pinocchio takes them."""
        total = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for joint, mount, wrench in zip(self.joints, self.mounts, wrenches, strict=True):
            total[joint] = total[joint] + mount.act(wrench)
        return pin.StdVec_Force(total)


# What the environment does, and the springs and friction of the joints


def slice_wrench(
    water: Any, body: BodyShape, U: Array, Vd: Array, w: Array, wd: Array, E: Array
) -> tuple[Array, Array]:
    """Force and moment per length on a slice that moves with U through the fluid, all in the link frame.

    (46)-(49) of paper 001, or, consistently, the rate of the fluid's momentum.
    """
    a, b, e1 = body.half_width, body.half_height, E[:, 0]
    if isinstance(water, ll.Drag):
        return -E @ np.diag([water.along, water.lateral, water.vertical]) @ E.T @ U, -water.roll * (w @ e1) * e1
    rho, (C1, C2, C3, C4), (C5, C6, C7) = water.density, water.drag, water.inertia
    along, across, upward = E.T @ U
    normal, perimeter = np.hypot(across, upward), np.pi * (a + b) * (0.5 if water.perimeter == "half" else 1.0)
    force = (
        -0.5
        * rho
        * E
        @ [C1 * perimeter * abs(along) * along, C2 * 2 * b * normal * across, C3 * 2 * a * normal * upward]
    )
    moment = -0.5 * rho * C4 * (b * b - a * a) ** 2 * abs(w @ e1) * (w @ e1) * e1
    D = rho * np.pi * E @ np.diag([0.0, C5 * b * b, C6 * a * a]) @ E.T
    roll = rho * np.pi * C7 * (b * b - a * a) ** 2 / 8 * np.outer(e1, e1)
    form = getattr(water, "form", "none")  # drag alone carries no water along
    if form == "paper":
        force, moment = force - D @ Vd, moment - roll @ wd
    elif form == "consistent":  # minus the rate of the momentum p = D U, whose axes turn
        p = D @ U
        force = force - D @ (Vd - np.cross(w, U)) - np.cross(w, p)
        moment = moment - roll @ wd - np.cross(w, roll @ w) - np.cross(U, p)
    return force, moment


def link_wrench(link: Link, environment: Any, velocity: pin.Motion, spatial: pin.Motion, R: Array) -> pin.Force:
    """Wrench of the environment on a link, about its origin in its frame; gravity is left to Pinocchio."""
    total, body = pin.Force.Zero(), link.body
    v, w, wd = velocity.linear, velocity.angular, spatial.angular
    classical = spatial.linear + np.cross(w, v)
    for item in environment:
        if isinstance(item, ll.Buoyancy):
            lift = -item.density * item.immersed * (link.volume or 0.0) * R.T @ np.array(item.acceleration)
            total = total + pin.Force(lift, np.cross(link.volume_centre or np.zeros(3), lift))
        elif body is not None and isinstance(item, ll.Water | ll.Drag):
            e1 = np.array(body.axis) / np.linalg.norm(body.axis)
            e2 = np.array(body.lateral) - e1 * (e1 @ body.lateral)
            e2 = e2 / np.linalg.norm(e2)
            E = np.column_stack([e1, e2, np.cross(e1, e2)])
            for node, weight in zip(*np.polynomial.legendre.leggauss(item.points), strict=True):
                P = np.array(body.position) + 0.5 * (node + 1.0) * body.length * e1
                V = v + np.cross(w, P)
                Vd = classical + np.cross(wd, P) + np.cross(w, np.cross(w, P))
                force, moment = slice_wrench(item, body, V - R.T @ np.array(item.current), Vd, w, wd, E)
                ds = 0.5 * weight * body.length
                total = total + pin.Force(ds * force, ds * (moment + np.cross(P, force)))
    return total


def environment_wrenches(free: Peer, environment: Any, acceleration: Array) -> list[pin.Force]:
    """One wrench per link, from the motion of the free peer."""
    pin.forwardKinematics(free.model, free.data, free.configuration(), free.velocity(), acceleration)
    wrenches = []
    for link, joint, mount in zip(free.chain.links, free.joints, free.mounts, strict=True):
        R = (free.data.oMi[joint] * mount).rotation
        wrenches.append(
            link_wrench(link, environment, mount.actInv(free.data.v[joint]), mount.actInv(free.data.a[joint]), R)
        )
    return wrenches


def passive_torque(chain: ll.Chain, instant: Instant) -> Array:
    def column(name: str) -> Array:
        return np.array([value for link in chain.links[1:] for value in link.joint.per_freedom(name)])

    q, qd = instant.joint_position, instant.joint_velocity
    return (
        column("stiffness") * (column("rest") - q)
        - (column("damping") + column("viscous_friction")) * qd
        - column("coulomb_friction") * np.sign(qd)
    )
