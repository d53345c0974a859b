"""Recorded states of a chain as the variables of a result: poses, energies, momentum, internal wrenches.

These are computed in NumPy from recorded poses, twists and accelerations, apart from the kernels that integrated them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import Pack
from limbless.mechanics.algebra.array_rotations import (
    matrix_to_quaternion,
    quaternion_to_matrix,
    quaternion_to_rotation_vector,
)
from limbless.mechanics.algebra.lie import Quaternion, quaternion_product
from limbless.mechanics.chain.joints import Revolute, Spherical
from limbless.mechanics.chain.tables import INTEGRALS, AxisRecord, BaseRecord, BodyRecord, ChainRecords, LinkRow
from limbless.mechanics.forces.weight import WeightLaw
from limbless.models.base import Variable, Variables
from limbless.models.force_elements import packed_rows
from limbless.models.recording.water_recorder import WaterRecorder, slice_inertias, wet_moments
from limbless.models.variables import choose
from limbless.robots.chain import Chain
from limbless.robots.links import symmetric_matrix

Array = NDArray[np.float64]

SCHEMA = choose(
    "base_position",
    "base_orientation",
    "base_twist",
    "base_acceleration",
    "base_reaction",
    "head_position",
    "com_position",
    "com_velocity",
    "position",
    "orientation",
    "joint_position",
    "joint_velocity",
    "joint_acceleration",
    "joint_torque",
    "internal_wrench",
    "fluid_force",
    "kinetic_energy",
    "potential_energy",
    "actuator_power",
    "environment_power",
    "passive_power",
    "actuator_work",
    "environment_work",
    "passive_work",
    "momentum",
    "impulse",
)


class Recorded(NamedTuple):
    """What is kept of a chain at recorded instants, by name."""

    x: Array  # (R, x)
    acceleration: Array  # (R, 6 + joints) rate of the base twist, joint accelerations
    torque: Array  # (R, joints)
    powers: Array  # (R, 3) actuators, environment, passive
    rotation: Array  # (R, n + 1, 9)
    origin: Array  # (R, n + 1, 3)
    twist: Array  # (R, n + 1, 6) world axes
    twist_rate: Array  # (R, n + 1, 6) spatial acceleration, world axes
    wrench: Array  # (R, n + 1, 6) of the environment, world axes, without the reaction of added mass
    hold: Array  # (R, 6) wrench that holds the base, world axes


def kept_arrays(kept: ChainRecords) -> dict[str, Array]:
    """The records of a problem by name, as a model returns them: those of the chain, and the tally's."""
    counts = {f"tally_{name}": array for name, array in kept.tally._asdict().items()}
    return {**{name: array for name, array in kept._asdict().items() if name != "tally"}, **counts}


def recorded_of(kept: Mapping[str, Any]) -> Recorded:
    """The way back: what `kept_arrays` named, with the fields of its tables taken apart."""
    base, axes, bodies = BaseRecord.of(kept["base"]), AxisRecord.of(kept["axes"]), BodyRecord.of(kept["bodies"])
    powers = np.stack([base.actuators, base.environment, base.passive], axis=1)
    return Recorded(
        kept["x"],
        np.concatenate([base.acceleration, axes.acceleration], axis=1),
        axes.torque,
        powers,
        bodies.rotation,
        bodies.origin,
        bodies.twist,
        bodies.twist_rate,
        bodies.wrench,
        base.held,
    )


