"""Rigid links and their joints as the variables of a result, beside what is recorded of every robot's bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from limbless.core import Array
from limbless.environments.base import Pack
from limbless.mechanics.algebra import (
    Quaternion,
    matrix_to_quaternion,
    quaternion_product,
    quaternion_to_rotation_vector,
)
from limbless.mechanics.chain import AxisRecord, LinkRow, Revolute, Spherical
from limbless.models.chain.chain_problem import inertia_matrices, rigid_inertia
from limbless.models.recording.body_recorder import (
    BALANCES,
    POSES,
    BaseMotion,
    BodyMotion,
    BodyRecorder,
    chain_motion,
    inertial_wrench,
    section_coordinates,
    turn,
)
from limbless.models.recording.water_recorder import slice_inertias, wet_moments
from limbless.models.variables import choose
from limbless.robots import Chain

SCHEMA = choose(
    *POSES,
    "joint_position",
    "joint_velocity",
    "joint_acceleration",
    "joint_torque",
    "internal_wrench",
    "fluid_force",
    *BALANCES,
)


class LinkRecorder(BodyRecorder):
    """Of one chain: sections are the pieces of body of its links.

    Parameters
    ----------
    links : the table `LinkRow` of the chain.
    packs : what each environment packed.
    """

    def __init__(self, chain: Chain, links: Any, packs: Sequence[Pack]) -> None:
        link = LinkRow.of(links)
        self.rows = np.flatnonzero(link.has_body)
        super().__init__(packs, len(self.rows))
        self.chain, self.arrays = chain, chain.arrays()
        self.rotors = self.arrays.rotor_inertia  # of motors that turn with their joints
        self.positions = int(link.velocity[0]) - 7  # numbers that hold the positions of all joints
        self.mass, self.moment = link.mass[self.rows], link.moment[self.rows]
        self.rigid = inertia_matrices(rigid_inertia(self.mass, self.moment, link.inertia[self.rows]))
        whole = inertia_matrices(link.whole[self.rows])
        self.own = self.rigid[None]
        self.added = np.where(link.wet[self.rows, None, None] == 1, whole - self.rigid, 0.0)[None]
        self.pieces = chain.segments()
        self.sections = self.row_of([piece.body for piece in self.pieces])
        self.frame = np.array([piece.frame for piece in self.pieces]).reshape(-1, 3, 3)
        self.start = np.array([piece.start for piece in self.pieces]).reshape(-1, 3)
        self.length = np.array([piece.length for piece in self.pieces])

    def row_of(self, body: Any) -> Any:
        return np.minimum(np.searchsorted(self.rows, body), len(self.rows) - 1)

    def coordinates(self) -> dict[str, Any]:
        """Names of joints and sections, and what does not change in time."""
        return {
            "joint": (("joint",), self.chain.joint_names, {}),
            "joint_axis": (("joint",), self.chain.joint_labels, {}),
            **section_coordinates(
                self.chain.section_names,
                self.length,
                [(piece.half_width, piece.half_height) for piece in self.pieces],
            ),
            "joint_limit": (
                ("joint",),
                self.arrays.torque_limit,
                {"units": "N m or N" if self.chain.stretches else "N m", "long_name": "largest torque of the actuator"},
            ),
            **self._ranges(),
        }

    def _ranges(self) -> dict[str, Any]:
        """Bounds of the joint positions, where a joint has one."""
        bounds = {"joint_lower": (self.arrays.lower, "least"), "joint_upper": (self.arrays.upper, "greatest")}
        if not any(np.isfinite(values).any() for values, _ in bounds.values()):
            return {}
        units = "rad or m" if self.chain.stretches else "rad"
        return {
            name: (("joint",), values, {"units": units, "long_name": f"{word} position of the joint"})
            for name, (values, word) in bounds.items()
        }

    def variables(self, records: Mapping[str, Array]) -> dict[str, Array]:
        """The variables of `SCHEMA` at the recorded times."""
        x, axes, split = records["x"], AxisRecord.of(records["axes"]), 7 + self.positions
        base, bodies = chain_motion(records, self.positions, self.chain.freedoms, self.rows)
        found = self.body_variables(records["time"], base, bodies)
        position, velocity = self.joint_position(x[:, 7:split]), x[:, split + 6 :][:, : self.chain.freedoms]
        rotors = self.inert * (self.rotors * velocity**2).sum(axis=1)
        springs = (self.arrays.stiffness * (position - self.arrays.rest) ** 2).sum(axis=1)
        return {
            **found,
            "orientation": self._orientations(x),
            "joint_position": position,
            "joint_velocity": velocity,
            "joint_acceleration": axes.acceleration,
            "joint_torque": axes.torque,
            "kinetic_energy": found["kinetic_energy"] + 0.5 * rotors,
            "potential_energy": found["potential_energy"] + 0.5 * springs,
        }

    def joint_position(self, position: Array) -> Array:
        """One column per degree of freedom: quaternions of spherical joints become rotation vectors."""
        columns = [
            quaternion_to_rotation_vector(position[:, p : p + 4]) if kind == Spherical.code else position[:, p : p + 1]
            for kind, p in zip(self.arrays.joint_kind[1:], self.arrays.position_column[1:], strict=True)
        ]
        return np.concatenate([np.zeros((len(position), 0)), *columns], axis=1)

    def immersed(self, time: Array, bodies: BodyMotion) -> Array | None:
        """(R, S, 3): moments of the immersed share along all sections; None without a surface."""
        if self.water.floats is None:
            return None
        R, origin = bodies.rotation, bodies.origin
        return np.stack(
            [
                wet_moments(self.water.floats, piece, time, origin[:, k] + R[:, k] @ piece.start, R[:, k] @ piece.frame)
                for k, piece in zip(self.sections, self.pieces, strict=True)
            ],
            axis=1,
        )

    def added_to(self, wet: Array) -> Array:
        """(R, B, 6, 6)."""
        added = np.zeros((len(wet), len(self.rows), 6, 6))
        for number, (k, piece) in enumerate(zip(self.sections, self.pieces, strict=True)):
            mass = self.water.added[number]
            added[:, k] += np.einsum("rc,cij->rij", wet[:, number], slice_inertias(piece, mass))
        return added

    def immersion(self, wet: Array) -> Array:
        return np.asarray(wet[..., 0] / self.length)

    def section_variables(self, base: BaseMotion, bodies: BodyMotion, outside: Array) -> dict[str, Array]:
        """Poses of the sections, what the environment does to them, and what each does to the part before it."""
        R, origin, own, length = bodies.rotation, bodies.origin, self.sections, self.length[:, None]
        frame = R[:, own] @ self.frame
        front = origin[:, own] + np.einsum("rbij,bj->rbi", R[:, own], self.start)
        middle = front + 0.5 * length * frame[..., 0]
        # wrench that the rest of the body gives to each body
        need = turn(R, inertial_wrench(self.inert * self.own, bodies.twist, bodies.rate) - outside)
        # about the base: no loss far from the origin
        here = base.position[:, None]
        about_base = np.concatenate([need[..., :3], need[..., 3:] + np.cross(origin - here, need[..., :3])], axis=2)
        beyond = np.flip(np.cumsum(np.flip(about_base, axis=1), axis=1), axis=1)[:, own]
        torque = beyond[..., 3:] - np.cross(front - here, beyond[..., :3])
        across = turn(frame.swapaxes(2, 3), np.concatenate([beyond[..., :3], torque], axis=2))
        ends = [base.position, origin[:, -1]]
        if len(length):
            ends = [front[:, 0], middle[:, -1] + 0.5 * length[-1] * frame[:, -1, :, 0]]
        return {
            "position": middle,
            "head_position": ends[self.chain.head == "tip"],
            "internal_wrench": -across,
            "fluid_force": np.einsum("bji,rbj->rbi", self.frame, outside[:, own, :3]),
        }

    def _orientations(self, x: Array) -> Array:
        """Quaternions of the sections (R, S, 4), as products of half-angle rotations from the base on.

        Of the two quaternions of an orientation this is the one that follows the motion: it never jumps, however far a
        joint turns, and a continued run has the same.
        """
        here, bodies = Quaternion(*x[:, 3:7].T), []
        for kind, axis, p in zip(
            self.arrays.joint_kind, self.arrays.axis, 7 + self.arrays.position_column, strict=True
        ):
            if kind == Revolute.code:
                half = 0.5 * x[:, p]
                step = Quaternion(*np.concatenate([np.cos(half)[None], axis[:, None] * np.sin(half)]))
                here = quaternion_product(here, step)
            elif kind == Spherical.code:
                here = quaternion_product(here, Quaternion(*x[:, p : p + 4].T))
            bodies.append(here)
        turned = [
            quaternion_product(bodies[piece.body], Quaternion(*matrix_to_quaternion(piece.frame)))
            for piece in self.pieces
        ]
        return np.array(turned).reshape(len(turned), 4, len(x)).transpose(2, 0, 1)
