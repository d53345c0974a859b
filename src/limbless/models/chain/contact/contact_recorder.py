"""Recorded states of a chain in contact as the variables of a result.

Bodies are recorded as every chain's are, from poses, velocities and mean accelerations of the last step; contacts are
added here.

What one step of a chain in contact did.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.core import Array
from limbless.mechanics.chain import BodyRecord
from limbless.mechanics.contact import (
    ContactRecord,
    ContactRecords,
    ContactRow,
    MovingBodies,
    ObjectPose,
    Scene,
    SoftContactRecords,
    StepRecord,
    contact_means,
)
from limbless.models import Records, State, choose
from limbless.models.chain.chain_recorder import SCHEMA as CHAIN_SCHEMA
from limbless.models.chain.contact.contact_scene import TouchingRobot
from limbless.models.chain.contact.moving_body_tables import SurroundingBodies
from limbless.models.recording.body_recorder import BodyMotion, mean_schema

NOT_HERE = ("base_acceleration", "base_reaction", "joint_acceleration")  # an impact has none
FARTHEST = 1e3  # m: gaps beyond are not measured
_MEAN = "mean over the step that ended"

CONTACTS = choose(
    "contact_force",
    "contact_position",
    "contact_state",
    "contact_gap",
    "contact_wrench",
    "contact_residual",
    "contact_depth",
    contact_force=_MEAN,
    contact_wrench=_MEAN,
)
"""Of every robot that touches something."""

SCHEMA = {
    **{name: variable for name, variable in mean_schema(CHAIN_SCHEMA).items() if name not in NOT_HERE},
    **CONTACTS,
}

WHEELS = choose("contact_held")
"""Of set-valued wheels, where there are any."""

OBJECTS = choose(
    "object_position",
    "object_orientation",
    "object_twist",
    "object_wrench",
    "object_energy",
    "object_work",
    "object_momentum",
    "object_impulse",
    object_wrench=_MEAN,
)
"""Of free objects, where there are any."""


def touch_arrays(kept: ContactRecords | SoftContactRecords) -> dict[str, Any]:
    """The records of contacts and objects by name, as a model returns them."""
    steps = StepRecord.of(kept.steps)
    return {
        "contacts": kept.contacts,
        "resultant": steps.resultant,
        "residual": steps.residual,
        "depth": steps.depth,
        "objects": kept.objects,
    }


class ContactPart:
    """Contacts and free objects of one robot, whatever that is made of."""

    def __init__(
        self, robot: TouchingRobot, scene: Scene, moving_bodies: MovingBodies | None, company: SurroundingBodies
    ) -> None:
        self.robot, self.scene, self.moving_bodies, self.company = robot, scene, moving_bodies, company
        self.masses = [body.mass_and_inertia() for body in company.objects]

    @cached_property
    def places(self) -> dict[str, Any]:
        """Which link each contact belongs to, and what that touches: a surface, another link or an object."""
        return {
            name: np.asarray(told[1], dtype=np.int64)
            for name, told in self.coordinates().items()
            if name.startswith("contact_")
        }

    def coordinates(self) -> dict[str, Any]:
        """Labels of contacts, and which link each belongs to."""
        bodies = [*self.robot.names, *self.company.names]
        names = [f"{bodies[k]} contact {place}" for place, k in enumerate(self.scene.owner)]
        return {
            "contact": (("contact",), names, {}),
            "contact_link": (
                ("contact",),
                self._links(self.scene.owner),
                {"long_name": "number of the link or section, from 0"},
            ),
            "contact_surface": (("contact",), self.scene.surface, {"long_name": "number of the surface, from 0"}),
            "surface": (
                ("surface", "parameter"),
                self.scene.surfaces,
                {
                    "long_name": "what can be touched: code, active from and until (s), friction of slip along x and "
                    "against it, lateral, rolling, restitution, then the numbers of its shape (see "
                    "mechanics.contact.shapes)"
                },
            ),
            **self._crowd_coordinates(),
        }

    def _links(self, rows: Any) -> NDArray[np.int64]:
        """Numbers of the links that rows of bodies belong to; -1 of objects, and of nothing."""
        own = self.robot.links
        return np.array([own[k] if 0 <= k < len(own) else -1 for k in rows], dtype=np.int64)

    def _crowd_coordinates(self) -> dict[str, Any]:
        """Names and masses of objects; which object and which second link each contact belongs to."""
        if self.moving_bodies is None:
            return {}
        first, owner, other = self.moving_bodies.first, self.scene.owner, self.moving_bodies.other
        number = np.where(owner >= first, owner, np.where(other >= first, other, first - 1)) - first
        second = np.where((owner >= first) & (other >= first), other - first, -1)
        found = {
            "contact_other_link": (
                ("contact",),
                self._links(other),
                {"long_name": "number of the link that the link touches, from 0; -1 where it touches something else"},
            )
        }
        if not self.masses:
            return found
        return {
            **found,
            "object": (("object",), list(self.company.names), {}),
            "object_mass": (("object",), np.array([mass for mass, _ in self.masses]), {"units": "kg"}),
            "contact_object": (
                ("contact",),
                number,
                {"long_name": "number of the object, from 0 (of two, of the one that is pushed); -1 where none"},
            ),
            "contact_other_object": (
                ("contact",),
                second,
                {
                    "long_name": "number of the object that an object touches, from 0; -1 where it touches something "
                    "else"
                },
            ),
        }

    def variables(self, records: Records) -> dict[str, Array]:
        """What contacts and objects add to the variables of a robot."""
        contacts = ContactRecord.of(records["contacts"])
        return {
            "contact_force": contacts.force,
            "contact_position": contacts.place,
            "contact_state": contacts.state,
            "contact_held": contacts.held,
            "contact_gap": np.minimum(contacts.gap, FARTHEST),
            "contact_wrench": records["resultant"],
            "contact_residual": records["residual"],
            "contact_depth": records["depth"],
            **self._object_variables(BodyRecord.of(records["bodies"]), ObjectPose.of(records["objects"])),
        }

    def _object_variables(self, bodies: Any, placed: Any) -> dict[str, Array]:
        """Of free objects, along their own axes or the world's; none where there are none."""
        if not self.masses:
            return {}
        first, origin = len(self.robot.links), placed.origin
        mass, inertia = np.array([mass for mass, _ in self.masses]), np.array([own for _, own in self.masses])
        R, _, twist, _, _ = BodyMotion.of(bodies, slice(first, None))
        spin = np.einsum("roij,roj->roi", R, inertia * twist[..., 3:])
        linear = mass[:, None] * bodies.twist[:, first:, :3]
        return {
            "object_position": origin,
            "object_orientation": placed.turn,
            "object_twist": twist,
            "object_wrench": bodies.wrench[:, first:],
            "object_work": placed.work,
            "object_impulse": placed.impulse,
            "object_energy": 0.5
            * (mass * (twist[..., :3] ** 2).sum(axis=-1) + (inertia * twist[..., 3:] ** 2).sum(axis=-1)),
            "object_momentum": np.concatenate([linear, spin + np.cross(origin, linear)], axis=-1),
        }


