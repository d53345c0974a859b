"""Recorded bodies as the variables of a result: base, sections, energies, momentum, centre of mass, works, water.

Bodies are links, stations of strain cells or nodes of a rod; a recorder of each adds what it alone has. All is computed
in NumPy from recorded poses, twists and accelerations, apart from the kernels that integrated them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from limbless.core import Array
from limbless.environments.base import Pack
from limbless.mechanics.algebra import matrix_to_quaternion, quaternion_to_matrix
from limbless.mechanics.chain import INTEGRALS, BaseRecord, BodyRecord, ChainRecords, IntegralSums
from limbless.mechanics.forces import WeightLaw
from limbless.models import Variable, choose, packed_rows
from limbless.models.recording.water_recorder import WaterRecorder, share_below

POSES = (
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
)
BALANCES = (
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
"""What is recorded of every body that moves."""


class BaseMotion(NamedTuple):
    """The base at R recorded instants, in its own axes."""

    position: Array  # (R, 3) world
    orientation: Array  # (R, 4) quaternion
    twist: Array  # (R, 6)
    rate: Array  # (R, 6) of the components of the twist
    reaction: Array  # (R, 6) wrench that holds it
    powers: tuple[Array, Array, Array]  # of actuators, environment, passive parts
    works: tuple[Array, Array, Array]
    impulse: Array  # (R, 6) world

    def variables(self) -> dict[str, Array]:
        acceleration = self.rate.copy()
        # classical, from the rate of the twist's components
        acceleration[:, :3] += np.cross(self.twist[:, 3:], self.twist[:, :3])
        sources = ("actuator", "environment", "passive")
        return {
            "base_position": self.position,
            "base_orientation": self.orientation,
            "base_twist": self.twist,
            "base_acceleration": acceleration,
            "base_reaction": self.reaction,
            **{f"{source}_power": power for source, power in zip(sources, self.powers, strict=True)},
            **{f"{source}_work": work for source, work in zip(sources, self.works, strict=True)},
            "impulse": self.impulse,
        }

    @classmethod
    def of(cls, x: Array, velocity: Array, base: Any) -> BaseMotion:
        """From flat states of a chain, the velocities (R, 6 + joints) in them, and `BaseRecord`."""
        sums, R = IntegralSums.of(x[:, -INTEGRALS:]), quaternion_to_matrix(x[:, 3:7])
        return cls(
            x[:, :3],
            x[:, 3:7],
            velocity[:, :6],
            base.acceleration,
            turn(R.swapaxes(1, 2), base.held),
            (base.actuators, base.environment, base.passive),
            (sums.actuators, sums.environment, sums.passive),
            sums.impulse,
        )


class BodyMotion(NamedTuple):
    """B bodies at R recorded instants; twists, accelerations and wrenches about their origins, in their own axes."""

    rotation: Array  # (R, B, 3, 3)
    origin: Array  # (R, B, 3)
    twist: Array  # (R, B, 6)
    rate: Array  # (R, B, 6) of the components of the twist
    wrench: Array  # (R, B, 6) of the environment, without the reaction of added mass

    @classmethod
    def of(cls, bodies: Any, rows: Any = slice(None)) -> BodyMotion:
        """From these rows of `BodyRecord`, which has world axes."""
        R = bodies.rotation[:, rows].reshape(*bodies.origin[:, rows].shape, 3)
        parts = (bodies.twist, bodies.twist_rate, bodies.wrench)
        return cls(R, bodies.origin[:, rows], *(turn(R.swapaxes(2, 3), part[:, rows]) for part in parts))


class BodyRecorder:
    """Turns what was recorded of one robot's bodies into variables.

    A subclass fills in `mass`, `own` and `added`, and says what its sections are (`section_variables`).

    Attributes
    ----------
    mass, moment : (B,) and (B, 3) of the bodies, kg and kg m.
    own, added : inertia of the bodies and of the water that they carry along: (1, B, 6, 6), or diagonals (B, 6).
    weight : (B,) how often each body counts: 1, or along a rod, whose masses are per length, m.
    sections : bodies that a result calls sections.
    axes : (B, 2) half axes of thin bodies, which the surface of the water cuts.
    """

    mass: Array
    own: Array
    added: Array
    sections: Any
    axes: Array
    inert = 1.0  # 0 where there is no inertia

    def __init__(self, packs: Sequence[Pack], bodies: int) -> None:
        self.packs, self.water = packs, WaterRecorder(packs)
        self.moment, self.weight = np.zeros((bodies, 3)), np.ones(bodies)

    def forget_inertia(self) -> None:
        """Energy, momentum and internal wrenches without inertia."""
        self.inert = 0.0

    def body_variables(self, time: Array, base: BaseMotion, bodies: BodyMotion) -> dict[str, Array]:
        """What every robot has: from its base and its bodies."""
        wet = self.immersed(time, bodies)
        added = self.added if wet is None else self.added_to(wet)
        outside = bodies.wrench - inertial_wrench(added, bodies.twist, bodies.rate)
        found = {"time": time, **base.variables(), **self._masses(bodies, added)}
        found |= self.section_variables(base, bodies, outside)
        found |= self.water.sections(time, found["position"], None if wet is None else self.immersion(wet))
        return found | self.water.variables(time, lambda k: self._world_motion(bodies, k))

    def section_variables(self, base: BaseMotion, bodies: BodyMotion, outside: Array) -> dict[str, Array]:
        """Poses of the sections, and what is `outside` (R, B, 6): the push of the environment on each body, less what
        its added mass takes of it.
        """
        raise NotImplementedError

    # Water that has a surface

    def immersed(self, time: Array, bodies: BodyMotion) -> Array | None:
        """Immersed shares (R, B) of thin bodies; None without a surface."""
        if self.water.floats is None:
            return None
        times, (a, b) = np.broadcast_to(time[:, None], bodies.origin.shape[:2]), self.axes.T
        return share_below(self.water.floats, a, b, times, bodies.origin, bodies.rotation)

    def added_to(self, wet: Array) -> Array:
        """Added inertia of bodies that are immersed so far."""
        return np.asarray(wet[..., None] * self.added)

    def immersion(self, wet: Array) -> Array:
        """(R, S): immersed share of each section."""
        return np.asarray(wet[:, self.sections])

    # Matter

    def _masses(self, bodies: BodyMotion, added: Array) -> dict[str, Array]:
        """Energies, momentum and centre of mass."""
        R, twist, count = bodies.rotation, bodies.twist, self.weight[:, None]
        carried = times_twist(self.inert * (self.own + added), twist)
        momentum = count * turn(R, carried)
        angular = momentum[..., 3:] + np.cross(bodies.origin, momentum[..., :3])
        alone = np.einsum("rbij,rbj->rbi", R, times_twist(self.own, twist)[..., :3])
        return {
            "kinetic_energy": 0.5 * ((twist * carried).sum(axis=2) * self.weight).sum(axis=1),
            "potential_energy": self._weight_energy(bodies),
            "momentum": np.concatenate([momentum[..., :3].sum(axis=1), angular.sum(axis=1)], axis=1),
            "com_position": self.centre(R, bodies.origin),
            "com_velocity": (count * alone).sum(axis=1) / (self.weight @ self.mass),
        }

    def centre(self, R: Array, origin: Array) -> Array:
        """(R, 3): the centre of mass of bodies with rotations (R, B, 3, 3) and origins (R, B, 3), world, m."""
        weighed = self.mass[:, None] * origin + np.einsum("rbij,bj->rbi", R, self.moment)
        return np.asarray((self.weight[:, None] * weighed).sum(axis=1) / (self.weight @ self.mass))

    def row_of(self, body: Any) -> Any:
        """Where bodies that environments know by these numbers stand among the recorded ones."""
        return body

    def _weight_energy(self, bodies: BodyMotion) -> Array:
        """-field . (mass origin + R moment), of all uniform fields that always act."""
        laws = [law for law in packed_rows(self.packs, WeightLaw) if np.isinf(law.since)]
        if not laws:
            return np.zeros(len(bodies.origin))
        row = self.row_of(np.array([law.body for law in laws]))
        mass, moment, field = (np.array([getattr(law, name) for law in laws]) for name in ("mass", "moment", "field"))
        weighed = mass[:, None] * bodies.origin[:, row] + np.einsum("rbij,bj->rbi", bodies.rotation[:, row], moment)
        return np.asarray(-((weighed * field).sum(axis=2) * self.weight[row]).sum(axis=1))

    def _world_motion(self, bodies: BodyMotion, body: int) -> tuple[Array, Array, Array]:
        """Rotation, origin and twist of one body, world axes."""
        k = self.row_of(body)
        return bodies.rotation[:, k], bodies.origin[:, k], turn(bodies.rotation[:, k], bodies.twist[:, k])


def section_coordinates(
    names: Sequence[str] | Array, length: Array, axes: ArrayLike, told: str = "length of the section"
) -> dict[str, Any]:
    """Names, lengths and half axes of sections that do not change their thickness."""
    return {
        "section": (("section",), names, {}),
        "section_length": (("section",), length, {"units": "m", "long_name": told}),
        "radius": (
            ("section", "transverse"),
            np.asarray(axes, dtype=np.float64).reshape(-1, 2),
            {"units": "m", "long_name": "half axes of the section"},
        ),
    }


def following_quaternions(base: Array, R: Array) -> Array:
    """Quaternions (R, S, 4) of rotations along a body; of the two of each, the one nearer to that of the section
    before, from the base on, whose own follows the motion.
    """
    found = matrix_to_quaternion(R)
    before = np.concatenate([base[:, None], found[:, :-1]], axis=1)
    flips = np.where((found * before).sum(axis=2) < 0.0, -1.0, 1.0)
    return np.asarray(found * np.cumprod(flips, axis=1)[..., None])


def kept_arrays(kept: ChainRecords) -> dict[str, Array]:
    """The records of a problem by name, as a model returns them: those of the chain, and the tally's."""
    counts = {} if kept.tally is None else {f"tally_{name}": array for name, array in kept.tally._asdict().items()}
    return {**{name: array for name, array in kept._asdict().items() if name != "tally"}, **counts}


