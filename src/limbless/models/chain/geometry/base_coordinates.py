"""How the base of a chain is described: virtual joints (a chart) or a group; the memory of a chain on it."""

from __future__ import annotations

import numpy as np

from limbless.core import InputError
from limbless.mechanics.chain import Body
from limbless.mechanics.geometry.base_charts import Frame, GeometricMemory, JointScrew, Spatial
from limbless.models.geometric import Coordinates, Form
from limbless.robots.chain import Chain

_NAMES: dict[tuple[str, str], tuple[str, ...]] = {
    ("fixed", "virtual"): (),
    ("planar", "virtual"): ("X", "Y", "yaw"),
    ("free", "virtual"): ("X", "Y", "Z", "yaw", "pitch", "roll"),
    ("fixed", "group"): (),
    ("planar", "group"): ("vx", "vy", "wz"),
    ("free", "group"): ("vx", "vy", "vz", "wx", "wy", "wz"),
}


def frame_of(chain: Chain, coordinates: Coordinates, equations: Form = "full") -> tuple[Frame, tuple[str, ...]]:
    """The description of the base of this chain, whose equations are in full or with (22) as printed; one name for
    each speed of the base.
    """
    if equations == "printed" and (chain.base != "planar" or coordinates != "virtual"):
        raise InputError(
            "equations 'printed' are those of a planar base on virtual joints, as in the paper; "
            f"got base {chain.base!r} with coordinates {coordinates!r}: use 'full'"
        )
    names, group = _NAMES[chain.base, coordinates], coordinates == "group"
    speeds = len(names)
    return Frame(7 if group and speeds == 6 else speeds, speeds, group), names


def memory_of(bodies: int, N: int) -> GeometricMemory:
    """Working memory for N degrees of freedom."""
    return GeometricMemory(
        Body.zeros(bodies), Spatial.zeros(bodies), JointScrew.zeros(N), np.zeros((N, N)), np.zeros(N)
    )
