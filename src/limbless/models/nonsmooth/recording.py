"""Recorded states of a chain in contact as the variables of a result.

Bodies are recorded by the recorder of the Newton-Euler model, from poses, velocities and mean accelerations of the last step; contacts
are added here.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.chain.tables import BodyRecord
from limbless.mechanics.contact.step_tables import ContactRecord
from limbless.mechanics.contact.tables import Scene
from limbless.models.base import Block
from limbless.models.chain_recording import SCHEMA as CHAIN_SCHEMA
from limbless.models.chain_recording import Recorded, Recorder, mean_powers, mean_schema
from limbless.models.variables import choose
from limbless.robots.chain import Chain

Array = NDArray[np.float64]
_NOT_HERE = ("base_acceleration", "base_reaction", "joint_acceleration")      # an impact has none
FARTHEST = 1e3                                                                # m: gaps beyond are not measured
_MEAN = "mean over the step that ended"

SCHEMA = {
    **{name: variable for name, variable in mean_schema(CHAIN_SCHEMA).items() if name not in _NOT_HERE},
    **choose("contact_force", "contact_position", "contact_state", "contact_gap", "contact_wrench", "contact_residual",
             "contact_depth", contact_force=_MEAN, contact_wrench=_MEAN),
}


class ContactRecorder:
    """Turns records of one chain in contact into blocks."""

    def __init__(self, chain: Chain, links: Any, packs: Any, scene: Scene) -> None:
        self.chain, self.scene = chain, scene
        self.recorder = Recorder(chain, links, packs)

    def coordinates(self) -> dict[str, Any]:
        """Labels of joints, sections and contacts, and which link each contact belongs to."""
        rows = self.chain.rows
        link = np.array([rows[k].link for k in self.scene.owner], dtype=np.int64)
        names = [f"{self.chain.link_names[number]} contact {place}" for place, number in enumerate(link)]
        return {
            **self.recorder.coordinates(),
            "contact": (("contact",), names, {}),
            "contact_link": (("contact",), link, {"long_name": "number of the link, from 0"}),
            "contact_surface": (("contact",), self.scene.surface, {"long_name": "number of the surface, from 0"}),
            "surface": (("surface", "parameter"), self.scene.surfaces, {
                "long_name": "what can be touched: code, active from and until (s), friction of slip along x and against it, "
                             "lateral, rolling, restitution, then the numbers of its shape (see mechanics.contact.shapes)"}),
        }

    def block(self, raw: Block, split: int) -> Block:
        """The variables of `SCHEMA` from a block of records."""
        times, joints = raw["time"], self.chain.freedoms
        count, bodies, contacts = len(times), BodyRecord.of(raw["bodies"]), ContactRecord.of(raw["contacts"])
        records = Recorded(raw["x"], np.zeros((count, 6 + joints)), raw["torque"], np.zeros((count, 3)), bodies.rotation, bodies.origin,
                          bodies.twist, bodies.twist_rate, bodies.wrench, np.zeros((count, 6)))
        block = {name: values for name, values in self.recorder.block(times, records, split).items() if name not in _NOT_HERE}
        return block | mean_powers(block) | {
            "contact_force": contacts.force, "contact_position": contacts.place, "contact_state": contacts.state,
            "contact_gap": np.minimum(contacts.gap, FARTHEST), "contact_wrench": raw["resultant"],
            "contact_residual": raw["residual"], "contact_depth": raw["depth"]}