@dataclass(frozen=True)
class Contacts:
    """What one step did at every contact that the scene can have; zero where nothing was near."""

    state: State
    gap: Array  # (contacts,) m, at the middle of the step
    normal: Array  # (contacts, 3) from the surface to the body, world
    tangent: Array  # (contacts, 3) along the body, world
    force: Array  # (contacts, 3) N, mean over the step, world
    velocity: Array  # (contacts, 3) m/s at the end of the step: normal, along, across
    residual: float  # m/s, worst violation of the contact laws


def contact_forces(table: Array, duration: float) -> tuple[Array, Array]:
    """Mean forces (contacts, 3), N, world, and states (contacts,) of the step of `duration`
    seconds that left the table.
    """
    force, state = np.zeros((len(table), 3)), np.zeros(len(table))
    contact_means(table, duration, force, state)
    return force, state


def contacts_of(table: Array, state: State, duration: float, residual: float) -> Contacts:
    """From the table `ContactRow` that a step of `duration` seconds has left, and the state that it led to."""
    contact = ContactRow.of(table)
    return Contacts(
        state,
        contact.gap.copy(),
        contact.normal.copy(),
        contact.tangent.copy(),
        contact_forces(table, duration)[0],
        np.concatenate([contact.approach[:, None], contact.slip], axis=1),
        residual,
    )