def chain_motion(records: Mapping[str, Any], positions: int, freedoms: int, rows: Any) -> tuple[BaseMotion, BodyMotion]:
    """Base and bodies from what `kept_arrays` named, of a chain whose joints have so many positions and speeds."""
    x, split = records["x"], 7 + positions
    base = BaseMotion.of(x, x[:, split : split + 6 + freedoms], BaseRecord.of(records["base"]))
    return base, BodyMotion.of(BodyRecord.of(records["bodies"]), rows)


def contiguous(found: Mapping[str, Array]) -> dict[str, Array]:
    """Arrays as a result holds them."""
    return {name: np.ascontiguousarray(values, dtype=np.float64) for name, values in found.items()}


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


def inertial_wrench(inertia: Array, twist: Array, rate: Array) -> Array:
    """I A + V x* (I V), in body axes."""
    momentum = times_twist(inertia, twist)
    v, w, p, L = twist[..., :3], twist[..., 3:], momentum[..., :3], momentum[..., 3:]
    turned = np.concatenate([np.cross(w, p), np.cross(w, L) + np.cross(v, p)], axis=-1)
    return times_twist(inertia, rate) + turned


def times_twist(inertia: Array, twist: Array) -> Array:
    """Inertias (.., B, 6, 6), or diagonals (.., B, 6), times twists (.., B, 6)."""
    if inertia.ndim <= twist.ndim:
        return np.asarray(inertia * twist)
    return np.asarray(np.einsum("...ij,...j->...i", inertia, twist))
