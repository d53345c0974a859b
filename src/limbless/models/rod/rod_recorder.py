"""Recorded instants of a rod as named variables: poses, strains, the wrench inside, energy, momentum.

Everything is computed in NumPy from recorded shapes, twists and pushes, apart from the kernels that integrated them.

What the equations of a rod give at one instant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array
from limbless.environments.base import Pack
from limbless.mechanics.algebra import quaternion_to_matrix
from limbless.mechanics.compiled import kernel_array
from limbless.mechanics.contact import STATES
from limbless.mechanics.rod import (
    FromHead,
    HeadState,
    Instant,
    Load,
    Muscle,
    RodRecords,
    RodShape,
    Strains,
    ToHead,
    ToSections,
    carry_records,
)
from limbless.models import Records, Variable, choose
from limbless.models.recording.body_recorder import (
    BALANCES,
    POSES,
    BaseMotion,
    BodyMotion,
    BodyRecorder,
    following_quaternions,
    inertial_wrench,
    turn,
)
from limbless.models.rod.panel_mesh import Slices
from limbless.robots.rod import ACTUATED, HELD, Rod

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
SCHEMA = choose(
    *POSES,
    "radius",
    "strain",
    "strain_rate",
    "internal_wrench",
    "effort",
    "fluid_force",
    *CONTACTS,
    "tail_wrench",
    *BALANCES,
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
    kept = {"time": now.time} | {f"instant_{name}": values for name, values in now._asdict().items() if name != "time"}
    if touches is not None:
        kept |= {f"touch_{name}": np.asarray(values, dtype=np.float64) for name, values in touches._asdict().items()}
    return kept


def instants_from(times: Array, kept: RodRecords, strains: Strains) -> RodInstants:
    """Records as instants."""
    instant = Instant.of(kept.instants)
    powers = np.stack([instant.actuators, instant.environment], axis=1)
    return RodInstants(
        times,
        kept.x,
        instant.twist,
        instant.rate,
        instant.hold,
        powers,
        kept.shapes,
        kept.loads,
        strains.value[kept.row],
        strains.rate[kept.row],
    )


def instants_of(records: Records) -> tuple[RodInstants, Touches | None]:
    """The way back."""
    now = RodInstants(
        records["time"], *(np.ascontiguousarray(records[f"instant_{name}"]) for name in RodInstants._fields[1:])
    )
    if "touch_place" not in records:
        return now, None
    touches: Any = Touches(*(records[f"touch_{name}"] for name in Touches._fields))  # type: ignore[arg-type]
    return now, touches._replace(present=touches.present > 0.5)


def bracket(a: Array, b: Array) -> Array:
    """ad_a b of (..., 6) arrays."""
    found = np.empty(np.broadcast_shapes(a.shape, b.shape))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):  # component by component: np.cross moves axes about
        v, w, turn = (a[..., j], a[..., k]), (a[..., j + 3], a[..., k + 3]), (b[..., j + 3], b[..., k + 3])
        found[..., i] = w[0] * b[..., k] - w[1] * b[..., j] + v[0] * turn[1] - v[1] * turn[0]
        found[..., i + 3] = w[0] * turn[1] - w[1] * turn[0]
    return found


def carried(way: Any, shape: Array, pairs: Array) -> Array:
    """Twists or wrenches (R, nodes, 6) carried between the head frame and the sections: `ToSections`, `ToHead` or
    `FromHead`."""
    pairs = kernel_array(np.broadcast_to(pairs, (*shape.shape[:2], 6)))
    out = np.empty_like(pairs)
    carry_records(way, kernel_array(shape), pairs, out)
    return out


class RodMotionRecorder(BodyRecorder):
    """Of one rod: bodies are its nodes, with masses and forces per length; sections are the middles of its panels."""

    def __init__(
        self,
        rod: Rod,
        slices: Slices,
        whole: Array,
        own: Array,
        packs: Sequence[Pack],
        contacts: Sequence[str] = (),
        slip: float = 0.0,
        slides: Sequence[bool] = (),
    ) -> None:
        super().__init__(packs, len(own))
        self.rod, self.mesh, self.mass, self.own = rod, slices.mesh, own[:, 0], own
        self.contacts, self.slip, self.touching = contacts, slip, np.where(slides, STATES.slip, STATES.stick)
        self.sections, self.axes, self.weight = slices.mesh.middles, slices.axes, slices.mesh.weight
        self.added = whole - own if whole.any() else np.zeros_like(own)
        self.inert = float(whole.any())
        self.actuated = np.isin(np.arange(6), ACTUATED[rod.strains])
        X = np.clip(slices.mesh.X, 0.0, rod.length)
        self.stiffness, self.damping = rod.stiffnesses(X) * self.actuated, rod.dampings(X) * self.actuated
        self.rest = rod.rest_strains(X)

    def schema(self) -> dict[str, Variable]:
        own = {name: variable for name, variable in SCHEMA.items() if self.contacts or name not in CONTACTS}
        return own | self.water.schema()

    def coordinates(self) -> dict[str, Any]:
        """Names of the sections and contacts, and what does not change in time."""
        X = self.mesh.X[self.sections]
        found: dict[str, Any] = {
            "section": (("section",), [f"X = {x:.4g} m" for x in X], {}),
            "abscissa": (("section",), X, {"units": "m", "long_name": "abscissa of the middle of each section"}),
            "section_length": (
                ("section",),
                self.section_lengths,
                {"units": "m", "long_name": "length of the section when not stretched"},
            ),
            "effort_limit": (
                ("screw",),
                self.effort_limit(),
                {"units": "N, N m", "long_name": "largest effort of the actuators"},
            ),
            "slip_tolerance": (
                (),
                self.slip,
                {"units": "1", "long_name": "slip that contacts may leave, relative to the speed of the body"},
            ),
        }
        if self.contacts:
            free = 6 - len(HELD[self.rod.base])
            found |= {
                "resultant": (("resultant",), [f"number {number + 1}" for number in range(free)], {}),
                "contact": (("contact",), [f"contact {number + 1}" for number in range(len(self.contacts))], {}),
                "contact_law": (
                    ("contact",),
                    list(self.contacts),
                    {"long_name": "the environment that each contact belongs to"},
                ),
            }
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
        """The six strains of all sections in a table."""
        rows, m = Muscle.zeros(6 * len(self.sections)), self.sections
        muscle = Muscle.of(rows)
        muscle.stiffness[:], muscle.damping[:] = self.stiffness[m].ravel(), self.damping[m].ravel()
        muscle.rest[:], muscle.acts[:] = self.rest[m].ravel(), np.tile(self.actuated, len(m))
        return rows

    def passive_power(self, strain: Array, rate: Array) -> Array:
        """Power (T,) that passive stiffness and damping give, from strains (T, nodes, 6)."""
        if not (self.stiffness.any() or self.damping.any()):
            return np.zeros(len(strain))
        density = -((self.stiffness * (strain - self.rest) + self.damping * rate) * rate).sum(axis=-1)
        return np.asarray(density @ self.mesh.weight)

    def variables(self, now: RodInstants, touches: Touches | None) -> dict[str, Array]:
        """The variables of the schema at the recorded instants."""
        state, bodies = HeadState.of(now.x), self.bodies(now)
        passive, strain = self.passive_power(now.strain, now.strain_rate), now.strain[:, self.sections]
        base = BaseMotion(
            state.position,
            state.turn,
            now.twist,
            now.twist_rate,
            now.hold,
            (now.powers[:, 0] - passive, now.powers[:, 1], passive),
            (state.actuators - state.passive, state.environment, state.passive),
            state.impulse,
        )
        found = self.body_variables(now.time, base, bodies)
        energy = 0.5 * self.stiffness * (now.strain - self.rest) ** 2
        found |= {
            "potential_energy": found["potential_energy"] + energy.sum(axis=-1) @ self.weight,
            "strain": strain,
            "strain_rate": now.strain_rate[:, self.sections],
            "radius": self.axes[self.sections] / np.sqrt(strain[..., :1]),
            **self._inside(now, bodies, touches),
        }
        return found if touches is None else found | self._touched(touches, base)

    def bodies(self, now: RodInstants) -> BodyMotion:
        """The motion of all nodes."""
        state, (twist, rate) = HeadState.of(now.x), self._section_motion(now)
        base = quaternion_to_matrix(state.turn)
        place = state.position[:, None] + RodShape.of(now.shape).place @ base.swapaxes(1, 2)
        return BodyMotion(base[:, None] @ _rotations(now.shape), place, twist, rate, Load.of(now.load).push)

    def section_variables(self, base: BaseMotion, bodies: BodyMotion, outside: Array) -> dict[str, Array]:
        """Poses of the sections, and the force of the environment on each, along its axes."""
        return {
            "position": bodies.origin[:, self.sections],
            "orientation": following_quaternions(base.orientation, bodies.rotation)[:, self.sections],
            "head_position": bodies.origin[:, -1 if self.rod.head == "tip" else 0],
            "fluid_force": outside[:, self.sections, :3] * self.section_lengths[:, None],
        }

    @staticmethod
    def _section_motion(now: RodInstants) -> tuple[Array, Array]:
        """Twists of all sections and the rates of their components (R, nodes, 6), along the sections' axes (17)."""
        shape, twist = RodShape.of(now.shape), now.twist[:, None]
        rate = now.twist_rate[:, None] + shape.surge + bracket(twist, shape.swing)
        return carried(ToSections(), now.shape, twist + shape.swing), carried(ToSections(), now.shape, rate)

    def wrench_along(
        self, now: RodInstants, touches: Touches | None, bodies: BodyMotion | None = None
    ) -> tuple[Array, Array]:
        """Λ at every node (R, nodes, 6), along the section's axes, and the wrench left beyond the tail (R, 6), in the
        head frame."""
        bodies, load = bodies or self.bodies(now), Load.of(now.load)
        wet = self.immersed(now.time, bodies)
        added = self.added if wet is None else self.added_to(wet)
        need = inertial_wrench(self.inert * (self.own + added), bodies.twist, bodies.rate) - load.push
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
            # one at the head acts from there on: Λ(0) = -F_minus again
            at_head = (X == 0.0) & (place <= 0.0)
            beyond = ((place < X) | at_head) & touches.present[:, None]
            about_head = about_head - np.einsum("rkp,rpi->rki", beyond.astype(float), touches.about_head)
            tail = tail - (touches.about_head * touches.present[..., None]).sum(axis=1)
        along = carried(FromHead(), now.shape, about_head)
        if self.water.wakes:
            along[..., :3] -= self._flux(now.time, bodies, added)
        return along, tail

    def _flux(self, time: Array, bodies: BodyMotion, added: Array) -> Array:
        """G = (W.e1) P - T e1 of Lighthill's water at every node, along the section's axes: as much of the force inside
        the body is the water's. Beyond the tail, where its wake acts, nothing remains."""
        u = self.water.velocity_at(np.broadcast_to(time[:, None], bodies.origin.shape[:2]), bodies.origin)
        W = bodies.twist[..., :3] - np.einsum("rbji,rbj->rbi", bodies.rotation, u)
        P = added[..., :3] * W
        flux = W[..., :1] * P
        flux[..., 0] -= 0.5 * ((W * P).sum(axis=-1) + added[..., 3] * bodies.twist[..., 3] ** 2)
        return np.asarray(flux)

    def _inside(self, now: RodInstants, bodies: BodyMotion, touches: Touches | None) -> dict[str, Array]:
        """The wrench inside the body, and the effort of the actuators."""
        wrench, tail = self.wrench_along(now, touches, bodies)
        force, torque = (np.abs(wrench[..., part]).max(axis=(1, 2), initial=0.0) for part in (slice(3), slice(3, 6)))
        scale = force + torque / self.rod.length
        left = np.linalg.norm(tail[:, :3], axis=1) + np.linalg.norm(tail[:, 3:], axis=1) / self.rod.length
        m = self.sections
        strain, rate = now.strain[:, m], now.strain_rate[:, m]
        effort = -wrench[:, m] + self.stiffness[m] * (strain - self.rest[m]) + self.damping[m] * rate
        return {
            "internal_wrench": wrench[:, m],
            "effort": effort * self.actuated,
            "tail_wrench": np.divide(left, scale, out=np.zeros(len(left)), where=scale > 1e-12),
        }

    def _touched(self, touches: Touches, base: BaseMotion) -> dict[str, Array]:
        there, head = touches.present[..., None], quaternion_to_matrix(base.orientation)
        place = base.position[:, None] + RodShape.of(touches.pose).place @ head.swapaxes(1, 2)
        wrench = np.where(there, touches.wrench, 0.0)
        world = turn(head[:, None] @ _rotations(touches.pose), wrench)
        return {
            "contact_wrench": touches.resultant,
            "support_wrench": wrench,
            "contact_force": world[..., :3],
            "contact_couple": world[..., 3:],
            "contact_position": np.where(there, place, 0.0),
            "contact_state": np.where(touches.present, self.touching, STATES.open),
            "support_abscissa": np.where(touches.present, touches.place, 0.0),
            "contact_residual": touches.residual,
            "contact_speed": touches.speed,
            "contact_conditioning": touches.singular[:, -1] / np.maximum(touches.singular[:, 0], 1e-300),
            "contact_singular_values": touches.singular,
        }


