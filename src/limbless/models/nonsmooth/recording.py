"""Recorded states of a chain in contact as the variables of a result.

Bodies are recorded by the recorder of the Newton-Euler model, from poses, velocities and mean accelerations of the last step; contacts
are added here.
"""
from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from limbless.mechanics.chain import rows as kernels
from limbless.mechanics.chain.row_motion import Records
from limbless.mechanics.contact.bodies import CENTER
from limbless.mechanics.contact.gap import Scene
from limbless.mechanics.contact.motion import Kept
from limbless.mechanics.forces.rows import Laws
from limbless.models.base import Block
from limbless.models.chain_recording import SCHEMA as CHAIN_SCHEMA
from limbless.models.chain_recording import Recorder, mean_powers, mean_schema
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
    """Turns `Kept` of one chain into blocks."""

    def __init__(self, chain: Chain, table: kernels.ChainTable, laws: Laws, bodies: Array, scene: Scene) -> None:
        self.chain, self.bodies, self.scene = chain, bodies, scene
        self.recorder = Recorder(chain, table, laws)

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
                             "lateral, rolling, restitution, then the numbers of its shape (see mechanics.contact.gap)"}),
        }

    def block(self, times: Array, kept: Kept, split: int) -> Block:
        """The variables of `SCHEMA` at the recorded times."""
        count, joints = len(times), self.chain.freedoms
        twist, rate = self._twists(kept)
        records = Records(kept.x, np.zeros((count, 6 + joints)), kept.torque, kept.powers, kept.rotation, kept.origin, twist, rate,
                          kept.wrench, np.zeros((count, 6)))
        block = {name: values for name, values in self.recorder.block(times, records, split).items() if name not in _NOT_HERE}
        return block | mean_powers(block) | {"contact_force": kept.force, "contact_position": kept.place, "contact_state": kept.state,
                        "contact_gap": np.minimum(kept.gap, FARTHEST), "contact_wrench": kept.resultant,
                        "contact_residual": kept.residual, "contact_depth": kept.depth}

    def _twists(self, kept: Kept) -> tuple[Array, Array]:
        """Twists and spatial accelerations about the origins of the bodies, world axes, from what the centres of mass did."""
        R = kept.rotation.reshape(*kept.rotation.shape[:2], 3, 3)
        arm = np.einsum("rbij,bj->rbi", R, self.bodies[:, CENTER:CENTER + 3])
        w, turn = (np.einsum("rbij,rbj->rbi", R, part[..., 3:]) for part in (kept.links, kept.rates))
        v = kept.links[..., :3] - np.cross(w, arm)
        a = kept.rates[..., :3] - np.cross(turn, arm) - np.cross(w, np.cross(w, arm))
        return np.concatenate([v, w], axis=2), np.concatenate([a - np.cross(w, v), turn], axis=2)
