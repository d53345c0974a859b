"""Recorded instants of a rod as named variables: poses, strains, the wrench inside, energy, momentum.

Everything is computed in NumPy from recorded shapes, twists and pushes, apart from the kernels that integrated them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import Pack
from limbless.mechanics.algebra.array_rotations import matrix_to_quaternion, quaternion_to_matrix
from limbless.mechanics.algebra.lie import Quaternion, quaternion_product
from limbless.mechanics.compiled.kernel import kernel_array
from limbless.mechanics.contact.contact_law import STATES
from limbless.mechanics.forces.weight import Weight, WeightLaw
from limbless.mechanics.rod.magnus import FromHead, ToHead, ToSections, carry_records
from limbless.mechanics.rod.tables import HeadState, Load, Muscle, RodShape
from limbless.models.base import Records, Variable, Variables
from limbless.models.recording.water_recorder import WaterRecorder, share_below
from limbless.models.rod.panel_mesh import PanelMesh, Slices
from limbless.models.variables import choose
from limbless.robots.rod import ACTUATED, HELD, NATURAL, Rod

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
    "radius",
    "strain",
    "strain_rate",
    "internal_wrench",
    "effort",
    "fluid_force",
    "contact_wrench",
    "contact_force",
    "contact_couple",
    "contact_position",
    "contact_state",
    "support_wrench",
    "support_abscissa",
    "contact_residual",
    "contact_speed",
    "contact_conditioning",
    "contact_singular_values",
    "tail_wrench",
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
CONTACTS = (
    "contact_wrench",
    "contact_force",
    "contact_couple",
    "contact_position",
    "contact_state",
    "support_wrench",
    "support_abscissa",
    "contact_residual",
    "contact_speed",
    "contact_conditioning",
    "contact_singular_values",
)


class RodInstants(NamedTuple):
    """R recorded instants, whatever algorithm found the motion."""

    time: Array  # (R,)
    x: Array  # HeadState (R,)
    twist: Array  # (R, 6) of the head
    twist_rate: Array  # (R, 6) rate of its components
    hold: Array  # (R, 6) what holds the head, head frame
    powers: Array  # (R, 2) of the strains' drive (actuators and passive), of the environment
    shape: Array  # Shape (R, nodes)
    load: Array  # Load (R, nodes)
    strain: Array  # (R, nodes, 6)
    strain_rate: Array  # (R, nodes, 6)


class Touches(NamedTuple):
    """The contacts at R instants, P of them."""

    place: Array  # (R, P) abscissa, m
    present: NDArray[np.bool_]
    pose: Array  # (R, P, 12) of the touched section in the head frame
    wrench: Array  # (R, P, 6) on the body, along the section's axes
    about_head: Array  # (R, P, 6) the same about the head and along its axes
    resultant: Array  # (R, 6)
    residual: Array  # (R,) slip that remains, m/s
    speed: Array  # (R,) with which it is compared, m/s
    singular: Array  # (R, free components) of the map from forces to resultant, largest first


def kept_arrays(now: RodInstants, touches: Touches | None) -> dict[str, Array]:
    """Instants and contacts by name, record first: what the model keeps until the end of a run."""
    kept = {"time": now.time}
    kept |= {f"instant_{name}": values for name, values in now._asdict().items() if name != "time"}
    if touches is not None:
        kept |= {f"touch_{name}": np.asarray(values, dtype=np.float64) for name, values in touches._asdict().items()}
    return kept


def instants_of(records: Records) -> tuple[RodInstants, Touches | None]:
    """The way back."""
    now = RodInstants(
        records["time"], *(np.ascontiguousarray(records[f"instant_{name}"]) for name in RodInstants._fields[1:])
    )
    if "touch_place" not in records:
        return now, None
    touches: Any = Touches(*(records[f"touch_{name}"] for name in Touches._fields))  # type: ignore[arg-type]
    return now, touches._replace(present=touches.present > 0.5)


def cross_wrench(twist: Array, momentum: Array) -> Array:
    """V x* P of (..., 6) arrays."""
    v, w, p, L = twist[..., :3], twist[..., 3:], momentum[..., :3], momentum[..., 3:]
    return np.concatenate([np.cross(w, p), np.cross(w, L) + np.cross(v, p)], axis=-1)


def bracket(a: Array, b: Array) -> Array:
    """ad_a b of (..., 6) arrays."""
    v, w = a[..., :3], a[..., 3:]
    return np.concatenate([np.cross(w, b[..., :3]) + np.cross(v, b[..., 3:]), np.cross(w, b[..., 3:])], axis=-1)


def carried(way: Any, shape: Array, pairs: Array) -> Array:
    """Twists or wrenches (R, nodes, 6) carried between the head frame and the sections: `ToSections`, `ToHead` or
    `FromHead`."""
    pairs = kernel_array(np.broadcast_to(pairs, (*shape.shape[:2], 6)))
    out = np.empty_like(pairs)
    carry_records(way, kernel_array(shape), pairs, out)
    return out


def _turn(R: Array, v: Array) -> Array:
    return (R @ v[..., None])[..., 0]


class RodMotionRecorder:
    """Turns instants of one rod into variables."""

    def __init__(
        self,
        rod: Rod,
        slices: Slices,
        whole: Array,
        own: Array,
        forces: tuple[Any, ...],
        packs: Sequence[Pack],
        contacts: Sequence[str] = (),
        slip: float = 0.0,
        slides: Sequence[bool] = (),
    ) -> None:
        self.rod, self.mesh, self.whole, self.own, self.forces = rod, slices.mesh, whole, own, forces
        self.contacts, self.slip, self.touching = contacts, slip, np.where(slides, STATES.slip, STATES.stick)
        self.middles, self.axes = slices.mesh.middles, slices.axes
        self.total = float(slices.mesh.weight @ own[:, 0])
        self.actuated = np.isin(np.arange(6), ACTUATED[rod.strains])
        self.stiffness = np.broadcast_to(np.array(rod.stiffness, dtype=np.float64), 6) * self.actuated
        self.damping = np.broadcast_to(np.array(rod.damping, dtype=np.float64), 6) * self.actuated
        self.water = WaterRecorder(packs)

    def schema(self) -> dict[str, Variable]:
        own = {name: variable for name, variable in SCHEMA.items() if self.contacts or name not in CONTACTS}
        return own | self.water.schema()

    def coordinates(self) -> dict[str, Any]:
        """Names of the sections and contacts, and what does not change in time."""
        mesh: PanelMesh = self.mesh
        X, lengths = mesh.X[self.middles], self.section_lengths
        found: dict[str, Any] = {
            "section": (("section",), [f"X = {x:.4g} m" for x in X], {}),
            "abscissa": (("section",), X, {"units": "m", "long_name": "abscissa of the middle of each section"}),
            "section_length": (
                ("section",),
                lengths,
                {"units": "m", "long_name": "length of the section when not stretched"},
            ),
            "effort_limit": (
                ("screw",),
                self.effort_limit(),
                {"units": "N, N m", "long_name": "largest effort of the actuators"},
            ),
        }
        found["slip_tolerance"] = (
            (),
            self.slip,
            {"units": "1", "long_name": "slip that contacts may leave, relative to the speed of the body"},
        )
        if self.contacts:
            held = HELD[self.rod.base]
            found["resultant"] = (("resultant",), [f"number {number + 1}" for number in range(6 - len(held))], {})
            found["contact"] = (("contact",), [f"contact {number + 1}" for number in range(len(self.contacts))], {})
            found["contact_law"] = (
                ("contact",),
                list(self.contacts),
                {"long_name": "the environment that each contact belongs to"},
            )
        return found

    @property
    def section_lengths(self) -> Array:
        """(sections,) m, when not stretched."""
        return np.asarray(2.0 * self.mesh.half[self.mesh.half > 0.0])

    def effort_limit(self) -> Array:
        """(6,) largest effort of the actuators along each strain; infinite where there is none."""
        given = self.rod.effort_limit
        limit = np.full(6, np.inf) if given is None else np.broadcast_to(np.array(given, dtype=float), 6)
        return np.where(self.actuated, limit, np.inf)

    def muscles(self) -> Array:
        """The six strains in a table."""
        rows = Muscle.zeros(6)
        muscle = Muscle.of(rows)
        muscle.stiffness[:], muscle.damping[:] = self.stiffness, self.damping
        muscle.rest[:], muscle.acts[:] = NATURAL, self.actuated
        return rows

    def passive_power(self, strain: Array, rate: Array) -> Array:
        """Power (T,) that passive stiffness and damping give, from strains (T, nodes, 6)."""
        if not (self.stiffness.any() or self.damping.any()):
            return np.zeros(len(strain))
        density = -((self.stiffness * (strain - NATURAL) + self.damping * rate) * rate).sum(axis=-1)
        return np.asarray(density @ self.mesh.weight)

    def variables(self, now: RodInstants, touches: Touches | None) -> Variables:
        """The variables of the schema at the recorded instants."""
        state = HeadState.of(now.x)
        base = quaternion_to_matrix(state.turn)
        acceleration = now.twist_rate.copy()
        acceleration[:, :3] += np.cross(now.twist[:, 3:], now.twist[:, :3])
        passive, position = self.passive_power(now.strain, now.strain_rate), state.position
        found = {
            "time": now.time,
            "base_position": position,
            "base_orientation": state.turn,
            "base_twist": now.twist,
            "base_acceleration": acceleration,
            "base_reaction": now.hold,
            "actuator_power": now.powers[:, 0] - passive,
            "environment_power": now.powers[:, 1],
            "passive_power": passive,
            "actuator_work": state.actuators - state.passive,
            "environment_work": state.environment,
            "passive_work": state.passive,
            "impulse": state.impulse,
            "strain": now.strain[:, self.middles],
            "strain_rate": now.strain_rate[:, self.middles],
            "radius": self.axes[self.middles] / np.sqrt(now.strain[:, self.middles, :1]),
        }
        found |= self._matter(now, base, position) | self._inside(now, touches)
        found |= self.water.variables(now.time, lambda k: self._node_motion(now, base, position, k))
        wet = self.shares(now)
        found |= self.water.sections(
            now.time, found["position"], None if wet is None else wet[:, self.middles, None], np.ones(len(self.middles))
        )
        if touches is not None:
            found |= self._touched(touches, base, position)
        return Variables({name: np.ascontiguousarray(values, dtype=np.float64) for name, values in found.items()})

    def shares(self, now: RodInstants) -> Array | None:
        """(R, nodes): immersed share of every section; None without a surface."""
        if self.water.floats is None:
            return None
        axes, place = self._frames(now)
        half, time = self.axes.T, np.broadcast_to(now.time[:, None], place.shape[:2])
        return share_below(self.water.floats, half[0], half[1], time, place, axes)

    def _frames(self, now: RodInstants) -> tuple[Array, Array]:
        """Axes (R, nodes, 3, 3) and places (R, nodes, 3) of all sections, world."""
        base, state = quaternion_to_matrix(HeadState.of(now.x).turn), HeadState.of(now.x)
        place = state.position[:, None] + RodShape.of(now.shape).place @ base.swapaxes(1, 2)
        return base[:, None] @ _rotations(now.shape), place

    def _added(self, now: RodInstants) -> Array:
        """Added mass per length of every section, on the diagonal: (nodes, 6), at a surface (R, nodes, 6)."""
        added, share = self.whole - self.own, self.shares(now)
        return added if share is None else share[..., None] * added

    def _whole(self, now: RodInstants) -> Array:
        """Inertia per length with added mass."""
        return self.whole if self.water.floats is None else self.own + self._added(now)

    def _matter(self, now: RodInstants, base: Array, position: Array) -> dict[str, Array]:
        """Poses, energy, momentum and centre of mass."""
        shape = RodShape.of(now.shape)
        h, p = _rotations(now.shape), shape.place
        weight, mass = self.mesh.weight, self.own[:, 0]
        V = carried(ToSections(), now.shape, now.twist[:, None] + shape.swing)
        whole = self._whole(now)
        momentum = (weight[:, None] * carried(ToHead(), now.shape, whole * V)).sum(axis=1)
        place = position[:, None] + p @ base.swapaxes(1, 2)
        share = weight * mass / self.total
        force = _turn(base, momentum[:, :3])
        end = -1 if self.rod.head == "tip" else 0
        energy = 0.5 * self.stiffness * (now.strain - NATURAL) ** 2
        return {
            "position": place[:, self.middles],
            "orientation": self._orientations(HeadState.of(now.x).turn, h),
            "head_position": place[:, end],
            "com_position": np.einsum("k,rki->ri", share, place),
            "com_velocity": _turn(base, np.einsum("k,rkij,rkj->ri", share, h, V[..., :3])),
            "kinetic_energy": 0.5 * np.einsum("k,rki,rki->r", weight, V, whole * V),
            "potential_energy": self._weight_energy(place) + np.asarray(energy.sum(axis=-1) @ weight),
            "momentum": np.concatenate([force, _turn(base, momentum[:, 3:]) + np.cross(position, force)], axis=1),
        }

    @staticmethod
    def _node_motion(now: RodInstants, base: Array, position: Array, k: int) -> tuple[Array, Array, Array]:
        """Rotation, place and twist of a node, world axes."""
        shape = RodShape.of(now.shape)
        R, place = base @ _rotations(now.shape)[:, k], position + _turn(base, shape.place[:, k])
        twist = carried(ToSections(), now.shape, now.twist[:, None] + shape.swing)[:, k]
        return R, place, np.concatenate([_turn(R, twist[:, :3]), _turn(R, twist[:, 3:])], axis=1)

    def _orientations(self, base: Array, h: Array) -> Array:
        """Quaternions of the sections: of the two of each orientation, the one that follows from the base's along the
        body."""
        q = matrix_to_quaternion(h)
        turns = np.sign(np.einsum("rki,rki->rk", q[:, 1:], q[:, :-1]))
        q[:, 1:] *= np.cumprod(np.where(turns == 0.0, 1.0, turns), axis=1)[..., None]
        return np.stack(
            quaternion_product(
                Quaternion(*np.moveaxis(base[:, None], -1, 0)), Quaternion(*np.moveaxis(q[:, self.middles], -1, 0))
            ),
            axis=-1,
        )

    @staticmethod
    def _section_motion(now: RodInstants) -> tuple[Array, Array]:
        """Twists of all sections and the rates of their components (R, nodes, 6), along the sections' axes (17)."""
        shape, twist = RodShape.of(now.shape), now.twist[:, None]
        rate = now.twist_rate[:, None] + shape.surge + bracket(twist, shape.swing)
        return carried(ToSections(), now.shape, twist + shape.swing), carried(ToSections(), now.shape, rate)

    def wrench_along(self, now: RodInstants, touches: Touches | None) -> tuple[Array, Array]:
        """Λ at every node (R, nodes, 6), along the section's axes, and the wrench left beyond the tail (R, 6), in the
        head frame."""
        V, rate = self._section_motion(now)
        load, whole = Load.of(now.load), self._whole(now)
        need = whole * rate + cross_wrench(V, whole * V) - load.push
        about_head = self.mesh.integral_to_nodes(carried(ToHead(), now.shape, need)) - now.hold[:, None]
        tail = about_head[:, -1].copy()
        if load.poke.any():
            poked = carried(ToHead(), now.shape, load.poke)
            passed = np.cumsum(poked, axis=1)
            passed[:, 1:] -= poked[:, 1:]  # at the head Λ(0) = -F_minus, at the tail Λ(l) = F_plus
            about_head -= passed
            tail -= poked.sum(axis=1)
        if touches is not None:
            X, place = self.mesh.X[:, None], touches.place[:, None]
            at_head = (X == 0.0) & (place <= 0.0)  # one at the head acts from there on: Λ(0) = -F_minus
            # again
            beyond = ((place < X) | at_head) & touches.present[:, None]
            about_head = about_head - np.einsum("rkp,rpi->rki", beyond.astype(float), touches.about_head)
            tail = tail - (touches.about_head * touches.present[..., None]).sum(axis=1)
        along = carried(FromHead(), now.shape, about_head)
        if self.water.wakes:
            along[..., :3] -= self._flux(now, V)
        return along, tail

    def _flux(self, now: RodInstants, V: Array) -> Array:
        """G = (W.e1) P - T e1 of Lighthill's water at every node, along the section's axes: as much of the force inside
        the body is the water's. Beyond the tail, where its wake acts, nothing remains."""
        added, (axes, place) = self._added(now), self._frames(now)
        u = self.water.velocity_at(np.broadcast_to(now.time[:, None], place.shape[:2]), place)
        W = V[..., :3] - _turn(axes.swapaxes(2, 3), u)
        P = added[..., :3] * W
        flux = W[..., :1] * P
        flux[..., 0] -= 0.5 * ((W * P).sum(axis=-1) + added[..., 3] * V[..., 3] ** 2)
        return np.asarray(flux)

    def _inside(self, now: RodInstants, touches: Touches | None) -> dict[str, Array]:
        """The wrench inside the body, the effort of the actuators, and what pushes each section."""
        wrench, tail = self.wrench_along(now, touches)
        force, torque = (np.abs(wrench[..., part]).max(axis=(1, 2), initial=0.0) for part in (slice(3), slice(3, 6)))
        scale = force + torque / self.rod.length
        left = np.linalg.norm(tail[:, :3], axis=1) + np.linalg.norm(tail[:, 3:], axis=1) / self.rod.length
        m, length = self.middles, self.section_lengths
        strain, rate = now.strain[:, m], now.strain_rate[:, m]
        effort = (-wrench[:, m] + self.stiffness * (strain - NATURAL) + self.damping * rate) * self.actuated
        return {
            "internal_wrench": wrench[:, m],
            "effort": effort,
            "tail_wrench": np.divide(left, scale, out=np.zeros(len(left)), where=scale > 1e-12),
            "fluid_force": self._outside(now)[:, m, :3] * length[:, None],
        }

    def _outside(self, now: RodInstants) -> Array:
        """What the environment does per length, at nodes: the push on body and added mass, less what the latter
        takes."""
        added, push = self._added(now), Load.of(now.load).push
        if not self.whole.any() or not added.any():
            return push
        V, rate = self._section_motion(now)
        return np.asarray(push - added * rate - cross_wrench(V, added * V))

    def _touched(self, touches: Touches, base: Array, position: Array) -> dict[str, Array]:
        there = touches.present[..., None]
        place = position[:, None] + RodShape.of(touches.pose).place @ base.swapaxes(1, 2)
        turn, wrench = base[:, None] @ _rotations(touches.pose), np.where(there, touches.wrench, 0.0)
        return {
            "contact_wrench": touches.resultant,
            "support_wrench": wrench,
            "contact_force": _turn(turn, wrench[..., :3]),
            "contact_couple": _turn(turn, wrench[..., 3:]),
            "contact_position": np.where(there, place, 0.0),
            "contact_state": np.where(touches.present, self.touching, STATES.open),
            "support_abscissa": np.where(touches.present, touches.place, 0.0),
            "contact_residual": touches.residual,
            "contact_speed": touches.speed,
            "contact_conditioning": touches.singular[:, -1] / np.maximum(touches.singular[:, 0], 1e-300),
            "contact_singular_values": touches.singular,
        }

    def _weight_energy(self, place: Array) -> Array:
        """-field . mass position, of all uniform fields that always act."""
        energy = np.zeros(len(place))
        for element in self.forces:
            if isinstance(element.kind, WeightLaw):
                weight = Weight.of(element.rows)
                for i in np.flatnonzero(np.isinf(weight.since)):
                    k = weight.body[i]
                    energy -= self.mesh.weight[k] * weight.mass[i] * place[:, k] @ weight.field[i]
        return energy


def _rotations(shape: Array) -> Array:
    return RodShape.of(shape).rotation.reshape(*shape.shape[:-1], 3, 3)