def _rotations(shape: Array) -> Array:
    return RodShape.of(shape).rotation.reshape(*shape.shape[:-1], 3, 3)


@dataclass(frozen=True)
class RodSolution:
    """Motion and wrenches of one instant.

    Attributes
    ----------
    base_twist_rate : (6,) rate of the components of the head's twist (m/s2, rad/s2): not the classical acceleration.
    internal_wrench : (nodes, 6) what the part beyond each node does to the part before it, section axes (N, N m).
    tail_wrench : (6,) what is left beyond the tail, about the head: 0 (N, N m).
    base_reaction : (6,) wrench that holds or drives the head, head axes (N, N m); zero for a free rod.
    inertia : (6, 6) M_o (19), about the head.
    poses : (nodes, 12) rotation (row by row) and position of each node in the head frame.
    actuator_power : what the drive of the strains gives, -∫ Λᵀ ξ̇ dX (W).
    base_twist : (6,) twist of the head, its own axes (m/s, rad/s): as given, or what the contacts make of it.
    contact_wrench : (6,) resultant of all contacts about the head, its axes (N, N m).
    support_wrench : (contacts, 6) force and couple of each contact on the body, axes of the touched section (N, N m); 0
        where it does not act.
    """

    base_twist_rate: Array
    internal_wrench: Array
    tail_wrench: Array
    base_reaction: Array
    inertia: Array
    poses: Array
    actuator_power: float
    base_twist: Array
    contact_wrench: Array
    support_wrench: Array
