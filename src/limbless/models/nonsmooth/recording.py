"""Recorded states of a chain in contact as the variables of a result.

Bodies are recorded as every chain's are, from poses, velocities and mean accelerations of the last step; contacts are
added here.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.environments.base import Pack
from limbless.mechanics.chain.tables import BodyRecord
from limbless.mechanics.contact.step_tables import ContactRecord, ContactRecords, StepRecord
from limbless.mechanics.contact.tables import Scene
from limbless.models.base import Records
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


def kept_arrays(kept: ContactRecords) -> dict[str, Array]:
    """The records of a problem by name, as the model returns them; without the tally."""
    steps = StepRecord.of(kept.steps)
    return {"x": kept.x, "torque": kept.torque, "bodies": kept.bodies, "contacts": kept.contacts,
            "resultant": steps.resultant, "residual": steps.residual, "depth": steps.depth}


class ContactRecorder(Recorder):
    """Turns records of one chain in contact into variables."""

    def __init__(self, chain: Chain, links: Any, packs: Sequence[Pack], scene: Scene) -> None:
        super().__init__(chain, links, packs)
        self.scene = scene

    def coordinates(self) -> dict[str, Any]:
        """Labels of joints, sections and contacts, and which link each contact belongs to."""
        rows = self.chain.rows
        link = np.array([rows[k].link for k in self.scene.owner], dtype=np.int64)
        names = [f"{self.chain.link_names[number]} contact {place}" for place, number in enumerate(link)]
        return {
            **super().coordinates(),
            "contact": (("contact",), names, {}),
            "contact_link": (("contact",), link, {"long_name": "number of the link, from 0"}),
            "contact_surface": (("contact",), self.scene.surface, {"long_name": "number of the surface, from 0"}),
            "surface": (("surface", "parameter"), self.scene.surfaces, {
                "long_name": "what can be touched: code, active from and until (s), friction of slip along x and "
                             "against it, lateral, rolling, restitution, then the numbers of its shape (see "
                             "mechanics.contact.shapes)"}),
        }

    def contact_variables(self, records: Records) -> dict[str, Array]:
        """The variables of `SCHEMA`."""
        times, joints = records["time"], self.chain.freedoms
        count, bodies, contacts = len(times), BodyRecord.of(records["bodies"]), ContactRecord.of(records["contacts"])
        moving = Recorded(records["x"], np.zeros((count, 6 + joints)), records["torque"], np.zeros((count, 3)),
                          bodies.rotation, bodies.origin, bodies.twist, bodies.twist_rate, bodies.wrench,
                          np.zeros((count, 6)))
        found = {name: values for name, values in self.variables(times, moving).items() if name not in _NOT_HERE}
        return found | mean_powers(found) | {
            "contact_force": contacts.force, "contact_position": contacts.place, "contact_state": contacts.state,
            "contact_gap": np.minimum(contacts.gap, FARTHEST), "contact_wrench": records["resultant"],
            "contact_residual": records["residual"], "contact_depth": records["depth"]}