class BodyRecorder:
    """Turns what was recorded of one chain into variables.

    Parameters
    ----------
    links : the table `LinkRow` of the chain.
    packs : what each environment packed.
    """

    def __init__(self, chain: Chain, links: Any, packs: Sequence[Pack]) -> None:
        self.chain, self.packs, self.arrays, self.water = chain, packs, chain.arrays(), WaterRecorder(packs)
        link = LinkRow.of(links)
        self.positions = int(link.velocity[0]) - 7  # numbers that hold the positions of all joints
        self.rows = np.flatnonzero(link.has_body)
        self.mass, self.moment = link.mass[self.rows], link.moment[self.rows]
        self.rigid = np.array([_rigid_matrix(link.mass[row], link.moment[row], link.inertia[row]) for row in self.rows])
        whole = np.array([_matrix(link.whole[row]) for row in self.rows])
        self.added = np.where(link.wet[self.rows, None, None] == 1, whole - self.rigid, 0.0)
        self.inert = 1.0  # 0 where there is no inertia
        pieces = chain.segments()
        self.piece_body = np.searchsorted(self.rows, [piece.body for piece in pieces])
        self.piece_frame = np.array([piece.frame for piece in pieces]).reshape(-1, 3, 3)
        self.piece_start = np.array([piece.start for piece in pieces]).reshape(-1, 3)
        self.piece_length = np.array([piece.length for piece in pieces])

    def forget_inertia(self) -> None:
        """Energy, momentum and internal wrenches without inertia."""
        self.inert = 0.0

    def coordinates(self) -> dict[str, Any]:
        """Names of joints and sections, and what does not change in time."""
        pieces = self.chain.segments()
        return {
            "joint": (("joint",), self.chain.joint_names, {}),
            "joint_axis": (("joint",), self.chain.joint_labels, {}),
            "section": (("section",), self.chain.section_names, {}),
            "radius": (
                ("section", "transverse"),
                np.array([[p.half_width, p.half_height] for p in pieces]).reshape(-1, 2),
                {"units": "m", "long_name": "half axes of the section"},
            ),
            "section_length": (("section",), self.piece_length, {"units": "m", "long_name": "length of the section"}),
            "joint_limit": (
                ("joint",),
                self.arrays.torque_limit,
                {"units": "N m or N", "long_name": "largest torque of the actuator"},
            ),
            **self._ranges(),
        }

    def _ranges(self) -> dict[str, Any]:
        """Bounds of the joint positions, where a joint has one."""
        bounds = {"joint_lower": (self.arrays.lower, "least"), "joint_upper": (self.arrays.upper, "greatest")}
        if not any(np.isfinite(values).any() for values, _ in bounds.values()):
            return {}
        return {
            name: (("joint",), values, {"units": "rad or m", "long_name": f"{word} position of the joint"})
            for name, (values, word) in bounds.items()
        }

    def variables(self, times: Array, records: Recorded) -> Variables:
        """The variables of `SCHEMA` at the recorded times."""
        count, split = len(times), 7 + self.positions
        x, velocity = records.x, records.x[:, split : split + 6 + self.chain.freedoms]
        R = records.rotation[:, self.rows].reshape(count, len(self.rows), 3, 3)
        # the base need not carry a body
        origin, base = records.origin[:, self.rows], quaternion_to_matrix(x[:, 3:7])
        rate = records.acceleration[:, :6].copy()
        # classical, from the rate of the twist's components
        rate[:, :3] += np.cross(velocity[:, 3:6], velocity[:, :3])
        sums = x[:, -INTEGRALS:]
        found = {
            "time": times,
            "base_position": x[:, :3],
            "base_orientation": x[:, 3:7],
            "base_twist": velocity[:, :6],
            "base_acceleration": rate,
            "base_reaction": turn(base.swapaxes(1, 2), records.hold),
            "joint_position": self.joint_position(x[:, 7:split]),
            "joint_velocity": velocity[:, 6:],
            "joint_acceleration": records.acceleration[:, 6:],
            "joint_torque": records.torque,
            "actuator_power": records.powers[:, 0],
            "environment_power": records.powers[:, 1],
            "passive_power": records.powers[:, 2],
            "actuator_work": sums[:, 0],
            "environment_work": sums[:, 1],
            "passive_work": sums[:, 2],
            "impulse": sums[:, 3:9],
        }
        wet = self._wet(times, R, origin)
        added = self.added if wet is None else self._added_now(wet, len(times))
        found |= self._masses(R, origin, records, added) | self._sections(R, origin, records, added)
        found |= self.water.sections(times, found["position"], wet, self.piece_length)
        found |= self.water.variables(
            times, lambda k: (records.rotation[:, k].reshape(-1, 3, 3), records.origin[:, k], records.twist[:, k])
        )
        found["orientation"] = self._orientations(x)
        found["kinetic_energy"] = found["kinetic_energy"] + 0.5 * self.inert * (
            self.arrays.rotor_inertia * velocity[:, 6:] ** 2
        ).sum(axis=1)
        found["potential_energy"] = self._weight_energy(records) + 0.5 * (
            self.arrays.stiffness * (found["joint_position"] - self.arrays.rest) ** 2
        ).sum(axis=1)
        return Variables({name: np.ascontiguousarray(values, dtype=np.float64) for name, values in found.items()})

    def joint_position(self, position: Array) -> Array:
        """One column per degree of freedom: quaternions of spherical joints become rotation vectors."""
        columns = []
        for kind, p in zip(self.arrays.joint_kind[1:], self.arrays.position_column[1:], strict=True):
            if kind == Spherical.code:
                columns.append(quaternion_to_rotation_vector(position[:, p : p + 4]))
            else:
                columns.append(position[:, p : p + 1])
        return np.concatenate([np.zeros((len(position), 0)), *columns], axis=1)

    def _wet(self, times: Array, R: Array, origin: Array) -> Array | None:
        """(R, S, 3): moments of the immersed share along all sections; None without a surface."""
        if self.water.floats is None:
            return None
        return np.stack(
            [
                wet_moments(
                    self.water.floats, piece, times, origin[:, k] + R[:, k] @ piece.start, R[:, k] @ piece.frame
                )
                for k, piece in zip(self.piece_body, self.chain.segments(), strict=True)
            ],
            axis=1,
        )

    def added_at(self, times: Array, R: Array, origin: Array) -> Array:
        """(R, bodies, 6, 6): added inertia of bodies with these rotations and places, at these times."""
        wet = self._wet(times, R, origin)
        return (
            np.broadcast_to(self.added, (len(times), *self.added.shape))
            if wet is None
            else self._added_now(wet, len(times))
        )

    def _added_now(self, wet: Array, count: int) -> Array:
        """(R, bodies, 6, 6): added inertia of all bodies as far as they are immersed."""
        added = np.zeros((count, len(self.rows), 6, 6))
        pieces = self.chain.segments()
        for number, (k, piece) in enumerate(zip(self.piece_body, pieces, strict=True)):
            mass = self.water.added[number]
            added[:, k] += np.einsum("rc,cij->rij", wet[:, number], slice_inertias(piece, mass))
        return added

    def _masses(self, R: Array, origin: Array, records: Recorded, added: Array) -> dict[str, Array]:
        """Energy, momentum and centre of mass."""
        twist = turn(R.swapaxes(2, 3), records.twist[:, self.rows])
        carried = times_twist(self.inert * (self.rigid + added), twist)
        momentum = turn(R, carried)
        angular = momentum[..., 3:] + np.cross(origin, momentum[..., :3])
        own = np.einsum("bij,rbj->rbi", self.rigid[:, :3], twist)
        return {
            "kinetic_energy": 0.5 * np.einsum("rbi,rbi->r", twist, carried),
            "momentum": np.concatenate([momentum[..., :3].sum(axis=1), angular.sum(axis=1)], axis=1),
            "com_position": self.centre(R, origin),
            "com_velocity": np.einsum("rbij,rbj->ri", R, own) / self.mass.sum(),
        }

    def centre(self, R: Array, origin: Array) -> Array:
        """(R, 3): the centre of mass of bodies with rotations (R, bodies, 3, 3) and origins (R, bodies, 3), world, m."""
        weighed = self.mass[:, None] * origin + np.einsum("rbij,bj->rbi", R, self.moment)
        return np.asarray(weighed.sum(axis=1) / self.mass.sum())

    def _sections(self, R: Array, origin: Array, records: Recorded, added: Array) -> dict[str, Array]:
        """Poses of the sections, what the environment does to them, and what each does to the part before it."""
        frame = R[:, self.piece_body] @ self.piece_frame
        front = origin[:, self.piece_body] + np.einsum("rbij,bj->rbi", R[:, self.piece_body], self.piece_start)
        middle = front + 0.5 * self.piece_length[:, None] * frame[..., 0]
        rates = turn(R.swapaxes(2, 3), records.twist_rate[:, self.rows])
        twist = turn(R.swapaxes(2, 3), records.twist[:, self.rows])
        fluid = inertial_wrench(added, twist, rates)
        # the push on body and added mass, less what the latter takes
        outside = records.wrench[:, self.rows] - turn(R, fluid)
        inertial = turn(R, inertial_wrench(self.inert * self.rigid, twist, rates))
        # wrench that the rest of the body gives to each body
        need = inertial - outside
        base = records.x[:, None, :3]
        # about the base: no loss far from the origin
        lever = origin - base
        about_base = np.concatenate([need[..., :3], need[..., 3:] + np.cross(lever, need[..., :3])], axis=2)
        beyond = np.flip(np.cumsum(np.flip(about_base, axis=1), axis=1), axis=1)[:, self.piece_body]
        torque = beyond[..., 3:] - np.cross(front - base, beyond[..., :3])
        across = turn(frame.swapaxes(2, 3), np.concatenate([beyond[..., :3], torque], axis=2))
        head = (
            middle[:, 0] - 0.5 * self.piece_length[0] * frame[:, 0, :, 0]
            if len(self.piece_length)
            else records.x[:, :3]
        )
        if self.chain.head == "tip":
            head = (
                middle[:, -1] + 0.5 * self.piece_length[-1] * frame[:, -1, :, 0]
                if len(self.piece_length)
                else origin[:, -1]
            )
        return {
            "position": middle,
            "head_position": head,
            "internal_wrench": -across,
            "fluid_force": np.einsum("rbji,rbj->rbi", frame, outside[:, self.piece_body, :3]),
        }

    def _orientations(self, x: Array) -> Array:
        """Quaternions of the sections (record, section, 4), as products of half-angle rotations from the base on.

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
            for piece in self.chain.segments()
        ]
        return np.array(turned).reshape(len(turned), 4, len(x)).transpose(2, 0, 1)

    def _weight_energy(self, records: Recorded) -> Array:
        """-field . (mass origin + R moment), of all uniform fields that always act."""
        energy = np.zeros(len(records.x))
        for weight in packed_rows(self.packs, WeightLaw):
            if np.isinf(weight.since):
                R = records.rotation[:, weight.body].reshape(-1, 3, 3)
                lever = weight.mass * records.origin[:, weight.body] + R @ np.array(weight.moment)
                energy -= lever @ np.array(weight.field)
        return energy


def mean_powers(variables: Mapping[str, Array]) -> dict[str, Array]:
    """The three powers as means since the record before, from their works (0 at the first): where forces jump, one
    instant says little.
    """
    found = {}
    for name in ("actuator", "environment", "passive"):
        power = np.zeros(len(variables["time"]))
        power[1:] = np.diff(variables[f"{name}_work"]) / np.diff(variables["time"])
        found[f"{name}_power"] = power
    return found


def mean_schema(schema: dict[str, Variable]) -> dict[str, Variable]:
    """The variables of `schema`, with powers that say that they are means."""
    note = "mean since the record before"
    return choose(*schema, actuator_power=note, environment_power=note, passive_power=note)


def turn(R: Array, pair: Array) -> Array:
    """Both halves of twists or wrenches into other axes."""
    return np.concatenate(
        [np.einsum("...ij,...j->...i", R, pair[..., :3]), np.einsum("...ij,...j->...i", R, pair[..., 3:])], axis=-1
    )


def inertial_wrench(inertia: Array, twist: Array, rates: Array) -> Array:
    """I A + V x* (I V), in body axes."""
    momentum = times_twist(inertia, twist)
    v, w, p, L = twist[..., :3], twist[..., 3:], momentum[..., :3], momentum[..., 3:]
    turned = np.concatenate([np.cross(w, p), np.cross(w, L) + np.cross(v, p)], axis=-1)
    return times_twist(inertia, rates) + turned


def times_twist(inertia: Array, twist: Array) -> Array:
    """Inertias (bodies, 6, 6), or those of each record, times twists (R, bodies, 6)."""
    return np.asarray(np.einsum("bij,rbj->rbi" if inertia.ndim == 3 else "rbij,rbj->rbi", inertia, twist))


def _rigid_matrix(mass: float, moment: Array, inertia: Array) -> Array:
    """6 x 6 inertia of a rigid body about its origin (16)."""
    x, y, z = moment
    H = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.block([[mass * np.eye(3), H.T], [H, symmetric_matrix(inertia)]])


def _matrix(numbers: Array) -> Array:
    """6 x 6 inertia from its 21 numbers M, H, J."""
    H = numbers[6:15].reshape(3, 3)
    return np.block([[symmetric_matrix(numbers[:6]), H.T], [H, symmetric_matrix(numbers[15:])]])
